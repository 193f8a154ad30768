// Recordings: the public functions.
#include "base/report/error.h"
#include "world/snapshot/record.h"

#include <string.h>

cnErrorCode cnWorld_StartRecording(cnWorldId id) {
    cnWorld* world = cnFindWorld(id, __func__);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    return cnRecorder_Start(world)
               ? CN_ERROR_NONE
               : cnFail(CN_ERROR_OUT_OF_MEMORY, __func__, "world", "no memory for the start of a recording");
}

cnErrorCode cnWorld_StopRecording(cnWorldId id) {
    cnWorld* world = cnFindWorld(id, __func__);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    cnRecorder_Free(world);
    return CN_ERROR_NONE;
}

size_t cnWorld_GetRecordingBytes(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    size_t bytes = 0;
    if (world != NULL && cnRecorder_IsOn(world)) {
        cnRecorder_GetBytes(world, &bytes);
    }
    return bytes;
}

cnErrorCode cnWorld_CopyRecording(cnWorldId id, void* target, size_t bytes) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(id, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    if (!cnRecorder_IsOn(world)) {
        return cnFail(CN_ERROR_WRONG_PHASE, call, "world", "nothing is recorded: start a recording first");
    }
    if (target == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "target", "target is null");
    }
    size_t wanted;
    const void* recording = cnRecorder_GetBytes(world, &wanted);
    if (recording == NULL) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "world",
                      "memory ran out after %.0f bytes of the recording", (double)wanted);
    }
    if (bytes != wanted) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "bytes", "bytes is %.0f, allowed is %.0f", (double)bytes,
                      (double)wanted);
    }
    memcpy(target, recording, bytes);
    return CN_ERROR_NONE;
}

// Both halves of steps, until the end, a difference or a fault.
static void Play(cnWorld* world) {
    const cnPlayed* played = cnRecorder_GetPlayed(world);
    int before = -1;
    while (!played->isAtEnd && !played->difference.differs && played->fault.message[0] == '\0' &&
           played->steps != before) {
        before = played->steps;
        if (!world->collided) {
            cnWorld_Collide(world->id);
        }
        cnWorld_Solve(world->id); // a body that became NaN did so in the recording, too
    }
}

static cnErrorCode PlayInWorld(cnWorld* world, const void* recording, size_t bytes, cnReplay* out,
                               const char* call) {
    static _Thread_local char section[CN_SECTION_NAME];
    if (!cnRecorder_Play(world, recording, bytes)) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "recording", "no memory to play a recording");
    }
    Play(world);
    const cnPlayed* played = cnRecorder_GetPlayed(world);
    const cnStepDifference* difference = &played->difference;
    memcpy(section, difference->section, sizeof section);
    *out = (cnReplay){played->steps, difference->differs, difference->step, difference->row, section};
    return played->fault.message[0] == '\0'
               ? CN_ERROR_NONE
               : cnFail(CN_ERROR_SNAPSHOT, call, "recording", "after %d steps: %s", played->steps,
                        played->fault.message);
}

cnErrorCode cnPlayRecording(const void* recording, size_t bytes, int threads, cnReplay* out) {
    const char* call = __func__;
    if (recording == NULL || out == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, recording == NULL ? "recording" : "out", "%s is null",
                      recording == NULL ? "recording" : "out");
    }
    *out = (cnReplay){.row = -1, .section = ""};
    cnFault fault;
    size_t startBytes;
    const void* start = cnRecording_GetStart(recording, bytes, &startBytes, &fault);
    if (start == NULL) {
        return cnFail(CN_ERROR_SNAPSHOT, call, "recording", "%s", fault.message);
    }
    cnWorldId id = cnRestoreWorld(start, startBytes, threads);
    if (CN_IS_NULL(id)) {
        return cnGetLastError()->code;
    }
    cnErrorCode code = PlayInWorld(cnLookUpWorld(id), recording, bytes, out, call);
    cnDestroyWorld(id);
    return code;
}
