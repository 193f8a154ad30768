// How fast directions go round that rows depend on: a wheel's own spin does not count in bearings that hold
// its axis.
#pragma once

#include "solve/direct/nodes/direct_island.h"

// A sub-step rotates a body by at most this much, rad, where the budget suffices.
#define CN_SUBSTEP_ROTATION 0.1

// rad/s, that a sub-step has to resolve, with velocities of 6 numbers a body.
double cnDirect_RotationRate(const cnDirectIsland* island, const double* velocities);
// The same of the bodies as they move now.
double cnDirect_CurrentRotationRate(const cnDirectIsland* island);
// Slows bodies that rotate farther than a sub-step of h can follow at the rate that they have. Answers how
// fast rotations go then, rad/s.
double cnDirect_LimitRotations(cnDirectIsland* island, double rate, double h);
// Carries angles over the rotations of a sub-step that has moved its bodies.
void cnDirect_FollowAngles(cnDirectIsland* island);

// Whether a joint lets its attachments go apart.
bool cnDirect_Slides(const cnConstraint* joint);
// True where a joint to the world, or to a body that is not dynamic, holds the island.
bool cnDirect_IsHeld(const cnDirectIsland* island);
