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
    int row = cnPairTable_FindDistant(&world->pairs, proxy1, proxy2);
    if (row >= 0) { // it touches nobody
        cnPairTable_RemoveDistant(&world->pairs, row);
        return;
    }
    int index = cnPairTable_Find(&world->pairs, proxy1, proxy2, 0);
    if (index >= 0) {
        cnWakePair(world, cnPairTable_Get(&world->pairs, index));
        cnRecordEndedContact(world, cnPairTable_Get(&world->pairs, index));
        cnPairTable_End(&world->pairs, proxy1, proxy2);
    }
}

static bool BeginPair(cnWorld* world, cnProxyPair proxies) {
    const int32_t *body = world->proxies.body, *geometry = world->proxies.geometry;
    int body1 = cnBody_CarrierOf(&world->bodies, body[proxies.proxy1]);
    int body2 = cnBody_CarrierOf(&world->bodies, body[proxies.proxy2]);
    cnBegunPair begun = {
        .sides = {proxies.proxy1, proxies.proxy2, body1, body2},
        .sensor = cnSensorFlagsOf(world, geometry[proxies.proxy1], geometry[proxies.proxy2]),
        .isAsleep = !cnArePairBodiesActive(world, body1, body2),
    };
    return cnPairTable_Begin(&world->pairs, &begun, &world->proxies, world->shapes.shapes);
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
    const cnPairTable* table = &world->pairs;
    if (!ReserveEnded(world, table->pairs.count)) {
        return false;
    }
    const int32_t* geometry = world->proxies.geometry;
    for (int i = table->pairs.count - 1; i >= 0; --i) {
        if (i < table->pairs.count) { // a parent takes its children along
            const cnPair* pair = cnPairTable_Get(table, i);
            bool isSame =
                pair->geometry1 == geometry[pair->proxy1] && pair->geometry2 == geometry[pair->proxy2];
            if (!isSame || !cnBroadPhase_HasPair(broadPhase, pair->proxy1, pair->proxy2)) {
                EndPair(world, pair->proxy1, pair->proxy2);
            }
        }
    }
    for (int row = table->distant.count - 1; row >= 0; --row) {
        const cnDistantPair* pair = cnPairTable_GetDistant(table, row);
        bool isSame = pair->geometry1 == geometry[pair->proxy1] && pair->geometry2 == geometry[pair->proxy2];
        if (!isSame || !cnBroadPhase_HasPair(broadPhase, pair->proxy1, pair->proxy2)) {
            EndPair(world, pair->proxy1, pair->proxy2);
        }
    }
    bool ok = true;
    for (int i = 0; i < cnBroadPhase_GetPairCount(broadPhase) && ok; ++i) {
        cnProxyPair proxies = cnBroadPhase_GetPair(broadPhase, i);
        ok = cnPairTable_Has(table, proxies.proxy1, proxies.proxy2) || BeginPair(world, proxies);
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
