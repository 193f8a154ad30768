// A triangle of a surface against a capsule: closed forms of its axis, a segment.
//
// Apart from the surface, each point of the axis above the face makes a contact of its own, and so does the
// axis with each convex edge; all are exact, and the two ends of what lies above the face stand for it. Where
// the axis pierces the face, the way out is along the face's normal or over one of its convex edges,
// whichever is shorter.
#include "collide/narrow/mesh_contacts.h"
#include "geometry/distance.h"

// Both ends of the part beside an edge count while their directions differ by less than this.
#define SAME_DIRECTION 0.02

bool cnCutToTriangle(const cnTriangle* triangle, cnVec3 start, cnVec3 along, double* from, double* to) {
    *from = 0.0;
    *to = 1.0;
    double tolerance = 1e-9 * (cnLength(along) + cnLength(cnSub(triangle->corners[1], triangle->corners[0])));
    for (int i = 0; i < 3; ++i) {
        cnVec3 side = cnSub(triangle->corners[(i + 1) % 3], triangle->corners[i]);
        cnVec3 out = cnNormalize(cnCross(side, triangle->normal));
        double height = cnDot(out, cnSub(start, triangle->corners[i]));
        double rise = cnDot(out, along);
        bool fromOut = height + *from * rise > tolerance, toOut = height + *to * rise > tolerance;
        if (fromOut && toOut) {
            return false;
        }
        *from = fromOut ? cnClamp(-height / rise, *from, *to) : *from;
        *to = toOut ? cnClamp(-height / rise, *from, *to) : *to;
    }
    return true;
}

// A point of the axis against an edge; false where the direction is not free there.
static bool JudgeEdge(const cnMeshVisit* visit, const cnTriangle* triangle, int edge, cnVec3 onAxis, double t,
                      cnVec3 onEdge, cnVec3* direction, double* distance) {
    cnVec3 between = cnSub(onAxis, onEdge);
    *distance = cnLength(between);
    if (*distance - visit->radius > visit->pair->margin || *distance <= 1e-12 * visit->pair->size) {
        return false;
    }
    *direction = cnScale(1.0 / *distance, between);
    uint32_t corners = (uint32_t)(t < 1.0) << edge | (uint32_t)(t > 0.0) << (edge + 1) % 3;
    return cnDot(*direction, triangle->normal) >= 0.0 &&
           cnIsFreeAtCorners(visit->pair->a, triangle, corners, *direction);
}

static void CollideEdge(cnMeshVisit* visit, const cnTriangle* triangle, int edge) {
    cnVec3 origin = triangle->corners[edge];
    cnVec3 side = cnSub(triangle->corners[(edge + 1) % 3], origin);
    cnVec3 along = cnSub(visit->end, visit->start);
    double s, t, distance;
    cnVec3 direction;
    cnFindClosestOnSegments(visit->start, along, origin, side, &s, &t);
    cnVec3 onEdge = cnMulAdd(origin, t, side);
    if (!JudgeEdge(visit, triangle, edge, cnMulAdd(visit->start, s, along), t, onEdge, &direction,
                   &distance)) {
        return;
    }

    // side by side: the ends of the part that lies beside the edge
    double lengthSquared = cnLengthSquared(side);
    double first = cnClamp(cnDot(cnSub(visit->start, origin), side) / lengthSquared, 0.0, 1.0);
    double last = cnClamp(cnDot(cnSub(visit->end, origin), side) / lengthSquared, 0.0, 1.0);
    int count = 0;
    for (int end = 0; end < 2 && fabs(last - first) * sqrt(lengthSquared) > 0.05 * visit->pair->size; ++end) {
        double t2 = end == 0 ? first : last, distance2;
        cnVec3 onEdge2 = cnMulAdd(origin, t2, side), direction2;
        cnVec3 onAxis2 = cnMulAdd(visit->start, cnFindClosestOnSegment(visit->start, along, onEdge2), along);
        if (JudgeEdge(visit, triangle, edge, onAxis2, t2, onEdge2, &direction2, &distance2) &&
            cnLength(cnSub(direction2, direction)) < SAME_DIRECTION) {
            cnAddMeshPoint(visit, triangle, onEdge2, direction2, visit->radius - distance2,
                           cnTriangle_GetEdge(triangle, edge));
            ++count;
        }
    }
    if (count < 2) {
        cnAddMeshPoint(visit, triangle, onEdge, direction, visit->radius - distance,
                       cnTriangle_GetEdge(triangle, edge));
    }
}

// The axis pierces the face.
static void CollidePierced(cnMeshVisit* visit, const cnTriangle* triangle, cnVec3 crossing, double lowest) {
    double depth = visit->radius - lowest;
    cnVec3 normal = triangle->normal, onA = crossing;
    cnVec3 along = cnSub(visit->end, visit->start);
    for (int edge = 0; edge < 3; ++edge) {
        cnVec3 side = cnSub(triangle->corners[(edge + 1) % 3], triangle->corners[edge]);
        cnVec3 across = cnNormalize(cnCross(side, along));
        double height = cnDot(across, cnSub(visit->start, triangle->corners[edge]));
        across = height > 0.0 ? cnNeg(across) : across;
        double depthHere = visit->radius + fabs(height);
        if (triangle->edgeKinds[edge] != cn_edgeFlat && triangle->edgeKinds[edge] != cn_edgeConcave &&
            depthHere < depth && cnDot(across, normal) >= 0.0 && cnIsFreeAtEdge(triangle, edge, across)) {
            double s, t;
            cnFindClosestOnSegments(visit->start, along, triangle->corners[edge], side, &s, &t);
            depth = depthHere;
            normal = across;
            onA = cnMulAdd(triangle->corners[edge], t, side);
        }
    }
    cnAddMeshPoint(visit, triangle, onA, normal, depth, 8);
}

void cnCollideTriangleCapsule(cnMeshVisit* visit, const cnTriangle* triangle) {
    const cnShapePair* pair = visit->pair;
    cnVec3 along = cnSub(visit->end, visit->start);
    double startHeight = cnDot(triangle->normal, cnSub(visit->start, triangle->corners[0]));
    double endHeight = cnDot(triangle->normal, cnSub(visit->end, triangle->corners[0]));
    bool inFront = visit->solid || startHeight + endHeight > 0.0;
    if (cnMin(startHeight, endHeight) - visit->radius > pair->margin || !inFront) {
        return;
    }
    double from = 0.0, to = 0.0;
    bool over = cnCutToTriangle(triangle, visit->start, along, &from, &to);
    double rise = endHeight - startHeight;
    double fromHeight = startHeight + from * rise, toHeight = startHeight + to * rise;
    if (over && fromHeight * toHeight < 0.0) {
        double at = -startHeight / rise;
        CollidePierced(visit, triangle, cnMulAdd(visit->start, at, along), cnMin(startHeight, endHeight));
        return;
    }

    // both ends of what lies over the face; ends so close that they say the same are one
    bool one = (to - from) * cnLength(along) < 1e-3 * pair->size;
    for (int end = 0; end < (one ? 1 : 2) && over; ++end) {
        double height = end == 0 ? fromHeight : toHeight;
        if (height - visit->radius <= pair->margin && (height >= 0.0 || visit->solid)) {
            cnVec3 point = cnMulAdd(visit->start, end == 0 ? from : to, along);
            cnAddMeshPoint(visit, triangle, cnMulAdd(point, -height, triangle->normal), triangle->normal,
                           visit->radius - height, 16u + (uint32_t)end);
        }
    }
    for (int edge = 0; edge < 3; ++edge) {
        if (triangle->edgeKinds[edge] == cn_edgeBoundary || triangle->edgeKinds[edge] == cn_edgeConvex) {
            CollideEdge(visit, triangle, edge);
        }
    }
}
