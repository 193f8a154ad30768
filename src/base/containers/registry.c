#include "base/containers/registry.h"

#include "cairn/id.h"

#include <stddef.h>

enum {
    lastGeneration = (1 << CN_GENERATION_BITS) - 1 // the first is 1
};

static int SlotOf(uint32_t handle) {
    return (int)(handle & (CN_MAX_ROWS - 1)) - 1;
}

static void Lock(cnRegistry* registry) {
    while (atomic_flag_test_and_set_explicit(&registry->busy, memory_order_acquire)) {}
}

static void Unlock(cnRegistry* registry) {
    atomic_flag_clear_explicit(&registry->busy, memory_order_release);
}

uint32_t cnRegistry_Add(cnRegistry* registry, void* object) {
    uint32_t handle = 0;
    Lock(registry);
    for (int slot = 0; slot < CN_REGISTRY_SLOTS && handle == 0; ++slot) {
        if (atomic_load_explicit(&registry->handles[slot], memory_order_relaxed) == 0) {
            registry->generations[slot] = registry->generations[slot] % lastGeneration + 1;
            registry->objects[slot] = object;
            handle = registry->generations[slot] << CN_INDEX_BITS | (uint32_t)(slot + 1);
            atomic_store_explicit(&registry->handles[slot], handle, memory_order_release);
        }
    }
    Unlock(registry);
    return handle;
}

void* cnRegistry_Find(cnRegistry* registry, uint32_t handle) {
    int slot = SlotOf(handle);
    bool isFound = slot >= 0 && slot < CN_REGISTRY_SLOTS &&
                   atomic_load_explicit(&registry->handles[slot], memory_order_acquire) == handle;
    return isFound ? registry->objects[slot] : NULL;
}

void cnRegistry_Remove(cnRegistry* registry, uint32_t handle) {
    Lock(registry);
    atomic_store_explicit(&registry->handles[SlotOf(handle)], 0, memory_order_relaxed);
    Unlock(registry);
}
