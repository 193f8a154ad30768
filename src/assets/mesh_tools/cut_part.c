// Cutting pieces of a mesh by planes; cut_part.h says how.
#include "assets/mesh_tools/cut_part.h"
#include "base/containers/disjoint_sets.h"
#include "base/containers/hash_map.h"
#include "base/containers/sort.h"

#include <string.h>

void cnCutPart_Free(cnCutPart* part) {
    cnArray_Free(&part->vertices);
    cnArray_Free(&part->triangles);
    cnArray_Free(&part->segments);
}

double cnCutPart_FindVolume(const cnCutPart* part) {
    if (!part->isSolid || part->vertices.count == 0) {
        return 0.0;
    }
    const cnVec3* vertices = part->vertices.data;
    cnVec3 origin = vertices[0];
    double sum = 0.0;
    for (int i = 0; i < part->triangles.count; i += 3) {
        const int32_t* corners = part->triangles.data + i;
        cnVec3 a = cnSub(vertices[corners[0]], origin);
        cnVec3 b = cnSub(vertices[corners[1]], origin);
        cnVec3 c = cnSub(vertices[corners[2]], origin);
        sum += cnDot(a, cnCross(b, c));
    }
    // fans over the outlines, from the first corner of each cap
    int apex = -1;
    int plane = -1;
    for (int i = 0; i < part->segments.count; ++i) {
        const cnCutSegment* segment = part->segments.data + i;
        if (segment->plane != plane) {
            plane = segment->plane;
            apex = segment->from;
        }
        cnVec3 a = cnSub(vertices[apex], origin);
        cnVec3 b = cnSub(vertices[segment->from], origin);
        cnVec3 c = cnSub(vertices[segment->to], origin);
        sum += segment->weight * cnDot(a, cnCross(b, c));
    }
    return sum / 6.0;
}

// ---- one cut ----------------------------------------------------------------------------------------------

// A point where an outline ends on the plane.
typedef struct LinePoint {
    double place; // along the line
    int32_t vertex;
    int32_t sign;
} LinePoint;

typedef struct Cutter {
    const cnCutPart* part;
    const cnCutPlane* planes;
    int planeNumber;
    CN_ARRAY(cnVec3) vertices;      // of the part and on its cut edges
    CN_ARRAY(double) distances;     // per vertex, from the plane
    cnHashMap cutEdges;             // edge → vertex
    CN_ARRAY(int32_t) triangles[2]; // left, right
    CN_ARRAY(cnCutSegment) segments[2];
    cnHashMap outlineEdges;         // edge → number in outline
    CN_ARRAY(cnCutSegment) outline; // of the new left cap, weights summed up
    CN_ARRAY(LinePoint) points;
} Cutter;

static void Cutter_Free(Cutter* cutter) {
    cnArray_Free(&cutter->vertices);
    cnArray_Free(&cutter->distances);
    cnHashMap_Free(&cutter->cutEdges);
    for (int side = 0; side < 2; ++side) {
        cnArray_Free(&cutter->triangles[side]);
        cnArray_Free(&cutter->segments[side]);
    }
    cnHashMap_Free(&cutter->outlineEdges);
    cnArray_Free(&cutter->outline);
    cnArray_Free(&cutter->points);
}

// Of an edge, whichever way it is passed; never 0, since the larger number is not.
static uint64_t EdgeKey(int32_t a, int32_t b) {
    return (uint64_t)(uint32_t)(a < b ? a : b) << 32 | (uint32_t)(a < b ? b : a);
}

// The vertex where the plane cuts an edge whose ends lie on different sides; −1 when memory ran out.
static int32_t CutEdge(Cutter* cutter, int32_t a, int32_t b) {
    uint64_t key = EdgeKey(a, b);
    const int32_t* known = cnHashMap_Find(&cutter->cutEdges, key);
    if (known != NULL) {
        return *known;
    }
    int32_t low = a < b ? a : b, high = a < b ? b : a;
    double t = cutter->distances.data[low] / (cutter->distances.data[low] - cutter->distances.data[high]);
    cnVec3 from = cutter->vertices.data[low], to = cutter->vertices.data[high];
    cnVec3 point = cnMulAdd(cnScale(1.0 - t, from), t, to);
    int32_t number = cutter->vertices.count;
    if (!cnHashMap_Reserve(&cutter->cutEdges, cutter->cutEdges.count + 1) ||
        !cnArray_Push(&cutter->vertices, point) || !cnArray_Push(&cutter->distances, 0.0)) {
        return -1;
    }
    cnHashMap_Add(&cutter->cutEdges, key, number);
    return number;
}

// Adds to the outline of the new left cap.
static bool AddToOutline(Cutter* cutter, int32_t from, int32_t to, int32_t weight) {
    if (from == to || weight == 0) {
        return true;
    }
    uint64_t key = EdgeKey(from, to);
    const int32_t* known = cnHashMap_Find(&cutter->outlineEdges, key);
    if (known != NULL) {
        cnCutSegment* segment = cutter->outline.data + *known;
        segment->weight += segment->from == from ? weight : -weight;
        return true;
    }
    cnCutSegment segment = {from, to, cutter->planeNumber, weight};
    if (!cnHashMap_Reserve(&cutter->outlineEdges, cutter->outlineEdges.count + 1)) {
        return false;
    }
    cnHashMap_Add(&cutter->outlineEdges, key, cutter->outline.count);
    return cnArray_Push(&cutter->outline, segment);
}

static bool AddTriangle(Cutter* cutter, int side, int32_t a, int32_t b, int32_t c) {
    if (a == b || b == c || c == a) {
        return true;
    }
    int count = cutter->triangles[side].count;
    if (!cnArray_Reserve(&cutter->triangles[side], count + 3)) {
        return false;
    }
    int32_t* corners = cutter->triangles[side].data + count;
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
    cutter->triangles[side].count = count + 3;
    if (side != 0 || !cutter->part->isSolid) {
        return true;
    }
    const double* distances = cutter->distances.data;
    for (int i = 0; i < 3; ++i) {
        int32_t from = corners[i], to = corners[(i + 1) % 3];
        if (distances[from] == 0.0 && distances[to] == 0.0 && !AddToOutline(cutter, to, from, 1)) {
            return false;
        }
    }
    return true;
}

// A triangle in the plane goes where the solid is that it bounds; of a sheet, to the left.
static int FindSideInPlane(const Cutter* cutter, const int32_t* corners) {
    const cnVec3* vertices = cutter->vertices.data;
    cnVec3 area = cnCross(cnSub(vertices[corners[1]], vertices[corners[0]]),
                          cnSub(vertices[corners[2]], vertices[corners[0]]));
    bool facesRight = cnDot(area, cutter->planes[cutter->planeNumber].normal) >= 0.0;
    return !cutter->part->isSolid || facesRight ? 0 : 1;
}

static bool CutTriangle(Cutter* cutter, const int32_t* corners) {
    int below = 0, above = 0;
    for (int i = 0; i < 3; ++i) {
        double distance = cutter->distances.data[corners[i]];
        below += distance < 0.0 ? 1 : 0;
        above += distance > 0.0 ? 1 : 0;
    }
    if (above == 0 || below == 0) {
        int side = below + above == 0 ? FindSideInPlane(cutter, corners) : (above == 0 ? 0 : 1);
        return AddTriangle(cutter, side, corners[0], corners[1], corners[2]);
    }

    // from the corner that is alone on its side
    int lone = 0;
    for (int i = 0; i < 3; ++i) {
        double distance = cutter->distances.data[corners[i]];
        if ((distance < 0.0 && below == 1) || (distance > 0.0 && below != 1)) {
            lone = i;
        }
    }
    int32_t a = corners[lone], b = corners[(lone + 1) % 3], c = corners[(lone + 2) % 3];
    int side = cutter->distances.data[a] < 0.0 ? 0 : 1;
    int32_t ab = cutter->distances.data[b] == 0.0 ? b : CutEdge(cutter, a, b);
    int32_t ca = cutter->distances.data[c] == 0.0 ? c : CutEdge(cutter, c, a);
    // with its other ends on the plane, nothing is left beyond them
    return ab >= 0 && ca >= 0 && AddTriangle(cutter, side, a, ab, ca) &&
           AddTriangle(cutter, 1 - side, ab, b, c) && AddTriangle(cutter, 1 - side, ab, c, ca);
}

static bool AddSegment(Cutter* cutter, int side, int32_t from, int32_t to, int32_t plane, int32_t weight) {
    cnCutSegment segment = {from, to, plane, weight};
    return from == to || weight == 0 || cnArray_Push(&cutter->segments[side], segment);
}

// An end of the left outline on the plane.
static bool AddLinePoint(Cutter* cutter, cnVec3 along, int32_t vertex, int32_t sign) {
    if (cutter->distances.data[vertex] != 0.0) {
        return true;
    }
    LinePoint point = {cnDot(along, cutter->vertices.data[vertex]), vertex, sign};
    return cnArray_Push(&cutter->points, point);
}

// Splits the outline of one cap, the segments first to last − 1.
static bool CutOutline(Cutter* cutter, int first, int last) {
    int plane = cutter->part->segments.data[first].plane;
    cnVec3 along = cnCross(cutter->planes[plane].normal, cutter->planes[cutter->planeNumber].normal);
    cutter->points.count = 0;
    for (int i = first; i < last; ++i) {
        const cnCutSegment* segment = cutter->part->segments.data + i;
        int32_t from = segment->from, to = segment->to, weight = segment->weight;
        double start = cutter->distances.data[from], end = cutter->distances.data[to];
        int32_t cut =
            (start < 0.0 && end > 0.0) || (start > 0.0 && end < 0.0) ? CutEdge(cutter, from, to) : from;
        if (cut < 0) {
            return false;
        }
        if (cut == from) {
            int side = start <= 0.0 && end <= 0.0 ? 0 : 1;
            if (!AddSegment(cutter, side, from, to, plane, weight) ||
                (side == 0 &&
                 (!AddLinePoint(cutter, along, from, -weight) || !AddLinePoint(cutter, along, to, weight)))) {
                return false;
            }
            continue;
        }
        int side = start < 0.0 ? 0 : 1;
        int32_t sign = side == 0 ? weight : -weight;
        if (!AddSegment(cutter, side, from, cut, plane, weight) ||
            !AddSegment(cutter, 1 - side, cut, to, plane, weight) ||
            !AddLinePoint(cutter, along, cut, sign)) {
            return false;
        }
    }

    // close both outlines along the line
    LinePoint* points = cutter->points.data;
    CN_SHELL_SORT(LinePoint, points, cutter->points.count, a, b,
                  a.place < b.place || (a.place == b.place &&
                                        (a.vertex < b.vertex || (a.vertex == b.vertex && a.sign < b.sign))));
    int32_t sum = 0;
    for (int i = 0; i + 1 < cutter->points.count; ++i) {
        sum += points[i].sign;
        int32_t from = points[i].vertex, to = points[i + 1].vertex;
        if (!AddSegment(cutter, 0, from, to, plane, sum) || !AddSegment(cutter, 1, from, to, plane, -sum) ||
            !AddToOutline(cutter, from, to, -sum)) {
            return false;
        }
    }
    return true;
}

// The vertices that a side uses, numbered again.
static bool FinishSide(Cutter* cutter, int side, cnCutPart* part, int32_t* numbers) {
    part->isSolid = cutter->part->isSolid;
    if (!cnArray_Resize(&part->triangles, cutter->triangles[side].count) ||
        !cnArray_Resize(&part->segments, cutter->segments[side].count)) {
        return false;
    }
    for (int i = 0; i < cutter->vertices.count; ++i) {
        numbers[i] = -1;
    }
    int cornerCount = part->triangles.count + 2 * part->segments.count;
    for (int i = 0; i < cornerCount; ++i) {
        int at = i - part->triangles.count;
        const cnCutSegment* segment = at < 0 ? NULL : cutter->segments[side].data + at / 2;
        int32_t old = at < 0 ? cutter->triangles[side].data[i] : (at % 2 == 0 ? segment->from : segment->to);
        if (numbers[old] < 0) {
            numbers[old] = part->vertices.count;
            if (!cnArray_Push(&part->vertices, cutter->vertices.data[old])) {
                return false;
            }
        }
        if (at < 0) {
            part->triangles.data[i] = numbers[old];
        } else if (at % 2 == 0) {
            part->segments.data[at / 2] = *segment;
            part->segments.data[at / 2].from = numbers[old];
        } else {
            part->segments.data[at / 2].to = numbers[old];
        }
    }
    return true;
}

static bool Cut(Cutter* cutter, cnCutPart* left, cnCutPart* right) {
    const cnCutPart* part = cutter->part;
    for (int i = 0; i < part->triangles.count; i += 3) {
        if (!CutTriangle(cutter, part->triangles.data + i)) {
            return false;
        }
    }
    for (int first = 0, last; first < part->segments.count; first = last) {
        for (last = first; last < part->segments.count &&
                           part->segments.data[last].plane == part->segments.data[first].plane;) {
            ++last;
        }
        if (!CutOutline(cutter, first, last)) {
            return false;
        }
    }
    for (int i = 0; i < cutter->outline.count; ++i) {
        const cnCutSegment* edge = cutter->outline.data + i;
        if (!AddSegment(cutter, 0, edge->from, edge->to, edge->plane, edge->weight) ||
            !AddSegment(cutter, 1, edge->from, edge->to, edge->plane, -edge->weight)) {
            return false;
        }
    }
    CN_ARRAY(int32_t) numbers = {0};
    bool isDone = cnArray_Resize(&numbers, cutter->vertices.count) &&
                  FinishSide(cutter, 0, left, numbers.data) && FinishSide(cutter, 1, right, numbers.data);
    cnArray_Free(&numbers);
    return isDone;
}

cnCutOutcome cnCutPart_Cut(const cnCutPart* part, const cnCutPlane* planes, int planeNumber, cnCutPart* left,
                           cnCutPart* right) {
    *left = (cnCutPart){0};
    *right = (cnCutPart){0};
    Cutter cutter = {.part = part, .planes = planes, .planeNumber = planeNumber};
    int count = part->vertices.count;
    bool isDone = cnArray_Resize(&cutter.vertices, count) && cnArray_Resize(&cutter.distances, count) &&
                  cnHashMap_Reserve(&cutter.cutEdges, 16) && cnHashMap_Reserve(&cutter.outlineEdges, 16);
    for (int i = 0; isDone && i < count; ++i) {
        cutter.vertices.data[i] = part->vertices.data[i];
        cutter.distances.data[i] = cnCutPlane_Distance(planes + planeNumber, part->vertices.data[i]);
    }
    isDone = isDone && Cut(&cutter, left, right);
    Cutter_Free(&cutter);
    bool isMissed = isDone && (left->triangles.count == 0 || right->triangles.count == 0);
    if (!isDone || isMissed) {
        cnCutPart_Free(left);
        cnCutPart_Free(right);
    }
    return !isDone ? cn_cutNoMemory : (isMissed ? cn_cutMissed : cn_cutDone);
}

// ---- what hangs together ----------------------------------------------------------------------------------

int cnCutPart_FindPieces(const cnCutPart* part, int32_t* labels) {
    CN_ARRAY(int) parents = {0};
    CN_ARRAY(int32_t) numbers = {0}; // per root vertex
    int count = part->vertices.count;
    if (!cnArray_Resize(&parents, count) || !cnArray_Resize(&numbers, count)) {
        cnArray_Free(&parents);
        cnArray_Free(&numbers);
        return -1;
    }
    cnMakeSets(parents.data, count);
    for (int i = 0; i < part->triangles.count; i += 3) {
        cnUniteSets(parents.data, part->triangles.data[i], part->triangles.data[i + 1]);
        cnUniteSets(parents.data, part->triangles.data[i], part->triangles.data[i + 2]);
    }
    for (int i = 0; i < part->segments.count; ++i) {
        cnUniteSets(parents.data, part->segments.data[i].from, part->segments.data[i].to);
    }
    for (int i = 0; i < count; ++i) {
        numbers.data[i] = -1;
    }
    int pieces = 0;
    for (int i = 0; i < part->triangles.count / 3; ++i) {
        int32_t* number = numbers.data + cnFindRoot(parents.data, part->triangles.data[3 * i]);
        *number = *number < 0 ? pieces++ : *number;
        labels[i] = *number;
    }
    cnArray_Free(&parents);
    cnArray_Free(&numbers);
    return pieces;
}

static bool AddVertex(cnCutPart* piece, const cnCutPart* part, int32_t* numbers, int32_t vertex) {
    if (numbers[vertex] < 0) {
        numbers[vertex] = piece->vertices.count;
        return cnArray_Push(&piece->vertices, part->vertices.data[vertex]);
    }
    return true;
}

bool cnCutPart_TakePiece(const cnCutPart* part, const int32_t* labels, int label, cnCutPart* piece) {
    *piece = (cnCutPart){.isSolid = part->isSolid};
    CN_ARRAY(int32_t) numbers = {0};
    bool isDone = cnArray_Resize(&numbers, part->vertices.count);
    for (int i = 0; isDone && i < part->vertices.count; ++i) {
        numbers.data[i] = -1;
    }
    for (int i = 0; isDone && i < part->triangles.count; ++i) {
        int32_t vertex = part->triangles.data[i];
        isDone = labels[i / 3] != label || (AddVertex(piece, part, numbers.data, vertex) &&
                                            cnArray_Push(&piece->triangles, numbers.data[vertex]));
    }
    // an outline has the vertices of triangles, and those where it turns within the solid: it is taken
    // whole as soon as one of its vertices is
    for (bool isMore = isDone; isMore && isDone;) {
        isMore = false;
        for (int i = 0; isDone && i < part->segments.count; ++i) {
            const cnCutSegment* segment = part->segments.data + i;
            bool hasFrom = numbers.data[segment->from] >= 0, hasTo = numbers.data[segment->to] >= 0;
            if (hasFrom != hasTo) {
                isMore = true;
                isDone = AddVertex(piece, part, numbers.data, hasFrom ? segment->to : segment->from);
            }
        }
    }
    for (int i = 0; isDone && i < part->segments.count; ++i) {
        cnCutSegment segment = part->segments.data[i];
        if (numbers.data[segment.from] >= 0) {
            segment.from = numbers.data[segment.from];
            segment.to = numbers.data[segment.to];
            isDone = cnArray_Push(&piece->segments, segment);
        }
    }
    cnArray_Free(&numbers);
    return isDone;
}
