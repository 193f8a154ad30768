#include "collide/pairs/pair_table.h"

#include "base/hash.h"
#include "collide/pairs/look_ahead.h"

#include <string.h>

// Turn of a body, rad, for which the vector part of its rotation is half that.
#define CN_KEEP_TURN 0.05
#define CN_MATCH_FRACTION 0.1

// ---- the map from proxies to pairs ----------------------------------------------------------------------------------

// Proxies are far fewer than 2^26.
static uint64_t cnKeyOf(int proxy1, int proxy2, int part) {
    return ((uint64_t)(uint32_t)part << 58 | (uint64_t)(uint32_t)proxy1 << 32 | (uint32_t)proxy2) + 1;
}

uint64_t cnPair_GetKey(const cnPair* pair) {
    return cnKeyOf(pair->proxy1, pair->proxy2, pair->part);
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

// Whether the turn of a body since has moved the end of an arm by more than a tenth of the smaller least half-extent: arms stay
// in world axes, and a long one would lead what rides on a turntable outwards.
static bool cnHasSwung(const cnPair* pair, const cnDisplacement* displacement, cnVec3f arm) {
    double most = 2.0 * CN_KEEP_TURN * pair->leastHalfExtent;
    return 4.0 * cnLengthSquared(displacement->axis) * cnLengthSquared(cnToD(arm)) > most * most;
}

// Whether neither body has turned so far that the world axes of the manifold are wrong.
static bool cnHasHardlyTurned(const cnDisplacement* d1, const cnDisplacement* d2) {
    double turn = 0.5 * CN_KEEP_TURN;
    return cnLengthSquared(d1->axis) <= turn * turn && cnLengthSquared(d2->axis) <= turn * turn;
}

bool cnMayKeep(const cnPair* pair, cnVec3 centre, double reach, cnBodyPoses bodies) {
    cnDisplacement d1 = cnDisplacementOf(&pair->made1, pair->body1, bodies);
    cnDisplacement d2 = cnDisplacementOf(&pair->made2, pair->body2, bodies);
    cnVec3f arm1 = cnToF(cnSub(centre, pair->made1.centre));
    cnVec3f arm2 = cnToF(cnSub(centre, pair->made2.centre));
    double shift = cnLength(cnSub(cnMoveOfPoint(&d1, arm1), cnMoveOfPoint(&d2, arm2)));

    // |(R1 − R2) r| is at most the angle between the two turns times |r|; a vector part is half an angle
    double turn = 2.1 * cnLength(cnSub(d1.axis, d2.axis));
    bool swung = cnHasSwung(pair, &d1, arm1) || cnHasSwung(pair, &d2, arm2);
    return cnHasHardlyTurned(&d1, &d2) && !swung && shift + turn * reach <= pair->keepDistance;
}

bool cnRenewDepths(cnPair* pair, double limit, cnBodyPoses bodies) {
    cnDisplacement d1 = cnDisplacementOf(&pair->made1, pair->body1, bodies);
    cnDisplacement d2 = cnDisplacementOf(&pair->made2, pair->body2, bodies);
    if (!cnHasHardlyTurned(&d1, &d2)) {
        return false;
    }
    cnVec3 normal = cnToD(pair->manifold.normal);
    float depths[CN_MANIFOLD_POINTS] = {0.0f};
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        cnVec3 move = cnSub(cnMoveOfPoint(&d1, pair->arm1[i]), cnMoveOfPoint(&d2, pair->arm2[i]));
        if (cnLengthSquared(move) > limit * limit) {
            return false;
        }
        depths[i] = (float)(pair->madeDepth[i] - cnDot(normal, move));
    }
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        pair->manifold.points[i].depth = depths[i];
    }
    pair->bulge = 0.0;
    return true;
}

// What lies on one or two points and is round rolls where the normal leans by a thousandth: it must not be an old one.
static double cnKeepDistanceOf(const cnPair* pair) {
    return pair->roundCount > 0 && pair->manifold.pointCount < 3 ? 0.1 * pair->keepDistance
                                                                 : pair->keepDistance;
}

static bool cnKeepManifold(cnPair* pair, cnBodyPoses bodies) {
    cnDisplacement d1 = cnDisplacementOf(&pair->made1, pair->body1, bodies);
    cnDisplacement d2 = cnDisplacementOf(&pair->made2, pair->body2, bodies);
    if (cnHasSwung(pair, &d1, pair->arm1[0]) || cnHasSwung(pair, &d2, pair->arm2[0])) {
        return false;
    }
    return (pair->flags & (cn_pairHasManifold | cn_pairThinned)) == cn_pairHasManifold &&
           pair->manifold.pointCount > 0 && cnRenewDepths(pair, cnKeepDistanceOf(pair), bodies);
}

cnMadePose cnMadePoseOf(int body, cnBodyPoses bodies) {
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

void cnInstallManifold(cnPair* pair, const cnManifold* manifold, cnBodyPoses bodies) {
    cnPair old = *pair;
    pair->manifold = *manifold;
    pair->bulge = 0.0;
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

void cnPair_Forget(cnPair* pair) {
    memset(pair->impulse, 0, sizeof pair->impulse);
    pair->friction = (cnVec3f){0};
    pair->twist = pair->slowImpulse = 0.0f;
    pair->hardSteps = 0;
    pair->flags |= cn_pairLimitedPush;
    pair->pushLimit = CN_LEAST_PUSH;
}

void cnPair_SetSensor(cnPair* pair, uint32_t sensor) {
    uint32_t kinds = cn_pairSensor | cn_pairOverlapOnly;
    if ((pair->flags & kinds) == sensor) {
        return;
    }
    pair->flags = (pair->flags & (cn_pairTouching | cn_pairWasTouching)) | sensor;
    pair->manifold.pointCount = 0;
    cnPair_Forget(pair);
}

static void cnMakeManifold(cnPair* pair, const cnProxyTable* proxies, cnShape* const* shapes,
                           cnBodyPoses bodies) {
    int proxy1 = pair->proxy1, proxy2 = pair->proxy2;
    cnPose pose1 = {proxies->position[proxy1], proxies->rotation[proxy1]};
    cnPose pose2 = {proxies->position[proxy2], proxies->rotation[proxy2]};
    cnManifold manifold = pair->manifold;
    cnCollideShapes(shapes[proxies->shape[proxy1]], pose1, shapes[proxies->shape[proxy2]], pose2,
                    pair->margin, &pair->cache, &manifold);
    cnInstallManifold(pair, &manifold, bodies);
    cnAheadPoses poses;
    cnAhead ahead;
    if (cnFindPosesAhead(pair, &manifold, pose1, pose2, bodies, &poses)) {
        cnCollideCache cache = pair->cache;
        cnManifold later = manifold;
        cnCollideShapes(shapes[proxies->shape[proxy1]], poses.pose1, shapes[proxies->shape[proxy2]],
                        poses.pose2, pair->margin, &cache, &later);
        if (cnSeeAhead(&manifold, &later, &poses, pair, bodies, &ahead)) {
            cnTurnAhead(pair, &ahead);
        }
    }
}

void cnSetPairFlags(cnPair* pair, uint32_t kept) {
    uint32_t lasting = cn_pairLimitedPush | cn_pairSoft | cn_pairSensor | cn_pairOverlapOnly;
    uint32_t flags = (pair->flags & lasting) | cn_pairHasManifold | kept;
    if ((pair->flags & cn_pairTouching) != 0) {
        flags |= cn_pairWasTouching;
    }
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        if (pair->manifold.points[i].depth >= 0.0f) {
            flags |= cn_pairTouching;
        }
    }
    pair->flags = flags;
}

static void cnTestOverlap(cnPair* pair, const cnProxyTable* proxies, cnShape* const* shapes) {
    int proxy1 = pair->proxy1, proxy2 = pair->proxy2;
    cnPose pose1 = {proxies->position[proxy1], proxies->rotation[proxy1]};
    cnPose pose2 = {proxies->position[proxy2], proxies->rotation[proxy2]};
    int overlap = cnDoShapesOverlap(shapes[proxies->shape[proxy1]], pose1, shapes[proxies->shape[proxy2]],
                                    pose2, &pair->cache, NULL);
    cnSetPairFlags(pair, cn_pairMade);
    pair->flags |= overlap > 0 ? cn_pairTouching : 0u;
}

void cnUpdateManifolds(cnPairTable* table, int begin, int end, const cnProxyTable* proxies,
                       cnShape* const* shapes, cnBodyPoses bodies) {
    for (int index = begin; index < end; ++index) {
        cnPair* pair = &table->pairs.data[index];
        if (pair->part != 0 || pair->concave >= 0) {
            continue;
        }
        if ((pair->flags & cn_pairOverlapOnly) != 0) {
            cnTestOverlap(pair, proxies, shapes);
            continue;
        }
        bool keeps = cnKeepManifold(pair, bodies);
        if (!keeps) {
            cnMakeManifold(pair, proxies, shapes, bodies);
        }
        cnSetPairFlags(pair, keeps ? cn_pairKept : cn_pairMade);
    }
}
