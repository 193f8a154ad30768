// Rays, closest points and visits of triangle meshes, against brute force over all triangles.
#include "geometry/meshes/trimesh.h"
#include "surfaces.h"

// ---- brute force ------------------------------------------------------------------------------------------

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

// Least fraction by Cramer's rule (Möller & Trumbore 1997); −1 without a hit. `border`: passes within
// 1e-9 of an edge.
static double brute_ray(const Surface* s, cnVec3 origin, cnVec3 move, double max, bool* border) {
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
        double min = cnMin(u, cnMin(v, 1.0 - u - v));
        *border = *border || fabs(min) < 1e-9;
        if (min >= 0.0 && fraction >= 0.0 && fraction <= max) {
            best = cnMin(best, fraction);
        }
    }
    return best == INFINITY ? -1.0 : best;
}

// ---- queries ----------------------------------------------------------------------------------------------

static void rays_meet_what_brute_force_meets(void** state) {
    (void)state;
    Surface surface = torus_of(60, 30, 1.0, 0.4, 0.3);
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

// What a mesh answers is the first of what its triangles answer one by one, bit for bit: its tree hides
// nothing, adds nothing and settles no tie.
static void rays_meet_the_first_of_the_triangles(void** state) {
    (void)state;
    int hits = 0, ties = 0;
    for (int k = 0; k < 12; ++k) {
        enum {
            max = 90
        };
        Surface surface = {0};
        int count = k < 2 ? 2 + k : 30 + random_int(max - 29);
        add_soup(&surface, count, k % 2 == 0, k % 3 == 0);
        cnShapeDef def = define_mesh(&surface);
        cnShape whole = make_shape(def), parts[max];
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
                cnVec3 normal = shape.mesh->normals[shape.mesh->fans[f] / 3];
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
    Surface surface = torus_of(40, 20, 1.0, 0.4, 0.3);
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
    Surface surface = terrain_of(40, 2.0);
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
    int max;
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
    return visited->count < visited->max;
}

static void a_visit_finds_every_triangle_in_the_box_once(void** state) {
    (void)state;
    Surface surface = torus_of(60, 30, 1.0, 0.4, 0.3);
    cnShapeDef def = define_mesh(&surface);
    cnShape shape = make_shape(def);
    size_t count = (size_t)surface.triangles.count / 3;
    uint8_t* seen = calloc(count, 1);
    for (int k = 0; k < CASES(300); ++k) {
        cnVec3 at = random_vec(1.3), half = cnAbs(random_vec(k % 2 == 0 ? 0.05 : 1.0));
        cnBounds box = {cnSub(at, half), cnAdd(at, half)};
        memset(seen, 0, count);
        Visited visited = {.seen = seen, .max = 1 << 30};
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
            Visited one = {.seen = seen, .max = 1};
            cnShape_VisitTriangles(&shape, box, record_visit, &one);
            assert_int_equal(one.count, 1);
        }
    }
    free(seen);
    cnShape_Free(&shape);
    free_surface(&surface);
}

int main(void) {
    return run_all(
        rays_meet_what_brute_force_meets, rays_meet_the_first_of_the_triangles,
        rays_through_edges_and_vertices_do_not_leak, closest_points_are_the_closest_on_the_right_side,
        below_a_terrain_is_inside_down_to_its_bottom, a_visit_finds_every_triangle_in_the_box_once);
}
