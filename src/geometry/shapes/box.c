// Boxes.
#include "geometry/shapes/shape_checks.h"
#include "geometry/shapes/shape_kinds.h"

static cnErrorCode Init(cnShape* shape, const cnShapeDef* def, const char* call) {
    shape->halfExtents = def->halfExtents;
    cnErrorCode code = cnCheckPositiveLength(def->halfExtents.x, call, "halfExtents.x");
    code = code != CN_ERROR_NONE ? code : cnCheckPositiveLength(def->halfExtents.y, call, "halfExtents.y");
    return code != CN_ERROR_NONE ? code : cnCheckPositiveLength(def->halfExtents.z, call, "halfExtents.z");
}

static cnBounds ComputeBounds(const cnShape* shape, cnPose pose) {
    cnMat33 axes = cnMatFromQuat(pose.rotation);
    cnVec3 half = cnAdd(
        cnAbs(cnScale(shape->halfExtents.x, axes.x)),
        cnAdd(cnAbs(cnScale(shape->halfExtents.y, axes.y)), cnAbs(cnScale(shape->halfExtents.z, axes.z))));
    return (cnBounds){cnSub(pose.position, half), cnAdd(pose.position, half)};
}

static void ComputeMass(const cnShape* shape, cnMassProperties* mass) {
    cnVec3 h = shape->halfExtents;
    double volume = 8.0 * h.x * h.y * h.z;
    cnVec3 moments = cnVec(h.y * h.y + h.z * h.z, h.z * h.z + h.x * h.x, h.x * h.x + h.y * h.y);
    *mass = (cnMassProperties){volume, volume, cnVec3_zero, cnDiagonal(cnScale(volume / 3.0, moments))};
}

static void Measure(cnShape* shape) {
    cnVec3 half = shape->halfExtents;
    shape->boundingRadius = cnLength(half);
    shape->inradius = cnMin(half.x, cnMin(half.y, half.z));
    ComputeMass(shape, &shape->mass);
}

static cnLocalRayHit CastRay(const cnShape* shape, cnVec3 origin, cnVec3 translation) {
    // cut the segment by the three slabs
    const double starts[3] = {origin.x, origin.y, origin.z};
    const double moves[3] = {translation.x, translation.y, translation.z};
    const double halves[3] = {shape->halfExtents.x, shape->halfExtents.y, shape->halfExtents.z};
    double enter = -1.0;
    double leave = 1.0;
    int enterAxis = -1;
    bool inside = true;
    for (int i = 0; i < 3; ++i) {
        inside = inside && fabs(starts[i]) <= halves[i];
        if (moves[i] == 0.0) {
            if (fabs(starts[i]) > halves[i]) {
                return (cnLocalRayHit){0};
            }
            continue;
        }
        double side = moves[i] > 0.0 ? halves[i] : -halves[i];
        double from = (-side - starts[i]) / moves[i];
        double to = (side - starts[i]) / moves[i];
        if (from > enter) {
            enter = from;
            enterAxis = i;
        }
        leave = to < leave ? to : leave;
    }
    if (inside) {
        return (cnLocalRayHit){.hit = true, .inside = true};
    }
    if (enterAxis < 0 || enter < 0.0 || enter > leave) {
        return (cnLocalRayHit){0};
    }
    double sign = moves[enterAxis] > 0.0 ? -1.0 : 1.0;
    cnVec3 normal = {enterAxis == 0 ? sign : 0.0, enterAxis == 1 ? sign : 0.0, enterAxis == 2 ? sign : 0.0};
    return (cnLocalRayHit){.hit = true, .fraction = enter, .normal = normal};
}

// Features: a digit of base three an axis; 0 within the extents, 1 at the lower end, 2 at the upper.
static bool FindClosest(const cnShape* shape, cnVec3 point, double reach, cnSurfacePoint* out) {
    const double half[3] = {shape->halfExtents.x, shape->halfExtents.y, shape->halfExtents.z};
    const double at[3] = {point.x, point.y, point.z};
    double on[3], gap[3], normal[3] = {0.0, 0.0, 0.0};
    uint32_t feature = 0, digit = 1, faceFeature = 0;
    double squared = 0.0, min = INFINITY;
    int face = 0;
    for (int i = 0; i < 3; ++i, digit *= 3) {
        on[i] = cnClamp(at[i], -half[i], half[i]);
        gap[i] = at[i] - on[i];
        squared += gap[i] * gap[i];
        feature += gap[i] == 0.0 ? 0 : gap[i] < 0.0 ? digit : 2 * digit;
        if (half[i] - fabs(at[i]) < min) {
            min = half[i] - fabs(at[i]);
            face = i;
            faceFeature = at[i] < 0.0 ? digit : 2 * digit;
        }
    }
    double distance = sqrt(squared);
    if (!(distance > 0.0)) {
        // inside: the nearest face
        normal[face] = at[face] < 0.0 ? -1.0 : 1.0;
        on[face] = normal[face] * half[face];
        distance = -min;
        feature = faceFeature;
    } else {
        for (int i = 0; i < 3; ++i) {
            normal[i] = gap[i] / distance;
        }
    }
    *out = (cnSurfacePoint){cnVec(on[0], on[1], on[2]), cnVec(normal[0], normal[1], normal[2]), distance,
                            feature};
    return fabs(distance) <= reach;
}

const cnShapeKind cnBoxKind = {Init, Measure, ComputeBounds, CastRay, FindClosest, .hasVolume = true};
