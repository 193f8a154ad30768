// Chains of ball joints, held at one end: prints what a step takes and how far the worst joint opens.
//
//   joint_chain [LINKS [STEPS]]
//
// Links of 0.4 m and 10 kg without contacts, 60 steps a second, one thread. Twice: hanging and pushed aside a
// little; let go from the horizontal with a weight of a thousand links at its end.
#include "base/timer.h"
#include "cairn/cairn.h"

#include <stdio.h>
#include <stdlib.h>

// Sine and cosine of an eighth of a turn.
#define CN_HALF_SQRT2 0.70710678118654752440

static int CompareDoubles(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static void Run(const char* name, int links, int steps, bool hangs) {
    const double length = 0.4;
    cnWorldId world = cnCreateWorld(&(cnWorldDef){.threads = 1});
    cnShapeId link = cnCreateShape(world, &(cnShapeDef){.type = cn_capsule, .radius = 0.05, .height = 0.3});
    cnShapeId weight = cnCreateShape(world, &(cnShapeDef){.type = cn_box, .halfExtents = {0.8, 0.8, 0.8}});
    cnVec3 along = hangs ? (cnVec3){0, 0, -1} : (cnVec3){1, 0, 0};
    cnQuat turn =
        hangs ? (cnQuat){CN_HALF_SQRT2, 0, 0, CN_HALF_SQRT2} : (cnQuat){0, 0, -CN_HALF_SQRT2, CN_HALF_SQRT2};
    cnBodyId last = {0};
    int bodies = hangs ? links : links + 1;
    cnConstraintId* joints = malloc((size_t)bodies * sizeof *joints);
    double* times = malloc((size_t)steps * sizeof *times);
    if (joints == NULL || times == NULL) {
        exit(1);
    }
    for (int i = 0; i < bodies; ++i) {
        double half = i < links ? 0.5 * length : 0.8, at = i * length + half;
        cnBodyId body = cnCreateBody(world, &(cnBodyDef){.position = {along.x * at, 0, along.z * at},
                                                         .rotation = turn,
                                                         .velocity = {0, hangs ? 1e-3 * i : 0, 0},
                                                         .mass = i < links ? 10.0 : 1e4});
        cnShapeInstance instance = {.shape = i < links ? link : weight};
        cnCreateGeometry(
            world, &(cnGeometryDef){.body = body, .shapes = &instance, .shapeCount = 1, .disabled = true});
        joints[i] = cnCreateConstraint(
            world, &(cnConstraintDef){.type = cn_constraintBall,
                                      .body1 = body,
                                      .body2 = last,
                                      .given = cn_constraintAnchor,
                                      .anchor = {along.x * i * length, 0, along.z * i * length}});
        last = body;
    }
    double worst = 0.0, sum = 0.0;
    for (int i = 0; i < steps; ++i) {
        double start = cnGetMilliseconds();
        cnWorld_Step(world);
        times[i] = cnGetMilliseconds() - start;
        sum += times[i];
        for (int j = 0; j < bodies; ++j) {
            worst = cnMax(worst, cnConstraint_GetViolation(world, joints[j]));
        }
    }
    qsort(times, (size_t)steps, sizeof *times, CompareDoubles);
    printf("%-12s %6d links: median %.3f ms, mean %.3f, 95 %% %.3f, worst gap %.2g m\n", name, links,
           times[steps / 2], sum / steps, times[steps * 95 / 100], worst);
    free(joints);
    free(times);
    cnDestroyWorld(world);
}

int main(int count, char** arguments) {
    int links = count > 1 ? atoi(arguments[1]) : 1000, steps = count > 2 ? atoi(arguments[2]) : 300;
    if (links < 1 || steps < 1) {
        fprintf(stderr, "joint_chain: usage: joint_chain [LINKS [STEPS]]\n");
        return 1;
    }
    Run("hanging", links, steps, true);
    Run("let go", links, steps, false);
    return 0;
}
