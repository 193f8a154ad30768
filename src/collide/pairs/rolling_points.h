// Points where something round touches, and which go on as it rolls.
//
// Points of the two bodies hardly move against one another there, but the next ones touch. In a round body
// whose centre of mass lies on its axis the arm to the point stays the same all the while, in world axes; in
// what it rolls on the arm goes on, and in a round body that is heavier on one side, too. A manifold that was
// kept meanwhile, or that has the arms of the step's begin, lets forces act behind the point: a plank that
// rocks on a ball, and a roly-poly, gain by that.
#pragma once

#include "collide/pairs/narrow_phase.h"

// Whether the point moves in one of the two bodies, of those that can be moved, as they roll on one another.
bool cnPair_PointGoesOn(const cnPair* pair, const cnNarrowPhase* phase);

// Whether a body of the pair that is round is heavier on one side.
bool cnPair_IsLopsided(const cnPair* pair, const cnNarrowPhase* phase);
