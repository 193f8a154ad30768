// What can be read of an island after its step.
#pragma once

#include "solve/direct/nodes/direct_island.h"

// Sums of a step, of joints and contacts.
void cnDirect_Report(const cnDirectIsland* island);
// What solving it took, added to its island's.
void cnDirect_ReportStatistics(const cnDirectIsland* island);
// The equations of an island have no finite solution: the body with the most energy per mass is the likeliest
// cause, and will be put back.
void cnDirect_Fail(const cnDirectIsland* island);
