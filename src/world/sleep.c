#include "world/sleep.h"

#include "world/adaptive_merging.h"
#include "world/contact_list.h"

#include <math.h>
#include <string.h>

#define CN_REST_CHUNK 256
// What the mean velocity of a half of the time to rest may be, of the linear threshold; by how many times it
// may be larger than in the half before; and below which part of its limit that is noise. What leaves a
// balance, however slowly, goes farther and farther, and what settles does not.
#define CN_SLEEP_CREEP 0.1
#define CN_MOST_GROWTH 1.5
#define CN_CREEP_NOISE 0.3
// What rests settles yet, since the slow multipliers of its contacts need half a second (contact_pairs.h):
// what sleeps then is a hundredth of a millimetre from where it would be had it stayed awake. So an island
// waits until what moves in a step, by overlap and without a velocity, is slower than this, m/s, for up to
// so many seconds: friction with a surface viscosity creeps for good. Nor does it wait for what rolls or
// rocks.
#define CN_SETTLED_SPEED 5e-7
#define CN_SETTLING_SPEED 1e-4
#define CN_SETTLING_TIME 2.0

static bool IsAsleep(const cnWorld* world, int row) {
    return row >= 0 && (world->bodies.flags[row] & cn_bodyAsleep) != 0;
}

static bool IsStill(const cnBodyTable* bodies, int row) {
    return cnIsZeroVec(bodies->halfStepVelocity[row]) && cnIsZeroVec(bodies->halfStepAngularVelocity[row]);
}

static bool IsMovingKinematic(const cnBodyTable* bodies, int row) {
    return row >= 0 && (bodies->flags[row] & cn_bodyKinematic) != 0 &&
           ((bodies->flags[row] & cn_bodyMoving) != 0 || !IsStill(bodies, row));
}

// Whether it can change the pairs that it is in.
static bool IsActive(const cnBodyTable* bodies, int row) {
    return row >= 0 && ((cnBody_IsSimulated(bodies, row) && (bodies->flags[row] & cn_bodyAsleep) == 0) ||
                        IsMovingKinematic(bodies, row));
}

// Whether there is anyone who must be told when something changes.
static bool MayRest(const cnWorld* world) {
    return world->asleepCount > 0 || world->adaptiveCount > 0;
}

// Nothing between two parts of a merged body changes.
bool cnArePairBodiesActive(const cnWorld* world, int body1, int body2) {
    return body1 != body2 && (IsActive(&world->bodies, body1) || IsActive(&world->bodies, body2));
}

cnRowList cnGetAwakeRows(cnWorld* world) {
    const cnBodyTable* bodies = &world->bodies;
    // without memory for the list it is all rows, which takes longer
    if (world->asleepCount == 0 || !cnArray_Reserve(&world->awakeRows, bodies->ids.rowCount)) {
        return (cnRowList){NULL, bodies->ids.rowCount};
    }
    if (world->awakeRowsAreOld) {
        world->awakeRows.count = 0;
        for (int row = 0; row < bodies->ids.rowCount; ++row) {
            if (!IsAsleep(world, row)) {
                world->awakeRows.data[world->awakeRows.count++] = row;
            }
        }
        world->awakeRowsAreOld = false;
    }
    return (cnRowList){world->awakeRows.data, world->awakeRows.count};
}

// ---- waking up --------------------------------------------------------------------------------------------

static void StopBody(cnBodyTable* bodies, int row) {
    bodies->halfStepVelocity[row] = bodies->velocity[row] = cnVec3_zero;
    bodies->halfStepAngularMomentum[row] = bodies->angularMomentum[row] = cnVec3_zero;
    bodies->halfStepAngularVelocity[row] = bodies->angularVelocity[row] = cnVec3_zero;
    bodies->previousVelocity[row] = bodies->previousAngularVelocity[row] = cnVec3_zero;
    bodies->acceleration[row] = bodies->angularAcceleration[row] = cnVec3_zero;
    bodies->owedImpulse[row] = bodies->owedMoment[row] = cnVec3_zero;
    bodies->pathSpin[row] = bodies->spinRate[row] = bodies->filteredSpin[row] = cnVec3_zero;
    bodies->previousPosition[row] = bodies->position[row];
    bodies->previousRotation[row] = bodies->rotation[row];
}

static void SetAsleep(cnWorld* world, int row, bool isAsleep) {
    cnBodyTable* bodies = &world->bodies;
    bodies->flags[row] &= ~(uint32_t)cn_bodyAsleep;
    world->asleepCount += isAsleep ? 1 : -1;
    if (isAsleep) {
        StopBody(bodies, row);
        bodies->flags[row] |= cn_bodyAsleep;
    }
}

// And the parts that it carries.
static void SetAllAsleep(cnWorld* world, int row, bool isAsleep) {
    const cnBodyTable* bodies = &world->bodies;
    SetAsleep(world, row, isAsleep);
    if ((bodies->flags[row] & cn_bodyCarrier) == 0) {
        return;
    }
    int part = world->mergedBodies.firstPart[bodies->mergedBody[row]];
    for (; part >= 0; part = bodies->nextPart[part]) {
        if ((bodies->flags[part] & cn_bodyCarried) != 0) {
            SetAsleep(world, part, isAsleep);
        }
    }
}

void cnWakeBody(cnWorld* world, int bodyRow) {
    cnBodyTable* bodies = &world->bodies;
    int row = cnBody_CarrierOf(bodies, bodyRow);
    while (IsAsleep(world, row)) {
        int next = bodies->nextAsleep[row];
        SetAllAsleep(world, row, false);
        bodies->nextAsleep[row] = -1;
        bodies->restTime[row] = 0.0;
        world->awakeRowsAreOld = world->isRousing = true;
        row = next;
    }
}

void cnWakeAll(cnWorld* world) {
    cnDisturbAll(world);
    for (int row = 0; world->asleepCount > 0 && row < world->bodies.ids.rowCount; ++row) {
        cnWakeBody(world, row);
    }
}

void cnWakePair(cnWorld* world, const cnPair* pair) {
    if (MayRest(world) && pair->manifold.pointCount > 0 && !cnPair_IsUnsolved(pair)) {
        cnDisturbBody(world, world->proxies.body[pair->proxy1]);
        cnDisturbBody(world, world->proxies.body[pair->proxy2]);
        cnWakeBody(world, pair->body1);
        cnWakeBody(world, pair->body2);
    }
}

void cnWakeGeometry(cnWorld* world, int geometryRow) {
    cnPairTable* pairs = &world->pairs;
    for (int i = 0; pairs->heads.asleepCount > 0 && i < pairs->pairs.count; ++i) {
        const cnPair* pair = cnPairTable_Get(pairs, i);
        if (cnPairTable_IsAsleep(pairs, i) &&
            (pair->geometry1 == geometryRow || pair->geometry2 == geometryRow)) {
            cnKeepContacts(world); // before rows change places
            cnWakePair(world, pair);
            if (pair->body1 != pair->body2) {
                cnPairTable_Rouse(pairs, i); // without points it may get some
            }
        }
    }
    cnPairHeads* heads = &pairs->distantHeads;
    for (int row = 0; heads->asleepCount > 0 && row < pairs->distant.count; ++row) {
        const cnDistantPair* pair = cnPairTable_GetDistant(pairs, row);
        if (cnPairHeads_IsAsleep(heads, row) && pair->body1 != pair->body2 &&
            (pair->geometry1 == geometryRow || pair->geometry2 == geometryRow)) {
            cnPairHeads_SetApartUntil(heads, row, 0.0);
        }
    }
    cnDisturbBody(world, world->geometries.body[geometryRow]);
    cnWakeBody(world, world->geometries.body[geometryRow]);
}

void cnWakeConstraint(cnWorld* world, int constraintRow) {
    const cnConstraint* joint = &world->constraints.constraints[constraintRow];
    if (!MayRest(world)) {
        return;
    }
    cnDisturbConstraint(world, constraintRow);
    cnWakeBody(world, joint->body1);
    cnWakeBody(world, joint->body2);
    if (joint->partner1 >= 0) {
        cnWakeConstraint(world, joint->partner1);
        cnWakeConstraint(world, joint->partner2);
    }
}

static void WakeNeighbours(cnWorld* world, int bodyRow) {
    int owner = cnBody_CarrierOf(&world->bodies, bodyRow);
    for (int c = world->bodies.firstConstraint[owner]; c >= 0;
         c = cnConstraint_NextOf(&world->constraints, c, owner)) {
        cnWakeConstraint(world, c);
    }
    for (int g = world->bodies.firstGeometry[bodyRow]; g >= 0; g = world->geometries.nextOfBody[g]) {
        cnWakeGeometry(world, g);
    }
}

void cnWakeAround(cnWorld* world, int bodyRow) {
    if (!MayRest(world)) {
        return;
    }
    cnDisturbBody(world, bodyRow);
    int row = cnBody_CarrierOf(&world->bodies, bodyRow);
    if (IsAsleep(world, row)) {
        cnWakeBody(world, row);
    } else if (!IsActive(&world->bodies, row)) { // who is near one that is active is awake
        WakeNeighbours(world, bodyRow);
    }
}

void cnWakeOnMove(cnWorld* world, int bodyRow) {
    int row = cnBody_CarrierOf(&world->bodies, bodyRow);
    bool begins = MayRest(world) && !IsActive(&world->bodies, row);
    if (begins || (world->bodies.flags[bodyRow] & cn_bodyKinematic) == 0) {
        cnWakeAround(world, bodyRow); // one that moves already may lead others (cnWatchKinematicParents)
    }
    world->isRousing = world->isRousing || begins; // pairs of one that moves already are awake
}

// ---- in a step --------------------------------------------------------------------------------------------

void cnRousePairs(cnWorld* world) {
    cnPairTable* pairs = &world->pairs;
    bool hasEvents = world->contactEvents.count > 0;
    for (int i = 0; world->isRousing && i < pairs->pairs.count; ++i) {
        const cnPair* pair = cnPairTable_Get(pairs, i);
        if (cnPairTable_IsAsleep(pairs, i) && cnArePairBodiesActive(world, pair->body1, pair->body2)) {
            cnPairTable_Rouse(pairs, i);
            world->eventsMoved = world->eventsMoved || hasEvents; // more rows come before those of its own
        }
    }
    cnPairHeads* heads = &pairs->distantHeads;
    for (int row = 0; world->isRousing && heads->asleepCount > 0 && row < pairs->distant.count; ++row) {
        const cnDistantPair* pair = cnPairTable_GetDistant(pairs, row);
        if (cnPairHeads_IsAsleep(heads, row) && cnArePairBodiesActive(world, pair->body1, pair->body2)) {
            cnPairHeads_SetApartUntil(heads, row, 0.0);
        }
    }
    world->isRousing = false;
}

static bool HoldsSleeper(const cnWorld* world, int constraintRow) {
    const cnConstraint* joint = &world->constraints.constraints[constraintRow];
    uint32_t acts = cn_constraintLive | cn_constraintEnabled;
    return (world->constraints.flags[constraintRow] & acts) == acts &&
           (IsAsleep(world, cnBody_CarrierOf(&world->bodies, joint->body1)) ||
            IsAsleep(world, cnBody_CarrierOf(&world->bodies, joint->body2)));
}

// What is joined sleeps together, but for sleepers that hang on parts of a merged body that is held still:
// these may come apart.
static void WakeJoined(cnWorld* world) {
    const cnBodyTable* bodies = &world->bodies;
    bool isAnyone = world->asleepCount > 0 && world->constraints.ids.liveCount > 0;
    cnRowList awake = isAnyone ? cnGetAwakeRows(world) : (cnRowList){NULL, 0};
    for (int i = 0; i < awake.count; ++i) {
        int row = cnRowList_Get(&awake, i);
        for (int c = IsActive(bodies, row) ? bodies->firstConstraint[row] : -1; c >= 0;
             c = cnConstraint_NextOf(&world->constraints, c, row)) {
            if (HoldsSleeper(world, c)) {
                cnWakeConstraint(world, c);
            }
        }
    }
}

void cnWakeTouched(cnWorld* world) {
    WakeJoined(world);
    cnPairTable* pairs = &world->pairs;
    bool isAnyone = world->asleepCount > 0;
    while (isAnyone) {
        int before = world->asleepCount;
        for (int i = 0; i < pairs->near.count; ++i) {
            const cnNearPair* pair = &pairs->near.data[i];
            if (pair->pointCount > 0 && !pair->isUnsolved) {
                cnWakeBody(world, pair->body1);
                cnWakeBody(world, pair->body2);
            }
        }
        isAnyone = world->asleepCount < before;
        cnRousePairs(world);
        cnPairTable_ListNear(pairs, world->threads);
    }
}

// Time at rest of each body that the solver has.
typedef struct RestSearch {
    cnWorld* world;
    const cnSolve* solve;
} RestSearch;

// Whether it stood nearly still for half of the time to rest, which has passed. What comes to that is not
// velocities alone: overlaps push without any.
static bool HasStood(const cnSleepSettings* sleep, cnVec3 creep) {
    double most = CN_SLEEP_CREEP * sleep->linear * 0.5 * sleep->time;
    return cnLengthSquared(creep) <= most * most;
}

// Whether it comes farther than in the half before, in the same direction.
static bool IsLeaving(const cnSleepSettings* sleep, cnVec3 creep, cnVec3 before) {
    double noise = CN_CREEP_NOISE * CN_SLEEP_CREEP * sleep->linear * 0.5 * sleep->time;
    return cnDot(creep, before) > CN_MOST_GROWTH * cnLengthSquared(before) &&
           cnLengthSquared(creep) > noise * noise;
}

// One more step at rest. At the end of each half of the time, what has come too far begins anew, and what
// leaves begins the second half anew.
static void AddRest(cnBodyTable* bodies, int row, const cnSleepSettings* sleep, double h) {
    double half = 0.5 * sleep->time, restTime = bodies->restTime[row] + h;
    cnVec3 moved = cnSub(bodies->centreOfMass[row], bodies->contactCentre[row]);
    cnVec3 creep = cnAdd(bodies->restCreep[row], moved);
    if (floor(restTime / half) > floor(bodies->restTime[row] / half)) {
        bool isFirst = bodies->restTime[row] < half;
        if (!HasStood(sleep, creep)) {
            restTime = 0.0;
        } else if (!isFirst && IsLeaving(sleep, creep, bodies->creepBefore[row])) {
            restTime = half;
        }
        bodies->creepBefore[row] = creep;
        creep = cnVec3_zero;
    }
    bodies->restTime[row] = restTime;
    bodies->restCreep[row] = creep;
}

static void MeasureRest(int begin, int end, int thread, void* context) {
    (void)thread;
    const RestSearch* search = context;
    cnBodyTable* bodies = &search->world->bodies;
    const cnSleepSettings* sleep = &search->world->sleep;
    for (int index = begin > 0 ? begin : 1; index < end; ++index) {
        int row = search->solve->solver.rows[index];
        bool isSlow = cnLengthSquared(bodies->velocity[row]) <= sleep->linear * sleep->linear &&
                      cnLengthSquared(bodies->angularVelocity[row]) <= sleep->angular * sleep->angular;
        bool isFree = cnSolverBodies_IsFree(&search->solve->solver, index);
        bool rests = (isFree ? IsStill(bodies, row) : isSlow) && cnIsZeroVec(bodies->force[row]) &&
                     cnIsZeroVec(bodies->torque[row]) && cnBody_IsSimulated(bodies, row) &&
                     (bodies->flags[row] & cn_bodySleepless) == 0;
        if (rests) {
            AddRest(bodies, row, sleep, search->solve->h);
        } else {
            bodies->restTime[row] = 0.0;
            bodies->restCreep[row] = cnVec3_zero;
        }
    }
}

// Of an island, or of a body in none.
typedef struct Rest {
    bool isWakeful; // something keeps it awake
    double time;    // s, the least of its bodies
    double speed;   // m/s, the largest that one of them was moved with in the step
} Rest;

static void AddBody(const cnBodyTable* bodies, int row, double h, Rest* rest) {
    cnVec3 moved = cnSub(bodies->centreOfMass[row], bodies->contactCentre[row]);
    rest->time = cnMin(rest->time, bodies->restTime[row]);
    rest->speed = cnMax(rest->speed, cnLength(moved) / h);
}

static bool IsDrowsy(const cnSleepSettings* sleep, const Rest* rest) {
    bool settles = rest->speed > CN_SETTLED_SPEED && rest->speed < CN_SETTLING_SPEED;
    return !rest->isWakeful && rest->time >= sleep->time + (settles ? CN_SETTLING_TIME : 0.0);
}

static void MarkIslandOf(const cnSolve* solve, int row, Rest* rests) {
    int island = row >= 0 ? solve->solver.island[solve->solver.indexOfRow[row]] : -1;
    if (island >= 0) {
        rests[island].isWakeful = true;
    }
}

// Marks islands that something keeps awake: a kinematic body or a motor that moves, a pair that has begun or
// ceased to touch in this step.
static void FindWakeful(const cnWorld* world, const cnSolve* solve, Rest* rests) {
    const cnBodyTable* bodies = &world->bodies;
    for (int i = 0; i < world->pairs.near.count; ++i) {
        const cnNearPair* pair = &world->pairs.near.data[i];
        if (pair->state == cn_contactImpact || pair->state == cn_contactSeparation) {
            MarkIslandOf(solve, pair->body1, rests);
            MarkIslandOf(solve, pair->body2, rests);
        }
    }
    for (int c = 0; c < solve->contactCount; ++c) {
        const cnSolverContact* contact = &solve->contacts[c];
        if (contact->body1 == 0 || contact->body2 == 0) {
            const cnPair* pair = cnPairTable_Get(&world->pairs, contact->pair);
            rests[contact->island].isWakeful |=
                IsMovingKinematic(bodies, pair->body1) || IsMovingKinematic(bodies, pair->body2);
        }
    }
    for (int j = 0; j < solve->jointCount; ++j) {
        const cnSolverJoint* joint = &solve->joints[j];
        bool keeps = cnConstraint_IsDriven(&world->constraints.constraints[joint->constraint]);
        for (int i = 0; i < 4; ++i) {
            keeps = keeps || IsMovingKinematic(bodies, joint->rows[i]);
        }
        rests[joint->island].isWakeful |= keeps;
    }
}

bool cnListDrowsy(cnWorld* world, cnSolve* solve) {
    world->drowsy.count = 0;
    if (!world->sleep.enabled) {
        return true;
    }
    RestSearch search = {world, solve};
    cnThreadPool_Run(world->threads, MeasureRest, &search, solve->solver.count, CN_REST_CHUNK);
    Rest* rests = CN_PUSH(solve->stack, Rest, solve->islandCount + 1, "rest of islands");
    int* last = CN_PUSH(solve->stack, int, solve->islandCount + 1, "last bodies of islands");
    if (rests == NULL || last == NULL) {
        return false;
    }
    for (int island = 0; island < solve->islandCount; ++island) {
        rests[island] = (Rest){.time = INFINITY};
    }
    cnBodyTable* bodies = &world->bodies;
    const cnSolverBodies* solver = &solve->solver;
    int resting = 0;
    for (int index = 1; index < solver->count; ++index) {
        int row = solver->rows[index];
        resting += bodies->restTime[row] >= world->sleep.time;
        if (solver->island[index] >= 0) {
            AddBody(bodies, row, solve->h, &rests[solver->island[index]]);
        }
    }
    if (resting == 0) {
        return true;
    }
    FindWakeful(world, solve, rests);
    if (!cnArray_Reserve(&world->drowsy, bodies->ids.rowCount)) {
        return false;
    }
    memset(last, -1, ((size_t)solve->islandCount + 1) * sizeof *last);
    for (int index = 1; index < solver->count; ++index) {
        int row = solver->rows[index], island = solver->island[index];
        Rest rest = island >= 0 ? rests[island] : (Rest){.time = INFINITY};
        if (island < 0) {
            AddBody(bodies, row, solve->h, &rest);
        }
        if (!IsDrowsy(&world->sleep, &rest)) {
            continue;
        }
        // the ring: the last one's next is the first
        int before = island >= 0 ? last[island] : -1;
        bodies->nextAsleep[row] = before >= 0 ? bodies->nextAsleep[before] : row;
        if (before >= 0) {
            bodies->nextAsleep[before] = row;
        }
        if (island >= 0) {
            last[island] = row;
        }
        world->drowsy.data[world->drowsy.count++] = row;
    }
    return true;
}

void cnFallAsleep(cnWorld* world) {
    cnBodyTable* bodies = &world->bodies;
    cnPairTable* pairs = &world->pairs;
    for (int i = 0; i < world->drowsy.count; ++i) {
        SetAllAsleep(world, world->drowsy.data[i], true);
    }
    if (world->drowsy.count == 0) {
        return;
    }
    world->awakeRowsAreOld = true;
    world->eventsMoved = world->eventsMoved || world->contactEvents.count > 0; // sleepers' rows come last
    for (int i = 0; i < pairs->pairs.count; ++i) {
        const cnPair* pair = cnPairTable_Get(pairs, i);
        if (!cnPairTable_IsAsleep(pairs, i) && !IsActive(bodies, pair->body1) &&
            !IsActive(bodies, pair->body2)) {
            cnPairTable_PutToSleep(pairs, i);
        }
    }
    cnPairHeads* heads = &pairs->distantHeads;
    for (int row = 0; row < pairs->distant.count; ++row) {
        const cnDistantPair* pair = cnPairTable_GetDistant(pairs, row);
        if (!cnPairHeads_IsAsleep(heads, row) && !IsActive(bodies, pair->body1) &&
            !IsActive(bodies, pair->body2)) {
            cnPairHeads_SetApartUntil(heads, row, INFINITY);
        }
    }
}

void cnRecountSleepers(cnWorld* world) {
    world->asleepCount = 0;
    for (int row = 0; row < world->bodies.ids.rowCount; ++row) {
        world->asleepCount += IsAsleep(world, row);
    }
    cnPairTable_RecountSleepers(&world->pairs);
    world->awakeRowsAreOld = true;
    world->drowsy.count = 0;
}
