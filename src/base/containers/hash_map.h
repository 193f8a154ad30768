// A map from 64-bit keys, never 0, to 32-bit numbers: open addressing with linear probing, at most half full,
// removal by shifting back.
//
// The layout of the slots depends on the order of additions, so nothing walks them: who needs the members in
// an order keeps them in an array of its own.
#pragma once

#include "base/allocator.h"
#include "base/report/guard.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct cnHashMap {
    uint64_t* keys; // 0: free
    int32_t* values;
    int slotCount; // 0 or a power of two
    int count;
    CN_GUARD_FIELD
} cnHashMap;

void cnHashMap_Free(cnHashMap* map);

// Room for `count` keys; false when memory ran out (the map stays as it was).
bool cnHashMap_Reserve(cnHashMap* map, int count);

// The key is absent and room was reserved.
void cnHashMap_Add(cnHashMap* map, uint64_t key, int32_t value);

// Adds the key unless it is there; false where it is. Room was reserved.
bool cnHashMap_AddNew(cnHashMap* map, uint64_t key, int32_t value);

// Where the key's value is, null for an absent key.
int32_t* cnHashMap_Find(const cnHashMap* map, uint64_t key);

// Nothing happens where the key is absent.
void cnHashMap_Remove(cnHashMap* map, uint64_t key);
