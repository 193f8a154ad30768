// Snapshots: a world as bytes (docs/snapshots.md has the format for readers outside).
//
// ## What is in them
// Everything that decides the next step and everything that was there to read, by the lists that the state
// hash uses: the columns of all tables, the members of pairs, concave pairs and constraints, the world's own
// members, the pools of handles, the image of the broad phase, and what shapes are made of. Not in them:
// listeners (they are code, and stay those of the world that is restored), times of the profile, threads, and
// what is only kept to be fast (the tree of the broad phase, factors of the direct solver, resolved pairs of
// materials): nothing of that changes a result, which tests/unit/snapshot_test.c and the random worlds of
// tests/node prove by restoring into worlds that have none of it.
//
// ## How they lie
//     header | directory: an entry a section | sections, each from a multiple of 16 bytes on
// A section is an array of rows of one size as they lie in the tables' memory: all builds lay these out alike
// (asserted by the layout numbers in the directory) and are little-endian. So saving is a copy of blocks, and
// a snapshot at hand can be looked at as a world before a byte of it is taken over: restore.c points the
// columns of a world of its own into the bytes and lets cnValidateWorld judge. Rejected: numbers written one
// by one (four times as slow for the same bytes), and tables decoded to a second world that is swapped in
// (twice the memory, and every column moves, so that readers outside have to look for all of them again).
#pragma once

#include "world/world.h"

#define CN_SNAPSHOT_VERSION 4
#define CN_SNAPSHOT_ALIGNMENT 16
#define CN_SECTION_NAME 44

typedef struct cnSnapshotHeader {
    char magic[8];     // "CAIRNSN" and its zero
    uint32_t version;  // of the format
    uint32_t sections; // entries of the directory
    uint64_t bytes;    // of all
    uint64_t checksum; // of all that follows the header
    uint64_t library;  // fingerprint of the library up to the last item in use, 0 where no material is of it
    uint64_t reserved; // 0
} cnSnapshotHeader;

typedef struct cnSnapshotEntry {
    char name[CN_SECTION_NAME]; // "bodies.position"
    uint32_t layout;            // what a row is: scalar, lanes and role, or a hash of the members of records
    uint32_t rowBytes;
    uint32_t rows;
} cnSnapshotEntry;

// ---- sections ---------------------------------------------------------------------------------------------

typedef enum cnSectionKind {
    cn_sectionMember,      // of the world, one row in place
    cn_sectionRows,        // behind a pointer
    cn_sectionPages,       // behind a list of pages (paged_array.h)
    cn_sectionGenerations, // of a pool of handles
    cn_sectionFreeRows,    // of a pool, a ring in memory
} cnSectionKind;

// Where the rows of a section are in any world: offsets in cnWorld.
typedef struct cnSection {
    const char *table, *name; // name: null for none
    cnSectionKind kind;
    uint32_t layout;
    cnRole role;                // of a column
    const cnFieldList* members; // of records, null for others
    int rowBytes;
    size_t data;  // of the member, of the pointer to the rows or pages, or of the pool
    size_t count; // of the number of rows (int)
    bool defines; // the first section with this number of rows; later ones have to agree
} cnSection;

// Calls back for every section in the order of the directory, as long as the answer is true; the last answer.
typedef bool cnSectionVisitor(const cnSection* section, void* context);
bool cnVisitSections(cnSectionVisitor* visit, void* context);

static inline int* cnSection_CountIn(const cnSection* section, cnWorld* world) {
    return (int*)(void*)((char*)world + section->count);
}

// How many rows a section has in a world.
int cnSection_GetRows(const cnSection* section, const cnWorld* world);
// Where a row is; `*count` rows, which is lowered to as many as do, lie there side by side. Of a ring: as
// they lie in memory.
char* cnSection_GetRun(const cnSection* section, const cnWorld* world, int row, int* count);
// Makes the rows those at `rows`, which stay the caller's; of pages false when memory ran out for their list.
bool cnSection_Lend(const cnSection* section, cnWorld* world, const void* rows);
// Undoes it where that took memory.
void cnSection_GiveBack(const cnSection* section, cnWorld* world);

// 64 bits over bytes, eight at a time.
uint64_t cnChecksum(const void* bytes, size_t count);

static inline size_t cnAlignSection(size_t bytes) {
    return (bytes + CN_SNAPSHOT_ALIGNMENT - 1) & ~(size_t)(CN_SNAPSHOT_ALIGNMENT - 1);
}

// ---- shapes (shape_data.c) --------------------------------------------------------------------------------

// What a row of shapes is made of; the rest of a shape follows. All zero for a free row.
typedef struct cnShapeRecord {
    uint32_t type;
    uint32_t renderVertices, renderIndices, renderNormals; // of render data; 0: none
    double radius, halfHeight, offset;
    cnVec3 halfExtents, normal, start, end;
    cnRevolvedProfile profile;
    float renderColour[4];
    uint64_t dataBytes;   // of hulls, meshes and height fields, in the section "shapes.data"; 0: none
    uint64_t content;     // checksum of these
    uint64_t renderBytes; // behind them
} cnShapeRecord;

cnShapeRecord cnDescribeShape(const cnShapeTable* table, int row);

// Writes what cnDescribeShape counts.
void cnWriteShapeData(const cnShapeTable* table, int row, void* data, void* render);

// A shape made of a record whose content is at `data`; null where it is none (*wrong) or memory ran out.
cnShape* cnMakeShape(const cnShapeRecord* record, const void* data, bool* wrong);
cnRenderData* cnMakeRenderData(const cnShapeRecord* record, const void* data, bool* wrong);

// Whether a shape is, to the bit, that of a record.
bool cnIsShapeOf(const cnShape* shape, const cnShapeRecord* record);

// ---- save.c, restore.c ------------------------------------------------------------------------------------

typedef enum cnSnapshotUse {
    cn_snapshotWhole,  // can be restored anywhere
    cn_snapshotInRing, // without the data of shapes, without a checksum; restored unchecked
} cnSnapshotUse;

size_t cnSnapshot_GetBytes(const cnWorld* world, cnSnapshotUse use);

// `target` has that many bytes and is aligned to 16.
void cnSnapshot_Write(const cnWorld* world, cnSnapshotUse use, void* target);

// Shapes and what they are drawn with, by rows.
typedef struct cnShapeRows {
    cnShape** shapes;       // null in free rows
    cnRenderData** renders; // null without; fewer rows than shapes
    int count, renderCount;
} cnShapeRows;

// Puts a world into the state of a snapshot, aligned to 16. `kept`: the shapes of one of the ring, else null.
// On an error nothing has changed.
cnErrorCode cnSnapshot_Restore(cnWorld* world, const void* snapshot, size_t bytes, const cnShapeRows* kept,
                               const char* call);

// ---- check.c ----------------------------------------------------------------------------------------------

// What cnValidateWorld takes for granted, of a world whose tables come from outside: before it, so that
// it can walk them;
bool cnCheckRanges(const cnWorld* world, cnFault* fault);
// and after it, what steps take for granted.
bool cnCheckMeaning(const cnWorld* world, cnFault* fault);

// ---- ring.c -----------------------------------------------------------------------------------------------

// The ring of a world, which keeps the state of now and so many steps before; false when memory ran out.
bool cnRing_Make(cnWorld* world, int steps);
void cnRing_Free(cnWorld* world);

// When a world got another state.
void cnRing_Restart(cnWorld* world);
bool cnRing_IsOn(const cnWorld* world);

// Steps that can be gone back now; bytes of all slots.
int cnRing_CountSteps(const cnWorld* world);
size_t cnRing_GetBytes(const cnWorld* world);

// Back to the end of the step so many steps ago; 0: what was changed since the last step is taken back.
cnErrorCode cnRing_Rewind(cnWorld* world, int steps, const char* call);
