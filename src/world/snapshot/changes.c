#include "world/snapshot/changes.h"

#include "base/report/assert.h"
#include "world/snapshot/format.h"

// ---- the sections of a snapshot ---------------------------------------------------------------------------

static cnSnapshotHeader* HeaderOf(const cnBuffer* snapshot) {
    return (cnSnapshotHeader*)(void*)snapshot->bytes.data;
}

static cnSnapshotEntry* EntriesOf(const cnBuffer* snapshot) {
    return (cnSnapshotEntry*)(HeaderOf(snapshot) + 1);
}

static size_t FirstSection(const cnBuffer* snapshot) {
    return cnAlignSection(sizeof(cnSnapshotHeader) + HeaderOf(snapshot)->sections * sizeof(cnSnapshotEntry));
}

// ---- comparing --------------------------------------------------------------------------------------------

#define RUN_UNIT 8

static bool AddRun(cnBuffer* out, const char* section, size_t from, size_t to) {
    uint32_t run[2] = {(uint32_t)from, (uint32_t)(to - from)};
    return cnBuffer_Add(out, run, sizeof run) && cnBuffer_Add(out, section + from, to - from);
}

// Runs of bytes in which two sections differ, what is beyond the shorter one among them.
static bool AddDifferences(cnBuffer* out, const char* before, size_t bytesBefore, const char* after,
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

bool cnSnapshot_Compare(const cnBuffer* before, const cnBuffer* after, cnBuffer* changes) {
    const cnSnapshotEntry *old = EntriesOf(before), *new = EntriesOf(after);
    size_t oldAt = FirstSection(before), newAt = FirstSection(after);
    CN_ASSERT(HeaderOf(before)->sections == HeaderOf(after)->sections);
    changes->bytes.count = 0;
    bool ok = cnBuffer_Add(changes, &HeaderOf(after)->library, sizeof(uint64_t));
    for (uint32_t i = 0; i < HeaderOf(after)->sections && ok; ++i) {
        size_t oldBytes = (size_t)old[i].rows * old[i].rowBytes,
               newBytes = (size_t) new[i].rows *new[i].rowBytes;
        uint32_t counts[2] = {new[i].rows, 0};
        int head = changes->bytes.count;
        ok = cnBuffer_Add(changes, counts, sizeof counts) &&
             AddDifferences(changes, before->bytes.data + oldAt, oldBytes, after->bytes.data + newAt,
                            newBytes, &counts[1]);
        if (ok) {
            memcpy(changes->bytes.data + head, counts, sizeof counts);
        }
        oldAt += cnAlignSection(oldBytes);
        newAt += cnAlignSection(newBytes);
    }
    return ok;
}

// ---- applying ---------------------------------------------------------------------------------------------

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
static size_t MeasureChanged(const cnBuffer* before, Reader reader) {
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

bool cnSnapshot_ApplyChanges(const cnBuffer* before, const void* changes, size_t changeBytes, cnBuffer* after,
                             bool* wrong) {
    Reader reader = {changes, changeBytes};
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
