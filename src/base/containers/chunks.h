// Lists that tasks of the pool make by chunks.
//
// Each task writes what it lists of its chunk from where the chunk begins, and how much that is; the chunks
// are put together afterwards, so that the order does not depend on threads.
#pragma once

#include <stddef.h>
#include <string.h>

// Puts the items of `count` places, listed by chunks of so many, side by side. Answers how many they are.
static inline int cnJoinChunks(void* items, size_t itemBytes, int count, int chunk, const int* listed) {
    char* bytes = items;
    int joined = 0;
    for (int begin = 0; begin < count; begin += chunk) {
        size_t moved = (size_t)listed[begin / chunk] * itemBytes;
        if (begin != joined && moved > 0) {
            memmove(bytes + (size_t)joined * itemBytes, bytes + (size_t)begin * itemBytes, moved);
        }
        joined += listed[begin / chunk];
    }
    return joined;
}
