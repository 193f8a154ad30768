// Fast bodies: nothing passes through anything within a step, and momentum and energy stay what they must be.
#include "helpers.h"

static const cnShapeDef bullet = {.type = cn_sphere, .radius = 0.005};
static const cnShapeDef wall = {.type = cn_box, .halfExtents = {0.005, 1.0, 1.0}};

// Where a bullet is that is not `fast`, 2 m before a wall, after three steps.
static double shoot_at(cnMotion motion, bool isContinuous) {
    cnWorldDef def = weightless;
    def.disableContinuous = !isContinuous;
    cnWorldId world = make_world(def);
    cnMaterialId material = add_material(world, 0.0, 0.0);
    add_body(world, (cnBodyDef){.motion = motion, .mass = motion == cn_dynamic ? 1.0 : 0.0}, wall, material);
    cnBodyId body =
        add_body(world, (cnBodyDef){.position = {-2.0, 0, 0}, .velocity = {300, 0, 0}}, bullet, material);
    step_world(world, 3);
    double x = cnBody_GetPosition(world, body).x;
    assert_false(cnBody_IsFast(world, body));
    assert_int_equal(cnBody_SetFast(world, body, true), CN_ERROR_NONE);
    assert_true(cnBody_IsFast(world, body));
    cnDestroyWorld(world);
    return x;
}

static void what_is_not_fast_passes_dynamic_bodies_alone(void** state) {
    (void)state;
    assert_true(shoot_at(cn_dynamic, true) > 1.0);
    assert_near(shoot_at(cn_static, true), -0.01, 3e-3);
    assert_near(shoot_at(cn_kinematic, true), -0.01, 3e-3);
    assert_true(shoot_at(cn_static, false) > 1.0);
    assert_true(shoot_at(cn_kinematic, false) > 1.0);
}

static void a_static_wall_stops_bullets(void** state) {
    (void)state;
    for (int bounces = 0; bounces <= 1; ++bounces) {
        cnWorldId world = make_world(weightless);
        cnMaterialId material = add_material(world, 0.0, (double)bounces);
        add_body(world, (cnBodyDef){.motion = cn_static}, wall, material);
        cnBodyId body =
            add_body(world, (cnBodyDef){.position = {-2.0, 0, 0}, .velocity = {300, 0, 0}, .fast = true},
                     bullet, material);
        step_world(world, 1);
        assert_near(cnBody_GetPosition(world, body).x, -0.01, 1e-4);
        assert_near(cnBody_GetVelocity(world, body).x, 300.0, 0.0);
        step_world(world, 1);
        assert_near(cnBody_GetVelocity(world, body).x, bounces ? -300.0 : 0.0, 0.01);
        step_world(world, 60);
        assert_true(cnBody_GetPosition(world, body).x < -0.009);
        cnDestroyWorld(world);
    }
}

static void a_dynamic_wall_takes_the_momentum(void** state) {
    (void)state;
    for (int bounces = 0; bounces <= 1; ++bounces) {
        cnWorldId world = make_world(weightless);
        cnMaterialId material = add_material(world, 0.3, (double)bounces);
        cnBodyId target =
            add_body(world, (cnBodyDef){.mass = 2.0, .velocity = {-3.0, 0.1, 0}}, wall, material);
        cnBodyId body = add_body(
            world,
            (cnBodyDef){.position = {-2.0, 0.2, 0.1}, .velocity = {300, 0, 0}, .mass = 0.01, .fast = true},
            bullet, material);
        cnVec3 momentum = cnWorld_GetMomentum(world), angular = cnWorld_GetAngularMomentum(world);
        double energy = cnWorld_GetKineticEnergy(world);
        for (int i = 0; i < 12; ++i) {
            step_world(world, 1);
            assert_near(cnLength(cnSub(cnWorld_GetMomentum(world), momentum)), 0.0, 1e-9);
            assert_true(cnWorld_GetKineticEnergy(world) <= energy * (1.0 + 1e-9));
        }
        // beside each other's centres the moment of momentum moves with the place that the sweep took
        assert_near(cnLength(cnSub(cnWorld_GetAngularMomentum(world), angular)), 0.0, 0.1);
        cnVec3 apart = cnSub(cnBody_GetPosition(world, body), cnBody_GetPosition(world, target));
        assert_true(cnDot(apart, cnRotate(cnBody_GetRotation(world, target), cnVec(1, 0, 0))) < 0.0);
        cnDestroyWorld(world);
    }
}

static void bullets_meet_head_on(void** state) {
    (void)state;
    cnWorldId world = make_world(weightless);
    cnMaterialId material = add_material(world, 0.0, 1.0);
    cnBodyId a = add_body(
        world, (cnBodyDef){.position = {-2.2, 0, 0}, .velocity = {300, 0, 0}, .mass = 0.01, .fast = true},
        bullet, material);
    cnBodyId b = add_body(
        world, (cnBodyDef){.position = {1.7, 0, 0}, .velocity = {-200, 0, 0}, .mass = 0.01, .fast = true},
        bullet, material);
    step_world(world, 4);
    assert_near(cnBody_GetVelocity(world, a).x, -200.0, 1e-6);
    assert_near(cnBody_GetVelocity(world, b).x, 300.0, 1e-6);
    assert_true(cnBody_GetPosition(world, a).x < cnBody_GetPosition(world, b).x);
    cnDestroyWorld(world);
}

// A row of bullets towards a row of bullets: all in one step, each with its own.
static void each_of_many_bullets_meets_its_own(void** state) {
    (void)state;
    cnWorldId world = make_world(weightless);
    cnMaterialId material = add_material(world, 0.0, 0.0);
    enum {
        ballCount = 20
    };
    cnBodyId bodies[2][ballCount];
    for (int i = 0; i < ballCount; ++i) {
        for (int k = 0; k < 2; ++k) {
            bodies[k][i] = add_body(world,
                                    (cnBodyDef){.position = {k == 0 ? -1.0 - 0.1 * i : 1.0 + 0.07 * i, 0, 0},
                                                .velocity = {k == 0 ? 300 : -300, 0, 0},
                                                .fast = true},
                                    bullet, material);
        }
    }
    step_world(world, 12);
    assert_near(cnLength(cnWorld_GetMomentum(world)), 0.0, 3e-7); // slow contacts change velocities in f32
    assert_true(cnBody_GetPosition(world, bodies[0][0]).x < cnBody_GetPosition(world, bodies[1][0]).x);
    for (int i = 1; i < ballCount; ++i) {
        assert_true(cnBody_GetPosition(world, bodies[0][i]).x <
                    cnBody_GetPosition(world, bodies[0][i - 1]).x);
        assert_true(cnBody_GetPosition(world, bodies[1][i]).x >
                    cnBody_GetPosition(world, bodies[1][i - 1]).x);
    }
    cnDestroyWorld(world);
}

// Along a floor of flush boxes at 100 m/s, without friction: the sweep stops at no seam.
static void a_slide_stops_at_no_seam(void** state) {
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        cnWorldId world = make_world((cnWorldDef){0});
        cnMaterialId material = add_material(world, 0.0, 0.0);
        for (int i = 0; i < 120; ++i) {
            add_body(world, (cnBodyDef){.motion = cn_static, .position = {1.0 * i, 0, -0.5}},
                     box_of(0.5, 0.5, 0.5), material);
        }
        cnShapeDef shape = kind == 0 ? sphere_of(0.05) : box_of(0.05, 0.05, 0.05);
        cnBodyId body =
            add_body(world, (cnBodyDef){.position = {0, 0, 0.05}, .velocity = {100, 0, 0}, .fast = true},
                     shape, material);
        step_world(world, 60);
        assert_near(cnBody_GetPosition(world, body).x, 100.0, 0.5);
        assert_near(cnBody_GetPosition(world, body).z, 0.05, 0.002);
        cnDestroyWorld(world);
    }
}

// A ball that falls from 5 m and bounces with e = 1 comes back, though it stops at the floor in mid-step.
static void a_fast_ball_bounces_back(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    cnMaterialId material = add_material(world, 0.0, 1.0);
    add_body(world, (cnBodyDef){.motion = cn_static, .position = {0, 0, -0.005}}, box_of(5, 5, 0.005),
             material);
    cnBodyId body =
        add_body(world, (cnBodyDef){.position = {0, 0, 5.0}, .fast = true}, sphere_of(0.02), material);
    double highest = 0.0;
    for (int i = 0; i < 900; ++i) {
        step_world(world, 1);
        double height = cnBody_GetPosition(world, body).z;
        highest = i > 800 ? cnMax(highest, height) : 0.0;
        assert_true(height > 0.0 && height < 5.05);
        if (i > 120 && i % 60 == 0) {
            highest = 0.0;
        }
    }
    assert_near(cnWorld_GetPotentialEnergy(world) + cnWorld_GetKineticEnergy(world),
                cnBody_GetMass(world, body) * 9.80665 * 5.0, cnBody_GetMass(world, body) * 9.80665 * 0.5);
    cnDestroyWorld(world);
}

// Bullets of several shapes from all sides at a wall, still and moving: none passes.
static void check_directions(cnShapeDef shape, cnShapeDef target, cnMotion motion, int cases) {
    for (int i = 0; i < cases; ++i) {
        cnWorldId world = make_world(weightless);
        cnMaterialId material = add_material(world, 0.4, random_in(-1.0, 1.0) > 0.0 ? 0.5 : 0.0);
        cnQuat turn = random_rotation();
        cnBodyId body2 = add_body(world,
                                  (cnBodyDef){.motion = motion,
                                              .rotation = turn,
                                              .mass = 1.0,
                                              .velocity = cnScale(5.0, random_direction())},
                                  target, material);
        cnVec3 normal = cnRotate(turn, cnVec(1, 0, 0));
        cnVec3 to = cnScale(0.4, cnRotate(turn, cnVec(0, random_in(-1.0, 1.0), random_in(-1.0, 1.0))));
        cnVec3 way = random_direction();
        way = cnDot(way, normal) > 0.0 ? way : cnNeg(way);
        way = cnNormalize(cnMulAdd(way, 0.3, normal));
        double distance = 1.5 + random_in(-1.0, 1.0);
        cnBodyId body1 = add_body(world,
                                  (cnBodyDef){.position = cnMulAdd(to, -distance, way),
                                              .velocity = cnScale(300.0, way),
                                              .angularVelocity = cnScale(20.0, random_direction()),
                                              .mass = 0.01,
                                              .fast = true},
                                  shape, material);
        step_world(world, 12);
        cnVec3 apart = cnSub(cnBody_GetPosition(world, body1), cnBody_GetPosition(world, body2));
        cnVec3 local = cnInvRotate(cnBody_GetRotation(world, body2), apart);
        bool beside = fabs(local.y) > 0.98 || fabs(local.z) > 0.98;
        if (!(local.x < 0.0) && !beside) {
            fail_msg("case %d passed: at %g %g %g", i, local.x, local.y, local.z);
        }
        cnDestroyWorld(world);
    }
}

static const cnShapeDef dart = {.type = cn_capsule, .radius = 0.005, .height = 0.05};
static const cnShapeDef brick = {.type = cn_box, .halfExtents = {0.005, 0.01, 0.02}};

static void nothing_passes_a_static_target_from_any_direction(void** state) {
    (void)state;
    check_directions(bullet, wall, cn_static, CASES(1000));
    check_directions(dart, wall, cn_static, CASES(60));
    check_directions(brick, wall, cn_static, CASES(60));
}

static void nothing_passes_a_dynamic_target_from_any_direction(void** state) {
    (void)state;
    check_directions(bullet, wall, cn_dynamic, CASES(150));
    check_directions(dart, wall, cn_dynamic, CASES(20));
    check_directions(brick, wall, cn_dynamic, CASES(20));
}

static void threads_change_nothing(void** state) {
    (void)state;
    char hashes[2][17];
    for (int i = 0; i < 2; ++i) {
        randomState = 7;
        cnWorldId world = make_world((cnWorldDef){.threads = 1 + 3 * i});
        cnMaterialId material = add_material(world, 0.3, 0.5);
        add_body(world, (cnBodyDef){.motion = cn_static}, wall, material);
        for (int k = 0; k < 60; ++k) {
            cnVec3 position = cnScale(3.0, random_direction());
            add_body(world,
                     (cnBodyDef){.position = position, .velocity = cnScale(-100.0, position), .fast = true},
                     k % 2 ? brick : bullet, material);
        }
        step_world(world, 10);
        assert_int_equal(cnWorld_GetHash(world, hashes[i]), CN_ERROR_NONE);
        cnDestroyWorld(world);
    }
    assert_string_equal(hashes[0], hashes[1]);
}

int main(void) {
    return run_all(what_is_not_fast_passes_dynamic_bodies_alone, a_static_wall_stops_bullets,
                   a_dynamic_wall_takes_the_momentum, bullets_meet_head_on,
                   each_of_many_bullets_meets_its_own, a_slide_stops_at_no_seam, a_fast_ball_bounces_back,
                   nothing_passes_a_static_target_from_any_direction,
                   nothing_passes_a_dynamic_target_from_any_direction, threads_change_nothing);
}
