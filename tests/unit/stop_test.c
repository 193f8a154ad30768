// What rests stops, and nothing else does: islands that are solved to convergence (converged_rest.c).
#include "helpers.h"

#define STACK 20

typedef struct Stack {
    cnWorldId world;
    cnBodyId bodies[STACK];
    int count;
} Stack;

// Boxes of 1 m on one another, the lowest on `ground` if that is no null handle, else on a plane; the topmost
// of so many times the others' mass.
static Stack stack_on(cnWorldId world, cnBodyId ground, double top, int count, double topMass,
                      double friction) {
    Stack stack = {.world = world, .count = count};
    cnMaterialId boxes = add_material(world, 0.5, 0.0), floor = cnCreateMaterial(world, &(cnMaterialDef){0});
    assert_made(cnCreateContactMaterial(
        world, &(cnContactMaterialDef){.material1 = boxes,
                                       .material2 = floor,
                                       .given = cn_contactFriction | cn_contactRestitution,
                                       .friction = {friction, friction}}));
    if (ground.value != 0) {
        add_shape(world, ground, box_of(5.0, 5.0, 0.5), floor);
    } else {
        add_ground(world, floor);
    }
    for (int i = 0; i < count; ++i) {
        stack.bodies[i] = add_body(world,
                                   (cnBodyDef){.position = cnVec(0.0, 0.0, top + 0.5 + i),
                                               .mass = i == count - 1 ? 1000.0 * topMass : 1000.0},
                                   box_of(0.5, 0.5, 0.5), boxes);
    }
    return stack;
}

// Bodies that rest are where they were, to the bit, and without velocity; what bears them bears their weight.
static void stacks_stop(void** state) {
    (void)state;
    static const double masses[] = {1.0, 100.0, 0.01};
    for (int m = 0; m < 3; ++m) {
        cnWorldId world = make_world((cnWorldDef){0});
        Stack stack = stack_on(world, (cnBodyId){0}, 0.0, STACK, masses[m], 0.5);
        step_world(world, 360);
        cnVec3 places[STACK];
        cnQuat rotations[STACK];
        for (int i = 0; i < STACK; ++i) {
            places[i] = cnBody_GetPosition(world, stack.bodies[i]);
            rotations[i] = cnBody_GetRotation(world, stack.bodies[i]);
        }
        for (int step = 0; step < 300; ++step) {
            step_world(world, 1);
            assert_true(cnWorld_GetKineticEnergy(world) == 0.0);
        }
        for (int i = 0; i < STACK; ++i) {
            cnVec3 place = cnBody_GetPosition(world, stack.bodies[i]);
            cnQuat rotation = cnBody_GetRotation(world, stack.bodies[i]);
            assert_memory_equal(&place, &places[i], sizeof place);
            assert_memory_equal(&rotation, &rotations[i], sizeof rotation);
        }
        double above = 0.0;
        for (int i = STACK - 1; i > 0; --i) {
            above += cnBody_GetMass(world, stack.bodies[i]) * GRAVITY;
            cnVec3 force = cnBody_GetContactForces(world, stack.bodies[i], stack.bodies[i - 1]).total;
            assert_near(force.z, above, 1e-5 * above);
        }
        assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
    }
}

// A ten millionth of its weight draws a stack that stands on ice; ½ a t² within a hundredth.
static void what_slides_on_ice_does_not_stop(void** state) {
    (void)state;
    double part = 1e-7, seconds = 10.0;
    cnWorldId world = make_world((cnWorldDef){0});
    Stack stack = stack_on(world, (cnBodyId){0}, 0.0, 4, 1.0, 0.0);
    step_world(world, 300);
    cnVec3 start = cnBody_GetPosition(world, stack.bodies[0]);
    for (int step = 0; step < (int)(60.0 * seconds); ++step) {
        for (int i = 0; i < stack.count; ++i) {
            assert_ok(cnBody_ApplyForce(world, stack.bodies[i], cnVec(part * 1000.0 * GRAVITY, 0.0, 0.0)));
        }
        step_world(world, 1);
    }
    double way = cnBody_GetPosition(world, stack.bodies[0]).x - start.x;
    double expected = 0.5 * part * GRAVITY * seconds * seconds;
    assert_near(way, expected, 0.01 * expected);
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
}

// A lift that rises by 10 nm/s carries its stack.
static void what_is_carried_does_not_stop(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    cnBodyId lift = cnCreateBody(world, &(cnBodyDef){.motion = cn_kinematic});
    Stack stack = stack_on(world, lift, 0.5, 4, 1.0, 0.5);
    step_world(world, 600);
    assert_true(cnWorld_GetKineticEnergy(world) == 0.0);
    double start = cnBody_GetPosition(world, stack.bodies[3]).z, speed = 1e-8;
    assert_ok(cnBody_SetVelocity(world, lift, cnVec(0.0, 0.0, speed)));
    step_world(world, 1200);
    assert_near(cnBody_GetPosition(world, stack.bodies[3]).z - start, 20.0 * speed, 0.01 * 20.0 * speed);
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
}

// Boxes that are pressed together in empty space and drift keep their momentum, slow as they are.
static void what_nothing_holds_does_not_stop(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.gravity = {.type = cn_gravityUniform}});
    cnMaterialId material = add_material(world, 0.5, 0.0);
    cnBodyId bodies[4];
    double speed = 1e-8, force = 1e4;
    for (int i = 0; i < 4; ++i) {
        bodies[i] =
            add_body(world, (cnBodyDef){.position = cnVec(0.0, 0.0, i), .velocity = cnVec(speed, 0.0, 0.0)},
                     box_of(0.5, 0.5, 0.5), material);
    }
    for (int step = 0; step < 600; ++step) {
        assert_ok(cnBody_ApplyForce(world, bodies[0], cnVec(0.0, 0.0, force)));
        assert_ok(cnBody_ApplyForce(world, bodies[3], cnVec(0.0, 0.0, -force)));
        step_world(world, 1);
    }
    double momentum = 0.0, mass = 0.0;
    for (int i = 0; i < 4; ++i) {
        momentum += cnBody_GetMass(world, bodies[i]) * cnBody_GetVelocity(world, bodies[i]).x;
        mass += cnBody_GetMass(world, bodies[i]);
    }
    assert_near(momentum, mass * speed, 1e-3 * mass * speed); // rounding of 10⁵ N s either way
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
}

// On a slope that friction holds, a stack creeps by the viscosity of its surfaces, however slowly: each point
// of the lowest box bears a quarter of what draws.
static void what_creeps_does_not_stop(void** state) {
    (void)state;
    double angle = 5.0 * CN_PI / 180.0, viscosity = 1e-11;
    cnWorldId world = make_world((cnWorldDef){0});
    cnMaterialId material = cnCreateMaterial(world, &(cnMaterialDef){0});
    assert_made(cnCreateContactMaterial(
        world, &(cnContactMaterialDef){.material1 = material,
                                       .material2 = material,
                                       .given = cn_contactFriction | cn_contactRestitution |
                                                cn_contactSurfaceViscosity,
                                       .friction = {0.5, 0.5},
                                       .surfaceViscosity = {viscosity, viscosity}}));
    cnQuat tilt = cnQuatFromRotationVector(cnVec(0.0, angle, 0.0));
    add_geometry(world, (cnGeometryDef){.rotation = tilt, .material = material}, groundPlane);
    cnBodyId bodies[4];
    for (int i = 0; i < 4; ++i) {
        bodies[i] = add_body(
            world, (cnBodyDef){.position = cnRotate(tilt, cnVec(0.0, 0.0, 0.5 + i)), .rotation = tilt},
            box_of(0.5, 0.5, 0.5), material);
    }
    step_world(world, 900);
    cnVec3 start = cnBody_GetPosition(world, bodies[0]);
    step_world(world, 1200);
    double draw = 4.0 * cnBody_GetMass(world, bodies[0]) * GRAVITY * cnSin(angle);
    double expected = 20.0 * viscosity * draw / 4.0;
    double way = cnLength(cnSub(cnBody_GetPosition(world, bodies[0]), start));
    assert_near(way, expected, 0.05 * expected);
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
}

// A stack that stopped goes on to the same bits from a snapshot, at rest and when its tenth box is sent off
// at 1 m/s.
static void what_stopped_goes_on_from_a_snapshot(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    Stack stack = stack_on(world, (cnBodyId){0}, 0.0, STACK, 100.0, 0.5);
    step_world(world, 300);
    size_t bytes = cnWorld_GetSnapshotBytes(world);
    void* snapshot = malloc(bytes);
    assert_non_null(snapshot);
    assert_ok(cnWorld_Save(world, snapshot, bytes));
    char hashes[2][17];
    for (int k = 0; k < 2; ++k) {
        step_world(world, 60);
        assert_ok(cnBody_SetVelocity(world, stack.bodies[9], cnVec(1.0, 0.0, 0.0)));
        step_world(world, 60);
        assert_ok(cnWorld_GetHash(world, hashes[k]));
        assert_ok(cnWorld_Restore(world, snapshot, bytes));
    }
    assert_string_equal(hashes[0], hashes[1]);
    free(snapshot);
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
}

int main(void) {
    return run_all(stacks_stop, what_slides_on_ice_does_not_stop, what_is_carried_does_not_stop,
                   what_nothing_holds_does_not_stop, what_creeps_does_not_stop,
                   what_stopped_goes_on_from_a_snapshot);
}
