// What bodies, joints and contacts hold of energy, and what work others do on them.
#include "hunt.h"

// ---- energy -----------------------------------------------------------------------------------------------

double cnHunt_PotentialOf(const cnGravity* gravity, cnVec3 point) {
    switch (gravity->type) {
    case cn_gravityPoint:
        return gravity->magnitude * cnLength(cnSub(point, gravity->centre));
    case cn_gravityKepler:
        return -gravity->mu / cnLength(cnSub(point, gravity->centre));
    default:
        return -cnDot(gravity->acceleration, point);
    }
}

double cnHunt_FindLag(const HuntBody* body, cnVec3 centre, cnVec3 velocity, double h) {
    cnVec3 change = cnSub(velocity, body->velocity);
    cnVec3 missed = cnSub(cnScale(h, velocity), cnSub(centre, body->centre));
    double square = cnDot(change, change);
    double share = square > 0.0 ? cnDot(missed, change) / (h * square) : 0.0;
    return h * fmin(fmax(0.5 - share, 0.0), 0.5);
}

// A quadratic potential between two ends of a way. A leap-frog keeps ½ m v² + ½ k x₁ x₂ of an oscillator
// to the last bit, v being the velocity between x₁ and x₂; the mean of both ends or the middle would swing
// by (ω h)²/4 of it.
static HuntBounds Between(double stiffness, double before, double now) {
    double product = fmax(0.0, before * now), largest = fmax(before * before, now * now);
    return (HuntBounds){0.5 * stiffness * product, 0.5 * stiffness * largest};
}

static void Include(HuntBounds* sum, HuntBounds part) {
    sum->low += part.low;
    sum->high += part.high;
}

// Energy that a lock gives on its way to its target: of a spring up to the force that it can bear,
// and by that beyond.
static HuntBounds LockEnergy(const Hunt* hunt, const HuntJoint* joint, int index, double target, double way) {
    cnLockAt lock = cnConstraint_GetLockAt(hunt->world, joint->id, index);
    double now = cnConstraint_GetCoordinate(hunt->world, joint->id, index) - target;
    double compliance = cnHunt_LockCompliance(joint, &lock, index);
    double max = now > 0.0 ? -lock.force[0] : lock.force[1];
    if (lock.disabled || (compliance <= HUNT_SOFT_COMPLIANCE && !isfinite(max))) {
        return (HuntBounds){0};
    }
    if (fabs(now) <= compliance * max) {
        return Between(1.0 / compliance, now - way, now);
    }
    double min = fmin(fabs(now), fabs(now - way)), largest = fmax(fabs(now), fabs(now - way));
    double stored = 0.5 * compliance * max;
    return (HuntBounds){max * fmax(0.0, min - stored), max * fmax(0.0, largest - stored)};
}

HuntBounds cnHunt_SpringEnergy(const Hunt* hunt, const HuntJoint* joint, double lag) {
    HuntBounds sum = {0};
    if (!cnConstraint_IsEnabled(hunt->world, joint->id)) {
        return sum;
    }
    for (int i = 0; i < cnHunt_CountCoordinates(joint->type); ++i) {
        double now = cnConstraint_GetCoordinate(hunt->world, joint->id, i);
        double way = 2.0 * lag * cnConstraint_GetSpeed(hunt->world, joint->id, i);
        if (joint->type == cn_constraintSpring) {
            Include(&sum, Between(joint->stiffness, now - way - joint->length, now - joint->length));
        }
        cnRange range = cnConstraint_GetRange(hunt->world, joint->id, i);
        double compliance = cnHunt_RangeCompliance(joint, &range, i);
        if (compliance > HUNT_SOFT_COMPLIANCE) {
            HuntBounds part = Between(1.0 / compliance, cnHunt_BeyondRange(&range, now - way),
                                      cnHunt_BeyondRange(&range, now));
            // beyond what its force explains, light bodies have only overshot a stiff limit: no energy
            // comes back from there
            double force = cnConstraint_GetSecondaryForces(hunt->world, joint->id, i).range;
            part.low = fmin(part.low, 0.5 * compliance * force * force);
            Include(&sum, part);
        }
        Include(&sum, LockEnergy(hunt, joint, i, joint->lockTarget[i], way));
    }
    return sum;
}

double cnHunt_GapEnergy(const HuntJoint* joint, double gap, double misalignment) {
    double linear = joint->linear > HUNT_SOFT_COMPLIANCE ? 0.5 * gap * gap / joint->linear : 0.0;
    double angular =
        joint->angular > HUNT_SOFT_COMPLIANCE ? 0.5 * misalignment * misalignment / joint->angular : 0.0;
    return joint->type == cn_constraintSpring ? 0.0 : linear + angular;
}

double cnHunt_LoadEnergy(const Hunt* hunt, const HuntJoint* joint) {
    double force = cnLength(cnConstraint_GetForce(hunt->world, joint->id, 1));
    double torque = cnLength(cnConstraint_GetTorque(hunt->world, joint->id, 1, false));
    double linear = joint->linear > HUNT_SOFT_COMPLIANCE ? 0.5 * joint->linear * force * force : 0.0;
    double angular = joint->angular > HUNT_SOFT_COMPLIANCE ? 0.5 * joint->angular * torque * torque : 0.0;
    return linear + angular;
}

double cnHunt_StoredIn(const HuntJoint* joint) {
    double linear = joint->linear <= HUNT_SOFT_COMPLIANCE ? joint->linear : 0.0;
    double angular = joint->angular <= HUNT_SOFT_COMPLIANCE ? joint->angular : 0.0;
    return 0.5 * (linear * joint->force * joint->force + angular * joint->torque * joint->torque);
}

static cnMaterialId MaterialOf(const Hunt* hunt, int geometry) {
    const int32_t* rows = findColumn(hunt->world, cn_tableGeometries, "material");
    const uint32_t* handles = findColumn(hunt->world, cn_tableMaterials, "handle");
    return (cnMaterialId){rows[geometry] >= 0 ? handles[rows[geometry]] : 0};
}

double cnHunt_StoredInContacts(const Hunt* hunt) {
    const int32_t* geometry1 = findColumn(hunt->world, cn_tableContacts, "geometry1");
    const int32_t* geometry2 = findColumn(hunt->world, cn_tableContacts, "geometry2");
    const int32_t* contact = findColumn(hunt->world, cn_tableContactPoints, "contact");
    const double* force = findColumn(hunt->world, cn_tableContactPoints, "normalForce");
    const double* depth = findColumn(hunt->world, cn_tableContactPoints, "depth");
    int points = cnWorld_GetTableRows(hunt->world, cn_tableContactPoints);
    double sum = 0.0;
    for (int i = 0; i < points; ++i) {
        cnMaterialId material1 = MaterialOf(hunt, geometry1[contact[i]]);
        cnMaterialId material2 = MaterialOf(hunt, geometry2[contact[i]]);
        cnContactMaterialDef pair = cnWorld_GetPairProperties(hunt->world, material1, material2);
        double peak = HUNT_ELASTIC_FACTOR * force[i];
        sum += fmax(0.5 * peak * peak / pair.youngsModulus, force[i] * depth[i]);
    }
    return sum;
}

// ---- work -------------------------------------------------------------------------------------------------

// Power that a motor may have put in: force times speed where both have the same sign, with the larger speed
// of the step's start and end, and no more than at its own.
static double DrivePower(double force, double before, double after, double limit) {
    double power = fmax(force * before, force * after);
    return fmax(0.0, fmin(power, fabs(force) * limit));
}

double cnHunt_WorkOfJoint(Hunt* hunt, HuntJoint* joint) {
    double work = 0.0;
    for (int i = 0; i < cnHunt_CountCoordinates(joint->type); ++i) {
        cnSecondaryForces forces = cnConstraint_GetSecondaryForces(hunt->world, joint->id, i);
        double speed = cnConstraint_GetSpeed(hunt->world, joint->id, i);
        double before = joint->speed[i];
        joint->speed[i] = speed;
        if (forces.motor != 0.0) {
            cnMotor motor = cnConstraint_GetMotor(hunt->world, joint->id, i);
            work += hunt->h * DrivePower(forces.motor, before, speed, fabs(motor.speed));
        }
        double target = cnConstraint_GetLockAt(hunt->world, joint->id, i).position;
        if (target != joint->lockTarget[i]) {
            work += LockEnergy(hunt, joint, i, target, 0.0).high -
                    LockEnergy(hunt, joint, i, joint->lockTarget[i], 0.0).low;
            joint->lockTarget[i] = target;
        }
        // a range that was violated at the start gives back what it held then, and no more
        if (joint->rangeSource[i] > 0.0) {
            double given = joint->rangeWork[i] + hunt->h * 0.5 * forces.range * (before + speed);
            double counted = fmin(fmax(joint->rangeWork[i], 0.0), joint->rangeSource[i]);
            work += fmin(fmax(given, 0.0), joint->rangeSource[i]) - counted;
            joint->rangeWork[i] = given;
        }
    }
    return work;
}

double cnHunt_WorkOfUsers(const Hunt* hunt, const HuntBody* body, cnVec3 velocity, cnVec3 spin,
                          const cnGravity* gravity) {
    cnVec3 force = cnBody_GetLastForce(hunt->world, body->id);
    if (gravity->type == cn_gravityDefault || gravity->type == cn_gravityUniform) {
        force = cnMulAdd(force, -body->mass, gravity->acceleration);
    } else {
        return 0.0;
    }
    cnVec3 torque = cnBody_GetLastTorque(hunt->world, body->id);
    if (cnLength(force) < 1e-9 * body->mass * (1.0 + hunt->gravity) && cnLength(torque) == 0.0) {
        return 0.0;
    }
    return 0.5 * hunt->h *
           (cnDot(force, cnAdd(velocity, body->velocity)) +
            cnDot(torque, cnAdd(spin, body->angularVelocity)));
}

double cnHunt_WorkOfKinematic(const Hunt* hunt, int index) {
    const HuntBody* body = &hunt->bodies[index];
    cnVec3 velocity = cnBody_GetVelocity(hunt->world, body->id);
    cnVec3 spin = cnBody_GetAngularVelocity(hunt->world, body->id);
    if (cnLength(velocity) == 0.0 && cnLength(spin) == 0.0) {
        return 0.0;
    }
    cnVec3 centre = cnBody_GetCentreOfMass(hunt->world, body->id);
    double power = 0.0;
    for (int i = 0; i < hunt->jointCount; ++i) {
        const HuntJoint* joint = &hunt->joints[i];
        if (joint->body1 == index || joint->body2 == index) {
            int which = joint->body1 == index ? 1 : 2;
            power -= cnDot(cnConstraint_GetForce(hunt->world, joint->id, which), velocity) +
                     cnDot(cnConstraint_GetTorque(hunt->world, joint->id, which, true), spin);
        }
    }
    const int32_t* body1 = findColumn(hunt->world, cn_tableContacts, "body1");
    const int32_t* body2 = findColumn(hunt->world, cn_tableContacts, "body2");
    const int32_t* contact = findColumn(hunt->world, cn_tableContactPoints, "contact");
    const cnVec3* position = findColumn(hunt->world, cn_tableContactPoints, "position");
    const cnVec3* normal = findColumn(hunt->world, cn_tableContactPoints, "normal");
    const double* push = findColumn(hunt->world, cn_tableContactPoints, "normalForce");
    const cnVec3* drag = findColumn(hunt->world, cn_tableContactPoints, "tangentialForce");
    int points = cnWorld_GetTableRows(hunt->world, cn_tableContactPoints);
    for (int i = 0; i < points; ++i) {
        double sign = body1[contact[i]] == index ? 1.0 : body2[contact[i]] == index ? -1.0 : 0.0;
        if (sign != 0.0) {
            cnVec3 force = cnScale(sign, cnMulAdd(drag[i], push[i], normal[i]));
            cnVec3 there = cnAdd(velocity, cnCross(spin, cnSub(position[i], centre)));
            power -= cnDot(force, there);
        }
    }
    return power * hunt->h;
}
