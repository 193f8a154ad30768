// Rows with bounds: a mixed complementarity problem over boxes, on top of the sparse factor.
//
//     M v − Gᵀ λ = p,   w = G v + Σ λ − q,   lower ≤ λ ≤ upper,
//     w ≥ 0 where λ = lower,   w = 0 between,   w ≤ 0 where λ = upper
//
// A contact has [0, ∞), a motor ± its force, a friction row ± μ N h, a joint row (−∞, ∞). As M and Σ are
// positive definite, G M⁻¹ Gᵀ + Σ is a P-matrix, and there is exactly one solution.
//
// Block principal pivoting (Júdice and Pires, "A block principal pivoting algorithm for large-scale strictly
// monotone linear complementarity problems", Computers & Operations Research 1994; for multibody systems:
// Lacoursière, "Ghosts and machines", 2007). Every row is in one of three sets: free (w = 0 is solved for),
// at its lower or at its upper bound. Solve with these sets; a free λ outside of its bounds, or a w of the
// wrong sign at one, is infeasible. Exchanging all infeasible rows at once usually ends after a few steps,
// however many rows there are, but it may cycle. So the least number of infeasible rows seen is kept, and
// when it has not fallen for `tries` steps, only the infeasible row of least index is exchanged, which cannot
// cycle (Murty, "Note on a Bard-type scheme for solving the complementarity problem", Opsearch 1974), until
// it falls. That is finite, though in the worst case exponential: after `minSteps` of those interior points
// take over (interior_point.h), and the statistics say so. Between the two, 2·tries steps exchange only the
// rows that are wrong by 0.9 of the worst or more: nothing is proven of them, but of 10,000 random problems
// from random sets 114 go to single rows without them, and 11 with them. Each exchange costs what is above
// the row's fronts in the elimination tree, and a solve.
//
// What counts as infeasible. λ and w are compared as speeds, λ by the row's own A = (G M⁻¹ Gᵀ + Σ)ᵢᵢ, against
// the speeds that the row has to do with: Σ|Gᵢⱼ vⱼ| + |q| + A |λ|, and what p alone would make. Rows in which
// all of that is nothing, but rounding, are measured by 1e-4 of the largest.
#pragma once

#include "linear/sparse_factor.h"

typedef enum cnRowSet {
    cn_rowFree = 0,
    cn_rowAtLower,
    cn_rowAtUpper,
} cnRowSet;

typedef struct cnBoxSettings {
    int tries; // block steps without progress, 7 by default
    // exchanges of one row, 50 + 100 a row with bounds by default (who has no time sets less); < 0: none
    int minSteps;
    bool noInterior;  // no interior points
    int refinements;  // of each solve, at most; 3 by default, < 0: none
    double tolerance; // 1e-12 by default
    double flopLimit; // of the factor's statistics: beyond it there is no answer; 0: none
} cnBoxSettings;

typedef struct cnBoxProblem {
    const double* right;         // (p, q)
    const double *lower, *upper; // per row; lower ≤ upper, infinite where there is none
    uint8_t* sets;               // cnRowSet per row: where to start, and the result
    double* solution;            // (v, λ)
} cnBoxProblem;

typedef struct cnBoxStatistics {
    int steps;     // solves
    int exchanges; // rows
    int minSteps;  // exchanges of one row
    int interiorSteps;
    bool fellBack;  // to one-row exchanges
    bool gaveUp;    // to interior points
    bool swept;     // and from these to sweeps within the bounds
    bool failed;    // the solution is not finite; the rest means nothing
    int infeasible; // rows at the end
    // largest violation as a part of its scale: tolerance or less, or it gave up; of the best sets, where the
    // solution is that of sweeps
    double residual;
    double backward; // componentwise backward error of the last solve
} cnBoxStatistics;

// A bound of a row, to interior points.
typedef struct cnBarrier {
    double slack, dual; // λ − lower or upper − λ; the part of w that it takes
    double slackStep, dualStep;
    double target; // slack · dual after the step
    bool acts;     // the bound is there
} cnBarrier;

typedef struct cnBoxSolver {
    CN_ARRAY(double) massInverse; // 18 a body
    CN_ARRAY(double) effect;      // A, per row
    CN_ARRAY(double) load;        // speed that p and q make
    CN_ARRAY(double) speed;       // per body, 6
    CN_ARRAY(double) found;       // with the sets of interior points
    CN_ARRAY(uint8_t) foundSets;
    CN_ARRAY(cnBarrier) barriers; // lower and upper of each row
    CN_ARRAY(double) barrierSigma, barrierRight, barrierStep;
    double largestLoad;
    int boundedRows;
} cnBoxSolver;

// Solves from the sets given. The factor must have its topology and values; its rows are freed and fixed as
// needed and stay so. Call it again with other bounds or another right-hand side and the sets it left, and
// nothing is factorised that needs not be: only what changes sets. (With sets that stay, cnSparseFactor_Solve
// alone does: fixed rows keep the λ that the solution has.) False when memory ran out.
bool cnBoxSolver_Solve(cnBoxSolver* solver, cnSparseFactor* factor, const cnBoxProblem* problem,
                       const cnBoxSettings* settings, cnBoxStatistics* statistics);

// Memory for problems up to this size, so that solving them asks for none. False when memory ran out.
bool cnBoxSolver_Reserve(cnBoxSolver* solver, int bodyCount, int rowCount);
void cnBoxSolver_Free(cnBoxSolver* solver);
