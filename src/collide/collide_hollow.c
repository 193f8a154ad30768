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
