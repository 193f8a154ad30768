// The narrow phase's front door: orders a pair, calls its family, brings the result to the world's axes in f32.
#include "collide/collide.h"

// Order of A and B.
static int GetRank(cnShapeType type) {
    static const int ranks[cn_shapeTypeCount] = {
        [cn_sphere] = 1, [cn_capsule] = 2, [cn_box] = 3, [cn_convex] = 4, [cn_plane] = 5};
    return ranks[type];
}

bool cnCanCollide(cnShapeType type1, cnShapeType type2) {
    return type1 != cn_noShape && type2 != cn_noShape && !(type1 == cn_plane && type2 == cn_plane);
}

static void CollideOrdered(const cnPair* pair, cnLocalManifold* manifold) {
    cnShapeType typeA = pair->a->type;
    cnShapeType typeB = pair->b->type;
    if (typeA == cn_plane) {
        cnCollidePlane(pair, manifold);
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

int cnCollideShapes(const cnShape* shape1, cnPose pose1, const cnShape* shape2, cnPose pose2, double margin,
                    cnCollideCache* cache, cnManifold* manifold) {
    manifold->pointCount = 0;
    if (!cnCanCollide(shape1->type, shape2->type)) {
        return 0;
    }

    // order the pair; see B from A
    bool swapped = GetRank(shape1->type) < GetRank(shape2->type);
    const cnShape* a = swapped ? shape2 : shape1;
    const cnShape* b = swapped ? shape1 : shape2;
    cnPose poseA = swapped ? pose2 : pose1;
    cnPose poseB = swapped ? pose1 : pose2;
    cnMat33 axesA = cnMatFromQuat(poseA.rotation);
    cnMat33 axesB = cnMatFromQuat(poseB.rotation);
    cnPair pair = {.a = a, .b = b, .margin = margin, .cache = cache};
    pair.pose.axes =
        (cnMat33){cnMulMatT(axesA, axesB.x), cnMulMatT(axesA, axesB.y), cnMulMatT(axesA, axesB.z)};
    pair.pose.position = cnMulMatT(axesA, cnSub(poseB.position, poseA.position));
    pair.size = cnMin(a->leastHalfExtent, b->leastHalfExtent);

    cnLocalManifold local;
    local.count = 0;
    CollideOrdered(&pair, &local);
    if (local.count == 0) {
        return 0;
    }

    // to the world's axes about the centre of the smaller shape; rounded last
    bool aIsSmaller = a->boundingRadius < b->boundingRadius;
    const cnShape* smaller = aIsSmaller ? a : b;
    cnVec3 centre = cnMulMat(aIsSmaller ? axesA : axesB, smaller->centre);
    manifold->origin = cnAdd(aIsSmaller ? poseA.position : poseB.position, centre);
    cnVec3 localOrigin = aIsSmaller ? smaller->centre : cnToA(&pair.pose, smaller->centre);
    cnVec3 normal = cnMulMat(axesA, local.normal);
    manifold->normal = cnToF(swapped ? normal : cnNeg(normal));
    manifold->pointCount = local.count;
    for (int i = 0; i < local.count; ++i) {
        manifold->points[i].point = cnToF(cnMulMat(axesA, cnSub(local.points[i].point, localOrigin)));
        manifold->points[i].depth = (float)local.points[i].depth;
        manifold->points[i].feature = local.points[i].feature;
    }
    return local.count;
}

// The middle of a shape's bounds lies inside of it.
static bool IsSolidAboutItsCentre(cnShapeType type) {
    return type == cn_sphere || type == cn_box || type == cn_capsule || type == cn_cylinder ||
           type == cn_cone;
}

bool cnDoShapesOverlap(const cnShape* shape1, cnPose pose1, const cnShape* shape2, cnPose pose2,
                       cnCollideCache* cache) {
    // the smaller one's centre in the larger one's frame
    bool firstIsSmaller = shape1->boundingRadius < shape2->boundingRadius;
    const cnShape* small = firstIsSmaller ? shape1 : shape2;
    const cnShape* large = firstIsSmaller ? shape2 : shape1;
    cnPose smallPose = firstIsSmaller ? pose1 : pose2, largePose = firstIsSmaller ? pose2 : pose1;
    cnVec3 centre = cnInvTransformPoint(largePose, cnTransformPoint(smallPose, small->centre));
    cnSurfacePoint closest;
    bool hasSurface = cnShape_FindClosest(large, centre, 1e30, &closest);

    // far out, or with its middle inside; else ask for contacts
    if (hasSurface && closest.distance > small->boundingRadius) {
        return false;
    }
    if (hasSurface && closest.distance <= 0.0 && IsSolidAboutItsCentre(small->type)) {
        return true;
    }
    cnManifold manifold;
    int count = cnCollideShapes(shape1, pose1, shape2, pose2, 0.0, cache, &manifold);
    for (int i = 0; i < count; ++i) {
        if (manifold.points[i].depth >= 0.0f) {
            return true;
        }
    }
    return false;
}
