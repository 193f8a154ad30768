#include "collide/pairs/narrow_phase.h"

#include "base/containers/chunks.h"
#include "base/prefetch.h"
#include "base/report/assert.h"
#include "collide/pairs/ball_pairs.h"
#include "collide/pairs/internal_contacts.h"
#include "collide/pairs/meetings.h"
#include "collide/pairs/midpoint_normal.h"
#include "collide/pairs/rolling_points.h"
#include "math/vec4_lanes.h"

#include <string.h>

#define CN_PAIR_CHUNK 16
#define CN_DISTANT_CHUNK 64
// Pairs that a thread keeps, once collided, until they have rows.
#define CN_KEPT_PAIRS 256
// Angle by which a body may rotate, rad; the vector part of the rotation is half of it.
#define CN_RECYCLE_ROTATION 0.05
#define CN_RECYCLE_SWING 0.1
#define CN_RECYCLE_LONG_SWING 0.01
#define CN_LONG_ARM 4.0
// Angle by which the normal of two bodies that tilt together may be old, rad.
#define CN_RECYCLE_TILT 0.004
// Of the tolerance: of what is round and lies on one point, on two.
#define CN_RECYCLE_ROLLING 3e-3
// Angle by which two bodies may roll on one another where the point goes on in one of them, rad.
#define CN_RECYCLE_ROLL 1e-4
#define CN_RECYCLE_ROUND 0.1
// Width over inradius that hardly a shape exceeds: where it would not matter, shapes need not be asked.
#define CN_LARGEST_SLENDERNESS 1000.0
#define CN_MATCH_FRACTION 0.1

// ---- recycled manifolds -----------------------------------------------------------------------------------

// How far a point fixed in a body has come since the manifold was made: (x − x_made) + (R − R_made) r.
typedef struct Displacement {
    cnVec3 shift;
    cnVec3 axis; // vector part of the rotation since
    double w;
} Displacement;

static Displacement DisplacementOf(const cnBuiltPose* made, int body, const cnNarrowPhase* phase) {
    if (body < 0) {
        return (Displacement){.w = 1.0};
    }
    cnQuat rotation = cnMulQuat(phase->bodies->rotation[body], cnConjugate(made->rotation));
    double sign = rotation.w < 0.0 ? -1.0 : 1.0;
    return (Displacement){
        .shift = cnSub(phase->bodies->centreOfMass[body], made->centre),
        .axis = {sign * rotation.x, sign * rotation.y, sign * rotation.z},
        .w = sign * rotation.w,
    };
}

static cnVec3 MoveOfPoint(const Displacement* displacement, cnVec3f arm) {
    cnVec3 r = cnToD(arm);
    cnVec3 t = cnScale(2.0, cnCross(displacement->axis, r));
    return cnAdd(displacement->shift, cnAdd(cnScale(displacement->w, t), cnCross(displacement->axis, t)));
}

// Whether the rotation of a body since has moved the end of an arm by more than a tenth of the smaller
// inradius, or a hundredth where the arm is long: arms stay in world axes, and what rides on a turntable
// would be led outwards.
static bool HasSwung(const cnPair* pair, const Displacement* displacement, cnVec3f arm) {
    double square = cnLengthSquared(cnToD(arm)), reach = CN_LONG_ARM * pair->inradius;
    double max = (square > reach * reach ? CN_RECYCLE_LONG_SWING : CN_RECYCLE_SWING) * pair->inradius;
    return 4.0 * cnLengthSquared(displacement->axis) * square > max * max;
}

// Whether neither body has rotated so far that the world axes of the manifold are wrong.
static bool HasHardlyRotated(const Displacement* d1, const Displacement* d2) {
    double max = 0.5 * CN_RECYCLE_ROTATION;
    return cnLengthSquared(d1->axis) <= max * max && cnLengthSquared(d2->axis) <= max * max;
}

// Whether both bodies have tilted, and the normal with them: a block on a plate that tilts would feel the
// plate as it was.
static bool HasTilted(const Displacement* d1, const Displacement* d2, cnVec3 normal) {
    double max = 0.5 * CN_RECYCLE_TILT;
    return cnMin(cnLengthSquared(cnCross(d1->axis, normal)), cnLengthSquared(cnCross(d2->axis, normal))) >
           max * max;
}

// Whether the point on which it rolls may have gone on (rolling_points.h): they have rotated against one
// another, other than about an axis.
static bool HasRolled(const cnPair* pair, const Displacement* d1, const Displacement* d2, cnVec3 axis,
                      const cnNarrowPhase* phase) {
    double max = 0.5 * CN_RECYCLE_ROLL;
    cnVec3 turn = cnSub(d1->axis, d2->axis), roll = cnMulAdd(turn, -cnDot(turn, axis), axis);
    return pair->roundCount == 1 && cnLengthSquared(roll) > max * max && cnPair_PointGoesOn(pair, phase);
}

bool cnMayRecycle(const cnPair* pair, cnVec3 centre, double reach, const cnNarrowPhase* phase) {
    CN_ASSERT(reach >= 0.0 && cnPair_GetRecycleTolerance(pair) >= 0.0);
    Displacement d1 = DisplacementOf(&pair->built1, pair->body1, phase);
    Displacement d2 = DisplacementOf(&pair->built2, pair->body2, phase);
    cnVec3f arm1 = cnToF(cnSub(centre, pair->built1.centre));
    cnVec3f arm2 = cnToF(cnSub(centre, pair->built2.centre));
    double shift = cnLength(cnSub(MoveOfPoint(&d1, arm1), MoveOfPoint(&d2, arm2)));

    // |(R1 − R2) r| is at most the angle between the two rotations times |r|; a vector part is half an angle
    double rotation = 2.1 * cnLength(cnSub(d1.axis, d2.axis));
    bool swung = HasSwung(pair, &d1, arm1) || HasSwung(pair, &d2, arm2);
    return HasHardlyRotated(&d1, &d2) && !swung &&
           shift + rotation * reach <= cnPair_GetRecycleTolerance(pair) &&
           !HasRolled(pair, &d1, &d2, cnVec3_zero, phase);
}

static bool RenewDepth(cnPair* pair, double limit, const Displacement* d1, const Displacement* d2) {
    cnVec3 move = cnSub(MoveOfPoint(d1, pair->arm1[0]), MoveOfPoint(d2, pair->arm2[0]));
    if (cnLengthSquared(move) > limit * limit) {
        return false;
    }
    pair->manifold.depths[0] = (float)(pair->builtDepth[0] - cnDot(cnToD(pair->manifold.normal), move));
    return true;
}

// What a rotation alone moves points by, four at a time: these are parts of an inradius (HasSwung).
static inline cnVecF4 MoveByRotation(const Displacement* displacement, cnVecF4 arm) {
    cnVecF4 axis = cnSplatVecF4(cnToF(displacement->axis));
    cnVecF4 t = cnScaleVecF4(cnSplat4(2.0f), cnCrossF4(axis, arm));
    return cnMulAddVecF4(cnCrossF4(axis, t), cnSplat4((float)displacement->w), t);
}

// The same of several points, in lanes. Shifts are differences of large numbers, and taken in f64.
static bool RenewAllDepths(cnPair* pair, double limit, const Displacement* d1, const Displacement* d2) {
    cnVecF4 move = cnSplatVecF4(cnToF(cnSub(d1->shift, d2->shift)));
    move = cnAddVecF4(move, MoveByRotation(d1, cnLoadFourF4(pair->arm1)));
    move = cnSubVecF4(move, MoveByRotation(d2, cnLoadFourF4(pair->arm2)));
    cnF4 isFar = cnGreater4(cnDotF4(move, move), cnSplat4((float)(limit * limit)));
    int points = (1 << pair->manifold.pointCount) - 1;
    if ((cnMoveMask4(isFar) & points) != 0) {
        return false;
    }
    cnF4 normal = cnDotF4(cnSplatVecF4(pair->manifold.normal), move);
    float depths[CN_MANIFOLD_POINTS];
    cnStore4(depths, cnSub4(cnLoad4(pair->builtDepth), normal));
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        pair->manifold.depths[i] = depths[i];
    }
    return true;
}

static bool RenewDepths(cnPair* pair, double limit, const Displacement* d1, const Displacement* d2) {
    if (!HasHardlyRotated(d1, d2) ||
        !(pair->manifold.pointCount == 1 ? RenewDepth : RenewAllDepths)(pair, limit, d1, d2)) {
        return false;
    }
    pair->curvature = 0.0;
    return true;
}

bool cnRenewDepths(cnPair* pair, double limit, const cnNarrowPhase* phase) {
    CN_ASSERT(limit >= 0.0);
    CN_ASSERT(pair->manifold.pointCount >= 0 && pair->manifold.pointCount <= CN_MANIFOLD_POINTS);
    Displacement d1 = DisplacementOf(&pair->built1, pair->body1, phase);
    Displacement d2 = DisplacementOf(&pair->built2, pair->body2, phase);
    return RenewDepths(pair, limit, &d1, &d2);
}

// What lies on one or two points and is round rolls where the normal leans by a thousandth: it must not be an
// old one. And the point of a ball that touched rises by r θ²/2 as it rolls on: half a millimetre is a bump
// of 0.02 m/s.
static double RecycleToleranceOf(const cnPair* pair) {
    bool isRound = pair->roundCount > 0 && pair->manifold.pointCount < 3;
    double part = pair->manifold.pointCount == 1 ? CN_RECYCLE_ROLLING : CN_RECYCLE_ROUND;
    return isRound ? part * cnPair_GetRecycleTolerance(pair) : cnPair_GetRecycleTolerance(pair);
}

// Whether what has no point yet may have come as near as what has: features beyond the margin, of a box that
// tips about an edge the opposite one, of a coin the rest of its rim. They are no farther from the points
// than the smaller shape is wide, and two tolerances are the margin, so that what comes near has a point
// before it touches. A ball has no other features.
static bool HasTipped(const cnPair* pair, const Displacement* d1, const Displacement* d2,
                      const cnNarrowPhase* phase) {
    double rotation = 2.1 * cnLength(cnSub(d1->axis, d2->axis)); // a vector part is half an angle
    double tolerance = cnPair_GetRecycleTolerance(pair);
    if (pair->ballCount > 0 || rotation * CN_LARGEST_SLENDERNESS * pair->inradius <= tolerance) {
        return false;
    }
    const cnShape* shape1 = phase->shapes[phase->proxies->shape[pair->proxy1]];
    const cnShape* shape2 = phase->shapes[phase->proxies->shape[pair->proxy2]];
    double width = 2.0 * cnMin(shape1->boundingRadius, shape2->boundingRadius);
    return rotation * width > tolerance;
}

static bool RecycleManifold(cnPair* pair, const cnNarrowPhase* phase) {
    if ((pair->flags & (cn_pairHasManifold | cn_pairThinned)) != cn_pairHasManifold ||
        pair->manifold.pointCount == 0 || cnPair_IsMeeting(pair)) {
        return false;
    }
    Displacement d1 = DisplacementOf(&pair->built1, pair->body1, phase);
    Displacement d2 = DisplacementOf(&pair->built2, pair->body2, phase);
    if (HasSwung(pair, &d1, pair->arm1[0]) || HasSwung(pair, &d2, pair->arm2[0]) ||
        HasTilted(&d1, &d2, cnToD(pair->manifold.normal)) || HasTipped(pair, &d1, &d2, phase) ||
        (pair->manifold.pointCount < 3 && HasRolled(pair, &d1, &d2, cnToD(pair->manifold.normal), phase))) {
        return false;
    }
    return RenewDepths(pair, RecycleToleranceOf(pair), &d1, &d2);
}

cnBuiltPose cnBuiltPoseOf(int body, const cnNarrowPhase* phase) {
    if (body < 0) {
        return (cnBuiltPose){.rotation = cnQuat_identity};
    }
    return (cnBuiltPose){phase->bodies->centreOfMass[body], phase->bodies->rotation[body]};
}

static float DistanceSquaredF(cnVec3f a, cnVec3f b) {
    cnVec3f d = cnSubF(a, b);
    return cnDotF(d, d);
}

// The points of a manifold with their multipliers.
typedef struct OldPoints {
    int count;
    cnBuiltPose built1, built2;
    cnVec3f arm1[CN_MANIFOLD_POINTS], arm2[CN_MANIFOLD_POINTS];
    float impulse[CN_MANIFOLD_POINTS], correction[CN_MANIFOLD_POINTS];
    float depth[CN_MANIFOLD_POINTS]; // as made
    uint32_t feature[CN_MANIFOLD_POINTS];
    bool isReplaced[CN_MANIFOLD_POINTS]; // a new point is near
    cnVec3 normal;
} OldPoints;

static void KeepPoints(const cnPair* pair, OldPoints* old) {
    bool has = (pair->flags & cn_pairHasManifold) != 0;
    old->count = has ? pair->manifold.pointCount : 0;
    if (old->count > 0) {
        old->built1 = pair->built1;
        old->built2 = pair->built2;
        memcpy(old->arm1, pair->arm1, sizeof old->arm1);
        memcpy(old->arm2, pair->arm2, sizeof old->arm2);
        memcpy(old->impulse, pair->impulse, sizeof old->impulse);
        memcpy(old->correction, pair->correction, sizeof old->correction);
        memcpy(old->depth, pair->builtDepth, sizeof old->depth);
        memcpy(old->feature, pair->manifold.features, sizeof old->feature);
        memset(old->isReplaced, 0, sizeof old->isReplaced);
        old->normal = cnToD(pair->manifold.normal);
    }
}

// Old multipliers for new points: each old one goes to the nearest new point, near meaning within a tenth of
// the smaller inradius in either body's axes.
static void CarryImpulses(cnPair* pair, OldPoints* old, const cnNarrowPhase* phase) {
    memset(pair->impulse, 0, sizeof pair->impulse);
    memset(pair->correction, 0, sizeof pair->correction);
    Displacement d1 = DisplacementOf(&old->built1, pair->body1, phase);
    Displacement d2 = DisplacementOf(&old->built2, pair->body2, phase);
    float reach = (float)(CN_MATCH_FRACTION * pair->inradius);
    bool taken[CN_MANIFOLD_POINTS] = {false};
    for (int i = 0; i < old->count; ++i) {
        // where the old point's arms point now
        cnVec3f arm1 = cnAddF(old->arm1[i], cnToF(cnSub(MoveOfPoint(&d1, old->arm1[i]), d1.shift)));
        cnVec3f arm2 = cnAddF(old->arm2[i], cnToF(cnSub(MoveOfPoint(&d2, old->arm2[i]), d2.shift)));
        int best = -1;
        float bestDistance = reach * reach;
        for (int k = 0; k < pair->manifold.pointCount; ++k) {
            float distance1 = DistanceSquaredF(arm1, pair->arm1[k]);
            float distance2 = DistanceSquaredF(arm2, pair->arm2[k]);
            float distance = distance1 < distance2 ? distance1 : distance2;
            if (!taken[k] && distance <= bestDistance) {
                best = k;
                bestDistance = distance;
            }
        }
        if (best >= 0) {
            taken[best] = old->isReplaced[i] = true;
            pair->impulse[best] = old->impulse[i];
            pair->correction[best] = old->correction[i];
        }
    }
}

// Cosine of the angle that the normal may have turned by since a point was made that is kept.
#define CN_KEPT_POINT_COSINE 0.9

// A point of the manifold before beside a single one. Where a long body has sunk in deep, the deepest point
// is now at one of its ends, now at the other, and whatever pushes it out at one presses it in at the other:
// it rocks and stays. So a point that no new one has replaced is kept while what it is on overlaps.
static void KeepOldPoint(cnPair* pair, const OldPoints* old, const cnNarrowPhase* phase) {
    bool isAlone = pair->manifold.pointCount == 1 && (pair->flags & cn_pairDeep) != 0;
    bool canRock = pair->body1 >= 0 && pair->body2 >= 0 && pair->ballCount == 0;
    if (!isAlone || !canRock) {
        return;
    }
    cnVec3 normal = cnToD(pair->manifold.normal);
    double cosine = cnDot(normal, old->normal);
    if (cosine < CN_KEPT_POINT_COSINE) {
        return;
    }
    Displacement d1 = DisplacementOf(&old->built1, pair->body1, phase);
    Displacement d2 = DisplacementOf(&old->built2, pair->body2, phase);
    double reach = CN_MATCH_FRACTION * pair->inradius;
    for (int i = 0; i < old->count; ++i) {
        cnVec3 move1 = MoveOfPoint(&d1, old->arm1[i]), move2 = MoveOfPoint(&d2, old->arm2[i]);
        cnVec3 arm1 = cnAdd(cnToD(old->arm1[i]), cnSub(move1, d1.shift));
        cnVec3 arm2 = cnAdd(cnToD(old->arm2[i]), cnSub(move2, d2.shift));
        cnVec3 point1 = cnAdd(pair->built1.centre, arm1), point2 = cnAdd(pair->built2.centre, arm2);
        cnVec3 apart = cnSub(point1, point2), aside = cnMulAdd(apart, -cnDot(apart, normal), normal);
        double depth = cosine * old->depth[i] - cnDot(normal, cnSub(move1, move2));
        if (old->isReplaced[i] || depth <= 0.0 || cnLengthSquared(aside) > reach * reach) {
            continue;
        }
        depth = cnMin(depth, pair->manifold.depths[0]); // which is the deepest there is
        pair->manifold.points[1] = cnToF(cnSub(point1, pair->manifold.origin));
        pair->manifold.depths[1] = (float)depth;
        pair->manifold.features[1] = old->feature[i];
        pair->manifold.pointCount = 2;
        pair->arm1[1] = cnToF(arm1);
        pair->arm2[1] = cnToF(arm2);
        pair->builtDepth[1] = (float)depth;
        pair->impulse[1] = old->impulse[i];
        pair->correction[1] = old->correction[i];
        return;
    }
}

void cnInstallManifold(cnPair* pair, const cnManifold* manifold, const cnNarrowPhase* phase) {
    CN_ASSERT(manifold->pointCount >= 0 && manifold->pointCount <= CN_MANIFOLD_POINTS);
    CN_ASSERT(pair->concave < 0);
    OldPoints old;
    if (cnPair_IsMeeting(pair)) {
        cnPair_Forget(pair);
    }
    KeepPoints(pair, &old);
    pair->manifold = *manifold;
    pair->curvature = 0.0;
    pair->built1 = cnBuiltPoseOf(pair->body1, phase);
    pair->built2 = cnBuiltPoseOf(pair->body2, phase);
    cnVec3 toOrigin1 = cnSub(pair->manifold.origin, pair->built1.centre);
    cnVec3 toOrigin2 = cnSub(pair->manifold.origin, pair->built2.centre);
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        cnVec3 point = cnToD(pair->manifold.points[i]);
        pair->arm1[i] = pair->body1 < 0 ? (cnVec3f){0} : cnToF(cnAdd(toOrigin1, point));
        pair->arm2[i] = pair->body2 < 0 ? (cnVec3f){0} : cnToF(cnAdd(toOrigin2, point));
        pair->builtDepth[i] = pair->manifold.depths[i];
    }
    for (int i = pair->manifold.pointCount; i < CN_MANIFOLD_POINTS;
         ++i) { // what is not in use is equal everywhere
        pair->manifold.points[i] = (cnVec3f){0};
        pair->manifold.depths[i] = 0.0f;
        pair->manifold.features[i] = 0;
        pair->arm1[i] = pair->arm2[i] = (cnVec3f){0};
        pair->builtDepth[i] = pair->impulse[i] = pair->correction[i] = 0.0f;
    }
    if (old.count > 0) {
        CarryImpulses(pair, &old, phase);
        KeepOldPoint(pair, &old, phase);
    }
    if (pair->manifold.pointCount == 0) {
        memset(pair->impulse, 0, sizeof pair->impulse);
        memset(pair->correction, 0, sizeof pair->correction);
        pair->friction = (cnVec3f){0};
        pair->torsionalFriction = 0.0f;
        pair->rollingFriction = (cnVec3f){0.0f, 0.0f, 0.0f};
    }
}

// Of a pair that has been looked at and has no point: a contact where its surfaces meet within the step.
static void BuildMeeting(cnPair* pair, const cnNarrowPhase* phase) {
    if (pair->manifold.pointCount > 0) {
        return;
    }
    double approach = cnGetApproach(cnPair_GetSides(pair), &pair->cache, phase);
    if ((double)pair->cache.gap >= approach || !cnMayMeet(pair, approach, phase)) {
        return;
    }
    const cnShape* shape1 = phase->shapes[phase->proxies->shape[pair->proxy1]];
    const cnShape* shape2 = phase->shapes[phase->proxies->shape[pair->proxy2]];
    cnMeetingSearch search = cnMeetingSearch_Begin();
    bool overlaps;
    do {
        cnEndPoses end = cnFindEndPoses(pair, search.part, phase);
        cnCollideCache cache = pair->cache;
        cnManifold manifold = pair->manifold;
        cnCollideShapes(shape1, end.pose1, shape2, end.pose2, cnPair_GetMargin(pair), &cache, &manifold);
        overlaps = false;
        if (cnKeepMeetingPoints(&manifold, pair, &end, phase, &overlaps)) {
            cnInstallMeeting(pair, &manifold, &end, phase);
            return;
        }
    } while (cnMeetingSearch_GoOn(&search, overlaps));
}

static void BuildManifold(cnPair* pair, const cnNarrowPhase* phase) {
    CN_ASSERT(pair->part == 0 && pair->concave < 0);
    CN_ASSERT(phase->proxies->geometry[pair->proxy1] >= 0 && phase->proxies->geometry[pair->proxy2] >= 0);
    const cnProxyTable* proxies = phase->proxies;
    cnShape* const* shapes = phase->shapes;
    int proxy1 = pair->proxy1, proxy2 = pair->proxy2;
    cnPose pose1 = {proxies->position[proxy1], proxies->rotation[proxy1]};
    cnPose pose2 = {proxies->position[proxy2], proxies->rotation[proxy2]};
    cnManifold manifold = pair->manifold;
    cnCollideShapes(shapes[proxies->shape[proxy1]], pose1, shapes[proxies->shape[proxy2]], pose2,
                    cnPair_GetMargin(pair), &pair->cache, &manifold);
    if (manifold.pointCount == 0 && pair->manifold.pointCount == 0) {
        return; // as it was, but for its cache
    }
    bool rocks = cnRocksOnRound(pair, &manifold, phase);
    cnInstallManifold(pair, &manifold, phase);
    if (pair->manifold.pointCount != manifold.pointCount) {
        return; // with a point of before
    }
    cnMidpointPoses poses;
    cnMidpoint ahead;
    if (cnFindMidpointPoses(pair, &manifold, rocks, pose1, pose2, phase, &poses)) {
        cnCollideCache cache = pair->cache;
        cnManifold later = manifold;
        cnCollideShapes(shapes[proxies->shape[proxy1]], poses.pose1, shapes[proxies->shape[proxy2]],
                        poses.pose2, cnPair_GetMargin(pair), &cache, &later);
        if (cnFindMidpoint(&manifold, &later, &poses, pair, phase, &ahead)) {
            cnApplyMidpoint(pair, &ahead);
        }
    }
}

void cnSetPairFlags(cnPair* pair, uint32_t kept) {
    CN_ASSERT(kept == cn_pairRecycled || kept == cn_pairBuilt);
    uint32_t lasting = cn_pairLimitedCorrection | cn_pairDeep | cn_pairSoft | cn_pairSensor |
                       cn_pairOverlapOnly | cn_pairSlides | cn_pairCalm | cn_pairFamilyTouched |
                       CN_PAIR_SPRING_BITS;
    uint32_t flags = (pair->flags & lasting) | cn_pairHasManifold | kept;
    if ((pair->flags & cn_pairTouching) != 0) {
        flags |= cn_pairWasTouching;
    }
    if ((pair->flags & cn_pairCorrected) != 0) {
        flags |= cn_pairWasCorrected;
    }
    pair->flags = flags;
    cnPair_MarkTouching(pair);
    if ((pair->flags & cn_pairTouching) == 0) {
        pair->flags &= ~(uint32_t)cn_pairSlides;
    }
}

static void TestOverlap(cnPair* pair, const cnNarrowPhase* phase) {
    CN_ASSERT((pair->flags & cn_pairSensor) != 0);
    CN_ASSERT(pair->manifold.pointCount == 0);
    const cnProxyTable* proxies = phase->proxies;
    cnShape* const* shapes = phase->shapes;
    int proxy1 = pair->proxy1, proxy2 = pair->proxy2;
    cnPose pose1 = {proxies->position[proxy1], proxies->rotation[proxy1]};
    cnPose pose2 = {proxies->position[proxy2], proxies->rotation[proxy2]};
    int overlap = cnDoShapesOverlap(shapes[proxies->shape[proxy1]], pose1, shapes[proxies->shape[proxy2]],
                                    pose2, &pair->cache, NULL);
    cnSetPairFlags(pair, cn_pairBuilt);
    pair->flags |= overlap > 0 ? cn_pairTouching : 0u;
}

// Notes how far a pair's proxies may travel before it can have points: what makes it a distant one.
static void NoteGap(const cnPair* pair, cnPairHead* head, const cnProxyTable* proxies) {
    uint32_t kept = cn_pairTouching | cn_pairWasTouching | cn_pairThinned | cn_pairSensor;
    bool isQuiet = pair->manifold.pointCount == 0 && (pair->flags & kept) == 0;
    head->apartUntil = 0.0;
    if (isQuiet && pair->cache.gap > cnPair_GetMargin(pair)) {
        head->apartUntil =
            cnGetTravel(proxies, head->proxy1, head->proxy2) + (pair->cache.gap - cnPair_GetMargin(pair));
    }
}

// Renews, keeps or makes the manifold of a simple pair, and sets its flags.
static void UpdateManifold(cnPair* pair, cnPairHead* head, const cnNarrowPhase* phase) {
    if (pair->part != 0 || pair->concave >= 0) {
        return;
    }
    if ((pair->flags & cn_pairOverlapOnly) != 0) {
        TestOverlap(pair, phase);
        return;
    }
    bool isBalls = pair->ballCount == 2, keeps = !isBalls && RecycleManifold(pair, phase);
    if (isBalls) {
        cnBuildBallPair(pair, phase);
    } else if (!keeps) {
        BuildManifold(pair, phase);
    }
    if (!keeps) {
        BuildMeeting(pair, phase);
    }
    cnSetPairFlags(pair, keeps ? cn_pairRecycled : cn_pairBuilt);
    NoteGap(pair, head, phase->proxies);
}

// Pairs that are looked at together: so many fit the cache.
#define CN_PAIR_GROUP 16

typedef struct ManifoldTask {
    const cnNarrowPhase* phase;
    cnRowList awake; // pairs
} ManifoldTask;

// Each pair writes only to itself.
static void UpdateManifolds(int begin, int end, int thread, void* context) {
    (void)thread;
    const ManifoldTask* task = context;
    CN_ASSERT(begin >= 0 && end <= task->awake.count);
    const cnPairTable* pairs = task->phase->pairs;
    cnPairHead* heads = task->phase->pairs->heads.rows.data;
    for (int first = begin; first < end; first += CN_PAIR_GROUP) {
        int last = first + CN_PAIR_GROUP < end ? first + CN_PAIR_GROUP : end;
        for (int place = first; place < last; ++place) {
            cnPrefetchObject(cnPairTable_Get(pairs, cnRowList_Get(&task->awake, place)), sizeof(cnPair));
        }
        for (int place = first; place < last; ++place) {
            int index = cnRowList_Get(&task->awake, place);
            UpdateManifold(cnPairTable_Get(pairs, index), &heads[index], task->phase);
        }
    }
}

// ---- distant pairs ----------------------------------------------------------------------------------------

// Whether a pair that was apart still is, and will be for this step: bodies that fall, ride or slide past
// each other travel far, and not towards each other.
static bool IsStillApart(const cnDistantPair* pair, cnPairHead* head, const cnNarrowPhase* phase) {
    const cnProxyTable* proxies = phase->proxies;
    cnVec3 between = cnGetBetween(proxies, head->proxy1, head->proxy2);
    double turn = cnGetTurn(proxies, head->proxy1, head->proxy2);
    double shift = cnGetClosing(&pair->cache, cnSub(between, pair->apartAt));
    double gap = (double)pair->cache.gap - pair->margin;
    double left = gap - shift - (turn - pair->apartTurn);
    if (!(left > 0.0) || left < cnGetApproach(cnDistantPair_GetSides(pair), &pair->cache, phase)) {
        return false;
    }
    head->apartUntil = cnGetTravel(proxies, head->proxy1, head->proxy2) + left;
    return true;
}

// Looks at a distant pair anew; whether it is one still. If not, `whole` is what it becomes, and the pair
// stays as it was, so that the same can be found again.
static bool LookAtDistant(cnDistantPair* pair, cnPairHead* head, const cnNarrowPhase* phase, cnPair* whole) {
    cnDistantPair_CopyTo(pair, phase->proxies, phase->shapes, whole);
    UpdateManifold(whole, head, phase);
    if (!(head->apartUntil > 0.0)) {
        return false;
    }
    pair->cache = whole->cache;
    cnDistantPair_NotePlaces(pair, phase->proxies);
    return true;
}

// Keeps a pair that was collided in a list of its thread; where it lies, −1 where the list is full. Those
// that are not kept are collided once more, with the same outcome.
static int KeepPair(cnPairTable* pairs, int thread, const cnPair* pair) {
    if (pairs->kept[thread].count == CN_KEPT_PAIRS || !cnArray_Push(&pairs->kept[thread], *pair)) {
        return -1;
    }
    return CN_KEPT_PAIRS * thread + pairs->kept[thread].count - 1;
}

// Looks at those of a chunk that may be apart no longer, and lists those that are not, where it begins.
static void UpdateDistant(int begin, int end, int thread, void* context) {
    const ManifoldTask* task = context;
    const cnNarrowPhase* phase = task->phase;
    const cnPairTable* pairs = phase->pairs;
    cnPairHead* heads = phase->pairs->distantHeads.rows.data;
    int *due = phase->pairs->due.data + begin, *kept = phase->pairs->dueKept.data + begin;
    cnPair whole;
    int travelled[CN_PAIR_GROUP], dueCount = 0;
    for (int first = begin; first < end; first += CN_PAIR_GROUP) {
        int count = 0;
        for (int place = first; place < end && place < first + CN_PAIR_GROUP; ++place) {
            int row = cnRowList_Get(&task->awake, place);
            if (!(cnGetNextTravel(phase->proxies, heads[row].proxy1, heads[row].proxy2) <
                  heads[row].apartUntil)) {
                travelled[count++] = row;
                cnPrefetchObject(cnPairTable_GetDistant(pairs, row), sizeof(cnDistantPair));
            }
        }
        for (int i = 0; i < count; ++i) {
            cnDistantPair* pair = cnPairTable_GetDistant(pairs, travelled[i]);
            cnPairHead* head = &heads[travelled[i]];
            bool isApart = head->apartUntil > 0.0 && IsStillApart(pair, head, phase);
            if (!isApart && !LookAtDistant(pair, head, phase, &whole)) {
                kept[dueCount] = KeepPair(phase->pairs, thread, &whole);
                due[dueCount++] = travelled[i];
            }
        }
    }
    phase->pairs->dueCounts.data[begin / CN_DISTANT_CHUNK] = dueCount;
}

// Pairs that are apart now become distant. Without memory for it they stay, and are looked at again.
static void MakeDistant(const cnNarrowPhase* phase, const cnRowList* awake) {
    cnPairTable* pairs = phase->pairs;
    for (int place = awake->count - 1; place >= 0; --place) { // the last one takes the place of one that goes
        int index = cnRowList_Get(awake, place);
        double* apartUntil = &pairs->heads.rows.data[index].apartUntil;
        if (*apartUntil > 0.0 && !cnPairTable_MakeDistant(pairs, index, phase->proxies)) {
            *apartUntil = 0.0;
        }
    }
}

// Distant pairs that are no longer apart become whole ones and get manifolds. False when memory ran out.
static bool MakeWhole(const cnNarrowPhase* phase, int count) {
    cnPairTable* pairs = phase->pairs;
    const int before = pairs->pairs.count;
    if (!cnPairTable_MakeWhole(pairs, pairs->due.data, count, phase->proxies, phase->shapes)) {
        return false;
    }
    int leftCount = 0;
    for (int i = 0; i < count; ++i) {
        int kept = pairs->dueKept.data[i];
        if (kept >= 0) {
            *cnPairTable_Get(pairs, before + i) =
                pairs->kept[kept / CN_KEPT_PAIRS].data[kept % CN_KEPT_PAIRS];
        } else {
            pairs->due.data[leftCount++] = before + i;
        }
    }
    ManifoldTask task = {phase, {pairs->due.data, leftCount}};
    cnPairTable_Pin(pairs, "tasks of the narrow phase");
    cnThreadPool_Run(phase->threads, UpdateManifolds, &task, leftCount, CN_PAIR_CHUNK);
    cnPairTable_Unpin(pairs);
    return true;
}

static bool UpdateSimplePairs(const cnNarrowPhase* phase) {
    cnPairTable* pairs = phase->pairs;
    ManifoldTask task = {phase, cnPairHeads_GetAwake(&pairs->heads)};
    ManifoldTask distant = {phase, cnPairHeads_GetAwake(&pairs->distantHeads)};
    const int count = distant.awake.count;
    if (!cnArray_Reserve(&pairs->due, count) || !cnArray_Reserve(&pairs->dueKept, count) ||
        !cnArray_Reserve(&pairs->dueCounts, count / CN_DISTANT_CHUNK + 1)) {
        return false;
    }
    for (int thread = 0; thread < CN_MAX_THREADS; ++thread) {
        pairs->kept[thread].count = 0;
    }
    cnPairTable_Pin(pairs, "tasks of the narrow phase");
    cnThreadPool_Run(phase->threads, UpdateManifolds, &task, task.awake.count, CN_PAIR_CHUNK);
    cnThreadPool_Run(phase->threads, UpdateDistant, &distant, count, CN_DISTANT_CHUNK);
    cnPairTable_Unpin(pairs);
    pairs->nearIsOld = pairs->nearIsOld || task.awake.count > 0;
    int dueCount = cnJoinChunks(pairs->due.data, sizeof *pairs->due.data, count, CN_DISTANT_CHUNK,
                                pairs->dueCounts.data);
    cnJoinChunks(pairs->dueKept.data, sizeof *pairs->dueKept.data, count, CN_DISTANT_CHUNK,
                 pairs->dueCounts.data);
    MakeDistant(phase, &task.awake); // whose rows come last, and are not due
    return MakeWhole(phase, dueCount);
}

// ---- all pairs --------------------------------------------------------------------------------------------

// Hints for each concave pair; where memory ran out the last ones have none, and are slower.
static void ExtendHints(cnPairTable* pairs) {
    int before = pairs->hints.count, count = pairs->concaves.count;
    if (before < count && cnArray_Resize(&pairs->hints, count)) {
        memset(pairs->hints.data + before, 0, (size_t)(count - before) * sizeof *pairs->hints.data);
    }
}

bool cnRunNarrowPhase(cnNarrowPhase* phase) {
    CN_ASSERT(phase->timeStep > 0.0 && phase->kickShare >= 0.0 && phase->kickShare <= 1.0);
    cnPairTable* pairs = phase->pairs;
    if (!UpdateSimplePairs(phase)) {
        return false;
    }
    ExtendHints(pairs);
    cnPairTable_Pin(pairs, "tasks of the narrow phase");
    cnThreadPool_Run(phase->threads, cnCollideConcaves, phase, pairs->concaves.count, CN_CONCAVE_CHUNK);
    cnPairTable_Unpin(pairs);
    bool ok = cnChangeChildren(phase);
    cnPairTable_Pin(pairs, "tasks of the narrow phase");
    cnThreadPool_Run(phase->threads, cnRenewConcaves, phase, pairs->concaves.count, CN_CONCAVE_CHUNK);
    cnPairTable_ListNear(pairs, phase->threads);
    ok = cnDropInternalContacts(phase) && ok;
    cnPairTable_Unpin(pairs);
    return ok;
}
