// Closest points: between segments, and between convex polytopes by GJK.
#pragma once

#include "geometry/support.h"

typedef struct cnDistance {
    cnVec3 pointA, pointB; // in A's frame
    double distance;       // 0 where they overlap or come closer than 1e-12 of their size
} cnDistance;

// Gilbert, Johnson, Keerthi 1988, in f64. Closest points of the cores (radii do not count): to 1e-12 of the
// distance, or 1e-15 of the cores' size, or to `error` (m) where that is more. False where the cores are
// farther apart than `reach` (m): then pointB − pointA is a direction that separates them by more than that,
// and distance how much it does.
bool cnComputeCoreDistance(const cnSupportShape* a, const cnSupportShape* b, const cnRelativePose* pose,
                           double reach, double error, cnDistance* out);

// The same for polytopes. Vertices of A in A's frame, of B in B's.
cnDistance cnComputeDistance(const cnPolytope* a, const cnPolytope* b, const cnRelativePose* pose);

// Parameters 0…1 of the closest points of two segments p + s d and q + t e (Ericson, Real-Time Collision
// Detection, 5.1.9). Segments may be points. Of parallel ones, one of the closest pairs.
void cnFindClosestOnSegments(cnVec3 p, cnVec3 d, cnVec3 q, cnVec3 e, double* s, double* t);

// Parameter 0…1 of the point of p + s d next to x.
double cnFindClosestOnSegment(cnVec3 p, cnVec3 d, cnVec3 x);

// Parameter 0…1 of the point of p + s d next to a box about the origin; of several, one. In closed form.
double cnFindClosestToBox(cnVec3 p, cnVec3 d, cnVec3 halfExtents);
