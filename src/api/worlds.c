// Worlds: creation and settings.
#include "api/checks.h"
#include "api/handles.h"
#include "collide/pairs/contact_reduction.h"
#include "dynamics/gravity.h"
#include "dynamics/motion.h"
#include "world/adaptive_merging.h"
#include "world/anchors.h"
#include "world/contact_list.h"
#include "world/sleep.h"

#include <string.h>

// Groups with names have numbers from here on.
#define CN_FIRST_NAMED_GROUP 0x80000000u

static cnErrorCode CheckGravity(const cnGravity* gravity, const char* call, cnGravity* out) {
    *out = *gravity;
    if (gravity->type == cn_gravityDefault) {
        *out = (cnGravity){.type = cn_gravityUniform, .acceleration = {0.0, 0.0, -9.80665}};
        return CN_ERROR_NONE;
    }
    if (gravity->type < 0 || gravity->type > cn_gravityKepler) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "gravity.type", "gravity.type is %d, allowed is 0 to 3",
                      (int)gravity->type);
    }
    CN_TRY(cnCheckVec(gravity->acceleration, call, "gravity.acceleration"));
    CN_TRY(cnCheckVec(gravity->centre, call, "gravity.centre"));
    CN_TRY(cnCheckRange(gravity->magnitude, -1e30, 1e30, call, "gravity.magnitude", "m/s²"));
    return cnCheckRange(gravity->mu, -1e30, 1e30, call, "gravity.mu", "m³/s²");
}

static cnErrorCode CheckSolver(const cnSolverSettings* settings, const char* call) {
    if ((int)settings->type < cn_solverAuto || settings->type > cn_solverSplit) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "solver.type", "solver.type is %d, allowed is 0 to 3",
                      (int)settings->type);
    }
    if (settings->substeps < 0 || settings->substeps > 64) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "solver.substeps",
                      "solver.substeps is %d, allowed is 0 to 64", settings->substeps);
    }
    if (settings->iterations < 0 || settings->iterations > 1000) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "solver.iterations",
                      "solver.iterations is %d, allowed is 0 to 1000", settings->iterations);
    }
    return CN_ERROR_NONE;
}

static cnErrorCode CheckSleep(const cnSleepSettings* settings, const char* call, const char* linear,
                              const char* angular, const char* time) {
    CN_TRY(cnCheckRange(settings->linear, 0.0, 1e30, call, linear, "m/s"));
    CN_TRY(cnCheckRange(settings->angular, 0.0, 1e30, call, angular, "rad/s"));
    return cnCheckRange(settings->time, 0.0, 1e30, call, time, "s");
}

static cnErrorCode CheckMergeSplit(const cnMergeSplitSettings* settings, const char* call, bool isOfDef) {
#define CN_CHECK_THRESHOLD(member, otherwise, unit)                                                          \
    CN_TRY(cnCheckRange(settings->member, 0.0, 1e30, call, isOfDef ? "def.mergeSplit." #member : #member,    \
                        unit));
    CN_MERGE_THRESHOLDS(CN_CHECK_THRESHOLD)
#undef CN_CHECK_THRESHOLD
    return CN_ERROR_NONE;
}

static cnErrorCode CheckReduction(cnContactReductionMode mode, int resolution, const char* call,
                                  const char* modeArgument, const char* resolutionArgument) {
    if (mode < cn_reductionMaterial || mode > cn_reductionAll) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, modeArgument, "%s is %d, allowed is 0 to 2", modeArgument,
                      (int)mode);
    }
    if (resolution < 0 || resolution > CN_REDUCTION_MAX_RESOLUTION) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, resolutionArgument, "%s is %d, allowed is 0 to %d",
                      resolutionArgument, resolution, CN_REDUCTION_MAX_RESOLUTION);
    }
    return CN_ERROR_NONE;
}

static cnErrorCode CheckWorldDef(const cnWorldDef* def, const char* call, cnGravity* gravity) {
    if (def == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "def", "def is null");
    }
    if (def->timeStep != 0.0) {
        CN_TRY(cnCheckRange(def->timeStep, 1e-6, 1.0, call, "def.timeStep", "s"));
    }
    CN_TRY(CheckGravity(&def->gravity, call, gravity));
    CN_TRY(CheckSolver(&def->solver, call));
    CN_TRY(CheckSleep(&def->sleep, call, "def.sleep.linear", "def.sleep.angular", "def.sleep.time"));
    CN_TRY(CheckMergeSplit(&def->mergeSplit, call, true));
    if (def->threads < 0 || def->threads > CN_MAX_THREADS) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "def.threads", "def.threads is %d, allowed is 0 to %d",
                      def->threads, CN_MAX_THREADS);
    }
    CN_TRY(CheckReduction(def->contactReduction, def->contactReductionResolution, call,
                          "def.contactReduction", "def.contactReductionResolution"));
    if (def->bodyCapacity < 0 || def->bodyCapacity > CN_MAX_ROWS) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "def.bodyCapacity",
                      "def.bodyCapacity is %d, allowed is 0 to %d", def->bodyCapacity, CN_MAX_ROWS);
    }
    return CN_ERROR_NONE;
}

cnWorldId cnCreateWorld(const cnWorldDef* def) {
    const char* call = __func__;
    cnGravity gravity;
    if (CheckWorldDef(def, call, &gravity) != CN_ERROR_NONE) {
        return (cnWorldId){0};
    }
    cnWorld* world = cnMakeWorld(def, &gravity, call);
    return world != NULL ? world->id : (cnWorldId){0};
}

cnErrorCode cnDestroyWorld(cnWorldId id) {
    cnWorld* world = cnFindWorld(id, __func__);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    CN_TRY(cnRejectListeners(world, "destroy", __func__));
    cnFreeWorld(world);
    return CN_ERROR_NONE;
}

bool cnWorld_IsValid(cnWorldId world) {
    return cnLookUpWorld(world) != NULL;
}

cnErrorCode cnWorld_SetTimeStep(cnWorldId id, double timeStep) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(id, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    CN_TRY(cnCheckRange(timeStep, 1e-6, 1.0, call, "timeStep", "s"));
    cnKeepContacts(world); // whose impacts are divided by it
    world->timeStep = timeStep;
    return CN_ERROR_NONE;
}

double cnWorld_GetTimeStep(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    return world != NULL ? world->timeStep : 0.0;
}

double cnWorld_GetStepCount(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    return world != NULL ? world->stepCount : 0.0;
}

double cnWorld_GetTime(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    return world != NULL ? world->time : 0.0;
}

static void ChangeGravity(cnWorld* world, const cnGravity* gravity) {
    cnBodyTable* bodies = &world->bodies;
    for (int row = 0; row < bodies->ids.rowCount; ++row) {
        if (!world->anchored.data[row]) {
            cnVec3 before = cnGravityOn(&world->gravity, bodies, row);
            cnBody_ChangeGravity(bodies, row, cnSub(cnGravityOn(gravity, bodies, row), before));
        }
    }
    world->gravity = *gravity;
}

cnErrorCode cnWorld_SetGravity(cnWorldId id, const cnGravity* gravity) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(id, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    if (gravity == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "gravity", "gravity is null");
    }
    cnGravity checked;
    CN_TRY(CheckGravity(gravity, call, &checked));
    if (!cnFindAnchoredBodies(world, call)) {
        return cnGetLastError()->code;
    }
    cnWakeAll(world);
    ChangeGravity(world, &checked);
    return CN_ERROR_NONE;
}

cnGravity cnWorld_GetGravity(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    return world != NULL ? world->gravity : (cnGravity){0};
}

// Null with an error where there is no world, or there are no settings for it.
static cnWorld* FindToSet(cnWorldId id, const void* settings, const char* call) {
    cnWorld* world = cnFindWorld(id, call);
    if (world != NULL && settings == NULL) {
        cnFail(CN_ERROR_NULL_ARGUMENT, call, "settings", "settings is null");
        return NULL;
    }
    return world;
}

cnErrorCode cnWorld_SetSolver(cnWorldId id, const cnSolverSettings* settings) {
    const char* call = __func__;
    cnWorld* world = FindToSet(id, settings, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    CN_TRY(CheckSolver(settings, call));
    cnWakeAll(world);
    world->solver = *settings;
    return CN_ERROR_NONE;
}

cnSolverSettings cnWorld_GetSolver(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    return world != NULL ? world->solver : (cnSolverSettings){0};
}

cnErrorCode cnWorld_SetSleep(cnWorldId id, const cnSleepSettings* settings) {
    const char* call = __func__;
    cnWorld* world = FindToSet(id, settings, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    CN_TRY(CheckSleep(settings, call, "linear", "angular", "time"));
    if (!settings->enabled) {
        cnWakeAll(world);
    }
    cnStoreSleep(world, settings);
    return CN_ERROR_NONE;
}

cnSleepSettings cnWorld_GetSleep(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    return world != NULL ? world->sleep : (cnSleepSettings){0};
}

cnErrorCode cnWorld_SetMergeSplit(cnWorldId id, const cnMergeSplitSettings* settings) {
    const char* call = __func__;
    cnWorld* world = FindToSet(id, settings, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    CN_TRY(CheckMergeSplit(settings, call, false));
    if (!settings->enabled) {
        cnDisturbAll(world);
    }
    cnStoreMergeSplit(world, settings);
    return CN_ERROR_NONE;
}

cnMergeSplitSettings cnWorld_GetMergeSplit(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    return world != NULL ? world->mergeSplit : (cnMergeSplitSettings){0};
}

cnProfile cnWorld_GetProfile(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    return world != NULL ? world->profile : (cnProfile){0};
}

static cnErrorCode SetPairSwitch(cnPairSwitches* switches, uint32_t a, uint32_t b, bool enabled,
                                 const char* call) {
    if (!cnPairSwitches_Set(switches, a, b, !enabled)) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "enabled", "no memory to remember the pair");
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnWorld_SetGroupPairEnabled(cnWorldId id, uint32_t group1, uint32_t group2, bool enabled) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(id, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    CN_TRY(SetPairSwitch(&world->groupPairs, group1, group2, enabled, call));
    for (int row = 0; row < world->geometries.ids.rowCount; ++row) {
        if ((world->geometries.flags[row] & cn_geometryLive) != 0 && world->geometries.groupCount[row] > 0) {
            cnTouchGeometry(world, row);
        }
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnWorld_SetGeometryPairEnabled(cnWorldId id, cnGeometryId geometry1, cnGeometryId geometry2,
                                           bool enabled) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(id, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    int row1 = cnFindGeometry(world, geometry1, call, "geometry1");
    int row2 = row1 >= 0 ? cnFindGeometry(world, geometry2, call, "geometry2") : -1;
    if (row1 < 0 || row2 < 0) {
        return cnGetLastError()->code;
    }
    CN_TRY(SetPairSwitch(&world->geometryPairs, geometry1.value, geometry2.value, enabled, call));
    cnTouchGeometry(world, row1);
    return CN_ERROR_NONE;
}

cnErrorCode cnWorld_SetContactReduction(cnWorldId id, cnContactReductionMode mode, int resolution) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(id, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    CN_TRY(CheckReduction(mode, resolution, call, "mode", "resolution"));
    cnStoreReduction(world, mode, resolution);
    return CN_ERROR_NONE;
}

cnContactReductionMode cnWorld_GetContactReduction(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    return world != NULL ? world->contactReduction : cn_reductionMaterial;
}

int cnWorld_GetContactReductionResolution(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    return world != NULL ? world->reductionResolution : 0;
}

// Names are few and asked for once: a walk over the letters.
uint32_t cnWorld_GetGroup(cnWorldId id, const char* name) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(id, call);
    if (world == NULL) {
        return 0;
    }
    if (name == NULL || name[0] == '\0') {
        cnFail(name == NULL ? CN_ERROR_NULL_ARGUMENT : CN_ERROR_OUT_OF_RANGE, call, "name",
               "name is %s, allowed are texts of at least one letter", name == NULL ? "null" : "empty");
        return 0;
    }
    uint32_t group = CN_FIRST_NAMED_GROUP;
    int at = 0;
    for (; at < world->groupNames.count; at += (int)strlen(&world->groupNames.data[at]) + 1) {
        if (strcmp(&world->groupNames.data[at], name) == 0) {
            return group;
        }
        group += 1;
    }
    int size = (int)strlen(name) + 1;
    if (!cnArray_Resize(&world->groupNames, at + size)) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "name", "no memory to remember the group");
        return 0;
    }
    memcpy(&world->groupNames.data[at], name, (size_t)size);
    return group;
}
