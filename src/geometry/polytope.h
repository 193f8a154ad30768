// One view of hulls and boxes for the narrow phase, and of segments and points (no faces) for distances.
#pragma once

#include "geometry/hull.h"

typedef struct cnPolytope {
    int vertexCount, edgeCount, faceCount; // edges are half-edges
    const cnVec3* vertices;
    const cnHullPlane* planes;
    const cnHullEdge* edges; // null for points and segments
    const uint16_t* faceEdges;
    const uint16_t* vertexEdges;
    // a ball within it; of radius 0 where nobody knows
    cnVec3 centre;
    double innerRadius;
} cnPolytope;

// What a box's view points to.
typedef struct cnBoxStorage {
    cnVec3 vertices[8];
    cnHullPlane planes[6];
} cnBoxStorage;

cnPolytope cnPolytope_FromHull(const cnHull* hull);
cnPolytope cnPolytope_FromBox(cnVec3 halfExtents, cnBoxStorage* storage);

// A vertex farthest along a direction; `hint`, any vertex, wins ties and makes climbing on large hulls short.
int cnPolytope_GetSupport(const cnPolytope* polytope, cnVec3 direction, int hint);

// Frame of B seen from A: a point x of B is at axes·x + position.
typedef struct cnRelativePose {
    cnMat33 axes;
    cnVec3 position;
} cnRelativePose;

static inline cnVec3 cnToA(const cnRelativePose* pose, cnVec3 point) {
    return cnAdd(cnMulMat(pose->axes, point), pose->position);
}

static inline cnRelativePose cnInvRelativePose(const cnRelativePose* pose) {
    return (cnRelativePose){cnTranspose(pose->axes), cnNeg(cnMulMatT(pose->axes, pose->position))};
}
