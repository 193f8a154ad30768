// The choice of solvers by island (solver_choice.c tells by what).
#pragma once

#include "solve/direct_island.h"

// Most operations (multiplications and additions) of a factorisation, and of all in a step, of an island with a budget.
#define CN_DIRECT_FLOPS 1e6
#define CN_DIRECT_STEP_FLOPS 1e7

// Whether an island that is solved directly is to be so only as long as it is cheap.
bool cnSolve_HasBudget(const cnSolve* solve, int number);

// An island that turned out too dear has groups, now and for a while.
void cnSolve_MakeGrouped(cnSolve* solve, const cnContents* contents, int number);
