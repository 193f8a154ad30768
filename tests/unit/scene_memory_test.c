// Scenes and their memory: whatever file is cut or memory runs out, nothing is left; handles of dead
// scenes are recognised.
#include "scenes.h"

// ---- memory and files -------------------------------------------------------------------------------------

static void example_scenes_load_and_leave_nothing(void** state) {
    (void)state;
    static const char* const names[] = {"arch",    "dzhanibekov", "heavy-chain", "heavy-top-stack",
                                        "incline", "pit"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char file[64];
        size_t length;
        size_t before = cnGetBytesInUse();
        snprintf(file, sizeof file, "%s.json", names[i]);
        char* text = read_file("demo/scenes", file, &length);
        cnSceneId scene = cnLoadScene(text, length, 1);
        free(text);
        if (CN_IS_NULL(scene)) {
            fail_msg("%s: %s", file, cnGetLastError()->message);
        }
        assert_string_equal(cnScene_GetName(scene), names[i]);
        assert_int_not_equal(cnScene_GetRecordCount(scene), 0);
        step_scene(scene, 1);
        for (int channel = 0; channel < cnScene_GetRecordCount(scene); ++channel) {
            read_channel(scene, cnScene_GetRecord(scene, channel));
        }
        assert_int_equal(cnDestroyScene(scene), CN_ERROR_NONE);
        assert_int_equal(cnGetBytesInUse(), before);
    }
}

static void every_cut_of_a_scene_is_rejected_and_leaves_nothing(void** state) {
    (void)state;
    size_t length;
    char* text = read_file("tests/fuzz/seeds", "everything.json", &length);
    while (length > 0 && text[length - 1] != '}') {
        --length;
    }
    size_t before = cnGetBytesInUse();
    for (size_t cut = 0; cut < length; ++cut) {
        assert_true(CN_IS_NULL(cnLoadScene(text, cut, 1)));
        assert_int_equal(cnGetLastError()->code, CN_ERROR_SCENE);
        assert_int_equal(cnGetBytesInUse(), before);
    }
    cnSceneId scene = cnLoadScene(text, length, 1);
    if (CN_IS_NULL(scene)) {
        fail_msg("%s", cnGetLastError()->message);
    }
    cnDestroyScene(scene);
    free(text);
}

static void running_out_of_memory_anywhere_is_an_error_and_leaves_nothing(void** state) {
    (void)state;
    size_t length;
    char* text = read_file("tests/fuzz/seeds", "everything.json", &length);
    static Ration ration;
    start_ration(&ration, 0);
    cnSceneId scene = {0};
    long calls = 0;
    for (; CN_IS_NULL(scene) && calls < 100000; ++calls) {
        ration.left = calls;
        scene = cnLoadScene(text, length, 1);
        if (CN_IS_NULL(scene)) {
            // a table that cannot grow is full
            cnErrorCode code = cnGetLastError()->code;
            if (code != CN_ERROR_OUT_OF_MEMORY && code != CN_ERROR_TOO_MANY) {
                ration.left = LONG_MAX; // for the tests after this one
                fail_msg("allocation %ld: %s: %s", calls, cnErrorName(cnGetLastError()->code),
                         cnGetLastError()->message);
            }
            assert_int_equal(ration.bytes, 0);
        }
    }
    assert_in_range(calls, 10, 99999);
    ration.left = LONG_MAX;
    cnDestroyScene(scene);
    end_ration(&ration);
    free(text);
}

// ---- handles ----------------------------------------------------------------------------------------------

static void dead_scenes_are_recognised(void** state) {
    (void)state;
    cnSceneId none = {0};
    assert_int_equal(cnScene_Step(none), CN_ERROR_NULL_HANDLE);
    assert_string_equal(cnGetLastError()->call, "cnScene_Step");
    cnSceneId scene = must_load(FREE_BODY "'name': 'x'");
    cnWorldId world = cnScene_GetWorld(scene);
    assert_true(cnWorld_IsValid(world));
    assert_int_equal(cnDestroyScene(scene), CN_ERROR_NONE);
    assert_false(cnWorld_IsValid(world));
    assert_int_equal(cnDestroyScene(scene), CN_ERROR_STALE_HANDLE);
    assert_int_equal(cnScene_Step(scene), CN_ERROR_STALE_HANDLE);
    assert_true(CN_IS_NULL(cnScene_GetWorld(scene)));
    assert_string_equal(cnScene_GetName(scene), "");
    assert_int_equal(cnScene_OpenChannel(scene, "world/hash"), -1);
    assert_null(cnScene_ReadChannel(scene, 0));
    assert_int_equal(cnScene_Step((cnSceneId){0xffffffffu}), CN_ERROR_STALE_HANDLE);
    assert_true(CN_IS_NULL(cnLoadScene(NULL, 0, 1)));
    assert_int_equal(cnGetLastError()->code, CN_ERROR_NULL_ARGUMENT);
    assert_true(CN_IS_NULL(cnLoadScene("{}", 2, 33)));
    assert_string_equal(cnGetLastError()->argument, "threads");

    // a world destroyed by its own handle
    scene = must_load(FREE_BODY "'record': ['body/b/mass']");
    assert_int_equal(cnDestroyWorld(cnScene_GetWorld(scene)), CN_ERROR_NONE);
    assert_int_equal(cnScene_Step(scene), CN_ERROR_STALE_HANDLE);
    assert_null(cnScene_ReadChannel(scene, 0));
    assert_int_equal(cnDestroyScene(scene), CN_ERROR_NONE);
}

// What a listener of a scene's world tries, and what it is told.
typedef struct Destroyer {
    cnSceneId scene;
    cnErrorCode answer;
} Destroyer;

static void destroy_scene_at_moment(cnWorldId world, uint32_t moment, void* context) {
    (void)world;
    (void)moment;
    Destroyer* destroyer = context;
    destroyer->answer = cnDestroyScene(destroyer->scene);
}

// Like a world, a scene outlives the step that its listeners are notified of.
static void a_listener_cannot_destroy_its_scene(void** state) {
    (void)state;
    static const uint32_t moments[] = {cn_beforeCollide, cn_beforeSolve, cn_afterSolve, cn_afterStep};
    for (size_t i = 0; i < sizeof moments / sizeof moments[0]; ++i) {
        size_t before = cnGetBytesInUse();
        Destroyer destroyer = {.scene = must_load(FREE_BODY "'name': 'x'")};
        cnWorldId world = cnScene_GetWorld(destroyer.scene);
        cnListenerId listener = cnAddStepListener(world, moments[i], destroy_scene_at_moment, &destroyer);
        assert_false(CN_IS_NULL(listener));
        assert_int_equal(cnScene_Step(destroyer.scene), CN_ERROR_NONE);
        assert_int_equal(destroyer.answer, CN_ERROR_WRONG_PHASE);
        assert_string_equal(cnScene_GetName(destroyer.scene), "x");
        assert_int_equal(cnDestroyScene(destroyer.scene), CN_ERROR_NONE);
        assert_false(cnWorld_IsValid(world));
        assert_int_equal(cnGetBytesInUse(), before);
    }
}

static void names_are_found(void** state) {
    (void)state;
    cnSceneId scene = must_load(
        "'bodies': [{'name': 'b', 'mass': 1, 'position': [1, 2, 3], 'geometries': [{'name': 'b', 'shape': "
        "{'type': 'sphere', 'radius': 1}}]}], 'geometries': [{'name': 'g', 'shape': {'type': "
        "'sphere', 'radius': 1}}]");
    cnWorldId world = cnScene_GetWorld(scene);
    cnBodyId body = cnScene_FindBody(scene, "b");
    assert_near_vec(cnBody_GetPosition(world, body), cnVec(1.0, 2.0, 3.0), 0.0);
    assert_true(CN_SAME_ID(cnGeometry_GetBody(world, cnScene_FindGeometry(scene, "b")), body));
    assert_true(CN_IS_NULL(cnGeometry_GetBody(world, cnScene_FindGeometry(scene, "g"))));
    assert_true(CN_IS_NULL(cnScene_FindBody(scene, "g")));
    assert_int_equal(cnGetLastError()->code, CN_ERROR_UNKNOWN_NAME);
    assert_message_has("name is \"g\": no body of the scene is called so; there is \"b\"");
    cnDestroyScene(scene);
}

int main(void) {
    return run_all(example_scenes_load_and_leave_nothing, every_cut_of_a_scene_is_rejected_and_leaves_nothing,
                   running_out_of_memory_anywhere_is_an_error_and_leaves_nothing, dead_scenes_are_recognised,
                   a_listener_cannot_destroy_its_scene, names_are_found);
}
