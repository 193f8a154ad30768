// Four f32 lanes and two f64 lanes with the same bits on SSE2, wasm128 and scalar builds.
//
// cnMin4(a, b) is a < b ? a : b and cnMax4(a, b) is a > b ? a : b in every lane (b where a lane is NaN): what
// minps and wasm's pmin/pmax do, given their operands in the right order. No fused multiply-add, no
// approximate reciprocals.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__wasm_simd128__) && !defined(CN_SIMD_SCALAR)
#include <wasm_simd128.h>
#define CN_SIMD_WASM
typedef v128_t cnF4;
typedef v128_t cnD2;
#elif defined(__SSE2__) && !defined(CN_SIMD_SCALAR)
#include <emmintrin.h>
#define CN_SIMD_SSE2
typedef __m128 cnF4;
typedef __m128d cnD2;
#else
typedef struct cnF4 {
    float lane[4];
} cnF4;
typedef struct cnD2 {
    double lane[2];
} cnD2;
#endif

// f32 lanes: cnLoad4 cnStore4 (unaligned) cnLoadBytes4(four uint8_t) cnSplat4 cnSet4(a,b,c,d) cnZero4 cnAdd4
//   cnSub4 cnMul4 cnDiv4 cnSqrt4 cnMin4 cnMax4 cnNeg4 cnAbs4
//   cnMulAdd4(a,b,c) = a + b c (rounded twice), cnMulSub4(a,b,c) = a − b c
//   masks: cnLess4 cnLessEqual4 cnGreater4 cnEqual4 cnAnd4 cnOr4 cnAndNot4(a,b) = a & ~b,
//     cnSelect4(mask, ifTrue, ifFalse), cnAnyTrue4 → int, cnMoveMask4 → int
//   cnTranspose4(cnF4* a, cnF4* b, cnF4* c, cnF4* d), cnGetLane4(v, const i)
// f64 lanes: cnLoadD cnStoreD cnSplatD cnAddD cnSubD cnMulD cnDivD cnSqrtD cnMaxD cnMulAddD cnMulSubD
//   cnAbsD
//   cnLowD(a,b), cnHighD(a,b) (the first, the second lanes of both)
//   cnFirstD, cnSumD → double
#include "base/simd.inl"
