#include "solve/direct/reports.h"

#include "base/report/assert.h"
#include "solve/direct/nodes/contact_nodes.h"
#include "solve/direct/nodes/force_times.h"
#include "solve/rows/joint_rows.h"

static void AddForces(const cnDirectIsland* island, const cnDirectNode* node) {
    cnConstraintTable* table = island->solve->constraints;
    int c = node->source;
    double perStep = 1.0 / cnDirect_GetForceTime(island, node);
    table->force[c] = cnMulAdd(table->force[c], perStep, node->joint.impulse);
    table->torque[c] = cnMulAdd(table->torque[c], perStep, node->joint.angularImpulse);
    for (int i = 0; i < node->block.rowCount; ++i) {
        const cnDirectRow* row = &island->rows[node->block.firstRow + i];
        double force = perStep * row->sum;
        if (cnNode_IsPlain(node)) {
            table->dofForce[c].of[row->slot] += force;
        } else {
            cnJoint_AddRowForce(table, c, row->slot, force);
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
