// The pair of edges of two polytopes that separates most.
#pragma once

#include "geometry/polytope.h"

typedef struct cnEdgeQuery {
    // half-edges, the lower ones of their edges; −1 where no pair that counts makes a face of A − B
    int edgeA, edgeB;
    double separation;
    cnVec3 axis; // unit, from A to B, in A's frame
} cnEdgeQuery;

// Faces whose heights are kept: all of them for most polytopes.
#define CN_HEIGHT_COUNT 64

// How high a point lies above the planes of a polytope's faces.
typedef struct cnHeights {
    const cnPolytope* polytope;
    cnVec3 point;               // in the polytope's frame
    double of[CN_HEIGHT_COUNT]; // m, of the first faces
} cnHeights;

// Returns the face above which the point is highest.
int cnHeights_Measure(cnHeights* heights, const cnPolytope* polytope, cnVec3 point);

static inline double cnHeights_Get(const cnHeights* heights, int face) {
    const cnHullPlane* plane = &heights->polytope->planes[face];
    return face < CN_HEIGHT_COUNT ? heights->of[face] : cnDot(plane->normal, heights->point) - plane->offset;
}

// What bounds how far the faces and edges of one polytope separate another: the ball in the other, and a
// point of it near the contact.
typedef struct cnSeparationBounds {
    cnHeights centre; // of the ball
    double radius;    // m, of the ball
    cnVec3 contact;   // the point, in the first one's frame
} cnSeparationBounds;

// One pair of half-edges, of A and B; with edges −1 and a separation of −∞ where they make no face of A − B.
cnEdgeQuery cnMeasureEdges(const cnPolytope* a, const cnPolytope* b, const cnRelativePose* pose, int edgeA,
                           int edgeB);

// The best pair, or the one to beat where none separates by more. Stops at the first that separates by more
// than the margin.
cnEdgeQuery cnQueryEdges(const cnSeparationBounds* ofA, const cnSeparationBounds* ofB,
                         const cnRelativePose* pose, cnEdgeQuery toBeat, double margin);
