// What a shape's type says of its form (cairn/shape_types.h).
#pragma once

#include "geometry/shape.h"

extern const uint16_t cnShapeForms[cn_shapeTypeCount]; // cn_form… bits

// One of these bits at least.
static inline bool cnShape_IsType(cnShapeType type, uint32_t forms) {
    return (cnShapeForms[type] & forms) != 0;
}

static inline bool cnShape_Is(const cnShape* shape, uint32_t forms) {
    return cnShape_IsType(shape->type, forms);
}
