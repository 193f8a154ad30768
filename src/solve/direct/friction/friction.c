#include "solve/direct/friction/friction.h"

#include "base/report/assert.h"
#include "solve/direct/friction/exact_cone.h"

// Friction within the factorisation: rounds of bounds from normal forces, and the change of a bound that ends
// them.
#define CN_FRICTION_ROUNDS 8
#define CN_FRICTION_TOLERANCE 2e-3
// After so many pivots in a step the rounds end.
#define CN_MANY_PIVOTS 40
// With exact cones: rounds, and pivots that end them.
#define CN_EXACT_ROUNDS 40
#define CN_EXACT_PIVOTS 300

// Friction's bounds from the normal forces, in rounds. A round's bound makes the next one's normal force, and
// where bodies wedge the more friction the less force: the plain iteration then swings between two wrong
// answers indefinitely. So each contact takes the step of a secant, with the slope that it saw in its last
// two rounds: ω = 1/(1 − slope), between 0.1 and 1.
static void NextLoad(cnDirectNode* node, double wanted) {
    CN_ASSERT(node->friction.rounds >= 0);
    double share = 1.0;
    double change = node->friction.load - node->friction.loadBefore;
    if (node->friction.rounds > 0 && change != 0.0) {
        double slope = (wanted - node->friction.wantedBefore) / change;
        share = slope < 0.0 ? cnMax(0.1, 1.0 / (1.0 - slope)) : 1.0;
    }
    node->friction.loadBefore = node->friction.load;
    node->friction.wantedBefore = wanted;
    // never below 0, by rounding either
    node->friction.load = cnMax(0.0, node->friction.load + share * (wanted - node->friction.load));
    node->friction.rounds += 1;
}

cnFrictionBounds cnDirect_GetFrictionBounds(const cnDirectIsland* island, const cnDirectNode* node) {
    double load = node->friction.load;
    return cnFriction_GetBounds(&cnDirect_ContactOf(island, node)->friction, load,
                                load * node->friction.lever, island->substep.h);
}

static void BoundBox(cnDirectIsland* island, const cnDirectNode* node) {
    cnFrictionBounds bounds = cnDirect_GetFrictionBounds(island, node);
    for (int i = 0; i < 2; ++i) {
        cnLinearSystem_SetBound(&island->system, node->block.firstRow + i, bounds.tangential[i]);
    }
}

static void BoundTorsional(cnDirectIsland* island, const cnDirectNode* node) {
    cnFrictionBounds bounds = cnDirect_GetFrictionBounds(island, node);
    cnLinearSystem_SetBound(&island->system, node->block.firstRow + cn_frictionTorsional, bounds.torsional);
}

// Of the first round.
static void BoundFriction(cnDirectIsland* island, const cnDirectNode* node) {
    CN_ASSERT(node->kind == cn_nodeFriction);
    BoundBox(island, node); // a cone's sides are equal
    BoundTorsional(island, node);
    double rolling = cnDirect_GetFrictionBounds(island, node).rolling;
    for (int r = node->block.firstRow + cn_frictionRolling; r < cnRowBlock_End(&node->block); ++r) {
        cnLinearSystem_SetBound(&island->system, r, rolling);
    }
}

double cnDirect_FindFrictionLoad(const cnDirectIsland* island, cnDirectNode* node, const double* lambda) {
    CN_ASSERT(node->kind == cn_nodeFriction && node->friction.normals < island->nodeCount);
    double load = 0.0, moment = 0.0;
    const cnRowBlock* normals = &island->nodes[node->friction.normals].block;
    const cnContactRows* source = cnDirect_ContactOf(island, node);
    for (int i = 0; i < normals->rowCount; ++i) {
        double held = source->adhesion * island->substep.h;
        double normal = cnMax(0.0, lambda[normals->firstRow + i] + held);
        load += normal;
        moment += normal * source->points[i].radius;
    }
    node->friction.lever = load > 0.0 ? moment / load : 0.0;
    return load;
}

// Whether a bound is off by more than the tolerance, and the multiplier not well inside both.
static bool IsBoundOff(double lambda, double bound, double wanted) {
    double smaller = cnMin(bound, wanted), larger = cnMax(bound, wanted);
    return lambda >= (1.0 - CN_FRICTION_TOLERANCE) * smaller &&
           larger - smaller > CN_FRICTION_TOLERANCE * larger;
}

// The same of the row about the normal, where the load becomes `wanted`.
static bool IsTorsionalOff(const cnDirectIsland* island, const cnDirectNode* node, const double* lambda,
                           double wanted) {
    cnFrictionBounds next = cnFriction_GetBounds(&cnDirect_ContactOf(island, node)->friction, wanted,
                                                 wanted * node->friction.lever, island->substep.h);
    int row = node->block.firstRow + cn_frictionTorsional;
    return IsBoundOff(fabs(lambda[row]), island->system.upper[row], next.torsional);
}

// Whether the load that a box's bounds were of is off by more than the tolerance. A contact that sticks well
// inside them needs no exact ones.
static bool IsBoxOff(const cnDirectIsland* island, const cnDirectNode* node, const double* lambda,
                     double wanted) {
    const cnContactFriction* friction = &cnDirect_ContactOf(island, node)->friction;
    const double* t = &lambda[node->block.firstRow];
    double load = node->friction.load, smaller = cnMin(wanted, load);
    cnFrictionBounds least =
        cnFriction_GetBounds(friction, smaller, smaller * node->friction.lever, island->substep.h);
    bool holds = cnFriction_Holds(friction, &least, t[0], t[1], CN_FRICTION_TOLERANCE);
    return !holds && fabs(wanted - load) > CN_FRICTION_TOLERANCE * cnMax(wanted, load);
}

// Of the load that a node has now, where its multipliers want those of another.
static bool UpdateCones(cnDirectIsland* island, cnDirectNode* node, double wanted) {
    const cnContactFriction* friction = &cnDirect_ContactOf(island, node)->friction;
    double h = island->substep.h;
    cnFrictionBounds of = cnFriction_GetBounds(friction, wanted, 0.0, h);
    cnFrictionBounds next = cnFriction_GetBounds(friction, node->friction.load, 0.0, h);
    int t = node->block.firstRow;
    bool isOff = false;
    if (cnDirect_HasCone(island, node)) {
        const cnConeRows rows = {t, &node->friction.sliding, friction->exact, of.tangential[0],
                                 next.tangential[0]};
        isOff |= cnDirect_UpdateCone(island, node, &rows);
    }
    if (friction->rolls) {
        const cnConeRows rows = {t + cn_frictionRolling, &node->friction.rolling, friction->exact, of.rolling,
                                 next.rolling};
        isOff |= cnDirect_UpdateCone(island, node, &rows);
    }
    return isOff;
}

// True when a bound is off by more than the tolerance.
static bool UpdateFriction(cnDirectIsland* island, const double* lambda) {
    bool isOff = false;
    for (int n = 0; n < island->nodeCount; ++n) {
        cnDirectNode* node = &island->nodes[n];
        if (node->kind != cn_nodeFriction) {
            continue;
        }
        double wanted = cnDirect_FindFrictionLoad(island, node, lambda);
        isOff |= IsTorsionalOff(island, node, lambda, wanted);
        bool isBox = !cnDirect_HasCone(island, node);
        isOff |= isBox && IsBoxOff(island, node, lambda, wanted);
        NextLoad(node, wanted);
        if (isBox) {
            BoundBox(island, node);
        }
        BoundTorsional(island, node);
        isOff |= UpdateCones(island, node, wanted);
    }
    return isOff;
}

void cnDirect_SolveFrictionWithin(cnDirectIsland* island) {
    for (int n = 0; n < island->nodeCount; ++n) {
        cnDirectNode* node = &island->nodes[n];
        if (node->kind == cn_nodeFriction) {
            node->friction.rounds = 0;
            BoundFriction(island, node);
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
        cnLinearSystem_LoadValues(&island->system); // rows have rotated
        if (isLast) {
            break;
        }
    }
    cnLinearSystem_Solve(&island->system);
}
