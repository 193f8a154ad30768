// Worlds: their registry, how they are made and freed.
#include "world/world.h"

#include "base/containers/registry.h"
#include "base/report/assert.h"
#include "base/report/error.h"
#include "collide/pairs/contact_reduction.h"

#define CN_FIRST_STACK_BYTES ((size_t)256 * 1024)

// ---- registry ---------------------------------------------------------------------------------------------

// The only process-wide state beside the pools of threads: which worlds exist.
static cnRegistry registry = CN_EMPTY_REGISTRY;

const cnWorld* cnReadWorld(cnWorldId id, const char* call) {
    if (CN_IS_NULL(id)) {
        cnFail(CN_ERROR_NULL_HANDLE, call, "world",
               "world is the null handle, allowed are those of objects that live");
        return NULL;
    }
    const cnWorld* world = cnRegistry_Find(&registry, id.value);
    if (world == NULL) {
        cnFail(CN_ERROR_STALE_HANDLE, call, "world", "world 0x%08x does not exist (any more)",
               (unsigned)id.value);
    }
    CN_ASSERT(world == NULL || cnWorld_IsPublished(world));
    return world;
}

cnWorld* cnFindWorld(cnWorldId id, const char* call) {
    return cnReadWorld(id, call) != NULL ? cnLookUpWorld(id) : NULL;
}

cnWorld* cnLookUpWorld(cnWorldId id) {
    cnWorld* world = cnRegistry_Find(&registry, id.value);
    if (world != NULL) {
        world->isIdle = false;
    }
    return world;
}

// ---- creation ---------------------------------------------------------------------------------------------

void cnFreeWorld(cnWorld* world) {
    if (!CN_IS_NULL(world->id)) {
        cnRegistry_Remove(&registry, world->id.value);
    }
    for (int i = 0; i < cn_watcherCount; ++i) {
        if (world->watchers[i].release != NULL) {
            world->watchers[i].release(world);
        }
    }
    cnShapeTable_Free(&world->shapes);
    cnTable_Free(&world->bodies, &cnBodyColumns);
    cnIdPool_Free(&world->bodies.ids);
    cnTable_Free(&world->geometries, &cnGeometryColumns);
    cnIdPool_Free(&world->geometries.ids);
    cnTable_Free(&world->proxies, &cnProxyColumns);
    cnMaterialTables_Free(&world->materials);
    cnTable_Free(&world->constraints, &cnConstraintColumns);
    cnIdPool_Free(&world->constraints.ids);
    cnTable_Free(&world->mergedBodies, &cnMergedBodyColumns);
    cnIdPool_Free(&world->mergedBodies.ids);
    cnTable_Free(&world->mergeEdges, &cnMergeEdgeColumns);
    cnIdPool_Free(&world->mergeEdges.ids);
    cnPairTable_Free(&world->pairs);
    cnTable_Free(&world->contacts, &cnContactColumns);
    cnTable_Free(&world->contactPoints, &cnContactPointColumns);
    cnTable_Free(&world->contactEvents, &cnContactEventColumns);
    cnArray_Free(&world->listeners.list);
    cnArray_Free(&world->endedContacts.list);
    cnArray_Free(&world->groupNames);
    cnArray_Free(&world->islands);
    cnArray_Free(&world->broken);
    cnArray_Free(&world->balance.motions);
    cnArray_Free(&world->balance.centres);
    cnArray_Free(&world->balance.coordinates);
    cnArray_Free(&world->anchored);
    cnArray_Free(&world->guardEvents);
    cnArray_Free(&world->mergeChanges);
    cnArray_Free(&world->awakeRows);
    cnArray_Free(&world->drowsy);
    cnPairSwitches_Free(&world->groupPairs);
    cnPairSwitches_Free(&world->geometryPairs);
    if (world->broadPhase != NULL) {
        cnBroadPhase_Destroy(world->broadPhase);
    }
    cnStack_Free(&world->stack);
    cnFactorPool_Free(&world->direct);
    cnConstraintGraph_Free(&world->graph);
    cnSweepBatches_Free(&world->batches);
    cnFree(world, sizeof *world);
    cnAllocator_RemoveUser();
}

void cnStoreReduction(cnWorld* world, cnContactReductionMode mode, int resolution) {
    world->contactReduction = mode;
    world->reductionResolution = resolution > 0 ? resolution : CN_REDUCTION_RESOLUTION;
}

static double OrDefault(double value, double otherwise) {
    return value > 0.0 ? value : otherwise;
}

void cnStoreSleep(cnWorld* world, const cnSleepSettings* settings) {
    world->sleep = (cnSleepSettings){
        .enabled = settings->enabled,
        .linear = OrDefault(settings->linear, CN_SLEEP_LINEAR),
        .angular = OrDefault(settings->angular, CN_SLEEP_ANGULAR),
        .time = OrDefault(settings->time, CN_SLEEP_TIME),
    };
}

void cnStoreMergeSplit(cnWorld* world, const cnMergeSplitSettings* settings) {
    world->mergeSplit.enabled = settings->enabled;
#define CN_STORE(member, otherwise, unit) world->mergeSplit.member = OrDefault(settings->member, otherwise);
    CN_MERGE_THRESHOLDS(CN_STORE)
#undef CN_STORE
}

cnWorld* cnMakeWorld(const cnWorldDef* def, const cnGravity* gravity, const char* call) {
    cnWorld* world = cnAllocate(sizeof *world);
    if (world == NULL) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "def", "no memory for a world");
        return NULL;
    }
    cnAllocator_AddUser();
    world->id.value = cnRegistry_Add(&registry, world);
    if (CN_IS_NULL(world->id)) {
        cnFreeWorld(world);
        cnFail(CN_ERROR_TOO_MANY, call, "def", "there are %d worlds already: destroy one first",
               CN_REGISTRY_SLOTS);
        return NULL;
    }

    // every world and kind starts its generations elsewhere
    uint32_t seed = world->id.value * 2654435761u;
    cnIdPool_Init(&world->bodies.ids, seed);
    cnIdPool_Init(&world->geometries.ids, seed + 0x9e3779b9u);
    cnIdPool_Init(&world->shapes.ids, seed + 0x3c6ef372u);
    cnMaterialTables_Init(&world->materials, seed + 0xdaa66d2bu);
    cnIdPool_Init(&world->constraints.ids, seed + 0x78dde6e4u);
    cnIdPool_Init(&world->mergedBodies.ids, seed + 0x1715609du);
    cnIdPool_Init(&world->mergeEdges.ids, seed + 0xb54cda56u);
    world->gravity = *gravity;
    world->solver = def->solver;
    world->timeStep = def->timeStep > 0.0 ? def->timeStep : 1.0 / 60.0;
    cnStoreSleep(world, &def->sleep);
    cnStoreMergeSplit(world, &def->mergeSplit);
    world->gyroscopic = !def->disableGyroscopic;
    world->continuous = !def->disableContinuous;
    cnStoreReduction(world, def->contactReduction, def->contactReductionResolution);
    world->broadPhase = cnBroadPhase_Create();
    bool made = world->broadPhase != NULL && cnStack_Init(&world->stack, CN_FIRST_STACK_BYTES) &&
                cnTable_Reserve(&world->bodies, &cnBodyColumns, def->bodyCapacity);
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
