// Growing arrays of one type: CN_ARRAY(int) indices = {0};
//
// cnArray_Push makes room by itself and answers false when memory ran out; code that must not fail half-way reserves first.
#pragma once

#include "base/allocator.h"

#define CN_ARRAY(type)                                                                                       \
    struct {                                                                                                 \
        type* data;                                                                                          \
        int count;                                                                                           \
        int capacity;                                                                                        \
    }

// Room for `capacity` items at least; false when memory ran out (the array stays as it was).
#define cnArray_Reserve(array, wanted)                                                                       \
    cnArray_Grow((void**)&(array)->data, &(array)->capacity, (wanted), sizeof(*(array)->data))

#define cnArray_Push(array, item)                                                                            \
    (cnArray_Reserve((array), (array)->count + 1) ? ((array)->data[(array)->count++] = (item), true) : false)

// Sets the number of items; new ones are what the memory held (zero when fresh).
#define cnArray_Resize(array, wanted)                                                                        \
    (cnArray_Reserve((array), (wanted)) ? ((array)->count = (wanted), true) : false)

#define cnArray_Free(array)                                                                                  \
    (cnFree((array)->data, (size_t)(array)->capacity * sizeof(*(array)->data)), (array)->data = NULL,        \
     (array)->count = 0, (array)->capacity = 0)

// Doubles; at least `wanted`.
bool cnArray_Grow(void** data, int* capacity, int wanted, size_t itemBytes);
