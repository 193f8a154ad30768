// The sparse factorisation against dense elimination in long double, and against itself.
#include "sparse_islands.inl"

static Island island;
static double right[6 * maxBodies + maxRows], solution[6 * maxBodies + maxRows],
    reference[6 * maxBodies + maxRows];

static void make_right(void) {
    // momenta as large as the masses, speeds around 1
    for (int b = 0; b < island.bodyCount; ++b) {
        for (int i = 0; i < 6; ++i) {
            right[6 * b + i] = random_in(-1.0, 1.0) * island.mass[18 * b];
        }
    }
    for (int i = 0; i < island.rowCount; ++i) {
        right[6 * island.bodyCount + i] = random_in(-1.0, 1.0);
    }
}

static cnSparseFactor factor;
static cnSparseValues values;

static void start_factor(cnSparseFactor* to) {
    cnBlockTopology topology = topology_of(&island);
    values = values_of(&island);
    assert_int_equal(cnSparseFactor_SetTopology(to, &topology, 0.0), cn_orderFound);
    cnSparseFactor_SetValues(to, &values);
}

// ‖K x − b‖ / (‖K‖ ‖x‖ + ‖b‖) in the maximum norm, from the matrices as they were made, in long double.
static double relative_residual(const double* x) {
    static long double residual[6 * maxBodies + maxRows], sums[6 * maxBodies + maxRows];
    const int bodies = 6 * island.bodyCount, count = bodies + island.rowCount;
    for (int i = 0; i < count; ++i) {
        residual[i] = -right[i];
        sums[i] = 0.0L;
    }
    for (int i = 0; i < bodies; ++i) {
        for (int j = 0; j < 3; ++j) {
            double m = island.mass[18 * (i / 6) + i % 6 / 3 * 9 + i % 3 * 3 + j];
            residual[i] += (long double)m * x[i / 3 * 3 + j];
            sums[i] += fabs(m);
        }
    }
    const double* g = island.jacobian;
    for (int c = 0; c < island.constraintCount; ++c) {
        for (int row = island.rowStart[c]; row < island.rowStart[c + 1]; ++row) {
            residual[bodies + row] += (long double)island.sigma[row] * x[bodies + row];
            sums[bodies + row] += island.sigma[row];
        }
        for (int k = island.bodyStart[c]; k < island.bodyStart[c + 1]; ++k) {
            for (int row = island.rowStart[c]; row < island.rowStart[c + 1]; ++row) {
                for (int j = 0; j < 6; ++j, ++g) {
                    int at = 6 * island.bodies[k] + j;
                    residual[at] -= (long double)*g * x[bodies + row];
                    residual[bodies + row] += (long double)*g * x[at];
                    sums[at] += fabs(*g);
                    sums[bodies + row] += fabs(*g);
                }
            }
        }
    }
    double worst = 0.0, norm = 0.0, size = 0.0, b = 0.0;
    for (int i = 0; i < count; ++i) {
        worst = fmax(worst, fabs((double)residual[i]));
        norm = fmax(norm, (double)sums[i]);
        size = fmax(size, fabs(x[i]));
        b = fmax(b, fabs(right[i]));
    }
    return worst / (norm * size + b);
}

// Where bodies go first their momenta are right to rounding, and the error of the rows, which this gives, is
// that of the whole.
static double check_errors_of_parts(void) {
    int unknowns = 6 * island.bodyCount;
    double *residual = factor.residual.data, *scale = factor.scale.data, rows = 0.0;
    cnSparseFactor_Residual(&factor, right, solution, residual, scale);
    for (int i = 0; i < unknowns; ++i) {
        assert_true(fabs(residual[i]) <= 1e-13 * scale[i]);
    }
    for (int i = unknowns; i < unknowns + island.rowCount; ++i) {
        rows = scale[i] > 0.0 ? fmax(rows, fabs(residual[i]) / scale[i]) : rows;
    }
    double error = cnSparseFactor_RowError(&factor, right, solution);
    assert_true(fabs(error - rows) <= 1e-12 * rows + 1e-15);
    return error;
}

// Islands of all kinds, mass ratios up to 10⁹, Σ from 1e-12 of a row's own effect on. No refinement is
// needed: the order keeps pivots away from Σ. (Where a constraint may go after any one of its bodies, every
// twentieth of these is solved to 1e-6 only.)
static void random_islands_are_solved(void** state) {
    (void)state;
    double worst = 0.0, worstRefined = 0.0, worstBackward = 0.0, worstRows = 0.0;
    int bodiesFirst = 0;
    for (int number = 0; number < CASES(1000); ++number) {
        int bodies = 1 + random_int(number % 20 == 0 ? 60 : 12);
        make_island(&island, (IslandKind)(number % islandKinds), bodies, random_in(0.0, 9.0), 1.0);
        if (number % 3 == 0) {
            soften_island(&island, 1e-6);
        }
        make_right();
        start_factor(&factor);
        cnSparseFactor_Refresh(&factor);
        cnSparseFactor_Solve(&factor, right, solution);
        worst = fmax(worst, relative_residual(solution));
        assert_true(worst <= 1e-12);
        if (cnSparseFactor_BodiesGoFirst(&factor)) {
            worstRows = fmax(worstRows, check_errors_of_parts());
            ++bodiesFirst;
        }
        double backward = cnSparseFactor_Refine(&factor, right, solution, 8, 1e-15);
        double residual = relative_residual(solution);
        assert_true(residual <= 1e-15);
        assert_true(backward <= 1e-13);
        assert_true(fabs(cnSparseFactor_RelativeResidual(&factor, right, solution) - residual) <= 1e-15);
        assert_int_equal(factor.statistics.repairedPivots, 0);
        worstRefined = fmax(worstRefined, residual);
        worstBackward = fmax(worstBackward, backward);
    }
    print_message("relative residual %.1e, refined %.1e, componentwise backward error %.1e\n", worst,
                  worstRefined, worstBackward);
    print_message("%d whose bodies go first: error of their rows before refinement up to %.1e\n", bodiesFirst,
                  worstRows);
    assert_true(bodiesFirst > 0);
}

// Solves K (v, −λ) = (p, q) with the rows that are not free held at the λ in x, by Gaussian elimination with
// complete pivoting in long double.
static void solve_dense(const uint8_t* isFree, double* x) {
    int bodies = 6 * island.bodyCount, n = bodies + island.rowCount;
    long double* a = (long double*)calloc((size_t)n * (size_t)(n + 1), sizeof *a);
    int* columns = (int*)malloc((size_t)n * sizeof *columns);
    // K of (v, λ): [M −Gᵀ; G Σ], and the right-hand side in the last column
    for (int i = 0; i < n; ++i) {
        columns[i] = i;
        a[i * (n + 1) + n] = right[i];
    }
    for (int b = 0; b < island.bodyCount; ++b) {
        for (int i = 0; i < 18; ++i) {
            int at = 6 * b + 3 * (i / 9);
            a[(at + i % 9 / 3) * (n + 1) + at + i % 3] = island.mass[18 * b + i];
        }
    }
    const double* g = island.jacobian;
    for (int c = 0; c < island.constraintCount; ++c) {
        for (int k = island.bodyStart[c]; k < island.bodyStart[c + 1]; ++k) {
            for (int row = island.rowStart[c]; row < island.rowStart[c + 1]; ++row) {
                for (int j = 0; j < 6; ++j, ++g) {
                    int at = 6 * island.bodies[k] + j, r = bodies + row;
                    if (isFree[row]) {
                        a[r * (n + 1) + at] = *g;
                        a[at * (n + 1) + r] = -*g;
                    } else {
                        a[at * (n + 1) + n] += (long double)*g * x[r];
                    }
                }
            }
        }
    }
    for (int row = 0; row < island.rowCount; ++row) {
        int r = bodies + row;
        bool acts = isFree[row];
        a[r * (n + 1) + r] = acts ? island.sigma[row] : 1.0;
        if (!acts) {
            a[r * (n + 1) + n] = x[r];
        }
    }
    // complete pivoting
    for (int k = 0; k < n; ++k) {
        int bestRow = k, bestColumn = k;
        for (int i = k; i < n; ++i) {
            for (int j = k; j < n; ++j) {
                if (fabsl(a[i * (n + 1) + j]) > fabsl(a[bestRow * (n + 1) + bestColumn])) {
                    bestRow = i;
                    bestColumn = j;
                }
            }
        }
        for (int j = 0; j <= n; ++j) {
            long double swap = a[k * (n + 1) + j];
            a[k * (n + 1) + j] = a[bestRow * (n + 1) + j];
            a[bestRow * (n + 1) + j] = swap;
        }
        for (int i = 0; i < n; ++i) {
            long double swap = a[i * (n + 1) + k];
            a[i * (n + 1) + k] = a[i * (n + 1) + bestColumn];
            a[i * (n + 1) + bestColumn] = swap;
        }
        int swap = columns[k];
        columns[k] = columns[bestColumn];
        columns[bestColumn] = swap;
        for (int i = k + 1; i < n; ++i) {
            long double factor = a[i * (n + 1) + k] / a[k * (n + 1) + k];
            if (factor != 0.0L) {
                for (int j = k; j <= n; ++j) {
                    a[i * (n + 1) + j] -= factor * a[k * (n + 1) + j];
                }
            }
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        long double sum = a[k * (n + 1) + n];
        for (int j = k + 1; j < n; ++j) {
            sum -= a[k * (n + 1) + j] * a[j * (n + 1) + n];
        }
        a[k * (n + 1) + n] = sum / a[k * (n + 1) + k];
    }
    for (int k = 0; k < n; ++k) {
        x[columns[k]] = (double)a[k * (n + 1) + n];
    }
    free(a);
    free(columns);
}

// Speeds and multipliers as dense elimination in long double finds them, some rows fixed. Where Σ is not tiny
// the problem is well posed and both agree; λ is compared as what it does to its row.
static void solutions_agree_with_dense_elimination(void** state) {
    (void)state;
    for (int number = 0; number < CASES(600); ++number) {
        int bodies = 1 + random_int(6);
        make_island(&island, (IslandKind)(number % islandKinds), bodies, random_in(0.0, 3.0), 1.0);
        for (int c = 0; c < island.constraintCount; ++c) {
            for (int row = island.rowStart[c]; row < island.rowStart[c + 1]; ++row) {
                island.sigma[row] = fmax(island.sigma[row], 1e-6 * row_effect(&island, c, row));
            }
        }
        soften_island(&island, number % 2 == 0 ? 1e-6 : INFINITY);
        make_right();
        start_factor(&factor);
        for (int row = 0; row < island.rowCount; ++row) {
            double lambda = random_int(4) == 0 ? random_in(-1.0, 1.0) : 0.0;
            cnSparseFactor_SetFree(&factor, row, lambda == 0.0);
            solution[6 * bodies + row] = reference[6 * bodies + row] = lambda;
        }
        cnSparseFactor_Refresh(&factor);
        cnSparseFactor_Solve(&factor, right, solution);
        cnSparseFactor_Refine(&factor, right, solution, 8, 1e-15);
        solve_dense(factor.isFree.data, reference);
        double speed = 0.0;
        for (int i = 0; i < 6 * bodies; ++i) {
            speed = fmax(speed, fabs(reference[i]));
        }
        for (int i = 0; i < 6 * bodies; ++i) {
            assert_true(fabs(solution[i] - reference[i]) <= 1e-8 * speed);
        }
        for (int c = 0; c < island.constraintCount; ++c) {
            for (int row = island.rowStart[c]; row < island.rowStart[c + 1]; ++row) {
                int at = 6 * bodies + row;
                double off = row_effect(&island, c, row) * fabs(solution[at] - reference[at]);
                assert_true(off <= 1e-6 * fmax(speed, row_effect(&island, c, row) * fabs(reference[at])));
            }
        }
    }
}

// Whatever changed: refreshing gives the same bits as factorising all, and does less.
static void refreshes_equal_factorisations(void** state) {
    (void)state;
    cnSparseFactor fresh = {0};
    for (int number = 0; number < CASES(100); ++number) {
        make_island(&island, (IslandKind)(number % islandKinds), 20 + random_int(40), 2.0, 1.0);
        soften_island(&island, number % 2 == 0 ? 1e-6 : INFINITY);
        make_right();
        start_factor(&factor);
        cnSparseFactor_Refresh(&factor);
        start_factor(&fresh);
        for (int change = 0; change < 5; ++change) {
            int row = random_int(island.rowCount), constraint = random_int(island.constraintCount);
            cnSparseFactor_SetFree(&factor, row, !factor.isFree.data[row]);
            cnSparseFactor_SetFree(&fresh, row, factor.isFree.data[row]);
            island.sigma[island.rowStart[constraint]] *= 1.5;
            cnSparseFactor_Touch(&factor, constraint);
            int before = factor.statistics.frontsDone;
            cnSparseFactor_Refresh(&factor);
            assert_true(factor.statistics.frontsDone - before <= factor.frontCount);
            cnSparseFactor_Refresh(&factor);
            cnSparseFactor_SetValues(&fresh, &values);
            cnSparseFactor_Refresh(&fresh);
            memset(solution, 0, sizeof solution);
            memset(reference, 0, sizeof reference);
            cnSparseFactor_Solve(&factor, right, solution);
            cnSparseFactor_Solve(&fresh, right, reference);
            assert_memory_equal(solution, reference, (size_t)factor.unknownCount * sizeof *solution);
        }
    }
    cnSparseFactor_Free(&fresh);
}

// A change at the free end of a tree does not reach the other branches.
static void refreshes_touch_ancestors_only(void** state) {
    (void)state;
    make_island(&island, starIsland, 60, 1.0, 1.0);
    make_right();
    start_factor(&factor);
    cnSparseFactor_Refresh(&factor);
    int all = factor.statistics.frontsDone;
    assert_int_equal(all, factor.frontCount);
    assert_true(all > 30);
    cnSparseFactor_SetFree(&factor, island.rowCount - 1, false);
    cnSparseFactor_Refresh(&factor);
    assert_in_range(factor.statistics.frontsDone - all, 1, 3);
}

// ---- structure --------------------------------------------------------------------------------------------

typedef struct Graph {
    int bodyCount, constraintCount;
    int *rowStart, *bodyStart, *bodies;
} Graph;

static Graph make_graph(int bodies, int constraints) {
    Graph graph = {bodies, 0, calloc((size_t)constraints + 1, sizeof(int)),
                   calloc((size_t)constraints + 1, sizeof(int)),
                   calloc((size_t)constraints * 2, sizeof(int))};
    return graph;
}

static void add_edge(Graph* graph, int body1, int body2, int rows) {
    int c = graph->constraintCount++, at = graph->bodyStart[c];
    graph->bodies[at++] = body1;
    if (body2 >= 0) {
        graph->bodies[at++] = body2;
    }
    graph->bodyStart[c + 1] = at;
    graph->rowStart[c + 1] = graph->rowStart[c] + rows;
}

// Operations that a factorisation takes.
static double predict(Graph* graph, bool soft) {
    uint8_t* isSoft = (uint8_t*)calloc((size_t)graph->constraintCount, 1);
    memset(isSoft, soft, (size_t)graph->constraintCount);
    cnBlockTopology topology = {graph->bodyCount, graph->constraintCount, graph->rowStart,
                                graph->bodyStart, graph->bodies,          isSoft};
    assert_int_equal(cnSparseFactor_SetTopology(&factor, &topology, 0.0), cn_orderFound);
    free(isSoft);
    free(graph->rowStart);
    free(graph->bodyStart);
    free(graph->bodies);
    return cnSparseFactor_PredictFlops(&factor);
}

static double predict_chain(int links) {
    Graph graph = make_graph(links, links);
    for (int i = 0; i < links; ++i) {
        add_edge(&graph, i, i - 1, 3);
    }
    return predict(&graph, false);
}

// A plate under boxes, each with four rows on it.
static double predict_plate(int boxes) {
    Graph graph = make_graph(boxes + 1, boxes);
    for (int i = 0; i < boxes; ++i) {
        add_edge(&graph, 0, i + 1, 4);
    }
    return predict(&graph, false);
}

// A wall of bricks, each on two and beside one, with four rows a contact.
static double predict_wall(int width, bool soft) {
    Graph graph = make_graph(width * width, 3 * width * width);
    for (int i = 0; i < width * width; ++i) {
        int column = i % width, below = column + (i / width % 2 == 0 ? -1 : 1);
        add_edge(&graph, i, i < width ? -1 : i - width, 4);
        if (i >= width && below >= 0 && below < width) {
            add_edge(&graph, i, i - width - column + below, 4);
        }
        if (column > 0) {
            add_edge(&graph, i, i - 1, 4);
        }
    }
    return predict(&graph, soft);
}

// A wall of n × n costs about as n³ in the best order there is (George, "Nested dissection of a regular
// finite element mesh", SIAM J. Numer. Anal. 1973).
static void walls_are_ordered_well(void** state) {
    (void)state;
    double soft = predict_wall(20, true), stiff = predict_wall(20, false), large = predict_wall(40, true);
    print_message("walls: %.1f and %.1f Mflop, 40 × 40: %.1f\n", soft * 1e-6, stiff * 1e-6, large * 1e-6);
    assert_true(soft < 25e6);
    assert_true(stiff < 75e6);
    assert_true(large < 14.0 * soft);
}

static void operations_grow_with_the_number_of_links(void** state) {
    (void)state;
    double few = predict_chain(100), many = predict_chain(CASES(100000));
    assert_true(few / 100 < 1000.0);
    assert_true(many / CASES(100000) < 1.05 * few / 100);
    few = predict_plate(50);
    many = predict_plate(CASES(50000));
    assert_true(few / 50 < 2000.0);
    assert_true(many / CASES(50000) < 1.05 * few / 50);
}

static void predicted_operations_are_done(void** state) {
    (void)state;
    for (int kind = 0; kind < islandKinds; ++kind) {
        make_island(&island, (IslandKind)kind, 30, 1.0, 1.0);
        start_factor(&factor);
        cnSparseFactor_Refresh(&factor);
        assert_true(factor.statistics.flops == cnSparseFactor_PredictFlops(&factor));
    }
}

static void topologies_over_budget_are_rejected(void** state) {
    (void)state;
    make_island(&island, gridIsland, 60, 1.0, 1.0);
    cnBlockTopology topology = topology_of(&island);
    assert_int_equal(cnSparseFactor_SetTopology(&factor, &topology, 1000.0), cn_orderTooDear);
    assert_int_equal(cnSparseFactor_SetTopology(&factor, &topology, 1e9), cn_orderFound);
    assert_int_equal(cnSparseFactor_SetTopology(&factor, &topology, 1000.0), cn_orderTooDear);
}

// The structure stays while the topology does, and the memory while islands are no larger than before.
static void topology_is_kept(void** state) {
    (void)state;
    make_island(&island, treeIsland, 50, 1.0, 1.0);
    start_factor(&factor);
    cnSparseFactor_Refresh(&factor);
    cnSparseFactor_SetFree(&factor, 1, false);
    start_factor(&factor);
    assert_int_equal(factor.isFree.data[1], 0);
    assert_int_equal(factor.statistics.factorisations, 1);
    size_t bytes = cnGetBytesInUse();
    island.soft[10] = 1;
    start_factor(&factor);
    assert_int_equal(factor.isFree.data[1], 1);
    assert_int_equal(factor.statistics.factorisations, 0);
    cnSparseFactor_Refresh(&factor);
    cnSparseFactor_Solve(&factor, right, solution);
    cnSparseFactor_Refine(&factor, right, solution, 3, 0.0);
    assert_true(cnGetBytesInUse() <= bytes + 1000);
    assert_true(cnGetBytesInUse() >= bytes);
}

// A body with nothing on it, and nothing at all.
static void smallest_systems_are_solved(void** state) {
    (void)state;
    make_island(&island, chainIsland, 1, 1.0, 1.0);
    island.constraintCount = island.rowCount = 0;
    make_right();
    start_factor(&factor);
    cnSparseFactor_Refresh(&factor);
    cnSparseFactor_Solve(&factor, right, solution);
    assert_true(relative_residual(solution) <= 1e-15);
    island.bodyCount = 0;
    start_factor(&factor);
    cnSparseFactor_Refresh(&factor);
    cnSparseFactor_Solve(&factor, right, solution);
}

static int free_factor(void** state) {
    (void)state;
    cnSparseFactor_Free(&factor);
    assert_int_equal(cnGetBytesInUse(), 0);
    return 0;
}

int main(void) {
    return run_all_then(free_factor, random_islands_are_solved, solutions_agree_with_dense_elimination,
                        refreshes_equal_factorisations, refreshes_touch_ancestors_only,
                        operations_grow_with_the_number_of_links, walls_are_ordered_well,
                        predicted_operations_are_done, topologies_over_budget_are_rejected, topology_is_kept,
                        smallest_systems_are_solved);
}
