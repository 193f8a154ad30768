// Shapes of a world by columns, and who uses them.
#pragma once

#include "base/containers/array.h"
#include "base/containers/id_pool.h"
#include "base/containers/table.h"
#include "cairn/types.h"
#include "geometry/shape.h"

// X(T, name, C type, scalar, lanes, role); the last five are a height field's, `changes` goes up
// when its heights do.
#define CN_SHAPE_COLUMNS(X, T)                                                                               \
    X(T, handle, uint32_t, cn_u32, 1, cn_reading)                                                            \
    X(T, type, uint32_t, cn_u32, 1, cn_input)             /* cnShapeType; 0 for a free row */                \
    X(T, radius, double, cn_f64, 1, cn_input)             /* m; sphere, capsule */                           \
    X(T, halfHeight, double, cn_f64, 1, cn_input)         /* m; capsule */                                   \
    X(T, profile, cnRevolvedProfile, cn_f64, 6, cn_input) /* m; of cylinders and cones */                    \
    X(T, halfExtents, cnVec3, cn_f64, 3, cn_input)        /* m; box */                                       \
    X(T, normal, cnVec3, cn_f64, 3, cn_input)             /* unit; plane */                                  \
    X(T, offset, double, cn_f64, 1, cn_input)             /* m; plane */                                     \
    X(T, volume, double, cn_f64, 1, cn_input)             /* m³ */                                          \
    X(T, users, int32_t, cn_i32, 1, cn_state)             /* instances that have it, and the handle */       \
    X(T, released, uint32_t, cn_u32, 1, cn_state)                                                            \
    X(T, renderData, uint32_t, cn_u32, 1, cn_input) /* goes up when it is set; 0 without */                  \
    X(T, columnCount, int32_t, cn_i32, 1, cn_input)                                                          \
    X(T, rowCount, int32_t, cn_i32, 1, cn_input)                                                             \
    X(T, sizeX, double, cn_f64, 1, cn_input)                                                                 \
    X(T, sizeY, double, cn_f64, 1, cn_input)                                                                 \
    X(T, changes, uint32_t, cn_u32, 1, cn_input)                                                             \
    X(T, shapes, cnShape*, cn_record, 1,                                                                     \
      cn_input) /* each allocated by itself, so that pointers stay while the table grows; equal ones once */

#define CN_RECENT_SHAPES 256

typedef struct cnShapeTable {
    CN_SHAPE_COLUMNS(CN_COLUMN_FIELD, cnShapeTable)
    cnShape* recent[CN_RECENT_SHAPES];    // by a hash of their dimensions, held; null: none yet
    CN_ARRAY(cnRenderData*) renderMeshes; // of rows below its count; null where nothing was set
    uint32_t lastRenderData;
    cnIdPool ids;
    CN_TABLE_FIELDS
} cnShapeTable;

extern const cnColumnList cnShapeColumns;

void cnShapeTable_Free(cnShapeTable* table);

// One user less: an instance or the handle. The last takes the shape along.
void cnShapeTable_DropUser(cnShapeTable* table, int row);
void cnShapeTable_DropRenderData(cnShapeTable* table, int row);

// The columns that repeat what the row's shape is.
void cnShapeTable_Describe(cnShapeTable* table, int row);

// Rows of equal dimensions have one shape in common: takes the shape, which nobody else holds, and gives the
// one to use, the same or an equal one that was made before, with a holder more. So ten thousand equal boxes
// read the same few cache lines. Only shapes that their dimensions alone describe are shared, and only with
// the last of their hash, so that the table keeps no more than CN_RECENT_SHAPES that no row has.
cnShape* cnShapeTable_Share(cnShapeTable* table, cnShape* shape);

// Makes a shape that snapshots of a ring hold, too, the row's alone before it is changed. False
// when memory ran out.
bool cnShapeTable_MakeOwn(cnShapeTable* table, int row);

// One holder less; the last takes it along. Null is allowed.
void cnDropShape(cnShape* shape);
void cnDropRenderData(cnRenderData* data);

// A copy of render data for the table, one block: the struct, the number of holders (1), positions, normals,
// indices. Null when memory ran out.
cnRenderData* cnRenderData_Copy(const cnRenderData* data);
void cnHoldRenderData(cnRenderData* data);
size_t cnRenderData_GetBytes(const cnRenderData* data);
