// Mutated snapshots: whatever the bytes, a world is restored to a state that is whole and can be stepped, or
// stays as it was.
//
//     snapshot_fuzz --cases N [--seed S]
// Most cases get the checksum that fits their bytes: without it nothing gets past the header.
#include "fuzz/fuzz.h"
#include "random_worlds.h"
#include "world/snapshot/format.h"
#include "world/validate.h"

#define SNAPSHOTS 8

typedef struct Snapshot {
    unsigned char* bytes;
    size_t count;
} Snapshot;

static void require(bool condition, const char* what) {
    if (!condition) {
        fprintf(stderr, "snapshot_fuzz: %s\n", what);
        abort();
    }
}

// A place in the directory or in a section, each as often as the others, so that small ones have their turn.
static size_t choosePlace(const Snapshot* snapshot) {
    const cnSnapshotHeader* header = (const void*)snapshot->bytes;
    const cnSnapshotEntry* entries = (const void*)(header + 1);
    uint32_t chosen = (uint32_t)below(header->sections + 4);
    size_t directory = sizeof *header + header->sections * sizeof *entries;
    size_t at = cnAlignSection(directory);
    if (chosen >= header->sections) {
        return below(directory);
    }
    for (uint32_t i = 0; i < chosen; ++i) {
        at += cnAlignSection((size_t)entries[i].rows * entries[i].rowBytes);
    }
    size_t bytes = (size_t)entries[chosen].rows * entries[chosen].rowBytes;
    return bytes > 0 ? at + below(bytes) : below(snapshot->count);
}

static void mutate(Snapshot* snapshot, const Snapshot* whole, size_t at) {
    static const uint32_t words[] = {0,           1,           2,           0xffffffffu, 0x7fffffffu,
                                     0x80000000u, 0x7ff80000u, 0x7ff00000u, 16,          255};
    unsigned char* bytes = snapshot->bytes;
    size_t word = at & ~(size_t)3;
    uint32_t value = words[below(sizeof words / sizeof words[0])];
    switch (below(5)) {
    case 0:
        bytes[at] ^= (unsigned char)(1u << below(8));
        break;
    case 1:
        bytes[at] = (unsigned char)nextRandom();
        break;
    case 2:
        memcpy(bytes + word, &value, word + 4 <= snapshot->count ? 4 : 0);
        break;
    case 3: { // a small change of a number of rows or of a row
        memcpy(&value, bytes + word, word + 4 <= snapshot->count ? 4 : 0);
        value += (uint32_t)below(5) - 2u;
        memcpy(bytes + word, &value, word + 4 <= snapshot->count ? 4 : 0);
        break;
    }
    default: { // one piece over another
        size_t length = below(64) + 1, from = choosePlace(whole);
        if (at + length <= snapshot->count && from + length <= snapshot->count) {
            memmove(bytes + at, bytes + from, length);
        }
    }
    }
}

// True where the snapshot was restored.
static bool tryCase(cnWorldId id, const Snapshot* snapshot) {
    cnWorld* world = cnLookUpWorld(id);
    uint64_t before = cnHashState(world);
    cnErrorCode code = cnWorld_Restore(id, snapshot->bytes, snapshot->count);
    cnFault fault;
    if (!cnValidateWorld(world, cn_phaseSettled, &fault)) {
        require(false, fault.message);
    }
    if (code != CN_ERROR_NONE) {
        require(code == CN_ERROR_SNAPSHOT || code == CN_ERROR_OUT_OF_MEMORY, cnGetLastError()->message);
        require(cnHashState(world) == before, "a snapshot that was refused changed the world");
        return false;
    }
    for (int step = 0; step < 2; ++step) {
        if (world->collided) {
            cnWorld_Solve(id);
        } else {
            cnWorld_Step(id);
        }
    }
    if (!cnValidateWorld(world, cn_phaseSettled, &fault)) {
        require(false, fault.message);
    }
    return true;
}

int main(int count, char** arguments) {
    FuzzOptions options = takeOptions(&count, arguments);
    if (!isNothingLeft(count, arguments)) {
        return 2;
    }

    // whole ones, some of them from within a step
    Snapshot whole[SNAPSHOTS];
    for (int i = 0; i < SNAPSHOTS; ++i) {
        RandomWorld world = makeRandomWorld(options.seed * SNAPSHOTS + (uint64_t)i, 0);
        for (int step = 0; step < 20 + 10 * i; ++step) {
            changeRandomly(&world);
            cnWorld_Step(world.id);
        }
        if (i % 4 == 3) {
            cnWorld_Collide(world.id);
        }
        whole[i].count = cnWorld_GetSnapshotBytes(world.id);
        whole[i].bytes = malloc(whole[i].count);
        require(whole[i].bytes != NULL &&
                    cnWorld_Save(world.id, whole[i].bytes, whole[i].count) == CN_ERROR_NONE,
                "no snapshot to start from");
        cnDestroyWorld(world.id);
    }

    // mutated ones, into one world after the other
    cnWorldId target = cnCreateWorld(&(cnWorldDef){0});
    size_t inUse = 0;
    long restored = 0;
    for (long i = 0; i < options.cases; ++i) {
        startCase(&options, i);
        const Snapshot* from = &whole[below(SNAPSHOTS)];
        Snapshot mutated = {malloc(from->count), from->count};
        require(mutated.bytes != NULL, "there is no memory left");
        memcpy(mutated.bytes, from->bytes, from->count);
        for (size_t n = below(3) + 1; n > 0; --n) {
            mutate(&mutated, from, choosePlace(from));
        }
        mutated.count -= below(50) == 0 ? below(mutated.count) : 0;
        cnSnapshotHeader* header = (void*)mutated.bytes;
        if (mutated.count > sizeof *header && below(20) > 0) {
            header->bytes = mutated.count;
            header->checksum = cnChecksum(header + 1, mutated.count - sizeof *header);
        }
        restored += tryCase(target, &mutated);
        free(mutated.bytes);
        if (i % 500 == 499) { // a world of its own from time to time, and nothing is lost
            cnDestroyWorld(target);
            target = cnCreateWorld(&(cnWorldDef){0});
            require(inUse == 0 || cnGetBytesInUse() == inUse, "memory is lost");
            inUse = cnGetBytesInUse();
        }
    }
    cnDestroyWorld(target);
    require(cnGetBytesInUse() == 0, "memory is lost");
    for (int i = 0; i < SNAPSHOTS; ++i) {
        free(whole[i].bytes);
    }
    printf("snapshot_fuzz: %ld cases, %ld of them restored\n", options.cases, restored);
    return 0;
}
