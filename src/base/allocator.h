// All memory comes from here: one counted pair of functions over the user's hooks.
#pragma once

#include "cairn/base.h"

#include <stdbool.h>

// 16-byte aligned and filled with zeros; null when there is none, or for 0 bytes.
void* cnAllocate(size_t bytes);

// The same, but it holds anything: for what is written before it is read.
void* cnAllocateUnset(size_t bytes);

// `bytes` as it was asked for. Null is allowed. Builds with guards (guard.h) overwrite the block first, so
// that who still reads it is seen even where the user's hooks keep blocks for the next time.
void cnFree(void* memory, size_t bytes);

// Moves a block to a new size, always to another place; the added part is zero. On failure the old block
// stays as it is and null is returned.
void* cnReallocate(void* memory, size_t oldBytes, size_t newBytes);

// Worlds announce themselves, so that the hooks are not changed under them.
void cnAllocator_AddUser(void);
void cnAllocator_RemoveUser(void);
