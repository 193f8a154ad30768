// Energy that constraints store elastically.
#pragma once

#include "dynamics/joint.h"

// Rows that are softer are springs, m/N or rad/(N m): what stiffer ones store is below what
// their gaps can tell.
#define CN_SPRING_COMPLIANCE 1e-6

// Of a constraint's springs, J: of spring constraints, and of degrees of freedom, locks and ranges that are
// as soft; at the poses of `view` and the coordinates of the table.
double cnJoint_GetElasticEnergy(const cnConstraintTable* table, int row, const cnJointView* view);

// What the forces that these have at some poses and coordinates would do on the way to others, J; `now`: the
// table's coordinates.
double cnJoint_GetElasticWork(const cnConstraintTable* table, int row, const double coordinatesBefore[2],
                              const cnJointView* before, const cnJointView* now);
