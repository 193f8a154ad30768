// Hulls as data: queries, mass integrals and the whole-structure check. hull_build.c makes them.
#include "geometry/hull.h"

#include "base/allocator.h"
#include "geometry/solid_integrals.h"

cnHull* cnHull_Allocate(int vertexCount, int edgeCount, int faceCount) {
    // columns of eight bytes first
    size_t header = (sizeof(cnHull) + 15) / 16 * 16;
    size_t bytes = header + (size_t)vertexCount * sizeof(cnVec3) + (size_t)faceCount * sizeof(cnHullPlane) +
                   (size_t)edgeCount * sizeof(cnHullEdge) +
                   (size_t)(faceCount + vertexCount) * sizeof(uint16_t);
    char* memory = cnAllocate(bytes);
    if (memory == NULL) {
        return NULL;
    }
    cnHull* hull = (cnHull*)memory;
    hull->vertexCount = vertexCount;
    hull->edgeCount = edgeCount;
    hull->faceCount = faceCount;
    hull->bytes = bytes;
    hull->vertices = (cnVec3*)(memory + header);
    hull->planes = (cnHullPlane*)(hull->vertices + vertexCount);
    hull->edges = (cnHullEdge*)(hull->planes + faceCount);
    hull->faceEdges = (uint16_t*)(hull->edges + edgeCount);
    hull->vertexEdges = hull->faceEdges + faceCount;
    return hull;
}

void cnHull_MeasureInside(cnHull* hull) {
    hull->innerRadius = INFINITY;
    for (int face = 0; face < hull->faceCount; ++face) {
        const cnHullPlane* plane = &hull->planes[face];
        hull->innerRadius = cnMin(hull->innerRadius, plane->offset - cnDot(plane->normal, hull->centre));
    }
    hull->innerRadius = cnMax(0.0, hull->innerRadius);
}

void cnHull_Free(cnHull* hull) {
    if (hull != NULL) {
        cnFree(hull, hull->bytes);
    }
}

int cnHull_GetSupport(const cnHull* hull, cnVec3 direction) {
    return cnFindFarthest(hull->vertices, hull->vertexCount, direction, 0);
}

int cnHull_ClimbToSupport(const cnHull* hull, cnVec3 direction, int start) {
    return cnClimbToFarthest(hull->vertices, hull->edges, hull->vertexEdges, direction, start);
}

cnErrorCode cnHull_ComputeMass(const cnHull* hull, double* volume, cnVec3* centre, cnMat33* inertia) {
    // a point inside, so that all tetrahedra have the same sign and sizes of the hull, wherever the
    // frame's origin is
    cnVec3 inside = cnVec3_zero;
    for (int i = 0; i < hull->vertexCount; ++i) {
        inside = cnAdd(inside, cnScale(1.0 / hull->vertexCount, hull->vertices[i]));
    }

    cnSolidIntegrals sums = {0};
    for (int face = 0; face < hull->faceCount; ++face) {
        int start = hull->faceEdges[face];
        cnVec3 a = cnSub(hull->vertices[hull->edges[start].origin], inside);
        int edge = hull->edges[start].next;
        for (int next = hull->edges[edge].next; next != start; edge = next, next = hull->edges[edge].next) {
            cnVec3 b = cnSub(hull->vertices[hull->edges[edge].origin], inside);
            cnVec3 c = cnSub(hull->vertices[hull->edges[next].origin], inside);
            cnSolidIntegrals_Add(&sums, a, b, c);
        }
    }
    if (!(sums.sixVolume > 0.0)) {
        return CN_ERROR_DEGENERATE_SHAPE;
    }
    cnSolidIntegrals_Finish(&sums, volume, centre, inertia);
    *centre = cnAdd(inside, *centre);
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
