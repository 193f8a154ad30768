#include "base/id_pool.h"

#include "base/hash.h"

#include <assert.h>

#define LIVE_BIT 0x8000u
#define GENERATION_MASK ((1u << CN_GENERATION_BITS) - 1u)
#define ROW_MASK ((uint32_t)CN_MAX_ROWS - 1u)

_Static_assert(CN_GENERATION_BITS < 16, "a generation and its live bit share 16 bits");

static uint16_t cnNextGeneration(uint16_t generation) {
    return generation == GENERATION_MASK ? 1 : (uint16_t)(generation + 1);
}

static uint32_t cnMakeValue(uint32_t generation, int row) {
    return generation << CN_INDEX_BITS | (uint32_t)row;
}

void cnIdPool_Init(cnIdPool* pool, uint32_t seed) {
    *pool = (cnIdPool){0};
    pool->firstGeneration = (uint16_t)(1 + cnMix64(seed) % GENERATION_MASK);
}

void cnIdPool_Free(cnIdPool* pool) {
    cnArray_Free(&pool->generations);
    cnArray_Free(&pool->freeRows);
    *pool = (cnIdPool){.firstGeneration = pool->firstGeneration};
}

// A row never used before. The ring of free rows gets room for it here, so that releasing cannot fail; it is empty at
// this moment, so it may be moved without care for where it wraps.
static int cnIdPool_AddRow(cnIdPool* pool) {
    assert(pool->freeCount == 0);
    if (pool->rowCount == CN_MAX_ROWS) {
        return -1;
    }
    if (!cnArray_Reserve(&pool->freeRows, pool->rowCount + 1)) {
        return -1;
    }
    pool->freeHead = 0;
    if (!cnArray_Push(&pool->generations, pool->firstGeneration)) {
        return -1;
    }
    return pool->rowCount++;
}

uint32_t cnIdPool_Acquire(cnIdPool* pool) {
    int row;
    if (pool->freeCount > 0) {
        row = pool->freeRows.data[pool->freeHead];
        pool->freeHead = pool->freeHead + 1 == pool->freeRows.capacity ? 0 : pool->freeHead + 1;
        pool->freeCount -= 1;
    } else {
        row = cnIdPool_AddRow(pool);
        if (row < 0) {
            return 0;
        }
    }
    uint16_t generation = pool->generations.data[row];
    pool->generations.data[row] = (uint16_t)(generation | LIVE_BIT);
    pool->liveCount += 1;
    return cnMakeValue(generation, row);
}

int cnIdPool_Find(const cnIdPool* pool, uint32_t value) {
    int row = (int)(value & ROW_MASK);
    if (row >= pool->rowCount) {
        return -1;
    }
    return pool->generations.data[row] == (LIVE_BIT | value >> CN_INDEX_BITS) ? row : -1;
}

void cnIdPool_Release(cnIdPool* pool, uint32_t value) {
    int row = cnIdPool_Find(pool, value);
    assert(row >= 0);
    if (row < 0) {
        return;
    }
    uint16_t next = cnNextGeneration((uint16_t)(value >> CN_INDEX_BITS));
    pool->generations.data[row] = next;
    pool->liveCount -= 1;

    // after 4095 lives the next handle would equal the first one: such a row is never used again
    if (next == pool->firstGeneration) {
        return;
    }
    int tail = pool->freeHead + pool->freeCount;
    if (tail >= pool->freeRows.capacity) {
        tail -= pool->freeRows.capacity;
    }
    pool->freeRows.data[tail] = row;
    pool->freeCount += 1;
}

bool cnIdPool_IsLive(const cnIdPool* pool, int row) {
    return row >= 0 && row < pool->rowCount && (pool->generations.data[row] & LIVE_BIT) != 0;
}

uint32_t cnIdPool_ValueOf(const cnIdPool* pool, int row) {
    assert(cnIdPool_IsLive(pool, row));
    return cnMakeValue(pool->generations.data[row] & GENERATION_MASK, row);
}
