#include "solve/direct/system/factor_pool.h"

#include "base/report/assert.h"

void cnFactorPool_Free(cnFactorPool* pool) {
    for (int i = 0; i < pool->slots.count; ++i) {
        cnSparseFactor_Free(&pool->slots.data[i]->factor);
        cnFree(pool->slots.data[i], sizeof(cnFactorSlot));
    }
    for (int thread = 0; thread < CN_MAX_THREADS; ++thread) {
        cnBoxSolver_Free(&pool->boxes[thread]);
    }
    // NOLINTNEXTLINE(bugprone-sizeof-expression): pointers are what the array holds
    cnArray_Free(&pool->slots);
}

void cnFactorPool_Release(cnFactorPool* pool) {
    for (int i = 0; i < pool->slots.count; ++i) {
        pool->slots.data[i]->used = false;
    }
}

static cnFactorSlot* FindSlot(cnFactorPool* pool, int root, int hint) {
    CN_ASSERT(hint >= 0);
    for (int i = 0; i < pool->slots.count; ++i) {
        int at = (hint + i) % pool->slots.count;
        if (!pool->slots.data[at]->used && pool->slots.data[at]->root == root) {
            return pool->slots.data[at];
        }
    }
    for (int i = 0; i < pool->slots.count; ++i) {
        if (!pool->slots.data[i]->used) {
            return pool->slots.data[i];
        }
    }
    cnFactorSlot* fresh = cnAllocate(sizeof *fresh);
    // NOLINTNEXTLINE(bugprone-sizeof-expression): pointers are what the array holds
    if (fresh != NULL && !cnArray_Push(&pool->slots, fresh)) {
        cnFree(fresh, sizeof *fresh);
        fresh = NULL;
    }
    return fresh;
}

cnSparseFactor* cnFactorPool_Take(cnFactorPool* pool, int root, int hint) {
    cnFactorSlot* slot = FindSlot(pool, root, hint);
    if (slot == NULL) {
        return NULL;
    }
    slot->used = true;
    slot->root = root;
    return &slot->factor;
}

bool cnFactorPool_ReserveBoxes(cnFactorPool* pool, int threads, int bodyCount, int rowCount) {
    CN_ASSERT(threads >= 1 && threads <= CN_MAX_THREADS);
    bool made = true;
    for (int thread = 0; thread < threads; ++thread) {
        made = cnBoxSolver_Reserve(&pool->boxes[thread], bodyCount, rowCount) && made;
    }
    return made;
}
