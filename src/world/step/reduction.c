// Contact reduction over the pairs of a world: of every pair of geometries that touches in more than 12
// points, with all its shapes and manifolds together.
#include "base/containers/sort.h"
#include "collide/pairs/contact_reduction.h"
#include "world/step/step.h"

#include <string.h>

// A pair of proxies by its pair of geometries.
typedef struct PairRef {
    uint64_t key; // of the geometries, the smaller row first
    int pair;
} PairRef;

static bool HasCompounds(const cnWorld* world) {
    for (int row = 0; row < world->geometries.ids.rowCount; ++row) {
        if ((world->geometries.flags[row] & cn_geometryLive) != 0 && world->geometries.shapeCount[row] > 1) {
            return true;
        }
    }
    return false;
}

// Geometries of one shape each touch in one manifold, but for concave ones.
static bool HasManyManifolds(const cnWorld* world, const cnPair* pair) {
    return pair->part > 0 || world->geometries.shapeCount[pair->geometry1] > 1 ||
           world->geometries.shapeCount[pair->geometry2] > 1;
}

static bool MayBeReduced(const cnWorld* world, const cnPair* pair) {
    if (pair->manifold.pointCount == 0 || cnPair_IsUnsolved(pair)) {
        return false;
    }
    cnPairProperties material = cnResolvePair(&world->materials, world->proxies.material[pair->proxy1],
                                              world->proxies.material[pair->proxy2]);
    return world->contactReduction == cn_reductionAll || material.contactReduction;
}

// Ascending by geometries, then by pair.
static void SortRefs(PairRef* refs, int count) {
    CN_SHELL_SORT(PairRef, refs, count, a, b, a.key < b.key || (a.key == b.key && a.pair < b.pair));
}

// Where a point is now, from the body that moves.
static cnVec3 PointOf(const cnWorld* world, const cnPair* pair, int k) {
    bool first = pair->body1 >= 0;
    return cnAdd(world->bodies.centreOfMass[first ? pair->body1 : pair->body2],
                 cnToD(first ? pair->arm1[k] : pair->arm2[k]));
}

// Closes up a manifold without the points that go.
static void DropPoints(cnPair* pair, const uint8_t* keep) {
    int kept = 0;
    for (int k = 0; k < pair->manifold.pointCount; ++k) {
        if (keep[k] != 0) {
            pair->manifold.points[kept] = pair->manifold.points[k];
            pair->manifold.depths[kept] = pair->manifold.depths[k];
            pair->manifold.features[kept] = pair->manifold.features[k];
            pair->arm1[kept] = pair->arm1[k];
            pair->arm2[kept] = pair->arm2[k];
            pair->builtDepth[kept] = pair->builtDepth[k];
            pair->impulse[kept] = pair->impulse[k];
            pair->correction[kept] = pair->correction[k];
            kept += 1;
        }
    }
    pair->manifold.pointCount = kept;
    uint32_t touches = pair->flags & cn_pairTouching; // whether or not those that stay do
    cnPair_MarkTouching(pair);
    pair->flags |= touches;
}

// One pair of geometries, its pairs begin … end−1.
static bool ReducePairs(cnWorld* world, const PairRef* refs, int begin, int end, bool* reduced) {
    // Points that do not touch yet don't count: of facets that meet in a valley each would stand for the
    // other, and a capsule would sink into the one that is gone before it holds, and roll on indefinitely on
    // what pushing it out gives.
    int count = 0, touching = 0;
    for (int i = begin; i < end; ++i) {
        const cnManifold* manifold = &cnPairTable_Get(&world->pairs, refs[i].pair)->manifold;
        count += manifold->pointCount;
        for (int k = 0; k < manifold->pointCount; ++k) {
            touching += manifold->depths[k] >= 0.0f ? 1 : 0;
        }
    }
    if (touching <= CN_REDUCTION_MIN) {
        return true;
    }
    cnReductionPoint* points = CN_PUSH(&world->stack, cnReductionPoint, count, "points to reduce");
    uint64_t* keys = CN_PUSH(&world->stack, uint64_t, count, "bins of points");
    uint8_t* keep = CN_PUSH(&world->stack, uint8_t, count, "points to keep");
    bool ok = points != NULL && keys != NULL && keep != NULL;
    if (ok) {
        int filled = 0;
        for (int i = begin; i < end; ++i) {
            const cnPair* pair = cnPairTable_Get(&world->pairs, refs[i].pair);
            double sign = pair->geometry1 < pair->geometry2 ? 1.0 : -1.0;
            for (int k = 0; k < pair->manifold.pointCount; ++k) {
                points[filled++] =
                    (cnReductionPoint){PointOf(world, pair, k), cnScale(sign, cnToD(pair->manifold.normal)),
                                       pair->manifold.depths[k]};
            }
        }
        world->pairs.nearIsOld = true;
        *reduced |= cnReduceContactPoints(points, count, world->reductionResolution, keys, keep) < count;
        filled = 0;
        for (int i = begin; i < end; ++i) {
            cnPair* pair = cnPairTable_Get(&world->pairs, refs[i].pair);
            int pointCount = pair->manifold.pointCount;
            DropPoints(pair, keep + filled);
            filled += pointCount;
        }
    }
    void* const pushed[] = {keep, keys, points};
    for (int i = 0; i < 3; ++i) {
        if (pushed[i] != NULL) {
            cnStack_Pop(&world->stack, pushed[i]);
        }
    }
    return ok;
}

static bool ReduceGroups(cnWorld* world, PairRef* refs, int count, bool* reduced) {
    SortRefs(refs, count);
    bool ok = true;
    for (int begin = 0; begin < count && ok;) {
        int end = begin + 1;
        while (end < count && refs[end].key == refs[begin].key) {
            end += 1;
        }
        ok = ReducePairs(world, refs, begin, end, reduced);
        begin = end;
    }
    return ok;
}

// Where all geometries have one shape, those that touch in many places are concave ones.
static bool ReduceConcaves(cnWorld* world, bool* reduced) {
    const cnPairTable* pairs = &world->pairs;
    bool ok = true;
    for (int row = 0; row < pairs->concaves.count && ok; ++row) {
        const cnConcave* concave = &pairs->concaves.data[row];
        if (concave->proxy1 < 0 || concave->manifoldCount * CN_MANIFOLD_POINTS <= CN_REDUCTION_MIN) {
            continue;
        }
        PairRef refs[CN_PAIR_MANIFOLDS];
        int count = 0;
        for (int i = 0; i < concave->manifoldCount; ++i) {
            int child = cnPairTable_Find(pairs, concave->proxy1, concave->proxy2, concave->partOf[i]);
            if (!cnPairTable_IsAsleep(pairs, child) && MayBeReduced(world, cnPairTable_Get(pairs, child))) {
                refs[count++] = (PairRef){0, child};
            }
        }
        ok = ReduceGroups(world, refs, count, reduced);
    }
    return ok;
}

bool cnReduceContacts(cnWorld* world, bool* reduced) {
    *reduced = false;
    cnPairTable_ListNear(&world->pairs, world->threads);
    if (world->contactReduction == cn_reductionNone || world->pairs.near.count == 0) {
        return true;
    }
    if (!HasCompounds(world)) {
        return ReduceConcaves(world, reduced);
    }
    const cnNearPair* near = world->pairs.near.data;
    int nearCount = world->pairs.near.count, count = 0;
    for (int i = 0; i < nearCount; ++i) {
        count += HasManyManifolds(world, cnPairTable_Get(&world->pairs, near[i].pair));
    }
    if (count * CN_MANIFOLD_POINTS <= CN_REDUCTION_MIN) {
        return true;
    }
    PairRef* refs = CN_PUSH(&world->stack, PairRef, count, "pairs by geometries");
    if (refs == NULL) {
        return false;
    }
    count = 0;
    for (int i = 0; i < nearCount; ++i) {
        const cnPair* pair = cnPairTable_Get(&world->pairs, near[i].pair);
        if (HasManyManifolds(world, pair) && MayBeReduced(world, pair)) {
            bool ordered = pair->geometry1 < pair->geometry2;
            uint64_t low = (uint64_t)(uint32_t)(ordered ? pair->geometry1 : pair->geometry2);
            uint64_t high = (uint64_t)(uint32_t)(ordered ? pair->geometry2 : pair->geometry1);
            refs[count++] = (PairRef){low << 32 | high, near[i].pair};
        }
    }
    bool ok = ReduceGroups(world, refs, count, reduced);
    cnStack_Pop(&world->stack, refs);
    return ok;
}
