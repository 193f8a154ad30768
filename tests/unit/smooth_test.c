// Cylinders, cones and the general algorithms of convex shapes, against a slow reference: supports written
// again, and the least depth by dense sampling of directions with a local search from the best of them.
//
// The depth along a direction n is h(n), and the true one the least h(n) over all n; apart, the distance is
// −h at the least. So an answer is right where its own h(n) is the depth it states (it is not too deep) and
// no sample has a lower one.
#include "collide/narrow/collide.h"
#include "geometry/penetration.h"
#include "shapes.h"

static cnQuat rotation_about(cnVec3 axis, double degrees) {
    return cnQuatFromRotationVector(cnScale(degrees * CN_PI / 180.0, axis));
}

// ---- shapes -----------------------------------------------------------------------------------------------

static double random_length(double size) {
    int kind = random_int(6);
    return size * (kind == 0 ? random_in(0.01, 0.05) : kind == 1 ? 1.0 : random_in(0.1, 1.0));
}

// A cylinder or cone of the given least radius and lengths.
static void make_random_shape(cnShape* shape, cnShapeType type, double size) {
    cnShapeDef def = {.type = type};
    cnVec3 points[12];
    def.radius = random_length(size);
    def.height = random_length(2.0 * size);
    def.halfExtents = cnVec(random_length(size), random_length(size), random_length(size));
    int kind = random_int(4);
    def.bottomRadius = kind == 0 ? 0.0 : random_length(size);
    def.topRadius = kind == 1 || (kind != 0 && random_int(2) == 0) ? 0.0 : random_length(size);
    if (type == cn_convex) {
        def.points = points;
        def.pointCount = 4 + random_int(9);
        for (int i = 0; i < def.pointCount; ++i) {
            points[i] = cnMul(random_direction(), def.halfExtents);
        }
    }
    *shape = make_shape(def);
}

// ---- the reference ----------------------------------------------------------------------------------------

typedef struct Placed {
    const cnShape* shape;
    cnMat33 axes;
    cnVec3 position;
} Placed;

static Placed place(const cnShape* shape, cnPose pose) {
    return (Placed){shape, cnMatFromQuat(pose.rotation), pose.position};
}

// How far a shape reaches along a world direction.
static double get_reach(const Placed* placed, cnVec3 direction) {
    const cnShape* shape = placed->shape;
    cnVec3 d = cnMulMatT(placed->axes, direction);
    double across = sqrt(d.x * d.x + d.z * d.z);
    double base = cnDot(placed->position, direction);
    double max = -INFINITY;
    switch (shape->type) {
    case cn_sphere:
        return base + shape->radius * cnLength(d);
    case cn_capsule:
        return base + shape->radius * cnLength(d) + shape->halfHeight * fabs(d.y);
    case cn_box:
        return base + cnDot(cnAbs(d), shape->halfExtents);
    case cn_convex:
        for (int i = 0; i < shape->hull->vertexCount; ++i) {
            max = cnMax(max, cnDot(d, shape->hull->vertices[i]));
        }
        return base + max;
    default:
        return base + cnMax(shape->profile.lower * d.y + shape->profile.outerLower * across,
                            shape->profile.upper * d.y + shape->profile.outerUpper * across);
    }
}

static double get_depth_along(const Placed* a, const Placed* b, cnVec3 n) {
    return get_reach(a, n) + get_reach(b, cnNeg(n));
}

// Goes down from a direction by steps to the side that shrink where none helps.
static double improve(const Placed* a, const Placed* b, cnVec3 n, double step) {
    double best = get_depth_along(a, b, n);
    for (int tries = 0; step > 1e-9; ++tries) {
        bool better = false;
        for (int i = 0; i < 8 && !better; ++i) {
            cnVec3 side = random_direction();
            cnVec3 moved = cnNormalize(cnMulAdd(n, step, side));
            double depth = get_depth_along(a, b, moved);
            if (depth < best) {
                best = depth;
                n = moved;
                better = true;
            }
        }
        step *= better ? 1.3 : 0.6;
    }
    return best;
}

static double get_least_depth(const Placed* a, const Placed* b, int samples) {
    enum {
        kept = 4
    };
    cnVec3 best[kept];
    double depths[kept];
    for (int i = 0; i < kept; ++i) {
        depths[i] = INFINITY;
    }
    for (int i = 0; i < samples; ++i) {
        double y = 1.0 - (2.0 * i + 1.0) / samples;
        double r = sqrt(1.0 - y * y);
        double angle = 2.399963229728653 * i;
        cnVec3 n = cnVec(r * cnCos(angle), y, r * cnSin(angle));
        double depth = get_depth_along(a, b, n);
        int at = kept - 1;
        if (depth >= depths[at]) {
            continue;
        }
        for (; at > 0 && depths[at - 1] > depth; --at) {
            depths[at] = depths[at - 1];
            best[at] = best[at - 1];
        }
        depths[at] = depth;
        best[at] = n;
    }
    double min = INFINITY;
    for (int i = 0; i < kept; ++i) {
        min = cnMin(min, improve(a, b, best[i], 0.1));
    }
    return min;
}

// ---- distances and depths ---------------------------------------------------------------------------------

static const cnShapeType convexTypes[] = {cn_sphere, cn_capsule, cn_box, cn_convex, cn_cylinder, cn_cone};
#define CONVEX_TYPES ((int)(sizeof convexTypes / sizeof *convexTypes))

static cnRelativePose see_from(cnPose a, cnPose b) {
    cnMat33 axesA = cnMatFromQuat(a.rotation);
    cnMat33 axesB = cnMatFromQuat(b.rotation);
    return (cnRelativePose){{cnMulMatT(axesA, axesB.x), cnMulMatT(axesA, axesB.y), cnMulMatT(axesA, axesB.z)},
                            cnMulMatT(axesA, cnSub(b.position, a.position))};
}

static cnPose random_pose_near(double reach) {
    return (cnPose){cnScale(random_in(0.0, reach), random_direction()), random_placed_rotation()};
}

static void distance_or_depth_is_the_least_over_directions(void** state) {
    (void)state;
    randomState = 11;
    int overlaps = 0;
    double worst = 0.0;
    for (int i = 0; i < CASES(2500); ++i) {
        cnShape a, b;
        double ratio = random_int(5) == 0 ? 1e-4 : 1.0;
        make_random_shape(&a, convexTypes[random_int(CONVEX_TYPES)], 1.0);
        make_random_shape(&b, convexTypes[random_int(CONVEX_TYPES)], ratio);
        cnPose poseA = random_pose_near(1.0);
        cnPose poseB = random_pose_near(2.0);
        cnRelativePose pose = see_from(poseA, poseB);
        cnSupportShape supportA, supportB;
        assert_true(cnSupportShape_Init(&supportA, &a) && cnSupportShape_Init(&supportB, &b));
        cnSupportDistance answer;
        assert_true(cnComputeSupportDistance(&supportA, &supportB, &pose, INFINITY, &answer));

        Placed placedA = place(&a, poseA), placedB = place(&b, poseB);
        cnVec3 normal = cnMulMat(placedA.axes, answer.normal);
        assert_true(fabs(cnLength(normal) - 1.0) < 1e-12);
        assert_true(fabs(get_depth_along(&placedA, &placedB, normal) + answer.distance) < 1e-8);
        double excess = -answer.distance - get_least_depth(&placedA, &placedB, 600);
        worst = cnMax(worst, excess);

        // points
        cnVec3 gap = cnSub(answer.pointB, answer.pointA);
        double error = cnLength(cnMulAdd(gap, -answer.distance, answer.normal));
        assert_true(error < (answer.distance > 0.0 ? 1e-6 : 1e-4));
        overlaps += answer.distance < 0.0 ? 1 : 0;
        cnShape_Free(&a);
        cnShape_Free(&b);
    }
    assert_true(worst < 1e-9 && overlaps > CASES(600));
}

static double measure_depth(const cnSupportShape* a, const cnSupportShape* b, cnVec3 position) {
    cnRelativePose pose = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, position};
    cnSupportDistance answer;
    cnComputeSupportDistance(a, b, &pose, INFINITY, &answer);
    assert_true(fabs(cnLength(answer.normal) - 1.0) < 1e-12);
    assert_true(fabs(cnGetDepthAlong(a, b, &pose, answer.normal) + answer.distance) < 1e-9);
    return -answer.distance;
}

// Differences that are points, lines and planes, middles on top of each other, needles and sheets: depths
// known in closed form.
static void degenerate_and_extreme_pairs_are_exact(void** state) {
    (void)state;
    const cnVec3 corners[] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.3, 0.3, 0.0}};
    cnSupportShape ball = cnSupportShape_FromCorners(corners, 1, 0.5);
    cnSupportShape segment = cnSupportShape_FromCorners(corners, 2, 0.1);
    cnSupportShape triangle = cnSupportShape_FromCorners(corners, 3, 0.0);
    cnSupportShape point = cnSupportShape_FromCorners(corners, 1, 0.0);
    assert_true(fabs(measure_depth(&ball, &ball, cnVec3_zero) - 1.0) < 1e-12);
    assert_true(fabs(measure_depth(&segment, &segment, cnVec(0.3, 0.0, 0.0)) - 0.2) < 1e-12);
    assert_true(fabs(measure_depth(&triangle, &point, corners[3])) < 1e-9);
    assert_true(fabs(measure_depth(&triangle, &ball, corners[3]) - 0.5) < 1e-9);
    assert_true(fabs(measure_depth(&triangle, &triangle, cnVec(0.1, 0.1, 0.0))) < 1e-9);
    assert_true(fabs(measure_depth(&triangle, &point, cnVec(0.2, 0.2, 3e-4)) + 3e-4) < 1e-15);

    // solids with one middle: out by the shorter of side and cap
    cnShape thick, thin, needle, sheet;
    thick = make_shape((cnShapeDef){.type = cn_cylinder, .radius = 0.5, .height = 2.0});
    thin = make_shape((cnShapeDef){.type = cn_cylinder, .radius = 0.25, .height = 3.0});
    needle = make_shape(box_of(1e-3, 10.0, 1e-3));
    sheet = make_shape((cnShapeDef){.type = cn_cylinder, .radius = 10.0, .height = 1e-3});
    cnSupportShape a, b, c, d;
    cnSupportShape_Init(&a, &thick);
    cnSupportShape_Init(&b, &thin);
    cnSupportShape_Init(&c, &needle);
    cnSupportShape_Init(&d, &sheet);
    assert_true(fabs(measure_depth(&a, &b, cnVec3_zero) - 0.75) < 1e-3);
    assert_true(fabs(measure_depth(&a, &b, cnVec(0.1, 0.0, 0.0)) - 0.65) < 1e-7);
    assert_true(fabs(measure_depth(&a, &b, cnVec(0.0, 2.2, 0.0)) - 0.3) < 1e-9);
    assert_true(fabs(measure_depth(&a, &c, cnVec(0.499, 0.3, 0.0)) - 2e-3) < 1e-9);
    assert_true(fabs(measure_depth(&a, &d, cnVec(0.2, 1.0003, -0.3)) - 2e-4) < 1e-9);
    assert_true(fabs(measure_depth(&c, &d, cnVec(3.0, -10.0, -0.3)) - 5e-4) < 1e-9);
    assert_true(fabs(measure_depth(&d, &d, cnVec(0.0, 9e-4, 0.0)) - 1e-4) < 1e-9);
}

// ---- manifolds --------------------------------------------------------------------------------------------

// A pose in which the two overlap, touch or are nearly within the margin.
static cnPose place_near(const cnShape* a, cnPose poseA, const cnShape* b, double size) {
    cnPose poseB = {cnVec3_zero, random_placed_rotation()};
    cnVec3 direction = random_int(2) == 0 ? random_direction() : cnMatFromQuat(poseA.rotation).y;
    poseB.position = cnMulAdd(poseA.position, 4.0, direction);
    poseB.position = cnMulAdd(poseB.position, random_in(0.0, 0.3) * size, random_direction());
    Placed placedA = place(a, poseA), placedB = place(b, poseB);
    double gap = -get_least_depth(&placedA, &placedB, 600);
    double overlap = random_int(3) == 0 ? random_in(0.0, size) : random_in(-0.02, 0.05) * size;
    poseB.position = cnMulAdd(poseB.position, -gap - overlap, direction);
    return poseB;
}

static double get_deepest(const cnManifold* manifold) {
    double deepest = -INFINITY;
    for (int i = 0; i < manifold->pointCount; ++i) {
        deepest = cnMax(deepest, manifold->depths[i]);
    }
    return deepest;
}

static double measure_off_surface(const cnShape* shape, cnPose pose, cnVec3 point) {
    cnSurfacePoint nearest;
    assert_true(cnShape_FindClosest(shape, cnInvTransformPoint(pose, point), INFINITY, &nearest));
    return fabs(nearest.distance);
}

static void check_manifold(const cnShape* a, cnPose poseA, const cnShape* b, cnPose poseB, double margin,
                           double depth, const cnManifold* manifold) {
    double size = cnMin(a->inradius, b->inradius);
    double tolerance = 0.003 * size + 0.03 * fabs(depth) + 1e-6;
    double aside =
        0.006 * cnMax(a->type == cn_capsule ? a->radius : 0.0, b->type == cn_capsule ? b->radius : 0.0);
    double deepest = get_deepest(manifold);
    Placed placedA = place(a, poseA), placedB = place(b, poseB);
    if (manifold->pointCount == 0) {
        assert_true(depth < -margin + tolerance ||
                    get_least_depth(&placedA, &placedB, 50000) < -margin + tolerance);
        return;
    }
    cnVec3 normal = {manifold->normal.x, manifold->normal.y, manifold->normal.z};
    assert_true(fabs(cnLength(normal) - 1.0) < 1e-5);

    // the reference may miss the least depth of thin shapes; the normal's own depth bounds it from below
    assert_true(deepest <= depth + tolerance);
    assert_true(fabs(get_depth_along(&placedB, &placedA, normal) - deepest) <= tolerance);
    assert_true(manifold->pointCount <= 4);
    for (int i = 0; i < manifold->pointCount; ++i) {
        cnVec3f p = manifold->points[i];
        cnVec3 point = cnAdd(manifold->origin, cnVec(p.x, p.y, p.z));
        double half = 0.5 * manifold->depths[i];
        double offA = measure_off_surface(a, poseA, cnMulAdd(point, -half, normal));
        double offB = measure_off_surface(b, poseB, cnMulAdd(point, half, normal));
        assert_true(cnMax(offA, offB) <= tolerance + aside);
        assert_true(-2.0 * half <= margin + 1e-6);
        for (int j = 0; j < i; ++j) {
            assert_true(manifold->features[i] != manifold->features[j]);
        }
    }
}

static void manifolds_of_smooth_pairs_keep_the_laws(void** state) {
    (void)state;
    randomState = 5;
    for (int i = 0; i < CASES(2000); ++i) {
        cnShape a, b;
        double ratio = random_int(5) == 0 ? 0.01 : 1.0;
        make_random_shape(&a, random_int(2) == 0 ? cn_cylinder : cn_cone, 1.0);
        make_random_shape(&b, convexTypes[random_int(CONVEX_TYPES)], ratio);
        double size = cnMin(a.inradius, b.inradius);
        double margin = 0.01;
        cnPose poseA = {cnScale(random_in(0.0, 3.0), random_direction()), random_rotation()};
        cnPose poseB = place_near(&a, poseA, &b, size);
        Placed placedA = place(&a, poseA), placedB = place(&b, poseB);
        double depth = get_least_depth(&placedA, &placedB, 600);
        cnCollideCache cache = {0};
        cnManifold manifold, again, swapped;
        cnCollideShapes(&a, poseA, &b, poseB, margin, &cache, &manifold);
        check_manifold(&a, poseA, &b, poseB, margin, depth, &manifold);

        // with last step's cache, of a pose not far
        cnPose near = poseB;
        near.position = cnMulAdd(near.position, 0.01 * size, random_direction());
        cnCollideShapes(&a, poseA, &b, near, margin, &cache, &again);
        cnCollideShapes(&a, poseA, &b, poseB, margin, &cache, &again);
        check_manifold(&a, poseA, &b, poseB, margin, depth, &again);

        // the other way round
        cache = (cnCollideCache){0};
        cnCollideShapes(&b, poseB, &a, poseA, margin, &cache, &swapped);
        check_manifold(&b, poseB, &a, poseA, margin, depth, &swapped);
        if (a.type != b.type) {
            assert_int_equal(swapped.pointCount, manifold.pointCount);
        }

        // turned and moved as one
        cnPose turn = {cnVec(1.0, -2.0, 0.5), random_rotation()};
        cnPose turnedA = cnMulPose(turn, poseA), turnedB = cnMulPose(turn, poseB);
        cache = (cnCollideCache){0};
        cnCollideShapes(&a, turnedA, &b, turnedB, margin, &cache, &again);
        check_manifold(&a, turnedA, &b, turnedB, margin, depth, &again);
        cnShape_Free(&a);
        cnShape_Free(&b);
    }
}

// ---- casts ------------------------------------------------------------------------------------------------

// At the fraction found the shapes are as good as touching along the normal, and at samples before
// it they are apart.
static void casts_end_at_the_first_contact(void** state) {
    (void)state;
    randomState = 77;
    int hits = 0;
    for (int i = 0; i < CASES(300); ++i) {
        cnShape a, b;
        make_random_shape(&a, convexTypes[random_int(CONVEX_TYPES)], 1.0);
        make_random_shape(&b, convexTypes[random_int(CONVEX_TYPES)], random_int(4) == 0 ? 0.01 : 1.0);
        cnPose poseA = {cnVec3_zero, cnQuat_identity};
        cnPose poseB = {cnScale(4.0, random_direction()), random_placed_rotation()};
        cnVec3 aim = cnScale(random_in(0.0, 1.5), random_direction());
        cnVec3 translation = cnScale(random_in(0.5, 3.0), cnSub(aim, poseB.position));
        cnSupportShape supportA, supportB;
        cnSupportShape_Init(&supportA, &a);
        cnSupportShape_Init(&supportB, &b);
        cnRelativePose pose = see_from(poseA, poseB);
        cnSupportCast cast = cnCastSupport(&supportA, &supportB, &pose, translation);
        Placed placedA = place(&a, poseA);
        double end = cast.hit ? cast.fraction : 1.0;
        for (int j = 0; j <= 10; ++j) {
            cnPose moved = poseB;
            moved.position = cnMulAdd(moved.position, end * j / 10.0, translation);
            Placed placedB = place(&b, moved);
            assert_true(get_least_depth(&placedA, &placedB, 200) < 0.0 || (j == 10 && cast.hit) ||
                        cast.overlapping);
            if (j == 10 && cast.hit && !cast.overlapping) {
                assert_true(fabs(get_depth_along(&placedA, &placedB, cast.normal)) < 1e-8);
                assert_true(cnDot(cast.normal, translation) < 0.0);
                assert_true(measure_off_surface(&a, poseA, cast.point) < 2e-6);
                assert_true(measure_off_surface(&b, moved, cast.point) < 2e-6);
            }
        }
        hits += cast.hit ? 1 : 0;
        cnShape_Free(&a);
        cnShape_Free(&b);
    }
    assert_true(hits > CASES(100) && hits < CASES(280));
}

static void a_cast_from_inside_says_so(void** state) {
    (void)state;
    cnShape ball = make_shape(sphere_of(0.5));
    cnSupportShape support;
    cnSupportShape_Init(&support, &ball);
    cnRelativePose pose = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.8, 0.0, 0.0}};
    cnSupportCast cast = cnCastSupport(&support, &support, &pose, cnVec(5.0, 0.0, 0.0));
    assert_true(cast.hit && cast.overlapping && cast.fraction == 0.0);
    assert_true(fabs(cast.distance + 0.2) < 1e-12 && fabs(cast.normal.x - 1.0) < 1e-12);

    // touching, it leaves or meets
    pose.position.x = 1.0;
    assert_false(cnCastSupport(&support, &support, &pose, cnVec(1.0, 0.1, 0.0)).hit);
    cast = cnCastSupport(&support, &support, &pose, cnVec(-1.0, 0.1, 0.0));
    assert_true(cast.hit && cast.fraction == 0.0);
    cnShape_Free(&ball);
}

// ---- triangles --------------------------------------------------------------------------------------------

static cnTriangle make_triangle(cnVec3 p, cnVec3 q, cnVec3 r) {
    cnTriangle triangle = {.corners = {p, q, r}};
    triangle.normal = cnNormalize(cnCross(cnSub(q, p), cnSub(r, p)));
    for (int i = 0; i < 3; ++i) {
        triangle.neighbourNormals[i] = triangle.normal;
        triangle.edgeKinds[i] = cn_edgeBoundary;
    }
    return triangle;
}

static void collide_triangle(const cnTriangle* triangle, const cnShape* shape, cnPose pose, int* feature,
                             cnLocalManifold* manifold) {
    cnCollideCache cache = {0};
    cnShapePair pair = {.b = shape, .margin = 0.01, .size = shape->inradius, .cache = &cache};
    pair.pose = see_from((cnPose){cnVec3_zero, cnQuat_identity}, pose);
    cnCollideTriangle(triangle, &pair, feature, manifold);
}

static const cnShapeDef solids[] = {
    {.type = cn_sphere, .radius = 0.2},
    {.type = cn_capsule, .radius = 0.1, .height = 0.4},
    {.type = cn_box, .halfExtents = {0.2, 0.3, 0.1}},
    {.type = cn_cylinder, .radius = 0.2, .height = 0.3},
    {.type = cn_cone, .bottomRadius = 0.2, .topRadius = 0.05, .height = 0.3},
};

// Above the middle of a large triangle: its normal, the depth of the lowest point, and as many points as
// the solid lies on.
static void solids_lie_on_a_triangle(void** state) {
    (void)state;
    const int counts[] = {1, 2, 4, 2, 1};
    cnTriangle triangle = make_triangle(cnVec(-3.0, 0.0, 2.0), cnVec(3.0, 0.0, 2.0), cnVec(0.0, 0.0, -4.0));
    randomState = 3;
    for (int i = 0; i < CASES(400); ++i) {
        int kind = i % 5;
        cnShape shape = make_shape(solids[kind]);
        bool lies = i % 10 < 5;
        cnPose pose = {cnVec3_zero, lies ? rotation_about(cnVec(0.0, 0.0, 1.0), 90.0) : random_rotation()};
        double depth = random_in(-0.008, 0.05);
        cnBounds bounds = cnShape_ComputeBounds(&shape, pose);
        pose.position.y -= bounds.lower.y + depth;
        int feature;
        cnLocalManifold manifold;
        collide_triangle(&triangle, &shape, pose, &feature, &manifold);
        assert_true(manifold.count > 0);
        assert_int_equal(feature, cn_triangleFace);
        assert_true(manifold.normal.y > 1.0 - 1e-6);
        double deepest = -INFINITY;
        for (int j = 0; j < manifold.count; ++j) {
            deepest = cnMax(deepest, manifold.points[j].depth);
        }
        assert_true(fabs(deepest - depth) < 1e-3 * shape.inradius + 1e-9);
        if (lies && kind != 4) {
            assert_int_equal(manifold.count, counts[kind]);
        }

        // from behind there is none
        pose.position.y = depth - bounds.upper.y;
        collide_triangle(&triangle, &shape, pose, &feature, &manifold);
        assert_int_equal(manifold.count, 0);
        cnShape_Free(&shape);
    }
}

static void triangles_say_what_was_touched(void** state) {
    (void)state;
    cnShape ball = make_shape(sphere_of(0.2));
    cnTriangle triangle = make_triangle(cnVec(0.0, 0.0, 0.0), cnVec(0.0, 0.0, 1.0), cnVec(1.0, 0.0, 0.0));
    const cnVec3 places[] = {{0.3, 0.19, 0.3},    {-0.1, 0.1, 0.5},  {0.6, 0.1, 0.6},  {0.5, 0.1, -0.1},
                             {-0.1, 0.05, -0.05}, {-0.05, 0.1, 1.1}, {1.1, 0.1, -0.05}};
    const int features[] = {cn_triangleFace,      cn_triangleEdge,   cn_triangleEdge + 1,
                            cn_triangleEdge + 2,  cn_triangleCorner, cn_triangleCorner + 1,
                            cn_triangleCorner + 2};
    for (int i = 0; i < 7; ++i) {
        int feature;
        cnLocalManifold manifold;
        collide_triangle(&triangle, &ball, (cnPose){places[i], cnQuat_identity}, &feature, &manifold);
        assert_int_equal(manifold.count, 1);
        assert_int_equal(feature, features[i]);
    }
    cnShape_Free(&ball);
}

// A box in the floor beside the edge to a level neighbour is pushed up, however near the edge; beside an open
// edge, out of it.
static void level_edges_do_not_push(void** state) {
    (void)state;
    cnShape box = make_shape(box_of(0.2, 0.2, 0.2));
    cnTriangle triangle = make_triangle(cnVec(0.0, 0.0, -2.0), cnVec(0.0, 0.0, 2.0), cnVec(3.0, 0.0, 0.0));
    cnPose pose = {cnVec(-0.195, 0.17, 0.0), cnQuat_identity};
    int feature;
    cnLocalManifold manifold;
    collide_triangle(&triangle, &box, pose, &feature, &manifold);
    assert_true(manifold.count > 0 && manifold.normal.x < -0.99);
    assert_int_equal(feature, cn_triangleEdge);
    triangle.edgeKinds[0] = cn_edgeFlat;
    collide_triangle(&triangle, &box, pose, &feature, &manifold);
    assert_true(manifold.count > 0 && manifold.normal.y > 0.999);
    assert_int_equal(feature, cn_triangleFace);
    assert_true(fabs(manifold.points[0].depth - 0.03) < 1e-9);
    cnShape_Free(&box);
}

// A floor of triangles finer than the solid: whatever overlaps a triangle is pushed up, and the
// deepest point is found.
static void a_floor_of_level_triangles_pushes_up(void** state) {
    (void)state;
    randomState = 9;
    const double cell = 0.13;
    for (int i = 0; i < CASES(200); ++i) {
        cnShape shape = make_shape(solids[i % 5]);
        cnPose pose = {cnVec3_zero, random_placed_rotation()};
        double depth = random_in(0.001, 0.02);
        pose.position = cnVec(random_in(-0.1, 0.1), -depth - cnShape_ComputeBounds(&shape, pose).lower.y,
                              random_in(-0.1, 0.1));
        double deepest = -INFINITY;
        for (int j = 0; j < 200; ++j) {
            int column = j / 2 % 10 - 5;
            int row = j / 20 - 5;
            cnVec3 corner = cnVec(column * cell, 0.0, row * cell);
            cnVec3 x = cnVec(corner.x + cell, 0.0, corner.z), z = cnVec(corner.x, 0.0, corner.z + cell);
            cnTriangle triangle =
                j % 2 == 0 ? make_triangle(corner, z, x) : make_triangle(cnVec(x.x, 0.0, z.z), x, z);
            for (int k = 0; k < 3; ++k) {
                triangle.edgeKinds[k] = cn_edgeFlat;
            }
            int feature;
            cnLocalManifold manifold;
            collide_triangle(&triangle, &shape, pose, &feature, &manifold);
            for (int k = 0; k < manifold.count; ++k) {
                if (feature == cn_triangleFace) {
                    assert_true(manifold.normal.y > 1.0 - 1e-5);
                    assert_true(manifold.points[k].depth < depth + 1e-9);
                    deepest = cnMax(deepest, manifold.points[k].depth);
                }
            }
        }
        assert_true(fabs(deepest - depth) < 2e-3 * shape.inradius);
        cnShape_Free(&shape);
    }
}

// ---- coming to rest ---------------------------------------------------------------------------------------

#define DROP 0.001

// A floor whose top is z = 0.
static cnWorldId make_floor(void) {
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    add_geometry(world, (cnGeometryDef){.position = {0.0, 0.0, -0.5}}, box_of(5.0, 5.0, 0.5));
    return world;
}

static cnBodyId place_body(cnWorldId world, cnShapeDef def, cnVec3 position, cnQuat rotation) {
    return add_body(world, (cnBodyDef){.position = position, .rotation = rotation}, def, defaultMaterial);
}

// Up from y, then about the vertical.
static cnQuat stand_up(double yaw) {
    return cnMulQuat(rotation_about(cnVec(0.0, 0.0, 1.0), yaw), rotation_about(cnVec(1.0, 0.0, 0.0), 90.0));
}

static const cnShapeDef post = {.type = cn_cylinder, .radius = 0.3, .height = 0.8};
static const cnShapeDef coin = {.type = cn_cylinder, .radius = 0.3, .height = 0.02};
static const cnShapeDef hat = {.type = cn_cone, .bottomRadius = 0.4, .height = 0.6};
static const cnShapeDef cup = {.type = cn_cone, .bottomRadius = 0.25, .topRadius = 0.4, .height = 0.5};
static const cnShapeDef block = {.type = cn_box, .halfExtents = {0.5, 0.4, 0.2}};
static const cnShapeDef pill = {.type = cn_capsule, .radius = 0.1, .height = 0.3};

static int build_scene(cnWorldId world, int scene, cnBodyId* bodies) {
    int count = 0;
    switch (scene) {
    case 0: // standing
        bodies[count++] = place_body(world, post, cnVec(0.0, 0.0, 0.4 + DROP), stand_up(20.0));
        break;
    case 1: // lying
        bodies[count++] =
            place_body(world, post, cnVec(0.0, 0.0, 0.3 + DROP), rotation_about(cnVec(0.0, 0.0, 1.0), 33.0));
        break;
    case 2: // a cone on its base, one on its point's rim
        bodies[count++] = place_body(world, hat, cnVec(0.0, 0.0, DROP), stand_up(10.0));
        bodies[count++] = place_body(world, cup, cnVec(2.0, 0.0, DROP), stand_up(10.0));
        break;
    case 3: // a stack
        for (int i = 0; i < 4; ++i) {
            bodies[count++] = place_body(
                world, post, cnVec(0.02 * (i % 2), 0.0, 0.4 + 0.8 * i + (i + 1) * DROP), stand_up(25.0 * i));
        }
        break;
    case 4: // on a box, askew
        bodies[count++] = place_body(world, block, cnVec(0.0, 0.0, 0.2 + DROP), cnQuat_identity);
        bodies[count++] = place_body(world, post, cnVec(0.1, 0.0, 0.7 + 2.0 * DROP),
                                     rotation_about(cnVec(0.0, 0.0, 1.0), 30.0));
        bodies[count++] = place_body(world, block, cnVec(2.0, 0.0, 0.2 + DROP), cnQuat_identity);
        bodies[count++] = place_body(world, hat, cnVec(2.0, 0.1, 0.4 + 2.0 * DROP), stand_up(0.0));
        break;
    case 5: // one across two
        bodies[count++] = place_body(world, post, cnVec(-0.35, 0.0, 0.3 + DROP), cnQuat_identity);
        bodies[count++] = place_body(world, post, cnVec(0.35, 0.0, 0.3 + DROP), cnQuat_identity);
        bodies[count++] = place_body(world, post, cnVec(0.0, 0.0, 0.9 + 2.0 * DROP),
                                     rotation_about(cnVec(0.0, 0.0, 1.0), 90.0));
        break;
    case 6: // a wide box on a post, a cone and a post on a cup
        bodies[count++] = place_body(world, post, cnVec(0.0, 0.0, 0.4 + DROP), stand_up(0.0));
        bodies[count++] = place_body(world, block, cnVec(0.03, 0.0, 1.0 + 2.0 * DROP), cnQuat_identity);
        bodies[count++] = place_body(world, hat, cnVec(0.03, 0.0, 1.2 + 3.0 * DROP), stand_up(40.0));
        bodies[count++] = place_body(world, cup, cnVec(2.0, 0.0, DROP), stand_up(0.0));
        bodies[count++] = place_body(world, post, cnVec(2.0, 0.05, 0.9 + 2.0 * DROP), stand_up(15.0));
        break;
    case 7: // coins
        for (int i = 0; i < 5; ++i) {
            bodies[count++] =
                place_body(world, coin, cnVec(0.03 * (i % 2), 0.0, 0.01 + 0.02 * i + (i + 1) * DROP),
                           stand_up(11.0 * i));
        }
        break;
    default: // a capsule lying on a post, a cone on its side
        bodies[count++] = place_body(world, post, cnVec(0.0, 0.0, 0.4 + DROP), stand_up(0.0));
        bodies[count++] = place_body(world, pill, cnVec(0.0, 0.0, 0.9 + 2.0 * DROP),
                                     rotation_about(cnVec(0.0, 0.0, 1.0), 15.0));
        bodies[count++] =
            place_body(world, hat, cnVec(2.0, 0.0, 0.4 * cnCos(cnAtan2(0.4, 0.6)) + DROP),
                       rotation_about(cnVec(1.0, 0.0, 0.0), -cnAtan2(0.4, 0.6) * 180.0 / CN_PI));
        break;
    }
    return count;
}

#define SCENES 9

static void smooth_bodies_come_to_rest(void** state) {
    (void)state;
    for (int scene = 0; scene < SCENES; ++scene) {
        cnWorldId world = make_floor();
        cnBodyId bodies[8];
        cnVec3 starts[8];
        int count = build_scene(world, scene, bodies);
        double mass = 0.0;
        for (int i = 0; i < count; ++i) {
            starts[i] = cnBody_GetPosition(world, bodies[i]);
            mass += cnBody_GetMass(world, bodies[i]);
        }
        step_world(world, 120);
        double energy = cnWorld_GetKineticEnergy(world) / mass;
        // a cylinder that lies on a block rolls off: its weight tilts that by the compliance of the contacts
        bool rolls = scene == 4;
        assert_true(energy < (rolls ? 3e-5 : 1e-6));
        for (int i = 0; i < count; ++i) {
            double moved = cnLength(cnSub(cnBody_GetPosition(world, bodies[i]), starts[i]));
            assert_true(moved < (rolls ? 0.03 : 0.006));
        }
        assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
    }
}

int main(void) {
    return run_all(distance_or_depth_is_the_least_over_directions, degenerate_and_extreme_pairs_are_exact,
                   manifolds_of_smooth_pairs_keep_the_laws, casts_end_at_the_first_contact,
                   a_cast_from_inside_says_so, solids_lie_on_a_triangle, triangles_say_what_was_touched,
                   level_edges_do_not_push, a_floor_of_level_triangles_pushes_up, smooth_bodies_come_to_rest);
}
