// Worlds: their registry, how they are made and freed.
#include "world/world.h"

#include "base/assert.h"
#include "base/error.h"
#include "collide/pairs/contact_reduction.h"

#include <stdatomic.h>

#define CN_FIRST_STACK_BYTES ((size_t)256 * 1024)

// ---- registry -------------------------------------------------------------------------------------------------------

// The only process-wide state: which worlds exist. Worlds are made and destroyed under the flag; looking one up takes no lock,
// because a world is used by one thread at a time.
static struct {
    atomic_flag busy;
    cnWorld* worlds[CN_MAX_WORLDS];
    uint16_t generations[CN_MAX_WORLDS];
} cnRegistry = {.busy = ATOMIC_FLAG_INIT};

static void cnLockRegistry(void) {
    while (atomic_flag_test_and_set_explicit(&cnRegistry.busy, memory_order_acquire)) {}
}

static void cnUnlockRegistry(void) {
    atomic_flag_clear_explicit(&cnRegistry.busy, memory_order_release);
}

// Index 1…CN_MAX_WORLDS in the low bits, so that a handle is never zero.
cnWorld* cnLookUpWorld(cnWorldId id) {
    int slot = CN_INDEX_OF(id) - 1;
    if (slot < 0 || slot >= CN_MAX_WORLDS) {
        return NULL;
    }
    cnWorld* world = cnRegistry.worlds[slot];
    return world != NULL && CN_SAME_ID(world->id, id) ? world : NULL;
}

cnWorld* cnFindWorld(cnWorldId id, const char* call) {
    if (CN_IS_NULL(id)) {
        cnFail(CN_ERROR_NULL_HANDLE, call, "world",
               "world is the null handle, allowed are those of objects that live");
        return NULL;
    }
    cnWorld* world = cnLookUpWorld(id);
    if (world == NULL) {
        cnFail(CN_ERROR_STALE_HANDLE, call, "world", "world 0x%08x does not exist (any more)",
               (unsigned)id.value);
    }
    CN_ASSERT(world == NULL || cnWorld_IsPublished(world));
    return world;
}

static bool cnRegisterWorld(cnWorld* world) {
    cnLockRegistry();
    for (int slot = 0; slot < CN_MAX_WORLDS; ++slot) {
        if (cnRegistry.worlds[slot] == NULL) {
            uint16_t generation =
                (uint16_t)(cnRegistry.generations[slot] % ((1 << CN_GENERATION_BITS) - 1) + 1);
            cnRegistry.generations[slot] = generation;
            world->id.value = (uint32_t)generation << CN_INDEX_BITS | (uint32_t)(slot + 1);
            cnRegistry.worlds[slot] = world;
            cnUnlockRegistry();
            return true;
        }
    }
    cnUnlockRegistry();
    return false;
}

static void cnUnregisterWorld(const cnWorld* world) {
    cnLockRegistry();
    cnRegistry.worlds[CN_INDEX_OF(world->id) - 1] = NULL;
    cnUnlockRegistry();
}

// ---- creation -------------------------------------------------------------------------------------------------------

void cnFreeWorld(cnWorld* world) {
    if (!CN_IS_NULL(world->id)) {
        cnUnregisterWorld(world);
    }
    cnShapeTable_Free(&world->shapes);
    cnBodyTable_Free(&world->bodies);
    cnGeometryTable_Free(&world->geometries);
    cnProxyTable_Free(&world->proxies);
    cnMaterialTables_Free(&world->materials);
    cnConstraintTable_Free(&world->constraints);
    cnPairTable_Free(&world->pairs);
    cnContactTable_Free(&world->contacts);
    cnContactPointTable_Free(&world->contactPoints);
    cnContactEventTable_Free(&world->contactEvents);
    cnArray_Free(&world->listeners.list);
    cnArray_Free(&world->endedContacts.list);
    cnArray_Free(&world->groupNames);
    cnArray_Free(&world->islands);
    cnArray_Free(&world->broken);
    cnArray_Free(&world->guardEvents);
    cnPairSwitches_Free(&world->groupPairs);
    cnPairSwitches_Free(&world->geometryPairs);
    if (world->broadPhase != NULL) {
        cnBroadPhase_Destroy(world->broadPhase);
    }
    cnStack_Free(&world->stack);
    cnDirectPool_Free(&world->direct);
    cnFree(world, sizeof *world);
    cnAllocator_RemoveUser();
}

void cnStoreReduction(cnWorld* world, cnContactReductionMode mode, int resolution) {
    world->contactReduction = mode;
    world->reductionResolution = resolution > 0 ? resolution : CN_REDUCTION_RESOLUTION;
}

cnWorld* cnMakeWorld(const cnWorldDef* def, const cnGravity* gravity, const char* call) {
    cnWorld* world = cnAllocate(sizeof *world);
    if (world == NULL) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "def", "no memory for a world");
        return NULL;
    }
    cnAllocator_AddUser();
    if (!cnRegisterWorld(world)) {
        cnFreeWorld(world);
        cnFail(CN_ERROR_TOO_MANY, call, "def", "there are %d worlds already: destroy one first",
               CN_MAX_WORLDS);
        return NULL;
    }

    // every world and kind starts its generations elsewhere
    uint32_t seed = world->id.value * 2654435761u;
    cnIdPool_Init(&world->bodies.ids, seed);
    cnIdPool_Init(&world->geometries.ids, seed + 0x9e3779b9u);
    cnIdPool_Init(&world->shapes.ids, seed + 0x3c6ef372u);
    cnMaterialTables_Init(&world->materials, seed + 0xdaa66d2bu);
    cnIdPool_Init(&world->constraints.ids, seed + 0x78dde6e4u);
    world->gravity = *gravity;
    world->solver = def->solver;
    world->timeStep = def->timeStep > 0.0 ? def->timeStep : 1.0 / 60.0;
    world->gyroscopic = !def->disableGyroscopic;
    cnStoreReduction(world, def->contactReduction, def->contactReductionResolution);
    world->broadPhase = cnBroadPhase_Create();
    bool made = world->broadPhase != NULL && cnStack_Init(&world->stack, CN_FIRST_STACK_BYTES) &&
                cnBodyTable_Reserve(&world->bodies, def->bodyCapacity);
    world->threadCount = def->threads;
    made = made && cnThreadPool_Reserve(def->threads);
    if (!made) {
        cnFreeWorld(world);
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "def", "no memory or threads for a world");
        return NULL;
    }
    cnWorld_PublishTables(world);
    return world;
}
