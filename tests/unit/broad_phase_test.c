// The broad phase against brute force: worlds of proxies that come, go, move, change kind and filter at
// random.
//
// The reference knows nothing of trees or hash sets. It asks for every proxy's fat box, tests all pairs of
// them, and tells which pairs must begin and end from the lives (not numbers) of the proxies that made up the
// last set.
#include "base/containers/hash.h"
#include "random_boxes.h"

#include <float.h>

enum {
    worldCount = 3
};

// ---- the reference ----------------------------------------------------------------------------------------

typedef struct Reference {
    int count; // numbers ever used
    bool lives[maxProxies];
    bool moves[maxProxies];
    int life[maxProxies];
    int group[maxProxies];
    int carrier[maxProxies]; // of those that move together; 0: alone
    int lastCarrier;
    cnBounds bounds[maxProxies];
    int pairLives[maxProxies][maxProxies][2]; // of the live pairs, 0 without
    int lastLife;
} Reference;

// Groups 0 to 3: a group collides with all but itself; group 3 with none.
static bool filter_groups(int proxy1, int proxy2, void* context) {
    const Reference* reference = context;
    int group1 = reference->group[proxy1];
    int group2 = reference->group[proxy2];
    return proxy1 < proxy2 && group1 != group2 && group1 != 3 && group2 != 3;
}

static bool move_together(int proxy1, int proxy2, void* context) {
    const Reference* reference = context;
    return reference->carrier[proxy1] != 0 && reference->carrier[proxy1] == reference->carrier[proxy2];
}

static void check_update(Reference* reference, const cnBroadPhase* broadPhase) {
    int begunCount, endedCount;
    const cnProxyPair* begun = cnBroadPhase_GetBegun(broadPhase, &begunCount);
    const cnProxyPair* ended = cnBroadPhase_GetEnded(broadPhase, &endedCount);
    int begunSeen = 0;
    int endedSeen = 0;
    int pairCount = 0;
    cnBounds fat[maxProxies];
    for (int i = 0; i < reference->count; ++i) {
        if (reference->lives[i]) {
            fat[i] = cnBroadPhase_GetFatBounds(broadPhase, i);
            assert_true(is_around(fat[i], reference->bounds[i]));
        }
    }
    for (int i = 0; i < reference->count; ++i) {
        for (int j = i + 1; j < reference->count; ++j) {
            bool pairs = reference->lives[i] && reference->lives[j] &&
                         (reference->moves[i] || reference->moves[j]) && filter_groups(i, j, reference) &&
                         boxes_overlap(fat[i], fat[j]);
            int* before = reference->pairLives[i][j];
            bool paired = before[0] != 0;
            bool same = before[0] == reference->life[i] && before[1] == reference->life[j];
            pairs = pairs && ((paired && same) || !move_together(i, j, reference));
            if (paired && !(pairs && same)) {
                assert_true(endedSeen < endedCount);
                assert_int_equal(ended[endedSeen].proxy1, i);
                assert_int_equal(ended[endedSeen].proxy2, j);
                endedSeen += 1;
            }
            if (pairs && !(paired && same)) {
                assert_true(begunSeen < begunCount);
                assert_int_equal(begun[begunSeen].proxy1, i);
                assert_int_equal(begun[begunSeen].proxy2, j);
                begunSeen += 1;
            }
            before[0] = pairs ? reference->life[i] : 0;
            before[1] = pairs ? reference->life[j] : 0;
            pairCount += pairs;
            assert_int_equal(cnBroadPhase_HasPair(broadPhase, j, i), pairs);
        }
    }
    assert_int_equal(begunSeen, begunCount);
    assert_int_equal(endedSeen, endedCount);
    assert_int_equal(cnBroadPhase_GetPairCount(broadPhase), pairCount);
}

// Worlds in lockstep: one per number of threads

typedef struct Worlds {
    cnBroadPhase* broadPhases[worldCount];
    cnThreadPool* pools[worldCount];
    Reference reference;
} Worlds;

static Worlds* create_worlds(void) {
    Worlds* worlds = calloc(1, sizeof *worlds);
    assert_non_null(worlds);
    static const int threads[worldCount] = {1, 2, 4};
    for (int i = 0; i < worldCount; ++i) {
        worlds->broadPhases[i] = cnBroadPhase_Create();
        worlds->pools[i] = cnThreadPool_Borrow(threads[i]);
        assert_non_null(worlds->broadPhases[i]);
        assert_int_equal(cnThreadPool_GetThreads(worlds->pools[i]), threads[i]);
    }
    return worlds;
}

static void destroy_worlds(Worlds* worlds) {
    for (int i = 0; i < worldCount; ++i) {
        cnBroadPhase_Destroy(worlds->broadPhases[i]);
        cnThreadPool_Return(worlds->pools[i]);
    }
    free(worlds);
    assert_int_equal(cnGetBytesInUse(), 0);
}

static int add_proxy(Worlds* worlds, cnBounds bounds, bool moves, int group) {
    int number = cnBroadPhase_AddProxy(worlds->broadPhases[0], bounds, moves);
    for (int i = 1; i < worldCount; ++i) {
        assert_int_equal(cnBroadPhase_AddProxy(worlds->broadPhases[i], bounds, moves), number);
    }
    Reference* reference = &worlds->reference;
    assert_in_range(number, 0, maxProxies - 1);
    assert_false(reference->lives[number]);
    reference->count = number >= reference->count ? number + 1 : reference->count;
    reference->lives[number] = true;
    reference->moves[number] = moves;
    reference->life[number] = ++reference->lastLife;
    reference->group[number] = group;
    reference->carrier[number] = 0;
    reference->bounds[number] = bounds;
    return number;
}

static void remove_proxy(Worlds* worlds, int number) {
    for (int i = 0; i < worldCount; ++i) {
        cnBroadPhase_RemoveProxy(worlds->broadPhases[i], number);
    }
    worlds->reference.lives[number] = false;
}

typedef enum MoveKind {
    moveAtOnce,
    moveLater
} MoveKind;

static void move_proxy(Worlds* worlds, int number, cnBounds bounds, cnVec3 displacement, MoveKind kind) {
    for (int i = 0; i < worldCount; ++i) {
        if (kind == moveAtOnce) {
            cnBroadPhase_MoveProxy(worlds->broadPhases[i], number, bounds, displacement);
        } else {
            cnBroadPhase_SetBounds(worlds->broadPhases[i], number, bounds, displacement);
        }
    }
    worlds->reference.bounds[number] = bounds;
}

static void touch_proxy(Worlds* worlds, int number) {
    for (int i = 0; i < worldCount; ++i) {
        cnBroadPhase_TouchProxy(worlds->broadPhases[i], number);
    }
}

static void update_worlds(Worlds* worlds) {
    for (int i = 0; i < worldCount; ++i) {
        cnBroadPhase* broadPhase = worlds->broadPhases[i];
        assert_true(cnBroadPhase_Validate(broadPhase));
        assert_true(cnBroadPhase_Update(broadPhase, worlds->pools[i], filter_groups, move_together,
                                        &worlds->reference));
        assert_true(cnBroadPhase_Validate(broadPhase));
        assert_int_equal(cnBroadPhase_Hash(broadPhase), cnBroadPhase_Hash(worlds->broadPhases[0]));
        int count, firstCount;
        const cnProxyPair* pairs = cnBroadPhase_GetBegun(broadPhase, &count);
        const cnProxyPair* firstPairs = cnBroadPhase_GetBegun(worlds->broadPhases[0], &firstCount);
        assert_int_equal(count, firstCount);
        if (count > 0) {
            assert_memory_equal(pairs, firstPairs, (size_t)count * sizeof *pairs);
        }
        pairs = cnBroadPhase_GetEnded(broadPhase, &count);
        firstPairs = cnBroadPhase_GetEnded(worlds->broadPhases[0], &firstCount);
        assert_int_equal(count, firstCount);
        if (count > 0) {
            assert_memory_equal(pairs, firstPairs, (size_t)count * sizeof *pairs);
        }
    }
    check_update(&worlds->reference, worlds->broadPhases[0]);
}

// ---- random worlds ----------------------------------------------------------------------------------------

static int random_live(const Reference* reference) {
    int start = random_int(reference->count);
    for (int i = 0; i < reference->count; ++i) {
        int number = (start + i) % reference->count;
        if (reference->lives[number]) {
            return number;
        }
    }
    return -1;
}

static cnBounds shifted(cnBounds bounds, cnVec3 shift) {
    return (cnBounds){cnAdd(bounds.lower, shift), cnAdd(bounds.upper, shift)};
}

static void random_change(const Recipe* recipe, Worlds* worlds) {
    Reference* reference = &worlds->reference;
    int number = random_live(reference);
    int choice = random_int(7);
    bool moves = random_int(100) < recipe->moving;
    if (number < 0 || choice == 0) {
        if (reference->count < maxProxies - 1) {
            add_proxy(worlds, random_bounds(recipe), moves, random_int(4));
        }
    } else if (choice == 1) {
        remove_proxy(worlds, number);
    } else if (choice == 2) {
        remove_proxy(worlds, number);
        add_proxy(worlds, random_bounds(recipe), moves, random_int(4));
    } else if (choice == 3) {
        reference->group[number] = random_int(4);
        touch_proxy(worlds, number);
    } else if (choice == 4) {
        touch_proxy(worlds, number);
    } else if (choice == 5) {
        for (int i = 0; i < worldCount; ++i) {
            assert_true(cnBroadPhase_SetMoves(worlds->broadPhases[i], number, moves));
        }
        reference->moves[number] = moves;
    } else {
        MoveKind kind = random_int(2) == 0 ? moveAtOnce : moveLater;
        move_proxy(worlds, number, random_bounds(recipe), cnVec3_zero, kind);
    }
}

// Some in a row come together in one place, or part where they are.
static void random_merge(const Recipe* recipe, Worlds* worlds) {
    Reference* reference = &worlds->reference;
    int begin = random_int(reference->count), end = begin + 2 + random_int(20);
    int carrier = random_int(4) > 0 ? ++reference->lastCarrier : 0;
    cnBounds place = random_bounds(recipe);
    for (int i = begin; i < end && i < reference->count; ++i) {
        if (reference->lives[i]) {
            reference->carrier[i] = carrier;
            touch_proxy(worlds, i);
            if (carrier != 0) {
                cnVec3 shift = random_vec_in(-recipe->size, recipe->size);
                move_proxy(worlds, i, shifted(place, shift), cnVec3_zero, moveLater);
            }
        }
    }
}

// All that one carries.
static void move_carried(const Recipe* recipe, Worlds* worlds) {
    Reference* reference = &worlds->reference;
    int carrier = reference->carrier[random_int(reference->count)];
    cnVec3 shift = random_vec_in(-recipe->size, recipe->size);
    for (int i = 0; i < reference->count; ++i) {
        if (carrier != 0 && reference->lives[i] && reference->carrier[i] == carrier) {
            move_proxy(worlds, i, shifted(reference->bounds[i], shift), shift, moveLater);
        }
    }
}

static void run_recipe(const Recipe* recipe) {
    Worlds* worlds = create_worlds();
    Reference* reference = &worlds->reference;
    randomState = recipe->seed;
    for (int i = 0; i < 100; ++i) {
        add_proxy(worlds, random_bounds(recipe), random_int(100) < recipe->moving, random_int(4));
    }
    update_worlds(worlds);
    for (int step = 0; step < recipe->steps; ++step) {
        for (int i = 0; i < reference->count; ++i) {
            if (reference->lives[i] && random_int(100) < recipe->busy) {
                cnVec3 shift = random_vec_in(-0.3 * recipe->size, 0.3 * recipe->size);
                cnVec3 displacement = random_int(3) == 0 ? cnScale(10.0, shift) : shift;
                MoveKind kind = random_int(4) == 0 ? moveAtOnce : moveLater;
                move_proxy(worlds, i, shifted(reference->bounds[i], shift), displacement, kind);
            }
        }
        int changes = random_int(8);
        for (int i = 0; i < changes; ++i) {
            random_change(recipe, worlds);
        }
        if (random_int(100) < recipe->merging) {
            random_merge(recipe, worlds);
        }
        if (recipe->merging > 0) {
            move_carried(recipe, worlds);
        }
        update_worlds(worlds);
    }
    destroy_worlds(worlds);
}

static void random_worlds_match_brute_force(void** state) {
    (void)state;
    static const Recipe recipes[] = {
        {.seed = 1, .extent = 5.0, .size = 1.0, .moving = 70, .steps = 150, .busy = 5},
        {.seed = 2, .extent = 5.0, .size = 1.0, .moving = 70, .steps = 150, .busy = 100},
        {.seed = 3, .extent = 20.0, .size = 2.0, .moving = 50, .steps = 100, .busy = 30, .unbounded = 5},
        {.seed = 4, .extent = 1.0, .size = 1.0, .moving = 100, .steps = 60, .busy = 40},
        {.seed = 5, .extent = 0.0, .size = 0.0, .moving = 50, .steps = 60, .busy = 40},
        {.seed = 6, .extent = 100.0, .size = 1.0, .moving = 0, .steps = 60, .busy = 10, .unbounded = 50},
    };
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; ++i) {
        run_recipe(&recipes[i]);
    }
}

static void what_moves_together_matches_brute_force(void** state) {
    (void)state;
    static const Recipe recipes[] = {
        {.seed = 21, .extent = 20.0, .size = 1.0, .moving = 80, .steps = 200, .busy = 5, .merging = 30},
        {.seed = 22, .extent = 20.0, .size = 2.0, .moving = 100, .steps = 200, .busy = 0, .merging = 50},
        {.seed = 23, .extent = 3.0, .size = 1.0, .moving = 70, .steps = 100, .busy = 20, .merging = 30},
        {.seed = 24,
         .extent = 50.0,
         .size = 3.0,
         .moving = 70,
         .steps = 100,
         .unbounded = 5,
         .busy = 5,
         .merging = 30},
    };
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; ++i) {
        run_recipe(&recipes[i]);
    }
}

static void huge_coordinates_match_brute_force(void** state) {
    (void)state;
    static const Recipe recipes[] = {
        {.seed = 11, .extent = 5.0, .size = 1.0, .offset = 1e6, .moving = 70, .steps = 60, .busy = 30},
        {.seed = 12, .extent = 50.0, .size = 9.0, .offset = -9e8, .moving = 70, .steps = 60, .busy = 30},
        {.seed = 13, .extent = 1e8, .size = 1e8, .offset = 9.5e8, .moving = 70, .steps = 100, .busy = 30},
        {.seed = 14, .extent = 1e30, .size = 1e29, .moving = 70, .steps = 60, .busy = 30, .unbounded = 10},
        {.seed = 15, .extent = 1e300, .size = 1e299, .moving = 70, .steps = 40, .busy = 30},
        {.seed = 16, .extent = 1e-40, .size = 1e-41, .moving = 70, .steps = 40, .busy = 30},
    };
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; ++i) {
        run_recipe(&recipes[i]);
    }
}

// ---- single cases -----------------------------------------------------------------------------------------

static void reused_number_ends_old_pairs_and_begins_new(void** state) {
    (void)state;
    Worlds* worlds = create_worlds();
    int first = add_proxy(worlds, cube_at(0, 0, 0, 1), true, 0);
    int second = add_proxy(worlds, cube_at(1, 0, 0, 1), true, 1);
    update_worlds(worlds);
    remove_proxy(worlds, second);
    assert_int_equal(add_proxy(worlds, cube_at(0, 1, 0, 1), true, 1), second);
    update_worlds(worlds);
    int count;
    cnBroadPhase_GetBegun(worlds->broadPhases[0], &count);
    assert_int_equal(count, 1);
    const cnProxyPair* ended = cnBroadPhase_GetEnded(worlds->broadPhases[0], &count);
    assert_int_equal(count, 1);
    assert_int_equal(ended[0].proxy1, first);
    assert_int_equal(ended[0].proxy2, second);

    // there and gone between two updates
    remove_proxy(worlds, second);
    add_proxy(worlds, cube_at(0, 1, 0, 1), true, 1);
    remove_proxy(worlds, second);
    update_worlds(worlds);
    update_worlds(worlds);
    destroy_worlds(worlds);
}

static void numbers_are_reused_first_in_first_out(void** state) {
    (void)state;
    Worlds* worlds = create_worlds();
    for (int i = 0; i < 8; ++i) {
        assert_int_equal(add_proxy(worlds, cube_at(i, 0, 0, 1), true, 0), i);
    }
    remove_proxy(worlds, 5);
    remove_proxy(worlds, 2);
    remove_proxy(worlds, 7);
    assert_int_equal(add_proxy(worlds, cube_at(0, 0, 0, 1), true, 0), 5);
    assert_int_equal(add_proxy(worlds, cube_at(0, 0, 0, 1), true, 0), 2);
    assert_int_equal(add_proxy(worlds, cube_at(0, 0, 0, 1), true, 0), 7);
    assert_int_equal(add_proxy(worlds, cube_at(0, 0, 0, 1), true, 0), 8);
    assert_int_equal(cnBroadPhase_GetProxyCount(worlds->broadPhases[0]), 9);
    destroy_worlds(worlds);
}

static void resting_proxy_keeps_its_box(void** state) {
    (void)state;
    cnBroadPhase* broadPhase = cnBroadPhase_Create();
    int number = cnBroadPhase_AddProxy(broadPhase, cube_at(0, 0, 0, 0.5), true);
    assert_true(cnBroadPhase_Update(broadPhase, NULL, NULL, NULL, NULL));
    cnBounds before = cnBroadPhase_GetFatBounds(broadPhase, number);
    uint64_t hash = cnBroadPhase_Hash(broadPhase);
    for (int i = 0; i < 100; ++i) {
        cnBroadPhase_MoveProxy(broadPhase, number, cube_at(0.0009 * i, 0, 0, 0.5), cnVec(0.0009, 0, 0));
    }
    assert_int_equal(cnBroadPhase_Hash(broadPhase), hash);

    // speed stretches the box, rest takes that back
    cnBroadPhase_MoveProxy(broadPhase, number, cube_at(1, 0, 0, 0.5), cnVec(3, 0, 0));
    cnBounds stretched = cnBroadPhase_GetFatBounds(broadPhase, number);
    assert_true(stretched.upper.x >= 4.5);
    assert_true(stretched.lower.x >= 0.3);
    cnBroadPhase_MoveProxy(broadPhase, number, cube_at(1, 0, 0, 0.5), cnVec3_zero);
    cnBounds after = cnBroadPhase_GetFatBounds(broadPhase, number);
    assert_true(after.upper.x - after.lower.x <= before.upper.x - before.lower.x + 1e-5);
    cnBroadPhase_Destroy(broadPhase);
}

static void boxes_are_rounded_outwards(void** state) {
    (void)state;
    static const double numbers[] = {0.1,  -0.1,  1.0 / 3.0, 16777217.0, -16777217.0, 1e-46,  -1e-46, 1e-310,
                                     1e30, -1e30, 3.5e38,    -3.5e38,    1e300,       -1e300, 0.0,    -0.0};
    cnBroadPhase* broadPhase = cnBroadPhase_Create();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        cnVec3 point = cnVec(numbers[i], numbers[i], numbers[i]);
        cnBounds bounds = {point, point};
        int number = cnBroadPhase_AddProxy(broadPhase, bounds, false);
        cnBounds fat = cnBroadPhase_GetFatBounds(broadPhase, number);
        assert_true(is_around(fat, bounds));
        if (fabs(numbers[i]) < 1e38) {
            double width = fat.upper.x - fat.lower.x;
            assert_true(width <= fabs(numbers[i]) * 0x1p-22 + 3e-45);
        }
    }
    assert_true(cnBroadPhase_Validate(broadPhase));
    cnBroadPhase_Destroy(broadPhase);
}

static bool pass_none(int proxy1, int proxy2, void* context) {
    (void)proxy1;
    (void)proxy2;
    (void)context;
    return false;
}

static bool count_visit(int proxy, void* context) {
    (void)proxy;
    *(int*)context += 1;
    return true;
}

static void equal_boxes_make_no_tall_tree(void** state) {
    (void)state;
    enum {
        count = 2000
    };
    cnBroadPhase* broadPhase = cnBroadPhase_Create();
    for (int i = 0; i < count; ++i) {
        assert_int_equal(cnBroadPhase_AddProxy(broadPhase, cube_at(0, 0, 0, 1), true), i);
    }
    assert_true(cnBroadPhase_Update(broadPhase, NULL, pass_none, NULL, NULL));
    assert_true(cnBroadPhase_Validate(broadPhase));
    int visits = 0;
    cnBroadPhase_Overlap(broadPhase, cube_at(0, 0, 0, 0.1), count_visit, &visits);
    assert_int_equal(visits, count);
    for (int i = 0; i < count; ++i) {
        cnBroadPhase_MoveProxy(broadPhase, i, cube_at(5, 0, 0, 1), cnVec3_zero);
    }
    assert_true(cnBroadPhase_Update(broadPhase, NULL, pass_none, NULL, NULL));
    assert_true(cnBroadPhase_Validate(broadPhase));
    cnBroadPhase_Destroy(broadPhase);
}

static void nested_boxes_make_no_tall_tree(void** state) {
    (void)state;
    enum {
        count = 1500
    };
    for (int direction = 0; direction < 2; ++direction) {
        cnBroadPhase* broadPhase = cnBroadPhase_Create();
        for (int i = 0; i < count; ++i) {
            int exponent = direction == 0 ? i : count - 1 - i;
            double half = 1e-9 * pow(1.02, exponent);
            assert_int_equal(cnBroadPhase_AddProxy(broadPhase, cube_at(half, half, half, half), false), i);
            assert_true(i % 100 != 0 || cnBroadPhase_Validate(broadPhase));
        }
        assert_true(cnBroadPhase_Update(broadPhase, NULL, pass_none, NULL, NULL));
        assert_true(cnBroadPhase_Validate(broadPhase));
        int visits = 0;
        cnBroadPhase_Overlap(broadPhase, cube_at(0, 0, 0, 1e-12), count_visit, &visits);
        assert_int_equal(visits, count);
        cnBroadPhase_Destroy(broadPhase);
    }
}

// ---- memory -----------------------------------------------------------------------------------------------

// A box that runs round a circle once in 100 steps.
static cnBounds orbit(int number, int step) {
    double angle = 0.02 * CN_PI * (double)(step + 37 * number);
    double radius = 1.0 + 0.05 * number;
    return cube_at(radius * cos(angle), 0.1 * (number % 10), radius * sin(angle), 0.3);
}

static void updates_allocate_nothing_after_warm_up(void** state) {
    (void)state;
    static Ration ration;
    start_ration(&ration, LONG_MAX);
    enum {
        count = 200,
        period = 100
    };
    cnBroadPhase* broadPhase = cnBroadPhase_Create();
    for (int i = 0; i < count; ++i) {
        assert_int_equal(cnBroadPhase_AddProxy(broadPhase, orbit(i, 0), true), i);
    }
    long warm = 0;
    size_t bytes = 0;
    for (int step = 0; step < 5 * period; ++step) {
        if (step == 2 * period) {
            warm = ration.made;
            bytes = cnGetBytesInUse();
        }
        for (int i = 0; i < count; ++i) {
            cnBroadPhase_SetBounds(broadPhase, i, orbit(i, step), cnVec3_zero);
        }
        int removed = step % count;
        cnBroadPhase_RemoveProxy(broadPhase, removed);
        assert_int_equal(cnBroadPhase_AddProxy(broadPhase, orbit(removed, step), true), removed);
        assert_true(cnBroadPhase_Update(broadPhase, NULL, NULL, NULL, NULL));
    }
    assert_true(warm > 0);
    assert_int_equal(ration.made, warm);
    assert_int_equal(cnGetBytesInUse(), bytes);
    cnBroadPhase_Destroy(broadPhase);
    end_ration(&ration);
}

static void update_without_memory_is_made_good_by_the_next(void** state) {
    (void)state;
    cnBroadPhase* expected = cnBroadPhase_Create();
    enum {
        count = 300
    };
    for (int i = 0; i < count; ++i) {
        cnBroadPhase_AddProxy(expected, orbit(i, 0), true);
    }
    assert_true(cnBroadPhase_Update(expected, NULL, NULL, NULL, NULL));
    uint64_t hash = cnBroadPhase_Hash(expected);
    cnBroadPhase_Destroy(expected);

    static Ration ration;
    start_ration(&ration, LONG_MAX);
    bool succeeded = false;
    for (int budget = 0; !succeeded; ++budget) {
        ration.left = LONG_MAX;
        cnBroadPhase* broadPhase = cnBroadPhase_Create();
        for (int i = 0; i < count; ++i) {
            assert_int_equal(cnBroadPhase_AddProxy(broadPhase, orbit(i, 0), true), i);
        }
        ration.left = budget;
        succeeded = cnBroadPhase_Update(broadPhase, NULL, NULL, NULL, NULL);
        ration.left = LONG_MAX;
        assert_true(cnBroadPhase_Validate(broadPhase));
        if (!succeeded) {
            int begunCount, endedCount;
            cnBroadPhase_GetBegun(broadPhase, &begunCount);
            cnBroadPhase_GetEnded(broadPhase, &endedCount);
            assert_int_equal(begunCount + endedCount + cnBroadPhase_GetPairCount(broadPhase), 0);
            assert_true(cnBroadPhase_Update(broadPhase, NULL, NULL, NULL, NULL));
        }
        assert_int_equal(cnBroadPhase_Hash(broadPhase), hash);
        cnBroadPhase_Destroy(broadPhase);
    }

    // neither half a proxy
    for (int budget = 0; budget < 12; ++budget) {
        ration.left = LONG_MAX;
        cnBroadPhase* broadPhase = cnBroadPhase_Create();
        ration.left = budget;
        while (cnBroadPhase_GetProxyCount(broadPhase) < count &&
               cnBroadPhase_AddProxy(broadPhase, orbit(1, 0), true) >= 0) {}
        assert_true(cnBroadPhase_Validate(broadPhase));
        ration.left = LONG_MAX;
        cnBroadPhase_Destroy(broadPhase);
    }
    end_ration(&ration);
}

// ---- images -----------------------------------------------------------------------------------------------

static void image_continues_to_the_bit(void** state) {
    (void)state;
    enum {
        count = 120
    };
    randomState = 5;
    Recipe recipe = {.extent = 4.0, .size = 1.0, .unbounded = 3};
    cnBroadPhase* original = cnBroadPhase_Create();
    cnBroadPhase* copy = cnBroadPhase_Create();
    bool lives[count];
    for (int i = 0; i < count; ++i) {
        assert_int_equal(cnBroadPhase_AddProxy(original, random_bounds(&recipe), i % 4 != 0), i);
        lives[i] = true;
    }
    for (int step = 0; step < 60; ++step) {
        bool isCopied = step > 20;
        for (int i = 0; i < count; ++i) {
            int choice = random_int(20);
            cnBounds bounds = random_bounds(&recipe);
            if (choice == 0 && lives[i]) {
                cnBroadPhase_SetBounds(original, i, bounds, cnVec3_zero);
                if (isCopied) {
                    cnBroadPhase_SetBounds(copy, i, bounds, cnVec3_zero);
                }
            } else if (choice == 1 && lives[i]) {
                cnBroadPhase_RemoveProxy(original, i);
                if (isCopied) {
                    cnBroadPhase_RemoveProxy(copy, i);
                }
                lives[i] = false;
            } else if (choice == 2 && cnBroadPhase_GetProxyCount(original) < count) {
                int number = cnBroadPhase_AddProxy(original, bounds, i % 2 == 0);
                lives[number] = true;
                if (isCopied) {
                    assert_int_equal(cnBroadPhase_AddProxy(copy, bounds, i % 2 == 0), number);
                }
            }
        }
        if (step == 20) {
            // in the middle of changes
            size_t bytes = cnBroadPhase_GetImageBytes(original);
            char* image = malloc(bytes);
            assert_non_null(image);
            cnBroadPhase_SaveImage(original, image);
            assert_true(cnBroadPhase_LoadImage(copy, image, bytes, NULL));
            assert_int_equal(cnBroadPhase_Hash(copy), cnBroadPhase_Hash(original));
            assert_false(cnBroadPhase_LoadImage(copy, image, bytes - 1, NULL));
            image[0] ^= 1;
            assert_false(cnBroadPhase_LoadImage(copy, image, bytes, NULL));
            free(image);
        }
        assert_true(cnBroadPhase_Update(original, NULL, NULL, NULL, NULL));
        if (step >= 20) {
            assert_true(cnBroadPhase_Update(copy, NULL, NULL, NULL, NULL));
            assert_true(cnBroadPhase_Validate(copy));
            int count1, count2;
            const cnProxyPair* pairs1 = cnBroadPhase_GetBegun(original, &count1);
            const cnProxyPair* pairs2 = cnBroadPhase_GetBegun(copy, &count2);
            assert_int_equal(count1, count2);
            for (int i = 0; i < count1; ++i) {
                assert_int_equal(pairs1[i].proxy1, pairs2[i].proxy1);
                assert_int_equal(pairs1[i].proxy2, pairs2[i].proxy2);
            }
            assert_int_equal(cnBroadPhase_Hash(copy), cnBroadPhase_Hash(original));
        }
    }
    cnBroadPhase_Destroy(original);
    cnBroadPhase_Destroy(copy);
    assert_int_equal(cnGetBytesInUse(), 0);
}

// Many proxies in many chunks, all at once and by parallel setters.

typedef struct Setting {
    cnBroadPhase* broadPhase;
    int step;
} Setting;

static cnBounds jitter(int number, int step) {
    randomState = (uint64_t)number * 1000u + (uint64_t)step;
    double x = (double)(number % 20) + random_in(-0.5, 0.5);
    int column = number / 20 % 20;
    double y = (double)column + random_in(-0.5, 0.5);
    int layer = number / 400;
    double z = (double)layer + random_in(-0.5, 0.5);
    return cube_at(x, y, z, 0.4);
}

static void set_task(int begin, int end, int thread, void* context) {
    (void)thread;
    const Setting* setting = context;
    for (int i = begin; i < end; ++i) {
        cnBroadPhase_SetBounds(setting->broadPhase, i, jitter(i, setting->step), cnVec3_zero);
    }
}

static void many_proxies_agree_at_any_number_of_threads(void** state) {
    (void)state;
    enum {
        count = 4000
    };
    uint64_t hashes[10] = {0};
    uint64_t orders[10] = {0};
    static const int threads[] = {1, 2, 4};
    for (int run = 0; run < 3; ++run) {
        cnThreadPool* pool = cnThreadPool_Borrow(threads[run]);
        cnBroadPhase* broadPhase = cnBroadPhase_Create();
        for (int i = 0; i < count; ++i) {
            assert_int_equal(cnBroadPhase_AddProxy(broadPhase, jitter(i, 0), i % 10 != 0), i);
        }
        for (int step = 0; step < 10; ++step) {
            Setting setting = {broadPhase, step};
            cnThreadPool_Run(pool, set_task, &setting, count, 64);
            assert_true(cnBroadPhase_Update(broadPhase, pool, NULL, NULL, NULL));
            assert_true(cnBroadPhase_Validate(broadPhase));
            cnHash order = cnHash_Start();
            int begunCount, endedCount;
            const cnProxyPair* begun = cnBroadPhase_GetBegun(broadPhase, &begunCount);
            const cnProxyPair* ended = cnBroadPhase_GetEnded(broadPhase, &endedCount);
            assert_true(begunCount > 1000);
            for (int i = 0; i < begunCount; ++i) {
                cnHash_AddU64(&order, (uint64_t)begun[i].proxy1 << 32 | (uint64_t)begun[i].proxy2);
            }
            for (int i = 0; i < endedCount; ++i) {
                cnHash_AddU64(&order, (uint64_t)ended[i].proxy1 << 32 | (uint64_t)ended[i].proxy2);
            }
            if (run == 0) {
                hashes[step] = cnBroadPhase_Hash(broadPhase);
                orders[step] = order.value;
            }
            assert_int_equal(cnBroadPhase_Hash(broadPhase), hashes[step]);
            assert_int_equal(order.value, orders[step]);
        }
        cnBroadPhase_Destroy(broadPhase);
        cnThreadPool_Return(pool);
    }
}

int main(void) {
    return run_all(random_worlds_match_brute_force, what_moves_together_matches_brute_force,
                   huge_coordinates_match_brute_force, reused_number_ends_old_pairs_and_begins_new,
                   numbers_are_reused_first_in_first_out, resting_proxy_keeps_its_box,
                   boxes_are_rounded_outwards, equal_boxes_make_no_tall_tree, nested_boxes_make_no_tall_tree,
                   updates_allocate_nothing_after_warm_up, update_without_memory_is_made_good_by_the_next,
                   image_continues_to_the_bit, many_proxies_agree_at_any_number_of_threads);
}
