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

bool cnContactBlocks_Make(cnContactBlocks* blocks, cnStack* stack, int count, int specialCount,
                          bool isAnisotropic) {
    *blocks = (cnContactBlocks){
        .blocks = CN_PUSH(stack, cnContactBlock, count, "contact blocks"),
        .special = CN_PUSH(stack, cnSpecialFriction, specialCount, "special friction"),
    };
    if (isAnisotropic) {
        blocks->anisotropic = CN_PUSH(stack, cnAnisotropicMass, count, "anisotropic masses");
    }
    return blocks->blocks != NULL && blocks->special != NULL &&
           (!isAnisotropic || blocks->anisotropic != NULL);
}

void cnContactBlocks_LayOut(cnContactBlocks* blocks, const cnSolve* solve, const cnContactPlace* contacts,
                            int count) {
    blocks->blockCount = blocks->colourCount = 0;
    int colour = -1, lane = 0, serial = -1, specialCount = 0;
    for (int i = 0; i < count; ++i) {
        CN_ASSERT(contacts[i].colour >= colour && contacts[i].colour <= 2 * CN_COLOURS);
        if (contacts[i].colour != colour) {
            colour = contacts[i].colour;
            serial = colour == 2 * CN_COLOURS ? blocks->colourCount : -1;
            blocks->colourStarts[blocks->colourCount++] = blocks->blockCount;
            lane = CN_LANES;
        }
        if (lane == CN_LANES || serial >= 0) { // contacts that found no colour get a block each
            cnContactBlock* block = &blocks->blocks[blocks->blockCount++];
            block->special = -1;
            for (lane = 0; lane < CN_LANES; ++lane) {
                block->contact[lane] = -1;
            }
            lane = 0;
        }
        cnContactBlock* block = &blocks->blocks[blocks->blockCount - 1];
        block->contact[lane++] = contacts[i].contact;
        if (block->special < 0 && cnSolve_HasSpecialFriction(solve, contacts[i].contact)) {
            block->special = specialCount++;
        }
    }
    blocks->colourStarts[blocks->colourCount] = blocks->blockCount;
    blocks->serialColour = serial >= 0 ? serial : blocks->colourCount;
}

// ---- results ----------------------------------------------------------------------------------------------

// Of a contact that may have rows.
static void StoreFriction(const cnContactBlocks* blocks, int blockIndex, int lane, const cnContactRows* rows,
                          cnPair* pair, float perStep) {
    const cnContactBlock* block = &blocks->blocks[blockIndex];
    const cnLanes* impulse = block->frictionImpulse;
    bool isSpecial = block->special >= 0;
    const cnSpecialFriction* special = isSpecial ? &blocks->special[block->special] : NULL;
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
    if (isSpecial && rows != NULL && rows->friction.rolls) {
        pair->rollingFriction = cnToF(cnFrictionAxes_Join(&rows->rolling, special->rollingImpulse[0][lane],
                                                          special->rollingImpulse[1][lane]));
    }
}

static void NoteSliding(const cnContactBlock* block, int lane, const cnSolverContact* contact,
                        const cnContactRows* rows, cnPair* pair, double load, double moment, double h) {
    const double lambda[3] = {block->frictionImpulse[0][lane], block->frictionImpulse[1][lane],
                              block->frictionImpulse[2][lane]};
    if (rows != NULL) {
        cnPair_NoteSliding(pair, &rows->friction, rows->isArea, load, moment, h, lambda);
        return;
    }
    const double mu = block->friction[lane];
    const cnContactFriction friction = {
        .perLoad = {mu, mu},
        .perMoment = block->torsionalFriction[lane],
        .staticScale = contact->staticScale,
    };
    bool isArea = pair->manifold.pointCount > 1 && mu > 0.0;
    cnPair_NoteSliding(pair, &friction, isArea, load, moment, h, lambda);
}

static void StoreContact(const cnSolve* solve, const cnContactBlocks* blocks, int blockIndex, int lane) {
    const cnContactBlock* block = &blocks->blocks[blockIndex];
    const cnSolverContact* contact = &solve->contacts[block->contact[lane]];
    const cnContactRows* rows = contact->row >= 0 ? &solve->contactRows[contact->row] : NULL;
    cnPair* pair = &solve->pairs->pairs.data[contact->pair];
    float perStep = (float)(1.0 / cnSolve_GetForceTime(solve, contact->body1, contact->body2));
    float sum = 0.0f;
    double load = 0.0, moment = 0.0;
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        pair->impulse[i] = block->points[i].impulse[lane];
        pair->normalForce[i] = block->points[i].impulseSum[lane] * perStep;
        sum += block->points[i].impulseSum[lane];
        double pressed = pair->impulse[i] - block->least[lane];
        load += pressed;
        moment += pressed * block->points[i].radius[lane];
    }
    float mean = sum / (float)(pair->manifold.pointCount * solve->substeps);
    pair->integralImpulse += (float)(solve->h / CN_INTEGRAL_TIME) * (mean - pair->integralImpulse);
    if (solve->islands[contact->island].contactCount > CN_CONVERGED_CONTACTS) { // solver_choice.c
        pair->convergedSteps -= (pair->convergedSteps > 0) - (pair->convergedSteps < 0);
    }
    StoreFriction(blocks, blockIndex, lane, rows, pair, perStep);
    NoteSliding(block, lane, contact, rows, pair, load, moment, solve->substep);
}

// Each pair belongs to one contact. What of pairs is written comes in the lines of flags and of the solver's
// memory.
static void StoreBlocks(int begin, int end, int thread, void* data) {
    (void)thread;
    const cnSweptBatch* batch = data;
    const cnSolve* solve = batch->solve;
    const cnContactBlock* blocks = batch->blocks.blocks;
    for (int first = begin; first < end; first += CN_STORE_GROUP) {
        int last = first + CN_STORE_GROUP < end ? first + CN_STORE_GROUP : end;
        for (int place = CN_LANES * first; place < CN_LANES * last; ++place) {
            int contact = blocks[place / CN_LANES].contact[place % CN_LANES];
            if (contact >= 0) {
                const cnPair* pair = &solve->pairs->pairs.data[solve->contacts[contact].pair];
                cnPrefetchObject(&pair->flags, sizeof pair->flags);
                cnPrefetchObject(&pair->manifold.pointCount, sizeof pair->manifold.pointCount);
                cnPrefetchObject(pair->impulse, CN_PAIR_SOLVED_BYTES - offsetof(cnPair, impulse));
            }
        }
        for (int place = CN_LANES * first; place < CN_LANES * last; ++place) {
            if (blocks[place / CN_LANES].contact[place % CN_LANES] >= 0) {
                StoreContact(solve, &batch->blocks, place / CN_LANES, place % CN_LANES);
            }
        }
    }
}

void cnStoreContactBlocks(cnSweptBatch* batch) {
    cnThreadPool_Run(batch->threads, StoreBlocks, batch, batch->blocks.blockCount, CN_STORE_CHUNK);
}
