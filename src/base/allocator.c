#include "base/allocator.h"

#include "base/report/error.h"
#include "base/report/guard.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// aligned_alloc, because malloc promises only 8 bytes on some 32-bit targets. Its size must be a
// multiple of the alignment. Large blocks start on a line of the cache, so that what is 64 bytes long in
// them lies on one.
static void* DefaultAllocate(size_t bytes, void* context) {
    (void)context;
    size_t alignment = bytes < 4096 ? 16 : 64;
    return aligned_alloc(alignment, (bytes + alignment - 1) & ~(alignment - 1));
}

static void DefaultRelease(void* memory, size_t bytes, void* context) {
    (void)bytes;
    (void)context;
    free(memory);
}

static const cnAllocator defaultAllocator = {DefaultAllocate, DefaultRelease, NULL};

// The hooks belong to the process, not to a world, because geometry works without one. They change only while
// nothing is allocated, so reading them needs no lock.
static cnAllocator hooks = {DefaultAllocate, DefaultRelease, NULL};
static atomic_size_t bytesInUse;
static atomic_int userCount;

// What freed memory is filled with: no number that is finite, no pointer that is mapped. And what nobody has
// set yet.
#define CN_FREED_BYTE 0xfd
#define CN_UNSET_BYTE 0xfb

void* cnAllocateUnset(size_t bytes) {
    if (bytes == 0 || bytes > SIZE_MAX - 15) {
        return NULL;
    }
    void* memory = hooks.allocate(bytes, hooks.context);
    if (memory == NULL) {
        return NULL;
    }
    atomic_fetch_add_explicit(&bytesInUse, bytes, memory_order_relaxed);
    if (CN_GUARDS) {
        memset(memory, CN_UNSET_BYTE, bytes);
    }
    return memory;
}

void* cnAllocate(size_t bytes) {
    void* memory = cnAllocateUnset(bytes);
    if (memory != NULL) {
        memset(memory, 0, bytes);
    }
    return memory;
}

void cnFree(void* memory, size_t bytes) {
    if (memory == NULL) {
        return;
    }
    atomic_fetch_sub_explicit(&bytesInUse, bytes, memory_order_relaxed);
    if (CN_GUARDS) {
        memset(memory, CN_FREED_BYTE, bytes);
    }
    hooks.release(memory, bytes, hooks.context);
}

void* cnReallocate(void* memory, size_t oldBytes, size_t newBytes) {
    if (newBytes == 0) {
        cnFree(memory, oldBytes);
        return NULL;
    }
    char* moved = cnAllocateUnset(newBytes);
    if (moved == NULL) {
        return NULL;
    }
    size_t kept = memory == NULL ? 0 : oldBytes < newBytes ? oldBytes : newBytes;
    if (kept > 0) {
        memcpy(moved, memory, kept);
    }
    memset(moved + kept, 0, newBytes - kept);
    cnFree(memory, oldBytes);
    return moved;
}

void cnAllocator_AddUser(void) {
    atomic_fetch_add(&userCount, 1);
}

void cnAllocator_RemoveUser(void) {
    atomic_fetch_sub(&userCount, 1);
}

cnErrorCode cnSetAllocator(const cnAllocator* allocator) {
    if (allocator != NULL && (allocator->allocate == NULL || allocator->release == NULL)) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, "cnSetAllocator", "allocator",
                      "allocator lacks the function '%s'",
                      allocator->allocate == NULL ? "allocate" : "release");
    }
    int users = atomic_load(&userCount);
    if (users > 0) {
        return cnFail(CN_ERROR_IN_USE, "cnSetAllocator", "allocator",
                      "the allocator cannot change while %d worlds exist", users);
    }

    // a block made by the old hooks (a hull, say) would be given back to the new ones
    size_t bytes = cnGetBytesInUse();
    if (bytes > 0) {
        return cnFail(CN_ERROR_IN_USE, "cnSetAllocator", "allocator",
                      "the allocator cannot change while %zu bytes of it are in use", bytes);
    }
    hooks = allocator != NULL ? *allocator : defaultAllocator;
    return CN_ERROR_NONE;
}

size_t cnGetBytesInUse(void) {
    return atomic_load_explicit(&bytesInUse, memory_order_relaxed);
}
