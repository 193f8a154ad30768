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

static void a_step_without_memory_loses_no_pair(void** state) {
    (void)state;
    cnWorldId reference = make_block();
    assert_ok(cnWorld_Collide(reference));
    int expected = count_pairs(reference);
    assert_true(expected > 3 * SIDE * SIDE * (SIDE - 1));
    cnDestroyWorld(reference);
    int failures = 0;
    for (long left = 0;; ++left) {
        static Ration ration;
        start_ration(&ration, 1000000);
        cnWorldId world = make_block();
        ration.left = left;
        bool failed = cnWorld_Collide(world) != CN_ERROR_NONE;
        if (failed) {
            assert_int_equal(cnGetLastError()->code, CN_ERROR_OUT_OF_MEMORY);
            assert_ok(cnWorld_Validate(world));
            ration.left = 1000000;
            assert_ok(cnWorld_Collide(world));
            failures += 1;
        }
        ration.left = 1000000;
        assert_int_equal(count_pairs(world), expected);
        assert_ok(cnWorld_Validate(world));
        assert_ok(cnWorld_Solve(world));
        assert_ok(cnWorld_Step(world));
        assert_ok(cnWorld_Validate(world));
        cnDestroyWorld(world);
        end_ration(&ration);
        if (!failed) {
            break;
        }
    }
    assert_true(failures > 20);
}

static void after_a_solve_without_memory_the_world_goes_on(void** state) {
    (void)state;
    int failures = 0;
    for (long left = 0;; ++left) {
        static Ration ration;
        start_ration(&ration, 1000000);
        cnWorldId world = make_block();
        assert_ok(cnWorld_Collide(world));
        ration.left = left;
        bool failed = cnWorld_Solve(world) != CN_ERROR_NONE;
        if (failed) {
            assert_int_equal(cnGetLastError()->code, CN_ERROR_OUT_OF_MEMORY);
            assert_ok(cnWorld_Validate(world));
            failures += 1;
        }
        ration.left = 1000000;
        assert_ok(cnWorld_Validate(world));
        assert_ok(cnWorld_Step(world));
        assert_ok(cnWorld_Validate(world));
        cnDestroyWorld(world);
        end_ration(&ration);
        if (!failed) {
            break;
        }
    }
    assert_true(failures > 1);
}

int main(void) {
    return run_all(a_step_without_memory_loses_no_pair, after_a_solve_without_memory_the_world_goes_on);
}
