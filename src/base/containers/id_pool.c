#include "base/containers/id_pool.h"

#include "base/containers/hash.h"
#include "base/report/assert.h"

#define LIVE_BIT 0x8000u
#define GENERATION_MASK ((1u << CN_GENERATION_BITS) - 1u)
#define ROW_MASK ((uint32_t)CN_MAX_ROWS - 1u)

_Static_assert(CN_GENERATION_BITS < 16, "a generation and its live bit share 16 bits");

static uint16_t NextGeneration(uint16_t generation) {
    return generation == GENERATION_MASK ? 1 : (uint16_t)(generation + 1);
}

static uint32_t MakeValue(uint32_t generation, int row) {
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

// A row never used before. The ring of free rows gets room for it here, so that releasing cannot fail; it is
// empty at this moment, so it may be moved without care for where it wraps.
static int IdPoolAddRow(cnIdPool* pool) {
    CN_ASSERT(pool->freeCount == 0);
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

int cnIdPool_GetRoom(const cnIdPool* pool) {
    return CN_MAX_ROWS - pool->rowCount + pool->freeCount;
}

bool cnIdPool_Reserve(cnIdPool* pool, int count) {
    CN_ASSERT(count >= 0 && count <= cnIdPool_GetRoom(pool));
    int fresh = count - pool->freeCount;
    int rows = pool->rowCount + (fresh > 0 ? fresh : 0);
    int before = pool->freeRows.capacity;
    if (!cnArray_Reserve(&pool->generations, rows) || !cnArray_Reserve(&pool->freeRows, rows)) {
        return false;
    }

    // where the ring wraps, its second part goes on behind the first
    int wrapped = pool->freeHead + pool->freeCount - before;
    for (int i = 0; pool->freeRows.capacity > before && i < wrapped; ++i) {
        int to = before + i;
        to -= to >= pool->freeRows.capacity ? pool->freeRows.capacity : 0;
        pool->freeRows.data[to] = pool->freeRows.data[i];
    }
    return true;
}

uint32_t cnIdPool_Acquire(cnIdPool* pool) {
    int row;
    if (pool->freeCount > 0) {
        row = pool->freeRows.data[pool->freeHead];
        pool->freeHead = pool->freeHead + 1 == pool->freeRows.capacity ? 0 : pool->freeHead + 1;
        pool->freeCount -= 1;
    } else {
        row = IdPoolAddRow(pool);
        if (row < 0) {
            return 0;
        }
    }
    uint16_t generation = pool->generations.data[row];
    pool->generations.data[row] = (uint16_t)(generation | LIVE_BIT);
    pool->liveCount += 1;
    return MakeValue(generation, row);
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
    CN_ASSERT(row >= 0);
    if (row < 0) {
        return;
    }
    uint16_t next = NextGeneration((uint16_t)(value >> CN_INDEX_BITS));
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
    CN_ASSERT(cnIdPool_IsLive(pool, row));
    return MakeValue(pool->generations.data[row] & GENERATION_MASK, row);
}

// Rows that wait in the free list, and their fingerprint: a sum that no other list of as many rows has but by
// an improbable chance.
typedef struct FreeRows {
    int count;
    uint64_t fingerprint;
} FreeRows;

static void FreeRows_Add(FreeRows* rows, int row) {
    rows->count += 1;
    rows->fingerprint += cnMix64((uint64_t)row + 1);
}

bool cnIdPool_Validate(const cnIdPool* pool, const char* table, cnFault* fault) {
    CN_CHECK(fault, pool->rowCount == pool->generations.count, "%s: %d rows were used, %d have a generation",
             table, pool->rowCount, pool->generations.count);

    // what the generations say; a row whose lives are used up waits nowhere
    int liveCount = 0;
    FreeRows waiting = {0}, listed = {0};
    for (int row = 0; row < pool->rowCount; ++row) {
        uint16_t generation = pool->generations.data[row] & GENERATION_MASK;
        CN_CHECK(fault, generation != 0, "%s: row %d has generation 0", table, row);
        if (cnIdPool_IsLive(pool, row)) {
            liveCount += 1;
        } else if (generation != pool->firstGeneration) {
            FreeRows_Add(&waiting, row);
        }
    }
    CN_CHECK(fault, liveCount == pool->liveCount, "%s: %d rows are live, the live count is %d", table,
             liveCount, pool->liveCount);

    // what the ring holds
    CN_CHECK(fault, pool->freeCount == waiting.count, "%s: the free list has %d rows, %d rows are free",
             table, pool->freeCount, waiting.count);
    CN_CHECK(fault, pool->freeCount == 0 || (pool->freeHead >= 0 && pool->freeHead < pool->freeRows.capacity),
             "%s: the free list starts at %d of %d", table, pool->freeHead, pool->freeRows.capacity);
    for (int i = 0; i < pool->freeCount; ++i) {
        int row = pool->freeRows.data[(pool->freeHead + i) % pool->freeRows.capacity];
        CN_CHECK(fault, row >= 0 && row < pool->rowCount && !cnIdPool_IsLive(pool, row),
                 "%s: the free list names row %d of %d, which is not free", table, row, pool->rowCount);
        FreeRows_Add(&listed, row);
    }
    CN_CHECK(fault, listed.fingerprint == waiting.fingerprint, "%s: the free list names a row twice", table);
    return true;
}
