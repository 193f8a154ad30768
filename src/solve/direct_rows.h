// Rows of islands that are solved directly: from constraints and contacts to blocks of a sparse system.
//
// An island's bodies that yield are numbered from 0. A node is a constraint's held rows, a constraint's secondary rows, a contact's
// normal rows, or its friction; its rows couple the same bodies. Bodies that do not yield (the world, static and kinematic ones) only add their speed.
//
//   holonomic row   G v + Σ λ = −(4/h) γ g + γ ġ − (g̃ − g)/h + G v_k     joints, locks, screws: see stiff_joints.h
//   velocity row    G v + Σ λ = target                                     motors, friction
//   limit           the same with g, ġ of what is beyond it; −g/h in place of their terms where it is not reached yet   ranges
//   contact         G v + Σ λ = −(4/h) γ g + γ G v_k, or −g/h where g > 0
//
// with g the violation at the start of the sub-step, ġ = (g − g before)/h before, g̃ the violation where the bodies would be
// after h with the velocities that they have. λ is bounded.
#pragma once

#include "dynamics/joint.h"
#include "solve/solve.h"

typedef enum cnDirectRowKind {
    cn_rowHolonomic = 0,
    cn_rowVelocity,
    cn_rowOneSided,
} cnDirectRowKind;

typedef struct cnDirectRow {
    cnDirectRowKind kind;
    int slot; // of the constraint; −1 for contacts
    int node;
    double violation; // g
    double rate;      // ġ
    bool hasRate;     // else it is G v_k
    double gamma, sigma;
    double recovery;     // m/s, of holonomic rows and limits: what the gap is to change by
    double push;         // m/s, most that the overlap of a contact is pushed out with
    double target;       // of velocity rows
    double lower, upper; // of λ, N s
    double right;        // q, less what bodies that do not yield add
    double fixedSpeed;   // G v of those
    double startSpeed;   // G v_k, all bodies
    double lambda, sum;  // of this sub-step; over all
    double warm;         // of the last step: where friction of the split solver begins
} cnDirectRow;

typedef struct cnDirectNode {
    int constraint; // row; −1 for a contact
    int contact;    // of cnSolve; −1
    int normals;    // of friction: the node of its normal rows; −1
    bool secondary;
    int firstRow, rowCount;
    int bodies[4]; // of the island
    int bodyCount;
    int firstNumber;    // of the Jacobian: per body, per row, 6 numbers
    cnVec3 arm1, arm2;  // of a joint's attachments, from the centres of mass
    int place1, place2; // of its two bodies in `bodies`; −1
    int points;         // of a contact, then two tangents and the twist
    double friction;
    double bound, boundBefore, wantedBefore; // N s, of tangential impulses, in the rounds of a solve
    int rounds;
    double lever;     // m: the twist's bound over the tangents'
    double effect[3]; // of friction's rows, in sweeps
    double before[3]; // λ before them
    double radius[CN_MANIFOLD_POINTS];
    cnVec3 tangent1, tangent2;
} cnDirectNode;

// Constraint rows as they act on the bodies of the world.
typedef struct cnJointRow {
    int slot;
    cnDirectRowKind kind;
    double violation, target;
    double least, most; // N or N m
    double compliance, damping;
    int body[4]; // rows; −1
    double jacobian[4][6];
} cnJointRow;

enum {
    cn_mostJointRows = 8,
};

// A distance that a motor, lock or range moves is not held itself.
bool cnJoint_IsHeld(const cnConstraint* joint);

// Held rows and a screw; answers how many.
int cnJoint_MakeHeldRows(const cnConstraintTable* table, int constraint, const cnJointView* view,
                         cnJointRow rows[cn_mostJointRows]);
// Motors, locks, ranges, friction, cone, twist.
int cnJoint_MakeSecondaryRows(cnConstraintTable* table, int constraint, const cnJointView* view,
                              cnJointRow rows[cn_mostJointRows]);

// Violations in other poses, in the same order, of ranges against the limit that the rows are for.
void cnJoint_FindViolations(cnConstraintTable* table, int constraint, bool secondary, const cnJointView* view,
                            double violations[cn_mostJointRows]);
bool cnJoint_HasSecondaryRows(const cnConstraint* joint);
