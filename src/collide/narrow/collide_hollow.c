// Hollow cylinders and cones, with their inner walls, against every shape without triangles.
//
// Two solids touch where the distance to one, taken over the surface of the other, is least.
// Such a minimum lies
//
//   - on a curve of B: an edge, a rim, the axis of a capsule or the centre of a ball, whose radius
//     then comes off; or
//   - on a rim of A, in the distance to B; or
//   - where the outer wall of A crosses that of another solid of revolution.
//
// Nowhere else: every other pair of surfaces is flat along a line that both contain, which ends at an edge or
// a rim, or parts faster inside than at its ends, as anything convex does that lies in a hole. So one search
// serves all pairs: it follows a curve of one shape through the exact signed distance of the other ("the
// field"). The field's normal along the curve tells where the distance falls and rises, so minima are changes
// of its sign, found by bisection to rounding; and across the curve it tells whether the curve's own solid
// comes closer beside the curve, in which case the contact is none of this curve.
//
// A minimum alone cannot carry what lies flat. Where the distance hardly changes along a stretch of a
// curve, both ends of the stretch are contacts too, and of a circle the quarters in between. Stretches
// that curve away, as under a rolling tube, are too short to count: a point ahead of the true one would
// be felt as a bump.
#include "collide/narrow/collide.h"
#include "geometry/distance.h"
#include "geometry/shapes/revolved.h"
#include "geometry/shapes/shape_kinds.h"

// Parts of a curve that it is looked at between.
#define STEPS 16

// Flatter than this (rad), a stretch is flat and a face beside the curve no closer.
#define FLAT 0.02

// Nearer together than this, in units of the size, points with normals as near are one.
#define SAME 1e-4

// A place where the solid comes closer beside the curve counts if it is that much deeper than all contacts;
// the slop is in units of the size.
#define SPARE 1.5
#define SPARE_SLOP 1e-3

// Names of points along a curve beside its minima and ends.
enum {
    slotMinimum,
    slotFrom,
    slotTo,
    slotQuarter,                  // four of them
    slotAcross = slotQuarter + 4, // three
};

// A segment or a circle, in A's frame. Where u is the parameter, a segment's points are origin + u·axis, a
// circle's are origin + radius (cos u x + sin u z) about the axis.
typedef struct Curve {
    cnVec3 origin, x, axis, z;
    double radius; // 0 for a segment
    double length; // of a segment
    double ball;   // the curve stands for the balls of this radius about its points

    // where its solid goes on from it: directions in a segment's two faces, or about a circle, as parts along
    // the radius and the axis
    int sideCount;
    cnVec3 sides[2];
    const cnPolytope* polytope; // whose edges leave the ends; null otherwise
    int edge;
    bool isApex;  // a point where a wall ends: its side turns all around
    bool isInner; // within a face: never the place of a contact
    uint32_t name;
} Curve;

typedef struct Search {
    const cnShapePair* pair;
    cnCandidates* out;
    int first;       // candidate of this pair
    bool fieldIsB;   // else A
    bool isComplete; // memory sufficed
    bool hasSpare;
    cnCandidate spare; // the deepest of those refused
} Search;

// What the field says at a point of a curve.
typedef struct Probe {
    double u;
    cnVec3 tangent, radial;
    cnVec3 point;   // of the curve
    cnVec3 surface; // of the field, next to it
    cnVec3 normal;  // out of the field
    double separation;
    double slope; // change of the distance per metre along the curve
    uint32_t feature;
    bool isFlat; // within the margin, hardly sloped, and the curve's solid comes no closer beside
} Probe;

static void Add(Search* search, cnVec3 onField, cnVec3 normal, double separation, uint32_t feature) {
    const cnShapePair* pair = search->pair;
    cnCandidate candidate = {cnMulAdd(onField, 0.5 * separation, normal),
                             search->fieldIsB ? cnNeg(normal) : normal, -separation, feature};
    double same = SAME * pair->size;
    for (int i = search->first; i < search->out->list.count; ++i) {
        cnCandidate* other = search->out->list.data + i;
        if (cnLengthSquared(cnSub(other->point, candidate.point)) <= same * same &&
            cnDot(other->normal, candidate.normal) > 0.999) {
            if (candidate.depth > other->depth + 1e-9 * pair->size) {
                *other = candidate;
            }
            return;
        }
    }
    search->isComplete = cnCandidates_Add(search->out, candidate) && search->isComplete;
}

// Whether the curve's solid comes closer to the field beside the curve. `end` is 0 at a segment's start, 1 at
// its end, else -1.
static bool ComesCloser(const cnRelativePose* pose, const Curve* curve, const Probe* probe, int end) {
    cnVec3 normal = probe->normal;
    if (curve->isInner) {
        return true;
    }
    if (curve->isApex) {
        double along = cnDot(normal, curve->axis);
        double across = cnLength(cnMulAdd(normal, -along, curve->axis));
        return curve->sides[0].y * along - fabs(curve->sides[0].x) * across < -FLAT;
    }
    if (end >= 0 && curve->polytope != NULL) {
        // along all edges of the corner, in B's frame
        const cnHullEdge* edges = curve->polytope->edges;
        cnVec3 local = cnMulMatT(pose->axes, normal);
        int first = end == 0 ? curve->edge : edges[curve->edge].twin;
        int edge = first;
        do {
            int twin = edges[edge].twin;
            cnVec3 along = cnSub(curve->polytope->vertices[edges[twin].origin],
                                 curve->polytope->vertices[edges[edge].origin]);
            if (cnDot(local, along) < -FLAT * cnLength(along)) {
                return true;
            }
            edge = edges[twin].next;
        } while (edge != first);
        return false;
    }
    if (curve->ball > 0.0 && curve->length > 0.0 && end < 0) {
        return fabs(probe->slope) > 1.001 * FLAT;
    }
    for (int i = 0; i < curve->sideCount; ++i) {
        cnVec3 side = curve->sides[i];
        if (curve->radius > 0.0) {
            side = cnMulAdd(cnScale(side.x, probe->radial), side.y, curve->axis);
        }
        if (cnDot(normal, side) < -FLAT) {
            return true;
        }
    }
    return false;
}

static Probe Look(const Search* search, const Curve* curve, double u) {
    const cnShapePair* pair = search->pair;
    Probe probe = {.u = u, .tangent = curve->axis, .radial = curve->x};
    if (curve->radius > 0.0) {
        double c = cnCos(u), s = cnSin(u);
        probe.radial = cnMulAdd(cnScale(c, curve->x), s, curve->z);
        probe.tangent = cnMulAdd(cnScale(-s, curve->x), c, curve->z);
        probe.point = cnMulAdd(curve->origin, curve->radius, probe.radial);
    } else {
        probe.point = cnMulAdd(curve->origin, u, curve->axis);
    }
    cnSurfacePoint closest;
    if (search->fieldIsB) {
        cnVec3 local = cnMulMatT(pair->pose.axes, cnSub(probe.point, pair->pose.position));
        cnShape_FindClosest(pair->b, local, INFINITY, &closest);
        closest.point = cnToA(&pair->pose, closest.point);
        closest.normal = cnMulMat(pair->pose.axes, closest.normal);
    } else {
        closest = cnFindClosestOnRevolved(&pair->a->profile, probe.point);
    }
    probe.surface = closest.point;
    probe.normal = closest.normal;
    probe.separation = closest.distance - curve->ball;
    probe.feature = closest.feature;
    probe.slope = cnDot(closest.normal, probe.tangent);
    probe.isFlat = probe.separation <= pair->margin && fabs(probe.slope) <= FLAT &&
                   !ComesCloser(&pair->pose, curve, &probe, -1);
    return probe;
}

// A ball that nearly fills the hole is near the walls all around: the quarters from the nearest point on.
static void AddAcross(Search* search, const Curve* curve, const Probe* probe, uint32_t feature) {
    const cnRevolvedProfile* profile = &search->pair->a->profile;
    double radius = sqrt(probe->point.x * probe->point.x + probe->point.z * probe->point.z);
    if (probe->feature == cn_outerWall || !(radius < cnMax(profile->innerLower, profile->innerUpper))) {
        return;
    }
    double c = radius > 0.0 ? probe->point.x / radius : 1.0;
    double s = radius > 0.0 ? probe->point.z / radius : 0.0;
    for (int quarter = 1; quarter < 4; ++quarter) {
        cnVec3 out = quarter == 2 ? cnVec(-c, 0.0, -s) : quarter == 1 ? cnVec(-s, 0.0, c) : cnVec(s, 0.0, -c);
        cnProfilePoint closest =
            cnFindClosestOnProfile(profile, quarter == 2 ? -radius : 0.0, probe->point.y);
        if (!(closest.distance > 0.0)) {
            continue;
        }
        cnVec3 on = cnScale(closest.point.radius, out);
        on.y = closest.point.height;
        cnVec3 gap = cnSub(probe->point, on);
        double distance = cnLength(gap);
        bool isAside = (quarter != 2 && radius > 0.05 * distance) ||
                       (curve->length > 0.0 && fabs(cnDot(gap, curve->axis)) > FLAT * distance);
        if (!isAside && distance - curve->ball <= search->pair->margin) {
            Add(search, on, cnScale(1.0 / distance, gap), distance - curve->ball,
                feature + slotAcross + (uint32_t)quarter - 1);
        }
    }
}

// Directions in the surface away from a rim, as parts along the radius and the axis. Returns their number.
static int GetRimSides(const cnRevolvedProfile* profile, int rim, cnVec3 sides[2]) {
    int count = 0;
    cnProfileVec corner = cnGetProfileCorner(profile, rim);
    for (int side = 0; side < 2; ++side) {
        cnProfileVec next = cnGetProfileCorner(profile, (rim + (side == 0 ? 1 : 3)) % 4);
        double dr = next.radius - corner.radius, dy = next.height - corner.height;
        double length = sqrt(dr * dr + dy * dy);
        if (length > 0.0 && (dr != 0.0 || next.radius > 0.0)) {
            sides[count++] = cnVec(dr / length, dy / length, 0.0);
        }
    }
    return count;
}

// Whether two curves or walls that cross are that deep in each other: a point of one lies half as deep in the
// other solid at least. Else one of them has long left the other's solid on its far side.
static bool IsCrossing(const Search* search, cnVec3 onA, cnVec3 onB, double depth) {
    const cnShapePair* pair = search->pair;
    cnVec3 local = cnMulMatT(pair->pose.axes, cnSub(onA, pair->pose.position));
    cnSurfacePoint closest;
    cnShape_FindClosest(pair->b, local, INFINITY, &closest);
    double inB = closest.distance;
    double inA = cnFindClosestOnRevolved(&pair->a->profile, onB).distance;
    return depth <= -2.0 * cnMin(inA, inB);
}

// Where a curve has sunk in across a rim of the field, the nearest surface is one or the other side of the
// rim, and neither is the way out. The contact is that of two crossing curves: along what is across both.
// Looks for the place of the curve nearest to the rim within `window` of a probe.
static void OfferCrossing(Search* search, const Curve* curve, const Probe* probe, double window) {
    const cnShapePair* pair = search->pair;
    const cnShape* field = search->fieldIsB ? pair->b : pair->a;
    const cnRevolvedProfile* profile = &field->profile;
    if (!cnIsRevolved(field->type)) {
        return;
    }
    cnVec3 axis = search->fieldIsB ? pair->pose.axes.y : cnVec(0.0, 1.0, 0.0);
    cnVec3 origin = search->fieldIsB ? pair->pose.position : cnVec3_zero;
    for (int rim = 0; rim < 4; ++rim) {
        cnProfileVec corner = cnGetProfileCorner(profile, rim);
        if (!(corner.radius > 0.0)) {
            continue;
        }
        Probe place = *probe;
        cnVec3 centre = cnMulAdd(origin, corner.height, axis);
        cnVec3 radial = cnVec3_zero, on = centre, gap = cnVec3_zero;
        double lower = probe->u - window, upper = probe->u + window;
        if (!(curve->radius > 0.0)) {
            lower = cnMax(lower, 0.0);
            upper = cnMin(upper, curve->length);
        }
        for (int i = -2; i < 40; ++i) {
            place.u = i == -2 ? lower : i == -1 ? upper : 0.5 * (lower + upper);
            place = Look(search, curve, place.u);
            cnVec3 offset = cnSub(place.point, centre);
            radial = cnMulAdd(offset, -cnDot(offset, axis), axis);
            double radius = cnLength(radial);
            radial = cnScale(radius > 0.0 ? 1.0 / radius : 0.0, radial);
            on = cnMulAdd(centre, corner.radius, radial);
            gap = cnSub(place.point, on);
            bool rises = cnDot(gap, place.tangent) > 0.0;
            if (i < 0 && rises != (i == -1)) {
                break; // nearest beyond the window
            }
            *(rises ? &upper : &lower) = place.u;
        }
        double depth = cnLength(gap);
        if (upper - lower > 1e-6 * window || !(place.separation < 0.0) ||
            !(depth > 0.0 && IsCrossing(search, search->fieldIsB ? place.point : on,
                                        search->fieldIsB ? on : place.point, depth))) {
            continue;
        }

        // out of both wedges
        place.normal = cnScale(-1.0 / depth, gap);
        double outward = cnDot(place.normal, radial), along = cnDot(place.normal, axis);
        cnVec3 sides[2];
        int sideCount = GetRimSides(profile, rim, sides);
        bool isOut = true;
        for (int i = 0; i < sideCount; ++i) {
            isOut = isOut && sides[i].x * outward + sides[i].y * along <= FLAT;
        }
        if (isOut && !ComesCloser(&search->pair->pose, curve, &place, -1)) {
            Add(search, on, place.normal, -depth,
                (search->fieldIsB ? 0xa0000000u : 0x20000000u) | (uint32_t)rim << 24 | curve->name << 4);
        }
    }
}

// Adds a point of a curve, or keeps it as spare where the solid comes closer beside it. True when added.
static bool Offer(Search* search, const Curve* curve, const Probe* probe, int end, uint32_t slot) {
    if (!(probe->separation <= search->pair->margin)) {
        return false;
    }
    uint32_t name = curve->name << 4;
    if (end >= 0 && curve->polytope != NULL) {
        const cnHullEdge* edges = curve->polytope->edges;
        name = (0x8000u | edges[end == 0 ? curve->edge : edges[curve->edge].twin].origin) << 4;
        slot = slotMinimum;
    }
    uint32_t feature = (search->fieldIsB ? 0x80000000u : 0) | name;
    if (ComesCloser(&search->pair->pose, curve, probe, end)) {
        if (probe->separation < 0.0 && (!search->hasSpare || -probe->separation > search->spare.depth)) {
            search->hasSpare = true;
            search->spare = (cnCandidate){cnMulAdd(probe->surface, 0.5 * probe->separation, probe->normal),
                                          search->fieldIsB ? cnNeg(probe->normal) : probe->normal,
                                          -probe->separation, feature};
        }
        return false;
    }
    Add(search, probe->surface, probe->normal, probe->separation, feature + slot);
    if (curve->ball > 0.0) {
        AddAcross(search, curve, probe, feature);
    }
    return true;
}

// Where flat ground ends between a flat place and one that is not.
static Probe FindFlatEnd(const Search* search, const Curve* curve, Probe flat, double steep) {
    for (int i = 0; i < 20; ++i) {
        Probe middle = Look(search, curve, 0.5 * (flat.u + steep));
        if (middle.isFlat) {
            flat = middle;
        } else {
            steep = middle.u;
        }
    }
    return flat;
}

// The minimum between a place where the distance falls and one where it rises: the root of the slope by false
// position, with every third step a bisection for the sake of kinks. At a kink, where the nearest surface
// changes, the two are left next to it on either side, each with its own normal; else both are the minimum.
static void FindMinimum(const Search* search, const Curve* curve, Probe* fall, Probe* rise) {
    double min = 1e-13 * (rise->u - fall->u);
    for (int i = 0; i < 60 && rise->u - fall->u >= min; ++i) {
        double part = i % 3 == 2 ? 0.5 : fall->slope / (fall->slope - rise->slope);
        Probe middle = Look(search, curve, fall->u + part * (rise->u - fall->u));
        if (fabs(middle.slope) < 1e-13) {
            *fall = *rise = middle;
        } else {
            *(middle.slope > 0.0 ? rise : fall) = middle;
        }
    }
    if (rise->slope - fall->slope < FLAT) {
        *(fabs(rise->slope) < fabs(fall->slope) ? fall : rise) =
            fabs(rise->slope) < fabs(fall->slope) ? *rise : *fall;
    }
}

// The part of the curve within reach of the field; false for none. A whole circle has the parameters 0 to 2π.
static bool Clip(const Search* search, const Curve* curve, double* from, double* to) {
    const cnShapePair* pair = search->pair;
    const cnShape* field = search->fieldIsB ? pair->b : pair->a;
    cnVec3 centre = search->fieldIsB ? cnToA(&pair->pose, field->centre) : field->centre;
    double reach = field->boundingRadius + pair->margin + curve->ball;
    cnVec3 offset = cnSub(centre, curve->origin);
    double along = cnDot(offset, curve->axis);
    cnVec3 across = cnMulAdd(offset, -along, curve->axis);
    double squared = cnLengthSquared(across);
    if (!(curve->radius > 0.0)) {
        double half = reach * reach - squared;
        half = half > 0.0 ? sqrt(half) : -1.0;
        *from = cnMax(0.0, along - half);
        *to = cnMin(curve->length, along + half);
        return half > 0.0 && *from <= *to;
    }
    double r = curve->radius;
    double distance = sqrt(squared);
    double cosine = (along * along + r * r + squared - reach * reach);
    *from = 0.0;
    *to = 2.0 * CN_PI;
    if (cosine >= 2.0 * r * distance) {
        return false;
    }
    if (cosine > -2.0 * r * distance) {
        double middle = cnAtan2(cnDot(across, curve->z), cnDot(across, curve->x));
        double half = cnAcos(cosine / (2.0 * r * distance));
        *from = middle - half;
        *to = middle + half;
    }
    return true;
}

// Follows a curve through the field.
static void Follow(Search* search, const Curve* curve) {
    double from, to;
    if (!Clip(search, curve, &from, &to)) {
        return;
    }
    double perRadian = curve->radius > 0.0 ? curve->radius : 1.0;
    double step = (to - from) / STEPS;
    double stride = step * perRadian;
    bool isClosed = curve->radius > 0.0 && from == 0.0 && to == 2.0 * CN_PI;
    Probe probes[STEPS + 1];
    if (!(stride > 0.0)) {
        probes[0] = Look(search, curve, from);
        Offer(search, curve, probes, 0, slotMinimum);
        return;
    }
    const int half = STEPS / 2;
    probes[half] = Look(search, curve, from + half * step);
    if (probes[half].separation > search->pair->margin + (half + 1) * stride) {
        return;
    }
    for (int i = 0; i <= STEPS; ++i) {
        if (i != half) {
            probes[i] = Look(search, curve, from + i * step);
        }
    }

    // a circle from a place that is not flat, if there is one
    int shift = 0;
    while (isClosed && shift < STEPS && probes[shift].isFlat) {
        ++shift;
    }
    bool isFlatAround = isClosed && shift == STEPS;
    if (isClosed && shift > 0 && shift < STEPS) {
        Probe shifted[STEPS + 1];
        for (int i = 0; i <= STEPS; ++i) {
            int j = i + shift;
            shifted[i] = probes[j < STEPS ? j : j - STEPS];
            shifted[i].u = from + j * step;
        }
        for (int i = 0; i <= STEPS; ++i) {
            probes[i] = shifted[i];
        }
    }

    // flat stretches: their ends, and a circle's quarters
    double depths[STEPS + 1]; // the least separation offered of the stretch that a place belongs to
    for (int i = 0; i <= STEPS; ++i) {
        depths[i] = INFINITY;
    }
    for (int i = 0; i <= STEPS; ++i) {
        int last = i;
        while (probes[i].isFlat && last < STEPS && probes[last + 1].isFlat) {
            ++last;
        }
        if (last == i) {
            continue;
        }
        double min = INFINITY;
        if (!isFlatAround) {
            bool isStart = i == 0, isEnd = last == STEPS;
            Probe begin = isStart ? probes[0] : FindFlatEnd(search, curve, probes[i], probes[i - 1].u);
            Probe end = isEnd ? probes[STEPS] : FindFlatEnd(search, curve, probes[last], probes[last + 1].u);
            Offer(search, curve, &begin, isStart && from == 0.0 ? 0 : -1, slotFrom);
            Offer(search, curve, &end, isEnd && to == curve->length ? 1 : -1, slotTo);
            min = cnMin(begin.separation, end.separation);
        }
        for (int k = i; k <= last && curve->radius > 0.0; ++k) {
            if ((k + shift) % 4 == 0 && k < STEPS) {
                Offer(search, curve, probes + k, -1, slotQuarter + (uint32_t)((k + shift) / 4 % 4));
                min = cnMin(min, probes[k].separation);
            }
        }
        for (int k = i; k <= last; ++k) {
            depths[k] = min;
        }
        i = last;
    }

    // minima: on flat ground only if deeper than what it has
    for (int i = 0; i < STEPS; ++i) {
        if (probes[i].slope <= 0.0 && probes[i + 1].slope > 0.0 &&
            cnMin(probes[i].separation, probes[i + 1].separation) <= search->pair->margin + stride) {
            Probe minimum = probes[i], other = probes[i + 1];
            FindMinimum(search, curve, &minimum, &other);
            if (minimum.separation < cnMin(depths[i], depths[i + 1]) - 1e-5 * search->pair->size) {
                // either side of a kink may be the way out, whichever rounding comes upon
                bool isOffered = Offer(search, curve, &minimum, -1, slotMinimum);
                isOffered =
                    (other.u > minimum.u && Offer(search, curve, &other, -1, slotMinimum)) || isOffered;
                if (!isOffered && minimum.separation < 0.0 && !(curve->ball > 0.0)) {
                    OfferCrossing(search, curve, &minimum, step);
                }
            }
        }
    }
    if (!(curve->radius > 0.0)) {
        if (from == 0.0 && probes[0].slope >= 0.0) {
            Offer(search, curve, probes, 0, slotFrom);
        }
        if (to == curve->length && probes[STEPS].slope <= 0.0) {
            Offer(search, curve, probes + STEPS, 1, slotTo);
        }
    }
}

// ---- curves -----------------------------------------------------------------------------------------------

// The rims of a solid of revolution at a pose seen from A.
static void FollowRims(Search* search, const cnRevolvedProfile* profile, const cnRelativePose* pose) {
    for (int rim = 0; rim < 4; ++rim) {
        cnProfileVec corner = cnGetProfileCorner(profile, rim);
        if (rim >= 2 && !(corner.radius > 0.0)) {
            continue;
        }
        Curve curve = {
            .origin = cnToA(pose, cnVec(0.0, corner.height, 0.0)),
            .x = pose->axes.x,
            .axis = pose->axes.y,
            .z = pose->axes.z,
            .radius = corner.radius,
            .isApex = !(corner.radius > 0.0),
            .name = (uint32_t)rim,
        };
        curve.sideCount = GetRimSides(profile, rim, curve.sides);
        Follow(search, &curve);
    }
}

// Lines of the outer wall, for solids that pierce each other with no rim or edge inside of the other.
static void FollowWall(Search* search, const cnRevolvedProfile* profile, const cnRelativePose* pose) {
    for (int i = 0; i < CN_DIRECTION_COUNT; ++i) {
        cnVec3 out = cnRotateTangent(pose->axes.y, pose->axes.x, i);
        cnVec3 start = cnMulAdd(cnToA(pose, cnVec(0.0, profile->lower, 0.0)), profile->outerLower, out);
        cnVec3 end = cnMulAdd(cnToA(pose, cnVec(0.0, profile->upper, 0.0)), profile->outerUpper, out);
        cnVec3 along = cnSub(end, start);
        double length = cnLength(along);
        Curve curve = {
            .origin = start, .axis = cnScale(1.0 / length, along), .length = length, .isInner = true};
        Follow(search, &curve);
    }
}

static void FollowEdges(Search* search, const cnPolytope* polytope) {
    // its vertices and directions in A's frame, an edge at a time
    const cnRelativePose* pose = &search->pair->pose;
    for (int edge = 0; edge < polytope->edgeCount; ++edge) {
        int twin = polytope->edges[edge].twin;
        if (twin < edge) {
            continue;
        }
        cnVec3 start = polytope->vertices[polytope->edges[edge].origin];
        cnVec3 along = cnSub(polytope->vertices[polytope->edges[twin].origin], start);
        double length = cnLength(along);
        cnVec3 direction = cnScale(1.0 / length, along);

        // into the faces left and right
        cnVec3 left = cnCross(polytope->planes[polytope->edges[edge].face].normal, direction);
        cnVec3 right = cnCross(direction, polytope->planes[polytope->edges[twin].face].normal);
        Curve curve = {
            .origin = cnToA(pose, start),
            .axis = cnMulMat(pose->axes, direction),
            .length = length,
            .sideCount = 2,
            .sides = {cnMulMat(pose->axes, left), cnMulMat(pose->axes, right)},
            .polytope = polytope,
            .edge = edge,
            .name = (uint32_t)edge,
        };
        Follow(search, &curve);
    }
}

// Where the outer walls of two solids of revolution cross.
//
// A wall's normals make one angle with its axis: n·a = s. A common normal, n out of A and −n out of B, so
// solves two linear equations in the plane of the axes, and its part across them is what makes it unit: two
// solutions. Each names a generator of each wall, which cross when seen along n.
static void CrossWalls(Search* search) {
    const cnShapePair* pair = search->pair;
    const cnRevolvedProfile* profiles[2] = {&pair->a->profile, &pair->b->profile};
    double sines[2], thickness[2];
    for (int i = 0; i < 2; ++i) {
        const cnRevolvedProfile* p = profiles[i];
        double dr = p->outerUpper - p->outerLower, dy = p->upper - p->lower;
        double length = sqrt(dr * dr + dy * dy);
        sines[i] = -dr / length;
        thickness[i] = cnIsHollow(p)
                           ? dy / length * cnMax(p->outerLower - p->innerLower, p->outerUpper - p->innerUpper)
                           : INFINITY;
    }
    cnVec3 axisA = cnVec(0.0, 1.0, 0.0);
    cnVec3 axisB = pair->pose.axes.y;
    cnVec3 across = cnCross(axisA, axisB);
    double c = cnDot(axisA, axisB);
    double d = cnLengthSquared(across);
    double alongA = (sines[0] + c * sines[1]) / d;
    double alongB = (-sines[1] - c * sines[0]) / d;
    double rest = 1.0 - (alongA * sines[0] - alongB * sines[1]);
    if (!(d > 1e-8) || rest < 0.0) {
        return;
    }
    double bestSeparation = -cnMin(thickness[0], thickness[1]);
    cnVec3 bestPoint = cnVec3_zero, bestNormal = cnVec3_zero;
    uint32_t best = 0;
    for (uint32_t sign = 1; sign <= 2; ++sign) {
        double part = (sign == 1 ? 1.0 : -1.0) * sqrt(rest / d);
        cnVec3 normal = cnMulAdd(cnMulAdd(cnScale(alongA, axisA), alongB, axisB), part, across);
        cnVec3 outA = cnNormalize(cnMulAdd(normal, -sines[0], axisA));
        cnVec3 outB = cnNormalize(cnNeg(cnMulAdd(normal, sines[1], axisB)));
        cnVec3 starts[2], ends[2];
        for (int i = 0; i < 2; ++i) {
            cnVec3 out = i == 0 ? outA : outB;
            cnVec3 axis = i == 0 ? axisA : axisB;
            cnVec3 origin = i == 0 ? cnVec3_zero : pair->pose.position;
            starts[i] =
                cnAdd(origin, cnMulAdd(cnScale(profiles[i]->lower, axis), profiles[i]->outerLower, out));
            ends[i] =
                cnAdd(origin, cnMulAdd(cnScale(profiles[i]->upper, axis), profiles[i]->outerUpper, out));
        }
        double separation = cnDot(normal, cnSub(starts[1], starts[0]));
        double s, t;
        cnVec3 shifted = cnMulAdd(starts[1], -separation, normal);
        cnVec3 generatorA = cnSub(ends[0], starts[0]);
        cnFindClosestOnSegments(starts[0], generatorA, shifted, cnSub(ends[1], starts[1]), &s, &t);
        cnVec3 point = cnMulAdd(starts[0], s, generatorA);
        if (separation > bestSeparation && s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0 &&
            (separation >= 0.0 ||
             IsCrossing(search, point, cnMulAdd(point, separation, normal), -separation))) {
            bestSeparation = separation;
            bestPoint = point;
            bestNormal = normal;
            best = sign;
        }
    }
    if (best > 0 && bestSeparation <= pair->margin) {
        search->fieldIsB = false;
        Add(search, bestPoint, bestNormal, bestSeparation, 0x40000000u | best);
    }
}

// ## Thin walls
//
// Half-way through a wall the nearest way out is the far side, and a body that a step has found that deep
// would be pushed through. But a convex body between the ends that is in the hole by its middle, and has room
// there, comes through a wall only by having sunk into it, and so does one whose middle is outside. So behind
// the wall, seen from there, all is solid; unless that would be felt by surfaces at the ends that are not
// there.

// False where it is not so.
static bool FillBehind(cnRevolvedProfile* profile, const cnShape* b, cnVec3 middle, double margin) {
    double height = profile->upper - profile->lower, part = (middle.y - profile->lower) / height;
    double outer = (1.0 - part) * profile->outerLower + part * profile->outerUpper;
    double inner = (1.0 - part) * profile->innerLower + part * profile->innerUpper;
    double radius = sqrt(middle.x * middle.x + middle.z * middle.z);
    bool isInHole = radius < 0.5 * (inner + outer);
    double toEnd = cnMin(middle.y - profile->lower, profile->upper - middle.y);
    bool isBetween = toEnd >= b->boundingRadius && (!isInHole || inner >= b->boundingRadius);
    if (!isBetween || cnShape_Is(b, cn_formHollow)) {
        return false;
    }
    if (isInHole) {
        double behind = 2.0 * b->boundingRadius + margin;
        profile->outerLower += behind;
        profile->outerUpper += behind;
    } else {
        profile->innerLower = profile->innerUpper = 0.0;
    }
    return true;
}

static bool IsOnSurface(const cnCandidate* c, const cnShapePair* pair) {
    cnVec3 point = cnMulAdd(c->point, 0.5 * c->depth, c->normal);
    double distance = cnFindClosestOnRevolved(&pair->a->profile, point).distance;
    return fabs(distance) <= 1e-6 * (cnLength(point) + pair->size);
}

// Leaves of the candidates from `first` on what is on the surface of a profile. False where the deepest is
// not.
static bool KeepOnSurface(cnCandidates* candidates, int first, const cnShapePair* pair) {
    double kept = -INFINITY, left = -INFINITY;
    int count = first;
    for (int i = first; i < candidates->list.count; ++i) {
        cnCandidate c = candidates->list.data[i];
        if (IsOnSurface(&c, pair)) {
            kept = cnMax(kept, c.depth);
            candidates->list.data[count++] = c;
        } else {
            left = cnMax(left, c.depth);
        }
    }
    candidates->list.count = count;
    return kept >= left;
}

static bool CollideProfiles(const cnShapePair* pair, cnCandidates* out) {
    const cnShape* b = pair->b;
    cnRelativePose identity = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}};
    Search search = {.pair = pair, .out = out, .first = out->list.count, .isComplete = true};
    if (cnShape_Is(b, cn_formRound)) {
        Curve axis = {.origin = cnMulAdd(pair->pose.position, -b->halfHeight, pair->pose.axes.y),
                      .axis = pair->pose.axes.y,
                      .length = 2.0 * b->halfHeight,
                      .ball = b->radius};
        Follow(&search, &axis);
    } else if (cnIsRevolved(b->type)) {
        FollowRims(&search, &b->profile, &pair->pose);
        CrossWalls(&search);
    } else {
        cnBoxStorage storage;
        cnPolytope polytope = cnGetPolytope(b, &storage);
        FollowEdges(&search, &polytope);
    }
    if (!cnShape_Is(b, cn_formRound)) {
        search.fieldIsB = true;
        FollowRims(&search, &pair->a->profile, &identity);
    }

    // deep inside of one another, no curve may be the closest: better the deepest place than none, or than
    // one much less deep
    double deepest = -INFINITY;
    for (int i = search.first; i < out->list.count; ++i) {
        deepest = cnMax(deepest, out->list.data[i].depth);
    }
    double slop = SPARE_SLOP * pair->size;
    bool isFound = deepest >= -1e-3 * slop;
    if (search.fieldIsB && (search.hasSpare ? search.spare.depth > slop : !isFound)) {
        FollowWall(&search, &pair->a->profile, &identity);
        search.fieldIsB = false;
        if (cnIsRevolved(b->type)) {
            FollowWall(&search, &b->profile, &pair->pose);
        }
    }
    if (search.hasSpare &&
        (deepest < 0.0 || search.spare.depth > SPARE * deepest + SPARE_SLOP * pair->size)) {
        search.isComplete = cnCandidates_Add(out, search.spare) && search.isComplete;
    }
    return search.isComplete;
}

bool cnCollideHollow(const cnShapePair* pair, cnCandidates* out) {
    cnShape filled = *pair->a;
    cnVec3 middle = cnToA(&pair->pose, pair->b->centre);
    if (FillBehind(&filled.profile, pair->b, middle, pair->margin)) {
        cnShapePair behind = *pair;
        behind.a = &filled;
        int first = out->list.count;
        bool isComplete = CollideProfiles(&behind, out);
        if (KeepOnSurface(out, first, pair)) {
            return isComplete;
        }
        out->list.count = first;
    }
    return CollideProfiles(pair, out);
}
