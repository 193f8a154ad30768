// Poses between steps, and those for drawing.
#include "world/world.h"

// The shorter way between two rotations, normalised.
static cnQuat BlendRotations(cnQuat a, cnQuat b, double alpha) {
    double dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    double s = dot < 0.0 ? -alpha : alpha;
    double r = 1.0 - alpha;
    return cnNormalizeQuat(
        (cnQuat){r * a.x + s * b.x, r * a.y + s * b.y, r * a.z + s * b.z, r * a.w + s * b.w});
}

cnPose cnInterpolatedPose(const cnWorld* world, int row, double alpha) {
    const cnBodyTable* bodies = &world->bodies;
    cnPose now = {bodies->position[row], bodies->rotation[row]};
    if (alpha >= 1.0 || (bodies->flags[row] & cn_bodyTeleported) != 0) {
        return now;
    }
    cnVec3 before = bodies->previousPosition[row];
    return (cnPose){
        cnMulAdd(before, alpha, cnSub(now.position, before)),
        BlendRotations(bodies->previousRotation[row], now.rotation, alpha),
    };
}

void cnWriteRenderPose(cnWorld* world, int row, double alpha) {
    cnPose pose = cnInterpolatedPose(world, row, alpha);
    world->bodies.renderPose[row] = (cnRenderPose){
        {(float)pose.position.x, (float)pose.position.y, (float)pose.position.z},
        0.0f,
        {(float)pose.rotation.x, (float)pose.rotation.y, (float)pose.rotation.z, (float)pose.rotation.w},
    };
}
