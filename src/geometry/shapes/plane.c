// Half-spaces.
#include "geometry/shapes/shape_checks.h"
#include "geometry/shapes/shape_kinds.h"

static cnErrorCode Init(cnShape* shape, const cnShapeDef* def, const char* call) {
    cnErrorCode code = cnCheckLengths(def->normal, call, "normal");
    if (code != CN_ERROR_NONE) {
        return code;
    }
    if (!cnIsFinite(def->offset)) {
        return cnFail(CN_ERROR_NOT_FINITE, call, "offset", "offset is %g m, must be finite", def->offset);
    }
    if (fabs(def->offset) > CN_LARGEST_LENGTH) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "offset",
                      "offset is %g m, allowed are magnitudes up to 1e30", def->offset);
    }

    // by its largest component first, so that no square under- or overflows
    cnVec3 size = cnAbs(def->normal);
    double largest = cnMax(size.x, cnMax(size.y, size.z));
    if (!(largest > 0.0)) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "normal", "normal is (0, 0, 0), its length must be > 0");
    }
    cnVec3 scaled = cnVec(def->normal.x / largest, def->normal.y / largest, def->normal.z / largest);
    shape->normal = cnNormalize(scaled);
    shape->offset = def->offset;
    return CN_ERROR_NONE;
}

static void Measure(cnShape* shape) {
    shape->boundingRadius = shape->inradius = CN_LARGEST_LENGTH;
    shape->centre = cnScale(shape->offset, shape->normal);
}

static cnBounds ComputeBounds(const cnShape* shape, cnPose pose) {
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

static cnLocalRayHit CastRay(const cnShape* shape, cnVec3 origin, cnVec3 translation) {
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

static bool FindClosest(const cnShape* shape, cnVec3 point, double reach, cnSurfacePoint* out) {
    double height = cnDot(shape->normal, point) - shape->offset;
    *out = (cnSurfacePoint){cnMulAdd(point, -height, shape->normal), shape->normal, height, 0};
    return fabs(height) <= reach;
}

const cnShapeKind cnPlaneKind = {Init, Measure, ComputeBounds, CastRay, FindClosest, .hasVolume = false};
