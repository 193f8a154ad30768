// Contacts of islands that are solved directly: their rows, their friction, and what they keep for the next step.
#include "base/report/assert.h"
#include "solve/contact_rows.h"
#include "solve/direct/direct_island.h"

#include <string.h>

// Friction within the factorisation: rounds of bounds from normal forces, and the change of a bound that ends them.
#define CN_FRICTION_ROUNDS 8
#define CN_FRICTION_TOLERANCE 1e-2
// After so many pivots in a step the rounds end.
#define CN_MANY_PIVOTS 40
// With exact cones: rounds, and pivots that end them.
#define CN_EXACT_ROUNDS 40
#define CN_EXACT_PIVOTS 300
// Friction of the split solver.
#define CN_FRICTION_SWEEPS 7
// A pair is calm where the dampers' part of its multipliers is less than this part of the springs', or this overlap, m.
#define CN_CALM_SHARE 0.25
#define CN_CALM_OVERLAP 1e-8

// ---- rows -----------------------------------------------------------------------------------------------------------

// Arms of a contact point, or of the middle of some.
typedef struct Spot {
    cnVec3 arm1, arm2;
} Spot;

// A row of a contact along (or, where it is torsional, about) a direction.
static void StoreContactRow(cnDirectIsland* island, const cnDirectNode* node, int rowIndex, const Spot* spot,
                            cnVec3 direction, bool isTorsional) {
    CN_ASSERT(node->contact >= 0 && node->contact < island->solve->contactCount);
    CN_ASSERT(rowIndex >= node->firstRow && rowIndex < node->firstRow + node->rowCount);
    const cnSolve* solve = island->solve;
    const cnPair* pair = &solve->pairs->pairs.data[solve->contacts[node->contact].pair];
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
        if (body >= 0 && !cnDirect_Yields(island, body)) {
            row->fixedSpeed += cnDirect_FixedSpeed(island, body, j[side]);
        } else if (body >= 0) {
            int local = island->localOf[solve->solver.indexOfRow[body]];
            int place = node->bodies[0] == local ? 0 : 1;
            memcpy(cnDirect_NumbersAt(island, node, place, rowIndex), j[side], sizeof j[side]);
        }
    }
}

// Overlap that a row is not to see, m, because nothing has pressed it in: while the position correction is limited, what the last multiplier does not
// explain; and where there is more of it than of what is explained, the position correction becomes limited. Multipliers hold the
// damper's force, too, and to count that as stored would make energy where a step is short beside τ: those of pairs that are not calm
// explain h/τ of what their spring would. The rest is for position_correction.c.
static double ExcessOf(const cnSolve* solve, const cnContactRows* rows, int point, double depth) {
    const cnPair* pair = rows->pair;
    if (!(depth > 0.0)) {
        return 0.0;
    }
    double stored = cnContactRows_GetStrain(rows, pair->impulse[point], solve->substep);
    cnContactRows_LimitCorrection(rows, point, depth - 2.0 * stored);
    if ((pair->flags & cn_pairLimitedCorrection) == 0) {
        return 0.0;
    }
    bool isCalm = (pair->flags & cn_pairCalm) != 0;
    double share = !isCalm && rows->damping > solve->h ? solve->h / rows->damping : 1.0;
    return cnMax(0.0, depth - share * stored);
}

// Gaps of contacts move on with the bodies over the sub-steps: their rows keep the gap in `violation`.
static void MakeNormalRows(cnDirectIsland* island, const cnDirectNode* node, cnRowTerms* terms) {
    CN_ASSERT(node->normals < 0 && node->points == node->rowCount);
    const cnSolve* solve = island->solve;
    const cnContactRows* source = cnSolve_GetRows(solve, node->contact);
    cnRowSoftness softness = cnContactRows_GetSoftness(source, island->h);
    for (int i = 0; i < node->points; ++i) {
        const cnContactPoint* point = &source->points[i];
        cnDirectRow* row = &island->rows[node->firstRow + i];
        Spot spot = {point->arm1, point->arm2};
        StoreContactRow(island, node, node->firstRow + i, &spot, source->normal, false);
        row->kind = cn_rowOneSided;
        island->hasLimits = true;
        terms[i].gamma = softness.gamma;
        row->sigma = softness.sigma;
        island->lower[node->firstRow + i] = 0.0;
        island->upper[node->firstRow + i] = INFINITY;
        if (island->substep == 0) {
            double speed = cnContactRows_GetNormalSpeed(source, solve->bodies, i);
            row->violation = cnContactRows_GetSeparation(source, i, speed);
            row->excess = ExcessOf(solve, source, i, -row->violation);
        }
        terms[i].push = cnContactRows_GetCorrectionSpeed(source);
    }
}

// Two tangential rows and a torsional one, at the friction centre.
static void MakeFrictionRows(cnDirectIsland* island, cnDirectNode* node, cnRowTerms* terms) {
    CN_ASSERT(node->normals >= 0 && node->rowCount == CN_FRICTION_ROWS && node->points > 0);
    const cnContactRows* source = cnSolve_GetRows(island->solve, node->contact);
    CN_ASSERT(cnFriction_IsAmong(&source->friction, cn_frictionCones));
    Spot centre = {source->centreArm1, source->centreArm2};
    node->slides = false;
    node->cosine = 1.0;
    node->sine = 0.0;
    island->hasExactCones = island->hasExactCones || source->friction.exact;
    double sigma = cnFriction_GetSigma(&source->friction, node->points, island->h);
    cnVec3 surface = cnContactRows_GetSurfaceVelocity(source, island->solve);
    const cnVec3 directions[CN_FRICTION_ROWS] = {source->tangent1, source->tangent2, source->normal};
    for (int i = 0; i < CN_FRICTION_ROWS; ++i) {
        bool isTorsional = i == 2;
        cnDirectRow* row = &island->rows[node->firstRow + i];
        StoreContactRow(island, node, node->firstRow + i, &centre, directions[i], isTorsional);
        row->kind = cn_rowVelocity;
        terms[i].target = 0.0;
        row->sigma = isTorsional ? 0.0 : sigma;
        row->fixedSpeed += isTorsional ? 0.0 : cnDot(directions[i], surface);
    }
}

void cnDirect_MakeContactRows(cnDirectIsland* island, cnDirectNode* node,
                              cnRowTerms terms[cn_mostJointRows]) {
    if (node->normals >= 0) {
        MakeFrictionRows(island, node, terms);
    } else {
        MakeNormalRows(island, node, terms);
    }
}

// Starts with the bounds of the last step's forces, and in the split solver with these forces themselves.
void cnDirect_StartFriction(cnDirectIsland* island, cnDirectNode* node) {
    CN_ASSERT(node->normals >= 0 && node->contact >= 0);
    const cnSolve* solve = island->solve;
    const cnContactRows* source = cnSolve_GetRows(solve, node->contact);
    const cnPair* pair = source->pair;
    double share = solve->settings.disableWarmStart ? 0.0 : solve->h / solve->substep, load = 0.0;
    for (int i = 0; i < node->points; ++i) {
        load += share * pair->impulse[i];
    }
    node->bound = cnFriction_GetBounds(&source->friction, load, 0.0).tangential;
    cnVec3 friction = cnToD(pair->friction);
    cnDirectRow* rows = &island->rows[node->firstRow];
    rows[0].warm = share * cnDot(friction, source->tangent1);
    rows[1].warm = share * cnDot(friction, source->tangent2);
    rows[2].warm = share * pair->torsionalFriction;
}

// ---- friction -------------------------------------------------------------------------------------------------------

// Friction's bounds from the normal forces, in rounds. A round's bound makes the next one's normal force, and where bodies wedge the
// more friction the less force: the plain iteration then swings between two wrong answers indefinitely. So each contact takes the step of
// a secant, with the slope that it saw in its last two rounds: ω = 1/(1 − slope), between 0.1 and 1.
static double NextBound(cnDirectNode* node, double wanted) {
    CN_ASSERT(node->rounds >= 0);
    double share = 1.0;
    double change = node->bound - node->boundBefore;
    if (node->rounds > 0 && change != 0.0) {
        double slope = (wanted - node->wantedBefore) / change;
        share = slope < 0.0 ? cnMax(0.1, 1.0 / (1.0 - slope)) : 1.0;
    }
    node->boundBefore = node->bound;
    node->wantedBefore = wanted;
    node->bound += share * (wanted - node->bound);
    node->rounds += 1;
    return node->bound;
}

// Bounds of a cone's rows: along the direction of the last solution where that was outside.
static void BoundFriction(cnDirectIsland* island, const cnDirectNode* node, const double* lambda,
                          double bound) {
    CN_ASSERT(node->normals >= 0);
    int t = node->firstRow;
    double size = lambda != NULL ? sqrt(lambda[t] * lambda[t] + lambda[t + 1] * lambda[t + 1]) : 0.0;
    for (int i = 0; i < 2; ++i) {
        bool isOutside = lambda != NULL && size > bound;
        cnDirect_SetBound(island, t + i, isOutside ? bound * fabs(lambda[t + i]) / size : bound);
    }
    cnDirect_SetBound(island, t + 2, bound * node->lever);
}

// The bound of a friction node's tangential multipliers, N s, and the lever of its torsional one.
static double FrictionLimit(const cnDirectIsland* island, cnDirectNode* node, const double* lambda) {
    CN_ASSERT(node->normals >= 0 && node->normals < island->nodeCount);
    double load = 0.0, moment = 0.0;
    const cnDirectNode* normals = &island->nodes[node->normals];
    const cnContactRows* source = cnSolve_GetRows(island->solve, node->contact);
    for (int i = 0; i < normals->points; ++i) {
        double normal = cnMax(0.0, lambda[normals->firstRow + i]);
        load += normal;
        moment += normal * source->points[i].radius;
    }
    node->lever = load > 0.0 ? moment / load : 0.0;
    return cnFriction_GetBounds(&source->friction, load, moment).tangential;
}

// True when a bound is off by more than the tolerance.
static bool UpdateFriction(cnDirectIsland* island, const double* lambda) {
    bool isOff = false;
    for (int n = 0; n < island->nodeCount; ++n) {
        cnDirectNode* node = &island->nodes[n];
        if (node->normals < 0) {
            continue;
        }
        int t = node->firstRow;
        double wanted = FrictionLimit(island, node, lambda);
        if (cnDirect_HasExactCone(island, node)) {
            isOff |= cnDirect_UpdateExactCone(island, node, wanted, NextBound(node, wanted));
            continue;
        }
        double size = sqrt(lambda[t] * lambda[t] + lambda[t + 1] * lambda[t + 1]);
        // a contact that sticks well inside its cone needs no exact bound
        bool inside = size < 0.99 * cnMin(wanted, node->bound);
        isOff |= !inside && fabs(wanted - node->bound) > CN_FRICTION_TOLERANCE * cnMax(wanted, node->bound);
        isOff |= size > wanted * (1.0 + CN_FRICTION_TOLERANCE) && size > 0.0;
        BoundFriction(island, node, lambda, NextBound(node, wanted));
    }
    return isOff;
}

// Friction within the factorisation: bounds in rounds.
static void SolveDirectly(cnDirectIsland* island) {
    for (int n = 0; n < island->nodeCount; ++n) {
        cnDirectNode* node = &island->nodes[n];
        if (node->normals >= 0) {
            node->rounds = 0;
            BoundFriction(island, node, NULL, node->bound);
        }
    }
    int rounds = island->hasExactCones ? CN_EXACT_ROUNDS : CN_FRICTION_ROUNDS;
    int pivots = island->hasExactCones ? CN_EXACT_PIVOTS : CN_MANY_PIVOTS;
    for (int round = 0; round < rounds; ++round) {
        cnDirect_SolveBounded(island);
        if (island->overBudget || !island->hasContacts ||
            !UpdateFriction(island, island->solution + 6 * island->bodyCount)) {
            return;
        }
        bool isLast = island->pivots > pivots;
        if (isLast && !island->hasExactCones) {
            return;
        }
        if (island->hasExactCones) { // rows have turned
            cnSparseValues values = {island->mass, island->jacobian, island->sigma};
            cnSparseFactor_SetValues(island->factor, &values);
        }
        if (isLast) {
            break;
        }
    }
    cnDirect_SolveBounded(island);
}

void cnDirect_PushRow(const cnDirectIsland* island, int row, double impulse, double* velocities) {
    CN_ASSERT(row >= 0 && row < island->rowCount);
    const cnDirectNode* node = &island->nodes[island->rows[row].node];
    for (int place = 0; place < node->bodyCount; ++place) {
        const double* j = cnDirect_NumbersAt(island, node, place, row);
        const cnInverseMass* inverse = &island->inverses[node->bodies[place]];
        double* v = velocities + 6 * node->bodies[place];
        cnPutVec(v, cnMulAdd(cnGetVec(v), impulse, cnMulMat(inverse->linear, cnGetVec(j))));
        cnPutVec(v + 3, cnMulAdd(cnGetVec(v + 3), impulse, cnMulMat(inverse->angular, cnGetVec(j + 3))));
    }
}

void cnDirect_LoadImpulse(cnDirectIsland* island, int row, double impulse) {
    CN_ASSERT(row >= 0 && row < island->rowCount);
    const cnDirectNode* node = &island->nodes[island->rows[row].node];
    for (int place = 0; place < node->bodyCount; ++place) {
        const double* j = cnDirect_NumbersAt(island, node, place, row);
        double* p = island->right + 6 * node->bodies[place];
        for (int k = 0; k < 6; ++k) {
            p[k] += impulse * j[k];
        }
    }
}

// One Gauss–Seidel step of a friction node: tangents on the cone, then torsional friction.
static void SweepFriction(cnDirectIsland* island, cnDirectNode* node, double* velocities) {
    CN_ASSERT(island->split && node->normals >= 0);
    cnDirectRow* t = &island->rows[node->firstRow];
    double* sigma = &island->sigma[node->firstRow];
    const double* effect = &island->effect[node->firstRow];
    double largest = cnMax(effect[0] + sigma[0], effect[1] + sigma[1]);
    double next[3];
    for (int i = 0; i < 3; ++i) {
        double slip = cnDirect_RowSpeed(island, node->firstRow + i, velocities) + t[i].fixedSpeed;
        next[i] = t[i].lambda - (slip + sigma[i] * t[i].lambda) / (i < 2 ? largest : effect[2] + sigma[2]);
        if (i == 1) {
            double scale = cnFriction_GetScale(next[0], next[1], node->bound);
            for (int k = 0; k < 2; ++k) {
                cnDirect_PushRow(island, node->firstRow + k, scale * next[k] - t[k].lambda, velocities);
                t[k].lambda = scale * next[k];
            }
        }
    }
    double torsional = cnClamp(next[2], -node->bound * node->lever, node->bound * node->lever);
    cnDirect_PushRow(island, node->firstRow + 2, torsional - t[2].lambda, velocities);
    t[2].lambda = torsional;
}

// Joints take part in the sweeps, or they would eat the friction that the sweeps find.
static void SweepJoint(cnDirectIsland* island, const cnDirectNode* node, double* velocities) {
    CN_ASSERT(node->constraint >= 0);
    int unknowns = 6 * island->bodyCount;
    for (int r = node->firstRow; r < node->firstRow + node->rowCount; ++r) {
        double* lambda = &island->swept[r];
        double w = cnDirect_RowSpeed(island, r, velocities) + island->sigma[r] * *lambda -
                   island->right[unknowns + r];
        double next =
            cnClamp(*lambda - w / (island->effect[r] + island->sigma[r]), island->lower[r], island->upper[r]);
        cnDirect_PushRow(island, r, next - *lambda, velocities);
        *lambda = next;
    }
}

// Split: normals and joints directly with the friction that is known, friction and joints by sweeps with these normal forces, and
// normals and joints directly again.
static void SolveSplit(cnDirectIsland* island) {
    CN_ASSERT(island->split);
    int unknowns = 6 * island->bodyCount;
    double* lambda = island->solution + unknowns;
    for (int n = island->systemNodes; n < island->nodeCount; ++n) {
        for (int r = island->nodes[n].firstRow; r < island->nodes[n].firstRow + 3; ++r) {
            cnDirect_LoadImpulse(island, r, island->rows[r].lambda);
        }
    }
    cnDirect_SolveBounded(island);
    if (island->overBudget || island->systemNodes == island->nodeCount) {
        return;
    }
    memcpy(island->step, island->solution, (size_t)unknowns * sizeof(double));
    memcpy(island->swept, lambda, (size_t)island->systemRows * sizeof(double));
    for (int n = island->systemNodes; n < island->nodeCount; ++n) {
        cnDirectNode* node = &island->nodes[n];
        node->bound = FrictionLimit(island, node, lambda);
        for (int i = 0; i < 3; ++i) {
            node->before[i] = island->rows[node->firstRow + i].lambda;
        }
    }
    for (int sweep = 0; sweep < CN_FRICTION_SWEEPS; ++sweep) {
        for (int n = 0; n < island->nodeCount; ++n) {
            if (island->nodes[n].normals >= 0) {
                SweepFriction(island, &island->nodes[n], island->step);
            } else if (island->nodes[n].constraint >= 0) {
                SweepJoint(island, &island->nodes[n], island->step);
            }
        }
    }
    for (int n = island->systemNodes; n < island->nodeCount; ++n) {
        for (int i = 0; i < 3; ++i) {
            int r = island->nodes[n].firstRow + i;
            cnDirect_LoadImpulse(island, r, island->rows[r].lambda - island->nodes[n].before[i]);
        }
    }
    cnDirect_SolveBounded(island);
}

void cnDirect_SolveWithFriction(cnDirectIsland* island) {
    if (island->grouped) {
        cnDirect_SolveGroup(island);
    } else if (island->split) {
        SolveSplit(island);
    } else {
        SolveDirectly(island);
    }
}

// ---- what contacts keep ---------------------------------------------------------------------------------------------

static void StoreNormals(const cnDirectIsland* island, const cnDirectNode* node) {
    CN_ASSERT(node->normals < 0 && node->contact >= 0);
    const cnSolve* solve = island->solve;
    const cnContactRows* source = cnSolve_GetRows(solve, node->contact);
    cnPair* pair = source->pair;
    double perStep = 1.0 / solve->h, share = solve->substep / solve->h, sum = 0.0;
    const cnDirectRow* rows = &island->rows[node->firstRow];
    for (int i = 0; i < node->points; ++i) {
        pair->impulse[i] = (float)(rows[i].sum * share);
        pair->normalForce[i] = (float)(rows[i].sum * perStep);
        sum += rows[i].sum;
    }
    bool rests = true, isCalm = true;
    for (int i = 0; i < node->points; ++i) {
        double speed = cnDirect_RowSpeed(island, node->firstRow + i, island->solution) + rows[i].fixedSpeed;
        double before = cnDirect_RowSpeed(island, node->firstRow + i, island->start) + rows[i].fixedSpeed;
        double stored =
            cnMin(rows[i].sum * perStep, rows[i].lambda * island->perStep) / source->youngsModulus;
        rests = rests && fabs(speed) < CN_REST_SPEED;
        isCalm = isCalm && source->damping * cnMax(fabs(speed), fabs(before)) <
                               CN_CALM_SHARE * stored + CN_CALM_OVERLAP;
    }
    pair->flags = (pair->flags & ~(uint32_t)cn_pairCalm) | (isCalm ? (uint32_t)cn_pairCalm : 0);
    pair->flags &= rests && !island->pushed[node - island->nodes] ? ~(uint32_t)cn_pairLimitedCorrection : ~0u;
    double mean = sum * share / node->points;
    pair->integralImpulse += (float)(solve->h / 2.0 * (mean - pair->integralImpulse));
}

static void StoreFriction(const cnDirectIsland* island, const cnDirectNode* node) {
    CN_ASSERT(node->normals >= 0 && node->contact >= 0);
    const cnSolve* solve = island->solve;
    const cnContactRows* source = cnSolve_GetRows(solve, node->contact);
    cnPair* pair = source->pair;
    double perStep = 1.0 / solve->h, share = solve->substep / solve->h;
    const cnDirectRow* t = &island->rows[node->firstRow];
    cnVec3 friction = cnAdd(cnScale(t[0].sum, source->tangent1), cnScale(t[1].sum, source->tangent2));
    pair->friction = cnToF(cnScale(share, friction));
    pair->torsionalFriction = (float)(t[2].sum * share);
    pair->frictionForce = cnToF(cnScale(perStep, friction));
}

void cnDirect_StoreContact(const cnDirectIsland* island, const cnDirectNode* node) {
    if (node->normals >= 0) {
        StoreFriction(island, node);
    } else {
        StoreNormals(island, node);
    }
}
