// Half-spaces against everything else: the vertices, ends or lowest point within the margin.
#include "collide/collide.h"

// Vertices of a polytope below a plane; of very many, the lowest and those extreme in 32 directions.
static void CollideVertices(const cnPair* pair, const cnPolytope* polytope, cnLocalManifold* manifold) {
    // the plane in B's frame
    cnVec3 normal = cnMulMatT(pair->pose.axes, pair->a->normal);
    double offset = pair->a->offset - cnDot(pair->a->normal, pair->pose.position);
    cnVec3 tangent = cnFindTangent(normal);

    // vertices within the margin
    cnLocalPoint candidates[CN_MAX_CANDIDATES];
    int count = 0;
    int lowest = 0;
    double least = INFINITY;
    for (int i = 0; i < polytope->vertexCount; ++i) {
        double height = cnDot(normal, polytope->vertices[i]) - offset;
        if (height <= pair->margin) {
            if (count < CN_MAX_CANDIDATES) {
                candidates[count] = (cnLocalPoint){cnMulAdd(polytope->vertices[i], -0.5 * height, normal),
                                                   -height, (uint32_t)i};
            }
            ++count;
            lowest = height < least ? i : lowest;
            least = cnMin(height, least);
        }
    }

    // too many: the lowest and the extreme ones
    if (count > CN_MAX_CANDIDATES) {
        count = 0;
        for (int step = -1; step < CN_DIRECTION_COUNT; ++step) {
            int best = lowest;
            if (step >= 0) {
                cnVec3 direction = cnTurnTangent(normal, tangent, step);
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

    // to A's frame
    manifold->normal = pair->a->normal;
    for (int i = 0; i < manifold->count; ++i) {
        manifold->points[i].point = cnToA(&pair->pose, manifold->points[i].point);
    }
}

void cnCollidePlane(const cnPair* pair, cnLocalManifold* manifold) {
    cnVec3 normal = pair->a->normal;
    if (pair->b->type == cn_box || pair->b->type == cn_convex) {
        cnBoxStorage storage;
        cnPolytope polytope = cnGetPolytope(pair->b, &storage);
        CollideVertices(pair, &polytope, manifold);
        return;
    }

    // a ball, or the two ends of a capsule
    manifold->normal = normal;
    cnVec3 half = cnScale(pair->b->halfHeight, pair->pose.axes.y);
    int ends = pair->b->halfHeight > 0.0 ? 2 : 1;
    for (int end = 0; end < ends; ++end) {
        cnVec3 centre = end == 0 ? cnSub(pair->pose.position, half) : cnAdd(pair->pose.position, half);
        double height = cnDot(normal, centre) - pair->a->offset;
        if (height - pair->b->radius <= pair->margin) {
            cnAddLocalPoint(manifold, cnMulAdd(centre, -height, normal), height - pair->b->radius,
                            (uint32_t)end);
        }
    }
}
