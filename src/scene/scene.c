#include "scene/scene.h"

#include "base/containers/registry.h"
#include "base/report/error.h"
#include "base/report/format.h"

#include <string.h>

// ---- handles ----------------------------------------------------------------------------------------------

static cnRegistry registry = CN_EMPTY_REGISTRY; // the scenes of the process

// Null and an error for a handle that names no scene.
static cnScene* GetScene(cnSceneId id, const char* call) {
    if (CN_IS_NULL(id)) {
        cnFail(CN_ERROR_NULL_HANDLE, call, "scene",
               "scene is the null handle, allowed are those of objects that live");
        return NULL;
    }
    cnScene* scene = cnRegistry_Find(&registry, id.value);
    if (scene == NULL) {
        cnFail(CN_ERROR_STALE_HANDLE, call, "scene", "scene %u names no scene: it was destroyed",
               (unsigned)id.value);
    }
    return scene;
}

// ---- life -------------------------------------------------------------------------------------------------

static void FreeScene(cnScene* scene) {
    if (!CN_IS_NULL(scene->world) && cnWorld_IsValid(scene->world)) {
        cnDestroyWorld(scene->world);
    }
    for (int i = 0; i < scene->channels.count; ++i) {
        char* name = scene->channels.data[i].name;
        cnFree(name, strlen(name) + 1);
    }
    cnNames_Free(&scene->names);
    cnArray_Free(&scene->name);
    cnArray_Free(&scene->bodies);
    cnArray_Free(&scene->geometries);
    cnArray_Free(&scene->heightFields);
    cnArray_Free(&scene->heights);
    cnArray_Free(&scene->constraints);
    cnArray_Free(&scene->mergedBodies);
    cnArray_Free(&scene->patches);
    cnArray_Free(&scene->observers);
    cnArray_Free(&scene->actions);
    cnArray_Free(&scene->channels);
    cnArray_Free(&scene->record);
    cnArray_Free(&scene->output);
    cnFree(scene, sizeof *scene);
}

cnSceneId cnLoadScene(const char* text, size_t length, int threads) {
    return cnLoadSceneWithAssets(text, length, threads, NULL);
}

cnSceneId cnLoadSceneWithAssets(const char* text, size_t length, int threads, const cnAssetSource* assets) {
    enum {
        maxThreads = 32
    };
    const char* call = "cnLoadScene";
    cnSceneId none = {0};
    if (text == NULL) {
        cnFail(CN_ERROR_NULL_ARGUMENT, call, "text", "text is null: must be the text of a scene");
        return none;
    }
    if (threads < 0 || threads > maxThreads) {
        cnFail(CN_ERROR_OUT_OF_RANGE, call, "threads", "threads is %d: must be from 0 to %d", threads,
               maxThreads);
        return none;
    }
    cnScene* scene = cnAllocate(sizeof *scene);
    if (scene == NULL) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "text", "text cannot be loaded: there is no memory left");
        return none;
    }
    cnErrorCode code = cnScene_Load(scene, text, length, threads, assets, call);
    cnSceneId id = {code == CN_ERROR_NONE ? cnRegistry_Add(&registry, scene) : 0};
    if (!CN_IS_NULL(id)) {
        return id;
    }

    // nothing stays half-loaded; the error is set again because freeing passes through public calls
    cnErrorInfo error = *cnGetLastError();
    FreeScene(scene);
    if (code == CN_ERROR_NONE) {
        cnFail(CN_ERROR_TOO_MANY, call, "text", "text is scene %d: at most %d may be loaded at a time",
               CN_REGISTRY_SLOTS + 1, CN_REGISTRY_SLOTS);
    } else {
        cnFail(error.code, call, error.argument, "%s", error.message);
    }
    return none;
}

cnErrorCode cnDestroyScene(cnSceneId id) {
    cnScene* scene = GetScene(id, __func__);
    if (scene == NULL) {
        return cnGetLastError()->code;
    }
    // the step that a listener is notified of goes on with the scene afterwards
    if (cnWorld_IsValid(scene->world) && cnDestroyWorld(scene->world) != CN_ERROR_NONE) {
        return cnFail(CN_ERROR_WRONG_PHASE, __func__, "scene",
                      "a listener is at work: it cannot destroy its scene");
    }
    cnRegistry_Remove(&registry, id.value);
    FreeScene(scene);
    return CN_ERROR_NONE;
}

// ---- running ----------------------------------------------------------------------------------------------

cnWorldId cnScene_GetWorld(cnSceneId id) {
    cnScene* scene = GetScene(id, __func__);
    return scene != NULL ? scene->world : (cnWorldId){0};
}

const char* cnScene_GetName(cnSceneId id) {
    cnScene* scene = GetScene(id, __func__);
    return scene != NULL ? scene->name.data : "";
}

// Puts the name of the body that an error of the world names by its handle in front of its message.
static cnErrorCode NameBodyInError(const cnScene* scene, const char* call) {
    cnErrorInfo error = *cnGetLastError();
    for (int i = 0; i < scene->names.entries.count; ++i) {
        const cnNameEntry* entry = &scene->names.entries.data[i];
        if (entry->kind != cn_name_body) {
            continue;
        }
        char handle[16];
        const char* name = scene->names.letters.data + entry->text;
        cnFormat(handle, sizeof handle, "0x%08x", (unsigned)scene->bodies.data[entry->row].value);
        if (strstr(error.message, handle) != NULL) {
            return cnFail(error.code, call, name, "%.60s: %s", name, error.message);
        }
    }
    return error.code;
}

static cnScene* FindRunningScene(cnSceneId id, const char* call) {
    cnScene* scene = GetScene(id, call);
    if (scene != NULL && !cnWorld_IsValid(scene->world)) {
        cnFail(CN_ERROR_STALE_HANDLE, call, "scene", "scene has lost its world: it was destroyed");
        return NULL;
    }
    return scene;
}

static cnErrorCode CollideScene(cnScene* scene, const char* call) {
    cnErrorCode code = cnScene_ApplyActions(scene, call);
    return code == CN_ERROR_NONE ? cnWorld_Collide(scene->world) : code;
}

static cnErrorCode SolveScene(cnScene* scene, const char* call) {
    // a step that met a state that is not finite is complete all the same
    cnErrorCode code = cnWorld_Solve(scene->world);
    if (code == CN_ERROR_NONE || code == CN_ERROR_NON_FINITE_STATE) {
        for (int i = 0; i < scene->observers.count; ++i) {
            cnObserver* observer = &scene->observers.data[i];
            cnObserver_Follow(observer, scene->world, scene->bodies.data[observer->body]);
        }
    }
    return code == CN_ERROR_NON_FINITE_STATE ? NameBodyInError(scene, call) : code;
}

cnErrorCode cnScene_Collide(cnSceneId id) {
    cnScene* scene = FindRunningScene(id, __func__);
    return scene != NULL ? CollideScene(scene, __func__) : cnGetLastError()->code;
}

cnErrorCode cnScene_Solve(cnSceneId id) {
    cnScene* scene = FindRunningScene(id, __func__);
    return scene != NULL ? SolveScene(scene, __func__) : cnGetLastError()->code;
}

cnErrorCode cnScene_Step(cnSceneId id) {
    const char* call = __func__;
    cnScene* scene = FindRunningScene(id, call);
    if (scene == NULL) {
        return cnGetLastError()->code;
    }
    cnErrorCode code = CollideScene(scene, call);
    return code == CN_ERROR_NONE ? SolveScene(scene, call) : code;
}

// ---- names ------------------------------------------------------------------------------------------------

// Row of a named object, -1 and an error where nothing has the name.
static int FindRow(const cnScene* scene, cnNameKind kind, const char* name, const char* call) {
    if (name == NULL) {
        cnFail(CN_ERROR_NULL_ARGUMENT, call, "name", "name is null: must be the name of a %s",
               cnNameNoun(kind));
        return -1;
    }
    int row = cnNames_Find(&scene->names, kind, name);
    if (row < 0) {
        char names[120];
        cnNames_Describe(&scene->names, kind, names, sizeof names);
        cnFail(CN_ERROR_UNKNOWN_NAME, call, "name",
               "name is \"%.60s\": no %s of the scene is called so; there is %s", name, cnNameNoun(kind),
               names);
    }
    return row;
}

cnBodyId cnScene_FindBody(cnSceneId id, const char* name) {
    const char* call = __func__;
    cnScene* scene = GetScene(id, call);
    int row = scene != NULL ? FindRow(scene, cn_name_body, name, call) : -1;
    return row >= 0 ? scene->bodies.data[row] : (cnBodyId){0};
}

cnGeometryId cnScene_FindGeometry(cnSceneId id, const char* name) {
    const char* call = __func__;
    cnScene* scene = GetScene(id, call);
    int row = scene != NULL ? FindRow(scene, cn_name_geometry, name, call) : -1;
    return row >= 0 ? scene->geometries.data[row] : (cnGeometryId){0};
}

cnFrame cnScene_FindObserver(cnSceneId id, const char* name) {
    const char* call = __func__;
    const cnScene* scene = GetScene(id, call);
    int row = scene != NULL ? FindRow(scene, cn_name_observer, name, call) : -1;
    if (row < 0) {
        return (cnFrame){0};
    }
    const cnObserver* observer = &scene->observers.data[row];
    return (cnFrame){scene->bodies.data[observer->body], observer->localPosition, observer->localRotation};
}

cnConstraintId cnScene_FindConstraint(cnSceneId id, const char* name) {
    const char* call = __func__;
    cnScene* scene = GetScene(id, call);
    int row = scene != NULL ? FindRow(scene, cn_name_constraint, name, call) : -1;
    return row >= 0 ? scene->constraints.data[row] : (cnConstraintId){0};
}

cnMergedBodyId cnScene_FindMergedBody(cnSceneId id, const char* name) {
    const char* call = __func__;
    cnScene* scene = GetScene(id, call);
    int row = scene != NULL ? FindRow(scene, cn_name_mergedBody, name, call) : -1;
    return row >= 0 ? scene->mergedBodies.data[row] : (cnMergedBodyId){0};
}

// ---- channels ---------------------------------------------------------------------------------------------

int cnScene_GetRecordCount(cnSceneId id) {
    cnScene* scene = GetScene(id, __func__);
    return scene != NULL ? scene->record.count : 0;
}

const char* cnScene_GetRecord(cnSceneId id, int index) {
    const char* call = __func__;
    cnScene* scene = GetScene(id, call);
    if (scene == NULL) {
        return "";
    }
    if (index < 0 || index >= scene->record.count) {
        cnFail(CN_ERROR_OUT_OF_RANGE, call, "index", "index is %d: the scene records %d channels", index,
               scene->record.count);
        return "";
    }
    return scene->channels.data[scene->record.data[index]].name;
}

int cnScene_OpenChannel(cnSceneId id, const char* channel) {
    const char* call = __func__;
    cnScene* scene = GetScene(id, call);
    if (scene == NULL) {
        return -1;
    }
    if (channel == NULL) {
        cnFail(CN_ERROR_NULL_ARGUMENT, call, "channel", "channel is null: must be the name of a channel");
        return -1;
    }
    cnErrorCode code = CN_ERROR_NONE;
    char message[200];
    int row = cnScene_FindChannel(scene, channel, &code, message, sizeof message);
    if (code == CN_ERROR_NOT_SUPPORTED_YET) {
        cnFail(code, call, channel, "not supported yet: %s (%.60s)", message, channel);
    } else if (row < 0) {
        cnFail(code, call, channel, "channel %s", message);
    }
    return row;
}

const char* cnScene_ReadChannel(cnSceneId id, int channel) {
    const char* call = __func__;
    cnScene* scene = GetScene(id, call);
    if (scene == NULL) {
        return NULL;
    }
    if (channel < 0 || channel >= scene->channels.count) {
        cnFail(CN_ERROR_OUT_OF_RANGE, call, "channel", "channel is %d: the scene has opened %d", channel,
               scene->channels.count);
        return NULL;
    }
    CN_PIN(&scene->channels, "the channel that is read");
    const char* text = cnScene_WriteChannel(scene, &scene->channels.data[channel], call);
    CN_UNPIN(&scene->channels);
    return text;
}
