#include "geometry/triangles.h"

#include "geometry/shapes/shape_kinds.h"

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
