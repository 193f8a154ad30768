#include "solve/direct/friction/friction.h"

#include "base/report/assert.h"
#include "solve/direct/friction/exact_cone.h"

// Friction within the factorisation: rounds of bounds from normal forces, and the change of a bound that ends
// them.
#define CN_FRICTION_ROUNDS 8
#define CN_FRICTION_TOLERANCE 1e-2
// After so many pivots in a step the rounds end.
#define CN_MANY_PIVOTS 40
// With exact cones: rounds, and pivots that end them.
#define CN_EXACT_ROUNDS 40
#define CN_EXACT_PIVOTS 300

// Friction's bounds from the normal forces, in rounds. A round's bound makes the next one's normal force, and
// where bodies wedge the more friction the less force: the plain iteration then swings between two wrong
// answers indefinitely. So each contact takes the step of a secant, with the slope that it saw in its last
// two rounds: ω = 1/(1 − slope), between 0.1 and 1.
static double NextBound(cnDirectNode* node, double wanted) {
    CN_ASSERT(node->friction.rounds >= 0);
    double share = 1.0;
    double change = node->friction.bound - node->friction.boundBefore;
    if (node->friction.rounds > 0 && change != 0.0) {
        double slope = (wanted - node->friction.wantedBefore) / change;
        share = slope < 0.0 ? cnMax(0.1, 1.0 / (1.0 - slope)) : 1.0;
    }
    node->friction.boundBefore = node->friction.bound;
    node->friction.wantedBefore = wanted;
    node->friction.bound += share * (wanted - node->friction.bound);
    node->friction.rounds += 1;
    return node->friction.bound;
}

// Bounds of a cone's rows: along the direction of the last solution where that was outside.
static void BoundFriction(cnDirectIsland* island, const cnDirectNode* node, const double* lambda,
                          double bound) {
    CN_ASSERT(node->kind == cn_nodeFriction);
    int t = node->block.firstRow;
    double size = lambda != NULL ? sqrt(lambda[t] * lambda[t] + lambda[t + 1] * lambda[t + 1]) : 0.0;
    for (int i = 0; i < 2; ++i) {
        bool isOutside = lambda != NULL && size > bound;
        cnLinearSystem_SetBound(&island->system, t + i,
                                isOutside ? bound * fabs(lambda[t + i]) / size : bound);
    }
    cnLinearSystem_SetBound(&island->system, t + 2, bound * node->friction.lever);
}

double cnDirect_FindFrictionBound(const cnDirectIsland* island, cnDirectNode* node, const double* lambda) {
    CN_ASSERT(node->kind == cn_nodeFriction && node->friction.normals < island->nodeCount);
    double load = 0.0, moment = 0.0;
    const cnRowBlock* normals = &island->nodes[node->friction.normals].block;
    const cnContactRows* source = cnDirect_ContactOf(island, node);
    for (int i = 0; i < normals->rowCount; ++i) {
        double normal = cnMax(0.0, lambda[normals->firstRow + i]);
        load += normal;
        moment += normal * source->points[i].radius;
    }
    node->friction.lever = load > 0.0 ? moment / load : 0.0;
    return cnFriction_GetBounds(&source->friction, load, moment).tangential;
}

// True when a bound is off by more than the tolerance.
static bool UpdateFriction(cnDirectIsland* island, const double* lambda) {
    bool isOff = false;
    for (int n = 0; n < island->nodeCount; ++n) {
        cnDirectNode* node = &island->nodes[n];
        if (node->kind != cn_nodeFriction) {
            continue;
        }
        int t = node->block.firstRow;
        double wanted = cnDirect_FindFrictionBound(island, node, lambda);
        if (cnDirect_HasExactCone(island, node)) {
            isOff |= cnDirect_UpdateExactCone(island, node, wanted, NextBound(node, wanted));
            continue;
        }
        double size = sqrt(lambda[t] * lambda[t] + lambda[t + 1] * lambda[t + 1]);
        // a contact that sticks well inside its cone needs no exact bound
        bool inside = size < 0.99 * cnMin(wanted, node->friction.bound);
        isOff |= !inside && fabs(wanted - node->friction.bound) >
                                CN_FRICTION_TOLERANCE * cnMax(wanted, node->friction.bound);
        isOff |= size > wanted * (1.0 + CN_FRICTION_TOLERANCE) && size > 0.0;
        BoundFriction(island, node, lambda, NextBound(node, wanted));
    }
    return isOff;
}

void cnDirect_SolveFrictionWithin(cnDirectIsland* island) {
    for (int n = 0; n < island->nodeCount; ++n) {
        cnDirectNode* node = &island->nodes[n];
        if (node->kind == cn_nodeFriction) {
            node->friction.rounds = 0;
            BoundFriction(island, node, NULL, node->friction.bound);
        }
    }
    int rounds = cnDirect_Has(island, cn_islandHasExactCones) ? CN_EXACT_ROUNDS : CN_FRICTION_ROUNDS;
    int pivots = cnDirect_Has(island, cn_islandHasExactCones) ? CN_EXACT_PIVOTS : CN_MANY_PIVOTS;
    for (int round = 0; round < rounds; ++round) {
        cnLinearSystem_Solve(&island->system);
        if (island->system.outcome >= cn_systemOverBudget || !cnDirect_Has(island, cn_islandHasContacts) ||
            !UpdateFriction(island, cnLinearSystem_Multipliers(&island->system))) {
            return;
        }
        bool isLast = island->system.statistics.pivots > pivots;
        if (isLast && !cnDirect_Has(island, cn_islandHasExactCones)) {
            return;
        }
        if (cnDirect_Has(island, cn_islandHasExactCones)) { // rows have rotated
            cnLinearSystem_LoadValues(&island->system);
        }
        if (isLast) {
            break;
        }
    }
    cnLinearSystem_Solve(&island->system);
}
