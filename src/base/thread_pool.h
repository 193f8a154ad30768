// Fork and join over fixed chunks, by threads that belong to the process.
//
// Work of `count` items is cut in chunks of a size the caller fixes, never one that depends on the number of
// threads; a chunk is one call. Which thread takes a chunk is open, so a chunk writes only to places of its
// own and results never depend on the number of threads. Workers spin for a moment and then sleep; small work
// runs on the caller alone.
//
// Nobody owns a pool. A world borrows one for half a step and returns it, so any number of worlds share the
// same workers, and those that several threads step at once get a pool each. A pool grows to the largest
// number of threads that was asked of it and keeps its workers until cnStopThreads.
#pragma once

#include "base/allocator.h"

#define CN_MAX_THREADS 32

typedef struct cnThreadPool cnThreadPool;

// Items begin … end−1; `thread` is 0…threads−1, 0 the caller, for scratch memory only.
typedef void cnTask(int begin, int end, int thread, void* context);

// Starts the workers that a pool for `threads` threads (the caller included, at most CN_MAX_THREADS) needs,
// so that nobody has to while a step runs. False when threads cannot be had.
bool cnThreadPool_Reserve(int threads);

// A pool that at most `threads` threads work on, the caller included, until it is returned; as many of them
// as can be had. Null, which runs everything on the caller: for one thread, in builds without threads, and
// when all pools are borrowed.
cnThreadPool* cnThreadPool_Borrow(int threads);
void cnThreadPool_Return(cnThreadPool* pool); // null is allowed

// Threads that may work on a borrowed pool, the caller included; 1 for null.
int cnThreadPool_GetThreads(const cnThreadPool* pool);

// Returns when all chunks are done. A null pool runs on the caller.
void cnThreadPool_Run(cnThreadPool* pool, cnTask* task, void* context, int count, int chunk);
