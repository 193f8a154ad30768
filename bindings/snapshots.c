// The hand-written part of the boundary for snapshots: bytes in and out, at addresses that
// JavaScript has taken.
#include "flat.h"

int32_t cnw_World_Save(uint32_t world, void* target, uint32_t bytes) {
    cnw_Begin();
    return (int32_t)cnWorld_Save((cnWorldId){world}, target, bytes);
}

int32_t cnw_World_Restore(uint32_t world, const void* snapshot, uint32_t bytes) {
    cnw_Begin();
    return (int32_t)cnWorld_Restore((cnWorldId){world}, snapshot, bytes);
}

int32_t cnw_RestoreWorld(const void* snapshot, uint32_t bytes, int32_t threads) {
    cnw_Begin();
    cnWorldId result = cnRestoreWorld(snapshot, bytes, threads);
    return cnw_End(&result, sizeof result);
}

int32_t cnw_World_CopyRecording(uint32_t world, void* target, uint32_t bytes) {
    cnw_Begin();
    return (int32_t)cnWorld_CopyRecording((cnWorldId){world}, target, bytes);
}

// Leaves steps, whether they differ, the step's number and the row as doubles, and the section's
// name behind them.
int32_t cnw_PlayRecording(const void* recording, uint32_t bytes, int32_t threads) {
    cnw_Begin();
    cnReplay replay = {.section = ""};
    cnErrorCode code = cnPlayRecording(recording, bytes, threads, &replay);
    double numbers[4] = {replay.steps, replay.differs, replay.step, replay.row};
    memcpy(cnw_GetResult(), numbers, sizeof numbers);
    memcpy((char*)cnw_GetResult() + sizeof numbers, replay.section, strlen(replay.section) + 1);
    return (int32_t)code;
}
