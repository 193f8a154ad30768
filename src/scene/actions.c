// The section "actions" of a scene, and applying what is due.
//
// Time is counted in steps: step k begins at k·h. An action is due in the first step that begins at or after
// `at`, which is step ⌈at/h − 1e-6⌉, a force in all steps from there up to ⌈(at + for)/h − 1e-6⌉.
#include "scene/load.h"

#include "base/report/error.h"
#include "base/report/format.h"

#include <string.h>

// ---- reading ----------------------------------------------------------------------------------------------

// The frame that a kinematic body moves to.
static void ReadMoveTo(const cnJson* node, cnSceneAction* action) {
    static const char* const keys[] = {"position", "rotation", "duration"};
    if (!CN_CHECK_KEYS(node, keys, "moveTo")) {
        return;
    }
    cnJson position = cnJson_Get(node, "position");
    cnJson rotation = cnJson_Get(node, "rotation");
    cnJson duration = cnJson_Get(node, "duration");
    action->hasTargetPosition = cnJson_IsGiven(&position);
    action->hasTargetRotation = cnJson_IsGiven(&rotation);
    action->targetPosition = cnJson_AsVector(&position, &cnJson_any, cnVec3_zero);
    action->targetRotation = cnJson_AsRotation(&rotation);
    action->duration = cnJson_AsNumber(&duration, &cnJson_notNegative, 0.0);
    if (!action->hasTargetPosition && !action->hasTargetRotation) {
        cnJson_Fail(node, "has no target: must have a position, a rotation or both");
    }
}

static void ReadBodyAction(cnSceneLoader* loader, const cnJson* node, cnSceneAction* action) {
    static const char* const keys[] = {"at",       "body",     "force",   "torque",   "point",
                                       "for",      "motion",   "enabled", "velocity", "angularVelocity",
                                       "position", "rotation", "moveTo"};
    static const char* const motions[] = {
        [cn_dynamic] = "dynamic", [cn_static] = "static", [cn_kinematic] = "kinematic"};
    static const struct {
        const char* key;
        uint32_t bit;
    } bits[] = {
        {"motion", cn_actMotion},     {"enabled", cn_actEnabled},
        {"position", cn_actPosition}, {"rotation", cn_actRotation},
        {"velocity", cn_actVelocity}, {"angularVelocity", cn_actAngularVelocity},
        {"moveTo", cn_actMoveTo},     {"force", cn_actForce},
        {"torque", cn_actTorque},     {"point", cn_actPoint},
        {"for", cn_actFor},
    };
    if (!CN_CHECK_KEYS(node, keys, "an action on a body")) {
        return;
    }
    cnJson body = cnJson_Get(node, "body");
    action->body = cnLoader_FindNamed(loader, &body, cn_name_body);
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; ++i) {
        action->what |= cnJson_Has(node, bits[i].key) ? bits[i].bit : 0u;
    }
    if ((action->what & ~(uint32_t)(cn_actPoint | cn_actFor)) == 0) {
        cnJson_Fail(node, "says nothing to do: must have a force, torque, velocity, angularVelocity, "
                          "position, rotation, motion, "
                          "enabled or moveTo");
    }

    // forces
    cnJson force = cnJson_Get(node, "force");
    cnJson torque = cnJson_Get(node, "torque");
    cnJson point = cnJson_Get(node, "point");
    cnJson forceTime = cnJson_Get(node, "for");
    action->force = cnJson_AsVector(&force, &cnJson_any, cnVec3_zero);
    action->torque = cnJson_AsVector(&torque, &cnJson_any, cnVec3_zero);
    action->point = cnJson_AsVector(&point, &cnJson_any, cnVec3_zero);
    action->forceTime = cnJson_AsNumber(&forceTime, &cnJson_positive, 0.0);
    if ((action->what & cn_actPoint) != 0 && (action->what & cn_actForce) == 0) {
        cnJson_Fail(&point, "is for a force only");
    }
    if ((action->what & cn_actFor) != 0 && (action->what & (cn_actForce | cn_actTorque)) == 0) {
        cnJson_Fail(&forceTime, "is for a force or torque only");
    }

    // state
    cnJson rotation = cnJson_Get(node, "rotation");
    cnJson velocity = cnJson_Get(node, "velocity");
    cnJson angularVelocity = cnJson_Get(node, "angularVelocity");
    action->position = cnJson_GetVector(node, "position", &cnJson_any, cnVec3_zero);
    action->rotation = cnJson_AsRotation(&rotation);
    action->velocity = cnJson_AsVector(&velocity, &cnJson_any, cnVec3_zero);
    action->angularVelocity = cnJson_AsVector(&angularVelocity, &cnJson_any, cnVec3_zero);
    action->enabled = cnJson_GetBoolean(node, "enabled", true);

    // motion: as the bodies will be then
    cnJson motion = cnJson_Get(node, "motion");
    cnJson moveTo = cnJson_Get(node, "moveTo");
    action->motion = (cnMotion)CN_AS_CHOICE(&motion, motions, cn_dynamic);
    if (cnJson_IsGiven(&moveTo)) {
        ReadMoveTo(&moveTo, action);
    }
    if (!cnJson_IsFine(node)) {
        return;
    }
    cnBodyFacts* facts = &loader->bodies.data[action->body];
    if (cnJson_IsGiven(&motion) && action->motion == cn_dynamic && !facts->hasMass) {
        cnJson_Fail(
            &motion,
            "is dynamic, but the body has neither a mass nor a geometry that gives one: must have either");
    }
    facts->becomesKinematic =
        facts->becomesKinematic || (cnJson_IsGiven(&motion) && action->motion == cn_kinematic);
}

static void ReadGeometryAction(cnSceneLoader* loader, const cnJson* node, cnSceneAction* action) {
    static const char* const keys[] = {"at",         "geometry", "enabled",
                                       "collisions", "sensor",   "surfaceVelocity"};
    if (!CN_CHECK_KEYS(node, keys, "an action on a geometry")) {
        return;
    }
    cnJson geometry = cnJson_Get(node, "geometry");
    cnJson enabled = cnJson_Get(node, "enabled");
    cnJson collisions = cnJson_Get(node, "collisions");
    cnJson sensor = cnJson_Get(node, "sensor");
    cnJson surfaceVelocity = cnJson_Get(node, "surfaceVelocity");
    action->geometry = cnLoader_FindNamed(loader, &geometry, cn_name_geometry);
    action->enabled = cnJson_AsBoolean(&enabled, true);
    action->collisions = cnJson_AsBoolean(&collisions, true);
    action->what |= cnJson_IsGiven(&enabled) ? cn_actEnabled : 0u;
    action->what |= cnJson_IsGiven(&collisions) ? cn_actCollisions : 0u;
    action->what |= cnJson_IsGiven(&sensor) ? cn_actSensor : 0u;
    action->what |= cnJson_IsGiven(&surfaceVelocity) ? cn_actSurfaceVelocity : 0u;
    action->sensor = cnReadSensor(&sensor);
    action->velocity = cnJson_AsVector(&surfaceVelocity, &cnJson_any, cnVec3_zero);
    if (action->what == 0) {
        cnJson_Fail(node, "says nothing to do: must have enabled, collisions, sensor or surfaceVelocity");
    }
}

static void ReadConstraintAction(cnSceneLoader* loader, const cnJson* node, cnSceneAction* action) {
    static const char* const keys[] = {"at", "constraint", "enabled", "motor", "lockAt", "range", "friction"};
    if (!CN_CHECK_KEYS(node, keys, "an action on a constraint")) {
        return;
    }
    cnScene* scene = loader->scene;
    cnJson constraint = cnJson_Get(node, "constraint");
    cnJson enabled = cnJson_Get(node, "enabled");
    action->constraint = cnLoader_FindNamed(loader, &constraint, cn_name_constraint);
    action->enabled = cnJson_AsBoolean(&enabled, true);
    action->what |= cnJson_IsGiven(&enabled) ? cn_actEnabled : 0u;
    action->firstPatch = scene->patches.count;
    for (int key = 0; key < cn_freeKeyCount; ++key) {
        cnJson value = cnJson_Get(node, cnSecondaryKeys[key]);
        if (!cnJson_IsGiven(&value)) {
            continue;
        }
        cnSecondaryPatch patches[2];
        cnReadSecondaries(&value, (cnSecondaryKey)key, cJSON_IsArray(value.value) ? 2 : 1, patches);
        action->what |= (uint32_t)cn_actSecondary << key;
        if (!cnArray_Push(&scene->patches, patches[0]) || !cnArray_Push(&scene->patches, patches[1])) {
            cnLoader_FailMemory(&value);
        }
        for (int i = 0; i < 2 && cnLoader_Builds(loader); ++i) {
            if (patches[i].given) {
                // the constraint has that degree of freedom
                cnClearLastError();
                cnConstraint_GetMotor(scene->world, scene->constraints.data[action->constraint], i);
                cnLoader_Accept(&value, cnGetLastError()->code == CN_ERROR_NONE);
            }
        }
    }
    if (action->what == 0) {
        cnJson_Fail(node, "says nothing to do: must have enabled, motor, lockAt, range or friction");
    }
}

static void ReadMergedBodyAction(cnSceneLoader* loader, const cnJson* node, cnSceneAction* action) {
    static const char* const keys[] = {"at", "mergedBody", "active", "remove"};
    static const char* const deeds[] = {"active", "remove"};
    if (!CN_CHECK_KEYS(node, keys, "an action on a merged body")) {
        return;
    }
    cnJson target = cnJson_Get(node, "mergedBody");
    cnJson removed = cnJson_Get(node, "remove");
    action->mergedBody = cnLoader_FindNamed(loader, &target, cn_name_mergedBody);
    cnJson_NeedOneOf(node, deeds, 2);
    action->enabled = cnJson_GetBoolean(node, "active", true);
    if (cnJson_IsGiven(&removed)) {
        action->body = cnLoader_FindNamed(loader, &removed, cn_name_body);
        action->what |= cn_actRemove;
    } else {
        action->what |= cn_actActive;
    }
}

static void ReadHeightFieldAction(cnSceneLoader* loader, const cnJson* node, cnSceneAction* action) {
    static const char* const keys[] = {"at", "heightField", "region", "heights"};
    if (!CN_CHECK_KEYS(node, keys, "an action on a height field")) {
        return;
    }
    cnJson target = cnJson_Get(node, "heightField");
    action->geometry = cnLoader_FindNamed(loader, &target, cn_name_geometry);
    action->what = cn_actHeights;
    if (action->geometry >= 0 && !loader->isHeightField.data[action->geometry]) {
        cnJson_Fail(&target, "is a geometry of another shape: must name one with a heightField");
    }

    // inclusive bounds
    int* bounds = action->region;
    cnJson region = cnJson_Need(node, "region");
    if (!cnJson_IsFine(node) || !cnJson_CheckCount(&region, 4, "[i0, i1, j0, j1]")) {
        return;
    }
    for (cnJson item = cnJson_First(&region, "a list"); cnJson_More(&item); cnJson_Next(&item)) {
        bounds[item.index] = cnJson_AsInteger(&item, 0, 1 << 14, 0);
    }
    if (bounds[1] < bounds[0] || bounds[3] < bounds[2]) {
        cnJson_Fail(&region, "is [%d, %d, %d, %d]: must have i0 <= i1 and j0 <= j1", bounds[0], bounds[1],
                    bounds[2], bounds[3]);
    }
    if (cnLoader_Builds(loader)) {
        // its far corner is in the field
        cnClearLastError();
        cnShapeId field = loader->scene->heightFields.data[action->geometry];
        cnHeightField_GetHeight(loader->scene->world, field, bounds[1], bounds[3]);
        cnLoader_Accept(node, cnGetLastError()->code == CN_ERROR_NONE);
    }

    cnJson heights = cnJson_Need(node, "heights");
    int count = (bounds[1] - bounds[0] + 1) * (bounds[3] - bounds[2] + 1);
    action->firstHeight = loader->scene->heights.count;
    for (cnJson item = cnJson_First(&heights, "a list of heights"); cnJson_More(&item); cnJson_Next(&item)) {
        double height = cnJson_AsNumber(&item, &cnJson_any, 0.0);
        if (!cnArray_Push(&loader->scene->heights, height)) {
            cnLoader_FailMemory(&item);
        }
    }
    if (cJSON_GetArraySize(heights.value) != count) {
        cnJson_Fail(&heights, "is a list of %d: the region has %d heights", cJSON_GetArraySize(heights.value),
                    count);
    }
}

void cnLoadActions(cnSceneLoader* loader, const cnJson* list) {
    static const char* const targets[] = {"body", "geometry", "constraint", "mergedBody", "heightField"};
    enum {
        onBody,
        onGeometry,
        onConstraint,
        onMergedBody,
        onHeightField
    };
    for (cnJson item = cnJson_First(list, "a list of actions"); cnJson_More(&item); cnJson_Next(&item)) {
        if (!cJSON_IsObject(item.value)) {
            cnJson_FailMust(&item, "an object");
            return;
        }
        cnSceneAction action = {.body = -1, .geometry = -1, .constraint = -1, .mergedBody = -1};
        switch (cnJson_NeedOneOf(&item, targets, (int)(sizeof targets / sizeof targets[0]))) {
        case onBody:
            ReadBodyAction(loader, &item, &action);
            break;
        case onGeometry:
            ReadGeometryAction(loader, &item, &action);
            break;
        case onConstraint:
            ReadConstraintAction(loader, &item, &action);
            break;
        case onMergedBody:
            ReadMergedBodyAction(loader, &item, &action);
            break;
        case onHeightField:
            ReadHeightFieldAction(loader, &item, &action);
            break;
        default:
            return;
        }
        cnJson at = cnJson_Need(&item, "at");
        action.at = cnJson_AsNumber(&at, &cnJson_notNegative, 0.0);
        if (!cnArray_Push(&loader->scene->actions, action)) {
            cnLoader_FailMemory(&item);
        }
    }

    // a body that moves to a pose is kinematic then
    for (cnJson item = cnJson_First(list, "a list of actions"); cnJson_More(&item); cnJson_Next(&item)) {
        const cnSceneAction* action = &loader->scene->actions.data[item.index];
        if ((action->what & cn_actMoveTo) != 0) {
            const cnBodyFacts* facts = &loader->bodies.data[action->body];
            if (facts->motion != cn_kinematic && !facts->becomesKinematic) {
                cnJson moveTo = cnJson_Get(&item, "moveTo");
                cnJson_Fail(&moveTo, "is for a kinematic body: this one neither is nor becomes kinematic");
            }
        }
    }
}

// ---- applying ---------------------------------------------------------------------------------------------

// First step that begins at or after a time, within 1e-6 of a step.
static double StepAt(double time, double timeStep) {
    return ceil(time / timeStep - 1e-6);
}

static cnErrorCode ApplyToConstraint(cnScene* scene, const cnSceneAction* action) {
    cnConstraintId constraint = scene->constraints.data[action->constraint];
    cnErrorCode code = CN_ERROR_NONE;
    int patch = action->firstPatch;
    for (int key = 0; key < cn_freeKeyCount; ++key) {
        if ((action->what & ((uint32_t)cn_actSecondary << key)) == 0) {
            continue;
        }
        for (int i = 0; i < 2 && code == CN_ERROR_NONE; ++i) {
            if (scene->patches.data[patch + i].given) {
                code = cnApplySecondary(scene->world, constraint, (cnSecondaryKey)key, i,
                                        &scene->patches.data[patch + i]);
            }
        }
        patch += 2;
    }
    if (code == CN_ERROR_NONE && (action->what & cn_actEnabled) != 0) {
        code = cnConstraint_SetEnabled(scene->world, constraint, action->enabled);
    }
    return code;
}

// A call that is made where the action has the bit; its error ends the function.
#define APPLY(bit, call)                                                                                     \
    if ((action->what & (bit)) != 0) {                                                                       \
        CN_TRY(call);                                                                                        \
    }

static cnErrorCode ApplyToGeometry(cnScene* scene, const cnSceneAction* action) {
    cnWorldId world = scene->world;
    cnGeometryId geometry = scene->geometries.data[action->geometry];
    const int* r = action->region;
    APPLY(cn_actHeights, cnHeightField_SetHeights(world, scene->heightFields.data[action->geometry], r[0],
                                                  r[1], r[2], r[3], scene->heights.data + action->firstHeight,
                                                  (r[1] - r[0] + 1) * (r[3] - r[2] + 1)))
    APPLY(cn_actEnabled, cnGeometry_SetEnabled(world, geometry, action->enabled))
    APPLY(cn_actCollisions, cnGeometry_SetCollisions(world, geometry, action->collisions))
    APPLY(cn_actSensor, cnGeometry_SetSensor(world, geometry, action->sensor))
    APPLY(cn_actSurfaceVelocity, cnGeometry_SetSurfaceVelocity(world, geometry, action->velocity))
    return CN_ERROR_NONE;
}

static cnErrorCode MoveBodyTo(cnWorldId world, cnBodyId body, const cnSceneAction* action) {
    cnVec3 position = action->hasTargetPosition ? action->targetPosition : cnBody_GetPosition(world, body);
    cnQuat rotation = action->hasTargetRotation ? action->targetRotation : cnBody_GetRotation(world, body);
    return cnBody_MoveTo(world, body, position, rotation, action->duration, cn_arrivalKeepVelocity);
}

static cnErrorCode ApplyToBody(cnScene* scene, const cnSceneAction* action) {
    cnWorldId world = scene->world;
    cnBodyId body = scene->bodies.data[action->body];
    APPLY(cn_actMotion, cnBody_SetMotion(world, body, action->motion))
    APPLY(cn_actEnabled, cnBody_SetEnabled(world, body, action->enabled))
    APPLY(cn_actPosition, cnBody_SetPosition(world, body, action->position))
    APPLY(cn_actRotation, cnBody_SetRotation(world, body, action->rotation))
    APPLY(cn_actVelocity, cnBody_SetVelocity(world, body, action->velocity))
    APPLY(cn_actAngularVelocity, cnBody_SetAngularVelocity(world, body, action->angularVelocity))
    APPLY(cn_actMoveTo, MoveBodyTo(world, body, action))
    return CN_ERROR_NONE;
}

// A body that has left already may be removed again.
static cnErrorCode ApplyToMergedBody(cnScene* scene, const cnSceneAction* action) {
    cnWorldId world = scene->world;
    cnMergedBodyId merged = scene->mergedBodies.data[action->mergedBody];
    APPLY(cn_actActive, cnMergedBody_SetActive(world, merged, action->enabled))
    if ((action->what & cn_actRemove) != 0) {
        cnBodyId body = scene->bodies.data[action->body];
        if (CN_SAME_ID(cnBody_GetMergedBody(world, body), merged)) {
            return cnMergedBody_RemoveBody(world, merged, body);
        }
    }
    return CN_ERROR_NONE;
}

// What is done once.
static cnErrorCode ApplyState(cnScene* scene, const cnSceneAction* action) {
    if (action->mergedBody >= 0) {
        return ApplyToMergedBody(scene, action);
    }
    if (action->constraint >= 0) {
        return ApplyToConstraint(scene, action);
    }
    return action->geometry >= 0 ? ApplyToGeometry(scene, action) : ApplyToBody(scene, action);
}

// The point is taken at the first step and then moves with the body; the direction stays in the world.
static cnErrorCode ApplyForces(cnScene* scene, cnSceneAction* action) {
    cnWorldId world = scene->world;
    cnBodyId body = scene->bodies.data[action->body];
    cnErrorCode code = CN_ERROR_NONE;
    if ((action->what & cn_actPoint) != 0 && !action->isPointFixed) {
        cnPose pose = {cnBody_GetPosition(world, body), cnBody_GetRotation(world, body)};
        action->point = cnInvTransformPoint(pose, action->point);
        action->isPointFixed = true;
    }
    if ((action->what & cn_actPoint) != 0) {
        code = cnBody_ApplyForceAtLocalPoint(world, body, action->force, action->point);
    } else if ((action->what & cn_actForce) != 0) {
        code = cnBody_ApplyForce(world, body, action->force);
    }
    if (code == CN_ERROR_NONE && (action->what & cn_actTorque) != 0) {
        code = cnBody_ApplyTorque(world, body, action->torque);
    }
    return code;
}

cnErrorCode cnScene_ApplyActions(cnScene* scene, const char* call) {
    double step = cnWorld_GetStepCount(scene->world);
    double timeStep = cnWorld_GetTimeStep(scene->world);
    cnErrorCode result = CN_ERROR_NONE;
    CN_PIN(&scene->actions, "the action that is applied");
    CN_PIN(&scene->heights, "heights of an action");
    for (int i = 0; i < scene->actions.count; ++i) {
        cnSceneAction* action = &scene->actions.data[i];
        double firstStep = StepAt(action->at, timeStep);
        if (action->isDone || step < firstStep) {
            continue;
        }

        // state at the first step, forces until their end
        bool hasForce = (action->what & (cn_actForce | cn_actTorque)) != 0;
        double endStep =
            (action->what & cn_actFor) != 0 ? StepAt(action->at + action->forceTime, timeStep) : step + 1.0;
        cnErrorCode code = !action->isStarted ? ApplyState(scene, action) : CN_ERROR_NONE;
        if (code == CN_ERROR_NONE && hasForce && step < endStep) {
            code = ApplyForces(scene, action);
        }
        action->isStarted = true;
        action->isDone = code != CN_ERROR_NONE || !hasForce || step + 1.0 >= endStep;
        if (code != CN_ERROR_NONE && result == CN_ERROR_NONE) {
            char path[32];
            cnFormat(path, sizeof path, "/actions/%d", i);
            result = cnFail(code, call, path, "%s cannot be applied: %s", path, cnGetLastError()->message);
        }
    }
    CN_UNPIN(&scene->actions);
    CN_UNPIN(&scene->heights);
    return result;
}
