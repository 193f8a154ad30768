#include "dynamics/body_table.h"

#define CN_TABLE_TYPE cnBodyTable
const cnColumn cnBodyColumns[] = {CN_BODY_COLUMNS(CN_COLUMN_ENTRY)};
#undef CN_TABLE_TYPE
const int cnBodyColumnCount = (int)(sizeof cnBodyColumns / sizeof cnBodyColumns[0]);

bool cnBodyTable_Reserve(cnBodyTable* table, int rows) {
    if (rows <= table->capacity) {
        return true;
    }
    int capacity = cnGrownCapacity(table->capacity, rows, 16);
    if (!cnTable_Grow(table, cnBodyColumns, cnBodyColumnCount, capacity)) {
        return false;
    }
    table->capacity = capacity;
    table->epoch += 1;
    return true;
}

void cnBodyTable_Free(cnBodyTable* table) {
    cnTable_Free(table, cnBodyColumns, cnBodyColumnCount, table->capacity);
    cnIdPool_Free(&table->ids);
    *table = (cnBodyTable){0};
}
