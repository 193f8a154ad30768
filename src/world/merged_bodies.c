#include "world/merged_bodies.h"

#include "base/containers/disjoint_sets.h"
#include "base/report/error.h"

cnErrorCode cnCheckPartMotion(const cnWorld* world, int bodyRow, cnMotion motion, const char* call) {
    const cnBodyTable* bodies = &world->bodies;
    int merged = motion == cn_kinematic ? bodies->mergedBody[bodyRow] : -1;
    for (int part = merged >= 0 ? world->mergedBodies.firstPart[merged] : -1; part >= 0;
         part = bodies->nextPart[part]) {
        if (part != bodyRow && (bodies->flags[part] & cn_bodyKinematic) != 0) {
            return cnFail(
                CN_ERROR_OUT_OF_RANGE, call, "motion",
                "motion is kinematic, and so is body 0x%08x of the same merged body: allowed is one",
                (unsigned)bodies->handle[part]);
        }
    }
    return CN_ERROR_NONE;
}

bool cnReserveMergedBodies(cnWorld* world, int count) {
    cnMergedBodyTable* table = &world->mergedBodies;
    return cnIdPool_GetRoom(&table->ids) >= count && cnIdPool_Reserve(&table->ids, count) &&
           cnTable_Reserve(table, &cnMergedBodyColumns, table->ids.rowCount + count);
}

bool cnReserveMergeEdges(cnWorld* world, int count) {
    cnMergeEdgeTable* table = &world->mergeEdges;
    return cnIdPool_GetRoom(&table->ids) >= count && cnIdPool_Reserve(&table->ids, count) &&
           cnTable_Reserve(table, &cnMergeEdgeColumns, table->ids.rowCount + count);
}

int cnAddMergedBody(cnWorld* world, bool isActive) {
    cnMergedBodyTable* table = &world->mergedBodies;
    uint32_t handle = cnIdPool_Acquire(&table->ids);
    int row = cnIdPool_Find(&table->ids, handle);
    table->handle[row] = handle;
    table->flags[row] = cn_mergedLive | (isActive ? cn_mergedActive : 0u);
    table->carrier[row] = table->firstPart[row] = table->firstEdge[row] = -1;
    table->partCount[row] = 0;
    table->specificForce[row] = table->spin[row] = table->spinRate[row] = cnVec3_zero;
    table->margin[row] = table->reach[row] = 0.0;
    return row;
}

void cnAddPart(cnWorld* world, int mergedRow, int bodyRow, bool isAlone) {
    int owner = world->bodies.mergedBody[bodyRow];
    if (owner >= 0 && owner != mergedRow) { // the engine's, which has to yield
        cnLoosen(world, bodyRow);
    }
    if (world->bodies.mergedBody[bodyRow] < 0) {
        cnMergedBody_LinkPart(&world->mergedBodies, &world->bodies, mergedRow, bodyRow);
    }
    world->bodies.flags[bodyRow] |= isAlone ? cn_bodyAlone : 0u;
}

int cnAddMergeEdge(cnWorld* world, int mergedRow, const cnMergeEdge* edge) {
    cnMergeEdgeTable* table = &world->mergeEdges;
    uint32_t handle = cnIdPool_Acquire(&table->ids);
    int row = cnIdPool_Find(&table->ids, handle);
    table->handle[row] = handle;
    table->kind[row] = (int32_t)edge->kind;
    table->body1[row] = edge->body1;
    table->body2[row] = edge->body2;
    table->geometry1[row] = edge->geometry1;
    table->geometry2[row] = edge->geometry2;
    table->constraint[row] = edge->constraint;
    cnAddPart(world, mergedRow, edge->body1, false);
    cnAddPart(world, mergedRow, edge->body2, false);
    cnMergedBody_LinkEdge(&world->mergedBodies, table, mergedRow, row);
    return row;
}

// ---- removal ----------------------------------------------------------------------------------------------

static bool HasEdge(const cnWorld* world, int mergedRow, int bodyRow) {
    const cnMergeEdgeTable* edges = &world->mergeEdges;
    for (int edge = world->mergedBodies.firstEdge[mergedRow]; edge >= 0; edge = edges->next[edge]) {
        if (edges->body1[edge] == bodyRow || edges->body2[edge] == bodyRow) {
            return true;
        }
    }
    return false;
}

static void UnlinkUnlessHeld(cnWorld* world, int bodyRow) {
    int merged = world->bodies.mergedBody[bodyRow];
    if ((world->bodies.flags[bodyRow] & cn_bodyAlone) == 0 && !HasEdge(world, merged, bodyRow)) {
        cnMergedBody_UnlinkPart(&world->mergedBodies, &world->bodies, bodyRow);
    }
}

// Out of its list and its table; its bodies stay.
static void DropEdge(cnWorld* world, int edgeRow) {
    cnMergeEdgeTable* edges = &world->mergeEdges;
    cnMergedBody_UnlinkEdge(&world->mergedBodies, edges, edgeRow);
    cnIdPool_Release(&edges->ids, edges->handle[edgeRow]);
    edges->handle[edgeRow] = 0;
}

void cnRemoveMergeEdge(cnWorld* world, int edgeRow) {
    int body1 = world->mergeEdges.body1[edgeRow], body2 = world->mergeEdges.body2[edgeRow];
    cnPartMergedBody(world, world->mergeEdges.mergedBody[edgeRow]);
    DropEdge(world, edgeRow);
    UnlinkUnlessHeld(world, body1);
    UnlinkUnlessHeld(world, body2);
}

void cnRemovePart(cnWorld* world, int bodyRow) {
    cnMergedBodyTable* table = &world->mergedBodies;
    cnMergeEdgeTable* edges = &world->mergeEdges;
    int merged = world->bodies.mergedBody[bodyRow];
    cnPartMergedBody(world, merged);
    int edge = table->firstEdge[merged];
    while (edge >= 0) {
        int next = edges->next[edge], body1 = edges->body1[edge], body2 = edges->body2[edge];
        if (body1 == bodyRow || body2 == bodyRow) {
            DropEdge(world, edge);
            UnlinkUnlessHeld(world, body1 == bodyRow ? body2 : body1);
        }
        edge = next;
    }
    cnMergedBody_UnlinkPart(table, &world->bodies, bodyRow);
}

void cnRemoveMergedBody(cnWorld* world, int mergedRow) {
    cnMergedBodyTable* table = &world->mergedBodies;
    cnPartMergedBody(world, mergedRow);
    while (table->firstEdge[mergedRow] >= 0) {
        DropEdge(world, table->firstEdge[mergedRow]);
    }
    while (table->firstPart[mergedRow] >= 0) {
        cnMergedBody_UnlinkPart(table, &world->bodies, table->firstPart[mergedRow]);
    }
    cnIdPool_Release(&table->ids, table->handle[mergedRow]);
    table->handle[mergedRow] = table->flags[mergedRow] = 0;
}

// ---- moving -----------------------------------------------------------------------------------------------

// Empties the list of parts, or of edges, from `first` on. What it had is linked the other way round then:
// the one that came first leads, so that those that are linked again in this order keep it.
static int TakeList(int32_t* first, int32_t* next) {
    int taken = -1, row = *first;
    while (row >= 0) {
        int after = next[row];
        next[row] = taken;
        taken = row;
        row = after;
    }
    *first = -1;
    return taken;
}

static int TakeParts(cnWorld* world, int mergedRow) {
    world->mergedBodies.partCount[mergedRow] = 0;
    return TakeList(&world->mergedBodies.firstPart[mergedRow], world->bodies.nextPart);
}

static int TakeEdges(cnWorld* world, int mergedRow) {
    return TakeList(&world->mergedBodies.firstEdge[mergedRow], world->mergeEdges.next);
}

void cnMoveParts(cnWorld* world, int fromRow, int toRow) {
    cnMergedBodyTable* table = &world->mergedBodies;
    cnBodyTable* bodies = &world->bodies;
    cnPartMergedBody(world, fromRow);
    cnPartMergedBody(world, toRow);
    for (int part = TakeParts(world, fromRow), next; part >= 0; part = next) {
        next = bodies->nextPart[part];
        cnMergedBody_LinkPart(table, bodies, toRow, part);
    }
    for (int edge = TakeEdges(world, fromRow), next; edge >= 0; edge = next) {
        next = world->mergeEdges.next[edge];
        cnMergedBody_LinkEdge(table, &world->mergeEdges, toRow, edge);
    }
}

bool cnSplitIslands(cnWorld* world, int mergedRow, int* made, int* madeCount) {
    enum {
        single = -1,
        unplaced = -2
    };
    cnMergedBodyTable* table = &world->mergedBodies;
    cnMergeEdgeTable* edges = &world->mergeEdges;
    cnBodyTable* bodies = &world->bodies;
    int rowCount = bodies->ids.rowCount;
    *madeCount = 0;
    int* roots = CN_PUSH(&world->stack, int, 2 * rowCount + 1, "islands of a merged body");
    if (roots == NULL) {
        return false;
    }
    if (!cnReserveMergedBodies(world, table->partCount[mergedRow] / 2)) {
        cnStack_Pop(&world->stack, roots);
        return false;
    }
    cnPartMergedBody(world, mergedRow);
    int* places = roots + rowCount; // of a root: the merged body that its island goes to
    int firstPart = TakeParts(world, mergedRow), firstEdge = TakeEdges(world, mergedRow);
    for (int part = firstPart; part >= 0; part = bodies->nextPart[part]) {
        roots[part] = part;
        places[part] = single;
    }
    for (int edge = firstEdge; edge >= 0; edge = edges->next[edge]) {
        cnUniteSets(roots, edges->body1[edge], edges->body2[edge]);
    }
    for (int edge = firstEdge; edge >= 0; edge = edges->next[edge]) {
        places[cnFindRoot(roots, edges->body1[edge])] = unplaced;
    }
    bool isActive = (table->flags[mergedRow] & cn_mergedActive) != 0, isFirst = true;
    for (int part = firstPart, next; part >= 0; part = next) {
        int* place = &places[cnFindRoot(roots, part)];
        next = bodies->nextPart[part];
        if (*place == unplaced) {
            *place = isFirst ? mergedRow : cnAddMergedBody(world, isActive);
            if (!isFirst) {
                made[(*madeCount)++] = *place;
            }
            isFirst = false;
        }
        if (*place == single) {
            bodies->mergedBody[part] = bodies->nextPart[part] = -1;
            bodies->flags[part] &= ~(uint32_t)cn_bodyAlone;
        } else {
            cnMergedBody_LinkPart(table, bodies, *place, part);
        }
    }
    for (int edge = firstEdge, next; edge >= 0; edge = next) {
        next = edges->next[edge];
        cnMergedBody_LinkEdge(table, edges, places[cnFindRoot(roots, edges->body1[edge])], edge);
    }
    cnStack_Pop(&world->stack, roots);
    return true;
}

// ---- what is gone -----------------------------------------------------------------------------------------

void cnLeaveMergedBody(cnWorld* world, int bodyRow) {
    int merged = world->bodies.mergedBody[bodyRow];
    if (merged >= 0 && (world->mergedBodies.flags[merged] & cn_mergedAdaptive) != 0) {
        cnLoosen(world, bodyRow);
    } else if (merged >= 0) {
        cnRemovePart(world, bodyRow);
        world->mergedBodies.flags[merged] |= cn_mergedDue;
    }
}

static void DropEdges(cnWorld* world, const int32_t* names, int row) {
    for (int edge = 0; edge < world->mergeEdges.ids.rowCount; ++edge) {
        if (world->mergeEdges.handle[edge] != 0 && names[edge] == row) {
            int merged = world->mergeEdges.mergedBody[edge];
            cnRemoveMergeEdge(world, edge);
            world->mergedBodies.flags[merged] |= cn_mergedDue;
        }
    }
}

void cnDropEdgesOfConstraint(cnWorld* world, int constraintRow) {
    DropEdges(world, world->mergeEdges.constraint, constraintRow);
}

void cnDropEdgesOfGeometry(cnWorld* world, int geometryRow) {
    DropEdges(world, world->mergeEdges.geometry1, geometryRow);
    DropEdges(world, world->mergeEdges.geometry2, geometryRow);
}
