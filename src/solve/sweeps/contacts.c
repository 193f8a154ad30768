// Contacts and joints of all islands: directly, by sweeps, by sweeps of contacts beside groups of joints,
// hard contacts to convergence.
#include "solve/direct/direct_islands.h"
#include "solve/direct/joint_groups.h"
#include "solve/sweeps/contact_blocks.h"
#include "solve/sweeps/converged_contacts.h"
#include "solve/sweeps/joint_blocks.h"

#define CN_LOAD_CHUNK 64

// ---- the batch that threads share -------------------------------------------------------------------------

static void LoadBodies(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSweptBatch* batch = context;
    cnSweptBodies_Load(&batch->bodies, batch->solve, batch->indices, begin, end);
}

static void StoreBodies(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSweptBatch* batch = context;
    cnSweptBodies_Store(&batch->bodies, batch->solve, batch->indices, begin, end);
}

// The first batch, with the joints and groups of joints that take part. False when memory ran out.
static bool SweepSharedBatch(cnSolve* solve, const cnSweepBatches* batches, cnJointGroups* groups) {
    const cnSweepBatch* first = &batches->list.data[0];
    if (first->bodyCount == 0) {
        return true;
    }
    cnSweptBatch batch = {
        .solve = solve,
        .threads = solve->threads,
        .indices = batches->bodies.data + first->firstBody,
        .places = batches->places.data,
        .contacts = batches->contacts.data,
    };
    cnPushBlock* room = CN_PUSH(solve->stack, cnPushBlock, first->blockCount + 1, "blocks of push-out");
    cnJointBlocks joints;
    if (room == NULL ||
        !cnSweptBodies_Make(&batch.bodies, solve->stack, first->bodyCount + 1, batches->isDamped) ||
        !cnContactBlocks_Make(&batch.blocks, solve->stack, first->blockCount, first->specialCount,
                              batches->isAnisotropic) ||
        !cnMakeJointBlocks(solve, batches->places.data, &joints)) {
        return false;
    }
    cnThreadPool_Run(solve->threads, LoadBodies, &batch, batch.bodies.count, CN_LOAD_CHUNK);
    cnJointGroups_JoinSweeps(groups, &batch.bodies, batches->places.data);
    batch.blocks.blockCount = first->blockCount;
    batch.blocks.cuts = batches->cuts.data;
    batch.blocks.runs = &batches->runs;
    cnPackContactBlocks(&batch);
    cnSweepBatch_Run(&batch, &joints, groups);
    cnStoreContactBlocks(&batch);
    cnSweepPositions(&batch, room);
    cnStoreJointBlocks(solve, &joints);
    cnThreadPool_Run(solve->threads, StoreBodies, &batch, batch.bodies.count, CN_LOAD_CHUNK);
    return cnJointGroups_Finish(groups);
}

// ---- batches of small islands -----------------------------------------------------------------------------

// What a thread has for one batch after the other.
typedef struct BatchRoom {
    cnSweptBodies bodies;
    cnContactBlocks blocks;
    cnBlockCut* cuts;
    cnPushBlock* pushed;
} BatchRoom;

typedef struct BatchTasks {
    cnSolve* solve;
    const cnSweepBatches* batches;
    BatchRoom rooms[CN_MAX_THREADS];
} BatchTasks;

// A batch writes to its own bodies and pairs only.
static void SweepBatches(int begin, int end, int thread, void* context) {
    BatchTasks* tasks = context;
    const cnSweepBatches* batches = tasks->batches;
    const BatchRoom* room = &tasks->rooms[thread];
    for (int b = begin + 1; b < end + 1; ++b) {
        const cnSweepBatch* of = &batches->list.data[b];
        cnBlockRuns runs;
        cnSweptBatch batch = {
            .solve = tasks->solve,
            .indices = batches->bodies.data + of->firstBody,
            .places = batches->places.data,
            .contacts = batches->contacts.data,
            .bodies = room->bodies,
            .blocks = room->blocks,
        };
        batch.bodies.count = of->bodyCount + 1;
        LoadBodies(0, batch.bodies.count, 0, &batch);
        cnCutIntoBlocks(batches, of, room->cuts, &runs);
        batch.blocks.blockCount = of->blockCount;
        batch.blocks.cuts = room->cuts;
        batch.blocks.runs = &runs;
        cnPackContactBlocks(&batch);
        cnSweepBatch_Run(&batch, NULL, NULL);
        cnStoreContactBlocks(&batch);
        cnSweepPositions(&batch, room->pushed);
        StoreBodies(0, batch.bodies.count, 0, &batch);
    }
}

static bool SweepSmallBatches(cnSolve* solve, const cnSweepBatches* batches) {
    int count = batches->list.count - 1, entries = solve->stack->entryCount;
    if (count == 0) {
        return true;
    }
    int threads = cnThreadPool_GetThreads(solve->threads);
    int bodies = batches->maxBodies + 1, blocks = batches->maxBlocks, special = batches->maxSpecial;
    BatchTasks tasks = {.solve = solve, .batches = batches};
    BatchRoom all = {.pushed = CN_PUSH(solve->stack, cnPushBlock, threads * blocks, "blocks of push-out")};
    all.cuts = CN_PUSH(solve->stack, cnBlockCut, threads * blocks, "cuts into blocks");
    if (all.pushed == NULL || all.cuts == NULL ||
        !cnSweptBodies_Make(&all.bodies, solve->stack, threads * bodies, batches->isDamped) ||
        !cnContactBlocks_Make(&all.blocks, solve->stack, threads * blocks, threads * special,
                              batches->isAnisotropic)) {
        return false;
    }
    for (int thread = 0; thread < threads; ++thread) {
        tasks.rooms[thread] = (BatchRoom){
            .bodies = cnSweptBodies_GetPart(&all.bodies, thread * bodies, bodies),
            .blocks = cnContactBlocks_GetPart(&all.blocks, thread * blocks, thread * special),
            .cuts = all.cuts + thread * blocks,
            .pushed = all.pushed + thread * blocks,
        };
    }
    cnThreadPool_Run(solve->threads, SweepBatches, &tasks, count, 1);
    cnStack_PopTo(solve->stack, entries);
    return true;
}

// ---- all islands ------------------------------------------------------------------------------------------

bool cnSolve_Contacts(cnSolve* solve) {
    if (solve->statistics.impactRounds > 0) {
        cnSolve_PrepareBodies(solve);
    }
    cnFactorPool_Release(solve->direct);

    // directly first: what turns out over budget becomes groups
    cnJointGroups groups;
    cnSweepBatches* batches = solve->batches;
    if (!cnSolveDirectIslands(solve) || !cnMakeJointGroups(solve, &groups, solve->statistics.directIslands)) {
        return false;
    }
    cnSolve_AlignVelocities(solve);
    return cnSolve_WeighIslands(solve) && cnMakeSweepBatches(solve, batches) &&
           SweepSharedBatch(solve, batches, &groups) && SweepSmallBatches(solve, batches) &&
           (solve->statistics.convergedIslands == 0 || cnSolveConvergedIslands(solve));
}
