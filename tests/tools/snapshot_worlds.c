// Random worlds for comparisons between builds: snapshot_worlds FOLDER FIRST COUNT STEPS
//
// Makes random worlds with changes by a user in between, saves each at a random step to
// FOLDER/<seed>.snapshot, lets it go on for so many steps, saves it again to FOLDER/<seed>.end, and prints
// seed and hash of the end. Restored in this build, too, in a new world.
#include "random_worlds.h"
#include "world/world.h"

#include <stdlib.h>

static bool writeSnapshot(cnWorldId world, const char* folder, int seed, const char* ending, void** kept,
                          size_t* bytes) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%d.%s", folder, seed, ending);
    *bytes = cnWorld_GetSnapshotBytes(world);
    *kept = malloc(*bytes);
    FILE* file = fopen(path, "wb");
    bool ok = *kept != NULL && file != NULL && cnWorld_Save(world, *kept, *bytes) == CN_ERROR_NONE &&
              fwrite(*kept, 1, *bytes, file) == *bytes;
    if (file != NULL) {
        fclose(file);
    }
    return ok;
}

static bool runOne(const char* folder, int seed, int steps) {
    RandomWorld world = makeRandomWorld((uint64_t)seed, 0);
    int first = 5 + randomInt(&world, 60);
    for (int step = 0; step < first; ++step) {
        changeRandomly(&world);
        cnWorld_Step(world.id);
    }
    void *start = NULL, *end = NULL;
    size_t startBytes = 0, endBytes = 0;
    bool ok = writeSnapshot(world.id, folder, seed, "snapshot", &start, &startBytes);
    cnWorldId other = ok ? cnRestoreWorld(start, startBytes, 2) : (cnWorldId){0};
    for (int step = 0; step < steps; ++step) {
        cnWorld_Step(world.id);
        cnWorld_Step(other);
    }
    ok = ok && writeSnapshot(world.id, folder, seed, "end", &end, &endBytes);
    uint64_t hash = ok ? cnHashState(cnLookUpWorld(world.id)) : 0;
    ok = ok && !CN_IS_NULL(other) && hash == cnHashState(cnLookUpWorld(other));
    printf("%d %016llx\n", seed, (unsigned long long)hash);
    if (!ok) {
        fprintf(stderr, "snapshot_worlds: seed %d: %s\n", seed,
                CN_IS_NULL(other) ? cnGetLastError()->message : "the restored world came out otherwise");
    }
    free(start);
    free(end);
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
