// Convex hulls as shapes.
#include "geometry/shape_kinds.h"

// From this size on, climbing along edges beats looking at every vertex.
#define CLIMB_FROM 64

cnBounds cnConvex_ComputeBounds(const cnShape* shape, cnPose pose) {
    const cnHull* hull = shape->hull;
    cnMat33 axes = cnMatFromQuat(pose.rotation);
    cnVec3 lower = cnMulMat(axes, hull->vertices[0]);
    cnVec3 upper = lower;
    for (int i = 1; i < hull->vertexCount; ++i) {
        cnVec3 vertex = cnMulMat(axes, hull->vertices[i]);
        lower = cnMinVec(lower, vertex);
        upper = cnMaxVec(upper, vertex);
    }
    return (cnBounds){cnAdd(pose.position, lower), cnAdd(pose.position, upper)};
}

void cnConvex_ComputeMass(const cnShape* shape, cnMassProperties* mass) {
    *mass = (cnMassProperties){0};
    cnHull_ComputeMass(shape->hull, &mass->volume, &mass->centre, &mass->inertia);
    mass->mass = mass->volume;
}

double cnConvex_ComputeLeastHalfWidth(const cnShape* shape) {
    const cnHull* hull = shape->hull;
    double least = INFINITY;
    int support = 0;
    for (int face = 0; face < hull->faceCount; ++face) {
        cnVec3 back = cnNeg(hull->planes[face].normal);
        support = hull->vertexCount < CLIMB_FROM ? cnHull_GetSupport(hull, back) : cnHull_ClimbToSupport(hull, back, support);
        least = cnMin(least, hull->planes[face].offset + cnDot(back, hull->vertices[support]));
    }
    return 0.5 * least;
}

cnLocalRayHit cnConvex_CastRay(const cnShape* shape, cnVec3 origin, cnVec3 translation) {
    // cut the segment by all faces (Cyrus & Beck 1978)
    const cnHull* hull = shape->hull;
    double enter = -1.0;
    double leave = 1.0;
    int enterFace = -1;
    for (int face = 0; face < hull->faceCount; ++face) {
        const cnHullPlane* plane = hull->planes + face;
        double height = cnDot(plane->normal, origin) - plane->offset;
        double rise = cnDot(plane->normal, translation);
        if (rise < 0.0) {
            double fraction = -height / rise;
            if (height > 0.0 && fraction > enter) {
                enter = fraction;
                enterFace = face;
            }
        } else if (height > 0.0) {
            return (cnLocalRayHit){0};
        } else if (rise > 0.0) {
            leave = cnMin(leave, -height / rise);
        }
    }
    if (enterFace < 0) {
        return (cnLocalRayHit){.hit = true, .inside = true};
    }
    if (enter > leave) {
        return (cnLocalRayHit){0};
    }
    return (cnLocalRayHit){.hit = true, .fraction = enter, .normal = hull->planes[enterFace].normal};
}
