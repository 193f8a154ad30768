// Conveyors: surface velocities carry by friction.
#include "things.h"

#define BELT_FRICTION 0.4

typedef struct Belt {
    cnWorldId world;
    cnMaterialId material;
} Belt;

static Belt make_belt(double timeStep, cnVec3 gravity) {
    Belt belt = {.world = make_world((cnWorldDef){
                     .timeStep = timeStep, .gravity = {.type = cn_gravityUniform, .acceleration = gravity}})};
    belt.material = cnCreateMaterial(belt.world, &(cnMaterialDef){0});
    cnCreateContactMaterial(belt.world, &(cnContactMaterialDef){.material1 = belt.material,
                                                                .material2 = belt.material,
                                                                .given = cn_contactFriction,
                                                                .friction = {BELT_FRICTION, BELT_FRICTION}});
    return belt;
}

static Thing add_block(const Belt* belt, cnVec3 position, cnVec3 half) {
    Thing block = {.body = cnCreateBody(belt->world, &(cnBodyDef){.position = position})};
    block.geometry =
        add_geometry(belt->world, (cnGeometryDef){.body = block.body, .material = belt->material},
                     (cnShapeDef){.type = cn_box, .halfExtents = half});
    return block;
}

// A block put on a belt slides up to its speed: v/(μ g) long, v²/(2 μ g) far; whichever of the two has the
// surface velocity, whatever part of it points along the normal, and with the belt's frame turned.
static void a_block_on_a_belt_slides_up_to_its_speed(void** state) {
    (void)state;
    double v = 0.8, g = 9.81, h = 1.0 / 480;
    for (int way = 0; way < 3; ++way) {
        Belt belt = make_belt(h, cnVec(0, 0, -g));
        cnQuat quarter = {0, 0, sqrt(0.5), sqrt(0.5)}; // y of the frame is −x of the world
        cnGeometryDef ground = {.material = belt.material,
                                .rotation = way == 2 ? quarter : (cnQuat){0, 0, 0, 1},
                                .position = {0, 0, -1}};
        ground.surfaceVelocity = way == 0 ? cnVec(v, 0, 3) : (way == 2 ? cnVec(0, -v, 0) : cnVec3_zero);
        add_geometry(belt.world, ground, box_of(20, 20, 1));
        Thing block = add_block(&belt, cnVec(0, 0, 0.1), cnVec(0.1, 0.1, 0.1));
        if (way == 1) {
            cnGeometry_SetSurfaceVelocity(belt.world, block.geometry, cnVec(-v, 0, 0));
            assert_near(cnGeometry_GetSurfaceVelocity(belt.world, block.geometry).x, -v, 0);
        }
        double time = 0, fastest = 0;
        for (int i = 0; i < 480; ++i) {
            step_world(belt.world, 1);
            double speed = cnBody_GetVelocity(belt.world, block.body).x;
            fastest = cnMax(fastest, speed);
            time = speed < 0.999 * v ? (i + 1) * h : time;
        }
        assert_near(time, v / (BELT_FRICTION * g), 0.01 * v / (BELT_FRICTION * g) + h);
        // it may read the friction of half a sub-step more when it gets to the belt's speed
        assert_true(fastest > v - 1e-3 && fastest < v + BELT_FRICTION * g * h / 6);
        assert_near(cnBody_GetVelocity(belt.world, block.body).x, v, 1e-4);
        double slip = v * 480 * h - cnBody_GetPosition(belt.world, block.body).x;
        assert_near(slip, v * v / (2 * BELT_FRICTION * g), 0.02 * v * v / (2 * BELT_FRICTION * g));
        cnDestroyWorld(belt.world);
    }
}

// Up a slope of 12°: a = g (μ cos − sin) until the belt's speed, then that.
static void an_inclined_belt_accelerates_by_friction_less_gravity(void** state) {
    (void)state;
    double v = 0.8, g = 9.81, h = 1.0 / 480, angle = 12 * CN_PI / 180;
    Belt belt = make_belt(h, cnVec(-g * cnSin(angle), 0, -g * cnCos(angle)));
    add_geometry(belt.world, (cnGeometryDef){.material = belt.material, .surfaceVelocity = {v, 0, 0}},
                 groundPlane);
    Thing block = add_block(&belt, cnVec(0, 0, 0.1), cnVec(0.1, 0.1, 0.1));
    double acceleration = g * (BELT_FRICTION * cnCos(angle) - cnSin(angle));
    step_world(belt.world, 96);
    assert_near(cnBody_GetVelocity(belt.world, block.body).x, acceleration * 96 * h,
                0.01 * acceleration * 96 * h);
    step_world(belt.world, 480);
    assert_near(cnBody_GetVelocity(belt.world, block.body).x, v, 1e-3);
    cnDestroyWorld(belt.world);
}

// Two belts that face one another squeeze a plank and launch it at their speed; many blocks in a converged
// island ride as well.
static void facing_belts_launch_a_plank_at_their_speed(void** state) {
    (void)state;
    double h = 1.0 / 480;
    Belt belt = make_belt(h, cnVec3_zero);
    Thing lower = add_block(&belt, cnVec(0, 0, -0.15), cnVec(0.5, 0.2, 0.1));
    Thing upper = add_block(&belt, cnVec(0, 0, 0.15), cnVec(0.5, 0.2, 0.1));
    Thing plank = add_block(&belt, cnVec(-0.4, 0, 0), cnVec(0.4, 0.1, 0.05));
    cnBody_SetMotion(belt.world, lower.body, cn_static);
    cnBody_SetLinearDamping(belt.world, upper.body, cnVec(1e9, 1e9, 0));
    cnBody_SetAngularDamping(belt.world, upper.body, cnVec(1e9, 1e9, 1e9));
    cnGeometry_SetSurfaceVelocity(belt.world, lower.geometry, cnVec(1, 0, 0));
    cnGeometry_SetSurfaceVelocity(belt.world, upper.geometry, cnVec(1, 0, 0));
    double mass = cnBody_GetMass(belt.world, upper.body);
    for (int i = 0; i < 480; ++i) {
        cnBody_ApplyForce(belt.world, upper.body, cnVec(0, 0, -20 * mass));
        step_world(belt.world, 1);
    }
    assert_near(cnBody_GetVelocity(belt.world, plank.body).x, 1, 5e-3);
    cnDestroyWorld(belt.world);
}

// Three equal boxes with a light one below make a converged island; its stack rides the belt.
static void a_belt_carries_a_stack(void** state) {
    (void)state;
    Belt belt = make_belt(1.0 / 60, cnVec(0, 0, -9.81));
    add_geometry(belt.world, (cnGeometryDef){.material = belt.material, .surfaceVelocity = {0, 0.3, 0}},
                 groundPlane);
    Thing boxes[4];
    for (int i = 0; i < 4; ++i) {
        boxes[i] = add_block(&belt, cnVec(0, 0, 0.2 * i + 0.1), cnVec(0.2, 0.2, 0.1));
        if (i == 3) {
            cnBody_SetMass(belt.world, boxes[i].body, 1000);
        }
    }
    step_world(belt.world, 180);
    assert_int_equal(cnWorld_GetCounters(belt.world).convergedIslands, 1);
    for (int i = 0; i < 4; ++i) {
        assert_near(cnBody_GetVelocity(belt.world, boxes[i].body).y, 0.3, 1e-3);
    }
    cnDestroyWorld(belt.world);
}

int main(void) {
    return run_all(a_block_on_a_belt_slides_up_to_its_speed,
                   an_inclined_belt_accelerates_by_friction_less_gravity,
                   facing_belts_launch_a_plank_at_their_speed, a_belt_carries_a_stack);
}
