#include "solve/direct/work_budget.h"

#include "base/report/assert.h"

// Operations of a factorisation, and of all in a step, of an island that `auto` solves directly.
#define CN_DIRECT_FLOPS 1e6
#define CN_DIRECT_STEP_FLOPS 1e7
// Of all in a step of an island with joints that the user wants to be solved directly: so many, or so many
// factorisations.
#define CN_FORCED_STEP_FLOPS 2e7
#define CN_FORCED_FACTORISATIONS 40.0
// And so many times those of the last step: what takes longer all of a sudden would be seen as a jerk.
#define CN_SUDDEN_WORK 20.0
// Operations of the sub-steps of an island; it gets so many times its share of what is left, since most need
// little.
#define CN_ISLAND_WORK 1.5e7
#define CN_SHARE_OF_WORK 4.0
// Times the weight that levers make of it.
#define CN_LEVER 10.0

double cnSolve_FactorBudget(const cnSolve* solve, int number) {
    CN_ASSERT(number >= 0 && number < solve->islandCount);
    const cnIsland* island = &solve->islands[number];
    bool isChoice =
        solve->settings.type == cn_solverAuto && island->jointCount > 0 && island->contactCount > 0;
    return isChoice ? CN_DIRECT_FLOPS : 0.0;
}

double cnSolve_StepBudget(const cnSolve* solve, const cnContents* contents, int number, double predicted) {
    CN_ASSERT(number >= 0 && number < solve->islandCount);
    CN_ASSERT(predicted >= 0.0);
    if (solve->islands[number].jointCount == 0 || solve->islands[number].contactCount == 0) {
        return 0.0;
    }
    if (solve->settings.type == cn_solverAuto) {
        return CN_DIRECT_STEP_FLOPS;
    }
    double last = 0.0, max = CN_FORCED_FACTORISATIONS * predicted;
    for (int j = contents->joints.first[number]; j >= 0; j = contents->joints.next[j]) {
        last = cnMax(last, solve->constraints->constraints[solve->joints[j].constraint].islandWork);
    }
    return cnMax(CN_FORCED_STEP_FLOPS, last > 0.0 ? cnMin(max, CN_SUDDEN_WORK * last) : max);
}

void cnSolve_KeepWork(cnSolve* solve, const cnContents* contents, int number, double work) {
    CN_ASSERT(number >= 0 && number < solve->islandCount);
    for (int j = contents->joints.first[number]; j >= 0; j = contents->joints.next[j]) {
        solve->constraints->constraints[solve->joints[j].constraint].islandWork = work;
    }
}

double cnShareWork(double jointWork, int left) {
    CN_ASSERT(left >= 0);
    double share = CN_SHARE_OF_WORK * jointWork / (left > 1 ? left : 1);
    return cnClamp(share, 0.0, CN_ISLAND_WORK);
}

// Force that an island's contacts have to do with, N: so many times all that pulls at its bodies, and what
// stops them in a step.
static double OrdinaryForce(const cnSolve* solve, const cnContents* contents, int number) {
    CN_ASSERT(solve->h > 0.0);
    const cnBodyTable* bodies = solve->bodies;
    double force = 0.0, momentum = 0.0;
    for (int index = contents->bodies.first[number]; index >= 0; index = contents->bodies.next[index]) {
        int row = solve->solver.rows[index];
        force += cnLength(bodies->lastForce[row]);
        momentum += bodies->mass[row] * cnLength(bodies->halfStepVelocity[row]);
    }
    return CN_LEVER * force + momentum / solve->h;
}

// Impulses that sweeps start with. What joints and contacts hold against one another, solved to the end, may
// be a thousand times the weight; sweeps that find one of these forces a little off would shoot the bodies
// away with the rest.
static void LetGoOfWedges(cnSolve* solve, const cnContents* contents, int number) {
    float max = (float)(solve->substep * OrdinaryForce(solve, contents, number));
    for (int c = contents->contacts.first[number]; c >= 0; c = contents->contacts.next[c]) {
        cnPair* pair = cnPairTable_Get(solve->pairs, solve->contacts[c].pair);
        float largest = 0.0f;
        for (int i = 0; i < pair->manifold.pointCount; ++i) {
            largest = pair->impulse[i] > largest ? pair->impulse[i] : largest;
        }
        float share = largest > max ? max / largest : 1.0f;
        for (int i = 0; i < pair->manifold.pointCount; ++i) {
            pair->impulse[i] *= share;
        }
        pair->friction = cnScaleF(share, pair->friction);
        pair->torsionalFriction *= share;
        pair->rollingFriction = cnScaleF(share, pair->rollingFriction);
    }
}

void cnSolve_MakeGrouped(cnSolve* solve, const cnContents* contents, int number) {
    CN_ASSERT(number >= 0 && number < solve->islandCount);
    cnIsland* island = &solve->islands[number];
    island->solver = cn_islandGrouped;
    island->large = true;
    LetGoOfWedges(solve, contents, number);
    for (int j = contents->joints.first[number]; j >= 0; j = contents->joints.next[j]) {
        solve->constraints->constraints[solve->joints[j].constraint].groupedSteps = CN_GROUPED_STEPS;
    }
    cnSolve_KeepWork(solve, contents, number, 1.0); // when it is tried again it is to be cheap
    for (int index = contents->bodies.first[number]; index >= 0; index = contents->bodies.next[index]) {
        solve->solver.moved[index] = 0;
    }
}
