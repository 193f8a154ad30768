// Merged bodies: the public functions.
#include "world/merged_bodies.h"
#include "api/checks.h"
#include "api/handles.h"
#include "dynamics/motion.h"
#include "world/adaptive_merging.h"
#include "world/contact_list.h"

static bool IsAdaptive(const cnWorld* world, int row) {
    return row >= 0 && (world->mergedBodies.flags[row] & cn_mergedAdaptive) != 0;
}

// The row of a merged body that users may change; −1 with an error.
static int FindOwn(const cnWorld* world, cnMergedBodyId mergedBody, const char* call, const char* argument) {
    int row = world != NULL ? cnFindMergedBody(world, mergedBody, call, argument) : -1;
    if (IsAdaptive(world, row)) {
        cnFail(CN_ERROR_OUT_OF_RANGE, call, argument,
               "%s 0x%08x was made by adaptive merging, which changes it: allowed are your own", argument,
               (unsigned)mergedBody.value);
        return -1;
    }
    return row;
}

// World and row of a call that changes the merged body, or leave with the error.
#define CN_FIND_MERGED_BODY(call)                                                                            \
    cnWorld* world = cnFindWorld(worldId, call);                                                             \
    int row = FindOwn(world, mergedBody, call, "mergedBody");                                                \
    if (row < 0) {                                                                                           \
        return cnGetLastError()->code;                                                                       \
    }

#define CN_FIND_MERGED_BODY_OR(call, otherwise)                                                              \
    cnWorld* world = cnFindWorld(worldId, call);                                                             \
    int row = world != NULL ? cnFindMergedBody(world, mergedBody, call, "mergedBody") : -1;                  \
    if (row < 0) {                                                                                           \
        return otherwise;                                                                                    \
    }

// Merges what the graph says now. It was taken apart before the graph changed.
static cnErrorCode JoinAgain(cnWorld* world, int row, const char* call) {
    bool ok = cnJoinMergedBody(world, row);
    cnKeepContacts(world);
    cnRedirectToCarriers(world);
    cnWorld_PublishTables(world);
    return ok ? CN_ERROR_NONE
              : cnFail(CN_ERROR_OUT_OF_MEMORY, call, "mergedBody", "no memory for what moves %d bodies",
                       world->mergedBodies.partCount[row]);
}

// ---- creation ---------------------------------------------------------------------------------------------

cnMergedBodyId cnCreateMergedBody(cnWorldId worldId, const cnMergedBodyDef* def) {
    const char* call = __func__;
    cnMergedBodyId none = {0};
    cnWorld* world = cnFindWorld(worldId, call);
    if (world == NULL) {
        return none;
    }
    if (def == NULL) {
        cnFail(CN_ERROR_NULL_ARGUMENT, call, "def", "def is null");
        return none;
    }
    if (!cnReserveMergedBodies(world, 1)) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "def", "no memory for more merged bodies: the world has %d",
               world->mergedBodies.ids.liveCount);
        return none;
    }
    int row = cnAddMergedBody(world, !def->inactive);
    cnWorld_PublishTables(world);
    return (cnMergedBodyId){world->mergedBodies.handle[row]};
}

cnErrorCode cnDestroyMergedBody(cnWorldId worldId, cnMergedBodyId mergedBody) {
    CN_FIND_MERGED_BODY(__func__)
    cnRemoveMergedBody(world, row);
    cnWorld_PublishTables(world);
    return CN_ERROR_NONE;
}

bool cnMergedBody_IsValid(cnWorldId worldId, cnMergedBodyId mergedBody) {
    const cnWorld* world = cnLookUpWorld(worldId);
    return world != NULL && cnIdPool_Find(&world->mergedBodies.ids, mergedBody.value) >= 0;
}

// ---- the graph --------------------------------------------------------------------------------------------

static bool IsKinematic(const cnWorld* world, int body) {
    return (world->bodies.flags[body] & cn_bodyKinematic) != 0;
}

static int FindKinematic(const cnWorld* world, int row) {
    for (int part = world->mergedBodies.firstPart[row]; part >= 0; part = world->bodies.nextPart[part]) {
        if (IsKinematic(world, part)) {
            return part;
        }
    }
    return -1;
}

// Bodies that may become parts (bodies of no merged body, or of this one), and of which no two are kinematic.
static cnErrorCode CheckParts(const cnWorld* world, int row, const int* parts, int count, const char* call,
                              const char* const* arguments) {
    int kinematic = FindKinematic(world, row);
    for (int i = 0; i < count; ++i) {
        int owner = world->bodies.mergedBody[parts[i]];
        if (owner >= 0 && owner != row && !IsAdaptive(world, owner)) {
            return cnFail(CN_ERROR_OUT_OF_RANGE, call, arguments[i],
                          "%s is part of merged body 0x%08x: allowed are bodies of none, or of this one",
                          arguments[i], (unsigned)world->mergedBodies.handle[owner]);
        }
        if (IsKinematic(world, parts[i]) && kinematic >= 0 && kinematic != parts[i]) {
            return cnFail(CN_ERROR_OUT_OF_RANGE, call, arguments[i],
                          "%s is kinematic, and so is body 0x%08x: allowed is one in a merged body",
                          arguments[i], (unsigned)world->bodies.handle[kinematic]);
        }
        kinematic = IsKinematic(world, parts[i]) ? parts[i] : kinematic;
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnMergedBody_AddBody(cnWorldId worldId, cnMergedBodyId mergedBody, cnBodyId bodyId) {
    const char* call = __func__;
    static const char* const arguments[] = {"body"};
    CN_FIND_MERGED_BODY(call)
    int body = cnFindBody(world, bodyId, call, "body");
    if (body < 0) {
        return cnGetLastError()->code;
    }
    CN_TRY(CheckParts(world, row, &body, 1, call, arguments));
    cnPartMergedBody(world, row);
    cnAddPart(world, row, body, true);
    return JoinAgain(world, row, call);
}

cnErrorCode cnMergedBody_RemoveBody(cnWorldId worldId, cnMergedBodyId mergedBody, cnBodyId bodyId) {
    const char* call = __func__;
    CN_FIND_MERGED_BODY(call)
    int body = cnFindBody(world, bodyId, call, "body");
    if (body < 0) {
        return cnGetLastError()->code;
    }
    if (world->bodies.mergedBody[body] != row) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "body", "body 0x%08x is no part of merged body 0x%08x",
                      (unsigned)bodyId.value, (unsigned)mergedBody.value);
    }
    cnRemovePart(world, body);
    return JoinAgain(world, row, call);
}

// ---- edges ------------------------------------------------------------------------------------------------

// The bodies of what an edge stands for are those that it names, where it names some.
static cnErrorCode TakeBodies(const cnMergeEdgeDef* def, const cnWorld* world, const int bodies[2],
                              const char* call, cnMergeEdge* edge) {
    const cnBodyId named[2] = {def->body1, def->body2};
    const char* const arguments[2] = {"def.body1", "def.body2"};
    for (int i = 0; i < 2; ++i) {
        if (bodies[i] < 0) {
            return cnFail(CN_ERROR_OUT_OF_RANGE, call, "def",
                          "def joins a body to static geometry or the world, which are no bodies");
        }
        if (!CN_IS_NULL(named[i]) && named[i].value != world->bodies.handle[bodies[i]]) {
            return cnFail(CN_ERROR_OUT_OF_RANGE, call, arguments[i],
                          "%s is 0x%08x, what the edge stands for has 0x%08x there", arguments[i],
                          (unsigned)named[i].value, (unsigned)world->bodies.handle[bodies[i]]);
        }
    }
    edge->body1 = bodies[0];
    edge->body2 = bodies[1];
    return CN_ERROR_NONE;
}

static bool DoTouch(const cnWorld* world, int geometry1, int geometry2) {
    for (int i = 0; i < world->pairs.pairs.count; ++i) {
        const cnPair* pair = cnPairTable_Get(&world->pairs, i);
        bool isOf = (pair->geometry1 == geometry1 && pair->geometry2 == geometry2) ||
                    (pair->geometry1 == geometry2 && pair->geometry2 == geometry1);
        if (isOf && (pair->flags & cn_pairTouching) != 0) {
            return true;
        }
    }
    return false;
}

static cnErrorCode FindGeometries(const cnMergeEdgeDef* def, const cnWorld* world, const char* call,
                                  cnMergeEdge* edge) {
    edge->geometry1 = cnFindGeometry(world, def->geometry1, call, "def.geometry1");
    edge->geometry2 =
        edge->geometry1 >= 0 ? cnFindGeometry(world, def->geometry2, call, "def.geometry2") : -1;
    if (edge->geometry2 < 0) {
        return cnGetLastError()->code;
    }
    const int bodies[2] = {world->geometries.body[edge->geometry1], world->geometries.body[edge->geometry2]};
    CN_TRY(TakeBodies(def, world, bodies, call, edge));
    if (def->kind == cn_mergeEdgeGeometryContact && !DoTouch(world, edge->geometry1, edge->geometry2)) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "def.geometry1",
                      "def.geometry1 and def.geometry2 do not touch: allowed are geometries in contact");
    }
    return CN_ERROR_NONE;
}

static cnErrorCode FindEdge(const cnMergeEdgeDef* def, const cnWorld* world, const char* call,
                            cnMergeEdge* edge) {
    if (def == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "def", "def is null");
    }
    *edge = (cnMergeEdge){def->kind, -1, -1, -1, -1, -1};
    if (def->kind == cn_mergeEdgeContactGenerator || def->kind == cn_mergeEdgeGeometryContact) {
        CN_TRY(FindGeometries(def, world, call, edge));
    } else if (def->kind == cn_mergeEdgeConstraint) {
        edge->constraint = cnFindConstraint(world, def->constraint, call, "def.constraint");
        if (edge->constraint < 0) {
            return cnGetLastError()->code;
        }
        const cnConstraintTable* table = &world->constraints;
        const int bodies[2] = {table->body1[edge->constraint], table->body2[edge->constraint]};
        CN_TRY(TakeBodies(def, world, bodies, call, edge));
    } else if (def->kind == cn_mergeEdgeEmpty) {
        edge->body1 = cnFindBody(world, def->body1, call, "def.body1");
        edge->body2 = edge->body1 >= 0 ? cnFindBody(world, def->body2, call, "def.body2") : -1;
        if (edge->body2 < 0) {
            return cnGetLastError()->code;
        }
    } else {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "def.kind", "def.kind is %d, allowed is 0 to %d",
                      (int)def->kind, (int)cn_mergeEdgeConstraint);
    }
    return edge->body1 != edge->body2 ? CN_ERROR_NONE
                                      : cnFail(CN_ERROR_OUT_OF_RANGE, call, "def.body2",
                                               "def joins body 0x%08x to itself, allowed are two",
                                               (unsigned)world->bodies.handle[edge->body1]);
}

static cnErrorCode ReserveEdge(cnWorld* world, const char* call) {
    return cnReserveMergeEdges(world, 1)
               ? CN_ERROR_NONE
               : cnFail(CN_ERROR_OUT_OF_MEMORY, call, "def", "no memory for more edges: the world has %d",
                        world->mergeEdges.ids.liveCount);
}

// An edge between bodies that may be parts of this merged body.
static cnErrorCode CheckEdge(cnWorld* world, int row, const cnMergeEdgeDef* def, const char* call,
                             cnMergeEdge* edge) {
    static const char* const arguments[] = {"def.body1", "def.body2"};
    CN_TRY(FindEdge(def, world, call, edge));
    const int bodies[2] = {edge->body1, edge->body2};
    CN_TRY(CheckParts(world, row, bodies, 2, call, arguments));
    return ReserveEdge(world, call);
}

cnMergeEdgeId cnMergedBody_AddEdge(cnWorldId worldId, cnMergedBodyId mergedBody, const cnMergeEdgeDef* def) {
    const char* call = __func__;
    cnMergeEdgeId none = {0};
    cnMergeEdge edge = {cn_mergeEdgeEmpty, -1, -1, -1, -1, -1};
    CN_FIND_MERGED_BODY_OR(call, none)
    if (FindOwn(world, mergedBody, call, "mergedBody") < 0 ||
        CheckEdge(world, row, def, call, &edge) != CN_ERROR_NONE) {
        return none;
    }
    cnPartMergedBody(world, row);
    int added = cnAddMergeEdge(world, row, &edge);
    if (JoinAgain(world, row, call) != CN_ERROR_NONE) {
        cnRemoveMergeEdge(world, added);
        return none;
    }
    return (cnMergeEdgeId){world->mergeEdges.handle[added]};
}

cnErrorCode cnMergeEdge_Remove(cnWorldId worldId, cnMergeEdgeId edge) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(worldId, call);
    int edgeRow = world != NULL ? cnFindMergeEdge(world, edge, call, "edge") : -1;
    if (edgeRow < 0) {
        return cnGetLastError()->code;
    }
    int row = world->mergeEdges.mergedBody[edgeRow];
    cnRemoveMergeEdge(world, edgeRow);
    return JoinAgain(world, row, call);
}

bool cnMergeEdge_IsValid(cnWorldId worldId, cnMergeEdgeId edge) {
    const cnWorld* world = cnLookUpWorld(worldId);
    return world != NULL && cnIdPool_Find(&world->mergeEdges.ids, edge.value) >= 0;
}

cnMergeEdgeDef cnMergeEdge_Get(cnWorldId worldId, cnMergeEdgeId edge) {
    const cnWorld* world = cnReadWorld(worldId, __func__);
    int row = world != NULL ? cnFindMergeEdge(world, edge, __func__, "edge") : -1;
    if (row < 0) {
        return (cnMergeEdgeDef){cn_mergeEdgeEmpty, {0}, {0}, {0}, {0}, {0}};
    }
    const cnMergeEdgeTable* table = &world->mergeEdges;
    int constraint = table->constraint[row];
    return (cnMergeEdgeDef){
        .kind = (cnMergeEdgeKind)table->kind[row],
        .body1 = cnBodyIdOf(world, table->body1[row]),
        .body2 = cnBodyIdOf(world, table->body2[row]),
        .geometry1 = cnGeometryIdOf(world, table->geometry1[row]),
        .geometry2 = cnGeometryIdOf(world, table->geometry2[row]),
        .constraint = {constraint >= 0 ? world->constraints.handle[constraint] : 0},
    };
}

// ---- the whole --------------------------------------------------------------------------------------------

cnErrorCode cnMergedBody_SetActive(cnWorldId worldId, cnMergedBodyId mergedBody, bool active) {
    const char* call = __func__;
    CN_FIND_MERGED_BODY(call)
    uint32_t* flags = &world->mergedBodies.flags[row];
    bool was = (*flags & cn_mergedActive) != 0;
    if (active == was) {
        return CN_ERROR_NONE;
    }
    cnPartMergedBody(world, row);
    *flags &= ~(uint32_t)(cn_mergedActive | cn_mergedDue);
    *flags |= active ? cn_mergedActive : 0u;
    return JoinAgain(world, row, call);
}

bool cnMergedBody_IsActive(cnWorldId worldId, cnMergedBodyId mergedBody) {
    CN_FIND_MERGED_BODY_OR(__func__, false)
    return (world->mergedBodies.flags[row] & cn_mergedActive) != 0;
}

int cnMergedBody_GetBodyCount(cnWorldId worldId, cnMergedBodyId mergedBody) {
    CN_FIND_MERGED_BODY_OR(__func__, 0)
    return world->mergedBodies.partCount[row];
}

cnBodyId cnMergedBody_GetBody(cnWorldId worldId, cnMergedBodyId mergedBody, int index) {
    const char* call = __func__;
    CN_FIND_MERGED_BODY_OR(call, (cnBodyId){0})
    int count = world->mergedBodies.partCount[row], part = world->mergedBodies.firstPart[row];
    if (cnCheckIndex(index, count, call, "index", "the bodies of the merged body") != CN_ERROR_NONE) {
        return (cnBodyId){0};
    }
    for (int left = count - 1 - index; left > 0; --left) { // the latest is the first of the list
        part = world->bodies.nextPart[part];
    }
    return cnBodyIdOf(world, part);
}

static int CountEdges(const cnWorld* world, int row) {
    int count = 0;
    for (int edge = world->mergedBodies.firstEdge[row]; edge >= 0; edge = world->mergeEdges.next[edge]) {
        count += 1;
    }
    return count;
}

int cnMergedBody_GetEdgeCount(cnWorldId worldId, cnMergedBodyId mergedBody) {
    CN_FIND_MERGED_BODY_OR(__func__, 0)
    return CountEdges(world, row);
}

cnMergeEdgeId cnMergedBody_GetEdge(cnWorldId worldId, cnMergedBodyId mergedBody, int index) {
    const char* call = __func__;
    CN_FIND_MERGED_BODY_OR(call, (cnMergeEdgeId){0})
    int count = CountEdges(world, row), edge = world->mergedBodies.firstEdge[row];
    if (cnCheckIndex(index, count, call, "index", "the edges of the merged body") != CN_ERROR_NONE) {
        return (cnMergeEdgeId){0};
    }
    for (int left = count - 1 - index; left > 0; --left) {
        edge = world->mergeEdges.next[edge];
    }
    return (cnMergeEdgeId){world->mergeEdges.handle[edge]};
}

cnMergedBodyProperties cnMergedBody_GetProperties(cnWorldId worldId, cnMergedBodyId mergedBody) {
    cnMergedBodyProperties properties = {0};
    CN_FIND_MERGED_BODY_OR(__func__, properties)
    int carrier = world->mergedBodies.carrier[row];
    if (carrier < 0) {
        return properties;
    }
    const cnBodyTable* bodies = &world->bodies;
    uint32_t flags = bodies->flags[carrier];
    cnMat33 axes = cnMatFromQuat(bodies->rotation[carrier]);
    return (cnMergedBodyProperties){
        .joined = true,
        .adaptive = IsAdaptive(world, row),
        .motion = (flags & cn_bodyDynamic) != 0     ? cn_dynamic
                  : (flags & cn_bodyKinematic) != 0 ? cn_kinematic
                                                    : cn_static,
        .mass = bodies->mass[carrier],
        .centreOfMass = bodies->centreOfMass[carrier],
        .inertia = cnRotateMat(axes, bodies->inertia[carrier]),
        .velocity = bodies->velocity[carrier],
        .angularVelocity = bodies->angularVelocity[carrier],
        .momentum = cnBody_ReadMomentum(bodies, carrier),
        .angularMomentum = bodies->angularMomentum[carrier],
    };
}

cnErrorCode cnMergedBody_Merge(cnWorldId worldId, cnMergedBodyId mergedBody, cnMergedBodyId otherId,
                               const cnMergeEdgeDef* def) {
    const char* call = __func__;
    CN_FIND_MERGED_BODY(call)
    int other = FindOwn(world, otherId, call, "other");
    cnMergeEdge edge = {cn_mergeEdgeEmpty, -1, -1, -1, -1, -1};
    if (other < 0) {
        return cnGetLastError()->code;
    }
    if (other == row) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "other", "other is the merged body itself");
    }
    int kinematic = FindKinematic(world, other);
    if (kinematic >= 0 && FindKinematic(world, row) >= 0) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "other",
                      "both merged bodies have a kinematic body: allowed is one");
    }
    CN_TRY(FindEdge(def, world, call, &edge));
    int owner1 = world->bodies.mergedBody[edge.body1], owner2 = world->bodies.mergedBody[edge.body2];
    if (!(owner1 == row && owner2 == other) && !(owner1 == other && owner2 == row)) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "def",
                      "def must join a body of one merged body to a body of the other");
    }
    CN_TRY(ReserveEdge(world, call));
    cnMoveParts(world, other, row);
    cnAddMergeEdge(world, row, &edge);
    return JoinAgain(world, row, call);
}

int cnMergedBody_SplitIslands(cnWorldId worldId, cnMergedBodyId mergedBody) {
    const char* call = __func__;
    CN_FIND_MERGED_BODY_OR(call, -1)
    if (FindOwn(world, mergedBody, call, "mergedBody") < 0) {
        return -1;
    }
    int room = world->mergedBodies.partCount[row] / 2 + 1, count = 0;
    int* made = CN_PUSH(&world->stack, int, room, "merged bodies that islands become");
    if (made == NULL || !cnSplitIslands(world, row, made, &count)) {
        if (made != NULL) {
            cnStack_Pop(&world->stack, made);
        }
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "mergedBody", "no memory for the islands of %d bodies",
               world->mergedBodies.partCount[row]);
        return -1;
    }
    bool ok = cnJoinMergedBody(world, row);
    for (int i = 0; i < count; ++i) {
        ok = cnJoinMergedBody(world, made[i]) && ok;
    }
    cnStack_Pop(&world->stack, made);
    cnKeepContacts(world);
    cnRedirectToCarriers(world);
    cnWorld_PublishTables(world);
    if (!ok) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "mergedBody", "no memory for what moves the islands");
        return -1;
    }
    return count;
}

// ---- bodies -----------------------------------------------------------------------------------------------

cnMergedBodyId cnBody_GetMergedBody(cnWorldId worldId, cnBodyId body) {
    const cnWorld* world = cnReadWorld(worldId, __func__);
    int row = world != NULL ? cnFindBody(world, body, __func__, "body") : -1;
    int merged = row >= 0 ? world->bodies.mergedBody[row] : -1;
    return (cnMergedBodyId){merged >= 0 ? world->mergedBodies.handle[merged] : 0};
}

bool cnBody_IsMerged(cnWorldId worldId, cnBodyId body) {
    const cnWorld* world = cnReadWorld(worldId, __func__);
    int row = world != NULL ? cnFindBody(world, body, __func__, "body") : -1;
    int merged = row >= 0 ? world->bodies.mergedBody[row] : -1;
    return merged >= 0 && (world->mergedBodies.carrier[merged] == row || world->bodies.carrier[row] >= 0);
}

bool cnBody_Split(cnWorldId worldId, cnBodyId body) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(worldId, call);
    int row = world != NULL ? cnFindBody(world, body, call, "body") : -1;
    int merged = row >= 0 ? world->bodies.mergedBody[row] : -1;
    if (merged < 0) {
        return false;
    }
    if (IsAdaptive(world, merged)) {
        cnLoosen(world, row);
        cnWorld_PublishTables(world);
        return true;
    }
    cnRemovePart(world, row);
    JoinAgain(world, merged, call);
    return true;
}
