// What contacts between two materials use, and the memory of pairs that were resolved.
#pragma once

#include "cairn/types.h"

// In place of a row where no contact material says it.
#define CN_NO_FIRST_MATERIAL (-2)

typedef struct cnPairProperties {
    double friction[2]; // coefficient, primary and secondary direction
    double restitution;
    double restitutionThreshold; // m/s
    double youngsModulus;        // Pa; the compliance of a point is its inverse (rest length 1 m, unit area)
    double damping;              // s
    double adhesionForce;        // N
    double adhesionOverlap;      // m
    double surfaceViscosity[2];  // (m/s)/N a point, primary and secondary direction
    bool contactReduction;
    cnFrictionModel frictionModel;
    cnContactArea contactArea;
    double rollingResistance[2]; // m
    double spinningFriction;     // m
    double slide[2];             // m/s
    double staticFrictionScale;
    int firstMaterial; // row of what a contact material has as material1
    bool isPlain;      // a circular cone or no friction, and no area, adhesion, rolling, spinning or slide
} cnPairProperties;

// All pairs of the first rows, the default material included, as a lower triangle.
typedef struct cnPairCache {
    cnPairProperties* pairs;
    int materialCapacity; // rows that `pairs` has room for, with the default material
    int materialCount;    // rows that are filled, with the default material
    uint32_t revision;    // of the tables when it was filled
} cnPairCache;

void cnPairCache_Free(cnPairCache* cache);
