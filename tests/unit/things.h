// Bodies of one geometry, for tests that speak of both.
#pragma once

#include "helpers.h"

// The usual step of a world (s).
#define STEP (1.0 / 60)

typedef struct Thing {
    cnBodyId body;
    cnGeometryId geometry;
} Thing;

// add_thing(world, bodyDef, shapeDef), of the default material. NOLINTNEXTLINE(readability-identifier-naming)
#define add_thing(...) add_thing_from(__FILE__, __LINE__, __VA_ARGS__)

static inline Thing add_thing_from(const char* file, int line, cnWorldId world, cnBodyDef def,
                                   cnShapeDef shape) {
    Thing thing = {.body = cnCreateBody(world, &def)};
    assert_done_from(file, line, !CN_IS_NULL(thing.body));
    thing.geometry = add_shape_from(file, line, world, thing.body, shape, defaultMaterial);
    return thing;
}

static inline double height_of(cnWorldId world, Thing thing) {
    return cnBody_GetPosition(world, thing.body).z;
}

// A mesh of two blocks with a gap between x = −1 and 1, 1 m wide, from z = −0.3 to 0.3.
static inline cnShapeDef two_blocks(cnVec3 points[16], int32_t triangles[72]) {
    static const int32_t box[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                    2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (int i = 0; i < 16; ++i) {
        double middle = i < 8 ? -1.5 : 1.5;
        points[i] =
            cnVec(middle + ((i & 1) != 0 ? 0.5 : -0.5), (i & 2) != 0 ? 0.5 : -0.5, (i & 4) != 0 ? 0.3 : -0.3);
    }
    for (int i = 0; i < 72; ++i) {
        triangles[i] = box[i % 36] + (i < 36 ? 0 : 8);
    }
    return (cnShapeDef){
        .type = cn_trimesh, .points = points, .pointCount = 16, .triangles = triangles, .triangleCount = 24};
}

// ---- contact listeners ------------------------------------------------------------------------------------

#define MAX_HEARD 256

typedef struct Heard {
    int count;
    int who[MAX_HEARD];
    cnContact contacts[MAX_HEARD];
} Heard;

// Who listens, what it answers, and where it writes down what it hears.
typedef struct Ear {
    Heard* heard;
    int who;
    cnContactAnswer answer;
} Ear;

static inline cnContactAnswer record_contact(cnWorldId world, const cnContact* contact, void* context) {
    (void)world;
    const Ear* ear = context;
    assert_true(ear->heard->count < MAX_HEARD);
    ear->heard->who[ear->heard->count] = ear->who;
    ear->heard->contacts[ear->heard->count++] = *contact;
    return ear->answer;
}

static inline cnListenerId listen(cnWorldId world, Ear* ear, uint32_t mask) {
    cnListenerId id = cnAddContactListener(
        world, &(cnContactListenerDef){.listener = record_contact, .context = ear, .mask = mask});
    assert_false(CN_IS_NULL(id));
    return id;
}
