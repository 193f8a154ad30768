// The report of what is wrong with a mesh.
#include "base/allocator.h"
#include "base/report/error.h"
#include "geometry/meshes/trimesh.h"

// A vertex this part of the mesh's size off a plane, or off the border of a rectangle, is still on it.
#define FLAT 1e-6

// ---- edges ------------------------------------------------------------------------------------------------

// All half-edges along an edge, found from the end of it where fewer triangles meet.
typedef struct Along {
    int from, to; // vertices
    int place, last;
} Along;

static Along StartAlong(const cnTrimesh* mesh, int halfEdge) {
    int a = mesh->triangles[halfEdge], b = cnTrimesh_GetEnd(mesh, halfEdge);
    const int32_t* starts = mesh->fanStarts;
    bool isBusier = starts[a + 1] - starts[a] > starts[b + 1] - starts[b];
    int from = isBusier ? b : a;
    return (Along){from, isBusier ? a : b, starts[from], starts[from + 1]};
}

// The next half-edge along the edge; −1 after the last one. A triangle that holds the edge leaves `from`
// once, along it or behind it.
static int NextAlong(const cnTrimesh* mesh, Along* along) {
    while (along->place < along->last) {
        int h = mesh->fans[along->place++];
        if (cnTrimesh_GetEnd(mesh, h) == along->to) {
            return h;
        }
        if (mesh->triangles[cnPreviousHalfEdge(h)] == along->to) {
            return cnPreviousHalfEdge(h);
        }
    }
    return -1;
}

static void CountEdges(const cnTrimesh* mesh, cnMeshReport* report) {
    for (int h = 0; h < 3 * mesh->triangleCount; ++h) {
        // each edge from the lowest of its half-edges
        Along along = StartAlong(mesh, h);
        int count = 0, sameWay = 0, lowest = h;
        for (int other = NextAlong(mesh, &along); other >= 0; other = NextAlong(mesh, &along)) {
            count += 1;
            sameWay += mesh->triangles[other] == mesh->triangles[h] ? 1 : 0;
            lowest = other < lowest ? other : lowest;
        }
        if (lowest == h) {
            report->openEdges += count == 1 ? 1 : 0;
            report->inconsistentEdges += count == 2 && sameWay == 2 ? 1 : 0;
            report->nonManifoldEdges += count > 2 ? 1 : 0;
        }
    }
}

// ---- borders and parts ------------------------------------------------------------------------------------

// The open half-edge that follows an open one along its border: round the end of it, over the triangles
// that hang together.
static int FollowBorder(const cnTrimesh* mesh, int halfEdge) {
    int next = cnNextHalfEdge(halfEdge);
    while (mesh->twins[next] >= 0) {
        next = cnNextHalfEdge(mesh->twins[next]);
    }
    return next;
}

// Rectangle of a border seen from above, and whether all of its vertices lie on the rectangle's sides.
static cnBounds BoundBorder(const cnTrimesh* mesh, int first, bool* isOnSides) {
    cnVec3 lower = cnTrimesh_GetCorner(mesh, first), upper = lower;
    int h = first;
    do {
        lower = cnMinVec(lower, cnTrimesh_GetCorner(mesh, h));
        upper = cnMaxVec(upper, cnTrimesh_GetCorner(mesh, h));
        h = FollowBorder(mesh, h);
    } while (h != first);
    double near = FLAT * mesh->extent;
    *isOnSides = true;
    do {
        cnVec3 p = cnTrimesh_GetCorner(mesh, h);
        double off = cnMin(cnMin(p.x - lower.x, upper.x - p.x), cnMin(p.y - lower.y, upper.y - p.y));
        *isOnSides = *isOnSides && off <= near;
        h = FollowBorder(mesh, h);
    } while (h != first);
    return (cnBounds){lower, upper};
}

// `seen` has one entry a half-edge, all 0.
static void CountBorders(const cnTrimesh* mesh, uint8_t* seen, cnMeshReport* report) {
    double widest = -1.0;
    for (int first = 0; first < 3 * mesh->triangleCount; ++first) {
        if (mesh->twins[first] >= 0 || seen[first] != 0) {
            continue;
        }
        report->holes += 1;
        for (int h = first; seen[h] == 0; h = FollowBorder(mesh, h)) {
            seen[h] = 1;
        }
        bool isOnSides;
        cnBounds box = BoundBorder(mesh, first, &isOnSides);
        double width = box.upper.x - box.lower.x + box.upper.y - box.lower.y;
        if (width > widest) {
            widest = width;
            report->rectangular = mesh->isTerrain && isOnSides;
        }
    }
    report->innerHoles = mesh->isTerrain && report->holes > 0 ? report->holes - 1 : 0;
}

// `seen` has one entry a half-edge, all 0, `stack` room for as many. A vertex is seen with the first
// half-edge of its fan.
static int CountComponents(const cnTrimesh* mesh, uint8_t* seen, int32_t* stack) {
    int components = 0;
    for (int v = 0; v < mesh->vertexCount; ++v) {
        if (mesh->fanStarts[v] == mesh->fanStarts[v + 1] || seen[mesh->fanStarts[v]] != 0) {
            continue;
        }
        components += 1;
        int top = 0;
        stack[top++] = v;
        seen[mesh->fanStarts[v]] = 1;
        while (top > 0) {
            int vertex = stack[--top];
            for (int i = mesh->fanStarts[vertex]; i < mesh->fanStarts[vertex + 1]; ++i) {
                int corner = cnNextHalfEdge(mesh->fans[i]);
                for (int k = 0; k < 2; ++k, corner = cnNextHalfEdge(corner)) {
                    int other = mesh->triangles[corner];
                    if (seen[mesh->fanStarts[other]] == 0) {
                        seen[mesh->fanStarts[other]] = 1;
                        stack[top++] = other;
                    }
                }
            }
        }
    }
    return components;
}

// ---- crossings --------------------------------------------------------------------------------------------

// Six times the volume of a tetrahedron: > 0 where d lies below the triangle (a, b, c).
static double Orient(cnVec3 a, cnVec3 b, cnVec3 c, cnVec3 d) {
    return -cnDot(cnSub(d, a), cnCross(cnSub(b, a), cnSub(c, a)));
}

// Whether an edge of one triangle passes through the inside of another.
static bool Pierces(const cnVec3 edge[2], const cnVec3 t[3]) {
    double first = Orient(t[0], t[1], t[2], edge[0]), second = Orient(t[0], t[1], t[2], edge[1]);
    if (!(first * second < 0.0)) {
        return false;
    }
    double u = Orient(edge[0], edge[1], t[0], t[1]), v = Orient(edge[0], edge[1], t[1], t[2]),
           w = Orient(edge[0], edge[1], t[2], t[0]);
    return (u > 0.0 && v > 0.0 && w > 0.0) || (u < 0.0 && v < 0.0 && w < 0.0);
}

typedef struct Crossings {
    int triangle;
    int count;
} Crossings;

static bool NoteCrossing(const cnTrimesh* mesh, int other, void* context) {
    Crossings* crossings = context;
    if (other <= crossings->triangle) {
        return true;
    }
    cnVec3 a[3], b[3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            if (mesh->triangles[3 * crossings->triangle + i] == mesh->triangles[3 * other + j]) {
                return true;
            }
        }
        // in the tree's frame, where the volumes neither vanish nor overflow
        a[i] = cnScale(1.0 / mesh->extent,
                       cnSub(cnTrimesh_GetCorner(mesh, 3 * crossings->triangle + i), mesh->middle));
        b[i] = cnScale(1.0 / mesh->extent, cnSub(cnTrimesh_GetCorner(mesh, 3 * other + i), mesh->middle));
    }
    for (int i = 0; i < 3; ++i) {
        cnVec3 edgeOfA[2] = {a[i], a[(i + 1) % 3]}, edgeOfB[2] = {b[i], b[(i + 1) % 3]};
        if (Pierces(edgeOfA, b) || Pierces(edgeOfB, a)) {
            crossings->count += 1;
            break;
        }
    }
    return true;
}

static int CountCrossings(const cnTrimesh* mesh) {
    Crossings crossings = {0};
    for (int t = 0; t < mesh->triangleCount; ++t) {
        cnVec3 a = cnTrimesh_GetCorner(mesh, 3 * t), b = cnTrimesh_GetCorner(mesh, 3 * t + 1),
               c = cnTrimesh_GetCorner(mesh, 3 * t + 2);
        cnBounds bounds = {cnMinVec(a, cnMinVec(b, c)), cnMaxVec(a, cnMaxVec(b, c))};
        crossings.triangle = t;
        if (cnTrimesh_HasArea(mesh, t)) {
            cnTrimesh_VisitBox(mesh, bounds, NoteCrossing, &crossings);
        }
    }
    return crossings.count;
}

// ---- all together -----------------------------------------------------------------------------------------

// Vertices that are higher along a direction than all their neighbours.
static int CountPeaks(const cnTrimesh* mesh, cnVec3 direction) {
    int peaks = 0;
    for (int v = 0; v < mesh->vertexCount; ++v) {
        int first = mesh->fanStarts[v], last = mesh->fanStarts[v + 1];
        bool isPeak = first < last;
        for (int i = first; isPeak && i < last; ++i) {
            cnVec3 edge = cnSub(mesh->vertices[cnTrimesh_GetEnd(mesh, mesh->fans[i])], mesh->vertices[v]);
            isPeak = cnDot(edge, direction) < 0.0;
        }
        peaks += isPeak ? 1 : 0;
    }
    return peaks;
}

// No triangle rises above the plane of its neighbour, and the surface goes round once: a locally convex
// closed surface that goes round twice, as that of a star does, has two peaks along a direction.
static bool IsConvex(const cnTrimesh* mesh, const cnMeshReport* report) {
    static const cnVec3 directions[3] = {
        {0.36214, 0.48371, 0.79683}, {-0.71153, 0.60237, 0.36172}, {0.56931, 0.71842, -0.39971}};
    bool isConvex = report->closed && !report->insideOut && report->components == 1;
    for (int h = 0; isConvex && h < 3 * mesh->triangleCount; ++h) {
        int opposite = cnPreviousHalfEdge(mesh->twins[h]);
        cnVec3 across = cnSub(cnTrimesh_GetCorner(mesh, opposite), cnTrimesh_GetCorner(mesh, h));
        isConvex = cnDot(mesh->normals[h / 3], across) <= FLAT * mesh->extent;
    }
    for (int i = 0; isConvex && i < 3; ++i) {
        isConvex = CountPeaks(mesh, directions[i]) == 1 && CountPeaks(mesh, cnNeg(directions[i])) == 1;
    }
    return isConvex;
}

static bool Overhangs(const cnTrimesh* mesh) {
    bool overhangs = false;
    for (int t = 0; t < mesh->triangleCount; ++t) {
        overhangs = overhangs || (cnTrimesh_HasArea(mesh, t) && mesh->normals[t].z <= FLAT);
    }
    return overhangs;
}

static void FillReport(const cnTrimesh* mesh, int duplicates, uint8_t* seen, int32_t* stack,
                       cnMeshReport* report) {
    report->vertices = mesh->vertexCount;
    report->triangles = mesh->triangleCount;
    report->duplicateVertices = duplicates;
    for (int v = 0; v < mesh->vertexCount; ++v) {
        report->unreferencedVertices += mesh->fanStarts[v] == mesh->fanStarts[v + 1] ? 1 : 0;
    }
    for (int t = 0; t < mesh->triangleCount; ++t) {
        report->zeroAreaTriangles += cnTrimesh_HasArea(mesh, t) ? 0 : 1;
    }
    CountEdges(mesh, report);
    report->components = CountComponents(mesh, seen, stack);
    for (int h = 0; h < 3 * mesh->triangleCount; ++h) {
        seen[h] = 0;
    }
    CountBorders(mesh, seen, report);
    report->area = cnTrimesh_ComputeArea(mesh);
    report->volume = mesh->isClosed ? cnTrimesh_ComputeMass(mesh).volume : 0.0;
    report->closed = report->volume != 0.0;
    report->insideOut = report->volume < 0.0;
    report->convex = IsConvex(mesh, report);
    report->overhanging = mesh->isTerrain && Overhangs(mesh);
}

cnErrorCode cnCheckMesh(const cnShapeDef* def, bool selfIntersections, cnMeshReport* out) {
    const char* call = "cnCheckMesh";
    if (def == NULL || out == NULL) {
        const char* argument = def == NULL ? "mesh" : "out";
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, argument, "%s is null", argument);
    }
    if (def->type != cn_trimesh) {
        return cnFail(CN_ERROR_WRONG_TYPE, call, "type", "type is %d, allowed is %d (trimesh)",
                      (int)def->type, (int)cn_trimesh);
    }
    cnTrimesh* mesh;
    cnErrorCode code = cnTrimesh_Build(&mesh, def, call);
    if (code != CN_ERROR_NONE) {
        return code;
    }
    size_t halfEdges = 3 * (size_t)mesh->triangleCount;
    uint8_t* seen = cnAllocate(halfEdges);
    int32_t* stack = cnAllocate(halfEdges * sizeof(int32_t));
    int duplicates = cnTrimesh_CountDuplicates(mesh);
    *out = (cnMeshReport){0};
    if (seen == NULL || stack == NULL || duplicates < 0 ||
        (selfIntersections && !cnTrimesh_BuildTree(mesh))) {
        code = cnFail(CN_ERROR_OUT_OF_MEMORY, call, "mesh", "no memory for the mesh");
    } else {
        FillReport(mesh, duplicates, seen, stack, out);
        out->selfIntersections = selfIntersections ? CountCrossings(mesh) : 0;
    }
    cnFree(seen, halfEdges);
    cnFree(stack, halfEdges * sizeof(int32_t));
    cnTrimesh_Free(mesh);
    return code;
}
