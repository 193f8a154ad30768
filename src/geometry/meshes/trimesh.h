// Triangle meshes: checked copies with neighbours, a tree of boxes, and what is asked of them.
//
// A mesh is three lists and a tree. `triangles` has three vertex numbers a triangle. Half-edge h = 3 t + i
// goes from corner i of triangle t to its next corner, so that triangle, corner and next half-edge follow
// from the number alone and only the twins have to be kept. The half-edges that leave a vertex lie together
// (`fans`), in counter-clockwise order seen from outside wherever the surface around the vertex is one fan.
//
// Where more than two triangles meet in an edge, half-edges are paired so that each pair bounds a wedge of
// solid. A mesh is closed when every half-edge has a twin: then it encloses a volume, and inside is inside.
// Triangles without an area keep their place among the neighbours and are left out of everything else.
//
// The tree's boxes are f32, in a frame where the mesh fills [−1, 1]; they are wider than what they hold
// by more than all rounding of the walks that cull with them. Whatever is answered comes from the
// vertices, in f64.
#pragma once

#include "geometry/shapes/shape_kinds.h"
#include "geometry/triangles.h"

// Most triangles of a mesh; most vertices are three times that.
#define CN_MAX_MESH_TRIANGLES (1 << 22)

// Up to four children with their boxes, lane by lane: 64 bytes. A bound b along an axis lies
// at start + b·step.
typedef struct cnMeshNode {
    float start[3], step[3];
    uint8_t bounds[6][4]; // lower ones of x, y, z, upper ones
    int32_t
        children[4]; // > 0: a node; < 0: ~(4·place + count − 1) of a leaf's triangles in `leaves`; 0: none
} cnMeshNode;

// A triangle as the leaves hold it: what a ray reads lies together.
typedef struct cnMeshLeaf {
    int32_t corners[3];
    int32_t triangle; // −1 for one without an area
} cnMeshLeaf;

struct cnTrimesh {
    int vertexCount, triangleCount, nodeCount;
    cnVec3* vertices;
    int32_t* triangles; // 3 a triangle
    int32_t* twins;     // per half-edge; −1 at the boundary
    int32_t* fanStarts; // per vertex, and one more: where its half-edges start in `fans`
    int32_t* fans;      // half-edges by the vertex that they leave
    cnVec3* normals;    // per triangle, unit; zero for one without an area
    uint8_t* flags;     // per triangle: cnEdgeKind of its edges, 2 bits each, and CN_NO_AREA
    cnMeshLeaf* leaves; // the triangles in the order of the tree
    cnMeshNode* nodes;
    cnVec3 middle; // of the tree's frame
    double extent; // m, half a side of it
    bool isClosed;
    bool isTerrain;
    double bottom; // m, where a terrain ends below
};

#define CN_NO_AREA 0x80

static inline int cnNextHalfEdge(int halfEdge) {
    return halfEdge % 3 == 2 ? halfEdge - 2 : halfEdge + 1;
}

static inline int cnPreviousHalfEdge(int halfEdge) {
    return halfEdge % 3 == 0 ? halfEdge + 2 : halfEdge - 1;
}

// The vertex at the end of a half-edge.
static inline int cnTrimesh_GetEnd(const cnTrimesh* mesh, int halfEdge) {
    return mesh->triangles[cnNextHalfEdge(halfEdge)];
}

static inline cnVec3 cnTrimesh_GetCorner(const cnTrimesh* mesh, int halfEdge) {
    return mesh->vertices[mesh->triangles[halfEdge]];
}

static inline bool cnTrimesh_HasArea(const cnTrimesh* mesh, int triangle) {
    return (mesh->flags[triangle] & CN_NO_AREA) == 0;
}

// The same number for both half-edges of an edge.
static inline uint32_t cnTrimesh_GetEdge(const cnTrimesh* mesh, int halfEdge) {
    int twin = mesh->twins[halfEdge];
    return (uint32_t)(twin >= 0 && twin < halfEdge ? twin : halfEdge);
}

static inline cnEdgeKind cnTrimesh_GetEdgeKind(const cnTrimesh* mesh, int halfEdge) {
    return (cnEdgeKind)(mesh->flags[halfEdge / 3] >> 2 * (halfEdge % 3) & 3);
}

// ---- trimesh_build.c --------------------------------------------------------------------------------------

// Checks and copies; merges vertices and flips triangles as the definition says; finds the neighbours. No
// tree yet. Errors: CN_ERROR_NULL_ARGUMENT, CN_ERROR_OUT_OF_RANGE, CN_ERROR_NOT_FINITE,
// CN_ERROR_DEGENERATE_SHAPE, CN_ERROR_OUT_OF_MEMORY.
cnErrorCode cnTrimesh_Build(cnTrimesh** out, const cnShapeDef* def, const char* call);
void cnTrimesh_Free(cnTrimesh* mesh);
size_t cnTrimesh_GetBytes(const cnTrimesh* mesh);

// Vertices at the place of an earlier one; −1 when memory ran out.
int cnTrimesh_CountDuplicates(const cnTrimesh* mesh);

// The triangle with an area across an edge, found through those without; −1 where the surface ends.
int cnTrimesh_FindNeighbour(const cnTrimesh* mesh, int halfEdge);

// ---- trimesh.c --------------------------------------------------------------------------------------------

// What the surface encloses, at density 1; negative where it is inside out, all 0 where it encloses nothing.
cnMassProperties cnTrimesh_ComputeMass(const cnTrimesh* mesh);

double cnTrimesh_ComputeArea(const cnTrimesh* mesh);

// ---- trimesh_tree.c ---------------------------------------------------------------------------------------

// False when memory ran out.
bool cnTrimesh_BuildTree(cnTrimesh* mesh);

// First triangle that origin + t·translation meets for least <= t <= most (which may be infinite), from
// either side; −1 for none, the lowest number where several are met at the same t.
// Rays through edges and vertices meet one of the triangles there: nothing leaks.
typedef struct cnMeshHit {
    int triangle;
    double fraction;
    bool fromInside; // along the triangle's normal
    bool onEdge;     // within rounding of the triangle's border
} cnMeshHit;

cnMeshHit cnTrimesh_CastRay(const cnTrimesh* mesh, cnVec3 origin, cnVec3 translation, double min, double max);

// Point of the surface next to a point, no farther than `reach`; the triangle is −1 for none.
typedef struct cnMeshPoint {
    int triangle;
    int corner; // the point lies at that corner, else −1
    int edge;   // on that edge, else −1
    cnVec3 point;
    double distance; // m, >= 0
} cnMeshPoint;

cnMeshPoint cnTrimesh_FindClosest(const cnTrimesh* mesh, cnVec3 point, double reach);

// The greatest component along a direction, and perhaps up to 5e-6 of the mesh's size more.
double cnTrimesh_GetReach(const cnTrimesh* mesh, cnVec3 direction);

// Calls `visit` with the number of every triangle with an area whose bounds overlap the box.
typedef bool cnTriangleNumberVisitor(const cnTrimesh* mesh, int triangle, void* context);
void cnTrimesh_VisitBox(const cnTrimesh* mesh, cnBounds bounds, cnTriangleNumberVisitor* visit,
                        void* context);

// The same triangles in the same order, from a list of those near earlier boxes, which it brings up to date.
void cnTrimesh_VisitNear(const cnTrimesh* mesh, cnBounds bounds, cnNearTriangles* near,
                         cnTriangleNumberVisitor* visit, void* context);
