#include "material/material_table.h"

#include "base/report/error.h"
#include "material/library_store.h"
#include "material/value_checks.h"

#include <string.h>

enum {
    smallestCapacity = 8
};

const cnColumnList cnMaterialColumns = CN_COLUMN_LIST(CN_MATERIAL_COLUMNS, cnMaterialTable);

void cnMaterialTables_Init(cnMaterialTables* tables, uint32_t seed) {
    // revision 1, so that the empty cache is out of date
    *tables = (cnMaterialTables){.revision = 1};
    cnIdPool_Init(&tables->materials.ids, seed);
    cnIdPool_Init(&tables->contactMaterials.ids, seed);
}

void cnMaterialTables_Free(cnMaterialTables* tables) {
    cnTable_Free(&tables->materials, &cnMaterialColumns);
    cnIdPool_Free(&tables->materials.ids);
    cnTable_Free(&tables->contactMaterials, &cnContactMaterialColumns);
    cnIdPool_Free(&tables->contactMaterials.ids);
    cnHashMap_Free(&tables->pairs);
    cnMaterialLibrary_Free(&tables->library);
    cnPairCache_Free(&tables->cache);
    *tables = (cnMaterialTables){0};
}

cnMaterialDef cnDefaultMaterial(void) {
    // docs/physics.md, "Defaults"
    return (cnMaterialDef){
        .given = CN_ALL_MATERIAL_FIELDS,
        .density = 1000.0,
        .youngsModulus = 4e8,
        .damping = 4.5 / 60.0,
        .viscosity = 0.5,
        .roughness = 0.416667,
        .surfaceViscosity = 5e-9,
        .minRestLength = 0.0005,
        .maxRestLength = 0.05,
        .contactReduction = true,
    };
}

// ---- rows -------------------------------------------------------------------------------------------------

// A field, where it is given.
#define TAKE(bit, field)                                                                                     \
    if ((def->given & (bit)) != 0) {                                                                         \
        values->field = def->field;                                                                          \
    }

static void Override(cnMaterialDef* values, const cnMaterialDef* def) {
    TAKE(cn_materialDensity, density)
    TAKE(cn_materialYoungsModulus, youngsModulus)
    TAKE(cn_materialDamping, damping)
    TAKE(cn_materialViscosity, viscosity)
    TAKE(cn_materialRoughness, roughness)
    TAKE(cn_materialAdhesion, adhesionForce)
    TAKE(cn_materialAdhesion, adhesionOverlap)
    TAKE(cn_materialSurfaceViscosity, surfaceViscosity)
    TAKE(cn_materialRestLength, minRestLength)
    TAKE(cn_materialRestLength, maxRestLength)
    TAKE(cn_materialContactReduction, contactReduction)
    TAKE(cn_materialWire, wire)
    TAKE(cn_materialFrictionModel, frictionModel)
}

static void WriteRow(cnMaterialTable* table, int row, const cnMaterialDef* values) {
    table->density[row] = values->density;
    table->youngsModulus[row] = values->youngsModulus;
    table->damping[row] = values->damping;
    table->viscosity[row] = values->viscosity;
    table->roughness[row] = values->roughness;
    table->adhesion[row][0] = values->adhesionForce;
    table->adhesion[row][1] = values->adhesionOverlap;
    table->surfaceViscosity[row] = values->surfaceViscosity;
    table->restLength[row][0] = values->minRestLength;
    table->restLength[row][1] = values->maxRestLength;
    table->contactReduction[row] = values->contactReduction;
    table->frictionModel[row] = (int32_t)values->frictionModel;
    table->wire[row][0] = values->wire.stretchModulus;
    table->wire[row][1] = values->wire.bendModulus;
    table->wire[row][2] = values->wire.stretchDamping;
    table->wire[row][3] = values->wire.bendDamping;
}

// Null: as it is.
static void WriteName(cnMaterialTable* table, int row, const char* name) {
    if (name != NULL && name != table->name[row]) {
        memset(table->name[row], 0, CN_MATERIAL_NAME_SIZE);
        memcpy(table->name[row], name, strlen(name));
    }
}

cnMaterialDef cnMaterialTables_ReadRow(const cnMaterialTables* tables, int materialRow) {
    if (materialRow == CN_DEFAULT_MATERIAL_ROW) {
        return cnDefaultMaterial();
    }
    const cnMaterialTable* table = &tables->materials;
    int item = table->libraryItem[materialRow];
    const double* wire = table->wire[materialRow];
    return (cnMaterialDef){
        .name = table->name[materialRow][0] != '\0' ? table->name[materialRow] : NULL,
        .library = item < 0 ? NULL : tables->library.materials.data[item].name,
        .given = CN_ALL_MATERIAL_FIELDS,
        .density = table->density[materialRow],
        .youngsModulus = table->youngsModulus[materialRow],
        .damping = table->damping[materialRow],
        .viscosity = table->viscosity[materialRow],
        .roughness = table->roughness[materialRow],
        .adhesionForce = table->adhesion[materialRow][0],
        .adhesionOverlap = table->adhesion[materialRow][1],
        .surfaceViscosity = table->surfaceViscosity[materialRow],
        .minRestLength = table->restLength[materialRow][0],
        .maxRestLength = table->restLength[materialRow][1],
        .contactReduction = table->contactReduction[materialRow] != 0,
        .wire = {wire[0], wire[1], wire[2], wire[3]},
        .frictionModel = (cnMaterialFrictionModel)table->frictionModel[materialRow],
    };
}

double cnMaterialTables_GetDensity(const cnMaterialTables* tables, int materialRow) {
    return materialRow == CN_DEFAULT_MATERIAL_ROW ? cnDefaultMaterial().density
                                                  : tables->materials.density[materialRow];
}

// ---- handles ----------------------------------------------------------------------------------------------

int cnMaterialTables_FindMaterial(const cnMaterialTables* tables, cnMaterialId material, const char* call,
                                  const char* argument) {
    if (CN_IS_NULL(material)) {
        cnFail(CN_ERROR_NULL_HANDLE, call, argument, "%s is null, allowed is a material of this world",
               argument);
        return -1;
    }
    int row = cnIdPool_Find(&tables->materials.ids, material.value);
    if (row < 0) {
        cnFail(CN_ERROR_STALE_HANDLE, call, argument,
               "%s (0x%08x) names a material that was destroyed, or one of another world", argument,
               (unsigned)material.value);
    }
    return row;
}

cnErrorCode cnMaterialTables_FindTwo(const cnMaterialTables* tables, cnMaterialId material1,
                                     cnMaterialId material2, int rows[2], const char* call) {
    const cnMaterialId materials[2] = {material1, material2};
    static const char* const arguments[2] = {"material1", "material2"};
    for (int i = 0; i < 2; ++i) {
        rows[i] = CN_DEFAULT_MATERIAL_ROW;
        if (!CN_IS_NULL(materials[i])) {
            rows[i] = cnMaterialTables_FindMaterial(tables, materials[i], call, arguments[i]);
            if (rows[i] < 0) {
                return cnGetLastError()->code;
            }
        }
    }
    return CN_ERROR_NONE;
}

cnMaterialId cnMaterialTables_HandleOf(const cnMaterialTables* tables, int materialRow) {
    return (cnMaterialId){materialRow == CN_DEFAULT_MATERIAL_ROW ? 0 : tables->materials.handle[materialRow]};
}

int cnMaterialTables_FindName(const cnMaterialTables* tables, const char* name) {
    const cnMaterialTable* table = &tables->materials;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if (name[0] != '\0' && table->name[row][0] == name[0] && strcmp(table->name[row], name) == 0) {
            return row; // rows that are free have none
        }
    }
    return -1;
}

bool cnMaterialTables_IsMaterialValid(const cnMaterialTables* tables, cnMaterialId material) {
    return !CN_IS_NULL(material) && cnIdPool_Find(&tables->materials.ids, material.value) >= 0;
}

uint64_t cnMaterialTables_GetLibraryFingerprint(const cnMaterialTables* tables) {
    const cnMaterialTable* table = &tables->materials;
    int last = -1;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if (cnIdPool_IsLive(&table->ids, row) && table->libraryItem[row] > last) {
            last = table->libraryItem[row];
        }
    }
    if (last >= tables->library.materials.count) {
        return 1;
    }
    return last < 0 ? 0 : cnMaterialLibrary_GetFingerprint(&tables->library, last + 1);
}

// ---- what the public functions do -------------------------------------------------------------------------

// The library item that a definition starts from: its row, -1 for none.
static cnErrorCode FindLibraryItem(cnMaterialTables* tables, const char* name, int* item, const char* call) {
    *item = -1;
    if (name == NULL) {
        return CN_ERROR_NONE;
    }
    const struct cnLibraryPart* known = tables->library.newest;
    CN_TRY(cnMaterialLibrary_Update(&tables->library, call));
    // pairs of materials that are there may be among what is new
    tables->revision += known != NULL && known != tables->library.newest;
    *item = cnMaterialLibrary_FindItem(&tables->library, name);
    if (*item < 0) {
        return cnFail(CN_ERROR_UNKNOWN_NAME, call, "library",
                      "library is \"%.64s\", allowed are the names that `cairn list materials` prints", name);
    }
    return CN_ERROR_NONE;
}

// `row`: of the material that is to have the name, -1 for one that is not there yet.
static cnErrorCode CheckName(const cnMaterialTables* tables, const char* name, int row, const char* call) {
    if (name == NULL) {
        return CN_ERROR_NONE;
    }
    size_t length = strlen(name);
    if (length == 0 || length >= CN_MATERIAL_NAME_SIZE) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "name", "name has %zu bytes, allowed is 1…%d", length,
                      CN_MATERIAL_NAME_SIZE - 1);
    }
    int found = cnMaterialTables_FindName(tables, name);
    if (found >= 0 && found != row) {
        return cnFail(CN_ERROR_NAME_TAKEN, call, "name",
                      "name is \"%s\", which another material of the world has, allowed is a new name", name);
    }
    return CN_ERROR_NONE;
}

cnMaterialId cnMaterialTables_CreateMaterial(cnMaterialTables* tables, const cnMaterialDef* def,
                                             const char* call) {
    const cnMaterialId none = {0};
    cnMaterialTable* table = &tables->materials;

    // the definition
    if (cnCheckMaterialPointer(def, call) != CN_ERROR_NONE) {
        return none;
    }
    int item;
    if (cnCheckMaterialValues(def, call) != CN_ERROR_NONE ||
        CheckName(tables, def->name, -1, call) != CN_ERROR_NONE ||
        FindLibraryItem(tables, def->library, &item, call) != CN_ERROR_NONE) {
        return none;
    }
    cnMaterialDef values = item < 0 ? cnDefaultMaterial() : tables->library.materials.data[item].values;
    cnMaterialDef plain = cnWithoutAliases(def);
    Override(&values, &plain);

    // the row
    if (table->ids.freeCount == 0 && table->ids.rowCount == CN_MAX_ROWS) {
        cnFail(CN_ERROR_TOO_MANY, call, "def", "a world has %d materials at most", CN_MAX_ROWS);
        return none;
    }
    cnMaterialId material = {cnTable_Reserve(table, &cnMaterialColumns, table->ids.rowCount + 1)
                                 ? cnIdPool_Acquire(&table->ids)
                                 : 0};
    if (CN_IS_NULL(material)) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "def", "no memory for one more material");
        return none;
    }
    int row = CN_INDEX_OF(material);
    WriteRow(table, row, &values);
    WriteName(table, row, def->name);
    table->handle[row] = material.value;
    table->flags[row] = cn_materialLive;
    table->libraryItem[row] = item;
    table->overridden[row] = plain.given;
    table->users[row] = 0;
    tables->revision += 1;
    return material;
}

cnErrorCode cnMaterialTables_SetMaterial(cnMaterialTables* tables, cnMaterialId material,
                                         const cnMaterialDef* def, const char* call) {
    int row = cnMaterialTables_FindMaterial(tables, material, call, "material");
    if (row < 0) {
        return cnGetLastError()->code;
    }
    CN_TRY(cnCheckMaterialPointer(def, call));
    CN_TRY(cnCheckMaterialValues(def, call));
    CN_TRY(CheckName(tables, def->name, row, call));
    cnMaterialDef values = cnMaterialTables_ReadRow(tables, row);
    if (def->library != NULL && (values.library == NULL || strcmp(def->library, values.library) != 0)) {
        return cnFail(
            CN_ERROR_OUT_OF_RANGE, call, "library",
            "library is \"%.64s\", allowed is null or the item that the material started from, which is %s",
            def->library, values.library == NULL ? "none" : values.library);
    }

    cnMaterialDef plain = cnWithoutAliases(def);
    Override(&values, &plain);
    WriteRow(&tables->materials, row, &values);
    WriteName(&tables->materials, row, def->name);
    tables->materials.overridden[row] |= plain.given;
    tables->revision += 1;
    return CN_ERROR_NONE;
}

cnMaterialDef cnMaterialTables_GetMaterial(const cnMaterialTables* tables, cnMaterialId material,
                                           const char* call) {
    int row = cnMaterialTables_FindMaterial(tables, material, call, "material");
    return row < 0 ? (cnMaterialDef){0} : cnMaterialTables_ReadRow(tables, row);
}

cnErrorCode cnMaterialTables_DestroyMaterial(cnMaterialTables* tables, cnMaterialId material,
                                             const char* call) {
    int row = cnMaterialTables_FindMaterial(tables, material, call, "material");
    if (row < 0) {
        return cnGetLastError()->code;
    }
    cnMaterialTables_DestroyContactMaterialsOf(tables, row);
    tables->materials.handle[row] = 0;
    tables->materials.flags[row] = 0;
    memset(tables->materials.name[row], 0, CN_MATERIAL_NAME_SIZE);
    cnIdPool_Release(&tables->materials.ids, material.value);
    tables->revision += 1;
    return CN_ERROR_NONE;
}
