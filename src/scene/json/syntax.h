// Is a text JSON, to the letter? Says where it stops being so.
//
// cJSON reads the scene; it is lenient (control characters as blanks, leading zeros, "\u0000" that ends a
// text early) and tells only a byte offset. So a text passes here first: RFC 8259 grammar, UTF-8 without
// surrogates, no nesting beyond CN_JSON_DEPTH, errors by line and column.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// A scene needs 8.
#define CN_JSON_DEPTH 64

typedef struct cnSyntaxError {
    int line;            // from 1
    int column;          // from 1, in characters
    const char* message; // what was found, and what was expected
} cnSyntaxError;

// False: the first error is in `error`. The text has no byte-order mark and needs no zero at its end.
bool cnCheckJsonSyntax(const char* text, size_t length, cnSyntaxError* error);
