// Islands: bodies joined by contacts and joints, as the constraint graph has them.
#include "solve/solve.h"

#define CN_ISLAND_CHUNK 256

static void MakeIslands(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSolve* solve = context;
    for (int i = begin; i < end; ++i) {
        const cnIslandSize* size = &solve->graph->islands.data[i];
        solve->islands[i] = (cnIsland){
            .bodyCount = size->bodyCount,
            .contactCount = size->contactCount,
            .jointCount = size->jointCount,
            .loops = size->loops,
        };
    }
}

static void FindIslandsOfContacts(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSolve* solve = context;
    for (int c = begin; c < end; ++c) {
        cnSolverContact* contact = &solve->contacts[c];
        contact->island = solve->solver.island[contact->body1 != 0 ? contact->body1 : contact->body2];
        CN_ASSERT(contact->island >= 0 && contact->island < solve->islandCount);
    }
}

static void FindIslandsOfJoints(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSolve* solve = context;
    for (int j = begin; j < end; ++j) {
        const cnJointEdge* edge = &solve->graph->joints.data[j];
        solve->joints[j].island = cnJointEdge_GetIsland(edge, solve->solver.island);
        CN_ASSERT(solve->joints[j].island >= 0 && solve->joints[j].island < solve->islandCount);
    }
}

bool cnSolve_FindIslands(cnSolve* solve) {
    CN_ASSERT(solve->solver.count >= 1 && solve->contactCount >= 0 && solve->jointCount >= 0);
    solve->islandCount = solve->graph->islands.count;
    solve->islands = CN_PUSH(solve->stack, cnIsland, solve->islandCount + 1, "islands");
    if (solve->islands == NULL) {
        return false;
    }
    cnThreadPool* threads = solve->threads;
    cnThreadPool_Run(threads, MakeIslands, solve, solve->islandCount, CN_ISLAND_CHUNK);
    cnThreadPool_Run(threads, FindIslandsOfContacts, solve, solve->contactCount, CN_ISLAND_CHUNK);
    cnThreadPool_Run(threads, FindIslandsOfJoints, solve, solve->jointCount, CN_ISLAND_CHUNK);
    for (int c = 0; solve->traits.anyImpact && c < solve->contactCount; ++c) {
        solve->islands[solve->contacts[c].island].hasImpacts |= solve->contacts[c].isImpact;
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
