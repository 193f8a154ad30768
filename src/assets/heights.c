#include "assets/heights.h"

#include "assets/mesh_reader.h"
#include "base/report/error.h"

#include <string.h>

cnErrorCode cnHeights_CheckSize(const char* call, uint32_t columnCount, uint32_t rowCount) {
    if (columnCount < 2 || rowCount < 2 || columnCount > CN_MAX_SIDE || rowCount > CN_MAX_SIDE ||
        (uint64_t)columnCount * rowCount > CN_MAX_HEIGHTS) {
        return cnFail(CN_ERROR_FILE, call, "bytes",
                      "the image has %u × %u heights: must have 2 to %d a side, %d in all at most",
                      (unsigned)columnCount, (unsigned)rowCount, CN_MAX_SIDE, CN_MAX_HEIGHTS);
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnHeights_Allocate(cnHeightData* grid, const char* call, uint32_t columnCount,
                               uint32_t rowCount) {
    cnErrorCode code = cnHeights_CheckSize(call, columnCount, rowCount);
    if (code != CN_ERROR_NONE) {
        return code;
    }
    grid->heights = cnAllocate((size_t)columnCount * rowCount * sizeof(double));
    if (grid->heights == NULL) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "bytes", "bytes cannot be read: there is no memory left");
    }
    grid->columnCount = (int)columnCount;
    grid->rowCount = (int)rowCount;
    return CN_ERROR_NONE;
}

// ---- raw --------------------------------------------------------------------------------------------------

typedef enum HeightFormat {
    cn_png = 0,
    cn_u8,
    cn_u16le,
    cn_u16be,
    cn_f32,
    cn_heightFormatCount
} HeightFormat;

static const char* const formatNames[] = {"png", "u8", "u16le", "u16be", "f32"};

static cnErrorCode ReadRaw(const char* call, HeightFormat format, const uint8_t* bytes, size_t length,
                           const cnHeightOptions* options, cnHeightData* grid) {
    static const int valueBytes[] = {0, 1, 2, 2, 4};
    int columns = options->columnCount;
    int rows = options->rowCount;
    if (columns < 2 || columns > CN_MAX_SIDE || rows < 2 || rows > CN_MAX_SIDE) {
        return cnFail(
            CN_ERROR_OUT_OF_RANGE, call, "options.resolution",
            "options.resolution (columnCount, rowCount) is %d, %d; a raw file needs it, allowed are 2 to %d",
            columns, rows, CN_MAX_SIDE);
    }
    size_t size = (size_t)valueBytes[format];
    if (length != (uint64_t)columns * (uint64_t)rows * size) {
        return cnFail(CN_ERROR_FILE, call, "bytes",
                      "the file has %zu bytes: %d × %d values of %zu bytes are wanted", length, columns, rows,
                      size);
    }
    cnErrorCode code = cnHeights_Allocate(grid, call, (uint32_t)columns, (uint32_t)rows);
    for (int row = 0; code == CN_ERROR_NONE && row < rows; ++row) {
        double* heights = grid->heights + (size_t)(rows - 1 - row) * (size_t)columns;
        for (int column = 0; column < columns; ++column, bytes += size) {
            heights[column] = format == cn_u8    ? bytes[0] / 255.0
                              : format == cn_f32 ? cnLoadFloat(bytes, false)
                                                 : cnLoad16(bytes, format == cn_u16be) / 65535.0;
            if (!cnIsCoordinate(heights[column])) {
                return cnFail(
                    CN_ERROR_NOT_FINITE, call, "bytes",
                    "the height in column %d of row %d is not finite or too large: must be up to 1e30",
                    column, row);
            }
        }
    }
    return code;
}

// ---- reading ----------------------------------------------------------------------------------------------

static cnErrorCode FindHeightFormat(const char* call, const char* name, HeightFormat* format) {
    *format = cn_png;
    if (name == NULL || name[0] == '\0') {
        return CN_ERROR_NONE;
    }
    const char* dot = strrchr(name, '.');
    cnWord word = {dot != NULL ? dot + 1 : name, 0};
    word.length = strlen(word.text);
    for (int i = 0; i < cn_heightFormatCount; ++i) {
        if (cnWord_Is(word, formatNames[i])) {
            *format = (HeightFormat)i;
            return CN_ERROR_NONE;
        }
    }
    return cnFail(CN_ERROR_UNKNOWN_NAME, call, "format",
                  "format is \"%.40s\": must be png, u8, u16le, u16be or f32, or a file name that ends so",
                  name);
}

cnErrorCode cnReadHeightImage(const char* format, const void* bytes, size_t length,
                              const cnHeightOptions* options, cnHeightData* grid) {
    static const cnHeightOptions defaults = {0};
    const char* call = "cnReadHeightImage";
    if (grid == NULL || bytes == NULL) {
        const char* argument = grid == NULL ? "grid" : "bytes";
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, argument, "%s is null", argument);
    }
    *grid = (cnHeightData){0};
    options = options != NULL ? options : &defaults;
    double lowest = options->range[0];
    double highest = options->range[1];
    bool hasRange = options->rangeGiven;
    if (hasRange && (!cnIsCoordinate(lowest) || !cnIsCoordinate(highest) || !(lowest < highest))) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "options.range",
                      "range is (%.9g, %.9g): must be two numbers up to 1e30, the first less than the second",
                      lowest, highest);
    }
    HeightFormat kind;
    cnErrorCode code = FindHeightFormat(call, format, &kind);
    if (code == CN_ERROR_NONE) {
        code = kind == cn_png ? cnReadPng(call, bytes, length, grid)
                              : ReadRaw(call, kind, bytes, length, options, grid);
    }
    if (code != CN_ERROR_NONE) {
        cnFreeHeights(grid);
        return code;
    }
    size_t count = (size_t)grid->columnCount * (size_t)grid->rowCount;
    for (size_t i = 0; i < count && hasRange; ++i) {
        grid->heights[i] = cnHeightOfGrey(grid->heights[i], lowest, highest);
    }
    return CN_ERROR_NONE;
}

void cnFreeHeights(cnHeightData* grid) {
    if (grid == NULL) {
        return;
    }
    cnFree(grid->heights, (size_t)grid->columnCount * (size_t)grid->rowCount * sizeof(double));
    *grid = (cnHeightData){0};
}
