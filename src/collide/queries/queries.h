// Two shapes at poses, without a world: closest points, overlap, and the first meeting of one that moves with
// one that stands.
//
// ## Parts
// Convex shapes go to geometry/penetration.h as they are. All others come apart into convex parts, and the
// nearest part counts:
// - meshes and height fields into their triangles, as many as lie near enough to matter;
// - a hollow solid into sectors about its axis. The hull of a sector holds the sector, so its distance, or
//   the fraction at which it is met, is a lower bound. The sector with the least bound is halved again and
//   again (best first), until the distance of a point of the other shape from the true wall, an upper bound,
//   says that no other sector can be nearer;
// - a plane is a half-space: support points along its normal say all.
// Where both come apart, those of the first are asked one by one, with meshes first. Two hollow solids would
// need sectors against sectors and are refused, like two planes; in casts, too.
//
// Everything is f64, in the frame of the shape that stands.
#pragma once

#include "geometry/shape.h"

// Closest points of shapes no farther apart than `reach` (m, INFINITY for all); beyond, status is
// cn_proximityApart and distance some lower bound >= reach.
cnClosestPoints cnFindClosestPoints(const cnShape* shape1, cnPose pose1, const cnShape* shape2, cnPose pose2,
                                    double reach);

typedef struct cnShapeCastHit {
    cnProximity status; // unsupported; apart: nothing is met; overlapping: met
    double fraction;    // of the translation
    cnVec3 point;       // m, world, on the surface of the shape that stands
    cnVec3 normal;      // unit, world, from it to the shape that moves; zero where they overlap at the start
} cnShapeCastHit;

// First meeting of a shape that moves along a translation (world, m) without rotating, with one that stands,
// up to a fraction.
cnShapeCastHit cnCastShapeAtShape(const cnShape* moving, cnPose pose, cnVec3 translation,
                                  const cnShape* standing, cnPose standingPose, double maxFraction);

// Whether a shape holds a point of its frame, its surface included.
bool cnShape_HoldsPoint(const cnShape* shape, cnVec3 point);
