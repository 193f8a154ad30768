// The pair of edges of two polytopes that separates most.
#pragma once

#include "geometry/polytope.h"

typedef struct cnEdgeQuery {
    int edgeA, edgeB; // half-edges, the lower ones of their edges; −1 where no pair makes a face of A − B
    double separation;
    cnVec3 axis; // unit, from A to B, in A's frame
} cnEdgeQuery;

// Stops at the first pair that separates by more than the margin.
cnEdgeQuery cnQueryEdges(const cnPolytope* a, const cnPolytope* b, const cnRelativePose* pose, double margin);
