// Surfaces of triangles against each other, and against hollow solids.
//
// Two such surfaces meet where an edge of one passes a face of the other, or an edge of it. So the edges of
// each go through the triangles of the other: what of an edge lies over a triangle gives a contact at either
// end (which are vertices, or where the face ends; thus what lies flat is carried at the corners of the
// common region), and edges that cross give one where they cross. A contact counts if its normal lies in the
// normal cones of both surfaces, and if it is no deeper than the nearest way out of the other solid: blocks
// side by side do not push each other upwards.
#include "collide/narrow/mesh_contacts.h"
#include "geometry/distance.h"
#include "geometry/shapes/revolved.h"

// By how much the way out along a face may be longer than the nearest one, and in units of the size.
#define WAY_OUT 1.1
#define WAY_SLOP 1e-3

// The part of an edge's length that its ends are.
#define END 1e-6

// Edges of the source against triangles of the target, in the target's frame.
typedef struct EdgeVisit {
    const cnShapePair* pair;
    cnCandidates* out;
    const cnShape* source;
    const cnShape* target;
    cnRelativePose pose; // source seen from the target
    bool isFlipped;      // the target is B
    bool ok, dropped;
    const cnTriangle* triangle; // of the source
    int edge;
    cnVec3 start, along;
    bool pierces;      // the edge goes through the surface of the target
    double from, to;   // the part of it that is inside
    cnCandidate spare; // depth 0: none
} EdgeVisit;

// Each edge once: from the triangle where it goes from the lower vertex to the higher one.
static bool IsOwner(const cnTriangle* triangle, int edge) {
    return triangle->edgeKinds[edge] == cn_edgeBoundary ||
           triangle->vertices[edge] < triangle->vertices[(edge + 1) % 3];
}

static bool CanTouch(const cnTriangle* triangle, int edge) {
    return triangle->edgeKinds[edge] == cn_edgeBoundary || triangle->edgeKinds[edge] == cn_edgeConvex;
}

// Whether the source lies that deep in the target near a point of it. Else the deepest found
// is kept as spare.
static bool KeepSunk(EdgeVisit* visit, cnVec3 point, cnVec3 normal, double depth, double min) {
    cnSurfacePoint surface;
    double sunk = cnFindSunk(visit->target, visit->source, &visit->pose, point, normal, depth, min, &surface);
    if (sunk < min && sunk > visit->spare.depth) {
        visit->spare = (cnCandidate){
            cnMulAdd(surface.point, -0.5 * sunk, surface.normal), surface.normal, sunk,
            cnTriangle_GetEdge(visit->triangle, visit->edge) * 0x9e3779b1u ^ CN_FEATURE_CLOSEST};
    }
    return sunk >= min;
}

// A contact at a point of the source's edge, `t` along it; `normal` out of the target.
static void AddPoint(EdgeVisit* visit, double t, cnVec3 normal, double height, double allowance,
                     uint32_t feature) {
    // in the cone of the source
    cnVec3 direction = cnNeg(cnMulMatT(visit->pose.axes, normal));
    int vertex = t <= END ? visit->edge : t >= 1.0 - END ? (visit->edge + 1) % 3 : -1;
    bool isFree = vertex >= 0
                      ? cnShape_IsFreeAtVertex(visit->source, visit->triangle->vertices[vertex], direction)
                      : cnIsFreeAtEdge(visit->triangle, visit->edge, direction);
    if (!isFree) {
        return;
    }

    // not deeper than the nearest way out
    double size = visit->pair->size;
    cnVec3 onSource = cnMulAdd(visit->start, t, visit->along);
    if (height < -WAY_SLOP * size) {
        double min = (-height - WAY_SLOP * size) / (WAY_OUT * allowance);
        cnRelativePose inverse = cnInvRelativePose(&visit->pose);
        cnVec3 onTarget = cnToA(&inverse, cnMulAdd(onSource, -height, normal));
        bool counts = KeepSunk(visit, onSource, normal, -height, min);
        if (!counts && allowance > 1.0) {
            cnSurfacePoint surface;
            counts = cnFindSunk(visit->source, visit->target, &inverse, onTarget, direction, -height, min,
                                &surface) >= min;
        }
        if (!counts) {
            visit->dropped = true;
            return;
        }
    }
    cnCandidate candidate = {cnMulAdd(onSource, -0.5 * height, normal), normal, -height,
                             feature ^ (cnTriangle_GetEdge(visit->triangle, visit->edge) * 0x9e3779b1u)};
    if (visit->isFlipped) {
        candidate.point = cnToA(&visit->pair->pose, candidate.point);
        candidate.normal = cnNeg(cnMulMat(visit->pair->pose.axes, normal));
    }
    visit->ok = cnCandidates_Add(visit->out, candidate) && visit->ok;
}

// Whether a direction is across one of the faces at an edge. Then what the edge has lies over the face or
// under it, and the ends of that stand for it.
static bool IsFaceNormal(const cnTriangle* triangle, int edge, cnVec3 direction) {
    cnVec3 other = triangle->edgeKinds[edge] == cn_edgeBoundary
                       ? triangle->normal
                       : cnTriangle_GetNeighbourNormal(triangle, edge);
    return cnMax(fabs(cnDot(direction, triangle->normal)), fabs(cnDot(direction, other))) >
           1.0 - 0.5 * CN_FREE_SLOPE * CN_FREE_SLOPE;
}

static void CrossEdges(EdgeVisit* visit, const cnTriangle* triangle, int edge) {
    cnVec3 origin = triangle->corners[edge];
    cnVec3 side = cnSub(triangle->corners[(edge + 1) % 3], origin);
    cnVec3 cross = cnCross(side, visit->along);
    double length = cnLength(cross);
    if (length <= 1e-3 * cnLength(side) * cnLength(visit->along)) {
        return; // the ends of what lies over the faces stand for parallel edges
    }
    cnVec3 middle = triangle->edgeKinds[edge] == cn_edgeBoundary
                        ? triangle->normal
                        : cnAdd(triangle->normal, cnTriangle_GetNeighbourNormal(triangle, edge));
    cnVec3 normal = cnScale((cnDot(cross, middle) < 0.0 ? -1.0 : 1.0) / length, cross);
    double s, t;
    cnFindClosestOnSegments(visit->start, visit->along, origin, side, &s, &t);
    double height = cnDot(normal, cnSub(visit->start, origin));
    bool within = s > END && s < 1.0 - END && t > END && t < 1.0 - END;
    if (within && height <= visit->pair->margin && height >= -visit->pair->size &&
        cnIsFreeAtEdge(triangle, edge, normal) && !IsFaceNormal(triangle, edge, normal) &&
        !IsFaceNormal(visit->triangle, visit->edge, cnMulMatT(visit->pose.axes, normal))) {
        AddPoint(visit, s, normal, height, 2.0, cnTriangle_GetEdge(triangle, edge));
    }
}

static bool CrossTriangle(const cnTriangle* triangle, void* context) {
    EdgeVisit* visit = context;
    for (int edge = 0; edge < 3 && CanTouch(visit->triangle, visit->edge); ++edge) {
        if (CanTouch(triangle, edge) && IsOwner(triangle, edge)) {
            CrossEdges(visit, triangle, edge);
        }
    }
    return visit->ok;
}

static bool CollideEdge(const cnTriangle* triangle, void* context) {
    EdgeVisit* visit = context;
    double startHeight = cnDot(triangle->normal, cnSub(visit->start, triangle->corners[0]));
    double rise = cnDot(triangle->normal, visit->along);
    if (cnMin(startHeight, startHeight + rise) > visit->pair->margin) {
        return true;
    }
    double ends[2];
    if (cnCutToTriangle(triangle, visit->start, visit->along, &ends[0], &ends[1])) {
        double t = -startHeight / rise;
        if (t > ends[0] && t < ends[1]) {
            *(rise < 0.0 ? &visit->from : &visit->to) = t;
            visit->pierces = true;
        }
        for (int end = 0; end < 2; ++end) {
            double height = startHeight + ends[end] * rise;
            if (height <= visit->pair->margin && height >= -visit->pair->size) {
                AddPoint(visit, ends[end], triangle->normal, height, 1.0, (uint32_t)triangle->index);
            }
        }
    }
    return CrossTriangle(triangle, visit);
}

static void VisitNear(EdgeVisit* visit, double from, double to, double grow, cnTriangleVisitor* visitor) {
    cnVec3 start = cnMulAdd(visit->start, from, visit->along);
    cnVec3 end = cnMulAdd(visit->start, to, visit->along);
    cnVec3 margin = cnVec(grow, grow, grow);
    cnBounds bounds = {cnSub(cnMinVec(start, end), margin), cnAdd(cnMaxVec(start, end), margin)};
    cnShape_VisitTriangles(visit->target, bounds, visitor, visit);
}

static bool VisitEdges(const cnTriangle* triangle, void* context) {
    EdgeVisit* visit = context;
    visit->triangle = triangle;
    for (visit->edge = 0; visit->edge < 3; ++visit->edge) {
        if (!IsOwner(triangle, visit->edge) || triangle->edgeKinds[visit->edge] == cn_edgeConcave) {
            continue;
        }
        visit->start = cnToA(&visit->pose, triangle->corners[visit->edge]);
        visit->along = cnSub(cnToA(&visit->pose, triangle->corners[(visit->edge + 1) % 3]), visit->start);
        visit->pierces = false;
        visit->from = 0.0;
        visit->to = 1.0;
        int before = visit->out->list.count;
        VisitNear(visit, 0.0, 1.0, visit->pair->margin + WAY_SLOP * visit->pair->size, CollideEdge);
        if (visit->pierces && visit->to > visit->from && visit->out->list.count == before) {
            // deep below an edge, whose triangles may be as far away as the way through is long
            double way = (visit->to - visit->from) * cnLength(visit->along);
            VisitNear(visit, visit->from, visit->to, way, CrossTriangle);
            if (visit->out->list.count == before) {
                cnVec3 middle = cnMulAdd(visit->start, 0.5 * (visit->from + visit->to), visit->along);
                KeepSunk(visit, middle, cnNormalize(visit->along), 0.5 * way, way);
                visit->dropped = true;
            }
        }
    }
    return visit->ok;
}

// Where all contacts were too deep: the corner of the source that lies deepest in the target.
static bool FindSunkCorner(const cnTriangle* triangle, void* context) {
    EdgeVisit* visit = context;
    for (int i = 0; i < 3; ++i) {
        cnVec3 corner = cnToA(&visit->pose, triangle->corners[i]);
        cnSurfacePoint surface;
        if (cnShape_FindClosest(visit->target, corner, INFINITY, &surface) &&
            -surface.distance > visit->spare.depth) {
            visit->spare = (cnCandidate){cnMulAdd(corner, -0.5 * surface.distance, surface.normal),
                                         surface.normal, -surface.distance, (uint32_t)triangle->vertices[i]};
        }
    }
    return true;
}

static cnBounds GetBoundsIn(const cnShape* shape, const cnRelativePose* pose, double margin) {
    cnBounds bounds = cnShape_ComputeBounds(shape, (cnPose){pose->position, cnQuatFromMat(pose->axes)});
    cnVec3 grow = cnVec(margin, margin, margin);
    return (cnBounds){cnSub(bounds.lower, grow), cnAdd(bounds.upper, grow)};
}

bool cnCollideMeshes(const cnShapePair* pair, cnCandidates* out) {
    cnRelativePose inverse = cnInvRelativePose(&pair->pose);
    EdgeVisit ofB = {
        .pair = pair, .out = out, .source = pair->b, .target = pair->a, .pose = pair->pose, .ok = true};
    cnShape_VisitTriangles(pair->b, GetBoundsIn(pair->a, &inverse, pair->margin), VisitEdges, &ofB);
    EdgeVisit ofA = {.pair = pair,
                     .out = out,
                     .source = pair->a,
                     .target = pair->b,
                     .pose = inverse,
                     .isFlipped = true,
                     .ok = true};
    cnShape_VisitTriangles(pair->a, GetBoundsIn(pair->b, &pair->pose, pair->margin), VisitEdges, &ofA);
    bool ok = ofA.ok && ofB.ok;
    double deepest = 0.0;
    for (int i = 0; i < out->list.count; ++i) {
        deepest = cnMax(deepest, out->list.data[i].depth);
    }
    if (deepest <= 0.0 && (ofA.dropped || ofB.dropped)) {
        cnShape_VisitTriangles(pair->b, GetBoundsIn(pair->a, &inverse, pair->margin), FindSunkCorner, &ofB);
        cnShape_VisitTriangles(pair->a, GetBoundsIn(pair->b, &pair->pose, pair->margin), FindSunkCorner,
                               &ofA);
    }
    cnCandidate spare = ofB.spare;
    if (ofA.spare.depth > spare.depth) {
        spare = ofA.spare;
        spare.point = cnToA(&pair->pose, spare.point);
        spare.normal = cnNeg(cnMulMat(pair->pose.axes, spare.normal));
    }
    bool counts = spare.depth > 1.5 * deepest + WAY_SLOP * pair->size;
    return (!counts || cnCandidates_Add(out, spare)) && ok;
}

// ---- hollow solids ----------------------------------------------------------------------------------------

// Points on a rim that are looked at.
#define RIM_POINTS 32

// Corners of the triangle that touch the inner wall. An edge bulges away from a hole between its ends, so
// corners suffice.
bool cnCollideInnerWall(cnMeshVisit* visit, const cnTriangle* triangle) {
    const cnShapePair* pair = visit->pair;
    cnRelativePose inverse = cnInvRelativePose(&pair->pose);
    for (int i = 0; i < 3; ++i) {
        cnSurfacePoint surface;
        if (!cnShape_FindClosest(pair->b, cnToA(&inverse, triangle->corners[i]),
                                 cnMax(pair->margin, pair->size), &surface) ||
            surface.distance > pair->margin ||
            (surface.feature != cn_innerWall && surface.feature < cn_innerUpperRim)) {
            continue;
        }
        cnVec3 normal = cnNeg(cnMulMat(pair->pose.axes, surface.normal));
        if (cnShape_IsFreeAtVertex(pair->a, triangle->vertices[i], normal)) {
            cnAddMeshPoint(visit, triangle, triangle->corners[i], normal, -surface.distance,
                           (uint32_t)triangle->vertices[i]);
        }
    }
    return visit->ok;
}

// The rims of the hole against the surface; of points refused and of the outer rims the deepest is the spare.
void cnCollideRims(cnMeshVisit* visit) {
    const cnShapePair* pair = visit->pair;
    for (int rim = cn_outerLowerRim; rim < cn_outerLowerRim + 4; ++rim) {
        cnProfileVec corner = cnGetProfileCorner(&pair->b->profile, rim - cn_outerLowerRim);
        int count = corner.radius > 0.0 ? RIM_POINTS : rim < cn_innerUpperRim ? 1 : 0;
        for (int step = 0; step < count; ++step) {
            cnVec3 radial = cnRotateTangent(cnVec(0, 1, 0), cnVec(1, 0, 0), step);
            cnVec3 onB =
                cnToA(&pair->pose, cnAdd(cnScale(corner.radius, radial), cnVec(0, corner.height, 0)));
            cnSurfacePoint surface;
            if (!cnShape_FindClosest(pair->a, onB, cnMax(pair->margin, 4.0 * pair->size), &surface) ||
                surface.distance > pair->margin) {
                continue;
            }
            cnCandidate candidate = {cnMulAdd(onB, -0.5 * surface.distance, surface.normal), surface.normal,
                                     -surface.distance, (uint32_t)(rim * RIM_POINTS + step)};

            // out of the hollow solid at a rim of its hole: towards the axis and beyond the end
            cnVec3 direction = cnNeg(cnMulMatT(pair->pose.axes, surface.normal));
            double beyond = rim == cn_innerUpperRim ? direction.y : -direction.y;
            if (rim >= cn_innerUpperRim && candidate.depth <= pair->size &&
                cnDot(direction, radial) <= CN_FREE_SLOPE && beyond >= -CN_FREE_SLOPE) {
                visit->ok = cnCandidates_Add(visit->out, candidate) && visit->ok;
            } else if (candidate.depth > visit->spare.depth) {
                visit->spare = candidate;
            }
        }
    }
}
