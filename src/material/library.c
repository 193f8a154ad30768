#include "material/library.h"

#include "base/containers/hash.h"
#include "base/report/error.h"
#include "base/report/format.h"
#include "cjson/cJSON.h"
#include "material/material_table.h"
#include "material/value_checks.h"

#include <stdarg.h>
#include <string.h>

// What a folder holds.
typedef enum ItemKind {
    cn_itemMaterial,
    cn_itemPair,
    cn_itemTerrain,
    cn_itemCable,
    cn_itemBeam,
    cn_itemKindCount
} ItemKind;

static const char* const cnFolders[] = {
    [cn_itemMaterial] = "materials/", [cn_itemPair] = "contact-materials/",
    [cn_itemTerrain] = "terrains/",   [cn_itemCable] = "cables/",
    [cn_itemBeam] = "beams/",
};

// Longest path and key in an error.
enum {
    argumentSize = sizeof(((cnErrorInfo*)NULL)->argument),
    pairNameSize = 2 * CN_LIBRARY_NAME_SIZE
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

// A number of a terrain, a cable or a beam, which is checked and not kept.
typedef struct PropertyKey {
    ItemKind kind;
    const char* key;
    cnQuantityRange range;
    const char* unit;
} PropertyKey;

// materials/README.md says what they mean.
static const PropertyKey propertyKeys[] = {
    {cn_itemTerrain, "density", cn_rangePositive, " kg/m³"},
    {cn_itemTerrain, "moistureContent", cn_rangeFraction, ""},
    {cn_itemTerrain, "cohesion", cn_rangeNotNegative, " Pa"},
    {cn_itemTerrain, "frictionAngle", cn_rangeFraction, " rad"},
    {cn_itemTerrain, "cohesiveModulus", cn_rangeNotNegative, " N/m^(n+1)"},
    {cn_itemTerrain, "frictionalModulus", cn_rangeNotNegative, " N/m^(n+2)"},
    {cn_itemTerrain, "sinkageExponent", cn_rangePositive, ""},
    {cn_itemTerrain, "shearDisplacement", cn_rangePositive, " m"},
    {cn_itemCable, "diameter", cn_rangePositive, " m"},
    {cn_itemCable, "linearDensity", cn_rangePositive, " kg/m"},
    {cn_itemCable, "breakingForce", cn_rangePositive, " N"},
    {cn_itemCable, "stretchModulus", cn_rangePositive, " Pa"},
    {cn_itemCable, "bendModulus", cn_rangePositive, " Pa"},
    {cn_itemCable, "stretchDamping", cn_rangeNotNegative, " s"},
    {cn_itemCable, "bendDamping", cn_rangeNotNegative, " s"},
    {cn_itemBeam, "height", cn_rangePositive, " m"},
    {cn_itemBeam, "width", cn_rangePositive, " m"},
    {cn_itemBeam, "wallThickness", cn_rangePositive, " m"},
    {cn_itemBeam, "webThickness", cn_rangePositive, " m"},
    {cn_itemBeam, "flangeThickness", cn_rangePositive, " m"},
    {cn_itemBeam, "linearDensity", cn_rangePositive, " kg/m"},
    {cn_itemBeam, "area", cn_rangePositive, " m²"},
    {cn_itemBeam, "secondMomentY", cn_rangePositive, " m⁴"},
    {cn_itemBeam, "secondMomentZ", cn_rangePositive, " m⁴"},
    {cn_itemBeam, "torsionConstant", cn_rangePositive, " m⁴"},
};

static const char* const materialTextKeys[] = {"name", "description", "sources", NULL};
static const char* const pairTextKeys[] = {"name", "description", "sources", "materials", NULL};
static const char* const propertyTextKeys[] = {"name", "description", "sources", "material", NULL};

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

// The file that is being read, for errors.
typedef struct Reader {
    const cnLibraryFile* file;
    const char* call;
} Reader;

__attribute__((format(printf, 3, 4))) static cnErrorCode cnRefuse(const Reader* reader, const char* key,
                                                                  const char* format, ...) {
    char argument[argumentSize];
    cnFormat(argument, sizeof argument, "%s%s%s", reader->file->path, key[0] == '\0' ? "" : "/", key);
    char reason[240];
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

static cnErrorCode CheckKey(const Reader* reader, const cJSON* object, const cJSON* child) {
    return cJSON_GetObjectItemCaseSensitive(object, child->string) == child
               ? CN_ERROR_NONE
               : cnRefuse(reader, child->string, "the key is there twice");
}

// What is there for its readers: a text, `sources` an object of texts.
static cnErrorCode CheckText(const Reader* reader, const cJSON* item) {
    if (strcmp(item->string, "description") == 0 && !cJSON_IsString(item)) {
        return cnRefuse(reader, item->string, "a text is wanted");
    }
    if (strcmp(item->string, "sources") == 0 && !cJSON_IsObject(item)) {
        return cnRefuse(reader, item->string, "an object is wanted");
    }
    return CN_ERROR_NONE;
}

// Moves the numbers of an object into a definition. Keys that are neither numbers' nor texts' are errors.
static cnErrorCode ReadNumbers(const Reader* reader, const cJSON* object, const NumberKey* keys, int keyCount,
                               const char* const* textKeys, void* values, uint32_t* given) {
    *given = 0;
    for (const cJSON* child = object->child; child != NULL; child = child->next) {
        CN_TRY(CheckKey(reader, object, child));
        if (IsOneOf(child->string, textKeys)) {
            CN_TRY(CheckText(reader, child));
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

// An item is found by its `name`, whatever its file is called.
static cnErrorCode ReadName(const Reader* reader, const cJSON* object, const char** name) {
    const cJSON* item = cJSON_GetObjectItemCaseSensitive(object, "name");
    if (!cJSON_IsString(item) || item->valuestring[0] == '\0') {
        return cnRefuse(reader, "name", "a text is wanted");
    }
    *name = item->valuestring;
    return CN_ERROR_NONE;
}

// A name of one item; those of pairs are made of two.
static cnErrorCode ReadOwnName(const Reader* reader, const cJSON* object, char out[CN_LIBRARY_NAME_SIZE]) {
    const char* name = "";
    CN_TRY(ReadName(reader, object, &name));
    size_t length = strlen(name);
    if (length >= CN_LIBRARY_NAME_SIZE) {
        return cnRefuse(reader, "name", "the name has %zu bytes, allowed is 1…%d", length,
                        CN_LIBRARY_NAME_SIZE - 1);
    }
    memcpy(out, name, length + 1);
    return CN_ERROR_NONE;
}

static cnErrorCode RefuseTwice(const Reader* reader, const char* key, const char* name, const char* other) {
    return cnRefuse(reader, key, "the name \"%.64s\" is that of %.80s, too; allowed is a new one", name,
                    other);
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

static uint64_t SumText(const char* text) {
    cnHash sum = cnHash_Start();
    for (; *text != '\0'; ++text) {
        cnHash_AddU64(&sum, (unsigned char)*text);
    }
    return sum.value;
}

static cnErrorCode ReadMaterial(cnMaterialLibrary* library, const Reader* reader, const cJSON* object) {
    cnMaterialItem item = {
        .path = reader->file->path, .checksum = SumText(reader->file->text), .values = cnDefaultMaterial()};
    CN_TRY(ReadOwnName(reader, object, item.name));
    const cnMaterialItem* other = cnMaterialLibrary_FindMaterial(library, item.name);
    if (other != NULL) {
        return RefuseTwice(reader, "name", item.name, other->path);
    }
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
    char wanted[pairNameSize];
    cnFormat(wanted, sizeof wanted, "%s-%s", first, second);
    if (strcmp(wanted, pairName) != 0) {
        return cnRefuse(reader, "name", "the name is \"%.64s\", that of the materials is \"%s\"", pairName,
                        wanted);
    }
    return CN_ERROR_NONE;
}

static uint64_t PairKey(int item1, int item2) {
    int smaller = item1 < item2 ? item1 : item2;
    int larger = item1 < item2 ? item2 : item1;
    return (uint64_t)larger << 32 | (uint32_t)(smaller + 1);
}

static cnErrorCode ReadPair(cnMaterialLibrary* library, const Reader* reader, const cJSON* object) {
    const char* name = "";
    CN_TRY(ReadName(reader, object, &name));
    cnPairItem pair = {
        .items = {-1, -1}, .path = reader->file->path, .checksum = SumText(reader->file->text)};
    CN_TRY(ReadPairMaterials(library, reader, object, name, pair.items));
    const cnPairItem* other = cnMaterialLibrary_FindPair(library, pair.items[0], pair.items[1]);
    if (other != NULL) {
        return RefuseTwice(reader, "name", name, other->path);
    }
    CN_TRY(ReadNumbers(reader, object, pairKeys, COUNT_OF(pairKeys), pairTextKeys, &pair.values,
                       &pair.values.given));
    if (cnCheckContactMaterialValues(&pair.values, reader->call) != CN_ERROR_NONE) {
        return BlameFile(reader);
    }
    if (!cnHashMap_Reserve(&library->pairOfItems, library->pairs.count + 1) ||
        !cnArray_Push(&library->pairs, pair)) {
        return FailForMemory(reader->call);
    }
    cnHashMap_Add(&library->pairOfItems, PairKey(pair.items[0], pair.items[1]), library->pairs.count - 1);
    return CN_ERROR_NONE;
}

// What a cable or a beam is made of.
static cnErrorCode CheckMaterialOf(const cnMaterialLibrary* library, const Reader* reader,
                                   const cJSON* name) {
    if (!cJSON_IsString(name)) {
        return cnRefuse(reader, "material", "the name of a material of the library is wanted");
    }
    return cnMaterialLibrary_FindItem(library, name->valuestring) >= 0
               ? CN_ERROR_NONE
               : cnRefuse(reader, "material", "no item of the library has the name \"%.32s\"",
                          name->valuestring);
}

static cnErrorCode CheckProperty(const Reader* reader, ItemKind kind, const cJSON* number) {
    for (int i = 0; i < COUNT_OF(propertyKeys); ++i) {
        const PropertyKey* key = &propertyKeys[i];
        if (key->kind != kind || strcmp(key->key, number->string) != 0) {
            continue;
        }
        if (!cJSON_IsNumber(number)) {
            return cnRefuse(reader, number->string, "a number is wanted");
        }
        return cnCheckQuantity(number->valuedouble, key->range, key->key, key->unit, reader->call) ==
                       CN_ERROR_NONE
                   ? CN_ERROR_NONE
                   : BlameFile(reader);
    }
    return cnRefuse(reader, number->string, "no such key");
}

static cnErrorCode ReadProperties(cnMaterialLibrary* library, const Reader* reader, const cJSON* object,
                                  ItemKind kind) {
    cnPropertyItem item = {.path = reader->file->path};
    CN_TRY(ReadOwnName(reader, object, item.name));
    const char* folder = cnFolders[kind];
    for (int i = 0; i < library->properties.count; ++i) {
        const cnPropertyItem* other = &library->properties.data[i];
        if (strncmp(other->path, folder, strlen(folder)) == 0 && strcmp(other->name, item.name) == 0) {
            return RefuseTwice(reader, "name", item.name, other->path);
        }
    }
    for (const cJSON* child = object->child; child != NULL; child = child->next) {
        CN_TRY(CheckKey(reader, object, child));
        if (!IsOneOf(child->string, propertyTextKeys)) {
            CN_TRY(CheckProperty(reader, kind, child));
        } else if (strcmp(child->string, "material") == 0) {
            CN_TRY(CheckMaterialOf(library, reader, child));
        } else {
            CN_TRY(CheckText(reader, child));
        }
    }
    return cnArray_Push(&library->properties, item) ? CN_ERROR_NONE : FailForMemory(reader->call);
}

static cnErrorCode ReadItem(cnMaterialLibrary* library, const Reader* reader, const cJSON* object,
                            ItemKind kind) {
    switch (kind) {
    case cn_itemMaterial:
        return ReadMaterial(library, reader, object);
    case cn_itemPair:
        return ReadPair(library, reader, object);
    default:
        return ReadProperties(library, reader, object, kind);
    }
}

// ---- files ------------------------------------------------------------------------------------------------

static ItemKind KindOf(const cnLibraryFile* file) {
    int kind = 0;
    while (kind < cn_itemKindCount && strncmp(file->path, cnFolders[kind], strlen(cnFolders[kind])) != 0) {
        ++kind;
    }
    return (ItemKind)kind;
}

static cnErrorCode ReadFile(cnMaterialLibrary* library, const Reader* reader, ItemKind kind) {
    cJSON* object = ParseFile(reader);
    if (object == NULL) {
        return cnGetLastError()->code;
    }
    cnErrorCode error = ReadItem(library, reader, object, kind);
    cJSON_Delete(object);
    return error;
}

static cnErrorCode ReadFiles(cnMaterialLibrary* library, const cnLibraryFile* files, int fileCount,
                             const char* call) {
    for (int i = 0; i < fileCount; ++i) {
        if (KindOf(&files[i]) == cn_itemKindCount) {
            return cnRefuse(&(Reader){&files[i], call}, "",
                            "the path begins with none of materials/, contact-materials/, terrains/, cables/ "
                            "and beams/");
        }
    }
    // materials before the pairs that name them
    for (int kind = 0; kind < cn_itemKindCount; ++kind) {
        for (int i = 0; i < fileCount; ++i) {
            if (KindOf(&files[i]) == (ItemKind)kind) {
                CN_TRY(ReadFile(library, &(Reader){&files[i], call}, (ItemKind)kind));
            }
        }
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnMaterialLibrary_Read(cnMaterialLibrary* library, const cnLibraryFile* files, int fileCount,
                                   const char* call) {
    int materials = library->materials.count;
    int pairs = library->pairs.count;
    int properties = library->properties.count;
    cnErrorCode error = ReadFiles(library, files, fileCount, call);
    if (error != CN_ERROR_NONE) {
        for (int i = pairs; i < library->pairs.count; ++i) {
            const int* items = library->pairs.data[i].items;
            cnHashMap_Remove(&library->pairOfItems, PairKey(items[0], items[1]));
        }
        library->materials.count = materials;
        library->pairs.count = pairs;
        library->properties.count = properties;
    }
    return error;
}

void cnMaterialLibrary_Free(cnMaterialLibrary* library) {
    cnArray_Free(&library->materials);
    cnArray_Free(&library->pairs);
    cnArray_Free(&library->properties);
    cnHashMap_Free(&library->pairOfItems);
    library->newest = NULL;
}

// ---- finding ----------------------------------------------------------------------------------------------

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
    const int32_t* pair = cnHashMap_Find(&library->pairOfItems, PairKey(item1, item2));
    return pair == NULL ? NULL : &library->pairs.data[*pair];
}

uint64_t cnMaterialLibrary_GetFingerprint(const cnMaterialLibrary* library, int itemCount) {
    cnHash sum = cnHash_Start();
    for (int i = 0; i < itemCount; ++i) {
        cnHash_AddU64(&sum, library->materials.data[i].checksum);
    }
    for (int i = 0; i < library->pairs.count; ++i) {
        const cnPairItem* pair = &library->pairs.data[i];
        if (pair->items[0] < itemCount && pair->items[1] < itemCount) {
            cnHash_AddU64(&sum, pair->checksum);
        }
    }
    return sum.value | 2; // neither 0 nor 1
}

const char* cnLibraryFolder(int kind) {
    return kind < cn_itemKindCount ? cnFolders[kind] : NULL;
}
