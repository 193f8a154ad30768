// Rows of bodies as they begin.
#include "dynamics/motion.h"
#include "world/world.h"

uint32_t cnMotionFlags(cnMotion motion) {
    return motion == cn_dynamic ? cn_bodyDynamic : (motion == cn_kinematic ? cn_bodyKinematic : 0);
}

void cnFillBody(cnWorld* world, int row, const cnBodyDef* def, cnQuat rotation) {
    cnBodyTable* bodies = &world->bodies;
    bool isInertiaOwn = cnIsZeroMat(def->inertia);

    // every column, since the row may have had an earlier life
    bodies->handle[row] = cnIdPool_ValueOf(&bodies->ids, row);
    bodies->flags[row] =
        cn_bodyLive | cnMotionFlags(def->motion) | (def->disabled ? 0u : cn_bodyEnabled) |
        (def->fast ? cn_bodyFast : 0u) | (def->sleepless ? cn_bodySleepless : 0u) |
        (def->unmergeable ? cn_bodyUnmergeable : 0u) | (def->unsplittable ? cn_bodyUnsplittable : 0u) |
        (def->mass > 0.0 ? cn_bodyMassGiven : 0u) | (isInertiaOwn ? 0u : cn_bodyInertiaGiven) |
        (def->centreOfMassGiven ? cn_bodyCentreGiven : 0u);
    bodies->position[row] = def->position;
    bodies->rotation[row] = rotation;
    bodies->halfStepVelocity[row] = def->motion == cn_static ? cnVec3_zero : def->velocity;
    bodies->halfStepAngularVelocity[row] = def->motion == cn_static ? cnVec3_zero : def->angularVelocity;
    bodies->force[row] = bodies->torque[row] = bodies->lastForce[row] = bodies->lastTorque[row] = cnVec3_zero;
    bodies->acceleration[row] = bodies->angularAcceleration[row] = cnVec3_zero;
    bodies->mass[row] = def->mass;
    bodies->inertia[row] = def->inertia;
    bodies->localCentreOfMass[row] = def->centreOfMassGiven ? def->centreOfMass : cnVec3_zero;
    bodies->linearDamping[row] = def->linearDamping;
    bodies->angularDamping[row] = def->angularDamping;
    bodies->massCoefficients[row] = def->massCoefficients;
    bodies->inertiaCoefficients[row] = def->inertiaCoefficients;
    bodies->gravityScale[row] = def->gravityScaleGiven ? def->gravityScale : 1.0;
    bodies->weightMoment[row] = cnVec3_zero;
    bodies->targetPosition[row] = cnVec3_zero;
    bodies->targetRotation[row] = cnQuat_identity;
    bodies->targetTime[row] = 0.0;
    bodies->previousPosition[row] = def->position;
    bodies->previousRotation[row] = rotation;
    bodies->contactCentre[row] = def->position;
    bodies->firstGeometry[row] = -1;
    bodies->firstConstraint[row] = -1;
    bodies->filteredSpin[row] = bodies->halfStepAngularVelocity[row];
    bodies->bearingMomentum[row] = cnVec3_zero;
    bodies->stiffness[row] = bodies->energyCredit[row] = 0.0;
    bodies->netForce[row] = bodies->netTorque[row] = cnVec3_zero;
    bodies->pathSpin[row] = bodies->spinRate[row] = cnVec3_zero;
    bodies->smoothSteps[row] = 0;
    bodies->owedImpulse[row] = bodies->owedMoment[row] = cnVec3_zero;
    bodies->lag[row] = 0.0;
    bodies->restTime[row] = 0.0;
    bodies->restCreep[row] = bodies->creepBefore[row] = cnVec3_zero;
    bodies->nextAsleep[row] = -1;
    bodies->mergedBody[row] = bodies->nextPart[row] = bodies->carrier[row] = -1;
    bodies->carriedPosition[row] = cnVec3_zero;
    bodies->carriedRotation[row] = cnQuat_identity;
    bodies->calmSteps[row] = 0;
    bodies->calmSpeed[row] = 0.0f;
    bodies->hold[row] = (cnPartHold){.load = 0.0f};
    bodies->toldMergedBody[row] = 0;
    bodies->supports[row] = (cnPartSupports){{-1, -1, -1, -1}};
    world->awakeRowsAreOld = true;
    cnRefreshMassProperties(world, row);
    cnBody_ReadState(bodies, row);
    bodies->previousVelocity[row] = bodies->velocity[row];
    bodies->previousAngularVelocity[row] = bodies->angularVelocity[row];
    cnWriteRenderPose(world, row, 1.0);
}
