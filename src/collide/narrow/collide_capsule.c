// Capsules against capsules, boxes and hulls: closest points of the segment, two points where it lies
// along a face or edge.
#include "collide/narrow/collide.h"
#include "geometry/distance.h"

// Ends of the part of two capsules that lie side by side make a point each while the axes part sideways by
// less than this over it, in units of the smaller radius: the points are off by half its square.
#define SIDE_TOLERANCE 0.01

void cnCollideCapsuleCapsule(const cnShapePair* pair, cnLocalManifold* manifold) {
    // closest points of the axes
    double radiusA = pair->a->radius;
    double radiusB = pair->b->radius;
    cnVec3 startA = cnVec(0.0, -pair->a->halfHeight, 0.0);
    cnVec3 alongA = cnVec(0.0, 2.0 * pair->a->halfHeight, 0.0);
    cnVec3 halfB = cnScale(pair->b->halfHeight, pair->pose.axes.y);
    cnVec3 startB = cnSub(pair->pose.position, halfB);
    cnVec3 alongB = cnScale(2.0, halfB);
    double s, t;
    cnFindClosestOnSegments(startA, alongA, startB, alongB, &s, &t);
    cnVec3 onA = cnMulAdd(startA, s, alongA);
    cnVec3 onB = cnMulAdd(startB, t, alongB);
    cnVec3 between = cnSub(onB, onA);
    double distance = cnLength(between);
    if (distance - radiusA - radiusB > pair->margin) {
        cnSetGap(pair, distance - radiusA - radiusB, cnScale(1.0 / distance, between));
        return;
    }

    // crossing axes part along their common perpendicular
    if (distance > 1e-12 * (radiusA + radiusB)) {
        manifold->normal = cnScale(1.0 / distance, between);
    } else {
        cnVec3 across = cnNormalize(cnCross(alongA, alongB));
        manifold->normal = cnLengthSquared(across) > 0.0 ? across : cnVec(1.0, 0.0, 0.0);
    }

    // the part of A's axis that B's axis lies beside
    double lengthA = 2.0 * pair->a->halfHeight;
    double from = startB.y + pair->a->halfHeight;
    double to = from + alongB.y;
    double lower = cnClamp(cnMin(from, to), 0.0, lengthA);
    double upper = cnClamp(cnMax(from, to), 0.0, lengthA);
    bool beside = upper - lower > 0.05 * (radiusA + radiusB) && fabs(alongB.y) > 0.9 * cnLength(alongB);
    if (beside) {
        cnLocalManifold both = {.normal = manifold->normal};
        for (int end = 0; end < 2 && beside; ++end) {
            double height = end == 0 ? lower : upper;
            cnVec3 axisA = cnVec(0.0, height - pair->a->halfHeight, 0.0);
            cnVec3 axisB = cnMulAdd(startB, cnClamp((height - from) / alongB.y, 0.0, 1.0), alongB);
            cnVec3 gap = cnSub(axisB, axisA);
            double along = cnDot(gap, both.normal);
            double aside = cnLength(cnMulAdd(gap, -along, both.normal));
            beside = aside <= SIDE_TOLERANCE * cnMin(radiusA, radiusB) && along > 0.0;
            double separation = cnLength(gap) - radiusA - radiusB;
            if (beside && separation <= pair->margin) {
                cnAddLocalPoint(&both, cnMulAdd(axisA, radiusA, both.normal), separation, (uint32_t)end);
            }
        }
        if (beside && both.count == 2) {
            *manifold = both;
            return;
        }
    }
    uint32_t feature = s > 0.5 ? 1 : 0;
    cnAddLocalPoint(manifold, cnMulAdd(onA, radiusA, manifold->normal), distance - radiusA - radiusB,
                    feature);
}

// Cuts the segment start + f·along, f in [*from, *to], by the half-space normal·x <= offset; false where
// nothing is left.
static bool CutSegment(cnVec3 start, cnVec3 along, cnVec3 normal, double offset, double tolerance,
                       double* from, double* to) {
    double startHeight = cnDot(normal, start) - offset;
    double rise = cnDot(normal, along);
    double atFrom = startHeight + *from * rise;
    double atTo = startHeight + *to * rise;
    if (atFrom > tolerance && atTo > tolerance) {
        return false;
    }
    if (atFrom > tolerance) {
        *from = cnClamp(-startHeight / rise, *from, *to);
    } else if (atTo > tolerance) {
        *to = cnClamp(-startHeight / rise, *from, *to);
    }
    return true;
}

// Both ends of the part of the capsule above a face.
static void AddFacePoints(const cnShapePair* pair, const cnPolytope* polytope, int face, cnVec3 start,
                          cnVec3 along, cnLocalManifold* manifold) {
    const cnHullPlane* plane = polytope->planes + face;
    double from = 0.0;
    double to = 1.0;
    int first = polytope->faceEdges[face];
    int edge = first;
    do {
        int next = polytope->edges[edge].next;
        cnVec3 origin = polytope->vertices[polytope->edges[edge].origin];
        cnVec3 side = cnSub(polytope->vertices[polytope->edges[next].origin], origin);
        cnVec3 out = cnNormalize(cnCross(side, plane->normal));
        if (!CutSegment(start, along, out, cnDot(out, origin), 1e-9 * pair->size, &from, &to)) {
            return;
        }
        edge = next;
    } while (edge != first);

    // ends so close that they say the same are one
    bool one = (to - from) * cnLength(along) < 1e-3 * pair->size;
    manifold->normal = plane->normal;
    for (int end = 0; end < (one ? 1 : 2); ++end) {
        cnVec3 point = cnMulAdd(start, end == 0 ? from : to, along);
        double height = cnDot(plane->normal, point) - plane->offset;
        if (height - pair->b->radius <= pair->margin) {
            cnAddLocalPoint(manifold, cnMulAdd(point, -height, plane->normal), height - pair->b->radius,
                            (uint32_t)end);
        }
    }
}

// Both ends of the part of the capsule beside an edge that it lies along.
static void AddEdgePoints(const cnShapePair* pair, const cnPolytope* polytope, int edge, cnVec3 start,
                          cnVec3 along, cnVec3 normal, cnLocalManifold* manifold) {
    cnVec3 origin = polytope->vertices[polytope->edges[edge].origin];
    cnVec3 side = cnSub(polytope->vertices[polytope->edges[polytope->edges[edge].twin].origin], origin);
    cnVec3 direction = cnNormalize(side);
    double from = 0.0;
    double to = 1.0;
    if (!CutSegment(start, along, direction, cnDot(direction, origin) + cnLength(side), 0.0, &from, &to) ||
        !CutSegment(start, along, cnNeg(direction), -cnDot(direction, origin), 0.0, &from, &to)) {
        return;
    }
    if ((to - from) * cnLength(along) < 1e-3 * pair->size) {
        return;
    }
    manifold->normal = normal;
    for (int end = 0; end < 2; ++end) {
        cnVec3 point = cnMulAdd(start, end == 0 ? from : to, along);
        cnVec3 onEdge = cnMulAdd(origin, cnDot(cnSub(point, origin), direction), direction);
        cnVec3 gap = cnSub(point, onEdge);
        double height = cnLength(gap);
        double aside = cnLength(cnMulAdd(gap, -cnDot(gap, normal), normal));
        if (aside > SIDE_TOLERANCE * pair->b->radius || height - pair->b->radius > pair->margin) {
            manifold->count = 0;
            return;
        }
        cnAddLocalPoint(manifold, onEdge, height - pair->b->radius, (uint32_t)end);
    }
}

// The least way out of a polytope for a segment that reaches into it: by a face, or across an edge.
static void CollideCrossing(const cnShapePair* pair, const cnPolytope* polytope, cnVec3 start, cnVec3 along,
                            cnLocalManifold* manifold) {
    cnVec3 end = cnAdd(start, along);
    int bestFace = 0;
    double bestFaceSeparation = -INFINITY;
    for (int face = 0; face < polytope->faceCount; ++face) {
        const cnHullPlane* plane = polytope->planes + face;
        double separation = cnMin(cnDot(plane->normal, start), cnDot(plane->normal, end)) - plane->offset;
        if (separation > bestFaceSeparation) {
            bestFaceSeparation = separation;
            bestFace = face;
        }
    }

    // edges whose arc on the Gauss map meets the circle of normals of the segment
    int bestEdge = -1;
    double bestEdgeSeparation = -INFINITY;
    cnVec3 bestAxis = cnVec3_zero;
    for (int edge = 0; edge < polytope->edgeCount; ++edge) {
        int twin = polytope->edges[edge].twin;
        if (twin < edge) {
            continue;
        }
        cnVec3 normal1 = polytope->planes[polytope->edges[edge].face].normal;
        cnVec3 normal2 = polytope->planes[polytope->edges[twin].face].normal;
        if (cnDot(normal1, along) * cnDot(normal2, along) >= 0.0) {
            continue;
        }
        cnVec3 origin = polytope->vertices[polytope->edges[edge].origin];
        cnVec3 side = cnSub(polytope->vertices[polytope->edges[twin].origin], origin);
        cnVec3 axis = cnCross(side, along);
        double length = cnLength(axis);
        if (!(length > 1e-9 * sqrt(cnLengthSquared(side) * cnLengthSquared(along)))) {
            continue;
        }
        axis = cnScale(cnDot(axis, cnAdd(normal1, normal2)) < 0.0 ? -1.0 / length : 1.0 / length, axis);
        double separation = cnDot(axis, cnSub(start, origin));
        if (separation > bestEdgeSeparation) {
            bestEdgeSeparation = separation;
            bestEdge = edge;
            bestAxis = axis;
        }
    }

    if (bestEdge < 0 || bestEdgeSeparation <= bestFaceSeparation + 1e-3 * pair->size) {
        AddFacePoints(pair, polytope, bestFace, start, along, manifold);
        double deepest = -INFINITY;
        for (int i = 0; i < manifold->count; ++i) {
            deepest = cnMax(deepest, manifold->points[i].depth);
        }
        if (manifold->count > 0 &&
            (bestEdge < 0 || deepest >= pair->b->radius - bestFaceSeparation - 2e-3 * pair->size)) {
            return;
        }
        manifold->count = 0;
    }
    if (bestEdge < 0) {
        // the segment's lower end, beside the face by rounding
        const cnHullPlane* plane = polytope->planes + bestFace;
        cnVec3 lower = cnDot(plane->normal, start) <= cnDot(plane->normal, end) ? start : end;
        manifold->normal = plane->normal;
        cnAddLocalPoint(manifold, cnMulAdd(lower, -bestFaceSeparation, plane->normal),
                        bestFaceSeparation - pair->b->radius, 0);
        return;
    }
    cnVec3 origin = polytope->vertices[polytope->edges[bestEdge].origin];
    cnVec3 side = cnSub(polytope->vertices[polytope->edges[polytope->edges[bestEdge].twin].origin], origin);
    double s, t;
    cnFindClosestOnSegments(origin, side, start, along, &s, &t);
    manifold->normal = bestAxis;
    cnAddLocalPoint(manifold, cnMulAdd(origin, s, side), bestEdgeSeparation - pair->b->radius,
                    t > 0.5 ? 1 : 0);
}

// Closest points of a box or a hull and a capsule's axis; of a hull that is out of reach, at least how far.
static void FindClosest(const cnShapePair* pair, cnVec3 start, cnVec3 along, cnDistance* closest) {
    if (pair->a->type == cn_box) {
        cnVec3 half = pair->a->halfExtents;
        closest->pointB = cnMulAdd(start, cnFindClosestToBox(start, along, half), along);
        closest->pointA = cnMaxVec(cnNeg(half), cnMinVec(closest->pointB, half));
        closest->distance = cnLength(cnSub(closest->pointB, closest->pointA));
        return;
    }
    const cnHull* hull = pair->a->hull;
    cnSupportShape core = {.kind = cn_supportCorners, .centre = hull->centre};
    core.corners = cnPolytope_FromHull(hull);
    cnSupportShape axis = {.kind = cn_supportBox, .halfExtents = {0.0, pair->b->halfHeight, 0.0}};
    cnComputeCoreDistance(&core, &axis, &pair->pose, pair->margin + pair->b->radius, 0.0, closest);
}

void cnCollidePolytopeCapsule(const cnShapePair* pair, cnLocalManifold* manifold) {
    cnVec3 half = cnScale(pair->b->halfHeight, pair->pose.axes.y);
    cnVec3 start = cnSub(pair->pose.position, half);
    cnVec3 along = cnScale(2.0, half);
    double radius = pair->b->radius;
    if (!(pair->b->halfHeight > 0.0)) {
        (pair->a->type == cn_box ? cnCollideBoxSphere : cnCollideConvexSphere)(pair, manifold); // a ball
        return;
    }

    cnDistance closest;
    FindClosest(pair, start, along, &closest);
    if (closest.distance - radius > pair->margin) {
        cnVec3 between = cnSub(closest.pointB, closest.pointA);
        cnSetGap(pair, closest.distance - radius, cnNormalize(between));
        return;
    }
    cnBoxStorage storage;
    cnPolytope polytope = cnGetPolytope(pair->a, &storage);
    if (closest.distance <= 1e-9 * pair->size) {
        CollideCrossing(pair, &polytope, start, along, manifold);
        return;
    }
    cnVec3 normal = cnScale(1.0 / closest.distance, cnSub(closest.pointB, closest.pointA));

    // lying on the face below
    int face = 0;
    double max = -INFINITY;
    for (int i = 0; i < polytope.faceCount; ++i) {
        double dot = cnDot(polytope.planes[i].normal, normal);
        if (dot > max) {
            max = dot;
            face = i;
        }
    }
    double separation = closest.distance - radius;
    double slop = cnMin(1e-4 * radius, 1e-3 * pair->size);
    if (max > 0.9999) {
        AddFacePoints(pair, &polytope, face, start, along, manifold);
        double deepest = -INFINITY;
        for (int i = 0; i < manifold->count; ++i) {
            deepest = cnMax(deepest, manifold->points[i].depth);
        }
        if (manifold->count > 0 && fabs(deepest + separation) <= slop) {
            return;
        }
        manifold->count = 0;
    }

    // lying along an edge of that face
    int first = polytope.faceEdges[face];
    int edge = first;
    do {
        int next = polytope.edges[edge].next;
        cnVec3 origin = polytope.vertices[polytope.edges[edge].origin];
        cnVec3 side = cnSub(polytope.vertices[polytope.edges[next].origin], origin);
        double cross = cnLength(cnCross(side, along));
        if (cross <= SIDE_TOLERANCE * cnLength(side) * cnLength(along) &&
            fabs(cnDot(normal, side)) <= SIDE_TOLERANCE * cnLength(side) &&
            cnDot(normal, cnSub(closest.pointA, origin)) >= -1e-6 * pair->size) {
            AddEdgePoints(pair, &polytope, edge, start, along, normal, manifold);
            double deepest = -INFINITY;
            for (int i = 0; i < manifold->count; ++i) {
                deepest = cnMax(deepest, manifold->points[i].depth);
            }
            if (manifold->count == 2 && fabs(deepest + separation) <= slop) {
                return;
            }
            manifold->count = 0;
        }
        edge = next;
    } while (edge != first);

    double s = cnFindClosestOnSegment(start, along, closest.pointB);
    manifold->normal = normal;
    cnAddLocalPoint(manifold, closest.pointA, separation, s > 0.5 ? 1 : 0);
}
