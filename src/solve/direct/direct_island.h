// An island that is solved directly: its bodies, nodes and rows, and what the files of the direct solver do to one another.
//
//   direct_islands.c   which islands; nodes from constraints and contacts; a step in sub-steps; what can be read
//   direct_substeps.c  how many sub-steps a step takes, and when it is taken again
//   direct_step.c      a sub-step: masses, stiffness, right-hand sides, solution, correction, motion
//   energy_guard.h     what a sub-step may not do: raise energy without a source
//   position_correction.c  overlap that no force explains, taken out by moving bodies and not by speeding them up
//   direct_rows.c      rows of joints: at the poses, and what they are to reach
//   direct_contacts.c  rows of contacts, friction within the factorisation or by sweeps, what contacts keep
//   joint_groups.c     joints of islands whose contacts are swept: the same without contacts, group by group
//
// An island's dynamic bodies are numbered from 0. A node is a constraint's held rows, a constraint's secondary rows, a contact's
// normal rows, or its friction; its rows couple the same bodies. Bodies that are not dynamic (the world, static and kinematic ones)
// only add their speed.
//
//   holonomic row   G v + Σ λ = −(4/h) γ g + γ ġ − (g̃ − g)/h + G v_k     joints, locks, screws: see stiff_joints.h
//   velocity row    G v + Σ λ = target                                     motors, friction
//   limit           the same with g, ġ of what is beyond it; −g/h in place of their terms where it is not reached yet   ranges
//   contact         G v + Σ λ = −(4/h) γ g + γ G v_k, or −g/h where g > 0
//
// with g the violation at the start of the sub-step, ġ = (g − g before)/h before, g̃ the violation where the bodies would be
// after h with the velocities that they have. λ is bounded.
#pragma once

#include "dynamics/rotation.h"
#include "linear/complementarity.h"
#include "solve/direct/direct_islands.h"
#include "solve/rows/joint_rows.h"
#include "solve/rows/stiff_joints.h"

// Joints softer than this, m/N, are springs.
#define CN_SPRING_COMPLIANCE 1e-6

// What several passes over all bodies, or nodes, read comes first: large islands are as fast as memory.
typedef struct cnDirectBody {
    int index, row;      // solver index, row of the table
    bool inLanes;        // turns about its symmetry, or as a ball, beside another body
    bool axisHeld;       // by its bearings, turn.axis: its own spin turns nothing that rows depend on
    bool isRotor;        // the same, and its angular momentum would run round the axis
    bool hasArm;         // some joint holds it beside its centre of mass
    bool hasAngularRows; // and are these
    bool hingesOnly;     // that share the turn's axis
    bool damped;         // M' is more than M
    double largestMoment;
    cnStiffness stiffness;
    cnTurn turn;
    cnTurnKind freeTurn;           // where it is no rotor, or too slow for one
    cnSymmetry symmetry;           // in lanes
    cnVec3 momentum, spinMomentum; // right-hand sides without β A ω̂
    cnVec3 bearing;                // of spinMomentum: what its bearings take up
    cnVec3 owed;                   // the same before the correction
    cnMat33 inertia;               // angular part of M' without A
    double linearMax, angularMax;  // no less than the eigenvalues of M'⁻¹, 1/kg and 1/(kg m²)
    double rotorTurn;              // rad a sub-step about its axis from which on a rotor is one
    double
        holder; // kg m²: of what its hinges hold it to, the largest of the least moments; infinite where that is not dynamic
} cnDirectBody;

typedef struct cnDirectRow {
    cnJointRowKind kind;
    int slot; // of the constraint; −1 for contacts
    int node;
    double violation;   // g
    double excess;      // m, of a contact's overlap, that the row does not see
    double sigma;       // without a floor
    double recovery;    // m/s, of holonomic rows and limits: what the gap is to change by
    double wanted;      // q, with what bodies that are not dynamic do
    double fixedSpeed;  // G v of bodies that are not dynamic
    double lambda, sum; // of this sub-step; over all
    double warm;        // of the last step: where friction of the split solver begins
} cnDirectRow;

// What q of a row is made of.
typedef struct cnRowTerms {
    double gamma;
    double compliance, closing; // of joints; 1/s: what part of a gap a whole step closes
    double rate;                // ġ
    bool hasRate;               // else it is G v_k
    double push;                // m/s, most that the overlap of a contact is pushed out with
    double target;              // of velocity rows
} cnRowTerms;

// Force and torque on a constraint's first body for λ = 1, the torque about its attachment.
typedef struct cnReaction {
    cnVec3 force, torque;
} cnReaction;

typedef struct cnDirectNode {
    int constraint; // row; −1 for a contact
    int contact;    // of cnSolve; −1
    int normals;    // of friction: the node of its normal rows; −1
    int firstRow, rowCount;
    int firstNumber;  // of the Jacobian: per body, per row, 6 numbers
    int translations; // of a plain node: how many of its rows, the first
    int bodyCount;
    int bodies[4];      // of the island
    int place1, place2; // of the two bodies that its arms are of in `bodies`, −1
    bool secondary;
    bool plain;      // held rows of two bodies: translations and rotations with gradients of about 1
    bool inLanes;    // a ball joint of two bodies, looked at beside another
    bool hasFixed;   // some side is not dynamic
    bool soft;       // Σ is a sizeable part of its effect
    bool hasRate;    // of its rows: else that is G v_k
    bool hasSprings; // held rows softer than CN_SPRING_COMPLIANCE
    bool hasAngles;  // of a constraint whose coordinates are angles, not secondary
    bool usesAngles; // and rows depend on them
    union {
        struct {                         // of joints
            double length1, length2;     // of the arms, m
            double opening;              // between the attachments, m
            double lastStep;             // s, of the constraint's state before the step
            double perLastStep;          // 1/s, of that before the sub-step; 0 without one
            double turns[2], lastRaw[2]; // of the constraint before the step, where it has angles
            cnVec3 arm1, arm2;           // from the centres of mass, world axes, as the rows were made with
            int sides[4],
                places[4]; // of its rows: bodies, −1, and their places, −1 where they are not dynamic
            cnVec3 local1, local2;          // the arms in model axes
            cnVec3 impulse, angularImpulse; // on a constraint's first body over all sub-steps, N s, N m s
        };
        struct { // of contacts
            int points, rounds;
            double friction;                         // μ
            double bound, boundBefore, wantedBefore; // N s, of tangential impulses, in the rounds of a solve
            double lever;                            // m: the twist's bound over the tangents'
            double before[3];                        // λ of friction before sweeps
            bool exact, slides;                      // friction on the exact cone (exact_cone.c)
            double radius[CN_MANIFOLD_POINTS];
            cnVec3 tangent1, tangent2;
            double cosine, sine; // of the angle that the rows are turned by from these
        };
    };
} cnDirectNode;

typedef struct cnDirectIsland {
    cnSolve* solve;
    cnSparseFactor* factor;
    cnDirectBody* bodies;
    int bodyCount;
    cnDirectNode* nodes;
    int nodeCount;
    cnDirectRow* rows;
    int rowCount;
    int systemNodes, systemRows; // of the sparse system; in the split solver friction comes after them
    int numberCount;
    int* localOf; // by solver index
    bool split;
    bool grouped;   // no contacts, joints that are swept after systemNodes (joint_groups.c)
    bool ofImpacts; // a group that moves nothing (direct_impacts.c)
    bool hasContacts, hasExactCones;
    bool hasRotors, hasLimits;     // bodies whose axis is held; one-sided rows
    bool hasFixed;                 // joints to bodies that are not dynamic
    bool hasLines;                 // joints whose attachments may be apart
    bool sweeps;                   // some rows: effects and inverses of all are needed
    int pivots;                    // in this step
    double flopLimit, flopsBefore; // of a step, 0: none; of the factor before it
    bool overBudget;               // there were more
    cnIslandStatistics statistics; // of this step
    bool ok;                       // memory did not run out
    bool failed;                   // the solution was not finite
    double h, perStep;             // s, of a sub-step; 1/h
    int substep;
    double elapsed;        // s, since the start of the step
    double workLimit;      // operations that sub-steps may take in this step
    double turnRate;       // rad/s, at the start of the sub-step (cnDirect_TurnRate): given to it
    double maxTurnRate;    // after any sub-step of this step
    double curvatureShare; // of the end-of-step term that rows see: 1 for rotations that are resolved
    double raised;         // J, energy without a source that was taken out again in this step
    cnIslandEnergy energy; // of a group, for the guard of its island

    // of the sparse system
    double *mass, *jacobian, *sigma, *right, *solution, *step;
    double* start;           // velocities at the start of the sub-step, 6 a body
    double* effect;          // G M'⁻¹ Gᵀ by row
    double* ahead;           // violations at the trial poses
    double *lower, *upper;   // of λ
    cnRowState* before;      // by row, of constraints, should the step be repeated
    cnReaction* reactions;   // by row, of nodes that are not plain
    double* swept;           // λ of joints in the split solver's sweeps
    uint8_t* state;          // cnRowSet
    double* stiffness;       // k by body, of multipliers
    cnInverseMass* inverses; // M'⁻¹ with A by body, where the island sweeps
    uint8_t* soft;           // by node
    uint8_t* pushed;         // by node: overlap is left that nothing explains
    const double* way; // velocities that move the bodies in a sub-step, 6 each; null: those of the solution
    int *rowStart, *bodyStart, *nodeBodies;

    // poses by row of body, of the bodies that matter
    cnVec3 *centres, *trialCentres;
    cnQuat *rotations, *trialRotations;
} cnDirectIsland;

// ---- direct_islands.c -----------------------------------------------------------------------------------------------

// What belongs to each island, or group, in ascending order: `first` by island, `next` by member; −1 at the end.
typedef struct cnMembers {
    int *first, *next;
} cnMembers;

// In solver indices, joints and contacts of cnSolve.
typedef struct cnContents {
    cnMembers bodies, joints, contacts;
} cnContents;

// What islands need.
typedef struct cnDirectSizes {
    int bodies, nodes, rows, numbers;
} cnDirectSizes;

// `islands` are numbers below `count`, −1 for none, `stride` bytes apart. False when memory ran out.
bool cnDirect_FindMembers(const cnSolve* solve, int count, int memberCount, const int* islands, size_t stride,
                          cnMembers* members);
cnDirectSizes cnDirect_MeasureIsland(const cnSolve* solve, const cnContents* contents, int number);
// Arrays for islands up to these sizes; false when memory ran out.
bool cnDirect_MakeRoom(cnDirectIsland* island, const cnDirectSizes* sizes);
// Bodies, nodes, rows and the factor of an island; bodies count as moved. cn_orderTooDear where a factorisation would take more than
// flopLimit operations (≤ 0: no limit).
cnOrderResult cnDirect_Assemble(cnDirectIsland* island, const cnContents* contents, int number, int hint,
                                double flopLimit);
// The equations of an island have no finite solution: the body with the most energy per mass is the likeliest cause, and will be put back.
void cnDirect_Fail(const cnDirectIsland* island);
// Sums of a step to read.
void cnDirect_Report(const cnDirectIsland* island);
// What solving it took, added to its island's.
void cnDirect_ReportStatistics(const cnDirectIsland* island);

// ---- direct_step.c --------------------------------------------------------------------------------------------------

void cnDirect_SubStep(cnDirectIsland* island);
// Left-hand and right-hand sides, to the factor.
void cnDirect_LoadValues(cnDirectIsland* island);
// Its parts: masses, rows and what is wanted of them; a solution with the stiffness that it makes; the gap that is left; sums, poses
// and momenta.
void cnDirect_PrepareSubStep(cnDirectIsland* island);
void cnDirect_Solve(cnDirectIsland* island);
void cnDirect_Correct(cnDirectIsland* island);
// The violations of all rows of joints where the solution leads: `ahead`.
void cnDirect_LookAhead(cnDirectIsland* island);
void cnDirect_FinishSubStep(cnDirectIsland* island);

// G M'⁻¹ Gᵀ of a row.
double cnDirect_RowEffect(const cnDirectIsland* island, const cnDirectNode* node, int row);

// Rows with the bounds that they have, by pivoting.
void cnDirect_SolveBounded(cnDirectIsland* island);

// ---- direct_substeps.c ----------------------------------------------------------------------------------------------

// The island's step, cut into sub-steps; false when memory ran out.
bool cnDirect_RunStep(cnDirectIsland* island);
// Whether a joint lets its attachments go apart.
bool cnDirect_Slides(const cnConstraint* joint);
// How fast rotations go that a sub-step has to resolve, rad/s, with velocities of 6 numbers a body.
double cnDirect_TurnRate(const cnDirectIsland* island, const double* velocities);
// True where a joint to the world, or to a body that is not dynamic, holds the island.
bool cnDirect_IsHeld(const cnDirectIsland* island);
// Velocities of the body table, 6 numbers a body.
void cnDirect_ReadVelocities(const cnDirectIsland* island, double* velocities);
// Operations of a sub-step, and how many sub-steps the island's work allows.
double cnDirect_SubstepWork(const cnDirectIsland* island);
double cnDirect_MaxSubsteps(const cnDirectIsland* island);
// Sub-steps of h that these rotations want, at most as many as the island's work allows.
int cnDirect_CountSubsteps(const cnDirectIsland* island, double turnRate, double h);
// The same of the bodies as they move now.
double cnDirect_CurrentTurnRate(const cnDirectIsland* island);
// Carries angles over the turns of a sub-step that has moved its bodies.
void cnDirect_FollowAngles(cnDirectIsland* island);
// Slows bodies that turn farther than a sub-step of h can follow. Answers how fast rotations go then, rad/s.
double cnDirect_LimitTurns(cnDirectIsland* island, double h);

// ---- position_correction.c ------------------------------------------------------------------------------------------

// Moves bodies out of overlap that nothing explains, with their joints, after the sub-steps.
void cnDirect_CorrectPositions(cnDirectIsland* island);

// ---- direct_rows.c --------------------------------------------------------------------------------------------------

// Poses of bodies that are not dynamic, now and after the sub-step.
void cnDirect_PlaceFixedBodies(cnDirectIsland* island);
// Rows of a node, of a joint or of a contact, at the poses that the bodies have, and what they are to reach; perhaps of the node after it,
// too. Returns the first node that is left.
int cnDirect_MakeRows(cnDirectIsland* island, int node);
// Violations of joints' rows at the trial poses.
void cnDirect_FindAhead(cnDirectIsland* island);
// λ of a node's rows, added to what acts on its constraint's first body.
void cnDirect_AddReaction(const cnDirectIsland* island, cnDirectNode* node, const double* lambda);

// ---- direct_contacts.c ----------------------------------------------------------------------------------------------

void cnDirect_MakeContactRows(cnDirectIsland* island, cnDirectNode* node, cnRowTerms terms[cn_mostJointRows]);
void cnDirect_StartFriction(cnDirectIsland* island, cnDirectNode* node);

// All rows of the island, friction within the factorisation or by sweeps.
void cnDirect_SolveWithFriction(cnDirectIsland* island);
void cnDirect_StoreContact(const cnDirectIsland* island, const cnDirectNode* node);

// An impulse on a row: M'⁻¹ Gᵀ of it added to velocities, Gᵀ of it to the right-hand side.
void cnDirect_PushRow(const cnDirectIsland* island, int row, double impulse, double* velocities);
void cnDirect_LoadImpulse(cnDirectIsland* island, int row, double impulse);

// ---- exact_cone.c ---------------------------------------------------------------------------------------------------

// Gives a node the rows of the next round, with a new bound. True where the last round is not good enough.
bool cnDirect_UpdateExactCone(cnDirectIsland* island, cnDirectNode* node, double wanted, double bound);
// Turns the solution back to the tangents that the rows began with.
void cnDirect_TurnBack(cnDirectIsland* island);

// ---- joint_groups.c -------------------------------------------------------------------------------------------------

// All rows of a group, at the begin of a sub-step.
void cnDirect_SolveGroup(cnDirectIsland* island);

// ---- shared ---------------------------------------------------------------------------------------------------------

static inline cnVec3 cnGetVec(const double* v) {
    return (cnVec3){v[0], v[1], v[2]};
}

static inline void cnPutVec(double* out, cnVec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static inline cnMat33 cnDirect_GetMatrix(const double* m) {
    return (cnMat33){cnGetVec(m), cnGetVec(m + 3), cnGetVec(m + 6)};
}

static inline void cnDirect_PutMatrix(double* out, cnMat33 m) {
    cnPutVec(out, m.x);
    cnPutVec(out + 3, m.y);
    cnPutVec(out + 6, m.z);
}

// λ between ± bound.
static inline void cnDirect_SetBound(cnDirectIsland* island, int row, double bound) {
    island->upper[row] = bound;
    island->lower[row] = -bound;
}

static inline bool cnDirect_Yields(const cnDirectIsland* island, int row) {
    return row >= 0 && island->solve->solver.indexOfRow[row] != 0;
}

// Jacobian numbers of a row at one of its node's bodies.
static inline double* cnDirect_NumbersAt(const cnDirectIsland* island, const cnDirectNode* node, int place,
                                         int row) {
    return island->jacobian + node->firstNumber + 6 * (place * node->rowCount + row - node->firstRow);
}

static inline bool cnDirect_IsPressed(const cnDirectIsland* island, int row) {
    double violation = island->rows[row].violation;
    return island->upper[row] > 0.0 ? violation <= 0.0 : violation >= 0.0;
}

// Nodes of joints that the energy guard asks for what their rows had stored: springs, and rows that are not only held.
static inline bool cnDirect_IsAsked(const cnDirectNode* node) {
    return node->constraint >= 0 && (node->hasSprings || !node->plain);
}

// A spring's row, or one of a joint as soft as a spring.
static inline bool cnDirect_IsSpring(const cnDirectIsland* island, int row) {
    const cnDirectNode* node = &island->nodes[island->rows[row].node];
    const cnConstraint* joint = &island->solve->constraints->constraints[node->constraint];
    int slot = island->rows[row].slot;
    return slot < cn_slotMotor &&
           (cnJoint_IsSpring(joint) || joint->dofs[slot].compliance > CN_SPRING_COMPLIANCE);
}

// A spring whose elasticity the sub-steps resolve, so that a gap of it is energy. Once its row is made.
bool cnDirect_IsResolvedSpring(const cnDirectIsland* island, int row, double compliance);

// How far a row of a joint moves for a rotation of 1 rad of what it joins, m, or, of angular rows, rad.
static inline double cnDirect_ArmOf(const cnDirectIsland* island, int row) {
    const cnDirectNode* node = &island->nodes[island->rows[row].node];
    const cnConstraint* joint = &island->solve->constraints->constraints[node->constraint];
    bool isLine = cnJoint_IsLine(joint);
    double ofLine = isLine ? joint->length : 0.0;
    return isLine || island->rows[row].slot < 3 ? node->length1 + node->length2 + ofLine : 1.0;
}

// The violation that counts: of a limit what is beyond it.
static inline double cnDirect_Pressed(const cnDirectIsland* island, int row) {
    bool counts = island->rows[row].kind != cn_rowOneSided || cnDirect_IsPressed(island, row);
    return counts ? island->rows[row].violation : 0.0;
}

// G v of a row over the dynamic bodies.
static inline double cnDirect_RowSpeed(const cnDirectIsland* island, int row, const double* velocities) {
    const cnDirectNode* node = &island->nodes[island->rows[row].node];
    double speed = 0.0;
    for (int place = 0; place < node->bodyCount; ++place) {
        const double* j = cnDirect_NumbersAt(island, node, place, row);
        const double* v = velocities + 6 * node->bodies[place];
        speed += j[0] * v[0] + j[1] * v[1] + j[2] * v[2] + j[3] * v[3] + j[4] * v[4] + j[5] * v[5];
    }
    return speed;
}

// G v of a body that is not dynamic.
static inline double cnDirect_FixedSpeed(const cnDirectIsland* island, int row, const double* j) {
    const cnBodyTable* bodies = island->solve->bodies;
    uint32_t moving = cn_bodyKinematic | cn_bodyEnabled;
    if ((bodies->flags[row] & moving) != moving) {
        return 0.0;
    }
    return cnDot(cnGetVec(j), bodies->velocity[row]) + cnDot(cnGetVec(j + 3), bodies->angularVelocity[row]);
}
