// Argument checks of the public functions: each sets the last error, naming argument, value and
// what is allowed.
#pragma once

#include "base/report/error.h"
#include "cairn/types.h"

// CN_ERROR_NONE or the error that was set.
cnErrorCode cnCheckFinite(double value, const char* call, const char* argument);
cnErrorCode cnCheckRange(double value, double min, double max, const char* call, const char* argument,
                         const char* unit);

// Min and max, either of them perhaps infinite.
cnErrorCode cnCheckInterval(const double interval[2], const char* call, const char* argument);

// Finite and of magnitude 1e30 at most, component by component.
cnErrorCode cnCheckVec(cnVec3 value, const char* call, const char* argument);

// Every component >= 0.
cnErrorCode cnCheckNotNegative(cnVec3 value, const char* call, const char* argument, const char* unit);

// Of length 1 within 1e-3, or zero where that means the identity. `out` is normalised.
cnErrorCode cnCheckRotation(cnQuat value, cnQuat* out, const char* call, const char* argument);

// Symmetric and positive definite within 1e-9, moments within the triangle inequality.
cnErrorCode cnCheckInertia(cnMat33 value, const char* call, const char* argument);

// 0 to less than `count`; `items`: of what, for the message.
cnErrorCode cnCheckIndex(int index, int count, const char* call, const char* argument, const char* items);

// Where the definition that was checked is `part` ("body") of another one: the last error is about
// "def.body.mass" instead of "def.mass". Returns its code.
cnErrorCode cnNestError(const char* part);
