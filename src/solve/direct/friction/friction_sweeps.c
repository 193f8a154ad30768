#include "base/report/assert.h"
#include "solve/direct/friction/friction.h"

#include <string.h>

// Friction of the split solver.
#define CN_FRICTION_SWEEPS 7

// One Gauss–Seidel step of a friction node: tangents on the cone, then the torsional row.
static void SweepFriction(cnDirectIsland* island, cnDirectNode* node, double* velocities) {
    CN_ASSERT(island->kind == cn_directSplit && node->kind == cn_nodeFriction);
    cnDirectRow* t = &island->rows[node->block.firstRow];
    double* sigma = &island->system.sigma[node->block.firstRow];
    const double* inverseMass = &island->system.inverseEffectiveMass[node->block.firstRow];
    double largest = cnMax(inverseMass[0] + sigma[0], inverseMass[1] + sigma[1]);
    double next[3];
    for (int i = 0; i < 3; ++i) {
        double slip = cnDirect_RowSpeed(island, node->block.firstRow + i, velocities) + t[i].fixedSpeed;
        next[i] =
            t[i].lambda - (slip + sigma[i] * t[i].lambda) / (i < 2 ? largest : inverseMass[2] + sigma[2]);
        if (i == 1) {
            double size = sqrt(next[0] * next[0] + next[1] * next[1]);
            double shrink = size > node->friction.bound ? node->friction.bound / size : 1.0;
            for (int k = 0; k < 2; ++k) {
                cnDirect_PushRow(island, node->block.firstRow + k, shrink * next[k] - t[k].lambda,
                                 velocities);
                t[k].lambda = shrink * next[k];
            }
        }
    }
    double torsional = cnClamp(next[2], -node->friction.bound * node->friction.lever,
                               node->friction.bound * node->friction.lever);
    cnDirect_PushRow(island, node->block.firstRow + 2, torsional - t[2].lambda, velocities);
    t[2].lambda = torsional;
}

// Joints take part in the sweeps, or they would eat the friction that the sweeps find.
static void SweepJoint(cnDirectIsland* island, const cnDirectNode* node, double* velocities) {
    CN_ASSERT(cnNode_IsJoint(node));
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
        for (int r = island->nodes[n].block.firstRow; r < island->nodes[n].block.firstRow + 3; ++r) {
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
        node->friction.bound = cnDirect_FindFrictionBound(island, node, lambda);
        for (int i = 0; i < 3; ++i) {
            node->friction.before[i] = island->rows[node->block.firstRow + i].lambda;
        }
    }
    for (int sweep = 0; sweep < CN_FRICTION_SWEEPS; ++sweep) {
        for (int n = 0; n < island->nodeCount; ++n) {
            if (island->nodes[n].kind == cn_nodeFriction) {
                SweepFriction(island, &island->nodes[n], island->system.correction);
            } else if (cnNode_IsJoint(&island->nodes[n])) {
                SweepJoint(island, &island->nodes[n], island->system.correction);
            }
        }
    }
    for (int n = island->system.nodeCount; n < island->nodeCount; ++n) {
        for (int i = 0; i < 3; ++i) {
            int r = island->nodes[n].block.firstRow + i;
            cnDirect_LoadImpulse(island, r, island->rows[r].lambda - island->nodes[n].friction.before[i]);
        }
    }
    cnLinearSystem_Solve(&island->system);
}
