// Rows of contacts, prepared once a step.
//
// Whatever solves a contact needs the same of it: its directions and arms, G M⁻¹ Gᵀ of its points, what its
// two materials make together. All this is found here, in f64, once the bodies of a step are known, and each
// solver packs from it what its equations look like:
//
//   solver_choice.c                 how far a point sinks when swept; how fast it approaches
//   impacts/impacts.c               restitution; friction
//   sweeps/contact_blocks.c         f32 lanes
//   sweeps/converged_contacts.c     rows of a Newton method
//   sweeps/position_correction.c    overlap that is taken out
//   direct/nodes/contact_nodes.c    rows of a sparse system, in sub-steps of its own;
//                                   direct/guards/position_correction.c
//   direct/guards/energy_guard.c, island_guard.c     energy that a contact stores
//
// Nothing in cnContactRows changes within a step but flags. What else does is asked with the functions below:
// velocities (an impact changes them; the direct solver's bodies move in sub-steps), the multipliers of the
// pair. Friction is described in friction.h.
#pragma once

#include "base/report/assert.h"
#include "solve/friction.h"
#include "solve/solve.h"

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

// What the solve reads of a pair, beside its rows: pairs lie in another order, and far apart.
typedef struct cnPairCopy {
    int body1, body2; // rows, −1 for static geometry
    uint32_t flags;   // kept equal to the pair's by those below that change it
    float correctionLimit, inradius, curvature;
    cnVec3f arm1[CN_MANIFOLD_POINTS],
        arm2[CN_MANIFOLD_POINTS];                       // from the bodies' centres of mass, world axes
    float impulse[CN_MANIFOLD_POINTS], integralImpulse; // of the last step
    float friction[4];                                  // of the last step; about the normal
    int convergedSteps;
} cnPairCopy;

typedef struct cnContactRows {
    cnPair* pair; // for its multipliers and flags
    int pointCount;
    cnPairCopy of;
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

// For all contacts of cnSolve (prepare_contacts.c); false when memory ran out.
bool cnSolve_PrepareContacts(cnSolve* solve);

static inline cnContactRows* cnSolve_GetRows(const cnSolve* solve, int contact) {
    CN_ASSERT(contact >= 0 && contact < solve->contactCount);
    return &solve->contactRows[solve->contacts[contact].row];
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
    return cnToD(rows->of.arm1[point]);
}

static inline cnVec3 cnContactRows_GetArm2(const cnContactRows* rows, int point) {
    return cnToD(rows->of.arm2[point]);
}

// D = G M⁻¹ Gᵀ of a point along the normal, 1/kg.
double cnContactRows_GetInverseEffectiveMass(const cnContactRows* rows, const cnSolve* solve,
                                             const cnSolverContact* contact, int point);

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

// Whether the contact slides under its load Λ with the moment Σ rᵢ λᵢ and the multipliers of its rows along
// the tangents and about the normal: for the next step, where friction at rest differs, or where an area
// slides and spins at once.
void cnContactRows_NoteSliding(const cnContactRows* rows, double load, double moment, double h,
                               const double lambda[3]);

// ---- velocities at the poses that bodies have now (contact_velocities.c) ---------------------------------

// G v of a point along the normal, m/s.
double cnContactRows_GetNormalSpeed(const cnContactRows* rows, const cnBodyTable* bodies, int point);
// The same with what the curvature adds in a step, by which a point gets nearer or farther.
double cnContactRows_GetApproach(const cnContactRows* rows, const cnSolve* solve, int point);
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

// Share of the sweeps' own compliance that is added as a row's: between two dynamic bodies, and with one that
// is not.
#define CN_THETA_BOTH 1.0
#define CN_THETA_ONE 0.4
// Share of the sink that the integral term takes out.
#define CN_INTEGRAL_SHARE 0.8f
// The integral term takes the sweeps' own sink out of faces that bear on one another. In a contact of one or
// two points, about which a body can rock, it lags behind the load and feeds the rocking indefinitely; there
// it is left out.
#define CN_FACE_POINTS 3

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

// θ of a swept contact.
static inline double cnThetaOf(const cnSolverContact* contact) {
    return contact->body1 != 0 && contact->body2 != 0 ? CN_THETA_BOTH : CN_THETA_ONE;
}

// λ̄ as far as it counts.
static inline float cnContactRows_GetIntegralImpulse(const cnContactRows* rows) {
    return rows->pointCount < CN_FACE_POINTS ? 0.0f : rows->of.integralImpulse;
}

// Overlap that a multiplier explains as strain of the material, m, for steps of h.
static inline double cnContactRows_GetStrain(const cnContactRows* rows, double impulse, double h) {
    return impulse / (rows->stiffness * h);
}

// Overlap that a swept point's multiplier explains, m: what it sinks by at rest, docs/iterative-contacts.md.
// `own` is θ D, which is 0 in converged islands.
double cnContactRows_GetStoredOverlap(const cnContactRows* rows, double impulse, double integralImpulse,
                                      double own, double substep);

// Slower than this at every point a contact counts as resting, m/s.
#define CN_REST_SPEED 0.01
// What an overlap that is left may make of a body once its rows see it, m/s; and as a part of what the
// multipliers explain, since the slow one takes seconds to settle.
#define CN_OUT_SPEED 1e-4
#define CN_OUT_SHARE 0.1
// Position correction speed where no impact limits it, m/s.
#define CN_PUSH_LIMIT 3.0f

// Overlap that makes a speed v of a point when it is given to the bodies as the energy of their material, m:
// v/√(D E).
static inline double cnContactRows_GetOverlapOfSpeed(const cnContactRows* rows, double inverseMass,
                                                     double speed) {
    return speed / sqrt(inverseMass * rows->stiffness);
}

// Energy that an overlap would give to the bodies were it stored, as the speed that it would make, m/s.
#define CN_EXCESS_SPEED 0.01
// An overlap that nothing explains is deep from this part of the smaller inradius on.
#define CN_DEEP_SHARE 0.01

// Large islands are piles. The load that pushing out leaves on the rows of faces helps their sweeps to
// converge, so these see all of the overlap. Not where it is deep, nor those of edges and corners, which have
// no integral impulse: bodies that lock by friction would keep the load, and with it the overlap.
static inline bool cnContactRows_AreLoaded(const cnContactRows* rows, bool large) {
    return large && rows->pointCount >= CN_FACE_POINTS && (rows->of.flags & cn_pairDeep) == 0;
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

// Sets or clears flags of the pair.
static inline void cnContactRows_SetFlags(cnContactRows* rows, uint32_t flags, bool value) {
    rows->of.flags = value ? rows->of.flags | flags : rows->of.flags & ~flags;
    rows->pair->flags = value ? rows->pair->flags | flags : rows->pair->flags & ~flags;
}

// Limits the position correction of a pair from now on, to a speed, m/s.
void cnContactRows_Limit(cnContactRows* rows, float limit);

// Whether it is not limited and may be, by overlaps that could make too much speed.
static inline bool cnContactRows_MayBeLimited(const cnContactRows* rows) {
    return (rows->of.flags & cn_pairLimitedCorrection) == 0 && !rows->isFoundation;
}

// Whether an overlap that nothing explains, m, is one of those; for D of its point.
bool cnContactRows_IsFast(const cnContactRows* rows, double inverseMass, double excess);

// Faster than anything: what a foundation is pressed in by, it may give back.
#define CN_ANY_PUSH 1e12

// The fastest that overlap is pushed out while nothing but the limit of the pair bounds it, m/s.
static inline double cnContactRows_GetCorrectionSpeed(const cnContactRows* rows) {
    if (rows->isFoundation) {
        return CN_ANY_PUSH;
    }
    bool isLimited = (rows->of.flags & cn_pairLimitedCorrection) != 0;
    return isLimited ? rows->of.correctionLimit : CN_PUSH_LIMIT;
}

// Of an overlap that its multiplier does not explain the rows see nothing while the position correction is
// limited: it is for cnSolve_CorrectPositions. It is limited where that is more than what the multiplier
// explains, and could make a speed of CN_EXCESS_SPEED (`isFast`, of some point; `isDeep` likewise). Of loaded
// rows an impact alone limits it, to a speed. `large` is the island's.
void cnContactRows_NoteExcess(cnContactRows* rows, bool large, bool isDeep, bool isFast);

static inline bool cnContactRows_IsPushBound(const cnContactRows* rows, bool large) {
    return !cnContactRows_AreLoaded(rows, large) && (rows->of.flags & cn_pairLimitedCorrection) != 0;
}

// The fastest that the biased row of a point with D pushes out, m/s; `stored`, m, is explained, `bounce` is
// its c.
double cnContactRows_GetPush(cnContactRows* rows, bool large, int point, double inverseMass, double stored,
                             double bounce);

// ---- formulas of rows -------------------------------------------------------------------------------------

// vᵀ m v of a symmetric matrix.
static inline double cnQuadraticForm(const cnMat33* m, cnVec3 v) {
    double diagonal = m->x.x * v.x * v.x + m->y.y * v.y * v.y + m->z.z * v.z * v.z;
    return diagonal + 2.0 * (m->x.y * v.x * v.y + m->x.z * v.x * v.z + m->y.z * v.y * v.z);
}

// G M⁻¹ Gᵀ of a row with linear part ±direction and angular parts moment1 = arm1 × direction, moment2 = arm2
// × direction.
static inline double cnInverseEffectiveMass(const cnInverseMass* m1, const cnInverseMass* m2,
                                            cnVec3 direction, cnVec3 moment1, cnVec3 moment2) {
    return cnQuadraticForm(&m1->linear, direction) + cnQuadraticForm(&m2->linear, direction) +
           cnQuadraticForm(&m1->angular, moment1) + cnQuadraticForm(&m2->angular, moment2);
}
