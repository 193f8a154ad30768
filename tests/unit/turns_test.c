// Angles of joints go on over turns, however many of them a step makes.
#include "helpers.h"

#define STEP (1.0 / 60.0)
#define STEPS 120

static const cnVec3 axle = {0.0, 0.0, 1.0};

// A disc of 1 kg that turns about z.
static cnBodyId add_wheel(cnWorldId world, double x, double speed) {
    cnBodyDef def = {.position = {x, 0, 0}, .mass = 1.0};
    def.inertia = (cnMat33){{0.005, 0, 0}, {0, 0.005, 0}, {0, 0, 0.01}};
    cnBodyId body = cnCreateBody(world, &def);
    assert_false(CN_IS_NULL(body));
    assert_int_equal(cnBody_SetAngularVelocity(world, body, cnScale(speed, axle)), CN_ERROR_NONE);
    return body;
}

static cnConstraintId add_axle(cnWorldId world, cnConstraintType type, cnBodyId body1, cnBodyId body2) {
    cnConstraintDef def = {.type = type, .body1 = body1, .body2 = body2, .axis = axle, .lead = 0.05};
    def.given = cn_constraintAnchor | cn_constraintAxis;
    def.anchor = cnBody_GetPosition(world, body1);
    cnConstraintId joint = cnCreateConstraint(world, &def);
    assert_false(CN_IS_NULL(joint));
    return joint;
}

// Of a wheel on the world, of two that turn against one another, and of a hinge that is switched off.
static void angles_of_free_wheels_go_on_over_turns(void** state) {
    (void)state;
    static const double speeds[] = {150.0, 200.0, 700.0, 3000.0};
    for (int s = 0; s < 4; ++s) {
        cnWorldId world = make_world(weightless);
        cnBodyId wheel = add_wheel(world, 0.0, speeds[s]), off = add_wheel(world, 2.0, speeds[s]);
        cnBodyId first = add_wheel(world, 4.0, speeds[s]), second = add_wheel(world, 4.0, -0.7 * speeds[s]);
        cnConstraintId held = add_axle(world, cn_constraintHinge, wheel, (cnBodyId){0});
        cnConstraintId pair = add_axle(world, cn_constraintHinge, first, second);
        cnConstraintId disabled = add_axle(world, cn_constraintHinge, off, (cnBodyId){0});
        assert_int_equal(cnConstraint_SetEnabled(world, disabled, false), CN_ERROR_NONE);
        step_world(world, STEPS);
        const double turned = STEPS * STEP * speeds[s];
        assert_near(cnConstraint_GetCoordinate(world, held, 0), turned, 1e-6 * turned);
        assert_near(cnConstraint_GetCoordinate(world, pair, 0), 1.7 * turned, 1e-6 * turned);
        assert_near(cnConstraint_GetCoordinate(world, disabled, 0), turned, 1e-6 * turned);
        cnDestroyWorld(world);
    }
}

// Gears in step at any speed: nothing is lost and nothing slips.
static void gears_stay_in_step_at_any_speed(void** state) {
    (void)state;
    static const double speeds[] = {150.0, 250.0, 1000.0};
    for (int s = 0; s < 3; ++s) {
        cnWorldId world = make_world(weightless);
        cnBodyId first = add_wheel(world, 0.0, speeds[s]), second = add_wheel(world, 1.0, -0.5 * speeds[s]);
        cnConstraintId axles[] = {add_axle(world, cn_constraintHinge, first, (cnBodyId){0}),
                                  add_axle(world, cn_constraintHinge, second, (cnBodyId){0})};
        cnConstraintDef def = {.type = cn_constraintGear, .ratio = -2.0};
        def.constraint1 = axles[0];
        def.constraint2 = axles[1];
        assert_false(CN_IS_NULL(cnCreateConstraint(world, &def)));
        const double start = cnWorld_GetKineticEnergy(world);
        for (int i = 0; i < STEPS; ++i) {
            step_world(world, 1);
            assert_true(fabs(cnWorld_GetKineticEnergy(world) / start - 1.0) < 1e-6);
        }
        const double turned = STEPS * STEP * speeds[s];
        assert_near(cnConstraint_GetCoordinate(world, axles[0], 0), turned, 1e-6 * turned);
        assert_near(cnConstraint_GetCoordinate(world, axles[1], 0), -0.5 * turned, 1e-6 * turned);
        cnDestroyWorld(world);
    }
}

// A nut on the world's thread.
static void a_nut_follows_its_thread_over_turns(void** state) {
    (void)state;
    static const double speeds[] = {150.0, 250.0, 1000.0};
    for (int s = 0; s < 3; ++s) {
        cnWorldId world = make_world(weightless);
        cnBodyId nut = add_wheel(world, 0.0, speeds[s]);
        cnConstraintId screw = add_axle(world, cn_constraintScrew, nut, (cnBodyId){0});
        assert_int_equal(cnBody_SetVelocity(world, nut, cnScale(0.05 * speeds[s], axle)), CN_ERROR_NONE);
        const double start = cnWorld_GetKineticEnergy(world);
        for (int i = 0; i < STEPS; ++i) {
            step_world(world, 1);
            assert_true(cnWorld_GetKineticEnergy(world) < 1.000001 * start);
        }
        const double turned = STEPS * STEP * speeds[s];
        assert_true(fabs(cnConstraint_GetCoordinate(world, screw, 1) - turned) < 1e-6 * turned);
        assert_near(cnConstraint_GetCoordinate(world, screw, 0), 0.05 * turned, 1e-6 * turned);
        cnDestroyWorld(world);
    }
}

// A wheel that runs into the end of its range after five turns, of which it makes two a step.
static void a_range_of_many_turns_ends_where_it_says(void** state) {
    (void)state;
    const double end = 31.0;
    cnWorldId world = make_world(weightless);
    cnBodyId wheel = add_wheel(world, 0.0, 700.0);
    cnConstraintId joint = add_axle(world, cn_constraintHinge, wheel, (cnBodyId){0});
    assert_int_equal(cnConstraint_SetRange(world, joint, 0,
                                           &(cnRange){.given = cn_secondaryLimits, .limits = {-1.0, end}}),
                     CN_ERROR_NONE);
    double farthest = 0.0;
    for (int i = 0; i < STEPS; ++i) {
        step_world(world, 1);
        double angle = cnConstraint_GetCoordinate(world, joint, 0);
        farthest = angle > farthest ? angle : farthest;
        assert_true(angle > -1.1);
    }
    assert_true(farthest > end - 0.1);
    assert_true(farthest < end + 0.1);
    cnDestroyWorld(world);
}

int main(void) {
    return run_all(angles_of_free_wheels_go_on_over_turns, gears_stay_in_step_at_any_speed,
                   a_nut_follows_its_thread_over_turns, a_range_of_many_turns_ends_where_it_says);
}
