// Memory that runs out in the middle of a step: the step says so, and the next one with memory
// has all contacts.
#include "helpers.h"
#include "world/world.h"

#define SIDE 5 // boxes along an edge of the block

// A block of boxes that touch one another, with a tube among them, on the ground.
static cnWorldId make_block(void) {
    cnWorldId world = cnCreateWorld(&(cnWorldDef){0});
    cnShapeId cube = cnCreateShape(world, &(cnShapeDef){.type = cn_box, .halfExtents = {0.5, 0.5, 0.5}});
    cnShapeId tube = cnCreateShape(
        world, &(cnShapeDef){.type = cn_hollowCylinder, .innerRadius = 0.3, .thickness = 0.2, .height = 1.0});
    cnShapeId ground = cnCreateShape(world, &(cnShapeDef){.type = cn_plane, .normal = {0, 0, 1}});
    assert_false(CN_IS_NULL(cube) || CN_IS_NULL(tube) || CN_IS_NULL(ground));
    cnShapeInstance plane = {.shape = ground};
    assert_false(CN_IS_NULL(cnCreateGeometry(world, &(cnGeometryDef){.shapes = &plane, .shapeCount = 1})));
    for (int i = 0; i < SIDE * SIDE * SIDE; ++i) {
        const int x = i % SIDE, y = i / SIDE % SIDE, z = i / SIDE / SIDE;
        cnVec3 place = {0.999 * x, 0.999 * y, 0.499 + 0.999 * z};
        cnBodyId body = cnCreateBody(world, &(cnBodyDef){.position = place});
        cnShapeInstance shape = {.shape = i % 7 == 3 ? tube : cube};
        cnGeometryDef geometry = {.body = body, .shapes = &shape, .shapeCount = 1};
        assert_false(CN_IS_NULL(cnCreateGeometry(world, &geometry)));
    }
    return world;
}

static int count_pairs(cnWorldId world) {
    return cnWorld_GetCounters(world).pairs;
}

#define PLENTY 1000000 // blocks of memory

typedef cnErrorCode Phase(cnWorldId world);
typedef void Finish(cnWorldId world, bool failed, int pairs);

// The phase of a new world with one block of memory more each time, until it succeeds. Where it fails it says
// why, and the world is whole; `finish` goes on with memory, in a world that should have so many pairs.
// Returns how often it failed.
static int fail_until_memory_is_enough(Phase* before, Phase* phase, Finish* finish) {
    cnWorldId reference = make_block();
    assert_ok(cnWorld_Collide(reference));
    int pairs = count_pairs(reference);
    assert_true(pairs > 3 * SIDE * SIDE * (SIDE - 1));
    cnDestroyWorld(reference);
    bool failed = true;
    int failures = 0;
    for (long left = 0; failed; ++left) {
        static Ration ration;
        start_ration(&ration, PLENTY);
        cnWorldId world = make_block();
        if (before != NULL) {
            assert_ok(before(world));
        }
        ration.left = left;
        failed = phase(world) != CN_ERROR_NONE;
        if (failed) {
            assert_int_equal(cnGetLastError()->code, CN_ERROR_OUT_OF_MEMORY);
            failures += 1;
        }
        assert_ok(cnWorld_Validate(world));
        ration.left = PLENTY;
        finish(world, failed, pairs);
        assert_ok(cnWorld_Validate(world));
        assert_ok(cnWorld_Step(world));
        assert_ok(cnWorld_Validate(world));
        cnDestroyWorld(world);
        end_ration(&ration);
    }
    return failures;
}

static void collide_again_and_solve(cnWorldId world, bool failed, int pairs) {
    if (failed) {
        assert_ok(cnWorld_Collide(world));
    }
    assert_int_equal(count_pairs(world), pairs);
    assert_ok(cnWorld_Validate(world));
    assert_ok(cnWorld_Solve(world));
}

static void a_step_without_memory_loses_no_pair(void** state) {
    (void)state;
    assert_true(fail_until_memory_is_enough(NULL, cnWorld_Collide, collide_again_and_solve) > 20);
}

static void keep_all_pairs(cnWorldId world, bool failed, int pairs) {
    (void)failed;
    assert_int_equal(count_pairs(world), pairs);
}

static void after_a_solve_without_memory_the_world_goes_on(void** state) {
    (void)state;
    assert_true(fail_until_memory_is_enough(cnWorld_Collide, cnWorld_Solve, keep_all_pairs) > 1);
}

int main(void) {
    return run_all(a_step_without_memory_loses_no_pair, after_a_solve_without_memory_the_world_goes_on);
}
