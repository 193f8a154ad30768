// Frames of observers: how they move, seen from the world and from one another.
#include "api/checks.h"
#include "api/handles.h"

// A frame as an argument, and what errors call its members.
typedef struct Argument {
    const cnFrame* frame;
    const char *body, *position, *rotation;
} Argument;

// In the world.
static cnErrorCode FindMotion(const cnWorld* world, const Argument* argument, const char* call,
                              cnFrameMotion* out) {
    const cnFrame* frame = argument->frame;
    cnQuat rotation;
    CN_TRY(cnCheckVec(frame->position, call, argument->position));
    CN_TRY(cnCheckRotation(frame->rotation, &rotation, call, argument->rotation));
    if (CN_IS_NULL(frame->body)) {
        *out = (cnFrameMotion){.position = frame->position, .rotation = rotation};
        return CN_ERROR_NONE;
    }
    int row = cnFindBody(world, frame->body, call, argument->body);
    if (row < 0) {
        return cnGetLastError()->code;
    }
    const cnBodyTable* bodies = &world->bodies;
    cnPose pose = {bodies->position[row], bodies->rotation[row]};
    cnVec3 position = cnTransformPoint(pose, frame->position);
    cnVec3 arm = cnSub(position, bodies->centreOfMass[row]);
    cnVec3 spin = bodies->angularVelocity[row], spinRate = bodies->angularAcceleration[row];
    cnVec3 around = cnCross(spin, arm);
    *out = (cnFrameMotion){
        .position = position,
        .rotation = cnNormalizeQuat(cnMulQuat(pose.rotation, rotation)),
        .velocity = cnAdd(bodies->velocity[row], around),
        .angularVelocity = spin,
        .acceleration =
            cnAdd(bodies->acceleration[row], cnAdd(cnCross(spinRate, arm), cnCross(spin, around))),
        .angularAcceleration = spinRate,
    };
    return CN_ERROR_NONE;
}

// With d between the origins and ω, α of the frame `from`: what it measures of d changes by d' − ω × d, and
// that by d'' − α × d − ω × (ω × d) − 2 ω × (d' − ω × d).
static cnFrameMotion SeeFrom(const cnFrameMotion* from, const cnFrameMotion* seen) {
    cnVec3 spin = from->angularVelocity;
    cnVec3 between = cnSub(seen->position, from->position);
    cnVec3 around = cnCross(spin, between);
    cnVec3 velocity = cnSub(cnSub(seen->velocity, from->velocity), around);
    cnVec3 transport = cnAdd(cnCross(from->angularAcceleration, between), cnCross(spin, around));
    cnVec3 acceleration = cnSub(cnSub(seen->acceleration, from->acceleration), transport);
    acceleration = cnMulAdd(acceleration, -2.0, cnCross(spin, velocity));
    cnVec3 spinRate = cnSub(cnSub(seen->angularAcceleration, from->angularAcceleration),
                            cnCross(spin, seen->angularVelocity));
    cnQuat back = {-from->rotation.x, -from->rotation.y, -from->rotation.z, from->rotation.w};
    return (cnFrameMotion){
        .position = cnInvRotate(from->rotation, between),
        .rotation = cnNormalizeQuat(cnMulQuat(back, seen->rotation)),
        .velocity = cnInvRotate(from->rotation, velocity),
        .angularVelocity = cnInvRotate(from->rotation, cnSub(seen->angularVelocity, spin)),
        .acceleration = cnInvRotate(from->rotation, acceleration),
        .angularAcceleration = cnInvRotate(from->rotation, spinRate),
    };
}

cnFrameMotion cnWorld_GetFrameMotion(cnWorldId worldId, const cnFrame* frame, const cnFrame* relativeTo) {
    const char* call = __func__;
    const cnFrameMotion none = {.rotation = cnQuat_identity};
    const cnWorld* world = cnReadWorld(worldId, call);
    if (world != NULL && frame == NULL) {
        cnFail(CN_ERROR_NULL_ARGUMENT, call, "frame", "frame is null");
        return none;
    }
    const Argument first = {frame, "frame.body", "frame.position", "frame.rotation"};
    const Argument second = {relativeTo, "relativeTo.body", "relativeTo.position", "relativeTo.rotation"};
    cnFrameMotion seen, from;
    if (world == NULL || FindMotion(world, &first, call, &seen) != CN_ERROR_NONE) {
        return none;
    }
    if (relativeTo == NULL) {
        return seen;
    }
    if (FindMotion(world, &second, call, &from) != CN_ERROR_NONE) {
        return none;
    }
    return SeeFrom(&from, &seen);
}
