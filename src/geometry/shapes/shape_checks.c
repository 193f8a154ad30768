#include "geometry/shapes/shape_checks.h"

static cnErrorCode CheckLength(double value, bool mayBeZero, const char* call, const char* argument) {
    if (!cnIsFinite(value)) {
        return cnFail(CN_ERROR_NOT_FINITE, call, argument, "%s is %g m, must be finite", argument, value);
    }
    if (value < 0.0 || (value == 0.0 && !mayBeZero)) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, argument, "%s is %g m, allowed is %s 0", argument, value,
                      mayBeZero ? ">=" : ">");
    }
    if (value > CN_LARGEST_LENGTH) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, argument, "%s is %g m, allowed is up to 1e30", argument,
                      value);
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnCheckPositiveLength(double value, const char* call, const char* argument) {
    return CheckLength(value, false, call, argument);
}

cnErrorCode cnCheckLength(double value, const char* call, const char* argument) {
    return CheckLength(value, true, call, argument);
}

cnErrorCode cnCheckLengths(cnVec3 value, const char* call, const char* argument) {
    if (!cnIsFiniteVec(value)) {
        return cnFail(CN_ERROR_NOT_FINITE, call, argument, "%s is (%g, %g, %g), must be finite", argument,
                      value.x, value.y, value.z);
    }
    if (fabs(value.x) > CN_LARGEST_LENGTH || fabs(value.y) > CN_LARGEST_LENGTH ||
        fabs(value.z) > CN_LARGEST_LENGTH) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, argument,
                      "%s is (%g, %g, %g), allowed are magnitudes up to 1e30", argument, value.x, value.y,
                      value.z);
    }
    return CN_ERROR_NONE;
}
