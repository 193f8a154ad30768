// Making meshes: checks, vertices that coincide, winding, twins, fans of vertices, kinds of edges.
#include "base/containers/array.h"
#include "base/containers/hash.h"
#include "base/report/error.h"
#include "base/report/format.h"
#include "geometry/meshes/trimesh.h"
#include "geometry/shapes/shape_checks.h"

#include <string.h>

// A triangle whose height is less than this part of its longest edge has no area: its normal is noise.
#define FLAT_TRIANGLE 1e-10

// Sine of the angle up to which two triangles lie in one plane.
#define FLAT_EDGE 1e-3

// A sliver may have slivers next to it; no more of them than this are crossed.
#define MAX_SLIVERS 16

// Where more half-edges than this meet along one line, they are paired as they come.
#define MAX_AT_EDGE 64

// ---- memory -----------------------------------------------------------------------------------------------

#define MESH_ARRAYS(X)                                                                                       \
    X(vertices, mesh->vertexCount)                                                                           \
    X(triangles, 3 * mesh->triangleCount)                                                                    \
    X(twins, 3 * mesh->triangleCount)                                                                        \
    X(fanStarts, mesh->vertexCount + 1)                                                                      \
    X(fans, 3 * mesh->triangleCount)                                                                         \
    X(normals, mesh->triangleCount)                                                                          \
    X(flags, mesh->triangleCount)                                                                            \
    X(leaves, mesh->triangleCount)                                                                           \
    X(nodes, mesh->nodeCount)

void cnTrimesh_Free(cnTrimesh* mesh) {
    if (mesh == NULL) {
        return;
    }
#define X(name, count) cnFree(mesh->name, (size_t)(count) * sizeof *mesh->name);
    MESH_ARRAYS(X)
#undef X
    cnFree(mesh, sizeof *mesh);
}

size_t cnTrimesh_GetBytes(const cnTrimesh* mesh) {
    size_t bytes = sizeof *mesh;
#define X(name, count) bytes += (size_t)(count) * sizeof *mesh->name;
    MESH_ARRAYS(X)
#undef X
    return bytes;
}

static cnErrorCode FailMemory(const char* call) {
    return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "triangles", "no memory for the mesh");
}

// ---- checks -----------------------------------------------------------------------------------------------

static cnErrorCode CheckVertices(const cnShapeDef* def, const char* call) {
    if (def->points == NULL || def->triangles == NULL) {
        const char* argument = def->points == NULL ? "points" : "triangles";
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, argument, "%s is missing, a mesh needs it", argument);
    }
    if (def->pointCount < 3 || def->pointCount > 3 * CN_MAX_MESH_TRIANGLES) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "points", "points are %d, allowed are 3 to %d",
                      def->pointCount, 3 * CN_MAX_MESH_TRIANGLES);
    }
    for (int i = 0; i < def->pointCount; ++i) {
        cnVec3 point = def->points[i];
        if (!cnIsFiniteVec(point) ||
            !(cnMax(fabs(point.x), cnMax(fabs(point.y), fabs(point.z))) <= CN_LARGEST_LENGTH)) {
            char argument[32];
            cnFormat(argument, sizeof argument, "points[%d]", i);
            return cnCheckLengths(point, call, argument);
        }
    }
    return CN_ERROR_NONE;
}

static cnErrorCode CheckTriangles(const cnShapeDef* def, const char* call) {
    if (def->triangleCount < 1 || def->triangleCount > CN_MAX_MESH_TRIANGLES) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "triangles", "triangles are %d, allowed are 1 to %d",
                      def->triangleCount, CN_MAX_MESH_TRIANGLES);
    }
    for (int i = 0; i < def->triangleCount; ++i) {
        const int32_t* corners = def->triangles + 3 * (size_t)i;
        char argument[32];
        for (int j = 0; j < 3; ++j) {
            if (corners[j] < 0 || corners[j] >= def->pointCount) {
                cnFormat(argument, sizeof argument, "triangles[%d]", i);
                return cnFail(CN_ERROR_OUT_OF_RANGE, call, argument,
                              "%s has the vertex %d, allowed are 0 to %d", argument, (int)corners[j],
                              def->pointCount - 1);
            }
        }
        if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) {
            cnFormat(argument, sizeof argument, "triangles[%d]", i);
            return cnFail(CN_ERROR_OUT_OF_RANGE, call, argument,
                          "%s is (%d, %d, %d), it must have three different vertices", argument,
                          (int)corners[0], (int)corners[1], (int)corners[2]);
        }
    }
    return CN_ERROR_NONE;
}

static cnErrorCode Check(const cnShapeDef* def, const char* call) {
    cnErrorCode code = CheckVertices(def, call);
    code = code != CN_ERROR_NONE ? code : CheckTriangles(def, call);
    code = code != CN_ERROR_NONE ? code : cnCheckLength(def->mergeTolerance, call, "mergeTolerance");
    code = code != CN_ERROR_NONE ? code : cnCheckLength(def->bottomMargin, call, "bottomMargin");
    if (code == CN_ERROR_NONE && (def->winding < cn_windingCcw || def->winding > cn_windingRecalculated)) {
        code = cnFail(CN_ERROR_OUT_OF_RANGE, call, "winding", "winding is %d, allowed are 0 to %d",
                      (int)def->winding, (int)cn_windingRecalculated);
    }
    return code;
}

// ---- vertices that coincide -------------------------------------------------------------------------------

// Cells as wide as the tolerance, hashed; with none, the point itself is the cell.
typedef struct Cells {
    int* heads; // per slot, the vertex kept last; −1
    int* next;
    int slotCount; // a power of two
    double perMetre;
} Cells;

static int FindSlot(const Cells* cells, double x, double y, double z) {
    cnHash hash = cnHash_Start();
    cnHash_AddDouble(&hash, x + 0.0); // −0 is 0
    cnHash_AddDouble(&hash, y + 0.0);
    cnHash_AddDouble(&hash, z + 0.0);
    return (int)(hash.value & (uint64_t)(cells->slotCount - 1));
}

static cnVec3 FindCell(const Cells* cells, cnVec3 p) {
    double s = cells->perMetre;
    return s > 0.0 ? cnVec(floor(s * p.x), floor(s * p.y), floor(s * p.z)) : p;
}

// The lowest kept vertex within the tolerance of a point, else `count`.
static int FindKept(const Cells* cells, const cnVec3* kept, int count, cnVec3 point, double tolerance) {
    cnVec3 cell = FindCell(cells, point);
    int reach = tolerance > 0.0 ? 1 : 0;
    int best = count;
    for (int dx = -reach; dx <= reach; ++dx) {
        for (int dy = -reach; dy <= reach; ++dy) {
            for (int dz = -reach; dz <= reach; ++dz) {
                int at = cells->heads[FindSlot(cells, cell.x + dx, cell.y + dy, cell.z + dz)];
                for (; at >= 0; at = cells->next[at]) {
                    if (at < best && cnLength(cnSub(kept[at], point)) <= tolerance) {
                        best = at;
                    }
                }
            }
        }
    }
    return best;
}

// Keeps the first of vertices within the tolerance of each other and gives its number to the others;
// `newNumbers` has one a vertex. Answers how many were kept, −1 when memory ran out.
static int MergeVertices(cnVec3* vertices, int count, double tolerance, int32_t* newNumbers) {
    Cells cells = {.slotCount = 16, .perMetre = tolerance > 0.0 ? 1.0 / tolerance : 0.0};
    while (cells.slotCount < count) {
        cells.slotCount *= 2;
    }
    size_t headBytes = (size_t)cells.slotCount * sizeof(int);
    size_t nextBytes = (size_t)count * sizeof(int);
    cells.heads = cnAllocate(headBytes);
    cells.next = cnAllocate(nextBytes);
    int kept = -1;
    if (cells.heads != NULL && cells.next != NULL) {
        memset(cells.heads, -1, headBytes);
        kept = 0;
        for (int i = 0; i < count; ++i) {
            int number = FindKept(&cells, vertices, kept, vertices[i], tolerance);
            newNumbers[i] = number;
            if (number == kept) {
                vertices[kept] = vertices[i];
                cnVec3 cell = FindCell(&cells, vertices[i]);
                int slot = FindSlot(&cells, cell.x, cell.y, cell.z);
                cells.next[kept] = cells.heads[slot];
                cells.heads[slot] = kept;
                kept += 1;
            }
        }
    }
    cnFree(cells.heads, headBytes);
    cnFree(cells.next, nextBytes);
    return kept;
}

int cnTrimesh_CountDuplicates(const cnTrimesh* mesh) {
    size_t count = (size_t)mesh->vertexCount;
    cnVec3* vertices = cnAllocate(count * sizeof(cnVec3));
    int32_t* numbers = cnAllocate(count * sizeof(int32_t));
    int kept = -1;
    if (vertices != NULL && numbers != NULL) {
        memcpy(vertices, mesh->vertices, count * sizeof(cnVec3));
        kept = MergeVertices(vertices, mesh->vertexCount, 0.0, numbers);
    }
    cnFree(vertices, count * sizeof(cnVec3));
    cnFree(numbers, count * sizeof(int32_t));
    return kept < 0 ? -1 : mesh->vertexCount - kept;
}

// Vertices merged, triangles that this collapses dropped.
static bool Merge(cnTrimesh* mesh, double tolerance) {
    size_t bytes = (size_t)mesh->vertexCount * sizeof(int32_t);
    int32_t* numbers = cnAllocate(bytes);
    int count = numbers != NULL ? MergeVertices(mesh->vertices, mesh->vertexCount, tolerance, numbers) : -1;
    int kept = 0;
    for (int t = 0; count >= 0 && t < mesh->triangleCount; ++t) {
        const int32_t* from = mesh->triangles + 3 * (size_t)t;
        int a = numbers[from[0]], b = numbers[from[1]], c = numbers[from[2]];
        if (a != b && b != c && c != a) {
            int32_t* to = mesh->triangles + 3 * (size_t)kept++;
            to[0] = a;
            to[1] = b;
            to[2] = c;
        }
    }
    cnFree(numbers, bytes);
    if (count < 0) {
        return false;
    }

    // what is left over goes back
    size_t width = sizeof(cnVec3), length = 3 * sizeof(int32_t);
    cnVec3* vertices = cnReallocate(mesh->vertices, (size_t)mesh->vertexCount * width, (size_t)count * width);
    if (vertices == NULL) {
        return false;
    }
    mesh->vertices = vertices;
    mesh->vertexCount = count;
    if (kept > 0) {
        int32_t* triangles =
            cnReallocate(mesh->triangles, (size_t)mesh->triangleCount * length, (size_t)kept * length);
        if (triangles == NULL) {
            return false;
        }
        mesh->triangles = triangles;
    } else {
        cnFree(mesh->triangles, (size_t)mesh->triangleCount * length);
        mesh->triangles = NULL;
    }
    mesh->triangleCount = kept;
    return true;
}

// ---- twins ------------------------------------------------------------------------------------------------

static int GetLowEnd(const cnTrimesh* mesh, int halfEdge) {
    int start = mesh->triangles[halfEdge], end = cnTrimesh_GetEnd(mesh, halfEdge);
    return start < end ? start : end;
}

static int GetHighEnd(const cnTrimesh* mesh, int halfEdge) {
    int start = mesh->triangles[halfEdge], end = cnTrimesh_GetEnd(mesh, halfEdge);
    return start < end ? end : start;
}

static bool IsForward(const cnTrimesh* mesh, int halfEdge) {
    return mesh->triangles[halfEdge] < cnTrimesh_GetEnd(mesh, halfEdge);
}

// All half-edges sorted by their ends, whatever the direction: a counting sort by the higher end, then one by
// the lower. `sorted` and `spare` have one entry a half-edge, `starts` one a vertex and one more.
static void SortByEnds(const cnTrimesh* mesh, int32_t* sorted, int32_t* spare, int32_t* starts) {
    int count = 3 * mesh->triangleCount;
    for (int pass = 0; pass < 2; ++pass) {
        int (*getKey)(const cnTrimesh*, int) = pass == 0 ? GetHighEnd : GetLowEnd;
        memset(starts, 0, ((size_t)mesh->vertexCount + 1) * sizeof *starts);
        for (int h = 0; h < count; ++h) {
            starts[getKey(mesh, h) + 1] += 1;
        }
        for (int v = 0; v < mesh->vertexCount; ++v) {
            starts[v + 1] += starts[v];
        }
        for (int i = 0; i < count; ++i) {
            int h = pass == 0 ? i : spare[i];
            (pass == 0 ? spare : sorted)[starts[getKey(mesh, h)]++] = h;
        }
    }
}

// How far one turns about a half-edge, through the solid, from its triangle to that of another half-edge
// along the same line in the other direction: 0…4, growing with the angle.
static double MeasureWedge(const cnTrimesh* mesh, int halfEdge, int other) {
    cnVec3 start = cnTrimesh_GetCorner(mesh, halfEdge);
    cnVec3 axis = cnNormalize(cnSub(mesh->vertices[cnTrimesh_GetEnd(mesh, halfEdge)], start));
    cnVec3 inward = cnSub(cnTrimesh_GetCorner(mesh, cnPreviousHalfEdge(halfEdge)), start);
    cnVec3 otherInward = cnSub(cnTrimesh_GetCorner(mesh, cnPreviousHalfEdge(other)), start);
    inward = cnNormalize(cnMulAdd(inward, -cnDot(inward, axis), axis));
    otherInward = cnNormalize(cnMulAdd(otherInward, -cnDot(otherInward, axis), axis));
    double cosine = cnDot(inward, otherInward);
    // the solid lies against the normal, which is axis × inward
    double sine = -cnDot(cnCross(axis, inward), otherInward);
    return sine >= 0.0 ? 1.0 - cosine : 3.0 + cosine;
}

// Half-edges of one pair of ends. In the common case one goes forward and one back; where more meet, each
// that goes forward takes the one back that leaves it the smallest wedge of solid.
static void PairGroup(cnTrimesh* mesh, const int32_t* group, int count) {
    for (int i = 0; i < count; ++i) {
        if (!IsForward(mesh, group[i])) {
            continue;
        }
        int best = -1;
        double bestWedge = INFINITY;
        for (int j = 0; j < count; ++j) {
            if (IsForward(mesh, group[j]) || mesh->twins[group[j]] >= 0) {
                continue;
            }
            double wedge = count > 2 && count <= MAX_AT_EDGE ? MeasureWedge(mesh, group[i], group[j]) : 0.0;
            if (wedge < bestWedge) {
                bestWedge = wedge;
                best = group[j];
            }
            if (count > MAX_AT_EDGE) {
                break;
            }
        }
        if (best >= 0) {
            mesh->twins[group[i]] = best;
            mesh->twins[best] = group[i];
        }
    }
}

// End of the group of half-edges with the same ends that starts at `start`.
static int FindGroupEnd(const cnTrimesh* mesh, const int32_t* sorted, int start) {
    int count = 3 * mesh->triangleCount;
    int end = start + 1;
    while (end < count && GetLowEnd(mesh, sorted[end]) == GetLowEnd(mesh, sorted[start]) &&
           GetHighEnd(mesh, sorted[end]) == GetHighEnd(mesh, sorted[start])) {
        end += 1;
    }
    return end;
}

static void Flip(cnTrimesh* mesh, int triangle) {
    int32_t* corners = mesh->triangles + 3 * (size_t)triangle;
    int32_t second = corners[1];
    corners[1] = corners[2];
    corners[2] = second;
}

// Gives each triangle the side of a neighbour that has been given its own, from the first one of each
// connected part on. Edges with more than two triangles say nothing about sides. `neighbours` has, per
// half-edge, the one half-edge at its other side or −1, `stack` room for all triangles, `flags` are 0.
static void MakeConsistent(cnTrimesh* mesh, const int32_t* neighbours, int32_t* stack) {
    enum {
        seen = 1,
        flipped = 2
    };
    for (int first = 0; first < mesh->triangleCount; ++first) {
        if (mesh->flags[first] != 0) {
            continue;
        }
        int top = 0;
        stack[top++] = first;
        mesh->flags[first] = seen;
        while (top > 0) {
            int triangle = stack[--top];
            for (int h = 3 * triangle; h < 3 * triangle + 3; ++h) {
                int other = neighbours[h];
                if (other < 0 || mesh->flags[other / 3] != 0) {
                    continue;
                }
                bool agree = IsForward(mesh, h) != IsForward(mesh, other);
                bool isFlipped = agree == ((mesh->flags[triangle] & flipped) != 0);
                mesh->flags[other / 3] = isFlipped ? seen | flipped : seen;
                stack[top++] = other / 3;
            }
        }
    }
    for (int t = 0; t < mesh->triangleCount; ++t) {
        if ((mesh->flags[t] & flipped) != 0) {
            Flip(mesh, t);
        }
        mesh->flags[t] = 0;
    }
}

// Winding and twins. `spare` has room for a number a half-edge; the fans' arrays serve as room too.
static void FindTwins(cnTrimesh* mesh, cnWinding winding, int32_t* spare) {
    int count = 3 * mesh->triangleCount;
    int32_t* sorted = mesh->fans;
    if (winding == cn_windingRecalculated) {
        SortByEnds(mesh, sorted, spare, mesh->fanStarts);
        memset(mesh->twins, -1, (size_t)count * sizeof(int32_t));
        for (int start = 0, end; start < count; start = end) {
            end = FindGroupEnd(mesh, sorted, start);
            if (end - start == 2) {
                mesh->twins[sorted[start]] = sorted[start + 1];
                mesh->twins[sorted[start + 1]] = sorted[start];
            }
        }
        MakeConsistent(mesh, mesh->twins, spare);
    } else if (winding == cn_windingCw) {
        for (int t = 0; t < mesh->triangleCount; ++t) {
            Flip(mesh, t);
        }
    }

    SortByEnds(mesh, sorted, spare, mesh->fanStarts);
    memset(mesh->twins, -1, (size_t)count * sizeof(int32_t));
    for (int start = 0, end; start < count; start = end) {
        end = FindGroupEnd(mesh, sorted, start);
        PairGroup(mesh, sorted + start, end - start);
    }
    mesh->isClosed = true;
    for (int h = 0; h < count; ++h) {
        mesh->isClosed = mesh->isClosed && mesh->twins[h] >= 0;
    }
}

// ---- fans -------------------------------------------------------------------------------------------------

// Puts the half-edges that leave a vertex in order, fan by fan: each open fan from its clockwise end on.
// `mark` has one entry a half-edge, 0 before and after.
static void OrderFan(const cnTrimesh* mesh, int32_t* fan, int count, int32_t* room, uint8_t* mark) {
    int filled = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < count; ++i) {
            // open fans first, then closed ones
            if ((pass == 0 && mesh->twins[fan[i]] >= 0) || mark[fan[i]] != 0) {
                continue;
            }
            int h = fan[i];
            while (h >= 0 && mark[h] == 0) {
                mark[h] = 1;
                room[filled++] = h;
                h = mesh->twins[cnPreviousHalfEdge(h)];
            }
        }
    }
    memcpy(fan, room, (size_t)filled * sizeof(int32_t));
    for (int i = 0; i < count; ++i) {
        mark[fan[i]] = 0;
    }
}

static void FillFans(cnTrimesh* mesh, int32_t* room, uint8_t* mark) {
    int count = 3 * mesh->triangleCount;
    int32_t* starts = mesh->fanStarts;
    memset(starts, 0, ((size_t)mesh->vertexCount + 1) * sizeof *starts);
    for (int h = 0; h < count; ++h) {
        starts[mesh->triangles[h]] += 1;
    }
    // filled from the back, starts end where they belong
    for (int v = 0, sum = 0; v <= mesh->vertexCount; ++v) {
        sum += v < mesh->vertexCount ? starts[v] : 0;
        starts[v] = sum;
    }
    for (int h = count - 1; h >= 0; --h) {
        mesh->fans[--starts[mesh->triangles[h]]] = h;
    }
    for (int v = 0; v < mesh->vertexCount; ++v) {
        OrderFan(mesh, mesh->fans + starts[v], starts[v + 1] - starts[v], room, mark);
    }
}

// ---- triangles and their edges ----------------------------------------------------------------------------

// Of a triangle with an area.
static cnVec3 ComputeNormal(const cnTrimesh* mesh, int triangle) {
    const int32_t* vertices = mesh->triangles + 3 * (size_t)triangle;
    // from the corner opposite the longest edge, where the cross product loses least
    cnVec3 edges[3];
    int longest = 0;
    for (int i = 0; i < 3; ++i) {
        cnVec3 edge = cnSub(mesh->vertices[vertices[(i + 1) % 3]], mesh->vertices[vertices[i]]);
        edges[i] = cnScale(1.0 / mesh->extent, edge);
        longest = cnLengthSquared(edges[i]) > cnLengthSquared(edges[longest]) ? i : longest;
    }
    return cnNormalize(cnCross(edges[(longest + 1) % 3], edges[(longest + 2) % 3]));
}

static bool HasArea(const cnTrimesh* mesh, int triangle) {
    int h = 3 * triangle;
    double scale = 1.0 / mesh->extent;
    cnVec3 ab = cnScale(scale, cnSub(cnTrimesh_GetCorner(mesh, h + 1), cnTrimesh_GetCorner(mesh, h)));
    cnVec3 ac = cnScale(scale, cnSub(cnTrimesh_GetCorner(mesh, h + 2), cnTrimesh_GetCorner(mesh, h)));
    double longest = cnMax(cnLengthSquared(cnSub(ac, ab)), cnMax(cnLengthSquared(ab), cnLengthSquared(ac)));
    return cnLength(cnCross(ab, ac)) > FLAT_TRIANGLE * longest;
}

int cnTrimesh_FindNeighbour(const cnTrimesh* mesh, int halfEdge) {
    int twin = mesh->twins[halfEdge];
    for (int i = 0; i < MAX_SLIVERS && twin >= 0 && !cnTrimesh_HasArea(mesh, twin / 3); ++i) {
        // a sliver's longest edge faces the two others: in by one side, out by the other
        int exit = cnNextHalfEdge(twin), second = cnPreviousHalfEdge(twin);
        double exitLength = cnLengthSquared(
            cnSub(cnTrimesh_GetCorner(mesh, exit), mesh->vertices[cnTrimesh_GetEnd(mesh, exit)]));
        double secondLength = cnLengthSquared(
            cnSub(cnTrimesh_GetCorner(mesh, second), mesh->vertices[cnTrimesh_GetEnd(mesh, second)]));
        twin = mesh->twins[exitLength >= secondLength ? exit : second];
    }
    return twin >= 0 && cnTrimesh_HasArea(mesh, twin / 3) ? twin / 3 : -1;
}

static cnEdgeKind FindEdgeKind(const cnTrimesh* mesh, int halfEdge) {
    int neighbour = cnTrimesh_FindNeighbour(mesh, halfEdge);
    if (neighbour < 0) {
        return cn_edgeBoundary;
    }
    cnVec3 normal = mesh->normals[halfEdge / 3];
    cnVec3 other = mesh->normals[neighbour];
    cnVec3 along =
        cnSub(mesh->vertices[cnTrimesh_GetEnd(mesh, halfEdge)], cnTrimesh_GetCorner(mesh, halfEdge));
    double sine = cnDot(cnCross(normal, other), cnNormalize(along));
    if (fabs(sine) <= FLAT_EDGE && cnDot(normal, other) > 0.0) {
        return cn_edgeFlat;
    }
    return sine >= 0.0 ? cn_edgeConvex : cn_edgeConcave;
}

static cnErrorCode SetFlags(cnTrimesh* mesh, const char* call) {
    int withArea = 0;
    for (int t = 0; t < mesh->triangleCount; ++t) {
        bool hasArea = HasArea(mesh, t);
        mesh->flags[t] = hasArea ? 0 : CN_NO_AREA;
        mesh->normals[t] = hasArea ? ComputeNormal(mesh, t) : cnVec3_zero;
        withArea += hasArea ? 1 : 0;
    }
    if (withArea == 0) {
        return cnFail(CN_ERROR_DEGENERATE_SHAPE, call, "triangles", "none of the triangles has an area");
    }
    for (int t = 0; t < mesh->triangleCount; ++t) {
        for (int i = 0; i < 3 && cnTrimesh_HasArea(mesh, t); ++i) {
            mesh->flags[t] |= (uint8_t)(FindEdgeKind(mesh, 3 * t + i) << 2 * i);
        }
    }
    return CN_ERROR_NONE;
}

// ---- all together -----------------------------------------------------------------------------------------

static cnErrorCode CopyDefinition(cnTrimesh* mesh, const cnShapeDef* def, const char* call) {
    mesh->vertexCount = def->pointCount;
    mesh->triangleCount = def->triangleCount;
    size_t vertexBytes = (size_t)def->pointCount * sizeof(cnVec3);
    size_t triangleBytes = 3 * (size_t)def->triangleCount * sizeof(int32_t);
    mesh->vertices = cnAllocate(vertexBytes);
    mesh->triangles = cnAllocate(triangleBytes);
    if (mesh->vertices == NULL || mesh->triangles == NULL) {
        return FailMemory(call);
    }
    memcpy(mesh->vertices, def->points, vertexBytes);
    memcpy(mesh->triangles, def->triangles, triangleBytes);
    if (def->mergeVertices && !Merge(mesh, def->mergeTolerance)) {
        return FailMemory(call);
    }
    if (mesh->triangleCount == 0) {
        return cnFail(CN_ERROR_DEGENERATE_SHAPE, call, "mergeTolerance",
                      "mergeTolerance is %g m: merging leaves no triangle", def->mergeTolerance);
    }
    return CN_ERROR_NONE;
}

// The tree's frame, and where a terrain ends.
static void MeasureVertices(cnTrimesh* mesh, const cnShapeDef* def) {
    cnVec3 lower = cnTrimesh_GetCorner(mesh, 0), upper = lower;
    for (int h = 1; h < 3 * mesh->triangleCount; ++h) {
        lower = cnMinVec(lower, cnTrimesh_GetCorner(mesh, h));
        upper = cnMaxVec(upper, cnTrimesh_GetCorner(mesh, h));
    }
    cnVec3 half = cnMulAdd(cnScale(-0.5, lower), 0.5, upper);
    mesh->middle = cnMulAdd(cnScale(0.5, lower), 0.5, upper);
    mesh->extent = cnMax(half.x, cnMax(half.y, half.z));
    mesh->isTerrain = def->terrain;
    mesh->bottom = lower.z - def->bottomMargin;
}

static cnErrorCode Connect(cnTrimesh* mesh, const cnShapeDef* def, const char* call) {
    size_t halfEdges = 3 * (size_t)mesh->triangleCount;
    mesh->twins = cnAllocate(halfEdges * sizeof(int32_t));
    mesh->fans = cnAllocate(halfEdges * sizeof(int32_t));
    mesh->fanStarts = cnAllocate(((size_t)mesh->vertexCount + 1) * sizeof(int32_t));
    mesh->normals = cnAllocate((size_t)mesh->triangleCount * sizeof(cnVec3));
    mesh->flags = cnAllocate((size_t)mesh->triangleCount);
    int32_t* room = cnAllocate(halfEdges * sizeof(int32_t));
    uint8_t* mark = cnAllocate(halfEdges);
    bool isFine = mesh->twins != NULL && mesh->fans != NULL && mesh->fanStarts != NULL &&
                  mesh->normals != NULL && mesh->flags != NULL && room != NULL && mark != NULL;
    if (isFine) {
        FindTwins(mesh, def->winding, room);
        FillFans(mesh, room, mark);
    }
    cnFree(room, halfEdges * sizeof(int32_t));
    cnFree(mark, halfEdges);
    return isFine ? SetFlags(mesh, call) : FailMemory(call);
}

cnErrorCode cnTrimesh_Build(cnTrimesh** out, const cnShapeDef* def, const char* call) {
    *out = NULL;
    cnErrorCode code = Check(def, call);
    if (code != CN_ERROR_NONE) {
        return code;
    }
    cnTrimesh* mesh = cnAllocate(sizeof *mesh);
    if (mesh == NULL) {
        return FailMemory(call);
    }
    code = CopyDefinition(mesh, def, call);
    if (code == CN_ERROR_NONE) {
        MeasureVertices(mesh, def);
        code = mesh->extent > 1e-150
                   ? Connect(mesh, def, call)
                   : cnFail(CN_ERROR_DEGENERATE_SHAPE, call, "points", "the triangles' corners all coincide");
    }
    if (code != CN_ERROR_NONE) {
        cnTrimesh_Free(mesh);
        return code;
    }
    *out = mesh;
    return CN_ERROR_NONE;
}
