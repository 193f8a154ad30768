#include "solve/sweeps/taken_joints.h"

#include "base/report/assert.h"

#include <string.h>

static void TakeBody(const cnSolve* solve, int row) {
    cnBodyTable* bodies = solve->bodies;
    if (row < 0 || solve->solver.indexOfRow[row] == 0) {
        return;
    }
    cnVec3 owed = bodies->bearingMomentum[row];
    if (owed.x != 0.0 || owed.y != 0.0 || owed.z != 0.0) {
        bodies->halfStepAngularMomentum[row] = cnAdd(bodies->halfStepAngularMomentum[row], owed);
        bodies->bearingMomentum[row] = cnVec3_zero;
        cnBody_UpdateAngularVelocity(bodies, row);
    }
    bodies->filteredSpin[row] = bodies->halfStepAngularVelocity[row];
    bodies->stiffness[row] = bodies->energyCredit[row] = 0.0;
}

static void ForgetContact(cnPair* pair) {
    memset(pair->impulse, 0, sizeof pair->impulse);
    pair->friction = pair->rollingFriction = (cnVec3f){0.0f, 0.0f, 0.0f};
    pair->torsionalFriction = 0.0f;
}

bool cnTakeOverJoints(cnSolve* solve) {
    uint8_t* isTaken = CN_PUSH(solve->stack, uint8_t, solve->islandCount + 1, "islands taken over");
    if (isTaken == NULL) {
        return false;
    }
    memset(isTaken, 0, (size_t)solve->islandCount + 1);
    bool any = false;
    for (int j = 0; j < solve->jointCount; ++j) {
        const cnSolverJoint* solverJoint = &solve->joints[j];
        CN_ASSERT(solverJoint->island >= 0 && solverJoint->island < solve->islandCount);
        cnConstraint* joint = &solve->constraints->constraints[solverJoint->constraint];
        if (solve->islands[solverJoint->island].solver != cn_islandSwept || joint->lastStep == 0.0) {
            continue;
        }
        for (int slot = 0; slot < cn_slotCount; ++slot) {
            joint->rows[slot] = (cnRowState){0};
        }
        joint->lastStep = 0.0;
        joint->startsAtRest = false;
        TakeBody(solve, solverJoint->rows[0]);
        TakeBody(solve, solverJoint->rows[1]);
        isTaken[solverJoint->island] = 1;
        any = true;
    }
    for (int c = 0; any && c < solve->contactCount; ++c) {
        if (isTaken[solve->contacts[c].island]) {
            ForgetContact(cnPairTable_Get(solve->pairs, solve->contacts[c].pair));
        }
    }
    return true;
}
