// Hulls and boxes against each other: the separating axis test, then the incident face clipped by
// the reference face.
//
// Axes are the face normals of both and the cross products of those edge pairs whose arcs meet on the Gauss
// map (Gregorius, "The Separating Axis Test between Convex Polyhedra", GDC 2013). Overlapping polytopes part
// least along one of these, and touch there within the clipped face or at the crossing of the edges.
// Polytopes apart are nearest along one of these too, unless corners face each other: then no clipped point,
// or none near enough, is left, and GJK finds the closest points.
#include "collide/manifolds/axis_slop.h"
#include "collide/manifolds/clip.h"
#include "collide/narrow/edge_query.h"
#include "geometry/distance.h"

// Edges with less slope against the reference face count as parallel to it.
#define FLAT_SLOPE 0.01

cnPolytope cnGetPolytope(const cnShape* shape, cnBoxStorage* storage) {
    return shape->type == cn_box ? cnPolytope_FromBox(shape->halfExtents, storage)
                                 : cnPolytope_FromHull(shape->hull);
}

typedef struct FaceQuery {
    int face;
    double separation;
} FaceQuery;

// Separation of `other` from one face; its lowest vertex goes to `support`.
static double SeparateFromFace(const cnPolytope* reference, int face, const cnPolytope* other,
                               const cnRelativePose* pose, int* support) {
    const cnHullPlane* plane = reference->planes + face;
    cnVec3 normal = cnMulMatT(pose->axes, plane->normal);
    *support = cnPolytope_GetSupport(other, cnNeg(normal), *support);
    return cnDot(normal, other->vertices[*support]) + cnDot(plane->normal, pose->position) - plane->offset;
}

// What is known of the other before its separation from faces is asked for.
typedef struct FaceHint {
    int face;              // of last step; −1
    const cnVec3* contact; // a point of the other, where they touched, in the reference's frame; null
    double floor;          // no face counts that separates by no more
} FaceHint;

// The face that separates most, or any where none separates by more than the floor; the one of last step is
// preferred by the slop. Stops at the first beyond the margin, else sets the bounds, too.
static FaceQuery QueryFaces(const cnPolytope* reference, const cnPolytope* other, const cnRelativePose* pose,
                            const FaceHint* hint, double margin, double size, cnSeparationBounds* bounds) {
    bool isCached = hint->face >= 0 && hint->face < reference->faceCount;
    int support = 0;
    FaceQuery best = {hint->face, -INFINITY};
    if (isCached) {
        best.separation = SeparateFromFace(reference, best.face, other, pose, &support);
        if (best.separation > margin) {
            return best;
        }
    }
    int highest = cnHeights_Measure(&bounds->centre, reference, cnToA(pose, other->centre));
    bounds->radius = other->innerRadius;
    if (!isCached) {
        best.face = highest;
        best.separation = SeparateFromFace(reference, best.face, other, pose, &support);
        if (best.separation > margin) {
            return best;
        }
    }
    cnVec3 contact = hint->contact != NULL ? *hint->contact : cnToA(pose, other->vertices[support]);
    bounds->contact = contact;
    int first = best.face;
    double bar = isCached ? best.separation + cnGetFaceSlop(size, best.separation) : best.separation;
    bar = cnMax(bar, hint->floor);
    for (int face = 0; face < reference->faceCount; ++face) {
        const cnHullPlane* plane = &reference->planes[face];
        if (face == first || cnHeights_Get(&bounds->centre, face) - bounds->radius <= bar ||
            cnDot(plane->normal, contact) - plane->offset <= bar) {
            continue;
        }
        double separation = SeparateFromFace(reference, face, other, pose, &support);
        if (separation > bar) {
            bar = separation;
            best = (FaceQuery){face, separation};
            if (separation > margin) {
                return best;
            }
        }
    }
    return best;
}

static uint16_t NameEdge(const cnPolytope* polytope, int edge, uint32_t tag) {
    int twin = polytope->edges[edge].twin;
    return (uint16_t)((uint32_t)(edge < twin ? edge : twin) | tag);
}

// Marks the corners of a face that are extreme in 32 directions: what stands for a face of very many corners.
static void ChooseExtremes(const cnVec3* points, int count, cnVec3 normal, bool* keep) {
    cnVec3 tangent = cnFindTangent(normal);
    for (int step = 0; step < CN_DIRECTION_COUNT; ++step) {
        cnVec3 direction = cnRotateTangent(normal, tangent, step);
        int best = 0;
        for (int i = 1; i < count; ++i) {
            best = cnDot(direction, points[i]) > cnDot(direction, points[best]) ? i : best;
        }
        keep[best] = true;
    }
}

static void ThinPolygon(cnPolygon* polygon, cnVec3 normal) {
    bool keep[CN_MAX_CANDIDATES] = {false};
    ChooseExtremes(polygon->points, polygon->count, normal, keep);
    int kept = 0;
    for (int i = 0; i < polygon->count; ++i) {
        if (keep[i]) {
            polygon->points[kept] = polygon->points[i];
            polygon->edges[kept++] = polygon->edges[i];
        }
    }
    polygon->count = kept;
}

void cnReadFace(const cnPolytope* polytope, int face, const cnRelativePose* pose, uint32_t tag,
                cnPolygon* polygon) {
    cnVec3 normal = cnMulMat(pose->axes, polytope->planes[face].normal);
    polygon->count = 0;
    int start = polytope->faceEdges[face];
    int edge = start;
    do {
        if (polygon->count == CN_MAX_CANDIDATES) {
            ThinPolygon(polygon, normal);
        }
        polygon->points[polygon->count] = cnToA(pose, polytope->vertices[polytope->edges[edge].origin]);
        polygon->edges[polygon->count++] = NameEdge(polytope, edge, tag);
        edge = polytope->edges[edge].next;
    } while (edge != start);
}

// Keeps what lies at normal·x <= offset (Sutherland, Hodgman 1974).
static void ClipPolygon(cnPolygon* polygon, cnVec3 normal, double offset, double slop, uint16_t name) {
    // most sides cut nothing
    double heights[CN_MAX_CANDIDATES];
    bool cuts = false;
    for (int i = 0; i < polygon->count; ++i) {
        heights[i] = cnDot(normal, polygon->points[i]) - offset;
        cuts = cuts || heights[i] > slop;
    }
    if (!cuts) {
        return;
    }
    cnPolygon clipped;
    clipped.count = 0;
    for (int i = 0; i < polygon->count; ++i) {
        int next = i + 1 < polygon->count ? i + 1 : 0;
        bool inside = heights[i] <= slop;
        bool nextInside = heights[next] <= slop;
        if (inside) {
            clipped.points[clipped.count] = polygon->points[i];
            clipped.edges[clipped.count++] = polygon->edges[i];
        }
        if (inside != nextInside && clipped.count < CN_MAX_CANDIDATES) {
            double fraction = cnClamp(heights[i] / (heights[i] - heights[next]), 0.0, 1.0);
            cnVec3 along = cnSub(polygon->points[next], polygon->points[i]);
            clipped.points[clipped.count] = cnMulAdd(polygon->points[i], fraction, along);
            clipped.edges[clipped.count++] = inside ? name : polygon->edges[i];
        }
    }
    *polygon = clipped;
}

int cnFindIncidentFace(const cnPolytope* polytope, cnVec3 down) {
    int lowest = cnPolytope_GetSupport(polytope, down, 0);
    int incident = -1;
    double max = -INFINITY;
    bool flat = false;
    int first = polytope->vertexEdges[lowest];
    int edge = first;
    do {
        int twin = polytope->edges[edge].twin;
        cnVec3 along = cnSub(polytope->vertices[polytope->edges[twin].origin], polytope->vertices[lowest]);
        double rise = -cnDot(along, down);
        bool flatEdge = rise * rise <= FLAT_SLOPE * FLAT_SLOPE * cnLengthSquared(along);
        if (flatEdge && !flat) {
            flat = true;
            max = -INFINITY;
        }
        const int sides[2] = {polytope->edges[edge].face, polytope->edges[twin].face};
        for (int i = 0; i < 2 && flatEdge >= flat; ++i) {
            double dot = cnDot(down, polytope->planes[sides[i]].normal);
            if (dot > max) {
                max = dot;
                incident = sides[i];
            }
        }
        edge = polytope->edges[twin].next;
    } while (edge != first);
    return incident;
}

void cnClipFaces(const cnPolygon* reference, cnVec3 normal, cnVec3 rise, cnPolygon* incident, double margin,
                 double size, cnLocalManifold* manifold) {
    // by the sides of the reference
    int next = 0;
    for (int i = reference->count - 1; i >= 0 && incident->count > 0; next = i--) {
        cnVec3 origin = reference->points[i];
        cnVec3 side = cnNormalize(cnCross(cnSub(reference->points[next], origin), normal));
        if (incident->count > CN_MAX_CANDIDATES - 2) {
            ThinPolygon(incident, normal);
        }
        ClipPolygon(incident, side, cnDot(side, origin), CN_SIDE_SLOP * size, reference->edges[i]);
    }

    // what is left near or below the face
    cnLocalPoint candidates[CN_MAX_CANDIDATES];
    int count = 0;
    for (int i = 0; i < incident->count; ++i) {
        double height = cnDot(rise, cnSub(incident->points[i], reference->points[0]));
        if (height <= margin) {
            int before = i > 0 ? i - 1 : incident->count - 1;
            uint32_t feature = cnFeatureOfEdges(incident->edges[before], incident->edges[i]);
            candidates[count++] =
                (cnLocalPoint){cnMulAdd(incident->points[i], -0.5 * height, normal), -height, feature};
        }
    }
    manifold->normal = normal;
    cnVec3 tangent = cnNormalize(cnSub(reference->points[1], reference->points[0]));
    cnReducePoints(manifold, candidates, count, tangent, size);
}

void cnBuildFaceManifold(const cnPolytope* reference, int face, uint32_t referenceTag,
                         const cnPolytope* other, const cnRelativePose* pose, double margin, double size,
                         cnLocalManifold* manifold) {
    static const cnRelativePose same = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}};
    cnVec3 normal = reference->planes[face].normal;
    cnPolygon sides, polygon;
    cnReadFace(reference, face, &same, referenceTag, &sides);
    cnReadFace(other, cnFindIncidentFace(other, cnNeg(cnMulMatT(pose->axes, normal))), pose,
               referenceTag ^ CN_FEATURE_OF_B, &polygon);
    cnClipFaces(&sides, normal, normal, &polygon, margin, size, manifold);
}

// Whether a face manifold, in the reference's frame, shows that no axis separates by more than `bar`. Apart,
// its deepest point is a distance between the two, and no axis separates by more than the distance.
// Overlapping, a point of the other polytope (one of the manifold's, or their middle) lies that deep below
// every face of the reference.
static bool IsDeepEnough(const cnPolytope* reference, const cnLocalManifold* manifold, double bar) {
    double deepest = cnGetDeepest(manifold);
    if (manifold->count == 0 || -deepest > bar) {
        return false;
    }
    if (deepest <= 0.0) {
        return true;
    }
    cnVec3 middle = cnVec3_zero;
    cnVec3 lowest = cnVec3_zero;
    for (int i = 0; i < manifold->count; ++i) {
        const cnLocalPoint* point = manifold->points + i;
        cnVec3 onOther = cnMulAdd(point->point, -0.5 * point->depth, manifold->normal);
        middle = cnMulAdd(middle, 1.0 / manifold->count, onOther);
        lowest = point->depth == deepest ? onOther : lowest;
    }
    bool lowestBelow = true;
    bool middleBelow = true;
    for (int face = 0; face < reference->faceCount && (lowestBelow || middleBelow); ++face) {
        const cnHullPlane* plane = reference->planes + face;
        lowestBelow = lowestBelow && cnDot(plane->normal, lowest) - plane->offset <= bar;
        middleBelow = middleBelow && cnDot(plane->normal, middle) - plane->offset <= bar;
    }
    return lowestBelow || middleBelow;
}

// The points of two edges that are closest, in A's frame.
static void FindCrossing(const cnPolytope* a, const cnPolytope* b, const cnRelativePose* pose,
                         const cnEdgeQuery* query, cnVec3* onA, cnVec3* onB) {
    cnVec3 startA = a->vertices[a->edges[query->edgeA].origin];
    cnVec3 alongA = cnSub(a->vertices[a->edges[a->edges[query->edgeA].twin].origin], startA);
    cnVec3 startB = cnToA(pose, b->vertices[b->edges[query->edgeB].origin]);
    cnVec3 alongB = cnSub(cnToA(pose, b->vertices[b->edges[b->edges[query->edgeB].twin].origin]), startB);
    double s, t;
    cnFindClosestOnSegments(startA, alongA, startB, alongB, &s, &t);
    *onA = cnMulAdd(startA, s, alongA);
    *onB = cnMulAdd(startB, t, alongB);
}

// One point where two edges cross.
static void BuildEdgeManifold(const cnPolytope* a, const cnPolytope* b, const cnRelativePose* pose,
                              const cnEdgeQuery* query, double size, cnLocalManifold* manifold) {
    cnVec3 onA, onB;
    FindCrossing(a, b, pose, query, &onA, &onB);

    // apart beside each other: corners are nearer
    manifold->normal = query->axis;
    if (query->separation <= 0.0 ||
        cnLength(cnSub(onB, onA)) <= query->separation * (1.0 + 1e-6) + CN_TOUCH_SLOP * size) {
        uint32_t feature =
            cnFeatureOfEdges(NameEdge(a, query->edgeA, 0), NameEdge(b, query->edgeB, CN_FEATURE_OF_B));
        cnAddLocalPoint(manifold, onA, query->separation, feature);
    }
}

// One point between the closest points of polytopes apart; false where they overlap or touch.
static bool BuildClosestManifold(const cnPolytope* a, const cnPolytope* b, const cnRelativePose* pose,
                                 double margin, double size, cnLocalManifold* manifold) {
    cnDistance closest = cnComputeDistance(a, b, pose);
    if (!(closest.distance > CN_TOUCH_SLOP * size)) {
        return false;
    }
    if (closest.distance <= margin) {
        manifold->normal = cnNormalize(cnSub(closest.pointB, closest.pointA));
        cnAddLocalPoint(manifold, closest.pointA, closest.distance, CN_FEATURE_CLOSEST);
    }
    return true;
}

// The lowest vertex of `other` over a face, for polytopes that touch with their corners only.
static void AddLowestVertex(const cnPolytope* reference, int face, const cnPolytope* other,
                            const cnRelativePose* pose, double separation, cnLocalManifold* manifold) {
    manifold->normal = reference->planes[face].normal;
    int lowest = cnPolytope_GetSupport(other, cnNeg(cnMulMatT(pose->axes, manifold->normal)), 0);
    cnVec3 point = cnMulAdd(cnToA(pose, other->vertices[lowest]), -separation, manifold->normal);
    cnAddLocalPoint(manifold, point, separation, CN_FEATURE_CLOSEST);
}

// The edges of last step as they are now; with edges −1 and a separation of −∞ where there were none, or they
// cross no longer.
static cnEdgeQuery RenewEdges(const cnPolytope* a, const cnPolytope* b, const cnShapePair* pair) {
    const cnCollideCache* cache = pair->cache;
    bool isKnown = cache->kind == cn_axisEdges && cache->feature1 < (uint32_t)a->edgeCount &&
                   cache->feature2 < (uint32_t)b->edgeCount;
    return isKnown ? cnMeasureEdges(a, b, &pair->pose, (int)cache->feature1, (int)cache->feature2)
                   : (cnEdgeQuery){-1, -1, -INFINITY, {0.0, 0.0, 0.0}};
}

// Whether the axis is nearly the normal of a face beside one of the edges.
static bool LieOnFace(const cnPolytope* a, const cnPolytope* b, const cnRelativePose* pose,
                      const cnEdgeQuery* edges) {
    cnVec3 down = cnNeg(cnMulMatT(pose->axes, edges->axis));
    int edgeA = edges->edgeA, edgeB = edges->edgeB;
    double most = -1.0;
    for (int i = 0; i < 2; ++i) {
        most = cnMax(most, cnDot(edges->axis, a->planes[a->edges[edgeA].face].normal));
        most = cnMax(most, cnDot(down, b->planes[b->edges[edgeB].face].normal));
        edgeA = a->edges[edgeA].twin;
        edgeB = b->edges[edgeB].twin;
    }
    return most > CN_FLAT_COSINE;
}

// Whether a face's manifold, in A's frame, has all that the edges have, and more.
static bool IsFlatOn(const cnLocalManifold* manifold, const cnEdgeQuery* edges, double slop) {
    return manifold->count > 1 && cnDot(manifold->normal, edges->axis) > CN_FLAT_COSINE &&
           -cnGetDeepest(manifold) <= edges->separation + slop;
}

static cnCollideCache CacheOfEdges(const cnEdgeQuery* edges) {
    return (cnCollideCache){
        .kind = cn_axisEdges, .feature1 = (uint32_t)edges->edgeA, .feature2 = (uint32_t)edges->edgeB};
}

// Faces that separate by no more than this lose against edges for certain.
static double FloorOfFaces(const cnShapePair* pair, const cnPolytope* a, const cnPolytope* b,
                           const cnEdgeQuery* edges) {
    return edges->edgeA >= 0 && !LieOnFace(a, b, &pair->pose, edges)
               ? edges->separation - 1.1 * cnGetEdgeSlop(pair->cache, pair->size, edges->separation)
               : -INFINITY;
}

void cnCollidePolytopes(const cnShapePair* pair, cnLocalManifold* manifold) {
    cnBoxStorage storageA, storageB;
    cnPolytope a = cnGetPolytope(pair->a, &storageA);
    cnPolytope b = cnGetPolytope(pair->b, &storageB);
    const cnRelativePose* pose = &pair->pose;
    cnRelativePose inverse = cnInvRelativePose(pose);
    cnCollideCache* cache = pair->cache;

    // separation along the faces of both, the one of last step first
    int cachedA = cache->kind == cn_axisFaceA ? (int)cache->feature1 : -1;
    int cachedB = cache->kind == cn_axisFaceB ? (int)cache->feature1 : -1;
    if (cachedB >= 0 && cachedB < b.faceCount) {
        int support = 0;
        double separation = SeparateFromFace(&b, cachedB, &a, &inverse, &support);
        if (separation > pair->margin) {
            cnSetGap(pair, separation, cnNeg(cnMulMat(pose->axes, b.planes[cachedB].normal)));
            return;
        }
    }
    cnEdgeQuery lastEdges = RenewEdges(&a, &b, pair);
    if (lastEdges.separation > pair->margin) {
        cnSetGap(pair, lastEdges.separation, lastEdges.axis);
        return;
    }
    FaceHint hintA = {.face = cachedA, .floor = FloorOfFaces(pair, &a, &b, &lastEdges)};
    FaceHint hintB = {.face = cachedB, .floor = hintA.floor};
    cnVec3 onA, onB;
    if (lastEdges.edgeA >= 0) {
        FindCrossing(&a, &b, pose, &lastEdges, &onA, &onB);
        onA = cnToA(&inverse, onA);
        hintA.contact = &onB;
        hintB.contact = &onA;
    }
    cnSeparationBounds ofA, ofB;
    FaceQuery faceA = QueryFaces(&a, &b, pose, &hintA, pair->margin, pair->size, &ofA);
    if (faceA.separation > pair->margin) {
        *cache = (cnCollideCache){.kind = cn_axisFaceA, .feature1 = (uint32_t)faceA.face};
        cnSetGap(pair, faceA.separation, a.planes[faceA.face].normal);
        return;
    }
    FaceQuery faceB = QueryFaces(&b, &a, &inverse, &hintB, pair->margin, pair->size, &ofB);
    if (faceB.separation > pair->margin) {
        *cache = (cnCollideCache){.kind = cn_axisFaceB, .feature1 = (uint32_t)faceB.face};
        cnSetGap(pair, faceB.separation, cnNeg(cnMulMat(pose->axes, b.planes[faceB.face].normal)));
        return;
    }
    // the side of the reference face, and its manifold
    bool useB = cnPreferFaceB(cache, faceA.separation, faceB.separation, pair->size);
    double faceSeparation = useB ? faceB.separation : faceA.separation;
    double edgeSlop = cnGetEdgeSlop(cache, pair->size, faceSeparation);
    cnCollideCache faceCache = {.kind = useB ? cn_axisFaceB : cn_axisFaceA,
                                .feature1 = (uint32_t)(useB ? faceB.face : faceA.face)};
    bool proven = false;
    bool areEdgesBetter = faceSeparation <= hintA.floor;
    if (areEdgesBetter) {
        manifold->count = 0;
    } else if (useB) {
        cnBuildFaceManifold(&b, faceB.face, CN_FEATURE_OF_B, &a, &inverse, pair->margin, pair->size,
                            manifold);
        proven = IsDeepEnough(&b, manifold, faceSeparation + edgeSlop);
        cnFlipManifold(pose, manifold);
    } else {
        cnBuildFaceManifold(&a, faceA.face, 0, &b, pose, pair->margin, pair->size, manifold);
        proven = IsDeepEnough(&a, manifold, faceSeparation + edgeSlop);
    }
    if (proven) {
        *cache = faceCache;
        return;
    }

    // pairs of edges
    cnEdgeQuery toBeat = {-1, -1, faceSeparation - 2.0 * edgeSlop, {0.0, 0.0, 0.0}};
    toBeat = lastEdges.separation > toBeat.separation ? lastEdges : toBeat;
    cnEdgeQuery edges = cnQueryEdges(&ofA, &ofB, pose, toBeat, pair->margin);
    if (edges.separation > pair->margin) {
        *cache = CacheOfEdges(&edges);
        cnSetGap(pair, edges.separation, edges.axis);
        manifold->count = 0;
        return;
    }
    double separation = cnMax(faceSeparation, edges.separation);
    bool isFaceBetter = edges.edgeA < 0 || edges.separation <= faceSeparation + edgeSlop ||
                        IsFlatOn(manifold, &edges, edgeSlop);
    if (isFaceBetter) {
        *cache = faceCache;
        if (-cnGetDeepest(manifold) <= separation + 2.0 * edgeSlop) {
            return;
        }
    } else {
        manifold->count = 0;
        BuildEdgeManifold(&a, &b, pose, &edges, pair->size, manifold);
        *cache = CacheOfEdges(&edges);
        if (manifold->count > 0) {
            return;
        }
    }

    // corners face each other, or the face missed the deepest corner by the slop
    cnLocalManifold closest = {.count = 0};
    if (separation > -pair->size * 1e-6 &&
        BuildClosestManifold(&a, &b, pose, pair->margin, pair->size, &closest)) {
        *manifold = manifold->count == 0 || cnGetDeepest(&closest) > cnGetDeepest(manifold) + edgeSlop
                        ? closest
                        : *manifold;
        return;
    }
    if (manifold->count == 0 || -cnGetDeepest(manifold) > separation + 2.0 * edgeSlop) {
        cnLocalManifold crossing = {.count = 0};
        if (edges.edgeA >= 0 && edges.separation > faceSeparation - 2.0 * edgeSlop) {
            BuildEdgeManifold(&a, &b, pose, &edges, pair->size, &crossing);
        }
        *manifold = crossing.count > 0 ? crossing : *manifold;
    }
    if (manifold->count == 0) {
        // corner on corner: the lowest vertex, as the face sees it
        if (useB) {
            AddLowestVertex(&b, faceB.face, &a, &inverse, faceB.separation, manifold);
            cnFlipManifold(pose, manifold);
        } else {
            AddLowestVertex(&a, faceA.face, &b, pose, faceA.separation, manifold);
        }
    }
}
