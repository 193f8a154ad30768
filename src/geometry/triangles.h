// Triangles of meshes and height fields, as colliders and queries see them.
//
// The two kinds keep their triangles in ways of their own; both hand them out one at a time, in the shape's
// frame, with what a contact must know of the neighbours: across which edges the surface goes on, and how.
#pragma once

#include "geometry/shape.h"

// What lies across an edge of a triangle.
typedef enum cnEdgeKind {
    cn_edgeBoundary, // nothing: the edge ends the surface
    cn_edgeConvex,   // a triangle that falls away
    cn_edgeFlat,     // a triangle in the same plane, within 1e-3 rad
    cn_edgeConcave,  // a triangle that rises
} cnEdgeKind;

typedef struct cnTriangle {
    cnVec3 corners[3]; // counter-clockwise seen from outside
    cnVec3 normal;     // unit, out of the solid
    int index;
    int vertices[3]; // numbers of the corners
    cnEdgeKind edgeKinds[3];
    const cnTrimesh* mesh;      // tells what follows where it is asked for; null: it is here
    uint32_t edges[3];          // of cnTriangle_GetEdge
    cnVec3 neighbourNormals[3]; // of cnTriangle_GetNeighbourNormal
} cnTriangle;

// Number of the edge from corner i to corner i + 1; the same seen from both triangles.
uint32_t cnTriangle_GetEdge(const cnTriangle* triangle, int edge);

// Unit normal across an edge; the triangle's own at the boundary.
cnVec3 cnTriangle_GetNeighbourNormal(const cnTriangle* triangle, int edge);

// An edge that rises along a direction by no more than this part of its length leaves it free.
#define CN_FREE_RISE 1e-3

// Called for a triangle; false ends the visit.
typedef bool cnTriangleVisitor(const cnTriangle* triangle, void* context);

// Visits the triangles of a trimesh or a height field whose bounds overlap a box of the shape's frame, in an
// order that depends on the shape alone. Degenerate triangles (no area) are left out.
void cnShape_VisitTriangles(const cnShape* shape, cnBounds bounds, cnTriangleVisitor* visit, void* context);

// Asked about a triangle before its neighbours are looked up, which takes most of the time: its normal, and a
// corner of it. False leaves it out.
typedef bool cnTriangleFilter(cnVec3 normal, cnVec3 corner, void* context);

// Most triangles that a list of those near a shape holds.
#define CN_NEAR_TRIANGLES 24

// The triangles of a mesh that overlap a box somewhat wider than the one that was asked about, kept from step
// to step: what hardly moves along a mesh has the same ones near it again, and need not look for them in its
// tree. What is found is the same to the bit.
typedef struct cnNearTriangles {
    bool isKnown;
    int count;       // above CN_NEAR_TRIANGLES: there are too many to be listed
    cnBounds bounds; // in the mesh's frame
    int32_t triangles[CN_NEAR_TRIANGLES];
} cnNearTriangles;

typedef struct cnTriangleSearch {
    cnBounds bounds;
    cnTriangleFilter* filter; // null: all
    cnTriangleVisitor* visit;
    void* context;         // of both
    cnNearTriangles* near; // of earlier searches; null: nobody keeps them
} cnTriangleSearch;

// As cnShape_VisitTriangles, for those that a filter lets through.
void cnShape_SearchTriangles(const cnShape* shape, const cnTriangleSearch* search);

// Whether a direction out of a vertex is free of the surface around it: no edge that leaves the vertex rises
// along `normal` by more than 1e-3 of its length. What is not free is no direction in which something outside
// touches this vertex.
bool cnShape_IsFreeAtVertex(const cnShape* shape, int vertex, cnVec3 normal);
