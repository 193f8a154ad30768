// Polygons to triangles, by cutting ears (Meisters, Polygons have ears, American Mathematical
// Monthly 82, 1975).
//
// An ear is a convex corner whose triangle holds no other corner; a simple polygon has two at least, and only
// corners that are not convex can lie in one. A convex polygon is thus done in one round. What is no simple
// polygon ends in triangles all the same: where no ear is found, a corner is cut off as it is.
#include "assets/mesh_reader.h"

enum {
    maxCorners = 10000 // of a polygon that is not convex: the time grows with the square and more
};

// A corner in the plane that the polygon is seen along, counter-clockwise.
typedef struct Flat {
    double u, v;
} Flat;

typedef struct Polygon {
    const cnMeshReader* reader;
    int axisU, axisV; // 0…2
    int32_t* previous;
    int32_t* next;
    int32_t* inner; // corners that are not convex
    int innerCount;
} Polygon;

static double Part(cnVec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static Flat Flatten(const Polygon* polygon, int32_t corner) {
    cnVec3 vertex = polygon->reader->vertices.data[polygon->reader->polygon.data[corner]];
    return (Flat){Part(vertex, polygon->axisU), Part(vertex, polygon->axisV)};
}

// Twice the area of a triangle, positive where it is counter-clockwise.
static double Area(Flat a, Flat b, Flat c) {
    return (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u);
}

static bool IsSame(Flat a, Flat b) {
    return a.u == b.u && a.v == b.v;
}

static bool IsEar(const Polygon* polygon, int32_t corner) {
    Flat a = Flatten(polygon, polygon->previous[corner]);
    Flat b = Flatten(polygon, corner);
    Flat c = Flatten(polygon, polygon->next[corner]);
    if (!(Area(a, b, c) > 0.0)) {
        return false;
    }
    for (int i = 0; i < polygon->innerCount; ++i) {
        // corners that were cut off are linked to themselves
        int32_t other = polygon->inner[i];
        Flat p = Flatten(polygon, other);
        if (polygon->next[other] != other && !IsSame(p, a) && !IsSame(p, b) && !IsSame(p, c) &&
            Area(a, b, p) >= 0.0 && Area(b, c, p) >= 0.0 && Area(c, a, p) >= 0.0) {
            return false;
        }
    }
    return true;
}

// Sum of the cross products of neighbours, seen from the first corner (Newell): twice the area vector.
static cnVec3 GetNormal(const cnMeshReader* reader) {
    const int32_t* corners = reader->polygon.data;
    const cnVec3* vertices = reader->vertices.data;
    cnVec3 normal = cnVec3_zero;
    for (int i = 1; i + 1 < reader->polygon.count; ++i) {
        cnVec3 edge1 = cnSub(vertices[corners[i]], vertices[corners[0]]);
        cnVec3 edge2 = cnSub(vertices[corners[i + 1]], vertices[corners[0]]);
        normal = cnAdd(normal, cnCross(edge1, edge2));
    }
    return normal;
}

static bool CutEars(cnMeshReader* reader, Polygon* polygon, int count) {
    const int32_t* corners = reader->polygon.data;
    int32_t at = 0;
    int misses = 0;
    while (count > 3) {
        int32_t before = polygon->previous[at];
        int32_t after = polygon->next[at];
        if (misses < count && !IsEar(polygon, at)) {
            ++misses;
            at = after;
            continue;
        }
        if (!cnMesh_AddTriangle(reader, corners[before], corners[at], corners[after])) {
            return false;
        }
        polygon->next[before] = after;
        polygon->previous[after] = before;
        polygon->next[at] = at;
        --count;
        misses = 0;
        at = after;
    }
    return cnMesh_AddTriangle(reader, corners[polygon->previous[at]], corners[at],
                              corners[polygon->next[at]]);
}

bool cnMesh_AddPolygon(cnMeshReader* reader) {
    int count = reader->polygon.count;
    const int32_t* corners = reader->polygon.data;
    if (count == 3) {
        return cnMesh_AddTriangle(reader, corners[0], corners[1], corners[2]);
    }

    // along the axis of the largest part of its normal
    cnVec3 normal = GetNormal(reader);
    cnVec3 size = cnAbs(normal);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    bool isFlipped = Part(normal, axis) < 0.0;
    Polygon polygon = {
        .reader = reader,
        .axisU = (axis + (isFlipped ? 2 : 1)) % 3,
        .axisV = (axis + (isFlipped ? 1 : 2)) % 3,
    };
    if (!cnArray_Resize(&reader->work, 3 * count)) {
        return cnMesh_FailMemory(reader);
    }
    polygon.previous = reader->work.data;
    polygon.next = polygon.previous + count;
    polygon.inner = polygon.next + count;
    for (int i = 0; i < count; ++i) {
        polygon.previous[i] = i > 0 ? i - 1 : count - 1;
        polygon.next[i] = i + 1 < count ? i + 1 : 0;
    }
    for (int i = 0; i < count; ++i) {
        double area = Area(Flatten(&polygon, polygon.previous[i]), Flatten(&polygon, i),
                           Flatten(&polygon, polygon.next[i]));
        if (!(area > 0.0)) {
            polygon.inner[polygon.innerCount++] = i;
        }
    }
    if (polygon.innerCount > 0 && count > maxCorners) {
        return cnMesh_Refuse(reader, "a face of %d corners is not convex: must have at most %d", count,
                             maxCorners);
    }
    return CutEars(reader, &polygon, count);
}
