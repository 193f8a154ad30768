// Filling blocks of contacts.
//
// What a lane has of its own is read lane by lane, from the pair and its materials or, where a contact is out
// of the ordinary, from its rows; formulas are then done for four contacts at a time, in f32, from the
// numbers that the sweeps will use. Velocities alone are differences of large numbers: they are taken in f64
// at the first point of a contact, and in lanes from there to the others, over what is left:
//   v(point) = v(first) + Δω × e₁ + ω₂ × (e₁ − e₂),  e the ways from the first point,
// so that bodies that move together have no slip in f32 either, however fast they are.
#include "solve/sweeps/contact_blocks.h"

#include "base/prefetch.h"
#include "solve/contact_rows.h"
#include "solve/sweeps/row_lanes.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

// Blocks whose pairs are asked for together.
#define CN_PACK_GROUP 4
// Min slip regularisation of friction rows as a part of their own inverse effective masses.
#define CN_MIN_SLIP 1e-12f
// Least determinant of two rows as a part of the product of their diagonal elements: f32 knows no more.
#define CN_MIN_DETERMINANT (4.0 * FLT_EPSILON)

// An empty lane is packed from a contact without points.
static cnPair noPair = {.body1 = -1, .body2 = -1};
static const cnSolverContact noContact;

// What is read lane by lane and not stored as it is.
typedef struct Source {
    const cnSweptBatch* batch;
    int index; // of the block
    cnPair* pairs[CN_LANES];
    const cnContactRows* rows[CN_LANES]; // null where a contact has none
    cnLanes count;                       // of points
    cnLanes compliance, damping, theta;
    cnLanes depth[CN_MANIFOLD_POINTS];
    cnLanes bounceSpeed; // m/s, from which a point bounces
    cnLanes isFoundation, deepFrom;
    cnLanes speed[3], spin[3], spin2[3]; // at the first point; relative; of the second body
    cnLanes surface[3];                  // m/s, of conveyors
    cnLanes patchRadius;                 // m, mean, of the area that touches; 0 where that is not known
    cnLanes mayTurn, hasTangent, isShared;
    cnLanes ratio, viscosity[2], isWarm;
} Source;

// What several steps of packing share.
typedef struct Packing {
    Source source;
    cnContactBlock* block;
    cnF4 factor1[6], factor2[6]; // of the bodies' inverse inertia (swept_bodies.h)
    cnVecF4 normal;
    cnVecF4 arm1[CN_MANIFOLD_POINTS], arm2[CN_MANIFOLD_POINTS], centre1, centre2;
    cnF4 has[CN_MANIFOLD_POINTS], impulse[CN_MANIFOLD_POINTS], radius[CN_MANIFOLD_POINTS];
} Packing;

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

// ---- lane by lane -----------------------------------------------------------------------------------------

static void ReadVelocities(Source* source, int lane) {
    const cnBodyTable* bodies = source->batch->solve->bodies;
    const cnPair* pair = source->pairs[lane];
    int row1 = pair->body1, row2 = pair->body2;
    cnVec3 spin1 = row1 >= 0 ? bodies->halfStepAngularVelocity[row1] : cnVec3_zero;
    cnVec3 spin2 = row2 >= 0 ? bodies->halfStepAngularVelocity[row2] : cnVec3_zero;
    cnVec3 v1 = row1 >= 0 ? bodies->halfStepVelocity[row1] : cnVec3_zero;
    cnVec3 v2 = row2 >= 0 ? bodies->halfStepVelocity[row2] : cnVec3_zero;
    cnVec3 at1 = cnAdd(v1, cnCross(spin1, cnToD(pair->arm1[0])));
    cnVec3 at2 = cnAdd(v2, cnCross(spin2, cnToD(pair->arm2[0])));
    SetLanes(source->speed, lane, cnSub(at1, at2));
    SetLanes(source->spin, lane, cnSub(spin1, spin2));
    SetLanes(source->spin2, lane, spin2);
}

// Of a contact with rows.
static void ReadRows(Source* source, cnContactBlock* block, int lane) {
    const cnSolve* solve = source->batch->solve;
    const cnContactRows* rows = source->rows[lane];
    const cnContactFriction* friction = &rows->friction;
    for (int i = 0; i < rows->pointCount; ++i) {
        source->depth[i][lane] = (float)rows->points[i].depth;
    }
    source->compliance[lane] = (float)rows->compliance;
    source->damping[lane] = (float)rows->damping;
    source->bounceSpeed[lane] = rows->restitution > 0.0 ? (float)rows->restitutionThreshold : FLT_MAX;
    source->isFoundation[lane] = rows->isFoundation ? 1.0f : 0.0f;
    source->ratio[lane] = (float)rows->sliding.scale[1];
    for (int i = 0; i < 2; ++i) {
        double sigma = cnFriction_GetSigma(friction, i, rows->pointCount, solve->substep);
        source->viscosity[i][lane] = friction->viscosity[i] > 0.0 ? (float)sigma : 0.0f;
    }
    bool isWarm = !solve->settings.disableWarmStart && cnFriction_HasRows(friction);
    source->isWarm[lane] = isWarm ? 1.0f : 0.0f;
    source->hasTangent[lane] = 1.0f;
    SetLanes(source->surface, lane, rows->surfaceVelocity);
    SetLanes(block->tangent, lane, rows->sliding.axis[0]);
    block->friction[lane] = (float)friction->perLoad[0];
    block->torsionalFriction[lane] = (float)friction->perMoment;
    block->spinRegularisation[lane] = (float)cnFriction_GetSpinSigma(friction, solve->substep);
    block->least[lane] = (float)(-rows->adhesion * solve->substep);
}

// Of a contact that is plain.
static void ReadContact(Source* source, const cnSolverContact* contact, cnContactBlock* block, int lane) {
    const cnSolve* solve = source->batch->solve;
    const cnPair* pair = source->pairs[lane];
    int points = pair->manifold.pointCount;
    for (int i = 0; i < points; ++i) {
        source->depth[i][lane] = pair->manifold.depths[i];
    }
    source->compliance[lane] = contact->compliance;
    source->damping[lane] = contact->damping;
    source->bounceSpeed[lane] = contact->restitution > 0.0 ? (float)contact->restitutionThreshold : FLT_MAX;
    source->ratio[lane] = 1.0f;
    float sigma = contact->viscosity / (float)(points * solve->substep);
    source->viscosity[0][lane] = source->viscosity[1][lane] = sigma;
    source->isWarm[lane] = solve->settings.disableWarmStart ? 0.0f : 1.0f;
    source->isShared[lane] = points > 1 && contact->friction > 0.0f ? 1.0f : 0.0f;
    block->friction[lane] = block->torsionalFriction[lane] = contact->friction;
    block->spinRegularisation[lane] = block->least[lane] = 0.0f;
}

// Where surfaces meet, the points of a contact share its blow: one sweep of the normal rows would leave a box
// that falls flat turning.
#define CN_MEETING_SWEEPS 4

// Faces whose points hardly differ in their moments, as under a pole: all rows are nearly the same, what one
// takes the next gives back, and one sweep after another hands the load around the face. Dynamics and sweeps
// together then grow from a linear scheme's own rounding: a cylinder five times as tall as it is wide rocked
// at 0.015 rad/s for good. (Of such a scheme the amplification of a step, by power iteration: 1.08 for four
// points in a ring with moments of 0.12 of the whole, 1.28 with 0.03; with two sweeps 0.33 and 0.71.)
#define CN_SLENDER_SWEEPS 4
// Variance of the points' moments over the mean's mobility: below the first a face is swept so, below the
// second crosswise.
#define CN_SLENDER_SHARE 0.2f
#define CN_TALL_SHARE 1.0f

static void ReadLane(Source* source, cnContactBlock* block, int lane) {
    const cnSolve* solve = source->batch->solve;
    int index = block->contact[lane];
    const cnSolverContact* contact = index < 0 ? &noContact : &solve->contacts[index];
    cnPair* pair = index < 0 ? &noPair : cnPairTable_Get(solve->pairs, contact->pair);
    int points = pair->manifold.pointCount;
    source->pairs[lane] = pair;
    source->rows[lane] = index >= 0 && contact->row >= 0 ? cnSolve_GetRows(solve, index) : NULL;
    source->count[lane] = (float)points;
    source->theta[lane] = (float)cnThetaOf(contact);
    source->deepFrom[lane] = (float)(CN_DEEP_SHARE * pair->inradius);
    source->patchRadius[lane] = (float)pair->manifold.patch.meanRadius;
    bool mayTurn = points >= CN_FACE_POINTS && (pair->flags & cn_pairSlides) == 0;
    source->mayTurn[lane] = mayTurn ? 1.0f : 0.0f; // what rolls or slides touches elsewhere then
    block->body1[lane] = source->batch->places[contact->body1];
    block->body2[lane] = source->batch->places[contact->body2];
    block->pointCount = points > block->pointCount ? points : block->pointCount;
    block->repeats = cnPair_IsMeeting(pair) ? CN_MEETING_SWEEPS : block->repeats;
    block->curvature[lane] = (float)pair->curvature;
    block->integralImpulse[lane] = cnPair_GetIntegralImpulse(pair);
    block->normal[0][lane] = pair->manifold.normal.x;
    block->normal[1][lane] = pair->manifold.normal.y;
    block->normal[2][lane] = pair->manifold.normal.z;
    if (source->rows[lane] != NULL) {
        ReadRows(source, block, lane);
    } else if (index >= 0) {
        CN_ASSERT(contact->isPlain);
        ReadContact(source, contact, block, lane);
    } else {
        source->compliance[lane] = 1.0f;
        source->bounceSpeed[lane] = FLT_MAX;
        block->friction[lane] = block->torsionalFriction[lane] = block->spinRegularisation[lane] = 0.0f;
        block->least[lane] = 0.0f;
    }
    ReadVelocities(source, lane);
}

// ---- four at a time: masses -------------------------------------------------------------------------------

static void PackBodies(Packing* packing) {
    const cnSweptBatch* batch = packing->source.batch;
    cnContactBlock* block = packing->block;
    cnF4 mass1, mass2;
    cnGatherMasses(batch->bodies.masses, block->body1, &mass1, packing->factor1);
    cnGatherMasses(batch->bodies.masses, block->body2, &mass2, packing->factor2);
    cnStore4(block->inverseMass1, mass1);
    cnStore4(block->inverseMass2, mass2);
    for (int lane = 0; lane < CN_LANES && batch->blocks.anisotropic != NULL; ++lane) {
        cnAnisotropicMass* anisotropic = &batch->blocks.anisotropic[packing->source.index];
        int contact = block->contact[lane];
        const cnSolverContact* of = contact < 0 ? &noContact : &batch->solve->contacts[contact];
        const cnInverseMass* inverse = batch->solve->solver.inverse;
        SetSymmetric(anisotropic->inverseMass1, lane, inverse[of->body1].linear);
        SetSymmetric(anisotropic->inverseMass2, lane, inverse[of->body2].linear);
    }
}

static cnLinearRow LinearRowOf(const Packing* packing, cnVecF4 direction) {
    const cnContactBlocks* blocks = &packing->source.batch->blocks;
    return cnMakeLinearRow(packing->block, cnContactBlocks_GetAnisotropic(blocks, packing->source.index),
                           direction);
}

// Mass-weighted, of a direction at arms, and about one.
static inline cnMoments MomentsAt(const Packing* packing, cnVecF4 arm1, cnVecF4 arm2, cnVecF4 direction) {
    return (cnMoments){cnMulUpperF4(packing->factor1, cnCrossF4(arm1, direction)),
                       cnMulUpperF4(packing->factor2, cnCrossF4(arm2, direction))};
}

static inline cnMoments MomentsAbout(const Packing* packing, cnVecF4 axis) {
    return (cnMoments){cnMulUpperF4(packing->factor1, axis), cnMulUpperF4(packing->factor2, axis)};
}

static inline void StoreMoments(cnMomentLanes* lanes, const cnMoments* moments) {
    cnStoreVecF4(lanes->of1, moments->of1);
    cnStoreVecF4(lanes->of2, moments->of2);
}

// ---- points -----------------------------------------------------------------------------------------------

// Four vectors of each lane, one after the other in memory.
static void GatherFour(const float* const of[CN_LANES], cnVecF4 out[CN_MANIFOLD_POINTS]) {
    cnF4 c[3][4];
    for (int part = 0; part < 3; ++part) {
        for (int lane = 0; lane < CN_LANES; ++lane) {
            c[part][lane] = cnLoad4(of[lane] + 4 * part);
        }
        cnTranspose4(&c[part][0], &c[part][1], &c[part][2], &c[part][3]);
    }
    out[0] = (cnVecF4){c[0][0], c[0][1], c[0][2]};
    out[1] = (cnVecF4){c[0][3], c[1][0], c[1][1]};
    out[2] = (cnVecF4){c[1][2], c[1][3], c[2][0]};
    out[3] = (cnVecF4){c[2][1], c[2][2], c[2][3]};
}

static inline cnVecF4 AndVec4(cnF4 mask, cnVecF4 v) {
    return (cnVecF4){cnAnd4(mask, v.x), cnAnd4(mask, v.y), cnAnd4(mask, v.z)};
}

static inline cnF4 LengthOf4(cnVecF4 v) {
    return cnSqrt4(cnDotF4(v, v));
}

// Arms, multipliers, the friction centre and how far the points are from it. Friction of a face or of a line
// acts all over it, not at its corners.
static void GatherPoints(Packing* packing) {
    Source* source = &packing->source;
    const cnContactBlock* block = packing->block;
    const float *arms1[CN_LANES], *arms2[CN_LANES];
    for (int lane = 0; lane < CN_LANES; ++lane) {
        arms1[lane] = &source->pairs[lane]->arm1[0].x;
        arms2[lane] = &source->pairs[lane]->arm2[0].x;
        packing->impulse[lane] = source->batch->solve->settings.disableWarmStart
                                     ? cnZero4()
                                     : cnLoad4(source->pairs[lane]->impulse);
    }
    GatherFour(arms1, packing->arm1);
    GatherFour(arms2, packing->arm2);
    cnTranspose4(&packing->impulse[0], &packing->impulse[1], &packing->impulse[2], &packing->impulse[3]);

    cnF4 count = cnLoad4(source->count), zero = cnZero4(), one = cnSplat4(1.0f);
    cnVecF4 sum1 = {zero, zero, zero}, sum2 = sum1;
    for (int p = 0; p < block->pointCount; ++p) {
        cnF4 has = cnLess4(cnSplat4((float)p), count);
        packing->has[p] = has;
        packing->impulse[p] = cnAnd4(has, packing->impulse[p]);
        packing->arm1[p] = AndVec4(has, packing->arm1[p]);
        packing->arm2[p] = AndVec4(has, packing->arm2[p]);
        sum1 = cnAddVecF4(sum1, packing->arm1[p]);
        sum2 = cnAddVecF4(sum2, packing->arm2[p]);
    }
    cnF4 share = cnDiv4(one, cnMax4(count, one));
    packing->centre1 = cnScaleVecF4(share, sum1);
    packing->centre2 = cnScaleVecF4(share, sum2);
    if (block->pointCount == 1) {
        packing->radius[0] = zero;
        return;
    }
    cnF4 lever = zero;
    for (int p = 0; p < block->pointCount; ++p) { // what is not a body has no arms
        cnF4 way1 = LengthOf4(cnSubVecF4(packing->arm1[p], packing->centre1));
        cnF4 way2 = LengthOf4(cnSubVecF4(packing->arm2[p], packing->centre2));
        packing->radius[p] = cnAnd4(packing->has[p], cnMax4(way1, way2));
        lever = cnMulAdd4(lever, share, packing->radius[p]);
    }
    cnF4 patch = cnLoad4(source->patchRadius), tiny = cnSplat4(1e-30f);
    cnF4 part = cnSelect4(cnGreater4(patch, zero), cnMin4(one, cnDiv4(patch, cnMax4(lever, tiny))), one);
    part = cnSelect4(cnEqual4(count, cnSplat4(2.0f)), cnSplat4(0.5f), part);
    for (int p = 0; p < block->pointCount; ++p) {
        packing->radius[p] = cnMul4(part, packing->radius[p]);
    }
}

// What bounds how fast a lane's overlap is pushed out, given which of its points are deep or could make much
// speed: a limit, and whether it is also bound by what explains the overlap.
static bool FindPushLimit(const Source* source, cnContactBlock* block, int lane, bool isDeep, bool isFast,
                          float* limit) {
    const cnSolve* solve = source->batch->solve;
    int contact = block->contact[lane];
    *limit = 0.0f;
    if (contact < 0) {
        return false;
    }
    const cnIsland* island = &solve->islands[solve->contacts[contact].island];
    cnPair* pair = source->pairs[lane];
    bool isFoundation = source->isFoundation[lane] > 0.0f, isBound = false;
    if (!cnIsland_SweepsJoints(island) && !isFoundation) {
        cnPair_NoteExcess(pair, island->large, isDeep, isFast);
        isBound = cnPair_IsPushBound(pair, island->large);
    }
    *limit = (float)(isFoundation ? CN_ANY_PUSH : cnPair_GetCorrectionSpeed(pair));
    block->limited |= (pair->flags & cn_pairLimitedCorrection) != 0 && !cnIsland_SweepsJoints(island);
    return isBound;
}

// How the face of some lane is swept, by how much the moments of its points differ. `sum` is that of their D.
static void ChooseOrder(const Packing* packing, cnF4 linear, cnF4 sum, cnContactBlock* block) {
    cnF4 count = cnLoad4(packing->source.count);
    cnMoments mean = MomentsAt(packing, packing->centre1, packing->centre2, packing->normal);
    cnF4 whole = cnMul4(count, cnAdd4(linear, cnMoments_GetMobility(&mean)));
    cnF4 isFace = cnGreater4(count, cnSplat4((float)CN_FACE_POINTS - 0.5f));
    cnF4 share = cnDiv4(cnSub4(sum, whole), cnMax4(whole, cnSplat4(1e-30f)));
    bool isTall = cnAnyTrue4(cnAnd4(isFace, cnLess4(share, cnSplat4(CN_TALL_SHARE))));
    block->crosswise = isTall && block->pointCount == CN_MANIFOLD_POINTS;
    if (block->repeats == 1 && cnAnyTrue4(cnAnd4(isFace, cnLess4(share, cnSplat4(CN_SLENDER_SHARE))))) {
        block->repeats = CN_SLENDER_SWEEPS;
    }
}

// Σ rows of points; what bounds their pushes comes last, since it is of all points of a contact.
static void PackPoints(const Packing* packing) {
    const Source* source = &packing->source;
    const cnSolve* solve = source->batch->solve;
    cnContactBlock* block = packing->block;
    cnF4 h = cnSplat4((float)solve->substep), one = cnSplat4(1.0f), four = cnSplat4(4.0f), zero = cnZero4();
    cnF4 theta = cnLoad4(source->theta), compliance = cnLoad4(source->compliance);
    cnF4 gamma = cnDiv4(one, cnMulAdd4(one, four, cnDiv4(cnLoad4(source->damping), h)));
    cnF4 bounce = cnDiv4(cnMul4(four, gamma), h);
    cnF4 sigma = cnDiv4(cnMul4(bounce, compliance), h);
    cnStore4(block->gamma, gamma);
    cnStore4(block->bounce, bounce);
    cnStore4(block->sigma, sigma);

    cnF4 integral = cnMul4(cnSplat4(CN_INTEGRAL_SHARE), cnLoad4(block->integralImpulse));
    cnF4 yield = cnDiv4(compliance, h), bend = cnMul4(cnLoad4(block->curvature), cnSplat4((float)solve->h));
    cnF4 isFoundation = cnGreater4(cnLoad4(source->isFoundation), zero);
    cnF4 fastFrom = cnMul4(cnSplat4((float)(CN_EXCESS_SPEED * CN_EXCESS_SPEED)), compliance);
    cnF4 bounceSpeed = cnLoad4(source->bounceSpeed), deepFrom = cnLoad4(source->deepFrom);
    cnVecF4 normal = packing->normal;
    cnLinearRow row = LinearRowOf(packing, normal);
    cnF4 linear = cnLinearRow_GetMobility(&row, normal);
    cnVecF4 spin = cnLoadVecF4(source->spin), spin2 = cnLoadVecF4(source->spin2);
    cnF4 firstSpeed = cnDotF4(normal, cnLoadVecF4(source->speed));
    // what is in the damper and not in the spring: cnContactRows_GetElasticPart
    cnF4 damped = cnMax4(cnSub4(cnLoad4(source->damping), h), zero);
    cnF4 stored[CN_MANIFOLD_POINTS], elastic[CN_MANIFOLD_POINTS], deep = zero, fast = zero;
    cnF4 mobilities = zero;
    for (int p = 0; p < block->pointCount; ++p) {
        cnPointLanes* point = &block->points[p];
        cnF4 has = packing->has[p], impulse = packing->impulse[p];
        cnVecF4 arm1 = packing->arm1[p], arm2 = packing->arm2[p];
        cnF4 depth = cnAnd4(has, cnLoad4(source->depth[p]));
        cnStore4(point->impulse, impulse);
        cnStore4(point->impulseSum, zero);
        cnStore4(point->radius, packing->radius[p]);

        cnMoments moments = MomentsAt(packing, arm1, arm2, normal);
        cnStoreVecF4(point->moment1, moments.of1);
        cnStoreVecF4(point->moment2, moments.of2);
        cnF4 mobility = cnAnd4(has, cnAdd4(linear, cnMoments_GetMobility(&moments)));
        mobilities = cnAdd4(mobilities, mobility);
        cnF4 speed = firstSpeed;
        if (p > 0) {
            cnVecF4 way1 = cnSubVecF4(arm1, packing->arm1[0]), way2 = cnSubVecF4(arm2, packing->arm2[0]);
            cnF4 turned = cnAdd4(cnDotF4(spin, cnCrossF4(way1, normal)),
                                 cnDotF4(spin2, cnCrossF4(cnSubVecF4(way1, way2), normal)));
            speed = cnAdd4(speed, turned);
        }
        cnF4 start = cnAnd4(has, speed);
        cnF4 bounces = cnLess4(bounceSpeed, cnNeg4(cnAdd4(start, bend)));
        cnF4 isAway = cnAnd4(cnLess4(depth, zero), cnOr4(bounces, isFoundation));
        cnStore4(point->startVelocity, start);
        cnStore4(point->separation, cnSelect4(isAway, cnSplat4((float)CN_OUT_OF_REACH), cnNeg4(depth)));

        cnF4 softness = cnMul4(theta, mobility), softening = cnMul4(cnMul4(four, gamma), softness);
        cnStore4(point->softening, softening);
        cnStore4(point->inverseBiased, cnAnd4(has, cnDiv4(one, cnAdd4(cnAdd4(mobility, sigma), softening))));
        cnStore4(point->inverseRelaxed, cnAnd4(has, cnDiv4(one, mobility)));
        cnF4 own = cnMul4(cnMul4(softness, h), cnSub4(impulse, cnMin4(impulse, integral)));
        stored[p] = cnMax4(zero, cnMulAdd4(own, impulse, yield));
        elastic[p] = cnMulSub4(cnMul4(impulse, yield), damped, cnMax4(cnNeg4(start), zero));
        cnF4 excess = cnMulSub4(depth, cnSplat4(2.0f), stored[p]);
        cnF4 weight = cnMul4(cnMul4(excess, excess), mobility);
        deep = cnOr4(deep, cnGreater4(excess, deepFrom));
        fast = cnOr4(fast, cnAnd4(cnGreater4(excess, zero), cnGreater4(weight, fastFrom)));
    }

    if (block->pointCount >= CN_FACE_POINTS) {
        ChooseOrder(packing, linear, mobilities, block);
    }
    int deepLanes = cnMoveMask4(deep), fastLanes = cnMoveMask4(fast);
    cnLanes limits, bound;
    for (int lane = 0; lane < CN_LANES; ++lane) {
        bool isDeep = (deepLanes >> lane & 1) != 0, isFast = (fastLanes >> lane & 1) != 0;
        bool isBound = FindPushLimit(source, block, lane, isDeep, isFast, &limits[lane]);
        bound[lane] = isBound ? 1.0f : 0.0f;
    }
    cnF4 limit = cnLoad4(limits), isBound = cnGreater4(cnLoad4(bound), zero);
    for (int p = 0; p < block->pointCount; ++p) {
        // what bears a load goes on to, however soft it is
        cnF4 most = cnMax4(limit, cnMul4(bounce, elastic[p]));
        cnStore4(block->points[p].push, cnSelect4(isBound, cnMin4(cnMul4(bounce, stored[p]), most), most));
    }
}

// ---- friction ---------------------------------------------------------------------------------------------

// K of two rows, and Σ.
typedef struct AxesMass {
    cnF4 k11, k12, k22;
    cnF4 sigma[2];
} AxesMass;

static void PackAxes(cnAxesLanes* lanes, const AxesMass* mass) {
    cnF4 k11 = cnAdd4(mass->k11, mass->sigma[0]), k22 = cnAdd4(mass->k22, mass->sigma[1]), k12 = mass->k12;
    cnF4 half = cnMul4(cnSplat4(0.5f), cnSub4(k11, k22));
    cnF4 largest =
        cnMulAdd4(cnSqrt4(cnMulAdd4(cnMul4(half, half), k12, k12)), cnSplat4(0.5f), cnAdd4(k11, k22));
    cnF4 some = cnGreater4(largest, cnZero4());
    cnStore4(lanes->k11, k11);
    cnStore4(lanes->k12, k12);
    cnStore4(lanes->k22, k22);
    cnStore4(lanes->inverseLargest, cnAnd4(some, cnDiv4(cnSplat4(1.0f), largest)));
    for (int lane = 0; lane < CN_LANES; ++lane) { // a difference, of which f64 loses nothing
        double product = (double)lanes->k11[lane] * lanes->k22[lane];
        double determinant =
            cnMax(product - (double)lanes->k12[lane] * lanes->k12[lane], CN_MIN_DETERMINANT * product);
        lanes->inverseDeterminant[lane] = determinant > 0.0 ? (float)(1.0 / determinant) : 0.0f;
    }
}

// K of two rows with those moments, but for what is linear.
static AxesMass FindTurningMass(const cnMoments* a, const cnMoments* b) {
    return (AxesMass){
        .k11 = cnMoments_GetMobility(a),
        .k12 = cnAdd4(cnDotF4(a->of1, b->of1), cnDotF4(a->of2, b->of2)),
        .k22 = cnMoments_GetMobility(b),
    };
}

static AxesMass PackSliding(const Packing* packing, cnVecF4 t1, cnVecF4 t2) {
    cnContactBlock* block = packing->block;
    cnMoments moments1 = MomentsAt(packing, packing->centre1, packing->centre2, t1);
    cnMoments moments2 = MomentsAt(packing, packing->centre1, packing->centre2, t2);
    StoreMoments(&block->sliding1, &moments1);
    StoreMoments(&block->sliding2, &moments2);
    cnLinearRow row1 = LinearRowOf(packing, t1), row2 = LinearRowOf(packing, t2);
    AxesMass axes = FindTurningMass(&moments1, &moments2);
    axes.k11 = cnAdd4(axes.k11, cnLinearRow_GetMobility(&row1, t1));
    axes.k12 = cnAdd4(axes.k12, cnLinearRow_GetMobility(&row1, t2));
    axes.k22 = cnAdd4(axes.k22, cnLinearRow_GetMobility(&row2, t2));
    cnF4 least = cnMul4(cnSplat4(CN_MIN_SLIP), cnAdd4(axes.k11, axes.k22));
    for (int i = 0; i < 2; ++i) {
        axes.sigma[i] = cnMax4(cnLoad4(packing->source.viscosity[i]), least);
    }
    PackAxes(&block->sliding, &axes);
    return axes;
}

// The first axis of sliding: of a circle that has none across the axis of the world that is least along the
// normal (cnMinAxis).
static cnVecF4 PackTangent(const Packing* packing) {
    cnContactBlock* block = packing->block;
    cnF4 given = cnGreater4(cnLoad4(packing->source.hasTangent), cnZero4()), zero = cnZero4();
    cnVecF4 n = packing->normal;
    cnF4 x = cnAbs4(n.x), y = cnAbs4(n.y), z = cnAbs4(n.z);
    cnF4 isX = cnAnd4(cnLessEqual4(x, y), cnLessEqual4(x, z)), isY = cnLessEqual4(y, z);
    cnVecF4 across = {
        cnSelect4(isX, zero, cnSelect4(isY, n.z, cnNeg4(n.y))),
        cnSelect4(isX, cnNeg4(n.z), cnSelect4(isY, zero, n.x)),
        cnSelect4(isX, n.y, cnSelect4(isY, cnNeg4(n.x), zero)),
    };
    cnF4 inverse = cnDiv4(cnSplat4(1.0f), cnMax4(LengthOf4(across), cnSplat4(1e-30f)));
    cnVecF4 own = cnLoadVecF4(block->tangent); // of rows
    cnVecF4 tangent = {
        cnSelect4(given, own.x, cnMul4(inverse, across.x)),
        cnSelect4(given, own.y, cnMul4(inverse, across.y)),
        cnSelect4(given, own.z, cnMul4(inverse, across.z)),
    };
    cnStoreVecF4(block->tangent, tangent);
    return tangent;
}

// By what the slip at the friction centre is another one in the middle of a sub-step
// (cnContactRows_GetTurning).
static inline cnVecF4 TurningOf(cnVecF4 n, cnVecF4 spin, cnVecF4 arm) {
    cnF4 along = cnDotF4(n, spin);
    return cnScaleVecF4(cnNeg4(cnMul4(along, along)), cnMulSubVecF4(arm, cnDotF4(arm, n), n));
}

// Velocities at the friction centre.
static void PackSlip(const Packing* packing, cnVecF4 t1, cnVecF4 t2) {
    const Source* source = &packing->source;
    cnContactBlock* block = packing->block;
    cnVecF4 n = packing->normal, spin = cnLoadVecF4(source->spin), spin2 = cnLoadVecF4(source->spin2);
    cnVecF4 slip = cnAddVecF4(cnLoadVecF4(source->speed), cnLoadVecF4(source->surface));
    cnF4 zero = cnZero4();
    cnVecF4 turning = {zero, zero, zero};
    block->turns = false;
    if (block->pointCount > 1) {
        cnVecF4 way1 = cnSubVecF4(packing->centre1, packing->arm1[0]);
        cnVecF4 way2 = cnSubVecF4(packing->centre2, packing->arm2[0]);
        slip = cnAddVecF4(slip, cnAddVecF4(cnCrossF4(spin, way1), cnCrossF4(spin2, cnSubVecF4(way1, way2))));
        cnF4 share = cnMul4(cnLoad4(source->mayTurn), cnSplat4((float)(0.5 * source->batch->solve->substep)));
        cnVecF4 spin1 = cnAddVecF4(spin, spin2);
        turning = cnScaleVecF4(
            share, cnSubVecF4(TurningOf(n, spin1, packing->centre1), TurningOf(n, spin2, packing->centre2)));
        block->turns = cnAnyTrue4(cnGreater4(cnDotF4(turning, turning), zero));
    }
    slip = cnAddVecF4(slip, turning); // of the middle of the first sub-step
    cnF4 two = cnSplat4(2.0f);
    cnStore4(block->startSlip[0], cnDotF4(t1, slip));
    cnStore4(block->startSlip[1], cnDotF4(t2, slip));
    cnStore4(block->startSlip[2], cnDotF4(n, spin));
    cnStore4(block->turning[0], cnMul4(two, cnDotF4(t1, turning)));
    cnStore4(block->turning[1], cnMul4(two, cnDotF4(t2, turning)));
}

// What a lane has beside a circular cone.
static void ReadSpecialFriction(const Source* source, int lane, cnSpecialFriction* special) {
    const cnSolve* solve = source->batch->solve;
    const cnContactRows* rows = source->rows[lane];
    const cnContactFriction* friction = &rows->friction;
    special->isBox[lane] = friction->isBox ? 1.0f : 0.0f;
    special->hasBoxes |= friction->isBox;
    special->perLoad[lane] = (float)friction->perLoad[1];
    special->fixed[0][lane] = (float)(friction->fixed[0] * solve->substep);
    special->fixed[1][lane] = (float)(friction->fixed[1] * solve->substep);
    for (int i = 0; i < rows->pointCount; ++i) {
        double held = rows->adhesion * solve->substep;
        special->heldLoad[lane] += (float)held;
        special->heldMoment[lane] += (float)(held * rows->points[i].radius);
    }
    special->spinPerLoad[lane] = (float)friction->spinPerLoad;
    special->spinFixed[lane] = (float)(friction->spinFixed * solve->substep);
    if (!friction->rolls) {
        return;
    }
    special->rolls = true;
    double impulse[2] = {0.0, 0.0};
    if (!solve->settings.disableWarmStart) {
        cnFrictionAxes_Split(&rows->rolling, cnToD(rows->pair->rollingFriction), impulse);
    }
    cnVec3 roll = cnContactRows_GetRoll(rows, solve->bodies);
    SetLanes(special->rollingAxis, lane, rows->rolling.axis[0]);
    special->rollingRatio[lane] = (float)rows->rolling.scale[1];
    special->rollingPerLoad[lane] = (float)friction->rollingPerLoad;
    for (int i = 0; i < 2; ++i) {
        special->startRoll[i][lane] = (float)cnDot(rows->rolling.axis[i], roll);
        special->rollingImpulse[i][lane] = (float)impulse[i];
    }
}

static void PackRolling(const Packing* packing, cnSpecialFriction* special) {
    cnVecF4 t1 = cnLoadVecF4(special->rollingAxis);
    cnVecF4 t2 = cnScaleVecF4(cnLoad4(special->rollingRatio), cnCrossF4(packing->normal, t1));
    cnMoments moments1 = MomentsAbout(packing, t1), moments2 = MomentsAbout(packing, t2);
    StoreMoments(&special->rolling1, &moments1);
    StoreMoments(&special->rolling2, &moments2);
    AxesMass axes = FindTurningMass(&moments1, &moments2);
    axes.sigma[0] = axes.sigma[1] = cnMul4(cnSplat4(CN_MIN_SLIP), cnAdd4(axes.k11, axes.k22));
    PackAxes(&special->rolling, &axes);
}

static void PackSpecialFriction(const Packing* packing, const AxesMass* sliding) {
    const Source* source = &packing->source;
    const cnContactBlock* block = packing->block;
    cnSpecialFriction* special = &source->batch->blocks.special[block->special];
    memset(special, 0, sizeof *special);
    for (int lane = 0; lane < CN_LANES; ++lane) {
        if (source->rows[lane] != NULL) {
            ReadSpecialFriction(source, lane, special);
        }
    }
    cnStore4(special->ratio, cnLoad4(source->ratio));
    cnStore4(special->slipRegularisation, sliding->sigma[1]);
    if (special->rolls) {
        PackRolling(packing, special);
    }
}

// Of the last step, along the axes.
static void PackFrictionImpulses(const Packing* packing, cnVecF4 t1, cnVecF4 t2) {
    const Source* source = &packing->source;
    cnContactBlock* block = packing->block;
    cnF4 last[CN_LANES];
    for (int lane = 0; lane < CN_LANES; ++lane) {
        last[lane] = cnLoad4(&source->pairs[lane]->friction.x); // and the torsional one behind it
    }
    cnTranspose4(&last[0], &last[1], &last[2], &last[3]);
    cnVecF4 friction = {last[0], last[1], last[2]};
    cnF4 ratio = cnLoad4(source->ratio), square = cnMul4(ratio, ratio);
    cnF4 isWarm = cnGreater4(cnLoad4(source->isWarm), cnZero4());
    cnF4 hasSecond = cnAnd4(isWarm, cnGreater4(square, cnZero4()));
    cnStore4(block->frictionImpulse[0], cnAnd4(isWarm, cnDotF4(friction, t1)));
    cnStore4(block->frictionImpulse[1], cnAnd4(hasSecond, cnDiv4(cnDotF4(friction, t2), square)));
    cnStore4(block->frictionImpulse[2], block->spins ? cnAnd4(isWarm, last[3]) : cnZero4());
    for (int i = 0; i < 3; ++i) {
        cnStore4(block->frictionSum[i], cnZero4());
    }
}

// Of areas that do not slide: forces and torques beyond the ellipsoid lower the bounds, so that they begin to
// (area_friction.h; of contacts with rows these have done so).
static void ShareByForces(const Packing* packing) {
    cnContactBlock* block = packing->block;
    cnF4 load = cnZero4(), moment = cnZero4(), one = cnSplat4(1.0f), tiny = cnSplat4(1e-30f);
    for (int p = 0; p < block->pointCount; ++p) {
        load = cnAdd4(load, packing->impulse[p]);
        moment = cnMulAdd4(moment, packing->impulse[p], packing->radius[p]);
    }
    cnF4 mu = cnLoad4(block->friction);
    cnF4 l1 = cnLoad4(block->frictionImpulse[0]), l2 = cnLoad4(block->frictionImpulse[1]);
    cnF4 force = cnDiv4(cnSqrt4(cnMulAdd4(cnMul4(l1, l1), l2, l2)), cnMax4(cnMul4(mu, load), tiny));
    cnF4 torque = cnDiv4(cnAbs4(cnLoad4(block->frictionImpulse[2])), cnMax4(cnMul4(mu, moment), tiny));
    cnF4 isShared =
        cnAnd4(cnGreater4(cnLoad4(packing->source.isShared), cnZero4()), cnGreater4(moment, cnZero4()));
    cnF4 part = cnSqrt4(cnMulAdd4(cnMul4(force, force), torque, torque));
    cnF4 slides = cnAnd4(isShared, cnGreater4(part, one));
    if (cnAnyTrue4(slides)) {
        cnF4 forceShare = cnSelect4(slides, cnDiv4(force, cnMax4(part, one)), one);
        cnF4 torqueShare = cnSelect4(slides, cnDiv4(torque, cnMax4(part, one)), one);
        cnStore4(block->friction, cnMul4(mu, forceShare));
        cnStore4(block->torsionalFriction, cnMul4(cnLoad4(block->torsionalFriction), torqueShare));
    }
}

static void PackFriction(const Packing* packing) {
    const Source* source = &packing->source;
    cnContactBlock* block = packing->block;
    cnVecF4 normal = packing->normal, t1 = PackTangent(packing);
    cnVecF4 t2 = cnScaleVecF4(cnLoad4(source->ratio), cnCrossF4(normal, t1));
    PackSlip(packing, t1, t2);
    PackFrictionImpulses(packing, t1, t2);
    AxesMass mass = PackSliding(packing, t1, t2);
    cnStore4(block->slipRegularisation, mass.sigma[0]);
    if (block->spins) {
        cnMoments about = MomentsAbout(packing, normal);
        StoreMoments(&block->torsional, &about);
        cnF4 torsional = cnMoments_GetMobility(&about), turns = cnGreater4(torsional, cnZero4());
        torsional = cnAdd4(torsional, cnLoad4(block->spinRegularisation));
        cnStore4(block->inverseTorsional, cnAnd4(turns, cnDiv4(cnSplat4(1.0f), torsional)));
        ShareByForces(packing);
    }
    if (block->special >= 0) {
        PackSpecialFriction(packing, &mass);
    }
}

// ---- blocks -----------------------------------------------------------------------------------------------

static void PackBlock(const cnSweptBatch* batch, int index) {
    cnContactBlock* block = cnContactBlocks_Get(&batch->blocks, index);
    Packing packing;
    memset(&packing.source, 0, sizeof packing.source);
    packing.source.batch = batch;
    packing.source.index = index;
    packing.block = block;
    block->pointCount = 0;
    block->limited = false;
    block->repeats = 1;
    block->crosswise = false;
    for (int lane = 0; lane < CN_LANES; ++lane) {
        ReadLane(&packing.source, block, lane);
    }
    block->spins = block->pointCount > 1 || block->special >= 0;
    packing.normal = cnLoadVecF4(block->normal);
    PackBodies(&packing);
    GatherPoints(&packing);
    PackPoints(&packing);
    PackFriction(&packing);
}

// Which contacts a block has.
static void TakeContacts(const cnSweptBatch* batch, int index) {
    cnContactBlock* block = cnContactBlocks_Get(&batch->blocks, index);
    const cnBlockCut* cut = &batch->blocks.cuts[index];
    CN_ASSERT(cut->count > 0 && cut->count <= CN_LANES);
    block->special = cut->special;
    for (int lane = 0; lane < CN_LANES; ++lane) {
        block->contact[lane] = lane < cut->count ? batch->contacts[cut->first + lane].contact : -1;
    }
}

static void PackBlocks(int begin, int end, int thread, void* data) {
    (void)thread;
    const cnSweptBatch* batch = data;
    CN_ASSERT(begin >= 0 && end <= batch->blocks.blockCount);
    for (int first = begin; first < end; first += CN_PACK_GROUP) {
        int last = first + CN_PACK_GROUP < end ? first + CN_PACK_GROUP : end;
        for (int b = first; b < last; ++b) {
            TakeContacts(batch, b);
            cnContactBlock_AskForPairs(cnContactBlocks_Get(&batch->blocks, b), batch->solve);
        }
        for (int b = first; b < last; ++b) {
            PackBlock(batch, b);
        }
    }
}

void cnPackContactBlocks(cnSweptBatch* batch) {
    cnRunOverBlocksApart(batch->threads, batch->blocks.runs, PackBlocks, batch);
}
