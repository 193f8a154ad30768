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
    int vertices[3];   // numbers of the corners
    uint32_t edges[3]; // edge i goes from corner i to corner i + 1; the same number seen from both triangles
    cnVec3 neighbourNormals[3]; // unit normals across the edges; the triangle's own at the boundary
    cnEdgeKind edgeKinds[3];
} cnTriangle;

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

// The same for those that a filter lets through; null: all.
void cnShape_VisitFiltered(const cnShape* shape, cnBounds bounds, cnTriangleFilter* filter,
                           cnTriangleVisitor* visit, void* context);

// Whether a direction out of a vertex is free of the surface around it: no edge that leaves the vertex rises
// along `normal` by more than 1e-3 of its length. What is not free is no direction in which something outside
// touches this vertex.
bool cnShape_IsFreeAtVertex(const cnShape* shape, int vertex, cnVec3 normal);
