#include "dynamics/merged_body_table.h"

const cnColumnList cnMergedBodyColumns = CN_COLUMN_LIST(CN_MERGED_BODY_COLUMNS, cnMergedBodyTable);
const cnColumnList cnMergeEdgeColumns = CN_COLUMN_LIST(CN_MERGE_EDGE_COLUMNS, cnMergeEdgeTable);

void cnMergedBody_LinkPart(cnMergedBodyTable* table, cnBodyTable* bodies, int row, int body) {
    table->isChanged = true;
    bodies->mergedBody[body] = row;
    bodies->nextPart[body] = table->firstPart[row];
    table->firstPart[row] = body;
    table->partCount[row] += 1;
}

void cnMergedBody_UnlinkPart(cnMergedBodyTable* table, cnBodyTable* bodies, int body) {
    table->isChanged = true;
    int row = bodies->mergedBody[body];
    int32_t* link = &table->firstPart[row];
    while (*link != body) {
        link = &bodies->nextPart[*link];
    }
    *link = bodies->nextPart[body];
    table->partCount[row] -= 1;
    bodies->mergedBody[body] = bodies->nextPart[body] = -1;
    bodies->flags[body] &= ~(uint32_t)cn_bodyAlone;
}

void cnMergedBody_LinkEdge(cnMergedBodyTable* table, cnMergeEdgeTable* edges, int row, int edge) {
    edges->mergedBody[edge] = row;
    edges->next[edge] = table->firstEdge[row];
    table->firstEdge[row] = edge;
}

void cnMergedBody_UnlinkEdge(cnMergedBodyTable* table, cnMergeEdgeTable* edges, int edge) {
    int32_t* link = &table->firstEdge[edges->mergedBody[edge]];
    while (*link != edge) {
        link = &edges->next[*link];
    }
    *link = edges->next[edge];
}

// ---- validation -------------------------------------------------------------------------------------------

static bool IsPart(const cnBodyTable* bodies, int body, int row) {
    return cnIdPool_IsLive(&bodies->ids, body) && bodies->mergedBody[body] == row;
}

static bool ValidateParts(const cnMergedBodyTable* table, const cnBodyTable* bodies, int row,
                          cnFault* fault) {
    bool isJoined = (table->flags[row] & cn_mergedJoined) != 0;
    int carrier = table->carrier[row], count = 0;
    CN_CHECK(fault,
             (carrier >= 0) == isJoined && (carrier < 0 || (cnIdPool_IsLive(&bodies->ids, carrier) &&
                                                            (bodies->flags[carrier] & cn_bodyCarried) == 0)),
             "mergedBodies: row %d, %s, has the carrier %d", row, isJoined ? "joined" : "not joined",
             carrier);
    for (int body = table->firstPart[row]; body != -1; body = bodies->nextPart[body]) {
        CN_CHECK(
            fault, IsPart(bodies, body, row) && ++count <= table->partCount[row],
            "mergedBodies: row %d lists body %d, which is no part of it, or lists more than its %d parts",
            row, body, table->partCount[row]);
        bool isCarried = (bodies->flags[body] & cn_bodyCarried) != 0;
        CN_CHECK(fault, bodies->carrier[body] == (isCarried ? carrier : -1) && (!isCarried || isJoined),
                 "bodies: row %d, part of merged body %d with the carrier %d, has the carrier %d", body, row,
                 carrier, bodies->carrier[body]);
    }
    CN_CHECK(fault, count == table->partCount[row], "mergedBodies: row %d lists %d parts and counts %d", row,
             count, table->partCount[row]);
    return true;
}

// Geometries and constraints are those of the kind. That they live is known to who has their tables.
static bool CheckKind(const cnMergeEdgeTable* edges, int edge, cnFault* fault) {
    int kind = edges->kind[edge];
    bool isOfContact = kind == cn_mergeEdgeContactGenerator || kind == cn_mergeEdgeGeometryContact;
    CN_CHECK(fault,
             kind >= cn_mergeEdgeEmpty && kind <= cn_mergeEdgeConstraint &&
                 (edges->geometry1[edge] >= 0) == isOfContact &&
                 (edges->geometry2[edge] >= 0) == isOfContact &&
                 (edges->constraint[edge] >= 0) == (kind == cn_mergeEdgeConstraint),
             "mergeEdges: row %d is of kind %d and names the geometries %d and %d and the constraint %d",
             edge, kind, edges->geometry1[edge], edges->geometry2[edge], edges->constraint[edge]);
    return true;
}

static bool ValidateEdges(const cnMergedBodyTable* table, const cnMergeEdgeTable* edges,
                          const cnBodyTable* bodies, int row, int* count, cnFault* fault) {
    for (int edge = table->firstEdge[row]; edge != -1; edge = edges->next[edge]) {
        CN_CHECK(fault,
                 cnIdPool_IsLive(&edges->ids, edge) && edges->mergedBody[edge] == row &&
                     ++*count <= edges->ids.liveCount,
                 "mergedBodies: row %d lists edge %d, which is none of its own, or its list is a ring", row,
                 edge);
        CN_CHECK(fault, IsPart(bodies, edges->body1[edge], row) && IsPart(bodies, edges->body2[edge], row),
                 "mergeEdges: row %d of merged body %d joins bodies %d and %d, not both parts of it", edge,
                 row, edges->body1[edge], edges->body2[edge]);
        if (!CheckKind(edges, edge, fault)) {
            return false;
        }
    }
    return true;
}

static bool CheckCarrier(const cnMergedBodyTable* table, const cnBodyTable* bodies, int body,
                         cnFault* fault) {
    int row = bodies->mergedBody[body];
    bool isCarrier = cnIdPool_IsLive(&bodies->ids, body) && (bodies->flags[body] & cn_bodyCarrier) != 0;
    CN_CHECK(fault,
             !isCarrier || (cnIdPool_IsLive(&table->ids, row) && table->carrier[row] == body &&
                            (bodies->flags[body] & cn_bodyCarried) == 0),
             "bodies: row %d carries merged body %d, whose carrier it is not", body, row);
    return true;
}

// Edges are users'; what adaptive merging joins has none.
static bool CheckFlags(const cnMergedBodyTable* table, int row, cnFault* fault) {
    uint32_t flags = table->flags[row];
    bool isLive = cnIdPool_IsLive(&table->ids, row), isAdaptive = (flags & cn_mergedAdaptive) != 0;
    CN_CHECK(fault,
             (flags & ~(uint32_t)cn_mergedAllFlags) == 0 && ((flags & cn_mergedLive) != 0) == isLive &&
                 !(isLive && isAdaptive && table->firstEdge[row] != -1),
             "mergedBodies: row %d, %s, has the flags 0x%x and begins with edge %d", row,
             isLive ? "live" : "not live", flags, table->firstEdge[row]);
    return true;
}

bool cnMergedBodyTable_Validate(const cnMergedBodyTable* table, const cnMergeEdgeTable* edges,
                                const cnBodyTable* bodies, cnFault* fault) {
    int parts = 0, listedEdges = 0;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if (!CheckFlags(table, row, fault)) {
            return false;
        }
        if (cnIdPool_IsLive(&table->ids, row)) {
            if (!ValidateParts(table, bodies, row, fault) ||
                !ValidateEdges(table, edges, bodies, row, &listedEdges, fault)) {
                return false;
            }
            parts += table->partCount[row];
        }
    }
    CN_CHECK(fault, listedEdges == edges->ids.liveCount, "mergeEdges: %d are live, merged bodies list %d",
             edges->ids.liveCount, listedEdges);
    for (int body = 0; body < bodies->ids.rowCount; ++body) {
        if (!CheckCarrier(table, bodies, body, fault)) {
            return false;
        }
        CN_CHECK(fault, cnIdPool_IsLive(&bodies->ids, body) || bodies->mergedBody[body] == -1,
                 "bodies: row %d, which is free, is part of merged body %d", body, bodies->mergedBody[body]);
        bool isCarrier = (bodies->flags[body] & cn_bodyCarrier) != 0;
        bool isPart = cnIdPool_IsLive(&bodies->ids, body) && bodies->mergedBody[body] >= 0 && !isCarrier;
        parts -= isPart;
        CN_CHECK(fault,
                 isPart || !cnIdPool_IsLive(&bodies->ids, body) ||
                     ((bodies->flags[body] & cn_bodyCarried) == 0 && bodies->carrier[body] == -1),
                 "bodies: row %d is carried and part of no merged body", body);
    }
    CN_CHECK(fault, parts == 0, "bodies: %d more are parts of merged bodies than these list", -parts);
    return true;
}
