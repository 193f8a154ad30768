#include "solve/direct/motion/geometric_stiffness.h"

#include "base/report/assert.h"
#include "dynamics/joint.h"
#include "math/tangent.h"
#include "solve/direct/nodes/node_rows.h"

#include <string.h>

// Lines below this length, m, have no direction.
#define CN_MIN_LINE 1e-9
// Σ of rows across a line that is not taut, over the inverse mass that they move.
#define CN_LOOSEST 1e9

// Force of a node's rows on its first body, from multipliers or, where these are null, the last step's
// forces. Angular rows have no linear part.
static cnVec3 TranslationForce(const cnDirectIsland* island, const cnDirectNode* node, const double* lambda) {
    CN_ASSERT(cnNode_IsJoint(node) && (node->place1 >= 0 || node->place2 >= 0));
    const cnConstraint* joint = cnDirect_ConstraintOf(island, node);
    cnVec3 sum = cnVec3_zero;
    int place = node->place1 >= 0 ? node->place1 : node->place2;
    for (int r = node->block.firstRow; r < cnNode_FirstSwayRow(node); ++r) {
        double force =
            lambda != NULL ? lambda[r] * island->substep.perStep : joint->rows[island->rows[r].slot].force;
        sum = cnMulAdd(sum, force, cnGetVec(cnDirect_NumbersAt(island, node, place, r)));
    }
    return sum;
}

static bool PullsAtAnchors(const cnDirectNode* node) {
    return cnNode_IsJoint(node) && (node->place1 >= 0 || node->place2 >= 0);
}

// The size of a node's translation force, N. Axes of a plain node's translations are orthonormal.
static double ForceSize(const cnDirectIsland* island, const cnDirectNode* node, const double* lambda) {
    if (!cnNode_IsPlain(node)) {
        return cnLength(TranslationForce(island, node, lambda));
    }
    CN_ASSERT(node->joint.translations <= node->block.rowCount);
    const cnConstraint* joint = cnDirect_ConstraintOf(island, node);
    double square = 0.0;
    for (int r = node->block.firstRow; r < node->block.firstRow + node->joint.translations; ++r) {
        double force =
            lambda != NULL ? lambda[r] * island->substep.perStep : joint->rows[island->rows[r].slot].force;
        square += force * force;
    }
    return sqrt(square);
}

// ---- axes that rotation rows leave free -------------------------------------------------------------------

// What the held rotation rows of a node do: their torque times the angle by which they are off, N m, and the
// axes that they leave free, world, unit, orthogonal.
typedef struct FreeAxes {
    double tilted;
    int count;
    cnVec3 axes[2];
} FreeAxes;

static FreeAxes FindFreeAxes(const cnDirectIsland* island, const cnDirectNode* node, const double* lambda) {
    FreeAxes found = {.count = 0};
    const cnConstraint* joint = cnDirect_ConstraintOf(island, node);
    int first = node->block.firstRow + node->joint.translations;
    int rows = cnJoint_KindOf(joint)->heldCount - node->joint.translations;
    if (!cnNode_IsPlain(node) || rows < 1 || rows > 2 || first + rows > cnRowBlock_End(&node->block)) {
        return found;
    }
    int place = node->place1 >= 0 ? node->place1 : node->place2;
    cnVec3 turns[2], torque = cnVec3_zero;
    double square = 0.0;
    for (int i = 0; i < rows; ++i) {
        const cnDirectRow* row = &island->rows[first + i];
        double force =
            lambda != NULL ? lambda[first + i] * island->substep.perStep : joint->rows[row->slot].force;
        turns[i] = cnGetVec(cnDirect_NumbersAt(island, node, place, first + i) + 3);
        torque = cnMulAdd(torque, force, turns[i]);
        square += row->violation * row->violation;
    }
    cnVec3 across = rows == 2 ? cnCross(turns[0], turns[1]) : turns[0];
    found.tilted = cnLength(torque) * sqrt(square);
    if (!(found.tilted > 0.0) || !(cnLengthSquared(across) > 0.0)) {
        return found;
    }
    across = cnNormalize(across);
    found.count = 3 - rows;
    found.axes[0] = rows == 2 ? across : cnFindTangent(across);
    found.axes[1] = cnCross(across, found.axes[0]);
    return found;
}

// ---- all of a node ----------------------------------------------------------------------------------------

// The body at a side of a node of a joint, 0 or 1; −1 where that is not dynamic.
static int BodyAt(const cnDirectNode* node, int side) {
    int place = side == 0 ? node->place1 : node->place2;
    return place >= 0 ? node->block.bodies[place] : -1;
}

void cnDirect_AddStiffness(cnDirectIsland* island, const cnDirectNode* node, const double* lambda) {
    if (!PullsAtAnchors(node)) {
        return;
    }
    double size = ForceSize(island, node, lambda);
    FreeAxes found = FindFreeAxes(island, node, lambda);
    for (int side = 0; side < 2; ++side) {
        int at = BodyAt(node, side);
        if (at < 0) {
            continue;
        }
        cnDirectBody* body = &island->bodies[at];
        for (int i = 0; i < found.count; ++i) {
            double moment = cnDot(found.axes[i], cnMulMat(body->inertia, found.axes[i]));
            cnStiffness_AddAxis(&body->stiffness, found.tilted, found.axes[i], moment, island->substep.h);
        }
        cnStiffness_Add(&body->stiffness, size, side == 0 ? node->joint.arm1 : node->joint.arm2,
                        side == 0 ? node->joint.length1 : node->joint.length2);
    }
}

// ---- lines ------------------------------------------------------------------------------------------------

static bool Sways(const cnDirectNode* node) {
    return cnNode_IsJoint(node) && node->joint.sways;
}

// Of all rows along a node's line, N: its own, and those of the node of what is held before it.
static double ForceAlong(const cnDirectIsland* island, int n, const double* lambda) {
    const cnDirectNode* node = &island->nodes[n];
    CN_ASSERT(Sways(node));
    const cnConstraint* joint = cnDirect_ConstraintOf(island, node);
    const cnDirectNode* held = n > 0 ? node - 1 : NULL;
    bool isHeld = held != NULL && cnNode_IsJoint(held) && held->source == node->source;
    double sum = 0.0;
    for (int r = (isHeld ? held : node)->block.firstRow; r < cnNode_FirstSwayRow(node); ++r) {
        sum += lambda != NULL ? lambda[r] * island->substep.perStep : joint->rows[island->rows[r].slot].force;
    }
    return fabs(sum);
}

static cnVec3 AttachmentOf(const cnDirectIsland* island, int row, cnVec3 arm, const cnAttachment* frame) {
    return row >= 0 ? cnAdd(island->centres[row], arm) : frame->point;
}

// A line's force over its length, N/m; 0 of one without a length.
static double TautnessOf(const cnDirectIsland* island, int n, const double* lambda) {
    const cnJointNode* line = &island->nodes[n].joint;
    const cnConstraint* joint = cnDirect_ConstraintOf(island, &island->nodes[n]);
    cnVec3 point1 = AttachmentOf(island, line->sides[0], line->arm1, &joint->frame1);
    cnVec3 point2 = AttachmentOf(island, line->sides[1], line->arm2, &joint->frame2);
    double length = cnLength(cnSub(point1, point2));
    return length > CN_MIN_LINE ? ForceAlong(island, n, lambda) / length : 0.0;
}

// The first attachment's speed aside of the second one.
static cnVec3 SwayOf(const cnDirectIsland* island, const cnDirectNode* node, const double* velocities) {
    cnVec3 sway = cnVec3_zero;
    for (int r = cnNode_FirstSwayRow(node); r < cnRowBlock_End(&node->block); ++r) {
        double speed = cnDirect_RowSpeed(island, r, velocities) + island->rows[r].fixedSpeed;
        sway = cnMulAdd(sway, speed, island->reactions[r].force);
    }
    return sway;
}

void cnDirect_SetSway(cnDirectIsland* island, int n, const double* lambda) {
    cnDirectNode* node = &island->nodes[n];
    if (!Sways(node)) {
        return;
    }
    const double h = island->substep.h;
    cnConstraint* joint = &island->solve->constraints->constraints[node->source];
    const double tautness = node->joint.tautness = TautnessOf(island, n, lambda);
    cnVec3 sway = SwayOf(island, node, island->start);
    if (node->joint.perLastStep == 0.0) {
        joint->sway = sway;
        joint->tautness = tautness;
    }
    double share = cnStiffness_CarriedShare(joint->tautness, tautness, sway, joint->sway);
    for (int r = cnNode_FirstSwayRow(node); r < cnRowBlock_End(&node->block); ++r) {
        double inverse = cnDirect_MinInverseMass(island, node, r);
        double added = cnStiffness_AddedMass(tautness, inverse, h);
        cnDirectRow* row = &island->rows[r];
        double loosest = CN_LOOSEST * cnMax(inverse, 1e-300);
        row->sigma = loosest * added > 1.0 ? 1.0 / added : loosest;
        row->wanted = share * cnDot(joint->sway, island->reactions[r].force);
    }
}

void cnDirect_FollowSway(cnDirectIsland* island, const cnDirectNode* node) {
    if (!Sways(node)) {
        return;
    }
    cnConstraint* joint = &island->solve->constraints->constraints[node->source];
    cnVec3 change = cnSub(SwayOf(island, node, island->system.solution), joint->sway);
    joint->sway = cnMulAdd(joint->sway, 0.5, change);
    joint->tautness = node->joint.tautness;
}

// Whether multipliers pull a line so that a step as it was made is unstable.
static bool MustTauten(const cnDirectIsland* island, const double* lambda) {
    const double square = island->substep.h * island->substep.h;
    for (int n = 0; cnDirect_Has(island, cn_islandSways) && n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        if (Sways(node)) {
            double now = TautnessOf(island, n, lambda);
            int r = cnRowBlock_End(&node->block) - 1;
            if (now > 2.0 * node->joint.tautness &&
                square * now * cnDirect_MinInverseMass(island, node, r) > 1.0) {
                return true;
            }
        }
    }
    return false;
}

// ---- corrections ------------------------------------------------------------------------------------------

void cnDirect_SetStiffness(cnDirectIsland* island, const double* lambda) {
    for (int i = 0; i < island->bodyCount; ++i) {
        cnStiffness_Clear(&island->bodies[i].stiffness);
    }
    for (int n = 0; n < island->nodeCount; ++n) {
        cnDirect_AddStiffness(island, &island->nodes[n], lambda);
        cnDirect_SetSway(island, n, lambda);
    }
}

// k alone of all bodies, N m, from multipliers.
static void FindStiffnessSums(const cnDirectIsland* island, const double* lambda, double* sums) {
    memset(sums, 0, (size_t)island->bodyCount * sizeof *sums);
    for (int n = 0; n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        if (!PullsAtAnchors(node)) {
            continue;
        }
        double force = ForceSize(island, node, lambda);
        FreeAxes found = FindFreeAxes(island, node, lambda);
        for (int side = 0; side < 2; ++side) {
            if (BodyAt(node, side) >= 0) {
                double length = side == 0 ? node->joint.length1 : node->joint.length2;
                sums[BodyAt(node, side)] += force * length + found.count * found.tilted;
            }
        }
    }
}

bool cnDirect_MustRestiffen(const cnDirectIsland* island, const double* lambda) {
    FindStiffnessSums(island, lambda, island->stiffness);
    for (int i = 0; i < island->bodyCount; ++i) {
        const cnDirectBody* body = &island->bodies[i];
        double now = island->stiffness[i];
        if (island->substep.h * island->substep.h * now > body->largestMoment &&
            now > 2.0 * body->stiffness.sum) {
            return true;
        }
    }
    return MustTauten(island, lambda);
}

double cnDirect_CorrectionShare(const cnDirectIsland* island, const double* lambda) {
    double share = 1.0;
    FindStiffnessSums(island, lambda, island->stiffness);
    for (int i = 0; i < island->bodyCount; ++i) {
        const cnDirectBody* body = &island->bodies[i];
        double stands = body->largestMoment / (island->substep.h * island->substep.h) + body->stiffness.sum;
        if (island->stiffness[i] > stands) {
            share = cnMin(share, stands / island->stiffness[i]);
        }
    }
    for (int n = 0; cnDirect_Has(island, cn_islandSways) && n < island->nodeCount; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        if (Sways(node)) {
            double inverse = cnDirect_MinInverseMass(island, node, cnRowBlock_End(&node->block) - 1);
            double square = island->substep.h * island->substep.h;
            double stands = 1.0 / cnMax(square * inverse, 1e-300) + node->joint.tautness;
            double corrected = TautnessOf(island, n, lambda);
            share = corrected > stands ? cnMin(share, stands / corrected) : share;
        }
    }
    return share;
}
