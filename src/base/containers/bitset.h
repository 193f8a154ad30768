// Sets of small numbers. Workers set bits of sets of their own, a serial pass merges and reads
// them in index order.
#pragma once

#include "base/containers/array.h"

#include <stdint.h>

typedef struct cnBitset {
    CN_ARRAY(uint64_t) words;
} cnBitset;

// Room for numbers 0…count−1, all absent.
bool cnBitset_Reset(cnBitset* set, int count);
void cnBitset_Free(cnBitset* set);

static inline void cnBitset_Add(cnBitset* set, int number) {
    set->words.data[number >> 6] |= (uint64_t)1 << (number & 63);
}

static inline void cnBitset_Remove(cnBitset* set, int number) {
    set->words.data[number >> 6] &= ~((uint64_t)1 << (number & 63));
}

static inline bool cnBitset_Has(const cnBitset* set, int number) {
    return (set->words.data[number >> 6] >> (number & 63) & 1) != 0;
}

// a |= b; both of the same count.
void cnBitset_Unite(cnBitset* a, const cnBitset* b);

int cnBitset_Count(const cnBitset* set);

// Smallest member >= from, -1 where there is none.
int cnBitset_Next(const cnBitset* set, int from);
