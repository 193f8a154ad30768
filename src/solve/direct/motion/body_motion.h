// Where an island's bodies would be after a sub-step, and their motion at its end.
#pragma once

#include "solve/direct/nodes/direct_island.h"

// Trial poses x ⊕ h v of a body and of the one after it, with velocities of 6 numbers a body.
void cnDirect_TryPoses(const cnDirectIsland* island, int body, const double* velocities);
// Velocities and poses at the end of the sub-step, of all bodies.
void cnDirect_MoveBodies(cnDirectIsland* island);
