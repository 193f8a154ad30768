// What the readers of height images share.
#pragma once

#include "cairn/assets.h"

// Most heights of an image; a side has at most 16384.
#define CN_MAX_HEIGHTS (1 << 26)
#define CN_MAX_SIDE 16384

// Height of a grey value 0 (black) to 1 (white), both ends exactly.
static inline double cnHeightOfGrey(double grey, double lowest, double highest) {
    return grey == 1.0 ? highest : lowest + grey * (highest - lowest);
}

// A size that a grid may have; an error of the file otherwise.
cnErrorCode cnHeights_CheckSize(const char* call, uint32_t columnCount, uint32_t rowCount);

// Room for a grid of such a size.
cnErrorCode cnHeights_Allocate(cnHeightData* grid, const char* call, uint32_t columnCount, uint32_t rowCount);

// Grey values 0…1 into the grid, the first row of the image last.
cnErrorCode cnReadPng(const char* call, const uint8_t* bytes, size_t length, cnHeightData* grid);
