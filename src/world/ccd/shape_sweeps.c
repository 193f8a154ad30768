#include "world/ccd/shape_sweeps.h"

#include "geometry/penetration.h"
#include "geometry/shape_forms.h"
#include "geometry/triangles.h"

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
// Of a coarse sweep, as parts of both inradii: a shorter motion takes the centre of one that touches through
// nothing; and how deep the ball of one with a hole or triangles may get.
#define CN_COARSE_WAY 0.8
#define CN_COARSE_CORE 0.5
// How near its centre may come to what a member of a linkage touches, as parts of its inradius: from afar,
// and how near it counts as being at the surface.
#define CN_CENTRE_FAR 0.5
#define CN_CENTRE_NEAR 0.1
// By how much it may go deeper in a step, as a part of the depth that it may have.
#define CN_FINE_STEP 0.1
#define CN_COARSE_STEP 1e-3

// ---- ways -------------------------------------------------------------------------------------------------

// Segments of a path, between whose ends the centre of mass of a member moves straight.
static int SegmentAt(double time) {
    int segment = (int)(time * CN_PATH_SEGMENTS);
    return segment < CN_PATH_SEGMENTS ? segment : CN_PATH_SEGMENTS - 1;
}

static cnVec3 DeviationAt(const cnWay* way, double time) {
    if (way->member == NULL) {
        return cnVec3_zero;
    }
    int segment = SegmentAt(time);
    const cnVec3* ends = way->member->deviations + segment;
    double share = time * CN_PATH_SEGMENTS - segment;
    return cnAdd(cnScale(1.0 - share, ends[0]), cnScale(share, ends[1]));
}

// m a step, beside the speed on the straight line, in the segment that begins or goes on at a time.
static cnVec3 DeviationSpeed(const cnWay* way, double time) {
    if (way->member == NULL) {
        return cnVec3_zero;
    }
    const cnVec3* ends = way->member->deviations + SegmentAt(time);
    return cnScale(CN_PATH_SEGMENTS, cnSub(ends[1], ends[0]));
}

// m, the most that a path is beside its straight line, and how long it is at most beside that.
static double MaxDeviation(const cnWay* way) {
    return way->member != NULL ? way->member->maxDeviation : 0.0;
}

static double DeviationLength(const cnWay* way) {
    return way->member != NULL ? way->member->deviationLength : 0.0;
}

cnPose cnWay_GetPoseTurned(const cnWay* way, double time, double turnTime) {
    cnQuat turn = cnQuatFromRotationVector(cnScale(turnTime, way->turn));
    cnQuat rotation = cnNormalizeQuat(cnMulQuat(turn, way->rotation));
    cnVec3 centre = cnAdd(cnMulAdd(way->centre, time, way->shift), DeviationAt(way, time));
    return (cnPose){cnSub(centre, cnRotate(rotation, way->localCentre)), rotation};
}

cnPose cnWay_GetPose(const cnWay* way, double time) {
    double t = cnMin(time, way->stop);
    return cnWay_GetPoseTurned(way, t, t);
}

// ---- shapes on their ways ---------------------------------------------------------------------------------

static bool IsRound(const cnShape* shape) {
    return cnShape_Is(shape, cn_formRound | cn_formRevolved);
}

// Its middle swings about the centre of mass, and the rest about the middle. What turns about an axis of
// revolution stays where it is.
static double TurningOf(const cnShape* shape, cnPose local, const cnWay* way) {
    double angle = cnLength(way->turn);
    if (angle == 0.0) {
        return 0.0;
    }
    double swing = cnLength(cnSub(cnTransformPoint(local, shape->centre), way->localCentre));
    double across = angle;
    if (shape->type == cn_sphere) {
        across = 0.0;
    } else if (IsRound(shape)) {
        cnVec3 axis = cnRotate(cnMulQuat(way->rotation, local.rotation), cnVec(0.0, 1.0, 0.0));
        across = cnLength(cnMulAdd(way->turn, -cnDot(axis, way->turn), axis));
    }
    return angle * swing + across * shape->boundingRadius;
}

cnMover cnMover_Make(const cnShape* shape, cnPose local, const cnWay* way) {
    cnMover mover = {.shape = shape, .way = *way, .local = local, .turning = TurningOf(shape, local, way)};
    bool hollow = cnShape_Is(shape, cn_formHollow);
    mover.isConvex = !hollow && cnSupportShape_Init(&mover.support, shape);
    return mover;
}

static cnPose PoseOfMover(const cnMover* mover, double time) {
    return cnMulPose(cnWay_GetPose(&mover->way, time), mover->local);
}

double cnMover_GetLength(const cnMover* mover) {
    return cnLength(mover->way.shift) + mover->turning;
}

// A ball about the middle of the shape holds it, and its middle swings as far as the body turns.
cnBounds cnMover_GetBounds(const cnMover* mover) {
    cnVec3 start = cnTransformPoint(PoseOfMover(mover, 0.0), mover->shape->centre);
    cnVec3 end = cnAdd(start, mover->way.shift);
    double radius = mover->shape->boundingRadius + mover->turning + MaxDeviation(&mover->way);
    cnVec3 around = {radius, radius, radius};
    return (cnBounds){cnSub(cnMinVec(start, end), around), cnAdd(cnMaxVec(start, end), around)};
}

double cnGetSweptLength(const cnShape* shape, cnSweepKind kind) {
    return kind == cn_sweepCoarse ? CN_COARSE_WAY * shape->inradius
                                  : cnMin(CN_CORE_FRACTION * shape->inradius, CN_CORE_MAX);
}

static double BothInradii(const cnShape* shape, const cnShape* standing) {
    bool isThin = cnShape_Is(standing, cn_formTriangles);
    return shape->inradius + (isThin ? 0.0 : standing->inradius);
}

bool cnMayPass(const cnShape* shape, double length, const cnShape* standing) {
    return length > CN_COARSE_WAY * BothInradii(shape, standing);
}

// ---- two of them ------------------------------------------------------------------------------------------

// In the frame of `standing`, though both move.
typedef struct Meeting {
    const cnMover* mover;
    const cnMover* standing;
    const cnSupportShape*
        part; // of `standing`; null: a plane, or the signed distance to the ball about the mover's centre
    cnVec3 middle;      // of the mover, in its frame: of a convex one the centre of its mass
    double innerRadius; // m, of a ball about it
    double core, rest;  // m
    double known; // m, gap up to which the contact solver has seen the pair; of linkages, else -infinity
    double earliest;
    bool turnsOn; // cnSweptImpact
    cnSweepKind kind;
    bool isJointed;
} Meeting;

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
    const cnMover* mover = meeting->mover;
    const cnShape* standing = meeting->standing->shape;
    cnPose frame = PoseOfMover(meeting->standing, time);
    cnPose pose = PoseOfMover(mover, time);
    if (meeting->part == NULL && !(standing->type == cn_plane && mover->isConvex)) {
        cnSurfacePoint surface;
        cnVec3 centre = cnInvTransformPoint(frame, cnTransformPoint(pose, meeting->middle));
        double radius = meeting->innerRadius;
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
    const cnWay* way1 = &meeting->mover->way;
    const cnWay* way2 = &meeting->standing->way;
    cnVec3 shift1 = time < way1->stop ? cnAdd(way1->shift, DeviationSpeed(way1, time)) : cnVec3_zero;
    cnVec3 shift2 = time < way2->stop ? cnAdd(way2->shift, DeviationSpeed(way2, time)) : cnVec3_zero;
    cnVec3 shift = cnSub(shift1, shift2);
    double turning = (time < way1->stop ? meeting->mover->turning : 0.0) +
                     (time < way2->stop ? meeting->standing->turning : 0.0);
    double along = cnLengthSquared(normal) > 0.0 ? -cnDot(normal, shift) : cnLength(shift);
    return along + turning;
}

// m, no less than the gap may shrink by from now on, whoever stops.
static double MaxApproach(const Meeting* meeting, double time) {
    const cnWay* way1 = &meeting->mover->way;
    const cnWay* way2 = &meeting->standing->way;
    bool oneStops = (time < way1->stop && way1->stop < 1.0) || (time < way2->stop && way2->stop < 1.0);
    double turning = (time < way1->stop ? meeting->mover->turning : 0.0) +
                     (time < way2->stop ? meeting->standing->turning : 0.0);
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
        meeting->turnsOn = false;
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

// How much deeper what is deep already may get in a step, m. A linkage would be held up for good, while what
// is alone may turn on (cnSweptImpact).
static double DeeperBy(const Meeting* meeting, double depth) {
    bool turnsOn = meeting->kind == cn_sweepCoarse && !meeting->isJointed;
    return (turnsOn ? CN_COARSE_STEP : CN_FINE_STEP) * depth;
}

// What stands for a mover where only its result counts: no impact where points dip in and come out again on a
// path that is interpolated, but where its centre ends up too near or on the other side, at the end of the
// step or at the stop of its linkage. It may come nearer by half, or down to a part of the inradius; one that
// is at the surface of a solid already may go as much deeper, and then by small steps, or it would be held up
// for good. No centre passes a triangle.
static double FindCentreImpact(const Meeting* meeting) {
    cnMover mover = *meeting->mover;
    Meeting centre = *meeting;
    centre.mover = &mover;
    cnVec3 normal;
    mover.support = cnSupportShape_FromCorners(&meeting->middle, 1, 0.0);
    mover.turning = cnLength(mover.way.turn) *
                    cnLength(cnSub(cnTransformPoint(mover.local, meeting->middle), mover.way.localCentre));
    double far = CN_CENTRE_FAR * meeting->innerRadius;
    double near = CN_CENTRE_NEAR * meeting->innerRadius;
    double gap;
    if (!MeasureGap(&centre, 0.0, MaxApproach(&centre, 0.0) + far, &gap, &normal)) {
        return CN_NEVER;
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
        depth = cnMax(deeper, DeeperBy(meeting, deeper) - gap);
    }
    centre.earliest = CN_NEVER;
    if (!EndsWell(&centre, depth, normal) && MeasureGap(&centre, 0.0, INFINITY, &gap, &normal)) {
        TakeImpact(&centre, gap, normal, depth, depth - 0.5 * centre.rest);
    }
    return centre.earliest;
}

// Of what touched already: its middle, or the ball that stands for it, does not come farther in than a depth.
static void MeetDeep(Meeting* meeting, double gap, cnVec3 normal) {
    double earliest = meeting->earliest;
    if (meeting->part != NULL) {
        meeting->earliest = cnMin(earliest, FindCentreImpact(meeting));
    } else {
        double depth = cnMax(meeting->core, DeeperBy(meeting, meeting->core) - gap);
        TakeImpact(meeting, gap, normal, depth, depth - 0.5 * meeting->rest);
    }
    meeting->turnsOn = meeting->earliest < earliest ? true : meeting->turnsOn;
}

// A coarse sweep stops what comes from afar at the surface, if its middle would come too near.
static void MeetCoarsely(Meeting* meeting, double gap, cnVec3 normal) {
    if (gap <= meeting->known) {
        MeetDeep(meeting, gap, normal);
    } else if (meeting->part == NULL) {
        TakeImpact(meeting, gap, normal, meeting->core, meeting->rest);
    } else if (FindCentreImpact(meeting) < CN_NEVER) {
        TakeImpact(meeting, gap, normal, 1.5 * meeting->rest, meeting->rest);
    }
}

static void MeetFinely(Meeting* meeting, double gap, cnVec3 normal) {
    if (gap <= meeting->known && meeting->mover->isConvex) {
        if (gap <= 0.0) {
            meeting->earliest = cnMin(meeting->earliest, FindCentreImpact(meeting));
            return;
        }
        if (EndsWell(meeting, meeting->core, normal)) {
            return;
        }
    }
    double rest = cnMax(meeting->rest, 0.5 * meeting->rest - gap);
    TakeImpact(meeting, gap, normal, cnMax(meeting->core, rest + 0.5 * meeting->rest), rest);
}

static void Meet(Meeting* meeting) {
    cnVec3 normal;
    double gap;
    if (!MeasureGap(meeting, 0.0, MaxApproach(meeting, 0.0), &gap, &normal)) {
        return;
    }
    if (meeting->kind == cn_sweepCoarse) {
        MeetCoarsely(meeting, gap, normal);
    } else {
        MeetFinely(meeting, gap, normal);
    }
}

// Whether a triangle can be met from its front: by a coarse sweep, whether the centre comes near its plane.
static bool CanPass(const Meeting* meeting, const cnTriangle* triangle) {
    const cnMover *mover = meeting->mover, *standing = meeting->standing;
    if (standing->way.stop < 1.0) {
        return true;
    }
    cnVec3 shift = cnSub(mover->way.shift, standing->way.shift);
    cnPose frame = PoseOfMover(standing, 0.0);
    cnVec3 normal = cnRotate(frame.rotation, triangle->normal);
    double aside = DeviationLength(&mover->way) + DeviationLength(&standing->way);
    double closing = aside - cnDot(normal, shift);
    if (meeting->kind == cn_sweepFine) {
        return closing > 0.0;
    }
    cnVec3 middle = cnTransformPoint(PoseOfMover(mover, 0.0), meeting->middle);
    double height = cnDot(triangle->normal, cnSub(cnInvTransformPoint(frame, middle), triangle->corners[0]));
    double reach = closing + mover->turning + standing->turning;
    return height >= 0.0 && height - reach <= CN_CENTRE_FAR * meeting->innerRadius;
}

static bool MeetTriangle(const cnTriangle* triangle, void* context) {
    Meeting* meeting = context;
    if (CanPass(meeting, triangle)) {
        cnSupportShape part = cnSupportShape_FromCorners(triangle->corners, 3, 0.0);
        meeting->part = &part;
        Meet(meeting);
        meeting->part = NULL;
    }
    return true;
}

// The box of the standing shape's frame that holds the mover's way, seen from the standing shape's start.
static cnBounds BoundsOfWay(const Meeting* meeting) {
    const cnMover* mover = meeting->mover;
    cnPose frame = PoseOfMover(meeting->standing, 0.0);
    double radius = mover->shape->boundingRadius + meeting->standing->turning + mover->turning +
                    MaxDeviation(&meeting->standing->way) + MaxDeviation(&mover->way);
    cnVec3 start = cnTransformPoint(PoseOfMover(mover, 0.0), mover->shape->centre);
    cnVec3 end = cnSub(cnAdd(start, mover->way.shift), meeting->standing->way.shift);
    cnVec3 a = cnInvTransformPoint(frame, start), b = cnInvTransformPoint(frame, end);
    cnVec3 around = {radius, radius, radius};
    return (cnBounds){cnSub(cnMinVec(a, b), around), cnAdd(cnMaxVec(a, b), around)};
}

// Which of two is swept as a whole, and which is met: triangles are, and of others with a hole or triangles
// the smaller one is a ball.
static bool IsSwapped(const cnMover* a, const cnMover* b) {
    bool isSmaller = a->shape->boundingRadius <= b->shape->boundingRadius;
    return !a->isConvex && !isSmaller && b->shape->type != cn_plane;
}

// The middle of its bounds may lie outside of a hull, and near the wall of a cone.
static void FindInnerBall(Meeting* meeting) {
    const cnShape* shape = meeting->mover->shape;
    meeting->middle = shape->centre;
    meeting->innerRadius = shape->inradius;
    cnSurfacePoint surface;
    if (meeting->mover->isConvex && cnShape_FindClosest(shape, shape->mass.centre, INFINITY, &surface)) {
        meeting->middle = shape->mass.centre;
        meeting->innerRadius = cnMin(shape->inradius, -surface.distance);
    }
}

cnSweptImpact cnFindSweptImpact(const cnMover* a, const cnMover* b, cnSweepKind kind, bool isJointed) {
    bool bHasTriangles = cnShape_Is(b->shape, cn_formTriangles);
    bool isSwapped = IsSwapped(a, b);
    Meeting meeting = {
        .mover = isSwapped ? b : a,
        .standing = isSwapped ? a : b,
        .earliest = CN_NEVER,
        .kind = kind,
        .isJointed = isJointed,
    };
    double min = a->shape->inradius;
    if (b->isConvex) {
        min = a->isConvex ? cnMin(min, b->shape->inradius) : b->shape->inradius;
    }
    bool isSeen = isJointed || kind == cn_sweepCoarse;
    meeting.known = isSeen ? cnContactMargin(min) : -INFINITY;
    meeting.core = cnMin(CN_CORE_FRACTION * min, CN_CORE_MAX);
    meeting.rest = cnMin(CN_REST_FRACTION * min, CN_REST_MAX);
    if (kind == cn_sweepCoarse) {
        double both = BothInradii(a->shape, b->shape);
        meeting.core = CN_COARSE_CORE * both;
        if (MaxApproach(&meeting, 0.0) <= CN_COARSE_WAY * both) {
            return (cnSweptImpact){CN_NEVER, false};
        }
    }
    FindInnerBall(&meeting);
    if (a->isConvex && bHasTriangles) {
        cnShape_VisitTriangles(b->shape, BoundsOfWay(&meeting), MeetTriangle, &meeting);
    } else {
        meeting.part = a->isConvex && b->isConvex ? &b->support : NULL;
        Meet(&meeting);
    }
    return (cnSweptImpact){meeting.earliest, meeting.turnsOn};
}
