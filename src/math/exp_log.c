// Exponential, natural logarithm and power.
//
// log x = k log 2 + log m with √½ < m <= √2, and log m = 2 (s + s³/3 + s⁵/5 + …) with s = (m − 1)/(m + 1),
// the first three terms in two doubles, so that the logarithm is good to about 2^-67. exp x = 2^k e^r with
// |r| <= log(2)/2 and Taylor's series, the terms to r²/2 in two doubles. The power is exp(y log x) with the
// product in two doubles: its error is that of the exponential, and a power that is a double comes out
// exactly. Cody and Waite, Software Manual for the Elementary Functions (1980); Muller, Elementary
// Functions, 3rd ed., 11.

#include "cairn/math.h"
#include "math/double_double.h"

// log 2 in 42 bits, so that products with exponents are exact, and the rest.
static const double logOfTwoHigh = 0x1.62e42fefa38p-1;
static const double logOfTwoLow = 0x1.ef35793c7673p-45;
static const double oneOverLogOfTwo = 0x1.71547652b82fep+0;

static const cnDouble2 oneThird = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
static const cnDouble2 oneFifth = {0x1.999999999999ap-3, -0x1.999999999999ap-57};

// Beyond these exp is infinite, or rounds to zero.
static const double overflowLimit = 710.0;
static const double underflowLimit = -746.0;

// exp(hi + lo) for hi within the limits above.
static double ExpOfSum(double hi, double lo) {
    double k = cnNearestInteger(hi * oneOverLogOfTwo);
    cnDouble2 r = cnExactSum(hi - k * logOfTwoHigh, lo - k * logOfTwoLow);

    // r³/3! … r^14/14!
    double series = 1.0 / 87178291200.0;
    series = 1.0 / 6227020800.0 + r.hi * series;
    series = 1.0 / 479001600.0 + r.hi * series;
    series = 1.0 / 39916800.0 + r.hi * series;
    series = 1.0 / 3628800.0 + r.hi * series;
    series = 1.0 / 362880.0 + r.hi * series;
    series = 1.0 / 40320.0 + r.hi * series;
    series = 1.0 / 5040.0 + r.hi * series;
    series = 1.0 / 720.0 + r.hi * series;
    series = 1.0 / 120.0 + r.hi * series;
    series = 1.0 / 24.0 + r.hi * series;
    series = 1.0 / 6.0 + r.hi * series;

    cnDouble2 square = cnExactProduct(r.hi, r.hi);
    cnDouble2 linear = cnFastSum(1.0, r.hi);
    cnDouble2 quadratic = cnFastSum(linear.hi, 0.5 * square.hi);
    double lower = (linear.lo + quadratic.lo) + 0.5 * square.lo;
    lower += r.hi * square.hi * series + r.lo * quadratic.hi;

    // 2^k in two factors, as 2^1024 is no double and a result may be subnormal
    int exponent = (int)k;
    int half = exponent / 2;
    return (quadratic.hi + lower) * cnPowerOfTwo(half) * cnPowerOfTwo(exponent - half);
}

// log x for positive finite x.
static cnDouble2 LogOf(double x) {
    int k = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        k = -54;
    }
    k += cnExponentOf(x);
    double m = cnFromBits((cnBitsOf(x) & CN_MANTISSA_MASK) | 0x3ff0000000000000u);
    if (m > 0x1.6a09e667f3bcdp+0) {
        m *= 0.5;
        k += 1;
    }

    // s and z = s²; 1/7 + z/9 + … in double, the rest of the series in two
    cnDouble2 s = cnDiv2((cnDouble2){m - 1.0, 0.0}, cnExactSum(m, 1.0));
    cnDouble2 z = cnMul2(s, s);
    double tail = 1.0 / 27.0;
    tail = 1.0 / 25.0 + z.hi * tail;
    tail = 1.0 / 23.0 + z.hi * tail;
    tail = 1.0 / 21.0 + z.hi * tail;
    tail = 1.0 / 19.0 + z.hi * tail;
    tail = 1.0 / 17.0 + z.hi * tail;
    tail = 1.0 / 15.0 + z.hi * tail;
    tail = 1.0 / 13.0 + z.hi * tail;
    tail = 1.0 / 11.0 + z.hi * tail;
    tail = 1.0 / 9.0 + z.hi * tail;
    tail = 1.0 / 7.0 + z.hi * tail;
    cnDouble2 fifth = cnFastSum(oneFifth.hi, z.hi * tail);
    fifth.lo += oneFifth.lo;
    cnDouble2 scaled = cnMul2(z, fifth);
    cnDouble2 third = cnFastSum(oneThird.hi, scaled.hi);
    third.lo += oneThird.lo + scaled.lo;
    cnDouble2 cubic = cnMul2(cnMul2(s, z), third);
    cnDouble2 half = cnFastSum(s.hi, cubic.hi);
    half.lo += s.lo + cubic.lo;

    // k log 2 + 2 half
    cnDouble2 sum = cnExactSum(k * logOfTwoHigh, 2.0 * half.hi);
    return cnFastSum(sum.hi, sum.lo + (k * logOfTwoLow + 2.0 * half.lo));
}

double cnExp(double value) {
    if (value != value) {
        return cnNaN();
    }
    if (value > overflowLimit) {
        return cnInfinity();
    }
    if (value < underflowLimit) {
        return 0.0;
    }
    return ExpOfSum(value, 0.0);
}

double cnLog(double value) {
    if (value == 0.0) {
        return -cnInfinity();
    }
    if (!(value > 0.0)) {
        return cnNaN();
    }
    return value == cnInfinity() ? value : LogOf(value).hi;
}

static bool IsInteger(double value) {
    return floor(value) == value;
}

static bool IsOddInteger(double value) {
    return IsInteger(value) && !IsInteger(0.5 * value);
}

double cnPow(double base, double exponent) {
    if (exponent == 0.0 || base == 1.0) {
        return 1.0;
    }
    if (base != base || exponent != exponent) {
        return cnNaN();
    }

    // zeros and infinities: each is a limit, its sign that of an odd power
    double magnitude = fabs(base);
    double sign = cnBitsOf(base) >> 63 != 0 && cnIsFinite(exponent) && IsOddInteger(exponent) ? -1.0 : 1.0;
    if (!cnIsFinite(exponent) && magnitude == 1.0) {
        return 1.0;
    }
    if (magnitude == 0.0 || !cnIsFinite(magnitude) || !cnIsFinite(exponent)) {
        bool isLarge = (magnitude > 1.0) == (exponent > 0.0);
        return sign * (isLarge ? cnInfinity() : 0.0);
    }
    if (base < 0.0 && !IsInteger(exponent)) {
        return cnNaN();
    }
    if (magnitude == 1.0) {
        return sign; // here the exponent may be too large for the product
    }

    cnDouble2 logarithm = LogOf(magnitude);
    double estimate = exponent * logarithm.hi;
    if (estimate > overflowLimit) {
        return sign * cnInfinity();
    }
    if (estimate < underflowLimit) {
        return sign * 0.0;
    }
    cnDouble2 product = cnExactProduct(exponent, logarithm.hi);
    return sign * ExpOfSum(product.hi, product.lo + exponent * logarithm.lo);
}
