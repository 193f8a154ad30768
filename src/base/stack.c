#include "base/stack.h"

#include "base/report/assert.h"
#include "base/report/error.h"

#include "base/report/guard.h"

#include <stdint.h>
#include <string.h>

#ifdef CN_STACK_POISON
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, bytes) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(memory, bytes) ((void)0)
#endif

// What memory is filled with when it is pushed, and again when it is popped, as freed memory is
// (allocator.c): who reads what nobody wrote gets other numbers than in builds without guards.
#define CN_PUSHED_BYTE 0xfb
#define CN_POPPED_BYTE 0xfd

static size_t RoundUp16(size_t bytes) {
    return (bytes + 15) & ~(size_t)15;
}

static bool StackAllocateBlock(cnStack* stack, size_t capacity) {
    stack->memory = cnAllocateUnset(capacity);
    stack->capacity = stack->memory != NULL ? capacity : 0;
    if (stack->memory != NULL) {
        ASAN_POISON_MEMORY_REGION(stack->memory, capacity);
    }
    return stack->memory != NULL;
}

bool cnStack_Init(cnStack* stack, size_t bytes) {
    *stack = (cnStack){0};
    if (bytes == 0) {
        return true;
    }
    return StackAllocateBlock(stack, RoundUp16(bytes));
}

// The block goes back to the allocator as it came.
static void StackFreeBlock(cnStack* stack) {
    if (stack->memory != NULL) {
        ASAN_UNPOISON_MEMORY_REGION(stack->memory, stack->capacity);
    }
    cnFree(stack->memory, stack->capacity);
    stack->memory = NULL;
    stack->capacity = 0;
}

void cnStack_Free(cnStack* stack) {
    for (int i = 0; i < stack->entryCount; ++i) {
        if (stack->entries[i].fromAllocator) {
            cnFree(stack->entries[i].memory, stack->entries[i].bytes);
        }
    }
    StackFreeBlock(stack);
    *stack = (cnStack){0};
}

void* cnStack_Push(cnStack* stack, size_t bytes, const char* name) {
    CN_ASSERT(stack->entryCount < CN_STACK_ENTRIES);
    if (stack->entryCount == CN_STACK_ENTRIES || bytes > SIZE_MAX / 2) {
        return NULL;
    }

    // an entry of no bytes has an address too, or it would look like a failure
    size_t rounded = bytes > 0 ? RoundUp16(bytes) : 16;
    cnStackEntry entry = {.bytes = rounded, .name = name};
    if (rounded <= stack->capacity - stack->used) {
        entry.memory = stack->memory + stack->used;
        stack->used += rounded;
        ASAN_UNPOISON_MEMORY_REGION(entry.memory, bytes);
    } else {
        entry.memory = cnAllocateUnset(rounded);
        entry.fromAllocator = true;
        if (entry.memory == NULL) {
            return NULL;
        }
    }

    if (CN_GUARDS) {
        memset(entry.memory, CN_PUSHED_BYTE, bytes);
    }
    stack->entries[stack->entryCount++] = entry;
    stack->wanted += rounded;
    if (stack->maxWanted < stack->wanted) {
        stack->maxWanted = stack->wanted;
    }
    return entry.memory;
}

void cnStack_Pop(cnStack* stack, void* memory) {
    if (memory == NULL) {
        return;
    }
    CN_ASSERT(stack->entryCount > 0);
    if (stack->entryCount == 0) {
        return;
    }
    cnStackEntry* entry = &stack->entries[stack->entryCount - 1];
    CN_ASSERT(entry->memory == memory);
    if (entry->memory != memory) {
        return;
    }

    if (entry->fromAllocator) {
        cnFree(entry->memory, entry->bytes);
    } else {
        stack->used -= entry->bytes;
        if (CN_GUARDS) {
            ASAN_UNPOISON_MEMORY_REGION(entry->memory, entry->bytes); // the room that rounding added, too
            memset(entry->memory, CN_POPPED_BYTE, entry->bytes);
        }
        ASAN_POISON_MEMORY_REGION(entry->memory, entry->bytes);
    }
    stack->wanted -= entry->bytes;
    stack->entryCount -= 1;
}

void cnStack_PopTo(cnStack* stack, int count) {
    while (stack->entryCount > count) {
        cnStack_Pop(stack, stack->entries[stack->entryCount - 1].memory);
    }
}

bool cnStack_Settle(cnStack* stack) {
    if (stack->entryCount > 0) {
        for (int i = 0; i < stack->entryCount; ++i) {
            cnWriteLog("step stack: '%s' (%zu bytes) was not popped", stack->entries[i].name,
                       stack->entries[i].bytes);
        }
        return false;
    }

    // an eighth more than was wanted, so that a slowly growing scene does not grow the stack every step. The
    // old block goes first, for the two need not fit side by side; when memory is short one as large comes
    // back
    if (stack->maxWanted > stack->capacity) {
        size_t capacity = stack->capacity;
        StackFreeBlock(stack);
        if (!StackAllocateBlock(stack, RoundUp16(stack->maxWanted + stack->maxWanted / 8)) && capacity > 0) {
            StackAllocateBlock(stack, capacity);
        }
    }
    stack->maxWanted = 0;
    return true;
}
