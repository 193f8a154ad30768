// Half-spaces against everything else: the vertices, ends or lowest point within the margin.
#include "collide/narrow/collide.h"
#include "geometry/shapes/revolved.h"

// From B's frame to A's.
static void BringToA(const cnShapePair* pair, cnLocalManifold* manifold) {
    manifold->normal = pair->a->normal;
    for (int i = 0; i < manifold->count; ++i) {
        manifold->points[i].point = cnToA(&pair->pose, manifold->points[i].point);
    }
}

// Vertices of a polytope below a plane; of very many, the lowest and those extreme in 32 directions.
static void CollideVertices(const cnShapePair* pair, const cnPolytope* polytope, cnLocalManifold* manifold) {
    // the plane in B's frame
    cnVec3 normal = cnMulMatT(pair->pose.axes, pair->a->normal);
    double offset = pair->a->offset - cnDot(pair->a->normal, pair->pose.position);
    cnVec3 tangent = cnFindTangent(normal);

    // vertices within the margin
    cnLocalPoint candidates[CN_MAX_CANDIDATES];
    int count = 0;
    int lowest = 0;
    double min = INFINITY;
    for (int i = 0; i < polytope->vertexCount; ++i) {
        double height = cnDot(normal, polytope->vertices[i]) - offset;
        if (height <= pair->margin) {
            if (count < CN_MAX_CANDIDATES) {
                candidates[count] = (cnLocalPoint){cnMulAdd(polytope->vertices[i], -0.5 * height, normal),
                                                   -height, (uint32_t)i};
            }
            ++count;
        }
        lowest = height < min ? i : lowest;
        min = cnMin(height, min);
    }
    if (count == 0) {
        cnSetGap(pair, min, pair->a->normal);
        return;
    }

    // too many: the lowest and the extreme ones
    if (count > CN_MAX_CANDIDATES) {
        count = 0;
        for (int step = -1; step < CN_DIRECTION_COUNT; ++step) {
            int best = lowest;
            if (step >= 0) {
                cnVec3 direction = cnRotateTangent(normal, tangent, step);
                for (int i = 0; i < polytope->vertexCount; ++i) {
                    if (cnDot(normal, polytope->vertices[i]) - offset <= pair->margin &&
                        cnDot(direction, polytope->vertices[i]) >
                            cnDot(direction, polytope->vertices[best])) {
                        best = i;
                    }
                }
            }
            double height = cnDot(normal, polytope->vertices[best]) - offset;
            cnVec3 point = cnMulAdd(polytope->vertices[best], -0.5 * height, normal);
            candidates[count++] = (cnLocalPoint){point, -height, (uint32_t)best};
        }
    }
    manifold->normal = normal;
    cnReducePoints(manifold, candidates, count, tangent, pair->size);
    BringToA(pair, manifold);
}

// Tilted less than this (rad), a cap stands.
#define STANDING_TILT 0.02

// A cylinder or a cone: of both rims the deepest point, the one opposite and those at the sides, so that it
// rolls smoothly on its side and rests on four points of a cap. Which point of a cap is deepest says nothing
// while it stands upright: its four points are then fixed to the plane, and the deepest joins them only if it
// is deeper. Holes make no difference.
static void CollideRims(const cnShapePair* pair, cnLocalManifold* manifold) {
    const cnRevolvedProfile* profile = &pair->b->profile;
    cnVec3 normal = cnMulMatT(pair->pose.axes, pair->a->normal);
    double offset = pair->a->offset - cnDot(pair->a->normal, pair->pose.position);
    cnVec3 planeTangent = cnMulMatT(pair->pose.axes, cnFindTangent(pair->a->normal));

    // directions across the axis: down, or, standing, any that moves with the plane
    double tilt = sqrt(normal.x * normal.x + normal.z * normal.z);
    cnVec3 down = tilt > 0.0 ? cnVec(-normal.x / tilt, 0.0, -normal.z / tilt) : cnVec3_zero;
    bool stands = tilt < STANDING_TILT;
    cnVec3 first = stands ? cnNormalize(cnVec(planeTangent.x, 0.0, planeTangent.z)) : down;
    const cnVec3 directions[5] = {first, cnVec(-first.z, 0.0, first.x), cnNeg(first),
                                  cnVec(first.z, 0.0, -first.x), down};

    cnLocalPoint candidates[10];
    int count = 0;
    double lowest = INFINITY;
    for (int rim = 0; rim < 2; ++rim) {
        double radius = rim == 0 ? profile->outerLower : profile->outerUpper;
        double min = INFINITY;
        int last = radius > 0.0 ? (stands ? 5 : 4) : 1;
        for (int i = 0; i < last; ++i) {
            cnVec3 point = cnScale(radius, directions[i]);
            point.y = rim == 0 ? profile->lower : profile->upper;
            double height = cnDot(normal, point) - offset;
            if (height <= pair->margin && (i < 4 || height < min - 1e-5 * pair->size)) {
                candidates[count++] =
                    (cnLocalPoint){cnMulAdd(point, -0.5 * height, normal), -height, (uint32_t)(8 * rim + i)};
            }
            min = cnMin(min, height);
        }
        lowest = cnMin(lowest, min);
    }
    if (count == 0) {
        cnSetGap(pair, lowest, pair->a->normal);
        return;
    }
    manifold->normal = normal;
    cnReducePoints(manifold, candidates, count, planeTangent, pair->size);
    if (stands && manifold->count == CN_MANIFOLD_POINTS) {
        bool isUpper = normal.y < 0.0;
        manifold->patch = cnMeasureRing(isUpper ? profile->innerUpper : profile->innerLower,
                                        isUpper ? profile->outerUpper : profile->outerLower);
    }
    BringToA(pair, manifold);
}

void cnCollidePlane(const cnShapePair* pair, cnLocalManifold* manifold) {
    cnVec3 normal = pair->a->normal;
    if (cnShape_Is(pair->b, cn_formPolytope)) {
        cnBoxStorage storage;
        cnPolytope polytope = cnGetPolytope(pair->b, &storage);
        CollideVertices(pair, &polytope, manifold);
        return;
    }

    if (cnIsRevolved(pair->b->type)) {
        CollideRims(pair, manifold);
        return;
    }

    // a ball, or the two ends of a capsule
    manifold->normal = normal;
    cnVec3 half = cnScale(pair->b->halfHeight, pair->pose.axes.y);
    int ends = pair->b->halfHeight > 0.0 ? 2 : 1;
    double lowest = INFINITY;
    for (int end = 0; end < ends; ++end) {
        cnVec3 centre = end == 0 ? cnSub(pair->pose.position, half) : cnAdd(pair->pose.position, half);
        double height = cnDot(normal, centre) - pair->a->offset;
        if (height - pair->b->radius <= pair->margin) {
            cnAddLocalPoint(manifold, cnMulAdd(centre, -height, normal), height - pair->b->radius,
                            (uint32_t)end);
        }
        lowest = cnMin(lowest, height - pair->b->radius);
    }
    if (manifold->count == 0) {
        cnSetGap(pair, lowest, normal);
    }
}
