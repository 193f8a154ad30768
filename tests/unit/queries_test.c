// Queries: rays, moving shapes, overlaps, closest points and points inside, against closed forms and
// against one another.
#include "helpers.h"

static cnPose random_pose(double size) {
    return (cnPose){random_vec(size), random_rotation()};
}

static cnPose at(double x, double y, double z) {
    return (cnPose){{x, y, z}, cnQuat_identity};
}

static const cnShapeDef ball = {.type = cn_sphere, .radius = 0.5};
static const cnShapeDef cube = {.type = cn_box, .halfExtents = {0.5, 0.5, 0.5}};
static const cnShapeDef pill = {.type = cn_capsule, .radius = 0.3, .height = 1.0};
static const cnShapeDef drum = {.type = cn_cylinder, .radius = 0.5, .height = 0.8};
static const cnShapeDef cone = {.type = cn_cone, .bottomRadius = 0.6, .height = 1.0};
static const cnShapeDef pipe = {
    .type = cn_hollowCylinder, .innerRadius = 1.0, .thickness = 0.2, .height = 2.0};

static cnShapeDef tetrahedron(void) {
    static const cnVec3 corners[4] = {{-1, -1, -1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};
    return (cnShapeDef){.type = cn_convex, .points = corners, .pointCount = 4};
}

// The cube's surface as triangles.
static cnShapeDef cube_mesh(void) {
    static const cnVec3 corners[8] = {{-0.5, -0.5, -0.5}, {0.5, -0.5, -0.5}, {-0.5, 0.5, -0.5},
                                      {0.5, 0.5, -0.5},   {-0.5, -0.5, 0.5}, {0.5, -0.5, 0.5},
                                      {-0.5, 0.5, 0.5},   {0.5, 0.5, 0.5}};
    static const int32_t triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                          2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    return (cnShapeDef){
        .type = cn_trimesh, .points = corners, .pointCount = 8, .triangles = triangles, .triangleCount = 12};
}

static cnClosestPoints closest(const cnShapeDef* a, cnPose poseA, const cnShapeDef* b, cnPose poseB) {
    cnClosestPoints out;
    assert_int_equal(cnComputeClosestPoints(a, poseA, b, poseB, &out), CN_ERROR_NONE);
    return out;
}

static cnGeometryId add_posed(cnWorldId world, cnBodyId body, const cnShapeDef* def, cnPose pose) {
    return add_geometry(
        world, (cnGeometryDef){.body = body, .position = pose.position, .rotation = pose.rotation}, *def);
}

// ---- closest points ---------------------------------------------------------------------------------------

static void closest_points_have_closed_forms(void** state) {
    (void)state;
    cnClosestPoints found = closest(&ball, at(0, 0, 0), &cube, at(2, 0, 0));
    assert_int_equal(found.status, cn_proximityApart);
    assert_near(found.distance, 1.0, 1e-12);
    assert_near_vec(found.point1, cnVec(0.5, 0, 0), 1e-12);
    assert_near_vec(found.point2, cnVec(1.5, 0, 0), 1e-12);
    assert_near_vec(found.normal, cnVec(-1, 0, 0), 1e-12);

    found = closest(&cube, at(0, 0, 0.9), &groundPlane, at(0, 0, 0));
    assert_near(found.distance, 0.4, 1e-12);
    assert_near_vec(found.normal, cnVec(0, 0, 1), 1e-12);
    found = closest(&groundPlane, at(0, 0, 0), &ball, at(0, 0, 0.25));
    assert_int_equal(found.status, cn_proximityOverlapping);
    assert_near(found.distance, -0.25, 1e-12);
    assert_near_vec(found.normal, cnVec(0, 0, -1), 1e-12);

    // overlapping and beside a mesh; inside of it without touching a triangle
    cnShapeDef mesh = cube_mesh();
    assert_int_equal(closest(&cube, at(0.7, 0.1, 0), &mesh, at(0, 0, 0)).status, cn_proximityOverlapping);
    cnShapeDef small = {.type = cn_sphere, .radius = 0.05};
    assert_int_equal(closest(&small, at(0, 0, 0), &mesh, at(0, 0, 0)).status, cn_proximityOverlapping);

    // in the hole of a pipe, on its axis and beside it
    found = closest(&ball, at(0, 0, 0), &pipe, at(0, 0, 0));
    assert_int_equal(found.status, cn_proximityApart);
    assert_near(found.distance, 0.5, 1e-9);
    found = closest(&ball, at(0.2, 0.1, 0), &pipe, at(0, 0, 0));
    assert_near(found.distance, 0.3, 1e-9);
    assert_near_vec(found.point2, cnVec(1.0, 0.1, 0), 1e-6);

    // pairs without an answer say so
    assert_int_equal(closest(&groundPlane, at(0, 0, 0), &groundPlane, at(0, 0, 1)).status,
                     cn_proximityUnsupported);
    assert_int_equal(closest(&pipe, at(0, 0, 0), &pipe, at(5, 0, 0)).status, cn_proximityUnsupported);
}

// Laws that hold for any two shapes: points on the surfaces, distance between them, symmetric under swapping.
static void closest_points_lie_on_surfaces_and_are_symmetric(void** state) {
    (void)state;
    cnShapeDef hull = tetrahedron(), mesh = cube_mesh();
    const cnShapeDef* shapes[] = {&ball, &cube, &pill, &drum, &cone, &hull, &mesh, &pipe, &groundPlane};
    const int count = (int)(sizeof shapes / sizeof shapes[0]);
    int apart = 0;
    for (int i = 0; i < CASES(3000); ++i) {
        const cnShapeDef* a = shapes[i % count];
        const cnShapeDef* b = shapes[(i / count) % count];
        cnPose poseA = random_pose(2.5), poseB = random_pose(2.5);
        cnClosestPoints ab = closest(a, poseA, b, poseB), ba = closest(b, poseB, a, poseA);
        assert_int_equal(ab.status, ba.status);
        if (ab.status != cn_proximityApart) {
            continue;
        }
        apart += 1;
        assert_near(ab.distance, ba.distance, 1e-8);
        assert_near_vec(cnSub(ab.point1, ab.point2), cnScale(ab.distance, ab.normal), 1e-7);
        assert_near(closest(&(cnShapeDef){.type = cn_sphere, .radius = 1e-9},
                            (cnPose){ab.point1, cnQuat_identity}, a, poseA)
                        .distance,
                    0.0, 1e-7);

        // a ball of that radius about either point touches the other shape, and no smaller one does
        cnShapeDef smaller = {.type = cn_sphere, .radius = ab.distance * (1.0 - 1e-6)};
        cnShapeDef larger = {.type = cn_sphere, .radius = ab.distance * (1.0 + 1e-6) + 1e-7};
        cnPose about = {ab.point1, cnQuat_identity};
        assert_int_equal(closest(&smaller, about, b, poseB).status, cn_proximityApart);
        assert_int_equal(closest(&larger, about, b, poseB).status, cn_proximityOverlapping);
    }
    assert_true(apart > CASES(1000));
}

// The mesh of a cube is as far away as the cube.
static void a_mesh_is_as_far_away_as_its_solid(void** state) {
    (void)state;
    cnShapeDef mesh = cube_mesh(), hull = tetrahedron();
    const cnShapeDef* shapes[] = {&ball, &cube, &pill, &drum, &cone, &hull, &mesh};
    for (int i = 0; i < CASES(2000); ++i) {
        cnPose poseA = random_pose(1.5), poseB = random_pose(1.5);
        const cnShapeDef* a = shapes[i % 7];
        cnClosestPoints solid = closest(a == &mesh ? &cube : a, poseA, &cube, poseB);
        cnClosestPoints surface = closest(a, poseA, &mesh, poseB);
        assert_int_equal(solid.status, surface.status);
        if (solid.status == cn_proximityApart) {
            assert_near(surface.distance, solid.distance, 1e-9);
        }
    }
}

// ---- casts ------------------------------------------------------------------------------------------------

// Just before the fraction shapes are apart, just behind it they overlap.
static void casts_end_where_overlap_begins(void** state) {
    (void)state;
    cnShapeDef hull = tetrahedron(), mesh = cube_mesh();
    const cnShapeDef* shapes[] = {&ball, &cube, &pill, &drum, &cone, &hull, &mesh, &pipe, &groundPlane};
    cnWorldId world = make_world((cnWorldDef){0});
    int hits = 0, misses = 0;
    for (int i = 0; i < CASES(2000); ++i) {
        const cnShapeDef* a = shapes[i % 7];
        const cnShapeDef* b = shapes[(i / 7) % 9];
        cnPose pose = random_pose(1.0), still = random_pose(0.5);
        pose.position = cnAdd(pose.position, cnScale(4.0, cnNormalize(random_vec(1.0))));
        cnVec3 way = cnMulAdd(random_vec(3.0), -1.5, pose.position);
        cnGeometryId geometry = add_posed(world, (cnBodyId){0}, b, still);
        cnShapeId shape = cnCreateShape(world, a);
        cnShapeCastResult cast = cnWorld_CastShape(world, shape, pose, way, NULL);
        assert_int_equal(cast.unsupported, 0);
        if (CN_IS_NULL(cast.geometry)) {
            misses += 1;
            for (int k = 0; k <= 20; ++k) {
                cnPose moved = {cnMulAdd(pose.position, k / 20.0, way), pose.rotation};
                assert_int_equal(closest(a, moved, b, still).status, cn_proximityApart);
            }
        } else if (cast.fraction > 0.0) {
            hits += 1;
            double step = 1e-6;
            cnPose before = {cnMulAdd(pose.position, cast.fraction - step, way), pose.rotation};
            assert_int_equal(closest(a, before, b, still).status, cn_proximityApart);
            cnPose met = {cnMulAdd(pose.position, cast.fraction, way), pose.rotation};

            assert_near(closest(a, met, b, still).distance, 0.0, b == &pipe ? 2e-5 : 1e-7);
            assert_true(cnDot(cast.normal, way) < 1e-6);
            cnShapeDef point = {.type = cn_sphere, .radius = 1e-9};
            assert_near(closest(&point, (cnPose){cast.point, cnQuat_identity}, b, still).distance, 0.0,
                        b == &pipe ? 1e-4 : 1e-6);
        } else {
            assert_int_equal(closest(a, pose, b, still).status, cn_proximityOverlapping);
        }
        cnReleaseShape(world, shape);
        cnDestroyGeometry(world, geometry);
    }
    assert_true(hits > CASES(300) && misses > CASES(300));
    cnDestroyWorld(world);
}

static void a_cast_reports_all_in_order(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    cnGeometryId boxes[10];
    for (int i = 9; i >= 0; --i) {
        boxes[i] = add_posed(world, (cnBodyId){0}, &cube, at(2.0 + 2.0 * i, 0, 0));
    }
    cnShapeId shape = cnCreateShape(world, &ball);
    cnShapeCastResult results[16];
    assert_int_equal(cnWorld_CastShapeAll(world, shape, at(0, 0.4, 0), cnVec(30, 0, 0), NULL, results, 16),
                     10);
    for (int i = 0; i < 10; ++i) {
        assert_int_equal(results[i].geometry.value, boxes[i].value);
        assert_near(results[i].fraction, (1.0 + 2.0 * i) / 30.0, 1e-9);
    }
    assert_int_equal(cnWorld_CastShapeAll(world, shape, at(0, 0.4, 0), cnVec(30, 0, 0), NULL, results, 3), 3);
    assert_int_equal(results[2].geometry.value, boxes[2].value);

    // a pair without a cast is counted
    cnShapeId hollow = cnCreateShape(world, &pipe);
    add_posed(world, (cnBodyId){0}, &pipe, at(0, 0, 8));
    assert_int_equal(cnWorld_CastShape(world, hollow, at(0, 0, 15), cnVec(0, 0, -7), NULL).unsupported, 1);
    cnDestroyWorld(world);
}

// ---- crossings --------------------------------------------------------------------------------------------

// A closed surface is passed in and out by turns, at points that lie on it; between two of them all is inside
// or all is outside.
static void rays_pass_in_and_out_in_turn(void** state) {
    (void)state;
    double heights[30];
    for (int i = 0; i < 30; ++i) {
        heights[i] = 0.4 * random_in(-1.0, 1.0);
    }
    cnShapeDef hull = tetrahedron(), mesh = cube_mesh();
    cnShapeDef hat = {
        .type = cn_hollowCone, .bottomRadius = 0.9, .topRadius = 0.1, .height = 1.0, .thickness = 0.2};
    cnShapeDef field = field_of(6, 5, 2.0, 1.6, heights);
    field.dynamic = true;
    field.minHeight = -0.6;
    cnShapeDef terrain = field;
    terrain.dynamic = false;
    const cnShapeDef* shapes[] = {&ball, &cube, &pill, &drum,  &cone,    &hull,
                                  &mesh, &pipe, &hat,  &field, &terrain, &groundPlane};
    cnWorldId world = make_world((cnWorldDef){0});
    int counts[32] = {0};
    for (int i = 0; i < CASES(12000); ++i) {
        const cnShapeDef* def = shapes[i % 12];
        cnPose pose = random_pose(0.5);
        cnVec3 origin = random_vec(3.0);
        cnVec3 way = cnScale(2.0, cnSub(cnAdd(pose.position, random_vec(0.8)), origin));
        cnGeometryId geometry = add_posed(world, (cnBodyId){0}, def, pose);
        cnRayResult results[32];
        int count = cnWorld_CastRayAll(world, origin, way, &(cnQueryFilter){.crossings = true}, results, 32);
        assert_true(count < 32);
        counts[count] += 1;
        double from = 0.0;
        for (int k = 0; k <= count; ++k) {
            double to = k < count ? results[k].fraction : 1.0;
            bool inside = cnIsPointInShape(def, pose, cnMulAdd(origin, 0.5 * (from + to), way));
            if (k < count) {
                assert_true(to >= from);
                assert_near(cnLength(results[k].normal), 1.0, 1e-9);
                assert_near_vec(results[k].point, cnMulAdd(origin, to, way), 1e-9);
                bool enters = cnDot(results[k].normal, way) < 0.0;
                assert_true(enters != inside || to - from < 1e-9);
            }
            for (int step = 1; step < 20 && to - from > 1e-9; ++step) {
                cnVec3 point = cnMulAdd(origin, from + (to - from) * step / 20.0, way);
                assert_true(cnIsPointInShape(def, pose, point) == inside);
            }
            from = to;
        }

        // the first one is the ray's own, but where the ray begins inside
        cnRayResult first = cnWorld_CastRay(world, origin, way, NULL);
        if (!cnIsPointInShape(def, pose, origin)) {
            assert_int_equal(CN_IS_NULL(first.geometry), count == 0);
            assert_near(first.fraction, count > 0 ? results[0].fraction : 0.0, 1e-12);
            assert_near_vec(first.normal, count > 0 ? results[0].normal : cnVec3_zero, 1e-9);
            assert_int_equal(first.triangle, count > 0 ? results[0].triangle : -1);
        }
        cnDestroyGeometry(world, geometry);
    }
    for (int count = 0; count < 5; ++count) {
        assert_true(counts[count] > 0);
    }
    cnDestroyWorld(world);
}

// A ray that lies in a field's surface neither goes in nor out of it there, and ends.
static void a_ray_along_a_flat_field_ends(void** state) {
    (void)state;
    static const double flat[9] = {0};
    cnShapeDef field = field_of(3, 3, 2.0, 2.0, flat);
    cnWorldId world = make_world((cnWorldDef){0});
    add_posed(world, (cnBodyId){0}, &field, at(0, 0, 0));
    const cnQueryFilter crossings = {.crossings = true};
    cnRayResult results[8];
    for (int i = 0; i < 50; ++i) {
        cnVec3 way = i < 4 ? cnVec(i % 2, i < 2, 0.0) : random_vec(1.0);
        way.z = 0.0;
        int count = cnWorld_CastRayAll(world, cnVec3_zero, cnScale(9.0, way), &crossings, results, 8);
        assert_true(count <= 1);
    }
    cnDestroyWorld(world);
}

// ---- rays -------------------------------------------------------------------------------------------------

static void fill_with_balls(cnWorldId world, int count) {
    for (int i = 0; i < count; ++i) {
        cnPose pose = random_pose(10.0);
        cnBodyId body = {0};
        if (i % 2 == 0) {
            body = cnCreateBody(world, &(cnBodyDef){.position = pose.position});
            pose = at(0, 0, 0);
        }
        cnGeometryId geometry = add_posed(world, body, i % 3 == 0 ? &ball : &cube, pose);
        cnGeometry_AddGroup(world, geometry, (uint32_t)(i % 5));
    }
}

static void rays_agree_with_one_another(void** state) {
    (void)state;
    // first, all, any and the batch tell the same, for any filter and number of threads
    cnWorldId worlds[2];
    for (int w = 0; w < 2; ++w) {
        randomState = 99;
        worlds[w] = make_world((cnWorldDef){.threads = 1 + 3 * w});
        fill_with_balls(worlds[w], 400);
    }
    enum {
        rayCount = 2000
    };
    static double rays[6 * rayCount], fractions[2][rayCount], normals[2][3 * rayCount];
    static int32_t rows[2][rayCount];
    for (int i = 0; i < rayCount; ++i) {
        cnVec3 origin = random_vec(14.0), way = random_vec(20.0);
        memcpy(rays + 6 * i, &origin, sizeof origin);
        memcpy(rays + 6 * i + 3, &way, sizeof way);
    }
    const uint32_t groups[] = {1, 3};
    cnQueryFilter filters[3] = {
        {.groups = groups, .groupCount = 2}, {.bodies = cn_queryDynamic}, {.bodies = cn_queryStatic}};
    for (int f = -1; f < 3; ++f) {
        const cnQueryFilter* filter = f >= 0 ? &filters[f] : NULL;
        for (int w = 0; w < 2; ++w) {
            assert_int_equal(
                cnWorld_CastRays(worlds[w], rays, rayCount, filter, rows[w], fractions[w], normals[w]),
                CN_ERROR_NONE);
        }
        assert_memory_equal(rows[0], rows[1], sizeof rows[0]);
        assert_memory_equal(fractions[0], fractions[1], sizeof fractions[0]);
        assert_memory_equal(normals[0], normals[1], sizeof normals[0]);
        int hits = 0;
        for (int i = 0; i < rayCount; ++i) {
            cnVec3 origin = {rays[6 * i], rays[6 * i + 1], rays[6 * i + 2]};
            cnVec3 way = {rays[6 * i + 3], rays[6 * i + 4], rays[6 * i + 5]};
            cnRayResult first = cnWorld_CastRay(worlds[0], origin, way, filter), all[64];
            int count = cnWorld_CastRayAll(worlds[0], origin, way, filter, all, 64);
            bool hit = rows[0][i] >= 0;
            hits += hit;
            assert_int_equal(hit, !CN_IS_NULL(first.geometry));
            assert_int_equal(hit, cnWorld_TestRay(worlds[0], origin, way, filter));
            assert_int_equal(hit, count > 0);
            if (hit) {
                assert_int_equal(first.geometry.value & 0xfffff, rows[0][i]);
                assert_int_equal(all[0].geometry.value, first.geometry.value);
                assert_near(fractions[0][i], first.fraction, 0.0);
                assert_int_equal(f == 1, f == 1 && !CN_IS_NULL(first.body));
            }
            for (int k = 1; k < count; ++k) {
                assert_true(all[k].fraction >= all[k - 1].fraction);
            }
        }
        assert_true(hits > 50 && hits < rayCount - 50);
    }
    cnDestroyWorld(worlds[0]);
    cnDestroyWorld(worlds[1]);
}

static void filters_hide_from_queries(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    cnBodyId body = cnCreateBody(world, &(cnBodyDef){.position = {0, 0, 3}});
    cnGeometryId upper = add_posed(world, body, &ball, at(0, 0, 0));
    cnGeometryId lower = add_posed(world, (cnBodyId){0}, &ball, at(0, 0, 0));
    cnVec3 origin = {0, 0, 5}, way = {0, 0, -10};
    assert_int_equal(cnWorld_CastRay(world, origin, way, NULL).geometry.value, upper.value);
    cnQueryFilter filter = {.excludeBody = body};
    assert_int_equal(cnWorld_CastRay(world, origin, way, &filter).geometry.value, lower.value);
    filter = (cnQueryFilter){.excludeGeometry = upper};
    assert_int_equal(cnWorld_CastRay(world, origin, way, &filter).geometry.value, lower.value);
    cnBody_SetEnabled(world, body, false);
    assert_int_equal(cnWorld_CastRay(world, origin, way, NULL).geometry.value, lower.value);

    // misuse is an error with a name and finds nothing
    cnDestroyGeometry(world, upper);
    assert_true(CN_IS_NULL(cnWorld_CastRay(world, origin, way, &filter).geometry));
    assert_int_equal(cnGetLastError()->code, CN_ERROR_STALE_HANDLE);
    assert_string_equal(cnGetLastError()->argument, "filter.excludeGeometry");
    filter = (cnQueryFilter){.groupCount = -1};
    assert_false(cnWorld_TestRay(world, origin, way, &filter));
    assert_int_equal(cnGetLastError()->code, CN_ERROR_OUT_OF_RANGE);
    assert_int_equal(cnWorld_CastRayAll(world, origin, way, NULL, NULL, 3), 0);
    assert_int_equal(cnGetLastError()->code, CN_ERROR_NULL_ARGUMENT);
    double bad[6] = {0, 0, 0, (double)NAN, 0, 0};
    int32_t row;
    assert_int_equal(cnWorld_CastRays(world, bad, 1, NULL, &row, NULL, NULL), CN_ERROR_NOT_FINITE);
    cnDestroyWorld(world);
}

// A geometry that is off falls with its body unseen, and is found where it is once it is on.
static void disabled_geometries_are_not_found(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    cnBodyId body = cnCreateBody(world, &(cnBodyDef){.position = {0, 0, 100}, .velocity = {5, 0, 0}});
    cnGeometryId geometry = add_posed(world, body, &ball, at(0, 0, 0));
    cnGeometry_SetEnabled(world, geometry, false);
    step_world(world, 120);
    cnVec3 place = cnBody_GetPosition(world, body);
    assert_true(place.x > 9.9 && place.z < 81.0);
    cnVec3 origin = {place.x, 0, place.z + 10.0}, way = {0, 0, -20};
    assert_true(CN_IS_NULL(cnWorld_CastRay(world, origin, way, NULL).geometry));
    cnGeometry_SetEnabled(world, geometry, true);
    cnRayResult hit = cnWorld_CastRay(world, origin, way, NULL);
    assert_int_equal(hit.geometry.value, geometry.value);
    assert_near(hit.point.z, place.z + ball.radius, 1e-9);
    cnVec3 old = {0, 0, 110};
    assert_true(CN_IS_NULL(cnWorld_CastRay(world, old, way, NULL).geometry));
    cnDestroyWorld(world);
}

// ---- overlaps and points ----------------------------------------------------------------------------------

static void overlaps_are_where_distances_are_negative(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    cnGeometryId geometries[5];
    for (int i = 0; i < 5; ++i) {
        geometries[i] = add_posed(world, (cnBodyId){0}, &cube, at(1.5 * i, 0, 0));
    }
    cnGeometryId found[8];
    cnBounds bounds = {{1.0, -0.1, -0.1}, {3.1, 0.1, 0.1}};
    assert_int_equal(cnWorld_TestBoundingVolumeOverlap(world, bounds, NULL, found, 8), 2);
    assert_int_equal(found[0].value, geometries[1].value);
    assert_int_equal(found[1].value, geometries[2].value);
    assert_int_equal(cnWorld_TestBoundingVolumeOverlap(world, bounds, NULL, found, 1), 1);

    assert_int_equal(cnWorld_FindGeometriesAtPoint(world, cnVec(1.6, 0.2, 0.1), NULL, found, 8), 1);
    assert_int_equal(found[0].value, geometries[1].value);
    assert_int_equal(cnWorld_FindGeometriesAtPoint(world, cnVec(0.75, 0, 0), NULL, found, 8), 0);

    // two balls of a free geometry, 5 cm deep in the first and the last cube
    cnShapeId shape = cnCreateShape(world, &ball);
    cnShapeInstance instances[2] = {{.shape = shape, .position = {0, 0, 0.95}},
                                    {.shape = shape, .position = {6.0, 0, 0.95}}};
    cnGeometryDef def = {.shapes = instances, .shapeCount = 2};
    cnOverlapContact contacts[8];
    int count = cnWorld_TestGeometryOverlap(world, &def, NULL, contacts, 8);
    assert_int_equal(count, 2);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(contacts[i].geometry.value, geometries[4 * i].value);
        assert_int_equal(contacts[i].ownShapeIndex, i);
        assert_near(contacts[i].depth, 0.05, 1e-6);
        assert_near_vec(contacts[i].normal, cnVec(0, 0, 1), 1e-6);
        assert_near_vec(contacts[i].point, cnVec(6.0 * i, 0, 0.475), 1e-6);
    }
    def.position.z = 0.1;
    assert_int_equal(cnWorld_TestGeometryOverlap(world, &def, NULL, contacts, 8), 0);
    cnClosestPoints apart = cnWorld_ComputeClosestPoints(world, geometries[0], geometries[1]);
    assert_int_equal(apart.status, cn_proximityApart);
    assert_near(apart.distance, 0.5, 1e-12);
    cnDestroyWorld(world);
}

// A point is inside where its distance from the surface is negative: points in a shape agree with closest
// points of a speck.
static void points_are_inside_where_distances_are_negative(void** state) {
    (void)state;
    cnShapeDef hull = tetrahedron(), mesh = cube_mesh();
    const cnShapeDef* shapes[] = {&ball, &cube, &pill, &drum, &cone, &hull, &mesh, &pipe, &groundPlane};
    for (int i = 0; i < CASES(3000); ++i) {
        const cnShapeDef* shape = shapes[i % 9];
        cnPose pose = random_pose(0.5);
        cnVec3 point = random_vec(1.2);
        cnShapeDef speck = {.type = cn_sphere, .radius = 1e-9};
        bool inside =
            closest(&speck, (cnPose){point, cnQuat_identity}, shape, pose).status == cn_proximityOverlapping;
        assert_int_equal(cnIsPointInShape(shape, pose, point), inside);
    }
}

int main(void) {
    return run_all(closest_points_have_closed_forms, closest_points_lie_on_surfaces_and_are_symmetric,
                   a_mesh_is_as_far_away_as_its_solid, casts_end_where_overlap_begins,
                   a_cast_reports_all_in_order, rays_pass_in_and_out_in_turn, a_ray_along_a_flat_field_ends,
                   rays_agree_with_one_another, filters_hide_from_queries, disabled_geometries_are_not_found,
                   overlaps_are_where_distances_are_negative, points_are_inside_where_distances_are_negative);
}
