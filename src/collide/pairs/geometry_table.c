#include "collide/pairs/geometry_table.h"

#define CN_TABLE_TYPE cnGeometryTable
const cnColumn cnGeometryColumns[] = {CN_GEOMETRY_COLUMNS(CN_COLUMN_ENTRY)};
#undef CN_TABLE_TYPE
const int cnGeometryColumnCount = (int)(sizeof cnGeometryColumns / sizeof cnGeometryColumns[0]);

#define CN_TABLE_TYPE cnProxyTable
const cnColumn cnProxyColumns[] = {CN_PROXY_COLUMNS(CN_COLUMN_ENTRY)};
#undef CN_TABLE_TYPE
const int cnProxyColumnCount = (int)(sizeof cnProxyColumns / sizeof cnProxyColumns[0]);

bool cnGeometryTable_Reserve(cnGeometryTable* table, int rows) {
    return cnTable_Reserve(table, cnGeometryColumns, cnGeometryColumnCount, rows);
}

void cnGeometryTable_Free(cnGeometryTable* table) {
    cnTable_Free(table, cnGeometryColumns, cnGeometryColumnCount, table->capacity);
    cnIdPool_Free(&table->ids);
    *table = (cnGeometryTable){0};
}

bool cnProxyTable_Reserve(cnProxyTable* table, int rows) {
    int before = table->capacity;
    if (!cnTable_Reserve(table, cnProxyColumns, cnProxyColumnCount, rows)) {
        return false;
    }
    for (int row = before; row < table->capacity; ++row) {
        table->geometry[row] = -1;
    }
    return true;
}

void cnProxyTable_Free(cnProxyTable* table) {
    cnTable_Free(table, cnProxyColumns, cnProxyColumnCount, table->capacity);
    *table = (cnProxyTable){0};
}
