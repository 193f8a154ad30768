#include "solve/direct/nodes/contact_nodes.h"

#include "base/report/assert.h"

#include <string.h>

// Slower than this at every point a contact counts as resting, m/s.
#define CN_REST_SPEED 0.01
// A pair is calm where the dampers' part of its multipliers is less than this part of the springs', or this overlap, m.
#define CN_CALM_SHARE 0.25
#define CN_CALM_OVERLAP 1e-8

// ---- rows -----------------------------------------------------------------------------------------------------------

// Arms of a contact point, or of the middle of some.
typedef struct Spot {
    cnVec3 arm1, arm2;
} Spot;

// A row of a contact along (or, where `isTorsional`, about) a direction.
static void StoreContactRow(cnDirectIsland* island, const cnDirectNode* node, int rowIndex, const Spot* spot,
                            cnVec3 direction, bool isTorsional) {
    CN_ASSERT(!cnNode_IsJoint(node) && node->source < island->solve->contactCount);
    CN_ASSERT(rowIndex >= node->block.firstRow && rowIndex < cnRowBlock_End(&node->block));
    const cnSolve* solve = island->solve;
    const cnPair* pair = &solve->pairs->pairs.data[solve->contacts[node->source].pair];
    cnDirectRow* row = &island->rows[rowIndex];
    cnVec3 linear = isTorsional ? cnVec3_zero : direction;
    double j[2][6];
    cnPutVec(j[0], linear);
    cnPutVec(j[0] + 3, isTorsional ? direction : cnCross(spot->arm1, direction));
    cnPutVec(j[1], cnNeg(linear));
    cnPutVec(j[1] + 3, cnNeg(isTorsional ? direction : cnCross(spot->arm2, direction)));
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

// Overlap that a row is not to see, m, because nothing has pressed it in: while the position correction is limited, what the last multiplier does not
// explain; and where there is more of it than of what is explained, the position correction becomes limited (cnRowPush). Multipliers hold the
// damper's force, too, and to count that as stored would make energy where a step is short beside τ: those of pairs that are not calm
// explain h/τ of what their spring would. The rest is for position_correction.c.
static double ExcessOf(const cnDirectIsland* island, cnPair* pair, int point, int r,
                       const cnPairProperties* material) {
    CN_ASSERT(point >= 0 && point < pair->manifold.pointCount);
    const cnSolve* solve = island->solve;
    double depth = -island->rows[r].violation;
    if (!(depth > 0.0)) {
        return 0.0;
    }
    double stored = pair->impulse[point] / (material->youngsModulus * solve->substep);
    if ((pair->flags & cn_pairLimitedCorrection) == 0) {
        if (!(depth > 2.0 * stored)) {
            return 0.0;
        }
        const cnSolverContact* contact = &solve->contacts[cnDirect_NodeOf(island, r)->source];
        cnVec3 normal = cnToD(pair->manifold.normal);
        cnVec3 j1 = cnCross(cnToD(pair->arm1[point]), normal), j2 = cnCross(cnToD(pair->arm2[point]), normal);
        double effect = cnRowEffect(&solve->solver.inverse[contact->body1],
                                    &solve->solver.inverse[contact->body2], normal, j1, j2);
        if (depth - 2.0 * stored < CN_EXCESS_SPEED / sqrt(effect * material->youngsModulus)) {
            return 0.0;
        }
        pair->flags |= cn_pairLimitedCorrection;
        pair->correctionLimit = CN_PUSH_LIMIT;
    }
    bool isCalm = (pair->flags & cn_pairCalm) != 0;
    double share = !isCalm && material->damping > solve->h ? solve->h / material->damping : 1.0;
    return cnMax(0.0, depth - share * stored);
}

// Gaps of contacts move on with the bodies over the sub-steps: their rows keep the gap in `violation`.
static void MakeNormalRows(cnDirectIsland* island, const cnDirectNode* node, cnRowTerms* terms) {
    CN_ASSERT(node->kind == cn_nodeContactNormals);
    const cnSolve* solve = island->solve;
    cnPair* pair = &solve->pairs->pairs.data[solve->contacts[node->source].pair];
    cnPairProperties material = cnResolvePair(solve->materials, solve->proxies->material[pair->proxy1],
                                              solve->proxies->material[pair->proxy2]);
    cnVec3 normal = cnToD(pair->manifold.normal);
    for (int i = 0; i < node->block.rowCount; ++i) {
        cnDirectRow* row = &island->rows[node->block.firstRow + i];
        Spot spot = {cnToD(pair->arm1[i]), cnToD(pair->arm2[i])};
        StoreContactRow(island, node, node->block.firstRow + i, &spot, normal, false);
        row->kind = cn_rowOneSided;
        island->traits |= cn_islandHasLimits;
        terms[i].gamma = cnSpookGamma(material.damping, island->substep.h);
        row->sigma = cnSpookSigma(1.0 / material.youngsModulus, terms[i].gamma, island->substep.h);
        island->system.lower[node->block.firstRow + i] = 0.0;
        island->system.upper[node->block.firstRow + i] = INFINITY;
        if (island->substep.index == 0) {
            cnVec3 u = cnRelativeVelocity(solve->bodies, pair->body1, pair->body2, spot.arm1, spot.arm2);
            row->violation = cnRowSeparation(pair->manifold.points[i].depth, cnDot(normal, u), &material);
            row->excess = ExcessOf(island, pair, i, node->block.firstRow + i, &material);
        }
        terms[i].push = (pair->flags & cn_pairLimitedCorrection) != 0 ? pair->correctionLimit : CN_PUSH_LIMIT;
    }
}

// Two tangents and the torsional row, at the middle of the points.
static void MakeFrictionRows(cnDirectIsland* island, cnDirectNode* node, cnRowTerms* terms) {
    CN_ASSERT(node->kind == cn_nodeFriction && node->block.rowCount == 3 && node->friction.points > 0);
    const cnSolve* solve = island->solve;
    const cnPair* pair = &solve->pairs->pairs.data[solve->contacts[node->source].pair];
    cnPairProperties material = cnResolvePair(solve->materials, solve->proxies->material[pair->proxy1],
                                              solve->proxies->material[pair->proxy2]);
    cnVec3 normal = cnToD(pair->manifold.normal), surface = cnSurfaceVelocity(solve, pair);
    Spot centre = {cnVec3_zero, cnVec3_zero};
    for (int i = 0; i < node->friction.points; ++i) {
        centre.arm1 = cnMulAdd(centre.arm1, 1.0 / node->friction.points, cnToD(pair->arm1[i]));
        centre.arm2 = cnMulAdd(centre.arm2, 1.0 / node->friction.points, cnToD(pair->arm2[i]));
    }
    for (int i = 0; i < node->friction.points; ++i) {
        node->friction.radius[i] = cnLength(pair->body1 >= 0 ? cnSub(cnToD(pair->arm1[i]), centre.arm1)
                                                             : cnSub(cnToD(pair->arm2[i]), centre.arm2));
    }
    cnMakeTangents(normal, &node->friction.tangent1, &node->friction.tangent2);
    node->friction.coefficient = material.frictionModel == cn_frictionNone ? 0.0 : material.friction[0];
    node->friction.exact = material.exactCone;
    node->friction.slides = false;
    node->friction.cosine = 1.0;
    node->friction.sine = 0.0;
    cnDirect_AddTrait(island, cn_islandHasExactCones, node->friction.exact);
    const cnVec3 directions[3] = {node->friction.tangent1, node->friction.tangent2, normal};
    for (int i = 0; i < 3; ++i) {
        cnDirectRow* row = &island->rows[node->block.firstRow + i];
        StoreContactRow(island, node, node->block.firstRow + i, &centre, directions[i], i == 2);
        row->kind = cn_rowVelocity;
        terms[i].target = 0.0;
        row->sigma =
            i == 2 ? 0.0 : material.surfaceViscosity[0] / (node->friction.points * island->substep.h);
        row->fixedSpeed += i == 2 ? 0.0 : cnDot(directions[i], surface);
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
    const cnPair* pair = &solve->pairs->pairs.data[solve->contacts[node->source].pair];
    cnPairProperties material = cnResolvePair(solve->materials, solve->proxies->material[pair->proxy1],
                                              solve->proxies->material[pair->proxy2]);
    double share = solve->settings.disableWarmStart ? 0.0 : solve->h / solve->substep, load = 0.0;
    for (int i = 0; i < node->friction.points; ++i) {
        load += share * pair->impulse[i];
    }
    node->friction.bound = material.friction[0] * load;
    cnVec3 t1, t2, friction = cnToD(pair->friction);
    cnMakeTangents(cnToD(pair->manifold.normal), &t1, &t2);
    cnDirectRow* rows = &island->rows[node->block.firstRow];
    rows[0].warm = share * cnDot(friction, t1);
    rows[1].warm = share * cnDot(friction, t2);
    rows[2].warm = share * pair->twist;
}

// ---- what contacts keep ---------------------------------------------------------------------------------------------

static void StoreNormals(const cnDirectIsland* island, const cnDirectNode* node) {
    CN_ASSERT(node->kind == cn_nodeContactNormals);
    const cnSolve* solve = island->solve;
    cnPair* pair = &solve->pairs->pairs.data[solve->contacts[node->source].pair];
    double perStep = 1.0 / solve->h, share = solve->substep / solve->h, sum = 0.0;
    const cnDirectRow* rows = &island->rows[node->block.firstRow];
    for (int i = 0; i < node->block.rowCount; ++i) {
        pair->impulse[i] = (float)(rows[i].sum * share);
        pair->normalForce[i] = (float)(rows[i].sum * perStep);
        sum += rows[i].sum;
    }
    bool rests = true, isCalm = true;
    cnPairProperties material = cnResolvePair(solve->materials, solve->proxies->material[pair->proxy1],
                                              solve->proxies->material[pair->proxy2]);
    for (int i = 0; i < node->block.rowCount; ++i) {
        double speed =
            cnDirect_RowSpeed(island, node->block.firstRow + i, island->system.solution) + rows[i].fixedSpeed;
        double before =
            cnDirect_RowSpeed(island, node->block.firstRow + i, island->start) + rows[i].fixedSpeed;
        double stored =
            cnMin(rows[i].sum * perStep, rows[i].lambda * island->substep.perStep) / material.youngsModulus;
        rests = rests && fabs(speed) < CN_REST_SPEED;
        isCalm = isCalm && material.damping * cnMax(fabs(speed), fabs(before)) <
                               CN_CALM_SHARE * stored + CN_CALM_OVERLAP;
    }
    pair->flags = (pair->flags & ~(uint32_t)cn_pairCalm) | (isCalm ? (uint32_t)cn_pairCalm : 0);
    pair->flags &= rests && !island->pushed[node - island->nodes] ? ~(uint32_t)cn_pairLimitedCorrection : ~0u;
    double mean = sum * share / node->block.rowCount;
    pair->integralImpulse += (float)(solve->h / 2.0 * (mean - pair->integralImpulse));
}

static void StoreFriction(const cnDirectIsland* island, const cnDirectNode* node) {
    CN_ASSERT(node->kind == cn_nodeFriction);
    const cnSolve* solve = island->solve;
    cnPair* pair = &solve->pairs->pairs.data[solve->contacts[node->source].pair];
    double perStep = 1.0 / solve->h, share = solve->substep / solve->h;
    const cnDirectRow* t = &island->rows[node->block.firstRow];
    cnVec3 friction =
        cnAdd(cnScale(t[0].sum, node->friction.tangent1), cnScale(t[1].sum, node->friction.tangent2));
    pair->friction = cnToF(cnScale(share, friction));
    pair->twist = (float)(t[2].sum * share);
    pair->frictionForce = cnToF(cnScale(perStep, friction));
}

void cnDirect_StoreContact(const cnDirectIsland* island, const cnDirectNode* node) {
    if (node->kind == cn_nodeFriction) {
        StoreFriction(island, node);
    } else {
        StoreNormals(island, node);
    }
}
