// Scenes whose files are bytes: meshes and images are read where the scene names them.
#include "scene/scene.h"

#include "api/checks.h"
#include "base/report/error.h"

typedef struct cnFileAssets {
    const cnFileSource* files;
    cnMeshData mesh;   // the one read last
    cnHeightData grid; // the one read last
} cnFileAssets;

static cnErrorCode cnFindFile(const cnFileSource* files, const char* name, const void** bytes,
                              size_t* length) {
    *bytes = files->find(name, length, files->context);
    return *bytes != NULL ? CN_ERROR_NONE
                          : cnFail(CN_ERROR_FILE, "cnLoadScene", "files", "there is no such file");
}

static cnErrorCode cnReadMeshOfFile(const char* name, cnMeshData* mesh, void* context) {
    cnFileAssets* assets = context;
    cnMeshOptions options = {.files = assets->files, .path = name};
    const void* bytes;
    size_t length = 0;
    cnFreeMesh(&assets->mesh);
    CN_TRY(cnFindFile(assets->files, name, &bytes, &length));
    CN_TRY(cnReadMesh(name, bytes, length, &options, &assets->mesh));
    *mesh = assets->mesh;
    return CN_ERROR_NONE;
}

static cnErrorCode cnReadHeightsOfFile(const char* name, cnHeightData* grid, void* context) {
    cnFileAssets* assets = context;
    const void* bytes;
    size_t length = 0;
    cnFreeHeights(&assets->grid);
    CN_TRY(cnFindFile(assets->files, name, &bytes, &length));
    CN_TRY(cnReadHeightImage("png", bytes, length, NULL, &assets->grid));
    *grid = assets->grid;
    return CN_ERROR_NONE;
}

cnSceneId cnLoadSceneWithFiles(const char* text, size_t length, int threads, const cnFileSource* files) {
    if (files == NULL) {
        return cnLoadScene(text, length, threads);
    }
    if (files->find == NULL) {
        cnFail(CN_ERROR_NULL_ARGUMENT, "cnLoadScene", "files", "files.find is null: must be a function");
        return (cnSceneId){0};
    }
    cnFileAssets assets = {.files = files};
    cnAssetSource source = {cnReadMeshOfFile, cnReadHeightsOfFile, &assets};
    cnSceneId scene = cnLoadSceneWithAssets(text, length, threads, &source);
    cnFreeMesh(&assets.mesh);
    cnFreeHeights(&assets.grid);
    return scene;
}
