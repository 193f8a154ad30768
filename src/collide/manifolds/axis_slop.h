// Tolerances of the separating axis tests, the same for boxes and hulls.
//
// A face is preferred over a pair of edges, and last step's axis over others, while they are nearly as good:
// face contacts have four points, and points that stay. `size` is the inradius of the two shapes. The
// preference costs at most this much in the depth; each point's own depth is exact for the features chosen.
#pragma once

#include "collide/manifolds/local_manifold.h"

// What the cache's kind says. feature1 is the face or the edge of A, feature2 the edge of B.
enum {
    cn_axisNone,
    cn_axisFaceA,
    cn_axisFaceB,
    cn_axisEdges
};

// Corners this close outside of a side of the reference face count as inside, so that aligned stacks
// keep their features.
#define CN_SIDE_SLOP 1e-5

// Closer than this, the direction between closest points says nothing: polytopes that touch go by their axes.
#define CN_TOUCH_SLOP 1e-7

// By how much another face must beat that of last step, and a face of B that of A: 0.05 % of the size,
// 1 % of the depth.
static inline double cnGetFaceSlop(double size, double separation) {
    return 0.0005 * size + 0.01 * fabs(separation);
}

// By how much edges must beat the best face: 0.2 % of the size (0.4 mm for boxes of 0.4 m) and 2 % of the
// depth; half that where they did in last step.
static inline double cnGetEdgeSlop(const cnCollideCache* cache, double size, double separation) {
    return (cache->kind == cn_axisEdges ? 0.5 : 1.0) * (0.002 * size + 0.02 * fabs(separation));
}

// Edges whose axis is that of a face to within so much (the cosine of 0.03 rad) lie on it: what rests on a
// line, or on a face that leans a little, is deeper at one end, and the edges that cross at the other one
// separate by less. Their single point would let the deeper end down.
#define CN_FLAT_COSINE 0.99955

// Whose face is the reference. Nearly equal ones stay as they were, at first A's.
static inline bool cnPreferFaceB(const cnCollideCache* cache, double separationA, double separationB,
                                 double size) {
    double slop = cnGetFaceSlop(size, separationA);
    return cache->kind == cn_axisFaceB ? separationB >= separationA - slop : separationB > separationA + slop;
}

static inline double cnGetDeepest(const cnLocalManifold* manifold) {
    double deepest = -INFINITY;
    for (int i = 0; i < manifold->count; ++i) {
        deepest = cnMax(deepest, manifold->points[i].depth);
    }
    return deepest;
}

// Brings a manifold that was made in B's frame, with B's face as the reference, to A's frame and sense.
static inline void cnFlipManifold(const cnRelativePose* pose, cnLocalManifold* manifold) {
    manifold->normal = cnNeg(cnMulMat(pose->axes, manifold->normal));
    for (int i = 0; i < manifold->count; ++i) {
        manifold->points[i].point = cnToA(pose, manifold->points[i].point);
    }
}
