// Batches of islands that are swept together.
//
// A sweep goes over all contacts of an island, some dozen times a step, so what it goes over should fit a
// cache. An island of thousands of contacts does not, and all threads work on it, each on parts of it
// (sweep_parts.h). A thousand small islands need not go over memory together, though: they come in batches of
// about a hundred contacts, each of which one thread packs, sweeps through all sub-steps and stores, in the
// same room, before it takes the next. Lanes do not touch one another, so a contact comes out the same in any
// batch.
//
// The first batch has the large islands, and those whose joints take part in the sweeps.
//
// Batches are kept with the constraint graph that they are of, and used again while its islands are solved by
// the same and the first one is divided in the same way: a hint, as the graph is.
#pragma once

#include "base/containers/paged_array.h"
#include "solve/contact_order.h"
#include "solve/lanes/motion_lanes.h"
#include "solve/sweeps/sweep_parts.h"

typedef struct cnSweepBatch {
    int firstContact, contactCount; // of cnSweepBatches.contacts
    int firstBody, bodyCount;       // of cnSweepBatches.bodies
    int blockCount, specialCount;   // that its contacts fill; of these with special friction
    int levels;                     // of the tree that it is divided by (sweep_parts.h)
} cnSweepBatch;

// Which contacts fill a block: up to CN_LANES of one colour of a node, side by side.
typedef struct cnBlockCut {
    int first, count; // of the places of contacts
    int special;      // which block with special friction it is, −1
} cnBlockCut;

// Blocks in runs: one for each node of the batch's tree but the last, then one for each colour of the last.
// Runs come in this order. Those of the nodes of one level touch different bodies, and so do the blocks of
// a colour.
#define CN_MAX_RUNS (CN_MAX_NODES - 1 + 2 * CN_COLOURS + 1)
typedef struct cnBlockRuns {
    int levels; // of the tree
    int count;
    int serial;                  // in this run and those after it blocks may share bodies
    int starts[CN_MAX_RUNS + 1]; // count + 1
} cnBlockRuns;

struct cnContactBlock;

typedef struct cnSweepBatches {
    CN_ARRAY(cnSweepBatch) list;       // one at least
    CN_ARRAY(cnContactPlace) contacts; // batch after batch, by nodes and colours
    CN_ARRAY(int) bodies;              // solver indices, batch after batch, by parts, ascending within one
    CN_ARRAY(int) places;              // by solver index: a body's place in its batch, from 1 on; 0 outside
    CN_ARRAY(cnBlockCut) cuts;         // of the first batch
    cnBlockRuns runs;                  // likewise
    int maxBlocks, maxSpecial, maxBodies; // of the others
    int colours;
    bool isAnisotropic; // some body in this step: its inverse mass differs along its axes
    bool isDamped;      // likewise
    CN_PAGED_ARRAY(struct cnContactBlock) room; // for blocks while their batch is swept (contact_blocks.h)

    // what they are of
    int64_t version;           // of the graph; 0: nothing is kept
    CN_ARRAY(int) batchOf;     // by island, −1 of one that is not swept
    CN_ARRAY(bool) areSpecial; // by contact: its friction
    CN_ARRAY(int) ascending;   // bodies of the first batch, if it is divided
    CN_ARRAY(uint8_t) parts;   // by solver index, likewise
} cnSweepBatches;

void cnSweepBatches_Free(cnSweepBatches* batches);

// Of the islands that are swept or have groups. False when memory ran out.
bool cnMakeSweepBatches(cnSolve* solve, cnSweepBatches* batches);

// Cuts the contacts of a batch into as many blocks as it has.
void cnCutIntoBlocks(const cnSweepBatches* batches, const cnSweepBatch* batch, cnBlockCut* cuts,
                     cnBlockRuns* runs);
