// What the solve asks of a contact's pair itself, whether it has rows (contact_rows.h) or not.
//
// Overlap. What has sunk in without any force is taken out by moving bodies (sweeps/position_correction.c),
// and while that is to be, rows must not see it. A pair's flags and the limit of its position correction say
// how it stands; this is where they change.
#pragma once

#include "base/report/assert.h"
#include "solve/solve.h"

// From the bodies' centres of mass to a point, m, world axes.
static inline cnVec3 cnPair_GetArm1(const cnPair* pair, int point) {
    CN_ASSERT(point >= 0 && point < pair->manifold.pointCount);
    return cnToD(pair->arm1[point]);
}

static inline cnVec3 cnPair_GetArm2(const cnPair* pair, int point) {
    CN_ASSERT(point >= 0 && point < pair->manifold.pointCount);
    return cnToD(pair->arm2[point]);
}

// What the curvature adds in a step to G v along the normal, by which a point gets nearer or farther, m/s: of
// surfaces that were on one another before. Of those that meet now nothing rolls yet. An impact between them
// that took the curvature for a speed would strike as a wall that moves does, and give the energy of one: a
// cylinder that tumbles at 37 rad/s gained half of its own where it struck.
static inline double cnPair_GetRollingSpeed(const cnPair* pair, double h) {
    return (pair->flags & cn_pairWasTouching) != 0 ? pair->curvature * h : 0.0;
}

// G v of a point along the normal, m/s, at the poses that bodies have now; and with what rolling adds.
double cnPair_GetNormalSpeed(const cnPair* pair, const cnBodyTable* bodies, int point);
double cnPair_GetApproach(const cnPair* pair, const cnSolve* solve, int point);

// Squares of a contact's longest arms, m².
typedef struct cnPairReach {
    double square1, square2;
} cnPairReach;
cnPairReach cnPair_GetReach(const cnPair* pair);

// At least as much as any point of a contact approaches or recedes by, m/s: little where both bodies hardly
// move, which tells that no point need be looked at.
double cnPair_GetMostApproach(const cnPair* pair, const cnSolve* solve, cnPairReach reach);

// D = G M⁻¹ Gᵀ of a point along the normal, 1/kg.
double cnPair_GetInverseEffectiveMass(const cnPair* pair, const cnSolve* solve,
                                      const cnSolverContact* contact, int point);

// ---- normal rows ------------------------------------------------------------------------------------------

// Share of the sweeps' own compliance that is added as a row's: between two dynamic bodies, and with one that
// is not.
#define CN_THETA_BOTH 1.0
#define CN_THETA_ONE 0.4
// Share of the sink that the integral term takes out. It takes no more from a point than this one's own λ
// sinks it: λ̄ is the mean of a face, and a corner that bears less than the mean would be pushed out until it
// no longer touches, and come and go there. Piles never came to rest of it.
#define CN_INTEGRAL_SHARE 0.8f
// Of λ̄, s: after a landing piles sink too far for as long. (With 2 s the boxes of a wall overlapped by half
// as much again in its first six seconds, and a pile crept for ten.)
#define CN_INTEGRAL_TIME 0.5
// The integral term takes the sweeps' own sink out of faces that bear on one another. In a contact of one or
// two points, about which a body can rock, it lags behind the load and feeds the rocking indefinitely; there
// it is left out.
#define CN_FACE_POINTS 3

// θ of a swept contact.
static inline double cnThetaOf(const cnSolverContact* contact) {
    return contact->body1 != 0 && contact->body2 != 0 ? CN_THETA_BOTH : CN_THETA_ONE;
}

// λ̄ as far as it counts.
static inline float cnPair_GetIntegralImpulse(const cnPair* pair) {
    return pair->manifold.pointCount < CN_FACE_POINTS ? 0.0f : pair->integralImpulse;
}

// Slower than this at every point a contact counts as resting, m/s.
#define CN_REST_SPEED 0.01
// What an overlap that is left may make of a body once its rows see it, m/s; and as a part of what the
// multipliers explain, since the slow one takes seconds to settle.
#define CN_OUT_SPEED 1e-4
#define CN_OUT_SHARE 0.1
// Position correction speed where no impact limits it, m/s.
#define CN_PUSH_LIMIT 3.0f

// Energy that an overlap would give to the bodies were it stored, as the speed that it would make, m/s.
#define CN_EXCESS_SPEED 0.01
// An overlap that nothing explains is deep from this part of the smaller inradius on.
#define CN_DEEP_SHARE 0.01

// Large islands are piles. The load that pushing out leaves on the rows of faces helps their sweeps to
// converge, so these see all of the overlap. Not where it is deep, nor those of edges and corners, which have
// no integral impulse: bodies that lock by friction would keep the load, and with it the overlap.
static inline bool cnPair_AreRowsLoaded(const cnPair* pair, bool large) {
    return large && pair->manifold.pointCount >= CN_FACE_POINTS && (pair->flags & cn_pairDeep) == 0;
}

// Limits the position correction of a pair from now on, to a speed, m/s.
static inline void cnPair_LimitCorrection(cnPair* pair, float limit) {
    pair->flags |= cn_pairLimitedCorrection;
    pair->correctionLimit = limit;
}

// The fastest that overlap is pushed out while nothing but the limit of the pair bounds it, m/s; not of
// foundations.
static inline double cnPair_GetCorrectionSpeed(const cnPair* pair) {
    return (pair->flags & cn_pairLimitedCorrection) != 0 ? pair->correctionLimit : CN_PUSH_LIMIT;
}

// Of an overlap that its multiplier does not explain the rows see nothing while the position correction is
// limited: it is for cnSolve_CorrectPositions. It is limited where that is more than what the multiplier
// explains, and could make a speed of CN_EXCESS_SPEED (`isFast`, of some point; `isDeep` likewise). Of loaded
// rows an impact alone limits it, to a speed. `large` is the island's. Not of foundations.
static inline void cnPair_NoteExcess(cnPair* pair, bool large, bool isDeep, bool isFast) {
    pair->flags |= isDeep ? (uint32_t)cn_pairDeep : 0;
    if (isFast && (pair->flags & cn_pairLimitedCorrection) == 0 && !cnPair_AreRowsLoaded(pair, large)) {
        cnPair_LimitCorrection(pair, CN_PUSH_LIMIT);
    }
}

static inline bool cnPair_IsPushBound(const cnPair* pair, bool large) {
    return !cnPair_AreRowsLoaded(pair, large) && (pair->flags & cn_pairLimitedCorrection) != 0;
}

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

// A body bears this part of all that its points give it: what presses it on one side presses it on the other.
#define CN_BORNE_PART 0.5

// The share of its mobility with which a body is pushed out of overlaps: less than 1 where it bears more than
// its own weight (position_correction.c). `load`: N s a sub-step, summed over its points.
static inline double cnInverseMass_GetPushShare(const cnInverseMass* inverse, double load, double substep) {
    double borne = CN_BORNE_PART * load * inverse->linear.x.x / (CN_STANDARD_GRAVITY * substep);
    return 1.0 / cnMax(borne, 1.0);
}
