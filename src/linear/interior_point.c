#include "linear/interior_point.h"

#include "base/report/assert.h"
#include "cairn/math.h"

#include <math.h>
#include <string.h>

// E, of the energy that the momenta carry.
#define CN_START_ENERGY 1e6
#define CN_MAX_STEPS 60
// Part of the way to the nearest bound that a step goes.
#define CN_STEP_SHARE 0.995
// Products below this part of E end it: rows that carry 1e-9 of what the fastest body carries know their side
// by then. (Of those that share a load as well with as without them, in rubble of steel, every third run
// that ended at 1e-25 had some wrong, and pivoting from there was in vain once in 700.)
#define CN_MIN_PRODUCT 1e-31
// What rounding leaves of them: where they no longer fall below this, steps go to and fro between sets.
#define CN_ROUNDED_PRODUCT 1e-20

typedef struct Run {
    cnBoxSolver* solver;
    cnSparseFactor* factor;
    const cnBoxProblem* problem;
    const double* sigma; // of the caller
    double energy;       // E
    double product;      // mean s z as a part of E
    int bounds;
} Run;

static bool MakeRoom(cnBoxSolver* solver, const cnSparseFactor* factor) {
    return cnArray_Resize(&solver->barriers, 2 * factor->rowCount) &&
           cnArray_Resize(&solver->barrierSigma, factor->rowCount) &&
           cnArray_Resize(&solver->barrierRight, factor->unknownCount) &&
           cnArray_Resize(&solver->barrierStep, factor->unknownCount);
}

static void StartBarrier(const Run* run, cnBarrier* barrier, double slack, bool acts) {
    *barrier = (cnBarrier){.acts = acts, .slack = slack};
    barrier->dual = acts ? run->energy / slack : 0.0;
}

static void Start(Run* run) {
    const cnBoxProblem* problem = run->problem;
    const int bodyUnknowns = cn_bodyUnknowns * run->factor->bodyCount;
    double* lambda = problem->solution + bodyUnknowns;
    run->energy = 0.0;
    for (int i = 0; i < bodyUnknowns; ++i) {
        run->energy += CN_START_ENERGY * problem->right[i] * run->solver->speed.data[i];
    }
    run->product = 1.0;
    run->bounds = 0;
    for (int row = 0; row < run->factor->rowCount; ++row) {
        const double min = problem->lower[row], max = problem->upper[row];
        const bool isFixed = min == max, below = !isFixed && min > -INFINITY,
                   above = !isFixed && max < INFINITY;
        cnSparseFactor_SetFree(run->factor, row, !isFixed);
        if (isFixed) {
            lambda[row] = min;
        } else if (below || above) {
            const double size = cnMin(sqrt(run->energy / run->solver->effect.data[row]), 0.5 * (max - min));
            lambda[row] = below ? min + size : max - size;
        } else if (!(fabs(lambda[row]) < INFINITY)) {
            lambda[row] = 0.0;
        }
        cnBarrier* barriers = run->solver->barriers.data + 2 * (ptrdiff_t)row;
        StartBarrier(run, &barriers[0], lambda[row] - min, below);
        StartBarrier(run, &barriers[1], max - lambda[row], above);
        run->bounds += below + above;
    }
}

static void SetSigma(cnSparseFactor* factor, const double* sigma) {
    factor->values.sigma = sigma;
    cnSparseFactor_TouchAll(factor);
}

static double Compliance(const cnBarrier* barrier) {
    return barrier->acts ? barrier->dual / barrier->slack : 0.0;
}

static void Factorise(const Run* run) {
    double* sigma = run->solver->barrierSigma.data;
    for (int row = 0; row < run->factor->rowCount; ++row) {
        const cnBarrier* barriers = run->solver->barriers.data + 2 * (ptrdiff_t)row;
        sigma[row] = run->sigma[row] + Compliance(&barriers[0]) + Compliance(&barriers[1]);
    }
    SetSigma(run->factor, sigma);
    cnSparseFactor_Refresh(run->factor);
}

// The product that a bound is to have after the step, less what the step itself makes of second order.
static double TargetOf(const Run* run, const cnBarrier* barrier, double centring) {
    return centring * run->product * run->energy - barrier->slackStep * barrier->dualStep;
}

// The step of all λ, and of what belongs to the bounds. First without a target, then with it. Returns
// how far it may go.
static double FindStep(const Run* run, bool aims, double centring) {
    CN_ASSERT(run->product > 0.0);
    const cnSparseFactor* factor = run->factor;
    const int bodyUnknowns = cn_bodyUnknowns * factor->bodyCount;
    const double* lambda = run->problem->solution + bodyUnknowns;
    double *right = run->solver->barrierRight.data, *step = run->solver->barrierStep.data;
    memcpy(right, run->problem->right, (size_t)factor->unknownCount * sizeof *right);
    for (int row = 0; row < factor->rowCount; ++row) {
        cnBarrier* barriers = run->solver->barriers.data + 2 * (ptrdiff_t)row;
        right[bodyUnknowns + row] += (run->solver->barrierSigma.data[row] - run->sigma[row]) * lambda[row];
        step[bodyUnknowns + row] = lambda[row]; // of rows that are fixed
        for (int side = 0; side < 2; ++side) {
            cnBarrier* barrier = &barriers[side];
            barrier->target = aims ? TargetOf(run, barrier, centring) : 0.0;
            right[bodyUnknowns + row] +=
                barrier->acts ? (side == 0 ? 1.0 : -1.0) * barrier->target / barrier->slack : 0.0;
        }
    }
    cnSparseFactor_Solve(run->factor, right, step);
    double max = 1.0;
    for (int row = 0; row < factor->rowCount; ++row) {
        const double change = step[bodyUnknowns + row] - lambda[row];
        step[bodyUnknowns + row] = change;
        for (int side = 0; side < 2; ++side) {
            cnBarrier* barrier = run->solver->barriers.data + 2 * (ptrdiff_t)row + side;
            if (!barrier->acts) {
                continue;
            }
            barrier->slackStep = side == 0 ? change : -change;
            barrier->dualStep =
                (barrier->target - barrier->dual * barrier->slackStep) / barrier->slack - barrier->dual;
            max = barrier->slackStep < 0.0 ? cnMin(max, -barrier->slack / barrier->slackStep) : max;
            max = barrier->dualStep < 0.0 ? cnMin(max, -barrier->dual / barrier->dualStep) : max;
        }
    }
    return max;
}

// The mean product after a part of the step.
static double ProductAfter(const Run* run, double share) {
    CN_ASSERT(run->bounds > 0 && run->energy > 0.0);
    double sum = 0.0;
    for (int i = 0; i < 2 * run->factor->rowCount; ++i) {
        const cnBarrier* barrier = &run->solver->barriers.data[i];
        sum += barrier->acts ? (barrier->slack + share * barrier->slackStep) *
                                   (barrier->dual + share * barrier->dualStep)
                             : 0.0;
    }
    return sum / (run->bounds * run->energy);
}

static cnRowSet SetOf(const cnBarrier barriers[2], double effect) {
    CN_ASSERT(!(barriers[0].acts || barriers[1].acts) || !(effect <= 0.0));
    for (int side = 0; side < 2; ++side) {
        if (barriers[side].acts && barriers[side].slack * effect < barriers[side].dual) {
            return side == 0 ? cn_rowAtLower : cn_rowAtUpper;
        }
    }
    return cn_rowFree;
}

static void Go(Run* run, double share) {
    CN_ASSERT(!(share < 0.0) && !(share > 1.0));
    const int bodyUnknowns = cn_bodyUnknowns * run->factor->bodyCount;
    double *lambda = run->problem->solution + bodyUnknowns,
           *step = run->solver->barrierStep.data + bodyUnknowns;
    run->product = ProductAfter(run, share);
    for (int row = 0; row < run->factor->rowCount; ++row) {
        cnBarrier* barriers = run->solver->barriers.data + 2 * (ptrdiff_t)row;
        lambda[row] += share * step[row];
        for (int side = 0; side < 2; ++side) {
            barriers[side].slack += share * barriers[side].slackStep;
            barriers[side].dual += share * barriers[side].dualStep;
        }
        if (run->problem->lower[row] < run->problem->upper[row]) {
            run->problem->sets[row] = (uint8_t)SetOf(barriers, run->solver->effect.data[row]);
        }
    }
}

bool cnInteriorPoint_FindSets(cnBoxSolver* solver, cnSparseFactor* factor, const cnBoxProblem* problem,
                              const cnBoxSettings* settings, cnBoxStatistics* statistics) {
    CN_ASSERT(solver->effect.count == factor->rowCount);
    if (!MakeRoom(solver, factor)) {
        return false;
    }
    Run run = {.solver = solver, .factor = factor, .problem = problem, .sigma = factor->values.sigma};
    Start(&run);
    for (int i = 0; i < CN_MAX_STEPS && run.bounds > 0 && run.energy > 0.0 && run.product > CN_MIN_PRODUCT &&
                    !cnSparseFactor_IsOverBudget(factor, settings->flopLimit);
         ++i) {
        Factorise(&run);
        ++statistics->steps;
        ++statistics->interiorSteps;
        double reached = ProductAfter(&run, FindStep(&run, false, 0.0)) / run.product;
        double share = FindStep(&run, true, reached * reached * reached);
        share = share < 1.0 ? CN_STEP_SHARE * share : 1.0;
        double product = ProductAfter(&run, share);
        if (!(product < INFINITY) || (run.product < CN_ROUNDED_PRODUCT && product >= run.product)) {
            break;
        }
        Go(&run, share);
    }
    SetSigma(factor, run.sigma);
    return true;
}
