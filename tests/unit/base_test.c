// Allocator, errors, arrays, step stack, id pools, bitsets, tables, guards, hash, and what compilers do to rounding.
#include "base/bitset.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/id_pool.h"
#include "base/stack.h"
#include "base/table.h"
#include "base/timer.h"
#include "helpers.h"

#include <pthread.h>

#if defined(__unix__)
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

// ---- allocator -----------------------------------------------------------------------------------------------------

static bool is_zero(const void* memory, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) {
        if (((const char*)memory)[i] != 0) {
            return false;
        }
    }
    return true;
}

static void memory_is_aligned_zeroed_and_counted(void** state) {
    (void)state;
    Ration ration;
    start_ration(&ration, 100);
    char* block = cnAllocate(100);
    assert_int_equal((uintptr_t)block % 16, 0);
    assert_true(is_zero(block, 100));
    assert_int_equal(cnGetBytesInUse(), 100);
    assert_int_equal(ration.bytes, 100);

    memset(block, 7, 100);
    block = cnReallocate(block, 100, 1000);
    assert_int_equal(block[99], 7);
    assert_true(is_zero(block + 100, 900));
    assert_int_equal(cnGetBytesInUse(), 1000);
    block = cnReallocate(block, 1000, 10);
    assert_int_equal(block[9], 7);
    assert_null(cnReallocate(block, 10, 0));
    assert_null(cnAllocate(0));
    cnFree(NULL, 5);
    assert_int_equal(cnGetBytesInUse(), 0);
    end_ration(&ration);
}

static void a_rejected_block_leaves_the_old_one(void** state) {
    (void)state;
    Ration ration;
    start_ration(&ration, 1);
    char* block = cnAllocate(16);
    block[0] = 3;
    assert_null(cnReallocate(block, 16, 32));
    assert_int_equal(block[0], 3);
    assert_int_equal(cnGetBytesInUse(), 16);
    cnFree(block, 16);
    end_ration(&ration);
}

static void the_allocator_stays_while_it_is_used(void** state) {
    (void)state;
    cnAllocator_AddUser();
    assert_int_equal(cnSetAllocator(NULL), CN_ERROR_IN_USE);
    assert_string_equal(cnGetLastError()->call, "cnSetAllocator");
    cnAllocator_RemoveUser();
    assert_int_equal(cnSetAllocator(NULL), CN_ERROR_NONE);

    void* block = cnAllocate(8);
    assert_int_equal(cnSetAllocator(NULL), CN_ERROR_IN_USE);
    cnFree(block, 8);
    cnAllocator incomplete = {.allocate = allocate_ration};
    assert_int_equal(cnSetAllocator(&incomplete), CN_ERROR_NULL_ARGUMENT);
}

// ---- errors --------------------------------------------------------------------------------------------------------

static void every_code_has_a_name_and_a_text(void** state) {
    (void)state;
    assert_string_equal(cnErrorName(CN_ERROR_NONE), "NONE");
    assert_string_equal(cnErrorName(CN_ERROR_STALE_HANDLE), "STALE_HANDLE");
    for (int code = 0; code < CN_ERROR_COUNT; ++code) {
        assert_true(strlen(cnErrorName((cnErrorCode)code)) > 0);
        assert_true(strlen(cnErrorText((cnErrorCode)code)) > 0);
    }
    assert_non_null(cnErrorName(CN_ERROR_COUNT));
    assert_non_null(cnErrorText((cnErrorCode)-1));
}

static void a_failure_is_recorded_with_its_place(void** state) {
    (void)state;
    assert_int_equal(
        cnFail(CN_ERROR_OUT_OF_RANGE, "cnBody_SetMass", "mass", "mass is %g, not above %d", -1.5, 0),
        CN_ERROR_OUT_OF_RANGE);
    const cnErrorInfo* info = cnGetLastError();
    assert_int_equal(info->code, CN_ERROR_OUT_OF_RANGE);
    assert_string_equal(info->call, "cnBody_SetMass");
    assert_string_equal(info->argument, "mass");
    assert_string_equal(info->message, "mass is -1.5, not above 0");

    // a new message may quote the old one
    cnFail(CN_ERROR_SCENE, info->call, info->argument, "inner: %s", info->message);
    assert_string_equal(info->call, "cnBody_SetMass");
    assert_string_equal(info->message, "inner: mass is -1.5, not above 0");
    cnClearLastError();
    assert_int_equal(info->code, CN_ERROR_NONE);
    assert_string_equal(info->message, "");
}

static void long_texts_are_cut(void** state) {
    (void)state;
    char longText[600];
    memset(longText, 'x', sizeof longText - 1);
    longText[sizeof longText - 1] = '\0';
    cnFail(CN_ERROR_SCENE, longText, longText, "%s", longText);
    const cnErrorInfo* info = cnGetLastError();
    assert_int_equal(strlen(info->call), sizeof info->call - 1);
    assert_int_equal(strlen(info->argument), sizeof info->argument - 1);
    assert_int_equal(strlen(info->message), sizeof info->message - 1);
    cnFail(CN_ERROR_SCENE, NULL, NULL, "nothing more");
    assert_string_equal(info->call, "");
    cnClearLastError();
}

static void* fail_in_thread(void* result) {
    cnFail(CN_ERROR_FILE, "call", "argument", "message");
    *(cnErrorCode*)result = cnGetLastError()->code;
    return NULL;
}

static void threads_have_errors_of_their_own(void** state) {
    (void)state;
    cnErrorCode ofThread = CN_ERROR_NONE;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fail_in_thread, &ofThread), 0);
    pthread_join(thread, NULL);
    assert_int_equal(ofThread, CN_ERROR_FILE);
    assert_int_equal(cnGetLastError()->code, CN_ERROR_NONE);
}

static void keep_line(const char* line, void* context) {
    memcpy(context, line, strlen(line) + 1);
}

static void log_lines_reach_their_function(void** state) {
    (void)state;
    char line[512] = "";
    cnWriteLog("nobody listens");
    cnSetLogFunction(keep_line, line);
    cnWriteLog("%d bodies", 3);
    assert_string_equal(line, "3 bodies");
    cnSetLogFunction(NULL, NULL);
    cnWriteLog("nobody listens");
    assert_string_equal(line, "3 bodies");
}

// ---- arrays and sets -----------------------------------------------------------------------------------------------

static void arrays_grow_and_give_back(void** state) {
    (void)state;
    CN_ARRAY(int) numbers = {0};
    for (int i = 0; i < 1000; ++i) {
        assert_true(cnArray_Push(&numbers, i));
    }
    assert_int_equal(numbers.count, 1000);
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(numbers.data[i], i);
    }
    assert_true(cnArray_Resize(&numbers, 5000));
    assert_int_equal(numbers.count, 5000);
    assert_true(is_zero(numbers.data + 1000, 4000 * sizeof(int)));
    assert_false(cnArray_Reserve(&numbers, -1));
    cnArray_Free(&numbers);
    assert_null(numbers.data);
    assert_int_equal(cnGetBytesInUse(), 0);
}

static void an_array_without_memory_stays_as_it_was(void** state) {
    (void)state;
    Ration ration;
    start_ration(&ration, 1);
    CN_ARRAY(int) numbers = {0};
    assert_true(cnArray_Push(&numbers, 42));
    int capacity = numbers.capacity;
    assert_false(cnArray_Reserve(&numbers, capacity + 1));
    assert_int_equal(numbers.data[0], 42);
    assert_int_equal(numbers.capacity, capacity);
    cnArray_Free(&numbers);
    end_ration(&ration);
}

static void bitsets_hold_their_members(void** state) {
    (void)state;
    cnBitset multiplesOf7 = {0};
    cnBitset others = {0};
    assert_true(cnBitset_Reset(&multiplesOf7, 1000));
    assert_true(cnBitset_Reset(&others, 1000));
    assert_int_equal(cnBitset_Next(&multiplesOf7, 0), -1);
    for (int i = 0; i < 1000; i += 7) {
        cnBitset_Add(&multiplesOf7, i);
    }
    cnBitset_Add(&others, 999);
    cnBitset_Add(&others, 64);
    cnBitset_Unite(&multiplesOf7, &others);
    cnBitset_Remove(&multiplesOf7, 0);

    int found = 0;
    int last = -1;
    for (int i = cnBitset_Next(&multiplesOf7, 0); i >= 0; i = cnBitset_Next(&multiplesOf7, i + 1)) {
        assert_true(i > last);
        assert_true((i % 7 == 0 && i > 0) || i == 999 || i == 64);
        assert_true(cnBitset_Has(&multiplesOf7, i));
        last = i;
        found += 1;
    }
    assert_int_equal(found, 142 + 2);
    assert_int_equal(cnBitset_Next(&multiplesOf7, 5000), -1);

    // a reset set is empty, whatever its size
    assert_true(cnBitset_Reset(&multiplesOf7, 100));
    assert_int_equal(cnBitset_Next(&multiplesOf7, 0), -1);
    assert_true(cnBitset_Reset(&multiplesOf7, 0));
    assert_int_equal(cnBitset_Next(&multiplesOf7, 0), -1);
    cnBitset_Free(&multiplesOf7);
    cnBitset_Free(&others);
    assert_int_equal(cnGetBytesInUse(), 0);
}

// ---- step stack ----------------------------------------------------------------------------------------------------

static void the_stack_grows_to_what_a_step_wants(void** state) {
    (void)state;
    cnStack stack;
    assert_true(cnStack_Init(&stack, 100));
    for (int step = 0; step < 3; ++step) {
        size_t before = cnGetBytesInUse();
        char* small = CN_PUSH(&stack, char, 50, "small");
        double* large = CN_PUSH(&stack, double, 1000, "large");
        char* empty = CN_PUSH(&stack, char, 0, "empty");
        assert_int_equal((uintptr_t)small % 16, 0);
        assert_int_equal((uintptr_t)large % 16, 0);
        assert_non_null(empty);
        memset(small, 1, 50);
        memset(large, 2, 1000 * sizeof(double));
        assert_int_equal(small[49], 1);

        // the first step had to ask for more; from the second on nothing is allocated
        assert_true(step == 0 ? cnGetBytesInUse() > before : cnGetBytesInUse() == before);
        cnStack_Pop(&stack, empty);
        cnStack_Pop(&stack, large);
        cnStack_Pop(&stack, small);
        assert_true(cnStack_Settle(&stack));
    }
    cnStack_Free(&stack);
    assert_int_equal(cnGetBytesInUse(), 0);
}

static void the_stack_names_what_is_left(void** state) {
    (void)state;
    char line[512] = "";
    cnSetLogFunction(keep_line, line);
    cnStack stack;
    assert_true(cnStack_Init(&stack, 0));
    assert_non_null(CN_PUSH(&stack, int, 10, "forgotten indices"));
    assert_false(cnStack_Settle(&stack));
    assert_non_null(strstr(line, "forgotten indices"));
    cnStack_Free(&stack);
    cnSetLogFunction(NULL, NULL);
    assert_int_equal(cnGetBytesInUse(), 0);
}

// ---- id pools ------------------------------------------------------------------------------------------------------

static void handles_of_dead_objects_are_rejected(void** state) {
    (void)state;
    cnIdPool pool;
    cnIdPool_Init(&pool, 1);
    assert_int_equal(cnIdPool_Find(&pool, 0), -1);
    uint32_t first = cnIdPool_Acquire(&pool);
    uint32_t second = cnIdPool_Acquire(&pool);
    assert_int_not_equal(first, 0);
    assert_int_equal(cnIdPool_Find(&pool, first), 0);
    assert_int_equal(cnIdPool_Find(&pool, second), 1);
    assert_int_equal(cnIdPool_ValueOf(&pool, 1), second);
    cnIdPool_Release(&pool, first);
    assert_int_equal(cnIdPool_Find(&pool, first), -1);
    assert_false(cnIdPool_IsLive(&pool, 0));
    assert_true(cnIdPool_IsLive(&pool, 1));
    assert_false(cnIdPool_IsLive(&pool, 2));
    assert_false(cnIdPool_IsLive(&pool, -1));
    assert_int_equal(pool.liveCount, 1);

    uint32_t third = cnIdPool_Acquire(&pool);
    assert_int_equal(cnIdPool_Find(&pool, third), 0);
    assert_int_not_equal(third, first);
    assert_int_equal(cnIdPool_Find(&pool, first), -1);
    cnIdPool_Free(&pool);
}

static void rows_are_reused_first_in_first_out(void** state) {
    (void)state;
    cnIdPool pool;
    cnIdPool_Init(&pool, 2);
    enum {
        count = 100
    };
    uint32_t values[count];
    for (int i = 0; i < count; ++i) {
        values[i] = cnIdPool_Acquire(&pool);
    }
    const int order[5] = {70, 3, 99, 0, 41};
    for (int round = 0; round < 1000; ++round) {
        for (int i = 0; i < 5; ++i) {
            cnIdPool_Release(&pool, values[order[i]]);
        }
        for (int i = 0; i < 5; ++i) {
            values[order[i]] = cnIdPool_Acquire(&pool);
            assert_int_equal(values[order[i]] & (CN_MAX_ROWS - 1), order[i]);
        }
    }
    assert_int_equal(pool.rowCount, count);
    cnIdPool_Free(&pool);
}

static void a_row_is_retired_after_its_last_generation(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < 20; ++seed) {
        cnIdPool pool;
        cnIdPool_Init(&pool, seed);
        bool isUsed[4096] = {false};
        for (int life = 0; life < 4095; ++life) {
            uint32_t value = cnIdPool_Acquire(&pool);
            assert_int_equal(value & (CN_MAX_ROWS - 1), 0);
            uint32_t generation = value >> CN_INDEX_BITS;
            assert_true(generation >= 1 && !isUsed[generation]);
            isUsed[generation] = true;
            cnIdPool_Release(&pool, value);
        }
        assert_int_equal(cnIdPool_Acquire(&pool) & (CN_MAX_ROWS - 1), 1);
        cnIdPool_Free(&pool);
    }
}

static void worlds_start_at_different_generations(void** state) {
    (void)state;
    int same = 0;
    cnIdPool first;
    cnIdPool_Init(&first, 0);
    for (uint32_t seed = 1; seed <= 1000; ++seed) {
        cnIdPool other;
        cnIdPool_Init(&other, seed);
        assert_in_range(other.firstGeneration, 1, 4095);
        same += other.firstGeneration == first.firstGeneration ? 1 : 0;
    }
    assert_true(same < 5);
}

static void a_pool_ends_at_its_last_row(void** state) {
    (void)state;
    cnIdPool pool;
    cnIdPool_Init(&pool, 3);
    uint32_t value = 0;
    for (int i = 0; i < CN_MAX_ROWS; ++i) {
        value = cnIdPool_Acquire(&pool);
    }
    assert_int_equal(cnIdPool_Find(&pool, value), CN_MAX_ROWS - 1);
    assert_int_equal(cnIdPool_Acquire(&pool), 0);
    cnIdPool_Release(&pool, value);
    assert_int_equal(cnIdPool_Find(&pool, cnIdPool_Acquire(&pool)), CN_MAX_ROWS - 1);
    cnIdPool_Free(&pool);
    assert_int_equal(cnGetBytesInUse(), 0);
}

// A ring that grows while rows come and go in random order never hands out a live row.
static void random_lives_never_collide(void** state) {
    (void)state;
    cnIdPool pool;
    cnIdPool_Init(&pool, 4);
    CN_ARRAY(uint32_t) live = {0};
    for (uint64_t i = 0; i < 200000; ++i) {
        uint64_t random = cnMix64(i);
        if (live.count == 0 || random % 100 < (i / 5000 % 2 == 0 ? 60 : 45)) {
            uint32_t value = cnIdPool_Acquire(&pool);
            assert_true(cnIdPool_Find(&pool, value) >= 0);
            assert_true(cnArray_Push(&live, value));
        } else {
            int index = (int)(random / 100 % (uint64_t)live.count);
            uint32_t value = live.data[index];
            assert_true(cnIdPool_Find(&pool, value) >= 0);
            cnIdPool_Release(&pool, value);
            assert_int_equal(cnIdPool_Find(&pool, value), -1);
            live.data[index] = live.data[--live.count];
        }
        assert_int_equal(pool.liveCount, live.count);
    }
    cnArray_Free(&live);
    cnIdPool_Free(&pool);
}

// ---- tables --------------------------------------------------------------------------------------------------------

#define TEST_COLUMNS(X)                                                                                      \
    X(position, cnTriple, cn_f64, 3)                                                                         \
    X(flags, uint32_t, cn_u32, 1)                                                                            \
    X(kind, uint8_t, cn_u8, 1)

typedef struct cnTriple {
    double x, y, z;
} cnTriple;

typedef struct TestTable {
    TEST_COLUMNS(CN_COLUMN_FIELD)
    int capacity;
    CN_GUARD_FIELD
} TestTable;

#define CN_TABLE_TYPE TestTable
static const cnColumn testColumns[] = {TEST_COLUMNS(CN_COLUMN_ENTRY)};
enum {
    testColumnCount = sizeof testColumns / sizeof *testColumns
};

static bool grow_test_table(TestTable* table, int capacity) {
    bool fits = cnTable_Grow(table, testColumns, testColumnCount, capacity);
    table->capacity = fits ? capacity : table->capacity;
    return fits;
}

static void tables_keep_their_rows_when_they_grow(void** state) {
    (void)state;
    TestTable table = {0};
    assert_true(grow_test_table(&table, 4));
    table.position[3] = (cnTriple){1.0, 2.0, 3.0};
    table.flags[3] = 9;
    assert_true(grow_test_table(&table, 64));
    assert_true(table.position[3].z == 3.0);
    assert_int_equal(table.flags[3], 9);
    assert_true(is_zero(table.position + 4, 60 * sizeof(cnTriple)));
    assert_int_equal((uintptr_t)table.kind % 16, 0);
    assert_ptr_equal(cnTable_GetColumn(&table, &testColumns[1]), table.flags);
    assert_string_equal(testColumns[0].name, "position");
    assert_int_equal(testColumns[0].rowBytes, 24);
    assert_int_equal(testColumns[0].lanes, 3);
    assert_true(grow_test_table(&table, 64));
    cnTable_Free(&table, testColumns, testColumnCount, 64);
    assert_null(table.position);
    assert_int_equal(cnGetBytesInUse(), 0);
}

static void a_table_without_memory_stays_as_it_was(void** state) {
    (void)state;
    for (int left = 0; left < 4; ++left) {
        Ration ration;
        start_ration(&ration, 4);
        TestTable table = {0};
        assert_true(grow_test_table(&table, 4));
        table.flags[2] = 5;
        TestTable before = table;
        size_t bytes = cnGetBytesInUse();
        ration.left = left;
        assert_false(grow_test_table(&table, 8));
        assert_memory_equal(&before, &table, offsetof(TestTable, capacity) + sizeof table.capacity);
        assert_int_equal(table.flags[2], 5);
        assert_int_equal(cnGetBytesInUse(), bytes);
        cnTable_Free(&table, testColumns, testColumnCount, 4);
        end_ration(&ration);
    }
}

// ---- guards --------------------------------------------------------------------------------------------------------

#if CN_GUARDS && defined(__unix__)

// What a child says when it ends in abort(); fails where it does not.
static void expect_abort(void (*act)(void), const char* message) {
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL); // cmocka and sanitizers catch it
        dup2(pipes[1], STDERR_FILENO);
        act();
        _exit(0);
    }
    close(pipes[1]);
    char said[1000] = "";
    size_t length = 0;
    for (ssize_t got = 1; got > 0 && length + 1 < sizeof said; length += got > 0 ? (size_t)got : 0) {
        got = read(pipes[0], said + length, sizeof said - 1 - length);
    }
    close(pipes[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(said, message));
}

static void grow_pinned_array(void) {
    CN_ARRAY(int) numbers = {0};
    for (int i = 0; i < 1000; ++i) {
        CN_PIN(&numbers, "a test of arrays");
        cnArray_Push(&numbers, i);
        CN_UNPIN(&numbers);
    }
}

static void free_pinned_array(void) {
    CN_ARRAY(int) numbers = {0};
    cnArray_Push(&numbers, 1);
    CN_PIN(&numbers, "a test of arrays");
    cnArray_Free(&numbers);
}

static void grow_pinned_table(void) {
    TestTable table = {0};
    grow_test_table(&table, 4);
    CN_PIN(&table, "a test of tables");
    grow_test_table(&table, 8);
}

static void unpin_twice(void) {
    CN_ARRAY(int) numbers = {0};
    CN_PIN(&numbers, "a test of arrays");
    CN_UNPIN(&numbers);
    CN_UNPIN(&numbers);
}

static void pinned_memory_must_not_move(void** state) {
    (void)state;
    expect_abort(grow_pinned_array,
                 "memory moves while something points into it (pinned for: a test of arrays");
    expect_abort(free_pinned_array,
                 "memory moves while something points into it (pinned for: a test of arrays");
    expect_abort(grow_pinned_table,
                 "memory moves while something points into it (pinned for: a test of tables");
    expect_abort(unpin_twice, "memory is unpinned that is not pinned");
}

// Where the room is there already, pinned arrays take what is pushed; pins nest.
static void pinned_arrays_take_what_was_reserved(void** state) {
    (void)state;
    CN_ARRAY(int) numbers = {0};
    assert_true(cnArray_Reserve(&numbers, 3));
    CN_PIN(&numbers, "a test");
    CN_PIN(&numbers, "a test within it");
    const int* first = numbers.data;
    for (int i = 0; i < 3; ++i) {
        assert_true(cnArray_Push(&numbers, i));
    }
    assert_ptr_equal(numbers.data, first);
    CN_UNPIN(&numbers);
    CN_UNPIN(&numbers);
    uint32_t generation = numbers.guard.generation;
    assert_true(cnArray_Push(&numbers, 3));
    assert_ptr_not_equal(numbers.data, first);
    assert_int_equal(numbers.guard.generation, generation + 1);
    cnArray_Free(&numbers);
    assert_int_equal(cnGetBytesInUse(), 0);
}

// Blocks that the hooks keep: what was in them is gone all the same.
static void* keep_block(size_t bytes, void* context) {
    (void)context;
    static _Alignas(16) char block[1024];
    return bytes <= sizeof block ? block : NULL;
}

static void leave_block(void* memory, size_t bytes, void* context) {
    (void)memory;
    (void)bytes;
    (void)context;
}

static void freed_memory_is_overwritten(void** state) {
    (void)state;
    cnAllocator allocator = {keep_block, leave_block, NULL};
    assert_int_equal(cnSetAllocator(&allocator), CN_ERROR_NONE);
    double* numbers = cnAllocate(8 * sizeof *numbers);
    numbers[7] = 1.0;
    cnFree(numbers, 8 * sizeof *numbers);
    assert_false(fabs(numbers[7]) < 1e30);
    assert_int_equal(cnSetAllocator(NULL), CN_ERROR_NONE);
}

#endif

#ifdef CN_STACK_POISON

static void read_popped(void) {
    cnStack stack;
    cnStack_Init(&stack, 4096);
    volatile int* numbers = CN_PUSH(&stack, int, 10, "popped");
    numbers[3] = 1;
    cnStack_Pop(&stack, (void*)numbers);
    _exit(numbers[3] == 1 ? 0 : 1);
}

// A child that reads what was popped does not come back: the address sanitizer ends it.
static void popped_entries_are_out_of_reach(void** state) {
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        read_popped();
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#endif

#ifdef NDEBUG

// Guards cost nothing where they are off.
static void guards_are_gone_in_release_builds(void** state) {
    (void)state;
    typedef CN_ARRAY(int) Numbers;
    assert_int_equal(sizeof(Numbers), sizeof(struct {
                         int* data;
                         int count, capacity;
                     }));
}

#endif

// ---- hash and clock ------------------------------------------------------------------------------------------------

static uint64_t hash_of_doubles(const double* numbers, int count) {
    cnHash hash = cnHash_Start();
    cnHash_AddDoubles(&hash, numbers, count);
    return hash.value;
}

static void the_hash_sees_order_and_signs(void** state) {
    (void)state;
    const double numbers[3] = {1.0, 2.0, 0.0};
    const double swapped[3] = {2.0, 1.0, 0.0};
    const double negativeZero[3] = {1.0, 2.0, -0.0};
    assert_true(hash_of_doubles(numbers, 3) == hash_of_doubles(numbers, 3));
    assert_true(hash_of_doubles(numbers, 3) != hash_of_doubles(swapped, 3));
    assert_true(hash_of_doubles(numbers, 3) != hash_of_doubles(negativeZero, 3));
    assert_true(hash_of_doubles(numbers, 3) != hash_of_doubles(numbers, 2));
}

static void the_clock_goes_forward(void** state) {
    (void)state;
    double start = cnGetMilliseconds();
    double now = start;
    while (now == start) {
        now = cnGetMilliseconds();
        assert_true(now >= start);
    }
    assert_true(now - start < 1000.0);
}

// ---- rounding ------------------------------------------------------------------------------------------------------

typedef struct Three {
    double x, y, z;
} Three;

// Straight code as sweeps and groups of joints exchange velocities.
static void exchange(float lanes[4], Three from, Three* read) {
    lanes[0] = (float)from.x;
    lanes[1] = (float)from.y;
    lanes[2] = (float)from.z;
    *read = (Three){lanes[0], lanes[1], lanes[2]};
}

static void (*volatile exchangeUnseen)(float[4], Three, Three*) = exchange;

static void floats_that_are_read_again_are_rounded(void** state) {
    (void)state;
    float lanes[4];
    Three read = {0};
    exchangeUnseen(lanes, (Three){1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0}, &read);
    assert_true(read.x == (double)lanes[0] && read.x != 1.0 / 3.0);
    assert_true(read.y == (double)lanes[1] && read.y != 1.0 / 5.0);
    assert_true(read.z == (double)lanes[2] && read.z != 1.0 / 7.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_aligned_zeroed_and_counted),
        cmocka_unit_test(a_rejected_block_leaves_the_old_one),
        cmocka_unit_test(the_allocator_stays_while_it_is_used),
        cmocka_unit_test(every_code_has_a_name_and_a_text),
        cmocka_unit_test(a_failure_is_recorded_with_its_place),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(threads_have_errors_of_their_own),
        cmocka_unit_test(log_lines_reach_their_function),
        cmocka_unit_test(arrays_grow_and_give_back),
        cmocka_unit_test(an_array_without_memory_stays_as_it_was),
        cmocka_unit_test(bitsets_hold_their_members),
        cmocka_unit_test(the_stack_grows_to_what_a_step_wants),
        cmocka_unit_test(the_stack_names_what_is_left),
        cmocka_unit_test(handles_of_dead_objects_are_rejected),
        cmocka_unit_test(rows_are_reused_first_in_first_out),
        cmocka_unit_test(a_row_is_retired_after_its_last_generation),
        cmocka_unit_test(worlds_start_at_different_generations),
        cmocka_unit_test(a_pool_ends_at_its_last_row),
        cmocka_unit_test(random_lives_never_collide),
        cmocka_unit_test(tables_keep_their_rows_when_they_grow),
        cmocka_unit_test(a_table_without_memory_stays_as_it_was),
#if CN_GUARDS && defined(__unix__)
        cmocka_unit_test(pinned_memory_must_not_move),
        cmocka_unit_test(pinned_arrays_take_what_was_reserved),
        cmocka_unit_test(freed_memory_is_overwritten),
#endif
#ifdef CN_STACK_POISON
        cmocka_unit_test(popped_entries_are_out_of_reach),
#endif
#ifdef NDEBUG
        cmocka_unit_test(guards_are_gone_in_release_builds),
#endif
        cmocka_unit_test(the_hash_sees_order_and_signs),
        cmocka_unit_test(the_clock_goes_forward),
        cmocka_unit_test(floats_that_are_read_again_are_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
