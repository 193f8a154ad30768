// Which islands are solved directly, contacts and all, and which have their contacts swept and their joints solved in groups.
//
// What a user says comes first: a constraint that is to be iterative, or direct and iterative, makes its island one of groups; then the
// world's solver. `auto` solves islands with joints directly as long as that is cheap. The cost is counted and not timed, so that it is the
// same everywhere: contacts beforehand, the operations of a factorisation once its structure is known (the search for an order stops where
// there are too many), and those of all factorisations of the step, which a pile that breaks needs dozens of. Where they pass the budget
// the step is undone, and the island has groups in this step and for a second after it: a pile that was too dear once is so again, and
// what toggles between two solvers does not rest.
#include "solve/solver_choice.h"

// Most contacts of an island that is solved directly.
#define CN_MOST_DIRECT_CONTACTS 128
// Steps for which an island keeps its groups.
#define CN_GROUPED_STEPS 60

void cnSolve_ChooseSolvers(cnSolve* solve) {
    cnSolverType type = solve->settings.type;
    bool isAuto = type == cn_solverAuto, isDirect = type == cn_solverDirect || type == cn_solverSplit;
    for (int i = 0; i < solve->islandCount; ++i) {
        cnIsland* island = &solve->islands[i];
        island->grouped = island->jointCount > 0 && island->contactCount > 0 && !isDirect && !isAuto;
        island->direct = isDirect || island->jointCount > 0;
    }
    for (int j = 0; j < solve->jointCount; ++j) {
        cnConstraint* joint = &solve->constraints->constraints[solve->joints[j].constraint];
        cnIsland* island = &solve->islands[solve->joints[j].island];
        if (isAuto && island->contactCount > CN_MOST_DIRECT_CONTACTS) {
            joint->groupedSteps = CN_GROUPED_STEPS;
        }
        bool isKept = isAuto && joint->groupedSteps > 0 && island->contactCount > 0;
        island->grouped = island->grouped || isKept || joint->solve != cn_solveDirect;
        joint->groupedSteps -= joint->groupedSteps > 0;
    }
    for (int i = 0; i < solve->islandCount; ++i) {
        solve->islands[i].direct = solve->islands[i].direct && !solve->islands[i].grouped;
    }
}

bool cnSolve_HasBudget(const cnSolve* solve, int number) {
    const cnIsland* island = &solve->islands[number];
    return solve->settings.type == cn_solverAuto && island->jointCount > 0 && island->contactCount > 0;
}

void cnSolve_MakeGrouped(cnSolve* solve, const cnContents* contents, int number) {
    cnIsland* island = &solve->islands[number];
    island->direct = false;
    island->grouped = island->large = true;
    for (int j = contents->joints.first[number]; j >= 0; j = contents->joints.next[j]) {
        solve->constraints->constraints[solve->joints[j].constraint].groupedSteps = CN_GROUPED_STEPS;
    }
    for (int index = contents->bodies.first[number]; index >= 0; index = contents->bodies.next[index]) {
        solve->solver.moved[index] = 0;
    }
}
