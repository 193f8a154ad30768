// What public functions about geometries share.
#pragma once

#include "world/world.h"

// Finds the rows of body and material, −1 for none, and the normalised rotation.
cnErrorCode cnCheckGeometryDef(const cnWorld* world, const cnGeometryDef* def, const char* call, int* body,
                               int* material, cnQuat* rotation);
