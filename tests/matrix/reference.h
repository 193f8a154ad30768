// Solids measured a second time, in ways the engine does not use: closed-form distances, brute force over
// triangles, and surfaces sampled densely. What a collider says is judged by these.
#pragma once

#include "cairn/geometry.h"

typedef enum RefKind {
    refSphere,
    refBox,
    refCapsule,
    refCylinder,
    refHollowCylinder,
    refCone,
    refHollowCone,
    refPlane,
    refConvex,
    refTrimesh,
    refHeightField,
    refKindCount
} RefKind;

enum {
    refMaxVertices = 256,
    refMaxTriangles = 512,
    refMaxSamples = 2048,
    refLeafItems = 6
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
    int order[refMaxSamples];
    RefNode nodes[2 * refMaxSamples];
} RefTree;

typedef struct RefSolid {
    RefKind kind;
    cnShapeDef def; // what the engine makes its shape of; points into this struct
    bool isConvex;
    double size; // m, the longest half extent
    double thin; // m, half the thinnest extent
    int vertexCount, triangleCount, planeCount, sampleCount;
    double spacing; // every point of the surface has a sample within this, m
    cnVec3 vertices[refMaxVertices];
    int32_t triangles[3 * refMaxTriangles];
    cnVec3 planeNormals[refMaxTriangles]; // of a convex solid, with the solid below
    double planeOffsets[refMaxTriangles];
    double heights[refMaxVertices];
    cnVec3 samples[refMaxSamples];
    RefTree triangleTree, sampleTree;
} RefSolid;

// A random solid of a kind; `scale` is its size. `next` gives numbers in 0…1.
void cnRefMake(RefSolid* solid, RefKind kind, double scale, double (*next)(void));

// Signed distance, negative inside, in the solid's frame. Exact for all but the height field, where it is
// exact near the surface away from the rim.
double cnRefDistance(const RefSolid* solid, cnVec3 point);

// The least signed distance of one solid's samples from another solid; `max` if none is less, and any below
// `enough` when there is one. `pose`: the sampled solid seen from the other.
double cnRefSampleGap(const RefSolid* sampled, const RefSolid* other, cnPose pose, double max, double enough);

// Farthest extent along a unit direction; of the convex hull.
double cnRefSupport(const RefSolid* solid, cnVec3 direction);
const char* cnRefName(RefKind kind);
