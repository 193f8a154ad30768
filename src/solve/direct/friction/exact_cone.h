// Friction on the exact cone, within the factorisation.
#pragma once

#include "solve/direct/nodes/direct_island.h"

bool cnDirect_HasExactCone(const cnDirectIsland* island, const cnDirectNode* node);
// Gives a node the rows of the next round, with the bound of the load that it has. True where the last round,
// whose multipliers press with `load`, is not good enough.
bool cnDirect_UpdateExactCone(cnDirectIsland* island, cnDirectNode* node, double load);
// Rotates the solution back to the tangents that the rows began with.
void cnDirect_RotateBack(cnDirectIsland* island);
