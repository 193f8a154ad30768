// Whole-world invariants: a world with everything in it is valid through its life, and each invariant that is
// broken is found and named.
#define _POSIX_C_SOURCE 200809L

#include "collide/broad/broad_phase_state.h"
#include "world/contact_list.h"
#include "world/validate.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

// ---- a world with everything in it ------------------------------------------------------------------------

typedef struct Things {
    cnWorldId id;
    cnWorld* world;
    cnMaterialId material;
    cnBodyId boxes[3], ball, platform, post, tube;
    cnGeometryId floor, sensor;
    cnConstraintId hinges[2], gear;
} Things;

static const cnShapeDef box = {.type = cn_box, .halfExtents = {0.5, 0.5, 0.5}};

static cnGeometryId add_geometry(Things* things, cnGeometryDef def, cnShapeDef shapeDef) {
    cnShapeInstance instance = {.shape = cnCreateShape(things->id, &shapeDef)};
    def.shapes = &instance;
    def.shapeCount = 1;
    cnGeometryId geometry = cnCreateGeometry(things->id, &def);
    assert_false(CN_IS_NULL(geometry));
    assert_int_equal(cnReleaseShape(things->id, instance.shape), CN_ERROR_NONE);
    return geometry;
}

static cnBodyId add_body(Things* things, cnBodyDef def, cnShapeDef shape) {
    cnBodyId body = cnCreateBody(things->id, &def);
    assert_false(CN_IS_NULL(body));
    add_geometry(things, (cnGeometryDef){.body = body}, shape);
    return body;
}

static void on_step(cnWorldId world, uint32_t moment, void* context) {
    (void)moment;
    (void)context;
    assert_int_equal(cnWorld_Validate(world), CN_ERROR_NONE);
}

static cnContactAnswer on_contact(cnWorldId world, const cnContact* contact, void* context) {
    (void)contact;
    (void)context;
    assert_int_equal(cnWorld_Validate(world), CN_ERROR_NONE);
    return cn_keepContact;
}

static void add_materials(Things* things) {
    things->material = cnCreateMaterial(things->id, &(cnMaterialDef){.name = "gravel"});
    cnCreateMaterial(things->id, &(cnMaterialDef){.name = "gravet"});
    cnContactMaterialDef pair = {.material1 = things->material, .material2 = things->material};
    assert_false(CN_IS_NULL(cnCreateContactMaterial(things->id, &pair)));
}

// A floor, a stack of boxes with a ball beside it, a tube that lies on its side with two balls in it (concave
// pairs), a moving platform, a sensor of two shapes, a static post.
static void add_bodies(Things* things) {
    cnShapeDef plane = {.type = cn_plane, .normal = {0, 0, 1}}, ball = {.type = cn_sphere, .radius = 0.2};
    things->floor = add_geometry(things, (cnGeometryDef){.material = things->material}, plane);
    for (int i = 0; i < 3; ++i) {
        things->boxes[i] = add_body(things, (cnBodyDef){.position = {0, 0, 0.499 + 0.999 * i}}, box);
    }
    things->ball = add_body(things, (cnBodyDef){.position = {2, 0, 0.199}, .fast = true}, ball);
    cnShapeDef tube = {.type = cn_hollowCylinder, .innerRadius = 0.4, .thickness = 0.1, .height = 2.0};
    things->tube = add_body(things, (cnBodyDef){.position = {5, 0, 0.499}}, tube);
    add_body(things, (cnBodyDef){.position = {5, 0.5, 0.3}}, ball);
    add_body(things, (cnBodyDef){.position = {5, -0.5, 0.3}}, ball);
    things->platform = add_body(things, (cnBodyDef){.position = {0, 6, 1}, .motion = cn_kinematic}, box);
    assert_int_equal(cnBody_MoveTo(things->id, things->platform, cnVec(0, 6, 2), cnQuat_identity, 1.0,
                                   cn_arrivalKeepVelocity),
                     CN_ERROR_NONE);
    things->post = add_body(things, (cnBodyDef){.position = {0, -6, 2}, .motion = cn_static}, box);
    cnShapeId shape = cnCreateShape(things->id, &box);
    cnShapeInstance two[] = {{.shape = shape, .position = {0.4, 0, 0}}, {.shape = shape}};
    cnGeometryDef sensor = {.shapes = two, .shapeCount = 2, .sensor = cn_sensorOverlapOnly};
    things->sensor = cnCreateGeometry(things->id, &sensor);
    assert_false(CN_IS_NULL(things->sensor));
}

// Two wheels on the post, geared.
static void add_joints(Things* things) {
    for (int i = 0; i < 2; ++i) {
        cnVec3 place = {2.0 * i - 1.0, -8, 2};
        cnBodyId wheel =
            add_body(things, (cnBodyDef){.position = place}, (cnShapeDef){.type = cn_sphere, .radius = 0.3});
        cnConstraintDef hinge = {.type = cn_constraintHinge,
                                 .body1 = wheel,
                                 .body2 = things->post,
                                 .given = cn_constraintAnchor | cn_constraintAxis,
                                 .anchor = place,
                                 .axis = {0, 1, 0}};
        things->hinges[i] = cnCreateConstraint(things->id, &hinge);
        assert_false(CN_IS_NULL(things->hinges[i]));
    }
    cnConstraintDef gear = {.type = cn_constraintGear,
                            .ratio = 2.0,
                            .constraint1 = things->hinges[0],
                            .constraint2 = things->hinges[1]};
    things->gear = cnCreateConstraint(things->id, &gear);
    assert_false(CN_IS_NULL(things->gear));
}

static void step(const Things* things, int count) {
    for (int i = 0; i < count; ++i) {
        assert_int_equal(cnWorld_Step(things->id), CN_ERROR_NONE);
    }
}

static void expect_valid(const cnWorld* world) {
    cnFault fault;
    if (!cnValidateWorld(world, cn_phaseSettled, &fault)) {
        fail_msg("%s", fault.message);
    }
}

static Things make_things(void) {
    Things things = {.id = cnCreateWorld(&(cnWorldDef){0})};
    things.world = cnLookUpWorld(things.id);
    assert_non_null(things.world);
    expect_valid(things.world);
    add_materials(&things);
    add_bodies(&things);
    add_joints(&things);
    assert_int_equal(cnWorld_SetGroupPairEnabled(things.id, 3, 5, false), CN_ERROR_NONE);
    assert_int_equal(cnWorld_SetGroupPairEnabled(things.id, 2, 5, false), CN_ERROR_NONE);
    assert_int_equal(cnGeometry_AddGroup(things.id, things.sensor, 3), CN_ERROR_NONE);
    assert_int_equal(cnWorld_SetGeometryPairEnabled(things.id, things.sensor, things.floor, false),
                     CN_ERROR_NONE);
    assert_int_not_equal(cnWorld_GetGroup(things.id, "wheels"), 0);
    uint32_t moments = cn_beforeCollide | cn_beforeSolve | cn_afterSolve | cn_afterStep;
    assert_false(CN_IS_NULL(cnAddStepListener(things.id, moments, on_step, NULL)));
    cnContactListenerDef listener = {.listener = on_contact};
    assert_false(CN_IS_NULL(cnAddContactListener(things.id, &listener)));
    return things;
}

// Fails where the world has not what a test is about.
static void expect_everything(const cnWorld* world) {
    assert_true(world->contacts.count > 5 && world->contactPoints.count > 10);
    assert_true(world->pairs.concaves.count > 0 && world->constraints.ids.liveCount == 3);
    int children = 0, sensors = 0;
    for (int i = 0; i < world->pairs.pairs.count; ++i) {
        children += cnPairTable_Get(&world->pairs, i)->part > 0;
        sensors += (cnPairTable_Get(&world->pairs, i)->flags & cn_pairSensor) != 0;
    }
    if (children == 0 || sensors == 0)
        fail_msg("%d children, %d sensors", children, sensors);
}

// ---- valid worlds -----------------------------------------------------------------------------------------

static void test_valid_through_life(void** state) {
    (void)state;
    Things things = make_things();
    expect_valid(things.world);
    step(&things, 20);
    expect_everything(things.world);
    expect_valid(things.world);

    // between the halves of a step, with changes
    assert_int_equal(cnWorld_Collide(things.id), CN_ERROR_NONE);
    expect_valid(things.world);
    assert_int_equal(cnDestroyBody(things.id, things.boxes[1]), CN_ERROR_NONE);
    expect_valid(things.world);
    assert_int_equal(cnBody_SetPosition(things.id, things.ball, cnVec(2, 2, 3)), CN_ERROR_NONE);
    assert_int_equal(cnBody_SetMotion(things.id, things.boxes[2], cn_static), CN_ERROR_NONE);
    expect_valid(things.world);
    assert_int_equal(cnWorld_Solve(things.id), CN_ERROR_NONE);
    expect_valid(things.world);

    // destruction, in an order that leaves rows free in between
    assert_int_equal(cnDestroyConstraint(things.id, things.hinges[0]), CN_ERROR_NONE); // and the gear
    expect_valid(things.world);
    assert_int_equal(cnDestroyBody(things.id, things.tube), CN_ERROR_NONE);
    assert_int_equal(cnDestroyBody(things.id, things.post), CN_ERROR_NONE);
    assert_int_equal(cnDestroyGeometry(things.id, things.sensor), CN_ERROR_NONE);
    expect_valid(things.world);
    step(&things, 3);
    assert_int_equal(cnDestroyGeometry(things.id, things.floor), CN_ERROR_NONE);
    assert_int_equal(cnDestroyMaterial(things.id, things.material), CN_ERROR_NONE);
    add_body(&things, (cnBodyDef){.position = {0, 0, 9}}, box);
    expect_valid(things.world);
    step(&things, 3);
    expect_valid(things.world);
    cnDestroyWorld(things.id);
}

// ---- broken worlds ----------------------------------------------------------------------------------------

static void expect_fault(const cnWorld* world, cnWorldPhase phase, const char* expected) {
    cnFault fault;
    if (cnValidateWorld(world, phase, &fault)) {
        fail_msg("not found: %s", expected);
    }
    if (strstr(fault.message, expected) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", fault.message, expected);
    }
}

// Makes one place wrong, expects a message with those words, and puts the place right.
#define BREAK_IN(phase, world, place, wrong, expected)                                                       \
    do {                                                                                                     \
        unsigned char saved[sizeof(place)];                                                                  \
        memcpy(saved, &(place), sizeof saved);                                                               \
        (place) = (wrong);                                                                                   \
        expect_fault((world), (phase), (expected));                                                          \
        memcpy(&(place), saved, sizeof saved);                                                               \
        expect_valid(world);                                                                                 \
    } while (0)
#define BREAK(world, place, wrong, expected) BREAK_IN(cn_phaseSettled, world, place, wrong, expected)

static Things make_stepped(void) {
    Things things = make_things();
    step(&things, 5);
    expect_everything(things.world);
    expect_valid(things.world);
    return things;
}

static int row_of(cnBodyId body) {
    return (int)CN_INDEX_OF(body);
}

static void test_handles(void** state) {
    (void)state;
    Things things = make_stepped();
    cnWorld* world = things.world;

    // two free rows, so that the list has an order
    assert_int_equal(cnDestroyBody(things.id, things.boxes[0]), CN_ERROR_NONE);
    assert_int_equal(cnDestroyBody(things.id, things.boxes[1]), CN_ERROR_NONE);
    expect_valid(world);
    cnIdPool* ids = &world->bodies.ids;
    BREAK(world, ids->liveCount, 20, "bodies: 9 rows are live, the live count is 20");
    BREAK(world, ids->rowCount, 12, "bodies: 12 rows were used, 11 have a generation");
    BREAK(world, ids->generations.data[row_of(things.ball)],
          (uint16_t)(ids->generations.data[row_of(things.ball)] ^ 1), "has the handle");
    BREAK(world, ids->generations.data[row_of(things.ball)], 0x8000, "has generation 0");
    BREAK(world, ids->freeCount, 1, "bodies: the free list has 1 rows, 2 rows are free");
    int* free1 = &ids->freeRows.data[ids->freeHead];
    BREAK(world, *free1, row_of(things.ball), "which is not free");
    int other = ids->freeRows.data[(ids->freeHead + 1) % ids->freeRows.capacity];
    BREAK(world, *free1, other, "bodies: the free list names a row twice");
    BREAK(world, world->bodies.handle[row_of(things.ball)], 7, "bodies: row 3 has the handle 00000007");
    BREAK(world, world->bodies.flags[row_of(things.ball)], cn_bodyDynamic,
          "bodies: row 3 is live, its flags");
    BREAK(world, world->geometries.handle[CN_INDEX_OF(things.floor)], 0, "geometries: row 0 has the handle");
    BREAK(world, world->constraints.flags[0], 0, "constraints: row 0 is live");
    BREAK(world, world->materials.materials.flags[0], 0, "materials: row 0 is live");
    BREAK(world, world->materials.contactMaterials.handle[0], 1, "contact materials: row 0 has the handle");
    cnDestroyWorld(things.id);
}

static void test_bodies(void** state) {
    (void)state;
    Things things = make_stepped();
    cnWorld* world = things.world;
    cnBodyTable* bodies = &world->bodies;
    int ball = row_of(things.ball), post = row_of(things.post);
    BREAK(world, bodies->flags[ball], bodies->flags[ball] | cn_bodyKinematic, "is dynamic and kinematic");
    BREAK(world, bodies->flags[ball], bodies->flags[ball] | cn_bodyMoving,
          "has a target and is not kinematic");
    BREAK(world, bodies->halfStepVelocity[post].x, 1.0, "is static and has a velocity of 1 m/s");
    BREAK(world, bodies->flags[post], bodies->flags[post] | cn_bodyAsleep,
          "sleeps, and next in its ring is row -1");
    BREAK(world, bodies->position[ball].y, NAN, "has position");
    BREAK(world, bodies->centreOfMass[ball].z, INFINITY, "has position");
    BREAK(world, bodies->centreOfMass[ball].z, 5.0, "has its centre of mass");
    BREAK(world, bodies->rotation[ball].w, 1.001, "has a rotation of length 1.00");
    BREAK(world, bodies->halfStepVelocity[ball].z, INFINITY, "has velocity");
    BREAK(world, bodies->halfStepAngularMomentum[ball].z, NAN, "has velocity");
    BREAK(world, bodies->mass[ball], 0.0, "has a mass of 0 kg");
    BREAK(world, bodies->inertia[ball].y.y, NAN, "has a mass of");

    // lists of geometries
    int geometry = bodies->firstGeometry[ball];
    BREAK(world, bodies->firstGeometry[ball], -1, "bodies: the lists have");
    BREAK(world, bodies->firstGeometry[ball], bodies->firstGeometry[post], "which belongs to body");
    BREAK(world, bodies->firstGeometry[ball], 5000, "which is not live");
    BREAK(world, world->geometries.nextOfBody[geometry], geometry, "runs in a circle");
    BREAK(world, world->geometries.body[geometry], post, "which belongs to body");
    cnDestroyWorld(things.id);
}

static void test_geometries_and_shapes(void** state) {
    (void)state;
    Things things = make_stepped();
    cnWorld* world = things.world;
    cnGeometryTable* geometries = &world->geometries;
    cnProxyTable* proxies = &world->proxies;
    int floor = (int)CN_INDEX_OF(things.floor), sensor = (int)CN_INDEX_OF(things.sensor);
    int first = geometries->firstProxy[sensor], second = proxies->nextOfGeometry[first];
    int ball = world->bodies.firstGeometry[row_of(things.ball)], proxy = geometries->firstProxy[ball];
    BREAK(world, geometries->material[floor], 40, "has material 40, which is not live");
    BREAK(world, geometries->rotation[floor].x, 1.0, "a rotation of length");
    BREAK(world, geometries->groupCount[floor], CN_MAX_GROUPS + 1, "is in 17 groups");
    BREAK(world, geometries->flags[floor], geometries->flags[floor] | cn_geometryOverlapOnly,
          "wants overlap only and is no sensor");
    BREAK(world, geometries->shapeCount[sensor], 3, "has 3 shapes and 2 proxies");
    BREAK(world, geometries->firstProxy[sensor], second, "stands at place 0 of 2");
    BREAK(world, proxies->nextOfGeometry[second], first, "stands at place 2 of 2");
    BREAK(world, proxies->nextOfGeometry[second], 5000, "has proxy 5000, which the broad phase has not");
    BREAK(world, proxies->geometry[proxy], floor, "says 0, ");
    BREAK(world, proxies->body[proxy], -1, "proxies: row");
    BREAK(world, proxies->material[proxy], 0, "proxies: row");
    BREAK(world, proxies->shape[proxy], 99, "has shape 99, which is not live");
    BREAK(world, proxies->position[proxy].x, 7.0, "is not where body 3 is");
    BREAK(world, proxies->localRotation[proxy].w, -1.0, "is not where body 3 is");
    int shape = proxies->shape[first];
    BREAK(world, world->shapes.users[shape], 2, "counts 2 users, it has 3");
    BREAK(world, world->shapes.released[shape], 1, "counts 3 users, it has 2");
    BREAK(world, world->shapes.type[shape], cn_sphere, "shapes: row");
    // NOLINTNEXTLINE(bugprone-sizeof-expression): the place holds a pointer
    BREAK(world, world->shapes.shapes[shape], NULL, "has no shape");

    // one that is not listed
    assert_int_equal(cnDestroyGeometry(things.id, things.sensor), CN_ERROR_NONE);
    expect_valid(world);
    BREAK(world, proxies->geometry[first], floor, "proxies: the geometries list");
    cnDestroyWorld(things.id);
}

static int find_pair(const cnWorld* world, bool isChild) {
    for (int i = 0; i < world->pairs.pairs.count; ++i) {
        const cnPair* pair = cnPairTable_Get(&world->pairs, i);
        bool isPlain = pair->part == 0 && pair->concave < 0 && (pair->flags & cn_pairSensor) == 0;
        if (isChild ? pair->part > 0 : isPlain) {
            return i;
        }
    }
    fail_msg("no such pair");
    return -1;
}

static void test_pairs(void** state) {
    (void)state;
    Things things = make_stepped();
    cnWorld* world = things.world;
    cnPairTable* table = &world->pairs;
    cnShapeDef ball = {.type = cn_sphere, .radius = 0.2};
    add_body(&things, (cnBodyDef){.position = {0.708, 0, 0.199}}, ball); // near a box, and does not touch it
    step(&things, 1);
    int plainRow = find_pair(world, false), childRow = find_pair(world, true);
    cnPair *plain = cnPairTable_Get(table, plainRow), *child = cnPairTable_Get(table, childRow);
    cnPair* parent = cnPairTable_Get(table, cnPairTable_Find(table, child->proxy1, child->proxy2, 0));
    cnConcave* concave = &table->concaves.data[parent->concave];
    BREAK(world, plain->body1, 77, "has bodies 77 and");
    BREAK(world, plain->geometry2, 77, "pairs: row");
    BREAK(world, plain->proxy1, plain->proxy2, "pairs: the map has -1 for row");
    BREAK(world, plain->manifold.pointCount, 5, "has 5 points");
    BREAK(world, plain->convergedSteps, -1000, "converged steps");
    BREAK(world, plain->flags, plain->flags | cn_pairOverlapOnly, "wants overlap only and is no sensor's");
    BREAK(world, plain->flags, plain->flags | cn_pairSensor, "make it a sensor's by 0");
    BREAK(world, plain->concave, 0, "has the concave of");
    BREAK(world, parent->concave, -1, "has no parent");
    BREAK(world, concave->parts, concave->parts & ~(1u << child->part), "its parent has the parts");
    BREAK(world, concave->parts, concave->parts | 1u << CN_PAIR_MANIFOLDS, "is no pair");
    BREAK(world, concave->proxy1, -1, "pairs: row");
    BREAK(world, concave->manifoldCount, CN_PAIR_MANIFOLDS + 1, "has 13 manifolds");
    BREAK(world, table->indices.count, table->indices.count + 1, "pairs: the map has");
    for (int slot = 0; slot < table->indices.slotCount; ++slot) {
        if (table->indices.keys[slot] != 0 && table->indices.values[slot] == childRow) {
            BREAK(world, table->indices.values[slot], plainRow, "pairs: the map has");
            BREAK(world, table->indices.keys[slot], 0, "pairs: the map has");
        }
    }

    assert_true(table->distant.count > 0);
    cnDistantPair* distant = cnPairTable_GetDistant(table, 0);
    BREAK(world, distant->body2, 77, "distant pairs: row 0 has bodies");
    BREAK(world, distant->geometry1, 77, "distant pairs: row 0 has geometries 77 and");
    BREAK(world, distant->proxy1, distant->proxy2, "distant pairs: the map has -1 for row 0");
    BREAK(world, table->heads.rows.data[plainRow].apartUntil, 0.5, "is apart until 0.5 m");

    // proxies in the wrong order, and dead, with a map that agrees
    cnPairTable copy = {0};
    cnFault fault;
    assert_true(cnPairTable_Add(&copy, 4, 3, 0) == 0);
    assert_false(cnPairTable_Validate(&copy, &world->proxies, &fault));
    assert_non_null(strstr(fault.message, "which is not below proxy2"));
    cnPairTable_Free(&copy);
    assert_true(cnPairTable_Add(&copy, 3, 9999, 0) == 0);
    assert_false(cnPairTable_Validate(&copy, &world->proxies, &fault));
    assert_non_null(strstr(fault.message, "which are not both live"));
    cnPairTable_Free(&copy);

    // rows of concaves that nobody has: in the free list, once
    assert_int_equal(cnDestroyBody(things.id, things.tube), CN_ERROR_NONE);
    expect_valid(world);
    assert_true(table->freeConcaves.count > 1);
    BREAK(world, table->freeConcaves.count, table->freeConcaves.count - 1, "concaves: the free list has");
    BREAK(world, table->freeConcaves.data[0], 50, "which is not free");
    BREAK(world, table->freeConcaves.data[0], table->freeConcaves.data[1], "names a row twice");
    cnDestroyWorld(things.id);
}

static void test_broad_phase(void** state) {
    (void)state;
    Things things = make_stepped();
    cnWorld* world = things.world;
    cnBroadPhase* broadPhase = world->broadPhase;
    const char* disagree = "broad phase: proxies, trees";
    cnBoundsTree* tree = &broadPhase->trees[1];
    BREAK(world, tree->leafCount, tree->leafCount + 1, disagree);
    BREAK(world, tree->heights.data[tree->root], 1, disagree);
    BREAK(world, tree->parents.data[tree->nodes.data[tree->root].child1], 1000, disagree);
    BREAK(world, tree->nodes.data[tree->root].lower[0], 0.0f, disagree);
    BREAK(world, broadPhase->pairs.count, broadPhase->pairs.count - 1, disagree);
    BREAK(world, broadPhase->firstFree, 0, disagree);

    // pairs that only one of the two has; after a collide they are the same
    int index = find_pair(world, false);
    assert_int_equal(cnWorld_Collide(things.id), CN_ERROR_NONE);
    cnFault fault;
    bool isCollided = cnValidateWorld(world, cn_phaseCollided, &fault);
    assert_true(isCollided);
    cnPair removed = *cnPairTable_Get(&world->pairs, index);
    cnRemovePair(world, index);
    expect_valid(world);
    expect_fault(world, cn_phaseCollided, "without children, the broad phase has");
    cnBegunPair begun = {.sides = cnPair_GetSides(&removed)};
    assert_true(cnPairTable_Begin(&world->pairs, &begun, &world->proxies, world->shapes.shapes));
    expect_valid(world);
    cnPairSet_Remove(&broadPhase->set, cnPairKey(removed.proxy1, removed.proxy2));
    expect_fault(world, cn_phaseSettled, disagree);
    cnPairSet_Add(&broadPhase->set, cnPairKey(removed.proxy1, removed.proxy2));
    cnDestroyWorld(things.id);
}

static void test_contacts(void** state) {
    (void)state;
    Things things = make_stepped();
    cnWorld* world = things.world;
    cnContactTable* contacts = &world->contacts;
    assert_true(cnListContacts(world));
    int row = 0;
    while (contacts->pointCount[row] == 0 || contacts->firstPoint[row] == 0) {
        row += 1;
    }
    BREAK(world, contacts->pair[row], world->pairs.pairs.count, "contacts: row");
    BREAK(world, contacts->pair[row], contacts->pair[row - 1], "of geometries");
    BREAK(world, contacts->state[row], 0, "has state 0");
    BREAK(world, contacts->firstPoint[row], 0, "points from 0 on");
    BREAK(world, contacts->pointCount[row], 1000, "has 1000 points");
    BREAK(world, contacts->pointCount[contacts->count - 1], contacts->pointCount[contacts->count - 1] + 1,
          "points from");
    BREAK(world, world->contactPoints.contact[contacts->firstPoint[row]], row + 1, "contact points: row");
    BREAK(world, world->contactPoints.count, world->contactPoints.capacity + 1, "than there is room for");

    // an event: the ball is lifted off
    assert_int_equal(cnBody_SetPosition(things.id, things.ball, cnVec(2, 0, 3)), CN_ERROR_NONE);
    step(&things, 1);
    assert_true(cnListContacts(world));
    assert_true(world->contactEvents.count > 0);
    BREAK(world, world->contactEvents.contact[0], contacts->count, "contact events: row 0 has contact");
    BREAK(world, world->contactEvents.state[0], cn_contactContact, "contact events: row 0 has state");
    cnDestroyWorld(things.id);
}

static void test_constraints(void** state) {
    (void)state;
    Things things = make_stepped();
    cnWorld* world = things.world;
    cnConstraintTable* table = &world->constraints;
    int hinge1 = (int)CN_INDEX_OF(things.hinges[0]), hinge2 = (int)CN_INDEX_OF(things.hinges[1]);
    int gear = (int)CN_INDEX_OF(things.gear), post = row_of(things.post);
    cnConstraint* joints = table->constraints;
    BREAK(world, joints[hinge1].type, (cnConstraintType)99, "has type 99");
    BREAK(world, table->type[hinge1], 0, "its columns say 0");
    BREAK(world, table->body1[hinge1], 0, "its columns say");
    BREAK(world, table->flags[hinge1], table->flags[hinge1] | cn_constraintBroken, "is broken and enabled");
    BREAK(world, table->flags[hinge1], table->flags[hinge1] | cn_constraintBreakable, "breaks at 0 N");
    BREAK(world, joints[gear].partner2, 44, "which are not both live");
    BREAK(world, joints[gear].partner2, hinge1, "has the partner 0 twice");
    BREAK(world, joints[hinge1].partner2, hinge2, "has bodies and the partner");

    // lists of bodies and of partners
    assert_int_equal(world->bodies.firstConstraint[post], hinge2);
    BREAK(world, world->bodies.firstConstraint[post], hinge1, "comes after -1, its link says after");
    BREAK(world, world->bodies.firstConstraint[post], gear, "which joins -1 and -1");
    BREAK(world, world->bodies.firstConstraint[post], 12345, "has row 12345, which is not live");
    BREAK(world, world->bodies.firstConstraint[post], -1, "the bodies' lists have 2 entries");
    BREAK(world, joints[hinge2].links[1].next, -1, "the bodies' lists have 3 entries");
    BREAK(world, joints[hinge1].links[1].previous, -1, "its link says after -1");
    BREAK(world, joints[hinge1].firstCoupling, -1, "the partners' lists have 1 entries");
    BREAK(world, joints[gear].links[0].previous, gear, "its link says after 2");
    cnDestroyWorld(things.id);
}

// The first row of a list after its last: its link says that it comes first.
static void test_circle_of_constraints(void** state) {
    (void)state;
    Things things = make_stepped();
    cnConstraint* joints = things.world->constraints.constraints;
    int hinge1 = (int)CN_INDEX_OF(things.hinges[0]), hinge2 = (int)CN_INDEX_OF(things.hinges[1]);
    BREAK(things.world, joints[hinge1].links[1].next, hinge2, "its link says after -1");
    cnDestroyWorld(things.id);
}

static void test_materials_switches_listeners(void** state) {
    (void)state;
    Things things = make_stepped();
    cnWorld* world = things.world;
    cnContactMaterialTable* contactMaterials = &world->materials.contactMaterials;
    BREAK(world, contactMaterials->materials[0][1], 9, "has material 9, which is not live");
    BREAK(world, contactMaterials->materials[0][1], -1, "contact materials: the map has -1 for row 0");
    int32_t* users = world->materials.materials.users;
    BREAK(world, users[0], users[0] + 1, "materials: row 0 counts");
    BREAK(world, world->materials.materials.flags[1], cn_materialLive | cn_materialShared,
          "materials: row 1 is shared by geometries, of which there is none");
    cnMaterialName* names = world->materials.materials.name;
    BREAK(world, names[1][5], 'l', "materials: row 1 has the name gravel, which another row has");
    BREAK(world, contactMaterials->frame[0], 1, "is in the frame of body 1, handle 0x00000000");
    BREAK(world, contactMaterials->frameHandle[0], 0xfff00001,
          "is in the frame of body -1, handle 0xfff00001");
    BREAK(world, world->materials.pairs.count, 2, "contact materials: the map has 2 pairs, 1 rows are live");
    uint64_t* keys = world->groupPairs.keys.data;
    BREAK(world, keys[0], keys[1], "group pairs: keys 0 and 1 are not in order");
    BREAK(world, keys[1], 9ull << 32 | 1, "group pairs: key 1 is not in order");
    BREAK(world, world->geometryPairs.keys.data[0], 1ull << 32 | 0x7fffffff, "geometry pairs: key 0");
    BREAK(world, world->groupNames.data[world->groupNames.count - 1], 'x', "group names: the last of 7");
    cnListener* listeners = world->listeners.list.data;
    BREAK(world, listeners[1].id, listeners[0].id, "listeners: row 1 has number 1 after 1");
    BREAK(world, world->listeners.lastId, 1, "the last is 1");
    BREAK(world, listeners[0].onStep, NULL, "listeners: row 0 has 0 functions");
    BREAK(world, listeners[0].mask, 0, "listeners: row 0 is gone");
    BREAK(world, world->listeners.notifying, -1, "listeners: -1 are being told");
    cnDestroyWorld(things.id);
}

static void test_housekeeping(void** state) {
    (void)state;
    Things things = make_stepped();
    cnWorld* world = things.world;
    BREAK(world, world->epoch, world->epoch + 1, "world: columns moved");
    BREAK(world, world->broken.capacity, 0, "world: the list of broken constraints has room for 0 of 3");
    BREAK(world, world->guardEvents.count, 1000, "world: there are 1000 events of the energy guard");
    int* number = CN_PUSH(&world->stack, int, 1, "a number of the test");
    expect_fault(world, cn_phaseSettled, "world: the stack has 1 entries, a number of the test on top");
    cnStack_Pop(&world->stack, number);
    expect_valid(world);
    cnDestroyWorld(things.id);
}

// ---- islands ----------------------------------------------------------------------------------------------

static void expect_solve_fault(const cnSolve* solve, const char* expected) {
    cnFault fault;
    if (cnSolve_Validate(solve, &fault)) {
        fail_msg("not found: %s", expected);
    }
    if (strstr(fault.message, expected) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", fault.message, expected);
    }
}

#define BREAK_SOLVE(solve, place, wrong, expected)                                                           \
    do {                                                                                                     \
        unsigned char saved[sizeof(place)];                                                                  \
        memcpy(saved, &(place), sizeof saved);                                                               \
        (place) = (wrong);                                                                                   \
        expect_solve_fault((solve), (expected));                                                             \
        memcpy(&(place), saved, sizeof saved);                                                               \
        cnFault fault;                                                                                       \
        assert_true(cnSolve_Validate((solve), &fault));                                                      \
    } while (0)

static void test_islands(void** state) {
    (void)state;
    Things things = make_stepped();
    cnWorld* world = things.world;
    assert_int_equal(cnWorld_Collide(things.id), CN_ERROR_NONE);
    cnSolve solve = {
        .bodies = &world->bodies,
        .pairs = &world->pairs,
        .constraints = &world->constraints,
        .direct = &world->direct,
        .graph = &world->graph,
        .batches = &world->batches,
        .proxies = &world->proxies,
        .geometries = &world->geometries,
        .materials = &world->materials,
        .gravity = world->gravity,
        .h = world->timeStep,
        .awake = {NULL, world->bodies.ids.rowCount},
        .settings = world->solver,
        .stack = &world->stack,
    };
    assert_true(cnSolve_Begin(&solve) && cnSolve_FindIslands(&solve));
    cnFault fault;
    assert_true(cnSolve_Validate(&solve, &fault));
    assert_true(solve.islandCount > 2 && solve.contactCount > 3 && solve.jointCount == 3);
    int in0 = 1;
    while (solve.solver.island[in0] != 0) {
        in0 += 1;
    }
    BREAK_SOLVE(&solve, world->graph.islandOfBody.data[in0], -1, "acts on body");
    BREAK_SOLVE(&solve, world->graph.islandOfBody.data[in0], 2, "is in island 2, up to here there are 0");
    BREAK_SOLVE(&solve, solve.solver.rows[in0], row_of(things.post), "which is another's");
    BREAK_SOLVE(&solve, solve.islandCount, solve.islandCount - 1, "solver bodies: index");
    BREAK_SOLVE(&solve, solve.islands[1].bodyCount, solve.islands[1].bodyCount + 1, "islands: they count");
    BREAK_SOLVE(&solve, solve.islands[1].contactCount, 1000, "contacts, there are");
    BREAK_SOLVE(&solve, solve.contacts[0].island, 2, "solver contacts: 0 in island 2 acts on body");
    BREAK_SOLVE(&solve, solve.contacts[0].body1, 500, "solver contacts: 0 acts on body 500");
    BREAK_SOLVE(&solve, solve.contacts[0].pair, -1, "solver contacts: 0 has pair -1");
    BREAK_SOLVE(&solve, solve.joints[2].island, 0, "solver joints: 2 in island 0");
    BREAK_SOLVE(&solve, solve.joints[0].constraint, 9, "which is not live");
    BREAK_SOLVE(&solve, solve.islands[0].contactCount, 0, "islands: 0 has");

    // two islands whose counts are exchanged: their sum is right
    cnIsland saved = solve.islands[0];
    assert_true(solve.islands[1].bodyCount > 1 || solve.islands[0].bodyCount > 1);
    solve.islands[0].bodyCount = 1;
    int moved = saved.bodyCount - 1;
    solve.islands[1].bodyCount += moved;
    if (moved > 0) {
        expect_solve_fault(&solve, "islands: one counts bodies of another");
    }
    solve.islands[1].bodyCount -= moved;
    solve.islands[0] = saved;
    cnSolve_End(&solve);
    assert_int_equal(cnWorld_Solve(things.id), CN_ERROR_NONE);
    cnDestroyWorld(things.id);
}

// ---- who asks ---------------------------------------------------------------------------------------------

static void test_public_function(void** state) {
    (void)state;
    assert_int_equal(cnWorld_Validate((cnWorldId){0}), CN_ERROR_NULL_HANDLE);
    Things things = make_stepped();
    assert_int_equal(cnWorld_Validate(things.id), CN_ERROR_NONE);
    double mass = things.world->bodies.mass[row_of(things.ball)];
    things.world->bodies.mass[row_of(things.ball)] = -1.0;
    assert_int_equal(cnWorld_Validate(things.id), CN_ERROR_CORRUPT_STATE);
    assert_string_equal(cnGetLastError()->call, "cnWorld_Validate");
    assert_non_null(strstr(cnGetLastError()->message, "bodies: row 3 has a mass of -1 kg"));
    things.world->bodies.mass[row_of(things.ball)] = mass;
    assert_int_equal(cnWorld_Validate(things.id), CN_ERROR_NONE);
    cnDestroyWorld(things.id);
    assert_int_equal(cnWorld_Validate(things.id), CN_ERROR_STALE_HANDLE);
}

// With guards a step ends the program once something is broken, without them nobody looks.
static void test_step_looks(void** state) {
    (void)state;
    Things things = make_stepped();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        // no test goes on in the child
        things.world->listeners.list.count = 0;
        if (freopen("/dev/null", "w", stderr) == NULL) {
            _exit(1);
        }
        things.world->constraints.type[0] = cn_constraintBall; // for readers outside only
        cnWorld_Step(things.id);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    bool ended = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    assert_int_equal(ended, CN_GUARDS);
    cnDestroyWorld(things.id);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid_through_life),
        cmocka_unit_test(test_handles),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_geometries_and_shapes),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_broad_phase),
        cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_constraints),
        cmocka_unit_test(test_circle_of_constraints),
        cmocka_unit_test(test_materials_switches_listeners),
        cmocka_unit_test(test_housekeeping),
        cmocka_unit_test(test_islands),
        cmocka_unit_test(test_public_function),
        cmocka_unit_test(test_step_looks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
