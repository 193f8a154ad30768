// What sections a snapshot has, in their order; checksums.
#include "world/snapshot/format.h"

#include "base/containers/hash.h"

#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error                                                                                                       \
    "snapshots are copies of memory and little-endian: this build needs a reader and a writer that swap bytes"
#endif

_Static_assert(sizeof(cnSnapshotHeader) == 48 && sizeof(cnSnapshotEntry) == 56,
               "as docs/snapshots.md has them");

// ---- what a row is ----------------------------------------------------------------------------------------

static uint32_t LayoutOf(cnScalar scalar, cnRole role, int lanes) {
    return (uint32_t)scalar | (uint32_t)role << 4 | (uint32_t)lanes << 8;
}

static uint32_t LayoutOfRecord(cnFieldList list) {
    cnHash hash = cnHash_Start();
    for (int f = 0; f < list.count; ++f) {
        const cnField* field = &list.fields[f];
        for (const char* letter = field->name; *letter != '\0'; ++letter) {
            cnHash_AddU64(&hash, (uint64_t)(unsigned char)*letter);
        }
        if (field->scalar != cn_record) { // the engine's own, which holds what the others say
            cnHash_AddU64(&hash, LayoutOf(field->scalar, field->role, field->lanes));
            cnHash_AddU64(&hash, (uint64_t)field->offset << 32 | (uint64_t)field->stride);
            cnHash_AddU64(&hash, (uint64_t)field->count);
        }
    }
    return (uint32_t)(hash.value >> 32);
}

// ---- the list ---------------------------------------------------------------------------------------------

// A table of the world; `ids`: where its pool of handles is, 0 without one.
typedef struct Table {
    const char* name;
    const cnColumnList* columns;
    size_t table, ids, count;
} Table;

#define TABLE_OF_HANDLES(name, columns, table)                                                               \
    {                                                                                                        \
        name, &(columns), offsetof(cnWorld, table), offsetof(cnWorld, table.ids),                            \
            offsetof(cnWorld, table.ids.rowCount)                                                            \
    }
#define TABLE_OF_ROWS(name, columns, table, count)                                                           \
    { name, &(columns), offsetof(cnWorld, table), 0, offsetof(cnWorld, table.count) }

static const Table tables[] = {
    TABLE_OF_HANDLES("bodies", cnBodyColumns, bodies),
    TABLE_OF_HANDLES("geometries", cnGeometryColumns, geometries),
    TABLE_OF_HANDLES("shapes", cnShapeColumns, shapes),
    TABLE_OF_HANDLES("materials", cnMaterialColumns, materials.materials),
    TABLE_OF_HANDLES("contactMaterials", cnContactMaterialColumns, materials.contactMaterials),
    TABLE_OF_HANDLES("constraints", cnConstraintColumns, constraints),
    TABLE_OF_HANDLES("mergedBodies", cnMergedBodyColumns, mergedBodies),
    TABLE_OF_HANDLES("mergeEdges", cnMergeEdgeColumns, mergeEdges),
    TABLE_OF_ROWS("proxies", cnProxyColumns, proxies, capacity),
    TABLE_OF_ROWS("contacts", cnContactColumns, contacts, count),
    TABLE_OF_ROWS("contactPoints", cnContactPointColumns, contactPoints, count),
    TABLE_OF_ROWS("contactEvents", cnContactEventColumns, contactEvents, count),
};

typedef struct ArrayOfRows {
    const char* name;
    cnSectionKind kind;
    size_t data, count;
    int rowBytes;
    const cnFieldList* members;
} ArrayOfRows;

#define ARRAY(name, member, members)                                                                         \
    {                                                                                                        \
        name, cn_sectionRows, offsetof(cnWorld, member.data), offsetof(cnWorld, member.count),               \
            (int)sizeof *((cnWorld*)0)->member.data, members                                                 \
    }
#define PAGED_ARRAY(name, member, members)                                                                   \
    {                                                                                                        \
        name, cn_sectionPages, offsetof(cnWorld, member.pages), offsetof(cnWorld, member.count),             \
            (int)sizeof **((cnWorld*)0)->member.pages, members                                               \
    }

static const ArrayOfRows arrays[] = {
    PAGED_ARRAY("pairs", pairs.pairs, &cnPairFields),
    ARRAY("pairHeads", pairs.heads.rows, &cnPairHeadFields),
    PAGED_ARRAY("distantPairs", pairs.distant, &cnDistantPairFields),
    ARRAY("distantPairHeads", pairs.distantHeads.rows, &cnPairHeadFields),
    ARRAY("concaves", pairs.concaves, &cnConcaveFields),
    ARRAY("freeConcaves", pairs.freeConcaves, NULL),
    ARRAY("groupNames", groupNames, NULL),
    ARRAY("groupPairs", groupPairs.keys, NULL),
    ARRAY("geometryPairs", geometryPairs.keys, NULL),
    ARRAY("islands", islands, NULL),
    ARRAY("broken", broken, NULL),
    ARRAY("guardEvents", guardEvents, NULL),
    ARRAY("mergeChanges", mergeChanges, NULL),
};

typedef struct Visit {
    cnSectionVisitor* visit;
    void* context;
} Visit;

static bool VisitColumns(const Visit* visit, const char* name, size_t table, const cnColumnList* list,
                         cnSection section) {
    for (int c = 0; c < list->count; ++c) {
        const cnColumn* column = &list->columns[c];
        bool isConstraint = column->scalar == cn_record && column->rowBytes == (int)sizeof(cnConstraint);
        if (column->scalar == cn_record && !isConstraint) {
            continue; // pointers to shapes: shape_data.c
        }
        section.table = name;
        section.name = column->name;
        section.kind = cn_sectionRows;
        section.layout = isConstraint ? LayoutOfRecord(cnConstraintFields)
                                      : LayoutOf(column->scalar, column->role, column->lanes);
        section.role = column->role;
        section.members = isConstraint ? &cnConstraintFields : NULL;
        section.rowBytes = column->rowBytes;
        section.data = table + column->offset;
        if (!visit->visit(&section, visit->context)) {
            return false;
        }
        section.defines = false;
    }
    return true;
}

static bool VisitPool(const Visit* visit, const Table* table) {
    size_t freeCount = table->ids + offsetof(cnIdPool, freeCount);
    size_t firstGeneration = table->ids + offsetof(cnIdPool, firstGeneration);
    const struct {
        const char* name;
        cnSectionKind kind;
        size_t rowBytes, data, count;
    } parts[] = {
        {"generations", cn_sectionGenerations, sizeof(uint16_t), table->ids, table->count},
        {"freeRows", cn_sectionFreeRows, sizeof(int), table->ids, freeCount},
        {"firstGeneration", cn_sectionMember, sizeof(uint16_t), firstGeneration, freeCount},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        cnSection section = {.table = table->name,
                             .name = parts[i].name,
                             .kind = parts[i].kind,
                             .rowBytes = (int)parts[i].rowBytes,
                             .data = parts[i].data,
                             .count = parts[i].count,
                             .defines = true};
        if (!visit->visit(&section, visit->context)) {
            return false;
        }
    }
    return true;
}

static bool VisitWorld(const Visit* visit) {
    for (int f = 0; f < cnWorldFields.count; ++f) {
        const cnField* field = &cnWorldFields.fields[f];
        cnSection section = {.table = "world", .name = field->name, .kind = cn_sectionMember};
        section.layout = LayoutOf(field->scalar, field->role, field->lanes);
        section.rowBytes = (int)field->bytes;
        section.data = field->offset;
        if (!visit->visit(&section, visit->context)) {
            return false;
        }
    }
    return true;
}

bool cnVisitSections(cnSectionVisitor* visitor, void* context) {
    Visit visit = {visitor, context};
    bool ok = VisitWorld(&visit);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && ok; ++i) {
        const Table* table = &tables[i];
        bool hasPool = table->ids != 0;
        cnSection section = {.count = table->count, .defines = !hasPool};
        ok = (!hasPool || VisitPool(&visit, table)) &&
             VisitColumns(&visit, table->name, table->table, table->columns, section);
    }
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0] && ok; ++i) {
        const ArrayOfRows* array = &arrays[i];
        cnSection section = {
            .table = array->name, .kind = array->kind, .rowBytes = array->rowBytes, .defines = true};
        section.layout = array->members != NULL ? LayoutOfRecord(*array->members) : 0;
        section.members = array->members;
        section.data = array->data;
        section.count = array->count;
        ok = visitor(&section, context);
    }
    return ok;
}

// ---- rows in a world --------------------------------------------------------------------------------------

int cnSection_GetRows(const cnSection* section, const cnWorld* world) {
    int rows = 1;
    if (section->kind != cn_sectionMember) {
        memcpy(&rows, (const char*)world + section->count, sizeof rows);
    }
    return rows;
}

// Where the pointer to the rows is, whatever type it has.
static size_t PointerOf(const cnSection* section) {
    switch (section->kind) {
    case cn_sectionGenerations:
        return section->data + offsetof(cnIdPool, generations.data);
    case cn_sectionFreeRows:
        return section->data + offsetof(cnIdPool, freeRows.data);
    default:
        return section->data;
    }
}

static void* GetPointer(const cnSection* section, const cnWorld* world) {
    void* pointer;
    memcpy(&pointer, (const char*)world + PointerOf(section), sizeof pointer);
    return pointer;
}

static void SetPointer(const cnSection* section, cnWorld* world, const void* pointer) {
    memcpy((char*)world + PointerOf(section), &pointer, sizeof pointer);
}

char* cnSection_GetRun(const cnSection* section, const cnWorld* world, int row, int* count) {
    size_t rowBytes = (size_t)section->rowBytes;
    if (section->kind == cn_sectionMember) {
        return (char*)world + section->data;
    }
    char* start = GetPointer(section, world);
    if (section->kind != cn_sectionPages) {
        return start + (size_t)row * rowBytes;
    }
    const int items = CN_PAGE_ITEMS(rowBytes), place = row % items;
    *count = *count < items - place ? *count : items - place;
    return ((char**)(void*)start)[row / items] + (size_t)place * rowBytes;
}

bool cnSection_Lend(const cnSection* section, cnWorld* world, const void* rows) {
    if (section->kind != cn_sectionPages) {
        SetPointer(section, world, rows);
        return true;
    }
    const int count = cnSection_GetRows(section, world);
    void** pages = cnPagedArray_Lend((void*)rows, count, (size_t)section->rowBytes);
    SetPointer(section, world, pages);
    return pages != NULL || count == 0;
}

void cnSection_GiveBack(const cnSection* section, cnWorld* world) {
    if (section->kind == cn_sectionPages) {
        cnPagedArray_GiveBack(GetPointer(section, world), cnSection_GetRows(section, world),
                              (size_t)section->rowBytes);
        SetPointer(section, world, NULL);
    }
}

// ---- checksums --------------------------------------------------------------------------------------------

// Long runs of words go through eight lanes, each word into its own: it is added to the lane, which is then
// rotated by 23 bits. Both are bijections, so that no change of a single word is lost, and cheaper than a
// product for each word, which would bound the time of a save. The same bit would meet itself again after 64
// words; so after every 32 words the lanes are mixed.
#define LANES 8
#define WORDS_A_MIX 32
#define ROTATION 23

typedef struct Lanes {
    uint64_t words[LANES];
} Lanes;

static void AddToLanes(Lanes* lanes, const unsigned char* at, size_t wordCount) {
    for (size_t i = 0; i < wordCount; ++i, at += sizeof *lanes) {
        Lanes words;
        memcpy(&words, at, sizeof words);
        for (int k = 0; k < LANES; ++k) {
            uint64_t sum = lanes->words[k] + words.words[k];
            lanes->words[k] = sum << ROTATION | sum >> (64 - ROTATION);
        }
    }
    for (int k = 0; k < LANES; ++k) {
        lanes->words[k] = cnMix64(lanes->words[k]);
    }
}

uint64_t cnChecksum(const void* bytes, size_t count) {
    const unsigned char* at = bytes;
    cnHash sum = cnHash_Start();
    cnHash_AddU64(&sum, count);
    if (count >= sizeof(Lanes)) {
        Lanes lanes = {{1, 2, 3, 4, 5, 6, 7, 8}};
        size_t left = count / sizeof lanes;
        count %= sizeof lanes;
        while (left > 0) {
            size_t words = left < WORDS_A_MIX ? left : WORDS_A_MIX;
            AddToLanes(&lanes, at, words);
            at += words * sizeof lanes;
            left -= words;
        }
        for (int k = 0; k < LANES; ++k) {
            cnHash_AddU64(&sum, lanes.words[k]);
        }
    }
    while (count > 0) {
        uint64_t word = 0;
        size_t length = count < sizeof word ? count : sizeof word;
        memcpy(&word, at, length);
        cnHash_AddU64(&sum, word);
        at += length;
        count -= length;
    }
    return sum.value;
}
