#include "solve/sweeps/sweep_batches.h"

#include "base/report/assert.h"
#include "solve/contact_rows.h"
#include "solve/lanes/motion_lanes.h"

#include <string.h>

// Most contacts of an island that shares a batch, and so many a batch has that takes no more.
#define CN_SMALL_ISLAND 256
#define CN_FULL_BATCH 128
#define CN_CONTACT_CHUNK 256

// Batch of an island by its number, −1 of one that is not swept. Answers how many batches there are.
static int ChooseBatches(const cnSolve* solve, int* batchOf) {
    int count = 1, contacts = CN_FULL_BATCH;
    for (int i = 0; i < solve->islandCount; ++i) {
        const cnIsland* island = &solve->islands[i];
        bool isSwept = island->solver == cn_islandSwept;
        bool isSmall = isSwept && island->jointCount == 0 && island->contactCount <= CN_SMALL_ISLAND;
        if (!isSmall) {
            batchOf[i] = isSwept || island->solver == cn_islandGrouped ? 0 : -1;
            continue;
        }
        if (contacts >= CN_FULL_BATCH) {
            contacts = 0;
            count += 1;
        }
        contacts += island->contactCount;
        batchOf[i] = count - 1;
    }
    return count;
}

// The bodies of the batches, with their places.
static void ListBodies(const cnSolve* solve, const int* batchOf, cnSweepBatches* batches) {
    const cnSolverBodies* solver = &solve->solver;
    for (int index = 0; index < solver->count; ++index) {
        int island = solver->island[index], batch = island >= 0 ? batchOf[island] : -1;
        batches->places[index] = batch >= 0 ? ++batches->list[batch].bodyCount : 0;
    }
    for (int b = 1; b < batches->count; ++b) {
        const cnSweepBatch* before = &batches->list[b - 1];
        batches->list[b].firstBody = before->firstBody + before->bodyCount;
    }
    for (int index = 1; index < solver->count; ++index) {
        if (batches->places[index] == 0) {
            continue;
        }
        const cnSweepBatch* batch = &batches->list[batchOf[solver->island[index]]];
        batches->bodies[batch->firstBody + batches->places[index] - 1] = index;
        uint32_t flags = solve->bodies->flags[solver->rows[index]];
        batches->isAnisotropic |= (flags & cn_bodyIsotropicMass) == 0;
        batches->isDamped |= (flags & cn_bodyDamped) != 0;
    }
}

// The contacts of the batches, in the order of colours. Islands know how many they have.
static void ListContacts(cnSolve* solve, const int* batchOf, cnSweepBatches* batches) {
    for (int i = 0; i < solve->islandCount; ++i) {
        if (batchOf[i] >= 0) {
            batches->list[batchOf[i]].contactCount += solve->islands[i].contactCount;
        }
    }
    for (int b = 1; b < batches->count; ++b) {
        cnSweepBatch* batch = &batches->list[b];
        batch->firstContact = batch[-1].firstContact + batch[-1].contactCount;
    }
    for (int b = 0; b < batches->count; ++b) {
        batches->list[b].contactCount = 0;
    }
    bool isUsed[2 * CN_COLOURS + 1] = {false};
    for (int place = 0; place < solve->contactCount; ++place) {
        const cnContactPlace* contact = &solve->contactPlaces[place];
        int b = batchOf[solve->contacts[contact->contact].island];
        if (b >= 0) {
            cnSweepBatch* batch = &batches->list[b];
            batches->contacts[batch->firstContact + batch->contactCount++] = *contact;
            isUsed[contact->colour] = true;
        }
    }
    for (int colour = 0; colour <= 2 * CN_COLOURS; ++colour) {
        solve->statistics.colours += isUsed[colour];
    }
}

// The contacts of a batch by nodes, within one as they are.
static void SortByNodes(cnContactPlace* contacts, cnContactPlace* scratch, int count) {
    int starts[CN_MAX_NODES + 1] = {0};
    for (int i = 0; i < count; ++i) {
        starts[contacts[i].node + 1] += 1;
    }
    for (int node = 0; node < CN_MAX_NODES; ++node) {
        starts[node + 1] += starts[node];
    }
    for (int i = 0; i < count; ++i) {
        scratch[starts[contacts[i].node]++] = contacts[i];
    }
    memcpy(contacts, scratch, (size_t)count * sizeof *contacts);
}

typedef struct Division {
    const cnSolve* solve;
    cnSweepBatches* batches;
    const uint8_t* parts; // of bodies
    int levels;
} Division;

static void FindNodes(int begin, int end, int thread, void* context) {
    (void)thread;
    const Division* division = context;
    for (int i = begin; i < end; ++i) {
        cnContactPlace* place = &division->batches->contacts[i];
        const cnSolverContact* contact = &division->solve->contacts[place->contact];
        int body1 = contact->body1 != 0 ? contact->body1 : contact->body2;
        int body2 = contact->body2 != 0 ? contact->body2 : contact->body1;
        place->node =
            (uint8_t)cnNodeOfParts(division->parts[body1], division->parts[body2], division->levels);
    }
}

// Divides the first batch, if it is large. False when memory ran out.
static bool DivideFirstBatch(cnSolve* solve, cnSweepBatches* batches) {
    cnSweepBatch* batch = &batches->list[0];
    batch->levels = cnChoosePartLevels(batch->contactCount);
    if (batch->levels == 0) {
        return true;
    }
    uint8_t* parts = CN_PUSH(solve->stack, uint8_t, solve->solver.count, "parts of bodies");
    cnContactPlace* scratch = CN_PUSH(solve->stack, cnContactPlace, batch->contactCount, "contacts of nodes");
    if (parts == NULL || scratch == NULL ||
        !cnDivideBodies(solve, batches->bodies, batch->bodyCount, batch->levels, parts)) {
        return false;
    }
    for (int i = 0; i < batch->bodyCount; ++i) {
        batches->places[batches->bodies[i]] = i + 1;
    }
    Division division = {solve, batches, parts, batch->levels};
    cnThreadPool_Run(solve->threads, FindNodes, &division, batch->contactCount, CN_CONTACT_CHUNK);
    SortByNodes(batches->contacts, scratch, batch->contactCount);
    cnStack_Pop(solve->stack, scratch);
    cnStack_Pop(solve->stack, parts);
    return true;
}

// How many blocks the contacts of a batch fill: lanes of one colour of a node side by side.
static void CountBlocks(const cnSolve* solve, const cnContactPlace* contacts, cnSweepBatch* batch) {
    int colour = -1, node = -1, lanes = CN_LANES;
    bool isSpecial = false;
    for (int i = 0; i < batch->contactCount; ++i) {
        const cnContactPlace* contact = &contacts[batch->firstContact + i];
        bool isAlone = contact->colour == 2 * CN_COLOURS;
        if (contact->colour != colour || contact->node != node || lanes == CN_LANES || isAlone) {
            batch->blockCount += 1;
            colour = contact->colour;
            node = contact->node;
            lanes = 0;
            isSpecial = false;
        }
        if (!isSpecial && cnSolve_HasSpecialFriction(solve, contact->contact)) {
            batch->specialCount += 1;
            isSpecial = true;
        }
        lanes += 1;
    }
}

static int Larger(int a, int b) {
    return a > b ? a : b;
}

bool cnMakeSweepBatches(cnSolve* solve, cnSweepBatches* batches) {
    *batches = (cnSweepBatches){0};
    cnStack* stack = solve->stack;
    batches->contacts = CN_PUSH(stack, cnContactPlace, solve->contactCount + 1, "contacts of batches");
    batches->bodies = CN_PUSH(stack, int, solve->solver.count, "bodies of batches");
    batches->places = CN_PUSH(stack, int, solve->solver.count, "places in batches");
    batches->list = CN_PUSH(stack, cnSweepBatch, solve->islandCount + 1, "batches");
    int* batchOf = CN_PUSH(stack, int, solve->islandCount + 1, "batches of islands");
    if (batches->contacts == NULL || batches->bodies == NULL || batches->places == NULL ||
        batches->list == NULL || batchOf == NULL) {
        return false;
    }
    batches->count = ChooseBatches(solve, batchOf);
    CN_ASSERT(batches->count <= solve->islandCount + 1);
    memset(batches->list, 0, (size_t)batches->count * sizeof *batches->list);
    solve->statistics.colours = 0;
    ListBodies(solve, batchOf, batches);
    ListContacts(solve, batchOf, batches);
    if (!DivideFirstBatch(solve, batches)) {
        return false;
    }
    for (int b = 0; b < batches->count; ++b) {
        cnSweepBatch* batch = &batches->list[b];
        CountBlocks(solve, batches->contacts, batch);
        if (b > 0) {
            batches->maxBlocks = Larger(batch->blockCount, batches->maxBlocks);
            batches->maxSpecial = Larger(batch->specialCount, batches->maxSpecial);
            batches->maxBodies = Larger(batch->bodyCount, batches->maxBodies);
        }
    }
    cnStack_Pop(stack, batchOf);
    return true;
}
