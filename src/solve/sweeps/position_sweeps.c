// Position correction of swept contacts (position_correction.c), over the blocks that they were swept in.
//
// A few sweeps are enough because they begin with impulses of the step before, which are kept with the pairs.
// Without them a pile is not lifted off a light body that it was pressed into: what lies below pushes that
// body up, what lies above pushes it down, and it moves much more easily than either. In four sweeps nothing
// reaches the bodies far above that have to rise, and the same happens again in every step.
// Where one step takes out a share of an overlap, 1 − share of it is left. So much of the impulses is kept,
// which also bounds those on a body that has no way out.
#include "base/report/assert.h"
#include "solve/contact_rows.h"
#include "solve/sweeps/row_lanes.h"

#include <float.h>
#include <string.h>

// Of those that begin with impulses of the step before.
#define CN_SWEEPS 4
#define CN_BODY_CHUNK 256

typedef struct PushSweep {
    cnSweptBatch* batch;
    cnPushBlock* pushed;
} PushSweep;

// ---- loads ------------------------------------------------------------------------------------------------

// What the points of blocks give to their bodies.
static void AddLoads(int begin, int end, int thread, void* context) {
    (void)thread;
    const PushSweep* sweep = context;
    cnSweptMass* masses = sweep->batch->bodies.masses;
    for (int i = begin; i < end; ++i) {
        const cnContactBlock* block = cnContactBlocks_Get(&sweep->batch->blocks, sweep->pushed[i].block);
        cnF4 sum = cnZero4();
        for (int p = 0; p < block->pointCount; ++p) {
            sum = cnAdd4(sum, cnAbs4(cnLoad4(block->points[p].impulse)));
        }
        cnLanes load;
        cnStore4(load, sum);
        for (int lane = 0; lane < CN_LANES; ++lane) {
            const int places[2] = {block->body1[lane], block->body2[lane]};
            for (int side = 0; side < 2; ++side) {
                if (places[side] != 0) { // that is shared
                    masses[places[side]].load += load[lane];
                }
            }
        }
    }
}

// cnInverseMass_GetPushShare of four bodies.
static cnF4 GetShares(const cnSweptBatch* batch, const int places[CN_LANES]) {
    cnLanes load, inverseMass;
    for (int lane = 0; lane < CN_LANES; ++lane) {
        const cnSweptMass* mass = &batch->bodies.masses[places[lane]];
        load[lane] = mass->load;
        inverseMass[lane] = mass->inverseMass;
    }
    cnF4 perWeight = cnSplat4((float)(CN_BORNE_PART / (CN_STANDARD_GRAVITY * batch->solve->substep)));
    cnF4 borne = cnMul4(cnMul4(cnLoad4(load), cnLoad4(inverseMass)), perWeight), one = cnSplat4(1.0f);
    return cnDiv4(one, cnMax4(borne, one));
}

// ---- ways to go -------------------------------------------------------------------------------------------

// Lane by lane.
typedef struct PushSource {
    cnLanes depth[CN_MANIFOLD_POINTS];  // m, at the start of the step
    cnLanes points;                     // that have a row; 0 of what is not pushed out
    cnLanes isLoaded, isLarge;          // 1, else 0
    cnLanes limit;                      // m
    cnLanes before[CN_MANIFOLD_POINTS]; // kg m, impulses of the step before
} PushSource;

// A row of a block, and what its impulses do to pushes: by the shares of the bodies' mobilities.
typedef struct PushRow {
    cnLinearRow linear;
    cnF4 share1, share2;
} PushRow;

static PushRow MakePushRow(const cnSweptBatch* batch, const cnPushBlock* pushed) {
    const cnContactBlocks* blocks = &batch->blocks;
    PushRow row = {
        .linear = cnContactBlock_GetNormalRow(cnContactBlocks_Get(blocks, pushed->block),
                                              cnContactBlocks_GetAnisotropic(blocks, pushed->block)),
        .share1 = cnLoad4(pushed->share1),
        .share2 = cnLoad4(pushed->share2),
    };
    row.linear.response1 = cnScaleVecF4(row.share1, row.linear.response1);
    row.linear.response2 = cnScaleVecF4(row.share2, row.linear.response2);
    return row;
}

static void ApplyMoments(const PushRow* row, const cnMoments* moments, cnF4 impulse, cnMotionF4* x1,
                         cnMotionF4* x2) {
    x1->angular = cnMulAddVecF4(x1->angular, cnMul4(row->share1, impulse), moments->of1);
    x2->angular = cnMulSubVecF4(x2->angular, cnMul4(row->share2, impulse), moments->of2);
}

// G W Gᵀ of a point's row (position_correction.c); `linear` is the part of its linear row.
static cnF4 GetMobility(const PushRow* row, cnF4 linear, const cnMoments* moments) {
    cnF4 with1 = cnMulAdd4(linear, row->share1, cnDotF4(moments->of1, moments->of1));
    return cnMulAdd4(with1, row->share2, cnDotF4(moments->of2, moments->of2));
}

static bool IsPushedOut(const cnPair* pair, const cnIsland* island) {
    uint32_t both = cn_pairLimitedCorrection | cn_pairTouching;
    return (pair->flags & both) == both && !cnIsland_SweepsJoints(island);
}

static void ReadContact(const cnSolve* solve, int contact, int lane, PushSource* source) {
    const cnSolverContact* of = &solve->contacts[contact];
    const cnIsland* island = &solve->islands[of->island];
    const cnPair* pair = cnPairTable_Get(solve->pairs, of->pair);
    if (!IsPushedOut(pair, island)) {
        return;
    }
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        source->depth[i][lane] =
            of->row >= 0 ? (float)solve->contactRows[of->row].points[i].depth : pair->manifold.depths[i];
    }
    source->points[lane] = (float)pair->manifold.pointCount;
    source->isLoaded[lane] = cnPair_AreRowsLoaded(pair, island->large) ? 1.0f : 0.0f;
    source->isLarge[lane] = island->large ? 1.0f : 0.0f;
    source->limit[lane] = (float)(pair->correctionLimit * solve->h);
    if ((pair->flags & cn_pairWasCorrected) != 0 && !solve->settings.disableWarmStart) {
        for (int i = 0; i < pair->manifold.pointCount; ++i) {
            source->before[i][lane] = pair->correction[i];
        }
    }
}

// What has come to rest, and is out as good as that matters, is not limited from now on.
static void Release(const cnSolve* solve, const cnContactBlock* block, const PushSource* source, int lanes) {
    for (int lane = 0; lane < CN_LANES; ++lane) {
        if ((lanes >> lane & 1) != 0 && source->points[lane] > 0.0f) {
            cnPair* pair = cnPairTable_Get(solve->pairs, solve->contacts[block->contact[lane]].pair);
            pair->flags &= ~(uint32_t)(cn_pairLimitedCorrection | cn_pairDeep);
        }
    }
}

// The rows of a block; in piles only those that have a way to go.
static void LoadBlock(const cnSweptBatch* batch, cnPushBlock* pushed) {
    const cnSolve* solve = batch->solve;
    const cnSweptBody* bodies = batch->bodies.bodies;
    const cnContactBlock* block = cnContactBlocks_Get(&batch->blocks, pushed->block);
    PushSource source;
    memset(&source, 0, sizeof source);
    for (int lane = 0; lane < CN_LANES; ++lane) {
        if (block->contact[lane] >= 0) {
            ReadContact(solve, block->contact[lane], lane, &source);
        }
    }
    cnStore4(pushed->share1, GetShares(batch, block->body1));
    cnStore4(pushed->share2, GetShares(batch, block->body2));
    cnMotionF4 v1 = cnGatherVelocities(bodies, block->body1), v2 = cnGatherVelocities(bodies, block->body2);
    cnMotionF4 x1 = cnGatherDisplacements(bodies, block->body1);
    cnMotionF4 x2 = cnGatherDisplacements(bodies, block->body2);
    PushRow row = MakePushRow(batch, pushed);
    cnF4 linearShift = cnLinearRow_GetSpeed(&row.linear, &x1, &x2);
    cnF4 linearSpeed = cnLinearRow_GetSpeed(&row.linear, &v1, &v2);
    cnF4 linearMobility = cnLinearRow_GetMobility(&row.linear, row.linear.direction);
    cnF4 zero = cnZero4(), h = cnSplat4((float)solve->h), substep = cnSplat4((float)solve->substep);
    cnF4 gamma4 = cnMul4(cnSplat4(4.0f), cnLoad4(block->gamma));
    cnF4 share = cnMin4(cnMul4(cnSplat4((float)solve->substeps), gamma4), cnSplat4(1.0f));
    cnF4 left = cnSub4(cnSplat4(1.0f), share);
    cnF4 perGamma = cnDiv4(substep, gamma4), yield = cnMul4(cnLoad4(block->sigma), perGamma);
    cnF4 integral = cnMul4(cnSplat4(CN_INTEGRAL_SHARE), cnLoad4(block->integralImpulse));
    cnF4 bend = cnMul4(cnLoad4(block->curvature), substep), compliance = cnMul4(yield, substep);
    cnF4 points = cnLoad4(source.points), limit = cnLoad4(source.limit);
    cnF4 isLoaded = cnGreater4(cnLoad4(source.isLoaded), zero);
    cnF4 isLarge = cnGreater4(cnLoad4(source.isLarge), zero);
    cnF4 isBusy = zero; // some point is fast, or not out
    for (int p = 0; p < block->pointCount; ++p) {
        const cnPointLanes* point = &block->points[p];
        cnMoments moments = cnMoments_OfPoint(point);
        cnF4 has = cnLess4(cnSplat4((float)p), points);
        cnF4 start = cnLoad4(point->startVelocity), impulse = cnLoad4(point->impulse);
        cnF4 shift = cnAdd4(linearShift, cnMoments_GetSpeed(&moments, &x1, &x2));
        cnF4 moved = cnMulAdd4(shift, h, cnSub4(start, bend));
        cnF4 own =
            cnMul4(cnMul4(cnLoad4(point->softening), perGamma), cnSub4(impulse, cnMin4(impulse, integral)));
        cnF4 stored = cnMax4(zero, cnMulAdd4(own, impulse, yield));
        cnF4 excess = cnSub4(cnSub4(cnLoad4(source.depth[p]), moved), stored);
        cnF4 inverse = cnLoad4(point->inverseRelaxed);
        cnF4 release = cnMul4(cnSplat4((float)CN_OUT_SPEED), cnSqrt4(cnMul4(inverse, compliance)));
        cnF4 isOut = cnLess4(excess, cnMulAdd4(release, cnSplat4((float)CN_OUT_SHARE), stored));
        cnF4 speed = cnAbs4(cnAdd4(cnAdd4(start, linearSpeed), cnMoments_GetSpeed(&moments, &v1, &v2)));
        cnF4 isSlow = cnLess4(speed, cnSplat4((float)CN_REST_SPEED));
        isBusy = cnOr4(isBusy, cnAndNot4(has, cnAnd4(isSlow, cnOr4(isOut, isLoaded))));
        cnF4 target = cnMin4(cnMul4(share, excess), limit);
        cnF4 before = cnMul4(left, cnLoad4(source.before[p]));
        cnF4 hasNoWay = cnAnd4(cnLessEqual4(target, zero), cnLessEqual4(before, zero));
        cnF4 isIdle = cnOr4(isLoaded, cnAnd4(isLarge, hasNoWay));
        cnStore4(pushed->target[p], target);
        cnF4 mobility = cnMax4(GetMobility(&row, linearMobility, &moments), cnSplat4(FLT_MIN));
        cnF4 perMobility = cnAndNot4(cnAnd4(has, cnGreater4(inverse, zero)), isIdle);
        cnStore4(pushed->inverse[p], cnAnd4(cnDiv4(cnSplat4(1.0f), mobility), perMobility));
        cnStore4(pushed->impulse[p], cnAndNot4(before, isLoaded));
    }
    Release(solve, block, &source, ~cnMoveMask4(isBusy));
}

static void LoadBlocks(int begin, int end, int thread, void* context) {
    (void)thread;
    const PushSweep* sweep = context;
    for (int i = begin; i < end; ++i) {
        LoadBlock(sweep->batch, &sweep->pushed[i]);
    }
}

// ---- sweeps -----------------------------------------------------------------------------------------------

static void PushBlocks(int begin, int end, int thread, void* context) {
    (void)thread;
    const PushSweep* sweep = context;
    cnSweptBody* bodies = sweep->batch->bodies.bodies;
    cnF4 zero = cnZero4();
    for (int i = begin; i < end; ++i) {
        cnPushBlock* pushed = &sweep->pushed[i];
        const cnContactBlock* block = cnContactBlocks_Get(&sweep->batch->blocks, pushed->block);
        cnMotionF4 x1 = cnGatherPushes(bodies, block->body1), x2 = cnGatherPushes(bodies, block->body2);
        PushRow row = MakePushRow(sweep->batch, pushed);
        cnF4 mobility = cnLinearRow_GetMobility(&row.linear, row.linear.direction);
        cnF4 shift = cnLinearRow_GetSpeed(&row.linear, &x1, &x2), pressed = zero;
        for (int p = 0; p < block->pointCount; ++p) {
            cnMoments moments = cnMoments_OfPoint(&block->points[p]);
            cnF4 moved = cnAdd4(shift, cnMoments_GetSpeed(&moments, &x1, &x2));
            cnF4 missing = cnSub4(cnLoad4(pushed->target[p]), moved), impulse = cnLoad4(pushed->impulse[p]);
            cnF4 updated = cnMax4(zero, cnMulAdd4(impulse, missing, cnLoad4(pushed->inverse[p])));
            cnF4 change = cnSub4(updated, impulse);
            cnStore4(pushed->impulse[p], updated);
            ApplyMoments(&row, &moments, change, &x1, &x2);
            shift = cnMulAdd4(shift, mobility, change);
            pressed = cnAdd4(pressed, change);
        }
        cnLinearRow_Apply(&row.linear, pressed, &x1, &x2);
        cnScatterPushes(bodies, block->body1, x1);
        cnScatterPushes(bodies, block->body2, x2);
    }
}

// Pushes by the impulses that blocks begin with.
static void WarmStartBlocks(int begin, int end, int thread, void* context) {
    (void)thread;
    const PushSweep* sweep = context;
    cnSweptBody* bodies = sweep->batch->bodies.bodies;
    for (int i = begin; i < end; ++i) {
        const cnPushBlock* pushed = &sweep->pushed[i];
        const cnContactBlock* block = cnContactBlocks_Get(&sweep->batch->blocks, pushed->block);
        cnMotionF4 x1 = cnGatherPushes(bodies, block->body1), x2 = cnGatherPushes(bodies, block->body2);
        PushRow row = MakePushRow(sweep->batch, pushed);
        cnF4 pressed = cnZero4();
        for (int p = 0; p < block->pointCount; ++p) {
            cnMoments moments = cnMoments_OfPoint(&block->points[p]);
            cnF4 impulse = cnLoad4(pushed->impulse[p]);
            ApplyMoments(&row, &moments, impulse, &x1, &x2);
            pressed = cnAdd4(pressed, impulse);
        }
        cnLinearRow_Apply(&row.linear, pressed, &x1, &x2);
        cnScatterPushes(bodies, block->body1, x1);
        cnScatterPushes(bodies, block->body2, x2);
    }
}

static void ClearPushes(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSweptBodies* swept = &((const PushSweep*)context)->batch->bodies;
    for (int place = begin; place < end; ++place) {
        memset(&swept->bodies[place].push, 0, sizeof swept->bodies[place].push);
    }
}

static void MoveBodies(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSweptBodies* swept = &((const PushSweep*)context)->batch->bodies;
    for (int place = begin; place < end; ++place) {
        cnMotion6* x = &swept->bodies[place].displacement;
        const cnMotion6* push = &swept->bodies[place].push;
        cnStore4(x->linear, cnAdd4(cnLoad4(x->linear), cnLoad4(push->linear)));
        cnStore4(x->angular, cnAdd4(cnLoad4(x->angular), cnLoad4(push->angular)));
    }
}

// For the next step.
static void StoreImpulses(int begin, int end, int thread, void* context) {
    (void)thread;
    const PushSweep* sweep = context;
    const cnSolve* solve = sweep->batch->solve;
    for (int i = begin; i < end; ++i) {
        const cnPushBlock* pushed = &sweep->pushed[i];
        const cnContactBlock* block = cnContactBlocks_Get(&sweep->batch->blocks, pushed->block);
        for (int lane = 0; lane < CN_LANES; ++lane) {
            if (block->contact[lane] < 0) {
                continue;
            }
            cnPair* pair = cnPairTable_Get(solve->pairs, solve->contacts[block->contact[lane]].pair);
            for (int p = 0; p < pair->manifold.pointCount; ++p) {
                pair->correction[p] = pushed->impulse[p][lane];
                pair->flags |= pair->correction[p] > 0.0f ? (uint32_t)cn_pairCorrected : 0u;
            }
        }
    }
}

// The blocks that have something to do, in runs.
static void ListBlocks(const cnContactBlocks* blocks, cnPushBlock* pushed, cnBlockRuns* runs) {
    int count = 0;
    *runs = *blocks->runs;
    for (int run = 0; run < runs->count; ++run) {
        runs->starts[run] = count;
        for (int b = blocks->runs->starts[run]; b < blocks->runs->starts[run + 1]; ++b) {
            if (cnContactBlocks_Get(blocks, b)->limited) {
                pushed[count++].block = b;
            }
        }
    }
    runs->starts[runs->count] = count;
}

void cnSweepPositions(cnSweptBatch* batch, cnPushBlock* room) {
    cnBlockRuns runs;
    ListBlocks(&batch->blocks, room, &runs);
    if (runs.starts[runs.count] == 0) {
        return;
    }
    PushSweep sweep = {.batch = batch, .pushed = room};
    cnThreadPool_Run(batch->threads, ClearPushes, &sweep, batch->bodies.count, CN_BODY_CHUNK);
    cnRunOverBlocks(batch->threads, &runs, AddLoads, &sweep);
    cnRunOverBlocksApart(batch->threads, &runs, LoadBlocks, &sweep);
    cnRunOverBlocks(batch->threads, &runs, WarmStartBlocks, &sweep);
    for (int i = 0; i < CN_SWEEPS; ++i) {
        cnRunOverBlocks(batch->threads, &runs, PushBlocks, &sweep);
    }
    cnRunOverBlocksApart(batch->threads, &runs, StoreImpulses, &sweep);
    cnThreadPool_Run(batch->threads, MoveBodies, &sweep, batch->bodies.count, CN_BODY_CHUNK);
}
