#include "linear/complementarity.h"

#include "base/report/assert.h"
#include "cairn/math.h"
#include "linear/interior_point.h"

#include <math.h>
#include <string.h>

// Rows that go with the worst one.
// From this tolerance on the error of rows tells enough of that of bodies.
#define COARSE_TOLERANCE 1e-5

static const double worstPart = 0.9;
// A violation above which sets are no answer: what they push may be of any size.
static const double uselessViolation = 1e-3;
// Sweeps within the bounds, then, and operations of all of them.
static const double mostSweeps = 200.0, sweepFlops = 5e6;

static bool HasBounds(const cnBoxProblem* problem, int row) {
    return problem->lower[row] > -INFINITY || problem->upper[row] < INFINITY;
}

static double Dot6(const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < cn_bodyUnknowns; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// ---- scales -----------------------------------------------------------------------------------------------

static bool Prepare(cnBoxSolver* solver, const cnSparseFactor* factor, const cnBoxProblem* problem,
                    bool allRows) {
    const int bodyUnknowns = cn_bodyUnknowns * factor->bodyCount;
    if (!cnArray_Resize(&solver->massInverse, cn_massNumbers * factor->bodyCount) ||
        !cnArray_Resize(&solver->effect, factor->rowCount) ||
        !cnArray_Resize(&solver->load, factor->rowCount) || !cnArray_Resize(&solver->speed, bodyUnknowns) ||
        !cnArray_Resize(&solver->found, factor->unknownCount) ||
        !cnArray_Resize(&solver->foundSets, factor->rowCount)) {
        return false;
    }
    solver->boundedRows = 0;
    for (int row = 0; row < factor->rowCount; ++row) {
        solver->boundedRows += HasBounds(problem, row);
    }
    solver->largestLoad = 0.0;
    if (solver->boundedRows == 0 && !allRows) {
        return true;
    }
    for (int b = 0; b < factor->bodyCount; ++b) {
        double* inverse = solver->massInverse.data + cn_massNumbers * (ptrdiff_t)b;
        cnInvertMass(factor->values.mass + cn_massNumbers * (ptrdiff_t)b, inverse);
        cnApplyMass(inverse, problem->right + cn_bodyUnknowns * (ptrdiff_t)b,
                    solver->speed.data + cn_bodyUnknowns * (ptrdiff_t)b);
    }
    for (int c = 0; c < factor->constraintCount; ++c) {
        const int begin = factor->rowStart.data[c], rows = factor->rowStart.data[c + 1] - begin;
        for (int i = 0; i < rows; ++i) {
            const int row = begin + i;
            if (!allRows && !HasBounds(problem, row)) {
                continue;
            }
            double effect = factor->values.sigma[row], load = fabs(problem->right[bodyUnknowns + row]);
            for (int k = factor->bodyStart.data[c]; k < factor->bodyStart.data[c + 1]; ++k) {
                const double* g =
                    factor->values.jacobian + factor->jacobianStart.data[k] + cn_bodyUnknowns * i;
                const ptrdiff_t body = factor->bodies.data[k];
                double response[cn_bodyUnknowns];
                cnApplyMass(solver->massInverse.data + cn_massNumbers * body, g, response);
                effect += Dot6(g, response);
                for (int j = 0; j < cn_bodyUnknowns; ++j) {
                    load += fabs(g[j] * solver->speed.data[cn_bodyUnknowns * body + j]);
                }
            }
            solver->effect.data[row] = effect;
            solver->load.data[row] = load;
            solver->largestLoad = cnMax(solver->largestLoad, load);
        }
    }
    return true;
}

// ---- pivoting ---------------------------------------------------------------------------------------------

// How far a row is from where it should be, as a part of its scale, and the set that it belongs to.
static double Violation(const cnBoxSolver* solver, const cnSparseFactor* factor, const cnBoxProblem* problem,
                        int row, cnRowSet* wanted) {
    CN_ASSERT(row >= 0 && row < factor->rowCount);
    CN_ASSERT(problem->sets[row] <= cn_rowAtUpper);
    const int at = cn_bodyUnknowns * factor->bodyCount + row;
    double lambda = problem->solution[at], w = -factor->residual.data[at], effect = solver->effect.data[row];
    double violation = 0.0;
    *wanted = (cnRowSet)problem->sets[row];
    switch (*wanted) {
    case cn_rowFree:
        if (lambda < problem->lower[row]) {
            violation = (problem->lower[row] - lambda) * effect;
            *wanted = cn_rowAtLower;
        } else if (lambda > problem->upper[row]) {
            violation = (lambda - problem->upper[row]) * effect;
            *wanted = cn_rowAtUpper;
        } else {
            violation = fabs(w);
        }
        break;
    default:
        violation = *wanted == cn_rowAtLower ? -w : w;
        *wanted = cn_rowFree;
        break;
    }
    if (violation <= 0.0 || problem->lower[row] == problem->upper[row]) {
        *wanted = (cnRowSet)problem->sets[row];
        return 0.0;
    }
    double scale = factor->scale.data[at] + solver->load.data[row] + effect * fabs(lambda);
    return violation / cnMax(scale, 1e-4 * solver->largestLoad);
}

// Makes the factor that of the sets.
static void Refactor(const cnBoxSolver* solver, cnSparseFactor* factor, const cnBoxProblem* problem) {
    bool allFree = solver->boundedRows == 0 && factor->fixedRows == 0;
    for (int row = 0; !allFree && row < factor->rowCount; ++row) {
        cnSparseFactor_SetFree(factor, row, problem->sets[row] == cn_rowFree);
    }
    cnSparseFactor_Refresh(factor);
}

// Solves with the sets as they are.
static void SolveSets(const cnBoxSolver* solver, cnSparseFactor* factor, const cnBoxProblem* problem,
                      const cnBoxSettings* settings, cnBoxStatistics* statistics) {
    CN_ASSERT(settings->tolerance > 0.0);
    double* lambda = problem->solution + (ptrdiff_t)cn_bodyUnknowns * factor->bodyCount;
    for (int row = 0; solver->boundedRows > 0 && row < factor->rowCount; ++row) {
        if (problem->sets[row] != cn_rowFree) {
            lambda[row] = problem->sets[row] == cn_rowAtLower ? problem->lower[row] : problem->upper[row];
        }
    }
    Refactor(solver, factor, problem);
    cnSparseFactor_Solve(factor, problem->right, problem->solution);
    ++statistics->steps;
    const double tolerance = 1e-2 * settings->tolerance;
    statistics->backward = INFINITY;
    // where bodies are eliminated last their equations err as well, which those of a coarse solution may
    bool isCoarse = settings->tolerance >= COARSE_TOLERANCE;
    if (solver->boundedRows == 0 && (isCoarse || cnSparseFactor_BodiesGoFirst(factor))) {
        statistics->backward = cnSparseFactor_RowError(factor, problem->right, problem->solution);
    }
    if (!(statistics->backward <= tolerance)) { // and where bounds are to be judged by the residual
        statistics->backward = cnSparseFactor_Refine(factor, problem->right, problem->solution,
                                                     settings->refinements, tolerance);
    }
}

// Counts infeasible rows and finds the worst violation.
static int CountInfeasible(const cnBoxSolver* solver, const cnSparseFactor* factor,
                           const cnBoxProblem* problem, double tolerance, double* worst) {
    CN_ASSERT(tolerance > 0.0);
    int count = 0;
    *worst = 0.0;
    for (int row = 0; solver->boundedRows > 0 && row < factor->rowCount; ++row) {
        if (HasBounds(problem, row)) {
            cnRowSet wanted;
            double violation = Violation(solver, factor, problem, row, &wanted);
            count += violation > tolerance && wanted != problem->sets[row];
            *worst = cnMax(*worst, violation);
        }
    }
    return count;
}

// The infeasible rows whose violation is above a limit, or the first of them, change sets.
static void Exchange(const cnBoxSolver* solver, const cnSparseFactor* factor, const cnBoxProblem* problem,
                     double above, bool minOnly, cnBoxStatistics* statistics) {
    CN_ASSERT(solver->boundedRows > 0 && above > 0.0);
    for (int row = 0; row < factor->rowCount; ++row) {
        cnRowSet wanted;
        if (HasBounds(problem, row) && Violation(solver, factor, problem, row, &wanted) > above &&
            wanted != problem->sets[row]) {
            problem->sets[row] = (uint8_t)wanted;
            ++statistics->exchanges;
            if (minOnly) {
                ++statistics->minSteps;
                return;
            }
        }
    }
}

// ---- bounds -----------------------------------------------------------------------------------------------

// v += M⁻¹ gᵀ λ
static void Push(const cnBoxSolver* solver, const cnSparseFactor* factor, double* v, int constraint, int i,
                 double lambda) {
    CN_ASSERT(constraint >= 0 && constraint < factor->constraintCount);
    CN_ASSERT(i >= 0 && i < factor->rowStart.data[constraint + 1] - factor->rowStart.data[constraint]);
    for (int k = factor->bodyStart.data[constraint]; k < factor->bodyStart.data[constraint + 1]; ++k) {
        const ptrdiff_t body = factor->bodies.data[k];
        double response[cn_bodyUnknowns];
        cnApplyMass(solver->massInverse.data + cn_massNumbers * body,
                    factor->values.jacobian + factor->jacobianStart.data[k] + cn_bodyUnknowns * i, response);
        for (int j = 0; j < cn_bodyUnknowns; ++j) {
            v[cn_bodyUnknowns * body + j] += response[j] * lambda;
        }
    }
}

// ---- the solver -------------------------------------------------------------------------------------------

// Pivots until no row is infeasible; false when it may not go on.
static bool Pivot(const cnBoxSolver* solver, cnSparseFactor* factor, const cnBoxProblem* problem,
                  const cnBoxSettings* settings, int minSteps, cnBoxStatistics* statistics) {
    CN_ASSERT(settings->tries > 0);
    int fewest = factor->rowCount + 1, tries = 3 * settings->tries;
    for (;;) {
        SolveSets(solver, factor, problem, settings, statistics);
        if (!(statistics->backward < INFINITY)) {
            statistics->failed = true;
            statistics->residual = INFINITY;
            return false;
        }
        int count = CountInfeasible(solver, factor, problem, settings->tolerance, &statistics->residual);
        statistics->infeasible = count;
        if (count == 0) {
            return true;
        }
        if (cnSparseFactor_IsOverBudget(factor, settings->flopLimit)) {
            return false;
        }
        // all, then the worst, then one
        double above = settings->tolerance;
        if (count < fewest) {
            fewest = count;
            tries = 3 * settings->tries;
        } else if (--tries >= 0) {
            above = tries < 2 * settings->tries ? cnMax(above, worstPart * statistics->residual) : above;
        } else if (statistics->minSteps < minSteps) {
            statistics->fellBack = true;
        } else {
            return false;
        }
        Exchange(solver, factor, problem, above, tries < 0, statistics);
    }
}

// Interior points find sets, and pivoting goes on from these; keeps the better of the two.
static bool FallBack(cnBoxSolver* solver, cnSparseFactor* factor, const cnBoxProblem* problem,
                     const cnBoxSettings* settings, cnBoxStatistics* statistics) {
    CN_ASSERT(solver->boundedRows > 0);
    if (!cnInteriorPoint_FindSets(solver, factor, problem, settings, statistics)) {
        return false;
    }
    const size_t bytes = (size_t)factor->unknownCount * sizeof(double);
    SolveSets(solver, factor, problem, settings, statistics);
    const bool isFinite = statistics->backward < INFINITY;
    double residual;
    const int infeasible = CountInfeasible(solver, factor, problem, settings->tolerance, &residual);
    memcpy(solver->found.data, problem->solution, bytes);
    memcpy(solver->foundSets.data, problem->sets, (size_t)factor->rowCount);
    if (!Pivot(solver, factor, problem, settings, 0, statistics) && isFinite &&
        residual < statistics->residual) {
        memcpy(problem->solution, solver->found.data, bytes);
        memcpy(problem->sets, solver->foundSets.data, (size_t)factor->rowCount);
        statistics->failed = false;
        statistics->residual = residual;
        statistics->infeasible = infeasible;
        Refactor(solver, factor, problem);
    }
    return true;
}

// ---- the last resort --------------------------------------------------------------------------------------

static int CountSweeps(const cnSparseFactor* factor) {
    double flops = 0.0; // of one: a row's speed and its push, of every body
    for (int c = 0; c < factor->constraintCount; ++c) {
        int rows = factor->rowStart.data[c + 1] - factor->rowStart.data[c];
        flops += 100.0 * rows * (factor->bodyStart.data[c + 1] - factor->bodyStart.data[c]);
    }
    return (int)cnClamp(sweepFlops / cnMax(flops, 1.0), 1.0, mostSweeps);
}

// Projected Gauss–Seidel from λ = 0: every step lowers ½ λᵀ A λ − bᵀ λ, so whatever is missing at the end,
// the bodies gain no energy that the right-hand side does not give.
static void SweepRows(const cnBoxSolver* solver, const cnSparseFactor* factor, const cnBoxProblem* problem) {
    const int bodyUnknowns = cn_bodyUnknowns * factor->bodyCount;
    double *v = problem->solution, *lambda = v + bodyUnknowns;
    memcpy(v, solver->speed.data, (size_t)bodyUnknowns * sizeof *v);
    memset(lambda, 0, (size_t)factor->rowCount * sizeof *lambda);
    for (int sweep = CountSweeps(factor); sweep > 0; --sweep) {
        for (int c = 0; c < factor->constraintCount; ++c) {
            const int begin = factor->rowStart.data[c], end = factor->rowStart.data[c + 1];
            for (int row = begin; row < end; ++row) {
                double w = factor->values.sigma[row] * lambda[row] - problem->right[bodyUnknowns + row];
                for (int k = factor->bodyStart.data[c]; k < factor->bodyStart.data[c + 1]; ++k) {
                    const ptrdiff_t at = factor->jacobianStart.data[k] + cn_bodyUnknowns * (row - begin);
                    w += Dot6(factor->values.jacobian + at,
                              v + cn_bodyUnknowns * (ptrdiff_t)factor->bodies.data[k]);
                }
                double effect = solver->effect.data[row];
                double wanted = effect > 0.0 ? lambda[row] - w / effect : lambda[row];
                double change = cnClamp(wanted, problem->lower[row], problem->upper[row]) - lambda[row];
                lambda[row] += change;
                Push(solver, factor, v, c, row - begin, change);
            }
        }
    }
    for (int row = 0; row < factor->rowCount; ++row) {
        bool isLow = lambda[row] <= problem->lower[row], isHigh = lambda[row] >= problem->upper[row];
        problem->sets[row] = (uint8_t)(isLow ? cn_rowAtLower : (isHigh ? cn_rowAtUpper : cn_rowFree));
    }
}

// Sweeps, and pivoting from the sets that they end with; where that leads nowhere either, what the sweeps
// came to. False when memory ran out.
static bool SweepAndPivot(cnBoxSolver* solver, cnSparseFactor* factor, const cnBoxProblem* problem,
                          const cnBoxSettings* settings, cnBoxStatistics* statistics) {
    if (!Prepare(solver, factor, problem, true)) {
        return false;
    }
    SweepRows(solver, factor, problem);
    memcpy(solver->found.data, problem->solution, (size_t)factor->unknownCount * sizeof(double));
    memcpy(solver->foundSets.data, problem->sets, (size_t)factor->rowCount);
    statistics->swept = true;
    if (!Pivot(solver, factor, problem, settings, 0, statistics) &&
        !(statistics->residual <= uselessViolation)) {
        memcpy(problem->solution, solver->found.data, (size_t)factor->unknownCount * sizeof(double));
        memcpy(problem->sets, solver->foundSets.data, (size_t)factor->rowCount);
        statistics->failed = false;
        Refactor(solver, factor, problem);
    }
    return true;
}

// Puts what is outside of its bounds, by less than the tolerance, on them, with the speeds that belong to it.
static void KeepBounds(const cnBoxSolver* solver, const cnSparseFactor* factor, const cnBoxProblem* problem) {
    double *v = problem->solution, *lambda = v + (ptrdiff_t)cn_bodyUnknowns * factor->bodyCount;
    for (int c = 0; c < factor->constraintCount; ++c) {
        for (int row = factor->rowStart.data[c]; row < factor->rowStart.data[c + 1]; ++row) {
            double kept = cnClamp(lambda[row], problem->lower[row], problem->upper[row]);
            if (kept != lambda[row]) {
                Push(solver, factor, v, c, row - factor->rowStart.data[c], kept - lambda[row]);
                lambda[row] = kept;
            }
        }
    }
}

bool cnBoxSolver_Solve(cnBoxSolver* solver, cnSparseFactor* factor, const cnBoxProblem* problem,
                       const cnBoxSettings* given, cnBoxStatistics* statistics) {
    CN_ASSERT(factor->analysed && factor->values.mass != NULL);
    if (!Prepare(solver, factor, problem, false)) {
        return false;
    }
    // defaults
    cnBoxSettings settings = given != NULL ? *given : (cnBoxSettings){0};
    settings.tries = settings.tries > 0 ? settings.tries : 7;
    settings.minSteps = settings.minSteps != 0 ? settings.minSteps : 50 + 100 * solver->boundedRows;
    settings.refinements = settings.refinements == 0 ? 3 : settings.refinements;
    settings.tolerance = settings.tolerance > 0.0 ? settings.tolerance : 1e-12;
    *statistics = (cnBoxStatistics){0};

    // no row rests on a bound that is not there
    if (solver->boundedRows == 0) {
        memset(problem->sets, cn_rowFree, (size_t)factor->rowCount);
    }
    for (int row = 0; solver->boundedRows > 0 && row < factor->rowCount; ++row) {
        CN_ASSERT(problem->lower[row] <= problem->upper[row] && problem->sets[row] <= cn_rowAtUpper);
        if (problem->lower[row] == problem->upper[row]) {
            problem->sets[row] = cn_rowAtLower;
        } else if ((problem->sets[row] == cn_rowAtLower && !(problem->lower[row] > -INFINITY)) ||
                   (problem->sets[row] == cn_rowAtUpper && !(problem->upper[row] < INFINITY))) {
            problem->sets[row] = cn_rowFree;
        }
    }
    if (!Pivot(solver, factor, problem, &settings, settings.minSteps, statistics)) {
        if (statistics->failed) {
            return true;
        }
        statistics->gaveUp = true;
        // who is over budget has no use for an answer
        bool mayGoOn = !cnSparseFactor_IsOverBudget(factor, settings.flopLimit);
        if (mayGoOn && !settings.noInterior && !FallBack(solver, factor, problem, &settings, statistics)) {
            return false;
        }
        mayGoOn = !cnSparseFactor_IsOverBudget(factor, settings.flopLimit);
        if (mayGoOn && !(statistics->residual <= uselessViolation) &&
            !SweepAndPivot(solver, factor, problem, &settings, statistics)) {
            return false;
        }
    }
    if (solver->boundedRows > 0) {
        KeepBounds(solver, factor, problem);
    }
    return true;
}

bool cnBoxSolver_Reserve(cnBoxSolver* solver, int bodyCount, int rowCount) {
    CN_ASSERT(bodyCount >= 0 && rowCount >= 0);
    const int bodyUnknowns = cn_bodyUnknowns * bodyCount, unknowns = bodyUnknowns + rowCount;
    return cnArray_Reserve(&solver->massInverse, cn_massNumbers * bodyCount) &&
           cnArray_Reserve(&solver->effect, rowCount) && cnArray_Reserve(&solver->load, rowCount) &&
           cnArray_Reserve(&solver->speed, bodyUnknowns) && cnArray_Reserve(&solver->found, unknowns) &&
           cnArray_Reserve(&solver->foundSets, rowCount) &&
           cnArray_Reserve(&solver->barriers, 2 * rowCount) &&
           cnArray_Reserve(&solver->barrierSigma, rowCount) &&
           cnArray_Reserve(&solver->barrierRight, unknowns) &&
           cnArray_Reserve(&solver->barrierStep, unknowns);
}

void cnBoxSolver_Free(cnBoxSolver* solver) {
    cnArray_Free(&solver->massInverse);
    cnArray_Free(&solver->effect);
    cnArray_Free(&solver->load);
    cnArray_Free(&solver->speed);
    cnArray_Free(&solver->found);
    cnArray_Free(&solver->foundSets);
    cnArray_Free(&solver->barriers);
    cnArray_Free(&solver->barrierSigma);
    cnArray_Free(&solver->barrierRight);
    cnArray_Free(&solver->barrierStep);
    *solver = (cnBoxSolver){0};
}
