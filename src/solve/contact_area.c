// Stiffness of contacts by the area method: an elastic foundation.
//
// Two solids press on one another as if the material of both along the normal, of the length L, were a bed of
// springs: the pressure is E/L times the local overlap (K. L. Johnson, "Contact Mechanics", 1985, 4.3). Over
// a face of the area A the force is F = (E/L) A d. Over round surfaces the overlap falls off from its
// largest, d, as a paraboloid ½ κ x² does, and F = (E/L) A(d) d with
//
//   A = π d / √(κ₁ κ₂)            round both ways, as a ball on a plane
//   A = (4/3) ℓ √(2 d/κ)          round one way, over the length ℓ, as a cylinder on its side
//   A = ℓ d, 2 d²                 an edge, a corner: at least so much
//
// The rows are those of the tangent at the depth d₀ of the step's start, Newton's method over the steps: with
// A = c dᵖ the stiffness F'(d₀) = (1 + p) (E/L) A(d₀), of which each point has its share, and an overlap of
// d₀/(1 + p) at the start. (With F(d₀)/d₀ in place of it soft contacts swing between two depths for ever.)
// The depth is at least what a hundredth of the lighter body's weight makes.
#include "solve/contact_area.h"

#include "base/report/assert.h"
#include "geometry/shape.h"
#include "geometry/shape_forms.h"
#include "geometry/shapes/revolved.h"

#define CN_LEAST_WEIGHT 0.01

// ---- rest length ------------------------------------------------------------------------------------------

// m, of one solid, from a point of its surface along a direction into it; at most `most`.
static double MeasureThickness(const cnSolve* solve, int proxy, cnVec3 surface, cnVec3 inwards, double skip,
                               double most) {
    const cnShape* shape = solve->shapes[solve->proxies->shape[proxy]];
    cnPose pose = {solve->proxies->position[proxy], solve->proxies->rotation[proxy]};
    double length = most + skip;
    cnRayHit hit = cnShape_FindCrossing(shape, pose, surface, cnScale(length, inwards), skip / length);
    return hit.hit ? hit.fraction * length : most;
}

static double MeasureRestLength(const cnSolve* solve, const cnPair* pair, const cnContactRows* rows,
                                const cnContactArea* area, double depth) {
    cnVec3 middle = cnManifold_GetMiddle(&pair->manifold), half = cnScale(0.5 * depth, rows->normal);
    double skip = depth + 1e-3 * pair->inradius, most = area->maxRestLength;
    double length = MeasureThickness(solve, pair->proxy1, cnSub(middle, half), rows->normal, skip, most);
    if (length < most) {
        cnVec3 down = cnNeg(rows->normal);
        length += MeasureThickness(solve, pair->proxy2, cnAdd(middle, half), down, skip, most);
    }
    return cnClamp(length, area->minRestLength, most);
}

// ---- curvature --------------------------------------------------------------------------------------------

// Of a surface at a contact, 1/m: along a tangent, and across it.
typedef struct Curvature {
    cnVec3 along;
    double first, second;
} Curvature;

static Curvature CurvatureAt(const cnSolve* solve, int proxy, cnVec3 point, cnVec3 normal) {
    const cnShape* shape = solve->shapes[solve->proxies->shape[proxy]];
    cnQuat rotation = solve->proxies->rotation[proxy];
    Curvature flat = {cnNormalize(cnCross(cnMinAxis(normal), normal)), 0.0, 0.0};
    bool isRound = cnShape_Is(shape, cn_formRound);
    if (!isRound && !cnIsRevolved(shape->type)) {
        return flat;
    }
    cnVec3 axis = cnRotate(rotation, cnVec(0.0, 1.0, 0.0));
    double height = cnDot(axis, cnSub(point, solve->proxies->position[proxy])), slope = cnDot(axis, normal);
    if (isRound && fabs(height) >= shape->halfHeight) {
        return (Curvature){flat.along, 1.0 / shape->radius, 1.0 / shape->radius};
    }
    cnVec3 line = cnMulAdd(axis, -slope, normal);
    double length = cnLength(line), radius = shape->radius;
    if (length < 0.5) {
        return flat; // a cap
    }
    if (cnIsRevolved(shape->type)) {
        const cnRevolvedProfile* profile = &shape->profile;
        double part = cnClamp((height - profile->lower) / (profile->upper - profile->lower), 0.0, 1.0);
        radius = profile->outerLower + part * (profile->outerUpper - profile->outerLower);
    }
    return (Curvature){cnScale(1.0 / length, line), 0.0, radius > 0.0 ? length / radius : 0.0};
}

// √(κ₁ κ₂) and the larger one of what two surfaces have between them.
typedef struct Gap {
    double mean, larger;
} Gap;

static Gap FindGap(const Curvature* a, const Curvature* b, cnVec3 normal) {
    cnVec3 u = a->along, v = cnCross(normal, u);
    double c = cnDot(b->along, u), s = cnDot(b->along, v);
    double uu = a->first + b->first * c * c + b->second * s * s;
    double vv = a->second + b->first * s * s + b->second * c * c;
    double uv = (b->first - b->second) * c * s;
    double half = 0.5 * (uu + vv), root = sqrt(0.25 * (uu - vv) * (uu - vv) + uv * uv);
    return (Gap){sqrt(cnMax(0.0, uu * vv - uv * uv)), half + root};
}

// ---- area -------------------------------------------------------------------------------------------------

// The depth at which k A(d) d is a force, m, for A = c dᵖ.
static double DepthOfForce(double force, double k, double c, double power) {
    double of = force / (k * c);
    return of > 0.0 ? cnPow(of, 1.0 / (1.0 + power)) : 0.0;
}

typedef struct AreaLaw {
    double c, power; // A = c dᵖ, m² and m
} AreaLaw;

static AreaLaw FindLaw(const cnSolve* solve, const cnContactRows* rows) {
    const cnPair* pair = rows->pair;
    const cnManifold* manifold = &pair->manifold;
    if (rows->pointCount > 2 && manifold->patch.area > 0.0) {
        return (AreaLaw){manifold->patch.area, 0.0};
    }
    cnVec3 middle = cnManifold_GetMiddle(manifold);
    Curvature one = CurvatureAt(solve, pair->proxy1, middle, rows->normal);
    Curvature two = CurvatureAt(solve, pair->proxy2, middle, rows->normal);
    Gap gap = FindGap(&one, &two, rows->normal);
    const double pi = 3.14159265358979323846;
    if (rows->pointCount == 1 && gap.mean > 0.0) {
        return (AreaLaw){pi / gap.mean, 1.0};
    }
    if (rows->pointCount > 1) {
        cnVec3f span = cnSubF(manifold->points[1], manifold->points[0]);
        double length = cnLength(cnToD(span));
        return gap.larger > 0.0 ? (AreaLaw){4.0 / 3.0 * length * sqrt(2.0 / gap.larger), 0.5}
                                : (AreaLaw){length, 1.0};
    }
    return (AreaLaw){2.0, 2.0};
}

static double LightestWeight(const cnSolve* solve, const cnSolverContact* contact) {
    const int indices[2] = {contact->body1, contact->body2};
    double mass = INFINITY;
    for (int i = 0; i < 2; ++i) {
        if (indices[i] != 0) {
            mass = cnMin(mass, solve->bodies->mass[solve->solver.rows[indices[i]]]);
        }
    }
    return mass * CN_STANDARD_GRAVITY;
}

void cnContactArea_Resolve(const cnSolve* solve, const cnSolverContact* contact,
                           const cnPairProperties* properties, cnContactRows* rows) {
    CN_ASSERT(properties->contactArea.enabled && rows->pointCount >= 1);
    const cnPair* pair = rows->pair;
    double depth = 0.0;
    for (int i = 0; i < rows->pointCount; ++i) {
        depth = cnMax(depth, pair->manifold.depths[i]);
    }
    double k =
        properties->youngsModulus / MeasureRestLength(solve, pair, rows, &properties->contactArea, depth);
    AreaLaw law = FindLaw(solve, rows);
    if (law.power > 0.0) {
        double weight = CN_LEAST_WEIGHT * LightestWeight(solve, contact);
        depth = cnMax(depth, DepthOfForce(weight, k, law.c, law.power));
    }
    double area = law.power > 0.0 ? law.c * cnPow(depth, law.power) : law.c;
    rows->stiffness = (1.0 + law.power) * k * area / rows->pointCount;
    rows->depthShare = 1.0 / (1.0 + law.power);
}
