#include "world/carriers.h"

#include "dynamics/gravity.h"
#include "dynamics/motion.h"
#include "world/adaptive_merging.h"
#include "world/contact_list.h"
#include "world/sleep.h"

#define CN_FOLLOW_CHUNK 256

// ---- pairs and constraints --------------------------------------------------------------------------------

// The pose that a body had when a manifold was made, as that of another which moves with it: both as they are
// now, and as they were then.
static cnBuiltPose MoveBuiltPose(const cnBodyTable* bodies, const cnBuiltPose* made, int from, int to) {
    cnQuat back = cnMulQuat(made->rotation, cnConjugate(bodies->rotation[from]));
    cnVec3 offset = cnSub(bodies->centreOfMass[to], bodies->centreOfMass[from]);
    return (cnBuiltPose){cnAdd(made->centre, cnRotate(back, offset)),
                         cnNormalizeQuat(cnMulQuat(back, bodies->rotation[to]))};
}

static void RedirectSide(cnPair* pair, const cnBodyTable* bodies, int side, int to) {
    int* body = side == 0 ? &pair->body1 : &pair->body2;
    cnBuiltPose* made = side == 0 ? &pair->built1 : &pair->built2;
    cnVec3f* arms = side == 0 ? pair->arm1 : pair->arm2;
    cnBuiltPose moved = MoveBuiltPose(bodies, made, *body, to);
    cnVec3 shift = cnSub(made->centre, moved.centre);
    for (int k = 0; k < pair->manifold.pointCount; ++k) {
        arms[k] = cnToF(cnAdd(cnToD(arms[k]), shift));
    }
    *made = moved;
    *body = to;
}

static cnVec3f RotateF(cnQuat q, cnVec3f v) {
    return cnToF(cnRotate(q, cnToD(v)));
}

// What two parts of a merged body hold between them has turned with them since it was made; now that they
// part it is solved for again, perhaps before the next collide makes it anew.
static void TurnManifold(cnPair* pair, const cnBodyTable* bodies) {
    bool isFirst = pair->body1 >= 0;
    cnBuiltPose* made = isFirst ? &pair->built1 : &pair->built2;
    int body = isFirst ? pair->body1 : pair->body2;
    cnQuat turn = cnNormalizeQuat(cnMulQuat(bodies->rotation[body], cnConjugate(made->rotation)));
    cnManifold* manifold = &pair->manifold;
    for (int k = 0; k < manifold->pointCount; ++k) {
        manifold->points[k] = RotateF(turn, manifold->points[k]);
        pair->arm1[k] = RotateF(turn, pair->arm1[k]);
        pair->arm2[k] = RotateF(turn, pair->arm2[k]);
        pair->builtDepth[k] = manifold->depths[k];
    }
    cnVec3 arm = cnSub(manifold->origin, made->centre);
    manifold->origin = cnAdd(bodies->centreOfMass[body], cnRotate(turn, arm));
    manifold->normal = RotateF(turn, manifold->normal);
    pair->friction = RotateF(turn, pair->friction);
    pair->rollingFriction = RotateF(turn, pair->rollingFriction);
    pair->frictionForce = RotateF(turn, pair->frictionForce);
    pair->curvature = 0.0;
    if (pair->body1 >= 0) {
        pair->built1 = (cnBuiltPose){bodies->centreOfMass[pair->body1], bodies->rotation[pair->body1]};
    }
    if (pair->body2 >= 0) {
        pair->built2 = (cnBuiltPose){bodies->centreOfMass[pair->body2], bodies->rotation[pair->body2]};
    }
    pair->flags |= cn_pairThinned;
}

static void RedirectDistantPairs(cnWorld* world) {
    cnPairHeads* heads = &world->pairs.distantHeads;
    for (int row = 0; row < world->pairs.distant.count; ++row) {
        cnDistantPair* pair = cnPairTable_GetDistant(&world->pairs, row);
        int body1 = cnBody_CarrierOf(&world->bodies, world->proxies.body[pair->proxy1]);
        int body2 = cnBody_CarrierOf(&world->bodies, world->proxies.body[pair->proxy2]);
        if (body1 == pair->body1 && body2 == pair->body2) {
            continue;
        }
        pair->body1 = body1;
        pair->body2 = body2;
        if (cnArePairBodiesActive(world, body1, body2)) {
            world->isRousing = true;
        } else if (!cnPairHeads_IsAsleep(heads, row)) {
            cnPairHeads_SetApartUntil(heads, row, INFINITY);
        }
    }
}

static void RedirectPairs(cnWorld* world) {
    const cnBodyTable* bodies = &world->bodies;
    cnPairTable* pairs = &world->pairs;
    for (int i = 0; i < pairs->pairs.count; ++i) {
        cnPair* pair = cnPairTable_Get(pairs, i);
        int body1 = cnBody_CarrierOf(bodies, world->proxies.body[pair->proxy1]);
        int body2 = cnBody_CarrierOf(bodies, world->proxies.body[pair->proxy2]);
        if (body1 == pair->body1 && body2 == pair->body2) {
            continue;
        }
        bool wasInside = pair->body1 == pair->body2;
        if (body1 != pair->body1) {
            RedirectSide(pair, bodies, 0, body1);
        }
        if (body2 != pair->body2) {
            RedirectSide(pair, bodies, 1, body2);
        }
        pairs->nearIsOld = true;
        if (wasInside && body1 != body2) {
            TurnManifold(pair, bodies);
        }
        if (cnArePairBodiesActive(world, body1, body2)) {
            world->isRousing = true;
        } else if (!cnPairTable_IsAsleep(pairs, i)) {
            cnPairTable_PutToSleep(pairs, i);
            world->eventsMoved = world->eventsMoved || world->contactEvents.count > 0;
        }
    }
}

void cnRedirectToCarriers(cnWorld* world) {
    RedirectPairs(world);
    RedirectDistantPairs(world);
    for (int row = 0; row < world->constraints.ids.rowCount; ++row) {
        if ((world->constraints.flags[row] & cn_constraintLive) != 0) {
            cnConstraint_Redirect(&world->constraints, &world->bodies, row);
            if (cnConstraint_IsInside(&world->constraints, &world->bodies, row)) {
                world->constraints.speed[row] = (cnConstraintPair){{0.0, 0.0}};
            }
        }
    }
}

// ---- the composite ----------------------------------------------------------------------------------------

// Sums over the parts of a merged body that are enabled.
typedef struct Composite {
    int count, kinematicCount;
    int kinematic, still; // a part that is, −1
    int heaviest;         // whose axes the carrier takes
    bool isSleepless;     // some part is
    double mass;
    double weighted;                  // kg, times the scale of gravity
    cnVec3 centre;                    // m, world
    cnVec3 weightedMoment;            // kg m, of that about the centre
    cnVec3 momentum, angularMomentum; // about the centre
} Composite;

static bool IsEnabled(const cnBodyTable* bodies, int row) {
    return (bodies->flags[row] & cn_bodyEnabled) != 0;
}

static Composite SumParts(const cnWorld* world, int mergedRow) {
    const cnBodyTable* bodies = &world->bodies;
    Composite sum = {.kinematic = -1, .still = -1, .heaviest = -1};
    cnVec3 moment = cnVec3_zero;
    for (int part = world->mergedBodies.firstPart[mergedRow]; part >= 0; part = bodies->nextPart[part]) {
        if (!IsEnabled(bodies, part)) {
            continue;
        }
        uint32_t flags = bodies->flags[part];
        sum.count += 1;
        if ((flags & cn_bodyKinematic) != 0) {
            sum.kinematic = part;
            sum.kinematicCount += 1;
        } else if ((flags & cn_bodyDynamic) == 0) {
            sum.still = part;
        }
        bool isHeavier = sum.heaviest < 0 || bodies->mass[part] > bodies->mass[sum.heaviest] ||
                         (bodies->mass[part] == bodies->mass[sum.heaviest] && part < sum.heaviest);
        sum.heaviest = isHeavier ? part : sum.heaviest;
        sum.isSleepless |= (flags & cn_bodySleepless) != 0;
        sum.mass += bodies->mass[part];
        sum.weighted += bodies->gravityScale[part] * bodies->mass[part];
        moment = cnMulAdd(moment, bodies->mass[part], bodies->centreOfMass[part]);
        sum.momentum = cnAdd(sum.momentum, cnBody_ReadMomentum(bodies, part));
    }
    sum.centre = sum.mass > 0.0 ? cnScale(1.0 / sum.mass, moment) : cnVec3_zero;
    for (int part = world->mergedBodies.firstPart[mergedRow]; part >= 0; part = bodies->nextPart[part]) {
        if (IsEnabled(bodies, part)) {
            cnVec3 arm = cnSub(bodies->centreOfMass[part], sum.centre);
            cnVec3 orbit = cnCross(arm, cnBody_ReadMomentum(bodies, part));
            double more = bodies->gravityScale[part] - sum.weighted / sum.mass;
            sum.weightedMoment = cnMulAdd(sum.weightedMoment, more * bodies->mass[part], arm);
            sum.angularMomentum = cnAdd(sum.angularMomentum, cnAdd(bodies->angularMomentum[part], orbit));
        }
    }
    return sum;
}

// The diagonal of a matrix that is diag(v) in some axes.
static cnVec3 DiagonalIn(cnQuat axes, cnVec3 v) {
    cnMat33 m = cnRotateDiagonal(cnMatFromQuat(axes), v);
    return cnVec(m.x.x, m.y.y, m.z.z);
}

// Mass, inertia, damping and added mass of all parts, in the axes of the carrier. Damping and added mass are
// exact where they are the same along all axes or parts have the carrier's axes; else these are their means
// along the carrier's.
static void DescribeComposite(const cnWorld* world, int mergedRow, const Composite* sum, cnQuat axes,
                              cnBodyDef* def) {
    const cnBodyTable* bodies = &world->bodies;
    cnVec3 linearDamping = cnVec3_zero, angularDamping = cnVec3_zero;
    cnVec3 addedMass = cnVec3_zero, addedInertia = cnVec3_zero;
    *def = (cnBodyDef){.position = sum->centre,
                       .rotation = axes,
                       .mass = sum->mass,
                       .centreOfMassGiven = true,
                       .gravityScaleGiven = true,
                       .gravityScale = sum->weighted / sum->mass,
                       .sleepless = sum->isSleepless};
    for (int part = world->mergedBodies.firstPart[mergedRow]; part >= 0; part = bodies->nextPart[part]) {
        if (!IsEnabled(bodies, part)) {
            continue;
        }
        double mass = bodies->mass[part];
        cnQuat turn = cnMulQuat(cnConjugate(axes), bodies->rotation[part]);
        cnVec3 arm = cnInvRotate(axes, cnSub(bodies->centreOfMass[part], sum->centre));
        cnMat33 own = cnRotateMat(cnMatFromQuat(turn), bodies->inertia[part]);
        cnMat33 orbit = cnSteiner(mass, arm);
        def->inertia = cnAddMat(def->inertia, cnAddMat(own, orbit));
        cnVec3 ownDiagonal = cnVec(own.x.x, own.y.y, own.z.z);
        cnVec3 linear = DiagonalIn(turn, bodies->linearDamping[part]);
        cnVec3 added = DiagonalIn(turn, bodies->massCoefficients[part]);
        linearDamping = cnMulAdd(linearDamping, mass, linear);
        addedMass = cnMulAdd(addedMass, mass, added);
        // what moves along y and z when it rotates about x, and so on
        cnVec3 squares = cnMul(arm, arm);
        cnVec3 dragged =
            cnVec(linear.z * squares.y + linear.y * squares.z, linear.x * squares.z + linear.z * squares.x,
                  linear.y * squares.x + linear.x * squares.y);
        cnVec3 carriedAlong =
            cnVec(added.z * squares.y + added.y * squares.z, added.x * squares.z + added.z * squares.x,
                  added.y * squares.x + added.x * squares.y);
        angularDamping = cnAdd(cnMulAdd(angularDamping, mass, dragged),
                               cnMul(ownDiagonal, DiagonalIn(turn, bodies->angularDamping[part])));
        addedInertia = cnAdd(cnMulAdd(addedInertia, mass, carriedAlong),
                             cnMul(ownDiagonal, DiagonalIn(turn, bodies->inertiaCoefficients[part])));
    }
    cnVec3 inverse = {1.0 / def->inertia.x.x, 1.0 / def->inertia.y.y, 1.0 / def->inertia.z.z};
    def->linearDamping = cnScale(1.0 / sum->mass, linearDamping);
    def->massCoefficients = cnScale(1.0 / sum->mass, addedMass);
    def->angularDamping = cnMul(inverse, angularDamping);
    def->inertiaCoefficients = cnMul(inverse, addedInertia);
}

// A row of its own; −1 when memory ran out.
static int MakeCarrier(cnWorld* world, int mergedRow, const Composite* sum, bool isGrounded) {
    cnBodyTable* bodies = &world->bodies;
    if (!cnTable_Reserve(bodies, &cnBodyColumns, bodies->ids.rowCount + 1)) {
        return -1;
    }
    uint32_t handle = cnIdPool_Acquire(&bodies->ids);
    if (handle == 0) {
        return -1;
    }
    int row = cnIdPool_Find(&bodies->ids, handle);
    cnBodyDef def;
    DescribeComposite(world, mergedRow, sum, bodies->rotation[sum->heaviest], &def);
    def.motion = isGrounded ? cn_static : cn_dynamic;
    cnFillBody(world, row, &def, def.rotation);
    bodies->weightMoment[row] = cnInvRotate(def.rotation, sum->weightedMoment);
    bodies->flags[row] |= cn_bodyCarrier;
    bodies->mergedBody[row] = mergedRow;
    bodies->handle[row] = 0; // no user's
    if (!isGrounded) {
        cnBody_SetMomenta(bodies, row, sum->momentum, sum->angularMomentum);
    }
    return row;
}

// ---- joining ----------------------------------------------------------------------------------------------

// A static part of what a kinematic one moves is among what moves in the broad phase, as long as it rides.
// False when memory ran out.
static bool SortStaticParts(cnWorld* world, int mergedRow) {
    const cnBodyTable* bodies = &world->bodies;
    bool ok = true;
    for (int part = world->mergedBodies.firstPart[mergedRow]; part >= 0; part = bodies->nextPart[part]) {
        bool isStatic = (bodies->flags[part] & (cn_bodyDynamic | cn_bodyKinematic)) == 0;
        for (int g = isStatic ? bodies->firstGeometry[part] : -1; g >= 0;
             g = world->geometries.nextOfBody[g]) {
            int proxy = world->geometries.firstProxy[g];
            if (proxy >= 0 &&
                cnBroadPhase_DoesProxyMove(world->broadPhase, proxy) != cnDoesBodyMove(world, part)) {
                ok = cnRebuildProxies(world, g, "merging") == CN_ERROR_NONE && ok;
            }
        }
    }
    return ok;
}

// Velocities of a part are those of its place in the carrier.
static void FollowVelocities(cnBodyTable* bodies, int part, int carrier) {
    cnVec3 halfStepSpin = bodies->halfStepAngularVelocity[carrier], spin = bodies->angularVelocity[carrier];
    bool isDynamic = (bodies->flags[part] & cn_bodyDynamic) != 0;
    bodies->lag[part] = bodies->lag[carrier];
    if (cnIsZeroVec(halfStepSpin) && cnIsZeroVec(spin)) { // as most that carry much do, step after step
        bodies->halfStepVelocity[part] = bodies->halfStepVelocity[carrier];
        bodies->velocity[part] = bodies->velocity[carrier];
        if (isDynamic && (!cnIsZeroVec(bodies->halfStepAngularMomentum[part]) ||
                          !cnIsZeroVec(bodies->angularMomentum[part]))) {
            bodies->halfStepAngularVelocity[part] = bodies->angularVelocity[part] = cnVec3_zero;
            bodies->halfStepAngularMomentum[part] = bodies->angularMomentum[part] = cnVec3_zero;
        }
        return;
    }
    cnVec3 arm = cnSub(bodies->centreOfMass[part], bodies->centreOfMass[carrier]);
    bodies->halfStepVelocity[part] = cnAdd(bodies->halfStepVelocity[carrier], cnCross(halfStepSpin, arm));
    bodies->velocity[part] = cnAdd(bodies->velocity[carrier], cnCross(spin, arm));
    if (isDynamic) {
        cnBody_StoreAngularVelocity(bodies, part, halfStepSpin);
        cnBody_ReadSpin(bodies, part, spin);
    }
}

// Sets the carrier of a part, and where it is in it.
static void TakePart(cnBodyTable* bodies, int part, int carrier) {
    cnPose frame = {bodies->position[carrier], bodies->rotation[carrier]};
    bodies->flags[part] |= cn_bodyCarried;
    bodies->carrier[part] = carrier;
    bodies->carriedPosition[part] = cnInvTransformPoint(frame, bodies->position[part]);
    bodies->carriedRotation[part] =
        cnNormalizeQuat(cnMulQuat(cnConjugate(frame.rotation), bodies->rotation[part]));
    FollowVelocities(bodies, part, carrier);
    bodies->owedImpulse[part] = bodies->owedMoment[part] = cnVec3_zero;
    bodies->smoothSteps[part] = bodies->calmSteps[part] = 0;
}

static void TakeParts(cnWorld* world, int mergedRow, int carrier) {
    cnBodyTable* bodies = &world->bodies;
    bool isAdaptive = (world->mergedBodies.flags[mergedRow] & cn_mergedAdaptive) != 0;
    for (int part = world->mergedBodies.firstPart[mergedRow]; part >= 0; part = bodies->nextPart[part]) {
        if (part != carrier && IsEnabled(bodies, part)) {
            TakePart(bodies, part, carrier);
            if (isAdaptive) {
                cnTouchBody(world, part); // the broad phase ends pairs with other parts that do not touch
            }
        }
    }
    world->mergedBodies.carrier[mergedRow] = carrier;
}

void cnTakePart(cnWorld* world, int part) {
    cnBodyTable* bodies = &world->bodies;
    int merged = bodies->mergedBody[part], carrier = world->mergedBodies.carrier[merged];
    cnVec3 arm = cnSub(bodies->centreOfMass[part], bodies->centreOfMass[carrier]);
    TakePart(bodies, part, carrier);
    cnTouchBody(world, part);
    world->mergedBodies.reach[merged] = cnMax(world->mergedBodies.reach[merged], cnLength(arm));
}

// Where adaptive merging merged them: what its margins are about, in the axes of the carrier.
static void TakeMargins(cnWorld* world, int mergedRow, int carrier) {
    cnMergedBodyTable* merged = &world->mergedBodies;
    const cnBodyTable* bodies = &world->bodies;
    cnQuat axes = bodies->rotation[carrier];
    merged->specificForce[mergedRow] = cnInvRotate(axes, merged->specificForce[mergedRow]);
    merged->spin[mergedRow] = cnInvRotate(axes, merged->spin[mergedRow]);
    merged->spinRate[mergedRow] = cnInvRotate(axes, merged->spinRate[mergedRow]);
    merged->reach[mergedRow] = 0.0;
    for (int part = merged->firstPart[mergedRow]; part >= 0; part = bodies->nextPart[part]) {
        double arm = cnLength(cnSub(bodies->centreOfMass[part], bodies->centreOfMass[carrier]));
        merged->reach[mergedRow] = cnMax(merged->reach[mergedRow], arm);
    }
}

// Back in those of the world, for the next carrier.
static void ReturnMargins(cnWorld* world, int mergedRow, int carrier) {
    cnMergedBodyTable* merged = &world->mergedBodies;
    cnQuat axes = world->bodies.rotation[carrier];
    merged->specificForce[mergedRow] = cnRotate(axes, merged->specificForce[mergedRow]);
    merged->spin[mergedRow] = cnRotate(axes, merged->spin[mergedRow]);
    merged->spinRate[mergedRow] = cnRotate(axes, merged->spinRate[mergedRow]);
}

bool cnJoinMergedBody(cnWorld* world, int mergedRow) {
    cnMergedBodyTable* merged = &world->mergedBodies;
    merged->flags[mergedRow] &= ~(uint32_t)cn_mergedDue;
    if ((merged->flags[mergedRow] & (cn_mergedActive | cn_mergedJoined)) != cn_mergedActive) {
        return true;
    }
    Composite sum = SumParts(world, mergedRow);
    bool isGrounded = (merged->flags[mergedRow] & cn_mergedGrounded) != 0;
    if (sum.count < (isGrounded ? 1 : 2) || sum.kinematicCount > 1) {
        return true;
    }
    bool isAdaptive = (merged->flags[mergedRow] & cn_mergedAdaptive) != 0; // whose parts are awake
    for (int part = merged->firstPart[mergedRow]; part >= 0 && !isAdaptive;
         part = world->bodies.nextPart[part]) {
        cnWakeAround(world, part);
    }
    int carrier = sum.kinematic >= 0 ? sum.kinematic : sum.still;
    carrier = carrier >= 0 ? carrier : MakeCarrier(world, mergedRow, &sum, isGrounded);
    if (carrier < 0) {
        merged->flags[mergedRow] |= cn_mergedDue;
        return false;
    }
    TakeParts(world, mergedRow, carrier);
    if (isAdaptive) {
        TakeMargins(world, mergedRow, carrier);
    }
    merged->flags[mergedRow] |= cn_mergedJoined;
    world->awakeRowsAreOld = true;
    return SortStaticParts(world, mergedRow);
}

bool cnJoinDueMergedBodies(cnWorld* world) {
    cnMergedBodyTable* merged = &world->mergedBodies;
    bool ok = true, isAny = false;
    for (int row = 0; row < merged->ids.rowCount; ++row) {
        if ((merged->flags[row] & (cn_mergedLive | cn_mergedDue)) == (cn_mergedLive | cn_mergedDue)) {
            ok = cnJoinMergedBody(world, row) && ok;
            isAny = true;
        }
    }
    if (isAny) {
        cnRedirectToCarriers(world);
        cnWorld_PublishTables(world);
    }
    return ok;
}

// ---- parting ----------------------------------------------------------------------------------------------

// A part that is carried moves on its own, as it moved with the others.
static void LetGo(cnBodyTable* bodies, int part) {
    int carrier = bodies->carrier[part];
    bool mayBeAhead = (bodies->flags[carrier] & cn_bodyKinematic) != 0; // its next velocity may have been set
    if (!mayBeAhead) {
        FollowVelocities(bodies, part, carrier);
    }
    if ((bodies->flags[part] & cn_bodyDynamic) == 0) { // a static one stays where it is
        bodies->halfStepVelocity[part] = bodies->halfStepAngularVelocity[part] = cnVec3_zero;
        cnBody_ReadState(bodies, part);
    }
    bodies->flags[part] &= ~(uint32_t)cn_bodyCarried;
    bodies->carrier[part] = -1;
    bodies->filteredSpin[part] = bodies->halfStepAngularVelocity[part];
    bodies->restTime[part] = 0.0;
}

void cnReleasePart(cnWorld* world, int part) {
    LetGo(&world->bodies, part);
    world->awakeRowsAreOld = true;
}

bool cnTakeApart(cnWorld* world, int mergedRow) {
    cnMergedBodyTable* merged = &world->mergedBodies;
    cnBodyTable* bodies = &world->bodies;
    if ((merged->flags[mergedRow] & cn_mergedJoined) == 0) {
        return false;
    }
    int carrier = merged->carrier[mergedRow];
    bool isOwn = (bodies->flags[carrier] & cn_bodyCarrier) != 0;
    bool isAdaptive = (merged->flags[mergedRow] & cn_mergedAdaptive) != 0;
    cnWakeBody(world, carrier);
    cnBody_Synchronise(bodies, carrier);
    for (int part = merged->firstPart[mergedRow]; part >= 0; part = bodies->nextPart[part]) {
        if ((bodies->flags[part] & cn_bodyCarried) == 0) {
            continue;
        }
        LetGo(bodies, part);
        if (!isAdaptive) {
            cnTouchBody(world, part); // pairs between parts that were not made while it was joined
        }
    }
    if (isAdaptive) {
        ReturnMargins(world, mergedRow, carrier);
    }
    merged->carrier[mergedRow] = -1;
    merged->flags[mergedRow] &= ~(uint32_t)cn_mergedJoined;
    SortStaticParts(world, mergedRow);
    if (isOwn) {
        bodies->flags[carrier] = 0; // its pose stays, until what is directed to it goes back
        bodies->mergedBody[carrier] = -1;
        cnIdPool_Release(&bodies->ids, cnIdPool_ValueOf(&bodies->ids, carrier));
    }
    world->awakeRowsAreOld = true;
    return true;
}

void cnPartMergedBody(cnWorld* world, int mergedRow) {
    if ((world->mergedBodies.flags[mergedRow] & cn_mergedJoined) != 0) {
        cnKeepContacts(world);
        cnTakeApart(world, mergedRow);
        cnRedirectToCarriers(world);
    }
}

void cnLoosen(cnWorld* world, int bodyRow) {
    int mergedRow = world->bodies.mergedBody[bodyRow];
    if (mergedRow < 0) {
        return;
    }
    if ((world->mergedBodies.flags[mergedRow] & cn_mergedAdaptive) != 0) {
        cnKeepContacts(world);
        cnDisturbBody(world, bodyRow);
        cnSplitDisturbed(world, NULL);
        return;
    }
    cnPartMergedBody(world, mergedRow);
    world->mergedBodies.flags[mergedRow] |= cn_mergedDue;
}

int cnPartFailedBody(cnWorld* world, int bodyRow) {
    cnBodyTable* bodies = &world->bodies;
    const cnMergedBodyTable* merged = &world->mergedBodies;
    int failed = bodyRow;
    for (int row = 0; row < merged->ids.rowCount; ++row) {
        int carrier = (merged->flags[row] & cn_mergedJoined) != 0 ? merged->carrier[row] : -1;
        if (carrier < 0 || IsEnabled(bodies, carrier)) {
            continue;
        }
        failed = carrier == bodyRow ? merged->firstPart[row] : failed;
        for (int part = merged->firstPart[row]; part >= 0; part = bodies->nextPart[part]) {
            bodies->flags[part] &= ~(uint32_t)cn_bodyEnabled;
        }
        cnPartMergedBody(world, row);
    }
    return failed;
}

// ---- in a step --------------------------------------------------------------------------------------------

void cnGatherForces(cnWorld* world) {
    cnBodyTable* bodies = &world->bodies;
    cnRowList rows = cnGetAwakeRows(world);
    for (int i = 0; i < rows.count && world->mergedBodies.ids.liveCount > 0; ++i) {
        int part = cnRowList_Get(&rows, i);
        if ((bodies->flags[part] & cn_bodyCarried) == 0) {
            continue;
        }
        cnVec3 force = bodies->force[part], torque = bodies->torque[part];
        if (!cnIsZeroVec(force) || !cnIsZeroVec(torque)) {
            int carrier = bodies->carrier[part];
            cnVec3 arm = cnSub(bodies->centreOfMass[part], bodies->centreOfMass[carrier]);
            bodies->force[carrier] = cnAdd(bodies->force[carrier], force);
            bodies->torque[carrier] = cnAdd(bodies->torque[carrier], cnAdd(torque, cnCross(arm, force)));
        }
    }
}

// What a task over bodies gets.
typedef struct FollowTask {
    cnWorld* world;
    cnRowList rows;
} FollowTask;

static void Follow(int begin, int end, int thread, void* context) {
    (void)thread;
    const FollowTask* task = context;
    const cnGravity* gravity = &task->world->gravity;
    cnBodyTable* bodies = &task->world->bodies;
    for (int i = begin; i < end; ++i) {
        int part = cnRowList_Get(&task->rows, i);
        if ((bodies->flags[part] & cn_bodyCarried) == 0) {
            continue;
        }
        int carrier = bodies->carrier[part];
        cnVec3 weight = cnScale(bodies->mass[part], cnGravityOn(gravity, bodies, part));
        bodies->lastForce[part] = cnAdd(bodies->force[part], weight);
        bodies->lastTorque[part] = bodies->torque[part];
        if (!cnDoesBodyMove(task->world, carrier)) {
            continue; // a static one: they stay to the bit
        }
        cnPose frame = {bodies->position[carrier], bodies->rotation[carrier]};
        bodies->position[part] = cnTransformPoint(frame, bodies->carriedPosition[part]);
        if (!cnAreSameQuats(frame.rotation, bodies->previousRotation[carrier])) {
            bodies->rotation[part] =
                cnNormalizeQuat(cnMulQuat(frame.rotation, bodies->carriedRotation[part]));
        }
        cnBody_UpdateCentre(bodies, part);
        FollowVelocities(bodies, part, carrier);
    }
}

void cnFollowCarriers(cnWorld* world) {
    if (world->mergedBodies.ids.liveCount > 0) {
        FollowTask task = {world, cnGetAwakeRows(world)};
        cnThreadPool_Run(world->threads, Follow, &task, task.rows.count, CN_FOLLOW_CHUNK);
    }
}
