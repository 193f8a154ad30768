#include "world/shape_table.h"

#include "base/report/assert.h"
#include "geometry/meshes/height_field.h"

#include <string.h>

const cnColumnList cnShapeColumns = CN_COLUMN_LIST(CN_SHAPE_COLUMNS, cnShapeTable);

// ---- render data ------------------------------------------------------------------------------------------

typedef struct RenderBlock {
    cnRenderData data;
    int holders;
} RenderBlock;

size_t cnRenderData_GetBytes(const cnRenderData* data) {
    size_t vectors = data->normals != NULL ? 2 : 1;
    return sizeof(RenderBlock) + (vectors * 3 * (size_t)data->vertexCount) * sizeof(float) +
           (size_t)data->indexCount * sizeof(uint32_t);
}

cnRenderData* cnRenderData_Copy(const cnRenderData* data) {
    RenderBlock* block = cnAllocate(cnRenderData_GetBytes(data));
    if (block == NULL) {
        return NULL;
    }
    *block = (RenderBlock){*data, 1};
    size_t floats = 3 * (size_t)data->vertexCount;
    float* next = (float*)(block + 1);
    memcpy(next, data->positions, floats * sizeof(float));
    block->data.positions = next;
    next += floats;
    if (data->normals != NULL) {
        memcpy(next, data->normals, floats * sizeof(float));
        block->data.normals = next;
        next += floats;
    }
    uint32_t* indices = (uint32_t*)next;
    memcpy(indices, data->indices, (size_t)data->indexCount * sizeof(uint32_t));
    block->data.indices = indices;
    return &block->data;
}

void cnHoldRenderData(cnRenderData* data) {
    ((RenderBlock*)data)->holders += 1;
}

void cnDropRenderData(cnRenderData* data) {
    if (data != NULL && --((RenderBlock*)data)->holders == 0) {
        cnFree(data, cnRenderData_GetBytes(data));
    }
}

void cnShapeTable_DropRenderData(cnShapeTable* table, int row) {
    if (row < table->renderMeshes.count && table->renderMeshes.data[row] != NULL) {
        cnDropRenderData(table->renderMeshes.data[row]);
        table->renderMeshes.data[row] = NULL;
    }
    if (row < table->capacity) {
        table->renderData[row] = 0;
    }
}

// ---- shapes -----------------------------------------------------------------------------------------------

void cnDropShape(cnShape* shape) {
    if (shape != NULL && --shape->holders == 0) {
        cnShape_Free(shape);
        cnFree(shape, sizeof *shape);
    }
}

cnShape* cnShapeTable_Share(cnShapeTable* table, cnShape* shape) {
    CN_ASSERT(shape->holders == 1);
    if (!cnShape_IsSimple(shape)) {
        return shape;
    }
    cnShape** recent = &table->recent[cnShape_HashDimensions(shape) % CN_RECENT_SHAPES];
    if (*recent != NULL && cnShape_IsSame(*recent, shape)) {
        cnDropShape(shape);
    } else {
        cnDropShape(*recent);
        *recent = shape;
    }
    (*recent)->holders += 1;
    return *recent;
}

void cnShapeTable_Describe(cnShapeTable* table, int row) {
    const cnShape* shape = table->shapes[row];
    const cnHeightField* field = shape->field;
    table->type[row] = (uint32_t)shape->type;
    table->radius[row] = shape->radius;
    table->halfHeight[row] = shape->halfHeight;
    table->profile[row] = shape->profile;
    table->halfExtents[row] = shape->halfExtents;
    table->normal[row] = shape->normal;
    table->offset[row] = shape->offset;
    table->volume[row] = shape->mass.volume;
    table->columnCount[row] = field != NULL ? field->columnCount : 0;
    table->rowCount[row] = field != NULL ? field->rowCount : 0;
    table->sizeX[row] = field != NULL ? field->sizeX : 0.0;
    table->sizeY[row] = field != NULL ? field->sizeY : 0.0;
}

bool cnShapeTable_MakeOwn(cnShapeTable* table, int row) {
    cnShape* shape = table->shapes[row];
    CN_ASSERT(shape->holders >= 1 && shape->field != NULL);
    if (shape->holders == 1) {
        shape->content = 0;
        return true;
    }
    cnShape* copy = cnAllocate(sizeof *copy);
    cnHeightField* field = copy != NULL ? cnHeightField_Copy(shape->field) : NULL;
    if (field == NULL) {
        cnFree(copy, sizeof *copy);
        return false;
    }
    *copy = *shape;
    copy->field = field;
    copy->content = 0;
    copy->holders = 1;
    cnDropShape(shape);
    table->shapes[row] = copy;
    return true;
}

void cnShapeTable_DropUser(cnShapeTable* table, int row) {
    table->users[row] -= 1;
    if (table->users[row] > 0) {
        return;
    }
    cnShapeTable_DropRenderData(table, row);
    cnDropShape(table->shapes[row]);
    table->shapes[row] = NULL;
    table->type[row] = 0;
    cnIdPool_Release(&table->ids, table->handle[row]);
    table->handle[row] = 0;
}

void cnShapeTable_Free(cnShapeTable* table) {
    for (int row = 0; row < table->ids.rowCount; ++row) {
        cnShapeTable_DropRenderData(table, row);
        cnDropShape(table->shapes[row]);
    }
    for (int i = 0; i < CN_RECENT_SHAPES; ++i) {
        cnDropShape(table->recent[i]);
    }
    // NOLINTNEXTLINE(bugprone-sizeof-expression) the elements are pointers
    cnArray_Free(&table->renderMeshes);
    cnTable_Free(table, &cnShapeColumns);
    cnIdPool_Free(&table->ids);
}
