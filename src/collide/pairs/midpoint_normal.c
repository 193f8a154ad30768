#include "collide/pairs/midpoint_normal.h"

#include "base/report/assert.h"
#include "collide/pairs/rolling_points.h"
#include "math/small_rotation.h"

// Cosine of the largest rotation of a normal in half a step: 14°.
#define SAME_NORMAL 0.97
// How far that half may be off.
#define SMOOTH 0.1
// Least way in half a step, in units of the smaller inradius.
#define MIN_WAY 1e-6
// By which the normal rotates from step to step where something rocks, rad. What turns faster soon leaves,
// and a pile that lands has much of it.
#define LEAST_TURN 1e-5
#define MOST_TURN 0.03

static cnVec3 VelocityAt(int body, cnVec3 arm, const cnNarrowPhase* phase) {
    return body < 0 ? cnVec3_zero
                    : cnAdd(phase->bodies->halfStepVelocity[body],
                            cnCross(phase->bodies->halfStepAngularVelocity[body], arm));
}

// Of body 1's point against body 2's; `point` in the world, arms from given centres.
static cnVec3 RelativeVelocity(const cnPair* pair, cnVec3 point, cnVec3 centre1, cnVec3 centre2,
                               const cnNarrowPhase* phase) {
    return cnSub(VelocityAt(pair->body1, cnSub(point, centre1), phase),
                 VelocityAt(pair->body2, cnSub(point, centre2), phase));
}

static cnVec3 CentreOf(int body, const cnNarrowPhase* phase) {
    return body < 0 ? cnVec3_zero : phase->bodies->centreOfMass[body];
}

static cnPose Move(cnPose pose, int body, double time, cnVec3 shift, const cnNarrowPhase* phase,
                   cnVec3* centre) {
    if (body < 0) {
        *centre = cnVec3_zero;
        return (cnPose){cnAdd(pose.position, shift), pose.rotation};
    }
    cnVec3 before = phase->bodies->centreOfMass[body];
    cnQuat rotation = cnRotationBy(cnScale(time, phase->bodies->halfStepAngularVelocity[body]));
    *centre = cnAdd(cnMulAdd(before, time, phase->bodies->halfStepVelocity[body]), shift);
    return (cnPose){cnAdd(*centre, cnRotate(rotation, cnSub(pose.position, before))),
                    cnNormalizeQuat(cnMulQuat(rotation, pose.rotation))};
}

static double MeanDepth(const cnManifold* manifold) {
    CN_ASSERT(manifold->pointCount > 0);
    double sum = 0.0;
    for (int i = 0; i < manifold->pointCount; ++i) {
        sum += manifold->depths[i];
    }
    return sum / manifold->pointCount;
}

static bool StandsStill(int body, const cnNarrowPhase* phase) {
    return body < 0 || (phase->bodies->flags[body] & (cn_bodyDynamic | cn_bodyKinematic)) == 0;
}

// Whether the rim of a cylinder or a cone lies on something flat that stands still: its lowest point moves
// along the rim. (Among moving bodies, where rims hardly roll, looking twice is not worth it.)
static bool RollsOnRim(const cnPair* pair, const cnManifold* first, const cnNarrowPhase* phase) {
    bool isAlone = StandsStill(pair->body1, phase) || StandsStill(pair->body2, phase);
    return isAlone && pair->roundCount == 1 && pair->ballCount == 0 && first->pointCount == 1;
}

// What did not touch before is struck where it is: it rolls afterwards.
static bool MeetsAnew(const cnPair* pair, const cnManifold* first) {
    return (pair->flags & cn_pairTouching) == 0 && MeanDepth(first) > 0.0;
}

bool cnIsMidpointAhead(const cnPair* pair, double time, double speed) {
    return time * speed >= MIN_WAY * pair->inradius;
}

bool cnRocksOnRound(const cnPair* pair, const cnManifold* first, const cnNarrowPhase* phase) {
    if (pair->roundCount != 1 || (pair->flags & cn_pairTouching) == 0 || first->pointCount > 2 ||
        pair->manifold.pointCount != first->pointCount) {
        return false;
    }
    double turn = cnLength(cnToD(cnSubF(first->normal, pair->manifold.normal)));
    return turn < MOST_TURN && (turn > LEAST_TURN || cnPair_IsLopsided(pair, phase));
}

bool cnFindMidpointPoses(const cnPair* pair, const cnManifold* first, bool rocks, cnPose pose1, cnPose pose2,
                         const cnNarrowPhase* phase, cnMidpointPoses* ahead) {
    CN_ASSERT(pair->inradius > 0.0);
    bool worthIt = rocks || pair->roundCount == 2 || RollsOnRim(pair, first, phase);
    if (!worthIt || first->pointCount == 0 || (pair->flags & cn_pairSensor) != 0 || MeetsAnew(pair, first)) {
        return false;
    }
    double time = 0.5 * phase->timeStep;
    cnVec3 spin1 = pair->body1 < 0 ? cnVec3_zero : phase->bodies->halfStepAngularVelocity[pair->body1];
    cnVec3 spin2 = pair->body2 < 0 ? cnVec3_zero : phase->bodies->halfStepAngularVelocity[pair->body2];
    cnVec3 middle = cnManifold_GetMiddle(first);
    cnVec3 velocity =
        RelativeVelocity(pair, middle, CentreOf(pair->body1, phase), CentreOf(pair->body2, phase), phase);
    double speed = cnLength(velocity) + pair->inradius * cnLength(cnSub(spin1, spin2));
    if (!cnIsMidpointAhead(pair, time, speed)) {
        return false;
    }
    cnVec3 normal = cnToD(first->normal);
    ahead->time = time;
    ahead->shift = cnScale(-time * cnDot(normal, velocity), normal);
    ahead->pose1 = Move(pose1, pair->body1, time, ahead->shift, phase, &ahead->centre1);
    ahead->pose2 = Move(pose2, pair->body2, time, cnVec3_zero, phase, &ahead->centre2);
    return true;
}

// The point of `later` that stands where a point of `now` does, both seen from their manifolds' middles.
static int FindPoint(const cnManifold* now, int index, const cnManifold* later) {
    CN_ASSERT(index >= 0 && index < now->pointCount);
    if (later->pointCount == 1) {
        return 0;
    }
    cnVec3 wanted = cnAdd(cnSub(now->origin, cnManifold_GetMiddle(now)), cnToD(now->points[index]));
    cnVec3 offset = cnSub(later->origin, cnManifold_GetMiddle(later));
    int best = 0;
    double min = INFINITY;
    for (int i = 0; i < later->pointCount; ++i) {
        double distance = cnLengthSquared(cnSub(cnAdd(offset, cnToD(later->points[i])), wanted));
        best = distance < min ? i : best;
        min = cnMin(min, distance);
    }
    return best;
}

// The arm of a body to a point, between now and half a step ahead.
static cnVec3f Blend(int body, cnVec3 before, cnVec3 after, cnVec3 centreAfter, const cnNarrowPhase* phase) {
    if (body < 0) {
        return (cnVec3f){0};
    }
    cnVec3 arm = cnSub(before, phase->bodies->centreOfMass[body]);
    return cnToF(cnMulAdd(arm, phase->kickShare, cnSub(cnSub(after, centreAfter), arm)));
}

bool cnMidpointGap_Find(cnMidpointGap* gap, double kickShare) {
    gap->normal = gap->normal1;
    gap->curvature = 0.0;
    if (cnDot(gap->normal1, gap->normal2) < SAME_NORMAL) {
        return false;
    }
    cnVec3 way = cnMulAdd(gap->shift, gap->time, gap->velocity);
    double closing = cnDot(gap->normal2, way);

    // on a smooth surface the gap closes by half of what the rotated normal says; over an edge it does not
    if (fabs(gap->nearer + 0.5 * closing) > 0.5 * SMOOTH * fabs(closing)) {
        return false;
    }
    gap->normal = cnNormalize(cnMulAdd(gap->normal1, kickShare, cnSub(gap->normal2, gap->normal1)));
    gap->curvature = -(gap->nearer + closing) / (gap->time * gap->time);
    return true;
}

bool cnFindMidpoint(const cnManifold* now, const cnManifold* later, const cnMidpointPoses* poses,
                    const cnPair* pair, const cnNarrowPhase* phase, cnMidpoint* ahead) {
    CN_ASSERT(poses->time > 0.0);
    ahead->seen = false;
    if (later->pointCount != now->pointCount) {
        return false;
    }
    for (int i = 0; i < now->pointCount; ++i) {
        cnVec3 before = cnAdd(now->origin, cnToD(now->points[i]));
        cnVec3 after = cnAdd(later->origin, cnToD(later->points[FindPoint(now, i, later)]));
        ahead->arm1[i] = Blend(pair->body1, before, after, poses->centre1, phase);
        ahead->arm2[i] = Blend(pair->body2, before, after, poses->centre2, phase);
    }

    cnMidpointGap gap = {
        .time = poses->time,
        .shift = poses->shift,
        .normal1 = cnToD(now->normal),
        .normal2 = cnToD(later->normal),
        .velocity =
            RelativeVelocity(pair, cnManifold_GetMiddle(later), poses->centre1, poses->centre2, phase),
        .nearer = MeanDepth(later) - MeanDepth(now),
    };
    ahead->seen = cnMidpointGap_Find(&gap, phase->kickShare);
    ahead->normal = cnToF(gap.normal);
    ahead->curvature = gap.curvature;
    return ahead->seen;
}

void cnApplyMidpoint(cnPair* pair, const cnMidpoint* ahead) {
    CN_ASSERT(ahead->seen);
    pair->manifold.normal = ahead->normal;
    pair->curvature = ahead->curvature;
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        pair->arm1[i] = ahead->arm1[i];
        pair->arm2[i] = ahead->arm2[i];
    }
}
