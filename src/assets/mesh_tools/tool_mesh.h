// A mesh as the mesh tools work on it: scaled, welded, turned outwards, holes closed, in a tree.
//
// Coordinates are about the middle of the mesh's bounds, in units of their diagonal, so that every tolerance
// of the tools is a plain number. Triangles belong to groups: what hangs together by edges, a cavity with
// the solid around it. The triangles of a solid group enclose it (as a chain: each edge is passed as often in
// one direction as in the other); what stays open is a sheet, which has no inside.
#pragma once

#include "base/containers/array.h"
#include "cairn/mesh_tools.h"

// Most triangles that the mesh tools take.
#define CN_MAX_TOOL_TRIANGLES (1 << 20)

// Vertices that are nearer to each other than this are one.
#define CN_TOOL_WELD 1e-7

typedef struct cnToolNode {
    cnBounds bounds;
    int first; // of the triangles of a leaf in `order`, or the left child; the right one follows it
    int count; // of triangles; 0: no leaf
} cnToolNode;

typedef struct cnToolMesh {
    CN_ARRAY(cnVec3) vertices;
    CN_ARRAY(int32_t) triangles; // three vertices each, counter-clockwise seen from outside
    CN_ARRAY(int32_t) groups;    // per triangle
    CN_ARRAY(uint8_t) solids;    // per group: 1 where it is closed
    cnVec3 middle;               // m
    double scale;                // m, the diagonal
    double volume;               // of the solid groups
    double area;
    int filledHoles, turnedTriangles, droppedTriangles;
    int sheets; // groups that stayed open

    CN_ARRAY(cnToolNode) nodes;
    CN_ARRAY(int32_t) order; // triangles by leaves
} cnToolMesh;

// Checks the arguments of a call as the user gave them.
cnErrorCode cnCheckMeshView(const cnMeshView* view, const char* call);

// holeShare: the part of a group's area up to which its holes are closed by fans.
// Errors: those of cnCheckMeshView, CN_ERROR_DEGENERATE_SHAPE, CN_ERROR_OUT_OF_MEMORY.
cnErrorCode cnToolMesh_Make(cnToolMesh* mesh, const cnMeshView* view, double holeShare, const char* call);
void cnToolMesh_Free(cnToolMesh* mesh);

// Scales and welds alone: windings and holes stay, there are no groups. The same errors.
cnErrorCode cnToolMesh_Weld(cnToolMesh* mesh, const cnMeshView* view, const char* call);

// Builds the tree; false when memory ran out.
bool cnToolMesh_BuildTree(cnToolMesh* mesh);

double cnFindTriangleDistanceSquared(cnVec3 a, cnVec3 b, cnVec3 c, cnVec3 p);

// Distance from a point to the nearest triangle, and which it is.
double cnToolMesh_FindDistance(const cnToolMesh* mesh, cnVec3 point, int* nearest);
double cnToolMesh_FindDistanceTo(const cnToolMesh* mesh, int triangle, cnVec3 point);

// Whether a point lies in a solid group.
bool cnToolMesh_IsInside(const cnToolMesh* mesh, cnVec3 point);

static inline cnVec3 cnToolMesh_ToUser(const cnToolMesh* mesh, cnVec3 point) {
    return cnMulAdd(mesh->middle, mesh->scale, point);
}
