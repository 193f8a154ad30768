// Capsules: all points within the radius of a segment along y.
#include "geometry/shapes/shape_checks.h"
#include "geometry/shapes/shape_kinds.h"

static cnErrorCode Init(cnShape* shape, const cnShapeDef* def, const char* call) {
    shape->radius = def->radius;
    shape->halfHeight = 0.5 * def->height;
    cnErrorCode code = cnCheckPositiveLength(def->radius, call, "radius");
    return code != CN_ERROR_NONE ? code : cnCheckLength(def->height, call, "height");
}

static cnBounds ComputeBounds(const cnShape* shape, cnPose pose) {
    cnVec3 axis = cnRotate(pose.rotation, cnVec(0.0, shape->halfHeight, 0.0));
    cnVec3 half = cnAdd(cnAbs(axis), cnVec(shape->radius, shape->radius, shape->radius));
    return (cnBounds){cnSub(pose.position, half), cnAdd(pose.position, half)};
}

static void ComputeMass(const cnShape* shape, cnMassProperties* mass) {
    double r = shape->radius;
    double h = shape->halfHeight;
    double cylinder = CN_PI * r * r * 2.0 * h;
    double ball = 4.0 / 3.0 * CN_PI * r * r * r;

    // half balls: about the cylinder's centre, each with its centroid 3/8 r beyond the cylinder's end
    double axial = cylinder * 0.5 * r * r + ball * 0.4 * r * r;
    double lateral = cylinder * (0.25 * r * r + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
    *mass = (cnMassProperties){cylinder + ball, cylinder + ball, cnVec3_zero,
                               cnDiagonal(cnVec(lateral, axial, lateral))};
}

static void Measure(cnShape* shape) {
    shape->boundingRadius = shape->radius + shape->halfHeight;
    shape->inradius = shape->radius;
    ComputeMass(shape, &shape->mass);
}

static cnLocalRayHit CastRay(const cnShape* shape, cnVec3 origin, cnVec3 translation) {
    double r = shape->radius;
    double h = shape->halfHeight;

    // inside?
    cnVec3 fromAxis = cnVec(origin.x, origin.y - cnClamp(origin.y, -h, h), origin.z);
    if (cnLength(fromAxis) <= r) {
        return (cnLocalRayHit){.hit = true, .inside = true};
    }

    // the side of the cylinder, in the plane across it
    double length = sqrt(translation.x * translation.x + translation.z * translation.z);
    if (length > 0.0) {
        double dx = translation.x / length, dz = translation.z / length;
        double along = -(origin.x * dx + origin.z * dz);
        double nx = origin.x + along * dx, nz = origin.z + along * dz;
        double halfChordSquared = r * r - nx * nx - nz * nz;
        if (halfChordSquared < 0.0) {
            return (cnLocalRayHit){0};
        }
        double distance = along - sqrt(halfChordSquared);
        double fraction = distance / length;
        double y = origin.y + fraction * translation.y;
        if (fraction >= 0.0 && fraction <= 1.0 && fabs(y) <= h) {
            cnVec3 normal =
                cnNormalize(cnVec(nx + (distance - along) * dx, 0.0, nz + (distance - along) * dz));
            return (cnLocalRayHit){.hit = true, .fraction = fraction, .normal = normal};
        }
    }

    // the balls at both ends
    cnLocalRayHit lower = cnCastRayAtBall(cnVec(0.0, -h, 0.0), r, origin, translation);
    cnLocalRayHit upper = cnCastRayAtBall(cnVec(0.0, h, 0.0), r, origin, translation);
    return !upper.hit || (lower.hit && lower.fraction <= upper.fraction) ? lower : upper;
}

// Features: the side, the lower and the upper end.
static bool FindClosest(const cnShape* shape, cnVec3 point, double reach, cnSurfacePoint* out) {
    double y = cnClamp(point.y, -shape->halfHeight, shape->halfHeight);
    *out = cnFindClosestOnBall(cnVec(0.0, y, 0.0), shape->radius, cnVec(1.0, 0.0, 0.0), point);
    out->feature = point.y < y ? 1 : point.y > y ? 2 : 0;
    return fabs(out->distance) <= reach;
}

const cnShapeKind cnCapsuleKind = {Init, Measure, ComputeBounds, CastRay, FindClosest, .hasVolume = true};
