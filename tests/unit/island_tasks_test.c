// Islands that threads solve side by side: a wall whose batch is divided over several levels, pairs of boxes
// in batches of their own, stacks with heavy tops that are solved to convergence. The same state with any
// number of threads.
#include "helpers.h"
#include "world/world.h"

enum {
    columns = 40,
    rows = IS_SANITIZED ? 18 : 40,
    pairCount = 200,
    stackCount = 6,
    steps = IS_SANITIZED ? 6 : 30
};

static cnWorldId make_islands(int threads) {
    cnWorldId world =
        make_world((cnWorldDef){.threads = threads, .gravity = {.acceleration = {0.0, 0.0, -9.80665}}});
    cnMaterialId material = add_material(world, 0.6, 0.0);
    add_ground(world, material);
    for (int i = 0; i < columns * rows; ++i) {
        int row = i / columns;
        cnVec3 place = {row % 2 * 0.2 + 0.401 * (i % columns), 0.0, 0.1 + 0.2 * row};
        add_body(world, (cnBodyDef){.position = place, .mass = 4.0}, box_of(0.2, 0.1, 0.1), material);
    }
    for (int i = 0; i < 2 * pairCount; ++i) {
        int pair = i / 2, row = pair / 40;
        cnVec3 place = {0.5 * (pair % 40), 3.0 + 0.5 * row, 0.1 + 0.2 * (i % 2)};
        add_body(world, (cnBodyDef){.position = place, .mass = 1.0}, box_of(0.1, 0.1, 0.1), material);
    }
    for (int stack = 0; stack < stackCount; ++stack) {
        for (int level = 0; level < 4 + stack; ++level) {
            cnVec3 place = {2.0 * stack, -3.0, 0.2 + 0.4 * level};
            cnBodyDef def = {.position = place, .mass = level == 3 + stack ? 2000.0 : 5.0};
            add_body(world, def, box_of(0.2, 0.2, 0.2), material);
        }
    }
    return world;
}

static void run_islands(int threads, char hash[17]) {
    cnWorldId id = make_islands(threads);
    step_world(id, steps);
    const cnWorld* world = cnFindWorld(id, "test");
    assert_true(world->batches.list.count > 2);
    assert_true(world->batches.list.data[0].levels >= 2);
    assert_true(cnWorld_GetCounters(id).convergedIslands >= 2);
    assert_ok(cnWorld_GetHash(id, hash));
    cnDestroyWorld(id);
}

static void threads_do_not_change_islands(void** state) {
    (void)state;
    char one[17], more[17];
    run_islands(1, one);
    for (int threads = 2; threads <= 8; threads *= 2) {
        run_islands(threads, more);
        assert_string_equal(one, more);
    }
}

int main(void) {
    return run_all(threads_do_not_change_islands);
}
