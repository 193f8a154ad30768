// The hand-written part of the boundary: the tables' description, drawing, many steps in one call.
//
// Text and arrays go as addresses. Handles are checked by the functions of the world.
#include "flat.h"

#include "api/render.h"
#include "world/table_registry.h"

// ---- the module -------------------------------------------------------------------------------------------

uint32_t cnw_GetVersion(void) {
    return (uint32_t)(CN_VERSION_MAJOR << 16 | CN_VERSION_MINOR << 8 | CN_VERSION_PATCH);
}

// 1 where the module was built with threads.
uint32_t cnw_IsThreaded(void) {
#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
    return 0;
#else
    return 1;
#endif
}

// ---- tables -----------------------------------------------------------------------------------------------

static bool isTable(uint32_t table) {
    return table < (uint32_t)cn_tableCount;
}

static const cnColumn* getColumn(uint32_t table, uint32_t column) {
    if (!isTable(table)) {
        return NULL;
    }
    int count = 0;
    const cnColumn* columns = cnTableColumns((cnTableKind)table, &count);
    return column < (uint32_t)count ? &columns[column] : NULL;
}

uint32_t cnw_GetTableCount(void) {
    return (uint32_t)cn_tableCount;
}

const char* cnw_GetTableName(uint32_t table) {
    return isTable(table) ? cnTableName((cnTableKind)table) : NULL;
}

uint32_t cnw_GetColumnCount(uint32_t table) {
    int count = 0;
    if (isTable(table)) {
        cnTableColumns((cnTableKind)table, &count);
    }
    return (uint32_t)count;
}

const char* cnw_GetColumnName(uint32_t table, uint32_t column) {
    const cnColumn* found = getColumn(table, column);
    return found != NULL ? found->name : NULL;
}

// cnScalar: 0 f64, 1 f32, 2 u32, 3 i32, 4 u8.
uint32_t cnw_GetColumnScalar(uint32_t table, uint32_t column) {
    const cnColumn* found = getColumn(table, column);
    return found != NULL ? (uint32_t)found->scalar : 0;
}

uint32_t cnw_GetColumnLanes(uint32_t table, uint32_t column) {
    const cnColumn* found = getColumn(table, column);
    return found != NULL ? (uint32_t)found->lanes : 0;
}

const void* cnw_World_GetColumn(uint32_t world, uint32_t table, uint32_t column) {
    return getColumn(table, column) != NULL
               ? cnWorld_GetColumn((cnWorldId){world}, (cnTableKind)table, (int)column)
               : NULL;
}

// Address of the number that goes up whenever a column may have moved.
const uint32_t* cnw_World_GetEpoch(uint32_t world) {
    return cnWorld_GetEpoch((cnWorldId){world});
}

// Contacts and contact points of the last step, where nobody has asked for them yet.
int32_t cnw_World_ListContacts(uint32_t world) {
    return (int32_t)cnWorld_ListContacts((cnWorldId){world});
}

// Address of one int32 a table, -1 for contacts and contact points that are not listed yet.
const int32_t* cnw_World_GetRowCounts(uint32_t world) {
    return cnWorld_GetRowCounts((cnWorldId){world});
}

// ---- drawing ----------------------------------------------------------------------------------------------

int32_t cnw_World_WriteMatrices(uint32_t world, const int32_t* proxies, const float* scales, int32_t count,
                                double alpha, float* out) {
    return (int32_t)cnWorld_WriteMatrices((cnWorldId){world}, proxies, scales, count, alpha, out);
}

uint32_t cnw_World_GetShapeVertexCount(uint32_t world, int32_t shapeRow) {
    return (uint32_t)cnWorld_GetShapeVertexCount((cnWorldId){world}, shapeRow);
}

uint32_t cnw_World_GetShapeTriangleCount(uint32_t world, int32_t shapeRow) {
    return (uint32_t)cnWorld_GetShapeTriangleCount((cnWorldId){world}, shapeRow);
}

int32_t cnw_World_CopyShapeVertices(uint32_t world, int32_t shapeRow, double* out) {
    return (int32_t)cnWorld_CopyShapeVertices((cnWorldId){world}, shapeRow, out);
}

int32_t cnw_World_CopyShapeTriangles(uint32_t world, int32_t shapeRow, uint32_t* out) {
    return (int32_t)cnWorld_CopyShapeTriangles((cnWorldId){world}, shapeRow, out);
}

// `colour` is four floats; without a mesh (positions null) the shape loses the one it has.
int32_t cnw_Shape_SetRenderData(uint32_t world, uint32_t shape, const float* positions, const float* normals,
                                int32_t vertexCount, const uint32_t* indices, int32_t indexCount,
                                const float* colour) {
    cnRenderData data = {positions, normals, vertexCount, indices, indexCount, {0.0f}};
    memcpy(data.colour, colour, sizeof data.colour);
    return (int32_t)cnShape_SetRenderData((cnWorldId){world}, (cnShapeId){shape},
                                          positions != NULL ? &data : NULL);
}

// Null for none; else the addresses and counts of positions, normals (0: none), indices, then the colour.
const uint32_t* cnw_World_GetRenderData(uint32_t world, int32_t shapeRow) {
    uint32_t* out = cnw_GetResult();
    const cnRenderData* data = cnWorld_GetRenderDataOfRow((cnWorldId){world}, shapeRow);
    if (data == NULL) {
        return NULL;
    }
    out[0] = (uint32_t)(uintptr_t)data->positions;
    out[1] = (uint32_t)(uintptr_t)data->normals;
    out[2] = (uint32_t)data->vertexCount;
    out[3] = (uint32_t)(uintptr_t)data->indices;
    out[4] = (uint32_t)data->indexCount;
    memcpy(out + 5, data->colour, sizeof data->colour);
    return out;
}

// ---- queries ----------------------------------------------------------------------------------------------
//
// Lists go to memory of the caller; the result is how many there are.

static int32_t endList(int count) {
    return cnw_End(&count, sizeof count);
}

int32_t cnw_World_CastRays(uint32_t world, const double* rays, int32_t count, const cnQueryFilter* filter,
                           int32_t* geometries, double* fractions, double* normals) {
    return (int32_t)cnWorld_CastRays((cnWorldId){world}, rays, count, filter, geometries, fractions, normals);
}

// `ray`: origin and translation.
int32_t cnw_World_CastRayAll(uint32_t world, const double* ray, const cnQueryFilter* filter,
                             cnRayResult* results, int32_t capacity) {
    cnw_Begin();
    return endList(cnWorld_CastRayAll((cnWorldId){world}, cnVec(ray[0], ray[1], ray[2]),
                                      cnVec(ray[3], ray[4], ray[5]), filter, results, capacity));
}

// `way`: pose (position, rotation) and translation.
int32_t cnw_World_CastShapeAll(uint32_t world, uint32_t shape, const double* way, const cnQueryFilter* filter,
                               cnShapeCastResult* results, int32_t capacity) {
    cnw_Begin();
    cnPose pose = {cnVec(way[0], way[1], way[2]), {way[3], way[4], way[5], way[6]}};
    return endList(cnWorld_CastShapeAll((cnWorldId){world}, (cnShapeId){shape}, pose,
                                        cnVec(way[7], way[8], way[9]), filter, results, capacity));
}

// `box`: lower and upper corner.
int32_t cnw_World_TestBoundingVolumeOverlap(uint32_t world, const double* box, const cnQueryFilter* filter,
                                            cnGeometryId* geometries, int32_t capacity) {
    cnw_Begin();
    cnBounds bounds = {cnVec(box[0], box[1], box[2]), cnVec(box[3], box[4], box[5])};
    return endList(
        cnWorld_TestBoundingVolumeOverlap((cnWorldId){world}, bounds, filter, geometries, capacity));
}

int32_t cnw_World_TestGeometryOverlap(uint32_t world, const cnGeometryDef* def, const cnQueryFilter* filter,
                                      cnOverlapContact* contacts, int32_t capacity) {
    cnw_Begin();
    return endList(cnWorld_TestGeometryOverlap((cnWorldId){world}, def, filter, contacts, capacity));
}

int32_t cnw_World_FindGeometriesAtPoint(uint32_t world, const double* point, const cnQueryFilter* filter,
                                        cnGeometryId* geometries, int32_t capacity) {
    cnw_Begin();
    return endList(cnWorld_FindGeometriesAtPoint((cnWorldId){world}, cnVec(point[0], point[1], point[2]),
                                                 filter, geometries, capacity));
}

int32_t cnw_World_CopyShapeTwins(uint32_t world, int32_t shapeRow, int32_t* out) {
    return (int32_t)cnWorld_CopyShapeTwins((cnWorldId){world}, shapeRow, out);
}

// ---- height fields ----------------------------------------------------------------------------------------

int32_t cnw_Shape_SetHeights(uint32_t world, uint32_t shape, int32_t i0, int32_t i1, int32_t j0, int32_t j1,
                             const double* heights, int32_t count) {
    return (int32_t)cnHeightField_SetHeights((cnWorldId){world}, (cnShapeId){shape}, i0, i1, j0, j1, heights,
                                             count);
}

int32_t cnw_Shape_GetHeights(uint32_t world, uint32_t shape, int32_t i0, int32_t i1, int32_t j0, int32_t j1,
                             double* heights, int32_t count) {
    return (int32_t)cnHeightField_GetHeights((cnWorldId){world}, (cnShapeId){shape}, i0, i1, j0, j1, heights,
                                             count);
}

// ---- many steps -------------------------------------------------------------------------------------------

// Both end at the first step that fails; the result is the number of steps done, that one included.
int32_t cnw_World_Steps(uint32_t world, uint32_t count) {
    cnErrorCode code = CN_ERROR_NONE;
    uint32_t done = 0;
    while (done < count && code == CN_ERROR_NONE) {
        code = cnWorld_Step((cnWorldId){world});
        done += 1;
    }
    memcpy(cnw_GetResult(), &done, sizeof done);
    return (int32_t)code;
}

int32_t cnw_Scene_Steps(uint32_t scene, uint32_t count) {
    cnErrorCode code = CN_ERROR_NONE;
    uint32_t done = 0;
    while (done < count && code == CN_ERROR_NONE) {
        code = cnScene_Step((cnSceneId){scene});
        done += 1;
    }
    memcpy(cnw_GetResult(), &done, sizeof done);
    return (int32_t)code;
}
