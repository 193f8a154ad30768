#include "solve/direct/reports.h"

#include "base/report/assert.h"
#include "solve/direct/nodes/contact_nodes.h"
#include "solve/direct/nodes/force_times.h"

static double ScrewLead(const cnConstraint* joint) {
    return joint->secondaries[cn_slotScrew - cn_slotMotor].target;
}

static void AddForces(const cnDirectIsland* island, const cnDirectNode* node) {
    cnConstraintTable* table = island->solve->constraints;
    int c = node->source;
    const cnConstraint* joint = &table->constraints[c];
    double perStep = 1.0 / cnDirect_GetForceTime(island, node);
    table->force[c] = cnMulAdd(table->force[c], perStep, node->joint.impulse);
    table->torque[c] = cnMulAdd(table->torque[c], perStep, node->joint.angularImpulse);
    for (int i = 0; i < node->block.rowCount; ++i) {
        const cnDirectRow* row = &island->rows[node->block.firstRow + i];
        double force = perStep * row->sum;
        int slot = row->slot;
        if (cnNode_IsPlain(node)) {
            table->dofForce[c].of[slot] += force;
            continue;
        }
        bool isScrew = slot == cn_slotScrew || (cnJoint_IsScrew(joint) && slot == cn_slotDof + 2);
        if (isScrew) {
            // along the axis λ, about it what is left of the moment
            table->dofForce[c].of[2] += force;
            table->dofForce[c].of[5] -= force * (slot == cn_slotScrew ? ScrewLead(joint) : joint->ratio);
        } else if (slot < 6) {
            table->dofForce[c].of[slot] += force;
        } else if (slot < cn_slotScrew) {
            int index = (slot - cn_slotMotor) % 2;
            cnConstraintPair* const columns[4] = {&table->motorForce[c], &table->lockForce[c],
                                                  &table->rangeForce[c], &table->frictionForce[c]};
            columns[(slot - cn_slotMotor) / 2]->of[index] += force;
            int dof = cnJoint_DofOfCoordinate(joint->type, index);
            table->dofForce[c].of[dof] += force;
        } else {
            table->rangeForce[c].of[slot - cn_slotCone] += force;
        }
    }
}

void cnDirect_Report(const cnDirectIsland* island) {
    for (int n = 0; n < island->nodeCount; ++n) {
        if (cnNode_IsJoint(&island->nodes[n])) {
            AddForces(island, &island->nodes[n]);
        } else {
            cnDirect_StoreContact(island, &island->nodes[n]);
        }
    }
}

void cnDirect_ReportStatistics(const cnDirectIsland* island) {
    cnSolve* solve = island->solve;
    int number = solve->solver.island[island->bodies[0].index];
    CN_ASSERT(number >= 0 && number < solve->islandCount);
    cnIslandStatistics* sum = &solve->islands[number].statistics;
    const cnSystemStatistics* own = &island->system.statistics;
    const cnFactorStatistics* factor = &island->system.factor->statistics;
    const bool isGroup = island->kind == cn_directGroup;
    sum->solver =
        isGroup ? cn_islandGrouped : (island->kind == cn_directSplit ? cn_islandSplit : cn_islandDirect);
    sum->substeps = isGroup ? solve->substeps : island->stepping.substeps;
    sum->rows += island->system.rowCount;
    sum->nonZeros += factor->nonZeros;
    sum->predictedFlops += factor->predictedFlops;
    sum->flops += cnLinearSystem_Work(&island->system);
    sum->rounds += own->rounds;
    sum->pivots += own->pivots;
    sum->fallbacks += own->fallbacks;
    sum->residual = cnMax(sum->residual, own->residual);
    sum->repeats += island->stepping.repeats;
    sum->raised += island->ledger.raised;
}

void cnDirect_Fail(const cnDirectIsland* island) {
    CN_ASSERT(island->bodyCount >= 1);
    const cnBodyTable* bodies = island->solve->bodies;
    int fastest = island->bodies[0].index;
    double max = -1.0;
    for (int i = 0; i < island->bodyCount; ++i) {
        int row = island->bodies[i].row;
        double energy = cnBody_GetKineticEnergy(bodies, row) / bodies->mass[row];
        if (!(energy <= max)) {
            max = energy;
            fastest = island->bodies[i].index;
        }
    }
    island->solve->solver.failed[fastest] = 1;
}
