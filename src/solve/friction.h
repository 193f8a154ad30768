// Friction of contacts: what a model asks of the rows, once for all solvers.
//
// A contact has one friction for all its points. It acts at the mean of the points, the friction centre, as
// two rows along orthogonal tangents and one about the normal (torsional friction). With λᵢ the multipliers
// of the points' normal rows and rᵢ their distances from the centre a model says what bounds the three
// multipliers:
//
//   model   along the tangents              about the normal
//   cone    |(λ₁, λ₂)| <= μ Σ λᵢ            |λ₃| <= μ Σ rᵢ λᵢ
//   none    no rows, which is μ = 0 where rows are there all the same
//
// Within their bounds the rows hold the slip at 0, or at Σ λ with the surface viscosity as Σ; λ₁ and λ₂ on
// the cone point against the slip. `exact` asks this of factorisations, too, to 1e-8 (exact_cone.c); sweeps
// project on the cone anyway.
//
// A packer (contact_rows.h) asserts the models that it supports. Which of them a user may choose is in
// material/value_checks.c: those that all packers support.
#pragma once

#include "material/pair_properties.h"

#define CN_FRICTION_ROWS 3

// Sets of models.
enum {
    cn_frictionCones = 1u << cn_frictionCone | 1u << cn_frictionNone,
};

typedef struct cnContactFriction {
    cnFrictionModelType model;
    bool exact;
    double coefficient; // μ
    double viscosity;   // (m/s)/N, of the surface at a point
} cnContactFriction;

// Of the multipliers, N s or N, as the loads are.
typedef struct cnFrictionBounds {
    double tangential, torsional;
} cnFrictionBounds;

static inline cnContactFriction cnFriction_Resolve(const cnPairProperties* properties) {
    bool slides = properties->frictionModel.type == cn_frictionNone;
    return (cnContactFriction){
        .model = properties->frictionModel.type,
        .exact = properties->frictionModel.exactCone,
        .coefficient = slides ? 0.0 : properties->friction[0],
        .viscosity = properties->surfaceViscosity[0],
    };
}

static inline bool cnFriction_IsAmong(const cnContactFriction* friction, uint32_t models) {
    return (models >> friction->model & 1u) != 0;
}

static inline bool cnFriction_HasRows(const cnContactFriction* friction) {
    return friction->model != cn_frictionNone;
}

// Of a load Σ λᵢ with the moment Σ rᵢ λᵢ.
static inline cnFrictionBounds cnFriction_GetBounds(const cnContactFriction* friction, double load,
                                                    double moment) {
    return (cnFrictionBounds){friction->coefficient * load, friction->coefficient * moment};
}

// What multipliers along the tangents are scaled by, to be within their bound.
static inline double cnFriction_GetScale(double lambda1, double lambda2, double bound) {
    double length = sqrt(lambda1 * lambda1 + lambda2 * lambda2);
    return length > bound ? bound / length : 1.0;
}

// Σ of the rows along the tangents, 1/kg, for steps of h.
static inline double cnFriction_GetSigma(const cnContactFriction* friction, int points, double h) {
    return friction->viscosity / (points * h);
}
