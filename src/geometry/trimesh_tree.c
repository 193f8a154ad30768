// The tree of boxes over a mesh's triangles, and the walks through it.
//
// Built from the top by the surface area heuristic over 16 bins (Wald 2007), on the centres of the triangles' boxes. Walks
// cull in f32 and finish in f64. For that the tree's frame is the mesh scaled to [−1, 1]: there f32 rounds by 6e-8 at most, a
// ray's walk (which starts where the ray enters the frame) is off by less than 1e-6 everywhere, and every box is made wider
// than that, by SLACK. So the culling never loses a triangle, whatever the scale and wherever the ray comes from.
#include "base/allocator.h"
#include "geometry/trimesh.h"

#define SLACK 4e-6f

// Triangles of a leaf, at most; more only where the boxes cannot be told apart.
#define LEAF_MOST 4

#define BIN_COUNT 16

// From this depth on nodes are halved by count, so that the tree's depth stays below CN_MESH_TREE_DEPTH.
#define HALVE_FROM 36

// ---- building -------------------------------------------------------------------------------------------------------

typedef struct Box {
    float lower[3], upper[3];
} Box;

typedef struct Builder {
    cnTrimesh* mesh;
    Box* boxes; // per triangle
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

// Where the triangles of a node are divided: those whose middle along the axis lies in a bin up to `bin` go first.
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
    const int32_t* order = builder->mesh->order + first;
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
    int32_t* order = builder->mesh->order + first;
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

static void FillNode(const Builder* builder, cnMeshNode* node, int first, int count) {
    Box box = emptyBox;
    for (int i = first; i < first + count; ++i) {
        Widen(&box, builder->boxes + builder->mesh->order[i]);
    }
    for (int i = 0; i < 3; ++i) {
        node->lower[i] = box.lower[i] - SLACK;
        node->upper[i] = box.upper[i] + SLACK;
    }
    node->first = first;
    node->count = count;
}

// Node 0 is the root, node 1 is left out so that pairs of children share a line of the cache.
static void BuildNodes(Builder* builder) {
    cnTrimesh* mesh = builder->mesh;
    struct {
        int node, depth;
    } stack[CN_MESH_TREE_DEPTH + 1];
    int top = 0;
    FillNode(builder, mesh->nodes, 0, mesh->triangleCount);
    mesh->nodeCount = 2;
    stack[top].node = 0;
    stack[top++].depth = 0;
    while (top > 0) {
        cnMeshNode* node = mesh->nodes + stack[--top].node;
        int depth = stack[top].depth + 1;
        if (node->count <= LEAF_MOST) {
            continue;
        }
        int first = node->first, count = node->count;
        int left = Divide(builder, first, count, depth);
        int child = mesh->nodeCount;
        mesh->nodeCount += 2;
        node->first = child;
        node->count = 0;
        FillNode(builder, mesh->nodes + child, first, left);
        FillNode(builder, mesh->nodes + child + 1, first + left, count - left);
        stack[top].node = child + 1;
        stack[top++].depth = depth;
        stack[top].node = child;
        stack[top++].depth = depth;
    }
}

bool cnTrimesh_BuildTree(cnTrimesh* mesh) {
    size_t count = (size_t)mesh->triangleCount;
    size_t most = 2 * count + 1; // each division makes two nodes and leaves each at least one triangle
    Builder builder = {.mesh = mesh, .boxes = cnAllocate(count * sizeof(Box))};
    mesh->order = cnAllocate(count * sizeof *mesh->order);
    mesh->nodes = cnAllocate(most * sizeof *mesh->nodes);
    bool isFine = builder.boxes != NULL && mesh->order != NULL && mesh->nodes != NULL;
    if (isFine) {
        for (int t = 0; t < mesh->triangleCount; ++t) {
            mesh->order[t] = t;
            builder.boxes[t] = BoxTriangle(mesh, t);
        }
        BuildNodes(&builder);
        size_t width = sizeof *mesh->nodes;
        cnMeshNode* nodes = cnReallocate(mesh->nodes, most * width, (size_t)mesh->nodeCount * width);
        isFine = nodes != NULL;
        mesh->nodes = isFine ? nodes : mesh->nodes;
    }
    if (!isFine) {
        cnFree(mesh->nodes, most * sizeof *mesh->nodes);
        mesh->nodes = NULL;
    }
    cnFree(builder.boxes, count * sizeof(Box));
    return isFine;
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

static float ClampToFrame(double value) {
    return (float)cnClamp(value, -2.0, 2.0);
}

static bool OverlapsNode(const cnMeshNode* node, const Box* box) {
    return node->lower[0] <= box->upper[0] && box->lower[0] <= node->upper[0] &&
           node->lower[1] <= box->upper[1] && box->lower[1] <= node->upper[1] &&
           node->lower[2] <= box->upper[2] && box->lower[2] <= node->upper[2];
}

static bool OverlapsTriangle(const cnTrimesh* mesh, int triangle, const cnBounds* bounds) {
    cnVec3 a = cnTrimesh_GetCorner(mesh, 3 * triangle);
    cnVec3 b = cnTrimesh_GetCorner(mesh, 3 * triangle + 1);
    cnVec3 c = cnTrimesh_GetCorner(mesh, 3 * triangle + 2);
    cnVec3 lower = cnMinVec(a, cnMinVec(b, c)), upper = cnMaxVec(a, cnMaxVec(b, c));
    return lower.x <= bounds->upper.x && bounds->lower.x <= upper.x && lower.y <= bounds->upper.y &&
           bounds->lower.y <= upper.y && lower.z <= bounds->upper.z && bounds->lower.z <= upper.z;
}

void cnTrimesh_VisitBox(const cnTrimesh* mesh, cnBounds bounds, cnTriangleNumberVisitor* visit,
                        void* context) {
    cnVec3 lower = ToFrame(mesh, bounds.lower), upper = ToFrame(mesh, bounds.upper);
    Box box = {{ClampToFrame(lower.x), ClampToFrame(lower.y), ClampToFrame(lower.z)},
               {ClampToFrame(upper.x), ClampToFrame(upper.y), ClampToFrame(upper.z)}};
    int stack[CN_MESH_TREE_DEPTH + 1];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const cnMeshNode* node = mesh->nodes + stack[--top];
        if (!OverlapsNode(node, &box)) {
            continue;
        }
        if (node->count == 0) {
            stack[top++] = node->first + 1;
            stack[top++] = node->first;
        }
        for (int i = node->first; i < node->first + node->count; ++i) {
            int triangle = mesh->order[i];
            if (cnTrimesh_HasArea(mesh, triangle) && OverlapsTriangle(mesh, triangle, &bounds) &&
                !visit(mesh, triangle, context)) {
                return;
            }
        }
    }
}

// ---- rays -----------------------------------------------------------------------------------------------------------

// A ray made ready for triangles: its largest component along z of a sheared frame in which it is the z axis (Woop, Benthin,
// Wald 2013). The three products that decide on which side of each edge the axis passes are the same numbers, up to sign, for
// the two triangles of an edge, so that the axis passes at least one of them.
typedef struct ShearedRay {
    int x, y, z;
    double shearX, shearY, shearZ;
    double origin[3];
} ShearedRay;

static ShearedRay ShearRay(cnVec3 origin, cnVec3 translation) {
    const double move[3] = {translation.x, translation.y, translation.z};
    ShearedRay ray = {.origin = {origin.x, origin.y, origin.z}};
    ray.z = fabs(move[0]) > fabs(move[1]) ? 0 : 1;
    ray.z = fabs(move[2]) > fabs(move[ray.z]) ? 2 : ray.z;
    ray.x = (ray.z + 1) % 3;
    ray.y = (ray.z + 2) % 3;
    ray.shearX = move[ray.x] / move[ray.z];
    ray.shearY = move[ray.y] / move[ray.z];
    ray.shearZ = 1.0 / move[ray.z];
    return ray;
}

static cnVec3 ShearPoint(const ShearedRay* ray, const cnVec3* point) {
    const double p[3] = {point->x, point->y, point->z};
    double z = p[ray->z] - ray->origin[ray->z];
    return cnVec(p[ray->x] - ray->origin[ray->x] - ray->shearX * z,
                 p[ray->y] - ray->origin[ray->y] - ray->shearY * z, ray->shearZ * z);
}

static void HitTriangle(const cnTrimesh* mesh, const ShearedRay* ray, int triangle, cnMeshHit* best) {
    const int32_t* corners = mesh->triangles + 3 * (size_t)triangle;
    cnVec3 a = ShearPoint(ray, mesh->vertices + corners[0]);
    cnVec3 b = ShearPoint(ray, mesh->vertices + corners[1]);
    cnVec3 c = ShearPoint(ray, mesh->vertices + corners[2]);
    double u = c.x * b.y - c.y * b.x;
    double v = a.x * c.y - a.y * c.x;
    double w = b.x * a.y - b.y * a.x;
    if ((u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0)) {
        return;
    }
    double sum = u + v + w;
    double fraction = (u * a.z + v * b.z + w * c.z) / sum;
    if (!(fraction >= 0.0 && fraction < best->fraction) || !cnTrimesh_HasArea(mesh, triangle)) {
        return;
    }
    double least = cnMin(fabs(u), cnMin(fabs(v), fabs(w)));
    *best = (cnMeshHit){.triangle = triangle,
                        .fraction = fraction,
                        .fromInside = (sum < 0.0) != (ray->shearZ < 0.0),
                        .onEdge = least <= 1e-9 * fabs(sum)};
}

// The part of a ray within the tree's frame, in f32, with its length in units of the frame.
typedef struct FrameRay {
    float origin[3], inverse[3];
    double start, perFraction; // length = (fraction − start)·perFraction
    float most;
} FrameRay;

static float Invert(double component) {
    double least = 1e-20;
    return (float)(1.0 / (fabs(component) > least ? component : (component < 0.0 ? -least : least)));
}

// Length at which a ray enters a node; `none` where it does not before `most`.
static const float none = 1e30f;

static float EnterNode(const FrameRay* ray, const cnMeshNode* node, float most) {
    float enter = 0.0f;
    float leave = most;
    for (int i = 0; i < 3; ++i) {
        float a = (node->lower[i] - ray->origin[i]) * ray->inverse[i];
        float b = (node->upper[i] - ray->origin[i]) * ray->inverse[i];
        float near = a < b ? a : b, far = a < b ? b : a;
        enter = near > enter ? near : enter;
        leave = far < leave ? far : leave;
    }
    return enter <= leave ? enter : none;
}

// False where the ray misses the frame.
static bool EnterFrame(const cnTrimesh* mesh, cnVec3 origin, cnVec3 translation, double most, FrameRay* ray) {
    cnVec3 o = ToFrame(mesh, origin), d = cnScale(1.0 / mesh->extent, translation);
    const double start[3] = {o.x, o.y, o.z}, move[3] = {d.x, d.y, d.z};
    const double side = 1.0 + 2.0 * (double)SLACK;
    double enter = 0.0;
    double leave = most;
    for (int i = 0; i < 3; ++i) {
        if (move[i] == 0.0) {
            if (fabs(start[i]) > side) {
                return false;
            }
            continue;
        }
        double toLower = (-side - start[i]) / move[i], toUpper = (side - start[i]) / move[i];
        enter = cnMax(enter, cnMin(toLower, toUpper));
        leave = cnMin(leave, cnMax(toLower, toUpper));
    }
    double length = cnLength(d);
    if (!(enter <= leave) || !(length > 0.0)) {
        return false;
    }
    cnVec3 first = cnMulAdd(o, enter, d);
    const double place[3] = {first.x, first.y, first.z};
    for (int i = 0; i < 3; ++i) {
        ray->origin[i] = (float)place[i];
        ray->inverse[i] = Invert(move[i] / length);
    }
    ray->start = enter;
    ray->perFraction = length;
    ray->most = (float)((leave - enter) * length) + SLACK;
    return true;
}

cnMeshHit cnTrimesh_CastRay(const cnTrimesh* mesh, cnVec3 origin, cnVec3 translation, double most) {
    // just beyond, as hits come strictly before the best
    cnMeshHit best = {.triangle = -1, .fraction = most * (1.0 + 1e-15)};
    FrameRay frameRay;
    if (!EnterFrame(mesh, origin, translation, most, &frameRay)) {
        return best;
    }
    ShearedRay ray = ShearRay(origin, translation);
    struct {
        int node;
        float enter;
    } stack[CN_MESH_TREE_DEPTH + 1];
    int top = 0;
    float nearest = frameRay.most;
    stack[top].node = 0;
    stack[top++].enter = 0.0f;
    while (top > 0) {
        top -= 1;
        if (stack[top].enter > nearest) {
            continue;
        }
        // down to a leaf, the nearer child first
        const cnMeshNode* node = mesh->nodes + stack[top].node;
        while (node->count == 0) {
            const cnMeshNode* left = mesh->nodes + node->first;
            const cnMeshNode* right = left + 1;
            float toLeft = EnterNode(&frameRay, left, nearest);
            float toRight = EnterNode(&frameRay, right, nearest);
            bool leftFirst = toLeft <= toRight;
            float far = leftFirst ? toRight : toLeft;
            if ((leftFirst ? toLeft : toRight) == none) {
                break;
            }
            if (far != none) {
                stack[top].node = (int)((leftFirst ? right : left) - mesh->nodes);
                stack[top++].enter = far;
            }
            node = leftFirst ? left : right;
        }
        for (int i = node->first; i < node->first + node->count; ++i) {
            int before = best.triangle;
            HitTriangle(mesh, &ray, mesh->order[i], &best);
            if (best.triangle != before) {
                nearest = (float)((best.fraction - frameRay.start) * frameRay.perFraction) + SLACK;
            }
        }
    }
    return best;
}

// ---- closest points -------------------------------------------------------------------------------------------------

// Next to p of a triangle, with the feature it lies on (the regions of Ericson 2005, 5.1.5).
static cnMeshPoint FindOnTriangle(const cnTrimesh* mesh, int triangle, cnVec3 p) {
    cnMeshPoint result = {.triangle = triangle, .corner = -1, .edge = -1};
    int h = 3 * triangle;
    cnVec3 corners[3] = {cnTrimesh_GetCorner(mesh, h), cnTrimesh_GetCorner(mesh, h + 1),
                         cnTrimesh_GetCorner(mesh, h + 2)};
    cnVec3 normal = cnTrimesh_GetNormal(mesh, triangle);
    // outside of one edge at least: the nearest point lies on one of the edges that p is outside of
    double best = INFINITY;
    for (int i = 0; i < 3; ++i) {
        cnVec3 along = cnSub(corners[(i + 1) % 3], corners[i]);
        cnVec3 from = cnSub(p, corners[i]);
        if (cnDot(cnCross(normal, along), from) > 0.0) {
            continue;
        }
        double t = cnClamp(cnDot(from, along) / cnLengthSquared(along), 0.0, 1.0);
        cnVec3 point = t < 1.0 ? cnMulAdd(corners[i], t, along) : corners[(i + 1) % 3];
        double distance = cnLength(cnSub(p, point));
        if (distance < best) {
            best = distance;
            result.point = point;
            result.corner = t <= 0.0 ? i : (t >= 1.0 ? (i + 1) % 3 : -1);
            result.edge = t > 0.0 && t < 1.0 ? i : -1;
        }
    }
    if (best == INFINITY) {
        double height = cnDot(normal, cnSub(p, corners[0]));
        result.point = cnMulAdd(p, -height, normal);
        best = fabs(height);
    }
    result.distance = best;
    return result;
}

static double MeasureToNode(const cnMeshNode* node, const double p[3]) {
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        double outside = cnMax(0.0, cnMax((double)node->lower[i] - p[i], p[i] - (double)node->upper[i]));
        sum += outside * outside;
    }
    return sum;
}

cnMeshPoint cnTrimesh_FindClosest(const cnTrimesh* mesh, cnVec3 point, double reach) {
    cnMeshPoint best = {.triangle = -1, .corner = -1, .edge = -1, .distance = reach};
    cnVec3 inFrame = ToFrame(mesh, point);
    const double p[3] = {inFrame.x, inFrame.y, inFrame.z};
    struct {
        int node;
        double distance; // squared
    } stack[CN_MESH_TREE_DEPTH + 1];
    int top = 0;
    stack[top].node = 0;
    stack[top++].distance = MeasureToNode(mesh->nodes, p);
    while (top > 0) {
        const cnMeshNode* node = mesh->nodes + stack[--top].node;
        double most = best.distance / mesh->extent;
        if (stack[top].distance > most * most) {
            continue;
        }
        if (node->count == 0) {
            double toLeft = MeasureToNode(mesh->nodes + node->first, p);
            double toRight = MeasureToNode(mesh->nodes + node->first + 1, p);
            int nearer = toRight < toLeft ? 1 : 0;
            stack[top].node = node->first + 1 - nearer;
            stack[top++].distance = nearer == 1 ? toLeft : toRight;
            stack[top].node = node->first + nearer;
            stack[top++].distance = nearer == 1 ? toRight : toLeft;
            continue;
        }
        for (int i = node->first; i < node->first + node->count; ++i) {
            if (cnTrimesh_HasArea(mesh, mesh->order[i])) {
                cnMeshPoint found = FindOnTriangle(mesh, mesh->order[i], point);
                bool isFirst = best.triangle < 0 && found.distance <= best.distance;
                best = isFirst || found.distance < best.distance ? found : best;
            }
        }
    }
    return best;
}

// ---- reach along a direction ----------------------------------------------------------------------------------------

double cnTrimesh_GetReach(const cnTrimesh* mesh, cnVec3 direction) {
    const double d[3] = {direction.x, direction.y, direction.z};
    double best = -INFINITY;
    int stack[CN_MESH_TREE_DEPTH + 1];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const cnMeshNode* node = mesh->nodes + stack[--top];
        double most = 0.0;
        for (int i = 0; i < 3; ++i) {
            most += d[i] * (double)(d[i] > 0.0 ? node->upper[i] : node->lower[i]);
        }
        // what a wider box may promise more than it holds
        if (most <= best) {
            continue;
        }
        if (node->count == 0) {
            const cnMeshNode* left = mesh->nodes + node->first;
            double lean = 0.0;
            for (int i = 0; i < 3; ++i) {
                lean +=
                    d[i] * (double)(left[1].lower[i] + left[1].upper[i] - left->lower[i] - left->upper[i]);
            }
            stack[top++] = node->first + (lean > 0.0 ? 0 : 1);
            stack[top++] = node->first + (lean > 0.0 ? 1 : 0);
        }
        for (int h = 0; h < 3 * node->count; ++h) {
            int halfEdge = 3 * mesh->order[node->first + h / 3] + h % 3;
            double height = cnDot(direction, ToFrame(mesh, cnTrimesh_GetCorner(mesh, halfEdge)));
            best = cnMax(best, height + 3.0 * (double)SLACK);
        }
    }
    return cnDot(direction, mesh->middle) + mesh->extent * best;
}
