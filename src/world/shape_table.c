#include "world/shape_table.h"

#define CN_TABLE_TYPE cnShapeTable
const cnColumn cnShapeColumns[] = {CN_SHAPE_COLUMNS(CN_COLUMN_ENTRY)};
#undef CN_TABLE_TYPE
const int cnShapeColumnCount = (int)(sizeof cnShapeColumns / sizeof cnShapeColumns[0]);

bool cnShapeTable_Reserve(cnShapeTable* table, int rows) {
    return cnTable_Reserve(table, cnShapeColumns, cnShapeColumnCount, rows);
}

size_t cnRenderData_GetBytes(const cnRenderData* data) {
    size_t vectors = data->normals != NULL ? 2 : 1;
    return sizeof *data + (vectors * 3 * (size_t)data->vertexCount) * sizeof(float) +
           (size_t)data->indexCount * sizeof(uint32_t);
}

void cnShapeTable_DropRenderData(cnShapeTable* table, int row) {
    if (row < table->renderMeshes.count && table->renderMeshes.data[row] != NULL) {
        cnRenderData* data = table->renderMeshes.data[row];
        cnFree(data, cnRenderData_GetBytes(data));
        table->renderMeshes.data[row] = NULL;
    }
    if (row < table->capacity) {
        table->renderData[row] = 0;
    }
}

void cnShapeTable_DropUser(cnShapeTable* table, int row) {
    table->users[row] -= 1;
    if (table->users[row] > 0) {
        return;
    }
    cnShapeTable_DropRenderData(table, row);
    cnShape_Free(table->shapes[row]);
    cnFree(table->shapes[row], sizeof(cnShape));
    table->shapes[row] = NULL;
    table->type[row] = 0;
    cnIdPool_Release(&table->ids, table->handle[row]);
    table->handle[row] = 0;
}

void cnShapeTable_Free(cnShapeTable* table) {
    for (int row = 0; row < table->ids.rowCount; ++row) {
        cnShapeTable_DropRenderData(table, row);
        if (table->shapes[row] != NULL) {
            cnShape_Free(table->shapes[row]);
            cnFree(table->shapes[row], sizeof(cnShape));
        }
    }
    // NOLINTNEXTLINE(bugprone-sizeof-expression) the elements are pointers
    cnArray_Free(&table->renderMeshes);
    cnTable_Free(table, cnShapeColumns, cnShapeColumnCount, table->capacity);
    cnIdPool_Free(&table->ids);
}
