// What several unit tests need: random numbers, checks of numbers and errors, small worlds,
// memory that runs out.
//
// Checks are macros around functions named …_from, so that a failure names the line of the test, as
// cmocka's own do.
#pragma once

// cmocka wants the first three before it
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/containers/hash.h"
#include "cairn/cairn.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Tests run in the source folder unless the build says where that is.
#ifndef CN_SOURCE_DIR
#define CN_SOURCE_DIR "."
#endif

// Standard gravity (m/s²), that of a world whose definition says nothing of it.
#define GRAVITY 9.80665

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

// How many random cases a test looks at: sanitized builds, ten times as slow, take a tenth.
#define CASES(count) (IS_SANITIZED ? (count) / 10 : (count))

// ---- random numbers ---------------------------------------------------------------------------------------

// Set it to begin a sequence of one's own; every thread has one.
static _Thread_local uint64_t randomState = 1;

// The next state of Knuth's linear congruence (MMIX).
static inline uint64_t next_random_state(void) {
    randomState = randomState * 6364136223846793005u + 1442695040888963407u;
    return randomState;
}

// 64 bits of which every one is random; the lower bits of the state are not.
static inline uint64_t random_bits(void) {
    return cnMix64(next_random_state());
}

// Uniform in [lower, upper).
static inline double random_in(double lower, double upper) {
    return lower + (upper - lower) * ((double)(next_random_state() >> 11) / 9007199254740992.0);
}

// Uniform in 0 … count − 1.
static inline int random_int(int count) {
    return (int)random_in(0.0, count);
}

// Coordinates uniform in [−size, size).
static inline cnVec3 random_vec(double size) {
    const double x = random_in(-size, size), y = random_in(-size, size), z = random_in(-size, size);
    return cnVec(x, y, z);
}

// A unit vector, uniform over the sphere.
static inline cnVec3 random_direction(void) {
    for (;;) {
        cnVec3 v = random_vec(1.0);
        if (cnLength(v) > 0.1 && cnLength(v) < 1.0) {
            return cnNormalize(v);
        }
    }
}

// Any rotation.
static inline cnQuat random_rotation(void) {
    const cnVec3 v = random_vec(1.0);
    return cnNormalizeQuat((cnQuat){v.x, v.y, v.z, random_in(-1.0, 1.0)});
}

// Any rotation, one by quarters about the axes, or almost such a one.
static inline cnQuat random_placed_rotation(void) {
    static const double half = 0.70710678118654752440;
    int kind = random_int(3);
    if (kind == 0) {
        return random_rotation();
    }
    cnQuat rotation = cnQuat_identity;
    for (int i = 0; i < 3; ++i) {
        cnQuat quarter = {i == 0 ? half : 0.0, i == 1 ? half : 0.0, i == 2 ? half : 0.0, half};
        rotation = random_int(2) == 0 ? rotation : cnMulQuat(rotation, quarter);
    }
    if (kind == 2) {
        cnVec3 tilt = random_vec(random_int(2) == 0 ? 1e-3 : 0.05);
        rotation = cnNormalizeQuat(cnMulQuat(rotation, (cnQuat){tilt.x, tilt.y, tilt.z, 1.0}));
    }
    return rotation;
}

// Where cases are known by number, or borders of what holds were drawn with one sequence in mind: xorshift64,
// not to be changed.
static _Thread_local uint64_t caseState = 88172645463325252u;

static inline double case_in(double lower, double upper) {
    caseState ^= caseState << 13;
    caseState ^= caseState >> 7;
    caseState ^= caseState << 17;
    return lower + (upper - lower) * (double)(caseState >> 11) / 9007199254740992.0;
}

// ---- checks -----------------------------------------------------------------------------------------------

static inline void assert_near_from(const char* file, int line, const char* text, double value,
                                    double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) {
        print_error("%s is %.17g, not %.17g within %g\n", text, value, expected, tolerance);
        _fail(file, line);
    }
}

static inline void assert_near_vec_from(const char* file, int line, const char* text, cnVec3 value,
                                        cnVec3 expected, double tolerance) {
    if (!(cnLength(cnSub(value, expected)) <= tolerance)) {
        print_error("%s is (%.17g, %.17g, %.17g), not (%.17g, %.17g, %.17g) within %g\n", text, value.x,
                    value.y, value.z, expected.x, expected.y, expected.z, tolerance);
        _fail(file, line);
    }
}

static inline void assert_near_mat_from(const char* file, int line, const char* text, cnMat33 value,
                                        cnMat33 expected, double tolerance) {
    const double* a = &value.x.x;
    const double* b = &expected.x.x;
    for (int i = 0; i < 9; ++i) {
        assert_near_from(file, line, text, a[i], b[i], tolerance);
    }
}

static inline void assert_message_has_from(const char* file, int line, const char* part) {
    if (strstr(cnGetLastError()->message, part) == NULL) {
        print_error("\"%s\" lacks \"%s\"\n", cnGetLastError()->message, part);
        _fail(file, line);
    }
}

static inline void assert_last_error_from(const char* file, int line, cnErrorCode code, const char* argument,
                                          const char* part) {
    const cnErrorInfo* error = cnGetLastError();
    if (error->code != code || strcmp(error->argument, argument) != 0) {
        print_error("%s of '%s' is not %s of '%s': %s\n", cnErrorName(error->code), error->argument,
                    cnErrorName(code), argument, error->message);
        _fail(file, line);
    }
    assert_message_has_from(file, line, part);
}

// Fails with the message of the last error.
static inline void assert_done_from(const char* file, int line, bool isDone) {
    if (!isDone) {
        print_error("%s\n", cnGetLastError()->message);
        _fail(file, line);
    }
}

// NOLINTBEGIN(readability-identifier-naming): these are named as cmocka's macros are

// |value − expected| ≤ tolerance; false for what is no number.
#define assert_near(value, expected, tolerance)                                                              \
    assert_near_from(__FILE__, __LINE__, #value, (value), (expected), (tolerance))

// ‖value − expected‖ ≤ tolerance.
#define assert_near_vec(value, expected, tolerance)                                                          \
    assert_near_vec_from(__FILE__, __LINE__, #value, (value), (expected), (tolerance))

// The same for each of the nine numbers of a matrix.
#define assert_near_mat(value, expected, tolerance)                                                          \
    assert_near_mat_from(__FILE__, __LINE__, #value, (value), (expected), (tolerance))

// The message of the last error holds `part`.
#define assert_message_has(part) assert_message_has_from(__FILE__, __LINE__, (part))

// The last error has this code and argument, and its message holds `part`.
#define assert_last_error(code, argument, part)                                                              \
    assert_last_error_from(__FILE__, __LINE__, (code), (argument), (part))

// An id that is not null; otherwise the message of the last error is printed.
#define assert_made(id) assert_done_from(__FILE__, __LINE__, !CN_IS_NULL(id))

// A call that returns no error; otherwise its message is printed.
#define assert_ok(code) assert_done_from(__FILE__, __LINE__, (code) == CN_ERROR_NONE)

// ---- worlds -----------------------------------------------------------------------------------------------

// A world of this definition: make_world((cnWorldDef){.threads = 2}).
#define make_world(...) make_world_from(__FILE__, __LINE__, __VA_ARGS__)

// Its shape on a body, or static where the body is null; the definition may place it and name its material.
// add_geometry(world, geometryDef, shapeDef)
#define add_geometry(...) add_geometry_from(__FILE__, __LINE__, __VA_ARGS__)

// A geometry in the middle of its body: add_shape(world, body, shapeDef, material).
#define add_shape(...) add_shape_from(__FILE__, __LINE__, __VA_ARGS__)

// A body of one geometry: add_body(world, bodyDef, shapeDef, material).
#define add_body(...) add_body_from(__FILE__, __LINE__, __VA_ARGS__)

// So many steps, none of which fails.
#define step_world(world, count) step_world_from(__FILE__, __LINE__, (world), (count))

// NOLINTEND(readability-identifier-naming)

static const cnMaterialId defaultMaterial = {0};
static const cnWorldDef weightless = {.gravity = {.type = cn_gravityUniform}};
static const cnShapeDef groundPlane = {.type = cn_plane, .normal = {0.0, 0.0, 1.0}};

static inline cnShapeDef sphere_of(double radius) {
    return (cnShapeDef){.type = cn_sphere, .radius = radius};
}

// About the y axis.
static inline cnShapeDef tube_of(double innerRadius, double thickness, double height) {
    return (cnShapeDef){
        .type = cn_hollowCylinder, .innerRadius = innerRadius, .thickness = thickness, .height = height};
}

// By half extents.
static inline cnShapeDef box_of(double x, double y, double z) {
    return (cnShapeDef){.type = cn_box, .halfExtents = {x, y, z}};
}

// A static height field of columns × rows heights over sizeX × sizeY.
static inline cnShapeDef field_of(int columns, int rows, double sizeX, double sizeY, const double* heights) {
    return (cnShapeDef){.type = cn_heightField,
                        .columnCount = columns,
                        .rowCount = rows,
                        .sizeX = sizeX,
                        .sizeY = sizeY,
                        .heights = heights,
                        .heightCount = columns * rows};
}

static inline cnWorldId make_world_from(const char* file, int line, cnWorldDef def) {
    cnWorldId world = cnCreateWorld(&def);
    assert_done_from(file, line, !CN_IS_NULL(world));
    return world;
}

static inline cnGeometryId add_geometry_from(const char* file, int line, cnWorldId world, cnGeometryDef def,
                                             cnShapeDef shapeDef) {
    cnShapeInstance instance = {.shape = cnCreateShape(world, &shapeDef)};
    assert_done_from(file, line, !CN_IS_NULL(instance.shape));
    def.shapes = &instance;
    def.shapeCount = 1;
    cnGeometryId geometry = cnCreateGeometry(world, &def);
    assert_done_from(file, line, !CN_IS_NULL(geometry));
    assert_done_from(file, line, cnReleaseShape(world, instance.shape) == CN_ERROR_NONE);
    return geometry;
}

static inline cnGeometryId add_shape_from(const char* file, int line, cnWorldId world, cnBodyId body,
                                          cnShapeDef shapeDef, cnMaterialId material) {
    return add_geometry_from(file, line, world, (cnGeometryDef){.body = body, .material = material},
                             shapeDef);
}

static inline cnBodyId add_body_from(const char* file, int line, cnWorldId world, cnBodyDef def,
                                     cnShapeDef shapeDef, cnMaterialId material) {
    cnBodyId body = cnCreateBody(world, &def);
    assert_done_from(file, line, !CN_IS_NULL(body));
    add_shape_from(file, line, world, body, shapeDef, material);
    return body;
}

// The plane z = 0.
static inline cnGeometryId add_ground(cnWorldId world, cnMaterialId material) {
    return add_shape(world, (cnBodyId){0}, groundPlane, material);
}

// Its friction and restitution against itself.
static inline cnMaterialId add_material(cnWorldId world, double friction, double restitution) {
    cnMaterialId material = cnCreateMaterial(world, &(cnMaterialDef){0});
    cnContactMaterialId pair = cnCreateContactMaterial(
        world, &(cnContactMaterialDef){.material1 = material,
                                       .material2 = material,
                                       .given = cn_contactFriction | cn_contactRestitution,
                                       .friction = {friction, friction},
                                       .restitution = restitution});
    assert_made(pair);
    return material;
}

static inline void step_world_from(const char* file, int line, cnWorldId world, int count) {
    for (int i = 0; i < count; ++i) {
        assert_done_from(file, line, cnWorld_Step(world) == CN_ERROR_NONE);
    }
}

// Kinetic and potential.
static inline double total_energy(cnWorldId world) {
    return cnWorld_GetKineticEnergy(world) + cnWorld_GetPotentialEnergy(world);
}

// ---- memory that runs out ---------------------------------------------------------------------------------

// An allocator that gives `left` more blocks, filled with rubbish, and counts. Static, as it outlives a
// test that fails.
typedef struct Ration {
    long left;    // blocks until memory is out
    long made;    // blocks ever given
    int blocks;   // in use
    size_t bytes; // in use
} Ration;

static inline void* allocate_ration(size_t bytes, void* context) {
    Ration* ration = context;
    if (ration->left-- <= 0) {
        return NULL;
    }
    ration->made += 1;
    ration->blocks += 1;
    ration->bytes += bytes;
    void* memory = aligned_alloc(16, (bytes + 15) & ~(size_t)15);
    memset(memory, 0xab, bytes);
    return memory;
}

static inline void release_ration(void* memory, size_t bytes, void* context) {
    Ration* ration = context;
    ration->blocks -= 1;
    ration->bytes -= bytes;
    free(memory);
}

// From here on all memory comes from the ration.
static inline void start_ration(Ration* ration, long left) {
    *ration = (Ration){.left = left};
    cnAllocator allocator = {allocate_ration, release_ration, ration};
    assert_ok(cnSetAllocator(&allocator));
}

// Back to the usual memory; nothing may be in use any more.
static inline void end_ration(const Ration* ration) {
    assert_int_equal(ration->bytes, 0);
    assert_int_equal(ration->blocks, 0);
    assert_ok(cnSetAllocator(NULL));
}

// ---- log lines --------------------------------------------------------------------------------------------

// A log function that keeps the last line in the text given to it: cnSetLogFunction(keep_line, line).
static inline void keep_line(const char* line, void* context) {
    memcpy(context, line, strlen(line) + 1);
}

// ---- the programs -----------------------------------------------------------------------------------------

// Runs the functions whose names stand in `names`, separated by commas; 1 where one fails, as
// main() returns it.
static inline int run_all_from(const char* names, const CMUnitTestFunction* functions, int count,
                               CMFixtureFunction setUp, CMFixtureFunction tearDown,
                               CMFixtureFunction tearDownAll) {
    static char text[8192];
    static struct CMUnitTest tests[128];
    snprintf(text, sizeof text, "%s", names);
    char* name = strtok(text, ", ");
    for (int i = 0; i < count && i < 128; ++i, name = strtok(NULL, ", ")) {
        tests[i] = (struct CMUnitTest){name, functions[i], setUp, tearDown, NULL};
    }
    return _cmocka_run_group_tests("tests", tests, (size_t)count, NULL, tearDownAll);
}

// NOLINTBEGIN(readability-identifier-naming): these are named as cmocka's macros are

#define run_all_with(setUp, tearDown, tearDownAll, ...)                                                      \
    run_all_from(#__VA_ARGS__, (const CMUnitTestFunction[]){__VA_ARGS__},                                    \
                 (int)(sizeof((const CMUnitTestFunction[]){__VA_ARGS__}) / sizeof(CMUnitTestFunction)),      \
                 (setUp), (tearDown), (tearDownAll))

// What main() returns: run_all(this_law_holds, that_law_holds).
#define run_all(...) run_all_with(NULL, NULL, NULL, __VA_ARGS__)

// The same with a function before and one after each test.
#define run_all_between(setUp, tearDown, ...) run_all_with(setUp, tearDown, NULL, __VA_ARGS__)

// The same with a function after all of them.
#define run_all_then(tearDownAll, ...) run_all_with(NULL, NULL, tearDownAll, __VA_ARGS__)

// NOLINTEND(readability-identifier-naming)
