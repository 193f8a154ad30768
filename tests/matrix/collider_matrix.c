// The whole matrix of colliders against an independent reference: every pair of kinds, sizes from 1:1 to
// 1:10⁴, thin and needle shapes, from apart through touching to deep.
//
//   collider_matrix [--cases n] [--from n] [--seed n] [--pair kind kind] [--json FILE] [--verbose] [--mended]
//
// A case is made from its number and the seed alone, so that processes can share the cases (--from) and one
// can be run again. --mended runs those that broke a law once, in place of the count.
//
// What is stated of each case, with 1 moved by its contacts' normals out of 2:
//   apart      solids farther apart than the margin have no contact
//   touching   solids that overlap have one (whole depth for convex pairs; half of it, while
//              shallow, for others)
//   surfaces   every point lies in both inflated solids: p − n d/2 not outside of 1, p + n d/2
//              not outside of 2
//   depth      no depth is above what parts the two (least width over many directions) for convex pairs, and
//              for others above what lies deep in the other solid at its points or near them (2.5 times, for
//              edges that cross), or above a deeper point's on the same normal that keeps this; what has
//              come through the wall of a hollow one goes back as far as it came
//   swapped    the deepest depth is that of the pair taken the other way round
//   moved      and that of both moved rigidly
// The reference certifies: a sample of one surface inside the other solid shows an overlap; samples all
// farther than their spacing show a gap. Cases that it cannot decide are counted.
#include "base/report/error.h"
#include "collide/narrow/collide_shapes.h"
#include "matrix/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    maxManifolds = CN_PAIR_MANIFOLDS
};

typedef enum Law {
    lawApart,
    lawTouching,
    lawSurfaces,
    lawDepth,
    lawSwapped,
    lawMoved,
    lawCount
} Law;

static const char* const lawNames[lawCount] = {"apart", "touching", "surfaces", "depth", "swapped", "moved"};

typedef struct PairResult {
    long cases, contacts, decided;
    long failures[lawCount];
    double worst[lawCount]; // excess over the tolerance, in units of the smaller solid's thin extent
} PairResult;

static PairResult results[refKindCount][refKindCount];
static bool verbose;
static uint64_t randomState;

static double Next(void) {
    randomState ^= randomState << 13;
    randomState ^= randomState >> 7;
    randomState ^= randomState << 17;
    return (double)(randomState >> 11) / 9007199254740992.0;
}

static double Between(double lower, double upper) {
    return lower + (upper - lower) * Next();
}

static cnVec3 RandomDirection(void) {
    for (;;) {
        cnVec3 v = {Between(-1.0, 1.0), Between(-1.0, 1.0), Between(-1.0, 1.0)};
        double length = cnLength(v);
        if (length > 0.1 && length < 1.0) {
            return cnScale(1.0 / length, v);
        }
    }
}

static cnQuat RandomRotation(void) {
    double kind = Next();
    if (kind < 0.2) { // aligned: faces parallel, edges on edges
        return cnQuat_identity;
    }
    cnQuat q = {Between(-1.0, 1.0), Between(-1.0, 1.0), Between(-1.0, 1.0), Between(-1.0, 1.0)};
    if (kind < 0.35) { // a quarter turn, or nearly one
        double tilt = kind < 0.25 ? 0.0 : Between(-1e-4, 1e-4);
        const cnQuat turns[3] = {{0.70710678118654752, tilt, 0.0, 0.70710678118654752},
                                 {0.0, 0.70710678118654752, tilt, 0.70710678118654752},
                                 {tilt, 0.0, 0.70710678118654752, 0.70710678118654752}};
        q = turns[(int)(3.0 * Next())];
    }
    return cnNormalizeQuat(q);
}

typedef struct Case {
    RefSolid* solids[2];
    cnShape shapes[2];
    cnPose poses[2];
    double margin, thin;
    long number;
} Case;

// Signed distance of a world point from a solid.
static double DistanceTo(const Case* c, int which, cnVec3 point) {
    return cnRefDistance(c->solids[which], cnInvTransformPoint(c->poses[which], point));
}

// One solid's samples against the other (RefSampleGap).
static double SampleGap(const Case* c, int sampled, double max, double enough) {
    cnPose other = c->poses[1 - sampled], self = c->poses[sampled];
    cnPose pose = {cnInvTransformPoint(other, self.position),
                   cnMulQuat(cnConjugate(other.rotation), self.rotation)};
    return cnRefSampleGap(c->solids[sampled], c->solids[1 - sampled], pose, max, enough);
}

static double WidthAlong(const Case* c, cnVec3 normal) {
    // how far 1 must move along the normal to part from 2
    double reach2;
    if (c->solids[1]->kind == refPlane) {
        cnVec3 up = cnRotate(c->poses[1].rotation, c->solids[1]->def.normal);
        reach2 = cnDot(up, normal) > 1.0 - 1e-9 ? c->solids[1]->def.offset + cnDot(up, c->poses[1].position)
                                                : INFINITY;
    } else {
        reach2 = cnRefSupport(c->solids[1], cnInvRotate(c->poses[1].rotation, normal)) +
                 cnDot(normal, c->poses[1].position);
    }
    if (c->solids[0]->kind == refPlane) {
        cnVec3 up = cnRotate(c->poses[0].rotation, c->solids[0]->def.normal);
        return cnDot(up, normal) < -1.0 + 1e-9
                   ? reach2 + c->solids[0]->def.offset + cnDot(up, c->poses[0].position)
                   : INFINITY;
    }
    cnVec3 back = cnNeg(normal);
    return reach2 + cnRefSupport(c->solids[0], cnInvRotate(c->poses[0].rotation, back)) +
           cnDot(back, c->poses[0].position);
}

static double CollideDeepest(const Case* c, bool swapped, cnPose motion, cnManifold* manifolds, int* count) {
    int first = swapped ? 1 : 0;
    const cnShape* shape1 = &c->shapes[first];
    const cnShape* shape2 = &c->shapes[1 - first];
    cnPose pose1 = cnMulPose(motion, c->poses[first]), pose2 = cnMulPose(motion, c->poses[1 - first]);
    if (cnIsConcave(shape1->type, shape2->type)) {
        static cnCandidates scratch;
        *count = cnCollideConcaveShapes(shape1, pose1, shape2, pose2, c->margin, NULL, &scratch, manifolds);
        cnArray_Free(&scratch.list);
    } else {
        cnCollideCache cache = {0};
        *count = cnCollideShapes(shape1, pose1, shape2, pose2, c->margin, &cache, manifolds) > 0 ? 1 : 0;
    }
    double deepest = -INFINITY;
    for (int i = 0; i < *count; ++i) {
        for (int k = 0; k < manifolds[i].pointCount; ++k) {
            deepest = cnMax(deepest, manifolds[i].depths[k]);
        }
    }
    return deepest;
}

static void Fail(const Case* c, PairResult* result, Law law, double excess, const char* what, double value,
                 double bound) {
    result->failures[law] += 1;
    result->worst[law] = cnMax(result->worst[law], excess / c->thin);
    if (verbose) {
        printf("  case %ld %s–%s %s: %s %.6g, bound %.6g (thin %.4g)\n", c->number,
               cnRefName(c->solids[0]->kind), cnRefName(c->solids[1]->kind), lawNames[law], what, value,
               bound, c->thin);
    }
}

// A point outside of a solid to its surface, along the gradient of the distance.
static cnVec3 PullBack(const Case* c, int side, cnVec3 point) {
    double outside = DistanceTo(c, side, point);
    double h = 1e-6 * c->thin;
    if (outside <= 0.0) {
        return point;
    }
    cnVec3 gradient = {
        DistanceTo(c, side, cnVec(point.x + h, point.y, point.z)) - outside,
        DistanceTo(c, side, cnVec(point.x, point.y + h, point.z)) - outside,
        DistanceTo(c, side, cnVec(point.x, point.y, point.z + h)) - outside,
    };
    return cnMulAdd(point, -outside / h, gradient);
}

// How deep something of one solid lies in the other near a point of it: a random search with
// steps that shrink.
//
// Nothing moves one solid out of the other by less than the depth of its deepest point. Where edges cross,
// with faces that are steep on one side and flat on the other, the contact's own points are close below
// the steep ones, and the deepest piece is farther along an edge; so to look at the points alone would
// refuse the true depth.
static double FindSunk(const Case* c, int side, cnVec3 start, double step) {
    double sunk = -DistanceTo(c, 1 - side, start);
    double slop = 1e-4 * c->thin;
    for (int level = 0; level < 12; ++level, step *= 0.6) {
        for (int i = 0; i < 30; ++i) {
            cnVec3 point = cnMulAdd(start, step, RandomDirection());
            point = PullBack(c, side, PullBack(c, side, point));
            double deeper = -DistanceTo(c, 1 - side, point);
            if (deeper > sunk && DistanceTo(c, side, point) <= slop) {
                sunk = deeper;
                start = point;
            }
        }
    }
    return sunk;
}

// What a point may be off: f32 about the smaller solid's centre, and the slops of features
// that are preferred.
static double GetTolerance(const Case* c, double depth) {
    return 2e-3 * c->thin + 2e-6 * cnMin(c->solids[0]->size, c->solids[1]->size) + 0.02 * fabs(depth);
}

// How deep a point lies in a hollow solid that is solid behind its wall too, seen from where the middle of
// the other one is: in the hole, or outside. 0 for other kinds.
static double FindDepthBehindWall(const Case* c, int side, cnVec3 point) {
    const RefSolid* hollow = c->solids[side];
    if ((hollow->kind != refHollowCylinder && hollow->kind != refHollowCone) ||
        !c->solids[1 - side]->isConvex) {
        return 0.0;
    }
    static RefSolid inside, outside; // filled there; these kinds are all in their definitions
    double much = 10.0 * (hollow->size + c->solids[1 - side]->size);
    inside.kind = outside.kind = hollow->kind;
    inside.def = outside.def = hollow->def;
    outside.def.thickness += much;
    outside.def.bottomRadius += much;
    outside.def.topRadius += much;
    inside.def.innerRadius = 0.0;
    inside.def.thickness = hollow->def.innerRadius + hollow->def.thickness;
    if (hollow->kind == refHollowCone) {
        inside.def.thickness = cnMax(hollow->def.bottomRadius, hollow->def.topRadius);
    }
    cnPose pose = c->poses[side];
    cnVec3 other = cnTransformPoint(c->poses[1 - side], c->shapes[1 - side].centre);
    cnVec3 middle = cnInvTransformPoint(pose, other), local = cnInvTransformPoint(pose, point);
    double fromInside = -cnRefDistance(&inside, local), fromOutside = -cnRefDistance(&outside, local);
    bool isInWall = cnRefDistance(hollow, middle) <= 0.0, isInHole = cnRefDistance(&inside, middle) <= 0.0;
    double depth = isInWall ? cnMax(fromInside, fromOutside) : isInHole ? fromOutside : fromInside;
    return cnMax(0.0, depth);
}

// How deep a contact may be by what lies deep in the other solid at its point or near it.
static double GetDepthBound(const Case* c, cnVec3 normal, cnVec3 point, double depth) {
    // a point of one surface lies that deep in the other solid; where edges cross, somewhat less deep
    double tolerance = GetTolerance(c, depth);
    cnVec3 of1 = cnMulAdd(point, -0.5 * depth, normal), of2 = cnMulAdd(point, 0.5 * depth, normal);
    double sunk = cnMax(0.0, cnMax(-DistanceTo(c, 1, of1), -DistanceTo(c, 0, of2)));
    double bound = 2.5 * sunk + tolerance;

    // a ball with its centre inside of a thin wall reaches through it: what parts them is the way of the
    // centre out of the wall and the radius, while the wall's surface lies as much less than the radius
    // deep in the ball
    for (int side = 0; side < 2; ++side) {
        if (c->solids[side]->kind == refSphere || c->solids[side]->kind == refCapsule) {
            double radius = c->solids[side]->def.radius;
            cnVec3 centre = side == 0 ? cnMulAdd(of1, radius, normal) : cnMulAdd(of2, -radius, normal);
            bound = cnMax(bound, sunk + 2.0 * cnMax(0.0, -DistanceTo(c, 1 - side, centre)) + tolerance);
        }
    }
    sunk = cnMax(FindDepthBehindWall(c, 0, of2), FindDepthBehindWall(c, 1, of1));
    bound = cnMax(bound, 2.5 * sunk + tolerance);
    if (depth > bound) {
        sunk = cnMax(FindSunk(c, 0, of1, depth), FindSunk(c, 1, of2, depth));
        bound = cnMax(bound, 2.5 * sunk + tolerance);
    }
    return bound;
}

static void CheckPoint(const Case* c, PairResult* result, const cnManifold* manifold, int index) {
    cnVec3 normal = cnNormalize(cnToD(manifold->normal));
    cnVec3 point = cnAdd(manifold->origin, cnToD(manifold->points[index]));
    double depth = manifold->depths[index];
    double tolerance = GetTolerance(c, depth);
    for (int side = 0; side < 2; ++side) {
        cnVec3 onSurface = cnMulAdd(point, (side == 0 ? -0.5 : 0.5) * depth, normal);
        double off = DistanceTo(c, side, onSurface);
        if (off > tolerance) {
            Fail(c, result, lawSurfaces, off - tolerance, side == 0 ? "outside of 1 by" : "outside of 2 by",
                 off, tolerance);
        }
    }
    if (depth > tolerance && !(c->solids[0]->isConvex && c->solids[1]->isConvex)) {
        // one normal is one way out, as long as the deepest point on it says: a corner below the same face
        // that has another face near asks for no more
        double bound = GetDepthBound(c, normal, point, depth);
        for (int i = 0; i < manifold->pointCount && depth > bound; ++i) {
            double other = manifold->depths[i];
            if (other > depth) {
                cnVec3 place = cnAdd(manifold->origin, cnToD(manifold->points[i]));
                double otherBound = GetDepthBound(c, normal, place, other);
                bound = other <= otherBound ? otherBound : bound;
            }
        }
        if (depth > bound) {
            Fail(c, result, lawDepth, depth - bound, "deeper than its points lie:", depth, bound);
        }
    }
}

static void CheckCase(Case* c, PairResult* result) {
    cnPose still = {cnVec3_zero, cnQuat_identity};
    static cnManifold manifolds[maxManifolds], others[maxManifolds];
    int count, otherCount;
    double deepest = CollideDeepest(c, false, still, manifolds, &count);
    bool convex = c->solids[0]->isConvex && c->solids[1]->isConvex;
    double tolerance = 5e-3 * c->thin + 1e-5 * cnMin(c->solids[0]->size, c->solids[1]->size);
    result->cases += 1;
    result->contacts += count > 0;

    // what the reference knows
    double gap0 = SampleGap(c, 0, INFINITY, -INFINITY);
    double gap1 = SampleGap(c, 1, INFINITY, -INFINITY);
    double overlap = -cnMin(gap0, gap1);
    // one may lie inside the other with its surface far away
    double apart =
        overlap > 0.0 ? -INFINITY : cnMax(gap0 - c->solids[0]->spacing, gap1 - c->solids[1]->spacing);
    result->decided += apart > c->margin || overlap > tolerance;
    if (apart > c->margin + tolerance && count > 0) {
        Fail(c, result, lawApart, apart - c->margin, "a contact at a gap of", apart, c->margin);
    }
    bool shallow = overlap < 0.3 * c->thin;
    if (overlap > tolerance && (convex || shallow)) {
        double min = convex ? 0.97 * overlap - tolerance : 0.5 * overlap - tolerance;
        if (!(deepest >= min)) {
            Fail(c, result, lawTouching, min - cnMax(deepest, 0.0), "deepest", deepest, min);
        }
    }
    if (count == 0) {
        return;
    }

    // each point
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < manifolds[i].pointCount; ++k) {
            CheckPoint(c, result, &manifolds[i], k);
        }
    }
    if (convex && deepest > 0.0) {
        // the normal is in f32: what its length lacks, times a size of 10⁴, would be more than the smaller
        // solid's tolerance
        double min = WidthAlong(c, cnNormalize(cnToD(manifolds[0].normal)));
        for (int i = 0; i < 40; ++i) {
            min = cnMin(min, WidthAlong(c, RandomDirection()));
        }
        double bound = min * 1.03 + tolerance;
        if (deepest > bound) {
            Fail(c, result, lawDepth, deepest - bound, "deepest", deepest, bound);
        }
    }

    // swapped and moved
    double slack = tolerance + 0.03 * fabs(deepest);
    double other = CollideDeepest(c, true, still, others, &otherCount);
    bool nearMargin = deepest < -c->margin + slack;
    if (!nearMargin && (convex || shallow) && !(fabs(other - deepest) <= slack)) {
        Fail(c, result, lawSwapped, fabs(other - deepest) - slack, "swapped", other, deepest);
    }
    cnPose motion = {cnScale(c->solids[0]->size + c->solids[1]->size, RandomDirection()), RandomRotation()};
    other = CollideDeepest(c, false, motion, others, &otherCount);
    if (!nearMargin && (convex || shallow) && !(fabs(other - deepest) <= slack)) {
        Fail(c, result, lawMoved, fabs(other - deepest) - slack, "moved", other, deepest);
    }
}

// Brings the two together: from afar along a direction until they touch by the samples, then to
// the wanted depth.
static void Place(Case* c) {
    RefSolid* a = c->solids[0];
    RefSolid* b = c->solids[1];
    c->poses[0] = (cnPose){cnVec3_zero, RandomRotation()};
    c->poses[1] = (cnPose){cnVec3_zero, RandomRotation()};
    int plane = a->kind == refPlane ? 0 : b->kind == refPlane ? 1 : -1;
    int field = a->kind == refHeightField ? 0 : b->kind == refHeightField ? 1 : -1;
    cnVec3 direction = RandomDirection(); // from b to a
    if (plane >= 0) {
        cnVec3 up = cnRotate(c->poses[plane].rotation, c->solids[plane]->def.normal);
        direction = plane == 0 ? cnNeg(up) : up;
    } else if (field >= 0) {
        cnVec3 up = cnRotate(c->poses[field].rotation, cnVec(0.0, 0.0, 1.0));
        direction = field == 0 ? cnNeg(up) : up;
    }

    // the line of approach goes through inner points, over the middle of a field
    cnVec3 toA = cnScale(Next() < 0.3 ? 0.0 : 0.6 * c->thin, RandomDirection());
    if (field >= 0 || plane >= 0) {
        cnVec3 across = cnCross(direction, RandomDirection());
        double reach =
            0.5 *
            (field >= 0 ? cnMax(0.0, c->solids[field]->size / 1.42 * 0.7 - c->solids[1 - field]->size) : 1.0);
        toA = cnScale(reach, across);
    }
    double upper = 2.2 * (a->size + b->size), lower = -upper;
    if (plane >= 0) {
        upper += fabs(c->solids[plane]->def.offset) * 2.0;
        lower -= fabs(c->solids[plane]->def.offset) * 2.0;
    } else {
        lower = 0.0;
    }
    bool sampleA = a->sampleCount > 0 && (b->sampleCount == 0 || a->size < b->size);
    int sampled = sampleA ? 0 : 1;
    for (int i = 0; i < 30; ++i) {
        double middle = 0.5 * (lower + upper);
        c->poses[0].position = cnMulAdd(toA, middle, direction);
        double gap = SampleGap(c, sampled, 0.0, 0.0);
        *(gap < 0.0 ? &lower : &upper) = middle;
    }
    double kind = Next();
    double shift = kind < 0.2   ? 0.0
                   : kind < 0.5 ? Between(-2.0, 3.0) * c->margin
                   : kind < 0.8 ? -Between(0.0, 0.25) * c->thin
                                : -Between(0.0, 1.0) * c->thin;
    c->poses[0].position = cnMulAdd(toA, upper + shift, direction);
}

static bool CanCollide(RefKind a, RefKind b) {
    return !(a == refPlane && b == refPlane) && !(a == refHeightField && b == refHeightField) &&
           !((a == refPlane || b == refPlane) && (a == refHeightField || b == refHeightField));
}

static void RunCase(long number, uint64_t seed, int onlyA, int onlyB) {
    static RefSolid solids[2];
    randomState = (seed + (uint64_t)number) * 0x9e3779b97f4a7c15u | 1u;
    for (int i = 0; i < 8; ++i) {
        Next();
    }
    RefKind kinds[2];
    do {
        kinds[0] = (RefKind)(refKindCount * Next());
        kinds[1] = (RefKind)(refKindCount * Next());
        if (onlyA >= 0) {
            bool turned = Next() < 0.5;
            kinds[0] = (RefKind)(turned ? onlyB : onlyA);
            kinds[1] = (RefKind)(turned ? onlyA : onlyB);
        }
    } while (!CanCollide(kinds[0], kinds[1]));

    // alike, or 1:10² and 1:10⁴
    double ratio = Next() < 0.6 ? Between(0.3, 3.0) : pow(10.0, Between(-4.0, 4.0));
    bool fieldIsFirst = kinds[0] == refHeightField;
    if (fieldIsFirst || kinds[1] == refHeightField) { // a field is larger than what lies on it
        ratio = fieldIsFirst ? 1.0 / Between(3.0, 100.0) : Between(3.0, 100.0);
    }
    double scale = pow(10.0, Between(-2.0, 2.0));
    Case c = {.number = number};
    c.solids[0] = &solids[0];
    c.solids[1] = &solids[1];
    cnRefMake(&solids[0], kinds[0], scale, Next);
    cnRefMake(&solids[1], kinds[1], scale * ratio, Next);
    c.thin = cnMin(kinds[0] == refPlane ? INFINITY : solids[0].thin,
                   kinds[1] == refPlane ? INFINITY : solids[1].thin);
    c.margin = Next() < 0.3 ? 0.0 : 0.02 * c.thin;
    for (int i = 0; i < 2; ++i) {
        if (cnShape_Init(&c.shapes[i], &solids[i].def, "collider_matrix") != CN_ERROR_NONE) {
            printf("case %ld: a %s was refused: %s\n", number, cnRefName(kinds[i]),
                   cnGetLastError()->message);
            results[kinds[0]][kinds[1]].failures[lawTouching] += 1;
            if (i == 1) {
                cnShape_Free(&c.shapes[0]);
            }
            return;
        }
    }
    Place(&c);
    CheckCase(&c, &results[kinds[0]][kinds[1]]);
    cnShape_Free(&c.shapes[0]);
    cnShape_Free(&c.shapes[1]);
}

// Cases that broke a law once.
static void RunMended(void) {
    static const struct {
        uint64_t seed;
        long number;
        int kinds[2]; // −1: any
    } mended[] = {
        {8, 28517, {-1, -1}}, // lines side by side, on which the normal leans
        {7, 24363, {-1, -1}},
        {1, 121942, {-1, -1}},
        {7, 45946, {-1, -1}}, // deep over a field that falls away
        {7, 24130, {-1, -1}},
        {3, 19208, {refHeightField, refCone}},
        {1, 34042, {-1, -1}}, // a box's face just across a triangle
        {1, 102750, {-1, -1}},
        {1, 311639, {-1, -1}}, // a corner with another face near
        {1, 335859, {-1, -1}}, // normals 2.5° apart in one manifold
        {1, 515708, {-1, -1}}, // two ways out of nearly one length
        {1, 694319, {-1, -1}},
        {3, 641, {refCylinder, refTrimesh}}, // a way out along the neighbour's normal
        {3, 5589, {refHollowCylinder, refTrimesh}},
        {3, 2193, {refCone, refTrimesh}}, // a corner left over a diagonal
        {1, 4128, {refCone, refTrimesh}}, // a wall beside the triangle
        {3, 8139, {refCone, refTrimesh}},
        {3, 9361, {refCone, refTrimesh}},  // a needle through a corner
        {3, 10819, {refCone, refTrimesh}}, // a tip in a concave edge
        {5, 3659, {refCone, refTrimesh}},  // along the axis of a tip
    };
    for (size_t i = 0; i < sizeof mended / sizeof mended[0]; ++i) {
        RunCase(mended[i].number, mended[i].seed * 1000003u, mended[i].kinds[0], mended[i].kinds[1]);
    }
}

static void Merge(PairResult* into, const PairResult* from) {
    into->cases += from->cases;
    into->contacts += from->contacts;
    into->decided += from->decided;
    for (int i = 0; i < lawCount; ++i) {
        into->failures[i] += from->failures[i];
        into->worst[i] = cnMax(into->worst[i], from->worst[i]);
    }
}

static long Report(FILE* json, long cases, uint64_t seed) {
    long failures = 0;
    bool first = true;
    if (json != NULL) {
        fprintf(json, "{ \"cases\": %ld, \"seed\": %llu, \"pairs\": [", cases, (unsigned long long)seed);
    }
    for (int a = 0; a < refKindCount; ++a) {
        for (int b = a; b < refKindCount; ++b) {
            PairResult sum = results[a][b];
            if (a != b) {
                Merge(&sum, &results[b][a]);
            }
            long failed = 0;
            for (int law = 0; law < lawCount; ++law) {
                failed += sum.failures[law];
            }
            failures += failed;
            if (failed > 0) {
                printf("%-14s %-14s %7ld cases", cnRefName((RefKind)a), cnRefName((RefKind)b), sum.cases);
                for (int law = 0; law < lawCount; ++law) {
                    if (sum.failures[law] > 0) {
                        printf("  %s %ld (%.3g)", lawNames[law], sum.failures[law], sum.worst[law]);
                    }
                }
                printf("\n");
            }
            if (json != NULL) {
                fprintf(json,
                        "%s\n  { \"kinds\": [\"%s\", \"%s\"], \"collide\": %s, \"cases\": %ld, \"contacts\": "
                        "%ld, "
                        "\"decided\": %ld, \"failures\": %ld }",
                        first ? "" : ",", cnRefName((RefKind)a), cnRefName((RefKind)b),
                        CanCollide((RefKind)a, (RefKind)b) ? "true" : "false", sum.cases, sum.contacts,
                        sum.decided, failed);
                first = false;
            }
        }
    }
    if (json != NULL) {
        fprintf(json, "\n] }\n");
    }
    return failures;
}

int main(int argc, char** argv) {
    long cases = 10000;
    uint64_t seed = 1;
    int onlyA = -1, onlyB = -1;
    long begin = 0;
    FILE* json = NULL;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--cases") == 0 && i + 1 < argc) {
            cases = atol(argv[++i]);
        } else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
            seed = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--from") == 0 && i + 1 < argc) {
            begin = atol(argv[++i]);
        } else if (strcmp(argv[i], "--pair") == 0 && i + 2 < argc) {
            for (int kind = 0; kind < refKindCount; ++kind) {
                onlyA = strcmp(argv[i + 1], cnRefName((RefKind)kind)) == 0 ? kind : onlyA;
                onlyB = strcmp(argv[i + 2], cnRefName((RefKind)kind)) == 0 ? kind : onlyB;
            }
            i += 2;
            if (onlyA < 0 || onlyB < 0) {
                fprintf(stderr, "collider_matrix: no such kind\n");
                return 2;
            }
        } else if (strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
            json = fopen(argv[++i], "w");
            if (json == NULL) {
                fprintf(stderr, "collider_matrix: %s can't be written\n", argv[i]);
                return 2;
            }
        } else if (strcmp(argv[i], "--verbose") == 0) {
            verbose = true;
        } else if (strcmp(argv[i], "--mended") == 0) {
            cases = 0;
            RunMended();
        } else {
            fprintf(stderr, "usage: collider_matrix [--cases n] [--from n] [--seed n] [--pair kind kind] "
                            "[--json FILE] [--verbose] [--mended]\n");
            return 2;
        }
    }
    size_t before = cnGetBytesInUse();
    for (long number = begin; number < begin + cases; ++number) {
        RunCase(number, seed * 1000003u, onlyA, onlyB);
    }
    long failures = Report(json, cases, seed);
    if (json != NULL) {
        fclose(json);
    }
    if (cnGetBytesInUse() != before) {
        printf("%zu bytes were left behind\n", cnGetBytesInUse() - before);
        failures += 1;
    }
    printf("collider_matrix: %ld cases, %ld failures\n", cases, failures);
    return failures == 0 ? 0 : 1;
}
