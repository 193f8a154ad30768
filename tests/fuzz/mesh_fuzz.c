// Fuzzing the readers of mesh files and height images: whatever the bytes are, there is a valid mesh or grid,
// or an error says why, and nothing is left behind.
//
// Under libFuzzer (-fsanitize=fuzzer -DCN_LIBFUZZER) only LLVMFuzzerTestOneInput counts. Otherwise this is a
// program that mutates seed files with a seeded generator and runs under any compiler and sanitizer:
//
// mesh_fuzz [--cases n] [--seed n] [--folder DIR]
#include "cairn/assets.h"
#include "fuzz/fuzz.h"

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void require(bool holds, const char* what) {
    if (!holds) {
        const cnErrorInfo* error = cnGetLastError();
        fprintf(stderr, "mesh_fuzz: %s\n  last error %s: %s: %s\n", what, cnErrorName(error->code),
                error->argument, error->message);
        abort();
    }
}

static void requireError(cnErrorCode code) {
    require(code == CN_ERROR_FILE || code == CN_ERROR_NOT_FINITE,
            "a file was refused with an unexpected code");
    const cnErrorInfo* error = cnGetLastError();
    require(error->code == code && error->argument[0] != '\0' && error->message[0] != '\0',
            "an error says nothing");
}

static void checkMesh(const cnMeshData* mesh) {
    require(mesh->triangleCount >= 1 && mesh->vertexCount >= 3 && mesh->partCount >= 1, "a mesh is empty");
    for (int i = 0; i < mesh->vertexCount; ++i) {
        cnVec3 size = cnAbs(mesh->vertices[i]);
        require(size.x <= 1e30 && size.y <= 1e30 && size.z <= 1e30, "a vertex is too far away");
    }
    int vertex = 0;
    int triangle = 0;
    for (int i = 0; i < mesh->partCount; ++i) {
        const cnMeshPart* part = &mesh->parts[i];
        require(part->firstVertex == vertex && part->firstTriangle == triangle && part->triangleCount > 0 &&
                    memchr(part->name, '\0', sizeof part->name) != NULL,
                "the parts do not tile the mesh");
        vertex += part->vertexCount;
        triangle += part->triangleCount;
        for (int k = part->firstTriangle; k < triangle; ++k) {
            const int32_t* corners = mesh->triangles + 3 * (size_t)k;
            for (int m = 0; m < 3; ++m) {
                require(corners[m] >= part->firstVertex && corners[m] < vertex,
                        "a triangle has a vertex beyond");
                require(corners[m] != corners[(m + 1) % 3], "a triangle has a vertex twice");
            }
        }
    }
    require(vertex == mesh->vertexCount && triangle == mesh->triangleCount, "the parts do not fill the mesh");
}

// What stands for every file that a glTF names.
static uint8_t namedFile[360];

static const void* findNamedFile(const char* name, size_t* length, void* context) {
    (void)context;
    *length = sizeof namedFile;
    return name[0] != '\0' ? namedFile : NULL;
}

static bool tryMesh(const char* format, const uint8_t* data, size_t size, bool keepApart) {
    static const cnFileSource files = {findNamedFile, NULL};
    cnMeshOptions options = {.files = &files, .path = "folder/file", .keepApart = keepApart};
    cnMeshData mesh;
    cnErrorCode code = cnReadMesh(format, data, size, &options, &mesh);
    if (code == CN_ERROR_NONE) {
        checkMesh(&mesh);
    } else {
        requireError(code);
        require(mesh.vertices == NULL && mesh.triangles == NULL, "an error left a mesh");
    }
    cnFreeMesh(&mesh);
    return code == CN_ERROR_NONE;
}

static bool tryImage(const char* format, const uint8_t* data, size_t size, const cnHeightOptions* options) {
    cnHeightData grid;
    cnErrorCode code = cnReadHeightImage(format, data, size, options, &grid);
    if (code == CN_ERROR_NONE) {
        for (int i = 0; i < grid.columnCount * grid.rowCount; ++i) {
            require(cnIsFinite(grid.heights[i]), "a height is not finite");
        }
    } else {
        requireError(code);
        require(grid.heights == NULL, "an error left a grid");
    }
    cnFreeHeights(&grid);
    return code == CN_ERROR_NONE;
}

static long readCount;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const char* const formats[] = {"obj", "stl", "ply", "off", "gltf", "glb"};
    size_t before = cnGetBytesInUse();
    cnClearLastError();
    size_t choice = size > 0 ? size + data[size / 2] : 0;
    bool isRead = false;
    if (size > 4 && memcmp(data, "\x89PNG", 4) == 0) {
        isRead = tryImage("png", data, size, NULL);
    } else {
        isRead = tryMesh(NULL, data, size, choice % 2 == 0);
    }
    tryMesh(formats[choice / 2 % 6], data, size, choice % 2 == 1);
    if (choice % 8 == 0) {
        cnHeightOptions options = {.columnCount = 4, .rowCount = (int)(size / 16)};
        if (options.rowCount >= 2 && options.rowCount <= 16384) {
            tryImage("f32", data, size / 16 * 16, &options);
        }
    }
    require(cnGetBytesInUse() == before, "memory was left behind");
    readCount += isRead;
    return 0;
}

#if !defined(CN_LIBFUZZER)

// ---- mutation --------------------------------------------------------------------------------------------

enum {
    maxBytes = 1 << 15
};

typedef struct Bytes {
    uint8_t data[maxBytes];
    size_t length;
} Bytes;

// Puts `length` bytes of `part` in place of bytes [at, end).
static void replace(Bytes* bytes, size_t at, size_t end, const void* part, size_t length) {
    if (bytes->length + length > maxBytes) {
        return;
    }
    memmove(bytes->data + at + length, bytes->data + end, bytes->length - end);
    memcpy(bytes->data + at, part, length);
    bytes->length += length - (end - at);
}

static const char* const words[] = {
    "0",
    "-1",
    "1",
    "2",
    "7",
    "99",
    "-99",
    "4294967295",
    "2147483648",
    "1e30",
    "1e999",
    "1e-999",
    "nan",
    ".",
    "-",
    "\n",
    "\r",
    "\\\n",
    "#",
    "/",
    "//",
    "f 1 2 3\n",
    "o x\n",
    "solid",
    "endsolid",
    "vertex",
    "endloop",
    "element face 9\n",
    "property list char int vertex_index\n",
    "property double x\n",
    "end_header\n",
    "OFF",
    "[",
    "]",
    "{}",
    "[]",
    "null",
    "\"children\":[0]",
    "\"sparse\":{}",
    "\"byteStride\":3",
    "data:;base64,AAAA",
    "5121",
    "5120",
    "5125",
    "\"SCALAR\"",
};

static void mutate(Bytes* bytes) {
    if (bytes->length == 0) {
        return;
    }
    size_t at = below(bytes->length);
    size_t end = at + below(24) + 1;
    end = end < bytes->length ? end : bytes->length;
    const char* word = words[below(sizeof words / sizeof words[0])];
    size_t length = end - at;
    uint8_t part[64];
    switch (below(12)) {
    case 0: // another bit
        bytes->data[at] = (uint8_t)(bytes->data[at] ^ 1u << below(8));
        return;
    case 1: // another byte, often an extreme one
        bytes->data[at] = (uint8_t)(below(2) == 0 ? nextRandom() : (uint64_t)0 - below(2));
        return;
    case 2: // bytes less
        replace(bytes, at, end, "", 0);
        return;
    case 3: // the end missing
        bytes->length = below(4) == 0 ? at : bytes->length;
        return;
    case 4: // bytes twice
        memcpy(part, bytes->data + at, length);
        replace(bytes, end, end, part, length);
        return;
    case 5: // bytes elsewhere
        memcpy(part, bytes->data + at, length);
        at = below(bytes->length);
        replace(bytes, at, at, part, length);
        return;
    case 6: // a word more
        replace(bytes, at, at, word, strlen(word));
        return;
    case 7: // a word in place of bytes
        replace(bytes, at, end, word, strlen(word));
        return;
    case 8: // four bytes of a count
        if (bytes->length - at >= 4) {
            uint32_t count = (uint32_t)(below(2) == 0 ? nextRandom() : below(300));
            memcpy(bytes->data + at, &count, 4);
        }
        return;
    default: // another digit, which mostly leaves a file that can be read
        while (at < bytes->length && (bytes->data[at] < '0' || bytes->data[at] > '9')) {
            ++at;
        }
        if (at < bytes->length) {
            bytes->data[at] = (uint8_t)('0' + below(10));
        }
        return;
    }
}

// Puts the checksums of a PNG's chunks right, so that the reader looks at what is in them.
static void mendPng(Bytes* bytes) {
    for (size_t at = 8; at + 12 <= bytes->length;) {
        const uint8_t* head = bytes->data + at;
        size_t size = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
        if (size > bytes->length - at - 12) {
            return;
        }
        uint32_t crc = ~0u;
        for (size_t i = 0; i < size + 4; ++i) {
            crc ^= head[4 + i];
            for (int k = 0; k < 8; ++k) {
                crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
            }
        }
        crc = ~crc;
        for (int i = 0; i < 4; ++i) {
            bytes->data[at + 8 + size + (size_t)i] = (uint8_t)(crc >> (24 - 8 * i));
        }
        at += size + 12;
    }
}

// ---- seeds -----------------------------------------------------------------------------------------------

static const char* const seedNames[] = {
    "cube.obj",    "cube.off",        "cube.ply",   "cube.little.ply", "cube.big.ply",
    "cube.stl",    "cube.binary.stl", "cube.gltf",  "cube.glb",        "cube.outside.gltf",
    "terrain.png", "palette.png",     "colour.png",
};

enum {
    seedCount = sizeof seedNames / sizeof seedNames[0]
};

static Bytes seeds[seedCount];

// The bytes of a seed, as many as there is room for; 0 and a message where it cannot be read.
static size_t readSeed(const char* folder, const char* name, uint8_t* data, size_t size) {
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/fuzz/seeds/meshes/%s", folder, name);
    FILE* file = fopen(path, "rb");
    size_t length = 0;
    if (file != NULL) {
        length = fread(data, 1, size, file);
        fclose(file);
    }
    if (length == 0) {
        fprintf(stderr, "mesh_fuzz: cannot read %s\n", path);
    }
    return length;
}

int main(int count, char** arguments) {
    FuzzOptions options = takeOptions(&count, arguments);
    if (!isNothingLeft(count, arguments)) {
        return 2;
    }
    bool hasSeeds = readSeed(options.folder, "cube.bin", namedFile, sizeof namedFile) > 0;
    for (int i = 0; i < seedCount; ++i) {
        seeds[i].length = readSeed(options.folder, seedNames[i], seeds[i].data, maxBytes);
        hasSeeds = hasSeeds && seeds[i].length > 0;
    }
    if (!hasSeeds) {
        return 2;
    }

    // the seeds as they are, then mutated, each in a block of its own size, so that the sanitizer sees a byte
    // too far
    for (int i = 0; i < seedCount; ++i) {
        LLVMFuzzerTestOneInput(seeds[i].data, seeds[i].length);
        require(readCount == i + 1, seedNames[i]);
    }
    static Bytes bytes;
    for (long i = 0; i < options.cases; ++i) {
        startCase(&options, i);
        bytes = seeds[below(seedCount)];
        for (size_t n = below(4) + 1; n > 0; --n) {
            mutate(&bytes);
        }
        if (below(40) == 0) {
            // no file at all
            bytes.length = below(300);
            for (size_t k = 0; k < bytes.length; ++k) {
                bytes.data[k] = (uint8_t)nextRandom();
            }
        }
        if (bytes.length > 8 && bytes.data[0] == 0x89 && below(4) > 0) {
            mendPng(&bytes);
        }
        uint8_t* exact = malloc(bytes.length > 0 ? bytes.length : 1);
        require(exact != NULL, "there is no memory left");
        memcpy(exact, bytes.data, bytes.length);
        LLVMFuzzerTestOneInput(bytes.length > 0 ? exact : NULL, bytes.length);
        free(exact);
    }
    printf("mesh_fuzz: %ld cases, %ld of them read\n", options.cases, readCount - seedCount);
    return 0;
}

#endif
