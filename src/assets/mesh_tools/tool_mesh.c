// Preparing meshes for the tools: welding, winding, groups, holes, cavities.
#include "assets/mesh_tools/tool_mesh.h"
#include "base/containers/disjoint_sets.h"
#include "base/containers/hash_map.h"
#include "base/report/error.h"

#include <string.h>

// A closed group whose volume is less than this part of area × diagonal is two-faced, no solid.
#define FLAT_SOLID 1e-9

// A triangle with less than this part of its longest edge for a height has no area.
#define FLAT_TRIANGLE 1e-9

// Cosine of the angle from which on an edge of a sheet is sharp.
#define SMOOTH_COSINE 0.7

// ---- arguments --------------------------------------------------------------------------------------------

cnErrorCode cnCheckMeshView(const cnMeshView* view, const char* call) {
    if (view == NULL || view->vertices == NULL || view->triangles == NULL) {
        const char* argument = view == NULL ? "mesh" : (view->vertices == NULL ? "vertices" : "triangles");
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, argument, "%s is null", argument);
    }
    if (view->vertexCount < 3 || view->vertexCount > 2 * CN_MAX_TOOL_TRIANGLES) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "vertices", "vertices are %d, allowed are 3 to %d",
                      view->vertexCount, 2 * CN_MAX_TOOL_TRIANGLES);
    }
    if (view->triangleCount < 1 || view->triangleCount > CN_MAX_TOOL_TRIANGLES) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "triangles", "triangles are %d, allowed are 1 to %d",
                      view->triangleCount, CN_MAX_TOOL_TRIANGLES);
    }
    for (int i = 0; i < view->vertexCount; ++i) {
        cnVec3 v = view->vertices[i];
        if (!cnIsFiniteVec(v)) {
            return cnFail(CN_ERROR_NOT_FINITE, call, "vertices",
                          "vertices[%d] is (%g, %g, %g), must be finite", i, v.x, v.y, v.z);
        }
        if (!(cnMax(fabs(v.x), cnMax(fabs(v.y), fabs(v.z))) <= 1e30)) {
            return cnFail(CN_ERROR_OUT_OF_RANGE, call, "vertices",
                          "vertices[%d] is (%g, %g, %g), allowed are magnitudes up to 1e30", i, v.x, v.y,
                          v.z);
        }
    }
    for (int i = 0; i < 3 * view->triangleCount; ++i) {
        if (view->triangles[i] < 0 || view->triangles[i] >= view->vertexCount) {
            return cnFail(CN_ERROR_OUT_OF_RANGE, call, "triangles",
                          "triangles[%d] has the vertex %d, allowed are 0 to %d", i / 3,
                          (int)view->triangles[i], view->vertexCount - 1);
        }
    }
    return CN_ERROR_NONE;
}

// ---- welding ----------------------------------------------------------------------------------------------

// Keys of the cells that a grid divides space into; never 0.
static uint64_t CellKey(int64_t x, int64_t y, int64_t z) {
    uint64_t key = 0x9e3779b97f4a7c15u;
    const int64_t parts[3] = {x, y, z};
    for (int i = 0; i < 3; ++i) {
        key = (key ^ (uint64_t)parts[i]) * 0xff51afd7ed558ccdu;
        key ^= key >> 32;
    }
    return key == 0 ? 1 : key;
}

// Each vertex becomes the first one that is as near as the tolerance; numbers[i] is the new number. Cells are
// twice as wide as the tolerance, so that a neighbour lies in one of the cells around.
static bool WeldVertices(cnToolMesh* mesh, const cnMeshView* view, int32_t* numbers) {
    cnHashMap heads = {0};
    CN_ARRAY(int32_t) next = {0}; // of vertices in one cell
    bool isDone = cnHashMap_Reserve(&heads, view->vertexCount) && cnArray_Reserve(&next, view->vertexCount) &&
                  cnArray_Reserve(&mesh->vertices, view->vertexCount);
    const double perCell = 1.0 / (2.0 * CN_TOOL_WELD);
    for (int i = 0; isDone && i < view->vertexCount; ++i) {
        cnVec3 p = cnScale(1.0 / mesh->scale, cnSub(view->vertices[i], mesh->middle));
        cnVec3 cell = cnScale(perCell, p);
        int64_t base[3] = {(int64_t)floor(cell.x - 0.5), (int64_t)floor(cell.y - 0.5),
                           (int64_t)floor(cell.z - 0.5)};
        int found = -1;
        for (int k = 0; k < 8; ++k) {
            uint64_t key = CellKey(base[0] + (k & 1), base[1] + (k >> 1 & 1), base[2] + (k >> 2));
            const int32_t* head = cnHashMap_Find(&heads, key);
            for (int other = head != NULL ? *head : -1; other >= 0; other = next.data[other]) {
                bool isNear =
                    cnLengthSquared(cnSub(mesh->vertices.data[other], p)) <= CN_TOOL_WELD * CN_TOOL_WELD;
                if (isNear && (found < 0 || other < found)) {
                    found = other;
                }
            }
        }
        if (found < 0) {
            found = mesh->vertices.count;
            mesh->vertices.data[mesh->vertices.count++] = p;
            uint64_t key = CellKey((int64_t)floor(cell.x), (int64_t)floor(cell.y), (int64_t)floor(cell.z));
            int32_t* head = cnHashMap_Find(&heads, key);
            next.data[next.count++] = head != NULL ? *head : -1;
            if (head != NULL) {
                *head = found;
            } else {
                cnHashMap_Add(&heads, key, found);
            }
        }
        numbers[i] = found;
    }
    cnHashMap_Free(&heads);
    cnArray_Free(&next);
    return isDone;
}

static uint64_t TriangleKey(const int32_t* corners) {
    // from the smallest number on, so that turning does not matter
    int start =
        corners[0] < corners[1] ? (corners[0] < corners[2] ? 0 : 2) : (corners[1] < corners[2] ? 1 : 2);
    uint64_t key = 0;
    for (int i = 0; i < 3; ++i) {
        key = key << 21 | (uint64_t)corners[(start + i) % 3];
    }
    return key + 1;
}

// Triangles over the welded vertices, without those that have no area and those that are there already.
static bool CopyTriangles(cnToolMesh* mesh, const cnMeshView* view, const int32_t* numbers) {
    cnHashMap known = {0};
    bool isDone = cnHashMap_Reserve(&known, view->triangleCount) &&
                  cnArray_Reserve(&mesh->triangles, 3 * view->triangleCount);
    for (int i = 0; isDone && i < view->triangleCount; ++i) {
        int32_t corners[3];
        for (int k = 0; k < 3; ++k) {
            corners[k] = numbers[view->triangles[3 * i + k]];
        }
        bool isTriangle = corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0];
        if (!isTriangle || !cnHashMap_AddNew(&known, TriangleKey(corners), i)) {
            ++mesh->droppedTriangles;
            continue;
        }
        memcpy(mesh->triangles.data + mesh->triangles.count, corners, sizeof corners);
        mesh->triangles.count += 3;
    }
    cnHashMap_Free(&known);
    return isDone;
}

// Leaves out the vertices that no triangle has, and numbers the others in their order.
static void DropUnusedVertices(cnToolMesh* mesh, int32_t* numbers) {
    for (int i = 0; i < mesh->vertices.count; ++i) {
        numbers[i] = -1;
    }
    for (int i = 0; i < mesh->triangles.count; ++i) {
        numbers[mesh->triangles.data[i]] = 0;
    }
    int count = 0;
    for (int i = 0; i < mesh->vertices.count; ++i) {
        if (numbers[i] == 0) {
            mesh->vertices.data[count] = mesh->vertices.data[i];
            numbers[i] = count++;
        }
    }
    mesh->vertices.count = count;
    for (int i = 0; i < mesh->triangles.count; ++i) {
        mesh->triangles.data[i] = numbers[mesh->triangles.data[i]];
    }
}

// ---- edges ------------------------------------------------------------------------------------------------

// What the triangles at an edge are to each other: half-edges 3·triangle + corner in a list per edge.
typedef struct Edges {
    cnHashMap map;           // key of the edge → its number
    CN_ARRAY(int32_t) first; // half-edge, per edge
    CN_ARRAY(int32_t) next;  // per half-edge, −1
} Edges;

static void Edges_Free(Edges* edges) {
    cnHashMap_Free(&edges->map);
    cnArray_Free(&edges->first);
    cnArray_Free(&edges->next);
}

static bool FindEdges(const cnToolMesh* mesh, Edges* edges) {
    int count = mesh->triangles.count;
    if (!cnHashMap_Reserve(&edges->map, count) || !cnArray_Reserve(&edges->first, count) ||
        !cnArray_Resize(&edges->next, count)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        int32_t from = mesh->triangles.data[i];
        int32_t to = mesh->triangles.data[i % 3 == 2 ? i - 2 : i + 1];
        uint64_t key = (uint64_t)(uint32_t)(from < to ? from : to) << 32 | (uint32_t)(from < to ? to : from);
        int32_t* edge = cnHashMap_Find(&edges->map, key);
        if (edge == NULL) {
            cnHashMap_Add(&edges->map, key, edges->first.count);
            edges->next.data[i] = -1;
            edges->first.data[edges->first.count++] = i;
        } else {
            edges->next.data[i] = edges->first.data[*edge];
            edges->first.data[*edge] = i;
        }
    }
    return true;
}

// Whether a half-edge goes from the smaller vertex number to the larger.
static bool GoesUp(const cnToolMesh* mesh, int halfEdge) {
    int next = halfEdge % 3 == 2 ? halfEdge - 2 : halfEdge + 1;
    return mesh->triangles.data[halfEdge] < mesh->triangles.data[next];
}

// ---- winding ----------------------------------------------------------------------------------------------

typedef struct Winding {
    cnToolMesh* mesh;
    const Edges* edges;
    CN_ARRAY(int32_t) edgeOf; // per half-edge
    CN_ARRAY(int8_t) turned;  // per triangle: 0 not seen, 1 as it is, −1 to be turned
    CN_ARRAY(int32_t) queue;
} Winding;

// Turns triangles to fit the first one of what hangs together by edges of two triangles. Where that is not
// possible (a Möbius strip), some edges stay in disagreement and the group a sheet.
static bool FitWinding(cnToolMesh* mesh, const Edges* edges) {
    int count = mesh->triangles.count / 3;
    Winding w = {.mesh = mesh, .edges = edges};
    bool isDone = cnArray_Resize(&w.edgeOf, 3 * count) && cnArray_Resize(&w.turned, count) &&
                  cnArray_Reserve(&w.queue, count);
    for (int edge = 0; isDone && edge < edges->first.count; ++edge) {
        for (int half = edges->first.data[edge]; half >= 0; half = edges->next.data[half]) {
            w.edgeOf.data[half] = edge;
        }
    }
    if (isDone) {
        memset(w.turned.data, 0, (size_t)count);
    }
    for (int seed = 0; isDone && seed < count; ++seed) {
        if (w.turned.data[seed] != 0) {
            continue;
        }
        int turnedCount = 0;
        w.queue.count = 0;
        w.queue.data[w.queue.count++] = seed;
        w.turned.data[seed] = 1;
        for (int at = 0; at < w.queue.count; ++at) {
            int triangle = w.queue.data[at];
            turnedCount += w.turned.data[triangle] < 0 ? 1 : 0;
            for (int k = 0; k < 3; ++k) {
                int half = 3 * triangle + k;
                int first = edges->first.data[w.edgeOf.data[half]];
                int second = edges->next.data[first];
                if (second < 0 || edges->next.data[second] >= 0) {
                    continue;
                }
                int other = first == half ? second : first;
                if (w.turned.data[other / 3] == 0) {
                    bool disagree = GoesUp(mesh, half) == GoesUp(mesh, other);
                    w.turned.data[other / 3] =
                        (int8_t)(disagree ? -w.turned.data[triangle] : w.turned.data[triangle]);
                    w.queue.data[w.queue.count++] = other / 3;
                }
            }
        }
        // as most of them are
        if (2 * turnedCount > w.queue.count) {
            for (int at = 0; at < w.queue.count; ++at) {
                int triangle = w.queue.data[at];
                w.turned.data[triangle] = (int8_t)-w.turned.data[triangle];
            }
        }
    }
    for (int i = 0; isDone && i < count; ++i) {
        if (w.turned.data[i] < 0) {
            int32_t* corners = mesh->triangles.data + 3 * (size_t)i;
            int32_t swap = corners[1];
            corners[1] = corners[2];
            corners[2] = swap;
            ++mesh->turnedTriangles;
        }
    }
    cnArray_Free(&w.edgeOf);
    cnArray_Free(&w.turned);
    cnArray_Free(&w.queue);
    return isDone;
}

// ---- groups -----------------------------------------------------------------------------------------------

static bool FindGroups(cnToolMesh* mesh, const Edges* edges) {
    int count = mesh->triangles.count / 3;
    CN_ARRAY(int) parents = {0};
    if (!cnArray_Resize(&parents, count) || !cnArray_Resize(&mesh->groups, count)) {
        cnArray_Free(&parents);
        return false;
    }
    cnMakeSets(parents.data, count);
    for (int edge = 0; edge < edges->first.count; ++edge) {
        int first = edges->first.data[edge];
        for (int half = edges->next.data[first]; half >= 0; half = edges->next.data[half]) {
            cnUniteSets(parents.data, first / 3, half / 3);
        }
    }
    // a root is the first of its set
    int groupCount = 0;
    for (int i = 0; i < count; ++i) {
        int root = cnFindRoot(parents.data, i);
        mesh->groups.data[i] = root == i ? groupCount++ : mesh->groups.data[root];
    }
    cnArray_Free(&parents);
    if (!cnArray_Resize(&mesh->solids, groupCount)) {
        return false;
    }
    memset(mesh->solids.data, 0, (size_t)groupCount);
    return true;
}

static cnVec3 FindAreaVector(const cnToolMesh* mesh, int triangle) {
    const int32_t* corners = mesh->triangles.data + 3 * (size_t)triangle;
    cnVec3 a = mesh->vertices.data[corners[0]];
    return cnScale(
        0.5, cnCross(cnSub(mesh->vertices.data[corners[1]], a), cnSub(mesh->vertices.data[corners[2]], a)));
}

// Of a group: what decides whether it is a solid.
typedef struct GroupFacts {
    cnBounds bounds;
    double area, volume, holeArea;
    int openEdges;
    int firstTriangle;
    int container; // group that a cavity belongs to; −1
    bool isTurned;
} GroupFacts;

static void MeasureGroups(const cnToolMesh* mesh, GroupFacts* facts, int groupCount) {
    for (int i = 0; i < groupCount; ++i) {
        facts[i].area = facts[i].volume = 0.0;
        facts[i].firstTriangle = -1;
        facts[i].container = -1;
    }
    for (int i = 0; i < mesh->groups.count; ++i) {
        GroupFacts* group = facts + mesh->groups.data[i];
        const int32_t* corners = mesh->triangles.data + 3 * (size_t)i;
        if (group->firstTriangle < 0) {
            group->firstTriangle = i;
            cnVec3 a = mesh->vertices.data[corners[0]];
            group->bounds = (cnBounds){a, a};
        }
        for (int k = 0; k < 3; ++k) {
            cnVec3 v = mesh->vertices.data[corners[k]];
            group->bounds.lower = cnMinVec(group->bounds.lower, v);
            group->bounds.upper = cnMaxVec(group->bounds.upper, v);
        }
        // about a corner of the group, so that nothing cancels where it is far away
        cnVec3 origin = mesh->vertices.data[mesh->triangles.data[3 * group->firstTriangle]];
        cnVec3 area = FindAreaVector(mesh, i);
        group->area += cnLength(area);
        group->volume += cnDot(cnSub(mesh->vertices.data[corners[0]], origin), area) / 3.0;
    }
}

// ---- holes ------------------------------------------------------------------------------------------------

typedef struct OpenEdge {
    int32_t from, to; // as a triangle that closes the hole has them
    int32_t group;
    int32_t loop; // number of the hole
} OpenEdge;

typedef struct Holes {
    CN_ARRAY(OpenEdge) edges;
    CN_ARRAY(cnVec3) centres;  // per loop
    CN_ARRAY(int32_t) counts;  // edges, per loop
    CN_ARRAY(int32_t) numbers; // vertex of the centre, per loop
} Holes;

// Edges that are passed more often in one direction than in the other; a loop is what hangs together by
// vertices within a group. The excess of edges into a vertex equals that out of it, so fans close all of
// them.
static bool FindHoles(const cnToolMesh* mesh, const Edges* edges, Holes* holes) {
    for (int edge = 0; edge < edges->first.count; ++edge) {
        int excess = 0;
        int up = -1, down = -1;
        for (int half = edges->first.data[edge]; half >= 0; half = edges->next.data[half]) {
            bool goesUp = GoesUp(mesh, half);
            excess += goesUp ? 1 : -1;
            up = goesUp ? half : up;
            down = goesUp ? down : half;
        }
        int half = excess > 0 ? up : down;
        for (int i = 0; i < (excess < 0 ? -excess : excess); ++i) {
            int next = half % 3 == 2 ? half - 2 : half + 1;
            OpenEdge open = {mesh->triangles.data[next], mesh->triangles.data[half],
                             mesh->groups.data[half / 3], -1};
            if (!cnArray_Push(&holes->edges, open)) {
                return false;
            }
        }
    }

    CN_ARRAY(int) parents = {0};
    cnHashMap seen = {0}; // vertex and group → edge
    bool isDone =
        cnArray_Resize(&parents, holes->edges.count) && cnHashMap_Reserve(&seen, 2 * holes->edges.count);
    cnMakeSets(parents.data, isDone ? holes->edges.count : 0);
    for (int i = 0; isDone && i < holes->edges.count; ++i) {
        const OpenEdge* edge = holes->edges.data + i;
        for (int k = 0; k < 2; ++k) {
            int32_t vertex = k == 0 ? edge->from : edge->to;
            uint64_t key = (uint64_t)((uint32_t)edge->group + 1) << 32 | (uint32_t)vertex;
            const int32_t* other = cnHashMap_Find(&seen, key);
            if (other != NULL) {
                cnUniteSets(parents.data, *other, i);
            } else {
                cnHashMap_Add(&seen, key, i);
            }
        }
    }
    for (int i = 0; isDone && i < holes->edges.count; ++i) {
        OpenEdge* edge = holes->edges.data + i;
        int root = cnFindRoot(parents.data, i);
        if (root == i) {
            edge->loop = holes->centres.count;
            isDone = cnArray_Push(&holes->centres, cnVec3_zero) && cnArray_Push(&holes->counts, 0) &&
                     cnArray_Push(&holes->numbers, -1);
        }
        edge->loop = holes->edges.data[root].loop;
        if (isDone) {
            cnVec3* centre = holes->centres.data + edge->loop;
            *centre = cnAdd(*centre, mesh->vertices.data[edge->from]);
            ++holes->counts.data[edge->loop];
        }
    }
    for (int i = 0; isDone && i < holes->centres.count; ++i) {
        holes->centres.data[i] = cnScale(1.0 / holes->counts.data[i], holes->centres.data[i]);
    }
    cnArray_Free(&parents);
    cnHashMap_Free(&seen);
    return isDone;
}

// Closes the holes of groups that are closed but for a small part of their area.
static bool CloseHoles(cnToolMesh* mesh, const Holes* holes, GroupFacts* facts, double holeShare) {
    for (int i = 0; i < mesh->solids.count; ++i) {
        facts[i].holeArea = 0.0;
        facts[i].openEdges = 0;
    }
    for (int i = 0; i < holes->edges.count; ++i) {
        const OpenEdge* edge = holes->edges.data + i;
        cnVec3 centre = holes->centres.data[edge->loop];
        cnVec3 area = cnCross(cnSub(mesh->vertices.data[edge->from], centre),
                              cnSub(mesh->vertices.data[edge->to], centre));
        facts[edge->group].holeArea += 0.5 * cnLength(area);
        ++facts[edge->group].openEdges;
    }
    for (int i = 0; i < mesh->solids.count; ++i) {
        mesh->solids.data[i] =
            facts[i].openEdges == 0 || facts[i].holeArea <= holeShare * facts[i].area ? 1 : 0;
    }
    for (int i = 0; i < holes->edges.count; ++i) {
        const OpenEdge* edge = holes->edges.data + i;
        if (mesh->solids.data[edge->group] == 0) {
            continue;
        }
        int32_t* number = holes->numbers.data + edge->loop;
        if (*number < 0) {
            *number = mesh->vertices.count;
            ++mesh->filledHoles;
            if (!cnArray_Push(&mesh->vertices, holes->centres.data[edge->loop])) {
                return false;
            }
        }
        int count = mesh->triangles.count;
        if (!cnArray_Reserve(&mesh->triangles, count + 3) || !cnArray_Push(&mesh->groups, edge->group)) {
            return false;
        }
        int32_t* corners = mesh->triangles.data + count;
        corners[0] = *number;
        corners[1] = edge->from;
        corners[2] = edge->to;
        mesh->triangles.count = count + 3;
    }
    return true;
}

// ---- solids -----------------------------------------------------------------------------------------------

// Turns the triangles of the groups that say so.
static void TurnGroups(cnToolMesh* mesh, GroupFacts* facts) {
    for (int i = 0; i < mesh->groups.count; ++i) {
        if (facts[mesh->groups.data[i]].isTurned) {
            int32_t* corners = mesh->triangles.data + 3 * (size_t)i;
            int32_t swap = corners[1];
            corners[1] = corners[2];
            corners[2] = swap;
            ++mesh->turnedTriangles;
        }
    }
}

// Solids that are inside out are cavities of the smallest solid around them, or turned where there is none.
static void FindCavities(cnToolMesh* mesh, GroupFacts* facts) {
    int count = mesh->solids.count;
    double total = 0.0;
    for (int i = 0; i < count; ++i) {
        if (mesh->solids.data[i] && fabs(facts[i].volume) <= FLAT_SOLID * facts[i].area) {
            mesh->solids.data[i] = 0;
        }
        total += mesh->solids.data[i] ? facts[i].volume : 0.0;
    }
    for (int i = 0; i < count; ++i) {
        facts[i].isTurned = total < 0.0 && mesh->solids.data[i] != 0;
        facts[i].volume = facts[i].isTurned ? -facts[i].volume : facts[i].volume;
    }
    for (int i = 0; i < count; ++i) {
        if (!mesh->solids.data[i] || facts[i].volume > 0.0) {
            continue;
        }
        int best = -1;
        for (int j = 0; j < count; ++j) {
            bool isAround = mesh->solids.data[j] && facts[j].volume > -facts[i].volume &&
                            cnHoldsBounds(&facts[j].bounds, &facts[i].bounds);
            if (isAround && (best < 0 || facts[j].volume < facts[best].volume)) {
                best = j;
            }
        }
        facts[i].container = best;
    }
    for (int i = 0; i < count; ++i) {
        if (mesh->solids.data[i] && facts[i].volume < 0.0 && facts[i].container < 0) {
            facts[i].isTurned = !facts[i].isTurned;
            facts[i].volume = -facts[i].volume;
        }
    }
    TurnGroups(mesh, facts);
}

// Cavities join their solids, and groups are numbered again.
static bool NumberGroups(cnToolMesh* mesh, const GroupFacts* facts) {
    CN_ARRAY(int32_t) numbers = {0};
    int oldCount = mesh->solids.count;
    if (!cnArray_Resize(&numbers, oldCount)) {
        return false;
    }
    int count = 0;
    for (int i = 0; i < oldCount; ++i) {
        if (facts[i].container < 0) {
            mesh->solids.data[count] = mesh->solids.data[i];
            mesh->sheets += mesh->solids.data[i] ? 0 : 1;
            numbers.data[i] = count++;
        }
    }
    for (int i = 0; i < mesh->groups.count; ++i) {
        int group = mesh->groups.data[i];
        group = facts[group].container < 0 ? group : facts[group].container;
        mesh->groups.data[i] = numbers.data[group];
    }
    for (int i = 0; i < oldCount; ++i) {
        mesh->area += facts[i].area;
    }
    mesh->solids.count = count;
    cnArray_Free(&numbers);
    return true;
}

// Sheets fall into groups along their sharp edges, so that the plates of a box without a lid are found as
// they are. Solids keep their groups.
static bool SplitSheets(cnToolMesh* mesh, const Edges* edges) {
    int count = mesh->triangles.count / 3;
    CN_ARRAY(int) parents = {0};
    CN_ARRAY(int32_t) numbers = {0}; // per root of a sheet's set
    bool isDone = cnArray_Resize(&parents, count) && cnArray_Resize(&numbers, count);
    if (isDone) {
        cnMakeSets(parents.data, count);
    }
    for (int edge = 0; isDone && edge < edges->first.count; ++edge) {
        int first = edges->first.data[edge];
        if (mesh->solids.data[mesh->groups.data[first / 3]] != 0) {
            continue;
        }
        cnVec3 normal = cnNormalize(FindAreaVector(mesh, first / 3));
        for (int half = edges->next.data[first]; half >= 0; half = edges->next.data[half]) {
            if (cnDot(normal, cnNormalize(FindAreaVector(mesh, half / 3))) > SMOOTH_COSINE) {
                cnUniteSets(parents.data, first / 3, half / 3);
            }
        }
    }
    int solidCount = 0;
    for (int i = 0; isDone && i < mesh->solids.count; ++i) {
        numbers.data[i] = mesh->solids.data[i] != 0 ? solidCount++ : -1;
    }
    for (int i = 0; isDone && i < count; ++i) {
        int32_t* group = mesh->groups.data + i;
        *group = mesh->solids.data[*group] != 0 ? numbers.data[*group] : -1;
    }
    int groupCount = solidCount;
    for (int i = 0; isDone && i < count; ++i) {
        if (mesh->groups.data[i] < 0) {
            int root = cnFindRoot(parents.data, i);
            numbers.data[i] = root == i ? groupCount++ : numbers.data[root];
        }
    }
    for (int i = 0; isDone && i < count; ++i) {
        mesh->groups.data[i] = mesh->groups.data[i] < 0 ? numbers.data[i] : mesh->groups.data[i];
    }
    isDone = isDone && cnArray_Resize(&mesh->solids, groupCount);
    for (int i = 0; isDone && i < groupCount; ++i) {
        mesh->solids.data[i] = i < solidCount ? 1 : 0;
    }
    cnArray_Free(&parents);
    cnArray_Free(&numbers);
    return isDone;
}

static bool MakeGroups(cnToolMesh* mesh, double holeShare) {
    Edges edges = {0};
    Holes holes = {0};
    CN_ARRAY(GroupFacts) facts = {0};
    bool isDone = FindEdges(mesh, &edges) && FitWinding(mesh, &edges);
    Edges_Free(&edges);
    isDone = isDone && FindEdges(mesh, &edges) && FindGroups(mesh, &edges) &&
             cnArray_Resize(&facts, mesh->solids.count);
    if (isDone) {
        MeasureGroups(mesh, facts.data, mesh->solids.count);
        isDone = FindHoles(mesh, &edges, &holes) && CloseHoles(mesh, &holes, facts.data, holeShare);
    }
    if (isDone) {
        MeasureGroups(mesh, facts.data, mesh->solids.count);
        FindCavities(mesh, facts.data);
        for (int i = 0; i < mesh->solids.count; ++i) {
            mesh->volume += mesh->solids.data[i] ? facts.data[i].volume : 0.0;
        }
        isDone = NumberGroups(mesh, facts.data) && SplitSheets(mesh, &edges);
    }
    Edges_Free(&edges);
    cnArray_Free(&holes.edges);
    cnArray_Free(&holes.centres);
    cnArray_Free(&holes.counts);
    cnArray_Free(&holes.numbers);
    cnArray_Free(&facts);
    return isDone;
}

// ---- all together -----------------------------------------------------------------------------------------

// The middle and the diagonal of what the triangles use.
static bool Measure(cnToolMesh* mesh, const cnMeshView* view) {
    cnVec3 lower = view->vertices[view->triangles[0]], upper = lower;
    for (int i = 0; i < 3 * view->triangleCount; ++i) {
        lower = cnMinVec(lower, view->vertices[view->triangles[i]]);
        upper = cnMaxVec(upper, view->vertices[view->triangles[i]]);
    }
    mesh->middle = cnMulAdd(cnScale(0.5, lower), 0.5, upper);
    mesh->scale = cnLength(cnSub(upper, lower));
    return mesh->scale > 1e-150;
}

static bool HasArea(const cnToolMesh* mesh) {
    for (int i = 0; i < mesh->triangles.count / 3; ++i) {
        if (cnLength(FindAreaVector(mesh, i)) > FLAT_TRIANGLE * FLAT_TRIANGLE) {
            return true;
        }
    }
    return false;
}

void cnToolMesh_Free(cnToolMesh* mesh) {
    cnArray_Free(&mesh->vertices);
    cnArray_Free(&mesh->triangles);
    cnArray_Free(&mesh->groups);
    cnArray_Free(&mesh->solids);
    cnArray_Free(&mesh->nodes);
    cnArray_Free(&mesh->order);
}

static cnErrorCode FailMemory(const cnMeshView* view, const char* call) {
    return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "mesh", "no memory for a mesh of %d triangles",
                  view->triangleCount);
}

cnErrorCode cnToolMesh_Weld(cnToolMesh* mesh, const cnMeshView* view, const char* call) {
    *mesh = (cnToolMesh){0};
    CN_TRY(cnCheckMeshView(view, call));
    if (!Measure(mesh, view)) {
        return cnFail(CN_ERROR_DEGENERATE_SHAPE, call, "vertices",
                      "the vertices of the triangles all coincide; they must span a surface");
    }
    CN_ARRAY(int32_t) numbers = {0};
    bool isDone = cnArray_Resize(&numbers, view->vertexCount) && WeldVertices(mesh, view, numbers.data) &&
                  CopyTriangles(mesh, view, numbers.data);
    if (isDone) {
        DropUnusedVertices(mesh, numbers.data);
    }
    cnArray_Free(&numbers);
    if (isDone && HasArea(mesh)) {
        return CN_ERROR_NONE;
    }
    cnToolMesh_Free(mesh);
    return isDone ? cnFail(CN_ERROR_DEGENERATE_SHAPE, call, "triangles",
                           "no triangle has an area; they must span a surface")
                  : FailMemory(view, call);
}

cnErrorCode cnToolMesh_Make(cnToolMesh* mesh, const cnMeshView* view, double holeShare, const char* call) {
    CN_TRY(cnToolMesh_Weld(mesh, view, call));
    if (MakeGroups(mesh, holeShare)) {
        return CN_ERROR_NONE;
    }
    cnToolMesh_Free(mesh);
    return FailMemory(view, call);
}
