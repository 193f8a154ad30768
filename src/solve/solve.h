// The solve: from forces, contacts and velocities at the start of a step to velocities and poses at its end.
//
// In come the tables of bodies and pairs after a collide; out go new velocities and poses in the body
// table, and the multipliers and forces of the contacts in the pair table. Phases, each a function of its
// own over cnSolve:
//   cnSolve_Begin        the bodies that move, their forces and inverse masses; the contacts and joints that
//                        act on them, and the graph that these make (constraint_graph.h)
//   cnSolve_FindIslands  what each island of the graph is solved by: where something heavy rests on something
//                        light it becomes "converged"; rows of contacts, which all solvers pack from
//                        (contact_rows.h)
//   cnSolve_Impacts      restitution, in rounds of sequential Newton impacts (impacts.c)
//   cnSolve_Contacts     islands with joints directly (direct_islands.c), or, where that is over budget, in
//                        groups beside the sweeps (joint_groups.c); iterated islands by coloured sweeps in
//                        f32 lanes (contact_sweeps.c), converged ones by a tree-preconditioned Newton method
//                        in f64 (converged_contacts.c); joints of crowds and nets by the sweeps, too
//                        (sweeps/joint_blocks.h)
//   cnSolve_CorrectPositions      overlap that no force explains, by moving bodies and not by speeding them
//                                 up (position_correction.c)
//   cnSolve_Integrate    poses, momenta, forces to read
//   cnSolve_GuardIslands energy that swept contacts beside joints raised without a source, taken out
//                        again (island_guard.c)
#pragma once

#include "base/containers/row_list.h"
#include "base/report/fault.h"
#include "base/stack.h"
#include "base/thread_pool.h"
#include "collide/pairs/pair_table.h"
#include "dynamics/constraint_table.h"
#include "dynamics/motion.h"
#include "material/pair_properties.h"
#include "solve/constraint_graph.h"

// m/s², by which weights are judged where no gravity is known to act.
#define CN_STANDARD_GRAVITY 9.80665

// Linear and angular part, each padded to four lanes.
typedef struct cnMotion6 {
    float linear[4];
    float angular[4];
} cnMotion6;

// A body's momenta, spin and place at the start of an interval, and the rates at the end of the last one
// (velocity_times.c).
typedef struct cnMomenta {
    cnVec3 linear, angular, spin, centre;
    cnVec3 force, torque, spinRate;
    cnVec3 settled, settledMoment; // N s, N m s: of users' forces that begin or have ended, before the step
    bool turns;                    // rather than keeps its angular momentum: the spin is what is carried on
} cnMomenta;

// A pose's change at the end of the step.
typedef struct cnImpactMove {
    cnVec3 shift, turn; // m, rad as a vector
} cnImpactMove;

// Bodies by solver index. Index 0 stands for all that is not dynamic (static geometry, static, kinematic and
// disabled bodies).
typedef struct cnSolverBodies {
    int count; // with index 0
    int* rows;
    int* indexOfRow;
    const int* island; // its number; −1 of a free one: no contact or constraint acts on it
    uint8_t* moved;    // to the end of the step, by the direct solver, or stopped (converged_rest.c)
    uint8_t* failed;   // its forces, or what they made of it, are not finite
    cnMomenta* start;
    cnInverseMass* inverse;
    cnForceResponse* response;
    cnDampingResponse* damping; // null where no body is damped
    cnMotion6* velocity;        // change of velocity in the step
    cnMotion6* displacement;    // change of place in the step, beyond what the start velocity makes
    cnImpactMove* impactMove;   // what impacts change poses by at the end of the step
    bool anyImpactMove;         // else nothing is in it
    bool anyDamped;
    bool anyAnisotropic; // inverse mass
} cnSolverBodies;

static inline bool cnSolverBodies_IsFree(const cnSolverBodies* solver, int index) {
    return solver->island[index] < 0;
}

// A contact that acts on at least one dynamic body.
typedef struct cnSolverContact {
    int pair;
    int body1, body2; // solver indices
    int island;
    int row;        // of its rows (contact_rows.h); −1 where it has none
    uint32_t order; // of the pair
    uint8_t pointCount;
    // what its materials and its pair say
    double restitution, restitutionThreshold; // m/s
    float compliance, damping;                // m/N, s
    float friction, staticScale;   // μ of the cone, and what it is scaled by where nothing slides: it has it
    float viscosity;               // (m/s)/N of a point
    cnFrictionSolve frictionSolve; // that its friction model wants
    bool isFoundation;             // by the area method: all overlap is strain
    bool isPlain;  // what packs it for sweeps needs no rows, but what its pair and its materials say
    bool isImpact; // approaches fast enough for the impact stage
} cnSolverContact;

// What some contact has: where none has it, no pass over them looks for it.
typedef struct cnContactTraits {
    bool anyImpact;
    bool anyOdd;  // is not plain
    bool anyWish; // may ask for a solver
} cnContactTraits;

// A constraint that acts on at least one dynamic body.
typedef struct cnSolverJoint {
    int constraint;
    int rows[4]; // of bodies, −1; four for gears
    int island;
    bool restarts;           // it is new, or a body of it was set
    bool hasAxes;            // it holds or bounds more than a point
    cnConstraintSolve solve; // what the user wants
    int splitSteps;          // for which its island's friction is still swept
    int groupedSteps;        // for which its island keeps its groups
    double stored;           // J, of one that is swept, in the gap by which it sags under its force
} cnSolverJoint;

// What the guard of an island with groups weighs in a step (island_guard.c), J.
typedef struct cnIslandEnergy {
    double start;   // of all motion
    double sources; // work of motors, springs and the like on its joints
    double
        weighed; // of what its joints raised without a source: their own guards have taken it from the credit
    double stored; // that the elasticity of its joints can hold
} cnIslandEnergy;

// Steps for which an island keeps its groups.
#define CN_GROUPED_STEPS 60

typedef struct cnIsland {
    int bodyCount;
    int contactCount;
    int jointCount;
    int loops;             // of joints
    cnIslandSolver solver; // in this step (solver_choice.c)
    int splitSteps;        // for which friction is still swept since it moved, of islands with joints
    int convergedSteps;    // for which the island counts as heavy or calm
    int backOffSteps;      // for which it is doubtful since it failed to converge
    double speed, rolling; // m/s, the largest along a normal, of a body on one; 0 where too large to converge
    bool overLimit, nearLimit, isHeavy;
    bool restsSwept;   // failed to converge, and rests without
    bool large;        // too large to converge: a pile
    bool hasImpacts;   // some contact may be one
    bool anchored;     // some joint holds it to a body that is not dynamic
    bool sweepsJoints; // all of its joints could be swept (sweeps/joint_blocks.h), and sweeps would hold them
    bool wantsSweeps;  // the user wants all of them to be iterative
    cnIslandEnergy energy;
    cnIslandStatistics statistics;
} cnIsland;

// Contacts and all within factorisations.
static inline bool cnIsland_IsFactorised(const cnIsland* island) {
    return island->solver == cn_islandDirect || island->solver == cn_islandSplit;
}

// Joints in lanes beside contacts (sweeps/joint_blocks.h).
static inline bool cnIsland_SweepsJoints(const cnIsland* island) {
    return island->solver == cn_islandSwept && island->jointCount > 0;
}

typedef struct cnSolveStatistics {
    int islands;
    int convergedIslands;
    int colours;
    int impactRounds;
    int directIslands;
} cnSolveStatistics;

struct cnFactorPool;

typedef struct cnSolve {
    // given
    cnBodyTable* bodies;
    cnPairTable* pairs;
    cnConstraintTable* constraints;
    // given, and kept between steps
    struct cnFactorPool* direct;
    cnConstraintGraph* graph;
    struct cnSweepBatches* batches;
    // given
    const cnProxyTable* proxies;
    cnShape* const* shapes;
    const cnGeometryTable* geometries;
    const cnMaterialTables* materials;
    cnGravity gravity;
    double h;        // s, the outer time step
    cnRowList awake; // rows of bodies to go through
    cnSolverSettings settings;
    bool gyroscopic;
    cnStack* stack;
    cnThreadPool* threads;

    // made on the way, on the stack
    int substeps;   // of islands with contacts
    double substep; // s
    cnSolverBodies solver;
    int* kinematicRows; // of bodies that are awake
    int kinematicCount;
    cnSolverContact* contacts;
    int contactCount;
    cnContactTraits traits;
    struct cnContactRows* contactRows; // of the contacts that have some, in their order
    int rowCount;
    cnSolverJoint* joints;
    int jointCount;
    cnIsland* islands;
    int islandCount;
    cnSolveStatistics statistics;
    double jointWork;  // operations that are left for sub-steps of joints (work_budget.c)
    double impactWork; // J, that impacts gave: what bounces lose is below 0
    bool hasConveyors; // some geometry has a surface velocity
    int failedBody;    // row of a body whose state became NaN or infinite, −1
} cnSolve;

// Sub-steps of islands with contacts; four where the user does not say.
static inline int cnSubstepsOf(const cnSolverSettings* settings) {
    return settings->substeps > 0 ? settings->substeps : 4;
}

// False when memory ran out. What was pushed on the stack is popped by cnSolve_End.
bool cnSolve_Begin(cnSolve* solve);
// Most contacts of a converged island.
#define CN_CONVERGED_CONTACTS 128

// What the materials of all contacts ask for, and rows of the contacts that need some, once it is known what
// their islands are solved by (prepare_contacts.c). False when memory ran out.
bool cnSolve_ResolveContacts(cnSolve* solve);
bool cnSolve_PrepareContacts(cnSolve* solve);
// Forces, inverse masses and what they do in a sub-step, for all dynamic bodies. Begin calls it, and the
// contact phase again after impacts, because damping depends on the velocities.
void cnSolve_PrepareBodies(cnSolve* solve);
bool cnSolve_FindIslands(cnSolve* solve);
// After the islands were found: whether every body that does not move freely is in exactly one, with the
// contacts and joints that act on it, and the counts add up (solve_validate.c).
bool cnSolve_Validate(const cnSolve* solve, cnFault* fault);
// What each island is solved by (solver_choice.c).
bool cnSolve_ChooseSolvers(cnSolve* solve);
bool cnSolve_Impacts(cnSolve* solve);
bool cnSolve_Contacts(cnSolve* solve);
bool cnSolve_CorrectPositions(cnSolve* solve);
void cnSolve_Integrate(cnSolve* solve);
// Velocities at the time of the poses, once the bodies are where the step leads them (velocity_times.c).
void cnSolve_ReadVelocities(cnSolve* solve);
// The energy of islands with groups before their step (false when memory ran out), and what is done about it
// afterwards.
bool cnSolve_WeighIslands(cnSolve* solve);
void cnSolve_GuardIslands(cnSolve* solve);
// What was done with each island, in their order.
void cnSolve_ListStatistics(const cnSolve* solve, cnIslandStatistics* list);
void cnSolve_End(cnSolve* solve);

// ---- velocity_times.c -------------------------------------------------------------------------------------

// Over which momenta change at one rate: from the state that a body has at its begin to the one that
// it has at its end.
typedef struct cnInterval {
    double length, substep; // s; of the sub-steps in it
    bool isFirst;           // of the step
    const cnVec3* spin;     // rad/s, that it moved the body with; null where they do not hold its axis
} cnInterval;

void cnSolve_BeginInterval(const cnSolve* solve, int index);
void cnSolve_EndInterval(const cnSolve* solve, int index, const cnInterval* interval);
void cnSolve_BeginIntervals(cnSolve* solve);
// After an impact: the interval begins again, as if the forces from outside alone had acted before.
void cnSolve_JumpVelocity(const cnSolve* solve, int index);
// As they would be read, or as forces say they are.
void cnSolve_GetVelocityAtPose(const cnSolve* solve, int index, cnVec3* velocity, cnVec3* spin);
// Brings a body's velocities to half a sub-step before its pose, so that whole kicks can follow; those of all
// bodies that contacts are swept of. Free bodies, and islands that are solved directly, have their sub-steps.
void cnSolve_AlignVelocity(const cnSolve* solve, int index, double substep);
void cnSolve_AlignVelocities(cnSolve* solve);
// The time in which what acts between bodies (solver indices, 0: not dynamic) acts in the first
// sub-step, s: half of it where all have velocities at the time of their poses. Of a contact that is
// swept, in the whole step.
double cnSolve_GetFirstKick(const cnSolve* solve, const int* indices, int count, double substep);
double cnSolve_GetForceTime(const cnSolve* solve, int index1, int index2);

// ---- shared by the solvers --------------------------------------------------------------------------------

// γ = 1/(1 + 4τ/h) and Σ = 4εγ/h² of a holonomic row (docs/physics.md).
static inline double cnSpookGamma(double damping, double h) {
    return 1.0 / (1.0 + 4.0 * damping / h);
}

static inline double cnSpookSigma(double compliance, double gamma, double h) {
    return 4.0 * compliance * gamma / (h * h);
}
