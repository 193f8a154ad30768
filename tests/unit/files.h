// Files that grow in memory.
#pragma once

#include "helpers.h"

// ---- texts that grow --------------------------------------------------------------------------------------

typedef struct File {
    uint8_t bytes[8192];
    size_t length;
} File;

__attribute__((format(printf, 2, 3))) static inline void add_text(File* file, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    file->length += (size_t)vsnprintf((char*)file->bytes + file->length, sizeof file->bytes - file->length,
                                      format, arguments);
    va_end(arguments);
    assert_true(file->length < sizeof file->bytes);
}

static inline void add_number(File* file, uint64_t value, int bytes, bool isBigEndian) {
    for (int i = 0; i < bytes; ++i) {
        int shift = 8 * (isBigEndian ? bytes - 1 - i : i);
        file->bytes[file->length++] = (uint8_t)(value >> shift);
    }
}

static inline void add_float(File* file, double number, bool isBigEndian) {
    float value = (float)number;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    add_number(file, bits, 4, isBigEndian);
}
