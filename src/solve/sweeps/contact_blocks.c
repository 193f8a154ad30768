#include "solve/sweeps/contact_blocks.h"

#include "base/report/assert.h"
#include "solve/contact_rows.h"

#include <string.h>

#define CN_BLOCK_CHUNK 16
#define CN_STORE_CHUNK 64
// Time constant of the integral term, s.
#define CN_INTEGRAL_TIME 2.0
// Min slip regularisation of friction rows as a part of their own inverse effective masses.
#define CN_MIN_SLIP 1e-12

// ---- packing ----------------------------------------------------------------------------------------------

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
    const cnSolve* solve;
    const cnContactRows* rows;
    const cnInverseMass* m1;
    const cnInverseMass* m2;
    cnVec3 velocity, spin1, spin2; // of the centres, relative; of the bodies
    cnRowSoftness softness;
    double theta;
    bool large, jointed; // the island; its joints are swept
} LaneSource;

static cnVec3 RelativeVelocity(const LaneSource* source, cnVec3 arm1, cnVec3 arm2) {
    return cnSub(cnAdd(source->velocity, cnCross(source->spin1, arm1)), cnCross(source->spin2, arm2));
}

static void PackPoint(cnPointLanes* lanes, int lane, int index, const LaneSource* source) {
    CN_ASSERT(lane >= 0 && lane < CN_LANES && index >= 0 && index < source->rows->pointCount);
    const cnSolve* solve = source->solve;
    const cnContactRows* rows = source->rows;
    const cnContactPoint* point = &rows->points[index];
    const cnRowSoftness* softness = &source->softness;
    double inverseMass = point->inverseEffectiveMass;
    double softening = 4.0 * softness->gamma * source->theta * inverseMass;
    double startVelocity = cnDot(rows->normal, RelativeVelocity(source, point->arm1, point->arm2));
    float impulse = solve->settings.disableWarmStart ? 0.0f : rows->pair->impulse[index];
    double stored = cnContactRows_GetStoredOverlap(rows, index, impulse, cnIntegralImpulse(rows->pair),
                                                   source->theta, solve->substep);
    double atPoses = startVelocity + rows->pair->curvature * solve->h;
    SetLanes(lanes->arm1, lane, point->arm1);
    SetLanes(lanes->arm2, lane, point->arm2);
    lanes->impulse[lane] = impulse;
    lanes->separation[lane] = (float)cnContactRows_GetSeparation(rows, index, atPoses);
    lanes->push[lane] = (float)(source->jointed ? cnContactRows_GetCorrectionSpeed(rows)
                                                : cnContactRows_GetPush(rows, source->large, index, stored,
                                                                        softness->bounce));
    lanes->startVelocity[lane] = (float)startVelocity;
    lanes->inverseBiased[lane] = (float)(1.0 / (inverseMass + softness->sigma + softening));
    lanes->inverseRelaxed[lane] = (float)(1.0 / inverseMass);
    lanes->softening[lane] = (float)softening;
    lanes->radius[lane] = (float)point->radius;
}

// K of two rows, and Σ.
typedef struct AxesMass {
    double k11, k12, k22;
    double sigma[2];
} AxesMass;

static void PackAxes(cnAxesLanes* lanes, int lane, const AxesMass* mass) {
    double k11 = mass->k11 + mass->sigma[0], k22 = mass->k22 + mass->sigma[1], k12 = mass->k12;
    double largest = 0.5 * (k11 + k22) + sqrt(0.25 * (k11 - k22) * (k11 - k22) + k12 * k12);
    lanes->k11[lane] = (float)k11;
    lanes->k12[lane] = (float)k12;
    lanes->k22[lane] = (float)k22;
    lanes->inverseDeterminant[lane] = (float)(1.0 / (k11 * k22 - k12 * k12));
    lanes->inverseLargest[lane] = (float)(1.0 / largest);
}

static AxesMass FindSlidingMass(const LaneSource* source) {
    const cnContactRows* rows = source->rows;
    const cnInverseMass *m1 = source->m1, *m2 = source->m2;
    cnVec3 t1 = rows->sliding.axis[0], t2 = rows->sliding.axis[1];
    cnVec3 a1 = cnCross(rows->centreArm1, t1), b1 = cnCross(rows->centreArm2, t1);
    cnVec3 a2 = cnCross(rows->centreArm1, t2), b2 = cnCross(rows->centreArm2, t2);
    cnVec3 linear1 = cnAdd(cnMulMat(m1->linear, t1), cnMulMat(m2->linear, t1));
    cnVec3 linear2 = cnAdd(cnMulMat(m1->linear, t2), cnMulMat(m2->linear, t2));
    cnVec3 turn1 = cnMulMat(m1->angular, a1), turn2 = cnMulMat(m1->angular, a2);
    cnVec3 back1 = cnMulMat(m2->angular, b1), back2 = cnMulMat(m2->angular, b2);
    AxesMass mass = {
        .k11 = cnDot(t1, linear1) + cnDot(a1, turn1) + cnDot(b1, back1),
        .k22 = cnDot(t2, linear2) + cnDot(a2, turn2) + cnDot(b2, back2),
        .k12 = cnDot(t2, linear1) + cnDot(a2, turn1) + cnDot(b2, back1),
    };
    for (int i = 0; i < 2; ++i) {
        double slip = cnFriction_GetSigma(&rows->friction, i, rows->pointCount, source->solve->substep);
        mass.sigma[i] = cnMax(slip, CN_MIN_SLIP * (mass.k11 + mass.k22));
    }
    return mass;
}

static AxesMass FindRollingMass(const LaneSource* source) {
    const cnVec3* axis = source->rows->rolling.axis;
    cnVec3 response[2];
    for (int i = 0; i < 2; ++i) {
        response[i] = cnAdd(cnMulMat(source->m1->angular, axis[i]), cnMulMat(source->m2->angular, axis[i]));
    }
    AxesMass mass = {
        .k11 = cnDot(axis[0], response[0]),
        .k12 = cnDot(axis[0], response[1]),
        .k22 = cnDot(axis[1], response[1]),
    };
    mass.sigma[0] = mass.sigma[1] = CN_MIN_SLIP * (mass.k11 + mass.k22);
    return mass;
}

static void PackSpecialFriction(cnSpecialFriction* special, int lane, const LaneSource* source,
                                const AxesMass* mass) {
    const cnSolve* solve = source->solve;
    const cnContactRows* rows = source->rows;
    const cnContactFriction* friction = &rows->friction;
    special->ratio[lane] = (float)rows->sliding.scale[1];
    special->isBox[lane] = friction->isBox ? 1.0f : 0.0f;
    special->hasBoxes |= friction->isBox;
    special->perLoad[lane] = (float)friction->perLoad[1];
    special->fixed[0][lane] = (float)(friction->fixed[0] * solve->substep);
    special->fixed[1][lane] = (float)(friction->fixed[1] * solve->substep);
    special->slipRegularisation[lane] = (float)mass->sigma[1];
    special->perMoment[lane] = (float)friction->perMoment;
    for (int i = 0; i < rows->pointCount; ++i) {
        double held = rows->adhesion * solve->substep;
        special->heldLoad[lane] += (float)held;
        special->heldMoment[lane] += (float)(held * rows->points[i].radius);
    }
    special->spinPerLoad[lane] = (float)friction->spinPerLoad;
    special->spinRegularisation[lane] = (float)cnFriction_GetSpinSigma(friction, solve->substep);
    special->spinFixed[lane] = (float)(friction->spinFixed * solve->substep);
    if (!friction->rolls) {
        return;
    }
    special->rolls = true;
    AxesMass rolling = FindRollingMass(source);
    double impulse[2] = {0.0, 0.0};
    if (!solve->settings.disableWarmStart) {
        cnFrictionAxes_Split(&rows->rolling, cnToD(rows->pair->rollingFriction), impulse);
    }
    cnVec3 roll = cnContactRows_GetRoll(rows, solve->bodies);
    SetLanes(special->rollingAxis, lane, rows->rolling.axis[0]);
    special->rollingRatio[lane] = (float)rows->rolling.scale[1];
    special->rollingPerLoad[lane] = (float)friction->rollingPerLoad;
    PackAxes(&special->rolling, lane, &rolling);
    for (int i = 0; i < 2; ++i) {
        special->startRoll[i][lane] = (float)cnDot(rows->rolling.axis[i], roll);
        special->rollingImpulse[i][lane] = (float)impulse[i];
    }
}

static void PackFriction(cnContactBlock* block, cnSpecialFriction* special, int lane,
                         const LaneSource* source) {
    const cnSolve* solve = source->solve;
    const cnContactRows* rows = source->rows;
    const cnVec3* axis = rows->sliding.axis;
    cnVec3 slip = cnAdd(RelativeVelocity(source, rows->centreArm1, rows->centreArm2), rows->surfaceVelocity);
    cnVec3 turning = cnContactRows_GetTurning(rows, solve->bodies, solve->substep);
    slip = cnAdd(slip, turning); // of the middle of the first sub-step
    block->turns |= cnLengthSquared(turning) > 0.0;
    double impulse[2];
    cnFrictionAxes_Split(&rows->sliding, cnToD(rows->pair->friction), impulse);
    double warm = solve->settings.disableWarmStart || !cnFriction_HasRows(&rows->friction) ? 0.0 : 1.0;
    SetLanes(block->tangent, lane, axis[0]);
    SetLanes(block->centreArm1, lane, rows->centreArm1);
    SetLanes(block->centreArm2, lane, rows->centreArm2);
    SetLanes(block->startSlip, lane,
             (cnVec3){cnDot(axis[0], slip), cnDot(axis[1], slip),
                      cnDot(rows->normal, cnSub(source->spin1, source->spin2))});
    for (int i = 0; i < 2; ++i) {
        block->turning[i][lane] = (float)(2.0 * cnDot(axis[i], turning));
    }
    block->friction[lane] = (float)rows->friction.perLoad[0];
    block->frictionImpulse[0][lane] = (float)(warm * impulse[0]);
    block->frictionImpulse[1][lane] = (float)(warm * impulse[1]);
    block->frictionImpulse[2][lane] = (float)warm * rows->pair->torsionalFriction;

    AxesMass mass = FindSlidingMass(source);
    double torsional = cnQuadraticForm(&source->m1->angular, rows->normal) +
                       cnQuadraticForm(&source->m2->angular, rows->normal);
    block->slipRegularisation[lane] = (float)mass.sigma[0];
    PackAxes(&block->sliding, lane, &mass);
    if (torsional > 0.0) {
        torsional += cnFriction_GetSpinSigma(&rows->friction, solve->substep);
    }
    block->inverseTorsional[lane] = torsional > 0.0 ? (float)(1.0 / torsional) : 0.0f;
    if (special != NULL) {
        PackSpecialFriction(special, lane, source, &mass);
        block->special |= !rows->friction.isPlain;
    }
}

static void PackBodies(cnContactBlocks* blocks, int blockIndex, int lane, const LaneSource* source) {
    cnContactBlock* block = &blocks->blocks[blockIndex];
    block->inverseMass1[lane] = (float)source->m1->linear.x.x;
    block->inverseMass2[lane] = (float)source->m2->linear.x.x;
    SetSymmetric(block->inverseInertia1, lane, source->m1->angular);
    SetSymmetric(block->inverseInertia2, lane, source->m2->angular);
    if (blocks->anisotropic != NULL) {
        SetSymmetric(blocks->anisotropic[blockIndex].inverseMass1, lane, source->m1->linear);
        SetSymmetric(blocks->anisotropic[blockIndex].inverseMass2, lane, source->m2->linear);
    }
}

static void PackLane(cnSolve* solve, cnContactBlocks* blocks, int blockIndex, int lane) {
    CN_ASSERT(blockIndex >= 0 && blockIndex < blocks->blockCount && lane >= 0 && lane < CN_LANES);
    cnContactBlock* block = &blocks->blocks[blockIndex];
    const cnSolverContact* contact = &solve->contacts[block->contact[lane]];
    const cnContactRows* rows = cnSolve_GetRows(solve, block->contact[lane]);
    CN_ASSERT(solve->islands[contact->island].solver == cn_islandSwept ||
              solve->islands[contact->island].solver == cn_islandGrouped);
    LaneSource source = {
        .solve = solve,
        .rows = rows,
        .m1 = &solve->solver.inverse[contact->body1],
        .m2 = &solve->solver.inverse[contact->body2],
        .softness = cnContactRows_GetSoftness(rows, solve->substep),
        .theta = cnThetaOf(contact),
        .large = solve->islands[contact->island].large,
        .jointed = cnIsland_SweepsJoints(&solve->islands[contact->island]),
    };
    int row1 = rows->pair->body1, row2 = rows->pair->body2;
    const cnBodyTable* bodies = solve->bodies;
    cnVec3 velocity1 = row1 >= 0 ? bodies->halfStepVelocity[row1] : cnVec3_zero;
    cnVec3 velocity2 = row2 >= 0 ? bodies->halfStepVelocity[row2] : cnVec3_zero;
    source.velocity = cnSub(velocity1, velocity2);
    source.spin1 = row1 >= 0 ? bodies->halfStepAngularVelocity[row1] : cnVec3_zero;
    source.spin2 = row2 >= 0 ? bodies->halfStepAngularVelocity[row2] : cnVec3_zero;
    block->body1[lane] = contact->body1;
    block->body2[lane] = contact->body2;
    PackBodies(blocks, blockIndex, lane, &source);
    SetLanes(block->normal, lane, rows->normal);
    block->gamma[lane] = (float)source.softness.gamma;
    block->bounce[lane] = (float)source.softness.bounce;
    block->sigma[lane] = (float)source.softness.sigma;
    block->curvature[lane] = (float)rows->pair->curvature;
    block->integralImpulse[lane] = cnIntegralImpulse(rows->pair);
    block->least[lane] = (float)(-rows->adhesion * solve->substep);
    for (int i = 0; i < rows->pointCount; ++i) {
        PackPoint(&block->points[i], lane, i, &source);
    }
    PackFriction(block, blocks->special != NULL ? &blocks->special[blockIndex] : NULL, lane, &source);
    block->pointCount = rows->pointCount > block->pointCount ? rows->pointCount : block->pointCount;
}

typedef struct PackContext {
    cnSolve* solve;
    cnContactBlocks* blocks;
} PackContext;

// All but its contacts. Where it is packed, since then it stays in the cache.
static void ClearBlock(const cnContactBlocks* blocks, int index) {
    cnContactBlock* block = &blocks->blocks[index];
    int contacts[CN_LANES];
    memcpy(contacts, block->contact, sizeof contacts);
    memset(block, 0, sizeof *block);
    memcpy(block->contact, contacts, sizeof contacts);
    if (blocks->anisotropic != NULL) {
        memset(&blocks->anisotropic[index], 0, sizeof *blocks->anisotropic);
    }
    if (blocks->special != NULL) {
        memset(&blocks->special[index], 0, sizeof *blocks->special);
    }
}

static void PackBlocks(int begin, int end, int thread, void* data) {
    (void)thread;
    PackContext* context = data;
    CN_ASSERT(begin >= 0 && end <= context->blocks->blockCount);
    for (int b = begin; b < end; ++b) {
        cnContactBlock* block = &context->blocks->blocks[b];
        ClearBlock(context->blocks, b);
        for (int lane = 0; lane < CN_LANES; ++lane) {
            if (block->contact[lane] >= 0) {
                PackLane(context->solve, context->blocks, b, lane);
            }
        }
        block->anisotropic = context->blocks->anisotropic != NULL;
    }
}

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
    PackContext context = {solve, blocks};
    cnThreadPool_Run(solve->threads, PackBlocks, &context, blocks->blockCount, CN_BLOCK_CHUNK);
    solve->statistics.colours = blocks->colourCount;
    return true;
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

static void StoreContact(const cnSolve* solve, const cnContactBlocks* blocks, int index) {
    const cnSolverContact* contact = &solve->contacts[index];
    int blockIndex = contact->lane / CN_LANES, lane = contact->lane % CN_LANES;
    CN_ASSERT(blockIndex < blocks->blockCount && blocks->blocks[blockIndex].contact[lane] == index);
    const cnContactBlock* block = &blocks->blocks[blockIndex];
    const cnContactRows* rows = cnSolve_GetRows(solve, index);
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

// In the order of the pairs (contact_order.h), each of which belongs to one contact.
static void StoreContacts(int begin, int end, int thread, void* data) {
    (void)thread;
    const StoreContext* context = data;
    for (int c = begin; c < end; ++c) {
        if (context->solve->contacts[c].lane >= 0) {
            StoreContact(context->solve, context->blocks, c);
        }
    }
}

void cnStoreContactBlocks(cnSolve* solve, const cnContactBlocks* blocks) {
    StoreContext context = {solve, blocks};
    cnThreadPool_Run(solve->threads, StoreContacts, &context, solve->contactCount, CN_STORE_CHUNK);
}
