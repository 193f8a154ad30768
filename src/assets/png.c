// PNG (W3C Recommendation, ISO/IEC 15948) to grey values: every colour type, depth and interlacing; nothing
// of colour spaces, transparency or text.
//
// This is our own because the well-kept decoders are made for other ends: they keep what image editors want
// and weigh several times this file, and the module has to stay small.
#include "assets/heights.h"
#include "assets/inflate.h"
#include "assets/mesh_reader.h"
#include "base/report/error.h"

#include <string.h>

typedef enum PngColour {
    cn_grey = 0,
    cn_rgb = 2,
    cn_palette = 3,
    cn_greyAlpha = 4,
    cn_rgba = 6
} PngColour;

typedef struct Png {
    const char* call;
    uint32_t width, height;
    int depth; // bits of a sample
    int colour;
    int samples; // of a pixel
    bool isInterlaced;
    bool hasPalette;
    double palette[256]; // grey values
    uint8_t* packed;     // the zlib stream, chunks joined
    size_t packedLength;
    size_t packedCapacity;
} Png;

// Where the pixels of a pass lie.
typedef struct Pass {
    uint8_t x, y, stepX, stepY;
} Pass;

static const Pass wholeImage = {0, 0, 1, 1};
static const Pass interlaced[7] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                   {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

static cnErrorCode RefusePng(const Png* png, size_t at, const char* what) {
    return cnFail(CN_ERROR_FILE, png->call, "bytes", "byte %zu: %s", at, what);
}

// ---- chunks -----------------------------------------------------------------------------------------------

static uint32_t Crc32(const uint8_t* bytes, size_t length) {
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < length; ++i) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; ++k) {
            crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
        }
    }
    return ~crc;
}

// Rec. 709, in whole numbers, so that equal parts give themselves.
static double GetGrey(uint32_t red, uint32_t green, uint32_t blue, uint32_t max) {
    return (double)(2126 * red + 7152 * green + 722 * blue) / (10000.0 * max);
}

static cnErrorCode ReadPngHead(Png* png, const uint8_t* data, size_t at) {
    static const uint8_t samplesOf[] = {1, 0, 3, 1, 2, 0, 4};
    static const uint8_t depthsOf[] = {1 | 2 | 4 | 8 | 16, 0, 8 | 16, 1 | 2 | 4 | 8, 8 | 16, 0, 8 | 16};
    png->width = cnLoad32(data, true);
    png->height = cnLoad32(data + 4, true);
    png->depth = data[8];
    png->colour = data[9];
    png->isInterlaced = data[12] == 1;
    cnErrorCode code = cnHeights_CheckSize(png->call, png->width, png->height);
    if (code != CN_ERROR_NONE) {
        return code;
    }
    png->samples = png->colour <= cn_rgba ? samplesOf[png->colour] : 0;
    bool isPower = png->depth > 0 && (png->depth & (png->depth - 1)) == 0;
    if (png->samples == 0 || !isPower || (depthsOf[png->colour] & png->depth) == 0) {
        return RefusePng(png, at + 8, "the colour type and the depth must be those of a PNG");
    }
    if (data[10] != 0 || data[11] != 0 || data[12] > 1) {
        return RefusePng(png, at + 10, "the compression, filter and interlacing must be those of a PNG");
    }
    return CN_ERROR_NONE;
}

static void ReadPalette(Png* png, const uint8_t* data, size_t length) {
    for (size_t i = 0; i < length / 3 && i < 256; ++i) {
        png->palette[i] = GetGrey(data[3 * i], data[3 * i + 1], data[3 * i + 2], 255);
    }
    png->hasPalette = true;
}

static cnErrorCode ReadChunks(Png* png, const uint8_t* bytes, size_t length) {
    enum {
        signatureBytes = 8,
        chunkBytes = 12, // length, kind and checksum
        headBytes = 13,
        head = 0x49484452, // IHDR
        palette = 0x504c5445,
        data = 0x49444154,
        end = 0x49454e44
    };
    if (length < signatureBytes || memcmp(bytes, "\x89PNG\r\n\x1a\n", signatureBytes) != 0) {
        return RefusePng(png, 0, "the file is no PNG");
    }
    png->packedCapacity = length;
    png->packed = cnAllocate(length);
    if (png->packed == NULL) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, png->call, "bytes",
                      "bytes cannot be read: there is no memory left");
    }
    for (size_t at = signatureBytes;;) {
        size_t left = length - at;
        uint32_t size = left >= chunkBytes ? cnLoad32(bytes + at, true) : 0;
        if (left < chunkBytes || size > left - chunkBytes) {
            return RefusePng(png, at, "the file ends inside a chunk");
        }
        uint32_t kind = cnLoad32(bytes + at + 4, true);
        const uint8_t* content = bytes + at + 8;
        if (Crc32(bytes + at + 4, size + 4) != cnLoad32(content + size, true)) {
            return RefusePng(png, at, "a chunk is damaged: its checksum is wrong");
        }
        if ((kind == head) != (at == signatureBytes) || (kind == head && size != headBytes)) {
            return RefusePng(png, at, "the file must begin with one chunk IHDR of 13 bytes");
        }
        if (kind == head) {
            cnErrorCode code = ReadPngHead(png, content, at + 8);
            if (code != CN_ERROR_NONE) {
                return code;
            }
        } else if (kind == palette) {
            ReadPalette(png, content, size);
        } else if (kind == data) {
            memcpy(png->packed + png->packedLength, content, size);
            png->packedLength += size;
        } else if (kind == end) {
            break;
        }
        at += chunkBytes + size;
    }
    return png->colour != cn_palette || png->hasPalette
               ? CN_ERROR_NONE
               : RefusePng(png, length, "the file has no palette, which its colour type needs");
}

// ---- pixels -----------------------------------------------------------------------------------------------

static uint32_t PassColumns(const Png* png, const Pass* pass) {
    return (png->width - pass->x + pass->stepX - 1) / pass->stepX;
}

static uint32_t PassRows(const Png* png, const Pass* pass) {
    return (png->height - pass->y + pass->stepY - 1) / pass->stepY;
}

// Bytes of a row without its filter byte.
static size_t RowBytes(const Png* png, uint32_t columns) {
    return ((size_t)columns * (size_t)(png->samples * png->depth) + 7) / 8;
}

// Takes the prediction from the left, above and above-left away, in place. False for a filter that is none.
static bool Unfilter(uint8_t filter, uint8_t* row, const uint8_t* above, size_t bytes, size_t pixel) {
    if (filter > 4) {
        return false;
    }
    for (size_t i = 0; i < bytes; ++i) {
        int a = i >= pixel ? row[i - pixel] : 0;
        int b = above != NULL ? above[i] : 0;
        int c = above != NULL && i >= pixel ? above[i - pixel] : 0;
        int guess = filter == 1 ? a : filter == 2 ? b : filter == 3 ? (a + b) / 2 : 0;
        if (filter == 4) {
            // the nearest of the three to a + b − c (Paeth)
            int toA = b > c ? b - c : c - b;
            int toB = a > c ? a - c : c - a;
            int toC = a + b - 2 * c;
            toC = toC < 0 ? -toC : toC;
            guess = toA <= toB && toA <= toC ? a : toB <= toC ? b : c;
        }
        row[i] = (uint8_t)(row[i] + guess);
    }
    return true;
}

static uint32_t GetSample(const Png* png, const uint8_t* row, size_t index) {
    if (png->depth == 16) {
        return cnLoad16(row + 2 * index, true);
    }
    size_t bit = index * (size_t)png->depth;
    return row[bit / 8] >> (8 - png->depth - (int)(bit % 8)) & ((1u << png->depth) - 1);
}

static double GetPixel(const Png* png, const uint8_t* row, uint32_t column) {
    size_t index = (size_t)column * (size_t)png->samples;
    uint32_t value = GetSample(png, row, index);
    uint32_t max = (1u << png->depth) - 1;
    if (png->colour == cn_palette) {
        return png->palette[value];
    }
    if (png->colour == cn_rgb || png->colour == cn_rgba) {
        return GetGrey(value, GetSample(png, row, index + 1), GetSample(png, row, index + 2), max);
    }
    return (double)value / max;
}

// The pixels of one pass into the grid; answers the bytes behind it, null for an unknown filter.
static uint8_t* ReadPass(const Png* png, const Pass* pass, uint8_t* bytes, cnHeightData* grid) {
    uint32_t columns = PassColumns(png, pass);
    uint32_t rows = PassRows(png, pass);
    size_t rowBytes = RowBytes(png, columns);
    size_t pixel = (size_t)(png->samples * png->depth + 7) / 8;
    const uint8_t* above = NULL;
    for (uint32_t row = 0; row < rows && columns > 0; ++row, bytes += rowBytes + 1) {
        if (!Unfilter(bytes[0], bytes + 1, above, rowBytes, pixel)) {
            return NULL;
        }
        above = bytes + 1;
        size_t y = png->height - 1 - (pass->y + (size_t)row * pass->stepY);
        for (uint32_t column = 0; column < columns; ++column) {
            size_t x = pass->x + (size_t)column * pass->stepX;
            grid->heights[y * png->width + x] = GetPixel(png, above, column);
        }
    }
    return bytes;
}

static cnErrorCode ReadPixels(const Png* png, cnHeightData* grid) {
    enum {
        maxRatio = 1032 // of deflate
    };
    const Pass* passes = png->isInterlaced ? interlaced : &wholeImage;
    int passCount = png->isInterlaced ? 7 : 1;
    uint64_t length = 0;
    for (int i = 0; i < passCount; ++i) {
        uint32_t columns = PassColumns(png, &passes[i]);
        length += columns > 0 ? (uint64_t)PassRows(png, &passes[i]) * (RowBytes(png, columns) + 1) : 0;
    }
    if (length > (uint64_t)png->packedLength * maxRatio) {
        return cnFail(CN_ERROR_FILE, png->call, "bytes",
                      "the file holds %zu bytes of pixels: too few for an image of %u × %u",
                      png->packedLength, (unsigned)png->width, (unsigned)png->height);
    }
    uint8_t* pixels = cnAllocate((size_t)length);
    cnErrorCode code = pixels != NULL ? cnHeights_Allocate(grid, png->call, png->width, png->height)
                                      : CN_ERROR_OUT_OF_MEMORY;
    if (pixels == NULL) {
        return cnFail(code, png->call, "bytes", "bytes cannot be read: there is no memory left");
    }
    if (code == CN_ERROR_NONE) {
        bool isFine = cnInflate(png->packed, png->packedLength, pixels, (size_t)length);
        uint8_t* at = pixels;
        for (int i = 0; i < passCount && isFine; ++i) {
            at = ReadPass(png, &passes[i], at, grid);
            isFine = at != NULL;
        }
        if (!isFine) {
            code = cnFail(CN_ERROR_FILE, png->call, "bytes", "the pixels of the image are damaged");
        }
    }
    cnFree(pixels, (size_t)length);
    return code;
}

cnErrorCode cnReadPng(const char* call, const uint8_t* bytes, size_t length, cnHeightData* grid) {
    Png png = {.call = call};
    cnErrorCode code = ReadChunks(&png, bytes, length);
    if (code == CN_ERROR_NONE) {
        code = ReadPixels(&png, grid);
    }
    cnFree(png.packed, png.packedCapacity);
    return code;
}
