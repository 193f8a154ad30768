#include "solve/sweeps/contact_blocks.h"

#include "base/report/assert.h"

#include <string.h>

#define CN_BLOCK_CHUNK 16
// Time constant of the slow multiplier, s.
#define CN_SLOW_TIME 2.0
// Friction rows' least regularisation as a part of their own effect.
#define CN_MIN_CREEP 1e-12

// ---- colours --------------------------------------------------------------------------------------------------------

typedef struct Visit {
    uint32_t order;
    int contact;
} Visit;

// Stable radix sort by `order`, 11 bits a pass.
static void SortVisits(Visit* visits, Visit* scratch, int count) {
    CN_ASSERT(count >= 0);
    for (int shift = 0; shift < 33; shift += 11) {
        int starts[2049] = {0};
        for (int i = 0; i < count; ++i) {
            starts[(visits[i].order >> shift & 2047) + 1] += 1;
        }
        for (int digit = 0; digit < 2048; ++digit) {
            starts[digit + 1] += starts[digit];
        }
        for (int i = 0; i < count; ++i) {
            scratch[starts[visits[i].order >> shift & 2047]++] = visits[i];
        }
        memcpy(visits, scratch, (size_t)count * sizeof *visits);
    }
}

static int LowestFree(uint64_t taken) {
    return taken == UINT64_MAX ? CN_COLOURS : __builtin_ctzll(~taken);
}

// Colour of every visited contact: below CN_COLOURS between two dynamic bodies, from CN_COLOURS on with one, and
// 2·CN_COLOURS where none was free. Returns false when memory ran out.
static bool ColourContacts(cnSolve* solve, const Visit* visits, int count, uint8_t* colours) {
    size_t bytes = (size_t)solve->solver.count * sizeof(uint64_t);
    uint64_t* taken = cnStack_Push(solve->stack, 2 * bytes, "colours taken");
    if (taken == NULL) {
        return false;
    }
    memset(taken, 0, 2 * bytes);
    uint64_t* takenLast = taken + solve->solver.count;
    for (int i = 0; i < count; ++i) {
        const cnSolverContact* contact = &solve->contacts[visits[i].contact];
        CN_ASSERT(contact->body1 != 0 || contact->body2 != 0);
        bool both = contact->body1 != 0 && contact->body2 != 0;
        uint64_t* masks = both ? taken : takenLast;
        uint64_t used = (contact->body1 != 0 ? masks[contact->body1] : 0) |
                        (contact->body2 != 0 ? masks[contact->body2] : 0);
        int colour = LowestFree(used);
        if (colour == CN_COLOURS) {
            colours[i] = 2 * CN_COLOURS;
            continue;
        }
        masks[contact->body1] |= (uint64_t)1 << colour;
        masks[contact->body2] |= (uint64_t)1 << colour;
        colours[i] = (uint8_t)(both ? colour : CN_COLOURS + colour);
    }
    cnStack_Pop(solve->stack, taken);
    return true;
}

// ---- packing --------------------------------------------------------------------------------------------------------

static void SetLanes(cnLanes* lanes, int lane, cnVec3 v) {
    lanes[0][lane] = (float)v.x;
    lanes[1][lane] = (float)v.y;
    lanes[2][lane] = (float)v.z;
}

static void SetSymmetric(cnLanes* lanes, int lane, cnMat33 m) {
    lanes[0][lane] = (float)m.x.x;
    lanes[1][lane] = (float)m.x.y;
    lanes[2][lane] = (float)m.x.z;
    lanes[3][lane] = (float)m.y.y;
    lanes[4][lane] = (float)m.y.z;
    lanes[5][lane] = (float)m.z.z;
}

// What a lane is filled from, in f64.
typedef struct LaneSource {
    cnPair* pair;
    int row1, row2;
    const cnInverseMass* m1;
    const cnInverseMass* m2;
    cnPairProperties material;
    cnVec3 normal, tangent1, tangent2;
    double substep;
    double theta;
    bool large; // the island
} LaneSource;

static void PackPoint(cnPointLanes* point, int lane, int index, const cnSolve* solve,
                      const LaneSource* source, double sigma, cnVec3 centre1) {
    CN_ASSERT(lane >= 0 && lane < CN_LANES && index >= 0 && index < source->pair->manifold.pointCount);
    cnVec3 arm1 = cnToD(source->pair->arm1[index]), arm2 = cnToD(source->pair->arm2[index]);
    cnVec3 j1 = cnCross(arm1, source->normal), j2 = cnCross(arm2, source->normal);
    double effect = cnRowEffect(source->m1, source->m2, source->normal, j1, j2);
    CN_ASSERT(!(effect <= 0.0)); // it may be NaN where numbers overflow
    double gamma = cnSpookGamma(source->material.damping, source->substep);
    double softening = 4.0 * gamma * source->theta * effect;
    cnVec3 slip = cnRelativeVelocity(solve->bodies, source->row1, source->row2, arm1, arm2);
    SetLanes(point->arm1, lane, arm1);
    SetLanes(point->arm2, lane, arm2);
    double startVelocity = cnDot(source->normal, slip);
    point->impulse[lane] = solve->settings.disableWarmStart ? 0.0f : source->pair->impulse[index];
    double stored = cnStoredOverlap(point->impulse[lane], cnSlowImpulse(source->pair), effect, source->theta,
                                    source->substep, &source->material);
    float depth = source->pair->manifold.points[index].depth;
    point->separation[lane] =
        (float)cnRowSeparation(depth, startVelocity + source->pair->curvature * solve->h, &source->material);
    point->push[lane] = (float)cnRowPush(source->pair, source->large, index, stored, effect,
                                         4.0 * gamma / source->substep, &source->material);
    point->startVelocity[lane] = (float)startVelocity;
    point->inverseBiased[lane] = (float)(1.0 / (effect + sigma + softening));
    point->inverseRelaxed[lane] = (float)(1.0 / effect);
    point->softening[lane] = (float)softening;
    point->radius[lane] = (float)cnLength(cnSub(source->row1 >= 0 ? arm1 : arm2, centre1));
}

static void PackFriction(cnContactBlock* block, int lane, const cnSolve* solve, const LaneSource* source,
                         cnVec3 centre1, cnVec3 centre2) {
    CN_ASSERT(source->pair->manifold.pointCount > 0);
    const cnPair* pair = source->pair;
    cnVec3 t1 = source->tangent1, t2 = source->tangent2;
    cnVec3 a1 = cnCross(centre1, t1), b1 = cnCross(centre2, t1);
    cnVec3 a2 = cnCross(centre1, t2), b2 = cnCross(centre2, t2);
    double k11 = cnRowEffect(source->m1, source->m2, t1, a1, b1);
    double k22 = cnRowEffect(source->m1, source->m2, t2, a2, b2);
    double k12 = cnDot(t1, cnAdd(cnMulMat(source->m1->linear, t2), cnMulMat(source->m2->linear, t2))) +
                 cnDot(a1, cnMulMat(source->m1->angular, a2)) + cnDot(b1, cnMulMat(source->m2->angular, b2));
    double viscosity = source->material.surfaceViscosity[0];
    double creep =
        cnMax(viscosity / (pair->manifold.pointCount * source->substep), CN_MIN_CREEP * (k11 + k22));
    k11 += creep;
    k22 += creep;
    double inverse = 1.0 / (k11 * k22 - k12 * k12);
    double largest = 0.5 * (k11 + k22) + sqrt(0.25 * (k11 - k22) * (k11 - k22) + k12 * k12);
    double twist = cnDot(source->normal, cnMulMat(source->m1->angular, source->normal)) +
                   cnDot(source->normal, cnMulMat(source->m2->angular, source->normal));
    cnVec3 slip = cnAdd(cnRelativeVelocity(solve->bodies, source->row1, source->row2, centre1, centre2),
                        cnSurfaceVelocity(solve, pair));
    cnVec3 spin = cnVec3_zero;
    if (source->row1 >= 0) {
        spin = solve->bodies->angularVelocity[source->row1];
    }
    if (source->row2 >= 0) {
        spin = cnSub(spin, solve->bodies->angularVelocity[source->row2]);
    }
    bool slides = source->material.frictionModel == cn_frictionNone;
    cnVec3 impulse = cnToD(pair->friction);
    double warm = solve->settings.disableWarmStart || slides ? 0.0 : 1.0;
    SetLanes(block->centreArm1, lane, centre1);
    SetLanes(block->centreArm2, lane, centre2);
    SetLanes(block->startSlip, lane, (cnVec3){cnDot(t1, slip), cnDot(t2, slip), cnDot(source->normal, spin)});
    block->friction[lane] = slides ? 0.0f : (float)source->material.friction[0];
    block->creep[lane] = (float)creep;
    block->inverse11[lane] = (float)(k22 * inverse);
    block->inverse12[lane] = (float)(-k12 * inverse);
    block->inverse22[lane] = (float)(k11 * inverse);
    block->inverseLargest[lane] = (float)(1.0 / largest);
    block->inverseTwist[lane] = twist > 0.0 ? (float)(1.0 / twist) : 0.0f;
    block->tangentImpulse[0][lane] = (float)(warm * cnDot(impulse, t1));
    block->tangentImpulse[1][lane] = (float)(warm * cnDot(impulse, t2));
    block->tangentImpulse[2][lane] = (float)warm * pair->twist;
}

static void PackLane(cnSolve* solve, cnContactBlocks* blocks, int blockIndex, int lane) {
    CN_ASSERT(blockIndex >= 0 && blockIndex < blocks->blockCount && lane >= 0 && lane < CN_LANES);
    cnContactBlock* block = &blocks->blocks[blockIndex];
    const cnSolverContact* contact = &solve->contacts[block->contact[lane]];
    CN_ASSERT(contact->body1 != 0 || contact->body2 != 0);
    CN_ASSERT(solve->islands[contact->island].solver == cn_islandSwept ||
              solve->islands[contact->island].solver == cn_islandGrouped);
    cnPair* pair = &solve->pairs->pairs.data[contact->pair];
    LaneSource source = {
        .pair = pair,
        .row1 = pair->body1,
        .row2 = pair->body2,
        .m1 = &solve->solver.inverse[contact->body1],
        .m2 = &solve->solver.inverse[contact->body2],
        .material = cnResolvePair(solve->materials, solve->proxies->material[pair->proxy1],
                                  solve->proxies->material[pair->proxy2]),
        .normal = cnToD(pair->manifold.normal),
        .substep = solve->substep,
        .large = solve->islands[contact->island].large,
        .theta = contact->body1 != 0 && contact->body2 != 0 ? CN_THETA_BOTH : CN_THETA_ONE,
    };
    cnMakeTangents(source.normal, &source.tangent1, &source.tangent2);
    double gamma = cnSpookGamma(source.material.damping, solve->substep);
    double sigma = cnSpookSigma(1.0 / source.material.youngsModulus, gamma, solve->substep);
    block->body1[lane] = contact->body1;
    block->body2[lane] = contact->body2;
    block->inverseMass1[lane] = (float)source.m1->linear.x.x;
    block->inverseMass2[lane] = (float)source.m2->linear.x.x;
    SetSymmetric(block->inverseInertia1, lane, source.m1->angular);
    SetSymmetric(block->inverseInertia2, lane, source.m2->angular);
    SetLanes(block->normal, lane, source.normal);
    SetLanes(block->tangent, lane, source.tangent1);
    block->gamma[lane] = (float)gamma;
    block->bounce[lane] = (float)(4.0 * gamma / solve->substep);
    block->sigma[lane] = (float)sigma;
    block->curvature[lane] = (float)pair->curvature;
    block->integralImpulse[lane] = cnSlowImpulse(pair);
    if (blocks->anisotropic != NULL) {
        SetSymmetric(blocks->anisotropic[blockIndex].inverseMass1, lane, source.m1->linear);
        SetSymmetric(blocks->anisotropic[blockIndex].inverseMass2, lane, source.m2->linear);
    }

    int count = pair->manifold.pointCount;
    cnVec3 centre1 = cnVec3_zero, centre2 = cnVec3_zero;
    for (int i = 0; i < count; ++i) {
        centre1 = cnMulAdd(centre1, 1.0 / count, cnToD(pair->arm1[i]));
        centre2 = cnMulAdd(centre2, 1.0 / count, cnToD(pair->arm2[i]));
    }
    for (int i = 0; i < count; ++i) {
        PackPoint(&block->points[i], lane, i, solve, &source, sigma, source.row1 >= 0 ? centre1 : centre2);
    }
    PackFriction(block, lane, solve, &source, centre1, centre2);
    block->pointCount = count > block->pointCount ? count : block->pointCount;
}

typedef struct PackContext {
    cnSolve* solve;
    cnContactBlocks* blocks;
} PackContext;

static void PackBlocks(int begin, int end, int thread, void* data) {
    (void)thread;
    PackContext* context = data;
    CN_ASSERT(begin >= 0 && end <= context->blocks->blockCount);
    for (int b = begin; b < end; ++b) {
        cnContactBlock* block = &context->blocks->blocks[b];
        for (int lane = 0; lane < CN_LANES; ++lane) {
            if (block->contact[lane] >= 0) {
                PackLane(context->solve, context->blocks, b, lane);
            }
        }
        block->anisotropic = context->blocks->anisotropic != NULL;
    }
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

// Starts of the colours' blocks, from the number of contacts in each; contacts that found no colour get a block each.
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
    Visit* visits = CN_PUSH(solve->stack, Visit, solve->contactCount + 1, "visits");
    Visit* scratch = CN_PUSH(solve->stack, Visit, solve->contactCount + 1, "sorted visits");
    uint8_t* colours = CN_PUSH(solve->stack, uint8_t, solve->contactCount + 1, "colours");
    if (blocks->colourStarts == NULL || visits == NULL || scratch == NULL || colours == NULL) {
        return false;
    }

    // soft contacts in hashed order
    int count = 0;
    for (int c = 0; c < solve->contactCount; ++c) {
        const cnIsland* island = &solve->islands[solve->contacts[c].island];
        if (island->solver == cn_islandSwept || island->solver == cn_islandGrouped) {
            visits[count++] = (Visit){solve->pairs->pairs.data[solve->contacts[c].pair].order, c};
        }
    }
    SortVisits(visits, scratch, count);
    if (!ColourContacts(solve, visits, count, colours)) {
        return false;
    }

    // one lane a contact, colour by colour
    int counts[2 * CN_COLOURS + 1] = {0};
    for (int i = 0; i < count; ++i) {
        counts[colours[i]] += 1;
    }
    LayOutColours(blocks, counts);
    blocks->blocks = CN_PUSH(solve->stack, cnContactBlock, blocks->blockCount + 1, "contact blocks");
    bool anisotropic = HasAnisotropicBody(solve);
    if (anisotropic) {
        blocks->anisotropic =
            CN_PUSH(solve->stack, cnAnisotropicMass, blocks->blockCount + 1, "anisotropic masses");
    }
    if (blocks->blocks == NULL || (anisotropic && blocks->anisotropic == NULL)) {
        return false;
    }
    memset(blocks->blocks, 0, (size_t)blocks->blockCount * sizeof(cnContactBlock));
    if (anisotropic) {
        memset(blocks->anisotropic, 0, (size_t)blocks->blockCount * sizeof(cnAnisotropicMass));
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
    for (int i = 0; i < count; ++i) {
        int lane = next[colours[i]];
        next[colours[i]] += colours[i] == 2 * CN_COLOURS ? CN_LANES : 1;
        blocks->blocks[lane / CN_LANES].contact[lane % CN_LANES] = visits[i].contact;
    }
    PackContext context = {solve, blocks};
    cnThreadPool_Run(solve->threads, PackBlocks, &context, blocks->blockCount, CN_BLOCK_CHUNK);
    solve->statistics.colours = blocks->colourCount;
    return true;
}

// ---- results --------------------------------------------------------------------------------------------------------

static void StoreLane(cnSolve* solve, const cnContactBlock* block, int lane) {
    CN_ASSERT(lane >= 0 && lane < CN_LANES && block->contact[lane] >= 0 &&
              block->contact[lane] < solve->contactCount);
    cnPair* pair = &solve->pairs->pairs.data[solve->contacts[block->contact[lane]].pair];
    cnVec3f normal = {block->normal[0][lane], block->normal[1][lane], block->normal[2][lane]};
    cnVec3f t1 = {block->tangent[0][lane], block->tangent[1][lane], block->tangent[2][lane]};
    cnVec3f t2 = cnCrossF(normal, t1);
    float perStep = (float)(1.0 / solve->h);
    float sum = 0.0f;
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        pair->impulse[i] = block->points[i].impulse[lane];
        pair->normalForce[i] = block->points[i].impulseSum[lane] * perStep;
        sum += block->points[i].impulseSum[lane];
    }
    float mean = sum / (float)(pair->manifold.pointCount * solve->substeps);
    pair->integralImpulse += (float)(solve->h / CN_SLOW_TIME) * (mean - pair->integralImpulse);
    pair->friction =
        cnAddF(cnScaleF(block->tangentImpulse[0][lane], t1), cnScaleF(block->tangentImpulse[1][lane], t2));
    pair->twist = block->tangentImpulse[2][lane];
    pair->frictionForce = cnScaleF(
        perStep, cnAddF(cnScaleF(block->tangentSum[0][lane], t1), cnScaleF(block->tangentSum[1][lane], t2)));
}

void cnStoreContactBlocks(cnSolve* solve, const cnContactBlocks* blocks) {
    for (int b = 0; b < blocks->blockCount; ++b) {
        for (int lane = 0; lane < CN_LANES; ++lane) {
            if (blocks->blocks[b].contact[lane] >= 0) {
                StoreLane(solve, &blocks->blocks[b], lane);
            }
        }
    }
}
