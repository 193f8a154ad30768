// Height fields in a world: reading and changing their heights, and what follows a change.
#include "api/checks.h"
#include "api/handles.h"
#include "geometry/meshes/height_field.h"
#include "world/contact_list.h"
#include "world/sleep.h"

#include <string.h>

// Row of a shape that is a height field, −1 with the last error set.
static int FindField(const cnWorld* world, cnShapeId shape, const char* call) {
    int row = world != NULL ? cnFindShape(world, shape, call, "shape") : -1;
    if (row >= 0 && world->shapes.shapes[row]->field == NULL) {
        cnFail(CN_ERROR_OUT_OF_RANGE, call, "shape",
               "shape 0x%08x is of another type, allowed is a height field", (unsigned)shape.value);
        return -1;
    }
    return row;
}

// ---- what follows a change --------------------------------------------------------------------------------

// Manifolds of pairs that lie over the region are rebuilt by the next collide: they are kept while nothing
// moves, but what they rest on has. And what was clear of the field may not be.
static void RenewManifolds(cnWorld* world, int shape, cnFieldRegion region) {
    const cnProxyTable* proxies = &world->proxies;
    const cnHeightField* field = world->shapes.shapes[shape]->field;
    int lastColumn = field->columnCount - 1;
    int lastRow = field->rowCount - 1;
    double lowerX = cnHeightField_GetX(field, region.i0 > 0 ? region.i0 - 1 : 0);
    double upperX = cnHeightField_GetX(field, region.i1 < lastColumn ? region.i1 + 1 : lastColumn);
    double lowerY = cnHeightField_GetY(field, region.j0 > 0 ? region.j0 - 1 : 0);
    double upperY = cnHeightField_GetY(field, region.j1 < lastRow ? region.j1 + 1 : lastRow);
    for (int index = 0; index < world->pairs.pairs.count; ++index) {
        const cnPair* pair = cnPairTable_Get(&world->pairs, index);
        bool isFirst = proxies->shape[pair->proxy1] == shape;
        if (!isFirst && proxies->shape[pair->proxy2] != shape) {
            continue;
        }
        cnPairTable_ForgetClear(&world->pairs, pair);
        int self = isFirst ? pair->proxy1 : pair->proxy2;
        int other = isFirst ? pair->proxy2 : pair->proxy1;
        cnPose frame = {proxies->position[self], proxies->rotation[self]};
        cnPose pose = {cnInvTransformPoint(frame, proxies->position[other]),
                       cnMulQuat(cnConjugate(frame.rotation), proxies->rotation[other])};
        cnBounds bounds = cnShape_ComputeBounds(world->shapes.shapes[proxies->shape[other]], pose);
        double margin = cnPair_GetMargin(pair);
        if (bounds.lower.x <= upperX + margin && bounds.upper.x >= lowerX - margin &&
            bounds.lower.y <= upperY + margin && bounds.upper.y >= lowerY - margin) {
            cnKeepContacts(world);
            cnWakePair(world, pair);
            cnPairTable_Renew(&world->pairs, index);
        }
    }
}

// Bounds of the geometries that have the shape, and the mass of their bodies.
static void RenewUsers(cnWorld* world, int shape, bool hasNewBounds) {
    const cnProxyTable* proxies = &world->proxies;
    bool hasMass = world->shapes.shapes[shape]->field->closed;
    for (int proxy = 0; proxy < proxies->capacity; ++proxy) {
        if (proxies->geometry[proxy] < 0 || proxies->shape[proxy] != shape) {
            continue;
        }
        if (hasNewBounds) {
            cnRefreshProxyPoses(world, proxies->geometry[proxy]);
        }
        if (hasMass && proxies->body[proxy] >= 0) {
            cnRefreshMassProperties(world, proxies->body[proxy]);
        }
    }
}

static cnErrorCode WriteHeights(cnWorldId worldId, cnShapeId field, cnFieldRegion region,
                                const double* heights, int count, const char* call) {
    cnWorld* world = cnFindWorld(worldId, call);
    int row = FindField(world, field, call);
    if (row < 0 || !cnHeightField_CheckRegion(world->shapes.shapes[row]->field, region, call)) {
        return cnGetLastError()->code;
    }
    if (!cnShapeTable_MakeOwn(&world->shapes, row)) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "heights", "no memory for a copy of the field");
    }
    cnShape* shape = world->shapes.shapes[row];
    cnBounds before = shape->bounds;
    CN_TRY(cnHeightField_Write(shape, region, heights, count, call));
    world->shapes.volume[row] = shape->mass.volume;
    world->shapes.changes[row] += 1;
    RenewManifolds(world, row, region);
    RenewUsers(world, row,
               before.lower.z != shape->bounds.lower.z || before.upper.z != shape->bounds.upper.z);
    cnWorld_PublishTables(world);
    return CN_ERROR_NONE;
}

// ---- the public functions ---------------------------------------------------------------------------------

cnErrorCode cnHeightField_SetHeights(cnWorldId worldId, cnShapeId shape, int i0, int i1, int j0, int j1,
                                     const double* heights, int count) {
    return WriteHeights(worldId, shape, (cnFieldRegion){i0, i1, j0, j1}, heights, count, __func__);
}

cnErrorCode cnHeightField_SetHeight(cnWorldId worldId, cnShapeId shape, int i, int j, double height) {
    return WriteHeights(worldId, shape, (cnFieldRegion){i, i, j, j}, &height, 1, __func__);
}

cnErrorCode cnHeightField_GetHeights(cnWorldId worldId, cnShapeId shape, int i0, int i1, int j0, int j1,
                                     double* heights, int count) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(worldId, call);
    int row = FindField(world, shape, call);
    cnFieldRegion region = {i0, i1, j0, j1};
    const cnHeightField* field = row >= 0 ? world->shapes.shapes[row]->field : NULL;
    if (field == NULL || !cnHeightField_CheckRegion(field, region, call)) {
        return cnGetLastError()->code;
    }
    int columns = i1 - i0 + 1;
    int wanted = columns * (j1 - j0 + 1);
    if (heights == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "heights", "heights is null");
    }
    if (count != wanted) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "heights",
                      "heights has room for %d numbers, allowed are %d", count, wanted);
    }
    for (int j = j0; j <= j1; ++j) {
        memcpy(heights + (j - j0) * columns, field->heights + j * field->columnCount + i0,
               (size_t)columns * sizeof *heights);
    }
    return CN_ERROR_NONE;
}

double cnHeightField_GetHeight(cnWorldId worldId, cnShapeId shape, int i, int j) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(worldId, call);
    int row = FindField(world, shape, call);
    const cnHeightField* field = row >= 0 ? world->shapes.shapes[row]->field : NULL;
    return field != NULL && cnHeightField_CheckRegion(field, (cnFieldRegion){i, i, j, j}, call)
               ? field->heights[j * field->columnCount + i]
               : 0.0;
}
