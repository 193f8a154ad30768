// Fuzzing the scene loader: whatever the bytes are, a scene loads, or an error says why and
// nothing is left behind.
//
// Under libFuzzer (-fsanitize=fuzzer -DCN_LIBFUZZER) only LLVMFuzzerTestOneInput counts. Otherwise this is a
// program that mutates seed files with a seeded generator and runs under any compiler and sanitizer:
//
// scene_fuzz [--cases n] [--seed n] [--folder DIR] [SEED.json …]
//
// Without files the seeds are those of tests/fuzz/seeds and the small ones of demo/scenes.
#include "cairn/cairn.h"
#include "fuzz/fuzz.h"

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void require(bool holds, const char* what) {
    if (!holds) {
        const cnErrorInfo* error = cnGetLastError();
        fprintf(stderr, "scene_fuzz: %s\n  last error %s: %s: %s\n", what, cnErrorName(error->code),
                error->argument, error->message);
        abort();
    }
}

static void useScene(cnSceneId scene) {
    enum {
        steps = 2
    };
    require(cnWorld_IsValid(cnScene_GetWorld(scene)), "a loaded scene has no world");
    for (int step = 0; step <= steps; ++step) {
        for (int i = 0; i < cnScene_GetRecordCount(scene); ++i) {
            int channel = cnScene_OpenChannel(scene, cnScene_GetRecord(scene, i));
            require(channel >= 0, "a recorded channel does not open");
            require(cnScene_ReadChannel(scene, channel) != NULL, "a recorded channel does not read");
        }
        if (step < steps) {
            cnErrorCode code = cnScene_Step(scene);
            require(code != CN_ERROR_STALE_HANDLE && code != CN_ERROR_NULL_HANDLE,
                    "a step met a dead handle");
        }
    }
    require(cnWorld_Validate(cnScene_GetWorld(scene)) == CN_ERROR_NONE, "the tables of a world do not agree");
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    size_t before = cnGetBytesInUse();
    cnClearLastError();
    cnSceneId scene = cnLoadScene((const char*)data, size, 1);
    if (CN_IS_NULL(scene)) {
        const cnErrorInfo* error = cnGetLastError();
        require(error->code == CN_ERROR_SCENE || error->code == CN_ERROR_NOT_SUPPORTED_YET ||
                    error->code == CN_ERROR_TOO_MANY,
                "a scene was refused with an unexpected code");
        require(error->argument[0] == '/' && error->message[0] != '\0', "an error has no path or no message");
    } else {
        useScene(scene);
        require(cnDestroyScene(scene) == CN_ERROR_NONE, "a scene was not destroyed");
    }
    require(cnGetBytesInUse() == before, "memory was left behind");
    return 0;
}

#if !defined(CN_LIBFUZZER)

// ---- mutation --------------------------------------------------------------------------------------------

typedef struct Bytes {
    char* data;
    size_t length, capacity;
} Bytes;

static void reserve(Bytes* bytes, size_t wanted) {
    if (wanted > bytes->capacity) {
        bytes->capacity = 2 * wanted;
        bytes->data = realloc(bytes->data, bytes->capacity);
        if (bytes->data == NULL) {
            fprintf(stderr, "scene_fuzz: out of memory\n");
            exit(1);
        }
    }
}

// Puts `length` bytes of `part` in place of bytes [at, end).
static void replace(Bytes* bytes, size_t at, size_t end, const char* part, size_t length) {
    reserve(bytes, bytes->length + length + 1);
    memmove(bytes->data + at + length, bytes->data + end, bytes->length - end);
    memcpy(bytes->data + at, part, length);
    bytes->length += length - (end - at);
}

static const char* const values[] = {
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "0.5",
    "-1e-3",
    "1e30",
    "1.1e30",
    "-1e31",
    "1e999",
    "1e-999",
    "1e-300",
    "3",
    "16",
    "1e15",
    "4294967296",
    "null",
    "true",
    "false",
    "\"\"",
    "\"x\"",
    "\"a/b\"",
    "\"*\"",
    "[]",
    "{}",
    "[0,0,1]",
    "[0,0,0]",
    "[0,0,0,1]",
    "[1,1,1]",
    "[[1,0,0],[0,1,0],[0,0,1]]",
    "\"static\"",
    "\"kinematic\"",
    "\"cone\"",
    "\"box\"",
    "01",
    "1.",
    "NaN",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\xff",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
};

static const char* const keys[] = {
    "name",       "type",     "shape",      "shapes",   "position",  "rotation", "velocity", "mass",
    "inertia",    "motion",   "geometries", "material", "materials", "radius",   "height",   "halfExtents",
    "normal",     "d",        "point",      "points",   "friction",  "groups",   "enabled",  "at",
    "for",        "force",    "body",       "bodies",   "moveTo",    "library",  "density",  "frictionModel",
    "x",          "sensor",   "gravity",    "timeStep", "solver",    "substeps", "sleep",    "mergeSplit",
    "collisions", "duration", "geometry",
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool isInNumber(char c) {
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

// Bounds of the number or quoted text around a place; an empty range where there is none.
static void findToken(const Bytes* bytes, size_t at, size_t* begin, size_t* end) {
    *begin = *end = at;
    if (isInNumber(bytes->data[at])) {
        while (*begin > 0 && isInNumber(bytes->data[*begin - 1])) {
            --*begin;
        }
        while (*end < bytes->length && isInNumber(bytes->data[*end])) {
            ++*end;
        }
        return;
    }
    while (*begin > 0 && bytes->data[*begin] != '"') {
        --*begin;
    }
    *end = *begin + 1;
    while (*end < bytes->length && bytes->data[*end] != '"') {
        ++*end;
    }
    *end += *end < bytes->length ? 1 : 0;
}

// The end of the list or object that opens at a place.
static size_t findClose(const Bytes* bytes, size_t at) {
    int depth = 0;
    for (size_t i = at; i < bytes->length; ++i) {
        depth += bytes->data[i] == '[' || bytes->data[i] == '{';
        depth -= bytes->data[i] == ']' || bytes->data[i] == '}';
        if (depth == 0) {
            return i + 1;
        }
    }
    return bytes->length;
}

static size_t findOpen(const Bytes* bytes, size_t at) {
    while (at > 0 && bytes->data[at] != '[' && bytes->data[at] != '{') {
        --at;
    }
    return at;
}

static void mutate(Bytes* bytes) {
    if (bytes->length == 0) {
        return;
    }
    size_t at = below(bytes->length);
    size_t begin = at;
    size_t end = at;
    const char* part = "";
    char copy[4096];
    size_t length = 0;
    switch (below(14)) {
    case 0: // another bit
        bytes->data[at] = (char)(bytes->data[at] ^ 1 << below(8));
        return;
    case 1: // bytes less
        end = at + below(16) + 1;
        replace(bytes, at, end < bytes->length ? end : bytes->length, "", 0);
        return;
    case 2: // the end missing
        if (below(8) == 0) {
            bytes->length = at;
        }
        return;
    case 3: // another value in place of a list or object
        begin = findOpen(bytes, at);
        part = values[below(COUNT(values))];
        replace(bytes, begin, findClose(bytes, begin), part, strlen(part));
        return;
    case 4: // a list or object elsewhere, in place of another
        begin = findOpen(bytes, at);
        length = findClose(bytes, begin) - begin;
        length = length < sizeof copy ? length : sizeof copy;
        memcpy(copy, bytes->data + begin, length);
        begin = findOpen(bytes, below(bytes->length));
        replace(bytes, begin, findClose(bytes, begin), copy, length);
        return;
    case 5: // a list or object twice
        begin = findOpen(bytes, at);
        length = findClose(bytes, begin) - begin;
        length = length < sizeof copy - 1 ? length : sizeof copy - 1;
        memcpy(copy, bytes->data + begin, length);
        copy[length++] = ',';
        replace(bytes, begin, begin, copy, length);
        return;
    case 6: // another key
        findToken(bytes, at, &begin, &end);
        snprintf(copy, sizeof copy, "\"%s\"", keys[below(COUNT(keys))]);
        replace(bytes, begin, end, copy, strlen(copy));
        return;
    case 7: // another value in place of a number or text
        findToken(bytes, at, &begin, &end);
        part = values[below(COUNT(values))];
        replace(bytes, begin, end, part, strlen(part));
        return;
    default: // another digit, which mostly leaves a scene that runs
        while (at < bytes->length && (bytes->data[at] < '0' || bytes->data[at] > '9')) {
            ++at;
        }
        if (at < bytes->length) {
            bytes->data[at] = (char)('0' + below(10));
        }
        return;
    }
}

// ---- seeds -----------------------------------------------------------------------------------------------

enum {
    maxSeeds = 64
};

typedef struct Seeds {
    Bytes files[maxSeeds];
    int count;
} Seeds;

static bool addSeed(Seeds* seeds, const char* path) {
    FILE* file = fopen(path, "rb");
    if (file == NULL || seeds->count == maxSeeds) {
        fprintf(stderr, "scene_fuzz: cannot read %s\n", path);
        return false;
    }
    Bytes* bytes = &seeds->files[seeds->count++];
    size_t length;
    do {
        reserve(bytes, bytes->length + 65536);
        length = fread(bytes->data + bytes->length, 1, 65536, file);
        bytes->length += length;
    } while (length > 0);
    fclose(file);
    return true;
}

static bool addDefaultSeeds(Seeds* seeds, const char* folder) {
    static const char* const paths[] = {
        "tests/fuzz/seeds/everything.json", "tests/fuzz/seeds/not-yet.json",
        "tests/fuzz/seeds/shapes.json",     "demo/scenes/dzhanibekov.json",
        "demo/scenes/heavy-top-stack.json",
    };
    for (size_t i = 0; i < COUNT(paths); ++i) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, paths[i]);
        if (!addSeed(seeds, path)) {
            return false;
        }
    }
    return true;
}

int main(int count, char** words) {
    static Seeds seeds;
    FuzzOptions options = takeOptions(&count, words);
    bool isFine = true;
    for (int i = 1; i < count && isFine; ++i) {
        isFine = addSeed(&seeds, words[i]);
    }
    isFine = isFine && (seeds.count > 0 || addDefaultSeeds(&seeds, options.folder));
    if (!isFine) {
        return 2;
    }

    // the seeds as they are, then mutated
    for (int i = 0; i < seeds.count; ++i) {
        LLVMFuzzerTestOneInput((const uint8_t*)seeds.files[i].data, seeds.files[i].length);
    }
    Bytes bytes = {0};
    reserve(&bytes, 65536);
    long loaded = 0;
    for (long i = 0; i < options.cases; ++i) {
        startCase(&options, i);
        const Bytes* source = &seeds.files[below((size_t)seeds.count)];
        reserve(&bytes, source->length + 1);
        memcpy(bytes.data, source->data, source->length);
        bytes.length = source->length;
        for (size_t n = below(3) + 1; n > 0; --n) {
            mutate(&bytes);
        }
        cnClearLastError();
        LLVMFuzzerTestOneInput((const uint8_t*)bytes.data, bytes.length);
        loaded += cnGetLastError()->code == CN_ERROR_NONE;
    }
    printf("scene_fuzz: %ld cases, %ld of them loaded and ran\n", options.cases, loaded);
    free(bytes.data);
    for (int i = 0; i < seeds.count; ++i) {
        free(seeds.files[i].data);
    }
    return 0;
}

#endif
