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
static bool SweepSharedBatch(cnSolve* solve, cnSweepBatches* batches, cnJointGroups* groups) {
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
        !cnContactBlocks_Make(&batch.blocks, batches, solve->stack, first->blockCount, first->specialCount) ||
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

// ---- batches of small islands, converged islands ----------------------------------------------------------

// What a thread has for one batch after the other.
typedef struct BatchRoom {
    cnSweptBodies bodies;
    cnContactBlocks blocks;
    cnBlockCut* cuts;
    cnPushBlock* pushed;
} BatchRoom;

// Tasks that share nothing: the converged islands, some of which take long, then the batches.
typedef struct ApartTasks {
    cnSolve* solve;
    cnConvergedIslands* converged;
    int convergedCount;
    const cnSweepBatches* batches;
    BatchRoom rooms[CN_MAX_THREADS];
} ApartTasks;

// A batch writes to its own bodies and pairs only.
static void SweepSmallBatch(const ApartTasks* tasks, int which, int thread) {
    const cnSweepBatches* batches = tasks->batches;
    const BatchRoom* room = &tasks->rooms[thread];
    const cnSweepBatch* of = &batches->list.data[which];
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

static void SolveApart(int begin, int end, int thread, void* context) {
    const ApartTasks* tasks = context;
    for (int i = begin; i < end; ++i) {
        if (i < tasks->convergedCount) {
            cnConvergedIslands_Solve(tasks->converged, i, thread);
        } else {
            SweepSmallBatch(tasks, i - tasks->convergedCount + 1, thread);
        }
    }
}

// False when memory ran out.
static bool PushBatchRooms(ApartTasks* tasks, cnSweepBatches* batches) {
    cnStack* stack = tasks->solve->stack;
    int threads = cnThreadPool_GetThreads(tasks->solve->threads);
    int bodies = batches->maxBodies + 1, blocks = batches->maxBlocks, special = batches->maxSpecial;
    BatchRoom all = {.pushed = CN_PUSH(stack, cnPushBlock, threads * blocks, "blocks of push-out")};
    all.cuts = CN_PUSH(stack, cnBlockCut, threads * blocks, "cuts into blocks");
    if (all.pushed == NULL || all.cuts == NULL ||
        !cnSweptBodies_Make(&all.bodies, stack, threads * bodies, batches->isDamped) ||
        !cnContactBlocks_Make(&all.blocks, batches, stack, threads * blocks, threads * special)) {
        return false;
    }
    for (int thread = 0; thread < threads; ++thread) {
        tasks->rooms[thread] = (BatchRoom){
            .bodies = cnSweptBodies_GetPart(&all.bodies, thread * bodies, bodies),
            .blocks = cnContactBlocks_GetPart(&all.blocks, thread * blocks, thread * special),
            .cuts = all.cuts + thread * blocks,
            .pushed = all.pushed + thread * blocks,
        };
    }
    return true;
}

static bool SolveIslandsApart(cnSolve* solve, cnSweepBatches* batches) {
    int batchCount = batches->list.count - 1, entries = solve->stack->entryCount;
    ApartTasks tasks = {.solve = solve, .batches = batches};
    if (solve->statistics.convergedIslands > 0) {
        tasks.converged = cnConvergedIslands_Prepare(solve);
        if (tasks.converged == NULL) {
            return false;
        }
        tasks.convergedCount = cnConvergedIslands_GetCount(tasks.converged);
    }
    if (batchCount > 0 && !PushBatchRooms(&tasks, batches)) {
        return false;
    }
    cnThreadPool_Run(solve->threads, SolveApart, &tasks, tasks.convergedCount + batchCount, 1);
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
           SweepSharedBatch(solve, batches, &groups) && SolveIslandsApart(solve, batches);
}
