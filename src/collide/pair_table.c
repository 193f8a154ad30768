#include "collide/pair_table.h"

#include "base/hash.h"

#include <string.h>

// Turn of a body, rad, for which the vector part of its rotation is half that.
#define CN_KEEP_TURN 0.05
#define CN_MATCH_FRACTION 0.1

// ---- the map from proxies to pairs ----------------------------------------------------------------------------------

static uint64_t cnKeyOf(int proxy1, int proxy2) {
    return ((uint64_t)(uint32_t)proxy1 << 32 | (uint32_t)proxy2) + 1;
}

// Slot that holds the key, or the free slot where it would go.
static int cnFindSlot(const cnPairTable* table, uint64_t key) {
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
    cnArray_Free(&table->keys);
    cnArray_Free(&table->values);
    table->used = 0;
}

int cnPairTable_Find(const cnPairTable* table, int proxy1, int proxy2) {
    if (table->keys.count == 0) {
        return -1;
    }
    int slot = cnFindSlot(table, cnKeyOf(proxy1, proxy2));
    return table->keys.data[slot] != 0 ? table->values.data[slot] : -1;
}

int cnPairTable_Add(cnPairTable* table, int proxy1, int proxy2) {
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
    uint64_t key = cnKeyOf(proxy1, proxy2);
    pair->order = (uint32_t)(cnMix64(key) >> 32);
    int slot = cnFindSlot(table, key);
    table->keys.data[slot] = key;
    table->values.data[slot] = index;
    table->used += 1;
    return index;
}

void cnPairTable_Remove(cnPairTable* table, int index) {
    cnPair* pair = &table->pairs.data[index];
    cnRemoveSlot(table, cnFindSlot(table, cnKeyOf(pair->proxy1, pair->proxy2)));
    int last = --table->pairs.count;
    if (index != last) {
        *pair = table->pairs.data[last];
        table->values.data[cnFindSlot(table, cnKeyOf(pair->proxy1, pair->proxy2))] = index;
    }
}

// ---- manifolds ------------------------------------------------------------------------------------------------------

// How far a point fixed in a body has come since the manifold was made: (x − x_made) + (R − R_made) r.
typedef struct cnDisplacement {
    cnVec3 shift;
    cnVec3 axis; // vector part of the rotation since
    double w;
} cnDisplacement;

static cnDisplacement cnDisplacementOf(const cnMadePose* made, int body, cnBodyPoses bodies) {
    if (body < 0) {
        return (cnDisplacement){.w = 1.0};
    }
    cnQuat turn = cnMulQuat(bodies.rotation[body], cnConjugate(made->rotation));
    double sign = turn.w < 0.0 ? -1.0 : 1.0;
    return (cnDisplacement){
        .shift = cnSub(bodies.centreOfMass[body], made->centre),
        .axis = {sign * turn.x, sign * turn.y, sign * turn.z},
        .w = sign * turn.w,
    };
}

static cnVec3 cnMoveOfPoint(const cnDisplacement* displacement, cnVec3f arm) {
    cnVec3 r = cnToD(arm);
    cnVec3 t = cnScale(2.0, cnCross(displacement->axis, r));
    return cnAdd(displacement->shift, cnAdd(cnScale(displacement->w, t), cnCross(displacement->axis, t)));
}

// Renews the depths if the manifold may be kept.
static bool cnKeepManifold(cnPair* pair, cnBodyPoses bodies) {
    if ((pair->flags & (cn_pairHasManifold | cn_pairThinned)) != cn_pairHasManifold ||
        pair->manifold.pointCount == 0) {
        return false;
    }
    cnDisplacement d1 = cnDisplacementOf(&pair->made1, pair->body1, bodies);
    cnDisplacement d2 = cnDisplacementOf(&pair->made2, pair->body2, bodies);
    double turn = 0.5 * CN_KEEP_TURN;
    if (cnLengthSquared(d1.axis) > turn * turn || cnLengthSquared(d2.axis) > turn * turn) {
        return false;
    }
    cnVec3 normal = cnToD(pair->manifold.normal);
    float depths[CN_MANIFOLD_POINTS] = {0.0f};
    double limit = pair->keepDistance * pair->keepDistance;
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        cnVec3 move = cnSub(cnMoveOfPoint(&d1, pair->arm1[i]), cnMoveOfPoint(&d2, pair->arm2[i]));
        if (cnLengthSquared(move) > limit) {
            return false;
        }
        depths[i] = (float)(pair->madeDepth[i] - cnDot(normal, move));
    }
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        pair->manifold.points[i].depth = depths[i];
    }
    return true;
}

static cnMadePose cnMadePoseOf(int body, cnBodyPoses bodies) {
    if (body < 0) {
        return (cnMadePose){.rotation = cnQuat_identity};
    }
    return (cnMadePose){bodies.centreOfMass[body], bodies.rotation[body]};
}

static float cnDistanceSquaredF(cnVec3f a, cnVec3f b) {
    cnVec3f d = cnSubF(a, b);
    return cnDotF(d, d);
}

// Old multipliers for new points: each old one goes to the nearest new point, near meaning within a tenth of the smaller
// least half-extent in either body's axes.
static void cnCarryImpulses(cnPair* pair, const cnPair* old, cnBodyPoses bodies) {
    memset(pair->impulse, 0, sizeof pair->impulse);
    cnDisplacement d1 = cnDisplacementOf(&old->made1, old->body1, bodies);
    cnDisplacement d2 = cnDisplacementOf(&old->made2, old->body2, bodies);
    float reach = (float)(CN_MATCH_FRACTION * pair->leastHalfExtent);
    bool taken[CN_MANIFOLD_POINTS] = {false};
    for (int i = 0; i < old->manifold.pointCount; ++i) {
        // where the old point's arms point now
        cnVec3f arm1 = cnAddF(old->arm1[i], cnToF(cnSub(cnMoveOfPoint(&d1, old->arm1[i]), d1.shift)));
        cnVec3f arm2 = cnAddF(old->arm2[i], cnToF(cnSub(cnMoveOfPoint(&d2, old->arm2[i]), d2.shift)));
        int best = -1;
        float bestDistance = reach * reach;
        for (int k = 0; k < pair->manifold.pointCount; ++k) {
            float distance1 = cnDistanceSquaredF(arm1, pair->arm1[k]);
            float distance2 = cnDistanceSquaredF(arm2, pair->arm2[k]);
            float distance = distance1 < distance2 ? distance1 : distance2;
            if (!taken[k] && distance <= bestDistance) {
                best = k;
                bestDistance = distance;
            }
        }
        if (best >= 0) {
            taken[best] = true;
            pair->impulse[best] = old->impulse[i];
        }
    }
}

static void cnMakeManifold(cnPair* pair, const cnProxyTable* proxies, cnShape* const* shapes,
                           cnBodyPoses bodies) {
    cnPair old = *pair;
    int proxy1 = pair->proxy1, proxy2 = pair->proxy2;
    cnPose pose1 = {proxies->position[proxy1], proxies->rotation[proxy1]};
    cnPose pose2 = {proxies->position[proxy2], proxies->rotation[proxy2]};
    cnCollideShapes(shapes[proxies->shape[proxy1]], pose1, shapes[proxies->shape[proxy2]], pose2,
                    pair->margin, &pair->cache, &pair->manifold);
    pair->made1 = cnMadePoseOf(pair->body1, bodies);
    pair->made2 = cnMadePoseOf(pair->body2, bodies);
    cnVec3 toOrigin1 = cnSub(pair->manifold.origin, pair->made1.centre);
    cnVec3 toOrigin2 = cnSub(pair->manifold.origin, pair->made2.centre);
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        cnVec3 point = cnToD(pair->manifold.points[i].point);
        pair->arm1[i] = pair->body1 < 0 ? (cnVec3f){0} : cnToF(cnAdd(toOrigin1, point));
        pair->arm2[i] = pair->body2 < 0 ? (cnVec3f){0} : cnToF(cnAdd(toOrigin2, point));
        pair->madeDepth[i] = pair->manifold.points[i].depth;
    }
    if (old.manifold.pointCount > 0 && (old.flags & cn_pairHasManifold) != 0) {
        cnCarryImpulses(pair, &old, bodies);
    }
    if (pair->manifold.pointCount == 0) {
        memset(pair->impulse, 0, sizeof pair->impulse);
        pair->friction = (cnVec3f){0};
        pair->twist = 0.0f;
    }
}

static void cnUpdateManifold(cnPair* pair, const cnProxyTable* proxies, cnShape* const* shapes,
                             cnBodyPoses bodies) {
    uint32_t flags = pair->flags & (cn_pairHasManifold | cn_pairLimitedPush);
    if ((pair->flags & cn_pairTouching) != 0) {
        flags |= cn_pairWasTouching;
    }
    if (cnKeepManifold(pair, bodies)) {
        flags |= cn_pairKept;
    } else {
        cnMakeManifold(pair, proxies, shapes, bodies);
        flags |= cn_pairMade | cn_pairHasManifold;
    }
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        if (pair->manifold.points[i].depth >= 0.0f) {
            flags |= cn_pairTouching;
        }
    }
    pair->flags = flags;
}

void cnUpdateManifolds(cnPairTable* table, int begin, int end, const cnProxyTable* proxies,
                       cnShape* const* shapes, cnBodyPoses bodies) {
    for (int index = begin; index < end; ++index) {
        cnUpdateManifold(&table->pairs.data[index], proxies, shapes, bodies);
    }
}
