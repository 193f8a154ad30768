// What an impact does to the bodies of a contact, or of several between the same two.
//
// A contact's points are solved together by projected Gauss–Seidel sweeps in f64, along rows that act on one
// another by a matrix: what an impulse along one does to the velocities along all. So are the contacts of two
// bodies that touch in several places, a table's legs on the floor: one after the other, each would find the
// body turned by those before it, and a table that falls flat would turn and run away. Should friction and
// restitution together raise the kinetic energy, λᵀ(u⁻ + u⁺)/2 > 0 with u the velocities along the rows
// (beyond rounding: at e = 1 it is zero), the contact is solved again without restitution. Bodies that joints
// connect answer together (direct_impacts.h).
//
// The stepper is a leap-frog: positions belong to t, velocities to an earlier time, that of a free body to
// t − h/2, that of a body in sub-steps to t − h_s/2 (velocity_times.c). With a the acceleration by gravity
// and users' forces the impact itself sees v + a h/2, and what it leaves is for the sub-steps that follow:
//   v⁺ = −e (v⁻ + a h/2) − a h_s/2,
// of which only −(1 + e) (v⁻ + a h/2) is the impulse.
// At e = 1 this is the exact reversal of the leap-frog; without it a ball loses g h of its speed
// at every bounce.
//
// Positions are those of the end of a step, an impact was before: impact_times.h takes it back to when the
// surfaces met, and bodies that flew to where they would have come by now.
#pragma once

#include "solve/impacts/direct_impacts.h"

// Whose impacts they are.
typedef struct cnImpactBodies {
    cnSolve* solve;
    cnLinkedImpacts* linked;
    const bool* rests; // by solver index: those that lie on something
} cnImpactBodies;

typedef struct cnImpactOutcome {
    bool isThere;  // else it does not bounce
    bool hasMoved; // took bodies to where they would have come by now
    double work;   // J, given to bodies that are dynamic
} cnImpactOutcome;

// Most contacts that strike together.
#define CN_STRIKE_TOGETHER 8

// Changes the velocities of the bodies of a contact, or of several that strike together: those between the
// same two bodies or linkages (all that is not dynamic counts as one), CN_STRUCK_BODIES of them at most. Adds
// to a record of each. `mayBeLinked`: joints may connect one of them to others; where it is false nothing but
// the own bodies are written, and several threads may be at contacts that share none. There is no impact
// where bodies that turn do not approach at the time of the positions, or where the joints' part of every
// answer would raise the kinetic energy; the solve stops them then.
cnImpactOutcome cnBounceContacts(const cnImpactBodies* bodies, const int* contacts, int count,
                                 bool mayBeLinked, cnContactImpact* const* records);
