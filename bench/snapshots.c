// Saving and restoring a world of boxes that have fallen into a pile: prints ms and bytes.
//
//   snapshots [BODIES [GAP]]          GAP: m between the boxes, of which the number of pairs depends
#include "base/timer.h"
#include "cairn/cairn.h"

#include <stdio.h>
#include <stdlib.h>

// The shortest of so many.
#define REPEATS 50

static double Shortest(double shortest, double started) {
    double taken = cnGetMilliseconds() - started;
    return taken < shortest ? taken : shortest;
}

int main(int argumentCount, char** arguments) {
    int count = argumentCount > 1 ? atoi(arguments[1]) : 5000;
    double pitch = 0.5 + (argumentCount > 2 ? atof(arguments[2]) : 0.1);
    cnWorldId world = cnCreateWorld(&(cnWorldDef){0});
    cnShapeDef ground = {.type = cn_plane, .normal = {0.0, 0.0, 1.0}};
    cnShapeDef box = {.type = cn_box, .halfExtents = {0.25, 0.25, 0.25}};
    cnShapeInstance instance = {.shape = cnCreateShape(world, &ground)};
    cnCreateGeometry(world, &(cnGeometryDef){.shapes = &instance, .shapeCount = 1});
    instance.shape = cnCreateShape(world, &box);
    for (int i = 0; i < count; ++i) {
        int layer = i / 400;
        cnVec3 place = {pitch * (i % 20), pitch * (i / 20 % 20), 0.3 + 0.55 * layer};
        cnBodyId body = cnCreateBody(world, &(cnBodyDef){.position = place});
        cnCreateGeometry(world, &(cnGeometryDef){.body = body, .shapes = &instance, .shapeCount = 1});
    }
    for (int step = 0; step < 60; ++step) {
        cnWorld_Step(world);
    }
    size_t bytes = cnWorld_GetSnapshotBytes(world);
    void* snapshot = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    if (snapshot == NULL) {
        return 1;
    }
    double save = 1e30, restore = 1e30, keep = 1e30, rewind = 1e30, step = 1e30;
    bool ok = true;
    for (int i = 0; i < REPEATS && ok; ++i) {
        double started = cnGetMilliseconds();
        ok = cnWorld_Save(world, snapshot, bytes) == CN_ERROR_NONE;
        save = Shortest(save, started);
        started = cnGetMilliseconds();
        ok = ok && cnWorld_Restore(world, snapshot, bytes) == CN_ERROR_NONE;
        restore = Shortest(restore, started);
    }
    for (int i = 0; i < REPEATS && ok; ++i) { // from the same state, so that steps are alike
        ok = cnWorld_Restore(world, snapshot, bytes) == CN_ERROR_NONE;
        double started = cnGetMilliseconds();
        cnWorld_Step(world);
        step = Shortest(step, started);
    }
    ok = ok && cnWorld_Restore(world, snapshot, bytes) == CN_ERROR_NONE &&
         cnWorld_Keep(world, 5) == CN_ERROR_NONE;
    for (int i = 0; i < REPEATS && ok; ++i) {
        double started = cnGetMilliseconds();
        cnWorld_Step(world);
        keep = Shortest(keep, started);
        started = cnGetMilliseconds();
        ok = cnWorld_Rewind(world, 1) == CN_ERROR_NONE;
        rewind = Shortest(rewind, started);
    }
    for (int i = 0; i < 5; ++i) {
        cnWorld_Step(world);
    }
    cnCounters counters = cnWorld_GetCounters(world);
    printf("%d bodies, %d pairs, %d contact points: %.2f MB, save %.2f ms, restore %.2f ms; a step %.1f ms, "
           "kept %.1f ms; "
           "rewind %.2f ms, ring of 5 steps %.1f MB\n",
           counters.bodies, counters.pairs, counters.contactPoints, 1e-6 * (double)bytes, save, restore, step,
           keep, rewind, 1e-6 * (double)cnWorld_GetKeptBytes(world));
    free(snapshot);
    cnDestroyWorld(world);
    return ok ? 0 : 1;
}
