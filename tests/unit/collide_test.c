// The narrow phase against an independent reference: distances by brute force over all features, overlaps by
// the separating axis test over all axes, both in f64.
#include "collide/narrow/collide_shapes.h"

#include "cairn/geometry.h"
#include "shapes.h"

#ifndef SEED
#define SEED 1
#endif

// ---- the reference ----------------------------------------------------------------------------------------

#define MAX_VERTICES 32
#define MAX_EDGES 96
#define MAX_FACES 64
#define MAX_CORNERS 24

// A polytope, segment or point in the world, grown by a radius. Faces are found from the vertices alone.
typedef struct Core {
    double radius;
    int vertexCount, edgeCount, faceCount;
    cnVec3 vertices[MAX_VERTICES];
    int edges[MAX_EDGES][2];
    cnVec3 normals[MAX_FACES];
    double offsets[MAX_FACES];
    int cornerCounts[MAX_FACES];
    int corners[MAX_FACES][MAX_CORNERS];
} Core;

// All planes through three vertices that have every vertex behind them; edges are where two of them meet.
static void find_faces(Core* core) {
    for (int i = 0; i < core->vertexCount; ++i) {
        for (int j = i + 1; j < core->vertexCount; ++j) {
            for (int k = j + 1; k < core->vertexCount; ++k) {
                cnVec3 normal = cnCross(cnSub(core->vertices[j], core->vertices[i]),
                                        cnSub(core->vertices[k], core->vertices[i]));
                if (cnLength(normal) < 1e-12) {
                    continue;
                }
                normal = cnNormalize(normal);
                for (int sign = 0; sign < 2; ++sign, normal = cnNeg(normal)) {
                    double offset = cnDot(normal, core->vertices[i]);
                    bool outer = true;
                    for (int m = 0; m < core->vertexCount; ++m) {
                        outer = outer && cnDot(normal, core->vertices[m]) - offset < 1e-10;
                    }
                    for (int m = 0; m < core->faceCount; ++m) {
                        outer = outer && cnDot(normal, core->normals[m]) < 1.0 - 1e-13;
                    }
                    if (outer) {
                        int face = core->faceCount++;
                        assert_true(core->faceCount <= MAX_FACES);
                        core->normals[face] = normal;
                        core->offsets[face] = offset;
                        for (int m = 0; m < core->vertexCount; ++m) {
                            if (cnDot(normal, core->vertices[m]) - offset > -1e-10) {
                                core->corners[face][core->cornerCounts[face]++] = m;
                            }
                        }
                    }
                }
            }
        }
    }
    for (int i = 0; i < core->vertexCount; ++i) {
        for (int j = i + 1; j < core->vertexCount; ++j) {
            int shared = 0;
            for (int face = 0; face < core->faceCount; ++face) {
                bool hasI = false, hasJ = false;
                for (int k = 0; k < core->cornerCounts[face]; ++k) {
                    hasI = hasI || core->corners[face][k] == i;
                    hasJ = hasJ || core->corners[face][k] == j;
                }
                shared += hasI && hasJ ? 1 : 0;
            }
            if (shared >= 2) {
                assert_true(core->edgeCount < MAX_EDGES);
                core->edges[core->edgeCount][0] = i;
                core->edges[core->edgeCount++][1] = j;
            }
        }
    }
    assert_int_equal(core->vertexCount - core->edgeCount + core->faceCount, 2);
}

static Core make_core(const cnShape* shape) {
    Core core = {0};
    switch (shape->type) {
    case cn_sphere:
        core.radius = shape->radius;
        core.vertexCount = 1;
        break;
    case cn_capsule:
        core.radius = shape->radius;
        core.vertexCount = 2;
        core.vertices[0] = cnVec(0.0, -shape->halfHeight, 0.0);
        core.vertices[1] = cnVec(0.0, shape->halfHeight, 0.0);
        core.edgeCount = 1;
        core.edges[0][1] = 1;
        break;
    case cn_box:
        core.vertexCount = 8;
        for (int i = 0; i < 8; ++i) {
            core.vertices[i] =
                cnMul(shape->halfExtents, cnVec(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0));
        }
        find_faces(&core);
        break;
    default:
        core.vertexCount = shape->hull->vertexCount;
        assert_true(core.vertexCount <= MAX_VERTICES);
        memcpy(core.vertices, shape->hull->vertices, (size_t)core.vertexCount * sizeof(cnVec3));
        find_faces(&core);
        break;
    }
    return core;
}

static void place_core(const Core* local, cnPose pose, Core* core) {
    *core = *local;
    for (int i = 0; i < core->vertexCount; ++i) {
        core->vertices[i] = cnTransformPoint(pose, local->vertices[i]);
    }
    for (int i = 0; i < core->faceCount; ++i) {
        core->normals[i] = cnRotate(pose.rotation, local->normals[i]);
        core->offsets[i] = local->offsets[i] + cnDot(core->normals[i], pose.position);
    }
}

static double segment_distance(cnVec3 p, cnVec3 p2, cnVec3 q, cnVec3 q2) {
    // the least over the interior pair and the four ends
    cnVec3 d = cnSub(p2, p), e = cnSub(q2, q), r = cnSub(p, q);
    double best = INFINITY;
    const cnVec3 ends[4] = {p, p2, q, q2};
    for (int i = 0; i < 4; ++i) {
        cnVec3 start = i < 2 ? q : p, along = i < 2 ? e : d;
        double t =
            cnClamp(cnDot(cnSub(ends[i], start), along) / cnMax(cnDot(along, along), 1e-300), 0.0, 1.0);
        best = cnMin(best, cnLength(cnSub(ends[i], cnMulAdd(start, t, along))));
    }
    double a = cnDot(d, d), b = cnDot(d, e), c = cnDot(e, e), f = cnDot(d, r), g = cnDot(e, r);
    double det = a * c - b * b;
    if (det > 1e-14 * a * c) {
        double s = (b * g - c * f) / det, t = (a * g - b * f) / det;
        if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) {
            best = cnMin(best, cnLength(cnSub(cnMulAdd(p, s, d), cnMulAdd(q, t, e))));
        }
    }
    return best;
}

// Distance of a point from a face if its foot lies inside the face, else infinity.
static double face_distance(const Core* core, int face, cnVec3 point) {
    cnVec3 normal = core->normals[face];
    cnVec3 middle = cnVec3_zero;
    for (int i = 0; i < core->cornerCounts[face]; ++i) {
        middle = cnMulAdd(middle, 1.0 / core->cornerCounts[face], core->vertices[core->corners[face][i]]);
    }
    for (int edge = 0; edge < core->edgeCount; ++edge) {
        cnVec3 start = core->vertices[core->edges[edge][0]];
        cnVec3 end = core->vertices[core->edges[edge][1]];
        if (fabs(cnDot(normal, start) - core->offsets[face]) < 1e-9 &&
            fabs(cnDot(normal, end) - core->offsets[face]) < 1e-9) {
            cnVec3 out = cnCross(cnSub(end, start), normal);
            double side = cnDot(out, cnSub(point, start)), inner = cnDot(out, cnSub(middle, start));
            if (side * inner < 0.0) {
                return INFINITY;
            }
        }
    }
    return fabs(cnDot(normal, point) - core->offsets[face]);
}

// Most separating axis over all candidates; negative where the cores overlap.
static double separate_by_axes(const Core* a, const Core* b) {
    double best = -INFINITY;
    int axisCount = a->faceCount + b->faceCount + a->edgeCount * b->edgeCount;
    for (int i = 0; i < axisCount; ++i) {
        cnVec3 axis;
        if (i < a->faceCount) {
            axis = a->normals[i];
        } else if (i < a->faceCount + b->faceCount) {
            axis = b->normals[i - a->faceCount];
        } else {
            int pair = i - a->faceCount - b->faceCount;
            const int* edgeA = a->edges[pair / b->edgeCount];
            const int* edgeB = b->edges[pair % b->edgeCount];
            cnVec3 alongA = cnNormalize(cnSub(a->vertices[edgeA[1]], a->vertices[edgeA[0]]));
            cnVec3 alongB = cnNormalize(cnSub(b->vertices[edgeB[1]], b->vertices[edgeB[0]]));
            axis = cnCross(alongA, alongB);
            if (cnLength(axis) < 1e-6) {
                continue;
            }
            axis = cnNormalize(axis);
        }
        double lowA = INFINITY, highA = -INFINITY, lowB = INFINITY, highB = -INFINITY;
        for (int j = 0; j < a->vertexCount; ++j) {
            double along = cnDot(axis, a->vertices[j]);
            lowA = cnMin(lowA, along);
            highA = cnMax(highA, along);
        }
        for (int j = 0; j < b->vertexCount; ++j) {
            double along = cnDot(axis, b->vertices[j]);
            lowB = cnMin(lowB, along);
            highB = cnMax(highB, along);
        }
        best = cnMax(best, cnMax(lowB - highA, lowA - highB));
    }
    return best;
}

// Signed distance of two shapes: below 0 the least way that parts them.
static double separate(const Core* a, const Core* b) {
    double radii = a->radius + b->radius;
    double separation = separate_by_axes(a, b);
    if (separation <= 0.0 && separation > -INFINITY) {
        return separation - radii;
    }
    double best = INFINITY;
    for (int i = 0; i < a->vertexCount; ++i) {
        for (int j = 0; j < b->vertexCount; ++j) {
            best = cnMin(best, cnLength(cnSub(a->vertices[i], b->vertices[j])));
        }
    }
    const Core* cores[2] = {a, b};
    for (int side = 0; side < 2; ++side) {
        const Core* points = cores[side];
        const Core* other = cores[1 - side];
        bool inside = other->faceCount > 0;
        double deepest = -INFINITY;
        for (int i = 0; i < points->vertexCount; ++i) {
            for (int face = 0; face < other->faceCount; ++face) {
                best = cnMin(best, face_distance(other, face, points->vertices[i]));
                double height = cnDot(other->normals[face], points->vertices[i]) - other->offsets[face];
                inside = inside && height <= 0.0;
                deepest = cnMax(deepest, height);
            }
            for (int edge = 0; edge < other->edgeCount; ++edge) {
                cnVec3 start = other->vertices[other->edges[edge][0]],
                       end = other->vertices[other->edges[edge][1]];
                best = cnMin(best, segment_distance(points->vertices[i], points->vertices[i], start, end));
            }
        }
        if (points->vertexCount == 1 && inside) {
            return deepest - radii;
        }
    }
    for (int i = 0; i < a->edgeCount; ++i) {
        for (int j = 0; j < b->edgeCount; ++j) {
            best = cnMin(best, segment_distance(a->vertices[a->edges[i][0]], a->vertices[a->edges[i][1]],
                                                b->vertices[b->edges[j][0]], b->vertices[b->edges[j][1]]));
        }
    }
    return best - radii;
}

static Core point_core(cnVec3 point) {
    Core core = {0};
    core.vertexCount = 1;
    core.vertices[0] = point;
    return core;
}

// ---- shapes -----------------------------------------------------------------------------------------------

static cnShape make_box(double x, double y, double z) {
    return make_shape(box_of(x, y, z));
}

// A cloud, a prism or a cut grid.
static cnShape make_random_hull(double size) {
    cnVec3 points[24];
    int count = 0;
    int kind = random_int(3);
    if (kind == 0) {
        count = 6 + random_int(10);
        for (int i = 0; i < count; ++i) {
            points[i] = cnScale(size, random_direction());
        }
    } else if (kind == 1) {
        int sides = 3 + random_int(6);
        double height = size * random_in(0.3, 1.0);
        for (int i = 0; i < sides; ++i) {
            double angle = 2.0 * CN_PI * i / sides;
            points[count++] = cnVec(size * cos(angle), -height, size * sin(angle));
            points[count++] = cnVec(size * cos(angle), height, size * sin(angle));
        }
    } else {
        count = 12;
        for (int i = 0; i < 8; ++i) {
            points[i] = cnVec(i & 1 ? size : -size, i & 2 ? size : -size, i & 4 ? 0.5 * size : -0.5 * size);
        }
        for (int i = 8; i < 12; ++i) {
            points[i] = (cnVec3){random_int(3) * size - size, random_int(3) * size - size,
                                 random_in(0.5, 1.0) * size};
        }
    }
    return make_shape((cnShapeDef){.type = cn_convex, .points = points, .pointCount = count});
}

static cnShape make_random_shape(cnShapeType type) {
    double size = random_in(0.3, 1.5);
    switch (type) {
    case cn_sphere:
        return make_shape(sphere_of(size));
    case cn_box: {
        const double y = size * random_in(0.2, 1.0), z = size * random_in(0.5, 2.0);
        return make_shape(box_of(size, y, z));
    }
    case cn_capsule:
        return make_shape((cnShapeDef){.type = cn_capsule,
                                       .radius = 0.5 * size,
                                       .height = random_int(8) == 0 ? 0.0 : size * random_in(0.2, 3.0)});
    case cn_plane:
        return make_shape(
            (cnShapeDef){.type = cn_plane, .normal = random_direction(), .offset = random_in(-1.0, 1.0)});
    default:
        return make_random_hull(size);
    }
}

// ---- the laws ---------------------------------------------------------------------------------------------

static double deepest_of(const cnManifold* manifold) {
    double deepest = -INFINITY;
    for (int i = 0; i < manifold->pointCount; ++i) {
        deepest = cnMax(deepest, manifold->depths[i]);
    }
    return deepest;
}

static int currentCase;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fail_msg("case %d: %s", currentCase, #condition);                                                \
        }                                                                                                    \
    } while (0)

static double separate_from_plane(const cnShape* plane, cnPose pose, const Core* core) {
    cnVec3 normal = cnRotate(pose.rotation, plane->normal);
    double lowest = INFINITY;
    for (int i = 0; i < core->vertexCount; ++i) {
        lowest = cnMin(lowest, cnDot(normal, cnSub(core->vertices[i], pose.position)) - plane->offset);
    }
    return lowest - core->radius;
}

typedef struct Pair {
    cnShape shape[2];
    Core local[2];
    cnPose pose[2];
    double size; // inradius
} Pair;

static double separate_pair(const Pair* pair, cnVec3 shift) {
    Core core[2];
    cnPose pose1 = pair->pose[0];
    pose1.position = cnAdd(pose1.position, shift);
    if (pair->shape[0].type == cn_plane) {
        place_core(&pair->local[1], pair->pose[1], &core[1]);
        return separate_from_plane(&pair->shape[0], pose1, &core[1]);
    }
    place_core(&pair->local[0], pose1, &core[0]);
    if (pair->shape[1].type == cn_plane) {
        return separate_from_plane(&pair->shape[1], pair->pose[1], &core[0]);
    }
    place_core(&pair->local[1], pair->pose[1], &core[1]);
    return separate(&core[0], &core[1]);
}

static double separate_point(const Pair* pair, int side, cnVec3 point) {
    Core core, at = point_core(point);
    if (pair->shape[side].type == cn_plane) {
        return separate_from_plane(&pair->shape[side], pair->pose[side], &at);
    }
    place_core(&pair->local[side], pair->pose[side], &core);
    return separate(&core, &at);
}

static bool is_polytope(cnShapeType type) {
    return type == cn_box || type == cn_convex;
}

// How much the choice of a face over an edge may cost (the slop that collide_polytope.c documents), and
// rounding to f32.
static double tolerance_of(const Pair* pair, double separation) {
    bool slops = (is_polytope(pair->shape[0].type) && is_polytope(pair->shape[1].type)) ||
                 (is_polytope(pair->shape[0].type) && pair->shape[1].type == cn_capsule) ||
                 (pair->shape[0].type == cn_capsule && is_polytope(pair->shape[1].type));
    double rounding = 1.2e-4 * pair->size + 3e-7 * fabs(separation);
    return rounding + (slops ? 0.0045 * pair->size + 0.045 * cnMax(0.0, -separation) : 0.0);
}

static void check_manifold(const Pair* pair, double margin, const cnManifold* manifold, double separation) {
    double tolerance = tolerance_of(pair, separation);
    double rounding = 1e-4 * pair->size;

    // nothing missed, nothing made up
    if (separation > margin + rounding) {
        CHECK(manifold->pointCount == 0);
    }
    if (separation < margin - tolerance) {
        CHECK(manifold->pointCount > 0);
    }
    if (manifold->pointCount == 0) {
        return;
    }
    CHECK(manifold->pointCount <= CN_MANIFOLD_POINTS);
    cnVec3 normal = cnToD(manifold->normal);
    CHECK(fabs(cnLength(normal) - 1.0) < 1e-6);

    // the depth is the least way out, and the normal is that way
    double deepest = deepest_of(manifold);
    CHECK(fabs(deepest + separation) <= tolerance);
    double after = separate_pair(pair, cnScale(deepest, normal));
    CHECK(fabs(after) <= 2.0 * tolerance + 1e-6 * fabs(deepest));

    // every point lies between the surfaces
    for (int i = 0; i < manifold->pointCount; ++i) {
        float depth = manifold->depths[i];
        CHECK(depth >= -margin - rounding);
        cnVec3 world = cnAdd(manifold->origin, cnToD(manifold->points[i]));
        double reach = 0.5 * fabsf(depth) + rounding + 1e-6 * fabsf(depth);
        CHECK(separate_point(pair, 0, world) <= reach);
        CHECK(separate_point(pair, 1, world) <= reach);
        for (int j = 0; j < i; ++j) {
            CHECK(manifold->features[j] != manifold->features[i]);
        }
    }
}

static void make_random_pair(Pair* pair, cnShapeType type1, cnShapeType type2) {
    pair->shape[0] = make_random_shape(type1);
    pair->shape[1] = make_random_shape(type2);
    for (int i = 0; i < 2; ++i) {
        memset(&pair->local[i], 0, sizeof pair->local[i]);
        if (pair->shape[i].type != cn_plane) {
            pair->local[i] = make_core(&pair->shape[i]);
        }
    }
    pair->size = cnMin(pair->shape[0].inradius, pair->shape[1].inradius);
}

// Somewhere near each other: deep, shallow, just touching or just apart.
static void place_random_pair(Pair* pair, double margin) {
    for (int i = 0; i < 2; ++i) {
        pair->pose[i] = (cnPose){random_vec(1.0), random_placed_rotation()};
    }
    cnVec3 direction = random_int(2) == 0 ? random_direction() : cnVec(0.0, 0.0, 1.0);
    if (pair->shape[0].type == cn_plane || pair->shape[1].type == cn_plane) {
        int plane = pair->shape[0].type == cn_plane ? 0 : 1;
        direction = cnRotate(pair->pose[plane].rotation, pair->shape[plane].normal);
        direction = plane == 0 ? cnNeg(direction) : direction;
    }

    // bring them to touch along the direction by bisection, then to the wanted distance
    int kind = random_int(5);
    double lower = 0.0, upper = 20.0;
    if (kind == 4 && pair->shape[0].type != cn_plane && pair->shape[1].type != cn_plane) {
        pair->pose[0].position = cnAdd(pair->pose[1].position, random_vec(0.5));
        return;
    }
    for (int i = 0; i < 40; ++i) {
        double middle = 0.5 * (lower + upper);
        *(separate_pair(pair, cnScale(middle, direction)) < 0.0 ? &lower : &upper) = middle;
    }
    double gap = kind == 0   ? 0.0
                 : kind == 1 ? random_in(-2.0, 2.0) * margin
                 : kind == 2 ? -random_in(0.0, 0.2) * pair->size
                             : random_in(-1.0, 0.3) * pair->size;
    pair->pose[0].position = cnMulAdd(pair->pose[0].position, upper + gap, direction);
}

static void check_pairs(cnShapeType type1, cnShapeType type2, int shapes, int placements) {
    randomState = (uint64_t)(type1 * 16 + type2 + 1) * SEED;
    for (int i = 0; i < shapes; ++i) {
        Pair pair;
        make_random_pair(&pair, type1, type2);
        for (int j = 0; j < placements; ++j) {
            currentCase = i * placements + j;
            double margin = random_int(4) == 0 ? 0.0 : 0.02 * pair.size;
            place_random_pair(&pair, margin);
            double separation = separate_pair(&pair, cnVec3_zero);
            cnCollideCache cache = {0};
            cnManifold manifold;
            int count = cnCollideShapes(&pair.shape[0], pair.pose[0], &pair.shape[1], pair.pose[1], margin,
                                        &cache, &manifold);
            CHECK(count == manifold.pointCount);
            check_manifold(&pair, margin, &manifold, separation);

            // the cache changes no law
            cnManifold again;
            cnCollideShapes(&pair.shape[0], pair.pose[0], &pair.shape[1], pair.pose[1], margin, &cache,
                            &again);
            check_manifold(&pair, margin, &again, separation);

            // nor does the order of the two
            double tolerance = tolerance_of(&pair, separation);
            Pair swapped = pair;
            swapped.shape[0] = pair.shape[1];
            swapped.shape[1] = pair.shape[0];
            swapped.local[0] = pair.local[1];
            swapped.local[1] = pair.local[0];
            swapped.pose[0] = pair.pose[1];
            swapped.pose[1] = pair.pose[0];
            cnManifold other;
            cache = (cnCollideCache){0};
            cnCollideShapes(&swapped.shape[0], swapped.pose[0], &swapped.shape[1], swapped.pose[1], margin,
                            &cache, &other);
            check_manifold(&swapped, margin, &other, separation);
            if (type1 != type2) {
                CHECK(other.pointCount == manifold.pointCount);
                for (int k = 0; k < manifold.pointCount; ++k) {
                    CHECK(manifold.depths[k] == other.depths[k]);
                    CHECK(manifold.features[k] == other.features[k]);
                    CHECK(cnLength(cnToD(cnAddF(manifold.normal, other.normal))) == 0.0);
                }
            } else if (manifold.pointCount > 0 && other.pointCount > 0) {
                CHECK(fabs(deepest_of(&manifold) - deepest_of(&other)) <= tolerance);
            }

            // nor a motion of both; far from the origin as well
            cnPose motion = {random_vec(random_int(2) == 0 ? 1.0 : 1e5), random_rotation()};
            if (type1 == cn_plane || type2 == cn_plane || separation < margin - tolerance) {
                cnManifold moved;
                cache = (cnCollideCache){0};
                cnCollideShapes(&pair.shape[0], cnMulPose(motion, pair.pose[0]), &pair.shape[1],
                                cnMulPose(motion, pair.pose[1]), margin, &cache, &moved);
                if (separation < margin - tolerance) {
                    CHECK(moved.pointCount > 0);
                    CHECK(fabs(deepest_of(&manifold) - deepest_of(&moved)) <= tolerance);
                }
            }
        }
        cnShape_Free(&pair.shape[0]);
        cnShape_Free(&pair.shape[1]);
    }
}

#define PAIR_TEST(name, type1, type2, shapes, placements)                                                    \
    static void name(void** state) {                                                                         \
        (void)state;                                                                                         \
        check_pairs(type1, type2, CASES(shapes), placements);                                                \
    }

PAIR_TEST(spheres_meet_spheres, cn_sphere, cn_sphere, 100, 100)
PAIR_TEST(capsules_meet_spheres, cn_capsule, cn_sphere, 100, 100)
PAIR_TEST(boxes_meet_spheres, cn_box, cn_sphere, 100, 100)
PAIR_TEST(hulls_meet_spheres, cn_convex, cn_sphere, 200, 50)
PAIR_TEST(capsules_meet_capsules, cn_capsule, cn_capsule, 100, 100)
PAIR_TEST(boxes_meet_capsules, cn_box, cn_capsule, 100, 100)
PAIR_TEST(hulls_meet_capsules, cn_convex, cn_capsule, 200, 50)
PAIR_TEST(boxes_meet_boxes, cn_box, cn_box, 100, 40)
PAIR_TEST(hulls_meet_boxes, cn_convex, cn_box, 200, 20)
PAIR_TEST(hulls_meet_hulls, cn_convex, cn_convex, 200, 20)
PAIR_TEST(planes_meet_spheres, cn_plane, cn_sphere, 100, 100)
PAIR_TEST(planes_meet_capsules, cn_plane, cn_capsule, 100, 100)
PAIR_TEST(planes_meet_boxes, cn_plane, cn_box, 100, 100)
PAIR_TEST(planes_meet_hulls, cn_plane, cn_convex, 200, 50)

// ---- resting ----------------------------------------------------------------------------------------------

// Area of the convex hull of the points seen from above (z), by the largest sum over orders.
static double spanned_area(const cnManifold* manifold) {
    // order by angle around the middle
    cnVec3 points[4];
    cnVec3 middle = cnVec3_zero;
    int count = manifold->pointCount;
    for (int i = 0; i < count; ++i) {
        points[i] = cnToD(manifold->points[i]);
        middle = cnMulAdd(middle, 1.0 / count, points[i]);
    }
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
            double angleI = atan2(points[i].y - middle.y, points[i].x - middle.x);
            double angleJ = atan2(points[j].y - middle.y, points[j].x - middle.x);
            if (angleJ < angleI) {
                cnVec3 swap = points[i];
                points[i] = points[j];
                points[j] = swap;
            }
        }
    }
    double area = 0.0;
    for (int i = 0; i < count; ++i) {
        cnVec3 p = points[i], q = points[(i + 1) % count];
        area += 0.5 * (p.x * q.y - p.y * q.x);
    }
    return area;
}

static int collide_shapes(const cnShape* shape1, cnPose pose1, const cnShape* shape2, cnPose pose2,
                          double margin, cnManifold* manifold) {
    cnCollideCache cache = {0};
    return cnCollideShapes(shape1, pose1, shape2, pose2, margin, &cache, manifold);
}

static void a_box_on_a_box_has_four_corners(void** state) {
    (void)state;
    cnShape upper = make_box(0.25, 0.25, 0.25);
    cnShape lower = make_box(1.0, 2.0, 0.5);
    static const double gaps[] = {-1e-3, -1e-6, 0.0, 1e-6, 0.0049};
    for (int i = 0; i < 5; ++i) {
        for (int turn = 0; turn < 16; ++turn) {
            cnManifold manifold;
            cnPose pose = {{0.3, -0.7, 0.75 + gaps[i]}, {0.0, 0.0, sin(0.1 * turn), cos(0.1 * turn)}};
            collide_shapes(&upper, pose, &lower, (cnPose){cnVec3_zero, cnQuat_identity}, 0.005, &manifold);
            assert_int_equal(manifold.pointCount, 4);
            assert_true(fabsf(manifold.normal.z - 1.0f) < 1e-6f);
            assert_true(fabs(spanned_area(&manifold) - 0.25) < 1e-3);
            for (int j = 0; j < 4; ++j) {
                assert_true(fabs(manifold.depths[j] + gaps[i]) < 1e-7);
            }
        }
    }
}

static void an_overhanging_box_has_the_overlap(void** state) {
    (void)state;
    cnShape box = make_box(0.5, 0.5, 0.5);
    cnManifold manifold;
    for (int i = 0; i < 9; ++i) {
        double shift = 0.1 * (i + 1);
        cnPose pose = {{shift, 0.5 * shift, 1.0}, cnQuat_identity};
        collide_shapes(&box, pose, &box, (cnPose){cnVec3_zero, cnQuat_identity}, 0.01, &manifold);
        assert_int_equal(manifold.pointCount, 4);
        assert_true(fabs(spanned_area(&manifold) - (1.0 - shift) * (1.0 - 0.5 * shift)) < 1e-3);
    }

    // crossed squares overlap in an octagon; four of its corners span at least two thirds
    cnPose crossed = {{0.0, 0.0, 1.0}, {0.0, 0.0, sin(CN_PI / 8.0), cos(CN_PI / 8.0)}};
    collide_shapes(&box, crossed, &box, (cnPose){cnVec3_zero, cnQuat_identity}, 0.01, &manifold);
    assert_int_equal(manifold.pointCount, 4);
    assert_true(spanned_area(&manifold) > 0.66 * (2.0 * sqrt(2.0) - 2.0));
}

static void a_small_box_on_a_huge_one_is_exact(void** state) {
    (void)state;
    cnShape small = make_box(0.25, 0.25, 0.25);
    cnShape huge = make_box(200.0, 200.0, 200.0);
    for (int i = 0; i < 100; ++i) {
        cnPose pose = {{random_in(-199.0, 199.0), random_in(-199.0, 199.0), 200.25 - 1e-4},
                       {0.0, 0.0, sin(i), cos(i)}};
        cnPose motion = {{1e5, -2e5, 3e4}, random_rotation()};
        for (int swap = 0; swap < 2; ++swap) {
            cnManifold manifold;
            cnPose pose1 = cnMulPose(motion, pose);
            cnPose pose2 = {motion.position, motion.rotation};
            if (swap == 0) {
                collide_shapes(&small, pose1, &huge, pose2, 0.005, &manifold);
            } else {
                collide_shapes(&huge, pose2, &small, pose1, 0.005, &manifold);
            }
            assert_int_equal(manifold.pointCount, 4);
            for (int j = 0; j < 4; ++j) {
                assert_true(fabs(manifold.depths[j] - 1e-4) < 1e-7);
                assert_true(cnLength(cnToD(manifold.points[j])) < 0.5);
            }
        }
    }
}

static void capsules_lie_on_two_points(void** state) {
    (void)state;
    cnShape capsule = make_shape((cnShapeDef){.type = cn_capsule, .radius = 0.2, .height = 1.0});
    cnShape box = make_box(1.0, 1.0, 1.0);
    cnShape plane = make_shape((cnShapeDef){.type = cn_plane, .normal = {0.0, 0.0, 1.0}, .offset = 1.0});
    cnPose origin = {cnVec3_zero, cnQuat_identity};
    for (int i = 0; i < 3; ++i) {
        double gap = i == 0 ? -0.01 : i == 1 ? 0.0 : 0.003;
        cnPose pose = {{0.1, 0.2, 1.2 + gap}, cnQuat_identity};
        const cnShape* partners[3] = {&box, &plane, &capsule};
        for (int j = 0; j < 3; ++j) {
            cnManifold manifold;
            cnPose at = j == 2 ? (cnPose){{0.1, 0.2, 0.8}, cnQuat_identity} : origin;
            collide_shapes(&capsule, pose, partners[j], at, 0.004, &manifold);
            assert_int_equal(manifold.pointCount, 2);
            assert_true(fabs(manifold.depths[0] + gap) < 1e-7 && fabs(manifold.depths[1] + gap) < 1e-7);
            assert_true(fabsf(fabsf(manifold.points[0].y - manifold.points[1].y) - 1.0f) < 1e-4f);
        }
    }

    // hanging over the edge of the box: the points end there
    cnManifold manifold;
    collide_shapes(&capsule, (cnPose){{0.0, 1.0, 1.2}, cnQuat_identity}, &box, origin, 0.004, &manifold);
    assert_int_equal(manifold.pointCount, 2);
    assert_true(fabsf(fabsf(manifold.points[0].y - manifold.points[1].y) - 0.5f) < 1e-4f);
}

static void features_stay_while_a_box_slides(void** state) {
    (void)state;
    cnShape upper = make_box(0.25, 0.25, 0.25);
    cnShape lower = make_box(1.0, 1.0, 0.5);
    cnCollideCache cache = {0};
    uint32_t first[4] = {0};
    for (int i = 0; i < 200; ++i) {
        cnManifold manifold;
        double wobble = 1e-6 * ((i * 7) % 5 - 2);
        cnQuat tilt =
            cnNormalizeQuat((cnQuat){1e-5 * ((i * 3) % 7 - 3), 1e-5 * ((i * 5) % 11 - 5), 0.01, 1.0});
        cnPose pose = {{-0.5 + 0.005 * i, 0.1, 0.75 + wobble}, tilt};
        cnCollideShapes(&upper, pose, &lower, (cnPose){cnVec3_zero, cnQuat_identity}, 0.005, &cache,
                        &manifold);
        assert_int_equal(manifold.pointCount, 4);
        for (int j = 0; j < 4 && i < 140; ++j) {
            bool known = i == 0;
            for (int k = 0; k < 4; ++k) {
                known = known || first[k] == manifold.features[j];
            }
            assert_true(known);
        }
        for (int j = 0; j < 4 && i == 0; ++j) {
            first[j] = manifold.features[j];
        }
    }
}

// Faces of a thousand corners are thinned, not dropped.
static void discs_lie_on_discs(void** state) {
    (void)state;
    enum {
        sides = 1000
    };
    cnVec3* points = malloc(2 * sides * sizeof(cnVec3));
    for (int i = 0; i < sides; ++i) {
        double angle = 2.0 * CN_PI * i / sides;
        points[2 * i] = cnVec(cos(angle), sin(angle), -0.1);
        points[2 * i + 1] = cnVec(cos(angle), sin(angle), 0.1);
    }
    cnShape disc = make_shape((cnShapeDef){.type = cn_convex, .points = points, .pointCount = 2 * sides});
    free(points);
    assert_int_equal(disc.hull->faceCount, sides + 2);
    cnShape box = make_box(3.0, 3.0, 0.5);
    cnShape plane = make_shape(groundPlane);
    cnPose origin = {cnVec3_zero, cnQuat_identity};
    cnManifold manifold;
    collide_shapes(&disc, (cnPose){{0.0, 0.0, 0.6}, cnQuat_identity}, &box, origin, 0.002, &manifold);
    assert_int_equal(manifold.pointCount, 4);
    assert_true(spanned_area(&manifold) > 0.6 * CN_PI);
    collide_shapes(&disc, (cnPose){{0.0, 0.0, 0.1}, cnQuat_identity}, &plane, origin, 0.002, &manifold);
    assert_int_equal(manifold.pointCount, 4);
    assert_true(spanned_area(&manifold) > 0.6 * CN_PI);
    collide_shapes(&disc, (cnPose){{0.0, 0.5, 0.2}, cnQuat_identity}, &disc, origin, 0.002, &manifold);
    assert_int_equal(manifold.pointCount, 4);
    assert_true(spanned_area(&manifold) > 1.2);
    assert_true(fabsf(manifold.depths[0]) < 1e-6);
    cnShape_Free(&disc);
}

static void planes_ignore_planes(void** state) {
    (void)state;
    cnShape plane = make_shape(groundPlane);
    cnManifold manifold;
    cnPose origin = {cnVec3_zero, cnQuat_identity};
    assert_false(cnCanCollide(cn_plane, cn_plane));
    assert_int_equal(collide_shapes(&plane, origin, &plane, origin, 0.1, &manifold), 0);
}

int main(void) {
    return run_all(spheres_meet_spheres, capsules_meet_spheres, boxes_meet_spheres, hulls_meet_spheres,
                   capsules_meet_capsules, boxes_meet_capsules, hulls_meet_capsules, boxes_meet_boxes,
                   hulls_meet_boxes, hulls_meet_hulls, planes_meet_spheres, planes_meet_capsules,
                   planes_meet_boxes, planes_meet_hulls, a_box_on_a_box_has_four_corners,
                   an_overhanging_box_has_the_overlap, a_small_box_on_a_huge_one_is_exact,
                   capsules_lie_on_two_points, features_stay_while_a_box_slides, discs_lie_on_discs,
                   planes_ignore_planes);
}
