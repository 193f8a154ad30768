// What public functions that make bodies share.
#pragma once

#include "world/world.h"

// Finds the normalised rotation of a definition.
cnErrorCode cnCheckBodyDef(const cnBodyDef* def, const char* call, cnQuat* rotation);

// Writes every column of a row that was just acquired; the definition was checked.
void cnFillBody(cnWorld* world, int row, const cnBodyDef* def, cnQuat rotation);
