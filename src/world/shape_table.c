#include "world/shape_table.h"

#define CN_TABLE_TYPE cnShapeTable
const cnColumn cnShapeColumns[] = {CN_SHAPE_COLUMNS(CN_COLUMN_ENTRY)};
#undef CN_TABLE_TYPE
const int cnShapeColumnCount = (int)(sizeof cnShapeColumns / sizeof cnShapeColumns[0]);
