#include "solve/direct/system/linear_system.h"

#include "base/report/assert.h"

// Steps of pivoting without progress: what does not come to an end soon cycles, and interior points take
// about 30.
#define CN_BLOCK_TRIES 3
// Of speeds and multipliers, as parts of what their rows have to do with.
#define CN_BOX_TOLERANCE 1e-8

bool cnLinearSystem_Reserve(cnLinearSystem* arrays, cnStack* stack, const cnDirectSizes* sizes) {
    CN_ASSERT(sizes->bodies >= 0 && sizes->nodes >= 0 && sizes->rows >= 0 && sizes->numbers >= 0);
    bool made = true;
    CN_SYSTEM_ARRAYS(CN_ARRAY_RESERVE)
    return made;
}

void cnLinearSystem_Skip(cnLinearSystem* arrays, const cnDirectSizes* sizes) {
    CN_SYSTEM_ARRAYS(CN_ARRAY_SKIP)
}

// ---- topology ---------------------------------------------------------------------------------------------

void cnLinearSystem_Clear(cnLinearSystem* system, int bodyCount) {
    CN_ASSERT(bodyCount >= 1);
    system->bodyCount = bodyCount;
    system->nodeCount = system->rowCount = 0;
    system->rowStart[0] = system->bodyStart[0] = 0;
    system->outcome = cn_systemSolved;
    system->statistics = (cnSystemStatistics){0};
}

void cnLinearSystem_AddBlock(cnLinearSystem* system, const cnRowBlock* block) {
    CN_ASSERT(block->bodyCount >= 1 && block->bodyCount <= 4);
    CN_ASSERT(block->firstRow == system->rowCount && block->rowCount >= 1);
    const int node = system->nodeCount++, first = system->bodyStart[node];
    for (int i = 0; i < block->bodyCount; ++i) {
        system->nodeBodies[first + i] = block->bodies[i];
    }
    system->rowCount += block->rowCount;
    system->rowStart[node + 1] = system->rowCount;
    system->bodyStart[node + 1] = first + block->bodyCount;
}

cnOrderResult cnLinearSystem_SetTopology(cnLinearSystem* system, double flopLimit) {
    const cnBlockTopology topology = {
        .bodyCount = system->bodyCount,
        .constraintCount = system->nodeCount,
        .rowStart = system->rowStart,
        .bodyStart = system->bodyStart,
        .bodies = system->nodeBodies,
        .soft = system->soft,
    };
    const cnOrderResult result = cnSparseFactor_SetTopology(system->factor, &topology, flopLimit);
    system->flopsBefore = system->factor->statistics.flops;
    return result;
}

// ---- solution ---------------------------------------------------------------------------------------------

void cnLinearSystem_LoadValues(const cnLinearSystem* system) {
    const cnSparseValues values = {system->mass, system->jacobian, system->sigma};
    cnSparseFactor_SetValues(system->factor, &values);
}

static void Worsen(cnLinearSystem* system, cnSystemOutcome outcome) {
    system->outcome = outcome > system->outcome ? outcome : system->outcome;
}

static void SolveBounded(cnLinearSystem* system) {
    const cnBoxProblem problem = {
        .right = system->right,
        .lower = system->lower,
        .upper = system->upper,
        .sets = system->sets,
        .solution = system->solution,
    };
    const cnBoxSettings settings = {
        .tries = CN_BLOCK_TRIES,
        .minSteps = -1,
        .tolerance = system->tolerance > 0.0 ? system->tolerance : CN_BOX_TOLERANCE,
        .flopLimit = system->flopLimit > 0.0 ? system->flopsBefore + system->flopLimit : 0.0,
    };
    cnBoxStatistics taken = {0};
    if (!cnBoxSolver_Solve(system->box, system->factor, &problem, &settings, &taken)) {
        Worsen(system, cn_systemNoMemory);
    }
    if (taken.failed) {
        Worsen(system, cn_systemFailed);
    }
    if (system->flopLimit > 0.0 && cnLinearSystem_Work(system) > system->flopLimit) {
        Worsen(system, cn_systemOverBudget);
    }
    system->statistics.rounds += 1;
    system->statistics.pivots += taken.steps;
    system->statistics.fallbacks += taken.gaveUp;
    system->statistics.residual = cnMax(system->statistics.residual, taken.residual);
}

static void SolveBodies(cnLinearSystem* system) {
    CN_ASSERT(system->keepsInverses);
    cnSparseFactor_Refresh(system->factor); // for corrections, which are solved with it
    for (int i = 0; i < system->bodyCount; ++i) {
        const double* p = system->right + cn_bodyUnknowns * i;
        double* v = system->solution + cn_bodyUnknowns * i;
        cnPutVec(v, cnMulMat(system->inverses[i].linear, cnGetVec(p)));
        cnPutVec(v + 3, cnMulMat(system->inverses[i].angular, cnGetVec(p + 3)));
    }
}

void cnLinearSystem_Solve(cnLinearSystem* system) {
    CN_ASSERT(system->bodyCount >= 1 && system->rowCount >= 0);
    if (system->rowCount > 0) {
        SolveBounded(system);
    } else {
        SolveBodies(system);
    }
}

// ---- rows -------------------------------------------------------------------------------------------------

double cnLinearSystem_InverseEffectiveMass(const cnLinearSystem* system, const cnRowBlock* block, int row) {
    CN_ASSERT(row >= block->firstRow && row < cnRowBlock_End(block));
    double sum = 0.0;
    for (int place = 0; place < block->bodyCount; ++place) {
        const double* j = cnLinearSystem_NumbersAt(system, block, place, row);
        const double* mass = system->mass + cn_massNumbers * block->bodies[place];
        cnInverseMass inverse;
        if (system->keepsInverses) {
            inverse = system->inverses[block->bodies[place]];
        } else {
            inverse.linear = cnInverse(cnGetMatrix(mass));
            inverse.angular = cnInverse(cnGetMatrix(mass + 9));
        }
        cnVec3 force = cnGetVec(j), moment = cnGetVec(j + 3);
        sum +=
            cnDot(force, cnMulMat(inverse.linear, force)) + cnDot(moment, cnMulMat(inverse.angular, moment));
    }
    return sum;
}

void cnLinearSystem_PushRow(const cnLinearSystem* system, const cnRowBlock* block, int row, double impulse,
                            double* velocities) {
    CN_ASSERT(row >= block->firstRow && row < cnRowBlock_End(block));
    for (int place = 0; place < block->bodyCount; ++place) {
        const double* j = cnLinearSystem_NumbersAt(system, block, place, row);
        const cnInverseMass* inverse = &system->inverses[block->bodies[place]];
        double* v = velocities + cn_bodyUnknowns * block->bodies[place];
        cnPutVec(v, cnMulAdd(cnGetVec(v), impulse, cnMulMat(inverse->linear, cnGetVec(j))));
        cnPutVec(v + 3, cnMulAdd(cnGetVec(v + 3), impulse, cnMulMat(inverse->angular, cnGetVec(j + 3))));
    }
}

void cnLinearSystem_LoadImpulse(const cnLinearSystem* system, const cnRowBlock* block, int row,
                                double impulse) {
    CN_ASSERT(row >= block->firstRow && row < cnRowBlock_End(block));
    for (int place = 0; place < block->bodyCount; ++place) {
        const double* j = cnLinearSystem_NumbersAt(system, block, place, row);
        double* p = system->right + cn_bodyUnknowns * block->bodies[place];
        for (int k = 0; k < cn_bodyUnknowns; ++k) {
            p[k] += impulse * j[k];
        }
    }
}
