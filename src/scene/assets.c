// What a scene takes from the files that it names.
#include "scene/load.h"

#include "base/report/error.h"

// The error of a source as one of the node.
static bool AcceptFile(const cnJson* node, cnErrorCode code) {
    if (code != CN_ERROR_NONE) {
        cnErrorInfo error = *cnGetLastError();
        cnJson_FailWith(node, code == CN_ERROR_OUT_OF_MEMORY ? code : CN_ERROR_SCENE, "is \"%.60s\": %s",
                        node->value->valuestring, error.message);
    }
    return code == CN_ERROR_NONE;
}

// Name of the file; null and an error where the node is no text or there are no files at all.
static const char* FileName(const cnSceneLoader* loader, const cnJson* node) {
    const char* name = cnJson_AsText(node, "the name of a file");
    if (name != NULL && loader->assets == NULL) {
        cnJson_Fail(node, "is \"%.80s\": there is no such file, no files were given with the scene", name);
        return NULL;
    }
    return name;
}

bool cnLoader_ReadMesh(cnSceneLoader* loader, const cnJson* node, cnMeshData* mesh) {
    const cnAssetSource* assets = loader->assets;
    const char* name = FileName(loader, node);
    return name != NULL && AcceptFile(node, assets->readMesh(name, mesh, assets->context));
}

bool cnLoader_ReadHeights(cnSceneLoader* loader, const cnJson* node, cnHeightData* grid) {
    const cnAssetSource* assets = loader->assets;
    const char* name = FileName(loader, node);
    return name != NULL && AcceptFile(node, assets->readHeights(name, grid, assets->context));
}
