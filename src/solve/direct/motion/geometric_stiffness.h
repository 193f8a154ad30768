// Geometric stiffness of an island's bodies from the forces of their joints (stiff_joints.h).
#pragma once

#include "solve/direct/nodes/direct_island.h"

// Adds a node's stiffness to that of its bodies, from multipliers or, where these are null, the last step's
// forces.
void cnDirect_AddStiffness(cnDirectIsland* island, const cnDirectNode* node, const double* lambda);
// What the rows across a line are to do, if the node has them, from the same.
void cnDirect_SetSway(cnDirectIsland* island, int node, const double* lambda);
// What the next sub-step has to know of them, from the solution of this one.
void cnDirect_FollowSway(cnDirectIsland* island, const cnDirectNode* node);
// Of all bodies and lines again, from multipliers.
void cnDirect_SetStiffness(cnDirectIsland* island, const double* lambda);
// True where multipliers make a body's stiffness unstable and far above the one that it was given.
bool cnDirect_MustRestiffen(const cnDirectIsland* island, const double* lambda);
// The part of a correction, by its multipliers, that the bodies' stiffness stands.
double cnDirect_CorrectionShare(const cnDirectIsland* island, const double* lambda);
