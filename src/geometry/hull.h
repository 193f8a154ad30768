// Convex hulls: quickhull over points, faces merged where they are coplanar, as a half-edge structure.
#pragma once

#include "cairn/math.h"
#include "math/vec3f.h"

// Most vertices of a hull.
#define CN_MAX_HULL_VERTICES 4096

// Most points that a hull is built from.
#define CN_MAX_HULL_POINTS (1 << 20)

typedef struct cnHullEdge {
    uint16_t next; // counter-clockwise around the face, seen from outside
    uint16_t twin;
    uint16_t origin; // vertex
    uint16_t face;
} cnHullEdge;

typedef struct cnHullPlane {
    cnVec3 normal; // unit, out of the solid
    double offset; // normal·x = offset
} cnHullPlane;

// One block of memory; the arrays follow the struct.
typedef struct cnHull {
    int vertexCount, edgeCount, faceCount; // edges are half-edges
    cnVec3* vertices;                      // shape frame, f64
    cnHullPlane* planes;                   // per face
    uint16_t* faceEdges;                   // per face, one of its half-edges
    uint16_t* vertexEdges;                 // per vertex, one of the half-edges that leave it
    cnHullEdge* edges;
    cnVec3 centre;      // centroid of the solid
    double innerRadius; // m, of the ball about it that touches the nearest face
    size_t bytes;       // of the whole block
} cnHull;

// Hull of points. Near-duplicate points and points within rounding of a face are dropped; corners of the hull
// stay, points inside its edges and faces do not. Tolerances, in units of the largest half extent: a point is
// outside from 1e-10 on, and a duplicate of a corner up to 2e-7; faces are merged where their corners lie
// within 4e-7 of one plane (which covers input in f32); a set thinner than 1e-6 is degenerate. Inputs of any
// scale. Errors: CN_ERROR_DEGENERATE_SHAPE (all points on one point, line or plane: the message says which),
// CN_ERROR_OUT_OF_RANGE (count), CN_ERROR_NOT_FINITE (index of the point named), CN_ERROR_OUT_OF_MEMORY.
cnErrorCode cnHull_Build(cnHull** out, const cnVec3* points, int count, const char* call);
void cnHull_Free(cnHull* hull);

// The inner radius, from centre and planes.
void cnHull_MeasureInside(cnHull* hull);

// A block for so many, zero but for counts and places of the arrays, which follow one another. Null
// when memory ran out.
cnHull* cnHull_Allocate(int vertexCount, int edgeCount, int faceCount);

// The vertex farthest along a direction; `first`, then the lowest index, on ties.
static inline int cnFindFarthest(const cnVec3* vertices, int count, cnVec3 direction, int first) {
    int best = first;
    double bestDot = cnDot(direction, vertices[first]);
    for (int i = 0; i < count; ++i) {
        double dot = cnDot(direction, vertices[i]);
        if (dot > bestDot) {
            bestDot = dot;
            best = i;
        }
    }
    return best;
}

// The same by climbing from a vertex along edges: a linear function on a convex polyhedron has no local
// maximum that is not global.
static inline int cnClimbToFarthest(const cnVec3* vertices, const cnHullEdge* edges,
                                    const uint16_t* vertexEdges, cnVec3 direction, int start) {
    int best = start;
    double bestDot = cnDot(direction, vertices[start]);
    for (int last = -1; last != best;) {
        last = best;
        int first = vertexEdges[last];
        int edge = first;
        do {
            int twin = edges[edge].twin;
            int neighbour = edges[twin].origin;
            double dot = cnDot(direction, vertices[neighbour]);
            if (dot > bestDot) {
                bestDot = dot;
                best = neighbour;
            }
            edge = edges[twin].next;
        } while (edge != first);
    }
    return best;
}

// Index of the vertex farthest along a direction; lowest index on ties.
int cnHull_GetSupport(const cnHull* hull, cnVec3 direction);

// The same by climbing from a vertex along edges: for large hulls. Among ties, any.
int cnHull_ClimbToSupport(const cnHull* hull, cnVec3 direction, int start);

// Volume, centroid and inertia about the centroid at density 1, by summing the tetrahedra between the faces
// and a point inside.
cnErrorCode cnHull_ComputeMass(const cnHull* hull, double* volume, cnVec3* centre, cnMat33* inertia);

// Checks the structure: loops close, twins pair, every face has three corners or more, Euler's formula,
// unit normals, and all vertices behind all faces within 1e-6 of the extent. Quadratic; for debug
// builds and tests.
bool cnHull_Validate(const cnHull* hull);
