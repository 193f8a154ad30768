#include "solve/sweeps/contact_blocks.h"

#include "base/prefetch.h"
#include "base/report/assert.h"
#include "solve/contact_rows.h"

#include <stddef.h>

#define CN_STORE_CHUNK 16
// Blocks whose pairs are asked for together.
#define CN_STORE_GROUP 4
// Time constant of the integral term, s.
#define CN_INTEGRAL_TIME 2.0

// ---- layout -----------------------------------------------------------------------------------------------

static bool IsSwept(const cnSolve* solve, int contact) {
    cnIslandSolver solver = solve->islands[solve->contacts[contact].island].solver;
    return solver == cn_islandSwept || solver == cn_islandGrouped;
}

static bool HasSpecialFriction(const cnSolve* solve) {
    for (int c = 0; c < solve->contactCount; ++c) {
        if (IsSwept(solve, c) && !solve->contacts[c].isPlain) {
            return true;
        }
    }
    return false;
}

static bool HasAnisotropicBody(const cnSolve* solve) {
    for (int index = 1; index < solve->solver.count; ++index) {
        int row = solve->solver.rows[index];
        if (!solve->solver.free[index] && (solve->bodies->flags[row] & cn_bodyIsotropicMass) == 0) {
            return true;
        }
    }
    return false;
}

// Starts of the colours' blocks, from the number of contacts in each; contacts that found no colour get a
// block each.
static void LayOutColours(cnContactBlocks* blocks, const int* counts) {
    blocks->blockCount = 0;
    blocks->colourCount = 0;
    for (int colour = 0; colour < 2 * CN_COLOURS; ++colour) {
        if (counts[colour] > 0) {
            blocks->colourStarts[blocks->colourCount++] = blocks->blockCount;
            blocks->blockCount += (counts[colour] + CN_LANES - 1) / CN_LANES;
        }
    }
    blocks->serialColour = blocks->colourCount;
    if (counts[2 * CN_COLOURS] > 0) {
        blocks->colourStarts[blocks->colourCount++] = blocks->blockCount;
        blocks->blockCount += counts[2 * CN_COLOURS];
    }
    blocks->colourStarts[blocks->colourCount] = blocks->blockCount;
}

bool cnMakeContactBlocks(cnSolve* solve, cnContactBlocks* blocks) {
    *blocks = (cnContactBlocks){0};
    blocks->colourStarts = CN_PUSH(solve->stack, int, 2 * CN_COLOURS + 2, "colour starts");
    if (blocks->colourStarts == NULL) {
        return false;
    }

    // one lane a contact, colour by colour
    int counts[2 * CN_COLOURS + 1] = {0};
    for (int place = 0; place < solve->contactCount; ++place) {
        counts[solve->contactPlaces[place].colour] += IsSwept(solve, solve->contactPlaces[place].contact);
    }
    LayOutColours(blocks, counts);
    blocks->blocks = CN_PUSH(solve->stack, cnContactBlock, blocks->blockCount + 1, "contact blocks");
    bool anisotropic = HasAnisotropicBody(solve);
    if (anisotropic) {
        blocks->anisotropic =
            CN_PUSH(solve->stack, cnAnisotropicMass, blocks->blockCount + 1, "anisotropic masses");
    }
    bool special = HasSpecialFriction(solve);
    if (special) {
        blocks->special =
            CN_PUSH(solve->stack, cnSpecialFriction, blocks->blockCount + 1, "special friction");
    }
    if (blocks->blocks == NULL || (anisotropic && blocks->anisotropic == NULL) ||
        (special && blocks->special == NULL)) {
        return false;
    }
    for (int b = 0; b < blocks->blockCount; ++b) {
        for (int lane = 0; lane < CN_LANES; ++lane) {
            blocks->blocks[b].contact[lane] = -1;
        }
    }
    int next[2 * CN_COLOURS + 1] = {0}; // lane to fill next, counted from the first block
    int started = 0;
    for (int colour = 0; colour <= 2 * CN_COLOURS; ++colour) {
        if (counts[colour] > 0) {
            next[colour] = blocks->colourStarts[started++] * CN_LANES;
        }
    }
    for (int place = 0; place < solve->contactCount; ++place) {
        int contact = solve->contactPlaces[place].contact, colour = solve->contactPlaces[place].colour;
        if (IsSwept(solve, contact)) {
            solve->contacts[contact].lane = next[colour];
            blocks->blocks[next[colour] / CN_LANES].contact[next[colour] % CN_LANES] = contact;
            next[colour] += colour == 2 * CN_COLOURS ? CN_LANES : 1;
        }
    }
    solve->statistics.colours = blocks->colourCount;
    return cnPackContactBlocks(solve, blocks);
}

// ---- results ----------------------------------------------------------------------------------------------

static void StoreFriction(const cnContactBlocks* blocks, int blockIndex, int lane, const cnContactRows* rows,
                          float perStep) {
    const cnContactBlock* block = &blocks->blocks[blockIndex];
    cnPair* pair = rows->pair;
    const cnLanes* impulse = block->frictionImpulse;
    bool isSpecial = block->special;
    const cnSpecialFriction* special = isSpecial ? &blocks->special[blockIndex] : NULL;
    cnVec3f normal = {block->normal[0][lane], block->normal[1][lane], block->normal[2][lane]};
    cnVec3f t1 = {block->tangent[0][lane], block->tangent[1][lane], block->tangent[2][lane]};
    cnVec3f t2 = cnCrossF(normal, t1);
    if (isSpecial) {
        t2 = cnScaleF(special->ratio[lane], t2);
    }
    pair->friction = cnAddF(cnScaleF(impulse[0][lane], t1), cnScaleF(impulse[1][lane], t2));
    pair->torsionalFriction = impulse[2][lane];
    pair->frictionForce = cnScaleF(perStep, cnAddF(cnScaleF(block->frictionSum[0][lane], t1),
                                                   cnScaleF(block->frictionSum[1][lane], t2)));
    if (isSpecial && rows->friction.rolls) {
        pair->rollingFriction = cnToF(cnFrictionAxes_Join(&rows->rolling, special->rollingImpulse[0][lane],
                                                          special->rollingImpulse[1][lane]));
    }
}

static void StoreContact(const cnSolve* solve, const cnContactBlocks* blocks, int blockIndex, int lane) {
    const cnContactBlock* block = &blocks->blocks[blockIndex];
    const cnSolverContact* contact = &solve->contacts[block->contact[lane]];
    const cnContactRows* rows = cnSolve_GetRows(solve, block->contact[lane]);
    cnPair* pair = rows->pair;
    float perStep = (float)(1.0 / cnSolve_GetForceTime(solve, contact->body1, contact->body2));
    float sum = 0.0f;
    double load = 0.0, moment = 0.0;
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        pair->impulse[i] = block->points[i].impulse[lane];
        pair->normalForce[i] = block->points[i].impulseSum[lane] * perStep;
        sum += block->points[i].impulseSum[lane];
        double pressed = pair->impulse[i] + rows->adhesion * solve->substep;
        load += pressed;
        moment += pressed * rows->points[i].radius;
    }
    float mean = sum / (float)(pair->manifold.pointCount * solve->substeps);
    pair->integralImpulse += (float)(solve->h / CN_INTEGRAL_TIME) * (mean - pair->integralImpulse);
    StoreFriction(blocks, blockIndex, lane, rows, perStep);
    const double lambda[3] = {block->frictionImpulse[0][lane], block->frictionImpulse[1][lane],
                              block->frictionImpulse[2][lane]};
    cnContactRows_NoteSliding(rows, load, moment, solve->substep, lambda);
}

typedef struct StoreContext {
    cnSolve* solve;
    const cnContactBlocks* blocks;
} StoreContext;

// Each pair belongs to one contact. What of pairs is written comes in the lines of flags and of the solver's
// memory.
static void StoreBlocks(int begin, int end, int thread, void* data) {
    (void)thread;
    const StoreContext* context = data;
    const cnContactBlock* blocks = context->blocks->blocks;
    for (int first = begin; first < end; first += CN_STORE_GROUP) {
        int last = first + CN_STORE_GROUP < end ? first + CN_STORE_GROUP : end;
        for (int place = CN_LANES * first; place < CN_LANES * last; ++place) {
            int contact = blocks[place / CN_LANES].contact[place % CN_LANES];
            if (contact >= 0) {
                const cnPair* pair =
                    &context->solve->pairs->pairs.data[context->solve->contacts[contact].pair];
                cnPrefetchObject(&pair->flags, sizeof pair->flags);
                cnPrefetchObject(&pair->manifold.pointCount, sizeof pair->manifold.pointCount);
                cnPrefetchObject(pair->impulse, sizeof *pair - offsetof(cnPair, impulse));
            }
        }
        for (int place = CN_LANES * first; place < CN_LANES * last; ++place) {
            if (blocks[place / CN_LANES].contact[place % CN_LANES] >= 0) {
                StoreContact(context->solve, context->blocks, place / CN_LANES, place % CN_LANES);
            }
        }
    }
}

void cnStoreContactBlocks(cnSolve* solve, const cnContactBlocks* blocks) {
    StoreContext context = {solve, blocks};
    cnThreadPool_Run(solve->threads, StoreBlocks, &context, blocks->blockCount, CN_STORE_CHUNK);
}
