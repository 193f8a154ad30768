// What a step does to all bodies before it moves them, and after.
#include "dynamics/motion.h"
#include "world/step/step.h"

void cnAimKinematicBodies(cnWorld* world) {
    for (int row = 0; row < world->bodies.ids.rowCount; ++row) {
        if ((world->bodies.flags[row] & (cn_bodyLive | cn_bodyMoving)) == (cn_bodyLive | cn_bodyMoving)) {
            cnBody_AimAtTarget(&world->bodies, row, world->timeStep);
        }
    }
}

void cnRememberPoses(cnWorld* world) {
    for (int row = 0; row < world->bodies.ids.rowCount; ++row) {
        world->bodies.previousPosition[row] = world->bodies.position[row];
        world->bodies.previousRotation[row] = world->bodies.rotation[row];
        world->bodies.flags[row] &= ~(uint32_t)cn_bodyTeleported;
    }
}

void cnRememberCentres(cnWorld* world) {
    for (int row = 0; row < world->bodies.ids.rowCount; ++row) {
        world->bodies.contactCentre[row] = world->bodies.centreOfMass[row];
    }
}

void cnRememberVelocities(cnWorld* world) {
    cnBodyTable* bodies = &world->bodies;
    for (int row = 0; row < bodies->ids.rowCount; ++row) {
        // a kinematic body's velocity changes between steps
        if ((bodies->flags[row] & cn_bodyKinematic) == 0) {
            bodies->previousVelocity[row] = bodies->velocity[row];
            bodies->previousAngularVelocity[row] = bodies->angularVelocity[row];
        }
    }
}

void cnReadAccelerations(cnWorld* world) {
    cnBodyTable* bodies = &world->bodies;
    double rate = 1.0 / world->timeStep;
    for (int row = 0; row < bodies->ids.rowCount; ++row) {
        cnVec3* velocity = &bodies->previousVelocity[row];
        cnVec3* angularVelocity = &bodies->previousAngularVelocity[row];
        bodies->acceleration[row] = cnScale(rate, cnSub(bodies->velocity[row], *velocity));
        bodies->angularAcceleration[row] =
            cnScale(rate, cnSub(bodies->angularVelocity[row], *angularVelocity));
        *velocity = bodies->velocity[row];
        *angularVelocity = bodies->angularVelocity[row];
    }
}

void cnClearForces(cnWorld* world) {
    for (int row = 0; row < world->bodies.ids.rowCount; ++row) {
        world->bodies.force[row] = cnVec3_zero;
        world->bodies.torque[row] = cnVec3_zero;
    }
}
