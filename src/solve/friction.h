// Friction of contacts: what a model asks of the rows, once for all solvers.
//
// A contact has one friction for all its points. It acts at the mean of the points, the friction centre, as
// two rows along orthogonal tangents, one about the normal (torsional friction), and, where the materials
// resist rolling, two about tangents. With λᵢ the multipliers of the points' normal rows, Λ = Σ λᵢ their
// load, and rᵢ what friction spread over the contact's area has for a lever (contact_rows.h), a model bounds
//
//   along the tangents     an ellipse,  (λ₁/b₁)² + (λ₂/b₂)² <= 1,  or a box,  |λ₁| <= b₁, |λ₂| <= b₂
//   about the normal       |λ₃| <= μ Σ rᵢ λᵢ + s Λ
//   about tangents         (λ₄/c₁)² + (λ₅/c₂)² <= Λ²
//
//   model                                    bounds
//   cone                                     ellipse, b = μ Λ
//   scaledBox                                box, b = μ Λ
//   scaledBoxFast, box                       box, b = μ × the load of the last step; without one as
//                                            scaledBox, or from the bodies' weight; or what the user says
//   boxProportionalLow, boxProportionalHigh  box, b = acceleration × mass
//   constantNormalForce                      box, b = μ × what the user says
//   none                                     no rows, which is μ = 0 where rows are there all the same
//
// Of an area that slides and spins both at once, each takes from the other's bound, and the slower of them
// meets a viscous friction (area_friction.h).
//
// μ and c have a value for each of two directions, which a body or the world orients.
//
// Within their bounds the rows hold the slip at 0, or at Σ λ with the surface viscosity as Σ; outside, λ on
// the ellipse is against the slip as the principle of maximum dissipation wants it (S. Goyal, A. Ruina,
// J. Papadopoulos, "Planar sliding with dry friction", Wear 1991): along −(b₁² v₁, b₂² v₂). Solvers need know
// of circles only: with rows along scaled tangents, (b₁ t₁, b₂ t₂)/max(b), multipliers ξ = λ max(b)/b and
// slips w = v b/max(b), both laws are those of a circle of the radius max(b).
//
// `exact` asks for the cone to 1e-8 in factorisations, too (exact_cone.c); sweeps project on it anyway.
#pragma once

#include "cairn/math.h"
#include "material/pair_properties.h"

// At most: two along tangents, one about the normal, two about tangents.
enum {
    cn_frictionTorsional = 2,
    cn_frictionRolling = 3,
    cn_frictionMostRows = 5,
};

typedef struct cnContactFriction {
    cnFrictionModelType model;
    cnFrictionSolve solve;
    bool exact, isBox;
    bool rolls;   // has rows about tangents
    bool isPlain; // a circular cone, and nothing beside it
    // of the rows along the (scaled) tangents: of Λ; N
    double perLoad[2], fixed[2];
    double viscosity[2]; // (m/s)/N, of the surface at a point, in the rows' scale
    // of the row about the normal: of Σ rᵢ λᵢ; m, of Λ; N m
    double perMoment, spinPerLoad, spinFixed;
    double spinViscosity;  // (rad/s)/(N m), of the row about the normal
    double staticScale;    // of μ where nothing slides: these bounds have it already
    double rollingPerLoad; // m, of Λ, of the rows about the (scaled) tangents
} cnContactFriction;

// Of the multipliers, N s or N, as the loads are.
typedef struct cnFrictionBounds {
    double tangential[2]; // equal for an ellipse
    double torsional, rolling;
} cnFrictionBounds;

static inline bool cnFriction_HasRows(const cnContactFriction* friction) {
    return friction->model != cn_frictionNone || friction->rolls || friction->spinPerLoad > 0.0;
}

static inline int cnFriction_CountRows(const cnContactFriction* friction) {
    return friction->rolls ? cn_frictionMostRows : cn_frictionRolling;
}

// Of a load Λ with the moment Σ rᵢ λᵢ, in N and N m for h = 1, else over sub-steps of h.
static inline cnFrictionBounds cnFriction_GetBounds(const cnContactFriction* friction, double load,
                                                    double moment, double h) {
    return (cnFrictionBounds){
        .tangential = {friction->perLoad[0] * load + friction->fixed[0] * h,
                       friction->perLoad[1] * load + friction->fixed[1] * h},
        .torsional = friction->perMoment * moment + friction->spinPerLoad * load + friction->spinFixed * h,
        .rolling = friction->rollingPerLoad * load,
    };
}

// What a pair of multipliers is scaled by, to be within a circle.
static inline double cnFriction_GetScale(double lambda1, double lambda2, double bound) {
    double length = sqrt(lambda1 * lambda1 + lambda2 * lambda2);
    return length > bound ? bound / length : 1.0;
}

// The nearest multipliers within the bounds along the tangents.
static inline void cnFriction_Project(const cnContactFriction* friction, const cnFrictionBounds* bounds,
                                      double* lambda1, double* lambda2) {
    if (friction->isBox) {
        *lambda1 = cnClamp(*lambda1, -bounds->tangential[0], bounds->tangential[0]);
        *lambda2 = cnClamp(*lambda2, -bounds->tangential[1], bounds->tangential[1]);
        return;
    }
    double scale = cnFriction_GetScale(*lambda1, *lambda2, bounds->tangential[0]);
    *lambda1 *= scale;
    *lambda2 *= scale;
}

// This near to its bound, as a part of that, friction counts as being at it.
#define CN_SLIDING_PART 1e-3

// Whether multipliers are well inside the bounds, by a part of these.
static inline bool cnFriction_Holds(const cnContactFriction* friction, const cnFrictionBounds* bounds,
                                    double lambda1, double lambda2, double part) {
    double b1 = bounds->tangential[0] * (1.0 - part), b2 = bounds->tangential[1] * (1.0 - part);
    return friction->isBox ? fabs(lambda1) < b1 && fabs(lambda2) < b2
                           : lambda1 * lambda1 + lambda2 * lambda2 < b1 * b1;
}

// Σ of the row about the normal, 1/(kg m²), for steps of h.
static inline double cnFriction_GetSpinSigma(const cnContactFriction* friction, double h) {
    return friction->spinViscosity / h;
}

// Σ of a row along a tangent, 1/kg, for steps of h.
static inline double cnFriction_GetSigma(const cnContactFriction* friction, int row, int points, double h) {
    return friction->viscosity[row] / (points * h);
}
