// Factors that islands keep from step to step, while their topology stands, and what solving with bounds
// needs beside them, once a thread.
#pragma once

#include "base/containers/array.h"
#include "base/thread_pool.h"
#include "linear/complementarity.h"

typedef struct cnFactorSlot {
    cnSparseFactor factor;
    int root; // lowest body row of the island; of a group for impacts its complement
    bool used;
} cnFactorSlot;

typedef struct cnFactorPool {
    CN_ARRAY(cnFactorSlot*)
    slots; // each stays where it is: islands and groups point to their factors all through a step
    cnBoxSolver boxes[CN_MAX_THREADS];
} cnFactorPool;

void cnFactorPool_Free(cnFactorPool* pool);
// All factors may be taken again; they keep what they know.
void cnFactorPool_Release(cnFactorPool* pool);
// The factor of an island with this root, its own one of the last step where that is there; `hint` is where
// to look first. Null when memory ran out.
cnSparseFactor* cnFactorPool_Take(cnFactorPool* pool, int root, int hint);
// So that the first threads need no memory for islands up to this size, whichever they solve. False when
// memory ran out.
bool cnFactorPool_ReserveBoxes(cnFactorPool* pool, int threads, int bodyCount, int rowCount);
