// Cylinders and cones, hollow or not.
#include "geometry/shapes/revolved.h"

#include "geometry/shapes/shape_checks.h"
#include "geometry/shapes/shape_kinds.h"

// ---- definitions ------------------------------------------------------------------------------------------

static cnErrorCode InitCylinder(cnShape* shape, const cnShapeDef* def, const char* call) {
    double h = 0.5 * def->height;
    shape->profile = (cnRevolvedProfile){-h, h, def->radius, def->radius, 0.0, 0.0};
    cnErrorCode code = cnCheckPositiveLength(def->radius, call, "radius");
    return code != CN_ERROR_NONE ? code : cnCheckPositiveLength(def->height, call, "height");
}

static cnErrorCode InitHollowCylinder(cnShape* shape, const cnShapeDef* def, const char* call) {
    double h = 0.5 * def->height;
    double inner = def->innerRadius;
    double outer = inner + def->thickness;
    shape->profile = (cnRevolvedProfile){-h, h, outer, outer, inner, inner};
    cnErrorCode code = cnCheckPositiveLength(inner, call, "innerRadius");
    code = code != CN_ERROR_NONE ? code : cnCheckPositiveLength(def->thickness, call, "thickness");
    return code != CN_ERROR_NONE ? code : cnCheckPositiveLength(def->height, call, "height");
}

static cnErrorCode InitCone(cnShape* shape, const cnShapeDef* def, const char* call) {
    shape->profile = (cnRevolvedProfile){0.0, def->height, def->bottomRadius, def->topRadius, 0.0, 0.0};
    cnErrorCode code = cnCheckLength(def->topRadius, call, "topRadius");
    code = code != CN_ERROR_NONE ? code : cnCheckLength(def->bottomRadius, call, "bottomRadius");
    code = code != CN_ERROR_NONE ? code : cnCheckPositiveLength(def->height, call, "height");
    if (code == CN_ERROR_NONE && !(def->topRadius > 0.0 || def->bottomRadius > 0.0)) {
        code = cnFail(CN_ERROR_OUT_OF_RANGE, call, "bottomRadius",
                      "bottomRadius is 0 m as topRadius is, one of them must be > 0");
    }
    return code;
}

static cnErrorCode InitHollowCone(cnShape* shape, const cnShapeDef* def, const char* call) {
    cnErrorCode code = InitCone(shape, def, call);
    shape->profile.innerLower = cnMax(0.0, def->bottomRadius - def->thickness);
    shape->profile.innerUpper = cnMax(0.0, def->topRadius - def->thickness);
    return code != CN_ERROR_NONE ? code : cnCheckPositiveLength(def->thickness, call, "thickness");
}

// ---- measures ---------------------------------------------------------------------------------------------

static cnBounds ComputeBounds(const cnShape* shape, cnPose pose) {
    // of the two discs at the ends
    const cnRevolvedProfile* profile = &shape->profile;
    cnMat33 axes = cnMatFromQuat(pose.rotation);
    cnVec3 reach = cnAdd(cnMul(axes.x, axes.x), cnMul(axes.z, axes.z));
    reach = cnVec(sqrt(reach.x), sqrt(reach.y), sqrt(reach.z));
    cnVec3 lower = cnMulAdd(pose.position, profile->lower, axes.y);
    cnVec3 upper = cnMulAdd(pose.position, profile->upper, axes.y);
    return (cnBounds){
        cnMinVec(cnMulAdd(lower, -profile->outerLower, reach), cnMulAdd(upper, -profile->outerUpper, reach)),
        cnMaxVec(cnMulAdd(lower, profile->outerLower, reach), cnMulAdd(upper, profile->outerUpper, reach)),
    };
}

// Integrals over rings: area, area·height and so on are polynomials of the height of degree four at most,
// which Gauss's rule of three points integrates exactly; factored, so that thin walls lose no digits.
static cnMassProperties ComputeMass(const cnRevolvedProfile* profile) {
    static const double nodes[3] = {-0.77459666924148337704, 0.0, 0.77459666924148337704};
    static const double weights[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    double height = profile->upper - profile->lower;
    double y[3], volumes[3], squares[3];
    cnMassProperties mass = {0};
    for (int i = 0; i < 3; ++i) {
        double t = 0.5 * (1.0 + nodes[i]);
        double outer = profile->outerLower + t * (profile->outerUpper - profile->outerLower);
        double inner = profile->innerLower + t * (profile->innerUpper - profile->innerLower);
        y[i] = profile->lower + t * height;
        volumes[i] = weights[i] * height * CN_PI * (outer - inner) * (outer + inner);
        squares[i] = outer * outer + inner * inner;
        mass.volume += volumes[i];
        mass.centre.y += volumes[i] * y[i];
    }
    mass.mass = mass.volume;
    mass.centre.y = mass.volume > 0.0 ? mass.centre.y / mass.volume : 0.0;
    double axial = 0.0, lateral = 0.0;
    for (int i = 0; i < 3; ++i) {
        double fromCentre = y[i] - mass.centre.y;
        axial += volumes[i] * 0.5 * squares[i];
        lateral += volumes[i] * (0.25 * squares[i] + fromCentre * fromCentre);
    }
    mass.inertia = cnDiagonal(cnVec(lateral, axial, lateral));
    return mass;
}

static void Measure(cnShape* shape) {
    const cnRevolvedProfile* profile = &shape->profile;
    double height = profile->upper - profile->lower;
    shape->halfHeight = 0.5 * height;
    shape->radius = cnMax(profile->outerLower, profile->outerUpper);
    shape->boundingRadius = sqrt(shape->radius * shape->radius + shape->halfHeight * shape->halfHeight);

    // across the wall: a hollow one's thickness, else from the wall to the far side of the wider end
    double slope = profile->outerUpper - profile->outerLower;
    double across = cnIsHollow(profile) ? 0.5 * cnMax(profile->outerLower - profile->innerLower,
                                                      profile->outerUpper - profile->innerUpper)
                                        : shape->radius;
    across *= height / sqrt(slope * slope + height * height);
    shape->inradius = cnMin(across, shape->halfHeight);
    shape->mass = ComputeMass(profile);
}

// ---- rays -------------------------------------------------------------------------------------------------

typedef struct Interval {
    double from, to; // of the ray's parameter; empty unless from <= to
} Interval;

// The part of `slab` in which a line lies within the wall's radius; the radius is lower + slope·(y − start)
// and not negative in the slab, so that the part is one interval.
static Interval CutByWall(Interval slab, cnVec3 origin, cnVec3 direction, double radius, double slope) {
    double run = slope * direction.y;
    double across = direction.x * direction.x + direction.z * direction.z;
    double a = across - run * run;
    double b = origin.x * direction.x + origin.z * direction.z - radius * run;
    double c = origin.x * origin.x + origin.z * origin.z - radius * radius;
    if (fabs(a) <= 1e-15 * (across + run * run)) {
        // along the wall: 2 b s + c <= 0
        if (b != 0.0) {
            double root = -0.5 * c / b;
            return (Interval){b < 0.0 ? cnMax(slab.from, root) : slab.from,
                              b > 0.0 ? cnMin(slab.to, root) : slab.to};
        }
        return c <= 0.0 ? slab : (Interval){1.0, 0.0};
    }
    double d = b * b - a * c;
    if (d < 0.0 && a > 0.0) {
        return (Interval){1.0, 0.0};
    }
    double q = -(b + (b < 0.0 ? -sqrt(cnMax(d, 0.0)) : sqrt(cnMax(d, 0.0))));
    double root1 = q / a;
    double root2 = q != 0.0 ? c / q : root1;
    double first = cnMin(root1, root2);
    double last = cnMax(root1, root2);
    if (a > 0.0) {
        return (Interval){cnMax(slab.from, first), cnMin(slab.to, last)};
    }

    // steeper than the wall: from the crossing on, or up to it
    return run > 0.0 ? (Interval){cnMax(slab.from, last), slab.to}
                     : (Interval){slab.from, cnMin(slab.to, first)};
}

static bool IsInside(const cnRevolvedProfile* profile, cnVec3 point) {
    double t = (point.y - profile->lower) / (profile->upper - profile->lower);
    double radius = sqrt(point.x * point.x + point.z * point.z);
    return t >= 0.0 && t <= 1.0 &&
           radius <= profile->outerLower + t * (profile->outerUpper - profile->outerLower) &&
           radius >= profile->innerLower + t * (profile->innerUpper - profile->innerLower);
}

static cnLocalRayHit CastRay(const cnShape* shape, cnVec3 origin, cnVec3 translation) {
    const cnRevolvedProfile* profile = &shape->profile;
    if (IsInside(profile, origin)) {
        return (cnLocalRayHit){.hit = true, .inside = true};
    }
    double length = cnLength(translation);
    if (!(length > 0.0)) {
        return (cnLocalRayHit){0};
    }

    // along the line, from its point next to the centre, so that far origins lose nothing to cancellation
    cnVec3 direction = cnScale(1.0 / length, translation);
    double begin = cnDot(cnSub(origin, shape->centre), direction);
    cnVec3 start = cnMulAdd(origin, -begin, direction);
    Interval slab = {-1e30, 1e30};
    if (direction.y != 0.0) {
        double atLower = (profile->lower - start.y) / direction.y;
        double atUpper = (profile->upper - start.y) / direction.y;
        slab = (Interval){cnMin(atLower, atUpper), cnMax(atLower, atUpper)};
    } else if (start.y < profile->lower || start.y > profile->upper) {
        return (cnLocalRayHit){0};
    }

    // the solid within its outer wall, less the hole
    double height = profile->upper - profile->lower;
    double outerSlope = (profile->outerUpper - profile->outerLower) / height;
    double innerSlope = (profile->innerUpper - profile->innerLower) / height;
    double above = start.y - profile->lower;
    Interval solid = CutByWall(slab, start, direction, profile->outerLower + outerSlope * above, outerSlope);
    Interval hole = {1.0, 0.0};
    if (cnIsHollow(profile)) {
        hole = CutByWall(slab, start, direction, profile->innerLower + innerSlope * above, innerSlope);
    }
    if (solid.from > solid.to) {
        return (cnLocalRayHit){0};
    }

    // in from outside, unless through an opening; or else out of the hole
    bool isHole = hole.from < hole.to;
    double at = solid.from;
    bool inner = false;
    if (at < begin || (isHole && hole.from <= at)) {
        at = hole.to;
        inner = true;
        if (!isHole || at >= solid.to || at < begin) {
            return (cnLocalRayHit){0};
        }
    }
    if (at > begin + length) {
        return (cnLocalRayHit){0};
    }
    cnLocalRayHit hit = {.hit = true, .fraction = (at - begin) / length};
    if (!inner && at == slab.from) {
        hit.normal = cnVec(0.0, direction.y > 0.0 ? -1.0 : 1.0, 0.0);
    } else {
        cnVec3 point = cnMulAdd(start, at, direction);
        double radius = sqrt(point.x * point.x + point.z * point.z);
        double slope = inner ? innerSlope : outerSlope;
        cnVec3 out = radius > 0.0 ? cnNormalize(cnVec(point.x / radius, -slope, point.z / radius))
                                  : cnVec(0.0, slope < 0.0 ? 1.0 : -1.0, 0.0);
        hit.normal = inner ? cnNeg(out) : out;
    }
    return hit;
}

// Crossings of the solid without its hole and those of the hole; what passes through an opening does both at
// once, and is none.
static cnLocalRayHit FindCrossing(const cnShape* shape, cnVec3 origin, cnVec3 translation, double after) {
    cnShape filled = *shape, hole = *shape;
    cnRevolvedProfile* profile = &filled.profile;
    profile->innerLower = profile->innerUpper = 0.0;
    hole.profile = (cnRevolvedProfile){
        profile->lower, profile->upper, shape->profile.innerLower, shape->profile.innerUpper, 0.0, 0.0};
    for (;;) {
        cnLocalRayHit outer = cnFindConvexCrossing(&filled, origin, translation, after);
        cnLocalRayHit inner = {0};
        if (cnIsHollow(&shape->profile)) {
            inner = cnFindConvexCrossing(&hole, origin, translation, after);
        }
        if (!inner.hit || (outer.hit && outer.fraction < inner.fraction)) {
            return outer;
        }
        if (!outer.hit || inner.fraction < outer.fraction) {
            inner.normal = cnNeg(inner.normal);
            return inner;
        }
        after = inner.fraction;
    }
}

// ---- closest points ---------------------------------------------------------------------------------------

cnProfileVec cnGetProfileCorner(const cnRevolvedProfile* profile, int corner) {
    bool upper = corner == 1 || corner == 2;
    bool outer = corner < 2;
    return (cnProfileVec){outer ? (upper ? profile->outerUpper : profile->outerLower)
                                : (upper ? profile->innerUpper : profile->innerLower),
                          upper ? profile->upper : profile->lower};
}

cnProfilePoint cnFindClosestOnProfile(const cnRevolvedProfile* profile, double radius, double height) {
    bool inside = true;
    double nearest = INFINITY;
    cnProfileVec best = {0.0, 0.0}, normal = {0.0, 1.0};
    uint32_t feature = 0;
    for (int side = 0; side < 4; ++side) {
        cnProfileVec from = cnGetProfileCorner(profile, side);
        cnProfileVec to = cnGetProfileCorner(profile, (side + 1) % 4);
        double dr = to.radius - from.radius, dy = to.height - from.height;
        double squared = dr * dr + dy * dy;
        if (squared == 0.0 || (side == cn_innerWall && !cnIsHollow(profile))) {
            continue;
        }
        double pr = radius - from.radius, py = height - from.height;
        double length = sqrt(squared);
        cnProfileVec out = {dy / length, -dr / length};
        double above = out.radius * pr + out.height * py;
        inside = inside && above <= 0.0;
        double t = (dr * pr + dy * py) / squared;
        double atSide = cnClamp(t, 0.0, 1.0);
        cnProfileVec on = {from.radius + atSide * dr, from.height + atSide * dy};
        double gapR = radius - on.radius, gapY = height - on.height;
        double distance = t == atSide ? fabs(above) : sqrt(gapR * gapR + gapY * gapY);
        if (distance < nearest) {
            nearest = distance;
            best = on;
            normal = out;
            feature = (uint32_t)side;
            if (t != atSide && distance > 0.0) {
                normal = (cnProfileVec){gapR / distance, gapY / distance};
                feature = (uint32_t)(cn_outerLowerRim + (t < 0.0 ? side : (side + 1) % 4));
            }
        }
    }

    return (cnProfilePoint){best, normal, inside ? -nearest : nearest, feature};
}

cnSurfacePoint cnFindClosestOnRevolved(const cnRevolvedProfile* profile, cnVec3 point) {
    double radius = sqrt(point.x * point.x + point.z * point.z);
    cnProfilePoint closest = cnFindClosestOnProfile(profile, radius, point.y);

    // back into space; from the axis all directions are as good
    double c = radius > 0.0 ? point.x / radius : 1.0;
    double s = radius > 0.0 ? point.z / radius : 0.0;
    return (cnSurfacePoint){
        .point = cnVec(closest.point.radius * c, closest.point.height, closest.point.radius * s),
        .normal = cnVec(closest.normal.radius * c, closest.normal.height, closest.normal.radius * s),
        .distance = closest.distance,
        .feature = closest.feature,
    };
}

static bool FindClosest(const cnShape* shape, cnVec3 point, double reach, cnSurfacePoint* out) {
    *out = cnFindClosestOnRevolved(&shape->profile, point);
    return fabs(out->distance) <= reach;
}

#define REVOLVED_KIND(initialise)                                                                            \
    {                                                                                                        \
        .hasVolume = true, .init = (initialise), .measure = Measure, .computeBounds = ComputeBounds,         \
        .castRay = CastRay, .findCrossing = FindCrossing, .findClosest = FindClosest,                        \
    }

const cnShapeKind cnCylinderKind = REVOLVED_KIND(InitCylinder);
const cnShapeKind cnHollowCylinderKind = REVOLVED_KIND(InitHollowCylinder);
const cnShapeKind cnConeKind = REVOLVED_KIND(InitCone);
const cnShapeKind cnHollowConeKind = REVOLVED_KIND(InitHollowCone);
