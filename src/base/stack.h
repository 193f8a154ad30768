// Memory of one step: pushed and popped in order, empty at the end of the step (asserted there, with the
// names of what is left). It lies in blocks, and what fits into none gets one that the stack keeps, so that
// after warm-up a step allocates nothing. What is popped is out of reach: with the address sanitizer reading
// it ends the program, in other builds with guards (guard.h) it is overwritten.
//
// Rejected: one block that is replaced by a larger one before the next step. What a growing scene left behind
// fitted nothing that came later, and a first large step was paid for twice, once for what did not fit and
// once for the block: a fifth of WebAssembly's memory, which never shrinks.
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
#define CN_STACK_BLOCKS 16

typedef struct cnStackBlock {
    char* memory;
    size_t capacity;
    size_t used;
} cnStackBlock;

typedef struct cnStackEntry {
    void* memory;
    size_t bytes;
    const char* name;
    int block; // −1: from the allocator, for this once
} cnStackEntry;

typedef struct cnStack {
    cnStackBlock blocks[CN_STACK_BLOCKS];
    int blockCount;
    size_t capacity;  // of all blocks
    size_t wanted;    // by all entries
    size_t maxWanted; // since the last cnStack_Settle
    bool hasGrown;    // since then something did not fit
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

// For the end of a step: true when empty. Where blocks have come to be much more than a step wants, they
// become one.
bool cnStack_Settle(cnStack* stack);

#define CN_PUSH(stack, type, count, name)                                                                    \
    ((type*)cnStack_Push((stack), (size_t)(count) * sizeof(type), (name)))
