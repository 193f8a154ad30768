// Shapes that enclose points.
//
// The hull of the points is all that counts. A direction gives a shape: a cylinder and a capsule from the
// smallest circle around the corners seen along it, a box from the smallest rectangle around them, which has
// a side along an edge of their outline (Freeman, Shapira 1975). Directions that are tried are the normals of
// faces and the directions of edges, the largest of them, and a hundred spread evenly. The best of these are
// improved by moving the direction a little as long as that helps (for boxes the three axes in turn take the
// place of the direction, too). The smallest box has two faces with an edge of the hull each (O'Rourke,
// "Finding minimal enclosing boxes", 1985), which the search nearly always finds without the walk over all
// pairs of edges.
#include "assets/mesh_tools/fit_circle.h"
#include "assets/mesh_tools/piece.h"
#include "base/containers/sort.h"
#include "base/report/error.h"
#include "cairn/mesh_tools.h"

#include <string.h>

enum {
    maxHullDirections = 300, // of faces, and of edges
    gridSteps = 6,           // directions on half a cube: 3 sides of 12 × 12 squares
    maxRounds = 100,         // of improving one of them
    improvedCount = 12       // best directions that are improved
};

// What is flat is this thick, in units of its diagonal.
#define LEAST_THICKNESS 1e-6

// Parts of its size that a shape is larger than computed, so that rounding leaves no point outside.
#define MARGIN 1e-12

// A shape with its axis along y, x and z across.
typedef struct Fit {
    cnMat33 axes; // columns
    cnVec3 centre;
    double radius, height; // height of a capsule without its caps
    cnVec3 halfExtents;
    double volume;
} Fit;

typedef struct Fitter {
    cnShapeType type;
    const cnVec3* corners; // of the hull, or all points
    int count;
    CN_ARRAY(cnPlanePoint) flat;    // corners seen along the direction
    CN_ARRAY(cnPlanePoint) outline; // of the flat ones
} Fitter;

// ---- one direction ----------------------------------------------------------------------------------------

static cnMat33 FindAxes(cnVec3 direction) {
    // at length 1 again: what errors in it would grow from one improvement to the next
    cnVec3 y = cnNormalize(direction);
    cnVec3 x = cnNormalize(cnCross(y, cnMinAxis(y)));
    return (cnMat33){x, y, cnCross(x, y)};
}

// The convex outline of the flat points, counter-clockwise, without points on its edges (Andrew 1979).
static void FindOutline(Fitter* fitter) {
    cnPlanePoint* points = fitter->flat.data;
    cnPlanePoint* outline = fitter->outline.data;
    CN_SHELL_SORT(cnPlanePoint, points, fitter->flat.count, a, b, a.x < b.x || (a.x == b.x && a.y < b.y));
    int count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        int start = count;
        for (int i = 0; i < fitter->flat.count; ++i) {
            cnPlanePoint p = points[pass == 0 ? i : fitter->flat.count - 1 - i];
            while (count >= start + 2) {
                cnPlanePoint a = outline[count - 2], b = outline[count - 1];
                if ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0.0) {
                    break;
                }
                --count;
            }
            outline[count++] = p;
        }
        --count; // the last one begins the other half
    }
    fitter->outline.count = count > 0 ? count : 1;
}

static double Along(cnPlanePoint a, double x, double y) {
    return a.x * x + a.y * y;
}

// The smallest rectangle around the outline, by calipers; its first side's direction.
static cnPlanePoint FindRectangle(const Fitter* fitter) {
    const cnPlanePoint* outline = fitter->outline.data;
    int count = fitter->outline.count;
    cnPlanePoint best = {1.0, 0.0};
    double bestArea = 1e300;
    // places on the outline, counted on behind its end: each is the farthest in its direction
    int right = 0, top = 0, left = 0;
    for (int i = 0; i < count; ++i) {
        cnPlanePoint from = outline[i], to = outline[(i + 1) % count];
        double x = to.x - from.x, y = to.y - from.y;
        double length = sqrt(x * x + y * y);
        if (!(length > 0.0)) {
            continue;
        }
        x /= length;
        y /= length;
        right = right > i + 1 ? right : i + 1;
        while (right < i + count &&
               Along(outline[(right + 1) % count], x, y) >= Along(outline[right % count], x, y)) {
            ++right;
        }
        top = top > right ? top : right;
        while (top < i + count &&
               Along(outline[(top + 1) % count], -y, x) >= Along(outline[top % count], -y, x)) {
            ++top;
        }
        left = left > top ? left : top;
        while (left < i + count &&
               Along(outline[(left + 1) % count], x, y) <= Along(outline[left % count], x, y)) {
            ++left;
        }
        double area = (Along(outline[right % count], x, y) - Along(outline[left % count], x, y)) *
                      (Along(outline[top % count], -y, x) - Along(from, -y, x));
        if (area < bestArea) {
            bestArea = area;
            best = (cnPlanePoint){x, y};
        }
    }
    return best;
}

// Bounds along three axes.
static Fit MeasureBox(const Fitter* fitter, cnMat33 axes) {
    cnVec3 lower = cnMulMatT(axes, fitter->corners[0]), upper = lower;
    for (int i = 1; i < fitter->count; ++i) {
        cnVec3 place = cnMulMatT(axes, fitter->corners[i]);
        lower = cnMinVec(lower, place);
        upper = cnMaxVec(upper, place);
    }
    cnVec3 half = cnScale(0.5, cnSub(upper, lower));
    half = cnMaxVec(half, cnVec(0.5 * LEAST_THICKNESS, 0.5 * LEAST_THICKNESS, 0.5 * LEAST_THICKNESS));
    Fit fit = {
        .axes = axes, .centre = cnMulMat(axes, cnScale(0.5, cnAdd(lower, upper))), .halfExtents = half};
    fit.volume = 8.0 * half.x * half.y * half.z;
    return fit;
}

// Distances from the axis and places along it decide how long a capsule has to be.
static void FindCapsuleEnds(const Fitter* fitter, const cnMat33* axes, cnPlanePoint centre, double radius,
                            double* lower, double* upper) {
    *lower = 1e300;
    *upper = -1e300;
    for (int i = 0; i < fitter->count; ++i) {
        double x = cnDot(axes->x, fitter->corners[i]) - centre.x;
        double y = cnDot(axes->z, fitter->corners[i]) - centre.y;
        double place = cnDot(axes->y, fitter->corners[i]);
        double cap = sqrt(cnMax(0.0, radius * radius - x * x - y * y));
        *lower = cnMin(*lower, place + cap);
        *upper = cnMax(*upper, place - cap);
    }
    if (*upper < *lower) {
        *lower = *upper = 0.5 * (*lower + *upper);
    }
}

// A wider capsule may be shorter: radii up to half as large again, by golden sections.
static Fit MeasureCapsule(const Fitter* fitter, cnMat33 axes, cnCircle circle) {
    Fit best = {.axes = axes, .volume = 1e300};
    double from = 1.0, to = 1.5;
    double inner[2] = {from + 0.381966011250105 * (to - from), to - 0.381966011250105 * (to - from)};
    double volumes[2] = {-1.0, -1.0};
    for (int round = 0; round < 24; ++round) {
        for (int i = 0; i < 3; ++i) {
            // the smallest radius itself in the first round
            if (i < 2 ? volumes[i] >= 0.0 : round > 0) {
                continue;
            }
            double radius = cnMax(circle.radius, 0.5 * LEAST_THICKNESS) * (i < 2 ? inner[i] : 1.0);
            double lower, upper;
            FindCapsuleEnds(fitter, &axes, circle.centre, radius, &lower, &upper);
            double height = upper - lower;
            double volume = CN_PI * radius * radius * (height + 4.0 / 3.0 * radius);
            if (i < 2) {
                volumes[i] = volume;
            }
            if (volume < best.volume) {
                best = (Fit){axes,        cnVec(circle.centre.x, 0.5 * (lower + upper), circle.centre.y),
                             radius,      height,
                             cnVec3_zero, volume};
            }
        }
        if (volumes[0] <= volumes[1]) {
            to = inner[1];
            inner[1] = inner[0];
            volumes[1] = volumes[0];
            inner[0] = from + 0.381966011250105 * (to - from);
            volumes[0] = -1.0;
        } else {
            from = inner[0];
            inner[0] = inner[1];
            volumes[0] = volumes[1];
            inner[1] = to - 0.381966011250105 * (to - from);
            volumes[1] = -1.0;
        }
    }
    best.centre = cnMulMat(axes, best.centre);
    return best;
}

// The shape that a direction gives.
static Fit FitAlong(Fitter* fitter, cnVec3 direction) {
    cnMat33 axes = FindAxes(direction);
    double lower = 1e300, upper = -1e300;
    fitter->flat.count = fitter->count;
    for (int i = 0; i < fitter->count; ++i) {
        double place = cnDot(axes.y, fitter->corners[i]);
        lower = cnMin(lower, place);
        upper = cnMax(upper, place);
        fitter->flat.data[i] =
            (cnPlanePoint){cnDot(axes.x, fitter->corners[i]), cnDot(axes.z, fitter->corners[i])};
    }
    if (fitter->type == cn_box) {
        FindOutline(fitter);
        cnPlanePoint side = FindRectangle(fitter);
        cnVec3 x = cnNormalize(cnMulAdd(cnScale(side.x, axes.x), side.y, axes.z));
        return MeasureBox(fitter, (cnMat33){x, axes.y, cnCross(x, axes.y)});
    }
    cnCircle circle = cnFindSmallestCircle(fitter->flat.data, fitter->count);
    if (fitter->type == cn_capsule) {
        return MeasureCapsule(fitter, axes, circle);
    }
    circle.radius = cnMax(circle.radius, 0.5 * LEAST_THICKNESS);
    double height = cnMax(upper - lower, LEAST_THICKNESS);
    cnVec3 centre = cnVec(circle.centre.x, 0.5 * (lower + upper), circle.centre.y);
    return (Fit){axes,          cnMulMat(axes, centre),
                 circle.radius, height,
                 cnVec3_zero,   CN_PI * circle.radius * circle.radius * height};
}

// ---- all directions ---------------------------------------------------------------------------------------

// The best fits so far, the smallest first.
typedef struct Ranking {
    Fit fits[improvedCount];
    int count;
} Ranking;

// Whether a fit is found from another by improving it: about the same direction, or that of another side of a
// box.
static bool IsAlike(const Fit* a, const Fit* b) {
    double along = fabs(cnDot(a->axes.y, b->axes.y));
    if (cnLengthSquared(a->halfExtents) > 0.0) {
        along = cnMax(along, cnMax(fabs(cnDot(a->axes.x, b->axes.y)), fabs(cnDot(a->axes.z, b->axes.y))));
    }
    return along > 0.99;
}

static void Rank(Ranking* ranking, const Fit* fit) {
    for (int i = 0; i < ranking->count; ++i) {
        if (IsAlike(ranking->fits + i, fit)) {
            if (ranking->fits[i].volume <= fit->volume) {
                return;
            }
            // the better one takes its place
            for (--ranking->count; i < ranking->count; ++i) {
                ranking->fits[i] = ranking->fits[i + 1];
            }
        }
    }
    int at = ranking->count < improvedCount ? ranking->count++ : improvedCount;
    for (; at > 0 && fit->volume < ranking->fits[at - 1].volume; --at) {
        if (at < improvedCount) {
            ranking->fits[at] = ranking->fits[at - 1];
        }
    }
    if (at < improvedCount) {
        ranking->fits[at] = *fit;
    }
}

static void TryDirection(Fitter* fitter, Ranking* ranking, cnVec3 direction) {
    cnVec3 unit = cnNormalize(direction);
    if (!cnIsZeroVec(unit)) {
        Fit fit = FitAlong(fitter, unit);
        Rank(ranking, &fit);
    }
}

static void TryHullDirections(Fitter* fitter, Ranking* ranking, const cnHull* hull) {
    int faceStep = hull->faceCount / maxHullDirections + 1;
    for (int face = 0; face < hull->faceCount; face += faceStep) {
        TryDirection(fitter, ranking, hull->planes[face].normal);
    }
    int edgeStep = hull->edgeCount / (2 * maxHullDirections) + 1;
    for (int edge = 0, seen = 0; edge < hull->edgeCount; ++edge) {
        int twin = hull->edges[edge].twin;
        if (edge < twin && seen++ % edgeStep == 0) {
            TryDirection(
                fitter, ranking,
                cnSub(hull->vertices[hull->edges[twin].origin], hull->vertices[hull->edges[edge].origin]));
        }
    }
}

static void TryGrid(Fitter* fitter, Ranking* ranking) {
    for (int side = 0; side < 3; ++side) {
        for (int i = -gridSteps; i < gridSteps; ++i) {
            for (int k = -gridSteps; k < gridSteps; ++k) {
                double u = (i + 0.5) / gridSteps, v = (k + 0.5) / gridSteps;
                cnVec3 direction = side == 0 ? cnVec(1, u, v) : (side == 1 ? cnVec(u, 1, v) : cnVec(u, v, 1));
                TryDirection(fitter, ranking, direction);
            }
        }
    }
    TryDirection(fitter, ranking, cnVec(1, 0, 0));
    TryDirection(fitter, ranking, cnVec(0, 1, 0));
    TryDirection(fitter, ranking, cnVec(0, 0, 1));
}

// Moves the direction to whichever side makes the shape smaller, in steps that become shorter.
static Fit Improve(Fitter* fitter, Fit best) {
    double step = 0.1;
    for (int round = 0; step > 1e-7 && round < maxRounds; ++round) {
        double before = best.volume;
        Fit start = best;
        for (int i = 0; i < 8; ++i) {
            static const double ways[8][2] = {{1, 0}, {-1, 0}, {0, 1},  {0, -1},
                                              {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
            cnVec3 direction = cnMulAdd(cnMulAdd(start.axes.y, step * ways[i][0], start.axes.x),
                                        step * ways[i][1], start.axes.z);
            Fit fit = FitAlong(fitter, cnNormalize(direction));
            best = fit.volume < best.volume ? fit : best;
        }
        // of a box each axis may be the direction
        if (fitter->type == cn_box) {
            Fit byX = FitAlong(fitter, start.axes.x);
            Fit byZ = FitAlong(fitter, start.axes.z);
            best = byX.volume < best.volume ? byX : best;
            best = byZ.volume < best.volume ? byZ : best;
        }
        step = best.volume < before * (1.0 - 1e-3 * step) ? step : 0.5 * step;
    }
    return best;
}

static Fit FitBest(Fitter* fitter, const cnHull* hull) {
    Ranking ranking = {.count = 0};
    TryHullDirections(fitter, &ranking, hull);
    TryGrid(fitter, &ranking);
    Fit best = ranking.fits[0];
    for (int i = 0; i < ranking.count; ++i) {
        Fit fit = Improve(fitter, ranking.fits[i]);
        best = fit.volume < best.volume ? fit : best;
    }
    return best;
}

static Fit FitSphere(const Fitter* fitter) {
    cnBall ball = cnFindSmallestBall(fitter->corners, fitter->count);
    Fit fit = {.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .centre = ball.centre, .radius = ball.radius};
    fit.volume = 4.0 / 3.0 * CN_PI * ball.radius * ball.radius * ball.radius;
    return fit;
}

// ---- the call ---------------------------------------------------------------------------------------------

static cnErrorCode CheckPoints(const cnVec3* points, int count, const char* call) {
    if (points == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "points", "points is null");
    }
    if (count < 1 || count > CN_MAX_HULL_POINTS) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "points", "points has %d points, allowed are 1 to %d",
                      count, CN_MAX_HULL_POINTS);
    }
    for (int i = 0; i < count; ++i) {
        cnVec3 p = points[i];
        if (!cnIsFiniteVec(p)) {
            return cnFail(CN_ERROR_NOT_FINITE, call, "points", "points[%d] is (%g, %g, %g), must be finite",
                          i, p.x, p.y, p.z);
        }
        if (!(cnMax(fabs(p.x), cnMax(fabs(p.y), fabs(p.z))) <= 1e30)) {
            return cnFail(CN_ERROR_OUT_OF_RANGE, call, "points",
                          "points[%d] is (%g, %g, %g), allowed are magnitudes up to 1e30", i, p.x, p.y, p.z);
        }
    }
    return CN_ERROR_NONE;
}

// Sizes measured on all points, in the axes that the pose will have: a hull leaves out what lies within
// rounding of its faces, and what is flat was made thicker.
static void CoverPoints(Fitter* fitter, Fit* fit, cnQuat rotation) {
    cnMat33 axes = cnMatFromQuat(rotation);
    if (fitter->type == cn_box) {
        *fit = MeasureBox(fitter, axes);
        return;
    }
    double reach = 0.0, lower = 1e300, upper = -1e300;
    for (int i = 0; i < fitter->count; ++i) {
        cnVec3 way = cnMulMatT(axes, cnSub(fitter->corners[i], fit->centre));
        double across = way.x * way.x + way.z * way.z;
        reach = cnMax(reach, fitter->type == cn_sphere ? across + way.y * way.y : across);
        lower = cnMin(lower, way.y);
        upper = cnMax(upper, way.y);
    }
    fit->radius = fitter->type == cn_capsule ? cnMax(fit->radius, sqrt(reach)) : sqrt(reach);
    fit->radius = cnMax(fit->radius, 0.5 * LEAST_THICKNESS);
    if (fitter->type == cn_capsule) {
        cnPlanePoint centre = {cnDot(axes.x, fit->centre), cnDot(axes.z, fit->centre)};
        FindCapsuleEnds(fitter, &axes, centre, fit->radius, &lower, &upper);
        double place = cnDot(axes.y, fit->centre);
        lower -= place;
        upper -= place;
    }
    if (fitter->type != cn_sphere) {
        fit->centre = cnMulAdd(fit->centre, 0.5 * (lower + upper), axes.y);
        fit->height = cnMax(upper - lower, fitter->type == cn_cylinder ? LEAST_THICKNESS : 0.0);
    }
}

// The shape in metres, larger than computed by what rounding may leave outside.
static void WriteShape(const Fit* fit, cnShapeType type, cnVec3 middle, double scale, cnShapeDef* shape,
                       cnPose* pose) {
    cnVec3 far = cnAbs(middle);
    double margin = MARGIN * scale + 1e-15 * cnMax(far.x, cnMax(far.y, far.z));
    *shape = (cnShapeDef){.type = type};
    if (type == cn_box) {
        shape->halfExtents = cnAdd(cnScale(scale, fit->halfExtents), cnVec(margin, margin, margin));
    } else {
        shape->radius = scale * fit->radius + margin;
    }
    if (type == cn_capsule || type == cn_cylinder) {
        shape->height = scale * fit->height + 2.0 * margin;
    }
    pose->position = cnMulAdd(middle, scale, fit->centre);
}

cnErrorCode cnFitShape(cnShapeType type, const cnVec3* points, int count, cnShapeDef* shape, cnPose* pose) {
    const char* call = __func__;
    if (shape == NULL || pose == NULL) {
        const char* argument = shape == NULL ? "shape" : "pose";
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, argument, "%s is null", argument);
    }
    if (type != cn_sphere && type != cn_box && type != cn_capsule && type != cn_cylinder) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "type",
                      "type is %d, allowed are cn_sphere, cn_box, cn_capsule and cn_cylinder", (int)type);
    }
    CN_TRY(CheckPoints(points, count, call));
    cnVec3 lower = points[0], upper = lower;
    for (int i = 1; i < count; ++i) {
        lower = cnMinVec(lower, points[i]);
        upper = cnMaxVec(upper, points[i]);
    }
    cnVec3 middle = cnMulAdd(cnScale(0.5, lower), 0.5, upper);
    double scale = cnLength(cnSub(upper, lower));
    if (!(scale > 1e-150)) {
        return cnFail(CN_ERROR_DEGENERATE_SHAPE, call, "points",
                      "the %d points all coincide; they must span a length", count);
    }

    Fitter fitter = {.type = type};
    CN_ARRAY(cnVec3) scaled = {0};
    cnHull* hull = NULL;
    bool isDone = cnArray_Resize(&scaled, count);
    for (int i = 0; isDone && i < count; ++i) {
        scaled.data[i] = cnScale(1.0 / scale, cnSub(points[i], middle));
    }
    if (isDone && type != cn_sphere) {
        hull = cnBuildThickHull(scaled.data, count, 1e-5, NULL);
        isDone = hull != NULL;
    }
    isDone = isDone && cnArray_Reserve(&fitter.flat, hull != NULL ? hull->vertexCount : 1) &&
             cnArray_Reserve(&fitter.outline, hull != NULL ? 2 * hull->vertexCount + 2 : 1);
    if (isDone) {
        fitter.corners = hull != NULL ? hull->vertices : scaled.data;
        fitter.count = hull != NULL ? hull->vertexCount : count;
        Fit fit = hull != NULL ? FitBest(&fitter, hull) : FitSphere(&fitter);
        pose->rotation = cnQuatFromMat(fit.axes);
        fitter.corners = scaled.data;
        fitter.count = count;
        CoverPoints(&fitter, &fit, pose->rotation);
        WriteShape(&fit, type, middle, scale, shape, pose);
        cnClearLastError();
    }
    cnHull_Free(hull);
    cnArray_Free(&scaled);
    cnArray_Free(&fitter.flat);
    cnArray_Free(&fitter.outline);
    return isDone ? CN_ERROR_NONE
                  : cnFail(CN_ERROR_OUT_OF_MEMORY, call, "points", "no memory to fit a shape to %d points",
                           count);
}
