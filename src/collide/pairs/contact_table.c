#include "collide/pairs/contact_table.h"

#define CN_TABLE_TYPE cnContactTable
const cnColumn cnContactColumns[] = {CN_CONTACT_COLUMNS(CN_COLUMN_ENTRY)};
#undef CN_TABLE_TYPE
const int cnContactColumnCount = (int)(sizeof cnContactColumns / sizeof cnContactColumns[0]);

#define CN_TABLE_TYPE cnContactPointTable
const cnColumn cnContactPointColumns[] = {CN_CONTACT_POINT_COLUMNS(CN_COLUMN_ENTRY)};
#undef CN_TABLE_TYPE
const int cnContactPointColumnCount = (int)(sizeof cnContactPointColumns / sizeof cnContactPointColumns[0]);

#define CN_TABLE_TYPE cnContactEventTable
const cnColumn cnContactEventColumns[] = {CN_CONTACT_EVENT_COLUMNS(CN_COLUMN_ENTRY)};
#undef CN_TABLE_TYPE
const int cnContactEventColumnCount = (int)(sizeof cnContactEventColumns / sizeof cnContactEventColumns[0]);

// By half only: the rows are rebuilt in every step.
static int ContactCapacity(int capacity, int rows) {
    int grown = capacity + capacity / 2 > rows ? capacity + capacity / 2 : rows;
    return CN_GUARDS && rows < 64 ? rows : grown < 64 ? 64 : grown;
}

bool cnContactTable_Reserve(cnContactTable* table, int rows) {
    return cnTable_Grow(table, cnContactColumns, cnContactColumnCount, rows,
                        ContactCapacity(table->capacity, rows));
}

void cnContactTable_Free(cnContactTable* table) {
    cnTable_Free(table, cnContactColumns, cnContactColumnCount, table->capacity);
    *table = (cnContactTable){0};
}

bool cnContactPointTable_Reserve(cnContactPointTable* table, int rows) {
    return cnTable_Grow(table, cnContactPointColumns, cnContactPointColumnCount, rows,
                        ContactCapacity(table->capacity, rows));
}

void cnContactPointTable_Free(cnContactPointTable* table) {
    cnTable_Free(table, cnContactPointColumns, cnContactPointColumnCount, table->capacity);
    *table = (cnContactPointTable){0};
}

bool cnContactEventTable_Reserve(cnContactEventTable* table, int rows) {
    return cnTable_Grow(table, cnContactEventColumns, cnContactEventColumnCount, rows,
                        ContactCapacity(table->capacity, rows));
}

void cnContactEventTable_Free(cnContactEventTable* table) {
    cnTable_Free(table, cnContactEventColumns, cnContactEventColumnCount, table->capacity);
    *table = (cnContactEventTable){0};
}
