// Constraints: what joins two bodies, the settings of each row, and what it did in the last step.
//
// In come definitions from the public functions; out go rows for the solvers (joint.h) and columns to read.
// Everything that a step carries on to the next (unwrapped coordinates, multipliers, rates) is here, so that
// a copy of the tables is the state.
#pragma once

#include "base/containers/array.h"
#include "base/report/fault.h"
#include "dynamics/body_table.h"

enum {
    cn_constraintLive = 1 << 0,
    cn_constraintEnabled = 1 << 1,
    cn_constraintCollides = 1 << 2, // contacts between the two bodies
    cn_constraintBroken = 1 << 3,
    cn_constraintFresh = 1 << 4,        // no step yet with these frames
    cn_constraintBreakable = 1 << 5,    // has a limit of force or torque
    cn_constraintDisturbed = 1 << 6,    // its bodies are merged, and are not held together by it any more
    cn_constraintUnmergeable = 1 << 7,  // holds nothing together for adaptive merging
    cn_constraintUnsplittable = 1 << 8, // does not split its bodies
};

// Rows of a constraint by what they are; a constraint has some of them.
enum {
    cn_slotDof = 0,   // 0…5: translations along u, v, n; rotations about them; of gears and the like 0
    cn_slotMotor = 6, // two free degrees of freedom each
    cn_slotLock = 8,
    cn_slotRange = 10,
    cn_slotFriction = 12,
    cn_slotScrew = 14,
    cn_slotCone = 15,
    cn_slotTwist = 16,
    cn_slotCount = 17
};

// X(T, name, C type, scalar, lanes, role)
#define CN_CONSTRAINT_COLUMNS(X, T)                                                                          \
    X(T, handle, uint32_t, cn_u32, 1, cn_reading)                                                            \
    X(T, flags, uint32_t, cn_u32, 1, cn_state)                                                               \
    X(T, type, int32_t, cn_i32, 1, cn_input)                                                                 \
    X(T, body1, int32_t, cn_i32, 1, cn_input)                 /* row; -1 for none */                         \
    X(T, body2, int32_t, cn_i32, 1, cn_input)                 /* row, -1 for the world */                    \
    X(T, coordinate, cnConstraintPair, cn_f64, 2, cn_reading) /* m or rad, of the free degrees of freedom */ \
    X(T, speed, cnConstraintPair, cn_f64, 2, cn_reading)      /* m/s or rad/s */                             \
    X(T, force, cnVec3, cn_f64, 3, cn_reading)                /* N, on the first body, world axes */         \
    X(T, torque, cnVec3, cn_f64, 3, cn_reading) /* N m, about the first body's attachment point */           \
    X(T, dofForce, cnConstraintSix, cn_f64, 6, cn_reading)    /* N and N m, along and about u, v, n */       \
    X(T, motorForce, cnConstraintPair, cn_f64, 2, cn_reading) /* N or N m */                                 \
    X(T, lockForce, cnConstraintPair, cn_f64, 2, cn_reading)                                                 \
    X(T, rangeForce, cnConstraintPair, cn_f64, 2, cn_reading) /* of ball: cone, twist */                     \
    X(T, frictionForce, cnConstraintPair, cn_f64, 2, cn_reading)                                             \
    X(T, gap, double, cn_f64, 1, cn_reading)          /* m, between the attachments in held directions */    \
    X(T, misalignment, double, cn_f64, 1, cn_reading) /* rad, of held angles */                              \
    X(T, constraints, cnConstraint, cn_record, 1, cn_state)

typedef struct cnConstraintPair {
    double of[2];
} cnConstraintPair;

typedef struct cnConstraintSix {
    double of[6];
} cnConstraintSix;

// A point and axes u, v, n (the images of x, y, z), in a body's model frame or the world.
typedef struct cnAttachment {
    cnVec3 point;
    cnQuat axes;
} cnAttachment;

typedef struct cnRowSettings {
    double compliance;
    double damping;  // s; negative: two (sub-)steps
    double min, max; // N or N m; infinite: unbounded
} cnRowSettings;

// A motor, lock, range, friction, screw, cone or twist.
typedef struct cnSecondary {
    bool given, enabled;
    bool lockAtZeroSpeed; // motor
    bool holds;           // motor at zero speed: `target` is the position it holds
    bool boundGiven;      // friction: `most` counts, not the coefficient
    double target;        // speed, position, lead
    double limits[2];     // range, cone (the second), twist
    double coefficient;   // friction
    double radius;        // m, friction
    cnRowSettings row;
} cnSecondary;

// What a row of the last (sub-)step was, for the next.
typedef struct cnRowState {
    double force;     // λ/h, N or N m; the sum over sub-steps is in the columns
    double violation; // m or rad, of held rows
    bool active;      // a bounded row that pressed
    bool isUpper;     // limit of a range that the row is for
} cnRowState;

// Neighbours in a list of constraints, −1 at its ends.
typedef struct cnConstraintLink {
    int next, previous;
} cnConstraintLink;

// What every step reads of most constraints comes first.
typedef struct cnConstraint {
    cnConstraintType type;
    cnConstraintSolve solve;
    int body1, body2;       // rows; −1 for the world; of a gear −1
    int partner1, partner2; // rows of constraints, gear and rackPinion; −1
    uint32_t acting;        // bits of the slots whose secondaries are given and enabled
    double islandWork;      // operations of the factorisations of its island's last direct step; 0: none yet
    int splitSteps;         // for which its island's friction is swept beside the factorisation
    int groupedSteps;       // for which its island keeps joints and contacts apart (solver_choice.c)
    double lastStep;        // s, of the (sub-)step that the violations begin; 0 without one
    bool startsAtRest;      // without one: the rate of its rows counts as 0, not as G v
    cnAttachment frame1, frame2;
    // as users attached them, to the bodies in the columns body1 and body2; those above, and the rows, are of
    // the carriers of merged bodies, where bodies are parts of some (cnConstraint_Redirect)
    cnAttachment attached1, attached2;
    cnRowSettings dofs[6];
    cnRowState rows[cn_slotCount];
    double length;    // m
    double ratio;     // gear, rackPinion, screw
    double offset;    // of the coupling in the pose in which it was made
    double viscosity; // N s/m, of a spring without stiffness
    cnVec3 sway;      // m/s: of a line, the filtered speed of its first attachment aside of the second
    double tautness;  // N/m: of a line, its last force over its length
    double turns[2];  // raw angle → unwrapped: 2π times a whole number
    double lastRaw[2];
    double breakForce, breakTorque;                       // 0: never
    cnConstraintLink links[2];                            // in the lists of its bodies, or of its partners
    int firstCoupling;                                    // gears and racks that it is a partner of, −1
    cnSecondary secondaries[cn_slotCount - cn_slotMotor]; // by slot − cn_slotMotor
} cnConstraint;

typedef struct cnConstraintTable {
    CN_CONSTRAINT_COLUMNS(CN_COLUMN_FIELD, cnConstraintTable)
    cnIdPool ids;
    CN_TABLE_FIELDS
} cnConstraintTable;

// A secondary that acts, null without one.
static inline const cnSecondary* cnConstraint_SecondaryAt(const cnConstraint* constraint, int slot) {
    bool acts = (constraint->acting >> slot & 1) != 0;
    return acts ? &constraint->secondaries[slot - cn_slotMotor] : NULL;
}

// A motor of it is at work, and not holding a position.
static inline bool cnConstraint_IsDriven(const cnConstraint* constraint) {
    for (int i = 0; i < 2; ++i) {
        const cnSecondary* motor = cnConstraint_SecondaryAt(constraint, cn_slotMotor + i);
        if (motor != NULL && motor->target != 0.0 && !motor->holds) {
            return true;
        }
    }
    return false;
}

extern const cnColumnList cnConstraintColumns;
extern const cnFieldList cnConstraintFields;

// Both of its bodies are parts of one merged body.
static inline bool cnConstraint_IsInside(const cnConstraintTable* table, const cnBodyTable* bodies, int row) {
    int carrier = cnBody_CarrierOf(bodies, table->body1[row]);
    return table->body1[row] >= 0 && carrier == cnBody_CarrierOf(bodies, table->body2[row]);
}

// The row of bodies that it acts on at a side (0, 1): that of the body's carrier, but for one inside.
static inline int cnConstraint_ActsOn(const cnConstraintTable* table, const cnBodyTable* bodies, int row,
                                      int side) {
    int body = side == 0 ? table->body1[row] : table->body2[row];
    return cnConstraint_IsInside(table, bodies, row) ? body : cnBody_CarrierOf(bodies, body);
}

// Whether it acts and has nothing to do: within a merged body; or all bodies that it acts on sleep, which all
// do as one of them does.
static inline bool cnConstraint_Rests(const cnConstraintTable* table, const cnBodyTable* bodies, int row) {
    const cnConstraint* joint = &table->constraints[row];
    const cnConstraint* first = joint->partner1 >= 0 ? &table->constraints[joint->partner1] : joint;
    const cnConstraint* second = joint->partner2 >= 0 ? &table->constraints[joint->partner2] : joint;
    const int rows[4] = {first->body1, first->body2, second->body1, second->body2};
    uint32_t flags = 0;
    for (int i = 0; i < 4; ++i) {
        flags |= rows[i] >= 0 ? bodies->flags[rows[i]] : 0;
    }
    return (table->flags[row] & cn_constraintEnabled) != 0 &&
           ((flags & cn_bodyAsleep) != 0 || cnConstraint_IsInside(table, bodies, row));
}

// Forces to read become 0.
void cnConstraint_ClearForces(cnConstraintTable* table, int row);

// ---- lists ------------------------------------------------------------------------------------------------
// Every body has the list of its constraints, from its firstConstraint on, and every constraint that of the
// gears and racks that it is a partner of. What owns a list is a row, of bodies or of constraints.

void cnConstraint_Link(cnConstraintTable* table, cnBodyTable* bodies, int row);
void cnConstraint_Unlink(cnConstraintTable* table, cnBodyTable* bodies, int row);

// The next in the list of `owner`, −1 at its end.
static inline int cnConstraint_NextOf(const cnConstraintTable* table, int row, int owner) {
    const cnConstraint* joint = &table->constraints[row];
    int first = joint->partner1 >= 0 ? joint->partner1 : joint->body1;
    return joint->links[first == owner ? 0 : 1].next;
}

// After one of its bodies got another carrier, or lost it: its rows, frames and lists are the carrier's, or
// those of the bodies themselves where both are parts of one merged body.
void cnConstraint_Redirect(cnConstraintTable* table, cnBodyTable* bodies, int row);

// True while an enabled constraint keeps two bodies from touching; takes the time of the shorter list.
bool cnConstraint_KeepsApart(const cnConstraintTable* table, const cnBodyTable* bodies, int body1, int body2);

// Whether rows agree with their columns, name live bodies or live constraints, and lists run both ways
// through exactly the constraints that belong there. The id pools of both tables are valid.
bool cnConstraintTable_Validate(const cnConstraintTable* table, const cnBodyTable* bodies, cnFault* fault);
