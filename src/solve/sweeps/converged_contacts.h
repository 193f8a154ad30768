// Islands in which something heavy rests on something light, solved to convergence
// (docs/iterative-contacts.md).
#pragma once

#include "solve/solve.h"

// Those of a step. Each is a task of its own, which writes to the bodies, contacts and pairs of its island
// only; the results are in the solver bodies' changes, as those of the sweeps.
typedef struct cnConvergedIslands cnConvergedIslands;

// Finds them, the largest first, and room for them on the solve's stack. Null when memory ran out.
cnConvergedIslands* cnConvergedIslands_Prepare(cnSolve* solve);

int cnConvergedIslands_GetCount(const cnConvergedIslands* islands);

// Solves one of them.
void cnConvergedIslands_Solve(cnConvergedIslands* islands, int which, int thread);
