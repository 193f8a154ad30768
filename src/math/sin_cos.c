// Sine, cosine and tangent.
//
// x = n π/2 + r with |r| <= π/4, where r is carried in two doubles: near a multiple of π/2 all leading digits
// cancel, for doubles up to 61 bits of them (Muller, Elementary Functions, 3rd ed., 11.1). On that interval
// the Taylor series serve; they are cut where the next term is below 2^-58 of the result. Numbers up to 10^6
// are reduced after Cody and Waite (Software Manual for the Elementary Functions, 1980), larger ones after
// Payne and Hanek (ACM SIGNUM 18, 1983) in integers, so all finite numbers are right.

#include "cairn/math.h"
#include "math/double_double.h"

// π/2 in parts of 33 bits and a rest: products with n < 2^20 are exact but for the last.
static const double halfPiParts[4] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69,
                                      0x1.b839a252049c1p-104};
static const double twoOverPi = 0x1.45f306dc9c883p-1;
static const cnDouble2 halfPi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
static const double codyWaiteLimit = 1e6;

// 64 zero bits, then the first 1184 bits of 2/π, the most significant first.
static const uint32_t twoOverPiBits[39] = {
    0x00000000u, 0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u,
    0xfe5163abu, 0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu,
    0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu,
    0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du,
    0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u,
};

typedef struct Reduced {
    cnDouble2 rest;
    int quadrant; // n mod 4
} Reduced;

static Reduced ReduceByParts(double x) {
    double n = cnNearestInteger(x * twoOverPi);
    double first = x - n * halfPiParts[0]; // exact: the two are within a factor of two, or n is 0
    cnDouble2 second = cnExactSum(first, -(n * halfPiParts[1]));
    cnDouble2 third = cnExactSum(second.hi, -(n * halfPiParts[2]));
    cnDouble2 rest = cnExactSum(third.hi, (second.lo + third.lo) - n * halfPiParts[3]);
    return (Reduced){rest, (int)n & 3};
}

// x = m 2^e with an integer m of 53 bits. Bits of 2/π above 2^(1-e) give multiples of 4 quarter turns and are
// skipped; of the rest 192 bits are multiplied by m, modulo 4 quarter turns, which leaves 2 integer bits and
// 190 fractional ones, wrong by less than 2^-137.
static Reduced ReduceByBits(double x) {
    uint64_t bits = cnBitsOf(x);
    uint64_t mantissa = (bits & CN_MANTISSA_MASK) | (CN_MANTISSA_MASK + 1);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1075;

    // 192 bits of 2/π, words[0] the least significant
    int firstBit = exponent + 62;
    int shift = firstBit & 31;
    const uint32_t* source = &twoOverPiBits[firstBit >> 5];
    uint32_t words[6];
    for (int i = 0; i < 6; ++i) {
        uint64_t pair = (uint64_t)source[i] << 32 | source[i + 1];
        words[5 - i] = (uint32_t)(pair >> (32 - shift));
    }

    // times m, modulo 2^192
    uint32_t factors[2] = {(uint32_t)mantissa, (uint32_t)(mantissa >> 32)};
    uint32_t product[6] = {0};
    for (int j = 0; j < 2; ++j) {
        uint64_t carry = 0;
        for (int i = 0; i + j < 6; ++i) {
            uint64_t sum = (uint64_t)words[i] * factors[j] + product[i + j] + carry;
            product[i + j] = (uint32_t)sum;
            carry = sum >> 32;
        }
    }

    // the two integer bits are the quadrant; a fraction from 1/2 belongs to the next one,
    // with a negative rest
    int quadrant = (int)(product[5] >> 30);
    uint64_t high = (uint64_t)product[5] << 32 | product[4];
    uint64_t middle = (uint64_t)product[3] << 32 | product[2];
    uint64_t low = (uint64_t)product[1] << 32 | product[0];
    high = high << 2 | middle >> 62;
    middle = middle << 2 | low >> 62;
    low <<= 2;
    bool isNegative = high >> 63 != 0;
    if (isNegative) {
        quadrant = (quadrant + 1) & 3;
        low = ~low + 1;
        middle = ~middle + (low == 0 ? 1 : 0);
        high = ~high + (low == 0 && middle == 0 ? 1 : 0);
    }

    // the leading 117 bits as two doubles
    int zeros = 0;
    if (high == 0) {
        high = middle;
        middle = low;
        zeros = 64;
    }
    if (high == 0) {
        return (Reduced){{0.0, 0.0}, quadrant};
    }
    int leading = __builtin_clzll(high);
    if (leading > 0) {
        high = high << leading | middle >> (64 - leading);
        middle <<= leading;
        zeros += leading;
    }
    double hi = (double)(high >> 11) * cnPowerOfTwo(-53 - zeros);
    double lo = (double)(high << 53 | middle >> 11) * cnPowerOfTwo(-117 - zeros);
    cnDouble2 rest = cnMul2(cnFastSum(hi, lo), halfPi);
    if (isNegative) {
        rest = (cnDouble2){-rest.hi, -rest.lo};
    }
    return (Reduced){rest, quadrant};
}

static Reduced Reduce(double x) {
    double magnitude = fabs(x);
    if (magnitude <= codyWaiteLimit) {
        return ReduceByParts(x);
    }
    Reduced reduced = ReduceByBits(magnitude);
    if (x < 0.0) {
        reduced.rest = (cnDouble2){-reduced.rest.hi, -reduced.rest.lo};
        reduced.quadrant = -reduced.quadrant & 3;
    }
    return reduced;
}

// sin(r + t) = sin r + t cos r. Not normalised: the sum of the two parts is the value.
static cnDouble2 SinOfRest(cnDouble2 rest) {
    double r = rest.hi;
    double z = r * r;
    double series = 1.0 / 355687428096000.0;      // 1/17!
    series = -1.0 / 1307674368000.0 + z * series; // 1/15!
    series = 1.0 / 6227020800.0 + z * series;     // 1/13!
    series = -1.0 / 39916800.0 + z * series;      // 1/11!
    series = 1.0 / 362880.0 + z * series;         // 1/9!
    series = -1.0 / 5040.0 + z * series;          // 1/7!
    series = 1.0 / 120.0 + z * series;            // 1/5!
    series = -1.0 / 6.0 + z * series;             // 1/3!
    return (cnDouble2){r, r * z * series + rest.lo * (1.0 - 0.5 * z)};
}

// cos(r + t) = cos r − t sin r, with the rounding error of 1 − r²/2 given back.
static cnDouble2 CosOfRest(cnDouble2 rest) {
    double r = rest.hi;
    double z = r * r;
    double series = 1.0 / 20922789888000.0;     // 1/16!
    series = -1.0 / 87178291200.0 + z * series; // 1/14!
    series = 1.0 / 479001600.0 + z * series;    // 1/12!
    series = -1.0 / 3628800.0 + z * series;     // 1/10!
    series = 1.0 / 40320.0 + z * series;        // 1/8!
    series = -1.0 / 720.0 + z * series;         // 1/6!
    series = 1.0 / 24.0 + z * series;           // 1/4!
    double half = 0.5 * z;
    double leading = 1.0 - half;
    double lost = (1.0 - leading) - half;
    return (cnDouble2){leading, lost + (z * z * series - r * rest.lo)};
}

// Below this sin x and tan x round to x, and cos x to 1.
static const double tinyAngle = 0x1p-27;

double cnSin(double radians) {
    if (!cnIsFinite(radians)) {
        return cnNaN();
    }
    if (fabs(radians) < tinyAngle) {
        return radians;
    }
    Reduced reduced = Reduce(radians);
    cnDouble2 value = (reduced.quadrant & 1) != 0 ? CosOfRest(reduced.rest) : SinOfRest(reduced.rest);
    double sum = value.hi + value.lo;
    return (reduced.quadrant & 2) != 0 ? -sum : sum;
}

double cnCos(double radians) {
    if (!cnIsFinite(radians)) {
        return cnNaN();
    }
    if (fabs(radians) < tinyAngle) {
        return 1.0;
    }
    Reduced reduced = Reduce(radians);
    cnDouble2 value = (reduced.quadrant & 1) != 0 ? SinOfRest(reduced.rest) : CosOfRest(reduced.rest);
    double sum = value.hi + value.lo;
    return reduced.quadrant == 1 || reduced.quadrant == 2 ? -sum : sum;
}

double cnTan(double radians) {
    if (!cnIsFinite(radians)) {
        return cnNaN();
    }
    if (fabs(radians) < tinyAngle) {
        return radians;
    }
    Reduced reduced = Reduce(radians);
    cnDouble2 sine = SinOfRest(reduced.rest);
    cnDouble2 cosine = CosOfRest(reduced.rest);
    sine = cnFastSum(sine.hi, sine.lo);
    cosine = cnFastSum(cosine.hi, cosine.lo);
    if ((reduced.quadrant & 1) != 0) {
        return -cnDiv2(cosine, sine).hi;
    }
    return cnDiv2(sine, cosine).hi;
}
