// Boxed problems: the complementarity conditions, checked on the matrices as they were given.
#include "solve/complementarity.h"

#include "sparse_islands.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// sanitized builds look at a tenth of the cases
#if defined(__SANITIZE_ADDRESS__)
#define CASES(n) ((n) / 10)
#else
#define CASES(n) (n)
#endif

static Island island;
static double right[6 * mostBodies + mostRows], solution[6 * mostBodies + mostRows];
static double lower[mostRows], upper[mostRows];
static uint8_t sets[mostRows];

// The largest violation of the conditions as a part of the speeds it has to do with; of M v − Gᵀ λ = p as a part of the
// momenta. v, λ, w straight from the definition, with no part of the solver.
static double violationOf(void) {
    const int bodies = 6 * island.bodyCount;
    double worst = 0.0, largest = 0.0;
    static double momentum[6 * mostBodies], momentumScale[6 * mostBodies], w[mostRows], scale[mostRows];
    for (int i = 0; i < bodies; ++i) {
        const double* m = island.mass + 18 * (i / 6) + i % 6 / 3 * 9 + i % 3 * 3;
        const double* v = solution + i / 3 * 3;
        momentum[i] = -right[i];
        momentumScale[i] = fabs(right[i]);
        for (int j = 0; j < 3; ++j) {
            momentum[i] += m[j] * v[j];
            momentumScale[i] += fabs(m[j] * v[j]);
        }
    }
    const double* g = island.jacobian;
    for (int c = 0; c < island.constraintCount; ++c) {
        for (int row = island.rowStart[c]; row < island.rowStart[c + 1]; ++row) {
            w[row] = island.sigma[row] * solution[bodies + row] - right[bodies + row];
            scale[row] = fabs(right[bodies + row]) + RowEffect(&island, c, row) * fabs(solution[bodies + row]);
        }
        for (int k = island.bodyStart[c]; k < island.bodyStart[c + 1]; ++k) {
            for (int row = island.rowStart[c]; row < island.rowStart[c + 1]; ++row, g += 6) {
                for (int j = 0; j < 6; ++j) {
                    int at = 6 * island.bodies[k] + j;
                    w[row] += g[j] * solution[at];
                    scale[row] += fabs(g[j] * solution[at]) + fabs(g[j] * right[at] / island.mass[18 * island.bodies[k]]);
                    momentum[at] -= g[j] * solution[bodies + row];
                    momentumScale[at] += fabs(g[j] * solution[bodies + row]);
                }
            }
        }
    }
    for (int row = 0; row < island.rowCount; ++row) {
        largest = fmax(largest, scale[row]);
    }
    for (int i = 0; i < bodies; ++i) {
        double least = 1e-4 * largest * island.mass[18 * (i / 6)];
        worst = fmax(worst, fabs(momentum[i]) / fmax(momentumScale[i], least));
    }
    for (int row = 0; row < island.rowCount; ++row) {
        double lambda = solution[bodies + row];
        assert_true(lambda >= lower[row] && lambda <= upper[row]);
        double off = lower[row] == upper[row] ? 0.0
                     : lambda == lower[row]   ? fmax(0.0, -w[row])
                     : lambda == upper[row]   ? fmax(0.0, w[row])
                                              : fabs(w[row]);
        off /= fmax(scale[row], 1e-4 * largest);
        worst = off == off ? fmax(worst, off) : INFINITY;
    }
    return worst;
}

static void makeBounds(int number) {
    // contacts, motors and friction, joints, fixed rows; momenta at times zero, speeds at times zero: degenerate
    bool degenerate = number % 5 == 0;
    for (int b = 0; b < island.bodyCount; ++b) {
        for (int i = 0; i < 6; ++i) {
            right[6 * b + i] = degenerate && RandomInt(2) ? 0.0 : Random(-1.0, 1.0) * island.mass[18 * b];
        }
    }
    for (int c = 0; c < island.constraintCount; ++c) {
        for (int row = island.rowStart[c]; row < island.rowStart[c + 1]; ++row) {
            right[6 * island.bodyCount + row] = degenerate ? 0.0 : Random(-1.0, 1.0);
            double size = Random(0.0, 2.0) / RowEffect(&island, c, row);
            int kind = RandomInt(8);
            lower[row] = kind < 4 ? 0.0 : (kind < 6 ? -size : -INFINITY);
            upper[row] = kind == 5 ? size * Random(-1.0, 1.0) : (kind == 4 ? size : INFINITY);
            sets[row] = (uint8_t)RandomInt(3);
        }
    }
}

static void startFactor(cnSparseFactor* factor) {
    static cnSparseValues values;
    cnBlockTopology topology = TopologyOf(&island);
    values = ValuesOf(&island);
    assert_int_equal(cnSparseFactor_SetTopology(factor, &topology, 0.0), cn_orderFound);
    cnSparseFactor_SetValues(factor, &values);
}

static void randomProblemsMeetTheConditions(void** state) {
    (void)state;
    cnSparseFactor factor = {0};
    cnBoxSolver solver = {0};
    cnBoxStatistics statistics;
    double worst = 0.0;
    int steps = 0, fellBack = 0, gaveUp = 0, most = 0;
    for (int number = 0; number < CASES(10000); ++number) {
        int bodies = 1 + RandomInt(number % 100 == 0 ? 30 : 7);
        MakeIsland(&island, (IslandKind)(number % islandKinds), bodies, number % 2 ? 0.5 : Random(0.0, 6.0), 1.0);
        if (number % 3 == 0) {
            SoftenIsland(&island, 1e-6);
        }
        makeBounds(number);
        startFactor(&factor);
        cnBoxProblem problem = {right, lower, upper, sets, solution};
        assert_true(cnBoxSolver_Solve(&solver, &factor, &problem, getenv("MANY") ? &(cnBoxSettings){.leastSteps = atoi(getenv("MANY"))} : NULL, &statistics));
        double violation = violationOf();
        if (getenv("VERBOSE") != NULL && (violation > 1e-9 || statistics.gaveUp)) {
            printf("%d: bodies %d rows %d: %.1e, reported %.1e, backward %.1e, steps %d, least %d, gave up %d, infeasible %d\n", number,
                   bodies, island.rowCount, violation, statistics.residual, statistics.backward, statistics.steps, statistics.leastSteps,
                   statistics.gaveUp, statistics.infeasible);
        } else {
        assert_true(violation <= 1e-8);
        }
        worst = fmax(worst, violation);
        steps += statistics.steps;
        most = statistics.steps > most ? statistics.steps : most;
        fellBack += statistics.fellBack;
        gaveUp += statistics.gaveUp;
    }
    printf("worst violation %.1e; %.2f steps in the mean, %d at most; %d fell back, %d gave up\n", worst,
           (double)steps / CASES(10000), most, fellBack, gaveUp);
    cnBoxSolver_Free(&solver);
    cnSparseFactor_Free(&factor);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(randomProblemsMeetTheConditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
