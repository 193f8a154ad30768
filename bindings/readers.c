// The boundary of the second module, cairn.readers.wasm: mesh files and height images.
//
// It is apart from the engine since most pages read no files. A mesh or grid that was read stays until the
// next one is, or until it is freed: JavaScript copies it at once.
#include "flat.h"

// As JavaScript writes it: three numbers of 32 bits.
typedef struct cnwFile {
    const char* name;
    const void* bytes;
    uint32_t length;
} cnwFile;

typedef struct cnwFiles {
    const cnwFile* files;
    int32_t count;
} cnwFiles;

static _Thread_local cnMeshData lastMesh;
static _Thread_local cnHeightData lastGrid;

static const void* findFile(const char* name, size_t* length, void* context) {
    const cnwFiles* list = context;
    for (int32_t i = 0; i < list->count; ++i) {
        if (strcmp(list->files[i].name, name) == 0) {
            *length = list->files[i].length;
            return list->files[i].bytes;
        }
    }
    return NULL;
}

// Leaves vertices, their count, triangles, their count, parts, their count and the count of
// dropped triangles.
int32_t cnw_ReadMesh(const char* format, const char* bytes, uint32_t length, const cnwFile* files,
                     int32_t fileCount, int32_t keepApart) {
    cnwFiles list = {files, fileCount};
    cnFileSource source = {findFile, &list};
    cnMeshOptions options = {.files = &source, .path = format, .keepApart = keepApart != 0};
    cnFreeMesh(&lastMesh);
    cnErrorCode code = cnReadMesh(format, bytes, length, &options, &lastMesh);
    memcpy(cnw_GetResult(), &lastMesh, sizeof lastMesh);
    return (int32_t)code;
}

void cnw_FreeMesh(void) {
    cnFreeMesh(&lastMesh);
}

// Leaves heights, columns and rows.
int32_t cnw_ReadHeightImage(const char* format, const char* bytes, uint32_t length, int32_t columnCount,
                            int32_t rowCount, int32_t rangeGiven, double lowest, double highest) {
    cnHeightOptions options = {columnCount, rowCount, rangeGiven != 0, {lowest, highest}};
    cnFreeHeights(&lastGrid);
    cnErrorCode code = cnReadHeightImage(format, bytes, length, &options, &lastGrid);
    memcpy(cnw_GetResult(), &lastGrid, sizeof lastGrid);
    return (int32_t)code;
}

void cnw_FreeHeights(void) {
    cnFreeHeights(&lastGrid);
}
