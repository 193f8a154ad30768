#include "base/report/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The rounding of a decimal number is easy where digits and power of ten are doubles themselves: then one
// multiplication or division rounds once, so it rounds right (Clinger, How to read floating point numbers
// accurately, PLDI 1990). What remains is done by long arithmetic.
//
// A big number is a fixed-point number in base 10⁹, which holds decimal digits as they are read. It is
// doubled or halved until its whole part has the 53 bits of a double (fewer for a subnormal one); the
// fraction then tells how to round.
enum {
    wordBase = 1000000000,
    wordDigits = 9,
    wholeWords = 36,     // 324 digits before the point
    fractionWords = 130, // 1170 after it: the smallest double's half has 1075 places
    maxDigits = 800,     // read; a halfway case between doubles has at most 767
    mantissaBits = 53,
    lowestExponent = -1074,
    highestExponent = 971
};

typedef struct Big {
    uint32_t words[wholeWords + fractionWords]; // the most significant first
    int first, end;                             // words outside are zero
} Big;

// times 2^shift, shift <= 29
static void BigShiftUp(Big* big, int shift) {
    uint64_t carry = 0;
    for (int i = big->end - 1; i >= big->first || carry > 0; --i) {
        uint64_t sum = ((uint64_t)big->words[i] << shift) + carry;
        big->words[i] = (uint32_t)(sum % wordBase);
        carry = sum / wordBase;
        big->first = i < big->first ? i : big->first;
    }
}

// divided by 2^shift, shift <= 29; answers whether something fell off the end
static bool BigShiftDown(Big* big, int shift) {
    uint64_t rest = 0;
    for (int i = big->first; i < wholeWords + fractionWords && (i < big->end || rest > 0); ++i) {
        uint64_t sum = rest * wordBase + big->words[i];
        big->words[i] = (uint32_t)(sum >> shift);
        rest = sum & (((uint64_t)1 << shift) - 1);
        big->end = i + 1 > big->end ? i + 1 : big->end;
    }
    while (big->first < big->end && big->words[big->first] == 0) {
        ++big->first;
    }
    return rest > 0;
}

// The whole part, where it is below 10^18.
static uint64_t BigGetWhole(const Big* big) {
    return (uint64_t)big->words[wholeWords - 2] * wordBase + big->words[wholeWords - 1];
}

// Digits d1 d2 … and a power of ten: d1d2… · 10^power. `more`: further digits that are not all zero follow.
static double RoundDigits(const uint8_t* digits, int count, int power, bool more) {
    // out of reach: below half the smallest double, above the largest
    if (count + power < -330) {
        return 0.0;
    }
    if (count + power > 310) {
        return INFINITY;
    }

    // digit i stands 10^(count - 1 - i + power)
    Big big = {.first = wholeWords + fractionWords};
    static const uint32_t tens[wordDigits] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    for (int i = 0; i < count; ++i) {
        int place =
            wordDigits * fractionWords + count - 1 - i + power; // from the last digit of the last word
        if (place < 0) {
            more = more || digits[i] != 0;
            continue;
        }
        int word = wholeWords + fractionWords - 1 - place / wordDigits;
        big.words[word] += digits[i] * tens[place % wordDigits];
        big.first = word < big.first ? word : big.first;
        big.end = word + 1;
    }

    // up or down until the whole part has 53 bits
    const uint64_t full = (uint64_t)1 << mantissaBits;
    const int step = 29;
    int exponent = 0;
    while (big.first < wholeWords - 2 || BigGetWhole(&big) >= full) {
        int shift = big.first < wholeWords - 2 || BigGetWhole(&big) >= full << step ? step : 1;
        more = BigShiftDown(&big, shift) || more;
        exponent += shift;
    }
    while (BigGetWhole(&big) < full / 2 && exponent > lowestExponent) {
        bool isFar = BigGetWhole(&big) < full / 2 >> step && exponent - step >= lowestExponent;
        int shift = isFar ? step : 1;
        BigShiftUp(&big, shift);
        exponent -= shift;
    }

    // to the nearest, ties to even
    uint64_t mantissa = BigGetWhole(&big);
    uint32_t half = wordBase / 2;
    uint32_t fraction = big.words[wholeWords];
    for (int i = wholeWords + 1; i < big.end; ++i) {
        more = more || big.words[i] != 0;
    }
    if (fraction > half || (fraction == half && (more || (mantissa & 1) != 0))) {
        ++mantissa;
    }
    if (mantissa == full) {
        mantissa /= 2;
        ++exponent;
    }
    if (exponent > highestExponent) {
        return INFINITY;
    }

    // the bits; a subnormal number has the exponent field 0
    uint64_t bits = mantissa;
    if (mantissa >= full / 2) {
        bits = (mantissa - full / 2) | (uint64_t)(exponent - lowestExponent + 1) << (mantissaBits - 1);
    }
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

// The digit at a place, counted from that of the highest word on.
static int BigGetDigit(const Big* big, int place) {
    static const uint32_t tens[wordDigits] = {100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
    int word = place / wordDigits;
    return word < big->end ? (int)(big->words[word] / tens[place % wordDigits] % 10) : 0;
}

int cnWriteDigits(double number, int count, char* digits) {
    // the mantissa as a whole number, then times its power of two
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    int field = (int)(bits >> (mantissaBits - 1));
    uint64_t hidden = (uint64_t)1 << (mantissaBits - 1);
    uint64_t mantissa = (bits & (hidden - 1)) | (field > 0 ? hidden : 0);
    int exponent = (field > 0 ? field - 1 : 0) + lowestExponent;
    Big big = {.first = wholeWords - 2, .end = wholeWords};
    big.words[wholeWords - 2] = (uint32_t)(mantissa / wordBase);
    big.words[wholeWords - 1] = (uint32_t)(mantissa % wordBase);
    for (int shift; exponent > 0; exponent -= shift) {
        shift = exponent < 29 ? exponent : 29;
        BigShiftUp(&big, shift);
    }
    for (int shift; exponent < 0 && mantissa != 0; exponent += shift) {
        shift = exponent > -29 ? -exponent : 29;
        BigShiftDown(&big, shift);
    }

    // from the first that is not zero
    int last = wordDigits * big.end;
    int place = wordDigits * big.first;
    while (place < last && BigGetDigit(&big, place) == 0) {
        ++place;
    }
    for (int i = 0; i < count; ++i) {
        digits[i] = (char)('0' + BigGetDigit(&big, place + i));
    }
    if (place == last) {
        return 0;
    }

    // to the nearest, ties to even
    int next = BigGetDigit(&big, place + count);
    bool more = false;
    for (int i = place + count + 1; i < last; ++i) {
        more = more || BigGetDigit(&big, i) != 0;
    }
    if (next > 5 || (next == 5 && (more || (digits[count - 1] - '0') % 2 != 0))) {
        int i = count - 1;
        for (; i >= 0 && digits[i] == '9'; --i) {
            digits[i] = '0';
        }
        if (i >= 0) {
            ++digits[i];
        } else {
            digits[0] = '1';
            --place;
        }
    }
    return wordDigits * wholeWords - 1 - place;
}

static bool IsDigit(const char* at, const char* end) {
    return at < end && *at >= '0' && *at <= '9';
}

const char* cnParseNumber(const char* text, const char* end, double* number) {
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    enum {
        exactPower = 22,
        shortDigits = 19, // that fit 64 bits
        farPower = 100000
    };
    const char* at = text;
    bool isNegative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');

    // digits without leading zeros, and where the point stands
    uint8_t digits[maxDigits];
    int count = 0;
    int power = 0;
    bool more = false;
    bool hasDigit = false;
    bool isFraction = false;
    uint64_t value = 0;
    for (;; ++at) {
        if (!isFraction && at < end && *at == '.') {
            isFraction = true;
            continue;
        }
        if (!IsDigit(at, end)) {
            break;
        }
        hasDigit = true;
        int digit = *at - '0';
        if (count == maxDigits) {
            more = more || digit != 0;
            power += isFraction ? 0 : power < farPower;
            continue;
        }
        power -= isFraction ? power > -farPower : 0;
        if (count > 0 || digit > 0) {
            value = count < shortDigits ? 10 * value + (uint64_t)digit : value;
            digits[count++] = (uint8_t)digit;
        }
    }
    if (!hasDigit) {
        return NULL;
    }

    // the exponent, if it has a digit
    const char* mark = at;
    if (at < end && (*at == 'e' || *at == 'E')) {
        ++at;
        bool isDown = at < end && *at == '-';
        at += at < end && (*at == '-' || *at == '+');
        if (IsDigit(at, end)) {
            int exponent = 0;
            for (; IsDigit(at, end); ++at) {
                exponent = exponent < farPower ? 10 * exponent + *at - '0' : exponent;
            }
            power += isDown ? -exponent : exponent;
        } else {
            at = mark;
        }
    }

    double result = 0.0;
    if (count > 0 && count <= shortDigits && value <= (uint64_t)1 << mantissaBits && power >= -exactPower &&
        power <= exactPower) {
        result = power < 0 ? (double)value / tens[-power] : (double)value * tens[power];
    } else if (count > 0) {
        result = RoundDigits(digits, count, power, more);
    }
    *number = isNegative ? -result : result;
    return at;
}

#if defined(__EMSCRIPTEN__)
// NOLINTNEXTLINE(readability-identifier-naming): libc's
double strtod(const char* restrict text, char** restrict end) {
    double number = 0.0;
    const char* stop = cnParseNumber(text, text + strlen(text), &number);
    if (end != NULL) {
        *end = (char*)(stop != NULL ? stop : text);
    }
    return number;
}
#endif
