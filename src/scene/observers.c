// Observers: frames fixed in bodies, read as channels.
#include "scene/load.h"

static void PlaceObserver(cnObserver* observer, cnWorldId world, cnBodyId body) {
    cnPose pose = {cnBody_GetPosition(world, body), cnBody_GetRotation(world, body)};
    observer->position = cnTransformPoint(pose, observer->localPosition);
    observer->rotation = cnNormalizeQuat(cnMulQuat(pose.rotation, observer->localRotation));

    // the body's velocity is that of its centre of mass
    cnVec3 arm = cnSub(observer->position, cnBody_GetCentreOfMass(world, body));
    observer->angularVelocity = cnBody_GetAngularVelocity(world, body);
    observer->velocity = cnAdd(cnBody_GetVelocity(world, body), cnCross(observer->angularVelocity, arm));
}

void cnObserver_Start(cnObserver* observer, cnWorldId world, cnBodyId body) {
    PlaceObserver(observer, world, body);
    observer->acceleration = cnVec3_zero;
    observer->angularAcceleration = cnVec3_zero;
}

void cnObserver_Follow(cnObserver* observer, cnWorldId world, cnBodyId body) {
    if (!cnBody_IsValid(world, body)) {
        return;
    }
    cnVec3 velocity = observer->velocity;
    cnVec3 angularVelocity = observer->angularVelocity;
    double rate = 1.0 / cnWorld_GetTimeStep(world);
    PlaceObserver(observer, world, body);
    observer->acceleration = cnScale(rate, cnSub(observer->velocity, velocity));
    observer->angularAcceleration = cnScale(rate, cnSub(observer->angularVelocity, angularVelocity));
}

void cnLoadObservers(cnSceneLoader* loader, const cnJson* list) {
    static const char* const keys[] = {"name", "body", "position", "rotation"};
    cnScene* scene = loader->scene;
    for (cnJson item = cnJson_First(list, "a list of observers"); cnJson_More(&item); cnJson_Next(&item)) {
        if (!CN_CHECK_KEYS(&item, keys, "an observer")) {
            return;
        }
        cnJson body = cnJson_Need(&item, "body");
        cnJson position = cnJson_Get(&item, "position");
        cnJson rotation = cnJson_Get(&item, "rotation");
        cnObserver observer = {
            .body = cnLoader_FindNamed(loader, &body, cn_name_body),
            .localPosition = cnJson_AsVector(&position, &cnJson_any, cnVec3_zero),
            .localRotation = cnJson_AsRotation(&rotation),
        };
        if (cnLoader_Builds(loader)) {
            cnObserver_Start(&observer, scene->world, scene->bodies.data[observer.body]);
        }
        if (!cnArray_Push(&scene->observers, observer)) {
            cnLoader_FailMemory(&item);
        }
    }
}
