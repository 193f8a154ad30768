// Smallest circles and balls around points.
#pragma once

#include "cairn/math.h"

typedef struct cnPlanePoint {
    double x, y;
} cnPlanePoint;

typedef struct cnCircle {
    cnPlanePoint centre;
    double radius;
} cnCircle;

typedef struct cnBall {
    cnVec3 centre;
    double radius;
} cnBall;

// The smallest circle around points; all of them lie within it up to rounding.
cnCircle cnFindSmallestCircle(const cnPlanePoint* points, int count);

// The smallest ball.
cnBall cnFindSmallestBall(const cnVec3* points, int count);
