// Shapes: the public functions.
#include "api/checks.h"
#include "api/handles.h"
#include "api/render.h"
#include "world/world.h"

#include <float.h>

// Vertices and indices of a mesh to draw.
#define CN_MAX_RENDER_ITEMS (1 << 26)

cnShapeId cnCreateShape(cnWorldId worldId, const cnShapeDef* def) {
    const char* call = __func__;
    cnShapeId none = {0};
    cnWorld* world = cnFindWorld(worldId, call);
    if (world == NULL) {
        return none;
    }
    if (def == NULL) {
        cnFail(CN_ERROR_NULL_ARGUMENT, call, "def", "def is null");
        return none;
    }
    cnShape* shape = cnAllocate(sizeof *shape);
    if (shape == NULL) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "def", "no memory for a shape");
        return none;
    }
    if (cnShape_Init(shape, def, call) != CN_ERROR_NONE) {
        cnFree(shape, sizeof *shape);
        return none;
    }
    cnShapeTable* table = &world->shapes;
    bool hasRoom = cnTable_Reserve(table, &cnShapeColumns, table->ids.rowCount + 1);
    int row = cnAcquireRow(world, &table->ids, hasRoom, "shapes", call);
    if (row < 0) {
        cnShape_Free(shape);
        cnFree(shape, sizeof *shape);
        return none;
    }
    cnShapeId id = {cnIdPool_ValueOf(&table->ids, row)};
    table->handle[row] = id.value;
    shape->holders = 1;
    table->shapes[row] = cnShapeTable_Share(table, shape);
    cnShapeTable_Describe(table, row);
    table->changes[row] = 0;
    table->users[row] = 1;
    table->released[row] = 0;
    cnWorld_PublishTables(world);
    return id;
}

// ---- render data ------------------------------------------------------------------------------------------

static bool AreFinite(const float* numbers, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (!(fabsf(numbers[i]) <= FLT_MAX)) {
            return false;
        }
    }
    return true;
}

static cnErrorCode CheckRenderData(const cnRenderData* data, const char* call) {
    if (data->positions == NULL || data->indices == NULL) {
        const char* argument = data->positions == NULL ? "data.positions" : "data.indices";
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, argument, "%s is null", argument);
    }
    if (data->vertexCount < 3 || data->vertexCount > CN_MAX_RENDER_ITEMS) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "data.positions",
                      "data.positions has %d vertices, allowed is 3 to %d", data->vertexCount,
                      CN_MAX_RENDER_ITEMS);
    }
    if (data->indexCount < 3 || data->indexCount % 3 != 0 || data->indexCount > CN_MAX_RENDER_ITEMS) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "data.indices",
                      "data.indices has %d indices, allowed are three a triangle, up to %d", data->indexCount,
                      CN_MAX_RENDER_ITEMS);
    }
    for (int i = 0; i < data->indexCount; ++i) {
        if (data->indices[i] >= (uint32_t)data->vertexCount) {
            return cnFail(CN_ERROR_OUT_OF_RANGE, call, "data.indices",
                          "data.indices[%d] is %u, allowed is 0 to %d", i, (unsigned)data->indices[i],
                          data->vertexCount - 1);
        }
    }
    size_t floats = 3 * (size_t)data->vertexCount;
    bool finite = AreFinite(data->positions, floats) &&
                  (data->normals == NULL || AreFinite(data->normals, floats)) && AreFinite(data->colour, 4);
    return finite ? CN_ERROR_NONE
                  : cnFail(CN_ERROR_NOT_FINITE, call, "data",
                           "data has a number that is NaN or infinite, allowed are finite numbers");
}

cnErrorCode cnShape_SetRenderData(cnWorldId worldId, cnShapeId shape, const cnRenderData* data) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(worldId, call);
    int row = world != NULL ? cnFindShape(world, shape, call, "shape") : -1;
    if (row < 0) {
        return cnGetLastError()->code;
    }
    cnShapeTable* table = &world->shapes;
    cnRenderData* copy = NULL;
    if (data != NULL) {
        CN_TRY(CheckRenderData(data, call));
        copy = cnRenderData_Copy(data);
        int known = table->renderMeshes.count;
        // NOLINTNEXTLINE(bugprone-sizeof-expression) the elements are pointers
        bool ok = known > row || cnArray_Resize(&table->renderMeshes, row + 1);
        for (int i = known; ok && i <= row; ++i) {
            table->renderMeshes.data[i] = NULL;
        }
        if (copy == NULL || !ok) {
            cnDropRenderData(copy);
            return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "data", "no memory for %d vertices",
                          data->vertexCount);
        }
    }
    cnShapeTable_DropRenderData(&world->shapes, row);
    if (copy != NULL) {
        table->renderMeshes.data[row] = copy;
        table->lastRenderData += 1;
        table->renderData[row] = table->lastRenderData;
    }
    return CN_ERROR_NONE;
}

static const cnRenderData* RenderDataOf(const cnWorld* world, int row) {
    return row >= 0 && row < world->shapes.renderMeshes.count ? world->shapes.renderMeshes.data[row] : NULL;
}

const cnRenderData* cnWorld_GetRenderDataOfRow(cnWorldId worldId, int row) {
    const cnWorld* world = cnReadWorld(worldId, __func__);
    return world != NULL ? RenderDataOf(world, row) : NULL;
}

const cnRenderData* cnShape_GetRenderData(cnWorldId worldId, cnShapeId shape) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(worldId, call);
    int row = world != NULL ? cnFindShape(world, shape, call, "shape") : -1;
    return row >= 0 ? RenderDataOf(world, row) : NULL;
}

// ---- the end of a shape -----------------------------------------------------------------------------------

cnErrorCode cnReleaseShape(cnWorldId worldId, cnShapeId shape) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(worldId, call);
    int row = world != NULL ? cnFindShape(world, shape, call, "shape") : -1;
    if (row < 0) {
        return cnGetLastError()->code;
    }
    world->shapes.released[row] = 1;
    cnShapeTable_DropUser(&world->shapes, row);
    cnWorld_PublishTables(world);
    return CN_ERROR_NONE;
}

bool cnShape_IsValid(cnWorldId worldId, cnShapeId shape) {
    const cnWorld* world = cnLookUpWorld(worldId);
    int row = world != NULL ? cnIdPool_Find(&world->shapes.ids, shape.value) : -1;
    return row >= 0 && world->shapes.released[row] == 0;
}
