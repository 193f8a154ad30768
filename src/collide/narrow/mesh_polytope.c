// A triangle of a surface against a box or a hull: the separating axis test of collide_polytope.c, one-sided.
//
// In B's frame, where only three corners have to be brought. The arcs of the triangle's edges on the
// Gauss map go from its normal to the normals across, so that crossings of edges are found within the
// normal cones alone.
#include "collide/manifolds/axis_slop.h"
#include "collide/narrow/mesh_contacts.h"
#include "geometry/distance.h"

// Front face 0 and back face 1 over corners 0, 1, 2.
static const cnHullEdge triangleEdges[6] = {{1, 3, 0, 0}, {2, 4, 1, 0}, {0, 5, 2, 0},
                                            {5, 0, 1, 1}, {3, 1, 2, 1}, {4, 2, 0, 1}};
static const uint16_t triangleFaceEdges[2] = {0, 3};
static const uint16_t triangleVertexEdges[3] = {0, 1, 2};

typedef struct LocalTriangle {
    cnVec3 corners[3]; // in B's frame
    cnHullPlane planes[2];
    cnPolytope view;
} LocalTriangle;

static void BringTriangle(const cnTriangle* triangle, const cnRelativePose* inverse, LocalTriangle* local) {
    for (int i = 0; i < 3; ++i) {
        local->corners[i] = cnToA(inverse, triangle->corners[i]);
    }
    cnVec3 normal = cnMulMat(inverse->axes, triangle->normal);
    double offset = cnDot(normal, local->corners[0]);
    local->planes[0] = (cnHullPlane){normal, offset};
    local->planes[1] = (cnHullPlane){cnNeg(normal), -offset};
    local->view = (cnPolytope){.vertexCount = 3,
                               .edgeCount = 6,
                               .faceCount = 2,
                               .vertices = local->corners,
                               .planes = local->planes,
                               .edges = triangleEdges,
                               .faceEdges = triangleFaceEdges,
                               .vertexEdges = triangleVertexEdges};
}

// An axis from the triangle to B, in B's frame.
typedef struct Axis {
    double separation;
    cnVec3 direction;
    int face;          // of B; −1
    int edge, edgeOfB; // of the triangle and B; −1
} Axis;

static Axis FindFaceAxis(const cnPolytope* b, const LocalTriangle* local, double margin) {
    Axis best = {.separation = -INFINITY, .face = -1, .edge = -1};
    for (int face = 0; face < b->faceCount && best.separation <= margin; ++face) {
        const cnHullPlane* plane = b->planes + face;
        double lowest =
            cnMin(cnMin(cnDot(plane->normal, local->corners[0]), cnDot(plane->normal, local->corners[1])),
                  cnDot(plane->normal, local->corners[2]));
        if (lowest - plane->offset > best.separation) {
            best = (Axis){lowest - plane->offset, cnNeg(plane->normal), face, -1, -1};
        }
    }
    return best;
}

static Axis FindEdgeAxis(const cnTriangle* triangle, const cnRelativePose* inverse, const cnPolytope* b,
                         const LocalTriangle* local, double margin) {
    Axis best = {.separation = -INFINITY, .face = -1, .edge = -1};
    cnVec3 normal = local->planes[0].normal;
    for (int edge = 0; edge < 3; ++edge) {
        if (triangle->edgeKinds[edge] == cn_edgeFlat || triangle->edgeKinds[edge] == cn_edgeConcave) {
            continue;
        }
        cnVec3 start = local->corners[edge];
        cnVec3 along = cnSub(local->corners[(edge + 1) % 3], start);
        cnVec3 across = triangle->edgeKinds[edge] == cn_edgeBoundary
                            ? cnNormalize(cnCross(along, normal))
                            : cnMulMat(inverse->axes, cnTriangle_GetNeighbourNormal(triangle, edge));
        for (int edgeB = 0; edgeB < b->edgeCount; ++edgeB) {
            int twin = b->edges[edgeB].twin;
            if (twin < edgeB) {
                continue;
            }
            cnVec3 startB = b->vertices[b->edges[edgeB].origin];
            cnVec3 alongB = cnSub(b->vertices[b->edges[twin].origin], startB);
            cnVec3 normalC = b->planes[b->edges[edgeB].face].normal;
            cnVec3 normalD = b->planes[b->edges[twin].face].normal;
            if (cnDot(normal, alongB) * cnDot(across, alongB) >= 0.0 ||
                cnDot(normalC, along) * cnDot(normalD, along) >= 0.0) {
                continue;
            }
            cnVec3 cross = cnCross(along, alongB);
            double lengthSquared = cnLengthSquared(cross);
            double side = cnDot(cross, cnAdd(normal, across));
            if (lengthSquared <= 1e-12 * cnLengthSquared(along) * cnLengthSquared(alongB) ||
                side * cnDot(cross, cnAdd(normalC, normalD)) >= 0.0) {
                continue;
            }
            cnVec3 direction = cnScale((side < 0.0 ? -1.0 : 1.0) / sqrt(lengthSquared), cross);
            double separation = cnDot(direction, cnSub(startB, start));
            if (separation > best.separation) {
                best = (Axis){separation, direction, -1, edge, edgeB};
                if (separation > margin) {
                    return best;
                }
            }
        }
    }
    return best;
}

// Which corners of the triangle a face of B meets first.
static uint32_t FindSupport(const LocalTriangle* local, cnVec3 direction) {
    double heights[3], highest = -INFINITY;
    for (int i = 0; i < 3; ++i) {
        heights[i] = cnDot(direction, local->corners[i]);
        highest = cnMax(highest, heights[i]);
    }
    double longest = cnMax(cnLengthSquared(cnSub(local->corners[1], local->corners[0])),
                           cnLengthSquared(cnSub(local->corners[2], local->corners[0])));
    uint32_t corners = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        corners |= (uint32_t)(highest - heights[i] <= CN_FREE_SLOPE * sqrt(longest)) << i;
    }
    return corners;
}

static void BuildManifold(const cnMeshVisit* visit, const LocalTriangle* local, const Axis* axis,
                          cnLocalManifold* manifold) {
    static const cnRelativePose same = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    const cnShapePair* pair = visit->pair;
    const cnPolytope* b = &visit->polytope;
    manifold->count = 0;
    if (axis->edge >= 0) {
        cnVec3 start = local->corners[axis->edge];
        cnVec3 along = cnSub(local->corners[(axis->edge + 1) % 3], start);
        cnVec3 startB = b->vertices[b->edges[axis->edgeOfB].origin];
        cnVec3 alongB = cnSub(b->vertices[b->edges[b->edges[axis->edgeOfB].twin].origin], startB);
        double s, t;
        cnFindClosestOnSegments(start, along, startB, alongB, &s, &t);
        cnVec3 onA = cnMulAdd(start, s, along);
        manifold->normal = axis->direction;

        // edges that pass beside each other do not touch here
        double gap = cnLength(cnSub(cnMulAdd(startB, t, alongB), onA));
        if (gap <= fabs(axis->separation) * (1.0 + 1e-6) + CN_TOUCH_SLOP * pair->size) {
            cnAddLocalPoint(
                manifold, onA, axis->separation,
                cnFeatureOfEdges((uint32_t)axis->edge, (uint32_t)axis->edgeOfB | CN_FEATURE_OF_B));
        }
    } else if (axis->face >= 0) {
        cnBuildFaceManifold(b, axis->face, CN_FEATURE_OF_B, &local->view, &same, pair->margin, pair->size,
                            manifold);
        manifold->normal = cnNeg(manifold->normal);
    } else {
        cnBuildFaceManifold(&local->view, 0, 0, b, &same, pair->margin, pair->size, manifold);
    }
}

// Corners that face each other, apart.
static void BuildClosest(const cnMeshVisit* visit, const cnTriangle* triangle, const LocalTriangle* local,
                         cnLocalManifold* manifold) {
    static const cnRelativePose same = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    const cnShapePair* pair = visit->pair;
    cnDistance closest = cnComputeDistance(&local->view, &visit->polytope, &same);
    if (closest.distance <= CN_TOUCH_SLOP * pair->size || closest.distance > pair->margin) {
        return;
    }
    uint32_t part;
    cnFindClosestOnTriangle(local->corners, closest.pointB, &part);
    cnVec3 normal = cnNormalize(cnSub(closest.pointB, closest.pointA));
    if (cnIsFreeAtCorners(pair->a, triangle, part, cnMulMat(pair->pose.axes, normal))) {
        manifold->normal = normal;
        cnAddLocalPoint(manifold, closest.pointA, closest.distance, CN_FEATURE_CLOSEST);
    }
}

void cnCollideTrianglePolytope(cnMeshVisit* visit, const cnTriangle* triangle) {
    const cnShapePair* pair = visit->pair;
    const cnPolytope* b = &visit->polytope;
    cnRelativePose inverse = cnInvRelativePose(&pair->pose);
    LocalTriangle local;
    BringTriangle(triangle, &inverse, &local);

    // separation along all axes
    cnVec3 normal = local.planes[0].normal;
    int lowest = cnPolytope_GetSupport(b, cnNeg(normal), 0);
    Axis own = {cnDot(normal, b->vertices[lowest]) - local.planes[0].offset, normal, -1, -1, -1};
    if (own.separation > pair->margin) {
        return;
    }
    Axis face = FindFaceAxis(b, &local, pair->margin);
    if (face.separation > pair->margin) {
        return;
    }
    Axis edge = FindEdgeAxis(triangle, &inverse, b, &local, pair->margin);
    if (edge.separation > pair->margin) {
        return;
    }

    // the best, the triangle's own if nearly so
    cnCollideCache none = {0};
    Axis best = own;
    if (face.separation > best.separation + 4.0 * cnGetFaceSlop(pair->size, best.separation)) {
        uint32_t support = FindSupport(&local, face.direction);
        bool isFree =
            cnDot(face.direction, normal) >
                -CN_FREE_SLOPE && // across it, as a box's that lies aligned, counts
            cnIsFreeAtCorners(pair->a, triangle, support, cnMulMat(pair->pose.axes, face.direction));
        best = isFree ? face : best;
    }
    bool isFlat = fabs(cnDot(edge.direction, best.direction)) > CN_FLAT_COSINE;
    if (!isFlat && edge.separation > best.separation + cnGetEdgeSlop(&none, pair->size, best.separation)) {
        best = edge;
    }

    // what lies behind is another triangle's, and so is what hardly reaches under this one
    double max = cnMax(own.separation, cnMax(face.separation, edge.separation));
    bool inFront = visit->solid || cnDot(triangle->normal, cnSub(visit->centre, triangle->corners[0])) > 0.0;
    bool isOwn = best.face < 0 && best.edge < 0;
    if (isOwn && (!inFront || own.separation < 4.0 * max - 0.01 * pair->size)) {
        return;
    }
    cnLocalManifold manifold = {.count = 0};
    BuildManifold(visit, &local, &best, &manifold);
    if (manifold.count == 0 && max > -1e-6 * pair->size) {
        BuildClosest(visit, triangle, &local, &manifold);
    } else if (manifold.count == 0 && !isOwn && inFront) {
        BuildManifold(visit, &local, &own, &manifold);
    }

    // to A's frame
    cnVec3 normalA = cnMulMat(pair->pose.axes, manifold.normal);
    for (int i = 0; i < manifold.count; ++i) {
        const cnLocalPoint* point = &manifold.points[i];
        cnVec3 onA = cnMulAdd(cnToA(&pair->pose, point->point), 0.5 * point->depth, normalA);
        cnAddMeshPoint(visit, triangle, onA, normalA, point->depth, point->feature);
    }
}
