// The boundary of the second module, cairn.readers.wasm: mesh files, height images and mesh tools.
//
// It is apart from the engine since most pages read no files. A mesh or grid that was read stays until the
// next one is, or until it is freed: JavaScript copies it at once. Decompositions and reductions are known by
// their addresses, several may be at work; JavaScript ends each.
#include "flat.h"

#include "cairn/mesh_tools.h"

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

// ---- mesh tools -------------------------------------------------------------------------------------------

static void leaveNumbers(const double* numbers, int count) {
    memcpy(cnw_GetResult(), numbers, (size_t)count * sizeof *numbers);
}

// Leaves the address of the decomposition. A hole share below 0 is none that was given.
int32_t cnw_BeginDecomposition(const double* vertices, int32_t vertexCount, const int32_t* triangles,
                               int32_t triangleCount, int32_t maxHulls, int32_t maxVertices, double maxError,
                               double maxVolumeRatio, double thickness, double holeShare) {
    cnMeshView mesh = {(const cnVec3*)vertices, vertexCount, triangles, triangleCount};
    cnDecompositionDef def = {.maxHulls = maxHulls,
                              .maxVertices = maxVertices,
                              .maxError = maxError,
                              .maxVolumeRatio = maxVolumeRatio,
                              .thickness = thickness,
                              .holeShare = holeShare >= 0.0 ? holeShare : 0.0,
                              .holeShareGiven = holeShare >= 0.0};
    cnDecomposition* made = NULL;
    cnErrorCode code = cnBeginDecomposition(&mesh, &def, &made);
    memcpy(cnw_GetResult(), &made, sizeof made);
    return (int32_t)code;
}

// Leaves the progress.
int32_t cnw_AdvanceDecomposition(cnDecomposition* decomposition) {
    double progress = 0.0;
    cnErrorCode code = cnDecomposition_Advance(decomposition, &progress);
    leaveNumbers(&progress, 1);
    return (int32_t)code;
}

// Leaves error, what is uncovered, the volumes of the mesh and of the hulls, their ratio, the counts of
// hulls, closed holes, sheets, turned and dropped triangles, and 1 where all is within its bounds.
int32_t cnw_ReadDecomposition(const cnDecomposition* decomposition) {
    cnDecompositionReport report = {0};
    cnErrorCode code = cnDecomposition_GetReport(decomposition, &report);
    const double numbers[11] = {report.error,
                                report.uncovered,
                                report.volume,
                                report.hullVolume,
                                report.volumeRatio,
                                report.hullCount,
                                report.filledHoles,
                                report.sheets,
                                report.turnedTriangles,
                                report.droppedTriangles,
                                report.withinBounds ? 1.0 : 0.0};
    leaveNumbers(numbers, 11);
    return (int32_t)code;
}

// Leaves the address of the corners and their count.
int32_t cnw_ReadHull(const cnDecomposition* decomposition, int32_t index) {
    struct {
        const cnVec3* vertices;
        int count;
    } result = {NULL, 0};
    cnErrorCode code = cnDecomposition_GetHull(decomposition, index, &result.vertices, &result.count);
    memcpy(cnw_GetResult(), &result, sizeof result);
    return (int32_t)code;
}

void cnw_EndDecomposition(cnDecomposition* decomposition) {
    cnEndDecomposition(decomposition);
}

// Leaves the address of the reduction.
int32_t cnw_BeginReduction(const double* vertices, int32_t vertexCount, const int32_t* triangles,
                           int32_t triangleCount, int32_t maxTriangles, double maxError) {
    cnMeshView mesh = {(const cnVec3*)vertices, vertexCount, triangles, triangleCount};
    cnReductionDef def = {maxTriangles, maxError};
    cnReduction* made = NULL;
    cnErrorCode code = cnBeginReduction(&mesh, &def, &made);
    memcpy(cnw_GetResult(), &made, sizeof made);
    return (int32_t)code;
}

// Leaves the progress.
int32_t cnw_AdvanceReduction(cnReduction* reduction) {
    double progress = 0.0;
    cnErrorCode code = cnReduction_Advance(reduction, &progress);
    leaveNumbers(&progress, 1);
    return (int32_t)code;
}

// Leaves the error (f64), the count of dropped triangles, 1 where all is within its bounds, and the addresses
// and counts of vertices and triangles.
int32_t cnw_ReadReduction(const cnReduction* reduction) {
    cnMeshView mesh = {NULL, 0, NULL, 0};
    cnReductionReport report = {0};
    cnErrorCode code = cnReduction_GetMesh(reduction, &mesh, &report);
    struct {
        double error;
        int32_t dropped, withinBounds;
        cnMeshView mesh;
    } result = {report.error, report.droppedTriangles, report.withinBounds ? 1 : 0, mesh};
    memcpy(cnw_GetResult(), &result, sizeof result);
    return (int32_t)code;
}

void cnw_EndReduction(cnReduction* reduction) {
    cnEndReduction(reduction);
}

// Leaves radius, height, half extents, position and rotation.
int32_t cnw_FitShape(int32_t type, const double* points, int32_t count) {
    cnShapeDef shape = {.type = cn_noShape};
    cnPose pose = {cnVec3_zero, cnQuat_identity};
    cnErrorCode code = cnFitShape((cnShapeType)type, (const cnVec3*)points, count, &shape, &pose);
    const double numbers[12] = {shape.radius,        shape.height,        shape.halfExtents.x,
                                shape.halfExtents.y, shape.halfExtents.z, pose.position.x,
                                pose.position.y,     pose.position.z,     pose.rotation.x,
                                pose.rotation.y,     pose.rotation.z,     pose.rotation.w};
    leaveNumbers(numbers, 12);
    return (int32_t)code;
}
