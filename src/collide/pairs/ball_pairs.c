#include "collide/pairs/ball_pairs.h"

#include "base/report/assert.h"
#include "collide/pairs/midpoint_normal.h"
#include "math/small_rotation.h"

#include <string.h>

typedef struct Balls {
    cnVec3 centre1, centre2; // m, world
    double radius1, radius2;
} Balls;

// Where they touch, or are nearest.
typedef struct BallContact {
    double depth;  // m
    cnVec3 normal; // unit, moves ball 1 off ball 2
    cnVec3 point;  // half-way between the surfaces
} BallContact;

static BallContact FindContact(const Balls* balls, cnVec3 fallback) {
    cnVec3 between = cnSub(balls->centre1, balls->centre2);
    double distance = cnLength(between);
    cnVec3 normal = distance > 0.0 ? cnScale(1.0 / distance, between) : fallback;
    double depth = balls->radius1 + balls->radius2 - distance;
    return (BallContact){depth, normal, cnMulAdd(balls->centre1, 0.5 * depth - balls->radius1, normal)};
}

// A body as a contact sees it; zeros where there is none.
typedef struct Carrier {
    cnVec3 centre, velocity, spin;
} Carrier;

static Carrier CarrierOf(int body, const cnNarrowPhase* phase) {
    if (body < 0) {
        return (Carrier){cnVec3_zero, cnVec3_zero, cnVec3_zero};
    }
    const cnBodyTable* bodies = phase->bodies;
    return (Carrier){bodies->centreOfMass[body], bodies->halfStepVelocity[body],
                     bodies->halfStepAngularVelocity[body]};
}

static cnVec3 VelocityAt(const Carrier* carrier, cnVec3 point) {
    return cnAdd(carrier->velocity, cnCross(carrier->spin, cnSub(point, carrier->centre)));
}

// A ball's centre with its body moved on; most balls are in the middle of their bodies.
static cnVec3 MoveCentre(const Carrier* carrier, bool isBody, cnVec3 centre, double time) {
    cnVec3 offset = cnSub(centre, carrier->centre);
    cnVec3 moved = cnMulAdd(carrier->centre, time, carrier->velocity);
    bool isMiddle = offset.x == 0.0 && offset.y == 0.0 && offset.z == 0.0;
    if (!isBody || isMiddle) {
        return cnAdd(moved, offset);
    }
    return cnAdd(moved, cnRotate(cnRotationBy(cnScale(time, carrier->spin)), offset));
}

static cnVec3f ArmOf(bool isBody, cnVec3 centre, cnVec3 point) {
    return isBody ? cnToF(cnSub(point, centre)) : (cnVec3f){0};
}

// Of what is about to move as it does: cnFindMidpoint.
static void LookAhead(cnPair* pair, const Balls* balls, const BallContact* now, const Carrier* carrier1,
                      const Carrier* carrier2, const cnNarrowPhase* phase) {
    bool is1 = pair->body1 >= 0, is2 = pair->body2 >= 0;
    double time = 0.5 * phase->timeStep;
    cnVec3 velocity = cnSub(VelocityAt(carrier1, now->point), VelocityAt(carrier2, now->point));
    double spin = cnLength(cnSub(carrier1->spin, carrier2->spin));
    if (!cnIsMidpointAhead(pair, time, cnLength(velocity) + pair->inradius * spin)) {
        return;
    }
    cnVec3 shift = cnScale(-time * cnDot(now->normal, velocity), now->normal);
    Balls moved = {
        cnAdd(MoveCentre(carrier1, is1, balls->centre1, time), shift),
        MoveCentre(carrier2, is2, balls->centre2, time),
        balls->radius1,
        balls->radius2,
    };
    BallContact later = FindContact(&moved, now->normal);
    if (later.depth < -cnPair_GetMargin(pair)) {
        return;
    }
    Carrier ahead1 = *carrier1, ahead2 = *carrier2;
    ahead1.centre = is1 ? cnAdd(cnMulAdd(carrier1->centre, time, carrier1->velocity), shift) : cnVec3_zero;
    ahead2.centre = cnMulAdd(carrier2->centre, time, carrier2->velocity);
    cnMidpointGap gap = {
        .time = time,
        .shift = shift,
        .normal1 = now->normal,
        .normal2 = later.normal,
        .velocity = cnSub(VelocityAt(&ahead1, later.point), VelocityAt(&ahead2, later.point)),
        .nearer = later.depth - now->depth,
    };
    if (!cnMidpointGap_Find(&gap, phase->kickShare)) {
        return;
    }
    pair->manifold.normal = cnToF(gap.normal);
    pair->curvature = gap.curvature;
    cnVec3 arm1 = cnSub(now->point, carrier1->centre), arm2 = cnSub(now->point, carrier2->centre);
    cnVec3 later1 = cnSub(later.point, ahead1.centre), later2 = cnSub(later.point, ahead2.centre);
    pair->arm1[0] = is1 ? cnToF(cnMulAdd(arm1, phase->kickShare, cnSub(later1, arm1))) : (cnVec3f){0};
    pair->arm2[0] = is2 ? cnToF(cnMulAdd(arm2, phase->kickShare, cnSub(later2, arm2))) : (cnVec3f){0};
}

static void Install(cnPair* pair, const Balls* balls, const BallContact* contact, const Carrier* carrier1,
                    const Carrier* carrier2, const cnNarrowPhase* phase) {
    bool isFirstSmaller = balls->radius1 < balls->radius2;
    cnManifold* manifold = &pair->manifold;
    memset(manifold, 0, sizeof *manifold);
    manifold->origin = isFirstSmaller ? balls->centre1 : balls->centre2;
    manifold->normal = cnToF(contact->normal);
    manifold->pointCount = 1;
    manifold->points[0] = cnToF(cnSub(contact->point, manifold->origin));
    manifold->depths[0] = (float)contact->depth;
    pair->curvature = 0.0;
    pair->built1 = cnBuiltPoseOf(pair->body1, phase);
    pair->built2 = cnBuiltPoseOf(pair->body2, phase);
    pair->arm1[0] = ArmOf(pair->body1 >= 0, carrier1->centre, contact->point);
    pair->arm2[0] = ArmOf(pair->body2 >= 0, carrier2->centre, contact->point);
    pair->builtDepth[0] = manifold->depths[0];
}

void cnBuildBallPair(cnPair* pair, const cnNarrowPhase* phase) {
    CN_ASSERT(pair->ballCount == 2 && pair->part == 0 && pair->concave < 0);
    const cnProxyTable* proxies = phase->proxies;
    int proxy1 = pair->proxy1, proxy2 = pair->proxy2;
    Balls balls = {
        proxies->position[proxy1],
        proxies->position[proxy2],
        phase->shapes[proxies->shape[proxy1]]->radius,
        phase->shapes[proxies->shape[proxy2]]->radius,
    };
    BallContact contact = FindContact(&balls, cnRotate(proxies->rotation[proxy1], cnVec(0.0, -1.0, 0.0)));
    if (contact.depth < -cnPair_GetMargin(pair)) {
        pair->cache.gap = cnRoundGap(-contact.depth);
        pair->cache.axis = cnToF(contact.normal);
        if (pair->manifold.pointCount > 0) {
            cnManifold none = pair->manifold;
            none.pointCount = 0;
            none.patch = (cnPatch){0};
            cnInstallManifold(pair, &none, phase);
        }
        return;
    }
    if (cnPair_IsMeeting(pair)) {
        cnPair_Forget(pair);
    }
    pair->cache.gap = 0.0f;
    pair->cache.axis = (cnVec3f){0};
    Carrier carrier1 = CarrierOf(pair->body1, phase), carrier2 = CarrierOf(pair->body2, phase);
    Install(pair, &balls, &contact, &carrier1, &carrier2, phase);
    if ((pair->flags & cn_pairSensor) == 0) {
        LookAhead(pair, &balls, &contact, &carrier1, &carrier2, phase);
    }
}
