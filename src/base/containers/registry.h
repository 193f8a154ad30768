// The objects of the process that have handles without a world: worlds themselves, scenes.
//
// A handle is 1 … CN_REGISTRY_SLOTS in its low bits, so that it is never zero, and the slot's generation
// above. Different threads may add, find and remove different objects at the same time. Adding and removing
// take a flag, held for so short that spinning pays; finding takes none, since every call of the API does it.
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#define CN_REGISTRY_SLOTS 255

typedef struct cnRegistry {
    atomic_flag busy;
    _Atomic(uint32_t) handles[CN_REGISTRY_SLOTS]; // 0: the slot is free
    void* objects[CN_REGISTRY_SLOTS];
    uint32_t generations[CN_REGISTRY_SLOTS];
} cnRegistry;

#define CN_EMPTY_REGISTRY                                                                                    \
    { .busy = ATOMIC_FLAG_INIT }

// Handle of a new object; 0 when all slots are in use.
uint32_t cnRegistry_Add(cnRegistry* registry, void* object);

// Null for a handle that is null or stale.
void* cnRegistry_Find(cnRegistry* registry, uint32_t handle);

// The handle is valid, and is not from now on.
void cnRegistry_Remove(cnRegistry* registry, uint32_t handle);
