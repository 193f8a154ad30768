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
    node->friction.load += share * (wanted - node->friction.load);
    node->friction.rounds += 1;
}

cnFrictionBounds cnDirect_GetFrictionBounds(const cnDirectIsland* island, const cnDirectNode* node) {
    double load = node->friction.load;
    return cnFriction_GetBounds(&cnDirect_ContactOf(island, node)->friction, load,
                                load * node->friction.lever, island->substep.h);
}

// Of two rows with a circle for their bounds: along the direction of the last solution where that was
// outside.
static void BoundCircle(cnDirectIsland* island, int row, const double* lambda, double bound) {
    double size = lambda != NULL ? sqrt(lambda[row] * lambda[row] + lambda[row + 1] * lambda[row + 1]) : 0.0;
    for (int i = 0; i < 2; ++i) {
        bool isOutside = lambda != NULL && size > bound;
        cnLinearSystem_SetBound(&island->system, row + i,
                                isOutside ? bound * fabs(lambda[row + i]) / size : bound);
    }
}

void cnDirect_BoundAngularFriction(cnDirectIsland* island, const cnDirectNode* node, const double* lambda) {
    cnFrictionBounds bounds = cnDirect_GetFrictionBounds(island, node);
    int t = node->block.firstRow;
    cnLinearSystem_SetBound(&island->system, t + cn_frictionTorsional, bounds.torsional);
    if (cnDirect_ContactOf(island, node)->friction.rolls) {
        BoundCircle(island, t + cn_frictionRolling, lambda, bounds.rolling);
    }
}

static void BoundFriction(cnDirectIsland* island, const cnDirectNode* node, const double* lambda) {
    CN_ASSERT(node->kind == cn_nodeFriction);
    cnFrictionBounds bounds = cnDirect_GetFrictionBounds(island, node);
    int t = node->block.firstRow;
    if (cnDirect_ContactOf(island, node)->friction.isBox) {
        cnLinearSystem_SetBound(&island->system, t, bounds.tangential[0]);
        cnLinearSystem_SetBound(&island->system, t + 1, bounds.tangential[1]);
    } else {
        BoundCircle(island, t, lambda, bounds.tangential[0]);
    }
    cnDirect_BoundAngularFriction(island, node, lambda);
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

// The same of the rows about the normal and about tangents, where the load becomes `wanted`.
static bool IsAngularOff(const cnDirectIsland* island, const cnDirectNode* node, const double* lambda,
                         double wanted) {
    const cnContactFriction* friction = &cnDirect_ContactOf(island, node)->friction;
    const double* t = &lambda[node->block.firstRow];
    cnFrictionBounds next =
        cnFriction_GetBounds(friction, wanted, wanted * node->friction.lever, island->substep.h);
    double bound = island->system.upper[node->block.firstRow + cn_frictionTorsional];
    bool isOff = IsBoundOff(fabs(t[cn_frictionTorsional]), bound, next.torsional);
    if (friction->rolls) {
        const double* r = &t[cn_frictionRolling];
        double size = sqrt(r[0] * r[0] + r[1] * r[1]);
        double now = cnFriction_GetBounds(friction, node->friction.load, 0.0, 0.0).rolling;
        isOff = isOff || IsBoundOff(size, now, next.rolling) ||
                size > next.rolling * (1.0 + CN_FRICTION_TOLERANCE);
    }
    return isOff;
}

// Whether multipliers of a round are off their bounds, or the load that these were of, by more than the
// tolerance. A contact that sticks well inside its bounds needs no exact ones.
static bool IsOff(const cnDirectIsland* island, const cnDirectNode* node, const double* lambda,
                  double wanted) {
    const cnContactFriction* friction = &cnDirect_ContactOf(island, node)->friction;
    const double* t = &lambda[node->block.firstRow];
    double load = node->friction.load, smaller = cnMin(wanted, load), h = island->substep.h;
    cnFrictionBounds least = cnFriction_GetBounds(friction, smaller, smaller * node->friction.lever, h);
    cnFrictionBounds next = cnFriction_GetBounds(friction, wanted, wanted * node->friction.lever, h);
    bool holds = cnFriction_Holds(friction, &least, t[0], t[1], CN_FRICTION_TOLERANCE);
    bool isOff = !holds && fabs(wanted - load) > CN_FRICTION_TOLERANCE * cnMax(wanted, load);
    if (!friction->isBox) {
        double size = sqrt(t[0] * t[0] + t[1] * t[1]);
        isOff = isOff || (size > next.tangential[0] * (1.0 + CN_FRICTION_TOLERANCE) && size > 0.0);
    }
    return isOff;
}

// Of a cone, for a load.
static double BoundOf(const cnDirectIsland* island, const cnDirectNode* node, double load) {
    const cnContactFriction* friction = &cnDirect_ContactOf(island, node)->friction;
    return cnFriction_GetBounds(friction, load, 0.0, island->substep.h).tangential[0];
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
        isOff |= IsAngularOff(island, node, lambda, wanted);
        if (cnDirect_HasCone(island, node)) {
            NextLoad(node, wanted);
            double bound = BoundOf(island, node, node->friction.load);
            isOff |= cnDirect_UpdateCone(island, node, BoundOf(island, node, wanted), bound);
            cnDirect_BoundAngularFriction(island, node, lambda);
            continue;
        }
        isOff |= IsOff(island, node, lambda, wanted);
        NextLoad(node, wanted);
        BoundFriction(island, node, lambda);
    }
    return isOff;
}

void cnDirect_SolveFrictionWithin(cnDirectIsland* island) {
    for (int n = 0; n < island->nodeCount; ++n) {
        cnDirectNode* node = &island->nodes[n];
        if (node->kind == cn_nodeFriction) {
            node->friction.rounds = 0;
            BoundFriction(island, node, NULL);
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
