#include "material/library.h"

#include "base/report/error.h"
#include "base/report/format.h"
#include "cjson/cJSON.h"
#include "material/material_table.h"
#include "material/value_checks.h"

#include <stdarg.h>
#include <string.h>

#define MATERIAL_FOLDER "materials/"
#define PAIR_FOLDER "contact-materials/"

// Longest path and key in an error.
enum {
    argumentSize = sizeof(((cnErrorInfo*)NULL)->argument)
};

// X(key, bit); the key is the member's name in the definition.
#define MATERIAL_KEYS(X)                                                                                     \
    X(density, cn_materialDensity)                                                                           \
    X(youngsModulus, cn_materialYoungsModulus)                                                               \
    X(damping, cn_materialDamping)                                                                           \
    X(viscosity, cn_materialViscosity)                                                                       \
    X(roughness, cn_materialRoughness)                                                                       \
    X(surfaceViscosity, cn_materialSurfaceViscosity)

// X(key, bit, number of equal values)
#define PAIR_KEYS(X)                                                                                         \
    X(friction, cn_contactFriction, 2)                                                                       \
    X(restitution, cn_contactRestitution, 1)                                                                 \
    X(restitutionThreshold, cn_contactRestitutionThreshold, 1)                                               \
    X(youngsModulus, cn_contactYoungsModulus, 1)                                                             \
    X(damping, cn_contactDamping, 1)                                                                         \
    X(surfaceViscosity, cn_contactSurfaceViscosity, 2)

// A key with a number: where it goes and which bit tells that it was there.
typedef struct NumberKey {
    const char* key;
    uint32_t field;
    size_t offset;
    int copies;
} NumberKey;

static const NumberKey materialKeys[] = {
#define X(key, bit) {#key, bit, offsetof(cnMaterialDef, key), 1},
    MATERIAL_KEYS(X)
#undef X
};

static const NumberKey pairKeys[] = {
#define X(key, bit, copies) {#key, bit, offsetof(cnContactMaterialDef, key), copies},
    PAIR_KEYS(X)
#undef X
};

static const char* const materialTextKeys[] = {"name", "description", "sources", NULL};
static const char* const pairTextKeys[] = {"name", "description", "sources", "materials", NULL};

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

// The file that is being read, for errors.
typedef struct Reader {
    const cnEmbeddedFile* file;
    const char* call;
} Reader;

__attribute__((format(printf, 3, 4))) static cnErrorCode cnRefuse(const Reader* reader, const char* key,
                                                                  const char* format, ...) {
    char argument[argumentSize];
    cnFormat(argument, sizeof argument, "%s%s%s", reader->file->path, key[0] == '\0' ? "" : "/", key);
    char reason[160];
    va_list arguments;
    va_start(arguments, format);
    cnFormatList(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return cnFail(CN_ERROR_FILE, reader->call, argument, "%s: %s", argument, reason);
}

static cnErrorCode FailForMemory(const char* call) {
    return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "library", "no memory for the materials library");
}

// ---- JSON -------------------------------------------------------------------------------------------------

// The file's object; to be deleted by the caller. Null after an error.
static cJSON* ParseFile(const Reader* reader) {
    const char* end = NULL;
    cJSON* object = cJSON_ParseWithOpts(reader->file->text, &end, 1);
    if (object == NULL) {
        int line = 1;
        for (const char* c = reader->file->text; c < end; ++c) {
            line += *c == '\n';
        }
        cnRefuse(reader, "", "no valid JSON near line %d", line);
        return NULL;
    }
    if (!cJSON_IsObject(object)) {
        cJSON_Delete(object);
        cnRefuse(reader, "", "an object is wanted");
        return NULL;
    }
    return object;
}

static const NumberKey* FindKey(const NumberKey* keys, int keyCount, const char* key) {
    for (int i = 0; i < keyCount; ++i) {
        if (strcmp(keys[i].key, key) == 0) {
            return &keys[i];
        }
    }
    return NULL;
}

static bool IsOneOf(const char* text, const char* const* texts) {
    while (*texts != NULL && strcmp(text, *texts) != 0) {
        ++texts;
    }
    return *texts != NULL;
}

// Moves the numbers of an object into a definition. Keys that are neither numbers' nor texts' are errors.
static cnErrorCode ReadNumbers(const Reader* reader, const cJSON* object, const NumberKey* keys, int keyCount,
                               const char* const* textKeys, void* values, uint32_t* given) {
    *given = 0;
    for (const cJSON* child = object->child; child != NULL; child = child->next) {
        if (cJSON_GetObjectItemCaseSensitive(object, child->string) != child) {
            return cnRefuse(reader, child->string, "the key is there twice");
        }
        if (IsOneOf(child->string, textKeys)) {
            continue;
        }
        const NumberKey* key = FindKey(keys, keyCount, child->string);
        if (key == NULL) {
            return cnRefuse(reader, child->string, "no such key");
        }
        if (!cJSON_IsNumber(child)) {
            return cnRefuse(reader, child->string, "a number is wanted");
        }
        for (int i = 0; i < key->copies; ++i) {
            memcpy((char*)values + key->offset + (size_t)i * sizeof(double), &child->valuedouble,
                   sizeof(double));
        }
        *given |= key->field;
    }
    return CN_ERROR_NONE;
}

// An item is found by its `name` and its file by the path, so the two must agree.
static cnErrorCode ReadName(const Reader* reader, const cJSON* object, const char* folder,
                            const char** name) {
    const cJSON* item = cJSON_GetObjectItemCaseSensitive(object, "name");
    if (!cJSON_IsString(item) || item->valuestring[0] == '\0') {
        return cnRefuse(reader, "name", "a text is wanted");
    }
    if (strlen(item->valuestring) >= CN_LIBRARY_NAME_SIZE) {
        return cnRefuse(reader, "name", "the name is longer than %d bytes", CN_LIBRARY_NAME_SIZE - 1);
    }
    const char* stem = reader->file->path + strlen(folder);
    size_t length = strlen(item->valuestring);
    if (strncmp(stem, item->valuestring, length) != 0 || strcmp(stem + length, ".json") != 0) {
        return cnRefuse(reader, "name", "the name is \"%.32s\", the file's is another", item->valuestring);
    }
    *name = item->valuestring;
    return CN_ERROR_NONE;
}

// The range checks speak of a definition; here the file and the key are to blame.
static cnErrorCode BlameFile(const Reader* reader) {
    char key[argumentSize];
    char reason[sizeof cnGetLastError()->message];
    memcpy(key, cnGetLastError()->argument, sizeof key);
    memcpy(reason, cnGetLastError()->message, sizeof reason);
    return cnRefuse(reader, key, "%s", reason);
}

// ---- items ------------------------------------------------------------------------------------------------

static cnErrorCode ReadMaterial(cnMaterialLibrary* library, const Reader* reader, const cJSON* object) {
    const char* name = "";
    CN_TRY(ReadName(reader, object, MATERIAL_FOLDER, &name));
    if (cnMaterialLibrary_FindItem(library, name) >= 0) {
        return cnRefuse(reader, "name", "another item has this name");
    }
    cnMaterialItem item = {.values = cnDefaultMaterial()};
    memcpy(item.name, name, strlen(name) + 1);
    CN_TRY(ReadNumbers(reader, object, materialKeys, COUNT_OF(materialKeys), materialTextKeys, &item.values,
                       &item.values.given));
    if (cnCheckMaterialValues(&item.values, reader->call) != CN_ERROR_NONE) {
        return BlameFile(reader);
    }
    return cnArray_Push(&library->materials, item) ? CN_ERROR_NONE : FailForMemory(reader->call);
}

// The rows of the two materials of a pair, checked against its name.
static cnErrorCode ReadPairMaterials(const cnMaterialLibrary* library, const Reader* reader,
                                     const cJSON* object, const char* pairName, int items[2]) {
    const cJSON* materials = cJSON_GetObjectItemCaseSensitive(object, "materials");
    if (!cJSON_IsArray(materials) || cJSON_GetArraySize(materials) != 2) {
        return cnRefuse(reader, "materials", "a list of two names is wanted");
    }
    for (int i = 0; i < 2; ++i) {
        const cJSON* name = cJSON_GetArrayItem(materials, i);
        if (!cJSON_IsString(name)) {
            return cnRefuse(reader, "materials", "a list of two names is wanted");
        }
        items[i] = cnMaterialLibrary_FindItem(library, name->valuestring);
        if (items[i] < 0) {
            return cnRefuse(reader, "materials", "no item of the library has the name \"%.32s\"",
                            name->valuestring);
        }
    }
    const char* first = library->materials.data[items[0]].name;
    const char* second = library->materials.data[items[1]].name;
    if (strcmp(first, second) > 0) {
        return cnRefuse(reader, "materials", "the names are not in alphabetical order");
    }
    char wanted[2 * CN_LIBRARY_NAME_SIZE];
    cnFormat(wanted, sizeof wanted, "%s-%s", first, second);
    if (strcmp(wanted, pairName) != 0) {
        return cnRefuse(reader, "name", "the name is \"%.32s\", that of the materials is \"%s\"", pairName,
                        wanted);
    }
    return CN_ERROR_NONE;
}

static cnErrorCode ReadPair(cnMaterialLibrary* library, const Reader* reader, const cJSON* object) {
    const char* name = "";
    CN_TRY(ReadName(reader, object, PAIR_FOLDER, &name));
    cnPairItem pair = {.items = {-1, -1}};
    CN_TRY(ReadPairMaterials(library, reader, object, name, pair.items));
    CN_TRY(ReadNumbers(reader, object, pairKeys, COUNT_OF(pairKeys), pairTextKeys, &pair.values,
                       &pair.values.given));
    if (cnCheckContactMaterialValues(&pair.values, reader->call) != CN_ERROR_NONE) {
        return BlameFile(reader);
    }
    return cnArray_Push(&library->pairs, pair) ? CN_ERROR_NONE : FailForMemory(reader->call);
}

static bool IsInFolder(const cnEmbeddedFile* file, const char* folder) {
    return strncmp(file->path, folder, strlen(folder)) == 0;
}

typedef cnErrorCode cnReadItem(cnMaterialLibrary* library, const Reader* reader, const cJSON* object);

static cnErrorCode ReadFolder(cnMaterialLibrary* library, const cnEmbeddedFile* files, int fileCount,
                              const char* folder, cnReadItem* readItem, const char* call) {
    for (int i = 0; i < fileCount; ++i) {
        if (!IsInFolder(&files[i], folder)) {
            continue;
        }
        Reader reader = {.file = &files[i], .call = call};
        cJSON* object = ParseFile(&reader);
        if (object == NULL) {
            return cnGetLastError()->code;
        }
        cnErrorCode error = readItem(library, &reader, object);
        cJSON_Delete(object);
        if (error != CN_ERROR_NONE) {
            return error;
        }
    }
    return CN_ERROR_NONE;
}

// The square of rows in which pairs are found at once.
static cnErrorCode IndexPairs(cnMaterialLibrary* library, const char* call) {
    int count = library->materials.count;
    if (!cnArray_Resize(&library->pairOfItems, count * count)) {
        return FailForMemory(call);
    }
    for (int i = 0; i < count * count; ++i) {
        library->pairOfItems.data[i] = -1;
    }
    for (int i = 0; i < library->pairs.count; ++i) {
        const int* items = library->pairs.data[i].items;
        library->pairOfItems.data[items[0] * count + items[1]] = i;
        library->pairOfItems.data[items[1] * count + items[0]] = i;
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnMaterialLibrary_Load(cnMaterialLibrary* library, const cnEmbeddedFile* files, int fileCount,
                                   const char* call) {
    if (library->isLoaded) {
        return CN_ERROR_NONE;
    }
    // materials before the pairs that name them
    cnErrorCode error = ReadFolder(library, files, fileCount, MATERIAL_FOLDER, ReadMaterial, call);
    if (error == CN_ERROR_NONE) {
        error = ReadFolder(library, files, fileCount, PAIR_FOLDER, ReadPair, call);
    }
    if (error == CN_ERROR_NONE) {
        error = IndexPairs(library, call);
    }
    if (error != CN_ERROR_NONE) {
        cnMaterialLibrary_Free(library);
        return error;
    }
    library->isLoaded = true;
    return CN_ERROR_NONE;
}

void cnMaterialLibrary_Free(cnMaterialLibrary* library) {
    cnArray_Free(&library->materials);
    cnArray_Free(&library->pairs);
    cnArray_Free(&library->pairOfItems);
    library->isLoaded = false;
}

int cnMaterialLibrary_FindItem(const cnMaterialLibrary* library, const char* name) {
    for (int i = 0; i < library->materials.count; ++i) {
        if (strcmp(library->materials.data[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

const cnMaterialItem* cnMaterialLibrary_FindMaterial(const cnMaterialLibrary* library, const char* name) {
    int item = cnMaterialLibrary_FindItem(library, name);
    return item < 0 ? NULL : &library->materials.data[item];
}

const cnPairItem* cnMaterialLibrary_FindPair(const cnMaterialLibrary* library, int item1, int item2) {
    if (item1 < 0 || item2 < 0) {
        return NULL;
    }
    int pair = library->pairOfItems.data[item1 * library->materials.count + item2];
    return pair < 0 ? NULL : &library->pairs.data[pair];
}

// ---- the list ---------------------------------------------------------------------------------------------

// The folder of a kind, null for another word.
static const char* FolderOf(const char* kind) {
    if (strcmp(kind, "materials") == 0) {
        return MATERIAL_FOLDER;
    }
    return strcmp(kind, "contact-materials") == 0 ? PAIR_FOLDER : NULL;
}

char* cnMaterialLibrary_List(const cnEmbeddedFile* files, int fileCount, const char* kind, size_t* bytes,
                             const char* call) {
    *bytes = 0;
    const char* folder = FolderOf(kind);
    if (folder == NULL) {
        cnFail(CN_ERROR_UNKNOWN_NAME, call, "kind",
               "kind is \"%.32s\", allowed are \"materials\" and \"contact-materials\"", kind);
        return NULL;
    }
    // the texts one behind the other, since they hold nothing that is not for the list
    size_t length = 0;
    for (int i = 0; i < fileCount; ++i) {
        length += IsInFolder(&files[i], folder) ? strlen(files[i].text) + 1 : 0;
    }
    *bytes = (length > 0 ? length : 1) + 2;
    char* text = cnAllocate(*bytes);
    if (text == NULL) {
        FailForMemory(call);
        return NULL;
    }
    char* end = text;
    for (int i = 0; i < fileCount; ++i) {
        if (IsInFolder(&files[i], folder)) {
            size_t part = strlen(files[i].text);
            end[0] = end == text ? '[' : ',';
            memcpy(end + 1, files[i].text, part);
            end += part + 1;
        }
    }
    if (end == text) {
        *end++ = '[';
    }
    *end = ']';
    return text;
}
