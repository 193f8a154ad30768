// Rows of equal dimensions have one shape in common (world/shape_table.h), and nobody can tell.
#include "api/handles.h"
#include "things.h"
#include "world/world.h"

static const cnWorld* world_of(cnWorldId id) {
    return cnFindWorld(id, "shared_shapes_test");
}

static const cnShape* shape_in_row(cnWorldId id, int row) {
    assert_in_range(row, 0, world_of(id)->shapes.ids.rowCount - 1);
    return world_of(id)->shapes.shapes[row];
}

static const cnShape* shape_of(cnWorldId world, cnShapeId id) {
    return shape_in_row(world, cnFindShape(world_of(world), id, "shared_shapes_test", "id"));
}

static cnShapeId add(cnWorldId world, cnShapeDef def) {
    cnShapeId id = cnCreateShape(world, &def);
    assert_false(CN_IS_NULL(id));
    return id;
}

static void equal_dimensions_are_shared_and_others_are_not(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    const cnShapeDef defs[] = {
        box_of(1, 2, 3),
        box_of(1, 2, nextafter(3.0, 4.0)),
        box_of(3, 2, 1),
        sphere_of(1),
        {.type = cn_capsule, .radius = 1, .height = 2},
        {.type = cn_capsule, .radius = 1, .height = 1},
        {.type = cn_cylinder, .radius = 1, .height = 2},
        {.type = cn_plane, .normal = {0, 0, 1}},
        {.type = cn_plane, .normal = {0, 0, 1}, .offset = 1},
        {.type = cn_line, .end = {1, 0, 0}},
    };
    enum {
        count = sizeof defs / sizeof defs[0]
    };
    cnShapeId ids[2][count];
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < count; ++i) {
            ids[k][i] = add(world, defs[i]);
        }
    }
    for (int i = 0; i < count; ++i) {
        assert_ptr_equal(shape_of(world, ids[0][i]), shape_of(world, ids[1][i]));
        assert_int_equal(shape_of(world, ids[0][i])->type, defs[i].type);
        for (int j = 0; j < i; ++j) {
            assert_ptr_not_equal(shape_of(world, ids[0][i]), shape_of(world, ids[0][j]));
        }
    }

    // each has its own handle, and its own life
    assert_int_not_equal(ids[0][0].value, ids[1][0].value);
    assert_int_equal(cnReleaseShape(world, ids[0][0]), CN_ERROR_NONE);
    assert_near_vec(shape_of(world, ids[1][0])->halfExtents, cnVec(1, 2, 3), 0);
    assert_int_equal(cnWorld_Validate(world), CN_ERROR_NONE);
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
    assert_int_equal(cnGetBytesInUse(), 0);
}

// Shapes that were let go do not pile up: as many different ones another time take no more memory. (Of the
// first time rows are not used again at once, so the second has one more.)
static void what_nobody_has_is_given_back(void** state) {
    (void)state;
    enum {
        count = 4 * CN_RECENT_SHAPES
    };
    cnWorldId world = make_world((cnWorldDef){0});
    size_t bytes[3];
    for (int round = 0; round < 3; ++round) {
        randomState = 7;
        cnShapeId ids[count];
        for (int i = 0; i < count; ++i) {
            ids[i] = add(world, box_of(random_in(0.1, 1), random_in(0.1, 1), random_in(0.1, 1)));
        }
        for (int i = 0; i < count; ++i) {
            assert_int_equal(cnReleaseShape(world, ids[i]), CN_ERROR_NONE);
        }
        bytes[round] = cnGetBytesInUse();
    }
    assert_int_equal(bytes[1], bytes[2]);
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
    assert_int_equal(cnGetBytesInUse(), 0);
}

static void a_restored_world_shares_them_too(void** state) {
    (void)state;
    enum {
        count = 50
    };
    cnWorldId world = make_world((cnWorldDef){0});
    for (int i = 0; i < count; ++i) {
        add_thing(world, (cnBodyDef){.position = {3.0 * i, 0, 0}}, box_of(1, 1, 1 + i % 2));
    }
    assert_int_equal(world_of(world)->shapes.ids.rowCount, count);
    size_t size = cnWorld_GetSnapshotBytes(world);
    void* snapshot = cnAllocate(size);
    assert_int_equal(cnWorld_Save(world, snapshot, size), CN_ERROR_NONE);
    cnWorldId restored = cnRestoreWorld(snapshot, size, 1);
    assert_false(CN_IS_NULL(restored));
    cnFree(snapshot, size);
    for (int i = 2; i < count; ++i) {
        assert_ptr_equal(shape_in_row(restored, i), shape_in_row(restored, i % 2));
        assert_ptr_not_equal(shape_in_row(restored, i), shape_in_row(restored, (i + 1) % 2));
    }
    step_world(world, 10);
    step_world(restored, 10);
    assert_int_equal(cnHashState(world_of(world)), cnHashState(world_of(restored)));
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
    assert_near_vec(shape_in_row(restored, 1)->halfExtents, cnVec(1, 1, 2), 0);
    assert_int_equal(cnDestroyWorld(restored), CN_ERROR_NONE);
    assert_int_equal(cnGetBytesInUse(), 0);
}

int main(void) {
    return run_all(equal_dimensions_are_shared_and_others_are_not, what_nobody_has_is_given_back,
                   a_restored_world_shares_them_too);
}
