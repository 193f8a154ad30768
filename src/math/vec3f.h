// Vectors and matrices in f32, for the narrow phase.
#pragma once

#include "cairn/math.h"

typedef struct cnVec3f {
    float x, y, z;
} cnVec3f;

// Columns.
typedef struct cnMat33f {
    cnVec3f x, y, z;
} cnMat33f;

static inline cnVec3f cnVecF(float x, float y, float z) {
    return (cnVec3f){x, y, z};
}

static inline cnVec3f cnToF(cnVec3 a) {
    return (cnVec3f){(float)a.x, (float)a.y, (float)a.z};
}

static inline cnVec3 cnToD(cnVec3f a) {
    return (cnVec3){a.x, a.y, a.z};
}

static inline cnVec3f cnAddF(cnVec3f a, cnVec3f b) {
    return (cnVec3f){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline cnVec3f cnSubF(cnVec3f a, cnVec3f b) {
    return (cnVec3f){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline cnVec3f cnNegF(cnVec3f a) {
    return (cnVec3f){-a.x, -a.y, -a.z};
}

static inline cnVec3f cnScaleF(float s, cnVec3f a) {
    return (cnVec3f){s * a.x, s * a.y, s * a.z};
}

// a + s b
static inline cnVec3f cnMulAddF(cnVec3f a, float s, cnVec3f b) {
    return (cnVec3f){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline float cnDotF(cnVec3f a, cnVec3f b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline cnVec3f cnCrossF(cnVec3f a, cnVec3f b) {
    return (cnVec3f){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float cnLengthF(cnVec3f a) {
    return sqrtf(cnDotF(a, a));
}

static inline cnVec3f cnNormalizeF(cnVec3f a) {
    float length = cnLengthF(a);
    return length > 0.0f ? cnScaleF(1.0f / length, a) : (cnVec3f){0.0f, 0.0f, 0.0f};
}

static inline cnMat33f cnToMatF(cnMat33 m) {
    return (cnMat33f){cnToF(m.x), cnToF(m.y), cnToF(m.z)};
}

static inline cnVec3f cnMulMatF(cnMat33f m, cnVec3f v) {
    return cnMulAddF(cnMulAddF(cnScaleF(v.x, m.x), v.y, m.y), v.z, m.z);
}

// mᵀ v
static inline cnVec3f cnMulMatTF(cnMat33f m, cnVec3f v) {
    return (cnVec3f){cnDotF(m.x, v), cnDotF(m.y, v), cnDotF(m.z, v)};
}
