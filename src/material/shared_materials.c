// Materials that stand behind geometries with a friction and a restitution of their own.
#include "material/material_table.h"

#include "base/report/error.h"
#include "material/value_checks.h"

// A shared material that differs from the default one by these values alone; -1 where there is none.
static int FindShared(const cnMaterialTable* table, const cnMaterialDef* wanted) {
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if ((table->flags[row] & cn_materialShared) != 0 && table->overridden[row] == wanted->given &&
            table->roughness[row] == wanted->roughness && table->viscosity[row] == wanted->viscosity) {
            return row;
        }
    }
    return -1;
}

int cnMaterialTables_Share(cnMaterialTables* tables, const cnMaterialDef* def, const char* call) {
    cnMaterialTable* table = &tables->materials;
    cnMaterialDef wanted = cnDefaultMaterial();
    cnMaterialDef plain = cnWithoutAliases(def);
    wanted.given = plain.given;
    wanted.roughness = (plain.given & cn_materialRoughness) != 0 ? plain.roughness : wanted.roughness;
    wanted.viscosity = (plain.given & cn_materialViscosity) != 0 ? plain.viscosity : wanted.viscosity;
    int row = FindShared(table, &wanted);
    if (row >= 0) {
        return row;
    }
    cnMaterialId made = cnMaterialTables_CreateMaterial(tables, &wanted, call);
    if (CN_IS_NULL(made)) {
        return -1;
    }
    row = CN_INDEX_OF(made);
    table->flags[row] |= cn_materialShared;
    return row;
}

void cnMaterialTables_AddUser(cnMaterialTables* tables, int materialRow) {
    if (materialRow != CN_DEFAULT_MATERIAL_ROW) {
        tables->materials.users[materialRow] += 1;
    }
}

void cnMaterialTables_DropUser(cnMaterialTables* tables, int materialRow) {
    if (materialRow == CN_DEFAULT_MATERIAL_ROW) {
        return;
    }
    cnMaterialTable* table = &tables->materials;
    table->users[materialRow] -= 1;
    if (table->users[materialRow] == 0 && (table->flags[materialRow] & cn_materialShared) != 0) {
        cnMaterialTables_DestroyMaterial(tables, (cnMaterialId){table->handle[materialRow]},
                                         "cnDestroyMaterial");
    }
}
