// Solids measured a second time, in ways the engine does not use: closed-form distances, brute force over triangles, and
// surfaces sampled densely. What a collider says is judged by these.
#pragma once

#include "cairn/geometry.h"

typedef enum RefKind {
    ref_sphere,
    ref_box,
    ref_capsule,
    ref_cylinder,
    ref_hollowCylinder,
    ref_cone,
    ref_hollowCone,
    ref_plane,
    ref_convex,
    ref_trimesh,
    ref_heightField,
    ref_kindCount
} RefKind;

enum {
    ref_maxVertices = 256,
    ref_maxTriangles = 512,
    ref_maxSamples = 2048,
    ref_leafItems = 6
};

// Balls around triangles or samples, a binary tree: node 0 is the root, and child 0 is none.
typedef struct RefNode {
    cnVec3 centre;
    double radius;
    int begin, end; // in the order
    int children[2];
} RefNode;

typedef struct RefTree {
    int nodeCount;
    int order[ref_maxSamples];
    RefNode nodes[2 * ref_maxSamples];
} RefTree;

typedef struct RefSolid {
    RefKind kind;
    cnShapeDef def; // what the engine makes its shape of; points into this struct
    bool isConvex;
    double size; // m, the longest half extent
    double thin; // m, half the thinnest extent
    int vertexCount, triangleCount, planeCount, sampleCount;
    double spacing; // every point of the surface has a sample within this, m
    cnVec3 vertices[ref_maxVertices];
    int32_t triangles[3 * ref_maxTriangles];
    cnVec3 planeNormals[ref_maxTriangles]; // of a convex solid, with the solid below
    double planeOffsets[ref_maxTriangles];
    double heights[ref_maxVertices];
    cnVec3 samples[ref_maxSamples];
    RefTree triangleTree, sampleTree;
} RefSolid;

// A random solid of a kind; `scale` is its size. `next` gives numbers in 0…1.
void RefMake(RefSolid* solid, RefKind kind, double scale, double (*next)(void));

// Signed distance, negative inside, in the solid's frame. Exact for all but the height field, where it is exact near the
// surface away from the rim.
double RefDistance(const RefSolid* solid, cnVec3 point);

// The least signed distance of one solid's samples from another solid; `most` if none is less, and any below `enough` when there is
// one. `pose`: the sampled solid seen from the other.
double RefSampleGap(const RefSolid* sampled, const RefSolid* other, cnPose pose, double most, double enough);

// Farthest extent along a unit direction; of the convex hull.
double RefSupport(const RefSolid* solid, cnVec3 direction);
const char* RefName(RefKind kind);
