// Arc sine, arc cosine and arc tangent of a quotient.
//
// asin x = x + x³ P(x²) on |x| <= 1/2, where P meets (asin √z/√z − 1)/z in the 14 Chebyshev nodes of
// 0 <= z <= 1/4 (Muller, Elementary Functions, 3rd ed., 3.2); relative error 2^-58.6. Beyond, asin
// x = π/2 − 2 asin √((1 − x)/2), where (1 − x)/2 is exact. The arc tangent takes off the nearest k/8, atan
// q = atan(k/8) + atan((q − k/8)/(1 + q k/8)), and sums Taylor's series of what is left.

#include "cairn/math.h"
#include "math/double_double.h"

static const cnDouble2 halfPi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
static const cnDouble2 onePi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

static const double asinCoefficients[14] = {
    0x1.5555555555555p-3,  0x1.3333333333388p-4, 0x1.6db6db6dac1e0p-5, 0x1.f1c71c7a52ba3p-6,
    0x1.6e8ba123e494cp-6,  0x1.1c4efce23019fp-6, 0x1.c990ad3d8fdcap-7, 0x1.7b027ee1dd585p-7,
    0x1.3b49de7121487p-7,  0x1.31622469ce5adp-7, 0x1.8f193743418ffp-9, 0x1.406192d124629p-6,
    -0x1.3b416bb7d9257p-6, 0x1.e529c6fce9bb4p-6,
};

// atan(k/8)
static const cnDouble2 atanOfEighths[9] = {
    {0x0.0p+0, 0x0.0p+0},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

// Below this asin x rounds to x.
static const double tinySine = 0x1p-27;

// P(z)
static double AsinSeries(double z) {
    double series = asinCoefficients[13];
    for (int i = 12; i >= 0; --i) {
        series = asinCoefficients[i] + z * series;
    }
    return series;
}

// asin √z, not normalised: √z, and its rounding error with the rest of the series.
static cnDouble2 AsinOfRoot(double z) {
    if (z == 0.0) {
        return (cnDouble2){0.0, 0.0};
    }
    double root = sqrt(z);
    cnDouble2 square = cnExactProduct(root, root);
    double rootError = ((z - square.hi) - square.lo) / (2.0 * root);
    return (cnDouble2){root, rootError + root * z * AsinSeries(z)};
}

double cnAsin(double value) {
    double magnitude = fabs(value);
    if (!(magnitude <= 1.0)) {
        return cnNaN();
    }
    if (magnitude < tinySine) {
        return value;
    }
    if (magnitude <= 0.5) {
        double z = value * value;
        return value + value * z * AsinSeries(z);
    }
    cnDouble2 half = AsinOfRoot(0.5 * (1.0 - magnitude));
    cnDouble2 sum = cnExactSum(halfPi.hi, -2.0 * half.hi);
    return cnWithSignOf(sum.hi + (sum.lo + (halfPi.lo - 2.0 * half.lo)), value);
}

double cnAcos(double value) {
    if (!(fabs(value) <= 1.0)) {
        return cnNaN();
    }
    if (value > 0.5) {
        cnDouble2 half = AsinOfRoot(0.5 * (1.0 - value));
        return 2.0 * (half.hi + half.lo);
    }
    if (value < -0.5) {
        cnDouble2 half = AsinOfRoot(0.5 * (1.0 + value));
        cnDouble2 sum = cnExactSum(onePi.hi, -2.0 * half.hi);
        return sum.hi + (sum.lo + (onePi.lo - 2.0 * half.lo));
    }
    double z = value * value;
    cnDouble2 sum = cnExactSum(halfPi.hi, -value);
    return sum.hi + (sum.lo + (halfPi.lo - value * z * AsinSeries(z)));
}

// atan of 0 <= q <= 1, not normalised.
static cnDouble2 AtanOfFraction(cnDouble2 q) {
    cnDouble2 base = atanOfEighths[0];
    cnDouble2 t = q;
    if (q.hi >= 0.125) {
        double eighths = cnNearestInteger(8.0 * q.hi);
        double node = 0.125 * eighths;
        base = atanOfEighths[(int)eighths];
        t = (cnDouble2){((q.hi - node) + q.lo) / (1.0 + q.hi * node), 0.0};
    }
    double z = t.hi * t.hi;
    double series = -1.0 / 19.0;
    series = 1.0 / 17.0 + z * series;
    series = -1.0 / 15.0 + z * series;
    series = 1.0 / 13.0 + z * series;
    series = -1.0 / 11.0 + z * series;
    series = 1.0 / 9.0 + z * series;
    series = -1.0 / 7.0 + z * series;
    series = 1.0 / 5.0 + z * series;
    series = -1.0 / 3.0 + z * series;
    cnDouble2 sum = cnFastSum(base.hi, t.hi);
    return (cnDouble2){sum.hi, sum.lo + (base.lo + t.lo + t.hi * z * series)};
}

// Angle of the direction (x, y) with y >= 0 where x or y is zero or infinite, or one is so small beside the
// other that it only matters next to the positive x axis.
static double AngleAtAxis(double magnitudeY, double x) {
    double magnitudeX = fabs(x);
    if (magnitudeY == magnitudeX && magnitudeX > 0.0) {
        return x > 0.0 ? 0.5 * halfPi.hi : 0x1.2d97c7f3321d2p+1; // both infinite: π/4, 3π/4
    }
    if (magnitudeY > magnitudeX) {
        return halfPi.hi;
    }
    if (cnBitsOf(x) >> 63 != 0) {
        return onePi.hi;
    }
    return magnitudeX > 0.0 ? magnitudeY / magnitudeX : 0.0;
}

double cnAtan2(double y, double x) {
    if (x != x || y != y) {
        return cnNaN();
    }
    double magnitudeX = fabs(x);
    double magnitudeY = fabs(y);
    bool isSteep = magnitudeY > magnitudeX;
    double numerator = isSteep ? magnitudeX : magnitudeY;
    double denominator = isSteep ? magnitudeY : magnitudeX;

    // an angle of less than 2^-60 beside an axis
    const int farApart = 60;
    if (numerator == 0.0 || !cnIsFinite(denominator)) {
        return cnWithSignOf(AngleAtAxis(magnitudeY, x), y);
    }

    // away from the ends of the exponent's range, where products would lose their lower half
    if (denominator > 0x1p600) {
        numerator *= 0x1p-400;
        denominator *= 0x1p-400;
    } else if (denominator < 0x1p-600) {
        numerator *= 0x1p400;
        denominator *= 0x1p400;
    }
    if (cnExponentOf(denominator) - cnExponentOf(numerator) > farApart) {
        return cnWithSignOf(AngleAtAxis(magnitudeY, x), y);
    }

    // the quotient in two doubles, its arc tangent, and the place of that in the half plane y > 0
    cnDouble2 quotient = cnDiv2((cnDouble2){numerator, 0.0}, (cnDouble2){denominator, 0.0});
    cnDouble2 angle = AtanOfFraction(quotient);
    cnDouble2 origin = {0.0, 0.0};
    double direction = 1.0;
    if (isSteep) {
        origin = halfPi;
        direction = x < 0.0 ? 1.0 : -1.0;
    } else if (x < 0.0) {
        origin = onePi;
        direction = -1.0;
    }
    cnDouble2 sum = cnExactSum(origin.hi, direction * angle.hi);
    return cnWithSignOf(sum.hi + (sum.lo + (origin.lo + direction * angle.lo)), y);
}
