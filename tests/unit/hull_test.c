// Hulls of point sets that break careless builders: valid, complete, and nothing held afterwards.
#include "geometry/hull.h"
#include "helpers.h"

// Point i of a grid of n × n × n with unit spacing.
static cnVec3 grid_point(int i, int n) {
    int column = i % n, row = i / n % n, layer = i / (n * n);
    return cnVec(column, row, layer);
}

// Builds, checks that the hull is valid and holds every point within 1e-6 of the extent.
static cnHull* build_hull(const cnVec3* points, int count) {
    size_t before = cnGetBytesInUse();
    cnHull* hull;
    cnErrorCode code = cnHull_Build(&hull, points, count, "test");
    if (code != CN_ERROR_NONE) {
        fail_msg("%s", cnGetLastError()->message);
    }
    assert_true(cnGetBytesInUse() == before + hull->bytes);
    assert_true(cnHull_Validate(hull));
    cnVec3 lower = points[0], upper = points[0];
    for (int i = 0; i < count; ++i) {
        lower = cnMinVec(lower, points[i]);
        upper = cnMaxVec(upper, points[i]);
    }
    double tolerance = 1e-6 * cnLength(cnSub(upper, lower));
    for (int face = 0; face < hull->faceCount; ++face) {
        for (int i = 0; i < count; ++i) {
            assert_true(cnDot(hull->planes[face].normal, cnSub(points[i], hull->centre)) <=
                        hull->planes[face].offset - cnDot(hull->planes[face].normal, hull->centre) +
                            tolerance);
        }
    }
    return hull;
}

static void expect_counts(const cnVec3* points, int count, int vertices, int edges, int faces) {
    cnHull* hull = build_hull(points, count);
    assert_int_equal(hull->vertexCount, vertices);
    assert_int_equal(hull->edgeCount, 2 * edges);
    assert_int_equal(hull->faceCount, faces);
    cnHull_Free(hull);
}

static void a_grid_is_a_box(void** state) {
    (void)state;
    static const double scales[] = {1e-6, 1e-3, 1.0, 1e3, 1e6};
    for (int n = 2; n <= 8; ++n) {
        for (int s = 0; s < 5; ++s) {
            for (int turned = 0; turned < 8; ++turned) {
                cnVec3 points[512];
                cnPose pose = {cnScale(scales[s] * turned, random_vec(10.0)),
                               turned == 0 ? cnQuat_identity : random_rotation()};
                int count = 0;
                for (int i = 0; i < n * n * n; ++i) {
                    cnVec3 point = cnScale(scales[s], grid_point(i, n));
                    points[count++] = cnTransformPoint(pose, point);
                }
                expect_counts(points, count, 8, 12, 6);
            }
        }
    }
}

static void prisms_have_their_faces(void** state) {
    (void)state;
    for (int sides = 3; sides <= 200; sides = sides < 12 ? sides + 1 : sides * 2) {
        cnVec3 points[512];
        for (int i = 0; i < sides; ++i) {
            double angle = 2.0 * CN_PI * i / sides;
            points[2 * i] = cnVec(cos(angle), -0.5, sin(angle));
            points[2 * i + 1] = cnVec(cos(angle), 0.5, sin(angle));
        }
        expect_counts(points, 2 * sides, 2 * sides, 3 * sides, sides + 2);

        // and with coordinates of f32, as meshes bring them
        cnQuat turn = random_rotation();
        for (int i = 0; i < 2 * sides; ++i) {
            points[i] = cnToD(cnToF(cnRotate(turn, points[i])));
        }
        expect_counts(points, 2 * sides, 2 * sides, 3 * sides, sides + 2);
    }
}

static void pyramids_and_tetrahedra_have_their_faces(void** state) {
    (void)state;
    const cnVec3 corners[4] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    expect_counts(corners, 4, 4, 6, 4);
    const cnVec3 mirrored[4] = {{0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}};
    expect_counts(mirrored, 4, 4, 6, 4);
    const cnVec3 pyramid[7] = {{-1.0, -1.0, 0.0}, {1.0, -1.0, 0.0}, {1.0, 1.0, 0.0}, {-1.0, 1.0, 0.0},
                               {0.0, 0.0, 1.0},   {0.0, 0.0, 0.0},  {0.0, -1.0, 0.0}};
    expect_counts(pyramid, 7, 5, 8, 5);
}

// Wedge-shaped stones between two radii, as in the arch scene, with coordinates of twelve decimals.
static void voussoirs_have_six_faces(void** state) {
    (void)state;
    const cnVec3 first[8] = {
        {-0.288924871346, -0.5, -0.225439422758}, {-0.288924871346, 0.5, -0.225439422758},
        {0.311075128654, -0.5, -0.225439422758},  {0.311075128654, 0.5, -0.225439422758},
        {-0.32735431054, -0.5, 0.164741221274},   {-0.32735431054, 0.5, 0.164741221274},
        {0.261116857702, -0.5, 0.281795414484},   {0.261116857702, 0.5, 0.281795414484},
    };
    expect_counts(first, 8, 8, 12, 6);
    for (int stone = 0; stone < 16; ++stone) {
        cnVec3 points[8];
        for (int i = 0; i < 8; ++i) {
            double angle = CN_PI * (stone + (i >> 2)) / 16.0;
            double radius = (i & 2) != 0 ? 2.6 : 2.0;
            double scale = 1e12;
            points[i].x = floor(radius * cos(angle) * scale + 0.5) / scale;
            points[i].y = (i & 1) != 0 ? 0.5 : -0.5;
            points[i].z = floor(radius * sin(angle) * scale + 0.5) / scale;
        }
        expect_counts(points, 8, 8, 12, 6);
    }
}

static void every_point_of_a_sphere_is_a_vertex(void** state) {
    (void)state;
    static cnVec3 points[4096];
    for (int count = 16; count <= 4096; count *= 4) {
        for (int i = 0; i < count; ++i) {
            points[i] = random_direction();
        }
        cnHull* hull = build_hull(points, count);
        assert_int_equal(hull->vertexCount, count);

        // near-duplicates of all points change nothing
        if (count <= 1024) {
            for (int i = 0; i < count; ++i) {
                points[count + i] = cnScale(1.0 - 1e-12 * random_int(3), points[i]);
            }
            cnHull* again = build_hull(points, 2 * count);
            assert_int_equal(again->vertexCount, count);
            assert_int_equal(again->faceCount, hull->faceCount);
            cnHull_Free(again);
        }
        cnHull_Free(hull);
    }
}

static void random_clouds_are_valid(void** state) {
    (void)state;
    cnVec3 points[400];
    for (int i = 0; i < 3000; ++i) {
        double scale = 1.0;
        for (int power = random_int(13) - 6, k = 0; k < abs(power); ++k) {
            scale *= power < 0 ? 0.1 : 10.0;
        }
        int count = 8 + random_int(i % 50 == 0 ? 390 : 60);
        int kind = random_int(6);
        cnVec3 stretch = kind == 1   ? cnVec(1.0, 1.0, 1e-3)
                         : kind == 2 ? cnVec(1e-3, 1.0, 1e-3)
                                     : cnVec(1.0, 1.0, 1.0);
        cnPose pose = {random_vec(10.0), random_rotation()};
        for (int j = 0; j < count; ++j) {
            cnVec3 point = kind == 0 ? random_direction() : random_vec(1.0);
            if (kind == 3) {
                // few distinct values: many coplanar, collinear and equal points
                point = cnVec(random_int(4), random_int(4), random_int(4));
            } else if (kind == 4 && j >= 8) {
                // clusters within rounding of others
                point = cnAdd(points[random_int(8)], random_vec(j % 2 == 0 ? 1e-10 : 1e-15));
            } else if (kind == 5 && j >= 8) {
                // convex combinations: on edges and faces up to rounding
                cnVec3 a = points[random_int(8)], b = points[random_int(8)];
                point = cnMulAdd(a, random_in(0.0, 1.0), cnSub(b, a));
            }
            points[j] = cnMul(stretch, point);
        }
        for (int j = 0; j < 8 && kind == 3; ++j) {
            points[j] = cnVec(j & 1 ? 3.0 : 0.0, j & 2 ? 3.0 : 0.0, j & 4 ? 3.0 : 0.0);
        }
        for (int j = 0; j < count; ++j) {
            points[j] = cnScale(scale, i % 2 == 0 ? points[j] : cnTransformPoint(pose, points[j]));
        }
        cnHull* hull = build_hull(points, count);
        if (kind == 3) {
            assert_int_equal(hull->vertexCount, 8);
            assert_int_equal(hull->faceCount, 6);
        }

        // the climbed support is the support
        for (int j = 0; j < 8; ++j) {
            cnVec3 direction = random_direction();
            double best = cnDot(direction, hull->vertices[cnHull_GetSupport(hull, direction)]);
            int climbed = cnHull_ClimbToSupport(hull, direction, random_int(hull->vertexCount));
            assert_true(cnDot(direction, hull->vertices[climbed]) >= best - 1e-9 * scale * 20.0);
        }
        cnHull_Free(hull);
    }
}

// Integer grids cut by a ball: many coplanar points on every face.
static void cut_grids_are_valid(void** state) {
    (void)state;
    static cnVec3 points[4096];
    for (int i = 0; i < 60; ++i) {
        int n = 3 + random_int(12);
        double radius = 0.5 * n * random_in(0.6, 1.3);
        int count = 0;
        for (int j = 0; j < n * n * n; ++j) {
            double middle = 0.5 * (n - 1);
            cnVec3 point = cnSub(grid_point(j, n), cnVec(middle, middle, middle));
            if (cnLength(point) <= radius) {
                points[count++] = point;
            }
        }
        if (count >= 8) {
            cnHull_Free(build_hull(points, count));
        }
    }
}

static void the_same_points_give_the_same_bits(void** state) {
    (void)state;
    cnVec3 points[100];
    for (int i = 0; i < 100; ++i) {
        points[i] = random_vec(1.0);
    }
    cnHull* first = build_hull(points, 100);
    cnHull* second = build_hull(points, 100);
    assert_int_equal(first->bytes, second->bytes);
    assert_memory_equal(first->vertices, second->vertices, (size_t)first->vertexCount * sizeof(cnVec3));
    assert_memory_equal(first->planes, second->planes, (size_t)first->faceCount * sizeof(cnHullPlane));
    assert_memory_equal(first->edges, second->edges, (size_t)first->edgeCount * sizeof(cnHullEdge));
    cnHull_Free(first);
    cnHull_Free(second);
}

static void expect_error(const cnVec3* points, int count, cnErrorCode expected, const char* word) {
    size_t before = cnGetBytesInUse();
    cnHull* hull;
    assert_int_equal(cnHull_Build(&hull, points, count, "cnCreateShape"), expected);
    assert_null(hull);
    assert_string_equal(cnGetLastError()->call, "cnCreateShape");
    assert_message_has(word);
    assert_true(cnGetBytesInUse() == before);
}

static void degenerate_sets_are_named(void** state) {
    (void)state;
    cnVec3 points[50];
    for (int i = 0; i < 50; ++i) {
        points[i] = cnVec(1.0, 2.0, 3.0);
    }
    expect_error(points, 50, CN_ERROR_DEGENERATE_SHAPE, "coincide");
    for (int i = 0; i < 50; ++i) {
        points[i] = cnMulAdd(cnVec(1.0, 2.0, 3.0), 0.37 * i, cnVec(1.0, -0.3, 0.7));
    }
    expect_error(points, 50, CN_ERROR_DEGENERATE_SHAPE, "line");
    cnQuat turn = random_rotation();
    for (int i = 0; i < 50; ++i) {
        points[i] = cnRotate(turn, cnVec(random_in(-5.0, 5.0), random_in(-5.0, 5.0), 0.0));
    }
    expect_error(points, 50, CN_ERROR_DEGENERATE_SHAPE, "plane");
    expect_error(points, 3, CN_ERROR_OUT_OF_RANGE, "3");
    expect_error(NULL, 8, CN_ERROR_NULL_ARGUMENT, "null");
    points[17].y = NAN;
    expect_error(points, 50, CN_ERROR_NOT_FINITE, "17");
}

static void too_many_vertices_are_rejected(void** state) {
    (void)state;
    static cnVec3 points[CN_MAX_HULL_VERTICES + 1];
    for (int i = 0; i <= CN_MAX_HULL_VERTICES; ++i) {
        points[i] = random_direction();
    }
    expect_error(points, CN_MAX_HULL_VERTICES + 1, CN_ERROR_OUT_OF_RANGE, "4097");
}

int main(void) {
    return run_all(a_grid_is_a_box, prisms_have_their_faces, pyramids_and_tetrahedra_have_their_faces,
                   voussoirs_have_six_faces, every_point_of_a_sphere_is_a_vertex, random_clouds_are_valid,
                   cut_grids_are_valid, the_same_points_give_the_same_bits, degenerate_sets_are_named,
                   too_many_vertices_are_rejected);
}
