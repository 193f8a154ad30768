#include "world/table_registry.h"

#include "base/report/error.h"
#include "world/contact_list.h"
#include "world/world.h"

typedef struct TableInfo {
    const char* name;
    const cnColumnList* columns;
    size_t table, rowCount, epoch; // in a world
} TableInfo;

// `rows`: the member that counts them.
#define TABLE(name, columns, table, rows)                                                                    \
    {                                                                                                        \
        name, &(columns), offsetof(cnWorld, table), offsetof(cnWorld, table.rows),                           \
            offsetof(cnWorld, table.epoch)                                                                   \
    }

static const TableInfo tableInfos[cn_tableCount] = {
    [cn_tableBodies] = TABLE("bodies", cnBodyColumns, bodies, ids.rowCount),
    [cn_tableGeometries] = TABLE("geometries", cnGeometryColumns, geometries, ids.rowCount),
    [cn_tableShapes] = TABLE("shapes", cnShapeColumns, shapes, ids.rowCount),
    [cn_tableProxies] = TABLE("proxies", cnProxyColumns, proxies, capacity),
    [cn_tableMaterials] = TABLE("materials", cnMaterialColumns, materials.materials, ids.rowCount),
    [cn_tableContactMaterials] =
        TABLE("contactMaterials", cnContactMaterialColumns, materials.contactMaterials, ids.rowCount),
    [cn_tableConstraints] = TABLE("constraints", cnConstraintColumns, constraints, ids.rowCount),
    [cn_tableContacts] = TABLE("contacts", cnContactColumns, contacts, count),
    [cn_tableContactPoints] = TABLE("contactPoints", cnContactPointColumns, contactPoints, count),
    [cn_tableContactEvents] = TABLE("contactEvents", cnContactEventColumns, contactEvents, count),
    [cn_tableMergedBodies] = TABLE("mergedBodies", cnMergedBodyColumns, mergedBodies, ids.rowCount),
    [cn_tableMergeEdges] = TABLE("mergeEdges", cnMergeEdgeColumns, mergeEdges, ids.rowCount),
};

static const void* MemberAt(const cnWorld* world, size_t offset) {
    return (const char*)world + offset;
}

const char* cnTableName(cnTableKind kind) {
    return kind >= 0 && kind < cn_tableCount ? tableInfos[kind].name : NULL;
}

const cnColumn* cnTableColumns(cnTableKind kind, int* count) {
    if (kind < 0 || kind >= cn_tableCount) {
        *count = 0;
        return NULL;
    }
    *count = cnColumnList_CountPublic(tableInfos[kind].columns);
    return tableInfos[kind].columns->columns;
}

static uint32_t SumEpochs(const cnWorld* world) {
    uint32_t sum = 0;
    for (int kind = 0; kind < cn_tableCount; ++kind) {
        sum += *(const uint32_t*)MemberAt(world, tableInfos[kind].epoch);
    }
    return sum;
}

bool cnWorld_IsPublished(const cnWorld* world) {
    return world->epoch == SumEpochs(world);
}

static bool IsOfContacts(int kind) {
    return kind == cn_tableContacts || kind == cn_tableContactPoints;
}

void cnWorld_PublishTables(cnWorld* world) {
    for (int kind = 0; kind < cn_tableCount; ++kind) {
        bool isStale = IsOfContacts(kind) && world->contactStage != cn_contactsListed;
        world->rowCounts[kind] = isStale ? -1 : *(const int*)MemberAt(world, tableInfos[kind].rowCount);
    }
    world->epoch = SumEpochs(world);
}

cnErrorCode cnWorld_ListContacts(cnWorldId id) {
    cnWorld* world = cnFindWorld(id, __func__);
    return world != NULL ? cnTryListContacts(world, __func__) : cnGetLastError()->code;
}

// False with an error where memory ran out.
static bool MakeTable(cnWorld* world, int kind, const char* call) {
    return !IsOfContacts(kind) || cnTryListContacts(world, call) == CN_ERROR_NONE;
}

int cnWorld_GetTableRows(cnWorldId id, cnTableKind kind) {
    cnWorld* world = cnFindWorld(id, __func__);
    if (world == NULL || kind < 0 || kind >= cn_tableCount || !MakeTable(world, kind, __func__)) {
        return 0;
    }
    return world->rowCounts[kind];
}

void* cnWorld_GetColumn(cnWorldId id, cnTableKind kind, int column) {
    cnWorld* world = cnFindWorld(id, __func__);
    int count = 0;
    const cnColumn* columns = cnTableColumns(kind, &count);
    if (world == NULL || column < 0 || column >= count || !MakeTable(world, kind, __func__)) {
        return NULL;
    }
    return cnTable_GetColumn(MemberAt(world, tableInfos[kind].table), &columns[column]);
}

const uint32_t* cnWorld_GetEpoch(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    return world != NULL ? &world->epoch : NULL;
}

const int32_t* cnWorld_GetRowCounts(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    return world != NULL ? world->rowCounts : NULL;
}
