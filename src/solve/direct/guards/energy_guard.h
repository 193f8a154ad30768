// Energy that nothing gave.
//
// Rows that hold joints and contacts may store energy and lose it, but make none. In a sub-step from v to v⁺
// all rows of an island together give its bodies, beside the work of gravity and users' forces,
//
//   T = Σ ½ (v⁺ + v)·(M v⁺ − p),   p = M v + h f: the momenta without rows,
//
// and of this some has a source: motors and velocity rows give ½ λ (G v⁺ + G v), springs no more than they
// had stored, bodies that do not yield −λ times their speed, limits and locks that the user moved what he
// stored in them. The rest, S, is an error of the step. Where rotations are resolved it is of second order
// and of either sign, for half-step velocities swing about the energy; where they are not, or where rows
// contradict one another, nothing bounds it: one such step makes an explosion.
//
// So an island has a credit C, kept with its bodies from step to step (by mass): C ← min(C − S, 0.5 % of the
// kinetic energy + the elastic energy of its rows). What is lost comes back up to that; what is not lost does
// not come. Where S > C + tolerance the rest is taken out of the solution before it moves anything: v ← v̄ +
// s (v − v̄), with v̄ the rigid motion that has the same momenta, or of an island that is held the motion of
// what holds it. That opens no joint and changes no momentum. What is left of it then, an island thrown up as
// a whole by a contact, is taken out of all motion.
//
// So energy + C never rises by more than the tolerance, 8e-4 of the kinetic energy, whatever the rows do.
//
// Tried in vain: taking the sub-step again with more sub-steps (wedges get worse, their loads press for a
// shorter time and fire all the same); scaling the internal motion alone (a contact lifts the island as a
// whole); tolerances relative to the energy of the solution that is judged; ½ ε f² as a source of its own (an
// impact in a short sub-step "stores" any amount).
#pragma once

#include "solve/direct/nodes/direct_island.h"

// Credit of bodies is at most this share of their kinetic energy, and what the rows' elasticity can hold.
#define CN_CREDIT_SHARE 5e-3
// Energy that may be raised without credit: a share of the kinetic energy, and of what external forces give
// from rest in a step.
#define CN_ENERGY_TOLERANCE 8e-4
#define CN_FORCE_SHARE 0.015
// s, in which what forces would explain is forgiven: a joint that closes a gap of a few micrometres under its
// load lifts it, and where nothing moves nothing is lost that would give the credit back.
#define CN_FORGIVING_TIME 0.25

// Judges the solution of a sub-step, before it moves the bodies.
void cnDirect_GuardEnergy(cnDirectIsland* island);

// Takes out of such a solution what its kinetic energy is above a limit, J.
void cnDirect_LimitEnergy(cnDirectIsland* island, double max);

// Kinetic energy of an island with velocities of 6 numbers a body, J.
double cnDirect_KineticEnergy(const cnDirectIsland* island, const double* velocities);

// Energy that external forces give a body in a step from rest, J.
static inline double cnEnergyOfForces(const cnSolve* solve, int row) {
    double speed = solve->h / solve->bodies->mass[row] * cnLength(solve->bodies->lastForce[row]);
    return 0.5 * solve->bodies->mass[row] * speed * speed;
}

// What may be raised without credit, J.
typedef struct cnEnergyTolerance {
    double ofMotion, ofForces;
} cnEnergyTolerance;

// What is left of a credit, J, once so much was raised: a debt beyond the tolerance is forgiven, or what
// falls would hang in the air.
static inline double cnCreditAfter(double credit, double raised, const cnEnergyTolerance* tolerance,
                                   double max, double h) {
    double after = cnMax(credit - raised, -(tolerance->ofMotion + tolerance->ofForces));
    double owed = -tolerance->ofMotion - after;
    after += owed > 0.0 ? cnMin(h / CN_FORGIVING_TIME, 1.0) * owed : 0.0;
    return cnMin(after, max);
}
