#include "collide/pairs/meetings.h"

#include "base/report/assert.h"
#include "dynamics/gravity.h"
#include "material/pair_properties.h"
#include "math/small_rotation.h"

// So often what is left of a step is halved.
#define CN_MEETING_HALVINGS 6

// Way of a body within a part of the step. What rests does not fall: gravity adds at most what the speed
// makes.
static cnVec3 ShiftOf(int body, double part, const cnNarrowPhase* phase) {
    if (body < 0) {
        return cnVec3_zero;
    }
    double h = part * phase->timeStep;
    cnVec3 shift = cnScale(h, phase->bodies->halfStepVelocity[body]);
    if ((phase->bodies->flags[body] & cn_bodyDynamic) == 0) {
        return shift;
    }
    cnVec3 gravity = cnGravityOn(phase->gravity, phase->bodies, body);
    double square = cnLengthSquared(gravity), factor = (1.0 - 0.5 * phase->kickShare) * h * h; // (n + 1)/2n
    double limit = square > 0.0 ? sqrt(cnLengthSquared(shift) / square) : 0.0;
    return cnMulAdd(shift, cnMin(factor, limit), gravity);
}

static cnVec3 VelocityOf(int body, const cnNarrowPhase* phase) {
    return body < 0 ? cnVec3_zero : phase->bodies->halfStepVelocity[body];
}

static bool Falls(int body, const cnNarrowPhase* phase) {
    return body >= 0 && (phase->bodies->flags[body] & cn_bodyDynamic) != 0;
}

double cnGetClosing(const cnCollideCache* cache, cnVec3 shift) {
    cnVec3 axis = cnToD(cache->axis);
    bool isKnown = axis.x != 0.0 || axis.y != 0.0 || axis.z != 0.0;
    return isKnown ? -cnDot(axis, shift) : cnLength(shift);
}

// Two that fall do so together.
double cnGetApproach(cnPairSides sides, const cnCollideCache* cache, const cnNarrowPhase* phase) {
    const cnProxyTable* proxies = phase->proxies;
    cnVec3 velocity = cnSub(VelocityOf(sides.body1, phase), VelocityOf(sides.body2, phase));
    bool fall = Falls(sides.body1, phase) && Falls(sides.body2, phase);
    cnVec3 shift = fall ? cnScale(phase->timeStep, velocity)
                        : cnSub(ShiftOf(sides.body1, 1.0, phase), ShiftOf(sides.body2, 1.0, phase));
    return cnGetClosing(cache, shift) + proxies->turnNext[sides.proxy1] + proxies->turnNext[sides.proxy2];
}

static cnBuiltPose MoveBody(int body, double part, const cnNarrowPhase* phase) {
    cnBuiltPose now = cnBuiltPoseOf(body, phase);
    if (body < 0) {
        return now;
    }
    cnVec3 turn = cnScale(part * phase->timeStep, phase->bodies->halfStepAngularVelocity[body]);
    return (cnBuiltPose){cnAdd(now.centre, ShiftOf(body, part, phase)),
                         cnNormalizeQuat(cnMulQuat(cnRotationBy(turn), now.rotation))};
}

static cnPose MoveShape(int proxy, int body, const cnBuiltPose* moved, const cnNarrowPhase* phase) {
    cnPose pose = {phase->proxies->position[proxy], phase->proxies->rotation[proxy]};
    if (body < 0) {
        return pose;
    }
    cnBuiltPose now = cnBuiltPoseOf(body, phase);
    cnQuat turn = cnMulQuat(moved->rotation, cnConjugate(now.rotation));
    return (cnPose){cnAdd(moved->centre, cnRotate(turn, cnSub(pose.position, now.centre))),
                    cnNormalizeQuat(cnMulQuat(turn, pose.rotation))};
}

// At the speed at which it comes.
static bool IsInelastic(const cnPair* pair, double approach, const cnNarrowPhase* phase) {
    cnPairProperties scratch;
    const int32_t* material = phase->proxies->material;
    const cnPairProperties* properties =
        cnFindPair(phase->materials, material[pair->proxy1], material[pair->proxy2], &scratch);
    double most = properties->restitutionThreshold * phase->timeStep;
    bool bounces = properties->restitution > 0.0 && approach > most;
    return !bounces && !properties->contactArea.enabled;
}

bool cnMayMeet(const cnPair* pair, double approach, const cnNarrowPhase* phase) {
    CN_ASSERT(pair->body1 >= 0 || pair->body2 >= 0);
    uint32_t flags1 = pair->body1 >= 0 ? phase->bodies->flags[pair->body1] : 0;
    uint32_t flags2 = pair->body2 >= 0 ? phase->bodies->flags[pair->body2] : 0;
    bool isSwept = ((flags1 | flags2) & cn_bodyFast) != 0;
    return (pair->flags & cn_pairSensor) == 0 && !isSwept && IsInelastic(pair, approach, phase);
}

cnEndPoses cnFindEndPoses(const cnPair* pair, double part, const cnNarrowPhase* phase) {
    CN_ASSERT(part > 0.0 && part <= 1.0);
    cnEndPoses end;
    end.body1 = MoveBody(pair->body1, part, phase);
    end.body2 = MoveBody(pair->body2, part, phase);
    end.pose1 = MoveShape(pair->proxy1, pair->body1, &end.body1, phase);
    end.pose2 = MoveShape(pair->proxy2, pair->body2, &end.body2, phase);
    return end;
}

bool cnMeetingSearch_GoOn(cnMeetingSearch* search, bool overlaps) {
    if (!overlaps && search->count == 0) {
        return false;
    }
    *(overlaps ? &search->late : &search->early) = search->part;
    search->part = 0.5 * (search->early + search->late);
    search->count += 1;
    return search->count <= CN_MEETING_HALVINGS;
}

// Where a point of a body that will have an arm is now.
static cnVec3 PointNow(int body, cnVec3 arm, const cnBuiltPose* moved, const cnNarrowPhase* phase) {
    cnBuiltPose now = cnBuiltPoseOf(body, phase);
    cnQuat back = cnMulQuat(now.rotation, cnConjugate(moved->rotation));
    return cnAdd(now.centre, cnRotate(back, arm));
}

// What a point of a manifold of the end has for arms, to the surface of each body, and how far apart their
// ends are now along the normal, m.
typedef struct MeetingPoint {
    cnVec3 arm1, arm2;
    double gap;
} MeetingPoint;

static MeetingPoint FindMeetingPoint(const cnManifold* manifold, int index, const cnPair* pair,
                                     const cnEndPoses* end, const cnNarrowPhase* phase) {
    cnVec3 normal = cnToD(manifold->normal);
    cnVec3 point = cnAdd(manifold->origin, cnToD(manifold->points[index]));
    cnVec3 into = cnScale(0.5 * manifold->depths[index], normal);
    MeetingPoint meeting = {
        .arm1 = cnSub(cnSub(point, into), end->body1.centre),
        .arm2 = cnSub(cnAdd(point, into), end->body2.centre),
    };
    cnVec3 now1 = PointNow(pair->body1, meeting.arm1, &end->body1, phase);
    cnVec3 now2 = PointNow(pair->body2, meeting.arm2, &end->body2, phase);
    meeting.gap = cnDot(normal, cnSub(now1, now2));
    return meeting;
}

bool cnKeepMeetingPoints(cnManifold* manifold, const cnPair* pair, const cnEndPoses* end,
                         const cnNarrowPhase* phase, bool* overlaps) {
    int kept = 0;
    for (int i = 0; i < manifold->pointCount; ++i) {
        bool isIn = manifold->depths[i] > 0.0f;
        *overlaps = *overlaps || isIn;
        if (isIn && FindMeetingPoint(manifold, i, pair, end, phase).gap > -cnPair_GetMargin(pair)) {
            manifold->points[kept] = manifold->points[i];
            manifold->depths[kept] = manifold->depths[i];
            manifold->features[kept++] = manifold->features[i];
        }
    }
    manifold->pointCount = kept;
    return kept > 0;
}

// Arms end on the surface of each body, where they will meet, and not half-way into the overlap that there
// would be. A gap is at least what tells a meeting from contacts.
void cnInstallMeeting(cnPair* pair, const cnManifold* manifold, const cnEndPoses* end,
                      const cnNarrowPhase* phase) {
    cnInstallManifold(pair, manifold, phase);
    double least = 1.001 * cnPair_GetMargin(pair);
    for (int i = 0; i < manifold->pointCount; ++i) {
        MeetingPoint meeting = FindMeetingPoint(manifold, i, pair, end, phase);
        pair->arm1[i] = pair->body1 < 0 ? (cnVec3f){0} : cnToF(meeting.arm1);
        pair->arm2[i] = pair->body2 < 0 ? (cnVec3f){0} : cnToF(meeting.arm2);
        pair->manifold.depths[i] = pair->builtDepth[i] = (float)-cnMax(meeting.gap, least);
    }
}
