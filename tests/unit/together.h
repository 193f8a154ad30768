// Several threads of a user's at once.
#pragma once

#include "helpers.h"

#include <pthread.h>

// First member of what each thread gets.
typedef struct Together {
    pthread_t handle;
    pthread_barrier_t* barrier; // for pthread_barrier_wait(), of all the threads
    int number;
} Together;

// Starts a thread for each of `count` users of `size` bytes, and waits for their ends.
static inline void run_together(void* (*run)(void*), void* users, size_t size, int count) {
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, (unsigned)count);
    for (int i = 0; i < count; ++i) {
        Together* user = (Together*)((char*)users + (size_t)i * size);
        user->barrier = &barrier;
        user->number = i;
        assert_int_equal(pthread_create(&user->handle, NULL, run, user), 0);
    }
    for (int i = 0; i < count; ++i) {
        pthread_join(((Together*)((char*)users + (size_t)i * size))->handle, NULL);
    }
    pthread_barrier_destroy(&barrier);
}
