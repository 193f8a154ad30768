#include "solve/sweeps/joint_blocks.h"

#include "base/report/assert.h"
#include "solve/contact_rows.h"
#include "solve/rows/joint_rows.h"
#include "solve/sweeps/taken_joints.h"

#include <string.h>

#define CN_JOINT_PACK_CHUNK 16
// Most of a gap that a sub-step closes: one sweep of poses, which does not converge either.
#define CN_CLOSING 0.2

// ---- packing ----------------------------------------------------------------------------------------------

static void SetLanes(cnLanes* lanes, int lane, cnVec3 v) {
    lanes[0][lane] = (float)v.x;
    lanes[1][lane] = (float)v.y;
    lanes[2][lane] = (float)v.z;
}

static cnVec3 GetLanes(const cnLanes* lanes, int lane) {
    return cnVec(lanes[0][lane], lanes[1][lane], lanes[2][lane]);
}

static void SetSymmetric(cnLanes* lanes, int lane, cnMat33 m) {
    lanes[0][lane] = (float)m.x.x;
    lanes[1][lane] = (float)m.x.y;
    lanes[2][lane] = (float)m.x.z;
    lanes[3][lane] = (float)m.y.y;
    lanes[4][lane] = (float)m.y.z;
    lanes[5][lane] = (float)m.z.z;
}

// a x + b y
static cnVec3 Combine(double a, cnVec3 x, double b, cnVec3 y) {
    return cnMulAdd(cnScale(a, x), b, y);
}

// What an impulse at an arm does to the velocity there, beside what it does to that of the centre. The
// inverse inertia is symmetric: its rows are its columns.
static cnMat33 TurningMobility(cnMat33 inverseInertia, cnVec3 arm) {
    const cnMat33* m = &inverseInertia;
    return (cnMat33){
        cnCross(Combine(arm.z, m->y, -arm.y, m->z), arm),
        cnCross(Combine(-arm.z, m->x, arm.x, m->z), arm),
        cnCross(Combine(arm.y, m->x, -arm.x, m->y), arm),
    };
}

static cnMat33 AddDiagonal(cnMat33 m, double d) {
    m.x.x += d;
    m.y.y += d;
    m.z.z += d;
    return m;
}

// K of a point that two bodies share: what an impulse between them does to the difference of their velocities
// there.
static cnMat33 PointMobility(const cnInverseMass* m1, const cnInverseMass* m2, cnVec3 arm1, cnVec3 arm2) {
    cnMat33 turning1 = TurningMobility(m1->angular, arm1), turning2 = TurningMobility(m2->angular, arm2);
    cnMat33 sum = {cnAdd(turning1.x, turning2.x), cnAdd(turning1.y, turning2.y),
                   cnAdd(turning1.z, turning2.z)};
    return AddDiagonal(sum, m1->linear.x.x + m2->linear.x.x);
}

// The angular velocity with which an arm rotates while its body moves freely: the part along the arm counts
// by the ratio of the moments of inertia along and across it, as of a symmetric top, whose axis goes round
// its angular momentum.
static cnVec3 ArmSpin(cnVec3 spin, cnVec3 arm, cnMat33 inverseInertia) {
    double square = cnLengthSquared(arm), yields = cnQuadraticForm(&inverseInertia, arm);
    double trace = inverseInertia.x.x + inverseInertia.y.y + inverseInertia.z.z;
    double across = 0.5 * (trace * square - yields);
    if (!(across < yields)) {
        return spin; // of a disc about its axis too: it goes on as it does
    }
    double share = across / yields;
    return cnMulAdd(spin, -(1.0 - share) * cnDot(arm, spin) / square, arm);
}

static double ClosingOf(const cnSolve* solve, double damping) {
    double gamma = cnSpookGamma(damping >= 0.0 ? damping : 2.0 * solve->substep, solve->substep);
    return cnMin(4.0 * gamma, CN_CLOSING);
}

// A lane, and what it is filled from.
typedef struct JointSource {
    const cnSolve* solve;
    cnConstraint* joint;
    int lane;
    const cnInverseMass *m1, *m2;
    cnVec3 spin1, spin2;
} JointSource;

static void PackAxis(cnAxisLanes* lanes, const JointSource* source, const cnJointRow* row) {
    const cnSolve* solve = source->solve;
    int lane = source->lane;
    cnVec3 axis = cnVec(row->jacobian[0][3], row->jacobian[0][4], row->jacobian[0][5]);
    bool isDriven = row->kind == cn_rowVelocity, isOneSided = row->kind == cn_rowOneSided;
    double mass = cnQuadraticForm(&source->m1->angular, axis) + cnQuadraticForm(&source->m2->angular, axis);
    double impulse =
        solve->settings.disableWarmStart ? 0.0 : solve->substep * source->joint->rows[row->slot].force;
    if (!(mass > 0.0)) {
        return; // a cone's axis has no direction yet
    }
    SetLanes(lanes->axis, lane, axis);
    lanes->violation[lane] = isDriven ? 0.0f : (float)row->violation;
    lanes->startSpeed[lane] = (float)cnDot(axis, cnSub(source->spin1, source->spin2));
    lanes->target[lane] = isDriven ? (float)row->target : 0.0f;
    lanes->side[lane] = isOneSided ? (row->max > 0.0 ? 1.0f : -1.0f) : 0.0f;
    lanes->closing[lane] = isDriven ? 0.0f : (float)ClosingOf(solve, row->damping);
    lanes->sigma[lane] = isDriven ? (float)(row->compliance / solve->substep) : 0.0f;
    lanes->lower[lane] = (float)(row->min * solve->substep);
    lanes->upper[lane] = (float)(row->max * solve->substep);
    lanes->impulse[lane] = (float)cnClamp(impulse, row->min * solve->substep, row->max * solve->substep);
}

// Rows about axes: the held ones behind those of the point, and secondaries. Answers how many.
static int PackAxes(cnJointBlock* block, cnAxisLanes* axes, const JointSource* source, int constraint) {
    const cnSolve* solve = source->solve;
    const cnJointView view = {solve->bodies, solve->bodies->centreOfMass, solve->bodies->rotation};
    cnJointRow rows[cn_mostJointRows];
    int count = 0;
    for (int secondary = 0; secondary <= 1; ++secondary) {
        if (secondary == 0 ? cnJoint_KindOf(source->joint)->heldCount == 3 : source->joint->acting == 0) {
            continue;
        }
        int made = cnJoint_MakeRows(solve->constraints, constraint, secondary != 0, &view, rows);
        for (int i = 0; i < made; ++i) {
            if (rows[i].slot >= cn_slotDof + 3) {
                CN_ASSERT(count < CN_JOINT_AXES);
                if (secondary != 0) {
                    source->joint->rows[rows[i].slot].isUpper = rows[i].max <= 0.0;
                }
                block->slots[count][source->lane] = (int8_t)rows[i].slot;
                PackAxis(&axes[count++], source, &rows[i]);
            }
        }
    }
    return count;
}

static void PackPoint(cnJointBlock* block, const JointSource* source, const cnJointFrames* frames) {
    const cnSolve* solve = source->solve;
    const cnConstraint* joint = source->joint;
    int lane = source->lane;
    cnVec3 gap = cnSub(frames->point1, frames->point2);
    cnMat33 k = PointMobility(source->m1, source->m2, frames->arm1, frames->arm2);
    const cnVec3 axes[3] = {frames->axes2.x, frames->axes2.y, frames->axes2.z};
    cnVec3 impulse = cnVec3_zero;
    for (int i = 0; i < 3 && !solve->settings.disableWarmStart; ++i) {
        impulse = cnMulAdd(impulse, solve->substep * joint->rows[cn_slotDof + i].force, axes[i]);
    }
    SetLanes(block->startArm1, lane, frames->arm1);
    SetLanes(block->startArm2, lane, frames->arm2);
    SetLanes(block->startGap, lane, gap);
    SetLanes(block->arm1, lane, frames->arm1);
    SetLanes(block->arm2, lane, frames->arm2);
    SetLanes(block->gap, lane, gap);
    block->closing[lane] = (float)ClosingOf(solve, joint->dofs[0].damping);
    SetSymmetric(block->inverse, lane, cnInverse(k));
    SetLanes(block->impulse, lane, impulse);
}

static void PackLane(const cnSolve* solve, const int* places, cnJointBlock* block, cnAxisLanes* axes,
                     cnMat33* directions, int lane) {
    const cnSolverJoint* solverJoint = &solve->joints[block->joint[lane]];
    cnConstraint* joint = &solve->constraints->constraints[solverJoint->constraint];
    int row1 = solverJoint->rows[0], row2 = solverJoint->rows[1];
    int index1 = row1 >= 0 ? solve->solver.indexOfRow[row1] : 0;
    int index2 = row2 >= 0 ? solve->solver.indexOfRow[row2] : 0;
    const cnBodyTable* bodies = solve->bodies;
    const cnJointView view = {bodies, bodies->centreOfMass, bodies->rotation};
    cnVec3 velocity1 = index1 != 0 ? bodies->halfStepVelocity[row1] : cnVec3_zero;
    cnVec3 velocity2 = index2 != 0 ? bodies->halfStepVelocity[row2] : cnVec3_zero;
    JointSource source = {
        .solve = solve,
        .joint = joint,
        .lane = lane,
        .m1 = &solve->solver.inverse[index1],
        .m2 = &solve->solver.inverse[index2],
        .spin1 = index1 != 0 ? bodies->halfStepAngularVelocity[row1] : cnVec3_zero,
        .spin2 = index2 != 0 ? bodies->halfStepAngularVelocity[row2] : cnVec3_zero,
    };
    block->body1[lane] = places[index1];
    block->body2[lane] = places[index2];
    block->isNet[lane] = solve->islands[solverJoint->island].loops > 0 ? 1.0f : 0.0f;
    SetLanes(block->startVelocity, lane, cnSub(velocity1, velocity2));
    cnJointFrames frames;
    cnJoint_PlaceHeld(joint, &view, &frames);
    SetLanes(block->startSpin1, lane, ArmSpin(source.spin1, frames.arm1, source.m1->angular));
    SetLanes(block->startSpin2, lane, ArmSpin(source.spin2, frames.arm2, source.m2->angular));
    *directions = frames.axes2;
    PackPoint(block, &source, &frames);
    int count = PackAxes(block, axes, &source, solverJoint->constraint);
    block->axisCount = count > block->axisCount ? count : block->axisCount;
}

typedef struct PackContext {
    const cnSolve* solve;
    const int* places;
    cnJointBlocks* blocks;
} PackContext;

static void PackBlocks(int begin, int end, int thread, void* data) {
    (void)thread;
    const PackContext* context = data;
    CN_ASSERT(begin >= 0 && end <= context->blocks->blockCount);
    for (int b = begin; b < end; ++b) {
        cnJointBlock* block = &context->blocks->blocks[b];
        cnAxisLanes* axes = cnJointBlocks_AxesOf(context->blocks, b);
        int joints[CN_LANES];
        memcpy(joints, block->joint, sizeof joints);
        memset(block, 0, sizeof *block);
        memcpy(block->joint, joints, sizeof joints);
        memset(block->slots, -1, sizeof block->slots);
        memset(axes, 0, (size_t)context->blocks->axisStride * sizeof *axes);
        for (int lane = 0; lane < CN_LANES; ++lane) {
            if (block->joint[lane] >= 0) {
                cnMat33* directions = &context->blocks->directions[CN_LANES * b + lane];
                PackLane(context->solve, context->places, block, axes, directions, lane);
            }
        }
    }
}

// ---- colours ----------------------------------------------------------------------------------------------

static bool IsSwept(const cnSolve* solve, int joint) {
    return solve->islands[solve->joints[joint].island].solver == cn_islandSwept;
}

// Swept joints by colour; answers how many they are.
static int CountColours(const cnSolve* solve, int counts[CN_JOINT_COLOURS + 1]) {
    int count = 0;
    for (int j = 0; j < solve->jointCount; ++j) {
        if (IsSwept(solve, j)) {
            counts[solve->graph->jointColours.data[j]] += 1;
            count += 1;
        }
    }
    return count;
}

static void LayOutColours(cnJointBlocks* blocks, const int* counts, int* next) {
    for (int colour = 0; colour < CN_JOINT_COLOURS; ++colour) {
        next[colour] = CN_LANES * blocks->blockCount;
        if (counts[colour] > 0) {
            blocks->colourStarts[blocks->colourCount++] = blocks->blockCount;
            blocks->blockCount += (counts[colour] + CN_LANES - 1) / CN_LANES;
        }
    }
    blocks->serialColour = blocks->colourCount;
    next[CN_JOINT_COLOURS] = CN_LANES * blocks->blockCount;
    if (counts[CN_JOINT_COLOURS] > 0) {
        blocks->colourStarts[blocks->colourCount++] = blocks->blockCount;
        blocks->blockCount += counts[CN_JOINT_COLOURS];
    }
    blocks->colourStarts[blocks->colourCount] = blocks->blockCount;
}

bool cnMakeJointBlocks(cnSolve* solve, const int* places, cnJointBlocks* blocks) {
    *blocks = (cnJointBlocks){0};
    if (!cnTakeOverJoints(solve)) {
        return false;
    }
    blocks->colourStarts = CN_PUSH(solve->stack, int, CN_JOINT_COLOURS + 2, "starts of joint colours");
    if (blocks->colourStarts == NULL) {
        return false;
    }
    const uint8_t* colours = solve->graph->jointColours.data;
    int counts[CN_JOINT_COLOURS + 1] = {0}, next[CN_JOINT_COLOURS + 1];
    if (CountColours(solve, counts) == 0) {
        return true;
    }
    LayOutColours(blocks, counts, next);
    bool hasAxes = false;
    for (int j = 0; j < solve->jointCount; ++j) {
        hasAxes = hasAxes || (solve->joints[j].hasAxes && IsSwept(solve, j));
    }
    blocks->blocks = CN_PUSH(solve->stack, cnJointBlock, blocks->blockCount, "joint blocks");
    blocks->axisStride = hasAxes ? CN_JOINT_AXES : 0;
    blocks->axes =
        CN_PUSH(solve->stack, cnAxisLanes, blocks->axisStride * blocks->blockCount + 1, "rows about axes");
    blocks->directions =
        CN_PUSH(solve->stack, cnMat33, CN_LANES * blocks->blockCount, "directions of joints");
    if (blocks->blocks == NULL || blocks->axes == NULL || blocks->directions == NULL) {
        return false;
    }
    for (int b = 0; b < blocks->blockCount; ++b) {
        for (int lane = 0; lane < CN_LANES; ++lane) {
            blocks->blocks[b].joint[lane] = -1;
        }
    }
    for (int j = 0; j < solve->jointCount; ++j) {
        if (IsSwept(solve, j)) {
            int place = next[colours[j]];
            blocks->blocks[place / CN_LANES].joint[place % CN_LANES] = j;
            next[colours[j]] += colours[j] == CN_JOINT_COLOURS ? CN_LANES : 1;
        }
    }
    PackContext context = {solve, places, blocks};
    cnThreadPool_Run(solve->threads, PackBlocks, &context, blocks->blockCount, CN_JOINT_PACK_CHUNK);
    return true;
}

// ---- results ----------------------------------------------------------------------------------------------

// One row about an axis: what it did, for the next step and to read.
static void StoreAxis(const cnSolve* solve, int constraint, int slot, const cnAxisLanes* lanes, int lane,
                      double perStep) {
    cnConstraintTable* table = solve->constraints;
    cnRowState* state = &table->constraints[constraint].rows[slot];
    state->force = lanes->impulse[lane] / solve->substep;
    state->active = lanes->impulse[lane] > lanes->lower[lane] && lanes->impulse[lane] < lanes->upper[lane];
    double force = perStep * lanes->impulseSum[lane];
    cnJoint_AddRowForce(table, constraint, slot, force);
    table->torque[constraint] = cnMulAdd(table->torque[constraint], force, GetLanes(lanes->axis, lane));
}

static void StoreLane(const cnSolve* solve, const cnJointBlock* block, const cnAxisLanes* axes,
                      const cnMat33* directions, int lane) {
    cnSolverJoint* solverJoint = &solve->joints[block->joint[lane]];
    int constraint = solverJoint->constraint;
    cnConstraintTable* table = solve->constraints;
    cnConstraint* joint = &table->constraints[constraint];
    int row1 = solverJoint->rows[0], row2 = solverJoint->rows[1];
    int index1 = row1 >= 0 ? solve->solver.indexOfRow[row1] : 0;
    int index2 = row2 >= 0 ? solve->solver.indexOfRow[row2] : 0;
    double perStep = 1.0 / cnSolve_GetForceTime(solve, index1, index2);
    const cnVec3 along[3] = {directions->x, directions->y, directions->z};
    cnVec3 force = cnScale(perStep, GetLanes(block->impulseSum, lane));
    cnVec3 last = cnScale(1.0 / solve->substep, GetLanes(block->impulse, lane));
    for (int i = 0; i < 3; ++i) {
        joint->rows[cn_slotDof + i].force = cnDot(last, along[i]);
        joint->rows[cn_slotDof + i].active = true;
        cnJoint_AddRowForce(table, constraint, cn_slotDof + i, cnDot(force, along[i]));
    }
    table->force[constraint] = cnAdd(table->force[constraint], force);
    solverJoint->stored = 0.5 * fabs(cnDot(force, GetLanes(block->gap, lane)));
    for (int i = 0; i < block->axisCount; ++i) {
        if (block->slots[i][lane] >= 0) {
            StoreAxis(solve, constraint, block->slots[i][lane], &axes[i], lane, perStep);
        }
    }
}

typedef struct StoreContext {
    const cnSolve* solve;
    const cnJointBlocks* blocks;
} StoreContext;

static void StoreBlocks(int begin, int end, int thread, void* data) {
    (void)thread;
    const StoreContext* context = data;
    const cnJointBlocks* blocks = context->blocks;
    for (int b = begin; b < end; ++b) {
        for (int lane = 0; lane < CN_LANES; ++lane) {
            if (blocks->blocks[b].joint[lane] >= 0) {
                StoreLane(context->solve, &blocks->blocks[b], cnJointBlocks_AxesOf(blocks, b),
                          &blocks->directions[CN_LANES * b + lane], lane);
            }
        }
    }
}

void cnStoreJointBlocks(cnSolve* solve, const cnJointBlocks* blocks) {
    StoreContext context = {solve, blocks};
    cnThreadPool_Run(solve->threads, StoreBlocks, &context, blocks->blockCount, CN_JOINT_PACK_CHUNK);
}
