#include "collide/collide.h"

bool cnCollideHollow(const cnPair* pair, cnCandidates* out) {
    (void)pair;
    (void)out;
    return true;
}

void cnCollideTriangle(const cnTriangle* triangle, const cnPair* pair, int* feature,
                       cnLocalManifold* manifold) {
    (void)triangle;
    (void)pair;
    (void)feature;
    (void)manifold;
}
void cnShape_VisitTriangles(const cnShape* shape, cnBounds bounds, cnTriangleVisitor* visit, void* context) {
    (void)shape; (void)bounds; (void)visit; (void)context;
}
bool cnShape_IsFreeAtVertex(const cnShape* shape, int vertex, cnVec3 normal) {
    (void)shape; (void)vertex; (void)normal; return false;
}
