// Closest points and casts of any two shapes, by their convex parts.
#include "collide/queries/queries.h"

#include "base/report/error.h"
#include "geometry/meshes/trimesh.h"
#include "geometry/penetration.h"
#include "geometry/shapes/revolved.h"
#include "geometry/shapes/shape_kinds.h"
#include "geometry/triangles.h"

// Sectors of a hollow solid that are kept at a time. Where all are equally near, as for a ball on the axis,
// halving ends here.
#define MAX_SECTORS 512
// Two bounds this close, relative to the size of the solid, count as one.
#define SECTOR_TOLERANCE 1e-10

// One question of a convex part (the guest) to a whole shape (the host), in the host's frame. Answers
// only get better.
typedef struct Question {
    const cnShape* host;
    const cnSupportShape* guest;
    cnRelativePose pose; // of the guest seen from the host
    bool isCast;
    cnVec3 translation; // of the guest, cast only

    bool answered;
    bool overlapping;
    double best;            // distance, or fraction
    cnVec3 onHost, onGuest; // m
    cnVec3 normal;          // unit, from host to guest
} Question;

static void TakeOverlap(Question* question, cnVec3 point) {
    question->answered = question->overlapping = true;
    question->best = 0.0;
    question->onHost = question->onGuest = point;
    question->normal = cnVec3_zero;
}

// ---- convex hosts -----------------------------------------------------------------------------------------

// Whether the part is nearer, or met earlier, than what is known.
static void AskConvex(Question* question, const cnSupportShape* part) {
    if (question->isCast) {
        cnSupportCast cast = cnCastSupport(part, question->guest, &question->pose, question->translation);
        if (cast.hit && cast.fraction <= question->best && !question->overlapping) {
            question->answered = true;
            question->overlapping = cast.overlapping;
            question->best = cast.fraction;
            question->onHost = cast.point;
            question->normal = cast.overlapping ? cnVec3_zero : cast.normal;
        }
        return;
    }
    cnSupportDistance distance;
    if (cnComputeSupportDistance(part, question->guest, &question->pose, question->best, &distance) &&
        distance.distance <= question->best) {
        question->answered = true;
        question->overlapping = distance.distance <= 0.0;
        question->best = distance.distance;
        question->onHost = distance.pointA;
        question->onGuest = distance.pointB;
        question->normal = distance.normal;
    }
}

// The guest's point farthest along a direction of the host's frame.
static cnVec3 GetFarthest(const cnSupportShape* guest, const cnRelativePose* pose, cnVec3 direction) {
    int hint = 0;
    cnVec3 local = cnSupportShape_GetPoint(guest, cnMulMatT(pose->axes, direction), &hint);
    return cnMulAdd(cnToA(pose, local), guest->radius, cnNormalize(direction));
}

static void AskPlane(Question* question) {
    const cnShape* plane = question->host;
    cnVec3 lowest = GetFarthest(question->guest, &question->pose, cnNeg(plane->normal));
    double height = cnDot(plane->normal, lowest) - plane->offset;
    double sink = question->isCast ? -cnDot(plane->normal, question->translation) : 0.0;
    bool overlapping = height <= 0.0;
    double answer = !question->isCast ? height : (overlapping ? 0.0 : height / sink);
    if (question->isCast && !overlapping && !(sink > 0.0)) {
        return;
    }
    if (answer <= question->best && !(question->isCast && question->overlapping)) {
        question->answered = true;
        question->overlapping = overlapping;
        question->best = answer;
        question->onGuest = cnMulAdd(lowest, answer, question->translation);
        question->onHost = cnMulAdd(question->onGuest, question->isCast ? 0.0 : -height, plane->normal);
        question->normal = question->isCast && overlapping ? cnVec3_zero : plane->normal;
    }
}

// The surface next to a point. An open mesh is a sheet without an inside: behind it is as
// outside as before it.
static bool FindSurface(const cnShape* shape, cnVec3 point, cnSurfacePoint* out) {
    bool found = cnShape_FindClosest(shape, point, 1e30, out);
    if (found && shape->mesh != NULL && !shape->mesh->isClosed && !shape->mesh->isTerrain) {
        out->distance = fabs(out->distance);
    }
    return found;
}

// ---- meshes and height fields -----------------------------------------------------------------------------

// The box of the host's frame around the guest, all of its way and `around` (m) more.
static cnBounds GetGuestBounds(const Question* question, double around) {
    const cnVec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double lower[3], upper[3];
    for (int i = 0; i < 3; ++i) {
        cnVec3 axis = axes[i];
        double way = question->isCast ? question->best * cnDot(axis, question->translation) : 0.0;
        upper[i] =
            cnDot(axis, GetFarthest(question->guest, &question->pose, axis)) + cnMax(way, 0.0) + around;
        lower[i] = cnDot(axis, GetFarthest(question->guest, &question->pose, cnNeg(axis))) + cnMin(way, 0.0) -
                   around;
    }
    return (cnBounds){{lower[0], lower[1], lower[2]}, {upper[0], upper[1], upper[2]}};
}

static bool AskTriangle(const cnTriangle* triangle, void* context) {
    Question* question = context;
    cnSupportShape part = cnSupportShape_FromCorners(triangle->corners, 3, 0.0);
    AskConvex(question, &part);
    return !question->overlapping;
}

static void AskTriangles(Question* question) {
    int hint = 0;
    cnVec3 ofGuest = cnSupportShape_GetPoint(question->guest, cnVec(0.0, 0.0, 1.0), &hint);
    ofGuest = cnToA(&question->pose, ofGuest);
    cnSurfacePoint surface;
    double reach = question->isCast ? 0.0 : question->best;
    if (FindSurface(question->host, ofGuest, &surface)) {
        if (surface.distance <= 0.0) {
            TakeOverlap(question, ofGuest);
            return;
        }
        reach = cnMin(reach, surface.distance);
    }
    cnBounds bounds = GetGuestBounds(question, 1e-9 * question->host->boundingRadius + cnMin(reach, 1e30));
    cnShape_VisitTriangles(question->host, bounds, AskTriangle, question);
}

// ---- hollow solids ----------------------------------------------------------------------------------------

typedef struct Sector {
    double bound; // no point of the sector is nearer, or met earlier
    double angle; // of its middle
    int halvings;
} Sector;

static double GetHalfAngle(int halvings) {
    double angle = 0.25 * CN_PI;
    for (int i = 0; i < halvings; ++i) {
        angle *= 0.5;
    }
    return angle;
}

// Asks the hull of a sector: arcs of the wall are held by their chords inside and by their tangents outside.
static Question AskSector(const Question* question, const Sector* sector) {
    const cnRevolvedProfile* profile = &question->host->profile;
    double half = GetHalfAngle(sector->halvings);
    double widen = 1.0 / cnCos(half);
    cnVec3 corners[8];
    for (int i = 0; i < 8; ++i) {
        bool isUpper = (i & 1) != 0, isOuter = (i & 2) != 0;
        double angle = sector->angle + ((i & 4) != 0 ? half : -half);
        double radius = isOuter ? widen * (isUpper ? profile->outerUpper : profile->outerLower)
                                : (isUpper ? profile->innerUpper : profile->innerLower);
        corners[i] =
            cnVec(radius * cnCos(angle), isUpper ? profile->upper : profile->lower, radius * cnSin(angle));
    }
    cnSupportShape hull = cnSupportShape_FromCorners(corners, 8, 0.0);
    Question part = *question;
    part.answered = part.overlapping = false;
    AskConvex(&part, &hull);
    return part;
}

// The wall's cross-section in the middle of a sector: a part of the solid, so that what overlaps it
// overlaps the solid.
static bool OverlapsSection(const Question* question, const Sector* sector) {
    double c = cnCos(sector->angle), s = cnSin(sector->angle);
    cnVec3 corners[4];
    for (int i = 0; i < 4; ++i) {
        cnProfileVec corner = cnGetProfileCorner(&question->host->profile, i);
        corners[i] = cnVec(corner.radius * c, corner.height, corner.radius * s);
    }
    cnSupportShape section = cnSupportShape_FromCorners(corners, 4, 0.0);
    cnSupportDistance distance;
    return cnComputeSupportDistance(&section, question->guest, &question->pose, 0.0, &distance) &&
           distance.distance <= 0.0;
}

// The guest's nearest point as this sector tells, and its distance from the true wall: an upper bound.
static void TakeFromWall(Question* question, const Question* part) {
    cnSurfacePoint wall;
    if (cnShape_FindClosest(question->host, part->onGuest, 1e30, &wall) && wall.distance <= question->best) {
        question->answered = true;
        question->overlapping = wall.distance <= 0.0;
        question->best = cnMax(wall.distance, 0.0);
        question->onGuest = part->onGuest;
        question->onHost = wall.point;
        question->normal = question->overlapping ? cnVec3_zero : wall.normal;
    }
}

static void AskHollow(Question* question) {
    Sector sectors[MAX_SECTORS];
    int count = 0;
    double size = question->host->boundingRadius;
    double tolerance = question->isCast ? SECTOR_TOLERANCE : SECTOR_TOLERANCE * size;
    for (int i = 0; i < 4; ++i) {
        sectors[count++] = (Sector){question->isCast ? 0.0 : -1e30, 0.5 * CN_PI * i, 0};
    }
    while (count > 0 && !(question->overlapping && question->best <= 0.0)) {
        // the sector that promises most, narrow ones first
        int first = 0;
        for (int i = 1; i < count; ++i) {
            double lead = sectors[first].bound - sectors[i].bound;
            if (lead > tolerance || (lead >= -tolerance && sectors[i].halvings > sectors[first].halvings)) {
                first = i;
            }
        }
        Sector sector = sectors[first];
        sectors[first] = sectors[--count];
        if (sector.bound > question->best - tolerance && question->answered) {
            continue;
        }
        Question part = AskSector(question, &sector);
        if (!part.answered) {
            continue;
        }
        if (!question->isCast) {
            TakeFromWall(question, &part);
            if (part.overlapping && OverlapsSection(question, &sector)) {
                TakeOverlap(question, part.onGuest);
            }
        }

        // a sector this narrow is the wall itself, to 1e-10 of its radius
        bool isNarrow = sector.halvings >= 16 || count + 2 > MAX_SECTORS;
        if (question->isCast && isNarrow && part.best <= question->best) {
            *question = part;
        }
        for (int side = -1; side <= 1 && !isNarrow; side += 2) {
            double angle = sector.angle + 0.5 * side * GetHalfAngle(sector.halvings);
            sectors[count++] = (Sector){part.best, angle, sector.halvings + 1};
        }
    }
}

// ---- any two ----------------------------------------------------------------------------------------------

static bool HasTriangles(const cnShape* shape) {
    return cnShape_Is(shape, cn_formTriangles);
}

static bool IsHollow(const cnShape* shape) {
    return cnShape_Is(shape, cn_formHollow);
}

// Convex, or, beside a plane, as good as convex.
static bool GetPart(const cnShape* shape, const cnShape* other, cnVec3 ends[2], cnSupportShape* part) {
    if (shape->type == cn_line) {
        ends[0] = shape->start;
        ends[1] = shape->end;
        *part = cnSupportShape_FromCorners(ends, 2, 0.0);
        return true;
    }
    return (!IsHollow(shape) || other->type == cn_plane) && cnSupportShape_Init(part, shape);
}

static void AskHost(Question* question) {
    cnVec3 ends[2];
    cnSupportShape part;
    if (question->host->type == cn_plane) {
        AskPlane(question);
    } else if (HasTriangles(question->host)) {
        AskTriangles(question);
    } else if (GetPart(question->host, question->host, ends, &part)) {
        AskConvex(question, &part);
    } else {
        AskHollow(question);
    }
}

static bool AskForTriangle(const cnTriangle* triangle, void* context) {
    Question* question = context;
    cnSupportShape guest = cnSupportShape_FromCorners(triangle->corners, 3, 0.0);
    question->guest = &guest;
    AskHost(question);
    question->guest = NULL;
    return !question->overlapping;
}

// Triangles of the guest that lie near the host.
static void AskForTriangles(Question* question, const cnShape* guest) {
    cnRelativePose host = cnInvRelativePose(&question->pose);
    const cnBounds* bounds = &question->host->bounds;
    cnVec3 centre = question->host->centre;
    double reach = question->best;
    cnSurfacePoint onHost, onGuest;
    if (cnShape_FindClosest(question->host, cnToA(&question->pose, guest->centre), 1e30, &onHost) &&
        FindSurface(guest, cnToA(&host, onHost.point), &onGuest)) {
        // from a point of the host, the guest's surface is as far as the two are apart, or farther
        if (onGuest.distance <= 0.0) {
            TakeOverlap(question, onHost.point);
            return;
        }
        reach = cnMin(reach, onGuest.distance);
    }
    cnVec3 half = cnScale(0.5, cnSub(bounds->upper, bounds->lower));
    cnVec3 middle = cnToA(&host, centre);
    cnMat33 axes = {cnAbs(host.axes.x), cnAbs(host.axes.y), cnAbs(host.axes.z)};
    double around = 1e-9 * guest->boundingRadius + (question->isCast ? 0.0 : cnMin(reach, 1e30));
    cnVec3 extent = cnAdd(cnMulMat(axes, half), cnVec(around, around, around));
    cnVec3 back = question->isCast ? cnNeg(cnMulMat(host.axes, question->translation)) : cnVec3_zero;
    cnVec3 lower = cnSub(cnAdd(middle, cnMinVec(back, cnVec3_zero)), extent);
    cnVec3 upper = cnAdd(cnAdd(middle, cnMaxVec(back, cnVec3_zero)), extent);
    cnShape_VisitTriangles(guest, (cnBounds){lower, upper}, AskForTriangle, question);
}

static cnRelativePose SeeFrom(cnPose from, cnPose other) {
    cnMat33 fromAxes = cnMatFromQuat(from.rotation), axes = cnMatFromQuat(other.rotation);
    return (cnRelativePose){
        {cnMulMatT(fromAxes, axes.x), cnMulMatT(fromAxes, axes.y), cnMulMatT(fromAxes, axes.z)},
        cnMulMatT(fromAxes, cnSub(other.position, from.position)),
    };
}

// Who is asked: half-spaces first, then what is asked by its triangles, then what comes apart into sectors.
static int GetRank(const cnShape* shape) {
    return shape->type == cn_plane ? 4 : IsHollow(shape) ? 3 : HasTriangles(shape) ? 2 : 1;
}

// Which of two shapes is the host.
typedef struct Roles {
    bool swapped; // the first one is
    const cnShape *host, *guest;
    cnPose frame;        // of the host
    cnRelativePose pose; // of the guest in it
} Roles;

static Roles AssignRoles(const cnShape* shape1, cnPose pose1, const cnShape* shape2, cnPose pose2) {
    if (GetRank(shape1) > GetRank(shape2)) {
        return (Roles){true, shape1, shape2, pose1, SeeFrom(pose1, pose2)};
    }
    return (Roles){false, shape2, shape1, pose2, SeeFrom(pose2, pose1)};
}

// False for a pair that has no answer.
static bool Ask(Question* question, const cnShape* guest) {
    const cnShape* host = question->host;
    if ((host->type == cn_plane && guest->type == cn_plane) || (IsHollow(host) && IsHollow(guest))) {
        return false;
    }
    cnVec3 ends[2];
    cnSupportShape part;
    if (HasTriangles(guest)) {
        AskForTriangles(question, guest);
    } else if (GetPart(guest, host, ends, &part)) {
        question->guest = &part;
        AskHost(question);
        question->guest = NULL;
    } else {
        return false;
    }
    return true;
}

// Newton's step to the wall of a hollow solid from `back` (m) before it: casts at slivers of it are right to
// about 1e-5 only.
static void RefineCast(Question* question, const cnShape* guest, double back) {
    double way = cnLength(question->translation);
    if (!question->answered || question->overlapping || !(question->best * way > back)) {
        return;
    }
    Question before = *question;
    before.isCast = before.answered = false;
    before.best = INFINITY;
    double fraction = question->best - back / way;
    before.pose.position = cnMulAdd(before.pose.position, fraction, question->translation);
    Ask(&before, guest);
    double speed = -cnDot(before.normal, question->translation);
    if (before.answered && !before.overlapping && before.best < 2.0 * back && speed > 1e-2 * way) {
        question->best = cnMin(1.0, fraction + before.best / speed);
        question->onHost = before.onHost;
        question->normal = before.normal;
    }
}

cnClosestPoints cnFindClosestPoints(const cnShape* shape1, cnPose pose1, const cnShape* shape2, cnPose pose2,
                                    double reach) {
    Roles roles = AssignRoles(shape1, pose1, shape2, pose2);
    bool swapped = roles.swapped;
    cnPose frame = roles.frame;
    Question question = {.host = roles.host, .pose = roles.pose, .best = reach};
    if (!Ask(&question, roles.guest)) {
        return (cnClosestPoints){.status = cn_proximityUnsupported};
    }
    cnVec3 onHost = cnTransformPoint(frame, question.onHost);
    cnVec3 onGuest = cnTransformPoint(frame, question.onGuest);
    cnVec3 normal = cnRotate(frame.rotation, question.normal);
    bool isConvex = GetRank(question.host) != 2 && GetRank(question.host) != 3 && !HasTriangles(shape1) &&
                    !HasTriangles(shape2);
    bool overlapping = question.answered && question.overlapping;
    return (cnClosestPoints){
        .status = overlapping ? cn_proximityOverlapping : cn_proximityApart,
        .distance = overlapping && !isConvex ? 0.0 : question.best,
        .point1 = swapped ? onHost : onGuest,
        .point2 = swapped ? onGuest : onHost,
        .normal = overlapping && !isConvex ? cnVec3_zero : (swapped ? cnNeg(normal) : normal),
    };
}

cnShapeCastHit cnCastShapeAtShape(const cnShape* moving, cnPose pose, cnVec3 translation,
                                  const cnShape* standing, cnPose standingPose, double maxFraction) {
    Roles roles = AssignRoles(moving, pose, standing, standingPose);
    bool swapped = roles.swapped;
    cnPose frame = roles.frame;
    Question question = {
        .host = roles.host,
        .pose = roles.pose,
        .isCast = true,
        .translation = cnInvRotate(frame.rotation, swapped ? cnNeg(translation) : translation),
        .best = maxFraction,
    };
    if (!Ask(&question, roles.guest)) {
        return (cnShapeCastHit){.status = cn_proximityUnsupported};
    }
    if (IsHollow(question.host)) {
        // the normal is right from farther away, the point from nearby
        double size = question.host->boundingRadius;
        RefineCast(&question, roles.guest, 1e-5 * size);
        cnVec3 normal = question.normal;
        RefineCast(&question, roles.guest, 1e-7 * size);
        question.normal = normal;
    }
    if (!question.answered) {
        return (cnShapeCastHit){.status = cn_proximityApart};
    }
    cnVec3 normal = cnRotate(frame.rotation, question.normal);
    cnVec3 point = cnTransformPoint(frame, question.onHost);
    return (cnShapeCastHit){
        .status = cn_proximityOverlapping,
        .fraction = question.best,
        .point = swapped ? cnMulAdd(point, question.best, translation) : point,
        .normal = swapped ? cnNeg(normal) : normal,
    };
}

bool cnShape_HoldsPoint(const cnShape* shape, cnVec3 point) {
    // a ray that goes nowhere starts inside, or meets nothing
    cnLocalRayHit hit = shape->kind->castRay(shape, point, cnVec3_zero);
    return hit.hit && hit.inside;
}

// ---- without a world --------------------------------------------------------------------------------------

static cnErrorCode InitShape(cnShape* shape, const cnShapeDef* def, cnPose* pose, const char* call,
                             const char* argument, const char* poseArgument) {
    if (def == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, argument, "%s is null", argument);
    }
    if (!cnIsFiniteVec(pose->position) || !(fabs(cnLengthQuat(pose->rotation) - 1.0) <= 1e-3)) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, poseArgument,
                      "%s must have a finite position and a rotation of length 1 within 1e-3", poseArgument);
    }
    pose->rotation = cnNormalizeQuat(pose->rotation);
    return cnShape_Init(shape, def, call);
}

cnErrorCode cnComputeClosestPoints(const cnShapeDef* shape1, cnPose pose1, const cnShapeDef* shape2,
                                   cnPose pose2, cnClosestPoints* out) {
    const char* call = "cnComputeClosestPoints";
    cnShape built1 = {0}, built2 = {0};
    if (out == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "out", "out is null");
    }
    cnErrorCode code = InitShape(&built1, shape1, &pose1, call, "shape1", "pose1");
    if (code != CN_ERROR_NONE) {
        return code;
    }
    code = InitShape(&built2, shape2, &pose2, call, "shape2", "pose2");
    if (code == CN_ERROR_NONE) {
        *out = cnFindClosestPoints(&built1, pose1, &built2, pose2, INFINITY);
        cnShape_Free(&built2);
    }
    cnShape_Free(&built1);
    return code;
}

bool cnIsPointInShape(const cnShapeDef* shape, cnPose pose, cnVec3 point) {
    const char* call = "cnIsPointInShape";
    cnShape made = {0};
    if (!cnIsFiniteVec(point)) {
        cnFail(CN_ERROR_NOT_FINITE, call, "point", "point must be finite");
        return false;
    }
    if (InitShape(&made, shape, &pose, call, "shape", "pose") != CN_ERROR_NONE) {
        return false;
    }
    bool holds = cnShape_HoldsPoint(&made, cnInvTransformPoint(pose, point));
    cnShape_Free(&made);
    return holds;
}
