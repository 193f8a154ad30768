#include "solve/direct/nodes/contact_nodes.h"

#include "base/report/assert.h"
#include "solve/direct/nodes/force_times.h"

#include <string.h>

// A pair is calm where the dampers' part of its multipliers is less than this part of the springs', or this
// overlap, m.
#define CN_CALM_SHARE 0.25
#define CN_CALM_OVERLAP 1e-8

// ---- rows -------------------------------------------------------------------------------------------------

// Arms of a contact point, or of the middle of some.
typedef struct Spot {
    cnVec3 arm1, arm2;
} Spot;

// A row of a contact along (or, where it is angular, about) a direction.
static void StoreContactRow(cnDirectIsland* island, const cnDirectNode* node, int rowIndex, const Spot* spot,
                            cnVec3 direction, bool isAngular) {
    CN_ASSERT(!cnNode_IsJoint(node));
    CN_ASSERT(rowIndex >= node->block.firstRow && rowIndex < cnRowBlock_End(&node->block));
    const cnSolve* solve = island->solve;
    const cnPair* pair = cnDirect_ContactOf(island, node)->pair;
    cnDirectRow* row = &island->rows[rowIndex];
    cnVec3 linear = isAngular ? cnVec3_zero : direction;
    double j[2][6];
    cnPutVec(j[0], linear);
    cnPutVec(j[0] + 3, isAngular ? direction : cnCross(spot->arm1, direction));
    cnPutVec(j[1], cnNeg(linear));
    cnPutVec(j[1] + 3, cnNeg(isAngular ? direction : cnCross(spot->arm2, direction)));
    row->slot = -1;
    row->fixedSpeed = 0.0;
    const int bodyRows[2] = {pair->body1, pair->body2};
    for (int side = 0; side < 2; ++side) {
        int body = bodyRows[side];
        if (body >= 0 && !cnDirect_IsDynamic(island, body)) {
            row->fixedSpeed += cnDirect_FixedSpeed(island, body, j[side]);
        } else if (body >= 0) {
            int local = island->localOf[solve->solver.indexOfRow[body]];
            int place = node->block.bodies[0] == local ? 0 : 1;
            memcpy(cnDirect_NumbersAt(island, node, place, rowIndex), j[side], sizeof j[side]);
        }
    }
}

// Overlap that a row is not to see, m, because nothing has pressed it in: while the position correction is
// limited, what the last multiplier does not explain; and where there is more of it than of what is
// explained, the position correction becomes limited. Multipliers hold the damper's force, too, and to count
// that as stored would make energy where a step is short beside τ: those of pairs that are not calm explain
// their springs' part of it, or h/τ, and what the point has sunk in since at the `speed` with which the last
// step ended, so that what bears a load comes to rest on its springs, however soft they are. The rest is for
// position_correction.c.
static double ExcessOf(const cnSolve* solve, const cnSolverContact* contact, cnContactRows* rows, int point,
                       double depth, double speed) {
    const cnPair* pair = rows->pair;
    if (!(depth > 0.0) || rows->isFoundation) {
        return 0.0;
    }
    double stored = cnContactRows_GetStrain(rows, pair->impulse[point], solve->substep);
    double excess = depth - 2.0 * stored;
    if (excess > 0.0 && cnContactRows_MayBeLimited(rows)) {
        double inverseMass = cnPair_GetInverseEffectiveMass(rows->pair, solve, contact, point);
        if (cnContactRows_IsFast(rows, inverseMass, excess)) {
            cnPair_LimitCorrection(rows->pair, CN_PUSH_LIMIT);
        }
    }
    if ((pair->flags & cn_pairLimitedCorrection) == 0) {
        return 0.0;
    }
    bool isCalm = (pair->flags & cn_pairCalm) != 0;
    if (isCalm || !(rows->damping > solve->h)) {
        return cnMax(0.0, depth - stored);
    }
    uint32_t parts = (pair->flags & CN_PAIR_SPRING_BITS) / (uint32_t)cn_pairSpringPart;
    double springs = (double)parts / CN_PAIR_SPRING_PARTS;
    double sunk = springs > 0.0 ? cnMax(-solve->h * speed, 0.0) : 0.0;
    return cnMax(0.0, depth - cnMax(solve->h / rows->damping, springs) * stored - sunk);
}

// Gaps of contacts move on with the bodies over the sub-steps: their rows keep the gap in `violation`.
static void MakeNormalRows(cnDirectIsland* island, const cnDirectNode* node, cnRowTerms* terms) {
    CN_ASSERT(node->kind == cn_nodeContactNormals);
    const cnSolve* solve = island->solve;
    cnContactRows* source = cnDirect_ContactOf(island, node);
    cnRowSoftness softness = cnContactRows_GetSoftness(source, island->substep.h);
    for (int i = 0; i < source->pointCount; ++i) {
        cnDirectRow* row = &island->rows[node->block.firstRow + i];
        Spot spot = {cnContactRows_GetArm1(source, i), cnContactRows_GetArm2(source, i)};
        StoreContactRow(island, node, node->block.firstRow + i, &spot, source->normal, false);
        row->kind = cn_rowOneSided;
        island->traits |= cn_islandHasLimits;
        terms[i].gamma = softness.gamma;
        row->sigma = softness.sigma;
        island->system.lower[node->block.firstRow + i] = -source->adhesion * island->substep.h;
        island->system.upper[node->block.firstRow + i] = INFINITY;
        if (island->substep.index == 0) {
            double speed = cnPair_GetNormalSpeed(source->pair, solve->bodies, i);
            row->violation = cnContactRows_GetSeparation(source, i, speed);
            row->excess = ExcessOf(solve, &solve->contacts[node->source], source, i, -row->violation, speed);
        }
        // beside what bears the load, however soft it is
        double stored = cnContactRows_GetStrain(source, source->pair->impulse[i], solve->substep);
        terms[i].push = softness.bounce * stored + cnContactRows_GetCorrectionSpeed(source);
    }
}

// Along the tangents, about the normal and, of what resists rolling, about tangents; at the friction centre.
static double SigmaOf(const cnContactRows* rows, int row, double h) {
    if (row >= cn_frictionTorsional) {
        return row == cn_frictionTorsional ? cnFriction_GetSpinSigma(&rows->friction, h) : 0.0;
    }
    return cnFriction_GetSigma(&rows->friction, row, rows->pointCount, h);
}

static void MakeFrictionRows(cnDirectIsland* island, cnDirectNode* node, cnRowTerms* terms) {
    CN_ASSERT(node->kind == cn_nodeFriction);
    const cnContactRows* source = cnDirect_ContactOf(island, node);
    CN_ASSERT(node->block.rowCount == cnFriction_CountRows(&source->friction));
    Spot centre = {source->centreArm1, source->centreArm2};
    node->friction.sliding = node->friction.rolling = (cnDirectCone){.cosine = 1.0};
    cnDirect_AddTrait(island, cn_islandHasExactCones, source->friction.exact);
    cnVec3 surface = cnAdd(source->surfaceVelocity,
                           cnContactRows_GetTurning(source, island->solve->bodies, island->substep.h));
    const cnVec3 directions[cn_frictionMostRows] = {source->sliding.axis[0], source->sliding.axis[1],
                                                    source->normal, source->rolling.axis[0],
                                                    source->rolling.axis[1]}; // the last where it rolls
    for (int i = 0; i < node->block.rowCount; ++i) {
        bool isAngular = i >= cn_frictionTorsional;
        cnDirectRow* row = &island->rows[node->block.firstRow + i];
        StoreContactRow(island, node, node->block.firstRow + i, &centre, directions[i], isAngular);
        row->kind = cn_rowVelocity;
        terms[i].target = 0.0;
        row->sigma = SigmaOf(source, i, island->substep.h);
        row->fixedSpeed += isAngular ? 0.0 : cnDot(directions[i], surface);
    }
}

void cnDirect_MakeContactRows(cnDirectIsland* island, cnDirectNode* node,
                              cnRowTerms terms[cn_mostJointRows]) {
    if (node->kind == cn_nodeFriction) {
        MakeFrictionRows(island, node, terms);
    } else {
        MakeNormalRows(island, node, terms);
    }
}

void cnDirect_StartFriction(cnDirectIsland* island, cnDirectNode* node) {
    CN_ASSERT(node->kind == cn_nodeFriction);
    const cnSolve* solve = island->solve;
    const cnContactRows* source = cnDirect_ContactOf(island, node);
    const cnPair* pair = source->pair;
    double share = solve->settings.disableWarmStart ? 0.0 : solve->h / solve->substep;
    double load = 0.0, moment = 0.0;
    for (int i = 0; i < source->pointCount; ++i) {
        double pressed = share * (pair->impulse[i] + source->adhesion * solve->substep);
        load += pressed;
        moment += pressed * source->points[i].radius;
    }
    node->friction.load = load;
    node->friction.lever = load > 0.0 ? moment / load : 0.0;
    double sliding[2], rolling[2] = {0.0, 0.0};
    cnFrictionAxes_Split(&source->sliding, cnToD(pair->friction), sliding);
    if (source->friction.rolls) {
        cnFrictionAxes_Split(&source->rolling, cnToD(pair->rollingFriction), rolling);
    }
    const double warm[cn_frictionMostRows] = {sliding[0], sliding[1], pair->torsionalFriction, rolling[0],
                                              rolling[1]};
    for (int i = 0; i < node->block.rowCount; ++i) {
        island->rows[node->block.firstRow + i].warm = share * warm[i];
    }
}

// ---- what contacts keep -----------------------------------------------------------------------------------

static void StoreNormals(const cnDirectIsland* island, const cnDirectNode* node) {
    CN_ASSERT(node->kind == cn_nodeContactNormals);
    const cnSolve* solve = island->solve;
    const cnContactRows* source = cnDirect_ContactOf(island, node);
    cnPair* pair = source->pair;
    double perStep = 1.0 / cnDirect_GetForceTime(island, node), share = solve->substep / solve->h, sum = 0.0;
    const cnDirectRow* rows = &island->rows[node->block.firstRow];
    for (int i = 0; i < source->pointCount; ++i) {
        pair->impulse[i] = (float)(rows[i].sum * share);
        pair->normalForce[i] = (float)(rows[i].sum * perStep);
        sum += rows[i].sum;
    }
    bool rests = true, isCalm = true;
    double springs = 1.0; // their part of the least loaded point
    for (int i = 0; i < source->pointCount; ++i) {
        double speed =
            cnDirect_RowSpeed(island, node->block.firstRow + i, island->system.solution) + rows[i].fixedSpeed;
        double before =
            cnDirect_RowSpeed(island, node->block.firstRow + i, island->start) + rows[i].fixedSpeed;
        double stored =
            cnMin(rows[i].sum * perStep, rows[i].lambda * island->substep.perStep) / source->stiffness;
        rests = rests && fabs(speed) < CN_REST_SPEED;
        double damped = source->damping * cnMax(fabs(speed), fabs(before));
        isCalm = isCalm && damped < CN_CALM_SHARE * stored + CN_CALM_OVERLAP;
        springs = cnMin(springs, damped < stored ? 1.0 - damped / stored : 0.0);
    }
    pair->flags &= ~(CN_PAIR_SPRING_BITS | (uint32_t)cn_pairCalm);
    pair->flags |= (uint32_t)(springs * CN_PAIR_SPRING_PARTS) * (uint32_t)cn_pairSpringPart;
    pair->flags |= isCalm ? (uint32_t)cn_pairCalm : 0;
    pair->flags &= rests && !island->pushed[node - island->nodes] ? ~(uint32_t)cn_pairLimitedCorrection : ~0u;
    double mean = sum * share / source->pointCount;
    pair->integralImpulse += (float)(solve->h / CN_INTEGRAL_TIME * (mean - pair->integralImpulse));
}

static void StoreFriction(const cnDirectIsland* island, const cnDirectNode* node) {
    CN_ASSERT(node->kind == cn_nodeFriction);
    const cnSolve* solve = island->solve;
    const cnContactRows* source = cnDirect_ContactOf(island, node);
    cnPair* pair = source->pair;
    double perStep = 1.0 / cnDirect_GetForceTime(island, node), share = solve->substep / solve->h;
    const cnDirectRow* t = &island->rows[node->block.firstRow];
    cnVec3 friction = cnFrictionAxes_Join(&source->sliding, t[0].sum, t[1].sum);
    pair->friction = cnToF(cnScale(share, friction));
    pair->torsionalFriction = (float)(t[cn_frictionTorsional].sum * share);
    pair->frictionForce = cnToF(cnScale(perStep, friction));
    if (source->friction.rolls) {
        const cnDirectRow* r = &t[cn_frictionRolling];
        pair->rollingFriction =
            cnToF(cnScale(share, cnFrictionAxes_Join(&source->rolling, r[0].sum, r[1].sum)));
    }
    double load = 0.0, moment = 0.0;
    for (int i = 0; i < source->pointCount; ++i) {
        const cnDirectRow* normal = &island->rows[island->nodes[node->friction.normals].block.firstRow + i];
        double pressed = normal->sum + source->adhesion * solve->h;
        load += pressed;
        moment += pressed * source->points[i].radius;
    }
    const double lambda[3] = {t[0].sum, t[1].sum, t[cn_frictionTorsional].sum};
    cnPair_NoteSliding(pair, &source->friction, source->isArea, load, moment, solve->h, lambda);
}

void cnDirect_StoreContact(const cnDirectIsland* island, const cnDirectNode* node) {
    if (node->kind == cn_nodeFriction) {
        StoreFriction(island, node);
    } else {
        StoreNormals(island, node);
    }
}
