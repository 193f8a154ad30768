// Filling blocks of contacts.
//
// What a lane has of its own is read lane by lane; the formulas of rows are then done for four contacts at a
// time, in f32, from the numbers that the sweeps will use. Velocities alone are differences of large numbers:
// they are taken in f64 at the friction centre, and in lanes from there to the points, over what is left:
//   n·v(point) = n·v(centre) + Δω·(e₁ × n) + ω₂·((e₁ − e₂) × n),  e the ways from the centre to the point,
// so that bodies that move together have no slip in f32 either, however fast they are.
#include "solve/sweeps/contact_blocks.h"

#include "solve/contact_rows.h"
#include "solve/sweeps/row_lanes.h"

#include <float.h>
#include <string.h>

#define CN_BLOCK_CHUNK 16
// Min slip regularisation of friction rows as a part of their own inverse effective masses.
#define CN_MIN_SLIP 1e-12f
// Least determinant of two rows as a part of the product of their diagonal elements: f32 knows no more.
#define CN_MIN_DETERMINANT (4.0 * FLT_EPSILON)

// An empty lane is packed from a contact without points.
static cnContactRows noRows = {.of = {.body1 = -1, .body2 = -1}, .stiffness = 1.0, .compliance = 1.0};
static const cnSolverContact noContact;

// What is read lane by lane and not stored as it is.
typedef struct Source {
    const cnSweptBatch* batch;
    int block;
    cnContactRows* rows[CN_LANES];
    cnLanes count; // of points
    cnLanes compliance, damping, theta;
    cnLanes depth[CN_MANIFOLD_POINTS];
    cnLanes bounceSpeed; // m/s, from which a point bounces
    cnLanes isFoundation, deepFrom;
    cnLanes normalSpeed, spin[3], spin2[3]; // at the centre; relative; of the second body
    cnLanes centreArm1[3], centreArm2[3];
    cnLanes ratio, viscosity[2], spinSigma, isWarm;
    cnF4 factor1[6], factor2[6]; // of the bodies' inverse inertia (swept_bodies.h)
} Source;

static cnContactBlock* BlockOf(const Source* source) {
    return &source->batch->blocks.blocks[source->block];
}

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

// Velocities at the friction centre, and what friction starts from.
static void ReadVelocities(Source* source, int lane) {
    const cnSolve* solve = source->batch->solve;
    const cnBodyTable* bodies = solve->bodies;
    const cnContactRows* rows = source->rows[lane];
    cnContactBlock* block = BlockOf(source);
    int row1 = rows->of.body1, row2 = rows->of.body2;
    cnVec3 spin1 = row1 >= 0 ? bodies->halfStepAngularVelocity[row1] : cnVec3_zero;
    cnVec3 spin2 = row2 >= 0 ? bodies->halfStepAngularVelocity[row2] : cnVec3_zero;
    cnVec3 spin = cnSub(spin1, spin2), speed = cnContactRows_GetSlip(rows, bodies);
    cnVec3 turning = cnContactRows_GetTurning(rows, bodies, solve->substep);
    cnVec3 slip = cnAdd(cnAdd(speed, rows->surfaceVelocity), turning); // of the middle of the first sub-step
    const cnVec3* axis = rows->sliding.axis;
    source->normalSpeed[lane] = (float)cnDot(rows->normal, speed);
    SetLanes(source->spin, lane, spin);
    SetLanes(source->spin2, lane, spin2);
    SetLanes(block->startSlip, lane,
             (cnVec3){cnDot(axis[0], slip), cnDot(axis[1], slip), cnDot(rows->normal, spin)});
    block->turns = block->turns || cnLengthSquared(turning) > 0.0;
    for (int i = 0; i < 2; ++i) {
        block->turning[i][lane] = (float)(2.0 * cnDot(axis[i], turning));
    }
}

static void ReadMaterial(Source* source, int lane) {
    const cnSolve* solve = source->batch->solve;
    const cnContactRows* rows = source->rows[lane];
    const cnContactFriction* friction = &rows->friction;
    cnContactBlock* block = BlockOf(source);
    source->compliance[lane] = (float)rows->compliance;
    source->damping[lane] = (float)rows->damping;
    source->bounceSpeed[lane] = rows->restitution > 0.0 ? (float)rows->restitutionThreshold : FLT_MAX;
    source->isFoundation[lane] = rows->isFoundation ? 1.0f : 0.0f;
    source->deepFrom[lane] = (float)(CN_DEEP_SHARE * rows->of.inradius);
    source->ratio[lane] = (float)rows->sliding.scale[1];
    for (int i = 0; i < 2; ++i) {
        double sigma = cnFriction_GetSigma(friction, i, rows->pointCount, solve->substep);
        source->viscosity[i][lane] = friction->viscosity[i] > 0.0 ? (float)sigma : 0.0f;
    }
    source->spinSigma[lane] = (float)cnFriction_GetSpinSigma(friction, solve->substep);
    bool isWarm = !solve->settings.disableWarmStart && cnFriction_HasRows(friction);
    source->isWarm[lane] = isWarm ? 1.0f : 0.0f;
    block->friction[lane] = (float)friction->perLoad[0];
    block->least[lane] = (float)(-rows->adhesion * solve->substep);
}

static void ReadLane(Source* source, int lane) {
    const cnSolve* solve = source->batch->solve;
    cnContactBlock* block = BlockOf(source);
    bool isEmpty = block->contact[lane] < 0;
    const cnSolverContact* contact = isEmpty ? &noContact : &solve->contacts[block->contact[lane]];
    cnContactRows* rows = isEmpty ? &noRows : cnSolve_GetRows(solve, block->contact[lane]);
    CN_ASSERT(isEmpty || solve->islands[contact->island].solver == cn_islandSwept ||
              solve->islands[contact->island].solver == cn_islandGrouped);
    source->rows[lane] = rows;
    source->count[lane] = (float)rows->pointCount;
    source->theta[lane] = (float)cnThetaOf(contact);
    for (int i = 0; i < rows->pointCount; ++i) {
        source->depth[i][lane] = (float)rows->points[i].depth;
        block->points[i].radius[lane] = (float)rows->points[i].radius;
    }
    block->body1[lane] = source->batch->places[contact->body1];
    block->body2[lane] = source->batch->places[contact->body2];
    block->pointCount = rows->pointCount > block->pointCount ? rows->pointCount : block->pointCount;
    block->curvature[lane] = rows->of.curvature;
    block->integralImpulse[lane] = cnContactRows_GetIntegralImpulse(rows);
    SetLanes(block->normal, lane, rows->normal);
    SetLanes(block->tangent, lane, rows->sliding.axis[0]);
    SetLanes(source->centreArm1, lane, rows->centreArm1);
    SetLanes(source->centreArm2, lane, rows->centreArm2);
    ReadMaterial(source, lane);
    ReadVelocities(source, lane);
}

// ---- four at a time: masses -------------------------------------------------------------------------------

static void PackBodies(Source* source) {
    const cnSweptBatch* batch = source->batch;
    cnContactBlock* block = BlockOf(source);
    cnF4 mass1, mass2;
    cnGatherMasses(batch->bodies.masses, block->body1, &mass1, source->factor1);
    cnGatherMasses(batch->bodies.masses, block->body2, &mass2, source->factor2);
    cnStore4(block->inverseMass1, mass1);
    cnStore4(block->inverseMass2, mass2);
    for (int lane = 0; lane < CN_LANES && batch->blocks.anisotropic != NULL; ++lane) {
        cnAnisotropicMass* anisotropic = &batch->blocks.anisotropic[source->block];
        int contact = block->contact[lane];
        const cnSolverContact* of = contact < 0 ? &noContact : &batch->solve->contacts[contact];
        const cnInverseMass* inverse = batch->solve->solver.inverse;
        SetSymmetric(anisotropic->inverseMass1, lane, inverse[of->body1].linear);
        SetSymmetric(anisotropic->inverseMass2, lane, inverse[of->body2].linear);
    }
}

static cnLinearRow LinearRowOf(const Source* source, cnVecF4 direction) {
    const cnContactBlocks* blocks = &source->batch->blocks;
    return cnMakeLinearRow(BlockOf(source), cnContactBlocks_GetAnisotropic(blocks, source->block), direction);
}

// Mass-weighted, of a direction at arms, and about one.
static cnMoments MomentsAt(const Source* source, cnVecF4 arm1, cnVecF4 arm2, cnVecF4 direction) {
    return (cnMoments){cnMulUpperF4(source->factor1, cnCrossF4(arm1, direction)),
                       cnMulUpperF4(source->factor2, cnCrossF4(arm2, direction))};
}

static cnMoments MomentsAbout(const Source* source, cnVecF4 axis) {
    return (cnMoments){cnMulUpperF4(source->factor1, axis), cnMulUpperF4(source->factor2, axis)};
}

static void StoreMoments(cnMomentLanes* lanes, const cnMoments* moments) {
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

// Of the points of each lane's pair.
typedef struct GatheredPoints {
    cnVecF4 arm1[CN_MANIFOLD_POINTS], arm2[CN_MANIFOLD_POINTS];
    cnF4 impulse[CN_MANIFOLD_POINTS];
} GatheredPoints;

static void GatherPoints(const Source* source, GatheredPoints* points) {
    const float *arms1[CN_LANES], *arms2[CN_LANES];
    for (int lane = 0; lane < CN_LANES; ++lane) {
        const cnPairCopy* pair = &source->rows[lane]->of;
        arms1[lane] = &pair->arm1[0].x;
        arms2[lane] = &pair->arm2[0].x;
        points->impulse[lane] =
            source->batch->solve->settings.disableWarmStart ? cnZero4() : cnLoad4(pair->impulse);
    }
    GatherFour(arms1, points->arm1);
    GatherFour(arms2, points->arm2);
    cnTranspose4(&points->impulse[0], &points->impulse[1], &points->impulse[2], &points->impulse[3]);
}

static inline cnVecF4 AndVec4(cnF4 mask, cnVecF4 v) {
    return (cnVecF4){cnAnd4(mask, v.x), cnAnd4(mask, v.y), cnAnd4(mask, v.z)};
}

// What bounds how fast a lane's overlap is pushed out, given which of its points are deep or could make much
// speed: a limit, and whether it is also bound by what explains the overlap.
static bool FindPushLimit(const Source* source, int lane, bool isDeep, bool isFast, float* limit) {
    const cnSolve* solve = source->batch->solve;
    cnContactRows* rows = source->rows[lane];
    cnContactBlock* block = BlockOf(source);
    int contact = block->contact[lane];
    *limit = 0.0f;
    if (contact < 0) {
        return false;
    }
    const cnIsland* island = &solve->islands[solve->contacts[contact].island];
    bool isBound = false;
    if (!cnIsland_SweepsJoints(island) && !rows->isFoundation) {
        cnContactRows_NoteExcess(rows, island->large, isDeep, isFast);
        isBound = cnContactRows_IsPushBound(rows, island->large);
    }
    *limit = (float)cnContactRows_GetCorrectionSpeed(rows);
    block->limited |= (rows->of.flags & cn_pairLimitedCorrection) != 0 && !cnIsland_SweepsJoints(island);
    return isBound;
}

// Σ rows of points; what bounds their pushes comes last, since it is of all points of a contact.
static void PackPoints(const Source* source) {
    const cnSolve* solve = source->batch->solve;
    cnContactBlock* block = BlockOf(source);
    GatheredPoints gathered;
    GatherPoints(source, &gathered);
    cnF4 h = cnSplat4((float)solve->substep), one = cnSplat4(1.0f), four = cnSplat4(4.0f), zero = cnZero4();
    cnF4 count = cnLoad4(source->count), theta = cnLoad4(source->theta);
    cnF4 compliance = cnLoad4(source->compliance);
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
    cnVecF4 normal = cnLoadVecF4(block->normal);
    cnLinearRow row = LinearRowOf(source, normal);
    cnF4 linear = cnLinearRow_GetMobility(&row, normal);
    cnVecF4 spin = cnLoadVecF4(source->spin), spin2 = cnLoadVecF4(source->spin2);
    cnVecF4 centre1 = cnLoadVecF4(source->centreArm1), centre2 = cnLoadVecF4(source->centreArm2);
    cnF4 stored[CN_MANIFOLD_POINTS], deep = zero, fast = zero;
    for (int p = 0; p < block->pointCount; ++p) {
        cnPointLanes* point = &block->points[p];
        cnF4 has = cnLess4(cnSplat4((float)p), count);
        cnVecF4 arm1 = AndVec4(has, gathered.arm1[p]), arm2 = AndVec4(has, gathered.arm2[p]);
        cnF4 impulse = cnAnd4(has, gathered.impulse[p]), depth = cnAnd4(has, cnLoad4(source->depth[p]));
        cnStore4(point->impulse, impulse);
        cnStore4(point->impulseSum, zero);
        cnStore4(point->radius, cnAnd4(has, cnLoad4(point->radius)));

        cnMoments moments = MomentsAt(source, arm1, arm2, normal);
        cnStoreVecF4(point->moment1, moments.of1);
        cnStoreVecF4(point->moment2, moments.of2);
        cnF4 mobility = cnAnd4(has, cnAdd4(linear, cnMoments_GetMobility(&moments)));
        cnVecF4 way1 = cnSubVecF4(arm1, centre1), way2 = cnSubVecF4(arm2, centre2);
        cnF4 turned = cnAdd4(cnDotF4(spin, cnCrossF4(way1, normal)),
                             cnDotF4(spin2, cnCrossF4(cnSubVecF4(way1, way2), normal)));
        cnF4 start = cnAnd4(has, cnAdd4(cnLoad4(source->normalSpeed), turned));
        cnF4 bounces = cnLess4(bounceSpeed, cnNeg4(cnAdd4(start, bend)));
        cnF4 isAway = cnAnd4(cnLess4(depth, zero), cnOr4(bounces, isFoundation));
        cnStore4(point->startVelocity, start);
        cnStore4(point->separation, cnSelect4(isAway, cnSplat4((float)CN_OUT_OF_REACH), cnNeg4(depth)));

        cnF4 softness = cnMul4(theta, mobility), softening = cnMul4(cnMul4(four, gamma), softness);
        cnStore4(point->softening, softening);
        cnStore4(point->inverseBiased, cnAnd4(has, cnDiv4(one, cnAdd4(cnAdd4(mobility, sigma), softening))));
        cnStore4(point->inverseRelaxed, cnAnd4(has, cnDiv4(one, mobility)));
        cnF4 own = cnMul4(cnMul4(softness, h), cnSub4(impulse, integral));
        stored[p] = cnMax4(zero, cnMulAdd4(own, impulse, yield));
        cnF4 excess = cnMulSub4(depth, cnSplat4(2.0f), stored[p]);
        cnF4 weight = cnMul4(cnMul4(excess, excess), mobility);
        deep = cnOr4(deep, cnGreater4(excess, deepFrom));
        fast = cnOr4(fast, cnAnd4(cnGreater4(excess, zero), cnGreater4(weight, fastFrom)));
    }

    int deepLanes = cnMoveMask4(deep), fastLanes = cnMoveMask4(fast);
    cnLanes limits, bound;
    for (int lane = 0; lane < CN_LANES; ++lane) {
        bool isDeep = (deepLanes >> lane & 1) != 0, isFast = (fastLanes >> lane & 1) != 0;
        bound[lane] = FindPushLimit(source, lane, isDeep, isFast, &limits[lane]) ? 1.0f : 0.0f;
    }
    cnF4 limit = cnLoad4(limits), isBound = cnGreater4(cnLoad4(bound), zero);
    for (int p = 0; p < block->pointCount; ++p) {
        cnF4 push = cnMin4(cnMul4(bounce, stored[p]), limit);
        cnStore4(block->points[p].push, cnSelect4(isBound, push, limit));
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

static AxesMass PackSliding(const Source* source, cnVecF4 t1, cnVecF4 t2) {
    cnContactBlock* block = BlockOf(source);
    cnVecF4 arm1 = cnLoadVecF4(source->centreArm1), arm2 = cnLoadVecF4(source->centreArm2);
    cnMoments moments1 = MomentsAt(source, arm1, arm2, t1), moments2 = MomentsAt(source, arm1, arm2, t2);
    StoreMoments(&block->sliding1, &moments1);
    StoreMoments(&block->sliding2, &moments2);
    cnLinearRow row1 = LinearRowOf(source, t1), row2 = LinearRowOf(source, t2);
    AxesMass axes = FindTurningMass(&moments1, &moments2);
    axes.k11 = cnAdd4(axes.k11, cnLinearRow_GetMobility(&row1, t1));
    axes.k12 = cnAdd4(axes.k12, cnLinearRow_GetMobility(&row1, t2));
    axes.k22 = cnAdd4(axes.k22, cnLinearRow_GetMobility(&row2, t2));
    cnF4 least = cnMul4(cnSplat4(CN_MIN_SLIP), cnAdd4(axes.k11, axes.k22));
    for (int i = 0; i < 2; ++i) {
        axes.sigma[i] = cnMax4(cnLoad4(source->viscosity[i]), least);
    }
    PackAxes(&block->sliding, &axes);
    return axes;
}

static void PackRolling(const Source* source, cnSpecialFriction* special, cnVecF4 normal) {
    cnVecF4 t1 = cnLoadVecF4(special->rollingAxis);
    cnVecF4 t2 = cnScaleVecF4(cnLoad4(special->rollingRatio), cnCrossF4(normal, t1));
    cnMoments moments1 = MomentsAbout(source, t1), moments2 = MomentsAbout(source, t2);
    StoreMoments(&special->rolling1, &moments1);
    StoreMoments(&special->rolling2, &moments2);
    AxesMass axes = FindTurningMass(&moments1, &moments2);
    axes.sigma[0] = axes.sigma[1] = cnMul4(cnSplat4(CN_MIN_SLIP), cnAdd4(axes.k11, axes.k22));
    PackAxes(&special->rolling, &axes);
}

// What a lane has beside a circular cone.
static void ReadSpecialFriction(const Source* source, int lane, cnSpecialFriction* special) {
    const cnSolve* solve = source->batch->solve;
    const cnContactRows* rows = source->rows[lane];
    const cnContactFriction* friction = &rows->friction;
    special->ratio[lane] = source->ratio[lane];
    special->isBox[lane] = friction->isBox ? 1.0f : 0.0f;
    special->hasBoxes |= friction->isBox;
    special->perLoad[lane] = (float)friction->perLoad[1];
    special->fixed[0][lane] = (float)(friction->fixed[0] * solve->substep);
    special->fixed[1][lane] = (float)(friction->fixed[1] * solve->substep);
    special->perMoment[lane] = (float)friction->perMoment;
    for (int i = 0; i < rows->pointCount; ++i) {
        double held = rows->adhesion * solve->substep;
        special->heldLoad[lane] += (float)held;
        special->heldMoment[lane] += (float)(held * rows->points[i].radius);
    }
    special->spinPerLoad[lane] = (float)friction->spinPerLoad;
    special->spinRegularisation[lane] = source->spinSigma[lane];
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

static void PackSpecialFriction(const Source* source, const AxesMass* sliding, cnVecF4 normal) {
    cnContactBlock* block = BlockOf(source);
    cnSpecialFriction* special = &source->batch->blocks.special[source->block];
    memset(special, 0, sizeof *special);
    for (int lane = 0; lane < CN_LANES; ++lane) {
        if (block->contact[lane] >= 0) {
            ReadSpecialFriction(source, lane, special);
            block->special = block->special || !source->rows[lane]->friction.isPlain;
        }
    }
    cnStore4(special->slipRegularisation, sliding->sigma[1]);
    if (special->rolls) {
        PackRolling(source, special, normal);
    }
}

// Of the last step, along the axes.
static void PackFrictionImpulses(const Source* source, cnVecF4 t1, cnVecF4 t2, cnF4 ratio) {
    cnContactBlock* block = BlockOf(source);
    cnF4 last[CN_LANES];
    for (int lane = 0; lane < CN_LANES; ++lane) {
        last[lane] = cnLoad4(source->rows[lane]->of.friction);
    }
    cnTranspose4(&last[0], &last[1], &last[2], &last[3]);
    cnVecF4 friction = {last[0], last[1], last[2]};
    cnF4 square = cnMul4(ratio, ratio), isWarm = cnGreater4(cnLoad4(source->isWarm), cnZero4());
    cnF4 hasSecond = cnAnd4(isWarm, cnGreater4(square, cnZero4()));
    cnStore4(block->frictionImpulse[0], cnAnd4(isWarm, cnDotF4(friction, t1)));
    cnStore4(block->frictionImpulse[1], cnAnd4(hasSecond, cnDiv4(cnDotF4(friction, t2), square)));
    cnStore4(block->frictionImpulse[2], cnAnd4(isWarm, last[3]));
    for (int i = 0; i < 3; ++i) {
        cnStore4(block->frictionSum[i], cnZero4());
    }
}

static void PackFriction(const Source* source) {
    cnContactBlock* block = BlockOf(source);
    cnVecF4 normal = cnLoadVecF4(block->normal), t1 = cnLoadVecF4(block->tangent);
    cnF4 ratio = cnLoad4(source->ratio);
    cnVecF4 t2 = cnScaleVecF4(ratio, cnCrossF4(normal, t1));
    PackFrictionImpulses(source, t1, t2, ratio);
    AxesMass mass = PackSliding(source, t1, t2);
    cnStore4(block->slipRegularisation, mass.sigma[0]);
    cnMoments about = MomentsAbout(source, normal);
    StoreMoments(&block->torsional, &about);
    cnF4 torsional = cnMoments_GetMobility(&about), turns = cnGreater4(torsional, cnZero4());
    torsional = cnAdd4(torsional, cnLoad4(source->spinSigma));
    cnStore4(block->inverseTorsional, cnAnd4(turns, cnDiv4(cnSplat4(1.0f), torsional)));
    if (source->batch->blocks.special != NULL) {
        PackSpecialFriction(source, &mass, normal);
    }
}

// ---- blocks -----------------------------------------------------------------------------------------------

static void PackBlock(const cnSweptBatch* batch, int index) {
    cnContactBlock* block = &batch->blocks.blocks[index];
    Source source;
    memset(&source, 0, sizeof source);
    source.batch = batch;
    source.block = index;
    block->pointCount = 0;
    block->special = block->turns = block->limited = false;
    for (int lane = 0; lane < CN_LANES; ++lane) {
        ReadLane(&source, lane);
    }
    PackBodies(&source);
    PackPoints(&source);
    PackFriction(&source);
}

static void PackBlocks(int begin, int end, int thread, void* data) {
    (void)thread;
    const cnSweptBatch* batch = data;
    CN_ASSERT(begin >= 0 && end <= batch->blocks.blockCount);
    for (int b = begin; b < end; ++b) {
        PackBlock(batch, b);
    }
}

void cnPackContactBlocks(cnSweptBatch* batch) {
    cnThreadPool_Run(batch->threads, PackBlocks, batch, batch->blocks.blockCount, CN_BLOCK_CHUNK);
}
