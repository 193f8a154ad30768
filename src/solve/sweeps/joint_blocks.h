// Joints of swept islands, four side by side in f32 lanes, beside the blocks of contacts.
//
// What can be swept holds a point (balls, hinges, universals, locks) and may have rows about axes besides:
// held ones, ranges, cones, twists, friction. In each sub-step of h_s, all velocities being changes since the
// start of the step, as of contacts (contact_sweeps.c), around the contacts' biased and relaxing sweeps:
//
//   velocities   the point with its 3 × 3 block, λ' = λ − K⁻¹ G v, then rows about axes that leave it where
//                it is; before the contacts' sweep and once more after it
//   x += h_s v;  arms rotate with their bodies
//   poses        x' = x − M⁻¹ Gᵀ K⁻¹ c g, c = min(4γ, 0.2), joint by joint; and the velocities again, before
//                and after the contacts' sweep
//
// Gaps are closed by moving bodies and not by their velocities. A row with a bias, as contacts have, leaves a
// part of it in λ wherever one sweep does not converge, and so joints would be pulled by the integral of
// their gaps: nets that hang at rest begin to boil, trunks that lie on their arms tremble, chains of
// universals climb. What is moved is not in the energy; what a joint sags while its λ is not found yet it is
// lifted by again.
//
// The last word in each sweep is the joints': a contact that is open by a millimetre pushes no one, and a
// joint that contacts pull open never closes.
//
// The gap g is that of the poses, found from what both bodies have moved and rotated by. Arms rotate along,
// and K with them: with arms of the start of the step a net that swings opens by metres, and with a K of the
// start thin rods that spin explode. With an arm goes the moment of the λ at it: in the next sub-step, for an
// impulse belongs to the poses that it moves, or a chain that tumbles would gain angular momentum; but where
// joints make loops at once, which takes h_s ω² of energy a second, since what one sweep cannot close whips
// the less. Axes stay those of the start. A rod that spins fast about its own axis, in which its arm lies,
// turns that axis by its momentum across it and not about where its angular velocity points; arms rotate by
// that (ArmSpin), or what is a spin at the start of the step would be a swing at its end. Each body is pulled
// at its own attachment.
//
// One sweep hands forces on by one joint: what a long chain or a net carries comes to rest over many steps.
// So what is swept is chosen by need (solve/joint_choice.h).
#pragma once

#include "solve/joint_choice.h"
#include "solve/sweeps/contact_blocks.h"

// A row about an axis.
typedef struct cnAxisLanes {
    cnLanes axis[3];
    cnLanes violation, startSpeed; // rad, rad/s, at the start of the step
    cnLanes target;                // rad/s, of friction
    cnLanes side;                  // of a range: 1 at its lower limit, −1 at its upper; else 0
    cnLanes closing;               // part of a violation that a sub-step closes
    cnLanes sigma;                 // Σ, of friction
    cnLanes lower, upper;          // N m s; 0 where the lane has no such row
    cnLanes impulse, impulseSum;
} cnAxisLanes;

// Symmetric matrices: xx, xy, xz, yy, yz, zz.
typedef struct cnJointBlock {
    int joint[CN_LANES];                   // of cnSolve; −1 for an empty lane
    int body1[CN_LANES], body2[CN_LANES];  // places of swept bodies
    int axisCount;                         // most of its lanes
    int8_t slots[CN_JOINT_AXES][CN_LANES]; // of their rows (constraint_table.h), −1

    // at the start of the step
    cnLanes startVelocity[3];             // m/s, of the centres, relative
    cnLanes startSpin1[3], startSpin2[3]; // rad/s, with which the arms rotate
    cnLanes startArm1[3], startArm2[3];   // m, from the centres to the attachments
    cnLanes startGap[3];                  // m, from the second body's attachment to the first's

    // where sub-steps so far lead to
    cnLanes arm1[3], arm2[3];
    cnLanes gap[3];
    cnLanes owed1[3], owed2[3]; // N m s, of λ at the arms that rotated since
    cnLanes isNet;              // 1, else 0

    cnLanes closing;    // part of a gap that a sub-step closes
    cnLanes inverse[6]; // of K
    cnLanes impulse[3], impulseSum[3];
} cnJointBlock;

typedef struct cnJointBlocks {
    cnJointBlock* blocks;
    cnAxisLanes* axes;   // axisStride a block
    int axisStride;      // CN_JOINT_AXES; 0 where no joint has any
    cnMat33* directions; // along which a point's forces are stored, CN_LANES a block
    int blockCount;
    int* colourStarts; // colourCount + 1
    int colourCount;
    int serialColour; // from this colour on blocks may share bodies
} cnJointBlocks;

static inline cnAxisLanes* cnJointBlocks_AxesOf(const cnJointBlocks* blocks, int block) {
    return &blocks->axes[blocks->axisStride * block];
}

// Packs the joints of swept islands; `places` are those of their bodies, by solver index. False when memory
// ran out.
bool cnMakeJointBlocks(cnSolve* solve, const int* places, cnJointBlocks* blocks);

// Multipliers and forces back to the constraints.
void cnStoreJointBlocks(cnSolve* solve, const cnJointBlocks* blocks);

// ---- joint_sweeps.c ---------------------------------------------------------------------------------------

// Applies the multipliers of the last step.
void cnJointBlocks_WarmStart(cnSweptBatch* batch, cnJointBlocks* blocks);
// Velocities, `elapsed` seconds after the start of the step; and once the bodies have moved, with what closes
// gaps by moving them before.
void cnJointBlocks_Sweep(cnSweptBatch* batch, cnJointBlocks* blocks, double elapsed);
void cnJointBlocks_CloseAndSweep(cnSweptBatch* batch, cnJointBlocks* blocks, double elapsed);
// At the end of a sub-step: impulses to read.
void cnJointBlocks_SumImpulses(cnSweptBatch* batch, cnJointBlocks* blocks);
