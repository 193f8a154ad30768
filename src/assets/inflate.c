#include "assets/inflate.h"

#include <string.h>

enum {
    maxCodeBits = 15,
    quickBits = 9, // codes up to this length are found by one look into a table
    maxSymbols = 288,
    endOfBlock = 256
};

// A canonical Huffman code: codes of a length are consecutive numbers, in the order of their symbols. Codes
// of up to quickBits bits stand in a table for every way in which the stream can go on; the few longer ones
// are compared length by length.
typedef struct Code {
    uint16_t counts[maxCodeBits + 1]; // symbols by length
    uint16_t symbols[maxSymbols];     // by length, then by value
    uint16_t quick[1 << quickBits];   // symbol · 16 + length; 0: longer
} Code;

typedef struct Stream {
    const uint8_t* bytes;
    size_t length, at;
    uint32_t bits; // read but not used, the next one lowest
    int bitCount;
    uint8_t* out;
    size_t outLength, outAt;
    bool isBroken;
    Code literals, distances;
} Stream;

// Zeros behind the end, which then shows by isBroken.
static void Fill(Stream* stream, int count) {
    while (stream->bitCount < count) {
        if (stream->at < stream->length) {
            stream->bits |= (uint32_t)stream->bytes[stream->at] << stream->bitCount;
        } else if (stream->at > stream->length + 4) {
            stream->isBroken = true;
        }
        ++stream->at;
        stream->bitCount += 8;
    }
}

static uint32_t TakeBits(Stream* stream, int count) {
    Fill(stream, count);
    uint32_t value = stream->bits & ((1u << count) - 1);
    stream->bits >>= count;
    stream->bitCount -= count;
    return value;
}

// False where lengths overfill the code. A code may be incomplete, as that of a single distance is.
static bool MakeCode(Code* code, const uint8_t* lengths, int symbolCount) {
    uint16_t offsets[maxCodeBits + 2] = {0};
    memset(code, 0, sizeof *code);
    for (int i = 0; i < symbolCount; ++i) {
        ++code->counts[lengths[i]];
    }
    code->counts[0] = 0;
    int left = 1;
    for (int bits = 1; bits <= maxCodeBits; ++bits) {
        left = 2 * left - code->counts[bits];
        if (left < 0) {
            return false;
        }
        offsets[bits + 1] = (uint16_t)(offsets[bits] + code->counts[bits]);
    }
    for (int i = 0; i < symbolCount; ++i) {
        if (lengths[i] != 0) {
            code->symbols[offsets[lengths[i]]++] = (uint16_t)i;
        }
    }

    // the table is entered with the bits as they come, the code's first bit lowest
    int number = 0;
    int index = 0;
    for (int bits = 1; bits <= quickBits; ++bits, number *= 2) {
        for (int i = 0; i < code->counts[bits]; ++i, ++number, ++index) {
            unsigned reversed = 0;
            for (int k = 0; k < bits; ++k) {
                reversed |= ((unsigned)number >> k & 1) << (bits - 1 - k);
            }
            for (unsigned k = reversed; k < 1u << quickBits; k += 1u << bits) {
                code->quick[k] = (uint16_t)(code->symbols[index] * 16 + bits);
            }
        }
    }
    return true;
}

static int TakeSymbol(Stream* stream, const Code* code) {
    Fill(stream, maxCodeBits);
    unsigned quick = code->quick[stream->bits & ((1u << quickBits) - 1)];
    if (quick != 0) {
        TakeBits(stream, (int)(quick & 15));
        return (int)(quick >> 4);
    }
    int number = 0;
    int first = 0;
    int index = 0;
    for (int bits = 1; bits <= maxCodeBits; ++bits) {
        number = 2 * number + (int)TakeBits(stream, 1);
        first *= 2;
        int count = code->counts[bits];
        if (number - first < count) {
            return code->symbols[index + number - first];
        }
        index += count;
        first += count;
    }
    stream->isBroken = true;
    return endOfBlock;
}

static void Put(Stream* stream, uint8_t byte) {
    if (stream->outAt == stream->outLength) {
        stream->isBroken = true;
    } else {
        stream->out[stream->outAt++] = byte;
    }
}

// Lengths 3 to 258 are symbols 257 to 285, four in a row with the same number of further bits, after the
// first eight; distances likewise two in a row after the first four.
static void CopyMatch(Stream* stream, int symbol) {
    int index = symbol - endOfBlock - 1;
    int length = index + 3;
    if (index == 28) {
        length = 258;
    } else if (index >= 8) {
        int more = index / 4 - 1;
        length = ((4 + index % 4) << more) + 3 + (int)TakeBits(stream, more);
    }
    int distanceSymbol = TakeSymbol(stream, &stream->distances);
    size_t distance = (size_t)distanceSymbol + 1;
    if (distanceSymbol >= 4) {
        int more = distanceSymbol / 2 - 1;
        distance = ((size_t)(2 + distanceSymbol % 2) << (more < 14 ? more : 0)) + 1 +
                   TakeBits(stream, more < 14 ? more : 0);
    }
    if (index > 28 || distanceSymbol > 29 || distance > stream->outAt) {
        stream->isBroken = true;
        return;
    }
    for (; length > 0 && !stream->isBroken; --length) {
        Put(stream, stream->out[stream->outAt - distance]);
    }
}

static void ReadStored(Stream* stream) {
    TakeBits(stream, stream->bitCount & 7);
    uint32_t length = TakeBits(stream, 16);
    uint32_t inverse = TakeBits(stream, 16);
    stream->isBroken = stream->isBroken || (length ^ inverse) != 0xffff;
    for (; length > 0 && !stream->isBroken; --length) {
        Put(stream, (uint8_t)TakeBits(stream, 8));
    }
}

static void MakeFixedCodes(Stream* stream) {
    uint8_t lengths[maxSymbols];
    for (int i = 0; i < maxSymbols; ++i) {
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    }
    MakeCode(&stream->literals, lengths, maxSymbols);
    memset(lengths, 5, 30);
    MakeCode(&stream->distances, lengths, 30);
}

// Codes that the block brings along, as lengths coded by a third code.
static void ReadCodes(Stream* stream) {
    static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[maxSymbols + 32 + 138] = {0};
    int literalCount = (int)TakeBits(stream, 5) + 257;
    int distanceCount = (int)TakeBits(stream, 5) + 1;
    int orderCount = (int)TakeBits(stream, 4) + 4;
    for (int i = 0; i < orderCount; ++i) {
        lengths[order[i]] = (uint8_t)TakeBits(stream, 3);
    }
    bool isRight = MakeCode(&stream->literals, lengths, 19);

    // 16: the last one 3 to 6 times; 17, 18: zeros
    int count = 0;
    uint8_t last = 0;
    while (isRight && count < literalCount + distanceCount && !stream->isBroken) {
        int symbol = TakeSymbol(stream, &stream->literals);
        int repeat = 1;
        uint8_t value = (uint8_t)symbol;
        if (symbol >= 16) {
            isRight = symbol <= 18 && (symbol > 16 || count > 0);
            value = symbol == 16 ? last : 0;
            repeat = symbol == 16   ? 3 + (int)TakeBits(stream, 2)
                     : symbol == 17 ? 3 + (int)TakeBits(stream, 3)
                                    : 11 + (int)TakeBits(stream, 7);
        }
        memset(lengths + count, value, (size_t)repeat);
        count += repeat;
        last = value;
    }
    isRight = isRight && count == literalCount + distanceCount && literalCount <= maxSymbols - 2 &&
              MakeCode(&stream->literals, lengths, literalCount) &&
              MakeCode(&stream->distances, lengths + literalCount, distanceCount);
    stream->isBroken = stream->isBroken || !isRight;
}

static void ReadBlock(Stream* stream) {
    enum {
        stored,
        fixed,
        dynamic
    };
    uint32_t kind = TakeBits(stream, 2);
    if (kind == stored) {
        ReadStored(stream);
        return;
    }
    if (kind == fixed) {
        MakeFixedCodes(stream);
    } else if (kind == dynamic) {
        ReadCodes(stream);
    } else {
        stream->isBroken = true;
    }
    while (!stream->isBroken) {
        int symbol = TakeSymbol(stream, &stream->literals);
        if (symbol == endOfBlock) {
            return;
        }
        if (symbol < endOfBlock) {
            Put(stream, (uint8_t)symbol);
        } else {
            CopyMatch(stream, symbol);
        }
    }
}

static uint32_t Adler32(const uint8_t* bytes, size_t length) {
    enum {
        prime = 65521,
        run = 5552 // bytes before a sum can overflow
    };
    uint32_t a = 1;
    uint32_t b = 0;
    for (size_t i = 0; i < length;) {
        size_t end = length - i < run ? length : i + run;
        for (; i < end; ++i) {
            a += bytes[i];
            b += a;
        }
        a %= prime;
        b %= prime;
    }
    return b << 16 | a;
}

bool cnInflate(const uint8_t* bytes, size_t length, uint8_t* out, size_t outLength) {
    // method 8, a window of up to 32 KiB, no dictionary
    if (length < 6 || (bytes[0] & 15) != 8 || bytes[0] >> 4 > 7 || (bytes[0] * 256 + bytes[1]) % 31 != 0 ||
        (bytes[1] & 32) != 0) {
        return false;
    }
    Stream stream = {.bytes = bytes, .length = length, .at = 2, .out = out, .outLength = outLength};
    bool isLast = false;
    while (!isLast && !stream.isBroken) {
        isLast = TakeBits(&stream, 1) != 0;
        ReadBlock(&stream);
    }
    if (stream.isBroken || stream.outAt != outLength) {
        return false;
    }
    TakeBits(&stream, stream.bitCount & 7);
    uint32_t sum = 0;
    for (int i = 0; i < 4; ++i) {
        sum = sum << 8 | TakeBits(&stream, 8);
    }
    return stream.at - (size_t)stream.bitCount / 8 <= length && sum == Adler32(out, outLength);
}
