// Balls against balls, boxes and hulls: closed forms.
#include "collide/narrow/collide.h"
#include "geometry/shapes/shape_kinds.h"

// The contact of two balls about points; coincident centres part along y.
static void CollideBalls(const cnShapePair* pair, cnVec3 centreA, cnVec3 centreB, cnLocalManifold* manifold) {
    double radiusA = pair->a->radius, radiusB = pair->b->radius;
    cnVec3 between = cnSub(centreB, centreA);
    double distance = cnLength(between);
    double separation = distance - radiusA - radiusB;
    if (separation > pair->margin) {
        cnSetGap(pair, separation, cnScale(1.0 / distance, between));
        return;
    }
    manifold->normal = distance > 0.0 ? cnScale(1.0 / distance, between) : cnVec(0.0, 1.0, 0.0);
    cnAddLocalPoint(manifold, cnMulAdd(centreA, radiusA, manifold->normal), separation, 0);
}

void cnCollideSphereSphere(const cnShapePair* pair, cnLocalManifold* manifold) {
    CollideBalls(pair, cnVec3_zero, pair->pose.position, manifold);
}

void cnCollideCapsuleSphere(const cnShapePair* pair, cnLocalManifold* manifold) {
    cnVec3 centre = pair->pose.position;
    cnVec3 onAxis = cnVec(0.0, cnClamp(centre.y, -pair->a->halfHeight, pair->a->halfHeight), 0.0);
    CollideBalls(pair, onAxis, centre, manifold);
    if (manifold->count > 0 && cnLength(cnSub(centre, onAxis)) == 0.0) {
        // on the axis: out sideways
        manifold->normal = cnVec(1.0, 0.0, 0.0);
        manifold->count = 0;
        cnAddLocalPoint(manifold, cnVec(pair->a->radius, onAxis.y, 0.0), -pair->a->radius - pair->b->radius,
                        0);
    }
}

void cnCollideBoxSphere(const cnShapePair* pair, cnLocalManifold* manifold) {
    cnVec3 half = pair->a->halfExtents, point = pair->pose.position;
    double radius = pair->b->radius;
    cnVec3 nearest = cnVec(cnClamp(point.x, -half.x, half.x), cnClamp(point.y, -half.y, half.y),
                           cnClamp(point.z, -half.z, half.z));
    cnVec3 between = cnSub(point, nearest);
    double distance = cnLength(between);
    if (distance > 0.0) {
        double separation = distance - radius;
        cnVec3 normal = cnScale(1.0 / distance, between);
        if (separation > pair->margin) {
            cnSetGap(pair, separation, normal);
            return;
        }
        manifold->normal = normal;
        cnAddLocalPoint(manifold, nearest, separation, 0);
        return;
    }

    // inside: out through the nearest face
    double gapX = half.x - fabs(point.x), gapY = half.y - fabs(point.y), gapZ = half.z - fabs(point.z);
    double gap;
    if (gapX <= gapY && gapX <= gapZ) {
        gap = gapX;
        manifold->normal = cnVec(point.x < 0.0 ? -1.0 : 1.0, 0.0, 0.0);
    } else if (gapY <= gapZ) {
        gap = gapY;
        manifold->normal = cnVec(0.0, point.y < 0.0 ? -1.0 : 1.0, 0.0);
    } else {
        gap = gapZ;
        manifold->normal = cnVec(0.0, 0.0, point.z < 0.0 ? -1.0 : 1.0);
    }
    cnAddLocalPoint(manifold, cnMulAdd(point, gap, manifold->normal), -gap - radius, 0);
}

void cnCollideConvexSphere(const cnShapePair* pair, cnLocalManifold* manifold) {
    double radius = pair->b->radius;
    cnSurfacePoint closest;
    bool isNear = cnHull_FindClosest(pair->a->hull, pair->pose.position, radius + pair->margin, &closest);
    double separation = closest.distance - radius; // out of reach: from a face, so much at least
    if (!isNear || separation > pair->margin) {
        cnSetGap(pair, separation, closest.normal);
        return;
    }
    manifold->normal = closest.normal;
    cnAddLocalPoint(manifold, closest.point, separation, 0);
}
