// The pair of edges of two polytopes that separates most.
#pragma once

#include "geometry/polytope.h"

typedef struct cnEdgeQuery {
    // half-edges, the lower ones of their edges; −1 where no pair that counts makes a face of A − B
    int edgeA, edgeB;
    double separation;
    cnVec3 axis; // unit, from A to B, in A's frame
} cnEdgeQuery;

// Pairs that separate by no more than `floor` do not count. Stops at the first that separates by more than
// the margin.
cnEdgeQuery cnQueryEdges(const cnPolytope* a, const cnPolytope* b, const cnRelativePose* pose, double floor,
                         double margin);
