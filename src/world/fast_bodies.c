// Fast bodies: swept along their motion, so that they pass through nothing within a step.
//
// ## What happens
// The bodies have moved from where the step found them to where it leaves them. Each fast body whose motion is long beside its
// size is swept against everything near its way, both bodies moving and turning at constant rates:
//
//        0 ────────── t ───────────── 1        of the step
//        start        impact           end
//
// At the impact it stops. Its velocity stays, so that the contact that the next step finds there, a hair deep, takes over with
// restitution, friction and the momentum of all that is involved; the sweep itself changes no momentum and adds no energy.
// Against another body that is swept, too, both stop. A body that is not swept (static, kinematic, slow) goes its way, and the
// fast one goes along with it from t on, so that both lie at the end as they met. What is lost is the rest of the step, 1 − t:
// a body that nothing touches gets back what gravity and users' forces gave it for this time, or a falling ball would come back
// higher than it fell from.
//
// ## When there is an impact
// Not at a touch: a box that slides over flush tiles touches a new tile's side with every edge it passes. An impact is a depth
// of a tenth of the least half extent (`core`), if it is reached within the step; the depth of what slides stays far below.
// The body is then put to where the depth was a hundredth (`rest`). Pairs that are deep already may get a hundredth deeper: what
// the contact solver has not stopped, the sweep does. Depth is the signed distance of penetration.h, a convex function of a translation: Newton's method on it
// never passes the first root, and with what turning adds to the closing speed it is conservative advancement (Mirtich 1996,
// "Impulse-based dynamic simulation of rigid body systems").
//
// Against a mesh or a height field each triangle that is met from its front counts for itself. Of pairs with another concave
// shape the inscribed ball of one is swept against the signed distance of the other: it is stopped, if a little late.
//
// ## Several at once
// Impacts are found in rounds, every body's earliest one against all others as they are known to move and stop. It holds unless
// the other body stops before. In the next round all that have swept bodies near them are swept again: what was thought to
// move may have stopped, and stands in the way. Stops only get earlier, so this ends, and nothing passes; one may be too early
// where its reason fell away. Rounds depend on nothing but the state: each sweep writes only its own result, and stops are
// made in row order.
#include "collide/queries.h"
#include "geometry/penetration.h"
#include "geometry/triangles.h"
#include "world/world.h"

// Rounds of impacts; in the last one, every impact that is found holds.
#define CN_FAST_ROUNDS 32
#define CN_MOST_ADVANCES 64
// Depths as parts of the least half extent, and at most (m).
#define CN_CORE_FRACTION 0.1
#define CN_CORE_MOST 0.005
#define CN_REST_FRACTION 0.01
#define CN_REST_MOST 0.0005
// Later than any impact.
#define CN_NEVER 2.0

// A body's way through the step. After `stop`, it rests.
typedef struct cnWay {
    cnVec3 centre, shift; // m, of the centre of mass at the start, and how far it goes in the whole step
    cnQuat rotation;
    cnVec3 turn; // rad
    cnVec3 localCentre;
    double stop;
} cnWay;

// A body that is swept.
typedef struct cnSwept {
    int row;
    int settled;   // round in which its stop was made, 0 until then
    bool lonely;   // no other swept body is near
    double impact; // of this round, CN_NEVER for none
    int other;     // row, -1 for scenery
    int otherProxy;
    double stop; // once settled
    int carrier; // row of what it goes along with, -1
} cnSwept;

typedef struct cnSweep {
    cnWorld* world;
    cnSwept* swept;
    int count;
    int* sweptOfRow; // -1 for the others
    int round;
} cnSweep;

// ---- ways -----------------------------------------------------------------------------------------------------------

static cnWay cnWayOf(const cnSweep* sweep, int row) {
    if (row < 0) {
        return (cnWay){.rotation = cnQuat_identity, .stop = 1.0};
    }
    const cnBodyTable* bodies = &sweep->world->bodies;
    cnQuat before = bodies->previousRotation[row];
    cnVec3 centre = cnAdd(bodies->previousPosition[row], cnRotate(before, bodies->localCentreOfMass[row]));
    cnQuat turn = cnMulQuat(bodies->rotation[row], cnConjugate(before));
    double sign = turn.w < 0.0 ? -1.0 : 1.0;
    cnVec3 axis = {sign * turn.x, sign * turn.y, sign * turn.z};
    double sine = cnLength(axis);
    int index = sweep->sweptOfRow[row];
    return (cnWay){
        .centre = centre,
        .shift = cnSub(bodies->centreOfMass[row], centre),
        .rotation = before,
        .turn = sine > 0.0 ? cnScale(2.0 * cnAtan2(sine, sign * turn.w) / sine, axis) : cnVec3_zero,
        .localCentre = bodies->localCentreOfMass[row],
        .stop = index >= 0 && sweep->swept[index].settled != 0 ? sweep->swept[index].stop : 1.0,
    };
}

// Model frame at a time 0…1 of the step.
static cnPose cnPoseOnWay(const cnWay* way, double time) {
    double t = cnMin(time, way->stop);
    cnQuat rotation =
        cnNormalizeQuat(cnMulQuat(cnQuatFromRotationVector(cnScale(t, way->turn)), way->rotation));
    cnVec3 centre = cnMulAdd(way->centre, t, way->shift);
    return (cnPose){cnSub(centre, cnRotate(rotation, way->localCentre)), rotation};
}

// ---- one pair of shapes ---------------------------------------------------------------------------------------------

// A shape on its way.
typedef struct cnMover {
    const cnShape* shape;
    cnWay way;
    cnPose local; // in the body's model frame
    double
        arm; // m: no point of the shape moves faster by turning than that of this distance from the centre of mass
    bool isConvex;
    cnSupportShape support; // convex only
} cnMover;

// In the frame of `standing`, though both move.
typedef struct cnMeeting {
    const cnMover* mover;
    const cnMover* standing;
    const cnSupportShape*
        part; // of `standing`; null: a plane, or the signed distance to the ball about the mover's centre
    double core, rest; // m
    double earliest;
} cnMeeting;

static cnMover cnMakeMover(const cnWorld* world, int proxy, const cnWay* way) {
    cnMover mover = {
        .shape = world->shapes.shapes[world->proxies.shape[proxy]],
        .way = *way,
        .local = {world->proxies.localPosition[proxy], world->proxies.localRotation[proxy]},
    };
    bool hollow = mover.shape->type == cn_hollowCylinder || mover.shape->type == cn_hollowCone;
    mover.isConvex = !hollow && cnSupportShape_Init(&mover.support, mover.shape);
    cnVec3 centre = cnTransformPoint(mover.local, mover.shape->centre);
    double ball = mover.shape->type == cn_sphere ? 0.0 : mover.shape->boundingRadius;
    mover.arm = cnLength(way->turn) > 0.0 ? cnLength(cnSub(centre, way->localCentre)) + ball : 0.0;
    return mover;
}

static cnPose cnPoseOfMover(const cnMover* mover, double time) {
    return cnMulPose(cnPoseOnWay(&mover->way, time), mover->local);
}

// Signed distance at a time and the direction (world, from `standing` to the mover) that it belongs to; zero where the distance
// may shrink in any direction. False where it is more than `reach`.
static bool cnMeasureGap(const cnMeeting* meeting, double time, double reach, double* gap, cnVec3* normal) {
    const cnMover* mover = meeting->mover;
    const cnShape* standing = meeting->standing->shape;
    cnPose frame = cnPoseOfMover(meeting->standing, time);
    cnPose pose = cnPoseOfMover(mover, time);
    if (meeting->part == NULL && !(standing->type == cn_plane && mover->isConvex)) {
        cnSurfacePoint surface;
        cnVec3 centre = cnInvTransformPoint(frame, cnTransformPoint(pose, mover->shape->centre));
        double radius = mover->shape->leastHalfExtent;
        *normal = cnVec3_zero;
        bool near = cnShape_FindClosest(standing, centre, reach + radius, &surface);
        *gap = near ? surface.distance - radius : 0.0;
        return near;
    }
    cnMat33 axes = cnMatFromQuat(frame.rotation), moverAxes = cnMatFromQuat(pose.rotation);
    cnRelativePose relative = {
        {cnMulMatT(axes, moverAxes.x), cnMulMatT(axes, moverAxes.y), cnMulMatT(axes, moverAxes.z)},
        cnMulMatT(axes, cnSub(pose.position, frame.position)),
    };
    if (meeting->part == NULL) {
        int hint = 0;
        cnVec3 down = cnNeg(standing->normal);
        cnVec3 lowest =
            cnToA(&relative, cnSupportShape_GetPoint(&mover->support, cnMulMatT(relative.axes, down), &hint));
        *gap = cnDot(standing->normal, lowest) - mover->support.radius - standing->offset;
        *normal = cnRotate(frame.rotation, standing->normal);
        return *gap <= reach;
    }
    cnSupportDistance distance;
    bool near = cnComputeSupportDistance(meeting->part, &mover->support, &relative, reach, &distance);
    *gap = distance.distance;
    *normal = cnRotate(frame.rotation, distance.normal);
    return near;
}

// m a step, the most by which the gap may shrink along a normal (zero: any).
static double cnClosingSpeed(const cnMeeting* meeting, cnVec3 normal, double time) {
    const cnWay* way1 = &meeting->mover->way;
    const cnWay* way2 = &meeting->standing->way;
    cnVec3 shift1 = time < way1->stop ? way1->shift : cnVec3_zero;
    cnVec3 shift2 = time < way2->stop ? way2->shift : cnVec3_zero;
    cnVec3 shift = cnSub(shift1, shift2);
    double turning = (time < way1->stop ? meeting->mover->arm * cnLength(way1->turn) : 0.0) +
                     (time < way2->stop ? meeting->standing->arm * cnLength(way2->turn) : 0.0);
    double along = cnLengthSquared(normal) > 0.0 ? -cnDot(normal, shift) : cnLength(shift);
    return along + turning;
}

// m a step, the most by which the gap may shrink from now on, whoever stops.
static double cnMostSpeed(const cnMeeting* meeting, double time) {
    const cnWay* way1 = &meeting->mover->way;
    const cnWay* way2 = &meeting->standing->way;
    bool oneStops = (time < way1->stop && way1->stop < 1.0) || (time < way2->stop && way2->stop < 1.0);
    return cnClosingSpeed(meeting, cnVec3_zero, time) +
           (oneStops ? cnLength(way1->shift) + cnLength(way2->shift) : 0.0);
}

// First time at which the shapes are `depth` deep, or CN_NEVER.
static double cnFindDepth(const cnMeeting* meeting, double depth) {
    double time = 0.0;
    double stops[2] = {meeting->mover->way.stop, meeting->standing->way.stop};
    for (int i = 0; i < CN_MOST_ADVANCES; ++i) {
        cnVec3 normal;
        double gap;
        double most = (1.0 - time) * cnMostSpeed(meeting, time);
        if (!cnMeasureGap(meeting, time, most, &gap, &normal)) {
            return CN_NEVER;
        }
        double left = gap + depth;
        if (left <= 0.05 * meeting->rest) {
            return time;
        }
        double closing = cnClosingSpeed(meeting, normal, time);
        double next = closing > 0.0 ? time + left / closing : CN_NEVER;

        // speeds hold until a body stops
        for (int k = 0; k < 2; ++k) {
            if (time < stops[k] && next > stops[k]) {
                next = stops[k];
            }
        }
        if (next >= 1.0) {
            return CN_NEVER;
        }
        time = next;
    }
    return time;
}

static void cnMeet(cnMeeting* meeting) {
    cnVec3 normal;
    double gap;
    if (!cnMeasureGap(meeting, 0.0, cnMostSpeed(meeting, 0.0), &gap, &normal)) {
        return;
    }
    double rest = cnMax(meeting->rest, 0.5 * meeting->rest - gap);
    double impact = cnFindDepth(meeting, cnMax(meeting->core, rest + 0.5 * meeting->rest));
    if (impact < CN_NEVER) {
        meeting->earliest = cnMin(meeting->earliest, cnMin(impact, cnFindDepth(meeting, rest)));
    }
}

static bool cnMeetTriangle(const cnTriangle* triangle, void* context) {
    cnMeeting* meeting = context;
    cnVec3 shift = cnSub(meeting->mover->way.shift, meeting->standing->way.shift);
    cnQuat rotation = cnPoseOfMover(meeting->standing, 0.0).rotation;
    if (meeting->standing->way.stop < 1.0 || cnDot(cnRotate(rotation, triangle->normal), shift) < 0.0) {
        cnSupportShape part = cnSupportShape_FromCorners(triangle->corners, 3, 0.0);
        meeting->part = &part;
        cnMeet(meeting);
        meeting->part = NULL;
    }
    return true;
}

// The box of the standing shape's frame that holds the mover's way, seen from the standing shape's start.
static cnBounds cnBoundsOfWay(const cnMeeting* meeting) {
    const cnMover* mover = meeting->mover;
    cnPose frame = cnPoseOfMover(meeting->standing, 0.0);
    double radius = mover->shape->boundingRadius +
                    cnLength(meeting->standing->way.turn) * meeting->standing->arm +
                    cnLength(mover->way.turn) * mover->arm;
    cnVec3 start = cnTransformPoint(cnPoseOfMover(mover, 0.0), mover->shape->centre);
    cnVec3 end = cnSub(cnAdd(start, mover->way.shift), meeting->standing->way.shift);
    cnVec3 a = cnInvTransformPoint(frame, start), b = cnInvTransformPoint(frame, end);
    cnVec3 around = {radius, radius, radius};
    return (cnBounds){cnSub(cnMinVec(a, b), around), cnAdd(cnMaxVec(a, b), around)};
}

static double cnFindImpact(const cnMover* a, const cnMover* b) {
    bool bHasTriangles = b->shape->type == cn_trimesh || b->shape->type == cn_heightField;
    bool swapped = !a->isConvex && (b->isConvex || a->shape->boundingRadius > b->shape->boundingRadius) &&
                   b->shape->type != cn_plane;
    cnMeeting meeting = {.mover = swapped ? b : a, .standing = swapped ? a : b, .earliest = CN_NEVER};
    double least = a->shape->leastHalfExtent;
    if (b->isConvex) {
        least = a->isConvex ? cnMin(least, b->shape->leastHalfExtent) : b->shape->leastHalfExtent;
    }
    meeting.core = cnMin(CN_CORE_FRACTION * least, CN_CORE_MOST);
    meeting.rest = cnMin(CN_REST_FRACTION * least, CN_REST_MOST);
    if (a->isConvex && bHasTriangles) {
        cnShape_VisitTriangles(b->shape, cnBoundsOfWay(&meeting), cnMeetTriangle, &meeting);
    } else {
        meeting.part = a->isConvex && b->isConvex ? &b->support : NULL;
        cnMeet(&meeting);
    }
    return meeting.earliest;
}

// ---- one body -------------------------------------------------------------------------------------------------------

typedef struct cnBodySweep {
    const cnSweep* sweep;
    cnSwept* swept;
    int proxy;
    cnMover mover;
    bool full; // else only against those that stopped in the last round: the rest is known
} cnBodySweep;

static bool cnStoppedLast(const cnSweep* sweep, int row) {
    int index = row >= 0 ? sweep->sweptOfRow[row] : -1;
    return index >= 0 && sweep->swept[index].settled != 0 && sweep->swept[index].settled == sweep->round - 1;
}

static bool cnSweepAtProxy(int proxy, void* context) {
    cnBodySweep* body = context;
    cnWorld* world = body->sweep->world;
    uint32_t flags = world->geometries.flags[world->proxies.geometry[body->proxy]] |
                     world->geometries.flags[world->proxies.geometry[proxy]];
    int row = world->proxies.body[proxy];
    if (proxy == body->proxy || (flags & cn_geometrySensor) != 0 ||
        !(body->full || cnStoppedLast(body->sweep, row)) || !cnMayProxiesCollide(body->proxy, proxy, world)) {
        return true;
    }
    cnWay way = cnWayOf(body->sweep, row);
    cnMover other = cnMakeMover(world, proxy, &way);
    if (row < 0) {
        other.arm = 0.0;
    }
    double impact = cnFindImpact(&body->mover, &other);
    cnSwept* swept = body->swept;
    swept->lonely &= row < 0 || body->sweep->sweptOfRow[row] < 0;
    if (impact < swept->impact ||
        (impact < CN_NEVER && impact == swept->impact && proxy < swept->otherProxy)) {
        swept->impact = impact;
        swept->other = row;
        swept->otherProxy = proxy;
    }
    return true;
}

static void cnSweepBody(const cnSweep* sweep, cnSwept* swept) {
    cnWorld* world = sweep->world;
    cnBodySweep body = {.sweep = sweep, .swept = swept};
    body.full = sweep->round == 1 || (swept->settled == 0 && cnStoppedLast(sweep, swept->other));
    cnWay way = cnWayOf(sweep, swept->row);
    if (body.full) {
        swept->impact = CN_NEVER;
        swept->other = swept->otherProxy = -1;
        swept->lonely = true;
    }
    for (int g = world->bodies.firstGeometry[swept->row]; g >= 0; g = world->geometries.nextOfBody[g]) {
        for (int p = world->geometries.firstProxy[g]; p >= 0; p = world->proxies.nextOfGeometry[p]) {
            body.proxy = p;
            body.mover = cnMakeMover(world, p, &way);

            // a ball about the centre of the shape holds it, and its centre swings as far as the body turns
            cnVec3 start = cnTransformPoint(cnPoseOfMover(&body.mover, 0.0), body.mover.shape->centre);
            cnVec3 end = cnAdd(start, way.shift);
            double radius = body.mover.shape->boundingRadius + body.mover.arm * cnLength(way.turn);
            cnVec3 around = {radius, radius, radius};
            cnBounds bounds = {cnSub(cnMinVec(start, end), around), cnAdd(cnMaxVec(start, end), around)};
            cnBroadPhase_Overlap(world->broadPhase, bounds, cnSweepAtProxy, &body);
        }
    }
}

static void cnSweepBodies(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSweep* sweep = context;
    for (int i = begin; i < end; ++i) {
        if (!sweep->swept[i].lonely) {
            cnSweepBody(sweep, &sweep->swept[i]);
        }
    }
}

// ---- all of them ----------------------------------------------------------------------------------------------------

// Whether the motion of this step is long beside the body's size.
static bool cnIsLongWay(const cnSweep* sweep, int row) {
    const cnWorld* world = sweep->world;
    cnWay way = cnWayOf(sweep, row);
    double shift = cnLength(way.shift);
    for (int g = world->bodies.firstGeometry[row]; g >= 0; g = world->geometries.nextOfBody[g]) {
        for (int p = world->geometries.firstProxy[g]; p >= 0; p = world->proxies.nextOfGeometry[p]) {
            cnMover mover = cnMakeMover(world, p, &way);
            double core = cnMin(CN_CORE_FRACTION * mover.shape->leastHalfExtent, CN_CORE_MOST);
            if (shift + mover.arm * cnLength(way.turn) > core) {
                return true;
            }
        }
    }
    return false;
}

static void cnSettle(const cnSweep* sweep, cnSwept* swept, double stop, int other, int round) {
    bool otherSwept = other >= 0 && sweep->sweptOfRow[other] >= 0;
    swept->settled = round;
    swept->stop = stop;
    swept->carrier = otherSwept ? -1 : other;
}

// Makes the stops that hold. Returns how many.
static int cnSettleImpacts(cnSweep* sweep, int round) {
    int count = 0;
    for (int i = 0; i < sweep->count; ++i) {
        cnSwept* swept = &sweep->swept[i];
        double impact = swept->impact;
        if (impact >= CN_NEVER || (swept->settled != 0 && impact >= swept->stop)) {
            continue;
        }
        int index = swept->other >= 0 ? sweep->sweptOfRow[swept->other] : -1;
        cnSwept* other = index >= 0 ? &sweep->swept[index] : NULL;
        bool moves = other != NULL && other->settled == 0;
        bool stopsBefore = other != NULL &&
                           (moves ? other->impact < impact : other->settled == round && other->stop < impact);
        if (stopsBefore && round < CN_FAST_ROUNDS) {
            continue;
        }
        if (moves) {
            cnSettle(sweep, other, impact, swept->row, round);
            other->impact = CN_NEVER;
        }
        cnSettle(sweep, swept, impact, swept->other, round);
        swept->impact = CN_NEVER;
        count += 1;
    }
    return count;
}

static void cnPlaceStopped(const cnSweep* sweep, const cnSolve* solve, const cnSwept* swept) {
    cnBodyTable* bodies = &sweep->world->bodies;
    int row = swept->row;
    cnWay way = cnWayOf(sweep, row);
    cnPose pose = cnPoseOnWay(&way, swept->stop);
    if (swept->carrier >= 0) {
        // along with what it met, which goes on
        cnWay carrier = cnWayOf(sweep, swept->carrier);
        cnPose then = cnPoseOnWay(&carrier, swept->stop), now = cnPoseOnWay(&carrier, 1.0);
        cnQuat turn = cnMulQuat(now.rotation, cnConjugate(then.rotation));
        pose.position = cnAdd(now.position, cnRotate(turn, cnSub(pose.position, then.position)));
        pose.rotation = cnNormalizeQuat(cnMulQuat(turn, pose.rotation));
    }
    bodies->position[row] = pose.position;
    bodies->rotation[row] = pose.rotation;
    cnBody_UpdateCentre(bodies, row);
    int index = solve->solver.indexOfRow[row];
    if (solve->solver.free[index]) {
        double lost = (1.0 - swept->stop) * solve->h;
        cnInverseMass inverse;
        cnBody_GetInverseMass(bodies, row, lost, &inverse);
        cnForceResponse response;
        cnBody_GetForceResponse(bodies, row, lost, &inverse, bodies->lastForce[row], cnVec3_zero, &response);
        bodies->velocity[row] = cnSub(bodies->velocity[row], response.linear);
    }
    cnBody_UpdateAngularVelocity(bodies, row);
}

bool cnStopFastBodies(cnWorld* world, const cnSolve* solve) {
    // who is swept
    int rowCount = world->bodies.ids.rowCount;
    int fastCount = 0;
    uint32_t fast = cn_bodyLive | cn_bodyDynamic | cn_bodyEnabled | cn_bodyFast;
    for (int row = 0; row < rowCount; ++row) {
        fastCount += (world->bodies.flags[row] & fast) == fast;
    }
    if (fastCount == 0) {
        return true;
    }
    cnSweep sweep = {
        .world = world,
        .swept = CN_PUSH(&world->stack, cnSwept, fastCount, "fast bodies"),
        .sweptOfRow = CN_PUSH(&world->stack, int, rowCount, "fast bodies of rows"),
    };
    if (sweep.swept == NULL || sweep.sweptOfRow == NULL) {
        return false;
    }
    for (int row = 0; row < rowCount; ++row) {
        sweep.sweptOfRow[row] = -1;
    }
    for (int row = 0; row < rowCount; ++row) {
        if ((world->bodies.flags[row] & fast) == fast && cnIsLongWay(&sweep, row)) {
            sweep.sweptOfRow[row] = sweep.count;
            sweep.swept[sweep.count++] = (cnSwept){.row = row, .stop = 1.0, .carrier = -1};
        }
    }

    // their impacts, the earliest first
    int stopped = sweep.count;
    for (int round = 1; round <= CN_FAST_ROUNDS && stopped > 0; ++round) {
        sweep.round = round;
        cnThreadPool_Run(world->threads, cnSweepBodies, &sweep, sweep.count, 1);
        stopped = cnSettleImpacts(&sweep, round);
    }
    for (int i = 0; i < sweep.count; ++i) {
        if (sweep.swept[i].settled != 0) {
            cnPlaceStopped(&sweep, solve, &sweep.swept[i]);
        }
    }
    return true;
}
