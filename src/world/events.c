#include "world/events.h"

#include <assert.h>

#include "world/checks.h"
#include "world/world.h"

#define CN_ALL_EVENTS (cn_eventImpact | cn_eventContact | cn_eventSeparation)
#define CN_ALL_MOMENTS (cn_beforeCollide | cn_beforeSolve | cn_afterSolve | cn_afterStep)

// ---- listeners ------------------------------------------------------------------------------------------------------

static cnListenerId cnAddListener(cnWorld* world, cnListener listener, const char* call) {
    cnListeners* listeners = &world->listeners;
    listener.id = listeners->lastId + 1;
    if (!cnArray_Push(&listeners->list, listener)) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "listener", "no memory for a listener");
        return (cnListenerId){0};
    }
    listeners->lastId = listener.id;
    return (cnListenerId){listener.id};
}

static bool cnCheckSide(const cnWorld* world, const cnContactSide* side, const char* call,
                        const char* bodyArgument, const char* geometryArgument) {
    return (CN_IS_NULL(side->body) || cnFindBody(world, side->body, call, bodyArgument) >= 0) &&
           (CN_IS_NULL(side->geometry) || cnFindGeometry(world, side->geometry, call, geometryArgument) >= 0);
}

cnListenerId cnAddContactListener(cnWorldId id, const cnContactListenerDef* def) {
    const char* call = "cnAddContactListener";
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
    if (!cnCheckSide(world, &def->side, call, "def.side.body", "def.side.geometry") ||
        !cnCheckSide(world, &def->other, call, "def.other.body", "def.other.geometry")) {
        return none;
    }
    cnListener listener = {
        .mask = def->mask != 0 ? def->mask : CN_ALL_EVENTS,
        .onContact = def->listener,
        .context = def->context,
        .side = def->side,
        .other = def->other,
    };
    return cnAddListener(world, listener, call);
}

// The world that a listener's function is to be added to; null where one of them is wrong.
static cnWorld* cnFindListenersWorld(cnWorldId id, bool isGiven, const char* call) {
    cnWorld* world = cnFindWorld(id, call);
    if (world != NULL && !isGiven) {
        cnFail(CN_ERROR_NULL_ARGUMENT, call, "listener", "listener is null");
        return NULL;
    }
    return world;
}

cnListenerId cnAddStepListener(cnWorldId id, uint32_t moments, cnStepListener* listener, void* context) {
    const char* call = "cnAddStepListener";
    cnListenerId none = {0};
    cnWorld* world = cnFindListenersWorld(id, listener != NULL, call);
    if (world == NULL) {
        return none;
    }
    if (moments == 0 || (moments & ~(uint32_t)CN_ALL_MOMENTS) != 0) {
        cnFail(CN_ERROR_OUT_OF_RANGE, call, "moments", "moments is %u, allowed is 1 to %d", (unsigned)moments,
               CN_ALL_MOMENTS);
        return none;
    }
    return cnAddListener(world, (cnListener){.mask = moments, .onStep = listener, .context = context}, call);
}

cnListenerId cnAddBreakListener(cnWorldId id, cnBreakListener* listener, void* context) {
    const char* call = "cnAddBreakListener";
    cnWorld* world = cnFindListenersWorld(id, listener != NULL, call);
    cnListener added = {.mask = 1, .onBreak = listener, .context = context};
    return world != NULL ? cnAddListener(world, added, call) : (cnListenerId){0};
}

cnListenerId cnAddGuardListener(cnWorldId id, cnGuardListener* listener, void* context) {
    const char* call = "cnAddGuardListener";
    cnWorld* world = cnFindListenersWorld(id, listener != NULL, call);
    cnListener added = {.mask = 1, .onGuard = listener, .context = context};
    return world != NULL ? cnAddListener(world, added, call) : (cnListenerId){0};
}

// Closes up the rows of listeners that are gone.
static void cnCloseUp(cnListeners* listeners) {
    int kept = 0;
    for (int i = 0; i < listeners->list.count; ++i) {
        if (listeners->list.data[i].mask != 0) {
            listeners->list.data[kept++] = listeners->list.data[i];
        }
    }
    listeners->list.count = kept;
}

cnErrorCode cnRemoveListener(cnWorldId id, cnListenerId listener) {
    const char* call = "cnRemoveListener";
    cnWorld* world = cnFindWorld(id, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    cnListeners* listeners = &world->listeners;
    for (int i = 0; i < listeners->list.count; ++i) {
        if (listeners->list.data[i].id == listener.value && listeners->list.data[i].mask != 0) {
            listeners->list.data[i].mask = 0;
            if (listeners->telling == 0) {
                cnCloseUp(listeners);
            }
            return CN_ERROR_NONE;
        }
    }
    return cnFail(CN_ERROR_STALE_HANDLE, call, "listener", "listener %u is no listener of this world",
                  (unsigned)listener.value);
}

static void cnBeginTelling(cnWorld* world) {
    world->listeners.telling += 1;
}

static void cnEndTelling(cnWorld* world) {
    world->listeners.telling -= 1;
    if (world->listeners.telling == 0) {
        cnCloseUp(&world->listeners);
    }
}

void cnTellBreakListeners(cnWorld* world) {
    int count = world->listeners.list.count, broken = world->broken.count;
    if (count == 0 || broken == 0) {
        return;
    }
    cnBeginTelling(world);
    for (int b = 0; b < broken; ++b) {
        for (int i = 0; i < count; ++i) {
            cnListener listener = world->listeners.list.data[i];
            if (listener.onBreak != NULL && listener.mask != 0) {
                listener.onBreak(world->id, world->broken.data[b], listener.context);
            }
        }
    }
    cnEndTelling(world);
}

void cnTellGuardListeners(cnWorld* world) {
    int count = world->listeners.list.count, guarded = world->guardEvents.count;
    if (count == 0 || guarded == 0) {
        return;
    }
    cnBeginTelling(world);
    for (int g = 0; g < guarded; ++g) {
        for (int i = 0; i < count; ++i) {
            cnListener listener = world->listeners.list.data[i];
            if (listener.onGuard != NULL && listener.mask != 0) {
                listener.onGuard(world->id, &world->guardEvents.data[g], listener.context);
            }
        }
    }
    cnEndTelling(world);
}

void cnTellStepListeners(cnWorld* world, uint32_t moment) {
    // those added on the way hear of the next step
    int count = world->listeners.list.count;
    if (count == 0) {
        return;
    }
    cnBeginTelling(world);
    for (int i = 0; i < count; ++i) {
        cnListener listener = world->listeners.list.data[i];
        if (listener.onStep != NULL && (listener.mask & moment) != 0) {
            listener.onStep(world->id, moment, listener.context);
        }
    }
    cnEndTelling(world);
}

// ---- contacts -------------------------------------------------------------------------------------------------------

static bool cnFitsSide(const cnWorld* world, const cnContactSide* side, int body, int geometry) {
    if (!CN_IS_NULL(side->body) && cnBodyIdOf(world, body).value != side->body.value) {
        return false;
    }
    if (!CN_IS_NULL(side->geometry) && world->geometries.handle[geometry] != side->geometry.value) {
        return false;
    }
    bool fits = !side->groupGiven;
    for (int i = 0; i < world->geometries.groupCount[geometry] && !fits; ++i) {
        fits = world->geometries.groups[geometry][i] == side->group;
    }
    return fits;
}

static bool cnIsWanted(const cnWorld* world, const cnListener* listener, int row) {
    const cnContactTable* contacts = &world->contacts;
    static const uint32_t bits[] = {0, cn_eventImpact, cn_eventContact, cn_eventSeparation};
    if (listener->onContact == NULL || (listener->mask & bits[contacts->state[row]]) == 0) {
        return false;
    }
    int body1 = contacts->body1[row], body2 = contacts->body2[row];
    int geometry1 = contacts->geometry1[row], geometry2 = contacts->geometry2[row];
    return (cnFitsSide(world, &listener->side, body1, geometry1) &&
            cnFitsSide(world, &listener->other, body2, geometry2)) ||
           (cnFitsSide(world, &listener->side, body2, geometry2) &&
            cnFitsSide(world, &listener->other, body1, geometry1));
}

static cnContact cnContactOf(const cnWorld* world, int row) {
    const cnContactTable* contacts = &world->contacts;
    return (cnContact){
        .row = row,
        .state = (cnContactState)contacts->state[row],
        .body1 = cnBodyIdOf(world, contacts->body1[row]),
        .body2 = cnBodyIdOf(world, contacts->body2[row]),
        .geometry1 = cnGeometryIdOf(world, contacts->geometry1[row]),
        .geometry2 = cnGeometryIdOf(world, contacts->geometry2[row]),
        .shapeIndex1 = contacts->shape1[row],
        .shapeIndex2 = contacts->shape2[row],
        .sensor = (contacts->flags[row] & cn_contactSensor) != 0,
        .pointCount = contacts->pointCount[row],
        .normal = contacts->normal[row],
        .depth = contacts->depth[row],
    };
}

static void cnTakeOut(cnWorld* world, int row) {
    if (world->contacts.pair[row] >= 0 && world->contacts.state[row] != cn_contactSeparation &&
        (world->contacts.flags[row] & cn_contactSensor) == 0) {
        world->contacts.flags[row] |= cn_contactRemoved;
        cnPair* pair = &world->pairs.pairs.data[world->contacts.pair[row]];
        pair->flags |= cn_pairRemoved;
        cnPair_Forget(pair);
    }
}

static void cnTellOfContact(cnWorld* world, int row, int listenerCount) {
    bool removed = false;
    for (int i = 0; i < listenerCount; ++i) {
        cnListener listener = world->listeners.list.data[i];
        if (!cnIsWanted(world, &listener, row)) {
            continue;
        }
        cnContact contact = cnContactOf(world, row);
        cnContactAnswer answer = listener.onContact(world->id, &contact, listener.context);
        removed |= answer != cn_keepContact;
        if (answer == cn_removeContactNow) {
            break;
        }
    }
    if (removed) {
        cnTakeOut(world, row);
    }
}

void cnTellContactListeners(cnWorld* world) {
    int listenerCount = world->listeners.list.count;
    if (listenerCount == 0) {
        return;
    }
    cnBeginTelling(world);
    // listeners may make and destroy what they like, but the contacts that they hear of stay
    CN_PIN(&world->contacts, "listeners of contacts");
    CN_PIN(&world->contactPoints, "listeners of contacts");
    CN_PIN(&world->pairs.pairs, "listeners of contacts");
    int count = world->contacts.count;
    for (int pass = 0; pass < 2; ++pass) {
        for (int row = 0; row < count; ++row) {
            if ((world->contacts.state[row] == cn_contactSeparation) == (pass == 0)) {
                cnTellOfContact(world, row, listenerCount);
            }
        }
    }
    CN_UNPIN(&world->contacts);
    CN_UNPIN(&world->contactPoints);
    CN_UNPIN(&world->pairs.pairs);
    cnEndTelling(world);
}

cnErrorCode cnWorld_RemoveContact(cnWorldId id, int contactRow) {
    const char* call = "cnWorld_RemoveContact";
    cnWorld* world = cnFindWorld(id, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    if (!world->collided) {
        return cnFail(
            CN_ERROR_WRONG_PHASE, call, "world",
            "the world has no contacts to solve: allowed between cnWorld_Collide and cnWorld_Solve");
    }
    if (contactRow < 0 || contactRow >= world->contacts.count) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "contactRow", "contactRow is %d, allowed is 0 to %d",
                      contactRow, world->contacts.count - 1);
    }
    cnTakeOut(world, contactRow);
    return CN_ERROR_NONE;
}

bool cnNoteEndedContact(cnWorld* world, const cnPair* pair) {
    bool lives = world->proxies.geometry[pair->proxy1] == pair->geometry1 &&
                 world->proxies.geometry[pair->proxy2] == pair->geometry2;
    if ((pair->flags & cn_pairTouching) == 0 || !lives) {
        return true;
    }
    cnEndedContact ended = {
        .body1 = pair->body1,
        .body2 = pair->body2,
        .geometry1 = pair->geometry1,
        .geometry2 = pair->geometry2,
        .shape1 = world->proxies.shapeIndex[pair->proxy1],
        .shape2 = world->proxies.shapeIndex[pair->proxy2],
        .flags = (pair->flags & cn_pairSensor) != 0 ? cn_contactSensor : 0u,
    };
    return cnArray_Push(&world->endedContacts.list, ended);
}

// ---- the table of events --------------------------------------------------------------------------------------------

// Speed at which two bodies' surfaces approach at a point, along a normal.
static double cnApproachAt(const cnWorld* world, int row, cnVec3 point) {
    const cnBodyTable* bodies = &world->bodies;
    int body1 = world->contacts.body1[row], body2 = world->contacts.body2[row];
    cnVec3 arm1 = body1 >= 0 ? cnSub(point, bodies->centreOfMass[body1]) : cnVec3_zero;
    cnVec3 arm2 = body2 >= 0 ? cnSub(point, bodies->centreOfMass[body2]) : cnVec3_zero;
    return -cnDot(world->contacts.normal[row], cnRelativeVelocity(bodies, body1, body2, arm1, arm2));
}

static void cnListEvent(cnWorld* world, int row) {
    const cnContactTable* contacts = &world->contacts;
    const cnContactPointTable* points = &world->contactPoints;
    cnContactEventTable* events = &world->contactEvents;
    int event = events->count++;
    events->state[event] = contacts->state[row];
    events->contact[event] = row;
    events->body1[event] = contacts->body1[row];
    events->body2[event] = contacts->body2[row];
    events->geometry1[event] = contacts->geometry1[row];
    events->geometry2[event] = contacts->geometry2[row];
    events->position[event] = events->normal[event] = cnVec3_zero;
    events->speed[event] = events->impulse[event] = 0.0;
    int first = contacts->firstPoint[row], count = contacts->pointCount[row];
    if (count > 0) {
        int deepest = first;
        for (int p = first; p < first + count; ++p) {
            deepest = points->depth[p] > points->depth[deepest] ? p : deepest;
        }
        events->position[event] = points->position[deepest];
        events->normal[event] = contacts->normal[row];
        events->speed[event] = cnApproachAt(world, row, points->position[deepest]);
    }
}

bool cnListEvents(cnWorld* world) {
    const cnContactTable* contacts = &world->contacts;
    int count = 0;
    for (int row = 0; row < contacts->count; ++row) {
        count += contacts->state[row] != cn_contactContact;
    }
    world->contactEvents.count = 0;
    if (!cnContactEventTable_Reserve(&world->contactEvents, count)) {
        return false;
    }
    static const cnContactState order[] = {cn_contactSeparation, cn_contactImpact};
    for (int pass = 0; count > 0 && pass < 2; ++pass) {
        for (int row = 0; row < contacts->count; ++row) {
            if (contacts->state[row] == order[pass]) {
                cnListEvent(world, row);
            }
        }
    }
    return true;
}

void cnListEventImpulses(cnWorld* world) {
    cnContactEventTable* events = &world->contactEvents;
    for (int event = 0; event < events->count; ++event) {
        events->impulse[event] =
            world->timeStep * cnLength(world->contacts.normalForce[events->contact[event]]);
    }
}

// ---- the energy guard -----------------------------------------------------------------------------------------------

bool cnListGuardEvents(cnWorld* world, const cnSolve* solve) {
    // room for all, so that no later step has to make it
    if (!cnArray_Reserve(&world->guardEvents, solve->islandCount)) {
        return false;
    }
    world->guardEvents.count = 0;
    // bodies are in the order of their rows, and islands in that of their first bodies
    int number = 0;
    for (int index = 1; index < solve->solver.count && number < solve->islandCount; ++index) {
        if (solve->solver.island[index] != number) {
            continue;
        }
        const cnIslandStatistics* statistics = &solve->islands[number++].statistics;
        if (statistics->raised > 0.0) {
            world->guardEvents.data[world->guardEvents.count++] = (cnGuardEvent){
                .body = cnBodyIdOf(world, solve->solver.rows[index]),
                .energy = statistics->raised,
                .repeats = statistics->repeats,
            };
        }
    }
    assert(number == solve->islandCount);
    return true;
}

int cnWorld_GetGuardEventCount(cnWorldId id) {
    const cnWorld* world = cnFindWorld(id, "cnWorld_GetGuardEventCount");
    return world != NULL ? world->guardEvents.count : 0;
}

cnGuardEvent cnWorld_GetGuardEvent(cnWorldId id, int index) {
    const char* call = "cnWorld_GetGuardEvent";
    const cnWorld* world = cnFindWorld(id, call);
    if (world == NULL) {
        return (cnGuardEvent){0};
    }
    if (index < 0 || index >= world->guardEvents.count) {
        cnFail(CN_ERROR_OUT_OF_RANGE, call, "index",
               "index is %d, allowed is 0 to less than %d, the islands that the energy guard acted on in the "
               "last step",
               index, world->guardEvents.count);
        return (cnGuardEvent){0};
    }
    return world->guardEvents.data[index];
}
