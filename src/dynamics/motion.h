// One body's mass, velocity and pose: how the columns hang together.
//
// Symbols: m mass, I inertia about the centre of mass, c added mass or inertia as a fraction, D damping
// (1/s), all per model axis; R the rotation. With S_c = diag √(1 + c) and S = diag √((1 + c)(1 + D h)):
//   momentum          p = R m (1 + c) Rᵀ v            L = R S_c I S_c Rᵀ ω
//   left-hand matrix  M' = R m (1 + c)(1 + D h) Rᵀ    I' = R S I S Rᵀ
//   a step of h       M' v⁺ = p + h f,  I' ω⁺ = L + h τ
// (docs/physics.md, "Velocity damping").
#pragma once

#include "dynamics/body_table.h"

// Inverse of the left-hand matrices for steps of h, in world axes; zero unless dynamic and enabled.
typedef struct cnInverseMass {
    cnMat33 linear;
    cnMat33 angular;
} cnInverseMass;

void cnBody_GetInverseMass(const cnBodyTable* table, int row, double h, cnInverseMass* inverse);

// Solvers move it: dynamic, enabled, and no part that a carrier moves.
static inline bool cnBody_IsSimulated(const cnBodyTable* table, int row) {
    uint32_t asked = cn_bodyDynamic | cn_bodyEnabled | cn_bodyCarried;
    return (table->flags[row] & asked) == (cn_bodyDynamic | cn_bodyEnabled);
}

// After mass, inertia, coefficients or motion changed: inverse inertia, principal axes, flags; the velocities
// stay and the angular momentum follows.
void cnBody_UpdateMass(cnBodyTable* table, int row);

// After the pose changed: the centre of mass follows.
void cnBody_UpdateCentre(cnBodyTable* table, int row);

// After the centre of mass and rotation changed: the model frame follows.
void cnBody_UpdatePosition(cnBodyTable* table, int row);

// Velocities of these momenta, kg m/s and kg m²/s, at the time of the pose.
void cnBody_SetMomenta(cnBodyTable* table, int row, cnVec3 momentum, cnVec3 angularMomentum);

void cnBody_StoreAngularVelocity(cnBodyTable* table, int row, cnVec3 angularVelocity);

// Angular momentum of a body with that angular velocity, kg m²/s.
cnVec3 cnBody_AngularMomentumFor(const cnBodyTable* table, int row, cnQuat rotation, cnVec3 angularVelocity);

// L → ω.
void cnBody_UpdateAngularVelocity(cnBodyTable* table, int row);

// What forces, torques and damping do to a body's velocities in a step of h, before any contact:
//   v⁺ = v + linear + linearDamping v,  ω⁺ = ω + angular + angularDamping ω,
// linear = h M'⁻¹ f, linearDamping = M'⁻¹ M_c − 1, angular ones alike. The matrices are those at the start of
// the step, so that sub-steps share them.
typedef struct cnDampingResponse {
    cnMat33 linear, angular;
} cnDampingResponse;

typedef struct cnForceResponse {
    cnVec3 linear, angular;
    const cnDampingResponse* damping; // null where nothing is damped
} cnForceResponse;

// `damping` is where the matrices of a damped body (cn_bodyDamped) go, not used for others.
void cnBody_GetForceResponse(const cnBodyTable* table, int row, double h, const cnInverseMass* inverse,
                             cnVec3 force, cnVec3 torque, cnDampingResponse* damping,
                             cnForceResponse* response);

// What a response changes velocities by.
static inline cnVec3 cnForceResponse_Linear(const cnForceResponse* response, cnVec3 velocity) {
    return response->damping != NULL ? cnAdd(response->linear, cnMulMat(response->damping->linear, velocity))
                                     : response->linear;
}

static inline cnVec3 cnForceResponse_Angular(const cnForceResponse* response, cnVec3 velocity) {
    return response->damping != NULL
               ? cnAdd(response->angular, cnMulMat(response->damping->angular, velocity))
               : response->angular;
}

// One step of a body's pose and velocities, told as differences from "goes on as it did": a body that nothing
// acts on keeps its momenta to the bit.
typedef struct cnMotionStep {
    double h;
    cnVec3 shift;           // m, of the centre of mass, beyond h v
    cnVec3 turn;            // rad, beyond h ω
    cnVec3 velocity;        // m/s, change
    cnVec3 angularVelocity; // rad/s, change
    bool atOnce;     // the changes are there from the start: shift and turn are h times these, and not read
    bool gyroscopic; // false: the angular velocity is kept, not the angular momentum
} cnMotionStep;

void cnBody_Move(cnBodyTable* table, int row, const cnMotionStep* step);

// Velocities at the time of the pose become the state's: before one of them, or the pose, is set.
void cnBody_Synchronise(cnBodyTable* table, int row);

// What is read are the state's velocities: they are those at the time of the pose, or all that is known.
void cnBody_ReadState(cnBodyTable* table, int row);

// Velocities to read, `lag` seconds after those of the state under a force and a torque.
void cnBody_ReadAhead(cnBodyTable* table, int row, double lag, cnVec3 force, cnVec3 torque);
// An angular velocity to read.
void cnBody_ReadSpin(cnBodyTable* table, int row, cnVec3 spin);

// Kinematic bodies: the velocities that bring the body to its target in time, or stop it there.
void cnBody_AimAtTarget(cnBodyTable* table, int row, double h);

// J.
double cnBody_GetKineticEnergy(const cnBodyTable* table, int row);

// kg m/s of a body with that velocity, added mass included: R m (1 + c) Rᵀ v. What a step asks for of every
// body; by its axes only where they differ.
cnVec3 cnBody_MomentumByAxes(const cnBodyTable* table, int row, cnVec3 velocity);

static inline cnVec3 cnBody_MomentumFor(const cnBodyTable* table, int row, cnVec3 velocity) {
    return (table->flags[row] & cn_bodyIsotropicMass) != 0
               ? cnScale(table->mass[row] * (1.0 + table->massCoefficients[row].x), velocity)
               : cnBody_MomentumByAxes(table, row, velocity);
}

static inline cnVec3 cnBody_GetMomentum(const cnBodyTable* table, int row) {
    return cnBody_MomentumFor(table, row, table->halfStepVelocity[row]);
}

// The same of the velocities to read.
double cnBody_ReadKineticEnergy(const cnBodyTable* table, int row);
cnVec3 cnBody_ReadMomentum(const cnBodyTable* table, int row);

// Velocity of body 1's point relative to body 2's, from the body table (rows may be −1); as the state has it,
// and at the time of the poses.
cnVec3 cnRelativeVelocity(const cnBodyTable* bodies, int row1, int row2, cnVec3 arm1, cnVec3 arm2);
cnVec3 cnRelativeReading(const cnBodyTable* bodies, int row1, int row2, cnVec3 arm1, cnVec3 arm2);

// Before the gravity of a body that nothing static or kinematic acts on changes, by so many m/s². Half-step
// velocities belong to `lag` before the pose: what falls freely had the old gravity from then on, and what is
// read of it stays. What lies or hangs on something static has forces from there that change.
void cnBody_ChangeGravity(cnBodyTable* table, int row, cnVec3 more);
