#include "world/snapshot/step_digest.h"

#include "base/containers/hash.h"
#include "base/report/format.h"

// Before the checksums of sections and the rows of tables.
typedef struct StepEnd {
    double step;
    uint64_t hash;
} StepEnd;

typedef struct Digest {
    const cnWorld* world;
    cnBuffer* out;  // checksums of sections
    cnBuffer* rows; // of the tables
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
    bool isOfRows = section->kind == cn_sectionRows || section->kind == cn_sectionPages;
    return isOfRows && (section->members != NULL || isColumn);
}

static bool AddSection(const cnSection* section, void* context) {
    Digest* digest = context;
    if (!IsCompared(section)) {
        return true;
    }
    int rows = cnSection_GetRows(section, digest->world);
    int start = digest->rows->bytes.count;
    bool isNewTable = section->count != digest->count || start == 0;
    if (isNewTable) {
        digest->count = section->count;
        uint32_t number = (uint32_t)rows;
        digest->ok = digest->ok && cnBuffer_Add(digest->rows, &number, sizeof number);
        digest->tableStart = digest->rows->bytes.count;
        uint16_t zero = 0;
        for (int row = 0; row < rows && digest->ok; ++row) {
            digest->ok = cnBuffer_Add(digest->rows, &zero, sizeof zero);
        }
    }
    cnHash hash = cnHash_Start();
    for (int row = 0; row < rows && digest->ok; ++row) {
        int one = 1;
        const char* at = cnSection_GetRun(section, digest->world, row, &one);
        uint64_t own = section->members != NULL ? HashRecordRow(at, *section->members)
                                                : cnChecksum(at, (size_t)section->rowBytes);
        cnHash_AddU64(&hash, own);
        uint16_t sum;
        char* place = digest->rows->bytes.data + digest->tableStart + (size_t)row * sizeof sum;
        memcpy(&sum, place, sizeof sum);
        sum = (uint16_t)(sum * 31u + (uint16_t)(own >> 48));
        memcpy(place, &sum, sizeof sum);
    }
    digest->ok = digest->ok && cnBuffer_Add(digest->out, &hash.value, sizeof hash.value);
    return digest->ok;
}

bool cnStepDigest_Take(cnStepDigest* step, const cnWorld* world) {
    StepEnd end = {.step = world->stepCount, .hash = cnHashState(world)};
    Digest digest = {.world = world, .out = &step->whole, .rows = &step->rows, .ok = true};
    step->whole.bytes.count = step->rows.bytes.count = 0;
    return cnBuffer_Add(&step->whole, &end, sizeof end) && cnVisitSections(AddSection, &digest) &&
           digest.ok && cnBuffer_Add(&step->whole, step->rows.bytes.data, (size_t)step->rows.bytes.count);
}

void cnStepDigest_Free(cnStepDigest* step) {
    cnArray_Free(&step->whole.bytes);
    cnArray_Free(&step->rows.bytes);
}

// ---- two of them ------------------------------------------------------------------------------------------

typedef struct Search {
    const char *own, *recorded; // checksums
    const char *ownRows, *recordedRows, *recordedEnd;
    size_t count;
    bool started;
    uint32_t ownCount, recordedCount;
    cnStepDifference* difference;
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
    cnFormat(search->difference->section, sizeof search->difference->section, "%s%s%s", section->table,
             section->name != NULL ? "." : "", section->name != NULL ? section->name : "");
    search->difference->row = FirstRow(search);
    return false;
}

static bool CountSections(const cnSection* section, void* context) {
    *(size_t*)context += IsCompared(section);
    return true;
}

bool cnStepDigest_Compare(const cnStepDigest* step, const void* recorded, size_t bytes,
                          cnStepDifference* difference) {
    *difference = (cnStepDifference){0};
    StepEnd own, end;
    size_t sections = 0;
    cnVisitSections(CountSections, &sections);
    size_t head = sizeof end + sections * sizeof(uint64_t);
    if (bytes < head) {
        return false;
    }
    const char *ownBytes = step->whole.bytes.data, *recordedBytes = recorded;
    memcpy(&own, ownBytes, sizeof own);
    memcpy(&end, recordedBytes, sizeof end);
    if (own.hash == end.hash && own.step == end.step) {
        return true;
    }
    Search search = {.own = ownBytes + sizeof end,
                     .recorded = recordedBytes + sizeof end,
                     .ownRows = ownBytes + head,
                     .recordedRows = recordedBytes + head,
                     .recordedEnd = recordedBytes + bytes,
                     .difference = difference};
    difference->differs = true;
    difference->step = own.step;
    difference->row = -1;
    memcpy(difference->section, "world", sizeof "world");
    cnVisitSections(FindDifference, &search);
    return true;
}
