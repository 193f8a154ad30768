#include "solve/direct/joint_groups.h"

#include "base/containers/disjoint_sets.h"
#include "base/report/assert.h"
#include "solve/direct/assembly.h"
#include "solve/direct/friction/swept_joints.h"
#include "solve/direct/guards/energy_guard.h"
#include "solve/direct/guards/position_correction.h"
#include "solve/direct/motion/rotation_rates.h"
#include "solve/direct/reports.h"
#include "solve/direct/stepping.h"
#include "solve/direct/substep.h"
#include "solve/direct/work_budget.h"
#include "solve/lanes/swept_bodies.h"

#include <string.h>

// A group is moved by velocities that have at most so many times the energy that it began with and pushes
// make.
#define CN_PATH_ENERGY 4.0
// Contacts give an impact where they give more than this share of the kinetic energy.
#define CN_IMPACT_SHARE 0.01
#define CN_IMPACT_PARTS 8
// Tolerance beside sweeps, which are right to a thousandth.
#define CN_BESIDE_SWEEPS 1e-4
// In parts it has at most so many times the energy of the sub-step as a whole.
#define CN_PARTS_ENERGY 1.1

// ---- making groups ----------------------------------------------------------------------------------------

// A body of a joint that is dynamic, by solver index; `from` is where to look on.
static int NextBody(const cnSolve* solve, const cnSolverJoint* joint, int* from) {
    while (*from < 4) {
        int row = joint->rows[(*from)++];
        int index = row >= 0 ? solve->solver.indexOfRow[row] : 0;
        if (index != 0) {
            return index;
        }
    }
    return 0;
}

// Whether a joint's island has groups; for impacts all have.
static bool IsGrouped(const cnSolve* solve, const cnSolverJoint* joint, bool forImpacts) {
    return forImpacts || solve->islands[joint->island].solver == cn_islandGrouped;
}

// Numbers of the groups by solver index and by joint, −1 outside. Answers how many.
static int FindGroups(const cnSolve* solve, bool forImpacts, int* roots, int* ofBody, int* ofJoint) {
    int bodyCount = solve->solver.count, count = 0;
    cnMakeSets(roots, bodyCount);
    for (int index = 0; index < bodyCount; ++index) {
        ofBody[index] = -1;
    }
    for (int j = 0; j < solve->jointCount; ++j) {
        const cnSolverJoint* joint = &solve->joints[j];
        int from = 0, first = NextBody(solve, joint, &from), other = 0;
        while (IsGrouped(solve, joint, forImpacts) && (other = NextBody(solve, joint, &from)) != 0) {
            cnUniteSets(roots, first, other);
        }
    }
    for (int j = 0; j < solve->jointCount; ++j) {
        const cnSolverJoint* joint = &solve->joints[j];
        int from = 0;
        int* number = &ofBody[cnFindRoot(roots, NextBody(solve, joint, &from))];
        bool isGrouped = IsGrouped(solve, joint, forImpacts);
        if (isGrouped && *number < 0) {
            *number = count++;
        }
        ofJoint[j] = isGrouped ? *number : -1;
    }
    for (int index = 1; index < bodyCount; ++index) {
        ofBody[index] = ofBody[cnFindRoot(roots, index)];
    }
    return count;
}

// Where a group's share of `kept` and the like begins.
static size_t OffsetOf(const cnJointGroups* groups, const cnDirectIsland* group) {
    CN_ASSERT(group >= groups->groups && group < groups->groups + groups->count);
    return (size_t)(group->system.right - groups->groups[0].system.right);
}

static cnGroupBody* BodiesOf(const cnJointGroups* groups, const cnDirectIsland* group) {
    CN_ASSERT(group >= groups->groups && group < groups->groups + groups->count);
    return groups->bodies + (group->bodies - groups->groups[0].bodies);
}

static void LoadBodies(const cnJointGroups* groups, const cnDirectIsland* group) {
    cnSolve* solve = group->solve;
    cnGroupBody* shared = BodiesOf(groups, group);
    for (int i = 0; i < group->bodyCount; ++i) {
        int index = group->bodies[i].index, row = group->bodies[i].row;
        CN_ASSERT(index > 0 && row >= 0);
        const cnInverseMass* inverse = &solve->solver.inverse[index];
        shared[i] = (cnGroupBody){
            .velocity = solve->bodies->halfStepVelocity[row],
            .spin = solve->bodies->halfStepAngularVelocity[row],
            .mass = cnInverse(inverse->linear),
            .inertia = cnInverse(inverse->angular),
        };
    }
}

static bool MakeGroups(cnSolve* solve, cnJointGroups* groups, int hint, bool forImpacts) {
    CN_ASSERT(hint >= 0);
    cnStack* stack = solve->stack;
    int bodyCount = solve->solver.count;
    int* roots = CN_PUSH(stack, int, bodyCount, "roots of groups");
    int* ofBody = CN_PUSH(stack, int, bodyCount, "groups of bodies");
    int* ofJoint = CN_PUSH(stack, int, solve->jointCount + 1, "groups of joints");
    if (roots == NULL || ofBody == NULL || ofJoint == NULL) {
        return false;
    }
    int count = FindGroups(solve, forImpacts, roots, ofBody, ofJoint);
    groups->ofBody = ofBody;

    // what they need together
    cnContents contents;
    if (!cnDirect_FindMembers(solve, count, bodyCount, ofBody, sizeof(int), &contents.bodies) ||
        !cnDirect_FindMembers(solve, count, solve->jointCount, ofJoint, sizeof(int), &contents.joints) ||
        !cnDirect_FindMembers(solve, count, 0, ofJoint, sizeof(int), &contents.contacts)) {
        return false;
    }
    cnDirectSizes all = {0}, before = {0};
    for (int g = 0; g < count; ++g) {
        cnDirectSizes sizes = cnDirect_MeasureIsland(solve, &contents, g);
        cnDirectSizes_Add(&all, &sizes);
    }
    cnDirectIsland base = {.solve = solve, .kind = forImpacts ? cn_directImpacts : cn_directGroup};
    groups->groups = CN_PUSH(stack, cnDirectIsland, count, "joint groups");
    if (!cnDirect_MakeRoom(&base, &all) || groups->groups == NULL) {
        return false;
    }

    // one by one
    for (int g = 0; g < count; ++g) {
        cnDirectIsland* group = &groups->groups[groups->count++];
        *group = base;
        cnDirect_SkipRoom(group, &before);
        cnSparseFactor* factor = cnDirect_TakeFactor(solve, &contents, g, group->kind, hint + g);
        if (factor == NULL || cnDirect_Assemble(group, &contents, g, factor, 0.0) != cn_orderFound) {
            return false;
        }
        const cnIsland* island = &solve->islands[solve->solver.island[group->bodies[0].index]];
        group->substep.h = cnIsland_IsFactorised(island) ? solve->h : solve->substep;
        group->stepping.workLimit = cnShareWork(solve->jointWork, count) / solve->substeps;
        group->system.tolerance = forImpacts ? 0.0 : CN_BESIDE_SWEEPS;
        cnDirectSizes sizes = cnDirect_MeasureIsland(solve, &contents, g);
        cnDirectSizes_Add(&before, &sizes);
    }
    return true;
}

bool cnMakeImpactGroups(cnSolve* solve, cnJointGroups* groups) {
    *groups = (cnJointGroups){0};
    return MakeGroups(solve, groups, 0, true);
}

bool cnMakeJointGroups(cnSolve* solve, cnJointGroups* groups, int hint) {
    *groups = (cnJointGroups){0};
    bool any = false;
    for (int i = 0; i < solve->islandCount; ++i) {
        any = any || solve->islands[i].solver == cn_islandGrouped;
    }
    if (!any) {
        return true;
    }
    if (!MakeGroups(solve, groups, hint, false)) {
        return false;
    }
    int bodyCount = 0;
    size_t unknowns = 0;
    for (int g = 0; g < groups->count; ++g) {
        const cnDirectIsland* group = &groups->groups[g];
        unknowns = OffsetOf(groups, group) + (size_t)(6 * group->bodyCount + group->rowCount);
        bodyCount = (int)(group->bodies - groups->groups[0].bodies) + group->bodyCount;
    }
    groups->bodies = CN_PUSH(solve->stack, cnGroupBody, bodyCount, "bodies of groups");
    groups->kept = CN_PUSH(solve->stack, double, unknowns, "kept right-hand sides");
    groups->correction = CN_PUSH(solve->stack, double, unknowns, "corrections of groups");
    groups->way = CN_PUSH(solve->stack, double, unknowns, "ways of groups");
    if (groups->bodies == NULL || groups->kept == NULL || groups->correction == NULL || groups->way == NULL) {
        return false;
    }
    for (int g = 0; g < groups->count; ++g) {
        LoadBodies(groups, &groups->groups[g]);
    }
    return true;
}

// ---- between contacts and groups --------------------------------------------------------------------------

static int PlaceOf(const cnJointGroups* groups, const cnDirectIsland* group, int body) {
    CN_ASSERT(body >= 0 && body < group->bodyCount);
    return groups->places[group->bodies[body].index];
}

void cnJointGroups_JoinSweeps(cnJointGroups* groups, const cnSweptBodies* swept, const int* places) {
    groups->swept = swept;
    groups->places = places;
    for (int g = 0; g < groups->count; ++g) {
        const cnDirectIsland* group = &groups->groups[g];
        for (int i = 0; i < group->bodyCount; ++i) {
            int place = PlaceOf(groups, group, i);
            memset(&swept->forces[place], 0, sizeof swept->forces[place]);
            if (swept->damping != NULL) {
                memset(&swept->damping[place], 0, sizeof swept->damping[place]);
            }
        }
    }
}

static cnVec3 ReadLinear(const cnMotion6* motion) {
    return cnVec(motion->linear[0], motion->linear[1], motion->linear[2]);
}

// Velocities for the sweeps.
static void Notify(const cnJointGroups* groups, const cnDirectIsland* group, int body, cnVec3 v, cnVec3 w) {
    cnGroupBody* shared = BodiesOf(groups, group) + body;
    int place = PlaceOf(groups, group, body);
    const cnSweptMass* mass = &groups->swept->masses[place];
    cnMotion6* motion = &groups->swept->bodies[place].velocity;
    cnVec3 change = cnSub(v, shared->velocity);
    motion->linear[0] = (float)change.x;
    motion->linear[1] = (float)change.y;
    motion->linear[2] = (float)change.z;
    cnSweptMass_WeightSpin(mass, cnSub(w, shared->spin), motion->angular);
    shared->gained = ReadLinear(motion);
    shared->gainedSpin = cnSweptMass_GetSpin(mass, motion->angular);
}

static void NotifySolution(const cnJointGroups* groups, const cnDirectIsland* group,
                           const double* correction) {
    for (int i = 0; i < group->bodyCount; ++i) {
        const double *v = group->system.solution + 6 * i, *add = correction + 6 * i;
        cnVec3 linear = cnAdd(cnGetVec(v), cnGetVec(add)),
               angular = cnAdd(cnGetVec(v + 3), cnGetVec(add + 3));
        Notify(groups, group, i, linear, angular);
    }
}

// What contacts changed since they were told; with `right` not null that goes there too.
static void ReceiveImpulses(const cnJointGroups* groups, const cnDirectIsland* group, double* right) {
    cnGroupBody* shared = BodiesOf(groups, group);
    for (int i = 0; i < group->bodyCount; ++i) {
        cnGroupBody* body = &shared[i];
        int place = PlaceOf(groups, group, i);
        const cnMotion6* now = &groups->swept->bodies[place].velocity;
        cnVec3 v = ReadLinear(now), w = cnSweptMass_GetSpin(&groups->swept->masses[place], now->angular);
        cnVec3 impulse = cnMulMat(body->mass, cnSub(v, body->gained));
        cnVec3 moment = cnMulMat(body->inertia, cnSub(w, body->gainedSpin));
        body->impulse = cnAdd(body->impulse, impulse);
        body->moment = cnAdd(body->moment, moment);
        if (right != NULL) {
            cnPutVec(right + 6 * i, cnAdd(cnGetVec(right + 6 * i), impulse));
            cnPutVec(right + 6 * i + 3, cnAdd(cnGetVec(right + 6 * i + 3), moment));
        }
    }
}

static size_t UnknownBytes(const cnDirectIsland* group) {
    return (size_t)(6 * group->bodyCount + group->rowCount) * sizeof(double);
}

// Bodies of a group without a finite solution stay as they are in the table, and press on nothing.
static void NotifyTable(const cnJointGroups* groups, const cnDirectIsland* group) {
    const cnBodyTable* bodies = group->solve->bodies;
    for (int i = 0; i < group->bodyCount; ++i) {
        int row = group->bodies[i].row;
        Notify(groups, group, i, bodies->halfStepVelocity[row], bodies->halfStepAngularVelocity[row]);
        memset(&groups->swept->bodies[PlaceOf(groups, group, i)].contact, 0, sizeof(cnMotion6));
    }
}

// After a solution.
static void NotifyGroup(const cnJointGroups* groups, const cnDirectIsland* group) {
    if (group->system.outcome == cn_systemFailed) {
        NotifyTable(groups, group);
    } else {
        NotifySolution(groups, group, groups->correction + OffsetOf(groups, group));
    }
}

// What contacts give, or a share of it, as part of the momenta without joints.
static void LoadContacts(const cnJointGroups* groups, const cnDirectIsland* group, double share) {
    const cnGroupBody* shared = BodiesOf(groups, group);
    for (int i = 0; i < group->bodyCount; ++i) {
        cnDirectBody* body = &group->bodies[i];
        body->momentum = cnMulAdd(body->momentum, share, shared[i].impulse);
        body->spinMomentum = cnMulAdd(body->spinMomentum, share, shared[i].moment);
    }
}

void cnJointGroups_Begin(const cnJointGroups* groups, int substep) {
    CN_ASSERT(substep >= 0);
    for (int g = 0; g < groups->count; ++g) {
        cnDirectIsland* group = &groups->groups[g];
        if (group->system.outcome == cn_systemFailed) {
            continue;
        }
        group->substep.index = substep;
        group->substep.rotationRate = cnDirect_LimitRotations(group, cnDirect_CurrentRotationRate(group),
                                                              group->substep.h / cnDirect_MaxSubsteps(group));
        group->substep.elapsed = substep * group->substep.h;
        cnDirect_PrepareSubStep(group);
        if (substep == 0) {
            ReceiveImpulses(groups, group, NULL); // the warm start
            cnSweptJoints_Load(group);
        }
        cnGroupBody* shared = BodiesOf(groups, group);
        for (int i = 0; i < group->bodyCount; ++i) {
            shared[i].startImpulse = shared[i].impulse;
            shared[i].startMoment = shared[i].moment;
        }
        LoadContacts(groups, group, 1.0);
        cnDirect_Solve(group);
        memset(groups->correction + OffsetOf(groups, group), 0, UnknownBytes(group));
        NotifyGroup(groups, group);
    }
}

void cnJointGroups_AfterBiased(const cnJointGroups* groups, bool isLast) {
    for (int g = 0; g < groups->count; ++g) {
        cnDirectIsland* group = &groups->groups[g];
        size_t offset = OffsetOf(groups, group), bytes = UnknownBytes(group);
        double *kept = groups->kept + offset, *correction = groups->correction + offset;
        double* way = groups->way + offset;
        if (group->system.outcome == cn_systemFailed) {
            NotifyTable(groups, group);
            continue;
        }
        ReceiveImpulses(groups, group, group->system.right);
        cnSweptJoints_SolveAgain(group);
        if (isLast) {
            memcpy(kept, group->system.right, bytes);
            memcpy(correction, group->system.solution, bytes);
            memset(group->system.correction, 0, bytes);
            cnDirect_Correct(group);
            memcpy(way, group->system.solution, bytes);
            memcpy(group->system.right, kept, bytes);
            for (int i = 0; i < 6 * group->bodyCount + group->rowCount; ++i) {
                group->system.solution[i] = correction[i];
                correction[i] = way[i] - group->system.solution[i];
            }
        }
        NotifyGroup(groups, group);
    }
}

void cnJointGroups_AfterRelaxing(const cnJointGroups* groups) {
    for (int g = 0; g < groups->count; ++g) {
        cnDirectIsland* group = &groups->groups[g];
        if (group->system.outcome != cn_systemFailed) {
            ReceiveImpulses(groups, group, group->system.right);
            cnSweptJoints_SolveAgain(group);
        }
        NotifyGroup(groups, group);
    }
}

// ---- the end of a sub-step --------------------------------------------------------------------------------

// Energy of a group whose overlaps are pushed out at the highest speed, J.
static double PushEnergy(const cnDirectIsland* group) {
    double mass = 0.0;
    for (int i = 0; i < group->bodyCount; ++i) {
        mass += group->solve->bodies->mass[group->bodies[i].row];
    }
    return 0.5 * mass * CN_PUSH_LIMIT * CN_PUSH_LIMIT;
}

// Where springs and limits stand if the solution's velocities move them, not the way, for the guard. What
// contacts push along the way makes springs tense without any motion: weighed as work, it would stop
// everything for good.
static void LookWithoutWay(const cnDirectIsland* group) {
    for (int n = 0; n < group->nodeCount && group->substep.pathVelocities != NULL; ++n) {
        const cnDirectNode* node = &group->nodes[n];
        for (int r = node->block.firstRow; cnDirect_IsAsked(node) && r < cnRowBlock_End(&node->block); ++r) {
            double pushed = cnDirect_RowSpeed(group, r, group->substep.pathVelocities) -
                            cnDirect_RowSpeed(group, r, group->system.solution);
            group->ahead[r] -= group->substep.h * pushed;
        }
    }
}

// Ends a sub-step with the velocities that sweeps and groups agreed on, and moves the group by those of the
// biased sweep.
static void FinishAtOnce(const cnJointGroups* groups, cnDirectIsland* group) {
    size_t offset = OffsetOf(groups, group);
    int unknowns = 6 * group->bodyCount;
    for (int i = 0; i < unknowns + group->system.rowCount; ++i) {
        group->system.solution[i] += groups->correction[offset + (size_t)i];
    }
    for (int r = 0; r < group->system.rowCount; ++r) {
        if (group->rows[r].kind == cn_rowOneSided) {
            double* lambda = &group->system.solution[unknowns + r];
            *lambda = cnClamp(*lambda, group->system.lower[r], group->system.upper[r]);
        }
    }
    const cnGroupBody* shared = BodiesOf(groups, group);
    for (int i = 0; i < group->bodyCount; ++i) { // what contacts gave since the beginning
        cnDirectBody* body = &group->bodies[i];
        body->momentum = cnAdd(body->momentum, cnSub(shared[i].impulse, shared[i].startImpulse));
        body->spinMomentum = cnAdd(body->spinMomentum, cnSub(shared[i].moment, shared[i].startMoment));
    }
    // those of the biased sweep move it, unless they are no answer either
    const double* way = groups->way + offset;
    double limit = CN_PATH_ENERGY * (cnDirect_KineticEnergy(group, group->start) + PushEnergy(group));
    group->substep.pathVelocities = cnDirect_KineticEnergy(group, way) < limit ? way : NULL;
    if (group->substep.pathVelocities == NULL) {
        cnDirect_LookAhead(group);
    }
    double raised = group->ledger.raised;
    LookWithoutWay(group);
    cnDirect_GuardEnergy(group);
    group->substep.pathVelocities = group->ledger.raised > raised ? NULL : group->substep.pathVelocities;
    cnDirect_FinishSubStep(group);
    group->substep.pathVelocities = NULL;
}

// Energy that what contacts give would give the bodies from rest, J.
static double ContactEnergy(const cnJointGroups* groups, const cnDirectIsland* group) {
    const cnBodyTable* bodies = group->solve->bodies;
    const cnGroupBody* shared = BodiesOf(groups, group);
    double sum = 0.0;
    for (int i = 0; i < group->bodyCount; ++i) {
        cnVec3 turned = cnMulMat(cnInverse(group->bodies[i].inertia), shared[i].moment);
        sum += 0.5 * cnLengthSquared(shared[i].impulse) / bodies->mass[group->bodies[i].row];
        sum += 0.5 * cnDot(shared[i].moment, turned);
    }
    return sum;
}

// Takes a sub-step again from its start, in smaller ones. What contacts give is spread over all, or what
// rests would hop. But it was found for the poses of the start, and works in the directions that bodies
// rotate to meanwhile: it gives no more energy than there.
static void FinishInParts(const cnJointGroups* groups, cnDirectIsland* group, int count) {
    CN_ASSERT(count >= 1);
    const double h = group->substep.h, elapsed = group->substep.elapsed, share = 1.0 / count;
    const double energy = cnMax(cnDirect_KineticEnergy(group, group->start),
                                cnDirect_KineticEnergy(group, group->system.solution));
    // of numbers that all but overflow, rounding makes an energy below 0
    const double max = CN_PARTS_ENERGY * cnMax(0.0, energy) + PushEnergy(group);
    const bool isImpact =
        count >= CN_IMPACT_PARTS &&
        ContactEnergy(groups, group) > CN_IMPACT_SHARE * cnDirect_KineticEnergy(group, group->start);
    group->substep.h = h * share;
    cnSweptJoints_Scale(group, share);
    for (int part = 0; part < count && group->system.outcome != cn_systemFailed; ++part) {
        group->substep.index += part > 0;
        group->substep.elapsed = elapsed + part * group->substep.h;
        group->substep.rotationRate = cnDirect_CurrentRotationRate(group);
        cnDirect_PrepareSubStep(group);
        LoadContacts(groups, group, isImpact ? part == 0 : share);
        cnDirect_Solve(group);
        cnDirect_Correct(group);
        cnDirect_GuardEnergy(group);
        cnDirect_LimitEnergy(group, max);
        cnDirect_FinishSubStep(group);
    }
    cnSweptJoints_Scale(group, count);
    group->substep.h = h;
    group->substep.perStep = 1.0 / h;
    group->stepping.substeps += count - 1;
}

void cnJointGroups_End(const cnJointGroups* groups) {
    for (int g = 0; g < groups->count; ++g) {
        cnDirectIsland* group = &groups->groups[g];
        if (group->system.outcome != cn_systemFailed) {
            double rate = cnMax(cnDirect_RotationRate(group, group->start),
                                cnDirect_RotationRate(group, group->system.solution));
            bool isGiven = group->solve->settings.substeps > 0;
            int count = isGiven ? 1 : cnDirect_CountSubsteps(group, rate, group->substep.h);
            if (count > 1) {
                FinishInParts(groups, group, count);
            } else {
                FinishAtOnce(groups, group);
            }
        }
        NotifyTable(groups, group);
    }
}

// For the guard of its island.
static void ReportEnergy(const cnDirectIsland* group) {
    cnIsland* island = &group->solve->islands[group->solve->solver.island[group->bodies[0].index]];
    island->anchored = island->anchored || cnDirect_IsHeld(group);
    island->energy.sources += group->ledger.work.sources;
    island->energy.weighed += group->ledger.work.weighed;
    island->energy.stored += group->ledger.work.stored;
}

bool cnJointGroups_Finish(const cnJointGroups* groups) {
    bool ok = true;
    for (int g = 0; g < groups->count; ++g) {
        cnDirectIsland* group = &groups->groups[g];
        cnSolverBodies* solver = &group->solve->solver;
        if (group->system.outcome != cn_systemFailed) {
            cnDirect_CorrectPositions(group);
        }
        ok = ok && group->system.outcome != cn_systemNoMemory;
        cnDirect_ReportStatistics(group);
        ReportEnergy(group);
        if (group->system.outcome == cn_systemFailed) {
            cnDirect_Fail(group);
        } else {
            cnDirect_Report(group);
        }
        for (int i = 0; i < group->bodyCount; ++i) { // their velocities are in the table now
            int index = group->bodies[i].index;
            memset(&solver->velocity[index], 0, sizeof(cnMotion6));
            memset(&solver->displacement[index], 0, sizeof(cnMotion6));
        }
    }
    return ok;
}
