// Scenes whose files are bytes: meshes and images are read where the scene names them.
#include "scene/scene.h"

#include "api/checks.h"
#include "base/report/error.h"

typedef struct FileAssets {
    const cnFileSource* files;
    cnMeshData mesh;   // the one read last
    cnHeightData grid; // the one read last
} FileAssets;

static cnErrorCode FindFile(const cnFileSource* files, const char* name, const void** bytes, size_t* length) {
    *bytes = files->find(name, length, files->context);
    return *bytes != NULL ? CN_ERROR_NONE
                          : cnFail(CN_ERROR_FILE, "cnLoadScene", "files", "there is no such file");
}

static cnErrorCode ReadMeshOfFile(const char* name, cnMeshData* mesh, void* context) {
    FileAssets* assets = context;
    cnMeshOptions options = {.files = assets->files, .path = name};
    const void* bytes;
    size_t length = 0;
    cnFreeMesh(&assets->mesh);
    CN_TRY(FindFile(assets->files, name, &bytes, &length));
    CN_TRY(cnReadMesh(name, bytes, length, &options, &assets->mesh));
    *mesh = assets->mesh;
    return CN_ERROR_NONE;
}

static cnErrorCode ReadHeightsOfFile(const char* name, cnHeightData* grid, void* context) {
    FileAssets* assets = context;
    const void* bytes;
    size_t length = 0;
    cnFreeHeights(&assets->grid);
    CN_TRY(FindFile(assets->files, name, &bytes, &length));
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
    FileAssets assets = {.files = files};
    cnAssetSource source = {ReadMeshOfFile, ReadHeightsOfFile, &assets};
    cnSceneId scene = cnLoadSceneWithAssets(text, length, threads, &source);
    cnFreeMesh(&assets.mesh);
    cnFreeHeights(&assets.grid);
    return scene;
}
