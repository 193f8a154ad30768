// Islands whose joints are swept in lanes beside contacts (sweeps/joint_blocks.h).
//
// Sweeps hand forces on by one joint in each, so what they hold is soft where much hangs on little: joints of
// a crowd of ragdolls open by millimetres while these tumble and by hundredths of that at rest, in a tenth of
// the time of a factorisation. They are for islands of points that are held together, with rows about axes
// besides, between bodies of like masses: all constraints of which the user wants to be iterative; or, by
// `auto`,
//   nets, which have hundreds of loops and a dear factor;
//   islands that touch something, beyond so many joints in a step, where the joints make no loop, since loops
//   bear by their geometry. The first are solved exactly, in the order of the islands: a single machine, or
//   a few figures, are as exact among others as alone.
// Rows about axes are those of the start of the step. Where such bodies rotate farther than a tenth of a
// radian in a step, the island is solved as it would be without sweeps.
#pragma once

#include "solve/solve.h"

// Most rows about axes that a joint has which is swept.
#define CN_JOINT_AXES 5

// Makes them cn_islandSwept.
void cnSolve_ChooseSweptJoints(cnSolve* solve);
