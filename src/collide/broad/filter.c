#include "collide/broad/filter.h"

#include <string.h>

static uint64_t PairKey(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

// First index whose key is not below `key`.
static int LowerBound(const cnPairSwitches* switches, uint64_t key) {
    int low = 0, high = switches->keys.count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (switches->keys.data[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool cnPairSwitches_IsOff(const cnPairSwitches* switches, uint32_t a, uint32_t b) {
    uint64_t key = PairKey(a, b);
    int index = LowerBound(switches, key);
    return index < switches->keys.count && switches->keys.data[index] == key;
}

bool cnPairSwitches_Set(cnPairSwitches* switches, uint32_t a, uint32_t b, bool off) {
    uint64_t key = PairKey(a, b);
    int index = LowerBound(switches, key);
    bool present = index < switches->keys.count && switches->keys.data[index] == key;
    if (present == off) {
        return true;
    }
    if (!off) {
        switches->keys.count -= 1;
        memmove(&switches->keys.data[index], &switches->keys.data[index + 1],
                (size_t)(switches->keys.count - index) * sizeof(uint64_t));
        return true;
    }
    if (!cnArray_Reserve(&switches->keys, switches->keys.count + 1)) {
        return false;
    }
    memmove(&switches->keys.data[index + 1], &switches->keys.data[index],
            (size_t)(switches->keys.count - index) * sizeof(uint64_t));
    switches->keys.data[index] = key;
    switches->keys.count += 1;
    return true;
}

void cnPairSwitches_Forget(cnPairSwitches* switches, uint32_t a) {
    int kept = 0;
    for (int index = 0; index < switches->keys.count; ++index) {
        uint64_t key = switches->keys.data[index];
        if ((uint32_t)(key >> 32) != a && (uint32_t)key != a) {
            switches->keys.data[kept++] = key;
        }
    }
    switches->keys.count = kept;
}

void cnPairSwitches_Free(cnPairSwitches* switches) {
    cnArray_Free(&switches->keys);
}
