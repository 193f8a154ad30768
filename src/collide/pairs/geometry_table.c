#include "collide/pairs/geometry_table.h"

const cnColumnList cnGeometryColumns = CN_COLUMN_LIST(CN_GEOMETRY_COLUMNS, cnGeometryTable);
const cnColumnList cnProxyColumns = CN_COLUMN_LIST(CN_PROXY_COLUMNS, cnProxyTable);

bool cnProxyTable_Reserve(cnProxyTable* table, int rows) {
    int before = table->capacity;
    if (!cnTable_Reserve(table, &cnProxyColumns, rows)) {
        return false;
    }
    for (int row = before; row < table->capacity; ++row) {
        table->geometry[row] = -1;
    }
    return true;
}
