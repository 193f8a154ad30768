// Rows of contacts, prepared once a step.
//
// Most contacts of a step are swept, and there is nothing about them but what their pairs and the cone of
// their materials say: these are packed from the pairs, four at a time, and have no rows
// (cnSolverContact.isPlain). All others have. Whatever solves a contact needs the same of it: its directions
// and arms, G M⁻¹ Gᵀ of its points, what its two materials make together. All this is found here, in f64,
// once the bodies of a step are known, and each solver packs from it what its equations look like:
//
//   impacts/impacts.c               restitution; friction
//   sweeps/contact_blocks.c         f32 lanes
//   sweeps/converged_contacts.c     rows of a Newton method
//   sweeps/position_correction.c    overlap that is taken out
//   direct/nodes/contact_nodes.c    rows of a sparse system, in sub-steps of its own;
//                                   direct/guards/position_correction.c
//   direct/guards/energy_guard.c, island_guard.c     energy that a contact stores
//
// Nothing in cnContactRows changes within a step. What else does is asked with the functions below:
// velocities (an impact changes them; the direct solver's bodies move in sub-steps), the multipliers of the
// pair. Friction is described in friction.h.
#pragma once

#include "solve/contact_pairs.h"
#include "solve/friction.h"

typedef struct cnContactPoint {
    double depth;  // m
    double radius; // m, from the friction centre, of what it stands for of the contact's area
} cnContactPoint;

// Orthogonal tangents, scaled so that what bounds multipliers along them is a circle (friction.h): the first
// has length 1.
typedef struct cnFrictionAxes {
    cnVec3 axis[2];
    double scale[2]; // their lengths
} cnFrictionAxes;

typedef struct cnContactRows {
    cnPair* pair; // for its multipliers and flags
    int pointCount;
    cnVec3 normal;
    cnContactPoint points[CN_MANIFOLD_POINTS];

    // of the pair's material
    double stiffness;  // N/m, of a point
    double depthShare; // of a depth, that rows see
    bool isFoundation; // by the area method: all overlap is strain
    double adhesion;   // N, that a point may pull with
    double compliance; // m/N, its inverse
    double damping;    // s
    double restitution;
    double restitutionThreshold; // m/s
    cnContactFriction friction;
    cnFrictionAxes sliding, rolling;
    bool isArea; // friction is spread over it, as that of a cone
    // m/s, world axes: what geometry 1's surface moves by beside its body, less what geometry 2's does
    // (conveyors), and less the slide of the materials
    cnVec3 surfaceVelocity;
    cnVec3 centreArm1, centreArm2; // of the friction centre
} cnContactRows;

static inline cnContactRows* cnSolve_GetRows(const cnSolve* solve, int contact) {
    CN_ASSERT(contact >= 0 && contact < solve->contactCount);
    CN_ASSERT(solve->contacts[contact].row >= 0 && solve->contacts[contact].row < solve->rowCount);
    return &solve->contactRows[solve->contacts[contact].row];
}

// Whether a contact's friction is more than a circular cone.
static inline bool cnSolve_HasSpecialFriction(const cnSolve* solve, int contact) {
    int row = solve->contacts[contact].row;
    return row >= 0 && !solve->contactRows[row].friction.isPlain;
}

// The multipliers along axes that make an impulse, and back.
static inline void cnFrictionAxes_Split(const cnFrictionAxes* axes, cnVec3 impulse, double lambda[2]) {
    lambda[0] = cnDot(impulse, axes->axis[0]);
    double square = axes->scale[1] * axes->scale[1];
    lambda[1] = square > 0.0 ? cnDot(impulse, axes->axis[1]) / square : 0.0;
}

static inline cnVec3 cnFrictionAxes_Join(const cnFrictionAxes* axes, double lambda1, double lambda2) {
    return cnAdd(cnScale(lambda1, axes->axis[0]), cnScale(lambda2, axes->axis[1]));
}

// From the bodies' centres of mass to a point, m, world axes.
static inline cnVec3 cnContactRows_GetArm1(const cnContactRows* rows, int point) {
    return cnToD(rows->pair->arm1[point]);
}

static inline cnVec3 cnContactRows_GetArm2(const cnContactRows* rows, int point) {
    return cnToD(rows->pair->arm2[point]);
}

// m, of the area over which the friction of a contact is spread.
static inline double cnContactRows_GetMeanRadius(const cnContactRows* rows) {
    double sum = 0.0;
    for (int i = 0; i < rows->pointCount; ++i) {
        sum += rows->points[i].radius;
    }
    return sum / rows->pointCount;
}

// ---- resolve_friction.c -----------------------------------------------------------------------------------

// Models, axes and bounds; needs the points.
void cnContactRows_ResolveFriction(const cnSolve* solve, const cnSolverContact* contact,
                                   const cnPairProperties* properties, cnContactRows* rows);

// What sliding and spinning take from one another (friction_shares.c); needs the bounds of each alone, and
// the axes, along tangents.
void cnContactRows_ShareFriction(const cnSolve* solve, const cnSolverContact* contact,
                                 const cnVec3 tangents[2], cnContactRows* rows);

// Whether a contact slides under its load Λ with the moment Σ rᵢ λᵢ and the multipliers of its rows along
// the tangents and about the normal: for the next step, where friction at rest differs, or where an area
// slides and spins at once.
void cnPair_NoteSliding(cnPair* pair, const cnContactFriction* friction, bool isArea, double load,
                        double moment, double h, const double lambda[3]);

// ---- velocities at the poses that bodies have now (contact_velocities.c) ---------------------------------

// By what the slip of faces that stick and turn about the normal is another one in the middle of a step of h,
// m/s: ½h ω × (ω × r) of body 1 less that of body 2. With it the ways are those of one another's bodies, not
// only the velocities: what lies on a turntable stays where it lies.
cnVec3 cnContactRows_GetTurning(const cnContactRows* rows, const cnBodyTable* bodies, double h);
// Velocity of body 1 relative to body 2 at the friction centre, m/s, without that of conveyors; about the
// normal, rad/s.
cnVec3 cnContactRows_GetSlip(const cnContactRows* rows, const cnBodyTable* bodies);
double cnContactRows_GetSpin(const cnContactRows* rows, const cnBodyTable* bodies);
// Angular velocity of body 1 relative to body 2, rad/s.
cnVec3 cnContactRows_GetRoll(const cnContactRows* rows, const cnBodyTable* bodies);

// ---- normal rows ------------------------------------------------------------------------------------------

// How the rows of a solver yield.
typedef struct cnRowSoftness {
    double gamma;  // γ = 1/(1 + 4τ/h)
    double bounce; // c = 4γ/h, 1/s: what part of an overlap a second would take out
    double sigma;  // Σ
} cnRowSoftness;

static inline cnRowSoftness cnContactRows_GetSoftness(const cnContactRows* rows, double h) {
    double gamma = cnSpookGamma(rows->damping, h);
    return (cnRowSoftness){gamma, 4.0 * gamma / h, cnSpookSigma(rows->compliance, gamma, h)};
}

// Overlap that a multiplier explains as strain of the material, m, for steps of h.
static inline double cnContactRows_GetStrain(const cnContactRows* rows, double impulse, double h) {
    return impulse / (rows->stiffness * h);
}

// What of an overlap that a multiplier explains is in the spring and not in the damper, m, where the step of
// that multiplier ended at a speed G v: F = (d − τ G v)/ε, d as it was then, and −h G v deeper since.
static inline double cnContactRows_GetElasticPart(const cnContactRows* rows, double strain, double speed,
                                                  double h) {
    return cnMax(0.0, strain - cnMax(rows->damping - h, 0.0) * cnMax(-speed, 0.0));
}

// Overlap that a swept point's multiplier explains, m: what it sinks by at rest, docs/iterative-contacts.md.
// `own` is θ D, which is 0 in converged islands.
double cnContactRows_GetStoredOverlap(const cnContactRows* rows, double impulse, double integralImpulse,
                                      double own, double substep);

// Overlap that makes a speed v of a point when it is given to the bodies as the energy of their material, m:
// v/√(D E).
static inline double cnContactRows_GetOverlapOfSpeed(const cnContactRows* rows, double inverseMass,
                                                     double speed) {
    return speed / sqrt(inverseMass * rows->stiffness);
}

// Where a point is out of reach for the rows of a step, m.
#define CN_OUT_OF_REACH 1e3

// Separation of a point for the rows of the solve. One found up to the margin before touching holds bodies
// apart with no restitution; one that will bounce is left alone until it is hit, or the margin would swallow
// the bounce; and what lands on a foundation is stopped by that.
static inline double cnContactRows_GetSeparation(const cnContactRows* rows, int point, double startVelocity) {
    double depth = rows->points[point].depth;
    bool willBounce = rows->restitution > 0.0 && -startVelocity > rows->restitutionThreshold;
    return depth < 0.0 && (willBounce || rows->isFoundation) ? CN_OUT_OF_REACH : -depth;
}

// Whether the position correction of a contact is not limited and may be, by overlaps that could make too
// much speed.
static inline bool cnContactRows_MayBeLimited(const cnContactRows* rows) {
    return (rows->pair->flags & cn_pairLimitedCorrection) == 0 && !rows->isFoundation;
}

// Whether an overlap that nothing explains, m, is one of those; for D of its point.
bool cnContactRows_IsFast(const cnContactRows* rows, double inverseMass, double excess);

// Faster than anything: what a foundation is pressed in by, it may give back.
#define CN_ANY_PUSH 1e12

// The fastest that overlap is pushed out while nothing but the limit of the pair bounds it, m/s.
static inline double cnContactRows_GetCorrectionSpeed(const cnContactRows* rows) {
    return rows->isFoundation ? CN_ANY_PUSH : cnPair_GetCorrectionSpeed(rows->pair);
}

// What a point with D and its multiplier know of its overlap.
typedef struct cnPointLoad {
    double inverseMass;
    double stored;  // m, that the multiplier explains
    double elastic; // m, of that in the material's spring
} cnPointLoad;

// The fastest that the biased row of a point pushes out, m/s; `bounce` is its c.
double cnContactRows_GetPush(cnContactRows* rows, bool large, int point, const cnPointLoad* load,
                             double bounce);
