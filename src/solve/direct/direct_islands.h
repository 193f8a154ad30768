// Islands with joints, solved exactly: by a sparse factorisation, with bounds by pivoting, one factorisation
// and two back-substitutions a sub-step (stiff_joints.h). nodes/direct_island.h has the layers.
//
// Islands are tasks of the pool. A task writes to what belongs to its island; arrays and the solver with
// bounds are its thread's. What islands have in common is the work that all their sub-steps may take
// (work_budget.h): what one of them may spend follows from what those before it spent, in their order. So in
// rounds each gets what is certain whatever the others will spend; one that wants more is put back to its
// start and waits, and what still waits in the end is solved by the caller, in order. The results are those
// of solving one after the other, whatever the number of threads.
#pragma once

#include "solve/solve.h"

// Solves and moves the islands that have joints; false when memory ran out.
bool cnSolveDirectIslands(cnSolve* solve);
