// Scene files written in short, and what is read from a scene that runs.
#pragma once

#include "helpers.h"

// Scenes of the tests are written with ' for ", and begin after the head that all have.
static const char head[] = "{'format': 'cairn-scene', 'version': 1, ";

static inline cnSceneId load_scene(const char* rest) {
    char text[8192];
    int length = snprintf(text, sizeof text, "%s%s}", head, rest);
    assert_in_range(length, 0, sizeof text - 1);
    for (int i = 0; i < length; ++i) {
        text[i] = text[i] == '\'' ? '"' : text[i];
    }
    cnClearLastError();
    return cnLoadScene(text, (size_t)length, 1);
}

static inline cnSceneId must_load(const char* rest) {
    cnSceneId scene = load_scene(rest);
    if (CN_IS_NULL(scene)) {
        fail_msg("%s\n  was refused: %s", rest, cnGetLastError()->message);
    }
    return scene;
}

typedef struct Refusal {
    const char* rest;
    const char* path;
    const char* said; // part of the message
} Refusal;

static inline void check_refusals(const Refusal* refusals, size_t count, cnErrorCode code) {
    for (size_t i = 0; i < count; ++i) {
        const Refusal* refusal = &refusals[i];
        size_t before = cnGetBytesInUse();
        cnSceneId scene = load_scene(refusal->rest);
        const cnErrorInfo* error = cnGetLastError();
        if (!CN_IS_NULL(scene)) {
            fail_msg("%s\n  was accepted", refusal->rest);
        }
        if (error->code != code || strcmp(error->argument, refusal->path) != 0 ||
            strstr(error->message, refusal->said) == NULL || strcmp(error->call, "cnLoadScene") != 0) {
            fail_msg("%s\n  expected %s '%s' '…%s…'\n  got      %s '%s' '%s' in %s", refusal->rest,
                     cnErrorName(code), refusal->path, refusal->said, cnErrorName(error->code),
                     error->argument, error->message, error->call);
        }
        assert_int_equal(cnGetBytesInUse(), before);
    }
}

#define CHECK_REFUSALS(list, code) check_refusals((list), sizeof(list) / sizeof((list)[0]), (code))

static inline char* read_file(const char* folder, const char* name, size_t* length) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s", CN_SOURCE_DIR, folder, name);
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("cannot read %s", path);
    }
    char* text = malloc(1 << 20);
    *length = fread(text, 1, 1 << 20, file);
    fclose(file);
    return text;
}

static inline const char* read_channel(cnSceneId scene, const char* name) {
    int channel = cnScene_OpenChannel(scene, name);
    if (channel < 0) {
        fail_msg("channel %s: %s", name, cnGetLastError()->message);
    }
    const char* text = cnScene_ReadChannel(scene, channel);
    assert_non_null(text);
    return text;
}

static inline void step_scene(cnSceneId scene, int count) {
    for (int i = 0; i < count; ++i) {
        assert_int_equal(cnScene_Step(scene), CN_ERROR_NONE);
    }
}

// A free body of 1 kg without gravity, h = 1/64 s.
#define FREE_BODY                                                                                            \
    "'world': {'gravity': [0, 0, 0], 'timeStep': 0.015625}, 'bodies': [{'name': 'b', 'mass': 1, 'inertia': " \
    "[1, 1, 1]}], "

// ---- what is refused --------------------------------------------------------------------------------------

#define FIELD(region, heights)                                                                               \
    "'geometries': [{'name': 'g', 'shape': {'type': 'heightField', 'resolution': [2, 2], 'size': [8, 8], "   \
    "'heights': [0, 0, 0, 0]}}], 'bodies': [{'name': 'b', 'position': [0, 0, 0.5], 'geometries': "           \
    "[{'shape': "                                                                                            \
    "{'type': 'sphere', 'radius': 0.5}}]}], 'actions': [{'at': 1, 'heightField': 'g', 'region': " region     \
    ", 'heights': " heights "}]"
