#include "collide/broad/pair_set.h"

enum {
    smallestCapacity = 64
};

void cnPairSet_Free(cnPairSet* set) {
    cnFree(set->slots, (size_t)set->capacity * sizeof(uint64_t));
    *set = (cnPairSet){0};
}

// False where the key is there already.
static bool Place(uint64_t* slots, int capacity, uint64_t key) {
    uint64_t mask = (uint64_t)capacity - 1;
    uint64_t slot = cnMix64(key) & mask;
    while (slots[slot] != 0 && slots[slot] != key) {
        slot = (slot + 1) & mask;
    }
    bool isNew = slots[slot] == 0;
    slots[slot] = key;
    return isNew;
}

bool cnPairSet_Reserve(cnPairSet* set, int count) {
    if (count > INT32_MAX / 4) {
        return false;
    }
    if (count <= set->capacity / 2) {
        return true;
    }
    int capacity = set->capacity > 0 ? set->capacity : smallestCapacity;
    while (capacity / 2 < count) {
        capacity *= 2;
    }
    uint64_t* slots = cnAllocate((size_t)capacity * sizeof(uint64_t));
    if (slots == NULL) {
        return false;
    }
    for (int i = 0; i < set->capacity; ++i) {
        if (set->slots[i] != 0) {
            Place(slots, capacity, set->slots[i]);
        }
    }
    cnFree(set->slots, (size_t)set->capacity * sizeof(uint64_t));
    set->slots = slots;
    set->capacity = capacity;
    return true;
}

void cnPairSet_Add(cnPairSet* set, uint64_t key) {
    Place(set->slots, set->capacity, key);
    set->count += 1;
}

bool cnPairSet_AddNew(cnPairSet* set, uint64_t key) {
    bool isNew = Place(set->slots, set->capacity, key);
    set->count += isNew;
    return isNew;
}

void cnPairSet_Remove(cnPairSet* set, uint64_t key) {
    uint64_t mask = (uint64_t)set->capacity - 1;
    uint64_t hole = cnMix64(key) & mask;
    while (set->slots[hole] != key) {
        hole = (hole + 1) & mask;
    }

    // pull back every later member of the run that may not stand behind a hole
    uint64_t slot = hole;
    for (;;) {
        slot = (slot + 1) & mask;
        if (set->slots[slot] == 0) {
            break;
        }
        uint64_t home = cnMix64(set->slots[slot]) & mask;
        if (((slot - home) & mask) >= ((slot - hole) & mask)) {
            set->slots[hole] = set->slots[slot];
            hole = slot;
        }
    }
    set->slots[hole] = 0;
    set->count -= 1;
}
