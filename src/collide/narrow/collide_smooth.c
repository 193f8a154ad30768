// Cylinders and cones against all convex shapes, and triangles of meshes against them.
//
// The normal comes from closest points or the least depth (geometry/penetration.h), with a preference for
// faces. Then both sides show what faces the contact: a polytope its face, a capsule its line, a cylinder or
// cone a cap, as a polygon of 16 corners, or the line of its wall. Against a face the other side's polygon or
// line is clipped as with polytopes, along the normal of the line where that is the contact's; two lines side
// by side make two points; all else touches in one.
//
// Corners of caps stay on the body, so that what stands or slides keeps its points; one more, the lowest,
// makes a tilted cap's depth exact and lets it roll.
#include "collide/manifolds/axis_slop.h"
#include "collide/manifolds/clip.h"
#include "collide/narrow/mesh_contacts.h"
#include "geometry/distance.h"
#include "geometry/penetration.h"
#include "geometry/shapes/revolved.h"

#define CAP_CORNERS 16

// Caps that lean less than this against the normal (rad) have no lowest corner worth a name.
#define CAP_TILT 1e-3

// Lines this far (rad) from lying across the normal, or from each other, are not side by side.
#define LINE_SLOPE 0.05

// A capsule that leans more than this (rad) against what it touches touches with its end.
#define LYING_SLOPE 0.2

// Cosine of the largest angle between a face and the wall that lies on it: 0.1 rad.
#define LEANING_FACE 0.995

// Ends of lines side by side make a point each while they part sideways by less than this over the sum of the
// radii: their depths are off by half its square, which must also be little for the smaller of the two.
#define SIDE_TOLERANCE 0.01

// One of the two sides of a contact, seen from A.
typedef struct Side {
    cnSupportShape support;
    cnPolytope polytope; // of boxes and hulls
    cnBoxStorage storage;
    const cnVec3* triangle; // its three corners, or null
    cnVec3 triangleNormal;
    cnRelativePose pose;
    double outward; // 1: the contact's normal leaves this side, −1
    uint32_t tag;
} Side;

static void SetPolytope(Side* side, const cnShape* shape) {
    if (cnShape_Is(shape, cn_formPolytope)) {
        side->polytope = cnGetPolytope(shape, &side->storage);
    }
}

static void AddDirection(cnVec3* directions, int* count, const Side* side, cnVec3 outward) {
    directions[(*count)++] = cnScale(side->outward, cnMulMat(side->pose.axes, outward));
}

// Normals of the contact that leave one of a side's few faces straight.
static void AddFaceDirections(const Side* side, cnVec3* directions, int* count) {
    const cnSupportShape* support = &side->support;
    if (side->triangle != NULL) {
        AddDirection(directions, count, side, side->triangleNormal);
    } else if (support->kind == cn_supportRevolved) {
        if (support->radiusUpper > 0.0) {
            AddDirection(directions, count, side, cnVec(0.0, 1.0, 0.0));
        }
        if (support->radiusLower > 0.0) {
            AddDirection(directions, count, side, cnVec(0.0, -1.0, 0.0));
        }
    } else if (support->kind == cn_supportBox && support->radius == 0.0) {
        for (int i = 0; i < side->polytope.faceCount; ++i) {
            AddDirection(directions, count, side, side->polytope.planes[i].normal);
        }
    }
}

static void AddCorner(cnPolygon* polygon, const Side* side, cnVec3 point, uint32_t name) {
    polygon->points[polygon->count] = cnToA(&side->pose, point);
    polygon->edges[polygon->count++] = (uint16_t)(name | side->tag);
}

static void ReadSegment(const Side* side, cnVec3 start, cnVec3 end, cnPolygon* polygon) {
    AddCorner(polygon, side, start, 64);
    AddCorner(polygon, side, start, 65);
    AddCorner(polygon, side, end, 66);
    AddCorner(polygon, side, end, 67);
}

// The cap of a cylinder or cone at one end; `out` is the direction that it faces, in its frame.
static void ReadCap(const Side* side, bool upper, cnVec3 out, cnPolygon* polygon) {
    cnVec3 normal = cnVec(0.0, upper ? 1.0 : -1.0, 0.0);
    cnVec3 tangent = cnVec(1.0, 0.0, 0.0);
    double radius = upper ? side->support.radiusUpper : side->support.radiusLower;
    cnVec3 centre = cnVec(0.0, upper ? side->support.upper : side->support.lower, 0.0);
    uint32_t name = upper ? 32 : 0;
    double tilt = sqrt(out.x * out.x + out.z * out.z);
    cnVec3 lowest = tilt > CAP_TILT ? cnVec(out.x / tilt, 0.0, out.z / tilt) : cnVec3_zero;
    for (int i = 0; i < CAP_CORNERS; ++i) {
        cnVec3 here = cnRotateTangent(normal, tangent, 2 * i);
        cnVec3 next = cnRotateTangent(normal, tangent, 2 * ((i + 1) % CAP_CORNERS));
        AddCorner(polygon, side, cnMulAdd(centre, radius, here), name + (uint32_t)i);
        if (cnDot(cnCross(here, lowest), normal) > 0.0 && cnDot(cnCross(lowest, next), normal) > 0.0) {
            AddCorner(polygon, side, cnMulAdd(centre, radius, lowest), name + CAP_CORNERS);
        }
    }
}

// The polygon or line of a side that faces a direction out of it (A's frame).
static void ReadFacing(const Side* side, cnVec3 direction, cnPolygon* polygon) {
    const cnSupportShape* support = &side->support;
    cnVec3 out = cnMulMatT(side->pose.axes, direction);
    polygon->count = 0;
    if (side->triangle != NULL) {
        for (int i = 0; i < 3; ++i) {
            AddCorner(polygon, side, side->triangle[i], (uint32_t)i);
        }
    } else if (side->polytope.faceCount > 0) {
        cnReadFace(&side->polytope, cnFindIncidentFace(&side->polytope, out), &side->pose, side->tag,
                   polygon);
    } else if (support->kind == cn_supportRevolved) {
        // the cap or the wall, whichever looks more that way
        double slope = support->radiusLower - support->radiusUpper;
        double height = support->upper - support->lower;
        double across = sqrt(out.x * out.x + out.z * out.z);
        double wall = (across * height + out.y * slope) / sqrt(height * height + slope * slope);
        bool upper = out.y > 0.0;
        if (fabs(out.y) > wall && (upper ? support->radiusUpper : support->radiusLower) > 0.0) {
            ReadCap(side, upper, out, polygon);
            return;
        }
        if (across < CAP_TILT) {
            // along the axis, at its tip, all lines of the wall look alike
            cnVec3 tip = cnVec(0.0, upper ? support->upper : support->lower, 0.0);
            ReadSegment(side, tip, tip, polygon);
            return;
        }
        double x = out.x / across, z = out.z / across;
        ReadSegment(side, cnVec(support->radiusLower * x, support->lower, support->radiusLower * z),
                    cnVec(support->radiusUpper * x, support->upper, support->radiusUpper * z), polygon);
    } else {
        // the lowest point and, lying, along the wall to the other end and back
        cnVec3 half = cnScale(out.y < 0.0 ? -1.0 : 1.0, support->halfExtents);
        cnVec3 side1 = cnNormalize(cnVec(out.x, 0.0, out.z));
        cnVec3 lowest = cnMulAdd(half, support->radius, out);
        bool lies = fabs(out.y) < LYING_SLOPE;
        cnVec3 beginning = lies ? cnMulAdd(half, support->radius, side1) : lowest;
        cnVec3 end = lies ? cnMulAdd(cnNeg(half), support->radius, side1) : lowest;
        AddCorner(polygon, side, lowest, 64);
        AddCorner(polygon, side, beginning, 65);
        AddCorner(polygon, side, end, 66);
        AddCorner(polygon, side, beginning, 67);
    }
}

// Contacts with a face of `reference` whose normal is the contact's; false where they do not show the depth.
static bool BuildFaceManifold(const Side* reference, const Side* other, cnVec3 normal, double separation,
                              double margin, double slop, double size, cnLocalManifold* manifold) {
    cnVec3 out = cnScale(reference->outward, normal);
    cnPolygon face, incident;
    ReadFacing(reference, out, &face);
    ReadFacing(other, cnNeg(out), &incident);
    cnClipFaces(&face, out, out, &incident, margin, size, manifold);
    manifold->normal = normal;
    return manifold->count > 0 && -cnGetDeepest(manifold) <= separation + slop;
}

// Of what faces a direction, the line that lies across it; false where there is none.
static bool FindLine(const Side* side, cnVec3 direction, cnVec3* start, cnVec3* along) {
    cnPolygon polygon;
    ReadFacing(side, direction, &polygon);
    if (side->support.kind == cn_supportRevolved && polygon.count != 4) {
        return false;
    }
    double farthest = -INFINITY;
    double min = 0.01 * side->support.size * side->support.size;
    for (int i = 0; i < polygon.count; ++i) {
        cnVec3 from = polygon.points[i];
        cnVec3 edge = cnSub(polygon.points[(i + 1) % polygon.count], from);
        double slope = cnDot(direction, edge);
        double reach = cnDot(direction, from) + 0.5 * slope;
        double lengthSquared = cnLengthSquared(edge);
        if (lengthSquared > min && slope * slope <= LINE_SLOPE * LINE_SLOPE * lengthSquared &&
            reach > farthest) {
            farthest = reach;
            *start = from;
            *along = edge;
        }
    }
    return farthest > -INFINITY;
}

// How a side is round at a place of it.
static double GetRadiusAt(const Side* side, cnVec3 point) {
    cnVec3 local = cnMulMatT(side->pose.axes, cnSub(point, side->pose.position));
    bool isRevolved = side->support.kind == cn_supportRevolved;
    return isRevolved ? sqrt(local.x * local.x + local.z * local.z) : side->support.radius;
}

// Two points at the ends of the part of two lines that lie side by side; false where they don't.
static bool BuildLineManifold(const Side* a, const Side* b, cnVec3 normal, double separation, double margin,
                              double slop, double size, cnLocalManifold* manifold) {
    cnVec3 startA, alongA, startB, alongB;
    if (!FindLine(a, normal, &startA, &alongA) || !FindLine(b, cnNeg(normal), &startB, &alongB)) {
        return false;
    }

    // seen along the normal, on which the lines may lean: points of the two that lie above each
    // other lie within both
    cnVec3 axis = cnNormalize(cnMulAdd(alongA, -cnDot(normal, alongA), normal));
    double length = cnDot(axis, alongA);
    double from = cnDot(axis, cnSub(startB, startA));
    double run = cnDot(axis, alongB);
    double lower = cnMax(0.0, cnMin(from, from + run));
    double upper = cnMin(length, cnMax(from, from + run));
    double radii = a->support.radius + cnMax(a->support.radiusLower, a->support.radiusUpper) +
                   b->support.radius + cnMax(b->support.radiusLower, b->support.radiusUpper);
    if (fabs(run) < 0.99 * cnLength(alongB) || upper - lower < 0.05 * radii) {
        return false;
    }
    manifold->normal = normal;
    manifold->count = 0;
    for (int end = 0; end < 2; ++end) {
        double at = end == 0 ? lower : upper;
        cnVec3 onA = cnMulAdd(startA, at / length, alongA);
        cnVec3 gap = cnSub(cnMulAdd(startB, (at - from) / run, alongB), onA);
        double height = cnDot(normal, gap);
        cnVec3 aside = cnMulAdd(gap, -height, normal);

        // nearer to the line that its solid curves more about, down to a cone's tip
        double radiusA = GetRadiusAt(a, onA), radiusB = GetRadiusAt(b, cnAdd(onA, gap));
        double both = cnMax(radiusA + radiusB, 0.1 * radii);
        if (cnLengthSquared(aside) > both * cnMin(SIDE_TOLERANCE * SIDE_TOLERANCE * both, 0.001 * size)) {
            return false;
        }
        if (height <= margin) {
            cnAddLocalPoint(manifold, cnMulAdd(onA, radiusA / both, aside), height, (uint32_t)end);
        }
    }
    return manifold->count > 0 && -cnGetDeepest(manifold) <= separation + slop;
}

// The outward normal of a polygon; false of a line, whose corners lie on one another.
static bool FindPlane(const cnPolygon* polygon, cnVec3* normal) {
    cnVec3 area = cnVec3_zero;
    double squares = 0.0;
    for (int i = 1; i + 1 < polygon->count; ++i) {
        cnVec3 edge = cnSub(polygon->points[i], polygon->points[0]);
        area = cnAdd(area, cnCross(edge, cnSub(polygon->points[i + 1], polygon->points[0])));
        squares += cnLengthSquared(edge);
    }
    if (cnLength(area) <= 1e-9 * squares) {
        return false;
    }
    *normal = cnNormalize(area);
    return true;
}

// A wall's line against a face that leans a little on it, where the wall's normal is nearer to the least
// depth than the face's: of a roller that is longer than what lies on it, the ends reach deeper behind the
// plane of the face than all that is under the face. False where there is no such line or face, or they do
// not show the depth.
static bool BuildWallManifold(const Side* wall, const Side* other, cnVec3 normal, double separation,
                              double margin, double slop, double size, cnLocalManifold* manifold) {
    cnVec3 start, along, up, out = cnScale(other->outward, normal);
    cnPolygon face, line;
    bool isRound = wall->triangle == NULL && wall->polytope.faceCount == 0;
    if (!isRound || !FindLine(wall, cnNeg(out), &start, &along)) {
        return false;
    }
    ReadFacing(other, out, &face);
    if (!FindPlane(&face, &up) || cnDot(up, out) < LEANING_FACE) {
        return false;
    }
    ReadFacing(wall, cnNeg(out), &line);
    cnClipFaces(&face, out, cnScale(1.0 / cnDot(up, out), up), &line, margin, size, manifold);
    manifold->normal = normal;
    return manifold->count > 0 && -cnGetDeepest(manifold) <= separation + slop;
}

// Which of the directions a manifold's normal is by: in the cache, one more than its number.
static void Collide(const Side* a, const Side* b, const cnShapePair* pair, cnLocalManifold* manifold,
                    cnSupportDistance* closest) {
    const cnRelativePose* pose = &pair->pose;
    cnVec3 directions[CN_MAX_DIRECTIONS];
    int count = 0;
    AddFaceDirections(a, directions, &count);
    int countA = count;
    AddFaceDirections(b, directions, &count);

    // last step's first
    int cached = pair->cache->kind == cn_axisFaceA ? (int)pair->cache->feature1 : 0;
    cached = cached < count ? cached : 0;
    cnVec3 ordered[CN_MAX_DIRECTIONS];
    for (int i = 0; i < count; ++i) {
        ordered[i] = directions[i == 0 ? cached : i == cached ? 0 : i];
    }
    *pair->cache = (cnCollideCache){.kind = cn_axisNone};
    double slop = 0.001 * pair->size;
    manifold->count = 0;
    if (!cnComputeSupportDistanceFrom(&a->support, &b->support, pose, pair->margin, ordered, count, slop,
                                      closest) ||
        closest->distance > pair->margin) {
        cnSetGap(pair, closest->distance, closest->normal);
        return;
    }

    // a face of the few
    slop = cnMax(slop, cnGetFaceSlop(pair->size, closest->distance));
    for (int i = 0; i < count; ++i) {
        double separation = -cnGetDepthAlong(&a->support, &b->support, pose, ordered[i]);
        int index = i == 0 ? cached : i == cached ? 0 : i;
        bool isOfA = index < countA;
        if (separation >= closest->distance - slop &&
            BuildFaceManifold(isOfA ? a : b, isOfA ? b : a, ordered[i], separation, pair->margin, slop,
                              pair->size, manifold)) {
            *pair->cache = (cnCollideCache){.kind = cn_axisFaceA, .feature1 = (uint32_t)index};
            return;
        }
        manifold->count = 0;
    }

    // of a hull's many, the one along the normal
    cnVec3 normal = closest->normal;
    if (b->support.kind == cn_supportCorners && b->polytope.faceCount > 0) {
        cnVec3 into = cnNeg(cnMulMatT(pose->axes, normal));
        int best = 0;
        for (int i = 1; i < b->polytope.faceCount; ++i) {
            best = cnDot(b->polytope.planes[i].normal, into) > cnDot(b->polytope.planes[best].normal, into)
                       ? i
                       : best;
        }
        cnVec3 direction = cnNeg(cnMulMat(pose->axes, b->polytope.planes[best].normal));
        double separation = -cnGetDepthAlong(&a->support, &b->support, pose, direction);
        if (separation >= closest->distance - slop &&
            BuildFaceManifold(b, a, direction, separation, pair->margin, slop, pair->size, manifold)) {
            return;
        }
        manifold->count = 0;
    }

    // a wall on a face, lines, or the nearest points
    for (int i = 0; i < 2; ++i) {
        if (BuildWallManifold(i == 0 ? a : b, i == 0 ? b : a, normal, closest->distance, pair->margin, slop,
                              pair->size, manifold)) {
            return;
        }
        manifold->count = 0;
    }
    if (BuildLineManifold(a, b, normal, closest->distance, pair->margin, slop, pair->size, manifold)) {
        return;
    }
    manifold->count = 0;
    if (closest->listed >= 0) {
        // a face was good enough for its depth, but touches beside itself
        cnComputeSupportDistanceFrom(&a->support, &b->support, pose, pair->margin, NULL, 0, 0.1 * slop,
                                     closest);
    }
    manifold->normal = closest->normal;
    cnAddLocalPoint(manifold, closest->pointA, closest->distance, CN_FEATURE_CLOSEST);
}

static const cnRelativePose same = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}};

static void SetSide(Side* side, const cnShape* shape, cnRelativePose pose, double outward) {
    side->polytope.faceCount = 0;
    side->triangle = NULL;
    side->pose = pose;
    side->outward = outward;
    side->tag = outward > 0.0 ? 0 : CN_FEATURE_OF_B;
    cnSupportShape_Init(&side->support, shape);
    SetPolytope(side, shape);
}

void cnCollideSmooth(const cnShapePair* pair, cnLocalManifold* manifold) {
    if (pair->b->type == cn_sphere) {
        cnSurfacePoint point = cnFindClosestOnRevolved(&pair->a->profile, pair->pose.position);
        double separation = point.distance - pair->b->radius;
        if (separation <= pair->margin) {
            manifold->normal = point.normal;
            cnAddLocalPoint(manifold, point.point, separation, 0);
        }
        return;
    }
    Side a, b;
    SetSide(&a, pair->a, same, 1.0);
    SetSide(&b, pair->b, pair->pose, -1.0);
    cnSupportDistance closest;
    Collide(&a, &b, pair, manifold, &closest);
}

// Which part of the triangle lies farthest along a normal, up to the slope that is flat. (Closest points
// would say it with their error, and a place near a corner goes now to the edge, now to the corner.)
static int FindTriangleFeature(const cnTriangle* triangle, cnVec3 normal) {
    double heights[3], highest = -INFINITY, longest = 0.0;
    for (int i = 0; i < 3; ++i) {
        heights[i] = cnDot(normal, triangle->corners[i]);
        highest = cnMax(highest, heights[i]);
        longest =
            cnMax(longest, cnLengthSquared(cnSub(triangle->corners[(i + 1) % 3], triangle->corners[i])));
    }
    int count = 0, corner = 0, lower = 0;
    for (int i = 0; i < 3; ++i) {
        bool isHighest = highest - heights[i] <= CN_FREE_SLOPE * sqrt(longest);
        count += isHighest;
        corner = isHighest ? i : corner;
        lower = isHighest ? lower : i;
    }
    return count == 3   ? cn_triangleFace
           : count == 2 ? cn_triangleEdge + (lower + 1) % 3
                        : cn_triangleCorner + corner;
}

// Whether what overlaps a triangle may leave it along a normal over those edges that the normal leans over:
// `stays` where a neighbour is level or rises; `isNeighbours` where a neighbour's own normal is reached,
// which it shows itself.
static void JudgeLeaving(const cnTriangle* triangle, int feature, cnVec3 normal, bool* stays,
                         bool* isNeighbours) {
    for (int i = 0; i < 3; ++i) {
        cnVec3 along = cnSub(triangle->corners[(i + 1) % 3], triangle->corners[i]);
        cnVec3 over = cnCross(cnNormalize(along), triangle->normal);
        double lean = cnDot(normal, over);
        bool touched = feature == cn_triangleEdge + i || feature == cn_triangleCorner + i ||
                       feature == cn_triangleCorner + (i + 1) % 3;
        if (!touched || lean <= 1e-9 || triangle->edgeKinds[i] == cn_edgeBoundary) {
            continue;
        }
        cnVec3 neighbour = cnTriangle_GetNeighbourNormal(triangle, i);
        *stays = *stays || triangle->edgeKinds[i] != cn_edgeConvex;
        *isNeighbours =
            *isNeighbours || lean * cnDot(neighbour, triangle->normal) >
                                 cnDot(neighbour, over) * cnDot(normal, triangle->normal) - CN_FREE_SLOPE;
    }
}

// Whether contacts with the prism below a triangle lie on the triangle, not on the sides that the
// solid hasn't got.
static bool IsOnTriangle(const cnTriangle* triangle, const cnLocalManifold* manifold, double slop) {
    for (int i = 0; i < manifold->count; ++i) {
        const cnLocalPoint* point = &manifold->points[i];
        cnVec3 onA = cnMulAdd(point->point, 0.5 * point->depth, manifold->normal);
        if (cnDot(triangle->normal, cnSub(onA, triangle->corners[0])) < -slop) {
            return false;
        }
    }
    return true;
}

// What faces the triangle misses it or is less deep than the way out over an edge is long: B is deeper
// elsewhere below it. Adds what meets the triangle first where B comes down on it, if that is deeper; the
// cast finds where, a ray how deep.
static void AddLowest(const Side* a, const Side* b, const cnShapePair* pair, const cnTriangle* triangle,
                      double depth, cnLocalManifold* manifold) {
    double way = depth + 0.01 * b->support.size;
    cnVec3 up = cnScale(way, triangle->normal);
    cnRelativePose above = pair->pose;
    above.position = cnAdd(above.position, up);
    cnSupportCast cast = cnCastSupport(&a->support, &b->support, &above, cnNeg(up));
    uint32_t part;
    cnVec3 place = cnFindClosestOnTriangle(triangle->corners, cast.point, &part);
    cnPose pose = {pair->pose.position, cnQuatFromMat(pair->pose.axes)};
    cnRayHit hit = cnShape_CastRay(pair->b, pose, cnSub(place, up), up);
    double lowest = (1.0 - hit.fraction) * way;
    if (cast.hit && hit.hit && lowest > cnGetDeepest(manifold)) {
        manifold->normal = triangle->normal;
        manifold->count = (int)cnMin(manifold->count, CN_MANIFOLD_POINTS - 1);
        cnAddLocalPoint(manifold, place, -lowest, CN_FEATURE_CLOSEST);
    }
}

void cnCollideTriangle(const cnTriangle* triangle, const cnShapePair* pair, int* feature,
                       cnLocalManifold* manifold) {
    // as the shape made it, or the prism below it: flat, it would be left by its back
    cnVec3 corners[6];
    Side a = {
        .triangle = triangle->corners, .triangleNormal = triangle->normal, .pose = same, .outward = 1.0};
    a.support = cnSupportShape_FromCorners(triangle->corners, 3, 0.0);
    Side b;
    SetSide(&b, pair->b, pair->pose, -1.0);
    manifold->count = 0;
    *feature = cn_triangleFace;
    double depth = cnGetDepthAlong(&a.support, &b.support, &pair->pose, triangle->normal);
    double depthBack = cnGetDepthAlong(&a.support, &b.support, &pair->pose, cnNeg(triangle->normal));
    if (-depth > pair->margin || -depthBack > pair->margin) {
        return;
    }
    cnDistance cores;
    if (!cnComputeCoreDistance(&a.support, &b.support, &pair->pose, pair->margin + b.support.radius, 0.0,
                               &cores)) {
        return;
    }
    bool overlaps = !(cores.distance > 1e-9 * cnMax(a.support.size, b.support.size));
    if (overlaps) {
        if (depth > depthBack) {
            *feature = cn_triangleBeside;
            return;
        }
        for (int i = 0; i < 3; ++i) {
            corners[i] = triangle->corners[i];
            corners[i + 3] = cnMulAdd(corners[i], -depth - 2.0 * b.support.size, triangle->normal);
        }
        a.support = cnSupportShape_FromCorners(corners, 6, 0.0);
    } else if (!(cnDot(cnSub(cores.pointB, cores.pointA), triangle->normal) > -1e-9 * cores.distance)) {
        return;
    }

    cnCollideCache cache = {.kind = cn_axisNone};
    cnShapePair single = *pair;
    single.cache = &cache;
    cnSupportDistance closest;
    Collide(&a, &b, &single, manifold, &closest);
    if (manifold->count == 0) {
        return;
    }
    if (cnDot(manifold->normal, triangle->normal) < 1.0 - 1e-9) {
        *feature = FindTriangleFeature(triangle, manifold->normal);
        if (*feature == cn_triangleFace) {
            // a face or an edge of B just beside the triangle's normal
            return;
        }
        bool stays = false, isNeighbours = false;
        JudgeLeaving(triangle, *feature, manifold->normal, &stays, &isNeighbours);
        if (stays && *feature >= cn_triangleCorner && pair->a != NULL) {
            // over a flat edge at a corner of the surface, as over the diagonal of a box's side
            stays = !cnShape_IsFreeAtVertex(pair->a, triangle->vertices[*feature - cn_triangleCorner],
                                            manifold->normal);
        }
        if (overlaps && stays) {
            *feature = cn_triangleFace;
            if (!BuildFaceManifold(&a, &b, triangle->normal, -depth, pair->margin, INFINITY, pair->size,
                                   manifold)) {
                *feature = cn_triangleBeside;
                manifold->count = 0;
            }
            if (manifold->count == 0 || cnGetDeepest(manifold) < -closest.distance - 0.001 * pair->size) {
                AddLowest(&a, &b, pair, triangle, depth, manifold);
            }
        } else if (overlaps && (isNeighbours || !IsOnTriangle(triangle, manifold, 0.01 * pair->size))) {
            *feature = cn_triangleBeside;
        }
    }
}
