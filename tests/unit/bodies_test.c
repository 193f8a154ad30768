// Many bodies in one call: the same world as one by one, all or nothing, errors that name the row, memory.
#include "helpers.h"
#include "world/world.h"

#define MAX_COUNT 200

static uint64_t hash_of(cnWorldId world) {
    return cnHashState(cnLookUpWorld(world));
}

// Columns of random bodies that a definition points to.
typedef struct Crowd {
    cnVec3 positions[MAX_COUNT];
    cnQuat rotations[MAX_COUNT];
    cnVec3 velocities[MAX_COUNT];
    cnVec3 angularVelocities[MAX_COUNT];
    double masses[MAX_COUNT];
    cnShapeId shapes[MAX_COUNT];
    cnMaterialId materials[MAX_COUNT];
} Crowd;

static Crowd crowd;

// What both worlds have before the crowd comes: shapes, materials, a ground, and rows that are free again.
typedef struct Stage {
    cnWorldId world;
    cnShapeId ball, box;
    cnMaterialId light;
} Stage;

static Stage make_stage(void) {
    Stage stage = {.world = make_world((cnWorldDef){0})};
    cnShapeDef ball = sphere_of(0.3), box = box_of(0.2, 0.3, 0.4);
    stage.ball = cnCreateShape(stage.world, &ball);
    stage.box = cnCreateShape(stage.world, &box);
    stage.light =
        cnCreateMaterial(stage.world, &(cnMaterialDef){.given = cn_materialDensity, .density = 100});
    add_ground(stage.world, defaultMaterial);
    cnBodyId bodies[30];
    for (int i = 0; i < 30; ++i) {
        bodies[i] = add_body(stage.world, (cnBodyDef){.position = {3.0 * i, 50, 5}}, ball, defaultMaterial);
    }
    for (int i = 0; i < 30; i += 3) {
        assert_ok(cnDestroyBody(stage.world, bodies[i]));
    }
    step_world(stage.world, 2);
    return stage;
}

// Some columns of a definition, by bits.
static cnBodiesDef use_columns(unsigned columns, cnBodiesDef def) {
    def.positions = (columns & 1) != 0 ? crowd.positions : NULL;
    def.rotations = (columns & 2) != 0 ? crowd.rotations : NULL;
    def.velocities = (columns & 4) != 0 ? crowd.velocities : NULL;
    def.angularVelocities = (columns & 8) != 0 ? crowd.angularVelocities : NULL;
    def.masses = (columns & 16) != 0 ? crowd.masses : NULL;
    def.shapes = (columns & 32) != 0 ? crowd.shapes : NULL;
    def.materials = (columns & 64) != 0 ? crowd.materials : NULL;
    return def;
}

static void fill_crowd(const Stage* stage) {
    for (int i = 0; i < MAX_COUNT; ++i) {
        const int column = i / 10 % 5, layer = i / 50;
        crowd.positions[i] = cnVec(1.1 * (i % 10), 1.1 * column, 0.5 + 1.1 * layer);
        crowd.rotations[i] = i % 5 == 0 ? (cnQuat){0} : random_rotation();
        crowd.velocities[i] = random_vec(1.0);
        crowd.angularVelocities[i] = random_vec(2.0);
        crowd.masses[i] = i % 4 == 0 ? 0.0 : random_in(1, 5);
        crowd.shapes[i] = random_int(2) == 0 ? stage->ball : stage->box;
        crowd.materials[i] = random_int(2) == 0 ? stage->light : defaultMaterial;
    }
}

// The same bodies by one call each.
static void create_one_by_one(cnWorldId world, const cnBodiesDef* def, cnBodyId* bodies) {
    for (int i = 0; i < def->count; ++i) {
        cnBodyDef body = {0};
        if (def->body != NULL) {
            body = *def->body;
        }
        body.position = def->positions != NULL ? def->positions[i] : body.position;
        body.rotation = def->rotations != NULL ? def->rotations[i] : body.rotation;
        body.velocity = def->velocities != NULL ? def->velocities[i] : body.velocity;
        body.angularVelocity =
            def->angularVelocities != NULL ? def->angularVelocities[i] : body.angularVelocity;
        body.mass = def->masses != NULL ? def->masses[i] : body.mass;
        bodies[i] = cnCreateBody(world, &body);
        assert_made(bodies[i]);
        if (def->geometry == NULL && def->shapes == NULL) {
            continue;
        }
        cnGeometryDef geometry = {0};
        cnShapeInstance instance = {0};
        if (def->geometry != NULL) {
            geometry = *def->geometry;
        }
        if (def->shapes != NULL) {
            instance.shape = def->shapes[i];
            geometry.shapes = &instance;
            geometry.shapeCount = 1;
        }
        geometry.material = def->materials != NULL ? def->materials[i] : geometry.material;
        geometry.body = bodies[i];
        cnGeometryId made = cnCreateGeometry(world, &geometry);
        assert_made(made);
        for (int k = 0; k < def->groupCount; ++k) {
            assert_ok(cnGeometry_AddGroup(world, made, def->groups[k]));
        }
    }
}

// Both ways from the same stage: handles, the state and its hash agree, then and after steps.
static void compare_ways(unsigned columns, const cnBodiesDef* common, const cnGeometryDef* geometry) {
    static cnBodyId single[MAX_COUNT], batch[MAX_COUNT];
    Stage one = make_stage(), all = make_stage();
    cnShapeInstance instances[2] = {{.shape = one.box}, {.shape = one.ball, .position = {0, 0, 0.3}}};
    cnGeometryDef def = {0};
    if (geometry != NULL) {
        def = *geometry;
    }
    if ((columns & 32) == 0) {
        def.shapes = instances;
        def.shapeCount = 2;
    }

    // handles of shapes and materials are each world's own
    cnBodiesDef bodies = use_columns(columns, *common);
    bodies.geometry = geometry != NULL ? &def : NULL;
    uint64_t seed = randomState;
    fill_crowd(&one);
    create_one_by_one(one.world, &bodies, single);
    randomState = seed;
    fill_crowd(&all);
    instances[0].shape = all.box;
    instances[1].shape = all.ball;
    assert_ok(cnCreateBodies(all.world, &bodies, batch));
    for (int i = 0; i < common->count; ++i) {
        assert_int_equal(CN_INDEX_OF(batch[i]), CN_INDEX_OF(single[i]));
        assert_true(cnBody_IsValid(all.world, batch[i]));
    }
    assert_int_equal(hash_of(all.world), hash_of(one.world));
    assert_ok(cnWorld_Validate(all.world));
    step_world(one.world, 20);
    step_world(all.world, 20);
    assert_int_equal(hash_of(all.world), hash_of(one.world));
    assert_int_equal(cnWorld_GetCounters(all.world).contacts, cnWorld_GetCounters(one.world).contacts);
    cnDestroyWorld(one.world);
    cnDestroyWorld(all.world);
}

static void a_batch_is_the_same_as_one_by_one(void** state) {
    (void)state;
    static const uint32_t groups[] = {7, 3, 7};
    static const cnBodyDef spinning = {.rotation = {0, 0, 2.0 / 3, 0.7453559924999299},
                                       .velocity = {0, 0, 1},
                                       .mass = 2,
                                       .linearDamping = {0.1, 0, 0},
                                       .fast = true};
    static const cnBodyDef still = {.motion = cn_static};
    static const cnGeometryDef plain = {0};
    static const cnGeometryDef rough = {
        .frictionGiven = true, .friction = 0.7, .position = {0.1, 0, 0}, .surfaceVelocity = {1, 0, 0}};
    compare_ways(1, &(cnBodiesDef){.count = 100}, NULL);
    compare_ways(1 | 2 | 4 | 8, &(cnBodiesDef){.count = MAX_COUNT}, &plain);
    compare_ways(127, &(cnBodiesDef){.count = MAX_COUNT}, NULL);
    compare_ways(127, &(cnBodiesDef){.count = 30, .body = &spinning}, &plain);
    compare_ways(1, &(cnBodiesDef){.count = 100, .body = &spinning, .groups = groups, .groupCount = 3},
                 &rough);
    compare_ways(1 | 32, &(cnBodiesDef){.count = 100, .body = &still}, &rough);
}

// Row, value and range are named; the world is as it was.
static void a_wrong_row_is_named_and_nothing_is_made(void** state) {
    (void)state;
    Stage stage = make_stage();
    cnWorldId world = stage.world, other = make_world(weightless);
    cnShapeDef ball = sphere_of(1);
    cnShapeInstance instance = {.shape = stage.ball};
    const cnGeometryDef geometry = {.shapes = &instance, .shapeCount = 1};
    const uint64_t hash = hash_of(world);
    const cnCounters counters = cnWorld_GetCounters(world);
    cnBodyId bodies[MAX_COUNT];

#define REJECTS(columns, common, change, code, argument, part)                                               \
    do {                                                                                                     \
        fill_crowd(&stage);                                                                                  \
        cnBodiesDef def = use_columns((columns), (cnBodiesDef)common);                                       \
        change;                                                                                              \
        assert_int_equal(cnCreateBodies(world, &def, bodies), (code));                                       \
        assert_last_error((code), (argument), (part));                                                       \
        assert_string_equal(cnGetLastError()->call, "cnCreateBodies");                                       \
        assert_int_equal(hash_of(world), hash);                                                              \
        assert_int_equal(cnWorld_GetCounters(world).bodies, counters.bodies);                                \
        assert_int_equal(cnWorld_GetCounters(world).geometries, counters.geometries);                        \
        assert_int_equal(cnWorld_GetCounters(world).materials, counters.materials);                          \
    } while (0)
#define ALL {.count = MAX_COUNT}

    // columns
    REJECTS(127, ALL, crowd.positions[12].y = NAN, CN_ERROR_NOT_FINITE, "def.positions[12]",
            "def.positions[12] is (");
    REJECTS(127, ALL, crowd.positions[199].z = 2e30, CN_ERROR_OUT_OF_RANGE, "def.positions[199]",
            "up to 1e30");
    REJECTS(127, ALL, crowd.rotations[1] = ((cnQuat){1, 1, 1, 1}), CN_ERROR_OUT_OF_RANGE, "def.rotations[1]",
            "def.rotations[1] has length 2, allowed is 1 within 1e-3");
    REJECTS(127, ALL, crowd.velocities[0].x = INFINITY, CN_ERROR_NOT_FINITE, "def.velocities[0]", "finite");
    REJECTS(127, ALL, crowd.angularVelocities[5].x = NAN, CN_ERROR_NOT_FINITE, "def.angularVelocities[5]",
            "");
    REJECTS(127, ALL, crowd.masses[9] = -1, CN_ERROR_OUT_OF_RANGE, "def.masses[9]", "def.masses[9] is -1 kg");
    REJECTS(127, ALL, crowd.shapes[3].value = 0, CN_ERROR_NULL_HANDLE, "def.shapes[3]", "");
    REJECTS(127, ALL, crowd.shapes[4] = cnCreateShape(other, &ball), CN_ERROR_STALE_HANDLE, "def.shapes[4]",
            "");
    REJECTS(127, ALL, crowd.materials[198].value = 0xfff00005u, CN_ERROR_STALE_HANDLE, "def.materials[198]",
            "");

    // what all have in common
    const cnBodyDef heavy = {.mass = NAN};
    const cnGeometryDef bouncy = {
        .shapes = &instance, .shapeCount = 1, .restitutionGiven = true, .restitution = 2};
    const cnGeometryDef empty = {0};
    cnGeometryDef owned = geometry;
    owned.body.value = 0x00100000u;
    uint32_t many[17];
    for (uint32_t i = 0; i < 17; ++i) {
        many[i] = i;
    }
    REJECTS(1, ALL, def.body = &heavy, CN_ERROR_NOT_FINITE, "def.body.mass", "def.body.mass is ");
    REJECTS(1, ALL, def.geometry = &bouncy, CN_ERROR_OUT_OF_RANGE, "def.geometry.restitution",
            "def.geometry.restitution is 2, allowed is 0 to 1");
    REJECTS(1, ALL, def.geometry = &empty, CN_ERROR_NULL_ARGUMENT, "def.geometry.shapes", "1 or more");
    REJECTS(1, ALL, def.geometry = &owned, CN_ERROR_OUT_OF_RANGE, "def.geometry.body", "allowed is none");
    REJECTS(33, ALL, def.geometry = &geometry, CN_ERROR_OUT_OF_RANGE, "def.shapes", "together with");
    REJECTS(65, ALL, (void)0, CN_ERROR_OUT_OF_RANGE, "def.materials", "without geometries");
    REJECTS(97, ALL, (def.geometry = &bouncy, def.shapes = NULL), CN_ERROR_OUT_OF_RANGE, "def.materials",
            "together with");
    REJECTS(33, ALL, (def.groups = many, def.groupCount = 17), CN_ERROR_TOO_MANY, "def.groups",
            "allowed are 16");
    REJECTS(33, ALL, def.groupCount = 1, CN_ERROR_NULL_ARGUMENT, "def.groups", "null");
    REJECTS(1, ALL, (def.groups = many, def.groupCount = 1), CN_ERROR_OUT_OF_RANGE, "def.groups", "without");

    // how many
    REJECTS(0, ALL, def.count = -1, CN_ERROR_OUT_OF_RANGE, "def.count", "def.count is -1, allowed is 0 to");
    REJECTS(0, ALL, def.count = CN_MAX_ROWS + 1, CN_ERROR_OUT_OF_RANGE, "def.count", "1048576");
    REJECTS(0, ALL, def.count = CN_MAX_ROWS, CN_ERROR_TOO_MANY, "def.count", "allowed is 0 to 1048556");
#undef REJECTS
#undef ALL
    assert_int_equal(cnCreateBodies(world, NULL, bodies), CN_ERROR_NULL_ARGUMENT);
    assert_int_equal(cnCreateBodies((cnWorldId){0}, &(cnBodiesDef){0}, bodies), CN_ERROR_NULL_HANDLE);
    cnDestroyWorld(other);
    cnDestroyWorld(world);
}

static void no_bodies_are_a_batch_too(void** state) {
    (void)state;
    Stage stage = make_stage();
    const uint64_t hash = hash_of(stage.world);
    const int materials = cnWorld_GetCounters(stage.world).materials;
    const cnGeometryDef rough = {.frictionGiven = true, .friction = 0.77};
    assert_ok(cnCreateBodies(stage.world, &(cnBodiesDef){0}, NULL));
    assert_ok(cnCreateBodies(stage.world, &(cnBodiesDef){.geometry = &rough, .shapes = crowd.shapes}, NULL));
    assert_int_equal(hash_of(stage.world), hash);
    assert_int_equal(cnWorld_GetCounters(stage.world).materials, materials);

    // handles are given where they are wanted
    assert_ok(cnCreateBodies(stage.world, &(cnBodiesDef){.count = 3}, NULL));
    assert_int_equal(cnWorld_GetCounters(stage.world).bodies, 23);
    cnDestroyWorld(stage.world);
}

// Wherever memory runs out the world is as it was, and the call succeeds once there is enough.
static void without_memory_nothing_is_made(void** state) {
    (void)state;
    static cnBodyId bodies[MAX_COUNT];
    int failures = 0;
    bool failed = true;
    for (long left = 0; failed; ++left) {
        static Ration ration;
        start_ration(&ration, LONG_MAX);
        Stage stage = make_stage();
        fill_crowd(&stage);
        const uint64_t hash = hash_of(stage.world);
        const cnGeometryDef rough = {.frictionGiven = true, .friction = 0.77};
        cnBodiesDef def = use_columns(63, (cnBodiesDef){.count = MAX_COUNT, .geometry = &rough});
        ration.left = left;
        failed = cnCreateBodies(stage.world, &def, bodies) != CN_ERROR_NONE;
        ration.left = LONG_MAX;
        if (failed) {
            failures += 1;
            assert_int_equal(cnGetLastError()->code, CN_ERROR_OUT_OF_MEMORY);
            assert_int_equal(hash_of(stage.world), hash);
            assert_ok(cnWorld_Validate(stage.world));
            assert_ok(cnCreateBodies(stage.world, &def, bodies));
        }
        assert_int_equal(cnWorld_GetCounters(stage.world).bodies, 20 + MAX_COUNT);
        assert_ok(cnWorld_Validate(stage.world));
        step_world(stage.world, 2);
        cnDestroyWorld(stage.world);
        end_ration(&ration);
    }
    assert_in_range(failures, 10, 1000);
}

int main(void) {
    return run_all(a_batch_is_the_same_as_one_by_one, a_wrong_row_is_named_and_nothing_is_made,
                   no_bodies_are_a_batch_too, without_memory_nothing_is_made);
}
