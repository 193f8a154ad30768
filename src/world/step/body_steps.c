// What a step does to all bodies before it moves them, and after.
#include "dynamics/motion.h"
#include "world/step/step.h"

#define CN_ROW_CHUNK 512

void cnAimKinematicBodies(cnWorld* world) {
    for (int row = 0; row < world->bodies.ids.rowCount; ++row) {
        if ((world->bodies.flags[row] & (cn_bodyLive | cn_bodyMoving)) == (cn_bodyLive | cn_bodyMoving)) {
            cnBody_AimAtTarget(&world->bodies, row, world->timeStep);
        }
    }
}

static void RunOverRows(cnWorld* world, cnTask* task) {
    cnThreadPool_Run(world->threads, task, world, world->bodies.ids.rowCount, CN_ROW_CHUNK);
}

static void RememberTask(int begin, int end, int thread, void* context) {
    (void)thread;
    cnBodyTable* bodies = &((cnWorld*)context)->bodies;
    for (int row = begin; row < end; ++row) {
        bodies->previousPosition[row] = bodies->position[row];
        bodies->previousRotation[row] = bodies->rotation[row];
        bodies->flags[row] &= ~(uint32_t)cn_bodyTeleported;
        // a kinematic body's velocity changes between steps
        if ((bodies->flags[row] & cn_bodyKinematic) == 0) {
            bodies->previousVelocity[row] = bodies->velocity[row];
            bodies->previousAngularVelocity[row] = bodies->angularVelocity[row];
        }
    }
}

void cnRememberBodies(cnWorld* world) {
    RunOverRows(world, RememberTask);
}

static void RememberCentresTask(int begin, int end, int thread, void* context) {
    (void)thread;
    cnBodyTable* bodies = &((cnWorld*)context)->bodies;
    for (int row = begin; row < end; ++row) {
        bodies->contactCentre[row] = bodies->centreOfMass[row];
    }
}

void cnRememberCentres(cnWorld* world) {
    RunOverRows(world, RememberCentresTask);
}

static void ReadAccelerationsTask(int begin, int end, int thread, void* context) {
    (void)thread;
    cnBodyTable* bodies = &((cnWorld*)context)->bodies;
    double rate = 1.0 / ((cnWorld*)context)->timeStep;
    for (int row = begin; row < end; ++row) {
        cnVec3* velocity = &bodies->previousVelocity[row];
        cnVec3* angularVelocity = &bodies->previousAngularVelocity[row];
        bodies->acceleration[row] = cnScale(rate, cnSub(bodies->velocity[row], *velocity));
        bodies->angularAcceleration[row] =
            cnScale(rate, cnSub(bodies->angularVelocity[row], *angularVelocity));
        *velocity = bodies->velocity[row];
        *angularVelocity = bodies->angularVelocity[row];
    }
}

void cnReadAccelerations(cnWorld* world) {
    RunOverRows(world, ReadAccelerationsTask);
}

static void FinishTask(int begin, int end, int thread, void* context) {
    (void)thread;
    cnWorld* world = context;
    for (int row = begin; row < end; ++row) {
        world->bodies.force[row] = cnVec3_zero;
        world->bodies.torque[row] = cnVec3_zero;
        if ((world->bodies.flags[row] & (cn_bodyDynamic | cn_bodyKinematic)) != 0) {
            cnWriteRenderPose(world, row, 1.0);
        }
    }
}

void cnFinishBodies(cnWorld* world) {
    RunOverRows(world, FinishTask);
}
