// Channels, observers and lists of scenes: what is read while they run.
#include "scenes.h"

static void channels_are_json(void** state) {
    (void)state;
    cnSceneId scene = must_load("'name': 's', 'world': {'gravity': [0, 0, -10], 'timeStep': 0.5}, 'bodies': "
                                "[{'name': 'b', 'mass': 2, 'inertia': [1, 2, "
                                "3], 'position': [0.1, 0, 5], 'velocity': [1, 0, 0], 'rotation': [0, 0, 0, "
                                "1], 'centreOfMass': [0, 0, 0.5]}], "
                                "'record': ['body/b/mass', 'world/bodies', 'body/b/mass']");
    assert_int_equal(cnScene_GetRecordCount(scene), 3);
    assert_string_equal(cnScene_GetRecord(scene, 1), "world/bodies");
    assert_string_equal(cnScene_GetRecord(scene, 3), "");
    assert_int_equal(cnGetLastError()->code, CN_ERROR_OUT_OF_RANGE);
    assert_int_equal(cnScene_OpenChannel(scene, "body/b/mass"), cnScene_OpenChannel(scene, "body/b/mass"));
    assert_string_equal(read_channel(scene, "body/b/position"), "[0.10000000000000001,0,5]");
    assert_string_equal(read_channel(scene, "body/b/rotation"), "[0,0,0,1]");
    assert_string_equal(read_channel(scene, "body/b/velocity"), "[1,0,0]");
    assert_string_equal(read_channel(scene, "body/b/centreOfMass"), "[0.10000000000000001,0,5.5]");
    assert_string_equal(read_channel(scene, "body/b/mass"), "2");
    assert_string_equal(read_channel(scene, "body/b/inertia"), "[[1,0,0],[0,2,0],[0,0,3]]");
    assert_string_equal(read_channel(scene, "body/b/asleep"), "false");
    assert_string_equal(read_channel(scene, "body/b/merged"), "false");
    assert_string_equal(read_channel(scene, "body/b/force"), "[0,0,0]");
    assert_string_equal(read_channel(scene, "contact/b/*/force"), "[0,0,0]");
    assert_string_equal(read_channel(scene, "contact/b/*/points"), "0");
    assert_string_equal(read_channel(scene, "contact/b/*/depth"), "0");
    assert_string_equal(read_channel(scene, "contact/b/*/state"), "\"none\"");
    assert_string_equal(read_channel(scene, "world/bodies"), "1");
    assert_string_equal(read_channel(scene, "world/kineticEnergy"), "1");
    assert_string_equal(read_channel(scene, "world/potentialEnergy"), "110");
    assert_string_equal(read_channel(scene, "world/momentum"), "[2,0,0]");
    assert_int_equal(strlen(read_channel(scene, "world/hash")), 18);
    assert_int_equal(strspn(read_channel(scene, "world/hash") + 1, "0123456789abcdef"), 16);
    step_scene(scene, 1);
    assert_string_equal(read_channel(scene, "body/b/force"), "[0,0,-20]");
    assert_true(strtod(read_channel(scene, "time/step"), NULL) >= 0.0);

    // what there is not
    assert_int_equal(cnScene_OpenChannel(scene, "body/c/mass"), -1);
    assert_last_error(CN_ERROR_UNKNOWN_NAME, "body/c/mass", "there is \"b\"");
    assert_int_equal(cnScene_OpenChannel(scene, "mergedBody/m/active"), -1);
    assert_last_error(CN_ERROR_UNKNOWN_NAME, "mergedBody/m/active", "no merged body of this scene");
    assert_int_equal(cnScene_OpenChannel(scene, ""), -1);
    assert_null(cnScene_ReadChannel(scene, 1000));
    assert_int_equal(cnGetLastError()->code, CN_ERROR_OUT_OF_RANGE);
    cnDestroyScene(scene);
}

static void contact_channels_act_on_the_first_side(void** state) {
    (void)state;
    // 1 kg on the ground weighs 10 N
    cnSceneId scene = must_load("'world': {'gravity': [0, 0, -10]}, 'geometries': [{'name': 'ground', "
                                "'shape': {'type': 'plane', 'normal': [0, 0, 1], "
                                "'d': 0}}], 'bodies': [{'name': 'b', 'mass': 1, 'position': [0, 0, 0.5], "
                                "'geometries': [{'name': 'box', 'shape': "
                                "{'type': 'box', 'halfExtents': [0.5, 0.5, 0.5]}}]}]");
    step_scene(scene, 300);
    static const struct {
        const char* channel;
        double force;
    } cases[] = {
        {"contact/b/ground/normalForce", 10.0},
        {"contact/ground/b/normalForce", -10.0},
        {"contact/b/*/force", 10.0},
        {"contact/box/ground/force", 10.0},
        {"contact/ground/box/force", -10.0},
        {"contact/ground/*/normalForce", -10.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        double x, y, z;
        assert_int_equal(sscanf(read_channel(scene, cases[i].channel), "[%lf,%lf,%lf]", &x, &y, &z), 3);
        assert_near(z, cases[i].force, 0.05);
    }
    assert_string_equal(read_channel(scene, "contact/b/ground/state"), "\"contact\"");
    assert_string_equal(read_channel(scene, "contact/b/ground/points"), "4");
    cnDestroyScene(scene);
}

static void sensors_tell_and_bear_nothing(void** state) {
    (void)state;
    cnSceneId scene = must_load(
        "'world': {'timeStep': 0.015625}, 'bodies': [{'name': 'ball', 'position': [0, 0, 2], 'geometries': "
        "[{'shape': {'type': 'sphere', 'radius': 0.2}}]}], 'geometries': ["
        "{'name': 'gate', 'shape': {'type': 'box', 'halfExtents': [1, 1, 0.5]}, 'sensor': true},"
        "{'name': 'rough', 'shape': {'type': 'box', 'halfExtents': [1, 1, 0.5]}, 'sensor': 'overlapOnly'}]");
    static const struct {
        int steps;
        const char* state;
        bool touches;
    } moments[] = {{30, "\"none\"", false}, {12, "\"contact\"", true}, {60, "\"none\"", false}};
    for (int i = 0; i < 3; ++i) {
        step_scene(scene, moments[i].steps);
        assert_string_equal(read_channel(scene, "contact/ball/gate/state"), moments[i].state);
        assert_string_equal(read_channel(scene, "contact/ball/rough/state"), moments[i].state);
        assert_string_equal(read_channel(scene, "contact/ball/gate/points"), moments[i].touches ? "1" : "0");
        assert_string_equal(read_channel(scene, "contact/ball/rough/points"), "0");
        assert_string_equal(read_channel(scene, "contact/ball/*/force"), "[0,0,0]");
        assert_string_equal(read_channel(scene, "world/contacts"), "0");
        assert_true((strcmp(read_channel(scene, "contact/gate/ball/depth"), "0") != 0) == moments[i].touches);
    }
    double n = 102.0, h = 0.015625;
    assert_near(cnBody_GetPosition(cnScene_GetWorld(scene), cnScene_FindBody(scene, "ball")).z,
                2.0 - 9.80665 * h * h * n * n / 2.0, 1e-9);
    cnDestroyScene(scene);
}

// Groups by number and by name; the world's interface knows the names, too.
static void groups_have_numbers_or_names(void** state) {
    (void)state;
    cnSceneId scene = must_load(
        "'geometries': [{'name': 'floor', 'shape': {'type': 'plane', 'normal': [0, 0, 1], 'd': 0}, 'groups': "
        "['floors', 3]}], 'collisionPairs': [{'groups': ['ghosts', 'floors'], 'enabled': false}, {'groups': "
        "[3, "
        "4], 'enabled': false}], 'bodies': ["
        "{'name': 'a', 'position': [0, 0, 0.5], 'geometries': [{'shape': {'type': 'sphere', 'radius': 0.5}, "
        "'groups': ['ghosts']}]},"
        "{'name': 'b', 'position': [2, 0, 0.5], 'geometries': [{'shape': {'type': 'sphere', 'radius': 0.5}, "
        "'groups': [4, 'solids']}]},"
        "{'name': 'c', 'position': [4, 0, 0.5], 'geometries': [{'shape': {'type': 'sphere', 'radius': 0.5}, "
        "'groups': ['solids']}]}]");
    cnWorldId world = cnScene_GetWorld(scene);
    step_scene(scene, 10);
    assert_true(cnBody_GetPosition(world, cnScene_FindBody(scene, "a")).z < 0.4);
    assert_true(cnBody_GetPosition(world, cnScene_FindBody(scene, "b")).z < 0.4);
    assert_near(cnBody_GetPosition(world, cnScene_FindBody(scene, "c")).z, 0.5, 1e-3);
    cnWorld_SetGroupPairEnabled(world, cnWorld_GetGroup(world, "solids"), cnWorld_GetGroup(world, "floors"),
                                false);
    step_scene(scene, 10);
    assert_true(cnBody_GetPosition(world, cnScene_FindBody(scene, "c")).z < 0.4);
    cnDestroyScene(scene);
}

static void observers_ride_on_bodies(void** state) {
    (void)state;
    // 2 rad/s about z, half a metre out: 1 m/s, 2 m/s² inwards
    cnSceneId scene =
        must_load("'world': {'gravity': [0, 0, 0], 'timeStep': 0.001}, 'bodies': [{'name': 'b', "
                  "'mass': 1, 'inertia': [1, 1, 1], "
                  "'position': [1, 0, 0], 'angularVelocity': [0, 0, 2]}], 'observers': "
                  "[{'name': 'o', 'body': 'b', 'position': [0.5, 0, 0], "
                  "'rotation': [0, 0, 0.7071067811865476, 0.7071067811865476]}]");
    double x, y, z;
    assert_int_equal(sscanf(read_channel(scene, "observer/o/position"), "[%lf,%lf,%lf]", &x, &y, &z), 3);
    assert_near_vec(cnVec(x, y, z), cnVec(1.5, 0.0, 0.0), 1e-15);
    assert_string_equal(read_channel(scene, "observer/o/acceleration"), "[0,0,0]");
    cnFrame frame = cnScene_FindObserver(scene, "o");
    assert_int_equal(frame.body.value, cnScene_FindBody(scene, "b").value);
    assert_near_vec(frame.position, cnVec(0.5, 0.0, 0.0), 0.0);
    assert_true(CN_IS_NULL(cnScene_FindObserver(scene, "p").body));
    assert_int_equal(cnGetLastError()->code, CN_ERROR_UNKNOWN_NAME);
    step_scene(scene, 2);
    assert_int_equal(sscanf(read_channel(scene, "observer/o/velocity"), "[%lf,%lf,%lf]", &x, &y, &z), 3);
    assert_near_vec(cnVec(x, y, z), cnVec(0.0, 1.0, 0.0), 5e-3);
    assert_int_equal(sscanf(read_channel(scene, "observer/o/angularVelocity"), "[%lf,%lf,%lf]", &x, &y, &z),
                     3);
    assert_near_vec(cnVec(x, y, z), cnVec(0.0, 0.0, 2.0), 1e-12);
    assert_int_equal(sscanf(read_channel(scene, "observer/o/acceleration"), "[%lf,%lf,%lf]", &x, &y, &z), 3);
    assert_near_vec(cnVec(x, y, z), cnVec(-2.0, 0.0, 0.0), 2e-2);
    assert_int_equal(
        sscanf(read_channel(scene, "observer/o/angularAcceleration"), "[%lf,%lf,%lf]", &x, &y, &z), 3);
    assert_near_vec(cnVec(x, y, z), cnVec3_zero, 1e-9);
    cnDestroyScene(scene);
}

static void lists_are_json(void** state) {
    (void)state;
    static const struct {
        const char* kind;
        const char* has;
    } cases[] = {
        {"materials", "steel"},
        {"contact-materials", "steel"},
        {"shapes", "{\"name\":\"capsule\",\"keys\":[\"radius\",\"height\"]}"},
        {"channels", "{\"name\":\"contact/A/B/normalForce\",\"value\":\"[x, y, z] N\"}"},
    };
    size_t before = cnGetBytesInUse();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char* list = cnListAvailable(cases[i].kind);
        assert_non_null(list);
        assert_ptr_equal(list, cnListAvailable(cases[i].kind));
        assert_int_equal(list[0], '[');
        assert_int_equal(list[strlen(list) - 1], ']');
        assert_non_null(strstr(list, cases[i].has));
    }
    assert_int_equal(cnGetBytesInUse(), before);
    assert_null(cnListAvailable("worlds"));
    assert_int_equal(cnGetLastError()->code, CN_ERROR_UNKNOWN_NAME);
    assert_null(cnListAvailable(NULL));
}

int main(void) {
    return run_all(channels_are_json, contact_channels_act_on_the_first_side, sensors_tell_and_bear_nothing,
                   groups_have_numbers_or_names, observers_ride_on_bodies, lists_are_json);
}
