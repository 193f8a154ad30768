// The sparse factorisation on chains of ball joints and on a wall of bricks, in one thread.
//
//   sparse_chain [REPEATS]
//
// Prints for each size: the search for an order and the structure, a factorisation, a solve, all in ms of the
// processor (the least of REPEATS), operations, and the exponent that the time of a chain grows with. Then a
// wall of 20 × 20 bricks with four normal rows a contact, with stiff contacts and with soft ones, what a
// change of ten rows costs, and the solution with contacts that only press.
#include "cairn/math.h"
#include "linear/complementarity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct System {
    int bodyCount, constraintCount, rowCount, slotCount, jacobianCount;
    int *rowStart, *bodyStart, *bodies;
    uint8_t* soft;
    double *mass, *jacobian, *sigma, *right, *solution;
} System;

// Time of the processor, ms: what others do on the machine counts less.
static double GetTime(void) {
    return (double)clock() * 1e3 / CLOCKS_PER_SEC;
}

static void* Get(size_t count, size_t bytes) {
    void* memory = calloc(count, bytes);
    if (memory == NULL) {
        exit(1);
    }
    return memory;
}

static System MakeSystem(int bodies, int constraints, int maxRows) {
    size_t n = (size_t)constraints, rows = n * (size_t)maxRows;
    System system = {.bodyCount = bodies,
                     .rowStart = Get(n + 1, sizeof(int)),
                     .bodyStart = Get(n + 1, sizeof(int)),
                     .bodies = Get(2 * n, sizeof(int)),
                     .soft = Get(n, 1),
                     .mass = Get((size_t)bodies * 18, sizeof(double)),
                     .jacobian = Get(rows * 12, sizeof(double)),
                     .sigma = Get(rows, sizeof(double)),
                     .right = Get((size_t)bodies * 6 + rows, sizeof(double)),
                     .solution = Get((size_t)bodies * 6 + rows, sizeof(double))};
    for (int b = 0; b < bodies; ++b) {
        for (int i = 0; i < 3; ++i) {
            system.mass[18 * b + 4 * i] = 1.0;
            system.mass[18 * b + 9 + 4 * i] = 0.1 + 0.05 * i;
        }
    }
    return system;
}

static void FreeSystem(System* system) {
    free(system->rowStart);
    free(system->bodyStart);
    free(system->bodies);
    free(system->soft);
    free(system->mass);
    free(system->jacobian);
    free(system->sigma);
    free(system->right);
    free(system->solution);
}

// `rows` rows of 6 numbers a body; a second body of −1 is the world.
static void AddConstraint(System* system, int body1, int body2, int rows, const double* g1, const double* g2,
                          double sigma) {
    int c = system->constraintCount++;
    for (int i = 0; i < rows; ++i) {
        system->sigma[system->rowCount + i] = sigma;
    }
    for (int slot = 0; slot < (body2 < 0 ? 1 : 2); ++slot) {
        system->bodies[system->slotCount++] = slot == 0 ? body1 : body2;
        memcpy(system->jacobian + system->jacobianCount, slot == 0 ? g1 : g2,
               (size_t)rows * 6 * sizeof(double));
        system->jacobianCount += 6 * rows;
    }
    system->rowCount += rows;
    system->rowStart[c + 1] = system->rowCount;
    system->bodyStart[c + 1] = system->slotCount;
}

static System MakeChain(int links) {
    System system = MakeSystem(links, links, 3);
    for (int i = 0; i < links; ++i) {
        // ball joints half a metre above the centres, swung a little
        double a = 0.4 * cnSin(0.7 * i), x = 0.5 * cnSin(a), z = 0.5 * cnCos(a);
        double g1[18] = {1, 0, 0, 0, z, 0, 0, 1, 0, -z, 0, x, 0, 0, 1, 0, -x, 0};
        double g2[18] = {-1, 0, 0, 0, z, 0, 0, -1, 0, -z, 0, x, 0, 0, -1, 0, -x, 0};
        AddConstraint(&system, i, i - 1, 3, g1, g2, 1e-9);
    }
    return system;
}

// Bricks of 1 × 0.5 × 0.5 m, each row shifted by half a brick: contacts with the two below
// and the one beside.
static System MakeWall(int columns, int rows, double sigma) {
    System system = MakeSystem(columns * rows, 3 * columns * rows, 4);
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            int brick = row * columns + column;
            int shift = row & 1;
            for (int side = 0; side < 2; ++side) {
                int below = column + side - 1 + shift;
                if (row > 0 && (below < 0 || below >= columns)) {
                    continue;
                }
                double g1[24] = {0}, g2[24] = {0}, middle = row == 0 ? 0.0 : 0.5 * side - 0.25;
                for (int i = 0; i < 4; ++i) {
                    double x = middle + (i & 1 ? 0.25 : -0.25), y = i & 2 ? 0.25 : -0.25;
                    double x2 = x - middle * 2.0;
                    double n1[6] = {0, 0, 1, y, -x, 0}, n2[6] = {0, 0, -1, -y, x2, 0};
                    memcpy(g1 + 6 * i, n1, sizeof n1);
                    memcpy(g2 + 6 * i, n2, sizeof n2);
                }
                if (row > 0 || side == 0) {
                    AddConstraint(&system, brick, row == 0 ? -1 : brick - columns + side - 1 + shift, 4, g1,
                                  g2, sigma);
                }
            }
            if (column > 0) {
                double g1[24] = {0}, g2[24] = {0};
                for (int i = 0; i < 4; ++i) {
                    double y = i & 1 ? 0.25 : -0.25, z = i & 2 ? 0.25 : -0.25;
                    double n1[6] = {1, 0, 0, 0, z, -y}, n2[6] = {-1, 0, 0, 0, -z, y};
                    memcpy(g1 + 6 * i, n1, sizeof n1);
                    memcpy(g2 + 6 * i, n2, sizeof n2);
                }
                AddConstraint(&system, brick, brick - 1, 4, g1, g2, sigma);
            }
        }
    }
    return system;
}

typedef struct Times {
    double analysis, factorisation, solve, change;
} Times;

static Times Measure(System* system, bool soft, int repeats) {
    memset(system->soft, soft, (size_t)system->constraintCount);
    for (int i = 0; i < 6 * system->bodyCount; ++i) {
        system->right[i] = (i % 6 == 2 ? -0.16 : 0.0) + 0.1 * cnSin(1.7 * i);
    }
    cnBlockTopology topology = {system->bodyCount, system->constraintCount, system->rowStart,
                                system->bodyStart, system->bodies,          system->soft};
    cnSparseValues values = {system->mass, system->jacobian, system->sigma};
    cnSparseFactor factor = {0};
    Times min = {1e30, 1e30, 1e30, 1e30};
    for (int i = 0; i < repeats; ++i) {
        double start = GetTime();
        factor.analysed = false; // the same again
        if (cnSparseFactor_SetTopology(&factor, &topology, 0.0) != cn_orderFound) {
            exit(1);
        }
        double analysed = GetTime();
        cnSparseFactor_SetValues(&factor, &values);
        cnSparseFactor_Refresh(&factor);
        double factorised = GetTime();
        cnSparseFactor_Solve(&factor, system->right, system->solution);
        double solved = GetTime();
        for (int k = 0; k < 10; ++k) {
            int row = (int)((long long)system->rowCount * k / 10);
            cnSparseFactor_SetFree(&factor, row, false);
        }
        cnSparseFactor_Refresh(&factor);
        double changed = GetTime();
        for (int k = 0; k < 10; ++k) {
            cnSparseFactor_SetFree(&factor, (int)((long long)system->rowCount * k / 10), true);
        }
        min.analysis = fmin(min.analysis, analysed - start);
        min.factorisation = fmin(min.factorisation, factorised - analysed);
        min.solve = fmin(min.solve, solved - factorised);
        min.change = fmin(min.change, changed - solved);
    }
    cnSparseFactor_SetValues(&factor, &values);
    cnSparseFactor_Refresh(&factor);
    cnSparseFactor_Solve(&factor, system->right, system->solution);
    double plain = cnSparseFactor_RelativeResidual(&factor, system->right, system->solution);
    double backward = cnSparseFactor_Refine(&factor, system->right, system->solution, 4, 1e-14);
    const cnFactorStatistics* s = &factor.statistics;
    printf("%7d bodies %7d rows %7d fronts %9.0f non-zeros %6.2f Mflop: analysis %8.3f, factorisation %8.3f, "
           "solve %7.3f, ten changes %7.3f ms; residual %.0e, refined %.0e\n",
           system->bodyCount, system->rowCount, s->fronts, s->nonZeros, s->predictedFlops * 1e-6,
           min.analysis, min.factorisation, min.solve, min.change, plain, backward);
    cnSparseFactor_Free(&factor);
    return min;
}

// Contacts that only press: from no sets at all, and again with their weight changed by a thousandth.
static void MeasureContacts(System* system, bool soft) {
    memset(system->soft, soft, (size_t)system->constraintCount);
    const size_t rows = (size_t)system->rowCount;
    double *lower = Get(rows, sizeof(double)), *upper = Get(rows, sizeof(double));
    uint8_t* sets = Get(rows, 1);
    for (int i = 0; i < system->rowCount; ++i) {
        upper[i] = INFINITY;
        system->right[6 * system->bodyCount + i] = 0.0;
    }
    for (int i = 0; i < 6 * system->bodyCount; ++i) {
        system->right[i] = (i % 6 == 2 ? -0.16 : 0.0) + 0.01 * cnSin(1.7 * i);
    }
    cnBlockTopology topology = {system->bodyCount, system->constraintCount, system->rowStart,
                                system->bodyStart, system->bodies,          system->soft};
    cnSparseValues values = {system->mass, system->jacobian, system->sigma};
    cnBoxProblem problem = {system->right, lower, upper, sets, system->solution};
    cnSparseFactor factor = {0};
    cnBoxSolver solver = {0};
    cnBoxStatistics statistics;
    if (cnSparseFactor_SetTopology(&factor, &topology, 0.0) != cn_orderFound) {
        exit(1);
    }
    for (int step = 0; step < 2; ++step) {
        double start = GetTime();
        cnSparseFactor_SetValues(&factor, &values);
        if (!cnBoxSolver_Solve(&solver, &factor, &problem, &(cnBoxSettings){.tolerance = 1e-8},
                               &statistics)) {
            exit(1);
        }
        printf("        contacts, %s: %d solves, %d exchanges (%d single), %.2f ms, residual %.0e\n",
               step == 0 ? "first time" : "next step", statistics.steps, statistics.exchanges,
               statistics.minSteps, GetTime() - start, statistics.residual);
        for (int i = 0; i < 6 * system->bodyCount; ++i) {
            system->right[i] *= 1.0 + 1e-3 * cnSin(0.3 * i);
        }
    }
    free(lower);
    free(upper);
    free(sets);
    cnSparseFactor_Free(&factor);
    cnBoxSolver_Free(&solver);
}

int main(int count, char** arguments) {
    int repeats = count > 1 ? atoi(arguments[1]) : 20;
    double first[2] = {0}, last[2] = {0};
    for (int links = 1000; links <= 100000; links *= 10) {
        System system = MakeChain(links);
        Times times = Measure(&system, false, repeats * 1000 / links + 3);
        double* to = links == 1000 ? first : last;
        to[0] = times.analysis + times.factorisation + 2.0 * times.solve;
        to[1] = times.factorisation + 2.0 * times.solve;
        printf("        a step (factorisation and two solves) %.3f ms, %.2f us a link\n", to[1],
               to[1] * 1e3 / links);
        FreeSystem(&system);
    }
    printf("chains grow with exponent %.3f, with the analysis %.3f\n",
           cnLog(last[1] / first[1]) / cnLog(100.0), cnLog(last[0] / first[0]) / cnLog(100.0));
    for (int soft = 0; soft < 2; ++soft) {
        System wall = MakeWall(20, 20, soft ? 1e-5 : 1e-12);
        printf("wall, %s contacts:\n", soft ? "soft" : "stiff");
        Measure(&wall, soft, repeats);
        MeasureContacts(&wall, soft);
        FreeSystem(&wall);
    }
    return 0;
}
