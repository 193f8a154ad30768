// Contacts as users read them: one row for each pair of shapes that touches or touched in the step before,
// made anew for every collide and every solve in the order of the pairs once somebody reads them
// (world/contact_list.h), with its points in a table of their own.
#pragma once

#include "base/containers/table.h"
#include "cairn/types.h"

// X(T, name, C type, scalar, lanes, role)
#define CN_CONTACT_COLUMNS(X, T)                                                                             \
    X(T, body1, int32_t, cn_i32, 1, cn_reading) /* rows; -1 for static geometry */                           \
    X(T, body2, int32_t, cn_i32, 1, cn_reading)                                                              \
    X(T, geometry1, int32_t, cn_i32, 1, cn_reading)                                                          \
    X(T, geometry2, int32_t, cn_i32, 1, cn_reading)                                                          \
    X(T, shape1, int32_t, cn_i32, 1, cn_reading) /* index among the geometry's shapes */                     \
    X(T, shape2, int32_t, cn_i32, 1, cn_reading)                                                             \
    X(T, state, uint32_t, cn_u32, 1, cn_reading) /* cnContactState */                                        \
    X(T, pair, int32_t, cn_i32, 1,                                                                           \
      cn_reading) /* row of the pair that keeps it between steps, -1 for one that is gone */                 \
    X(T, firstPoint, int32_t, cn_i32, 1, cn_reading)                                                         \
    X(T, pointCount, int32_t, cn_i32, 1, cn_reading) /* that touch or bear */                                \
    X(T, normal, cnVec3, cn_f64, 3, cn_reading)      /* unit, moves 1 out of 2 */                            \
    X(T, depth, double, cn_f64, 1, cn_reading)       /* m, the largest */                                    \
    X(T, normalForce, cnVec3, cn_f64, 3, cn_reading) /* N, on 1 */                                           \
    X(T, tangentialForce, cnVec3, cn_f64, 3, cn_reading)                                                     \
    X(T, impactForce, cnVec3, cn_f64, 3, cn_reading) /* N, the part of both that is of impacts */            \
    X(T, flags, uint32_t, cn_u32, 1, cn_reading)     /* of a sensor, removed by a listener */

enum {
    cn_contactSensor = 1 << 0,  // found, never solved
    cn_contactRemoved = 1 << 1, // by a listener: not solved in this step
};

typedef struct cnContactTable {
    CN_CONTACT_COLUMNS(CN_COLUMN_FIELD, cnContactTable)
    int count;
    CN_TABLE_FIELDS
} cnContactTable;

extern const cnColumnList cnContactColumns;

// Points that touch or bear. The friction of a manifold is carried at its centre; its points share it in
// proportion to their normal forces.
#define CN_CONTACT_POINT_COLUMNS(X, T)                                                                       \
    X(T, contact, int32_t, cn_i32, 1, cn_reading)                                                            \
    X(T, feature, uint32_t, cn_u32, 1, cn_reading)                                                           \
    X(T, position, cnVec3, cn_f64, 3, cn_reading) /* m, world, half-way between the surfaces */              \
    X(T, normal, cnVec3, cn_f64, 3, cn_reading)                                                              \
    X(T, depth, double, cn_f64, 1, cn_reading)           /* m */                                             \
    X(T, normalForce, double, cn_f64, 1, cn_reading)     /* N, along the normal, on 1 */                     \
    X(T, tangentialForce, cnVec3, cn_f64, 3, cn_reading) /* N, on 1 */

typedef struct cnContactPointTable {
    CN_CONTACT_POINT_COLUMNS(CN_COLUMN_FIELD, cnContactPointTable)
    int count;
    CN_TABLE_FIELDS
} cnContactPointTable;

extern const cnColumnList cnContactPointColumns;

// What began and ended touching in the last collide: separations first, then impacts, each in the order of
// the contact table.
#define CN_CONTACT_EVENT_COLUMNS(X, T)                                                                       \
    X(T, state, uint32_t, cn_u32, 1, cn_reading)  /* cnContactState: impact or separation */                 \
    X(T, contact, int32_t, cn_i32, 1, cn_reading) /* row of the contact table */                             \
    X(T, body1, int32_t, cn_i32, 1, cn_reading)   /* rows; -1 for static geometry */                         \
    X(T, body2, int32_t, cn_i32, 1, cn_reading)                                                              \
    X(T, geometry1, int32_t, cn_i32, 1, cn_reading)                                                          \
    X(T, geometry2, int32_t, cn_i32, 1, cn_reading)                                                          \
    X(T, position, cnVec3, cn_f64, 3, cn_reading) /* m, world, of the deepest point; zero without points */  \
    X(T, normal, cnVec3, cn_f64, 3, cn_reading)   /* unit, moves 1 out of 2 */                               \
    X(T, speed, double, cn_f64, 1, cn_reading)    /* m/s, of approach along the normal before the solve */   \
    X(T, impulse, double, cn_f64, 1, cn_reading)  /* N s, along the normal, of the step's solve */           \
    X(T, pair, int32_t, cn_i32, 1, cn_reading) /* row; -1 for one that is gone, -2 - k for the k-th ended */

typedef struct cnContactEventTable {
    CN_CONTACT_EVENT_COLUMNS(CN_COLUMN_FIELD, cnContactEventTable)
    int count;
    CN_TABLE_FIELDS
} cnContactEventTable;

extern const cnColumnList cnContactEventColumns;

// As cnTable_Reserve, for each of the three tables.
#define cnContactTable_Reserve(table, list, rows)                                                            \
    cnTable_Grow(table, list, rows, cnContactCapacity((table)->capacity, rows))

// The capacity such a table grows to from `capacity` rows.
int cnContactCapacity(int capacity, int rows);
