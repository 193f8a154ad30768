// Overlap that no force explains.
//
// A body that falls on another is found when it has already sunk in, by up to the way of a step. Nothing has pressed it in, so
// nothing is stored in that overlap, but a row that treats it as the strain of the material (1 mm at 4e8 Pa: 4e5 N) loads itself until
// it is. Mostly that does no harm, since the body leaves before. In a wedge that locks by friction, a ring on a steep cone, it cannot
// leave; the load stays, and whatever loosens the ring later throws it off.
//
// So while a pair's push-out is limited (from its first touch until it rests), its rows see only as much overlap as their multipliers
// explain (cnRowSeparation), and the rest is taken out here: after the solve the bodies are moved, not sped up, along the normals, by
//   Δx = M⁻¹ Gᵀ δ/D,   δ = min(4 n γ, 1) (depth − explained), at most the push-out speed times h,
// one Gauss–Seidel sweep over the points of such pairs. Friction takes no part, no velocity remains, and all the energy that goes in
// is the weight lifted by what the body had sunk too far. (Pushes of positions alone are those of "non-linear projected Gauss–Seidel"
// and of "split impulses", E. Catto and E. Coumans in the talks of the Game Developers Conference 2006 to 2014.)
#include "solve/solve.h"

// Slower than this at every point a contact counts as resting, m/s.
#define CN_REST_SPEED 0.01
// What the overlap that is left may make of a body once its rows see it, m/s.
#define CN_RELEASE_SPEED 1e-4

static cnVec3 cnLinearOf(const cnMotion6* motion) {
    return cnVec(motion->linear[0], motion->linear[1], motion->linear[2]);
}

static cnVec3 cnAngularOf(const cnMotion6* motion) {
    return cnVec(motion->angular[0], motion->angular[1], motion->angular[2]);
}

// G m of a row for motions of both bodies.
static double cnAlongRow(const cnMotion6* m1, const cnMotion6* m2, cnVec3 normal, cnVec3 j1, cnVec3 j2) {
    return cnDot(normal, cnSub(cnLinearOf(m1), cnLinearOf(m2))) + cnDot(j1, cnAngularOf(m1)) -
           cnDot(j2, cnAngularOf(m2));
}

static void cnPushBody(cnMotion6* displacement, const cnInverseMass* mass, double push, cnVec3 normal,
                       cnVec3 moment) {
    cnVec3 linear = cnMulAdd(cnLinearOf(displacement), push, cnMulMat(mass->linear, normal));
    cnVec3 angular = cnMulAdd(cnAngularOf(displacement), push, cnMulMat(mass->angular, moment));
    *displacement = (cnMotion6){{(float)linear.x, (float)linear.y, (float)linear.z, 0.0f},
                                {(float)angular.x, (float)angular.y, (float)angular.z, 0.0f}};
}

static void cnPushOutContact(cnSolve* solve, const cnSolverContact* contact) {
    cnSolverBodies* solver = &solve->solver;
    cnPair* pair = &solve->pairs->pairs.data[contact->pair];
    const cnInverseMass* m1 = &solver->inverse[contact->body1];
    const cnInverseMass* m2 = &solver->inverse[contact->body2];
    cnMotion6* x1 = &solver->displacement[contact->body1];
    cnMotion6* x2 = &solver->displacement[contact->body2];
    cnPairProperties material = cnResolvePair(solve->materials, solve->proxies->material[pair->proxy1],
                                              solve->proxies->material[pair->proxy2]);
    bool hard = solve->islands[contact->island].hard;
    double theta = hard ? 0.0 : contact->body1 != 0 && contact->body2 != 0 ? CN_THETA_BOTH : CN_THETA_ONE;
    double slow = hard ? 0.0 : cnSlowImpulse(pair);
    double share = cnMin(4.0 * solve->substeps * cnSpookGamma(material.damping, solve->substep), 1.0);
    double most = pair->pushLimit * solve->h;
    cnVec3 normal = cnToD(pair->manifold.normal);
    bool rests = true;
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        cnVec3 arm1 = cnToD(pair->arm1[i]), arm2 = cnToD(pair->arm2[i]);
        cnVec3 j1 = cnCross(arm1, normal), j2 = cnCross(arm2, normal);
        double effect = cnRowEffect(m1, m2, normal, j1, j2);
        double start = cnDot(normal, cnRelativeVelocity(solve->bodies, pair->body1, pair->body2, arm1, arm2));
        double speed = start + cnAlongRow(&solver->velocity[contact->body1],
                                          &solver->velocity[contact->body2], normal, j1, j2);
        double depth = pair->manifold.points[i].depth - solve->h * start - cnAlongRow(x1, x2, normal, j1, j2);
        double excess =
            depth - cnStoredOverlap(pair->impulse[i], slow, effect, theta, solve->substep, &material);

        // as much again as would be set free, were the rows to see it
        rests = rests && fabs(speed) < CN_REST_SPEED &&
                excess < CN_RELEASE_SPEED / sqrt(effect * material.youngsModulus);
        if (excess > 0.0) {
            double push = cnMin(share * excess, most) / effect;
            cnPushBody(x1, m1, push, normal, j1);
            cnPushBody(x2, m2, -push, normal, j2);
        }
    }
    if (rests) {
        pair->flags &= ~(uint32_t)cn_pairLimitedPush;
    }
}

void cnSolve_PushOut(cnSolve* solve) {
    for (int c = 0; c < solve->contactCount; ++c) {
        const cnPair* pair = &solve->pairs->pairs.data[solve->contacts[c].pair];
        if ((pair->flags & (cn_pairLimitedPush | cn_pairTouching)) ==
            (cn_pairLimitedPush | cn_pairTouching)) {
            cnPushOutContact(solve, &solve->contacts[c]);
        }
    }
}
