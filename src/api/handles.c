#include "api/handles.h"

#include "base/report/error.h"

static int FindRow(const cnIdPool* ids, uint32_t handle, const char* kind, const char* call,
                   const char* argument) {
    if (handle == 0) {
        cnFail(CN_ERROR_NULL_HANDLE, call, argument,
               "%s is the null handle, allowed are those of objects that live", argument);
        return -1;
    }
    int row = cnIdPool_Find(ids, handle);
    if (row < 0) {
        cnFail(CN_ERROR_STALE_HANDLE, call, argument, "%s 0x%08x is no %s of this world (any more)", argument,
               (unsigned)handle, kind);
    }
    return row;
}

int cnFindBody(const cnWorld* world, cnBodyId body, const char* call, const char* argument) {
    int row = world != NULL ? FindRow(&world->bodies.ids, body.value, "body", call, argument) : -1;
    if (row >= 0 && (world->bodies.flags[row] & cn_bodyCarrier) != 0) {
        cnFail(CN_ERROR_STALE_HANDLE, call, argument, "%s 0x%08x is no body of this world (any more)",
               argument, (unsigned)body.value);
        return -1;
    }
    return row;
}

int cnFindGeometry(const cnWorld* world, cnGeometryId geometry, const char* call, const char* argument) {
    return world != NULL ? FindRow(&world->geometries.ids, geometry.value, "geometry", call, argument) : -1;
}

int cnFindShape(const cnWorld* world, cnShapeId shape, const char* call, const char* argument) {
    int row = world != NULL ? FindRow(&world->shapes.ids, shape.value, "shape", call, argument) : -1;
    if (row >= 0 && world->shapes.released[row] != 0) {
        cnFail(CN_ERROR_STALE_HANDLE, call, argument, "%s 0x%08x is no shape of this world (any more)",
               argument, (unsigned)shape.value);
        return -1;
    }
    return row;
}

int cnFindConstraint(const cnWorld* world, cnConstraintId constraint, const char* call,
                     const char* argument) {
    return world != NULL ? FindRow(&world->constraints.ids, constraint.value, "constraint", call, argument)
                         : -1;
}

int cnFindMergedBody(const cnWorld* world, cnMergedBodyId mergedBody, const char* call,
                     const char* argument) {
    return world != NULL ? FindRow(&world->mergedBodies.ids, mergedBody.value, "merged body", call, argument)
                         : -1;
}

int cnFindMergeEdge(const cnWorld* world, cnMergeEdgeId edge, const char* call, const char* argument) {
    return world != NULL ? FindRow(&world->mergeEdges.ids, edge.value, "edge", call, argument) : -1;
}

int cnAcquireRow(cnWorld* world, cnIdPool* ids, bool hasRoom, const char* kind, const char* call) {
    cnWorld_PublishTables(world);
    uint32_t handle = hasRoom ? cnIdPool_Acquire(ids) : 0;
    if (handle != 0) {
        return cnIdPool_Find(ids, handle);
    }
    if (!hasRoom || ids->liveCount < CN_MAX_ROWS / 2) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "def", "no memory for more %s: the world has %d", kind,
               ids->liveCount);
    } else {
        cnFail(CN_ERROR_TOO_MANY, call, "def", "the world has %d %s, a table holds %d at most",
               ids->liveCount, kind, CN_MAX_ROWS);
    }
    return -1;
}

cnErrorCode cnRejectListeners(const cnWorld* world, const char* act, const char* call) {
    if (world->listeners.notifying == 0) {
        return CN_ERROR_NONE;
    }
    return cnFail(CN_ERROR_WRONG_PHASE, call, "world", "a listener is at work: it cannot %s its world", act);
}
