// Rows of one constraint, for any solver: what is held, what secondaries ask, along which gradients.
#pragma once

#include "dynamics/joint.h"

typedef enum cnJointRowKind {
    cn_rowHolonomic = 0, // held at violation 0
    cn_rowVelocity,      // driven to a target speed
    cn_rowOneSided,      // held on one side of a limit, or of a contact
    cn_rowSway,          // across a line that is taut: holds back a change of speed (stiff_joints.h)
} cnJointRowKind;

// A row as it acts on the constraint's bodies: first and second, or those of the first and of
// the second partner.
typedef struct cnJointRow {
    int slot;
    cnJointRowKind kind;
    double violation, target; // m or rad; m/s or rad/s
    double min, max;          // N or N m
    double compliance;        // of velocity rows viscous, (m/s)/N
    double damping;           // s; negative: two (sub-)steps
    int sides;                // 2 or 4 of these
    double jacobian[4][6];    // linear and angular
} cnJointRow;

enum {
    cn_swayRows = 2, // of a line
    cn_mostJointRows = 8,
};

// How many rows it has, as long as its settings stand: held ones and a screw, or, with `secondary`, motors,
// locks, ranges, friction, cone, twist, and two across a line.
int cnJoint_CountRows(const cnConstraint* joint, bool secondary);

// These rows. Answers how many: of a distance of 0, which has no direction, none.
int cnJoint_MakeRows(cnConstraintTable* table, int constraint, bool secondary, const cnJointView* view,
                     cnJointRow rows[cn_mostJointRows]);

// Their violations in other poses, of ranges against the limit that the rows are for.
int cnJoint_FindViolations(cnConstraintTable* table, int constraint, bool secondary, const cnJointView* view,
                           double violations[cn_mostJointRows]);

// To the columns of forces, N or N m, what a row pressed with.
void cnJoint_AddRowForce(cnConstraintTable* table, int constraint, int slot, double force);
