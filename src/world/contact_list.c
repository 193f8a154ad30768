#include "world/contact_list.h"

#include "base/report/assert.h"
#include "base/report/error.h"

// A vector of a pair as it is now: where both shapes are parts of one merged body, it rotates with that.
static cnVec3 TurnWithPair(const cnWorld* world, const cnPair* pair, cnVec3 v) {
    if (pair->body1 != pair->body2) {
        return v;
    }
    cnQuat turn = cnMulQuat(world->bodies.rotation[pair->body1], cnConjugate(pair->built1.rotation));
    return cnRotate(turn, v);
}

cnVec3 cnContactPointOf(const cnWorld* world, const cnPair* pair, int point) {
    // the arm from the body that moves: a recycled manifold travels with it
    bool isFirst = pair->body1 >= 0;
    cnVec3 centre = world->bodies.contactCentre[isFirst ? pair->body1 : pair->body2];
    return cnAdd(centre, TurnWithPair(world, pair, cnToD(isFirst ? pair->arm1[point] : pair->arm2[point])));
}

static double DepthOf(const cnPair* pair) {
    double largest = 0.0;
    for (int k = 0; k < pair->manifold.pointCount && !cnPair_IsUnsolved(pair); ++k) {
        largest = cnMax(largest, pair->manifold.depths[k]);
    }
    return largest;
}

double cnFindMaxPenetration(const cnWorld* world) {
    const cnPairTable* pairs = &world->pairs;
    double largest = 0.0;
    for (int i = 0; i < pairs->near.count; ++i) {
        largest = cnMax(largest, DepthOf(cnPairTable_Get(pairs, pairs->near.data[i].pair)));
    }
    for (int i = 0; pairs->heads.asleepCount > 0 && i < pairs->pairs.count; ++i) {
        largest =
            cnPairTable_IsAsleep(pairs, i) ? cnMax(largest, DepthOf(cnPairTable_Get(pairs, i))) : largest;
    }
    return largest;
}

// ---- what there will be -----------------------------------------------------------------------------------

typedef struct Counts {
    int rows, points;
} Counts;

// Notes points that bear or were struck without having touched before.
static void MarkLatePoints(cnPair* pair, const cnContactImpact* impact) {
    for (int k = 0; k < pair->manifold.pointCount; ++k) {
        bool bears = impact == NULL ? pair->normalForce[k] != 0.0f : impact->normal[k] != 0.0;
        if (bears && !cnPair_TouchedAt(pair, k)) {
            pair->latePoints |= (uint8_t)(1u << k);
        }
    }
}

// Pairs that may have rows: those of the step, then those that sleep.
typedef struct ListedPairs {
    int* pairs;
    int count;
} ListedPairs;

// False when memory ran out.
static bool ListPairs(cnWorld* world, ListedPairs* listed) {
    cnPairTable* pairs = &world->pairs;
    cnPairTable_ListNear(pairs, NULL);
    int capacity = pairs->heads.asleepCount > 0 ? pairs->pairs.count : pairs->near.count;
    *listed = (ListedPairs){CN_PUSH(&world->stack, int, capacity + 1, "pairs of the contact table"), 0};
    if (listed->pairs == NULL) {
        return false;
    }
    for (int i = 0; i < pairs->near.count; ++i) {
        listed->pairs[listed->count++] = pairs->near.data[i].pair;
    }
    for (int i = 0; pairs->heads.asleepCount > 0 && i < pairs->pairs.count; ++i) {
        if (cnPairTable_IsAsleep(pairs, i)) {
            listed->pairs[listed->count++] = i;
        }
    }
    return true;
}

static void FindLatePoints(cnWorld* world, const ListedPairs* listed) {
    cnPairTable* pairs = &world->pairs;
    for (int i = 0; i < listed->count; ++i) {
        cnPair* pair = cnPairTable_Get(pairs, listed->pairs[i]);
        pair->latePoints = 0;
        if (world->contactStage == cn_contactsSolved && !cnPair_IsUnsolved(pair)) {
            MarkLatePoints(pair, NULL);
        }
    }
    for (int i = 0; world->contactStage == cn_contactsSolved && i < pairs->impacts.count; ++i) {
        const cnContactImpact* impact = &pairs->impacts.data[i];
        MarkLatePoints(cnPairTable_Get(pairs, impact->pair), impact);
    }
}

static bool HasListedPoint(const cnPair* pair, int k) {
    return cnPair_TouchedAt(pair, k) || (pair->latePoints & (1u << k)) != 0;
}

static bool IsLate(const cnPair* pair) {
    return pair->latePoints != 0 && cnPair_GetState(pair) == cn_contactNone;
}

static Counts CountRows(const cnWorld* world, const ListedPairs* listed) {
    Counts counts = {.rows = world->endedContacts.list.count};
    for (int i = 0; i < listed->count; ++i) {
        const cnPair* pair = cnPairTable_Get(&world->pairs, listed->pairs[i]);
        bool hasRow = cnPair_GetState(pair) != cn_contactNone || IsLate(pair);
        counts.rows += hasRow;
        for (int k = 0; hasRow && k < pair->manifold.pointCount; ++k) {
            counts.points += HasListedPoint(pair, k);
        }
    }
    return counts;
}

// ---- rows -------------------------------------------------------------------------------------------------

// What the solve gave at its points, in a row that was added last.
static void AddForces(cnWorld* world, const cnPair* pair) {
    cnContactTable* contacts = &world->contacts;
    cnContactPointTable* points = &world->contactPoints;
    int row = contacts->count - 1;
    double sum = 0.0;
    for (int k = 0; k < pair->manifold.pointCount; ++k) {
        sum += pair->normalForce[k];
    }
    cnVec3 friction = TurnWithPair(world, pair, cnToD(pair->frictionForce));
    contacts->normalForce[row] = cnScale(sum, contacts->normal[row]);
    contacts->tangentialForce[row] = friction;
    int p = contacts->firstPoint[row];
    for (int k = 0; k < pair->manifold.pointCount; ++k) {
        if (HasListedPoint(pair, k)) {
            double share = sum > 0.0 ? pair->normalForce[k] / sum : 1.0 / contacts->pointCount[row];
            points->normalForce[p] = pair->normalForce[k];
            points->tangentialForce[p] = cnScale(share, friction);
            p += 1;
        }
    }
    CN_ASSERT(p == points->count);
}

static void AddRow(cnWorld* world, int index, cnContactState state) {
    cnContactTable* contacts = &world->contacts;
    cnContactPointTable* points = &world->contactPoints;
    const cnPair* pair = cnPairTable_Get(&world->pairs, index);
    CN_ASSERT(contacts->count < contacts->capacity);
    int row = contacts->count++;
    contacts->body1[row] = world->proxies.body[pair->proxy1]; // users' bodies, not what carries them
    contacts->body2[row] = world->proxies.body[pair->proxy2];
    contacts->geometry1[row] = pair->geometry1;
    contacts->geometry2[row] = pair->geometry2;
    contacts->shape1[row] = world->proxies.shapeIndex[pair->proxy1];
    contacts->shape2[row] = world->proxies.shapeIndex[pair->proxy2];
    contacts->state[row] = state;
    contacts->pair[row] = index;
    contacts->flags[row] = ((pair->flags & cn_pairSensor) != 0 ? cn_contactSensor : 0u) |
                           ((pair->flags & cn_pairRemoved) != 0 ? cn_contactRemoved : 0u);
    contacts->firstPoint[row] = points->count;
    contacts->normal[row] = TurnWithPair(world, pair, cnToD(pair->manifold.normal));
    contacts->depth[row] = 0.0;
    contacts->normalForce[row] = contacts->tangentialForce[row] = cnVec3_zero;
    contacts->impactForce[row] = cnVec3_zero;
    for (int k = 0; k < pair->manifold.pointCount; ++k) {
        if (!HasListedPoint(pair, k)) {
            continue;
        }
        CN_ASSERT(points->count < points->capacity);
        int p = points->count++;
        points->contact[p] = row;
        points->feature[p] = pair->manifold.features[k];
        points->position[p] = cnContactPointOf(world, pair, k);
        points->normal[p] = contacts->normal[row];
        points->depth[p] = cnMax(0.0f, pair->manifold.depths[k]);
        points->normalForce[p] = 0.0;
        points->tangentialForce[p] = cnVec3_zero;
        contacts->depth[row] = cnMax(contacts->depth[row], points->depth[p]);
    }
    contacts->pointCount[row] = points->count - contacts->firstPoint[row];
    // a sleeper's are those that hold it
    bool isSolved =
        (world->contactStage == cn_contactsSolved || cnPairTable_IsAsleep(&world->pairs, index)) &&
        !cnPair_IsUnsolved(pair);
    if (isSolved && pair->manifold.pointCount > 0) { // else its forces are those of a step before
        AddForces(world, pair);
    }
}

// Of shapes that are apart altogether, or gone.
static void AddEndedRow(cnWorld* world, const cnEndedContact* ended) {
    cnContactTable* contacts = &world->contacts;
    CN_ASSERT(contacts->count < contacts->capacity);
    int row = contacts->count++;
    contacts->body1[row] = ended->body1;
    contacts->body2[row] = ended->body2;
    contacts->geometry1[row] = ended->geometry1;
    contacts->geometry2[row] = ended->geometry2;
    contacts->shape1[row] = ended->shape1;
    contacts->shape2[row] = ended->shape2;
    contacts->state[row] = cn_contactSeparation;
    contacts->flags[row] = ended->flags;
    contacts->pair[row] = -1;
    contacts->firstPoint[row] = world->contactPoints.count;
    contacts->pointCount[row] = 0;
    contacts->normal[row] = contacts->normalForce[row] = contacts->tangentialForce[row] = cnVec3_zero;
    contacts->impactForce[row] = cnVec3_zero;
    contacts->depth[row] = 0.0;
}

// ---- impacts ----------------------------------------------------------------------------------------------

// An impact's impulses as mean forces over the step, in a row and its points.
static void AddImpact(cnWorld* world, int row, const cnPair* pair, const cnContactImpact* impact) {
    cnContactTable* contacts = &world->contacts;
    cnContactPointTable* points = &world->contactPoints;
    double perStep = 1.0 / world->timeStep;
    int p = contacts->firstPoint[row];
    for (int k = 0; k < pair->manifold.pointCount; ++k) {
        if (!HasListedPoint(pair, k)) {
            CN_ASSERT(impact->normal[k] == 0.0);
            continue;
        }
        double pressed = perStep * impact->normal[k];
        cnVec3 normal = cnScale(pressed, contacts->normal[row]);
        cnVec3 tangential = cnScale(perStep, impact->tangential[k]);
        points->normalForce[p] += pressed;
        points->tangentialForce[p] = cnAdd(points->tangentialForce[p], tangential);
        contacts->normalForce[row] = cnAdd(contacts->normalForce[row], normal);
        contacts->tangentialForce[row] = cnAdd(contacts->tangentialForce[row], tangential);
        contacts->impactForce[row] = cnAdd(contacts->impactForce[row], cnAdd(normal, tangential));
        p += 1;
    }
}

// False when memory ran out.
static bool AddImpacts(cnWorld* world) {
    const cnPairTable* pairs = &world->pairs;
    if (pairs->impacts.count == 0) {
        return true;
    }
    int* rowOfPair = CN_PUSH(&world->stack, int, pairs->pairs.count + 1, "contact rows of pairs");
    if (rowOfPair == NULL) {
        return false;
    }
    for (int i = 0; i < pairs->pairs.count; ++i) {
        rowOfPair[i] = -1;
    }
    for (int row = 0; row < world->contacts.count; ++row) {
        if (world->contacts.pair[row] >= 0) {
            rowOfPair[world->contacts.pair[row]] = row;
        }
    }
    for (int i = 0; i < pairs->impacts.count; ++i) {
        const cnContactImpact* impact = &pairs->impacts.data[i];
        if (rowOfPair[impact->pair] >= 0) {
            AddImpact(world, rowOfPair[impact->pair], cnPairTable_Get(pairs, impact->pair), impact);
        }
    }
    cnStack_Pop(&world->stack, rowOfPair);
    return true;
}

// ---- events of pairs that go between a collide and its solve ----------------------------------------------

void cnMoveEvents(cnWorld* world, int from, int to) {
    cnContactEventTable* events = &world->contactEvents;
    for (int event = 0; event < events->count; ++event) {
        if (events->pair[event] == from) {
            events->pair[event] = to;
        }
    }
    world->eventsMoved = true;
}

// `firstEnded`: the first row of shapes that are apart altogether.
static void RenumberEvents(cnWorld* world, int firstEnded) {
    cnContactEventTable* events = &world->contactEvents;
    for (int event = 0; event < events->count; ++event) {
        int pair = events->pair[event];
        int row = pair <= -2 && firstEnded - 2 - pair < world->contacts.count ? firstEnded - 2 - pair : -1;
        for (int i = 0; pair >= 0 && row < 0 && i < world->contacts.count; ++i) {
            row = world->contacts.pair[i] == pair ? i : -1;
        }
        bool isThere = row >= 0 && world->contacts.state[row] == events->state[event];
        events->contact[event] = isThere ? row : -1;
        events->pair[event] = isThere ? pair : -1;
    }
    world->eventsMoved = false;
}

// ---- the list ---------------------------------------------------------------------------------------------

void cnForgetContacts(cnWorld* world, cnContactStage stage) {
    CN_ASSERT(stage != cn_contactsListed);
    world->contactStage = stage;
    if (stage == cn_contactsFound) { // events are those of the step before until they are listed
        world->eventsMoved = false;
        for (int event = 0; event < world->contactEvents.count; ++event) {
            world->contactEvents.pair[event] = -1;
        }
    }
}

// Events have the numbers of the rows of pairs that the step looked at, and of those that ended; so these
// come first.
static bool MakeRows(cnWorld* world, const ListedPairs* listed) {
    cnContactTable* contacts = &world->contacts;
    const cnPairTable* pairs = &world->pairs;
    FindLatePoints(world, listed);
    Counts counts = CountRows(world, listed);
    contacts->count = world->contactPoints.count = 0;
    world->maxPenetration = cnFindMaxPenetration(world);
    if (!cnContactTable_Reserve(contacts, &cnContactColumns, counts.rows) ||
        !cnContactTable_Reserve(&world->contactPoints, &cnContactPointColumns, counts.points)) {
        return false;
    }
    for (int i = 0; i < pairs->near.count; ++i) {
        cnContactState state = (cnContactState)pairs->near.data[i].state;
        if (state != cn_contactNone) {
            AddRow(world, pairs->near.data[i].pair, state);
        }
    }
    int firstEnded = contacts->count;
    for (int i = 0; i < world->endedContacts.list.count; ++i) {
        AddEndedRow(world, &world->endedContacts.list.data[i]);
    }
    for (int i = pairs->near.count; i < listed->count; ++i) {
        cnContactState state = cnPair_GetState(cnPairTable_Get(pairs, listed->pairs[i]));
        if (state != cn_contactNone) {
            AddRow(world, listed->pairs[i], state);
        }
    }
    for (int i = 0; i < listed->count; ++i) {
        if (IsLate(cnPairTable_Get(pairs, listed->pairs[i]))) {
            AddRow(world, listed->pairs[i], cn_contactContact);
        }
    }
    CN_ASSERT(contacts->count == counts.rows && world->contactPoints.count == counts.points);
    if (world->eventsMoved) {
        RenumberEvents(world, firstEnded);
    }
    return world->contactStage != cn_contactsSolved || AddImpacts(world);
}

static bool ListRows(cnWorld* world) {
    ListedPairs listed;
    bool ok = ListPairs(world, &listed) && MakeRows(world, &listed);
    if (listed.pairs != NULL) {
        cnStack_Pop(&world->stack, listed.pairs);
    }
    return ok;
}

bool cnListContacts(cnWorld* world) {
    if (world->contactStage == cn_contactsListed) {
        return true;
    }
    if (!ListRows(world)) {
        world->contacts.count = world->contactPoints.count = 0;
        return false;
    }
    world->contactStage = cn_contactsListed;
    cnWorld_PublishTables(world);
    return true;
}

cnErrorCode cnTryListContacts(cnWorld* world, const char* call) {
    return cnListContacts(world)
               ? CN_ERROR_NONE
               : cnFail(CN_ERROR_OUT_OF_MEMORY, call, "world", "no memory to list the contacts of %d pairs",
                        world->pairs.pairs.count);
}

void cnKeepContacts(cnWorld* world) {
    if (!cnListContacts(world)) {
        world->contactStage = cn_contactsListed;
        cnWorld_PublishTables(world);
    }
}
