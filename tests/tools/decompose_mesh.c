// Decomposes a mesh file and prints what the report says: decompose_mesh FILE [maxHulls] [maxError
// [OUT]]; 0: the default. OUT gets the corners of all hulls as doubles.
#include "base/timer.h"
#include "cairn/mesh_tools.h"

#include <stdio.h>
#include <stdlib.h>

static double now(void) {
    return 1e-3 * cnGetMilliseconds();
}

int main(int argc, char** argv) {
    FILE* file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) {
        fprintf(stderr, "usage: decompose_mesh FILE [maxHulls] [maxError [OUT]]\n");
        return 2;
    }
    fseek(file, 0, SEEK_END);
    size_t length = (size_t)ftell(file);
    rewind(file);
    char* bytes = malloc(length + 1);
    length = fread(bytes, 1, length, file);
    fclose(file);
    cnMeshData mesh;
    if (cnReadMesh(argv[1], bytes, length, NULL, &mesh) != CN_ERROR_NONE) {
        fprintf(stderr, "%s\n", cnGetLastError()->message);
        return 2;
    }
    cnMeshView view = {mesh.vertices, mesh.vertexCount, mesh.triangles, mesh.triangleCount};
    cnDecompositionDef def = {0};
    def.maxHulls = argc > 2 ? atoi(argv[2]) : 0;
    def.maxError = argc > 3 ? atof(argv[3]) : 0.0;
    cnDecomposition* d;
    double start = now();
    if (cnBeginDecomposition(&view, &def, &d) != CN_ERROR_NONE) {
        fprintf(stderr, "%s\n", cnGetLastError()->message);
        return 2;
    }
    double longest = 0.0, progress = 0.0;
    int calls = 0;
    while (progress < 1.0) {
        double before = now();
        if (cnDecomposition_Advance(d, &progress) != CN_ERROR_NONE) {
            fprintf(stderr, "%s\n", cnGetLastError()->message);
            return 2;
        }
        double took = now() - before;
        longest = took > longest ? took : longest;
        ++calls;
    }
    cnDecompositionReport report;
    cnDecomposition_GetReport(d, &report);
    cnVec3 lower = mesh.vertices[0], upper = lower;
    for (int i = 0; i < mesh.vertexCount; ++i) {
        lower = cnMinVec(lower, mesh.vertices[i]);
        upper = cnMaxVec(upper, mesh.vertices[i]);
    }
    double diagonal = cnLength(cnSub(upper, lower));
    FILE* out = argc > 4 ? fopen(argv[4], "wb") : NULL;
    int vertices = 0;
    for (int i = 0; i < report.hullCount; ++i) {
        const cnVec3* corners;
        int count;
        cnDecomposition_GetHull(d, i, &corners, &count);
        vertices += count;
        if (out != NULL) {
            fwrite(corners, sizeof *corners, (size_t)count, out);
        }
    }
    if (out != NULL) {
        fclose(out);
    }
    printf("%s: %d triangles, %d hulls, %d vertices, ratio %.4f, error %.4f, uncovered %.2g of the diagonal; "
           "holes %d, sheets %d, turned %d, dropped %d, %s; %.2f s, %d calls, longest %.1f ms\n",
           argv[1], mesh.triangleCount, report.hullCount, vertices, report.volumeRatio,
           report.error / diagonal, report.uncovered / diagonal, report.filledHoles, report.sheets,
           report.turnedTriangles, report.droppedTriangles, report.withinBounds ? "reached" : "not reached",
           now() - start, calls, 1e3 * longest);
    cnEndDecomposition(d);
    cnFreeMesh(&mesh);
    free(bytes);
    return 0;
}
