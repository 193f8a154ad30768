// The tree over the triangles of a tool mesh: distances, and what is inside.
#include "assets/mesh_tools/tool_mesh.h"
#include "base/containers/sort.h"

enum {
    leafTriangles = 4,
    stackSize = 256 // a level adds one; each side of a split has a sixteenth of the triangles at least
};

static cnBounds FindTriangleBounds(const cnToolMesh* mesh, int triangle) {
    const int32_t* corners = mesh->triangles.data + 3 * (size_t)triangle;
    cnVec3 a = mesh->vertices.data[corners[0]];
    cnVec3 b = mesh->vertices.data[corners[1]];
    cnVec3 c = mesh->vertices.data[corners[2]];
    return (cnBounds){cnMinVec(a, cnMinVec(b, c)), cnMaxVec(a, cnMaxVec(b, c))};
}

static double GetAxis(cnVec3 v, int axis) {
    return axis == 0 ? v.x : (axis == 1 ? v.y : v.z);
}

// ---- building ---------------------------------------------------------------------------------------------

typedef struct TreeBuilder {
    cnToolMesh* mesh;
    CN_ARRAY(cnBounds) bounds; // per triangle
    CN_ARRAY(cnVec3) centres;  // twice the middle of the bounds
    CN_ARRAY(int32_t) scratch;
} TreeBuilder;

// Puts the triangles of a range in two halves; the count of the first. At the middle of the space, or by
// count where that is lopsided.
static int SplitRange(TreeBuilder* builder, int first, int count) {
    int32_t* order = builder->mesh->order.data + first;
    const cnVec3* centres = builder->centres.data;
    cnVec3 lower = centres[order[0]], upper = lower;
    for (int i = 1; i < count; ++i) {
        lower = cnMinVec(lower, centres[order[i]]);
        upper = cnMaxVec(upper, centres[order[i]]);
    }
    cnVec3 size = cnSub(upper, lower);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
    double middle = 0.5 * (GetAxis(lower, axis) + GetAxis(upper, axis));
    int left = 0, right = 0;
    for (int i = 0; i < count; ++i) {
        if (GetAxis(centres[order[i]], axis) < middle) {
            order[left++] = order[i];
        } else {
            builder->scratch.data[right++] = order[i];
        }
    }
    for (int i = 0; i < right; ++i) {
        order[left + i] = builder->scratch.data[i];
    }
    int smaller = left < right ? left : right;
    if (smaller < count / 16 + 1) {
        CN_SHELL_SORT(int32_t, order, count, a, b,
                      GetAxis(centres[a], axis) < GetAxis(centres[b], axis) ||
                          (GetAxis(centres[a], axis) == GetAxis(centres[b], axis) && a < b));
        return count / 2;
    }
    return left;
}

bool cnToolMesh_BuildTree(cnToolMesh* mesh) {
    int count = mesh->triangles.count / 3;
    TreeBuilder builder = {.mesh = mesh};
    bool isDone = cnArray_Resize(&builder.bounds, count) && cnArray_Resize(&builder.centres, count) &&
                  cnArray_Resize(&builder.scratch, count) && cnArray_Resize(&mesh->order, count) &&
                  cnArray_Reserve(&mesh->nodes, 2 * count + 1);
    mesh->nodes.count = 0;
    for (int i = 0; isDone && i < count; ++i) {
        builder.bounds.data[i] = FindTriangleBounds(mesh, i);
        builder.centres.data[i] = cnAdd(builder.bounds.data[i].lower, builder.bounds.data[i].upper);
        mesh->order.data[i] = i;
    }
    if (isDone) {
        mesh->nodes.data[0] = (cnToolNode){.first = 0, .count = count};
        mesh->nodes.count = 1;
    }
    for (int at = 0; isDone && at < mesh->nodes.count; ++at) {
        cnToolNode* node = mesh->nodes.data + at;
        int first = node->first, triangles = node->count;
        node->bounds = builder.bounds.data[mesh->order.data[first]];
        for (int i = 1; i < triangles; ++i) {
            cnBounds bounds = builder.bounds.data[mesh->order.data[first + i]];
            node->bounds.lower = cnMinVec(node->bounds.lower, bounds.lower);
            node->bounds.upper = cnMaxVec(node->bounds.upper, bounds.upper);
        }
        if (triangles <= leafTriangles) {
            continue;
        }
        int left = SplitRange(&builder, first, triangles);
        node->first = mesh->nodes.count;
        node->count = 0;
        mesh->nodes.data[mesh->nodes.count++] = (cnToolNode){.first = first, .count = left};
        mesh->nodes.data[mesh->nodes.count++] =
            (cnToolNode){.first = first + left, .count = triangles - left};
    }
    cnArray_Free(&builder.bounds);
    cnArray_Free(&builder.centres);
    cnArray_Free(&builder.scratch);
    return isDone;
}

// ---- distance ---------------------------------------------------------------------------------------------

static double FindBoxDistanceSquared(const cnBounds* bounds, cnVec3 p) {
    double x = cnMax(0.0, cnMax(bounds->lower.x - p.x, p.x - bounds->upper.x));
    double y = cnMax(0.0, cnMax(bounds->lower.y - p.y, p.y - bounds->upper.y));
    double z = cnMax(0.0, cnMax(bounds->lower.z - p.z, p.z - bounds->upper.z));
    return x * x + y * y + z * z;
}

static double FindSegmentDistanceSquared(cnVec3 a, cnVec3 b, cnVec3 p) {
    cnVec3 along = cnSub(b, a);
    double length = cnLengthSquared(along);
    double t = length > 0.0 ? cnClamp(cnDot(cnSub(p, a), along) / length, 0.0, 1.0) : 0.0;
    return cnLengthSquared(cnSub(p, cnMulAdd(a, t, along)));
}

// Over the triangle's plane where the point lies between the three upright planes through its edges; else to
// an edge.
double cnFindTriangleDistanceSquared(cnVec3 a, cnVec3 b, cnVec3 c, cnVec3 p) {
    cnVec3 ab = cnSub(b, a), bc = cnSub(c, b), ca = cnSub(a, c);
    cnVec3 normal = cnCross(ab, cnSub(c, a));
    cnVec3 ap = cnSub(p, a), bp = cnSub(p, b), cp = cnSub(p, c);
    double sideAb = cnDot(cnCross(normal, ab), ap);
    double sideBc = cnDot(cnCross(normal, bc), bp);
    double sideCa = cnDot(cnCross(normal, ca), cp);
    double area = cnLengthSquared(normal);
    if (sideAb >= 0.0 && sideBc >= 0.0 && sideCa >= 0.0 && area > 0.0) {
        double height = cnDot(normal, ap);
        return height * height / area;
    }
    double distance = FindSegmentDistanceSquared(a, b, p);
    distance = cnMin(distance, FindSegmentDistanceSquared(b, c, p));
    return cnMin(distance, FindSegmentDistanceSquared(c, a, p));
}

static double FindDistanceSquaredTo(const cnToolMesh* mesh, int triangle, cnVec3 point) {
    const int32_t* corners = mesh->triangles.data + 3 * (size_t)triangle;
    const cnVec3* vertices = mesh->vertices.data;
    return cnFindTriangleDistanceSquared(vertices[corners[0]], vertices[corners[1]], vertices[corners[2]],
                                         point);
}

double cnToolMesh_FindDistanceTo(const cnToolMesh* mesh, int triangle, cnVec3 point) {
    return sqrt(FindDistanceSquaredTo(mesh, triangle, point));
}

double cnToolMesh_FindDistance(const cnToolMesh* mesh, cnVec3 point, int* nearest) {
    int stack[stackSize];
    double distances[stackSize];
    int depth = 0;
    double best = 1e300;
    *nearest = 0;
    stack[depth] = 0;
    distances[depth++] = 0.0;
    while (depth > 0) {
        --depth;
        if (!(distances[depth] < best)) {
            continue;
        }
        const cnToolNode* node = mesh->nodes.data + stack[depth];
        for (int i = 0; i < node->count; ++i) {
            int triangle = mesh->order.data[node->first + i];
            double distance = FindDistanceSquaredTo(mesh, triangle, point);
            *nearest = distance < best ? triangle : *nearest;
            best = cnMin(best, distance);
        }
        if (node->count > 0) {
            continue;
        }
        double left = FindBoxDistanceSquared(&mesh->nodes.data[node->first].bounds, point);
        double right = FindBoxDistanceSquared(&mesh->nodes.data[node->first + 1].bounds, point);
        bool leftIsNear = left <= right;
        stack[depth] = leftIsNear ? node->first + 1 : node->first;
        distances[depth++] = leftIsNear ? right : left;
        stack[depth] = leftIsNear ? node->first : node->first + 1;
        distances[depth++] = leftIsNear ? left : right;
    }
    return sqrt(best);
}

// ---- inside -----------------------------------------------------------------------------------------------

// Where the line through an edge's ends (in y and z) passes the height z, in y. From the lower vertex number,
// so that both triangles of an edge get the same bits.
static double FindCrossing(const cnVec3* vertices, int from, int to, double z) {
    cnVec3 a = vertices[from < to ? from : to];
    cnVec3 b = vertices[from < to ? to : from];
    return a.y + (z - a.z) / (b.z - a.z) * (b.y - a.y);
}

// How often a triangle winds around the point, seen along x: 1, 0 or −1. An edge counts where it passes the
// point's height on the side of larger y, its lower end included; shared edges are treated alike, so that the
// triangles of a closed surface leave no gaps and have no overlaps.
static int FindWinding(const cnToolMesh* mesh, const int32_t* corners, cnVec3 p) {
    const cnVec3* vertices = mesh->vertices.data;
    int winding = 0;
    for (int i = 0; i < 3; ++i) {
        int from = corners[i], to = corners[(i + 1) % 3];
        bool isUp = vertices[from].z <= p.z && p.z < vertices[to].z;
        bool isDown = vertices[to].z <= p.z && p.z < vertices[from].z;
        if ((isUp || isDown) && FindCrossing(vertices, from, to, p.z) > p.y) {
            winding += isUp ? 1 : -1;
        }
    }
    return winding;
}

// By the number of times that a ray along x leaves the solids less the number of times that it enters them.
bool cnToolMesh_IsInside(const cnToolMesh* mesh, cnVec3 p) {
    int stack[stackSize];
    int depth = 0;
    int crossings = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const cnToolNode* node = mesh->nodes.data + stack[--depth];
        const cnBounds* bounds = &node->bounds;
        if (p.x > bounds->upper.x || p.y < bounds->lower.y || p.y > bounds->upper.y ||
            p.z < bounds->lower.z || p.z > bounds->upper.z) {
            continue;
        }
        for (int i = 0; i < node->count; ++i) {
            int triangle = mesh->order.data[node->first + i];
            if (!mesh->solids.data[mesh->groups.data[triangle]]) {
                continue;
            }
            const int32_t* corners = mesh->triangles.data + 3 * (size_t)triangle;
            int winding = FindWinding(mesh, corners, p);
            if (winding == 0) {
                continue;
            }
            cnVec3 a = mesh->vertices.data[corners[0]];
            cnVec3 normal =
                cnCross(cnSub(mesh->vertices.data[corners[1]], a), cnSub(mesh->vertices.data[corners[2]], a));
            double rest = (p.x - a.x) * normal.x + (p.y - a.y) * normal.y + (p.z - a.z) * normal.z;
            // in front of the point, along x
            if (normal.x != 0.0 && rest / normal.x < 0.0) {
                crossings += winding;
            }
        }
        if (node->count == 0) {
            stack[depth++] = node->first;
            stack[depth++] = node->first + 1;
        }
    }
    return crossings > 0;
}
