// Lines against everything solid: the first surface from the start to the end.
#include "collide/narrow/collide.h"
#include "geometry/shapes/shape_kinds.h"

// The point is that of the surface, not half-way into the solid: a line measures where it meets something.
void cnCollideLine(const cnShapePair* pair, cnLocalManifold* manifold) {
    cnVec3 start = cnToA(&pair->pose, pair->b->start);
    cnVec3 translation = cnSub(cnToA(&pair->pose, pair->b->end), start);
    cnLocalRayHit hit = pair->a->kind->castRay(pair->a, start, translation);
    if (hit.hit) {
        manifold->normal = cnNormalize(hit.inside ? cnNeg(translation) : hit.normal);
        manifold->points[manifold->count++] = (cnLocalPoint){cnMulAdd(start, hit.fraction, translation),
                                                             (1.0 - hit.fraction) * cnLength(translation), 0};
    }
}
