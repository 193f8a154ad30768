// Mesh reduction by quadric error metrics (Garland, Heckbert: "Surface simplification using quadric error
// metrics", SIGGRAPH 1997).
//
// Each vertex has a quadric, the sum of squared distances from the planes of the triangles that went into it,
// weighed by area; the edge whose ends can be joined at the least sum is joined next. A step is rejected
// where it would change what the surface is (link condition, Dey et al. 1999), turn a triangle over, or move
// a vertex of the given mesh too far away: each of these belongs to the triangle that it was found next to,
// and belongs to the next of the new triangles after a step, so that the distance is always known and the
// bound holds strictly (after Klein, Liebich, Straßer 1996, at vertices).
//
// Why this is our own: meshoptimizer (MIT, C++) is the kept library for this, and faster. It works in f32
// with an error that is an estimate of the quadrics, and would bring a C++ compiler into three builds of a
// C17 project whose results are equal to the bit; what it does beyond these lines (attributes, borders of
// clusters, meshlets) has no use here.
#include "assets/mesh_tools/tool_mesh.h"
#include "base/containers/hash_map.h"
#include "base/report/error.h"

#include <string.h>

static const char advanceName[] = "cnReduction_Advance";

enum {
    attemptsPerAdvance = 64,
    maxFan = 256 // triangles around both ends of an edge that is joined
};

// Triangles may turn by the angle with this cosine.
#define TURN_COSINE 0.1

// Borders are held by planes across them, this much heavier than their triangles' own.
#define BORDER_WEIGHT 10.0

// xᵀ A x + 2 b·x + c
typedef struct Quadric {
    double xx, yy, zz, xy, xz, yz;
    cnVec3 b;
    double c;
} Quadric;

typedef struct Collapse {
    double cost;
    int32_t a, b; // vertices, a < b
    int32_t versionA, versionB;
    cnVec3 place;
} Collapse;

struct cnReduction {
    cnReductionDef def;
    cnToolMesh mesh; // vertices and triangles change; triangles that are gone have −1
    double bound;    // in units of the diagonal
    CN_ARRAY(Quadric) quadrics;
    CN_ARRAY(int32_t) versions;    // per vertex; −1: gone
    CN_ARRAY(int32_t) firstCorner; // per vertex, corners 3·triangle + i; −1
    CN_ARRAY(int32_t) nextCorner;
    CN_ARRAY(Collapse) heap;
    CN_ARRAY(cnVec3) originals;   // vertices as they were
    CN_ARRAY(double) distances;   // per original
    CN_ARRAY(int32_t) firstOwned; // per triangle, originals that it is next to; −1
    CN_ARRAY(int32_t) nextOwned;
    int triangleCount, startCount;
    int setUp; // vertices whose edges are in the heap
    bool isDone;
    double progress;
    cnReductionReport report;
    CN_ARRAY(cnVec3) resultVertices;
    CN_ARRAY(int32_t) resultTriangles;
};

static cnErrorCode FailMemory(const char* call) {
    return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "mesh", "no memory to reduce the mesh");
}

// ---- quadrics ---------------------------------------------------------------------------------------------

static void AddPlane(Quadric* q, cnVec3 normal, cnVec3 point, double weight) {
    double d = -cnDot(normal, point);
    q->xx += weight * normal.x * normal.x;
    q->yy += weight * normal.y * normal.y;
    q->zz += weight * normal.z * normal.z;
    q->xy += weight * normal.x * normal.y;
    q->xz += weight * normal.x * normal.z;
    q->yz += weight * normal.y * normal.z;
    q->b = cnMulAdd(q->b, weight * d, normal);
    q->c += weight * d * d;
}

static Quadric AddQuadrics(const Quadric* a, const Quadric* b) {
    return (Quadric){a->xx + b->xx, a->yy + b->yy, a->zz + b->zz,     a->xy + b->xy,
                     a->xz + b->xz, a->yz + b->yz, cnAdd(a->b, b->b), a->c + b->c};
}

static double Evaluate(const Quadric* q, cnVec3 v) {
    cnVec3 row = {q->xx * v.x + q->xy * v.y + q->xz * v.z, q->xy * v.x + q->yy * v.y + q->yz * v.z,
                  q->xz * v.x + q->yz * v.y + q->zz * v.z};
    return cnMax(0.0, cnDot(v, row) + 2.0 * cnDot(q->b, v) + q->c);
}

// The place with the least sum, by Cramer's rule; false where it is not well defined.
static bool FindMinimum(const Quadric* q, cnVec3* place) {
    cnVec3 x = {q->xx, q->xy, q->xz}, y = {q->xy, q->yy, q->yz}, z = {q->xz, q->yz, q->zz};
    double determinant = cnDot(x, cnCross(y, z));
    double trace = q->xx + q->yy + q->zz;
    if (!(determinant > 1e-4 * trace * trace * trace)) {
        return false;
    }
    cnVec3 r = cnScale(-1.0 / determinant, q->b);
    *place = cnVec(cnDot(r, cnCross(y, z)), cnDot(x, cnCross(r, z)), cnDot(x, cnCross(y, r)));
    // columns equal rows, so that the mixed products may be taken of either
    return true;
}

// ---- the surface ------------------------------------------------------------------------------------------

static const int32_t* CornersOf(const cnReduction* r, int corner) {
    return r->mesh.triangles.data + 3 * (size_t)(corner / 3);
}

static bool HasVertex(const int32_t* corners, int32_t vertex) {
    return corners[0] == vertex || corners[1] == vertex || corners[2] == vertex;
}

static cnVec3 FindArea(cnVec3 a, cnVec3 b, cnVec3 c) {
    return cnCross(cnSub(b, a), cnSub(c, a));
}

static int CountAtEdge(const cnReduction* r, int32_t a, int32_t b) {
    int count = 0;
    for (int corner = r->firstCorner.data[a]; corner >= 0; corner = r->nextCorner.data[corner]) {
        count += HasVertex(CornersOf(r, corner), b) ? 1 : 0;
    }
    return count;
}

// Whether an edge at the vertex has one triangle only, or more than two.
static void FindEdgeKinds(const cnReduction* r, int32_t vertex, bool* isBorder, bool* isTangled) {
    *isBorder = *isTangled = false;
    for (int corner = r->firstCorner.data[vertex]; corner >= 0; corner = r->nextCorner.data[corner]) {
        const int32_t* corners = CornersOf(r, corner);
        for (int i = 0; i < 3; ++i) {
            if (corners[i] != vertex) {
                int count = CountAtEdge(r, vertex, corners[i]);
                *isBorder = *isBorder || count == 1;
                *isTangled = *isTangled || count > 2;
            }
        }
    }
}

// Neighbours of a vertex, each once; −1 where there are too many.
static int ListNeighbours(const cnReduction* r, int32_t vertex, int32_t* neighbours) {
    int count = 0;
    for (int corner = r->firstCorner.data[vertex]; corner >= 0; corner = r->nextCorner.data[corner]) {
        const int32_t* corners = CornersOf(r, corner);
        for (int i = 0; i < 3; ++i) {
            bool isNew = corners[i] != vertex;
            for (int k = 0; k < count && isNew; ++k) {
                isNew = neighbours[k] != corners[i];
            }
            if (isNew) {
                if (count == maxFan) {
                    return -1;
                }
                neighbours[count++] = corners[i];
            }
        }
    }
    return count;
}

// Whether joining two ends keeps what the surface is: their common neighbours are the tips of the triangles
// at the edge, a border is joined along itself, and no two triangles come to lie on each other.
static bool KeepsSurface(const cnReduction* r, int32_t a, int32_t b) {
    bool isBorderA, isBorderB, isTangledA, isTangledB;
    FindEdgeKinds(r, a, &isBorderA, &isTangledA);
    FindEdgeKinds(r, b, &isBorderB, &isTangledB);
    int atEdge = CountAtEdge(r, a, b);
    if (isTangledA || isTangledB || atEdge < 1 || (isBorderA && isBorderB && atEdge != 1)) {
        return false;
    }
    int32_t ofA[maxFan], ofB[maxFan];
    int countA = ListNeighbours(r, a, ofA), countB = ListNeighbours(r, b, ofB);
    if (countA < 0 || countB < 0) {
        return false;
    }
    int common = 0;
    for (int i = 0; i < countA; ++i) {
        for (int k = 0; k < countB; ++k) {
            if (ofA[i] != ofB[k]) {
                continue;
            }
            ++common;
            // a tip keeps three triangles, or two at a border
            int32_t tip[maxFan];
            bool isBorder, isTangled;
            FindEdgeKinds(r, ofA[i], &isBorder, &isTangled);
            if (isTangled || ListNeighbours(r, ofA[i], tip) < (isBorder ? 3 : 4)) {
                return false;
            }
        }
    }
    return common == atEdge;
}

// ---- the heap ---------------------------------------------------------------------------------------------

static bool ComesFirst(const Collapse* a, const Collapse* b) {
    if (a->cost != b->cost) {
        return a->cost < b->cost;
    }
    return a->a < b->a || (a->a == b->a && a->b < b->b);
}

static bool PushCollapse(cnReduction* r, Collapse item) {
    if (!cnArray_Push(&r->heap, item)) {
        return false;
    }
    Collapse* heap = r->heap.data;
    int at = r->heap.count - 1;
    for (; at > 0 && ComesFirst(&item, heap + (at - 1) / 2); at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = item;
    return true;
}

static Collapse PopCollapse(cnReduction* r) {
    Collapse* heap = r->heap.data;
    Collapse top = heap[0];
    Collapse last = heap[--r->heap.count];
    int at = 0;
    for (int child = 1; child < r->heap.count; child = 2 * at + 1) {
        if (child + 1 < r->heap.count && ComesFirst(heap + child + 1, heap + child)) {
            ++child;
        }
        if (!ComesFirst(heap + child, &last)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return top;
}

static bool PushEdge(cnReduction* r, int32_t a, int32_t b) {
    int32_t low = a < b ? a : b, high = a < b ? b : a;
    Quadric q = AddQuadrics(r->quadrics.data + low, r->quadrics.data + high);
    cnVec3 from = r->mesh.vertices.data[low], to = r->mesh.vertices.data[high];
    cnVec3 middle = cnMulAdd(cnScale(0.5, from), 0.5, to);
    double length = cnLengthSquared(cnSub(to, from));
    cnVec3 places[4] = {middle, from, to, middle};
    int count =
        FindMinimum(&q, places + 3) && cnLengthSquared(cnSub(places[3], middle)) <= 4.0 * length ? 4 : 3;
    Collapse item = {0.0, low, high, r->versions.data[low], r->versions.data[high], places[0]};
    item.cost = Evaluate(&q, places[0]);
    for (int i = 1; i < count; ++i) {
        double cost = Evaluate(&q, places[i]);
        if (cost < item.cost) {
            item.cost = cost;
            item.place = places[i];
        }
    }
    // where planes say nothing, short edges first
    item.cost += 1e-12 * length;
    return PushCollapse(r, item);
}

// ---- one step ---------------------------------------------------------------------------------------------

// The triangles that stay around the joined vertex, with their corners as they will be.
typedef struct Fan {
    int32_t corners[2 * maxFan]; // corner 3·triangle + i of the vertex that moves
    cnVec3 places[2 * maxFan][3];
    int count;
} Fan;

// False where there are too many, or one would turn over or vanish.
static bool FindFan(const cnReduction* r, const Collapse* item, Fan* fan) {
    fan->count = 0;
    for (int end = 0; end < 2; ++end) {
        int32_t vertex = end == 0 ? item->a : item->b, other = end == 0 ? item->b : item->a;
        for (int corner = r->firstCorner.data[vertex]; corner >= 0; corner = r->nextCorner.data[corner]) {
            const int32_t* corners = CornersOf(r, corner);
            if (HasVertex(corners, other)) {
                continue;
            }
            if (fan->count == 2 * maxFan) {
                return false;
            }
            cnVec3* places = fan->places[fan->count];
            for (int i = 0; i < 3; ++i) {
                places[i] = r->mesh.vertices.data[corners[i]];
            }
            cnVec3 before = FindArea(places[0], places[1], places[2]);
            places[corner % 3] = item->place;
            cnVec3 after = FindArea(places[0], places[1], places[2]);
            double lengths = cnLength(before) * cnLength(after);
            double longest = cnMax(cnLengthSquared(cnSub(places[1], places[0])),
                                   cnMax(cnLengthSquared(cnSub(places[2], places[1])),
                                         cnLengthSquared(cnSub(places[0], places[2]))));
            bool isThin = cnLength(after) < 1e-4 * longest && cnLength(after) < cnLength(before);
            // what had no area may get any normal
            if (isThin || (lengths > 0.0 && cnDot(before, after) < TURN_COSINE * lengths)) {
                return false;
            }
            fan->corners[fan->count++] = corner;
        }
    }
    return fan->count > 0;
}

// The nearest triangle of a fan.
static int FindNearest(const Fan* fan, cnVec3 point, double* distance) {
    int best = 0;
    *distance = 1e300;
    for (int i = 0; i < fan->count; ++i) {
        double found =
            cnFindTriangleDistanceSquared(fan->places[i][0], fan->places[i][1], fan->places[i][2], point);
        best = found < *distance ? i : best;
        *distance = cnMin(*distance, found);
    }
    *distance = sqrt(*distance);
    return best;
}

// Visits the originals next to the triangles of both ends: only asks (false: one would be too far away), or
// hands them to the fan.
static bool VisitOwned(cnReduction* r, const Collapse* item, const Fan* fan, bool isAsking) {
    int32_t list = -1; // those that were taken out of their triangles
    for (int end = 0; end < 2; ++end) {
        int32_t vertex = end == 0 ? item->a : item->b, other = end == 0 ? item->b : item->a;
        for (int corner = r->firstCorner.data[vertex]; corner >= 0; corner = r->nextCorner.data[corner]) {
            if (end == 1 && HasVertex(CornersOf(r, corner), other)) {
                continue; // seen from the other end
            }
            int32_t next;
            for (int32_t own = r->firstOwned.data[corner / 3]; own >= 0; own = next) {
                next = r->nextOwned.data[own];
                double distance;
                if (isAsking) {
                    FindNearest(fan, r->originals.data[own], &distance);
                    if (distance > r->bound) {
                        return false;
                    }
                } else {
                    r->nextOwned.data[own] = list;
                    list = own;
                }
            }
            if (!isAsking) {
                r->firstOwned.data[corner / 3] = -1;
            }
        }
    }
    for (int32_t own = list, next; own >= 0; own = next) {
        next = r->nextOwned.data[own];
        int nearest = FindNearest(fan, r->originals.data[own], r->distances.data + own);
        int32_t* first = r->firstOwned.data + fan->corners[nearest] / 3;
        r->nextOwned.data[own] = *first;
        *first = own;
    }
    return true;
}

// Takes a corner out of its vertex's list.
static void UnlinkCorner(cnReduction* r, int32_t vertex, int corner) {
    int32_t* link = r->firstCorner.data + vertex;
    while (*link != corner) {
        link = r->nextCorner.data + *link;
    }
    *link = r->nextCorner.data[corner];
}

// Joins b to a at the new place.
static bool Join(cnReduction* r, const Collapse* item, const Fan* fan) {
    VisitOwned(r, item, fan, false);
    for (int corner = r->firstCorner.data[item->b], next; corner >= 0; corner = next) {
        next = r->nextCorner.data[corner];
        int32_t* corners = r->mesh.triangles.data + 3 * (size_t)(corner / 3);
        if (HasVertex(corners, item->a)) {
            for (int i = 0; i < 3; ++i) {
                UnlinkCorner(r, corners[i], 3 * (corner / 3) + i);
            }
            corners[0] = corners[1] = corners[2] = -1;
            --r->triangleCount;
        }
    }
    for (int corner = r->firstCorner.data[item->b], next; corner >= 0; corner = next) {
        next = r->nextCorner.data[corner];
        r->mesh.triangles.data[corner] = item->a;
        r->nextCorner.data[corner] = r->firstCorner.data[item->a];
        r->firstCorner.data[item->a] = corner;
    }
    r->firstCorner.data[item->b] = -1;
    r->versions.data[item->b] = -1;
    ++r->versions.data[item->a];
    r->mesh.vertices.data[item->a] = item->place;
    r->quadrics.data[item->a] = AddQuadrics(r->quadrics.data + item->a, r->quadrics.data + item->b);

    int32_t neighbours[maxFan];
    int count = ListNeighbours(r, item->a, neighbours);
    for (int i = 0; i < count; ++i) {
        if (!PushEdge(r, item->a, neighbours[i])) {
            return false;
        }
    }
    return true;
}

// One attempt; false when memory ran out.
static bool TryNext(cnReduction* r) {
    if (r->heap.count == 0 || r->triangleCount <= r->def.maxTriangles) {
        r->isDone = true;
        return true;
    }
    Collapse item = PopCollapse(r);
    if (r->versions.data[item.a] != item.versionA || r->versions.data[item.b] != item.versionB) {
        return true;
    }
    Fan fan;
    bool isGood = KeepsSurface(r, item.a, item.b) && FindFan(r, &item, &fan) &&
                  (r->bound <= 0.0 || VisitOwned(r, &item, &fan, true));
    return !isGood || Join(r, &item, &fan);
}

// ---- beginning and end ------------------------------------------------------------------------------------

static bool SetUp(cnReduction* r) {
    int vertexCount = r->mesh.vertices.count, cornerCount = r->mesh.triangles.count;
    bool isDone =
        cnArray_Resize(&r->quadrics, vertexCount) && cnArray_Resize(&r->versions, vertexCount) &&
        cnArray_Resize(&r->firstCorner, vertexCount) && cnArray_Resize(&r->nextCorner, cornerCount) &&
        cnArray_Resize(&r->originals, vertexCount) && cnArray_Resize(&r->distances, vertexCount) &&
        cnArray_Resize(&r->firstOwned, cornerCount / 3) && cnArray_Resize(&r->nextOwned, vertexCount);
    if (!isDone) {
        return false;
    }
    for (int i = 0; i < vertexCount; ++i) {
        r->quadrics.data[i] = (Quadric){0};
        r->versions.data[i] = 0;
        r->firstCorner.data[i] = r->nextOwned.data[i] = -1;
        r->originals.data[i] = r->mesh.vertices.data[i];
        r->distances.data[i] = 0.0;
    }
    for (int corner = cornerCount - 1; corner >= 0; --corner) {
        int32_t vertex = r->mesh.triangles.data[corner];
        r->nextCorner.data[corner] = r->firstCorner.data[vertex];
        r->firstCorner.data[vertex] = corner;
    }
    for (int i = 0; i < cornerCount / 3; ++i) {
        r->firstOwned.data[i] = -1;
    }
    for (int i = 0; i < vertexCount; ++i) {
        if (r->firstCorner.data[i] >= 0) {
            r->firstOwned.data[r->firstCorner.data[i] / 3] = -1;
        }
    }
    // a vertex belongs to its first triangle
    for (int i = 0; i < vertexCount; ++i) {
        if (r->firstCorner.data[i] >= 0) {
            int32_t* first = r->firstOwned.data + r->firstCorner.data[i] / 3;
            r->nextOwned.data[i] = *first;
            *first = i;
        }
    }
    for (int i = 0; i < cornerCount; i += 3) {
        const int32_t* corners = r->mesh.triangles.data + i;
        const cnVec3* v = r->mesh.vertices.data;
        cnVec3 area = FindArea(v[corners[0]], v[corners[1]], v[corners[2]]);
        cnVec3 normal = cnNormalize(area);
        double weight = 0.5 * cnLength(area);
        for (int k = 0; k < 3; ++k) {
            AddPlane(r->quadrics.data + corners[k], normal, v[corners[0]], weight);
            int32_t from = corners[k], to = corners[(k + 1) % 3];
            if (CountAtEdge(r, from, to) == 1) {
                cnVec3 along = cnSub(v[to], v[from]);
                cnVec3 across = cnNormalize(cnCross(along, normal));
                double border = BORDER_WEIGHT * cnLengthSquared(along);
                AddPlane(r->quadrics.data + from, across, v[from], border);
                AddPlane(r->quadrics.data + to, across, v[from], border);
            }
        }
    }
    return true;
}

cnErrorCode cnBeginReduction(const cnMeshView* mesh, const cnReductionDef* def, cnReduction** reduction) {
    if (reduction == NULL || def == NULL) {
        const char* argument = reduction == NULL ? "reduction" : "def";
        return cnFail(CN_ERROR_NULL_ARGUMENT, __func__, argument, "%s is null", argument);
    }
    *reduction = NULL;
    if (def->maxTriangles < 0 || def->maxTriangles > CN_MAX_TOOL_TRIANGLES) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, __func__, "maxTriangles",
                      "maxTriangles is %d, allowed are 1 to %d", def->maxTriangles, CN_MAX_TOOL_TRIANGLES);
    }
    if (!(def->maxError >= 0.0 && def->maxError <= 1e30)) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, __func__, "maxError", "maxError is %g, allowed are 0 to 1e30",
                      def->maxError);
    }
    if (def->maxTriangles == 0 && def->maxError == 0.0) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, __func__, "def",
                      "neither maxTriangles nor maxError is given; one of them must end the reduction");
    }
    cnReduction* made = cnAllocate(sizeof *made);
    if (made == NULL) {
        return FailMemory(__func__);
    }
    made->def = *def;
    cnErrorCode code = cnToolMesh_Weld(&made->mesh, mesh, __func__);
    if (code == CN_ERROR_NONE && !SetUp(made)) {
        code = FailMemory(__func__);
    }
    if (code != CN_ERROR_NONE) {
        cnEndReduction(made);
        return code;
    }
    made->bound = def->maxError / made->mesh.scale;
    made->triangleCount = made->startCount = made->mesh.triangles.count / 3;
    *reduction = made;
    return CN_ERROR_NONE;
}

void cnEndReduction(cnReduction* reduction) {
    if (reduction == NULL) {
        return;
    }
    cnToolMesh_Free(&reduction->mesh);
    cnArray_Free(&reduction->quadrics);
    cnArray_Free(&reduction->versions);
    cnArray_Free(&reduction->firstCorner);
    cnArray_Free(&reduction->nextCorner);
    cnArray_Free(&reduction->heap);
    cnArray_Free(&reduction->originals);
    cnArray_Free(&reduction->distances);
    cnArray_Free(&reduction->firstOwned);
    cnArray_Free(&reduction->nextOwned);
    cnArray_Free(&reduction->resultVertices);
    cnArray_Free(&reduction->resultTriangles);
    cnFree(reduction, sizeof *reduction);
}

// Numbers the vertices that are left in the order of triangles, in metres.
static bool Finish(cnReduction* r) {
    for (int i = 0; i < r->versions.count; ++i) {
        r->versions.data[i] = -1;
    }
    for (int i = 0; i < r->mesh.triangles.count; ++i) {
        int32_t vertex = r->mesh.triangles.data[i];
        if (vertex < 0) {
            continue;
        }
        if (r->versions.data[vertex] < 0) {
            r->versions.data[vertex] = r->resultVertices.count;
            cnVec3 place = cnToolMesh_ToUser(&r->mesh, r->mesh.vertices.data[vertex]);
            if (!cnArray_Push(&r->resultVertices, place)) {
                return false;
            }
        }
        if (!cnArray_Push(&r->resultTriangles, r->versions.data[vertex])) {
            return false;
        }
    }
    double error = 0.0;
    for (int i = 0; i < r->distances.count; ++i) {
        error = cnMax(error, r->distances.data[i]);
    }
    r->report = (cnReductionReport){r->resultVertices.count, r->resultTriangles.count / 3,
                                    error * r->mesh.scale, r->mesh.droppedTriangles,
                                    r->def.maxTriangles == 0 || r->triangleCount <= r->def.maxTriangles};
    r->progress = 1.0;
    return true;
}

// Puts the edges of some vertices into the heap.
static bool PushEdges(cnReduction* r) {
    int end = r->setUp + attemptsPerAdvance < r->mesh.vertices.count ? r->setUp + attemptsPerAdvance
                                                                     : r->mesh.vertices.count;
    for (; r->setUp < end; ++r->setUp) {
        int32_t vertex = r->setUp;
        int32_t neighbours[maxFan];
        // a vertex with more neighbours than a fan has room for is never joined
        int count = ListNeighbours(r, vertex, neighbours);
        for (int i = 0; i < count; ++i) {
            if (neighbours[i] > vertex && !PushEdge(r, vertex, neighbours[i])) {
                return false;
            }
        }
    }
    return true;
}

static bool Advance(cnReduction* r) {
    if (r->setUp < r->mesh.vertices.count) {
        r->progress = 0.1 * r->setUp / r->mesh.vertices.count;
        return PushEdges(r);
    }
    for (int i = 0; i < attemptsPerAdvance && !r->isDone; ++i) {
        if (!TryNext(r)) {
            return false;
        }
    }
    int wanted = r->startCount - r->def.maxTriangles;
    double part = wanted > 0 ? (double)(r->startCount - r->triangleCount) / wanted : 1.0;
    r->progress = cnMax(r->progress, 0.1 + 0.89 * cnMin(1.0, part));
    return !r->isDone || Finish(r);
}

cnErrorCode cnReduction_Advance(cnReduction* reduction, double* progress) {
    if (reduction == NULL || progress == NULL) {
        const char* argument = reduction == NULL ? "reduction" : "progress";
        return cnFail(CN_ERROR_NULL_ARGUMENT, advanceName, argument, "%s is null", argument);
    }
    if (reduction->progress < 1.0 && !Advance(reduction)) {
        return FailMemory(advanceName);
    }
    *progress = reduction->progress;
    return CN_ERROR_NONE;
}

cnErrorCode cnReduction_GetMesh(const cnReduction* reduction, cnMeshView* mesh, cnReductionReport* report) {
    if (reduction == NULL || mesh == NULL) {
        const char* argument = reduction == NULL ? "reduction" : "mesh";
        return cnFail(CN_ERROR_NULL_ARGUMENT, __func__, argument, "%s is null", argument);
    }
    if (reduction->progress < 1.0) {
        return cnFail(CN_ERROR_WRONG_PHASE, __func__, "reduction", "the reduction is not done");
    }
    *mesh = (cnMeshView){reduction->resultVertices.data, reduction->resultVertices.count,
                         reduction->resultTriangles.data, reduction->resultTriangles.count / 3};
    if (report != NULL) {
        *report = reduction->report;
    }
    return CN_ERROR_NONE;
}
