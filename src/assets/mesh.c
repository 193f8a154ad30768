#include "assets/mesh_reader.h"
#include "base/report/error.h"

#include <string.h>

// ---- building ---------------------------------------------------------------------------------------------

enum {
    maxItems = 1 << 27 // vertices and triangles, so that three of each can be counted
};

bool cnMesh_BeginPart(cnMeshReader* reader, const char* name, size_t nameLength) {
    cnMeshPart part = {.firstTriangle = reader->triangles.count / 3};
    size_t end = nameLength < sizeof part.name - 1 ? nameLength : sizeof part.name - 1;
    while (end > 0 && end < nameLength && ((unsigned char)name[end] & 0xc0) == 0x80) {
        --end;
    }
    memcpy(part.name, name, end);
    return cnArray_Push(&reader->parts, part) || cnMesh_FailMemory(reader);
}

bool cnMesh_AddVertex(cnMeshReader* reader, cnVec3 vertex) {
    return (reader->vertices.count < maxItems && cnArray_Push(&reader->vertices, vertex)) ||
           cnMesh_FailMemory(reader);
}

bool cnMesh_AddTriangle(cnMeshReader* reader, int32_t a, int32_t b, int32_t c) {
    if (a == b || b == c || c == a) {
        ++reader->droppedCount;
        return true;
    }
    int count = reader->triangles.count;
    if (count >= 3 * maxItems || !cnArray_Reserve(&reader->triangles, count + 3)) {
        return cnMesh_FailMemory(reader);
    }
    int32_t* corners = reader->triangles.data + count;
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
    reader->triangles.count = count + 3;
    return true;
}

// ---- the end: parts with vertices of their own ------------------------------------------------------------

// Vertices numbered again in the order in which triangles use them. Two are one where they have the same
// number, or the same place where places count.
typedef struct Renumbering {
    const cnMeshReader* reader;
    CN_ARRAY(int32_t) sources; // old number by new
    CN_ARRAY(int32_t) slots;   // hash table of new numbers plus one
    int first;                 // of the part: smaller numbers in the table do not count
} Renumbering;

static uint32_t HashPlace(cnVec3 place) {
    // −0 is 0
    double parts[3] = {place.x + 0.0, place.y + 0.0, place.z + 0.0};
    uint64_t hash = 0;
    for (int i = 0; i < 3; ++i) {
        uint64_t bits;
        memcpy(&bits, &parts[i], sizeof bits);
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

// The new number, -1 when memory ran out.
static int32_t Renumber(Renumbering* numbers, int32_t old) {
    const cnMeshReader* reader = numbers->reader;
    cnVec3 place = reader->vertices.data[old];
    bool merges = reader->mergesVertices;
    uint32_t mask = (uint32_t)numbers->slots.count - 1;
    uint32_t slot = (merges ? HashPlace(place) : (uint32_t)old * 0x9e3779b1u) & mask;
    for (;; slot = (slot + 1) & mask) {
        int32_t found = numbers->slots.data[slot] - 1;
        if (found < numbers->first) {
            break;
        }
        int32_t source = numbers->sources.data[found];
        cnVec3 other = reader->vertices.data[source];
        if (source == old || (merges && other.x == place.x && other.y == place.y && other.z == place.z)) {
            return found;
        }
    }
    if (!cnArray_Push(&numbers->sources, old)) {
        return -1;
    }
    numbers->slots.data[slot] = numbers->sources.count;
    return numbers->sources.count - 1;
}

static bool RenumberParts(cnMeshReader* reader, Renumbering* numbers) {
    int slotCount = 4;
    while (slotCount < 2 * reader->vertices.count) {
        slotCount *= 2;
    }
    if (!cnArray_Resize(&numbers->slots, slotCount)) {
        return false;
    }
    int32_t* triangles = reader->triangles.data;
    int end = 0; // of the corners that stay
    for (int i = 0; i < reader->parts.count; ++i) {
        cnMeshPart* part = &reader->parts.data[i];
        int at = 3 * part->firstTriangle;
        int last = 3 * (part->firstTriangle + part->triangleCount);
        part->firstVertex = numbers->first = numbers->sources.count;
        part->firstTriangle = end / 3;
        for (; at < last; at += 3) {
            int32_t corners[3];
            for (int k = 0; k < 3; ++k) {
                corners[k] = Renumber(numbers, triangles[at + k]);
                if (corners[k] < 0) {
                    return false;
                }
            }
            reader->triangles.count = end;
            if (!cnMesh_AddTriangle(reader, corners[0], corners[1], corners[2])) {
                return false;
            }
            end = reader->triangles.count;
        }
        part->triangleCount = end / 3 - part->firstTriangle;
        part->vertexCount = numbers->sources.count - part->firstVertex;
    }
    reader->triangles.count = end;

    // no vertex is used by two parts of a file that merges, but of others it may be
    CN_ARRAY(cnVec3) vertices = {0};
    if (!cnArray_Resize(&vertices, numbers->sources.count)) {
        return false;
    }
    for (int i = 0; i < vertices.count; ++i) {
        vertices.data[i] = reader->vertices.data[numbers->sources.data[i]];
    }
    cnArray_Free(&reader->vertices);
    memcpy(&reader->vertices, &vertices, sizeof vertices);
    return true;
}

// Parts with their counts, empty ones left out; one part where they are joined.
static bool FinishParts(cnMeshReader* reader) {
    bool keepsApart = reader->options->keepApart;
    if (reader->parts.count == 0 && !cnMesh_BeginPart(reader, "", 0)) {
        return false;
    }
    int end = reader->triangles.count / 3;
    for (int i = reader->parts.count - 1; i >= 0; --i) {
        cnMeshPart* part = &reader->parts.data[i];
        part->triangleCount = end - part->firstTriangle;
        end = part->firstTriangle;
    }
    reader->parts.data[0].triangleCount += reader->parts.data[0].firstTriangle;
    reader->parts.data[0].firstTriangle = 0;

    if (keepsApart || reader->mergesVertices) {
        Renumbering numbers = {.reader = reader};
        CN_PIN(&reader->triangles, "the triangles that are renumbered in their place");
        CN_PIN(&reader->parts, "the part that is renumbered");
        bool isDone = RenumberParts(reader, &numbers);
        CN_UNPIN(&reader->triangles);
        CN_UNPIN(&reader->parts);
        cnArray_Free(&numbers.sources);
        cnArray_Free(&numbers.slots);
        if (!isDone) {
            return cnMesh_FailMemory(reader);
        }
    }

    int count = 0;
    for (int i = 0; i < reader->parts.count; ++i) {
        if (reader->parts.data[i].triangleCount > 0) {
            reader->parts.data[count++] = reader->parts.data[i];
        }
    }
    if (count == 0) {
        return cnMesh_Refuse(reader, "the file has no triangles");
    }
    if (!keepsApart) {
        cnMeshPart* part = &reader->parts.data[0];
        if (count > 1) {
            part->name[0] = '\0';
        }
        part->firstVertex = part->firstTriangle = 0;
        part->vertexCount = reader->vertices.count;
        part->triangleCount = reader->triangles.count / 3;
        count = 1;
    }
    reader->parts.count = count;
    return true;
}

// An array with no room to spare, so that it can be freed by its count; null when memory ran out.
static void* Trim(void* data, int capacity, int count, size_t itemBytes) {
    return cnReallocate(data, (size_t)capacity * itemBytes, (size_t)count * itemBytes);
}

#define TRIM(array) Trim((array).data, (array).capacity, (array).count, sizeof *(array).data)

// Moves the arrays to the result as far as memory lasts.
static bool TakeMesh(cnMeshReader* reader, cnMeshData* mesh) {
    mesh->droppedCount = reader->droppedCount;
    mesh->vertices = TRIM(reader->vertices);
    if (mesh->vertices == NULL) {
        return cnMesh_FailMemory(reader);
    }
    mesh->vertexCount = reader->vertices.count;
    reader->vertices.data = NULL;
    mesh->triangles = TRIM(reader->triangles);
    if (mesh->triangles == NULL) {
        return cnMesh_FailMemory(reader);
    }
    mesh->triangleCount = reader->triangles.count / 3;
    reader->triangles.data = NULL;
    mesh->parts = TRIM(reader->parts);
    if (mesh->parts == NULL) {
        return cnMesh_FailMemory(reader);
    }
    mesh->partCount = reader->parts.count;
    reader->parts.data = NULL;
    return true;
}

// ---- reading ----------------------------------------------------------------------------------------------

typedef struct MeshFormat {
    const char* name;
    bool (*read)(cnMeshReader* reader);
} MeshFormat;

static const MeshFormat formats[] = {
    {"obj", cnReadObj}, {"stl", cnReadStl},   {"ply", cnReadPly},
    {"off", cnReadOff}, {"gltf", cnReadGltf}, {"glb", cnReadGltf},
};

enum {
    formatCount = sizeof formats / sizeof formats[0]
};

static bool BeginsWith(const cnMeshReader* reader, const char* text) {
    size_t length = strlen(text);
    return reader->length >= length && memcmp(reader->bytes, text, length) == 0;
}

// From the first bytes. A binary STL has none that tell, but a length that its count of triangles gives.
static const MeshFormat* GuessFormat(cnMeshReader* reader) {
    enum {
        obj,
        stl,
        ply,
        off,
        gltf
    };
    cnWord word = {NULL, 0};
    if (BeginsWith(reader, "glTF")) {
        return &formats[gltf];
    }
    if (reader->length >= 84 && reader->length == 84 + 50 * (uint64_t)cnLoad32(reader->bytes + 80, false)) {
        return &formats[stl];
    }
    bool hasWord = cnMesh_NextWordAnywhere(reader, &word);
    reader->at = 0;
    reader->line = 1;
    if (hasWord && word.text[0] == '{') {
        return &formats[gltf];
    }
    if (cnWord_Is(word, "solid")) {
        return &formats[stl];
    }
    if (cnWord_Is(word, "ply")) {
        return &formats[ply];
    }
    for (size_t i = 0; i + 3 <= word.length && i < 6; ++i) {
        if (memcmp(word.text + i, "OFF", 3) == 0) {
            return &formats[off];
        }
    }
    return &formats[obj];
}

static const MeshFormat* FindFormat(cnMeshReader* reader, const char* name) {
    if (name == NULL || name[0] == '\0') {
        return GuessFormat(reader);
    }
    const char* dot = strrchr(name, '.');
    cnWord word = {dot != NULL ? dot + 1 : name, 0};
    word.length = strlen(word.text);
    for (int i = 0; i < formatCount; ++i) {
        if (cnWord_Is(word, formats[i].name)) {
            return &formats[i];
        }
    }
    cnFail(CN_ERROR_UNKNOWN_NAME, reader->call, "format",
           "format is \"%.40s\": must be obj, stl, ply, off, gltf or glb, or a file name that ends so", name);
    return NULL;
}

cnErrorCode cnReadMesh(const char* format, const void* bytes, size_t length, const cnMeshOptions* options,
                       cnMeshData* mesh) {
    static const cnMeshOptions defaults = {0};
    const char* call = __func__;
    if (mesh == NULL || (bytes == NULL && length > 0)) {
        const char* argument = mesh == NULL ? "mesh" : "bytes";
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, argument, "%s is null", argument);
    }
    *mesh = (cnMeshData){0};
    cnMeshReader reader = {
        .bytes = bytes,
        .length = length,
        .line = 1,
        .call = call,
        .options = options != NULL ? options : &defaults,
    };
    if (length == 0) {
        cnMesh_Refuse(&reader, "the file is empty");
        return CN_ERROR_FILE;
    }
    const MeshFormat* found = FindFormat(&reader, format);
    if (found == NULL) {
        return CN_ERROR_UNKNOWN_NAME;
    }

    // a byte-order mark is no part of a text
    if (length >= 3 && memcmp(reader.bytes, "\xef\xbb\xbf", 3) == 0) {
        reader.bytes += 3;
        reader.length -= 3;
    }
    bool isRead = found->read(&reader) && FinishParts(&reader) && TakeMesh(&reader, mesh);
    cnArray_Free(&reader.vertices);
    cnArray_Free(&reader.triangles);
    cnArray_Free(&reader.parts);
    cnArray_Free(&reader.polygon);
    cnArray_Free(&reader.work);
    if (!isRead) {
        cnFreeMesh(mesh);
        return cnGetLastError()->code;
    }
    return CN_ERROR_NONE;
}

void cnFreeMesh(cnMeshData* mesh) {
    if (mesh == NULL) {
        return;
    }
    cnFree(mesh->vertices, (size_t)mesh->vertexCount * sizeof *mesh->vertices);
    cnFree(mesh->triangles, 3 * (size_t)mesh->triangleCount * sizeof *mesh->triangles);
    cnFree(mesh->parts, (size_t)mesh->partCount * sizeof *mesh->parts);
    *mesh = (cnMeshData){0};
}
