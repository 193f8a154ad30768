// Growing arrays of one type: CN_ARRAY(int) indices = {0};
//
// cnArray_Push makes room by itself and answers false when memory ran out; code that must not fail half-way
// reserves first. Growing moves the items: who points to one while others may push pins the array (guard.h).
// The item to push is evaluated after the array has grown, so that it may be an expression over the array
// itself, but never *p with p into it.
#pragma once

#include "base/allocator.h"
#include "base/report/guard.h"

#define CN_ARRAY(type)                                                                                       \
    struct {                                                                                                 \
        type* data;                                                                                          \
        int count;                                                                                           \
        int capacity;                                                                                        \
        CN_GUARD_FIELD                                                                                       \
    }

// Room for `capacity` items at least; false when memory ran out (the array stays as it was).
#define cnArray_Reserve(array, wanted)                                                                       \
    cnArray_Grow((void**)&(array)->data, &(array)->capacity, (wanted),                                       \
                 sizeof(*(array)->data) CN_GUARD_OF(array))

#define cnArray_Push(array, item)                                                                            \
    (cnArray_Reserve((array), (array)->count + 1) ? ((array)->data[(array)->count++] = (item), true) : false)

// Sets the number of items; new ones are what the memory held (zero when fresh).
#define cnArray_Resize(array, wanted)                                                                        \
    (cnArray_Reserve((array), (wanted)) ? ((array)->count = (wanted), true) : false)

#define cnArray_Free(array)                                                                                  \
    (cnArray_Release((array)->data, (size_t)(array)->capacity * sizeof(*(array)->data) CN_GUARD_OF(array)),  \
     (array)->data = NULL, (array)->count = 0, (array)->capacity = 0)

// Doubles; at least `wanted`.
bool cnArray_Grow(void** data, int* capacity, int wanted, size_t itemBytes CN_GUARD_PARAMETER);

static inline void cnArray_Release(void* data, size_t bytes CN_GUARD_PARAMETER) {
    CN_GUARD_MOVES(guard);
    cnFree(data, bytes);
}
