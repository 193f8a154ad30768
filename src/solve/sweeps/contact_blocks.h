// Contacts of swept islands, packed four manifolds wide, by the nodes of their batch (sweep_parts.h) and by
// their colours (contact_order.h): the four manifolds of a block, and all blocks of a colour, can be solved
// at the same time.
#pragma once

#include "solve/lanes/swept_bodies.h"
#include "solve/sweeps/sweep_batches.h"

typedef struct cnPointLanes {
    cnLanes moment1[3], moment2[3]; // m, of the normal about the centres of mass, mass-weighted
    cnLanes separation;             // m, at the start of the step
    cnLanes startVelocity;          // m/s, G v at the start of the step
    cnLanes inverseBiased;          // 1/(D + Σ + Σ_p); 0 where the lane has no such point
    cnLanes inverseRelaxed;         // 1/D; 0 likewise
    cnLanes softening;              // Σ_p
    cnLanes push;                   // m/s, the fastest that the bias pushes out
    cnLanes impulse;                // λ, N s a sub-step
    cnLanes impulseSum;             // over the sub-steps
    cnLanes radius;                 // m, from the friction centre
} cnPointLanes;

// K + Σ of two rows that a circle bounds.
typedef struct cnAxesLanes {
    cnLanes k11, k12, k22;
    cnLanes inverseDeterminant;
    cnLanes inverseLargest; // of the eigenvalues
} cnAxesLanes;

// Moments of a row about the centres of mass, mass-weighted.
typedef struct cnMomentLanes {
    cnLanes of1[3], of2[3];
} cnMomentLanes;

typedef struct cnContactBlock {
    int contact[CN_LANES];                // of cnSolve; −1 for an empty lane
    int body1[CN_LANES], body2[CN_LANES]; // places of swept bodies
    int pointCount;                       // max over the lanes
    bool anisotropic; // some body's inverse mass differs along its axes: see cnContactBlocks.anisotropic
    int special;      // of cnContactBlocks.special, where some lane's friction is not a circular cone; −1
    bool spins;       // some lane has friction about the normal
    bool crosswise;   // cnContactBlock_GetOrder; of four points
    bool limited;     // some lane's position correction is limited
    bool turns;       // in some lane `turning` is not 0
    int repeats; // of a sweep of the normal rows: several where surfaces meet or a face is slender in a lane
    cnLanes inverseMass1, inverseMass2;
    cnLanes normal[3];
    cnLanes gamma, bounce;   // γ; c = 4γ/h_s
    cnLanes sigma;           // Σ
    cnLanes curvature;       // Q, m/s²
    cnLanes integralImpulse; // λ̄
    cnLanes least;           // N s, of λ: below 0 where surfaces stick to one another
    cnPointLanes points[CN_MANIFOLD_POINTS];

    // friction at its centre: two tangential rows and a torsional one (friction.h)
    cnLanes tangent[3]; // the first axis of sliding; the second is n × t, scaled where it is special
    cnMomentLanes sliding1, sliding2, torsional;
    cnLanes startSlip[3];       // m/s along t1, t2; rad/s about n
    cnLanes turning[2];         // m/s along t1, t2, by which that changes in a sub-step
    cnLanes friction;           // μ, along the tangents
    cnLanes torsionalFriction;  // and about the normal
    cnLanes spinRegularisation; // Σ about the normal
    cnLanes slipRegularisation; // Σ_t of the first axis
    cnAxesLanes sliding;
    cnLanes inverseTorsional;
    cnLanes frictionImpulse[3]; // along t1, t2; about n
    cnLanes frictionSum[3];
} cnContactBlock;

// The order in which sweeps visit a block's points. Those of a face come around it, and sweeps that go around
// what is tall for the face hand the load around it (docs/iterative-contacts.md).
static inline const int* cnContactBlock_GetOrder(const cnContactBlock* block) {
    static const int orders[2][CN_MANIFOLD_POINTS] = {{0, 1, 2, 3}, {0, 2, 1, 3}};
    return orders[block->crosswise];
}

// The pairs of its contacts will be read.
static inline void cnContactBlock_AskForPairs(const cnContactBlock* block, const cnSolve* solve) {
    for (int lane = 0; lane < CN_LANES; ++lane) {
        if (block->contact[lane] >= 0) {
            cnPair_Prefetch(cnPairTable_Get(solve->pairs, solve->contacts[block->contact[lane]].pair));
        }
    }
}

// Inverse masses of a block's bodies as matrices: xx, xy, xz, yy, yz, zz.
typedef struct cnAnisotropicMass {
    cnLanes inverseMass1[6], inverseMass2[6];
} cnAnisotropicMass;

// What friction of other models than the circular cone, and of materials that resist spinning and rolling,
// has beside that of a block (friction.h).
typedef struct cnSpecialFriction {
    bool hasBoxes, rolls;       // of some lane
    cnLanes ratio;              // the second axis of sliding over the first
    cnLanes isBox;              // 1, else 0
    cnLanes perLoad;            // of the second axis; the first has the block's `friction`
    cnLanes fixed[2];           // N s a sub-step
    cnLanes slipRegularisation; // of the second axis
    cnLanes spinPerLoad, spinFixed;
    cnLanes heldLoad, heldMoment; // N s, N m s: what adhesion adds to those that friction is of

    // rolling: about axes as those of sliding
    cnLanes rollingAxis[3], rollingRatio;
    cnMomentLanes rolling1, rolling2;
    cnLanes startRoll[2]; // rad/s
    cnLanes rollingPerLoad;
    cnAxesLanes rolling; // 1s where a lane does not
    cnLanes rollingImpulse[2];
} cnSpecialFriction;

typedef struct cnContactBlocks {
    cnContactBlock** pages;         // of cnSweepBatches.room
    int first;                      // place in that room of the first block
    cnAnisotropicMass* anisotropic; // one a block; null where all bodies are isotropic
    cnSpecialFriction* special;     // of the blocks that have some
    int blockCount;
    const cnBlockCut* cuts; // which contacts they have
    const cnBlockRuns* runs;
} cnContactBlocks;

static inline cnContactBlock* cnContactBlocks_Get(const cnContactBlocks* blocks, int block) {
    return cnPages_At(blocks->pages, blocks->first + block);
}

// A batch while it is swept.
typedef struct cnSweptBatch {
    cnSolve* solve;
    cnThreadPool* threads; // null where one thread has it
    const int* indices;    // of the solver, of the bodies from place 1 on
    const int* places;     // by solver index
    const cnContactPlace* contacts;
    cnSweptBodies bodies;
    cnContactBlocks blocks;
} cnSweptBatch;

// Room for the blocks of a batch, and what special ones among them and anisotropic bodies have beside on the
// step's stack; false when memory ran out. The room is the same for one batch after the other.
bool cnContactBlocks_Make(cnContactBlocks* blocks, cnSweepBatches* batches, cnStack* stack, int count,
                          int specialCount);

// Of that room what begins at a block.
static inline cnContactBlocks cnContactBlocks_GetPart(const cnContactBlocks* blocks, int first,
                                                      int firstSpecial) {
    return (cnContactBlocks){
        .pages = blocks->pages,
        .first = first,
        .anisotropic = blocks->anisotropic != NULL ? blocks->anisotropic + first : NULL,
        .special = blocks->special + firstSpecial,
    };
}

// A task over all blocks of a batch in the order of its runs: what blocks do to their bodies, those after
// them find. The task's range is one of blocks.
void cnRunOverBlocks(cnThreadPool* threads, const cnBlockRuns* runs, cnTask* task, void* context);
// The same where blocks do nothing to one another.
void cnRunOverBlocksApart(cnThreadPool* threads, const cnBlockRuns* runs, cnTask* task, void* context);

// What is in the lanes (contact_packing.c); the bodies are loaded.
void cnPackContactBlocks(cnSweptBatch* batch);

// All sub-steps of the sweeps (contact_sweeps.c), with the joints that are swept beside contacts and the
// groups of joints that take part; both null where a batch has none.
struct cnJointBlocks;
struct cnJointGroups;
void cnSweepBatch_Run(cnSweptBatch* batch, struct cnJointBlocks* joints, const struct cnJointGroups* groups);

// Multipliers and forces back to the pairs.
void cnStoreContactBlocks(cnSweptBatch* batch);

// A block with contacts whose position correction is limited.
typedef struct cnPushBlock {
    int block;
    cnLanes target[CN_MANIFOLD_POINTS];  // m, ways to go along the normal
    cnLanes impulse[CN_MANIFOLD_POINTS]; // of the ways, kg m
    cnLanes inverse[CN_MANIFOLD_POINTS]; // 1/(G W Gᵀ); 0 where the lane has no such row
    cnLanes share1, share2;              // of the bodies' mobilities
} cnPushBlock;

// Takes out overlap that no force explains, by moving bodies (position_sweeps.c); `room` is for as many
// blocks as the batch has.
void cnSweepPositions(cnSweptBatch* batch, cnPushBlock* room);
