#include "solve/rows/stiff_joints.h"

#include "base/report/assert.h"
#include "dynamics/rotation.h"
#include "math/small_rotation.h"

// Arms below this length, m, carry no stiffness.
#define CN_MIN_ARM 1e-12
// s = 1.6 where a step without A becomes unstable.
#define CN_ONSET 2.5

// M + factor v vᵀ.
static cnMat33 AddSquare(cnMat33 m, double factor, cnVec3 v) {
    cnVec3 scaled = cnScale(factor, v);
    return (cnMat33){cnMulAdd(m.x, v.x, scaled), cnMulAdd(m.y, v.y, scaled), cnMulAdd(m.z, v.z, scaled)};
}

void cnStiffness_Add(cnStiffness* stiffness, double force, cnVec3 arm, double length) {
    if (!(force > 0.0) || !(length > CN_MIN_ARM)) {
        return;
    }
    double factor = 2.0 * force / length, square = length * length;
    cnMat33* k = &stiffness->tensor;
    *k = AddSquare(*k, -factor, arm);
    k->x.x += factor * square;
    k->y.y += factor * square;
    k->z.z += factor * square;
    stiffness->sum += force * length;
}

// How much of h² K is added, of an onset s, whose square may be beyond f64.
static double ShareOf(double s) {
    double square = cnMin(s, 1e100) * cnMin(s, 1e100);
    return square / (1.0 + square);
}

void cnStiffness_AddAxis(cnStiffness* stiffness, double tilted, cnVec3 axis, double moment, double h) {
    CN_ASSERT(h > 0.0);
    double s = moment > 0.0 ? h * h * tilted / (CN_ONSET * moment) : 0.0;
    stiffness->axial = AddSquare(stiffness->axial, 2.0 * h * h * tilted * ShareOf(s), axis);
    stiffness->sum += tilted;
}

cnMat33 cnStiffness_AddedInertia(const cnStiffness* stiffness, double largestMoment, double h) {
    CN_ASSERT(h > 0.0);
    double s = h * h * stiffness->sum / (CN_ONSET * largestMoment);
    cnMat33 swinging = cnScaleMat(h * h * ShareOf(s), stiffness->tensor);
    return (cnMat33){cnAdd(swinging.x, stiffness->axial.x), cnAdd(swinging.y, stiffness->axial.y),
                     cnAdd(swinging.z, stiffness->axial.z)};
}

double cnStiffness_AddedMass(double tautness, double inverseMass, double h) {
    CN_ASSERT(h > 0.0 && tautness >= 0.0 && inverseMass >= 0.0);
    double s = 2.0 * h * h * tautness * inverseMass / CN_ONSET;
    return 2.0 * h * h * tautness * ShareOf(s);
}

double cnStiffness_CarriedShare(double before, double now, cnVec3 velocity, cnVec3 filtered) {
    double sizes = cnLengthSquared(velocity) + cnLengthSquared(filtered);
    if (!(now > 0.0) || !(sizes > 0.0)) {
        return 0.0;
    }
    double change = cnLengthSquared(cnSub(velocity, filtered)) / sizes;
    return cnMin(1.0, 1.2 * before / now) * cnMax(0.0, 1.0 - change);
}

// sin x/x.
static double Sinc(double x) {
    return fabs(x) < 1e-3 ? 1.0 - x * x / 6.0 : cnSin(x) / x;
}

// What a rotor's own shape does to its momentum along the axis while the axis is carried round with `across`:
// the mean over the turn of Euler's moment across·(a × I ω), whose parts in I across and in I a go round
// twice and once with the rotor.
static double MeanEulerMoment(const cnBodyTable* bodies, int row, cnQuat rotation, cnVec3 axis, double along,
                              cnVec3 across, double h) {
    double angle = h * along;
    cnQuat half = cnMulQuat(cnQuatFromRotationVector(cnScale(0.5 * angle, axis)), rotation);
    cnVec3 lever = cnCross(across, axis);
    cnVec3 twice = cnBody_AngularMomentumFor(bodies, row, half, across);
    cnVec3 once = cnBody_AngularMomentumFor(bodies, row, half, cnScale(along, axis));
    return Sinc(angle) * cnDot(lever, twice) + Sinc(0.5 * angle) * cnDot(lever, once);
}

cnQuat cnRotationModel_Apply(const cnRotationModel* model, const cnBodyTable* bodies, int row,
                             cnQuat rotation, cnVec3 spin, double h, cnRotated* rotated) {
    if (model->kind == cn_rotationFree) {
        return cnRotateSpinning(rotation, spin, bodies->principalInertia[row], bodies->principalAxes[row], h);
    }
    if (model->kind == cn_rotationPlain) {
        return cnNormalizeQuat(cnMulQuat(cnRotationBy(cnScale(h, spin)), rotation));
    }
    cnVec3 axis = cnRotate(rotation, model->axis);
    double along = cnDot(spin, axis);
    cnQuat own = cnRotationBy(cnScale(h * along, axis));
    cnVec3 rest = cnMulAdd(spin, -along, axis);
    cnQuat across = cnRotationBy(cnScale(h, rest));
    cnQuat now = cnNormalizeQuat(cnMulQuat(across, cnMulQuat(own, rotation)));
    if (rotated != NULL) {
        cnVec3 before = cnBody_AngularMomentumFor(bodies, row, rotation, spin);
        // what goes across goes on as it is, what goes about the axis as its momentum says; the
        // bearings owe the rest
        cnVec3 after = cnRotate(across, axis);
        double kept = cnDot(axis, before) + h * MeanEulerMoment(bodies, row, rotation, axis, along, rest, h);
        cnVec3 ofRest = cnBody_AngularMomentumFor(bodies, row, now, rest);
        cnVec3 ofAxis = cnBody_AngularMomentumFor(bodies, row, now, after);
        double spun = (kept - cnDot(after, ofRest)) / cnDot(after, ofAxis);
        cnVec3 momentum = cnMulAdd(ofRest, spun, ofAxis);
        cnVec3 change = cnSub(before, momentum);
        *rotated = (cnRotated){momentum, cnMulAdd(change, -cnDot(change, after), after)};
    }
    return now;
}
