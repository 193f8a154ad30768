// What a step did to the energies of a world.
//
// Work is a force of the step, as it can be read, times the way in the step of the points that it acts on:
// exact for constant forces, of second order in the step otherwise. What acts at once or varies with the
// motion is taken where it belongs: of contacts, which stop bodies within a step, the way is the mean of the
// velocities before and after it times the step, since a blow's work is its impulse times that mean; a
// spring's elastic part acts at the poses where the step begins; damping at those where it ends. Only what
// acts on dynamic bodies counts, so that a lift, a conveyor or a kinematic arm gives its work through
// contacts and constraints. What the named works do not explain is what the arithmetic of the step made or
// lost: corrections of positions, and the error of its order.
#include "world/step/energy_balance.h"

#include "base/report/assert.h"
#include "dynamics/gravity.h"
#include "dynamics/joint_energy.h"
#include "dynamics/motion.h"

// ---- energies ---------------------------------------------------------------------------------------------

// Of gravity, J.
static double GravityEnergyOf(const cnGravity* gravity, const cnBodyTable* bodies, int row) {
    cnVec3 centre = bodies->centreOfMass[row];
    double energy = bodies->gravityScale[row] * bodies->mass[row] * cnGravityPotential(gravity, centre);
    if (!cnIsZeroVec(bodies->weightMoment[row])) {
        cnVec3 moment = cnRotate(bodies->rotation[row], bodies->weightMoment[row]);
        energy -= cnDot(moment, cnGravityAt(gravity, centre));
    }
    return energy;
}

void cnMeasureEnergies(const cnWorld* world, cnEnergies* energies) {
    const cnBodyTable* bodies = &world->bodies;
    const cnConstraintTable* constraints = &world->constraints;
    *energies = (cnEnergies){0};
    for (int row = 0; row < bodies->ids.rowCount; ++row) {
        if (cnBody_IsSimulated(bodies, row)) {
            energies->kinetic += cnBody_ReadKineticEnergy(bodies, row);
            energies->gravity += GravityEnergyOf(&world->gravity, bodies, row);
        }
    }
    const cnJointView view = {bodies, bodies->centreOfMass, bodies->rotation};
    for (int row = 0; row < constraints->ids.rowCount; ++row) {
        uint32_t acts = cn_constraintLive | cn_constraintEnabled;
        if ((constraints->flags[row] & acts) == acts) {
            energies->springs += cnJoint_GetElasticEnergy(constraints, row, &view);
        }
    }
}

// ---- ways -------------------------------------------------------------------------------------------------

static bool Moves(const cnWorld* world, int row) {
    return row >= 0 && cnBody_IsSimulated(&world->bodies, row);
}

// Where a body's point was at the start of the step, from where it is in the model frame.
static cnVec3 PointBefore(const cnBodyTable* bodies, int row, cnVec3 local) {
    return cnAdd(bodies->previousPosition[row], cnRotate(bodies->previousRotation[row], local));
}

// Way in the step of what was at a point of the world at its start, m; 0 of what is not dynamic.
static cnVec3 WayOf(const cnWorld* world, int row, cnVec3 point) {
    if (!Moves(world, row)) {
        return cnVec3_zero;
    }
    const cnBodyTable* bodies = &world->bodies;
    cnVec3 local = cnInvRotate(bodies->previousRotation[row], cnSub(point, bodies->previousPosition[row]));
    return cnSub(cnAdd(bodies->position[row], cnRotate(bodies->rotation[row], local)), point);
}

// Mean velocity of that point before and after the step, times the step, m.
static cnVec3 MeanWayOf(const cnWorld* world, int row, cnVec3 point) {
    if (!Moves(world, row)) {
        return cnVec3_zero;
    }
    const cnBodyTable* bodies = &world->bodies;
    const cnMotionBefore* before = &world->balance.motions.data[row];
    cnVec3 arm = cnSub(point, before->centre);
    cnVec3 armNow = cnRotate(bodies->rotation[row], cnInvRotate(bodies->previousRotation[row], arm));
    cnVec3 first = cnAdd(before->velocity, cnCross(before->spin, arm));
    cnVec3 last = cnAdd(bodies->velocity[row], cnCross(bodies->angularVelocity[row], armNow));
    return cnScale(0.5 * world->timeStep, cnAdd(first, last));
}

// Rotation vector of the step, rad; of the whole turns about its axis as many as the angular velocity says.
static cnVec3 RotationOf(const cnWorld* world, int row) {
    if (!Moves(world, row)) {
        return cnVec3_zero;
    }
    const cnBodyTable* bodies = &world->bodies;
    cnQuat q = cnMulQuat(bodies->rotation[row], cnConjugate(bodies->previousRotation[row]));
    cnVec3 along = {q.x, q.y, q.z}, spin = cnScale(world->timeStep, bodies->angularVelocity[row]);
    double sine = cnLength(along);
    if (!(sine > 0.0)) {
        return cnVec3_zero;
    }
    cnVec3 axis = cnScale(1.0 / sine, along);
    double angle = 2.0 * cnAtan2(sine, q.w), turn = 2.0 * CN_PI;
    return cnScale(angle + turn * floor((cnDot(axis, spin) - angle) / turn + 0.5), axis);
}

// ---- works ------------------------------------------------------------------------------------------------

static cnVec3 Root(cnVec3 v) {
    return (cnVec3){sqrt(v.x), sqrt(v.y), sqrt(v.z)};
}

static cnVec3 OnePlus(double scale, cnVec3 v) {
    return (cnVec3){1.0 + scale * v.x, 1.0 + scale * v.y, 1.0 + scale * v.z};
}

// S I S w in model axes, for S the roots of the factors.
static cnVec3 InertiaTimes(cnMat33 inertia, cnVec3 factors, cnVec3 w) {
    cnVec3 roots = Root(factors);
    return cnMul(roots, cnMulMat(inertia, cnMul(roots, w)));
}

// Of the damping of a body, J (docs/physics.md, "Bodies").
static double DampingWork(const cnWorld* world, int row, cnVec3 shift, cnVec3 rotation) {
    const cnBodyTable* bodies = &world->bodies;
    cnQuat pose = bodies->rotation[row];
    double perStep = 1.0 / world->timeStep;
    cnVec3 velocity = cnInvRotate(pose, bodies->velocity[row]);
    cnVec3 spin = cnInvRotate(pose, bodies->angularVelocity[row]);
    cnVec3 mass = cnScale(bodies->mass[row], OnePlus(1.0, bodies->massCoefficients[row]));
    cnVec3 added = OnePlus(1.0, bodies->inertiaCoefficients[row]);
    cnVec3 damped = cnMul(added, OnePlus(world->timeStep, bodies->angularDamping[row]));
    cnVec3 force = cnMul(cnMul(mass, bodies->linearDamping[row]), velocity);
    cnVec3 moment = cnSub(InertiaTimes(bodies->inertia[row], damped, spin),
                          InertiaTimes(bodies->inertia[row], added, spin));
    return -cnDot(force, cnInvRotate(pose, shift)) - perStep * cnDot(moment, cnInvRotate(pose, rotation));
}

static void AddBodies(const cnWorld* world, cnEnergies* energies) {
    const cnBodyTable* bodies = &world->bodies;
    for (int row = 0; row < bodies->ids.rowCount; ++row) {
        if (cnBody_IsSimulated(bodies, row)) {
            cnVec3 shift = cnSub(bodies->centreOfMass[row], world->balance.motions.data[row].centre);
            cnVec3 rotation = RotationOf(world, row);
            energies->byForces += cnDot(bodies->force[row], shift) + cnDot(bodies->torque[row], rotation);
            energies->byDamping += DampingWork(world, row, shift, rotation);
        }
    }
}

// Where a pair's point was at the start of the step: its arm is from the body that moves (contact_list.c).
static cnVec3 PointOf(const cnWorld* world, const cnPair* pair, int k) {
    bool isFirst = pair->body1 >= 0;
    int row = isFirst ? pair->body1 : pair->body2;
    return cnAdd(world->balance.motions.data[row].centre, cnToD(isFirst ? pair->arm1[k] : pair->arm2[k]));
}

static void AddContacts(const cnWorld* world, cnEnergies* energies) {
    for (int i = 0; i < world->pairs.near.count; ++i) {
        const cnPair* pair = cnPairTable_Get(&world->pairs, world->pairs.near.data[i].pair);
        if (pair->manifold.pointCount == 0 || cnPair_IsUnsolved(pair)) {
            continue;
        }
        cnVec3 normal = cnToD(pair->manifold.normal), friction = cnToD(pair->frictionForce),
               middle = cnVec3_zero;
        double sum = 0.0;
        for (int k = 0; k < pair->manifold.pointCount; ++k) {
            cnVec3 point = PointOf(world, pair, k);
            cnVec3 way = cnSub(MeanWayOf(world, pair->body1, point), MeanWayOf(world, pair->body2, point));
            energies->byContacts += pair->normalForce[k] * cnDot(normal, way);
            middle = cnMulAdd(middle, pair->normalForce[k], point);
            sum += pair->normalForce[k];
        }
        if (sum > 0.0) {
            middle = cnScale(1.0 / sum, middle);
            cnVec3 way = cnSub(MeanWayOf(world, pair->body1, middle), MeanWayOf(world, pair->body2, middle));
            energies->byFriction += cnDot(friction, way);
        }
    }
}

// What a joint did to its bodies: what its motors, its friction and its springs did, and the rest.
static void AddJoint(const cnWorld* world, int row, cnEnergies* energies) {
    const cnConstraintTable* table = &world->constraints;
    const cnEnergyBalance* balance = &world->balance;
    const cnConstraint* joint = &table->constraints[row];
    const cnJointView before = {&world->bodies, balance->centres.data, world->bodies.previousRotation};
    const cnJointView now = {&world->bodies, world->bodies.centreOfMass, world->bodies.rotation};
    cnVec3 attachment = joint->frame1.point;
    cnVec3 point = joint->body1 >= 0 ? PointBefore(&world->bodies, joint->body1, attachment) : attachment;
    cnVec3 way = cnSub(WayOf(world, joint->body1, point), WayOf(world, joint->body2, point));
    cnVec3 rotation = cnSub(RotationOf(world, joint->body1), RotationOf(world, joint->body2));
    energies->byConstraints += cnDot(table->force[row], way) + cnDot(table->torque[row], rotation);
    energies->byConstraints -=
        cnJoint_GetElasticWork(table, row, balance->coordinates.data[row].of, &before, &now);
    for (int i = 0; i < cnJoint_KindOf(joint)->freeCount; ++i) {
        double moved = table->coordinate[row].of[i] - balance->coordinates.data[row].of[i];
        double ofMotor = table->motorForce[row].of[i] * moved;
        double ofFriction = table->frictionForce[row].of[i] * moved;
        energies->byMotors += ofMotor;
        energies->byFriction += ofFriction;
        energies->byConstraints -= ofMotor + ofFriction;
    }
}

static void AddJoints(const cnWorld* world, cnEnergies* energies) {
    const cnConstraintTable* table = &world->constraints;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        uint32_t acts = cn_constraintLive | cn_constraintEnabled;
        // those between constraints have no force of their own to read
        if ((table->flags[row] & acts) == acts && !cnJoint_Has(&table->constraints[row], cn_hasPartners)) {
            AddJoint(world, row, energies);
        }
    }
}

// ---- the balance ------------------------------------------------------------------------------------------

bool cnBeginEnergyBalance(cnWorld* world) {
    cnEnergyBalance* balance = &world->balance;
    const cnConstraintTable* constraints = &world->constraints;
    const cnBodyTable* bodies = &world->bodies;
    balance->isKnown = false;
    if (!balance->isKept) {
        return true;
    }
    if (!cnArray_Resize(&balance->motions, bodies->ids.rowCount) ||
        !cnArray_Resize(&balance->centres, bodies->ids.rowCount) ||
        !cnArray_Resize(&balance->coordinates, constraints->ids.rowCount)) {
        return false;
    }
    for (int row = 0; row < bodies->ids.rowCount; ++row) {
        balance->centres.data[row] = bodies->centreOfMass[row];
        balance->motions.data[row] = (cnMotionBefore){
            .centre = bodies->centreOfMass[row],
            .velocity = bodies->velocity[row],
            .spin = bodies->angularVelocity[row],
            .halfStepVelocity = bodies->halfStepVelocity[row],
            .halfStepSpin = bodies->halfStepAngularVelocity[row],
        };
    }
    for (int row = 0; row < constraints->ids.rowCount; ++row) {
        balance->coordinates.data[row] = constraints->coordinate[row];
    }
    cnMeasureEnergies(world, &balance->before);
    return true;
}

void cnNoteImpacts(cnWorld* world) {
    const cnBodyTable* bodies = &world->bodies;
    for (int row = 0; world->balance.isKept && row < bodies->ids.rowCount; ++row) {
        cnMotionBefore* before = &world->balance.motions.data[row];
        cnVec3 jump = cnSub(bodies->halfStepVelocity[row], before->halfStepVelocity);
        cnVec3 jumpOfSpin = cnSub(bodies->halfStepAngularVelocity[row], before->halfStepSpin);
        before->velocity = cnAdd(before->velocity, jump);
        before->spin = cnAdd(before->spin, jumpOfSpin);
    }
}

void cnFinishEnergyBalance(cnWorld* world, double impactWork) {
    cnEnergyBalance* balance = &world->balance;
    if (!balance->isKept) {
        return;
    }
    cnEnergies *now = &balance->energies, *before = &balance->before;
    cnMeasureEnergies(world, now);
    now->byImpacts = impactWork;
    AddBodies(world, now);
    AddContacts(world, now);
    AddJoints(world, now);
    double change = (now->kinetic - before->kinetic) + (now->gravity - before->gravity) +
                    (now->springs - before->springs);
    now->byStepping = change - (now->byForces + now->byContacts + now->byFriction + now->byImpacts +
                                now->byMotors + now->byConstraints + now->byDamping);
    balance->isKnown = true;
}
