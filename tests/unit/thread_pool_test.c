// Every chunk runs once, with any number of threads, and the results do not depend on it.

// pthread_barrier_t is no part of C17.
#define _GNU_SOURCE

#include "base/thread_pool.h"

#include "base/containers/hash.h"
#include "base/timer.h"
#include "together.h"

#include <stdatomic.h>

enum {
    maxItems = 5000
};

typedef struct Job {
    int visits[maxItems]; // plain: two threads on one item are a race that the thread sanitizer sees
    uint64_t values[maxItems];
    uint64_t salt;
    int chunk;
    int count;
    int threads;
    int chunksOf[CN_MAX_THREADS]; // plain, too: no two workers have the same number at once
    atomic_int wrongChunks;
} Job;

static void visit_items(int begin, int end, int thread, void* context) {
    Job* job = context;
    bool isWholeChunk = begin % job->chunk == 0 && (end - begin == job->chunk || end == job->count);
    if (!isWholeChunk || thread < 0 || thread >= job->threads) {
        atomic_fetch_add(&job->wrongChunks, 1);
        return;
    }
    job->chunksOf[thread] += 1;
    for (int i = begin; i < end; ++i) {
        job->visits[i] += 1;
        job->values[i] = cnMix64(job->salt + (uint64_t)i);
    }
}

static uint64_t run_job(cnThreadPool* pool, Job* job, uint64_t salt, int count, int chunk) {
    memset(job->visits, 0, sizeof job->visits);
    job->salt = salt;
    job->chunk = chunk;
    job->count = count;
    job->threads = cnThreadPool_GetThreads(pool);
    atomic_store(&job->wrongChunks, 0);
    cnThreadPool_Run(pool, visit_items, job, count, chunk);
    assert_int_equal(atomic_load(&job->wrongChunks), 0);
    cnHash hash = cnHash_Start();
    for (int i = 0; i < maxItems; ++i) {
        assert_int_equal(job->visits[i], i < count ? 1 : 0);
        if (i < count) {
            cnHash_AddU64(&hash, job->values[i]);
        }
    }
    return hash.value;
}

static void every_item_is_visited_once(void** state) {
    (void)state;
    static Job job;
    const int counts[] = {0, 1, 2, 63, 64, 65, 1000, maxItems};
    const int chunks[] = {1, 7, 64, maxItems, 0x7fffffff};
    const int threadCounts[] = {1, 2, 3, 8, CN_MAX_THREADS};
    for (int t = 0; t < 5; ++t) {
        cnThreadPool* pool = cnThreadPool_Borrow(threadCounts[t]);
        assert_int_equal(cnThreadPool_GetThreads(pool), threadCounts[t]);
        for (int i = 0; i < 8; ++i) {
            for (int j = 0; j < 5; ++j) {
                uint64_t alone = run_job(NULL, &job, 5, counts[i], chunks[j]);
                assert_true(run_job(pool, &job, 5, counts[i], chunks[j]) == alone);
            }
        }
        cnThreadPool_Return(pool);
    }
    assert_int_equal(cnGetBytesInUse(), 0);
}

// Many short jobs of different sizes back to back, each with words of its own: late workers
// meet the next job.
static void late_workers_do_not_disturb_the_next_job(void** state) {
    (void)state;
    static Job job;
    cnThreadPool* pool = cnThreadPool_Borrow(4);
    assert_non_null(pool);
    for (uint64_t round = 0; round < 3000; ++round) {
        uint64_t random = cnMix64(round);
        int count = (int)(random % 40);
        int chunk = 1 + (int)(random / 64 % 5);
        run_job(pool, &job, random, count, chunk);
    }
    cnThreadPool_Return(pool);
}

// A job may begin while the workers are still starting, and they may stop before they were ever used.
static void threads_stop_and_start_quickly(void** state) {
    (void)state;
    static Job job;
    for (int round = 0; round < 100; ++round) {
        cnThreadPool* pool = cnThreadPool_Borrow(4);
        assert_int_equal(cnThreadPool_GetThreads(pool), 4);
        if (round % 2 == 0) {
            run_job(pool, &job, (uint64_t)round, 100, 3);
        }
        assert_int_equal(cnStopThreads(), CN_ERROR_IN_USE);
        cnThreadPool_Return(pool);
        assert_int_equal(cnStopThreads(), CN_ERROR_NONE);
    }
    assert_int_equal(cnStopThreads(), CN_ERROR_NONE);
    assert_int_equal(cnGetBytesInUse(), 0);
}

// The workers that others asked for stay out of the jobs of those who want fewer.
static void borrowers_get_no_more_threads_than_they_asked(void** state) {
    (void)state;
    static Job job;
    assert_true(cnThreadPool_Reserve(8));
    for (int round = 0; round < 600; ++round) {
        int threads = 1 + round % 8;
        cnThreadPool* pool = cnThreadPool_Borrow(threads);
        assert_int_equal(cnThreadPool_GetThreads(pool), threads);
        run_job(pool, &job, (uint64_t)round, 300, 1);
        cnThreadPool_Return(pool);
    }
}

// Workers that fell asleep are woken.
static void sleepers_wake_up(void** state) {
    (void)state;
    static Job job;
    cnThreadPool* pool = cnThreadPool_Borrow(3);
    for (int round = 0; round < 50; ++round) {
        double start = cnGetMilliseconds();
        while (cnGetMilliseconds() - start < 1.0) {}
        run_job(pool, &job, (uint64_t)round, 200, 1);
    }
    cnThreadPool_Return(pool);
}

static void null_pools_run_on_the_caller(void** state) {
    (void)state;
    static Job job;
    assert_int_equal(cnThreadPool_GetThreads(NULL), 1);
    run_job(NULL, &job, 1, 100, 9);
    cnThreadPool_Return(NULL);
    assert_null(cnThreadPool_Borrow(0));
    assert_null(cnThreadPool_Borrow(1));
    cnThreadPool* clamped = cnThreadPool_Borrow(CN_MAX_THREADS + 1);
    assert_int_equal(cnThreadPool_GetThreads(clamped), CN_MAX_THREADS);
    cnThreadPool_Return(clamped);
}

// ---- several threads of the user's at once ----------------------------------------------------------------

enum {
    userCount = 20 // more than there are pools
};

typedef struct User {
    Together together;
    int borrowed;
    Job job;
} User;

static void* use_threads(void* context) {
    User* user = context;
    pthread_barrier_wait(user->together.barrier);
    cnThreadPool* held = cnThreadPool_Borrow(2);
    user->borrowed = held != NULL ? 1 : 0;
    run_job(held, &user->job, (uint64_t)user->together.number, 500, 3);
    pthread_barrier_wait(user->together.barrier);
    cnThreadPool_Return(held);
    for (int round = 0; round < 50; ++round) {
        cnThreadPool* pool = cnThreadPool_Borrow(2 + round % 2);
        run_job(pool, &user->job, (uint64_t)round, 500, 3);
        cnThreadPool_Return(pool);
    }
    return NULL;
}

// Each gets workers of its own as long as there are pools; the others do their work alone.
static void borrowers_do_not_disturb_each_other(void** state) {
    (void)state;
    static User users[userCount];
    run_together(use_threads, users, sizeof users[0], userCount);
    int borrowed = 0;
    for (int i = 0; i < userCount; ++i) {
        borrowed += users[i].borrowed;
    }
    assert_int_equal(borrowed, 16);
    assert_int_equal(cnStopThreads(), CN_ERROR_NONE);
}

int main(void) {
    return run_all(every_item_is_visited_once, late_workers_do_not_disturb_the_next_job,
                   threads_stop_and_start_quickly, borrowers_get_no_more_threads_than_they_asked,
                   sleepers_wake_up, null_pools_run_on_the_caller, borrowers_do_not_disturb_each_other);
}
