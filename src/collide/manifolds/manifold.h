// Contact manifolds: what the narrow phase makes of two shapes at two poses.
//
// Conventions (docs/physics.md): the normal n moves shape 1 out of shape 2; a point lies half-way between the
// surfaces, at p ∓ n d/2; the depth d is negative for points that are made before touching, up to the margin.
// Numbers are f32 relative to an origin that is the centre of the smaller shape, in world axes; differences
// of positions are taken in f64.
#pragma once

#include "base/report/assert.h"
#include "geometry/shape.h"

#define CN_MANIFOLD_POINTS 4
#define CN_PAIR_MANIFOLDS 12 // of a concave pair; the deepest are kept

// What a face is pressed over: the hull of its points before they were reduced.
typedef struct cnPatch {
    double area;       // m²
    double meanRadius; // m, the mean distance of its points from its centroid
} cnPatch;

// What solvers read of it comes last.
typedef struct cnManifold {
    cnVec3 origin;                      // m, world
    cnVec3f points[CN_MANIFOLD_POINTS]; // m from the origin, world axes
    // which features of the two shapes made a point; stable while they do
    uint32_t features[CN_MANIFOLD_POINTS];
    cnPatch patch;                    // of a face; zeros where there is none, or nobody knows
    cnVec3f normal;                   // unit, world axes
    int pointCount;                   // 0: apart by more than the margin
    float depths[CN_MANIFOLD_POINTS]; // m
} cnManifold;

// The mean of its points, m, world.
static inline cnVec3 cnManifold_GetMiddle(const cnManifold* manifold) {
    CN_ASSERT(manifold->pointCount > 0);
    cnVec3 sum = cnVec3_zero;
    for (int i = 0; i < manifold->pointCount; ++i) {
        sum = cnAdd(sum, cnToD(manifold->points[i]));
    }
    return cnMulAdd(manifold->origin, 1.0 / manifold->pointCount, sum);
}

// What the last call learned about a pair, to start the next one from; zero at first. It speeds the search
// up, and it may choose among equals, so it belongs to the state.
typedef struct cnCollideCache {
    uint32_t kind;
    uint32_t feature1, feature2;
    cnVec3f axis; // unit, from shape 2 to shape 1, world: along it the gap is; 0 where nobody knows
    float gap;    // m, at least, between shapes that got no points; 0 where nobody knows
} cnCollideCache;

// A separation, m, rounded down.
static inline float cnRoundGap(double separation) {
    return (float)(separation * (1.0 - 1e-6));
}
