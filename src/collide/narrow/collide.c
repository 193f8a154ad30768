// The narrow phase's front door: orders a pair, calls its family, brings the result to the world's axes in f32.
#include "collide/narrow/collide.h"

#include "geometry/shapes/revolved.h"

// Order of A and B.
static int GetRank(cnShapeType type) {
    static const int ranks[cn_shapeTypeCount] = {
        [cn_line] = 0,       [cn_sphere] = 1,   [cn_capsule] = 2,  [cn_box] = 3,
        [cn_convex] = 4,     [cn_cylinder] = 5, [cn_cone] = 6,     [cn_hollowCylinder] = 7,
        [cn_hollowCone] = 8, [cn_plane] = 9,    [cn_trimesh] = 10, [cn_heightField] = 11};
    return ranks[type];
}

bool cnCanCollide(cnShapeType type1, cnShapeType type2) {
    bool never = type1 == cn_plane || type1 == cn_heightField || type1 == cn_line;
    return type1 != cn_noShape && type2 != cn_noShape && !(type1 == type2 && never);
}

static bool IsHollow(cnShapeType type) {
    return type == cn_hollowCylinder || type == cn_hollowCone;
}

static bool HasTriangles(cnShapeType type) {
    return type == cn_trimesh || type == cn_heightField;
}

bool cnIsConcave(cnShapeType type1, cnShapeType type2) {
    bool solid = type1 != cn_line && type2 != cn_line && type1 != cn_plane && type2 != cn_plane;
    return ((IsHollow(type1) || IsHollow(type2)) && solid) ||
           ((HasTriangles(type1) || HasTriangles(type2)) && type1 != cn_line && type2 != cn_line);
}

static bool IsRound(cnShapeType type) {
    return type == cn_sphere || type == cn_capsule || cnIsRevolved(type);
}

int cnCountRound(cnShapeType type1, cnShapeType type2) {
    return IsRound(type1) + IsRound(type2);
}

static void CollideOrdered(const cnShapePair* pair, cnLocalManifold* manifold) {
    cnShapeType typeA = pair->a->type;
    cnShapeType typeB = pair->b->type;
    if (typeB == cn_line) {
        cnCollideLine(pair, manifold);
    } else if (typeA == cn_plane) {
        cnCollidePlane(pair, manifold);
    } else if (typeA == cn_cylinder || typeA == cn_cone) {
        cnCollideSmooth(pair, manifold);
    } else if (cnIsRevolved(typeA)) {
        // hollow ones go by cnCollideHollow
        return;
    } else if (typeB == cn_sphere) {
        switch (typeA) {
        case cn_sphere:
            cnCollideSphereSphere(pair, manifold);
            break;
        case cn_capsule:
            cnCollideCapsuleSphere(pair, manifold);
            break;
        case cn_box:
            cnCollideBoxSphere(pair, manifold);
            break;
        default:
            cnCollideConvexSphere(pair, manifold);
            break;
        }
    } else if (typeB == cn_capsule) {
        if (typeA == cn_capsule) {
            cnCollideCapsuleCapsule(pair, manifold);
        } else {
            cnCollidePolytopeCapsule(pair, manifold);
        }
    } else if (typeA == cn_box) {
        cnCollideBoxBox(pair, manifold);
    } else {
        cnCollidePolytopes(pair, manifold);
    }
}

// A pair in order, B seen from A, and what leads back.
typedef struct Ordered {
    cnShapePair pair;
    bool swapped;
    cnPose poseA, poseB;
    cnMat33 axesA, axesB;
} Ordered;

static Ordered OrderPair(const cnShape* shape1, cnPose pose1, const cnShape* shape2, cnPose pose2,
                         double margin, cnCollideCache* cache) {
    bool swapped = GetRank(shape1->type) < GetRank(shape2->type);
    Ordered o = {.swapped = swapped, .poseA = swapped ? pose2 : pose1, .poseB = swapped ? pose1 : pose2};
    o.pair = (cnShapePair){
        .a = swapped ? shape2 : shape1, .b = swapped ? shape1 : shape2, .margin = margin, .cache = cache};
    o.axesA = cnMatFromQuat(o.poseA.rotation);
    o.axesB = cnMatFromQuat(o.poseB.rotation);
    o.pair.pose.axes = (cnMat33){cnMulMatT(o.axesA, o.axesB.x), cnMulMatT(o.axesA, o.axesB.y),
                                 cnMulMatT(o.axesA, o.axesB.z)};
    o.pair.pose.position = cnMulMatT(o.axesA, cnSub(o.poseB.position, o.poseA.position));
    o.pair.size = cnMin(shape1->inradius, shape2->inradius);
    return o;
}

// To the world's axes about the centre of the smaller shape; rounded last.
static void BringToWorld(const Ordered* o, const cnLocalManifold* local, cnManifold* manifold) {
    const cnShapePair* pair = &o->pair;
    bool aIsSmaller = pair->a->boundingRadius < pair->b->boundingRadius;
    const cnShape* smaller = aIsSmaller ? pair->a : pair->b;
    cnVec3 centre = cnMulMat(aIsSmaller ? o->axesA : o->axesB, smaller->centre);
    manifold->origin = cnAdd(aIsSmaller ? o->poseA.position : o->poseB.position, centre);
    cnVec3 localOrigin = aIsSmaller ? smaller->centre : cnToA(&pair->pose, smaller->centre);
    cnVec3 normal = cnMulMat(o->axesA, local->normal);
    manifold->normal = cnToF(o->swapped ? normal : cnNeg(normal));
    manifold->pointCount = local->count;
    for (int i = 0; i < local->count; ++i) {
        manifold->points[i].point = cnToF(cnMulMat(o->axesA, cnSub(local->points[i].point, localOrigin)));
        manifold->points[i].depth = (float)local->points[i].depth;
        manifold->points[i].feature = local->points[i].feature;
    }
}

int cnCollideShapes(const cnShape* shape1, cnPose pose1, const cnShape* shape2, cnPose pose2, double margin,
                    cnCollideCache* cache, cnManifold* manifold) {
    manifold->pointCount = 0;
    if (!cnCanCollide(shape1->type, shape2->type)) {
        return 0;
    }
    Ordered ordered = OrderPair(shape1, pose1, shape2, pose2, margin, cache);
    cnLocalManifold local;
    local.count = 0;
    CollideOrdered(&ordered.pair, &local);
    if (local.count > 0) {
        BringToWorld(&ordered, &local, manifold);
    }
    return local.count;
}

static bool CollideConcaveOrdered(const cnShapePair* pair, cnCandidates* out) {
    return IsHollow(pair->a->type) ? cnCollideHollow(pair, out) : cnCollideMesh(pair, out);
}

int cnCollideConcaveShapes(const cnShape* shape1, cnPose pose1, const cnShape* shape2, cnPose pose2,
                           double margin, cnCandidates* scratch, cnManifold* manifolds) {
    if (!cnCanCollide(shape1->type, shape2->type)) {
        return 0;
    }
    cnCollideCache cache = {0};
    Ordered ordered = OrderPair(shape1, pose1, shape2, pose2, margin, &cache);
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

// The middle of a shape's bounds lies inside of it.
static bool IsSolidAboutItsCentre(cnShapeType type) {
    return type == cn_sphere || type == cn_box || type == cn_capsule || type == cn_cylinder ||
           type == cn_cone;
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
    if (hasSurface && closest.distance <= 0.0 && !isConcave && IsSolidAboutItsCentre(small->type)) {
        return 1;
    }
    if (isConcave) {
        Ordered ordered = OrderPair(shape1, pose1, shape2, pose2, 0.0, cache);
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
        if (manifold.points[i].depth >= 0.0f) {
            return 1;
        }
    }
    return 0;
}
