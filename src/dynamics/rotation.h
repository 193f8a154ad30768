// Torque-free rotation that keeps the angular momentum to rounding and the energy bounded.
//
// A free body's angular momentum L about its centre of mass is fixed in the world; its rotation R follows
//   R' = [ω]× R,  ω = R I⁻¹ Rᵀ L.
// In principal axes the energy H = Σ Lᵢ²/(2 Iᵢ) is a sum of three parts whose flows are exact rotations:
// under Lᵢ²/(2 Iᵢ) the body turns about its own axis i by t Lᵢ/Iᵢ, and Lᵢ stays. Composing them a(t/2) b(t/2)
// c(t) b(t/2) a(t/2) is symplectic and time-symmetric, so the energy error stays bounded indefinitely
// (McLachlan 1993; Reich 1994); L is never touched. The axes are taken in the order I_a <= I_b <= I_c: other
// orders err up to 50 times more (docs/physics.md).
//
// Keeping ω instead (exp(h ω/2), no gyroscopic torque) drifts; an implicit midpoint rule keeps less of the
// flipping top's phase at the same cost.
#pragma once

#include "cairn/math.h"

// Turns `rotation` through h seconds with the angular momentum fixed. principalInertia ascending;
// principalAxes from principal to model axes.
cnQuat cnRotateFreely(cnQuat rotation, cnVec3 angularMomentum, cnVec3 principalInertia, cnQuat principalAxes,
                      double h);

// The same from the angular velocity that the body has at the start, for a look ahead.
cnQuat cnRotateSpinning(cnQuat rotation, cnVec3 angularVelocity, cnVec3 principalInertia,
                        cnQuat principalAxes, double h);

// An axis of symmetry, in model axes, and by what part the moment about it exceeds the one across it.
typedef struct cnSymmetry {
    cnVec3 axis;
    double excess;
} cnSymmetry;

// False where all three moments differ.
bool cnFindSymmetry(cnVec3 principalInertia, cnQuat principalAxes, cnSymmetry* symmetry);

// One of two bodies that turn side by side.
typedef struct cnSpinning {
    const cnQuat* rotation;
    const double* spin; // angular velocity, rad/s
    const cnSymmetry* symmetry;
    cnQuat* turned; // out
} cnSpinning;

// cnRotateSpinning of two bodies with axes of symmetry, in lanes; unit to rounding, not normalised. False,
// with nothing written, where one turns by more than 0.2 rad.
bool cnRotateSpinningPair(const cnSpinning* a, const cnSpinning* b, double h);

// Angular velocity of a body: R I⁻¹ Rᵀ L, with the inverse inertia in model axes.
static inline cnVec3 cnAngularVelocityOf(cnQuat rotation, const cnMat33* inverseInertia,
                                         cnVec3 angularMomentum) {
    return cnRotate(rotation, cnMulMat(*inverseInertia, cnInvRotate(rotation, angularMomentum)));
}
