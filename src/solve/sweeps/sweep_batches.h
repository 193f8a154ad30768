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
#pragma once

#include "solve/contact_order.h"
#include "solve/sweeps/sweep_parts.h"

typedef struct cnSweepBatch {
    int firstContact, contactCount; // of cnSweepBatches.contacts
    int firstBody, bodyCount;       // of cnSweepBatches.bodies
    int blockCount, specialCount;   // that its contacts fill; of these with special friction
    int levels;                     // of the tree that it is divided by (sweep_parts.h)
} cnSweepBatch;

typedef struct cnSweepBatches {
    cnSweepBatch* list;
    int count;
    cnContactPlace* contacts; // batch after batch, by nodes and colours
    int* bodies;              // solver indices, batch after batch, by parts, ascending within one
    int* places;              // by solver index: a body's place in its batch, from 1 on; 0 outside
    int maxBlocks, maxSpecial, maxBodies; // of the batches but the first
    bool isAnisotropic;                   // some body: its inverse mass differs along its axes
    bool isDamped;                        // some body
} cnSweepBatches;

// Of the islands that are swept or have groups. False when memory ran out.
bool cnMakeSweepBatches(cnSolve* solve, cnSweepBatches* batches);
