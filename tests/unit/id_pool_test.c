// Pools of ids: rows are reused first in, first out, and handles of dead objects are rejected.
#include "base/containers/id_pool.h"
#include "helpers.h"

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

// Room that is reserved while the ring of free rows wraps keeps their order, and acquiring takes no memory.
static void reserved_rows_come_in_the_same_order(void** state) {
    (void)state;
    for (int start = 0; start < 20; ++start) {
        cnIdPool pool, other;
        cnIdPool_Init(&pool, 5);
        cnIdPool_Init(&other, 5);
        cnIdPool* pools[] = {&pool, &other};
        for (int p = 0; p < 2; ++p) {
            uint32_t values[20];
            for (int i = 0; i < 20; ++i) {
                values[i] = cnIdPool_Acquire(pools[p]);
            }

            // the ring's head moves on, so that its tail goes round
            for (int i = 0; i < start; ++i) {
                cnIdPool_Release(pools[p], values[i]);
                values[i] = cnIdPool_Acquire(pools[p]);
            }
            for (int i = 19; i >= 3; --i) {
                cnIdPool_Release(pools[p], values[i]);
            }
        }
        assert_int_equal(cnIdPool_GetRoom(&pool), CN_MAX_ROWS - 3);
        assert_true(cnIdPool_Reserve(&pool, 100));
        size_t bytes = cnGetBytesInUse();
        for (int i = 0; i < 100; ++i) {
            assert_int_equal(cnIdPool_Acquire(&pool), cnIdPool_Acquire(&other));
            assert_int_equal(pool.rowCount, other.rowCount);
        }
        cnIdPool_Free(&other);
        assert_true(cnGetBytesInUse() <= bytes);
        cnFault fault;
        assert_true(cnIdPool_Validate(&pool, "rows", &fault));
        cnIdPool_Free(&pool);
    }
}

int main(void) {
    return run_all(handles_of_dead_objects_are_rejected, rows_are_reused_first_in_first_out,
                   a_row_is_retired_after_its_last_generation, worlds_start_at_different_generations,
                   a_pool_ends_at_its_last_row, random_lives_never_collide,
                   reserved_rows_come_in_the_same_order);
}
