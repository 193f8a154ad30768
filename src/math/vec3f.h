// Vectors and matrices in f32, for the narrow phase.
#pragma once

#include "cairn/math.h"

typedef struct cnVec3f {
    float x, y, z;
} cnVec3f;

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

static inline float cnDotF(cnVec3f a, cnVec3f b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline cnVec3f cnCrossF(cnVec3f a, cnVec3f b) {
    return (cnVec3f){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
