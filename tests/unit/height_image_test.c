// Height images: PNG of every kind, and raw numbers.
#include "assets/inflate.h"
#include "cairn/assets.h"
#include "files.h"

static uint32_t crc32_of(const uint8_t* bytes, size_t length) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < length; ++i) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; ++k) {
            crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
        }
    }
    return ~crc;
}

static void add_chunk(File* file, const char* kind, const File* content) {
    add_number(file, content->length, 4, true);
    size_t begin = file->length;
    memcpy(file->bytes + file->length, kind, 4);
    memcpy(file->bytes + file->length + 4, content->bytes, content->length);
    file->length += 4 + content->length;
    add_number(file, crc32_of(file->bytes + begin, file->length - begin), 4, true);
}

// Rows with their filter bytes, stored without compression.
static void make_png(File* file, int width, int height, int depth, int colour, int interlace,
                     const File* rows) {
    memcpy(file->bytes, "\x89PNG\r\n\x1a\n", 8);
    file->length = 8;
    File head = {.length = 0};
    add_number(&head, (uint64_t)width, 4, true);
    add_number(&head, (uint64_t)height, 4, true);
    add_number(&head, (uint64_t)depth, 1, true);
    add_number(&head, (uint64_t)colour, 1, true);
    add_number(&head, 0, 2, true);
    add_number(&head, (uint64_t)interlace, 1, true);
    add_chunk(file, "IHDR", &head);
    if (colour == 3) {
        File palette = {.length = 0};
        for (int i = 0; i < 16; ++i) {
            add_number(&palette, (uint64_t)(17 * (15 - i)) * 0x010101, 3, true);
        }
        add_chunk(file, "PLTE", &palette);
    }
    File data = {.length = 0};
    add_number(&data, 0x7801, 2, true);
    add_number(&data, 1, 1, true);
    add_number(&data, rows->length, 2, false);
    add_number(&data, ~rows->length & 0xffff, 2, false);
    uint32_t a = 1;
    uint32_t b = 0;
    for (size_t i = 0; i < rows->length; ++i) {
        add_number(&data, rows->bytes[i], 1, true);
        a = (a + rows->bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    add_number(&data, b << 16 | a, 4, true);
    // in two pieces, as the format allows
    File first = data;
    first.length = 5;
    File second = {.length = data.length - 5};
    memcpy(second.bytes, data.bytes + 5, second.length);
    add_chunk(file, "IDAT", &first);
    add_chunk(file, "IDAT", &second);
    add_chunk(file, "IEND", &(File){.length = 0});
}

static cnHeightData read_heights(const char* format, const File* file, const cnHeightOptions* options) {
    cnHeightData grid;
    if (cnReadHeightImage(format, file->bytes, file->length, options, &grid) != CN_ERROR_NONE) {
        print_error("%s\n", cnGetLastError()->message);
        fail();
    }
    return grid;
}

// Value of a pixel in units of its largest, 0…15: a whole number that every depth from 4 bits on can say.
static int pixel_of(int x, int y) {
    return (5 * x + 3 * y * y) % 16;
}

static void add_pixel(File* rows, int depth, int colour, int value) {
    uint64_t full = depth == 16 ? (uint64_t)value * 0x1111 : (uint64_t)value * 17;
    int samples = colour == 2 || colour == 6 ? 3 : 1;
    for (int i = 0; i < samples; ++i) {
        add_number(rows, full, depth / 8, true);
    }
    if (colour >= 4) {
        add_number(rows, 77, depth / 8, true);
    }
}

static void expect_pixels(const File* file, int width, int height) {
    cnHeightOptions options = {.rangeGiven = true, .range = {-30.0, 0.0}};
    cnHeightData grid = read_heights("png", file, &options);
    assert_int_equal(grid.columnCount, width);
    assert_int_equal(grid.rowCount, height);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            // the first row of the image is the last one
            double height1 = grid.heights[(height - 1 - y) * width + x];
            assert_true(fabs(height1 - (-30.0 + 2.0 * pixel_of(x, y))) < 1e-13);
        }
    }
    cnFreeHeights(&grid);
}

static void png_files_of_every_kind_give_their_pixels(void** state) {
    (void)state;
    enum {
        width = 9,
        height = 7
    };
    static const int colours[] = {0, 2, 4, 6};
    for (int i = 0; i < 8; ++i) {
        File rows = {.length = 0};
        int depth = i % 2 == 0 ? 8 : 16;
        for (int y = 0; y < height; ++y) {
            add_number(&rows, 0, 1, true);
            for (int x = 0; x < width; ++x) {
                add_pixel(&rows, depth, colours[i / 2], pixel_of(x, y));
            }
        }
        File file;
        make_png(&file, width, height, depth, colours[i / 2], 0, &rows);
        expect_pixels(&file, width, height);
    }

    // interlaced, of 8 bits
    static const int passes[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                     {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
    File rows = {.length = 0};
    for (int p = 0; p < 7; ++p) {
        for (int y = passes[p][1]; y < height; y += passes[p][3]) {
            add_number(&rows, 0, 1, true);
            for (int x = passes[p][0]; x < width; x += passes[p][2]) {
                add_pixel(&rows, 8, 0, pixel_of(x, y));
            }
        }
    }
    File file;
    make_png(&file, width, height, 8, 0, 1, &rows);
    expect_pixels(&file, width, height);

    // a palette of 4 bits, which counts down, and grey of 4 bits
    for (int colour = 0; colour <= 3; colour += 3) {
        rows.length = 0;
        for (int y = 0; y < height; ++y) {
            add_number(&rows, 0, 1, true);
            for (int x = 0; x < width; x += 2) {
                int left = colour == 3 ? 15 - pixel_of(x, y) : pixel_of(x, y);
                int right = colour == 3 ? 15 - pixel_of(x + 1, y) : pixel_of(x + 1, y);
                int pair = 16 * left + right;
                add_number(&rows, (uint64_t)pair, 1, true);
            }
        }
        make_png(&file, width, height, 4, colour, 0, &rows);
        expect_pixels(&file, width, height);
    }
}

static void filters_and_compression_change_no_pixel(void** state) {
    (void)state;
    // made by zlib: a 40 × 24 image of 16 bits, value(x, y) = (x·x·37 + y·211 + x·y) mod 65536, row y
    // with filter y mod 5
    static const uint8_t packed[] = {
#include "unit/heights_packed.inl"
    };
    File file = {.length = 8};
    memcpy(file.bytes, "\x89PNG\r\n\x1a\n", 8);
    File head = {.length = 0};
    add_number(&head, 40, 4, true);
    add_number(&head, 24, 4, true);
    add_number(&head, 0x1000000000u, 5, true);
    add_chunk(&file, "IHDR", &head);
    File data = {.length = sizeof packed};
    memcpy(data.bytes, packed, sizeof packed);
    add_chunk(&file, "IDAT", &data);
    add_chunk(&file, "IEND", &(File){.length = 0});
    cnHeightData grid =
        read_heights(NULL, &file, &(cnHeightOptions){.rangeGiven = true, .range = {0.0, 65535.0}});
    for (int y = 0; y < 24; ++y) {
        for (int x = 0; x < 40; ++x) {
            int wanted = (x * x * 37 + y * 211 + x * y) % 65536;
            assert_true(fabs(grid.heights[(23 - y) * 40 + x] - wanted) < 1e-9);
        }
    }
    cnFreeHeights(&grid);

    // a bit of the pixels changed: the checksum tells
    cnHeightData none;
    file.bytes[100] ^= 4;
    assert_int_equal(cnReadHeightImage("png", file.bytes, file.length, NULL, &none), CN_ERROR_FILE);
    assert_message_has("checksum");
    assert_null(none.heights);
}

static void raw_heights_are_read_in_their_number_format(void** state) {
    (void)state;
    File file = {.length = 0};
    static const uint8_t values[6] = {0, 51, 102, 153, 204, 255};
    memcpy(file.bytes, values, 6);
    file.length = 6;
    cnHeightOptions options = {.columnCount = 3, .rowCount = 2, .rangeGiven = true, .range = {10.0, 15.0}};
    cnHeightData grid = read_heights("terrain.u8", &file, &options);
    for (int i = 0; i < 6; ++i) {
        assert_true(fabs(grid.heights[(i + 3) % 6] - (10.0 + i)) < 1e-14);
    }
    cnFreeHeights(&grid);
    for (int isBig = 0; isBig < 2; ++isBig) {
        File words = {.length = 0};
        for (int i = 0; i < 6; ++i) {
            add_number(&words, (uint64_t)i * 13107, 2, isBig == 1);
        }
        grid = read_heights(isBig == 1 ? "u16be" : "u16le", &words, &options);
        assert_true(grid.heights[0] == 13.0 || fabs(grid.heights[0] - 13.0) < 1e-14);
        assert_true(grid.heights[3] == 10.0 && grid.heights[2] == 15.0);
        cnFreeHeights(&grid);
    }
    File floats = {.length = 0};
    for (int i = 0; i < 6; ++i) {
        add_float(&floats, 100.0 + i, false);
    }
    options.rangeGiven = false;
    grid = read_heights("f32", &floats, &options);
    assert_true(grid.heights[0] == 103.0 && grid.heights[5] == 102.0);
    cnFreeHeights(&grid);

    // what is wrong
    cnHeightData none;
    assert_int_equal(cnReadHeightImage("f32", floats.bytes, floats.length - 1, &options, &none),
                     CN_ERROR_FILE);
    assert_int_equal(cnReadHeightImage("f32", floats.bytes, floats.length, NULL, &none),
                     CN_ERROR_OUT_OF_RANGE);
    assert_int_equal(cnReadHeightImage("tif", floats.bytes, floats.length, NULL, &none),
                     CN_ERROR_UNKNOWN_NAME);
    options.rangeGiven = true;
    options.range[1] = 10.0;
    assert_int_equal(cnReadHeightImage("f32", floats.bytes, floats.length, &options, &none),
                     CN_ERROR_OUT_OF_RANGE);
    memset(floats.bytes + 8, 0xff, 4);
    options.rangeGiven = false;
    assert_int_equal(cnReadHeightImage("f32", floats.bytes, floats.length, &options, &none),
                     CN_ERROR_NOT_FINITE);
    assert_null(none.heights);
}

int main(void) {
    return run_all(png_files_of_every_kind_give_their_pixels, filters_and_compression_change_no_pixel,
                   raw_heights_are_read_in_their_number_format);
}
