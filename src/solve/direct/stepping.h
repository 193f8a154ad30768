// How the step of an island is cut into sub-steps.
//
// A joint's force keeps its direction over a sub-step, and its rows see the gap at the end of it to second
// order. Both hold while bodies rotate by less than about 0.1 rad: gaps stay below 1 mm then at arms of half
// a metre, and the energy swings by less than 1 %. Beyond 0.4 rad energy rises with each rotation, beyond 2.5
// rad it runs away. So the number of sub-steps follows from the rotation that is to come: from the velocities
// at the start of the step, and again from those at its end, since impacts and snaps speed bodies up within
// it; where these want more than twice as many, the island goes back to its start and takes the step again.
//
// What counts is how fast directions go round that rows depend on (rotation_rates.h): a wheel's own spin does
// not, in bearings that hold its axis.
//
// Sub-steps have a budget of operations, of the island and of the world. Where it does not suffice bodies are
// slowed to what the sub-steps that there are can follow: the cut loses energy and gains none.#pragma once

#include "solve/direct/nodes/direct_island.h"

// The island's step, cut into sub-steps; false when memory ran out.
bool cnDirect_RunStep(cnDirectIsland* island);

// Operations of a sub-step, and how many sub-steps the island's work allows.
double cnDirect_SubstepWork(const cnDirectIsland* island);
double cnDirect_MaxSubsteps(const cnDirectIsland* island);
// Sub-steps of h that these rotations want, at most as many as the island's work allows.
int cnDirect_CountSubsteps(const cnDirectIsland* island, double rotationRate, double h);
