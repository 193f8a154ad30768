// Contacts as users read them: one row for each pair of shapes that touches or touched in the step before,
// rebuilt by every collide in the order of the pairs, with its points in a table of their own. Forces are
// written by the solve.
#pragma once

#include "base/containers/table.h"
#include "cairn/types.h"

// X(name, C type, scalar, lanes, role)
#define CN_CONTACT_COLUMNS(X)                                                                                \
    X(body1, int32_t, cn_i32, 1, cn_reading) /* rows; -1 for static geometry */                              \
    X(body2, int32_t, cn_i32, 1, cn_reading)                                                                 \
    X(geometry1, int32_t, cn_i32, 1, cn_reading)                                                             \
    X(geometry2, int32_t, cn_i32, 1, cn_reading)                                                             \
    X(shape1, int32_t, cn_i32, 1, cn_reading) /* index among the geometry's shapes */                        \
    X(shape2, int32_t, cn_i32, 1, cn_reading)                                                                \
    X(state, uint32_t, cn_u32, 1, cn_reading) /* cnContactState */                                           \
    X(pair, int32_t, cn_i32, 1,                                                                              \
      cn_reading) /* row of the pair that keeps it between steps, -1 for one that is gone */                 \
    X(firstPoint, int32_t, cn_i32, 1, cn_reading)                                                            \
    X(pointCount, int32_t, cn_i32, 1, cn_reading) /* with depth >= 0 */                                      \
    X(normal, cnVec3, cn_f64, 3, cn_reading)      /* unit, moves 1 out of 2 */                               \
    X(depth, double, cn_f64, 1, cn_reading)       /* m, the largest */                                       \
    X(normalForce, cnVec3, cn_f64, 3, cn_reading) /* N, on 1 */                                              \
    X(tangentialForce, cnVec3, cn_f64, 3, cn_reading)                                                        \
    X(impactForce, cnVec3, cn_f64, 3, cn_reading) /* N, the part of both that is of impacts */               \
    X(flags, uint32_t, cn_u32, 1, cn_reading)     /* of a sensor, removed by a listener */

enum {
    cn_contactSensor = 1 << 0,  // found, never solved
    cn_contactRemoved = 1 << 1, // by a listener: not solved in this step
};

typedef struct cnContactTable {
    CN_CONTACT_COLUMNS(CN_COLUMN_FIELD)
    int count;
    CN_TABLE_FIELDS
} cnContactTable;

extern const cnColumn cnContactColumns[];
extern const int cnContactColumnCount;

// Rows with depth >= 0 only. The friction of a manifold is carried at its centre; its points share it in
// proportion to their normal forces.
#define CN_CONTACT_POINT_COLUMNS(X)                                                                          \
    X(contact, int32_t, cn_i32, 1, cn_reading)                                                               \
    X(feature, uint32_t, cn_u32, 1, cn_reading)                                                              \
    X(position, cnVec3, cn_f64, 3, cn_reading) /* m, world, half-way between the surfaces */                 \
    X(normal, cnVec3, cn_f64, 3, cn_reading)                                                                 \
    X(depth, double, cn_f64, 1, cn_reading)           /* m */                                                \
    X(normalForce, double, cn_f64, 1, cn_reading)     /* N, along the normal, on 1 */                        \
    X(tangentialForce, cnVec3, cn_f64, 3, cn_reading) /* N, on 1 */

typedef struct cnContactPointTable {
    CN_CONTACT_POINT_COLUMNS(CN_COLUMN_FIELD)
    int count;
    CN_TABLE_FIELDS
} cnContactPointTable;

extern const cnColumn cnContactPointColumns[];
extern const int cnContactPointColumnCount;

// What began and ended touching in the last collide: separations first, then impacts, each in the order of
// the contact table.
#define CN_CONTACT_EVENT_COLUMNS(X)                                                                          \
    X(state, uint32_t, cn_u32, 1, cn_reading)  /* cnContactState: impact or separation */                    \
    X(contact, int32_t, cn_i32, 1, cn_reading) /* row of the contact table */                                \
    X(body1, int32_t, cn_i32, 1, cn_reading)   /* rows; -1 for static geometry */                            \
    X(body2, int32_t, cn_i32, 1, cn_reading)                                                                 \
    X(geometry1, int32_t, cn_i32, 1, cn_reading)                                                             \
    X(geometry2, int32_t, cn_i32, 1, cn_reading)                                                             \
    X(position, cnVec3, cn_f64, 3, cn_reading) /* m, world, of the deepest point; zero without points */     \
    X(normal, cnVec3, cn_f64, 3, cn_reading)   /* unit, moves 1 out of 2 */                                  \
    X(speed, double, cn_f64, 1, cn_reading)    /* m/s, of approach along the normal before the solve */      \
    X(impulse, double, cn_f64, 1, cn_reading)  /* N s, along the normal, of the step's solve */

typedef struct cnContactEventTable {
    CN_CONTACT_EVENT_COLUMNS(CN_COLUMN_FIELD)
    int count;
    CN_TABLE_FIELDS
} cnContactEventTable;

extern const cnColumn cnContactEventColumns[];
extern const int cnContactEventColumnCount;

// Room for that many rows; false when memory ran out.
bool cnContactTable_Reserve(cnContactTable* table, int rows);
void cnContactTable_Free(cnContactTable* table);
bool cnContactPointTable_Reserve(cnContactPointTable* table, int rows);
void cnContactPointTable_Free(cnContactPointTable* table);
bool cnContactEventTable_Reserve(cnContactEventTable* table, int rows);
void cnContactEventTable_Free(cnContactEventTable* table);
