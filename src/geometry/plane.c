// Half-spaces.
#include "geometry/shape_kinds.h"

cnBounds cnPlane_ComputeBounds(const cnShape* shape, cnPose pose) {
    // bounded only where the normal lies along an axis of the world
    cnVec3 normal = cnRotate(pose.rotation, shape->normal);
    double offset = shape->offset + cnDot(normal, pose.position);
    cnBounds bounds = {{-1e30, -1e30, -1e30}, {1e30, 1e30, 1e30}};
    const double flat = 1e-12;
    if (fabs(normal.y) < flat && fabs(normal.z) < flat) {
        *(normal.x > 0.0 ? &bounds.upper.x : &bounds.lower.x) = normal.x > 0.0 ? offset : -offset;
    } else if (fabs(normal.z) < flat && fabs(normal.x) < flat) {
        *(normal.y > 0.0 ? &bounds.upper.y : &bounds.lower.y) = normal.y > 0.0 ? offset : -offset;
    } else if (fabs(normal.x) < flat && fabs(normal.y) < flat) {
        *(normal.z > 0.0 ? &bounds.upper.z : &bounds.lower.z) = normal.z > 0.0 ? offset : -offset;
    }
    return bounds;
}

cnLocalRayHit cnPlane_CastRay(const cnShape* shape, cnVec3 origin, cnVec3 translation) {
    double height = cnDot(shape->normal, origin) - shape->offset;
    if (height <= 0.0) {
        return (cnLocalRayHit){.hit = true, .inside = true};
    }
    double sink = -cnDot(shape->normal, translation);
    if (sink < height) {
        return (cnLocalRayHit){0};
    }
    return (cnLocalRayHit){.hit = true, .fraction = height / sink, .normal = shape->normal};
}
