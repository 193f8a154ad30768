// Triangle meshes against brute force over all triangles, and against solids whose answers are known.
#include "geometry/meshes/trimesh.h"

#include "base/array.h"
#include "shapes.h"

// ---- meshes ---------------------------------------------------------------------------------------------------------

typedef struct Surface {
    CN_ARRAY(cnVec3) points;
    CN_ARRAY(int32_t) triangles;
} Surface;

static void free_surface(Surface* surface) {
    cnArray_Free(&surface->points);
    cnArray_Free(&surface->triangles);
}

static int add_point(Surface* surface, cnVec3 point) {
    assert_true(cnArray_Push(&surface->points, point));
    return surface->points.count - 1;
}

static void add_triangle(Surface* surface, int a, int b, int c) {
    assert_true(cnArray_Push(&surface->triangles, a) && cnArray_Push(&surface->triangles, b) &&
                cnArray_Push(&surface->triangles, c));
}

static void add_quad(Surface* surface, int a, int b, int c, int d) {
    add_triangle(surface, a, b, c);
    add_triangle(surface, a, c, d);
}

static cnShapeDef define_mesh(const Surface* surface) {
    return (cnShapeDef){.type = cn_trimesh,
                        .points = surface->points.data,
                        .pointCount = surface->points.count,
                        .triangles = surface->triangles.data,
                        .triangleCount = surface->triangles.count / 3};
}

static void add_box(Surface* surface, cnVec3 middle, cnVec3 half) {
    int first = surface->points.count;
    for (int i = 0; i < 8; ++i) {
        cnVec3 corner = {(i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y,
                         (i & 4) != 0 ? half.z : -half.z};
        add_point(surface, cnAdd(middle, corner));
    }
    static const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int i = 0; i < 6; ++i) {
        add_quad(surface, first + quads[i][0], first + quads[i][1], first + quads[i][2], first + quads[i][3]);
    }
}

// A torus about z whose tube has bumps, so that it is neither convex nor symmetric: rings × sides quads.
static void add_torus(Surface* surface, int rings, int sides, double large, double small, double bump) {
    int first = surface->points.count;
    for (int i = 0; i < rings; ++i) {
        for (int j = 0; j < sides; ++j) {
            double u = 2.0 * CN_PI * i / rings, v = 2.0 * CN_PI * j / sides;
            double r = small * (1.0 + bump * cnSin(5.0 * u) * cnCos(3.0 * v));
            double out = large + r * cnCos(v);
            add_point(surface, cnVec(out * cnCos(u), out * cnSin(u), r * cnSin(v)));
        }
    }
    for (int i = 0; i < rings; ++i) {
        for (int j = 0; j < sides; ++j) {
            int next = (i + 1) % rings, up = (j + 1) % sides;
            add_quad(surface, first + i * sides + j, first + next * sides + j, first + next * sides + up,
                     first + i * sides + up);
        }
    }
}

static double hill(double x, double y) {
    return 0.3 * cnSin(1.7 * x) * cnCos(1.3 * y) + 0.1 * cnSin(5.0 * x + 3.0 * y);
}

// Heights over [−size, size]² in n × n cells.
static void add_terrain(Surface* surface, int n, double size) {
    int first = surface->points.count;
    for (int j = 0; j <= n; ++j) {
        for (int i = 0; i <= n; ++i) {
            double x = size * (2.0 * i / n - 1.0), y = size * (2.0 * j / n - 1.0);
            add_point(surface, cnVec(x, y, hill(x, y)));
        }
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            int at = first + j * (n + 1) + i;
            add_quad(surface, at, at + 1, at + n + 2, at + n + 1);
        }
    }
}

// Every corner a vertex of its own, as STL files have them.
static Surface unweld(const Surface* from) {
    Surface soup = {0};
    for (int i = 0; i < from->triangles.count; i += 3) {
        int first = soup.points.count;
        for (int j = 0; j < 3; ++j) {
            add_point(&soup, from->points.data[from->triangles.data[i + j]]);
        }
        add_triangle(&soup, first, first + 1, first + 2);
    }
    return soup;
}

// ---- brute force ----------------------------------------------------------------------------------------------------

// Next point of a triangle, by the projection on its plane and on its edges, each by itself.
static double distance_to_triangle(cnVec3 a, cnVec3 b, cnVec3 c, cnVec3 p) {
    const cnVec3 corners[3] = {a, b, c};
    cnVec3 normal = cnNormalize(cnCross(cnSub(b, a), cnSub(c, a)));
    double best = INFINITY;
    bool over = true;
    for (int i = 0; i < 3; ++i) {
        cnVec3 from = corners[i], along = cnSub(corners[(i + 1) % 3], from);
        double t = cnClamp(cnDot(cnSub(p, from), along) / cnLengthSquared(along), 0.0, 1.0);
        best = cnMin(best, cnLength(cnSub(p, cnMulAdd(from, t, along))));
        over = over && cnDot(cnCross(normal, along), cnSub(p, from)) >= 0.0;
    }
    return over ? fabs(cnDot(normal, cnSub(p, a))) : best;
}

static double brute_distance(const Surface* s, cnVec3 p) {
    double best = INFINITY;
    for (int i = 0; i < s->triangles.count; i += 3) {
        const int32_t* t = s->triangles.data + i;
        best = cnMin(
            best, distance_to_triangle(s->points.data[t[0]], s->points.data[t[1]], s->points.data[t[2]], p));
    }
    return best;
}

// Solid angle of the surface seen from a point over 4π: 1 inside, 0 outside (van Oosterom & Strackee 1983).
static double winding_number(const Surface* s, cnVec3 p) {
    double sum = 0.0;
    for (int i = 0; i < s->triangles.count; i += 3) {
        const int32_t* t = s->triangles.data + i;
        cnVec3 a = cnSub(s->points.data[t[0]], p), b = cnSub(s->points.data[t[1]], p),
               c = cnSub(s->points.data[t[2]], p);
        double la = cnLength(a), lb = cnLength(b), lc = cnLength(c);
        sum += 2.0 * cnAtan2(cnDot(a, cnCross(b, c)),
                             la * lb * lc + cnDot(a, b) * lc + cnDot(b, c) * la + cnDot(c, a) * lb);
    }
    return sum / (4.0 * CN_PI);
}

// Least fraction by Cramer's rule (Möller & Trumbore 1997); −1 without a hit. `border`: passes within 1e-9 of an edge.
static double brute_ray(const Surface* s, cnVec3 origin, cnVec3 move, double most, bool* border) {
    double best = INFINITY;
    *border = false;
    for (int i = 0; i < s->triangles.count; i += 3) {
        const int32_t* t = s->triangles.data + i;
        cnVec3 a = s->points.data[t[0]];
        cnVec3 ab = cnSub(s->points.data[t[1]], a), ac = cnSub(s->points.data[t[2]], a);
        cnVec3 from = cnSub(origin, a);
        double det = -cnDot(move, cnCross(ab, ac));
        double u = cnDot(move, cnCross(ac, from)) / det, v = cnDot(move, cnCross(from, ab)) / det;
        double fraction = cnDot(from, cnCross(ab, ac)) / det;
        double least = cnMin(u, cnMin(v, 1.0 - u - v));
        *border = *border || fabs(least) < 1e-9;
        if (least >= 0.0 && fraction >= 0.0 && fraction <= most) {
            best = cnMin(best, fraction);
        }
    }
    return best == INFINITY ? -1.0 : best;
}

// ---- structure ------------------------------------------------------------------------------------------------------

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

    // vertex 3 is the inner corner below: out of it one may leave sideways and down, not along the floor of the step
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
    Surface torus = {0};
    add_torus(&torus, 60, 30, 1.0, 0.4, 0.2);
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

// ---- mass and bounds ------------------------------------------------------------------------------------------------

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
    Surface surface = {0};
    add_torus(&surface, 80, 40, 1.0, 0.3, 0.3);
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

// ---- queries --------------------------------------------------------------------------------------------------------

static void rays_meet_what_brute_force_meets(void** state) {
    (void)state;
    Surface surface = {0};
    add_torus(&surface, 60, 30, 1.0, 0.4, 0.3);
    cnShapeDef def = define_mesh(&surface);
    cnShape shape = make_shape(def);
    int hits = 0, insides = 0;
    for (int k = 0; k < CASES(2000); ++k) {
        cnVec3 origin = random_vec(k % 3 == 0 ? 1.2 : 4.0);
        cnVec3 move =
            k % 5 == 0 ? random_vec(0.5) : cnScale(random_in(1.0, 2.5), cnSub(random_vec(1.0), origin));
        if (k % 7 == 0) {
            // far away, nearly a line
            move = cnScale(2e6, cnSub(random_vec(1.0), origin));
            origin = cnMulAdd(origin, -0.5, move);
        }
        if (k % 11 == 0) {
            move.y = move.z = 0.0;
        }
        bool border;
        double expected = brute_ray(&surface, origin, move, 1.0, &border);
        bool inside = winding_number(&surface, origin) > 0.5;
        cnRayHit hit = cnShape_CastRay(&shape, (cnPose){cnVec3_zero, cnQuat_identity}, origin, move);
        if (inside) {
            assert_true(hit.hit && hit.fraction == 0.0);
            assert_true(fabs(cnDot(hit.normal, cnNormalize(move)) + 1.0) < 1e-12);
            insides += 1;
        } else if (!border) {
            assert_int_equal(hit.hit, expected >= 0.0);

            assert_true(!hit.hit || fabs(hit.fraction - expected) < 1e-9);
            assert_true(!hit.hit || cnDot(hit.normal, move) <= 0.0);
            hits += hit.hit ? 1 : 0;
        }
    }
    assert_true(hits > CASES(2000) / 4 && insides > CASES(2000) / 50);
    cnShape_Free(&shape);
    free_surface(&surface);
}

// A number of a coarse grid in [−2, 2], so that points, edges and rays meet exactly, or any number there.
static double coordinate(bool isOnGrid) {
    return isOnGrid ? (double)random_int(9) / 2.0 - 2.0 : random_in(-2.0, 2.0);
}

static cnVec3 random_place(bool isOnGrid) {
    cnVec3 v = {coordinate(isOnGrid), coordinate(isOnGrid), coordinate(isOnGrid)};
    return v;
}

// Triangles in any position, through each other and twice over; flat ones lie in one plane.
static void add_soup(Surface* surface, int count, bool isOnGrid, bool isFlat) {
    for (int i = 0; i < count; ++i) {
        int first = surface->points.count;
        bool isTwin = i > 0 && random_int(5) == 0;
        for (int j = 0; j < 3; ++j) {
            cnVec3 p = isTwin ? surface->points.data[first - 3] : random_place(isOnGrid);
            p.z = isFlat ? 0.5 : p.z;
            add_point(surface, p);
        }
        add_triangle(surface, first, first + 1, first + 2);
    }
}

// From, through or on corners, edges and faces; along axes; of any length, from far away too.
static void aim_at_soup(const Surface* surface, int number, cnVec3* origin, cnVec3* move) {
    int t = random_int(surface->triangles.count / 3);
    const cnVec3* corners = surface->points.data + 3 * (size_t)t;
    double u = (double)random_int(3) / 2.0, v = (double)random_int(3) / 2.0;
    cnVec3 target = cnMulAdd(corners[0], u, cnSub(corners[1], corners[0]));
    target = cnMulAdd(target, v, cnSub(corners[2], target));
    bool isOnGrid = random_int(2) == 0;
    *origin = number % 3 == 0 ? target : random_place(isOnGrid);
    *move = number % 3 == 0 ? random_place(isOnGrid) : cnScale(random_int(2) + 1.0, cnSub(target, *origin));
    if (number % 4 == 0) {
        int axis = random_int(3);
        double length = (double)(random_int(9) - 4);
        *move = cnVec(axis == 0 ? length : 0.0, axis == 1 ? length : 0.0, axis == 2 ? length : 0.0);
        *origin = number % 8 == 0 ? cnSub(target, *move) : *origin;
    }
    if (number % 7 == 0) {
        *origin = cnMulAdd(*origin, -1e5, *move);
        *move = cnScale(2e5, *move);
    }
}

// What a mesh answers is the first of what its triangles answer one by one, bit for bit: its tree hides nothing, adds nothing
// and settles no tie.
static void rays_meet_the_first_of_the_triangles(void** state) {
    (void)state;
    int hits = 0, ties = 0;
    for (int k = 0; k < 12; ++k) {
        enum {
            most = 90
        };
        Surface surface = {0};
        int count = k < 2 ? 2 + k : 30 + random_int(most - 29);
        add_soup(&surface, count, k % 2 == 0, k % 3 == 0);
        cnShapeDef def = define_mesh(&surface);
        cnShape whole = make_shape(def), parts[most];
        for (int t = 0; t < count; ++t) {
            cnShapeDef part = def;
            part.triangles += 3 * (size_t)t;
            part.triangleCount = 1;
            // those without an area have no mesh, and nothing meets them
            bool isMade = cnShape_Init(&parts[t], &part, "test") == CN_ERROR_NONE;
            assert_int_equal(isMade, cnTrimesh_HasArea(whole.mesh, t));
        }
        for (int i = 0; i < CASES(3000); ++i) {
            cnVec3 origin, move;
            aim_at_soup(&surface, i, &origin, &move);
            double end = i % 5 == 0 ? INFINITY : 1.0;
            cnMeshHit first = {.triangle = -1};
            for (int t = 0; t < count; ++t) {
                cnMeshHit hit = {.triangle = -1};
                if (parts[t].mesh != NULL) {
                    hit = cnTrimesh_CastRay(parts[t].mesh, origin, move, 0.0, end);
                }
                bool isHit = hit.triangle >= 0;
                ties += isHit && first.triangle >= 0 && hit.fraction == first.fraction ? 1 : 0;
                if (isHit && (first.triangle < 0 || hit.fraction < first.fraction)) {
                    first = hit;
                    first.triangle = t;
                }
            }
            cnMeshHit hit = cnTrimesh_CastRay(whole.mesh, origin, move, 0.0, end);
            assert_int_equal(hit.triangle, first.triangle);
            if (hit.triangle >= 0) {
                assert_true(hit.fraction == first.fraction && hit.fromInside == first.fromInside);
                assert_true(hit.onEdge == first.onEdge);
                assert_memory_equal(hit.vertices, whole.mesh->triangles + 3 * (size_t)hit.triangle,
                                    3 * sizeof(int32_t));
                hits += 1;
            }
        }
        for (int t = 0; t < count; ++t) {
            cnShape_Free(&parts[t]);
        }
        cnShape_Free(&whole);
        free_surface(&surface);
    }
    assert_true(hits > CASES(3000) && ties > CASES(3000));
}

static void rays_through_edges_and_vertices_do_not_leak(void** state) {
    (void)state;
    for (int k = 0; k < 2; ++k) {
        Surface surface = {0};
        if (k == 0) {
            add_torus(&surface, 60, 30, 1.0, 0.4, 0.3);
        } else {
            add_terrain(&surface, 40, 2.0);
        }
        cnShapeDef def = define_mesh(&surface);
        cnShape shape = make_shape(def);
        for (int i = 0; i < CASES(20000); ++i) {
            int h = random_int(3 * shape.mesh->triangleCount);
            if (shape.mesh->twins[h] < 0) {
                continue;
            }
            cnVec3 a = cnTrimesh_GetCorner(shape.mesh, h);
            cnVec3 b = shape.mesh->vertices[cnTrimesh_GetEnd(shape.mesh, h)];
            bool isBorderVertex = fabs(a.x) == 2.0 || fabs(a.y) == 2.0;
            double t = random_int(2) == 0 && !(k == 1 && isBorderVertex) ? 0.0 : 0.5;
            cnVec3 target = cnMulAdd(a, t, cnSub(b, a));
            cnVec3 origin = k == 0 ? random_vec(4.0) : cnVec(target.x, target.y, 5.0);
            cnVec3 move = cnScale(2.0, cnSub(target, origin));
            cnRayHit hit = cnShape_CastRay(&shape, (cnPose){cnVec3_zero, cnQuat_identity}, origin, move);
            // an edge of the torus may be grazed; whoever aims at what faces him must meet it
            bool isGrazing = false;
            int vertex = shape.mesh->triangles[h];
            for (int f = shape.mesh->fanStarts[vertex]; k == 0 && f < shape.mesh->fanStarts[vertex + 1];
                 ++f) {
                cnVec3 normal = cnTrimesh_GetNormal(shape.mesh, shape.mesh->fans[f] / 3);
                isGrazing = isGrazing || cnDot(normal, move) > -0.3 * cnLength(move);
            }
            assert_true(isGrazing || (hit.hit && hit.fraction < 0.5 + 1e-9));
        }
        cnShape_Free(&shape);
        free_surface(&surface);
    }
}

static void closest_points_are_the_closest_on_the_right_side(void** state) {
    (void)state;
    Surface surface = {0};
    add_torus(&surface, 40, 20, 1.0, 0.4, 0.3);
    add_box(&surface, cnVec(0.0, 0.0, 2.0), cnVec(0.5, 0.01, 0.5)); // thin, with sharp edges
    cnShapeDef def = define_mesh(&surface);
    cnShape shape = make_shape(def);
    int insides = 0;
    for (int k = 0; k < CASES(3000); ++k) {
        cnVec3 p = k % 4 == 0 ? cnAdd(cnVec(0.0, 0.0, 2.0), cnMul(random_vec(1.0), cnVec(0.7, 0.02, 0.7)))
                              : random_vec(1.5);
        double expected = brute_distance(&surface, p);
        bool inside = winding_number(&surface, p) > 0.5;
        cnSurfacePoint found;
        assert_true(cnShape_FindClosest(&shape, p, INFINITY, &found));
        assert_true(fabs(fabs(found.distance) - expected) < 1e-12);
        assert_int_equal(found.distance < 0.0, inside);
        assert_true(fabs(cnLength(found.normal) - 1.0) < 1e-9);
        assert_true(cnLength(cnSub(p, cnMulAdd(found.point, found.distance, found.normal))) < 1e-9);
        assert_int_equal(cnShape_FindClosest(&shape, p, 0.9 * expected, &found), false);
        assert_int_equal(cnShape_FindClosest(&shape, p, 1.1 * expected, &found), true);
        insides += inside ? 1 : 0;
    }
    assert_true(insides > CASES(3000) / 10);
    cnShape_Free(&shape);
    free_surface(&surface);
}

static void below_a_terrain_is_inside_down_to_its_bottom(void** state) {
    (void)state;
    Surface surface = {0};
    add_terrain(&surface, 40, 2.0);
    cnShapeDef def = define_mesh(&surface);
    def.terrain = true;
    def.bottomMargin = 1.0;
    cnShape shape = make_shape(def);
    double lowest = shape.bounds.lower.z + 1.0;
    assert_true(lowest > -0.41 && lowest < -0.3);
    for (int k = 0; k < CASES(2000); ++k) {
        cnVec3 p = cnMul(random_vec(1.0), cnVec(1.9, 1.9, 2.0));
        bool border;
        double above = brute_ray(&surface, p, cnVec(0.0, 0.0, 10.0), 1.0, &border);
        cnSurfacePoint found;
        bool isFound = cnShape_FindClosest(&shape, p, INFINITY, &found);
        assert_int_equal(isFound, above < 0.0 || p.z >= lowest - 1.0);
        if (isFound) {
            assert_int_equal(found.distance < 0.0, above >= 0.0);
        }
        cnRayHit hit =
            cnShape_CastRay(&shape, (cnPose){cnVec3_zero, cnQuat_identity}, p, cnVec(0.0, 0.0, -9.0));
        assert_int_equal(hit.hit, isFound);
        assert_int_equal(hit.hit && hit.fraction == 0.0, isFound && above >= 0.0);
    }
    cnShape_Free(&shape);
    free_surface(&surface);
}

typedef struct Visited {
    uint8_t* seen;
    int count;
    int most;
    int last;
} Visited;

static bool record_visit(const cnTriangle* triangle, void* context) {
    Visited* visited = context;
    assert_int_equal(visited->seen[triangle->index], 0);
    visited->seen[triangle->index] = 1;
    visited->count += 1;
    cnVec3 normal = cnNormalize(cnCross(cnSub(triangle->corners[1], triangle->corners[0]),
                                        cnSub(triangle->corners[2], triangle->corners[0])));
    assert_true(cnLength(cnSub(normal, triangle->normal)) < 1e-9);
    return visited->count < visited->most;
}

static void a_visit_finds_every_triangle_in_the_box_once(void** state) {
    (void)state;
    Surface surface = {0};
    add_torus(&surface, 60, 30, 1.0, 0.4, 0.3);
    cnShapeDef def = define_mesh(&surface);
    cnShape shape = make_shape(def);
    size_t count = (size_t)surface.triangles.count / 3;
    uint8_t* seen = calloc(count, 1);
    for (int k = 0; k < CASES(300); ++k) {
        cnVec3 at = random_vec(1.3), half = cnAbs(random_vec(k % 2 == 0 ? 0.05 : 1.0));
        cnBounds box = {cnSub(at, half), cnAdd(at, half)};
        memset(seen, 0, count);
        Visited visited = {.seen = seen, .most = 1 << 30};
        cnShape_VisitTriangles(&shape, box, record_visit, &visited);
        for (size_t t = 0; t < count; ++t) {
            const int32_t* c = surface.triangles.data + 3 * t;
            cnVec3 lower = surface.points.data[c[0]], upper = lower;
            for (int i = 1; i < 3; ++i) {
                lower = cnMinVec(lower, surface.points.data[c[i]]);
                upper = cnMaxVec(upper, surface.points.data[c[i]]);
            }
            bool overlaps = lower.x <= box.upper.x && upper.x >= box.lower.x && lower.y <= box.upper.y &&
                            upper.y >= box.lower.y && lower.z <= box.upper.z && upper.z >= box.lower.z;
            assert_int_equal(seen[t], overlaps);
        }
        if (visited.count > 1) {
            memset(seen, 0, count);
            Visited one = {.seen = seen, .most = 1};
            cnShape_VisitTriangles(&shape, box, record_visit, &one);
            assert_int_equal(one.count, 1);
        }
    }
    free(seen);
    cnShape_Free(&shape);
    free_surface(&surface);
}

// ---- the report -----------------------------------------------------------------------------------------------------

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
    Surface surface = {0};
    add_torus(&surface, 40, 20, 1.0, 0.4, 0.0);
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
    Surface torus = {0};
    add_torus(&torus, 40, 20, 1.0, 0.4, 0.0);

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
    Surface terrain = {0};
    add_terrain(&terrain, 20, 2.0);
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

// ---- what is refused ------------------------------------------------------------------------------------------------

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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twins_pair_and_fans_go_round),
        cmocka_unit_test(edges_of_a_step_are_what_they_are),
        cmocka_unit_test(solids_that_share_an_edge_stay_solids),
        cmocka_unit_test(soups_are_welded_and_oriented),
        cmocka_unit_test(a_mesh_inside_out_is_rejected_unless_it_says_so),
        cmocka_unit_test(a_box_of_triangles_weighs_what_a_box_does),
        cmocka_unit_test(bounds_hold_every_vertex_and_little_more),
        cmocka_unit_test(rays_meet_what_brute_force_meets),
        cmocka_unit_test(rays_meet_the_first_of_the_triangles),
        cmocka_unit_test(rays_through_edges_and_vertices_do_not_leak),
        cmocka_unit_test(closest_points_are_the_closest_on_the_right_side),
        cmocka_unit_test(below_a_terrain_is_inside_down_to_its_bottom),
        cmocka_unit_test(a_visit_finds_every_triangle_in_the_box_once),
        cmocka_unit_test(a_sound_mesh_has_nothing_wrong),
        cmocka_unit_test(what_is_wrong_is_counted),
        cmocka_unit_test(terrains_are_rectangles_without_holes),
        cmocka_unit_test(a_hub_of_many_triangles_costs_no_more),
        cmocka_unit_test(what_is_no_mesh_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
