// From two material rows, in either order, to the row of their contact material.
#pragma once

#include "base/allocator.h"

#include <stdint.h>

// Open addressing with linear probing, at most half full.
typedef struct cnPairMap {
    uint64_t* keys; // 0: empty
    int32_t* rows;
    int slotCount; // 0 or a power of two
    int used;
} cnPairMap;

void cnPairMap_Free(cnPairMap* map);

// Makes room for one more pair; false when memory ran out (nothing changed).
bool cnPairMap_Reserve(cnPairMap* map);

// The pair is not there yet and room was made for it.
void cnPairMap_Add(cnPairMap* map, int row1, int row2, int contactMaterialRow);

// -1 where there is none.
int cnPairMap_Find(const cnPairMap* map, int row1, int row2);

// Nothing happens where the pair is not there.
void cnPairMap_Remove(cnPairMap* map, int row1, int row2);
