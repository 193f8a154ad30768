#include "dynamics/motion.h"

#include "dynamics/rotation.h"
#include "math/small_rotation.h"

static bool SameAlongAxes(cnVec3 v) {
    return v.x == v.y && v.y == v.z;
}

static bool IsZero(cnVec3 v) {
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
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
    cnVec3 local = cnInvRotate(rotation, angularVelocity);
    if (IsZero(table->inertiaCoefficients[row])) {
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
    cnMat33 rotation = cnMatFromQuat(table->rotation[row]);
    cnVec3 mass =
        cnScale(table->mass[row], LeftHandFactor(table->massCoefficients[row], table->linearDamping[row], h));
    if ((table->flags[row] & cn_bodyIsotropicMass) != 0) {
        double along = 1.0 / mass.x;
        inverse->linear = cnDiagonal((cnVec3){along, along, along});
    } else {
        inverse->linear = cnRotateDiagonal(rotation, Reciprocal(mass));
    }
    inverse->angular = table->inverseInertia[row];
    if (!IsZero(table->angularDamping[row])) {
        cnVec3 damping = OnePlus(cnScale(h, table->angularDamping[row]));
        inverse->angular = ScaleBothSides(Reciprocal(SqrtVec(damping)), inverse->angular);
    }
    if ((table->flags[row] & cn_bodySphericalInertia) == 0) {
        inverse->angular = InWorldAxes(rotation, inverse->angular);
    }
}

void cnBody_UpdateMass(cnBodyTable* table, int row) {
    uint32_t flags = table->flags[row] & ~(uint32_t)(cn_bodyIsotropicMass | cn_bodySphericalInertia);
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
    cnBody_StoreAngularVelocity(table, row, table->angularVelocity[row]);
}

void cnBody_UpdateCentre(cnBodyTable* table, int row) {
    table->centreOfMass[row] =
        cnAdd(table->position[row], cnRotate(table->rotation[row], table->localCentreOfMass[row]));
}

void cnBody_UpdatePosition(cnBodyTable* table, int row) {
    table->position[row] = table->centreOfMass[row];
    if (!IsZero(table->localCentreOfMass[row])) {
        cnVec3 offset = cnRotate(table->rotation[row], table->localCentreOfMass[row]);
        table->position[row] = cnSub(table->centreOfMass[row], offset);
    }
}

void cnBody_StoreAngularVelocity(cnBodyTable* table, int row, cnVec3 angularVelocity) {
    table->angularVelocity[row] = angularVelocity;
    table->angularMomentum[row] =
        cnBody_AngularMomentumFor(table, row, table->rotation[row], angularVelocity);
}

void cnBody_UpdateAngularVelocity(cnBodyTable* table, int row) {
    table->angularVelocity[row] =
        cnAngularVelocityOf(table->rotation[row], table->inverseInertia[row], table->angularMomentum[row]);
}

cnVec3 cnBody_GetMomentum(const cnBodyTable* table, int row) {
    cnVec3 coefficients = OnePlus(table->massCoefficients[row]);
    cnVec3 velocity = table->velocity[row];
    if ((table->flags[row] & cn_bodyIsotropicMass) != 0) {
        return cnScale(table->mass[row] * coefficients.x, velocity);
    }
    cnQuat rotation = table->rotation[row];
    return cnScale(table->mass[row],
                   cnRotate(rotation, cnMul(coefficients, cnInvRotate(rotation, velocity))));
}

double cnBody_GetKineticEnergy(const cnBodyTable* table, int row) {
    return 0.5 * (cnDot(table->velocity[row], cnBody_GetMomentum(table, row)) +
                  cnDot(table->angularVelocity[row], table->angularMomentum[row]));
}

void cnBody_GetForceResponse(const cnBodyTable* table, int row, double h, const cnInverseMass* inverse,
                             cnVec3 force, cnVec3 torque, cnForceResponse* response) {
    response->linear = cnScale(h, cnMulMat(inverse->linear, force));
    response->angular = cnScale(h, cnMulMat(inverse->angular, torque));
    cnVec3 linearDamping = cnScale(h, table->linearDamping[row]);
    cnVec3 angularDamping = cnScale(h, table->angularDamping[row]);
    cnVec3 sum = cnAdd(linearDamping, angularDamping);
    response->damped = sum.x + sum.y + sum.z > 0.0;
    if (!response->damped) {
        return;
    }

    // linear: −D h / (1 + D h) along each axis
    cnMat33 rotation = cnMatFromQuat(table->rotation[row]);
    cnVec3 fraction = cnMul(linearDamping, Reciprocal(OnePlus(linearDamping)));
    response->linearDamping = cnRotateDiagonal(rotation, cnNeg(fraction));

    // angular: (S I S)⁻¹ (S_c I S_c) − 1 in model axes
    cnVec3 factor = Reciprocal(SqrtVec(OnePlus(angularDamping)));
    cnMat33 inertia = ScaleBothSides(SqrtVec(OnePlus(table->inertiaCoefficients[row])), table->inertia[row]);
    cnMat33 product = cnMulMatMat(ScaleBothSides(factor, table->inverseInertia[row]), inertia);
    cnMat33 difference = cnAddMat(product, cnDiagonal((cnVec3){-1.0, -1.0, -1.0}));
    response->angularDamping = cnRotateMat(rotation, difference);
}

void cnBody_Move(cnBodyTable* table, int row, const cnMotionStep* step) {
    double h = step->h;
    cnQuat before = table->rotation[row];
    double perStep = 1.0 / h;
    cnVec3 velocityMore = step->atOnce ? step->velocity : cnScale(perStep, step->shift);
    cnVec3 spinMore = step->atOnce ? step->angularVelocity : cnScale(perStep, step->turn);
    cnVec3 meanVelocity = cnAdd(table->velocity[row], velocityMore);
    table->centreOfMass[row] = cnMulAdd(table->centreOfMass[row], h, meanVelocity);
    table->velocity[row] = cnAdd(table->velocity[row], step->velocity);
    bool isotropic = (table->flags[row] & cn_bodyIsotropicMass) != 0;
    cnVec3 momentum = isotropic ? cnVec3_zero : cnBody_GetMomentum(table, row);

    if (!step->gyroscopic || (table->flags[row] & cn_bodySphericalInertia) != 0) {
        // ω is kept while the body turns; for a ball that is the same as keeping L
        cnQuat turn = cnRotationBy(cnScale(h, cnAdd(table->angularVelocity[row], spinMore)));
        table->rotation[row] = cnNormalizeQuat(cnMulQuat(turn, before));
        if (!step->gyroscopic) {
            cnBody_StoreAngularVelocity(table, row,
                                        cnAdd(table->angularVelocity[row], step->angularVelocity));
        } else {
            cnVec3 change = cnBody_AngularMomentumFor(table, row, before, step->angularVelocity);
            table->angularMomentum[row] = cnAdd(table->angularMomentum[row], change);
            cnBody_UpdateAngularVelocity(table, row);
        }
    } else {
        // the turn belongs to the mean momentum of the step, the velocity to the last one; both are fixed in the world
        cnVec3 change = cnBody_AngularMomentumFor(table, row, before, step->angularVelocity);
        cnVec3 meanChange = step->atOnce ? change : cnBody_AngularMomentumFor(table, row, before, spinMore);
        cnVec3 mean = cnAdd(table->angularMomentum[row], meanChange);
        table->rotation[row] =
            cnTurnFreely(before, mean, table->principalInertia[row], table->principalAxes[row], h);
        table->angularMomentum[row] = cnAdd(table->angularMomentum[row], change);
        cnBody_UpdateAngularVelocity(table, row);
    }

    // with added mass it is the momentum that stays while the body turns (Kirchhoff)
    if (!isotropic) {
        cnVec3 factor = Reciprocal(cnScale(table->mass[row], OnePlus(table->massCoefficients[row])));
        cnQuat rotation = table->rotation[row];
        table->velocity[row] = cnRotate(rotation, cnMul(factor, cnInvRotate(rotation, momentum)));
        cnVec3 moment = cnCross(meanVelocity, momentum);
        table->angularMomentum[row] = cnMulAdd(table->angularMomentum[row], -h, moment);
        cnBody_UpdateAngularVelocity(table, row);
    }
    cnBody_UpdatePosition(table, row);
}

void cnBody_AimAtTarget(cnBodyTable* table, int row, double h) {
    if ((table->flags[row] & cn_bodyMoving) == 0) {
        return;
    }
    double steps = cnMax(1.0, ceil(table->targetTime[row] / h - 1e-6));
    double duration = steps * h;
    cnVec3 centre = cnAdd(table->targetPosition[row],
                          cnRotate(table->targetRotation[row], table->localCentreOfMass[row]));
    table->velocity[row] = cnScale(1.0 / duration, cnSub(centre, table->centreOfMass[row]));

    // the shorter way round
    cnQuat turn = cnMulQuat(table->targetRotation[row], cnConjugate(table->rotation[row]));
    double sign = turn.w < 0.0 ? -1.0 : 1.0;
    cnVec3 axis = {sign * turn.x, sign * turn.y, sign * turn.z};
    double sine = cnLength(axis);
    double angle = 2.0 * cnAtan2(sine, sign * turn.w);
    cnVec3 omega = sine > 0.0 ? cnScale(angle / (sine * duration), axis) : cnVec3_zero;
    cnBody_StoreAngularVelocity(table, row, omega);
}

cnVec3 cnRelativeVelocity(const cnBodyTable* bodies, int row1, int row2, cnVec3 arm1, cnVec3 arm2) {
    cnVec3 v = cnVec3_zero;
    if (row1 >= 0) {
        v = cnAdd(bodies->velocity[row1], cnCross(bodies->angularVelocity[row1], arm1));
    }
    if (row2 >= 0) {
        v = cnSub(v, cnAdd(bodies->velocity[row2], cnCross(bodies->angularVelocity[row2], arm2)));
    }
    return v;
}
