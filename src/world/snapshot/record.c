// Recording and playing: chunks, and the moments of a step at which they come and go.
#include "world/snapshot/record.h"
#include "world/contact_list.h"

#include "base/report/assert.h"
#include "base/report/error.h"
#include "world/snapshot/changes.h"

#include <string.h>

typedef enum ChunkKind {
    chunkStart = 1, // a snapshot
    chunkChanges,   // of `moment`
    chunkEnd,       // of a step
} ChunkKind;

typedef enum RecordMoment {
    recordBeforeCollide = 0,
    recordAfterListeners, // of contacts
    recordBeforeSolve,
} RecordMoment;

typedef struct Head {
    char magic[8]; // "CAIRNRC" and its zero
    uint32_t version, reserved;
} Head;

typedef struct Chunk {
    uint32_t kind;
    uint32_t moment; // of changes
    uint64_t bytes;  // that follow, without what aligns the next chunk to 16
    uint64_t checksum;
    uint64_t reserved;
} Chunk;

typedef struct cnRecorder {
    bool isPlaying;
    bool failed;            // memory ran out
    bool isMarked;          // `before` is what the last phase left
    cnBuffer before, after; // snapshots: what the last phase left, what the next one finds
    cnBuffer changes;       // in work
    cnStepDigest digest;    // in work
    cnBuffer recording;
    const char* source; // that is played
    size_t sourceBytes, at;
    cnPlayed played;
} cnRecorder;

static cnRecorder* RecorderOf(const cnWorld* world) {
    return world->watchers[cn_watcherRecorder].state;
}

bool cnRecorder_IsOn(const cnWorld* world) {
    return RecorderOf(world) != NULL;
}

// ---- chunks -----------------------------------------------------------------------------------------------

static bool AddChunk(cnRecorder* recorder, ChunkKind kind, uint32_t moment, const void* bytes, size_t count) {
    static const char zeros[CN_SNAPSHOT_ALIGNMENT] = {0};
    Chunk chunk = {.kind = kind, .moment = moment, .bytes = count, .checksum = cnChecksum(bytes, count)};
    return cnBuffer_Add(&recorder->recording, &chunk, sizeof chunk) &&
           cnBuffer_Add(&recorder->recording, bytes, count) &&
           cnBuffer_Add(&recorder->recording, zeros, cnAlignSection(count) - count);
}

static bool TakeSnapshot(cnWorld* world, cnBuffer* buffer) {
    cnKeepContacts(world);
    size_t bytes = cnSnapshot_GetBytes(world, cn_snapshotWhole);
    if (bytes > INT32_MAX / 2 || !cnArray_Resize(&buffer->bytes, (int)bytes)) {
        return false;
    }
    cnSnapshot_Write(world, cn_snapshotWhole, buffer->bytes.data);
    return true;
}

// ---- recording --------------------------------------------------------------------------------------------

static void RecordChanges(cnRecorder* recorder, cnWorld* world, uint32_t moment) {
    bool ok = TakeSnapshot(world, &recorder->after);
    bool same = ok && recorder->before.bytes.count == recorder->after.bytes.count &&
                memcmp(recorder->before.bytes.data, recorder->after.bytes.data,
                       (size_t)recorder->after.bytes.count) == 0;
    if (ok && !same) {
        ok = cnSnapshot_Compare(&recorder->before, &recorder->after, &recorder->changes) &&
             AddChunk(recorder, chunkChanges, moment, recorder->changes.bytes.data,
                      (size_t)recorder->changes.bytes.count);
    }
    recorder->failed = recorder->failed || !ok;
}

// ---- playing ----------------------------------------------------------------------------------------------

// The next chunk and what it holds; false at the end and with a fault.
static bool PeekChunk(cnRecorder* recorder, Chunk* chunk, const char** bytes) {
    size_t left = recorder->sourceBytes - recorder->at;
    recorder->played.isAtEnd = left == 0;
    if (left == 0) {
        return false;
    }
    if (left >= sizeof *chunk) {
        memcpy(chunk, recorder->source + recorder->at, sizeof *chunk);
        *bytes = recorder->source + recorder->at + sizeof *chunk;
    }
    if (left < sizeof *chunk || chunk->bytes > left - sizeof *chunk ||
        cnAlignSection((size_t)chunk->bytes) > left - sizeof *chunk ||
        cnChecksum(*bytes, (size_t)chunk->bytes) != chunk->checksum) {
        return cnFault_Set(&recorder->played.fault, "the recording is cut or damaged at byte %.0f",
                           (double)recorder->at);
    }
    return true;
}

static void PassChunk(cnRecorder* recorder, const Chunk* chunk) {
    recorder->at += sizeof *chunk + cnAlignSection((size_t)chunk->bytes);
    recorder->played.isAtEnd = recorder->at == recorder->sourceBytes;
}

static void PlayChanges(cnRecorder* recorder, cnWorld* world, uint32_t moment) {
    Chunk chunk = {0};
    const char* bytes = NULL;
    cnFault* fault = &recorder->played.fault;
    if (fault->message[0] != '\0' || !PeekChunk(recorder, &chunk, &bytes) || chunk.kind != chunkChanges ||
        chunk.moment != moment) {
        return;
    }
    bool wrong = false;
    bool isInCollide = moment == recordAfterListeners;
    world->listeners.notifying += isInCollide; // the events are still those of the step before
    if (!TakeSnapshot(world, &recorder->before) ||
        !cnSnapshot_ApplyChanges(&recorder->before, bytes, (size_t)chunk.bytes, &recorder->after, &wrong)) {
        cnFault_Set(fault, wrong ? "changes that make no sense" : "memory ran out");
    } else if (cnSnapshot_Restore(world, recorder->after.bytes.data, (size_t)recorder->after.bytes.count,
                                  NULL, "cnReplay") != CN_ERROR_NONE) {
        cnFault_Set(fault, "%.200s", cnGetLastError()->message);
    }
    world->listeners.notifying -= isInCollide;
    PassChunk(recorder, &chunk);
}

static void CompareStep(cnRecorder* recorder, const cnWorld* world, const char* recorded, size_t bytes) {
    cnPlayed* played = &recorder->played;
    if (!cnStepDigest_Take(&recorder->digest, world)) {
        cnFault_Set(&played->fault, "memory ran out");
    } else if (!cnStepDigest_Compare(&recorder->digest, recorded, bytes, &played->difference)) {
        cnFault_Set(&played->fault, "the end of a step is too short");
    } else {
        played->steps += 1;
    }
}

// ---- the moments of a step --------------------------------------------------------------------------------

static void Mark(cnWorld* world) {
    cnRecorder* recorder = RecorderOf(world);
    if (recorder != NULL && !recorder->isPlaying && !recorder->failed) {
        recorder->failed = !TakeSnapshot(world, &recorder->before);
        recorder->isMarked = true;
    }
}

static void Catch(cnWorld* world, RecordMoment moment) {
    cnRecorder* recorder = RecorderOf(world);
    if (recorder == NULL) {
        return;
    }
    if (recorder->isPlaying) {
        PlayChanges(recorder, world, (uint32_t)moment);
    } else if (!recorder->failed && recorder->isMarked) {
        RecordChanges(recorder, world, (uint32_t)moment);
        recorder->isMarked = false;
    }
}

static void EndStep(cnWorld* world) {
    cnRecorder* recorder = RecorderOf(world);
    if (recorder == NULL) {
        return;
    }
    cnStepDigest* digest = &recorder->digest;
    if (!recorder->isPlaying) {
        recorder->failed =
            recorder->failed || !cnStepDigest_Take(digest, world) ||
            !AddChunk(recorder, chunkEnd, 0, digest->whole.bytes.data, (size_t)digest->whole.bytes.count);
        Mark(world);
        return;
    }
    Chunk chunk = {0};
    const char* bytes = NULL;
    cnFault* fault = &recorder->played.fault;
    if (fault->message[0] == '\0' && PeekChunk(recorder, &chunk, &bytes)) {
        if (chunk.kind == chunkEnd) {
            CompareStep(recorder, world, bytes, (size_t)chunk.bytes);
        } else {
            cnFault_Set(fault, "the end of step %.0f is missing", world->stepCount);
        }
        PassChunk(recorder, &chunk);
    }
}

static void Notify(cnWorld* world, cnWorldMoment moment) {
    switch (moment) {
    case cn_momentBeforeCollide:
        Catch(world, recordBeforeCollide);
        break;
    case cn_momentContactsHeard:
        Catch(world, recordAfterListeners);
        break;
    case cn_momentBeforeSolve:
        Catch(world, recordBeforeSolve);
        break;
    case cn_momentContactsFound:
    case cn_momentCollided:
        Mark(world);
        break;
    case cn_momentStepped:
        EndStep(world);
        break;
    }
}

// ---- from outside -----------------------------------------------------------------------------------------

bool cnRecorder_Start(cnWorld* world) {
    cnRecorder* recorder = cnAllocate(sizeof *recorder);
    if (recorder == NULL) {
        return false;
    }
    cnRecorder_Free(world);
    world->watchers[cn_watcherRecorder] = (cnWatcher){Notify, cnRecorder_Free, recorder};
    recorder->isMarked = true;
    Head head = {.magic = "CAIRNRC", .version = CN_RECORDING_VERSION};
    bool ok =
        cnBuffer_Add(&recorder->recording, &head, sizeof head) && TakeSnapshot(world, &recorder->before) &&
        AddChunk(recorder, chunkStart, 0, recorder->before.bytes.data, (size_t)recorder->before.bytes.count);
    if (!ok) {
        cnRecorder_Free(world);
    }
    return ok;
}

void cnRecorder_Free(cnWorld* world) {
    cnRecorder* recorder = RecorderOf(world);
    if (recorder != NULL) {
        cnArray_Free(&recorder->before.bytes);
        cnArray_Free(&recorder->after.bytes);
        cnArray_Free(&recorder->changes.bytes);
        cnStepDigest_Free(&recorder->digest);
        cnArray_Free(&recorder->recording.bytes);
        cnFree(recorder, sizeof *recorder);
        world->watchers[cn_watcherRecorder] = (cnWatcher){0};
    }
}

const void* cnRecorder_GetBytes(const cnWorld* world, size_t* bytes) {
    const cnRecorder* recorder = RecorderOf(world);
    CN_ASSERT(recorder != NULL && !recorder->isPlaying);
    *bytes = (size_t)recorder->recording.bytes.count;
    return recorder->failed ? NULL : recorder->recording.bytes.data;
}

const void* cnRecording_GetStart(const void* recording, size_t bytes, size_t* startBytes, cnFault* fault) {
    fault->message[0] = '\0';
    Head head;
    if (bytes < sizeof head || memcmp(recording, "CAIRNRC", 8) != 0) {
        cnFault_Set(fault, "the bytes are no recording of Cairn");
        return NULL;
    }
    memcpy(&head, recording, sizeof head);
    if (head.version != CN_RECORDING_VERSION) {
        cnFault_Set(fault, "the recording has version %u, this build reads %d", (unsigned)head.version,
                    CN_RECORDING_VERSION);
        return NULL;
    }
    cnRecorder reader = {.source = recording, .sourceBytes = bytes, .at = sizeof head};
    Chunk chunk = {0};
    const char* start = NULL;
    if (!PeekChunk(&reader, &chunk, &start) || chunk.kind != chunkStart) {
        cnFault_Set(fault, "the recording has no start, or is cut or damaged there");
        return NULL;
    }
    *startBytes = (size_t)chunk.bytes;
    return start;
}

bool cnRecorder_Play(cnWorld* world, const void* recording, size_t bytes) {
    cnRecorder* recorder = cnAllocate(sizeof *recorder);
    if (recorder == NULL) {
        return false;
    }
    cnRecorder_Free(world);
    *recorder =
        (cnRecorder){.isPlaying = true, .source = recording, .sourceBytes = bytes, .at = sizeof(Head)};
    world->watchers[cn_watcherRecorder] = (cnWatcher){Notify, cnRecorder_Free, recorder};
    Chunk chunk = {0};
    const char* start = NULL;
    if (PeekChunk(recorder, &chunk, &start)) {
        PassChunk(recorder, &chunk);
    }
    return true;
}

const cnPlayed* cnRecorder_GetPlayed(const cnWorld* world) {
    CN_ASSERT(RecorderOf(world) != NULL);
    return &RecorderOf(world)->played;
}
