// Which proxies may collide, and which pairs are a sensor's.
#include "world/world.h"

static bool AreGroupsOff(const cnWorld* world, int geometry1, int geometry2) {
    const cnGeometryTable* table = &world->geometries;
    for (int i = 0; i < table->groupCount[geometry1]; ++i) {
        for (int k = 0; k < table->groupCount[geometry2]; ++k) {
            if (cnPairSwitches_IsOff(&world->groupPairs, table->groups[geometry1][i],
                                     table->groups[geometry2][k])) {
                return true;
            }
        }
    }
    return false;
}

bool cnDoProxiesMoveTogether(int proxy1, int proxy2, void* context) {
    const cnWorld* world = context;
    int carrier = cnBody_CarrierOf(&world->bodies, world->proxies.body[proxy1]);
    return carrier >= 0 && carrier == cnBody_CarrierOf(&world->bodies, world->proxies.body[proxy2]);
}

// A pair that has points, or may have some in its children.
static bool HasPoints(const cnWorld* world, int proxy1, int proxy2) {
    int first = proxy1 < proxy2 ? proxy1 : proxy2, second = proxy1 < proxy2 ? proxy2 : proxy1;
    int index = cnPairTable_Find(&world->pairs, first, second, 0);
    const cnPair* pair = index >= 0 ? cnPairTable_Get(&world->pairs, index) : NULL;
    return pair != NULL && (pair->manifold.pointCount > 0 || pair->concave >= 0);
}

// Two parts of one merged body. Where that is the engine's they keep the pairs that have points, asleep, for
// they may part at any time; others are made as they do (cnTouchProxies).
static bool AreMerged(const cnWorld* world, int proxy1, int proxy2) {
    if (!cnDoProxiesMoveTogether(proxy1, proxy2, (void*)world)) {
        return false;
    }
    int body1 = world->proxies.body[proxy1], body2 = world->proxies.body[proxy2];
    int merged = body1 == body2 ? -1 : world->bodies.mergedBody[body1];
    bool isOurs = merged >= 0 && (world->mergedBodies.flags[merged] & cn_mergedAdaptive) != 0;
    return !isOurs || !HasPoints(world, proxy1, proxy2);
}

bool cnMayProxiesCollide(int proxy1, int proxy2, void* context) {
    const cnWorld* world = context;
    const cnProxyTable* proxies = &world->proxies;
    int geometry1 = proxies->geometry[proxy1], geometry2 = proxies->geometry[proxy2];
    int body1 = proxies->body[proxy1], body2 = proxies->body[proxy2];
    if (geometry1 < 0 || geometry2 < 0 || geometry1 == geometry2 || AreMerged(world, proxy1, proxy2)) {
        return false;
    }
    uint32_t on = cn_geometryEnabled | cn_geometryCollides;
    if ((world->geometries.flags[geometry1] & on) != on || (world->geometries.flags[geometry2] & on) != on) {
        return false;
    }
    uint32_t flags1 = body1 >= 0 ? world->bodies.flags[body1] : cn_bodyEnabled;
    uint32_t flags2 = body2 >= 0 ? world->bodies.flags[body2] : cn_bodyEnabled;
    bool sensor =
        ((world->geometries.flags[geometry1] | world->geometries.flags[geometry2]) & cn_geometrySensor) != 0;
    uint32_t moves = sensor ? cn_bodyDynamic | cn_bodyKinematic : cn_bodyDynamic;
    if ((flags1 & flags2 & cn_bodyEnabled) == 0 || ((flags1 | flags2) & moves) == 0) {
        return false;
    }
    if (body1 >= 0 && body2 >= 0 &&
        cnConstraint_KeepsApart(&world->constraints, &world->bodies, body1, body2)) {
        return false;
    }
    const cnShape* shape1 = world->shapes.shapes[proxies->shape[proxy1]];
    const cnShape* shape2 = world->shapes.shapes[proxies->shape[proxy2]];
    if (!cnCanCollide(shape1->type, shape2->type)) {
        return false;
    }
    return !cnPairSwitches_IsOff(&world->geometryPairs, world->geometries.handle[geometry1],
                                 world->geometries.handle[geometry2]) &&
           !AreGroupsOff(world, geometry1, geometry2);
}

// What a pair of geometries makes of a pair of proxies: a sensor's, or 0.
uint32_t cnSensorFlagsOf(const cnWorld* world, int geometry1, int geometry2) {
    uint32_t kinds = cn_geometrySensor | cn_geometryOverlapOnly;
    uint32_t kind1 = world->geometries.flags[geometry1] & kinds;
    uint32_t kind2 = world->geometries.flags[geometry2] & kinds;
    if ((kind1 | kind2) == 0) {
        return 0;
    }
    bool wantsPoints = kind1 == cn_geometrySensor || kind2 == cn_geometrySensor;
    return wantsPoints ? cn_pairSensor : cn_pairSensor | cn_pairOverlapOnly;
}
