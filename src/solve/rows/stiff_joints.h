// Geometric stiffness: why joints hold any mass ratio in one step, and how a body rotates that joints hold.
//
// A joint's force keeps its direction over a step, so a light body that carries a large force F at an arm r
// is a pendulum of stiffness F r that is integrated explicitly: unstable where h² F r/I > 4, whatever
// compliance or damping the rows have (a 1 kg link under 290 kN swings at 1000 rad/s). The remedy resists the
// change of the body's angular velocity, as an implicit step would: with r_j from the centre of mass to each
// anchor, f_j the last force of that joint's translation rows,
//
//   k = Σ |f_j||r_j|,  K = 2 Σ (|f_j|/|r_j|)(|r_j|² 1 − r_j r_jᵀ),
//   s = h² k/(2.5 I_max),  A = h² K s²/(1 + s²),
//   left-hand inertia I + A,  right-hand angular momentum L + β A ω̂ + h τ,
//   β = min(1, 1.2 k_before/k) max(0, 1 − |ω − ω̂|²/(|ω|² + |ω̂|²)).
//
// ω̂ is the angular velocity filtered by ½ a step: A holds back what is new in ω and lets go what lasts, so a
// shaft under load still speeds up. With A on the left alone (β = 0) every swing is damped; with an isotropic
// A a loaded shaft does not turn at all; the exact tensor −sym([f]×[r]×) leaves a thin link's own axis free
// and explodes there. Only joints count, not contacts: rollers would brake.
//
// A distance between light bodies is such a pendulum in translation: its force f over its length l is a
// stiffness across it, unstable where h² f/(l m) > 4. The beads of a rope swing together, so a mass of their
// own would make the rope heavy; only their motion past one another may be held back. That takes two rows
// across the line, with u the speed of its first end aside of the second and û the same filtered:
//   λ = −A (u⁺ − β û),  A = 2 h² (f/l) s²/(1 + s²),  s = 2 h² (f/l) w/2.5,
// w the inverse mass that the ends have across it and β as above. Of a rope of 20 beads of 1 g with 100 kg
// at its end, let go when level, links open by 3e-5 m and 1.9 % of the energy are lost in 4 s at h = 1/60;
// without those rows 8e-3 m and 71 %, as the energy guard held it still. Springs have none of them.
//
// Rotation rows keep their direction, too. Their torque τ is across an axis that is left free, and a load
// tilts the joint by δ = c |τ|: then the body's own axis is not the one that the rows leave free. Where it
// swings by ε within the step, τ has a part ε |τ| about it; where it turns by φ about the rows' axis, it
// swings by δ φ. That is a stiffness |τ| δ about the free axis, which in a slender body resists nothing: in a
// hinge that 180 t tilt by 0.025 rad a rod of 770 kg began to spin, eleven times as fast in each step, until
// it had torn its joint. So
//   k_a = |τ| δ,  s_a = h² k_a/(2.5 I_a),  A += 2 h² k_a s_a²/(1 + s_a²) a aᵀ
// for each axis a that its rotation rows leave free, I_a the moment about it. Nothing of it is left where a
// joint is not tilted, as those are that carry what they are made for.
//
// How a body rotates after the solve: torque-free, with L fixed in the world, goes wrong for a fast body
// whose axis a hinge holds: within a step its axis would run round L, and the bearings would have to bring it
// back. So a body whose hinges share one axis a, and that is the same all round it or is held by something
// much heavier, is a rotor while it turns by more than 0.1 rad a (sub-)step about that axis: it turns by h
// ω·a about a and then by exp(h ω⊥); ω⊥ goes on, and ω·a follows from the momentum about a, which Euler's
// moment ω⊥·(a × I ω) changes, in its mean over the rotation (a rod on a turning shaft swings by it). What
// momentum this leaves over across a is what the bearings have to take up, so that their reaction reaches
// what holds them (gyroscopes precess, momentum stays): half of it in the step before the turn, found first
// with the spin at its start and then, in the correction, with the one that was solved for, half in the step
// after. (All of it after the rotation is an explicit step of the nutation, whose energy grows.) Slower
// bodies rotate freely: convergent to second order, whatever holds them.
//
// A step without A becomes unstable at s = 1.6, and A rises with s²: the filter lags, so A costs accuracy
// where it is not needed (the third swing of a chain of 25 rods of 0.4 kg, h = 1/60, is 0.43 % too slow, with
// s/(1 + s), s = 2 h² k/I_max, 1.1 %; later onsets let unloaded whips open by 10 cm). In a snap forces grow
// tenfold in a step: it is solved again with the stiffness of the new ones, up to four times (of six slack
// chains that 10⁴ kg snaps two exploded with once, none so).
//
// Measured with a prototype (20 s of a chain of 1 kg links with 10⁴ kg at its end, h = 1/60): violation
// 5.7e-5 m where plain rows explode; docs/stiff-joints.md has the tables, the rivals and the limits.
#pragma once

#include "solve/solve.h"

typedef struct cnStiffness {
    double sum;     // k with all k_a, N m
    cnMat33 tensor; // K, N m
    cnMat33 axial;  // of A what free axes give, kg m²
} cnStiffness;

static inline void cnStiffness_Clear(cnStiffness* stiffness) {
    *stiffness = (cnStiffness){.sum = 0.0};
}

// A force of so many N at an arm of that length, m.
void cnStiffness_Add(cnStiffness* stiffness, double force, cnVec3 arm, double length);

// Rotation rows, k_a = |τ| δ in N m, that leave a unit axis of a body free about which it has that moment.
void cnStiffness_AddAxis(cnStiffness* stiffness, double tilted, cnVec3 axis, double moment, double h);

// A, kg m²; zero where nothing acts.
cnMat33 cnStiffness_AddedInertia(const cnStiffness* stiffness, double largestMoment, double h);

// β, of a stiffness before and now and what it holds back a change of: ω or u.
double cnStiffness_CarriedShare(double before, double now, cnVec3 velocity, cnVec3 filtered);

// A of a line, kg, from its tautness f/l and the inverse mass that its ends have across it; 0 where nothing
// acts.
double cnStiffness_AddedMass(double tautness, double inverseMass, double h);

typedef enum cnRotationKind {
    cn_rotationFree = 0, // torque-free, L fixed in the world
    cn_rotationPlain,    // ω fixed in the world: balls, and worlds without gyroscopic torques
    cn_rotationRotor,    // about an axis of its own, and across it
} cnRotationKind;

// How one body rotates.
typedef struct cnRotationModel {
    cnRotationKind kind;
    cnVec3 axis; // model frame, of a rotor
} cnRotationModel;

// After it.
typedef struct cnRotated {
    cnVec3 momentum; // L
    cnVec3 bearing;  // what the bearings of a rotor have to take up, N m s, across the axis
} cnRotated;

// Rotation after h with the angular velocity `spin`; `rotated`, of rotors, may be null.
cnQuat cnRotationModel_Apply(const cnRotationModel* model, const cnBodyTable* bodies, int row,
                             cnQuat rotation, cnVec3 spin, double h, cnRotated* rotated);
