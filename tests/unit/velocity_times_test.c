// Velocities that are set and read at the time of the poses, and forces that belong to the step.
#include "helpers.h"

static const cnMat33 unitInertia = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

#define STEP (1.0 / 60)

// A throw of 2 s at 1/60 s: the parabola and its energy.
static void a_throw_is_exact(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    cnBodyId ball =
        cnCreateBody(world, &(cnBodyDef){.mass = 2, .inertia = unitInertia, .velocity = {3, 1, 12}});
    double energy = total_energy(world);
    for (int i = 1; i <= 120; ++i) {
        step_world(world, 1);
        double t = i * STEP;
        assert_near_vec(cnBody_GetVelocity(world, ball), cnVec(3, 1, 12 - GRAVITY * t), 1e-9);
        assert_near_vec(cnBody_GetPosition(world, ball), cnVec(3 * t, t, 12 * t - GRAVITY * t * t / 2), 1e-9);
        assert_near(total_energy(world), energy, 1e-12 * energy);
    }
    cnDestroyWorld(world);
}

// What is set, read and set again goes on as it did.
static void reading_and_setting_changes_nothing(void** state) {
    (void)state;
    cnVec3 ends[2];
    for (int sets = 0; sets < 2; ++sets) {
        cnWorldId world = make_world((cnWorldDef){.threads = 1});
        cnBodyId ball =
            cnCreateBody(world, &(cnBodyDef){.mass = 1, .inertia = unitInertia, .velocity = {1, 0, 3}});
        for (int i = 0; i < 60; ++i) {
            step_world(world, 1);
            if (sets == 1 && i % 7 == 0) {
                assert_ok(cnBody_SetVelocity(world, ball, cnBody_GetVelocity(world, ball)));
            }
        }
        ends[sets] = cnBody_GetPosition(world, ball);
        cnDestroyWorld(world);
    }
    assert_near_vec(ends[1], ends[0], 1e-12);
}

// What joints and contacts do not allow of velocities that were set is gone after a step, and not turned
// round: along a rod, into a floor, against a motor, and of a rod's translation without its rotation.
static void velocities_that_are_not_allowed_are_not_turned_round(void** state) {
    (void)state;
    for (int solver = 0; solver < 3; ++solver) {
        static const cnSolverType solvers[3] = {cn_solverAuto, cn_solverDirect, cn_solverIterative};
        const cnSolverSettings settings = {.type = solvers[solver]};
        cnWorldId world = make_world(weightless);
        assert_ok(cnWorld_SetSolver(world, &settings));
        cnMat33 inertia = {{0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}};
        cnBodyDef def = {.mass = 2, .inertia = inertia, .position = {1, 0, 0}, .velocity = {0, 0, 3}};
        cnBodyId rod = cnCreateBody(world, &def), slide = cnCreateBody(world, &def);
        cnConstraintDef hinge = {.type = cn_constraintHinge,
                                 .body1 = rod,
                                 .given = cn_constraintAnchor | cn_constraintAxis,
                                 .axis = {0, 1, 0}};
        assert_made(cnCreateConstraint(world, &hinge));
        cnConstraintDef rail = {.type = cn_constraintPrismatic,
                                .body1 = slide,
                                .given = cn_constraintAxis,
                                .axis = {0, 0, 1},
                                .motor = {&(cnMotor){.speed = -1}}};
        assert_made(cnCreateConstraint(world, &rail));
        step_world(world, 1);
        double speed = 3 * 2 / 2.1; // it keeps its moment of momentum about the hinge
        assert_near(cnBody_GetVelocity(world, rod).z, speed, 0.05 * speed);
        assert_near(cnBody_GetAngularVelocity(world, rod).y, -speed, 0.15 * speed);
        assert_near(cnBody_GetVelocity(world, slide).z, -1, 1e-3);

        step_world(world, 60);
        assert_ok(cnBody_SetAngularVelocity(world, rod, cnVec3_zero));
        assert_ok(cnBody_SetVelocity(world, rod, cnBody_GetPosition(world, rod))); // along it
        step_world(world, 1);
        assert_near(cnLength(cnBody_GetVelocity(world, rod)), 0, 0.01);
        cnDestroyWorld(world);

        world = make_world((cnWorldDef){.threads = 1});
        assert_ok(cnWorld_SetSolver(world, &settings));
        cnMaterialId material = cnCreateMaterial(world, &(cnMaterialDef){.density = 1000});
        cnCreateContactMaterial(world, &(cnContactMaterialDef){.material1 = material,
                                                               .material2 = material,
                                                               .given = cn_contactRestitution});
        add_geometry(world, (cnGeometryDef){.material = material}, groundPlane);
        cnBodyId box = add_body(world, (cnBodyDef){.position = {0, 0, 0.25}, .velocity = {0, 0, -5}},
                                box_of(0.25, 0.25, 0.25), material);
        step_world(world, 1);
        assert_near(cnBody_GetVelocity(world, box).z, 0, 0.3);
        step_world(world, 200);
        assert_ok(cnBody_SetVelocity(world, box, cnVec(0, 0, -5)));
        step_world(world, 1);
        assert_near(cnBody_GetVelocity(world, box).z, 0, 0.3);
        cnDestroyWorld(world);
    }
}

// A force for n steps changes the momentum by n F h, and is exact in positions, whenever it begins.
static void forces_give_their_impulse(void** state) {
    (void)state;
    for (int before = 0; before <= 10; before += 5) {
        for (int steps = 1; steps <= 4; ++steps) {
            cnWorldId world = make_world(weightless);
            cnBodyId body = cnCreateBody(world, &(cnBodyDef){.mass = 2, .inertia = unitInertia});
            step_world(world, before);
            for (int i = 0; i < steps; ++i) {
                cnBody_ApplyForce(world, body, cnVec(6, 0, 0));
                cnBody_ApplyTorque(world, body, cnVec(0, 0, 4));
                step_world(world, 1);
                assert_near(cnBody_GetVelocity(world, body).x, 3 * (i + 1) * STEP, 1e-14);
                assert_near(cnBody_GetAngularVelocity(world, body).z, 4 * (i + 1) * STEP, 1e-14);
            }
            step_world(world, 5);
            double time = steps * STEP;
            assert_near(cnBody_GetVelocity(world, body).x, 3 * time, 1e-14);
            assert_near(cnBody_GetPosition(world, body).x, 1.5 * time * time + 3 * time * 5 * STEP, 1e-13);
            assert_near(cnBody_GetAngularVelocity(world, body).z, 4 * time, 1e-14);
            cnDestroyWorld(world);
        }
    }
}

// So it is where something bears a part of the force: a slider that is pushed into its rail, too, goes on as
// fast as it went, and of two bodies that a joint holds the sum is exact.
static void forces_that_joints_bear_take_no_motion(void** state) {
    (void)state;
    for (int speed = 0; speed <= 5; speed += 5) {
        cnWorldId world = make_world(weightless);
        cnBodyDef def = {.mass = 2, .inertia = unitInertia, .velocity = {speed, 0, 0}};
        cnBodyId slide = cnCreateBody(world, &def);
        assert_made(cnCreateConstraint(world, &(cnConstraintDef){.type = cn_constraintPrismatic,
                                                                 .body1 = slide,
                                                                 .given = cn_constraintAxis,
                                                                 .axis = {1, 0, 0}}));
        cnBodyDef others[2] = {{.mass = 2, .inertia = unitInertia, .position = {0, 9, 0}},
                               {.mass = 1, .inertia = unitInertia, .position = {1, 9, 0}}};
        cnBodyId first = cnCreateBody(world, &others[0]), second = cnCreateBody(world, &others[1]);
        assert_made(cnCreateConstraint(world, &(cnConstraintDef){.type = cn_constraintBall,
                                                                 .body1 = first,
                                                                 .body2 = second,
                                                                 .given = cn_constraintAnchor,
                                                                 .anchor = {0.5, 9, 0}}));
        double way = 0, velocity = speed, sideways = 0;
        for (int i = 0; i < 40; ++i) {
            double push = i / 10 % 2 == 1 ? 3 : 0; // m/s²
            cnBody_ApplyForce(world, slide, cnVec(2 * push, 0, 50 * push));
            cnBody_ApplyForce(world, first, cnVec(0, 0, 2 * push));
            step_world(world, 1);
            way += velocity * STEP + 0.5 * push * STEP * STEP;
            velocity += push * STEP;
            sideways += 2 * push * STEP;
            assert_near(cnBody_GetVelocity(world, slide).x, velocity, 1e-12);
            assert_near(cnBody_GetPosition(world, slide).x, way, 1e-12);
            assert_near(cnWorld_GetMomentum(world).z - 2 * cnBody_GetVelocity(world, slide).z, sideways,
                        1e-12);
        }
        cnDestroyWorld(world);
    }
}

// The largest error of the energy in 60 s, as a part of it.
static double energy_error(double timeStep) {
    cnWorldDef def = weightless;
    def.timeStep = timeStep;
    cnWorldId world = make_world(def);
    cnCreateBody(world, &(cnBodyDef){.mass = 1,
                                     .inertia = {{1, 0, 0}, {0, 1.5, 0}, {0, 0, 2}},
                                     .velocity = {1, 0.5, -0.3},
                                     .angularVelocity = {0.4, -0.7, 1},
                                     .massCoefficients = {0.2, 1, 3}});
    cnVec3 p = cnWorld_GetMomentum(world), l = cnWorld_GetAngularMomentum(world);
    double energy = cnWorld_GetKineticEnergy(world), worst = 0;
    for (int i = 0; i * timeStep < 60; ++i) {
        step_world(world, 1);
        worst = cnMax(worst, fabs(cnWorld_GetKineticEnergy(world) / energy - 1));
    }
    assert_near_vec(cnWorld_GetMomentum(world), p, 1e-11);
    assert_near_vec(cnWorld_GetAngularMomentum(world), l, 1e-9);
    cnDestroyWorld(world);
    return worst;
}

static void added_mass_keeps_energy_to_second_order(void** state) {
    (void)state;
    double coarse = energy_error(1.0 / 60), fine = energy_error(1.0 / 120);
    assert_true(coarse < 1e-3);
    assert_true(coarse / fine > 3.5 && coarse / fine < 4.5);
}

// A kilogram on a spring of 40 N/m, let go 0.1 m beside its rest: amplitude and energy.
static double spring_energy_swing(double timeStep) {
    cnWorldDef def = weightless;
    def.timeStep = timeStep;
    cnWorldId world = make_world(def);
    const double k = 40, reach = 0.1;
    cnBodyId body =
        cnCreateBody(world, &(cnBodyDef){.mass = 1, .inertia = unitInertia, .position = {1 + reach, 0, 0}});
    cnConstraintDef spring = {.type = cn_constraintSpring,
                              .body1 = body,
                              .given = cn_constraintAnchor | cn_constraintLength,
                              .anchor = {1 + reach, 0, 0},
                              .anchor2 = {0, 0, 0},
                              .length = 1,
                              .stiffness = k};
    assert_made(cnCreateConstraint(world, &spring));
    double least = INFINITY, most = 0, reached = 0;
    for (int i = 0; i * timeStep < 4; ++i) {
        step_world(world, 1);
        double x = cnBody_GetPosition(world, body).x - 1;
        double energy = cnWorld_GetKineticEnergy(world) + 0.5 * k * x * x;
        least = cnMin(least, energy);
        most = cnMax(most, energy);
        reached = cnMax(reached, fabs(x));
    }
    assert_near(reached, reach, 1e-3 * reach);
    cnDestroyWorld(world);
    return (most - least) / (0.5 * k * reach * reach);
}

static void a_spring_keeps_its_amplitude_and_energy(void** state) {
    (void)state;
    double coarse = spring_energy_swing(1.0 / 240), fine = spring_energy_swing(1.0 / 480);
    assert_true(coarse < 3e-3);
    assert_true(coarse / fine > 3 && coarse / fine < 5);
}

// Mean time between crossings of zero upwards, s, over some of them; `values` a step apart.
static double period_of(const double* values, int count, double timeStep) {
    double first = -1, last = 0;
    int crossings = 0;
    for (int i = 1; i < count; ++i) {
        if (values[i - 1] < 0 && values[i] >= 0) {
            last = timeStep * (i - values[i] / (values[i] - values[i - 1]));
            first = first < 0 ? last : first;
            crossings += 1;
        }
    }
    assert_true(crossings >= 3);
    return (last - first) / (crossings - 1);
}

enum {
    maxSamples = 4800
};

// 2π √(m/k), from 1/240 s and 20 s.
static void a_spring_has_its_period(void** state) {
    (void)state;
    static double values[maxSamples];
    cnWorldDef def = weightless;
    def.timeStep = 1.0 / 240;
    cnWorldId world = make_world(def);
    cnBodyId body =
        cnCreateBody(world, &(cnBodyDef){.mass = 2, .inertia = unitInertia, .position = {1.2, 0, 0}});
    assert_made(
        cnCreateConstraint(world, &(cnConstraintDef){.type = cn_constraintSpring,
                                                     .body1 = body,
                                                     .given = cn_constraintAnchor | cn_constraintLength,
                                                     .anchor = {1.2, 0, 0},
                                                     .length = 1,
                                                     .stiffness = 30}));
    for (int i = 0; i < maxSamples; ++i) {
        values[i] = cnBody_GetPosition(world, body).x - 1;
        step_world(world, 1);
    }
    double exact = 2 * 3.14159265358979324 * sqrt(2.0 / 30);
    assert_near(period_of(values, maxSamples, def.timeStep), exact, 1e-4 * exact);
    cnDestroyWorld(world);
}

// A point of 1 m that swings by 0.5 rad: 2π √(l/g) / M(1, cos(θ/2)), M the arithmetic-geometric mean;
// amplitude and energy.
static void a_pendulum_has_its_period(void** state) {
    (void)state;
    static double values[maxSamples];
    double swings[2];
    for (int fine = 0; fine < 2; ++fine) {
        cnWorldDef def = {.threads = 1, .timeStep = fine ? 1.0 / 480 : 1.0 / 240};
        cnWorldId world = make_world(def);
        const double tiny = 0.01, start = 0.5;
        cnVec3 place = {sin(start), 0, -cos(start)};
        cnBodyId body = cnCreateBody(
            world, &(cnBodyDef){
                       .mass = 1, .inertia = {{tiny, 0, 0}, {0, tiny, 0}, {0, 0, tiny}}, .position = place});
        assert_made(
            cnCreateConstraint(world, &(cnConstraintDef){.type = cn_constraintHinge,
                                                         .body1 = body,
                                                         .given = cn_constraintAnchor | cn_constraintAxis,
                                                         .axis = {0, 1, 0}}));
        double energy = total_energy(world), reached = 0;
        swings[fine] = 0;
        for (int i = 0; i < maxSamples; ++i) {
            values[i] = cnBody_GetPosition(world, body).x;
            reached = cnMax(reached, fabs(asin(values[i])));
            swings[fine] = cnMax(swings[fine], fabs(total_energy(world) - energy));
            step_world(world, 1);
        }
        double a = 1, b = cos(start / 2);
        for (int i = 0; i < 5; ++i) {
            double mean = (a + b) / 2;
            b = sqrt(a * b);
            a = mean;
        }
        double exact = 2 * 3.14159265358979324 * sqrt((1 + tiny) / GRAVITY) / a;
        assert_near(period_of(values, maxSamples, def.timeStep), exact, 1e-4 * exact);
        assert_near(reached, start, 1e-3 * start);
        cnDestroyWorld(world);
    }
    assert_true(swings[0] < 3e-4 && swings[0] / swings[1] > 3);
}

// Gravity that goes off and on: what flies changes its velocity by g h a step, and no momentum jumps.
static void gravity_may_change_on_the_way(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    cnBodyId ball =
        cnCreateBody(world, &(cnBodyDef){.mass = 2, .inertia = unitInertia, .velocity = {0, 0, 9}});
    cnBodyId rods[2];
    for (int i = 0; i < 2; ++i) {
        cnBodyDef def = {.mass = 1 + i, .inertia = unitInertia, .position = {5 + i, 0, 0}};
        rods[i] = cnCreateBody(world, &def);
    }
    assert_made(cnCreateConstraint(world, &(cnConstraintDef){.type = cn_constraintHinge,
                                                             .body1 = rods[0],
                                                             .body2 = rods[1],
                                                             .given = cn_constraintAnchor | cn_constraintAxis,
                                                             .anchor = {5.5, 0, 0},
                                                             .axis = {0, 1, 0}}));
    double velocity = 9, height = 0, momentum = 2 * 9;
    for (int i = 0; i < 60; ++i) {
        double pull = i / 7 % 2 == 0 ? -GRAVITY : 0;
        cnGravity gravity = {.type = cn_gravityUniform, .acceleration = {0, 0, pull}};
        assert_ok(cnWorld_SetGravity(world, &gravity));
        assert_near(cnWorld_GetMomentum(world).z, momentum, 1e-12);
        step_world(world, 1);
        height += velocity * STEP + 0.5 * pull * STEP * STEP;
        velocity += pull * STEP;
        momentum += 5 * pull * STEP;
        assert_near(cnBody_GetVelocity(world, ball).z, velocity, 1e-12);
        assert_near(cnBody_GetPosition(world, ball).z, height, 1e-12);
        assert_near(cnWorld_GetMomentum(world).z, momentum, 1e-12);
    }
    cnDestroyWorld(world);
}

// A body on its orbit is put elsewhere: it goes on with the forces from there, its energy within O(h²).
static double energy_error_elsewhere(double timeStep) {
    cnWorldDef def = {.threads = 1, .timeStep = timeStep, .gravity = {.type = cn_gravityKepler, .mu = 50}};
    cnWorldId world = make_world(def);
    cnBodyId body = cnCreateBody(
        world, &(cnBodyDef){.mass = 1, .inertia = unitInertia, .position = {3, 0, 0}, .velocity = {0, 4, 0}});
    step_world(world, (int)(0.5 / timeStep + 0.5));
    cnVec3 velocity = cnBody_GetVelocity(world, body);
    assert_ok(cnBody_SetPosition(world, body, cnVec(0, 2, 0)));
    assert_near_vec(cnBody_GetVelocity(world, body), velocity, 0);
    double energy = total_energy(world), worst = 0;
    for (int i = 0; i * timeStep < 1; ++i) {
        step_world(world, 1);
        worst = cnMax(worst, fabs(total_energy(world) - energy));
    }
    cnDestroyWorld(world);
    return worst;
}

static void placing_begins_with_the_forces_of_the_place(void** state) {
    (void)state;
    double coarse = energy_error_elsewhere(1.0 / 60), fine = energy_error_elsewhere(1.0 / 120);
    assert_true(coarse < 0.02);
    assert_true(coarse / fine > 3.5 && coarse / fine < 4.5);
}

// A rocket that gets lighter: its velocity changes by F h/m a step, m the mass of that step.
static void thrust_acts_on_the_mass_of_its_step(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    cnBodyId rocket = cnCreateBody(world, &(cnBodyDef){.mass = 10, .inertia = unitInertia});
    step_world(world, 5);
    double velocity = -GRAVITY * 5 * STEP, mass = 10;
    for (int i = 0; i < 60; ++i) {
        mass -= 0.1;
        assert_ok(cnBody_SetMass(world, rocket, mass));
        cnBody_ApplyForce(world, rocket, cnVec(0, 0, 300));
        step_world(world, 1);
        velocity += (300 / mass - GRAVITY) * STEP;
        assert_near(cnBody_GetVelocity(world, rocket).z, velocity, 1e-11);
    }
    step_world(world, 5);
    assert_near(cnBody_GetVelocity(world, rocket).z, velocity - GRAVITY * 5 * STEP, 1e-11);
    cnDestroyWorld(world);
}

// Five boxes on one another read 0 once they rest.
static void a_pile_at_rest_reads_nothing(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    add_geometry(world, (cnGeometryDef){0}, groundPlane);
    cnBodyId boxes[5];
    for (int i = 0; i < 5; ++i) {
        boxes[i] = add_body(world, (cnBodyDef){.position = {0, 0, 0.25 + 0.5 * i}}, box_of(0.25, 0.25, 0.25),
                            (cnMaterialId){0});
    }
    step_world(world, 600);
    for (int i = 0; i < 5; ++i) {
        assert_near(cnLength(cnBody_GetVelocity(world, boxes[i])), 0, 1e-6);
        assert_near(cnLength(cnBody_GetAngularVelocity(world, boxes[i])), 0, 1e-6);
    }
    double mass = 5 * cnBody_GetMass(world, boxes[0]);
    assert_near(cnLength(cnWorld_GetMomentum(world)), 0, 1e-6 * mass);
    assert_near(cnLength(cnWorld_GetAngularMomentum(world)), 0, 3e-6 * mass);
    cnDestroyWorld(world);
}

// A ball bounces for seconds: the impulses that can be read are its changes of momentum.
static void the_impulses_of_bounces_are_read(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    cnMaterialId rubber = cnCreateMaterial(world, &(cnMaterialDef){.density = 1000});
    cnCreateContactMaterial(world, &(cnContactMaterialDef){.material1 = rubber,
                                                           .material2 = rubber,
                                                           .given = cn_contactRestitution,
                                                           .restitution = 0.9});
    add_geometry(world, (cnGeometryDef){.material = rubber}, groundPlane);
    cnBodyId ball = add_body(world, (cnBodyDef){.position = {0, 0, 1.5}, .mass = 1}, sphere_of(0.2), rubber);
    double impulse = 0, ofImpacts = 0;
    int bounces = 0, flying = 0;
    for (int i = 1; i <= 1200 && (bounces < 10 || flying < 5); ++i) {
        step_world(world, 1);
        cnContactForces forces = cnBody_GetContactForces(world, ball, (cnBodyId){0});
        impulse += forces.total.z * STEP;
        ofImpacts += cnLength(forces.impact) * STEP;
        bounces += forces.impact.z > 0;
        flying = forces.state == cn_contactNone ? flying + 1 : 0;
        if (flying == 5 && bounces > 0) { // free flight, in which velocities are exact
            double change = cnBody_GetVelocity(world, ball).z + GRAVITY * i * STEP;
            assert_near(impulse, change, 1e-9 * impulse);
        }
    }
    assert_int_equal(bounces, 10);
    assert_near(ofImpacts, impulse, 1e-3 * impulse);
    cnDestroyWorld(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_throw_is_exact),
        cmocka_unit_test(reading_and_setting_changes_nothing),
        cmocka_unit_test(velocities_that_are_not_allowed_are_not_turned_round),
        cmocka_unit_test(forces_give_their_impulse),
        cmocka_unit_test(forces_that_joints_bear_take_no_motion),
        cmocka_unit_test(added_mass_keeps_energy_to_second_order),
        cmocka_unit_test(a_spring_keeps_its_amplitude_and_energy),
        cmocka_unit_test(a_spring_has_its_period),
        cmocka_unit_test(a_pendulum_has_its_period),
        cmocka_unit_test(gravity_may_change_on_the_way),
        cmocka_unit_test(placing_begins_with_the_forces_of_the_place),
        cmocka_unit_test(thrust_acts_on_the_mass_of_its_step),
        cmocka_unit_test(a_pile_at_rest_reads_nothing),
        cmocka_unit_test(the_impulses_of_bounces_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
