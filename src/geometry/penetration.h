// Any two convex shapes: how far apart, how deep in each other, and when they meet.
//
// ## Depth
// The shapes overlap where the difference D = A − B = {a − b} contains the origin. Moving B along a unit
// vector n parts them after h(n), the support function of D, so the depth is the least h(n) over all
// directions. Two algorithms share the work:
//
// - The expanding polytope (van den Bergen 2001, "Proximity queries and penetration depth computation on 3D
//   game objects") grows a polytope inside D; the least distance of its faces bounds the depth from below,
//   and every support point gives h(n), a bound from above. It finds the right region of directions. Face
//   distances have a sign here: the polytope starts as the fattest tetrahedron at hand wherever the origin
//   is, so that touching shapes are no special case.
// - Within a region a direction is made exact by distances: with x = s·n beyond h(n), let p be the point of D
//   nearest to x. Then n' = (x − p)/|x − p| has
//       h(n') = n'·p = s n'·n − |x − p| <= s − (s − h(n)) = h(n),
//   as |x − p| >= s − h(n). So it descends; near the least it contracts by depth/radius of curvature: once
//   for flat parts, and a few times for curved ones. It gives the points on both surfaces, too.
//
// Every answer is a direction with its own exact h(n): where the iterations end early, the depth is an upper
// bound that does part the shapes, never an inconsistent one.
#pragma once

#include "geometry/support.h"

typedef struct cnSupportDistance {
    cnVec3 pointA, pointB; // m, on the surfaces, in A's frame: pointB − pointA = distance·normal
    cnVec3 normal;         // unit, from A to B, in A's frame
    double distance;       // m; negative: depth
    int listed;            // number of the listed direction that won; −1: found, and the points are its
} cnSupportDistance;

// Closest points of two shapes apart, or the least way out of each other. `reach` (m): where the shapes are
// farther apart the answer is false, and only normal and distance are set, to a direction that parts them by
// more than reach; INFINITY for the full answer. Depths are right to 1e-7 of the shapes' size, their points
// to 1e-4 (where the middles all but coincide).
bool cnComputeSupportDistance(const cnSupportShape* a, const cnSupportShape* b, const cnRelativePose* pose,
                              double reach, cnSupportDistance* out);

// The same with directions (unit, from A to B, in A's frame) to try first: faces, and last step's.
// `tolerance` (m) is by how much the depth may exceed the least one: of directions that good, one of the list
// wins, earlier ones first.
bool cnComputeSupportDistanceFrom(const cnSupportShape* a, const cnSupportShape* b,
                                  const cnRelativePose* pose, double reach, const cnVec3* directions,
                                  int directionCount, double tolerance, cnSupportDistance* out);

// Distance and normal alone, as above, to an error (m): for what is asked often.
bool cnMeasureSupportDistance(const cnSupportShape* a, const cnSupportShape* b, const cnRelativePose* pose,
                              double reach, double error, double* distance, cnVec3* normal);

// Most directions of a list.
#define CN_MAX_DIRECTIONS 24

// h(n) of A − B, radii included: how far B must move along n to part from A; negative where n
// parts them already.
double cnGetDepthAlong(const cnSupportShape* a, const cnSupportShape* b, const cnRelativePose* pose,
                       cnVec3 normal);

typedef struct cnSupportCast {
    bool hit;
    bool overlapping; // at the start; then fraction is 0, and distance the negative depth
    double fraction;  // of the translation, 0…1
    cnVec3 point;     // m, on A's surface, in A's frame
    cnVec3 normal;    // unit, from A to B, in A's frame
    double distance;  // m; 0 up to 1e-9 of the shapes' size unless they overlap at the start
} cnSupportCast;

// First contact of B, moved along a translation (m, in A's frame), with A, which stands still. Conservative
// advancement along the plane that parts them, which is Newton's method on a convex function and never passes
// the first contact (after van den Bergen 2004, "Ray casting against general convex objects with application
// to continuous collision detection"). Shapes that overlap at the start meet at once, whichever way they go;
// `normal` says whether they part. Shapes that touch and part don't meet.
cnSupportCast cnCastSupport(const cnSupportShape* a, const cnSupportShape* b, const cnRelativePose* pose,
                            cnVec3 translation);
