// The sparse factorisation against dense elimination in long double, and against itself.
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
static double right[6 * mostBodies + mostRows], solution[6 * mostBodies + mostRows],
    reference[6 * mostBodies + mostRows];

static void makeRight(void) {
    // momenta as large as the masses, speeds around 1
    for (int b = 0; b < island.bodyCount; ++b) {
        for (int i = 0; i < 6; ++i) {
            right[6 * b + i] = Random(-1.0, 1.0) * island.mass[18 * b];
        }
    }
    for (int i = 0; i < island.rowCount; ++i) {
        right[6 * island.bodyCount + i] = Random(-1.0, 1.0);
    }
}

static void randomIslandsAreSolved(void** state) {
    (void)state;
    cnSparseFactor factor = {0};
    double worst = 0.0, worstRefined = 0.0, worstBackward = 0.0, worstOff = 0.0;
    int repaired = 0;
    for (int number = 0; number < CASES(1000); ++number) {
        IslandKind kind = (IslandKind)(number % islandKinds);
        int bodies = 1 + RandomInt(number % 50 == 0 ? 60 : 9);
        MakeIsland(&island, kind, bodies, Random(0.0, 9.0), 1.0);
        if (number % 3 == 0) {
            SoftenIsland(&island, 1e-6);
        }
        makeRight();
        cnBlockTopology topology = TopologyOf(&island);
        cnSparseValues values = ValuesOf(&island);
        assert_int_equal(cnSparseFactor_SetTopology(&factor, &topology, 0.0), cn_orderFound);
        cnSparseFactor_SetValues(&factor, &values);
        cnSparseFactor_Refresh(&factor);
        cnSparseFactor_Solve(&factor, right, solution);
        repaired += factor.statistics.repairedPivots;
        double plain = cnSparseFactor_RelativeResidual(&factor, right, solution);
        double backward = cnSparseFactor_Refine(&factor, right, solution, 8, 1e-15);
        double refined = cnSparseFactor_RelativeResidual(&factor, right, solution);
        if (getenv("VERBOSE") != NULL && (plain > 1e-12 || backward > 1e-13)) {
            printf("%d kind %d bodies %d: plain %.1e refined %.1e backward %.1e\n", number, kind, bodies,
                   plain, refined, backward);
        }
        worst = fmax(worst, plain);
        worstRefined = fmax(worstRefined, refined);
        worstBackward = fmax(worstBackward, backward);
        assert_true(refined <= 1e-12);
        if (bodies <= 8) {
            SolveDense(&island, NULL, right, reference);
            double off = 0.0, size = 0.0;
            for (int i = 0; i < 6 * bodies; ++i) {
                off = fmax(off, fabs(solution[i] - reference[i]));
                size = fmax(size, fabs(reference[i]));
            }
            worstOff = fmax(worstOff, off / size);
        }
    }
    printf("relative residual %.1e, refined %.1e, backward error %.1e, v off %.1e, repaired pivots %d\n",
           worst, worstRefined, worstBackward, worstOff, repaired);
    cnSparseFactor_Free(&factor);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(randomIslandsAreSolved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
