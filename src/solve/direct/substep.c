#include "solve/direct/substep.h"

#include "base/prefetch.h"
#include "base/report/assert.h"
#include "base/simd.h"
#include "solve/direct/friction/exact_cone.h"
#include "solve/direct/friction/friction.h"
#include "solve/direct/friction/swept_joints.h"
#include "solve/direct/guards/energy_guard.h"
#include "solve/direct/motion/body_masses.h"
#include "solve/direct/motion/body_motion.h"
#include "solve/direct/motion/geometric_stiffness.h"
#include "solve/direct/motion/rotation_rates.h"
#include "solve/direct/nodes/force_times.h"
#include "solve/direct/nodes/joint_nodes.h"
#include "solve/direct/nodes/node_rows.h"

#include <string.h>

// Least Σ of a row as a part of its own inverse effective mass G M⁻¹ Gᵀ: what a compliance of 0 means.
#define CN_MIN_SIGMA 1e-12
// The end-of-step term fades between these rotations in a sub-step, rad.
#define CN_FADE_FROM 0.4
#define CN_FADE_TO 1.0
// Times that forces which come up in a step make new stiffness.
#define CN_RESTIFFENINGS 4

// ---- preparation ------------------------------------------------------------------------------------------

// No less than the inverse effective mass of any row of a plain node.
static double MaxInverseEffectiveMass(const cnDirectIsland* island, const cnDirectNode* node) {
    if (!cnNode_IsPlain(node)) {
        return INFINITY;
    }
    const int places[2] = {node->place1, node->place2};
    // the second body's lever goes to the first one's point
    const double levers[2] = {node->joint.length1, node->joint.length2 + node->joint.opening};
    double max = 0.0;
    for (int i = 0; i < 2; ++i) {
        if (places[i] >= 0) {
            const cnDirectBody* body = &island->bodies[node->block.bodies[places[i]]];
            max += body->linearMax + body->angularMax * (1.0 + levers[i] * levers[i]);
        }
    }
    return 1.01 * max; // unit axes are so to rounding
}

// What the rows of a node will need of its constraint.
static void PrefetchJoint(const cnDirectIsland* island, int n) {
    if (n < island->nodeCount && cnNode_IsJoint(&island->nodes[n])) {
        const cnConstraint* joint = &island->solve->constraints->constraints[island->nodes[n].source];
        cnPrefetch(joint->dofs);
        cnPrefetch(&joint->dofs[2]);
        cnPrefetch(joint->rows);
        cnPrefetch(&joint->rows[2]);
    }
}

// Rows of all nodes, and the stiffness that joints made in the last step.
static void MakeRows(cnDirectIsland* island) {
    for (int n = 0; n < island->nodeCount;) {
        PrefetchJoint(island, n + 2);
        const int end = cnDirect_MakeRows(island, n);
        for (; n < end; ++n) {
            cnDirect_AddStiffness(island, &island->nodes[n], NULL);
            cnDirect_SetSway(island, n, NULL);
        }
    }
}

void cnDirect_PrepareSubStep(cnDirectIsland* island) {
    CN_ASSERT(island->substep.h > 0.0);
    island->substep.perStep = 1.0 / island->substep.h;
    for (int i = 0; i < island->bodyCount; i += 2) {
        cnDirect_PrepareBody(island, i);
        if (i + 1 < island->bodyCount) {
            cnDirect_PrepareBody(island, i + 1);
        }
        cnDirect_TryPoses(island, i, island->start);
    }
    cnDirect_PlaceMovingBodies(island);
    const double rotation = island->substep.h * island->substep.rotationRate;
    island->substep.curvatureShare = cnClamp((CN_FADE_TO - rotation) / (CN_FADE_TO - CN_FADE_FROM), 0.0, 1.0);
    MakeRows(island);
}

// ---- solution ---------------------------------------------------------------------------------------------

// q of every row, and Σ not below its floor.
static void LoadRows(cnDirectIsland* island) {
    double* q = island->system.right + 6 * island->bodyCount;
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        double max =
            island->system.keepsInverses ? INFINITY : CN_MIN_SIGMA * MaxInverseEffectiveMass(island, node);
        for (int r = node->block.firstRow; r < cnRowBlock_End(&node->block); ++r) {
            const cnDirectRow* row = &island->rows[r];
            q[r] = row->wanted - row->fixedSpeed;
            island->system.sigma[r] = row->sigma;
            if (!(row->sigma >= max)) {
                island->system.inverseEffectiveMass[r] =
                    cnLinearSystem_InverseEffectiveMass(&island->system, &node->block, r);
                island->system.sigma[r] =
                    cnMax(row->sigma, cnMax(CN_MIN_SIGMA * island->system.inverseEffectiveMass[r], 1e-300));
            }
        }
    }
}

void cnDirect_LoadValues(cnDirectIsland* island) {
    cnDirect_LoadBodies(island);
    LoadRows(island);
    cnLinearSystem_LoadValues(&island->system);
}

// All rows of the island, friction and swept joints by its kind.
static void SolveRows(cnDirectIsland* island) {
    switch (island->kind) {
    case cn_directGroup:
        cnSweptJoints_Solve(island);
        break;
    case cn_directSplit:
        cnDirect_SolveFrictionSplit(island);
        break;
    default:
        cnDirect_SolveFrictionWithin(island);
    }
}

static void Solve(cnDirectIsland* island) {
    cnDirect_LoadValues(island);
    SolveRows(island);
}

void cnDirect_Solve(cnDirectIsland* island) {
    Solve(island);

    // forces that came up in this step make new stiffness: in a snap they grow tenfold in one
    const double* lambda = cnLinearSystem_Multipliers(&island->system);
    for (int round = 0; round < CN_RESTIFFENINGS && island->system.outcome < cn_systemOverBudget &&
                        cnDirect_MustRestiffen(island, lambda);
         ++round) {
        cnDirect_SetStiffness(island, lambda);
        Solve(island);
    }
}

// ---- correction -------------------------------------------------------------------------------------------

void cnDirect_LookAhead(cnDirectIsland* island) {
    for (int i = 0; i < island->bodyCount; i += 2) {
        cnDirect_TryPoses(island, i, island->system.solution);
    }
    cnDirect_FindAhead(island);
}

// Violations that the corrected solution leads to: the guard asks springs and locks what they give up on
// their way.
static void CorrectAhead(cnDirectIsland* island, double share) {
    CN_ASSERT(!(share < 0.0) && !(share > 1.0));
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        for (int r = node->block.firstRow; cnDirect_IsAsked(node) && r < cnRowBlock_End(&node->block); ++r) {
            island->ahead[r] +=
                share * island->substep.h * cnDirect_RowSpeed(island, r, island->system.correction);
        }
    }
}

void cnDirect_Correct(cnDirectIsland* island) {
    int unknowns = 6 * island->bodyCount, all = unknowns + island->system.rowCount;
    memset(island->system.right + unknowns, 0, (size_t)island->system.rowCount * sizeof(double));
    memset(island->system.correction + unknowns, 0, (size_t)island->system.rowCount * sizeof(double));
    bool any = false;
    for (int i = 0; i < island->bodyCount; ++i) {
        const cnDirectBody* body = &island->bodies[i];
        if (i % 2 == 0) {
            cnDirect_TryPoses(island, i, island->system.solution);
        }
        cnVec3 missing = cnVec3_zero;
        if (body->rotationModel.kind == cn_rotationRotor) {
            cnVec3 w = cnGetVec(island->system.solution + 6 * i + 3);
            missing = cnSub(cnDirect_BearingMomentum(island, body, w), body->bearing);
            any = true;
        }
        cnPutVec(island->system.right + 6 * i, cnVec3_zero);
        cnPutVec(island->system.right + 6 * i + 3, missing);
    }
    cnDirect_FindAhead(island);
    for (int r = 0; r < island->system.rowCount; ++r) {
        const cnDirectRow* row = &island->rows[r];
        if (cnDirect_HasGap(row) && row->slot >= 0 && island->system.sets[r] == cn_rowFree) {
            island->system.right[unknowns + r] =
                row->recovery - island->substep.perStep * (island->ahead[r] - row->violation) -
                island->system.sigma[r] * island->system.solution[unknowns + r];
            any = true;
        }
    }
    if (!any) {
        return;
    }
    cnSparseFactor_Solve(island->system.factor, island->system.right, island->system.correction);
    double share = cnDirect_CorrectionShare(island, island->system.correction + unknowns);
    for (int i = 0; i < all; ++i) {
        island->system.solution[i] += share * island->system.correction[i];
    }
    CorrectAhead(island, share);
    for (int i = 0; cnDirect_Has(island, cn_islandHasRotors) && i < island->bodyCount; ++i) {
        cnDirectBody* body = &island->bodies[i];
        if (body->rotationModel.kind == cn_rotationRotor) {
            body->bearing = cnMulAdd(body->bearing, share, cnGetVec(island->system.right + 6 * i + 3));
        }
    }
    for (int r = 0; cnDirect_Has(island, cn_islandHasLimits) && r < island->system.rowCount; ++r) {
        if (island->rows[r].kind == cn_rowOneSided) {
            double* lambda = &island->system.solution[unknowns + r];
            *lambda = cnClamp(*lambda, island->system.lower[r], island->system.upper[r]);
        }
    }
}

// ---- the end ----------------------------------------------------------------------------------------------

// What the next sub-step starts from, and the sums to read.
static void StoreRows(cnDirectIsland* island) {
    cnConstraintTable* table = island->solve->constraints;
    double* lambdas = cnLinearSystem_Multipliers(&island->system);
    for (int n = 0; n < island->nodeCount; ++n) {
        cnDirectNode* node = &island->nodes[n];
        bool inSystem = node->block.firstRow < island->system.rowCount;
        double lambda[cn_mostJointRows];
        double time = cnDirect_GetKickTime(island, node);
        for (int i = 0; i < node->block.rowCount; ++i) {
            int r = node->block.firstRow + i;
            cnDirectRow* row = &island->rows[r];
            row->lambda = lambda[i] = inSystem ? lambdas[r] : row->lambda;
            row->sum += row->lambda;
            if (cnNode_IsJoint(node)) {
                cnRowState* state = &table->constraints[node->source].rows[row->slot];
                state->force = row->lambda / time;
                state->violation = cnDirect_Pressed(island, r);
                state->active = island->system.sets[r] == cn_rowFree;
            } else if (row->kind == cn_rowOneSided) {
                row->violation += island->substep.h *
                                  (cnDirect_RowSpeed(island, r, island->system.solution) + row->fixedSpeed);
            }
        }
        if (cnNode_IsJoint(node)) {
            cnDirect_AddReaction(island, node, lambda);
            cnDirect_FollowSway(island, node);
            table->constraints[node->source].lastStep = island->substep.h;
        }
    }
}

void cnDirect_FinishSubStep(cnDirectIsland* island) {
    CN_ASSERT(island->substep.h > 0.0);
    if (cnDirect_Has(island, cn_islandHasContacts)) {
        cnDirect_RotateBack(island);
    }
    StoreRows(island);
    cnDirect_MoveBodies(island);
    cnDirect_FollowAngles(island);
}

void cnDirect_SubStep(cnDirectIsland* island) {
    CN_ASSERT(island->substep.index >= 0 && island->substep.elapsed >= 0.0);
    cnDirect_PrepareSubStep(island);
    cnDirect_Solve(island);
    cnDirect_Correct(island);
    cnDirect_GuardEnergy(island);
    cnDirect_FinishSubStep(island);
}
