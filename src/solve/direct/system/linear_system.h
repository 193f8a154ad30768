// The linear system of an island that is solved directly, and its solution with bounds by pivoting
// (complementarity.h).
//
//   [ M'  −Gᵀ ] [ v ]   [ p ]      M' masses of bodies with geometric stiffness (stiff_joints.h), G Jacobian,
//   [ G    Σ  ] [ λ ] = [ q ]      lower ≤ λ ≤ upper
//
// Rows come in blocks, each of which couples the same few bodies: a joint's, a contact's. The first
// `nodeCount` blocks with `rowCount` rows are factorised; rows after them are swept by whoever needs that
// (friction_sweeps.c, swept_joints.c). Nothing here knows what a row means.
#pragma once

#include "base/stack.h"
#include "dynamics/motion.h"
#include "dynamics/rotation.h"
#include "linear/complementarity.h"

// How much an island, or several, needs of arrays. `nodes` counts one more than there are, for starts of
// ranges.
typedef struct cnDirectSizes {
    int bodies, nodes, rows, numbers;
} cnDirectSizes;

// Lists of arrays: X(type, name, length by `sizes`, what it is). Members, reservation and division among
// groups follow from them.
#define CN_ARRAY_MEMBER(type, name, length, what) type* name;
#define CN_ARRAY_RESERVE(type, name, length, what)                                                           \
    made = (arrays->name = CN_PUSH(stack, type, length, what)) != NULL && made;
#define CN_ARRAY_SKIP(type, name, length, what) arrays->name += length;

#define CN_SYSTEM_ARRAYS(X)                                                                                  \
    X(double, mass, cn_massNumbers * sizes->bodies, "direct masses")                                         \
    X(double, jacobian, sizes->numbers, "direct Jacobian")                                                   \
    X(double, sigma, sizes->rows, "direct compliances")                                                      \
    X(double, right, cn_bodyUnknowns * sizes->bodies + sizes->rows, "direct right-hand side")                \
    X(double, solution, cn_bodyUnknowns * sizes->bodies + sizes->rows, "direct solution")                    \
    X(double, correction, cn_bodyUnknowns * sizes->bodies + sizes->rows, "direct correction")                \
    X(double, lower, sizes->rows, "least multipliers")                                                       \
    X(double, upper, sizes->rows, "most multipliers")                                                        \
    X(double, inverseEffectiveMass, sizes->rows, "inverse effective masses")                                 \
    X(cnInverseMass, inverses, sizes->bodies, "direct inverse masses")                                       \
    X(uint8_t, sets, sizes->rows, "sets of rows")                                                            \
    X(uint8_t, soft, sizes->nodes, "soft nodes")                                                             \
    X(int, rowStart, sizes->nodes, "direct row starts")                                                      \
    X(int, bodyStart, sizes->nodes, "direct body starts")                                                    \
    X(int, nodeBodies, 4 * sizes->nodes, "direct node bodies")

// How the solutions of a step went; what is worse hides what is better.
typedef enum cnSystemOutcome {
    cn_systemSolved = 0,
    cn_systemFailed,     // not finite
    cn_systemOverBudget, // more operations than the limit
    cn_systemNoMemory,
} cnSystemOutcome;

// What solving took in a step.
typedef struct cnSystemStatistics {
    int rounds, pivots, fallbacks;
    double residual;
} cnSystemStatistics;

typedef struct cnLinearSystem {
    cnSparseFactor* factor;
    cnBoxSolver* box;
    int bodyCount;
    int nodeCount, rowCount; // that are factorised
    bool keepsInverses;      // inverse masses of bodies and of all rows are needed, for sweeps
    cnSystemOutcome outcome;
    cnSystemStatistics statistics;
    double flopLimit, flopsBefore; // of a step, 0: none; of the factor before it
    double tolerance; // relative, of bounds and a hundredth of it of solutions; 0: as a step needs it
    CN_SYSTEM_ARRAYS(CN_ARRAY_MEMBER)
    // mass: 18 a body; right: p and q; solution, correction: v and λ; lower, upper: of λ;
    // inverseEffectiveMass: G M'⁻¹ Gᵀ by row; inverses: M'⁻¹ by body, where they are kept; sets: cnRowSet by
    // row
} cnLinearSystem;

// The rows of one node: which bodies they couple, and where their numbers are in the Jacobian: per body, per
// row, 6.
typedef struct cnRowBlock {
    int firstRow, rowCount;
    int firstNumber;
    int bodyCount;
    int bodies[4]; // of the island
} cnRowBlock;

static inline int cnRowBlock_End(const cnRowBlock* block) {
    return block->firstRow + block->rowCount;
}

bool cnLinearSystem_Reserve(cnLinearSystem* system, cnStack* stack, const cnDirectSizes* sizes);
// Arrays behind those of so many others.
void cnLinearSystem_Skip(cnLinearSystem* system, const cnDirectSizes* sizes);

// Before the blocks of a new island are added, in order; then its topology, for the factor. cn_orderTooDear
// where a factorisation would take more than flopLimit operations (≤ 0: no limit).
void cnLinearSystem_Clear(cnLinearSystem* system, int bodyCount);
void cnLinearSystem_AddBlock(cnLinearSystem* system, const cnRowBlock* block);
cnOrderResult cnLinearSystem_SetTopology(cnLinearSystem* system, double flopLimit);

// Masses, Jacobian and Σ as they are now, to the factor.
void cnLinearSystem_LoadValues(const cnLinearSystem* system);
// With the bounds that the rows have; without any row the bodies alone.
void cnLinearSystem_Solve(cnLinearSystem* system);

// Operations of the step so far.
static inline double cnLinearSystem_Work(const cnLinearSystem* system) {
    return system->factor->statistics.flops - system->flopsBefore;
}

// λ by row.
static inline double* cnLinearSystem_Multipliers(const cnLinearSystem* system) {
    return system->solution + cn_bodyUnknowns * system->bodyCount;
}

// Jacobian numbers of a row at one of its block's bodies.
static inline double* cnLinearSystem_NumbersAt(const cnLinearSystem* system, const cnRowBlock* block,
                                               int place, int row) {
    return system->jacobian + block->firstNumber +
           cn_bodyUnknowns * (place * block->rowCount + row - block->firstRow);
}

// λ between ± bound.
static inline void cnLinearSystem_SetBound(const cnLinearSystem* system, int row, double bound) {
    system->upper[row] = bound;
    system->lower[row] = -bound;
}

// G M'⁻¹ Gᵀ of a row, from the masses.
double cnLinearSystem_InverseEffectiveMass(const cnLinearSystem* system, const cnRowBlock* block, int row);
// G v of a row.
static inline double cnLinearSystem_RowSpeed(const cnLinearSystem* system, const cnRowBlock* block, int row,
                                             const double* velocities) {
    double speed = 0.0;
    for (int place = 0; place < block->bodyCount; ++place) {
        const double* j = cnLinearSystem_NumbersAt(system, block, place, row);
        const double* v = velocities + cn_bodyUnknowns * block->bodies[place];
        speed += j[0] * v[0] + j[1] * v[1] + j[2] * v[2] + j[3] * v[3] + j[4] * v[4] + j[5] * v[5];
    }
    return speed;
}

// An impulse on a row: M'⁻¹ Gᵀ of it added to velocities, Gᵀ of it to the right-hand side.
void cnLinearSystem_PushRow(const cnLinearSystem* system, const cnRowBlock* block, int row, double impulse,
                            double* velocities);
void cnLinearSystem_LoadImpulse(const cnLinearSystem* system, const cnRowBlock* block, int row,
                                double impulse);

static inline cnVec3 cnGetVec(const double* v) {
    return (cnVec3){v[0], v[1], v[2]};
}

static inline void cnPutVec(double* out, cnVec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static inline cnMat33 cnGetMatrix(const double* m) {
    return (cnMat33){cnGetVec(m), cnGetVec(m + 3), cnGetVec(m + 6)};
}

static inline void cnPutMatrix(double* out, cnMat33 m) {
    cnPutVec(out, m.x);
    cnPutVec(out + 3, m.y);
    cnPutVec(out + 6, m.z);
}
