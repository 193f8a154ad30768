#include "solve/direct/friction/swept_joints.h"

#include "base/report/assert.h"

#include <string.h>

// One Gauss–Seidel step of every row that is swept, in the velocities of `correction`; the change goes to the
// right-hand side.
static void SweepRows(cnDirectIsland* group) {
    int unknowns = 6 * group->bodyCount;
    memcpy(group->system.correction, group->system.solution, (size_t)unknowns * sizeof(double));
    for (int r = group->system.rowCount; r < group->rowCount; ++r) {
        cnDirectRow* row = &group->rows[r];
        double missing = group->system.right[unknowns + r] -
                         cnDirect_RowSpeed(group, r, group->system.correction) -
                         group->system.sigma[r] * row->lambda;
        double wanted =
            row->lambda + missing / (group->system.inverseEffectiveMass[r] + group->system.sigma[r]);
        double next = cnClamp(wanted, group->system.lower[r], group->system.upper[r]);
        cnDirect_PushRow(group, r, next - row->lambda, group->system.correction);
        cnDirect_LoadImpulse(group, r, next - row->lambda);
        row->lambda = next;
        group->system.sets[r] = wanted < group->system.lower[r]
                                    ? cn_rowAtLower
                                    : (wanted > group->system.upper[r] ? cn_rowAtUpper : cn_rowFree);
    }
}

void cnSweptJoints_SolveAgain(cnDirectIsland* group) {
    cnLinearSystem_Solve(&group->system);
    if (group->system.rowCount == group->rowCount) {
        return;
    }
    SweepRows(group);
    cnLinearSystem_Solve(&group->system);
    for (int r = group->system.rowCount; r < group->rowCount; ++r) {
        group->system.solution[6 * group->bodyCount + r] = group->rows[r].lambda;
    }
}

void cnSweptJoints_Solve(cnDirectIsland* group) {
    CN_ASSERT(group->kind == cn_directGroup && group->system.nodeCount <= group->nodeCount);
    for (int r = group->system.rowCount; r < group->rowCount; ++r) {
        cnDirectRow* row = &group->rows[r];
        row->lambda = cnClamp(row->lambda, group->system.lower[r], group->system.upper[r]);
        cnDirect_LoadImpulse(group, r, row->lambda);
    }
    cnSweptJoints_SolveAgain(group);
}

void cnSweptJoints_Load(const cnDirectIsland* group) {
    const cnSolve* solve = group->solve;
    for (int r = group->system.rowCount; r < group->rowCount && !solve->settings.disableWarmStart; ++r) {
        cnDirectRow* row = &group->rows[r];
        int constraint = group->nodes[row->node].source;
        row->lambda = solve->substep * solve->constraints->constraints[constraint].rows[row->slot].force;
    }
}

void cnSweptJoints_Scale(const cnDirectIsland* group, double factor) {
    for (int r = group->system.rowCount; r < group->rowCount; ++r) {
        group->rows[r].lambda *= factor;
    }
}
