// What public functions about geometries share.
#pragma once

#include "world/world.h"

// What a definition names, looked up.
typedef struct cnGeometryRows {
    int body;        // −1: none
    int material;    // −1: the default one
    cnQuat rotation; // normalised
} cnGeometryRows;

// Leaves the rows of a body and a material that are not given as they are.
cnErrorCode cnCheckGeometryDef(const cnWorld* world, const cnGeometryDef* def, const char* call,
                               cnGeometryRows* rows);

// Row of the material that geometries of the same friction and restitution share; −1 after an error.
int cnShareMaterial(cnWorld* world, const cnGeometryDef* def, const char* call);

// Writes every column of a row that was just acquired, adds its proxies and refreshes the body's mass; the
// definition was checked and the material has one user more. False where memory ran out: the geometry is
// to be removed.
bool cnFillGeometry(cnWorld* world, int row, const cnGeometryDef* def, const cnGeometryRows* rows);
