// Building convex hulls.
//
// Quickhull (Barber, Dobkin, Huhdanpaa 1996) over triangles on points scaled to the unit box. One choice
// makes coplanar, collinear and grid-like input harmless: a triangle whose plane holds the new point (within
// rounding) counts as visible and is fanned again from that point. A horizon edge (a, b) then has a hidden
// triangle whose plane passes clearly above the new point, so the point is never collinear with the edge and
// no triangle degenerates. (Merging faces while building, as Gregorius 2014 does, reaches the same end by
// repairing topology.) Afterwards coplanar triangles are joined to polygons, and vertices with fewer than
// three polygons around them, which lie inside edges or faces, are dropped.
//
// Rounding may still fold the surface where many points lie within some 1e-7 of one plane. What has grown is
// looked at, and built again with another tolerance where it is folded.
#include "base/containers/array.h"
#include "base/report/error.h"
#include "geometry/hull.h"

#include <string.h>

// in units of the largest half extent
#define OUTSIDE_TOLERANCE 1e-10
#define FOLD_TOLERANCE 1e-6
#define WELD_TOLERANCE 2e-7
#define MERGE_TOLERANCE 4e-7
#define DEGENERATE_TOLERANCE 1e-6

typedef struct Triangle {
    int vertex[3];
    int neighbour[3]; // across the edge from vertex[i] to vertex[i + 1]
    cnVec3 normal;
    double offset;
    int firstOutside; // list of points in front of it, through Builder.nextPoint; -1
    int farthest;     // the one farthest in front
    double farthestDistance;
    int mark;     // number of the point that last looked at it
    bool visible; // from that point
    bool live;
    int group; // polygon
} Triangle;

typedef struct HorizonEdge {
    int start, end; // vertices, as the visible triangle has them
    int outside;    // the hidden triangle and which of its edges
    int outsideEdge;
    int triangle; // the new one, and its plane
    cnVec3 normal;
    double offset;
} HorizonEdge;

typedef struct Builder {
    const cnVec3* input;
    double outside; // from this distance on a point is in front of a triangle
    cnVec3* points; // scaled to the unit box
    int pointCount;
    int* nextPoint;
    int* horizonAt; // per point, the horizon edge that starts there, valid where horizonMark equals the mark
    int* horizonMark;
    CN_ARRAY(Triangle) triangles;
    CN_ARRAY(int) freeTriangles;
    CN_ARRAY(int) pending;
    CN_ARRAY(int) visible;
    CN_ARRAY(HorizonEdge) horizon;
    int mark;
} Builder;

static void Builder_Free(Builder* builder) {
    size_t count = (size_t)builder->pointCount;
    cnFree(builder->points, count * sizeof(cnVec3));
    cnFree(builder->nextPoint, count * sizeof(int));
    cnFree(builder->horizonAt, count * sizeof(int));
    cnFree(builder->horizonMark, count * sizeof(int));
    cnArray_Free(&builder->triangles);
    cnArray_Free(&builder->freeTriangles);
    cnArray_Free(&builder->pending);
    cnArray_Free(&builder->visible);
    cnArray_Free(&builder->horizon);
}

static double DistanceTo(const Triangle* triangle, cnVec3 point) {
    return cnDot(triangle->normal, point) - triangle->offset;
}

// Plane of a triangle; false where it has no area.
static bool SetPlane(const Builder* builder, Triangle* triangle) {
    cnVec3 a = builder->points[triangle->vertex[0]];
    cnVec3 b = builder->points[triangle->vertex[1]];
    cnVec3 c = builder->points[triangle->vertex[2]];
    // from the corner opposite the longest edge, where the cross product loses least
    double ab = cnLengthSquared(cnSub(b, a)), bc = cnLengthSquared(cnSub(c, b)),
           ca = cnLengthSquared(cnSub(a, c));
    cnVec3 area;
    if (ab >= bc && ab >= ca) {
        area = cnCross(cnSub(a, c), cnSub(b, c));
    } else if (bc >= ca) {
        area = cnCross(cnSub(b, a), cnSub(c, a));
    } else {
        area = cnCross(cnSub(c, b), cnSub(a, b));
    }
    double length = cnLength(area);
    if (!(length > 1e-22)) {
        return false;
    }
    triangle->normal = cnScale(1.0 / length, area);
    triangle->offset = cnDot(triangle->normal, cnScale(1.0 / 3.0, cnAdd(a, cnAdd(b, c))));
    return true;
}

// Index of a fresh triangle, -1 when memory ran out.
static int NewTriangle(Builder* builder, int a, int b, int c) {
    int index;
    if (builder->freeTriangles.count > 0) {
        index = builder->freeTriangles.data[--builder->freeTriangles.count];
    } else {
        index = builder->triangles.count;
        if (!cnArray_Resize(&builder->triangles, index + 1)) {
            return -1;
        }
    }
    builder->triangles.data[index] = (Triangle){.vertex = {a, b, c},
                                                .neighbour = {-1, -1, -1},
                                                .firstOutside = -1,
                                                .farthest = -1,
                                                .live = true,
                                                .group = -1};
    return index;
}

static void AddOutside(Builder* builder, Triangle* triangle, int point, double distance) {
    builder->nextPoint[point] = triangle->firstOutside;
    triangle->firstOutside = point;
    if (triangle->farthest < 0 || distance > triangle->farthestDistance ||
        (distance == triangle->farthestDistance && point < triangle->farthest)) {
        triangle->farthest = point;
        triangle->farthestDistance = distance;
    }
}

// Scales the points to the unit box about the middle of their bounds; extent: half its largest side.
static cnErrorCode ScalePoints(Builder* builder, double* extent, const char* call) {
    cnVec3 lower = builder->input[0], upper = lower;
    for (int i = 0; i < builder->pointCount; ++i) {
        cnVec3 point = builder->input[i];
        if (!cnIsFiniteVec(point)) {
            return cnFail(CN_ERROR_NOT_FINITE, call, "points", "points[%d] is (%g, %g, %g), must be finite",
                          i, point.x, point.y, point.z);
        }
        lower = cnMinVec(lower, point);
        upper = cnMaxVec(upper, point);
    }
    cnVec3 middle = cnMulAdd(cnScale(0.5, lower), 0.5, upper);
    cnVec3 half = cnMulAdd(cnScale(-0.5, lower), 0.5, upper);
    *extent = cnMax(half.x, cnMax(half.y, half.z));
    if (!(*extent > 1e-150)) {
        return cnFail(CN_ERROR_DEGENERATE_SHAPE, call, "points",
                      "the %d points all coincide; they must span a volume", builder->pointCount);
    }
    double scale = 1.0 / *extent;
    for (int i = 0; i < builder->pointCount; ++i) {
        builder->points[i] = cnScale(scale, cnSub(builder->input[i], middle));
    }
    return CN_ERROR_NONE;
}

// The first tetrahedron, of four points far from each other, with all other points handed to its faces.
static cnErrorCode MakeTetrahedron(Builder* builder, const char* call) {
    const cnVec3* points = builder->points;
    int count = builder->pointCount;

    // the two extreme points along the axes that are farthest apart
    int extreme[6] = {0, 0, 0, 0, 0, 0};
    for (int i = 1; i < count; ++i) {
        extreme[0] = points[i].x < points[extreme[0]].x ? i : extreme[0];
        extreme[1] = points[i].x > points[extreme[1]].x ? i : extreme[1];
        extreme[2] = points[i].y < points[extreme[2]].y ? i : extreme[2];
        extreme[3] = points[i].y > points[extreme[3]].y ? i : extreme[3];
        extreme[4] = points[i].z < points[extreme[4]].z ? i : extreme[4];
        extreme[5] = points[i].z > points[extreme[5]].z ? i : extreme[5];
    }
    int corner[4] = {0, 0, 0, 0};
    double best = 0.0;
    for (int i = 0; i < 6; ++i) {
        for (int j = i + 1; j < 6; ++j) {
            double distance = cnLengthSquared(cnSub(points[extreme[i]], points[extreme[j]]));
            if (distance > best) {
                best = distance;
                corner[0] = extreme[i];
                corner[1] = extreme[j];
            }
        }
    }

    // the point farthest from their line
    cnVec3 axis = cnNormalize(cnSub(points[corner[1]], points[corner[0]]));
    best = 0.0;
    for (int i = 0; i < count; ++i) {
        double distance = cnLength(cnCross(axis, cnSub(points[i], points[corner[0]])));
        if (distance > best) {
            best = distance;
            corner[2] = i;
        }
    }
    if (!(best > DEGENERATE_TOLERANCE)) {
        return cnFail(CN_ERROR_DEGENERATE_SHAPE, call, "points",
                      "the %d points all lie on one line; they must span a volume", count);
    }

    // the point farthest from their plane
    cnVec3 normal = cnNormalize(cnCross(axis, cnSub(points[corner[2]], points[corner[0]])));
    double height = 0.0;
    for (int i = 0; i < count; ++i) {
        double distance = cnDot(normal, cnSub(points[i], points[corner[0]]));
        if (fabs(distance) > fabs(height)) {
            height = distance;
            corner[3] = i;
        }
    }
    if (!(fabs(height) > DEGENERATE_TOLERANCE)) {
        return cnFail(CN_ERROR_DEGENERATE_SHAPE, call, "points",
                      "the %d points all lie in one plane; they must span a volume", count);
    }
    if (height > 0.0) {
        int swap = corner[1];
        corner[1] = corner[2];
        corner[2] = swap;
    }

    // faces seen counter-clockwise from outside; corner 3 lies behind the first
    static const int faceCorners[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int faceNeighbours[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int i = 0; i < 4; ++i) {
        int index = NewTriangle(builder, corner[faceCorners[i][0]], corner[faceCorners[i][1]],
                                corner[faceCorners[i][2]]);
        if (index < 0) {
            return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "points", "no memory to build the hull");
        }
        memcpy(builder->triangles.data[index].neighbour, faceNeighbours[i], sizeof faceNeighbours[i]);
        SetPlane(builder, builder->triangles.data + index);
    }
    for (int i = 0; i < count; ++i) {
        int face = -1;
        double farthest = builder->outside;
        for (int j = 0; j < 4; ++j) {
            double distance = DistanceTo(builder->triangles.data + j, points[i]);
            if (distance > farthest) {
                farthest = distance;
                face = j;
            }
        }
        if (face >= 0) {
            AddOutside(builder, builder->triangles.data + face, i, farthest);
        }
    }
    for (int i = 0; i < 4; ++i) {
        if (!cnArray_Push(&builder->pending, i)) {
            return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "points", "no memory to build the hull");
        }
    }
    return CN_ERROR_NONE;
}

typedef enum Outcome {
    outcomeDone,
    outcomeRefused,
    outcomeNoMemory
} Outcome;

// Finds the triangles seen from a point: those whose distance exceeds the threshold, connected to `seed`.
// Their border must be one simple loop, which is put in order; refused otherwise.
static Outcome FindHorizon(Builder* builder, int seed, int point, double threshold) {
    int mark = ++builder->mark;
    Triangle* triangles = builder->triangles.data;
    cnVec3 position = builder->points[point];
    builder->visible.count = 0;
    builder->horizon.count = 0;
    triangles[seed].mark = mark;
    triangles[seed].visible = true;
    if (!cnArray_Push(&builder->visible, seed)) {
        return outcomeNoMemory;
    }
    for (int i = 0; i < builder->visible.count; ++i) {
        int index = builder->visible.data[i];
        for (int j = 0; j < 3; ++j) {
            int other = triangles[index].neighbour[j];
            if (triangles[other].mark != mark) {
                triangles[other].mark = mark;
                triangles[other].visible = DistanceTo(triangles + other, position) > threshold;
                if (triangles[other].visible && !cnArray_Push(&builder->visible, other)) {
                    return outcomeNoMemory;
                }
            }
            if (!triangles[other].visible) {
                int outsideEdge = 2;
                for (int k = 0; k < 2; ++k) {
                    bool shared = triangles[other].neighbour[k] == index &&
                                  triangles[other].vertex[k] == triangles[index].vertex[(j + 1) % 3];
                    outsideEdge = shared ? k : outsideEdge;
                }
                HorizonEdge edge = {.start = triangles[index].vertex[j],
                                    .end = triangles[index].vertex[(j + 1) % 3],
                                    .outside = other,
                                    .outsideEdge = outsideEdge,
                                    .triangle = -1};
                if (builder->horizonMark[edge.start] == mark) {
                    return outcomeRefused;
                }
                builder->horizonMark[edge.start] = mark;
                builder->horizonAt[edge.start] = builder->horizon.count;
                if (!cnArray_Push(&builder->horizon, edge)) {
                    return outcomeNoMemory;
                }
            }
        }
    }

    // bring the border into order by walking it once
    int count = builder->horizon.count;
    if (count < 3) {
        return outcomeRefused;
    }
    for (int i = 0; i + 1 < count; ++i) {
        int end = builder->horizon.data[i].end;
        if (builder->horizonMark[end] != mark || builder->horizonAt[end] <= i) {
            return outcomeRefused;
        }
        int from = builder->horizonAt[end];
        HorizonEdge moved = builder->horizon.data[i + 1];
        builder->horizon.data[i + 1] = builder->horizon.data[from];
        builder->horizon.data[from] = moved;
        builder->horizonAt[moved.start] = from;
        builder->horizonAt[end] = i + 1;
    }
    if (builder->horizon.data[count - 1].end != builder->horizon.data[0].start) {
        return outcomeRefused;
    }

    // no triangle of the fan may degenerate
    for (int i = 0; i < count; ++i) {
        HorizonEdge* edge = builder->horizon.data + i;
        Triangle trial;
        trial.vertex[0] = edge->start;
        trial.vertex[1] = edge->end;
        trial.vertex[2] = point;
        if (!SetPlane(builder, &trial)) {
            return outcomeRefused;
        }
        edge->normal = trial.normal;
        edge->offset = trial.offset;
    }
    return outcomeDone;
}

// Whether a point lies on top of a corner of what it sees. Such points would make faces of the
// size of rounding.
static bool IsDuplicate(const Builder* builder, int point) {
    for (int i = 0; i < builder->visible.count; ++i) {
        const Triangle* triangle = builder->triangles.data + builder->visible.data[i];
        for (int j = 0; j < 3; ++j) {
            cnVec3 between = cnSub(builder->points[point], builder->points[triangle->vertex[j]]);
            if (cnLengthSquared(between) <= WELD_TOLERANCE * WELD_TOLERANCE) {
                return true;
            }
        }
    }
    return false;
}

// Replaces the visible triangles by a fan from the point to the horizon and hands their points on.
static Outcome AddFan(Builder* builder, int point) {
    // make the fan
    int count = builder->horizon.count;
    for (int i = 0; i < count; ++i) {
        HorizonEdge* edge = builder->horizon.data + i;
        edge->triangle = NewTriangle(builder, edge->start, edge->end, point);
        if (edge->triangle < 0 || !cnArray_Push(&builder->pending, edge->triangle)) {
            return outcomeNoMemory;
        }
        Triangle* triangle = builder->triangles.data + edge->triangle;
        triangle->normal = edge->normal;
        triangle->offset = edge->offset;
        triangle->neighbour[0] = edge->outside;
        builder->triangles.data[edge->outside].neighbour[edge->outsideEdge] = edge->triangle;
    }
    for (int i = 0; i < count; ++i) {
        int index = builder->horizon.data[i].triangle;
        int next = builder->horizon.data[i + 1 < count ? i + 1 : 0].triangle;
        builder->triangles.data[index].neighbour[1] = next;
        builder->triangles.data[next].neighbour[2] = index;
    }

    // hand on the points of what is removed
    for (int i = 0; i < builder->visible.count; ++i) {
        int index = builder->visible.data[i];
        int nextOutside;
        for (int outside = builder->triangles.data[index].firstOutside; outside >= 0; outside = nextOutside) {
            nextOutside = builder->nextPoint[outside];
            if (outside == point) {
                continue;
            }
            for (int j = 0; j < count; ++j) {
                Triangle* candidate = builder->triangles.data + builder->horizon.data[j].triangle;
                double distance = DistanceTo(candidate, builder->points[outside]);
                if (distance > builder->outside) {
                    AddOutside(builder, candidate, outside, distance);
                    break;
                }
            }
        }
        builder->triangles.data[index].live = false;
        builder->triangles.data[index].firstOutside = -1;
        if (!cnArray_Push(&builder->freeTriangles, index)) {
            return outcomeNoMemory;
        }
    }
    return outcomeDone;
}

// Takes a point that could not be added out of its triangle's list.
static void DropPoint(Builder* builder, int index, int point) {
    Triangle* triangle = builder->triangles.data + index;
    int list = triangle->firstOutside;
    triangle->firstOutside = -1;
    triangle->farthest = -1;
    int next;
    for (int outside = list; outside >= 0; outside = next) {
        next = builder->nextPoint[outside];
        if (outside != point) {
            AddOutside(builder, triangle, outside, DistanceTo(triangle, builder->points[outside]));
        }
    }
}

// Adds points until none is outside.
static cnErrorCode Grow(Builder* builder, const char* call) {
    // a coplanar triangle counts as visible; where rounding makes the border of such a region
    // impossible, as hidden
    const double thresholds[3] = {-builder->outside, 0.0, builder->outside};
    for (int next = 0; next < builder->pending.count;) {
        int index = builder->pending.data[next];
        Triangle* triangle = builder->triangles.data + index;
        if (!triangle->live || triangle->firstOutside < 0) {
            ++next;
            continue;
        }
        int point = triangle->farthest;
        Outcome outcome = outcomeRefused;
        CN_PIN(&builder->triangles, "the search for the horizon");
        for (int i = 0; i < 3 && outcome == outcomeRefused; ++i) {
            outcome = FindHorizon(builder, index, point, thresholds[i]);
        }
        CN_UNPIN(&builder->triangles);
        if (outcome == outcomeDone && IsDuplicate(builder, point)) {
            outcome = outcomeRefused;
        }
        if (outcome == outcomeRefused) {
            DropPoint(builder, index, point);
        } else if (outcome == outcomeDone) {
            CN_PIN(&builder->horizon, "the fan from the horizon");
            outcome = AddFan(builder, point);
            CN_UNPIN(&builder->horizon);
        }
        if (outcome == outcomeNoMemory) {
            return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "points", "no memory to build the hull");
        }
    }
    return CN_ERROR_NONE;
}

// Polygons of the hull while triangles are joined.
typedef struct Merger {
    int* order;   // live triangles, largest first
    double* area; // per entry of order, only while sorting
    int triangleCount;
    int groupCount;
    uint8_t* polygons; // per vertex: border half-edges that leave it, i.e. polygons around it, up to 3
    int* vertexIndex;  // per point: number in the hull, -1
    int* edgeIndex;    // per half-edge 3·triangle + i: number in the hull, -1
    int edgeSlots;
    int pointCount;
} Merger;

static void Merger_Free(Merger* merger) {
    cnFree(merger->order, (size_t)merger->edgeSlots * sizeof(int));
    cnFree(merger->area, (size_t)merger->edgeSlots * sizeof(double));
    cnFree(merger->polygons, (size_t)merger->pointCount);
    cnFree(merger->vertexIndex, (size_t)merger->pointCount * sizeof(int));
    cnFree(merger->edgeIndex, (size_t)merger->edgeSlots * sizeof(int));
}

// Heap sort, by area downwards and index upwards.
static bool ComesBefore(const Merger* merger, int a, int b) {
    double areaA = merger->area[a], areaB = merger->area[b];
    return areaA > areaB || (areaA == areaB && a < b);
}

static void SortByArea(Merger* merger) {
    int* order = merger->order;
    int count = merger->triangleCount;
    for (int start = count / 2 - 1, end = count; end > 1;) {
        if (start < 0) {
            --end;
            int top = order[0];
            order[0] = order[end];
            order[end] = top;
        }
        int parent = start < 0 ? 0 : start;
        start = start < 0 ? -1 : start - 1;
        for (int child = 2 * parent + 1; child < end; parent = child, child = 2 * child + 1) {
            if (child + 1 < end && ComesBefore(merger, order[child], order[child + 1])) {
                ++child;
            }
            if (!ComesBefore(merger, order[parent], order[child])) {
                break;
            }
            int moved = order[parent];
            order[parent] = order[child];
            order[child] = moved;
        }
    }
}

static int NextAround(int halfEdge) {
    return halfEdge % 3 == 2 ? halfEdge - 2 : halfEdge + 1;
}

// The same edge seen from the triangle on its other side.
static int TwinOf(const Triangle* triangles, int halfEdge) {
    int triangle = halfEdge / 3;
    int other = triangles[triangle].neighbour[halfEdge % 3];
    int end = triangles[triangle].vertex[NextAround(halfEdge) % 3];
    int start = triangles[triangle].vertex[halfEdge % 3];
    for (int i = 0; i < 3; ++i) {
        if (triangles[other].vertex[i] == end && triangles[other].vertex[(i + 1) % 3] == start) {
            return 3 * other + i;
        }
    }
    return -1;
}

static bool IsBorder(const Triangle* triangles, int halfEdge) {
    int triangle = halfEdge / 3;
    return triangles[triangles[triangle].neighbour[halfEdge % 3]].group != triangles[triangle].group;
}

// The border half-edge that follows one around its polygon.
static int NextBorder(const Triangle* triangles, int halfEdge) {
    int next = NextAround(halfEdge);
    while (!IsBorder(triangles, next)) {
        next = NextAround(TwinOf(triangles, next));
    }
    return next;
}

// Joins triangles to polygons: each polygon grows from the largest triangle left over those neighbours whose
// corners lie in its plane.
static void JoinCoplanar(Builder* builder, Merger* merger) {
    Triangle* triangles = builder->triangles.data;
    const cnVec3* points = builder->points;
    for (int i = 0; i < merger->triangleCount; ++i) {
        int seed = merger->order[i];
        if (triangles[seed].group >= 0) {
            continue;
        }
        int group = merger->groupCount++;
        triangles[seed].group = group;
        builder->visible.count = 0;
        builder->visible.data[builder->visible.count++] = seed;
        for (int j = 0; j < builder->visible.count; ++j) {
            int index = builder->visible.data[j];
            for (int k = 0; k < 3; ++k) {
                int other = triangles[index].neighbour[k];
                if (triangles[other].group >= 0 ||
                    !(cnDot(triangles[other].normal, triangles[seed].normal) > 0.0)) {
                    continue;
                }
                bool coplanar = true;
                for (int corner = 0; corner < 3; ++corner) {
                    double distance = DistanceTo(triangles + seed, points[triangles[other].vertex[corner]]);
                    coplanar = coplanar && fabs(distance) <= MERGE_TOLERANCE;
                }
                if (coplanar) {
                    triangles[other].group = group;
                    builder->visible.data[builder->visible.count++] = other;
                }
            }
        }
    }
}

// Counts the polygons around each vertex, up to 3.
static void CountPolygons(const Builder* builder, Merger* merger) {
    const Triangle* triangles = builder->triangles.data;
    memset(merger->polygons, 0, (size_t)merger->pointCount);
    for (int i = 0; i < merger->triangleCount; ++i) {
        int index = merger->order[i];
        for (int k = 0; k < 3; ++k) {
            uint8_t* count = merger->polygons + triangles[index].vertex[k];
            if (IsBorder(triangles, 3 * index + k) && *count < 3) {
                ++*count;
            }
        }
    }
}

// A polygon that keeps fewer than three corners is a sliver between two others: gives it to the neighbour
// across its longest edge. Returns whether there was one.
static bool DissolveSlivers(Builder* builder, Merger* merger) {
    Triangle* triangles = builder->triangles.data;
    bool dissolved = false;
    for (int i = 0; i < merger->triangleCount; ++i) {
        for (int k = 0; k < 3; ++k) {
            int start = 3 * merger->order[i] + k;
            if (!IsBorder(triangles, start)) {
                continue;
            }
            int corners = 0;
            int longest = start;
            double longestLength = -1.0;
            int edge = start;
            do {
                int origin = triangles[edge / 3].vertex[edge % 3];
                int next = NextBorder(triangles, edge);
                int end = triangles[next / 3].vertex[next % 3];
                double length = cnLengthSquared(cnSub(builder->points[end], builder->points[origin]));
                corners += merger->polygons[origin] >= 3 ? 1 : 0;
                if (length > longestLength) {
                    longestLength = length;
                    longest = edge;
                }
                edge = next;
            } while (edge != start && corners < 3);
            if (corners >= 3) {
                continue;
            }
            int from = triangles[longest / 3].group;
            int to = triangles[triangles[longest / 3].neighbour[longest % 3]].group;
            for (int j = 0; j < merger->triangleCount; ++j) {
                Triangle* triangle = triangles + merger->order[j];
                triangle->group = triangle->group == from ? to : triangle->group;
            }
            CountPolygons(builder, merger);
            dissolved = true;
        }
    }
    return dissolved;
}

// Numbers what is left and writes it into one block.
static cnErrorCode WriteHull(Builder* builder, Merger* merger, cnHull** out, const char* call) {
    const Triangle* triangles = builder->triangles.data;

    // number vertices in the order of the input, half-edges polygon by polygon
    int vertexCount = 0;
    for (int i = 0; i < merger->pointCount; ++i) {
        merger->vertexIndex[i] = merger->polygons[i] >= 3 ? vertexCount++ : -1;
    }
    if (vertexCount > CN_MAX_HULL_VERTICES) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "points", "the hull has %d vertices, allowed are %d",
                      vertexCount, CN_MAX_HULL_VERTICES);
    }
    for (int i = 0; i < merger->edgeSlots; ++i) {
        merger->edgeIndex[i] = -1;
    }
    int edgeCount = 0;
    int faceCount = 0;
    for (int i = 0; i < merger->triangleCount; ++i) {
        for (int k = 0; k < 3; ++k) {
            int start = 3 * merger->order[i] + k;
            if (merger->edgeIndex[start] >= 0 || !IsBorder(triangles, start) ||
                merger->polygons[triangles[start / 3].vertex[start % 3]] < 3) {
                continue;
            }
            ++faceCount;
            int edge = start;
            do {
                if (merger->polygons[triangles[edge / 3].vertex[edge % 3]] >= 3) {
                    merger->edgeIndex[edge] = edgeCount++;
                }
                edge = NextBorder(triangles, edge);
            } while (edge != start);
        }
    }
    if (edgeCount > UINT16_MAX) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "points", "the hull has %d edges, allowed are %d",
                      edgeCount / 2, UINT16_MAX / 2);
    }

    cnHull* hull = cnHull_Allocate(vertexCount, edgeCount, faceCount);
    if (hull == NULL) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "points", "no memory for a hull of %d vertices",
                      vertexCount);
    }
    for (int i = 0; i < merger->pointCount; ++i) {
        if (merger->vertexIndex[i] >= 0) {
            hull->vertices[merger->vertexIndex[i]] = builder->input[i];
        }
    }

    // half-edges; the twin of an edge is the first of the chain on the other side, whose last link is
    // this one's first
    int written = 0;
    int face = 0;
    for (int i = 0; i < merger->triangleCount; ++i) {
        for (int k = 0; k < 3; ++k) {
            int start = 3 * merger->order[i] + k;
            if (merger->edgeIndex[start] != written) {
                continue;
            }
            hull->faceEdges[face] = (uint16_t)written;
            int firstOfFace = written;
            int current = -1;
            int edge = start;
            do {
                if (merger->edgeIndex[edge] >= 0) {
                    current = merger->edgeIndex[edge];
                    int origin = merger->vertexIndex[triangles[edge / 3].vertex[edge % 3]];
                    hull->edges[current].origin = (uint16_t)origin;
                    hull->edges[current].face = (uint16_t)face;
                    hull->edges[current].next = (uint16_t)(current + 1);
                    hull->vertexEdges[origin] = (uint16_t)current;
                    written = current + 1;
                }
                int next = NextBorder(triangles, edge);
                if (merger->edgeIndex[next] >= 0) {
                    hull->edges[current].twin = (uint16_t)merger->edgeIndex[TwinOf(triangles, edge)];
                }
                edge = next;
            } while (edge != start);
            hull->edges[current].next = (uint16_t)firstOfFace;
            ++face;
        }
    }
    *out = hull;
    return CN_ERROR_NONE;
}

// Planes by Newell's sum over each polygon, pushed out to its highest corner; then the centroid.
static cnErrorCode FinishHull(cnHull* hull, const char* call) {
    for (int face = 0; face < hull->faceCount; ++face) {
        int start = hull->faceEdges[face];
        cnVec3 origin = hull->vertices[hull->edges[start].origin];
        cnVec3 area = cnVec3_zero;
        int edge = hull->edges[start].next;
        for (int next = hull->edges[edge].next; next != start; edge = next, next = hull->edges[edge].next) {
            area = cnAdd(area, cnCross(cnSub(hull->vertices[hull->edges[edge].origin], origin),
                                       cnSub(hull->vertices[hull->edges[next].origin], origin)));
        }
        cnVec3 normal = cnNormalize(area);
        double offset = cnDot(normal, origin);
        for (edge = hull->edges[start].next; edge != start; edge = hull->edges[edge].next) {
            offset = cnMax(offset, cnDot(normal, hull->vertices[hull->edges[edge].origin]));
        }
        hull->planes[face] = (cnHullPlane){normal, offset};
    }
    double volume;
    cnMat33 inertia;
    cnErrorCode code = cnHull_ComputeMass(hull, &volume, &hull->centre, &inertia);
    if (code != CN_ERROR_NONE) {
        return cnFail(code, call, "points", "the hull of the points has no volume");
    }
    cnHull_MeasureInside(hull);
#if CN_VALIDATE
    if (!cnHull_Validate(hull)) {
        return cnFail(CN_ERROR_DEGENERATE_SHAPE, call, "points", "the hull of the points is not valid");
    }
#endif
    return CN_ERROR_NONE;
}

// Triangles to polygons to the final block.
static cnErrorCode Finish(Builder* builder, cnHull** out, const char* call) {
    Merger merger = {.edgeSlots = 3 * builder->triangles.count, .pointCount = builder->pointCount};
    merger.order = cnAllocate((size_t)merger.edgeSlots * sizeof(int));
    merger.area = cnAllocate((size_t)merger.edgeSlots * sizeof(double));
    merger.polygons = cnAllocate((size_t)merger.pointCount);
    merger.vertexIndex = cnAllocate((size_t)merger.pointCount * sizeof(int));
    merger.edgeIndex = cnAllocate((size_t)merger.edgeSlots * sizeof(int));
    cnErrorCode code;
    if (merger.order == NULL || merger.area == NULL || merger.polygons == NULL ||
        merger.vertexIndex == NULL || merger.edgeIndex == NULL ||
        !cnArray_Reserve(&builder->visible, builder->triangles.count)) {
        code = cnFail(CN_ERROR_OUT_OF_MEMORY, call, "points", "no memory to build the hull");
    } else {
        for (int i = 0; i < builder->triangles.count; ++i) {
            const Triangle* triangle = builder->triangles.data + i;
            if (triangle->live) {
                const cnVec3* points = builder->points;
                cnVec3 a = points[triangle->vertex[0]];
                cnVec3 b = points[triangle->vertex[1]];
                cnVec3 c = points[triangle->vertex[2]];
                merger.order[merger.triangleCount++] = i;
                merger.area[i] = cnLength(cnCross(cnSub(b, a), cnSub(c, a)));
            }
        }
        SortByArea(&merger);
        JoinCoplanar(builder, &merger);
        CountPolygons(builder, &merger);
        while (DissolveSlivers(builder, &merger)) {}
        code = WriteHull(builder, &merger, out, call);
    }
    Merger_Free(&merger);
    if (code == CN_ERROR_NONE) {
        code = FinishHull(*out, call);
        if (code != CN_ERROR_NONE) {
            cnHull_Free(*out);
            *out = NULL;
        }
    }
    return code;
}

// Whether the centroid lies behind all faces, and no corner in front of a face next to its own by more than
// `tolerance`.
static bool IsConvex(const cnHull* hull, double tolerance) {
    for (int edge = 0; edge < hull->edgeCount && hull->innerRadius > 0.0; ++edge) {
        const cnHullPlane* plane = hull->planes + hull->edges[edge].face;
        int start = hull->edges[edge].twin;
        int other = start;
        do {
            cnVec3 corner = hull->vertices[hull->edges[other].origin];
            if (cnDot(plane->normal, corner) - plane->offset > tolerance) {
                return false;
            }
            other = hull->edges[other].next;
        } while (other != start);
    }
    return hull->innerRadius > 0.0;
}

// Forgets all triangles.
static void Restart(Builder* builder) {
    builder->triangles.count = builder->freeTriangles.count = builder->pending.count = 0;
    builder->mark = 0;
    memset(builder->horizonMark, 0, (size_t)builder->pointCount * sizeof(int));
}

// Builds with one tolerance after the other until the hull is not folded; where all of them fold it, it stays
// as the first one leaves it.
static cnErrorCode BuildUnfolded(Builder* builder, double extent, cnHull** out, const char* call) {
    static const double factors[4] = {1.0, 0.01, 1000.0, 1.0};
    cnErrorCode code = CN_ERROR_NONE;
    for (int i = 0; i < 4; ++i) {
        Restart(builder);
        builder->outside = factors[i] * OUTSIDE_TOLERANCE;
        code = MakeTetrahedron(builder, call);
        code = code != CN_ERROR_NONE ? code : Grow(builder, call);
        code = code != CN_ERROR_NONE ? code : Finish(builder, out, call);
        if (code != CN_ERROR_NONE || i == 3 || IsConvex(*out, FOLD_TOLERANCE * extent)) {
            break;
        }
        cnHull_Free(*out);
        *out = NULL;
    }
    return code;
}

cnErrorCode cnHull_Build(cnHull** out, const cnVec3* points, int count, const char* call) {
    *out = NULL;
    if (points == NULL && count != 0) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "points", "points is null");
    }
    if (count < 4 || count > CN_MAX_HULL_POINTS) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "points", "points has %d points, allowed are 4 to %d",
                      count, CN_MAX_HULL_POINTS);
    }
    Builder builder = {.input = points, .pointCount = count};
    size_t size = (size_t)count;
    builder.points = cnAllocate(size * sizeof(cnVec3));
    builder.nextPoint = cnAllocate(size * sizeof(int));
    builder.horizonAt = cnAllocate(size * sizeof(int));
    builder.horizonMark = cnAllocate(size * sizeof(int));
    cnErrorCode code = CN_ERROR_NONE;
    if (builder.points == NULL || builder.nextPoint == NULL || builder.horizonAt == NULL ||
        builder.horizonMark == NULL) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "points", "no memory to build the hull of %d points", count);
        code = CN_ERROR_OUT_OF_MEMORY;
    }
    double extent = 0.0;
    code = code != CN_ERROR_NONE ? code : ScalePoints(&builder, &extent, call);
    code = code != CN_ERROR_NONE ? code : BuildUnfolded(&builder, extent, out, call);
    Builder_Free(&builder);
    return code;
}
