// Contacts of soft islands, packed four manifolds wide, in the order of their colours (contact_order.h): the
// four manifolds of a block, and all blocks of a colour, can be solved at the same time.
#pragma once

#include "solve/contact_order.h"
#include "solve/sweeps/motion_lanes.h"

// Inverse inertia in world axes: xx, xy, xz, yy, yz, zz.
typedef struct cnPointLanes {
    cnLanes arm1[3], arm2[3]; // m
    cnLanes separation;       // m, at the start of the step
    cnLanes startVelocity;    // m/s, G v at the start of the step
    cnLanes inverseBiased;    // 1/(D + Σ + Σ_p); 0 where the lane has no such point
    cnLanes inverseRelaxed;   // 1/D; 0 likewise
    cnLanes softening;        // Σ_p
    cnLanes push;             // m/s, the fastest that the bias pushes out
    cnLanes impulse;          // λ, N s a sub-step
    cnLanes impulseSum;       // over the sub-steps
    cnLanes radius;           // m, from the friction centre
} cnPointLanes;

// K + Σ of two rows that a circle bounds.
typedef struct cnAxesLanes {
    cnLanes k11, k12, k22;
    cnLanes inverseDeterminant;
    cnLanes inverseLargest; // of the eigenvalues
} cnAxesLanes;

typedef struct cnContactBlock {
    int contact[CN_LANES]; // of cnSolve; −1 for an empty lane
    int body1[CN_LANES], body2[CN_LANES];
    int pointCount;   // max over the lanes
    bool anisotropic; // some body's inverse mass differs along its axes: see cnContactBlocks.anisotropic
    bool special;     // some lane's friction is not a circular cone alone: see cnContactBlocks.special
    bool limited;     // some lane's position correction is limited
    cnLanes inverseMass1, inverseMass2;
    cnLanes inverseInertia1[6], inverseInertia2[6];
    cnLanes normal[3],
        tangent[3];          // the first axis of sliding; the second is n × t, scaled where it is special
    cnLanes gamma, bounce;   // γ; c = 4γ/h_s
    cnLanes sigma;           // Σ
    cnLanes curvature;       // Q, m/s²
    cnLanes integralImpulse; // λ̄
    cnLanes least;           // N s, of λ: below 0 where surfaces stick to one another
    cnPointLanes points[CN_MANIFOLD_POINTS];

    // friction at its centre: two tangential rows and a torsional one (friction.h)
    cnLanes centreArm1[3], centreArm2[3];
    cnLanes startSlip[3];       // m/s along t1, t2; rad/s about n
    bool turns;                 // in some lane `turning` is not 0
    cnLanes turning[2];         // m/s along t1, t2, by which that changes in a sub-step
    cnLanes friction;           // μ
    cnLanes slipRegularisation; // Σ_t of the first axis
    cnAxesLanes sliding;
    cnLanes inverseTorsional;
    cnLanes frictionImpulse[3]; // along t1, t2; about n
    cnLanes frictionSum[3];
} cnContactBlock;

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
    cnLanes perMoment, spinPerLoad, spinFixed;
    cnLanes spinRegularisation;   // Σ about the normal
    cnLanes heldLoad, heldMoment; // N s, N m s: what adhesion adds to those that friction is of

    // rolling: about axes as those of sliding
    cnLanes rollingAxis[3], rollingRatio;
    cnLanes startRoll[2]; // rad/s
    cnLanes rollingPerLoad;
    cnAxesLanes rolling; // 1s where a lane does not
    cnLanes rollingImpulse[2];
} cnSpecialFriction;

typedef struct cnContactBlocks {
    cnContactBlock* blocks;
    cnAnisotropicMass* anisotropic; // one a block; null where all bodies are isotropic
    cnSpecialFriction* special;     // one a block; null where all friction is of circular cones
    int blockCount;
    int* colourStarts; // colourCount + 1
    int colourCount;
    int serialColour; // from this colour on blocks may share bodies and are solved one after the other
} cnContactBlocks;

// Packs the contacts of soft islands. False when memory ran out.
bool cnMakeContactBlocks(cnSolve* solve, cnContactBlocks* blocks);

// The last part of it: fills blocks that have their contacts (contact_packing.c).
bool cnPackContactBlocks(cnSolve* solve, cnContactBlocks* blocks);

// Takes out overlap that no force explains, by moving bodies (position_sweeps.c). False when memory ran out.
bool cnSweepPositions(cnSolve* solve, const cnContactBlocks* blocks);

// Multipliers and forces back to the pairs.
void cnStoreContactBlocks(cnSolve* solve, const cnContactBlocks* blocks);

// All sub-steps of the sweeps (contact_sweeps.c), with the joints that are swept beside contacts and the
// groups of joints that take part.
struct cnJointBlocks;
struct cnJointGroups;
void cnSweepIslands(cnSolve* solve, cnContactBlocks* blocks, struct cnJointBlocks* joints,
                    const struct cnJointGroups* groups);
