// The geometry of constraints: violations, coordinates and their gradients in given poses.
//
// Two attachment frames, one fixed in each body, with points p1, p2 and axes u, v, n. With d = p1 − p2
// and ω = ω1 − ω2:
//   translation along an axis a of frame 2   g = a·d
//     with the rate a·(v1 − v2) + (r1 × a)·ω1 − ((r2 + d) × a)·ω2
//   n of 1 along n of 2 (two rotations)      g = −n1·v2, n1·u2     axes v2 × n1, n1 × u2
//   all rotations, with q = q2⁻¹ q1          g = 2 sgn(w) vec q    axes R2 sgn(w) (w e_k + vec q × e_k)
//   cross of a universal                     g = n1·u2             axis n1 × u2
// r1, r2 run from the centres of mass to p1, p2; an angular row with axis w has the rate w·ω. The gradients
// are exact, not only at g = 0, so that differences of g over a step agree with them to second order
// (docs/stiff-joints.md). The quaternion has no false zero within a half turn; sines of the angles would.
//
// Twist of a ball joint: 2 atan2(q_z, q_w), gradient (n1 + n2)/(1 + n1·n2). Its cone: the angle
// between n1 and n2.
#pragma once

#include "base/thread_pool.h"
#include "dynamics/constraint_table.h"

// Poses to look at: by row of body.
typedef struct cnJointView {
    const cnBodyTable* bodies;
    const cnVec3* centres; // of mass, m, world
    const cnQuat* rotations;
} cnJointView;

typedef struct cnJointFrames {
    cnVec3 point1, point2; // m, world
    cnVec3 arm1, arm2;     // from the centres of mass
    cnQuat rotation1, rotation2;
    cnMat33 axes1, axes2; // columns u, v, n
} cnJointFrames;

// rate = linear·(v1 − v2) + moment1·ω1 − moment2·ω2
typedef struct cnGradient {
    cnVec3 linear, moment1, moment2;
} cnGradient;

// A row that is held: a violation and its gradient. Rows of gears have a second part, for the bodies of
// the second partner.
typedef struct cnHeldRow {
    int dof;          // 0…5, slot cn_slotDof + dof
    double violation; // m or rad
    cnGradient gradient;
    cnGradient second;
} cnHeldRow;

// What constraint_types.h says of a type, and what follows from it.
typedef struct cnConstraintKind {
    const char* word;
    uint32_t parts;              // cn_joins…, cn_has… bits
    uint32_t held;               // bits of the dofs
    int heldCount;               // of these
    int translationCount;        // of these, the first
    int freeCount;               // coordinates that take secondaries
    uint32_t angular;            // bits of the coordinates that are angles
    uint8_t coordinates[2];      // cn_coordinate…
    int8_t dofsOfCoordinates[2]; // whose settings secondaries begin with
} cnConstraintKind;

extern const cnConstraintKind cnConstraintKinds[cn_constraintTypeCount];

static inline const cnConstraintKind* cnJoint_KindOf(const cnConstraint* joint) {
    return &cnConstraintKinds[joint->type];
}

// All of these parts.
static inline bool cnJoint_Has(const cnConstraint* joint, uint32_t parts) {
    return (cnConstraintKinds[joint->type].parts & parts) == parts;
}

// A distance or a spring.
static inline bool cnJoint_IsLine(const cnConstraint* joint) {
    return cnJoint_Has(joint, cn_hasAnchors);
}

static inline bool cnJoint_IsSpring(const cnConstraint* joint) {
    return cnJoint_Has(joint, cn_hasStiffness);
}

// A line that is no spring.
static inline bool cnJoint_IsDistance(const cnConstraint* joint) {
    return cnJoint_IsLine(joint) && !cnJoint_IsSpring(joint);
}

// Position = lead · angle, a row beside those of its dofs.
static inline bool cnJoint_IsScrew(const cnConstraint* joint) {
    return cnJoint_Has(joint, cn_hasLead);
}

// n of the first body stays orthogonal to u of the second.
static inline bool cnJoint_HoldsCross(cnConstraintType type) {
    return (cnConstraintKinds[type].held & cn_aboutAll) == cn_aboutV;
}

// A ball, whose attachments stay together and whose rotations are free.
static inline bool cnJoint_HoldsPoint(const cnConstraint* joint) {
    return cnJoint_Has(joint, cn_hasFrames) && cnJoint_KindOf(joint)->held == cn_alongAll;
}

// Holds its attachments in some directions and lets them slide in others.
static inline bool cnJoint_Slides(const cnConstraint* joint) {
    uint32_t along = cnJoint_KindOf(joint)->held & cn_alongAll;
    return cnJoint_Has(joint, cn_hasFrames) && along != 0 && along != cn_alongAll;
}

// Keeps n of both bodies on one line: a hinge, a cylindrical, a screw.
static inline bool cnJoint_HoldsLine(const cnConstraint* joint) {
    uint32_t line = cn_alongU | cn_alongV | cn_aboutU | cn_aboutV;
    return (cnJoint_KindOf(joint)->held & ~(uint32_t)cn_alongN) == line;
}

cnJointFrames cnJoint_Place(const cnConstraint* joint, const cnJointView* view);

// As much of the frames as held rows need: points and arms; of a ball the second body's axes, of a distance
// none, of all others all.
void cnJoint_PlaceHeld(const cnConstraint* joint, const cnJointView* view, cnJointFrames* frames);

// Rows that are held, at most six; a distance below 1e-9 m, whose direction is unknown, has none. `frames`
// get points and arms, but not those of gears and racks, and axes where the rows need them.
int cnJoint_FindHeld(const cnConstraintTable* table, const cnConstraint* joint, const cnJointView* view,
                     cnHeldRow held[6], cnJointFrames* frames);

// Their violations alone, of a distance below 1e-9 m too.
int cnJoint_FindGaps(const cnConstraintTable* table, const cnConstraint* joint, const cnJointView* view,
                     double gaps[6]);

// A ball joint of two bodies: two of these are looked at side by side.
static inline bool cnJoint_IsBallOfBodies(const cnConstraint* joint) {
    return cnJoint_HoldsPoint(joint) && joint->body1 >= 0 && joint->body2 >= 0;
}

// cnJoint_FindGaps of two of them, or of one twice, in lanes; three numbers each.
void cnJoint_FindBallGaps(const cnConstraint* a, const cnConstraint* b, const cnJointView* view,
                          double* gapsOfA, double* gapsOfB);

// What cnJoint_FindHeld gives of one.
typedef struct cnHeldBall {
    cnHeldRow rows[3];
    cnVec3 arm1, arm2; // from the centres of mass
    cnVec3 gap;        // from the second attachment to the first
} cnHeldBall;

void cnJoint_HoldBalls(const cnConstraint* a, const cnConstraint* b, const cnJointView* view, cnHeldBall* ofA,
                       cnHeldBall* ofB);

// The dof that coordinate 0 or 1 is: 0 for distances, else 2 along n, 5 about n, 3 about u (the second
// of a universal).
static inline int cnJoint_DofOfCoordinate(cnConstraintType type, int index) {
    return cnConstraintKinds[type].dofsOfCoordinates[index];
}

// Coordinate 0 or 1 as it is read in these poses, angles in −π…π, and its gradient. False where it has none
// (a distance of 0).
bool cnJoint_FindCoordinate(const cnConstraint* joint, const cnJointFrames* frames, int index, double* value,
                            cnGradient* gradient);

// The whole number of turns that brings a raw angle closest to the last one, times 2π.
double cnJoint_Unwrap(const cnConstraint* joint, int index, double raw);

// Position less lead · angle, of a cylindrical whose screw has that lead.
double cnJoint_FindScrew(const cnConstraint* joint, const cnJointFrames* frames, double lead,
                         cnGradient* gradient);

// Half angle between the axes of a ball joint (false where it is too small to have a
// direction), and its twist.
bool cnJoint_FindCone(const cnJointFrames* frames, double* angle, cnGradient* gradient);
double cnJoint_FindTwist(const cnJointFrames* frames, cnGradient* gradient);

// For partners of gears: the coordinate that is an angle (or, with `linear`, the one that is a
// length), −1 without one.
int cnJoint_CoordinateOfKind(cnConstraintType type, bool linear);

// How many of its held rows, the first, are lengths.
static inline int cnJoint_CountTranslations(cnConstraintType type) {
    return cnConstraintKinds[type].translationCount;
}

// False for a distance that a motor, lock or range of its own holds.
bool cnJoint_IsHeld(const cnConstraint* joint);

// Coordinates, speeds and violations to read of all constraints, in the poses of the bodies, after a step of
// the world. Those that do nothing too: their angles go on over turns.
void cnJoint_MeasureAll(cnConstraintTable* table, const cnBodyTable* bodies, double h, cnThreadPool* threads);

// Speeds of coordinates at the time of the poses, from the velocities to read.
void cnJoint_ReadSpeeds(cnConstraintTable* table, const cnBodyTable* bodies, cnThreadPool* threads);

// The same of one, so many seconds after the last time; fewer than 0 where its bodies were put back.
void cnJoint_Measure(cnConstraintTable* table, const cnBodyTable* bodies, int row, double elapsed);

// Across a line, along two orthonormal directions: how fast the first attachment moves aside of the second.
// False for a distance of 0.
bool cnJoint_FindAcross(const cnJointFrames* frames, cnGradient across[2]);

// Whether some coordinate of its own is an angle.
bool cnJoint_HasAngles(const cnConstraint* joint);

// Carries its angles over turns, `elapsed` seconds after the last time: after each sub-step, where a step
// makes more than a part of a turn.
void cnJoint_FollowAngles(cnConstraint* joint, const cnJointView* view, double elapsed);
