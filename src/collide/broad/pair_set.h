// A set of pairs of small numbers: open addressing with linear probing, at most half full, removal by
// shifting back.
//
// A pair is one 64-bit key, the smaller number in the upper half; as the larger number is never 0, neither is
// a key, and 0 marks a free slot. The slots' layout depends on the order of additions, so nothing walks them:
// whoever needs the members in an order keeps them in an array of its own.
#pragma once

#include "base/allocator.h"
#include "base/containers/hash.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct cnPairSet {
    uint64_t* slots;
    int capacity; // 0 or a power of two
    int count;
} cnPairSet;

static inline uint64_t cnPairKey(int number1, int number2) {
    uint64_t smaller = (uint64_t)(number1 < number2 ? number1 : number2);
    uint64_t larger = (uint64_t)(number1 < number2 ? number2 : number1);
    return smaller << 32 | larger;
}

static inline int cnPairKey_GetFirst(uint64_t key) {
    return (int)(key >> 32);
}

static inline int cnPairKey_GetSecond(uint64_t key) {
    return (int)(key & 0xffffffffu);
}

void cnPairSet_Free(cnPairSet* set);

// Room for `count` members; false when memory ran out (the set stays as it was).
bool cnPairSet_Reserve(cnPairSet* set, int count);

// Adds a key that is absent; the room was reserved.
void cnPairSet_Add(cnPairSet* set, uint64_t key);

// Adds a key unless it is there; false where it is. The room was reserved.
bool cnPairSet_AddNew(cnPairSet* set, uint64_t key);

// Removes a key that is present.
void cnPairSet_Remove(cnPairSet* set, uint64_t key);

static inline bool cnPairSet_Has(const cnPairSet* set, uint64_t key) {
    if (set->count == 0) {
        return false;
    }
    uint64_t mask = (uint64_t)set->capacity - 1;
    uint64_t slot = cnMix64(key) & mask;
    while (set->slots[slot] != 0) {
        if (set->slots[slot] == key) {
            return true;
        }
        slot = (slot + 1) & mask;
    }
    return false;
}
