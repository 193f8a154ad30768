// Actions of scenes: they act in the steps that begin in their time.
#include "scenes.h"

static double speed_after(const char* action, int steps) {
    char rest[1024];
    snprintf(rest, sizeof rest, "%s'actions': [%s]", FREE_BODY, action);
    cnSceneId scene = must_load(rest);
    step_scene(scene, steps);
    double speed = cnBody_GetVelocity(cnScene_GetWorld(scene), cnScene_FindBody(scene, "b")).x;
    cnDestroyScene(scene);
    return speed;
}

static void ground_gives_way_when_its_heights_change(void** state) {
    (void)state;
    cnSceneId scene = must_load(FIELD("[0, 1, 0, 1]", "[-1, -1, -1, -1]"));
    cnWorldId world = cnScene_GetWorld(scene);
    cnBodyId ball = cnScene_FindBody(scene, "b");
    step_scene(scene, 60);
    assert_near(cnBody_GetPosition(world, ball).z, 0.5, 1e-4);
    step_scene(scene, 120);
    assert_near(cnBody_GetPosition(world, ball).z, -0.5, 1e-3);
    cnDestroyScene(scene);
}

static void forces_act_in_the_steps_that_begin_in_their_time(void** state) {
    (void)state;
    double h = 1.0 / 64.0;

    // one step by default: the first that begins at or after `at`
    assert_near(speed_after("{'at': 0, 'body': 'b', 'force': [1, 0, 0]}", 5), h, 1e-15);
    assert_near(speed_after("{'at': 0.03125, 'body': 'b', 'force': [1, 0, 0]}", 2), 0.0, 0.0);
    assert_near(speed_after("{'at': 0.03125, 'body': 'b', 'force': [1, 0, 0]}", 3), h, 1e-15);
    assert_near(speed_after("{'at': 0.03126, 'body': 'b', 'force': [1, 0, 0]}", 3), 0.0, 0.0);
    assert_near(speed_after("{'at': 0.03126, 'body': 'b', 'force': [1, 0, 0]}", 4), h, 1e-15);

    // within 1e-6 of a step
    assert_near(speed_after("{'at': 0.031250001, 'body': 'b', 'force': [1, 0, 0]}", 3), h, 1e-15);
    assert_near(speed_after("{'at': 0.03125002, 'body': 'b', 'force': [1, 0, 0]}", 3), 0.0, 0.0);

    // [at, at + for)
    assert_near(speed_after("{'at': 0, 'body': 'b', 'force': [1, 0, 0], 'for': 0.25}", 64), 0.25, 1e-15);
    assert_near(speed_after("{'at': 0.5, 'body': 'b', 'force': [1, 0, 0], 'for': 0.25}", 40), 8.0 * h, 1e-15);
    assert_near(speed_after("{'at': 0.5, 'body': 'b', 'force': [1, 0, 0], 'for': 0.25}", 100), 0.25, 1e-15);
    assert_near(speed_after("{'at': 0.001, 'body': 'b', 'force': [1, 0, 0], 'for': 0.015624}", 100), h,
                1e-15);
    assert_near(speed_after("{'at': 0.001, 'body': 'b', 'force': [1, 0, 0], 'for': 0.01}", 100), 0.0, 0.0);

    // in the order of the file, together with what else is due
    assert_near(
        speed_after(
            "{'at': 0, 'body': 'b', 'velocity': [3, 0, 0]}, {'at': 0, 'body': 'b', 'velocity': [2, 0, 0]}, "
            "{'at': 0, 'body': 'b', 'force': [1, 0, 0]}",
            1),
        2.0 + h, 1e-15);
}

static void a_point_of_a_force_moves_with_the_body(void** state) {
    (void)state;
    // the body turns half round about z in 1 s, then the force acts on the point that it was taken at: the
    // torque of (0, 1, 0) at the world point (1, 0, 0) is +z first and −z after half a turn
    cnSceneId scene = must_load(
        "'world': {'gravity': [0, 0, 0], 'timeStep': 0.015625}, 'bodies': [{'name': 'b', 'mass': 1, "
        "'inertia': [1, 1, 1]}], 'actions': [{'at': 0, 'body': 'b', 'angularVelocity': [0, 0, "
        "3.141592653589793]}, {'at': 0, 'body': 'b', 'force': [0, 1e-9, 0], 'point': [1, 0, 0], 'for': 2}]");
    cnBodyId body = cnScene_FindBody(scene, "b");
    cnWorldId world = cnScene_GetWorld(scene);
    step_scene(scene, 1);
    assert_near_vec(cnBody_GetLastTorque(world, body), cnVec(0.0, 0.0, 1e-9), 1e-20);
    step_scene(scene, 64);
    assert_near_vec(cnBody_GetLastTorque(world, body), cnVec(0.0, 0.0, -1e-9), 1e-12);
    assert_near_vec(cnBody_GetLastForce(world, body), cnVec(0.0, 1e-9, 0.0), 1e-20);
    assert_string_equal(read_channel(scene, "body/b/force"), "[0,1.0000000000000001e-09,0]");
    cnDestroyScene(scene);
}

static void states_are_set_once(void** state) {
    (void)state;
    cnSceneId scene = must_load(
        FREE_BODY "'geometries': [{'name': 'g', 'shape': {'type': 'sphere', 'radius': 1}, 'position': [9, 0, "
                  "0]}], 'actions': ["
                  "{'at': 0.015625, 'body': 'b', 'position': [1, 2, 3], 'rotation': [0, 0, 1, 0]},"
                  "{'at': 0.03125, 'body': 'b', 'enabled': false},"
                  "{'at': 0.046875, 'body': 'b', 'enabled': true, 'motion': 'kinematic'},"
                  "{'at': 0.046875, 'body': 'b', 'moveTo': {'position': [2, 2, 3], 'duration': 1}},"
                  "{'at': 0, 'geometry': 'g', 'enabled': false, 'collisions': false, 'sensor': false}]");
    cnWorldId world = cnScene_GetWorld(scene);
    cnBodyId body = cnScene_FindBody(scene, "b");
    step_scene(scene, 1);
    assert_near_vec(cnBody_GetPosition(world, body), cnVec3_zero, 0.0);
    step_scene(scene, 1);
    assert_near_vec(cnBody_GetPosition(world, body), cnVec(1.0, 2.0, 3.0), 0.0);
    assert_near(cnBody_GetRotation(world, body).z, 1.0, 0.0);
    step_scene(scene, 1);
    assert_false(cnBody_IsEnabled(world, body));
    step_scene(scene, 1);
    assert_true(cnBody_IsEnabled(world, body));
    assert_int_equal(cnBody_GetMotion(world, body), cn_kinematic);
    assert_near(cnBody_GetPosition(world, body).x, 1.0 + 1.0 / 64.0, 1e-12);

    // it arrives after 1 s and keeps its velocity
    step_scene(scene, 63);
    assert_near_vec(cnBody_GetPosition(world, body), cnVec(2.0, 2.0, 3.0), 1e-12);
    assert_near(cnBody_GetVelocity(world, body).x, 1.0, 1e-12);
    step_scene(scene, 64);
    assert_near_vec(cnBody_GetPosition(world, body), cnVec(3.0, 2.0, 3.0), 1e-12);
    cnDestroyScene(scene);
}

static void an_action_on_a_destroyed_body_is_an_error_of_its_step(void** state) {
    (void)state;
    cnSceneId scene = must_load(FREE_BODY "'actions': [{'at': 0, 'body': 'b', 'force': [1, 0, 0]}]");
    assert_int_equal(cnDestroyBody(cnScene_GetWorld(scene), cnScene_FindBody(scene, "b")), CN_ERROR_NONE);
    assert_int_equal(cnScene_Step(scene), CN_ERROR_STALE_HANDLE);
    assert_string_equal(cnGetLastError()->argument, "/actions/0");
    assert_int_equal(cnScene_Step(scene), CN_ERROR_NONE);
    cnDestroyScene(scene);
}

static void a_state_that_is_not_finite_names_its_body(void** state) {
    (void)state;
    // a millionth of a billionth of … a metre from a mass point
    cnSceneId scene = must_load(
        "'world': {'gravity': {'type': 'kepler', 'mu': 1e30, 'centre': [0, 0, 0]}}, 'bodies': [{'name': "
        "'far', 'mass': 1, 'position': [1e20, 0, 0]}, {'name': 'near', 'mass': 1, 'position': [1e-150, "
        "0, 0]}]");
    assert_int_equal(cnScene_Step(scene), CN_ERROR_NON_FINITE_STATE);
    assert_string_equal(cnGetLastError()->argument, "near");
    assert_message_has("near: ");
    step_scene(scene, 1);
    cnDestroyScene(scene);
}

// A belt that starts, turns round, becomes a sensor and lets its load go.
static void belts_and_sensors_obey_actions(void** state) {
    (void)state;
    cnSceneId scene = must_load(
        "'bodies': [{'name': 'load', 'position': [0, 0, 0.5], 'geometries': [{'shape': {'type': 'box', "
        "'halfExtents': [0.5, 0.5, 0.5]}}]}], 'geometries': [{'name': 'belt', 'shape': {'type': 'plane', "
        "'normal': [0, 0, 1], 'd': 0}, 'surfaceVelocity': [0.5, 0, 0]}], 'actions': ["
        "{'at': 1, 'geometry': 'belt', 'surfaceVelocity': [0, -0.5, 2]},"
        "{'at': 2, 'geometry': 'belt', 'surfaceVelocity': [0, 0, 0]},"
        "{'at': 3, 'geometry': 'belt', 'sensor': true}, {'at': 4, 'geometry': 'belt', 'sensor': false}]");
    cnWorldId world = cnScene_GetWorld(scene);
    cnBodyId body = cnScene_FindBody(scene, "load");
    static const cnVec3 velocities[] = {{0.5, 0, 0}, {0, -0.5, 0}, {0, 0, 0}};
    for (int i = 0; i < 3; ++i) {
        step_scene(scene, 60);
        cnVec3 off = cnSub(cnBody_GetVelocity(world, body), velocities[i]);
        assert_near(cnLength(off), 0.0, 2e-3);
    }
    step_scene(scene, 60);
    assert_near(cnBody_GetVelocity(world, body).z, -9.80665, 1e-3);
    assert_string_equal(read_channel(scene, "contact/load/belt/state"), "\"contact\"");
    cnDestroyScene(scene);
}

static void velocities_are_those_of_the_centre_of_mass_in_the_end(void** state) {
    (void)state;
    // the centre of mass is where the geometry is; the velocity given is the centre's
    cnSceneId scene = must_load(
        "'world': {'gravity': [0, 0, 0]}, 'bodies': [{'name': 'b', 'velocity': [1, 2, 3], 'angularVelocity': "
        "[0, 0, 4], 'geometries': [{'position': [1, 0, 0], 'shape': {'type': 'box', 'halfExtents': [0.5, "
        "0.5, 0.5]}}]}]");
    cnWorldId world = cnScene_GetWorld(scene);
    cnBodyId body = cnScene_FindBody(scene, "b");
    assert_near(cnBody_GetMass(world, body), 1000.0, 1e-9);
    assert_near_vec(cnBody_GetCentreOfMass(world, body), cnVec(1.0, 0.0, 0.0), 1e-12);
    assert_near_vec(cnBody_GetVelocity(world, body), cnVec(1.0, 2.0, 3.0), 1e-12);
    assert_near_vec(cnBody_GetAngularVelocity(world, body), cnVec(0.0, 0.0, 4.0), 1e-12);
    cnDestroyScene(scene);
}

int main(void) {
    return run_all(ground_gives_way_when_its_heights_change, forces_act_in_the_steps_that_begin_in_their_time,
                   a_point_of_a_force_moves_with_the_body, states_are_set_once,
                   an_action_on_a_destroyed_body_is_an_error_of_its_step,
                   a_state_that_is_not_finite_names_its_body, belts_and_sensors_obey_actions,
                   velocities_are_those_of_the_centre_of_mass_in_the_end);
}
