// Friction of islands that are solved directly, and the solution of all rows with it.
#pragma once

#include "solve/direct/nodes/direct_island.h"

// Friction within the factorisation: bounds from the normal forces, in rounds (friction.c).
void cnFriction_SolveWithin(cnDirectIsland* island);
// Friction swept between two factorised solutions (friction_sweeps.c).
void cnFriction_SolveSplit(cnDirectIsland* island);

// μ N of a friction node, N s, with the normal forces of these multipliers; and the lever of its torsional row.
double cnFriction_FindLimit(const cnDirectIsland* island, cnDirectNode* node, const double* lambda);
