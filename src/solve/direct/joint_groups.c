#include "solve/direct/joint_groups.h"

#include "base/containers/disjoint_sets.h"
#include "base/report/assert.h"
#include "solve/contact_rows.h"
#include "solve/direct/energy_guard.h"
#include "solve/direct/work_budget.h"

#include <string.h>

// A group is moved by velocities that have at most so many times the energy that it began with and pushes make.
#define CN_WAY_ENERGY 4.0
// Contacts give a impact where they give more than this share of the kinetic energy.
#define CN_BLOW_SHARE 0.01
#define CN_BLOW_PARTS 8
// In parts it has at most so many times the energy of the sub-step as a whole.
#define CN_PARTS_ENERGY 1.1

// ---- making groups --------------------------------------------------------------------------------------------------

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

// The arrays of one group out of those of all, behind those of the groups before.
static void TakeRoom(cnDirectIsland* group, const cnDirectSizes* before) {
    int unknowns = 6 * before->bodies + before->rows;
    group->bodies += before->bodies;
    group->nodes += before->nodes;
    group->rows += before->rows;
    group->mass += 18 * before->bodies;
    group->start += 6 * before->bodies;
    group->jacobian += before->numbers;
    group->sigma += before->rows;
    group->effect += before->rows;
    group->right += unknowns;
    group->solution += unknowns;
    group->step += unknowns;
    group->ahead += before->rows;
    group->lower += before->rows;
    group->upper += before->rows;
    group->before += before->rows;
    group->reactions += before->rows;
    group->swept += before->rows;
    group->state += before->rows;
    group->soft += before->nodes;
    group->pushed += before->nodes;
    group->rowStart += before->nodes;
    group->bodyStart += before->nodes;
    group->nodeBodies += 4 * before->nodes;
    group->stiffness += before->bodies;
    group->inverses += before->bodies;
}

static void AddSizes(cnDirectSizes* sum, const cnDirectSizes* sizes) {
    sum->bodies += sizes->bodies;
    sum->nodes += sizes->nodes + 1; // rowStart and bodyStart have one more
    sum->rows += sizes->rows;
    sum->numbers += sizes->numbers;
}

// Where a group's share of `kept` and the like begins.
static size_t OffsetOf(const cnJointGroups* groups, const cnDirectIsland* group) {
    CN_ASSERT(group >= groups->groups && group < groups->groups + groups->count);
    return (size_t)(group->right - groups->groups[0].right);
}

static cnGroupBody* BodiesOf(const cnJointGroups* groups, const cnDirectIsland* group) {
    CN_ASSERT(group >= groups->groups && group < groups->groups + groups->count);
    return groups->bodies + (group->bodies - groups->groups[0].bodies);
}

// The sweeps leave forces on bodies of groups to these.
static void LoadBodies(const cnJointGroups* groups, const cnDirectIsland* group) {
    cnSolve* solve = group->solve;
    cnGroupBody* shared = BodiesOf(groups, group);
    for (int i = 0; i < group->bodyCount; ++i) {
        int index = group->bodies[i].index, row = group->bodies[i].row;
        CN_ASSERT(index > 0 && row >= 0);
        const cnInverseMass* inverse = &solve->solver.inverse[index];
        shared[i] = (cnGroupBody){
            .velocity = solve->bodies->velocity[row],
            .spin = solve->bodies->angularVelocity[row],
            .mass = cnInverse(inverse->linear),
            .inertia = cnInverse(inverse->angular),
        };
        solve->solver.force[index] = (cnSubstepForce){0};
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
        AddSizes(&all, &sizes);
    }
    cnDirectIsland base = {.solve = solve, .grouped = !forImpacts, .ofImpacts = forImpacts};
    groups->groups = CN_PUSH(stack, cnDirectIsland, count, "joint groups");
    if (!cnDirect_MakeRoom(&base, &all) || groups->groups == NULL) {
        return false;
    }

    // one by one
    for (int g = 0; g < count; ++g) {
        cnDirectIsland* group = &groups->groups[groups->count++];
        *group = base;
        TakeRoom(group, &before);
        if (cnDirect_Assemble(group, &contents, g, hint + g, 0.0) != cn_orderFound) {
            return false;
        }
        const cnIsland* island = &solve->islands[solve->solver.island[group->bodies[0].index]];
        group->h = cnIsland_IsFactorised(island) ? solve->h : solve->substep;
        group->workLimit = cnSolve_ShareWork(solve, count) / solve->substeps;
        cnDirectSizes sizes = cnDirect_MeasureIsland(solve, &contents, g);
        AddSizes(&before, &sizes);
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

// ---- solving a group ------------------------------------------------------------------------------------------------

// Rows of the factorisation, or, without any, the bodies alone.
static void SolveSystem(cnDirectIsland* group) {
    if (group->systemRows > 0) {
        cnDirect_SolveBounded(group);
        return;
    }
    for (int i = 0; i < group->bodyCount; ++i) {
        const double* p = group->right + 6 * i;
        double* v = group->solution + 6 * i;
        cnPutVec(v, cnMulMat(group->inverses[i].linear, cnGetVec(p)));
        cnPutVec(v + 3, cnMulMat(group->inverses[i].angular, cnGetVec(p + 3)));
    }
}

// One Gauss–Seidel step of every row that is swept, in the velocities of `step`; the change goes to the right-hand side.
static void SweepRows(cnDirectIsland* group) {
    int unknowns = 6 * group->bodyCount;
    memcpy(group->step, group->solution, (size_t)unknowns * sizeof(double));
    for (int r = group->systemRows; r < group->rowCount; ++r) {
        cnDirectRow* row = &group->rows[r];
        double missing = group->right[unknowns + r] - cnDirect_RowSpeed(group, r, group->step) -
                         group->sigma[r] * row->lambda;
        double wanted = row->lambda + missing / (group->effect[r] + group->sigma[r]);
        double next = cnClamp(wanted, group->lower[r], group->upper[r]);
        cnDirect_PushRow(group, r, next - row->lambda, group->step);
        cnDirect_LoadImpulse(group, r, next - row->lambda);
        row->lambda = next;
        group->state[r] = wanted < group->lower[r] ? cn_rowAtLower
                                                   : (wanted > group->upper[r] ? cn_rowAtUpper : cn_rowFree);
    }
}

static void SolveAgain(cnDirectIsland* group) {
    SolveSystem(group);
    if (group->systemRows == group->rowCount) {
        return;
    }
    SweepRows(group);
    SolveSystem(group);
    for (int r = group->systemRows; r < group->rowCount; ++r) {
        group->solution[6 * group->bodyCount + r] = group->rows[r].lambda;
    }
}

void cnDirect_SolveGroup(cnDirectIsland* group) {
    CN_ASSERT(group->grouped && group->systemNodes <= group->nodeCount);
    for (int r = group->systemRows; r < group->rowCount; ++r) {
        cnDirectRow* row = &group->rows[r];
        row->lambda = cnClamp(row->lambda, group->lower[r], group->upper[r]);
        cnDirect_LoadImpulse(group, r, row->lambda);
    }
    SolveAgain(group);
}

// ---- between contacts and groups ------------------------------------------------------------------------------------

static void StoreChange(float lanes[4], cnVec3 change, cnVec3* read) {
    lanes[0] = (float)change.x;
    lanes[1] = (float)change.y;
    lanes[2] = (float)change.z;
    *read = cnVec(lanes[0], lanes[1], lanes[2]);
}

// Velocities for the sweeps.
static void Tell(const cnJointGroups* groups, const cnDirectIsland* group, int body, cnVec3 v, cnVec3 w) {
    CN_ASSERT(body >= 0 && body < group->bodyCount);
    cnGroupBody* shared = BodiesOf(groups, group) + body;
    cnMotion6* motion = &group->solve->solver.velocity[group->bodies[body].index];
    StoreChange(motion->linear, cnSub(v, shared->velocity), &shared->gained);
    StoreChange(motion->angular, cnSub(w, shared->spin), &shared->gainedSpin);
}

static void TellSolution(const cnJointGroups* groups, const cnDirectIsland* group, const double* correction) {
    for (int i = 0; i < group->bodyCount; ++i) {
        const double *v = group->solution + 6 * i, *add = correction + 6 * i;
        cnVec3 linear = cnAdd(cnGetVec(v), cnGetVec(add)),
               angular = cnAdd(cnGetVec(v + 3), cnGetVec(add + 3));
        Tell(groups, group, i, linear, angular);
    }
}

// What contacts changed since they were told; with `right` not null that goes there too.
static void Hear(const cnJointGroups* groups, const cnDirectIsland* group, double* right) {
    cnGroupBody* shared = BodiesOf(groups, group);
    for (int i = 0; i < group->bodyCount; ++i) {
        cnGroupBody* body = &shared[i];
        const cnMotion6* now = &group->solve->solver.velocity[group->bodies[i].index];
        cnVec3 v = cnVec(now->linear[0], now->linear[1], now->linear[2]);
        cnVec3 w = cnVec(now->angular[0], now->angular[1], now->angular[2]);
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

// ---- a sub-step -----------------------------------------------------------------------------------------------------

static size_t UnknownBytes(const cnDirectIsland* group) {
    return (size_t)(6 * group->bodyCount + group->rowCount) * sizeof(double);
}

// Rows that are swept begin with the forces of the last step.
static void LoadSweptRows(const cnDirectIsland* group) {
    const cnSolve* solve = group->solve;
    for (int r = group->systemRows; r < group->rowCount && !solve->settings.disableWarmStart; ++r) {
        cnDirectRow* row = &group->rows[r];
        int constraint = group->nodes[row->node].constraint;
        row->lambda = solve->substep * solve->constraints->constraints[constraint].rows[row->slot].force;
    }
}

// Bodies of a group without a finite solution stay as they are in the table, and press on nothing.
static void TellTable(const cnJointGroups* groups, const cnDirectIsland* group) {
    const cnBodyTable* bodies = group->solve->bodies;
    for (int i = 0; i < group->bodyCount; ++i) {
        int row = group->bodies[i].row;
        Tell(groups, group, i, bodies->velocity[row], bodies->angularVelocity[row]);
        memset(&group->solve->solver.contact[group->bodies[i].index], 0, sizeof(cnMotion6));
    }
}

// After a solution.
static void TellGroup(const cnJointGroups* groups, const cnDirectIsland* group) {
    if (group->failed) {
        TellTable(groups, group);
    } else {
        TellSolution(groups, group, groups->correction + OffsetOf(groups, group));
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
        if (group->failed) {
            continue;
        }
        group->substep = substep;
        group->turnRate = cnDirect_LimitTurns(group, group->h / cnDirect_MaxSubsteps(group));
        group->elapsed = substep * group->h;
        cnDirect_PrepareSubStep(group);
        if (substep == 0) {
            Hear(groups, group, NULL); // the warm start
            LoadSweptRows(group);
        }
        cnGroupBody* shared = BodiesOf(groups, group);
        for (int i = 0; i < group->bodyCount; ++i) {
            shared[i].startImpulse = shared[i].impulse;
            shared[i].startMoment = shared[i].moment;
        }
        LoadContacts(groups, group, 1.0);
        cnDirect_Solve(group);
        memset(groups->correction + OffsetOf(groups, group), 0, UnknownBytes(group));
        TellGroup(groups, group);
    }
}

void cnJointGroups_AfterBiased(const cnJointGroups* groups, bool isLast) {
    for (int g = 0; g < groups->count; ++g) {
        cnDirectIsland* group = &groups->groups[g];
        size_t offset = OffsetOf(groups, group), bytes = UnknownBytes(group);
        double *kept = groups->kept + offset, *correction = groups->correction + offset;
        double* way = groups->way + offset;
        if (group->failed) {
            TellTable(groups, group);
            continue;
        }
        Hear(groups, group, group->right);
        SolveAgain(group);
        if (isLast) {
            memcpy(kept, group->right, bytes);
            memcpy(correction, group->solution, bytes);
            memset(group->step, 0, bytes);
            cnDirect_Correct(group);
            memcpy(way, group->solution, bytes);
            memcpy(group->right, kept, bytes);
            for (int i = 0; i < 6 * group->bodyCount + group->rowCount; ++i) {
                group->solution[i] = correction[i];
                correction[i] = way[i] - group->solution[i];
            }
        }
        TellGroup(groups, group);
    }
}

void cnJointGroups_AfterRelaxing(const cnJointGroups* groups) {
    for (int g = 0; g < groups->count; ++g) {
        cnDirectIsland* group = &groups->groups[g];
        if (!group->failed) {
            Hear(groups, group, group->right);
            SolveAgain(group);
        }
        TellGroup(groups, group);
    }
}

// Energy of a group whose overlaps are pushed out at the highest speed, J.
static double PushEnergy(const cnDirectIsland* group) {
    double mass = 0.0;
    for (int i = 0; i < group->bodyCount; ++i) {
        mass += group->solve->bodies->mass[group->bodies[i].row];
    }
    return 0.5 * mass * CN_PUSH_LIMIT * CN_PUSH_LIMIT;
}

// Where springs and limits stand if the solution's velocities move them, not the way, for the guard. What contacts push along the way makes
// springs tense without any motion: weighed as work, it would stop everything for good.
static void LookWithoutWay(const cnDirectIsland* group) {
    for (int n = 0; n < group->nodeCount && group->way != NULL; ++n) {
        const cnDirectNode* node = &group->nodes[n];
        for (int r = node->firstRow; cnDirect_IsAsked(node) && r < node->firstRow + node->rowCount; ++r) {
            double pushed =
                cnDirect_RowSpeed(group, r, group->way) - cnDirect_RowSpeed(group, r, group->solution);
            group->ahead[r] -= group->h * pushed;
        }
    }
}

// Ends a sub-step with the velocities that sweeps and groups agreed on, and moves the group by those of the biased sweep.
static void FinishAtOnce(const cnJointGroups* groups, cnDirectIsland* group) {
    size_t offset = OffsetOf(groups, group);
    int unknowns = 6 * group->bodyCount;
    for (int i = 0; i < unknowns + group->systemRows; ++i) {
        group->solution[i] += groups->correction[offset + (size_t)i];
    }
    for (int r = 0; r < group->systemRows; ++r) {
        if (group->rows[r].kind == cn_rowOneSided) {
            double* lambda = &group->solution[unknowns + r];
            *lambda = cnClamp(*lambda, group->lower[r], group->upper[r]);
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
    double limit = CN_WAY_ENERGY * (cnDirect_KineticEnergy(group, group->start) + PushEnergy(group));
    group->way = cnDirect_KineticEnergy(group, way) < limit ? way : NULL;
    if (group->way == NULL) {
        cnDirect_LookAhead(group);
    }
    double raised = group->raised;
    LookWithoutWay(group);
    cnDirect_GuardEnergy(group);
    group->way = group->raised > raised ? NULL : group->way;
    cnDirect_FinishSubStep(group);
    group->way = NULL;
}

static void ScaleSweptRows(const cnDirectIsland* group, double factor) {
    for (int r = group->systemRows; r < group->rowCount; ++r) {
        group->rows[r].lambda *= factor;
    }
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

// Takes a sub-step again from its start, in smaller ones. What contacts give is spread over all, or what rests would hop. But it was found
// for the poses of the start, and works in the directions that bodies turn to meanwhile: it gives no more energy than there.
static void FinishInParts(const cnJointGroups* groups, cnDirectIsland* group, int count) {
    CN_ASSERT(count >= 1);
    const double h = group->h, elapsed = group->elapsed, share = 1.0 / count;
    const double max = CN_PARTS_ENERGY * cnMax(cnDirect_KineticEnergy(group, group->start),
                                               cnDirect_KineticEnergy(group, group->solution)) +
                       PushEnergy(group);
    const bool isBlow =
        count >= CN_BLOW_PARTS &&
        ContactEnergy(groups, group) > CN_BLOW_SHARE * cnDirect_KineticEnergy(group, group->start);
    group->h = h * share;
    ScaleSweptRows(group, share);
    for (int part = 0; part < count && !group->failed; ++part) {
        group->substep += part > 0;
        group->elapsed = elapsed + part * group->h;
        group->turnRate = cnDirect_CurrentTurnRate(group);
        cnDirect_PrepareSubStep(group);
        LoadContacts(groups, group, isBlow ? part == 0 : share);
        cnDirect_Solve(group);
        cnDirect_Correct(group);
        cnDirect_GuardEnergy(group);
        cnDirect_LimitEnergy(group, max);
        cnDirect_FinishSubStep(group);
    }
    ScaleSweptRows(group, count);
    group->h = h;
    group->perStep = 1.0 / h;
    group->statistics.substeps += count - 1;
}

void cnJointGroups_End(const cnJointGroups* groups) {
    for (int g = 0; g < groups->count; ++g) {
        cnDirectIsland* group = &groups->groups[g];
        if (!group->failed) {
            double rate =
                cnMax(cnDirect_TurnRate(group, group->start), cnDirect_TurnRate(group, group->solution));
            bool isGiven = group->solve->settings.substeps > 0;
            int count = isGiven ? 1 : cnDirect_CountSubsteps(group, rate, group->h);
            if (count > 1) {
                FinishInParts(groups, group, count);
            } else {
                FinishAtOnce(groups, group);
            }
        }
        TellTable(groups, group);
    }
}

// For the guard of its island.
static void ReportEnergy(const cnDirectIsland* group) {
    cnIsland* island = &group->solve->islands[group->solve->solver.island[group->bodies[0].index]];
    island->anchored = island->anchored || cnDirect_IsHeld(group);
    island->energy.sources += group->energy.sources;
    island->energy.weighed += group->energy.weighed;
    island->energy.stored += group->energy.stored;
}

bool cnJointGroups_Finish(const cnJointGroups* groups) {
    bool ok = true;
    for (int g = 0; g < groups->count; ++g) {
        cnDirectIsland* group = &groups->groups[g];
        cnSolverBodies* solver = &group->solve->solver;
        if (!group->failed) {
            cnDirect_CorrectPositions(group);
        }
        ok = ok && group->ok;
        cnDirect_ReportStatistics(group);
        ReportEnergy(group);
        if (group->failed) {
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
