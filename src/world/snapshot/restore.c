// Bytes to a world.
//
//     header, directory → a view: a world whose columns lie in the snapshot → what is not there as rows:
//     shapes, broad phase, maps → all checks on the view → room in the world → rows copied, the rest swapped
// Up to the last arrow the world stays as it is, and the last arrow cannot fail. Columns stay where they are
// unless they have to grow.
#include "world/snapshot/format.h"

#include "base/report/assert.h"
#include "base/report/error.h"
#include "material/library_store.h"
#include "world/adaptive_merging.h"
#include "world/sleep.h"
#include "world/validate.h"

#include <string.h>

typedef struct Restoring {
    cnWorld* world;
    cnWorld* view;
    const char* start; // of the snapshot
    const cnSnapshotHeader* header;
    const cnSnapshotEntry* entry; // the next
    const cnSnapshotEntry* end;
    size_t position; // of the next section
    cnFault fault;   // why it is not restored; empty: memory ran out
    cnShapeRows shapes;
    const cnShapeRecord* records;
    const char* shapeData;
    size_t shapeBytes;
} Restoring;

// ---- header and directory ---------------------------------------------------------------------------------

static bool CheckHeader(Restoring* restoring, size_t bytes, bool isChecked) {
    const cnSnapshotHeader* header = restoring->header;
    cnFault* fault = &restoring->fault;
    CN_CHECK(fault, bytes >= sizeof *header && memcmp(header->magic, "CAIRNSN", 8) == 0,
             "the bytes are no snapshot of Cairn");
    CN_CHECK(fault, header->version == CN_SNAPSHOT_VERSION,
             "the snapshot has version %u, this build reads %d", (unsigned)header->version,
             CN_SNAPSHOT_VERSION);
    CN_CHECK(fault, header->bytes == bytes, "the snapshot says that it has %.0f bytes, there are %.0f",
             (double)header->bytes, (double)bytes);
    CN_CHECK(fault, header->sections <= (bytes - sizeof *header) / sizeof(cnSnapshotEntry),
             "the snapshot has %u sections in %.0f bytes", (unsigned)header->sections, (double)bytes);
    CN_CHECK(fault, !isChecked || header->checksum == cnChecksum(header + 1, bytes - sizeof *header),
             "the snapshot's checksum does not agree: it was changed or damaged");
    restoring->entry = (const cnSnapshotEntry*)(header + 1);
    restoring->end = restoring->entry + header->sections;
    restoring->position = cnAlignSection(sizeof *header + header->sections * sizeof(cnSnapshotEntry));
    return true;
}

// The rows of the next section, if it is what is expected; null with a fault.
static const char* TakeSection(Restoring* restoring, const char* table, const char* name, uint32_t layout,
                               int rowBytes, uint32_t* rows) {
    static const char wrong[] = "the snapshot has the section %.43s where this build has %s%s%s";
    char found[CN_SECTION_NAME] = "(none)";
    if (restoring->entry < restoring->end) {
        memcpy(found, restoring->entry->name, sizeof found);
        found[CN_SECTION_NAME - 1] = '\0';
    }
    size_t length = strlen(table);
    bool same = strncmp(found, table, length) == 0 &&
                (name == NULL ? found[length] == '\0'
                              : found[length] == '.' && strcmp(found + length + 1, name) == 0);
    if (!same) {
        cnFault_Set(&restoring->fault, wrong, found, table, name != NULL ? "." : "",
                    name != NULL ? name : "");
        return NULL;
    }
    const cnSnapshotEntry* entry = restoring->entry++;
    if (entry->layout != layout || entry->rowBytes != (uint32_t)rowBytes) {
        cnFault_Set(
            &restoring->fault,
            "the rows of %s have another layout in the snapshot (%x, %u bytes) than in this build (%x, %d)",
            found, (unsigned)entry->layout, (unsigned)entry->rowBytes, (unsigned)layout, rowBytes);
        return NULL;
    }
    uint64_t bytes = (uint64_t)entry->rows * (uint64_t)rowBytes;
    size_t room = (size_t)restoring->header->bytes - restoring->position;
    if (restoring->position > restoring->header->bytes || entry->rows > INT32_MAX / 8 || bytes > room) {
        cnFault_Set(&restoring->fault, "%s ends before its %u rows do", found, (unsigned)entry->rows);
        return NULL;
    }
    const char* section = restoring->start + restoring->position;
    restoring->position += cnAlignSection((size_t)bytes);
    *rows = entry->rows;
    return section;
}

// ---- the view ---------------------------------------------------------------------------------------------

// Bytes that are read as bool.
static bool AreFlags(const unsigned char* bytes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (bytes[i] > 1) {
            return false;
        }
    }
    return true;
}

static bool BindSection(const cnSection* section, void* context) {
    Restoring* restoring = context;
    cnWorld* view = restoring->view;
    uint32_t rows;
    const char* data =
        TakeSection(restoring, section->table, section->name, section->layout, section->rowBytes, &rows);
    if (data == NULL) {
        return false;
    }
    if (section->kind == cn_sectionMember) {
        bool isFlag = section->rowBytes == 1;
        CN_CHECK(&restoring->fault, rows == 1 && (!isFlag || AreFlags((const unsigned char*)data, 1)),
                 "%s.%s has %u rows or is no flag", section->table, section->name, (unsigned)rows);
        memcpy((char*)view + section->data, data, (size_t)section->rowBytes);
        return true;
    }
    int* count = cnSection_CountIn(section, view);
    if (section->defines) {
        *count = (int)rows;
    }
    CN_CHECK(&restoring->fault, *count == (int)rows, "%s.%s has %u rows where the others have %d",
             section->table, section->name != NULL ? section->name : "", (unsigned)rows, *count);
    return cnSection_Lend(section, view, data);
}

static void CompletePool(cnIdPool* pool) {
    pool->generations.count = pool->generations.capacity = pool->rowCount;
    pool->freeRows.count = pool->freeRows.capacity = pool->freeCount;
    for (int row = 0; row < pool->rowCount; ++row) {
        pool->liveCount += cnIdPool_IsLive(pool, row);
    }
}

// What follows from the sections: capacities, live rows.
static void CompleteView(cnWorld* view) {
    cnIdPool* const pools[] = {
        &view->bodies.ids,       &view->geometries.ids,          &view->shapes.ids,
        &view->constraints.ids,  &view->materials.materials.ids, &view->materials.contactMaterials.ids,
        &view->mergedBodies.ids, &view->mergeEdges.ids};
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; ++i) {
        CompletePool(pools[i]);
    }
    view->bodies.capacity = view->bodies.ids.rowCount;
    view->geometries.capacity = view->geometries.ids.rowCount;
    view->shapes.capacity = view->shapes.ids.rowCount;
    view->constraints.capacity = view->constraints.ids.rowCount;
    view->mergedBodies.capacity = view->mergedBodies.ids.rowCount;
    view->mergeEdges.capacity = view->mergeEdges.ids.rowCount;
    view->materials.materials.capacity = view->materials.materials.ids.rowCount;
    view->materials.contactMaterials.capacity = view->materials.contactMaterials.ids.rowCount;
    view->contacts.capacity = view->contacts.count;
    view->contactPoints.capacity = view->contactPoints.count;
    view->contactEvents.capacity = view->contactEvents.count;
    view->pairs.freeConcaves.capacity = view->pairs.concaves.count;
    view->broken.capacity = view->constraints.ids.rowCount;
}

// ---- what is not there as rows ----------------------------------------------------------------------------

// A shape of the world that is that of a record: the one of the same row, else one of the same content.
static cnShape* FindShape(const cnShapeTable* table, const cnShapeRecord* record, int row) {
    if (row < table->ids.rowCount && table->shapes[row] != NULL && cnIsShapeOf(table->shapes[row], record)) {
        return table->shapes[row];
    }
    for (int i = 0; record->content != 0 && i < table->ids.rowCount; ++i) {
        if (table->shapes[i] != NULL && table->shapes[i]->content == record->content &&
            cnIsShapeOf(table->shapes[i], record)) {
            return table->shapes[i];
        }
    }
    return NULL;
}

static bool StageShape(Restoring* restoring, int row, size_t* at) {
    const cnShapeRecord* record = &restoring->records[row];
    cnFault* fault = &restoring->fault;
    size_t left = restoring->shapeBytes - *at;
    bool isLive = cnIdPool_IsLive(&restoring->view->shapes.ids, row);
    CN_CHECK(fault,
             record->dataBytes <= left && record->renderBytes <= left &&
                 cnAlignSection((size_t)record->dataBytes) + cnAlignSection((size_t)record->renderBytes) <=
                     left,
             "shapes: the data of row %d end before they are whole", row);
    CN_CHECK(fault, (record->type != 0) == isLive && (isLive || record->renderBytes == 0),
             "shapes: row %d is %s and of type %u", row, isLive ? "live" : "free", (unsigned)record->type);
    if (!isLive) {
        return true;
    }
    const char* data = restoring->shapeData + *at;
    const char* render = data + cnAlignSection((size_t)record->dataBytes);
    *at += cnAlignSection((size_t)record->dataBytes) + cnAlignSection((size_t)record->renderBytes);
    bool wrong = false;
    cnShape* shape = FindShape(&restoring->world->shapes, record, row);
    if (shape != NULL) {
        shape->holders += 1;
    } else {
        shape = cnMakeShape(record, data, &wrong);
        shape = shape != NULL ? cnShapeTable_Share(&restoring->world->shapes, shape) : NULL;
    }
    CN_CHECK(fault, !wrong, "shapes: row %d is no shape of type %u", row, (unsigned)record->type);
    restoring->shapes.shapes[row] = shape;
    if (shape != NULL && record->renderBytes > 0) {
        restoring->shapes.renders[row] = cnMakeRenderData(record, render, &wrong);
        CN_CHECK(fault, !wrong, "shapes: row %d has render data that are none", row);
        return restoring->shapes.renders[row] != NULL;
    }
    return shape != NULL;
}

static bool AllocateShapes(cnShapeRows* rows, int count) {
    rows->count = rows->renderCount = count;
    rows->shapes = cnAllocate((size_t)count * sizeof(void*));
    rows->renders = cnAllocate((size_t)count * sizeof(void*));
    return count == 0 || (rows->shapes != NULL && rows->renders != NULL);
}

static void FreeShapes(cnShapeRows* rows) {
    for (int row = 0; row < rows->count; ++row) {
        if (rows->shapes != NULL) {
            cnDropShape(rows->shapes[row]);
        }
        if (rows->renders != NULL) {
            cnDropRenderData(rows->renders[row]);
        }
    }
    cnFree(rows->shapes, (size_t)rows->count * sizeof(void*));
    cnFree(rows->renders, (size_t)rows->count * sizeof(void*));
    *rows = (cnShapeRows){0};
}

static bool StageShapes(Restoring* restoring, const cnShapeRows* kept) {
    int count = restoring->view->shapes.ids.rowCount;
    if (!AllocateShapes(&restoring->shapes, count)) {
        return false;
    }
    restoring->view->shapes.shapes = restoring->shapes.shapes;
    size_t at = 0;
    for (int row = 0; row < count && kept == NULL; ++row) {
        if (!StageShape(restoring, row, &at)) {
            return false;
        }
    }
    for (int row = 0; row < count && kept != NULL; ++row) {
        CN_ASSERT(count == kept->count);
        restoring->shapes.shapes[row] = kept->shapes[row];
        if (kept->shapes[row] != NULL) {
            kept->shapes[row]->holders += 1;
        }
        if (row < kept->renderCount && kept->renders[row] != NULL) {
            restoring->shapes.renders[row] = kept->renders[row];
            cnHoldRenderData(kept->renders[row]);
        }
    }
    return true;
}

// Maps from keys to rows; a key twice is a fault.
static bool StagePairMap(Restoring* restoring) {
    cnPairTable* pairs = &restoring->view->pairs;
    if (!cnHashMap_Reserve(&pairs->indices, cnPairTable_Count(pairs))) {
        return false;
    }
    for (int i = 0; i < pairs->pairs.count; ++i) {
        uint64_t key = cnPair_GetKey(cnPairTable_Get(pairs, i));
        CN_CHECK(&restoring->fault, cnHashMap_AddNew(&pairs->indices, key, i), "pairs: row %d comes twice",
                 i);
    }
    for (int row = 0; row < pairs->distant.count; ++row) {
        uint64_t key = cnDistantPair_GetKey(cnPairTable_GetDistant(pairs, row));
        CN_CHECK(&restoring->fault, cnHashMap_AddNew(&pairs->indices, key, ~row),
                 "distant pairs: row %d comes twice", row);
    }
    return true;
}

static bool IsMaterialRow(const cnMaterialTables* tables, int row) {
    return row == CN_DEFAULT_MATERIAL_ROW || cnIdPool_IsLive(&tables->materials.ids, row);
}

static bool StageMaterials(Restoring* restoring) {
    cnMaterialTables* tables = &restoring->view->materials;
    cnMaterialLibrary* library = &restoring->world->materials.library;
    if (restoring->header->library != 0 &&
        cnMaterialLibrary_Update(library, "cnWorld_Restore") != CN_ERROR_NONE) {
        return false;
    }
    tables->library = *library;
    CN_CHECK(&restoring->fault, restoring->header->library == cnMaterialTables_GetLibraryFingerprint(tables),
             "the snapshot uses another library of materials than there is, or with other items added");
    const cnContactMaterialTable* table = &tables->contactMaterials;
    if (!cnHashMap_Reserve(&tables->pairs, table->ids.liveCount)) {
        return false;
    }
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if (!cnIdPool_IsLive(&table->ids, row)) {
            continue;
        }
        const int32_t* materials = table->materials[row];
        CN_CHECK(&restoring->fault,
                 IsMaterialRow(tables, materials[0]) && IsMaterialRow(tables, materials[1]) &&
                     cnMaterialTables_FindPair(tables, materials[0], materials[1]) < 0,
                 "contact materials: row %d of materials %d and %d is none or comes twice", row, materials[0],
                 materials[1]);
        cnMaterialTables_MapPair(tables, row);
    }
    return true;
}

static bool StageBroadPhase(Restoring* restoring, const char* image, size_t bytes) {
    cnBroadPhase* made = cnBroadPhase_Create();
    restoring->view->broadPhase = made;
    bool wrong = false;
    if (made == NULL || !cnBroadPhase_LoadImage(made, image, bytes, &wrong)) {
        CN_CHECK(&restoring->fault, !wrong, "the image of the broad phase is not one");
        return false;
    }
    CN_CHECK(&restoring->fault, cnBroadPhase_GetNumberCount(made) == restoring->view->proxies.capacity,
             "proxies: there are %d, the broad phase has %d", restoring->view->proxies.capacity,
             cnBroadPhase_GetNumberCount(made));
    return true;
}

// From the bytes to a view that is whole. False with a fault, or without one when memory ran out.
static bool MakeView(Restoring* restoring, const cnShapeRows* kept) {
    uint32_t imageBytes = 0, recordCount = 0, dataRows = 0;
    if (!cnVisitSections(BindSection, restoring)) {
        return false;
    }
    const char* image = TakeSection(restoring, "broadPhase", NULL, 0, 1, &imageBytes);
    const char* records = image != NULL ? TakeSection(restoring, "shapes.made", NULL, 0,
                                                      (int)sizeof(cnShapeRecord), &recordCount)
                                        : NULL;
    const char* data = records != NULL
                           ? TakeSection(restoring, "shapes.data", NULL, 0, CN_SNAPSHOT_ALIGNMENT, &dataRows)
                           : NULL;
    if (data == NULL) {
        return false;
    }
    cnWorld* view = restoring->view;
    CN_CHECK(&restoring->fault,
             restoring->entry == restoring->end && restoring->position == restoring->header->bytes,
             "the snapshot has more than this build knows");
    CN_CHECK(&restoring->fault, kept != NULL || (int)recordCount == view->shapes.ids.rowCount,
             "shapes: there are %d rows and %u records", view->shapes.ids.rowCount, (unsigned)recordCount);
    restoring->records = (const cnShapeRecord*)(const void*)records;
    restoring->shapeData = data;
    restoring->shapeBytes = (size_t)dataRows * CN_SNAPSHOT_ALIGNMENT;
    CompleteView(view);
    view->listeners.notifying = restoring->world->listeners.notifying;
    return (kept != NULL || cnCheckRanges(view, &restoring->fault)) && StageMaterials(restoring) &&
           StageShapes(restoring, kept) && StageBroadPhase(restoring, image, imageBytes) &&
           StagePairMap(restoring);
}

// ---- into the world ---------------------------------------------------------------------------------------

static bool ReservePool(cnIdPool* pool, const cnIdPool* wanted) {
    return cnArray_Reserve(&pool->generations, wanted->rowCount) &&
           cnArray_Reserve(&pool->freeRows, wanted->rowCount);
}

static bool ReserveTables(cnWorld* world, const cnWorld* view) {
    cnMaterialTables* materials = &world->materials;
    const cnMaterialTables* wanted = &view->materials;
    return cnTable_Reserve(&world->bodies, &cnBodyColumns, view->bodies.capacity) &&
           cnTable_Reserve(&world->geometries, &cnGeometryColumns, view->geometries.capacity) &&
           cnTable_Reserve(&world->shapes, &cnShapeColumns, view->shapes.capacity) &&
           cnProxyTable_Reserve(&world->proxies, view->proxies.capacity) &&
           cnTable_Reserve(&world->constraints, &cnConstraintColumns, view->constraints.capacity) &&
           cnTable_Reserve(&world->mergedBodies, &cnMergedBodyColumns, view->mergedBodies.capacity) &&
           cnTable_Reserve(&world->mergeEdges, &cnMergeEdgeColumns, view->mergeEdges.capacity) &&
           cnTable_Reserve(&materials->materials, &cnMaterialColumns, wanted->materials.capacity) &&
           cnTable_Reserve(&materials->contactMaterials, &cnContactMaterialColumns,
                           wanted->contactMaterials.capacity) &&
           cnContactTable_Reserve(&world->contacts, &cnContactColumns, view->contacts.count) &&
           cnContactTable_Reserve(&world->contactPoints, &cnContactPointColumns, view->contactPoints.count) &&
           cnContactTable_Reserve(&world->contactEvents, &cnContactEventColumns, view->contactEvents.count) &&
           ReservePool(&world->bodies.ids, &view->bodies.ids) &&
           ReservePool(&world->geometries.ids, &view->geometries.ids) &&
           ReservePool(&world->shapes.ids, &view->shapes.ids) &&
           ReservePool(&world->constraints.ids, &view->constraints.ids) &&
           ReservePool(&world->mergedBodies.ids, &view->mergedBodies.ids) &&
           ReservePool(&world->mergeEdges.ids, &view->mergeEdges.ids) &&
           ReservePool(&materials->materials.ids, &wanted->materials.ids) &&
           ReservePool(&materials->contactMaterials.ids, &wanted->contactMaterials.ids);
}

// Of shapes whose pair was gone when the contacts were found: for the list after the solve.
static bool IsEndedContact(const cnContactTable* contacts, int row) {
    return contacts->pair[row] < 0 && contacts->state[row] == cn_contactSeparation;
}

static bool ReserveEndedContacts(cnWorld* world, const cnContactTable* contacts) {
    int count = 0;
    for (int row = 0; row < contacts->count; ++row) {
        count += IsEndedContact(contacts, row);
    }
    return cnArray_Reserve(&world->endedContacts.list, count);
}

static void CommitEndedContacts(cnWorld* world) {
    const cnContactTable* contacts = &world->contacts;
    world->endedContacts.list.count = 0;
    for (int row = 0; row < contacts->count; ++row) {
        if (IsEndedContact(contacts, row)) {
            world->endedContacts.list.data[world->endedContacts.list.count++] = (cnEndedContact){
                .body1 = contacts->body1[row],
                .body2 = contacts->body2[row],
                .geometry1 = contacts->geometry1[row],
                .geometry2 = contacts->geometry2[row],
                .shape1 = contacts->shape1[row],
                .shape2 = contacts->shape2[row],
                .flags = contacts->flags[row],
            };
        }
    }
}

static bool ReserveArrays(cnWorld* world, const cnWorld* view) {
    return ReserveEndedContacts(world, &view->contacts) &&
           cnPairTable_Reserve(&world->pairs, view->pairs.pairs.count) &&
           cnPairTable_ReserveDistant(&world->pairs, view->pairs.distant.count) &&
           cnArray_Reserve(&world->pairs.concaves, view->pairs.concaves.count) &&
           cnArray_Reserve(&world->pairs.freeConcaves, view->pairs.concaves.count) &&
           cnArray_Reserve(&world->pairs.hints, view->pairs.concaves.count) &&
           cnArray_Reserve(&world->groupNames, view->groupNames.count) &&
           cnArray_Reserve(&world->groupPairs.keys, view->groupPairs.keys.count) &&
           cnArray_Reserve(&world->geometryPairs.keys, view->geometryPairs.keys.count) &&
           cnArray_Reserve(&world->islands, view->islands.count) &&
           cnArray_Reserve(&world->guardEvents, view->guardEvents.count) &&
           cnArray_Reserve(&world->mergeChanges, view->mergeChanges.count) &&
           cnArray_Reserve(&world->broken, view->constraints.ids.rowCount);
}

// Render data beyond the last shape that has some need no room.
static bool ReserveRenders(Restoring* restoring) {
    cnShapeRows* rows = &restoring->shapes;
    while (rows->renderCount > 0 && rows->renders[rows->renderCount - 1] == NULL) {
        rows->renderCount -= 1;
    }
    // NOLINTNEXTLINE(bugprone-sizeof-expression) the elements are pointers
    return cnArray_Reserve(&restoring->world->shapes.renderMeshes, rows->renderCount);
}

static bool CopySection(const cnSection* section, void* context) {
    const Restoring* restoring = context;
    const size_t rowBytes = (size_t)section->rowBytes;
    const int rows = cnSection_GetRows(section, restoring->view);
    const int before = cnSection_GetRows(section, restoring->world);
    for (int row = 0, count = rows; row < rows; row += count, count = rows - row) {
        const char* source = cnSection_GetRun(section, restoring->view, row, &count);
        char* target = cnSection_GetRun(section, restoring->world, row, &count);
        memcpy(target, source, (size_t)count * rowBytes);
    }
    for (int row = rows, count = before - rows; row < before; row += count, count = before - row) {
        char* target = cnSection_GetRun(section, restoring->world, row, &count);
        memset(target, 0, (size_t)count * rowBytes);
    }
    return true;
}

static bool GiveBackSection(const cnSection* section, void* context) {
    cnSection_GiveBack(section, context);
    return true;
}

static bool CopyCount(const cnSection* section, void* context) {
    const Restoring* restoring = context;
    if (section->kind != cn_sectionMember && section->count != offsetof(cnWorld, proxies.capacity)) {
        *cnSection_CountIn(section, restoring->world) = cnSection_GetRows(section, restoring->view);
    }
    return true;
}

static void CommitPool(cnIdPool* pool, const cnIdPool* from) {
    pool->generations.count = pool->rowCount;
    pool->freeHead = 0;
    pool->liveCount = from->liveCount;
}

static void CommitShapes(Restoring* restoring, int countBefore) {
    cnShapeTable* table = &restoring->world->shapes;
    cnShapeRows* rows = &restoring->shapes;
    for (int row = 0; row < countBefore; ++row) {
        cnDropShape(table->shapes[row]);
        table->shapes[row] = NULL;
    }
    for (int i = 0; i < table->renderMeshes.count; ++i) {
        cnDropRenderData(table->renderMeshes.data[i]);
    }
    for (int row = 0; row < rows->count; ++row) {
        table->shapes[row] = rows->shapes[row];
        rows->shapes[row] = NULL;
    }
    for (int i = 0; i < rows->renderCount; ++i) {
        table->renderMeshes.data[i] = rows->renders[i];
        rows->renders[i] = NULL;
    }
    table->renderMeshes.count = rows->renderCount;
}

static void SwapMaps(cnHashMap* map, cnHashMap* other) {
    cnHashMap kept = *map;
    *map = *other;
    *other = kept;
}

static void Commit(Restoring* restoring) {
    cnWorld *world = restoring->world, *view = restoring->view;
    int shapesBefore = world->shapes.ids.rowCount;
    cnVisitSections(CopySection, restoring);
    for (int row = view->proxies.capacity; row < world->proxies.capacity; ++row) {
        world->proxies.geometry[row] = -1;
    }
    cnVisitSections(CopyCount, restoring);
    CommitPool(&world->bodies.ids, &view->bodies.ids);
    CommitPool(&world->geometries.ids, &view->geometries.ids);
    CommitPool(&world->shapes.ids, &view->shapes.ids);
    CommitPool(&world->constraints.ids, &view->constraints.ids);
    CommitPool(&world->mergedBodies.ids, &view->mergedBodies.ids);
    CommitPool(&world->mergeEdges.ids, &view->mergeEdges.ids);
    CommitPool(&world->materials.materials.ids, &view->materials.materials.ids);
    CommitPool(&world->materials.contactMaterials.ids, &view->materials.contactMaterials.ids);
    CommitShapes(restoring, shapesBefore);
    SwapMaps(&world->pairs.indices, &view->pairs.indices);
    world->pairs.nearIsOld = true;
    world->pairs.hints.count = 0;
    SwapMaps(&world->materials.pairs, &view->materials.pairs);
    world->materials.revision += 1;
    cnBroadPhase* broadPhase = world->broadPhase;
    world->broadPhase = view->broadPhase;
    view->broadPhase = broadPhase;
    world->contactStage = cn_contactsListed;
    world->eventsMoved = world->collided;
    CommitEndedContacts(world);
    cnRecountSleepers(world);
    cnRecountAdaptive(world);
}

static bool IsViewSound(Restoring* restoring) {
    return cnValidateWorld(restoring->view, cn_phaseRestored, &restoring->fault) &&
           cnCheckMeaning(restoring->view, &restoring->fault);
}

cnErrorCode cnSnapshot_Restore(cnWorld* world, const void* snapshot, size_t bytes, const cnShapeRows* kept,
                               const char* call) {
    Restoring restoring = {.world = world, .start = snapshot, .header = snapshot};
    restoring.view = cnAllocate(sizeof *restoring.view);
    bool ok = restoring.view != NULL && CheckHeader(&restoring, bytes, kept == NULL) &&
              MakeView(&restoring, kept) && (kept != NULL || IsViewSound(&restoring)) &&
              ReserveTables(world, restoring.view) && ReserveArrays(world, restoring.view) &&
              ReserveRenders(&restoring);
    if (ok) {
        Commit(&restoring);
    }
    cnWorld_PublishTables(world);
    FreeShapes(&restoring.shapes);
    if (restoring.view != NULL) {
        cnHashMap_Free(&restoring.view->pairs.indices);
        cnHashMap_Free(&restoring.view->materials.pairs);
        cnVisitSections(GiveBackSection, restoring.view);
        if (restoring.view->broadPhase != NULL) {
            cnBroadPhase_Destroy(restoring.view->broadPhase);
        }
        cnFree(restoring.view, sizeof *restoring.view);
    }
    if (ok) {
        return CN_ERROR_NONE;
    }
    return restoring.fault.message[0] != '\0'
               ? cnFail(CN_ERROR_SNAPSHOT, call, "snapshot", "%s", restoring.fault.message)
               : cnFail(CN_ERROR_OUT_OF_MEMORY, call, "snapshot",
                        "no memory to restore a snapshot of %.0f bytes", (double)bytes);
}
