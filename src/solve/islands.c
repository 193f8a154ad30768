// Islands: bodies joined by contacts and joints.
#include "base/containers/disjoint_sets.h"
#include "solve/solve.h"

bool cnSolve_FindIslands(cnSolve* solve) {
    CN_ASSERT(solve->solver.count >= 1 && solve->contactCount >= 0 && solve->jointCount >= 0);
    cnSolverBodies* solver = &solve->solver;

    // join bodies that share a contact; the smaller index is the root
    cnMakeSets(solver->island, solver->count);
    for (int c = 0; c < solve->contactCount; ++c) {
        const cnSolverContact* contact = &solve->contacts[c];
        if (contact->body1 != 0 && contact->body2 != 0) {
            cnUniteSets(solver->island, contact->body1, contact->body2);
        }
    }

    for (int j = 0; j < solve->jointCount; ++j) {
        int first = 0;
        for (int i = 0; i < 4; ++i) {
            int row = solve->joints[j].rows[i];
            int index = row >= 0 ? solver->indexOfRow[row] : 0;
            if (index != 0 && first != 0) {
                cnUniteSets(solver->island, first, index);
            }
            first = index != 0 ? index : first;
        }
    }

    // number them in the order of their roots; a root comes before its members
    solve->islands = CN_PUSH(solve->stack, cnIsland, solver->count, "islands");
    if (solve->islands == NULL) {
        return false;
    }
    solve->islandCount = 0;
    solver->island[0] = -1;
    for (int index = 1; index < solver->count; ++index) {
        int parent = solver->island[index];
        CN_ASSERT(parent >= 0 && parent <= index);
        if (parent != index) {
            solver->island[index] = solver->island[parent];
        } else if (solver->free[index]) {
            solver->island[index] = -1;
        } else {
            solve->islands[solve->islandCount] = (cnIsland){0};
            solver->island[index] = solve->islandCount++;
        }
        if (solver->island[index] >= 0) {
            solve->islands[solver->island[index]].bodyCount += 1;
        }
    }

    // their contacts and joints
    for (int c = 0; c < solve->contactCount; ++c) {
        cnSolverContact* contact = &solve->contacts[c];
        contact->island = solver->island[contact->body1 != 0 ? contact->body1 : contact->body2];
        CN_ASSERT(contact->island >= 0 && contact->island < solve->islandCount);
        solve->islands[contact->island].contactCount += 1;
        solve->islands[contact->island].hasImpacts |= contact->isImpact;
    }
    for (int j = 0; j < solve->jointCount; ++j) {
        cnSolverJoint* joint = &solve->joints[j];
        for (int i = 0; i < 4; ++i) {
            int index = joint->rows[i] >= 0 ? solver->indexOfRow[joint->rows[i]] : 0;
            joint->island = index != 0 ? solver->island[index] : joint->island;
        }
        solve->islands[joint->island].jointCount += 1;
    }
    solve->statistics.islands = solve->islandCount;
    return cnSolve_ChooseSolvers(solve) && cnSolve_PrepareContacts(solve);
}

void cnSolve_ListStatistics(const cnSolve* solve, cnIslandStatistics* list) {
    for (int i = 0; i < solve->islandCount; ++i) {
        const cnIsland* island = &solve->islands[i];
        list[i] = island->statistics;
        list[i].bodies = island->bodyCount;
        list[i].contacts = island->contactCount;
        list[i].constraints = island->jointCount;
        if (list[i].substeps == 0) { // no factorisation: statistics say so
            list[i].solver = island->solver == cn_islandConverged ? cn_islandConverged : cn_islandSwept;
            list[i].substeps = solve->substeps;
        }
    }
}
