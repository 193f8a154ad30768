// Tables of columns: the world's public state, laid out so that JavaScript reads it as typed
// arrays with no call.
//
// A table is a struct of pointers, one per column, made from an X-macro list of X(name, cType, scalar, lanes,
// role): its rows are the indices of handles. The same list describes the table to the outside, and its roles
// say what the state hash and snapshots hold. Rows never move while their handle lives; when a table grows,
// its columns move, and its epoch goes up: readers outside look at it. Who points into a column while others
// may add rows pins the table (guard.h).
#pragma once

#include "base/allocator.h"
#include "base/containers/field.h"
#include "base/report/guard.h"

typedef struct cnColumn {
    const char* name;
    cnScalar scalar;
    int lanes; // scalars a row
    int rowBytes;
    size_t offset; // of the column's pointer in the table struct
    cnRole role;
} cnColumn;

#define CN_COLUMN_FIELD(name, cType, scalar, lanes, role) cType* name;

// What every table has beside its columns, last of all. The epoch goes up when a column moves.
#define CN_TABLE_FIELDS                                                                                      \
    int capacity; /* rows */                                                                                 \
    uint32_t epoch;                                                                                          \
    CN_GUARD_FIELD

// Use inside an array initialiser, with CN_TABLE_TYPE defined as the struct.
#define CN_COLUMN_ENTRY(name, cType, scalar, lanes, role)                                                    \
    {#name, scalar, lanes, (int)sizeof(cType), offsetof(CN_TABLE_TYPE, name), role},

// Room for `rows` rows, the added ones zero. False when memory ran out: then nothing changed.
#define cnTable_Reserve(table, columns, columnCount, rows)                                                   \
    cnTable_Grow(table, columns, columnCount, rows, cnGrownCapacity((table)->capacity, rows, 16))

// The same with a capacity of one's own choice to grow to.
#define cnTable_Grow(table, columns, columnCount, rows, grownCapacity)                                       \
    ((rows) <= (table)->capacity ||                                                                          \
     cnTable_GrowColumns((table), (columns), (columnCount), (grownCapacity), &(table)->capacity,             \
                         &(table)->epoch CN_GUARD_OF(table)))

bool cnTable_GrowColumns(void* table, const cnColumn* columns, int columnCount, int newCapacity,
                         int* capacity, uint32_t* epoch CN_GUARD_PARAMETER);
void cnTable_Free(void* table, const cnColumn* columns, int columnCount, int capacity);

// The column's rows.
void* cnTable_GetColumn(const void* table, const cnColumn* column);

// Columns that readers outside see: those before the first of records.
int cnTable_CountPublic(const cnColumn* columns, int columnCount);
