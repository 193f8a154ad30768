// The state hash of a world: what the next step depends on, row by row, as little-endian integers.
#include "base/hash.h"
#include "world/world.h"

static void cnHash_AddVec(cnHash* hash, cnVec3 v) {
    cnHash_AddDouble(hash, v.x);
    cnHash_AddDouble(hash, v.y);
    cnHash_AddDouble(hash, v.z);
}

static void cnHash_AddQuat(cnHash* hash, cnQuat q) {
    cnHash_AddVec(hash, cnVec(q.x, q.y, q.z));
    cnHash_AddDouble(hash, q.w);
}

static void cnHash_AddVecF(cnHash* hash, cnVec3f v) {
    cnHash_AddFloat(hash, v.x);
    cnHash_AddFloat(hash, v.y);
    cnHash_AddFloat(hash, v.z);
}

static void cnHash_AddBodies(cnHash* hash, const cnBodyTable* bodies) {
    for (int row = 0; row < bodies->ids.rowCount; ++row) {
        if ((bodies->flags[row] & cn_bodyLive) == 0) {
            continue;
        }
        cnHash_AddU64(hash, (uint64_t)(uint32_t)row << 32 | bodies->flags[row]);
        cnHash_AddVec(hash, bodies->position[row]);
        cnHash_AddQuat(hash, bodies->rotation[row]);
        cnHash_AddVec(hash, bodies->velocity[row]);
        cnHash_AddVec(hash, bodies->angularMomentum[row]);
        cnHash_AddVec(hash, bodies->force[row]);
        cnHash_AddVec(hash, bodies->torque[row]);
        cnHash_AddDouble(hash, bodies->mass[row]);
        cnHash_AddVec(hash, bodies->principalInertia[row]);
        cnHash_AddVec(hash, bodies->targetPosition[row]);
        cnHash_AddQuat(hash, bodies->targetRotation[row]);
        cnHash_AddDouble(hash, bodies->targetTime[row]);
        if (bodies->energyCredit[row] != 0.0) { // of islands with joints
            cnHash_AddDouble(hash, bodies->energyCredit[row]);
        }
    }
}

static void cnHash_AddPair(cnHash* hash, const cnPair* pair) {
    cnHash_AddU64(hash, cnPair_GetKey(pair) - 1);
    cnHash_AddU64(hash, (uint64_t)pair->flags << 32 | (uint32_t)pair->hardSteps);
    cnHash_AddU64(hash, (uint64_t)pair->cache.feature1 << 32 | pair->cache.feature2);
    cnHash_AddU64(hash, (uint64_t)pair->cache.kind << 32 | (uint32_t)pair->manifold.pointCount);
    cnHash_AddVecF(hash, pair->cache.axis);
    cnHash_AddVecF(hash, pair->manifold.normal);
    cnHash_AddVecF(hash, pair->friction);
    cnHash_AddFloat(hash, pair->twist);
    cnHash_AddFloat(hash, pair->slowImpulse);
    cnHash_AddFloat(hash, pair->pushLimit);
    if (pair->concave >= 0) {
        cnHash_AddVec(hash, pair->made1.centre);
        cnHash_AddQuat(hash, pair->made1.rotation);
        cnHash_AddVec(hash, pair->made2.centre);
        cnHash_AddQuat(hash, pair->made2.rotation);
    }
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        cnHash_AddVecF(hash, pair->arm1[i]);
        cnHash_AddVecF(hash, pair->arm2[i]);
        cnHash_AddFloat(hash, pair->madeDepth[i]);
        cnHash_AddFloat(hash, pair->impulse[i]);
    }
}

// What a constraint carries on to the next step, and what its bodies do for its sake.
static void cnHash_AddConstraint(cnHash* hash, const cnWorld* world, int row) {
    const cnConstraint* joint = &world->constraints.constraints[row];
    uint32_t steps = (uint32_t)joint->groupedSteps << 16;
    cnHash_AddU64(hash, (uint64_t)(uint32_t)row << 32 | world->constraints.flags[row] | steps);
    cnHash_AddDouble(hash, joint->lastStep);
    cnHash_AddDouble(hash, joint->islandWork);
    if (joint->lastStep == 0.0 && joint->startsAtRest) {
        cnHash_AddU64(hash, 1);
    }
    for (int slot = 0; slot < cn_slotCount; ++slot) {
        cnHash_AddDouble(hash, joint->rows[slot].force);
        cnHash_AddDouble(hash, joint->rows[slot].violation);
        cnHash_AddU64(hash, joint->rows[slot].active);
    }
    for (int i = 0; i < 2; ++i) {
        cnHash_AddDouble(hash, joint->turns[i]);
        cnHash_AddDouble(hash, joint->lastRaw[i]);
    }
    const int bodies[2] = {joint->body1, joint->body2};
    for (int i = 0; i < 2; ++i) {
        if (bodies[i] >= 0) {
            cnHash_AddVec(hash, world->bodies.filteredSpin[bodies[i]]);
            cnHash_AddVec(hash, world->bodies.bearingMomentum[bodies[i]]);
            cnHash_AddDouble(hash, world->bodies.stiffness[bodies[i]]);
        }
    }
}

uint64_t cnHashState(const cnWorld* world) {
    cnHash hash = cnHash_Start();
    cnHash_AddDouble(&hash, world->stepCount);
    cnHash_AddBodies(&hash, &world->bodies);
    for (int i = 0; i < world->pairs.pairs.count; ++i) {
        cnHash_AddPair(&hash, &world->pairs.pairs.data[i]);
    }
    for (int row = 0; row < world->constraints.ids.rowCount; ++row) {
        if ((world->constraints.flags[row] & cn_constraintLive) != 0) {
            cnHash_AddConstraint(&hash, world, row);
        }
    }
    cnHash_AddU64(&hash, cnBroadPhase_Hash(world->broadPhase));
    return hash.value;
}
