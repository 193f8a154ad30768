// syscall() is no part of C17 or POSIX.
#define _GNU_SOURCE

#include "base/thread_pool.h"

#include <assert.h>

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)

// Builds without threads: the pool is a number, and the caller does the work.

struct cnThreadPool {
    int threads;
};

cnThreadPool* cnThreadPool_Create(int threads) {
    (void)threads;
    cnThreadPool* pool = cnAllocate(sizeof *pool);
    if (pool != NULL) {
        pool->threads = 1;
    }
    return pool;
}

void cnThreadPool_Destroy(cnThreadPool* pool) {
    cnFree(pool, sizeof *pool);
}

int cnThreadPool_GetThreads(const cnThreadPool* pool) {
    return pool != NULL ? pool->threads : 1;
}

void cnThreadPool_Run(cnThreadPool* pool, cnTask* task, void* context, int count, int chunk) {
    (void)pool;
    assert(chunk > 0);
    for (int begin = 0; begin < count; begin += chunk) {
        task(begin, chunk < count - begin ? begin + chunk : count, 0, context);
        if (count - begin <= chunk) {
            break; // begin + chunk might not be an int
        }
    }
}

#else

// How a job is handed over
//
// A job is a few words (task, context, count, chunk) and a cursor that packs the job's number with the number of chunks
// left. A thread takes a chunk by lowering the cursor with a compare-exchange from exactly the value it looked at. The
// caller waits for the chunks that were taken, never for a worker to wake up, so a worker that is still loading or not
// scheduled costs nothing, and a pool larger than the machine finishes.
//
//   caller                                        worker
//   job words = …                                 sleeps or spins on `epoch`
//   doneChunks = 0                                look = cursor           (acquire)
//   cursor = {epoch + 1, chunks}  (release)       none left: back to waiting
//   epoch += 1, wake sleepers                     words = job words       (acquire)
//   takes chunks itself                           exchange cursor look → look − 1, or look again
//   spins until doneChunks is all (acquire)       works, at last doneChunks += what it took (release)
//
// A late worker may read words of the next job, or a mixture. It uses them only when its exchange succeeds, and then they
// were right: chunks of the job it looked at were left until that moment, and the caller writes other words only after it
// saw the cursor at none left. That the job is over must show in the cursor itself: with a cursor that counted chunks up,
// a worker could hold the end of the last job against the larger count of the next, and take a chunk too many.
// (The same value comes again after 2^32 jobs; no worker is that late.)
//
// Rejected: counting workers in and out of a job by a barrier, which makes every job as late as the latest worker.

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#if defined(__EMSCRIPTEN__)
#include <emscripten/threading.h>
#elif defined(__linux__)
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <sched.h>
#define CN_WAIT_BY_CONDITION
#endif

// Some 20 µs: longer than the serial passes between the parallel phases of a step, shorter than anyone's frame.
enum {
    spinLimit = 2000
};

// Emscripten gives a thread 64 kB unless told, which a deep collider exceeds.
enum {
    wasmStackBytes = 512 * 1024
};

// Keeps words that different threads write off one cache line. Blocks are aligned to 16 only, so alignment would not do.
enum {
    cacheLine = 64
};

typedef struct cnWorker {
    cnThreadPool* pool;
    pthread_t handle;
    int thread;
} cnWorker;

struct cnThreadPool {
    // the job
    _Atomic(cnTask*) task;
    _Atomic(void*) context;
    atomic_int count;
    atomic_int chunk;
    char gapBeforeCursor[cacheLine];
    _Atomic uint64_t cursor; // job number << 32 | chunks left
    char gapBeforeDone[cacheLine];
    _Atomic uint32_t doneChunks;
    char gapBeforeEpoch[cacheLine];
    _Atomic uint32_t epoch; // job number; what workers wait on
    _Atomic uint32_t sleepers;
    atomic_bool isQuitting;
    char gapAfterEpoch[cacheLine];

    atomic_int owners; // the creator and the workers that run; the last one frees the pool
    int threads;
    cnWorker workers[CN_MAX_THREADS - 1];
#if defined(CN_WAIT_BY_CONDITION)
    pthread_mutex_t mutex;
    pthread_cond_t condition;
#endif
};

static void cnRelax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// Sleeps while the epoch is `seen`; may wake without a cause.
static void cnThreadPool_Sleep(cnThreadPool* pool, uint32_t seen) {
    atomic_fetch_add(&pool->sleepers, 1);
#if defined(__EMSCRIPTEN__)
    __builtin_wasm_memory_atomic_wait32((int*)&pool->epoch, (int)seen, -1);
#elif defined(__linux__)
    syscall(SYS_futex, &pool->epoch, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
#else
    pthread_mutex_lock(&pool->mutex);
    while (atomic_load(&pool->epoch) == seen) {
        pthread_cond_wait(&pool->condition, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
#endif
    atomic_fetch_sub(&pool->sleepers, 1);
}

// After the epoch was raised. A worker counts itself among the sleepers before it compares the epoch, both in the one order
// of sequentially consistent operations, so either it is seen here or it sees the new epoch.
static void cnThreadPool_Wake(cnThreadPool* pool, uint32_t most) {
    uint32_t sleepers = atomic_load(&pool->sleepers);
    uint32_t wanted = most < sleepers ? most : sleepers;
    if (wanted == 0) {
        return;
    }
#if defined(__EMSCRIPTEN__)
    __builtin_wasm_memory_atomic_notify((int*)&pool->epoch, wanted);
#elif defined(__linux__)
    syscall(SYS_futex, &pool->epoch, FUTEX_WAKE_PRIVATE, wanted, NULL, NULL, 0);
#else
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->condition);
    pthread_mutex_unlock(&pool->mutex);
#endif
}

static uint32_t cnCountChunks(int count, int chunk) {
    return (uint32_t)(((int64_t)count + chunk - 1) / chunk);
}

static void cnRunChunk(cnTask* task, void* context, int count, int chunk, uint32_t index, int thread) {
    int64_t begin = (int64_t)index * chunk;
    int64_t end = begin + chunk < count ? begin + chunk : count;
    task((int)begin, (int)end, thread, context);
}

// Takes chunks of the job at hand until none is left, and reports them done.
static void cnThreadPool_TakeChunks(cnThreadPool* pool, int thread) {
    uint32_t taken = 0;
    uint64_t look = atomic_load_explicit(&pool->cursor, memory_order_acquire);
    while ((uint32_t)look != 0) {
        cnTask* task = atomic_load_explicit(&pool->task, memory_order_acquire);
        void* context = atomic_load_explicit(&pool->context, memory_order_acquire);
        int count = atomic_load_explicit(&pool->count, memory_order_acquire);
        int chunk = atomic_load_explicit(&pool->chunk, memory_order_acquire);
        if (atomic_compare_exchange_weak_explicit(&pool->cursor, &look, look - 1, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            uint32_t index = cnCountChunks(count, chunk) - (uint32_t)look;
            cnRunChunk(task, context, count, chunk, index, thread);
            taken += 1;
            look -= 1;
        }
    }
    if (taken > 0) {
        atomic_fetch_add_explicit(&pool->doneChunks, taken, memory_order_release);
    }
}

static void cnThreadPool_LetGo(cnThreadPool* pool) {
    if (atomic_fetch_sub(&pool->owners, 1) != 1) {
        return;
    }
#if defined(CN_WAIT_BY_CONDITION)
    pthread_cond_destroy(&pool->condition);
    pthread_mutex_destroy(&pool->mutex);
#endif
    cnFree(pool, sizeof *pool);
}

static void* cnWorker_Main(void* argument) {
    cnWorker* worker = argument;
    cnThreadPool* pool = worker->pool;
    uint32_t seen = 0;
    for (;;) {
        int spins = 0;
        uint32_t epoch;
        while ((epoch = atomic_load(&pool->epoch)) == seen) {
            if (spins < spinLimit) {
                spins += 1;
                cnRelax();
            } else {
                cnThreadPool_Sleep(pool, seen);
            }
        }
        seen = epoch;
        if (atomic_load(&pool->isQuitting)) {
            break;
        }
        cnThreadPool_TakeChunks(pool, worker->thread);
    }
    cnThreadPool_LetGo(pool);
    return NULL;
}

static bool cnWorker_Start(cnWorker* worker) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
#if defined(__EMSCRIPTEN__)
    pthread_attr_setstacksize(&attributes, wasmStackBytes);
#endif
    atomic_fetch_add(&worker->pool->owners, 1);
    bool isStarted = pthread_create(&worker->handle, &attributes, cnWorker_Main, worker) == 0;
    if (!isStarted) {
        atomic_fetch_sub(&worker->pool->owners, 1);
    }
    pthread_attr_destroy(&attributes);
    return isStarted;
}

cnThreadPool* cnThreadPool_Create(int threads) {
    cnThreadPool* pool = cnAllocate(sizeof *pool);
    if (pool == NULL) {
        return NULL;
    }
#if defined(CN_WAIT_BY_CONDITION)
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->condition, NULL);
#endif
    atomic_init(&pool->owners, 1);
    int wanted = threads < 1 ? 1 : (threads > CN_MAX_THREADS ? CN_MAX_THREADS : threads);
    pool->threads = 1;
    while (pool->threads < wanted) {
        cnWorker* worker = &pool->workers[pool->threads - 1];
        worker->pool = pool;
        worker->thread = pool->threads;
        if (!cnWorker_Start(worker)) {
            cnThreadPool_Destroy(pool);
            return NULL;
        }
        pool->threads += 1;
    }
    return pool;
}

void cnThreadPool_Destroy(cnThreadPool* pool) {
    if (pool == NULL) {
        return;
    }
    atomic_store(&pool->isQuitting, true);
    atomic_fetch_add(&pool->epoch, 1);
    cnThreadPool_Wake(pool, UINT32_MAX);

    // In WebAssembly the thread that loaded the module must not join: a worker that is still loading needs its event loop.
    // Workers let go by themselves, and the last one frees the pool. Waiting a moment for those that run makes the memory
    // come back before this returns in all but that case.
#if defined(__EMSCRIPTEN__)
    bool mayBlock = !emscripten_is_main_runtime_thread();
#else
    bool mayBlock = true;
#endif
    int workerCount = pool->threads - 1;
    for (int i = 0; i < workerCount; ++i) {
        if (mayBlock) {
            pthread_join(pool->workers[i].handle, NULL);
        } else {
            pthread_detach(pool->workers[i].handle);
        }
    }
    enum {
        partingSpins = 10000000
    };
    for (int spins = 0; !mayBlock && spins < partingSpins && atomic_load(&pool->owners) > 1; ++spins) {
        cnRelax();
    }
    cnThreadPool_LetGo(pool);
}

int cnThreadPool_GetThreads(const cnThreadPool* pool) {
    return pool != NULL ? pool->threads : 1;
}

// The caller may be the browser's main thread, which may spin but not sleep. Elsewhere it steps aside after a while: with
// more threads than cores, the one that holds the last chunk needs a core.
static void cnThreadPool_AwaitChunks(cnThreadPool* pool, uint32_t chunkCount) {
#if !defined(__EMSCRIPTEN__)
    for (int spins = 0; spins < spinLimit; ++spins) {
        if (atomic_load_explicit(&pool->doneChunks, memory_order_acquire) == chunkCount) {
            return;
        }
        cnRelax();
    }
#endif
    while (atomic_load_explicit(&pool->doneChunks, memory_order_acquire) != chunkCount) {
#if defined(__EMSCRIPTEN__)
        cnRelax();
#else
        sched_yield();
#endif
    }
}

void cnThreadPool_Run(cnThreadPool* pool, cnTask* task, void* context, int count, int chunk) {
    assert(chunk > 0);
    if (count <= 0) {
        return;
    }
    uint32_t chunkCount = cnCountChunks(count, chunk);
    if (pool == NULL || pool->threads == 1 || chunkCount == 1) {
        for (uint32_t index = 0; index < chunkCount; ++index) {
            cnRunChunk(task, context, count, chunk, index, 0);
        }
        return;
    }

    // hand over
    atomic_store_explicit(&pool->task, task, memory_order_release);
    atomic_store_explicit(&pool->context, context, memory_order_release);
    atomic_store_explicit(&pool->count, count, memory_order_release);
    atomic_store_explicit(&pool->chunk, chunk, memory_order_release);
    atomic_store_explicit(&pool->doneChunks, 0, memory_order_release);
    uint32_t epoch = atomic_load_explicit(&pool->epoch, memory_order_relaxed) + 1;
    atomic_store_explicit(&pool->cursor, (uint64_t)epoch << 32 | chunkCount, memory_order_release);
    atomic_store(&pool->epoch, epoch);
    cnThreadPool_Wake(pool, chunkCount - 1);

    // take part, then wait for chunks that others took
    cnThreadPool_TakeChunks(pool, 0);
    cnThreadPool_AwaitChunks(pool, chunkCount);
}

#endif
