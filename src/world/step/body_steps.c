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

void cnClearForces(cnWorld* world) {
    for (int row = 0; row < world->bodies.ids.rowCount; ++row) {
        world->bodies.force[row] = cnVec3_zero;
        world->bodies.torque[row] = cnVec3_zero;
    }
}
