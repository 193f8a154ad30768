// Budgets of operations for islands with joints, and what happens to those that exceed them (solver_choice.c
// tells why).
#pragma once

#include "solve/direct/island_contents.h"

// Most operations (multiplications and additions) of one factorisation of an island, 0: no limit.
double cnSolve_FactorBudget(const cnSolve* solve, int number);
// Of all factorisations of its step, one of which takes `predicted`; 0: no limit.
double cnSolve_StepBudget(const cnSolve* solve, const cnContents* contents, int number, double predicted);
// What the factorisations of an island took in this step, for the budget of the next.
void cnSolve_KeepWork(cnSolve* solve, const cnContents* contents, int number, double work);

// Operations that one of `left` islands or groups may spend on sub-steps, of what the step has left for them
// (cnSolve.jointWork): no more where that is less.
double cnShareWork(double jointWork, int left);

// An island that turned out over budget has groups, now and for a while.
void cnSolve_MakeGrouped(cnSolve* solve, const cnContents* contents, int number);
