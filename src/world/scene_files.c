// Files that a scene names: bytes from the caller's source, meshes and images from bytes.
#include "world/scene_load.h"

#include "base/error.h"

static const void* cnFindFile(const cnSceneLoader* loader, const cnJson* node, size_t* length) {
    const char* name = cnJson_AsText(node, "the name of a file");
    const cnFileSource* files = loader->files;
    const void* bytes = name != NULL && files != NULL ? files->find(name, length, files->context) : NULL;
    if (name != NULL && bytes == NULL) {
        cnJson_Fail(node, "is \"%.80s\": there is no such file%s", name,
                    files == NULL ? ", no files were given with the scene" : "");
    }
    return bytes;
}

// The error of a reader as one of the node.
static bool cnAcceptFile(const cnJson* node, cnErrorCode code) {
    if (code != CN_ERROR_NONE) {
        cnErrorInfo error = *cnGetLastError();
        cnJson_FailWith(node, code == CN_ERROR_OUT_OF_MEMORY ? code : CN_ERROR_SCENE, "is \"%.60s\": %s",
                        node->value->valuestring, error.message);
    }
    return code == CN_ERROR_NONE;
}

bool cnLoader_ReadMeshFile(cnSceneLoader* loader, const cnJson* node, cnMeshData* mesh) {
    *mesh = (cnMeshData){0};
    size_t length = 0;
    const void* bytes = cnFindFile(loader, node, &length);
    if (bytes == NULL) {
        return false;
    }
    const char* name = node->value->valuestring;
    cnMeshOptions options = {.files = loader->files, .path = name};
    return cnAcceptFile(node, cnReadMesh(name, bytes, length, &options, mesh));
}

bool cnLoader_ReadImageFile(cnSceneLoader* loader, const cnJson* node, int columnCount, int rowCount,
                            const double range[2]) {
    cnHeightData* grid = &loader->image;
    cnFreeHeights(grid);
    size_t length = 0;
    const void* bytes = cnFindFile(loader, node, &length);
    if (bytes == NULL) {
        return false;
    }
    cnHeightOptions options = {.rangeGiven = true, .range = {range[0], range[1]}};
    if (!cnAcceptFile(node, cnReadHeightImage("png", bytes, length, &options, grid))) {
        return false;
    }
    if (grid->columnCount != columnCount || grid->rowCount != rowCount) {
        cnJson_Fail(node, "is \"%.60s\", an image of %d × %d: must be of the resolution [%d, %d]",
                    node->value->valuestring, grid->columnCount, grid->rowCount, columnCount, rowCount);
    }
    return cnJson_IsFine(node);
}
