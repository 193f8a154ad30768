// Making shapes and asking them, whatever their kind.
#include "geometry/shape.h"

#include "base/containers/hash.h"
#include "base/report/assert.h"
#include "base/report/error.h"
#include "geometry/shapes/shape_kinds.h"

#include <stddef.h>
#include <string.h>

#define KIND(Name, word, ...) [cn_##word] = &cn##Name##Kind,

static const cnShapeKind* const kinds[cn_shapeTypeCount] = {CN_SHAPE_TYPES(KIND)};

void cnShape_Measure(cnShape* shape) {
    cnPose identity = {cnVec3_zero, cnQuat_identity};
    shape->bounds = cnShape_ComputeBounds(shape, identity);
    shape->centre = cnMulAdd(cnScale(0.5, shape->bounds.lower), 0.5, shape->bounds.upper);
    shape->kind->measure(shape);
}

cnErrorCode cnShape_Init(cnShape* shape, const cnShapeDef* def, const char* call) {
    bool known = def->type > cn_noShape && def->type < cn_shapeTypeCount && kinds[def->type] != NULL;
    *shape = (cnShape){.type = def->type, .kind = known ? kinds[def->type] : NULL};
    cnErrorCode code = known ? shape->kind->init(shape, def, call)
                             : cnFail(CN_ERROR_OUT_OF_RANGE, call, "type", "type is %d, allowed are 1 to %d",
                                      (int)def->type, (int)cn_shapeTypeCount - 1);
    if (code != CN_ERROR_NONE) {
        *shape = (cnShape){0};
        return code;
    }
    cnShape_Measure(shape);
    if (shape->kind->hasVolume && !(shape->mass.volume > 0.0)) {
        cnShape_Free(shape);
        return cnFail(CN_ERROR_DEGENERATE_SHAPE, call, "shape", "the shape is so small that its volume is 0");
    }
    return CN_ERROR_NONE;
}

bool cnShape_Complete(cnShape* shape) {
    bool known =
        (int)shape->type > cn_noShape && shape->type < cn_shapeTypeCount && kinds[shape->type] != NULL;
    if (!known) {
        return false;
    }
    shape->kind = kinds[shape->type];
    cnShape_Measure(shape);
    return !shape->kind->hasVolume || shape->mass.volume > 0.0;
}

void cnShape_Free(cnShape* shape) {
    if (shape->kind != NULL && shape->kind->free != NULL) {
        shape->kind->free(shape);
    }
    *shape = (cnShape){0};
}

// ---- dimensions -------------------------------------------------------------------------------------------

#define DIMENSIONS_BEGIN offsetof(cnShape, radius)
#define DIMENSION_COUNT 21
_Static_assert(offsetof(cnShape, hull) - DIMENSIONS_BEGIN == DIMENSION_COUNT * sizeof(double),
               "all doubles from the radius to the ends of a line");

typedef struct Dimensions {
    double numbers[DIMENSION_COUNT];
} Dimensions;

static Dimensions DimensionsOf(const cnShape* shape) {
    CN_ASSERT(cnShape_IsSimple(shape));
    Dimensions dimensions;
    memcpy(&dimensions, (const char*)shape + DIMENSIONS_BEGIN, sizeof dimensions);
    return dimensions;
}

bool cnShape_IsSimple(const cnShape* shape) {
    return shape->hull == NULL && shape->mesh == NULL && shape->field == NULL;
}

bool cnShape_IsSame(const cnShape* a, const cnShape* b) {
    Dimensions ofA = DimensionsOf(a), ofB = DimensionsOf(b);
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) equal to the bit is what is asked
    return a->type == b->type && memcmp(&ofA, &ofB, sizeof ofA) == 0;
}

uint64_t cnShape_HashDimensions(const cnShape* shape) {
    Dimensions dimensions = DimensionsOf(shape);
    cnHash hash = cnHash_Start();
    cnHash_AddU64(&hash, (uint64_t)shape->type);
    cnHash_AddDoubles(&hash, dimensions.numbers, DIMENSION_COUNT);
    return hash.value;
}

// ---- asking -----------------------------------------------------------------------------------------------

cnBounds cnShape_ComputeBounds(const cnShape* shape, cnPose pose) {
    return shape->kind->computeBounds(shape, pose);
}

cnLocalRayHit cnFindConvexCrossing(const cnShape* shape, cnVec3 origin, cnVec3 translation, double after) {
    cnLocalRayHit enter = shape->kind->castRay(shape, origin, translation);
    cnLocalRayHit leave = shape->kind->castRay(shape, cnAdd(origin, translation), cnNeg(translation));
    leave.fraction = 1.0 - leave.fraction;
    bool enters = enter.hit && !enter.inside;
    bool leaves = leave.hit && !leave.inside;
    if (enters && leaves && enter.fraction >= leave.fraction) {
        return (cnLocalRayHit){0}; // touched only
    }
    if (enters && enter.fraction > after) {
        return enter;
    }
    return leaves && leave.fraction > after ? leave : (cnLocalRayHit){0};
}

// The first hit, or the first crossing beyond `after`.
static cnRayHit Cast(const cnShape* shape, cnPose pose, cnVec3 origin, cnVec3 translation,
                     const double* after) {
    // to the shape's frame
    cnVec3 localOrigin = cnInvTransformPoint(pose, origin);
    cnVec3 localTranslation = cnInvRotate(pose.rotation, translation);
    const cnShapeKind* kind = shape->kind;
    cnLocalRayHit local;
    if (after == NULL) {
        local = kind->castRay(shape, localOrigin, localTranslation);
    } else if (kind->findCrossing != NULL) {
        local = kind->findCrossing(shape, localOrigin, localTranslation, *after);
    } else {
        local = cnFindConvexCrossing(shape, localOrigin, localTranslation, *after);
    }

    // and back
    cnRayHit hit = {.hit = local.hit, .fraction = local.fraction, .triangle = local.triangle - 1};
    if (local.hit) {
        hit.point = cnMulAdd(origin, local.fraction, translation);
        hit.normal = cnNormalize(local.inside ? cnNeg(translation) : cnRotate(pose.rotation, local.normal));
    }
    return hit;
}

cnRayHit cnShape_CastRay(const cnShape* shape, cnPose pose, cnVec3 origin, cnVec3 translation) {
    return Cast(shape, pose, origin, translation, NULL);
}

cnRayHit cnShape_FindCrossing(const cnShape* shape, cnPose pose, cnVec3 origin, cnVec3 translation,
                              double after) {
    return Cast(shape, pose, origin, translation, &after);
}

bool cnShape_FindClosest(const cnShape* shape, cnVec3 point, double reach, cnSurfacePoint* out) {
    return shape->kind->findClosest != NULL && shape->kind->findClosest(shape, point, reach, out);
}

void cnShape_FindSurface(const cnShape* shape, cnVec3 point, cnSurfacePoint* out) {
    if (shape->kind->findSurface != NULL) {
        shape->kind->findSurface(shape, point, out);
        return;
    }
    bool found = shape->kind->findClosest(shape, point, INFINITY, out);
    CN_ASSERT(found);
    (void)found;
}

size_t cnShape_GetBytes(const cnShape* shape) {
    return shape->kind->getBytes != NULL ? shape->kind->getBytes(shape) : 0;
}
