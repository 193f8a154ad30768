// Numbers in texts: read as the nearest double.
#include "base/report/number.h"
#include "helpers.h"

static uint64_t bits_of(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static void expect_number(const char* text) {
    double number = -1.0;
    char* stop;
    double wanted = strtod(text, &stop);
    const char* end = cnParseNumber(text, text + strlen(text), &number);
    assert_non_null(end);
    if (bits_of(number) != bits_of(wanted) || end != stop) {
        print_error("%s gives %.17g, not %.17g\n", text, number, wanted);
        fail();
    }
}

static void numbers_are_the_nearest_doubles(void** state) {
    (void)state;
    static const char* const texts[] = {
        "0",
        "-0",
        "1",
        "+1",
        ".5",
        "5.",
        "1e5",
        "1E+5",
        "1e-5",
        "0.1",
        "123456789012345678901234567890",
        // halfway between two doubles, just above and just below; the smallest, the largest,
        // and what is beyond
        "9007199254740993",
        "9007199254740993.00000000000000000001",
        "9007199254740992.99999999999999999999",
        "9007199254740995",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e309",
        "1e-400",
        "1e99999999999",
        "1e-99999999999",
        "0e99999999999",
        "1e22",
        "1e23",
        "8.5e22",
        "3.14159265358979323846",
        "1e",
        "1e+",
        "1.5.5",
        "7x",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        expect_number(texts[i]);
    }
    static const char* const wrong[] = {"", "-", ".", "e5", "-.e1", "nan", "inf", "x"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        double number;
        assert_null(cnParseNumber(wrong[i], wrong[i] + strlen(wrong[i]), &number));
    }

    // every double comes back from its text, and texts with digits at random give what strtod gives
    for (int i = 0; i < CASES(60000); ++i) {
        char text[1200];
        uint64_t bits = random_bits();
        double number;
        memcpy(&number, &bits, sizeof number);
        if (number - number == 0.0) {
            snprintf(text, sizeof text, "%.*g", 15 + (int)(random_bits() % 20), number);
            expect_number(text);
        }
        int length = 0;
        int digits = 1 + (int)(random_bits() % (i % 100 == 0 ? 1000 : 30));
        for (int k = 0; k < digits; ++k) {
            text[length++] = (char)('0' + random_bits() % 10);
            if (k == 3) {
                text[length++] = '.';
            }
        }
        snprintf(text + length, sizeof text - (size_t)length, "e%d", (int)(random_bits() % 700) - 350);
        expect_number(text);
    }
}

int main(void) {
    return run_all(numbers_are_the_nearest_doubles);
}
