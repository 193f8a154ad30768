#include "collide/pairs/pair_table.h"

#include "base/containers/chunks.h"
#include "base/containers/hash.h"
#include "base/report/assert.h"

#include <string.h>

#define CN_NEAR_CHUNK 512

// ---- what the next step depends on ------------------------------------------------------------------------

static const cnField pairFields[] = {
    CN_FIELD(cnPair, proxy1, cn_i32, 1, cn_state),
    CN_FIELD(cnPair, proxy2, cn_i32, 1, cn_state),
    CN_FIELD(cnPair, part, cn_u8, 1, cn_state),
    CN_FIELD(cnPair, concave, cn_i32, 1, cn_state),
    CN_FIELD(cnPair, body1, cn_i32, 1, cn_derived),
    CN_FIELD(cnPair, body2, cn_i32, 1, cn_derived),
    CN_FIELD(cnPair, geometry1, cn_i32, 1, cn_derived),
    CN_FIELD(cnPair, geometry2, cn_i32, 1, cn_derived),
    CN_FIELD(cnPair, flags, cn_u32, 1, cn_state),
    CN_FIELD(cnPair, order, cn_u32, 1, cn_derived),
    CN_FIELD(cnPair, inradius, cn_f64, 1, cn_derived),
    CN_FIELD(cnPair, roundCount, cn_u8, 1, cn_derived),
    CN_FIELD(cnPair, ballCount, cn_u8, 1, cn_derived),
    CN_FIELD(cnPair, cache.kind, cn_u32, 1, cn_state),
    CN_FIELD(cnPair, cache.feature1, cn_u32, 1, cn_state),
    CN_FIELD(cnPair, cache.feature2, cn_u32, 1, cn_state),
    CN_FIELD(cnPair, cache.axis, cn_f32, 3, cn_state),
    CN_FIELD(cnPair, cache.gap, cn_f32, 1, cn_state),
    CN_FIELD(cnPair, manifold.origin, cn_f64, 3, cn_state),
    CN_FIELD(cnPair, manifold.normal, cn_f32, 3, cn_state),
    CN_FIELD(cnPair, manifold.pointCount, cn_i32, 1, cn_state),
    CN_FIELD(cnPair, manifold.patch.area, cn_f64, 1, cn_state),
    CN_FIELD(cnPair, manifold.patch.meanRadius, cn_f64, 1, cn_state),
    CN_FIELD(cnPair, manifold.points, cn_f32, 12, cn_state),
    CN_FIELD(cnPair, manifold.depths, cn_f32, 4, cn_state),
    CN_FIELD(cnPair, manifold.features, cn_u32, 4, cn_state),
    CN_FIELD(cnPair, built1.centre, cn_f64, 3, cn_state),
    CN_FIELD(cnPair, built1.rotation, cn_f64, 4, cn_state),
    CN_FIELD(cnPair, built2.centre, cn_f64, 3, cn_state),
    CN_FIELD(cnPair, built2.rotation, cn_f64, 4, cn_state),
    CN_FIELD(cnPair, curvature, cn_f64, 1, cn_state),
    CN_FIELD(cnPair, arm1, cn_f32, 12, cn_state),
    CN_FIELD(cnPair, arm2, cn_f32, 12, cn_state),
    CN_FIELD(cnPair, builtDepth, cn_f32, 4, cn_state),
    CN_FIELD(cnPair, impulse, cn_f32, 4, cn_state),
    CN_FIELD(cnPair, friction, cn_f32, 3, cn_state),
    CN_FIELD(cnPair, torsionalFriction, cn_f32, 1, cn_state),
    CN_FIELD(cnPair, rollingFriction, cn_f32, 3, cn_state),
    CN_FIELD(cnPair, impulseRemainder, cn_f32, 4, cn_state),
    CN_FIELD(cnPair, frictionRemainder, cn_f32, 3, cn_state),
    CN_FIELD(cnPair, torsionalRemainder, cn_f32, 1, cn_state),
    CN_FIELD(cnPair, integralImpulse, cn_f32, 1, cn_state),
    CN_FIELD(cnPair, correction, cn_f32, 4, cn_state),
    CN_FIELD(cnPair, correctionLimit, cn_f32, 1, cn_state),
    CN_FIELD(cnPair, convergedSteps, cn_i32, 1, cn_state),
    CN_FIELD(cnPair, normalForce, cn_f32, 4, cn_reading),
    CN_FIELD(cnPair, latePoints, cn_u8, 1, cn_reading),
    CN_FIELD(cnPair, frictionForce, cn_f32, 3, cn_reading),
};
const cnFieldList cnPairFields = CN_FIELD_LIST(pairFields);

static const cnField distantFields[] = {
    CN_FIELD(cnDistantPair, proxy1, cn_i32, 1, cn_state),
    CN_FIELD(cnDistantPair, proxy2, cn_i32, 1, cn_state),
    CN_FIELD(cnDistantPair, body1, cn_i32, 1, cn_derived),
    CN_FIELD(cnDistantPair, body2, cn_i32, 1, cn_derived),
    CN_FIELD(cnDistantPair, geometry1, cn_i32, 1, cn_derived),
    CN_FIELD(cnDistantPair, geometry2, cn_i32, 1, cn_derived),
    CN_FIELD(cnDistantPair, margin, cn_f32, 1, cn_derived),
    CN_FIELD(cnDistantPair, cache.kind, cn_u32, 1, cn_state),
    CN_FIELD(cnDistantPair, cache.feature1, cn_u32, 1, cn_state),
    CN_FIELD(cnDistantPair, cache.feature2, cn_u32, 1, cn_state),
    CN_FIELD(cnDistantPair, cache.axis, cn_f32, 3, cn_state),
    CN_FIELD(cnDistantPair, cache.gap, cn_f32, 1, cn_state),
    CN_FIELD(cnDistantPair, apartAt, cn_f64, 3, cn_state),
    CN_FIELD(cnDistantPair, apartTurn, cn_f64, 1, cn_state),
};
const cnFieldList cnDistantPairFields = CN_FIELD_LIST(distantFields);

static const cnField headFields[] = {
    CN_FIELD(cnPairHead, proxy1, cn_i32, 1, cn_derived),
    CN_FIELD(cnPairHead, proxy2, cn_i32, 1, cn_derived),
    CN_FIELD(cnPairHead, apartUntil, cn_f64, 1, cn_state),
};
const cnFieldList cnPairHeadFields = CN_FIELD_LIST(headFields);

static const cnField concaveFields[] = {
    CN_FIELD(cnConcave, proxy1, cn_i32, 1, cn_state),
    CN_FIELD(cnConcave, proxy2, cn_i32, 1, cn_state),
    CN_FIELD(cnConcave, parts, cn_u32, 1, cn_state),
    CN_FIELD(cnConcave, made, cn_u8, 1, cn_derived),
    CN_FIELD(cnConcave, meetsAt, cn_f64, 1, cn_derived),
    CN_FIELD(cnConcave, failed, cn_u8, 1, cn_derived),
    CN_FIELD(cnConcave, overlaps, cn_u8, 1, cn_state),
    CN_FIELD(cnConcave, centre, cn_f64, 3, cn_state),
    CN_FIELD(cnConcave, reach, cn_f64, 1, cn_state),
    CN_FIELD(cnConcave, manifoldCount, cn_i32, 1, cn_state),
    CN_FIELD(cnConcave, partOf, cn_i32, 12, cn_state),
    CN_FIELD(cnConcave, indices, cn_i32, 13, cn_derived),
    CN_FIELD(cnConcave, manifolds, cn_record, 1, cn_derived),
    CN_FIELD(cnConcave, ahead, cn_record, 1, cn_derived),
};
const cnFieldList cnConcaveFields = CN_FIELD_LIST(concaveFields);

// ---- the map from proxies to pairs ------------------------------------------------------------------------

// Proxies are far fewer than 2^26.
static uint64_t KeyOf(int proxy1, int proxy2, int part) {
    CN_ASSERT(proxy1 >= 0 && proxy1 < 1 << 26 && proxy2 >= 0 && part >= 0 && part <= CN_PAIR_MANIFOLDS);
    return ((uint64_t)(uint32_t)part << 58 | (uint64_t)(uint32_t)proxy1 << 32 | (uint32_t)proxy2) + 1;
}

uint64_t cnPair_GetKey(const cnPair* pair) {
    return KeyOf(pair->proxy1, pair->proxy2, pair->part);
}

uint64_t cnDistantPair_GetKey(const cnDistantPair* pair) {
    return KeyOf(pair->proxy1, pair->proxy2, 0);
}

static uint32_t OrderOf(uint64_t key) {
    return (uint32_t)(cnMix64(key) >> 32);
}

static void FreeHeads(cnPairHeads* heads) {
    cnArray_Free(&heads->rows);
    cnArray_Free(&heads->awake);
}

void cnPairTable_Free(cnPairTable* table) {
    cnPagedArray_Free(&table->pairs);
    FreeHeads(&table->heads);
    cnPagedArray_Free(&table->distant);
    FreeHeads(&table->distantHeads);
    cnArray_Free(&table->due);
    cnArray_Free(&table->dueKept);
    cnArray_Free(&table->dueCounts);
    cnArray_Free(&table->near);
    cnArray_Free(&table->nearCounts);
    cnArray_Free(&table->concaves);
    cnArray_Free(&table->freeConcaves);
    cnArray_Free(&table->hints);
    cnArray_Free(&table->impacts);
    cnArray_Free(&table->customFriction);
    cnArray_Free(&table->customOf);
    for (int thread = 0; thread < CN_MAX_THREADS; ++thread) {
        cnArray_Free(&table->scratch[thread].list);
        cnArray_Free(&table->kept[thread]);
    }
    cnHashMap_Free(&table->indices);
}

// Row in either table; ~row of a distant pair.
static const int32_t* FindAny(const cnPairTable* table, int proxy1, int proxy2, int part) {
    return cnHashMap_Find(&table->indices, KeyOf(proxy1, proxy2, part));
}

int cnPairTable_Find(const cnPairTable* table, int proxy1, int proxy2, int part) {
    const int32_t* index = FindAny(table, proxy1, proxy2, part);
    return index != NULL && *index >= 0 ? *index : -1;
}

int cnPairTable_FindDistant(const cnPairTable* table, int proxy1, int proxy2) {
    const int32_t* index = FindAny(table, proxy1, proxy2, 0);
    return index != NULL && *index < 0 ? ~*index : -1;
}

bool cnPairTable_Has(const cnPairTable* table, int proxy1, int proxy2) {
    return FindAny(table, proxy1, proxy2, 0) != NULL;
}

bool cnPairTable_Reserve(cnPairTable* table, int count) {
    return cnPagedArray_Reserve(&table->pairs, count) && cnArray_Reserve(&table->heads.rows, count) &&
           cnArray_Reserve(&table->near, count) &&
           cnArray_Reserve(&table->nearCounts, count / CN_NEAR_CHUNK + 1);
}

bool cnPairTable_ReserveDistant(cnPairTable* table, int count) {
    return cnPagedArray_Reserve(&table->distant, count) && cnArray_Reserve(&table->distantHeads.rows, count);
}

// Adds a row that is awake, for which there is room, and which nobody has set and the map does not name yet.
static int AddRow(cnPairTable* table, int proxy1, int proxy2) {
    CN_ASSERT(table->pairs.count < table->pairs.capacity);
    int index = table->pairs.count++;
    table->heads.rows.count = table->pairs.count;
    table->heads.rows.data[index] = (cnPairHead){proxy1, proxy2, 0.0};
    table->nearIsOld = table->heads.awakeIsOld = true;
    return index;
}

// The same of a distant pair, which may sleep; −1 when memory ran out.
static int AddDistantRow(cnPairTable* table, const cnDistantPair* pair, double apartUntil) {
    if (!cnPairTable_ReserveDistant(table, table->distant.count + 1)) {
        return -1;
    }
    int row = table->distant.count++;
    *cnPairTable_GetDistant(table, row) = *pair;
    cnPairHeads* heads = &table->distantHeads;
    heads->rows.count = table->distant.count;
    heads->rows.data[row] = (cnPairHead){pair->proxy1, pair->proxy2, apartUntil};
    heads->asleepCount += cnPairHeads_IsAsleep(heads, row);
    heads->awakeIsOld = true;
    return row;
}

int cnPairTable_Add(cnPairTable* table, int proxy1, int proxy2, int part) {
    CN_ASSERT(FindAny(table, proxy1, proxy2, part) == NULL);
    if (!cnHashMap_Reserve(&table->indices, cnPairTable_Count(table) + 1) ||
        !cnPairTable_Reserve(table, table->pairs.count + 1)) {
        return -1;
    }
    int index = AddRow(table, proxy1, proxy2);
    cnPair* pair = cnPairTable_Get(table, index);
    memset(pair, 0, sizeof *pair);
    pair->proxy1 = proxy1;
    pair->proxy2 = proxy2;
    pair->part = (uint8_t)part;
    pair->concave = -1;
    uint64_t key = cnPair_GetKey(pair);
    pair->order = OrderOf(key);
    cnHashMap_Add(&table->indices, key, index);
    return index;
}

// Rows that go need no memory: the list of free ones has room for all.
bool cnPairTable_AddConcave(cnPairTable* table, int index) {
    CN_ASSERT(index >= 0 && index < table->pairs.count);
    CN_ASSERT(cnPairTable_Get(table, index)->part == 0 && cnPairTable_Get(table, index)->concave < 0);
    cnPair* pair = cnPairTable_Get(table, index);
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
    if (pair->concave < table->hints.count) {
        table->hints.data[pair->concave] = (cnConcaveHint){0};
    }
    return true;
}

void cnPairTable_ForgetClear(cnPairTable* table, const cnPair* pair) {
    if (pair->concave >= 0 && pair->concave < table->hints.count) {
        table->hints.data[pair->concave].clearUntil = 0.0;
    }
}

// Closes the gap that a row leaves with the last one; the map is the caller's.
static void DropHead(cnPairHeads* heads, int row) {
    heads->asleepCount -= cnPairHeads_IsAsleep(heads, row);
    heads->awakeIsOld = true;
    heads->rows.data[row] = heads->rows.data[--heads->rows.count];
}

static void DropRow(cnPairTable* table, int index) {
    DropHead(&table->heads, index);
    table->nearIsOld = true;
    int last = --table->pairs.count;
    if (last < table->customOf.count) {
        table->customOf.data[index] = table->customOf.data[last];
        table->customOf.count = last;
    }
    if (index != last) {
        cnPair* pair = cnPairTable_Get(table, index);
        *pair = *cnPairTable_Get(table, last);
        *cnHashMap_Find(&table->indices, cnPair_GetKey(pair)) = index;
    }
}

static void DropDistantRow(cnPairTable* table, int row) {
    DropHead(&table->distantHeads, row);
    int last = --table->distant.count;
    if (row != last) {
        cnDistantPair* pair = cnPairTable_GetDistant(table, row);
        *pair = *cnPairTable_GetDistant(table, last);
        *cnHashMap_Find(&table->indices, cnDistantPair_GetKey(pair)) = ~row;
    }
}

void cnPairTable_Remove(cnPairTable* table, int index) {
    CN_ASSERT(index >= 0 && index < table->pairs.count);
    const cnPair* pair = cnPairTable_Get(table, index);
    if (pair->concave >= 0) {
        table->concaves.data[pair->concave].proxy1 = -1;
        table->freeConcaves.data[table->freeConcaves.count++] = pair->concave;
    }
    cnHashMap_Remove(&table->indices, cnPair_GetKey(pair));
    DropRow(table, index);
}

void cnPairTable_RemoveDistant(cnPairTable* table, int row) {
    CN_ASSERT(row >= 0 && row < table->distant.count);
    cnHashMap_Remove(&table->indices, cnDistantPair_GetKey(cnPairTable_GetDistant(table, row)));
    DropDistantRow(table, row);
}

void cnPairTable_End(cnPairTable* table, int proxy1, int proxy2) {
    int index = cnPairTable_Find(table, proxy1, proxy2, 0);
    if (index < 0) {
        return;
    }
    int concave = cnPairTable_Get(table, index)->concave;
    uint32_t parts = concave >= 0 ? table->concaves.data[concave].parts : 0;
    for (int part = 0; part <= CN_PAIR_MANIFOLDS; ++part) {
        if (part == 0 || (parts >> part & 1) != 0) {
            cnPairTable_Remove(table, cnPairTable_Find(table, proxy1, proxy2, part));
        }
    }
}

void cnPair_Measure(cnPair* pair, const cnProxyTable* proxies, cnShape* const* shapes) {
    const cnShape* shape1 = shapes[proxies->shape[pair->proxy1]];
    const cnShape* shape2 = shapes[proxies->shape[pair->proxy2]];
    pair->order = OrderOf(cnPair_GetKey(pair));
    pair->inradius = cnMin(shape1->inradius, shape2->inradius);
    pair->roundCount = (uint8_t)cnCountRound(shape1->type, shape2->type);
    pair->ballCount = (uint8_t)((shape1->type == cn_sphere) + (shape2->type == cn_sphere));
}

void cnDistantPair_NotePlaces(cnDistantPair* pair, const cnProxyTable* proxies) {
    pair->apartAt = cnGetBetween(proxies, pair->proxy1, pair->proxy2);
    pair->apartTurn = cnGetTurn(proxies, pair->proxy1, pair->proxy2);
}

static cnDistantPair AsDistant(const cnPair* pair, const cnProxyTable* proxies) {
    cnDistantPair distant = {
        .cache = pair->cache,
        .proxy1 = pair->proxy1,
        .proxy2 = pair->proxy2,
        .geometry1 = pair->geometry1,
        .geometry2 = pair->geometry2,
        .body1 = pair->body1,
        .body2 = pair->body2,
        .margin = (float)cnPair_GetMargin(pair),
    };
    cnDistantPair_NotePlaces(&distant, proxies);
    return distant;
}

void cnDistantPair_CopyTo(const cnDistantPair* pair, const cnProxyTable* proxies, cnShape* const* shapes,
                          cnPair* whole) {
    memset(whole, 0, sizeof *whole);
    whole->cache = pair->cache;
    whole->proxy1 = pair->proxy1;
    whole->proxy2 = pair->proxy2;
    whole->geometry1 = pair->geometry1;
    whole->geometry2 = pair->geometry2;
    whole->body1 = pair->body1;
    whole->body2 = pair->body2;
    whole->concave = -1;
    cnPair_Measure(whole, proxies, shapes);
}

bool cnPairTable_MakeWhole(cnPairTable* table, const int* rows, int count, const cnProxyTable* proxies,
                           cnShape* const* shapes) {
    if (!cnPairTable_Reserve(table, table->pairs.count + count)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        CN_ASSERT(rows[i] < table->distant.count && (i == 0 || rows[i] > rows[i - 1]));
        const cnDistantPair* pair = cnPairTable_GetDistant(table, rows[i]);
        int index = AddRow(table, pair->proxy1, pair->proxy2);
        cnDistantPair_CopyTo(pair, proxies, shapes, cnPairTable_Get(table, index));
        if (cnPairHeads_IsAsleep(&table->distantHeads, rows[i])) {
            cnPairHeads_SetApartUntil(&table->heads, index, INFINITY);
        }
        *cnHashMap_Find(&table->indices, cnDistantPair_GetKey(pair)) = index;
    }
    for (int i = count - 1; i >= 0; --i) { // what takes the place of one that goes stays
        DropDistantRow(table, rows[i]);
    }
    return true;
}

bool cnPairTable_MakeDistant(cnPairTable* table, int index, const cnProxyTable* proxies) {
    CN_ASSERT(index >= 0 && index < table->pairs.count);
    const cnPair* pair = cnPairTable_Get(table, index);
    CN_ASSERT(pair->part == 0 && pair->concave < 0 && pair->manifold.pointCount == 0 &&
              (pair->flags & (cn_pairSensor | cn_pairTouching | cn_pairWasTouching)) == 0);
    cnDistantPair distant = AsDistant(pair, proxies);
    int row = AddDistantRow(table, &distant, table->heads.rows.data[index].apartUntil);
    if (row >= 0) {
        *cnHashMap_Find(&table->indices, cnDistantPair_GetKey(&distant)) = ~row;
        DropRow(table, index);
    }
    return row >= 0;
}

bool cnPairTable_Begin(cnPairTable* table, const cnBegunPair* begun, const cnProxyTable* proxies,
                       cnShape* const* shapes) {
    const int proxy1 = begun->sides.proxy1, proxy2 = begun->sides.proxy2;
    CN_ASSERT(proxy1 < proxy2 && FindAny(table, proxy1, proxy2, 0) == NULL);
    CN_ASSERT(proxies->geometry[proxy1] >= 0 && proxies->geometry[proxy2] >= 0);
    const cnShape* shape1 = shapes[proxies->shape[proxy1]];
    const cnShape* shape2 = shapes[proxies->shape[proxy2]];
    cnDistantPair distant = {
        .proxy1 = proxy1,
        .proxy2 = proxy2,
        .geometry1 = proxies->geometry[proxy1],
        .geometry2 = proxies->geometry[proxy2],
        .body1 = begun->sides.body1,
        .body2 = begun->sides.body2,
        .margin = (float)cnContactMargin(cnMin(shape1->inradius, shape2->inradius)),
    };
    double apartUntil = begun->isAsleep ? INFINITY : 0.0;
    bool isConcave = cnIsConcave(shape1->type, shape2->type);
    if (!isConcave && begun->sensor == 0) {
        bool hasRoom = cnHashMap_Reserve(&table->indices, cnPairTable_Count(table) + 1);
        int row = hasRoom ? AddDistantRow(table, &distant, apartUntil) : -1;
        if (row >= 0) {
            cnHashMap_Add(&table->indices, KeyOf(proxy1, proxy2, 0), ~row);
        }
        return row >= 0;
    }
    int index = cnPairTable_Add(table, proxy1, proxy2, 0);
    if (index < 0) {
        return false;
    }
    cnDistantPair_CopyTo(&distant, proxies, shapes, cnPairTable_Get(table, index));
    if (isConcave && !cnPairTable_AddConcave(table, index)) {
        cnPairTable_Remove(table, index);
        return false;
    }
    cnPairTable_Get(table, index)->flags |= begun->sensor;
    if (begun->isAsleep) {
        cnPairTable_PutToSleep(table, index);
    }
    return true;
}

// ---- pairs apart and near ---------------------------------------------------------------------------------

void cnPairHeads_SetApartUntil(cnPairHeads* heads, int row, double apartUntil) {
    heads->asleepCount += (apartUntil == INFINITY) - cnPairHeads_IsAsleep(heads, row);
    heads->rows.data[row].apartUntil = apartUntil;
    heads->awakeIsOld = true;
}

// Of a whole pair.
static void SetApartUntil(cnPairTable* table, int index, double apartUntil) {
    cnPairHeads_SetApartUntil(&table->heads, index, apartUntil);
    table->nearIsOld = true;
}

void cnPairTable_Renew(cnPairTable* table, int index) {
    cnPairTable_Get(table, index)->flags |= cn_pairThinned;
    SetApartUntil(table, index, 0.0);
}

cnRowList cnPairHeads_GetAwake(cnPairHeads* heads) {
    const int count = heads->rows.count;
    if (heads->asleepCount == 0 || !cnArray_Reserve(&heads->awake, count)) {
        return (cnRowList){NULL, count};
    }
    if (heads->awakeIsOld) {
        heads->awake.count = 0;
        for (int i = 0; i < count; ++i) {
            if (!cnPairHeads_IsAsleep(heads, i)) {
                heads->awake.data[heads->awake.count++] = i;
            }
        }
        heads->awakeIsOld = false;
    }
    return (cnRowList){heads->awake.data, heads->awake.count};
}

static void RecountSleepers(cnPairHeads* heads) {
    heads->asleepCount = 0;
    for (int i = 0; i < heads->rows.count; ++i) {
        heads->asleepCount += cnPairHeads_IsAsleep(heads, i);
    }
    heads->awakeIsOld = true;
}

void cnPairTable_RecountSleepers(cnPairTable* table) {
    RecountSleepers(&table->heads);
    RecountSleepers(&table->distantHeads);
    table->nearIsOld = true;
}

void cnPairTable_PutToSleep(cnPairTable* table, int index) {
    cnPair* pair = cnPairTable_Get(table, index);
    SetApartUntil(table, index, INFINITY);
    // it goes on touching, or not, as long as it sleeps
    pair->flags &= ~(uint32_t)(cn_pairWasTouching | cn_pairFamilyTouched | cn_pairBuilt);
    pair->flags |= cn_pairRecycled;
    if ((pair->flags & cn_pairTouching) != 0) {
        pair->flags |= pair->part != 0 ? cn_pairWasTouching | cn_pairFamilyTouched : cn_pairWasTouching;
    }
}

void cnPairTable_Rouse(cnPairTable* table, int index) {
    CN_ASSERT(cnPairTable_IsAsleep(table, index));
    SetApartUntil(table, index, 0.0);
}

typedef struct NearSearch {
    cnPairTable* table;
    cnRowList awake;
} NearSearch;

// Those of a chunk, where it begins.
static void ListNearTask(int begin, int end, int thread, void* context) {
    (void)thread;
    const NearSearch* search = context;
    cnPairTable* table = search->table;
    cnNearPair* near = table->near.data + begin;
    int count = 0;
    for (int place = begin; place < end; ++place) {
        int i = cnRowList_Get(&search->awake, place);
        if (table->heads.rows.data[i].apartUntil > 0.0) {
            continue;
        }
        const cnPair* pair = cnPairTable_Get(table, i);
        bool isNear = pair->manifold.pointCount > 0 || pair->concave >= 0 ||
                      (pair->flags & (cn_pairTouching | cn_pairWasTouching)) != 0;
        if (isNear) {
            near[count++] = (cnNearPair){
                .pair = i,
                .body1 = pair->body1,
                .body2 = pair->body2,
                .order = pair->order,
                .pointCount = (uint8_t)pair->manifold.pointCount,
                .state = (uint8_t)cnPair_GetState(pair),
                .isUnsolved = cnPair_IsUnsolved(pair),
            };
        }
    }
    table->nearCounts.data[begin / CN_NEAR_CHUNK] = count;
}

void cnPairTable_ListNear(cnPairTable* table, cnThreadPool* threads) {
    if (!table->nearIsOld) {
        return;
    }
    NearSearch search = {table, cnPairHeads_GetAwake(&table->heads)};
    const int count = search.awake.count;
    CN_ASSERT(table->near.capacity >= count && CN_NEAR_CHUNK * table->nearCounts.capacity >= count);
    cnThreadPool_Run(threads, ListNearTask, &search, count, CN_NEAR_CHUNK);
    table->near.count = cnJoinChunks(table->near.data, sizeof *table->near.data, count, CN_NEAR_CHUNK,
                                     table->nearCounts.data);
    table->nearIsOld = false;
}

// ---- friction by users ------------------------------------------------------------------------------------

void cnPairTable_ForgetFriction(cnPairTable* table) {
    table->customFriction.count = table->customOf.count = 0;
}

bool cnPairTable_SetFriction(cnPairTable* table, int pair, const cnCustomFriction* friction) {
    CN_ASSERT(pair >= 0 && pair < table->pairs.count);
    if (table->customOf.count == 0) { // for all pairs: a step adds none after its collide
        for (int i = 0; i < table->pairs.count; ++i) {
            if (!cnArray_Push(&table->customOf, -1)) {
                table->customOf.count = 0;
                return false;
            }
        }
    }
    int* index = &table->customOf.data[pair];
    if (*index < 0) {
        if (!cnArray_Push(&table->customFriction, *friction)) {
            return false;
        }
        *index = table->customFriction.count - 1;
    }
    table->customFriction.data[*index] = *friction;
    cnPairTable_Get(table, pair)->flags |= cn_pairCustom;
    return true;
}

const cnCustomFriction* cnPairTable_GetFriction(const cnPairTable* table, int pair) {
    CN_ASSERT(pair >= 0 && pair < table->customOf.count && table->customOf.data[pair] >= 0);
    return &table->customFriction.data[table->customOf.data[pair]];
}

// ---- what a pair remembers --------------------------------------------------------------------------------

void cnPair_Forget(cnPair* pair) {
    memset(pair->impulse, 0, sizeof pair->impulse);
    memset(pair->correction, 0, sizeof pair->correction);
    pair->friction = (cnVec3f){0};
    pair->torsionalFriction = pair->integralImpulse = 0.0f;
    pair->rollingFriction = (cnVec3f){0.0f, 0.0f, 0.0f};
    pair->convergedSteps = 0;
    pair->flags = (pair->flags & ~(uint32_t)cn_pairSlides) | cn_pairLimitedCorrection;
    pair->correctionLimit = CN_MIN_CORRECTION_SPEED;
}

void cnPairTable_SetSensor(cnPairTable* table, int index, uint32_t sensor) {
    CN_ASSERT(sensor == 0 || (sensor & cn_pairSensor) != 0);
    cnPair* pair = cnPairTable_Get(table, index);
    uint32_t kinds = cn_pairSensor | cn_pairOverlapOnly;
    if ((pair->flags & kinds) == sensor) {
        return;
    }
    pair->flags = (pair->flags & (cn_pairTouching | cn_pairWasTouching)) | sensor;
    SetApartUntil(table, index, 0.0);
    pair->manifold.pointCount = 0;
    cnPair_Forget(pair);
}
