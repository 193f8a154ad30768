// What is kept of concave pairs to save work changes nothing: worlds that forget it before every step come to
// the same state, to the bit.
#include "helpers.h"
#include "surfaces.h"
#include "world/world.h"

enum {
    surfaceCount = 6,
    side = 13
};

typedef struct Surfaces {
    Surface terrain, torus;
    double heights[side * side];
    cnShapeDef defs[surfaceCount]; // an open sheet, a terrain, a solid, an open and a closed field, a tube
} Surfaces;

static void make_surfaces(Surfaces* surfaces) {
    surfaces->terrain = terrain_of(24, 3.0);
    surfaces->torus = torus_of(20, 12, 1.6, 0.6, 0.1);
    for (int i = 0; i < side * side; ++i) {
        surfaces->heights[i] = random_in(0.0, 0.6);
    }
    cnShapeDef* defs = surfaces->defs;
    defs[0] = defs[1] = define_mesh(&surfaces->terrain);
    defs[1].terrain = true;
    defs[1].bottomMargin = 0.5;
    defs[2] = define_mesh(&surfaces->torus);
    defs[3] = defs[4] = field_of(side, side, 6.0, 6.0, surfaces->heights);
    defs[4].dynamic = true;
    defs[5] = tube_of(0.9, 0.3, 2.0);
}

// Convex bodies above, beside and below a surface, which stands still or moves and turns.
static cnWorldId make_rain(cnShapeDef surface, int seed, bool moves) {
    randomState = (uint64_t)seed;
    cnWorldId world = make_world((cnWorldDef){.gravity = {.acceleration = {0.0, 0.0, -9.80665}}});
    cnMaterialId material = add_material(world, 0.5, 0.3);
    cnBodyDef def = {.motion = moves ? cn_kinematic : cn_static};
    if (moves) {
        def.velocity = random_vec(0.5);
        def.angularVelocity = random_vec(0.5);
    }
    add_body(world, def, surface, material);
    for (int i = 0; i < 24; ++i) {
        double size = random_in(0.06, 0.25);
        const cnShapeDef shapes[4] = {sphere_of(size),
                                      box_of(size, 0.7 * size, 1.4 * size),
                                      {.type = cn_capsule, .radius = 0.7 * size, .height = 2.0 * size},
                                      {.type = cn_cylinder, .radius = size, .height = 1.5 * size}};
        cnBodyDef body = {.position = {random_in(-3.6, 3.6), random_in(-3.6, 3.6), random_in(-2.0, 4.0)},
                          .rotation = random_rotation(),
                          .velocity = cnAdd(random_vec(3.0), cnVec(0.0, 0.0, i % 3 == 0 ? 6.0 : 0.0)),
                          .angularVelocity = random_vec(6.0),
                          .mass = 1.0};
        add_body(world, body, shapes[i % 4], material);
    }
    return world;
}

static void hints_change_nothing(void** state) {
    (void)state;
    Surfaces surfaces = {0};
    make_surfaces(&surfaces);
    int known = 0, clear = 0;
    for (int i = 0; i < surfaceCount; ++i) {
        for (int seed = 1; seed <= 4; ++seed) {
            bool moves = seed % 2 == 0;
            cnWorldId kept = make_rain(surfaces.defs[i], seed, moves);
            cnWorldId forgetful = make_rain(surfaces.defs[i], seed, moves);
            for (int step = 0; step < 150; ++step) {
                cnFindWorld(forgetful, "test")->pairs.hints.count = 0;
                step_world(kept, 1);
                step_world(forgetful, 1);
                char expected[17], hash[17];
                assert_ok(cnWorld_GetHash(forgetful, expected));
                assert_ok(cnWorld_GetHash(kept, hash));
                assert_string_equal(hash, expected);
                const cnPairTable* pairs = &cnFindWorld(kept, "test")->pairs;
                for (int row = 0; row < pairs->hints.count; ++row) {
                    known += pairs->hints.data[row].near.isKnown;
                    clear += pairs->hints.data[row].clearUntil > 0.0;
                }
            }
            cnDestroyWorld(kept);
            cnDestroyWorld(forgetful);
        }
    }
    assert_true(known > 5000 && clear > 5000);
    free_surface(&surfaces.terrain);
    free_surface(&surfaces.torus);
}

// A ball flies level, ten metres above a field, and a wall rises in its way: it strikes it.
static void what_was_clear_meets_a_wall_that_rises(void** state) {
    (void)state;
    enum {
        count = 41
    };
    double heights[count * count] = {0};
    cnWorldId world = make_world(weightless);
    cnMaterialId material = add_material(world, 0.0, 0.0);
    const cnShapeDef field = field_of(count, count, 20.0, 20.0, heights);
    cnShapeInstance instance = {.shape = cnCreateShape(world, &field)};
    cnGeometryDef def = {.material = material, .shapes = &instance, .shapeCount = 1};
    assert_made(cnCreateGeometry(world, &def));
    // a peak far off, so that the ball is within the field's bounds
    double peak = 12.0;
    assert_ok(cnHeightField_SetHeights(world, instance.shape, 0, 0, 0, 0, &peak, 1));
    cnBodyId ball =
        add_body(world, (cnBodyDef){.position = {-8.0, 0.0, 10.0}, .velocity = {6.0, 0.0, 0.0}, .mass = 1.0},
                 sphere_of(0.3), material);
    step_world(world, 20);
    double wall[3 * count];
    for (int i = 0; i < 3 * count; ++i) {
        wall[i] = 15.0;
    }
    assert_ok(cnHeightField_SetHeights(world, instance.shape, 19, 21, 0, count - 1, wall, 3 * count));
    step_world(world, 100);
    assert_true(cnBody_GetPosition(world, ball).x < -0.2);
    assert_true(cnBody_GetVelocity(world, ball).x < 3.0);
    cnDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hints_change_nothing),
        cmocka_unit_test(what_was_clear_meets_a_wall_that_rises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
