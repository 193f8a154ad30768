// Links: contacts and constraints that hold the parts of merged bodies of the engine's together, and to the
// ground.
#pragma once

#include "world/adaptive_merging.h"

typedef struct cnMergeLink {
    int body1, body2;     // rows of parts; body2 −1: what does not move
    int pair, constraint; // row, −1: it is none
    cnVec3 point;         // m, world, of its force
    cnVec3 normal;        // of a contact: unit, world, away from body 2
    cnVec3 force;         // N, on body 1, world, of the last step that solved for it
    cnVec3 torque;        // N m, on body 1 about the point
    double hold;          // N, by which the force may change before it slides or opens
    double friction;      // coefficient of a contact's
} cnMergeLink;

// A pair as it is now: what two parts move with may have turned since the manifold was made, and their
// contact has turned with it.
typedef struct cnTurnedPair {
    cnVec3 centre;       // m, world, that arms begin at
    cnQuat turn;         // since the manifold was made
    const cnVec3f* arms; // m, to its points, as made
} cnTurnedPair;

cnTurnedPair cnTurnPair(const cnWorld* world, const cnPair* pair);

static inline cnVec3 cnTurnedPair_GetPoint(const cnTurnedPair* turned, int point) {
    return cnAdd(turned->centre, cnRotate(turned->turn, cnToD(turned->arms[point])));
}

// Of all merged bodies of the engine's that have this flag (cn_mergedDisturbed, cn_mergedFresh), on the
// world's stack. Null when memory ran out.
cnMergeLink* cnListMergeLinks(cnWorld* world, uint32_t flag, int* count);
// Of a pair, or of a constraint: body 1 is a part of some merged body of the engine's, and so is body 2
// unless it is −1.
cnMergeLink cnLinkOfPair(const cnWorld* world, int pairIndex);
cnMergeLink cnLinkOfConstraint(const cnWorld* world, int constraintRow);

// What acts on a part from outside of its merged body: contacts that are awake, constraints, users.
typedef struct cnOutsideLoad {
    cnVec3 force, torque; // N, N m about the centre of mass, world
    bool isMeant;         // by a user, or by what goes past: it does not merely rattle
} cnOutsideLoad;

// By row of bodies, on the world's stack, of parts of merged bodies of the engine's. Null when memory ran
// out.
cnOutsideLoad* cnSumOutsideLoads(cnWorld* world);

static inline cnVec3 cnFromFloats(const float v[3]) {
    return cnVec(v[0], v[1], v[2]);
}

static inline void cnToFloats(cnVec3 v, float out[3]) {
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

// By which specific force a part may differ from the rest before anything else counts, m/s².
#define CN_LEAST_MARGIN 0.1
// Of what parts hold, that counts as a margin.
#define CN_MARGIN_SHARE 0.5

// Of merged bodies with cn_mergedFresh, whose parts are not joined yet: how much they may bear. False when
// memory ran out.
bool cnMeasureMargins(cnWorld* world);

// The merged body of the engine's that a body is part of, −1.
static inline int cnAdaptiveOf(const cnWorld* world, int body) {
    int merged = body >= 0 ? world->bodies.mergedBody[body] : -1;
    return merged >= 0 && (world->mergedBodies.flags[merged] & cn_mergedAdaptive) != 0 ? merged : -1;
}

static inline bool cnIsAdaptiveRow(const cnWorld* world, int merged) {
    uint32_t wanted = cn_mergedLive | cn_mergedAdaptive;
    return (world->mergedBodies.flags[merged] & wanted) == wanted;
}

// What carries the parts of a merged body that is joined, where these do not matter to it: the ground, or a
// kinematic body. −1 for others.
static inline int cnFirmCarrierOf(const cnWorld* world, int merged) {
    int carrier = merged >= 0 ? world->mergedBodies.carrier[merged] : -1;
    return carrier >= 0 && (world->bodies.flags[carrier] & cn_bodyDynamic) == 0 ? carrier : -1;
}

// a − g as it merged, world, joined or not.
static inline cnVec3 cnSpecificForceOf(const cnWorld* world, int merged) {
    int carrier = world->mergedBodies.carrier[merged];
    cnVec3 s = world->mergedBodies.specificForce[merged];
    return carrier >= 0 ? cnRotate(world->bodies.rotation[carrier], s) : s;
}

// Stands still until somebody moves it; also for −1.
bool cnIsGround(const cnWorld* world, int body);

// Of both geometries of a pair.
static inline uint32_t cnGeometryFlagsOf(const cnWorld* world, const cnPair* pair) {
    return world->geometries.flags[pair->geometry1] | world->geometries.flags[pair->geometry2];
}

// A pair that may hold two bodies together: solved for, and no conveyor.
bool cnMayPairHold(const cnWorld* world, const cnPair* pair);
// The same of a constraint: it acts, has two bodies or one and the world, does not break, is not coupled to
// others and drives nothing, or may not split what it drives.
bool cnMayConstraintHold(const cnWorld* world, int constraintRow);

// N, along the normal, of the last step.
double cnSumNormalForce(const cnPair* pair);
// The coefficient of a contact that does not slide; 0 where it does.
double cnFrictionOfPair(const cnWorld* world, const cnPair* pair);
