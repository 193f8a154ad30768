// The graphs of merged bodies: what is part of one, by which edges. Whatever changes a graph takes the merged
// body apart first and joins what it is then (carriers.h), so that momenta are those of the moment.
//
// A part that came with an edge leaves with its last one; a part that was added alone (cn_bodyAlone) stays
// until it is taken out.
#pragma once

#include "world/carriers.h"

typedef struct cnMergeEdge {
    cnMergeEdgeKind kind;
    int body1, body2;         // rows
    int geometry1, geometry2; // rows, −1
    int constraint;           // row, −1
} cnMergeEdge;

// A part may become dynamic, static or kinematic: unless another one of its merged body is kinematic already.
cnErrorCode cnCheckPartMotion(const cnWorld* world, int bodyRow, cnMotion motion, const char* call);

// Room for a merged body more, for edges more; false when memory ran out.
bool cnReserveMergedBodies(cnWorld* world, int count);
bool cnReserveMergeEdges(cnWorld* world, int count);

// Of rows that were checked and for which there is room: nothing is joined yet.
int cnAddMergedBody(cnWorld* world, bool isActive);
void cnAddPart(cnWorld* world, int mergedRow, int bodyRow, bool isAlone);
int cnAddMergeEdge(cnWorld* world, int mergedRow, const cnMergeEdge* edge);

// The edge, and bodies whose last one it was, unless they are parts alone.
void cnRemoveMergeEdge(cnWorld* world, int edgeRow);
// A body with its edges, and those that have none then.
void cnRemovePart(cnWorld* world, int bodyRow);
void cnRemoveMergedBody(cnWorld* world, int mergedRow);
// All parts and edges of another one, after its own and in their order.
void cnMoveParts(cnWorld* world, int fromRow, int toRow);

// The island of the part that came first stays. Other parts that edges connect become merged bodies of their
// own, as active as it is; those without edges leave. `made`: rows of those that were made, room for half as
// many as there are parts. False when memory ran out, and nothing is changed.
bool cnSplitIslands(cnWorld* world, int mergedRow, int* made, int* madeCount);

// Before a body, a constraint or a geometry is gone. The rest is joined again before the next collide.
void cnLeaveMergedBody(cnWorld* world, int bodyRow);
void cnDropEdgesOfConstraint(cnWorld* world, int constraintRow);
void cnDropEdgesOfGeometry(cnWorld* world, int geometryRow);
