// Quaternions from rotation vectors and matrices.

#include "math/small_rotation.h"

cnQuat cnQuatFromRotationVector(cnVec3 v) {
    double quarter = 0.25 * cnLengthSquared(v); // of the angle's square: the square of half the angle
    if (quarter < CN_SERIES_LIMIT) {
        return cnSmallRotation(v, quarter);
    }
    double angle = cnLength(v), sineOverAngle = cnSin(0.5 * angle) / angle;
    return (cnQuat){sineOverAngle * v.x, sineOverAngle * v.y, sineOverAngle * v.z, cnCos(0.5 * angle)};
}

// Shepperd, "Quaternion from rotation matrix", J. Guidance and Control 1 (1978): divide by the
// largest component.
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
