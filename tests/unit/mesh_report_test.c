// The report on a mesh: what is wrong with it is counted.
#include "geometry/meshes/trimesh.h"
#include "surfaces.h"

static cnMeshReport check(const cnShapeDef* def) {
    size_t before = cnGetBytesInUse();
    cnMeshReport report;
    if (cnCheckMesh(def, true, &report) != CN_ERROR_NONE) {
        fail_msg("%s", cnGetLastError()->message);
    }
    assert_true(cnGetBytesInUse() == before);
    return report;
}

static void a_sound_mesh_has_nothing_wrong(void** state) {
    (void)state;
    Surface surface = torus_of(40, 20, 1.0, 0.4, 0.0);
    cnShapeDef def = define_mesh(&surface);
    cnMeshReport report = check(&def);
    assert_true(report.closed && !report.insideOut && !report.convex);
    assert_int_equal(report.components, 1);
    assert_int_equal(report.vertices, 800);
    assert_int_equal(report.triangles, 1600);
    assert_int_equal(report.openEdges + report.holes + report.zeroAreaTriangles + report.inconsistentEdges +
                         report.nonManifoldEdges + report.unreferencedVertices + report.duplicateVertices +
                         report.selfIntersections,
                     0);
    // of the torus itself: 2 π² R r² and 4 π² R r
    assert_true(fabs(report.volume / (2.0 * CN_PI * CN_PI * 0.16) - 1.0) < 0.03);
    assert_true(fabs(report.area / (4.0 * CN_PI * CN_PI * 0.4) - 1.0) < 0.03);
    free_surface(&surface);

    add_box(&surface, cnVec(3.0, 2.0, 1.0), cnVec(1.0, 2.0, 0.5));
    def = define_mesh(&surface);
    assert_true(check(&def).convex);
    surface.points.data[3] = cnVec(3.0, 2.0, 1.0);
    assert_false(check(&def).convex);
    free_surface(&surface);
}

static void what_is_wrong_is_counted(void** state) {
    (void)state;
    Surface torus = torus_of(40, 20, 1.0, 0.4, 0.0);

    // two triangles taken out far from each other, one turned, one vertex without a triangle, one doubled
    cnShapeDef def = define_mesh(&torus);
    int32_t* t = torus.triangles.data + 300;
    int32_t second = t[1];
    t[1] = t[2];
    t[2] = second;
    add_point(&torus, cnVec(5.0, 5.0, 5.0));
    add_point(&torus, torus.points.data[7]);
    def = define_mesh(&torus);
    def.triangles += 3;
    def.triangleCount -= 2;
    cnMeshReport report = check(&def);
    assert_false(report.closed);
    assert_int_equal(report.openEdges, 6);
    assert_int_equal(report.holes, 3); // those two, and the border round the turned one
    assert_int_equal(report.inconsistentEdges, 3);
    assert_int_equal(report.unreferencedVertices, 2);
    assert_int_equal(report.duplicateVertices, 1);
    assert_int_equal(report.nonManifoldEdges, 0);
    free_surface(&torus);

    // boxes that share an edge, boxes that cross, and one more apart
    Surface boxes = {0};
    add_box(&boxes, cnVec(-1.0, -1.0, 0.0), cnVec(1.0, 1.0, 1.0));
    add_box(&boxes, cnVec(1.0, 1.0, 0.0), cnVec(1.0, 1.0, 1.0));
    add_box(&boxes, cnVec(10.0, 0.0, 0.0), cnVec(1.0, 1.0, 1.0));
    def = define_mesh(&boxes);
    def.mergeVertices = true;
    report = check(&def);
    assert_int_equal(report.nonManifoldEdges, 1);
    assert_int_equal(report.components, 2);
    assert_int_equal(report.vertices, 22);
    assert_int_equal(report.selfIntersections, 0);
    add_box(&boxes, cnVec(10.3, 0.4, 0.2), cnVec(1.0, 1.0, 1.0));
    def = define_mesh(&boxes);
    assert_true(check(&def).selfIntersections > 5);
    free_surface(&boxes);
}

static void terrains_are_rectangles_without_holes(void** state) {
    (void)state;
    Surface terrain = terrain_of(20, 2.0);
    cnShapeDef def = define_mesh(&terrain);
    def.terrain = true;
    cnMeshReport report = check(&def);
    assert_true(report.rectangular && !report.overhanging);
    assert_int_equal(report.holes, 1);
    assert_int_equal(report.innerHoles, 0);
    assert_int_equal(report.openEdges, 80);

    // a hole in the middle, a bite out of the border, a fold
    int32_t* t = terrain.triangles.data + 2 * 3 * (20 * 10 + 10);
    int32_t kept[3] = {t[0], t[1], t[2]};
    t[0] = terrain.triangles.data[0];
    t[1] = terrain.triangles.data[1];
    t[2] = terrain.triangles.data[2];
    def.triangles += 3;
    def.triangleCount -= 1;
    report = check(&def);
    assert_true(report.rectangular);
    assert_int_equal(report.innerHoles, 1);
    memcpy(t, kept, sizeof kept);
    def.triangles += 3 * 6;
    def.triangleCount -= 6;
    assert_false(check(&def).rectangular);
    terrain.points.data[21 * 10 + 10].x += 0.5;
    assert_true(check(&def).overhanging);
    free_surface(&terrain);
}

static void a_hub_of_many_triangles_costs_no_more(void** state) {
    (void)state;
    // a cone of 100,000 sides: quadratic work would take minutes
    enum {
        sides = 100000
    };
    Surface cone = {0};
    add_point(&cone, cnVec(0.0, 0.0, 1.0));
    add_point(&cone, cnVec(0.0, 0.0, 0.0));
    for (int i = 0; i < sides; ++i) {
        add_point(&cone, cnVec(cnCos(2.0 * CN_PI * i / sides), cnSin(2.0 * CN_PI * i / sides), 0.0));
    }
    for (int i = 0; i < sides; ++i) {
        add_triangle(&cone, 0, 2 + i, 2 + (i + 1) % sides);
        add_triangle(&cone, 1, 2 + (i + 1) % sides, 2 + i);
    }
    cnShapeDef def = define_mesh(&cone);
    cnMeshReport report;
    assert_int_equal(cnCheckMesh(&def, false, &report), CN_ERROR_NONE);
    assert_true(report.closed && report.convex);
    assert_true(fabs(report.volume / (CN_PI / 3.0) - 1.0) < 1e-6);
    free_surface(&cone);
}

int main(void) {
    return run_all(a_sound_mesh_has_nothing_wrong, what_is_wrong_is_counted,
                   terrains_are_rectangles_without_holes, a_hub_of_many_triangles_costs_no_more);
}
