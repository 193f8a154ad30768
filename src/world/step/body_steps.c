// What a step does to all bodies that are awake before it moves them, and after.
#include "dynamics/motion.h"
#include "world/sleep.h"
#include "world/step/step.h"

#define CN_ROW_CHUNK 512

void cnAimKinematicBodies(cnWorld* world) {
    const cnRowList rows = cnGetAwakeRows(world);
    for (int i = 0; i < rows.count; ++i) {
        int row = cnRowList_Get(&rows, i);
        if ((world->bodies.flags[row] & (cn_bodyMoving | cn_bodyStopping)) != 0) {
            cnBody_AimAtTarget(&world->bodies, row, world->timeStep);
        }
    }
}

// What a task over bodies gets.
typedef struct BodyTask {
    cnWorld* world;
    cnRowList rows;
} BodyTask;

// Of all bodies but those that sleep, for whom nothing changes.
static void RunOverBodies(cnWorld* world, cnTask* task) {
    BodyTask bodies = {world, cnGetAwakeRows(world)};
    cnThreadPool_Run(world->threads, task, &bodies, bodies.rows.count, CN_ROW_CHUNK);
}

static void RememberTask(int begin, int end, int thread, void* context) {
    (void)thread;
    const BodyTask* over = context;
    cnBodyTable* bodies = &over->world->bodies;
    for (int i = begin; i < end; ++i) {
        int row = cnRowList_Get(&over->rows, i);
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
    RunOverBodies(world, RememberTask);
}

static void RememberCentresTask(int begin, int end, int thread, void* context) {
    (void)thread;
    const BodyTask* over = context;
    cnBodyTable* bodies = &over->world->bodies;
    for (int i = begin; i < end; ++i) {
        int row = cnRowList_Get(&over->rows, i);
        bodies->contactCentre[row] = bodies->centreOfMass[row];
    }
}

void cnRememberCentres(cnWorld* world) {
    RunOverBodies(world, RememberCentresTask);
}

static void ReadAccelerationsTask(int begin, int end, int thread, void* context) {
    (void)thread;
    const BodyTask* over = context;
    cnBodyTable* bodies = &over->world->bodies;
    double rate = 1.0 / over->world->timeStep;
    for (int i = begin; i < end; ++i) {
        int row = cnRowList_Get(&over->rows, i);
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
    RunOverBodies(world, ReadAccelerationsTask);
}

static void FinishTask(int begin, int end, int thread, void* context) {
    (void)thread;
    const BodyTask* over = context;
    cnWorld* world = over->world;
    for (int i = begin; i < end; ++i) {
        int row = cnRowList_Get(&over->rows, i);
        world->bodies.force[row] = cnVec3_zero;
        world->bodies.torque[row] = cnVec3_zero;
        if ((world->bodies.flags[row] & (cn_bodyDynamic | cn_bodyKinematic)) != 0) {
            cnWriteRenderPose(world, row, 1.0);
        }
    }
}

void cnFinishBodies(cnWorld* world) {
    RunOverBodies(world, FinishTask);
}
