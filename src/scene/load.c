#include "scene/load.h"

#include "base/report/error.h"
#include "scene/json/syntax.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what the sections share ------------------------------------------------------------------------------

// Most parts of an argument that have a place in a file.
#define CN_MAX_DEPTH 4

// What "adhesionForce" of the engine is in a file: the key `force` of the object `adhesion`.
static bool FindInner(const cnJson* object, const char* name, cnJson path[2]) {
    size_t length = strcspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    char outer[32], inner[32];
    if (name[length] == '\0' || strlen(name) >= sizeof outer) {
        return false;
    }
    memcpy(outer, name, length);
    outer[length] = '\0';
    memcpy(inner, name + length, strlen(name + length) + 1);
    inner[0] = (char)(inner[0] - 'A' + 'a');
    path[0] = cnJson_Get(object, outer);
    path[1] = cnJson_Get(&path[0], inner);
    if (path[1].value == NULL) {
        return false;
    }
    path[0].key = path[0].value->string; // that lives as long as the document
    path[1].key = path[1].value->string;
    return true;
}

// The node that "def.motor[1].force" stands for, as far as the object has its parts; `path` holds
// those on the way.
static const cnJson* FindArgument(const cnJson* object, const char* argument, cnJson path[CN_MAX_DEPTH]) {
    const cnJson* place = object;
    const char* at = argument + (strncmp(argument, "def.", 4) == 0 ? 4 : 0);
    for (int depth = 0; depth < CN_MAX_DEPTH && *at != '\0'; ++depth) {
        char key[32];
        size_t length = strcspn(at, ".[]");
        if (length == 0 || length >= sizeof key) {
            break;
        }
        memcpy(key, at, length);
        key[length] = '\0';
        bool isIndex = key[0] >= '0' && key[0] <= '9';
        path[depth] = isIndex && cJSON_IsArray(place->value) ? cnJson_At(place, (int)strtol(key, NULL, 10))
                                                             : cnJson_Get(place, key);
        if (path[depth].value == NULL) {
            break;
        }
        path[depth].key = path[depth].value->string; // that lives as long as the document
        place = &path[depth];
        at += length;
        at += strspn(at, ".[]");
    }
    return place;
}

bool cnLoader_Accept(const cnJson* node, bool succeeded) {
    if (succeeded) {
        return true;
    }
    cnErrorInfo error = *cnGetLastError();
    bool isOfFile = error.code != CN_ERROR_OUT_OF_MEMORY && error.code != CN_ERROR_TOO_MANY &&
                    error.code != CN_ERROR_NOT_SUPPORTED_YET;

    // "def.mass" or "mass" is the key "mass", if the object has one; "def.motor[1].force" is /motor/1/force
    cnJson path[CN_MAX_DEPTH];
    const cnJson* place = FindArgument(node, error.argument, path);
    if (place == node) {
        const char* dot = strrchr(error.argument, '.');
        const char* name = dot != NULL ? dot + 1 : error.argument;
        bool isInner = FindInner(node, name, &path[1]);
        path[0] = cnJson_Get(node, name);
        place = path[0].value != NULL ? &path[0] : isInner ? &path[2] : node;
    }
    if (error.code == CN_ERROR_NOT_SUPPORTED_YET) {
        cnJson_NotYet(place, "%s", error.message);
    } else {
        cnJson_FailWith(place, isOfFile ? CN_ERROR_SCENE : error.code, "cannot be made: %s", error.message);
    }
    return false;
}

bool cnLoader_FailMemory(const cnJson* node) {
    cnJson_FailWith(node, CN_ERROR_OUT_OF_MEMORY, "cannot be made: there is no memory left");
    return false;
}

int cnLoader_FindNamed(cnSceneLoader* loader, const cnJson* node, cnNameKind kind) {
    const char* name = cnJson_AsText(node, "a name");
    if (name == NULL) {
        return -1;
    }
    int row = cnNames_Find(&loader->scene->names, kind, name);
    if (row < 0) {
        char names[100];
        cnNames_Describe(&loader->scene->names, kind, names, sizeof names);
        cnJson_Fail(node, "is \"%.40s\": must be the name of a %s of this file: %s", name, cnNameNoun(kind),
                    names);
    }
    return row;
}

bool cnLoader_FindTwo(cnSceneLoader* loader, const cnJson* list, cnNameKind kind, int rows[2]) {
    if (!cnJson_CheckCount(list, 2, "a list of two names")) {
        return false;
    }
    for (int i = 0; i < 2; ++i) {
        cnJson item = cnJson_At(list, i);
        rows[i] = cnLoader_FindNamed(loader, &item, kind);
    }
    return cnJson_IsFine(list);
}

// ---- names ------------------------------------------------------------------------------------------------

static void CollectName(cnSceneLoader* loader, const cnJson* object, cnNameKind kind, int row) {
    cnNames* names = &loader->scene->names;
    cnJson node = cnJson_Get(object, "name");
    const char* name = cnJson_AsName(&node);
    if (name == NULL) {
        return;
    }
    if (cnNames_Find(names, kind, name) >= 0) {
        cnJson_Fail(&node, "is \"%.40s\", the name of another %s: names are unique in their list", name,
                    cnNameNoun(kind));
    } else if (!cnNames_Add(names, kind, name, row)) {
        cnLoader_FailMemory(&node);
    }
}

// Group names come to be where geometries use them.
static void CollectGroups(cnSceneLoader* loader, const cnJson* geometry, int* groupCount) {
    cnNames* names = &loader->scene->names;
    cnJson list = cnJson_Get(geometry, "groups");
    for (cnJson item = cnJson_First(&list, "a list of groups"); cnJson_More(&item); cnJson_Next(&item)) {
        const char* name = cJSON_IsString(item.value) ? cnJson_AsName(&item) : NULL;
        if (name != NULL && cnNames_Find(names, cn_name_group, name) < 0 &&
            !cnNames_Add(names, cn_name_group, name, (*groupCount)++)) {
            cnLoader_FailMemory(&item);
        }
    }
}

static void CollectNames(cnSceneLoader* loader, const cnJson* document) {
    static const struct {
        const char* key;
        cnNameKind kind;
    } lists[] = {
        {"materials", cn_name_material},
        {"meshes", cn_name_mesh},
        {"bodies", cn_name_body},
        {"geometries", cn_name_geometry},
        {"constraints", cn_name_constraint},
        {"mergedBodies", cn_name_mergedBody},
        {"observers", cn_name_observer},
    };
    int groupCount = 0;
    int geometryCount = 0;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i) {
        cnJson list = cnJson_Get(document, lists[i].key);
        for (cnJson item = cnJson_First(&list, "a list"); cnJson_More(&item); cnJson_Next(&item)) {
            if (!cJSON_IsObject(item.value)) {
                cnJson_FailMust(&item, "an object");
            }
            CollectName(loader, &item, lists[i].kind, item.index);
            if (lists[i].kind == cn_name_geometry) {
                CollectGroups(loader, &item, &groupCount);
                ++geometryCount;
            }
        }
    }

    // static geometry and bodies share the names of contact channels
    cnJson free = cnJson_Get(document, "geometries");
    for (cnJson item = cnJson_First(&free, "a list"); cnJson_More(&item); cnJson_Next(&item)) {
        cnJson node = cnJson_Get(&item, "name");
        const char* name = cnJson_AsName(&node);
        if (name != NULL && cnNames_Find(&loader->scene->names, cn_name_body, name) >= 0) {
            cnJson_Fail(&node, "is \"%.40s\", the name of a body: a free geometry must have another", name);
        }
    }

    // geometries of bodies come after the free ones
    cnJson bodies = cnJson_Get(document, "bodies");
    for (cnJson body = cnJson_First(&bodies, "a list"); cnJson_More(&body); cnJson_Next(&body)) {
        cnJson list = cnJson_Get(&body, "geometries");
        for (cnJson item = cnJson_First(&list, "a list"); cnJson_More(&item); cnJson_Next(&item)) {
            if (!cJSON_IsObject(item.value)) {
                cnJson_FailMust(&item, "an object");
            }
            CollectName(loader, &item, cn_name_geometry, geometryCount++);
            CollectGroups(loader, &item, &groupCount);
        }
    }
}

// ---- world ------------------------------------------------------------------------------------------------

static cnGravity ReadGravity(const cnJson* node) {
    cnGravity gravity = {.type = cn_gravityDefault};
    if (!cnJson_IsGiven(node)) {
        return gravity;
    }
    if (!cJSON_IsObject(node->value)) {
        if (!cJSON_IsArray(node->value)) {
            cnJson_FailMust(node, "a vector [x, y, z] or an object with a type");
            return gravity;
        }
        gravity.type = cn_gravityUniform;
        gravity.acceleration = cnJson_AsVector(node, &cnJson_any, cnVec3_zero);
        return gravity;
    }

    // towards a centre
    static const char* const types[] = {"point", "kepler"};
    static const char* const pointKeys[] = {"type", "centre", "magnitude"};
    static const char* const keplerKeys[] = {"type", "centre", "mu"};
    cnJson type = cnJson_Need(node, "type");
    bool isKepler = CN_AS_CHOICE(&type, types, 0) == 1;
    if (isKepler) {
        CN_CHECK_KEYS(node, keplerKeys, "gravity of type kepler");
    } else {
        CN_CHECK_KEYS(node, pointKeys, "gravity of type point");
    }
    cnJson centre = cnJson_Get(node, "centre");
    gravity.centre = cnJson_AsVector(&centre, &cnJson_any, cnVec3_zero);
    if (isKepler) {
        cnJson mu = cnJson_Need(node, "mu");
        gravity.type = cn_gravityKepler;
        gravity.mu = cnJson_AsNumber(&mu, &cnJson_notNegative, 0.0);
    } else {
        cnJson magnitude = cnJson_Get(node, "magnitude");
        gravity.type = cn_gravityPoint;
        gravity.magnitude = cnJson_AsNumber(&magnitude, &cnJson_notNegative, 9.80665);
    }
    return gravity;
}

static cnSolverSettings ReadSolver(const cnJson* node) {
    static const char* const keys[] = {"default", "iterations", "substeps", "warmStart"};
    // the last is another name of `iterative`
    static const char* const kinds[] = {
        [cn_solverAuto] = "auto",   [cn_solverIterative] = "iterative",          [cn_solverDirect] = "direct",
        [cn_solverSplit] = "split", [cn_solverSplit + 1] = "directAndIterative",
    };
    cnSolverSettings settings = {.type = cn_solverAuto};
    if (!cnJson_IsGiven(node) || !CN_CHECK_KEYS(node, keys, "a solver")) {
        return settings;
    }
    cnJson kind = cnJson_Get(node, "default");
    int choice = CN_AS_CHOICE(&kind, kinds, cn_solverAuto);
    settings.type = choice > cn_solverSplit ? cn_solverDirectAndIterative : (cnSolverType)choice;
    cnJson iterations = cnJson_Get(node, "iterations");
    cnJson substeps = cnJson_Get(node, "substeps");
    settings.iterations = cnJson_AsInteger(&iterations, 1, 1000, 0);
    settings.substeps = cnJson_AsInteger(&substeps, 1, 64, 0);
    settings.disableWarmStart = !cnJson_GetBoolean(node, "warmStart", true);
    return settings;
}

static cnSleepSettings ReadSleep(const cnJson* node) {
    static const char* const keys[] = {"enabled", "linear", "angular", "time"};
    if (!cnJson_IsGiven(node) || !CN_CHECK_KEYS(node, keys, "sleep")) {
        return (cnSleepSettings){0};
    }
    cnJson linear = cnJson_Get(node, "linear");
    cnJson angular = cnJson_Get(node, "angular");
    cnJson time = cnJson_Get(node, "time");
    return (cnSleepSettings){
        .enabled = cnJson_GetBoolean(node, "enabled", false),
        .linear = cnJson_AsNumber(&linear, &cnJson_notNegative, 0.0),
        .angular = cnJson_AsNumber(&angular, &cnJson_notNegative, 0.0),
        .time = cnJson_AsNumber(&time, &cnJson_notNegative, 0.0),
    };
}

static cnMergeSplitSettings ReadMergeSplit(const cnJson* node) {
    static const char* const keys[] = {"enabled",        "normalSpeed",     "tangentialSpeed",
                                       "rollingSpeed",   "constraintSpeed", "impactSpeed",
                                       "setValueChange", "forceRangeChange"};
    if (!cnJson_IsGiven(node) || !CN_CHECK_KEYS(node, keys, "mergeSplit")) {
        return (cnMergeSplitSettings){0};
    }
    cnMergeSplitSettings settings = {.enabled = cnJson_GetBoolean(node, keys[0], false)};
    double* const values[] = {&settings.normalSpeed,     &settings.tangentialSpeed, &settings.rollingSpeed,
                              &settings.constraintSpeed, &settings.impactSpeed,     &settings.setValueChange,
                              &settings.forceRangeChange};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
        cnJson threshold = cnJson_Get(node, keys[i + 1]);
        *values[i] = cnJson_AsNumber(&threshold, &cnJson_notNegative, 0.0);
    }
    return settings;
}

static void LoadWorld(cnSceneLoader* loader, const cnJson* node, int bodyCount) {
    static const char* const keys[] = {"timeStep",        "gravity",          "solver",
                                       "gyroscopic",      "continuous",       "sleep",
                                       "mergeSplit",      "contactReduction", "contactReductionResolution",
                                       "contactWarmStart"};
    static const char* const reductions[] = {
        [cn_reductionMaterial] = "material", [cn_reductionNone] = "none", [cn_reductionAll] = "all"};
    static const cnJsonRange timeSteps = {1e-6, false, 1.0, "a number from 1e-6 to 1 (s)"};
    if (cnJson_IsGiven(node) && !CN_CHECK_KEYS(node, keys, "the world")) {
        return;
    }
    cnJson timeStep = cnJson_Get(node, "timeStep");
    cnJson gravity = cnJson_Get(node, "gravity");
    cnJson solver = cnJson_Get(node, "solver");
    cnJson reduction = cnJson_Get(node, "contactReduction");
    cnJson resolution = cnJson_Get(node, "contactReductionResolution");
    cnJson sleep = cnJson_Get(node, "sleep");
    cnJson mergeSplit = cnJson_Get(node, "mergeSplit");
    cnWorldDef def = {
        .timeStep = cnJson_AsNumber(&timeStep, &timeSteps, 0.0),
        .gravity = ReadGravity(&gravity),
        .solver = ReadSolver(&solver),
        .sleep = ReadSleep(&sleep),
        .mergeSplit = ReadMergeSplit(&mergeSplit),
        .disableGyroscopic = !cnJson_GetBoolean(node, "gyroscopic", true),
        .disableContinuous = !cnJson_GetBoolean(node, "continuous", true),
        .threads = loader->threads,
        .bodyCapacity = bodyCount,
        .contactReduction =
            (cnContactReductionMode)CN_AS_CHOICE(&reduction, reductions, cn_reductionMaterial),
        .contactReductionResolution = cnJson_AsInteger(&resolution, 1, 10, 0),
    };
    def.solver.disableWarmStart =
        !cnJson_GetBoolean(node, "contactWarmStart", true) || def.solver.disableWarmStart;

    if (cnLoader_Builds(loader)) {
        loader->scene->world = cnCreateWorld(&def);
        cnLoader_Accept(node, !CN_IS_NULL(loader->scene->world));
    }
}

// ---- the document -----------------------------------------------------------------------------------------

static void CheckHead(cnSceneLoader* loader, const cnJson* document) {
    static const char* const keys[] = {
        "format",           "version",   "name",    "description", "world",       "materials",
        "contactMaterials", "meshes",    "bodies",  "geometries",  "constraints", "collisionPairs",
        "mergedBodies",     "observers", "actions", "record",
    };
    if (!CN_CHECK_KEYS(document, keys, "a scene")) {
        return;
    }
    cnJson format = cnJson_Get(document, "format");
    if (!cJSON_IsString(format.value) || strcmp(format.value->valuestring, "cairn-scene") != 0) {
        cnJson_FailMust(&format, "\"cairn-scene\"");
    }
    cnJson version = cnJson_Get(document, "version");
    if (!cJSON_IsNumber(version.value) || version.value->valuedouble != 1.0) {
        cnJson_FailMust(&version, "1, the version that this build reads");
    }

    // texts
    cnJson description = cnJson_Get(document, "description");
    cnJson_AsText(&description, "a text");
    cnJson node = cnJson_Get(document, "name");
    const char* name = cnJson_AsText(&node, "a text");
    int size = name != NULL ? (int)strlen(name) + 1 : 1;
    if (!cnArray_Resize(&loader->scene->name, size)) {
        cnLoader_FailMemory(&node);
        return;
    }
    memcpy(loader->scene->name.data, name != NULL ? name : "", (size_t)size);
}

static void LoadRecord(cnSceneLoader* loader, const cnJson* list) {
    for (cnJson item = cnJson_First(list, "a list of channels"); cnJson_More(&item); cnJson_Next(&item)) {
        const char* name = cnJson_AsText(&item, "a channel");
        if (name == NULL) {
            continue;
        }
        cnErrorCode code = CN_ERROR_NONE;
        char message[200];
        int channel = cnScene_FindChannel(loader->scene, name, &code, message, sizeof message);
        if (code == CN_ERROR_NOT_SUPPORTED_YET) {
            cnJson_NotYet(&item, "%s", message);
        } else if (channel < 0) {
            cnJson_FailWith(&item, code == CN_ERROR_OUT_OF_MEMORY ? code : CN_ERROR_SCENE, "%s", message);
        } else if (!cnArray_Push(&loader->scene->record, channel)) {
            cnLoader_FailMemory(&item);
        }
    }
}

static void LoadDocument(cnSceneLoader* loader, const cnJson* document) {
    CheckHead(loader, document);
    CollectNames(loader, document);

    // in an order in which everything finds what it refers to
    cnJson world = cnJson_Get(document, "world");
    cnJson bodies = cnJson_Get(document, "bodies");
    LoadWorld(loader, &world, cJSON_GetArraySize(bodies.value));
    static const struct {
        const char* key;
        void (*load)(cnSceneLoader* loader, const cnJson* list);
    } sections[] = {
        {"materials", cnLoadMaterials},
        {"meshes", cnLoadMeshes},
        {"geometries", cnLoadFreeGeometries},
        {"bodies", cnLoadBodies},
        {"contactMaterials", cnLoadContactMaterials}, // may be in the frame of a body
        {"collisionPairs", cnLoadCollisionPairs},
        {"constraints", cnLoadConstraints},
        {"mergedBodies", cnLoadMergedBodies},
        {"observers", cnLoadObservers},
        {"actions", cnLoadActions},
        {"record", LoadRecord},
    };
    for (size_t i = 0; i < sizeof sections / sizeof sections[0] && cnJson_IsFine(document); ++i) {
        cnJson list = cnJson_Get(document, sections[i].key);
        sections[i].load(loader, &list);
    }
}

static cnErrorCode SetLoadError(const cnSceneReport* report, const char* call) {
    if (report->code != CN_ERROR_NONE) {
        return cnFail(report->code, call, report->path, "%s", report->message);
    }
    if (report->isNotYet) {
        return cnFail(CN_ERROR_NOT_SUPPORTED_YET, call, report->notYetPath, "%s", report->notYetMessage);
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnScene_Load(cnScene* scene, const char* text, size_t length, int threads,
                         const cnAssetSource* assets, const char* call) {
    // a byte-order mark is no part of the text
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        length -= 3;
    }
    cnSyntaxError syntax;
    if (!cnCheckJsonSyntax(text, length, &syntax)) {
        return cnFail(CN_ERROR_SCENE, call, "/", "/ is not JSON: line %d, column %d: %s", syntax.line,
                      syntax.column, syntax.message);
    }
    cJSON* document = cJSON_ParseWithLength(text, length);
    if (document == NULL) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "/", "/ cannot be read: there is no memory left");
    }

    cnSceneLoader loader = {.scene = scene, .threads = threads, .assets = assets};
    cnJson root = {document, &loader.report, NULL, NULL, 0};
    LoadDocument(&loader, &root);
    cJSON_Delete(document);
    cnArray_Free(&loader.materials);
    cnArray_Free(&loader.bodies);
    cnArray_Free(&loader.isHeightField);
    cnArray_Free(&loader.instances);
    cnArray_Free(&loader.points);
    cnLoader_FreeMeshes(&loader);
    cnArray_Free(&loader.heights);
    return SetLoadError(&loader.report, call);
}
