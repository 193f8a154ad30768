// Polytopes as the narrow phase sees them: hulls and boxes through one view.
#include "geometry/polytope.h"

// Vertex i of a box has its x, y, z at the upper end where bits 0, 1, 2 of i are set; faces are -x,
// +x, -y, +y, -z, +z.
static const cnHullEdge boxEdges[24] = {
    {1, 11, 0, 0}, {2, 23, 4, 0},  {3, 12, 6, 0},  {0, 16, 2, 0},  {5, 18, 1, 1},  {6, 14, 3, 1},
    {7, 21, 7, 1}, {4, 9, 5, 1},   {9, 19, 0, 2},  {10, 7, 1, 2},  {11, 20, 5, 2}, {8, 0, 4, 2},
    {13, 2, 2, 3}, {14, 22, 6, 3}, {15, 5, 7, 3},  {12, 17, 3, 3}, {17, 3, 0, 4},  {18, 15, 2, 4},
    {19, 4, 3, 4}, {16, 8, 1, 4},  {21, 10, 4, 5}, {22, 6, 5, 5},  {23, 13, 7, 5}, {20, 1, 6, 5},
};
static const uint16_t boxFaceEdges[6] = {0, 4, 8, 12, 16, 20};
static const uint16_t boxVertexEdges[8] = {0, 4, 3, 5, 1, 7, 2, 6};

cnPolytope cnPolytope_FromHull(const cnHull* hull) {
    return (cnPolytope){
        .vertexCount = hull->vertexCount,
        .edgeCount = hull->edgeCount,
        .faceCount = hull->faceCount,
        .vertices = hull->vertices,
        .planes = hull->planes,
        .edges = hull->edges,
        .faceEdges = hull->faceEdges,
        .vertexEdges = hull->vertexEdges,
        .centre = hull->centre,
        .innerRadius = hull->innerRadius,
    };
}

cnPolytope cnPolytope_FromBox(cnVec3 half, cnBoxStorage* storage) {
    for (int i = 0; i < 8; ++i) {
        storage->vertices[i] = cnVec((i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y,
                                     (i & 4) != 0 ? half.z : -half.z);
    }
    storage->planes[0] = (cnHullPlane){{-1.0, 0.0, 0.0}, half.x};
    storage->planes[1] = (cnHullPlane){{1.0, 0.0, 0.0}, half.x};
    storage->planes[2] = (cnHullPlane){{0.0, -1.0, 0.0}, half.y};
    storage->planes[3] = (cnHullPlane){{0.0, 1.0, 0.0}, half.y};
    storage->planes[4] = (cnHullPlane){{0.0, 0.0, -1.0}, half.z};
    storage->planes[5] = (cnHullPlane){{0.0, 0.0, 1.0}, half.z};
    return (cnPolytope){
        .vertexCount = 8,
        .edgeCount = 24,
        .faceCount = 6,
        .vertices = storage->vertices,
        .planes = storage->planes,
        .edges = boxEdges,
        .faceEdges = boxFaceEdges,
        .vertexEdges = boxVertexEdges,
        .innerRadius = cnMin(half.x, cnMin(half.y, half.z)),
    };
}

// From this size on, climbing along edges beats looking at every vertex.
#define CLIMB_FROM 48

int cnPolytope_GetSupport(const cnPolytope* polytope, cnVec3 direction, int hint) {
    if (polytope->vertexCount < CLIMB_FROM || polytope->edges == NULL) {
        return cnFindFarthest(polytope->vertices, polytope->vertexCount, direction, hint);
    }
    return cnClimbToFarthest(polytope->vertices, polytope->edges, polytope->vertexEdges, direction, hint);
}
