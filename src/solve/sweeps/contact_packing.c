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

// Of a body, as lanes have it.
typedef struct MassF {
    float mass, inertia[7]; // xx, xy, xz, yy, yz, zz
} MassF;

// An empty lane is packed from a contact without points.
static cnContactRows noRows = {.of = {.body1 = -1, .body2 = -1}, .stiffness = 1.0, .compliance = 1.0};
static const cnSolverContact noContact;

typedef struct PackContext {
    cnSolve* solve;
    cnContactBlocks* blocks;
    MassF* masses; // by body
} PackContext;

// What is read lane by lane and not stored as it is.
typedef struct Source {
    const PackContext* context;
    int block;
    cnContactRows* rows[CN_LANES];
    cnLanes count; // of points
    cnLanes compliance, damping, theta;
    cnLanes depth[CN_MANIFOLD_POINTS];
    cnLanes bounceSpeed; // m/s, from which a point bounces
    cnLanes isFoundation, deepFrom;
    cnLanes normalSpeed, spin[3], spin2[3]; // at the centre; relative; of the second body
    cnLanes ratio, viscosity[2], spinSigma, isWarm;
} Source;

static cnContactBlock* BlockOf(const Source* source) {
    return &source->context->blocks->blocks[source->block];
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
    const cnSolve* solve = source->context->solve;
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
    const cnSolve* solve = source->context->solve;
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
    const cnSolve* solve = source->context->solve;
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
    block->body1[lane] = contact->body1;
    block->body2[lane] = contact->body2;
    block->pointCount = rows->pointCount > block->pointCount ? rows->pointCount : block->pointCount;
    block->curvature[lane] = rows->of.curvature;
    block->integralImpulse[lane] = cnContactRows_GetIntegralImpulse(rows);
    SetLanes(block->normal, lane, rows->normal);
    SetLanes(block->tangent, lane, rows->sliding.axis[0]);
    SetLanes(block->centreArm1, lane, rows->centreArm1);
    SetLanes(block->centreArm2, lane, rows->centreArm2);
    ReadMaterial(source, lane);
    ReadVelocities(source, lane);
}

// ---- four at a time: masses -------------------------------------------------------------------------------

static void GatherMasses(const MassF* masses, const int bodies[CN_LANES], cnLanes inverseMass,
                         cnLanes* inertia) {
    const float* of[CN_LANES];
    for (int lane = 0; lane < CN_LANES; ++lane) {
        of[lane] = &masses[bodies[lane]].mass;
    }
    cnF4 a[4], b[4];
    for (int lane = 0; lane < CN_LANES; ++lane) {
        a[lane] = cnLoad4(of[lane]);
        b[lane] = cnLoad4(of[lane] + 4);
    }
    cnTranspose4(&a[0], &a[1], &a[2], &a[3]);
    cnTranspose4(&b[0], &b[1], &b[2], &b[3]);
    cnStore4(inverseMass, a[0]);
    for (int i = 0; i < 3; ++i) {
        cnStore4(inertia[i], a[i + 1]);
        cnStore4(inertia[i + 3], b[i]);
    }
}

static void PackBodies(const Source* source) {
    const PackContext* context = source->context;
    cnContactBlock* block = BlockOf(source);
    GatherMasses(context->masses, block->body1, block->inverseMass1, block->inverseInertia1);
    GatherMasses(context->masses, block->body2, block->inverseMass2, block->inverseInertia2);
    block->anisotropic = context->blocks->anisotropic != NULL;
    for (int lane = 0; lane < CN_LANES && block->anisotropic; ++lane) {
        cnAnisotropicMass* anisotropic = &context->blocks->anisotropic[source->block];
        const cnInverseMass* inverse = context->solve->solver.inverse;
        SetSymmetric(anisotropic->inverseMass1, lane, inverse[block->body1[lane]].linear);
        SetSymmetric(anisotropic->inverseMass2, lane, inverse[block->body2[lane]].linear);
    }
}

static cnBlockMass LoadMass(const Source* source) {
    const cnContactBlocks* blocks = source->context->blocks;
    return cnLoadBlockMass(BlockOf(source),
                           blocks->anisotropic != NULL ? &blocks->anisotropic[source->block] : NULL);
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
            source->context->solve->settings.disableWarmStart ? cnZero4() : cnLoad4(pair->impulse);
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
    const cnSolve* solve = source->context->solve;
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
    const cnSolve* solve = source->context->solve;
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
    cnBlockMass mass = LoadMass(source);
    cnF4 linear =
        cnDotF4(normal, cnAddVecF4(cnBlockMass_Respond1(&mass, normal), cnBlockMass_Respond2(&mass, normal)));
    cnVecF4 spin = cnLoadVecF4(source->spin), spin2 = cnLoadVecF4(source->spin2);
    cnVecF4 centre1 = cnLoadVecF4(block->centreArm1), centre2 = cnLoadVecF4(block->centreArm2);
    cnF4 stored[CN_MANIFOLD_POINTS], deep = zero, fast = zero;
    for (int p = 0; p < block->pointCount; ++p) {
        cnPointLanes* point = &block->points[p];
        cnF4 has = cnLess4(cnSplat4((float)p), count);
        cnVecF4 arm1 = AndVec4(has, gathered.arm1[p]), arm2 = AndVec4(has, gathered.arm2[p]);
        cnF4 impulse = cnAnd4(has, gathered.impulse[p]), depth = cnAnd4(has, cnLoad4(source->depth[p]));
        cnStoreVecF4(point->arm1, arm1);
        cnStoreVecF4(point->arm2, arm2);
        cnStore4(point->impulse, impulse);
        cnStore4(point->impulseSum, zero);
        cnStore4(point->radius, cnAnd4(has, cnLoad4(point->radius)));

        cnVecF4 moment1 = cnCrossF4(arm1, normal), moment2 = cnCrossF4(arm2, normal);
        cnF4 turning = cnAdd4(cnDotF4(moment1, cnMulSymmetricF4(mass.inertia1, moment1)),
                              cnDotF4(moment2, cnMulSymmetricF4(mass.inertia2, moment2)));
        cnF4 mobility = cnAnd4(has, cnAdd4(linear, turning));
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

static AxesMass FindSlidingMass(const Source* source, cnVecF4 t1, cnVecF4 t2) {
    const cnContactBlock* block = BlockOf(source);
    cnBlockMass mass = LoadMass(source);
    cnVecF4 arm1 = cnLoadVecF4(block->centreArm1), arm2 = cnLoadVecF4(block->centreArm2);
    cnVecF4 a1 = cnCrossF4(arm1, t1), b1 = cnCrossF4(arm2, t1);
    cnVecF4 a2 = cnCrossF4(arm1, t2), b2 = cnCrossF4(arm2, t2);
    cnVecF4 linear1 = cnAddVecF4(cnBlockMass_Respond1(&mass, t1), cnBlockMass_Respond2(&mass, t1));
    cnVecF4 linear2 = cnAddVecF4(cnBlockMass_Respond1(&mass, t2), cnBlockMass_Respond2(&mass, t2));
    cnVecF4 turn1 = cnMulSymmetricF4(mass.inertia1, a1), turn2 = cnMulSymmetricF4(mass.inertia1, a2);
    cnVecF4 back1 = cnMulSymmetricF4(mass.inertia2, b1), back2 = cnMulSymmetricF4(mass.inertia2, b2);
    AxesMass axes = {
        .k11 = cnAdd4(cnDotF4(t1, linear1), cnAdd4(cnDotF4(a1, turn1), cnDotF4(b1, back1))),
        .k12 = cnAdd4(cnDotF4(t2, linear1), cnAdd4(cnDotF4(a2, turn1), cnDotF4(b2, back1))),
        .k22 = cnAdd4(cnDotF4(t2, linear2), cnAdd4(cnDotF4(a2, turn2), cnDotF4(b2, back2))),
    };
    cnF4 least = cnMul4(cnSplat4(CN_MIN_SLIP), cnAdd4(axes.k11, axes.k22));
    for (int i = 0; i < 2; ++i) {
        axes.sigma[i] = cnMax4(cnLoad4(source->viscosity[i]), least);
    }
    return axes;
}

static AxesMass FindRollingMass(const Source* source, const cnSpecialFriction* special, cnVecF4 normal) {
    const cnContactBlock* block = BlockOf(source);
    cnBlockMass mass = cnLoadBlockMass(block, NULL);
    cnVecF4 t1 = cnLoadVecF4(special->rollingAxis);
    cnVecF4 t2 = cnScaleVecF4(cnLoad4(special->rollingRatio), cnCrossF4(normal, t1));
    cnVecF4 response1 = cnAddVecF4(cnMulSymmetricF4(mass.inertia1, t1), cnMulSymmetricF4(mass.inertia2, t1));
    cnVecF4 response2 = cnAddVecF4(cnMulSymmetricF4(mass.inertia1, t2), cnMulSymmetricF4(mass.inertia2, t2));
    AxesMass axes = {
        .k11 = cnDotF4(t1, response1),
        .k12 = cnDotF4(t1, response2),
        .k22 = cnDotF4(t2, response2),
    };
    axes.sigma[0] = axes.sigma[1] = cnMul4(cnSplat4(CN_MIN_SLIP), cnAdd4(axes.k11, axes.k22));
    return axes;
}

// What a lane has beside a circular cone.
static void ReadSpecialFriction(const Source* source, int lane, cnSpecialFriction* special) {
    const cnSolve* solve = source->context->solve;
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
    cnSpecialFriction* special = &source->context->blocks->special[source->block];
    memset(special, 0, sizeof *special);
    for (int lane = 0; lane < CN_LANES; ++lane) {
        if (block->contact[lane] >= 0) {
            ReadSpecialFriction(source, lane, special);
            block->special = block->special || !source->rows[lane]->friction.isPlain;
        }
    }
    cnStore4(special->slipRegularisation, sliding->sigma[1]);
    if (special->rolls) {
        AxesMass rolling = FindRollingMass(source, special, normal);
        PackAxes(&special->rolling, &rolling);
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
    AxesMass mass = FindSlidingMass(source, t1, t2);
    cnStore4(block->slipRegularisation, mass.sigma[0]);
    PackAxes(&block->sliding, &mass);

    cnF4 inertia1[6], inertia2[6];
    cnLoadSymmetricF4(inertia1, block->inverseInertia1);
    cnLoadSymmetricF4(inertia2, block->inverseInertia2);
    cnF4 torsional =
        cnDotF4(normal, cnAddVecF4(cnMulSymmetricF4(inertia1, normal), cnMulSymmetricF4(inertia2, normal)));
    cnF4 turns = cnGreater4(torsional, cnZero4());
    torsional = cnAdd4(torsional, cnLoad4(source->spinSigma));
    cnStore4(block->inverseTorsional, cnAnd4(turns, cnDiv4(cnSplat4(1.0f), torsional)));
    if (source->context->blocks->special != NULL) {
        PackSpecialFriction(source, &mass, normal);
    }
}

// ---- blocks -----------------------------------------------------------------------------------------------

static void PackBlock(const PackContext* context, int index) {
    cnContactBlock* block = &context->blocks->blocks[index];
    Source source;
    memset(&source, 0, sizeof source);
    source.context = context;
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
    const PackContext* context = data;
    CN_ASSERT(begin >= 0 && end <= context->blocks->blockCount);
    for (int b = begin; b < end; ++b) {
        PackBlock(context, b);
    }
}

static void NarrowMass(const cnInverseMass* inverse, MassF* mass) {
    const cnMat33* m = &inverse->angular;
    mass->mass = (float)inverse->linear.x.x;
    const double inertia[] = {m->x.x, m->x.y, m->x.z, m->y.y, m->y.z, m->z.z, 0.0};
    for (int i = 0; i < 7; ++i) {
        mass->inertia[i] = (float)inertia[i];
    }
}

bool cnPackContactBlocks(cnSolve* solve, cnContactBlocks* blocks) {
    if (blocks->blockCount == 0) {
        return true;
    }
    MassF* masses = CN_PUSH(solve->stack, MassF, solve->solver.count, "masses of swept bodies");
    if (masses == NULL) {
        return false;
    }
    for (int index = 0; index < solve->solver.count; ++index) {
        NarrowMass(&solve->solver.inverse[index], &masses[index]);
    }
    PackContext context = {solve, blocks, masses};
    cnThreadPool_Run(solve->threads, PackBlocks, &context, blocks->blockCount, CN_BLOCK_CHUNK);
    cnStack_Pop(solve->stack, masses);
    return true;
}
