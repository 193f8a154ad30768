// What a collider makes: points with one normal in the frame of shape A, reduced and gathered into manifolds.
#pragma once

#include "collide/manifolds/candidates.h"
#include "geometry/polytope.h"
#include "geometry/triangles.h"
#include "math/tangent.h"

typedef struct cnShapePair {
    const cnShape* a;
    const cnShape* b;
    cnRelativePose pose; // B seen from A
    double margin;       // points up to here apart are made
    double size;         // inradius of the two: the unit of tolerances
    cnCollideCache* cache;
    cnNearTriangles* near; // of A, a mesh; null where nobody keeps them
} cnShapePair;

// Shapes that get no points are apart by at least this, m, along an axis of A's frame from A to B (unit, or 0
// where it is not known): until they have moved so far, that way, nobody asks again.
static inline void cnSetGap(const cnShapePair* pair, double separation, cnVec3 axis) {
    pair->cache->gap = cnRoundGap(separation);
    pair->cache->axis = cnToF(axis);
}

typedef struct cnLocalPoint {
    cnVec3 point; // half-way between the surfaces, in A's frame
    double depth;
    uint32_t feature;
} cnLocalPoint;

typedef struct cnLocalManifold {
    cnVec3 normal; // unit, from A to B, in A's frame
    int count;
    cnPatch patch;
    cnLocalPoint points[CN_MANIFOLD_POINTS];
} cnLocalManifold;

// Adds one point given by the point of A's surface and the separation along the normal.
static inline void cnAddLocalPoint(cnLocalManifold* manifold, cnVec3 onA, double separation,
                                   uint32_t feature) {
    manifold->points[manifold->count++] =
        (cnLocalPoint){cnMulAdd(onA, 0.5 * separation, manifold->normal), -separation, feature};
}

// Features of polytopes are pairs of edges, A's by their lower half-edge, B's with this bit: where two edges
// of one shape meet is its vertex, where edges of both meet is a crossing. So a point keeps its name when the
// reference face changes sides.
#define CN_FEATURE_OF_B 0x8000u

static inline uint32_t cnFeatureOfEdges(uint32_t edge1, uint32_t edge2) {
    return edge1 < edge2 ? edge1 << 16 | edge2 : edge2 << 16 | edge1;
}

// A single point between closest corners or edges.
#define CN_FEATURE_CLOSEST 0xfffffffeu

// Chooses at most four of up to 64 candidates: the deepest, then those that span the largest area. Candidates
// whose depths differ by less than 1e-4 of `size` count as equally deep, so that the choice does not flicker
// at rest. `tangent` is any direction across the normal that moves with A. Measures the patch, too.
#define CN_MAX_CANDIDATES 64
void cnReducePoints(cnLocalManifold* manifold, cnLocalPoint* candidates, int count, cnVec3 tangent,
                    double size);

// Of the convex hull of points, seen along a unit normal; and of a ring. (patch.c)
cnPatch cnMeasurePatch(const cnLocalPoint* points, int count, cnVec3 normal, cnVec3 tangent);
cnPatch cnMeasureRing(double inner, double outer);

// The 32 directions that rotating a unit vector across a normal makes: the corners extreme in these stand for
// a face of very many corners (a disc loses less than 1 % of its area).
#define CN_DIRECTION_COUNT 32
cnVec3 cnRotateTangent(cnVec3 normal, cnVec3 tangent, int step);

// Contacts of `other` with a face of `reference` by clipping, in the reference's frame, the normal out
// of the face. `pose`: `other` seen from `reference`; `referenceTag`: CN_FEATURE_OF_B where the
// reference is B, else 0.
void cnBuildFaceManifold(const cnPolytope* reference, int face, uint32_t referenceTag,
                         const cnPolytope* other, const cnRelativePose* pose, double margin, double size,
                         cnLocalManifold* manifold);

// Sorts candidates into at most CN_PAIR_MANIFOLDS manifolds of one normal each, the deepest first; returns
// their number. The list is used up.
int cnGatherManifolds(const cnShapePair* pair, cnCandidates* candidates, cnLocalManifold* manifolds);
