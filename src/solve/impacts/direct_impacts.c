#include "solve/impacts/direct_impacts.h"

#include "base/report/assert.h"
#include "solve/direct/motion/rotation_rates.h"
#include "solve/direct/nodes/joint_nodes.h"
#include "solve/direct/reports.h"
#include "solve/direct/substep.h"

#include <string.h>

// Operations on linkages in the impacts of a step; beyond that bodies answer alone, and joints pass on what
// is left inelastically.
#define CN_IMPACT_WORK 1e7
// Energy that counts as raised, as a part of the work of the impulses.
#define CN_ENERGY_ROUNDING 1e-9
// Times that limits which would pull are let go.
#define CN_LIMIT_ROUNDS 3

void cnLinkedImpacts_Begin(cnSolve* solve, cnLinkedImpacts* impacts) {
    *impacts = (cnLinkedImpacts){.solve = solve, .work = CN_IMPACT_WORK, .ok = true};
    cnFactorPool_Release(solve->direct);
}

// ---- linkages ---------------------------------------------------------------------------------------------

static bool PassesOn(const cnDirectIsland* group, int r) {
    CN_ASSERT(r >= 0 && r < group->rowCount);
    const cnDirectRow* row = &group->rows[r];
    if (row->kind != cn_rowOneSided) {
        return group->system.lower[r] == -INFINITY && group->system.upper[r] == INFINITY;
    }
    return cnDirect_IsPressed(group, r) && group->system.sets[r] == cn_rowFree;
}

static void Clear(cnDirectIsland* group) {
    size_t bytes = (size_t)(6 * group->bodyCount + group->rowCount) * sizeof(double);
    memset(group->system.right, 0, bytes);
    memset(group->system.solution, 0, bytes);
}

static void SolveWrenches(cnLinkedImpacts* impacts, cnDirectIsland* group) {
    cnSparseFactor_Solve(group->system.factor, group->system.right, group->system.solution);
    impacts->work -= 2.0 * group->system.factor->statistics.nonZeros;
}

// What brings the velocities of a group to the time of the positions: gravity and users' forces for as
// long as they lag, and what joints need to be closed in velocity there. Else their impulses would do work on
// what is open of it, any amount where bodies spin.
static void FindKicks(cnLinkedImpacts* impacts, cnDirectIsland* group) {
    const cnSolve* solve = impacts->solve;
    double* velocities = group->system.correction;
    Clear(group);
    for (int i = 0; i < group->bodyCount; ++i) {
        const cnForceResponse* forces = &solve->solver.response[group->bodies[i].index];
        const double* start = group->start + 6 * i;
        double time = solve->bodies->lag[group->bodies[i].row] / solve->substep;
        cnPutVec(velocities + 6 * i, cnMulAdd(cnGetVec(start), time, forces->linear));
        cnPutVec(velocities + 6 * i + 3, cnMulAdd(cnGetVec(start + 3), time, forces->angular));
    }
    for (int r = 0; r < group->rowCount; ++r) {
        const cnDirectRow* row = &group->rows[r];
        double target = row->kind == cn_rowVelocity ? row->wanted : 0.0;
        if (PassesOn(group, r) && row->kind != cn_rowSway) { // which holds back changes alone
            group->system.right[6 * group->bodyCount + r] =
                target - row->fixedSpeed - cnDirect_RowSpeed(group, r, velocities);
        }
    }
    SolveWrenches(impacts, group);
    for (int i = 0; i < group->bodyCount; ++i) {
        const double *v = velocities + 6 * i, *closed = group->system.solution + 6 * i,
                     *start = group->start + 6 * i;
        cnVec3 linear = cnSub(cnAdd(cnGetVec(v), cnGetVec(closed)), cnGetVec(start));
        cnVec3 angular = cnSub(cnAdd(cnGetVec(v + 3), cnGetVec(closed + 3)), cnGetVec(start + 3));
        double perKick = 2.0 / solve->substeps;
        impacts->bodies[group->bodies[i].index] =
            (cnLinkedBody){cnScale(perKick, linear), cnScale(perKick, angular)};
    }
}

// Masses and rows for impacts; which limits press is found by a step without contacts.
static void PrepareGroup(cnLinkedImpacts* impacts, cnDirectIsland* group) {
    CN_ASSERT(group->kind == cn_directImpacts);
    const cnSolve* solve = impacts->solve;
    const cnBodyTable* bodies = solve->bodies;
    group->substep.rotationRate = cnDirect_CurrentRotationRate(group);
    cnDirect_PrepareSubStep(group);
    cnDirect_Solve(group);
    if (group->system.outcome == cn_systemFailed) { // left to the solve
        return;
    }
    for (int i = 0; i < group->bodyCount; ++i) {
        cnDirectBody* body = &group->bodies[i];
        cnInverseMass inverse;
        cnBody_GetInverseMass(bodies, body->row, 0.0, &inverse); // damping takes time
        group->system.inverses[i].linear = inverse.linear;
        cnPutMatrix(group->system.mass + 18 * i, cnInverse(inverse.linear));
        body->inertia = cnInverse(inverse.angular);
    }
    cnDirect_LoadValues(group);
    for (int r = 0; r < group->rowCount; ++r) {
        cnSparseFactor_SetFree(group->system.factor, r, PassesOn(group, r));
    }
    cnSparseFactor_Refresh(group->system.factor);
    FindKicks(impacts, group);
}

static bool MakeGroups(cnLinkedImpacts* impacts) {
    CN_ASSERT(!impacts->isMade);
    cnSolve* solve = impacts->solve;
    impacts->isMade = true;
    impacts->bodies = CN_PUSH(solve->stack, cnLinkedBody, solve->solver.count, "linked bodies");
    impacts->ok = impacts->bodies != NULL && cnMakeImpactGroups(solve, &impacts->groups);
    if (!impacts->ok) {
        return false;
    }
    const int count = impacts->groups.count;
    impacts->isPrepared = CN_PUSH(solve->stack, uint8_t, count, "prepared groups");
    impacts->ok = impacts->isPrepared != NULL;
    for (int g = 0; g < count && impacts->ok; ++g) {
        impacts->isPrepared[g] = false;
    }
    return impacts->ok;
}

// Of a body, −1 without one. Groups are made at the first impact in an island that has joints.
static int NumberOf(cnLinkedImpacts* impacts, int index) {
    CN_ASSERT(index >= 0 && index < impacts->solve->solver.count);
    const cnSolve* solve = impacts->solve;
    bool mayBe = index != 0 && solve->islands[solve->solver.island[index]].jointCount > 0 && impacts->ok;
    return mayBe && (impacts->isMade || MakeGroups(impacts)) ? impacts->groups.ofBody[index] : -1;
}

// The group of a body, ready for impacts; null without one.
static cnDirectIsland* GroupOf(cnLinkedImpacts* impacts, int index) {
    int number = NumberOf(impacts, index);
    cnDirectIsland* group = number >= 0 ? &impacts->groups.groups[number] : NULL;
    if (group != NULL && !impacts->isPrepared[number]) {
        impacts->isPrepared[number] = true;
        PrepareGroup(impacts, group);
        impacts->work -= group->system.factor->statistics.predictedFlops;
    }
    return group != NULL && group->system.outcome != cn_systemFailed ? group : NULL;
}

int cnLinkedImpacts_KeyOf(cnLinkedImpacts* impacts, int index) {
    int number = NumberOf(impacts, index);
    return number >= 0 ? impacts->groups.groups[number].bodies[0].index : index;
}

bool cnLinkedImpacts_IsLinked(cnLinkedImpacts* impacts, int index) {
    return NumberOf(impacts, index) >= 0;
}

bool cnLinkedImpacts_GetKick(cnLinkedImpacts* impacts, int index, cnLinkedBody* kick) {
    bool isLinked = GroupOf(impacts, index) != NULL;
    if (isLinked) {
        *kick = impacts->bodies[index];
    }
    return isLinked;
}

// ---- responses --------------------------------------------------------------------------------------------

// Velocities of a body without joints for a unit wrench on it.
static void AnswerAlone(const cnSolve* solve, int index, int axis, double* out) {
    int row = solve->solver.rows[index];
    cnInverseMass inverse;
    CN_ASSERT(row >= 0 && axis >= 0 && axis < 6);
    cnBody_GetInverseMass(solve->bodies, row, 0.0, &inverse);
    const cnMat33* part = axis < 3 ? &inverse.linear : &inverse.angular;
    const cnVec3 columns[3] = {part->x, part->y, part->z};
    cnPutVec(out + (axis < 3 ? 0 : 3), columns[axis % 3]);
}

// The groups of bodies; null where one has no joints. Answers whether there are any.
static bool FindGroups(cnLinkedImpacts* impacts, const int* indices, int count, cnDirectIsland** groups) {
    bool any = false;
    for (int i = 0; i < count; ++i) {
        CN_ASSERT(indices[i] != 0);
        groups[i] = GroupOf(impacts, indices[i]);
        any = any || groups[i] != NULL;
    }
    return any;
}

bool cnLinkedImpacts_FindResponse(cnLinkedImpacts* impacts, const int* indices, int count,
                                  cnImpactResponse* response) {
    CN_ASSERT(count >= 1 && count <= CN_STRUCK_BODIES);
    cnDirectIsland* groups[CN_STRUCK_BODIES];
    if (!FindGroups(impacts, indices, count, groups) || impacts->work <= 0.0) {
        return false;
    }
    for (int wrench = 0; wrench < 6 * count; ++wrench) {
        int body = wrench / 6, axis = wrench % 6;
        cnDirectIsland* group = groups[body];
        double* out = response->of[wrench];
        memset(out, 0, (size_t)(6 * count) * sizeof *out);
        if (group == NULL) {
            AnswerAlone(impacts->solve, indices[body], axis, out + 6 * body);
            continue;
        }
        Clear(group);
        group->system.right[6 * group->localOf[indices[body]] + axis] = 1.0;
        SolveWrenches(impacts, group);
        for (int other = 0; other < count; ++other) {
            if (groups[other] == group) {
                memcpy(out + 6 * other, group->system.solution + 6 * group->localOf[indices[other]],
                       6 * sizeof(double));
            }
        }
    }
    return true;
}

// ---- what an impact does ----------------------------------------------------------------------------------

// Limits that would pull are let go. True where there were any.
static bool LetLimitsGo(cnDirectIsland* group) {
    const double* lambda = cnLinearSystem_Multipliers(&group->system);
    bool any = false;
    for (int r = 0; r < group->rowCount; ++r) {
        const cnDirectRow* row = &group->rows[r];
        bool pulls = group->system.upper[r] > 0.0 ? lambda[r] < 0.0 : lambda[r] > 0.0;
        if (row->kind == cn_rowOneSided && pulls) {
            cnSparseFactor_SetFree(group->system.factor, r, false);
            any = true;
        }
    }
    cnSparseFactor_Refresh(group->system.factor);
    return any;
}

// Wrenches on bodies, 6 numbers each.
typedef struct ImpactWrenches {
    const int* indices;
    cnDirectIsland* const* groups; // of the bodies, null where one has no joints
    const double* of;
    int count;
} ImpactWrenches;

// Velocity changes of a group, into `solution`.
static void SolveGroup(cnLinkedImpacts* impacts, cnDirectIsland* group, const ImpactWrenches* wrenches) {
    Clear(group);
    for (int i = 0; i < wrenches->count; ++i) {
        if (wrenches->groups[i] == group) {
            double* right = group->system.right + 6 * group->localOf[wrenches->indices[i]];
            for (int k = 0; k < 6; ++k) {
                right[k] += wrenches->of[6 * i + k];
            }
        }
    }
    SolveWrenches(impacts, group);
    for (int round = 0; round < CN_LIMIT_ROUNDS && LetLimitsGo(group); ++round) {
        memset(group->system.solution, 0, (size_t)(6 * group->bodyCount + group->rowCount) * sizeof(double));
        SolveWrenches(impacts, group);
    }
}

// Kinetic energy that the changes in `solution` add, at the time of the positions, and the sum of its parts'
// sizes.
static double AddedEnergy(const cnLinkedImpacts* impacts, const cnDirectIsland* group, double* size) {
    const cnSolve* solve = impacts->solve;
    double share = 0.5 * solve->substeps, energy = 0.0;
    for (int i = 0; i < group->bodyCount; ++i) {
        const cnDirectBody* body = &group->bodies[i];
        const cnLinkedBody* kick = &impacts->bodies[body->index];
        cnVec3 dv = cnGetVec(group->system.solution + 6 * i),
               dw = cnGetVec(group->system.solution + 6 * i + 3);
        cnVec3 v = cnMulAdd(solve->bodies->halfStepVelocity[body->row], share, kick->kick);
        cnVec3 w = cnMulAdd(solve->bodies->halfStepAngularVelocity[body->row], share, kick->spinKick);
        cnVec3 momentum = cnMulMat(cnGetMatrix(group->system.mass + 18 * i), dv),
               moment = cnMulMat(body->inertia, dw);
        energy += cnDot(momentum, cnMulAdd(v, 0.5, dv)) + cnDot(moment, cnMulAdd(w, 0.5, dw));
        *size += fabs(cnDot(momentum, v)) + fabs(cnDot(moment, w));
    }
    return energy;
}

static void MoveGroup(const cnLinkedImpacts* impacts, cnDirectIsland* group) {
    cnBodyTable* bodies = impacts->solve->bodies;
    for (int i = 0; i < group->bodyCount; ++i) {
        int row = group->bodies[i].row;
        const double* dv = group->system.solution + 6 * i;
        bodies->halfStepVelocity[row] = cnAdd(bodies->halfStepVelocity[row], cnGetVec(dv));
        cnBody_StoreAngularVelocity(bodies, row,
                                    cnAdd(bodies->halfStepAngularVelocity[row], cnGetVec(dv + 3)));
        bodies->flags[row] |= cn_bodyStruck;
    }
    const double* lambda = cnLinearSystem_Multipliers(&group->system);
    for (int n = 0; n < group->nodeCount; ++n) {
        cnDirectNode* node = &group->nodes[n];
        for (int r = node->block.firstRow; r < cnRowBlock_End(&node->block); ++r) {
            group->rows[r].sum += lambda[r];
        }
        cnDirect_AddReaction(group, node, lambda + node->block.firstRow);
    }
}

// The same of a body without joints.
static double AddedEnergyAlone(const cnSolve* solve, int index, const double* wrench, double* size) {
    const cnBodyTable* bodies = solve->bodies;
    int row = solve->solver.rows[index];
    cnInverseMass inverse;
    cnBody_GetInverseMass(bodies, row, 0.0, &inverse);
    const cnForceResponse* kick = &solve->solver.response[index];
    double share = 0.25 * (solve->substeps + 1);
    cnVec3 force = cnGetVec(wrench), moment = cnGetVec(wrench + 3);
    cnVec3 dv = cnMulMat(inverse.linear, force), dw = cnMulMat(inverse.angular, moment);
    cnVec3 v = cnMulAdd(bodies->halfStepVelocity[row], share, kick->linear);
    cnVec3 w = cnMulAdd(bodies->halfStepAngularVelocity[row], share, kick->angular);
    *size += fabs(cnDot(force, v)) + fabs(cnDot(moment, w));
    return cnDot(force, cnMulAdd(v, 0.5, dv)) + cnDot(moment, cnMulAdd(w, 0.5, dw));
}

// Whether a body is the first of its group, so that each group is looked at once.
static bool IsFirstOf(cnDirectIsland* const* groups, int place) {
    for (int i = 0; i < place; ++i) {
        if (groups[i] == groups[place]) {
            return false;
        }
    }
    return groups[place] != NULL;
}

bool cnLinkedImpacts_Accept(cnLinkedImpacts* impacts, const int* indices, int count, const double* wrenches,
                            double given) {
    CN_ASSERT(count >= 1 && count <= CN_STRUCK_BODIES);
    cnDirectIsland* groups[CN_STRUCK_BODIES];
    FindGroups(impacts, indices, count, groups);
    const ImpactWrenches all = {indices, groups, wrenches, count};
    double energy = 0.0, size = 0.0;
    for (int i = 0; i < count; ++i) {
        if (IsFirstOf(groups, i)) {
            SolveGroup(impacts, groups[i], &all);
            energy += AddedEnergy(impacts, groups[i], &size);
        }
    }
    for (int i = 0; i < count; ++i) {
        if (groups[i] == NULL) {
            energy += AddedEnergyAlone(impacts->solve, indices[i], wrenches + 6 * i, &size);
        }
    }
    if (energy - given > CN_ENERGY_ROUNDING * (size + fabs(given))) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        if (IsFirstOf(groups, i)) {
            MoveGroup(impacts, groups[i]);
        }
    }
    return true;
}

bool cnLinkedImpacts_End(cnLinkedImpacts* impacts) {
    for (int g = 0; g < impacts->groups.count && impacts->ok; ++g) {
        const cnDirectIsland* group = &impacts->groups.groups[g];
        if (impacts->isPrepared[g] && group->system.outcome != cn_systemFailed) {
            cnDirect_Report(group);
        }
    }
    return impacts->ok;
}
