// Geometries: one or more shapes with a pose, a material and filters, on a body or as static geometry.
//
// Each shape instance is a proxy of the broad phase. This folder knows bodies only as numbers: the owner
// writes world poses into the proxies before a collide.
#pragma once

#include "base/containers/array.h"
#include "base/containers/id_pool.h"
#include "base/containers/table.h"
#include "cairn/types.h"
#include "geometry/shape.h"

#define CN_MAX_GROUPS 16

typedef uint32_t cnGroupList[CN_MAX_GROUPS];

enum {
    cn_geometryEnabled = 1 << 0,
    cn_geometryCollides = 1 << 1,
    cn_geometryGivesMass = 1 << 2,
    cn_geometryLive = 1 << 3,
    cn_geometrySensor = 1 << 4,
    cn_geometryOverlapOnly = 1 << 5, // a sensor that wants no points
};

// X(name, C type, scalar, lanes, role)
#define CN_GEOMETRY_COLUMNS(X)                                                                               \
    X(handle, uint32_t, cn_u32, 1, cn_reading)                                                               \
    X(flags, uint32_t, cn_u32, 1, cn_input)                                                                  \
    X(body, int32_t, cn_i32, 1, cn_input)     /* row of the body, -1 for static geometry */                  \
    X(material, int32_t, cn_i32, 1, cn_input) /* row, -1 for the default */                                  \
    X(position, cnVec3, cn_f64, 3, cn_input)  /* in the body's model frame or the world */                   \
    X(rotation, cnQuat, cn_f64, 4, cn_input)                                                                 \
    X(firstProxy, int32_t, cn_i32, 1, cn_state) /* list of shape instances through nextOfGeometry; -1 */     \
    X(shapeCount, int32_t, cn_i32, 1, cn_input)                                                              \
    X(nextOfBody, int32_t, cn_i32, 1, cn_state)                                                              \
    X(groupCount, int32_t, cn_i32, 1, cn_input)                                                              \
    X(surfaceVelocity, cnVec3, cn_f64, 3, cn_input) /* m/s, geometry's frame */                              \
    X(groups, cnGroupList, cn_u32, 16, cn_input)    /* the first groupCount are in use */

typedef struct cnGeometryTable {
    CN_GEOMETRY_COLUMNS(CN_COLUMN_FIELD)
    cnIdPool ids;
    CN_TABLE_FIELDS
} cnGeometryTable;

extern const cnColumn cnGeometryColumns[];
extern const int cnGeometryColumnCount;

// Room for `rows` rows; false when memory ran out.
bool cnGeometryTable_Reserve(cnGeometryTable* table, int rows);
void cnGeometryTable_Free(cnGeometryTable* table);

// X(name, C type, scalar, lanes, role); rows are proxy numbers of the broad phase.
#define CN_PROXY_COLUMNS(X)                                                                                  \
    X(geometry, int32_t, cn_i32, 1, cn_state)   /* row; -1 for a free row */                                 \
    X(body, int32_t, cn_i32, 1, cn_state)       /* row, -1 for static geometry */                            \
    X(shape, int32_t, cn_i32, 1, cn_state)      /* row */                                                    \
    X(shapeIndex, int32_t, cn_i32, 1, cn_state) /* of the geometry's shapes */                               \
    X(nextOfGeometry, int32_t, cn_i32, 1, cn_state)                                                          \
    X(localPosition, cnVec3, cn_f64, 3, cn_state) /* in the body's model frame or the world */               \
    X(localRotation, cnQuat, cn_f64, 4, cn_state)                                                            \
    X(instancePosition, cnVec3, cn_f64, 3, cn_state) /* in the geometry's frame */                           \
    X(instanceRotation, cnQuat, cn_f64, 4, cn_state)                                                         \
    X(position, cnVec3, cn_f64, 3, cn_derived) /* world */                                                   \
    X(rotation, cnQuat, cn_f64, 4, cn_derived)                                                               \
    X(material, int32_t, cn_i32, 1, cn_state) /* row, -1 for the default */

typedef struct cnProxyTable {
    CN_PROXY_COLUMNS(CN_COLUMN_FIELD)
    CN_TABLE_FIELDS
} cnProxyTable;

extern const cnColumn cnProxyColumns[];
extern const int cnProxyColumnCount;

bool cnProxyTable_Reserve(cnProxyTable* table, int rows);
void cnProxyTable_Free(cnProxyTable* table);
