// Threads belong to the process: any number of worlds share them, several threads of the user's may step
// worlds at once, and the state after a step is the same to the bit whoever helped.

// pthread_barrier_t and opendir() are no part of C17.
#define _GNU_SOURCE

#include "base/timer.h"
#include "together.h"

#include <dirent.h>

enum {
    stepCount = 20,
    hashLength = 17
};

// 60 balls that fall on a floor and on each other: enough pairs for the chunks to be shared.
static cnWorldId create_heap(int threads) {
    cnWorldId world = make_world((cnWorldDef){.threads = threads});
    cnShapeInstance plane = {
        .shape = cnCreateShape(world, &(cnShapeDef){.type = cn_plane, .normal = {0.0, 0.0, 1.0}})};
    cnShapeInstance ball = {.shape = cnCreateShape(world, &(cnShapeDef){.type = cn_sphere, .radius = 0.5})};
    cnCreateGeometry(world, &(cnGeometryDef){.shapes = &plane, .shapeCount = 1});
    for (int i = 0; i < 60; ++i) {
        int layer = i / 16;
        int row = i / 4 % 4;
        cnVec3 position = {0.9 * (i % 4) + 0.01 * i, 0.9 * row, 0.5 + 0.9 * layer};
        cnBodyId body = cnCreateBody(world, &(cnBodyDef){.position = position});
        cnCreateGeometry(world, &(cnGeometryDef){.body = body, .shapes = &ball, .shapeCount = 1});
    }
    return world;
}

static void step_heap(cnWorldId world, int steps) {
    step_world(world, steps);
}

static void run_heap(int threads, char hash[hashLength]) {
    cnWorldId world = create_heap(threads);
    step_heap(world, stepCount);
    assert_int_equal(cnWorld_GetHash(world, hash), CN_ERROR_NONE);
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
}

// Threads of this process, or -1 where the system does not list them.
static int count_threads(void) {
    DIR* folder = opendir("/proc/self/task");
    if (folder == NULL) {
        return -1;
    }
    int count = 0;
    for (const struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        count += entry->d_name[0] != '.';
    }
    closedir(folder);
    return count;
}

// The system lists a thread for a moment after it was joined.
static int await_threads(int wanted) {
    double started = cnGetMilliseconds();
    while (count_threads() != wanted && cnGetMilliseconds() - started < 5000.0) {}
    return count_threads();
}

// Before Cairn has any. The first thread that is started makes a sanitizer start one of its own,
// so there was one.
static int count_other_threads(void) {
    char hash[hashLength];
    run_heap(2, hash);
    int running = count_threads();
    assert_int_equal(cnStopThreads(), CN_ERROR_NONE);
    return running > 0 ? await_threads(running - 1) : running;
}

static void worlds_share_their_threads(void** state) {
    (void)state;
    enum {
        worldCount = 100
    };
    int before = count_other_threads();
    cnWorldId worlds[worldCount];
    for (int i = 0; i < worldCount; ++i) {
        worlds[i] = create_heap(1 + i % 4);
        step_heap(worlds[i], 1);
    }
    if (before > 0) {
        assert_int_equal(count_threads(), before + 3);
    }
    for (int i = 0; i < worldCount; ++i) {
        step_heap(worlds[i], 1);
        assert_int_equal(cnDestroyWorld(worlds[i]), CN_ERROR_NONE);
    }
    assert_int_equal(cnGetBytesInUse(), 0);
    assert_int_equal(cnStopThreads(), CN_ERROR_NONE);
    assert_int_equal(await_threads(before), before);
}

static void worlds_that_come_and_go_start_no_threads(void** state) {
    (void)state;
    int before = count_other_threads();
    for (int i = 0; i < 1000; ++i) {
        cnWorldId world = make_world((cnWorldDef){.threads = 4});
        step_heap(world, 1);
        assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
    }
    if (before > 0) {
        assert_int_equal(count_threads(), before + 3);
    }
    assert_int_equal(cnStopThreads(), CN_ERROR_NONE);
    assert_int_equal(await_threads(before), before);
}

// ---- stopping ---------------------------------------------------------------------------------------------

static void stop_in_a_step(cnWorldId world, uint32_t moment, void* context) {
    (void)world;
    (void)moment;
    *(cnErrorCode*)context = cnStopThreads();
}

static void a_step_keeps_its_threads_and_starts_them_again(void** state) {
    (void)state;
    char expected[hashLength];
    char hash[hashLength];
    run_heap(1, expected);

    cnWorldId world = create_heap(3);
    cnErrorCode code = CN_ERROR_NONE;
    cnListenerId listener = cnAddStepListener(world, cn_afterSolve, stop_in_a_step, &code);
    step_heap(world, stepCount / 2);
    assert_int_equal(code, CN_ERROR_IN_USE);
    assert_int_equal(cnRemoveListener(world, listener), CN_ERROR_NONE);

    assert_int_equal(cnStopThreads(), CN_ERROR_NONE);
    step_heap(world, stepCount - stepCount / 2);
    assert_int_equal(cnWorld_GetHash(world, hash), CN_ERROR_NONE);
    assert_string_equal(hash, expected);
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
    assert_int_equal(cnStopThreads(), CN_ERROR_NONE);
}

// ---- several threads of the user's ------------------------------------------------------------------------

enum {
    userCount = 5,
    roundCount = 4
};

typedef struct User {
    Together together;
    char hashes[roundCount][hashLength];
} User;

static void* step_worlds(void* context) {
    User* user = context;
    pthread_barrier_wait(user->together.barrier);
    for (int round = 0; round < roundCount; ++round) {
        run_heap(1 + (user->together.number + round) % 4, user->hashes[round]);
    }
    return NULL;
}

static void several_threads_step_worlds_at_once(void** state) {
    (void)state;
    char expected[hashLength];
    run_heap(1, expected);
    static User users[userCount];
    run_together(step_worlds, users, sizeof users[0], userCount);
    for (int i = 0; i < userCount; ++i) {
        for (int round = 0; round < roundCount; ++round) {
            assert_string_equal(users[i].hashes[round], expected);
        }
    }
    assert_int_equal(cnGetBytesInUse(), 0);
    assert_int_equal(cnStopThreads(), CN_ERROR_NONE);
}

int main(void) {
    return run_all(worlds_share_their_threads, worlds_that_come_and_go_start_no_threads,
                   a_step_keeps_its_threads_and_starts_them_again, several_threads_step_worlds_at_once);
}
