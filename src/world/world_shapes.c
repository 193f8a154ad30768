// Shapes: the public functions.
#include "geometry/height_field.h"
#include "world/checks.h"
#include "world/world.h"

int cnFindShape(const cnWorld* world, cnShapeId shape, const char* call, const char* argument) {
    if (CN_IS_NULL(shape)) {
        cnFail(CN_ERROR_NULL_HANDLE, call, argument, "%s is the null handle", argument);
        return -1;
    }
    int row = cnIdPool_Find(&world->shapes.ids, shape.value);
    if (row < 0 || world->shapes.released[row] != 0) {
        cnFail(CN_ERROR_STALE_HANDLE, call, argument, "%s 0x%08x is no shape of this world (any more)",
               argument, (unsigned)shape.value);
        return -1;
    }
    return row;
}

static bool cnReserveShapes(cnShapeTable* table, int rows) {
    if (rows <= table->capacity) {
        return true;
    }
    int capacity = table->capacity * 2 > rows ? table->capacity * 2 : rows;
    capacity = capacity < 16 ? 16 : capacity;
    size_t bytes = sizeof(cnShape*);
    cnShape** shapes = cnReallocate(table->shapes, (size_t)table->capacity * bytes, (size_t)capacity * bytes);
    if (shapes == NULL) {
        return false;
    }
    table->shapes = shapes;
    if (!cnTable_Grow(table, cnShapeColumns, cnShapeColumnCount, table->capacity, capacity)) {
        table->shapes = cnReallocate(shapes, (size_t)capacity * bytes, (size_t)table->capacity * bytes);
        return false;
    }
    table->capacity = capacity;
    table->epoch += 1;
    return true;
}

cnShapeId cnCreateShape(cnWorldId worldId, const cnShapeDef* def) {
    const char* call = "cnCreateShape";
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
    if (shape == NULL || !cnReserveShapes(&world->shapes, world->shapes.ids.rowCount + 1)) {
        cnFree(shape, sizeof *shape);
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "def", "no memory for a shape");
        return none;
    }
    if (cnShape_Init(shape, def, call) != CN_ERROR_NONE) {
        cnFree(shape, sizeof *shape);
        return none;
    }
    cnShapeTable* table = &world->shapes;
    cnShapeId id = {cnIdPool_Acquire(&table->ids)};
    int row = cnIdPool_Find(&table->ids, id.value);
    if (row < 0) {
        cnShape_Free(shape);
        cnFree(shape, sizeof *shape);
        cnFailFull(table->ids.liveCount, "shapes", call);
        return none;
    }
    table->handle[row] = id.value;
    table->type[row] = (uint32_t)shape->type;
    table->radius[row] = shape->radius;
    table->halfHeight[row] = shape->halfHeight;
    table->profile[row] = shape->profile;
    table->halfExtents[row] = shape->halfExtents;
    table->normal[row] = shape->normal;
    table->offset[row] = shape->offset;
    table->volume[row] = shape->mass.volume;
    const cnHeightField* field = shape->field;
    table->columnCount[row] = field != NULL ? field->columnCount : 0;
    table->rowCount[row] = field != NULL ? field->rowCount : 0;
    table->sizeX[row] = field != NULL ? field->sizeX : 0.0;
    table->sizeY[row] = field != NULL ? field->sizeY : 0.0;
    table->changes[row] = 0;
    table->users[row] = 1;
    table->released[row] = 0;
    table->shapes[row] = shape;
    cnWorld_PublishTables(world);
    return id;
}

void cnDropShapeUser(cnWorld* world, int row) {
    cnShapeTable* table = &world->shapes;
    table->users[row] -= 1;
    if (table->users[row] > 0) {
        return;
    }
    cnShape_Free(table->shapes[row]);
    cnFree(table->shapes[row], sizeof(cnShape));
    table->shapes[row] = NULL;
    table->type[row] = 0;
    cnIdPool_Release(&table->ids, table->handle[row]);
    table->handle[row] = 0;
}

cnErrorCode cnReleaseShape(cnWorldId worldId, cnShapeId shape) {
    const char* call = "cnReleaseShape";
    cnWorld* world = cnFindWorld(worldId, call);
    int row = world != NULL ? cnFindShape(world, shape, call, "shape") : -1;
    if (row < 0) {
        return cnGetLastError()->code;
    }
    world->shapes.released[row] = 1;
    cnDropShapeUser(world, row);
    cnWorld_PublishTables(world);
    return CN_ERROR_NONE;
}

bool cnShape_IsValid(cnWorldId worldId, cnShapeId shape) {
    if (!cnWorld_IsValid(worldId)) {
        return false;
    }
    const cnWorld* world = cnFindWorld(worldId, "cnShape_IsValid");
    int row = cnIdPool_Find(&world->shapes.ids, shape.value);
    return row >= 0 && world->shapes.released[row] == 0;
}
