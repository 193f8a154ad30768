#include "collide/geometry_table.h"

#define CN_TABLE_TYPE cnGeometryTable
const cnColumn cnGeometryColumns[] = {CN_GEOMETRY_COLUMNS(CN_COLUMN_ENTRY)};
#undef CN_TABLE_TYPE
const int cnGeometryColumnCount = (int)(sizeof cnGeometryColumns / sizeof cnGeometryColumns[0]);

#define CN_TABLE_TYPE cnProxyTable
const cnColumn cnProxyColumns[] = {CN_PROXY_COLUMNS(CN_COLUMN_ENTRY)};
#undef CN_TABLE_TYPE
const int cnProxyColumnCount = (int)(sizeof cnProxyColumns / sizeof cnProxyColumns[0]);

bool cnGeometryTable_Reserve(cnGeometryTable* table, int rows) {
    if (rows <= table->capacity) {
        return true;
    }
    int capacity = table->capacity * 2 > rows ? table->capacity * 2 : rows;
    capacity = capacity < 16 ? 16 : capacity;
    size_t groupBytes = sizeof table->groups[0];
    void* groups =
        cnReallocate(table->groups, (size_t)table->capacity * groupBytes, (size_t)capacity * groupBytes);
    if (groups == NULL) {
        return false;
    }
    table->groups = groups;
    if (!cnTable_Grow(table, cnGeometryColumns, cnGeometryColumnCount, table->capacity, capacity)) {
        table->groups =
            cnReallocate(groups, (size_t)capacity * groupBytes, (size_t)table->capacity * groupBytes);
        return false;
    }
    table->capacity = capacity;
    table->epoch += 1;
    return true;
}

void cnGeometryTable_Free(cnGeometryTable* table) {
    cnFree(table->groups, (size_t)table->capacity * sizeof table->groups[0]);
    cnTable_Free(table, cnGeometryColumns, cnGeometryColumnCount, table->capacity);
    cnIdPool_Free(&table->ids);
    *table = (cnGeometryTable){0};
}

bool cnProxyTable_Reserve(cnProxyTable* table, int rows) {
    if (rows <= table->capacity) {
        return true;
    }
    int capacity = table->capacity * 2 > rows ? table->capacity * 2 : rows;
    capacity = capacity < 16 ? 16 : capacity;
    if (!cnTable_Grow(table, cnProxyColumns, cnProxyColumnCount, table->capacity, capacity)) {
        return false;
    }
    for (int row = table->capacity; row < capacity; ++row) {
        table->geometry[row] = -1;
    }
    table->capacity = capacity;
    table->epoch += 1;
    return true;
}

void cnProxyTable_Free(cnProxyTable* table) {
    cnTable_Free(table, cnProxyColumns, cnProxyColumnCount, table->capacity);
    *table = (cnProxyTable){0};
}
