// The section "meshes" of a scene.
#include "scene/load.h"

#include <string.h>

static void ReadTriangle(const cnJson* node, int vertexCount, cnSceneMesh* mesh) {
    int corners[3] = {0, 0, 0};
    if (!cnJson_CheckCount(node, 3, "a list of three vertex numbers")) {
        return;
    }
    for (cnJson item = cnJson_First(node, "a list of three vertex numbers"); cnJson_More(&item);
         cnJson_Next(&item)) {
        corners[item.index] = cnJson_AsInteger(&item, 0, vertexCount - 1, item.index);
        if (!cnArray_Push(&mesh->triangles, corners[item.index])) {
            cnLoader_FailMemory(&item);
        }
    }
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) {
        cnJson_Fail(node, "has a vertex twice: must have three different ones");
    }
}

static void ReadInline(const cnJson* node, cnSceneMesh* mesh) {
    cnJson vertices = cnJson_Get(node, "vertices");
    for (cnJson item = cnJson_First(&vertices, "a list of points"); cnJson_More(&item); cnJson_Next(&item)) {
        cnVec3 point = cnJson_AsVector(&item, &cnJson_any, cnVec3_zero);
        if (!cnArray_Push(&mesh->points, point)) {
            cnLoader_FailMemory(&item);
        }
    }
    cnJson triangles = cnJson_Need(node, "triangles");
    int vertexCount = cJSON_GetArraySize(vertices.value);
    if (vertexCount < 3) {
        cnJson_FailMust(&vertices, "a list of at least 3 points");
    }
    cnJson first = cnJson_First(&triangles, "a list of triangles");
    if (!cnJson_IsGiven(&first)) {
        cnJson_FailMust(&triangles, "a list of at least one triangle");
    }
    for (cnJson item = first; cnJson_More(&item); cnJson_Next(&item)) {
        ReadTriangle(&item, vertexCount, mesh);
    }
}

static void ReadFile(cnSceneLoader* loader, const cnJson* node, cnSceneMesh* mesh) {
    static const char* const endings[] = {".obj", ".stl", ".ply", ".off", ".gltf", ".glb"};
    const char* allowed = "the path of an .obj, .stl, .ply, .off, .gltf or .glb file";
    cnJson file = cnJson_Get(node, "file");
    cnJson triangles = cnJson_Get(node, "triangles");
    const char* path = cnJson_AsText(&file, allowed);
    size_t length = path != NULL ? strlen(path) : 0;
    bool isKnown = false;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i) {
        size_t ending = strlen(endings[i]);
        isKnown = isKnown || (length > ending && strcmp(path + length - ending, endings[i]) == 0);
    }
    if (!isKnown) {
        cnJson_FailMust(&file, allowed);
    }
    if (cnJson_IsGiven(&triangles)) {
        cnJson_Fail(&triangles, "must not be given with a file");
    }
    cnMeshData data;
    if (!cnJson_IsFine(node) || !cnLoader_ReadMesh(loader, &file, &data)) {
        return;
    }
    if (cnArray_Resize(&mesh->points, data.vertexCount) &&
        cnArray_Resize(&mesh->triangles, 3 * data.triangleCount)) {
        memcpy(mesh->points.data, data.vertices, (size_t)data.vertexCount * sizeof *data.vertices);
        memcpy(mesh->triangles.data, data.triangles, 3 * (size_t)data.triangleCount * sizeof *data.triangles);
    } else {
        cnLoader_FailMemory(&file);
    }
}

static void ReadSceneMesh(cnSceneLoader* loader, const cnJson* node, cnSceneMesh* mesh) {
    static const char* const keys[] = {"name", "file", "vertices", "triangles"};
    static const char* const forms[] = {"file", "vertices"};
    if (!CN_CHECK_KEYS(node, keys, "a mesh")) {
        return;
    }
    int form = cnJson_NeedOneOf(node, forms, 2);
    if (form == 0) {
        ReadFile(loader, node, mesh);
    } else if (form == 1) {
        ReadInline(node, mesh);
    }
}

void cnLoadMeshes(cnSceneLoader* loader, const cnJson* list) {
    for (cnJson item = cnJson_First(list, "a list of meshes"); cnJson_More(&item); cnJson_Next(&item)) {
        if (!cnArray_Push(&loader->meshes, (cnSceneMesh){0})) {
            cnLoader_FailMemory(&item);
            return;
        }
        CN_PIN(&loader->meshes, "the mesh that is read");
        ReadSceneMesh(loader, &item, &loader->meshes.data[loader->meshes.count - 1]);
        CN_UNPIN(&loader->meshes);
    }
}

const cnSceneMesh* cnLoader_FindMesh(cnSceneLoader* loader, const cnJson* node) {
    int row = cnLoader_FindNamed(loader, node, cn_name_mesh);
    return row >= 0 && row < loader->meshes.count ? &loader->meshes.data[row] : NULL;
}

void cnLoader_FreeMeshes(cnSceneLoader* loader) {
    for (int i = 0; i < loader->meshes.count; ++i) {
        cnArray_Free(&loader->meshes.data[i].points);
        cnArray_Free(&loader->meshes.data[i].triangles);
    }
    cnArray_Free(&loader->meshes);
}
