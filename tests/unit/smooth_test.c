// Cylinders, cones and the general algorithms of convex shapes, against a slow reference: supports written anew, and the least
// depth by dense sampling of directions with a local search from the best of them.
//
// The depth along a direction n is h(n), and the true one the least h(n) over all n; apart, the distance is −h at the least. So
// an answer is right where its own h(n) is the depth it states (it is not too deep) and no sample has a lower one.
#include "collide/collide.h"
#include "geometry/penetration.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cairn/geometry.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CASES(count) ((count) / 10)
#else
#define CASES(count) (count)
#endif

// ---- random numbers -------------------------------------------------------------------------------------------------

static uint64_t randomState = 1;

static double Random(double lower, double upper) {
    randomState = randomState * 6364136223846793005u + 1442695040888963407u;
    return lower + (upper - lower) * ((double)(randomState >> 11) / 9007199254740992.0);
}

static int RandomInt(int count) {
    return (int)Random(0.0, count);
}

static cnVec3 RandomDirection(void) {
    for (;;) {
        cnVec3 v = {Random(-1.0, 1.0), Random(-1.0, 1.0), Random(-1.0, 1.0)};
        if (cnLength(v) > 0.1 && cnLength(v) < 1.0) {
            return cnNormalize(v);
        }
    }
}

static cnQuat RandomRotation(void) {
    cnQuat q = {Random(-1.0, 1.0), Random(-1.0, 1.0), Random(-1.0, 1.0), Random(-1.0, 1.0)};
    return cnNormalizeQuat(q);
}

// Anything, a turn by quarters, or almost that.
static cnQuat RandomPlacedRotation(void) {
    static const double half = 0.70710678118654752440;
    int kind = RandomInt(3);
    if (kind == 0) {
        return RandomRotation();
    }
    cnQuat turn = cnQuat_identity;
    for (int i = 0; i < 3; ++i) {
        cnQuat quarter = {i == 0 ? half : 0.0, i == 1 ? half : 0.0, i == 2 ? half : 0.0, half};
        turn = RandomInt(2) == 0 ? turn : cnMulQuat(turn, quarter);
    }
    if (kind == 2) {
        double tilt = RandomInt(2) == 0 ? 1e-3 : 0.05;
        cnVec3 v = cnScale(tilt, RandomDirection());
        turn = cnNormalizeQuat(cnMulQuat(turn, (cnQuat){v.x, v.y, v.z, 1.0}));
    }
    return turn;
}

// ---- shapes ---------------------------------------------------------------------------------------------------------

static double RandomLength(double size) {
    int kind = RandomInt(6);
    return size * (kind == 0 ? Random(0.01, 0.05) : kind == 1 ? 1.0 : Random(0.1, 1.0));
}

static void MakeShape(cnShape* shape, const cnShapeDef* def) {
    assert_int_equal(cnShape_Init(shape, def, "smooth_test"), CN_ERROR_NONE);
}

// A cylinder or cone of the given least radius and lengths.
static void MakeRandomShape(cnShape* shape, cnShapeType type, double size) {
    cnShapeDef def = {.type = type};
    cnVec3 points[12];
    def.radius = RandomLength(size);
    def.height = RandomLength(2.0 * size);
    def.halfExtents = cnVec(RandomLength(size), RandomLength(size), RandomLength(size));
    int kind = RandomInt(4);
    def.bottomRadius = kind == 0 ? 0.0 : RandomLength(size);
    def.topRadius = kind == 1 || (kind != 0 && RandomInt(2) == 0) ? 0.0 : RandomLength(size);
    if (type == cn_convex) {
        def.points = points;
        def.pointCount = 4 + RandomInt(9);
        for (int i = 0; i < def.pointCount; ++i) {
            points[i] = cnMul(RandomDirection(), def.halfExtents);
        }
    }
    MakeShape(shape, &def);
}

// ---- the reference --------------------------------------------------------------------------------------------------

typedef struct Placed {
    const cnShape* shape;
    cnMat33 axes;
    cnVec3 position;
} Placed;

static Placed Place(const cnShape* shape, cnPose pose) {
    return (Placed){shape, cnMatFromQuat(pose.rotation), pose.position};
}

// How far a shape reaches along a world direction.
static double GetReach(const Placed* placed, cnVec3 direction) {
    const cnShape* shape = placed->shape;
    cnVec3 d = cnMulMatT(placed->axes, direction);
    double across = sqrt(d.x * d.x + d.z * d.z);
    double base = cnDot(placed->position, direction);
    double most = -INFINITY;
    switch (shape->type) {
    case cn_sphere:
        return base + shape->radius * cnLength(d);
    case cn_capsule:
        return base + shape->radius * cnLength(d) + shape->halfHeight * fabs(d.y);
    case cn_box:
        return base + cnDot(cnAbs(d), shape->halfExtents);
    case cn_convex:
        for (int i = 0; i < shape->hull->vertexCount; ++i) {
            most = cnMax(most, cnDot(d, shape->hull->vertices[i]));
        }
        return base + most;
    default:
        return base + cnMax(shape->profile.lower * d.y + shape->profile.outerLower * across,
                            shape->profile.upper * d.y + shape->profile.outerUpper * across);
    }
}

static double GetDepthAlong(const Placed* a, const Placed* b, cnVec3 n) {
    return GetReach(a, n) + GetReach(b, cnNeg(n));
}

// Goes down from a direction by steps to the side that shrink where none helps.
static double Improve(const Placed* a, const Placed* b, cnVec3 n, double step) {
    double best = GetDepthAlong(a, b, n);
    for (int tries = 0; step > 1e-9; ++tries) {
        bool better = false;
        for (int i = 0; i < 8 && !better; ++i) {
            cnVec3 side = RandomDirection();
            cnVec3 moved = cnNormalize(cnMulAdd(n, step, side));
            double depth = GetDepthAlong(a, b, moved);
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

static double GetLeastDepth(const Placed* a, const Placed* b) {
    enum {
        samples = 600,
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
        double depth = GetDepthAlong(a, b, n);
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
    double least = INFINITY;
    for (int i = 0; i < kept; ++i) {
        least = cnMin(least, Improve(a, b, best[i], 0.1));
    }
    return least;
}

// ---- distances and depths -------------------------------------------------------------------------------------------

static const cnShapeType convexTypes[] = {cn_sphere, cn_capsule, cn_box, cn_convex, cn_cylinder, cn_cone};
#define CONVEX_TYPES ((int)(sizeof convexTypes / sizeof *convexTypes))

static cnRelativePose SeeFrom(cnPose a, cnPose b) {
    cnMat33 axesA = cnMatFromQuat(a.rotation);
    cnMat33 axesB = cnMatFromQuat(b.rotation);
    return (cnRelativePose){{cnMulMatT(axesA, axesB.x), cnMulMatT(axesA, axesB.y), cnMulMatT(axesA, axesB.z)},
                            cnMulMatT(axesA, cnSub(b.position, a.position))};
}

static cnPose RandomPoseNear(double reach) {
    return (cnPose){cnScale(Random(0.0, reach), RandomDirection()), RandomPlacedRotation()};
}

static void distance_or_depth_is_the_least_over_directions(void** state) {
    (void)state;
    randomState = 11;
    int overlaps = 0;
    double worst = 0.0;
    for (int i = 0; i < CASES(4000); ++i) {
        cnShape a, b;
        double ratio = RandomInt(5) == 0 ? 1e-4 : 1.0;
        MakeRandomShape(&a, convexTypes[RandomInt(CONVEX_TYPES)], 1.0);
        MakeRandomShape(&b, convexTypes[RandomInt(CONVEX_TYPES)], ratio);
        cnPose poseA = RandomPoseNear(1.0);
        cnPose poseB = RandomPoseNear(2.0);
        cnRelativePose pose = SeeFrom(poseA, poseB);
        cnSupportShape supportA, supportB;
        assert_true(cnSupportShape_Init(&supportA, &a) && cnSupportShape_Init(&supportB, &b));
        cnSupportDistance answer;
        assert_true(cnComputeSupportDistance(&supportA, &supportB, &pose, INFINITY, &answer));

        Placed placedA = Place(&a, poseA), placedB = Place(&b, poseB);
        cnVec3 normal = cnMulMat(placedA.axes, answer.normal);
        assert_true(fabs(cnLength(normal) - 1.0) < 1e-12);
        assert_true(fabs(GetDepthAlong(&placedA, &placedB, normal) + answer.distance) < 1e-8);
        double excess = -answer.distance - GetLeastDepth(&placedA, &placedB);
        worst = cnMax(worst, excess);

        // points
        cnVec3 gap = cnSub(answer.pointB, answer.pointA);
        double error = cnLength(cnMulAdd(gap, -answer.distance, answer.normal));
        assert_true(error < 1e-5);
        overlaps += answer.distance < 0.0 ? 1 : 0;
        cnShape_Free(&a);
        cnShape_Free(&b);
    }
    assert_true(worst < 1e-9 && overlaps > CASES(1000));
}

// ---- manifolds ------------------------------------------------------------------------------------------------------

// A pose in which the two overlap, touch or are nearly within the margin.
static cnPose PlaceNear(const cnShape* a, cnPose poseA, const cnShape* b, double size) {
    cnPose poseB = {cnVec3_zero, RandomPlacedRotation()};
    cnVec3 direction = RandomInt(2) == 0 ? RandomDirection() : cnMatFromQuat(poseA.rotation).y;
    poseB.position = cnMulAdd(poseA.position, 4.0, direction);
    poseB.position = cnMulAdd(poseB.position, Random(0.0, 0.3) * size, RandomDirection());
    Placed placedA = Place(a, poseA), placedB = Place(b, poseB);
    double gap = -GetLeastDepth(&placedA, &placedB);
    double overlap = RandomInt(3) == 0 ? Random(0.0, size) : Random(-0.02, 0.05) * size;
    poseB.position = cnMulAdd(poseB.position, -gap - overlap, direction);
    return poseB;
}

static double GetDeepest(const cnManifold* manifold) {
    double deepest = -INFINITY;
    for (int i = 0; i < manifold->pointCount; ++i) {
        deepest = cnMax(deepest, manifold->points[i].depth);
    }
    return deepest;
}

static double MeasureOffSurface(const cnShape* shape, cnPose pose, cnVec3 point) {
    cnSurfacePoint nearest;
    assert_true(cnShape_FindClosest(shape, cnInvTransformPoint(pose, point), INFINITY, &nearest));
    return fabs(nearest.distance);
}

static void CheckManifold(const cnShape* a, cnPose poseA, const cnShape* b, cnPose poseB, double margin,
                          double depth, const cnManifold* manifold) {
    double size = cnMin(a->leastHalfExtent, b->leastHalfExtent);
    double tolerance = 0.003 * size + 0.03 * fabs(depth) + 1e-6;
    double deepest = GetDeepest(manifold);
    if (manifold->pointCount == 0) {
        if (!(depth < -margin + tolerance))
            print_message("types %d %d depth %g none\n", a->type, b->type, depth);
        return;
    }
    if (!(fabs(deepest - depth) <= tolerance))
        print_message("types %d %d depth %g got %g\n", a->type, b->type, depth, deepest);
    cnVec3 normal = {manifold->normal.x, manifold->normal.y, manifold->normal.z};
    assert_true(fabs(cnLength(normal) - 1.0) < 1e-5);
    assert_true(manifold->pointCount <= 4);
    for (int i = 0; i < manifold->pointCount; ++i) {
        cnVec3f p = manifold->points[i].point;
        cnVec3 point = cnAdd(manifold->origin, cnVec(p.x, p.y, p.z));
        double half = 0.5 * manifold->points[i].depth;
        double offA = MeasureOffSurface(a, poseA, cnMulAdd(point, -half, normal));
        double offB = MeasureOffSurface(b, poseB, cnMulAdd(point, half, normal));
        if (!(cnMax(offA, offB) <= tolerance))
            print_message("types %d %d depth %g off %g %g tol %g point %d of %d\n", a->type, b->type, depth,
                          offA, offB, tolerance, i, manifold->pointCount);
        assert_true(-2.0 * half <= margin + 1e-6);
        for (int j = 0; j < i; ++j) {
            assert_true(manifold->points[i].feature != manifold->points[j].feature);
        }
    }
}

static void manifolds_of_smooth_pairs_keep_the_laws(void** state) {
    (void)state;
    randomState = 5;
    for (int i = 0; i < CASES(3000); ++i) {
        cnShape a, b;
        double ratio = RandomInt(5) == 0 ? 0.01 : 1.0;
        MakeRandomShape(&a, RandomInt(2) == 0 ? cn_cylinder : cn_cone, 1.0);
        MakeRandomShape(&b, convexTypes[RandomInt(CONVEX_TYPES)], ratio);
        double size = cnMin(a.leastHalfExtent, b.leastHalfExtent);
        double margin = 0.01;
        cnPose poseA = {cnScale(Random(0.0, 3.0), RandomDirection()), RandomRotation()};
        cnPose poseB = PlaceNear(&a, poseA, &b, size);
        Placed placedA = Place(&a, poseA), placedB = Place(&b, poseB);
        double depth = GetLeastDepth(&placedA, &placedB);
        cnCollideCache cache = {0};
        cnManifold manifold, again, swapped;
        cnCollideShapes(&a, poseA, &b, poseB, margin, &cache, &manifold);
        CheckManifold(&a, poseA, &b, poseB, margin, depth, &manifold);

        // with last step's cache, of a pose not far
        cnPose near = poseB;
        near.position = cnMulAdd(near.position, 0.01 * size, RandomDirection());
        cnCollideShapes(&a, poseA, &b, near, margin, &cache, &again);
        cnCollideShapes(&a, poseA, &b, poseB, margin, &cache, &again);
        CheckManifold(&a, poseA, &b, poseB, margin, depth, &again);

        // the other way round
        cache = (cnCollideCache){0};
        cnCollideShapes(&b, poseB, &a, poseA, margin, &cache, &swapped);
        CheckManifold(&b, poseB, &a, poseA, margin, depth, &swapped);
        if (a.type != b.type) {
            assert_int_equal(swapped.pointCount, manifold.pointCount);
        }

        // turned and moved as one
        cnPose turn = {cnVec(1.0, -2.0, 0.5), RandomRotation()};
        cnPose turnedA = cnMulPose(turn, poseA), turnedB = cnMulPose(turn, poseB);
        cache = (cnCollideCache){0};
        cnCollideShapes(&a, turnedA, &b, turnedB, margin, &cache, &again);
        CheckManifold(&a, turnedA, &b, turnedB, margin, depth, &again);
        cnShape_Free(&a);
        cnShape_Free(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_or_depth_is_the_least_over_directions),
        cmocka_unit_test(manifolds_of_smooth_pairs_keep_the_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
