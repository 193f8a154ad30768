// The narrow phase's front door: orders a pair, calls its family, brings the result to the world's axes in f32.
#include "collide/collide.h"

#include "geometry/revolved.h"

// Order of A and B.
static int GetRank(cnShapeType type) {
    static const int ranks[cn_shapeTypeCount] = {
        [cn_line] = 0,     [cn_sphere] = 1, [cn_capsule] = 2,        [cn_box] = 3,        [cn_convex] = 4,
        [cn_cylinder] = 5, [cn_cone] = 6,   [cn_hollowCylinder] = 7, [cn_hollowCone] = 8, [cn_plane] = 9};
    return ranks[type];
}

bool cnCanCollide(cnShapeType type1, cnShapeType type2) {
    return type1 != cn_noShape && type2 != cn_noShape && !(type1 == cn_plane && type2 == cn_plane) &&
           !(type1 == cn_line && type2 == cn_line);
}

static void CollideOrdered(const cnPair* pair, cnLocalManifold* manifold) {
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
