// Which bodies anything static or kinematic acts on, directly or through others.
#pragma once

#include "world/world.h"

// Per row of the body table in `world->anchored`, by the contacts of the last step and the constraints as
// they are now. False with an error when memory ran out.
bool cnFindAnchoredBodies(cnWorld* world, const char* call);
