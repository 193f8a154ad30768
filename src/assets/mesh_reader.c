#include "assets/mesh_reader.h"

#include "base/report/error.h"
#include "base/report/format.h"
#include "base/report/number.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>

// ---- errors -----------------------------------------------------------------------------------------------

__attribute__((format(printf, 3, 0))) static bool cnRefuse(cnMeshReader* reader, const char* place,
                                                           const char* format, va_list arguments) {
    char what[200];
    cnFormatList(what, sizeof what, format, arguments);
    cnFail(CN_ERROR_FILE, reader->call, "bytes", "%s%s", place, what);
    return false;
}

bool cnMesh_Refuse(cnMeshReader* reader, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    cnRefuse(reader, "", format, arguments);
    va_end(arguments);
    return false;
}

bool cnMesh_RefuseLine(cnMeshReader* reader, const char* format, ...) {
    char place[32];
    cnFormat(place, sizeof place, "line %d: ", reader->line);
    va_list arguments;
    va_start(arguments, format);
    cnRefuse(reader, place, format, arguments);
    va_end(arguments);
    return false;
}

bool cnMesh_RefuseByte(cnMeshReader* reader, size_t at, const char* format, ...) {
    char place[32];
    cnFormat(place, sizeof place, "byte %zu: ", at);
    va_list arguments;
    va_start(arguments, format);
    cnRefuse(reader, place, format, arguments);
    va_end(arguments);
    return false;
}

bool cnMesh_FailMemory(cnMeshReader* reader) {
    cnFail(CN_ERROR_OUT_OF_MEMORY, reader->call, "bytes",
           "bytes cannot be read: there is no memory left for the mesh");
    return false;
}

// ---- text -------------------------------------------------------------------------------------------------

static bool IsLineEnd(uint8_t byte) {
    return byte == '\n' || byte == '\r';
}

static bool IsBlank(uint8_t byte) {
    return byte == ' ' || byte == '\t' || byte == '\v' || byte == '\f' || byte == '\0';
}

// A backslash before the line's end joins the lines, as OBJ has it; no other text format has a use for one.
static size_t JoinedLineLength(const cnMeshReader* reader) {
    const uint8_t* at = reader->bytes + reader->at;
    size_t left = reader->length - reader->at;
    if (left >= 2 && at[0] == '\\' && IsLineEnd(at[1])) {
        return left >= 3 && at[1] == '\r' && at[2] == '\n' ? 3 : 2;
    }
    return 0;
}

bool cnMesh_NextWord(cnMeshReader* reader, cnWord* word) {
    const uint8_t* bytes = reader->bytes;
    for (; reader->at < reader->length; ++reader->at) {
        size_t joined = JoinedLineLength(reader);
        if (joined > 0) {
            reader->at += joined - 1;
            ++reader->line;
        } else if (!IsBlank(bytes[reader->at])) {
            break;
        }
    }
    size_t begin = reader->at;
    while (reader->at < reader->length && !IsBlank(bytes[reader->at]) && !IsLineEnd(bytes[reader->at]) &&
           bytes[reader->at] != '#' && JoinedLineLength(reader) == 0) {
        ++reader->at;
    }
    *word = (cnWord){(const char*)bytes + begin, reader->at - begin};
    return word->length > 0;
}

bool cnMesh_NextLine(cnMeshReader* reader) {
    while (reader->at < reader->length && !IsLineEnd(reader->bytes[reader->at])) {
        ++reader->at;
    }
    if (reader->at == reader->length) {
        return false;
    }
    bool isPair = reader->length - reader->at > 1 && reader->bytes[reader->at] == '\r' &&
                  reader->bytes[reader->at + 1] == '\n';
    reader->at += isPair ? 2 : 1;
    ++reader->line;
    return true;
}

bool cnMesh_NextWordAnywhere(cnMeshReader* reader, cnWord* word) {
    do {
        if (cnMesh_NextWord(reader, word)) {
            return true;
        }
    } while (cnMesh_NextLine(reader));
    return false;
}

bool cnWord_Is(cnWord word, const char* text) {
    size_t i = 0;
    for (; i < word.length && text[i] != '\0'; ++i) {
        char letter = word.text[i];
        letter = (char)(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
        if (letter != text[i]) {
            return false;
        }
    }
    return i == word.length && text[i] == '\0';
}

// What a message quotes of a word.
static int Quoted(cnWord word) {
    return word.length < 24 ? (int)word.length : 24;
}

bool cnMesh_ParseNumber(cnMeshReader* reader, cnWord word, double* number) {
    const char* end = word.text + word.length;
    if (cnParseNumber(word.text, end, number) != end) {
        return cnMesh_RefuseLine(reader, "\"%.*s\" is no number", Quoted(word), word.text);
    }
    if (!cnIsCoordinate(*number)) {
        return cnMesh_RefuseLine(reader, "%.*s is too large: must be of a magnitude up to 1e30", Quoted(word),
                                 word.text);
    }
    return true;
}

bool cnMesh_ParseInteger(cnMeshReader* reader, cnWord word, int* number) {
    const char* end = word.text + word.length;
    double value;
    if (cnParseNumber(word.text, end, &value) != end || !(value >= -INT_MAX && value <= INT_MAX) ||
        value != (double)(int)value) {
        return cnMesh_RefuseLine(reader, "\"%.*s\" is no whole number", Quoted(word), word.text);
    }
    *number = (int)value;
    return true;
}

bool cnMesh_ReadPoint(cnMeshReader* reader, cnVec3* point) {
    double numbers[3];
    for (int i = 0; i < 3; ++i) {
        cnWord word;
        if (!cnMesh_NextWord(reader, &word)) {
            return cnMesh_RefuseLine(reader, "a vertex has %d coordinates: must have 3", i);
        }
        if (!cnMesh_ParseNumber(reader, word, &numbers[i])) {
            return false;
        }
    }
    *point = cnVec(numbers[0], numbers[1], numbers[2]);
    return true;
}

// ---- binary -----------------------------------------------------------------------------------------------

static uint64_t Load(const uint8_t* bytes, int count, bool isBigEndian) {
    uint64_t value = 0;
    for (int i = 0; i < count; ++i) {
        value = value << 8 | bytes[isBigEndian ? i : count - 1 - i];
    }
    return value;
}

uint32_t cnLoad16(const uint8_t* bytes, bool isBigEndian) {
    return (uint32_t)Load(bytes, 2, isBigEndian);
}

uint32_t cnLoad32(const uint8_t* bytes, bool isBigEndian) {
    return (uint32_t)Load(bytes, 4, isBigEndian);
}

double cnLoadFloat(const uint8_t* bytes, bool isBigEndian) {
    uint32_t bits = cnLoad32(bytes, isBigEndian);
    float number;
    memcpy(&number, &bits, sizeof number);
    return (double)number;
}

double cnLoadDouble(const uint8_t* bytes, bool isBigEndian) {
    uint64_t bits = Load(bytes, 8, isBigEndian);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}
