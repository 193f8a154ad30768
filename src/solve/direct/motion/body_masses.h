// Masses and momenta of an island's bodies in a sub-step: left-hand and right-hand sides of the linear
// system.
#pragma once

#include "solve/direct/nodes/direct_island.h"

// A body at the start of a sub-step.
void cnDirect_PrepareBody(cnDirectIsland* island, int body);
// Left-hand sides with what geometric stiffness adds, right-hand sides with what that carries on.
void cnDirect_LoadBodies(cnDirectIsland* island);
// What the bearings of a rotor take up in a step, across the axis as it stands now: what is left of the last
// rotation, and half of what a rotation with this spin would leave.
cnVec3 cnDirect_BearingMomentum(const cnDirectIsland* island, const cnDirectBody* body, cnVec3 spin);
