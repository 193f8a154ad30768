// Quaternions from rotation vectors and matrices.

#include "cairn/math.h"

cnQuat cnQuatFromRotationVector(cnVec3 v) {
    double quarter = 0.25 * cnLengthSquared(v); // of the angle's square: the square of half the angle

    // Taylor's series up to 0.2 rad, which rotations of one step stay below; the next terms are under 2^-58
    const double seriesLimit = 0.01;
    double sineOverAngle;
    double cosine;
    if (quarter < seriesLimit) {
        sineOverAngle =
            0.5 *
            (1.0 + quarter * (-1.0 / 6.0 + quarter * (1.0 / 120.0 + quarter * (-1.0 / 5040.0 +
                                                                               quarter * (1.0 / 362880.0)))));
        cosine = 1.0 +
                 quarter *
                     (-0.5 + quarter * (1.0 / 24.0 +
                                        quarter * (-1.0 / 720.0 +
                                                   quarter * (1.0 / 40320.0 - quarter * (1.0 / 3628800.0)))));
    } else {
        double angle = cnLength(v);
        sineOverAngle = cnSin(0.5 * angle) / angle;
        cosine = cnCos(0.5 * angle);
    }
    return (cnQuat){sineOverAngle * v.x, sineOverAngle * v.y, sineOverAngle * v.z, cosine};
}

// Shepperd, "Quaternion from rotation matrix", J. Guidance and Control 1 (1978): divide by the largest component.
cnQuat cnQuatFromMat(cnMat33 m) {
    double trace = m.x.x + m.y.y + m.z.z;
    cnQuat q;
    if (trace >= m.x.x && trace >= m.y.y && trace >= m.z.z) {
        q = (cnQuat){m.y.z - m.z.y, m.z.x - m.x.z, m.x.y - m.y.x, 1.0 + trace};
    } else if (m.x.x >= m.y.y && m.x.x >= m.z.z) {
        q = (cnQuat){1.0 + m.x.x - m.y.y - m.z.z, m.y.x + m.x.y, m.z.x + m.x.z, m.y.z - m.z.y};
    } else if (m.y.y >= m.z.z) {
        q = (cnQuat){m.y.x + m.x.y, 1.0 - m.x.x + m.y.y - m.z.z, m.z.y + m.y.z, m.z.x - m.x.z};
    } else {
        q = (cnQuat){m.z.x + m.x.z, m.z.y + m.y.z, 1.0 - m.x.x - m.y.y + m.z.z, m.x.y - m.y.x};
    }
    return cnNormalizeQuat(q);
}
