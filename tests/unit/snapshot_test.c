// Snapshots: a world goes on to the same bits wherever it is restored, and nothing is lost by a
// snapshot that is none.
#include "columns.h"
#include "helpers.h"
#include "random_worlds.h"
#include "world/snapshot/record.h"
#include "world/table_registry.h"
#include "world/validate.h"

typedef struct Bytes {
    void* data;
    size_t count;
} Bytes;

static Bytes save(cnWorldId world) {
    Bytes bytes = {.count = cnWorld_GetSnapshotBytes(world)};
    bytes.data = malloc(bytes.count); // NOLINT: aligned to 16
    assert_non_null(bytes.data);
    assert_int_equal(cnWorld_Save(world, bytes.data, bytes.count), CN_ERROR_NONE);
    return bytes;
}

static uint64_t hash_of(cnWorldId world) {
    return cnHashState(cnLookUpWorld(world));
}

static void check_valid(cnWorldId id) {
    cnFault fault;
    if (!cnValidateWorld(cnLookUpWorld(id), cn_phaseSettled, &fault)) {
        fail_msg("%s", fault.message);
    }
}

// All sections, byte by byte: the first that differs is named.
static void check_same(cnWorldId a, cnWorldId b) {
    Bytes left = save(a), right = save(b);
    assert_int_equal(left.count, right.count);
    const cnSnapshotHeader* header = left.data;
    const cnSnapshotEntry* entries = (const cnSnapshotEntry*)(header + 1);
    size_t at = cnAlignSection(sizeof *header + header->sections * sizeof *entries);
    for (uint32_t i = 0; i < header->sections; ++i) {
        size_t bytes = (size_t)entries[i].rows * entries[i].rowBytes;
        const char *one = (const char*)left.data + at, *other = (const char*)right.data + at;
        if (memcmp(&entries[i], (const cnSnapshotEntry*)((const cnSnapshotHeader*)right.data + 1) + i,
                   sizeof *entries) != 0 ||
            memcmp(one, other, bytes) != 0) {
            fail_msg("%s differs", entries[i].name);
        }
        at += cnAlignSection(bytes);
    }
    free(left.data);
    free(right.data);
}

static void run(RandomWorld* world, int steps, bool changing) {
    for (int step = 0; step < steps; ++step) {
        if (changing) {
            changeRandomly(world);
        }
        cnWorld_Step(world->id);
    }
}

// Saved at a random step; restored in an empty world with another count of threads, both go on with
// the same changes.
static void a_restored_world_goes_on_to_the_same_bits(void** state) {
    (void)state;
    for (uint64_t seed = 0; seed < (IS_SANITIZED ? 5 : 20); ++seed) {
        RandomWorld world = makeRandomWorld(seed, 0);
        run(&world, 20 + randomInt(&world, 60), true);
        Bytes bytes = save(world.id);
        RandomWorld other = world;
        other.id = cnRestoreWorld(bytes.data, bytes.count, seed % 2 == 0 ? 2 : 0);
        if (CN_IS_NULL(other.id)) {
            fail_msg("seed %d: %s", (int)seed, cnGetLastError()->message);
        }
        check_valid(other.id);
        assert_true(hash_of(world.id) == hash_of(other.id));
        check_same(world.id, other.id);
        for (int step = 0; step < 100; ++step) {
            run(&world, 1, step < 60);
            run(&other, 1, step < 60);
            if (hash_of(world.id) != hash_of(other.id)) {
                fail_msg("seed %d: step %d differs", (int)seed, step);
            }
        }
        free(bytes.data);
        cnDestroyWorld(world.id);
        cnDestroyWorld(other.id);
    }
}

// Seed 5018 comes to an island without rows whose bodies' positions are corrected in the same step: with the
// factor of another step, of which a restored world has none, the two worlds part.
static void corrections_do_not_remember_the_factor_of_another_step(void** state) {
    (void)state;
    RandomWorld world = makeRandomWorld(5018, 0);
    run(&world, 5 + randomInt(&world, 60), true);
    Bytes bytes = save(world.id);
    cnWorldId other = cnRestoreWorld(bytes.data, bytes.count, 0);
    assert_false(CN_IS_NULL(other));
    for (int step = 0; step < 60; ++step) {
        cnWorld_Step(world.id);
        cnWorld_Step(other);
        if (hash_of(world.id) != hash_of(other)) {
            fail_msg("step %d differs", step);
        }
    }
    check_same(world.id, other);
    free(bytes.data);
    cnDestroyWorld(other);
    cnDestroyWorld(world.id);
}

static void a_world_goes_back_in_place_and_takes_the_same_way_again(void** state) {
    (void)state;
    for (uint64_t seed = 100; seed < (IS_SANITIZED ? 103 : 110); ++seed) {
        RandomWorld world = makeRandomWorld(seed, 0);
        run(&world, 30, true);
        Bytes bytes = save(world.id);
        RandomWorld again = world;
        run(&world, 50, true);
        uint64_t end = hash_of(world.id);
        size_t inUse = 0;
        for (int i = 0; i < 100; ++i) {
            assert_int_equal(cnWorld_Restore(world.id, bytes.data, bytes.count), CN_ERROR_NONE);
            assert_true(i < 2 || cnGetBytesInUse() == inUse);
            inUse = cnGetBytesInUse();
        }
        check_valid(world.id);
        run(&again, 50, true);
        assert_true(hash_of(world.id) == end);
        free(bytes.data);
        cnDestroyWorld(world.id);
    }
}

static void handles_live_and_die_with_the_state(void** state) {
    (void)state;
    RandomWorld world = makeRandomWorld(7, 0);
    run(&world, 10, false);
    Bytes bytes = save(world.id);
    cnBodyId doomed = world.bodies[0];
    assert_int_equal(cnDestroyBody(world.id, doomed), CN_ERROR_NONE);
    cnBodyId late = cnCreateBody(world.id, &(cnBodyDef){0});
    cnBodyId later = cnCreateBody(world.id, &(cnBodyDef){0});
    assert_int_equal(cnWorld_Restore(world.id, bytes.data, bytes.count), CN_ERROR_NONE);
    assert_true(cnBody_IsValid(world.id, doomed));
    assert_false(cnBody_IsValid(world.id, late));
    assert_false(cnBody_IsValid(world.id, later));
    free(bytes.data);
    cnDestroyWorld(world.id);
}

// Between the halves of a step.
static void a_step_can_be_cut_in_the_middle(void** state) {
    (void)state;
    RandomWorld world = makeRandomWorld(11, 0);
    run(&world, 40, true);
    assert_int_equal(cnWorld_Collide(world.id), CN_ERROR_NONE);
    Bytes bytes = save(world.id);
    cnWorldId other = cnRestoreWorld(bytes.data, bytes.count, 0);
    assert_int_equal(cnWorld_Solve(world.id), CN_ERROR_NONE);
    assert_int_equal(cnWorld_Solve(other), CN_ERROR_NONE);
    assert_true(hash_of(world.id) == hash_of(other));
    free(bytes.data);
    cnDestroyWorld(other);
    cnDestroyWorld(world.id);
}

static void bytes_that_are_no_snapshot_change_nothing(void** state) {
    (void)state;
    RandomWorld world = makeRandomWorld(3, 0);
    run(&world, 30, true);
    Bytes bytes = save(world.id);
    run(&world, 5, true);
    uint64_t hash = hash_of(world.id);
    size_t inUse = cnGetBytesInUse();
    unsigned char* data = bytes.data;
    for (size_t cut = 0; cut < bytes.count; cut += 997) {
        assert_int_equal(cnWorld_Restore(world.id, data, cut), CN_ERROR_SNAPSHOT);
    }
    for (size_t at = 0; at < bytes.count; at += 991) {
        if (at >= 40 && at < sizeof(cnSnapshotHeader)) {
            continue; // reserved
        }
        data[at] ^= 0x10;
        assert_int_equal(cnWorld_Restore(world.id, data, bytes.count), CN_ERROR_SNAPSHOT);
        data[at] ^= 0x10;
    }
    assert_true(hash_of(world.id) == hash);
    assert_int_equal(cnGetBytesInUse(), inUse);
    assert_int_equal(cnWorld_Restore(world.id, data, bytes.count), CN_ERROR_NONE);
    free(bytes.data);
    cnDestroyWorld(world.id);
}

// Where the rows of a section are, by its name.
static char* find_section(Bytes bytes, const char* name) {
    const cnSnapshotHeader* header = bytes.data;
    const cnSnapshotEntry* entries = (const cnSnapshotEntry*)(header + 1);
    size_t at = cnAlignSection(sizeof *header + header->sections * sizeof *entries);
    for (uint32_t i = 0; i < header->sections; ++i) {
        if (strcmp(entries[i].name, name) == 0) {
            return (char*)bytes.data + at;
        }
        at += cnAlignSection((size_t)entries[i].rows * entries[i].rowBytes);
    }
    fail_msg("there is no section %s", name);
    return NULL;
}

static cnErrorCode restore_with_its_checksum(cnWorldId world, Bytes bytes) {
    cnSnapshotHeader* header = bytes.data;
    header->checksum = cnChecksum(header + 1, bytes.count - sizeof *header);
    return cnWorld_Restore(world, bytes.data, bytes.count);
}

// [[2, 9, 0], [−9, 2, 0], [0, 0, 2]] kg m² and the like have positive minors and are no inertia.
static void an_inertia_that_is_not_symmetric_is_refused(void** state) {
    (void)state;
    cnWorldId world = cnCreateWorld(&(cnWorldDef){0});
    cnMat33 thin = {{2e8, 0.0, 0.05}, {0.0, 2e8, 0.0}, {0.0, 0.0, 1.0}}; // as much off as is allowed
    cnCreateBody(world, &(cnBodyDef){.mass = 1.0, .inertia = thin});
    cnBodyId body = cnCreateBody(world, &(cnBodyDef){.mass = 1.0, .inertia = cnDiagonal(cnVec(2, 2, 2))});
    assert_false(CN_IS_NULL(body));
    static const char* const columns[] = {"bodies.inertia", "bodies.inverseInertia"};
    for (int i = 0; i < 2; ++i) {
        Bytes bytes = save(world);
        cnMat33* matrix = (cnMat33*)(void*)find_section(bytes, columns[i]) + 1;
        matrix->x.y += 9.0 * matrix->x.x;
        matrix->y.x -= 9.0 * matrix->x.x;
        assert_int_equal(restore_with_its_checksum(world, bytes), CN_ERROR_SNAPSHOT);
        assert_non_null(strstr(cnGetLastError()->message, "row 1 has moments of inertia"));
        matrix->x.y -= 9.0 * matrix->x.x;
        matrix->y.x += 9.0 * matrix->x.x;
        assert_int_equal(restore_with_its_checksum(world, bytes), CN_ERROR_NONE);
        free(bytes.data);
    }
    cnDestroyWorld(world);
}

#define STEPS 60
#define KEPT 10

// Back and forth by random numbers of steps, with what the user changes told again: the same states
// as the first time.
static void the_ring_goes_back_to_every_kept_step(void** state) {
    (void)state;
    for (uint64_t seed = 200; seed < (IS_SANITIZED ? 202 : 210); ++seed) {
        RandomWorld world = makeRandomWorld(seed, 0);
        RandomWorld at[STEPS + 1];
        uint64_t hashes[STEPS + 1];
        assert_int_equal(cnWorld_Rewind(world.id, 0), CN_ERROR_OUT_OF_RANGE);
        assert_int_equal(cnWorld_Keep(world.id, KEPT), CN_ERROR_NONE);
        int done = 0, reached = 0;
        at[0] = world;
        hashes[0] = hash_of(world.id);
        for (int turn = 0; turn < 4 * STEPS && done < STEPS; ++turn) {
            run(&world, 1, true);
            done += 1;
            if (done > reached) {
                reached = done;
                at[done] = world;
                hashes[done] = hash_of(world.id);
            }
            assert_true(hash_of(world.id) == hashes[done]);
            if (turn % 7 == 6) {
                int kept = cnWorld_GetKeptSteps(world.id), back = turn * 31 % (kept + 1);
                assert_int_equal(cnWorld_Rewind(world.id, kept + 1), CN_ERROR_OUT_OF_RANGE);
                changeRandomly(&world); // taken back, too
                assert_int_equal(cnWorld_Rewind(world.id, back), CN_ERROR_NONE);
                check_valid(world.id);
                done -= back;
                world = at[done];
                assert_true(hash_of(world.id) == hashes[done]);
            }
        }
        assert_true(reached > STEPS / 2);
        cnDestroyWorld(world.id);
    }
}

static cnContactAnswer drop_some(cnWorldId world, const cnContact* contact, void* context) {
    (void)world;
    (void)context;
    return contact->row % 3 == 0 ? cn_removeContact : cn_keepContact;
}

static Bytes copy_recording(cnWorldId world) {
    Bytes bytes = {.count = cnWorld_GetRecordingBytes(world)};
    bytes.data = malloc(bytes.count);
    assert_non_null(bytes.data);
    assert_int_equal(cnWorld_CopyRecording(world, bytes.data, bytes.count), CN_ERROR_NONE);
    return bytes;
}

// With changes by calls, by a listener and straight in a column; played with another count of threads and
// without the listener.
static void a_recording_plays_to_the_same_steps(void** state) {
    (void)state;
    for (uint64_t seed = 300; seed < (IS_SANITIZED ? 302 : 312); ++seed) {
        RandomWorld world = makeRandomWorld(seed, 0);
        run(&world, 15, true);
        if (seed % 2 == 0) {
            cnAddContactListener(world.id, &(cnContactListenerDef){.listener = drop_some});
        }
        assert_int_equal(cnWorld_StartRecording(world.id), CN_ERROR_NONE);
        for (int step = 0; step < 40; ++step) {
            run(&world, 1, true);
            cnLookUpWorld(world.id)->bodies.force[3].x += 5.0;
        }
        Bytes bytes = copy_recording(world.id);
        cnReplay replay;
        cnErrorCode code = cnPlayRecording(bytes.data, bytes.count, seed % 3 == 0 ? 2 : 0, &replay);
        if (code != CN_ERROR_NONE) {
            fail_msg("seed %d: %s", (int)seed, cnGetLastError()->message);
        }
        if (replay.differs) {
            fail_msg("seed %d: step %g differs in row %d of %s", (int)seed, replay.step, replay.row,
                     replay.section);
        }
        assert_int_equal(replay.steps, 40);
        free(bytes.data);
        cnDestroyWorld(world.id);
    }
}

// A recording of a world whose start is then changed: another velocity of one body.
static void a_difference_is_named_by_step_and_row(void** state) {
    (void)state;
    cnWorldId id = cnCreateWorld(&(cnWorldDef){0});
    for (int i = 0; i < 5; ++i) {
        cnCreateBody(id, &(cnBodyDef){.position = {2.0 * i, 0.0, 0.0}});
    }
    assert_int_equal(cnWorld_StartRecording(id), CN_ERROR_NONE);
    for (int step = 0; step < 3; ++step) {
        assert_int_equal(cnWorld_Step(id), CN_ERROR_NONE);
    }
    Bytes bytes = copy_recording(id);
    size_t startBytes;
    cnFault fault;
    char* start = (char*)(uintptr_t)cnRecording_GetStart(bytes.data, bytes.count, &startBytes, &fault);
    assert_non_null(start);
    cnWorldId changed = cnRestoreWorld(start, startBytes, 0);
    assert_int_equal(
        cnBody_SetVelocity(changed, (cnBodyId){cnLookUpWorld(changed)->bodies.handle[3]}, cnVec(1, 0, 0)),
        CN_ERROR_NONE);
    assert_int_equal(cnWorld_Save(changed, start, startBytes), CN_ERROR_NONE);
    uint64_t sum = cnChecksum(start, startBytes);
    memcpy(start - 16, &sum, sizeof sum); // of the chunk
    cnReplay replay;
    assert_int_equal(cnPlayRecording(bytes.data, bytes.count, 0, &replay), CN_ERROR_NONE);
    assert_true(replay.differs);
    assert_int_equal(replay.steps, 1);
    assert_true(replay.step == 1.0);
    assert_string_equal(replay.section, "bodies.position");
    assert_int_equal(replay.row, 3);

    // cut and damaged ones
    assert_int_equal(cnPlayRecording(bytes.data, bytes.count - 20, 0, &replay),
                     CN_ERROR_NONE); // the first step differs
    ((char*)bytes.data)[bytes.count - 30] ^= 1;
    assert_int_equal(cnPlayRecording(bytes.data, 100, 0, &replay), CN_ERROR_SNAPSHOT);
    free(bytes.data);
    cnDestroyWorld(changed);
    cnDestroyWorld(id);
}

// Steps whose contacts are read, as those are that are kept.
static void run_and_read(RandomWorld* world, int steps) {
    for (int step = 0; step < steps; ++step) {
        run(world, 1, false);
        assert_true(cnWorld_GetTableRows(world->id, cn_tableContacts) >= 0);
    }
}

// Blocks that 100 steps take, after 800 others: until then contacts become more.
static long blocks_of_steps(int keptSteps) {
    static Ration ration;
    start_ration(&ration, LONG_MAX);
    RandomWorld world = makeRandomWorld(8, 0);
    assert_int_equal(cnWorld_Keep(world.id, keptSteps), CN_ERROR_NONE);
    run_and_read(&world, 800);
    size_t bytes = cnWorld_GetKeptBytes(world.id);
    long made = ration.made;
    run_and_read(&world, 100);
    made = ration.made - made;
    assert_int_equal(cnWorld_GetKeptBytes(world.id), bytes);
    cnDestroyWorld(world.id);
    end_ration(&ration);
    return made;
}

static void keeping_a_step_takes_no_memory(void** state) {
    (void)state;
    assert_int_equal(blocks_of_steps(8), blocks_of_steps(0));
}

// With a block more each time, into an empty world.
static void memory_that_runs_out_leaves_the_world_as_it_was(void** state) {
    (void)state;
    static Ration ration;
    RandomWorld world = makeRandomWorld(5, 0);
    run(&world, 30, true);
    Bytes bytes = save(world.id);
    cnDestroyWorld(world.id);
    start_ration(&ration, LONG_MAX);
    cnErrorCode code = CN_ERROR_OUT_OF_MEMORY;
    int failures = 0;
    while (code != CN_ERROR_NONE) {
        ration.left = LONG_MAX;
        cnWorldId other = cnCreateWorld(&(cnWorldDef){0});
        cnCreateBody(other, &(cnBodyDef){.position = {1.0, 2.0, 3.0}});
        uint64_t hash = hash_of(other);
        ration.left = failures;
        code = cnWorld_Restore(other, bytes.data, bytes.count);
        ration.left = LONG_MAX;
        check_valid(other);
        if (code != CN_ERROR_NONE) {
            assert_int_equal(code, CN_ERROR_OUT_OF_MEMORY);
            assert_true(hash_of(other) == hash);
            failures += 1;
        }
        cnDestroyWorld(other);
    }
    assert_true(failures > 20);
    end_ration(&ration);
    free(bytes.data);
}

int main(void) {
    return run_all(
        a_restored_world_goes_on_to_the_same_bits, corrections_do_not_remember_the_factor_of_another_step,
        a_world_goes_back_in_place_and_takes_the_same_way_again, handles_live_and_die_with_the_state,
        a_step_can_be_cut_in_the_middle, bytes_that_are_no_snapshot_change_nothing,
        an_inertia_that_is_not_symmetric_is_refused, the_ring_goes_back_to_every_kept_step,
        keeping_a_step_takes_no_memory, a_recording_plays_to_the_same_steps,
        a_difference_is_named_by_step_and_row, memory_that_runs_out_leaves_the_world_as_it_was);
}
