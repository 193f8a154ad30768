#include "solve/sweeps/sweep_batches.h"

#include "base/report/assert.h"
#include "solve/contact_rows.h"
#include "solve/sweeps/contact_blocks.h"

#include <string.h>

// Most contacts of an island that shares a batch, and so many a batch has that takes no more.
#define CN_SMALL_ISLAND 256
#define CN_FULL_BATCH 128
#define CN_CONTACT_CHUNK 256

void cnSweepBatches_Free(cnSweepBatches* batches) {
    cnArray_Free(&batches->list);
    cnArray_Free(&batches->contacts);
    cnArray_Free(&batches->bodies);
    cnArray_Free(&batches->places);
    cnArray_Free(&batches->cuts);
    cnArray_Free(&batches->batchOf);
    cnArray_Free(&batches->areSpecial);
    cnArray_Free(&batches->ascending);
    cnArray_Free(&batches->parts);
    cnPagedArray_Free(&batches->room);
}

// ---- bodies and contacts ----------------------------------------------------------------------------------

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
static void ListBodies(const cnSolve* solve, cnSweepBatches* batches) {
    const cnSolverBodies* solver = &solve->solver;
    cnSweepBatch* list = batches->list.data;
    for (int index = 0; index < solver->count; ++index) {
        int island = solver->island[index], batch = island >= 0 ? batches->batchOf.data[island] : -1;
        batches->places.data[index] = batch >= 0 ? ++list[batch].bodyCount : 0;
    }
    for (int b = 1; b < batches->list.count; ++b) {
        list[b].firstBody = list[b - 1].firstBody + list[b - 1].bodyCount;
    }
    for (int index = 1; index < solver->count; ++index) {
        if (batches->places.data[index] != 0) {
            const cnSweepBatch* batch = &list[batches->batchOf.data[solver->island[index]]];
            batches->bodies.data[batch->firstBody + batches->places.data[index] - 1] = index;
        }
    }
    batches->bodies.count = list[batches->list.count - 1].firstBody + list[batches->list.count - 1].bodyCount;
}

// The contacts of the batches, in the order of colours. Islands know how many they have.
static void ListContacts(const cnSolve* solve, cnSweepBatches* batches) {
    cnSweepBatch* list = batches->list.data;
    for (int i = 0; i < solve->islandCount; ++i) {
        int batch = batches->batchOf.data[i];
        if (batch >= 0) {
            list[batch].contactCount += solve->islands[i].contactCount;
        }
    }
    for (int b = 1; b < batches->list.count; ++b) {
        list[b].firstContact = list[b - 1].firstContact + list[b - 1].contactCount;
    }
    for (int b = 0; b < batches->list.count; ++b) {
        list[b].contactCount = 0;
    }
    bool isUsed[2 * CN_COLOURS + 1] = {false};
    for (int place = 0; place < solve->contactCount; ++place) {
        const cnContactPlace* contact = &solve->graph->contactPlaces.data[place];
        int b = batches->batchOf.data[solve->contacts[contact->contact].island];
        if (b >= 0) {
            batches->contacts.data[list[b].firstContact + list[b].contactCount++] = *contact;
            isUsed[contact->colour] = true;
        }
    }
    batches->colours = 0;
    for (int colour = 0; colour <= 2 * CN_COLOURS; ++colour) {
        batches->colours += isUsed[colour];
    }
}

// ---- the division of the first batch ----------------------------------------------------------------------

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
    int levels;
} Division;

static void FindNodes(int begin, int end, int thread, void* context) {
    (void)thread;
    const Division* division = context;
    const uint8_t* parts = division->batches->parts.data;
    for (int i = begin; i < end; ++i) {
        cnContactPlace* place = &division->batches->contacts.data[i];
        const cnSolverContact* contact = &division->solve->contacts[place->contact];
        int body1 = contact->body1 != 0 ? contact->body1 : contact->body2;
        int body2 = contact->body2 != 0 ? contact->body2 : contact->body1;
        place->node = (uint8_t)cnNodeOfParts(parts[body1], parts[body2], division->levels);
    }
}

// Divides the first batch, if it is large. False when memory ran out.
static bool DivideFirstBatch(cnSolve* solve, cnSweepBatches* batches) {
    cnSweepBatch* batch = &batches->list.data[0];
    batch->levels = cnChoosePartLevels(batch->contactCount);
    if (batch->levels == 0) {
        return true;
    }
    cnContactPlace* scratch = CN_PUSH(solve->stack, cnContactPlace, batch->contactCount, "contacts of nodes");
    if (scratch == NULL || !cnArray_Resize(&batches->ascending, batch->bodyCount) ||
        !cnArray_Resize(&batches->parts, solve->solver.count)) {
        return false;
    }
    int* bodies = batches->bodies.data;
    memcpy(batches->ascending.data, bodies, (size_t)batch->bodyCount * sizeof *bodies);
    if (!cnDivideBodies(solve, bodies, batch->bodyCount, batch->levels, batches->parts.data)) {
        return false;
    }
    for (int i = 0; i < batch->bodyCount; ++i) {
        batches->places.data[bodies[i]] = i + 1;
    }
    Division division = {solve, batches, batch->levels};
    cnThreadPool_Run(solve->threads, FindNodes, &division, batch->contactCount, CN_CONTACT_CHUNK);
    SortByNodes(batches->contacts.data, scratch, batch->contactCount);
    cnStack_Pop(solve->stack, scratch);
    return true;
}

// Whether the first batch is divided now as it was; false when memory ran out, too.
static bool IsDividedAlike(cnSolve* solve, const cnSweepBatches* batches) {
    const cnSweepBatch* batch = &batches->list.data[0];
    if (batch->levels == 0) {
        return true;
    }
    int* bodies = CN_PUSH(solve->stack, int, batch->bodyCount, "bodies to divide again");
    uint8_t* parts = CN_PUSH(solve->stack, uint8_t, solve->solver.count, "parts to compare");
    if (bodies == NULL || parts == NULL) {
        return false;
    }
    memcpy(bodies, batches->ascending.data, (size_t)batch->bodyCount * sizeof *bodies);
    bool same = cnDivideBodies(solve, bodies, batch->bodyCount, batch->levels, parts);
    for (int i = 0; i < batch->bodyCount && same; ++i) {
        same = parts[bodies[i]] == batches->parts.data[bodies[i]];
    }
    cnStack_Pop(solve->stack, parts);
    cnStack_Pop(solve->stack, bodies);
    return same;
}

// ---- blocks -----------------------------------------------------------------------------------------------

// Whether a contact begins a block after one that has so many.
static bool BeginsBlock(const cnContactPlace* contact, const cnContactPlace* before, int lanes) {
    bool isSerial = contact->colour == 2 * CN_COLOURS; // found no colour: a block each
    return isSerial || lanes == CN_LANES || contact->colour != before->colour ||
           contact->node != before->node;
}

static void CountBlocks(const cnSweepBatches* batches, cnSweepBatch* batch) {
    const cnContactPlace* contacts = batches->contacts.data + batch->firstContact;
    int lanes = CN_LANES;
    bool isSpecial = false;
    for (int i = 0; i < batch->contactCount; ++i) {
        if (BeginsBlock(&contacts[i], &contacts[i - (i > 0)], lanes)) {
            batch->blockCount += 1;
            lanes = 0;
            isSpecial = false;
        }
        if (!isSpecial && batches->areSpecial.data[contacts[i].contact]) {
            batch->specialCount += 1;
            isSpecial = true;
        }
        lanes += 1;
    }
}

void cnCutIntoBlocks(const cnSweepBatches* batches, const cnSweepBatch* batch, cnBlockCut* cuts,
                     cnBlockRuns* runs) {
    int last = (2 << batch->levels) - 2; // node
    runs->levels = batch->levels;
    runs->count = 0;
    runs->serial = CN_MAX_RUNS;
    runs->starts[0] = 0;
    int colour = -1, node = 0, count = 0, specialCount = 0;
    for (int place = batch->firstContact; place < batch->firstContact + batch->contactCount; ++place) {
        const cnContactPlace* contact = &batches->contacts.data[place];
        CN_ASSERT(contact->node > node || (contact->node == node && contact->colour >= colour));
        CN_ASSERT(contact->node <= last && contact->colour <= 2 * CN_COLOURS);
        bool isNext = contact->node != node || contact->colour != colour;
        for (; node < contact->node; ++node) {
            runs->starts[runs->count++ + 1] = count;
        }
        if (isNext && node == last) {
            if (contact->colour == 2 * CN_COLOURS) {
                runs->serial = runs->count;
            }
            runs->starts[runs->count++] = count;
        }
        colour = contact->colour;
        if (count == 0 || BeginsBlock(contact, contact - 1, cuts[count - 1].count)) {
            cuts[count++] = (cnBlockCut){.first = place, .special = -1};
        }
        cnBlockCut* cut = &cuts[count - 1];
        cut->count += 1;
        if (cut->special < 0 && batches->areSpecial.data[contact->contact]) {
            cut->special = specialCount++;
        }
    }
    while (runs->count < last) {
        runs->starts[runs->count++ + 1] = count;
    }
    runs->starts[runs->count] = count;
    CN_ASSERT(count == batch->blockCount && specialCount == batch->specialCount);
}

static int Larger(int a, int b) {
    return a > b ? a : b;
}

static bool CutBatches(cnSweepBatches* batches) {
    batches->maxBlocks = batches->maxSpecial = batches->maxBodies = 0;
    for (int b = 0; b < batches->list.count; ++b) {
        cnSweepBatch* batch = &batches->list.data[b];
        CountBlocks(batches, batch);
        if (b > 0) {
            batches->maxBlocks = Larger(batch->blockCount, batches->maxBlocks);
            batches->maxSpecial = Larger(batch->specialCount, batches->maxSpecial);
            batches->maxBodies = Larger(batch->bodyCount, batches->maxBodies);
        }
    }
    const cnSweepBatch* first = &batches->list.data[0];
    if (!cnArray_Resize(&batches->cuts, first->blockCount)) {
        return false;
    }
    cnCutIntoBlocks(batches, first, batches->cuts.data, &batches->runs);
    return true;
}

// ---- all of it --------------------------------------------------------------------------------------------

typedef struct SpecialTask {
    const cnSolve* solve;
    bool* areSpecial;
} SpecialTask;

static void FindSpecial(int begin, int end, int thread, void* context) {
    (void)thread;
    const SpecialTask* task = context;
    for (int c = begin; c < end; ++c) {
        task->areSpecial[c] = cnSolve_HasSpecialFriction(task->solve, c);
    }
}

// What batches are of: of each island whether it is swept, of each contact whether its friction is special.
// True in `areKept` where both are as they were, and the graph. False when memory ran out.
static bool FindCauses(cnSolve* solve, cnSweepBatches* batches, int* batchCount, bool* areKept) {
    int* batchOf = CN_PUSH(solve->stack, int, solve->islandCount + 1, "batches of islands");
    bool* areSpecial = CN_PUSH(solve->stack, bool, solve->contactCount + 1, "special contacts");
    if (batchOf == NULL || areSpecial == NULL) {
        return false;
    }
    *batchCount = ChooseBatches(solve, batchOf);
    size_t islandBytes = (size_t)solve->islandCount * sizeof *batchOf;
    size_t contactBytes = (size_t)solve->contactCount * sizeof *areSpecial;
    if (solve->rowCount == 0) {
        memset(areSpecial, 0, contactBytes);
    } else {
        cnThreadPool_Run(solve->threads, FindSpecial, &(SpecialTask){solve, areSpecial}, solve->contactCount,
                         CN_CONTACT_CHUNK);
    }
    *areKept = batches->version == solve->graph->version &&
               (islandBytes == 0 || memcmp(batchOf, batches->batchOf.data, islandBytes) == 0) &&
               (contactBytes == 0 || memcmp(areSpecial, batches->areSpecial.data, contactBytes) == 0);
    if (!*areKept) {
        batches->version = 0;
        if (!cnArray_Resize(&batches->batchOf, solve->islandCount) ||
            !cnArray_Resize(&batches->areSpecial, solve->contactCount)) {
            return false;
        }
        if (islandBytes > 0) {
            memcpy(batches->batchOf.data, batchOf, islandBytes);
        }
        if (contactBytes > 0) {
            memcpy(batches->areSpecial.data, areSpecial, contactBytes);
        }
    }
    cnStack_Pop(solve->stack, areSpecial);
    cnStack_Pop(solve->stack, batchOf);
    return true;
}

static bool MakeBatches(cnSolve* solve, cnSweepBatches* batches, int count) {
    batches->version = 0;
    if (!cnArray_Resize(&batches->list, count) || !cnArray_Resize(&batches->contacts, solve->contactCount) ||
        !cnArray_Resize(&batches->bodies, solve->solver.count) ||
        !cnArray_Resize(&batches->places, solve->solver.count)) {
        return false;
    }
    memset(batches->list.data, 0, (size_t)count * sizeof *batches->list.data);
    ListBodies(solve, batches);
    ListContacts(solve, batches);
    if (!DivideFirstBatch(solve, batches) || !CutBatches(batches)) {
        return false;
    }
    batches->version = solve->graph->version;
    return true;
}

static bool HasBodies(const cnSolve* solve, const cnSweepBatches* batches, uint32_t mask, uint32_t flags) {
    bool has = false;
    for (int i = 0; i < batches->bodies.count && !has; ++i) {
        has = (solve->bodies->flags[solve->solver.rows[batches->bodies.data[i]]] & mask) == flags;
    }
    return has;
}

bool cnMakeSweepBatches(cnSolve* solve, cnSweepBatches* batches) {
    int count = 0;
    bool areKept = false;
    if (!FindCauses(solve, batches, &count, &areKept)) {
        return false;
    }
    CN_ASSERT(count >= 1 && count <= solve->islandCount + 1);
    if (!(areKept && IsDividedAlike(solve, batches)) && !MakeBatches(solve, batches, count)) {
        return false;
    }
    const cnSolverBodies* solver = &solve->solver;
    batches->isAnisotropic = solver->anyAnisotropic && HasBodies(solve, batches, cn_bodyIsotropicMass, 0);
    batches->isDamped = solver->anyDamped && HasBodies(solve, batches, cn_bodyDamped, cn_bodyDamped);
    solve->statistics.colours = batches->colours;
    return true;
}
