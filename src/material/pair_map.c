#include "material/pair_map.h"

#include "base/hash.h"

enum {
    smallestSlotCount = 16
};

static uint64_t cnMakeKey(int row1, int row2) {
    uint64_t lower = (uint64_t)(row1 < row2 ? row1 : row2);
    uint64_t upper = (uint64_t)(row1 < row2 ? row2 : row1);
    // one more, so that no pair has the key of an empty slot
    return (lower << 32 | upper) + 1;
}

static int cnFirstSlot(const cnPairMap* map, uint64_t key) {
    return (int)(cnMix64(key) & (uint64_t)(map->slotCount - 1));
}

static int cnNextSlot(const cnPairMap* map, int slot) {
    return (slot + 1) & (map->slotCount - 1);
}

// The slot of a key, or the empty one where it belongs.
static int cnFindSlot(const cnPairMap* map, uint64_t key) {
    int slot = cnFirstSlot(map, key);
    while (map->keys[slot] != 0 && map->keys[slot] != key) {
        slot = cnNextSlot(map, slot);
    }
    return slot;
}

static void cnFreeSlots(cnPairMap* map) {
    cnFree(map->keys, (size_t)map->slotCount * sizeof *map->keys);
    cnFree(map->rows, (size_t)map->slotCount * sizeof *map->rows);
}

void cnPairMap_Free(cnPairMap* map) {
    cnFreeSlots(map);
    *map = (cnPairMap){0};
}

bool cnPairMap_Reserve(cnPairMap* map) {
    if (2 * (map->used + 1) <= map->slotCount) {
        return true;
    }
    cnPairMap grown = {.slotCount = map->slotCount == 0 ? smallestSlotCount : 2 * map->slotCount,
                       .used = map->used};
    grown.keys = cnAllocate((size_t)grown.slotCount * sizeof *grown.keys);
    grown.rows = cnAllocate((size_t)grown.slotCount * sizeof *grown.rows);
    if (grown.keys == NULL || grown.rows == NULL) {
        cnFreeSlots(&grown);
        return false;
    }
    for (int i = 0; i < map->slotCount; ++i) {
        if (map->keys[i] != 0) {
            int slot = cnFindSlot(&grown, map->keys[i]);
            grown.keys[slot] = map->keys[i];
            grown.rows[slot] = map->rows[i];
        }
    }
    cnFreeSlots(map);
    *map = grown;
    return true;
}

void cnPairMap_Add(cnPairMap* map, int row1, int row2, int contactMaterialRow) {
    uint64_t key = cnMakeKey(row1, row2);
    int slot = cnFindSlot(map, key);
    map->keys[slot] = key;
    map->rows[slot] = contactMaterialRow;
    map->used += 1;
}

int cnPairMap_Find(const cnPairMap* map, int row1, int row2) {
    if (map->used == 0) {
        return -1;
    }
    int slot = cnFindSlot(map, cnMakeKey(row1, row2));
    return map->keys[slot] == 0 ? -1 : map->rows[slot];
}

void cnPairMap_Remove(cnPairMap* map, int row1, int row2) {
    if (map->used == 0) {
        return;
    }
    int hole = cnFindSlot(map, cnMakeKey(row1, row2));
    if (map->keys[hole] == 0) {
        return;
    }

    // close the gap: move back each later key of the run that may stand in the hole (Knuth, The Art of
    // Computer Programming, vol. 3, 6.4, algorithm R)
    int mask = map->slotCount - 1;
    for (int slot = cnNextSlot(map, hole); map->keys[slot] != 0; slot = cnNextSlot(map, slot)) {
        int distanceFromFirst = (slot - cnFirstSlot(map, map->keys[slot])) & mask;
        int distanceFromHole = (slot - hole) & mask;
        if (distanceFromFirst >= distanceFromHole) {
            map->keys[hole] = map->keys[slot];
            map->rows[hole] = map->rows[slot];
            hole = slot;
        }
    }
    map->keys[hole] = 0;
    map->used -= 1;
}
