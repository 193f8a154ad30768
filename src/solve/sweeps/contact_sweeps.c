// The sweeps: soft contacts in f32, four manifolds at a time.
//
// Per sub-step of h_s (docs/iterative-contacts.md, "A step"); all velocities are changes since the start
// of the step, b = G v of the start is kept per row, and the depth of a point follows linearly,
// s = s₀ + t b + G Δx:
//   v_k = v;  v += h_s f;  v += what contacts changed in the sub-step before (the warm start);
//   a sweep of biased normal rows
//     s <= 0:  λ' = max(0, λ − (G v + max(c s, −push) − γ G v_k + Σ λ + Σ_p (λ − 0.8 λ̄)) / (D + Σ + Σ_p))
//   x += h_s v;
//   a relaxing sweep of normal and friction rows
//     s <= 0:  λ' = max(0, λ − G v / D)
//   and in both, s > 0:  λ' = max(0, λ − (G v + s/h_s) / D).
// Friction of a manifold is one block at its centre, solved with its bounds (friction.h): on a cone against
// the slip that it leaves; torsional friction and rolling come before it.
#include "base/report/assert.h"
#include "solve/contact_rows.h"
#include "solve/direct/joint_groups.h"
#include "solve/sweeps/contact_blocks.h"
#include "solve/sweeps/joint_blocks.h"
#include "solve/sweeps/row_lanes.h"

#define CN_BODY_CHUNK 128

typedef struct Sweep {
    cnSweptBatch* batch;
    float substep; // s
    float elapsed; // s since the start of the step, by which places have moved
    float inverseSubstep;
    // of a curvature with Q = 1 (midpoint_normal.h): t (2τ − t), its mean rate in the sub-step, by how much
    // that falls to the next
    float curvature, bulgeRate, bulgeFall;
    bool isLast; // of the iterations of a sub-step
} Sweep;

// Null for a block of circular cones.
static inline cnSpecialFriction* SpecialOf(const cnContactBlocks* blocks, const cnContactBlock* block) {
    return block->special >= 0 ? &blocks->special[block->special] : NULL;
}

// ---- friction ---------------------------------------------------------------------------------------------

static inline cnF4 Clamp4(cnF4 value, cnF4 bound) {
    return cnMax4(cnMin4(value, bound), cnNeg4(bound));
}

// Steps towards the multiplier that puts two rows on their circle; they converge fast (see below).
#define CN_CIRCLE_STEPS 2

// Multipliers on a circle against the slip that they leave, K λ + g = −s λ with s > 0: the root of
// 1/|λ(s)| = 1/b for λ(s) = −(K + s)⁻¹ g, which is nearly straight in s, by Newton steps from where it cannot
// be beyond (J. J. Moré, D. C. Sorensen, "Computing a trust region step", 1983). Where K is a multiple of 1,
// as of most that lies flat, the start is the answer. K is in units of its largest eigenvalue, g in those of
// its larger part, so that no square leaves the range of f32.
static inline void SolveSliding4(const cnAxesLanes* axes, cnF4 g1, cnF4 g2, cnF4 bound, cnF4* new1,
                                 cnF4* new2) {
    cnF4 unit = cnLoad4(axes->inverseLargest), tiny = cnSplat4(1e-30f), one = cnSplat4(1.0f);
    cnF4 k11 = cnMul4(cnLoad4(axes->k11), unit), k12 = cnMul4(cnLoad4(axes->k12), unit),
         k22 = cnMul4(cnLoad4(axes->k22), unit);
    cnF4 larger = cnMax4(cnMax4(cnAbs4(g1), cnAbs4(g2)), tiny);
    cnF4 e1 = cnDiv4(g1, larger), e2 = cnDiv4(g2, larger);
    cnF4 perBound = cnDiv4(cnMul4(larger, unit), cnMax4(bound, tiny));
    perBound = cnMin4(perBound, cnSplat4(1e12f));
    cnF4 size = cnSqrt4(cnMulAdd4(cnMul4(e1, e1), e2, e2));
    cnF4 s = cnMax4(cnSub4(cnMul4(size, perBound), one), cnZero4());
    cnF4 x1, x2, length;
    for (int step = 0;; ++step) {
        cnF4 a = cnAdd4(k11, s), d = cnAdd4(k22, s);
        cnF4 inverse = cnDiv4(one, cnMax4(cnMulSub4(cnMul4(a, d), k12, k12), tiny));
        x1 = cnMul4(cnMulSub4(cnMul4(k12, e2), d, e1), inverse);
        x2 = cnMul4(cnMulSub4(cnMul4(k12, e1), a, e2), inverse);
        cnF4 square = cnMulAdd4(cnMul4(x1, x1), x2, x2);
        length = cnMax4(cnSqrt4(square), tiny);
        if (step == CN_CIRCLE_STEPS) {
            break;
        }
        cnF4 z1 = cnMul4(cnMulSub4(cnMul4(d, x1), k12, x2), inverse);
        cnF4 z2 = cnMul4(cnMulSub4(cnMul4(a, x2), k12, x1), inverse);
        cnF4 slope = cnMax4(cnMulAdd4(cnMul4(x1, z1), x2, z2), tiny);
        cnF4 excess = cnMax4(cnSub4(cnMul4(length, perBound), one), cnZero4());
        s = cnMulAdd4(s, cnDiv4(square, slope), excess);
    }
    *new1 = cnMul4(bound, cnDiv4(x1, length));
    *new2 = cnMul4(bound, cnDiv4(x2, length));
}

// Multipliers of two rows that a circle bounds: the two rows' solution with the rest as it is. `w` are the
// rows' speeds with Σ λ.
static inline void SolveCircle4(const cnAxesLanes* axes, cnF4 l1, cnF4 l2, cnF4 w1, cnF4 w2, cnF4 bound,
                                cnF4* new1, cnF4* new2) {
    cnF4 k11 = cnLoad4(axes->k11), k12 = cnLoad4(axes->k12), k22 = cnLoad4(axes->k22);
    cnF4 inverse = cnLoad4(axes->inverseDeterminant);
    *new1 = cnMulSub4(l1, cnMulSub4(cnMul4(k22, w1), k12, w2), inverse);
    *new2 = cnMulSub4(l2, cnMulSub4(cnMul4(k11, w2), k12, w1), inverse);
    cnF4 slides = cnGreater4(cnMulAdd4(cnMul4(*new1, *new1), *new2, *new2), cnMul4(bound, bound));
    if (!cnAnyTrue4(slides)) {
        return;
    }
    cnF4 g1 = cnMulSub4(cnMulSub4(w1, k11, l1), k12, l2);
    cnF4 g2 = cnMulSub4(cnMulSub4(w2, k12, l1), k22, l2);
    cnF4 slide1, slide2;
    SolveSliding4(axes, g1, g2, bound, &slide1, &slide2);
    *new1 = cnSelect4(slides, slide1, *new1);
    *new2 = cnSelect4(slides, slide2, *new2);
}

// The two rows of friction along tangents at a block's centre.
typedef struct SlidingRows {
    cnLinearRow linear1, linear2;
    cnMoments moments1, moments2;
} SlidingRows;

static inline SlidingRows LoadSlidingRows(const cnContactBlock* block, const cnAnisotropicMass* anisotropic,
                                          const cnSpecialFriction* special, cnVecF4 normal) {
    cnVecF4 t1 = cnLoadVecF4(block->tangent), t2 = cnCrossF4(normal, t1);
    if (special != NULL) {
        t2 = cnScaleVecF4(cnLoad4(special->ratio), t2);
    }
    return (SlidingRows){
        cnMakeLinearRow(block, anisotropic, t1),
        cnMakeLinearRow(block, anisotropic, t2),
        cnMoments_Load(&block->sliding1),
        cnMoments_Load(&block->sliding2),
    };
}

static inline void ApplySliding(const SlidingRows* rows, cnF4 impulse1, cnF4 impulse2, cnMotionF4* v1,
                                cnMotionF4* v2) {
    cnLinearRow_Apply(&rows->linear1, impulse1, v1, v2);
    cnMoments_Apply(&rows->moments1, impulse1, v1, v2);
    cnLinearRow_Apply(&rows->linear2, impulse2, v1, v2);
    cnMoments_Apply(&rows->moments2, impulse2, v1, v2);
}

// Slip along both tangents.
static inline void GetSlip(const SlidingRows* rows, const cnContactBlock* block, const cnMotionF4* v1,
                           const cnMotionF4* v2, cnF4* slip1, cnF4* slip2) {
    cnF4 turned1 = cnMoments_GetSpeed(&rows->moments1, v1, v2);
    cnF4 turned2 = cnMoments_GetSpeed(&rows->moments2, v1, v2);
    *slip1 =
        cnAdd4(cnLoad4(block->startSlip[0]), cnAdd4(cnLinearRow_GetSpeed(&rows->linear1, v1, v2), turned1));
    *slip2 =
        cnAdd4(cnLoad4(block->startSlip[1]), cnAdd4(cnLinearRow_GetSpeed(&rows->linear2, v1, v2), turned2));
}

static inline void SolveTorsional(cnContactBlock* block, const cnMoments* about, cnF4 bound, cnMotionF4* v1,
                                  cnMotionF4* v2) {
    cnF4 spin = cnAdd4(cnLoad4(block->startSlip[2]), cnMoments_GetSpeed(about, v1, v2));
    cnF4 impulse = cnLoad4(block->frictionImpulse[2]);
    spin = cnMulAdd4(spin, cnLoad4(block->spinRegularisation), impulse);
    cnF4 updated = Clamp4(cnMulSub4(impulse, spin, cnLoad4(block->inverseTorsional)), bound);
    cnStore4(block->frictionImpulse[2], updated);
    cnMoments_Apply(about, cnSub4(updated, impulse), v1, v2);
}

// Tangential block and torsional friction of a block of manifolds; `load` is Σ λᵢ, `moment` Σ rᵢ λᵢ.
static inline void SolveFriction(cnContactBlock* block, const cnAnisotropicMass* anisotropic, cnVecF4 normal,
                                 cnF4 load, cnF4 moment, cnMotionF4* v1, cnMotionF4* v2) {
    cnF4 mu = cnLoad4(block->friction), regularisation = cnLoad4(block->slipRegularisation);

    // torsional friction first: it rotates the bodies about the normal, which moves the centre little
    if (block->spins) {
        cnMoments about = cnMoments_Load(&block->torsional);
        SolveTorsional(block, &about, cnMul4(cnLoad4(block->torsionalFriction), moment), v1, v2);
    }
    SlidingRows rows = LoadSlidingRows(block, anisotropic, NULL, normal);
    cnF4 l1 = cnLoad4(block->frictionImpulse[0]), l2 = cnLoad4(block->frictionImpulse[1]);
    cnF4 slip1, slip2, new1, new2;
    GetSlip(&rows, block, v1, v2, &slip1, &slip2);
    SolveCircle4(&block->sliding, l1, l2, cnMulAdd4(slip1, regularisation, l1),
                 cnMulAdd4(slip2, regularisation, l2), cnMul4(mu, load), &new1, &new2);
    cnStore4(block->frictionImpulse[0], new1);
    cnStore4(block->frictionImpulse[1], new2);
    ApplySliding(&rows, cnSub4(new1, l1), cnSub4(new2, l2), v1, v2);
}

// The same within a box, by steps along each side in turn, which converge to its solution.
static inline void SolveBox4(const cnAxesLanes* axes, cnF4 l1, cnF4 l2, cnF4 w1, cnF4 w2, cnF4 bound1,
                             cnF4 bound2, cnF4* new1, cnF4* new2) {
    cnF4 k11 = cnLoad4(axes->k11), k12 = cnLoad4(axes->k12), k22 = cnLoad4(axes->k22);
    cnF4 one = cnSplat4(1.0f), tiny = cnSplat4(1e-30f);
    cnF4 inverse1 = cnDiv4(one, cnMax4(k11, tiny)), inverse2 = cnDiv4(one, cnMax4(k22, tiny));
    cnF4 a = l1, b = l2;
    for (int i = 0; i < 3; ++i) {
        cnF4 speed1 = cnMulAdd4(cnMulAdd4(w1, k11, cnSub4(a, l1)), k12, cnSub4(b, l2));
        a = Clamp4(cnMulSub4(a, speed1, inverse1), bound1);
        cnF4 speed2 = cnMulAdd4(cnMulAdd4(w2, k12, cnSub4(a, l1)), k22, cnSub4(b, l2));
        b = Clamp4(cnMulSub4(b, speed2, inverse2), bound2);
    }
    *new1 = a;
    *new2 = b;
}

static inline void SolveRolling(cnSpecialFriction* special, cnF4 load, cnMotionF4* v1, cnMotionF4* v2) {
    cnMoments about1 = cnMoments_Load(&special->rolling1), about2 = cnMoments_Load(&special->rolling2);
    cnF4 l1 = cnLoad4(special->rollingImpulse[0]), l2 = cnLoad4(special->rollingImpulse[1]);
    cnF4 roll1 = cnAdd4(cnLoad4(special->startRoll[0]), cnMoments_GetSpeed(&about1, v1, v2));
    cnF4 roll2 = cnAdd4(cnLoad4(special->startRoll[1]), cnMoments_GetSpeed(&about2, v1, v2));
    cnF4 new1, new2;
    SolveCircle4(&special->rolling, l1, l2, roll1, roll2, cnMul4(cnLoad4(special->rollingPerLoad), load),
                 &new1, &new2);
    cnStore4(special->rollingImpulse[0], new1);
    cnStore4(special->rollingImpulse[1], new2);
    cnMoments_Apply(&about1, cnSub4(new1, l1), v1, v2);
    cnMoments_Apply(&about2, cnSub4(new2, l2), v1, v2);
}

// Friction of a block in which some lane has more than a circular cone.
static void SolveSpecialFriction(cnContactBlock* block, const cnAnisotropicMass* anisotropic,
                                 cnSpecialFriction* special, cnVecF4 normal, cnF4 load, cnF4 moment,
                                 cnMotionF4* v1, cnMotionF4* v2) {
    load = cnAdd4(load, cnLoad4(special->heldLoad));
    moment = cnAdd4(moment, cnLoad4(special->heldMoment));
    cnMoments about = cnMoments_Load(&block->torsional);
    cnF4 torsionalBound =
        cnMulAdd4(cnMulAdd4(cnLoad4(special->spinFixed), cnLoad4(block->torsionalFriction), moment),
                  cnLoad4(special->spinPerLoad), load);
    SolveTorsional(block, &about, torsionalBound, v1, v2);
    if (special->rolls) {
        SolveRolling(special, load, v1, v2);
    }

    SlidingRows rows = LoadSlidingRows(block, anisotropic, special, normal);
    cnF4 l1 = cnLoad4(block->frictionImpulse[0]), l2 = cnLoad4(block->frictionImpulse[1]);
    cnF4 slip1, slip2;
    GetSlip(&rows, block, v1, v2, &slip1, &slip2);
    slip1 = cnMulAdd4(slip1, cnLoad4(block->slipRegularisation), l1);
    slip2 = cnMulAdd4(slip2, cnLoad4(special->slipRegularisation), l2);
    cnF4 bound1 = cnMulAdd4(cnLoad4(special->fixed[0]), cnLoad4(block->friction), load);
    cnF4 new1, new2;
    SolveCircle4(&block->sliding, l1, l2, slip1, slip2, bound1, &new1, &new2);
    if (special->hasBoxes) {
        cnF4 bound2 = cnMulAdd4(cnLoad4(special->fixed[1]), cnLoad4(special->perLoad), load);
        cnF4 box1, box2;
        SolveBox4(&block->sliding, l1, l2, slip1, slip2, bound1, bound2, &box1, &box2);
        cnF4 isBox = cnGreater4(cnLoad4(special->isBox), cnZero4());
        new1 = cnSelect4(isBox, box1, new1);
        new2 = cnSelect4(isBox, box2, new2);
    }
    cnStore4(block->frictionImpulse[0], new1);
    cnStore4(block->frictionImpulse[1], new2);
    ApplySliding(&rows, cnSub4(new1, l1), cnSub4(new2, l2), v1, v2);
}

// ---- the three kernels ------------------------------------------------------------------------------------

// Applies the multipliers of the last step.
static void WarmStartBlocks(int begin, int end, int thread, void* context) {
    (void)thread;
    const Sweep* sweep = context;
    const cnContactBlocks* blocks = &sweep->batch->blocks;
    cnSweptBody* bodies = sweep->batch->bodies.bodies;
    CN_ASSERT(begin >= 0 && end <= blocks->blockCount);
    for (int b = begin; b < end; ++b) {
        const cnContactBlock* block = cnContactBlocks_Get(blocks, b);
        cnMotionF4 v1 = cnGatherVelocities(bodies, block->body1),
                   v2 = cnGatherVelocities(bodies, block->body2);
        const cnAnisotropicMass* anisotropic = cnContactBlocks_GetAnisotropic(blocks, b);
        cnLinearRow normal = cnContactBlock_GetNormalRow(block, anisotropic);
        cnF4 load = cnZero4();
        for (int p = 0; p < block->pointCount; ++p) {
            cnMoments moments = cnMoments_OfPoint(&block->points[p]);
            cnF4 impulse = cnLoad4(block->points[p].impulse);
            cnMoments_Apply(&moments, impulse, &v1, &v2);
            load = cnAdd4(load, impulse);
        }
        cnLinearRow_Apply(&normal, load, &v1, &v2);
        const cnSpecialFriction* special = SpecialOf(blocks, block);
        SlidingRows sliding = LoadSlidingRows(block, anisotropic, special, normal.direction);
        ApplySliding(&sliding, cnLoad4(block->frictionImpulse[0]), cnLoad4(block->frictionImpulse[1]), &v1,
                     &v2);
        if (block->spins) {
            cnMoments about = cnMoments_Load(&block->torsional);
            cnMoments_Apply(&about, cnLoad4(block->frictionImpulse[2]), &v1, &v2);
        }
        if (special != NULL && special->rolls) {
            cnMoments about1 = cnMoments_Load(&special->rolling1),
                      about2 = cnMoments_Load(&special->rolling2);
            cnMoments_Apply(&about1, cnLoad4(special->rollingImpulse[0]), &v1, &v2);
            cnMoments_Apply(&about2, cnLoad4(special->rollingImpulse[1]), &v1, &v2);
        }
        cnScatterVelocities(bodies, block->body1, v1);
        cnScatterVelocities(bodies, block->body2, v2);
    }
}

static void SweepBiased(int begin, int end, int thread, void* context) {
    (void)thread;
    const Sweep* sweep = context;
    const cnContactBlocks* blocks = &sweep->batch->blocks;
    cnSweptBody* bodies = sweep->batch->bodies.bodies;
    CN_ASSERT(begin >= 0 && end <= blocks->blockCount);
    cnF4 elapsed = cnSplat4(sweep->elapsed), inverseSubstep = cnSplat4(sweep->inverseSubstep);
    cnF4 zero = cnZero4(), integralShare = cnSplat4(CN_INTEGRAL_SHARE);
    for (int b = begin; b < end; ++b) {
        cnContactBlock* block = cnContactBlocks_Get(blocks, b);
        CN_ASSERT(block->pointCount >= 1 && block->pointCount <= CN_MANIFOLD_POINTS);
        cnMotionF4 v1 = cnGatherVelocities(bodies, block->body1),
                   v2 = cnGatherVelocities(bodies, block->body2);
        cnMotionF4 k1 = cnGatherBefore(bodies, block->body1), k2 = cnGatherBefore(bodies, block->body2);
        cnMotionF4 x1 = cnGatherDisplacements(bodies, block->body1),
                   x2 = cnGatherDisplacements(bodies, block->body2);
        const cnAnisotropicMass* anisotropic = cnContactBlocks_GetAnisotropic(blocks, b);
        cnLinearRow normal = cnContactBlock_GetNormalRow(block, anisotropic);
        cnF4 mobility = cnLinearRow_GetMobility(&normal, normal.direction);
        cnF4 gamma = cnLoad4(block->gamma), bounce = cnLoad4(block->bounce), sigma = cnLoad4(block->sigma);
        cnF4 integral = cnMul4(integralShare, cnLoad4(block->integralImpulse)), least = cnLoad4(block->least);

        // what is linear in the rows of all points, with what the curvature adds
        cnF4 curve = cnLoad4(block->curvature), rate = cnMul4(curve, cnSplat4(sweep->bulgeRate));
        cnF4 speed = cnAdd4(rate, cnLinearRow_GetSpeed(&normal, &v1, &v2));
        cnF4 speedBefore = cnAdd4(cnMulAdd4(rate, curve, cnSplat4(sweep->bulgeFall)),
                                  cnLinearRow_GetSpeed(&normal, &k1, &k2));
        cnF4 shift = cnMulAdd4(cnLinearRow_GetSpeed(&normal, &x1, &x2), curve, cnSplat4(sweep->curvature));
        cnF4 pressed = zero;
        const int* order = cnContactBlock_GetOrder(block);
        for (int repeat = 0; repeat < block->repeats; ++repeat) {
            for (int p = 0; p < block->pointCount; ++p) {
                cnPointLanes* point = &block->points[order[p]];
                cnMoments moments = cnMoments_OfPoint(point);
                cnF4 start = cnLoad4(point->startVelocity);
                cnF4 velocity = cnAdd4(cnAdd4(start, speed), cnMoments_GetSpeed(&moments, &v1, &v2));
                cnF4 velocityBefore =
                    cnAdd4(cnAdd4(start, speedBefore), cnMoments_GetSpeed(&moments, &k1, &k2));
                cnF4 s = cnAdd4(cnMulAdd4(cnAdd4(cnLoad4(point->separation), shift), elapsed, start),
                                cnMoments_GetSpeed(&moments, &x1, &x2));
                cnF4 impulse = cnLoad4(point->impulse);

                // overlapping: the regularised row; apart: no more than closes the gap in this sub-step. In
                // both a load sinks in, or a corner whose gap is a hair above 0 would bear without
                cnF4 push = cnMax4(cnMul4(bounce, s), cnNeg4(cnLoad4(point->push)));
                cnF4 inside = cnMulSub4(push, gamma, velocityBefore), outside = cnMul4(s, inverseSubstep);
                cnF4 residual = cnAdd4(velocity, cnSelect4(cnGreater4(s, zero), outside, inside));
                residual = cnMulAdd4(residual, sigma, impulse);
                residual = cnMulAdd4(residual, cnLoad4(point->softening),
                                     cnSub4(impulse, cnMin4(impulse, integral)));
                cnF4 step = cnMul4(residual, cnLoad4(point->inverseBiased));
                cnF4 updated = cnMax4(cnSub4(impulse, step), least), change = cnSub4(updated, impulse);
                cnStore4(point->impulse, updated);
                cnMoments_Apply(&moments, change, &v1, &v2);
                speed = cnMulAdd4(speed, mobility, change);
                pressed = cnAdd4(pressed, change);
            }
        }
        cnLinearRow_Apply(&normal, pressed, &v1, &v2);
        cnScatterVelocities(bodies, block->body1, v1);
        cnScatterVelocities(bodies, block->body2, v2);
    }
}

// Faces that turn slide another way in the next sub-step.
static void Turn(cnContactBlock* block) {
    for (int i = 0; i < 2; ++i) {
        cnStore4(block->startSlip[i], cnAdd4(cnLoad4(block->startSlip[i]), cnLoad4(block->turning[i])));
    }
}

// Of the sub-step that ends.
static inline void SumImpulses(cnContactBlock* block) {
    for (int p = 0; p < block->pointCount; ++p) {
        cnPointLanes* point = &block->points[p];
        cnStore4(point->impulseSum, cnAdd4(cnLoad4(point->impulseSum), cnLoad4(point->impulse)));
    }
    for (int i = 0; i < 3; ++i) {
        cnStore4(block->frictionSum[i],
                 cnAdd4(cnLoad4(block->frictionSum[i]), cnLoad4(block->frictionImpulse[i])));
    }
}

static void SweepRelaxing(int begin, int end, int thread, void* context) {
    (void)thread;
    const Sweep* sweep = context;
    const cnContactBlocks* blocks = &sweep->batch->blocks;
    cnSweptBody* bodies = sweep->batch->bodies.bodies;
    CN_ASSERT(begin >= 0 && end <= blocks->blockCount);
    cnF4 elapsed = cnSplat4(sweep->elapsed), inverseSubstep = cnSplat4(sweep->inverseSubstep);
    cnF4 zero = cnZero4();
    for (int b = begin; b < end; ++b) {
        cnContactBlock* block = cnContactBlocks_Get(blocks, b);
        cnMotionF4 v1 = cnGatherVelocities(bodies, block->body1),
                   v2 = cnGatherVelocities(bodies, block->body2);
        cnMotionF4 x1 = cnGatherDisplacements(bodies, block->body1),
                   x2 = cnGatherDisplacements(bodies, block->body2);
        const cnAnisotropicMass* anisotropic = cnContactBlocks_GetAnisotropic(blocks, b);
        cnLinearRow normal = cnContactBlock_GetNormalRow(block, anisotropic);
        cnF4 mobility = cnLinearRow_GetMobility(&normal, normal.direction);
        cnF4 curve = cnLoad4(block->curvature), least = cnLoad4(block->least);
        cnF4 speed = cnMulAdd4(cnLinearRow_GetSpeed(&normal, &v1, &v2), curve, cnSplat4(sweep->bulgeRate));
        cnF4 shift = cnMulAdd4(cnLinearRow_GetSpeed(&normal, &x1, &x2), curve, cnSplat4(sweep->curvature));
        cnF4 load = zero, moment = zero, pressed = zero;
        const int* order = cnContactBlock_GetOrder(block);
        for (int repeat = 0; repeat < block->repeats; ++repeat) {
            load = moment = zero; // as the last of them leaves them
            for (int p = 0; p < block->pointCount; ++p) {
                cnPointLanes* point = &block->points[order[p]];
                cnMoments moments = cnMoments_OfPoint(point);
                cnF4 start = cnLoad4(point->startVelocity);
                cnF4 velocity = cnAdd4(cnAdd4(start, speed), cnMoments_GetSpeed(&moments, &v1, &v2));
                cnF4 s = cnAdd4(cnMulAdd4(cnAdd4(cnLoad4(point->separation), shift), elapsed, start),
                                cnMoments_GetSpeed(&moments, &x1, &x2));
                cnF4 impulse = cnLoad4(point->impulse);
                cnF4 residual = cnMulAdd4(velocity, cnMax4(s, zero), inverseSubstep);
                cnF4 updated = cnMax4(cnMulSub4(impulse, residual, cnLoad4(point->inverseRelaxed)), least);
                cnF4 change = cnSub4(updated, impulse);
                cnStore4(point->impulse, updated);
                cnMoments_Apply(&moments, change, &v1, &v2);
                speed = cnMulAdd4(speed, mobility, change);
                pressed = cnAdd4(pressed, change);
                load = cnAdd4(load, updated);
                moment = cnMulAdd4(moment, cnLoad4(point->radius), updated);
            }
        }
        cnLinearRow_Apply(&normal, pressed, &v1, &v2);
        if (block->special >= 0) {
            SolveSpecialFriction(block, anisotropic, SpecialOf(blocks, block), normal.direction, load, moment,
                                 &v1, &v2);
        } else {
            SolveFriction(block, anisotropic, normal.direction, load, moment, &v1, &v2);
        }
        if (block->turns) {
            Turn(block);
        }
        if (sweep->isLast) {
            SumImpulses(block);
        }
        cnScatterVelocities(bodies, block->body1, v1);
        cnScatterVelocities(bodies, block->body2, v2);
    }
}

// ---- bodies between the sweeps ----------------------------------------------------------------------------

// The columns of a 3 × 3 matrix times a vector.
static inline cnF4 MulColumns(const float columns[9], const float v[4]) {
    float sum[4] = {0.0f};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            sum[i] += columns[3 * k + i] * v[k];
        }
    }
    return cnLoad4(sum);
}

// v_k = v;  v += h_s f;  v += what contacts changed before.
static void BeginSubstep(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSweptBodies* swept = &((const Sweep*)context)->batch->bodies;
    CN_ASSERT(begin >= 0 && end <= swept->count);
    for (int place = begin; place < end; ++place) {
        cnSweptBody* body = &swept->bodies[place];
        const cnMotion6* force = &swept->forces[place];
        cnF4 linear = cnAdd4(cnLoad4(body->velocity.linear), cnLoad4(force->linear));
        cnF4 angular = cnAdd4(cnLoad4(body->velocity.angular), cnLoad4(force->angular));
        if (swept->damping != NULL) {
            const cnSweptDamping* damping = &swept->damping[place];
            linear = cnAdd4(linear, MulColumns(damping->linear, body->velocity.linear));
            angular = cnAdd4(angular, MulColumns(damping->angular, body->velocity.angular));
        }
        body->before = body->velocity;

        // remember the velocity without contacts, to tell at the end what they changed
        cnStore4(body->velocity.linear, cnAdd4(linear, cnLoad4(body->contact.linear)));
        cnStore4(body->velocity.angular, cnAdd4(angular, cnLoad4(body->contact.angular)));
        cnStore4(body->contact.linear, linear);
        cnStore4(body->contact.angular, angular);
    }
}

// x += h_s v, of the changes.
static void MoveSubstep(int begin, int end, int thread, void* context) {
    (void)thread;
    const Sweep* sweep = context;
    const cnSweptBodies* swept = &sweep->batch->bodies;
    CN_ASSERT(begin >= 0 && end <= swept->count);
    cnF4 h = cnSplat4(sweep->substep);
    for (int place = begin; place < end; ++place) {
        const cnMotion6* v = &swept->bodies[place].velocity;
        cnMotion6* x = &swept->bodies[place].displacement;
        cnStore4(x->linear, cnMulAdd4(cnLoad4(x->linear), h, cnLoad4(v->linear)));
        cnStore4(x->angular, cnMulAdd4(cnLoad4(x->angular), h, cnLoad4(v->angular)));
    }
}

// What contacts changed in this sub-step.
static void EndSubstep(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSweptBodies* swept = &((const Sweep*)context)->batch->bodies;
    CN_ASSERT(begin >= 0 && end <= swept->count);
    for (int place = begin; place < end; ++place) {
        const cnMotion6* v = &swept->bodies[place].velocity;
        cnMotion6* contact = &swept->bodies[place].contact;
        cnStore4(contact->linear, cnSub4(cnLoad4(v->linear), cnLoad4(contact->linear)));
        cnStore4(contact->angular, cnSub4(cnLoad4(v->angular), cnLoad4(contact->angular)));
    }
}

static void RunOverBodies(Sweep* sweep, cnTask* task) {
    cnThreadPool_Run(sweep->batch->threads, task, sweep, sweep->batch->bodies.count, CN_BODY_CHUNK);
}

static void RunOverContacts(Sweep* sweep, cnTask* task) {
    cnRunOverBlocks(sweep->batch->threads, sweep->batch->blocks.runs, task, sweep);
}

static void SetElapsed(Sweep* sweep, int substeps) {
    const cnSolve* solve = sweep->batch->solve;
    CN_ASSERT(substeps >= 0 && substeps <= solve->substeps);
    double elapsed = substeps * solve->substep;
    sweep->elapsed = (float)elapsed;
    sweep->curvature = (float)(elapsed * (solve->h - solve->substep - elapsed));
}

// Joints of a batch, swept before and after its contacts: before them alone where there are none.
static void SweepJoints(const Sweep* sweep, cnJointBlocks* joints, double elapsed, bool isAfter) {
    if (joints != NULL && (!isAfter || sweep->batch->blocks.blockCount > 0)) {
        cnJointBlocks_Sweep(sweep->batch, joints, elapsed);
    }
}

void cnSweepBatch_Run(cnSweptBatch* batch, cnJointBlocks* joints, const cnJointGroups* groups) {
    const cnSolve* solve = batch->solve;
    CN_ASSERT(solve->substep > 0.0 && solve->substeps >= 1);
    double h = solve->substep;
    Sweep sweep = {.batch = batch, .substep = (float)h, .inverseSubstep = (float)(1.0 / h)};
    int iterations = solve->settings.iterations > 0 ? solve->settings.iterations : 1;
    for (int substep = 0; substep < solve->substeps; ++substep) {
        RunOverBodies(&sweep, BeginSubstep);
        if (substep == 0 && joints != NULL) {
            cnJointBlocks_WarmStart(batch, joints);
        }
        if (substep == 0) {
            RunOverContacts(&sweep, WarmStartBlocks);
        }
        if (groups != NULL) {
            cnJointGroups_Begin(groups, substep);
        }
        SetElapsed(&sweep, substep);
        sweep.bulgeRate = (float)(solve->h - 2 * (substep + 1) * h);
        sweep.bulgeFall = (float)(2.0 * h);
        for (int i = 0; i < iterations; ++i) {
            SweepJoints(&sweep, joints, substep * h, false);
            RunOverContacts(&sweep, SweepBiased);
            SweepJoints(&sweep, joints, substep * h, true);
            if (groups != NULL) {
                cnJointGroups_AfterBiased(groups, i == iterations - 1);
            }
        }
        RunOverBodies(&sweep, MoveSubstep);
        SetElapsed(&sweep, substep + 1);
        for (int i = 0; i < iterations; ++i) {
            sweep.isLast = i == iterations - 1;
            if (joints != NULL) {
                cnJointBlocks_CloseAndSweep(batch, joints, (substep + 1) * h);
            }
            RunOverContacts(&sweep, SweepRelaxing);
            SweepJoints(&sweep, joints, (substep + 1) * h, true);
            if (groups != NULL) {
                cnJointGroups_AfterRelaxing(groups);
            }
        }
        RunOverBodies(&sweep, EndSubstep);
        if (groups != NULL) {
            cnJointGroups_End(groups);
        }
        if (joints != NULL) {
            cnJointBlocks_SumImpulses(batch, joints);
        }
    }
}
