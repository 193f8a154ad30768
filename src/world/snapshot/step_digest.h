// The end of a step as a few bytes a row, by which two runs are compared.
//
// Its number and the world's hash, a checksum of every section that decides the next step, then of each table
// the number of its rows and 16 bits of each. Two worlds whose hashes differ are told apart by the rest, down
// to the first section and the first row of its table.
#pragma once

#include "world/snapshot/buffer.h"
#include "world/snapshot/format.h"

typedef struct cnStepDigest {
    cnBuffer whole;
    cnBuffer rows; // in work
} cnStepDigest;

typedef struct cnStepDifference {
    bool differs;
    double step;                   // its number, as cnWorld_GetStepCount counts
    char section[CN_SECTION_NAME]; // the first that differs, "bodies.position"
    int row;                       // the first of its table that differs, −1 where none is
} cnStepDifference;

// Of a world at the end of a step; false when memory ran out.
bool cnStepDigest_Take(cnStepDigest* step, const cnWorld* world);
void cnStepDigest_Free(cnStepDigest* step);

// With the bytes of another that was recorded; false where these are too short to be one.
bool cnStepDigest_Compare(const cnStepDigest* step, const void* recorded, size_t bytes,
                          cnStepDifference* difference);
