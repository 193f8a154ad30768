// Continuous collision: bodies are swept along their motion, so that they pass through nothing within a step.
//
// ## Who is swept, and against what
//   fine     bodies flagged `fast` that move by more than a tenth of their inradius, against everything
//   coarse   other bodies whose motion is long beside their inradius and that of what they may pass, against
//            what stands: static geometry, static and kinematic bodies. Not against dynamic ones: a bullet
//            that shall hit those is `fast`.
//
// So what falls onto a floor, a sheet of triangles or a plate, stays on it, whatever its speed; and where the
// next step finds it in good time nothing changes (shape_sweeps.h says when). What constraints join is swept
// coarsely where it may pass something at the speed that it has as the step begins, since linkages have to be
// found before velocities change.
//
// ## What happens
// The bodies have moved from where the step found them to where it leaves them. Each body that is swept is so
// against everything near its way, both bodies moving and turning at constant rates:
//
//        0 ────────── t ───────────── 1        of the step
//        start        impact           end
//
// At the impact it stops. Its velocity stays, so that the contact that the next step finds there, a hair
// deep, takes over with restitution, friction and the momentum of all that is involved; the sweep itself
// changes no momentum and adds no energy. Against another body that is swept, too, both stop. A body that is
// not swept (static, kinematic, slow) goes its way, and the fast one goes along with it from t on, so that
// both lie at the end as they met. What is lost is the rest of the step, 1 − t: what forces gave for this
// time is taken back, so that a stop adds no energy (lost_time.h).
//
// Bodies that constraints join stop together, at the earliest impact of any of them that is swept: a linkage
// (linkages.h). Below, a group is what stops together, a body alone or a linkage. Whom a linkage member
// touched already at the start of the step, the contact solver has seen, and only where its centre is to pass
// that is an impact: a rod that rolls or tumbles dips in with its ends between two good poses, and a linkage
// would lose most of every step to that.
//
// ## Several at once
// Impacts are found in rounds, every group's earliest one against all others as they are known to move and
// stop. It holds unless the other group stops before. In the next round all that have swept bodies near them
// are swept again: what was thought to move may have stopped, and stands in the way. Stops only get earlier,
// so this ends, and nothing passes; one may be too early where its reason fell away. Rounds depend on nothing
// but the state: each sweep writes only its own result, and stops are made in row order.
#include "collide/queries/queries.h"
#include "dynamics/gravity.h"
#include "geometry/shape_forms.h"
#include "geometry/triangles.h"
#include "world/ccd/lost_time.h"
#include "world/ccd/shape_sweeps.h"
#include "world/step/step.h"

// Rounds of impacts; in the last one, every impact that is found holds.
#define CN_SWEEP_ROUNDS 32
// A shorter motion is not swept coarsely, m and rad.
#define CN_SHORT_SHIFT 1e-3
#define CN_SHORT_TURN 1e-2
#define CN_ROW_CHUNK 256

// A body that is swept.
typedef struct Swept {
    int row;
    int group;
    cnSweepKind kind;
    bool lonely;   // no swept body of another group is near
    double impact; // of this round, CN_NEVER for none
    bool turnsOn;  // cnSweptImpact
    int other;     // row, -1 for static geometry
    int otherProxy;
} Swept;

// What stops together: a body alone, or a linkage with all its members, swept or not.
typedef struct StopGroup {
    int linkage;  // -1: a body alone
    int settled;  // round in which its stop was made, 0 until then
    int earliest; // of this round, swept body of the earliest impact, -1
    double stop;  // once settled
    int carrier;  // row of what it goes along with, -1
    bool turnsOn; // a body alone
    int row;      // of a body alone
} StopGroup;

typedef struct Sweep {
    cnWorld* world;
    const cnCcd* ccd;
    Swept* swept;
    int count;
    StopGroup* groups;
    int groupCount;
    int* groupOfRow; // -1 for the others
    int round;
} Sweep;

// -1 for static geometry, and for all while nothing is known to be swept.
static int GroupOf(const Sweep* sweep, int row) {
    return row >= 0 && sweep->groupOfRow != NULL ? sweep->groupOfRow[row] : -1;
}

// Of a body, and of static geometry for -1, whose shapes have places in the world.
static cnWay WayOf(const Sweep* sweep, int row) {
    if (row < 0) {
        return (cnWay){.rotation = cnQuat_identity, .stop = 1.0};
    }
    const cnBodyTable* bodies = &sweep->world->bodies;
    int group = GroupOf(sweep, row);
    int index = group >= 0 ? cnLinkages_MemberOf(&sweep->ccd->linkages, row) : -1;
    const cnLinkageMember* member = index >= 0 ? &sweep->ccd->linkages.members[index] : NULL;
    cnPose start = member != NULL ? member->start : cnLinkages_StartPose(sweep->ccd->linkages.solve, row);
    cnQuat before = start.rotation;
    cnVec3 centre = cnAdd(start.position, cnRotate(before, bodies->localCentreOfMass[row]));
    cnQuat turn = cnMulQuat(bodies->rotation[row], cnConjugate(before));
    return (cnWay){
        .centre = centre,
        .shift = cnSub(bodies->centreOfMass[row], centre),
        .rotation = before,
        .member = member,
        .turn = cnRotationVectorOf(turn),
        .localCentre = bodies->localCentreOfMass[row],
        .stop = group >= 0 && sweep->groups[group].settled != 0 ? sweep->groups[group].stop : 1.0,
    };
}

// ---- one body ---------------------------------------------------------------------------------------------

// A shape of a body that goes this way.
static cnMover MakeMover(const cnWorld* world, int proxy, const cnWay* way) {
    cnPose local = {world->proxies.localPosition[proxy], world->proxies.localRotation[proxy]};
    return cnMover_Make(world->shapes.shapes[world->proxies.shape[proxy]], local, way);
}

typedef struct BodySweep {
    const Sweep* sweep;
    Swept* swept;
    int proxy;
    cnMover mover;
    bool full; // else only against those that stopped in the last round: the rest is known
} BodySweep;

// Proxies that a sweep of this kind may run into, and others.
static void VisitProxies(const Sweep* sweep, cnBounds bounds, cnSweepKind kind, cnOverlapCallback* visit,
                         void* context) {
    const cnBroadPhase* broadPhase = sweep->world->broadPhase;
    if (kind == cn_sweepCoarse && !sweep->ccd->anyKinematic) {
        cnBroadPhase_OverlapStanding(broadPhase, bounds, visit, context);
    } else {
        cnBroadPhase_Overlap(broadPhase, bounds, visit, context);
    }
}

// Whether a body of another group stopped in the last round.
static bool StoppedLast(const Sweep* sweep, int group, int row) {
    int other = GroupOf(sweep, row);
    return other >= 0 && other != group && sweep->groups[other].settled != 0 &&
           sweep->groups[other].settled == sweep->round - 1;
}

// Whether bodies that are swept coarsely are so against it.
static bool Stands(const cnWorld* world, int proxy) {
    int row = world->proxies.body[proxy];
    return row < 0 || (world->bodies.flags[row] & cn_bodyDynamic) == 0;
}

static bool MaySweep(const cnWorld* world, int proxy1, int proxy2) {
    uint32_t flags = world->geometries.flags[world->proxies.geometry[proxy1]] |
                     world->geometries.flags[world->proxies.geometry[proxy2]];
    return proxy1 != proxy2 && (flags & cn_geometrySensor) == 0 &&
           cnMayProxiesCollide(proxy1, proxy2, (void*)world);
}

// Whether a listener has removed a contact of two proxies in this step: they may go through one another.
static bool IsRemoved(const cnWorld* world, int proxy1, int proxy2) {
    const cnPairTable* table = &world->pairs;
    bool isOrdered = proxy1 < proxy2;
    int index = cnPairTable_Find(table, isOrdered ? proxy1 : proxy2, isOrdered ? proxy2 : proxy1, 0);
    if (index < 0) {
        return false;
    }
    const cnPair* pair = cnPairTable_Get(table, index);
    uint32_t flags = pair->flags;
    for (int part = 1; pair->concave >= 0 && part <= CN_PAIR_MANIFOLDS; ++part) {
        bool is = (table->concaves.data[pair->concave].parts & 1u << part) != 0;
        int child = is ? cnPairTable_Find(table, pair->proxy1, pair->proxy2, part) : -1;
        flags |= child >= 0 ? cnPairTable_Get(table, child)->flags : 0;
    }
    return (flags & cn_pairRemoved) != 0;
}

static bool SweepAtProxy(int proxy, void* context) {
    BodySweep* body = context;
    cnWorld* world = body->sweep->world;
    int row = world->proxies.body[proxy];
    if (!(body->full || StoppedLast(body->sweep, body->swept->group, row)) ||
        !(body->swept->kind == cn_sweepFine || Stands(world, proxy)) ||
        !MaySweep(world, body->proxy, proxy)) {
        return true;
    }
    cnWay way = WayOf(body->sweep, row);
    cnMover other = MakeMover(world, proxy, &way);
    Swept* swept = body->swept;
    const cnLinkages* linkages = &body->sweep->ccd->linkages;
    bool isJointed =
        cnLinkages_MemberOf(linkages, swept->row) >= 0 || cnLinkages_MemberOf(linkages, row) >= 0;
    cnSweptImpact found = cnFindSweptImpact(&body->mover, &other, swept->kind, isJointed);
    double impact = found.time;
    int group = GroupOf(body->sweep, row);
    swept->lonely &= group < 0 || group == swept->group;
    bool isFirst =
        impact < swept->impact || (impact < CN_NEVER && impact == swept->impact && proxy < swept->otherProxy);
    if (isFirst && !IsRemoved(world, body->proxy, proxy)) {
        swept->impact = impact;
        swept->turnsOn = found.turnsOn;
        swept->other = row;
        swept->otherProxy = proxy;
    }
    return true;
}

// Whether a linkage stopped in the last round: what its members touch is to be seen at that time.
static bool HasNewStop(const Sweep* sweep, const StopGroup* group) {
    return group->linkage >= 0 && group->settled != 0 && group->settled == sweep->round - 1;
}

static void SweepBody(const Sweep* sweep, Swept* swept) {
    cnWorld* world = sweep->world;
    BodySweep body = {.sweep = sweep, .swept = swept};
    const StopGroup* group = &sweep->groups[swept->group];
    body.full = sweep->round == 1 || HasNewStop(sweep, group) ||
                (group->settled == 0 && StoppedLast(sweep, swept->group, swept->other));
    cnWay way = WayOf(sweep, swept->row);
    if (body.full) {
        swept->impact = CN_NEVER;
        swept->other = swept->otherProxy = -1;
        swept->lonely = true;
    }
    for (int g = world->bodies.firstGeometry[swept->row]; g >= 0; g = world->geometries.nextOfBody[g]) {
        for (int p = world->geometries.firstProxy[g]; p >= 0; p = world->proxies.nextOfGeometry[p]) {
            body.proxy = p;
            body.mover = MakeMover(world, p, &way);
            VisitProxies(sweep, cnMover_GetBounds(&body.mover), swept->kind, SweepAtProxy, &body);
        }
    }
}

static void SweepBodies(int begin, int end, int thread, void* context) {
    (void)thread;
    const Sweep* sweep = context;
    for (int i = begin; i < end; ++i) {
        Swept* swept = &sweep->swept[i];
        if (!swept->lonely || HasNewStop(sweep, &sweep->groups[swept->group])) {
            SweepBody(sweep, swept);
        }
    }
}

// ---- all of them ------------------------------------------------------------------------------------------

static void Settle(const Sweep* sweep, StopGroup* group, double stop, int other) {
    group->settled = sweep->round;
    group->stop = stop;
    group->turnsOn = false;
    group->carrier = GroupOf(sweep, other) < 0 ? other : -1;
}

// The earliest impact of every group that is before its stop.
static void FindEarliest(const Sweep* sweep) {
    for (int g = 0; g < sweep->groupCount; ++g) {
        sweep->groups[g].earliest = -1;
    }
    for (int i = 0; i < sweep->count; ++i) {
        StopGroup* group = &sweep->groups[sweep->swept[i].group];
        double stop = group->settled != 0 ? group->stop : CN_NEVER;
        double before = group->earliest >= 0 ? sweep->swept[group->earliest].impact : stop;
        group->earliest = sweep->swept[i].impact < before ? i : group->earliest;
    }
}

// Makes the stops that hold. Returns how many.
static int SettleImpacts(const Sweep* sweep) {
    int count = 0;
    FindEarliest(sweep);
    for (int g = 0; g < sweep->groupCount; ++g) {
        StopGroup* group = &sweep->groups[g];
        const Swept* swept = group->earliest >= 0 ? &sweep->swept[group->earliest] : NULL;
        if (swept == NULL || (group->settled != 0 && swept->impact >= group->stop)) {
            continue;
        }
        double impact = swept->impact;
        int otherGroup = GroupOf(sweep, swept->other);
        StopGroup* other = otherGroup >= 0 && otherGroup != g ? &sweep->groups[otherGroup] : NULL;
        bool moves = other != NULL && other->settled == 0;
        double otherImpact = moves && other->earliest >= 0 ? sweep->swept[other->earliest].impact : CN_NEVER;
        bool stopsBefore = other != NULL && (moves ? otherImpact < impact
                                                   : other->settled == sweep->round && other->stop < impact);
        if (stopsBefore && sweep->round < CN_SWEEP_ROUNDS) {
            continue;
        }
        if (moves) {
            Settle(sweep, other, impact, swept->row);
        }
        Settle(sweep, group, impact, swept->other);
        group->turnsOn = swept->turnsOn;
        count += 1;
    }
    return count;
}

static cnPose PoseOnWayOf(const Sweep* sweep, int row, double time) {
    cnWay way = WayOf(sweep, row);
    return cnWay_GetPose(&way, time);
}

static void PlaceStopped(const Sweep* sweep, const cnSolve* solve, cnLinkages* linkages,
                         const StopGroup* group) {
    const cnLinkage* linkage = group->linkage >= 0 ? &linkages->linkages[group->linkage] : NULL;
    bool isHeld = linkage != NULL && linkage->hold != cn_holdNone;
    int row = linkage != NULL ? linkages->rows[linkage->firstMember] : group->row;
    int index = solve->solver.indexOfRow[row], island = solve->solver.island[index];
    int with = isHeld ? linkage->holder : group->carrier;
    cnCarrier carrier = {PoseOnWayOf(sweep, with, group->stop), PoseOnWayOf(sweep, with, 1.0)};
    if (isHeld) {
        carrier =
            (cnCarrier){cnLinkage_FrameAt(linkage, carrier.from), cnLinkage_FrameAt(linkage, carrier.to)};
    }
    const cnLostTime lost = {
        .solve = solve,
        .stop = group->stop,
        .carrier = with >= 0 ? &carrier : NULL,
        .isHolder = isHeld,
        .isFree = linkage != NULL ? solve->islands[island].contactCount == 0 : island < 0,
        .holder = isHeld ? linkage->holder : -1,
        .hangs = isHeld && linkage->hangs,
    };
    if (linkage != NULL) {
        cnLinkages_Interpolate(linkages, group->linkage, group->stop);
        cnLostTime_StopLinkage(&lost, linkages, group->linkage);
    } else {
        cnWay way = WayOf(sweep, row);
        double turnTime = group->turnsOn ? 1.0 : group->stop;
        cnLostTime_StopBody(&lost, row, cnWay_GetPoseTurned(&way, group->stop, turnTime));
    }
}

// A group for a body that is swept, with all that stops with it. -1 where what holds its
// linkage forbids a stop.
static int MakeGroup(Sweep* sweep, cnLinkages* linkages, int row) {
    int member = cnLinkages_MemberOf(linkages, row);
    int number = member >= 0 ? linkages->members[member].linkage : -1;
    if (number >= 0) {
        cnLinkages_Prepare(linkages, number);
        if (linkages->linkages[number].hold == cn_holdApart) {
            return -1;
        }
    }
    int group = sweep->groupCount++;
    sweep->groups[group] = (StopGroup){.linkage = number, .stop = 1.0, .carrier = -1, .row = row};
    sweep->groupOfRow[row] = group;
    for (int i = 0; number >= 0 && i < linkages->linkages[number].memberCount; ++i) {
        sweep->groupOfRow[linkages->rows[linkages->linkages[number].firstMember + i]] = group;
    }
    return group;
}

// ---- who is swept -----------------------------------------------------------------------------------------

// Whether a motion is long beside a tenth of one of the body's shapes.
static bool IsLongWay(const Sweep* sweep, int row) {
    const cnWorld* world = sweep->world;
    cnWay way = WayOf(sweep, row);
    for (int g = world->bodies.firstGeometry[row]; g >= 0; g = world->geometries.nextOfBody[g]) {
        for (int p = world->geometries.firstProxy[g]; p >= 0; p = world->proxies.nextOfGeometry[p]) {
            cnMover mover = MakeMover(world, p, &way);
            if (cnMover_GetLength(&mover) > cnGetSweptLength(mover.shape, cn_sweepFine)) {
                return true;
            }
        }
    }
    return false;
}

// Parts of merged bodies are not: they follow later.
static cnSweepKind KindOf(const cnWorld* world, int row) {
    uint32_t flags = world->bodies.flags[row];
    if ((flags & cn_bodyLive) == 0 || !cnBody_IsSimulated(&world->bodies, row)) {
        return cn_sweepNone;
    }
    bool isCoarse = world->continuous && (flags & cn_bodyDynamic) != 0;
    return (flags & cn_bodyFast) != 0 ? cn_sweepFine : isCoarse ? cn_sweepCoarse : cn_sweepNone;
}

// m, that the middle of a proxy's shape is at most off its body's centre of mass.
static double SwingOf(const cnWorld* world, int proxy) {
    const cnShape* shape = world->shapes.shapes[world->proxies.shape[proxy]];
    cnVec3 centre = world->bodies.localCentreOfMass[world->proxies.body[proxy]];
    return cnLength(cnSub(world->proxies.localPosition[proxy], centre)) + cnLength(shape->centre);
}

// m, no point of a proxy of a kinematic body goes farther in this step.
static double KinematicWayOf(const cnWorld* world, int proxy) {
    int row = world->proxies.body[proxy];
    double angle = world->timeStep * cnLength(world->bodies.halfStepAngularVelocity[row]);
    const cnShape* shape = world->shapes.shapes[world->proxies.shape[proxy]];
    double reach = SwingOf(world, proxy) + shape->boundingRadius;
    double shift = world->timeStep * cnLength(world->bodies.halfStepVelocity[row]);
    return angle > 0.0 ? shift + angle * reach : shift;
}

static void FindKinematics(const cnWorld* world, const cnSolve* solve, cnCcd* ccd) {
    ccd->anyKinematic = solve->kinematicCount > 0;
    for (int i = 0; i < solve->kinematicCount; ++i) {
        int row = solve->kinematicRows[i];
        for (int g = world->bodies.firstGeometry[row]; g >= 0; g = world->geometries.nextOfBody[g]) {
            for (int p = world->geometries.firstProxy[g]; p >= 0; p = world->proxies.nextOfGeometry[p]) {
                ccd->kinematicWay = cnMax(ccd->kinematicWay, KinematicWayOf(world, p));
            }
        }
    }
}

// A shape that goes as far, and whether it may pass what stands.
typedef struct Passage {
    const cnWorld* world;
    const cnShape* shape;
    int proxy;
    double length;   // m, of the way of a point of it, at most
    cnBounds bounds; // of all that it may come to
    bool mayPass;
} Passage;

static bool SeeTriangle(const cnTriangle* triangle, void* context) {
    (void)triangle;
    *(bool*)context = true;
    return false;
}

// Whether some of what stands is near the way at all. The bounds of meshes and height fields hold much air,
// and a convex shape is swept against their triangles: one has to be near; by twice the way, for it may be
// longer than it was foreseen to be.
static bool IsNearWay(const Passage* passage, int proxy) {
    const cnProxyTable* proxies = &passage->world->proxies;
    const cnShape* standing = passage->world->shapes.shapes[proxies->shape[proxy]];
    bool isConvex = !cnShape_Is(passage->shape, cn_formHollow | cn_formTriangles);
    if (!cnShape_Is(standing, cn_formTriangles) || !isConvex) {
        return true;
    }
    cnMat33 axes = cnMatFromQuat(proxies->rotation[proxy]);
    cnVec3 middle = cnScale(0.5, cnAdd(passage->bounds.lower, passage->bounds.upper));
    cnVec3 half = cnScale(0.5, cnSub(passage->bounds.upper, passage->bounds.lower));
    cnVec3 local = cnMulMatT(axes, cnSub(middle, proxies->position[proxy]));
    cnMat33 sizes = {cnAbs(axes.x), cnAbs(axes.y), cnAbs(axes.z)};
    cnVec3 around = {passage->length, passage->length, passage->length};
    cnVec3 reach = cnAdd(cnMulMatT(sizes, half), around);
    bool isNear = false;
    cnShape_VisitTriangles(standing, (cnBounds){cnSub(local, reach), cnAdd(local, reach)}, SeeTriangle,
                           &isNear);
    return isNear;
}

static bool PassProxy(int proxy, void* context) {
    Passage* passage = context;
    const cnWorld* world = passage->world;
    if (Stands(world, proxy)) {
        int row = world->proxies.body[proxy];
        bool isKinematic = row >= 0 && (world->bodies.flags[row] & cn_bodyKinematic) != 0;
        double length = passage->length + (isKinematic ? KinematicWayOf(world, proxy) : 0.0);
        const cnShape* standing = world->shapes.shapes[world->proxies.shape[proxy]];
        passage->mayPass = cnMayPass(passage->shape, length, standing) &&
                           MaySweep(world, passage->proxy, proxy) &&
                           (isKinematic || IsNearWay(passage, proxy));
    }
    return !passage->mayPass;
}

// Whether a body may pass what stands on a way from a centre of mass.
static bool MayPass(const Sweep* sweep, int row, cnVec3 centre, cnVec3 shift, cnVec3 turn) {
    const cnWorld* world = sweep->world;
    double length = cnLength(shift), angle = cnLength(turn);
    if (length <= CN_SHORT_SHIFT && angle <= CN_SHORT_TURN && sweep->ccd->kinematicWay <= CN_SHORT_SHIFT) {
        return false;
    }
    for (int g = world->bodies.firstGeometry[row]; g >= 0; g = world->geometries.nextOfBody[g]) {
        for (int p = world->geometries.firstProxy[g]; p >= 0; p = world->proxies.nextOfGeometry[p]) {
            const cnShape* shape = world->shapes.shapes[world->proxies.shape[p]];
            double swing = SwingOf(world, p), reach = swing + shape->boundingRadius;
            double turning = angle * (shape->type == cn_sphere ? swing : reach);
            if (length + turning + sweep->ccd->kinematicWay <= cnGetSweptLength(shape, cn_sweepCoarse)) {
                continue;
            }
            cnVec3 end = cnAdd(centre, shift), around = {reach, reach, reach};
            cnBounds bounds = {cnSub(cnMinVec(centre, end), around), cnAdd(cnMaxVec(centre, end), around)};
            Passage passage = {world, shape, p, length + turning, bounds, false};
            VisitProxies(sweep, bounds, cn_sweepCoarse, PassProxy, &passage);
            if (passage.mayPass) {
                return true;
            }
        }
    }
    return false;
}

// After the bodies moved. Those that are joined, where it was foreseen.
static bool MightHavePassed(const Sweep* sweep, int row) {
    const cnBodyTable* bodies = &sweep->world->bodies;
    if (bodies->firstConstraint[row] >= 0 && cnLinkages_MemberOf(&sweep->ccd->linkages, row) < 0) {
        return false;
    }
    cnVec3 start = bodies->contactCentre[row];
    cnVec3 turn = cnScale(sweep->world->timeStep, bodies->halfStepAngularVelocity[row]);
    return MayPass(sweep, row, start, cnSub(bodies->centreOfMass[row], start), turn);
}

// By the speed that it has as the step begins.
static bool MightPass(const Sweep* sweep, int row) {
    const cnBodyTable* bodies = &sweep->world->bodies;
    double h = sweep->world->timeStep;
    cnVec3 gravity = cnGravityOn(&sweep->world->gravity, bodies, row);
    cnVec3 shift = cnMulAdd(cnScale(h, bodies->halfStepVelocity[row]), h * h, gravity);
    cnVec3 turn = cnScale(h, bodies->halfStepAngularVelocity[row]);
    return MayPass(sweep, row, bodies->centreOfMass[row], shift, turn);
}

typedef struct Choice {
    const Sweep* sweep;
    cnRowList rows;
    uint8_t* kinds; // cnSweepKind of each of them
} Choice;

static void ChooseTask(int begin, int end, int thread, void* context) {
    (void)thread;
    const Choice* choice = context;
    for (int i = begin; i < end; ++i) {
        int row = cnRowList_Get(&choice->rows, i);
        cnSweepKind kind = KindOf(choice->sweep->world, row);
        bool isChosen = kind != cn_sweepCoarse || MightHavePassed(choice->sweep, row);
        choice->kinds[i] = (uint8_t)(isChosen ? kind : cn_sweepNone);
    }
}

// Lists those who are swept, with what stops together. False when memory ran out.
static bool ListSwept(Sweep* sweep, cnLinkages* linkages, const cnRowList* rows) {
    cnWorld* world = sweep->world;
    Choice choice = {sweep, *rows, CN_PUSH(&world->stack, uint8_t, rows->count, "kinds of sweeps")};
    if (choice.kinds == NULL) {
        return false;
    }
    cnThreadPool_Run(world->threads, ChooseTask, &choice, rows->count, CN_ROW_CHUNK);
    int count = 0, rowCount = world->bodies.ids.rowCount;
    for (int i = 0; i < rows->count; ++i) {
        count += choice.kinds[i] != cn_sweepNone;
    }
    if (count == 0) {
        return true;
    }
    sweep->swept = CN_PUSH(&world->stack, Swept, count, "bodies that are swept");
    sweep->groups = CN_PUSH(&world->stack, StopGroup, count, "groups of bodies that are swept");
    sweep->groupOfRow = CN_PUSH(&world->stack, int, rowCount, "groups of rows");
    if (sweep->swept == NULL || sweep->groups == NULL || sweep->groupOfRow == NULL) {
        return false;
    }
    for (int row = 0; row < rowCount; ++row) {
        sweep->groupOfRow[row] = -1;
    }
    for (int i = 0; i < rows->count; ++i) {
        int row = cnRowList_Get(rows, i);
        cnSweepKind kind = choice.kinds[i];
        if (kind == cn_sweepNone || (kind == cn_sweepFine && !IsLongWay(sweep, row))) {
            continue;
        }
        int group = sweep->groupOfRow[row];
        group = group >= 0 ? group : MakeGroup(sweep, linkages, row);
        if (group >= 0) {
            sweep->swept[sweep->count++] = (Swept){.row = row, .group = group, .kind = kind};
        }
    }
    return true;
}

bool cnStopCcdBodies(cnWorld* world, const cnSolve* solve, cnCcd* ccd) {
    Sweep sweep = {.world = world, .ccd = ccd};
    if (!ListSwept(&sweep, &ccd->linkages, &solve->awake)) {
        return false;
    }

    // their impacts, the earliest first
    int stopped = sweep.count;
    for (int round = 1; round <= CN_SWEEP_ROUNDS && stopped > 0; ++round) {
        sweep.round = round;
        cnThreadPool_Run(world->threads, SweepBodies, &sweep, sweep.count, 1);
        stopped = SettleImpacts(&sweep);
    }
    for (int g = 0; g < sweep.groupCount; ++g) {
        if (sweep.groups[g].settled != 0) {
            PlaceStopped(&sweep, solve, &ccd->linkages, &sweep.groups[g]);
        }
    }
    return true;
}

// ---- before the solve -------------------------------------------------------------------------------------

static void ForeseeTask(int begin, int end, int thread, void* context) {
    (void)thread;
    const Choice* choice = context;
    const cnBodyTable* bodies = &choice->sweep->world->bodies;
    for (int i = begin; i < end; ++i) {
        int row = cnRowList_Get(&choice->rows, i);
        bool isJointed = i > 0 && bodies->firstConstraint[row] >= 0; // index 0 is no body
        cnSweepKind kind = isJointed ? KindOf(choice->sweep->world, row) : cn_sweepNone;
        bool isSwept = kind == cn_sweepFine || (kind == cn_sweepCoarse && MightPass(choice->sweep, row));
        choice->kinds[i] = (uint8_t)(isSwept ? kind : cn_sweepNone);
    }
}

bool cnBeginCcd(cnWorld* world, const cnSolve* solve, cnCcd* ccd) {
    *ccd = (cnCcd){.linkages.solve = solve};
    FindKinematics(world, solve, ccd);
    if (solve->jointCount == 0) {
        return true;
    }
    Sweep sweep = {.world = world, .ccd = ccd};
    cnRowList rows = {solve->solver.rows, solve->solver.count};
    Choice choice = {&sweep, rows, CN_PUSH(&world->stack, uint8_t, rows.count, "kinds of sweeps")};
    if (choice.kinds == NULL) {
        return false;
    }
    cnThreadPool_Run(world->threads, ForeseeTask, &choice, rows.count, CN_ROW_CHUNK);
    return cnLinkages_Find(&ccd->linkages, solve, choice.kinds);
}
