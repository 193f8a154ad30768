// Which islands are solved directly, contacts and all, and which have their contacts swept and their joints solved in groups.
//
// What a user says comes first: a constraint that is to be iterative, or direct and iterative, makes its island one of groups; then the
// world's solver. `auto` solves islands with joints directly as long as that is cheap. The cost is counted and not timed, so that it is the
// same everywhere: contacts beforehand, the operations of a factorisation once its structure is known (the search for an order stops where
// there are too many), and those of all factorisations of the step, which a pile that breaks needs dozens of. Where they pass the budget
// the step is undone, and the island has groups in this step and for a second after it: a pile that was too dear once is so again, and
// what toggles between two solvers does not rest. Islands that the user wants to be solved directly have a budget, too, some hundred times
// what they usually need: a step stays a step.
#include "solve/direct/solver_choice.h"

#include "base/assert.h"

// Most contacts of an island that is solved directly.
#define CN_MOST_DIRECT_CONTACTS 128
// Steps for which an island keeps its groups.
#define CN_GROUPED_STEPS 60
// Operations of a factorisation, and of all in a step, of an island that `auto` solves directly.
#define CN_DIRECT_FLOPS 1e6
#define CN_DIRECT_STEP_FLOPS 1e7
// Of all in a step of an island with joints that the user wants to be solved directly: so many, or so many factorisations.
#define CN_FORCED_STEP_FLOPS 2e7
#define CN_FORCED_FACTORISATIONS 40.0
// And so many times those of the last step: what takes longer all of a sudden would be seen as a jerk.
#define CN_SUDDEN_WORK 20.0
// Operations of the sub-steps of an island, and of all; an island gets so many times its share of what is left, since most need little.
#define CN_ISLAND_WORK 1.5e7
#define CN_WORLD_WORK 4e7
#define CN_SHARE_OF_WORK 4.0
// Times the weight that levers make of it.
#define CN_LEVER 10.0

void cnSolve_ChooseSolvers(cnSolve* solve) {
    cnSolverType type = solve->settings.type;
    solve->jointWork = CN_WORLD_WORK;
    bool isAuto = type == cn_solverAuto, isDirect = type == cn_solverDirect || type == cn_solverSplit;
    for (int i = 0; i < solve->islandCount; ++i) {
        cnIsland* island = &solve->islands[i];
        island->grouped = island->jointCount > 0 && island->contactCount > 0 && !isDirect && !isAuto;
        island->direct = isDirect || island->jointCount > 0;
    }
    for (int j = 0; j < solve->jointCount; ++j) {
        CN_ASSERT(solve->joints[j].island >= 0 && solve->joints[j].island < solve->islandCount);
        cnConstraint* joint = &solve->constraints->constraints[solve->joints[j].constraint];
        cnIsland* island = &solve->islands[solve->joints[j].island];
        if (isAuto && island->contactCount > CN_MOST_DIRECT_CONTACTS) {
            joint->groupedSteps = CN_GROUPED_STEPS;
        }
        bool isKept = joint->groupedSteps > 0 && island->contactCount > 0;
        island->grouped = island->grouped || isKept || joint->solve != cn_solveDirect;
        joint->groupedSteps -= joint->groupedSteps > 0;
    }
    for (int i = 0; i < solve->islandCount; ++i) {
        solve->islands[i].direct = solve->islands[i].direct && !solve->islands[i].grouped;
    }
}

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
    double last = 0.0, most = CN_FORCED_FACTORISATIONS * predicted;
    for (int j = contents->joints.first[number]; j >= 0; j = contents->joints.next[j]) {
        last = cnMax(last, solve->constraints->constraints[solve->joints[j].constraint].islandWork);
    }
    return cnMax(CN_FORCED_STEP_FLOPS, last > 0.0 ? cnMin(most, CN_SUDDEN_WORK * last) : most);
}

void cnSolve_KeepWork(cnSolve* solve, const cnContents* contents, int number, double work) {
    CN_ASSERT(number >= 0 && number < solve->islandCount);
    for (int j = contents->joints.first[number]; j >= 0; j = contents->joints.next[j]) {
        solve->constraints->constraints[solve->joints[j].constraint].islandWork = work;
    }
}

double cnSolve_ShareWork(const cnSolve* solve, int left) {
    CN_ASSERT(left >= 0);
    double share = CN_SHARE_OF_WORK * solve->jointWork / (left > 1 ? left : 1);
    return cnClamp(share, 0.0, CN_ISLAND_WORK);
}

// Force that an island's contacts have to do with, N: so many times all that pulls at its bodies, and what stops them in a step.
static double OrdinaryForce(const cnSolve* solve, const cnContents* contents, int number) {
    CN_ASSERT(solve->h > 0.0);
    const cnBodyTable* bodies = solve->bodies;
    double force = 0.0, momentum = 0.0;
    for (int index = contents->bodies.first[number]; index >= 0; index = contents->bodies.next[index]) {
        int row = solve->solver.rows[index];
        force += cnLength(bodies->lastForce[row]);
        momentum += bodies->mass[row] * cnLength(bodies->velocity[row]);
    }
    return CN_LEVER * force + momentum / solve->h;
}

// Impulses that sweeps start with. What joints and contacts hold against one another, solved to the end, may be a thousand times the
// weight; sweeps that find one of these forces a little off would shoot the bodies away with the rest.
static void LetGoOfWedges(cnSolve* solve, const cnContents* contents, int number) {
    float most = (float)(solve->substep * OrdinaryForce(solve, contents, number));
    for (int c = contents->contacts.first[number]; c >= 0; c = contents->contacts.next[c]) {
        cnPair* pair = &solve->pairs->pairs.data[solve->contacts[c].pair];
        float largest = 0.0f;
        for (int i = 0; i < pair->manifold.pointCount; ++i) {
            largest = pair->impulse[i] > largest ? pair->impulse[i] : largest;
        }
        float share = largest > most ? most / largest : 1.0f;
        for (int i = 0; i < pair->manifold.pointCount; ++i) {
            pair->impulse[i] *= share;
        }
        pair->friction = cnScaleF(share, pair->friction);
        pair->twist *= share;
    }
}

void cnSolve_MakeGrouped(cnSolve* solve, const cnContents* contents, int number) {
    CN_ASSERT(number >= 0 && number < solve->islandCount);
    cnIsland* island = &solve->islands[number];
    island->direct = false;
    island->grouped = island->large = true;
    LetGoOfWedges(solve, contents, number);
    for (int j = contents->joints.first[number]; j >= 0; j = contents->joints.next[j]) {
        solve->constraints->constraints[solve->joints[j].constraint].groupedSteps = CN_GROUPED_STEPS;
    }
    cnSolve_KeepWork(solve, contents, number, 1.0); // when it is tried again it is to be cheap
    for (int index = contents->bodies.first[number]; index >= 0; index = contents->bodies.next[index]) {
        solve->solver.moved[index] = 0;
    }
}
