#include "base/report/assert.h"
#include "solve/direct/friction/friction.h"

#include <string.h>

// Friction of the split solver.
#define CN_FRICTION_SWEEPS 7

static void MoveRow(cnDirectIsland* island, int row, double lambda, double* velocities) {
    cnDirect_PushRow(island, row, lambda - island->rows[row].lambda, velocities);
    island->rows[row].lambda = lambda;
}

// Where a row's multiplier would be without bounds, for steps with an inverse effective mass.
static double NextOf(const cnDirectIsland* island, int row, double inverseMass, const double* velocities) {
    const cnDirectRow* of = &island->rows[row];
    double slip = cnDirect_RowSpeed(island, row, velocities) + of->fixedSpeed;
    return of->lambda - (slip + island->system.sigma[row] * of->lambda) / inverseMass;
}

static double InverseMassOf(const cnDirectIsland* island, int row) {
    return island->system.inverseEffectiveMass[row] + island->system.sigma[row];
}

static void SweepCircle(cnDirectIsland* island, int row, double bound, double* velocities) {
    double largest = cnMax(InverseMassOf(island, row), InverseMassOf(island, row + 1));
    double next1 = NextOf(island, row, largest, velocities),
           next2 = NextOf(island, row + 1, largest, velocities);
    double scale = cnFriction_GetScale(next1, next2, bound);
    MoveRow(island, row, scale * next1, velocities);
    MoveRow(island, row + 1, scale * next2, velocities);
}

static void SweepBounded(cnDirectIsland* island, int row, double bound, double* velocities) {
    double next = NextOf(island, row, InverseMassOf(island, row), velocities);
    MoveRow(island, row, cnClamp(next, -bound, bound), velocities);
}

// One Gauss–Seidel step of a friction node: along the tangents, about the normal, about tangents.
static void SweepFriction(cnDirectIsland* island, const cnDirectNode* node, double* velocities) {
    CN_ASSERT(island->kind == cn_directSplit && node->kind == cn_nodeFriction);
    const cnContactFriction* friction = &cnDirect_ContactOf(island, node)->friction;
    cnFrictionBounds bounds = cnDirect_GetFrictionBounds(island, node);
    int t = node->block.firstRow;
    if (friction->isBox) {
        SweepBounded(island, t, bounds.tangential[0], velocities);
        SweepBounded(island, t + 1, bounds.tangential[1], velocities);
    } else {
        SweepCircle(island, t, bounds.tangential[0], velocities);
    }
    SweepBounded(island, t + cn_frictionTorsional, bounds.torsional, velocities);
    if (friction->rolls) {
        SweepCircle(island, t + cn_frictionRolling, bounds.rolling, velocities);
    }
}

// Joints and normal forces take part in the sweeps, or they would eat the friction that the sweeps find: what
// stops a tall box at its base alone turns it, and a body that turns needs little friction there.
static void SweepNode(cnDirectIsland* island, const cnDirectNode* node, double* velocities) {
    const cnLinearSystem* system = &island->system;
    const double* q = system->right + cn_bodyUnknowns * island->bodyCount;
    for (int r = node->block.firstRow; r < cnRowBlock_End(&node->block); ++r) {
        double* lambda = &island->swept[r];
        double w = cnDirect_RowSpeed(island, r, velocities) + system->sigma[r] * *lambda - q[r];
        double next = *lambda - w / (system->inverseEffectiveMass[r] + system->sigma[r]);
        next = cnClamp(next, system->lower[r], system->upper[r]);
        cnDirect_PushRow(island, r, next - *lambda, velocities);
        *lambda = next;
    }
}

// Split: normals and joints directly with the friction that is known, friction and joints by sweeps with
// these normal forces, and normals and joints directly again.
void cnDirect_SolveFrictionSplit(cnDirectIsland* island) {
    CN_ASSERT(island->kind == cn_directSplit);
    int unknowns = 6 * island->bodyCount;
    double* lambda = island->system.solution + unknowns;
    for (int n = island->system.nodeCount; n < island->nodeCount; ++n) {
        for (int r = island->nodes[n].block.firstRow; r < cnRowBlock_End(&island->nodes[n].block); ++r) {
            cnDirect_LoadImpulse(island, r, island->rows[r].lambda);
        }
    }
    cnLinearSystem_Solve(&island->system);
    if (island->system.outcome >= cn_systemOverBudget || island->system.nodeCount == island->nodeCount) {
        return;
    }
    memcpy(island->system.correction, island->system.solution, (size_t)unknowns * sizeof(double));
    memcpy(island->swept, lambda, (size_t)island->system.rowCount * sizeof(double));
    for (int n = island->system.nodeCount; n < island->nodeCount; ++n) {
        cnDirectNode* node = &island->nodes[n];
        node->friction.load = cnDirect_FindFrictionLoad(island, node, lambda);
        for (int i = 0; i < node->block.rowCount; ++i) {
            node->friction.before[i] = island->rows[node->block.firstRow + i].lambda;
        }
    }
    for (int sweep = 0; sweep < CN_FRICTION_SWEEPS; ++sweep) {
        for (int n = 0; n < island->nodeCount; ++n) {
            if (island->nodes[n].kind == cn_nodeFriction) {
                SweepFriction(island, &island->nodes[n], island->system.correction);
            } else {
                SweepNode(island, &island->nodes[n], island->system.correction);
            }
        }
    }
    for (int n = island->system.nodeCount; n < island->nodeCount; ++n) {
        for (int i = 0; i < island->nodes[n].block.rowCount; ++i) {
            int r = island->nodes[n].block.firstRow + i;
            cnDirect_LoadImpulse(island, r, island->rows[r].lambda - island->nodes[n].friction.before[i]);
        }
    }
    cnLinearSystem_Solve(&island->system);
}
