// What sweeps take over from the direct solver, and leave to it (joint_blocks.h).
#pragma once

#include "solve/solve.h"

// Before the joints and contacts of swept islands are packed. False when memory ran out.
//
// The direct solver keeps more of a body from step to step than its velocity: momentum that bearings owe is
// paid, the rest is forgotten. Joints and contacts that it solved to the end may hold one another with a
// thousand times their weight; sweeps that find one of these forces a little off would shoot limbs away with
// the rest. So what it solved in the last step starts without any force. In turn it will start from
// velocities, and not from gaps of a step that was not its own.
bool cnTakeOverJoints(cnSolve* solve);
