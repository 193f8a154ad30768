// Calls out to listeners: of contacts, of the moments of a step, of what broke, what the energy guard acted
// on and what merged.
#include "world/contact_list.h"
#include "world/sleep.h"
#include "world/step/step.h"

void cnCloseUpListeners(cnListeners* listeners) {
    int kept = 0;
    for (int i = 0; i < listeners->list.count; ++i) {
        if (listeners->list.data[i].mask != 0) {
            listeners->list.data[kept++] = listeners->list.data[i];
        }
    }
    listeners->list.count = kept;
}

static void StartNotifying(cnWorld* world) {
    world->listeners.notifying += 1;
}

static void EndNotifying(cnWorld* world) {
    world->listeners.notifying -= 1;
    if (world->listeners.notifying == 0) {
        cnCloseUpListeners(&world->listeners);
    }
}

// Calls a listener for one of the last step's events of a kind, if it listens to these.
typedef void Notify(const cnWorld* world, int event, const cnListener* listener);

static void NotifyOfBreak(const cnWorld* world, int event, const cnListener* listener) {
    if (listener->onBreak != NULL) {
        listener->onBreak(world->id, world->broken.data[event], listener->context);
    }
}

static void NotifyOfGuard(const cnWorld* world, int event, const cnListener* listener) {
    if (listener->onGuard != NULL) {
        listener->onGuard(world->id, &world->guardEvents.data[event], listener->context);
    }
}

static void NotifyOfMerge(const cnWorld* world, int event, const cnListener* listener) {
    if (listener->onMerge != NULL) {
        listener->onMerge(world->id, &world->mergeChanges.data[event], listener->context);
    }
}

static void NotifyOfEach(cnWorld* world, int eventCount, Notify* notify) {
    int count = world->listeners.list.count;
    if (count == 0 || eventCount == 0) {
        return;
    }
    StartNotifying(world);
    for (int event = 0; event < eventCount; ++event) {
        for (int i = 0; i < count; ++i) {
            cnListener listener = world->listeners.list.data[i];
            if (listener.mask != 0) {
                notify(world, event, &listener);
            }
        }
    }
    EndNotifying(world);
}

void cnNotifyBreakListeners(cnWorld* world) {
    NotifyOfEach(world, world->broken.count, NotifyOfBreak);
}

void cnNotifyGuardListeners(cnWorld* world) {
    NotifyOfEach(world, world->guardEvents.count, NotifyOfGuard);
}

void cnNotifyMergeListeners(cnWorld* world) {
    NotifyOfEach(world, world->mergeChanges.count, NotifyOfMerge);
}

void cnNotifyStepListeners(cnWorld* world, uint32_t moment) {
    // those added on the way are notified of the next step
    int count = world->listeners.list.count;
    if (count == 0) {
        return;
    }
    StartNotifying(world);
    for (int i = 0; i < count; ++i) {
        cnListener listener = world->listeners.list.data[i];
        if (listener.onStep != NULL && (listener.mask & moment) != 0) {
            listener.onStep(world->id, moment, listener.context);
        }
    }
    EndNotifying(world);
}

static bool HasForceFields(const cnListeners* listeners) {
    for (int i = 0; i < listeners->list.count; ++i) {
        if (listeners->list.data[i].onField != NULL) {
            return true;
        }
    }
    return false;
}

// A field may make bodies, so each gets the columns of its own moment.
static bool ApplyForceField(cnWorld* world, const cnListener* field) {
    const cnBodyTable* bodies = &world->bodies;
    int32_t* rows = CN_PUSH(&world->stack, int32_t, bodies->ids.rowCount, "rows of a force field");
    if (rows == NULL) {
        return false;
    }
    cnFieldBodies seen = {
        .rows = rows,
        .time = world->time,
        .timeStep = world->timeStep,
        .handles = bodies->handle,
        .mass = bodies->mass,
        .centreOfMass = bodies->centreOfMass,
        .rotation = bodies->rotation,
        .velocity = bodies->velocity,
        .angularVelocity = bodies->angularVelocity,
        .force = bodies->force,
        .torque = bodies->torque,
    };
    const uint32_t wanted = cn_bodyLive | cn_bodyEnabled | cn_bodyDynamic;
    const cnRowList awake = cnGetAwakeRows(world);
    for (int i = 0; i < awake.count; ++i) {
        int row = cnRowList_Get(&awake, i);
        if ((bodies->flags[row] & (wanted | cn_bodyAsleep | cn_bodyCarrier)) == wanted) {
            rows[seen.count++] = row;
        }
    }
    field->onField(world->id, &seen, field->context);
    cnStack_Pop(&world->stack, rows);
    return true;
}

bool cnApplyForceFields(cnWorld* world) {
    if (!HasForceFields(&world->listeners)) {
        return true;
    }
    bool ok = true;
    int count = world->listeners.list.count;
    StartNotifying(world);
    for (int i = 0; i < count && ok; ++i) {
        cnListener listener = world->listeners.list.data[i];
        if (listener.onField != NULL && listener.mask != 0) {
            ok = ApplyForceField(world, &listener);
        }
    }
    EndNotifying(world);
    return ok;
}

static bool MatchesSide(const cnWorld* world, const cnContactSide* side, int body, int geometry) {
    if (!CN_IS_NULL(side->body) && cnBodyIdOf(world, body).value != side->body.value) {
        return false;
    }
    if (!CN_IS_NULL(side->geometry) && world->geometries.handle[geometry] != side->geometry.value) {
        return false;
    }
    bool ok = !side->groupGiven;
    for (int i = 0; i < world->geometries.groupCount[geometry] && !ok; ++i) {
        ok = world->geometries.groups[geometry][i] == side->group;
    }
    return ok;
}

static bool IsWanted(const cnWorld* world, const cnListener* listener, int row) {
    const cnContactTable* contacts = &world->contacts;
    static const uint32_t bits[] = {0, cn_eventImpact, cn_eventContact, cn_eventSeparation};
    bool sleeps = contacts->pair[row] >= 0 && cnPairTable_IsAsleep(&world->pairs, contacts->pair[row]);
    if (sleeps || listener->onContact == NULL || (listener->mask & bits[contacts->state[row]]) == 0) {
        return false;
    }
    int body1 = contacts->body1[row], body2 = contacts->body2[row];
    int geometry1 = contacts->geometry1[row], geometry2 = contacts->geometry2[row];
    return (MatchesSide(world, &listener->side, body1, geometry1) &&
            MatchesSide(world, &listener->other, body2, geometry2)) ||
           (MatchesSide(world, &listener->side, body2, geometry2) &&
            MatchesSide(world, &listener->other, body1, geometry1));
}

static cnContact ContactOf(const cnWorld* world, int row) {
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

void cnRemoveContact(cnWorld* world, int row) {
    if (world->contacts.pair[row] >= 0 && world->contacts.state[row] != cn_contactSeparation &&
        (world->contacts.flags[row] & cn_contactSensor) == 0) {
        world->contacts.flags[row] |= cn_contactRemoved;
        cnPair* pair = cnPairTable_Get(&world->pairs, world->contacts.pair[row]);
        cnWakePair(world, pair);
        pair->flags |= cn_pairRemoved;
        world->pairs.nearIsOld = true;
        cnPair_Forget(pair);
    }
}

static void NotifyOfContact(cnWorld* world, int row, int listenerCount) {
    bool removed = false;
    for (int i = 0; i < listenerCount; ++i) {
        cnListener listener = world->listeners.list.data[i];
        if (!IsWanted(world, &listener, row)) {
            continue;
        }
        cnContact contact = ContactOf(world, row);
        cnContactAnswer answer = listener.onContact(world->id, &contact, listener.context);
        removed |= answer != cn_keepContact;
        if (answer == cn_removeContactNow) {
            break;
        }
    }
    if (removed) {
        cnRemoveContact(world, row);
    }
}

// Whether some listener wants to hear of contacts.
static bool HasContactListener(const cnWorld* world) {
    for (int i = 0; i < world->listeners.list.count; ++i) {
        if (world->listeners.list.data[i].onContact != NULL) {
            return true;
        }
    }
    return false;
}

bool cnNotifyContactListeners(cnWorld* world) {
    int listenerCount = world->listeners.list.count;
    if (!HasContactListener(world)) {
        return true;
    }
    if (!cnListContacts(world)) {
        return false;
    }
    StartNotifying(world);
    // listeners may make and destroy what they like, but the contacts that they are notified of stay
    CN_PIN(&world->contacts, "listeners of contacts");
    CN_PIN(&world->contactPoints, "listeners of contacts");
    CN_PIN(&world->pairs.pairs, "listeners of contacts");
    int count = world->contacts.count;
    for (int pass = 0; pass < 2; ++pass) {
        for (int row = 0; row < count; ++row) {
            if ((world->contacts.state[row] == cn_contactSeparation) == (pass == 0)) {
                NotifyOfContact(world, row, listenerCount);
            }
        }
    }
    CN_UNPIN(&world->contacts);
    CN_UNPIN(&world->contactPoints);
    CN_UNPIN(&world->pairs.pairs);
    EndNotifying(world);
    return true;
}
