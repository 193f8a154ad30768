// Balls.
#include "geometry/shapes/shape_checks.h"
#include "geometry/shapes/shape_kinds.h"

static cnErrorCode Init(cnShape* shape, const cnShapeDef* def, const char* call) {
    shape->radius = def->radius;
    return cnCheckPositiveLength(def->radius, call, "radius");
}

static cnBounds ComputeBounds(const cnShape* shape, cnPose pose) {
    cnVec3 half = cnVec(shape->radius, shape->radius, shape->radius);
    return (cnBounds){cnSub(pose.position, half), cnAdd(pose.position, half)};
}

static void ComputeMass(const cnShape* shape, cnMassProperties* mass) {
    double r = shape->radius;
    double volume = 4.0 / 3.0 * CN_PI * r * r * r;
    double moment = 0.4 * volume * r * r;
    *mass = (cnMassProperties){volume, volume, cnVec3_zero, cnDiagonal(cnVec(moment, moment, moment))};
}

static void Measure(cnShape* shape) {
    shape->boundingRadius = shape->inradius = shape->radius;
    ComputeMass(shape, &shape->mass);
}

cnLocalRayHit cnCastRayAtBall(cnVec3 centre, double radius, cnVec3 origin, cnVec3 translation) {
    cnLocalRayHit hit = {0};
    cnVec3 start = cnSub(origin, centre);
    if (cnLength(start) <= radius) {
        hit.hit = hit.inside = true;
        return hit;
    }
    double length = cnLength(translation);
    if (!(length > 0.0)) {
        return hit;
    }

    // from the point of the line next to the centre, so that far origins lose nothing to cancellation
    cnVec3 direction = cnScale(1.0 / length, translation);
    double along = -cnDot(start, direction);
    cnVec3 nearest = cnMulAdd(start, along, direction);
    double halfChordSquared = radius * radius - cnLengthSquared(nearest);
    if (halfChordSquared < 0.0) {
        return hit;
    }
    double distance = along - sqrt(halfChordSquared);
    if (distance < 0.0 || distance > length) {
        return hit;
    }
    hit.hit = true;
    hit.fraction = distance / length;
    hit.normal = cnNormalize(cnMulAdd(nearest, distance - along, direction));
    return hit;
}

cnSurfacePoint cnFindClosestOnBall(cnVec3 centre, double radius, cnVec3 fallback, cnVec3 point) {
    cnVec3 between = cnSub(point, centre);
    double distance = cnLength(between);
    cnVec3 normal = distance > 0.0 ? cnScale(1.0 / distance, between) : fallback;
    return (cnSurfacePoint){cnMulAdd(centre, radius, normal), normal, distance - radius, 0};
}

static cnLocalRayHit CastRay(const cnShape* shape, cnVec3 origin, cnVec3 translation) {
    return cnCastRayAtBall(cnVec3_zero, shape->radius, origin, translation);
}

static bool FindClosest(const cnShape* shape, cnVec3 point, double reach, cnSurfacePoint* out) {
    *out = cnFindClosestOnBall(cnVec3_zero, shape->radius, cnVec(0.0, 1.0, 0.0), point);
    return fabs(out->distance) <= reach;
}

const cnShapeKind cnSphereKind = {Init, Measure, ComputeBounds, CastRay, FindClosest, .hasVolume = true};
