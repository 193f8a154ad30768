// Fast bodies: swept along their motion, so that they pass through nothing within a step.
//
// ## What happens
// The bodies have moved from where the step found them to where it leaves them. Each fast body whose
// motion is long beside its size is swept against everything near its way, both bodies moving and turning
// at constant rates:
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
// Bodies that constraints join stop together, at the earliest impact of any CCD body among them: a linkage
// (linkages.h). Below, a group is what stops together, a body alone or a linkage. Whom a linkage member
// touched already at the start of the step, the contact solver has seen, and only where its centre is to pass
// that is an impact: a rod that rolls or tumbles dips in with its ends between two good poses, and a linkage
// would lose most of every step to that.
//
// ## When there is an impact
// Not at a touch: a box that slides over flush tiles touches a new tile's side with every edge it passes. An
// impact is a depth of a tenth of the inradius (`core`), if it is reached within the step; the depth of what
// slides stays far below. The body is then put to where the depth was a hundredth (`rest`). Pairs that are
// deep already may get a hundredth deeper: what the contact solver has not stopped, the sweep does. Depth is
// the signed distance of penetration.h, a convex function of a translation: Newton's method on it never
// passes the first root, and with what turning adds to the closing speed it is conservative advancement
// (Mirtich 1996, "Impulse-based dynamic simulation of rigid body systems").
//
// Against a mesh or a height field each triangle that is met from its front counts for itself. Of pairs with
// another concave shape the inscribed ball of one is swept against the signed distance of the other: it is
// stopped, if a little late.
//
// ## Several at once
// Impacts are found in rounds, every group's earliest one against all others as they are known to move and
// stop. It holds unless the other group stops before. In the next round all that have swept bodies near them
// are swept again: what was thought to move may have stopped, and stands in the way. Stops only get earlier,
// so this ends, and nothing passes; one may be too early where its reason fell away. Rounds depend on nothing
// but the state: each sweep writes only its own result, and stops are made in row order.
#include "collide/queries/queries.h"
#include "geometry/penetration.h"
#include "geometry/shape_forms.h"
#include "geometry/triangles.h"
#include "world/ccd/lost_time.h"
#include "world/step/step.h"

// Rounds of impacts; in the last one, every impact that is found holds.
#define CN_FAST_ROUNDS 32
#define CN_MAX_ADVANCES 64
// How far depths may be off, as a part of the least that matters.
#define CN_DEPTH_ERROR 0.02
// A gap along the last normal is as good as a distance while it is at least this share of it.
#define CN_APART_SHARE 0.3
// Depths as parts of the inradius, and at most (m).
#define CN_CORE_FRACTION 0.1
#define CN_CORE_MAX 0.005
#define CN_REST_FRACTION 0.01
#define CN_REST_MAX 0.0005
// How near its centre may come to what a member of a linkage touches, as parts of its inradius: from afar,
// and how near it counts as being at the surface.
#define CN_CENTRE_FAR 0.5
#define CN_CENTRE_NEAR 0.1
// Later than any impact.
#define CN_NEVER 2.0

// A body's way through the step. After `stop`, it rests.
typedef struct Way {
    cnVec3 centre, shift; // m, of the centre of mass at the start, and how far it goes in the whole step
    const cnLinkageMember* member; // whose deviations from that straight line count, null
    cnQuat rotation;
    cnVec3 turn; // rad
    cnVec3 localCentre;
    double stop;
} Way;

// A body that is swept.
typedef struct Swept {
    int row;
    int group;
    bool lonely;   // no swept body of another group is near
    double impact; // of this round, CN_NEVER for none
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
    int row;      // of a body alone
} StopGroup;

typedef struct Sweep {
    cnWorld* world;
    const cnLinkages* linkages;
    Swept* swept;
    int count;
    StopGroup* groups;
    int groupCount;
    int* groupOfRow; // -1 for the others
    int round;
} Sweep;

// ---- ways -------------------------------------------------------------------------------------------------

static Way WayOf(const Sweep* sweep, int row) {
    if (row < 0) {
        return (Way){.rotation = cnQuat_identity, .stop = 1.0};
    }
    const cnBodyTable* bodies = &sweep->world->bodies;
    int group = sweep->groupOfRow[row];
    int index = group >= 0 ? cnLinkages_MemberOf(sweep->linkages, row) : -1;
    const cnLinkageMember* member = index >= 0 ? &sweep->linkages->members[index] : NULL;
    cnPose start = member != NULL ? member->start : cnLinkages_StartPose(sweep->linkages->solve, row);
    cnQuat before = start.rotation;
    cnVec3 centre = cnAdd(start.position, cnRotate(before, bodies->localCentreOfMass[row]));
    cnQuat turn = cnMulQuat(bodies->rotation[row], cnConjugate(before));
    return (Way){
        .centre = centre,
        .shift = cnSub(bodies->centreOfMass[row], centre),
        .rotation = before,
        .member = member,
        .turn = cnRotationVectorOf(turn),
        .localCentre = bodies->localCentreOfMass[row],
        .stop = group >= 0 && sweep->groups[group].settled != 0 ? sweep->groups[group].stop : 1.0,
    };
}

// Segments of a path, between whose ends the centre of mass of a member moves straight.
static int SegmentAt(double time) {
    int segment = (int)(time * CN_PATH_SEGMENTS);
    return segment < CN_PATH_SEGMENTS ? segment : CN_PATH_SEGMENTS - 1;
}

static cnVec3 DeviationAt(const Way* way, double time) {
    if (way->member == NULL) {
        return cnVec3_zero;
    }
    int segment = SegmentAt(time);
    const cnVec3* ends = way->member->deviations + segment;
    double share = time * CN_PATH_SEGMENTS - segment;
    return cnAdd(cnScale(1.0 - share, ends[0]), cnScale(share, ends[1]));
}

// m a step, beside the speed on the straight line, in the segment that begins or goes on at a time.
static cnVec3 DeviationSpeed(const Way* way, double time) {
    if (way->member == NULL) {
        return cnVec3_zero;
    }
    const cnVec3* ends = way->member->deviations + SegmentAt(time);
    return cnScale(CN_PATH_SEGMENTS, cnSub(ends[1], ends[0]));
}

// m, the most that a path is beside its straight line, and how long it is at most beside that.
static double MaxDeviation(const Way* way) {
    return way->member != NULL ? way->member->maxDeviation : 0.0;
}

static double DeviationLength(const Way* way) {
    return way->member != NULL ? way->member->deviationLength : 0.0;
}

// Model frame at a time 0…1 of the step.
static cnPose PoseOnWay(const Way* way, double time) {
    double t = cnMin(time, way->stop);
    cnQuat rotation =
        cnNormalizeQuat(cnMulQuat(cnQuatFromRotationVector(cnScale(t, way->turn)), way->rotation));
    cnVec3 centre = cnAdd(cnMulAdd(way->centre, t, way->shift), DeviationAt(way, t));
    return (cnPose){cnSub(centre, cnRotate(rotation, way->localCentre)), rotation};
}

// ---- one pair of shapes -----------------------------------------------------------------------------------

// A shape on its way.
typedef struct Mover {
    const cnShape* shape;
    Way way;
    cnPose local; // in the body's model frame
    // m: no point of the shape moves faster by turning than one of this distance from the centre of mass
    double arm;
    bool isConvex;
    cnSupportShape support; // convex only
} Mover;

// In the frame of `standing`, though both move.
typedef struct Meeting {
    const Mover* mover;
    const Mover* standing;
    const cnSupportShape*
        part; // of `standing`; null: a plane, or the signed distance to the ball about the mover's centre
    double core, rest; // m
    double known;      // m, gap up to which the contact solver has seen the pair; of linkages, else -infinity
    double earliest;
} Meeting;

static Mover MakeMover(const cnWorld* world, int proxy, const Way* way) {
    Mover mover = {
        .shape = world->shapes.shapes[world->proxies.shape[proxy]],
        .way = *way,
        .local = {world->proxies.localPosition[proxy], world->proxies.localRotation[proxy]},
    };
    bool hollow = cnShape_Is(mover.shape, cn_formHollow);
    mover.isConvex = !hollow && cnSupportShape_Init(&mover.support, mover.shape);
    cnVec3 centre = cnTransformPoint(mover.local, mover.shape->centre);
    double ball = mover.shape->type == cn_sphere ? 0.0 : mover.shape->boundingRadius;
    mover.arm = cnLength(way->turn) > 0.0 ? cnLength(cnSub(centre, way->localCentre)) + ball : 0.0;
    return mover;
}

static cnPose PoseOfMover(const Mover* mover, double time) {
    return cnMulPose(PoseOnWay(&mover->way, time), mover->local);
}

static cnRelativePose RelativeTo(cnPose frame, cnPose pose) {
    cnMat33 axes = cnMatFromQuat(frame.rotation), moverAxes = cnMatFromQuat(pose.rotation);
    return (cnRelativePose){
        {cnMulMatT(axes, moverAxes.x), cnMulMatT(axes, moverAxes.y), cnMulMatT(axes, moverAxes.z)},
        cnMulMatT(axes, cnSub(pose.position, frame.position)),
    };
}

// Signed distance at a time and the direction (world, from `standing` to the mover) that it belongs to; zero
// where the distance may shrink in any direction. False where it is more than `reach`.
static bool MeasureGap(const Meeting* meeting, double time, double reach, double* gap, cnVec3* normal) {
    const Mover* mover = meeting->mover;
    const cnShape* standing = meeting->standing->shape;
    cnPose frame = PoseOfMover(meeting->standing, time);
    cnPose pose = PoseOfMover(mover, time);
    if (meeting->part == NULL && !(standing->type == cn_plane && mover->isConvex)) {
        cnSurfacePoint surface;
        cnVec3 centre = cnInvTransformPoint(frame, cnTransformPoint(pose, mover->shape->centre));
        double radius = mover->shape->inradius;
        *normal = cnVec3_zero;
        bool near = cnShape_FindClosest(standing, centre, reach + radius, &surface);
        *gap = near ? surface.distance - radius : 0.0;
        return near;
    }
    cnRelativePose relative = RelativeTo(frame, pose);
    if (meeting->part == NULL) {
        int hint = 0;
        cnVec3 down = cnNeg(standing->normal);
        cnVec3 lowest =
            cnToA(&relative, cnSupportShape_GetPoint(&mover->support, cnMulMatT(relative.axes, down), &hint));
        *gap = cnDot(standing->normal, lowest) - mover->support.radius - standing->offset;
        *normal = cnRotate(frame.rotation, standing->normal);
        return *gap <= reach;
    }
    cnVec3 found;
    bool near = cnMeasureSupportDistance(meeting->part, &mover->support, &relative, reach,
                                         CN_DEPTH_ERROR * meeting->rest, gap, &found);
    *normal = cnRotate(frame.rotation, found);
    return near;
}

// The distance along a direction (world, from `standing` to the mover): no more than the signed distance.
// False where there is none.
static bool MeasureAlong(const Meeting* meeting, double time, cnVec3 direction, double* gap) {
    if (meeting->part == NULL || cnLengthSquared(direction) == 0.0) {
        return false;
    }
    cnPose frame = PoseOfMover(meeting->standing, time);
    cnRelativePose relative = RelativeTo(frame, PoseOfMover(meeting->mover, time));
    *gap = -cnGetDepthAlong(meeting->part, &meeting->mover->support, &relative,
                            cnInvRotate(frame.rotation, direction));
    return true;
}

// m a step, the most by which the gap may shrink along a normal (zero: any) in this segment of the paths.
static double ClosingSpeed(const Meeting* meeting, cnVec3 normal, double time) {
    const Way* way1 = &meeting->mover->way;
    const Way* way2 = &meeting->standing->way;
    cnVec3 shift1 = time < way1->stop ? cnAdd(way1->shift, DeviationSpeed(way1, time)) : cnVec3_zero;
    cnVec3 shift2 = time < way2->stop ? cnAdd(way2->shift, DeviationSpeed(way2, time)) : cnVec3_zero;
    cnVec3 shift = cnSub(shift1, shift2);
    double turning = (time < way1->stop ? meeting->mover->arm * cnLength(way1->turn) : 0.0) +
                     (time < way2->stop ? meeting->standing->arm * cnLength(way2->turn) : 0.0);
    double along = cnLengthSquared(normal) > 0.0 ? -cnDot(normal, shift) : cnLength(shift);
    return along + turning;
}

// m, no less than the gap may shrink by from now on, whoever stops.
static double MaxApproach(const Meeting* meeting, double time) {
    const Way* way1 = &meeting->mover->way;
    const Way* way2 = &meeting->standing->way;
    bool oneStops = (time < way1->stop && way1->stop < 1.0) || (time < way2->stop && way2->stop < 1.0);
    double turning = (time < way1->stop ? meeting->mover->arm * cnLength(way1->turn) : 0.0) +
                     (time < way2->stop ? meeting->standing->arm * cnLength(way2->turn) : 0.0);
    cnVec3 shift1 = time < way1->stop ? way1->shift : cnVec3_zero;
    cnVec3 shift2 = time < way2->stop ? way2->shift : cnVec3_zero;
    double speed = cnLength(cnSub(shift1, shift2)) + turning +
                   (oneStops ? cnLength(way1->shift) + cnLength(way2->shift) : 0.0);
    return (1.0 - time) * speed + DeviationLength(way1) + DeviationLength(way2);
}

// A signed distance and its direction.
typedef struct GapAt {
    double time, gap;
    cnVec3 normal;
} GapAt;

// First time from the last measurement on at which the shapes are `depth` deep, or CN_NEVER. The direction of
// the last distance tells how far apart they are at least; the distance itself is sought where that is no
// longer much of it.
static double FindDepth(const Meeting* meeting, GapAt last, double depth) {
    double time = last.time, measured = last.gap + depth; // m
    cnVec3 normal = last.normal;
    bool isExact = true;
    double stops[2] = {meeting->mover->way.stop, meeting->standing->way.stop};
    bool isBent = meeting->mover->way.member != NULL || meeting->standing->way.member != NULL;
    for (int i = 0; i < CN_MAX_ADVANCES; ++i) {
        double reach = MaxApproach(meeting, time), gap = last.gap;
        if (i > 0) {
            isExact = !MeasureAlong(meeting, time, normal, &gap) || gap + depth <= CN_APART_SHARE * measured;
            if (isExact ? !MeasureGap(meeting, time, reach, &gap, &normal) : gap > reach) {
                return CN_NEVER;
            }
        }
        double left = gap + depth;
        measured = isExact ? left : measured;
        if (isExact && left <= 0.05 * meeting->rest) {
            return time;
        }
        double closing = ClosingSpeed(meeting, normal, time);
        double next = closing > 0.0 ? time + left / closing : CN_NEVER;

        // speeds hold until a body stops, or a segment ends
        for (int k = 0; k < 2; ++k) {
            if (time < stops[k] && next > stops[k]) {
                next = stops[k];
            }
        }
        if (isBent) {
            next = cnMin(next, (double)(SegmentAt(time) + 1) / CN_PATH_SEGMENTS);
        }
        if (next >= 1.0) {
            return CN_NEVER;
        }
        time = next;
    }
    return time;
}

static void TakeImpact(Meeting* meeting, double gap, cnVec3 normal, double core, double rest) {
    GapAt last = {0.0, gap, normal};
    last.time = FindDepth(meeting, last, rest);
    if (last.time < meeting->earliest && MeasureGap(meeting, last.time, INFINITY, &last.gap, &last.normal) &&
        FindDepth(meeting, last, core) < CN_NEVER) {
        meeting->earliest = last.time;
    }
}

// False where a pair ends deeper than this, or on the other side of where a normal showed. Shapes stay
// where they stop.
static bool EndsWell(const Meeting* meeting, double depth, cnVec3 normal) {
    cnVec3 normalAtEnd;
    double gap;
    return !MeasureGap(meeting, 1.0, INFINITY, &gap, &normalAtEnd) ||
           (gap >= -depth && cnDot(normal, normalAtEnd) >= 0.0);
}

// A member of a linkage and what it touched at the start of the step already. The contact solver has seen
// this pair, so only its result counts: no impact where points dip in and come out again on a path that is
// interpolated, but where the mover's centre ends up too near or on the other side, at the end of the step or
// at the stop of its linkage. It may come nearer by half, or down to a part of the inradius; one that is at
// the surface of a solid already may go as much deeper, and then by small steps, or it would hold up its
// linkage for good. No centre passes a triangle.
static void MeetCentre(Meeting* meeting) {
    Mover mover = *meeting->mover;
    Meeting centre = *meeting;
    centre.mover = &mover;
    cnVec3 point = mover.shape->centre, normal;
    mover.support = cnSupportShape_FromCorners(&point, 1, 0.0);
    if (cnLength(mover.way.turn) > 0.0) {
        mover.arm = cnLength(cnSub(cnTransformPoint(mover.local, point), mover.way.localCentre));
    }
    double far = CN_CENTRE_FAR * mover.shape->inradius;
    double near = CN_CENTRE_NEAR * mover.shape->inradius;
    double gap;
    if (!MeasureGap(&centre, 0.0, MaxApproach(&centre, 0.0) + far, &gap, &normal)) {
        return;
    }
    bool isTriangle = meeting->part != NULL && !meeting->standing->isConvex;
    double depth;
    if (gap > (isTriangle ? 0.0 : near)) {
        mover.support.radius = cnMin(0.5 * gap, far);
        centre.rest = depth = CN_REST_FRACTION * mover.support.radius;
    } else {
        double behind = meeting->part != NULL ? meeting->standing->shape->inradius : INFINITY;
        double deeper = cnMin(far, 0.5 * behind);
        centre.rest = CN_REST_FRACTION * deeper;
        depth = cnMax(deeper, 0.1 * deeper - gap);
    }
    if (!EndsWell(&centre, depth, normal) && MeasureGap(&centre, 0.0, INFINITY, &gap, &normal)) {
        TakeImpact(&centre, gap, normal, depth, depth - 0.5 * centre.rest);
        meeting->earliest = centre.earliest;
    }
}

static void Meet(Meeting* meeting) {
    cnVec3 normal;
    double gap;
    if (!MeasureGap(meeting, 0.0, MaxApproach(meeting, 0.0), &gap, &normal)) {
        return;
    }
    if (gap <= meeting->known && meeting->mover->isConvex) {
        if (gap <= 0.0) {
            MeetCentre(meeting);
            return;
        }
        if (EndsWell(meeting, meeting->core, normal)) {
            return;
        }
    }
    double rest = cnMax(meeting->rest, 0.5 * meeting->rest - gap);
    TakeImpact(meeting, gap, normal, cnMax(meeting->core, rest + 0.5 * meeting->rest), rest);
}

static bool MeetTriangle(const cnTriangle* triangle, void* context) {
    Meeting* meeting = context;
    cnVec3 shift = cnSub(meeting->mover->way.shift, meeting->standing->way.shift);
    cnQuat rotation = PoseOfMover(meeting->standing, 0.0).rotation;
    double aside = DeviationLength(&meeting->mover->way) + DeviationLength(&meeting->standing->way);
    if (meeting->standing->way.stop < 1.0 || cnDot(cnRotate(rotation, triangle->normal), shift) < aside) {
        cnSupportShape part = cnSupportShape_FromCorners(triangle->corners, 3, 0.0);
        meeting->part = &part;
        Meet(meeting);
        meeting->part = NULL;
    }
    return true;
}

// The box of the standing shape's frame that holds the mover's way, seen from the standing shape's start.
static cnBounds BoundsOfWay(const Meeting* meeting) {
    const Mover* mover = meeting->mover;
    cnPose frame = PoseOfMover(meeting->standing, 0.0);
    double radius = mover->shape->boundingRadius +
                    cnLength(meeting->standing->way.turn) * meeting->standing->arm +
                    cnLength(mover->way.turn) * mover->arm + MaxDeviation(&meeting->standing->way) +
                    MaxDeviation(&mover->way);
    cnVec3 start = cnTransformPoint(PoseOfMover(mover, 0.0), mover->shape->centre);
    cnVec3 end = cnSub(cnAdd(start, mover->way.shift), meeting->standing->way.shift);
    cnVec3 a = cnInvTransformPoint(frame, start), b = cnInvTransformPoint(frame, end);
    cnVec3 around = {radius, radius, radius};
    return (cnBounds){cnSub(cnMinVec(a, b), around), cnAdd(cnMaxVec(a, b), around)};
}

static double FindImpact(const Mover* a, const Mover* b, bool isJointed) {
    bool bHasTriangles = cnShape_Is(b->shape, cn_formTriangles);
    bool swapped = !a->isConvex && (b->isConvex || a->shape->boundingRadius > b->shape->boundingRadius) &&
                   b->shape->type != cn_plane;
    Meeting meeting = {.mover = swapped ? b : a, .standing = swapped ? a : b, .earliest = CN_NEVER};
    double min = a->shape->inradius;
    if (b->isConvex) {
        min = a->isConvex ? cnMin(min, b->shape->inradius) : b->shape->inradius;
    }
    meeting.known = isJointed ? cnContactMargin(min) : -INFINITY;
    meeting.core = cnMin(CN_CORE_FRACTION * min, CN_CORE_MAX);
    meeting.rest = cnMin(CN_REST_FRACTION * min, CN_REST_MAX);
    if (a->isConvex && bHasTriangles) {
        cnShape_VisitTriangles(b->shape, BoundsOfWay(&meeting), MeetTriangle, &meeting);
    } else {
        meeting.part = a->isConvex && b->isConvex ? &b->support : NULL;
        Meet(&meeting);
    }
    return meeting.earliest;
}

// ---- one body ---------------------------------------------------------------------------------------------

typedef struct BodySweep {
    const Sweep* sweep;
    Swept* swept;
    int proxy;
    Mover mover;
    bool full; // else only against those that stopped in the last round: the rest is known
} BodySweep;

static int GroupOf(const Sweep* sweep, int row) {
    return row >= 0 ? sweep->groupOfRow[row] : -1;
}

// Whether a body of another group stopped in the last round.
static bool StoppedLast(const Sweep* sweep, int group, int row) {
    int other = GroupOf(sweep, row);
    return other >= 0 && other != group && sweep->groups[other].settled != 0 &&
           sweep->groups[other].settled == sweep->round - 1;
}

static bool SweepAtProxy(int proxy, void* context) {
    BodySweep* body = context;
    cnWorld* world = body->sweep->world;
    uint32_t flags = world->geometries.flags[world->proxies.geometry[body->proxy]] |
                     world->geometries.flags[world->proxies.geometry[proxy]];
    int row = world->proxies.body[proxy];
    if (proxy == body->proxy || (flags & cn_geometrySensor) != 0 ||
        !(body->full || StoppedLast(body->sweep, body->swept->group, row)) ||
        !cnMayProxiesCollide(body->proxy, proxy, world)) {
        return true;
    }
    Way way = WayOf(body->sweep, row);
    Mover other = MakeMover(world, proxy, &way);
    if (row < 0) {
        other.arm = 0.0;
    }
    Swept* swept = body->swept;
    const cnLinkages* linkages = body->sweep->linkages;
    bool isJointed =
        cnLinkages_MemberOf(linkages, swept->row) >= 0 || cnLinkages_MemberOf(linkages, row) >= 0;
    double impact = FindImpact(&body->mover, &other, isJointed);
    int group = GroupOf(body->sweep, row);
    swept->lonely &= group < 0 || group == swept->group;
    if (impact < swept->impact ||
        (impact < CN_NEVER && impact == swept->impact && proxy < swept->otherProxy)) {
        swept->impact = impact;
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
    Way way = WayOf(sweep, swept->row);
    if (body.full) {
        swept->impact = CN_NEVER;
        swept->other = swept->otherProxy = -1;
        swept->lonely = true;
    }
    for (int g = world->bodies.firstGeometry[swept->row]; g >= 0; g = world->geometries.nextOfBody[g]) {
        for (int p = world->geometries.firstProxy[g]; p >= 0; p = world->proxies.nextOfGeometry[p]) {
            body.proxy = p;
            body.mover = MakeMover(world, p, &way);

            // a ball about the centre of the shape holds it, and its centre swings as far as the body turns
            cnVec3 start = cnTransformPoint(PoseOfMover(&body.mover, 0.0), body.mover.shape->centre);
            cnVec3 end = cnAdd(start, way.shift);
            double radius =
                body.mover.shape->boundingRadius + body.mover.arm * cnLength(way.turn) + MaxDeviation(&way);
            cnVec3 around = {radius, radius, radius};
            cnBounds bounds = {cnSub(cnMinVec(start, end), around), cnAdd(cnMaxVec(start, end), around)};
            cnBroadPhase_Overlap(world->broadPhase, bounds, SweepAtProxy, &body);
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

// Whether the motion of this step is long beside the body's size.
static bool IsLongWay(const Sweep* sweep, int row) {
    const cnWorld* world = sweep->world;
    Way way = WayOf(sweep, row);
    double shift = cnLength(way.shift);
    for (int g = world->bodies.firstGeometry[row]; g >= 0; g = world->geometries.nextOfBody[g]) {
        for (int p = world->geometries.firstProxy[g]; p >= 0; p = world->proxies.nextOfGeometry[p]) {
            Mover mover = MakeMover(world, p, &way);
            double core = cnMin(CN_CORE_FRACTION * mover.shape->inradius, CN_CORE_MAX);
            if (shift + mover.arm * cnLength(way.turn) > core) {
                return true;
            }
        }
    }
    return false;
}

static void Settle(const Sweep* sweep, StopGroup* group, double stop, int other) {
    group->settled = sweep->round;
    group->stop = stop;
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
        if (stopsBefore && sweep->round < CN_FAST_ROUNDS) {
            continue;
        }
        if (moves) {
            Settle(sweep, other, impact, swept->row);
        }
        Settle(sweep, group, impact, swept->other);
        count += 1;
    }
    return count;
}

static cnPose PoseOnWayOf(const Sweep* sweep, int row, double time) {
    Way way = WayOf(sweep, row);
    return PoseOnWay(&way, time);
}

static void PlaceStopped(const Sweep* sweep, const cnSolve* solve, cnLinkages* linkages,
                         const StopGroup* group) {
    const cnLinkage* linkage = group->linkage >= 0 ? &linkages->linkages[group->linkage] : NULL;
    bool isHeld = linkage != NULL && linkage->hold != cn_holdNone;
    int row = linkage != NULL ? linkages->rows[linkage->firstMember] : group->row;
    int index = solve->solver.indexOfRow[row], island = solve->solver.island[index];
    int with = isHeld ? linkage->holder : group->carrier;
    cnCarrier carrier = {PoseOnWayOf(sweep, with, group->stop), PoseOnWayOf(sweep, with, 1.0)};
    const cnLostTime lost = {
        .solve = solve,
        .stop = group->stop,
        .carrier = with >= 0 ? &carrier : NULL,
        .isHolder = isHeld,
        .isFree = linkage != NULL ? solve->islands[island].contactCount == 0 : solve->solver.free[index] != 0,
        .holder = isHeld ? linkage->holder : -1,
    };
    if (linkage != NULL) {
        cnLinkages_Interpolate(linkages, group->linkage, group->stop);
        cnLostTime_StopLinkage(&lost, linkages, group->linkage);
    } else {
        cnLostTime_StopBody(&lost, row, PoseOnWayOf(sweep, row, group->stop));
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

// Parts of merged bodies are not: they follow later.
static bool IsSwept(const cnBodyTable* bodies, int row) {
    uint32_t asked = cn_bodyLive | cn_bodyFast;
    return (bodies->flags[row] & asked) == asked && cnBody_IsSimulated(bodies, row);
}

bool cnStopCcdBodies(cnWorld* world, const cnSolve* solve, cnLinkages* linkages) {
    // who is swept
    int rowCount = world->bodies.ids.rowCount;
    int fastCount = 0;
    for (int i = 0; i < solve->awake.count; ++i) {
        fastCount += IsSwept(&world->bodies, cnRowList_Get(&solve->awake, i));
    }
    if (fastCount == 0) {
        return true;
    }
    Sweep sweep = {
        .world = world,
        .linkages = linkages,
        .swept = CN_PUSH(&world->stack, Swept, fastCount, "fast bodies"),
        .groups = CN_PUSH(&world->stack, StopGroup, fastCount, "groups of fast bodies"),
        .groupOfRow = CN_PUSH(&world->stack, int, rowCount, "groups of rows"),
    };
    if (sweep.swept == NULL || sweep.groups == NULL || sweep.groupOfRow == NULL) {
        return false;
    }
    for (int row = 0; row < rowCount; ++row) {
        sweep.groupOfRow[row] = -1;
    }
    for (int i = 0; i < solve->awake.count; ++i) {
        int row = cnRowList_Get(&solve->awake, i);
        if (IsSwept(&world->bodies, row) && IsLongWay(&sweep, row)) {
            int group = sweep.groupOfRow[row];
            group = group >= 0 ? group : MakeGroup(&sweep, linkages, row);
            if (group >= 0) {
                sweep.swept[sweep.count++] = (Swept){.row = row, .group = group};
            }
        }
    }

    // their impacts, the earliest first
    int stopped = sweep.count;
    for (int round = 1; round <= CN_FAST_ROUNDS && stopped > 0; ++round) {
        sweep.round = round;
        cnThreadPool_Run(world->threads, SweepBodies, &sweep, sweep.count, 1);
        stopped = SettleImpacts(&sweep);
    }
    for (int g = 0; g < sweep.groupCount; ++g) {
        if (sweep.groups[g].settled != 0) {
            PlaceStopped(&sweep, solve, linkages, &sweep.groups[g]);
        }
    }
    return true;
}
