// How long what acts between bodies acts (velocity_times.c): a step, or less in the first one after users
// have given them velocities.
#pragma once

#include "solve/direct/nodes/direct_island.h"

// Of a node's rows, s: in the sub-step of the island, in the whole step.
double cnDirect_GetKickTime(const cnDirectIsland* island, const cnDirectNode* node);
double cnDirect_GetForceTime(const cnDirectIsland* island, const cnDirectNode* node);
