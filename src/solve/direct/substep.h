// A sub-step of an island that is solved directly: preparation, solution, correction, guard, motion.
#pragma once

#include "solve/direct/nodes/direct_island.h"

void cnDirect_SubStep(cnDirectIsland* island);
// Its parts: masses, rows and what is wanted of them; a solution with the stiffness that it makes; the gap
// that is left, taken out on the same factorisation; sums, poses and momenta.
void cnDirect_PrepareSubStep(cnDirectIsland* island);
void cnDirect_Solve(cnDirectIsland* island);
void cnDirect_Correct(cnDirectIsland* island);
void cnDirect_FinishSubStep(cnDirectIsland* island);

// Left-hand and right-hand sides, to the factor.
void cnDirect_LoadValues(cnDirectIsland* island);
// The violations of all rows of joints where the solution leads: `ahead`.
void cnDirect_LookAhead(cnDirectIsland* island);
