// Making shapes and asking them, whatever their kind.
#include "geometry/shape.h"

#include "base/error.h"
#include "geometry/shape_kinds.h"

#include <stdio.h>

#define LARGEST 1e30

// A length that must be finite, below 1e30 and above 0 (or not below).
static cnErrorCode CheckLength(double value, double least, const char* call, const char* argument) {
    if (!cnIsFinite(value)) {
        return cnFail(CN_ERROR_NOT_FINITE, call, argument, "%s is %g m, must be finite", argument, value);
    }
    if (value < least || (least > 0.0 && value == 0.0)) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, argument, "%s is %g m, allowed is %s 0", argument, value,
                      least > 0.0 ? ">" : ">=");
    }
    if (value > LARGEST) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, argument, "%s is %g m, allowed is up to 1e30", argument,
                      value);
    }
    return CN_ERROR_NONE;
}

// A vector whose components must be finite and at most 1e30 in size.
static cnErrorCode CheckVector(cnVec3 value, const char* call, const char* argument) {
    if (!cnIsFiniteVec(value)) {
        return cnFail(CN_ERROR_NOT_FINITE, call, argument, "%s is (%g, %g, %g), must be finite", argument,
                      value.x, value.y, value.z);
    }
    if (fabs(value.x) > LARGEST || fabs(value.y) > LARGEST || fabs(value.z) > LARGEST) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, argument,
                      "%s is (%g, %g, %g), allowed are magnitudes up to 1e30", argument, value.x, value.y,
                      value.z);
    }
    return CN_ERROR_NONE;
}

// The least positive double: what lengths that must not be 0 are compared with.
#define POSITIVE 5e-324

static cnErrorCode InitBox(cnShape* shape, const cnShapeDef* def, const char* call) {
    cnErrorCode code = CheckLength(def->halfExtents.x, POSITIVE, call, "halfExtents.x");
    code = code != CN_ERROR_NONE ? code : CheckLength(def->halfExtents.y, POSITIVE, call, "halfExtents.y");
    code = code != CN_ERROR_NONE ? code : CheckLength(def->halfExtents.z, POSITIVE, call, "halfExtents.z");
    shape->halfExtents = def->halfExtents;
    shape->leastHalfExtent = cnMin(def->halfExtents.x, cnMin(def->halfExtents.y, def->halfExtents.z));
    return code;
}

static cnErrorCode InitCapsule(cnShape* shape, const cnShapeDef* def, const char* call) {
    cnErrorCode code = CheckLength(def->radius, POSITIVE, call, "radius");
    code = code != CN_ERROR_NONE ? code : CheckLength(def->height, 0.0, call, "height");
    shape->radius = def->radius;
    shape->halfHeight = 0.5 * def->height;
    shape->leastHalfExtent = def->radius;
    return code;
}

static cnErrorCode InitPlane(cnShape* shape, const cnShapeDef* def, const char* call) {
    cnErrorCode code = CheckVector(def->normal, call, "normal");
    if (code != CN_ERROR_NONE) {
        return code;
    }
    if (!cnIsFinite(def->offset)) {
        return cnFail(CN_ERROR_NOT_FINITE, call, "offset", "offset is %g m, must be finite", def->offset);
    }
    if (fabs(def->offset) > LARGEST) {
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
    shape->leastHalfExtent = LARGEST;
    return CN_ERROR_NONE;
}

static cnErrorCode InitConvex(cnShape* shape, const cnShapeDef* def, const char* call) {
    for (int i = 0; def->points != NULL && i < def->pointCount; ++i) {
        char argument[32];
        snprintf(argument, sizeof argument, "points[%d]", i);
        cnErrorCode code = CheckVector(def->points[i], call, argument);
        if (code != CN_ERROR_NONE) {
            return code;
        }
    }
    cnErrorCode code = cnHull_Build(&shape->hull, def->points, def->pointCount, call);
    if (code == CN_ERROR_NONE) {
        shape->leastHalfExtent = cnConvex_ComputeLeastHalfWidth(shape);
    }
    return code;
}

// What follows from the kind's own numbers.
static void Measure(cnShape* shape) {
    cnPose identity = {cnVec3_zero, cnQuat_identity};
    shape->bounds = cnShape_ComputeBounds(shape, identity);
    shape->centre = cnMulAdd(cnScale(0.5, shape->bounds.lower), 0.5, shape->bounds.upper);
    switch (shape->type) {
    case cn_sphere:
        shape->boundingRadius = shape->radius;
        cnSphere_ComputeMass(shape, &shape->mass);
        break;
    case cn_box:
        shape->boundingRadius = cnLength(shape->halfExtents);
        cnBox_ComputeMass(shape, &shape->mass);
        break;
    case cn_capsule:
        shape->boundingRadius = shape->radius + shape->halfHeight;
        cnCapsule_ComputeMass(shape, &shape->mass);
        break;
    case cn_convex:
        for (int i = 0; i < shape->hull->vertexCount; ++i) {
            double distance = cnLength(cnSub(shape->hull->vertices[i], shape->centre));
            shape->boundingRadius = cnMax(shape->boundingRadius, distance);
        }
        cnConvex_ComputeMass(shape, &shape->mass);
        break;
    default:
        shape->boundingRadius = LARGEST;
        shape->centre = cnScale(shape->offset, shape->normal);
        break;
    }
}

cnErrorCode cnShape_Init(cnShape* shape, const cnShapeDef* def, const char* call) {
    *shape = (cnShape){.type = def->type};
    cnErrorCode code;
    switch (def->type) {
    case cn_sphere:
        code = CheckLength(def->radius, POSITIVE, call, "radius");
        shape->radius = def->radius;
        shape->leastHalfExtent = def->radius;
        break;
    case cn_box:
        code = InitBox(shape, def, call);
        break;
    case cn_capsule:
        code = InitCapsule(shape, def, call);
        break;
    case cn_plane:
        code = InitPlane(shape, def, call);
        break;
    case cn_convex:
        code = InitConvex(shape, def, call);
        break;
    default:
        code = cnFail(CN_ERROR_OUT_OF_RANGE, call, "type", "type is %d, allowed are 1 to %d", (int)def->type,
                      (int)cn_shapeTypeCount - 1);
        break;
    }
    if (code != CN_ERROR_NONE) {
        *shape = (cnShape){0};
        return code;
    }
    Measure(shape);
    if (shape->type != cn_plane && !(shape->mass.volume > 0.0)) {
        cnShape_Free(shape);
        return cnFail(CN_ERROR_DEGENERATE_SHAPE, call, "shape", "the shape is so small that its volume is 0");
    }
    return CN_ERROR_NONE;
}

void cnShape_Free(cnShape* shape) {
    cnHull_Free(shape->hull);
    *shape = (cnShape){0};
}

cnBounds cnShape_ComputeBounds(const cnShape* shape, cnPose pose) {
    switch (shape->type) {
    case cn_sphere:
        return cnSphere_ComputeBounds(shape, pose);
    case cn_box:
        return cnBox_ComputeBounds(shape, pose);
    case cn_capsule:
        return cnCapsule_ComputeBounds(shape, pose);
    case cn_convex:
        return cnConvex_ComputeBounds(shape, pose);
    default:
        return cnPlane_ComputeBounds(shape, pose);
    }
}

cnRayHit cnShape_CastRay(const cnShape* shape, cnPose pose, cnVec3 origin, cnVec3 translation) {
    // to the shape's frame
    cnVec3 localOrigin = cnInvTransformPoint(pose, origin);
    cnVec3 localTranslation = cnInvRotate(pose.rotation, translation);
    cnLocalRayHit local;
    switch (shape->type) {
    case cn_sphere:
        local = cnSphere_CastRay(shape, localOrigin, localTranslation);
        break;
    case cn_box:
        local = cnBox_CastRay(shape, localOrigin, localTranslation);
        break;
    case cn_capsule:
        local = cnCapsule_CastRay(shape, localOrigin, localTranslation);
        break;
    case cn_convex:
        local = cnConvex_CastRay(shape, localOrigin, localTranslation);
        break;
    default:
        local = cnPlane_CastRay(shape, localOrigin, localTranslation);
        break;
    }

    // and back
    cnRayHit hit = {.hit = local.hit, .fraction = local.fraction};
    if (local.hit) {
        hit.point = cnMulAdd(origin, local.fraction, translation);
        hit.normal = cnNormalize(local.inside ? cnNeg(translation) : cnRotate(pose.rotation, local.normal));
    }
    return hit;
}

size_t cnShape_GetBytes(const cnShape* shape) {
    return shape->hull != NULL ? shape->hull->bytes : 0;
}
