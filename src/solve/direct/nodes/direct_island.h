// An island that is solved directly, or a group of bodies that joints connect: its bodies, nodes and rows.
//
// The folders of the direct solver, each calling only those above it in this list:
//
//   system/     linear_system   masses, Jacobian, Σ, bounds, solution; knows nothing of what rows mean
//               factor_pool     factors kept from step to step
//   nodes/      direct_island   this file: bodies, nodes, rows
//               contact_nodes   rows of contacts (from contact_rows.h), what contacts keep
//               joint_nodes     rows of joints, violations at other poses
//               node_rows       what every row is to reach
//   friction/   friction        within the factorisation (exact_cone: on the exact cone)
//               friction_sweeps beside it
//               swept_joints    joints of a group that are swept
//   motion/     body_masses     masses and momenta of a sub-step
//               geometric_stiffness  of bodies, from the forces of their joints
//               body_motion     trial poses, and the motion itself
//               rotation_rates  how fast directions go round that rows depend on
//   guards/     energy_guard    what a sub-step may not do: raise energy without a source
//               position_correction  overlap that no force explains, taken out by moving bodies
//               island_guard    the energy of whole islands with groups
//   ./          substep         a sub-step from its preparation to its motion
//               stepping        how many of them a step takes, and when it is taken again
//               island_contents what belongs to each island or group
//               assembly        islands and groups made of constraints and contacts
//               reports         sums of a step to read
//               work_budget     operations that an island may take
//               joint_groups    joints of islands whose contacts are swept, group by group
//               direct_islands  the islands that are solved as a whole
//
// An island's dynamic bodies are numbered from 0. A node is a constraint's held rows, a constraint's
// secondary rows, a contact's normal rows, or its friction; its rows couple the same bodies. Bodies that are
// not dynamic (the world, static and kinematic ones) only add their speed.
//
//   holonomic row   G v + Σ λ = −(4/h) γ g + γ ġ − (g̃ − g)/h + G v_k     joints (stiff_joints.h)
//   velocity row    G v + Σ λ = target                                     motors, friction
//   limit           the same with g, ġ of what is beyond it; −g/h for their terms where it is not reached
//   contact         G v + Σ λ = −(4/h) γ g + γ G v_k, or −g/h where g > 0
//
// with g the violation at the start of the sub-step, ġ = (g − g before)/h before, g̃ the violation where the
// bodies would be after h with the velocities that they have. λ is bounded.
#pragma once

#include "base/report/assert.h"
#include "dynamics/joint_energy.h"
#include "solve/contact_rows.h"
#include "solve/direct/system/factor_pool.h"
#include "solve/direct/system/linear_system.h"
#include "solve/rows/joint_rows.h"
#include "solve/rows/stiff_joints.h"

// What several passes over all bodies, or nodes, read comes first: large islands are as fast as memory.
typedef struct cnDirectBody {
    int index, row; // solver index, row of the table
    bool inLanes;   // rotates about its symmetry, or as a ball, beside another body
    bool axisHeld;  // by its bearings, rotationModel.axis: its own spin rotates nothing that rows depend on
    bool isRotor;   // the same, and its angular momentum would run round the axis
    bool hasArm;    // some joint holds it beside its centre of mass
    bool hasAngularRows; // and are these
    bool hingesOnly;     // that share the rotation's axis
    bool damped;         // M' is more than M
    double largestMoment;
    cnStiffness stiffness;
    cnRotationModel rotationModel;
    cnRotationKind freeKind;       // where it is no rotor, or too slow for one
    cnSymmetry symmetry;           // in lanes
    cnVec3 momentum, spinMomentum; // right-hand sides without β A ω̂
    cnVec3 bearing;                // of spinMomentum: what its bearings take up
    cnVec3 owed;                   // the same before the correction
    cnMat33 inertia;               // angular part of M' without A
    double linearMax, angularMax;  // no less than the eigenvalues of M'⁻¹, 1/kg and 1/(kg m²)
    double rotorAngle;             // rad a sub-step about its axis from which on a rotor is one
    double holder; // kg m²: of what its hinges hold it to, the largest of the least moments; infinite
                   // where that is not dynamic
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

// In an order of which ranges are asked for.
typedef enum cnNodeKind {
    cn_nodeBall = 0,       // a ball joint of two bodies, looked at beside another
    cn_nodePlain,          // held rows of two bodies: translations and rotations with gradients of about 1
    cn_nodeJoint,          // other held rows
    cn_nodeSecondary,      // motors, locks, ranges and friction of a joint
    cn_nodeContactNormals, // a row a point
    cn_nodeFriction,       // two tangents and the torsional row of a contact
} cnNodeKind;

// What nodes of joints have.
typedef struct cnJointNode {
    bool hasFixed;               // some side is not dynamic
    bool hasMoving;              // and moves nevertheless
    bool hasRate;                // of its rows: else that is G v_k
    bool hasSprings;             // held rows softer than CN_SPRING_COMPLIANCE
    bool hasAngles;              // of a constraint whose coordinates are angles, not secondary
    bool usesAngles;             // and rows depend on them
    bool sways;                  // its last two rows are across a line
    int translations;            // of a plain node: how many of its rows, the first
    double length1, length2;     // of the arms, m
    double opening;              // between the attachments, m
    double lastStep;             // s, of the constraint's state before the step
    double perLastStep;          // 1/s, of that before the sub-step; 0 without one
    double turns[2], lastRaw[2]; // of the constraint before the step, where it has angles
    cnVec3 lastSway;             // of the constraint before the step, where it has rows across a line
    double lastTautness;
    double tautness;         // N/m, that those rows are made with
    cnVec3 arm1, arm2;       // from the centres of mass, world axes, as the rows were made with
    int sides[4], places[4]; // of its rows: bodies, −1, and their places, −1 where they are not dynamic
    cnVec3 local1, local2;   // the arms in model axes
    cnVec3 impulse, angularImpulse; // on a constraint's first body over all sub-steps, N s, N m s
} cnJointNode;

// Two rows of a friction node with a circle for their bounds, in the rounds of a solve.
typedef struct cnDirectCone {
    bool slides;         // is at the bound (exact_cone.c)
    double cosine, sine; // of the angle that the rows are rotated by from the contact's axes
} cnDirectCone;

// What nodes of friction have.
typedef struct cnFrictionNode {
    int normals; // the node of the contact's normal rows
    int rounds;
    double load, loadBefore, wantedBefore; // N s, that the bounds are of, in the rounds of a solve
    double lever;                          // m, of the load about the normal
    double before[cn_frictionMostRows];    // λ before sweeps
    cnDirectCone sliding, rolling;
} cnFrictionNode;

// What nodes of normal rows have: of their pair as it was before the step.
typedef struct cnNormalsNode {
    uint32_t flags;
    float correctionLimit; // m/s
} cnNormalsNode;

typedef struct cnDirectNode {
    cnNodeKind kind;
    int source; // row of the constraint; contact of cnSolve
    cnRowBlock block;
    int place1, place2; // of the two bodies that its arms are of in the block, −1
    union {
        cnJointNode joint;       // up to cn_nodeSecondary
        cnNormalsNode normals;   // of cn_nodeContactNormals
        cnFrictionNode friction; // of cn_nodeFriction
    };
} cnDirectNode;

static inline bool cnNode_IsJoint(const cnDirectNode* node) {
    return node->kind <= cn_nodeSecondary;
}

static inline bool cnNode_IsPlain(const cnDirectNode* node) {
    return node->kind <= cn_nodePlain;
}

// Of a node of a joint: where its rows across a line begin; where its rows end, if it has none.
static inline int cnNode_FirstSwayRow(const cnDirectNode* node) {
    return cnRowBlock_End(&node->block) - (node->joint.sways ? cn_swayRows : 0);
}

// What an island is to its solver.
typedef enum cnDirectKind {
    cn_directWhole = 0, // joints, contacts and friction within the factorisation
    cn_directSplit,     // friction swept beside it
    cn_directGroup,     // joints of an island whose contacts are swept
    cn_directImpacts,   // joints for impacts: it moves nothing
} cnDirectKind;

// What an island's contents ask for.
enum {
    cn_islandHasContacts = 1 << 0,
    cn_islandHasExactCones = 1 << 1,
    cn_islandHasRotors = 1 << 2, // bodies whose axis is held
    cn_islandHasLimits = 1 << 3, // one-sided rows
    cn_islandHasMoving = 1 << 4, // joints to bodies that move without being dynamic
    cn_islandHasLines = 1 << 5,  // joints whose attachments may be apart
    cn_islandSways = 1 << 6,     // lines that have rows across
};

// The sub-step under way (substep.c).
typedef struct cnDirectSubstep {
    int index;
    double h, perStep;            // s; 1/h
    double elapsed;               // s, since the start of the step
    double rotationRate;          // rad/s, at its start (rotation_rates.c): given to it
    double curvatureShare;        // of the end-of-step term that rows see: 1 for rotations that are resolved
    const double* pathVelocities; // that move the bodies, 6 a body; null: those of the solution
} cnDirectSubstep;

// The step in sub-steps (stepping.c).
typedef struct cnDirectStepping {
    double workLimit;       // operations that sub-steps may take in this step
    bool limitIsLeast;      // it may turn out to be more: who wants more waits (stepping.h)
    double wanted;          // sub-steps that it waits for
    double maxRotationRate; // after any sub-step of this step
    int substeps, repeats;
} cnDirectStepping;

// What the energy guard found in this step (energy_guard.c).
typedef struct cnEnergyLedger {
    double raised;       // J, without a source, that was taken out again
    cnIslandEnergy work; // of a group, for the guard of its island
} cnEnergyLedger;

// Its own arrays, and those that all islands of a step share.
#define CN_ISLAND_ARRAYS(X)                                                                                  \
    X(cnDirectBody, bodies, sizes->bodies, "direct bodies")                                                  \
    X(cnDirectNode, nodes, sizes->nodes, "direct nodes")                                                     \
    X(cnDirectRow, rows, sizes->rows, "direct rows")                                                         \
    X(double, start, cn_bodyUnknowns * sizes->bodies, "direct velocities")                                   \
    X(double, ahead, sizes->rows, "violations ahead")                                                        \
    X(cnRowState, before, sizes->rows, "rows before")                                                        \
    X(cnReaction, reactions, sizes->rows, "reactions")                                                       \
    X(double, swept, sizes->rows, "swept multipliers")                                                       \
    X(uint8_t, pushed, sizes->nodes, "pushed nodes")                                                         \
    X(double, stiffness, sizes->bodies, "stiffness")

#define CN_SHARED_ARRAYS(X)                                                                                  \
    X(int, localOf, solve->solver.count, "direct numbers of bodies")                                         \
    X(cnVec3, centres, solve->bodies->ids.rowCount, "centres")                                               \
    X(cnVec3, trialCentres, solve->bodies->ids.rowCount, "centres ahead")                                    \
    X(cnQuat, rotations, solve->bodies->ids.rowCount, "rotations")                                           \
    X(cnQuat, trialRotations, solve->bodies->ids.rowCount, "rotations ahead")

typedef struct cnDirectIsland {
    cnSolve* solve;
    cnDirectKind kind;
    uint32_t traits;
    int bodyCount, nodeCount, rowCount, numberCount;
    CN_ISLAND_ARRAYS(CN_ARRAY_MEMBER)
    // start: velocities at the start of the sub-step, 6 a body; ahead: violations at the trial poses; before:
    // by row, of constraints, should the step be repeated; reactions: by row, of nodes that are not plain;
    // swept: λ of joints in the split solver's sweeps; pushed: by node: overlap is left that nothing
    // explains; stiffness: k by body, of multipliers
    CN_SHARED_ARRAYS(CN_ARRAY_MEMBER)
    // localOf: by solver index; the others are poses by row of body: those of dynamic bodies are their
    // island's, those of static ones the same for all, placed once (cnDirect_PlaceStaticBodies)
    cnLinearSystem system;
    cnDirectSubstep substep;
    cnDirectStepping stepping;
    cnEnergyLedger ledger;
} cnDirectIsland;

static inline bool cnDirect_Has(const cnDirectIsland* island, uint32_t trait) {
    return (island->traits & trait) != 0;
}

static inline void cnDirect_AddTrait(cnDirectIsland* island, uint32_t trait, bool has) {
    island->traits |= has ? trait : 0;
}

static inline const cnConstraint* cnDirect_ConstraintOf(const cnDirectIsland* island,
                                                        const cnDirectNode* node) {
    CN_ASSERT(cnNode_IsJoint(node));
    return &island->solve->constraints->constraints[node->source];
}

static inline cnContactRows* cnDirect_ContactOf(const cnDirectIsland* island, const cnDirectNode* node) {
    CN_ASSERT(!cnNode_IsJoint(node));
    return cnSolve_GetRows(island->solve, node->source);
}

static inline bool cnDirect_IsDynamic(const cnDirectIsland* island, int row) {
    return row >= 0 && island->solve->solver.indexOfRow[row] != 0;
}

// A kinematic body that takes part.
static inline bool cnDirect_IsMoving(const cnSolve* solve, int row) {
    const uint32_t moving = cn_bodyKinematic | cn_bodyEnabled;
    return (solve->bodies->flags[row] & moving) == moving;
}

static inline const cnDirectNode* cnDirect_NodeOf(const cnDirectIsland* island, int row) {
    return &island->nodes[island->rows[row].node];
}

// Held, or held on one side.
static inline bool cnDirect_HasGap(const cnDirectRow* row) {
    return row->kind == cn_rowHolonomic || row->kind == cn_rowOneSided;
}

// Jacobian numbers of a row at one of its node's bodies.
static inline double* cnDirect_NumbersAt(const cnDirectIsland* island, const cnDirectNode* node, int place,
                                         int row) {
    return cnLinearSystem_NumbersAt(&island->system, &node->block, place, row);
}

static inline bool cnDirect_IsPressed(const cnDirectIsland* island, int row) {
    double violation = island->rows[row].violation;
    return island->system.upper[row] > 0.0 ? violation <= 0.0 : violation >= 0.0;
}

// The violation that counts: of a limit what is beyond it.
static inline double cnDirect_Pressed(const cnDirectIsland* island, int row) {
    bool counts = island->rows[row].kind != cn_rowOneSided || cnDirect_IsPressed(island, row);
    return counts ? island->rows[row].violation : 0.0;
}

// Nodes of joints that the energy guard asks for what their rows had stored: springs, and rows that are not
// only held.
static inline bool cnDirect_IsAsked(const cnDirectNode* node) {
    return cnNode_IsJoint(node) && (node->joint.hasSprings || !cnNode_IsPlain(node));
}

// A spring's row, or one of a joint as soft as a spring.
static inline bool cnDirect_IsSpring(const cnDirectIsland* island, int row) {
    const cnConstraint* joint = cnDirect_ConstraintOf(island, cnDirect_NodeOf(island, row));
    int slot = island->rows[row].slot;
    return slot < cn_slotMotor &&
           (cnJoint_IsSpring(joint) || joint->dofs[slot].compliance > CN_SPRING_COMPLIANCE);
}

// How far a row of a joint moves for a rotation of 1 rad of what it joins, m, or, of angular rows, rad.
static inline double cnDirect_ArmOf(const cnDirectIsland* island, int row) {
    const cnDirectNode* node = cnDirect_NodeOf(island, row);
    const cnConstraint* joint = cnDirect_ConstraintOf(island, node);
    bool isLine = cnJoint_IsLine(joint);
    double ofLine = isLine ? joint->length : 0.0;
    return isLine || island->rows[row].slot < 3 ? node->joint.length1 + node->joint.length2 + ofLine : 1.0;
}

// G v of a row over the dynamic bodies.
static inline double cnDirect_RowSpeed(const cnDirectIsland* island, int row, const double* velocities) {
    return cnLinearSystem_RowSpeed(&island->system, &cnDirect_NodeOf(island, row)->block, row, velocities);
}

// An impulse on a row: M'⁻¹ Gᵀ of it added to velocities, Gᵀ of it to the right-hand side.
static inline void cnDirect_PushRow(const cnDirectIsland* island, int row, double impulse,
                                    double* velocities) {
    cnLinearSystem_PushRow(&island->system, &cnDirect_NodeOf(island, row)->block, row, impulse, velocities);
}

static inline void cnDirect_LoadImpulse(const cnDirectIsland* island, int row, double impulse) {
    cnLinearSystem_LoadImpulse(&island->system, &cnDirect_NodeOf(island, row)->block, row, impulse);
}

// G v of a body that is not dynamic.
static inline double cnDirect_FixedSpeed(const cnDirectIsland* island, int row, const double* j) {
    const cnBodyTable* bodies = island->solve->bodies;
    if (!cnDirect_IsMoving(island->solve, row)) {
        return 0.0;
    }
    return cnDot(cnGetVec(j), bodies->halfStepVelocity[row]) +
           cnDot(cnGetVec(j + 3), bodies->halfStepAngularVelocity[row]);
}
