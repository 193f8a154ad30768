// Tables of columns: the world's public state, laid out so that JavaScript reads it as typed
// arrays with no call.
//
// A table is a struct of pointers, one per column, made from an X-macro LIST(X, T) of X(T, name, cType,
// scalar, lanes, role), where T is the struct. Its rows are the indices of handles. The same list describes
// the table to the outside, and its roles say what the state hash and snapshots hold. Rows never move while
// their handle lives; when a table grows, its columns move, and its epoch goes up for readers outside.
// Who points into a column while others may add rows pins the table (guard.h).
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

typedef struct cnColumnList {
    const cnColumn* columns;
    int count;
} cnColumnList;

#define CN_COLUMN_FIELD(T, name, cType, scalar, lanes, role) cType* name;

// What every table has beside its columns, last of all. The epoch goes up when a column moves.
#define CN_TABLE_FIELDS                                                                                      \
    int capacity; /* rows */                                                                                 \
    uint32_t epoch;                                                                                          \
    CN_GUARD_FIELD

// Initialiser of a cnColumnList.
#define CN_COLUMN_LIST(LIST, T)                                                                              \
    { (const cnColumn[]){LIST(CN_COLUMN_ENTRY, T)}, 0 LIST(CN_COUNT_COLUMN, T) }
#define CN_COLUMN_ENTRY(T, name, cType, scalar, lanes, role)                                                 \
    {#name, scalar, lanes, (int)sizeof(cType), offsetof(T, name), role},
#define CN_COUNT_COLUMN(T, name, cType, scalar, lanes, role) +1

// Room for `rows` rows, the added ones zero. False when memory ran out: then nothing changed.
#define cnTable_Reserve(table, list, rows)                                                                   \
    cnTable_Grow(table, list, rows, cnGrownCapacity((table)->capacity, rows, 16))

// The same with a capacity of one's own choice to grow to.
#define cnTable_Grow(table, list, rows, grownCapacity)                                                       \
    ((rows) <= (table)->capacity ||                                                                          \
     cnTable_GrowColumns((table), (list), (grownCapacity), &(table)->capacity,                               \
                         &(table)->epoch CN_GUARD_OF(table)))

// The columns become null.
#define cnTable_Free(table, list) cnTable_FreeColumns((table), (list), (table)->capacity)

bool cnTable_GrowColumns(void* table, const cnColumnList* list, int newCapacity, int* capacity,
                         uint32_t* epoch CN_GUARD_PARAMETER);
void cnTable_FreeColumns(void* table, const cnColumnList* list, int capacity);

// The column's rows.
void* cnTable_GetColumn(const void* table, const cnColumn* column);

// Columns that readers outside see: those before the first of records.
int cnColumnList_CountPublic(const cnColumnList* list);

// One of the bits of a column of flags.
static inline void cnSetFlag(uint32_t* flags, uint32_t flag, bool isOn) {
    *flags = isOn ? *flags | flag : *flags & ~flag;
}
