// All lane functions over one set of operands, as bits; compiled once with the build's lanes and once with
// scalar ones. The file that includes this names the function: SIMD_RUN. SIMD_WORDS of simd_operations.h is
// the number of results.

#include "base/simd.h"

#include <string.h>

static uint32_t* push_lanes(uint32_t* target, cnF4 value) {
    float lanes[4];
    cnStore4(lanes, value);
    memcpy(target, lanes, sizeof lanes);
    return target + 4;
}

// Which NaN an operation makes is left open by WebAssembly; that it is one is not.
static uint32_t* push_sum(uint32_t* target, cnF4 value) {
    float lanes[4];
    cnStore4(lanes, value);
    for (int lane = 0; lane < 4; ++lane) {
        uint32_t bits;
        memcpy(&bits, &lanes[lane], sizeof bits);
        target[lane] = lanes[lane] != lanes[lane] ? 0x7fc00000u : bits;
    }
    return target + 4;
}

static uint32_t* push_sum_d(uint32_t* target, cnD2 value) {
    double lanes[2];
    cnStoreD(lanes, value);
    for (int lane = 0; lane < 2; ++lane) {
        uint64_t bits;
        memcpy(&bits, &lanes[lane], sizeof bits);
        bits = lanes[lane] != lanes[lane] ? 0x7ff8000000000000u : bits;
        memcpy(target + 2 * lane, &bits, sizeof bits);
    }
    return target + 4;
}

void SIMD_RUN(const float* operands, uint32_t* results) {
    cnF4 a = cnLoad4(operands);
    cnF4 b = cnLoad4(operands + 4);
    cnF4 c = cnLoad4(operands + 8);
    uint32_t* target = results;

    target = push_sum(target, cnAdd4(a, b));
    target = push_sum(target, cnSub4(a, b));
    target = push_sum(target, cnMul4(a, b));
    target = push_sum(target, cnDiv4(a, b));
    target = push_sum(target, cnSqrt4(a));
    target = push_sum(target, cnMulAdd4(a, b, c));
    target = push_sum(target, cnMulSub4(a, b, c));

    target = push_lanes(target, cnMin4(a, b));
    target = push_lanes(target, cnMax4(a, b));
    target = push_lanes(target, cnNeg4(a));
    target = push_lanes(target, cnAbs4(a));
    target = push_lanes(target, cnLess4(a, b));
    target = push_lanes(target, cnLessEqual4(a, b));
    target = push_lanes(target, cnGreater4(a, b));
    target = push_lanes(target, cnEqual4(a, b));
    target = push_lanes(target, cnAnd4(a, b));
    target = push_lanes(target, cnOr4(a, b));
    target = push_lanes(target, cnAndNot4(a, b));
    target = push_lanes(target, cnSelect4(cnLess4(a, b), b, c));
    target = push_lanes(target, cnSplat4(operands[2]));
    target = push_lanes(target, cnSet4(operands[1], operands[2], operands[3], operands[4]));
    target = push_lanes(target, cnZero4());
    uint8_t bytes[4];
    memcpy(bytes, operands, sizeof bytes);
    target = push_lanes(target, cnLoadBytes4(bytes));

    cnF4 d = cnSplat4(operands[5]);
    cnTranspose4(&a, &b, &c, &d);
    target = push_lanes(target, a);
    target = push_lanes(target, b);
    target = push_lanes(target, c);
    target = push_lanes(target, d);
    target =
        push_lanes(target, cnSet4(cnGetLane4(a, 3), cnGetLane4(a, 2), cnGetLane4(a, 1), cnGetLane4(a, 0)));

    cnF4 mask = cnLess4(a, b);
    *target++ = (uint32_t)cnAnyTrue4(mask);
    *target++ = (uint32_t)cnMoveMask4(mask);
    *target++ = (uint32_t)cnAnyTrue4(cnZero4());
    *target++ = (uint32_t)cnMoveMask4(cnEqual4(cnZero4(), cnZero4()));

    double doubles[6];
    for (int i = 0; i < 6; ++i) {
        doubles[i] = (double)operands[i] * (1.0 + 0x1p-40 * i);
    }
    cnD2 x = cnLoadD(doubles);
    cnD2 y = cnLoadD(doubles + 2);
    cnD2 z = cnLoadD(doubles + 4);
    target = push_sum_d(target, cnAddD(x, y));
    target = push_sum_d(target, cnSubD(x, y));
    target = push_sum_d(target, cnMulD(x, y));
    target = push_sum_d(target, cnDivD(x, y));
    target = push_sum_d(target, cnSqrtD(x));
    target = push_sum_d(target, cnMaxD(x, y));
    target = push_sum_d(target, cnMulAddD(x, y, z));
    target = push_sum_d(target, cnMulSubD(x, y, z));
    target = push_sum_d(target, cnAbsD(x));
    target = push_sum_d(target, cnLowD(x, y));
    target = push_sum_d(target, cnHighD(x, y));
    target = push_sum_d(target, cnSplatD(cnFirstD(y)));
    push_sum_d(target, cnSplatD(cnSumD(x)));
}
