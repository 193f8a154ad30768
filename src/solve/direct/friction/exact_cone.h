// Friction on the exact cone, within the factorisation.
#pragma once

#include "solve/direct/nodes/direct_island.h"

bool cnDirect_HasCone(const cnDirectIsland* island, const cnDirectNode* node);
// Gives a node the rows of the next round, with a new bound. True where the last round, whose multipliers
// want another, is not good enough.
bool cnDirect_UpdateCone(cnDirectIsland* island, cnDirectNode* node, double wanted, double bound);
// Rotates the solution back to the tangents that the rows began with.
void cnDirect_RotateBack(cnDirectIsland* island);
