// Rows of all nodes, and what each is to reach.
#pragma once

#include "solve/direct/nodes/direct_island.h"

// Rows of a node at the poses that the bodies have, and what they are to reach; perhaps of the node after it,
// too. Answers the first node that is left.
int cnDirect_MakeRows(cnDirectIsland* island, int node);
// 1/kg or 1/(kg m²) of what a row moves, at least.
double cnDirect_MinInverseMass(const cnDirectIsland* island, const cnDirectNode* node, int row);
// A spring whose elasticity the sub-steps resolve, so that a gap of it is energy. Once its row is made.
bool cnDirect_IsResolvedSpring(const cnDirectIsland* island, int row, double compliance);
