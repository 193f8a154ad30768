#include "dynamics/body_table.h"

#define CN_TABLE_TYPE cnBodyTable
const cnColumn cnBodyColumns[] = {CN_BODY_COLUMNS(CN_COLUMN_ENTRY)};
#undef CN_TABLE_TYPE
const int cnBodyColumnCount = (int)(sizeof cnBodyColumns / sizeof cnBodyColumns[0]);

bool cnBodyTable_Reserve(cnBodyTable* table, int rows) {
    return cnTable_Reserve(table, cnBodyColumns, cnBodyColumnCount, rows);
}

void cnBodyTable_Free(cnBodyTable* table) {
    cnTable_Free(table, cnBodyColumns, cnBodyColumnCount, table->capacity);
    cnIdPool_Free(&table->ids);
    *table = (cnBodyTable){0};
}
