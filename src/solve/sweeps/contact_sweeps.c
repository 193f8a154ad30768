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

// Blocks of a colour that one task takes, and the least number for which threads are woken.
#define CN_SWEEP_CHUNK 8

typedef struct Sweep {
    cnSolve* solve;
    cnContactBlocks* blocks;
    int firstBlock; // of the colour
    float elapsed;  // s since the start of the step, by which places have moved
    float inverseSubstep;
    // of a curvature with Q = 1 (midpoint_normal.h): t (2τ − t), its mean rate in the sub-step, by how much
    // that falls to the next
    float curvature, bulgeRate, bulgeFall;
} Sweep;

// The three rows of friction at a block's centre.
typedef struct FrictionRows {
    cnRow4 t1, t2, torsional;
} FrictionRows;

static inline FrictionRows MakeFrictionRows(const cnContactBlock* block, const cnSpecialFriction* special,
                                            const cnBlockMass* mass, cnVecF4 normal) {
    cnVecF4 t1 = cnLoadVecF4(block->tangent);
    cnVecF4 t2 = cnCrossF4(normal, t1);
    if (special != NULL) {
        t2 = cnScaleVecF4(cnLoad4(special->ratio), t2);
    }
    cnVecF4 arm1 = cnLoadVecF4(block->centreArm1), arm2 = cnLoadVecF4(block->centreArm2);
    cnVecF4 zero = {cnZero4(), cnZero4(), cnZero4()};
    return (FrictionRows){
        {t1, cnCrossF4(arm1, t1), cnCrossF4(arm2, t1), cnBlockMass_Respond1(mass, t1),
         cnBlockMass_Respond2(mass, t1)},
        {t2, cnCrossF4(arm1, t2), cnCrossF4(arm2, t2), cnBlockMass_Respond1(mass, t2),
         cnBlockMass_Respond2(mass, t2)},
        {zero, normal, normal, zero, zero},
    };
}

// Two rows about the tangents: their responses are of rotations alone.
typedef struct RollingRows {
    cnRow4 t1, t2;
} RollingRows;

static inline RollingRows MakeRollingRows(const cnSpecialFriction* special, cnVecF4 normal) {
    cnVecF4 t1 = cnLoadVecF4(special->rollingAxis);
    cnVecF4 t2 = cnScaleVecF4(cnLoad4(special->rollingRatio), cnCrossF4(normal, t1));
    cnVecF4 zero = {cnZero4(), cnZero4(), cnZero4()};
    return (RollingRows){{zero, t1, t1, zero, zero}, {zero, t2, t2, zero, zero}};
}

// Null for a block of circular cones.
static inline cnSpecialFriction* SpecialOf(const Sweep* sweep, int block) {
    return sweep->blocks->blocks[block].special ? &sweep->blocks->special[block] : NULL;
}

// ---- the three kernels ------------------------------------------------------------------------------------

// Applies the multipliers of the last step.
static void WarmStartBlocks(int begin, int end, int thread, void* context) {
    (void)thread;
    Sweep* sweep = context;
    CN_ASSERT(begin >= 0 && sweep->firstBlock + end <= sweep->blocks->blockCount);
    cnMotion6* velocities = sweep->solve->solver.velocity;
    for (int b = sweep->firstBlock + begin; b < sweep->firstBlock + end; ++b) {
        cnContactBlock* block = &sweep->blocks->blocks[b];
        cnBlockMass mass =
            cnLoadBlockMass(block, sweep->blocks->anisotropic ? &sweep->blocks->anisotropic[b] : NULL);
        cnMotionF4 v1 = cnGatherMotions(velocities, block->body1),
                   v2 = cnGatherMotions(velocities, block->body2);
        cnVecF4 normal = cnLoadVecF4(block->normal);
        cnVecF4 linear1 = cnBlockMass_Respond1(&mass, normal), linear2 = cnBlockMass_Respond2(&mass, normal);
        for (int p = 0; p < block->pointCount; ++p) {
            cnRow4 row = cnRow4_OfPoint(&block->points[p], normal, linear1, linear2);
            cnRow4_Apply(&row, &mass, cnLoad4(block->points[p].impulse), &v1, &v2);
        }
        const cnSpecialFriction* special = SpecialOf(sweep, b);
        FrictionRows friction = MakeFrictionRows(block, special, &mass, normal);
        cnRow4_Apply(&friction.t1, &mass, cnLoad4(block->frictionImpulse[0]), &v1, &v2);
        cnRow4_Apply(&friction.t2, &mass, cnLoad4(block->frictionImpulse[1]), &v1, &v2);
        cnRow4_Apply(&friction.torsional, &mass, cnLoad4(block->frictionImpulse[2]), &v1, &v2);
        if (special != NULL && special->rolls) {
            RollingRows rolling = MakeRollingRows(special, normal);
            cnRow4_Apply(&rolling.t1, &mass, cnLoad4(special->rollingImpulse[0]), &v1, &v2);
            cnRow4_Apply(&rolling.t2, &mass, cnLoad4(special->rollingImpulse[1]), &v1, &v2);
        }
        cnScatterMotions(velocities, block->body1, v1);
        cnScatterMotions(velocities, block->body2, v2);
    }
}

static void SweepBiased(int begin, int end, int thread, void* context) {
    (void)thread;
    Sweep* sweep = context;
    CN_ASSERT(begin >= 0 && sweep->firstBlock + end <= sweep->blocks->blockCount);
    cnSolverBodies* bodies = &sweep->solve->solver;
    cnF4 elapsed = cnSplat4(sweep->elapsed), inverseSubstep = cnSplat4(sweep->inverseSubstep);
    cnF4 zero = cnZero4(), integralShare = cnSplat4(CN_INTEGRAL_SHARE);
    for (int b = sweep->firstBlock + begin; b < sweep->firstBlock + end; ++b) {
        cnContactBlock* block = &sweep->blocks->blocks[b];
        CN_ASSERT(block->pointCount >= 1 && block->pointCount <= CN_MANIFOLD_POINTS);
        cnBlockMass mass =
            cnLoadBlockMass(block, sweep->blocks->anisotropic ? &sweep->blocks->anisotropic[b] : NULL);
        cnMotionF4 v1 = cnGatherMotions(bodies->velocity, block->body1),
                   v2 = cnGatherMotions(bodies->velocity, block->body2);
        cnMotionF4 k1 = cnGatherMotions(bodies->before, block->body1),
                   k2 = cnGatherMotions(bodies->before, block->body2);
        cnMotionF4 x1 = cnGatherMotions(bodies->displacement, block->body1),
                   x2 = cnGatherMotions(bodies->displacement, block->body2);
        cnVecF4 normal = cnLoadVecF4(block->normal);
        cnVecF4 linear1 = cnBlockMass_Respond1(&mass, normal), linear2 = cnBlockMass_Respond2(&mass, normal);
        cnF4 gamma = cnLoad4(block->gamma), bounce = cnLoad4(block->bounce), sigma = cnLoad4(block->sigma);
        cnF4 integral = cnMul4(integralShare, cnLoad4(block->integralImpulse)), least = cnLoad4(block->least);
        cnF4 curve = cnLoad4(block->curvature);
        cnF4 curvature = cnMul4(curve, cnSplat4(sweep->curvature)),
             rate = cnMul4(curve, cnSplat4(sweep->bulgeRate));
        cnF4 rateBefore = cnMulAdd4(rate, curve, cnSplat4(sweep->bulgeFall));
        for (int p = 0; p < block->pointCount; ++p) {
            cnPointLanes* point = &block->points[p];
            cnRow4 row = cnRow4_OfPoint(point, normal, linear1, linear2);
            cnF4 start = cnLoad4(point->startVelocity);
            cnF4 velocity = cnAdd4(cnAdd4(start, rate), cnRow4_GetVelocity(&row, &v1, &v2));
            cnF4 velocityBefore = cnAdd4(cnAdd4(start, rateBefore), cnRow4_GetVelocity(&row, &k1, &k2));
            cnF4 s = cnAdd4(cnMulAdd4(cnAdd4(cnLoad4(point->separation), curvature), elapsed, start),
                            cnRow4_GetVelocity(&row, &x1, &x2));
            cnF4 impulse = cnLoad4(point->impulse);

            // overlapping: the regularised row; apart: no more than closes the gap in this sub-step
            cnF4 residual =
                cnMulSub4(cnAdd4(velocity, cnMax4(cnMul4(bounce, s), cnNeg4(cnLoad4(point->push)))), gamma,
                          velocityBefore);
            residual = cnMulAdd4(residual, sigma, impulse);
            residual = cnMulAdd4(residual, cnLoad4(point->softening), cnSub4(impulse, integral));
            cnF4 inside = cnMul4(residual, cnLoad4(point->inverseBiased));
            cnF4 outside = cnMul4(cnMulAdd4(velocity, s, inverseSubstep), cnLoad4(point->inverseRelaxed));
            cnF4 step = cnSelect4(cnGreater4(s, zero), outside, inside);
            cnF4 updated = cnMax4(cnSub4(impulse, step), least);
            cnStore4(point->impulse, updated);
            cnRow4_Apply(&row, &mass, cnSub4(updated, impulse), &v1, &v2);
        }
        cnScatterMotions(bodies->velocity, block->body1, v1);
        cnScatterMotions(bodies->velocity, block->body2, v2);
    }
}

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

// Tangential block and torsional friction of a block of manifolds; `load` is Σ λᵢ, `moment` Σ rᵢ λᵢ.
static inline void SolveFriction(cnContactBlock* block, const cnBlockMass* mass, cnVecF4 normal, cnF4 load,
                                 cnF4 moment, cnMotionF4* v1, cnMotionF4* v2) {
    FrictionRows rows = MakeFrictionRows(block, NULL, mass, normal);
    cnF4 mu = cnLoad4(block->friction), regularisation = cnLoad4(block->slipRegularisation);

    // torsional friction first: it rotates the bodies about the normal, which moves the centre little
    cnF4 torsionalBound = cnMul4(mu, moment);
    cnF4 spin = cnAdd4(cnLoad4(block->startSlip[2]), cnRow4_GetVelocity(&rows.torsional, v1, v2));
    cnF4 torsional = cnLoad4(block->frictionImpulse[2]);
    cnF4 newTorsional = cnMulSub4(torsional, spin, cnLoad4(block->inverseTorsional));
    newTorsional = cnMax4(cnMin4(newTorsional, torsionalBound), cnNeg4(torsionalBound));
    cnStore4(block->frictionImpulse[2], newTorsional);
    cnRow4_Apply(&rows.torsional, mass, cnSub4(newTorsional, torsional), v1, v2);

    cnF4 l1 = cnLoad4(block->frictionImpulse[0]), l2 = cnLoad4(block->frictionImpulse[1]);
    cnF4 slip1 = cnMulAdd4(cnAdd4(cnLoad4(block->startSlip[0]), cnRow4_GetVelocity(&rows.t1, v1, v2)),
                           regularisation, l1);
    cnF4 slip2 = cnMulAdd4(cnAdd4(cnLoad4(block->startSlip[1]), cnRow4_GetVelocity(&rows.t2, v1, v2)),
                           regularisation, l2);
    cnF4 new1, new2;
    SolveCircle4(&block->sliding, l1, l2, slip1, slip2, cnMul4(mu, load), &new1, &new2);
    cnStore4(block->frictionImpulse[0], new1);
    cnStore4(block->frictionImpulse[1], new2);
    cnRow4_Apply(&rows.t1, mass, cnSub4(new1, l1), v1, v2);
    cnRow4_Apply(&rows.t2, mass, cnSub4(new2, l2), v1, v2);
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

static inline void SolveRolling(cnSpecialFriction* special, const cnBlockMass* mass, cnVecF4 normal,
                                cnF4 load, cnMotionF4* v1, cnMotionF4* v2) {
    RollingRows rows = MakeRollingRows(special, normal);
    cnF4 l1 = cnLoad4(special->rollingImpulse[0]), l2 = cnLoad4(special->rollingImpulse[1]);
    cnF4 roll1 = cnAdd4(cnLoad4(special->startRoll[0]), cnRow4_GetVelocity(&rows.t1, v1, v2));
    cnF4 roll2 = cnAdd4(cnLoad4(special->startRoll[1]), cnRow4_GetVelocity(&rows.t2, v1, v2));
    cnF4 new1, new2;
    SolveCircle4(&special->rolling, l1, l2, roll1, roll2, cnMul4(cnLoad4(special->rollingPerLoad), load),
                 &new1, &new2);
    cnStore4(special->rollingImpulse[0], new1);
    cnStore4(special->rollingImpulse[1], new2);
    cnRow4_Apply(&rows.t1, mass, cnSub4(new1, l1), v1, v2);
    cnRow4_Apply(&rows.t2, mass, cnSub4(new2, l2), v1, v2);
}

// Friction of a block in which some lane has more than a circular cone.
static void SolveSpecialFriction(cnContactBlock* block, cnSpecialFriction* special, const cnBlockMass* mass,
                                 cnVecF4 normal, cnF4 load, cnF4 moment, cnMotionF4* v1, cnMotionF4* v2) {
    FrictionRows rows = MakeFrictionRows(block, special, mass, normal);
    cnF4 torsionalBound =
        cnMulAdd4(cnMulAdd4(cnLoad4(special->spinFixed), cnLoad4(special->perMoment), moment),
                  cnLoad4(special->spinPerLoad), load);
    cnF4 spin = cnAdd4(cnLoad4(block->startSlip[2]), cnRow4_GetVelocity(&rows.torsional, v1, v2));
    cnF4 torsional = cnLoad4(block->frictionImpulse[2]);
    spin = cnMulAdd4(spin, cnLoad4(special->spinRegularisation), torsional);
    cnF4 newTorsional = Clamp4(cnMulSub4(torsional, spin, cnLoad4(block->inverseTorsional)), torsionalBound);
    cnStore4(block->frictionImpulse[2], newTorsional);
    cnRow4_Apply(&rows.torsional, mass, cnSub4(newTorsional, torsional), v1, v2);
    if (special->rolls) {
        SolveRolling(special, mass, normal, load, v1, v2);
    }

    cnF4 l1 = cnLoad4(block->frictionImpulse[0]), l2 = cnLoad4(block->frictionImpulse[1]);
    cnF4 slip1 = cnMulAdd4(cnAdd4(cnLoad4(block->startSlip[0]), cnRow4_GetVelocity(&rows.t1, v1, v2)),
                           cnLoad4(block->slipRegularisation), l1);
    cnF4 slip2 = cnMulAdd4(cnAdd4(cnLoad4(block->startSlip[1]), cnRow4_GetVelocity(&rows.t2, v1, v2)),
                           cnLoad4(special->slipRegularisation), l2);
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
    cnRow4_Apply(&rows.t1, mass, cnSub4(new1, l1), v1, v2);
    cnRow4_Apply(&rows.t2, mass, cnSub4(new2, l2), v1, v2);
}

// Faces that turn slide another way in the next sub-step.
static void Turn(cnContactBlock* block) {
    for (int i = 0; i < 2; ++i) {
        cnStore4(block->startSlip[i], cnAdd4(cnLoad4(block->startSlip[i]), cnLoad4(block->turning[i])));
    }
}

static void SweepRelaxing(int begin, int end, int thread, void* context) {
    (void)thread;
    Sweep* sweep = context;
    CN_ASSERT(begin >= 0 && sweep->firstBlock + end <= sweep->blocks->blockCount);
    cnSolverBodies* bodies = &sweep->solve->solver;
    cnF4 elapsed = cnSplat4(sweep->elapsed), inverseSubstep = cnSplat4(sweep->inverseSubstep);
    cnF4 zero = cnZero4();
    for (int b = sweep->firstBlock + begin; b < sweep->firstBlock + end; ++b) {
        cnContactBlock* block = &sweep->blocks->blocks[b];
        cnBlockMass mass =
            cnLoadBlockMass(block, sweep->blocks->anisotropic ? &sweep->blocks->anisotropic[b] : NULL);
        cnMotionF4 v1 = cnGatherMotions(bodies->velocity, block->body1),
                   v2 = cnGatherMotions(bodies->velocity, block->body2);
        cnMotionF4 x1 = cnGatherMotions(bodies->displacement, block->body1),
                   x2 = cnGatherMotions(bodies->displacement, block->body2);
        cnVecF4 normal = cnLoadVecF4(block->normal);
        cnVecF4 linear1 = cnBlockMass_Respond1(&mass, normal), linear2 = cnBlockMass_Respond2(&mass, normal);
        cnF4 curve = cnLoad4(block->curvature);
        cnF4 curvature = cnMul4(curve, cnSplat4(sweep->curvature)),
             rate = cnMul4(curve, cnSplat4(sweep->bulgeRate));
        cnF4 load = zero, moment = zero, least = cnLoad4(block->least);
        for (int p = 0; p < block->pointCount; ++p) {
            cnPointLanes* point = &block->points[p];
            cnRow4 row = cnRow4_OfPoint(point, normal, linear1, linear2);
            cnF4 start = cnLoad4(point->startVelocity);
            cnF4 velocity = cnAdd4(cnAdd4(start, rate), cnRow4_GetVelocity(&row, &v1, &v2));
            cnF4 s = cnAdd4(cnMulAdd4(cnAdd4(cnLoad4(point->separation), curvature), elapsed, start),
                            cnRow4_GetVelocity(&row, &x1, &x2));
            cnF4 impulse = cnLoad4(point->impulse);
            cnF4 residual = cnMulAdd4(velocity, cnMax4(s, zero), inverseSubstep);
            cnF4 updated = cnMax4(cnMulSub4(impulse, residual, cnLoad4(point->inverseRelaxed)), least);
            cnStore4(point->impulse, updated);
            cnRow4_Apply(&row, &mass, cnSub4(updated, impulse), &v1, &v2);
            load = cnAdd4(load, updated);
            moment = cnMulAdd4(moment, cnLoad4(point->radius), updated);
        }
        cnSpecialFriction* special = SpecialOf(sweep, b);
        if (special == NULL) {
            SolveFriction(block, &mass, normal, load, moment, &v1, &v2);
        } else {
            SolveSpecialFriction(block, special, &mass, normal, cnAdd4(load, cnLoad4(special->heldLoad)),
                                 cnAdd4(moment, cnLoad4(special->heldMoment)), &v1, &v2);
        }
        if (block->turns) {
            Turn(block);
        }
        cnScatterMotions(bodies->velocity, block->body1, v1);
        cnScatterMotions(bodies->velocity, block->body2, v2);
    }
}

// ---- bodies between the sweeps ----------------------------------------------------------------------------

// v_k = v;  v += h_s f;  v += what contacts changed before.
static void BeginSubstep(int begin, int end, int thread, void* context) {
    (void)thread;
    cnSolverBodies* bodies = &((Sweep*)context)->solve->solver;
    CN_ASSERT(begin >= 0 && end <= bodies->count);
    for (int index = begin; index < end; ++index) {
        cnMotion6* v = &bodies->velocity[index];
        const cnSubstepForce* force = &bodies->force[index];
        bodies->before[index] = *v;
        cnF4 linear = cnAdd4(cnLoad4(v->linear), cnLoad4(force->constant.linear));
        cnF4 angular = cnAdd4(cnLoad4(v->angular), cnLoad4(force->constant.angular));
        if (force->damped) {
            float damping[2][4] = {{0.0f}, {0.0f}};
            for (int i = 0; i < 3; ++i) {
                for (int k = 0; k < 3; ++k) {
                    damping[0][i] += force->linearDamping[3 * k + i] * v->linear[k];
                    damping[1][i] += force->angularDamping[3 * k + i] * v->angular[k];
                }
            }
            linear = cnAdd4(linear, cnLoad4(damping[0]));
            angular = cnAdd4(angular, cnLoad4(damping[1]));
        }

        // remember the velocity without contacts, to tell at the end what they changed
        cnMotion6* contact = &bodies->contact[index];
        cnStore4(v->linear, cnAdd4(linear, cnLoad4(contact->linear)));
        cnStore4(v->angular, cnAdd4(angular, cnLoad4(contact->angular)));
        cnStore4(contact->linear, linear);
        cnStore4(contact->angular, angular);
    }
}

// x += h_s v, of the changes.
static void MoveSubstep(int begin, int end, int thread, void* context) {
    (void)thread;
    cnSolve* solve = ((Sweep*)context)->solve;
    CN_ASSERT(begin >= 0 && end <= solve->solver.count);
    cnF4 h = cnSplat4((float)solve->substep);
    for (int index = begin; index < end; ++index) {
        const cnMotion6* v = &solve->solver.velocity[index];
        cnMotion6* x = &solve->solver.displacement[index];
        cnStore4(x->linear, cnMulAdd4(cnLoad4(x->linear), h, cnLoad4(v->linear)));
        cnStore4(x->angular, cnMulAdd4(cnLoad4(x->angular), h, cnLoad4(v->angular)));
    }
}

// What contacts changed in this sub-step.
static void EndSubstep(int begin, int end, int thread, void* context) {
    (void)thread;
    cnSolverBodies* bodies = &((Sweep*)context)->solve->solver;
    CN_ASSERT(begin >= 0 && end <= bodies->count);
    for (int index = begin; index < end; ++index) {
        const cnMotion6* v = &bodies->velocity[index];
        cnMotion6* contact = &bodies->contact[index];
        cnStore4(contact->linear, cnSub4(cnLoad4(v->linear), cnLoad4(contact->linear)));
        cnStore4(contact->angular, cnSub4(cnLoad4(v->angular), cnLoad4(contact->angular)));
    }
}

static void SumImpulses(int begin, int end, int thread, void* context) {
    (void)thread;
    cnContactBlock* blocks = ((Sweep*)context)->blocks->blocks;
    for (int b = begin; b < end; ++b) {
        for (int p = 0; p < blocks[b].pointCount; ++p) {
            cnPointLanes* point = &blocks[b].points[p];
            cnStore4(point->impulseSum, cnAdd4(cnLoad4(point->impulseSum), cnLoad4(point->impulse)));
        }
        for (int i = 0; i < 3; ++i) {
            cnStore4(blocks[b].frictionSum[i],
                     cnAdd4(cnLoad4(blocks[b].frictionSum[i]), cnLoad4(blocks[b].frictionImpulse[i])));
        }
    }
}

static void SweepColours(Sweep* sweep, cnTask* task) {
    const cnContactBlocks* blocks = sweep->blocks;
    for (int colour = 0; colour < blocks->colourCount; ++colour) {
        int first = blocks->colourStarts[colour], count = blocks->colourStarts[colour + 1] - first;
        CN_ASSERT(count >= 0 && first + count <= blocks->blockCount);
        sweep->firstBlock = first;
        cnThreadPool* threads = colour < blocks->serialColour ? sweep->solve->threads : NULL;
        cnThreadPool_Run(threads, task, sweep, count, CN_SWEEP_CHUNK);
    }
}

static void SetElapsed(Sweep* sweep, int substeps) {
    CN_ASSERT(substeps >= 0 && substeps <= sweep->solve->substeps);
    double elapsed = substeps * sweep->solve->substep;
    sweep->elapsed = (float)elapsed;
    sweep->curvature = (float)(elapsed * (sweep->solve->h - sweep->solve->substep - elapsed));
}

void cnSweepIslands(cnSolve* solve, cnContactBlocks* blocks, cnJointBlocks* joints,
                    const cnJointGroups* groups) {
    CN_ASSERT(solve->substep > 0.0 && solve->substeps >= 1);
    Sweep sweep = {
        .solve = solve,
        .blocks = blocks,
        .inverseSubstep = (float)(1.0 / solve->substep),
    };
    int iterations = solve->settings.iterations > 0 ? solve->settings.iterations : 1;
    int bodyCount = solve->solver.count;
    for (int substep = 0; substep < solve->substeps; ++substep) {
        cnThreadPool_Run(solve->threads, BeginSubstep, &sweep, bodyCount, 256);
        if (substep == 0) {
            cnJointBlocks_WarmStart(solve, joints);
            SweepColours(&sweep, WarmStartBlocks);
        }
        cnJointGroups_Begin(groups, substep);
        SetElapsed(&sweep, substep);
        sweep.bulgeRate = (float)(solve->h - 2 * (substep + 1) * solve->substep);
        sweep.bulgeFall = (float)(2.0 * solve->substep);
        for (int i = 0; i < iterations; ++i) {
            cnJointBlocks_Sweep(solve, joints, substep * solve->substep);
            SweepColours(&sweep, SweepBiased);
            if (blocks->blockCount > 0) {
                cnJointBlocks_Sweep(solve, joints, substep * solve->substep);
            }
            cnJointGroups_AfterBiased(groups, i == iterations - 1);
        }
        cnThreadPool_Run(solve->threads, MoveSubstep, &sweep, bodyCount, 256);
        SetElapsed(&sweep, substep + 1);
        for (int i = 0; i < iterations; ++i) {
            cnJointBlocks_CloseAndSweep(solve, joints, (substep + 1) * solve->substep);
            SweepColours(&sweep, SweepRelaxing);
            if (blocks->blockCount > 0) {
                cnJointBlocks_Sweep(solve, joints, (substep + 1) * solve->substep);
            }
            cnJointGroups_AfterRelaxing(groups);
        }
        cnThreadPool_Run(solve->threads, EndSubstep, &sweep, bodyCount, 256);
        cnJointGroups_End(groups);
        cnThreadPool_Run(solve->threads, SumImpulses, &sweep, blocks->blockCount, 64);
        cnJointBlocks_SumImpulses(solve, joints);
    }
}
