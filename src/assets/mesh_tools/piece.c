// Hulls of pieces and their errors; piece.h says what.
#include "assets/mesh_tools/piece.h"
#include "base/report/error.h"

#include <string.h>

// Thickness, in units of the diagonal, below which a hull counts as flat.
#define FLAT_THICKNESS 4e-6

static const char callName[] = "cnDecomposition_Advance";

void cnPiece_Free(cnPiece* piece) {
    cnCutPart_Free(&piece->part);
    cnHull_Free(piece->hull);
    piece->hull = NULL;
}

// ---- flat hulls -------------------------------------------------------------------------------------------

// Directions in which points do not reach: all three where they coincide, two across a line, one across a
// plane.
static int FindFlatDirections(const cnVec3* points, int count, double thickness, cnVec3* directions) {
    cnVec3 start = points[0], end = points[0];
    for (int i = 0; i < count; ++i) {
        if (cnLengthSquared(cnSub(points[i], points[0])) > cnLengthSquared(cnSub(end, points[0]))) {
            end = points[i];
        }
    }
    for (int i = 0; i < count; ++i) {
        if (cnLengthSquared(cnSub(points[i], end)) > cnLengthSquared(cnSub(start, end))) {
            start = points[i];
        }
    }
    cnVec3 along = cnSub(end, start);
    if (!(cnLength(along) > thickness)) {
        directions[0] = cnVec(1, 0, 0);
        directions[1] = cnVec(0, 1, 0);
        directions[2] = cnVec(0, 0, 1);
        return 3;
    }
    along = cnNormalize(along);
    cnVec3 across = cnVec3_zero;
    for (int i = 0; i < count; ++i) {
        cnVec3 way = cnSub(points[i], start);
        way = cnMulAdd(way, -cnDot(way, along), along);
        if (cnLengthSquared(way) > cnLengthSquared(across)) {
            across = way;
        }
    }
    if (!(cnLength(across) > thickness)) {
        directions[0] = cnNormalize(cnCross(along, cnMinAxis(along)));
        directions[1] = cnCross(along, directions[0]);
        return 2;
    }
    directions[0] = cnNormalize(cnCross(along, across));
    return 1;
}

// Rows and columns of directions on each side of a cube.
#define DIRECTION_GRID 13

// The points farthest along a thousand directions, for what has more corners than a hull may have: what
// sticks out between them is a tenth of a percent of the size.
static cnErrorCode BuildCoarseHull(cnHull** hull, const cnVec3* points, int count) {
    CN_ARRAY(cnVec3) corners = {0};
    cnErrorCode code = CN_ERROR_OUT_OF_MEMORY;
    if (cnArray_Reserve(&corners, 6 * DIRECTION_GRID * DIRECTION_GRID)) {
        for (int i = 0; i < 6 * DIRECTION_GRID * DIRECTION_GRID; ++i) {
            double u = (2 * (i % DIRECTION_GRID) - (DIRECTION_GRID - 1)) / (double)DIRECTION_GRID;
            double v =
                (2 * (i / DIRECTION_GRID % DIRECTION_GRID) - (DIRECTION_GRID - 1)) / (double)DIRECTION_GRID;
            int side = i / (DIRECTION_GRID * DIRECTION_GRID);
            double w = side % 2 == 0 ? 1.0 : -1.0;
            cnVec3 direction = side < 2 ? cnVec(w, u, v) : (side < 4 ? cnVec(u, w, v) : cnVec(u, v, w));
            corners.data[corners.count++] = points[cnFindFarthest(points, count, direction, 0)];
        }
        code = cnHull_Build(hull, corners.data, corners.count, callName);
    }
    cnArray_Free(&corners);
    return code;
}

cnErrorCode cnBuildHull(cnHull** hull, const cnVec3* points, int count) {
    *hull = NULL;
    if (count < 4) {
        return CN_ERROR_DEGENERATE_SHAPE;
    }
    cnErrorCode code = cnHull_Build(hull, points, count, callName);
    return code == CN_ERROR_OUT_OF_RANGE ? BuildCoarseHull(hull, points, count) : code;
}

// About that of a plate of this volume and surface.
static double FindThickness(const cnHull* hull) {
    double area = 0.0;
    for (int face = 0; face < hull->faceCount; ++face) {
        int start = hull->faceEdges[face];
        cnVec3 origin = hull->vertices[hull->edges[start].origin];
        cnVec3 sum = cnVec3_zero;
        int edge = hull->edges[start].next;
        for (int next = hull->edges[edge].next; next != start; edge = next, next = hull->edges[edge].next) {
            sum = cnAdd(sum, cnCross(cnSub(hull->vertices[hull->edges[edge].origin], origin),
                                     cnSub(hull->vertices[hull->edges[next].origin], origin)));
        }
        area += 0.5 * cnLength(sum);
    }
    double volume = 0.0;
    cnVec3 centre;
    cnMat33 inertia;
    cnHull_ComputeMass(hull, &volume, &centre, &inertia);
    return 2.0 * volume / cnMax(area, 1e-300);
}

cnHull* cnBuildThickHull(const cnVec3* points, int count, double thickness, bool* isFlat) {
    cnHull* hull = NULL;
    cnErrorCode code = cnBuildHull(&hull, points, count);
    // what is nearly flat might be refused as flat elsewhere, when rounded otherwise
    if (code == CN_ERROR_NONE && FindThickness(hull) < FLAT_THICKNESS) {
        cnHull_Free(hull);
        hull = NULL;
        code = CN_ERROR_DEGENERATE_SHAPE;
    }
    if (isFlat != NULL) {
        *isFlat = code == CN_ERROR_DEGENERATE_SHAPE;
    }
    if (code != CN_ERROR_DEGENERATE_SHAPE) {
        return hull;
    }
    cnVec3 directions[3];
    int directionCount = FindFlatDirections(points, count, thickness, directions);
    CN_ARRAY(cnVec3) thick = {0};
    if (cnArray_Resize(&thick, count << directionCount)) {
        for (int i = 0; i < thick.count; ++i) {
            cnVec3 point = points[i >> directionCount];
            for (int k = 0; k < directionCount; ++k) {
                point =
                    cnMulAdd(point, (i >> k & 1) != 0 ? 0.5 * thickness : -0.5 * thickness, directions[k]);
            }
            thick.data[i] = point;
        }
        cnBuildHull(&hull, thick.data, thick.count);
    }
    cnArray_Free(&thick);
    return hull;
}

// ---- error ------------------------------------------------------------------------------------------------

typedef struct FaceTriangle {
    cnVec3 corners[3];
    double bound; // of the distance outside: from what is known of a larger one
} FaceTriangle;

typedef struct ErrorSearch {
    const cnToolMesh* mesh;
    double tolerance;
    double best;
    CN_ARRAY(FaceTriangle) stack;
} ErrorSearch;

static cnVec3 FindCentre(const FaceTriangle* triangle) {
    return cnScale(1.0 / 3.0, cnAdd(triangle->corners[0], cnAdd(triangle->corners[1], triangle->corners[2])));
}

static double FindRadius(const FaceTriangle* triangle, cnVec3 centre) {
    double radius = 0.0;
    for (int i = 0; i < 3; ++i) {
        radius = cnMax(radius, cnLengthSquared(cnSub(triangle->corners[i], centre)));
    }
    return sqrt(radius);
}

// The distance outside at the centre of a triangle, and in `isOpen` whether the triangle may hold more than
// the best so far, which grows by what its centre has.
static double LookAt(ErrorSearch* search, const FaceTriangle* triangle, cnVec3 centre, bool* isOpen) {
    double radius = FindRadius(triangle, centre);
    double wanted = search->best + search->tolerance;
    int nearest;
    double distance = cnToolMesh_FindDistance(search->mesh, centre, &nearest);
    *isOpen = false;
    if (distance + radius <= wanted) {
        return distance;
    }
    // the distance from one triangle is a convex function: it is largest at a corner
    double farthest = 0.0;
    for (int i = 0; i < 3; ++i) {
        farthest = cnMax(farthest, cnToolMesh_FindDistanceTo(search->mesh, nearest, triangle->corners[i]));
    }
    if (farthest <= wanted) {
        return distance;
    }
    // what is as deep inside leaves less
    if (cnToolMesh_IsInside(search->mesh, centre)) {
        *isOpen = radius - distance > wanted;
        return -distance;
    }
    search->best = cnMax(search->best, distance);
    *isOpen = cnMin(distance + radius, farthest) > search->best + search->tolerance;
    return distance;
}

static double BoundFrom(const FaceTriangle* triangle, cnVec3 centre, double distance) {
    return distance + FindRadius(triangle, centre);
}

// In two halves across its longest edge, with what the distance at the centre of the whole says of them.
static bool SplitTriangle(ErrorSearch* search, const FaceTriangle* triangle, cnVec3 centre, double distance) {
    int longest = 0;
    double length = -1.0;
    for (int i = 0; i < 3; ++i) {
        double edge = cnLengthSquared(cnSub(triangle->corners[(i + 1) % 3], triangle->corners[i]));
        longest = edge > length ? i : longest;
        length = cnMax(length, edge);
    }
    cnVec3 a = triangle->corners[longest], b = triangle->corners[(longest + 1) % 3];
    cnVec3 c = triangle->corners[(longest + 2) % 3];
    cnVec3 middle = cnMulAdd(cnScale(0.5, a), 0.5, b);
    FaceTriangle halves[2] = {{.corners = {a, middle, c}}, {.corners = {middle, b, c}}};
    for (int i = 0; i < 2; ++i) {
        halves[i].bound = cnMin(triangle->bound, BoundFrom(halves + i, centre, distance));
        if (!cnArray_Push(&search->stack, halves[i])) {
            return false;
        }
    }
    return true;
}

// False when memory ran out.
static bool SearchTriangle(ErrorSearch* search, const FaceTriangle* triangle) {
    if (triangle->bound <= search->best + search->tolerance) {
        return true;
    }
    cnVec3 centre = FindCentre(triangle);
    bool isOpen;
    double distance = LookAt(search, triangle, centre, &isOpen);
    return !isOpen || SplitTriangle(search, triangle, centre, distance);
}

double cnFindHullError(const cnToolMesh* mesh, const cnHull* hull, double tolerance) {
    ErrorSearch search = {.mesh = mesh, .tolerance = tolerance};
    bool isDone = true;
    for (int face = 0; isDone && face < hull->faceCount; ++face) {
        int start = hull->faceEdges[face];
        cnVec3 origin = hull->vertices[hull->edges[start].origin];
        int edge = hull->edges[start].next;
        for (int next = hull->edges[edge].next; isDone && next != start;
             edge = next, next = hull->edges[edge].next) {
            FaceTriangle triangle = {.corners = {origin, hull->vertices[hull->edges[edge].origin],
                                                 hull->vertices[hull->edges[next].origin]}};
            // its corners lie on the mesh or within
            triangle.bound = FindRadius(&triangle, FindCentre(&triangle));
            isDone = cnArray_Push(&search.stack, triangle);
            while (isDone && search.stack.count > 0) {
                FaceTriangle top = search.stack.data[--search.stack.count];
                isDone = SearchTriangle(&search, &top);
            }
        }
    }
    cnArray_Free(&search.stack);
    return isDone ? search.best : -1.0;
}

double cnFindVolumeCost(double addedVolume) {
    return addedVolume > 0.0 ? 0.3 * cnPow(addedVolume * (3.0 / (4.0 * CN_PI)), 1.0 / 3.0) : 0.0;
}

bool cnPiece_Measure(cnPiece* piece, const cnToolMesh* mesh, double thickness, double tolerance) {
    bool isFlat;
    piece->hull = cnBuildThickHull(piece->part.vertices.data, piece->part.vertices.count, thickness, &isFlat);
    if (piece->hull == NULL) {
        return false;
    }
    piece->volume = cnMax(0.0, cnCutPart_FindVolume(&piece->part));
    cnVec3 centre;
    cnMat33 inertia;
    cnHull_ComputeMass(piece->hull, &piece->hullVolume, &centre, &inertia);
    piece->isFlat = piece->isWhole = isFlat;
    piece->error = isFlat ? 0.0 : cnFindHullError(mesh, piece->hull, tolerance);
    return piece->error >= 0.0;
}

// ---- fewer vertices ---------------------------------------------------------------------------------------

// A vertex outside of a hull, by the face that it sticks out of farthest.
typedef struct OuterVertex {
    double excess;
    int vertex; // −1: none
} OuterVertex;

// Adds the vertices that stick out farthest, one for each face at most, a quarter more than there are.
// False where none sticks out by more than rounding.
static bool AddOutermost(const cnHull* hull, const cnHull* part, OuterVertex* outer, cnVec3* points,
                         int* count, int maxVertices) {
    for (int face = 0; face < part->faceCount; ++face) {
        outer[face] = (OuterVertex){1e-9, -1};
    }
    for (int i = 0; i < hull->vertexCount; ++i) {
        OuterVertex found = {-1.0, i};
        int at = 0;
        for (int face = 0; face < part->faceCount; ++face) {
            double excess = cnDot(part->planes[face].normal, hull->vertices[i]) - part->planes[face].offset;
            at = excess > found.excess ? face : at;
            found.excess = cnMax(found.excess, excess);
        }
        outer[at] = found.excess > outer[at].excess ? found : outer[at];
    }
    bool isAdded = false;
    for (int room = *count / 4 + 1; room > 0 && *count < maxVertices; --room) {
        int best = 0;
        for (int face = 1; face < part->faceCount; ++face) {
            best = outer[face].vertex >= 0 && outer[face].excess > outer[best].excess ? face : best;
        }
        if (outer[best].vertex < 0) {
            break;
        }
        points[(*count)++] = hull->vertices[outer[best].vertex];
        outer[best] = (OuterVertex){1e-9, -1};
        isAdded = true;
    }
    return isAdded;
}

// Four corners far from each other.
static bool FindFirstCorners(const cnHull* hull, int* chosen) {
    const cnVec3* v = hull->vertices;
    chosen[0] = cnFindFarthest(v, hull->vertexCount, cnVec(1, 0, 0), 0);
    double best[3] = {0.0, 0.0, 0.0};
    chosen[1] = chosen[2] = chosen[3] = chosen[0];
    for (int i = 0; i < hull->vertexCount; ++i) {
        double distance = cnLengthSquared(cnSub(v[i], v[chosen[0]]));
        chosen[1] = distance > best[0] ? i : chosen[1];
        best[0] = cnMax(best[0], distance);
    }
    cnVec3 along = cnNormalize(cnSub(v[chosen[1]], v[chosen[0]]));
    for (int i = 0; i < hull->vertexCount; ++i) {
        double distance = cnLengthSquared(cnCross(along, cnSub(v[i], v[chosen[0]])));
        chosen[2] = distance > best[1] ? i : chosen[2];
        best[1] = cnMax(best[1], distance);
    }
    cnVec3 normal = cnCross(along, cnSub(v[chosen[2]], v[chosen[0]]));
    for (int i = 0; i < hull->vertexCount; ++i) {
        double distance = fabs(cnDot(normal, cnSub(v[i], v[chosen[0]])));
        chosen[3] = distance > best[2] ? i : chosen[3];
        best[2] = cnMax(best[2], distance);
    }
    return best[2] > 0.0;
}

cnHull* cnReduceHull(const cnHull* hull, int maxVertices) {
    cnHull* result = NULL;
    CN_ARRAY(cnVec3) points = {0};
    CN_ARRAY(OuterVertex) outer = {0};
    int chosen[4];
    // a hull of n vertices has 2 n − 4 faces at most
    bool isDone = FindFirstCorners(hull, chosen) && cnArray_Reserve(&points, maxVertices) &&
                  cnArray_Resize(&outer, 2 * maxVertices);
    for (int i = 0; isDone && i < 4; ++i) {
        points.data[points.count++] = hull->vertices[chosen[i]];
    }
    for (bool isMore = isDone; isMore;) {
        cnHull_Free(result);
        isMore = cnHull_Build(&result, points.data, points.count, callName) == CN_ERROR_NONE &&
                 AddOutermost(hull, result, outer.data, points.data, &points.count, maxVertices);
    }
    cnArray_Free(&points);
    cnArray_Free(&outer);
    return result;
}
