#include "dynamics/rotation.h"

// Below this turn in a step a midpoint rule of second order does: its error per step is of the order of the cube.
#define CN_SLOW_TURN 1e-3
// Moments that differ by less than this fraction count as equal.
#define CN_EQUAL_MOMENTS 1e-12

// A body with two equal moments, exactly: its axis goes round L at the rate L/I across, and the body spins about the axis by the
// rest of ω. `axis` in world axes, `own` its moment.
static cnQuat cnTurnSymmetric(cnQuat rotation, cnVec3 angularMomentum, cnVec3 axis, double own, double across,
                              double h) {
    double spin = (1.0 / own - 1.0 / across) * cnDot(axis, angularMomentum);
    cnQuat spun = cnMulQuat(cnQuatFromRotationVector(cnScale(h * spin, axis)), rotation);
    cnQuat carried = cnQuatFromRotationVector(cnScale(h / across, angularMomentum));
    return cnNormalizeQuat(cnMulQuat(carried, spun));
}

// Turns q about its own axis (0, 1, 2) by `angle`, and the body-frame momentum back by the same.
static void cnTurnAboutAxis(cnQuat* q, double momentum[3], int axis, double angle) {
    double s = cnSin(0.5 * angle), c = cnCos(0.5 * angle);
    cnQuat turn = {axis == 0 ? s : 0.0, axis == 1 ? s : 0.0, axis == 2 ? s : 0.0, c};
    *q = cnMulQuat(*q, turn);
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    double sine = 2.0 * s * c, cosine = 1.0 - 2.0 * s * s;
    double mj = momentum[j], mk = momentum[k];
    momentum[j] = cosine * mj + sine * mk;
    momentum[k] = cosine * mk - sine * mj;
}

cnVec3 cnAngularVelocityOf(cnQuat rotation, cnMat33 inverseInertia, cnVec3 angularMomentum) {
    return cnRotate(rotation, cnMulMat(inverseInertia, cnInvRotate(rotation, angularMomentum)));
}

static cnVec3 cnPrincipalVelocity(cnQuat principal, cnVec3 inverse, cnVec3 momentum) {
    return cnRotate(principal, cnMul(inverse, cnInvRotate(principal, momentum)));
}

cnQuat cnTurnFreely(cnQuat rotation, cnVec3 angularMomentum, cnVec3 principalInertia, cnQuat principalAxes,
                    double h) {
    cnVec3 moments = principalInertia;
    if (moments.z - moments.x <= CN_EQUAL_MOMENTS * moments.z) {
        cnVec3 turn = cnScale(h / moments.y, angularMomentum);
        return cnNormalizeQuat(cnMulQuat(cnQuatFromRotationVector(turn), rotation));
    }

    cnQuat principal = cnMulQuat(rotation, principalAxes);
    if (moments.z - moments.y <= CN_EQUAL_MOMENTS * moments.z) {
        cnVec3 axis = cnRotate(principal, cnVec(1.0, 0.0, 0.0));
        return cnTurnSymmetric(rotation, angularMomentum, axis, moments.x, moments.z, h);
    }
    if (moments.y - moments.x <= CN_EQUAL_MOMENTS * moments.z) {
        cnVec3 axis = cnRotate(principal, cnVec(0.0, 0.0, 1.0));
        return cnTurnSymmetric(rotation, angularMomentum, axis, moments.z, moments.x, h);
    }

    // slow: half a turn to find the velocity in the middle, then the whole turn with it
    cnVec3 inverse = {1.0 / moments.x, 1.0 / moments.y, 1.0 / moments.z};
    cnVec3 omega = cnPrincipalVelocity(principal, inverse, angularMomentum);
    double speed = h * cnLength(omega);
    if (speed < CN_SLOW_TURN) {
        cnQuat half =
            cnNormalizeQuat(cnMulQuat(cnQuatFromRotationVector(cnScale(0.5 * h, omega)), principal));
        cnVec3 middle = cnPrincipalVelocity(half, inverse, angularMomentum);
        return cnNormalizeQuat(cnMulQuat(cnQuatFromRotationVector(cnScale(h, middle)), rotation));
    }

    // fast: the splitting, twice, or often enough that no part turns far
    int parts = speed > 0.2 ? (int)ceil(10.0 * cnMin(speed, 1e3)) : 2;
    double t = h / parts;
    cnVec3 body = cnInvRotate(principal, angularMomentum);
    double momentum[3] = {body.x, body.y, body.z};
    for (int part = 0; part < parts; ++part) {
        cnTurnAboutAxis(&principal, momentum, 0, 0.5 * t * momentum[0] * inverse.x);
        cnTurnAboutAxis(&principal, momentum, 1, 0.5 * t * momentum[1] * inverse.y);
        cnTurnAboutAxis(&principal, momentum, 2, t * momentum[2] * inverse.z);
        cnTurnAboutAxis(&principal, momentum, 1, 0.5 * t * momentum[1] * inverse.y);
        cnTurnAboutAxis(&principal, momentum, 0, 0.5 * t * momentum[0] * inverse.x);
    }
    return cnNormalizeQuat(cnMulQuat(principal, cnConjugate(principalAxes)));
}
