// Round bodies that move: the normal a little ahead.
//
// A ball that runs along a curved wall keeps to it by a force that rotates with it. With the normal of the
// step's begin the force of the whole step lags by half of what the ball goes round in it, θ = ω h: it pushes
// forward, and a ball that swings in a tube gains N v θ/2 of power. So a manifold of two round shapes takes
// its normal and arms from where the bodies will be when the n forces of the sub-steps act in the mean, at
// τ = (h − h_s)/2, should nothing act on them along the normal. (They act at the begin of each sub-step; with
// n = 1 that is now.) They are found between now and half a step ahead.
//
// So does what rolls on the rim of a cylinder or a cone, whose lowest point goes round, and what rocks on
// something round, or the round thing on its edge, and something round that is heavier on one side.
//
// Along that normal the path of the ball bends away from a straight line by q(t) = Q t (2τ − t). Q follows
// from the separation found half a step ahead, less what the straight motion makes. The rows of the solve add
// q to their separations and its rate to their speeds; so the ball's velocity rotates from θ/2 before that of
// the time τ to θ/2 behind it, keeps its amount, and the ball stays at the wall. (To second order, and for
// n = 1 to the letter, this is SHAKE: Ryckaert, Ciccotti, Berendsen 1977.) Depths and places that are read
// are those of the step's begin.
#pragma once

#include "collide/pairs/narrow_phase.h"

// Where the bodies of a pair will be in half a step.
typedef struct cnMidpointPoses {
    double time;  // s
    cnVec3 shift; // m, of body 1 against its motion along the normal
    cnPose pose1, pose2;
    cnVec3 centre1, centre2;
} cnMidpointPoses;

// Whether a round shape and another touch in a point or along a line, as in the step before, with a normal
// that has rotated since, or the round one is heavier on one side. `first` is the manifold as it is now,
// which is not installed yet. (Polytopes that rock on one another's edges are left out: piles of them would
// be looked at twice, an eighth of their time.)
bool cnRocksOnRound(const cnPair* pair, const cnManifold* first, const cnNarrowPhase* phase);

// False where it is not worth looking: not both shapes are round, nothing rolls on a rim or rocks,
// hardly anything moves, or they meet anew. `first` is the deepest manifold as it is now.
bool cnFindMidpointPoses(const cnPair* pair, const cnManifold* first, bool rocks, cnPose pose1, cnPose pose2,
                         const cnNarrowPhase* phase, cnMidpointPoses* ahead);

// What an installed manifold takes over from one found half a step ahead; false where they differ too much.
bool cnFindMidpoint(const cnManifold* now, const cnManifold* later, const cnMidpointPoses* poses,
                    const cnPair* pair, const cnNarrowPhase* phase, cnMidpoint* ahead);

void cnApplyMidpoint(cnPair* pair, const cnMidpoint* ahead);

// ---- shared with pairs of balls (ball_pairs.c) ------------------------------------------------------------

// Whether what moves at a speed, m/s, goes so far in half a step that it is worth looking ahead.
bool cnIsMidpointAhead(const cnPair* pair, double time, double speed);

// A gap now and half a step ahead.
typedef struct cnMidpointGap {
    double time;             // s
    cnVec3 shift;            // m, of cnMidpointPoses
    cnVec3 normal1, normal2; // now, ahead
    cnVec3 velocity;         // m/s, ahead, of body 1 relative to body 2
    double nearer;           // m, by which the gap closes
    cnVec3 normal;           // found: that of the time when the forces act in the mean
    double curvature;        // found: Q, m/s²
} cnMidpointGap;

// Finds the normal and Q from the rest; false where the gap is not that of smooth surfaces.
bool cnMidpointGap_Find(cnMidpointGap* gap, double kickShare);
