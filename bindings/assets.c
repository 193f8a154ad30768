// The hand-written part of the boundary for scenes that name files: JavaScript has read them
// before (readers.c).
#include "flat.h"

#include "base/report/error.h"
#include "scene/scene.h"

typedef enum cnwAssetKind {
    cnw_mesh = 0,
    cnw_heights
} cnwAssetKind;

// As JavaScript writes it: eight numbers of 32 bits.
typedef struct cnwAsset {
    const char* name;
    int32_t kind;      // cnwAssetKind
    int32_t code;      // what its reader answered,
    const char* error; // and said
    void* numbers;     // m, vertices or heights 0…1
    int32_t* triangles;
    int32_t count1, count2; // of vertices and triangles, or of columns and rows
} cnwAsset;

typedef struct cnwAssets {
    const cnwAsset* assets;
    int32_t count;
} cnwAssets;

static cnErrorCode findAsset(const cnwAssets* list, const char* name, cnwAssetKind kind,
                             const cnwAsset** found) {
    for (int32_t i = 0; i < list->count; ++i) {
        *found = &list->assets[i];
        if ((*found)->kind == (int32_t)kind && strcmp((*found)->name, name) == 0) {
            cnErrorCode code = (cnErrorCode)(*found)->code;
            return code == CN_ERROR_NONE ? code : cnFail(code, "cnLoadScene", "files", "%s", (*found)->error);
        }
    }
    return cnFail(CN_ERROR_FILE, "cnLoadScene", "files", "there is no such file");
}

static cnErrorCode getMesh(const char* name, cnMeshData* mesh, void* context) {
    const cnwAsset* asset;
    cnErrorCode code = findAsset(context, name, cnw_mesh, &asset);
    if (code == CN_ERROR_NONE) {
        *mesh = (cnMeshData){.vertices = asset->numbers,
                             .vertexCount = asset->count1,
                             .triangles = asset->triangles,
                             .triangleCount = asset->count2};
    }
    return code;
}

static cnErrorCode getHeights(const char* name, cnHeightData* grid, void* context) {
    const cnwAsset* asset;
    cnErrorCode code = findAsset(context, name, cnw_heights, &asset);
    if (code == CN_ERROR_NONE) {
        *grid = (cnHeightData){asset->numbers, asset->count1, asset->count2};
    }
    return code;
}

int32_t cnw_LoadSceneWithAssets(const char* text, uint32_t textLength, int32_t threads,
                                const cnwAsset* assets, int32_t assetCount) {
    cnw_Begin();
    cnwAssets list = {assets, assetCount};
    cnAssetSource source = {getMesh, getHeights, &list};
    cnSceneId result = cnLoadSceneWithAssets(text, textLength, threads, &source);
    return cnw_End(&result, sizeof result);
}
