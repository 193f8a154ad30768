// Overlap that no force explains, in islands that are solved directly, and gaps that the energy guard left
// open.
//
// position_correction.c tells what such overlap is and why rows do not see it. Here the bodies are moved by a
// solve with the island's own factorisation, so that joints hold meanwhile: contacts go the way that their
// multipliers do not explain, held rows of joints what their force does not explain, springs, locks and
// reached limits stay as they are; friction and bounded motors give way. Rows that would pull let go, rows
// that would not get their way take part again, in a few rounds: ways that contradict one another would cycle
// in the pivoting solver. No velocity remains, and a body's angular momentum rotates with it, or the move
// would make energy.
#include "solve/direct/guards/position_correction.h"

#include "base/report/assert.h"
#include "math/small_rotation.h"
#include "solve/direct/nodes/joint_nodes.h"

#include <string.h>

// A pair is out when what is left could make so much of a body once its rows see it, m/s, beside this share
// of what its multipliers explain, of soft ones no more than what makes that speed: nothing gave it, so the
// energy guard would not let its rows push it out.
#define CN_RELEASE_SPEED 5e-3
#define CN_RELEASE_SHARE 0.5
#define CN_RELEASE_MOST 5e-2
// Σ of contacts and of joints in the solve, as shares of their inverse effective masses: ways of contacts may
// contradict one another.
#define CN_CONTACT_SIGMA 1e-3
#define CN_JOINT_SIGMA 1e-9
#define CN_EXCHANGE_ROUNDS 8
// Bodies are moved by at most so many times the longest way of a row, and rotated by at most so much, rad.
#define CN_SHIFT_LIMIT 4.0
#define CN_ROTATION_LIMIT 0.1
// Gaps of joints that are left to their rows, m or rad, and how far force explains one.
#define CN_GAP_LIMIT 1e-4
#define CN_ELASTIC_SHARE 1.5

// ---- ways -------------------------------------------------------------------------------------------------

static bool IsLimitedContact(const cnDirectIsland* island, const cnDirectNode* node) {
    return node->kind == cn_nodeContactNormals && !cnDirect_ContactOf(island, node)->isFoundation &&
           (cnDirect_ContactOf(island, node)->pair->flags & cn_pairLimitedCorrection) != 0;
}

// Ways that contacts are to go, m, and the nodes that are not out; true where there are any.
static bool FindWays(const cnDirectIsland* island, double* ways) {
    const cnSolve* solve = island->solve;
    bool any = false;
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        if (!IsLimitedContact(island, node)) {
            continue;
        }
        const cnContactRows* source = cnDirect_ContactOf(island, node);
        double share = cnMin(4.0 * solve->substeps * cnSpookGamma(source->damping, solve->substep), 1.0);
        bool isOut = true;
        for (int r = node->block.firstRow; r < cnRowBlock_End(&node->block); ++r) {
            double stored = cnContactRows_GetStrain(source, island->rows[r].sum, solve->h);
            double excess = -island->rows[r].violation - stored;
            double perSpeed =
                1.0 / sqrt(cnMax(island->system.inverseEffectiveMass[r], 1e-300) * source->stiffness);
            double most = cnMin(CN_RELEASE_SHARE * stored, CN_RELEASE_MOST * perSpeed);
            isOut = isOut && excess < most + CN_RELEASE_SPEED * perSpeed;
            ways[r] = cnClamp(share * excess, 0.0, source->pair->correctionLimit * solve->h);
        }
        island->pushed[n] = !isOut;
        any = any || !isOut;
    }
    return any;
}

// What force explains of a held row's violation, m or rad.
static double ElasticGap(const cnDirectIsland* island, int r) {
    CN_ASSERT(r >= 0 && r < island->rowCount);
    const cnConstraint* joint = cnDirect_ConstraintOf(island, cnDirect_NodeOf(island, r));
    int slot = island->rows[r].slot;
    return joint->dofs[slot].compliance * joint->rows[slot].force;
}

// True where a joint stands open by more than its elasticity explains.
static bool HasGaps(const cnDirectIsland* island) {
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        for (int r = node->block.firstRow; cnNode_IsPlain(node) && r < cnRowBlock_End(&node->block); ++r) {
            double explained = CN_ELASTIC_SHARE * fabs(ElasticGap(island, r));
            if (fabs(island->ahead[r]) > CN_GAP_LIMIT + explained && !cnDirect_IsSpring(island, r)) {
                return true;
            }
        }
    }
    return false;
}

// The way that a row is to go, m or rad, of contacts as given.
static double WayOf(const cnDirectIsland* island, int r, double ofContact) {
    CN_ASSERT(r >= 0 && r < island->rowCount);
    const cnDirectRow* row = &island->rows[r];
    if (!cnNode_IsJoint(&island->nodes[row->node])) {
        return ofContact;
    }
    bool closes = row->kind == cn_rowHolonomic && row->slot < cn_slotMotor && !cnDirect_IsSpring(island, r);
    return closes ? -(island->ahead[r] + ElasticGap(island, r)) : 0.0;
}

// Rows that take part at first.
static bool IsHeld(const cnDirectIsland* island, int r, double way) {
    CN_ASSERT(r >= 0 && r < island->rowCount);
    const cnDirectRow* row = &island->rows[r];
    if (row->kind == cn_rowSway) {
        return false;
    }
    if (row->kind == cn_rowVelocity) {
        return island->system.upper[r] == INFINITY && island->system.lower[r] == -INFINITY;
    }
    if (!cnNode_IsJoint(&island->nodes[row->node])) {
        return way > 0.0 || (island->system.sets[r] == cn_rowFree && row->violation <= 0.0);
    }
    return row->kind == cn_rowHolonomic || cnDirect_IsPressed(island, r);
}

// ---- the solve --------------------------------------------------------------------------------------------

static void HoldRow(cnDirectIsland* island, int r, bool isHeld, const double* ways) {
    CN_ASSERT(r >= 0 && r < island->rowCount);
    double way = isHeld ? WayOf(island, r, ways[r]) : 0.0;
    island->system.right[6 * island->bodyCount + r] = island->substep.perStep * way;
    island->system.sets[r] = isHeld ? cn_rowFree : cn_rowAtLower;
    cnSparseFactor_SetFree(island->system.factor, r, isHeld);
}

static void LoadSystem(cnDirectIsland* island, const double* ways) {
    for (int r = 0; r < island->system.rowCount; ++r) {
        const cnDirectNode* node = &island->nodes[island->rows[r].node];
        if (!island->system.keepsInverses) {
            island->system.inverseEffectiveMass[r] =
                cnLinearSystem_InverseEffectiveMass(&island->system, &node->block, r);
        }
        double min = !cnNode_IsJoint(node) ? CN_CONTACT_SIGMA : CN_JOINT_SIGMA;
        island->system.sigma[r] = cnMax(min * island->system.inverseEffectiveMass[r], 1e-300);
    }
    memset(island->system.right, 0,
           (size_t)(6 * island->bodyCount + island->system.rowCount) * sizeof(double));
    cnLinearSystem_LoadValues(&island->system);
    for (int r = 0; r < island->system.rowCount; ++r) {
        HoldRow(island, r, IsHeld(island, r, ways[r]), ways);
    }
    cnSparseFactor_Refresh(island->system.factor);
}

// One-sided rows that would pull let go, contacts that would not get their way take part again. True where
// there were any.
static bool Exchange(cnDirectIsland* island, const double* ways) {
    const double* lambda = cnLinearSystem_Multipliers(&island->system);
    bool any = false;
    for (int r = 0; r < island->system.rowCount; ++r) {
        if (island->rows[r].kind != cn_rowOneSided) {
            continue;
        }
        bool isFree = island->system.sets[r] == cn_rowFree;
        bool pulls = island->system.upper[r] > 0.0 ? lambda[r] < 0.0 : lambda[r] > 0.0;
        bool misses =
            !isFree && ways[r] > 0.0 &&
            island->substep.h * cnDirect_RowSpeed(island, r, island->system.solution) < 0.9 * ways[r];
        if ((isFree && pulls) || misses) {
            HoldRow(island, r, !isFree, ways);
            any = true;
        }
    }
    if (any) {
        cnSparseFactor_Refresh(island->system.factor);
    }
    return any;
}

static void Solve(cnDirectIsland* island) {
    int unknowns = 6 * island->bodyCount + island->system.rowCount;
    memset(island->system.solution, 0, (size_t)unknowns * sizeof(double));
    cnSparseFactor_Solve(island->system.factor, island->system.right, island->system.solution);
}

// ---- the move ---------------------------------------------------------------------------------------------

static double LongestWay(const cnDirectIsland* island) {
    double longest = 0.0;
    for (int r = 0; r < island->system.rowCount; ++r) {
        bool isWay = cnDirect_HasGap(&island->rows[r]) && island->system.sets[r] == cn_rowFree;
        double way = island->substep.h * fabs(island->system.right[6 * island->bodyCount + r]);
        longest = isWay ? cnMax(longest, way) : longest;
    }
    return longest;
}

// The part of the solution that moves no body by more than the ways can explain.
static double ShareOf(const cnDirectIsland* island) {
    double max = CN_SHIFT_LIMIT * LongestWay(island), share = 1.0;
    for (int i = 0; i < island->bodyCount; ++i) {
        double shift = island->substep.h * cnLength(cnGetVec(island->system.solution + 6 * i));
        double rotation = island->substep.h * cnLength(cnGetVec(island->system.solution + 6 * i + 3));
        if (!(shift + rotation < INFINITY)) { // no solution: they stay
            return 0.0;
        }
        share = shift * share > max ? max / shift : share;
        share = rotation * share > CN_ROTATION_LIMIT ? CN_ROTATION_LIMIT / rotation : share;
    }
    return share;
}

static void MoveBody(const cnDirectIsland* island, int i, double share) {
    CN_ASSERT(i >= 0 && i < island->bodyCount);
    CN_ASSERT(!(share < 0.0) && !(share > 1.0));
    cnBodyTable* bodies = island->solve->bodies;
    int row = island->bodies[i].row;
    double time = share * island->substep.h;
    cnQuat rotation = cnRotationBy(cnScale(time, cnGetVec(island->system.solution + 6 * i + 3)));
    bodies->centreOfMass[row] =
        cnMulAdd(bodies->centreOfMass[row], time, cnGetVec(island->system.solution + 6 * i));
    bodies->rotation[row] = cnNormalizeQuat(cnMulQuat(rotation, bodies->rotation[row]));
    bodies->halfStepAngularMomentum[row] = cnRotate(rotation, bodies->halfStepAngularMomentum[row]);
    cnBody_UpdateAngularVelocity(bodies, row);
    cnBody_UpdatePosition(bodies, row);
}

// Where the bodies are now, in place of the trial poses.
static void PlaceBodies(const cnDirectIsland* island) {
    const cnBodyTable* bodies = island->solve->bodies;
    for (int i = 0; i < island->bodyCount; ++i) {
        int row = island->bodies[i].row;
        island->trialCentres[row] = bodies->centreOfMass[row];
        island->trialRotations[row] = bodies->rotation[row];
    }
}

void cnDirect_CorrectPositions(cnDirectIsland* island) {
    double* ways = island->swept;
    memset(ways, 0, (size_t)island->rowCount * sizeof *ways);
    memset(island->pushed, 0, (size_t)island->nodeCount);
    bool overlaps = cnDirect_Has(island, cn_islandHasContacts) && FindWays(island, ways);
    if (island->system.rowCount == 0 || (!overlaps && !(island->ledger.raised > 0.0))) {
        return;
    }
    PlaceBodies(island);
    cnDirect_FindAhead(island);
    if (!overlaps && !HasGaps(island)) {
        return;
    }
    size_t bytes = (size_t)(6 * island->bodyCount + island->system.rowCount) * sizeof(double);
    memcpy(island->system.correction, island->system.solution, bytes);
    LoadSystem(island, ways);
    Solve(island);
    for (int round = 1; round < CN_EXCHANGE_ROUNDS && Exchange(island, ways); ++round) {
        Solve(island);
    }
    double share = ShareOf(island);
    for (int i = 0; i < island->bodyCount; ++i) {
        MoveBody(island, i, share);
    }
    memcpy(island->system.solution, island->system.correction, bytes);
}
