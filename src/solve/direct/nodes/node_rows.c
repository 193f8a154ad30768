#include "solve/direct/nodes/node_rows.h"

#include "base/report/assert.h"
#include "base/simd.h"
#include "solve/direct/nodes/contact_nodes.h"
#include "solve/direct/nodes/joint_nodes.h"

// Speed that joints close gaps with, as a share of that with which their arms rotate.
#define CN_CLOSING_SHARE 0.1
// A row reaches its force within so many steps: what is stiffer beside what it moves holds it, and its gaps
// are not springs that are tense.
#define CN_RESOLVED 1e-2

double cnDirect_MinInverseMass(const cnDirectIsland* island, const cnDirectNode* node, int r) {
    double sum = 0.0;
    for (int place = 0; place < node->block.bodyCount; ++place) {
        const cnDirectBody* body = &island->bodies[node->block.bodies[place]];
        const double* j = cnDirect_NumbersAt(island, node, place, r);
        cnVec3 linear = cnGetVec(j), angular = cnGetVec(j + 3);
        sum += cnDot(linear, linear) / island->solve->bodies->mass[body->row];
        sum += cnDot(angular, angular) / body->largestMoment;
    }
    return sum;
}

bool cnDirect_IsResolvedSpring(const cnDirectIsland* island, int r, double compliance) {
    const cnDirectNode* node = &island->nodes[island->rows[r].node];
    double perStep = 1.0 / island->substep.h;
    return cnDirect_IsSpring(island, r) &&
           compliance * perStep * perStep > CN_RESOLVED * cnDirect_MinInverseMass(island, node, r);
}

// How fast a joint's row closes its gap, m/s or rad/s. Its damping counts in sub-steps, or many of them would
// make large gaps of what turning opens in each; but a gap that is older than the sub-step, from an impact or
// a step that was cut for less, would be shut within it at any speed: of what its force does not explain no
// more is closed, beyond what a whole step would close of it, than goes with the speed with which the joint's
// arms rotate. Springs pull with all that they have.
static double ClosingSpeed(const cnDirectIsland* island, int r, const cnRowTerms* terms) {
    CN_ASSERT(r >= 0 && r < island->rowCount);
    const cnDirectRow* row = &island->rows[r];
    double perGap = -4.0 * island->substep.perStep * terms->gamma;
    if (island->substep.h == island->solve->h || cnDirect_IsResolvedSpring(island, r, terms->compliance)) {
        return perGap * row->violation;
    }
    int constraint = island->nodes[row->node].source;
    const cnConstraint* joint = &island->solve->constraints->constraints[constraint];
    double elastic = -terms->compliance * joint->rows[row->slot].force, gap = row->violation - elastic;
    double max = terms->closing * fabs(gap) +
                 CN_CLOSING_SHARE * island->substep.rotationRate * cnDirect_ArmOf(island, r);
    return perGap * elastic + cnClamp(perGap * gap, -max, max);
}

// What a row is to reach: q and the speed of bodies that are not dynamic.
static double WantedSpeed(cnDirectIsland* island, int r, const cnRowTerms* terms, double startSpeed) {
    CN_ASSERT(r >= 0 && r < island->rowCount);
    cnDirectRow* row = &island->rows[r];
    double perStep = island->substep.perStep;
    if (cnDirect_HasGap(row) && row->slot >= 0) {
        double rate = terms->hasRate ? terms->rate : startSpeed;
        row->recovery = row->kind == cn_rowOneSided && !cnDirect_IsPressed(island, r)
                            ? -perStep * row->violation
                            : terms->gamma * rate + ClosingSpeed(island, r, terms);
        return row->recovery -
               island->substep.curvatureShare * (perStep * (island->ahead[r] - row->violation) - startSpeed);
    }
    if (row->kind == cn_rowOneSided) {
        if (cnDirect_IsPressed(island, r)) {
            double push = -4.0 * perStep * terms->gamma * (row->violation + row->excess);
            return cnClamp(push, 0.0, terms->push) + terms->gamma * startSpeed;
        }
        return -perStep * row->violation;
    }
    return terms->target;
}

// G v of a node's rows, of the dynamic bodies.
static void AddSpeeds(const cnDirectIsland* island, const cnDirectNode* node, const double* velocities,
                      double* speeds) {
    const double* j = island->system.jacobian + node->block.firstNumber;
    for (int place = 0; place < node->block.bodyCount; ++place) {
        const double* v = velocities + 6 * node->block.bodies[place];
        const cnD2 v1 = cnLoadD(v), v2 = cnLoadD(v + 2), v3 = cnLoadD(v + 4);
        for (int i = 0; i < node->block.rowCount; ++i, j += 6) {
            cnD2 sum = cnMulAddD(cnMulD(cnLoadD(j), v1), cnLoadD(j + 2), v2);
            speeds[i] += cnSumD(cnMulAddD(sum, cnLoadD(j + 4), v3));
        }
    }
}

static void FindWantedSpeeds(cnDirectIsland* island, const cnDirectNode* node, const cnRowTerms* terms) {
    double speeds[cn_mostJointRows] = {0};
    AddSpeeds(island, node, island->start, speeds);
    for (int i = 0; i < node->block.rowCount; ++i) {
        int r = node->block.firstRow + i;
        island->rows[r].wanted = WantedSpeed(island, r, &terms[i], speeds[i] + island->rows[r].fixedSpeed);
    }
}

static int MakeBallRows(cnDirectIsland* island, int n) {
    cnRowTerms terms[2][3] = {0};
    const int partner = cnDirect_PartnerOf(island, n);
    cnDirect_MakeBallRows(island, &island->nodes[n], &island->nodes[partner], terms);
    for (int k = n; k <= partner; ++k) {
        FindWantedSpeeds(island, &island->nodes[k], terms[k - n]);
    }
    return partner + 1;
}

int cnDirect_MakeRows(cnDirectIsland* island, int n) {
    CN_ASSERT(n >= 0 && n < island->nodeCount);
    cnDirectNode* node = &island->nodes[n];
    if (node->kind == cn_nodeBall) {
        return MakeBallRows(island, n);
    }
    cnRowTerms terms[cn_mostJointRows] = {0};
    if (cnNode_IsJoint(node)) {
        cnDirect_MakeJointRows(island, node, terms);
    } else {
        cnDirect_MakeContactRows(island, node, terms);
    }
    FindWantedSpeeds(island, node, terms);
    return n + 1;
}
