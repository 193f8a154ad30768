#include "dynamics/rotation.h"

#include "math/small_rotation.h"
#include "math/vec_lanes.h"

// Below this turn in a step a midpoint rule of second order does: its error per step is of the
// order of the cube.
#define CN_SLOW_TURN 1e-3
// Moments that differ by less than this fraction count as equal.
#define CN_EQUAL_MOMENTS 1e-12
// A tenth of a radian a part for up to 40 rad in a step (2,400 rad/s at 1/60 s). Faster bodies turn
// farther in a part: |L| stays exact, so their energy stays between those of rotation about the axes of the
// largest and the smallest moment.
#define CN_MAX_TURN_PARTS 400

// A body with two equal moments, exactly: its axis goes round L at the rate L/I across, and the body spins
// about the axis by the rest of ω. `axis` in world axes, `own` its moment.
static cnQuat TurnSymmetric(cnQuat rotation, cnVec3 angularMomentum, cnVec3 axis, double own, double across,
                            double h) {
    double spin = (1.0 / own - 1.0 / across) * cnDot(axis, angularMomentum);
    cnQuat spun = cnMulQuat(cnRotationBy(cnScale(h * spin, axis)), rotation);
    cnQuat carried = cnRotationBy(cnScale(h / across, angularMomentum));
    return cnNormalizeQuat(cnMulQuat(carried, spun));
}

// The axis of symmetry in principal axes, 0 or 2 for x or z; −1 where all three moments differ,
// 1 where none do.
static int SymmetryOf(cnVec3 moments) {
    double equal = CN_EQUAL_MOMENTS * moments.z;
    if (moments.z - moments.x <= equal) {
        return 1;
    }
    return moments.z - moments.y <= equal ? 0 : (moments.y - moments.x <= equal ? 2 : -1);
}

// The image of x or z.
static cnVec3 AxisOf(cnQuat q, int axis) {
    return axis == 0 ? cnVec(1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y + q.w * q.z),
                             2.0 * (q.x * q.z - q.w * q.y))
                     : cnVec(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x),
                             1.0 - 2.0 * (q.x * q.x + q.y * q.y));
}

// Turns q about its own axis (0, 1, 2) by `angle`, and the body-frame momentum back by the same.
static void TurnAboutAxis(cnQuat* q, double momentum[3], int axis, double angle) {
    const cnQuat turn = cnRotationBy(cnVec(angle, 0.0, 0.0));
    const double s = turn.x, c = turn.w;
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    const double before[4] = {q->x, q->y, q->z, q->w};
    double after[4];
    after[axis] = c * before[axis] + s * before[3];
    after[j] = c * before[j] + s * before[k];
    after[k] = c * before[k] - s * before[j];
    after[3] = c * before[3] - s * before[axis];
    *q = (cnQuat){after[0], after[1], after[2], after[3]};
    double sine = 2.0 * s * c, cosine = 1.0 - 2.0 * s * s;
    double mj = momentum[j], mk = momentum[k];
    momentum[j] = cosine * mj + sine * mk;
    momentum[k] = cosine * mk - sine * mj;
}

// R diag(d) Rᵀ v: momentum to velocity with the inverse moments, velocity to momentum with the moments.
static cnVec3 AlongPrincipal(cnQuat principal, cnVec3 diagonal, cnVec3 v) {
    return cnRotate(principal, cnMul(diagonal, cnInvRotate(principal, v)));
}

cnQuat cnRotateFreely(cnQuat rotation, cnVec3 angularMomentum, cnVec3 principalInertia, cnQuat principalAxes,
                      double h) {
    cnVec3 moments = principalInertia;
    int symmetry = SymmetryOf(moments);
    if (symmetry == 1) {
        cnVec3 turn = cnScale(h / moments.y, angularMomentum);
        return cnNormalizeQuat(cnMulQuat(cnRotationBy(turn), rotation));
    }
    cnQuat principal = cnMulQuat(rotation, principalAxes);
    if (symmetry >= 0) {
        double own = symmetry == 0 ? moments.x : moments.z, across = symmetry == 0 ? moments.z : moments.x;
        return TurnSymmetric(rotation, angularMomentum, AxisOf(principal, symmetry), own, across, h);
    }

    // slow: the velocity in the middle by Euler's equations, then the whole turn with it
    cnVec3 inverse = {1.0 / moments.x, 1.0 / moments.y, 1.0 / moments.z};
    cnVec3 body = cnInvRotate(principal, angularMomentum), omega = cnMul(inverse, body);
    double speed = h * cnLength(omega);
    if (speed < CN_SLOW_TURN) {
        cnVec3 change = cnMul(inverse, cnCross(body, omega));
        cnVec3 middle = cnRotate(principal, cnMulAdd(omega, 0.5 * h, change));
        return cnNormalizeQuat(cnMulQuat(cnRotationBy(cnScale(h, middle)), rotation));
    }

    // fast: the splitting, twice, or often enough that no part turns far
    int parts = speed > 0.2 ? (int)ceil(cnMin(10.0 * speed, CN_MAX_TURN_PARTS)) : 2;
    double t = h / parts;
    double momentum[3] = {body.x, body.y, body.z};
    for (int part = 0; part < parts; ++part) {
        TurnAboutAxis(&principal, momentum, 0, 0.5 * t * momentum[0] * inverse.x);
        TurnAboutAxis(&principal, momentum, 1, 0.5 * t * momentum[1] * inverse.y);
        TurnAboutAxis(&principal, momentum, 2, t * momentum[2] * inverse.z);
        TurnAboutAxis(&principal, momentum, 1, 0.5 * t * momentum[1] * inverse.y);
        TurnAboutAxis(&principal, momentum, 0, 0.5 * t * momentum[0] * inverse.x);
    }
    return cnNormalizeQuat(cnMulQuat(principal, cnConjugate(principalAxes)));
}

cnQuat cnRotateSpinning(cnQuat rotation, cnVec3 angularVelocity, cnVec3 principalInertia,
                        cnQuat principalAxes, double h) {
    cnVec3 momentum = AlongPrincipal(cnMulQuat(rotation, principalAxes), principalInertia, angularVelocity);
    return cnRotateFreely(rotation, momentum, principalInertia, principalAxes, h);
}

bool cnFindSymmetry(cnVec3 principalInertia, cnQuat principalAxes, cnSymmetry* symmetry) {
    int axis = SymmetryOf(principalInertia);
    if (axis < 0) {
        return false;
    }
    double ratio =
        axis == 0 ? principalInertia.x / principalInertia.z : principalInertia.z / principalInertia.x;
    *symmetry = (cnSymmetry){AxisOf(principalAxes, axis), axis == 1 ? 0.0 : ratio - 1.0};
    return true;
}

bool cnRotateSpinningPair(const cnSpinning* a, const cnSpinning* b, double h) {
    const double excess[2] = {h * a->symmetry->excess, h * b->symmetry->excess};
    const cnQuatD rotation = cnLoadQuatD(a->rotation, b->rotation);
    const cnVecD spin = cnLoadVecD(a->spin, b->spin);
    const cnVecD axis = cnRotateD(rotation, cnLoadVecD(&a->symmetry->axis.x, &b->symmetry->axis.x));
    const cnVecD back = cnScaleD(cnMulD(cnLoadD(excess), cnDotD(axis, spin)), axis);
    const cnVecD carry = cnMulAddVecD(back, cnSplatD(h), spin);
    const cnD2 quarter = cnSplatD(0.25);
    const cnD2 ofBack = cnMulD(quarter, cnDotD(back, back)), ofCarry = cnMulD(quarter, cnDotD(carry, carry));
    double max[2];
    cnStoreD(max, cnAddD(ofBack, ofCarry));
    if (!(max[0] < CN_SERIES_LIMIT) || !(max[1] < CN_SERIES_LIMIT)) {
        return false;
    }
    const cnQuatD spun = cnMulQuatD(cnConjugateD(cnSmallRotationD(back, ofBack)), rotation);
    cnStoreQuatD(cnMulQuatD(cnSmallRotationD(carry, ofCarry), spun), a->turned, b->turned);
    return true;
}
