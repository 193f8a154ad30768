#include "geometry/triangles.h"

#include "geometry/meshes/trimesh.h"
#include "geometry/shapes/shape_kinds.h"

uint32_t cnTriangle_GetEdge(const cnTriangle* triangle, int edge) {
    const cnTrimesh* mesh = triangle->mesh;
    return mesh != NULL ? cnTrimesh_GetEdge(mesh, 3 * triangle->index + edge) : triangle->edges[edge];
}

cnVec3 cnTriangle_GetNeighbourNormal(const cnTriangle* triangle, int edge) {
    const cnTrimesh* mesh = triangle->mesh;
    if (mesh == NULL) {
        return triangle->neighbourNormals[edge];
    }
    int neighbour = cnTrimesh_FindNeighbour(mesh, 3 * triangle->index + edge);
    return neighbour >= 0 ? mesh->normals[neighbour] : triangle->normal;
}

void cnShape_VisitTriangles(const cnShape* shape, cnBounds bounds, cnTriangleVisitor* visit, void* context) {
    cnShape_SearchTriangles(shape, &(cnTriangleSearch){bounds, NULL, visit, context, NULL});
}

void cnShape_SearchTriangles(const cnShape* shape, const cnTriangleSearch* search) {
    if (shape->kind->searchTriangles != NULL) {
        shape->kind->searchTriangles(shape, search);
    }
}

bool cnShape_IsFreeAtVertex(const cnShape* shape, int vertex, cnVec3 normal) {
    return shape->kind->isFreeAtVertex == NULL || shape->kind->isFreeAtVertex(shape, vertex, normal);
}
