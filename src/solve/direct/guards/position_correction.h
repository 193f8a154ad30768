// Overlap that no force explains, in islands that are solved directly, and gaps that the energy guard left
// open.
#pragma once

#include "solve/direct/nodes/direct_island.h"

// Moves bodies out of overlap that nothing explains, with their joints, after the sub-steps.
void cnDirect_CorrectPositions(cnDirectIsland* island);
