// Triangle meshes by themselves: their structure, what they weigh, what is rejected.
#include "geometry/meshes/trimesh.h"
#include "surfaces.h"

// ---- structure --------------------------------------------------------------------------------------------

static void twins_pair_and_fans_go_round(void** state) {
    (void)state;
    Surface surfaces[3] = {0};
    add_torus(&surfaces[0], 40, 20, 1.0, 0.4, 0.3);
    add_terrain(&surfaces[1], 12, 2.0);
    add_box(&surfaces[2], cnVec3_zero, cnVec(1.0, 2.0, 3.0));
    for (int k = 0; k < 3; ++k) {
        cnShapeDef def = define_mesh(&surfaces[k]);
        cnShape shape = make_shape(def);
        const cnTrimesh* mesh = shape.mesh;
        int open = 0;
        for (int h = 0; h < 3 * mesh->triangleCount; ++h) {
            int twin = mesh->twins[h];
            open += twin < 0 ? 1 : 0;
            if (twin >= 0) {
                assert_int_equal(mesh->twins[twin], h);
                assert_int_equal(mesh->triangles[twin], cnTrimesh_GetEnd(mesh, h));
                assert_int_equal(cnTrimesh_GetEnd(mesh, twin), mesh->triangles[h]);
                assert_int_equal(cnTrimesh_GetEdge(mesh, h), cnTrimesh_GetEdge(mesh, twin));
                assert_int_equal(cnTrimesh_GetEdgeKind(mesh, h), cnTrimesh_GetEdgeKind(mesh, twin));
            } else {
                assert_int_equal(cnTrimesh_GetEdgeKind(mesh, h), cn_edgeBoundary);
            }
        }
        assert_int_equal(open, k == 1 ? 48 : 0);
        assert_int_equal(mesh->isClosed, k != 1);
        for (int v = 0; v < mesh->vertexCount; ++v) {
            for (int i = mesh->fanStarts[v]; i < mesh->fanStarts[v + 1]; ++i) {
                assert_int_equal(mesh->triangles[mesh->fans[i]], v);
                bool isLast = i + 1 == mesh->fanStarts[v + 1];
                int next = mesh->twins[cnPreviousHalfEdge(mesh->fans[i])];
                assert_true(isLast || next == mesh->fans[i + 1]);
            }
        }
        cnShape_Free(&shape);
        free_surface(&surfaces[k]);
    }
}

static void edges_of_a_step_are_what_they_are(void** state) {
    (void)state;
    // an L: two boxes' outline as one prism, its inner edge concave
    static const double outline[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    Surface surface = {0};
    for (int i = 0; i < 12; ++i) {
        int end = i / 6;
        add_point(&surface, cnVec(outline[i % 6][0], outline[i % 6][1], end));
    }
    for (int i = 0; i < 6; ++i) {
        int j = (i + 1) % 6;
        add_quad(&surface, i, j, j + 6, i + 6);
    }
    add_quad(&surface, 6, 7, 8, 9);
    add_quad(&surface, 6, 9, 10, 11);
    add_quad(&surface, 3, 2, 1, 0);
    add_quad(&surface, 5, 4, 3, 0);
    cnShapeDef def = define_mesh(&surface);
    cnShape shape = make_shape(def);
    int counts[4] = {0};
    for (int h = 0; h < 3 * shape.mesh->triangleCount; ++h) {
        counts[cnTrimesh_GetEdgeKind(shape.mesh, h)] += 1;
        cnVec3 a = cnTrimesh_GetCorner(shape.mesh, h);
        cnVec3 b = shape.mesh->vertices[cnTrimesh_GetEnd(shape.mesh, h)];
        bool isInner = a.x == 1.0 && a.y == 1.0 && b.x == 1.0 && b.y == 1.0;
        assert_int_equal(cnTrimesh_GetEdgeKind(shape.mesh, h) == cn_edgeConcave, isInner);
    }
    assert_int_equal(counts[cn_edgeBoundary], 0);
    assert_int_equal(counts[cn_edgeConcave], 2);
    assert_int_equal(counts[cn_edgeConvex], 2 * 17);
    assert_true(fabs(shape.mass.volume - 3.0) < 1e-12);

    // vertex 3 is the inner corner below: out of it one may leave sideways and down, not along the
    // floor of the step
    assert_false(cnShape_IsFreeAtVertex(&shape, 3, cnVec(1.0, 0.0, 0.0)));
    assert_false(cnShape_IsFreeAtVertex(&shape, 3, cnVec(0.0, 0.0, 1.0)));
    assert_true(cnShape_IsFreeAtVertex(&shape, 2, cnNormalize(cnVec(1.0, 1.0, -1.0))));
    assert_false(cnShape_IsFreeAtVertex(&shape, 2, cnNormalize(cnVec(1.0, 1.0, 1.0))));
    cnShape_Free(&shape);
    free_surface(&surface);
}

static void solids_that_share_an_edge_stay_solids(void** state) {
    (void)state;
    // two boxes that touch in an edge, their vertices merged: four triangles meet there
    Surface surface = {0};
    add_box(&surface, cnVec(-1.0, -1.0, 0.0), cnVec(1.0, 1.0, 1.0));
    add_box(&surface, cnVec(1.0, 1.0, 0.0), cnVec(1.0, 1.0, 1.0));
    cnShapeDef def = define_mesh(&surface);
    def.mergeVertices = true;
    cnShape shape = make_shape(def);
    assert_int_equal(shape.mesh->vertexCount, 14);
    assert_true(shape.mesh->isClosed);
    assert_true(fabs(shape.mass.volume - 16.0) < 1e-12);
    for (int h = 0; h < 3 * shape.mesh->triangleCount; ++h) {
        // each box keeps its own neighbours
        assert_true(h / 36 == shape.mesh->twins[h] / 36);
        assert_int_not_equal(cnTrimesh_GetEdgeKind(shape.mesh, h), cn_edgeConcave);
    }
    cnShape_Free(&shape);
    free_surface(&surface);
}

static void soups_are_welded_and_oriented(void** state) {
    (void)state;
    Surface torus = torus_of(60, 30, 1.0, 0.4, 0.2);
    Surface soup = unweld(&torus);
    cnShapeDef def = define_mesh(&torus);
    cnShape whole = make_shape(def);

    // as it is: open, and of no mass
    cnShapeDef raw = define_mesh(&soup);
    cnShape open = make_shape(raw);
    assert_false(open.mesh->isClosed);
    assert_true(open.mass.volume == 0.0);
    cnMassProperties mass;
    assert_int_equal(cnComputeMassProperties(&raw, 1.0, &mass), CN_ERROR_DEGENERATE_SHAPE);
    cnShape_Free(&open);

    // exactly, and within a tolerance with noise below it
    for (int noisy = 0; noisy < 2; ++noisy) {
        for (int i = 0; noisy == 1 && i < soup.points.count; ++i) {
            soup.points.data[i] = cnAdd(soup.points.data[i], random_vec(1e-7));
        }
        cnShapeDef welded = define_mesh(&soup);
        welded.mergeVertices = true;
        welded.mergeTolerance = noisy == 1 ? 1e-6 : 0.0;
        cnShape shape = make_shape(welded);
        assert_int_equal(shape.mesh->vertexCount, torus.points.count);
        assert_true(shape.mesh->isClosed);
        assert_true(fabs(shape.mass.volume / whole.mass.volume - 1.0) < (noisy == 1 ? 1e-5 : 1e-14));
        cnShape_Free(&shape);
    }

    // triangles at random turned round, all but the first
    for (int i = 3; i < torus.triangles.count; i += 3) {
        if (random_int(2) == 0) {
            int32_t* t = torus.triangles.data + i;
            int32_t second = t[1];
            t[1] = t[2];
            t[2] = second;
        }
    }
    cnShapeDef turned = define_mesh(&torus);
    turned.winding = cn_windingRecalculated;
    cnShape shape = make_shape(turned);
    assert_true(shape.mesh->isClosed);
    assert_true(shape.mass.volume == whole.mass.volume);
    cnShape_Free(&shape);
    cnShape_Free(&whole);
    free_surface(&soup);
    free_surface(&torus);
}

static void a_mesh_inside_out_is_rejected_unless_it_says_so(void** state) {
    (void)state;
    Surface surface = {0};
    add_box(&surface, cnVec3_zero, cnVec(1.0, 1.0, 1.0));
    for (int i = 0; i < surface.triangles.count; i += 3) {
        int32_t* t = surface.triangles.data + i;
        int32_t second = t[1];
        t[1] = t[2];
        t[2] = second;
    }
    size_t before = cnGetBytesInUse();
    cnShapeDef def = define_mesh(&surface);
    cnShape shape;
    assert_int_equal(cnShape_Init(&shape, &def, "test"), CN_ERROR_DEGENERATE_SHAPE);
    assert_true(cnGetBytesInUse() == before);
    def.winding = cn_windingCw;
    shape = make_shape(def);
    assert_true(fabs(shape.mass.volume - 8.0) < 1e-12);
    assert_true(cnGetBytesInUse() == before + cnShape_GetBytes(&shape));
    cnShape_Free(&shape);
    assert_true(cnGetBytesInUse() == before);
    free_surface(&surface);
}

// ---- mass and bounds --------------------------------------------------------------------------------------

static void a_box_of_triangles_weighs_what_a_box_does(void** state) {
    (void)state;
    cnVec3 half = {0.3, 0.5, 0.7};
    Surface surface = {0};
    add_box(&surface, cnVec(100.0, -200.0, 300.0), half);
    cnShapeDef def = define_mesh(&surface);
    cnShapeDef box = {.type = cn_box, .halfExtents = half};
    cnMassProperties mass, expected;
    assert_int_equal(cnComputeMassProperties(&def, 7.0, &mass), CN_ERROR_NONE);
    assert_int_equal(cnComputeMassProperties(&box, 7.0, &expected), CN_ERROR_NONE);
    assert_true(fabs(mass.mass - expected.mass) < 1e-11);
    assert_true(cnLength(cnSub(mass.centre, cnVec(100.0, -200.0, 300.0))) < 1e-11);
    assert_true(cnLength(cnSub(mass.inertia.x, expected.inertia.x)) < 1e-11);
    assert_true(cnLength(cnSub(mass.inertia.y, expected.inertia.y)) < 1e-11);
    assert_true(cnLength(cnSub(mass.inertia.z, expected.inertia.z)) < 1e-11);
    free_surface(&surface);
}

static void bounds_hold_every_vertex_and_little_more(void** state) {
    (void)state;
    Surface surface = torus_of(80, 40, 1.0, 0.3, 0.3);
    for (int scale = -12; scale <= 12; scale += 6) {
        double size = cnPow(10.0, scale);
        Surface scaled = {0};
        for (int i = 0; i < surface.points.count; ++i) {
            add_point(&scaled, cnScale(size, cnAdd(surface.points.data[i], cnVec(3.0, -5.0, 2.0))));
        }
        for (int i = 0; i < surface.triangles.count; i += 3) {
            const int32_t* t = surface.triangles.data + i;
            add_triangle(&scaled, t[0], t[1], t[2]);
        }
        cnShapeDef def = define_mesh(&scaled);
        cnShape shape = make_shape(def);
        for (int k = 0; k < CASES(50); ++k) {
            cnPose pose = {cnScale(size, random_vec(3.0)), k == 0 ? cnQuat_identity : random_rotation()};
            cnBounds bounds = cnShape_ComputeBounds(&shape, pose);
            cnVec3 lower = {1e30, 1e30, 1e30}, upper = {-1e30, -1e30, -1e30};
            for (int i = 0; i < scaled.points.count; ++i) {
                cnVec3 p = cnTransformPoint(pose, scaled.points.data[i]);
                lower = cnMinVec(lower, p);
                upper = cnMaxVec(upper, p);
            }
            double below = 1e-12 * size, above = 5e-5 * size;
            cnVec3 low = cnSub(lower, bounds.lower), high = cnSub(bounds.upper, upper);
            assert_true(cnMin(low.x, cnMin(low.y, low.z)) >= -below);
            assert_true(cnMin(high.x, cnMin(high.y, high.z)) >= -below);
            assert_true(cnMax(low.x, cnMax(low.y, low.z)) <= above);
            assert_true(cnMax(high.x, cnMax(high.y, high.z)) <= above);
        }
        cnShape_Free(&shape);
        free_surface(&scaled);
    }
    free_surface(&surface);
}

// ---- what is refused --------------------------------------------------------------------------------------

static void what_is_no_mesh_is_rejected(void** state) {
    (void)state;
    static const cnVec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}};
    static const int32_t triangles[3] = {0, 1, 2};
    const cnShapeDef good = {
        .type = cn_trimesh, .points = points, .pointCount = 4, .triangles = triangles, .triangleCount = 1};
    cnShape shape = make_shape(good);
    cnShape_Free(&shape);

    cnShapeDef def = good;
    def.points = NULL;
    assert_shape_rejected(def, CN_ERROR_NULL_ARGUMENT, "points", "points");
    def = good;
    def.triangles = NULL;
    assert_shape_rejected(def, CN_ERROR_NULL_ARGUMENT, "triangles", "triangles");
    def = good;
    def.triangleCount = 0;
    assert_shape_rejected(def, CN_ERROR_OUT_OF_RANGE, "triangles", "triangles");
    def.triangleCount = CN_MAX_MESH_TRIANGLES + 1;
    assert_shape_rejected(def, CN_ERROR_OUT_OF_RANGE, "triangles", "triangles");
    def = good;
    def.pointCount = 2;
    assert_shape_rejected(def, CN_ERROR_OUT_OF_RANGE, "points", "points");
    static const int32_t bad[5][3] = {{0, 1, 4}, {-1, 1, 2}, {1, 1, 2}, {0, 1, 3}, {0, 1, INT32_MIN}};
    for (int i = 0; i < 5; ++i) {
        def = good;
        def.triangles = bad[i];
        bool isFlat = i == 3;
        assert_shape_rejected(def, isFlat ? CN_ERROR_DEGENERATE_SHAPE : CN_ERROR_OUT_OF_RANGE,
                              isFlat ? "triangles" : "triangles[0]", isFlat ? "" : "triangles[0]");
    }
    cnVec3 broken[4];
    memcpy(broken, points, sizeof broken);
    broken[3].y = NAN;
    def = good;
    def.points = broken;
    assert_shape_rejected(def, CN_ERROR_NOT_FINITE, "points[3]", "points[3]");
    broken[3].y = 1e31;
    assert_shape_rejected(def, CN_ERROR_OUT_OF_RANGE, "points[3]", "points[3]");
    def = good;
    def.mergeTolerance = -1.0;
    assert_shape_rejected(def, CN_ERROR_OUT_OF_RANGE, "mergeTolerance", "mergeTolerance");
    def.mergeTolerance = 10.0;
    def.mergeVertices = true;
    assert_shape_rejected(def, CN_ERROR_DEGENERATE_SHAPE, "mergeTolerance", "");
    def = good;
    def.bottomMargin = NAN;
    assert_shape_rejected(def, CN_ERROR_NOT_FINITE, "bottomMargin", "bottomMargin");
    def = good;
    def.winding = (cnWinding)3;
    assert_shape_rejected(def, CN_ERROR_OUT_OF_RANGE, "winding", "winding");
}

int main(void) {
    return run_all(twins_pair_and_fans_go_round, edges_of_a_step_are_what_they_are,
                   solids_that_share_an_edge_stay_solids, soups_are_welded_and_oriented,
                   a_mesh_inside_out_is_rejected_unless_it_says_so, a_box_of_triangles_weighs_what_a_box_does,
                   bounds_hold_every_vertex_and_little_more, what_is_no_mesh_is_rejected);
}
