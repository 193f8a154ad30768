// Contact reduction: fewer points where many say the same.
//
// A contact point acts on its bodies through one row, G = (n, r × n): six numbers, r from a common origin.
// Two points whose rows point the same way in that space hold the same motion, so one of them is enough. The
// space is cut into bins, `resolution` along each of the six directions, r × n in units of its largest
// length, and of each bin one point stays: of those that are about as deep as the bin's deepest the one
// farthest out, |r × n| largest, so that what the points bear on keeps its corners. The deepest point of all
// stays in any case.
#pragma once

#include "cairn/math.h"

#include <stdint.h>

// A pair of geometries with no more points than this keeps them all.
#define CN_REDUCTION_MIN 12
#define CN_REDUCTION_RESOLUTION 3
#define CN_REDUCTION_MAX_RESOLUTION 10

typedef struct cnReductionPoint {
    cnVec3 position; // m, from any origin
    cnVec3 normal;   // unit; of all points from the same geometry to the other
    double depth;    // m
} cnReductionPoint;

// Sets keep[i] to 1 for points that stay and to 0 for the others; returns how many stay. `keys` is
// scratch, one a point.
int cnReduceContactPoints(const cnReductionPoint* points, int count, int resolution, uint64_t* keys,
                          uint8_t* keep);
