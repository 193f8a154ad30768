// Recording and playing: the moments of a step, chunks, differences of snapshots.
#include "world/snapshot/record.h"

#include "base/containers/hash.h"
#include "base/report/assert.h"
#include "base/report/error.h"
#include "base/report/format.h"

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

// At the end of a step, before the checksums of sections and the rows of tables.
typedef struct StepEnd {
    double step;
    uint64_t hash;
} StepEnd;

typedef struct Buffer {
    CN_ARRAY(char) bytes;
} Buffer;

typedef struct cnRecorder {
    bool isPlaying;
    bool failed;          // memory ran out
    bool isMarked;        // `before` is what the last phase left
    Buffer before, after; // snapshots: what the last phase left, what the next one finds
    Buffer chunk;         // in work
    Buffer recording;
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

// ---- bytes ----------------------------------------------------------------------------------------------------------

static bool Add(Buffer* buffer, const void* bytes, size_t count) {
    if ((size_t)buffer->bytes.count + count > INT32_MAX / 2 ||
        !cnArray_Reserve(&buffer->bytes, buffer->bytes.count + (int)count)) {
        return false;
    }
    if (count > 0) {
        memcpy(buffer->bytes.data + buffer->bytes.count, bytes, count);
    }
    buffer->bytes.count += (int)count;
    return true;
}

static bool AddChunk(cnRecorder* recorder, ChunkKind kind, uint32_t moment, const void* bytes, size_t count) {
    static const char zeros[CN_SNAPSHOT_ALIGNMENT] = {0};
    Chunk chunk = {.kind = kind, .moment = moment, .bytes = count, .checksum = cnChecksum(bytes, count)};
    return Add(&recorder->recording, &chunk, sizeof chunk) && Add(&recorder->recording, bytes, count) &&
           Add(&recorder->recording, zeros, cnAlignSection(count) - count);
}

static bool TakeSnapshot(const cnWorld* world, Buffer* buffer) {
    size_t bytes = cnSnapshot_GetBytes(world, cn_snapshotWhole);
    if (bytes > INT32_MAX / 2 || !cnArray_Resize(&buffer->bytes, (int)bytes)) {
        return false;
    }
    cnSnapshot_Write(world, cn_snapshotWhole, buffer->bytes.data);
    return true;
}

static cnSnapshotHeader* HeaderOf(const Buffer* snapshot) {
    return (cnSnapshotHeader*)(void*)snapshot->bytes.data;
}

static cnSnapshotEntry* EntriesOf(const Buffer* snapshot) {
    return (cnSnapshotEntry*)(HeaderOf(snapshot) + 1);
}

static size_t FirstSection(const Buffer* snapshot) {
    return cnAlignSection(sizeof(cnSnapshotHeader) + HeaderOf(snapshot)->sections * sizeof(cnSnapshotEntry));
}

// ---- differences ----------------------------------------------------------------------------------------------------
//
// The library's fingerprint, then of each section the number of rows, the number of runs, and the runs: offset, length, bytes.

#define RUN_UNIT 8

static bool AddRun(Buffer* out, const char* section, size_t from, size_t to) {
    uint32_t run[2] = {(uint32_t)from, (uint32_t)(to - from)};
    return Add(out, run, sizeof run) && Add(out, section + from, to - from);
}

// Runs of bytes in which two sections differ, what is beyond the shorter one among them.
static bool AddDifferences(Buffer* out, const char* before, size_t bytesBefore, const char* after,
                           size_t bytesAfter, uint32_t* runCount) {
    size_t start = 0;
    bool inRun = false;
    for (size_t at = 0; at < bytesAfter; at += RUN_UNIT) {
        size_t length = bytesAfter - at < RUN_UNIT ? bytesAfter - at : RUN_UNIT;
        bool same = at + length <= bytesBefore && memcmp(before + at, after + at, length) == 0;
        if (!same && !inRun) {
            start = at;
        }
        if (same && inRun) {
            *runCount += 1;
            if (!AddRun(out, after, start, at)) {
                return false;
            }
        }
        inRun = !same;
    }
    *runCount += inRun;
    return !inRun || AddRun(out, after, start, bytesAfter);
}

static bool Compare(const Buffer* before, const Buffer* after, Buffer* out) {
    const cnSnapshotEntry *old = EntriesOf(before), *new = EntriesOf(after);
    size_t oldAt = FirstSection(before), newAt = FirstSection(after);
    CN_ASSERT(HeaderOf(before)->sections == HeaderOf(after)->sections);
    out->bytes.count = 0;
    bool ok = Add(out, &HeaderOf(after)->library, sizeof(uint64_t));
    for (uint32_t i = 0; i < HeaderOf(after)->sections && ok; ++i) {
        size_t oldBytes = (size_t)old[i].rows * old[i].rowBytes,
               newBytes = (size_t) new[i].rows *new[i].rowBytes;
        uint32_t counts[2] = {new[i].rows, 0};
        int head = out->bytes.count;
        ok = Add(out, counts, sizeof counts) &&
             AddDifferences(out, before->bytes.data + oldAt, oldBytes, after->bytes.data + newAt, newBytes,
                            &counts[1]);
        if (ok) {
            memcpy(out->bytes.data + head, counts, sizeof counts);
        }
        oldAt += cnAlignSection(oldBytes);
        newAt += cnAlignSection(newBytes);
    }
    return ok;
}

typedef struct Reader {
    const char* at;
    size_t left;
} Reader;

static bool Read(Reader* reader, void* out, size_t bytes) {
    if (bytes > reader->left) {
        return false;
    }
    memcpy(out, reader->at, bytes);
    reader->at += bytes;
    reader->left -= bytes;
    return true;
}

static bool ApplyRuns(Reader* reader, char* section, size_t bytes, uint32_t runCount) {
    for (uint32_t i = 0; i < runCount; ++i) {
        uint32_t run[2];
        if (!Read(reader, run, sizeof run) || run[0] > bytes || run[1] > bytes - run[0] ||
            !Read(reader, section + run[0], run[1])) {
            return false;
        }
    }
    return true;
}

// Bytes of the snapshot that the changes lead to; 0 where they make no sense.
static size_t MeasureChanged(const Buffer* before, Reader reader) {
    uint64_t bytes = FirstSection(before);
    const cnSnapshotEntry* entries = EntriesOf(before);
    uint64_t library;
    bool ok = Read(&reader, &library, sizeof library);
    for (uint32_t i = 0; i < HeaderOf(before)->sections && ok; ++i) {
        uint32_t counts[2], run[2];
        ok = Read(&reader, counts, sizeof counts);
        for (uint32_t k = 0; ok && k < counts[1]; ++k) {
            ok = Read(&reader, run, sizeof run) && run[1] <= reader.left;
            if (ok) {
                reader.at += run[1];
                reader.left -= run[1];
            }
        }
        uint64_t section = ok ? (uint64_t)counts[0] * entries[i].rowBytes : 0;
        ok = ok && section < INT32_MAX / 2 && bytes + section < INT32_MAX / 2;
        bytes += ok ? cnAlignSection((size_t)section) : 0;
    }
    return ok && reader.left == 0 ? (size_t)bytes : 0;
}

// The snapshot that the changes lead to. False where they make no sense (*wrong) or memory ran out.
static bool ApplyChanges(const Buffer* before, Buffer* after, Reader reader, bool* wrong) {
    size_t bytes = MeasureChanged(before, reader);
    *wrong = bytes == 0;
    if (*wrong || !cnArray_Resize(&after->bytes, (int)bytes)) {
        return false;
    }
    size_t first = FirstSection(before), oldAt = first, newAt = first;
    memset(after->bytes.data, 0, bytes);
    memcpy(after->bytes.data, before->bytes.data, first);
    const cnSnapshotEntry* old = EntriesOf(before);
    cnSnapshotEntry* new = EntriesOf(after);
    cnSnapshotHeader* header = HeaderOf(after);
    bool ok = Read(&reader, &header->library, sizeof(uint64_t));
    for (uint32_t i = 0; i < header->sections && ok; ++i) {
        uint32_t counts[2] = {0, 0};
        ok = Read(&reader, counts, sizeof counts);
        size_t oldBytes = (size_t)old[i].rows * old[i].rowBytes,
               newBytes = (size_t)counts[0] * new[i].rowBytes;
        new[i].rows = counts[0];
        char* section = after->bytes.data + newAt;
        memcpy(section, before->bytes.data + oldAt, oldBytes < newBytes ? oldBytes : newBytes);
        ok = ok && ApplyRuns(&reader, section, newBytes, counts[1]);
        oldAt += cnAlignSection(oldBytes);
        newAt += cnAlignSection(newBytes);
    }
    header->bytes = bytes;
    header->checksum = cnChecksum(header + 1, bytes - sizeof *header);
    *wrong = !ok;
    return ok;
}

// ---- the end of a step ----------------------------------------------------------------------------------------------

typedef struct Digest {
    const cnWorld* world;
    Buffer* out;    // checksums of sections
    Buffer* rows;   // of the tables
    size_t count;   // of the table in work
    int tableStart; // in `rows`
    bool ok;
} Digest;

static uint64_t HashRecordRow(const char* row, cnFieldList list) {
    cnHash hash = cnHash_Start();
    for (int f = 0; f < list.count; ++f) {
        const cnField* field = &list.fields[f];
        if (field->scalar == cn_record || field->role == cn_reading || field->role == cn_derived) {
            continue;
        }
        for (int i = 0; i < field->count; ++i) {
            cnHash_AddU64(&hash, cnChecksum(row + field->offset + (size_t)i * field->stride, field->bytes));
        }
    }
    return hash.value;
}

// Columns that a hash of the state takes, and pairs and constraints.
static bool IsCompared(const cnSection* section) {
    bool isColumn = section->name != NULL && (section->role == cn_state || section->role == cn_input);
    return section->kind == cn_sectionRows && (section->members != NULL || isColumn);
}

static bool AddSection(const cnSection* section, void* context) {
    Digest* digest = context;
    if (!IsCompared(section)) {
        return true;
    }
    int rows = cnSection_GetRows(section, digest->world);
    const char* data = cnSection_GetData(section, digest->world);
    int start = digest->rows->bytes.count;
    bool isNewTable = section->count != digest->count || start == 0;
    if (isNewTable) {
        digest->count = section->count;
        uint32_t number = (uint32_t)rows;
        digest->ok = digest->ok && Add(digest->rows, &number, sizeof number);
        digest->tableStart = digest->rows->bytes.count;
        uint16_t zero = 0;
        for (int row = 0; row < rows && digest->ok; ++row) {
            digest->ok = Add(digest->rows, &zero, sizeof zero);
        }
    }
    cnHash hash = cnHash_Start();
    for (int row = 0; row < rows && digest->ok; ++row) {
        const char* at = data + (size_t)row * (size_t)section->rowBytes;
        uint64_t own = section->members != NULL ? HashRecordRow(at, *section->members)
                                                : cnChecksum(at, (size_t)section->rowBytes);
        cnHash_AddU64(&hash, own);
        uint16_t sum;
        char* place = digest->rows->bytes.data + digest->tableStart + (size_t)row * sizeof sum;
        memcpy(&sum, place, sizeof sum);
        sum = (uint16_t)(sum * 31u + (uint16_t)(own >> 48));
        memcpy(place, &sum, sizeof sum);
    }
    digest->ok = digest->ok && Add(digest->out, &hash.value, sizeof hash.value);
    return digest->ok;
}

// StepEnd, then checksums, then rows.
static bool DigestStep(cnRecorder* recorder, const cnWorld* world) {
    StepEnd end = {.step = world->stepCount, .hash = cnHashState(world)};
    Digest digest = {.world = world, .out = &recorder->chunk, .rows = &recorder->after, .ok = true};
    recorder->chunk.bytes.count = recorder->after.bytes.count = 0;
    return Add(&recorder->chunk, &end, sizeof end) && cnVisitSections(AddSection, &digest) && digest.ok &&
           Add(&recorder->chunk, recorder->after.bytes.data, (size_t)recorder->after.bytes.count);
}

typedef struct Search {
    const cnWorld* world;
    const char *own, *recorded; // checksums
    const char *ownRows, *recordedRows, *recordedEnd;
    size_t count;
    bool started;
    uint32_t ownCount, recordedCount;
    cnPlayed* played;
} Search;

// Where the rows of the table of a section are, in both digests.
static bool EnterTable(Search* search, const cnSection* section) {
    if (search->started) {
        search->ownRows += (size_t)search->ownCount * sizeof(uint16_t);
        search->recordedRows += (size_t)search->recordedCount * sizeof(uint16_t);
    }
    search->started = true;
    search->count = section->count;
    if (search->recordedEnd - search->recordedRows < (ptrdiff_t)sizeof(uint32_t)) {
        return false;
    }
    memcpy(&search->ownCount, search->ownRows, sizeof(uint32_t));
    memcpy(&search->recordedCount, search->recordedRows, sizeof(uint32_t));
    search->ownRows += sizeof(uint32_t);
    search->recordedRows += sizeof(uint32_t);
    return (size_t)(search->recordedEnd - search->recordedRows) / sizeof(uint16_t) >= search->recordedCount;
}

static int FirstRow(const Search* search) {
    uint32_t common = search->ownCount < search->recordedCount ? search->ownCount : search->recordedCount;
    for (uint32_t row = 0; row < common; ++row) {
        if (memcmp(search->ownRows + row * sizeof(uint16_t), search->recordedRows + row * sizeof(uint16_t),
                   sizeof(uint16_t)) != 0) {
            return (int)row;
        }
    }
    return (int)common;
}

static bool FindDifference(const cnSection* section, void* context) {
    Search* search = context;
    if (!IsCompared(section)) {
        return true;
    }
    if ((!search->started || section->count != search->count) && !EnterTable(search, section)) {
        return false;
    }
    bool same = memcmp(search->own, search->recorded, sizeof(uint64_t)) == 0;
    search->own += sizeof(uint64_t);
    search->recorded += sizeof(uint64_t);
    if (same) {
        return true;
    }
    cnFormat(search->played->section, sizeof search->played->section, "%s%s%s", section->table,
             section->name != NULL ? "." : "", section->name != NULL ? section->name : "");
    search->played->row = FirstRow(search);
    return false;
}

static bool CountSections(const cnSection* section, void* context) {
    *(size_t*)context += IsCompared(section);
    return true;
}

static void CompareStep(cnRecorder* recorder, const cnWorld* world, const char* recorded, size_t bytes) {
    cnPlayed* played = &recorder->played;
    StepEnd end;
    size_t sections = 0;
    cnVisitSections(CountSections, &sections);
    size_t head = sizeof end + sections * sizeof(uint64_t);
    if (bytes < head || !DigestStep(recorder, world)) {
        cnFault_Set(&played->fault, bytes < head ? "the end of a step is too short" : "memory ran out");
        return;
    }
    memcpy(&end, recorded, sizeof end);
    StepEnd own;
    memcpy(&own, recorder->chunk.bytes.data, sizeof own);
    played->steps += 1;
    if (own.hash == end.hash && own.step == end.step) {
        return;
    }
    const char* ownBytes = recorder->chunk.bytes.data;
    Search search = {.world = world,
                     .own = ownBytes + sizeof end,
                     .recorded = recorded + sizeof end,
                     .ownRows = ownBytes + head,
                     .recordedRows = recorded + head,
                     .recordedEnd = recorded + bytes,
                     .played = played};
    played->differs = true;
    played->step = own.step;
    played->row = -1;
    memcpy(played->section, "world", sizeof "world");
    cnVisitSections(FindDifference, &search);
}

// ---- recording ------------------------------------------------------------------------------------------------------

static void RecordChanges(cnRecorder* recorder, const cnWorld* world, uint32_t moment) {
    bool ok = TakeSnapshot(world, &recorder->after);
    bool same = ok && recorder->before.bytes.count == recorder->after.bytes.count &&
                memcmp(recorder->before.bytes.data, recorder->after.bytes.data,
                       (size_t)recorder->after.bytes.count) == 0;
    if (ok && !same) {
        ok = Compare(&recorder->before, &recorder->after, &recorder->chunk) &&
             AddChunk(recorder, chunkChanges, moment, recorder->chunk.bytes.data,
                      (size_t)recorder->chunk.bytes.count);
    }
    recorder->failed = recorder->failed || !ok;
}

// ---- playing --------------------------------------------------------------------------------------------------------

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
    Reader reader = {bytes, (size_t)chunk.bytes};
    bool isInCollide = moment == recordAfterListeners;
    world->listeners.notifying += isInCollide; // the events are still those of the step before
    if (!TakeSnapshot(world, &recorder->before) ||
        !ApplyChanges(&recorder->before, &recorder->after, reader, &wrong)) {
        cnFault_Set(fault, wrong ? "changes that make no sense" : "memory ran out");
    } else if (cnSnapshot_Restore(world, recorder->after.bytes.data, (size_t)recorder->after.bytes.count,
                                  NULL, "cnReplay") != CN_ERROR_NONE) {
        cnFault_Set(fault, "%.200s", cnGetLastError()->message);
    }
    world->listeners.notifying -= isInCollide;
    PassChunk(recorder, &chunk);
}

// ---- the moments of a step ------------------------------------------------------------------------------------------

static void Mark(const cnWorld* world) {
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

static void EndStep(const cnWorld* world) {
    cnRecorder* recorder = RecorderOf(world);
    if (recorder == NULL) {
        return;
    }
    if (!recorder->isPlaying) {
        recorder->failed =
            recorder->failed || !DigestStep(recorder, world) ||
            !AddChunk(recorder, chunkEnd, 0, recorder->chunk.bytes.data, (size_t)recorder->chunk.bytes.count);
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

// ---- from outside ---------------------------------------------------------------------------------------------------

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
        Add(&recorder->recording, &head, sizeof head) && TakeSnapshot(world, &recorder->before) &&
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
        cnArray_Free(&recorder->chunk.bytes);
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
