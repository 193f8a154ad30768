// Factors that islands keep from step to step, while their topology stands.
#pragma once

#include "base/containers/array.h"
#include "linear/complementarity.h"

typedef struct cnFactorSlot {
    cnSparseFactor factor;
    int root; // lowest body row of the island; of a group for impacts its complement
    bool used;
} cnFactorSlot;

typedef struct cnFactorPool {
    CN_ARRAY(cnFactorSlot*)
    slots; // each stays where it is: islands and groups point to their factors all through a step
    cnBoxSolver box;
} cnFactorPool;

void cnFactorPool_Free(cnFactorPool* pool);
// All factors may be taken again; they keep what they know.
void cnFactorPool_Release(cnFactorPool* pool);
// The factor of an island with this root, its own one of the last step where that is there; `hint` is where
// to look first. Null when memory ran out.
cnSparseFactor* cnFactorPool_Take(cnFactorPool* pool, int root, int hint);
