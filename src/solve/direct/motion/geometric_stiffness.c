#include "solve/direct/motion/geometric_stiffness.h"

#include "base/report/assert.h"

#include <string.h>

// Force of a node's rows on its first body, from multipliers or, where these are null, the last step's
// forces. Angular rows have no linear part.
static cnVec3 TranslationForce(const cnDirectIsland* island, const cnDirectNode* node, const double* lambda) {
    CN_ASSERT(cnNode_IsJoint(node) && (node->place1 >= 0 || node->place2 >= 0));
    const cnConstraint* joint = cnDirect_ConstraintOf(island, node);
    cnVec3 sum = cnVec3_zero;
    int place = node->place1 >= 0 ? node->place1 : node->place2;
    for (int r = node->block.firstRow; r < cnRowBlock_End(&node->block); ++r) {
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

void cnDirect_AddStiffness(cnDirectIsland* island, const cnDirectNode* node, const double* lambda) {
    double size = PullsAtAnchors(node) ? ForceSize(island, node, lambda) : 0.0;
    if (!(size > 0.0)) {
        return;
    }
    if (node->place1 >= 0) {
        cnStiffness_Add(&island->bodies[node->block.bodies[node->place1]].stiffness, size, node->joint.arm1,
                        node->joint.length1);
    }
    if (node->place2 >= 0) {
        cnStiffness_Add(&island->bodies[node->block.bodies[node->place2]].stiffness, size, node->joint.arm2,
                        node->joint.length2);
    }
}

void cnDirect_SetStiffness(cnDirectIsland* island, const double* lambda) {
    for (int i = 0; i < island->bodyCount; ++i) {
        cnStiffness_Clear(&island->bodies[i].stiffness);
    }
    for (int n = 0; n < island->nodeCount; ++n) {
        cnDirect_AddStiffness(island, &island->nodes[n], lambda);
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
        if (node->place1 >= 0) {
            sums[node->block.bodies[node->place1]] += force * node->joint.length1;
        }
        if (node->place2 >= 0) {
            sums[node->block.bodies[node->place2]] += force * node->joint.length2;
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
    return false;
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
    return share;
}
