// What everybody relies on who looks at pairs: cnPairTable_Validate.
#include "base/containers/hash.h"
#include "collide/pairs/pair_table.h"

static bool IsProxyLive(const cnProxyTable* proxies, int proxy) {
    return proxy >= 0 && proxy < proxies->capacity && proxies->geometry[proxy] >= 0;
}

// What a pair of the table `name` has copied from its proxies.
static bool CheckOwners(const char* name, int row, cnPairSides sides, int geometry1, int geometry2,
                        const cnProxyTable* proxies, cnFault* fault) {
    CN_CHECK(fault, sides.proxy1 < sides.proxy2, "%s: row %d has proxy1 %d, which is not below proxy2 %d",
             name, row, sides.proxy1, sides.proxy2);
    CN_CHECK(fault, IsProxyLive(proxies, sides.proxy1) && IsProxyLive(proxies, sides.proxy2),
             "%s: row %d has proxies %d and %d, which are not both live", name, row, sides.proxy1,
             sides.proxy2);
    CN_CHECK(fault, sides.body1 >= 0 || sides.body2 >= 0, "%s: row %d has no body", name, row);
    CN_CHECK(fault,
             geometry1 == proxies->geometry[sides.proxy1] && geometry2 == proxies->geometry[sides.proxy2],
             "%s: row %d has geometries %d and %d, its proxies have %d and %d", name, row, geometry1,
             geometry2, proxies->geometry[sides.proxy1], proxies->geometry[sides.proxy2]);
    return true;
}

static bool CheckManifold(const cnPair* pair, int index, cnFault* fault) {
    int count = pair->manifold.pointCount;
    CN_CHECK(fault, count >= 0 && count <= CN_MANIFOLD_POINTS, "pairs: row %d has %d points", index, count);
    CN_CHECK(fault, (pair->flags & cn_pairOverlapOnly) == 0 || (pair->flags & cn_pairSensor) != 0,
             "pairs: row %d wants overlap only and is no sensor's (flags %x)", index, (unsigned)pair->flags);
    CN_CHECK(fault, (pair->flags & cn_pairOverlapOnly) == 0 || count == 0,
             "pairs: row %d wants overlap only and has %d points", index, count);
    CN_CHECK(fault, pair->convergedSteps >= -CN_BACK_OFF_STEPS, "pairs: row %d has %d converged steps", index,
             pair->convergedSteps);
    // a normal may be NaN where numbers overflow
    double length2 = cnLengthSquared(cnToD(pair->manifold.normal));
    CN_CHECK(fault, count == 0 || !(fabs(length2 - 1.0) > 1e-3), "pairs: row %d has a normal of length %g",
             index, sqrt(length2));
    return true;
}

// A parent owns its row of concaves, a child has a bit in its parent's.
static bool CheckFamily(const cnPairTable* table, const cnPair* pair, int index, cnFault* fault) {
    if (pair->concave >= 0) {
        CN_CHECK(fault, pair->part == 0 && pair->concave < table->concaves.count,
                 "pairs: row %d, part %d, has row %d of %d concaves", index, pair->part, pair->concave,
                 table->concaves.count);
        const cnConcave* concave = &table->concaves.data[pair->concave];
        CN_CHECK(fault, concave->proxy1 == pair->proxy1 && concave->proxy2 == pair->proxy2,
                 "pairs: row %d of proxies %d and %d has the concave of %d and %d", index, pair->proxy1,
                 pair->proxy2, concave->proxy1, concave->proxy2);
    }
    if (pair->part > 0) {
        int parent = cnPairTable_Find(table, pair->proxy1, pair->proxy2, 0);
        int row = parent >= 0 ? cnPairTable_Get(table, parent)->concave : -1;
        CN_CHECK(fault, row >= 0 && row < table->concaves.count, "pairs: row %d, part %d, has no parent",
                 index, pair->part);
        CN_CHECK(fault, (table->concaves.data[row].parts >> pair->part & 1) != 0,
                 "pairs: row %d is part %d, its parent has the parts %x", index, pair->part,
                 (unsigned)table->concaves.data[row].parts);
    }
    return true;
}

static bool CheckConcave(const cnPairTable* table, int row, cnFault* fault) {
    const cnConcave* concave = &table->concaves.data[row];
    int parent = cnPairTable_Find(table, concave->proxy1, concave->proxy2, 0);
    CN_CHECK(fault, parent >= 0 && cnPairTable_Get(table, parent)->concave == row,
             "concaves: row %d of proxies %d and %d is no pair's", row, concave->proxy1, concave->proxy2);
    CN_CHECK(fault, concave->manifoldCount >= 0 && concave->manifoldCount <= CN_PAIR_MANIFOLDS,
             "concaves: row %d has %d manifolds", row, concave->manifoldCount);
    uint32_t allowed = ((1u << CN_PAIR_MANIFOLDS) - 1) << 1;
    CN_CHECK(fault, (concave->parts & ~allowed) == 0, "concaves: row %d has the parts %x", row,
             (unsigned)concave->parts);
    for (int part = 1; part <= CN_PAIR_MANIFOLDS; ++part) {
        CN_CHECK(fault,
                 (concave->parts >> part & 1) == 0 ||
                     cnPairTable_Find(table, concave->proxy1, concave->proxy2, part) >= 0,
                 "concaves: row %d has the parts %x, part %d is no pair", row, (unsigned)concave->parts,
                 part);
    }
    return true;
}

// Live rows are pairs', the others are in the list of free ones.
static bool CheckConcaves(const cnPairTable* table, cnFault* fault) {
    int freeCount = 0;
    uint64_t waiting = 0, listed = 0; // fingerprints, as in id_pool.c
    for (int row = 0; row < table->concaves.count; ++row) {
        if (table->concaves.data[row].proxy1 < 0) {
            freeCount += 1;
            waiting += cnMix64((uint64_t)row + 1);
        } else if (!CheckConcave(table, row, fault)) {
            return false;
        }
    }
    CN_CHECK(fault, table->freeConcaves.count == freeCount,
             "concaves: the free list has %d rows, %d rows are free", table->freeConcaves.count, freeCount);
    CN_CHECK(fault, table->freeConcaves.capacity >= table->concaves.count,
             "concaves: the free list has room for %d of %d rows", table->freeConcaves.capacity,
             table->concaves.count);
    for (int i = 0; i < freeCount; ++i) {
        int row = table->freeConcaves.data[i];
        CN_CHECK(fault, row >= 0 && row < table->concaves.count && table->concaves.data[row].proxy1 < 0,
                 "concaves: the free list names row %d of %d, which is not free", row, table->concaves.count);
        listed += cnMix64((uint64_t)row + 1);
    }
    CN_CHECK(fault, listed == waiting, "concaves: the free list names a row twice");
    return true;
}

// The map has every pair and nothing else: as many keys as pairs, and each pair is found.
static bool CheckMap(const cnPairTable* table, cnFault* fault) {
    int slotCount = table->indices.slotCount;
    CN_CHECK(fault, (slotCount & (slotCount - 1)) == 0, "pairs: the map has %d slots", slotCount);
    int keyCount = 0;
    for (int slot = 0; slot < slotCount; ++slot) {
        keyCount += table->indices.keys[slot] != 0;
    }
    CN_CHECK(fault,
             keyCount == table->indices.count && keyCount == cnPairTable_Count(table) &&
                 2 * keyCount <= slotCount,
             "pairs: the map has %d keys in %d slots and counts %d, there are %d pairs", keyCount, slotCount,
             table->indices.count, cnPairTable_Count(table));
    for (int index = 0; index < table->pairs.count; ++index) {
        const cnPair* pair = cnPairTable_Get(table, index);
        CN_CHECK(fault, pair->proxy1 >= 0 && pair->part <= CN_PAIR_MANIFOLDS,
                 "pairs: row %d is part %d of proxy %d", index, pair->part, pair->proxy1);
        int found = cnPairTable_Find(table, pair->proxy1, pair->proxy2, pair->part);
        CN_CHECK(fault, found == index, "pairs: the map has %d for row %d of proxies %d and %d, part %d",
                 found, index, pair->proxy1, pair->proxy2, pair->part);
    }
    for (int row = 0; row < table->distant.count; ++row) {
        const cnDistantPair* pair = cnPairTable_GetDistant(table, row);
        CN_CHECK(fault, pair->proxy1 >= 0, "distant pairs: row %d has proxy %d", row, pair->proxy1);
        int found = cnPairTable_FindDistant(table, pair->proxy1, pair->proxy2);
        CN_CHECK(fault, found == row, "distant pairs: the map has %d for row %d of proxies %d and %d", found,
                 row, pair->proxy1, pair->proxy2);
    }
    return true;
}

bool cnPairTable_Validate(const cnPairTable* table, const cnProxyTable* proxies, cnFault* fault) {
    return CheckMap(table, fault) && cnPairTable_ValidateRows(table, proxies, fault);
}

bool cnPairTable_ValidateRows(const cnPairTable* table, const cnProxyTable* proxies, cnFault* fault) {
    for (int index = 0; index < table->pairs.count; ++index) {
        const cnPair* pair = cnPairTable_Get(table, index);
        double apartUntil = table->heads.rows.data[index].apartUntil;
        CN_CHECK(fault, apartUntil == 0.0 || apartUntil == INFINITY, "pairs: row %d is apart until %g m",
                 index, apartUntil);
        if (!CheckOwners("pairs", index, cnPair_GetSides(pair), pair->geometry1, pair->geometry2, proxies,
                         fault) ||
            !CheckManifold(pair, index, fault) || !CheckFamily(table, pair, index, fault)) {
            return false;
        }
    }
    for (int row = 0; row < table->distant.count; ++row) {
        const cnDistantPair* pair = cnPairTable_GetDistant(table, row);
        if (!CheckOwners("distant pairs", row, cnDistantPair_GetSides(pair), pair->geometry1, pair->geometry2,
                         proxies, fault)) {
            return false;
        }
    }
    return CheckConcaves(table, fault);
}
