// Random worlds for comparisons between builds: snapshot_worlds FOLDER FIRST COUNT STEPS
//
// Makes random worlds with changes by a user in between, saves each at a random step to
// FOLDER/<seed>.snapshot, lets it go on for so many steps, saves it again to FOLDER/<seed>.end, and prints
// seed and hash of the end. A new world of this build, restored from the same start, has to come out with the
// same hash and the same bytes.
#include "random_worlds.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

typedef struct Bytes {
    void* data;
    size_t count;
} Bytes;

// The state of a world; no data where there is no world or no memory.
static Bytes save(cnWorldId world) {
    Bytes bytes = {.count = CN_IS_NULL(world) ? 0 : cnWorld_GetSnapshotBytes(world)};
    bytes.data = bytes.count > 0 ? malloc(bytes.count) : NULL;
    if (bytes.data != NULL && cnWorld_Save(world, bytes.data, bytes.count) != CN_ERROR_NONE) {
        free(bytes.data);
        bytes.data = NULL;
    }
    return bytes;
}

static bool writeFile(Bytes bytes, const char* folder, int seed, const char* ending) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%d.%s", folder, seed, ending);
    FILE* file = bytes.data != NULL ? fopen(path, "wb") : NULL;
    bool ok = file != NULL && fwrite(bytes.data, 1, bytes.count, file) == bytes.count;
    if (file != NULL) {
        fclose(file);
    }
    return ok;
}

// All of both, to the byte.
static bool areSame(Bytes one, Bytes other) {
    return one.data != NULL && other.data != NULL && one.count == other.count &&
           memcmp(one.data, other.data, one.count) == 0;
}

static bool runOne(const char* folder, int seed, int steps) {
    RandomWorld world = makeRandomWorld((uint64_t)seed, 0);
    int first = 5 + randomInt(&world, 60);
    for (int step = 0; step < first; ++step) {
        changeRandomly(&world);
        cnWorld_Step(world.id);
    }
    Bytes start = save(world.id);
    cnWorldId other = start.data != NULL ? cnRestoreWorld(start.data, start.count, 2) : (cnWorldId){0};
    for (int step = 0; step < steps; ++step) {
        cnWorld_Step(world.id);
        cnWorld_Step(other);
    }
    Bytes end = save(world.id), otherEnd = save(other);
    bool ok = writeFile(start, folder, seed, "snapshot") && writeFile(end, folder, seed, "end");
    uint64_t hash = cnHashState(cnLookUpWorld(world.id));
    printf("%d %016llx\n", seed, (unsigned long long)hash);
    if (!ok || CN_IS_NULL(other)) {
        fprintf(stderr, "snapshot_worlds: seed %d: %s\n", seed,
                ok ? cnGetLastError()->message : "a file cannot be written");
        ok = false;
    } else if (hash != cnHashState(cnLookUpWorld(other)) || !areSame(end, otherEnd)) {
        fprintf(stderr, "snapshot_worlds: seed %d: the restored world came out otherwise\n", seed);
        ok = false;
    }
    free(start.data);
    free(end.data);
    free(otherEnd.data);
    cnDestroyWorld(other);
    cnDestroyWorld(world.id);
    return ok;
}

int main(int count, char** arguments) {
    if (count != 5) {
        fprintf(stderr, "usage: snapshot_worlds FOLDER FIRST COUNT STEPS\n");
        return 2;
    }
    int first = atoi(arguments[2]), worlds = atoi(arguments[3]), steps = atoi(arguments[4]);
    bool ok = true;
    for (int seed = first; seed < first + worlds; ++seed) {
        ok = runOne(arguments[1], seed, steps) && ok;
    }
    return ok ? 0 : 1;
}
