// syscall() is no part of C17 or POSIX.
#define _GNU_SOURCE

#include "base/thread_pool.h"

#include "base/report/assert.h"
#include "base/report/error.h"

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)

// Builds without threads: there are no pools, and the caller does the work.

bool cnThreadPool_Reserve(int threads) {
    (void)threads;
    return true;
}

cnThreadPool* cnThreadPool_Borrow(int threads) {
    (void)threads;
    return NULL;
}

void cnThreadPool_Return(cnThreadPool* pool) {
    (void)pool;
}

int cnThreadPool_GetThreads(const cnThreadPool* pool) {
    (void)pool;
    return 1;
}

void cnThreadPool_Run(cnThreadPool* pool, cnTask* task, void* context, int count, int chunk) {
    (void)pool;
    CN_ASSERT(chunk > 0);
    for (int begin = 0; begin < count; begin += chunk) {
        task(begin, chunk < count - begin ? begin + chunk : count, 0, context);
        if (count - begin <= chunk) {
            break; // begin + chunk might not be an int
        }
    }
}

cnErrorCode cnStopThreads(void) {
    return CN_ERROR_NONE;
}

#else

// How a job is handed over
//
// A job is a few words (task, context, count, chunk) and its chunks, divided into as many shares as threads
// may work. A share has a cursor that packs the job's number with the number of chunks left in it. A thread
// takes a chunk by lowering the cursor with a compare-exchange from exactly the value it looked at; first
// from its own share, then from those of others. So what one loop writes and the next reads is mostly in
// the cache of the core that runs it, and need not come from that of another. The caller
// waits for the chunks that were taken, never for a worker to wake up, so a worker that is still loading or
// not scheduled costs nothing, and a pool larger than the machine finishes.
//
//   caller                                        worker
//   job words = …                                 sleeps or spins on `epoch`
//   doneChunks = 0                                takes a seat of the job      (acquire)
//   cursors = {epoch + 1, chunks of the share}    look = a cursor of that job; none left: the next share
//   seats = {epoch + 1, threads − 1}  (release)   exchange cursor look → look − 1 chunk, or look again
//   epoch += 1, wake sleepers                     words = job words
//   takes chunks itself                           works, at last doneChunks += what it took (release)
//   spins until doneChunks is all (acquire)
//
// The borrower may want fewer threads than the pool has, hence the seats: the number of its seat is the
// thread that a worker's chunks see. Its own share goes by its own number, which is the same in every job.
//
// A worker may be late: the job whose seat it has may be over, and others begun. It cannot take a chunk of
// those, for their cursors have other numbers; and once it has taken a chunk the job is not over until it
// reports that, so the words are those of its job. (The same number comes again after 2^32 jobs; no worker
// is that late.)
//
// Rejected: counting workers in and out of a job by a barrier, which makes every job as late as
// the latest worker.

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#if defined(__EMSCRIPTEN__)
// waits are instructions
#elif defined(__linux__)
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <sched.h>
#define CN_WAIT_BY_CONDITION
#endif

// Some 50 µs: longer than the serial passes between the parallel phases of a step, shorter
// than anyone's frame. WebAssembly has no instruction to relax by, and looks fifty times as often.
enum {
#if defined(__EMSCRIPTEN__)
    spinLimit = 50000
#else
    spinLimit = 2000
#endif
};

// Emscripten gives a thread 64 kB unless told, which a deep collider exceeds.
enum {
    wasmStackBytes = 512 * 1024
};

// Keeps words that different threads write off one cache line. Blocks are aligned to 16 only, so
// alignment would not do.
enum {
    cacheLine = 64
};

// A WebAssembly module runs on one thread of the user's. Elsewhere more pools than this would only take
// each other's cores.
enum {
#if defined(__EMSCRIPTEN__)
    poolCount = 1
#else
    poolCount = 16
#endif
};

// A thread of a pool.
typedef struct Worker {
    cnThreadPool* pool;
    int number; // 1, 2, …; 0 is the caller
    pthread_t thread;
} Worker;

typedef struct Share {
    _Atomic uint64_t cursor; // 32 bits of job number, 32 of chunks left
    char gap[cacheLine];
} Share;

struct cnThreadPool {
    // the job
    _Atomic(cnTask*) task;
    _Atomic(void*) context;
    atomic_int count;
    atomic_int chunk;
    atomic_int shareCount;
    char gapBeforeSeats[cacheLine];
    _Atomic uint64_t seats; // 32 bits of job number, 32 of seats left
    char gapBeforeShares[cacheLine];
    Share shares[CN_MAX_THREADS];
    _Atomic uint32_t doneChunks;
    char gapBeforeEpoch[cacheLine];
    _Atomic uint32_t epoch; // job number; what workers wait on
    _Atomic uint32_t sleepers;
    atomic_bool isStopping;
    char gapAfterEpoch[cacheLine];

    atomic_bool isBorrowed;
    // the borrower's
    int threads; // that may work, the caller included
    int workerCount;
    Worker workers[CN_MAX_THREADS - 1];
};

// Not from the allocator: its hooks may change while no world exists, and workers outlive worlds.
static cnThreadPool pools[poolCount];

#if defined(CN_WAIT_BY_CONDITION)
static pthread_mutex_t sleepMutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t sleepCondition = PTHREAD_COND_INITIALIZER;
#endif

static void Relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// Sleeps while the epoch is `seen`; may wake without a cause.
static void ThreadPoolSleep(cnThreadPool* pool, uint32_t seen) {
    atomic_fetch_add(&pool->sleepers, 1);
#if defined(__EMSCRIPTEN__)
    __builtin_wasm_memory_atomic_wait32((int*)&pool->epoch, (int)seen, -1);
#elif defined(__linux__)
    syscall(SYS_futex, &pool->epoch, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
#else
    pthread_mutex_lock(&sleepMutex);
    while (atomic_load(&pool->epoch) == seen) {
        pthread_cond_wait(&sleepCondition, &sleepMutex);
    }
    pthread_mutex_unlock(&sleepMutex);
#endif
    atomic_fetch_sub(&pool->sleepers, 1);
}

// After the epoch was raised: sees to it that `max` workers, or all, look at it. A worker counts itself
// among the sleepers before it compares the epoch, both in the one order of sequentially consistent
// operations, so either it is seen here or it sees the new epoch; those that are awake need no call.
static void ThreadPoolWake(cnThreadPool* pool, uint32_t max) {
    uint32_t workers = (uint32_t)pool->workerCount;
    uint32_t sleepers = atomic_load(&pool->sleepers);
    uint32_t awake = sleepers < workers ? workers - sleepers : 0;
    uint32_t missing = max > awake ? max - awake : 0;
    uint32_t wanted = missing < sleepers ? missing : sleepers;
    if (wanted == 0) {
        return;
    }
#if defined(__EMSCRIPTEN__)
    __builtin_wasm_memory_atomic_notify((int*)&pool->epoch, wanted);
#elif defined(__linux__)
    syscall(SYS_futex, &pool->epoch, FUTEX_WAKE_PRIVATE, wanted, NULL, NULL, 0);
#else
    pthread_mutex_lock(&sleepMutex);
    pthread_cond_broadcast(&sleepCondition);
    pthread_mutex_unlock(&sleepMutex);
#endif
}

static uint32_t CountChunks(int count, int chunk) {
    return (uint32_t)(((int64_t)count + chunk - 1) / chunk);
}

static void RunChunk(cnTask* task, void* context, int count, int chunk, uint32_t index, int thread) {
    int64_t begin = (int64_t)index * chunk;
    int64_t end = begin + chunk < count ? begin + chunk : count;
    task((int)begin, (int)end, thread, context);
}

// What a share's cursor and the seats are made of.
static uint64_t PackJob(uint32_t job, uint32_t left) {
    return (uint64_t)job << 32 | left;
}

static uint32_t JobOf(uint64_t packed) {
    return (uint32_t)(packed >> 32);
}

static uint32_t LeftOf(uint64_t packed) {
    return (uint32_t)packed;
}

// The first chunk of a share; of the one after the last, the number of chunks.
static uint32_t FirstChunk(uint32_t chunkCount, int share, int shareCount) {
    return (uint32_t)((uint64_t)chunkCount * (uint64_t)share / (uint64_t)shareCount);
}

// Takes chunks of a share of a job until none is left; returns how many.
static uint32_t TakeShare(cnThreadPool* pool, uint32_t job, int share, int thread) {
    uint32_t taken = 0;
    _Atomic uint64_t* cursor = &pool->shares[share].cursor;
    uint64_t look = atomic_load_explicit(cursor, memory_order_acquire);
    while (JobOf(look) == job && LeftOf(look) != 0) {
        if (atomic_compare_exchange_weak_explicit(cursor, &look, look - 1, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            cnTask* task = atomic_load_explicit(&pool->task, memory_order_relaxed);
            void* context = atomic_load_explicit(&pool->context, memory_order_relaxed);
            int count = atomic_load_explicit(&pool->count, memory_order_relaxed);
            int chunk = atomic_load_explicit(&pool->chunk, memory_order_relaxed);
            int shareCount = atomic_load_explicit(&pool->shareCount, memory_order_relaxed);
            uint32_t end = FirstChunk(CountChunks(count, chunk), share + 1, shareCount);
            RunChunk(task, context, count, chunk, end - LeftOf(look), thread);
            taken += 1;
            look -= 1;
        }
    }
    return taken;
}

// Takes chunks of a job, those of a thread's own share first, until none is left, and reports them done.
static void TakeChunks(cnThreadPool* pool, uint32_t job, int ownShare, int thread) {
    uint32_t taken = 0;
    int shareCount = atomic_load_explicit(&pool->shareCount, memory_order_relaxed);
    for (int i = 0; i < shareCount; ++i) {
        taken += TakeShare(pool, job, (ownShare + i) % shareCount, thread);
    }
    if (taken > 0) {
        atomic_fetch_add_explicit(&pool->doneChunks, taken, memory_order_release);
    }
}

// A worker's part in the job at hand. False when other workers have all its seats.
static bool HelpWithJob(cnThreadPool* pool, int worker) {
    uint64_t look = atomic_load_explicit(&pool->seats, memory_order_acquire);
    do {
        if (LeftOf(look) == 0) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&pool->seats, &look, look - 1, memory_order_acq_rel,
                                                    memory_order_acquire));
    TakeChunks(pool, JobOf(look), worker, (int)LeftOf(look));
    return true;
}

static void* WorkerMain(void* argument) {
    const Worker* worker = argument;
    cnThreadPool* pool = worker->pool;
    int number = worker->number; // its thread is written while it runs
    uint32_t seen = 0;
    int spins = 0;
    for (;;) {
        uint32_t epoch;
        while ((epoch = atomic_load(&pool->epoch)) == seen) {
            if (spins < spinLimit) {
                spins += 1;
                Relax();
            } else {
                ThreadPoolSleep(pool, seen);
            }
        }
        seen = epoch;
        if (atomic_load(&pool->isStopping)) {
            return NULL;
        }
        // who is not wanted now is not soon either, and leaves its core to others
        spins = HelpWithJob(pool, number) ? 0 : spinLimit;
    }
}

// ---- who has which pool -----------------------------------------------------------------------------------

// The borrower's call, between jobs.
static bool ThreadPoolGrow(cnThreadPool* pool, int threads) {
    pthread_attr_t attributes;
    if (pool->workerCount >= threads - 1) {
        return true;
    }
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
#if defined(__EMSCRIPTEN__)
    pthread_attr_setstacksize(&attributes, wasmStackBytes);
#endif
    while (pool->workerCount < threads - 1) {
        Worker* worker = &pool->workers[pool->workerCount];
        worker->pool = pool;
        worker->number = pool->workerCount + 1;
        if (pthread_create(&worker->thread, &attributes, WorkerMain, worker) != 0) {
            break;
        }
        pool->workerCount += 1;
    }
    pthread_attr_destroy(&attributes);
    return pool->workerCount >= threads - 1;
}

static bool ThreadPoolTake(cnThreadPool* pool) {
    return !atomic_exchange_explicit(&pool->isBorrowed, true, memory_order_acquire);
}

void cnThreadPool_Return(cnThreadPool* pool) {
    if (pool != NULL) {
        atomic_store_explicit(&pool->isBorrowed, false, memory_order_release);
    }
}

cnThreadPool* cnThreadPool_Borrow(int threads) {
    int wanted = threads > CN_MAX_THREADS ? CN_MAX_THREADS : threads;
    for (int i = 0; wanted > 1 && i < poolCount; ++i) {
        cnThreadPool* pool = &pools[i];
        if (ThreadPoolTake(pool)) {
            pool->threads = ThreadPoolGrow(pool, wanted) ? wanted : pool->workerCount + 1;
            return pool;
        }
    }
    return NULL;
}

bool cnThreadPool_Reserve(int threads) {
    cnThreadPool* pool = cnThreadPool_Borrow(threads);
    bool isComplete = pool == NULL || pool->threads >= threads || pool->threads == CN_MAX_THREADS;
    cnThreadPool_Return(pool);
    return isComplete;
}

int cnThreadPool_GetThreads(const cnThreadPool* pool) {
    return pool != NULL ? pool->threads : 1;
}

static void ThreadPoolStop(cnThreadPool* pool) {
    atomic_store(&pool->isStopping, true);
    atomic_fetch_add(&pool->epoch, 1);
    ThreadPoolWake(pool, UINT32_MAX);
    for (int i = 0; i < pool->workerCount; ++i) {
        pthread_join(pool->workers[i].thread, NULL);
    }
    pool->workerCount = 0;
    atomic_store(&pool->isStopping, false);
}

cnErrorCode cnStopThreads(void) {
    int taken = 0;
    while (taken < poolCount && ThreadPoolTake(&pools[taken])) {
        taken += 1;
    }
    for (int i = 0; i < taken; ++i) {
        if (taken == poolCount) {
            ThreadPoolStop(&pools[i]);
        }
        cnThreadPool_Return(&pools[i]);
    }
    return taken == poolCount ? CN_ERROR_NONE
                              : cnFail(CN_ERROR_IN_USE, "cnStopThreads", "threads",
                                       "the threads cannot stop while a world is stepped with them");
}

// ---- jobs -------------------------------------------------------------------------------------------------

// The caller may be the browser's main thread, which may spin but not sleep. Elsewhere it steps aside after a
// while: with more threads than cores, the one that holds the last chunk needs a core.
static void ThreadPoolAwaitChunks(cnThreadPool* pool, uint32_t chunkCount) {
#if !defined(__EMSCRIPTEN__)
    for (int spins = 0; spins < spinLimit; ++spins) {
        if (atomic_load_explicit(&pool->doneChunks, memory_order_acquire) == chunkCount) {
            return;
        }
        Relax();
    }
#endif
    while (atomic_load_explicit(&pool->doneChunks, memory_order_acquire) != chunkCount) {
#if defined(__EMSCRIPTEN__)
        Relax();
#else
        sched_yield();
#endif
    }
}

void cnThreadPool_Run(cnThreadPool* pool, cnTask* task, void* context, int count, int chunk) {
    CN_ASSERT(chunk > 0);
    if (count <= 0) {
        return;
    }
    uint32_t chunkCount = CountChunks(count, chunk);
    if (pool == NULL || pool->threads == 1 || chunkCount == 1) {
        for (uint32_t index = 0; index < chunkCount; ++index) {
            RunChunk(task, context, count, chunk, index, 0);
        }
        return;
    }

    // hand over
    int shareCount = pool->threads;
    atomic_store_explicit(&pool->task, task, memory_order_relaxed);
    atomic_store_explicit(&pool->context, context, memory_order_relaxed);
    atomic_store_explicit(&pool->count, count, memory_order_relaxed);
    atomic_store_explicit(&pool->chunk, chunk, memory_order_relaxed);
    atomic_store_explicit(&pool->shareCount, shareCount, memory_order_relaxed);
    atomic_store_explicit(&pool->doneChunks, 0, memory_order_relaxed);
    uint32_t job = atomic_load_explicit(&pool->epoch, memory_order_relaxed) + 1;
    for (int share = 0; share < shareCount; ++share) {
        uint32_t chunks =
            FirstChunk(chunkCount, share + 1, shareCount) - FirstChunk(chunkCount, share, shareCount);
        atomic_store_explicit(&pool->shares[share].cursor, PackJob(job, chunks), memory_order_release);
    }
    uint32_t helpers = (uint32_t)shareCount - 1;
    atomic_store_explicit(&pool->seats, PackJob(job, helpers), memory_order_release);
    atomic_store(&pool->epoch, job);
    ThreadPoolWake(pool, helpers < chunkCount - 1 ? helpers : chunkCount - 1);

    // take part, then wait for chunks that others took
    TakeChunks(pool, job, 0, 0);
    ThreadPoolAwaitChunks(pool, chunkCount);
}

#endif
