// Hulls as data: queries, mass integrals and the whole-structure check. hull_build.c makes them.
#include "geometry/hull.h"

#include "base/allocator.h"

void cnHull_Free(cnHull* hull) {
    if (hull != NULL) {
        cnFree(hull, hull->bytes);
    }
}

int cnHull_GetSupport(const cnHull* hull, cnVec3 direction) {
    int best = 0;
    double bestDot = cnDot(direction, hull->vertices[0]);
    for (int i = 1; i < hull->vertexCount; ++i) {
        double dot = cnDot(direction, hull->vertices[i]);
        if (dot > bestDot) {
            bestDot = dot;
            best = i;
        }
    }
    return best;
}

int cnHull_ClimbToSupport(const cnHull* hull, cnVec3 direction, int start) {
    // a linear function on a convex polyhedron has no local maximum that is not global
    int best = start;
    double bestDot = cnDot(direction, hull->vertices[best]);
    for (;;) {
        int first = hull->vertexEdges[best];
        int edge = first;
        int next = best;
        do {
            int twin = hull->edges[edge].twin;
            int neighbour = hull->edges[twin].origin;
            double dot = cnDot(direction, hull->vertices[neighbour]);
            if (dot > bestDot) {
                bestDot = dot;
                next = neighbour;
            }
            edge = hull->edges[twin].next;
        } while (edge != first);
        if (next == best) {
            return best;
        }
        best = next;
    }
}

cnErrorCode cnHull_ComputeMass(const cnHull* hull, double* volume, cnVec3* centre, cnMat33* inertia) {
    // a point inside, so that all tetrahedra have the same sign and sizes of the hull, wherever the frame's origin is
    cnVec3 inside = cnVec3_zero;
    for (int i = 0; i < hull->vertexCount; ++i) {
        inside = cnAdd(inside, cnScale(1.0 / hull->vertexCount, hull->vertices[i]));
    }

    // ∫1, ∫x and ∫x xᵀ over the tetrahedra (0, a, b, c): det/6, det (a+b+c)/24, det (Σ v vᵀ + s sᵀ)/120 with s = a+b+c
    // (the simplex formula of Lasserre & Avrachenkov 2001 for degree two)
    double sixVolume = 0.0;
    cnVec3 first = cnVec3_zero;
    double xx = 0.0, yy = 0.0, zz = 0.0, xy = 0.0, yz = 0.0, zx = 0.0;
    for (int face = 0; face < hull->faceCount; ++face) {
        int start = hull->faceEdges[face];
        cnVec3 a = cnSub(hull->vertices[hull->edges[start].origin], inside);
        int edge = hull->edges[start].next;
        for (int next = hull->edges[edge].next; next != start; edge = next, next = hull->edges[edge].next) {
            cnVec3 b = cnSub(hull->vertices[hull->edges[edge].origin], inside);
            cnVec3 c = cnSub(hull->vertices[hull->edges[next].origin], inside);
            double det = cnDot(a, cnCross(b, c));
            cnVec3 s = cnAdd(a, cnAdd(b, c));
            sixVolume += det;
            first = cnMulAdd(first, det, s);
            xx += det * (a.x * a.x + b.x * b.x + c.x * c.x + s.x * s.x);
            yy += det * (a.y * a.y + b.y * b.y + c.y * c.y + s.y * s.y);
            zz += det * (a.z * a.z + b.z * b.z + c.z * c.z + s.z * s.z);
            xy += det * (a.x * a.y + b.x * b.y + c.x * c.y + s.x * s.y);
            yz += det * (a.y * a.z + b.y * b.z + c.y * c.z + s.y * s.z);
            zx += det * (a.z * a.x + b.z * b.x + c.z * c.x + s.z * s.x);
        }
    }
    if (!(sixVolume > 0.0)) {
        return CN_ERROR_DEGENERATE_SHAPE;
    }

    // to the centroid (parallel axes)
    double v = sixVolume / 6.0;
    cnVec3 c = cnScale(1.0 / (4.0 * sixVolume), first);
    xx = xx / 120.0 - v * c.x * c.x;
    yy = yy / 120.0 - v * c.y * c.y;
    zz = zz / 120.0 - v * c.z * c.z;
    xy = xy / 120.0 - v * c.x * c.y;
    yz = yz / 120.0 - v * c.y * c.z;
    zx = zx / 120.0 - v * c.z * c.x;
    *volume = v;
    *centre = cnAdd(inside, c);
    *inertia = (cnMat33){{yy + zz, -xy, -zx}, {-xy, zz + xx, -yz}, {-zx, -yz, xx + yy}};
    return CN_ERROR_NONE;
}

bool cnHull_Validate(const cnHull* hull) {
    // Euler: V − E + F = 2
    if (hull->vertexCount < 4 || hull->faceCount < 4 || hull->edgeCount < 12 || hull->edgeCount % 2 != 0 ||
        hull->vertexCount - hull->edgeCount / 2 + hull->faceCount != 2) {
        return false;
    }

    // half-edges pair up and belong to the face they are reached from
    for (int i = 0; i < hull->edgeCount; ++i) {
        const cnHullEdge* edge = hull->edges + i;
        if (edge->next >= hull->edgeCount || edge->twin >= hull->edgeCount || edge->twin == i ||
            edge->origin >= hull->vertexCount || edge->face >= hull->faceCount ||
            hull->edges[edge->twin].twin != i ||
            hull->edges[edge->twin].origin != hull->edges[edge->next].origin ||
            hull->edges[edge->twin].face == edge->face || hull->edges[edge->next].face != edge->face) {
            return false;
        }
    }
    for (int i = 0; i < hull->vertexCount; ++i) {
        if (hull->edges[hull->vertexEdges[i]].origin != i || !cnIsFiniteVec(hull->vertices[i])) {
            return false;
        }
    }

    // loops close after three corners or more and hold all half-edges together
    int visited = 0;
    for (int face = 0; face < hull->faceCount; ++face) {
        int start = hull->faceEdges[face];
        int edge = start;
        int corners = 0;
        do {
            if (hull->edges[edge].face != face || ++corners > hull->edgeCount) {
                return false;
            }
            edge = hull->edges[edge].next;
        } while (edge != start);
        if (corners < 3) {
            return false;
        }
        visited += corners;
    }
    if (visited != hull->edgeCount) {
        return false;
    }

    // convexity
    cnVec3 lower = hull->vertices[0], upper = hull->vertices[0];
    for (int i = 1; i < hull->vertexCount; ++i) {
        lower = cnMinVec(lower, hull->vertices[i]);
        upper = cnMaxVec(upper, hull->vertices[i]);
    }
    cnVec3 size = cnSub(upper, lower);
    double tolerance = 1e-6 * cnMax(size.x, cnMax(size.y, size.z));
    for (int face = 0; face < hull->faceCount; ++face) {
        const cnHullPlane* plane = hull->planes + face;
        if (!(fabs(cnLength(plane->normal) - 1.0) < 1e-12)) {
            return false;
        }
        double highest = -INFINITY;
        for (int i = 0; i < hull->vertexCount; ++i) {
            highest = cnMax(highest, cnDot(plane->normal, cnSub(hull->vertices[i], hull->centre)));
        }
        double offset = plane->offset - cnDot(plane->normal, hull->centre);
        if (!(fabs(highest - offset) <= tolerance) || !(offset > 0.0)) {
            return false;
        }
    }
    return true;
}
