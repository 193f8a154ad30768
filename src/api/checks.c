#include "api/checks.h"

#include "base/report/format.h"
#include "cairn/id.h"

#include <string.h>

#define CN_LARGEST 1e30

cnErrorCode cnCheckFinite(double value, const char* call, const char* argument) {
    if (!cnIsFinite(value)) {
        return cnFail(CN_ERROR_NOT_FINITE, call, argument, "%s is %g, allowed are finite numbers", argument,
                      value);
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnCheckRange(double value, double min, double max, const char* call, const char* argument,
                         const char* unit) {
    CN_TRY(cnCheckFinite(value, call, argument));
    if (value < min || value > max) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, argument, "%s is %g%s%s, allowed is %g to %g%s%s",
                      argument, value, unit[0] != '\0' ? " " : "", unit, min, max, unit[0] != '\0' ? " " : "",
                      unit);
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnCheckInterval(const double interval[2], const char* call, const char* argument) {
    return interval[0] <= interval[1] ? CN_ERROR_NONE
                                      : cnFail(CN_ERROR_OUT_OF_RANGE, call, argument,
                                               "%s is [%g, %g], allowed is min <= max, infinite for none",
                                               argument, interval[0], interval[1]);
}

cnErrorCode cnCheckVec(cnVec3 value, const char* call, const char* argument) {
    if (!cnIsFiniteVec(value)) {
        return cnFail(CN_ERROR_NOT_FINITE, call, argument, "%s is (%g, %g, %g), allowed are finite numbers",
                      argument, value.x, value.y, value.z);
    }
    cnVec3 size = cnAbs(value);
    if (size.x > CN_LARGEST || size.y > CN_LARGEST || size.z > CN_LARGEST) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, argument,
                      "%s is (%g, %g, %g), allowed are magnitudes up to 1e30", argument, value.x, value.y,
                      value.z);
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnCheckNotNegative(cnVec3 value, const char* call, const char* argument, const char* unit) {
    CN_TRY(cnCheckVec(value, call, argument));
    if (value.x < 0.0 || value.y < 0.0 || value.z < 0.0) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, argument, "%s is (%g, %g, %g)%s%s, allowed is >= 0",
                      argument, value.x, value.y, value.z, unit[0] != '\0' ? " " : "", unit);
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnCheckRotation(cnQuat value, cnQuat* out, const char* call, const char* argument) {
    if (!cnIsFiniteQuat(value)) {
        return cnFail(CN_ERROR_NOT_FINITE, call, argument,
                      "%s is (%g, %g, %g, %g), allowed are finite numbers", argument, value.x, value.y,
                      value.z, value.w);
    }
    if (value.x == 0.0 && value.y == 0.0 && value.z == 0.0 && value.w == 0.0) {
        *out = cnQuat_identity;
        return CN_ERROR_NONE;
    }
    double length = cnLengthQuat(value);
    if (!(fabs(length - 1.0) <= 1e-3)) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, argument, "%s has length %g, allowed is 1 within 1e-3",
                      argument, length);
    }
    *out = cnNormalizeQuat(value);
    return CN_ERROR_NONE;
}

cnErrorCode cnCheckInertia(cnMat33 value, const char* call, const char* argument) {
    CN_TRY(cnCheckVec(value.x, call, argument));
    CN_TRY(cnCheckVec(value.y, call, argument));
    CN_TRY(cnCheckVec(value.z, call, argument));
    double size = cnMax(cnMax(fabs(value.x.x), fabs(value.y.y)), fabs(value.z.z));
    double skew = fabs(value.x.y - value.y.x) + fabs(value.x.z - value.z.x) + fabs(value.y.z - value.z.y);
    if (skew > 1e-9 * size) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, argument,
                      "%s is not symmetric: allowed is symmetric within 1e-9", argument);
    }
    cnQuat axes;
    cnVec3 moments = cnSymmetricEigen(value, &axes);
    if (!(moments.x > 1e-9 * moments.z)) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, argument,
                      "%s has principal moments %g, %g, %g kg m²: allowed are positive ones (within 1e-9)",
                      argument, moments.x, moments.y, moments.z);
    }
    if (moments.z > (moments.x + moments.y) * (1.0 + 1e-9)) {
        return cnFail(
            CN_ERROR_OUT_OF_RANGE, call, argument,
            "%s has principal moments %g, %g, %g kg m²: the largest must not exceed the sum of the others",
            argument, moments.x, moments.y, moments.z);
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnCheckIndex(int index, int count, const char* call, const char* argument, const char* items) {
    if (index >= 0 && index < count) {
        return CN_ERROR_NONE;
    }
    return cnFail(CN_ERROR_OUT_OF_RANGE, call, argument, "%s is %d, allowed is 0 to less than %d, %s",
                  argument, index, count, items);
}

#define CN_DEF "def"

cnErrorCode cnNestError(const char* part) {
    const cnErrorInfo* error = cnGetLastError();
    const size_t length = sizeof CN_DEF - 1;
    if (strncmp(error->argument, CN_DEF, length) != 0 || strncmp(error->message, CN_DEF, length) != 0) {
        return error->code;
    }
    char argument[sizeof error->argument];
    cnFormat(argument, sizeof argument, CN_DEF ".%s%s", part, error->argument + length);
    return cnFail(error->code, error->call, argument, CN_DEF ".%s%s", part, error->message + length);
}
