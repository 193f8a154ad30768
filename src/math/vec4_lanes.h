// Vectors of four things side by side in the f32 lanes of cnF4.
#pragma once

#include "base/simd.h"
#include "math/vec3f.h"

typedef struct cnVecF4 {
    cnF4 x, y, z;
} cnVecF4;

static inline cnF4 cnDotF4(cnVecF4 a, cnVecF4 b) {
    return cnMulAdd4(cnMulAdd4(cnMul4(a.x, b.x), a.y, b.y), a.z, b.z);
}

static inline cnVecF4 cnCrossF4(cnVecF4 a, cnVecF4 b) {
    return (cnVecF4){
        cnMulSub4(cnMul4(a.y, b.z), a.z, b.y),
        cnMulSub4(cnMul4(a.z, b.x), a.x, b.z),
        cnMulSub4(cnMul4(a.x, b.y), a.y, b.x),
    };
}

static inline cnVecF4 cnAddVecF4(cnVecF4 a, cnVecF4 b) {
    return (cnVecF4){cnAdd4(a.x, b.x), cnAdd4(a.y, b.y), cnAdd4(a.z, b.z)};
}

static inline cnVecF4 cnSubVecF4(cnVecF4 a, cnVecF4 b) {
    return (cnVecF4){cnSub4(a.x, b.x), cnSub4(a.y, b.y), cnSub4(a.z, b.z)};
}

static inline cnVecF4 cnMulAddVecF4(cnVecF4 a, cnF4 s, cnVecF4 b) {
    return (cnVecF4){cnMulAdd4(a.x, s, b.x), cnMulAdd4(a.y, s, b.y), cnMulAdd4(a.z, s, b.z)};
}

static inline cnVecF4 cnMulSubVecF4(cnVecF4 a, cnF4 s, cnVecF4 b) {
    return (cnVecF4){cnMulSub4(a.x, s, b.x), cnMulSub4(a.y, s, b.y), cnMulSub4(a.z, s, b.z)};
}

static inline cnVecF4 cnScaleVecF4(cnF4 s, cnVecF4 a) {
    return (cnVecF4){cnMul4(s, a.x), cnMul4(s, a.y), cnMul4(s, a.z)};
}

static inline cnVecF4 cnSplatVecF4(cnVec3f v) {
    return (cnVecF4){cnSplat4(v.x), cnSplat4(v.y), cnSplat4(v.z)};
}

// Four vectors that lie one after the other in memory.
static inline cnVecF4 cnLoadFourF4(const cnVec3f four[4]) {
    const float* at = &four[0].x;
    return (cnVecF4){cnSet4(at[0], at[3], at[6], at[9]), cnSet4(at[1], at[4], at[7], at[10]),
                     cnSet4(at[2], at[5], at[8], at[11])};
}
