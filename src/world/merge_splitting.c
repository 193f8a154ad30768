// What leaves merged bodies of the engine's, and what becomes of the rest.
//
// A part that a user or a blow disturbs takes along what it bears: parts that it pushes up by more than a
// tenth of their weight, and what these bear. One that is overloaded leaves alone: what it bears may stay.
// One that is struck takes along what it would be pushed into: through each link the speed goes on by the
// share of the masses, as between bodies that do not bounce, as long as it is above the threshold. What is
// left is held together by the links that are left, and takes the forces of those that are gone as loads from
// outside: so it is known when they change.
#include "base/containers/disjoint_sets.h"
#include "collide/pairs/pair_table.h"
#include "dynamics/motion.h"
#include "world/merge_links.h"
#include "world/sleep.h"

#define CN_BORNE_SHARE 0.1

typedef struct Splitting {
    cnWorld* world;
    cnMergeLink* links;
    int linkCount;
    cnVec3* pushes;   // m/s, by row of bodies; null: nothing strikes
    int* roots;       // of what stays together, by row
    bool* isGrounded; // by root
    int* sizes;       // by root
    int* places;      // by root: the merged body that it becomes, −1 none yet
} Splitting;

static bool IsLeaving(const Splitting* splitting, int body) {
    uint32_t leaving = cn_bodyDisturbed | cn_bodyOverloaded;
    return body >= 0 && (splitting->world->bodies.flags[body] & leaving) != 0;
}

static bool IsDisturbedPart(const Splitting* splitting, int body) {
    return body >= 0 && (splitting->world->bodies.flags[body] & cn_bodyDisturbed) != 0;
}

static bool MayLeave(const Splitting* splitting, int body) {
    const cnWorld* world = splitting->world;
    uint32_t fixed = cn_bodyUnsplittable | cn_bodyDisturbed;
    return body >= 0 && cnAdaptiveOf(world, body) >= 0 && (world->bodies.flags[body] & fixed) == 0 &&
           (world->bodies.flags[body] & cn_bodyDynamic) != 0;
}

// ---- what leaves ------------------------------------------------------------------------------------------

// Whether a force on a part is due to what bears it.
static bool IsBorne(const Splitting* splitting, int body, cnVec3 force) {
    const cnWorld* world = splitting->world;
    cnVec3 s = cnSpecificForceOf(world, cnAdaptiveOf(world, body));
    return cnDot(force, s) > CN_BORNE_SHARE * world->bodies.mass[body] * cnLengthSquared(s);
}

// The speed that a part which is pushed gives to the next one.
static cnVec3 PassPush(const Splitting* splitting, const cnMergeLink* link, int from, int to) {
    const cnBodyTable* bodies = &splitting->world->bodies;
    double share = bodies->mass[from] / (bodies->mass[from] + bodies->mass[to]);
    cnVec3 push = cnScale(share, splitting->pushes[from]);
    if (link->pair < 0) {
        return push;
    }
    cnVec3 away = link->body1 == to ? link->normal : cnNeg(link->normal);
    double along = cnDot(push, away);
    return along > 0.0 ? cnScale(along, away) : cnVec3_zero;
}

// Whether anything changed.
static bool Spread(Splitting* splitting, const cnMergeLink* link, int from, int to) {
    cnWorld* world = splitting->world;
    if (!IsDisturbedPart(splitting, from) || to < 0) {
        return false;
    }
    bool changes = false;
    if (MayLeave(splitting, to) &&
        IsBorne(splitting, to, to == link->body1 ? link->force : cnNeg(link->force))) {
        world->bodies.flags[to] |= cn_bodyDisturbed;
        changes = true;
    }
    if (splitting->pushes != NULL && (MayLeave(splitting, to) || IsLeaving(splitting, to))) {
        cnVec3 push = PassPush(splitting, link, from, to);
        double size = cnLength(push);
        if (size > world->mergeSplit.impactSpeed && size > 1.001 * cnLength(splitting->pushes[to])) {
            splitting->pushes[to] = push;
            world->bodies.flags[to] |= cn_bodyDisturbed;
            changes = true;
        }
    }
    return changes;
}

static void FindLeaving(Splitting* splitting) {
    for (bool changes = true; changes;) {
        changes = false;
        for (int i = 0; i < splitting->linkCount; ++i) {
            const cnMergeLink* link = &splitting->links[i];
            changes = Spread(splitting, link, link->body1, link->body2) || changes;
            changes = Spread(splitting, link, link->body2, link->body1) || changes;
        }
    }
}

// ---- what stays -------------------------------------------------------------------------------------------

// Links that press or pull hold; those that merely touch do not.
static bool Holds(const Splitting* splitting, const cnMergeLink* link) {
    return !IsLeaving(splitting, link->body1) && !IsLeaving(splitting, link->body2) &&
           (link->constraint >= 0 || !cnIsZeroVec(link->force));
}

static void UniteStaying(Splitting* splitting) {
    const cnWorld* world = splitting->world;
    int rows = world->bodies.ids.rowCount;
    cnMakeSets(splitting->roots, rows);
    for (int row = 0; row < rows; ++row) {
        splitting->isGrounded[row] = false;
    }
    for (int i = 0; i < splitting->linkCount; ++i) {
        const cnMergeLink* link = &splitting->links[i];
        if (link->body2 >= 0 && Holds(splitting, link)) {
            cnUniteSets(splitting->roots, link->body1, link->body2);
        }
    }
    for (int i = 0; i < splitting->linkCount; ++i) {
        const cnMergeLink* link = &splitting->links[i];
        if (link->body2 < 0 && Holds(splitting, link)) {
            splitting->isGrounded[cnFindRoot(splitting->roots, link->body1)] = true;
        }
    }
}

static void HoldAsLoad(cnWorld* world, int body, cnVec3 point, cnVec3 force, cnVec3 torque) {
    cnPartHold* hold = &world->bodies.hold[body];
    cnQuat axes = world->bodies.rotation[body];
    world->mergedBodies.flags[world->bodies.mergedBody[body]] |= cn_mergedHolding;
    cnVec3 moment = cnAdd(torque, cnCross(cnSub(point, world->bodies.centreOfMass[body]), force));
    cnToFloats(cnAdd(cnFromFloats(hold->heldForce), cnInvRotate(axes, force)), hold->heldForce);
    cnToFloats(cnAdd(cnFromFloats(hold->heldTorque), cnInvRotate(axes, moment)), hold->heldTorque);
}

static void HoldLinkAsLoad(cnWorld* world, const cnMergeLink* link) {
    HoldAsLoad(world, link->body1, link->point, link->force, link->torque);
    if (link->body2 >= 0) {
        HoldAsLoad(world, link->body2, link->point, cnNeg(link->force), cnNeg(link->torque));
    }
}

// Bodies that a constraint does not hold together any more, and something else does, leave both.
static bool FindHeldOtherwise(Splitting* splitting) {
    cnWorld* world = splitting->world;
    cnConstraintTable* table = &world->constraints;
    bool isAny = false;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if ((table->flags[row] & cn_constraintDisturbed) == 0) {
            continue;
        }
        const int bodies[2] = {table->body1[row], table->body2[row]};
        if (cnAdaptiveOf(world, bodies[0]) >= 0 || cnAdaptiveOf(world, bodies[1]) >= 0) {
            cnMergeLink link = cnLinkOfConstraint(world, row);
            HoldLinkAsLoad(world, &link);
        }
        int roots[2] = {-1, -1};
        for (int i = 0; i < 2; ++i) {
            bool isPart = cnAdaptiveOf(world, bodies[i]) >= 0;
            roots[i] = isPart ? cnFindRoot(splitting->roots, bodies[i]) : -1;
        }
        bool isOnGround = (roots[0] < 0 || splitting->isGrounded[roots[0]]) &&
                          (roots[1] < 0 || splitting->isGrounded[roots[1]]);
        for (int i = 0; i < 2 && (roots[0] == roots[1] || isOnGround); ++i) {
            if (MayLeave(splitting, bodies[i])) {
                world->bodies.flags[bodies[i]] |= cn_bodyDisturbed;
                isAny = true;
            }
        }
    }
    return isAny;
}

static bool AreApart(Splitting* splitting, const cnMergeLink* link) {
    return link->body2 < 0
               ? IsLeaving(splitting, link->body1)
               : IsLeaving(splitting, link->body1) || IsLeaving(splitting, link->body2) ||
                     cnFindRoot(splitting->roots, link->body1) != cnFindRoot(splitting->roots, link->body2);
}

// What links that are gone bore is a load from outside, for what stays.
static void KeepLoads(Splitting* splitting) {
    for (int i = 0; i < splitting->linkCount; ++i) {
        const cnMergeLink* link = &splitting->links[i];
        if (AreApart(splitting, link)) {
            HoldLinkAsLoad(splitting->world, link);
        }
    }
}

// ---- merged bodies ----------------------------------------------------------------------------------------

static bool IsDisturbed(const cnWorld* world, int merged) {
    uint32_t wanted = cn_mergedLive | cn_mergedAdaptive | cn_mergedDisturbed;
    return (world->mergedBodies.flags[merged] & wanted) == wanted;
}

static void Release(cnWorld* world, int body) {
    cnBodyTable* bodies = &world->bodies;
    cnMergedBody_UnlinkPart(&world->mergedBodies, bodies, body);
    bodies->flags[body] &= ~(uint32_t)(cn_bodyDisturbed | cn_bodyOverloaded);
    bodies->calmSteps[body] = 0;
    world->splitCount += 1;
    cnTouchBody(world, body); // pairs with other parts, which it did not get while they were one
}

// Whether a part stays with a carrier that its parts do not matter to: with the ground, or with what leads.
static bool StaysCarried(const Splitting* splitting, int merged, int part) {
    int carrier = cnFirmCarrierOf(splitting->world, merged);
    if (carrier < 0 || IsLeaving(splitting, part)) {
        return false;
    }
    int root = cnFindRoot(splitting->roots, part);
    bool isGrounded = (splitting->world->mergedBodies.flags[merged] & cn_mergedGrounded) != 0;
    return isGrounded ? splitting->isGrounded[root]
                      : !IsLeaving(splitting, carrier) && splitting->sizes[root] > 1 &&
                            cnFindRoot(splitting->roots, carrier) == root;
}

// Parts that do not stay are free, and keep their place in the list for Regroup.
static void LetGo(const Splitting* splitting, int merged) {
    cnWorld* world = splitting->world;
    const cnBodyTable* bodies = &world->bodies;
    bool isAny = false;
    for (int part = world->mergedBodies.firstPart[merged]; part >= 0; part = bodies->nextPart[part]) {
        isAny = isAny || StaysCarried(splitting, merged, part);
    }
    if (!isAny) {
        cnTakeApart(world, merged);
        return;
    }
    for (int part = world->mergedBodies.firstPart[merged]; part >= 0; part = bodies->nextPart[part]) {
        if ((bodies->flags[part] & cn_bodyCarried) != 0 && !StaysCarried(splitting, merged, part)) {
            cnReleasePart(world, part);
        }
    }
}

// A merged body for a set that leaves `from` as a whole.
static int AddPlace(cnWorld* world, int from) {
    cnMergedBodyTable* table = &world->mergedBodies;
    int place = cnAddMergedBody(world, true);
    int carrier = table->carrier[from];
    cnQuat axes = carrier >= 0 ? world->bodies.rotation[carrier] : cnQuat_identity;
    table->flags[place] |= cn_mergedAdaptive;
    table->specificForce[place] = cnRotate(axes, table->specificForce[from]);
    table->spin[place] = cnRotate(axes, table->spin[from]);
    table->spinRate[place] = cnRotate(axes, table->spinRate[from]);
    table->margin[place] = table->margin[from];
    world->adaptiveCount += 1;
    return place;
}

// Whether some part stays on the ground: all that do stay one merged body.
static bool IsAnyGrounded(const Splitting* splitting, int merged) {
    const cnWorld* world = splitting->world;
    bool isAny = false;
    int part = world->mergedBodies.firstPart[merged];
    for (; part >= 0 && !isAny; part = world->bodies.nextPart[part]) {
        isAny = !IsLeaving(splitting, part) && splitting->isGrounded[cnFindRoot(splitting->roots, part)];
    }
    return isAny && (world->mergedBodies.flags[merged] & cn_mergedGrounded) != 0;
}

// Sets that stay carried, or on the ground, keep the merged body, and without any the first set does. Others
// get their own; single ones that nothing bears leave.
static void Regroup(Splitting* splitting, int merged) {
    cnWorld* world = splitting->world;
    cnMergedBodyTable* table = &world->mergedBodies;
    const cnBodyTable* bodies = &world->bodies;
    bool isOnGround = IsAnyGrounded(splitting, merged);
    bool isTaken = (table->flags[merged] & cn_mergedJoined) != 0 || isOnGround;
    for (int part = table->firstPart[merged], next; part >= 0; part = next) {
        next = bodies->nextPart[part];
        if (StaysCarried(splitting, merged, part)) {
            continue;
        }
        int root = IsLeaving(splitting, part) ? -1 : cnFindRoot(splitting->roots, part);
        bool isGrounded = root >= 0 && isOnGround && splitting->isGrounded[root];
        if (root < 0 || (splitting->sizes[root] < 2 && !isGrounded)) {
            Release(world, part);
            continue;
        }
        int place = splitting->places[root];
        if (place < 0) {
            place = isTaken && !isGrounded ? AddPlace(world, merged) : merged;
            splitting->places[root] = place;
            table->flags[place] &= isGrounded ? ~0u : ~(uint32_t)cn_mergedGrounded;
            table->flags[place] |= cn_mergedDue | cn_mergedHolding; // what some of its parts hold comes along
            isTaken = true;
        }
        if (place != merged) {
            cnMergedBody_UnlinkPart(table, &world->bodies, part);
            cnMergedBody_LinkPart(table, &world->bodies, place, part);
            world->bodies.flags[part] |= cn_bodyAlone;
            cnTouchBody(world, part);
        }
    }
}

// Parts of places that are new were put in front one after the other: the highest is first again.
static void ListHighestFirst(const Splitting* splitting) {
    cnWorld* world = splitting->world;
    int32_t* nextPart = world->bodies.nextPart;
    for (int root = 0; root < world->bodies.ids.rowCount; ++root) {
        int place = splitting->places[root], first = -1;
        if (place < 0 || IsDisturbed(world, place)) {
            continue;
        }
        for (int part = world->mergedBodies.firstPart[place], next; part >= 0; part = next) {
            next = nextPart[part];
            nextPart[part] = first;
            first = part;
        }
        world->mergedBodies.firstPart[place] = first;
    }
}

static void CountSets(Splitting* splitting, int* setCount) {
    cnWorld* world = splitting->world;
    int rows = world->bodies.ids.rowCount;
    *setCount = 0;
    for (int row = 0; row < rows; ++row) {
        splitting->sizes[row] = 0;
        splitting->places[row] = -1;
    }
    for (int row = 0; row < rows; ++row) {
        int merged = cnAdaptiveOf(world, row);
        if (merged >= 0 && IsDisturbed(world, merged) && (world->bodies.flags[row] & cn_bodyCarrier) == 0 &&
            !IsLeaving(splitting, row)) {
            *setCount += splitting->sizes[cnFindRoot(splitting->roots, row)]++ == 0;
        }
    }
}

// Without memory for more, or where nothing shall stay: all parts leave.
static void Dissolve(cnWorld* world, int merged) {
    while (world->mergedBodies.firstPart[merged] >= 0) {
        Release(world, world->mergedBodies.firstPart[merged]);
    }
}

static void Settle(cnWorld* world, int merged) {
    world->mergedBodies.flags[merged] &= ~(uint32_t)cn_mergedDisturbed;
    if (world->mergedBodies.partCount[merged] == 0) {
        cnRemoveMergedBody(world, merged);
        world->adaptiveCount -= 1;
    }
}

void cnSplitDisturbed(cnWorld* world, cnVec3* pushes) {
    if (!world->isDisturbed) {
        return;
    }
    int rows = world->bodies.ids.rowCount, entries = world->stack.entryCount, setCount = 0;
    Splitting splitting = {
        .world = world,
        .pushes = pushes,
        .roots = CN_PUSH(&world->stack, int, rows + 1, "sets that stay"),
        .isGrounded = CN_PUSH(&world->stack, bool, rows + 1, "sets on the ground"),
        .sizes = CN_PUSH(&world->stack, int, rows + 1, "sizes of sets"),
        .places = CN_PUSH(&world->stack, int, rows + 1, "merged bodies of sets"),
    };
    splitting.links = cnListMergeLinks(world, cn_mergedDisturbed, &splitting.linkCount);
    bool ok = splitting.roots != NULL && splitting.isGrounded != NULL && splitting.sizes != NULL &&
              splitting.places != NULL && splitting.links != NULL;
    if (ok) {
        FindLeaving(&splitting);
        UniteStaying(&splitting);
        if (FindHeldOtherwise(&splitting)) {
            FindLeaving(&splitting);
            UniteStaying(&splitting);
        }
        KeepLoads(&splitting);
        CountSets(&splitting, &setCount);
        ok = cnReserveMergedBodies(world, setCount);
    }
    int mergedRows = world->mergedBodies.ids.rowCount;
    for (int merged = 0; merged < mergedRows; ++merged) {
        if (IsDisturbed(world, merged)) {
            if (ok) {
                LetGo(&splitting, merged);
            } else {
                cnTakeApart(world, merged);
            }
        }
    }
    cnRedirectToCarriers(world);
    for (int merged = 0; merged < mergedRows; ++merged) {
        if (IsDisturbed(world, merged)) {
            if (ok) {
                Regroup(&splitting, merged);
            } else {
                Dissolve(world, merged);
            }
        }
    }
    if (ok) {
        ListHighestFirst(&splitting);
    }
    for (int merged = 0; merged < mergedRows; ++merged) {
        if (IsDisturbed(world, merged)) {
            Settle(world, merged);
        }
    }
    for (int row = 0; row < world->constraints.ids.rowCount; ++row) {
        world->constraints.flags[row] &= ~(uint32_t)cn_constraintDisturbed; // even where memory ran out
    }
    world->isDisturbed = false;
    cnStack_PopTo(&world->stack, entries);
    cnWorld_PublishTables(world);
}

// ---- blows ------------------------------------------------------------------------------------------------

static cnVec3 VelocityAt(const cnBodyTable* bodies, int body, cnVec3f arm) {
    if (body < 0) {
        return cnVec3_zero;
    }
    bool isKinematic = (bodies->flags[body] & cn_bodyKinematic) != 0; // whose next velocity may have been set
    cnVec3 velocity = isKinematic ? bodies->previousVelocity[body] : bodies->velocity[body];
    cnVec3 spin = isKinematic ? bodies->previousAngularVelocity[body] : bodies->angularVelocity[body];
    return cnAdd(velocity, cnCross(spin, cnToD(arm)));
}

// By how much velocities of a body and of what rides on it may differ while it is accelerated, m/s.
static double SlackOf(const cnWorld* world, int body) {
    bool isKinematic = body >= 0 && (world->bodies.flags[body] & cn_bodyKinematic) != 0;
    return isKinematic ? cnLength(world->bodies.acceleration[body]) * world->timeStep : 0.0;
}

// How fast body 1 of a pair comes towards body 2, m/s.
static double ApproachOf(const cnWorld* world, const cnPair* pair) {
    double most = 0.0;
    for (int k = 0; k < pair->manifold.pointCount; ++k) {
        cnVec3 velocity = cnSub(VelocityAt(&world->bodies, pair->body1, pair->arm1[k]),
                                VelocityAt(&world->bodies, pair->body2, pair->arm2[k]));
        most = cnMax(most, -cnDot(velocity, cnToD(pair->manifold.normal)));
    }
    return cnMax(0.0, most - SlackOf(world, pair->body1) - SlackOf(world, pair->body2));
}

// The speed that the other body's blow gives to a part that is free.
static void Strike(cnWorld* world, int part, int other, cnVec3 towards, double approach, cnVec3* pushes) {
    const cnBodyTable* bodies = &world->bodies;
    uint32_t wanted = cn_bodyCarried | cn_bodyDynamic;
    if (cnAdaptiveOf(world, part) < 0 || (bodies->flags[part] & (wanted | cn_bodyUnsplittable)) != wanted) {
        return;
    }
    bool isFree = other >= 0 && cnBody_IsSimulated(bodies, other);
    double share = isFree ? bodies->mass[other] / (bodies->mass[other] + bodies->mass[part]) : 1.0;
    if (share * approach > world->mergeSplit.impactSpeed) {
        pushes[part] = cnMulAdd(pushes[part], share * approach, towards);
        cnDisturbBody(world, part);
    }
}

// Two that no solver moves touch, and one of them is led: its part there has to be free.
static bool FreeLed(cnWorld* world, const cnPair* pair, int part1, int part2) {
    const cnBodyTable* bodies = &world->bodies;
    bool isSolved = (pair->body1 >= 0 && cnBody_IsSimulated(bodies, pair->body1)) ||
                    (pair->body2 >= 0 && cnBody_IsSimulated(bodies, pair->body2));
    if (isSolved) {
        return false;
    }
    if ((pair->flags & cn_pairTouching) != 0) {
        const int parts[2] = {part1, part2};
        for (int i = 0; i < 2; ++i) {
            if (parts[i] >= 0 && (bodies->flags[parts[i]] & cn_bodyDynamic) != 0) {
                cnDisturbBody(world, parts[i]);
            }
        }
    }
    return true;
}

static bool FindStruck(cnWorld* world, cnVec3* pushes) {
    const cnPairTable* pairs = &world->pairs;
    for (int i = 0; i < pairs->near.count; ++i) {
        const cnPair* pair = cnPairTable_Get(pairs, pairs->near.data[i].pair);
        int part1 = world->proxies.body[pair->proxy1], part2 = world->proxies.body[pair->proxy2];
        if (pair->manifold.pointCount == 0 || cnPair_IsUnsolved(pair) ||
            (cnAdaptiveOf(world, part1) < 0 && cnAdaptiveOf(world, part2) < 0) ||
            FreeLed(world, pair, part1, part2) ||
            (cnGeometryFlagsOf(world, pair) & cn_geometryUnsplittable) != 0) {
            continue;
        }
        double approach = ApproachOf(world, pair);
        cnVec3 normal = cnToD(pair->manifold.normal);
        Strike(world, part1, pair->body2, normal, approach, pushes);
        Strike(world, part2, pair->body1, cnNeg(normal), approach, pushes);
    }
    return world->isDisturbed;
}

bool cnSplitStruck(cnWorld* world) {
    if (world->adaptiveCount == 0) {
        return true;
    }
    int rows = world->bodies.ids.rowCount, entries = world->stack.entryCount;
    cnVec3* pushes = CN_PUSH(&world->stack, cnVec3, rows + 1, "pushes");
    if (pushes == NULL) {
        return false;
    }
    for (int row = 0; row < rows; ++row) {
        pushes[row] = cnVec3_zero;
    }
    bool ok = true;
    if (FindStruck(world, pushes)) {
        cnSplitDisturbed(world, pushes);
        ok = cnJoinDueMergedBodies(world);
        cnRousePairs(world);
        cnPairTable_ListNear(&world->pairs, world->threads);
        cnWakeTouched(world);
    }
    cnStack_PopTo(&world->stack, entries);
    return ok;
}
