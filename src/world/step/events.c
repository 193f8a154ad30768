#include "world/events.h"

#include "base/report/assert.h"
#include "world/step/step.h"

void cnRecordEndedContact(cnWorld* world, const cnPair* pair) {
    CN_ASSERT(world->endedContacts.list.count < world->endedContacts.list.capacity);
    bool lives = world->proxies.geometry[pair->proxy1] == pair->geometry1 &&
                 world->proxies.geometry[pair->proxy2] == pair->geometry2;
    if ((pair->flags & cn_pairTouching) == 0 || !lives) {
        return;
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
    world->endedContacts.list.data[world->endedContacts.list.count++] = ended;
}

// ---- the table of events ----------------------------------------------------------------------------------

// Speed at which two bodies' surfaces approach at a point, along a normal.
static double ApproachAt(const cnWorld* world, int row, cnVec3 point) {
    const cnBodyTable* bodies = &world->bodies;
    int body1 = world->contacts.body1[row], body2 = world->contacts.body2[row];
    cnVec3 arm1 = body1 >= 0 ? cnSub(point, bodies->centreOfMass[body1]) : cnVec3_zero;
    cnVec3 arm2 = body2 >= 0 ? cnSub(point, bodies->centreOfMass[body2]) : cnVec3_zero;
    return -cnDot(world->contacts.normal[row], cnRelativeReading(bodies, body1, body2, arm1, arm2));
}

static void ListEvent(cnWorld* world, int row) {
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
        events->speed[event] = ApproachAt(world, row, points->position[deepest]);
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
                ListEvent(world, row);
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

// ---- the energy guard -------------------------------------------------------------------------------------

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
    CN_ASSERT(number == solve->islandCount);
    return true;
}
