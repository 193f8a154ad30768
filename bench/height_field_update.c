// A height field of 1024 x 1024 in a world with 200 balls near it, static and dynamic: prints how long it
// takes to change 32 x 32 heights, with all that follows in the world.
//
//   height_field_update [CHANGES]
#include "base/timer.h"
#include "cairn/cairn.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    side = 1024,
    patch = 32,
    bodies = 200
};

static uint64_t randomState = 1;

static double Random(double lower, double upper) {
    randomState = randomState * 6364136223846793005u + 1442695040888963407u;
    return lower + (upper - lower) * ((double)(randomState >> 11) / 9007199254740992.0);
}

static double heights[side * side];

static void Fail(const char* what) {
    fprintf(stderr, "height_field_update: %s: %s\n", what, cnGetLastError()->message);
    exit(1);
}

static cnShapeDef MakeDef(bool dynamic) {
    for (int j = 0; j < side; ++j) {
        for (int i = 0; i < side; ++i) {
            heights[j * side + i] = 3.0 * cnSin(0.02 * i) * cnCos(0.03 * j) + Random(0.0, 0.05);
        }
    }
    return (cnShapeDef){.type = cn_heightField,
                        .columnCount = side,
                        .rowCount = side,
                        .sizeX = 512.0,
                        .sizeY = 512.0,
                        .heights = heights,
                        .heightCount = side * side,
                        .dynamic = dynamic,
                        .minHeight = -10.0};
}

static void AddGeometry(cnWorldId world, cnBodyId body, cnShapeId shape) {
    cnShapeInstance instance = {.shape = shape};
    cnGeometryDef def = {.body = body, .shapes = &instance, .shapeCount = 1};
    if (CN_IS_NULL(cnCreateGeometry(world, &def))) {
        Fail("geometry");
    }
}

// Mean time of a change, ms.
static double Change(cnWorldId world, cnShapeId field, int changes) {
    double values[patch * patch];
    double spent = 0.0;
    for (int k = 0; k < changes; ++k) {
        int i = (int)Random(0.0, side - patch), j = (int)Random(0.0, side - patch);
        double rise = Random(-4.0, 4.0);
        for (int v = 0; v < patch * patch; ++v) {
            values[v] = rise + 0.01 * (v % patch);
        }
        double started = cnGetMilliseconds();
        if (cnHeightField_SetHeights(world, field, i, i + patch - 1, j, j + patch - 1, values,
                                     patch * patch) != CN_ERROR_NONE) {
            Fail("change");
        }
        spent += cnGetMilliseconds() - started;
    }
    return spent / changes;
}

int main(int count, char** arguments) {
    int changes = count > 1 ? atoi(arguments[1]) : 2000;
    changes = changes < 1 ? 1 : changes;
    for (int dynamic = 0; dynamic < 2; ++dynamic) {
        cnWorldId world = cnCreateWorld(&(cnWorldDef){.gravity = {.type = cn_gravityUniform}});
        cnShapeDef def = MakeDef(dynamic != 0);
        double started = cnGetMilliseconds();
        cnShapeId field = cnCreateShape(world, &def);
        double built = cnGetMilliseconds() - started;
        if (CN_IS_NULL(field)) {
            Fail("field");
        }
        AddGeometry(world, dynamic != 0 ? cnCreateBody(world, &(cnBodyDef){0}) : (cnBodyId){0}, field);
        cnShapeId ball = cnCreateShape(world, &(cnShapeDef){.type = cn_sphere, .radius = 0.5});
        for (int k = 0; k < bodies; ++k) {
            cnVec3 position = {Random(-250.0, 250.0), Random(-250.0, 250.0), 3.5};
            AddGeometry(world, cnCreateBody(world, &(cnBodyDef){.position = position}), ball);
        }
        if (cnWorld_Step(world) != CN_ERROR_NONE) {
            Fail("step");
        }
        double mean = Change(world, field, changes);
        printf("%s field of %d x %d: built in %.1f ms, %d x %d heights changed in %.4f ms\n",
               dynamic != 0 ? "dynamic" : "static", side, side, built, patch, patch, mean);
        cnDestroyWorld(world);
    }
    return 0;
}
