// The point of a solid's surface next to a point, of one shape at a pose or of the union of several.
//
// ## Unions
// A point outside all shapes is as far from their union as from the nearest one. A point inside has at least
// the greatest of its depths in them around it, for a ball of that radius lies in one shape; so where the
// nearest point of that shape's surface is covered by no other, the depth is exact. What is covered has no
// closed form. Then the way out is searched for: along a direction, rays in and out of all shapes tell where
// the union ends, to the last bit, and a compass search turns the direction to where that is nearest, from
// several starts. So its point lies on the union's surface, and its distance is an upper bound of the least.
#pragma once

#include "geometry/shape.h"

typedef struct cnPlacedShape {
    const cnShape* shape;
    cnPose pose;
} cnPlacedShape;

// A point and the result in world metres. `count` is 1 or more.
cnSurfaceDistance cnFindSurfaceOfUnion(const cnPlacedShape* shapes, int count, cnVec3 point);
