// The tree of boxes over a mesh's triangles, and the walks through it.
//
// Built from the top as a binary tree, by the surface area heuristic over 16 bins (Wald 2007) on the centres
// of the triangles' boxes; then nodes take in their grandchildren until they have four children (Dammertz,
// Hanika, Keller 2008), whose boxes one walk tests at once.
//
// What a walk costs is waiting for memory. A node is one line of the cache, as its children's bounds are
// bytes that count along the node's own box (Ylitie, Karras, Laine 2017), leaves name their corners, and a
// ray asks for the memory of all children while it still sorts them.
//
// Walks cull in f32 and finish in f64. For that the tree's frame is the mesh scaled to [−1, 1]: there f32
// rounds by 6e-8 at most, a ray's walk (which starts where the ray enters the frame) is off by less than 2e-6
// everywhere, and every box is made wider than that, by SLACK; bytes round outwards from there. So the
// culling never loses a triangle, whatever the scale and wherever the ray comes from.
#include "base/allocator.h"
#include "base/prefetch.h"
#include "base/simd.h"
#include "geometry/meshes/trimesh.h"

#include <string.h>

#define SLACK 4e-6f

// Triangles of a leaf, at most; more only where the boxes cannot be told apart.
#define LEAF_MAX 4

#define BIN_COUNT 16

// From this depth on nodes are halved by count, so that no tree is deeper than DEPTH_MOST.
#define HALVE_FROM 36
#define DEPTH_MAX 60

// Each level leaves three children at most waiting.
#define STACK_MAX (3 * DEPTH_MAX + 4)

// ---- building ---------------------------------------------------------------------------------------------

typedef struct Box {
    float lower[3], upper[3];
} Box;

// Of the binary tree; children lie side by side.
typedef struct Node {
    Box box;
    int32_t first; // of two children; of a leaf, the first place in the order
    int32_t count; // triangles of a leaf; 0 otherwise
} Node;

typedef struct Builder {
    cnTrimesh* mesh;
    Box* boxes;     // per triangle
    int32_t* order; // triangles, as the nodes hold them
    Node* nodes;
    int nodeCount;
} Builder;

static const Box emptyBox = {{4.0f, 4.0f, 4.0f}, {-4.0f, -4.0f, -4.0f}};

static void Widen(Box* box, const Box* other) {
    for (int i = 0; i < 3; ++i) {
        box->lower[i] = other->lower[i] < box->lower[i] ? other->lower[i] : box->lower[i];
        box->upper[i] = other->upper[i] > box->upper[i] ? other->upper[i] : box->upper[i];
    }
}

// Half the area of its sides.
static float GetArea(const Box* box) {
    float x = box->upper[0] - box->lower[0], y = box->upper[1] - box->lower[1],
          z = box->upper[2] - box->lower[2];
    return x * y + y * z + z * x;
}

// Twice the middle.
static float GetMiddle(const Box* box, int axis) {
    return box->lower[axis] + box->upper[axis];
}

// A point in the tree's frame.
static cnVec3 ToFrame(const cnTrimesh* mesh, cnVec3 point) {
    return cnScale(1.0 / mesh->extent, cnSub(point, mesh->middle));
}

static Box BoxTriangle(const cnTrimesh* mesh, int triangle) {
    Box box = emptyBox;
    for (int i = 0; i < 3; ++i) {
        cnVec3 p = ToFrame(mesh, cnTrimesh_GetCorner(mesh, 3 * triangle + i));
        Box point = {{(float)p.x, (float)p.y, (float)p.z}, {(float)p.x, (float)p.y, (float)p.z}};
        Widen(&box, &point);
    }
    return box;
}

// Where the triangles of a node are divided: those whose middle along the axis lies in a bin up
// to `bin` go first.
typedef struct Split {
    int axis;
    int bin;
    float cost;
    float start, perBin; // of the bins along the axis
} Split;

static int FindBin(const Split* split, const Box* box) {
    int bin = (int)((GetMiddle(box, split->axis) - split->start) * split->perBin);
    return bin < BIN_COUNT - 1 ? bin : BIN_COUNT - 1;
}

static void TrySplits(const Builder* builder, int first, int count, Split split, Split* best) {
    const int32_t* order = builder->order + first;
    Box boxes[BIN_COUNT];
    int counts[BIN_COUNT] = {0};
    for (int i = 0; i < BIN_COUNT; ++i) {
        boxes[i] = emptyBox;
    }
    for (int i = 0; i < count; ++i) {
        const Box* box = builder->boxes + order[i];
        int bin = FindBin(&split, box);
        counts[bin] += 1;
        Widen(&boxes[bin], box);
    }
    float costs[BIN_COUNT];
    Box sum = emptyBox;
    int number = 0;
    for (int i = 0; i < BIN_COUNT - 1; ++i) {
        Widen(&sum, &boxes[i]);
        number += counts[i];
        costs[i] = number > 0 ? GetArea(&sum) * (float)number : 0.0f;
    }
    sum = emptyBox;
    number = 0;
    for (int i = BIN_COUNT - 1; i > 0; --i) {
        Widen(&sum, &boxes[i]);
        number += counts[i];
        float cost = costs[i - 1] + (number > 0 ? GetArea(&sum) * (float)number : 0.0f);
        if (number > 0 && number < count && cost < best->cost) {
            *best = split;
            best->bin = i - 1;
            best->cost = cost;
        }
    }
}

// Divides the places [first, first + count) of the order; answers how many go first.
static int Divide(const Builder* builder, int first, int count, int depth) {
    int32_t* order = builder->order + first;
    Split best = {.axis = -1, .cost = INFINITY};
    for (int axis = 0; axis < 3 && depth < HALVE_FROM; ++axis) {
        float lower = INFINITY, upper = -INFINITY;
        for (int i = 0; i < count; ++i) {
            float middle = GetMiddle(builder->boxes + order[i], axis);
            lower = middle < lower ? middle : lower;
            upper = middle > upper ? middle : upper;
        }
        if (upper > lower) {
            Split split = {.axis = axis, .start = lower, .perBin = (float)BIN_COUNT / (upper - lower)};
            TrySplits(builder, first, count, split, &best);
        }
    }
    if (best.axis < 0) {
        return count / 2;
    }

    // those of the first bins to the front
    int left = 0, right = count - 1;
    while (left <= right) {
        if (FindBin(&best, builder->boxes + order[left]) <= best.bin) {
            left += 1;
        } else {
            int32_t moved = order[left];
            order[left] = order[right];
            order[right--] = moved;
        }
    }
    return left;
}

static void FillNode(const Builder* builder, Node* node, int first, int count) {
    *node = (Node){.box = emptyBox, .first = first, .count = count};
    for (int i = first; i < first + count; ++i) {
        Widen(&node->box, builder->boxes + builder->order[i]);
    }
}

static void BuildNodes(Builder* builder) {
    struct {
        int node, depth;
    } stack[DEPTH_MAX];
    int top = 0;
    FillNode(builder, builder->nodes, 0, builder->mesh->triangleCount);
    builder->nodeCount = 1;
    stack[top].node = 0;
    stack[top++].depth = 0;
    while (top > 0) {
        Node* node = builder->nodes + stack[--top].node;
        int depth = stack[top].depth + 1;
        if (node->count <= LEAF_MAX) {
            continue;
        }
        int first = node->first, count = node->count;
        int left = Divide(builder, first, count, depth);
        int child = builder->nodeCount;
        builder->nodeCount += 2;
        node->first = child;
        node->count = 0;
        FillNode(builder, builder->nodes + child, first, left);
        FillNode(builder, builder->nodes + child + 1, first + left, count - left);
        stack[top].node = child + 1;
        stack[top++].depth = depth;
        stack[top].node = child;
        stack[top++].depth = depth;
    }
}

// The nodes that become the children of one: the largest is replaced by its own children
// until there are four.
static int GatherChildren(const Builder* builder, int node, int children[4]) {
    int count = 1;
    children[0] = node;
    while (count < 4) {
        int largest = -1;
        float max = -1.0f;
        for (int i = 0; i < count; ++i) {
            const Node* candidate = builder->nodes + children[i];
            float area = candidate->count == 0 ? GetArea(&candidate->box) : -1.0f;
            if (area > max) {
                max = area;
                largest = i;
            }
        }
        if (largest < 0) {
            break;
        }
        int first = builder->nodes[children[largest]].first;
        children[largest] = first;
        children[count++] = first + 1;
    }
    return count;
}

// Writes the boxes of children in bytes: whatever lies in one lies in what OpenNode reads from the bytes.
// Missing children get boxes turned inside out.
static void PackBoxes(cnMeshNode* node, const Box* boxes[4]) {
    for (int i = 0; i < 3; ++i) {
        float start = 4.0f, end = -4.0f;
        for (int lane = 0; lane < 4; ++lane) {
            start = boxes[lane]->lower[i] < start ? boxes[lane]->lower[i] : start;
            end = boxes[lane]->upper[i] > end ? boxes[lane]->upper[i] : end;
        }
        start -= SLACK;
        float step = (end + SLACK - start) * (1.00001f / 255.0f);
        node->start[i] = start;
        node->step[i] = step;
        for (int lane = 0; lane < 4; ++lane) {
            float lower = boxes[lane]->lower[i] - SLACK, upper = boxes[lane]->upper[i] + SLACK;
            bool isMissing = lower > upper;
            int low = (int)((lower - start) / step), high = (int)((upper - start) / step);
            low -= start + (float)low * step > lower ? 1 : 0;
            high += start + (float)high * step < upper ? 1 : 0;
            node->bounds[i][lane] = (uint8_t)(isMissing ? 255 : low);
            node->bounds[3 + i][lane] = (uint8_t)(isMissing ? 0 : high);
        }
    }
}

// From binary nodes to nodes of four. A node waits to be filled with the number of its binary one in its
// first child; nodes are filled in the order in which they were made.
static void MakeWide(Builder* builder) {
    cnTrimesh* mesh = builder->mesh;
    mesh->nodeCount = 1;
    mesh->nodes[0].children[0] = 0;
    for (int at = 0; at < mesh->nodeCount; ++at) {
        cnMeshNode* node = mesh->nodes + at;
        int children[4];
        int count = GatherChildren(builder, node->children[0], children);
        const Box* boxes[4];
        for (int lane = 0; lane < 4; ++lane) {
            const Node* child = builder->nodes + children[lane < count ? lane : 0];
            boxes[lane] = lane < count ? &child->box : &emptyBox;
            node->children[lane] = 0;
            if (lane < count && child->count > 0) {
                node->children[lane] = ~(4 * child->first + child->count - 1);
            } else if (lane < count) {
                mesh->nodes[mesh->nodeCount].children[0] = children[lane];
                node->children[lane] = mesh->nodeCount++;
            }
        }
        PackBoxes(node, boxes);
    }
    for (int i = 0; i < mesh->triangleCount; ++i) {
        int32_t triangle = builder->order[i];
        const int32_t* corners = mesh->triangles + 3 * (size_t)triangle;
        int32_t named = cnTrimesh_HasArea(mesh, triangle) ? triangle : -1;
        mesh->leaves[i] = (cnMeshLeaf){{corners[0], corners[1], corners[2]}, named};
    }
}

bool cnTrimesh_BuildTree(cnTrimesh* mesh) {
    // each division makes two nodes and leaves both a triangle at least
    size_t count = (size_t)mesh->triangleCount;
    size_t max = 2 * count, maxWide = 0;
    Builder builder = {.mesh = mesh,
                       .boxes = cnAllocate(count * sizeof(Box)),
                       .order = cnAllocate(count * sizeof(int32_t)),
                       .nodes = cnAllocate(max * sizeof(Node))};
    mesh->leaves = cnAllocate(count * sizeof *mesh->leaves);
    cnMeshNode* wide = NULL;
    bool isFine =
        builder.boxes != NULL && builder.order != NULL && builder.nodes != NULL && mesh->leaves != NULL;
    if (isFine) {
        for (int t = 0; t < mesh->triangleCount; ++t) {
            builder.order[t] = t;
            builder.boxes[t] = BoxTriangle(mesh, t);
        }
        BuildNodes(&builder);
        // an inner binary node makes one wide node at most
        maxWide = (size_t)builder.nodeCount / 2 + 1;
        mesh->nodes = cnAllocate(maxWide * sizeof *wide);
        isFine = mesh->nodes != NULL;
    }
    if (isFine) {
        MakeWide(&builder);
        wide = cnReallocate(mesh->nodes, maxWide * sizeof *wide, (size_t)mesh->nodeCount * sizeof *wide);
        isFine = wide != NULL;
        if (!isFine) {
            cnFree(mesh->nodes, maxWide * sizeof *wide);
        }
        mesh->nodes = wide;
    }
    cnFree(builder.boxes, count * sizeof(Box));
    cnFree(builder.order, count * sizeof(int32_t));
    cnFree(builder.nodes, max * sizeof(Node));
    return isFine;
}

// ---- walking ----------------------------------------------------------------------------------------------

// Children that wait, the one to look at first on top.
typedef struct Waiting {
    int32_t child;
    double key;
} Waiting;

typedef struct Walk {
    int top;
    Waiting stack[STACK_MAX];
} Walk;

static void StartWalk(Walk* walk) {
    walk->stack[0] = (Waiting){0, 0.0};
    walk->top = 1;
}

// Puts a child above those, from `base` on, that have no smaller key.
static void Push(Walk* walk, int base, int32_t child, double key) {
    int at = walk->top++;
    for (; at > base && walk->stack[at - 1].key < key; --at) {
        walk->stack[at] = walk->stack[at - 1];
    }
    walk->stack[at] = (Waiting){child, key};
}

typedef struct OpenBoxes {
    cnF4 lower[3], upper[3];
} OpenBoxes;

static OpenBoxes OpenNode(const cnMeshNode* node) {
    OpenBoxes boxes;
    for (int i = 0; i < 3; ++i) {
        cnF4 start = cnSplat4(node->start[i]), step = cnSplat4(node->step[i]);
        boxes.lower[i] = cnMulAdd4(start, cnLoadBytes4(node->bounds[i]), step);
        boxes.upper[i] = cnMulAdd4(start, cnLoadBytes4(node->bounds[3 + i]), step);
    }
    return boxes;
}

// The same, to be read lane by lane; those of the root for a leaf.
typedef struct BoxLanes {
    float lower[3][4], upper[3][4];
} BoxLanes;

static const cnMeshNode* OpenLanes(const cnTrimesh* mesh, int32_t child, BoxLanes* lanes) {
    const cnMeshNode* node = mesh->nodes + (child >= 0 ? child : 0);
    OpenBoxes boxes = OpenNode(node);
    for (int i = 0; i < 3; ++i) {
        cnStore4(lanes->lower[i], boxes.lower[i]);
        cnStore4(lanes->upper[i], boxes.upper[i]);
    }
    return node;
}

// The triangles of a leaf.
static int GetLeaf(const cnTrimesh* mesh, int32_t child, const cnMeshLeaf** first) {
    int place = ~child;
    *first = mesh->leaves + place / 4;
    return place % 4 + 1;
}

// What a walk comes to next.
static void AskForChild(const cnTrimesh* mesh, int32_t child) {
    if (child >= 0) {
        cnPrefetch(mesh->nodes + child);
    } else {
        const cnMeshLeaf* leaf;
        int last = GetLeaf(mesh, child, &leaf) - 1;
        cnPrefetch(leaf);
        cnPrefetch(leaf + last);
    }
}

// ---- boxes ------------------------------------------------------------------------------------------------

static float ClampToFrame(double value) {
    return (float)cnClamp(value, -2.0, 2.0);
}

// A bit for each lane whose box overlaps another.
static int OverlapChildren(const cnMeshNode* node, const Box* box) {
    OpenBoxes boxes = OpenNode(node);
    cnF4 apart = cnZero4();
    for (int i = 0; i < 3; ++i) {
        apart = cnOr4(apart, cnLess4(cnSplat4(box->upper[i]), boxes.lower[i]));
        apart = cnOr4(apart, cnLess4(boxes.upper[i], cnSplat4(box->lower[i])));
    }
    return cnMoveMask4(apart) ^ 15;
}

static bool OverlapsTriangle(const cnTrimesh* mesh, const int32_t corners[3], const cnBounds* bounds) {
    cnVec3 a = mesh->vertices[corners[0]], b = mesh->vertices[corners[1]], c = mesh->vertices[corners[2]];
    cnVec3 lower = cnMinVec(a, cnMinVec(b, c)), upper = cnMaxVec(a, cnMaxVec(b, c));
    return lower.x <= bounds->upper.x && bounds->lower.x <= upper.x && lower.y <= bounds->upper.y &&
           bounds->lower.y <= upper.y && lower.z <= bounds->upper.z && bounds->lower.z <= upper.z;
}

void cnTrimesh_VisitBox(const cnTrimesh* mesh, cnBounds bounds, cnTriangleNumberVisitor* visit,
                        void* context) {
    cnVec3 lower = ToFrame(mesh, bounds.lower), upper = ToFrame(mesh, bounds.upper);
    Box box = {{ClampToFrame(lower.x), ClampToFrame(lower.y), ClampToFrame(lower.z)},
               {ClampToFrame(upper.x), ClampToFrame(upper.y), ClampToFrame(upper.z)}};
    Walk walk;
    StartWalk(&walk);
    while (walk.top > 0) {
        int32_t child = walk.stack[--walk.top].child;
        int mask = child >= 0 ? OverlapChildren(mesh->nodes + child, &box) : 0;
        for (int lane = 3; lane >= 0; --lane) {
            int32_t next = (mask >> lane & 1) != 0 ? mesh->nodes[child].children[lane] : 0;
            if (next != 0) {
                AskForChild(mesh, next);
                walk.stack[walk.top++].child = next;
            }
        }
        const cnMeshLeaf* leaf = NULL;
        int count = child < 0 ? GetLeaf(mesh, child, &leaf) : 0;
        for (int i = 0; i < count; ++i) {
            int triangle = leaf[i].triangle;
            if (triangle >= 0 && OverlapsTriangle(mesh, leaf[i].corners, &bounds) &&
                !visit(mesh, triangle, context)) {
                return;
            }
        }
    }
}

// ---- triangles near a box, kept ---------------------------------------------------------------------------

// A list holds what overlaps a box wider by this part of its size at each side,
#define NEAR_WIDTH 0.1
// and by so many times what it has come out of the one before on a side, at most its size: what falls or
// rolls goes on that way.
#define NEAR_WAYS 4.0

// How much farther than a box of some size a list reaches at one side, which the box is past by so much.
static double WidthOf(double size, double past) {
    return NEAR_WIDTH * size + cnClamp(NEAR_WAYS * past, 0.0, size);
}

static cnBounds WidenAlong(const cnBounds* bounds, const cnNearTriangles* near) {
    cnVec3 size = cnSub(bounds->upper, bounds->lower);
    cnVec3 below = near->isKnown ? cnSub(near->bounds.lower, bounds->lower) : cnVec3_zero;
    cnVec3 above = near->isKnown ? cnSub(bounds->upper, near->bounds.upper) : cnVec3_zero;
    cnVec3 lower = {WidthOf(size.x, below.x), WidthOf(size.y, below.y), WidthOf(size.z, below.z)};
    cnVec3 upper = {WidthOf(size.x, above.x), WidthOf(size.y, above.y), WidthOf(size.z, above.z)};
    return (cnBounds){cnSub(bounds->lower, lower), cnAdd(bounds->upper, upper)};
}

static bool ListNear(const cnTrimesh* mesh, int triangle, void* context) {
    (void)mesh;
    cnNearTriangles* near = context;
    if (near->count < CN_NEAR_TRIANGLES) {
        near->triangles[near->count] = triangle;
    }
    near->count += 1;
    return near->count <= CN_NEAR_TRIANGLES;
}

void cnTrimesh_VisitNear(const cnTrimesh* mesh, cnBounds bounds, cnNearTriangles* near,
                         cnTriangleNumberVisitor* visit, void* context) {
    if (!near->isKnown || !cnHoldsBounds(&near->bounds, &bounds)) {
        near->bounds = WidenAlong(&bounds, near);
        near->isKnown = true;
        near->count = 0;
        cnTrimesh_VisitBox(mesh, near->bounds, ListNear, near);
    }
    if (near->count > CN_NEAR_TRIANGLES) {
        cnTrimesh_VisitBox(mesh, bounds, visit, context);
        return;
    }
    for (int i = 0; i < near->count; ++i) {
        int triangle = near->triangles[i];
        if (OverlapsTriangle(mesh, &mesh->triangles[3 * triangle], &bounds) &&
            !visit(mesh, triangle, context)) {
            return;
        }
    }
}

// ---- rays -------------------------------------------------------------------------------------------------

// A ray made ready for triangles: its largest component along z of a sheared frame in which it is the z
// axis (Woop, Benthin, Wald 2013). The three products that decide on which side of each edge the axis
// passes are the same numbers, up to sign, for the two triangles of an edge, so that the axis passes at
// least one of them.
typedef struct ShearedRay {
    int x, y, z;
    double shearX, shearY, shearZ;
    double originX, originY, originZ;
} ShearedRay;

static ShearedRay ShearRay(cnVec3 origin, cnVec3 translation) {
    const double move[3] = {translation.x, translation.y, translation.z};
    const double start[3] = {origin.x, origin.y, origin.z};
    ShearedRay ray;
    ray.z = fabs(move[0]) > fabs(move[1]) ? 0 : 1;
    ray.z = fabs(move[2]) > fabs(move[ray.z]) ? 2 : ray.z;
    ray.x = (ray.z + 1) % 3;
    ray.y = (ray.z + 2) % 3;
    ray.originX = start[ray.x];
    ray.originY = start[ray.y];
    ray.originZ = start[ray.z];
    ray.shearX = move[ray.x] / move[ray.z];
    ray.shearY = move[ray.y] / move[ray.z];
    ray.shearZ = 1.0 / move[ray.z];
    return ray;
}

static cnVec3 ShearPoint(const ShearedRay* ray, const cnVec3* point) {
    const double* p = &point->x; // x, y, z
    double z = p[ray->z] - ray->originZ;
    return cnVec(p[ray->x] - ray->originX - ray->shearX * z, p[ray->y] - ray->originY - ray->shearY * z,
                 ray->shearZ * z);
}

static void HitTriangle(const cnTrimesh* mesh, const ShearedRay* ray, const cnMeshLeaf* leaf, double min,
                        cnMeshHit* best) {
    cnVec3 a = ShearPoint(ray, mesh->vertices + leaf->corners[0]);
    cnVec3 b = ShearPoint(ray, mesh->vertices + leaf->corners[1]);
    cnVec3 c = ShearPoint(ray, mesh->vertices + leaf->corners[2]);
    double u = c.x * b.y - c.y * b.x;
    double v = a.x * c.y - a.y * c.x;
    double w = b.x * a.y - b.y * a.x;
    if (cnMin(u, cnMin(v, w)) < 0.0 && cnMax(u, cnMax(v, w)) > 0.0) {
        return;
    }
    double sum = u + v + w;
    double fraction = (u * a.z + v * b.z + w * c.z) / sum;
    // of those at one place the lowest number, in whatever order they come
    bool isNearer =
        fraction < best->fraction || (fraction == best->fraction && leaf->triangle < best->triangle);
    if (!(fraction >= min && isNearer) || leaf->triangle < 0) {
        return;
    }
    double nearest = cnMin(fabs(u), cnMin(fabs(v), fabs(w)));
    *best = (cnMeshHit){.triangle = leaf->triangle,
                        .fraction = fraction,
                        .fromInside = (sum < 0.0) != (ray->shearZ < 0.0),
                        .onEdge = nearest <= 1e-9 * fabs(sum)};
}

// The part of a ray within the tree's frame, in f32; lengths are in units of the frame.
typedef struct FrameRay {
    float origin[3], inverse[3];
    int near[3], far[3];  // which of a node's bounds the ray meets first and last
    double length, start; // of the whole translation; of what lies before the frame
    float max;
} FrameRay;

static double Invert(double component) {
    double min = 1e-20;
    return 1.0 / (fabs(component) > min ? component : min);
}

// Lengths at which a ray enters the boxes of a node's children; answers a bit for each that it enters before
// `max`. The boxes of missing children are turned inside out: no ray enters them.
static int EnterChildren(const FrameRay* ray, const cnMeshNode* node, float max, float enters[4]) {
    cnF4 enter = cnZero4();
    cnF4 leave = cnSplat4(max);
    for (int i = 0; i < 3; ++i) {
        cnF4 start = cnSplat4((node->start[i] - ray->origin[i]) * ray->inverse[i]);
        cnF4 step = cnSplat4(node->step[i] * ray->inverse[i]);
        cnF4 near = cnLoadBytes4(node->bounds[ray->near[i]]);
        cnF4 far = cnLoadBytes4(node->bounds[ray->far[i]]);
        enter = cnMax4(cnMulAdd4(start, near, step), enter);
        leave = cnMin4(cnMulAdd4(start, far, step), leave);
    }
    cnStore4(enters, enter);
    return cnMoveMask4(cnLessEqual4(enter, leave));
}

// False where the ray misses the frame.
static bool EnterFrame(const cnTrimesh* mesh, cnVec3 origin, cnVec3 translation, double max, FrameRay* ray) {
    cnVec3 o = ToFrame(mesh, origin), d = cnScale(1.0 / mesh->extent, translation);
    const double side = 1.0 + 2.0 * (double)SLACK;
    double length = cnLength(d);
    d = cnScale(1.0 / length, d);
    const double start[3] = {o.x, o.y, o.z}, move[3] = {d.x, d.y, d.z};
    double enter = 0.0;
    double leave = max * length;
    for (int i = 0; i < 3; ++i) {
        double inverse = Invert(move[i]);
        bool isRising = inverse > 0.0;
        double reach = isRising ? side : -side;
        enter = cnMax(enter, (-reach - start[i]) * inverse);
        leave = cnMin(leave, (reach - start[i]) * inverse);
        ray->inverse[i] = (float)inverse;
        ray->near[i] = isRising ? i : 3 + i;
        ray->far[i] = isRising ? 3 + i : i;
    }
    if (!(enter <= leave) || !(length > 0.0)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        ray->origin[i] = (float)(start[i] + enter * move[i]);
    }
    ray->start = enter;
    ray->length = length;
    ray->max = (float)(leave - enter) + SLACK;
    return true;
}

// Puts the larger first.
static void SortPair(uint64_t* a, uint64_t* b) {
    uint64_t x = *a, y = *b;
    *a = x > y ? x : y;
    *b = x > y ? y : x;
}

// What of a node's children waits for a ray: the length at which it enters the child, in the bits of an f32
// that is not negative, above the child's number; so they sort as integers, and 0 is less than any. The
// farthest goes first, those that the ray misses last; answers how many it enters. No branch depends on what
// the ray meets: there is no guessing which.
static int SortChildren(const cnTrimesh* mesh, const FrameRay* ray, const cnMeshNode* node, float max,
                        uint64_t waiting[4]) {
    float enters[4];
    int mask = EnterChildren(ray, node, max, enters);
    int count = 0;
    uint64_t sorted[4];
    for (int lane = 0; lane < 4; ++lane) {
        int32_t child = node->children[lane];
        uint32_t bits;
        memcpy(&bits, enters + lane, sizeof bits);
        uint32_t isEntered = (uint32_t)mask >> lane & 1;
        sorted[lane] = ((uint64_t)bits << 32 | (uint32_t)child) & (0 - (uint64_t)isEntered);
        count += (int)isEntered;
        AskForChild(mesh, child);
    }
    SortPair(sorted, sorted + 1);
    SortPair(sorted + 2, sorted + 3);
    SortPair(sorted, sorted + 2);
    SortPair(sorted + 1, sorted + 3);
    SortPair(sorted + 1, sorted + 2);
    memcpy(waiting, sorted, sizeof sorted);
    return count;
}

cnMeshHit cnTrimesh_CastRay(const cnTrimesh* mesh, cnVec3 origin, cnVec3 translation, double min,
                            double max) {
    // just beyond, as hits come strictly before the best
    cnMeshHit best = {.triangle = -1, .fraction = max * (1.0 + 1e-15)};
    FrameRay frameRay;
    if (!EnterFrame(mesh, origin, translation, max, &frameRay)) {
        return best;
    }
    ShearedRay ray = ShearRay(origin, translation);
    float nearest = frameRay.max;
    uint64_t stack[STACK_MAX];
    stack[0] = 0;
    for (int top = 1; top > 0;) {
        uint64_t next = stack[--top];
        int32_t child = (int32_t)(uint32_t)next;
        uint32_t bits = (uint32_t)(next >> 32);
        float enter;
        memcpy(&enter, &bits, sizeof enter);
        if (enter > nearest) {
            continue;
        }
        if (child >= 0) {
            top += SortChildren(mesh, &frameRay, mesh->nodes + child, nearest, stack + top);
            continue;
        }
        const cnMeshLeaf* leaf;
        int count = GetLeaf(mesh, child, &leaf);
        for (int i = 0; i < 3 * count; ++i) {
            cnPrefetch(mesh->vertices + leaf[i / 3].corners[i % 3]);
        }
        double before = best.fraction;
        for (int i = 0; i < count; ++i) {
            HitTriangle(mesh, &ray, leaf + i, min, &best);
        }
        if (best.fraction < before) {
            nearest = (float)(best.fraction * frameRay.length - frameRay.start) + SLACK;
        }
    }
    return best;
}

// ---- closest points ---------------------------------------------------------------------------------------

// Makes the point of a triangle next to p the best one if it is nearer, with the feature it lies on (the
// regions of Ericson 2005, 5.1.5).
static void OfferTriangle(const cnTrimesh* mesh, const cnMeshLeaf* leaf, cnVec3 p, cnMeshPoint* nearest) {
    cnVec3 corners[3] = {mesh->vertices[leaf->corners[0]], mesh->vertices[leaf->corners[1]],
                         mesh->vertices[leaf->corners[2]]};
    cnVec3 normal = mesh->normals[leaf->triangle];
    double height = cnDot(normal, cnSub(p, corners[0]));
    if (fabs(height) > nearest->distance) {
        return;
    }
    // outside of one edge at least: the nearest point lies on one of the edges that p is outside of
    cnMeshPoint result = {.triangle = leaf->triangle, .corner = -1, .edge = -1};
    double best = INFINITY;
    for (int i = 0; i < 3; ++i) {
        cnVec3 along = cnSub(corners[(i + 1) % 3], corners[i]);
        cnVec3 from = cnSub(p, corners[i]);
        if (cnDot(cnCross(normal, along), from) > 0.0) {
            continue;
        }
        double t = cnClamp(cnDot(from, along) / cnLengthSquared(along), 0.0, 1.0);
        cnVec3 point = t < 1.0 ? cnMulAdd(corners[i], t, along) : corners[(i + 1) % 3];
        double distance = cnLengthSquared(cnSub(p, point));
        if (distance < best) {
            best = distance;
            result.point = point;
            result.corner = t <= 0.0 ? i : (t >= 1.0 ? (i + 1) % 3 : -1);
            result.edge = t > 0.0 && t < 1.0 ? i : -1;
        }
    }
    if (best == INFINITY) {
        result.point = cnMulAdd(p, -height, normal);
        result.distance = fabs(height);
    } else {
        result.distance = sqrt(best);
    }
    bool isFirst = nearest->triangle < 0 && result.distance <= nearest->distance;
    *nearest = isFirst || result.distance < nearest->distance ? result : *nearest;
}

// Squared, from a point to the boxes of a node's children, or less: what f32 loses on the way from a point
// within the frame is less than SLACK, and from one far outside less than 1e-6 of the way.
static cnF4 MeasureToChildren(const cnMeshNode* node, const cnF4 p[3]) {
    OpenBoxes boxes = OpenNode(node);
    cnF4 sum = cnZero4();
    for (int i = 0; i < 3; ++i) {
        cnF4 below = cnSub4(boxes.lower[i], p[i]), above = cnSub4(p[i], boxes.upper[i]);
        cnF4 outside = cnMax4(cnZero4(), cnMax4(below, above));
        sum = cnMulAdd4(sum, outside, outside);
    }
    return cnMul4(sum, cnSplat4(1.0f - 3e-6f));
}

// A coordinate in f32; beyond 1e18 sizes of the frame, too near, so that no square overflows.
static cnF4 SplatCoordinate(double coordinate) {
    return cnSplat4((float)cnClamp(coordinate, -1e18, 1e18));
}

cnMeshPoint cnTrimesh_FindClosest(const cnTrimesh* mesh, cnVec3 point, double reach) {
    cnMeshPoint best = {.triangle = -1, .corner = -1, .edge = -1, .distance = reach};
    cnVec3 inFrame = ToFrame(mesh, point);
    const cnF4 p[3] = {SplatCoordinate(inFrame.x), SplatCoordinate(inFrame.y), SplatCoordinate(inFrame.z)};
    Walk walk;
    StartWalk(&walk);
    while (walk.top > 0) {
        Waiting next = walk.stack[--walk.top];
        double max = best.distance / mesh->extent;
        if (next.key > max * max) {
            continue;
        }
        if (next.child >= 0) {
            const cnMeshNode* node = mesh->nodes + next.child;
            float distances[4];
            cnStore4(distances, MeasureToChildren(node, p));
            int base = walk.top;
            for (int lane = 0; lane < 4; ++lane) {
                double distance = (double)distances[lane];
                if (node->children[lane] != 0 && distance <= max * max) {
                    Push(&walk, base, node->children[lane], distance);
                }
            }
        }
        const cnMeshLeaf* leaf = NULL;
        int count = next.child < 0 ? GetLeaf(mesh, next.child, &leaf) : 0;
        for (int i = 0; i < count; ++i) {
            if (leaf[i].triangle >= 0) {
                OfferTriangle(mesh, leaf + i, point, &best);
            }
        }
    }
    return best;
}

// ---- reach along a direction ------------------------------------------------------------------------------

double cnTrimesh_GetReach(const cnTrimesh* mesh, cnVec3 direction) {
    const double d[3] = {direction.x, direction.y, direction.z};
    double best = -INFINITY;
    Walk walk;
    StartWalk(&walk);
    walk.stack[0].key = -INFINITY;
    while (walk.top > 0) {
        Waiting next = walk.stack[--walk.top];
        if (-next.key <= best) {
            continue;
        }
        int base = walk.top;
        BoxLanes boxes;
        const cnMeshNode* node = OpenLanes(mesh, next.child, &boxes);
        for (int lane = 0; next.child >= 0 && lane < 4; ++lane) {
            double max = 0.0;
            for (int i = 0; i < 3; ++i) {
                max += d[i] * (double)(d[i] > 0.0 ? boxes.upper[i][lane] : boxes.lower[i][lane]);
            }
            if (node->children[lane] != 0) {
                Push(&walk, base, node->children[lane], -max);
            }
        }
        const cnMeshLeaf* leaf = NULL;
        int count = next.child < 0 ? GetLeaf(mesh, next.child, &leaf) : 0;
        for (int i = 0; i < 3 * count; ++i) {
            cnVec3 corner = ToFrame(mesh, mesh->vertices[leaf[i / 3].corners[i % 3]]);
            // a box promises up to this much more than it holds
            best = cnMax(best, cnDot(direction, corner) + 2.0 * (double)SLACK);
        }
    }
    return cnDot(direction, mesh->middle) + mesh->extent * best;
}
