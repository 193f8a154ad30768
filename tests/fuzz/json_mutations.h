// Mutations of JSON texts, for the fuzzers that read such.
#pragma once

#include "fuzz/fuzz.h"

typedef struct Bytes {
    char* data;
    size_t length, capacity;
} Bytes;

static inline void reserve(Bytes* bytes, size_t wanted) {
    if (wanted > bytes->capacity) {
        bytes->capacity = 2 * wanted;
        bytes->data = realloc(bytes->data, bytes->capacity);
        if (bytes->data == NULL) {
            fprintf(stderr, "out of memory\n");
            exit(1);
        }
    }
}

// Puts `length` bytes of `part` in place of bytes [at, end).
static inline void replace(Bytes* bytes, size_t at, size_t end, const char* part, size_t length) {
    reserve(bytes, bytes->length + length + 1);
    memmove(bytes->data + at + length, bytes->data + end, bytes->length - end);
    memcpy(bytes->data + at, part, length);
    bytes->length += length - (end - at);
}

static const char* const values[] = {
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "0.5",
    "-1e-3",
    "1e30",
    "1.1e30",
    "-1e31",
    "1e999",
    "1e-999",
    "1e-300",
    "3",
    "16",
    "1e15",
    "4294967296",
    "null",
    "true",
    "false",
    "\"\"",
    "\"x\"",
    "\"a/b\"",
    "\"*\"",
    "[]",
    "{}",
    "[0,0,1]",
    "[0,0,0]",
    "[0,0,0,1]",
    "[1,1,1]",
    "[[1,0,0],[0,1,0],[0,0,1]]",
    "\"static\"",
    "\"kinematic\"",
    "\"cone\"",
    "\"box\"",
    "01",
    "1.",
    "NaN",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\xff",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static inline bool isInNumber(char c) {
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

// Bounds of the number or quoted text around a place; an empty range where there is none.
static inline void findToken(const Bytes* bytes, size_t at, size_t* begin, size_t* end) {
    *begin = *end = at;
    if (isInNumber(bytes->data[at])) {
        while (*begin > 0 && isInNumber(bytes->data[*begin - 1])) {
            --*begin;
        }
        while (*end < bytes->length && isInNumber(bytes->data[*end])) {
            ++*end;
        }
        return;
    }
    while (*begin > 0 && bytes->data[*begin] != '"') {
        --*begin;
    }
    *end = *begin + 1;
    while (*end < bytes->length && bytes->data[*end] != '"') {
        ++*end;
    }
    *end += *end < bytes->length ? 1 : 0;
}

// The end of the list or object that opens at a place.
static inline size_t findClose(const Bytes* bytes, size_t at) {
    int depth = 0;
    for (size_t i = at; i < bytes->length; ++i) {
        depth += bytes->data[i] == '[' || bytes->data[i] == '{';
        depth -= bytes->data[i] == ']' || bytes->data[i] == '}';
        if (depth == 0) {
            return i + 1;
        }
    }
    return bytes->length;
}

static inline size_t findOpen(const Bytes* bytes, size_t at) {
    while (at > 0 && bytes->data[at] != '[' && bytes->data[at] != '{') {
        --at;
    }
    return at;
}

// `keys` are those that make sense in the files.
static inline void mutate(Bytes* bytes, const char* const* keys, size_t keyCount) {
    if (bytes->length == 0) {
        return;
    }
    size_t at = below(bytes->length);
    size_t begin = at;
    size_t end = at;
    const char* part = "";
    char copy[4096];
    size_t length = 0;
    switch (below(14)) {
    case 0: // another bit
        bytes->data[at] = (char)(bytes->data[at] ^ 1 << below(8));
        return;
    case 1: // bytes less
        end = at + below(16) + 1;
        replace(bytes, at, end < bytes->length ? end : bytes->length, "", 0);
        return;
    case 2: // the end missing
        if (below(8) == 0) {
            bytes->length = at;
        }
        return;
    case 3: // another value in place of a list or object
        begin = findOpen(bytes, at);
        part = values[below(COUNT(values))];
        replace(bytes, begin, findClose(bytes, begin), part, strlen(part));
        return;
    case 4: // a list or object elsewhere, in place of another
        begin = findOpen(bytes, at);
        length = findClose(bytes, begin) - begin;
        length = length < sizeof copy ? length : sizeof copy;
        memcpy(copy, bytes->data + begin, length);
        begin = findOpen(bytes, below(bytes->length));
        replace(bytes, begin, findClose(bytes, begin), copy, length);
        return;
    case 5: // a list or object twice
        begin = findOpen(bytes, at);
        length = findClose(bytes, begin) - begin;
        length = length < sizeof copy - 1 ? length : sizeof copy - 1;
        memcpy(copy, bytes->data + begin, length);
        copy[length++] = ',';
        replace(bytes, begin, begin, copy, length);
        return;
    case 6: // another key
        findToken(bytes, at, &begin, &end);
        snprintf(copy, sizeof copy, "\"%s\"", keys[below(keyCount)]);
        replace(bytes, begin, end, copy, strlen(copy));
        return;
    case 7: // another value in place of a number or text
        findToken(bytes, at, &begin, &end);
        part = values[below(COUNT(values))];
        replace(bytes, begin, end, part, strlen(part));
        return;
    default: // another digit, which mostly leaves a scene that runs
        while (at < bytes->length && (bytes->data[at] < '0' || bytes->data[at] > '9')) {
            ++at;
        }
        if (at < bytes->length) {
            bytes->data[at] = (char)('0' + below(10));
        }
        return;
    }
}
