#include "base/report/format.h"

#include "base/report/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Where the text goes: what does not fit is counted alone.
typedef struct cnText {
    char* bytes;
    size_t size, length;
} cnText;

static void cnPut(cnText* text, const char* bytes, size_t count) {
    for (size_t i = 0; i < count; ++i, ++text->length) {
        if (text->length + 1 < text->size) {
            text->bytes[text->length] = bytes[i];
        }
    }
}

static void cnPutRepeated(cnText* text, char byte, int count) {
    for (int i = 0; i < count; ++i) {
        cnPut(text, &byte, 1);
    }
}

static void cnPutWhole(cnText* text, uintmax_t value, unsigned base, int width) {
    char digits[24];
    int count = 0;
    do {
        digits[sizeof digits - (size_t)++count] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value > 0);
    cnPutRepeated(text, '0', width - count);
    cnPut(text, digits + sizeof digits - (size_t)count, (size_t)count);
}

// %g: `precision` digits, without zeros at the end; powers of ten from 10^precision on and below 10^-4.
static void cnPutNumber(cnText* text, double number, int precision) {
    enum {
        maxDigits = 17
    };
    if (signbit(number)) {
        cnPut(text, "-", 1);
    }
    if (!isfinite(number)) {
        cnPut(text, isnan(number) ? "nan" : "inf", 3);
        return;
    }
    char digits[maxDigits];
    int count = precision < 0 ? 6 : precision == 0 ? 1 : precision > maxDigits ? maxDigits : precision;
    int exponent = cnWriteDigits(fabs(number), count, digits);
    bool isScaled = exponent < -4 || exponent >= count;
    int whole = isScaled ? 1 : exponent + 1; // digits before the point
    while (count > 1 && count > whole && digits[count - 1] == '0') {
        --count;
    }
    if (whole > 0) {
        cnPut(text, digits, (size_t)whole);
    } else {
        cnPut(text, "0", 1);
    }
    if (count > whole) {
        cnPut(text, ".", 1);
        cnPutRepeated(text, '0', -whole);
        int first = whole > 0 ? whole : 0;
        cnPut(text, digits + first, (size_t)(count - first));
    }
    if (isScaled) {
        cnPut(text, exponent < 0 ? "e-" : "e+", 2);
        cnPutWhole(text, (uintmax_t)(exponent < 0 ? -exponent : exponent), 10, 2);
    }
}

// A count at the format's place, which goes behind it.
static int cnReadCount(const char** at, va_list* arguments) {
    int count = 0;
    if (**at == '*') {
        ++*at;
        return va_arg(*arguments, int);
    }
    for (; **at >= '0' && **at <= '9'; ++*at) {
        count = 10 * count + (**at - '0');
    }
    return count;
}

static void cnPutArgument(cnText* text, const char** at, va_list* arguments) {
    int width = cnReadCount(at, arguments);
    int precision = -1;
    if (**at == '.') {
        ++*at;
        precision = cnReadCount(at, arguments);
    }
    bool isSize = **at == 'z';
    *at += isSize ? 1 : 0;
    char kind = *(*at)++;
    if (kind == 'd') {
        intmax_t value = isSize ? (intmax_t)va_arg(*arguments, ptrdiff_t) : va_arg(*arguments, int);
        if (value < 0) {
            cnPut(text, "-", 1);
        }
        cnPutWhole(text, value < 0 ? 0 - (uintmax_t)value : (uintmax_t)value, 10, width);
    } else if (kind == 'u' || kind == 'x') {
        uintmax_t value = isSize ? va_arg(*arguments, size_t) : va_arg(*arguments, unsigned);
        cnPutWhole(text, value, kind == 'u' ? 10 : 16, width);
    } else if (kind == 'g') {
        cnPutNumber(text, va_arg(*arguments, double), precision);
    } else if (kind == 's') {
        const char* value = va_arg(*arguments, const char*);
        value = value != NULL ? value : "(null)";
        size_t length = 0;
        while ((precision < 0 || length < (size_t)precision) && value[length] != '\0') {
            ++length;
        }
        cnPut(text, value, length);
    } else {
        cnPut(text, &kind, 1);
    }
}

int cnFormatList(char* bytes, size_t size, const char* format, va_list arguments) {
    cnText text = {bytes, size, 0};
    va_list list;
    va_copy(list, arguments); // so that it can be handed on by address
    for (const char* at = format; *at != '\0';) {
        if (*at == '%') {
            ++at;
            cnPutArgument(&text, &at, &list);
        } else {
            cnPut(&text, at++, 1);
        }
    }
    va_end(list);
    if (size > 0) {
        bytes[text.length < size ? text.length : size - 1] = '\0';
    }
    return (int)text.length;
}

int cnFormat(char* bytes, size_t size, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = cnFormatList(bytes, size, format, arguments);
    va_end(arguments);
    return length;
}
