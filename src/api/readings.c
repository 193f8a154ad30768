// What can be read of a whole world: energies, momenta, counters, the state hash, whether its tables agree.
#include "api/checks.h"
#include "dynamics/gravity.h"
#include "dynamics/motion.h"
#include "world/anchors.h"
#include "world/contact_list.h"
#include "world/step/energy_balance.h"
#include "world/validate.h"
#include "world/world.h"

// A user's, whether or not it is part of a merged body.
static bool IsDynamic(const cnWorld* world, int row) {
    uint32_t wanted = cn_bodyLive | cn_bodyDynamic | cn_bodyEnabled;
    return (world->bodies.flags[row] & (wanted | cn_bodyCarrier)) == wanted;
}

double cnWorld_GetKineticEnergy(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    double sum = 0.0;
    for (int row = 0; world != NULL && row < world->bodies.ids.rowCount; ++row) {
        if (IsDynamic(world, row)) {
            sum += cnBody_ReadKineticEnergy(&world->bodies, row);
        }
    }
    return sum;
}

double cnWorld_GetPotentialEnergy(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    cnEnergies energies = {0};
    if (world != NULL) {
        cnMeasureEnergies(world, &energies);
    }
    return energies.gravity + energies.springs;
}

cnErrorCode cnWorld_SetEnergyBalance(cnWorldId id, bool kept) {
    cnWorld* world = cnFindWorld(id, __func__);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    world->balance.isKept = kept;
    world->balance.isKnown = world->balance.isKnown && kept;
    return CN_ERROR_NONE;
}

bool cnWorld_HasEnergyBalance(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    return world != NULL && world->balance.isKept;
}

cnEnergies cnWorld_GetEnergies(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    cnEnergies energies = {0};
    if (world == NULL) {
        return energies;
    }
    double none = NAN;
    energies = (cnEnergies){0.0, 0.0, 0.0, none, none, none, none, none, none, none, none};
    if (world->balance.isKnown) {
        energies = world->balance.energies;
    }
    cnEnergies now;
    cnMeasureEnergies(world, &now);
    energies.kinetic = now.kinetic;
    energies.gravity = now.gravity;
    energies.springs = now.springs;
    return energies;
}

// Of bodies that only act on one another the momenta of the state, and what gravity and users add to them
// until the time of the pose: what acts between them comes in pairs, so that these sums are conserved to
// rounding. What is read of single bodies is carried on smoothly (velocity_times.c), and would not be. Where
// something static or kinematic acts on them nothing is conserved, and its forces count as much as gravity:
// there it is the sum of what is read, 0 at rest.
typedef struct Momenta {
    cnVec3 linear, angular;
} Momenta;

// A part of a merged body is held by what holds the whole.
static bool IsAnchored(const cnWorld* world, int row) {
    int carrier = cnBody_CarrierOf(&world->bodies, row);
    return world->anchored.data[carrier] || (carrier != row && !cnBody_IsSimulated(&world->bodies, carrier));
}

static Momenta MomentaOf(const cnWorld* world, int row) {
    const cnBodyTable* bodies = &world->bodies;
    Momenta own = {cnBody_ReadMomentum(bodies, row), bodies->angularMomentum[row]};
    cnVec3 centre = bodies->centreOfMass[row];
    if (!IsAnchored(world, row)) {
        double massTime = bodies->lag[row] * bodies->mass[row];
        own.linear = cnAdd(cnBody_GetMomentum(bodies, row), bodies->owedImpulse[row]);
        own.linear = cnMulAdd(own.linear, massTime, cnGravityOn(&world->gravity, bodies, row));
        own.angular = cnAdd(bodies->halfStepAngularMomentum[row], bodies->owedMoment[row]);
    }
    own.angular = cnAdd(own.angular, cnCross(centre, own.linear));
    return own;
}

static Momenta SumMomenta(cnWorld* world, const char* call) {
    Momenta sum = {cnVec3_zero, cnVec3_zero};
    if (world == NULL || !cnFindAnchoredBodies(world, call)) {
        return sum;
    }
    for (int row = 0; row < world->bodies.ids.rowCount; ++row) {
        if (IsDynamic(world, row)) {
            Momenta own = MomentaOf(world, row);
            sum.linear = cnAdd(sum.linear, own.linear);
            sum.angular = cnAdd(sum.angular, own.angular);
        }
    }
    return sum;
}

cnVec3 cnWorld_GetMomentum(cnWorldId id) {
    return SumMomenta(cnFindWorld(id, __func__), __func__).linear;
}

cnVec3 cnWorld_GetAngularMomentum(cnWorldId id) {
    return SumMomenta(cnFindWorld(id, __func__), __func__).angular;
}

double cnWorld_GetMaxPenetration(cnWorldId id) {
    const cnWorld* world = cnReadWorld(id, __func__);
    bool isListed = world != NULL && world->contactStage == cn_contactsListed;
    return isListed ? world->maxPenetration : world != NULL ? cnFindMaxPenetration(world) : 0.0;
}

cnCounters cnWorld_GetCounters(cnWorldId id) {
    cnWorld* world = cnFindWorld(id, __func__);
    if (world == NULL) {
        return (cnCounters){0};
    }
    if (cnTryListContacts(world, __func__) != CN_ERROR_NONE) {
        return (cnCounters){0};
    }
    cnCounters counters = {
        .bodies = world->bodies.ids.liveCount,
        .geometries = world->geometries.ids.liveCount,
        .shapes = world->shapes.ids.liveCount,
        .materials = world->materials.materials.ids.liveCount,
        .contactMaterials = world->materials.contactMaterials.ids.liveCount,
        .proxies = cnBroadPhase_GetProxyCount(world->broadPhase),
        .pairs = cnPairTable_Count(&world->pairs),
        .contactPoints = world->contactPoints.count,
        .islands = world->statistics.islands,
        .convergedIslands = world->statistics.convergedIslands,
        .guardedIslands = world->guardEvents.count,
        .colours = world->statistics.colours,
        .impactRounds = world->statistics.impactRounds,
        .merges = world->mergeCount,
        .splits = world->splitCount,
        .bytes = (int)cnGetBytesInUse(),
    };
    for (int row = 0; row < world->bodies.ids.rowCount; ++row) {
        uint32_t flags = world->bodies.flags[row];
        bool isAwake = (flags & (cn_bodyLive | cn_bodyAsleep)) == cn_bodyLive;
        counters.awakeBodies += isAwake && IsDynamic(world, row);
        counters.solverBodies += isAwake && cnBody_IsSimulated(&world->bodies, row);
        counters.mergedBodies += (flags & cn_bodyCarried) != 0;
        counters.bodies -= (flags & cn_bodyCarrier) != 0;
    }
    for (int row = 0; row < world->contacts.count; ++row) {
        counters.contacts +=
            world->contacts.state[row] != cn_contactSeparation && world->contacts.flags[row] == 0;
    }
    for (int i = 0; i < world->pairs.pairs.count; ++i) {
        counters.recycledManifolds += (cnPairTable_Get(&world->pairs, i)->flags & cn_pairRecycled) != 0;
    }
    return counters;
}

cnIslandStatistics cnWorld_GetIslandStatistics(cnWorldId id, int island) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(id, call);
    if (world == NULL) {
        return (cnIslandStatistics){0};
    }
    cnErrorCode code =
        cnCheckIndex(island, world->islands.count, call, "island", "the islands of the last step");
    return code == CN_ERROR_NONE ? world->islands.data[island] : (cnIslandStatistics){0};
}

cnErrorCode cnWorld_GetHash(cnWorldId id, char* text) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(id, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    if (text == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "text", "text is null");
    }
    uint64_t hash = cnHashState(world);
    for (int digit = 0; digit < 16; ++digit) {
        text[digit] = "0123456789abcdef"[hash >> (60 - 4 * digit) & 15];
    }
    text[16] = '\0';
    return CN_ERROR_NONE;
}

cnErrorCode cnWorld_Validate(cnWorldId id) {
    const char* call = "cnWorld_Validate";
    const cnWorld* world = cnReadWorld(id, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    cnFault fault;
    if (!cnValidateWorld(world, cn_phaseSettled, &fault)) {
        return cnFail(CN_ERROR_CORRUPT_STATE, call, "world", "%s", fault.message);
    }
    return CN_ERROR_NONE;
}
