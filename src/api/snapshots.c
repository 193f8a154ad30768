// Snapshots: the public functions.
#include "api/handles.h"
#include "world/contact_list.h"
#include "world/snapshot/format.h"

#include "base/report/error.h"

#include <stdint.h>
#include <string.h>

size_t cnWorld_GetSnapshotBytes(cnWorldId id) {
    cnWorld* world = cnFindWorld(id, __func__);
    if (world == NULL || cnTryListContacts(world, __func__) != CN_ERROR_NONE) {
        return 0;
    }
    return cnSnapshot_GetBytes(world, cn_snapshotWhole);
}

// Memory for a copy where the caller's is not aligned; otherwise the caller's.
static void* Align(const void* memory, size_t bytes) {
    return (uintptr_t)memory % CN_SNAPSHOT_ALIGNMENT == 0 ? (void*)memory : cnAllocate(bytes);
}

cnErrorCode cnWorld_Save(cnWorldId id, void* target, size_t bytes) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(id, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    CN_TRY(cnTryListContacts(world, call)); // which a snapshot has, too
    size_t wanted = cnSnapshot_GetBytes(world, cn_snapshotWhole);
    if (target == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "target", "target is null");
    }
    if (bytes != wanted) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "bytes", "bytes is %.0f, allowed is %.0f", (double)bytes,
                      (double)wanted);
    }
    void* aligned = Align(target, bytes);
    if (aligned == NULL) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "target", "no memory for a snapshot of %.0f bytes",
                      (double)bytes);
    }
    cnSnapshot_Write(world, cn_snapshotWhole, aligned);
    if (aligned != target) {
        memcpy(target, aligned, bytes);
        cnFree(aligned, bytes);
    }
    return CN_ERROR_NONE;
}

static cnErrorCode Restore(cnWorld* world, const void* snapshot, size_t bytes, const char* call) {
    if (snapshot == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "snapshot", "snapshot is null");
    }
    CN_TRY(cnRejectListeners(world, "restore", call));
    void* aligned = Align(snapshot, bytes);
    if (aligned == NULL && bytes > 0) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "snapshot", "no memory for a copy of %.0f bytes",
                      (double)bytes);
    }
    if (aligned != snapshot && bytes > 0) {
        memcpy(aligned, snapshot, bytes);
    }
    cnErrorCode code = cnSnapshot_Restore(world, aligned, bytes, NULL, call);
    if (aligned != snapshot) {
        cnFree(aligned, bytes);
    }
    if (code == CN_ERROR_NONE) {
        cnRing_Restart(world);
    }
    return code;
}

cnErrorCode cnWorld_Restore(cnWorldId id, const void* snapshot, size_t bytes) {
    cnWorld* world = cnFindWorld(id, __func__);
    return world != NULL ? Restore(world, snapshot, bytes, __func__) : cnGetLastError()->code;
}

cnWorldId cnRestoreWorld(const void* snapshot, size_t bytes, int threads) {
    cnWorldId id = cnCreateWorld(&(cnWorldDef){.threads = threads});
    if (!CN_IS_NULL(id) && Restore(cnLookUpWorld(id), snapshot, bytes, __func__) != CN_ERROR_NONE) {
        cnDestroyWorld(id);
        return (cnWorldId){0};
    }
    return id;
}

// ---- the rollback ring ------------------------------------------------------------------------------------

#define CN_MAX_KEPT_STEPS 100000

cnErrorCode cnWorld_Keep(cnWorldId id, int steps) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(id, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    if (steps < 0 || steps > CN_MAX_KEPT_STEPS) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "steps", "steps is %d, allowed is 0 to %d", steps,
                      CN_MAX_KEPT_STEPS);
    }
    if (steps == 0) {
        cnRing_Free(world);
        return CN_ERROR_NONE;
    }
    return cnRing_Make(world, steps)
               ? CN_ERROR_NONE
               : cnFail(CN_ERROR_OUT_OF_MEMORY, call, "steps", "no memory to keep %d steps", steps);
}

cnErrorCode cnWorld_Rewind(cnWorldId id, int steps) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(id, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    CN_TRY(cnRejectListeners(world, "rewind", call));
    int kept = cnRing_CountSteps(world);
    if (!cnRing_IsOn(world) || steps < 0 || steps > kept) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "steps", "steps is %d, %s 0 to %d", steps,
                      !cnRing_IsOn(world) ? "no steps are kept; after cnWorld_Keep allowed is" : "allowed is",
                      kept);
    }
    return cnRing_Rewind(world, steps, call);
}

int cnWorld_GetKeptSteps(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    return world != NULL ? cnRing_CountSteps(world) : 0;
}

size_t cnWorld_GetKeptBytes(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    return world != NULL ? cnRing_GetBytes(world) : 0;
}
