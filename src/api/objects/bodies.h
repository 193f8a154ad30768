// What public functions that make bodies share.
#pragma once

#include "world/world.h"

// Finds the normalised rotation of a definition.
cnErrorCode cnCheckBodyDef(const cnBodyDef* def, const char* call, cnQuat* rotation);
