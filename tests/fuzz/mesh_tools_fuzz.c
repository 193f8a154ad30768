// Fuzzing the mesh tools: soups of triangles, closed bodies that cross, torn and turned over, slivers, grids,
// huge and tiny ones. Whatever the mesh is, decompositions end, their hulls are convex and cover all
// vertices; reductions keep closed meshes closed and within their bounds; shapes hold their points.
//
// mesh_tools_fuzz [--cases n] [--seed n]
#include "cairn/cairn.h"
#include "fuzz/fuzz.h"
#include "geometry/hull.h"

enum {
    maxVertices = 400,
    maxTriangles = 800
};

typedef struct Mesh {
    cnVec3 vertices[maxVertices];
    int32_t triangles[3 * maxTriangles];
    int vertexCount, triangleCount;
    bool isClosed; // and a manifold, and turned outwards
} Mesh;

static long caseNumber;

static void require(bool holds, const char* what) {
    if (!holds) {
        const cnErrorInfo* error = cnGetLastError();
        fprintf(stderr, "mesh_tools_fuzz: case %ld: %s\n  last error %s: %s: %s\n", caseNumber, what,
                cnErrorName(error->code), error->argument, error->message);
        abort();
    }
}

static double randomIn(double lower, double upper) {
    return lower + (upper - lower) * ((double)(nextRandom() >> 11) * 0x1p-53);
}

static cnVec3 randomPoint(double size) {
    double x = randomIn(-size, size), y = randomIn(-size, size);
    return cnVec(x, y, randomIn(-size, size));
}

// ---- meshes -----------------------------------------------------------------------------------------------

static void addTriangle(Mesh* mesh, int a, int b, int c) {
    if (mesh->triangleCount < maxTriangles) {
        int32_t* corners = mesh->triangles + 3 * mesh->triangleCount++;
        corners[0] = a;
        corners[1] = b;
        corners[2] = c;
    }
}

static void addSoup(Mesh* mesh) {
    int vertices = 3 + (int)below(30), triangles = 1 + (int)below(60);
    int first = mesh->vertexCount;
    bool isGrid = below(2) == 0;
    for (int i = 0; i < vertices; ++i) {
        cnVec3 p = randomPoint(1.0);
        mesh->vertices[mesh->vertexCount++] =
            isGrid ? cnVec(floor(3.0 * p.x) / 3.0, floor(3.0 * p.y) / 3.0, floor(3.0 * p.z) / 3.0) : p;
    }
    for (int i = 0; i < triangles; ++i) {
        int a = first + (int)below((size_t)vertices), b = first + (int)below((size_t)vertices);
        addTriangle(mesh, a, b, first + (int)below((size_t)vertices));
    }
    mesh->isClosed = false;
}

static void addBox(Mesh* mesh) {
    static const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                     {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    int first = mesh->vertexCount;
    cnVec3 middle = randomPoint(1.0), half = cnAbs(randomPoint(0.5));
    half.z *= below(4) == 0 ? 1e-6 : 1.0; // plates
    half.y *= below(6) == 0 ? 1e-4 : 1.0;
    for (int i = 0; i < 8; ++i) {
        cnVec3 corner = cnVec((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1);
        mesh->vertices[mesh->vertexCount++] = cnAdd(middle, cnMul(half, corner));
    }
    for (int i = 0; i < 12; ++i) {
        addTriangle(mesh, first + faces[i][0], first + faces[i][1], first + faces[i][2]);
    }
}

// A ring with a cross-section that changes on its way.
static void addRing(Mesh* mesh) {
    int around = 3 + (int)below(12), across = 3 + (int)below(8);
    int first = mesh->vertexCount;
    double tube = randomIn(0.05, 0.6), noise = below(2) == 0 ? 0.0 : 0.2;
    cnVec3 middle = randomPoint(0.5);
    for (int i = 0; i < around; ++i) {
        for (int j = 0; j < across; ++j) {
            double a = 2.0 * CN_PI * i / around, b = 2.0 * CN_PI * j / across;
            double r = tube * (1.0 + randomIn(-noise, noise));
            cnVec3 at = cnVec((0.7 + r * cnCos(b)) * cnCos(a), (0.7 + r * cnCos(b)) * cnSin(a), r * cnSin(b));
            mesh->vertices[mesh->vertexCount++] = cnAdd(middle, at);
        }
    }
    for (int i = 0; i < around; ++i) {
        for (int j = 0; j < across; ++j) {
            int k = (i + 1) % around, l = (j + 1) % across;
            int a = first + i * across + j, b = first + k * across + j;
            int c = first + k * across + l, d = first + i * across + l;
            addTriangle(mesh, a, b, c);
            addTriangle(mesh, a, c, d);
        }
    }
}

static void makeMesh(Mesh* mesh) {
    *mesh = (Mesh){.isClosed = true};
    for (int bodies = 1 + (int)below(3); bodies > 0; --bodies) {
        size_t kind = below(5);
        if (kind == 0) {
            addSoup(mesh);
        } else if (kind < 3) {
            addBox(mesh);
        } else if (mesh->vertexCount < maxVertices - 200) {
            addRing(mesh);
        }
    }
    if (mesh->triangleCount == 0) {
        addBox(mesh);
    }
    // torn, turned over, double
    for (size_t faults = below(4) == 0 ? below(6) : 0; faults > 0; --faults) {
        int32_t* corners = mesh->triangles + 3 * below((size_t)mesh->triangleCount);
        switch (below(4)) {
        case 0:
            corners[0] = corners[1];
            break;
        case 1:
            corners[2] = (int32_t)below((size_t)mesh->vertexCount);
            break;
        case 2: {
            int32_t swap = corners[0];
            corners[0] = corners[1];
            corners[1] = swap;
            break;
        }
        default:
            addTriangle(mesh, corners[0], corners[1], corners[2]);
        }
        mesh->isClosed = false;
    }
    double scale = below(3) == 0 ? cnExp(randomIn(-40.0, 40.0)) : 1.0;
    cnVec3 offset = below(3) == 0 ? randomPoint(1e4) : cnVec3_zero;
    for (int i = 0; i < mesh->vertexCount; ++i) {
        mesh->vertices[i] = cnScale(scale, cnAdd(offset, mesh->vertices[i]));
    }
}

// Of what the triangles use, within which all is measured.
static double findDiagonal(const Mesh* mesh) {
    cnVec3 lower = mesh->vertices[mesh->triangles[0]], upper = lower;
    for (int i = 0; i < 3 * mesh->triangleCount; ++i) {
        lower = cnMinVec(lower, mesh->vertices[mesh->triangles[i]]);
        upper = cnMaxVec(upper, mesh->vertices[mesh->triangles[i]]);
    }
    return cnLength(cnSub(upper, lower));
}

// ---- the tools --------------------------------------------------------------------------------------------

static double findExcess(const cnHull* hull, cnVec3 point) {
    double excess = -1e300;
    for (int face = 0; face < hull->faceCount; ++face) {
        excess = cnMax(excess, cnDot(hull->planes[face].normal, point) - hull->planes[face].offset);
    }
    return excess;
}

static bool tryDecomposition(const Mesh* mesh) {
    cnMeshView view = {mesh->vertices, mesh->vertexCount, mesh->triangles, mesh->triangleCount};
    cnDecompositionDef def = {.maxHulls = 1 + (int)below(12),
                              .maxVertices = below(3) == 0 ? 4 + (int)below(60) : 0};
    cnDecomposition* d;
    cnErrorCode code = cnBeginDecomposition(&view, &def, &d);
    if (code != CN_ERROR_NONE) {
        require(code == CN_ERROR_DEGENERATE_SHAPE, "a mesh was refused with an unexpected code");
        return false;
    }
    double progress = 0.0;
    for (long calls = 0; progress < 1.0; ++calls) {
        double before = progress;
        require(cnDecomposition_Advance(d, &progress) == CN_ERROR_NONE, "a decomposition failed");
        require(progress >= before, "the progress falls");
        require(calls < 200000, "a decomposition does not end");
    }
    cnDecompositionReport report;
    require(cnDecomposition_GetReport(d, &report) == CN_ERROR_NONE, "there is no report");
    require(report.hullCount >= 1 && report.hullCount <= def.maxHulls, "the count of hulls");
    double diagonal = findDiagonal(mesh);
    cnHull* hulls[16];
    for (int i = 0; i < report.hullCount; ++i) {
        const cnVec3* vertices;
        int count;
        require(cnDecomposition_GetHull(d, i, &vertices, &count) == CN_ERROR_NONE, "there is no hull");
        require(cnHull_Build(&hulls[i], vertices, count, "fuzz") == CN_ERROR_NONE, "a hull is flat");
        require(cnHull_Validate(hulls[i]), "a hull is not convex");
    }
    for (int i = 0; i < 3 * mesh->triangleCount; ++i) {
        double least = 1e300;
        for (int k = 0; k < report.hullCount; ++k) {
            least = cnMin(least, findExcess(hulls[k], mesh->vertices[mesh->triangles[i]]));
        }
        // triangles that were dropped need no cover; what is left is covered but for what few corners cut off
        bool isCut = report.droppedTriangles > 0 || def.maxVertices > 0;
        require(isCut || least <= report.uncovered + 1e-6 * diagonal, "a vertex is not covered");
    }
    for (int i = 0; i < report.hullCount; ++i) {
        cnHull_Free(hulls[i]);
    }
    require(def.maxVertices > 0 || report.uncovered <= 0.005 * diagonal, "too much is not covered");
    cnEndDecomposition(d);
    return true;
}

// Half-edges whose opposite is missing, or that are there twice.
static int countFaults(cnMeshView mesh) {
    int faults = 0;
    for (int i = 0; i < 3 * mesh.triangleCount; ++i) {
        int next = i % 3 == 2 ? i - 2 : i + 1;
        int same = 0, opposite = 0;
        for (int k = 0; k < 3 * mesh.triangleCount; ++k) {
            int after = k % 3 == 2 ? k - 2 : k + 1;
            same += mesh.triangles[k] == mesh.triangles[i] && mesh.triangles[after] == mesh.triangles[next]
                        ? 1
                        : 0;
            opposite +=
                mesh.triangles[k] == mesh.triangles[next] && mesh.triangles[after] == mesh.triangles[i] ? 1
                                                                                                        : 0;
        }
        faults += same != 1 || opposite != 1 ? 1 : 0;
    }
    return faults;
}

static bool tryReduction(const Mesh* mesh) {
    cnMeshView view = {mesh->vertices, mesh->vertexCount, mesh->triangles, mesh->triangleCount};
    double diagonal = findDiagonal(mesh);
    cnReductionDef def = {.maxTriangles = (int)below(40),
                          .maxError = below(2) == 0 ? 0.0 : randomIn(1e-4, 0.1) * diagonal};
    def.maxTriangles += def.maxError > 0.0 ? 0 : 1;
    cnReduction* r;
    cnErrorCode code = cnBeginReduction(&view, &def, &r);
    if (code != CN_ERROR_NONE) {
        require(code == CN_ERROR_DEGENERATE_SHAPE || !(diagonal > 0.0),
                "a mesh was refused with an unexpected code");
        return false;
    }
    double progress = 0.0;
    for (long calls = 0; progress < 1.0; ++calls) {
        double before = progress;
        require(cnReduction_Advance(r, &progress) == CN_ERROR_NONE, "a reduction failed");
        require(progress >= before, "the progress falls");
        require(calls < 200000, "a reduction does not end");
    }
    cnMeshView reduced;
    cnReductionReport report;
    require(cnReduction_GetMesh(r, &reduced, &report) == CN_ERROR_NONE, "there is no mesh");
    require(report.triangleCount >= 1 && report.triangleCount <= mesh->triangleCount,
            "the count of triangles");
    require(def.maxError == 0.0 || report.error <= def.maxError * (1.0 + 1e-12),
            "the error is beyond its bound");
    if (mesh->isClosed && report.droppedTriangles == 0) {
        require(countFaults(reduced) == 0, "a closed mesh did not stay closed");
    }
    cnEndReduction(r);
    return true;
}

static bool tryShapes(const Mesh* mesh) {
    static const cnShapeType types[4] = {cn_sphere, cn_box, cn_capsule, cn_cylinder};
    cnShapeDef shape;
    cnPose pose;
    cnErrorCode code = cnFitShape(types[below(4)], mesh->vertices, mesh->vertexCount, &shape, &pose);
    if (code != CN_ERROR_NONE) {
        require(code == CN_ERROR_DEGENERATE_SHAPE, "points were refused with an unexpected code");
        return false;
    }
    // with what the coordinates of what lies far away cannot tell apart
    cnVec3 far = cnAbs(pose.position);
    double margin = 1e-9 * findDiagonal(mesh) + 1e-14 * cnMax(far.x, cnMax(far.y, far.z));
    shape.radius += margin;
    shape.height += shape.height > 0.0 ? 2.0 * margin : 0.0;
    shape.halfExtents = cnAdd(shape.halfExtents, cnVec(margin, margin, margin));
    for (int i = 0; i < mesh->vertexCount; ++i) {
        cnVec3 p = cnRotate(cnConjugate(pose.rotation), cnSub(mesh->vertices[i], pose.position));
        double across = sqrt(p.x * p.x + p.z * p.z), along = cnMax(0.0, fabs(p.y) - 0.5 * shape.height);
        cnVec3 outside = cnSub(cnAbs(p), shape.halfExtents);
        bool holds = shape.type == cn_box        ? cnMax(outside.x, cnMax(outside.y, outside.z)) <= 0.0
                     : shape.type == cn_cylinder ? across <= shape.radius && along <= 0.0
                     : shape.type == cn_sphere   ? cnLength(p) <= shape.radius
                                                 : sqrt(across * across + along * along) <= shape.radius;
        require(holds, "a point lies outside of its shape");
    }
    return true;
}

int main(int count, char** arguments) {
    FuzzOptions options = takeOptions(&count, arguments);
    if (!isNothingLeft(count, arguments)) {
        return 2;
    }
    long done[3] = {0, 0, 0};
    size_t inUse = cnGetBytesInUse();
    static Mesh mesh;
    for (long i = 0; i < options.cases; ++i) {
        caseNumber = i;
        startCase(&options, i);
        makeMesh(&mesh);
        // a decomposition takes as long as many of the others
        size_t tool = below(40);
        if (tool == 0) {
            done[0] += tryDecomposition(&mesh) ? 1 : 0;
        } else if (tool < 20) {
            done[1] += tryReduction(&mesh) ? 1 : 0;
        } else if (tool < 24) {
            done[2] += tryShapes(&mesh) ? 1 : 0;
        }
        require(cnGetBytesInUse() == inUse, "memory is left behind");
    }
    printf("%ld cases: %ld meshes decomposed, %ld reduced, %ld sets of points enclosed\n", options.cases,
           done[0], done[1], done[2]);
    return 0;
}
