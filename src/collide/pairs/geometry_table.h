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
    cn_geometryOverlapOnly = 1 << 5,  // a sensor that wants no points
    cn_geometryUnmergeable = 1 << 6,  // its contacts hold nothing together for adaptive merging
    cn_geometryUnsplittable = 1 << 7, // its contacts split nothing
};

// X(T, name, C type, scalar, lanes, role)
#define CN_GEOMETRY_COLUMNS(X, T)                                                                            \
    X(T, handle, uint32_t, cn_u32, 1, cn_reading)                                                            \
    X(T, flags, uint32_t, cn_u32, 1, cn_input)                                                               \
    X(T, body, int32_t, cn_i32, 1, cn_input)     /* row of the body, -1 for static geometry */               \
    X(T, material, int32_t, cn_i32, 1, cn_input) /* row, -1 for the default */                               \
    X(T, position, cnVec3, cn_f64, 3, cn_input)  /* in the body's model frame or the world */                \
    X(T, rotation, cnQuat, cn_f64, 4, cn_input)                                                              \
    X(T, firstProxy, int32_t, cn_i32, 1, cn_state) /* list of shape instances through nextOfGeometry; -1 */  \
    X(T, shapeCount, int32_t, cn_i32, 1, cn_input)                                                           \
    X(T, nextOfBody, int32_t, cn_i32, 1, cn_state)                                                           \
    X(T, groupCount, int32_t, cn_i32, 1, cn_input)                                                           \
    X(T, surfaceVelocity, cnVec3, cn_f64, 3, cn_input) /* m/s, geometry's frame */                           \
    X(T, groups, cnGroupList, cn_u32, 16, cn_input)    /* the first groupCount are in use */

typedef struct cnGeometryTable {
    CN_GEOMETRY_COLUMNS(CN_COLUMN_FIELD, cnGeometryTable)
    cnIdPool ids;
    CN_TABLE_FIELDS
} cnGeometryTable;

extern const cnColumnList cnGeometryColumns;

// X(T, name, C type, scalar, lanes, role); rows are proxy numbers of the broad phase.
#define CN_PROXY_COLUMNS(X, T)                                                                               \
    X(T, geometry, int32_t, cn_i32, 1, cn_state)   /* row; -1 for a free row */                              \
    X(T, body, int32_t, cn_i32, 1, cn_state)       /* row, -1 for static geometry */                         \
    X(T, shape, int32_t, cn_i32, 1, cn_state)      /* row */                                                 \
    X(T, shapeIndex, int32_t, cn_i32, 1, cn_state) /* of the geometry's shapes */                            \
    X(T, nextOfGeometry, int32_t, cn_i32, 1, cn_state)                                                       \
    X(T, localPosition, cnVec3, cn_f64, 3, cn_state) /* in the body's model frame or the world */            \
    X(T, localRotation, cnQuat, cn_f64, 4, cn_state)                                                         \
    X(T, instancePosition, cnVec3, cn_f64, 3, cn_state) /* in the geometry's frame */                        \
    X(T, instanceRotation, cnQuat, cn_f64, 4, cn_state)                                                      \
    X(T, position, cnVec3, cn_f64, 3, cn_derived) /* world */                                                \
    X(T, rotation, cnQuat, cn_f64, 4, cn_derived)                                                            \
    X(T, travel, double, cn_f64, 1, cn_state)     /* m, that no point of the shape has moved more than */    \
    X(T, turn, double, cn_f64, 1, cn_state)       /* m, the part of it that is rotation */                   \
    X(T, travelNext, double, cn_f64, 1, cn_state) /* m, what `travel` may be after the coming step */        \
    X(T, turnNext, double, cn_f64, 1, cn_state)   /* m, what of that may be rotation */                      \
    X(T, material, int32_t, cn_i32, 1, cn_state)  /* row, -1 for the default */

typedef struct cnProxyTable {
    CN_PROXY_COLUMNS(CN_COLUMN_FIELD, cnProxyTable)
    CN_TABLE_FIELDS
} cnProxyTable;

extern const cnColumnList cnProxyColumns;

// Room for `rows` rows, the added ones free; false when memory ran out.
bool cnProxyTable_Reserve(cnProxyTable* table, int rows);
