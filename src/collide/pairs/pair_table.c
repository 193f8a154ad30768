#include "collide/pairs/pair_table.h"

#include "base/assert.h"
#include "base/hash.h"

#include <string.h>

// A point may move relatively by this share of the smaller least half-extent, and at most so far, m, while its manifold is kept.
#define CN_KEEP_FRACTION 0.01
#define CN_KEEP_MOST 0.005

// ---- the map from proxies to pairs ----------------------------------------------------------------------------------

// Proxies are far fewer than 2^26.
static uint64_t cnKeyOf(int proxy1, int proxy2, int part) {
    CN_ASSERT(proxy1 >= 0 && proxy1 < 1 << 26 && proxy2 >= 0 && part >= 0 && part <= CN_PAIR_MANIFOLDS);
    return ((uint64_t)(uint32_t)part << 58 | (uint64_t)(uint32_t)proxy1 << 32 | (uint32_t)proxy2) + 1;
}

uint64_t cnPair_GetKey(const cnPair* pair) {
    return cnKeyOf(pair->proxy1, pair->proxy2, pair->part);
}

// Slot that holds the key, or the free slot where it would go.
static int cnFindSlot(const cnPairTable* table, uint64_t key) {
    CN_ASSERT(key != 0 && table->used < table->keys.count);
    int mask = table->keys.count - 1;
    int slot = (int)(cnMix64(key) & (uint64_t)mask);
    while (table->keys.data[slot] != 0 && table->keys.data[slot] != key) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

static bool cnGrowMap(cnPairTable* table) {
    int count = table->keys.count < 64 ? 64 : table->keys.count * 2;
    cnPairTable grown = {0};
    if (!cnArray_Resize(&grown.keys, count) || !cnArray_Resize(&grown.values, count)) {
        cnArray_Free(&grown.keys);
        cnArray_Free(&grown.values);
        return false;
    }
    for (int slot = 0; slot < table->keys.count; ++slot) {
        if (table->keys.data[slot] != 0) {
            int target = cnFindSlot(&grown, table->keys.data[slot]);
            grown.keys.data[target] = table->keys.data[slot];
            grown.values.data[target] = table->values.data[slot];
        }
    }
    cnArray_Free(&table->keys);
    cnArray_Free(&table->values);
    memcpy(&table->keys, &grown.keys, sizeof table->keys);
    memcpy(&table->values, &grown.values, sizeof table->values);
    return true;
}

// Removes a slot and closes the gap in its run of probes.
static void cnRemoveSlot(cnPairTable* table, int slot) {
    CN_ASSERT(table->keys.data[slot] != 0);
    int mask = table->keys.count - 1;
    int hole = slot;
    int next = (slot + 1) & mask;
    while (table->keys.data[next] != 0) {
        int home = (int)(cnMix64(table->keys.data[next]) & (uint64_t)mask);
        if (((next - home) & mask) >= ((next - hole) & mask)) {
            table->keys.data[hole] = table->keys.data[next];
            table->values.data[hole] = table->values.data[next];
            hole = next;
        }
        next = (next + 1) & mask;
    }
    table->keys.data[hole] = 0;
    table->used -= 1;
}

void cnPairTable_Free(cnPairTable* table) {
    cnArray_Free(&table->pairs);
    cnArray_Free(&table->concaves);
    cnArray_Free(&table->freeConcaves);
    for (int thread = 0; thread < CN_MAX_THREADS; ++thread) {
        cnArray_Free(&table->scratch[thread].list);
    }
    cnArray_Free(&table->keys);
    cnArray_Free(&table->values);
    table->used = 0;
}

int cnPairTable_Find(const cnPairTable* table, int proxy1, int proxy2, int part) {
    if (table->keys.count == 0) {
        return -1;
    }
    int slot = cnFindSlot(table, cnKeyOf(proxy1, proxy2, part));
    return table->keys.data[slot] != 0 ? table->values.data[slot] : -1;
}

int cnPairTable_Add(cnPairTable* table, int proxy1, int proxy2, int part) {
    CN_ASSERT(cnPairTable_Find(table, proxy1, proxy2, part) < 0);
    if (2 * (table->used + 1) > table->keys.count && !cnGrowMap(table)) {
        return -1;
    }
    if (!cnArray_Reserve(&table->pairs, table->pairs.count + 1)) {
        return -1;
    }
    int index = table->pairs.count++;
    cnPair* pair = &table->pairs.data[index];
    memset(pair, 0, sizeof *pair);
    pair->proxy1 = proxy1;
    pair->proxy2 = proxy2;
    pair->part = part;
    pair->concave = -1;
    uint64_t key = cnPair_GetKey(pair);
    pair->order = (uint32_t)(cnMix64(key) >> 32);
    int slot = cnFindSlot(table, key);
    table->keys.data[slot] = key;
    table->values.data[slot] = index;
    table->used += 1;
    return index;
}

// Rows that go need no memory: the list of free ones has room for all.
bool cnPairTable_AddConcave(cnPairTable* table, int index) {
    CN_ASSERT(index >= 0 && index < table->pairs.count);
    CN_ASSERT(table->pairs.data[index].part == 0 && table->pairs.data[index].concave < 0);
    cnPair* pair = &table->pairs.data[index];
    if (table->freeConcaves.count > 0) {
        pair->concave = table->freeConcaves.data[--table->freeConcaves.count];
    } else {
        int count = table->concaves.count + 1;
        if (!cnArray_Reserve(&table->freeConcaves, count) || !cnArray_Resize(&table->concaves, count)) {
            return false;
        }
        pair->concave = count - 1;
    }
    cnConcave* concave = &table->concaves.data[pair->concave];
    memset(concave, 0, sizeof *concave);
    concave->proxy1 = pair->proxy1;
    concave->proxy2 = pair->proxy2;
    return true;
}

void cnPairTable_Remove(cnPairTable* table, int index) {
    CN_ASSERT(index >= 0 && index < table->pairs.count);
    cnPair* pair = &table->pairs.data[index];
    if (pair->concave >= 0) {
        table->concaves.data[pair->concave].proxy1 = -1;
        table->freeConcaves.data[table->freeConcaves.count++] = pair->concave;
    }
    cnRemoveSlot(table, cnFindSlot(table, cnPair_GetKey(pair)));
    int last = --table->pairs.count;
    if (index != last) {
        *pair = table->pairs.data[last];
        table->values.data[cnFindSlot(table, cnPair_GetKey(pair))] = index;
    }
}

void cnPairTable_End(cnPairTable* table, int proxy1, int proxy2) {
    int index = cnPairTable_Find(table, proxy1, proxy2, 0);
    if (index < 0) {
        return;
    }
    int concave = table->pairs.data[index].concave;
    uint32_t parts = concave >= 0 ? table->concaves.data[concave].parts : 0;
    for (int part = 0; part <= CN_PAIR_MANIFOLDS; ++part) {
        if (part == 0 || (parts >> part & 1) != 0) {
            cnPairTable_Remove(table, cnPairTable_Find(table, proxy1, proxy2, part));
        }
    }
}

cnPair* cnPairTable_Begin(cnPairTable* table, int proxy1, int proxy2, const cnProxyTable* proxies,
                          cnShape* const* shapes) {
    CN_ASSERT(proxy1 < proxy2);
    CN_ASSERT(proxies->geometry[proxy1] >= 0 && proxies->geometry[proxy2] >= 0);
    int index = cnPairTable_Add(table, proxy1, proxy2, 0);
    if (index < 0) {
        return NULL;
    }
    cnPair* pair = &table->pairs.data[index];
    const cnShape* shape1 = shapes[proxies->shape[pair->proxy1]];
    const cnShape* shape2 = shapes[proxies->shape[pair->proxy2]];
    pair->body1 = proxies->body[pair->proxy1];
    pair->body2 = proxies->body[pair->proxy2];
    pair->geometry1 = proxies->geometry[pair->proxy1];
    pair->geometry2 = proxies->geometry[pair->proxy2];
    pair->leastHalfExtent = cnMin(shape1->leastHalfExtent, shape2->leastHalfExtent);
    pair->margin = cnContactMargin(pair->leastHalfExtent);
    pair->keepDistance = cnMin(CN_KEEP_FRACTION * pair->leastHalfExtent, CN_KEEP_MOST);
    pair->roundCount = cnCountRound(shape1->type, shape2->type);
    bool isConcave = cnIsConcave(shape1->type, shape2->type);
    return !isConcave || cnPairTable_AddConcave(table, index) ? pair : NULL;
}

// ---- what a pair remembers ------------------------------------------------------------------------------------------

void cnPair_Forget(cnPair* pair) {
    memset(pair->impulse, 0, sizeof pair->impulse);
    pair->friction = (cnVec3f){0};
    pair->twist = pair->slowImpulse = 0.0f;
    pair->hardSteps = 0;
    pair->flags |= cn_pairLimitedPush;
    pair->pushLimit = CN_LEAST_PUSH;
}

void cnPair_SetSensor(cnPair* pair, uint32_t sensor) {
    CN_ASSERT(sensor == 0 || (sensor & cn_pairSensor) != 0);
    uint32_t kinds = cn_pairSensor | cn_pairOverlapOnly;
    if ((pair->flags & kinds) == sensor) {
        return;
    }
    pair->flags = (pair->flags & (cn_pairTouching | cn_pairWasTouching)) | sensor;
    pair->manifold.pointCount = 0;
    cnPair_Forget(pair);
}
