// The narrow phase as its users see it: two shapes at two poses, and the contacts between them.
#pragma once

#include "collide/manifolds/candidates.h"
#include "geometry/triangles.h"

// True where a pair of types has contacts; false for plane against plane, height field against height field,
// line against line.
bool cnCanCollide(cnShapeType type1, cnShapeType type2);

// True where a pair of types touches in several places: meshes and height fields against all but lines,
// hollow solids against all but lines and half-spaces.
bool cnIsConcave(cnShapeType type1, cnShapeType type2);

// How many of two shapes are round about an axis or a point.
int cnCountRound(cnShapeType type1, cnShapeType type2);

// Contacts of two shapes of a pair that is not concave. Points up to `margin` (m, >= 0) apart are made.
// Returns the number of points.
int cnCollideShapes(const cnShape* shape1, cnPose pose1, const cnShape* shape2, cnPose pose2, double margin,
                    cnCollideCache* cache, cnManifold* manifold);

// Contacts of a concave pair: at most CN_PAIR_MANIFOLDS manifolds, the deepest first. Returns their number,
// −1 when memory for candidates ran out. What is in `scratch` does not matter; `near` is kept for these two
// shapes from call to call, null: not.
int cnCollideConcaveShapes(const cnShape* shape1, cnPose pose1, const cnShape* shape2, cnPose pose2,
                           double margin, cnNearTriangles* near, cnCandidates* scratch,
                           cnManifold* manifolds);

// 1 where two shapes overlap (or touch, within rounding), 0 where not, -1 when memory ran out; with as little
// work as answers it. A pair that is not concave needs no scratch.
int cnDoShapesOverlap(const cnShape* shape1, cnPose pose1, const cnShape* shape2, cnPose pose2,
                      cnCollideCache* cache, cnCandidates* scratch);
