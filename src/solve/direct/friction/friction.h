// Friction of islands that are solved directly, and the solution of all rows with it.
#pragma once

#include "solve/direct/nodes/direct_island.h"

// Friction within the factorisation: bounds from the normal forces, in rounds (friction.c).
void cnDirect_SolveFrictionWithin(cnDirectIsland* island);
// Friction swept between two factorised solutions (friction_sweeps.c).
void cnDirect_SolveFrictionSplit(cnDirectIsland* island);

// The bound of a friction node's tangential multipliers, N s, with these normal ones; and the lever of its
// torsional row.
double cnDirect_FindFrictionBound(const cnDirectIsland* island, cnDirectNode* node, const double* lambda);
