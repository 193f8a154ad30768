// Directions across a direction.
#pragma once

#include "cairn/math.h"

// A unit vector across another one.
cnVec3 cnFindTangent(cnVec3 unit);
