#include "base/containers/hash_map.h"

#include "base/containers/hash.h"
#include "base/report/assert.h"

enum {
    smallestSlotCount = 16
};

static int FirstSlot(const cnHashMap* map, uint64_t key) {
    return (int)(cnMix64(key) & (uint64_t)(map->slotCount - 1));
}

static int NextSlot(const cnHashMap* map, int slot) {
    return (slot + 1) & (map->slotCount - 1);
}

// The slot of a key, or the free one where it belongs.
static int FindSlot(const cnHashMap* map, uint64_t key) {
    CN_ASSERT(key != 0 && map->count < map->slotCount);
    int slot = FirstSlot(map, key);
    while (map->keys[slot] != 0 && map->keys[slot] != key) {
        slot = NextSlot(map, slot);
    }
    return slot;
}

static void FreeSlots(cnHashMap* map) {
    cnFree(map->keys, (size_t)map->slotCount * sizeof *map->keys);
    cnFree(map->values, (size_t)map->slotCount * sizeof *map->values);
}

void cnHashMap_Free(cnHashMap* map) {
    CN_GUARD_MOVES(&map->guard);
    FreeSlots(map);
    *map = (cnHashMap){0};
}

bool cnHashMap_Reserve(cnHashMap* map, int count) {
    int slotCount = map->slotCount > 0 ? map->slotCount : smallestSlotCount;
    if (count > INT32_MAX / 4) {
        return false;
    }
    while (slotCount / 2 < count) {
        slotCount *= 2;
    }
    if (slotCount == map->slotCount) {
        return true;
    }
    CN_GUARD_MOVES(&map->guard);
    cnHashMap grown = *map;
    grown.slotCount = slotCount;
    grown.keys = cnAllocate((size_t)slotCount * sizeof *grown.keys);
    grown.values = cnAllocate((size_t)slotCount * sizeof *grown.values);
    if (grown.keys == NULL || grown.values == NULL) {
        FreeSlots(&grown);
        return false;
    }
    for (int i = 0; i < map->slotCount; ++i) {
        if (map->keys[i] != 0) {
            int slot = FindSlot(&grown, map->keys[i]);
            grown.keys[slot] = map->keys[i];
            grown.values[slot] = map->values[i];
        }
    }
    FreeSlots(map);
    *map = grown;
    return true;
}

bool cnHashMap_AddNew(cnHashMap* map, uint64_t key, int32_t value) {
    int slot = FindSlot(map, key);
    if (map->keys[slot] == key) {
        return false;
    }
    map->keys[slot] = key;
    map->values[slot] = value;
    map->count += 1;
    return true;
}

void cnHashMap_Add(cnHashMap* map, uint64_t key, int32_t value) {
    bool isNew = cnHashMap_AddNew(map, key, value);
    CN_ASSERT(isNew);
    (void)isNew;
}

int32_t* cnHashMap_Find(const cnHashMap* map, uint64_t key) {
    if (map->count == 0) {
        return NULL;
    }
    int slot = FindSlot(map, key);
    return map->keys[slot] == key ? &map->values[slot] : NULL;
}

// Moves back each later key of the run that may stand in the hole (Knuth, The Art of Computer Programming,
// vol. 3, 6.4, algorithm R).
void cnHashMap_Remove(cnHashMap* map, uint64_t key) {
    if (map->count == 0) {
        return;
    }
    int hole = FindSlot(map, key), mask = map->slotCount - 1;
    if (map->keys[hole] == 0) {
        return;
    }
    for (int slot = NextSlot(map, hole); map->keys[slot] != 0; slot = NextSlot(map, slot)) {
        int fromFirst = (slot - FirstSlot(map, map->keys[slot])) & mask;
        if (fromFirst >= ((slot - hole) & mask)) {
            map->keys[hole] = map->keys[slot];
            map->values[hole] = map->values[slot];
            hole = slot;
        }
    }
    map->keys[hole] = 0;
    map->count -= 1;
}
