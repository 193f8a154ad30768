#include "solve/direct/nodes/force_times.h"

#include "base/report/assert.h"

static double FirstKick(const cnDirectIsland* island, const cnDirectNode* node) {
    int indices[4], count = node->block.bodyCount;
    CN_ASSERT(count >= 1 && count <= 4);
    for (int place = 0; place < count; ++place) {
        indices[place] = island->bodies[node->block.bodies[place]].index;
    }
    return cnSolve_GetFirstKick(island->solve, indices, count, island->substep.h);
}

double cnDirect_GetKickTime(const cnDirectIsland* island, const cnDirectNode* node) {
    return island->substep.index == 0 ? FirstKick(island, node) : island->substep.h;
}

double cnDirect_GetForceTime(const cnDirectIsland* island, const cnDirectNode* node) {
    return island->solve->h - (island->substep.h - FirstKick(island, node));
}
