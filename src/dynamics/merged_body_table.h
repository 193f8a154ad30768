// Merged bodies and the edges of their graphs: bodies that move as one.
//
// In come handles from the public functions; out go rows of bodies whose parts are listed from `firstPart` on
// (`nextPart` of the bodies). What moves them is world/carriers.h.
#pragma once

#include "base/containers/array.h"
#include "base/containers/id_pool.h"
#include "base/containers/table.h"
#include "base/report/fault.h"
#include "cairn/types.h"
#include "dynamics/body_table.h"

enum {
    cn_mergedLive = 1 << 0,
    cn_mergedActive = 1 << 1,
    cn_mergedJoined = 1 << 2, // its parts move as one now
    cn_mergedDue = 1 << 3,    // will be joined before the next collide
    // of adaptive merging (world/adaptive_merging.h)
    cn_mergedAdaptive = 1 << 4,  // the engine's, not a user's
    cn_mergedGrounded = 1 << 5,  // rests on what does not move
    cn_mergedDisturbed = 1 << 6, // some of its parts split off before the next collide
    cn_mergedFresh = 1 << 7,     // has got parts in this step, and no margins yet
    cn_mergedAlone = 1 << 8,     // nothing outside was near a part in the last step
    cn_mergedLoaded = 1 << 9,    // something outside acts on a part in this step
    cn_mergedHolding = 1 << 10,  // or did as its margins were measured
    cn_mergedWatched = 1 << 11,  // either was so in the last step
    cn_mergedAllFlags = (1 << 12) - 1
};

// X(T, name, C type, scalar, lanes, role)
#define CN_MERGED_BODY_COLUMNS(X, T)                                                                         \
    X(T, handle, uint32_t, cn_u32, 1, cn_reading)                                                            \
    X(T, flags, uint32_t, cn_u32, 1, cn_state)                                                               \
    X(T, carrier, int32_t, cn_i32, 1, cn_state)   /* row of bodies that moves the parts while joined; -1 */  \
    X(T, firstPart, int32_t, cn_i32, 1, cn_state) /* row of bodies; -1 */                                    \
    X(T, partCount, int32_t, cn_i32, 1, cn_state)                                                            \
    X(T, firstEdge, int32_t, cn_i32, 1, cn_state) /* row of edges; -1 */                                     \
    X(T, specificForce, cnVec3, cn_f64, 3,                                                                   \
      cn_state) /* m/s², a − g as parts merged; axes of the carrier, of the world while parted */         \
    X(T, spin, cnVec3, cn_f64, 3, cn_state)     /* rad/s, the same */                                        \
    X(T, spinRate, cnVec3, cn_f64, 3, cn_state) /* rad/s², the same */                                      \
    X(T, margin, double, cn_f64, 1, cn_state)   /* m/s², by which that may change */                        \
    X(T, reach, double, cn_f64, 1, cn_state)    /* m, of its parts from the carrier's centre of mass */

typedef struct cnMergedBodyTable {
    CN_MERGED_BODY_COLUMNS(CN_COLUMN_FIELD, cnMergedBodyTable)
    cnIdPool ids;
    bool isChanged; // a part came or went since changes were listed
    CN_TABLE_FIELDS
} cnMergedBodyTable;

// X(T, name, C type, scalar, lanes, role)
#define CN_MERGE_EDGE_COLUMNS(X, T)                                                                          \
    X(T, handle, uint32_t, cn_u32, 1, cn_reading)                                                            \
    X(T, kind, int32_t, cn_i32, 1, cn_input)                                                                 \
    X(T, mergedBody, int32_t, cn_i32, 1, cn_state) /* row */                                                 \
    X(T, body1, int32_t, cn_i32, 1, cn_input)      /* row */                                                 \
    X(T, body2, int32_t, cn_i32, 1, cn_input)                                                                \
    X(T, geometry1, int32_t, cn_i32, 1, cn_input) /* row, of generators and contacts; -1 */                  \
    X(T, geometry2, int32_t, cn_i32, 1, cn_input)                                                            \
    X(T, constraint, int32_t, cn_i32, 1, cn_input) /* row, -1 */                                             \
    X(T, next, int32_t, cn_i32, 1, cn_state)       /* of its merged body; -1 */

typedef struct cnMergeEdgeTable {
    CN_MERGE_EDGE_COLUMNS(CN_COLUMN_FIELD, cnMergeEdgeTable)
    cnIdPool ids;
    CN_TABLE_FIELDS
} cnMergeEdgeTable;

extern const cnColumnList cnMergedBodyColumns, cnMergeEdgeColumns;

// ---- parts and edges in the lists of their merged body ----

void cnMergedBody_LinkPart(cnMergedBodyTable* table, cnBodyTable* bodies, int row, int body);
void cnMergedBody_UnlinkPart(cnMergedBodyTable* table, cnBodyTable* bodies, int body);
void cnMergedBody_LinkEdge(cnMergedBodyTable* table, cnMergeEdgeTable* edges, int row, int edge);
void cnMergedBody_UnlinkEdge(cnMergedBodyTable* table, cnMergeEdgeTable* edges, int edge);

// Whether lists run through live rows that belong there, counts agree, and bodies that are carried are parts
// of merged bodies that are joined. The pools of all tables are valid.
bool cnMergedBodyTable_Validate(const cnMergedBodyTable* table, const cnMergeEdgeTable* edges,
                                const cnBodyTable* bodies, cnFault* fault);
