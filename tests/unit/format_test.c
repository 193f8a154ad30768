// The engine's own formatter gives the same bytes as libc's.
#include "base/report/format.h"
#include "base/report/number.h"
#include "helpers.h"

#include <float.h>

__attribute__((format(printf, 2, 3))) static void check_equal(size_t size, const char* format, ...) {
    char expected[400];
    char found[400];
    memset(found, 'x', sizeof found);
    va_list arguments;
    va_start(arguments, format);
    int expectedLength = vsnprintf(expected, size, format, arguments);
    va_end(arguments);
    va_start(arguments, format);
    int length = cnFormatList(found, size, format, arguments);
    va_end(arguments);
    assert_int_equal(length, expectedLength);
    if (size > 0) {
        assert_string_equal(found, expected);
    }
    assert_int_equal(found[size], 'x'); // nothing beyond the end
}

static void check_number(double number) {
    check_equal(300, "%g|%.9g|%.17g|%.1g|%.0g|%.15g", number, number, number, number, number, number);
}

static void whole_numbers_are_those_of_libc(void** state) {
    (void)state;
    const int numbers[] = {0, 1, -1, 9, 10, 12345, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        unsigned whole = (unsigned)numbers[i];
        check_equal(300, "%d %u %x 0x%08x u%04x", numbers[i], whole, whole, whole, whole);
        check_equal(300, "%zu %zx", (size_t)numbers[i], (size_t)numbers[i]);
        check_equal(300, "%zd", (ptrdiff_t)numbers[i]);
    }
}

static void texts_are_those_of_libc(void** state) {
    (void)state;
    check_equal(300, "%s%s %.3s %.9s %.*s 100 %% m³", "", "world", "world", "world", 2, "world");
    for (size_t size = 0; size < 20; ++size) {
        check_equal(size, "%s is %d", "velocity", 12345678);
        check_equal(size, "%g", -1.2345e-300);
    }
}

static void numbers_of_every_kind_are_those_of_libc(void** state) {
    (void)state;
    const double numbers[] = {
        0.0,      -0.0,      0.5,     1.5,       2.5,          0.25,     0.1,  9.5,  99999.5,
        999999.5, 9999995.0, 1e-4,    1e-5,      9.9999995e-5, 1e5,      1e6,  1e15, 1e16,
        1e17,     1e22,      1e23,    DBL_MAX,   DBL_MIN,      4.9e-324, 1e30, 1e-8, 3.141592653589793,
        INFINITY, 123456,    1234567, -INFINITY, 5e-324};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        check_number(numbers[i]);
        check_number(-numbers[i]);
    }
    check_number(copysign(NAN, 1.0));
    check_number(copysign(NAN, -1.0));
}

static void random_numbers_are_those_of_libc(void** state) {
    (void)state;
    uint64_t seed = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < CASES(200000); ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double number;
        uint64_t bits = seed ^ seed >> 29;
        memcpy(&number, &bits, sizeof number);
        check_equal(300, "%.17g %g", number, number);

        // of the magnitudes that messages have, and halfway between two shorter ones
        double usual = (double)(int64_t)(bits >> 40) / (double)(1 << (bits & 31 & 15));
        check_equal(300, "%.9g %g", usual, usual);
    }
}

static void seventeen_digits_read_back(void** state) {
    (void)state;
    uint64_t seed = 12345;
    for (int i = 0; i < CASES(200000) / 10; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t bits = (seed ^ seed >> 31) & ~((uint64_t)1 << 63);
        double number;
        memcpy(&number, &bits, sizeof number);
        char digits[40];
        if (!isfinite(number)) {
            continue;
        }
        int exponent = cnWriteDigits(number, 17, digits);
        int length = snprintf(digits + 17, sizeof digits - 17, "e%d", exponent - 16);
        double back = 0.0;
        assert_non_null(cnParseNumber(digits, digits + 17 + length, &back));
        assert_memory_equal(&back, &number, sizeof number);
    }
}

int main(void) {
    return run_all(whole_numbers_are_those_of_libc, texts_are_those_of_libc,
                   numbers_of_every_kind_are_those_of_libc, random_numbers_are_those_of_libc,
                   seventeen_digits_read_back);
}
