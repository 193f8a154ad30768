// Fork and join over fixed chunks.
//
// Work of `count` items is cut in chunks of a size the caller fixes, never one that depends on the number of threads; a
// chunk is one call. Which thread takes a chunk is open, so a chunk writes only to places of its own and results never
// depend on the number of threads. Workers spin for a moment and then sleep; small work runs on the caller alone.
#pragma once

#include "base/allocator.h"

#define CN_MAX_THREADS 32

typedef struct cnThreadPool cnThreadPool;

// Items begin … end−1; `thread` is 0…threads−1, 0 the caller, for scratch memory only.
typedef void cnTask(int begin, int end, int thread, void* context);

// A pool of `threads` threads with the caller; 1 makes no thread. Builds without threads run everything on the caller.
// Null when memory or threads cannot be had.
cnThreadPool* cnThreadPool_Create(int threads);
void cnThreadPool_Destroy(cnThreadPool* pool);
int cnThreadPool_GetThreads(const cnThreadPool* pool);

// Returns when all chunks are done. A null pool runs on the caller.
void cnThreadPool_Run(cnThreadPool* pool, cnTask* task, void* context, int count, int chunk);
