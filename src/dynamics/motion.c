#include "dynamics/motion.h"
#include "base/report/assert.h"

#include "dynamics/rotation.h"
#include "math/small_rotation.h"

static bool SameAlongAxes(cnVec3 v) {
    return v.x == v.y && v.y == v.z;
}

static cnVec3 OnePlus(cnVec3 v) {
    return (cnVec3){1.0 + v.x, 1.0 + v.y, 1.0 + v.z};
}

static cnVec3 SqrtVec(cnVec3 v) {
    return (cnVec3){sqrt(v.x), sqrt(v.y), sqrt(v.z)};
}

static cnVec3 Reciprocal(cnVec3 v) {
    return (cnVec3){1.0 / v.x, 1.0 / v.y, 1.0 / v.z};
}

// diag(s) m diag(s)
static cnMat33 ScaleBothSides(cnVec3 s, cnMat33 m) {
    return (cnMat33){cnScale(s.x, cnMul(s, m.x)), cnScale(s.y, cnMul(s, m.y)), cnScale(s.z, cnMul(s, m.z))};
}

// R m Rᵀ; of most shapes m is diagonal.
static cnMat33 InWorldAxes(cnMat33 rotation, cnMat33 m) {
    bool isDiagonal = m.x.y == 0.0 && m.x.z == 0.0 && m.y.z == 0.0;
    return isDiagonal ? cnRotateDiagonal(rotation, (cnVec3){m.x.x, m.y.y, m.z.z}) : cnRotateMat(rotation, m);
}

// (1 + c)(1 + D h)
static cnVec3 LeftHandFactor(cnVec3 coefficients, cnVec3 damping, double h) {
    return cnMul(OnePlus(coefficients), OnePlus(cnScale(h, damping)));
}

// R S_c I S_c Rᵀ ω
cnVec3 cnBody_AngularMomentumFor(const cnBodyTable* table, int row, cnQuat rotation, cnVec3 angularVelocity) {
    if (cnIsZeroVec(angularVelocity)) {
        return cnVec3_zero;
    }
    cnVec3 local = cnInvRotate(rotation, angularVelocity);
    if (cnIsZeroVec(table->inertiaCoefficients[row])) {
        return cnRotate(rotation, cnMulMat(table->inertia[row], local));
    }
    cnVec3 added = SqrtVec(OnePlus(table->inertiaCoefficients[row]));
    return cnRotate(rotation, cnMul(added, cnMulMat(table->inertia[row], cnMul(added, local))));
}

void cnBody_GetInverseMass(const cnBodyTable* table, int row, double h, cnInverseMass* inverse) {
    if (!cnBody_IsSimulated(table, row)) {
        *inverse = (cnInverseMass){0};
        return;
    }
    cnVec3 mass =
        cnScale(table->mass[row], LeftHandFactor(table->massCoefficients[row], table->linearDamping[row], h));
    if ((table->flags[row] & cn_bodyIsotropicMass) != 0) {
        double along = 1.0 / mass.x;
        inverse->linear = cnDiagonal((cnVec3){along, along, along});
    } else {
        inverse->linear = cnRotateDiagonal(cnMatFromQuat(table->rotation[row]), Reciprocal(mass));
    }
    inverse->angular = table->inverseInertia[row];
    if ((table->flags[row] & cn_bodyDamped) != 0 && !cnIsZeroVec(table->angularDamping[row])) {
        cnVec3 damping = OnePlus(cnScale(h, table->angularDamping[row]));
        inverse->angular = ScaleBothSides(Reciprocal(SqrtVec(damping)), inverse->angular);
    }
    if ((table->flags[row] & cn_bodySphericalInertia) == 0) {
        inverse->angular = InWorldAxes(cnMatFromQuat(table->rotation[row]), inverse->angular);
    }
}

void cnBody_UpdateMass(cnBodyTable* table, int row) {
    uint32_t derived = cn_bodyIsotropicMass | cn_bodySphericalInertia | cn_bodyDamped;
    uint32_t flags = table->flags[row] & ~derived;
    if (!cnIsZeroVec(table->linearDamping[row]) || !cnIsZeroVec(table->angularDamping[row])) {
        flags |= cn_bodyDamped;
    }
    if (SameAlongAxes(table->massCoefficients[row]) && SameAlongAxes(table->linearDamping[row])) {
        flags |= cn_bodyIsotropicMass;
    }

    // inertia with the added part, its inverse and its principal axes
    cnVec3 added = SqrtVec(OnePlus(table->inertiaCoefficients[row]));
    cnMat33 inertia = ScaleBothSides(added, table->inertia[row]);
    table->inverseInertia[row] = (flags & cn_bodyDynamic) != 0 ? cnInverse(inertia) : (cnMat33){0};
    table->principalInertia[row] = cnSymmetricEigen(inertia, &table->principalAxes[row]);
    bool diagonal = inertia.x.y == 0.0 && inertia.x.z == 0.0 && inertia.y.z == 0.0;
    if (diagonal && inertia.x.x == inertia.y.y && inertia.y.y == inertia.z.z &&
        SameAlongAxes(table->angularDamping[row])) {
        flags |= cn_bodySphericalInertia;
    }
    table->flags[row] = flags;
    cnBody_StoreAngularVelocity(table, row, table->halfStepAngularVelocity[row]);
    table->angularMomentum[row] =
        cnBody_AngularMomentumFor(table, row, table->rotation[row], table->angularVelocity[row]);
}

void cnBody_UpdateCentre(cnBodyTable* table, int row) {
    table->centreOfMass[row] =
        cnAdd(table->position[row], cnRotate(table->rotation[row], table->localCentreOfMass[row]));
}

void cnBody_UpdatePosition(cnBodyTable* table, int row) {
    table->position[row] = table->centreOfMass[row];
    if (!cnIsZeroVec(table->localCentreOfMass[row])) {
        cnVec3 offset = cnRotate(table->rotation[row], table->localCentreOfMass[row]);
        table->position[row] = cnSub(table->centreOfMass[row], offset);
    }
}

void cnBody_StoreAngularVelocity(cnBodyTable* table, int row, cnVec3 angularVelocity) {
    table->halfStepAngularVelocity[row] = angularVelocity;
    table->halfStepAngularMomentum[row] =
        cnBody_AngularMomentumFor(table, row, table->rotation[row], angularVelocity);
}

void cnBody_UpdateAngularVelocity(cnBodyTable* table, int row) {
    table->halfStepAngularVelocity[row] = cnAngularVelocityOf(
        table->rotation[row], &table->inverseInertia[row], table->halfStepAngularMomentum[row]);
}

cnVec3 cnBody_MomentumByAxes(const cnBodyTable* table, int row, cnVec3 velocity) {
    cnVec3 coefficients = OnePlus(table->massCoefficients[row]);
    cnQuat rotation = table->rotation[row];
    return cnScale(table->mass[row],
                   cnRotate(rotation, cnMul(coefficients, cnInvRotate(rotation, velocity))));
}

// The inverse of cnBody_MomentumFor.
static inline cnVec3 VelocityFor(const cnBodyTable* table, int row, cnVec3 momentum) {
    cnVec3 mass = cnScale(table->mass[row], OnePlus(table->massCoefficients[row]));
    if ((table->flags[row] & cn_bodyIsotropicMass) != 0) {
        return cnScale(1.0 / mass.x, momentum);
    }
    cnQuat rotation = table->rotation[row];
    return cnRotate(rotation, cnMul(Reciprocal(mass), cnInvRotate(rotation, momentum)));
}

void cnBody_SetMomenta(cnBodyTable* table, int row, cnVec3 momentum, cnVec3 angularMomentum) {
    table->halfStepVelocity[row] = VelocityFor(table, row, momentum);
    table->halfStepAngularMomentum[row] = angularMomentum;
    cnBody_UpdateAngularVelocity(table, row);
    table->lag[row] = 0.0;
    table->owedImpulse[row] = table->owedMoment[row] = cnVec3_zero;
    table->filteredSpin[row] = table->halfStepAngularVelocity[row];
    cnBody_ReadState(table, row);
    table->previousVelocity[row] = table->velocity[row];
    table->previousAngularVelocity[row] = table->angularVelocity[row];
}

cnVec3 cnBody_ReadMomentum(const cnBodyTable* table, int row) {
    return cnBody_MomentumFor(table, row, table->velocity[row]);
}

double cnBody_ReadKineticEnergy(const cnBodyTable* table, int row) {
    return 0.5 * (cnDot(table->velocity[row], cnBody_ReadMomentum(table, row)) +
                  cnDot(table->angularVelocity[row], table->angularMomentum[row]));
}

double cnBody_GetKineticEnergy(const cnBodyTable* table, int row) {
    return 0.5 * (cnDot(table->halfStepVelocity[row], cnBody_GetMomentum(table, row)) +
                  cnDot(table->halfStepAngularVelocity[row], table->halfStepAngularMomentum[row]));
}

void cnBody_GetForceResponse(const cnBodyTable* table, int row, double h, const cnInverseMass* inverse,
                             cnVec3 force, cnVec3 torque, cnDampingResponse* damping,
                             cnForceResponse* response) {
    response->linear = cnScale(h, cnMulMat(inverse->linear, force));
    response->angular = cnScale(h, cnMulMat(inverse->angular, torque));
    response->damping = NULL;
    if ((table->flags[row] & cn_bodyDamped) == 0) {
        return;
    }
    CN_ASSERT(damping != NULL);
    response->damping = damping;
    cnVec3 linearDamping = cnScale(h, table->linearDamping[row]);
    cnVec3 angularDamping = cnScale(h, table->angularDamping[row]);

    // linear: −D h / (1 + D h) along each axis
    cnMat33 rotation = cnMatFromQuat(table->rotation[row]);
    cnVec3 fraction = cnMul(linearDamping, Reciprocal(OnePlus(linearDamping)));
    damping->linear = cnRotateDiagonal(rotation, cnNeg(fraction));

    // angular: (S I S)⁻¹ (S_c I S_c) − 1 in model axes
    cnVec3 factor = Reciprocal(SqrtVec(OnePlus(angularDamping)));
    cnMat33 inertia = ScaleBothSides(SqrtVec(OnePlus(table->inertiaCoefficients[row])), table->inertia[row]);
    cnMat33 product = cnMulMatMat(ScaleBothSides(factor, table->inverseInertia[row]), inertia);
    cnMat33 difference = cnAddMat(product, cnDiagonal((cnVec3){-1.0, -1.0, -1.0}));
    damping->angular = cnRotateMat(rotation, difference);
}

// Half of the moment −v × p that added mass makes in a step of h, with the momentum that the step
// moves the body with.
static void KickByAddedMass(cnBodyTable* table, int row, double h, cnVec3 velocity, cnVec3 momentum) {
    table->halfStepAngularMomentum[row] =
        cnMulAdd(table->halfStepAngularMomentum[row], -0.5 * h, cnCross(velocity, momentum));
    cnBody_UpdateAngularVelocity(table, row);
}

// The rotation by the mean velocities of the step, and the angular velocity or momentum after it.
static void Rotate(cnBodyTable* table, int row, const cnMotionStep* step) {
    double h = step->h, perStep = 1.0 / h;
    cnQuat before = table->rotation[row];
    cnVec3 spinMore = step->atOnce ? step->angularVelocity : cnScale(perStep, step->turn);
    if (!step->gyroscopic || (table->flags[row] & cn_bodySphericalInertia) != 0) {
        // ω is kept while the body turns; for a ball that is the same as keeping L
        cnQuat turn = cnRotationBy(cnScale(h, cnAdd(table->halfStepAngularVelocity[row], spinMore)));
        table->rotation[row] = cnNormalizeQuat(cnMulQuat(turn, before));
        if (!step->gyroscopic) {
            cnBody_StoreAngularVelocity(table, row,
                                        cnAdd(table->halfStepAngularVelocity[row], step->angularVelocity));
            return;
        }
        cnVec3 change = cnBody_AngularMomentumFor(table, row, before, step->angularVelocity);
        table->halfStepAngularMomentum[row] = cnAdd(table->halfStepAngularMomentum[row], change);
    } else {
        // the turn belongs to the mean momentum of the step, the velocity to the last one; both are
        // fixed in the world
        cnVec3 change = cnBody_AngularMomentumFor(table, row, before, step->angularVelocity);
        cnVec3 meanChange = step->atOnce ? change : cnBody_AngularMomentumFor(table, row, before, spinMore);
        cnVec3 mean = cnAdd(table->halfStepAngularMomentum[row], meanChange);
        table->rotation[row] =
            cnRotateFreely(before, mean, table->principalInertia[row], table->principalAxes[row], h);
        table->halfStepAngularMomentum[row] = cnAdd(table->halfStepAngularMomentum[row], change);
    }
    cnBody_UpdateAngularVelocity(table, row);
}

// With added mass that differs by axis it is the momentum that stays while the body turns (Kirchhoff), and
// the energy ½ p·M⁻¹(R) p of its translation turns it. So the step is split in two (Strang): half of the
// translation at the first rotation, the rotation, the other half at the last one. Energy stays within O(h²),
// and L + x × p is kept to rounding. A body that joints hold goes where the velocities of the step lead: its
// rows see that place.
static void MoveWithAddedMass(cnBodyTable* table, int row, const cnMotionStep* step, cnVec3 meanVelocity) {
    double h = step->h;
    cnVec3 momentum = cnBody_MomentumFor(table, row, cnAdd(table->halfStepVelocity[row], step->velocity));
    cnVec3 meanMomentum = cnBody_MomentumFor(table, row, meanVelocity);
    KickByAddedMass(table, row, h, meanVelocity, meanMomentum);
    Rotate(table, row, step);
    cnVec3 lastVelocity = step->atOnce ? meanVelocity : VelocityFor(table, row, meanMomentum);
    KickByAddedMass(table, row, h, lastVelocity, meanMomentum);
    cnVec3 shift = cnScale(0.5 * h, cnAdd(meanVelocity, lastVelocity));
    table->centreOfMass[row] = cnAdd(table->centreOfMass[row], shift);
    table->halfStepVelocity[row] = VelocityFor(table, row, momentum);
}

void cnBody_Move(cnBodyTable* table, int row, const cnMotionStep* step) {
    double perStep = 1.0 / step->h;
    cnVec3 velocityMore = step->atOnce ? step->velocity : cnScale(perStep, step->shift);
    cnVec3 meanVelocity = cnAdd(table->halfStepVelocity[row], velocityMore);
    if ((table->flags[row] & cn_bodyIsotropicMass) != 0) {
        table->centreOfMass[row] = cnMulAdd(table->centreOfMass[row], step->h, meanVelocity);
        table->halfStepVelocity[row] = cnAdd(table->halfStepVelocity[row], step->velocity);
        Rotate(table, row, step);
    } else {
        MoveWithAddedMass(table, row, step, meanVelocity);
    }
    cnBody_UpdatePosition(table, row);
}

void cnBody_Synchronise(cnBodyTable* table, int row) {
    table->halfStepVelocity[row] = table->velocity[row];
    cnBody_StoreAngularVelocity(table, row, table->angularVelocity[row]);
    table->lag[row] = 0.0;
    table->owedImpulse[row] = table->owedMoment[row] = cnVec3_zero;
}

void cnBody_ReadState(cnBodyTable* table, int row) {
    table->velocity[row] = table->halfStepVelocity[row];
    table->angularVelocity[row] = table->halfStepAngularVelocity[row];
    table->angularMomentum[row] = table->halfStepAngularMomentum[row];
}

void cnBody_ReadAhead(cnBodyTable* table, int row, double lag, cnVec3 force, cnVec3 torque) {
    table->velocity[row] = cnAdd(table->halfStepVelocity[row], VelocityFor(table, row, cnScale(lag, force)));
    if (cnIsZeroVec(torque)) {
        table->angularMomentum[row] = table->halfStepAngularMomentum[row];
        table->angularVelocity[row] = table->halfStepAngularVelocity[row];
        return;
    }
    table->angularMomentum[row] = cnMulAdd(table->halfStepAngularMomentum[row], lag, torque);
    table->angularVelocity[row] =
        cnAngularVelocityOf(table->rotation[row], &table->inverseInertia[row], table->angularMomentum[row]);
}

void cnBody_ReadSpin(cnBodyTable* table, int row, cnVec3 spin) {
    table->angularVelocity[row] = spin;
    table->angularMomentum[row] = cnBody_AngularMomentumFor(table, row, table->rotation[row], spin);
}

void cnBody_AimAtTarget(cnBodyTable* table, int row, double h) {
    if ((table->flags[row] & cn_bodyMoving) == 0) {
        if ((table->flags[row] & cn_bodyStopping) != 0) { // it arrived in the last step
            table->halfStepVelocity[row] = cnVec3_zero;
            cnBody_StoreAngularVelocity(table, row, cnVec3_zero);
            table->flags[row] &= ~(uint32_t)cn_bodyStopping;
        }
        return;
    }
    double steps = cnMax(1.0, ceil(table->targetTime[row] / h - 1e-6));
    double duration = steps * h;
    cnVec3 centre = cnAdd(table->targetPosition[row],
                          cnRotate(table->targetRotation[row], table->localCentreOfMass[row]));
    table->halfStepVelocity[row] = cnScale(1.0 / duration, cnSub(centre, table->centreOfMass[row]));

    // the shorter way round
    cnQuat turn = cnMulQuat(table->targetRotation[row], cnConjugate(table->rotation[row]));
    double sign = turn.w < 0.0 ? -1.0 : 1.0;
    cnVec3 axis = {sign * turn.x, sign * turn.y, sign * turn.z};
    double sine = cnLength(axis);
    double angle = 2.0 * cnAtan2(sine, sign * turn.w);
    cnVec3 omega = sine > 0.0 ? cnScale(angle / (sine * duration), axis) : cnVec3_zero;
    cnBody_StoreAngularVelocity(table, row, omega);
}

static cnVec3 VelocityAt(const cnVec3* velocity, const cnVec3* spin, int row, cnVec3 arm) {
    return row >= 0 ? cnAdd(velocity[row], cnCross(spin[row], arm)) : cnVec3_zero;
}

cnVec3 cnRelativeVelocity(const cnBodyTable* bodies, int row1, int row2, cnVec3 arm1, cnVec3 arm2) {
    return cnSub(VelocityAt(bodies->halfStepVelocity, bodies->halfStepAngularVelocity, row1, arm1),
                 VelocityAt(bodies->halfStepVelocity, bodies->halfStepAngularVelocity, row2, arm2));
}

cnVec3 cnRelativeReading(const cnBodyTable* bodies, int row1, int row2, cnVec3 arm1, cnVec3 arm2) {
    return cnSub(VelocityAt(bodies->velocity, bodies->angularVelocity, row1, arm1),
                 VelocityAt(bodies->velocity, bodies->angularVelocity, row2, arm2));
}

void cnBody_ChangeGravity(cnBodyTable* table, int row, cnVec3 more) {
    if (!cnBody_IsSimulated(table, row) || table->lag[row] == 0.0) {
        return;
    }
    cnInverseMass inverse;
    cnBody_GetInverseMass(table, row, 0.0, &inverse);
    cnVec3 force = cnScale(table->mass[row], more);
    cnVec3 owed = cnMulMat(inverse.linear, cnScale(table->lag[row], force));
    table->halfStepVelocity[row] = cnSub(table->halfStepVelocity[row], owed);
    table->netForce[row] = cnAdd(table->netForce[row], force);
}
