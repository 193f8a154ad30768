// Observers: frames fixed in bodies, read as channels.
#include "scene/load.h"

cnFrame cnObserver_GetFrame(const cnScene* scene, const cnObserver* observer) {
    return (cnFrame){scene->bodies.data[observer->body], observer->position, observer->rotation};
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
            .position = cnJson_AsVector(&position, &cnJson_any, cnVec3_zero),
            .rotation = cnJson_AsRotation(&rotation),
        };
        if (!cnArray_Push(&scene->observers, observer)) {
            cnLoader_FailMemory(&item);
        }
    }
}
