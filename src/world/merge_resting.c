// Which bodies merge: those that have been at rest on what they touch, and are jointed to, for a while.
//
// A body is calm in a step where all its contacts and joints are slower than the thresholds; it merges after
// a tenth of a second of that. A body that is faster in every step than in the one before, however slow it
// is, is on its way: such steps do not count. A contact that slides or has no friction holds nothing, nor
// does that of a conveyor.
//
// Bodies at rest are sets, and sets that rest on what does not move become static. A kinematic body that
// moves takes the sets that rest on it; one that rests on two of these, or on one and on the ground, goes
// with the one that comes first.
#include "base/containers/disjoint_sets.h"
#include "dynamics/gravity.h"
#include "dynamics/motion.h"
#include "world/merge_links.h"
#include "world/sleep.h"

#include <math.h>

#define CN_CALM_TIME 0.1
// Part of the thresholds below which a speed that grows is noise.
#define CN_CALM_NOISE 0.01f
// Part of a body's weight from which on a contact bears it.
#define CN_BEARING_SHARE 0.1
// A body that is heavier by so much bears others whether it is at rest or not.
#define CN_STEADY_RATIO 10.0

enum {
    noUnit = -2,
    groundUnit = -1
};

typedef struct Edge {
    int unit1, unit2; // rows; groundUnit the second one
} Edge;

typedef struct RestingSearch {
    cnWorld* world;
    float* pairSpeeds; // by near pair, as part of the thresholds
    float* speeds;     // by row of bodies, the largest there; negative: touches nothing
    bool* isDrowsy;    // by row
    Edge* edges;
    int edgeCount;
    int* roots;       // of sets, by row
    int* parents;     // by root: the kinematic body that the set rides on, −1
    bool* isGrounded; // by root
    bool* isListed;   // by row: some edge has it
    bool* isBlocked;  // by root: led in two ways
    bool* isUneasy;   // by row: something bears it that is not at rest yet
} RestingSearch;

// ---- speeds -----------------------------------------------------------------------------------------------

// How a body came through the step, and how fast it is at its end.
//
// Neither would do alone. What rides on a kinematic body that is accelerated sways once in each step, since
// its velocity jumps from one to the next: at the ends of steps velocities differ, and ways do not. And what
// is pushed out of an overlap comes a way without a velocity. So the slower of both counts.
typedef struct Way {
    cnVec3 start, end; // m, of the centre of mass
    cnQuat back;       // the rotation from the end to the start
    cnVec3 turn;       // rad
    cnVec3 velocity, spin;
} Way;

static Way WayOf(const cnWorld* world, int body) {
    const cnBodyTable* bodies = &world->bodies;
    if (body < 0) {
        return (Way){.back = cnQuat_identity};
    }
    cnQuat back = cnMulQuat(bodies->previousRotation[body], cnConjugate(bodies->rotation[body]));
    double sign = back.w < 0.0 ? 2.0 : -2.0;
    return (Way){
        .start = bodies->contactCentre[body],
        .end = bodies->centreOfMass[body],
        .back = cnNormalizeQuat(back),
        .turn = cnVec(sign * back.x, sign * back.y, sign * back.z),
        .velocity = bodies->velocity[body],
        .spin = bodies->angularVelocity[body],
    };
}

// m, that a point fixed in a body came in the step; m/s, that it goes at.
static cnVec3 WayAt(const Way* way, cnVec3 point) {
    return cnSub(point, cnAdd(way->start, cnRotate(way->back, cnSub(point, way->end))));
}

static cnVec3 VelocityAt(const Way* way, cnVec3 point) {
    return cnAdd(way->velocity, cnCross(way->spin, cnSub(point, way->end)));
}

// As part of the thresholds.
static double SpeedAt(const cnWorld* world, cnVec3 velocity, cnVec3 normal) {
    double along = cnDot(velocity, normal), across = cnLength(cnMulAdd(velocity, -along, normal));
    return cnMax(fabs(along) / world->mergeSplit.normalSpeed, across / world->mergeSplit.tangentialSpeed);
}

static float SpeedOfPair(const cnWorld* world, const cnPair* pair) {
    Way way1 = WayOf(world, pair->body1), way2 = WayOf(world, pair->body2);
    cnVec3 normal = cnToD(pair->manifold.normal);
    double rate = 1.0 / world->timeStep, rolling = pair->inradius / world->mergeSplit.rollingSpeed;
    double come = cnLength(cnSub(way1.turn, way2.turn)) * rate * rolling;
    double going = cnLength(cnSub(way1.spin, way2.spin)) * rolling;
    for (int k = 0; k < pair->manifold.pointCount; ++k) {
        bool isFirst = pair->body1 >= 0;
        cnVec3 point = cnAdd(isFirst ? way1.end : way2.end, cnToD(isFirst ? pair->arm1[k] : pair->arm2[k]));
        cnVec3 way = cnSub(WayAt(&way1, point), WayAt(&way2, point));
        cnVec3 velocity = cnSub(VelocityAt(&way1, point), VelocityAt(&way2, point));
        come = cnMax(come, SpeedAt(world, cnScale(rate, way), normal));
        going = cnMax(going, SpeedAt(world, velocity, normal));
    }
    return (float)cnMin(come, going);
}

static float SpeedOfConstraint(const cnWorld* world, int row) {
    const cnBodyTable* bodies = &world->bodies;
    const cnConstraintTable* table = &world->constraints;
    int body1 = table->body1[row], body2 = table->body2[row];
    cnPose frame = {bodies->position[body1], bodies->rotation[body1]};
    cnVec3 point = cnTransformPoint(frame, table->constraints[row].attached1.point);
    Way way1 = WayOf(world, body1), way2 = WayOf(world, body2);
    double come = cnMax(cnLength(cnSub(WayAt(&way1, point), WayAt(&way2, point))),
                        cnLength(cnSub(way1.turn, way2.turn)));
    double going = cnMax(cnLength(cnSub(VelocityAt(&way1, point), VelocityAt(&way2, point))),
                         cnLength(cnSub(way1.spin, way2.spin)));
    return (float)(cnMin(come / world->timeStep, going) / world->mergeSplit.constraintSpeed);
}

static void NoteSpeed(RestingSearch* search, int body, float speed) {
    if (body >= 0 && search->speeds[body] < speed) {
        search->speeds[body] = speed;
    }
}

static void MeasureSpeeds(RestingSearch* search) {
    cnWorld* world = search->world;
    const cnPairTable* pairs = &world->pairs;
    for (int i = 0; i < pairs->near.count; ++i) {
        const cnPair* pair = cnPairTable_Get(pairs, pairs->near.data[i].pair);
        search->pairSpeeds[i] = -1.0f;
        if ((pair->flags & cn_pairTouching) != 0 && !cnPair_IsUnsolved(pair)) {
            search->pairSpeeds[i] = SpeedOfPair(world, pair);
            NoteSpeed(search, pair->body1, search->pairSpeeds[i]);
            NoteSpeed(search, pair->body2, search->pairSpeeds[i]);
        }
    }
    const cnConstraintTable* table = &world->constraints;
    uint32_t live = cn_constraintLive | cn_constraintEnabled;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if ((table->flags[row] & live) == live && table->body1[row] >= 0 &&
            !cnConstraint_IsInside(table, &world->bodies, row)) {
            float speed = SpeedOfConstraint(world, row);
            NoteSpeed(search, cnBody_CarrierOf(&world->bodies, table->body1[row]), speed);
            NoteSpeed(search, cnBody_CarrierOf(&world->bodies, table->body2[row]), speed);
        }
    }
}

static void CountCalmSteps(RestingSearch* search) {
    cnBodyTable* bodies = &search->world->bodies;
    const cnRowList rows = cnGetAwakeRows(search->world);
    for (int i = 0; i < rows.count; ++i) {
        int row = cnRowList_Get(&rows, i);
        float speed = search->speeds[row];
        if ((bodies->flags[row] & cn_bodyCarried) != 0) {
            continue; // a part's counts something else (merge_watching.c)
        }
        if (!cnBody_IsSimulated(bodies, row) || speed < 0.0f || speed >= 1.0f) {
            bodies->calmSteps[row] = 0;
        } else if (speed <= bodies->calmSpeed[row] || speed < CN_CALM_NOISE) {
            bodies->calmSteps[row] += bodies->calmSteps[row] < INT32_MAX;
        }
        bodies->calmSpeed[row] = speed;
    }
}

// ---- edges ------------------------------------------------------------------------------------------------

// What a body merges as: itself, the merged body of the engine's that it moves, or the ground.
static int UnitOf(const RestingSearch* search, int body) {
    const cnWorld* world = search->world;
    if (cnIsGround(world, body)) {
        bool leads = body >= 0 && cnAdaptiveOf(world, body) >= 0; // a kinematic one that has come to a stop
        return leads ? body : groundUnit;
    }
    uint32_t flags = world->bodies.flags[body];
    bool isOthers = world->bodies.mergedBody[body] >= 0 && cnAdaptiveOf(world, body) < 0;
    bool isOut = (flags & (cn_bodyUnmergeable | cn_bodyAsleep)) != 0 || (flags & cn_bodyEnabled) == 0;
    bool isLighter = world->bodies.gravityScale[body] != 1.0; // margins are about one gravity for all parts
    return isOut || isLighter || isOthers || search->isDrowsy[body] ? noUnit : body;
}

static bool IsCalm(const RestingSearch* search, int unit) {
    const cnWorld* world = search->world;
    return unit >= 0 && cnBody_IsSimulated(&world->bodies, unit) &&
           world->bodies.calmSteps[unit] * world->timeStep >= CN_CALM_TIME;
}

static void AddEdge(RestingSearch* search, int body1, int body2) {
    int unit1 = UnitOf(search, body1), unit2 = UnitOf(search, body2);
    if (unit1 == noUnit || unit2 == noUnit || (!IsCalm(search, unit1) && !IsCalm(search, unit2)) ||
        (unit1 >= 0 && search->isUneasy[unit1]) || (unit2 >= 0 && search->isUneasy[unit2])) {
        return;
    }
    search->edges[search->edgeCount++] = unit1 == groundUnit ? (Edge){unit2, unit1} : (Edge){unit1, unit2};
}

// Bears what is lighter by far, or is at rest itself.
static bool IsSteady(const RestingSearch* search, int body, int borne) {
    const cnWorld* world = search->world;
    return body < 0 || !cnBody_IsSimulated(&world->bodies, body) || IsCalm(search, body) ||
           cnAdaptiveOf(world, body) >= 0 ||
           world->bodies.mass[body] > CN_STEADY_RATIO * world->bodies.mass[borne];
}

// A contact that bears a part worth mentioning of what a body weighs, or needs to be accelerated as it is.
static bool Bears(const cnWorld* world, const cnPair* pair, int body) {
    const cnBodyTable* bodies = &world->bodies;
    if (body < 0 || !cnBody_IsSimulated(bodies, body)) {
        return false;
    }
    cnVec3 gravity = cnGravityOn(&world->gravity, bodies, body);
    cnVec3 s = cnSub(bodies->acceleration[body], gravity);
    cnVec3 force = cnMulAdd(cnToD(pair->frictionForce), cnSumNormalForce(pair), cnToD(pair->manifold.normal));
    double lift = cnDot(body == pair->body1 ? force : cnNeg(force), s);
    return lift > CN_BEARING_SHARE * bodies->mass[body] * cnLengthSquared(s);
}

static void FindUneasy(RestingSearch* search) {
    const cnWorld* world = search->world;
    const cnPairTable* pairs = &world->pairs;
    for (int row = 0; row < world->bodies.ids.rowCount; ++row) {
        search->isUneasy[row] = false;
    }
    for (int i = 0; i < pairs->near.count; ++i) {
        const cnPair* pair = cnPairTable_Get(pairs, pairs->near.data[i].pair);
        const int bodies[2] = {pair->body1, pair->body2};
        for (int side = 0; side < 2 && search->pairSpeeds[i] >= 0.0f; ++side) {
            if (Bears(world, pair, bodies[side]) && !IsSteady(search, bodies[1 - side], bodies[side])) {
                search->isUneasy[bodies[side]] = true;
            }
        }
    }
}

static void FindEdges(RestingSearch* search) {
    const cnWorld* world = search->world;
    const cnPairTable* pairs = &world->pairs;
    for (int i = 0; i < pairs->near.count; ++i) {
        const cnPair* pair = cnPairTable_Get(pairs, pairs->near.data[i].pair);
        if (search->pairSpeeds[i] >= 0.0f && search->pairSpeeds[i] < 1.0f && cnMayPairHold(world, pair) &&
            cnFrictionOfPair(world, pair) > 0.0 &&
            (Bears(world, pair, pair->body1) || Bears(world, pair, pair->body2))) {
            AddEdge(search, pair->body1, pair->body2);
        }
    }
    const cnConstraintTable* table = &world->constraints;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if (cnMayConstraintHold(world, row) && !cnConstraint_IsDriven(&table->constraints[row]) &&
            !cnConstraint_IsInside(table, &world->bodies, row) && SpeedOfConstraint(world, row) < 1.0f) {
            AddEdge(search, cnBody_CarrierOf(&world->bodies, table->body1[row]),
                    cnBody_CarrierOf(&world->bodies, table->body2[row]));
        }
    }
}

// ---- sets -------------------------------------------------------------------------------------------------

static bool IsKinematic(const cnWorld* world, int unit) {
    return unit >= 0 && (world->bodies.flags[unit] & cn_bodyKinematic) != 0;
}

static bool IsGroundedUnit(const cnWorld* world, int unit) {
    int merged = cnAdaptiveOf(world, unit);
    return merged >= 0 && (world->mergedBodies.flags[merged] & cn_mergedGrounded) != 0;
}

// The set of a kinematic body rides on it, unless it rests on something else that leads.
static void Ride(RestingSearch* search, int rider, int kinematic) {
    int root = cnFindRoot(search->roots, rider);
    if (!search->isGrounded[root] && search->parents[root] < 0) {
        search->parents[root] = kinematic;
        search->isListed[rider] = search->isListed[kinematic] = true;
    }
}

// What a body would move as, or does: groundUnit, the row of a kinematic body that moves, or noUnit where it
// is free.
static int LeaderOf(const RestingSearch* search, int body) {
    const cnWorld* world = search->world;
    if (body < 0 || (world->bodies.flags[body] & cn_bodyDynamic) == 0) {
        return IsKinematic(world, body) && !cnIsGround(world, body) ? body : groundUnit;
    }
    int root = search->isListed[body] ? cnFindRoot(search->roots, body) : -1;
    if (root < 0 || search->isBlocked[root]) {
        return noUnit;
    }
    return search->isGrounded[root]     ? groundUnit
           : search->parents[root] >= 0 ? search->parents[root]
                                        : noUnit;
}

static void BlockSet(RestingSearch* search, int body) {
    if (body >= 0 && search->isListed[body] && (search->world->bodies.flags[body] & cn_bodyDynamic) != 0) {
        search->isBlocked[cnFindRoot(search->roots, body)] = true;
    }
}

static void CheckConflict(RestingSearch* search, int body1, int body2) {
    int leader1 = LeaderOf(search, body1), leader2 = LeaderOf(search, body2);
    if (leader1 != leader2 && leader1 != noUnit && leader2 != noUnit) {
        BlockSet(search, body1);
        BlockSet(search, body2);
    }
}

// No solver moves what is led. So what touches, or is jointed to, something that is led otherwise stays free.
static void BlockConflicts(RestingSearch* search) {
    const cnWorld* world = search->world;
    const cnPairTable* pairs = &world->pairs;
    const cnConstraintTable* table = &world->constraints;
    int rows = world->bodies.ids.rowCount;
    for (int row = 0; row < rows; ++row) {
        search->isBlocked[row] = false;
    }
    for (int i = 0; i < pairs->near.count; ++i) {
        if (search->pairSpeeds[i] >= 0.0f) {
            CheckConflict(search, pairs->near.data[i].body1, pairs->near.data[i].body2);
        }
    }
    uint32_t live = cn_constraintLive | cn_constraintEnabled;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if ((table->flags[row] & live) == live && table->body1[row] >= 0) {
            CheckConflict(search, cnBody_CarrierOf(&world->bodies, table->body1[row]),
                          cnBody_CarrierOf(&world->bodies, table->body2[row]));
        }
    }
    for (int row = 0; row < rows; ++row) {
        int root = search->isListed[row] ? cnFindRoot(search->roots, row) : -1;
        if (root >= 0 && search->isBlocked[root] && !IsKinematic(world, row)) {
            search->isListed[row] = false;
        }
    }
}

static void UniteSets(RestingSearch* search) {
    const cnWorld* world = search->world;
    int rows = world->bodies.ids.rowCount;
    cnMakeSets(search->roots, rows);
    for (int row = 0; row < rows; ++row) {
        search->isGrounded[row] = search->isListed[row] = false;
        search->parents[row] = -1;
    }
    for (int i = 0; i < search->edgeCount; ++i) {
        Edge edge = search->edges[i];
        if (edge.unit2 >= 0 && !IsKinematic(world, edge.unit1) && !IsKinematic(world, edge.unit2)) {
            cnUniteSets(search->roots, edge.unit1, edge.unit2);
            search->isListed[edge.unit1] = search->isListed[edge.unit2] = true;
        }
    }
    for (int i = 0; i < search->edgeCount; ++i) {
        Edge edge = search->edges[i];
        bool isOnGround = edge.unit2 == groundUnit && !IsKinematic(world, edge.unit1);
        const int units[2] = {edge.unit1, edge.unit2};
        for (int side = 0; side < 2; ++side) {
            if ((side == 0 && isOnGround) || IsGroundedUnit(world, units[side])) {
                search->isGrounded[cnFindRoot(search->roots, units[side])] = true;
                search->isListed[units[side]] = true;
            }
        }
    }
    for (int i = 0; i < search->edgeCount; ++i) {
        Edge edge = search->edges[i];
        if (edge.unit2 >= 0 && IsKinematic(world, edge.unit1) != IsKinematic(world, edge.unit2)) {
            bool isFirst = IsKinematic(world, edge.unit1);
            Ride(search, isFirst ? edge.unit2 : edge.unit1, isFirst ? edge.unit1 : edge.unit2);
        }
    }
    BlockConflicts(search);
    for (int row = 0; row < rows; ++row) {
        int parent = search->isListed[row] ? search->parents[cnFindRoot(search->roots, row)] : -1;
        if (parent >= 0 && !IsKinematic(world, row)) {
            cnUniteSets(search->roots, row, parent);
        }
    }
}

// ---- merging ----------------------------------------------------------------------------------------------

// Where the set of a root goes: the one merged body of all that rests on the ground; or the first of the
// engine's among its units, at best one that a kinematic body leads; or a new one.
typedef struct Place {
    int merged; // row, −1: none yet
    int unitCount;
    bool isGrounded;
    bool isThere; // some unit is that merged body
} Place;

static int FindGrounded(const cnWorld* world) {
    const cnMergedBodyTable* table = &world->mergedBodies;
    uint32_t wanted = cn_mergedLive | cn_mergedAdaptive | cn_mergedGrounded;
    for (int merged = 0; merged < table->ids.rowCount; ++merged) {
        if ((table->flags[merged] & wanted) == wanted) {
            return merged;
        }
    }
    return -1;
}

static void CountUnits(const RestingSearch* search, Place* places) {
    cnWorld* world = search->world;
    int rows = world->bodies.ids.rowCount, grounded = FindGrounded(world);
    for (int row = 0; row < rows; ++row) {
        bool isGrounded = search->isGrounded[row];
        places[row] = (Place){.merged = isGrounded ? grounded : -1, .isGrounded = isGrounded};
    }
    for (int row = 0; row < rows; ++row) {
        if (search->isListed[row]) {
            Place* place = &places[cnFindRoot(search->roots, row)];
            int merged = cnAdaptiveOf(world, row);
            bool isBetter = place->merged < 0 || (cnFirmCarrierOf(world, merged) >= 0 && !place->isGrounded);
            place->merged = isBetter && merged >= 0 ? merged : place->merged;
            place->unitCount += 1;
        }
    }
    for (int row = 0; row < rows; ++row) {
        if (search->isListed[row]) {
            Place* place = &places[cnFindRoot(search->roots, row)];
            place->isThere |= place->merged >= 0 && cnAdaptiveOf(world, row) == place->merged;
        }
    }
}

static bool Merges(const Place* place) {
    return place->unitCount >= 2 || (place->isGrounded && !place->isThere);
}

static int AddAdaptive(cnWorld* world) {
    if (!cnReserveMergedBodies(world, 1)) {
        return -1;
    }
    int row = cnAddMergedBody(world, true);
    world->mergedBodies.flags[row] |= cn_mergedAdaptive;
    world->adaptiveCount += 1;
    return row;
}

// The bodies of a unit, which is a merged body or a single one, become parts.
static void MoveUnit(cnWorld* world, int unit, int own, int merged) {
    if (own == merged) {
        return;
    }
    bool isFirm = cnFirmCarrierOf(world, merged) >= 0;
    if (own < 0) {
        world->mergeCount += 1;
        cnAddPart(world, merged, unit, true);
        if (isFirm) {
            cnTakePart(world, unit);
        }
        return;
    }
    for (int part = world->mergedBodies.firstPart[own]; part >= 0;) {
        int next = world->bodies.nextPart[part];
        cnMergedBody_UnlinkPart(&world->mergedBodies, &world->bodies, part);
        MoveUnit(world, part, -1, merged);
        part = next;
    }
    cnRemoveMergedBody(world, own);
    world->adaptiveCount -= 1;
}

// Units of sets that merge, by row: the merged body that each is now, or noUnit for a single body. Carriers
// of those that change go, and their rows with them, before others are made. False where no set merges.
static bool TakeUnitsApart(RestingSearch* search, const Place* places, int* owners) {
    cnWorld* world = search->world;
    int rows = world->bodies.ids.rowCount;
    bool isAny = false, isAnyApart = false;
    for (int row = 0; row < rows; ++row) {
        search->isListed[row] = search->isListed[row] && Merges(&places[cnFindRoot(search->roots, row)]);
        owners[row] = search->isListed[row] ? cnAdaptiveOf(world, row) : noUnit;
        isAny = isAny || search->isListed[row];
    }
    for (int row = 0; row < rows && isAny; ++row) {
        bool stays = owners[row] >= 0 && cnFirmCarrierOf(world, owners[row]) >= 0 &&
                     places[cnFindRoot(search->roots, row)].merged == owners[row];
        if (owners[row] >= 0 && !stays) {
            isAnyApart = cnTakeApart(world, owners[row]) || isAnyApart;
            world->mergedBodies.flags[owners[row]] |= cn_mergedDue; // even where memory runs out
        }
    }
    if (isAnyApart) {
        cnRedirectToCarriers(world);
    }
    return isAny;
}

static bool MergeSets(RestingSearch* search, Place* places, int* owners) {
    cnWorld* world = search->world;
    int rows = world->bodies.ids.rowCount, grounded = -1;
    bool isAnyDue = false;
    if (!TakeUnitsApart(search, places, owners)) {
        return true;
    }
    for (int row = 0; row < rows; ++row) {
        if (!search->isListed[row]) {
            continue;
        }
        Place* place = &places[cnFindRoot(search->roots, row)];
        place->merged = place->merged < 0 && place->isGrounded ? grounded : place->merged;
        place->merged = place->merged < 0 ? AddAdaptive(world) : place->merged;
        grounded = place->isGrounded ? place->merged : grounded;
        if (place->merged < 0) {
            return false;
        }
        MoveUnit(world, row, owners[row], place->merged);
        uint32_t* flags = &world->mergedBodies.flags[place->merged];
        bool isDue = (*flags & cn_mergedJoined) == 0; // else its carrier has taken what is new
        *flags |= cn_mergedFresh | (place->isGrounded ? (uint32_t)cn_mergedGrounded : 0u) |
                  (isDue ? (uint32_t)cn_mergedDue : 0u);
        isAnyDue = isAnyDue || isDue;
    }
    world->awakeRowsAreOld = true;
    bool ok = cnMeasureMargins(world);
    if (!isAnyDue) {
        cnRedirectToCarriers(world);
    }
    return cnJoinDueMergedBodies(world) && ok;
}

bool cnMergeResting(cnWorld* world) {
    if (!world->mergeSplit.enabled) {
        return true;
    }
    int rows = world->bodies.ids.rowCount, near = world->pairs.near.count;
    int mostEdges = near + world->constraints.ids.rowCount + 1, entries = world->stack.entryCount;
    RestingSearch search = {
        .world = world,
        .pairSpeeds = CN_PUSH(&world->stack, float, near + 1, "speeds of contacts"),
        .speeds = CN_PUSH(&world->stack, float, rows + 1, "speeds of bodies on others"),
        .isDrowsy = CN_PUSH(&world->stack, bool, rows + 1, "bodies that fall asleep"),
        .edges = CN_PUSH(&world->stack, Edge, mostEdges, "what rests on what"),
        .roots = CN_PUSH(&world->stack, int, rows + 1, "sets of bodies at rest"),
        .parents = CN_PUSH(&world->stack, int, rows + 1, "what they ride on"),
        .isGrounded = CN_PUSH(&world->stack, bool, rows + 1, "sets on the ground"),
        .isListed = CN_PUSH(&world->stack, bool, rows + 1, "bodies in sets"),
        .isBlocked = CN_PUSH(&world->stack, bool, rows + 1, "sets that stay free"),
        .isUneasy = CN_PUSH(&world->stack, bool, rows + 1, "bodies on others that move"),
    };
    Place* places = CN_PUSH(&world->stack, Place, rows + 1, "merged bodies of sets");
    int* owners = CN_PUSH(&world->stack, int, rows + 1, "merged bodies of units");
    bool ok = search.pairSpeeds != NULL && search.speeds != NULL && search.isDrowsy != NULL &&
              search.edges != NULL && search.roots != NULL && search.parents != NULL &&
              search.isGrounded != NULL && search.isListed != NULL && search.isUneasy != NULL &&
              search.isBlocked != NULL && places != NULL && owners != NULL;
    if (ok) {
        for (int row = 0; row < rows; ++row) {
            search.speeds[row] = -1.0f;
            search.isDrowsy[row] = false;
        }
        for (int i = 0; i < world->drowsy.count; ++i) {
            search.isDrowsy[world->drowsy.data[i]] = true;
        }
        MeasureSpeeds(&search);
        CountCalmSteps(&search);
        FindUneasy(&search);
        FindEdges(&search);
    }
    if (ok && search.edgeCount > 0) {
        UniteSets(&search);
        CountUnits(&search, places);
        ok = MergeSets(&search, places, owners);
    }
    cnStack_PopTo(&world->stack, entries);
    return ok;
}
