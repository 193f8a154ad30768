// Volume, centroid and inertia of a solid with flat faces, summed triangle by triangle of its surface.
#pragma once

#include "cairn/math.h"

typedef struct cnSolidIntegrals {
    double sixVolume;
    cnVec3 first;                  // 24 ∫x
    double xx, yy, zz, xy, yz, zx; // 120 ∫x xᵀ
} cnSolidIntegrals;

// Adds the tetrahedron of the origin and a triangle, counter-clockwise seen from outside. Sums are most
// accurate with the origin in the middle of the solid.
void cnSolidIntegrals_Add(cnSolidIntegrals* sums, cnVec3 a, cnVec3 b, cnVec3 c);

// At density 1; the inertia about the centroid. The volume must not be 0.
void cnSolidIntegrals_Finish(const cnSolidIntegrals* sums, double* volume, cnVec3* centre, cnMat33* inertia);
