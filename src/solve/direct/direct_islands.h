// Islands with joints, solved exactly: by a sparse factorisation, with bounds by pivoting, one factorisation and two
// back-substitutions a sub-step (stiff_joints.h).
#pragma once

#include "base/containers/array.h"
#include "linear/complementarity.h"
#include "solve/solve.h"

// Factors that islands keep from step to step, while their topology stands.
typedef struct cnDirectSlot {
    cnSparseFactor factor;
    int root; // lowest body row of the island; of a group for impacts its complement
    bool used;
} cnDirectSlot;

typedef struct cnDirectPool {
    CN_ARRAY(cnDirectSlot*)
    slots; // each stays where it is: islands and groups point to their factors all through a step
    cnBoxSolver box;
} cnDirectPool;

void cnDirectPool_Free(cnDirectPool* pool);
// All factors may be taken again; they keep what they know.
void cnDirectPool_Release(cnDirectPool* pool);

// Solves and moves the islands that have joints; false when memory ran out.
bool cnSolveDirectIslands(cnSolve* solve);
