// Which rows are at their bounds, by interior points: what pivoting gives way to where it cycles.
//
// The problem of complementarity.h is that of the least ½ λᵀ S λ − bᵀ λ over a box, S = G M⁻¹ Gᵀ + Σ. In
// rubble, where four points carry what one would, exchanging rows sends hundreds of them to and fro
// indefinitely. A primal-dual method (Mehrotra, "On the implementation of a primal-dual interior point
// method", SIAM J. Optimization 1992) knows no sets: every bound has a slack s > 0 and a multiplier
// z > 0, and all s z are led to 0 together. What it has to solve in each step is the same system with
// more compliance,
//
//   M v − Gᵀ λ = p,   G v + (Σ + D) λ = q + D λ_k + t/s,   D = z/s,
//
// with t the product that a bound is to have: so the sparse factor does it, in its order. About 30 steps
// suffice, whatever the number of rows, since a bound that counts makes its D large and one that does not
// makes it small: then w and λ tell the sets, and one solve with these is exact.
//
// Where it starts. Slacks and multipliers are to be large against the solution, or steps become tiny: s z = E
// for all, s² = E/A, with E a million times the energy that the momenta p carry: 1e3 times what could stop
// all bodies at any single row. (With s from each row's own speed it crawls:
// where a steel ball meets a wall a brick's contact takes 10⁴ times that.)
#pragma once

#include "linear/complementarity.h"

// Finds sets from nothing, and leaves the factor with the Σ that it had, out of date. Counts its
// factorisations as steps. False when memory ran out; sets stay as they are where the numbers are not finite.
bool cnInteriorPoint_FindSets(cnBoxSolver* solver, cnSparseFactor* factor, const cnBoxProblem* problem,
                              const cnBoxSettings* settings, cnBoxStatistics* statistics);
