// Calls out to listeners: of contacts, of the moments of a step, of what broke and what the
// energy guard acted on.
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

void cnNotifyBreakListeners(cnWorld* world) {
    int count = world->listeners.list.count, broken = world->broken.count;
    if (count == 0 || broken == 0) {
        return;
    }
    StartNotifying(world);
    for (int b = 0; b < broken; ++b) {
        for (int i = 0; i < count; ++i) {
            cnListener listener = world->listeners.list.data[i];
            if (listener.onBreak != NULL && listener.mask != 0) {
                listener.onBreak(world->id, world->broken.data[b], listener.context);
            }
        }
    }
    EndNotifying(world);
}

void cnNotifyGuardListeners(cnWorld* world) {
    int count = world->listeners.list.count, guarded = world->guardEvents.count;
    if (count == 0 || guarded == 0) {
        return;
    }
    StartNotifying(world);
    for (int g = 0; g < guarded; ++g) {
        for (int i = 0; i < count; ++i) {
            cnListener listener = world->listeners.list.data[i];
            if (listener.onGuard != NULL && listener.mask != 0) {
                listener.onGuard(world->id, &world->guardEvents.data[g], listener.context);
            }
        }
    }
    EndNotifying(world);
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
    if (listener->onContact == NULL || (listener->mask & bits[contacts->state[row]]) == 0) {
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
        cnPair* pair = &world->pairs.pairs.data[world->contacts.pair[row]];
        pair->flags |= cn_pairRemoved;
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

void cnNotifyContactListeners(cnWorld* world) {
    int listenerCount = world->listeners.list.count;
    if (listenerCount == 0) {
        return;
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
}
