// Listeners and events: the public functions.
#include "api/checks.h"
#include "api/handles.h"
#include "world/contact_list.h"
#include "world/sleep.h"
#include "world/step/step.h"

#include <math.h>

#define CN_ALL_EVENTS (cn_eventImpact | cn_eventContact | cn_eventSeparation)
#define CN_ALL_MOMENTS (cn_beforeCollide | cn_beforeSolve | cn_afterSolve | cn_afterStep)

static cnListenerId AddListener(cnWorld* world, cnListener listener, const char* call) {
    cnListeners* listeners = &world->listeners;
    listener.id = listeners->lastId + 1;
    if (!cnArray_Push(&listeners->list, listener)) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "listener", "no memory for a listener");
        return (cnListenerId){0};
    }
    listeners->lastId = listener.id;
    return (cnListenerId){listener.id};
}

static bool CheckSide(const cnWorld* world, const cnContactSide* side, const char* call,
                      const char* bodyArgument, const char* geometryArgument) {
    return (CN_IS_NULL(side->body) || cnFindBody(world, side->body, call, bodyArgument) >= 0) &&
           (CN_IS_NULL(side->geometry) || cnFindGeometry(world, side->geometry, call, geometryArgument) >= 0);
}

cnListenerId cnAddContactListener(cnWorldId id, const cnContactListenerDef* def) {
    const char* call = __func__;
    cnListenerId none = {0};
    cnWorld* world = cnFindWorld(id, call);
    if (world == NULL) {
        return none;
    }
    if (def == NULL || def->listener == NULL) {
        cnFail(CN_ERROR_NULL_ARGUMENT, call, def == NULL ? "def" : "def.listener", "%s is null",
               def == NULL ? "def" : "def.listener");
        return none;
    }
    if ((def->mask & ~(uint32_t)CN_ALL_EVENTS) != 0) {
        cnFail(CN_ERROR_OUT_OF_RANGE, call, "def.mask", "def.mask is %u, allowed is 0 to %d",
               (unsigned)def->mask, CN_ALL_EVENTS);
        return none;
    }
    if (!CheckSide(world, &def->side, call, "def.side.body", "def.side.geometry") ||
        !CheckSide(world, &def->other, call, "def.other.body", "def.other.geometry")) {
        return none;
    }
    cnListener listener = {
        .mask = def->mask != 0 ? def->mask : CN_ALL_EVENTS,
        .onContact = def->listener,
        .context = def->context,
        .side = def->side,
        .other = def->other,
    };
    return AddListener(world, listener, call);
}

// The world that a listener's function is to be added to; null where one of them is wrong.
static cnWorld* FindListenersWorld(cnWorldId id, bool isGiven, const char* call) {
    cnWorld* world = cnFindWorld(id, call);
    if (world != NULL && !isGiven) {
        cnFail(CN_ERROR_NULL_ARGUMENT, call, "listener", "listener is null");
        return NULL;
    }
    return world;
}

cnListenerId cnAddStepListener(cnWorldId id, uint32_t moments, cnStepListener* listener, void* context) {
    const char* call = __func__;
    cnListenerId none = {0};
    cnWorld* world = FindListenersWorld(id, listener != NULL, call);
    if (world == NULL) {
        return none;
    }
    if (moments == 0 || (moments & ~(uint32_t)CN_ALL_MOMENTS) != 0) {
        cnFail(CN_ERROR_OUT_OF_RANGE, call, "moments", "moments is %u, allowed is 1 to %d", (unsigned)moments,
               CN_ALL_MOMENTS);
        return none;
    }
    return AddListener(world, (cnListener){.mask = moments, .onStep = listener, .context = context}, call);
}

cnListenerId cnAddBreakListener(cnWorldId id, cnBreakListener* listener, void* context) {
    const char* call = __func__;
    cnWorld* world = FindListenersWorld(id, listener != NULL, call);
    cnListener added = {.mask = 1, .onBreak = listener, .context = context};
    return world != NULL ? AddListener(world, added, call) : (cnListenerId){0};
}

cnListenerId cnAddGuardListener(cnWorldId id, cnGuardListener* listener, void* context) {
    const char* call = __func__;
    cnWorld* world = FindListenersWorld(id, listener != NULL, call);
    cnListener added = {.mask = 1, .onGuard = listener, .context = context};
    return world != NULL ? AddListener(world, added, call) : (cnListenerId){0};
}

cnListenerId cnAddMergeListener(cnWorldId id, cnMergeListener* listener, void* context) {
    const char* call = __func__;
    cnWorld* world = FindListenersWorld(id, listener != NULL, call);
    cnListener added = {.mask = 1, .onMerge = listener, .context = context};
    return world != NULL ? AddListener(world, added, call) : (cnListenerId){0};
}

cnListenerId cnAddForceField(cnWorldId id, cnForceField* field, void* context) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(id, call);
    if (world != NULL && field == NULL) {
        cnFail(CN_ERROR_NULL_ARGUMENT, call, "field", "field is null");
        return (cnListenerId){0};
    }
    cnListener added = {.mask = 1, .onField = field, .context = context};
    if (world != NULL) {
        cnWakeAll(world); // it may act on any of them
    }
    return world != NULL ? AddListener(world, added, call) : (cnListenerId){0};
}

cnErrorCode cnRemoveListener(cnWorldId id, cnListenerId listener) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(id, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    cnListeners* listeners = &world->listeners;
    for (int i = 0; i < listeners->list.count; ++i) {
        if (listeners->list.data[i].id == listener.value && listeners->list.data[i].mask != 0) {
            listeners->list.data[i].mask = 0;
            if (listeners->notifying == 0) {
                cnCloseUpListeners(listeners);
            }
            return CN_ERROR_NONE;
        }
    }
    return cnFail(CN_ERROR_STALE_HANDLE, call, "listener", "listener %u is no listener of this world",
                  (unsigned)listener.value);
}

// ---- what happened ----------------------------------------------------------------------------------------

// A row of the contact table, between collide and solve.
static cnErrorCode CheckContactRow(cnWorld* world, int contactRow, const char* call) {
    if (!world->collided) {
        return cnFail(
            CN_ERROR_WRONG_PHASE, call, "world",
            "the world has no contacts to solve: allowed between cnWorld_Collide and cnWorld_Solve");
    }
    CN_TRY(cnTryListContacts(world, call));
    if (contactRow < 0 || contactRow >= world->contacts.count) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "contactRow", "contactRow is %d, allowed is 0 to %d",
                      contactRow, world->contacts.count - 1);
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnWorld_RemoveContact(cnWorldId id, int contactRow) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(id, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    CN_TRY(CheckContactRow(world, contactRow, call));
    cnRemoveContact(world, contactRow);
    return CN_ERROR_NONE;
}

#define CN_LARGEST_FRICTION 1e30

static cnErrorCode CheckNotNegative(const double* values, int count, const char* name, const char* unit,
                                    const char* call) {
    for (int i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            return cnFail(CN_ERROR_NOT_FINITE, call, name, "%s is not a finite number, allowed is >= 0%s",
                          name, unit);
        }
        if (values[i] < 0.0 || values[i] > CN_LARGEST_FRICTION) {
            return cnFail(CN_ERROR_OUT_OF_RANGE, call, name, "%s is %g%s, allowed is 0…%g%s", name, values[i],
                          unit, CN_LARGEST_FRICTION, unit);
        }
    }
    return CN_ERROR_NONE;
}

static cnErrorCode CheckVector(cnVec3 v, const char* name, const char* unit, const char* call) {
    if (!isfinite(v.x) || !isfinite(v.y) || !isfinite(v.z)) {
        return cnFail(CN_ERROR_NOT_FINITE, call, name, "%s is not finite, allowed are finite numbers%s", name,
                      unit);
    }
    double largest = cnMax(fabs(v.x), cnMax(fabs(v.y), fabs(v.z)));
    return largest <= CN_LARGEST_FRICTION
               ? CN_ERROR_NONE
               : cnFail(CN_ERROR_OUT_OF_RANGE, call, name, "%s has %g%s, allowed is at most %g%s", name,
                        largest, unit, CN_LARGEST_FRICTION, unit);
}

static cnErrorCode CheckContactFriction(const cnCustomFriction* friction, const char* call) {
    if (friction == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "friction", "friction is null, allowed is a friction");
    }
    CN_TRY(CheckVector(friction->primary, "friction.primary", "", call));
    CN_TRY(CheckVector(friction->surfaceVelocity, "friction.surfaceVelocity", " m/s", call));
    CN_TRY(CheckNotNegative(friction->coefficient, 2, "friction.coefficient", "", call));
    CN_TRY(CheckNotNegative(friction->force, 2, "friction.force", " N", call));
    CN_TRY(CheckNotNegative(friction->rollingResistance, 2, "friction.rollingResistance", " m", call));
    CN_TRY(CheckNotNegative(&friction->spinningFriction, 1, "friction.spinningFriction", " m", call));
    const double *mu = friction->coefficient, *force = friction->force;
    double skew = fabs(mu[0] * force[1] - mu[1] * force[0]);
    if (!friction->box && skew > 1e-9 * (mu[0] + mu[1]) * (force[0] + force[1])) {
        return cnFail(
            CN_ERROR_OUT_OF_RANGE, call, "friction.force",
            "friction.force is (%g, %g) N with the coefficients (%g, %g); allowed for an ellipse are "
            "forces in their ratio, or 0 for the ones or the others",
            force[0], force[1], mu[0], mu[1]);
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnWorld_SetContactFriction(cnWorldId id, int contactRow, const cnCustomFriction* friction) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(id, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    CN_TRY(CheckContactRow(world, contactRow, call));
    CN_TRY(CheckContactFriction(friction, call));
    int pair = world->contacts.pair[contactRow];
    if (pair < 0 || cnPair_IsUnsolved(cnPairTable_Get(&world->pairs, pair))) {
        return CN_ERROR_NONE;
    }
    return cnPairTable_SetFriction(&world->pairs, pair, friction)
               ? CN_ERROR_NONE
               : cnFail(CN_ERROR_OUT_OF_MEMORY, call, "friction", "no memory for the friction of %d contacts",
                        world->pairs.customFriction.count + 1);
}

int cnWorld_GetGuardEventCount(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    return world != NULL ? world->guardEvents.count : 0;
}

cnGuardEvent cnWorld_GetGuardEvent(cnWorldId id, int index) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(id, call);
    if (world == NULL) {
        return (cnGuardEvent){0};
    }
    cnErrorCode code = cnCheckIndex(index, world->guardEvents.count, call, "index",
                                    "the islands that the energy guard acted on in the last step");
    return code == CN_ERROR_NONE ? world->guardEvents.data[index] : (cnGuardEvent){0};
}

int cnWorld_GetMergeChangeCount(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    return world != NULL ? world->mergeChanges.count : 0;
}

cnMergeChange cnWorld_GetMergeChange(cnWorldId id, int index) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(id, call);
    if (world == NULL) {
        return (cnMergeChange){.body = {0}};
    }
    cnErrorCode code =
        cnCheckIndex(index, world->mergeChanges.count, call, "index", "the bodies that merged or split");
    return code == CN_ERROR_NONE ? world->mergeChanges.data[index] : (cnMergeChange){.body = {0}};
}
