// Files of the library become items.
#include "base/containers/hash.h"
#include "base/report/error.h"
#include "base/report/format.h"
#include "material/library_json.h"
#include "material/material_table.h"
#include "material/value_checks.h"

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

const char* cnLibraryFolder(int kind) {
    return kind < cn_itemKindCount ? cnFolders[kind] : NULL;
}

enum {
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

static cnErrorCode FailForMemory(const char* call) {
    return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "library", "no memory for the materials library");
}

static cnErrorCode RefuseTwice(const cnLibraryReader* reader, const char* key, const char* name,
                               const char* other) {
    return cnLibrary_Refuse(reader, key, "the name \"%.64s\" is that of %.80s, too; allowed is a new one",
                            name, other);
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
static cnErrorCode ReadNumbers(const cnLibraryReader* reader, const cJSON* object, const NumberKey* keys,
                               int keyCount, const char* const* textKeys, void* values, uint32_t* given) {
    *given = 0;
    for (const cJSON* child = object->child; child != NULL; child = child->next) {
        CN_TRY(cnLibrary_CheckKey(reader, object, child));
        if (IsOneOf(child->string, textKeys)) {
            CN_TRY(cnLibrary_CheckText(reader, child));
            continue;
        }
        const NumberKey* key = FindKey(keys, keyCount, child->string);
        if (key == NULL) {
            return cnLibrary_Refuse(reader, child->string, "no such key");
        }
        if (!cJSON_IsNumber(child)) {
            return cnLibrary_Refuse(reader, child->string, "a number is wanted");
        }
        for (int i = 0; i < key->copies; ++i) {
            memcpy((char*)values + key->offset + (size_t)i * sizeof(double), &child->valuedouble,
                   sizeof(double));
        }
        *given |= key->field;
    }
    return CN_ERROR_NONE;
}

// ---- items ------------------------------------------------------------------------------------------------

static uint64_t SumText(const char* text) {
    cnHash sum = cnHash_Start();
    for (; *text != '\0'; ++text) {
        cnHash_AddU64(&sum, (unsigned char)*text);
    }
    return sum.value;
}

static cnErrorCode ReadMaterial(cnMaterialLibrary* library, const cnLibraryReader* reader,
                                const cJSON* object) {
    cnMaterialItem item = {
        .path = reader->file->path, .checksum = SumText(reader->file->text), .values = cnDefaultMaterial()};
    CN_TRY(cnLibrary_ReadOwnName(reader, object, item.name));
    const cnMaterialItem* other = cnMaterialLibrary_FindMaterial(library, item.name);
    if (other != NULL) {
        return RefuseTwice(reader, "name", item.name, other->path);
    }
    CN_TRY(ReadNumbers(reader, object, materialKeys, COUNT_OF(materialKeys), materialTextKeys, &item.values,
                       &item.values.given));
    if (cnCheckMaterialValues(&item.values, reader->call) != CN_ERROR_NONE) {
        return cnLibrary_BlameFile(reader);
    }
    return cnArray_Push(&library->materials, item) ? CN_ERROR_NONE : FailForMemory(reader->call);
}

// The rows of the two materials of a pair, checked against its name.
static cnErrorCode ReadPairMaterials(const cnMaterialLibrary* library, const cnLibraryReader* reader,
                                     const cJSON* object, const char* pairName, int items[2]) {
    const cJSON* materials = cJSON_GetObjectItemCaseSensitive(object, "materials");
    if (!cJSON_IsArray(materials) || cJSON_GetArraySize(materials) != 2) {
        return cnLibrary_Refuse(reader, "materials", "a list of two names is wanted");
    }
    for (int i = 0; i < 2; ++i) {
        const cJSON* name = cJSON_GetArrayItem(materials, i);
        if (!cJSON_IsString(name)) {
            return cnLibrary_Refuse(reader, "materials", "a list of two names is wanted");
        }
        items[i] = cnMaterialLibrary_FindItem(library, name->valuestring);
        if (items[i] < 0) {
            return cnLibrary_Refuse(reader, "materials", "no item of the library has the name \"%.32s\"",
                                    name->valuestring);
        }
    }
    const char* first = library->materials.data[items[0]].name;
    const char* second = library->materials.data[items[1]].name;
    if (strcmp(first, second) > 0) {
        return cnLibrary_Refuse(reader, "materials", "the names are not in alphabetical order");
    }
    char wanted[pairNameSize];
    cnFormat(wanted, sizeof wanted, "%s-%s", first, second);
    if (strcmp(wanted, pairName) != 0) {
        return cnLibrary_Refuse(reader, "name", "the name is \"%.64s\", that of the materials is \"%s\"",
                                pairName, wanted);
    }
    return CN_ERROR_NONE;
}

static cnErrorCode ReadPair(cnMaterialLibrary* library, const cnLibraryReader* reader, const cJSON* object) {
    const char* name = "";
    CN_TRY(cnLibrary_ReadName(reader, object, &name));
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
        return cnLibrary_BlameFile(reader);
    }
    if (!cnHashMap_Reserve(&library->pairOfItems, library->pairs.count + 1) ||
        !cnArray_Push(&library->pairs, pair)) {
        return FailForMemory(reader->call);
    }
    cnHashMap_Add(&library->pairOfItems, cnLibrary_PairKey(pair.items[0], pair.items[1]),
                  library->pairs.count - 1);
    return CN_ERROR_NONE;
}

// What a cable or a beam is made of.
static cnErrorCode CheckMaterialOf(const cnMaterialLibrary* library, const cnLibraryReader* reader,
                                   const cJSON* name) {
    if (!cJSON_IsString(name)) {
        return cnLibrary_Refuse(reader, "material", "the name of a material of the library is wanted");
    }
    return cnMaterialLibrary_FindItem(library, name->valuestring) >= 0
               ? CN_ERROR_NONE
               : cnLibrary_Refuse(reader, "material", "no item of the library has the name \"%.32s\"",
                                  name->valuestring);
}

static cnErrorCode CheckProperty(const cnLibraryReader* reader, ItemKind kind, const cJSON* number) {
    for (int i = 0; i < COUNT_OF(propertyKeys); ++i) {
        const PropertyKey* key = &propertyKeys[i];
        if (key->kind != kind || strcmp(key->key, number->string) != 0) {
            continue;
        }
        if (!cJSON_IsNumber(number)) {
            return cnLibrary_Refuse(reader, number->string, "a number is wanted");
        }
        return cnCheckQuantity(number->valuedouble, key->range, key->key, key->unit, reader->call) ==
                       CN_ERROR_NONE
                   ? CN_ERROR_NONE
                   : cnLibrary_BlameFile(reader);
    }
    return cnLibrary_Refuse(reader, number->string, "no such key");
}

static cnErrorCode ReadProperties(cnMaterialLibrary* library, const cnLibraryReader* reader,
                                  const cJSON* object, ItemKind kind) {
    cnPropertyItem item = {.path = reader->file->path};
    CN_TRY(cnLibrary_ReadOwnName(reader, object, item.name));
    const char* folder = cnFolders[kind];
    for (int i = 0; i < library->properties.count; ++i) {
        const cnPropertyItem* other = &library->properties.data[i];
        if (strncmp(other->path, folder, strlen(folder)) == 0 && strcmp(other->name, item.name) == 0) {
            return RefuseTwice(reader, "name", item.name, other->path);
        }
    }
    for (const cJSON* child = object->child; child != NULL; child = child->next) {
        CN_TRY(cnLibrary_CheckKey(reader, object, child));
        if (!IsOneOf(child->string, propertyTextKeys)) {
            CN_TRY(CheckProperty(reader, kind, child));
        } else if (strcmp(child->string, "material") == 0) {
            CN_TRY(CheckMaterialOf(library, reader, child));
        } else {
            CN_TRY(cnLibrary_CheckText(reader, child));
        }
    }
    return cnArray_Push(&library->properties, item) ? CN_ERROR_NONE : FailForMemory(reader->call);
}

static cnErrorCode ReadItem(cnMaterialLibrary* library, const cnLibraryReader* reader, const cJSON* object,
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

static cnErrorCode ReadFile(cnMaterialLibrary* library, const cnLibraryReader* reader, ItemKind kind) {
    cJSON* object = cnLibrary_ParseFile(reader);
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
            return cnLibrary_Refuse(
                &(cnLibraryReader){&files[i], call}, "",
                "the path begins with none of materials/, contact-materials/, terrains/, cables/ "
                "and beams/");
        }
    }
    // materials before the pairs that name them
    for (int kind = 0; kind < cn_itemKindCount; ++kind) {
        for (int i = 0; i < fileCount; ++i) {
            if (KindOf(&files[i]) == (ItemKind)kind) {
                CN_TRY(ReadFile(library, &(cnLibraryReader){&files[i], call}, (ItemKind)kind));
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
            cnHashMap_Remove(&library->pairOfItems, cnLibrary_PairKey(items[0], items[1]));
        }
        library->materials.count = materials;
        library->pairs.count = pairs;
        library->properties.count = properties;
    }
    return error;
}
