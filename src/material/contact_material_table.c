#include "base/report/error.h"
#include "material/material_table.h"
#include "material/value_checks.h"

enum {
    smallestCapacity = 8
};

const cnColumnList cnContactMaterialColumns =
    CN_COLUMN_LIST(CN_CONTACT_MATERIAL_COLUMNS, cnContactMaterialTable);

cnContactMaterialDef cnDefaultContactMaterial(void) {
    // docs/physics.md, "Defaults": explicit contact material, restitution threshold
    return (cnContactMaterialDef){
        .given = CN_ALL_CONTACT_MATERIAL_FIELDS,
        .friction = {0.416667, 0.416667},
        .restitutionThreshold = 0.1,
        .youngsModulus = 4e8,
        .damping = 4.5 / 60.0,
        .surfaceViscosity = {1e-8, 1e-8},
        .contactReduction = true,
        .frictionModel = {.type = cn_frictionCone},
        .contactArea = {.minRestLength = 0.001, .maxRestLength = 0.1},
        .staticFrictionScale = 1.0,
    };
}

static void WritePair(double target[2], const double values[2]) {
    target[0] = values[0];
    target[1] = values[1];
}

static void WriteFrictionModel(cnContactMaterialTable* table, int row, const cnFrictionModel* model) {
    table->frictionModel[row] = (int32_t)model->type;
    table->frictionSolve[row] = (int32_t)model->solve;
    table->exactCone[row] = model->exactCone;
    table->frameHandle[row] = model->frame.value;
    table->frame[row] = CN_IS_NULL(model->frame) ? -1 : CN_INDEX_OF(model->frame);
    table->primary[row][0] = model->primary.x;
    table->primary[row][1] = model->primary.y;
    table->primary[row][2] = model->primary.z;
    table->forceGiven[row] = model->forceGiven;
    WritePair(table->force[row], model->forceGiven ? model->force : (const double[2]){0.0, 0.0});
    WritePair(table->acceleration[row], model->acceleration);
    table->normalForce[row] = model->normalForce;
    table->depthScaled[row] = model->depthScaled;
}

// A field into its column, where it is given.
#define TAKE(bit, column, value)                                                                             \
    if ((def->given & (bit)) != 0) {                                                                         \
        table->column[row] = (value);                                                                        \
    }

static void OverrideRow(cnContactMaterialTable* table, int row, const cnContactMaterialDef* def) {
    if ((def->given & cn_contactFriction) != 0) {
        WritePair(table->friction[row], def->friction);
    }
    TAKE(cn_contactRestitution, restitution, def->restitution)
    TAKE(cn_contactRestitutionThreshold, restitutionThreshold, def->restitutionThreshold)
    TAKE(cn_contactYoungsModulus, youngsModulus, def->youngsModulus)
    TAKE(cn_contactDamping, damping, def->damping)
    if ((def->given & cn_contactAdhesion) != 0) {
        WritePair(table->adhesion[row], (const double[2]){def->adhesionForce, def->adhesionOverlap});
    }
    if ((def->given & cn_contactSurfaceViscosity) != 0) {
        WritePair(table->surfaceViscosity[row], def->surfaceViscosity);
    }
    TAKE(cn_contactReduction, contactReduction, def->contactReduction)
    if ((def->given & cn_contactFrictionModel) != 0) {
        WriteFrictionModel(table, row, &def->frictionModel);
    }
    if ((def->given & cn_contactArea) != 0) {
        cnContactArea area = cnCompleteContactArea(&def->contactArea);
        table->contactArea[row] = area.enabled;
        WritePair(table->restLength[row], (const double[2]){area.minRestLength, area.maxRestLength});
    }
    if ((def->given & cn_contactRollingResistance) != 0) {
        WritePair(table->rollingResistance[row], def->rollingResistance);
    }
    TAKE(cn_contactSpinningFriction, spinningFriction, def->spinningFriction)
    if ((def->given & cn_contactSlide) != 0) {
        WritePair(table->slide[row], def->slide);
    }
    TAKE(cn_contactStaticFrictionScale, staticFrictionScale, def->staticFrictionScale)
}

cnContactMaterialDef cnMaterialTables_ReadContactRow(const cnMaterialTables* tables, int row) {
    const cnContactMaterialTable* table = &tables->contactMaterials;
    return (cnContactMaterialDef){CN_CONTACT_MATERIAL_VALUES(table, row),
                                  .given = CN_ALL_CONTACT_MATERIAL_FIELDS};
}

int cnMaterialTables_FindContactMaterial(const cnMaterialTables* tables, cnContactMaterialId contactMaterial,
                                         const char* call, const char* argument) {
    if (CN_IS_NULL(contactMaterial)) {
        cnFail(CN_ERROR_NULL_HANDLE, call, argument,
               "%s is null, allowed is a contact material of this world", argument);
        return -1;
    }
    int row = cnIdPool_Find(&tables->contactMaterials.ids, contactMaterial.value);
    if (row < 0) {
        cnFail(CN_ERROR_STALE_HANDLE, call, argument,
               "%s (0x%08x) names a contact material that was destroyed, or one of another world", argument,
               (unsigned)contactMaterial.value);
    }
    return row;
}

bool cnMaterialTables_IsContactMaterialValid(const cnMaterialTables* tables,
                                             cnContactMaterialId contactMaterial) {
    return !CN_IS_NULL(contactMaterial) &&
           cnIdPool_Find(&tables->contactMaterials.ids, contactMaterial.value) >= 0;
}

// Of two material rows in either order, the default material's among them; never 0.
static uint64_t KeyOfPair(int row1, int row2) {
    uint64_t lower = (uint64_t)((row1 < row2 ? row1 : row2) - CN_DEFAULT_MATERIAL_ROW);
    uint64_t upper = (uint64_t)((row1 < row2 ? row2 : row1) - CN_DEFAULT_MATERIAL_ROW);
    return (lower << 32 | upper) + 1;
}

void cnMaterialTables_MapPair(cnMaterialTables* tables, int row) {
    const int32_t* materials = tables->contactMaterials.materials[row];
    cnHashMap_Add(&tables->pairs, KeyOfPair(materials[0], materials[1]), row);
}

cnContactMaterialId cnMaterialTables_CreateContactMaterial(cnMaterialTables* tables,
                                                           const cnContactMaterialDef* def,
                                                           const char* call) {
    const cnContactMaterialId none = {0};
    cnContactMaterialTable* table = &tables->contactMaterials;

    // the definition
    if (cnCheckMaterialPointer(def, call) != CN_ERROR_NONE) {
        return none;
    }
    int rows[2];
    if (cnMaterialTables_FindTwo(tables, def->material1, def->material2, rows, call) != CN_ERROR_NONE ||
        cnCheckContactMaterialValues(def, call) != CN_ERROR_NONE) {
        return none;
    }
    if (cnMaterialTables_FindPair(tables, rows[0], rows[1]) >= 0) {
        cnFail(CN_ERROR_NAME_TAKEN, call, "material1",
               "material1 and material2 have a contact material already, allowed is one for each pair");
        return none;
    }

    // the row
    if (table->ids.freeCount == 0 && table->ids.rowCount == CN_MAX_ROWS) {
        cnFail(CN_ERROR_TOO_MANY, call, "def", "a world has %d contact materials at most", CN_MAX_ROWS);
        return none;
    }
    bool hasRoom = cnTable_Reserve(table, &cnContactMaterialColumns, table->ids.rowCount + 1) &&
                   cnHashMap_Reserve(&tables->pairs, tables->pairs.count + 1);
    cnContactMaterialId contactMaterial = {hasRoom ? cnIdPool_Acquire(&table->ids) : 0};
    if (CN_IS_NULL(contactMaterial)) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "def", "no memory for one more contact material");
        return none;
    }
    int row = CN_INDEX_OF(contactMaterial);
    cnContactMaterialDef defaults = cnDefaultContactMaterial();
    OverrideRow(table, row, &defaults);
    OverrideRow(table, row, def);
    table->handle[row] = contactMaterial.value;
    table->flags[row] = cn_contactMaterialLive;
    table->materials[row][0] = rows[0];
    table->materials[row][1] = rows[1];
    cnMaterialTables_MapPair(tables, row);
    tables->revision += 1;
    return contactMaterial;
}

cnContactMaterialDef cnMaterialTables_GetContactMaterial(const cnMaterialTables* tables,
                                                         cnContactMaterialId contactMaterial,
                                                         const char* call) {
    int row = cnMaterialTables_FindContactMaterial(tables, contactMaterial, call, "contactMaterial");
    if (row < 0) {
        return (cnContactMaterialDef){0};
    }
    cnContactMaterialDef def = cnMaterialTables_ReadContactRow(tables, row);
    const int32_t* materials = tables->contactMaterials.materials[row];
    def.material1 = cnMaterialTables_HandleOf(tables, materials[0]);
    def.material2 = cnMaterialTables_HandleOf(tables, materials[1]);
    return def;
}

cnErrorCode cnMaterialTables_SetContactMaterial(cnMaterialTables* tables, cnContactMaterialId contactMaterial,
                                                const cnContactMaterialDef* def, const char* call) {
    int row = cnMaterialTables_FindContactMaterial(tables, contactMaterial, call, "contactMaterial");
    if (row < 0) {
        return cnGetLastError()->code;
    }
    CN_TRY(cnCheckMaterialPointer(def, call));
    CN_TRY(cnCheckContactMaterialValues(def, call));
    OverrideRow(&tables->contactMaterials, row, def);
    tables->revision += 1;
    return CN_ERROR_NONE;
}

void cnMaterialTables_ForgetBody(cnMaterialTables* tables, int bodyRow) {
    cnContactMaterialTable* table = &tables->contactMaterials;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if (cnIdPool_IsLive(&table->ids, row) && table->frame[row] == bodyRow) {
            table->frame[row] = -1;
            table->frameHandle[row] = 0;
            tables->revision += 1;
        }
    }
}

static void DestroyRow(cnMaterialTables* tables, int row) {
    cnContactMaterialTable* table = &tables->contactMaterials;
    cnHashMap_Remove(&tables->pairs, KeyOfPair(table->materials[row][0], table->materials[row][1]));
    cnIdPool_Release(&table->ids, table->handle[row]);
    table->handle[row] = 0;
    table->flags[row] = 0;
    tables->revision += 1;
}

cnErrorCode cnMaterialTables_DestroyContactMaterial(cnMaterialTables* tables,
                                                    cnContactMaterialId contactMaterial, const char* call) {
    int row = cnMaterialTables_FindContactMaterial(tables, contactMaterial, call, "contactMaterial");
    if (row < 0) {
        return cnGetLastError()->code;
    }
    DestroyRow(tables, row);
    return CN_ERROR_NONE;
}

void cnMaterialTables_DestroyContactMaterialsOf(cnMaterialTables* tables, int materialRow) {
    const cnContactMaterialTable* table = &tables->contactMaterials;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if (cnIdPool_IsLive(&table->ids, row) &&
            (table->materials[row][0] == materialRow || table->materials[row][1] == materialRow)) {
            DestroyRow(tables, row);
        }
    }
}

int cnMaterialTables_FindPair(const cnMaterialTables* tables, int materialRow1, int materialRow2) {
    const int32_t* row = cnHashMap_Find(&tables->pairs, KeyOfPair(materialRow1, materialRow2));
    return row != NULL ? *row : -1;
}
