#include "world/table_registry.h"

#include "world/world.h"

typedef struct TableInfo {
    const char* name;
    const cnColumn* columns;
    const int* columnCount;
} TableInfo;

static const TableInfo tableInfos[cn_tableCount] = {
    [cn_tableBodies] = {"bodies", cnBodyColumns, &cnBodyColumnCount},
    [cn_tableGeometries] = {"geometries", cnGeometryColumns, &cnGeometryColumnCount},
    [cn_tableShapes] = {"shapes", cnShapeColumns, &cnShapeColumnCount},
    [cn_tableProxies] = {"proxies", cnProxyColumns, &cnProxyColumnCount},
    [cn_tableMaterials] = {"materials", cnMaterialColumns, &cnMaterialColumnCount},
    [cn_tableContactMaterials] = {"contactMaterials", cnContactMaterialColumns,
                                  &cnContactMaterialColumnCount},
    [cn_tableConstraints] = {"constraints", cnConstraintColumns, &cnConstraintColumnCount},
    [cn_tableContacts] = {"contacts", cnContactColumns, &cnContactColumnCount},
    [cn_tableContactPoints] = {"contactPoints", cnContactPointColumns, &cnContactPointColumnCount},
    [cn_tableContactEvents] = {"contactEvents", cnContactEventColumns, &cnContactEventColumnCount},
};

static const void* TableOf(const cnWorld* world, cnTableKind kind) {
    switch (kind) {
    case cn_tableBodies:
        return &world->bodies;
    case cn_tableGeometries:
        return &world->geometries;
    case cn_tableShapes:
        return &world->shapes;
    case cn_tableProxies:
        return &world->proxies;
    case cn_tableMaterials:
        return &world->materials.materials;
    case cn_tableContactMaterials:
        return &world->materials.contactMaterials;
    case cn_tableConstraints:
        return &world->constraints;
    case cn_tableContacts:
        return &world->contacts;
    case cn_tableContactPoints:
        return &world->contactPoints;
    case cn_tableContactEvents:
        return &world->contactEvents;
    default:
        return NULL;
    }
}

const char* cnTableName(cnTableKind kind) {
    return kind >= 0 && kind < cn_tableCount ? tableInfos[kind].name : NULL;
}

const cnColumn* cnTableColumns(cnTableKind kind, int* count) {
    if (kind < 0 || kind >= cn_tableCount) {
        *count = 0;
        return NULL;
    }
    *count = cnTable_CountPublic(tableInfos[kind].columns, *tableInfos[kind].columnCount);
    return tableInfos[kind].columns;
}

static uint32_t SumEpochs(const cnWorld* world) {
    return world->bodies.epoch + world->geometries.epoch + world->shapes.epoch + world->proxies.epoch +
           world->materials.materials.epoch + world->materials.contactMaterials.epoch +
           world->constraints.epoch + world->contacts.epoch + world->contactPoints.epoch +
           world->contactEvents.epoch;
}

bool cnWorld_IsPublished(const cnWorld* world) {
    return world->epoch == SumEpochs(world);
}

void cnWorld_PublishTables(cnWorld* world) {
    world->rowCounts[cn_tableBodies] = world->bodies.ids.rowCount;
    world->rowCounts[cn_tableGeometries] = world->geometries.ids.rowCount;
    world->rowCounts[cn_tableShapes] = world->shapes.ids.rowCount;
    world->rowCounts[cn_tableProxies] = world->proxies.capacity;
    world->rowCounts[cn_tableMaterials] = world->materials.materials.ids.rowCount;
    world->rowCounts[cn_tableContactMaterials] = world->materials.contactMaterials.ids.rowCount;
    world->rowCounts[cn_tableConstraints] = world->constraints.ids.rowCount;
    world->rowCounts[cn_tableContacts] = world->contacts.count;
    world->rowCounts[cn_tableContactPoints] = world->contactPoints.count;
    world->rowCounts[cn_tableContactEvents] = world->contactEvents.count;
    world->epoch = SumEpochs(world);
}

int cnWorld_GetTableRows(cnWorldId id, cnTableKind kind) {
    const cnWorld* world = cnFindWorld(id, __func__);
    return world != NULL && kind >= 0 && kind < cn_tableCount ? world->rowCounts[kind] : 0;
}

void* cnWorld_GetColumn(cnWorldId id, cnTableKind kind, int column) {
    const cnWorld* world = cnFindWorld(id, __func__);
    const void* table = world != NULL ? TableOf(world, kind) : NULL;
    int count = 0;
    const cnColumn* columns = cnTableColumns(kind, &count);
    return table != NULL && column >= 0 && column < count ? cnTable_GetColumn(table, &columns[column]) : NULL;
}

const uint32_t* cnWorld_GetEpoch(cnWorldId id) {
    const cnWorld* world = cnFindWorld(id, __func__);
    return world != NULL ? &world->epoch : NULL;
}

const int32_t* cnWorld_GetRowCounts(cnWorldId id) {
    const cnWorld* world = cnFindWorld(id, __func__);
    return world != NULL ? world->rowCounts : NULL;
}
