// Support mappings of every convex shape.
#include "geometry/support.h"

#include "geometry/shape_forms.h"

cnSupportShape cnSupportShape_FromCorners(const cnVec3* corners, int count, double radius) {
    cnSupportShape support = {.kind = cn_supportCorners, .radius = radius};
    support.corners.vertices = corners;
    support.corners.vertexCount = count;
    cnVec3 lower = corners[0], upper = corners[0];
    for (int i = 1; i < count; ++i) {
        lower = cnMinVec(lower, corners[i]);
        upper = cnMaxVec(upper, corners[i]);
    }
    support.centre = cnMulAdd(cnScale(0.5, lower), 0.5, upper);
    support.size = 0.5 * cnLength(cnSub(upper, lower)) + radius;
    return support;
}

bool cnSupportShape_Init(cnSupportShape* support, const cnShape* shape) {
    const cnRevolvedProfile* profile = &shape->profile;
    *support = (cnSupportShape){.kind = cn_supportBox};
    if (cnShape_Is(shape, cn_formRevolved)) {
        support->kind = cn_supportRevolved;
        support->lower = profile->lower;
        support->upper = profile->upper;
        support->radiusLower = profile->outerLower;
        support->radiusUpper = profile->outerUpper;
        support->centre.y = 0.5 * (profile->lower + profile->upper);
        support->size =
            cnMax(profile->outerLower, profile->outerUpper) + 0.5 * (profile->upper - profile->lower);
        return true;
    }
    if (shape->hull != NULL) {
        *support = cnSupportShape_FromCorners(shape->hull->vertices, shape->hull->vertexCount, 0.0);
        support->corners = cnPolytope_FromHull(shape->hull);
        return true;
    }
    if (cnShape_Is(shape, cn_formRound)) {
        support->radius = shape->radius;
        support->halfExtents.y = shape->halfHeight;
    } else if (cnShape_Is(shape, cn_formPolytope)) {
        support->halfExtents = shape->halfExtents;
    } else {
        return false;
    }
    support->size = cnLength(support->halfExtents) + support->radius;
    return true;
}

cnVec3 cnSupportShape_GetPoint(const cnSupportShape* support, cnVec3 d, int* hint) {
    if (support->kind == cn_supportCorners) {
        *hint = cnPolytope_GetSupport(&support->corners, d, *hint);
        return support->corners.vertices[*hint];
    }
    cnVec3 half = support->halfExtents;
    if (support->kind == cn_supportBox) {
        return cnVec(d.x < 0.0 ? -half.x : half.x, d.y < 0.0 ? -half.y : half.y,
                     d.z < 0.0 ? -half.z : half.z);
    }

    // the middle of a cap that lies straight across
    double across = sqrt(d.x * d.x + d.z * d.z);
    bool upper = support->upper * d.y + support->radiusUpper * across >
                 support->lower * d.y + support->radiusLower * across;
    double scale = across > 0.0 ? (upper ? support->radiusUpper : support->radiusLower) / across : 0.0;
    return cnVec(scale * d.x, upper ? support->upper : support->lower, scale * d.z);
}
