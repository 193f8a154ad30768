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
// slowed to what the sub-steps that there are can follow: the cut loses energy and gains none.
//
// What an island may spend depends on what those before it spent. To be solved side by side, islands get the
// least that they may, and one that wants more sub-steps is put back to its start and waits until more is
// known (direct_islands.c).
#pragma once

#include "solve/direct/nodes/direct_island.h"

// What a body was at the start of the step, should the island repeat it.
typedef struct cnSavedBody {
    cnVec3 position, centreOfMass, velocity, angularMomentum, angularVelocity, filteredSpin, bearingMomentum;
    cnQuat rotation;
    double stiffness, energyCredit;
    cnVec3 netForce, netTorque, pathSpin, spinRate, owedImpulse, owedMoment;
    double lag;
    int smoothSteps;
    uint32_t flags;
} cnSavedBody;

// The island's step, cut into sub-steps; `saved` has room for its bodies. False where it has to wait: nothing
// of it has changed then.
bool cnDirect_RunStep(cnDirectIsland* island, cnSavedBody* saved);

// Operations of a sub-step, and how many sub-steps the island's work allows.
double cnDirect_SubstepWork(const cnDirectIsland* island);
double cnDirect_MaxSubsteps(const cnDirectIsland* island);
// Operations of the sub-steps that any island may take, whatever is left.
double cnDirect_FreeWork(const cnDirectIsland* island);
// Sub-steps of h that these rotations want, at most as many as the island's work allows.
int cnDirect_CountSubsteps(const cnDirectIsland* island, double rotationRate, double h);
