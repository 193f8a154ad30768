// The allocator, arrays, paged ones, bitsets, the step stack and tables: what they hold, what stays without
// memory, and what guards catch.
#include "base/containers/bitset.h"
#include "base/containers/paged_array.h"
#include "base/containers/table.h"
#include "base/stack.h"
#include "helpers.h"

#if defined(__unix__)
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

// ---- capacities -------------------------------------------------------------------------------------------

// Few double, many grow by half, and nothing overflows.
static void capacities_grow_by_steps(void** state) {
    (void)state;
    assert_int_equal(cnGrownCapacity(1024, 1025, 8), 2048);
    assert_int_equal(cnGrownCapacity(2048, 2049, 8), 3072);
    assert_int_equal(cnGrownCapacity(2048, 5000, 8), 5000);
    assert_int_equal(cnGrownCapacity(0, 65, 100), 100);
    assert_int_equal(cnGrownCapacity(INT32_MAX - 1, INT32_MAX, 8), INT32_MAX);
    assert_int_equal(cnGrownCapacity(0, 5, 8), CN_GUARDS ? 5 : 8);
}

// ---- allocator --------------------------------------------------------------------------------------------

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

// ---- arrays and sets --------------------------------------------------------------------------------------

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

    assert_int_equal(cnBitset_Count(&multiplesOf7), 142 + 2);

    // a reset set is empty, whatever its size
    assert_true(cnBitset_Reset(&multiplesOf7, 100));
    assert_int_equal(cnBitset_Next(&multiplesOf7, 0), -1);
    assert_true(cnBitset_Reset(&multiplesOf7, 0));
    assert_int_equal(cnBitset_Next(&multiplesOf7, 0), -1);
    cnBitset_Free(&multiplesOf7);
    cnBitset_Free(&others);
    assert_int_equal(cnGetBytesInUse(), 0);
}

// ---- paged arrays -----------------------------------------------------------------------------------------

// Long enough for pages of 64 items.
typedef struct cnLongItem {
    int number;
    char rest[300];
} cnLongItem;

typedef CN_PAGED_ARRAY(cnLongItem) LongItems;

static bool push_long_item(LongItems* items, int number) {
    if (!cnPagedArray_Reserve(items, items->count + 1)) {
        return false;
    }
    cnPagedArray_At(items, items->count)->number = number;
    items->count += 1;
    return true;
}

static void items_of_pages_stay_where_they_are(void** state) {
    (void)state;
    LongItems items = {0};
    const cnLongItem* places[1000];
    for (int i = 0; i < 1000; ++i) {
        assert_true(push_long_item(&items, 3 * i));
        places[i] = cnPagedArray_At(&items, i);
        assert_int_equal(items.capacity, 64 * (i / 64 + 1));
    }
    for (int i = 0; i < 1000; ++i) {
        assert_ptr_equal(cnPagedArray_At(&items, i), places[i]);
        assert_int_equal(places[i]->number, 3 * i);
    }
    assert_ptr_equal(places[63] + 1, places[0] + 64);

    // many pages at once, and none where there is room
    assert_true(cnPagedArray_Reserve(&items, 64 * 40));
    size_t bytes = cnGetBytesInUse();
    assert_true(cnPagedArray_Reserve(&items, 64 * 40) && cnPagedArray_Reserve(&items, 0));
    assert_int_equal(cnGetBytesInUse(), bytes);
    assert_ptr_equal(cnPagedArray_At(&items, 999), places[999]);
    assert_false(cnPagedArray_Reserve(&items, INT32_MAX));
    cnPagedArray_Free(&items);
    assert_null(items.pages);
    assert_int_equal(cnGetBytesInUse(), 0);
}

// Pages of 300 items take five allocations of pages and some of their list.
static void a_paged_array_without_memory_keeps_its_items(void** state) {
    (void)state;
    int failures = 0;
    for (int left = 0; left < 12; ++left) {
        Ration ration;
        start_ration(&ration, left);
        LongItems items = {0};
        int count = 0;
        while (count < 300 && push_long_item(&items, count)) {
            count += 1;
        }
        failures += count < 300;
        assert_int_equal(items.count, count);
        assert_int_equal(count == 300 ? 0 : count % 64, 0);
        for (int i = 0; i < count; ++i) {
            assert_int_equal(cnPagedArray_At(&items, i)->number, i);
        }
        cnPagedArray_Free(&items);
        assert_int_equal(cnGetBytesInUse(), 0);
        end_ration(&ration);
    }
    assert_in_range(failures, 5, 11);
}

static void pages_of_others_are_read_in_place(void** state) {
    (void)state;
    static cnLongItem lent[130];
    lent[0].number = 1;
    lent[129].number = 5;
    LongItems items = {(cnLongItem**)(void*)cnPagedArray_Lend(lent, 130, sizeof *lent), .count = 130};
    assert_ptr_equal(cnPagedArray_At(&items, 0), &lent[0]);
    assert_ptr_equal(cnPagedArray_At(&items, 129), &lent[129]);
    cnPagedArray_GiveBack((void**)(void*)items.pages, 130, sizeof *lent);
    assert_null(cnPagedArray_Lend(lent, 0, sizeof *lent));
    assert_int_equal(cnGetBytesInUse(), 0);
}

// ---- step stack -------------------------------------------------------------------------------------------

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

// Steps that want more and more of one entry leave blocks behind in which it does not fit.
static void the_stack_stays_near_what_a_step_wants(void** state) {
    (void)state;
    cnStack stack;
    assert_true(cnStack_Init(&stack, 1000));
    int moves = 0;
    size_t wanted = 0;
    for (size_t bytes = 1000; bytes < 1000000; bytes += bytes / 20) {
        int blocks = stack.blockCount;
        char* first = CN_PUSH(&stack, char, 100, "small");
        char* growing = CN_PUSH(&stack, char, bytes, "growing");
        char* last = CN_PUSH(&stack, char, 3 * bytes / 10, "a third of it");
        assert_non_null(first);
        memset(growing, 1, bytes);
        memset(last, 2, 3 * bytes / 10);
        assert_int_equal(growing[bytes - 1], 1);
        wanted = stack.wanted;
        cnStack_PopTo(&stack, 0);
        assert_true(cnStack_Settle(&stack));
        moves += stack.blockCount < blocks;
        assert_true(stack.capacity <= 3 * wanted / 2 + 16);
        assert_int_equal(cnGetBytesInUse(), stack.capacity);
    }
    assert_in_range(moves, 2, 40);

    // what fits goes on without
    size_t before = cnGetBytesInUse();
    char* all = CN_PUSH(&stack, char, wanted / 4, "again");
    assert_non_null(all);
    assert_int_equal(cnGetBytesInUse(), before);
    cnStack_Pop(&stack, all);
    assert_true(cnStack_Settle(&stack));
    cnStack_Free(&stack);
    assert_int_equal(cnGetBytesInUse(), 0);
}

// A block that memory is short for is left out, and so is the step's entry only where even that is too much.
static void a_stack_without_memory_says_so(void** state) {
    (void)state;
    Ration ration;
    start_ration(&ration, 2);
    cnStack stack;
    assert_true(cnStack_Init(&stack, 256));
    assert_non_null(CN_PUSH(&stack, char, 1000, "the last that there is"));
    assert_null(CN_PUSH(&stack, char, 1000, "too much"));
    assert_int_equal(stack.entryCount, 1);
    cnStack_PopTo(&stack, 0);
    assert_true(cnStack_Settle(&stack));
    cnStack_Free(&stack);
    assert_int_equal(cnGetBytesInUse(), 0);
    end_ration(&ration);
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

// ---- tables -----------------------------------------------------------------------------------------------

#define TEST_COLUMNS(X, T)                                                                                   \
    X(T, position, cnTriple, cn_f64, 3, cn_state)                                                            \
    X(T, flags, uint32_t, cn_u32, 1, cn_input)                                                               \
    X(T, kind, uint8_t, cn_u8, 1, cn_derived)                                                                \
    X(T, hidden, cnTriple, cn_record, 1, cn_state)

typedef struct cnTriple {
    double x, y, z;
} cnTriple;

typedef struct TestTable {
    TEST_COLUMNS(CN_COLUMN_FIELD, TestTable)
    CN_TABLE_FIELDS
} TestTable;

static const cnColumnList testColumns = CN_COLUMN_LIST(TEST_COLUMNS, TestTable);

static bool grow_test_table(TestTable* table, int capacity) {
    return cnTable_Grow(table, &testColumns, capacity, capacity);
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
    assert_ptr_equal(cnTable_GetColumn(&table, &testColumns.columns[1]), table.flags);
    assert_string_equal(testColumns.columns[0].name, "position");
    assert_int_equal(testColumns.columns[0].rowBytes, 24);
    assert_int_equal(testColumns.columns[0].lanes, 3);
    assert_int_equal(testColumns.columns[1].role, cn_input);
    assert_int_equal(cnColumnList_CountPublic(&testColumns), 3);
    assert_int_equal(table.epoch, 2);
    assert_true(grow_test_table(&table, 64));
    assert_int_equal(table.epoch, 2);
    cnTable_Free(&table, &testColumns);
    assert_null(table.position);
    assert_int_equal(cnGetBytesInUse(), 0);
}

static void a_table_without_memory_stays_as_it_was(void** state) {
    (void)state;
    for (int left = 0; left <= testColumns.count; ++left) {
        Ration ration;
        start_ration(&ration, testColumns.count + 1);
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
        cnTable_Free(&table, &testColumns);
        end_ration(&ration);
    }
}

// ---- guards -----------------------------------------------------------------------------------------------

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacities_grow_by_steps),
        cmocka_unit_test(memory_is_aligned_zeroed_and_counted),
        cmocka_unit_test(a_rejected_block_leaves_the_old_one),
        cmocka_unit_test(the_allocator_stays_while_it_is_used),
        cmocka_unit_test(arrays_grow_and_give_back),
        cmocka_unit_test(an_array_without_memory_stays_as_it_was),
        cmocka_unit_test(items_of_pages_stay_where_they_are),
        cmocka_unit_test(a_paged_array_without_memory_keeps_its_items),
        cmocka_unit_test(pages_of_others_are_read_in_place),
        cmocka_unit_test(bitsets_hold_their_members),
        cmocka_unit_test(the_stack_grows_to_what_a_step_wants),
        cmocka_unit_test(the_stack_stays_near_what_a_step_wants),
        cmocka_unit_test(a_stack_without_memory_says_so),
        cmocka_unit_test(the_stack_names_what_is_left),
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
