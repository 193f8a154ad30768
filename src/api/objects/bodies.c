// Bodies: the public functions.
#include "api/objects/bodies.h"
#include "api/checks.h"
#include "api/handles.h"
#include "dynamics/gravity.h"
#include "dynamics/motion.h"
#include "world/adaptive_merging.h"
#include "world/anchors.h"
#include "world/carriers.h"
#include "world/merged_bodies.h"
#include "world/sleep.h"
#include "world/world.h"

// World and row of a call, or leave with the error.
#define CN_FIND_BODY(call)                                                                                   \
    cnWorld* world = cnFindWorld(worldId, call);                                                             \
    int row = world != NULL ? cnFindBody(world, bodyId, call, "body") : -1;                                  \
    if (row < 0) {                                                                                           \
        return cnGetLastError()->code;                                                                       \
    }

#define CN_FIND_BODY_OR(call, otherwise)                                                                     \
    const cnWorld* world = cnReadWorld(worldId, call);                                                       \
    int row = world != NULL ? cnFindBody(world, bodyId, call, "body") : -1;                                  \
    if (row < 0) {                                                                                           \
        return otherwise;                                                                                    \
    }

// ---- mass -------------------------------------------------------------------------------------------------

// ---- creation ---------------------------------------------------------------------------------------------

cnErrorCode cnCheckBodyDef(const cnBodyDef* def, const char* call, cnQuat* rotation) {
    if (def == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "def", "def is null");
    }
    if (def->motion < cn_dynamic || def->motion > cn_kinematic) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "def.motion", "def.motion is %d, allowed is 0 to 2",
                      (int)def->motion);
    }
    CN_TRY(cnCheckVec(def->position, call, "def.position"));
    CN_TRY(cnCheckRotation(def->rotation, rotation, call, "def.rotation"));
    CN_TRY(cnCheckVec(def->velocity, call, "def.velocity"));
    CN_TRY(cnCheckVec(def->angularVelocity, call, "def.angularVelocity"));
    if (def->mass != 0.0) {
        CN_TRY(cnCheckRange(def->mass, 1e-30, 1e30, call, "def.mass", "kg"));
    }
    if (!cnIsZeroMat(def->inertia)) {
        CN_TRY(cnCheckInertia(def->inertia, call, "def.inertia"));
    }
    CN_TRY(cnCheckVec(def->centreOfMass, call, "def.centreOfMass"));
    CN_TRY(cnCheckNotNegative(def->linearDamping, call, "def.linearDamping", "1/s"));
    CN_TRY(cnCheckNotNegative(def->angularDamping, call, "def.angularDamping", "1/s"));
    if (def->gravityScaleGiven) {
        CN_TRY(cnCheckRange(def->gravityScale, -CN_MAX_GRAVITY_SCALE, CN_MAX_GRAVITY_SCALE, call,
                            "def.gravityScale", ""));
    }
    CN_TRY(cnCheckNotNegative(def->massCoefficients, call, "def.massCoefficients", ""));
    return cnCheckNotNegative(def->inertiaCoefficients, call, "def.inertiaCoefficients", "");
}

cnBodyId cnCreateBody(cnWorldId worldId, const cnBodyDef* def) {
    const char* call = __func__;
    cnBodyId none = {0};
    cnWorld* world = cnFindWorld(worldId, call);
    cnQuat rotation = cnQuat_identity;
    if (world == NULL || cnCheckBodyDef(def, call, &rotation) != CN_ERROR_NONE) {
        return none;
    }
    cnBodyTable* bodies = &world->bodies;
    bool hasRoom = cnTable_Reserve(bodies, &cnBodyColumns, bodies->ids.rowCount + 1);
    int row = cnAcquireRow(world, &bodies->ids, hasRoom, "bodies", call);
    if (row < 0) {
        return none;
    }
    cnFillBody(world, row, def, rotation);
    cnWorld_PublishTables(world);
    return (cnBodyId){cnIdPool_ValueOf(&bodies->ids, row)};
}

cnErrorCode cnDestroyBody(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY(__func__)
    cnWakeAround(world, row);
    cnLeaveMergedBody(world, row);
    cnRemoveConstraintsOf(world, row);
    cnMaterialTables_ForgetBody(&world->materials, row);
    while (world->bodies.firstGeometry[row] >= 0) {
        cnRemoveGeometry(world, world->bodies.firstGeometry[row]);
    }
    world->bodies.flags[row] = 0;
    world->bodies.handle[row] = 0;
    cnIdPool_Release(&world->bodies.ids, bodyId.value);
    cnWorld_PublishTables(world);
    return CN_ERROR_NONE;
}

bool cnBody_IsValid(cnWorldId worldId, cnBodyId bodyId) {
    const cnWorld* world = cnLookUpWorld(worldId);
    return world != NULL && cnIdPool_Find(&world->bodies.ids, bodyId.value) >= 0;
}

// ---- pose and velocity ------------------------------------------------------------------------------------

// After the user placed a body: no smearing from where it was.
static void FinishPlacing(cnWorld* world, int row) {
    cnBodyTable* bodies = &world->bodies;
    cnWakeAround(world, row);
    cnBody_UpdateCentre(bodies, row);
    bodies->previousPosition[row] = bodies->position[row];
    bodies->previousRotation[row] = bodies->rotation[row];
    bodies->flags[row] |= cn_bodyTeleported | cn_bodySet;
    bodies->flags[row] &= ~(uint32_t)(cn_bodyMoving | cn_bodyStopping);
    cnWriteRenderPose(world, row, 1.0);
    for (int g = bodies->firstGeometry[row]; g >= 0; g = world->geometries.nextOfBody[g]) {
        cnRefreshProxyPoses(world, g);
    }
}

cnErrorCode cnBody_SetPosition(cnWorldId worldId, cnBodyId bodyId, cnVec3 position) {
    CN_FIND_BODY(__func__)
    CN_TRY(cnCheckVec(position, __func__, "position"));
    cnLoosen(world, row);
    world->bodies.position[row] = position;
    FinishPlacing(world, row);
    cnBody_Synchronise(&world->bodies, row); // the forces of the new place begin there
    cnBody_ReadState(&world->bodies, row);
    return CN_ERROR_NONE;
}

cnVec3 cnBody_GetPosition(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, cnVec3_zero)
    return world->bodies.position[row];
}

cnErrorCode cnBody_SetRotation(cnWorldId worldId, cnBodyId bodyId, cnQuat rotation) {
    CN_FIND_BODY(__func__)
    cnQuat checked;
    CN_TRY(cnCheckRotation(rotation, &checked, __func__, "rotation"));
    cnLoosen(world, row);
    world->bodies.rotation[row] = checked;
    FinishPlacing(world, row);
    cnBody_Synchronise(&world->bodies, row);
    cnBody_ReadState(&world->bodies, row);
    return CN_ERROR_NONE;
}

cnQuat cnBody_GetRotation(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, (cnQuat){0})
    return world->bodies.rotation[row];
}

cnVec3 cnBody_GetCentreOfMass(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, cnVec3_zero)
    return world->bodies.centreOfMass[row];
}

// Before a velocity is set: one of 0 changes neither a sleeper nor a kinematic body that stands.
static void WakeForVelocity(cnWorld* world, int row, cnVec3 velocity) {
    if (cnLengthSquared(velocity) > 0.0) {
        cnWakeOnMove(world, row);
    }
}

// A kinematic part's velocity is that of the whole.
static void LoosenUnlessItLeads(cnWorld* world, int row) {
    if ((world->bodies.flags[row] & cn_bodyCarried) != 0) {
        cnLoosen(world, row);
    }
}

// A velocity that is set after the arrival at a target stays.
static void FinishSettingVelocity(cnBodyTable* bodies, int row) {
    cnBody_ReadState(bodies, row);
    bodies->flags[row] |= cn_bodySet;
    if ((bodies->flags[row] & cn_bodyMoving) == 0) {
        bodies->flags[row] &= ~(uint32_t)cn_bodyStopping;
    }
}

static cnErrorCode CheckMoves(const cnWorld* world, int row, const char* call) {
    if ((world->bodies.flags[row] & (cn_bodyDynamic | cn_bodyKinematic)) == 0) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "body", "the body is static: it has no velocity to set");
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnBody_SetVelocity(cnWorldId worldId, cnBodyId bodyId, cnVec3 velocity) {
    CN_FIND_BODY(__func__)
    CN_TRY(cnCheckVec(velocity, __func__, "velocity"));
    CN_TRY(CheckMoves(world, row, __func__));
    WakeForVelocity(world, row, velocity);
    LoosenUnlessItLeads(world, row);
    cnBody_Synchronise(&world->bodies, row);
    world->bodies.halfStepVelocity[row] = velocity;
    FinishSettingVelocity(&world->bodies, row);
    return CN_ERROR_NONE;
}

cnVec3 cnBody_GetVelocity(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, cnVec3_zero)
    return world->bodies.velocity[row];
}

cnErrorCode cnBody_SetAngularVelocity(cnWorldId worldId, cnBodyId bodyId, cnVec3 angularVelocity) {
    CN_FIND_BODY(__func__)
    CN_TRY(cnCheckVec(angularVelocity, __func__, "angularVelocity"));
    CN_TRY(CheckMoves(world, row, __func__));
    WakeForVelocity(world, row, angularVelocity);
    LoosenUnlessItLeads(world, row);
    cnBody_Synchronise(&world->bodies, row);
    cnBody_StoreAngularVelocity(&world->bodies, row, angularVelocity);
    FinishSettingVelocity(&world->bodies, row);
    return CN_ERROR_NONE;
}

cnVec3 cnBody_GetAngularVelocity(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, cnVec3_zero)
    return world->bodies.angularVelocity[row];
}

cnVec3 cnBody_GetAngularMomentum(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, cnVec3_zero)
    return world->bodies.angularMomentum[row];
}

// ---- forces -----------------------------------------------------------------------------------------------

// Adds a force and a torque; refuses sums that are no longer finite.
static cnErrorCode AddForce(cnWorld* world, int row, cnVec3 force, cnVec3 torque, const char* call) {
    cnVec3 newForce = cnAdd(world->bodies.force[row], force);
    cnVec3 newTorque = cnAdd(world->bodies.torque[row], torque);
    CN_TRY(cnCheckVec(newForce, call, "force"));
    CN_TRY(cnCheckVec(newTorque, call, "torque"));
    world->bodies.force[row] = newForce;
    world->bodies.torque[row] = newTorque;
    if (cnLengthSquared(newForce) + cnLengthSquared(newTorque) > 0.0) {
        cnWakeBody(world, row);
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnBody_ApplyForce(cnWorldId worldId, cnBodyId bodyId, cnVec3 force) {
    CN_FIND_BODY(__func__)
    CN_TRY(cnCheckVec(force, __func__, "force"));
    return AddForce(world, row, force, cnVec3_zero, __func__);
}

cnErrorCode cnBody_ApplyForceAtPoint(cnWorldId worldId, cnBodyId bodyId, cnVec3 force, cnVec3 worldPoint) {
    CN_FIND_BODY(__func__)
    CN_TRY(cnCheckVec(force, __func__, "force"));
    CN_TRY(cnCheckVec(worldPoint, __func__, "worldPoint"));
    cnVec3 arm = cnSub(worldPoint, world->bodies.centreOfMass[row]);
    return AddForce(world, row, force, cnCross(arm, force), __func__);
}

cnErrorCode cnBody_ApplyForceAtLocalPoint(cnWorldId worldId, cnBodyId bodyId, cnVec3 force,
                                          cnVec3 localPoint) {
    CN_FIND_BODY(__func__)
    CN_TRY(cnCheckVec(force, __func__, "force"));
    CN_TRY(cnCheckVec(localPoint, __func__, "localPoint"));
    cnVec3 arm =
        cnRotate(world->bodies.rotation[row], cnSub(localPoint, world->bodies.localCentreOfMass[row]));
    return AddForce(world, row, force, cnCross(arm, force), __func__);
}

cnErrorCode cnBody_ApplyTorque(cnWorldId worldId, cnBodyId bodyId, cnVec3 torque) {
    CN_FIND_BODY(__func__)
    CN_TRY(cnCheckVec(torque, __func__, "torque"));
    return AddForce(world, row, cnVec3_zero, torque, __func__);
}

// ---- impulses ---------------------------------------------------------------------------------------------

cnErrorCode cnBody_ApplyImpulse(cnWorldId worldId, cnBodyId bodyId, cnVec3 impulse, cnVec3 angularImpulse) {
    const char* call = __func__;
    CN_FIND_BODY(call)
    cnBodyTable* bodies = &world->bodies;
    if ((bodies->flags[row] & cn_bodyDynamic) == 0) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "body",
                      "the body is not dynamic: impulses move dynamic bodies alone");
    }
    cnVec3 momentum = cnAdd(cnBody_ReadMomentum(bodies, row), impulse);
    cnVec3 angularMomentum = cnAdd(bodies->angularMomentum[row], angularImpulse);
    CN_TRY(cnCheckVec(momentum, call, "impulse"));
    CN_TRY(cnCheckVec(angularMomentum, call, "angularImpulse"));
    if (!cnIsZeroVec(impulse) || !cnIsZeroVec(angularImpulse)) {
        cnWakeBody(world, row);
        cnLoosen(world, row);
        cnBody_SetMomenta(bodies, row, momentum, angularMomentum);
        bodies->flags[row] |= cn_bodySet;
    }
    return CN_ERROR_NONE;
}

// ---- what the last step did -------------------------------------------------------------------------------

cnVec3 cnBody_GetAcceleration(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, cnVec3_zero)
    return world->bodies.acceleration[row];
}

cnVec3 cnBody_GetAngularAcceleration(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, cnVec3_zero)
    return world->bodies.angularAcceleration[row];
}

cnVec3 cnBody_GetLastForce(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, cnVec3_zero)
    return world->bodies.lastForce[row];
}

cnVec3 cnBody_GetLastTorque(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, cnVec3_zero)
    return world->bodies.lastTorque[row];
}

// ---- motion -----------------------------------------------------------------------------------------------

cnErrorCode cnBody_SetMotion(cnWorldId worldId, cnBodyId bodyId, cnMotion motion) {
    const char* call = __func__;
    CN_FIND_BODY(call)
    if (motion < cn_dynamic || motion > cn_kinematic) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "motion", "motion is %d, allowed is 0 to 2", (int)motion);
    }
    cnBodyTable* bodies = &world->bodies;
    CN_TRY(cnCheckPartMotion(world, row, motion, call));
    cnWakeAround(world, row);
    cnLoosen(world, row);
    uint32_t all = cn_bodyDynamic | cn_bodyKinematic | cn_bodyMoving | cn_bodyStopping;
    cnBody_Synchronise(bodies, row);
    bodies->flags[row] = (bodies->flags[row] & ~all) | cnMotionFlags(motion);
    if (motion == cn_static) {
        bodies->halfStepVelocity[row] = bodies->halfStepAngularVelocity[row] = cnVec3_zero;
    }
    cnBody_UpdateMass(bodies, row);
    cnBody_ReadState(bodies, row);
    for (int g = bodies->firstGeometry[row]; g >= 0; g = world->geometries.nextOfBody[g]) {
        CN_TRY(cnRebuildProxies(world, g, call));
    }
    return CN_ERROR_NONE;
}

cnMotion cnBody_GetMotion(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, cn_dynamic)
    uint32_t flags = world->bodies.flags[row];
    return (flags & cn_bodyDynamic) != 0 ? cn_dynamic
                                         : ((flags & cn_bodyKinematic) != 0 ? cn_kinematic : cn_static);
}

cnErrorCode cnBody_SetEnabled(cnWorldId worldId, cnBodyId bodyId, bool enabled) {
    CN_FIND_BODY(__func__)
    cnWakeAround(world, row);
    cnLoosen(world, row);
    uint32_t flags = world->bodies.flags[row] & ~(uint32_t)cn_bodyEnabled;
    world->bodies.flags[row] = flags | (enabled ? cn_bodyEnabled : 0u);
    for (int g = world->bodies.firstGeometry[row]; g >= 0; g = world->geometries.nextOfBody[g]) {
        cnTouchGeometry(world, g);
    }
    return CN_ERROR_NONE;
}

bool cnBody_IsEnabled(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, false)
    return (world->bodies.flags[row] & cn_bodyEnabled) != 0;
}

cnErrorCode cnBody_SetFast(cnWorldId worldId, cnBodyId bodyId, bool fast) {
    CN_FIND_BODY(__func__)
    uint32_t flags = world->bodies.flags[row] & ~(uint32_t)cn_bodyFast;
    world->bodies.flags[row] = flags | (fast ? cn_bodyFast : 0u);
    return CN_ERROR_NONE;
}

bool cnBody_IsFast(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, false)
    return (world->bodies.flags[row] & cn_bodyFast) != 0;
}

// ---- sleep ------------------------------------------------------------------------------------------------

bool cnBody_IsAsleep(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, false)
    return (world->bodies.flags[row] & cn_bodyAsleep) != 0;
}

cnErrorCode cnBody_Wake(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY(__func__)
    cnWakeBody(world, row);
    return CN_ERROR_NONE;
}

cnErrorCode cnBody_SetSleepless(cnWorldId worldId, cnBodyId bodyId, bool sleepless) {
    CN_FIND_BODY(__func__)
    cnWakeBody(world, row);
    cnLoosen(world, row);
    uint32_t flags = world->bodies.flags[row] & ~(uint32_t)cn_bodySleepless;
    world->bodies.flags[row] = flags | (sleepless ? cn_bodySleepless : 0u);
    return CN_ERROR_NONE;
}

bool cnBody_IsSleepless(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, false)
    return (world->bodies.flags[row] & cn_bodySleepless) != 0;
}

// ---- adaptive merging -------------------------------------------------------------------------------------

cnErrorCode cnBody_SetMergeable(cnWorldId worldId, cnBodyId bodyId, bool mergeable) {
    CN_FIND_BODY(__func__)
    cnSetFlag(&world->bodies.flags[row], cn_bodyUnmergeable, !mergeable);
    if (!mergeable) {
        cnDisturbBody(world, row);
    }
    return CN_ERROR_NONE;
}

bool cnBody_IsMergeable(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, false)
    return (world->bodies.flags[row] & cn_bodyUnmergeable) == 0;
}

cnErrorCode cnBody_SetSplittable(cnWorldId worldId, cnBodyId bodyId, bool splittable) {
    CN_FIND_BODY(__func__)
    cnSetFlag(&world->bodies.flags[row], cn_bodyUnsplittable, !splittable);
    return CN_ERROR_NONE;
}

bool cnBody_IsSplittable(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, false)
    return (world->bodies.flags[row] & cn_bodyUnsplittable) == 0;
}

// ---- kinematic targets ------------------------------------------------------------------------------------

cnErrorCode cnBody_MoveTo(cnWorldId worldId, cnBodyId bodyId, cnVec3 position, cnQuat rotation,
                          double duration, cnArrival arrival) {
    const char* call = __func__;
    CN_FIND_BODY(call)
    cnQuat checked;
    CN_TRY(cnCheckVec(position, call, "position"));
    CN_TRY(cnCheckRotation(rotation, &checked, call, "rotation"));
    CN_TRY(cnCheckRange(duration, 0.0, 1e30, call, "duration", "s"));
    if (arrival < cn_arrivalStop || arrival > cn_arrivalKeepVelocity) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "arrival", "arrival is %d, allowed is 0 to 1",
                      (int)arrival);
    }
    cnBodyTable* bodies = &world->bodies;
    if ((bodies->flags[row] & cn_bodyKinematic) == 0) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "body",
                      "the body is not kinematic: only kinematic bodies are moved to a pose");
    }
    cnWakeOnMove(world, row);
    bodies->targetPosition[row] = position;
    bodies->targetRotation[row] = checked;
    bodies->targetTime[row] = duration;
    bodies->flags[row] |= cn_bodyMoving;
    cnSetFlag(&bodies->flags[row], cn_bodyStopping, arrival == cn_arrivalStop);
    return CN_ERROR_NONE;
}

// ---- mass properties --------------------------------------------------------------------------------------

// What users' forces are owed is an impulse: before the mass changes it is paid, at the time of the pose.
static void PayForces(cnWorld* world, int row) {
    cnWakeBody(world, row);
    cnLoosen(world, row);
    cnBody_Synchronise(&world->bodies, row);
}

cnErrorCode cnBody_SetMass(cnWorldId worldId, cnBodyId bodyId, double mass) {
    CN_FIND_BODY(__func__)
    if (mass != 0.0) {
        CN_TRY(cnCheckRange(mass, 1e-30, 1e30, __func__, "mass", "kg"));
    }
    PayForces(world, row);
    cnBodyTable* bodies = &world->bodies;
    cnSetFlag(&bodies->flags[row], cn_bodyMassGiven, mass > 0.0);
    if (mass == 0.0) {
        bodies->flags[row] &= ~(uint32_t)cn_bodyMassKept;
    } else if ((bodies->flags[row] & (cn_bodyMassKept | cn_bodyInertiaGiven)) == cn_bodyMassKept) {
        bodies->inertia[row] = cnScaleMat(mass / bodies->mass[row], bodies->inertia[row]);
    }
    bodies->mass[row] = mass;
    cnRefreshMassProperties(world, row);
    return CN_ERROR_NONE;
}

double cnBody_GetMass(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, 0.0)
    return world->bodies.mass[row];
}

cnErrorCode cnBody_SetInertia(cnWorldId worldId, cnBodyId bodyId, cnMat33 inertia) {
    CN_FIND_BODY(__func__)
    bool given = !cnIsZeroMat(inertia);
    if (given) {
        CN_TRY(cnCheckInertia(inertia, __func__, "inertia"));
    }
    PayForces(world, row);
    cnSetFlag(&world->bodies.flags[row], cn_bodyInertiaGiven, given);
    world->bodies.inertia[row] = inertia;
    cnRefreshMassProperties(world, row);
    return CN_ERROR_NONE;
}

cnMat33 cnBody_GetInertia(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, (cnMat33){0})
    return world->bodies.inertia[row];
}

cnErrorCode cnBody_SetLocalCentreOfMass(cnWorldId worldId, cnBodyId bodyId, cnVec3 centre) {
    CN_FIND_BODY(__func__)
    CN_TRY(cnCheckVec(centre, __func__, "centre"));
    cnWakeBody(world, row);
    world->bodies.flags[row] |= cn_bodyCentreGiven;
    world->bodies.localCentreOfMass[row] = centre;
    cnRefreshMassProperties(world, row);
    return CN_ERROR_NONE;
}

cnErrorCode cnBody_UpdateMassProperties(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY(__func__)
    PayForces(world, row);
    cnRefreshMassProperties(world, row);
    return CN_ERROR_NONE;
}

cnErrorCode cnBody_ResetLocalCentreOfMass(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY(__func__)
    cnWakeBody(world, row);
    world->bodies.flags[row] &= ~(uint32_t)cn_bodyCentreGiven;
    cnRefreshMassProperties(world, row);
    return CN_ERROR_NONE;
}

cnVec3 cnBody_GetLocalCentreOfMass(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, cnVec3_zero)
    return world->bodies.localCentreOfMass[row];
}

// One of the per-axis columns that the masses of the solve depend on.
static cnErrorCode SetAxisValues(cnWorld* world, int row, cnVec3* column, cnVec3 value, const char* call,
                                 const char* argument, const char* unit) {
    CN_TRY(cnCheckNotNegative(value, call, argument, unit));
    cnWakeBody(world, row);
    cnLoosen(world, row);
    column[row] = value;
    cnBody_UpdateMass(&world->bodies, row);
    return CN_ERROR_NONE;
}

cnErrorCode cnBody_SetLinearDamping(cnWorldId worldId, cnBodyId bodyId, cnVec3 damping) {
    CN_FIND_BODY(__func__)
    return SetAxisValues(world, row, world->bodies.linearDamping, damping, __func__, "damping", "1/s");
}

cnErrorCode cnBody_SetAngularDamping(cnWorldId worldId, cnBodyId bodyId, cnVec3 damping) {
    CN_FIND_BODY(__func__)
    return SetAxisValues(world, row, world->bodies.angularDamping, damping, __func__, "damping", "1/s");
}

cnErrorCode cnBody_SetMassCoefficients(cnWorldId worldId, cnBodyId bodyId, cnVec3 coefficients) {
    CN_FIND_BODY(__func__)
    return SetAxisValues(world, row, world->bodies.massCoefficients, coefficients, __func__, "coefficients",
                         "");
}

cnErrorCode cnBody_SetInertiaCoefficients(cnWorldId worldId, cnBodyId bodyId, cnVec3 coefficients) {
    CN_FIND_BODY(__func__)
    return SetAxisValues(world, row, world->bodies.inertiaCoefficients, coefficients, __func__,
                         "coefficients", "");
}

cnErrorCode cnBody_SetGravityScale(cnWorldId worldId, cnBodyId bodyId, double scale) {
    CN_FIND_BODY(__func__)
    CN_TRY(cnCheckRange(scale, -CN_MAX_GRAVITY_SCALE, CN_MAX_GRAVITY_SCALE, __func__, "scale", ""));
    cnBodyTable* bodies = &world->bodies;
    double more = scale - bodies->gravityScale[row];
    if (more == 0.0) {
        return CN_ERROR_NONE;
    }
    if (!cnFindAnchoredBodies(world, __func__)) {
        return cnGetLastError()->code;
    }
    bool isAnchored = world->anchored.data[cnBody_CarrierOf(bodies, row)];
    cnWakeBody(world, row);
    cnLoosen(world, row);
    if (!isAnchored) {
        cnVec3 gravity = cnGravityAt(&world->gravity, bodies->centreOfMass[row]);
        cnBody_ChangeGravity(bodies, row, cnScale(more, gravity));
    }
    bodies->gravityScale[row] = scale;
    return CN_ERROR_NONE;
}

double cnBody_GetGravityScale(cnWorldId worldId, cnBodyId bodyId) {
    CN_FIND_BODY_OR(__func__, 0.0)
    return world->bodies.gravityScale[row];
}
