// The world as its users meet it: laws of mechanics in numbers, misuse, determinism over threads, memory.
#include "helpers.h"
#include "world/table_registry.h"

static cnBodyId add_box(cnWorldId world, cnVec3 position, double half, cnMaterialId material) {
    return add_body(world, (cnBodyDef){.position = position}, box_of(half, half, half), material);
}

static cnBodyId add_ball(cnWorldId world, cnVec3 position, cnVec3 velocity, double radius,
                         cnMaterialId material) {
    return add_body(world, (cnBodyDef){.position = position, .velocity = velocity}, sphere_of(radius),
                    material);
}

// ---- free bodies ------------------------------------------------------------------------------------------

// A throw, v = v_0 − g t and z = z_0 − g t²/2, and its energy, to rounding.
static void a_fall_is_a_parabola(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    cnBodyId ball = add_ball(world, cnVec(0, 0, 100), cnVec(3, 0, 0), 0.5, (cnMaterialId){0});
    double energy = cnWorld_GetKineticEnergy(world) + cnWorld_GetPotentialEnergy(world);
    for (int i = 0; i < 60; ++i) {
        step_world(world, 1);
        double now = cnWorld_GetKineticEnergy(world) + cnWorld_GetPotentialEnergy(world);
        assert_near(now / energy, 1, 1e-12);
    }
    assert_near(cnBody_GetVelocity(world, ball).z, -GRAVITY, 1e-12);
    assert_near(cnBody_GetPosition(world, ball).z, 100 - GRAVITY / 2, 1e-10);
    assert_near(cnBody_GetPosition(world, ball).x, 3, 1e-12);
    assert_near(cnBody_GetLastForce(world, ball).z, -1000 * 4.0 / 3.0 * CN_PI * 0.125 * GRAVITY, 1e-6);
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
}

// An asymmetric top turns for 10,000 steps: L to the last bit, energy within 1e-4.
static void a_free_top_keeps_its_angular_momentum(void** state) {
    (void)state;
    cnWorldId world = make_world(weightless);
    cnBodyId top = cnCreateBody(world, &(cnBodyDef){.mass = 2,
                                                    .inertia = {{1, 0.1, 0}, {0.1, 2, 0}, {0, 0, 2.5}},
                                                    .angularVelocity = {0.1, 6, 0.3}});
    cnVec3 momentum = cnBody_GetAngularMomentum(world, top);
    double energy = cnWorld_GetKineticEnergy(world);
    double worst = 0;
    for (int i = 0; i < 10000; ++i) {
        step_world(world, 1);
        worst = cnMax(worst, fabs(cnWorld_GetKineticEnergy(world) / energy - 1));
    }
    cnVec3 after = cnBody_GetAngularMomentum(world, top);
    assert_memory_equal(&after, &momentum, sizeof after);
    assert_true(worst < 1e-4);
    cnDestroyWorld(world);
}

// v falls by 1/(1 + D h) a step, axis by axis of the model; ω likewise.
static void damping_acts_axis_by_axis(void** state) {
    (void)state;
    cnWorldId world = make_world(weightless);
    const cnBodyDef def = {.mass = 1,
                           .inertia = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                           .linearDamping = {1, 0, 3},
                           .angularDamping = {0, 0, 2}};
    cnBodyDef moving = def, spinning = def;
    moving.velocity = cnVec(1, 1, 1);
    spinning.angularVelocity = cnVec(0, 0, 1);
    cnBodyId mover = cnCreateBody(world, &moving), spinner = cnCreateBody(world, &spinning);
    assert_near(cnBody_GetMass(world, mover), 1, 0);
    step_world(world, 4);
    cnVec3 before = cnBody_GetVelocity(world, mover);
    double spin = cnBody_GetAngularVelocity(world, spinner).z;
    step_world(world, 1);
    cnVec3 v = cnBody_GetVelocity(world, mover);
    assert_near(cnBody_GetAngularVelocity(world, spinner).z / spin, 1 / (1 + 2.0 / 60), 1e-12);
    assert_near(v.x / before.x, 1 / (1 + 1.0 / 60), 1e-12);
    assert_near(v.y, 1, 1e-12);
    assert_near(v.z / before.z, 1 / (1 + 3.0 / 60), 1e-12);
    assert_near(v.x, exp(-5.0 / 60), 1e-3);
    cnDestroyWorld(world);
}

// Added mass: a force accelerates by F / (m (1 + c)), gravity pulls on the plain mass. The body turns a
// little: velocities swing by 1e-7.
static void added_mass_resists_forces_and_weighs_nothing(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    cnBodyId body = cnCreateBody(world, &(cnBodyDef){.mass = 2, .massCoefficients = {1, 0, 3}});
    cnBody_ApplyForce(world, body, cnVec(8, 8, 0));
    step_world(world, 1);
    cnVec3 v = cnBody_GetVelocity(world, body);
    assert_near(v.x, 8.0 / 4 / 60, 1e-7);
    assert_near(v.y, 8.0 / 2 / 60, 1e-7);
    assert_near(v.z, -GRAVITY / 4 / 60, 1e-7);
    assert_near(cnWorld_GetMomentum(world).x, 8.0 / 60, 1e-13);
    cnDestroyWorld(world);
}

// Munk's moment: a body with added mass across its motion turns, and L + x × p stays.
static void added_mass_conserves_momenta(void** state) {
    (void)state;
    cnWorldId world = make_world(weightless);
    cnCreateBody(world, &(cnBodyDef){.mass = 1,
                                     .inertia = {{1, 0, 0}, {0, 2, 0}, {0, 0, 2.5}},
                                     .velocity = {1, 0.4, 0},
                                     .angularVelocity = {0, 0.3, 0.2},
                                     .massCoefficients = {0.1, 1, 1}});
    cnVec3 p = cnWorld_GetMomentum(world), l = cnWorld_GetAngularMomentum(world);
    step_world(world, 600);
    cnVec3 dp = cnSub(cnWorld_GetMomentum(world), p), dl = cnSub(cnWorld_GetAngularMomentum(world), l);
    assert_near(cnLength(dp), 0, 1e-12);
    assert_near(cnLength(dl), 0, 1e-10);
    cnDestroyWorld(world);
}

// Kepler: an orbit of radius 1 with mu = 1 closes after 2π, |r| stays within the stepper's O(h²).
static void a_kepler_orbit_closes(void** state) {
    (void)state;
    double h = 0.001;
    cnWorldId world = make_world((cnWorldDef){.timeStep = h, .gravity = {.type = cn_gravityKepler, .mu = 1}});
    cnVec3 velocity = {0, 1, 0};
    cnBodyId planet =
        cnCreateBody(world, &(cnBodyDef){.position = {1, 0, 0}, .velocity = velocity, .mass = 1});
    double worst = 0;
    for (int i = 0; i < 6283; ++i) {
        step_world(world, 1);
        worst = cnMax(worst, fabs(cnLength(cnBody_GetPosition(world, planet)) - 1));
    }
    assert_true(worst < 1e-6);
    assert_near(cnBody_GetPosition(world, planet).y, sin(6.283 - 2 * CN_PI), 3e-6);
    cnDestroyWorld(world);
}

static void point_gravity_pulls_towards_its_centre(void** state) {
    (void)state;
    cnWorldId world =
        make_world((cnWorldDef){.gravity = {.type = cn_gravityPoint, .centre = {0, 0, -10}, .magnitude = 6}});
    cnBodyId body = cnCreateBody(world, &(cnBodyDef){.position = {10, 0, -10}, .mass = 3});
    assert_near(cnWorld_GetPotentialEnergy(world), 3 * 6 * 10, 1e-12);
    step_world(world, 1);
    assert_near(cnBody_GetVelocity(world, body).x, -6.0 / 60, 1e-14);
    cnDestroyWorld(world);
}

// A force at a point is the force and its moment about the centre of mass.
static void a_force_at_a_point_has_its_moment(void** state) {
    (void)state;
    cnWorldId world = make_world(weightless);
    cnBodyId body = cnCreateBody(world, &(cnBodyDef){.mass = 1,
                                                     .inertia = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                                     .position = {5, 0, 0},
                                                     .centreOfMassGiven = true,
                                                     .centreOfMass = {1, 0, 0}});
    cnBody_ApplyForceAtPoint(world, body, cnVec(0, 6, 0), cnVec(8, 0, 0));       // 2 m from the centre
    cnBody_ApplyForceAtLocalPoint(world, body, cnVec(0, -6, 0), cnVec(1, 0, 0)); // at the centre
    cnBody_ApplyTorque(world, body, cnVec(0, 3, 0));
    step_world(world, 1);
    assert_near(cnBody_GetVelocity(world, body).y, 0, 1e-15);
    assert_near(cnBody_GetAngularVelocity(world, body).z, 12.0 / 60, 1e-14);
    assert_near(cnBody_GetAngularVelocity(world, body).y, 3.0 / 60, 1e-14);
    assert_near(cnBody_GetLastTorque(world, body).z, 12, 1e-12);
    step_world(world, 1);
    assert_near(cnLength(cnBody_GetLastTorque(world, body)), 0, 0);
    cnDestroyWorld(world);
}

// ---- impulses, gravity of one body ------------------------------------------------------------------------

static void impulses_add_to_momenta(void** state) {
    (void)state;
    cnWorldId world = make_world(weightless);
    cnMat33 inertia = {{2, 0.5, 0}, {0.5, 3, 0}, {0, 0, 4}};
    cnBodyId body = cnCreateBody(world, &(cnBodyDef){.mass = 2, .inertia = inertia});
    assert_int_equal(cnBody_ApplyImpulse(world, body, cnVec(2, 4, 6), cnVec(1, 2, 3)), CN_ERROR_NONE);
    assert_near(cnBody_GetVelocity(world, body).y, 2, 1e-15);
    cnVec3 momentum = cnMulMat(inertia, cnBody_GetAngularVelocity(world, body));
    assert_near(cnLength(cnSub(momentum, cnVec(1, 2, 3))), 0, 1e-14);
    cnVec3 largest = cnVec(INFINITY, 0, 0);
    assert_int_equal(cnBody_ApplyImpulse(world, body, largest, cnVec3_zero), CN_ERROR_NOT_FINITE);
    cnBodyId fixed = cnCreateBody(world, &(cnBodyDef){.motion = cn_static});
    assert_int_equal(cnBody_ApplyImpulse(world, fixed, cnVec(1, 0, 0), cnVec3_zero), CN_ERROR_OUT_OF_RANGE);
    cnDestroyWorld(world);
}

static void gravity_scale_is_of_one_body(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    cnBodyId plain = cnCreateBody(world, &(cnBodyDef){.mass = 1});
    cnBodyId light =
        cnCreateBody(world, &(cnBodyDef){.mass = 1, .gravityScaleGiven = true, .gravityScale = 0.25});
    assert_near(cnBody_GetGravityScale(world, plain), 1, 0);
    step_world(world, 60);
    assert_near(cnBody_GetVelocity(world, plain).z, -9.80665, 1e-12);
    assert_near(cnBody_GetVelocity(world, light).z, -9.80665 / 4, 1e-12);
    assert_int_equal(cnBody_SetGravityScale(world, light, NAN), CN_ERROR_NOT_FINITE);
    assert_int_equal(cnBody_SetGravityScale(world, light, 1e7), CN_ERROR_OUT_OF_RANGE);
    assert_int_equal(cnBody_SetGravityScale(world, light, 0), CN_ERROR_NONE);
    assert_near(cnBody_GetVelocity(world, light).z, -9.80665 / 4, 1e-12);
    step_world(world, 60);
    assert_near(cnBody_GetVelocity(world, light).z, -9.80665 / 4, 1e-12);
    cnDestroyWorld(world);
}

// ---- kinematic bodies -------------------------------------------------------------------------------------

static void move_to_arrives_and_goes_on(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    cnBodyId body = cnCreateBody(world, &(cnBodyDef){.motion = cn_kinematic});
    cnQuat quarter = {0, 0, sqrt(0.5), sqrt(0.5)};
    assert_int_equal(cnBody_MoveTo(world, body, cnVec(1, 2, 3), quarter, 0.51, cn_arrivalKeepVelocity),
                     CN_ERROR_NONE);
    step_world(world, 31); // the first step that ends at or after 0.51 s
    cnVec3 there = cnBody_GetPosition(world, body);
    assert_near(there.x, 1, 0);
    assert_near(there.y, 2, 0);
    assert_near(there.z, 3, 0);
    assert_near(cnBody_GetRotation(world, body).z, sqrt(0.5), 1e-15);
    cnVec3 v = cnBody_GetVelocity(world, body);
    assert_near(v.x, 60.0 / 31, 1e-12);
    assert_near(cnBody_GetAngularVelocity(world, body).z, CN_PI / 2 * 60 / 31, 1e-12);
    step_world(world, 31);
    assert_near(cnBody_GetPosition(world, body).x, 2, 1e-12);
    cnDestroyWorld(world);
}

static void move_to_arrives_and_stops(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    cnBodyId body = cnCreateBody(world, &(cnBodyDef){.motion = cn_kinematic});
    assert_int_equal(cnBody_MoveTo(world, body, cnVec(1, 0, 0), cnQuat_identity, 0.5, cn_arrivalStop),
                     CN_ERROR_NONE);
    step_world(world, 30);
    assert_near(cnBody_GetPosition(world, body).x, 1, 0);
    step_world(world, 30);
    assert_near(cnBody_GetPosition(world, body).x, 1, 0);
    assert_near(cnLength(cnBody_GetVelocity(world, body)), 0, 0);
    cnDestroyWorld(world);
}

// ---- mass properties --------------------------------------------------------------------------------------

static void mass_follows_geometries(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    cnMaterialId light =
        cnCreateMaterial(world, &(cnMaterialDef){.given = cn_materialDensity, .density = 100});
    cnBodyId body = cnCreateBody(world, &(cnBodyDef){0});
    assert_near(cnBody_GetMass(world, body), 1, 0);
    cnGeometryId first = add_shape(world, body, box_of(0.5, 0.5, 0.5), light);
    assert_near(cnBody_GetMass(world, body), 100, 1e-12);
    cnShapeId shape = cnCreateShape(world, &(cnShapeDef){.type = cn_box, .halfExtents = {0.5, 0.5, 0.5}});
    cnShapeInstance instance = {.shape = shape, .position = {2, 0, 0}};
    cnGeometryDef def = {.body = body, .shapes = &instance, .shapeCount = 1, .material = light};
    cnGeometryId second = cnCreateGeometry(world, &def);
    assert_near(cnBody_GetMass(world, body), 200, 1e-12);
    assert_near(cnBody_GetLocalCentreOfMass(world, body).x, 1, 1e-12);
    assert_near(cnBody_GetInertia(world, body).x.x, 200.0 / 6, 1e-9);
    assert_near(cnBody_GetInertia(world, body).y.y, 200.0 / 6 + 200 * 1.0, 1e-9);
    cnBody_SetMass(world, body, 20);
    assert_near(cnBody_GetInertia(world, body).x.x, 20.0 / 6, 1e-9);
    cnBody_SetMass(world, body, 0);
    cnGeometry_SetMassProperties(world, first, false);
    assert_near(cnBody_GetMass(world, body), 100, 1e-12);
    assert_near(cnBody_GetLocalCentreOfMass(world, body).x, 2, 1e-12);
    cnMaterial_Set(world, light, &(cnMaterialDef){.given = cn_materialDensity, .density = 50});
    assert_near(cnBody_GetMass(world, body), 100, 1e-12); // until it is asked for
    assert_int_equal(cnBody_UpdateMassProperties(world, body), CN_ERROR_NONE);
    assert_near(cnBody_GetMass(world, body), 50, 1e-12);
    cnBody_SetMass(world, body, 7);
    assert_int_equal(cnBody_UpdateMassProperties(world, body), CN_ERROR_NONE);
    assert_near(cnBody_GetMass(world, body), 7, 0);

    // what it has stays when nothing gives a mass any more, and goes with a mass of 0
    cnBody_SetMass(world, body, 0);
    cnDestroyGeometry(world, second);
    cnDestroyGeometry(world, first);
    assert_near(cnBody_GetMass(world, body), 50, 1e-12);
    assert_near(cnBody_GetInertia(world, body).x.x, 50.0 / 6, 1e-9);
    assert_near(cnBody_GetLocalCentreOfMass(world, body).x, 2, 1e-12);
    assert_int_equal(cnBody_UpdateMassProperties(world, body), CN_ERROR_NONE);
    assert_near(cnBody_GetMass(world, body), 50, 1e-12);
    cnBody_SetMass(world, body, 25);
    assert_near(cnBody_GetInertia(world, body).x.x, 25.0 / 6, 1e-9);
    cnBody_SetMass(world, body, 0);
    assert_near(cnBody_GetMass(world, body), 1, 0);
    assert_near(cnBody_GetInertia(world, body).x.x, 1, 0);
    assert_near(cnBody_GetLocalCentreOfMass(world, body).x, 0, 0);
    cnDestroyWorld(world);
}

// ---- contacts ---------------------------------------------------------------------------------------------

// The ground bears a box's weight; the depth is the compliance's, and the readers agree with each other.
static void a_box_rests_with_its_weight(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    cnMaterialId material = add_material(world, 0.5, 0);
    cnGeometryId ground = add_ground(world, material);
    cnBodyId box = add_box(world, cnVec(0, 0, 0.5), 0.5, material);
    step_world(world, 600);
    cnContactForces forces = cnBody_GetContactForcesWithGeometry(world, box, ground);
    assert_near(forces.normal.z, 1000 * GRAVITY, 1000 * GRAVITY * 1e-4);
    assert_near(cnLength(forces.tangential), 0, 1);
    assert_int_equal(forces.points, 4);
    assert_int_equal(forces.state, cn_contactContact);
    assert_true(forces.depth > 0 && forces.depth < 1e-4);
    assert_true(cnWorld_GetKineticEnergy(world) < 1e-6 * 1000);
    cnDestroyWorld(world);
}

// Momentum of two colliding balls is conserved and the relative speed out is e times that in.
static void head_on_impacts_conserve_momentum(void** state) {
    (void)state;
    const double restitutions[] = {0, 0.25, 0.5, 0.75, 1};
    for (int i = 0; i < 5; ++i) {
        cnWorldId world = make_world(weightless);
        cnMaterialId material = add_material(world, 0, restitutions[i]);
        cnBodyId left = add_ball(world, cnVec(-1.003, 0, 0), cnVec(1, 0, 0), 0.5, material);
        cnBodyId right = add_ball(world, cnVec(1.003, 0, 0), cnVec(-1, 0, 0), 0.5, material);
        cnBody_SetMass(world, right, 3 * cnBody_GetMass(world, left));
        double momentum = cnWorld_GetMomentum(world).x;
        step_world(world, 60);
        double out = cnBody_GetVelocity(world, right).x - cnBody_GetVelocity(world, left).x;
        assert_near(cnWorld_GetMomentum(world).x, momentum, 1e-4 * fabs(momentum));
        if (restitutions[i] > 0) {
            assert_near(out, 2 * restitutions[i], 1e-3);
        } else {
            assert_true(out < 0.5); // it is pushed out of the depth found, no faster than 0.5 m/s
        }
        cnDestroyWorld(world);
    }
}

// Newton's cradle of five: (1, 0, 0, 0, 0) goes to (0, 0, 0, 0, 1), as sequential impacts have it.
static void newtons_cradle_passes_the_impact_on(void** state) {
    (void)state;
    cnWorldId world = make_world(weightless);
    cnMaterialId material = add_material(world, 0, 1);
    cnBodyId balls[5];
    for (int i = 0; i < 5; ++i) {
        balls[i] = add_ball(world, cnVec(i == 0 ? -0.3 : i * 0.9999, 0, 0), cnVec(i == 0 ? 1 : 0, 0, 0), 0.5,
                            material);
    }
    step_world(world, 40);
    for (int i = 0; i < 4; ++i) {
        assert_near(cnBody_GetVelocity(world, balls[i]).x, 0, 0.02);
    }
    assert_near(cnBody_GetVelocity(world, balls[4]).x, 1, 0.02);
    cnDestroyWorld(world);
}

// A block at 20 m/s with friction 0.5 stops after v²/(2 μ g), whichever way it goes.
static void a_block_stops_after_its_stopping_distance(void** state) {
    (void)state;
    for (int k = 0; k < 4; ++k) {
        cnWorldId world = make_world((cnWorldDef){.threads = 1});
        cnMaterialId material = add_material(world, 0.5, 0);
        add_ground(world, material);
        cnBodyId box = add_box(world, cnVec(0, 0, 0.25), 0.25, material);
        step_world(world, 30);
        double angle = 0.3 + k;
        cnVec3 start = cnBody_GetPosition(world, box);
        cnBody_SetVelocity(world, box, cnVec(4 * cos(angle), 4 * sin(angle), 0));
        step_world(world, 120);
        cnVec3 way = cnSub(cnBody_GetPosition(world, box), start);
        double distance = 4 * 4 / (2 * 0.5 * GRAVITY);
        assert_near(sqrt(way.x * way.x + way.y * way.y), distance, 0.02 * distance);
        assert_near(atan2(way.y, way.x), angle > CN_PI ? angle - 2 * CN_PI : angle, 0.01);
        cnDestroyWorld(world);
    }
}

// A ball bounces to e² of its height, never higher.
static void a_ball_bounces_to_its_restitution_squared(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    cnWorld_SetTimeStep(world, 1.0 / 240);
    cnMaterialId material = add_material(world, 0.5, 0.8);
    add_ground(world, material);
    cnBodyId ball = add_ball(world, cnVec(0, 0, 2.5), cnVec3_zero, 0.5, material);
    double apex = 0, before = -1;
    bool risen = false;
    for (int i = 0; i < 480; ++i) {
        step_world(world, 1);
        double v = cnBody_GetVelocity(world, ball).z;
        risen |= before < 0 && v > 0;
        if (risen) {
            apex = cnMax(apex, cnBody_GetPosition(world, ball).z - 0.5);
        }
        before = v;
    }
    assert_near(apex, 2 * 0.64, 0.05);
    cnDestroyWorld(world);
}

// Impact, contact, separation, none, in this order.
static void contact_states_come_in_order(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    cnMaterialId material = add_material(world, 0.5, 0);
    cnGeometryId ground = add_ground(world, material);
    cnBodyId ball = add_ball(world, cnVec(0, 0, 0.6), cnVec3_zero, 0.5, material);
    int states[5] = {0};
    int order = 0;
    cnContactState last = cn_contactNone;
    for (int i = 0; i < 120; ++i) {
        if (i == 60) {
            cnBody_SetVelocity(world, ball, cnVec(0, 0, 2));
        }
        step_world(world, 1);
        cnContactState now = cnBody_GetContactForcesWithGeometry(world, ball, ground).state;
        if (now != last && order < 5) {
            states[order++] = (int)now;
            last = now;
        }
    }
    assert_int_equal(states[0], cn_contactImpact);
    assert_int_equal(states[1], cn_contactContact);
    assert_int_equal(states[2], cn_contactSeparation);
    assert_int_equal(states[3], cn_contactNone);
    cnDestroyWorld(world);
}

// Any "off" wins: geometry, pair, group, body.
static void any_filter_that_is_off_wins(void** state) {
    (void)state;
    for (int kind = 0; kind < 5; ++kind) {
        cnWorldId world = make_world((cnWorldDef){.threads = 1});
        cnGeometryId ground = add_ground(world, (cnMaterialId){0});
        cnBodyId body = cnCreateBody(world, &(cnBodyDef){.position = {0, 0, 1}});
        cnGeometryId geometry = add_shape(world, body, sphere_of(0.5), (cnMaterialId){0});
        if (kind == 0) {
            cnGeometry_SetCollisions(world, geometry, false);
        } else if (kind == 1) {
            cnWorld_SetGeometryPairEnabled(world, geometry, ground, false);
        } else if (kind == 2) {
            cnGeometry_AddGroup(world, geometry, 7);
            cnGeometry_AddGroup(world, ground, 8);
            cnWorld_SetGroupPairEnabled(world, 8, 7, false);
        } else if (kind == 3) {
            cnGeometry_SetEnabled(world, ground, false);
        }
        step_world(world, 60);
        bool fell = cnBody_GetPosition(world, body).z < -1;
        assert_int_equal(fell, kind < 4);
        cnDestroyWorld(world);
    }
}

static void rays_hit_the_nearest_surface(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    cnGeometryId ground = add_ground(world, (cnMaterialId){0});
    cnBodyId box = add_box(world, cnVec(0, 0, 3), 0.5, (cnMaterialId){0});
    cnRayResult hit = cnWorld_CastRay(world, cnVec(0.1, 0.2, 10), cnVec(0, 0, -20), NULL);
    assert_true(CN_SAME_ID(hit.body, box));
    assert_near(hit.point.z, 3.5, 1e-12);
    assert_near(hit.normal.z, 1, 1e-12);
    assert_near(hit.fraction, 6.5 / 20, 1e-12);
    cnBody_SetPosition(world, box, cnVec(5, 0, 3));
    hit = cnWorld_CastRay(world, cnVec(0.1, 0.2, 10), cnVec(0, 0, -20), NULL);
    assert_true(CN_IS_NULL(hit.body) && CN_SAME_ID(hit.geometry, ground));
    cnDestroyWorld(world);
}

// ---- failure ----------------------------------------------------------------------------------------------

static void bad_arguments_change_nothing(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    cnBodyId body = add_box(world, cnVec(0, 0, 1), 0.5, (cnMaterialId){0});
    cnWorldId other = make_world((cnWorldDef){.threads = 1});
    char before[17], after[17];
    cnWorld_GetHash(world, before);
    assert_int_equal(cnBody_SetVelocity(world, body, cnVec(NAN, 0, 0)), CN_ERROR_NOT_FINITE);
    assert_string_equal(cnGetLastError()->argument, "velocity");
    assert_int_equal(cnBody_SetVelocity(world, (cnBodyId){0}, cnVec(1, 0, 0)), CN_ERROR_NULL_HANDLE);
    assert_int_equal(cnBody_SetVelocity(other, body, cnVec(1, 0, 0)), CN_ERROR_STALE_HANDLE);
    assert_int_equal(cnBody_SetMass(world, body, -1), CN_ERROR_OUT_OF_RANGE);
    assert_int_equal(cnBody_SetRotation(world, body, (cnQuat){0, 0, 0, 2}), CN_ERROR_OUT_OF_RANGE);
    assert_int_equal(cnBody_SetInertia(world, body, cnDiagonal(cnVec(1, 2, 4))), CN_ERROR_OUT_OF_RANGE);
    assert_int_equal(cnBody_ApplyForce(world, body, cnVec(INFINITY, 0, 0)), CN_ERROR_NOT_FINITE);
    assert_int_equal(cnWorld_SetTimeStep(world, 0), CN_ERROR_OUT_OF_RANGE);
    assert_int_equal(cnWorld_Solve(world), CN_ERROR_WRONG_PHASE);
    assert_true(CN_IS_NULL(cnCreateShape(world, &(cnShapeDef){.type = cn_box})));
    assert_true(CN_IS_NULL(cnCreateBody(world, NULL)));
    cnWorld_GetHash(world, after);
    assert_string_equal(before, after);
    assert_int_equal(cnDestroyBody(world, body), CN_ERROR_NONE);
    assert_int_equal(cnDestroyBody(world, body), CN_ERROR_STALE_HANDLE);
    cnDestroyWorld(other);
    cnDestroyWorld(world);
    assert_int_equal(cnWorld_Step(world), CN_ERROR_STALE_HANDLE);
}

// A body that leaves the finite numbers is put back, stopped and disabled; the rest of the world goes on.
static void a_body_that_leaves_the_finite_numbers_is_put_back(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    cnBodyId good = add_ball(world, cnVec(0, 0, 10), cnVec3_zero, 0.5, (cnMaterialId){0});
    cnBodyId bad = cnCreateBody(
        world,
        &(cnBodyDef){.position = {9, 0, 1}, .mass = 1e-30, .inertia = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}});
    for (int i = 0; i < 11; ++i) {
        cnBody_ApplyForce(world, bad, cnVec(9e29, 0, 0));
    }
    cnBody_SetLinearDamping(world, bad, cnVec(0, 0, 0));
    cnErrorCode code = CN_ERROR_NONE;
    for (int i = 0; i < 400 && code == CN_ERROR_NONE; ++i) {
        cnBody_ApplyForce(world, bad, cnVec(9e29, 0, 0));
        code = cnWorld_Step(world);
    }
    (void)good;
    if (code != CN_ERROR_NONE) {
        assert_int_equal(code, CN_ERROR_NON_FINITE_STATE);
        assert_false(cnBody_IsEnabled(world, bad));
        step_world(world, 10);
    }
    assert_true(cnBody_GetPosition(world, good).z < 10);
    cnDestroyWorld(world);
}

// ---- the whole --------------------------------------------------------------------------------------------

static cnShapeDef random_shape(cnVec3 points[8]) {
    double size = random_in(0.1, 0.4);
    switch ((int)(4 * random_in(0.0, 1.0))) {
    case 0:
        return sphere_of(size);
    case 1:
        return box_of(size, size * 0.7, size * 0.5);
    case 2:
        return (cnShapeDef){.type = cn_capsule, .radius = size * 0.5, .height = size};
    default:
        for (int i = 0; i < 8; ++i) {
            points[i] = cnVec(random_in(-size, size), random_in(-size, size), random_in(-size, size));
        }
        return (cnShapeDef){.type = cn_convex, .points = points, .pointCount = 8};
    }
}

// A heap with bodies made, changed and destroyed on the way, the same for every seed.
static void run_heap(int threads, int steps, char hash[17]) {
    cnWorldId world = make_world((cnWorldDef){.threads = threads});
    add_ground(world, (cnMaterialId){0});
    randomState = 42;
    cnBodyId bodies[60] = {{0}};
    for (int i = 0; i < steps; ++i) {
        int slot = (int)(60 * random_in(0.0, 1.0));
        if (!CN_IS_NULL(bodies[slot]) && random_in(0.0, 1.0) < 0.3) {
            assert_int_equal(cnDestroyBody(world, bodies[slot]), CN_ERROR_NONE);
            bodies[slot] = (cnBodyId){0};
        } else if (CN_IS_NULL(bodies[slot])) {
            cnVec3 points[8];
            cnShapeDef def = random_shape(points);
            bodies[slot] =
                cnCreateBody(world, &(cnBodyDef){.position = {random_in(-1, 1), random_in(-1, 1), 3}});
            add_shape(world, bodies[slot], def, (cnMaterialId){0});
        } else if (random_in(0.0, 1.0) < 0.2) {
            cnBody_SetMotion(world, bodies[slot], (cnMotion)(3 * random_in(0.0, 1.0)));
            cnBody_SetEnabled(world, bodies[slot], random_in(0.0, 1.0) < 0.8);
        }
        step_world(world, 1);
    }
    cnWorld_GetHash(world, hash);
    cnDestroyWorld(world);
}

static void threads_change_nothing(void** state) {
    (void)state;
    char one[17], two[17], four[17];
    run_heap(1, 400, one);
    run_heap(2, 400, two);
    run_heap(4, 400, four);
    assert_string_equal(one, two);
    assert_string_equal(one, four);
}

// Nothing is left of a destroyed world, and a step allocates nothing after warm-up.
static void nothing_is_left_of_a_destroyed_world(void** state) {
    (void)state;
    size_t before = cnGetBytesInUse();
    cnWorldId world = make_world((cnWorldDef){.threads = 2});
    cnMaterialId material = add_material(world, 0.5, 0);
    add_ground(world, material);
    for (int i = 0; i < 64; ++i) {
        int column = i % 4, row = i / 4 % 4, layer = i / 16;
        add_box(world, cnVec(1.05 * column, 1.05 * row, 0.5 + 1.01 * layer), 0.5, material);
    }
    step_world(world, 120);
    size_t warm = cnGetBytesInUse();
    step_world(world, 240);
    assert_int_equal(cnGetBytesInUse(), warm);
    cnDestroyWorld(world);
    assert_int_equal(cnGetBytesInUse(), before);
}

// Whoever reads a column through its address looks at the epoch: it goes up whenever the column moved, also
// where what was to be made was refused in the end.
static void the_epoch_rises_for_rejected_objects_too(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    const uint32_t* epoch = cnWorld_GetEpoch(world);
    cnShapeDef ball = {.type = cn_sphere, .radius = 1}, wrong = {.type = cn_sphere, .radius = -1};
    for (int i = 0; i < 100; ++i) {
        const void* column = cnWorld_GetColumn(world, cn_tableShapes, 0);
        uint32_t before = *epoch;
        assert_true(CN_IS_NULL(cnCreateShape(world, &wrong)));
        assert_true(*epoch != before || column == cnWorld_GetColumn(world, cn_tableShapes, 0));
        assert_false(CN_IS_NULL(cnCreateShape(world, &ball)));
    }
    cnDestroyWorld(world);
}

// A table that cannot grow keeps all that it has, wherever memory ran out, and what moved before is told.
static void tables_without_memory_keep_what_they_have(void** state) {
    (void)state;
    static Ration ration;
    start_ration(&ration, LONG_MAX);
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    cnMaterialId material = cnCreateMaterial(world, &(cnMaterialDef){0});
    cnBodyId body = cnCreateBody(world, &(cnBodyDef){0});
    cnShapeDef ball = {.type = cn_sphere, .radius = 0.5};
    const uint32_t* epoch = cnWorld_GetEpoch(world);
    cnGeometryId first = add_shape(world, body, ball, material);
    assert_int_equal(cnGeometry_AddGroup(world, first, 7), CN_ERROR_NONE);
    for (int made = 1; made < 70;) {
        for (int left = 0; left < 64; ++left) {
            const void* columns[3];
            for (int kind = cn_tableBodies; kind <= cn_tableShapes; ++kind) {
                columns[kind] = cnWorld_GetColumn(world, (cnTableKind)kind, 0);
            }
            uint32_t before = *epoch;
            ration.left = left;
            cnShapeId shape = cnCreateShape(world, &ball);
            cnShapeInstance instance = {.shape = shape};
            cnGeometryDef def = {.shapes = &instance, .shapeCount = 1};
            cnGeometryId geometry = CN_IS_NULL(shape) ? (cnGeometryId){0} : cnCreateGeometry(world, &def);
            ration.left = LONG_MAX;
            for (int kind = cn_tableBodies; kind <= cn_tableShapes; ++kind) {
                assert_true(*epoch != before ||
                            columns[kind] == cnWorld_GetColumn(world, (cnTableKind)kind, 0));
            }
            assert_true(cnGeometry_IsInGroup(world, first, 7));
            if (!CN_IS_NULL(shape)) {
                assert_int_equal(cnReleaseShape(world, shape), CN_ERROR_NONE);
            }
            made += !CN_IS_NULL(geometry);
        }
    }
    cnDestroyWorld(world);
    end_ration(&ration);
}

int main(void) {
    return run_all(a_fall_is_a_parabola, a_free_top_keeps_its_angular_momentum, damping_acts_axis_by_axis,
                   added_mass_resists_forces_and_weighs_nothing, added_mass_conserves_momenta,
                   a_kepler_orbit_closes, point_gravity_pulls_towards_its_centre,
                   a_force_at_a_point_has_its_moment, move_to_arrives_and_goes_on, move_to_arrives_and_stops,
                   impulses_add_to_momenta, gravity_scale_is_of_one_body, mass_follows_geometries,
                   a_box_rests_with_its_weight, head_on_impacts_conserve_momentum,
                   newtons_cradle_passes_the_impact_on, a_block_stops_after_its_stopping_distance,
                   a_ball_bounces_to_its_restitution_squared, contact_states_come_in_order,
                   any_filter_that_is_off_wins, rays_hit_the_nearest_surface, bad_arguments_change_nothing,
                   a_body_that_leaves_the_finite_numbers_is_put_back, threads_change_nothing,
                   nothing_is_left_of_a_destroyed_world, the_epoch_rises_for_rejected_objects_too,
                   tables_without_memory_keep_what_they_have);
}
