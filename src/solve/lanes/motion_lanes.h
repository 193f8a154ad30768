// Vectors and motions of four contacts or joints side by side in f32 lanes, for the sweeps.
#pragma once

#include "math/vec4_lanes.h"
#include "solve/solve.h"

#define CN_LANES 4

typedef float cnLanes[CN_LANES];

typedef struct cnMotionF4 {
    cnVecF4 linear, angular;
} cnMotionF4;

static inline cnVecF4 cnLoadVecF4(const cnLanes* lanes) {
    return (cnVecF4){cnLoad4(lanes[0]), cnLoad4(lanes[1]), cnLoad4(lanes[2])};
}

static inline void cnStoreVecF4(cnLanes* lanes, cnVecF4 v) {
    cnStore4(lanes[0], v.x);
    cnStore4(lanes[1], v.y);
    cnStore4(lanes[2], v.z);
}

// A symmetric matrix, xx xy xz yy yz zz, times a vector.
static inline cnVecF4 cnMulSymmetricF4(const cnF4 m[6], cnVecF4 v) {
    return (cnVecF4){
        cnMulAdd4(cnMulAdd4(cnMul4(m[0], v.x), m[1], v.y), m[2], v.z),
        cnMulAdd4(cnMulAdd4(cnMul4(m[1], v.x), m[3], v.y), m[4], v.z),
        cnMulAdd4(cnMulAdd4(cnMul4(m[2], v.x), m[4], v.y), m[5], v.z),
    };
}

static inline void cnLoadSymmetricF4(cnF4 out[6], const cnLanes* lanes) {
    for (int i = 0; i < 6; ++i) {
        out[i] = cnLoad4(lanes[i]);
    }
}

static inline cnVecF4 cnGatherVecF4(const float* a, const float* b, const float* c, const float* d) {
    cnF4 x = cnLoad4(a), y = cnLoad4(b), z = cnLoad4(c), w = cnLoad4(d);
    cnTranspose4(&x, &y, &z, &w);
    return (cnVecF4){x, y, z};
}

// A lower triangle L, xx yx zx yy zy zz, times a vector; Lᵀ times one.
static inline cnVecF4 cnMulLowerF4(const cnF4 l[6], cnVecF4 v) {
    return (cnVecF4){
        cnMul4(l[0], v.x),
        cnMulAdd4(cnMul4(l[1], v.x), l[3], v.y),
        cnMulAdd4(cnMulAdd4(cnMul4(l[2], v.x), l[4], v.y), l[5], v.z),
    };
}

static inline cnVecF4 cnMulUpperF4(const cnF4 l[6], cnVecF4 v) {
    return (cnVecF4){
        cnMulAdd4(cnMulAdd4(cnMul4(l[0], v.x), l[1], v.y), l[2], v.z),
        cnMulAdd4(cnMul4(l[3], v.y), l[4], v.z),
        cnMul4(l[5], v.z),
    };
}

static inline cnMotionF4 cnGatherMotions(const cnMotion6* a, const cnMotion6* b, const cnMotion6* c,
                                         const cnMotion6* d) {
    return (cnMotionF4){
        cnGatherVecF4(a->linear, b->linear, c->linear, d->linear),
        cnGatherVecF4(a->angular, b->angular, c->angular, d->angular),
    };
}

// Four motions as they lie in memory.
typedef struct cnFourMotions {
    cnF4 linear[CN_LANES], angular[CN_LANES];
} cnFourMotions;

static inline cnFourMotions cnSplitMotions(cnMotionF4 motion) {
    cnFourMotions four = {{motion.linear.x, motion.linear.y, motion.linear.z, cnZero4()},
                          {motion.angular.x, motion.angular.y, motion.angular.z, cnZero4()}};
    cnTranspose4(&four.linear[0], &four.linear[1], &four.linear[2], &four.linear[3]);
    cnTranspose4(&four.angular[0], &four.angular[1], &four.angular[2], &four.angular[3]);
    return four;
}
