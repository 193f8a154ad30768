// A rollback ring: the states of the last steps, to go back to.
//
// A slot holds what a snapshot holds but for what shapes are made of: it holds on to the shapes themselves,
// which is why a height field that a slot holds is copied before it changes (cnShapeTable_MakeOwn). A step
// overwrites the oldest slot; its memory is kept with a quarter more than what it needed, so that after
// warm-up a step takes none. What is kept was never outside: it goes back unchecked.
#include "world/contact_list.h"
#include "world/snapshot/format.h"

#include "base/report/assert.h"
#include "base/report/error.h"

#include <string.h>

typedef struct Slot {
    char* bytes;
    size_t used; // 0: memory ran out when this step was to be kept
    size_t capacity;
    cnShapeRows shapes;
    int capacityOfShapes;
} Slot;

typedef struct cnRing {
    Slot* slots;
    int slotCount; // one more than steps to go back
    int newest;
    int kept; // slots in use, up to the newest
} cnRing;

static cnRing* RingOf(const cnWorld* world) {
    return world->watchers[cn_watcherRing].state;
}

static void DropShapes(Slot* slot) {
    for (int row = 0; row < slot->shapes.count; ++row) {
        cnDropShape(slot->shapes.shapes[row]);
    }
    for (int row = 0; row < slot->shapes.renderCount; ++row) {
        cnDropRenderData(slot->shapes.renders[row]);
    }
    slot->shapes.count = slot->shapes.renderCount = 0;
}

static void FreeShapeRows(Slot* slot) {
    size_t rows = (size_t)slot->capacityOfShapes;
    cnFree(slot->shapes.shapes, rows * sizeof(void*));
    cnFree(slot->shapes.renders, rows * sizeof(void*));
    slot->shapes = (cnShapeRows){0};
    slot->capacityOfShapes = 0;
}

static bool ReserveShapeRows(Slot* slot, int count) {
    if (count <= slot->capacityOfShapes) {
        return true;
    }
    FreeShapeRows(slot);
    int capacity = count + count / 4;
    slot->capacityOfShapes = capacity;
    slot->shapes.shapes = cnAllocate((size_t)capacity * sizeof(void*));
    slot->shapes.renders = cnAllocate((size_t)capacity * sizeof(void*));
    bool ok = slot->shapes.shapes != NULL && slot->shapes.renders != NULL;
    if (!ok) {
        FreeShapeRows(slot);
    }
    return ok;
}

static bool ReserveBytes(Slot* slot, size_t bytes) {
    if (bytes <= slot->capacity) {
        return true;
    }
    cnFree(slot->bytes, slot->capacity);
    size_t capacity = cnAlignSection(bytes + bytes / 4);
    slot->bytes = cnAllocate(capacity);
    slot->capacity = slot->bytes != NULL ? capacity : 0;
    return slot->bytes != NULL;
}

static void HoldShapes(Slot* slot, const cnShapeTable* table) {
    slot->shapes.count = table->ids.rowCount;
    slot->shapes.renderCount = table->renderMeshes.count;
    for (int row = 0; row < slot->shapes.count; ++row) {
        cnShape* shape = table->shapes[row];
        slot->shapes.shapes[row] = shape;
        if (shape != NULL) {
            shape->holders += 1;
        }
    }
    for (int row = 0; row < slot->shapes.renderCount; ++row) {
        cnRenderData* render = table->renderMeshes.data[row];
        slot->shapes.renders[row] = render;
        if (render != NULL) {
            cnHoldRenderData(render);
        }
    }
}

// What the slot held before is dropped first: a step that there is no memory for is not kept.
static void Fill(Slot* slot, cnWorld* world) {
    DropShapes(slot);
    cnKeepContacts(world);
    size_t bytes = cnSnapshot_GetBytes(world, cn_snapshotInRing);
    slot->used = 0;
    if (ReserveBytes(slot, bytes) && ReserveShapeRows(slot, world->shapes.ids.rowCount)) {
        cnSnapshot_Write(world, cn_snapshotInRing, slot->bytes);
        HoldShapes(slot, &world->shapes);
        slot->used = bytes;
    }
}

static void Store(cnWorld* world) {
    cnRing* ring = RingOf(world);
    if (ring != NULL) {
        ring->newest = (ring->newest + 1) % ring->slotCount;
        ring->kept = ring->kept < ring->slotCount ? ring->kept + 1 : ring->slotCount;
        Fill(&ring->slots[ring->newest], world);
    }
}

static void Notify(cnWorld* world, cnWorldMoment moment) {
    if (moment == cn_momentStepped) {
        Store(world);
    }
}

bool cnRing_IsOn(const cnWorld* world) {
    return RingOf(world) != NULL;
}

void cnRing_Restart(cnWorld* world) {
    if (RingOf(world) != NULL) {
        RingOf(world)->kept = 0;
        Store(world);
    }
}

void cnRing_Free(cnWorld* world) {
    cnRing* ring = RingOf(world);
    if (ring == NULL) {
        return;
    }
    for (int i = 0; i < ring->slotCount; ++i) {
        DropShapes(&ring->slots[i]);
        FreeShapeRows(&ring->slots[i]);
        cnFree(ring->slots[i].bytes, ring->slots[i].capacity);
    }
    cnFree(ring->slots, (size_t)ring->slotCount * sizeof *ring->slots);
    cnFree(ring, sizeof *ring);
    world->watchers[cn_watcherRing] = (cnWatcher){0};
}

bool cnRing_Make(cnWorld* world, int steps) {
    CN_ASSERT(steps >= 1);
    cnRing* ring = cnAllocate(sizeof *ring);
    Slot* slots = cnAllocate(((size_t)steps + 1) * sizeof *slots);
    if (ring == NULL || slots == NULL) {
        cnFree(slots, ((size_t)steps + 1) * sizeof *slots);
        cnFree(ring, sizeof *ring);
        return false;
    }
    *ring = (cnRing){.slots = slots, .slotCount = steps + 1};
    cnRing_Free(world);
    world->watchers[cn_watcherRing] = (cnWatcher){Notify, cnRing_Free, ring};
    Store(world);
    return true;
}

int cnRing_CountSteps(const cnWorld* world) {
    return RingOf(world) != NULL ? RingOf(world)->kept - 1 : 0;
}

size_t cnRing_GetBytes(const cnWorld* world) {
    const cnRing* ring = RingOf(world);
    size_t bytes = 0;
    for (int i = 0; ring != NULL && i < ring->slotCount; ++i) {
        size_t rows = (size_t)ring->slots[i].capacityOfShapes;
        bytes += ring->slots[i].capacity + rows * (sizeof(cnShape*) + sizeof(cnRenderData*));
    }
    return bytes;
}

cnErrorCode cnRing_Rewind(cnWorld* world, int steps, const char* call) {
    cnRing* ring = RingOf(world);
    CN_ASSERT(ring != NULL && steps >= 0 && steps < ring->kept);
    int at = (ring->newest - steps + ring->slotCount) % ring->slotCount;
    const Slot* slot = &ring->slots[at];
    if (slot->used == 0) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "steps",
                      "the state %d steps ago was not kept: memory ran out", steps);
    }
    cnErrorCode code = cnSnapshot_Restore(world, slot->bytes, slot->used, &slot->shapes, call);
    if (code == CN_ERROR_NONE) {
        ring->newest = at;
        ring->kept -= steps;
    }
    return code;
}
