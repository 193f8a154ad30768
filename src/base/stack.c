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

static bool AddBlock(cnStack* stack, size_t bytes) {
    if (stack->blockCount == CN_STACK_BLOCKS) {
        return false;
    }
    cnStackBlock block = {.memory = cnAllocateUnset(bytes), .capacity = bytes};
    if (block.memory == NULL) {
        return false;
    }
    ASAN_POISON_MEMORY_REGION(block.memory, bytes);
    stack->blocks[stack->blockCount++] = block;
    stack->capacity += bytes;
    return true;
}

// The blocks go back to the allocator as they came.
static void FreeBlocks(cnStack* stack) {
    for (int i = 0; i < stack->blockCount; ++i) {
        cnStackBlock* block = &stack->blocks[i];
        ASAN_UNPOISON_MEMORY_REGION(block->memory, block->capacity);
        cnFree(block->memory, block->capacity);
    }
    stack->blockCount = 0;
    stack->capacity = 0;
}

bool cnStack_Init(cnStack* stack, size_t bytes) {
    *stack = (cnStack){0};
    return bytes == 0 || AddBlock(stack, RoundUp16(bytes));
}

void cnStack_Free(cnStack* stack) {
    for (int i = 0; i < stack->entryCount; ++i) {
        if (stack->entries[i].block < 0) {
            cnFree(stack->entries[i].memory, stack->entries[i].bytes);
        }
    }
    FreeBlocks(stack);
    *stack = (cnStack){0};
}

// The first block with room, else a new one, a quarter of what there is at least; −1 when memory ran out.
static int FindBlock(cnStack* stack, size_t bytes) {
    for (int i = 0; i < stack->blockCount; ++i) {
        if (bytes <= stack->blocks[i].capacity - stack->blocks[i].used) {
            return i;
        }
    }
    stack->hasGrown = true;
    size_t more = RoundUp16(stack->capacity / 4);
    bool isAdded = AddBlock(stack, bytes > more ? bytes : more) || AddBlock(stack, bytes);
    return isAdded ? stack->blockCount - 1 : -1;
}

void* cnStack_Push(cnStack* stack, size_t bytes, const char* name) {
    CN_ASSERT(stack->entryCount < CN_STACK_ENTRIES);
    if (stack->entryCount == CN_STACK_ENTRIES || bytes > SIZE_MAX / 2) {
        return NULL;
    }

    // an entry of no bytes has an address too, or it would look like a failure
    size_t rounded = bytes > 0 ? RoundUp16(bytes) : 16;
    cnStackEntry entry = {.bytes = rounded, .name = name, .block = FindBlock(stack, rounded)};
    if (entry.block >= 0) {
        cnStackBlock* block = &stack->blocks[entry.block];
        entry.memory = block->memory + block->used;
        block->used += rounded;
        ASAN_UNPOISON_MEMORY_REGION(entry.memory, bytes);
    } else {
        entry.memory = cnAllocateUnset(rounded);
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

    if (entry->block < 0) {
        cnFree(entry->memory, entry->bytes);
    } else {
        stack->blocks[entry->block].used -= entry->bytes;
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

    // Blocks that grew one after the other have ends in which nothing fits. The old ones go first, for all
    // need not fit side by side; an eighth more than was wanted, so that a slowly growing scene does not do
    // this every step. When memory is short steps ask for blocks again.
    bool isScattered = stack->blockCount == CN_STACK_BLOCKS || stack->capacity / 3 > stack->maxWanted / 2;
    if (stack->hasGrown && stack->blockCount > 1 && isScattered) {
        FreeBlocks(stack);
        AddBlock(stack, RoundUp16(stack->maxWanted + stack->maxWanted / 8));
    }
    stack->maxWanted = 0;
    stack->hasGrown = false;
    return true;
}
