// Tables of columns: the world's public state, laid out so that JavaScript reads it as typed arrays with no call.
//
// A table is a struct of pointers, one per column, made from an X-macro list of X(name, cType, scalar, lanes): its rows are
// the indices of handles. The same list describes the table to the outside. Rows never move while their handle lives; when a
// table grows, its columns move, and the epoch that the owner keeps goes up: readers outside look at it. Who points into a column
// while others may add rows pins the table (guard.h).
#pragma once

#include "base/allocator.h"
#include "base/guard.h"

#include <stdint.h>

typedef enum cnScalar {
    cn_f64 = 0,
    cn_f32,
    cn_u32,
    cn_i32,
    cn_u8,
} cnScalar;

typedef struct cnColumn {
    const char* name;
    cnScalar scalar;
    int lanes; // scalars a row
    int rowBytes;
    size_t offset; // of the column's pointer in the table struct
} cnColumn;

#define CN_COLUMN_FIELD(name, cType, scalar, lanes) cType* name;

// Use inside an array initialiser, with CN_TABLE_TYPE defined as the struct.
#define CN_COLUMN_ENTRY(name, cType, scalar, lanes)                                                          \
    {#name, scalar, lanes, (int)sizeof(cType), offsetof(CN_TABLE_TYPE, name)},

// Grows all columns to `newCapacity` rows, the added rows zero. False when memory ran out: then nothing changed. The table has a
// capacity, which the caller sets afterwards, and a guard.
#define cnTable_Grow(table, columns, columnCount, newCapacity)                                               \
    cnTable_GrowColumns((table), (columns), (columnCount), (table)->capacity, (newCapacity)CN_GUARD_OF(table))

bool cnTable_GrowColumns(void* table, const cnColumn* columns, int columnCount, int oldCapacity,
                         int newCapacity CN_GUARD_PARAMETER);
void cnTable_Free(void* table, const cnColumn* columns, int columnCount, int capacity);

// The column's rows.
void* cnTable_GetColumn(const void* table, const cnColumn* column);
