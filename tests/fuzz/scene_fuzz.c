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
#include "fuzz/json_mutations.h"

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

static const char* const keys[] = {
    "name",       "type",     "shape",      "shapes",   "position",  "rotation", "velocity", "mass",
    "inertia",    "motion",   "geometries", "material", "materials", "radius",   "height",   "halfExtents",
    "normal",     "d",        "point",      "points",   "friction",  "groups",   "enabled",  "at",
    "for",        "force",    "body",       "bodies",   "moveTo",    "library",  "density",  "frictionModel",
    "x",          "sensor",   "gravity",    "timeStep", "solver",    "substeps", "sleep",    "mergeSplit",
    "collisions", "duration", "geometry",
};

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
            mutate(&bytes, keys, COUNT(keys));
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
