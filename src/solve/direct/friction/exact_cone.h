// Friction on the exact cone, within the factorisation.
#pragma once

#include "solve/direct/nodes/direct_island.h"

// Two rows of a friction node with a circle for their bounds: the multipliers want one, and the next
// round has another.
typedef struct cnConeRows {
    int first;
    cnDirectCone* cone;
    bool exact;
    double wanted, bound;
} cnConeRows;

// Whether the tangents of a node have a cone; what resists rolling always has one.
bool cnDirect_HasCone(const cnDirectIsland* island, const cnDirectNode* node);
// Gives a node the rows of the next round. True where the last round is not good enough.
bool cnDirect_UpdateCone(cnDirectIsland* island, cnDirectNode* node, const cnConeRows* rows);
// Rotates the solution back to the axes that the rows began with.
void cnDirect_RotateBack(cnDirectIsland* island);
