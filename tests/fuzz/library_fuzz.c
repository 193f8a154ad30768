// Fuzzing what users add to the library: whatever the texts are, items are there afterwards, or an error says
// which file and key are wrong and the library is as it was.
//
// library_fuzz [--cases n] [--seed n] [--folder DIR]
//
// Each case mutates a file of materials/, or one of every kind as users add them. One case in a hundred goes
// through cnAddToLibrary, which reads all that was added before and keeps what is good.
#include "cairn/cairn.h"
#include "fuzz/fuzz.h"
#include "fuzz/json_mutations.h"
#include "material/library_store.h"

static const char* const keys[] = {
    "name",
    "description",
    "sources",
    "density",
    "youngsModulus",
    "damping",
    "viscosity",
    "roughness",
    "surfaceViscosity",
    "materials",
    "material",
    "friction",
    "restitution",
    "cohesion",
    "frictionAngle",
    "diameter",
    "linearDensity",
    "breakingForce",
    "stretchModulus",
    "height",
    "area",
    "secondMomentY",
    "torsionConstant",
    "sinkageExponent",
    "shearDisplacement",
    "restitutionThreshold",
};

// What pairs, cables and beams name.
static const cnLibraryFile base[] = {
    {"materials/steel.json", "{\"name\": \"steel\", \"youngsModulus\": 2e11}"},
    {"materials/ash.json", "{\"name\": \"ash0\"}"},
};

// An @ stands for a number, which makes names new.
static const cnLibraryFile seeds[] = {
    {"materials/birch.json",
     "{\"name\": \"birch@\", \"description\": \"Birch, \\\"white\\\".\", \"density\": 620,"
     " \"youngsModulus\": 1.4e10, \"damping\": 0.075, \"viscosity\": 0.5, \"roughness\": 0.3,"
     " \"surfaceViscosity\": 5e-9, \"sources\": {\"density\": \"a table\"}}"},
    {"contact-materials/ash-steel.json",
     "{\"name\": \"ash@-steel\", \"materials\": [\"ash@\", \"steel\"], \"friction\": 0.25,"
     " \"restitution\": 0.5, \"restitutionThreshold\": 0.1, \"youngsModulus\": 1e10}"},
    {"terrains/mud.json",
     "{\"name\": \"mud@\", \"cohesion\": 4140, \"frictionAngle\": 0.2, \"cohesiveModulus\": 13190,"
     " \"frictionalModulus\": 692150, \"sinkageExponent\": 0.5, \"shearDisplacement\": 0.006}"},
    {"cables/rope.json",
     "{\"name\": \"rope@\", \"material\": \"steel\", \"diameter\": 0.01, \"linearDensity\": 0.345,"
     " \"breakingForce\": 58800, \"stretchModulus\": 6e10}"},
    {"beams/bar.json",
     "{\"name\": \"bar@\", \"material\": \"steel\", \"height\": 0.2, \"width\": 0.1, \"area\": 0.02,"
     " \"secondMomentY\": 6.67e-5, \"torsionConstant\": 4.58e-5}"},
};

static void require(bool holds, const char* what, const Bytes* text) {
    if (!holds) {
        const cnErrorInfo* error = cnGetLastError();
        fprintf(stderr, "library_fuzz: %s\n  last error %s: %s: %s\n  %.*s\n", what, cnErrorName(error->code),
                error->argument, error->message, (int)text->length, text->data);
        abort();
    }
}

static void addText(Bytes* bytes, const char* text) {
    replace(bytes, bytes->length, bytes->length, text, strlen(text));
}

static void setNumber(Bytes* bytes, long number) {
    char digits[24];
    snprintf(digits, sizeof digits, "%ld", number);
    for (size_t i = 0; i < bytes->length; ++i) {
        if (bytes->data[i] == '@') {
            replace(bytes, i, i + 1, digits, strlen(digits));
        }
    }
}

static void mutateSome(Bytes* bytes) {
    for (size_t n = below(3) + 1; n > 0; --n) {
        mutate(bytes, keys, COUNT(keys));
    }
}

static bool holdsNumbersInRange(const cnMaterialLibrary* library) {
    bool holds = true;
    for (int i = 0; i < library->materials.count; ++i) {
        const cnMaterialDef* values = &library->materials.data[i].values;
        holds &= values->density > 0.0 && values->youngsModulus > 0.0 && values->damping >= 0.0 &&
                 values->viscosity >= 0.0 && values->viscosity <= 1.0 && values->roughness >= 0.0;
    }
    for (int i = 0; i < library->pairs.count; ++i) {
        const cnPairItem* pair = &library->pairs.data[i];
        holds &= pair->values.friction[0] >= 0.0 && pair->values.restitution <= 1.0 &&
                 cnMaterialLibrary_FindPair(library, pair->items[1], pair->items[0]) == pair;
    }
    return holds;
}

// One file in a library of two materials.
static bool readOne(const cnLibraryFile* seed, Bytes* bytes) {
    bytes->length = 0;
    addText(bytes, seed->text);
    setNumber(bytes, 0);
    mutateSome(bytes);
    reserve(bytes, bytes->length + 1);
    bytes->data[bytes->length] = '\0';

    cnMaterialLibrary library = {0};
    require(cnMaterialLibrary_Read(&library, base, COUNT(base), "fuzz") == CN_ERROR_NONE, "the base", bytes);
    uint64_t before = cnMaterialLibrary_GetFingerprint(&library, library.materials.count);
    cnClearLastError();
    cnErrorCode code = cnMaterialLibrary_Read(&library, &(cnLibraryFile){seed->path, bytes->data}, 1, "fuzz");
    int items = library.materials.count + library.pairs.count + library.properties.count;
    if (code == CN_ERROR_NONE) {
        require(items == COUNT(base) + 1, "a file that was read gave no item", bytes);
        require(holdsNumbersInRange(&library), "a number is out of its range", bytes);
    } else {
        const cnErrorInfo* error = cnGetLastError();
        require(code == CN_ERROR_FILE, "a file was refused with an unexpected code", bytes);
        require(strncmp(error->argument, seed->path, strlen(seed->path)) == 0,
                "an error does not name the file", bytes);
        require(items == COUNT(base) && cnMaterialLibrary_GetFingerprint(&library, COUNT(base)) == before,
                "a refused file changed the library", bytes);
    }
    cnMaterialLibrary_Free(&library);
    return code == CN_ERROR_NONE;
}

// All seeds at once, as users add them.
static bool addAll(Bytes* bytes, long number) {
    bytes->length = 0;
    addText(bytes, "{\"materials/ash.json\": {\"name\": \"ash@\"}");
    for (size_t i = 0; i < COUNT(seeds); ++i) {
        addText(bytes, ", \"");
        addText(bytes, seeds[i].path);
        addText(bytes, "\": ");
        addText(bytes, seeds[i].text);
    }
    addText(bytes, "}");
    setNumber(bytes, number);
    mutateSome(bytes);

    int version = cnLibraryStore_GetVersion();
    cnClearLastError();
    cnErrorCode code = cnAddToLibrary(bytes->data, bytes->length);
    if (code != CN_ERROR_NONE) {
        require(code == CN_ERROR_FILE || code == CN_ERROR_TOO_MANY, "an unexpected code", bytes);
        require(cnGetLastError()->argument[0] != '\0' && cnGetLastError()->message[0] != '\0',
                "an error has no argument or no message", bytes);
        require(cnLibraryStore_GetVersion() == version, "refused files are in the library", bytes);
    }
    return code == CN_ERROR_NONE;
}

int main(int count, char** words) {
    FuzzOptions options = takeOptions(&count, words);
    if (!isNothingLeft(count, words)) {
        return 2;
    }
    Bytes bytes = {0};
    reserve(&bytes, 4096);
    size_t before = cnGetBytesInUse();
    long read = 0;
    long added = 0;
    for (long i = 0; i < options.cases; ++i) {
        startCase(&options, i);
        if (i % 100 == 0) {
            added += addAll(&bytes, i);
        } else {
            read += readOne(&seeds[below(COUNT(seeds))], &bytes);
        }
        require(cnGetBytesInUse() == before, "memory was left behind", &bytes);
    }
    printf("library_fuzz: %ld cases, %ld of them read and %ld added\n", options.cases, read, added);
    free(bytes.data);
    return 0;
}
