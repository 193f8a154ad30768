// Islands and groups made of bodies, constraints and contacts: nodes, rows, and the topology of their linear
// system.
#pragma once

#include "solve/direct/island_contents.h"

// Arrays for islands up to these sizes; false when memory ran out.
bool cnDirect_MakeRoom(cnDirectIsland* island, const cnDirectSizes* sizes);
// The arrays behind those of so many islands before.
void cnDirect_SkipRoom(cnDirectIsland* island, const cnDirectSizes* before);
// The factor of an island or group: its own one of the last step, where there is one. Null when memory ran
// out.
cnSparseFactor* cnDirect_TakeFactor(const cnSolve* solve, const cnContents* contents, int number,
                                    cnDirectKind kind, int hint);
// Bodies, nodes and rows of an island whose kind is known, and what its factor is to factorise; bodies count
// as moved, but for impacts. cn_orderTooDear where a factorisation would take more than flopLimit operations
// (≤ 0: no limit).
cnOrderResult cnDirect_Assemble(cnDirectIsland* island, const cnContents* contents, int number,
                                cnSparseFactor* factor, double flopLimit);
