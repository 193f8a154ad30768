// Rotations of one step, in line.
#pragma once

#include "cairn/math.h"

// Square of half the angle up to which the series do: 0.2 rad, which rotations of one step stay below. The
// next terms are under 2^-58.
#define CN_SERIES_LIMIT 0.01

// exp(v/2) by Taylor's series; `quarter` is |v|²/4, below the limit.
static inline cnQuat cnSmallRotation(cnVec3 v, double quarter) {
    double sineOverAngle =
        0.5 *
        (1.0 + quarter * (-1.0 / 6.0 +
                          quarter * (1.0 / 120.0 + quarter * (-1.0 / 5040.0 + quarter * (1.0 / 362880.0)))));
    double cosine =
        1.0 + quarter * (-0.5 + quarter * (1.0 / 24.0 + quarter * (-1.0 / 720.0 +
                                                                   quarter * (1.0 / 40320.0 -
                                                                              quarter * (1.0 / 3628800.0)))));
    return (cnQuat){sineOverAngle * v.x, sineOverAngle * v.y, sineOverAngle * v.z, cosine};
}

// As cnQuatFromRotationVector.
static inline cnQuat cnRotationBy(cnVec3 v) {
    double quarter = 0.25 * cnLengthSquared(v);
    return quarter < CN_SERIES_LIMIT ? cnSmallRotation(v, quarter) : cnQuatFromRotationVector(v);
}
