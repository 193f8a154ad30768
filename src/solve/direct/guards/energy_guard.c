#include "solve/direct/guards/energy_guard.h"

#include "base/report/assert.h"
#include "solve/direct/nodes/node_rows.h"

#include <string.h>

// A limit or a lock was moved where its violation grew by more than motion explains, m or rad.
#define CN_JUMP 1e-3
// Gaps of joints up to this are closed by their rows, as parts of their arms.
#define CN_GAP 1e-3
// What is left of an energy when so little of it remains is rounding.
#define CN_ROUNDING 1e-10
// Share of the velocities below which the guard takes forces back with them.
#define CN_LITTLE_LEFT 0.5

// ---- work that has a source -------------------------------------------------------------------------------

static double LambdaOf(const cnDirectIsland* island, int r) {
    CN_ASSERT(r >= 0 && r < island->rowCount);
    return r < island->system.rowCount ? island->system.solution[6 * island->bodyCount + r]
                                       : island->rows[r].lambda;
}

static const cnConstraint* ConstraintOf(const cnDirectIsland* island, const cnDirectNode* node) {
    CN_ASSERT(cnNode_IsJoint(node));
    return &island->solve->constraints->constraints[node->source];
}

// True where the user moved what a limit or a lock holds, or a joint began beyond it. Changes count from step
// to step.
static bool HasJumped(const cnDirectIsland* island, const cnDirectNode* node, int r) {
    CN_ASSERT(cnNode_IsJoint(node) && r >= node->block.firstRow);
    if (island->substep.index > 0) {
        return false;
    }
    const cnDirectRow* row = &island->rows[r];
    double before = ConstraintOf(island, node)->rows[row->slot].violation;
    double speed = cnDirect_RowSpeed(island, r, island->start) + row->fixedSpeed;
    return fabs(cnDirect_Pressed(island, r)) > fabs(before) + 2.0 * island->solve->h * fabs(speed) + CN_JUMP;
}

static double ComplianceOf(const cnDirectIsland* island, const cnDirectNode* node, int r) {
    CN_ASSERT(cnNode_IsJoint(node));
    const cnConstraint* joint = ConstraintOf(island, node);
    int slot = island->rows[r].slot;
    return slot < cn_slotMotor ? joint->dofs[slot].compliance
                               : joint->secondaries[slot - cn_slotMotor].row.compliance;
}

// Where a row stood when the sub-step before began, m or rad: as was stored, or, where the user has moved
// something since, as its speed says.
static double ViolationBefore(const cnDirectIsland* island, const cnDirectNode* node, int r) {
    const cnDirectRow* row = &island->rows[r];
    double stored = ConstraintOf(island, node)->rows[row->slot].violation;
    if (node->joint.perLastStep != 0.0 && island->substep.index > 0) {
        return stored;
    }
    double way = island->substep.h * (cnDirect_RowSpeed(island, r, island->start) + row->fixedSpeed);
    const double rotation = island->substep.h * island->substep.rotationRate;
    double max = 2.0 * fabs(way) + rotation * rotation * cnDirect_ArmOf(island, r);
    bool isKnown = node->joint.perLastStep != 0.0 && fabs(stored - row->violation) <= max;
    return isKnown ? stored : row->violation - way;
}

// Elastic energy that a spring's row gives up, J, between the middles of the sub-step before and of this one:
// there velocities belong. Over a swing these add up to nothing, whatever work the row does.
static double ReleasedEnergy(const cnDirectIsland* island, const cnDirectNode* node, int r) {
    double before = ViolationBefore(island, node, r), after = island->ahead[r];
    return 0.25 * (before * before - after * after) / ComplianceOf(island, node, r);
}

// Work of a row with a source, of the work that it does along its own coordinate, J: a motor's as far as it
// drives towards its target, a spring's what it had stored, a lock's as far as it had stored it, a limit's
// where the user moved it.
static double SourceOf(const cnDirectIsland* island, const cnDirectNode* node, int r, double work) {
    const cnDirectRow* row = &island->rows[r];
    if (row->kind == cn_rowSway) {
        return 0.0;
    }
    if (row->kind == cn_rowVelocity) {
        return cnMin(work, cnMax(0.0, LambdaOf(island, r) * row->wanted));
    }
    if (cnDirect_IsResolvedSpring(island, r, ComplianceOf(island, node, r))) {
        return ReleasedEnergy(island, node, r);
    }
    if (row->slot == cn_slotLock || row->slot == cn_slotLock + 1) {
        return cnMin(work, cnMax(0.0, ReleasedEnergy(island, node, r)));
    }
    return row->kind == cn_rowOneSided && HasJumped(island, node, r) ? work : 0.0;
}

static double WorkOfSources(const cnDirectIsland* island) {
    double work = 0.0;
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        bool isJoint = cnNode_IsJoint(node);
        if (isJoint && cnNode_IsPlain(node) && !node->joint.hasSprings && !node->joint.hasFixed) {
            continue;
        }
        for (int r = node->block.firstRow; r < cnRowBlock_End(&node->block); ++r) {
            double lambda = LambdaOf(island, r), fixed = island->rows[r].fixedSpeed;
            bool attracts = node->kind == cn_nodeContactNormals && lambda < 0.0;
            if (attracts) { // what pulls surfaces together gives energy
                double speed = 0.5 * (cnDirect_RowSpeed(island, r, island->start) +
                                      cnDirect_RowSpeed(island, r, island->system.solution));
                work += cnMax(0.0, lambda * (speed + fixed));
            }
            if (isJoint && (lambda != 0.0 || node->joint.hasSprings)) {
                double speed = 0.5 * (cnDirect_RowSpeed(island, r, island->start) +
                                      cnDirect_RowSpeed(island, r, island->system.solution));
                work += SourceOf(island, node, r, lambda * (speed + fixed));
            }
            work -= lambda != 0.0 ? lambda * fixed : 0.0; // of bodies that are not dynamic
        }
    }
    return work;
}

// Energy that the rows can hold under the forces that they bear now, J: in their elasticity, and in gaps that
// they are about to close.
static double StoredEnergy(const cnDirectIsland* island) {
    double stored = 0.0;
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        if (node->kind == cn_nodeFriction) {
            continue;
        }
        double compliance = 0.0, share = 1.0;
        if (!cnNode_IsJoint(node)) {
            const cnContactRows* contact = cnDirect_ContactOf(island, node);
            compliance = contact->compliance;
            share = 2.0 / (1.0 + contact->depthShare); // of F ~ d¹⁺ᵖ, over that of its tangent
        }
        for (int r = node->block.firstRow; r < cnRowBlock_End(&node->block); ++r) {
            double force = fabs(island->substep.perStep * LambdaOf(island, r));
            if (!cnNode_IsJoint(node)) {
                stored += 0.5 * share * compliance * force * force;
            } else if (cnDirect_HasGap(&island->rows[r]) &&
                       !cnDirect_IsResolvedSpring(island, r, ComplianceOf(island, node, r))) {
                double elastic = 0.5 * ComplianceOf(island, node, r) * force;
                stored += force * cnMax(elastic, cnMin(fabs(island->rows[r].violation),
                                                       CN_GAP * cnDirect_ArmOf(island, r)));
            }
        }
    }
    return stored;
}

// ---- the motion as one body -------------------------------------------------------------------------------

typedef struct CommonMotion {
    cnVec3 point, velocity, spin;
} CommonMotion;

static cnMat33 MassOf(const cnDirectIsland* island, int i) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    return cnGetMatrix(island->system.mass + 18 * i);
}

static double EnergyOf(const cnDirectIsland* island, int i, cnVec3 v, cnVec3 w) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    return 0.5 *
           (cnDot(v, cnMulMat(MassOf(island, i), v)) + cnDot(w, cnMulMat(island->bodies[i].inertia, w)));
}

double cnDirect_KineticEnergy(const cnDirectIsland* island, const double* velocities) {
    double sum = 0.0;
    for (int i = 0; i < island->bodyCount; ++i) {
        sum += EnergyOf(island, i, cnGetVec(velocities + 6 * i), cnGetVec(velocities + 6 * i + 3));
    }
    return sum;
}

// Adds a point mass at an arm to an inertia.
static void AddPointMass(cnMat33* inertia, double mass, cnVec3 arm) {
    CN_ASSERT(mass > 0.0);
    double square = mass * cnDot(arm, arm);
    inertia->x = cnMulAdd(inertia->x, -mass * arm.x, arm);
    inertia->y = cnMulAdd(inertia->y, -mass * arm.y, arm);
    inertia->z = cnMulAdd(inertia->z, -mass * arm.z, arm);
    inertia->x.x += square;
    inertia->y.y += square;
    inertia->z.z += square;
}

// That of a rigid body with the island's momenta.
static CommonMotion FindRigidMotion(const cnDirectIsland* island, const double* velocities) {
    const cnBodyTable* bodies = island->solve->bodies;
    double mass = 0.0;
    cnVec3 centre = cnVec3_zero, momentum = cnVec3_zero, spin = cnVec3_zero;
    for (int i = 0; i < island->bodyCount; ++i) {
        double m = bodies->mass[island->bodies[i].row];
        mass += m;
        centre = cnMulAdd(centre, m, island->centres[island->bodies[i].row]);
        momentum = cnMulAdd(momentum, m, cnGetVec(velocities + 6 * i));
    }
    centre = cnScale(1.0 / mass, centre);
    cnMat33 inertia = cnDiagonal((cnVec3){1e-300, 1e-300, 1e-300});
    for (int i = 0; i < island->bodyCount; ++i) {
        const cnDirectBody* body = &island->bodies[i];
        double m = bodies->mass[body->row];
        cnVec3 arm = cnSub(island->centres[body->row], centre), v = cnGetVec(velocities + 6 * i);
        cnVec3 own = cnMulMat(body->inertia, cnGetVec(velocities + 6 * i + 3));
        spin = cnAdd(spin, cnMulAdd(own, m, cnCross(arm, v)));
        inertia = cnAddMat(inertia, body->inertia);
        AddPointMass(&inertia, m, arm);
    }
    return (CommonMotion){centre, cnScale(1.0 / mass, momentum), cnMulMat(cnInverse(inertia), spin)};
}

// Motion of a body that is not dynamic, −1 for the world.
static CommonMotion FixedMotion(const cnDirectIsland* island, int row) {
    const cnBodyTable* bodies = island->solve->bodies;
    uint32_t moving = cn_bodyKinematic | cn_bodyEnabled;
    return row >= 0 && (bodies->flags[row] & moving) == moving
               ? (CommonMotion){bodies->centreOfMass[row], bodies->halfStepVelocity[row],
                                bodies->halfStepAngularVelocity[row]}
               : (CommonMotion){cnVec3_zero, cnVec3_zero, cnVec3_zero};
}

static bool Presses(const cnDirectIsland* island, const cnDirectNode* node) {
    bool presses = false;
    for (int r = node->block.firstRow; r < cnRowBlock_End(&node->block); ++r) {
        presses = presses || LambdaOf(island, r) > 0.0;
    }
    return presses;
}

// The motion beside which energy is taken out: that of what holds or carries the island, so that rows to it
// stay as they are and wheels go on rolling, else the rigid one that has the island's momenta.
static CommonMotion FindCommonMotion(const cnDirectIsland* island, const double* velocities) {
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        for (int side = 0; cnNode_IsJoint(node) && side < 2; ++side) {
            if (node->joint.places[side] < 0) {
                return FixedMotion(island, node->joint.sides[side]);
            }
        }
    }
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        bool isCarrier =
            !cnNode_IsJoint(node) && node->kind != cn_nodeFriction && (node->place1 < 0 || node->place2 < 0);
        if (isCarrier && Presses(island, node)) {
            const cnPair* pair = cnDirect_ContactOf(island, node)->pair;
            return FixedMotion(island, node->place1 < 0 ? pair->body1 : pair->body2);
        }
    }
    return FindRigidMotion(island, velocities);
}

static cnVec3 VelocityAt(const CommonMotion* common, cnVec3 point) {
    return cnAdd(common->velocity, cnCross(common->spin, cnSub(point, common->point)));
}

// Energy of the motion beside the common one, J.
static double InternalEnergy(const cnDirectIsland* island, const double* velocities,
                             const CommonMotion* common) {
    double sum = 0.0;
    for (int i = 0; i < island->bodyCount; ++i) {
        cnVec3 v = VelocityAt(common, island->centres[island->bodies[i].row]);
        sum += EnergyOf(island, i, cnSub(cnGetVec(velocities + 6 * i), v),
                        cnSub(cnGetVec(velocities + 6 * i + 3), common->spin));
    }
    return sum;
}

// Scales the motion beside the common one.
static void ScaleInternalMotion(const cnDirectIsland* island, double* velocities, const CommonMotion* common,
                                double share) {
    for (int i = 0; i < island->bodyCount; ++i) {
        double* v = velocities + 6 * i;
        cnVec3 linear = VelocityAt(common, island->centres[island->bodies[i].row]);
        cnPutVec(v, cnMulAdd(linear, share, cnSub(cnGetVec(v), linear)));
        cnPutVec(v + 3, cnMulAdd(common->spin, share, cnSub(cnGetVec(v + 3), common->spin)));
    }
}

// Of a motion of which little is left, the rows cannot have borne what they would have for all of it: gaps
// that these forces explain would be left open (position_correction.c).
static void ScaleForces(cnDirectIsland* island, double share) {
    for (int r = 0; r < island->rowCount; ++r) {
        if (r < island->system.rowCount) {
            island->system.solution[6 * island->bodyCount + r] *= share;
        } else {
            island->rows[r].lambda *= share;
        }
    }
}

// A solution with nothing left of it but rounding once its energy is taken out: the bodies go on together as
// they came, without forces of rows.
static void StopWithin(cnDirectIsland* island) {
    CommonMotion common = FindCommonMotion(island, island->start);
    memcpy(island->system.solution, island->start, (size_t)(6 * island->bodyCount) * sizeof(double));
    ScaleInternalMotion(island, island->system.solution, &common, 0.0);
    ScaleForces(island, 0.0);
}

// Takes energy out of the motion within the island, and what that does not have out of all motion: all of it
// by another solution, if it is far more than what the bodies came with and forces give them, `sane`. Answers
// how much, J.
static double TakeOut(cnDirectIsland* island, double energy, double sane) {
    double* velocities = island->system.solution;
    CommonMotion common = FindCommonMotion(island, velocities);
    double within = InternalEnergy(island, velocities, &common), taken = cnMin(within, energy);
    if (energy > sane && !(within - taken > CN_ROUNDING * energy) && within > CN_ROUNDING * energy) {
        StopWithin(island);
        return energy;
    }
    if (within > 0.0) {
        double share = sqrt((within - taken) / within);
        ScaleInternalMotion(island, velocities, &common, share);
        if (energy > sane && share < CN_LITTLE_LEFT) {
            ScaleForces(island, share);
        }
    }
    double rest = energy - taken, all = rest > 0.0 ? cnDirect_KineticEnergy(island, velocities) : 0.0;
    if (all > 0.0) {
        rest = cnMin(rest, all);
        double share = sqrt((all - rest) / all);
        for (int k = 0; k < 6 * island->bodyCount; ++k) {
            velocities[k] *= share;
        }
        taken += rest;
    }
    return taken;
}

// ---- the guard --------------------------------------------------------------------------------------------

// Energy that turning makes of a rotor's motion, which its bearings will have to take up, J.
static double EnergyOfRotation(const cnDirectIsland* island, int i, cnVec3 w) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    const cnDirectBody* body = &island->bodies[i];
    if (body->rotationModel.kind != cn_rotationRotor || body->damped) {
        return 0.0;
    }
    const cnBodyTable* bodies = island->solve->bodies;
    cnRotated rotated;
    cnQuat now = cnRotationModel_Apply(&body->rotationModel, bodies, body->row, bodies->rotation[body->row],
                                       w, island->substep.h, &rotated);
    cnVec3 after = cnAngularVelocityOf(now, &bodies->inverseInertia[body->row], rotated.momentum);
    return 0.5 * (cnDot(after, rotated.momentum) - cnDot(w, cnMulMat(body->inertia, w)));
}

// What the guard weighs, J.
typedef struct EnergyBalance {
    double raised;   // by the rows, sources or not
    double kinetic;  // after the sub-step
    double credit;   // of the bodies
    double ofForces; // that external forces give from rest in a step
    double mass;     // kg
} EnergyBalance;

// Velocities before the sub-step. What users' forces that begin or have ended were settled with is no motion:
// rows that bear it undo it, and raise nothing.
static void StartOf(const cnDirectIsland* island, int i, cnVec3* velocity, cnVec3* spin) {
    *velocity = cnGetVec(island->start + 6 * i);
    *spin = cnGetVec(island->start + 6 * i + 3);
    if (island->substep.index == 0) {
        int index = island->bodies[i].index;
        const cnMomenta* begun = &island->solve->solver.start[index];
        const cnInverseMass* inverse = &island->solve->solver.inverse[index];
        *velocity = cnSub(*velocity, cnMulMat(inverse->linear, begun->settled));
        *spin = cnSub(*spin, cnMulMat(inverse->angular, begun->settledMoment));
    }
}

static EnergyBalance Weigh(const cnDirectIsland* island) {
    const cnBodyTable* bodies = island->solve->bodies;
    EnergyBalance sum = {0};
    for (int i = 0; i < island->bodyCount; ++i) {
        const cnDirectBody* body = &island->bodies[i];
        cnVec3 v = cnGetVec(island->system.solution + 6 * i),
               w = cnGetVec(island->system.solution + 6 * i + 3);
        cnVec3 v0, w0;
        StartOf(island, i, &v0, &w0);
        cnVec3 momentum = cnMulMat(MassOf(island, i), v), moment = cnMulMat(body->inertia, w);
        cnVec3 unborne = cnSub(body->spinMomentum, body->owed);
        double own = 0.5 * (cnDot(v, momentum) + cnDot(w, moment));
        sum.kinetic += own;
        sum.raised += 0.5 * (cnDot(cnSub(momentum, body->momentum), cnAdd(v, v0)) +
                             cnDot(cnSub(moment, unborne), cnAdd(w, w0)));
        sum.raised += cnDirect_Has(island, cn_islandHasRotors) ? EnergyOfRotation(island, i, w) : 0.0;
        if (body->damped) { // M' holds the damping of the sub-step
            cnVec3 d = bodies->linearDamping[body->row], e = bodies->angularDamping[body->row];
            double max = island->substep.h * cnMax(cnMax(cnMax(d.x, d.y), d.z), cnMax(cnMax(e.x, e.y), e.z));
            sum.raised -= 2.0 * max / (1.0 + max) * own;
        }
        sum.ofForces += cnEnergyOfForces(island->solve, body->row);
        sum.credit += bodies->energyCredit[body->row];
        sum.mass += bodies->mass[body->row];
    }
    return sum;
}

void cnDirect_GuardEnergy(cnDirectIsland* island) {
    CN_ASSERT(island->bodyCount >= 1);
    cnBodyTable* bodies = island->solve->bodies;
    EnergyBalance balance = Weigh(island);
    double sources = WorkOfSources(island), raised = balance.raised - sources;
    cnEnergyTolerance tolerance = {0.0, 0.0};
    if (raised > balance.credit) {
        double slower = cnMin(balance.kinetic, cnDirect_KineticEnergy(island, island->start));
        tolerance.ofMotion = CN_ENERGY_TOLERANCE * slower;
        tolerance.ofForces = CN_FORCE_SHARE * balance.ofForces;
    }
    double allowed = balance.credit + tolerance.ofMotion + tolerance.ofForces;
    if (raised > allowed) {
        double sane = cnDirect_KineticEnergy(island, island->start) + balance.ofForces;
        double excess = raised - allowed, taken = TakeOut(island, excess, sane);
        island->ledger.raised += taken;
        raised = taken < excess ? raised - taken : allowed;
        balance.kinetic = cnDirect_KineticEnergy(island, island->system.solution);
    }
    double max = CN_CREDIT_SHARE * balance.kinetic;
    bool needsElastic = balance.credit - raised > max || island->kind == cn_directGroup;
    double stored = needsElastic ? StoredEnergy(island) : 0.0;
    double credit = cnCreditAfter(balance.credit, raised, &tolerance, max + stored, island->substep.h),
           share = credit / balance.mass;
    for (int i = 0; i < island->bodyCount; ++i) {
        int row = island->bodies[i].row;
        bodies->energyCredit[row] = share * bodies->mass[row];
    }
    island->ledger.work.sources += sources;
    island->ledger.work.weighed += raised;
    island->ledger.work.stored = stored;
}

void cnDirect_LimitEnergy(cnDirectIsland* island, double max) {
    CN_ASSERT(!(max < 0.0));
    double excess = cnDirect_KineticEnergy(island, island->system.solution) - max;
    if (excess > 0.0) {
        island->ledger.raised += TakeOut(island, excess, INFINITY);
    }
}
