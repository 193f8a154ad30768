// Numbers as unevaluated sums of two doubles, some 106 bits, for the inner steps of the
// transcendental functions.
//
// Dekker, "A floating-point technique for extending the available precision", Numer. Math. 18 (1971); Knuth,
// The Art of Computer Programming 2, 4.2.2. There is no fused multiply-add in WebAssembly, so products are
// split by Veltkamp's constant. All of it counts on IEEE rounding of every operation.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__FAST_MATH__)
#error "Cairn promises equal bits in every build: compile it without -ffast-math"
#endif

// hi is the sum rounded to double, lo the rest.
typedef struct cnDouble2 {
    double hi, lo;
} cnDouble2;

static inline uint64_t cnBitsOf(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static inline double cnFromBits(uint64_t bits) {
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

#define CN_SIGN_BIT 0x8000000000000000u
#define CN_MANTISSA_MASK 0x000fffffffffffffu

// One NaN for all, because the hardware's own differ.
static inline double cnNaN(void) {
    return cnFromBits(0x7ff8000000000000u);
}

static inline double cnInfinity(void) {
    return cnFromBits(0x7ff0000000000000u);
}

// 2^exponent for -1022…1023.
static inline double cnPowerOfTwo(int exponent) {
    return cnFromBits((uint64_t)(exponent + 1023) << 52);
}

// -1022…1023 for normal numbers.
static inline int cnExponentOf(double number) {
    return (int)(cnBitsOf(number) >> 52 & 0x7ff) - 1023;
}

static inline double cnWithSignOf(double magnitude, double sign) {
    return cnFromBits((cnBitsOf(magnitude) & ~CN_SIGN_BIT) | (cnBitsOf(sign) & CN_SIGN_BIT));
}

// Nearest integer, ties to even, for |number| < 2^51: beyond 1.5 · 2^52 the doubles are the integers.
static inline double cnNearestInteger(double number) {
    const double shift = 0x1.8p52;
    return (number + shift) - shift;
}

// a + b without error, for |a| >= |b| or a = 0.
static inline cnDouble2 cnFastSum(double a, double b) {
    double hi = a + b;
    return (cnDouble2){hi, b - (hi - a)};
}

// a + b without error.
static inline cnDouble2 cnExactSum(double a, double b) {
    double hi = a + b;
    double shareOfB = hi - a;
    return (cnDouble2){hi, (a - (hi - shareOfB)) + (b - shareOfB)};
}

// a b without error, for factors below 2^996 and a product whose last bit is no subnormal.
static inline cnDouble2 cnExactProduct(double a, double b) {
    const double splitter = 0x1p27 + 1.0;
    double shiftedA = splitter * a;
    double upperA = shiftedA - (shiftedA - a);
    double lowerA = a - upperA;
    double shiftedB = splitter * b;
    double upperB = shiftedB - (shiftedB - b);
    double lowerB = b - upperB;
    double hi = a * b;
    return (cnDouble2){hi, ((upperA * upperB - hi) + upperA * lowerB + lowerA * upperB) + lowerA * lowerB};
}

static inline cnDouble2 cnMul2(cnDouble2 a, cnDouble2 b) {
    cnDouble2 product = cnExactProduct(a.hi, b.hi);
    return cnFastSum(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline cnDouble2 cnDiv2(cnDouble2 a, cnDouble2 b) {
    double quotient = a.hi / b.hi;
    cnDouble2 product = cnExactProduct(quotient, b.hi);
    double rest = ((a.hi - product.hi) - product.lo) + (a.lo - quotient * b.lo);
    return cnFastSum(quotient, rest / b.hi);
}
