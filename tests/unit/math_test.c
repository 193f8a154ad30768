// Own transcendental functions against the C library in extended precision, rotations, eigenvalues.
#include "cairn/math.h"

#include "base/containers/hash.h"
#include "helpers.h"

#include <float.h>

// Numbers of their own, counted and mixed: the golden hash below belongs to this sequence.
static uint64_t seed;

static uint64_t sample_bits(void) {
    return cnMix64(seed++ * 0x9e3779b97f4a7c15u);
}

static double sample_in(double lower, double upper) {
    return lower + (upper - lower) * ((double)(sample_bits() >> 11) * 0x1p-53);
}

// Any finite double, all exponents alike.
static double sample_finite(void) {
    double number;
    do {
        uint64_t bits = sample_bits();
        memcpy(&number, &bits, sizeof number);
    } while (!cnIsFinite(number));
    return number;
}

static bool has_extended_precision(void) {
    return LDBL_MANT_DIG >= 64;
}

// Distance from the true value in units of the last place of a double there.
static double error_in_ulps(double value, long double truth) {
    if (truth != truth || value != value) {
        return truth != truth && value != value ? 0.0 : INFINITY;
    }
    double rounded = (double)truth;
    if (!cnIsFinite(rounded) || !cnIsFinite(value)) {
        return rounded == value ? 0.0 : INFINITY;
    }
    double unit = fabs(rounded) < DBL_MIN ? 0x1p-1074 : ldexp(1.0, ilogb(rounded) - 52);
    return (double)(fabsl((long double)value - truth) / unit);
}

typedef double Function(double);
typedef long double Reference(long double);
typedef double Function2(double, double);
typedef long double Reference2(long double, long double);

enum {
    sampleCount = 100000
};

static void check_over_range(Function* function, Reference* reference, double lower, double upper) {
    seed = 1;
    for (int i = 0; i < sampleCount; ++i) {
        double x = sample_in(lower, upper);
        assert_true(error_in_ulps(function(x), reference(x)) <= 2.0);
    }
}

static void check_over_exponents(Function* function, Reference* reference) {
    seed = 2;
    for (int i = 0; i < sampleCount; ++i) {
        double x = sample_finite();
        assert_true(error_in_ulps(function(x), reference(x)) <= 2.0);
    }
}

static void sine_cosine_and_tangent_are_within_two_ulps(void** state) {
    (void)state;
    if (!has_extended_precision()) {
        skip();
    }
    Function* functions[3] = {cnSin, cnCos, cnTan};
    Reference* references[3] = {sinl, cosl, tanl};
    for (int i = 0; i < 3; ++i) {
        check_over_range(functions[i], references[i], -0.8, 0.8);
        check_over_range(functions[i], references[i], -20.0, 20.0);
        check_over_range(functions[i], references[i], -1.1e6, 1.1e6);
        check_over_range(functions[i], references[i], -1e30, 1e30);
        check_over_exponents(functions[i], references[i]);

        // beside the multiples of a quarter turn all leading digits cancel
        for (int n = 1; n < sampleCount; ++n) {
            double x = (double)(1.57079632679489661923132169163975144L * (long double)(n * (int64_t)n));
            assert_true(error_in_ulps(functions[i](x), references[i](x)) <= 2.0);
        }
    }
}

// The double nearest to a multiple of a quarter turn (Muller, Elementary Functions, 11.3.2).
static void the_hardest_reduction_is_right(void** state) {
    (void)state;
    double x = 6381956970095103.0 * 0x1p797;
    assert_true(fabs(cnCos(x) - -4.68716592425462761112e-19) < 1e-34);
    assert_true(cnSin(x) == 1.0);
    assert_true(cnSin(-x) == -1.0);
}

static void inverse_functions_are_within_two_ulps(void** state) {
    (void)state;
    if (!has_extended_precision()) {
        skip();
    }
    check_over_range(cnAsin, asinl, -1.0, 1.0);
    check_over_range(cnAcos, acosl, -1.0, 1.0);
    check_over_range(cnAsin, asinl, 1.0 - 1e-9, 1.0);
    check_over_range(cnAcos, acosl, 1.0 - 1e-9, 1.0);
    check_over_range(cnAcos, acosl, -1.0, -1.0 + 1e-9);
    check_over_range(cnAsin, asinl, -1e-7, 1e-7);
    seed = 3;
    for (int i = 0; i < sampleCount; ++i) {
        double scaleX = ldexp(1.0, (int)(sample_bits() % 2000) - 1060);
        double scaleY = (i & 1) != 0 ? scaleX : scaleX * ldexp(1.0, (int)(sample_bits() % 130) - 65);
        double x = scaleX * sample_in(-1.0, 1.0);
        double y = scaleY * sample_in(-1.0, 1.0);
        assert_true(error_in_ulps(cnAtan2(y, x), atan2l(y, x)) <= 2.0);
    }
    for (int i = 0; i < sampleCount; ++i) {
        double x = sample_finite();
        double y = sample_finite();
        assert_true(error_in_ulps(cnAtan2(y, x), atan2l(y, x)) <= 2.0);
    }
}

static void exponential_and_logarithm_are_within_two_ulps(void** state) {
    (void)state;
    if (!has_extended_precision()) {
        skip();
    }
    check_over_range(cnExp, expl, -1.0, 1.0);
    check_over_range(cnExp, expl, -746.0, 710.0);
    check_over_exponents(cnExp, expl);
    check_over_range(cnLog, logl, 0.5, 2.0);
    check_over_range(cnLog, logl, 1.0 - 1e-6, 1.0 + 1e-6);
    seed = 4;
    for (int i = 0; i < sampleCount; ++i) {
        double x = fabs(sample_finite());
        assert_true(error_in_ulps(cnLog(x), logl(x)) <= 2.0);
        double subnormal = ldexp(sample_in(0.0, 1.0), -1022 - (int)(sample_bits() % 50));
        assert_true(error_in_ulps(cnLog(subnormal), logl(subnormal)) <= 2.0);
    }
}

static void powers_are_within_four_ulps(void** state) {
    (void)state;
    if (!has_extended_precision()) {
        skip();
    }
    seed = 5;
    for (int i = 0; i < sampleCount; ++i) {
        double x = sample_in(0.0, 1000.0);
        double y = sample_in(-110.0, 110.0);
        assert_true(error_in_ulps(cnPow(x, y), powl(x, y)) <= 4.0);
        x = 1.0 + ldexp(sample_in(-0.5, 0.5), -(int)(sample_bits() % 40));
        y = ldexp(sample_in(-1.0, 1.0), (int)(sample_bits() % 50));
        assert_true(error_in_ulps(cnPow(x, y), powl(x, y)) <= 4.0);
        x = fabs(sample_finite());
        y = sample_in(-1.1, 1.1);
        assert_true(error_in_ulps(cnPow(x, y), powl(x, y)) <= 4.0);
    }
}

static void powers_that_are_integers_are_exact(void** state) {
    (void)state;
    for (int base = 2; base < 300; ++base) {
        double power = 1.0;
        for (int exponent = 1; power * base < 0x1p53; ++exponent) {
            power *= base;
            assert_true(cnPow(base, exponent) == power);
            assert_true(cnPow(-base, exponent) == (exponent % 2 == 0 ? power : -power));
        }
    }
    assert_true(cnPow(2.25, 0.5) == 1.5);
    assert_true(cnPow(8.0, -1.0) == 0.125);
}

static bool is_same(double a, double b) {
    return (a != a && b != b) || (a == b && signbit(a) == signbit(b));
}

// The list of C99, annex F.9.
static void special_values_are_those_of_c99(void** state) {
    (void)state;
    const double infinity = INFINITY;
    const double huge = 1e308;
    assert_true(is_same(cnSin(-0.0), -0.0) && is_same(cnSin(0.0), 0.0) && is_same(cnSin(infinity), NAN));
    assert_true(is_same(cnTan(-0.0), -0.0) && is_same(cnTan(-infinity), NAN) && is_same(cnTan(NAN), NAN));
    assert_true(cnCos(0.0) == 1.0 && cnCos(-0.0) == 1.0 && is_same(cnCos(infinity), NAN) &&
                is_same(cnCos(NAN), NAN));
    assert_true(is_same(cnAsin(-0.0), -0.0) && is_same(cnAsin(1.0000001), NAN) && is_same(cnAsin(NAN), NAN));
    assert_true(cnAsin(1.0) == CN_PI / 2.0 && cnAsin(-1.0) == -CN_PI / 2.0);
    assert_true(is_same(cnAcos(1.0), 0.0) && cnAcos(-1.0) == CN_PI && is_same(cnAcos(-2.0), NAN));
    assert_true(cnAcos(0.0) == CN_PI / 2.0 && is_same(cnAcos(NAN), NAN));

    assert_true(is_same(cnAtan2(0.0, 0.0), 0.0) && is_same(cnAtan2(-0.0, 0.0), -0.0));
    assert_true(cnAtan2(0.0, -0.0) == CN_PI && cnAtan2(-0.0, -0.0) == -CN_PI);
    assert_true(cnAtan2(0.0, -1.0) == CN_PI && cnAtan2(-0.0, -1.0) == -CN_PI &&
                is_same(cnAtan2(-0.0, 1.0), -0.0));
    assert_true(cnAtan2(1.0, 0.0) == CN_PI / 2.0 && cnAtan2(-1.0, -0.0) == -CN_PI / 2.0);
    assert_true(cnAtan2(1.0, -infinity) == CN_PI && is_same(cnAtan2(-1.0, infinity), -0.0));
    assert_true(cnAtan2(infinity, 3.0) == CN_PI / 2.0 && cnAtan2(-infinity, -3.0) == -CN_PI / 2.0);
    assert_true(cnAtan2(infinity, infinity) == CN_PI / 4.0 && cnAtan2(-infinity, -infinity) == -0.75 * CN_PI);
    assert_true(is_same(cnAtan2(NAN, 1.0), NAN) && is_same(cnAtan2(1.0, NAN), NAN));

    assert_true(cnExp(0.0) == 1.0 && cnExp(-0.0) == 1.0 && cnExp(infinity) == infinity);
    assert_true(is_same(cnExp(-infinity), 0.0) && is_same(cnExp(NAN), NAN) && cnExp(1000.0) == infinity);
    assert_true(cnExp(709.782712893384) < infinity && cnExp(709.7827128933841) == infinity);
    assert_true(cnExp(-745.1332191019411) == 0x1p-1074 && cnExp(-745.1332191019412) == 0.0);
    assert_true(is_same(cnLog(1.0), 0.0) && cnLog(0.0) == -infinity && cnLog(-0.0) == -infinity);
    assert_true(is_same(cnLog(-1.0), NAN) && cnLog(infinity) == infinity && is_same(cnLog(NAN), NAN));

    const double odd[] = {-3.0, -1.0, 1.0, 3.0, 0x1p53 - 1.0};
    const double even[] = {-2.0, 2.0, 0x1p53, huge};
    for (int i = 0; i < 5; ++i) {
        double y = odd[i];
        assert_true(is_same(cnPow(-0.0, y), y < 0.0 ? -infinity : -0.0));
        assert_true(is_same(cnPow(0.0, y), y < 0.0 ? infinity : 0.0));
        assert_true(is_same(cnPow(-infinity, y), y < 0.0 ? -0.0 : -infinity));
        assert_true(cnPow(-1.0, y) == -1.0);
    }
    for (int i = 0; i < 4; ++i) {
        double y = even[i];
        assert_true(is_same(cnPow(-0.0, y), y < 0.0 ? infinity : 0.0));
        assert_true(is_same(cnPow(-infinity, y), y < 0.0 ? 0.0 : infinity));
        assert_true(cnPow(-1.0, y) == 1.0);
    }
    assert_true(cnPow(NAN, 0.0) == 1.0 && cnPow(1.0, NAN) == 1.0 && is_same(cnPow(NAN, 1.0), NAN));
    assert_true(cnPow(-1.0, infinity) == 1.0 && cnPow(-1.0, -infinity) == 1.0);
    assert_true(is_same(cnPow(-2.0, 0.5), NAN) && is_same(cnPow(-infinity, 0.5), infinity));
    assert_true(is_same(cnPow(-0.0, 0.5), 0.0) && is_same(cnPow(-0.0, -0.5), infinity));
    assert_true(cnPow(0.5, infinity) == 0.0 && cnPow(0.5, -infinity) == infinity);
    assert_true(cnPow(2.0, infinity) == infinity && is_same(cnPow(-2.0, -infinity), 0.0));
    assert_true(cnPow(-huge, 3.0) == -infinity && is_same(cnPow(-huge, -3.0), -0.0));
    assert_true(cnPow(2.0, -1074.0) == 0x1p-1074 && cnPow(2.0, 1023.0) == 0x1p1023);
}

// A golden hash, the same from every compiler, optimisation level and target: change it only
// with the functions.
static void functions_keep_their_bits(void** state) {
    (void)state;
    cnHash hash = cnHash_Start();
    seed = 6;
    for (int i = 0; i < sampleCount; ++i) {
        double x = sample_in(-30.0, 30.0);
        double y = sample_in(-1.0, 1.0);
        double mantissa = sample_in(0.5, 1.0);
        double z = ldexp(mantissa, (int)(sample_bits() % 2000) - 1000);
        const double values[] = {cnSin(x),  cnCos(x),      cnTan(x), cnSin(z), cnCos(z),   cnAsin(y),
                                 cnAcos(y), cnAtan2(x, y), cnExp(x), cnLog(z), cnPow(z, y)};
        cnHash_AddDoubles(&hash, values, sizeof values / sizeof *values);
    }
    const uint64_t expected = 0x433610ec52d42c8bu;
    assert_true(hash.value == expected);
}

// ---- rotations --------------------------------------------------------------------------------------------

static cnVec3 sample_vec(double size) {
    double x = sample_in(-size, size);
    double y = sample_in(-size, size);
    double z = sample_in(-size, size);
    return cnVec(x, y, z);
}

static void rotation_vectors_turn_by_their_length(void** state) {
    (void)state;
    cnQuat none = cnQuatFromRotationVector(cnVec3_zero);
    assert_true(none.x == 0.0 && none.y == 0.0 && none.z == 0.0 && none.w == 1.0);
    cnVec3 turned = cnRotate(cnQuatFromRotationVector(cnVec(0.0, 0.0, CN_PI / 2.0)), cnVec(1.0, 0.0, 0.0));
    assert_true(cnLength(cnSub(turned, cnVec(0.0, 1.0, 0.0))) < 1e-15);

    seed = 7;
    for (int i = 0; i < 10000; ++i) {
        cnVec3 v = sample_vec(ldexp(4.0, -(int)(sample_bits() % 40)));
        cnQuat q = cnQuatFromRotationVector(v);
        assert_true(fabs(cnLengthQuat(q) - 1.0) < 1e-15);
        double angle = cnLength(v);
        cnVec3 sine = cnVec(q.x, q.y, q.z);
        assert_true(fabs(cnLength(sine) - fabs(cnSin(0.5 * angle))) <= 1e-15 * angle);
        assert_true(fabs(q.w - cnCos(0.5 * angle)) < 5e-16);
    }

    // a tiny angle keeps all its digits
    cnQuat tiny = cnQuatFromRotationVector(cnVec(1e-200, 0.0, 0.0));
    assert_true(tiny.x == 0.5e-200 && tiny.w == 1.0);
}

static void matrices_and_quaternions_agree(void** state) {
    (void)state;
    seed = 8;
    for (int i = 0; i < 10000; ++i) {
        cnQuat q = cnQuatFromRotationVector(sample_vec(3.0));
        cnQuat back = cnQuatFromMat(cnMatFromQuat(q));
        double same = q.x * back.x + q.y * back.y + q.z * back.z + q.w * back.w;
        assert_true(fabs(fabs(same) - 1.0) < 1e-15);
        cnVec3 v = sample_vec(1.0);
        assert_true(cnLength(cnSub(cnRotate(back, v), cnMulMat(cnMatFromQuat(q), v))) < 4e-15);
    }
}

// ---- eigenvalues ------------------------------------------------------------------------------------------

static void diagonal_matrices_are_left_alone(void** state) {
    (void)state;
    cnQuat axes;
    cnVec3 values = cnSymmetricEigen(cnDiagonal(cnVec(0.1, 0.2, 0.3)), &axes);
    assert_true(values.x == 0.1 && values.y == 0.2 && values.z == 0.3);
    assert_true(axes.x == 0.0 && axes.y == 0.0 && axes.z == 0.0 && axes.w == 1.0);
    values = cnSymmetricEigen(cnDiagonal(cnVec(0.1, 0.1, 0.1)), &axes);
    assert_true(values.x == 0.1 && values.z == 0.1 && axes.w == 1.0);
    values = cnSymmetricEigen(cnDiagonal(cnVec3_zero), &axes);
    assert_true(values.x == 0.0 && values.z == 0.0 && axes.w == 1.0);

    // two axes swapped: a quarter turn, to the last bit of √½
    values = cnSymmetricEigen(cnDiagonal(cnVec(3.0, -1.0, 7.0)), &axes);
    assert_true(values.x == -1.0 && values.y == 3.0 && values.z == 7.0);
    assert_true(axes.x == 0.0 && axes.y == 0.0 && fabs(axes.z) == fabs(axes.w));

    // noise below the rounding of the diagonal is no rotation
    cnMat33 noisy = cnDiagonal(cnVec(1.0, 1.0, 1.0));
    noisy.x.y = noisy.y.x = 1e-17;
    cnSymmetricEigen(noisy, &axes);
    assert_true(axes.w == 1.0);
    values = cnSymmetricEigen(cnDiagonal(cnVec(1.0, 2.0, 3.0)), NULL);
    assert_true(values.z == 3.0);
}

static void eigenvectors_diagonalize(void** state) {
    (void)state;
    seed = 9;
    for (int i = 0; i < 20000; ++i) {
        // from spheres over rods to matrices that are not positive
        cnVec3 diagonal = cnVec(sample_in(0.1, 1.0), sample_in(0.1, 1.0), sample_in(0.1, 1.0));
        if (i % 4 == 1) {
            diagonal.x = diagonal.y;
        } else if (i % 4 == 2) {
            diagonal.x *= 1e-8;
        } else if (i % 4 == 3) {
            diagonal = sample_vec(5.0);
        }
        double scale = ldexp(1.0, (int)(sample_bits() % 200) - 100);
        cnMat33 rotation = cnMatFromQuat(cnQuatFromRotationVector(sample_vec(3.0)));
        cnMat33 m = cnRotateDiagonal(rotation, cnScale(scale, diagonal));

        cnQuat axes;
        cnVec3 values = cnSymmetricEigen(m, &axes);
        assert_true(values.x <= values.y && values.y <= values.z);
        assert_true(fabs(cnLengthQuat(axes) - 1.0) < 1e-15);
        double size = scale * cnLength(diagonal);
        cnMat33 frame = cnMatFromQuat(axes);
        const cnVec3* columns = &frame.x;
        const double ascending[3] = {values.x, values.y, values.z};
        for (int k = 0; k < 3; ++k) {
            cnVec3 rest = cnSub(cnMulMat(m, columns[k]), cnScale(ascending[k], columns[k]));
            assert_true(cnLength(rest) < 1e-14 * size);
        }
    }
}

static void matrices_without_numbers_end(void** state) {
    (void)state;
    cnQuat axes;
    cnMat33 m = cnDiagonal(cnVec(1.0, NAN, 2.0));
    m.x.y = m.y.x = NAN;
    cnSymmetricEigen(m, &axes);
    m.x.y = m.y.x = INFINITY;
    cnSymmetricEigen(m, &axes);
}

int main(void) {
    return run_all(sine_cosine_and_tangent_are_within_two_ulps, the_hardest_reduction_is_right,
                   inverse_functions_are_within_two_ulps, exponential_and_logarithm_are_within_two_ulps,
                   powers_are_within_four_ulps, powers_that_are_integers_are_exact,
                   special_values_are_those_of_c99, functions_keep_their_bits,
                   rotation_vectors_turn_by_their_length, matrices_and_quaternions_agree,
                   diagonal_matrices_are_left_alone, eigenvectors_diagonalize, matrices_without_numbers_end);
}
