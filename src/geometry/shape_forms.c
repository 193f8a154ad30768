#include "geometry/shape_forms.h"

#define FORM(Name, word, form, text) [cn_##word] = (form),

const uint16_t cnShapeForms[cn_shapeTypeCount] = {CN_SHAPE_TYPES(FORM)};
