// Islands and groups made of bodies, constraints and contacts: nodes, rows, and the topology of their linear
// system.
#pragma once

#include "solve/direct/island_contents.h"

// Arrays for islands up to these sizes; false when memory ran out.
bool cnDirect_MakeRoom(cnDirectIsland* island, const cnDirectSizes* sizes);
// The arrays behind those of so many islands before.
void cnDirect_SkipRoom(cnDirectIsland* island, const cnDirectSizes* before);
// Bodies, nodes, rows and the factor of an island whose kind is known; bodies count as moved, but for
// impacts. cn_orderTooDear where a factorisation would take more than flopLimit operations (≤ 0: no limit).
cnOrderResult cnDirect_Assemble(cnDirectIsland* island, const cnContents* contents, int number, int hint,
                                double flopLimit);
