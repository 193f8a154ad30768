// Pairs of two balls: contact, and what midpoint_normal.h says of it, in closed form.
//
// In a heap of balls most pairs roll on one another, so that their manifolds are built in every step. Two
// balls have one point of contact at most, wherever that is on them: its multiplier carries over as long as
// they touch.
#pragma once

#include "collide/pairs/narrow_phase.h"

// Builds the manifold of a pair of two balls.
void cnBuildBallPair(cnPair* pair, const cnNarrowPhase* phase);
