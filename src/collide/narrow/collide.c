// The narrow phase's front door: orders a pair, calls its family, brings the result to the
// world's axes in f32.
#include "collide/narrow/collide.h"

#include "geometry/shape_forms.h"

typedef void Collider(const cnShapePair* pair, cnLocalManifold* manifold);

// What collides a type with what comes before it. Hollow ones and those of triangles go by cnCollideHollow
// and cnCollideMesh, but for lines.
typedef struct ColliderRow {
    int rank; // order of A and B
    Collider *withSphere, *withCapsule, *withOthers;
} ColliderRow;

static const ColliderRow colliders[cn_shapeTypeCount] = {
    [cn_line] = {.rank = 0},
    [cn_sphere] = {1, cnCollideSphereSphere, NULL, NULL},
    [cn_capsule] = {2, cnCollideCapsuleSphere, cnCollideCapsuleCapsule, NULL},
    [cn_box] = {3, cnCollideBoxSphere, cnCollidePolytopeCapsule, cnCollideBoxBox},
    [cn_convex] = {4, cnCollideConvexSphere, cnCollidePolytopeCapsule, cnCollidePolytopes},
    [cn_cylinder] = {5, cnCollideSmooth, cnCollideSmooth, cnCollideSmooth},
    [cn_cone] = {6, cnCollideSmooth, cnCollideSmooth, cnCollideSmooth},
    [cn_hollowCylinder] = {.rank = 7},
    [cn_hollowCone] = {.rank = 8},
    [cn_plane] = {9, cnCollidePlane, cnCollidePlane, cnCollidePlane},
    [cn_trimesh] = {.rank = 10},
    [cn_heightField] = {.rank = 11},
};

bool cnCanCollide(cnShapeType type1, cnShapeType type2) {
    bool never = type1 == cn_plane || type1 == cn_heightField || type1 == cn_line;
    return type1 != cn_noShape && type2 != cn_noShape && !(type1 == type2 && never);
}

bool cnIsConcave(cnShapeType type1, cnShapeType type2) {
    const uint32_t forms = cnShapeForms[type1] | cnShapeForms[type2];
    return (forms & cn_formLine) == 0 && ((forms & cn_formTriangles) != 0 ||
                                          ((forms & cn_formHollow) != 0 && (forms & cn_formHalfSpace) == 0));
}

int cnCountRound(cnShapeType type1, cnShapeType type2) {
    const uint32_t round = cn_formRound | cn_formRevolved;
    return cnShape_IsType(type1, round) + cnShape_IsType(type2, round);
}

static void CollideOrdered(const cnShapePair* pair, cnLocalManifold* manifold) {
    const ColliderRow* row = &colliders[pair->a->type];
    cnShapeType typeB = pair->b->type;
    Collider* collider = typeB == cn_line      ? cnCollideLine
                         : typeB == cn_sphere  ? row->withSphere
                         : typeB == cn_capsule ? row->withCapsule
                                               : row->withOthers;
    if (collider != NULL) {
        collider(pair, manifold);
    }
}

// A pair in order, B seen from A, and what leads back.
typedef struct Ordered {
    cnShapePair pair;
    bool swapped;
    cnVec3 positionA, positionB;
    cnMat33 axesA, axesB;
} Ordered;

static void OrderPair(const cnShape* shape1, const cnPose* pose1, const cnShape* shape2, const cnPose* pose2,
                      double margin, cnCollideCache* cache, Ordered* o) {
    bool swapped = colliders[shape1->type].rank < colliders[shape2->type].rank;
    const cnPose *a = swapped ? pose2 : pose1, *b = swapped ? pose1 : pose2;
    const cnMat33 axesA = cnMatFromQuat(a->rotation), axesB = cnMatFromQuat(b->rotation);
    o->swapped = swapped;
    o->positionA = a->position;
    o->positionB = b->position;
    o->axesA = axesA;
    o->axesB = axesB;
    o->pair.a = swapped ? shape2 : shape1;
    o->pair.b = swapped ? shape1 : shape2;
    o->pair.pose.axes.x = cnMulMatT(axesA, axesB.x);
    o->pair.pose.axes.y = cnMulMatT(axesA, axesB.y);
    o->pair.pose.axes.z = cnMulMatT(axesA, axesB.z);
    o->pair.pose.position = cnMulMatT(axesA, cnSub(b->position, a->position));
    o->pair.margin = margin;
    o->pair.size = cnMin(shape1->inradius, shape2->inradius);
    o->pair.cache = cache;
    o->pair.near = NULL;
}

// To the world's axes about the centre of the smaller shape; rounded last.
static void BringToWorld(const Ordered* o, const cnLocalManifold* local, cnManifold* manifold) {
    const cnShapePair* pair = &o->pair;
    bool aIsSmaller = pair->a->boundingRadius < pair->b->boundingRadius;
    const cnShape* smaller = aIsSmaller ? pair->a : pair->b;
    cnVec3 centre = cnMulMat(aIsSmaller ? o->axesA : o->axesB, smaller->centre);
    manifold->origin = cnAdd(aIsSmaller ? o->positionA : o->positionB, centre);
    cnVec3 localOrigin = aIsSmaller ? smaller->centre : cnToA(&pair->pose, smaller->centre);
    cnVec3 normal = cnMulMat(o->axesA, local->normal);
    manifold->normal = cnToF(o->swapped ? normal : cnNeg(normal));
    manifold->pointCount = local->count;
    manifold->patch = local->patch;
    for (int i = 0; i < local->count; ++i) {
        manifold->points[i] = cnToF(cnMulMat(o->axesA, cnSub(local->points[i].point, localOrigin)));
        manifold->depths[i] = (float)local->points[i].depth;
        manifold->features[i] = local->points[i].feature;
    }
}

// The gap between the balls around both shapes, or the half-space and one; below 0 where these overlap.
static void SetBallGap(const Ordered* o) {
    const cnShape *a = o->pair.a, *b = o->pair.b;
    cnVec3 centre = cnToA(&o->pair.pose, b->centre);
    if (a->type == cn_plane) {
        cnSetGap(&o->pair, cnDot(a->normal, centre) - a->offset - b->boundingRadius, a->normal);
        return;
    }
    cnVec3 between = cnSub(centre, a->centre);
    cnSetGap(&o->pair, cnLength(between) - a->boundingRadius - b->boundingRadius, cnNormalize(between));
}

// The axis of a gap that colliders have set, in the world's axes.
static void TurnGap(const Ordered* o) {
    cnVec3 axis = cnMulMat(o->axesA, cnToD(o->pair.cache->axis));
    o->pair.cache->axis = cnToF(o->swapped ? axis : cnNeg(axis));
}

int cnCollideShapes(const cnShape* shape1, cnPose pose1, const cnShape* shape2, cnPose pose2, double margin,
                    cnCollideCache* cache, cnManifold* manifold) {
    manifold->pointCount = 0;
    manifold->patch = (cnPatch){0};
    if (!cnCanCollide(shape1->type, shape2->type)) {
        return 0;
    }
    Ordered ordered;
    OrderPair(shape1, &pose1, shape2, &pose2, margin, cache, &ordered);
    cnLocalManifold local;
    local.count = 0;
    local.patch = (cnPatch){0};
    cache->gap = 0.0f;
    CollideOrdered(&ordered.pair, &local);
    if (local.count > 0) {
        cache->gap = 0.0f;
        cache->axis = (cnVec3f){0};
        BringToWorld(&ordered, &local, manifold);
        return local.count;
    }
    if (!(cache->gap > margin)) {
        SetBallGap(&ordered);
    }
    TurnGap(&ordered);
    return local.count;
}

static bool CollideConcaveOrdered(const cnShapePair* pair, cnCandidates* out) {
    return cnShape_Is(pair->a, cn_formHollow) ? cnCollideHollow(pair, out) : cnCollideMesh(pair, out);
}

int cnCollideConcaveShapes(const cnShape* shape1, cnPose pose1, const cnShape* shape2, cnPose pose2,
                           double margin, cnNearTriangles* near, cnCandidates* scratch,
                           cnManifold* manifolds) {
    if (!cnCanCollide(shape1->type, shape2->type)) {
        return 0;
    }
    cnCollideCache cache = {0};
    Ordered ordered;
    OrderPair(shape1, &pose1, shape2, &pose2, margin, &cache, &ordered);
    ordered.pair.near = near;
    scratch->list.count = 0;
    if (!CollideConcaveOrdered(&ordered.pair, scratch)) {
        return -1;
    }
    cnLocalManifold local[CN_PAIR_MANIFOLDS];
    int count = cnGatherManifolds(&ordered.pair, scratch, local);
    for (int i = 0; i < count; ++i) {
        BringToWorld(&ordered, &local[i], &manifolds[i]);
    }
    return count;
}

int cnDoShapesOverlap(const cnShape* shape1, cnPose pose1, const cnShape* shape2, cnPose pose2,
                      cnCollideCache* cache, cnCandidates* scratch) {
    // the smaller one's centre in the larger one's frame
    bool firstIsSmaller = shape1->boundingRadius < shape2->boundingRadius;
    const cnShape* small = firstIsSmaller ? shape1 : shape2;
    const cnShape* large = firstIsSmaller ? shape2 : shape1;
    cnPose smallPose = firstIsSmaller ? pose1 : pose2, largePose = firstIsSmaller ? pose2 : pose1;
    cnVec3 centre = cnInvTransformPoint(largePose, cnTransformPoint(smallPose, small->centre));
    cnSurfacePoint closest;
    bool hasSurface = cnShape_FindClosest(large, centre, 1e30, &closest);
    bool isConcave = cnIsConcave(shape1->type, shape2->type);

    // far out, or with its middle inside; else ask for contacts
    if (hasSurface && closest.distance > small->boundingRadius) {
        return 0;
    }
    if (hasSurface && closest.distance <= 0.0 && !isConcave && cnShape_Is(small, cn_formHoldsCentre)) {
        return 1;
    }
    if (isConcave) {
        Ordered ordered;
        OrderPair(shape1, &pose1, shape2, &pose2, 0.0, cache, &ordered);
        scratch->list.count = 0;
        if (!CollideConcaveOrdered(&ordered.pair, scratch)) {
            return -1;
        }
        for (int i = 0; i < scratch->list.count; ++i) {
            if (scratch->list.data[i].depth >= 0.0) {
                return 1;
            }
        }
        return 0;
    }
    cnManifold manifold;
    int count = cnCollideShapes(shape1, pose1, shape2, pose2, 0.0, cache, &manifold);
    for (int i = 0; i < count; ++i) {
        if (manifold.depths[i] >= 0.0f) {
            return 1;
        }
    }
    return 0;
}
