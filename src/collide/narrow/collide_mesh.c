// Meshes and height fields against everything else: the triangles near B, one at a time (mesh_contacts.h).
#include "collide/manifolds/axis_slop.h"
#include "collide/narrow/mesh_contacts.h"
#include "geometry/distance.h"
#include "geometry/meshes/height_field.h"
#include "geometry/meshes/trimesh.h"
#include "geometry/shapes/revolved.h"
#include "geometry/support.h"

// ---- when a contact counts --------------------------------------------------------------------------------

bool cnIsFreeAtEdge(const cnTriangle* triangle, int edge, cnVec3 direction) {
    cnVec3 along = cnNormalize(cnSub(triangle->corners[(edge + 1) % 3], triangle->corners[edge]));
    cnEdgeKind kind = triangle->edgeKinds[edge];
    if (cnDot(direction, cnCross(triangle->normal, along)) > CN_FREE_SLOPE) {
        return false;
    }
    return kind == cn_edgeBoundary
               ? cnDot(direction, triangle->normal) >= 0.0
               : cnDot(direction, cnCross(along, cnTriangle_GetNeighbourNormal(triangle, edge))) <=
                     CN_FREE_SLOPE;
}

bool cnIsFreeAtCorners(const cnShape* shape, const cnTriangle* triangle, uint32_t corners, cnVec3 direction) {
    for (int i = 0; i < 3; ++i) {
        if (corners == 1u << i) {
            return cnShape_IsFreeAtVertex(shape, triangle->vertices[i], direction);
        }
        if (corners == (1u << i | 1u << (i + 1) % 3)) {
            return cnIsFreeAtEdge(triangle, i, direction);
        }
    }
    return cnDot(direction, triangle->normal) > 0.0;
}

cnVec3 cnFindClosestOnTriangle(const cnVec3* corners, cnVec3 point, uint32_t* part) {
    cnVec3 normal = cnCross(cnSub(corners[1], corners[0]), cnSub(corners[2], corners[0]));
    cnVec3 nearest =
        cnMulAdd(point, -cnDot(normal, cnSub(point, corners[0])) / cnLengthSquared(normal), normal);
    double min = INFINITY;
    *part = 7;
    for (int i = 0; i < 3; ++i) {
        // beyond this side: its nearest point, if no other side has a nearer one
        int next = (i + 1) % 3;
        cnVec3 along = cnSub(corners[next], corners[i]);
        if (cnDot(cnCross(along, cnSub(point, corners[i])), normal) < 0.0) {
            double t = cnFindClosestOnSegment(corners[i], along, point);
            cnVec3 candidate = cnMulAdd(corners[i], t, along);
            double distance = cnLengthSquared(cnSub(point, candidate));
            if (distance < min) {
                min = distance;
                nearest = candidate;
                *part = (uint32_t)(t < 1.0) << i | (uint32_t)(t > 0.0) << next;
            }
        }
    }
    return nearest;
}

void cnAddMeshPoint(cnMeshVisit* visit, const cnTriangle* triangle, cnVec3 onA, cnVec3 normal, double depth,
                    uint32_t feature) {
    cnCandidate candidate = {.point = cnMulAdd(onA, -0.5 * depth, normal),
                             .normal = normal,
                             .depth = depth,
                             .feature = feature ^ (uint32_t)triangle->index * 0x9e3779b1u};
    visit->ok = cnCandidates_Add(visit->out, candidate) && visit->ok;
}

// What a depth may exceed the sinking of its points by, for edges that cross, and in units of the size.
#define SUNK 2.4
#define SUNK_SLOP 1e-3

// How much deeper than all contacts the spare is that joins them; and in units of the size, the slop.
#define SPARE 1.5

// How deep a point lies in a shape, 0 outside; no deeper than the reach.
static double GetSunk(const cnShape* shape, cnVec3 point, double reach, cnSurfacePoint* surface) {
    return cnShape_FindClosest(shape, point, reach, surface) ? cnMax(0.0, -surface->distance) : 0.0;
}

// ---- one triangle -----------------------------------------------------------------------------------------

static bool CollideSphere(const cnTriangle* triangle, void* context) {
    cnMeshVisit* visit = context;
    const cnShapePair* pair = visit->pair;
    uint32_t part;
    cnVec3 nearest = cnFindClosestOnTriangle(triangle->corners, visit->centre, &part);
    cnVec3 between = cnSub(visit->centre, nearest);
    double distance = cnLength(between);
    if (cnDot(between, triangle->normal) < 0.0 || distance - visit->radius > pair->margin) {
        return true;
    }
    cnVec3 normal = part == 7 || distance == 0.0 ? triangle->normal : cnScale(1.0 / distance, between);
    if (part == 7 || cnIsFreeAtCorners(pair->a, triangle, part, normal)) {
        cnAddMeshPoint(visit, triangle, nearest, normal, visit->radius - distance, part);
    }
    return visit->ok;
}

static bool CollideCapsule(const cnTriangle* triangle, void* context) {
    cnMeshVisit* visit = context;
    cnCollideTriangleCapsule(visit, triangle);
    return visit->ok;
}

static bool CollidePolytope(const cnTriangle* triangle, void* context) {
    cnMeshVisit* visit = context;
    cnCollideTrianglePolytope(visit, triangle);
    return visit->ok;
}

// Whether a contact with the filled-up outside of a hollow solid lies on the solid itself.
static bool IsOnSolid(const cnShapePair* pair, const cnLocalPoint* point, cnVec3 normal) {
    cnRelativePose inverse = cnInvRelativePose(&pair->pose);
    cnVec3 onB = cnToA(&inverse, cnMulAdd(point->point, -0.5 * point->depth, normal));
    cnSurfacePoint surface;
    return cnShape_FindClosest(pair->b, onB, 2e-3 * pair->size, &surface);
}

// What of B lies farthest below a triangle may lie beyond it, past a concave edge, below no triangle; if it
// is in the solid much deeper than the contact, it may be the spare.
static void OfferLowest(cnMeshVisit* visit, const cnTriangle* triangle, double depth) {
    const cnShapePair* pair = visit->pair;
    cnSupportShape support;
    cnSupportShape_Init(&support, pair->b);
    int hint = 0;
    cnVec3 down = cnNeg(cnMulMatT(pair->pose.axes, triangle->normal));
    cnVec3 lowest = cnToA(&pair->pose, cnSupportShape_GetPoint(&support, down, &hint));
    double below = cnDot(triangle->normal, cnSub(triangle->corners[0], lowest));
    cnSurfacePoint surface;
    if (below > SPARE * depth + SUNK_SLOP * pair->size && below > visit->spare.depth) {
        double sunk = GetSunk(pair->a, lowest, INFINITY, &surface);
        if (sunk > visit->spare.depth) {
            visit->spare = (cnCandidate){cnMulAdd(lowest, 0.5 * sunk, surface.normal), surface.normal, sunk,
                                         CN_FEATURE_CLOSEST};
        }
    }
}

// Cylinders and cones.
static bool CollideSmooth(const cnTriangle* triangle, void* context) {
    cnMeshVisit* visit = context;
    const cnShapePair* pair = visit->pair;
    cnLocalManifold manifold = {.count = 0};
    int feature = cn_triangleFace;
    cnCollideTriangle(triangle, pair, &feature, &manifold);
    bool counts = true;
    if (cnGetDeepest(&manifold) > 0.0) {
        OfferLowest(visit, triangle, cnGetDeepest(&manifold));
    }
    if (feature == cn_triangleBeside) {
        bool isFirst = !visit->isPierced;
        visit->isPierced = true;
        if (manifold.count > 0 && manifold.points[0].depth > visit->beside) {
            visit->beside = manifold.points[0].depth;
            visit->pierced = manifold.points[0].point;
        } else if (isFirst) {
            visit->pierced = triangle->corners[0];
        }
        manifold.count = 0;
    } else if (feature >= cn_triangleCorner) {
        counts =
            cnShape_IsFreeAtVertex(pair->a, triangle->vertices[feature - cn_triangleCorner], manifold.normal);
    } else if (feature >= cn_triangleEdge) {
        counts = cnIsFreeAtEdge(triangle, feature - cn_triangleEdge, manifold.normal);
    }
    for (int i = 0; i < manifold.count; ++i) {
        const cnLocalPoint* point = &manifold.points[i];
        if (counts && (!cnIsHollow(&pair->b->profile) || IsOnSolid(pair, point, manifold.normal))) {
            cnAddMeshPoint(visit, triangle, cnMulAdd(point->point, 0.5 * point->depth, manifold.normal),
                           manifold.normal, point->depth, point->feature);
        }
    }
    return cnIsHollow(&pair->b->profile) ? cnCollideInnerWall(visit, triangle) : visit->ok;
}

// ---- half-spaces ------------------------------------------------------------------------------------------

typedef struct PlaneVisit {
    cnMeshVisit* visit;
    cnVec3 normal; // of the plane, in A's frame
    double offset;
} PlaneVisit;

static bool CollideCorners(const cnTriangle* triangle, void* context) {
    const PlaneVisit* plane = context;
    cnMeshVisit* visit = plane->visit;
    for (int i = 0; i < 3; ++i) {
        double height = cnDot(plane->normal, triangle->corners[i]) - plane->offset;
        if (height <= visit->pair->margin) {
            cnCandidate candidate = {.point = cnMulAdd(triangle->corners[i], -0.5 * height, plane->normal),
                                     .normal = cnNeg(plane->normal),
                                     .depth = -height,
                                     .feature = (uint32_t)triangle->vertices[i]};
            visit->ok = cnCandidates_Add(visit->out, candidate) && visit->ok;
        }
    }
    return visit->ok;
}

// Vertices below the plane; only where its half-space reaches into the bounds.
static void CollidePlane(cnMeshVisit* visit) {
    const cnShapePair* pair = visit->pair;
    PlaneVisit plane = {.visit = visit, .normal = cnMulMat(pair->pose.axes, pair->b->normal)};
    plane.offset = pair->b->offset + cnDot(plane.normal, pair->pose.position);
    cnBounds bounds = pair->a->bounds;
    double normal[3] = {plane.normal.x, plane.normal.y, plane.normal.z};
    double lower[3] = {bounds.lower.x, bounds.lower.y, bounds.lower.z};
    double upper[3] = {bounds.upper.x, bounds.upper.y, bounds.upper.z};
    double min = 0.0;
    for (int i = 0; i < 3; ++i) {
        min += cnMin(normal[i] * lower[i], normal[i] * upper[i]);
    }
    for (int i = 0; i < 3; ++i) {
        double room = plane.offset + pair->margin - min; // of this axis beyond its lowest end
        if (room < 0.0) {
            return;
        }
        if (normal[i] > 1e-6) {
            upper[i] = cnMin(upper[i], lower[i] + room / normal[i]);
        } else if (normal[i] < -1e-6) {
            lower[i] = cnMax(lower[i], upper[i] + room / normal[i]);
        }
    }
    bounds.lower = cnVec(lower[0], lower[1], lower[2]);
    bounds.upper = cnVec(upper[0], upper[1], upper[2]);
    cnShape_VisitTriangles(pair->a, bounds, CollideCorners, &plane);
}

// ---- the pair ---------------------------------------------------------------------------------------------

// The place of a segment that lies deepest in a shape, or next to it, in parts of the segment: by steps as
// long as the distance, which can't be passed unseen, then by thirds.
static double FindDeepest(const cnShape* shape, cnVec3 start, cnVec3 along, double size) {
    double length = cnLength(along);
    double min = cnMax(0.25 * size / length, 1.0 / 64.0); // a step, in parts
    double best = 0.0, distance = INFINITY;
    cnSurfacePoint surface = {.distance = INFINITY}, other = surface; // stays so below an open field
    double t = 0.0;
    while (t <= 1.0) {
        cnShape_FindClosest(shape, cnMulAdd(start, t, along), INFINITY, &surface);
        best = surface.distance < distance ? t : best;
        distance = cnMin(distance, surface.distance);
        t += cnMax(min, fabs(surface.distance) / length);
    }
    if (distance > min * length) {
        return best;
    }
    double lower = cnMax(0.0, best - min), upper = cnMin(1.0, best + min);
    for (int i = 0; i < 20; ++i) {
        double third = (upper - lower) / 3.0;
        cnShape_FindClosest(shape, cnMulAdd(start, lower + third, along), INFINITY, &surface);
        cnShape_FindClosest(shape, cnMulAdd(start, upper - third, along), INFINITY, &other);
        *(surface.distance < other.distance ? &upper : &lower) +=
            surface.distance < other.distance ? -third : third;
    }
    return 0.5 * (lower + upper);
}

// The triangle's corners and places of its edges that lie deeper in B than the spare, where they are free
// towards B's nearest side.
static bool FindSunkEdges(const cnTriangle* triangle, void* context) {
    cnMeshVisit* visit = context;
    const cnShapePair* pair = visit->pair;
    cnRelativePose inverse = cnInvRelativePose(&pair->pose);
    for (int i = 0; i < 3; ++i) {
        int next = (i + 1) % 3;
        cnVec3 start = cnToA(&inverse, triangle->corners[i]);
        cnVec3 along = cnSub(cnToA(&inverse, triangle->corners[next]), start);
        double t = 0.0;
        cnSurfacePoint surface;
        cnShape_FindClosest(pair->b, cnMulAdd(start, 0.5, along), INFINITY, &surface);
        bool isOwner =
            triangle->edgeKinds[i] == cn_edgeBoundary || triangle->vertices[i] < triangle->vertices[next];
        if (isOwner && surface.distance < 0.5 * cnLength(along)) {
            t = FindDeepest(pair->b, start, along, pair->size);
        }
        for (int end = 0; end < 2; ++end, t = 0.0) {
            double sunk = GetSunk(pair->b, cnMulAdd(start, t, along), INFINITY, &surface);
            if (sunk > visit->spare.depth) {
                cnVec3 normal = cnNeg(cnMulMat(pair->pose.axes, surface.normal));
                cnVec3 point = cnToA(&pair->pose, cnMulAdd(surface.point, -0.5 * sunk, surface.normal));
                if (t > 0.0 || cnShape_IsFreeAtVertex(pair->a, triangle->vertices[i], normal)) {
                    visit->spare = (cnCandidate){point, normal, sunk, (uint32_t)triangle->vertices[i]};
                }
            }
        }
    }
    return true;
}

// Makes a point of B (A's frame) the spare if it is deeper; returns how deep it is, below 0 outside.
static double OfferSunk(cnMeshVisit* visit, cnVec3 onB, uint32_t name) {
    cnSurfacePoint surface = {.distance = INFINITY};
    cnShape_FindClosest(visit->pair->a, onB, INFINITY, &surface);
    double sunk = -surface.distance;
    if (sunk > visit->spare.depth) {
        visit->spare = (cnCandidate){cnMulAdd(onB, 0.5 * sunk, surface.normal), surface.normal, sunk,
                                     name | CN_FEATURE_OF_B};
    }
    return sunk;
}

static cnVec3 GetRimPoint(const cnShapePair* pair, int rim, cnVec3 radial) {
    cnProfileVec corner = cnGetProfileCorner(&pair->b->profile, rim);
    return cnToA(&pair->pose, cnAdd(cnScale(corner.radius, radial), cnVec(0, corner.height, 0)));
}

// The deepest place of a line of B's wall.
static double OfferWall(cnMeshVisit* visit, cnVec3 radial) {
    cnVec3 start = GetRimPoint(visit->pair, 0, radial);
    cnVec3 along = cnSub(GetRimPoint(visit->pair, 1, radial), start);
    double t = FindDeepest(visit->pair->a, start, along, visit->pair->size);
    return OfferSunk(visit, cnMulAdd(start, t, along), 4 * CN_DIRECTION_COUNT);
}

// The wall of a round solid that has pierced the surface: the lines next to what showed it and all around,
// and from the deepest, between them.
static void FindSunkWall(cnMeshVisit* visit) {
    const cnShapePair* pair = visit->pair;
    cnVec3 axis = cnVec(0, 1, 0);
    cnVec3 local = cnMulMatT(pair->pose.axes, cnSub(visit->pierced, pair->pose.position));
    cnVec3 best = cnVec(local.x, 0, local.z);
    best = cnLengthSquared(best) > 0.0 ? cnNormalize(best) : cnVec(1, 0, 0);
    double deepest = OfferWall(visit, best);
    for (int i = 0; i < CN_DIRECTION_COUNT; ++i) {
        cnVec3 radial = cnRotateTangent(axis, cnVec(1, 0, 0), i);
        double sunk = OfferWall(visit, radial);
        best = sunk > deepest ? radial : best;
        deepest = cnMax(deepest, sunk);
    }
    double step = CN_PI / CN_DIRECTION_COUNT;
    for (int i = 0; i < 20; ++i) {
        cnVec3 from = best;
        cnVec3 across = cnVec(from.z, 0, -from.x);
        for (int side = -1; side <= 1; side += 2) {
            cnVec3 radial = cnNormalize(cnMulAdd(from, side * step, across));
            double sunk = OfferWall(visit, radial);
            best = sunk > deepest ? radial : best;
            deepest = cnMax(deepest, sunk);
        }
        step *= 0.5;
    }
}

// The deepest of the corners and edges of A, of the corners of B, and of points on B's rims, for the spare.
static void FindSunk(cnMeshVisit* visit, cnBounds bounds) {
    const cnShapePair* pair = visit->pair;
    cnShape_VisitTriangles(pair->a, bounds, FindSunkEdges, visit);
    bool isRound = visit->polytope.vertexCount == 0;
    int count = isRound ? 4 * CN_DIRECTION_COUNT : visit->polytope.vertexCount;
    count = pair->b->type == cn_capsule || cnIsHollow(&pair->b->profile) ? 0 : count; // rims are done
    for (int i = 0; i < count; ++i) {
        cnVec3 radial = cnRotateTangent(cnVec(0, 1, 0), cnVec(1, 0, 0), i % CN_DIRECTION_COUNT);
        OfferSunk(visit,
                  isRound ? GetRimPoint(pair, i / CN_DIRECTION_COUNT, radial)
                          : cnToA(&pair->pose, visit->polytope.vertices[i]),
                  (uint32_t)i);
    }
}

// Drops contacts whose depth is none.
//
// A triangle alone doesn't know where the solid below it ends: against one of another side of a thin plate,
// or one that lies inside of B, the way back over the triangle leads through all of B. But a contact's depth
// is the length of a way out, so one of its points lies about that deep in the other solid; where edges
// cross, half as deep. Of what is not so, the point that lies deepest stands for all, with its own nearest
// way out, if nothing else is left: better the deepest place than none.
static void DropUnsunk(cnMeshVisit* visit, cnBounds bounds) {
    const cnShapePair* pair = visit->pair;
    cnRelativePose inverse = cnInvRelativePose(&pair->pose);
    cnCandidate* list = visit->out->list.data;
    cnCandidate spare = visit->spare;
    CN_PIN(&visit->out->list, "the contacts that are sorted out");
    int kept = 0;
    double deepest = 0.0;
    for (int i = 0; i < visit->out->list.count; ++i) {
        cnCandidate c = list[i];
        bool counts = true;
        if (c.depth > SUNK_SLOP * pair->size) {
            cnVec3 onA = cnMulAdd(c.point, 0.5 * c.depth, c.normal);
            cnVec3 onB = cnMulAdd(c.point, -0.5 * c.depth, c.normal);
            double min = (c.depth - SUNK_SLOP * pair->size) / SUNK;
            cnSurfacePoint surface;
            double sunk = cnFindSunk(pair->a, pair->b, &pair->pose, onB, c.normal, c.depth, min, &surface);
            if (sunk > spare.depth && sunk < min) {
                cnVec3 point = cnMulAdd(surface.point, -0.5 * sunk, surface.normal);
                spare = (cnCandidate){point, surface.normal, sunk, c.feature};
            }
            double sunkInB = 0.0;
            if (sunk < min) {
                sunkInB = cnFindSunk(pair->b, pair->a, &inverse, cnToA(&inverse, onA),
                                     cnMulMat(inverse.axes, c.normal), c.depth, min, &surface);
            }
            if (sunkInB > spare.depth && sunkInB < min) {
                cnVec3 normal = cnNeg(cnMulMat(pair->pose.axes, surface.normal));
                cnVec3 point = cnToA(&pair->pose, cnMulAdd(surface.point, -0.5 * sunkInB, surface.normal));
                spare = (cnCandidate){point, normal, sunkInB, c.feature};
            }
            counts = cnMax(sunk, sunkInB) >= min;
        }
        if (counts) {
            deepest = cnMax(deepest, c.depth);
            list[kept++] = c;
        }
    }
    bool isRound = cnIsRevolved(pair->b->type);
    bool isPierced = isRound && (visit->beside > SPARE * deepest + SUNK_SLOP * pair->size ||
                                 (kept == 0 && visit->isPierced));
    if (kept < visit->out->list.count || cnIsHollow(&pair->b->profile) || isPierced) {
        visit->spare = spare;
        FindSunk(visit, bounds);
        if (isPierced) {
            FindSunkWall(visit);
        }
        spare = visit->spare;
    }
    visit->out->list.count = kept;
    CN_UNPIN(&visit->out->list);
    if (spare.depth > SPARE * deepest + SUNK_SLOP * pair->size) {
        visit->ok = cnCandidates_Add(visit->out, spare) && visit->ok;
    }
}

// A point of B's solid: its middle, or of a hollow one, within its wall.
static cnVec3 GetInnerPoint(const cnShape* b) {
    if (!cnIsHollow(&b->profile)) {
        return b->centre;
    }
    const cnRevolvedProfile* p = &b->profile;
    double radius = 0.25 * (p->innerLower + p->outerLower + p->innerUpper + p->outerUpper);
    return cnVec(radius, 0.5 * (p->lower + p->upper), 0.0);
}

// Whether the middle of B is below the surface: the point of it next to the middle.
static bool FindWayOut(const cnMeshVisit* visit, double reach, cnSurfacePoint* surface) {
    const cnShape* a = visit->pair->a;
    cnVec3 inner = visit->inner;
    bool isAboveField =
        a->type == cn_heightField && inner.z > cnHeightField_GetSurface(a->field, inner.x, inner.y);
    return !isAboveField && cnShape_FindClosest(a, inner, reach, surface) && surface->distance < 0.0;
}

// A body whose middle is below the surface is pushed out towards the nearest point of it: by the plane
// through that point where the surface goes on like that, and by its middle (the spare) else.
static void PushOut(cnMeshVisit* visit, const cnSurfacePoint* way) {
    const cnShapePair* pair = visit->pair;
    cnSurfacePoint surface = *way, other;
    cnShape half = {
        .type = cn_plane, .normal = surface.normal, .offset = cnDot(surface.normal, surface.point)};
    cnShapePair against = *pair;
    against.a = &half;
    cnLocalManifold manifold = {.count = 0};
    cnCollidePlane(&against, &manifold);
    for (int i = 0; i < manifold.count; ++i) {
        const cnLocalPoint* point = &manifold.points[i];
        cnVec3 onB = cnMulAdd(point->point, -0.5 * point->depth, manifold.normal);
        double depth = point->depth;
        double slop = SUNK_SLOP * pair->size + 0.02 * fabs(depth);

        double reach = visit->solid ? INFINITY : slop;
        bool isFound = cnShape_FindClosest(pair->a, cnMulAdd(onB, depth, manifold.normal), reach, &other);

        // over a field that falls away from the plane, back to its surface: by the distance, which
        // never leads too far
        for (int step = 0; isFound && other.distance > slop && step < 8; ++step) {
            depth -= other.distance;
            slop = SUNK_SLOP * pair->size + 0.02 * fabs(depth);
            isFound = cnShape_FindClosest(pair->a, cnMulAdd(onB, depth, manifold.normal), reach, &other);
        }
        if (isFound && other.distance <= slop && -depth <= pair->margin) {
            cnCandidate candidate = {cnMulAdd(onB, 0.5 * depth, manifold.normal), manifold.normal, depth,
                                     point->feature};
            visit->ok = cnCandidates_Add(visit->out, candidate) && visit->ok;
        }
    }
    visit->spare = (cnCandidate){cnMulAdd(visit->inner, -0.5 * surface.distance, surface.normal),
                                 surface.normal, -surface.distance, CN_FEATURE_CLOSEST};
}

// How far B reaches at most from its middle against a direction of A's frame.
static double GetReach(const cnMeshVisit* visit, cnVec3 direction) {
    const cnShapePair* pair = visit->pair;
    const cnShape* b = pair->b;
    if (cnShape_Is(b, cn_formRound)) {
        return b->radius + 0.5 * fabs(cnDot(direction, cnSub(visit->end, visit->start)));
    }
    cnVec3 local = cnMulMatT(pair->pose.axes, direction);
    if (b->type == cn_box) {
        cnVec3 half = b->halfExtents;
        return fabs(local.x) * half.x + fabs(local.y) * half.y + fabs(local.z) * half.z;
    }
    if (b->type == cn_convex) {
        int lowest = cnPolytope_GetSupport(&visit->polytope, cnNeg(local), 0);
        return cnDot(local, cnSub(b->centre, visit->polytope.vertices[lowest]));
    }
    return b->boundingRadius;
}

// Most triangles within B's bounds are so steep or so low that B is all above their planes.
static bool IsNearPlane(cnVec3 normal, cnVec3 corner, void* context) {
    cnMeshVisit* visit = context;
    visit->sees = true;
    visit->isBehind = visit->isBehind || cnDot(normal, cnSub(visit->inner, corner)) < 0.0;
    double height = cnDot(normal, cnSub(visit->centre, corner));
    return height - GetReach(visit, normal) <= visit->pair->margin;
}

static cnTriangleVisitor* GetVisitor(cnMeshVisit* visit) {
    const cnShape* b = visit->pair->b;
    switch (b->type) {
    case cn_sphere:
        return CollideSphere;
    case cn_capsule:
        return CollideCapsule;
    case cn_box:
    case cn_convex:
        visit->polytope = cnGetPolytope(b, &visit->storage);
        return CollidePolytope;
    default:
        return CollideSmooth;
    }
}

// What is above all triangles near it is not asked whether it is inside: over a mesh that is a search.
static void CollideTriangles(cnMeshVisit* visit, cnPose poseB) {
    const cnShapePair* pair = visit->pair;
    const cnShape* b = pair->b;
    bool isHollow = cnIsHollow(&b->profile);
    cnBounds bounds = cnShape_ComputeBounds(b, poseB);
    cnVec3 margin = cnVec(pair->margin, pair->margin, pair->margin);
    bounds = (cnBounds){cnSub(bounds.lower, margin), cnAdd(bounds.upper, margin)};
    visit->inner = cnToA(&pair->pose, GetInnerPoint(b));
    visit->collide = GetVisitor(visit);
    cnSurfacePoint way;
    bool isInside = visit->solid && !isHollow && FindWayOut(visit, INFINITY, &way);
    if (!isInside) {
        cnShape_SearchTriangles(pair->a,
                                &(cnTriangleSearch){bounds, IsNearPlane, visit->collide, visit, pair->near});
        bool mayBeInside = !visit->solid && !isHollow && (visit->isBehind || !visit->sees);
        isInside = mayBeInside && FindWayOut(visit, b->boundingRadius, &way);
    }
    if (isInside) {
        visit->out->list.count = 0;
        visit->beside = 0.0;
        visit->isPierced = false;
        visit->spare = (cnCandidate){.depth = 0.0};
        PushOut(visit, &way);
    } else if (isHollow) {
        cnCollideRims(visit);
    }

    // no triangle near: all of it may be inside
    bool isSolid = !visit->solid && (pair->a->mesh->isClosed || pair->a->mesh->isTerrain);
    if (visit->out->list.count == 0 && isSolid && FindWayOut(visit, INFINITY, &way)) {
        PushOut(visit, &way);
    }
    if (b->type != cn_sphere && !(visit->solid && isInside)) {
        DropUnsunk(visit, bounds);
    }
}

bool cnCollideMesh(const cnShapePair* pair, cnCandidates* out) {
    const cnShape* b = pair->b;
    cnPose poseB = {pair->pose.position, cnQuatFromMat(pair->pose.axes)};
    cnVec3 half = cnScale(b->halfHeight, pair->pose.axes.y);
    cnMeshVisit visit = {.pair = pair,
                         .out = out,
                         .centre = cnToA(&pair->pose, b->centre),
                         .solid = pair->a->type == cn_heightField,
                         .ok = true,
                         .start = cnSub(pair->pose.position, half),
                         .end = cnAdd(pair->pose.position, half),
                         .radius = b->radius};
    if (b->type == cn_plane) {
        CollidePlane(&visit);
    } else if (cnShape_Is(b, cn_formTriangles)) {
        visit.ok = cnCollideMeshes(pair, out);
    } else {
        CollideTriangles(&visit, poseB);
    }
    return visit.ok;
}
