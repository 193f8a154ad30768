// From proxies whose bounds overlap to pairs with manifolds.
#include "collide/pairs/narrow_phase.h"
#include "world/world.h"

static bool cnEndPairs(cnWorld* world) {
    int count = 0;
    const cnProxyPair* ended = cnBroadPhase_GetEnded(world->broadPhase, &count);
    world->endedContacts.list.count = 0;
    for (int i = 0; i < count; ++i) {
        int index = cnPairTable_Find(&world->pairs, ended[i].proxy1, ended[i].proxy2, 0);
        if (index >= 0 && !cnRecordEndedContact(world, &world->pairs.pairs.data[index])) {
            return false;
        }
        cnPairTable_End(&world->pairs, ended[i].proxy1, ended[i].proxy2);
    }
    return true;
}

static bool cnBeginPairs(cnWorld* world) {
    int count = 0;
    const cnProxyPair* begun = cnBroadPhase_GetBegun(world->broadPhase, &count);
    for (int i = 0; i < count; ++i) {
        cnPair* pair = cnPairTable_Begin(&world->pairs, begun[i].proxy1, begun[i].proxy2, &world->proxies,
                                         world->shapes.shapes);
        if (pair == NULL) {
            return false;
        }
        pair->flags |= cnSensorFlagsOf(world, pair->geometry1, pair->geometry2);
    }
    return true;
}

bool cnUpdatePairs(cnWorld* world) {
    return cnBroadPhase_Update(world->broadPhase, world->threads, cnMayProxiesCollide, world) &&
           cnEndPairs(world) && cnBeginPairs(world);
}

bool cnUpdateManifolds(cnWorld* world) {
    cnNarrowPhase phase = {
        .pairs = &world->pairs,
        .proxies = &world->proxies,
        .shapes = world->shapes.shapes,
        .bodies = &world->bodies,
        .timeStep = world->timeStep,
        .kickShare = 1.0 - 1.0 / cnSubstepsOf(&world->solver),
        .stack = &world->stack,
        .threads = world->threads,
    };
    return cnRunNarrowPhase(&phase);
}
