// Convex shapes as the general algorithms see them: a core given by its support mapping, swept by a ball.
//
// Distances are taken between cores, where they are exact, and shortened by the radii: spheres and capsules,
// whose cores are a point and a segment, come out as exact as boxes.
#pragma once

#include "geometry/polytope.h"
#include "geometry/shape.h"

typedef enum cnSupportKind {
    cn_supportBox,      // a point, a segment along an axis or a box: centred, halfExtents may be 0
    cn_supportCorners,  // the hull of corners
    cn_supportRevolved, // the convex hull of the two circles of a profile; the hole does not count
} cnSupportKind;

typedef struct cnSupportShape {
    cnSupportKind kind;
    double radius; // m, of the ball swept over the core
    double size;   // m, half the shape's extent, no more than 1.5 times off
    cnVec3 centre; // m, in the middle of the core
    cnVec3 halfExtents;
    cnPolytope corners;                            // edges only where it was made from a hull
    double lower, upper, radiusLower, radiusUpper; // m: circles about y
} cnSupportShape;

// View of a shape; it refers to the shape's hull. Of hollow solids, their outside filled up. False, with
// nothing set, for planes, lines, meshes and height fields.
bool cnSupportShape_Init(cnSupportShape* support, const cnShape* shape);

// The hull of any number of corners (a point, a segment, a triangle, ...), which must outlive the view,
// grown by a radius.
cnSupportShape cnSupportShape_FromCorners(const cnVec3* corners, int count, double radius);

// A point of the core farthest along a direction of any length. `hint`, 0 at first, makes climbing on
// large hulls short.
cnVec3 cnSupportShape_GetPoint(const cnSupportShape* support, cnVec3 direction, int* hint);
