// Pairs apart: they are not collided while they cannot touch, and are as soon as they can.
#include "helpers.h"
#include "things.h"

static void what_flies_together_meets_when_it_comes_together(void** state) {
    (void)state;
    // half a metre a step together, 1 cm a step towards each other, over 1 m; a stick that spins, a ball
    const cnShapeDef stick = {.type = cn_box, .halfExtents = {0.05, 0.3, 0.05}};
    const cnShapeDef ball = {.type = cn_sphere, .radius = 0.2};
    for (int spins = 0; spins <= 1; ++spins) {
        cnWorldId world = make_world(weightless);
        cnMaterialId material = add_material(world, 0.0, 0.0);
        cnBodyId first = add_body(
            world, (cnBodyDef){.velocity = {30.0, 0, 0}, .angularVelocity = {6.0 * spins, 0, 0}, .mass = 1.0},
            stick, material);
        cnBodyId second =
            add_body(world, (cnBodyDef){.position = {-1.25, 0, 0}, .velocity = {30.6, 0, 0}, .mass = 1.0},
                     ball, material);
        double closest = INFINITY;
        for (int step = 0; step < 300; ++step) {
            step_world(world, 1);
            double gap = cnBody_GetPosition(world, first).x - cnBody_GetPosition(world, second).x - 0.25;
            closest = cnMin(closest, gap);
            bool hasMet = step > 102;
            double speed = cnBody_GetVelocity(world, second).x;
            if (step < 98) {
                assert_near(speed, 30.6, 1e-9);
            } else if (hasMet) {
                assert_near(speed, 30.3, 1e-3);
            }
        }
        assert_true(closest > -2e-3);
        cnDestroyWorld(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_flies_together_meets_when_it_comes_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
