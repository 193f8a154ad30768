// Memory of one step: pushed and popped in order, empty at the end of the step (asserted there, with the
// names of what is left). What does not fit comes from the allocator for this once, and the stack grows
// before the next step, so that after warm-up a step allocates nothing. What is popped is out of reach: with
// the address sanitizer reading it ends the program, in other builds with guards (guard.h) it is overwritten.
#pragma once

#include "base/allocator.h"

#if defined(__SANITIZE_ADDRESS__)
#define CN_STACK_POISON
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CN_STACK_POISON
#endif
#endif

#define CN_STACK_ENTRIES 256

typedef struct cnStackEntry {
    void* memory;
    size_t bytes;
    const char* name;
    bool fromAllocator;
} cnStackEntry;

typedef struct cnStack {
    char* memory;
    size_t capacity;
    size_t used;
    size_t wanted;    // used plus what came from the allocator
    size_t maxWanted; // since the last cnStack_Settle
    cnStackEntry entries[CN_STACK_ENTRIES];
    int entryCount;
} cnStack;

bool cnStack_Init(cnStack* stack, size_t bytes);
void cnStack_Free(cnStack* stack);

// 16-byte aligned, not cleared; null when memory ran out. The name must outlive the entry.
void* cnStack_Push(cnStack* stack, size_t bytes, const char* name);

// Only the newest entry can go.
void cnStack_Pop(cnStack* stack, void* memory);
// Pops until `count` entries are left.
void cnStack_PopTo(cnStack* stack, int count);

// For the end of a step: true when empty. Grows to what the steps so far wanted.
bool cnStack_Settle(cnStack* stack);

#define CN_PUSH(stack, type, count, name)                                                                    \
    ((type*)cnStack_Push((stack), (size_t)(count) * sizeof(type), (name)))
