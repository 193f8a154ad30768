// What disturbs merged bodies of the engine's: users, and loads beyond the margins (merge_margins.c).
#include "dynamics/gravity.h"
#include "world/merge_links.h"
#include "world/merge_supports.h"

#include <math.h>
#include <string.h>

// Of a part's load that may be lifted, and of what presses on it that counts for friction.
#define CN_LIFT_SHARE 0.5
// Of the way to the rim of its support that its foot may move, where half of all else may be borne.
#define CN_FOOT_SHARE 0.75
// Steps in a row after which a part that is overloaded leaves.
#define CN_OVERLOAD_STEPS 4
// m/s: what goes past a part at this speed at least does not rattle.
#define CN_PASSING_SPEED 0.1

// ---- what is disturbed ------------------------------------------------------------------------------------

static void NoteDisturbed(cnWorld* world, int merged) {
    world->mergedBodies.flags[merged] |= cn_mergedDisturbed;
    world->isDisturbed = true;
}

void cnDisturbBody(cnWorld* world, int bodyRow) {
    int merged = cnAdaptiveOf(world, bodyRow);
    if (merged < 0) {
        return;
    }
    if ((world->bodies.flags[bodyRow] & cn_bodyCarrier) != 0) {
        cnDisturbAllParts(world, merged);
        return;
    }
    world->bodies.flags[bodyRow] |= cn_bodyDisturbed;
    NoteDisturbed(world, merged);
}

void cnDisturbAllParts(cnWorld* world, int mergedRow) {
    cnBodyTable* bodies = &world->bodies;
    for (int part = world->mergedBodies.firstPart[mergedRow]; part >= 0; part = bodies->nextPart[part]) {
        bodies->flags[part] |= cn_bodyDisturbed;
    }
    NoteDisturbed(world, mergedRow);
}

void cnDisturbAll(cnWorld* world) {
    for (int merged = 0; world->adaptiveCount > 0 && merged < world->mergedBodies.ids.rowCount; ++merged) {
        if (cnIsAdaptiveRow(world, merged)) {
            cnDisturbAllParts(world, merged);
        }
    }
}

// The merged body of the engine's within which, or to the ground, it holds; −1.
static int HolderOf(const cnWorld* world, int constraintRow) {
    const cnConstraintTable* table = &world->constraints;
    int body1 = table->body1[constraintRow], body2 = table->body2[constraintRow];
    int merged1 = cnAdaptiveOf(world, body1), merged2 = cnAdaptiveOf(world, body2);
    bool isOnGround = (merged1 < 0) != (merged2 < 0) && cnIsGround(world, merged1 < 0 ? body1 : body2);
    return isOnGround ? cnMax(merged1, merged2) : merged1 == merged2 ? merged1 : -1;
}

void cnDisturbConstraint(cnWorld* world, int constraintRow) {
    cnConstraintTable* table = &world->constraints;
    int merged = HolderOf(world, constraintRow);
    if (merged >= 0) {
        table->flags[constraintRow] |= cn_constraintDisturbed;
        NoteDisturbed(world, merged);
    } else {
        cnDisturbBody(world, table->body1[constraintRow]);
        cnDisturbBody(world, table->body2[constraintRow]);
    }
}

static bool IsNear(double before, double after, double most) {
    return before == after || fabs(after - before) <= most; // both may be infinite
}

bool cnIsChangeSmall(const cnWorld* world, int constraintRow, const cnConstraint* before,
                     const cnConstraint* after) {
    if (HolderOf(world, constraintRow) < 0) {
        return false;
    }
    if ((world->constraints.flags[constraintRow] & cn_constraintUnsplittable) != 0) {
        return true;
    }
    const cnMergeSplitSettings* settings = &world->mergeSplit;
    cnConstraint same = *before;
    for (int i = 0; i < cn_slotCount - cn_slotMotor; ++i) {
        const cnSecondary *a = &before->secondaries[i], *b = &after->secondaries[i];
        if (!IsNear(a->target, b->target, settings->setValueChange) ||
            !IsNear(a->limits[0], b->limits[0], settings->setValueChange) ||
            !IsNear(a->limits[1], b->limits[1], settings->setValueChange) ||
            !IsNear(a->row.min, b->row.min, settings->forceRangeChange) ||
            !IsNear(a->row.max, b->row.max, settings->forceRangeChange)) {
            return false;
        }
        cnSecondary* to = &same.secondaries[i];
        to->target = b->target;
        memcpy(to->limits, b->limits, sizeof to->limits);
        to->row.min = b->row.min;
        to->row.max = b->row.max;
    }
    return cnFieldList_AreSame(cnConstraintFields, &same, after);
}

// ---- loads ------------------------------------------------------------------------------------------------

static void AddLoad(cnWorld* world, cnOutsideLoad* loads, int body, cnVec3 point, cnVec3 force,
                    cnVec3 torque) {
    int merged = cnAdaptiveOf(world, body);
    if (merged >= 0) {
        world->mergedBodies.flags[merged] |= cn_mergedLoaded;
        cnVec3 arm = cnSub(point, world->bodies.centreOfMass[body]);
        loads[body].force = cnAdd(loads[body].force, force);
        loads[body].torque = cnAdd(loads[body].torque, cnAdd(torque, cnCross(arm, force)));
    }
}

// Two bodies, of which one is a part of a merged body that does not hold the other.
static bool IsOutside(const cnWorld* world, int body1, int body2) {
    int merged1 = cnAdaptiveOf(world, body1), merged2 = cnAdaptiveOf(world, body2);
    if (merged1 == merged2) {
        return false;
    }
    int merged = merged1 >= 0 ? merged1 : merged2, other = merged1 >= 0 ? body2 : body1;
    bool isGrounded = (world->mergedBodies.flags[merged] & cn_mergedGrounded) != 0;
    return (merged1 >= 0 && merged2 >= 0) || !(isGrounded && cnIsGround(world, other));
}

static cnVec3 VelocityAt(const cnBodyTable* bodies, int body, cnVec3 point) {
    return body < 0 ? cnVec3_zero
                    : cnAdd(bodies->velocity[body],
                            cnCross(bodies->angularVelocity[body], cnSub(point, bodies->centreOfMass[body])));
}

// Of a link between these bodies, of which some may not be the engine's to merge.
static void AddLink(cnWorld* world, cnOutsideLoad* loads, const cnMergeLink* link, int body1, int body2) {
    const cnBodyTable* bodies = &world->bodies;
    cnVec3 past = cnSub(VelocityAt(bodies, body1, link->point), VelocityAt(bodies, body2, link->point));
    bool isMeant = cnLengthSquared(past) > CN_PASSING_SPEED * CN_PASSING_SPEED;
    AddLoad(world, loads, link->body1, link->point, link->force, link->torque);
    loads[link->body1].isMeant |= isMeant;
    if (link->body2 >= 0) {
        AddLoad(world, loads, link->body2, link->point, cnNeg(link->force), cnNeg(link->torque));
        loads[link->body2].isMeant |= isMeant;
    }
}

static void AddPair(cnWorld* world, cnOutsideLoad* loads, int index) {
    const cnPair* pair = cnPairTable_Get(&world->pairs, index);
    int body1 = world->proxies.body[pair->proxy1], body2 = world->proxies.body[pair->proxy2];
    bool isHarmless = (cnGeometryFlagsOf(world, pair) & cn_geometryUnsplittable) != 0;
    if (!isHarmless && pair->manifold.pointCount > 0 && !cnPair_IsUnsolved(pair) &&
        IsOutside(world, body1, body2)) {
        cnMergeLink link = cnLinkOfPair(world, index);
        AddLink(world, loads, &link, body1, body2);
    }
}

cnOutsideLoad* cnSumOutsideLoads(cnWorld* world) {
    const cnBodyTable* bodies = &world->bodies;
    const cnPairTable* pairs = &world->pairs;
    const cnConstraintTable* table = &world->constraints;
    int rows = bodies->ids.rowCount;
    cnOutsideLoad* loads = CN_PUSH(&world->stack, cnOutsideLoad, rows + 1, "loads on parts");
    if (loads == NULL) {
        return NULL;
    }
    for (int row = 0; row < rows; ++row) {
        loads[row] = (cnOutsideLoad){.force = cnVec3_zero, .torque = cnVec3_zero};
        if (cnAdaptiveOf(world, row) >= 0 && (bodies->flags[row] & cn_bodyCarrier) == 0) {
            cnVec3 gravity = cnGravityOn(&world->gravity, bodies, row);
            loads[row].force = cnMulAdd(bodies->lastForce[row], -bodies->mass[row], gravity);
            loads[row].torque = bodies->lastTorque[row];
            loads[row].isMeant = !cnIsZeroVec(loads[row].force) || !cnIsZeroVec(loads[row].torque);
            uint32_t* flags = &world->mergedBodies.flags[bodies->mergedBody[row]];
            *flags |= loads[row].isMeant ? (uint32_t)cn_mergedLoaded : 0u;
        }
    }
    // what sleeps bears on, and hangs on, parts as before
    bool isAll = world->asleepCount > 0;
    for (int i = 0; i < (isAll ? pairs->pairs.count : pairs->near.count); ++i) {
        AddPair(world, loads, isAll ? i : pairs->near.data[i].pair);
    }
    uint32_t live = cn_constraintLive | cn_constraintEnabled;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if ((table->flags[row] & (live | cn_constraintUnsplittable)) == live && table->body1[row] >= 0 &&
            IsOutside(world, table->body1[row], table->body2[row])) {
            cnMergeLink link = cnLinkOfConstraint(world, row);
            AddLink(world, loads, &link, table->body1[row], table->body2[row]);
        }
    }
    return loads;
}

// ---- the margins ------------------------------------------------------------------------------------------

// The motion of what carries a merged body, in its own axes, beside that of the merge.
static bool IsBeyondMargin(const cnWorld* world, int merged, cnVec3 acceleration, cnVec3 spinRate) {
    const cnMergedBodyTable* table = &world->mergedBodies;
    const cnBodyTable* bodies = &world->bodies;
    int carrier = table->carrier[merged];
    cnQuat axes = bodies->rotation[carrier];
    cnVec3 gravity = cnGravityOn(&world->gravity, bodies, carrier);
    cnVec3 s = cnInvRotate(axes, cnSub(acceleration, gravity));
    cnVec3 spin = cnInvRotate(axes, bodies->angularVelocity[carrier]);
    cnVec3 rate = cnInvRotate(axes, spinRate);
    double centripetal =
        cnLength(cnSub(spin, table->spin[merged])) * (cnLength(spin) + cnLength(table->spin[merged]));
    double turning = cnLength(cnSub(rate, table->spinRate[merged]));
    double change =
        cnLength(cnSub(s, table->specificForce[merged])) + (turning + centripetal) * table->reach[merged];
    return change > table->margin[merged];
}

static bool IsJoined(const cnWorld* world, int merged) {
    uint32_t wanted = cn_mergedLive | cn_mergedAdaptive | cn_mergedJoined;
    return (world->mergedBodies.flags[merged] & wanted) == wanted;
}

void cnWatchKinematicParents(cnWorld* world) {
    const cnBodyTable* bodies = &world->bodies;
    double rate = 1.0 / world->timeStep;
    for (int merged = 0; world->adaptiveCount > 0 && merged < world->mergedBodies.ids.rowCount; ++merged) {
        int carrier = IsJoined(world, merged) ? world->mergedBodies.carrier[merged] : -1;
        if (carrier < 0 || (bodies->flags[carrier] & cn_bodyKinematic) == 0) {
            continue;
        }
        cnVec3 gained = cnSub(bodies->velocity[carrier], bodies->previousVelocity[carrier]);
        cnVec3 turned = cnSub(bodies->angularVelocity[carrier], bodies->previousAngularVelocity[carrier]);
        if (IsBeyondMargin(world, merged, cnScale(rate, gained), cnScale(rate, turned))) {
            cnDisturbAllParts(world, merged);
        }
    }
}

// Whether a part's foot stays within that share of its support, where a force along up and a moment about it
// are added.
static bool DoesFootHold(const cnPartHold* hold, cnQuat axes, cnVec3 up, double lift, cnVec3 moment,
                         double share) {
    cnVec3 shift = cnScale(-1.0 / (hold->load - lift), cnCross(up, moment));
    cnVec3 axis1 = cnRotate(axes, cnFromFloats(hold->axis)), axis2 = cnCross(up, axis1);
    double a = cnDot(shift, axis1), b = cnDot(shift, axis2);
    const float* extents = hold->extents;
    return a >= share * extents[0] && a <= share * extents[1] && b >= share * extents[2] &&
           b <= share * extents[3];
}

// N, that a part may be pushed across where so much lifts it.
static double MostAcross(const cnPartHold* hold, double lift, double whole) {
    double press = lift < 0.0 ? -CN_LIFT_SHARE * lift : -lift;
    return cnMax(0.0, whole * hold->across + hold->friction * press);
}

// Margins are that share of what is held.
static const double allOfMargin = 1.0, allThatHolds = 1.0 / CN_MARGIN_SHARE;

// Whether a part holds what has come to its load from outside: within its margins, or at all.
static bool DoesPartHold(const cnPartHold* hold, cnQuat axes, cnVec3 up, const cnOutsideLoad* load,
                         double whole) {
    cnVec3 moment = cnSub(load->torque, cnCross(cnRotate(axes, cnFromFloats(hold->foot)), load->force));
    double lift = cnDot(load->force, up), twist = fabs(cnDot(moment, up));
    double across = cnLength(cnMulAdd(load->force, -lift, up)), most = MostAcross(hold, lift, whole);
    double reach = 0.25f * (hold->extents[1] - hold->extents[0] + hold->extents[3] - hold->extents[2]);
    double torque = whole * hold->torque, foot = whole > allOfMargin ? 1.0 : CN_FOOT_SHARE;
    return lift < whole * CN_LIFT_SHARE * hold->load && across <= most &&
           twist <= cnMax(torque, most * reach) &&
           (cnLength(moment) <= torque || DoesFootHold(hold, axes, up, lift, moment, foot));
}

// What a part that slides can give to its supports of what has come to it.
static void LimitLoad(const cnPartHold* hold, cnVec3 up, cnOutsideLoad* load) {
    double lift = cnDot(load->force, up), across = cnLength(cnMulAdd(load->force, -lift, up));
    double most = MostAcross(hold, lift, allThatHolds);
    if (across > most) {
        load->force = cnScale(most / across, load->force);
        load->torque = cnScale(most / across, load->torque);
    }
}

// What rattles nearby overloads a part for a step or two, and nothing comes of it: a part leaves after some
// such steps in a row, or at once where something that is meant takes it beyond all that it holds.
// `calmSteps` counts them, while it is carried.
static void WatchPart(cnWorld* world, int part, cnVec3 up, cnOutsideLoad* loads) {
    cnBodyTable* bodies = &world->bodies;
    const cnPartHold* hold = &bodies->hold[part];
    cnOutsideLoad* load = &loads[part];
    cnQuat axes = bodies->rotation[part];
    double least = CN_LEAST_MARGIN * bodies->mass[part];
    bool hasMoment = !cnIsZeroVec(load->torque);
    if (!hasMoment && cnIsZeroVec(load->force)) {
        bodies->calmSteps[part] = 0;
        return;
    }
    bool isSame = !hasMoment && cnLengthSquared(load->force) <= least * least;
    bool mayLeave = (bodies->flags[part] & cn_bodyUnsplittable) == 0;
    bool holds = isSame || !mayLeave || DoesPartHold(hold, axes, up, load, allOfMargin);
    bodies->calmSteps[part] = holds ? 0 : bodies->calmSteps[part] + 1;
    bool isTooMuch = !holds && load->isMeant && !DoesPartHold(hold, axes, up, load, allThatHolds);
    if (isTooMuch || bodies->calmSteps[part] >= CN_OVERLOAD_STEPS) {
        bodies->flags[part] |= cn_bodyOverloaded;
        NoteDisturbed(world, bodies->mergedBody[part]);
        LimitLoad(hold, up, load);
    }
    cnPassLoad(bodies, loads, part);
}

// What acts on a part beside what did as it merged.
static void TakeHeldLoad(const cnBodyTable* bodies, int part, cnOutsideLoad* load) {
    const cnPartHold* hold = &bodies->hold[part];
    cnVec3 force = cnFromFloats(hold->heldForce), torque = cnFromFloats(hold->heldTorque);
    if (!cnIsZeroVec(force) || !cnIsZeroVec(torque)) {
        load->force = cnSub(load->force, cnRotate(bodies->rotation[part], force));
        load->torque = cnSub(load->torque, cnRotate(bodies->rotation[part], torque));
    }
}

static void WatchParts(cnWorld* world, int merged, cnVec3 up, cnOutsideLoad* loads) {
    const cnBodyTable* bodies = &world->bodies;
    uint32_t* flags = &world->mergedBodies.flags[merged];
    if ((*flags & (cn_mergedLoaded | cn_mergedHolding | cn_mergedWatched)) == 0) {
        return;
    }
    bool isLoaded = (*flags & (cn_mergedLoaded | cn_mergedHolding)) != 0;
    *flags = isLoaded ? *flags | cn_mergedWatched : *flags & ~(uint32_t)cn_mergedWatched;
    int first = world->mergedBodies.firstPart[merged];
    for (int part = first; part >= 0; part = bodies->nextPart[part]) {
        TakeHeldLoad(bodies, part, &loads[part]);
    }
    for (int part = first; part >= 0; part = bodies->nextPart[part]) { // highest first
        if ((bodies->flags[part] & cn_bodyCarried) != 0) {
            WatchPart(world, part, up, loads);
        }
    }
}

static void FindAlone(cnWorld* world) {
    cnMergedBodyTable* table = &world->mergedBodies;
    for (int merged = 0; merged < table->ids.rowCount; ++merged) {
        table->flags[merged] |= cnIsAdaptiveRow(world, merged) ? (uint32_t)cn_mergedAlone : 0u;
        table->flags[merged] &= ~(uint32_t)cn_mergedLoaded;
    }
    for (int i = 0; i < world->pairs.near.count; ++i) {
        const cnPair* pair = cnPairTable_Get(&world->pairs, world->pairs.near.data[i].pair);
        const int proxies[2] = {pair->proxy1, pair->proxy2};
        for (int side = 0; side < 2; ++side) {
            int merged = cnAdaptiveOf(world, world->proxies.body[proxies[side]]);
            if (merged >= 0) {
                table->flags[merged] &= ~(uint32_t)cn_mergedAlone;
            }
        }
    }
}

bool cnWatchMerged(cnWorld* world) {
    if (world->adaptiveCount == 0) {
        return true;
    }
    FindAlone(world);
    const cnBodyTable* bodies = &world->bodies;
    int entries = world->stack.entryCount;
    cnOutsideLoad* loads = cnSumOutsideLoads(world);
    for (int merged = 0; loads != NULL && merged < world->mergedBodies.ids.rowCount; ++merged) {
        int carrier = IsJoined(world, merged) ? world->mergedBodies.carrier[merged] : -1;
        if (carrier < 0) {
            continue;
        }
        bool isDynamic = (bodies->flags[carrier] & cn_bodyDynamic) != 0;
        if (isDynamic && IsBeyondMargin(world, merged, bodies->acceleration[carrier],
                                        bodies->angularAcceleration[carrier])) {
            cnDisturbAllParts(world, merged);
            continue;
        }
        cnVec3 s = world->mergedBodies.specificForce[merged];
        double size = cnLength(s);
        cnVec3 up = size > 0.0 ? cnRotate(bodies->rotation[carrier], cnScale(1.0 / size, s)) : cnVec3_zero;
        WatchParts(world, merged, up, loads);
    }
    cnStack_PopTo(&world->stack, entries);
    return loads != NULL;
}

void cnRecountAdaptive(cnWorld* world) {
    world->adaptiveCount = 0;
    world->mergedBodies.isChanged = true; // as far as is known
    world->isDisturbed = false;
    for (int merged = 0; merged < world->mergedBodies.ids.rowCount; ++merged) {
        world->adaptiveCount += cnIsAdaptiveRow(world, merged);
        world->isDisturbed |=
            cnIsAdaptiveRow(world, merged) && (world->mergedBodies.flags[merged] & cn_mergedDisturbed) != 0;
    }
}
