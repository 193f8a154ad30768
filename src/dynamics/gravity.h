// Gravity as a field: uniform, towards a point, or a Kepler centre.
#pragma once

#include "dynamics/body_table.h"

// m/s² at a point.
cnVec3 cnGravityAt(const cnGravity* gravity, cnVec3 point);

// m/s² that a body feels at its centre of mass: that field times its scale.
cnVec3 cnGravityOn(const cnGravity* gravity, const cnBodyTable* bodies, int row);

// N m about the centre of mass: of a carrier whose parts have different scales, else 0.
cnVec3 cnGravityTorqueOn(const cnGravity* gravity, const cnBodyTable* bodies, int row);

// J/kg at a point; uniform −g·x, point magnitude·distance, Kepler −mu/distance.
double cnGravityPotential(const cnGravity* gravity, cnVec3 point);
