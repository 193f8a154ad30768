// The tables of a world, described for readers outside: what the JavaScript layer learns at load.
#pragma once

#include "base/containers/table.h"
#include "cairn/cairn.h"

typedef enum cnTableKind {
    cn_tableBodies = 0,
    cn_tableGeometries,
    cn_tableShapes,
    cn_tableProxies,
    cn_tableMaterials,
    cn_tableContactMaterials,
    cn_tableConstraints,
    cn_tableContacts,
    cn_tableContactPoints,
    cn_tableContactEvents,
    cn_tableMergedBodies,
    cn_tableMergeEdges,
    cn_tableCount
} cnTableKind;

// "bodies", "geometries", "shapes", "proxies", "materials", "contactMaterials", "constraints", "contacts",
// "contactPoints", "contactEvents", "mergedBodies", "mergeEdges".
const char* cnTableName(cnTableKind kind);
const cnColumn* cnTableColumns(cnTableKind kind, int* count);

// Makes the tables of contacts and contact points those of the last step, or of the collide since: rows cost
// nothing until somebody reads them. The other functions here do so themselves.
cnErrorCode cnWorld_ListContacts(cnWorldId world);

// Rows that may be in use: handles' indices are below this; for contacts and contact points the number of
// rows, which are listed now where nobody has asked for them since the last step. 0 for a stale world, or
// without memory for contacts.
int cnWorld_GetTableRows(cnWorldId world, cnTableKind kind);

// Address of a column's first row, null for a table that is empty as yet or a stale world.
void* cnWorld_GetColumn(cnWorldId world, cnTableKind kind, int column);

// Goes up whenever a column of any table may have moved. Address of a uint32 that lives as long as the world.
const uint32_t* cnWorld_GetEpoch(cnWorldId world);

// Address of `cn_tableCount` int32 row counts, kept up to date by every public call, that lives as
// long as the world; -1 for contacts and contact points that are not listed yet.
const int32_t* cnWorld_GetRowCounts(cnWorldId world);
