// Gravity as a field: uniform, towards a point, or a Kepler centre.
#pragma once

#include "cairn/types.h"

// m/s² at a point.
cnVec3 cnGravityAt(const cnGravity* gravity, cnVec3 point);

// J/kg at a point; uniform −g·x, point magnitude·distance, Kepler −mu/distance.
double cnGravityPotential(const cnGravity* gravity, cnVec3 point);
