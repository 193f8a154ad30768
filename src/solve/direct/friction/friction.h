// Friction of islands that are solved directly, and the solution of all rows with it.
#pragma once

#include "solve/direct/nodes/direct_island.h"

// Friction within the factorisation: bounds from the normal forces, in rounds (friction.c).
void cnDirect_SolveFrictionWithin(cnDirectIsland* island);
// Friction swept between two factorised solutions (friction_sweeps.c).
void cnDirect_SolveFrictionSplit(cnDirectIsland* island);

// The load of a friction node with these multipliers, N s; and its lever about the normal.
double cnDirect_FindFrictionLoad(const cnDirectIsland* island, cnDirectNode* node, const double* lambda);
// Of the load that a friction node has.
cnFrictionBounds cnDirect_GetFrictionBounds(const cnDirectIsland* island, const cnDirectNode* node);
