// Geometries: one or more shapes with a pose, a material and filters, on a body or as scenery.
//
// Each shape instance is a proxy of the broad phase. This folder knows bodies only as numbers: the owner writes world poses
// into the proxies before a collide.
#pragma once

#include "base/array.h"
#include "base/id_pool.h"
#include "base/table.h"
#include "cairn/types.h"
#include "geometry/shape.h"

#define CN_MAX_GROUPS 16

enum {
    cn_geometryEnabled = 1 << 0,
    cn_geometryCollides = 1 << 1,
    cn_geometryGivesMass = 1 << 2,
    cn_geometryLive = 1 << 3,
    cn_geometrySensor = 1 << 4,
    cn_geometryOverlapOnly = 1 << 5, // a sensor that wants no points
};

// X(name, C type, scalar, lanes)
#define CN_GEOMETRY_COLUMNS(X)                                                                               \
    X(handle, uint32_t, cn_u32, 1)                                                                           \
    X(flags, uint32_t, cn_u32, 1)                                                                            \
    X(body, int32_t, cn_i32, 1)     /* row of the body, -1 for scenery */                                    \
    X(material, int32_t, cn_i32, 1) /* row, -1 for the default */                                            \
    X(position, cnVec3, cn_f64, 3)  /* in the body's model frame or the world */                             \
    X(rotation, cnQuat, cn_f64, 4)                                                                           \
    X(firstProxy, int32_t, cn_i32, 1) /* list of shape instances through nextOfGeometry; -1 */               \
    X(shapeCount, int32_t, cn_i32, 1)                                                                        \
    X(nextOfBody, int32_t, cn_i32, 1)                                                                        \
    X(groupCount, int32_t, cn_i32, 1)                                                                        \
    X(surfaceVelocity, cnVec3, cn_f64, 3) /* m/s, geometry's frame */

typedef struct cnGeometryTable {
    CN_GEOMETRY_COLUMNS(CN_COLUMN_FIELD)
    uint32_t (*groups)[CN_MAX_GROUPS];
    cnIdPool ids;
    int capacity;
    uint32_t epoch;
    CN_GUARD_FIELD
} cnGeometryTable;

extern const cnColumn cnGeometryColumns[];
extern const int cnGeometryColumnCount;

// Room for `rows` rows; false when memory ran out.
bool cnGeometryTable_Reserve(cnGeometryTable* table, int rows);
void cnGeometryTable_Free(cnGeometryTable* table);

// X(name, C type, scalar, lanes); rows are proxy numbers of the broad phase.
#define CN_PROXY_COLUMNS(X)                                                                                  \
    X(geometry, int32_t, cn_i32, 1)   /* row; -1 for a free row */                                           \
    X(body, int32_t, cn_i32, 1)       /* row, -1 for scenery */                                              \
    X(shape, int32_t, cn_i32, 1)      /* row */                                                              \
    X(shapeIndex, int32_t, cn_i32, 1) /* of the geometry's shapes */                                         \
    X(nextOfGeometry, int32_t, cn_i32, 1)                                                                    \
    X(localPosition, cnVec3, cn_f64, 3) /* in the body's model frame or the world */                         \
    X(localRotation, cnQuat, cn_f64, 4)                                                                      \
    X(instancePosition, cnVec3, cn_f64, 3) /* in the geometry's frame */                                     \
    X(instanceRotation, cnQuat, cn_f64, 4)                                                                   \
    X(position, cnVec3, cn_f64, 3) /* world */                                                               \
    X(rotation, cnQuat, cn_f64, 4)                                                                           \
    X(material, int32_t, cn_i32, 1) /* row, -1 for the default */

typedef struct cnProxyTable {
    CN_PROXY_COLUMNS(CN_COLUMN_FIELD)
    int capacity;
    uint32_t epoch;
    CN_GUARD_FIELD
} cnProxyTable;

extern const cnColumn cnProxyColumns[];
extern const int cnProxyColumnCount;

bool cnProxyTable_Reserve(cnProxyTable* table, int rows);
void cnProxyTable_Free(cnProxyTable* table);
