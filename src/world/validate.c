// cnValidateWorld, table by table.
#include "world/validate.h"

#include "base/containers/hash.h"

#include <string.h>

// Rotations are normalised after every change, m/m; centres of mass follow poses by one sum, m per m of
// the numbers in it.
#define CN_UNIT_TOLERANCE 1e-9
#define CN_CENTRE_TOLERANCE 1e-9

// s: half of the longest step.
#define CN_MAX_LAG 0.5

static bool IsUnit(cnQuat rotation) {
    return fabs(cnLengthQuat(rotation) - 1.0) <= CN_UNIT_TOLERANCE;
}

static bool IsFiniteMat(cnMat33 m) {
    return cnIsFiniteVec(m.x) && cnIsFiniteVec(m.y) && cnIsFiniteVec(m.z);
}

// ---- handles ----------------------------------------------------------------------------------------------

// A table of rows with handles. `marks`: the column that says which rows are live, by any of
// the bits of `mark`.
typedef struct RowsOfHandles {
    const char* name;
    const cnIdPool* ids;
    const uint32_t* handles;
    const uint32_t* marks;
    uint32_t mark;
    int capacity;
    uint32_t hidden; // bits of rows that no user knows of, whose handle is 0
} RowsOfHandles;

static bool CheckHandles(const RowsOfHandles* rows, cnFault* fault) {
    if (!cnIdPool_Validate(rows->ids, rows->name, fault)) {
        return false;
    }
    CN_CHECK(fault, rows->ids->rowCount <= rows->capacity, "%s: %d rows were used, there is room for %d",
             rows->name, rows->ids->rowCount, rows->capacity);
    for (int row = 0; row < rows->ids->rowCount; ++row) {
        bool isLive = cnIdPool_IsLive(rows->ids, row);
        bool isHidden = isLive && (rows->marks[row] & rows->hidden) != 0;
        uint32_t expected = isLive && !isHidden ? cnIdPool_ValueOf(rows->ids, row) : 0;
        CN_CHECK(fault, rows->handles[row] == expected, "%s: row %d has the handle %08x, expected %08x",
                 rows->name, row, (unsigned)rows->handles[row], (unsigned)expected);
        CN_CHECK(fault, ((rows->marks[row] & rows->mark) != 0) == isLive,
                 "%s: row %d is %s, its flags are %x", rows->name, row, isLive ? "live" : "free",
                 (unsigned)rows->marks[row]);
    }
    return true;
}

static bool CheckAllHandles(const cnWorld* world, cnFault* fault) {
    const cnBodyTable* bodies = &world->bodies;
    const cnGeometryTable* geometries = &world->geometries;
    const cnShapeTable* shapes = &world->shapes;
    const cnConstraintTable* constraints = &world->constraints;
    const cnMergedBodyTable* merged = &world->mergedBodies;
    const cnMergeEdgeTable* edges = &world->mergeEdges;
    const cnMaterialTable* materials = &world->materials.materials;
    const cnContactMaterialTable* contactMaterials = &world->materials.contactMaterials;
    const RowsOfHandles tables[] = {
        {"bodies", &bodies->ids, bodies->handle, bodies->flags, cn_bodyLive, bodies->capacity,
         cn_bodyCarrier},
        {"geometries", &geometries->ids, geometries->handle, geometries->flags, cn_geometryLive,
         geometries->capacity, 0},
        {"shapes", &shapes->ids, shapes->handle, shapes->type, ~0u, shapes->capacity, 0},
        {"constraints", &constraints->ids, constraints->handle, constraints->flags, cn_constraintLive,
         constraints->capacity, 0},
        {"merged bodies", &merged->ids, merged->handle, merged->flags, cn_mergedLive, merged->capacity, 0},
        {"merge edges", &edges->ids, edges->handle, edges->handle, ~0u, edges->capacity, 0},
        {"materials", &materials->ids, materials->handle, materials->flags, cn_materialLive,
         materials->capacity, 0},
        {"contact materials", &contactMaterials->ids, contactMaterials->handle, contactMaterials->flags,
         cn_contactMaterialLive, contactMaterials->capacity, 0},
    };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; ++i) {
        if (!CheckHandles(&tables[i], fault)) {
            return false;
        }
    }
    return true;
}

// ---- bodies -----------------------------------------------------------------------------------------------

static bool CheckMotion(const cnBodyTable* bodies, int row, cnFault* fault) {
    uint32_t flags = bodies->flags[row];
    bool isDynamic = (flags & cn_bodyDynamic) != 0, isKinematic = (flags & cn_bodyKinematic) != 0;
    CN_CHECK(fault, !(isDynamic && isKinematic), "bodies: row %d is dynamic and kinematic (flags %x)", row,
             (unsigned)flags);
    CN_CHECK(fault, isKinematic || (flags & (cn_bodyMoving | cn_bodyStopping)) == 0,
             "bodies: row %d has a target and is not kinematic (flags %x)", row, (unsigned)flags);
    bool isStill = !isDynamic && !isKinematic && (flags & cn_bodyCarried) == 0;
    CN_CHECK(fault, !isStill || cnLengthSquared(bodies->halfStepVelocity[row]) == 0.0,
             "bodies: row %d is static and has a velocity of %g m/s", row,
             cnLength(bodies->halfStepVelocity[row]));
    return true;
}

static bool CheckState(const cnBodyTable* bodies, int row, cnFault* fault) {
    cnVec3 position = bodies->position[row], centre = bodies->centreOfMass[row];
    CN_CHECK(fault, cnIsFiniteVec(position) && cnIsFiniteVec(centre),
             "bodies: row %d has position (%g, %g, %g) and centre of mass (%g, %g, %g)", row, position.x,
             position.y, position.z, centre.x, centre.y, centre.z);
    CN_CHECK(fault, IsUnit(bodies->rotation[row]), "bodies: row %d has a rotation of length %.12g", row,
             cnLengthQuat(bodies->rotation[row]));
    cnVec3 velocity = bodies->halfStepVelocity[row], spin = bodies->halfStepAngularVelocity[row];
    CN_CHECK(fault,
             cnIsFiniteVec(velocity) && cnIsFiniteVec(spin) &&
                 cnIsFiniteVec(bodies->halfStepAngularMomentum[row]),
             "bodies: row %d has velocity (%g, %g, %g) and angular velocity (%g, %g, %g)", row, velocity.x,
             velocity.y, velocity.z, spin.x, spin.y, spin.z);
    CN_CHECK(fault,
             bodies->mass[row] > 0.0 && cnIsFinite(bodies->mass[row]) && IsFiniteMat(bodies->inertia[row]) &&
                 cnIsFiniteVec(bodies->localCentreOfMass[row]),
             "bodies: row %d has a mass of %g kg, or an inertia or centre of mass that is not finite", row,
             bodies->mass[row]);
    CN_CHECK(fault, bodies->lag[row] >= 0.0 && bodies->lag[row] <= CN_MAX_LAG,
             "bodies: row %d has velocities %g s behind its pose", row, bodies->lag[row]);
    CN_CHECK(fault, bodies->smoothSteps[row] >= 0 && bodies->smoothSteps[row] <= CN_TWO_RATES,
             "bodies: row %d moves smoothly since %d intervals, of which %d are counted", row,
             bodies->smoothSteps[row], CN_TWO_RATES);

    // the centre of mass is where the pose has it
    cnVec3 arm = cnRotate(bodies->rotation[row], bodies->localCentreOfMass[row]);
    double gap = cnLength(cnSub(centre, cnAdd(position, arm)));
    double size = cnLength(position) + cnLength(arm);
    CN_CHECK(fault, gap <= CN_CENTRE_TOLERANCE * size, "bodies: row %d has its centre of mass %g m off", row,
             gap);
    return true;
}

// Rings end where they began: each sleeper is the next of one.
static bool CheckSleep(const cnWorld* world, int row, cnFault* fault) {
    const cnBodyTable* bodies = &world->bodies;
    if ((bodies->flags[row] & cn_bodyAsleep) == 0) {
        return true;
    }
    if ((bodies->flags[row] & cn_bodyCarried) != 0) {
        CN_CHECK(fault, (bodies->flags[bodies->carrier[row]] & cn_bodyAsleep) != 0,
                 "bodies: row %d sleeps, and its carrier %d does not", row, bodies->carrier[row]);
        return true;
    }
    int next = bodies->nextAsleep[row];
    CN_CHECK(fault, cnIdPool_IsLive(&bodies->ids, next) && (bodies->flags[next] & cn_bodyAsleep) != 0,
             "bodies: row %d sleeps, and next in its ring is row %d, which does not", row, next);
    CN_CHECK(fault,
             cnBody_IsSimulated(bodies, row) && cnLengthSquared(bodies->velocity[row]) == 0.0 &&
                 cnLengthSquared(bodies->halfStepVelocity[row]) == 0.0 &&
                 cnLengthSquared(bodies->halfStepAngularMomentum[row]) == 0.0,
             "bodies: row %d sleeps and moves (flags %x)", row, (unsigned)bodies->flags[row]);
    return true;
}

static bool CheckGeometriesOf(const cnWorld* world, int body, int* listedCount, cnFault* fault) {
    const cnGeometryTable* geometries = &world->geometries;
    int length = 0;
    for (int row = world->bodies.firstGeometry[body]; row != -1; row = geometries->nextOfBody[row]) {
        CN_CHECK(fault, cnIdPool_IsLive(&geometries->ids, row),
                 "geometries of body %d: the list has row %d, which is not live", body, row);
        CN_CHECK(fault, geometries->body[row] == body,
                 "geometries of body %d: the list has row %d, which belongs to body %d", body, row,
                 geometries->body[row]);
        CN_CHECK(fault, ++length <= geometries->ids.liveCount,
                 "geometries of body %d: the list runs in a circle at row %d", body, row);
    }
    *listedCount += length;
    return true;
}

static bool CheckBodies(const cnWorld* world, cnFault* fault) {
    int listedCount = 0, ownedCount = 0;
    for (int row = 0; row < world->bodies.ids.rowCount; ++row) {
        if (cnIdPool_IsLive(&world->bodies.ids, row) &&
            (!CheckMotion(&world->bodies, row, fault) || !CheckState(&world->bodies, row, fault) ||
             !CheckSleep(world, row, fault) || !CheckGeometriesOf(world, row, &listedCount, fault))) {
            return false;
        }
    }
    for (int row = 0; row < world->geometries.ids.rowCount; ++row) {
        ownedCount += cnIdPool_IsLive(&world->geometries.ids, row) && world->geometries.body[row] >= 0;
    }
    CN_CHECK(fault, listedCount == ownedCount, "bodies: the lists have %d geometries, %d have a body",
             listedCount, ownedCount);
    return true;
}

// ---- geometries, shapes and proxies -----------------------------------------------------------------------

static bool CheckProxy(const cnWorld* world, int proxy, int geometry, cnFault* fault) {
    const cnProxyTable* proxies = &world->proxies;
    CN_CHECK(fault, cnBroadPhase_HasProxy(world->broadPhase, proxy) && proxy < proxies->capacity,
             "geometries: row %d has proxy %d, which the broad phase has not", geometry, proxy);
    int body = world->geometries.body[geometry], material = world->geometries.material[geometry];
    CN_CHECK(fault,
             proxies->geometry[proxy] == geometry && proxies->body[proxy] == body &&
                 proxies->material[proxy] == material,
             "proxies: row %d of geometry %d, body %d, material %d says %d, %d, %d", proxy, geometry, body,
             material, proxies->geometry[proxy], proxies->body[proxy], proxies->material[proxy]);
    int shape = proxies->shape[proxy];
    CN_CHECK(fault, cnIdPool_IsLive(&world->shapes.ids, shape),
             "proxies: row %d has shape %d, which is not live", proxy, shape);
    bool moves = cnDoesBodyMove(world, body);
    CN_CHECK(fault, cnBroadPhase_DoesProxyMove(world->broadPhase, proxy) == moves,
             "proxies: row %d of body %d, which %s, is among those that %s", proxy, body,
             moves ? "moves" : "does not move", moves ? "do not" : "do");
    return true;
}

// The shapes of a geometry, in the order in which they were given.
static bool CheckProxiesOf(const cnWorld* world, int geometry, int* listedCount, cnFault* fault) {
    int shapeCount = world->geometries.shapeCount[geometry], length = 0;
    for (int proxy = world->geometries.firstProxy[geometry]; proxy != -1;
         proxy = world->proxies.nextOfGeometry[proxy]) {
        if (!CheckProxy(world, proxy, geometry, fault)) {
            return false;
        }
        CN_CHECK(fault, world->proxies.shapeIndex[proxy] == length && length < shapeCount,
                 "proxies: row %d is shape %d of geometry %d, and stands at place %d of %d", proxy,
                 world->proxies.shapeIndex[proxy], geometry, length, shapeCount);
        length += 1;
    }
    CN_CHECK(fault, length == shapeCount, "geometries: row %d has %d shapes and %d proxies", geometry,
             shapeCount, length);
    *listedCount += length;
    return true;
}

static bool CheckGeometries(const cnWorld* world, cnFault* fault) {
    const cnGeometryTable* table = &world->geometries;
    int listedCount = 0, proxyCount = 0;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if (!cnIdPool_IsLive(&table->ids, row)) {
            continue;
        }
        CN_CHECK(fault, table->body[row] == -1 || cnIdPool_IsLive(&world->bodies.ids, table->body[row]),
                 "geometries: row %d has body %d, which is not live", row, table->body[row]);
        CN_CHECK(fault,
                 table->material[row] == CN_DEFAULT_MATERIAL_ROW ||
                     cnIdPool_IsLive(&world->materials.materials.ids, table->material[row]),
                 "geometries: row %d has material %d, which is not live", row, table->material[row]);
        CN_CHECK(fault, cnIsFiniteVec(table->position[row]) && IsUnit(table->rotation[row]),
                 "geometries: row %d has a position that is not finite or a rotation of length %.12g", row,
                 cnLengthQuat(table->rotation[row]));
        CN_CHECK(fault, table->groupCount[row] >= 0 && table->groupCount[row] <= CN_MAX_GROUPS,
                 "geometries: row %d is in %d groups", row, table->groupCount[row]);
        uint32_t sensor = table->flags[row] & (cn_geometrySensor | cn_geometryOverlapOnly);
        CN_CHECK(fault, sensor != cn_geometryOverlapOnly,
                 "geometries: row %d wants overlap only and is no sensor (flags %x)", row,
                 (unsigned)table->flags[row]);
        if (!CheckProxiesOf(world, row, &listedCount, fault)) {
            return false;
        }
    }
    for (int proxy = 0; proxy < world->proxies.capacity; ++proxy) {
        proxyCount += world->proxies.geometry[proxy] >= 0;
    }
    int broadCount = cnBroadPhase_GetProxyCount(world->broadPhase);
    CN_CHECK(fault, listedCount == proxyCount && listedCount == broadCount,
             "proxies: the geometries list %d, the table has %d, the broad phase has %d", listedCount,
             proxyCount, broadCount);
    return true;
}

// Poses are compared to the bit: they are the same sums of the same numbers.
static bool CheckPlaces(const cnWorld* world, cnFault* fault) {
    for (int proxy = 0; proxy < world->proxies.capacity; ++proxy) {
        CN_CHECK(fault, world->proxies.geometry[proxy] < 0 || cnIsProxyPlaced(world, proxy),
                 "proxies: row %d is not where body %d is", proxy, world->proxies.body[proxy]);
    }
    return true;
}

// To name the shape whose users are wrong, once it is known that there is one.
static int CountUsersOf(const cnWorld* world, int shape) {
    int users = world->shapes.released[shape] == 0;
    for (int proxy = 0; proxy < world->proxies.capacity; ++proxy) {
        users += world->proxies.geometry[proxy] >= 0 && world->proxies.shape[proxy] == shape;
    }
    return users;
}

// Users are compared by a sum over all shapes, each with a weight of its own, so that no counters have
// to be kept here.
static bool CheckShapes(const cnWorld* world, cnFault* fault) {
    const cnShapeTable* table = &world->shapes;
    uint64_t counted = 0, expected = 0;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        bool isLive = cnIdPool_IsLive(&table->ids, row);
        CN_CHECK(fault, (table->shapes[row] != NULL) == isLive, "shapes: row %d is %s and has %s shape", row,
                 isLive ? "live" : "free", table->shapes[row] != NULL ? "a" : "no");
        if (!isLive) {
            continue;
        }
        CN_CHECK(fault, (int)table->type[row] == (int)table->shapes[row]->type,
                 "shapes: row %d has type %u, its shape has %d", row, (unsigned)table->type[row],
                 (int)table->shapes[row]->type);
        uint64_t weight = cnMix64((uint64_t)row + 1);
        counted += weight * (uint64_t)(uint32_t)table->users[row];
        expected += table->released[row] == 0 ? weight : 0;
    }
    for (int proxy = 0; proxy < world->proxies.capacity; ++proxy) {
        if (world->proxies.geometry[proxy] >= 0) {
            expected += cnMix64((uint64_t)world->proxies.shape[proxy] + 1);
        }
    }
    for (int row = 0; counted != expected && row < table->ids.rowCount; ++row) {
        CN_CHECK(fault, !cnIdPool_IsLive(&table->ids, row) || table->users[row] == CountUsersOf(world, row),
                 "shapes: row %d counts %d users, it has %d", row, table->users[row],
                 CountUsersOf(world, row));
    }
    return true;
}

// To name the material whose users are wrong, once it is known that there is one.
static int CountGeometriesOf(const cnWorld* world, int material) {
    int users = 0;
    for (int row = 0; row < world->geometries.ids.rowCount; ++row) {
        users += cnIdPool_IsLive(&world->geometries.ids, row) && world->geometries.material[row] == material;
    }
    return users;
}

static bool CheckUsersOfMaterials(const cnWorld* world, cnFault* fault) {
    const cnMaterialTable* table = &world->materials.materials;
    const cnGeometryTable* geometries = &world->geometries;
    uint64_t counted = 0, expected = 0;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if (cnIdPool_IsLive(&table->ids, row)) {
            counted += cnMix64((uint64_t)row + 1) * (uint64_t)(uint32_t)table->users[row];
            CN_CHECK(fault, (table->flags[row] & cn_materialShared) == 0 || table->users[row] > 0,
                     "materials: row %d is shared by geometries, of which there is none", row);
        }
    }
    for (int row = 0; row < geometries->ids.rowCount; ++row) {
        if (cnIdPool_IsLive(&geometries->ids, row) && geometries->material[row] >= 0) {
            expected += cnMix64((uint64_t)geometries->material[row] + 1);
        }
    }
    for (int row = 0; counted != expected && row < table->ids.rowCount; ++row) {
        CN_CHECK(fault,
                 !cnIdPool_IsLive(&table->ids, row) || table->users[row] == CountGeometriesOf(world, row),
                 "materials: row %d counts %d geometries, it has %d", row, table->users[row],
                 CountGeometriesOf(world, row));
    }
    return true;
}

// ---- pairs and contacts -----------------------------------------------------------------------------------

// A pair of the table `name` is one of the broad phase, and of the rows that move its proxies.
static bool CheckPairSides(const cnWorld* world, const char* name, int row, cnPairSides sides, bool isAsleep,
                           cnFault* fault) {
    const cnBodyTable* bodies = &world->bodies;
    CN_CHECK(fault, world->pairsLag || cnBroadPhase_HasPair(world->broadPhase, sides.proxy1, sides.proxy2),
             "%s: row %d of proxies %d and %d is no pair of the broad phase", name, row, sides.proxy1,
             sides.proxy2);
    int body1 = world->proxies.body[sides.proxy1], body2 = world->proxies.body[sides.proxy2];
    CN_CHECK(fault,
             sides.body1 == cnBody_CarrierOf(bodies, body1) && sides.body2 == cnBody_CarrierOf(bodies, body2),
             "%s: row %d has bodies %d and %d, its proxies have %d and %d, or their carriers", name, row,
             sides.body1, sides.body2, body1, body2);
    CN_CHECK(fault, sides.body1 != sides.body2 || isAsleep,
             "%s: row %d is within merged body %d, and does not sleep", name, row,
             bodies->mergedBody[sides.body1]);
    return true;
}

// The broad phase may have pairs that were dropped since its last update, but no pair is without one of
// the broad phase's, unless memory ran out while pairs followed it.
static bool CheckPairs(const cnWorld* world, cnWorldPhase phase, cnFault* fault) {
    bool isKnown = phase == cn_phaseRestored;
    CN_CHECK(fault, isKnown || cnBroadPhase_Validate(world->broadPhase),
             "broad phase: proxies, trees, free numbers or pairs do not agree");
    if (isKnown ? !cnPairTable_ValidateRows(&world->pairs, &world->proxies, fault)
                : !cnPairTable_Validate(&world->pairs, &world->proxies, fault)) {
        return false;
    }
    int count = 0;
    for (int index = 0; index < world->pairs.pairs.count; ++index) {
        const cnPair* pair = cnPairTable_Get(&world->pairs, index);
        bool isAsleep = cnPairTable_IsAsleep(&world->pairs, index);
        if (!CheckPairSides(world, "pairs", index, cnPair_GetSides(pair), isAsleep, fault)) {
            return false;
        }
        uint32_t sensor = pair->flags & (cn_pairSensor | cn_pairOverlapOnly);
        uint32_t wanted = cnSensorFlagsOf(world, pair->geometry1, pair->geometry2);
        CN_CHECK(fault, (sensor & cn_pairSensor) == (wanted & cn_pairSensor),
                 "pairs: row %d has the flags %x, geometries %d and %d make it a sensor's by %x", index,
                 (unsigned)pair->flags, pair->geometry1, pair->geometry2, (unsigned)wanted);
        count += pair->part == 0;
    }
    for (int row = 0; row < world->pairs.distant.count; ++row) {
        const cnDistantPair* pair = cnPairTable_GetDistant(&world->pairs, row);
        bool isAsleep = cnPairHeads_IsAsleep(&world->pairs.distantHeads, row);
        if (!CheckPairSides(world, "distant pairs", row, cnDistantPair_GetSides(pair), isAsleep, fault)) {
            return false;
        }
        CN_CHECK(fault, cnSensorFlagsOf(world, pair->geometry1, pair->geometry2) == 0,
                 "distant pairs: row %d is a sensor's", row);
        count += 1;
    }
    int broadCount = cnBroadPhase_GetPairCount(world->broadPhase);
    bool agrees = count <= broadCount && (phase != cn_phaseCollided || count == broadCount);
    CN_CHECK(fault, world->pairsLag || agrees, "pairs: there are %d without children, the broad phase has %d",
             count, broadCount);
    return true;
}

static bool CheckContact(const cnWorld* world, int row, int firstPoint, cnFault* fault) {
    const cnContactTable* contacts = &world->contacts;
    int pairIndex = contacts->pair[row];
    CN_CHECK(fault, pairIndex >= -1 && pairIndex < world->pairs.pairs.count,
             "contacts: row %d has pair %d of %d", row, pairIndex, world->pairs.pairs.count);
    CN_CHECK(fault, contacts->state[row] >= cn_contactImpact && contacts->state[row] <= cn_contactSeparation,
             "contacts: row %d has state %u", row, (unsigned)contacts->state[row]);
    CN_CHECK(fault,
             contacts->firstPoint[row] == firstPoint && contacts->pointCount[row] >= 0 &&
                 contacts->pointCount[row] <= world->contactPoints.count - firstPoint,
             "contacts: row %d has %d points from %d on, expected from %d on, of %d", row,
             contacts->pointCount[row], contacts->firstPoint[row], firstPoint, world->contactPoints.count);
    for (int p = firstPoint; p < firstPoint + contacts->pointCount[row]; ++p) {
        CN_CHECK(fault, world->contactPoints.contact[p] == row,
                 "contact points: row %d of contact %d says %d", p, row, world->contactPoints.contact[p]);
    }
    if (pairIndex >= 0) {
        const cnPair* pair = cnPairTable_Get(&world->pairs, pairIndex);
        CN_CHECK(fault,
                 contacts->geometry1[row] == pair->geometry1 && contacts->geometry2[row] == pair->geometry2 &&
                     contacts->body1[row] == world->proxies.body[pair->proxy1] &&
                     contacts->body2[row] == world->proxies.body[pair->proxy2],
                 "contacts: row %d of geometries %d and %d has pair %d of geometries %d and %d", row,
                 contacts->geometry1[row], contacts->geometry2[row], pairIndex, pair->geometry1,
                 pair->geometry2);
    }
    return true;
}

static bool CheckContacts(const cnWorld* world, cnFault* fault) {
    const cnContactEventTable* events = &world->contactEvents;
    int pointCount = 0;
    if (world->contactStage != cn_contactsListed) {
        return true;
    }
    CN_CHECK(fault,
             world->contacts.count >= 0 && world->contacts.count <= world->contacts.capacity &&
                 world->contactPoints.count >= 0 &&
                 world->contactPoints.count <= world->contactPoints.capacity && events->count >= 0 &&
                 events->count <= events->capacity,
             "contacts: %d rows, %d points and %d events are more than there is room for",
             world->contacts.count, world->contactPoints.count, events->count);
    for (int row = 0; row < world->contacts.count; ++row) {
        if (!CheckContact(world, row, pointCount, fault)) {
            return false;
        }
        pointCount += world->contacts.pointCount[row];
    }
    CN_CHECK(fault, pointCount == world->contactPoints.count,
             "contact points: there are %d, the contacts have %d", world->contactPoints.count, pointCount);
    return true;
}

// Each event is of a contact, and says the same. While listeners are told of contacts, the events are those
// of the step before.
static bool CheckEvents(const cnWorld* world, cnFault* fault) {
    const cnContactEventTable* events = &world->contactEvents;
    if (world->listeners.notifying > 0 || world->contactStage != cn_contactsListed) {
        return true;
    }
    for (int event = 0; event < events->count; ++event) {
        int row = events->contact[event];
        if (row < 0 && events->pair[event] == -1) {
            continue; // removed since
        }
        CN_CHECK(fault, row >= 0 && row < world->contacts.count,
                 "contact events: row %d has contact %d of %d", event, row, world->contacts.count);
        CN_CHECK(fault, events->state[event] == world->contacts.state[row],
                 "contact events: row %d has state %u, its contact %d has %u", event,
                 (unsigned)events->state[event], row, (unsigned)world->contacts.state[row]);
    }
    return true;
}

// ---- materials, switches, listeners -----------------------------------------------------------------------

static bool CheckMaterials(const cnWorld* world, cnFault* fault) {
    const cnMaterialTables* tables = &world->materials;
    const cnContactMaterialTable* table = &tables->contactMaterials;
    for (int row = 0; row < tables->materials.ids.rowCount; ++row) {
        const char* name = tables->materials.name[row];
        CN_CHECK(fault, memchr(name, '\0', CN_MATERIAL_NAME_SIZE) != NULL,
                 "materials: the name of row %d has no end", row);
        CN_CHECK(fault,
                 name[0] == '\0' || (cnIdPool_IsLive(&tables->materials.ids, row) &&
                                     cnMaterialTables_FindName(tables, name) == row),
                 "materials: row %d has the name %s, which another row has, or is not live", row, name);
    }
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if (!cnIdPool_IsLive(&table->ids, row)) {
            continue;
        }
        for (int i = 0; i < 2; ++i) {
            int material = table->materials[row][i];
            CN_CHECK(fault,
                     material == CN_DEFAULT_MATERIAL_ROW || cnIdPool_IsLive(&tables->materials.ids, material),
                     "contact materials: row %d has material %d, which is not live", row, material);
        }
        uint32_t handle = table->frameHandle[row];
        int frame = table->frame[row];
        CN_CHECK(fault,
                 (handle == 0 && frame == -1) ||
                     (frame >= 0 && cnIdPool_Find(&world->bodies.ids, handle) == frame),
                 "contact materials: row %d is in the frame of body %d, handle 0x%08x", row, frame,
                 (unsigned)handle);
        int found = cnMaterialTables_FindPair(tables, table->materials[row][0], table->materials[row][1]);
        CN_CHECK(fault, found == row, "contact materials: the map has %d for row %d of materials %d and %d",
                 found, row, table->materials[row][0], table->materials[row][1]);
    }
    CN_CHECK(fault, tables->pairs.count == table->ids.liveCount,
             "contact materials: the map has %d pairs, %d rows are live", tables->pairs.count,
             table->ids.liveCount);
    return CheckUsersOfMaterials(world, fault);
}

static bool CheckOrder(const cnPairSwitches* switches, const char* name, cnFault* fault) {
    for (int i = 0; i < switches->keys.count; ++i) {
        uint64_t key = switches->keys.data[i];
        CN_CHECK(fault, key >> 32 <= (key & 0xffffffffu), "%s: key %d is not in order: %x, %x", name, i,
                 (unsigned)(key >> 32), (unsigned)key);
        CN_CHECK(fault, i == 0 || switches->keys.data[i - 1] < key, "%s: keys %d and %d are not in order",
                 name, i - 1, i);
    }
    return true;
}

static bool CheckSwitches(const cnWorld* world, cnFault* fault) {
    if (!CheckOrder(&world->groupPairs, "group pairs", fault) ||
        !CheckOrder(&world->geometryPairs, "geometry pairs", fault)) {
        return false;
    }
    for (int i = 0; i < world->geometryPairs.keys.count; ++i) {
        uint64_t key = world->geometryPairs.keys.data[i];
        CN_CHECK(fault,
                 cnIdPool_Find(&world->geometries.ids, (uint32_t)(key >> 32)) >= 0 &&
                     cnIdPool_Find(&world->geometries.ids, (uint32_t)key) >= 0,
                 "geometry pairs: key %d has the handles %08x and %08x, which are not both live", i,
                 (unsigned)(key >> 32), (unsigned)key);
    }
    int letters = world->groupNames.count;
    CN_CHECK(fault, letters == 0 || world->groupNames.data[letters - 1] == '\0',
             "group names: the last of %d letters is no end", letters);
    return true;
}

static bool CheckListeners(const cnWorld* world, cnFault* fault) {
    const cnListeners* listeners = &world->listeners;
    CN_CHECK(fault, listeners->notifying >= 0, "listeners: %d are being told", listeners->notifying);
    uint32_t lastId = 0;
    for (int i = 0; i < listeners->list.count; ++i) {
        const cnListener* listener = &listeners->list.data[i];
        CN_CHECK(fault, listener->id > lastId && listener->id <= listeners->lastId,
                 "listeners: row %d has number %u after %u, the last is %u", i, (unsigned)listener->id,
                 (unsigned)lastId, (unsigned)listeners->lastId);
        lastId = listener->id;
        int functions = (listener->onContact != NULL) + (listener->onStep != NULL) +
                        (listener->onBreak != NULL) + (listener->onGuard != NULL) +
                        (listener->onMerge != NULL) + (listener->onField != NULL);
        CN_CHECK(fault, functions == 1, "listeners: row %d has %d functions", i, functions);
        CN_CHECK(fault, listener->mask != 0 || listeners->notifying > 0,
                 "listeners: row %d is gone and was not closed up", i);
    }
    return true;
}

// ---- the whole --------------------------------------------------------------------------------------------

// What stays the same between the phases of a step.
static bool CheckHousekeeping(const cnWorld* world, cnFault* fault) {
    CN_CHECK(fault, cnWorld_IsPublished(world), "world: columns moved and the epoch says nothing");
    CN_CHECK(fault, world->stack.entryCount == 0, "world: the stack has %d entries, %s on top",
             world->stack.entryCount, world->stack.entries[world->stack.entryCount - 1].name);
    CN_CHECK(fault, world->broken.capacity >= world->constraints.ids.rowCount,
             "world: the list of broken constraints has room for %d of %d", world->broken.capacity,
             world->constraints.ids.rowCount);
    CN_CHECK(fault, world->guardEvents.count <= world->islands.count,
             "world: there are %d events of the energy guard and %d islands", world->guardEvents.count,
             world->islands.count);
    return true;
}

static bool CheckMergedBodies(const cnWorld* world, cnFault* fault) {
    const cnMergeEdgeTable* edges = &world->mergeEdges;
    if (!cnMergedBodyTable_Validate(&world->mergedBodies, edges, &world->bodies, fault)) {
        return false;
    }
    const cnIdPool *geometries = &world->geometries.ids, *constraints = &world->constraints.ids;
    for (int edge = 0; edge < edges->ids.rowCount; ++edge) {
        int geometry1 = edges->geometry1[edge], geometry2 = edges->geometry2[edge];
        int constraint = edges->constraint[edge];
        CN_CHECK(fault,
                 !cnIdPool_IsLive(&edges->ids, edge) ||
                     ((geometry1 < 0 || cnIdPool_IsLive(geometries, geometry1)) &&
                      (geometry2 < 0 || cnIdPool_IsLive(geometries, geometry2)) &&
                      (constraint < 0 || cnIdPool_IsLive(constraints, constraint))),
                 "mergeEdges: row %d names geometries %d and %d and constraint %d, not all of them live",
                 edge, geometry1, geometry2, constraint);
    }
    return true;
}

bool cnValidateWorld(const cnWorld* world, cnWorldPhase phase, cnFault* fault) {
    fault->message[0] = '\0';
    return CheckHousekeeping(world, fault) && CheckAllHandles(world, fault) &&
           CheckMergedBodies(world, fault) && CheckBodies(world, fault) && CheckGeometries(world, fault) &&
           CheckShapes(world, fault) && (phase == cn_phaseMoved || CheckPlaces(world, fault)) &&
           CheckPairs(world, phase, fault) && CheckContacts(world, fault) &&
           (phase == cn_phaseCollided || CheckEvents(world, fault)) &&
           cnConstraintTable_Validate(&world->constraints, &world->bodies, fault) &&
           CheckMaterials(world, fault) && CheckSwitches(world, fault) && CheckListeners(world, fault);
}

#if CN_GUARDS

void cnDemandValidWorld(const cnWorld* world, cnWorldPhase phase, const char* moment) {
    cnFault fault;
    if (!cnValidateWorld(world, phase, &fault)) {
        cnFault_End(&fault, moment);
    }
}

void cnDemandValidSolve(const cnSolve* solve, const char* moment) {
    cnFault fault;
    if (!cnSolve_Validate(solve, &fault)) {
        cnFault_End(&fault, moment);
    }
}

#endif
