// Boxed problems: the complementarity conditions, checked on the matrices as they were given.
#include "linear/complementarity.h"

#include "sparse_islands.inl"

static Island island;
static double right[6 * maxBodies + maxRows], solution[6 * maxBodies + maxRows];
static double lower[maxRows], upper[maxRows];
static uint8_t sets[maxRows];

// The largest violation of the conditions as a part of the speeds it has to do with; of M v − Gᵀ λ = p as a
// part of the momenta. v, λ, w straight from the definition, with no part of the solver.
static double violation_of(void) {
    const int bodies = 6 * island.bodyCount;
    double worst = 0.0, largest = 0.0;
    static double momentum[6 * maxBodies], momentumScale[6 * maxBodies], w[maxRows], scale[maxRows];
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
            scale[row] =
                fabs(right[bodies + row]) + row_effect(&island, c, row) * fabs(solution[bodies + row]);
        }
        for (int k = island.bodyStart[c]; k < island.bodyStart[c + 1]; ++k) {
            for (int row = island.rowStart[c]; row < island.rowStart[c + 1]; ++row, g += 6) {
                for (int j = 0; j < 6; ++j) {
                    int at = 6 * island.bodies[k] + j;
                    w[row] += g[j] * solution[at];
                    scale[row] += fabs(g[j] * solution[at]) +
                                  fabs(g[j] * right[at] / island.mass[18 * island.bodies[k]]);
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
        double min = 1e-4 * largest * island.mass[18 * (i / 6)];
        worst = momentum[i] == 0.0 ? worst : fmax(worst, fabs(momentum[i]) / fmax(momentumScale[i], min));
    }
    for (int row = 0; row < island.rowCount; ++row) {
        double lambda = solution[bodies + row];
        assert_true(lambda >= lower[row] && lambda <= upper[row]);
        double off = lower[row] == upper[row] ? 0.0
                     : lambda == lower[row]   ? fmax(0.0, -w[row])
                     : lambda == upper[row]   ? fmax(0.0, w[row])
                                              : fabs(w[row]);
        off = off == 0.0 ? 0.0 : off / fmax(scale[row], 1e-4 * largest);
        worst = off == off ? fmax(worst, off) : INFINITY;
    }
    return worst;
}

static void make_bounds(int number) {
    // contacts, motors and friction, joints, fixed rows; momenta at times zero, speeds at times
    // zero: degenerate
    bool degenerate = number % 5 == 0;
    for (int b = 0; b < island.bodyCount; ++b) {
        for (int i = 0; i < 6; ++i) {
            right[6 * b + i] = degenerate && random_int(2) ? 0.0 : random_in(-1.0, 1.0) * island.mass[18 * b];
        }
    }
    for (int c = 0; c < island.constraintCount; ++c) {
        for (int row = island.rowStart[c]; row < island.rowStart[c + 1]; ++row) {
            right[6 * island.bodyCount + row] = degenerate ? 0.0 : random_in(-1.0, 1.0);
            double size = random_in(0.0, 2.0) / row_effect(&island, c, row);
            int kind = random_int(8);
            lower[row] = kind < 4 ? 0.0 : (kind < 6 ? -size : -INFINITY);
            upper[row] = kind == 5 ? size * random_in(-1.0, 1.0) : (kind == 4 ? size : INFINITY);
            sets[row] = (uint8_t)random_int(3);
        }
    }
}

static cnSparseFactor factor;
static cnBoxSolver solver;
static const cnBoxProblem problem = {right, lower, upper, sets, solution};

static void start_factor(void) {
    static cnSparseValues values;
    cnBlockTopology topology = topology_of(&island);
    values = values_of(&island);
    assert_int_equal(cnSparseFactor_SetTopology(&factor, &topology, 0.0), cn_orderFound);
    cnSparseFactor_SetValues(&factor, &values);
}

static void make_problem(int number, int maxBodiesHere) {
    make_island(&island, (IslandKind)(number % islandKinds), 1 + random_int(maxBodiesHere),
                number % 2 ? 0.5 : random_in(0.0, 6.0), 1.0);
    soften_island(&island, number % 3 == 0 ? 1e-6 : INFINITY);
    make_bounds(number);
    start_factor();
}

static void random_problems_meet_the_conditions(void** state) {
    (void)state;
    double worst = 0.0;
    int steps = 0, fellBack = 0, max = 0;
    for (int number = 0; number < CASES(10000); ++number) {
        make_problem(number, number % 100 == 0 ? 30 : 7);
        cnBoxStatistics statistics;
        assert_true(cnBoxSolver_Solve(&solver, &factor, &problem, NULL, &statistics));
        assert_false(statistics.gaveUp);
        assert_int_equal(statistics.infeasible, 0);
        worst = fmax(worst, violation_of());
        assert_true(worst <= 1e-8);
        steps += statistics.steps;
        max = statistics.steps > max ? statistics.steps : max;
        fellBack += statistics.fellBack;
    }
    print_message("worst violation %.1e; %.2f solves in the mean, %d at most; %d fell back\n", worst,
                  (double)steps / CASES(10000), max, fellBack);
    assert_true(CASES(10000) < 10000 || fellBack > 0);
}

// With one try of each kind, rows go one by one; the answer is the same.
static void single_exchanges_finish(void** state) {
    (void)state;
    int fellBack = 0;
    for (int number = 0; number < CASES(3000); ++number) {
        make_problem(number, 7);
        cnBoxStatistics statistics;
        assert_true(cnBoxSolver_Solve(&solver, &factor, &problem, &(cnBoxSettings){.tries = 1}, &statistics));
        assert_false(statistics.gaveUp);
        assert_true(violation_of() <= 1e-8);
        fellBack += statistics.fellBack;
    }
    assert_true(fellBack >= CASES(10));
}

// Where even that is forbidden, interior points find the sets, and the answer is the same; some 30
// factorisations, however it began.
static void interior_points_finish(void** state) {
    (void)state;
    int gaveUp = 0, max = 0;
    const cnBoxSettings settings = {.tries = 1, .minSteps = -1};
    for (int number = 0; number < CASES(3000); ++number) {
        make_problem(number, number % 100 == 0 ? 30 : 7);
        cnBoxStatistics statistics;
        assert_true(cnBoxSolver_Solve(&solver, &factor, &problem, &settings, &statistics));
        assert_int_equal(statistics.infeasible, 0);
        assert_true(violation_of() <= 1e-8);
        for (int row = 0; row < island.rowCount; ++row) {
            assert_int_equal(factor.isFree.data[row], sets[row] == cn_rowFree);
        }
        assert_true(statistics.gaveUp == (statistics.interiorSteps > 0));
        gaveUp += statistics.gaveUp;
        max = statistics.interiorSteps > max ? statistics.interiorSteps : max;
    }
    print_message("%d problems took interior points, %d steps at most\n", gaveUp, max);
    assert_true(gaveUp >= CASES(10));
    assert_true(max <= 50); // where rounding keeps products from ending it, it ends as they rise
}

// ½ vᵀ M v + ½ λᵀ Σ λ − qᵀ λ: what the bodies have, less what the right-hand side gives.
static double energy_of(const double* v, const double* lambda) {
    double energy = 0.0;
    for (int b = 0; b < island.bodyCount; ++b) {
        double momentum[6];
        cnApplyMass(island.mass + 18 * b, v + 6 * b, momentum);
        for (int i = 0; i < 6; ++i) {
            energy += 0.5 * v[6 * b + i] * momentum[i];
        }
    }
    for (int row = 0; row < island.rowCount; ++row) {
        energy += (0.5 * island.sigma[row] * lambda[row] - right[6 * island.bodyCount + row]) * lambda[row];
    }
    return energy;
}

// Where nothing else may go on, sweeps answer: within the bounds, and without energy that nothing gave.
static void sweeps_gain_no_energy(void** state) {
    (void)state;
    int swept = 0, kept = 0;
    const cnBoxSettings settings = {.tries = 1, .minSteps = -1, .noInterior = true};
    for (int number = 0; number < CASES(1000); ++number) {
        make_problem(number, 30);
        double free[6 * maxBodies];
        for (int b = 0; b < island.bodyCount; ++b) {
            double inverse[18];
            cnInvertMass(island.mass + 18 * b, inverse);
            cnApplyMass(inverse, right + 6 * b, free + 6 * b);
        }
        static const double none[maxRows];
        double start = energy_of(free, none);
        cnBoxStatistics statistics;
        assert_true(cnBoxSolver_Solve(&solver, &factor, &problem, &settings, &statistics));
        swept += statistics.swept;
        if (!statistics.swept || statistics.residual <= 1e-3) {
            continue;
        }
        ++kept;
        const double* lambda = solution + 6 * island.bodyCount;
        assert_true(energy_of(solution, lambda) <= start + 1e-9 * fabs(start));
        for (int row = 0; row < island.rowCount; ++row) {
            assert_true(lambda[row] >= lower[row] && lambda[row] <= upper[row]);
            assert_int_equal(factor.isFree.data[row], sets[row] == cn_rowFree);
        }
    }
    print_message("%d of %d problems were swept, %d answered so\n", swept, CASES(1000), kept);
    assert_true(kept >= CASES(10));
}

// Friction's outer iterations: bounds move a little, the sets stay or nearly so, and little or
// nothing is factorised.
static void changed_bounds_are_cheap(void** state) {
    (void)state;
    for (int number = 0; number < CASES(200); ++number) {
        make_problem(2 * number + 1, 30);
        cnBoxStatistics statistics;
        assert_true(cnBoxSolver_Solve(&solver, &factor, &problem, NULL, &statistics));

        // the same again: one solve
        int factorisations = factor.statistics.factorisations;
        assert_true(cnBoxSolver_Solve(&solver, &factor, &problem, NULL, &statistics));
        assert_int_equal(factor.statistics.factorisations, factorisations);
        assert_int_equal(statistics.steps, 1);

        // bounds of the rows that rest on them move: the sets hold for a small change, nearly
        for (int row = 0; row < island.rowCount; ++row) {
            upper[row] += 1e-6 * fabs(upper[row] < INFINITY ? upper[row] - lower[row] : 0.0);
        }
        assert_true(cnBoxSolver_Solve(&solver, &factor, &problem, NULL, &statistics));
        assert_true(statistics.exchanges <= 2 + island.rowCount / 10);
        assert_true(violation_of() <= 1e-8);
    }
}

// A number that is none is told, and ends.
static void numbers_that_are_none_are_reported(void** state) {
    (void)state;
    make_problem(1, 7);
    right[0] = NAN;
    cnBoxStatistics statistics;
    assert_true(cnBoxSolver_Solve(&solver, &factor, &problem, NULL, &statistics));
    assert_true(statistics.failed);
    make_problem(1, 7);
    island.mass[0] = INFINITY;
    start_factor();
    assert_true(cnBoxSolver_Solve(&solver, &factor, &problem, NULL, &statistics));
    assert_true(statistics.failed);
    make_problem(1, 7);
    assert_true(cnBoxSolver_Solve(&solver, &factor, &problem, NULL, &statistics));
    assert_true(violation_of() <= 1e-8);
}

// The steps that a contact problem of a hundred rows takes from no sets at all.
static void stacks_take_few_steps(void** state) {
    (void)state;
    int max = 0, steps = 0;
    for (int number = 0; number < CASES(100); ++number) {
        make_island(&island, gridIsland, 25, 0.5, -4.0);
        for (int c = 0; c < island.constraintCount; ++c) {
            for (int row = island.rowStart[c]; row < island.rowStart[c + 1]; ++row) {
                island.sigma[row] = fmax(island.sigma[row], 1e-5 * row_effect(&island, c, row));
                lower[row] = 0.0;
                upper[row] = INFINITY;
                sets[row] = cn_rowFree;
                right[6 * island.bodyCount + row] = 0.0;
            }
        }
        for (int i = 0; i < 6 * island.bodyCount; ++i) {
            right[i] = (i % 6 == 2 ? -0.16 : random_in(-0.02, 0.02)) * island.mass[18 * (i / 6)];
        }
        soften_island(&island, 1e-6);
        start_factor();
        cnBoxStatistics statistics;
        assert_true(cnBoxSolver_Solve(&solver, &factor, &problem, NULL, &statistics));
        assert_true(violation_of() <= 1e-8);
        steps += statistics.steps;
        max = statistics.steps > max ? statistics.steps : max;
    }
    print_message("a grid of 25 bodies: %.1f solves in the mean, %d at most\n", (double)steps / CASES(100),
                  max);
    assert_true(steps <= 15 * CASES(100));
    assert_true(max <= 50);
}

static int free_all(void** state) {
    (void)state;
    cnSparseFactor_Free(&factor);
    cnBoxSolver_Free(&solver);
    assert_int_equal(cnGetBytesInUse(), 0);
    return 0;
}

int main(void) {
    return run_all_then(free_all, random_problems_meet_the_conditions, single_exchanges_finish,
                        interior_points_finish, sweeps_gain_no_energy, changed_bounds_are_cheap,
                        numbers_that_are_none_are_reported, stacks_take_few_steps);
}
