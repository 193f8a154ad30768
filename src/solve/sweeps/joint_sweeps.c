#include "base/report/assert.h"
#include "solve/contact_rows.h"
#include "solve/sweeps/joint_blocks.h"

#define CN_JOINT_CHUNK 8

typedef struct Sweep {
    cnSweptBatch* batch;
    cnJointBlocks* blocks;
    int firstBlock; // of the colour
    cnF4 elapsed, inverseSubstep;
    cnF4 substep;
    bool follows, closes;
} Sweep;

static inline cnVecF4 Negated4(cnVecF4 a) {
    return (cnVecF4){cnNeg4(a.x), cnNeg4(a.y), cnNeg4(a.z)};
}

// Inverse masses, and the factors L of the inverse inertia: rotations are mass-weighted (swept_bodies.h).
typedef struct Masses {
    cnF4 mass1, mass2;
    cnF4 factor1[6], factor2[6];
} Masses;

static inline Masses LoadMasses(const Sweep* sweep, const cnJointBlock* block) {
    const cnSweptMass* all = sweep->batch->bodies.masses;
    Masses masses;
    cnGatherMasses(all, block->body1, &masses.mass1, masses.factor1);
    cnGatherMasses(all, block->body2, &masses.mass2, masses.factor2);
    return masses;
}

// Moments on both bodies, N m s.
static inline void Turn(const Masses* masses, cnVecF4 moment1, cnVecF4 moment2, cnMotionF4* v1,
                        cnMotionF4* v2) {
    v1->angular = cnAddVecF4(v1->angular, cnMulUpperF4(masses->factor1, moment1));
    v2->angular = cnSubVecF4(v2->angular, cnMulUpperF4(masses->factor2, moment2));
}

// Pulls both bodies together at their attachments.
static inline void Pull(const Masses* masses, cnVecF4 arm1, cnVecF4 arm2, cnVecF4 impulse, cnMotionF4* v1,
                        cnMotionF4* v2) {
    v1->linear = cnMulAddVecF4(v1->linear, masses->mass1, impulse);
    v2->linear = cnMulSubVecF4(v2->linear, masses->mass2, impulse);
    Turn(masses, cnCrossF4(arm1, impulse), cnCrossF4(arm2, impulse), v1, v2);
}

// By how much a body's arm changes, `elapsed` seconds after the start of the step and with what the body has
// rotated by beyond: 2/(1 + |c|²) (c × a + c × (c × a)), c along the axis and tan(φ/2) long, of which two
// terms are taken: of 1 rad that leaves out 0.7 %, and lengths stay at any angle.
static inline cnVecF4 RotateArm(cnVecF4 arm, const cnLanes* startSpin, cnF4 elapsed, cnVecF4 beyond) {
    cnF4 one = cnSplat4(1.0f);
    cnVecF4 angle = cnMulAddVecF4(beyond, elapsed, cnLoadVecF4(startSpin));
    cnF4 half = cnMulAdd4(cnSplat4(0.5f), cnSplat4(1.0f / 24.0f), cnDotF4(angle, angle));
    cnVecF4 c = cnScaleVecF4(half, angle), first = cnCrossF4(c, arm);
    cnF4 factor = cnDiv4(cnSplat4(2.0f), cnAdd4(one, cnDotF4(c, c)));
    return cnScaleVecF4(factor, cnAddVecF4(first, cnCrossF4(c, first)));
}

// To K: what an impulse at an arm does to the velocity there by turning a body.
static inline void AddTurning(cnF4 k[6], const cnF4 factor[6], cnVecF4 arm) {
    cnF4 zero = cnZero4();
    cnVecF4 x = cnMulUpperF4(factor, (cnVecF4){zero, arm.z, cnNeg4(arm.y)});
    cnVecF4 y = cnMulUpperF4(factor, (cnVecF4){cnNeg4(arm.z), zero, arm.x});
    cnVecF4 z = cnMulUpperF4(factor, (cnVecF4){arm.y, cnNeg4(arm.x), zero});
    k[0] = cnAdd4(k[0], cnDotF4(x, x));
    k[1] = cnAdd4(k[1], cnDotF4(x, y));
    k[2] = cnAdd4(k[2], cnDotF4(x, z));
    k[3] = cnAdd4(k[3], cnDotF4(y, y));
    k[4] = cnAdd4(k[4], cnDotF4(y, z));
    k[5] = cnAdd4(k[5], cnDotF4(z, z));
}

// Inverse of a symmetric matrix; of 0, in empty lanes, 0.
static inline void StoreInverse(cnLanes* inverse, const cnF4 k[6]) {
    cnF4 xx = k[0], xy = k[1], xz = k[2], yy = k[3], yz = k[4], zz = k[5];
    cnF4 c0 = cnMulSub4(cnMul4(yy, zz), yz, yz), c1 = cnMulSub4(cnMul4(xz, yz), xy, zz);
    cnF4 c2 = cnMulSub4(cnMul4(xy, yz), xz, yy);
    cnF4 determinant = cnMulAdd4(cnMulAdd4(cnMul4(xx, c0), xy, c1), xz, c2);
    cnF4 tiny = cnSplat4(1e-30f), isRegular = cnGreater4(determinant, tiny);
    cnF4 factor = cnSelect4(isRegular, cnDiv4(cnSplat4(1.0f), cnMax4(determinant, tiny)), cnZero4());
    cnStore4(inverse[0], cnMul4(factor, c0));
    cnStore4(inverse[1], cnMul4(factor, c1));
    cnStore4(inverse[2], cnMul4(factor, c2));
    cnStore4(inverse[3], cnMul4(factor, cnMulSub4(cnMul4(xx, zz), xz, xz)));
    cnStore4(inverse[4], cnMul4(factor, cnMulSub4(cnMul4(xy, xz), xx, yz)));
    cnStore4(inverse[5], cnMul4(factor, cnMulSub4(cnMul4(xx, yy), xy, xy)));
}

// Once the bodies have moved: the gap of their poses, arms, and K. What multipliers gave so far they gave at
// the arms before; the difference is for the next sub-step.
static inline void Follow(cnJointBlock* block, const Masses* masses, cnF4 elapsed, const cnMotionF4* x1,
                          const cnMotionF4* x2) {
    cnVecF4 start1 = cnLoadVecF4(block->startArm1), start2 = cnLoadVecF4(block->startArm2);
    cnVecF4 by1 = RotateArm(start1, block->startSpin1, elapsed, cnMulLowerF4(masses->factor1, x1->angular));
    cnVecF4 by2 = RotateArm(start2, block->startSpin2, elapsed, cnMulLowerF4(masses->factor2, x2->angular));
    cnVecF4 gap = cnMulAddVecF4(cnLoadVecF4(block->startGap), elapsed, cnLoadVecF4(block->startVelocity));
    gap = cnAddVecF4(cnAddVecF4(gap, cnSubVecF4(x1->linear, x2->linear)), cnSubVecF4(by1, by2));
    cnStoreVecF4(block->gap, gap);
    cnVecF4 arm1 = cnAddVecF4(start1, by1), arm2 = cnAddVecF4(start2, by2);
    cnVecF4 impulse = cnLoadVecF4(block->impulse);
    cnVecF4 gone1 = cnSubVecF4(arm1, cnLoadVecF4(block->arm1)),
            gone2 = cnSubVecF4(arm2, cnLoadVecF4(block->arm2));
    cnStoreVecF4(block->owed1, cnAddVecF4(cnLoadVecF4(block->owed1), cnCrossF4(gone1, impulse)));
    cnStoreVecF4(block->owed2, cnAddVecF4(cnLoadVecF4(block->owed2), cnCrossF4(gone2, impulse)));
    cnStoreVecF4(block->arm1, arm1);
    cnStoreVecF4(block->arm2, arm2);
    cnF4 mass = cnAdd4(masses->mass1, masses->mass2), zero = cnZero4();
    cnF4 k[6] = {mass, zero, zero, mass, zero, mass};
    AddTurning(k, masses->factor1, arm1);
    AddTurning(k, masses->factor2, arm2);
    StoreInverse(block->inverse, k);
}

// That share of what is owed.
static inline void GiveOwed(cnJointBlock* block, const Masses* masses, cnF4 share, cnMotionF4* v1,
                            cnMotionF4* v2) {
    cnVecF4 owed1 = cnLoadVecF4(block->owed1), owed2 = cnLoadVecF4(block->owed2);
    cnVecF4 moment1 = cnScaleVecF4(share, owed1), moment2 = cnScaleVecF4(share, owed2);
    Turn(masses, moment1, moment2, v1, v2);
    cnStoreVecF4(block->owed1, cnSubVecF4(owed1, moment1));
    cnStoreVecF4(block->owed2, cnSubVecF4(owed2, moment2));
}

// A row about an axis, which leaves the point together: with a moment of 1 along the axis goes the pull that
// keeps both attachments at one velocity. Else point and axes of a rod that is held at its end would undo
// each other's work for many sweeps.
typedef struct AxisRow4 {
    cnVecF4 pull;
    cnVecF4 moment1, moment2;   // of the axis alone, mass-weighted
    cnVecF4 angular1, angular2; // responses to axis and pull
    cnF4 inverseMass;
} AxisRow4;

static inline AxisRow4 MakeAxisRow(const cnAxisLanes* lanes, const cnJointBlock* block,
                                   const Masses* masses) {
    cnVecF4 arm1 = cnLoadVecF4(block->arm1), arm2 = cnLoadVecF4(block->arm2);
    cnVecF4 axis = cnLoadVecF4(lanes->axis);
    AxisRow4 row = {.moment1 = cnMulUpperF4(masses->factor1, axis),
                    .moment2 = cnMulUpperF4(masses->factor2, axis)};
    cnVecF4 opened = cnAddVecF4(cnCrossF4(arm1, cnMulLowerF4(masses->factor1, row.moment1)),
                                cnCrossF4(arm2, cnMulLowerF4(masses->factor2, row.moment2)));
    cnF4 inverse[6];
    cnLoadSymmetricF4(inverse, block->inverse);
    row.pull = cnMulSymmetricF4(inverse, opened);
    row.angular1 = cnAddVecF4(row.moment1, cnMulUpperF4(masses->factor1, cnCrossF4(arm1, row.pull)));
    row.angular2 = cnAddVecF4(row.moment2, cnMulUpperF4(masses->factor2, cnCrossF4(arm2, row.pull)));
    row.inverseMass = cnAdd4(cnDotF4(row.moment1, row.angular1), cnDotF4(row.moment2, row.angular2));
    return row;
}

// About the axis.
static inline cnF4 GetSpeed(const AxisRow4* row, const cnMotionF4* v1, const cnMotionF4* v2) {
    return cnSub4(cnDotF4(row->moment1, v1->angular), cnDotF4(row->moment2, v2->angular));
}

static inline cnF4 FindViolation(const cnAxisLanes* lanes, const AxisRow4* row, const Sweep* sweep,
                                 const cnMotionF4* x1, const cnMotionF4* x2) {
    cnF4 start = cnMulAdd4(cnLoad4(lanes->violation), sweep->elapsed, cnLoad4(lanes->startSpeed));
    return cnAdd4(start, GetSpeed(row, x1, x2));
}

static inline void Apply(const AxisRow4* row, const Masses* masses, cnF4 step, cnMotionF4* m1,
                         cnMotionF4* m2) {
    cnVecF4 pull = cnScaleVecF4(step, row->pull);
    m1->linear = cnMulAddVecF4(m1->linear, masses->mass1, pull);
    m2->linear = cnMulSubVecF4(m2->linear, masses->mass2, pull);
    m1->angular = cnMulAddVecF4(m1->angular, step, row->angular1);
    m2->angular = cnMulSubVecF4(m2->angular, step, row->angular2);
}

// Of a range that is not reached, no more than closes it in this sub-step.
static void SolveAxis(cnAxisLanes* lanes, const AxisRow4* row, cnJointBlock* block, const Sweep* sweep,
                      const Masses* masses, const cnMotionF4* x1, const cnMotionF4* x2, cnMotionF4* v1,
                      cnMotionF4* v2) {
    cnF4 zero = cnZero4(), tiny = cnSplat4(1e-30f);
    cnF4 violation = FindViolation(lanes, row, sweep, x1, x2);
    cnF4 isApart = cnGreater4(cnMul4(cnLoad4(lanes->side), violation), zero);
    cnF4 bias = cnSelect4(isApart, cnMul4(violation, sweep->inverseSubstep), zero);
    cnF4 impulse = cnLoad4(lanes->impulse), sigma = cnLoad4(lanes->sigma);
    cnF4 speed = cnAdd4(cnLoad4(lanes->startSpeed), GetSpeed(row, v1, v2));
    cnF4 residual = cnMulAdd4(cnAdd4(cnSub4(speed, cnLoad4(lanes->target)), bias), sigma, impulse);
    cnF4 mass = cnAdd4(row->inverseMass, sigma), isRegular = cnGreater4(mass, tiny);
    cnF4 wanted = cnSub4(impulse, cnDiv4(residual, cnMax4(mass, tiny)));
    cnF4 updated = cnMax4(cnMin4(wanted, cnLoad4(lanes->upper)), cnLoad4(lanes->lower));
    updated = cnSelect4(isRegular, updated, impulse);
    cnStore4(lanes->impulse, updated);
    cnF4 step = cnSub4(updated, impulse);
    cnStoreVecF4(block->impulse, cnAddVecF4(cnLoadVecF4(block->impulse), cnScaleVecF4(step, row->pull)));
    Apply(row, masses, step, v1, v2);
}

// Part of what a row is violated by, by moving both bodies; not of a range that is not reached.
static inline void CloseAxis(const cnAxisLanes* lanes, const AxisRow4* row, const Sweep* sweep,
                             const Masses* masses, cnMotionF4* x1, cnMotionF4* x2) {
    cnF4 zero = cnZero4(), tiny = cnSplat4(1e-30f), most = cnMul4(cnSplat4(CN_PUSH_LIMIT), sweep->substep);
    cnF4 violation = FindViolation(lanes, row, sweep, x1, x2);
    cnF4 isApart = cnGreater4(cnMul4(cnLoad4(lanes->side), violation), zero);
    cnF4 wanted = cnMul4(cnLoad4(lanes->closing), cnSelect4(isApart, zero, violation));
    wanted = cnMax4(cnMin4(wanted, most), cnNeg4(most));
    cnF4 isRegular = cnGreater4(row->inverseMass, tiny);
    cnF4 step = cnSelect4(isRegular, cnDiv4(wanted, cnMax4(row->inverseMass, tiny)), zero);
    Apply(row, masses, cnNeg4(step), x1, x2);
}

// All rows about axes, twice, since what holds a direction has two of them.
static inline void SolveAxes(cnAxisLanes* axes, cnJointBlock* block, const Sweep* sweep, const Masses* masses,
                             cnMotionF4* x1, cnMotionF4* x2, cnMotionF4* v1, cnMotionF4* v2) {
    AxisRow4 rows[CN_JOINT_AXES];
    for (int i = 0; i < block->axisCount; ++i) {
        rows[i] = MakeAxisRow(&axes[i], block, masses);
        if (sweep->closes) {
            CloseAxis(&axes[i], &rows[i], sweep, masses, x1, x2);
        }
    }
    for (int i = 0; i < 2 * block->axisCount; ++i) {
        int k = i % block->axisCount;
        SolveAxis(&axes[k], &rows[k], block, sweep, masses, x1, x2, v1, v2);
    }
}

static inline void SolvePoint(cnJointBlock* block, const Masses* masses, cnMotionF4* v1, cnMotionF4* v2) {
    cnVecF4 arm1 = cnLoadVecF4(block->arm1), arm2 = cnLoadVecF4(block->arm2);
    cnVecF4 spin1 = cnAddVecF4(cnLoadVecF4(block->startSpin1), cnMulLowerF4(masses->factor1, v1->angular));
    cnVecF4 spin2 = cnAddVecF4(cnLoadVecF4(block->startSpin2), cnMulLowerF4(masses->factor2, v2->angular));
    cnVecF4 residual = cnAddVecF4(cnLoadVecF4(block->startVelocity), cnSubVecF4(v1->linear, v2->linear));
    residual = cnAddVecF4(residual, cnSubVecF4(cnCrossF4(spin1, arm1), cnCrossF4(spin2, arm2)));
    cnF4 inverse[6];
    cnLoadSymmetricF4(inverse, block->inverse);
    cnVecF4 pull = Negated4(cnMulSymmetricF4(inverse, residual));
    cnStoreVecF4(block->impulse, cnAddVecF4(cnLoadVecF4(block->impulse), pull));
    Pull(masses, arm1, arm2, pull, v1, v2);
}

// Part of the gap, no faster than contacts are pushed apart.
static inline void ClosePoint(cnJointBlock* block, const Sweep* sweep, const Masses* masses, cnMotionF4* x1,
                              cnMotionF4* x2) {
    cnF4 most = cnMul4(cnSplat4(CN_PUSH_LIMIT), sweep->substep), one = cnSplat4(1.0f);
    cnVecF4 way = cnScaleVecF4(cnLoad4(block->closing), cnLoadVecF4(block->gap));
    cnF4 length = cnSqrt4(cnDotF4(way, way));
    cnF4 share = cnSelect4(cnGreater4(length, most), cnDiv4(most, cnMax4(length, most)), one);
    cnF4 inverse[6];
    cnLoadSymmetricF4(inverse, block->inverse);
    cnVecF4 pull = Negated4(cnMulSymmetricF4(inverse, cnScaleVecF4(share, way)));
    Pull(masses, cnLoadVecF4(block->arm1), cnLoadVecF4(block->arm2), pull, x1, x2);
}

static void WarmStartBlocks(int begin, int end, int thread, void* context) {
    (void)thread;
    const Sweep* sweep = context;
    cnSweptBody* bodies = sweep->batch->bodies.bodies;
    for (int b = sweep->firstBlock + begin; b < sweep->firstBlock + end; ++b) {
        const cnJointBlock* block = &sweep->blocks->blocks[b];
        const Masses masses = LoadMasses(sweep, block);
        cnMotionF4 v1 = cnGatherVelocities(bodies, block->body1);
        cnMotionF4 v2 = cnGatherVelocities(bodies, block->body2);
        Pull(&masses, cnLoadVecF4(block->arm1), cnLoadVecF4(block->arm2), cnLoadVecF4(block->impulse), &v1,
             &v2);
        const cnAxisLanes* axes = cnJointBlocks_AxesOf(sweep->blocks, b);
        for (int i = 0; i < block->axisCount; ++i) {
            cnVecF4 moment = cnScaleVecF4(cnLoad4(axes[i].impulse), cnLoadVecF4(axes[i].axis));
            Turn(&masses, moment, moment, &v1, &v2);
        }
        cnScatterVelocities(bodies, block->body1, v1);
        cnScatterVelocities(bodies, block->body2, v2);
    }
}

static void SweepBlocks(int begin, int end, int thread, void* context) {
    (void)thread;
    const Sweep* sweep = context;
    cnSweptBody* bodies = sweep->batch->bodies.bodies;
    CN_ASSERT(begin >= 0 && sweep->firstBlock + end <= sweep->blocks->blockCount);
    for (int b = sweep->firstBlock + begin; b < sweep->firstBlock + end; ++b) {
        cnJointBlock* block = &sweep->blocks->blocks[b];
        cnAxisLanes* axes = cnJointBlocks_AxesOf(sweep->blocks, b);
        const Masses masses = LoadMasses(sweep, block);
        cnMotionF4 v1 = cnGatherVelocities(bodies, block->body1);
        cnMotionF4 v2 = cnGatherVelocities(bodies, block->body2);
        cnMotionF4 x1, x2;
        if (sweep->follows || block->axisCount > 0) {
            x1 = cnGatherDisplacements(bodies, block->body1);
            x2 = cnGatherDisplacements(bodies, block->body2);
        }
        if (sweep->follows) {
            Follow(block, &masses, sweep->elapsed, &x1, &x2);
        }
        if (sweep->closes) {
            ClosePoint(block, sweep, &masses, &x1, &x2);
        }
        GiveOwed(block, &masses, sweep->follows ? cnLoad4(block->isNet) : cnSplat4(1.0f), &v1, &v2);
        SolvePoint(block, &masses, &v1, &v2);
        SolveAxes(axes, block, sweep, &masses, &x1, &x2, &v1, &v2);
        cnScatterVelocities(bodies, block->body1, v1);
        cnScatterVelocities(bodies, block->body2, v2);
        if (sweep->closes) {
            cnScatterDisplacements(bodies, block->body1, x1);
            cnScatterDisplacements(bodies, block->body2, x2);
        }
    }
}

static void RunColours(Sweep* sweep, cnTask* task) {
    const cnJointBlocks* blocks = sweep->blocks;
    for (int colour = 0; colour < blocks->colourCount; ++colour) {
        int first = blocks->colourStarts[colour], count = blocks->colourStarts[colour + 1] - first;
        sweep->firstBlock = first;
        cnThreadPool* threads = colour < blocks->serialColour ? sweep->batch->threads : NULL;
        cnThreadPool_Run(threads, task, sweep, count, CN_JOINT_CHUNK);
    }
}

static inline Sweep MakeSweep(cnSweptBatch* batch, cnJointBlocks* blocks, double elapsed) {
    const cnSolve* solve = batch->solve;
    CN_ASSERT(elapsed >= 0.0 && solve->substep > 0.0);
    return (Sweep){
        .batch = batch,
        .blocks = blocks,
        .elapsed = cnSplat4((float)elapsed),
        .substep = cnSplat4((float)solve->substep),
        .inverseSubstep = cnSplat4((float)(1.0 / solve->substep)),
    };
}

void cnJointBlocks_WarmStart(cnSweptBatch* batch, cnJointBlocks* blocks) {
    Sweep sweep = MakeSweep(batch, blocks, 0.0);
    RunColours(&sweep, WarmStartBlocks);
}

void cnJointBlocks_Sweep(cnSweptBatch* batch, cnJointBlocks* blocks, double elapsed) {
    Sweep sweep = MakeSweep(batch, blocks, elapsed);
    RunColours(&sweep, SweepBlocks);
}

void cnJointBlocks_CloseAndSweep(cnSweptBatch* batch, cnJointBlocks* blocks, double elapsed) {
    Sweep sweep = MakeSweep(batch, blocks, elapsed);
    sweep.follows = sweep.closes = true;
    RunColours(&sweep, SweepBlocks);
}

static void SumBlocks(int begin, int end, int thread, void* context) {
    (void)thread;
    const Sweep* sweep = context;
    for (int b = begin; b < end; ++b) {
        cnJointBlock* block = &sweep->blocks->blocks[b];
        cnStoreVecF4(block->impulseSum,
                     cnAddVecF4(cnLoadVecF4(block->impulseSum), cnLoadVecF4(block->impulse)));
        cnAxisLanes* axes = cnJointBlocks_AxesOf(sweep->blocks, b);
        for (int i = 0; i < block->axisCount; ++i) {
            cnStore4(axes[i].impulseSum, cnAdd4(cnLoad4(axes[i].impulseSum), cnLoad4(axes[i].impulse)));
        }
    }
}

void cnJointBlocks_SumImpulses(cnSweptBatch* batch, cnJointBlocks* blocks) {
    Sweep sweep = MakeSweep(batch, blocks, 0.0);
    cnThreadPool_Run(batch->threads, SumBlocks, &sweep, blocks->blockCount, 64);
}
