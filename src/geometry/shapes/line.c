// Lines: from a start to an end, met by what is solid; they have no surface of their own.
#include "geometry/distance.h"
#include "geometry/shapes/shape_checks.h"
#include "geometry/shapes/shape_kinds.h"

static cnErrorCode Init(cnShape* shape, const cnShapeDef* def, const char* call) {
    shape->start = def->start;
    shape->end = def->end;
    cnErrorCode code = cnCheckLengths(def->start, call, "start");
    code = code != CN_ERROR_NONE ? code : cnCheckLengths(def->end, call, "end");
    if (code == CN_ERROR_NONE && !(cnLength(cnSub(def->end, def->start)) > 0.0)) {
        code = cnFail(CN_ERROR_OUT_OF_RANGE, call, "end",
                      "end is (%g, %g, %g) as start is, the line must have a length", def->end.x, def->end.y,
                      def->end.z);
    }
    return code;
}

// Its thinness says nothing of how deep things may sink: they meet it at any depth.
static void Measure(cnShape* shape) {
    shape->boundingRadius = 0.5 * cnLength(cnSub(shape->end, shape->start));
    shape->inradius = CN_LARGEST_LENGTH;
}

static cnBounds ComputeBounds(const cnShape* shape, cnPose pose) {
    cnVec3 start = cnTransformPoint(pose, shape->start);
    cnVec3 end = cnTransformPoint(pose, shape->end);
    return (cnBounds){cnMinVec(start, end), cnMaxVec(start, end)};
}

static cnLocalRayHit CastRay(const cnShape* shape, cnVec3 origin, cnVec3 translation) {
    (void)shape;
    (void)origin;
    (void)translation;
    return (cnLocalRayHit){0};
}

// The nearest point of the line; on it the normal is some direction across.
static void FindSurface(const cnShape* shape, cnVec3 point, cnSurfacePoint* out) {
    cnVec3 along = cnSub(shape->end, shape->start);
    double t = cnFindClosestOnSegment(shape->start, along, point);
    *out = (cnSurfacePoint){.point = cnMulAdd(shape->start, t, along)};
    cnVec3 between = cnSub(point, out->point);
    out->distance = cnLength(between);
    if (out->distance > 0.0) {
        out->normal = cnScale(1.0 / out->distance, between);
        return;
    }
    cnVec3 size = cnAbs(along);
    bool isX = size.x <= size.y && size.x <= size.z;
    cnVec3 other =
        cnVec(isX ? 1.0 : 0.0, !isX && size.y <= size.z ? 1.0 : 0.0, !isX && size.y > size.z ? 1.0 : 0.0);
    out->normal = cnNormalize(cnCross(along, other));
}

const cnShapeKind cnLineKind = {
    Init, Measure, ComputeBounds, CastRay, NULL, .findSurface = FindSurface, .hasVolume = false};
