// A world to bytes.
#include "world/snapshot/format.h"

#include "base/report/assert.h"

#include <string.h>

// Rows of proxies are those of the broad phase; beyond them the table has free ones only.
static int RowsOf(const cnSection* section, const cnWorld* world) {
    bool isOfProxies = section->count == offsetof(cnWorld, proxies.capacity);
    int rows = cnSection_GetRows(section, world);
    int used = isOfProxies ? cnBroadPhase_GetNumberCount(world->broadPhase) : rows;
    return used < rows ? used : rows;
}

static size_t BytesOf(const cnSection* section, const cnWorld* world) {
    return (size_t)RowsOf(section, world) * (size_t)section->rowBytes;
}

// ---- what the lists do not say ----------------------------------------------------------------------------

// Sections behind those of the lists: the broad phase's image; records, data and render data of shapes.
typedef struct Extra {
    const char* name;
    int rowBytes;
    size_t rows;
} Extra;

enum {
    extraBroadPhase,
    extraShapes,
    extraShapeData,
    extraCount
};

static void CountExtras(const cnWorld* world, cnSnapshotUse use, Extra extras[extraCount]) {
    extras[extraBroadPhase] = (Extra){"broadPhase", 1, cnBroadPhase_GetImageBytes(world->broadPhase)};
    extras[extraShapes] = (Extra){"shapes.made", (int)sizeof(cnShapeRecord), 0};
    extras[extraShapeData] = (Extra){"shapes.data", CN_SNAPSHOT_ALIGNMENT, 0};
    if (use == cn_snapshotInRing) {
        return;
    }
    extras[extraShapes].rows = (size_t)world->shapes.ids.rowCount;
    for (int row = 0; row < world->shapes.ids.rowCount; ++row) {
        cnShapeRecord record = cnDescribeShape(&world->shapes, row);
        extras[extraShapeData].rows +=
            (cnAlignSection(record.dataBytes) + cnAlignSection(record.renderBytes)) / CN_SNAPSHOT_ALIGNMENT;
    }
}

static void WriteShapes(const cnWorld* world, char* records, char* data) {
    for (int row = 0; row < world->shapes.ids.rowCount; ++row) {
        cnShapeRecord record = cnDescribeShape(&world->shapes, row);
        memcpy(records + (size_t)row * sizeof record, &record, sizeof record);
        char* render = data + cnAlignSection(record.dataBytes);
        if (record.dataBytes + record.renderBytes > 0) {
            memset(data, 0, cnAlignSection(record.dataBytes) + cnAlignSection(record.renderBytes));
            cnWriteShapeData(&world->shapes, row, data, render);
        }
        data = render + cnAlignSection(record.renderBytes);
    }
}

// ---- the whole --------------------------------------------------------------------------------------------

typedef struct Size {
    const cnWorld* world;
    uint32_t sections;
    size_t bytes; // of the sections
} Size;

static bool AddSize(const cnSection* section, void* context) {
    Size* size = context;
    size->sections += 1;
    size->bytes += cnAlignSection(BytesOf(section, size->world));
    return true;
}

// Of the sections of the lists; returns where the first section starts.
static size_t Measure(const cnWorld* world, Size* size) {
    *size = (Size){.world = world};
    cnVisitSections(AddSize, size);
    size->sections += extraCount;
    return cnAlignSection(sizeof(cnSnapshotHeader) + size->sections * sizeof(cnSnapshotEntry));
}

size_t cnSnapshot_GetBytes(const cnWorld* world, cnSnapshotUse use) {
    Size size;
    size_t bytes = Measure(world, &size) + size.bytes;
    Extra extras[extraCount];
    CountExtras(world, use, extras);
    for (int i = 0; i < extraCount; ++i) {
        bytes += cnAlignSection(extras[i].rows * (size_t)extras[i].rowBytes);
    }
    return bytes;
}

typedef struct Writer {
    const cnWorld* world;
    char *start, *at;
    cnSnapshotEntry* entry;
} Writer;

static void WriteEntry(Writer* writer, const char* table, const char* name, uint32_t layout, int rowBytes,
                       size_t rows) {
    cnSnapshotEntry entry = {.layout = layout, .rowBytes = (uint32_t)rowBytes, .rows = (uint32_t)rows};
    size_t length = strlen(table);
    memcpy(entry.name, table, length);
    if (name != NULL) {
        CN_ASSERT(length + 1 + strlen(name) < CN_SECTION_NAME);
        entry.name[length] = '.';
        memcpy(entry.name + length + 1, name, strlen(name));
    }
    *writer->entry++ = entry;
}

// What of the alignment is left over is zero, so that equal worlds have equal bytes.
static char* Advance(Writer* writer, size_t bytes) {
    char* section = writer->at;
    size_t aligned = cnAlignSection(bytes);
    memset(section + bytes, 0, aligned - bytes);
    writer->at += aligned;
    return section;
}

static bool WriteSection(const cnSection* section, void* context) {
    Writer* writer = context;
    size_t bytes = BytesOf(section, writer->world);
    int rows = RowsOf(section, writer->world);
    WriteEntry(writer, section->table, section->name, section->layout, section->rowBytes, (size_t)rows);
    char* target = Advance(writer, bytes);
    if (section->kind == cn_sectionFreeRows && rows > 0) {
        // from the head of the ring to its end, and on from its start
        const cnIdPool* pool = (const cnIdPool*)(const void*)((const char*)writer->world + section->data);
        size_t head = (size_t)pool->freeHead * sizeof(int),
               ring = (size_t)pool->freeRows.capacity * sizeof(int);
        size_t first = ring - head < bytes ? ring - head : bytes;
        const char* source = (const char*)pool->freeRows.data;
        memcpy(target, source + head, first);
        memcpy(target + first, source, bytes - first);
        return true;
    }
    for (int row = 0, count = rows; row < rows; row += count, count = rows - row) {
        const char* source = cnSection_GetRun(section, writer->world, row, &count);
        memcpy(target, source, (size_t)count * (size_t)section->rowBytes);
        target += (size_t)count * (size_t)section->rowBytes;
    }
    return true;
}

void cnSnapshot_Write(const cnWorld* world, cnSnapshotUse use, void* target) {
    Size size;
    size_t first = Measure(world, &size);
    Extra extras[extraCount];
    CountExtras(world, use, extras);
    cnSnapshotHeader* header = target;
    Writer writer = {world, target, (char*)target + first, (cnSnapshotEntry*)(header + 1)};
    size_t directory = sizeof *header + size.sections * sizeof(cnSnapshotEntry);
    memset(writer.start + directory, 0, first - directory);
    cnVisitSections(WriteSection, &writer);
    char* sections[extraCount];
    for (int i = 0; i < extraCount; ++i) {
        WriteEntry(&writer, extras[i].name, NULL, 0, extras[i].rowBytes, extras[i].rows);
        sections[i] = Advance(&writer, extras[i].rows * (size_t)extras[i].rowBytes);
    }
    cnBroadPhase_SaveImage(world->broadPhase, sections[extraBroadPhase]);
    if (use == cn_snapshotWhole) {
        WriteShapes(world, sections[extraShapes], sections[extraShapeData]);
    }
    *header = (cnSnapshotHeader){
        .magic = "CAIRNSN",
        .version = CN_SNAPSHOT_VERSION,
        .sections = size.sections,
        .bytes = (uint64_t)(writer.at - writer.start),
        .library = cnMaterialTables_GetLibraryFingerprint(&world->materials),
    };
    if (use == cn_snapshotWhole) {
        header->checksum = cnChecksum(header + 1, (size_t)header->bytes - sizeof *header);
    }
}
