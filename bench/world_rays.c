// Ray casts into a world of 20,000 geometries, boxes, balls and capsules: prints millions of rays a second.
//
//   world_rays [RAYS [THREADS]]
#include "base/timer.h"
#include "cairn/cairn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t randomState = 1;

// Uniform in (-size, size).
static double Random(double size) {
    randomState = randomState * 6364136223846793005u + 1442695040888963407u;
    return size * ((double)(randomState >> 11) / 4503599627370496.0 - 1.0);
}

int main(int argumentCount, char** arguments) {
    int count = argumentCount > 1 ? atoi(arguments[1]) : 1000000;
    int threads = argumentCount > 2 ? atoi(arguments[2]) : 1;
    cnWorldId world = cnCreateWorld(&(cnWorldDef){.threads = threads});
    const cnShapeDef defs[3] = {{.type = cn_box, .halfExtents = {0.5, 0.3, 0.2}},
                                {.type = cn_sphere, .radius = 0.4},
                                {.type = cn_capsule, .radius = 0.2, .height = 0.6}};
    cnShapeId shapes[3];
    for (int i = 0; i < 3; ++i) {
        shapes[i] = cnCreateShape(world, &defs[i]);
    }
    for (int i = 0; i < 20000; ++i) {
        cnShapeInstance instance = {.shape = shapes[i % 3]};
        cnQuat rotation = cnNormalizeQuat((cnQuat){Random(1), Random(1), Random(1), Random(1)});
        cnCreateGeometry(world, &(cnGeometryDef){.shapes = &instance,
                                                 .shapeCount = 1,
                                                 .position = {Random(25), Random(25), Random(25)},
                                                 .rotation = rotation});
    }
    cnWorld_Step(world); // as in use: the trees are in order
    double* rays = malloc((size_t)count * 6 * sizeof *rays);
    double* fractions = malloc((size_t)count * sizeof *fractions);
    int32_t* rows = malloc((size_t)count * sizeof *rows);
    if (rays == NULL || fractions == NULL || rows == NULL) {
        return 1;
    }
    for (int i = 0; i < 6 * count; ++i) {
        rays[i] = Random(30);
    }
    double start = cnGetMilliseconds();
    cnErrorCode code = cnWorld_CastRays(world, rays, count, NULL, rows, fractions, NULL);
    double seconds = 1e-3 * (cnGetMilliseconds() - start);
    int hits = 0;
    for (int i = 0; i < count; ++i) {
        hits += rows[i] >= 0;
    }
    printf("%d rays, %d threads: %.2f million a second, %.1f %% hit\n", count, threads,
           1e-6 * count / seconds, 100.0 * hits / count);
    free(rays);
    free(fractions);
    free(rows);
    cnDestroyWorld(world);
    return code == CN_ERROR_NONE ? 0 : 1;
}
