#include "collide/pairs/geometry_table.h"

#include <string.h>

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
    int capacity = cnGrownCapacity(table->capacity, rows, 16);
    size_t groupBytes = sizeof table->groups[0];
    void* groups = cnAllocate((size_t)capacity * groupBytes);
    if (groups == NULL) {
        return false;
    }
    if (!cnTable_Grow(table, cnGeometryColumns, cnGeometryColumnCount, capacity)) {
        cnFree(groups, (size_t)capacity * groupBytes);
        return false;
    }
    if (table->capacity > 0) {
        memcpy(groups, table->groups, (size_t)table->capacity * groupBytes);
        cnFree(table->groups, (size_t)table->capacity * groupBytes);
    }
    table->groups = groups;
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
    int capacity = cnGrownCapacity(table->capacity, rows, 16);
    if (!cnTable_Grow(table, cnProxyColumns, cnProxyColumnCount, capacity)) {
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
