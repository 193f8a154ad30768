// Shapes by themselves, without a world.
#pragma once

#include "geometry/shape.h"
#include "helpers.h"

// NOLINTBEGIN(readability-identifier-naming): these are named as cmocka's macros are

// make_shape(shapeDef); to be freed where it holds memory.
#define make_shape(...) make_shape_from(__FILE__, __LINE__, __VA_ARGS__)

// The definition is rejected with this code and argument, the message holds `part`, and no memory is lost:
// assert_shape_rejected(shapeDef, code, argument, part)
#define assert_shape_rejected(...) assert_shape_rejected_from(__FILE__, __LINE__, __VA_ARGS__)

// NOLINTEND(readability-identifier-naming)

static inline cnShape make_shape_from(const char* file, int line, cnShapeDef def) {
    cnShape shape;
    assert_done_from(file, line, cnShape_Init(&shape, &def, "test") == CN_ERROR_NONE);
    return shape;
}

static inline void assert_shape_rejected_from(const char* file, int line, cnShapeDef def, cnErrorCode code,
                                              const char* argument, const char* part) {
    size_t before = cnGetBytesInUse();
    cnShape shape;
    _assert_int_equal(cnShape_Init(&shape, &def, "test"), code, file, line);
    _assert_string_equal(cnGetLastError()->call, "test", file, line);
    assert_last_error_from(file, line, code, argument, part);
    _assert_int_equal(cnGetBytesInUse(), before, file, line);
}
