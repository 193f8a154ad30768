#include "base/report/format.h"

#include "base/report/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Where the text goes: what does not fit is counted alone.
typedef struct Text {
    char* bytes;
    size_t size, length;
} Text;

static void Put(Text* text, const char* bytes, size_t count) {
    for (size_t i = 0; i < count; ++i, ++text->length) {
        if (text->length + 1 < text->size) {
            text->bytes[text->length] = bytes[i];
        }
    }
}

static void PutRepeated(Text* text, char byte, int count) {
    for (int i = 0; i < count; ++i) {
        Put(text, &byte, 1);
    }
}

static void PutWhole(Text* text, uintmax_t value, unsigned base, int width) {
    char digits[24];
    int count = 0;
    do {
        digits[sizeof digits - (size_t)++count] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value > 0);
    PutRepeated(text, '0', width - count);
    Put(text, digits + sizeof digits - (size_t)count, (size_t)count);
}

// %g: `precision` digits, without zeros at the end; powers of ten from 10^precision on and below 10^-4.
static void PutNumber(Text* text, double number, int precision) {
    enum {
        maxDigits = 17
    };
    if (signbit(number)) {
        Put(text, "-", 1);
    }
    if (!isfinite(number)) {
        Put(text, isnan(number) ? "nan" : "inf", 3);
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
        Put(text, digits, (size_t)whole);
    } else {
        Put(text, "0", 1);
    }
    if (count > whole) {
        Put(text, ".", 1);
        PutRepeated(text, '0', -whole);
        int first = whole > 0 ? whole : 0;
        Put(text, digits + first, (size_t)(count - first));
    }
    if (isScaled) {
        Put(text, exponent < 0 ? "e-" : "e+", 2);
        PutWhole(text, (uintmax_t)(exponent < 0 ? -exponent : exponent), 10, 2);
    }
}

// A count at the format's place, which goes behind it.
static int ReadCount(const char** at, va_list* arguments) {
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

static void PutArgument(Text* text, const char** at, va_list* arguments) {
    int width = ReadCount(at, arguments);
    int precision = -1;
    if (**at == '.') {
        ++*at;
        precision = ReadCount(at, arguments);
    }
    bool isSize = **at == 'z';
    *at += isSize ? 1 : 0;
    char kind = *(*at)++;
    if (kind == 'd') {
        intmax_t value = isSize ? (intmax_t)va_arg(*arguments, ptrdiff_t) : va_arg(*arguments, int);
        if (value < 0) {
            Put(text, "-", 1);
        }
        PutWhole(text, value < 0 ? 0 - (uintmax_t)value : (uintmax_t)value, 10, width);
    } else if (kind == 'u' || kind == 'x') {
        uintmax_t value = isSize ? va_arg(*arguments, size_t) : va_arg(*arguments, unsigned);
        PutWhole(text, value, kind == 'u' ? 10 : 16, width);
    } else if (kind == 'g') {
        PutNumber(text, va_arg(*arguments, double), precision);
    } else if (kind == 's') {
        const char* value = va_arg(*arguments, const char*);
        value = value != NULL ? value : "(null)";
        size_t length = 0;
        while ((precision < 0 || length < (size_t)precision) && value[length] != '\0') {
            ++length;
        }
        Put(text, value, length);
    } else {
        Put(text, &kind, 1);
    }
}

int cnFormatList(char* bytes, size_t size, const char* format, va_list arguments) {
    Text text = {bytes, size, 0};
    va_list list;
    va_copy(list, arguments); // so that it can be handed on by address
    for (const char* at = format; *at != '\0';) {
        if (*at == '%') {
            ++at;
            PutArgument(&text, &at, &list);
        } else {
            Put(&text, at++, 1);
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
