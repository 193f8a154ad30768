// From proxies whose bounds overlap to pairs with manifolds.
#include "collide/pairs/narrow_phase.h"
#include "world/sleep.h"
#include "world/step/step.h"

// Room for the contacts that end, so that ending a pair cannot fail.
static bool ReserveEnded(cnWorld* world, int count) {
    world->endedContacts.list.count = 0;
    return cnArray_Reserve(&world->endedContacts.list, count);
}

static void EndPair(cnWorld* world, int proxy1, int proxy2) {
    int index = cnPairTable_Find(&world->pairs, proxy1, proxy2, 0);
    if (index >= 0) {
        cnWakePair(world, &world->pairs.pairs.data[index]);
        cnRecordEndedContact(world, &world->pairs.pairs.data[index]);
        cnPairTable_End(&world->pairs, proxy1, proxy2);
    }
}

static bool BeginPair(cnWorld* world, cnProxyPair proxies) {
    cnPair* pair = cnPairTable_Begin(&world->pairs, proxies.proxy1, proxies.proxy2, &world->proxies,
                                     world->shapes.shapes);
    if (pair != NULL) {
        pair->flags |= cnSensorFlagsOf(world, pair->geometry1, pair->geometry2);
        pair->body1 = cnBody_CarrierOf(&world->bodies, pair->body1);
        pair->body2 = cnBody_CarrierOf(&world->bodies, pair->body2);
        if (!cnIsPairActive(world, pair)) {
            cnPairTable_PutToSleep(&world->pairs, (int)(pair - world->pairs.pairs.data));
        }
    }
    return pair != NULL;
}

// What the broad phase reports of its last update.
static bool FollowReports(cnWorld* world) {
    int endedCount = 0, begunCount = 0;
    const cnProxyPair* ended = cnBroadPhase_GetEnded(world->broadPhase, &endedCount);
    const cnProxyPair* begun = cnBroadPhase_GetBegun(world->broadPhase, &begunCount);
    bool ok = ReserveEnded(world, endedCount);
    for (int i = 0; i < endedCount && ok; ++i) {
        EndPair(world, ended[i].proxy1, ended[i].proxy2);
    }
    for (int i = 0; i < begunCount && ok; ++i) {
        ok = BeginPair(world, begun[i]);
    }
    return ok;
}

// All pairs that the broad phase has and no others, after memory ran out while its reports were followed:
// they are not made twice.
static bool ReconcilePairs(cnWorld* world) {
    const cnBroadPhase* broadPhase = world->broadPhase;
    if (!ReserveEnded(world, world->pairs.pairs.count)) {
        return false;
    }
    for (int i = world->pairs.pairs.count - 1; i >= 0; --i) {
        if (i < world->pairs.pairs.count) { // a parent takes its children along
            const cnPair* pair = &world->pairs.pairs.data[i];
            bool isSame = pair->geometry1 == world->proxies.geometry[pair->proxy1] &&
                          pair->geometry2 == world->proxies.geometry[pair->proxy2];
            if (!isSame || !cnBroadPhase_HasPair(broadPhase, pair->proxy1, pair->proxy2)) {
                EndPair(world, pair->proxy1, pair->proxy2);
            }
        }
    }
    bool ok = true;
    for (int i = 0; i < cnBroadPhase_GetPairCount(broadPhase) && ok; ++i) {
        cnProxyPair proxies = cnBroadPhase_GetPair(broadPhase, i);
        ok = cnPairTable_Find(&world->pairs, proxies.proxy1, proxies.proxy2, 0) >= 0 ||
             BeginPair(world, proxies);
    }
    return ok;
}

bool cnUpdatePairs(cnWorld* world) {
    cnPairTable_ForgetFriction(&world->pairs);
    cnPairFilter* moveTogether = world->mergedBodies.ids.liveCount > 0 ? cnDoProxiesMoveTogether : NULL;
    if (!cnBroadPhase_Update(world->broadPhase, world->threads, cnMayProxiesCollide, moveTogether, world)) {
        return false;
    }
    bool ok = world->pairsLag ? ReconcilePairs(world) : FollowReports(world);
    world->pairsLag = !ok;
    return ok;
}

bool cnUpdateManifolds(cnWorld* world) {
    cnNarrowPhase phase = {
        .pairs = &world->pairs,
        .proxies = &world->proxies,
        .shapes = world->shapes.shapes,
        .bodies = &world->bodies,
        .materials = &world->materials,
        .gravity = &world->gravity,
        .timeStep = world->timeStep,
        .kickShare = 1.0 - 1.0 / cnSubstepsOf(&world->solver),
        .stack = &world->stack,
        .threads = world->threads,
    };
    return cnRunNarrowPhase(&phase);
}
