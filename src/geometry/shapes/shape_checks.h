// What definitions of shapes have in common: checks of numbers that name the argument, the value and
// what is allowed.
#pragma once

#include "base/report/error.h"
#include "cairn/geometry.h"

// The largest magnitude of any length.
#define CN_LARGEST_LENGTH 1e30

// A length that must be finite, at most 1e30, and > 0 (or >= 0).
cnErrorCode cnCheckPositiveLength(double value, const char* call, const char* argument);
cnErrorCode cnCheckLength(double value, const char* call, const char* argument);

// A vector whose components must be finite and at most 1e30 in size.
cnErrorCode cnCheckLengths(cnVec3 value, const char* call, const char* argument);
