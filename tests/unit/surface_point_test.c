// Points of surfaces next to points: against laws that determine them, between shapes that are the same
// solid, and of unions.
#include "collide/queries/surface.h"
#include "surfaces.h"
#include "things.h"

enum {
    columns = 6,
    rows = 5,
    kinds = 14
};

static double heights[columns * rows];

// All kinds of shapes, an open mesh and a terrain among them; `arrays` is what they are made of.
static void define_shapes(cnShapeDef* shapes, Surface* arrays) {
    static const cnVec3 corners[6] = {{-1, -1, -1}, {1, 1, -1},  {1, -1, 1},
                                      {-1, 1, 1},   {0.9, 0, 0}, {0, 0, 1}};
    for (int i = 0; i < columns * rows; ++i) {
        heights[i] = 0.4 * random_in(-1.0, 1.0);
    }
    add_torus(&arrays[0], 9, 7, 0.8, 0.35, 0.1);
    add_quad(&arrays[1], add_point(&arrays[1], cnVec(-1, -1, 0)), add_point(&arrays[1], cnVec(1, -1, 0.2)),
             add_point(&arrays[1], cnVec(1, 1, 0)), add_point(&arrays[1], cnVec(-1, 1, 0.4)));
    for (int k = 0; k < columns * rows; ++k) {
        int column = k % columns, row = k / columns;
        add_point(&arrays[2], cnVec(2.0 * ((double)column / (columns - 1) - 0.5),
                                    1.6 * ((double)row / (rows - 1) - 0.5), heights[k]));
    }
    for (int k = 0; k < columns * (rows - 1); ++k) {
        if (k % columns + 1 < columns) {
            add_triangle(&arrays[2], k, k + 1, k + columns + 1);
            add_triangle(&arrays[2], k, k + columns + 1, k + columns);
        }
    }
    cnShapeDef field = field_of(columns, rows, 2.0, 1.6, heights);
    field.bottomMargin = 0.3;
    field.bottomMarginGiven = true;
    const cnShapeDef all[kinds] = {
        {.type = cn_sphere, .radius = 0.7},
        {.type = cn_box, .halfExtents = {0.5, 0.9, 0.3}},
        {.type = cn_capsule, .radius = 0.4, .height = 1.2},
        {.type = cn_plane, .normal = {0.2, -0.3, 1.0}, .offset = 0.2},
        {.type = cn_convex, .points = corners, .pointCount = 6},
        {.type = cn_cylinder, .radius = 0.6, .height = 1.1},
        {.type = cn_hollowCylinder, .innerRadius = 0.5, .thickness = 0.3, .height = 1.0},
        {.type = cn_cone, .bottomRadius = 0.8, .topRadius = 0.1, .height = 1.2},
        {.type = cn_hollowCone, .bottomRadius = 0.9, .topRadius = 0.1, .height = 1.0, .thickness = 0.2},
        {.type = cn_line, .start = {-0.5, 0, 0.2}, .end = {0.6, 0.4, 0}},
        define_mesh(&arrays[0]),
        define_mesh(&arrays[1]),
        define_mesh(&arrays[2]),
        field,
    };
    memcpy(shapes, all, sizeof all);
    shapes[12].terrain = true;
    shapes[12].bottomMargin = 0.3;
}

static cnSurfaceDistance find(const cnShapeDef* def, cnPose pose, cnVec3 point) {
    cnSurfaceDistance found;
    assert_int_equal(cnFindSurfacePoint(def, pose, point, &found), CN_ERROR_NONE);
    return found;
}

static const cnPose origin = {{0, 0, 0}, {0, 0, 0, 1}};

static void closed_forms_hold(void** state) {
    (void)state;
    cnShapeDef box = {.type = cn_box, .halfExtents = {1, 2, 3}};
    cnSurfaceDistance found = find(&box, origin, cnVec(0.5, 1.9, 0));
    assert_near(found.distance, -0.1, 1e-15);
    assert_near_vec(found.point, cnVec(0.5, 2, 0), 1e-15);
    assert_near_vec(found.normal, cnVec(0, 1, 0), 1e-15);
    found = find(&box, origin, cnVec(4, 6, 0));
    assert_near(found.distance, 5.0, 1e-15);
    assert_near_vec(found.normal, cnVec(0.6, 0.8, 0), 1e-15);

    // in the wall of a pipe, in its hole, and on its axis
    cnShapeDef pipe = {.type = cn_hollowCylinder, .innerRadius = 1.0, .thickness = 0.5, .height = 4.0};
    found = find(&pipe, origin, cnVec(0, 0.3, -1.1));
    assert_near(found.distance, -0.1, 1e-15);
    assert_near_vec(found.normal, cnVec(0, 0, 1), 1e-15);
    assert_near(find(&pipe, origin, cnVec(0, 0.3, -0.7)).distance, 0.3, 1e-15);
    found = find(&pipe, origin, cnVec3_zero);
    assert_near(found.distance, 1.0, 1e-15);
    assert_near_vec(found.point, cnVec(1, 0, 0), 1e-15);
    assert_near_vec(found.normal, cnVec(-1, 0, 0), 1e-15);

    // the centre of a ball, and the axis of a capsule
    found = find(&(cnShapeDef){.type = cn_sphere, .radius = 2.0}, origin, cnVec3_zero);
    assert_near(found.distance, -2.0, 1e-15);
    assert_near_vec(found.point, cnVec(0, 2, 0), 1e-15);
    found = find(&(cnShapeDef){.type = cn_capsule, .radius = 0.5, .height = 2.0}, origin, cnVec(0, 0.5, 0));
    assert_near_vec(found.point, cnVec(0.5, 0.5, 0), 1e-15);

    // a half-space and a line, on which the normal is across
    cnShapeDef plane = {.type = cn_plane, .normal = {0, 0, 2}, .offset = 1.0};
    assert_near(find(&plane, origin, cnVec(7, 8, -4)).distance, -5.0, 1e-15);
    cnShapeDef line = {.type = cn_line, .start = {0, 0, 0}, .end = {0, 3, 0}};
    found = find(&line, origin, cnVec(3, 7, 0));
    assert_near(found.distance, 5.0, 1e-15);
    assert_near_vec(found.normal, cnVec(0.6, 0.8, 0), 1e-15);
    found = find(&line, origin, cnVec(0, 1, 0));
    assert_true(found.distance == 0.0 && cnDot(found.normal, cnVec(0, 1, 0)) == 0.0);
    assert_near(cnLength(found.normal), 1.0, 1e-15);
}

// Together these leave but one answer: the point is on the surface, that far away, and no point nearer is on
// the other side. Sides are those of cnIsPointInShape, which casts rays; surfaces are crossed by rays too.
static void distances_are_signed_exact_and_smooth(void** state) {
    (void)state;
    Surface arrays[3] = {0};
    cnShapeDef shapes[kinds];
    define_shapes(shapes, arrays);
    cnWorldId world = make_world((cnWorldDef){0});
    int inside[kinds] = {0};
    for (int i = 0; i < CASES(14000); ++i) {
        int kind = i % kinds;
        const cnShapeDef* def = &shapes[kind];
        cnPose pose = {random_vec(0.5), random_rotation()};
        cnVec3 point = cnTransformPoint(pose, random_vec(1.1));
        cnSurfaceDistance found = find(def, pose, point);
        double depth = fabs(found.distance);
        assert_near(cnLength(found.normal), 1.0, 1e-12);
        assert_near_vec(cnMulAdd(found.point, found.distance, found.normal), point, 1e-12);
        assert_near(find(def, pose, found.point).distance, 0.0, 1e-12);

        // the sign, and that of all points nearer than the surface
        bool isInside = cnIsPointInShape(def, pose, point);
        inside[kind] += isInside;
        assert_true(depth < 1e-9 || isInside == (found.distance < 0.0));
        for (int k = 0; k < 8 && depth > 1e-9; ++k) {
            cnVec3 near = cnMulAdd(point, 0.999 * depth, random_direction());
            assert_true(cnIsPointInShape(def, pose, near) == isInside);
        }
        cnVec3 other = cnAdd(point, random_vec(0.3));
        double change = find(def, pose, other).distance - found.distance;
        assert_true(fabs(change) <= cnLength(cnSub(other, point)) + 1e-12);

        // wherever a ray crosses the surface, that is no nearer
        cnGeometryId geometry =
            add_geometry(world, (cnGeometryDef){.position = pose.position, .rotation = pose.rotation}, *def);
        cnRayResult hits[32];
        cnVec3 way = cnScale(3.0, random_direction());
        int count = cnWorld_CastRayAll(world, cnSub(point, way), cnScale(2.0, way),
                                       &(cnQueryFilter){.crossings = true}, hits, 32);
        for (int k = 0; k < count; ++k) {
            assert_true(cnLength(cnSub(hits[k].point, point)) >= depth - 1e-9);
        }

        // the geometry tells the same as its shape, and the same whichever way all is turned
        cnSurfaceDistance ofGeometry = cnGeometry_FindSurfacePoint(world, geometry, point);
        assert_near(ofGeometry.distance, found.distance, 1e-12);
        assert_near_vec(ofGeometry.point, found.point, 1e-12);
        cnPose turn = {random_vec(2.0), random_rotation()};
        cnSurfaceDistance turned = find(def, cnMulPose(turn, pose), cnTransformPoint(turn, point));
        assert_near(turned.distance, found.distance, 1e-12);
        cnDestroyGeometry(world, geometry);
    }
    for (int kind = 0; kind < kinds; ++kind) {
        assert_true((inside[kind] > CASES(20)) == (kind != 9 && kind != 11));
    }
    cnDestroyWorld(world);
    for (int i = 0; i < 3; ++i) {
        free_surface(&arrays[i]);
    }
}

// The grid of a terrain's points with walls and a bottom.
static void close_terrain(Surface* closed, const Surface* terrain, double bottom) {
    int count = columns * rows;
    for (int k = 0; k < 2 * count; ++k) {
        cnVec3 point = terrain->points.data[k % count];
        add_point(closed, cnVec(point.x, point.y, k < count ? point.z : bottom));
    }
    for (int i = 0; i < terrain->triangles.count; i += 3) {
        const int32_t* corners = terrain->triangles.data + i;
        add_triangle(closed, corners[0], corners[1], corners[2]);
        add_triangle(closed, count + corners[0], count + corners[2], count + corners[1]);
    }
    int last = count - columns;
    for (int i = 0; i + 1 < columns; ++i) {
        add_quad(closed, i, i + count, i + count + 1, i + 1);
        add_quad(closed, last + i, last + i + 1, last + i + 1 + count, last + i + count);
    }
    for (int j = 0; j + columns < count; j += columns) {
        int end = j + columns - 1;
        add_quad(closed, j, j + columns, j + columns + count, j + count);
        add_quad(closed, end, end + count, end + columns + count, end + columns);
    }
}

// A terrain, a static field, a dynamic field and a closed mesh, all of them the same solid.
static void terrains_are_the_solids_that_they_stand_for(void** state) {
    (void)state;
    Surface arrays[3] = {0}, closed = {0};
    cnShapeDef shapes[kinds];
    define_shapes(shapes, arrays);
    double lowest = INFINITY;
    for (int i = 0; i < columns * rows; ++i) {
        lowest = cnMin(lowest, heights[i]);
    }
    cnShapeDef dynamic = shapes[13];
    dynamic.dynamic = true;
    dynamic.minHeight = lowest - 0.3;
    close_terrain(&closed, &arrays[2], dynamic.minHeight);
    cnShapeDef mesh = define_mesh(&closed);
    for (int i = 0; i < CASES(4000); ++i) {
        cnVec3 point = random_vec(random_int(2) == 0 ? 1.2 : 4.0);
        double distance = find(&mesh, origin, point).distance;
        assert_near(find(&dynamic, origin, point).distance, distance, 1e-12);
        assert_near(find(&shapes[13], origin, point).distance, distance, 1e-12);
        assert_near(find(&shapes[12], origin, point).distance, distance, 1e-12);
    }
    free_surface(&closed);
    for (int i = 0; i < 3; ++i) {
        free_surface(&arrays[i]);
    }
}

// ---- unions -----------------------------------------------------------------------------------------------

static cnGeometryId add_two(cnWorldId world, cnShapeDef a, cnPose poseA, cnShapeDef b, cnPose poseB) {
    cnShapeInstance instances[2] = {
        {.shape = cnCreateShape(world, &a), .position = poseA.position, .rotation = poseA.rotation},
        {.shape = cnCreateShape(world, &b), .position = poseB.position, .rotation = poseB.rotation},
    };
    return cnCreateGeometry(world, &(cnGeometryDef){.shapes = instances, .shapeCount = 2});
}

static void unions_have_no_inner_surfaces(void** state) {
    (void)state;
    // two boxes that abut in x = 0 are one box
    cnWorldId world = make_world((cnWorldDef){0});
    cnShapeDef half = {.type = cn_box, .halfExtents = {1, 1, 1}};
    cnShapeDef whole = {.type = cn_box, .halfExtents = {2, 1, 1}};
    cnGeometryId two = add_two(world, half, (cnPose){{-1, 0, 0}, cnQuat_identity}, half,
                               (cnPose){{1, 0, 0}, cnQuat_identity});
    for (int i = 0; i < CASES(2000); ++i) {
        cnVec3 point = random_vec(2.5);
        point.x = random_int(3) == 0 ? 1e-3 * point.x : point.x;
        cnSurfaceDistance found = cnGeometry_FindSurfacePoint(world, two, point);
        assert_near(found.distance, find(&whole, origin, point).distance, 1e-7);
        assert_near_vec(cnMulAdd(found.point, found.distance, found.normal), point, 1e-9);
    }
    assert_near(cnGeometry_FindSurfacePoint(world, two, cnVec3_zero).distance, -1.0, 1e-12);

    // a ball in a half-space is the half-space
    cnShapeDef ground = {.type = cn_plane, .normal = {0, 0, 1}};
    cnShapeDef ball = {.type = cn_sphere, .radius = 1.0};
    cnGeometryId both = add_two(world, ground, origin, ball, (cnPose){{0, 0, -5}, cnQuat_identity});
    assert_near(cnGeometry_FindSurfacePoint(world, both, cnVec(0.1, 0, -5)).distance, -5.0, 1e-12);
    cnDestroyWorld(world);
}

// Random pairs: distances are those of a point on the union's surface, signed as the parts hold the point,
// exact outside; of the depths none is less than the deepest part's, and few exceed what many random ways out
// find.
static void unions_of_random_shapes(void** state) {
    (void)state;
    Surface arrays[3] = {0};
    cnShapeDef shapes[kinds];
    define_shapes(shapes, arrays);
    static const int solids[] = {0, 1, 2, 4, 5, 6, 7, 8, 10, 13};
    cnWorldId world = make_world((cnWorldDef){0});
    int covered = 0, farther = 0;
    for (int i = 0; i < CASES(6000); ++i) {
        const cnShapeDef* a = &shapes[solids[i % 10]];
        const cnShapeDef* b = &shapes[solids[i / 10 % 10]];
        cnPose poseA = {random_vec(0.4), random_rotation()}, poseB = {random_vec(0.4), random_rotation()};
        cnVec3 point = random_vec(0.9);
        cnGeometryId geometry = add_two(world, *a, poseA, *b, poseB);
        cnSurfaceDistance found = cnGeometry_FindSurfacePoint(world, geometry, point);
        double least = cnMin(find(a, poseA, point).distance, find(b, poseB, point).distance);
        assert_near_vec(cnMulAdd(found.point, found.distance, found.normal), point, 1e-9);
        assert_true(found.distance <= least + 1e-12 && (least < 0.0 || found.distance >= least - 1e-12));
        cnSurfaceDistance again = cnGeometry_FindSurfacePoint(world, geometry, found.point);
        assert_near(again.distance, 0.0, 1e-7);
        if (found.distance < least - 1e-9) {
            covered += 1;
            double shortest = INFINITY;
            for (int k = 0; k < 300; ++k) {
                cnVec3 way = cnScale(4.0, random_direction());
                cnRayResult hits[32];
                int count =
                    cnWorld_CastRayAll(world, point, way, &(cnQueryFilter){.crossings = true}, hits, 32);
                for (int n = 0; n < count; ++n) {
                    cnVec3 beyond = cnMulAdd(hits[n].point, 1e-6, way);
                    if (!cnIsPointInShape(a, poseA, beyond) && !cnIsPointInShape(b, poseB, beyond)) {
                        shortest = cnMin(shortest, 4.0 * hits[n].fraction);
                    }
                }
            }
            farther += shortest < -found.distance - 1e-6;
        }
        cnDestroyGeometry(world, geometry);
    }
    assert_true(covered > CASES(100) && farther <= 3 + covered / 25);
    cnDestroyWorld(world);
    for (int i = 0; i < 3; ++i) {
        free_surface(&arrays[i]);
    }
}

static void wrong_arguments_are_rejected(void** state) {
    (void)state;
    cnShapeDef ball = {.type = cn_sphere, .radius = 1.0};
    cnSurfaceDistance found;
    assert_int_equal(cnFindSurfacePoint(NULL, origin, cnVec3_zero, &found), CN_ERROR_NULL_ARGUMENT);
    assert_int_equal(cnFindSurfacePoint(&ball, origin, cnVec3_zero, NULL), CN_ERROR_NULL_ARGUMENT);
    assert_int_equal(cnFindSurfacePoint(&ball, origin, cnVec(NAN, 0, 0), &found), CN_ERROR_NOT_FINITE);
    assert_int_equal(cnFindSurfacePoint(&ball, origin, cnVec(0, 1e31, 0), &found), CN_ERROR_OUT_OF_RANGE);
    cnPose bent = {{0, 0, 0}, {0, 0, 0, 2}};
    assert_int_equal(cnFindSurfacePoint(&ball, bent, cnVec3_zero, &found), CN_ERROR_OUT_OF_RANGE);
    ball.radius = -1.0;
    assert_int_equal(cnFindSurfacePoint(&ball, origin, cnVec3_zero, &found), CN_ERROR_OUT_OF_RANGE);
    cnWorldId world = make_world((cnWorldDef){0});
    cnGeometry_FindSurfacePoint(world, (cnGeometryId){0}, cnVec3_zero);
    assert_int_equal(cnGetLastError()->code, CN_ERROR_NULL_HANDLE);
    cnDestroyWorld(world);
}

int main(void) {
    return run_all(closed_forms_hold, distances_are_signed_exact_and_smooth,
                   terrains_are_the_solids_that_they_stand_for, unions_have_no_inner_surfaces,
                   unions_of_random_shapes, wrong_arguments_are_rejected);
}
