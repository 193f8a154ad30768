// Joints of a group that are iterative: no part of its factorisation, swept once before each solution of it,
// which takes their multipliers for external impulses.
#pragma once

#include "solve/direct/nodes/direct_island.h"

// λ that the sweeps begin with: the forces of the last step.
void cnSweptJoints_Load(const cnDirectIsland* group);
// All rows of a group, at the beginning of a sub-step; and again with another right-hand side.
void cnSweptJoints_Solve(cnDirectIsland* group);
void cnSweptJoints_SolveAgain(cnDirectIsland* group);
// For a sub-step of another length.
void cnSweptJoints_Scale(const cnDirectIsland* group, double factor);
