// Islands in which something heavy rests on something light, solved to convergence
// (docs/iterative-contacts.md).
#pragma once

#include "solve/solve.h"

// Solves all converged islands; the results are in the solver bodies' changes, as those of the sweeps. False
// when memory ran out.
bool cnSolveConvergedIslands(cnSolve* solve);
