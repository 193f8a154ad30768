// Vectors, quaternions, matrices and poses in f64, and functions that give identical bits in every build.
//
// Right-handed, SI units, angles in radians. A quaternion is (x, y, z, w) as three.js has it and turns a
// vector from the body's axes to the world's.

#pragma once

#include "cairn/base.h"

#include <math.h>
#include <stdbool.h>

#define CN_PI 3.14159265358979323846

typedef struct cnVec3 {
    double x, y, z;
} cnVec3;

typedef struct cnQuat {
    double x, y, z, w;
} cnQuat;

// Columns x, y, z.
typedef struct cnMat33 {
    cnVec3 x, y, z;
} cnMat33;

typedef struct cnPose {
    cnVec3 position;
    cnQuat rotation;
} cnPose;

typedef struct cnBounds {
    cnVec3 lower, upper;
} cnBounds;

// Own transcendental functions: the same bits natively and in WebAssembly, within 2 ulp of the true
// value (4 for pow).
CN_API double cnSin(double radians);
CN_API double cnCos(double radians);
CN_API double cnTan(double radians);
CN_API double cnAsin(double value);
CN_API double cnAcos(double value);
CN_API double cnAtan2(double y, double x);
CN_API double cnExp(double value);
CN_API double cnLog(double value);
CN_API double cnPow(double base, double exponent);

static const cnVec3 cnVec3_zero = {0.0, 0.0, 0.0};
static const cnQuat cnQuat_identity = {0.0, 0.0, 0.0, 1.0};

static inline double cnMin(double a, double b) {
    return a < b ? a : b;
}

static inline double cnMax(double a, double b) {
    return a > b ? a : b;
}

static inline double cnClamp(double value, double lower, double upper) {
    return value < lower ? lower : (value > upper ? upper : value);
}

static inline cnVec3 cnVec(double x, double y, double z) {
    return (cnVec3){x, y, z};
}

static inline cnVec3 cnAdd(cnVec3 a, cnVec3 b) {
    return (cnVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline cnVec3 cnSub(cnVec3 a, cnVec3 b) {
    return (cnVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline cnVec3 cnNeg(cnVec3 a) {
    return (cnVec3){-a.x, -a.y, -a.z};
}

static inline cnVec3 cnScale(double s, cnVec3 a) {
    return (cnVec3){s * a.x, s * a.y, s * a.z};
}

// a + s b
static inline cnVec3 cnMulAdd(cnVec3 a, double s, cnVec3 b) {
    return (cnVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

// Component by component.
static inline cnVec3 cnMul(cnVec3 a, cnVec3 b) {
    return (cnVec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline double cnDot(cnVec3 a, cnVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline cnVec3 cnCross(cnVec3 a, cnVec3 b) {
    return (cnVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double cnLengthSquared(cnVec3 a) {
    return cnDot(a, a);
}

static inline double cnLength(cnVec3 a) {
    return sqrt(cnDot(a, a));
}

// Zero stays zero.
static inline cnVec3 cnNormalize(cnVec3 a) {
    double length = cnLength(a);
    return length > 0.0 ? cnScale(1.0 / length, a) : cnVec3_zero;
}

static inline cnVec3 cnAbs(cnVec3 a) {
    return (cnVec3){fabs(a.x), fabs(a.y), fabs(a.z)};
}

// The unit axis x, y or z that is least along v, the first of equals.
static inline cnVec3 cnMinAxis(cnVec3 v) {
    cnVec3 a = cnAbs(v);
    return a.x <= a.y && a.x <= a.z ? (cnVec3){1, 0, 0}
                                    : (a.y <= a.z ? (cnVec3){0, 1, 0} : (cnVec3){0, 0, 1});
}

static inline bool cnHoldsBounds(const cnBounds* outer, const cnBounds* inner) {
    return outer->lower.x <= inner->lower.x && outer->lower.y <= inner->lower.y &&
           outer->lower.z <= inner->lower.z && outer->upper.x >= inner->upper.x &&
           outer->upper.y >= inner->upper.y && outer->upper.z >= inner->upper.z;
}

static inline cnVec3 cnMinVec(cnVec3 a, cnVec3 b) {
    return (cnVec3){cnMin(a.x, b.x), cnMin(a.y, b.y), cnMin(a.z, b.z)};
}

static inline cnVec3 cnMaxVec(cnVec3 a, cnVec3 b) {
    return (cnVec3){cnMax(a.x, b.x), cnMax(a.y, b.y), cnMax(a.z, b.z)};
}

static inline bool cnIsFinite(double value) {
    return value - value == 0.0;
}

static inline bool cnIsZeroVec(cnVec3 v) {
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

static inline bool cnIsFiniteVec(cnVec3 a) {
    return cnIsFinite(a.x) && cnIsFinite(a.y) && cnIsFinite(a.z);
}

static inline bool cnIsFiniteQuat(cnQuat q) {
    return cnIsFinite(q.x) && cnIsFinite(q.y) && cnIsFinite(q.z) && cnIsFinite(q.w);
}

// First b, then a.
static inline cnQuat cnMulQuat(cnQuat a, cnQuat b) {
    return (cnQuat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}

static inline cnQuat cnConjugate(cnQuat q) {
    return (cnQuat){-q.x, -q.y, -q.z, q.w};
}

// To the bit, but for the sign of zeros.
static inline bool cnAreSameQuats(cnQuat a, cnQuat b) {
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

static inline double cnLengthQuat(cnQuat q) {
    return sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
}

// A zero quaternion becomes the identity.
static inline cnQuat cnNormalizeQuat(cnQuat q) {
    double length = cnLengthQuat(q);
    if (!(length > 0.0)) {
        return cnQuat_identity;
    }
    double s = 1.0 / length;
    return (cnQuat){s * q.x, s * q.y, s * q.z, s * q.w};
}

static inline cnVec3 cnRotate(cnQuat q, cnVec3 v) {
    cnVec3 u = {q.x, q.y, q.z};
    cnVec3 t = cnScale(2.0, cnCross(u, v));
    return cnAdd(cnMulAdd(v, q.w, t), cnCross(u, t));
}

static inline cnVec3 cnInvRotate(cnQuat q, cnVec3 v) {
    return cnRotate(cnConjugate(q), v);
}

static inline cnMat33 cnMatFromQuat(cnQuat q) {
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (cnMat33){
        {1.0 - 2.0 * (yy + zz), 2.0 * (xy + wz), 2.0 * (xz - wy)},
        {2.0 * (xy - wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz + wx)},
        {2.0 * (xz + wy), 2.0 * (yz - wx), 1.0 - 2.0 * (xx + yy)},
    };
}

static inline cnVec3 cnMulMat(cnMat33 m, cnVec3 v) {
    return cnMulAdd(cnMulAdd(cnScale(v.x, m.x), v.y, m.y), v.z, m.z);
}

// mᵀ v
static inline cnVec3 cnMulMatT(cnMat33 m, cnVec3 v) {
    return (cnVec3){cnDot(m.x, v), cnDot(m.y, v), cnDot(m.z, v)};
}

static inline cnMat33 cnMulMatMat(cnMat33 a, cnMat33 b) {
    return (cnMat33){cnMulMat(a, b.x), cnMulMat(a, b.y), cnMulMat(a, b.z)};
}

static inline cnMat33 cnTranspose(cnMat33 m) {
    return (cnMat33){{m.x.x, m.y.x, m.z.x}, {m.x.y, m.y.y, m.z.y}, {m.x.z, m.y.z, m.z.z}};
}

static inline bool cnIsZeroMat(cnMat33 m) {
    return cnIsZeroVec(m.x) && cnIsZeroVec(m.y) && cnIsZeroVec(m.z);
}

static inline cnMat33 cnAddMat(cnMat33 a, cnMat33 b) {
    return (cnMat33){cnAdd(a.x, b.x), cnAdd(a.y, b.y), cnAdd(a.z, b.z)};
}

static inline cnMat33 cnScaleMat(double s, cnMat33 m) {
    return (cnMat33){cnScale(s, m.x), cnScale(s, m.y), cnScale(s, m.z)};
}

static inline cnMat33 cnDiagonal(cnVec3 d) {
    return (cnMat33){{d.x, 0.0, 0.0}, {0.0, d.y, 0.0}, {0.0, 0.0, d.z}};
}

static inline double cnDeterminant(cnMat33 m) {
    return cnDot(m.x, cnCross(m.y, m.z));
}

// Inverse of a symmetric or general 3×3 matrix; the zero matrix where it is singular.
static inline cnMat33 cnInverse(cnMat33 m) {
    double determinant = cnDeterminant(m);
    double s = determinant != 0.0 ? 1.0 / determinant : 0.0;
    cnMat33 rows = {cnScale(s, cnCross(m.y, m.z)), cnScale(s, cnCross(m.z, m.x)),
                    cnScale(s, cnCross(m.x, m.y))};
    return cnTranspose(rows);
}

// R diag(d) Rᵀ
static inline cnMat33 cnRotateDiagonal(cnMat33 r, cnVec3 d) {
    cnMat33 scaled = {cnScale(d.x, r.x), cnScale(d.y, r.y), cnScale(d.z, r.z)};
    return cnMulMatMat(scaled, cnTranspose(r));
}

// R m Rᵀ
static inline cnMat33 cnRotateMat(cnMat33 r, cnMat33 m) {
    return cnMulMatMat(cnMulMatMat(r, m), cnTranspose(r));
}

static inline cnVec3 cnTransformPoint(cnPose pose, cnVec3 point) {
    return cnAdd(pose.position, cnRotate(pose.rotation, point));
}

static inline cnVec3 cnInvTransformPoint(cnPose pose, cnVec3 point) {
    return cnInvRotate(pose.rotation, cnSub(point, pose.position));
}

// First b, then a.
static inline cnPose cnMulPose(cnPose a, cnPose b) {
    return (cnPose){cnTransformPoint(a, b.position), cnMulQuat(a.rotation, b.rotation)};
}

// Rotation by |v| about v: exp(v/2).
CN_API cnQuat cnQuatFromRotationVector(cnVec3 v);

// Rotation of a matrix with orthonormal right-handed columns.
CN_API cnQuat cnQuatFromMat(cnMat33 m);

// Eigenvalues (ascending) and orthonormal right-handed eigenvectors (as a rotation) of a symmetric matrix, by
// Jacobi's method.
CN_API cnVec3 cnSymmetricEigen(cnMat33 m, cnQuat* axes);
