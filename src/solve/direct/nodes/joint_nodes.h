// Rows of joints of islands that are solved directly: what they hold, along what, and how far they are open
// at other poses.
#pragma once

#include "solve/direct/nodes/direct_island.h"

// Poses of what joints hold bodies to: static bodies', once, of all joints of the step; of an island's
// kinematic bodies those now and after the sub-step.
void cnDirect_PlaceStaticBodies(const cnDirectIsland* island);
void cnDirect_PlaceMovingBodies(cnDirectIsland* island);
// Rows of a joint's node at the poses that the bodies have, and their violations at the trial poses.
void cnDirect_MakeJointRows(cnDirectIsland* island, cnDirectNode* node, cnRowTerms terms[cn_mostJointRows]);
// The same of a ball joint and of the one after it, or of one twice.
void cnDirect_MakeBallRows(cnDirectIsland* island, cnDirectNode* first, cnDirectNode* second,
                           cnRowTerms terms[2][3]);
// Violations of all rows of joints at the trial poses.
void cnDirect_FindAhead(cnDirectIsland* island);
// λ of a node's rows, added to what acts on its constraint's first body.
void cnDirect_AddReaction(const cnDirectIsland* island, cnDirectNode* node, const double* lambda);

// The node that a ball joint is looked at with: the next, or itself.
static inline int cnDirect_PartnerOf(const cnDirectIsland* island, int n) {
    CN_ASSERT(n >= 0 && n < island->nodeCount);
    return n + 1 < island->nodeCount && island->nodes[n + 1].kind == cn_nodeBall ? n + 1 : n;
}
