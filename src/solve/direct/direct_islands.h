// Islands with joints, solved exactly: by a sparse factorisation, with bounds by pivoting, one factorisation
// and two back-substitutions a sub-step (stiff_joints.h). nodes/direct_island.h has the layers.
#pragma once

#include "solve/solve.h"

// Solves and moves the islands that have joints; false when memory ran out.
bool cnSolveDirectIslands(cnSolve* solve);
