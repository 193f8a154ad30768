#include "world/events.h"

#include "base/report/assert.h"
#include "world/contact_list.h"
#include "world/step/step.h"

#include <math.h>
#include <string.h>

void cnRecordEndedContact(cnWorld* world, const cnPair* pair) {
    CN_ASSERT(world->endedContacts.list.count < world->endedContacts.list.capacity);
    bool lives = world->proxies.geometry[pair->proxy1] == pair->geometry1 &&
                 world->proxies.geometry[pair->proxy2] == pair->geometry2;
    if ((pair->flags & cn_pairTouching) == 0 || !lives) {
        return;
    }
    cnEndedContact ended = {
        .body1 = world->proxies.body[pair->proxy1],
        .body2 = world->proxies.body[pair->proxy2],
        .geometry1 = pair->geometry1,
        .geometry2 = pair->geometry2,
        .shape1 = world->proxies.shapeIndex[pair->proxy1],
        .shape2 = world->proxies.shapeIndex[pair->proxy2],
        .flags = (pair->flags & cn_pairSensor) != 0 ? cn_contactSensor : 0u,
    };
    world->endedContacts.list.data[world->endedContacts.list.count++] = ended;
}

// ---- the table of events ----------------------------------------------------------------------------------

// Speed at which two bodies' surfaces approach at a point of a pair, along its normal.
static double ApproachAt(const cnWorld* world, const cnPair* pair, cnVec3 point) {
    const cnBodyTable* bodies = &world->bodies;
    cnVec3 arm1 = pair->body1 >= 0 ? cnSub(point, bodies->centreOfMass[pair->body1]) : cnVec3_zero;
    cnVec3 arm2 = pair->body2 >= 0 ? cnSub(point, bodies->centreOfMass[pair->body2]) : cnVec3_zero;
    cnVec3 relative = cnRelativeReading(bodies, pair->body1, pair->body2, arm1, arm2);
    return -cnDot(cnToD(pair->manifold.normal), relative);
}

static int AddEvent(cnWorld* world, cnContactState state, int row) {
    cnContactEventTable* events = &world->contactEvents;
    CN_ASSERT(events->count < events->capacity);
    int event = events->count++;
    events->state[event] = state;
    events->contact[event] = row;
    events->position[event] = events->normal[event] = cnVec3_zero;
    events->speed[event] = events->impulse[event] = 0.0;
    return event;
}

static void AddEventOfPair(cnWorld* world, int index, cnContactState state, int row) {
    const cnPair* pair = cnPairTable_Get(&world->pairs, index);
    cnContactEventTable* events = &world->contactEvents;
    int event = AddEvent(world, state, row);
    events->pair[event] = index;
    events->body1[event] = world->proxies.body[pair->proxy1];
    events->body2[event] = world->proxies.body[pair->proxy2];
    events->geometry1[event] = pair->geometry1;
    events->geometry2[event] = pair->geometry2;
    int deepest = -1;
    for (int k = 0; k < pair->manifold.pointCount; ++k) {
        const float* depths = pair->manifold.depths;
        bool isDeeper = deepest < 0 || depths[k] > depths[deepest];
        deepest = cnPair_TouchedAt(pair, k) && isDeeper ? k : deepest;
    }
    if (deepest >= 0) {
        cnVec3 point = cnContactPointOf(world, pair, deepest);
        events->position[event] = point;
        events->normal[event] = cnToD(pair->manifold.normal);
        events->speed[event] = ApproachAt(world, pair, point);
    }
}

static void AddEventOfEnded(cnWorld* world, int number, int row) {
    const cnEndedContact* ended = &world->endedContacts.list.data[number];
    cnContactEventTable* events = &world->contactEvents;
    int event = AddEvent(world, cn_contactSeparation, row);
    events->pair[event] = -2 - number;
    events->body1[event] = ended->body1;
    events->body2[event] = ended->body2;
    events->geometry1[event] = ended->geometry1;
    events->geometry2[event] = ended->geometry2;
}

// Events of pairs of a state, with the rows that they have in the contact table. Returns the number of rows.
static int AddEventsOfPairs(cnWorld* world, cnContactState wanted) {
    const cnPairTable* pairs = &world->pairs;
    int row = 0;
    for (int i = 0; i < pairs->near.count; ++i) {
        cnContactState state = (cnContactState)pairs->near.data[i].state;
        if (state == wanted) {
            AddEventOfPair(world, pairs->near.data[i].pair, state, row);
        }
        row += state != cn_contactNone;
    }
    return row;
}

bool cnListEvents(cnWorld* world) {
    cnPairTable_ListNear(&world->pairs, world->threads); // listeners may have removed some
    const cnPairTable* pairs = &world->pairs;
    int impacts = 0, separations = 0;
    for (int i = 0; i < pairs->near.count; ++i) {
        cnContactState state = (cnContactState)pairs->near.data[i].state;
        impacts += state == cn_contactImpact;
        separations += state == cn_contactSeparation;
    }
    int endedCount = world->endedContacts.list.count;
    world->contactEvents.count = 0;
    world->eventsMoved = false;
    if (!cnContactTable_Reserve(&world->contactEvents, &cnContactEventColumns,
                                impacts + separations + endedCount)) {
        return false;
    }
    if (separations + endedCount > 0) {
        int rows = AddEventsOfPairs(world, cn_contactSeparation);
        for (int k = 0; k < endedCount; ++k) {
            AddEventOfEnded(world, k, rows + k);
        }
    }
    if (impacts > 0) {
        AddEventsOfPairs(world, cn_contactImpact);
    }
    return true;
}

// Along the normal, of the solve and of impacts.
static double ImpulseOf(const cnWorld* world, const cnPair* pair, const cnContactImpact* impact) {
    double sum = 0.0;
    for (int k = 0; k < pair->manifold.pointCount; ++k) {
        sum += world->timeStep * pair->normalForce[k] + (impact != NULL ? impact->normal[k] : 0.0);
    }
    return fabs(sum);
}

bool cnListEventImpulses(cnWorld* world) {
    cnContactEventTable* events = &world->contactEvents;
    const cnPairTable* pairs = &world->pairs;
    if (events->count == 0) {
        return true;
    }
    int* impactOf = CN_PUSH(&world->stack, int, pairs->pairs.count + 1, "impacts of pairs");
    if (impactOf == NULL) {
        return false;
    }
    memset(impactOf, 0xff, (size_t)(pairs->pairs.count + 1) * sizeof *impactOf);
    for (int i = 0; i < pairs->impacts.count; ++i) {
        impactOf[pairs->impacts.data[i].pair] = i;
    }
    for (int event = 0; event < events->count; ++event) {
        int index = events->pair[event];
        if (index >= 0 && !cnPair_IsUnsolved(cnPairTable_Get(pairs, index))) {
            const cnContactImpact* impact =
                impactOf[index] >= 0 ? &pairs->impacts.data[impactOf[index]] : NULL;
            events->impulse[event] = ImpulseOf(world, cnPairTable_Get(pairs, index), impact);
        }
    }
    cnStack_Pop(&world->stack, impactOf);
    return true;
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

// ---- bodies that merge and split --------------------------------------------------------------------------

static uint32_t MergedHandleOf(const cnWorld* world, int body) {
    int merged = world->bodies.mergedBody[body];
    return merged >= 0 ? world->mergedBodies.handle[merged] : 0;
}

static bool HasMerged(const cnWorld* world, int body) {
    uint32_t flags = world->bodies.flags[body];
    bool isUsers = (flags & cn_bodyLive) != 0 && (flags & cn_bodyCarrier) == 0;
    return isUsers && MergedHandleOf(world, body) != world->bodies.toldMergedBody[body];
}

bool cnListMergeChanges(cnWorld* world) {
    cnBodyTable* bodies = &world->bodies;
    world->mergeChanges.count = 0;
    if (!world->mergedBodies.isChanged) {
        return true;
    }
    // room for all, so that no later step has to make it
    if (!cnArray_Reserve(&world->mergeChanges, bodies->ids.rowCount)) {
        return false;
    }
    for (int row = 0; row < bodies->ids.rowCount; ++row) {
        if (HasMerged(world, row)) {
            uint32_t from = bodies->toldMergedBody[row], to = MergedHandleOf(world, row);
            bodies->toldMergedBody[row] = to;
            world->mergeChanges.data[world->mergeChanges.count++] =
                (cnMergeChange){.body = {bodies->handle[row]}, .from = {from}, .to = {to}};
        }
    }
    world->mergedBodies.isChanged = false;
    return true;
}
