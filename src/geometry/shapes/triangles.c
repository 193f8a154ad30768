#include "geometry/triangles.h"

#include "geometry/shapes/shape_kinds.h"

void cnShape_VisitTriangles(const cnShape* shape, cnBounds bounds, cnTriangleVisitor* visit, void* context) {
    cnShape_VisitFiltered(shape, bounds, NULL, visit, context);
}

void cnShape_VisitFiltered(const cnShape* shape, cnBounds bounds, cnTriangleFilter* filter,
                           cnTriangleVisitor* visit, void* context) {
    if (shape->kind->visitTriangles != NULL) {
        shape->kind->visitTriangles(shape, bounds, filter, visit, context);
    }
}

bool cnShape_IsFreeAtVertex(const cnShape* shape, int vertex, cnVec3 normal) {
    return shape->kind->isFreeAtVertex == NULL || shape->kind->isFreeAtVertex(shape, vertex, normal);
}
