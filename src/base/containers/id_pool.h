// Rows with generations: 20 bits of index, 12 bits of generation, zero is null.
//
// Free rows are reused first in, first out, so a row rests as long as possible before its next life; a row
// whose generation would wrap is retired. Every pool starts its generations at an offset of its own, so a
// handle of one world is rarely valid in another.
#pragma once

#include "base/containers/array.h"
#include "base/report/fault.h"
#include "cairn/id.h"

typedef struct cnIdPool {
    CN_ARRAY(uint16_t) generations; // per row; the top bit tells a live row
    CN_ARRAY(int) freeRows;         // ring buffer
    int freeHead, freeCount;
    int rowCount; // rows ever used
    int liveCount;
    uint16_t firstGeneration; // 1…4095
} cnIdPool;

void cnIdPool_Init(cnIdPool* pool, uint32_t seed);
void cnIdPool_Free(cnIdPool* pool);

// Handle value of a fresh row, 0 when no row can be had (memory or CN_MAX_ROWS).
uint32_t cnIdPool_Acquire(cnIdPool* pool);

// The row of a live handle, -1 for any other value.
int cnIdPool_Find(const cnIdPool* pool, uint32_t value);

// Handles that can be had beside those that live, as far as rows go.
int cnIdPool_GetRoom(const cnIdPool* pool);

// Memory for `count` handles more, at most the room, so that acquiring them cannot fail. False when it ran
// out: then the pool hands out what it would have.
bool cnIdPool_Reserve(cnIdPool* pool, int count);

void cnIdPool_Release(cnIdPool* pool, uint32_t value);

bool cnIdPool_IsLive(const cnIdPool* pool, int row);

// Handle value of a live row.
uint32_t cnIdPool_ValueOf(const cnIdPool* pool, int row);

// Whether counts, generations and free rows agree. `table`: whose rows they are, for the message.
bool cnIdPool_Validate(const cnIdPool* pool, const char* table, cnFault* fault);
