#include "solve/sweeps/contact_blocks.h"

#include "base/prefetch.h"
#include "base/report/assert.h"
#include "solve/contact_rows.h"

#include <stdatomic.h>
#include <stddef.h>

// Blocks whose pairs are asked for together.
#define CN_STORE_GROUP 4

// ---- room -------------------------------------------------------------------------------------------------

bool cnContactBlocks_Make(cnContactBlocks* blocks, cnSweepBatches* batches, cnStack* stack, int count,
                          int specialCount) {
    if (!cnPagedArray_Reserve(&batches->room, count)) {
        return false;
    }
    *blocks = (cnContactBlocks){
        .pages = batches->room.pages,
        .special = CN_PUSH(stack, cnSpecialFriction, specialCount, "special friction"),
    };
    if (batches->isAnisotropic) {
        blocks->anisotropic = CN_PUSH(stack, cnAnisotropicMass, count, "anisotropic masses");
    }
    return blocks->special != NULL && (!batches->isAnisotropic || blocks->anisotropic != NULL);
}

// ---- tasks over all blocks --------------------------------------------------------------------------------

#define CN_BLOCK_CHUNK 8

// The nodes of a divided batch but the last one.
typedef struct NodeTask {
    cnTask* task;
    void* context;
    const cnBlockRuns* runs;
    atomic_int halves[CN_MAX_NODES]; // that are done, by node; of parts none
} NodeTask;

// A run of blocks.
typedef struct RunTask {
    cnTask* task;
    void* context;
    int start; // of the run
} RunTask;

static void TakeNode(const NodeTask* of, int node, int thread) {
    const int* starts = of->runs->starts;
    if (starts[node + 1] > starts[node]) {
        of->task(starts[node], starts[node + 1], thread, of->context);
    }
}

// Parts, and what lies between two halves once both are done: who is the second to come goes on with it, and
// nobody waits for a level to end.
static void TakeNodes(int begin, int end, int thread, void* context) {
    NodeTask* of = context;
    for (int part = begin; part < end; ++part) {
        int first = 0, node = part; // of a level, within it
        TakeNode(of, node, thread);
        for (int nodes = 1 << of->runs->levels; nodes > 2; nodes /= 2) {
            first += nodes;
            node /= 2;
            if (atomic_fetch_add_explicit(&of->halves[first + node], 1, memory_order_acq_rel) == 0) {
                break;
            }
            TakeNode(of, first + node, thread);
        }
    }
}

static void TakePart(int begin, int end, int thread, void* context) {
    const RunTask* of = context;
    of->task(of->start + begin, of->start + end, thread, of->context);
}

// The nodes but the last; answers how many.
static int RunOverNodes(cnThreadPool* threads, const cnBlockRuns* runs, cnTask* task, void* context) {
    int parts = 1 << runs->levels;
    if (parts == 1) {
        return 0;
    }
    NodeTask of = {.task = task, .context = context, .runs = runs};
    for (int node = 0; node < CN_MAX_NODES; ++node) {
        atomic_init(&of.halves[node], 0);
    }
    cnThreadPool_Run(threads, TakeNodes, &of, parts, 1);
    return 2 * parts - 2;
}

void cnRunOverBlocks(cnThreadPool* threads, const cnBlockRuns* runs, cnTask* task, void* context) {
    int blockCount = runs->starts[runs->count];
    if (threads == NULL) {
        task(0, blockCount, 0, context);
        return;
    }
    for (int run = RunOverNodes(threads, runs, task, context); run < runs->count; ++run) {
        RunTask of = {.task = task, .context = context, .start = runs->starts[run]};
        int count = runs->starts[run + 1] - of.start;
        cnThreadPool_Run(run < runs->serial ? threads : NULL, TakePart, &of, count, CN_BLOCK_CHUNK);
    }
}

void cnRunOverBlocksApart(cnThreadPool* threads, const cnBlockRuns* runs, cnTask* task, void* context) {
    int blockCount = runs->starts[runs->count];
    if (threads == NULL) {
        task(0, blockCount, 0, context);
        return;
    }
    int run = RunOverNodes(threads, runs, task, context);
    RunTask of = {.task = task, .context = context, .start = runs->starts[run]};
    cnThreadPool_Run(threads, TakePart, &of, blockCount - of.start, CN_BLOCK_CHUNK);
}

// ---- results ----------------------------------------------------------------------------------------------

// Of a contact that may have rows.
static void StoreFriction(const cnContactBlocks* blocks, const cnContactBlock* block, int lane,
                          const cnContactRows* rows, cnPair* pair, float perStep) {
    const cnLanes* impulse = block->frictionImpulse;
    bool isSpecial = block->special >= 0;
    const cnSpecialFriction* special = isSpecial ? &blocks->special[block->special] : NULL;
    cnVec3f normal = {block->normal[0][lane], block->normal[1][lane], block->normal[2][lane]};
    cnVec3f t1 = {block->tangent[0][lane], block->tangent[1][lane], block->tangent[2][lane]};
    cnVec3f t2 = cnCrossF(normal, t1);
    if (isSpecial) {
        t2 = cnScaleF(special->ratio[lane], t2);
    }
    pair->friction = cnAddF(cnScaleF(impulse[0][lane], t1), cnScaleF(impulse[1][lane], t2));
    pair->torsionalFriction = impulse[2][lane];
    pair->frictionForce = cnScaleF(perStep, cnAddF(cnScaleF(block->frictionSum[0][lane], t1),
                                                   cnScaleF(block->frictionSum[1][lane], t2)));
    if (isSpecial && rows != NULL && rows->friction.rolls) {
        pair->rollingFriction = cnToF(cnFrictionAxes_Join(&rows->rolling, special->rollingImpulse[0][lane],
                                                          special->rollingImpulse[1][lane]));
    }
}

static void NoteSliding(const cnContactBlock* block, int lane, const cnSolverContact* contact,
                        const cnContactRows* rows, cnPair* pair, double load, double moment, double h) {
    const double lambda[3] = {block->frictionImpulse[0][lane], block->frictionImpulse[1][lane],
                              block->frictionImpulse[2][lane]};
    if (rows != NULL) {
        cnPair_NoteSliding(pair, &rows->friction, rows->isArea, load, moment, h, lambda);
        return;
    }
    const double mu = block->friction[lane];
    const cnContactFriction friction = {
        .perLoad = {mu, mu},
        .perMoment = block->torsionalFriction[lane],
        .staticScale = contact->staticScale,
    };
    bool isArea = pair->manifold.pointCount > 1 && mu > 0.0;
    cnPair_NoteSliding(pair, &friction, isArea, load, moment, h, lambda);
}

static void StoreContact(const cnSolve* solve, const cnContactBlocks* blocks, const cnContactBlock* block,
                         int lane) {
    const cnSolverContact* contact = &solve->contacts[block->contact[lane]];
    const cnContactRows* rows = contact->row >= 0 ? &solve->contactRows[contact->row] : NULL;
    cnPair* pair = cnPairTable_Get(solve->pairs, contact->pair);
    float perStep = (float)(1.0 / cnSolve_GetForceTime(solve, contact->body1, contact->body2));
    float sum = 0.0f;
    double load = 0.0, moment = 0.0;
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        pair->impulse[i] = block->points[i].impulse[lane];
        pair->normalForce[i] = block->points[i].impulseSum[lane] * perStep;
        sum += block->points[i].impulseSum[lane];
        double pressed = pair->impulse[i] - block->least[lane];
        load += pressed;
        moment += pressed * block->points[i].radius[lane];
    }
    float mean = sum / (float)(pair->manifold.pointCount * solve->substeps);
    pair->integralImpulse += (float)(solve->h / CN_INTEGRAL_TIME) * (mean - pair->integralImpulse);
    if (solve->islands[contact->island].contactCount > CN_CONVERGED_CONTACTS) { // solver_choice.c
        pair->convergedSteps -= (pair->convergedSteps > 0) - (pair->convergedSteps < 0);
    }
    StoreFriction(blocks, block, lane, rows, pair, perStep);
    NoteSliding(block, lane, contact, rows, pair, load, moment, solve->substep);
}

// Each pair belongs to one contact.
static void StoreBlocks(int begin, int end, int thread, void* data) {
    (void)thread;
    const cnSweptBatch* batch = data;
    for (int first = begin; first < end; first += CN_STORE_GROUP) {
        int last = first + CN_STORE_GROUP < end ? first + CN_STORE_GROUP : end;
        for (int b = first; b < last; ++b) {
            cnContactBlock_AskForPairs(cnContactBlocks_Get(&batch->blocks, b), batch->solve);
        }
        for (int b = first; b < last; ++b) {
            const cnContactBlock* block = cnContactBlocks_Get(&batch->blocks, b);
            for (int lane = 0; lane < CN_LANES; ++lane) {
                if (block->contact[lane] >= 0) {
                    StoreContact(batch->solve, &batch->blocks, block, lane);
                }
            }
        }
    }
}

void cnStoreContactBlocks(cnSweptBatch* batch) {
    cnRunOverBlocksApart(batch->threads, batch->blocks.runs, StoreBlocks, batch);
}
