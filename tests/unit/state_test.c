// The lists of what decides the next step: whole, and all of it in the state hash.
#include "cairn/cairn.h"
#include "world/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

// ---- the lists are whole ----------------------------------------------------------------------------------

#define MAX_SPANS 512

typedef struct Span {
    const char* name;
    size_t begin, end, alignment;
} Span;

static int compare_spans(const void* a, const void* b) {
    size_t left = ((const Span*)a)->begin, right = ((const Span*)b)->begin;
    return left < right ? -1 : left > right;
}

// Members follow one another with no more between them than alignment asks for.
static void check_list(const char* type, cnFieldList list, size_t size) {
    int count = 0;
    for (int f = 0; f < list.count; ++f) {
        count += list.fields[f].count;
    }
    Span spans[MAX_SPANS];
    assert_in_range(count, 1, MAX_SPANS);
    int next = 0;
    for (int f = 0; f < list.count; ++f) {
        const cnField* field = &list.fields[f];
        size_t unit = field->scalar == cn_record ? 8 : cnScalar_GetBytes(field->scalar);
        size_t alignment = field->count > 1 ? 8 : unit; // the structs of an array hold doubles
        if (field->scalar != cn_record) {
            assert_int_equal(field->bytes, (size_t)field->lanes * unit);
        }
        for (int i = 0; i < field->count; ++i) {
            size_t begin = field->offset + (size_t)i * field->stride;
            spans[next++] = (Span){field->name, begin, begin + field->bytes, alignment};
        }
    }
    qsort(spans, (size_t)count, sizeof *spans, compare_spans);
    size_t end = 0;
    for (int i = 0; i < count; ++i) {
        size_t last = (end + spans[i].alignment - 1) / spans[i].alignment * spans[i].alignment;
        if (spans[i].begin < end || spans[i].begin > last) {
            fail_msg("%s: between bytes %zu and %zu, before %s, there is something unlisted or listed twice",
                     type, end, spans[i].begin, spans[i].name);
        }
        end = spans[i].end;
    }
    if (size >= end + 8) {
        fail_msg("%s: its last %zu bytes are not listed", type, size - end);
    }
}

static void every_member_is_listed(void** state) {
    (void)state;
    check_list("cnPair", cnPairFields, sizeof(cnPair));
    check_list("cnConcave", cnConcaveFields, sizeof(cnConcave));
    check_list("cnConstraint", cnConstraintFields, sizeof(cnConstraint));
}

// ---- the hash sees them -----------------------------------------------------------------------------------

// A box that hangs on a hinge over a mesh of a box, touching it.
static cnWorld* make_world(void) {
    cnWorldId id = cnCreateWorld(&(cnWorldDef){0});
    cnMaterialId material = cnCreateMaterial(id, &(cnMaterialDef){0});
    cnMaterialId other = cnCreateMaterial(id, &(cnMaterialDef){0});
    cnCreateContactMaterial(id, &(cnContactMaterialDef){.material1 = material, .material2 = other});
    cnShapeDef tube = {.type = cn_hollowCylinder, .innerRadius = 0.3, .thickness = 0.2, .height = 1.0};
    cnShapeDef cube = {.type = cn_box, .halfExtents = {0.5, 0.5, 0.5}};
    cnShapeInstance shapes[2] = {{.shape = cnCreateShape(id, &cube)}, {.shape = cnCreateShape(id, &tube)}};
    cnBodyId bodies[2];
    for (int i = 0; i < 2; ++i) {
        assert_false(CN_IS_NULL(shapes[i].shape));
        bodies[i] = cnCreateBody(id, &(cnBodyDef){.position = {0.0, 0.0, 0.499 + 0.999 * i}});
        cnGeometryDef geometry = {
            .body = bodies[i], .shapes = &shapes[i], .shapeCount = 1, .material = material};
        assert_false(CN_IS_NULL(cnCreateGeometry(id, &geometry)));
    }
    cnShapeDef ground = {.type = cn_plane, .normal = {0.0, 0.0, 1.0}};
    cnShapeInstance plane = {.shape = cnCreateShape(id, &ground)};
    cnGeometryDef fixed = {.shapes = &plane, .shapeCount = 1, .material = other};
    assert_false(CN_IS_NULL(cnCreateGeometry(id, &fixed)));
    cnConstraintDef hinge = {.type = cn_constraintHinge,
                             .body1 = bodies[1],
                             .given = cn_constraintAnchor | cn_constraintAxis,
                             .anchor = {0.0, 0.0, 1.5},
                             .axis = {1.0, 0.0, 0.0}};
    assert_false(CN_IS_NULL(cnCreateConstraint(id, &hinge)));
    for (int step = 0; step < 5; ++step) {
        assert_int_equal(cnWorld_Step(id), CN_ERROR_NONE);
    }
    return cnFindWorld(id, "state_test");
}

// Changing the number changes the hash if and only if its role says so.
static void check_number(const cnWorld* world, const char* name, unsigned char* number, cnRole role) {
    uint64_t before = cnHashState(world);
    *number ^= 1;
    bool changed = cnHashState(world) != before;
    *number ^= 1;
    if (changed != (role == cn_state || role == cn_input)) {
        fail_msg("%s: the hash %s when it changes", name, changed ? "changes" : "stays");
    }
}

static void check_record(const cnWorld* world, void* record, cnFieldList list) {
    for (int f = 0; f < list.count; ++f) {
        const cnField* field = &list.fields[f];
        for (int i = 0; i < field->count && field->scalar != cn_record; ++i) {
            size_t at = field->offset + (size_t)i * field->stride;
            check_number(world, field->name, (unsigned char*)record + at, field->role);
        }
    }
}

static void the_hash_depends_on_every_member_that_decides_the_next_step(void** state) {
    (void)state;
    cnWorld* world = make_world();
    assert_true(world->pairs.pairs.count >= 2);
    assert_true(world->pairs.concaves.count >= 1);
    for (int i = 0; i < world->pairs.pairs.count; ++i) {
        check_record(world, cnPairTable_Get(&world->pairs, i), cnPairFields);
    }
    for (int i = 0; i < world->pairs.concaves.count; ++i) {
        check_record(world, &world->pairs.concaves.data[i], cnConcaveFields);
    }
    check_record(world, &world->constraints.constraints[0], cnConstraintFields);
    cnDestroyWorld(world->id);
}

static void check_columns(const cnWorld* world, const void* table, const cnColumnList* list) {
    for (int c = 0; c < list->count; ++c) {
        const cnColumn* column = &list->columns[c];
        if (column->scalar != cn_record) {
            check_number(world, column->name, cnTable_GetColumn(table, column), column->role);
        }
    }
}

static void the_hash_depends_on_every_column_that_decides_the_next_step(void** state) {
    (void)state;
    cnWorld* world = make_world();
    check_columns(world, &world->bodies, &cnBodyColumns);
    check_columns(world, &world->geometries, &cnGeometryColumns);
    check_columns(world, &world->shapes, &cnShapeColumns);
    check_columns(world, &world->constraints, &cnConstraintColumns);
    check_columns(world, &world->materials.materials, &cnMaterialColumns);
    check_columns(world, &world->materials.contactMaterials, &cnContactMaterialColumns);
    cnDestroyWorld(world->id);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_is_listed),
        cmocka_unit_test(the_hash_depends_on_every_member_that_decides_the_next_step),
        cmocka_unit_test(the_hash_depends_on_every_column_that_decides_the_next_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
