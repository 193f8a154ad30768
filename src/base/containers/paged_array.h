// Growing arrays whose items stay where they are: CN_PAGED_ARRAY(cnPair) pairs = {0};
//
// The items lie in pages of some 32 kB, and a list says where the pages are. Growing adds pages: nothing is
// copied, and nothing is given back that leaves a hole in which no later, larger block fits, which is what
// made up a third of WebAssembly's memory, since that never shrinks. For what is large and grows while a
// world runs; an item costs a second load. Growing moves the list of pages, so who reads items while others
// may add some pins the array (guard.h).
#pragma once

#include "base/allocator.h"
#include "base/report/guard.h"

// Items of a page by their size: a power of two.
#define CN_PAGE_ITEMS(itemBytes) ((itemBytes) < 256 ? 256 : (itemBytes) < 1024 ? 64 : 16)

#define CN_PAGED_ARRAY(type)                                                                                 \
    struct {                                                                                                 \
        type** pages;                                                                                        \
        int count;                                                                                           \
        int capacity; /* items, of whole pages */                                                            \
        CN_GUARD_FIELD                                                                                       \
    }

#define cnPagedArray_At(array, index) cnPages_At((array)->pages, index)
#define cnPages_At(pages, index)                                                                             \
    (&(pages)[(unsigned)(index) / CN_PAGE_ITEMS(sizeof **(pages))]                                           \
             [(unsigned)(index) % CN_PAGE_ITEMS(sizeof **(pages))])

// Room for `wanted` items at least; false when memory ran out (the array keeps the pages that it got). Fresh
// pages are what the memory held.
#define cnPagedArray_Reserve(array, wanted)                                                                  \
    cnPagedArray_Grow((void***)(void*)&(array)->pages, &(array)->capacity, (wanted),                         \
                      sizeof(**(array)->pages) CN_GUARD_OF(array))

#define cnPagedArray_Free(array)                                                                             \
    (cnPagedArray_Release((void**)(void*)(array)->pages, (array)->capacity,                                  \
                          sizeof(**(array)->pages) CN_GUARD_OF(array)),                                      \
     (array)->pages = NULL, (array)->count = 0, (array)->capacity = 0)

bool cnPagedArray_Grow(void*** pages, int* capacity, int wanted, size_t itemBytes CN_GUARD_PARAMETER);
void cnPagedArray_Release(void** pages, int capacity, size_t itemBytes CN_GUARD_PARAMETER);

// A list of pages over items that lie side by side and belong to others; null when memory ran out.
void** cnPagedArray_Lend(void* items, int count, size_t itemBytes);
void cnPagedArray_GiveBack(void** pages, int count, size_t itemBytes);
