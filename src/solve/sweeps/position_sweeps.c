// Position correction of swept contacts (position_correction.c), over the blocks that they were swept in.
#include "base/report/assert.h"
#include "solve/contact_rows.h"
#include "solve/sweeps/row_lanes.h"

#include <string.h>

#define CN_SWEEPS 4
#define CN_PUSH_CHUNK 8

// A block with contacts whose position correction is limited.
typedef struct PushBlock {
    int block;
    cnLanes target[CN_MANIFOLD_POINTS];  // m, ways to go along the normal
    cnLanes impulse[CN_MANIFOLD_POINTS]; // of the ways, kg m
    cnLanes inverse[CN_MANIFOLD_POINTS]; // 1/D; 0 where the lane has no such row
} PushBlock;

typedef struct PushSweep {
    cnSolve* solve;
    const cnContactBlocks* blocks;
    PushBlock* pushed;
    int first; // of the colour
    cnMotion6* pushes;
} PushSweep;

// ---- ways to go -------------------------------------------------------------------------------------------

// Lane by lane.
typedef struct PushSource {
    cnLanes depth[CN_MANIFOLD_POINTS]; // m, at the start of the step
    cnLanes points;                    // that have a row; 0 of what is not pushed out
    cnLanes isLoaded, isLarge;         // 1, else 0
    cnLanes limit;                     // m
    cnLanes compliance;
} PushSource;

static bool IsPushedOut(const cnContactRows* rows, const cnIsland* island) {
    uint32_t both = cn_pairLimitedCorrection | cn_pairTouching;
    return (rows->of.flags & both) == both && !cnIsland_SweepsJoints(island);
}

static void ReadContact(const cnSolve* solve, int contact, int lane, PushSource* source) {
    const cnContactRows* rows = cnSolve_GetRows(solve, contact);
    const cnIsland* island = &solve->islands[solve->contacts[contact].island];
    if (!IsPushedOut(rows, island)) {
        return;
    }
    for (int i = 0; i < rows->pointCount; ++i) {
        source->depth[i][lane] = (float)rows->points[i].depth;
    }
    source->points[lane] = (float)rows->pointCount;
    source->isLoaded[lane] = cnContactRows_AreLoaded(rows, island->large) ? 1.0f : 0.0f;
    source->isLarge[lane] = island->large ? 1.0f : 0.0f;
    source->limit[lane] = (float)(rows->of.correctionLimit * solve->h);
    source->compliance[lane] = (float)rows->compliance;
}

// What has come to rest, and is out as good as that matters, is not limited from now on.
static void Release(const cnSolve* solve, const cnContactBlock* block, const PushSource* source, int lanes) {
    for (int lane = 0; lane < CN_LANES; ++lane) {
        if ((lanes >> lane & 1) != 0 && source->points[lane] > 0.0f) {
            cnContactRows* rows = cnSolve_GetRows(solve, block->contact[lane]);
            cnContactRows_SetFlags(rows, cn_pairLimitedCorrection | cn_pairDeep, false);
        }
    }
}

static cnBlockMass LoadMass(const PushSweep* sweep, int block) {
    const cnContactBlocks* blocks = sweep->blocks;
    return cnLoadBlockMass(&blocks->blocks[block], blocks->anisotropic ? &blocks->anisotropic[block] : NULL);
}

// The rows of a block; in piles only those that have a way to go.
static void LoadBlock(const PushSweep* sweep, PushBlock* pushed) {
    const cnSolve* solve = sweep->solve;
    const cnContactBlock* block = &sweep->blocks->blocks[pushed->block];
    PushSource source;
    memset(&source, 0, sizeof source);
    for (int lane = 0; lane < CN_LANES; ++lane) {
        if (block->contact[lane] >= 0) {
            ReadContact(solve, block->contact[lane], lane, &source);
        }
    }
    cnMotionF4 v1 = cnGatherMotions(solve->solver.velocity, block->body1);
    cnMotionF4 v2 = cnGatherMotions(solve->solver.velocity, block->body2);
    cnMotionF4 x1 = cnGatherMotions(solve->solver.displacement, block->body1);
    cnMotionF4 x2 = cnGatherMotions(solve->solver.displacement, block->body2);
    cnBlockMass mass = LoadMass(sweep, pushed->block);
    cnVecF4 normal = cnLoadVecF4(block->normal);
    cnVecF4 linear1 = cnBlockMass_Respond1(&mass, normal), linear2 = cnBlockMass_Respond2(&mass, normal);
    cnF4 zero = cnZero4(), h = cnSplat4((float)solve->h), substep = cnSplat4((float)solve->substep);
    cnF4 gamma4 = cnMul4(cnSplat4(4.0f), cnLoad4(block->gamma));
    cnF4 share = cnMin4(cnMul4(cnSplat4((float)solve->substeps), gamma4), cnSplat4(1.0f));
    cnF4 perGamma = cnDiv4(substep, gamma4), yield = cnMul4(cnLoad4(block->sigma), perGamma);
    cnF4 integral = cnMul4(cnSplat4(CN_INTEGRAL_SHARE), cnLoad4(block->integralImpulse));
    cnF4 bend = cnMul4(cnLoad4(block->curvature), substep), compliance = cnLoad4(source.compliance);
    cnF4 points = cnLoad4(source.points), limit = cnLoad4(source.limit);
    cnF4 isLoaded = cnGreater4(cnLoad4(source.isLoaded), zero);
    cnF4 isLarge = cnGreater4(cnLoad4(source.isLarge), zero);
    cnF4 isBusy = zero; // some point is fast, or not out
    for (int p = 0; p < block->pointCount; ++p) {
        const cnPointLanes* point = &block->points[p];
        cnRow4 row = cnRow4_OfPoint(point, normal, linear1, linear2);
        cnF4 has = cnLess4(cnSplat4((float)p), points);
        cnF4 start = cnLoad4(point->startVelocity), impulse = cnLoad4(point->impulse);
        cnF4 moved = cnMulAdd4(cnRow4_GetVelocity(&row, &x1, &x2), h, cnSub4(start, bend));
        cnF4 own = cnMul4(cnMul4(cnLoad4(point->softening), perGamma), cnSub4(impulse, integral));
        cnF4 stored = cnMax4(zero, cnMulAdd4(own, impulse, yield));
        cnF4 excess = cnSub4(cnSub4(cnLoad4(source.depth[p]), moved), stored);
        cnF4 inverse = cnLoad4(point->inverseRelaxed);
        cnF4 release = cnMul4(cnSplat4((float)CN_OUT_SPEED), cnSqrt4(cnMul4(inverse, compliance)));
        cnF4 isOut = cnLess4(excess, cnMulAdd4(release, cnSplat4((float)CN_OUT_SHARE), stored));
        cnF4 speed = cnAbs4(cnAdd4(start, cnRow4_GetVelocity(&row, &v1, &v2)));
        cnF4 isSlow = cnLess4(speed, cnSplat4((float)CN_REST_SPEED));
        isBusy = cnOr4(isBusy, cnAndNot4(has, cnAnd4(isSlow, cnOr4(isOut, isLoaded))));
        cnF4 target = cnMin4(cnMul4(share, excess), limit);
        cnF4 isIdle = cnOr4(isLoaded, cnAnd4(isLarge, cnLessEqual4(target, zero)));
        cnStore4(pushed->target[p], target);
        cnStore4(pushed->inverse[p], cnAndNot4(cnAnd4(has, inverse), isIdle));
        cnStore4(pushed->impulse[p], zero);
    }
    Release(solve, block, &source, ~cnMoveMask4(isBusy));
}

static void LoadBlocks(int begin, int end, int thread, void* context) {
    (void)thread;
    const PushSweep* sweep = context;
    for (int i = begin; i < end; ++i) {
        LoadBlock(sweep, &sweep->pushed[i]);
    }
}

// ---- sweeps -----------------------------------------------------------------------------------------------

static void PushBlocks(int begin, int end, int thread, void* context) {
    (void)thread;
    const PushSweep* sweep = context;
    cnF4 zero = cnZero4();
    for (int i = sweep->first + begin; i < sweep->first + end; ++i) {
        PushBlock* pushed = &sweep->pushed[i];
        const cnContactBlock* block = &sweep->blocks->blocks[pushed->block];
        cnMotionF4 x1 = cnGatherMotions(sweep->pushes, block->body1);
        cnMotionF4 x2 = cnGatherMotions(sweep->pushes, block->body2);
        cnBlockMass mass = LoadMass(sweep, pushed->block);
        cnVecF4 normal = cnLoadVecF4(block->normal);
        cnVecF4 linear1 = cnBlockMass_Respond1(&mass, normal), linear2 = cnBlockMass_Respond2(&mass, normal);
        for (int p = 0; p < block->pointCount; ++p) {
            cnRow4 row = cnRow4_OfPoint(&block->points[p], normal, linear1, linear2);
            cnF4 missing = cnSub4(cnLoad4(pushed->target[p]), cnRow4_GetVelocity(&row, &x1, &x2));
            cnF4 impulse = cnLoad4(pushed->impulse[p]);
            cnF4 updated = cnMax4(zero, cnMulAdd4(impulse, missing, cnLoad4(pushed->inverse[p])));
            cnStore4(pushed->impulse[p], updated);
            cnRow4_Apply(&row, &mass, cnSub4(updated, impulse), &x1, &x2);
        }
        cnScatterMotions(sweep->pushes, block->body1, x1);
        cnScatterMotions(sweep->pushes, block->body2, x2);
    }
}

static void MoveBodies(int begin, int end, int thread, void* context) {
    (void)thread;
    const PushSweep* sweep = context;
    for (int index = begin; index < end; ++index) {
        cnMotion6* x = &sweep->solve->solver.displacement[index];
        const cnMotion6* push = &sweep->pushes[index];
        cnStore4(x->linear, cnAdd4(cnLoad4(x->linear), cnLoad4(push->linear)));
        cnStore4(x->angular, cnAdd4(cnLoad4(x->angular), cnLoad4(push->angular)));
    }
}

// Starts of the colours among the blocks that have something to do.
static int ListBlocks(const cnContactBlocks* blocks, PushBlock* pushed, int* starts) {
    int count = 0;
    for (int colour = 0; colour < blocks->colourCount; ++colour) {
        starts[colour] = count;
        for (int b = blocks->colourStarts[colour]; b < blocks->colourStarts[colour + 1]; ++b) {
            if (blocks->blocks[b].limited) {
                pushed[count++].block = b;
            }
        }
    }
    starts[blocks->colourCount] = count;
    return count;
}

static int CountBlocks(const cnContactBlocks* blocks) {
    int count = 0;
    for (int b = 0; b < blocks->blockCount; ++b) {
        count += blocks->blocks[b].limited;
    }
    return count;
}

bool cnSweepPositions(cnSolve* solve, const cnContactBlocks* blocks) {
    int count = CountBlocks(blocks);
    if (count == 0) {
        return true;
    }
    int bodyCount = solve->solver.count;
    PushSweep sweep = {
        .solve = solve,
        .blocks = blocks,
        .pushed = CN_PUSH(solve->stack, PushBlock, count, "blocks of push-out"),
        .pushes = CN_PUSH(solve->stack, cnMotion6, bodyCount, "push-out"),
    };
    int* starts = CN_PUSH(solve->stack, int, blocks->colourCount + 1, "colours of push-out");
    if (sweep.pushed == NULL || sweep.pushes == NULL || starts == NULL) {
        return false;
    }
    memset(sweep.pushes, 0, (size_t)bodyCount * sizeof *sweep.pushes);
    int listed = ListBlocks(blocks, sweep.pushed, starts);
    CN_ASSERT(listed == count);
    cnThreadPool_Run(solve->threads, LoadBlocks, &sweep, listed, CN_PUSH_CHUNK);
    for (int i = 0; i < CN_SWEEPS; ++i) {
        for (int colour = 0; colour < blocks->colourCount; ++colour) {
            cnThreadPool* threads = colour < blocks->serialColour ? solve->threads : NULL;
            sweep.first = starts[colour];
            cnThreadPool_Run(threads, PushBlocks, &sweep, starts[colour + 1] - starts[colour], CN_PUSH_CHUNK);
        }
    }
    cnThreadPool_Run(solve->threads, MoveBodies, &sweep, bodyCount, 256);
    cnStack_Pop(solve->stack, starts);
    cnStack_Pop(solve->stack, sweep.pushes);
    cnStack_Pop(solve->stack, sweep.pushed);
    return true;
}
