#include "collide/broad/bounds_tree.h"

#include "base/report/assert.h"
#include "base/simd.h"

#include <float.h>
#include <string.h>

enum {
    binCount = 8,
    deepestBinned = 32,    // below, ranges are halved by count
    fewItems = 8,          // not worth bins: areas grow by 0.9 % at most, a build takes a sixth less time
    taskItems = 512,       // of a subtree that is not divided any more
    largestDivision = 128, // ranges
};

static const float smallestSpread = 1e-20f; // of centres, for bins to make sense

// Boxes
//
// Nodes and items are read four lanes at a time; the fourth lanes hold links, whatever they become in
// arithmetic is ignored and never stored.

typedef struct WideBox {
    cnF4 lower, upper;
} WideBox;

static inline WideBox Unite(WideBox a, WideBox b) {
    return (WideBox){cnMin4(a.lower, b.lower), cnMax4(a.upper, b.upper)};
}

static inline float HalfArea(WideBox box) {
    float extent[4];
    cnStore4(extent, cnSub4(box.upper, box.lower));
    return extent[0] * extent[1] + extent[1] * extent[2] + extent[2] * extent[0];
}

static inline WideBox Widen(const cnTreeBox* box) {
    return (WideBox){
        cnSet4(box->lower[0], box->lower[1], box->lower[2], 0.0f),
        cnSet4(box->upper[0], box->upper[1], box->upper[2], 0.0f),
    };
}

static inline WideBox BoxOf(const cnBoundsTree* tree, int node) {
    const float* numbers = (const float*)&tree->nodes.data[node];
    return (WideBox){cnLoad4(numbers), cnLoad4(numbers + 4)};
}

static inline void SetWideBox(cnTreeNode* node, WideBox box) {
    int32_t child1 = node->child1;
    int32_t child2 = node->child2;
    cnStore4((float*)node, box.lower);
    cnStore4((float*)node + 4, box.upper);
    node->child1 = child1;
    node->child2 = child2;
}

static inline void SetBox(cnTreeNode* node, const cnTreeBox* box) {
    memcpy(node->lower, box->lower, sizeof node->lower);
    memcpy(node->upper, box->upper, sizeof node->upper);
}

static inline bool SameBox(WideBox a, WideBox b) {
    return (cnMoveMask4(cnAnd4(cnEqual4(a.lower, b.lower), cnEqual4(a.upper, b.upper))) & 7) == 7;
}

static inline bool IsAround(WideBox outer, WideBox inner) {
    cnF4 around = cnAnd4(cnLessEqual4(outer.lower, inner.lower), cnLessEqual4(inner.upper, outer.upper));
    return (cnMoveMask4(around) & 7) == 7;
}

static inline float UnitedArea(const cnBoundsTree* tree, int node1, int node2) {
    return HalfArea(Unite(BoxOf(tree, node1), BoxOf(tree, node2)));
}

static inline bool IsLeaf(const cnTreeNode* node) {
    return node->child1 < 0;
}

// Nodes

void cnBoundsTree_Init(cnBoundsTree* tree) {
    *tree = (cnBoundsTree){.root = -1, .freeNode = -1};
}

void cnBoundsTree_Free(cnBoundsTree* tree) {
    cnArray_Free(&tree->nodes);
    cnArray_Free(&tree->parents);
    cnArray_Free(&tree->heights);
    cnArray_Free(&tree->stale);
    cnArray_Free(&tree->items);
    cnArray_Free(&tree->built);
    cnBoundsTree_Init(tree);
}

bool cnBoundsTree_Reserve(cnBoundsTree* tree, int leafCount) {
    if (leafCount > INT32_MAX / 4) {
        return false;
    }
    int nodeCount = 2 * leafCount;
    return cnArray_Reserve(&tree->nodes, nodeCount) && cnArray_Reserve(&tree->parents, nodeCount) &&
           cnArray_Reserve(&tree->heights, nodeCount) && cnArray_Reserve(&tree->stale, nodeCount) &&
           cnArray_Reserve(&tree->items, leafCount) && cnArray_Reserve(&tree->built, leafCount);
}

static int TakeNode(cnBoundsTree* tree) {
    int node = tree->freeNode;
    if (node >= 0) {
        tree->freeNode = tree->parents.data[node];
    } else {
        node = tree->nodes.count++;
        tree->parents.count = tree->heights.count = tree->stale.count = tree->nodes.count;
    }
    tree->stale.data[node] = 0;
    return node;
}

static void ReleaseNode(cnBoundsTree* tree, int node) {
    tree->parents.data[node] = tree->freeNode;
    tree->freeNode = node;
}

static void ReplaceChild(cnBoundsTree* tree, int parent, int oldChild, int newChild) {
    if (parent < 0) {
        tree->root = newChild;
    } else if (tree->nodes.data[parent].child1 == oldChild) {
        tree->nodes.data[parent].child1 = newChild;
    } else {
        tree->nodes.data[parent].child2 = newChild;
    }
    tree->parents.data[newChild] = parent;
}

static void FitHeight(cnBoundsTree* tree, int node) {
    uint16_t height1 = tree->heights.data[tree->nodes.data[node].child1];
    uint16_t height2 = tree->heights.data[tree->nodes.data[node].child2];
    tree->heights.data[node] = (uint16_t)((height1 > height2 ? height1 : height2) + 1);
}

static void FitBox(cnBoundsTree* tree, int node) {
    cnTreeNode* target = &tree->nodes.data[node];
    SetWideBox(target, Unite(BoxOf(tree, target->child1), BoxOf(tree, target->child2)));
}

// Insertion

// Where a new leaf costs little. Beside node N the sum of areas grows by
//
//     area(N ∪ leaf) + Σ over ancestors P of N (area(P ∪ leaf) − area(P)),
//
// and anywhere below N by area(leaf) + the same sum with N itself, at least. The walk goes down along the
// child that grows least (equal growth: the smaller child, then the lower one, which keeps equal boxes
// balanced) and ends where that bound is above the best cost so far. `start` is the root, or a node that
// holds the leaf already, above which nothing grows.
static int FindSibling(const cnBoundsTree* tree, WideBox leafBox, int start) {
    float leafArea = HalfArea(leafBox);
    int current = start;
    float area = HalfArea(BoxOf(tree, current));
    float unitedArea = HalfArea(Unite(BoxOf(tree, current), leafBox));
    float inherited = 0.0f;
    int best = current;
    float bestCost = unitedArea;
    while (!IsLeaf(&tree->nodes.data[current])) {
        inherited += unitedArea - area;
        if (leafArea + inherited > bestCost) {
            break;
        }
        int children[2] = {tree->nodes.data[current].child1, tree->nodes.data[current].child2};
        float areas[2], unitedAreas[2];
        for (int i = 0; i < 2; ++i) {
            WideBox box = BoxOf(tree, children[i]);
            areas[i] = HalfArea(box);
            unitedAreas[i] = HalfArea(Unite(box, leafBox));
            if (unitedAreas[i] + inherited <= bestCost) {
                best = children[i];
                bestCost = unitedAreas[i] + inherited;
            }
        }
        float growth1 = unitedAreas[0] - areas[0];
        float growth2 = unitedAreas[1] - areas[1];
        int near = growth2 < growth1 ? 1 : 0;
        if (growth1 == growth2) {
            bool lower2 = tree->heights.data[children[1]] < tree->heights.data[children[0]];
            near = areas[1] < areas[0] || (areas[1] == areas[0] && lower2) ? 1 : 0;
        }
        current = children[near];
        area = areas[near];
        unitedArea = unitedAreas[near];
    }
    return best;
}

// Swaps a child of `node` with a grandchild below the other child where that makes the other child smaller.
static void Rotate(cnBoundsTree* tree, int node) {
    int children[2] = {tree->nodes.data[node].child1, tree->nodes.data[node].child2};
    float bestGain = 0.0f;
    int bestSide = -1; // the child that changes
    int bestOut = -1;  // its child that leaves it
    for (int side = 0; side < 2; ++side) {
        const cnTreeNode* child = &tree->nodes.data[children[side]];
        if (IsLeaf(child)) {
            continue;
        }
        float area = HalfArea(BoxOf(tree, children[side]));
        int other = children[1 - side];
        int grandchildren[2] = {child->child1, child->child2};
        for (int out = 0; out < 2; ++out) {
            float gain = area - UnitedArea(tree, other, grandchildren[1 - out]);
            if (gain > bestGain) {
                bestGain = gain;
                bestSide = side;
                bestOut = out;
            }
        }
    }
    if (bestSide < 0) {
        return;
    }
    int child = children[bestSide];
    int other = children[1 - bestSide];
    int grandchild = bestOut == 0 ? tree->nodes.data[child].child1 : tree->nodes.data[child].child2;
    ReplaceChild(tree, node, other, grandchild);
    ReplaceChild(tree, child, grandchild, other);
    FitBox(tree, child);
    FitHeight(tree, child);
}

static void InsertLeaf(cnBoundsTree* tree, int leaf, int start) {
    if (tree->root < 0) {
        tree->root = leaf;
        tree->parents.data[leaf] = -1;
        return;
    }
    int sibling = FindSibling(tree, BoxOf(tree, leaf), start);

    // a new parent over both
    int parent = TakeNode(tree);
    ReplaceChild(tree, tree->parents.data[sibling], sibling, parent);
    tree->nodes.data[parent].child1 = sibling;
    tree->nodes.data[parent].child2 = leaf;
    tree->parents.data[sibling] = parent;
    tree->parents.data[leaf] = parent;

    // up to where nothing changes any more
    FitBox(tree, parent);
    FitHeight(tree, parent);
    for (int node = tree->parents.data[parent]; node >= 0; node = tree->parents.data[node]) {
        WideBox oldBox = BoxOf(tree, node);
        uint16_t oldHeight = tree->heights.data[node];
        FitBox(tree, node);
        Rotate(tree, node);
        FitHeight(tree, node);
        if (oldHeight == tree->heights.data[node] && SameBox(BoxOf(tree, node), oldBox)) {
            break;
        }
    }
    if (tree->heights.data[tree->root] > CN_TREE_MAX_HEIGHT) {
        memset(tree->stale.data, 1, (size_t)tree->stale.count);
        cnBoundsTree_Rebuild(tree, NULL);
    }
}

// Answers the node above the gap, −1 at the root.
static int RemoveLeaf(cnBoundsTree* tree, int leaf) {
    int parent = tree->parents.data[leaf];
    if (parent < 0) {
        tree->root = -1;
        return -1;
    }
    const cnTreeNode* parentNode = &tree->nodes.data[parent];
    int sibling = parentNode->child1 == leaf ? parentNode->child2 : parentNode->child1;
    int grandparent = tree->parents.data[parent];
    ReplaceChild(tree, grandparent, parent, sibling);
    ReleaseNode(tree, parent);
    for (int node = grandparent; node >= 0; node = tree->parents.data[node]) {
        WideBox oldBox = BoxOf(tree, node);
        uint16_t oldHeight = tree->heights.data[node];
        FitBox(tree, node);
        FitHeight(tree, node);
        if (oldHeight == tree->heights.data[node] && SameBox(BoxOf(tree, node), oldBox)) {
            break;
        }
    }
    return grandparent;
}

int cnBoundsTree_Append(cnBoundsTree* tree, const cnTreeBox* box, int item) {
    int leaf = TakeNode(tree);
    tree->nodes.data[leaf].child1 = ~item;
    tree->nodes.data[leaf].child2 = -1;
    tree->heights.data[leaf] = 0;
    SetBox(&tree->nodes.data[leaf], box);
    tree->leafCount += 1;
    return leaf;
}

int cnBoundsTree_Insert(cnBoundsTree* tree, const cnTreeBox* box, int item) {
    int leaf = cnBoundsTree_Append(tree, box, item);
    InsertLeaf(tree, leaf, tree->root);
    return leaf;
}

void cnBoundsTree_Remove(cnBoundsTree* tree, int leaf) {
    RemoveLeaf(tree, leaf);
    ReleaseNode(tree, leaf);
    tree->leafCount -= 1;
}

void cnBoundsTree_Reinsert(cnBoundsTree* tree, int leaf, const cnTreeBox* box) {
    int start = RemoveLeaf(tree, leaf);
    SetBox(&tree->nodes.data[leaf], box);

    // a leaf that moved a little stays below a node not far up
    WideBox leafBox = Widen(box);
    while (start >= 0 && !IsAround(BoxOf(tree, start), leafBox)) {
        start = tree->parents.data[start];
    }
    InsertLeaf(tree, leaf, start >= 0 ? start : tree->root);
}

void cnBoundsTree_Enlarge(cnBoundsTree* tree, int leaf, const cnTreeBox* box) {
    SetBox(&tree->nodes.data[leaf], box);
    WideBox leafBox = Widen(box);
    for (int node = tree->parents.data[leaf]; node >= 0; node = tree->parents.data[node]) {
        SetWideBox(&tree->nodes.data[node], Unite(BoxOf(tree, node), leafBox));
    }
}

// Build

void cnBoundsTree_Overwrite(cnBoundsTree* tree, int leaf, const cnTreeBox* box) {
    SetBox(&tree->nodes.data[leaf], box);
    for (int node = tree->parents.data[leaf]; node >= 0; node = tree->parents.data[node]) {
        if (tree->stale.data[node]) {
            break; // so are all above
        }
        tree->stale.data[node] = 1;
    }
}

static void AddItem(cnBoundsTree* tree, int node) {
    WideBox box = BoxOf(tree, node);
    cnTreeItem* item = &tree->items.data[tree->items.count++];
    cnStore4((float*)item, box.lower);
    cnStore4((float*)item + 4, box.upper);
    item->node = node;
    item->padding = 0;
}

// The subtrees to keep become items, the stale nodes over them are free to be built with.
static void CollectItems(cnBoundsTree* tree) {
    int32_t stack[CN_TREE_STACK];
    int stackCount = 0;
    tree->items.count = 0;
    tree->built.count = 0;
    stack[stackCount++] = tree->root;
    while (stackCount > 0) {
        int node = stack[--stackCount];
        const cnTreeNode* source = &tree->nodes.data[node];
        if (!IsLeaf(source) && tree->stale.data[node]) {
            tree->stale.data[node] = 0;
            tree->built.data[tree->built.count++] = node;
            stack[stackCount++] = source->child2;
            stack[stackCount++] = source->child1;
        } else {
            AddItem(tree, node);
        }
    }
}

static inline WideBox BoxOfItem(const cnTreeItem* item) {
    const float* numbers = (const float*)item;
    return (WideBox){cnLoad4(numbers), cnLoad4(numbers + 4)};
}

// Slices of equal width along the axis where (doubled) centres spread most.
typedef struct Bins {
    int axis;
    float start, scale;
} Bins;

static inline int BinOf(Bins bins, const cnTreeItem* item) {
    return (int)((item->lower[bins.axis] + item->upper[bins.axis] - bins.start) * bins.scale);
}

// Puts the items whose bin is below `boundary` first and answers where the others begin. Without a branch:
// nobody could predict it. Bins are found again rather than stored: a whole item is read right after.
static int Partition(cnTreeItem* items, int begin, int end, Bins bins, int boundary) {
    int first = begin;
    for (int i = begin; i < end; ++i) {
        bool isFirst = BinOf(bins, &items[i]) < boundary;
        cnTreeItem item = items[i], other = items[first];
        items[i] = other;
        items[first] = item;
        first += isFirst;
    }
    return first;
}

// The boundary between bins where area × count of both sides is least.
static int FindBestBoundary(const WideBox* boxes, const int* counts) {
    float costs[binCount] = {0};
    WideBox left = boxes[0];
    int leftCount = counts[0];
    for (int bin = 1; bin < binCount; ++bin) {
        costs[bin] = (float)leftCount * HalfArea(left);
        left = Unite(left, boxes[bin]);
        leftCount += counts[bin];
    }
    WideBox right = boxes[binCount - 1];
    int rightCount = counts[binCount - 1];
    int best = binCount - 1;
    float bestCost = costs[best] + (float)rightCount * HalfArea(right);
    for (int bin = binCount - 2; bin > 0; --bin) {
        right = Unite(right, boxes[bin]);
        rightCount += counts[bin];
        float cost = costs[bin] + (float)rightCount * HalfArea(right);
        if (cost < bestCost) {
            bestCost = cost;
            best = bin;
        }
    }
    return best;
}

static int Split(cnTreeItem* items, int begin, int end, int depth) {
    int middle = begin + (end - begin) / 2;
    if (end - begin == 2 || depth > deepestBinned) {
        return middle;
    }

    // along the axis where centres (twice them, in fact) spread most
    WideBox first = BoxOfItem(&items[begin]);
    cnF4 lowest = cnAdd4(first.lower, first.upper);
    cnF4 highest = lowest;
    for (int i = begin + 1; i < end; ++i) {
        WideBox box = BoxOfItem(&items[i]);
        cnF4 centre = cnAdd4(box.lower, box.upper);
        lowest = cnMin4(lowest, centre);
        highest = cnMax4(highest, centre);
    }
    float starts[4], spreads[4];
    cnStore4(starts, lowest);
    cnStore4(spreads, cnSub4(highest, lowest));
    int axis = spreads[1] > spreads[0] ? 1 : 0;
    axis = spreads[2] > spreads[axis] ? 2 : axis;
    if (!(spreads[axis] > smallestSpread)) {
        return middle;
    }

    // few items: at the middle of the spread, which parts the outermost ones
    Bins bins = {axis, starts[axis], (float)binCount / spreads[axis]};
    if (end - begin <= fewItems) {
        return Partition(items, begin, end, bins, binCount / 2);
    }

    // bins; the outermost hold an item at least, so the empty (inverted) boxes in between are never met alone
    WideBox boxes[binCount];
    int counts[binCount] = {0};
    for (int bin = 0; bin < binCount; ++bin) {
        boxes[bin] = (WideBox){cnSplat4(FLT_MAX), cnSplat4(-FLT_MAX)};
    }
    for (int i = begin; i < end; ++i) {
        int bin = BinOf(bins, &items[i]);
        bin = bin < binCount ? bin : binCount - 1;
        boxes[bin] = Unite(boxes[bin], BoxOfItem(&items[i]));
        counts[bin] += 1;
    }
    return Partition(items, begin, end, bins, FindBestBoundary(boxes, counts));
}

// Items a subtree is built over. A subtree over n of them has n − 1 inner nodes, which stand side by side in
// the list of built ones, parents before children: so all of them have their places before they are built.
typedef struct Range {
    int begin, end;
    int first; // place of its root in the list
    int parent, side, depth;
    int middle; // where it is split; `begin` while it is not
} Range;

static void Link(cnBoundsTree* tree, const Range* range, int node) {
    tree->parents.data[node] = range->parent;
    if (range->parent < 0) {
        tree->root = node;
    } else if (range->side == 0) {
        tree->nodes.data[range->parent].child1 = node;
    } else {
        tree->nodes.data[range->parent].child2 = node;
    }
}

static void SplitRange(cnBoundsTree* tree, Range* range) {
    Link(tree, range, tree->built.data[range->first]);
    range->middle = Split(tree->items.data, range->begin, range->end, range->depth);
}

static Range GetHalf(const cnBoundsTree* tree, const Range* range, int side) {
    int parent = tree->built.data[range->first], depth = range->depth + 1;
    int begin = side == 0 ? range->begin : range->middle, end = side == 0 ? range->middle : range->end;
    int first = side == 0 ? range->first + 1 : range->first + range->middle - range->begin;
    return (Range){begin, end, first, parent, side, depth, begin};
}

// Children come after their parents in the list.
static void FitBuilt(cnBoundsTree* tree, int begin, int end) {
    for (int i = end - 1; i >= begin; --i) {
        FitBox(tree, tree->built.data[i]);
        FitHeight(tree, tree->built.data[i]);
    }
}

static void BuildRange(cnBoundsTree* tree, Range whole) {
    Range stack[CN_TREE_STACK];
    int stackCount = 0;
    stack[stackCount++] = whole;
    while (stackCount > 0) {
        Range range = stack[--stackCount];
        if (range.end - range.begin == 1) {
            Link(tree, &range, tree->items.data[range.begin].node);
        } else {
            SplitRange(tree, &range);
            stack[stackCount++] = GetHalf(tree, &range, 1);
            stack[stackCount++] = GetHalf(tree, &range, 0);
        }
    }
    FitBuilt(tree, whole.first, whole.first + whole.end - whole.begin - 1);
}

// A build by several threads. In each round the large ranges are split side by side, until none is large or
// there is no room for their halves; then each range is a task that builds its subtree. However it is
// divided, the tree is the same.
typedef struct Division {
    cnBoundsTree* tree;
    int count;
    Range ranges[largestDivision];
} Division;

static bool IsLarge(const Range* range) {
    return range->end - range->begin > taskItems;
}

static void SplitTask(int begin, int end, int thread, void* context) {
    (void)thread;
    Division* division = context;
    for (int i = begin; i < end; ++i) {
        if (IsLarge(&division->ranges[i])) {
            SplitRange(division->tree, &division->ranges[i]);
        }
    }
}

static void BuildTask(int begin, int end, int thread, void* context) {
    (void)thread;
    Division* division = context;
    for (int i = begin; i < end; ++i) {
        BuildRange(division->tree, division->ranges[i]);
    }
}

// Halves in the places of ranges that were split; `tops` takes the places of their nodes in the list.
static void ReplaceByHalves(Division* division, int* tops, int* topCount) {
    Range halves[largestDivision];
    int count = 0;
    for (int i = 0; i < division->count; ++i) {
        const Range* range = &division->ranges[i];
        if (range->middle > range->begin) {
            tops[(*topCount)++] = range->first;
            halves[count++] = GetHalf(division->tree, range, 0);
            halves[count++] = GetHalf(division->tree, range, 1);
        } else {
            halves[count++] = *range;
        }
    }
    memcpy(division->ranges, halves, (size_t)count * sizeof *halves);
    division->count = count;
}

static int CountLarge(const Division* division) {
    int count = 0;
    for (int i = 0; i < division->count; ++i) {
        count += IsLarge(&division->ranges[i]);
    }
    return count;
}

static void Build(cnBoundsTree* tree, cnThreadPool* pool) {
    Division division = {tree, 1, {{0, tree->items.count, 0, -1, 0, 0, 0}}};
    int tops[largestDivision], topCount = 0; // one less than ranges
    for (int large = CountLarge(&division); large > 0 && division.count + large <= largestDivision;
         large = CountLarge(&division)) {
        cnThreadPool_Run(pool, SplitTask, &division, division.count, 1);
        ReplaceByHalves(&division, tops, &topCount);
    }
    cnThreadPool_Run(pool, BuildTask, &division, division.count, 1);

    // those of later rounds are below those of earlier ones
    for (int i = topCount - 1; i >= 0; --i) {
        FitBuilt(tree, tops[i], tops[i] + 1);
    }
}

void cnBoundsTree_Rebuild(cnBoundsTree* tree, cnThreadPool* pool) {
    if (tree->root < 0) {
        return;
    }
    CollectItems(tree);
    Build(tree, pool);

    // tall subtrees were kept below a new top
    if (tree->heights.data[tree->root] > CN_TREE_MAX_HEIGHT) {
        memset(tree->stale.data, 1, (size_t)tree->stale.count);
        CollectItems(tree);
        Build(tree, pool);
    }
}

void cnBoundsTree_BuildAppended(cnBoundsTree* tree) {
    CN_ASSERT(tree->root < 0 && tree->nodes.count == tree->leafCount);
    tree->items.count = tree->built.count = 0;
    for (int leaf = 0; leaf < tree->leafCount; ++leaf) {
        AddItem(tree, leaf);
        if (leaf > 0) {
            tree->built.data[tree->built.count++] = TakeNode(tree);
        }
    }
    if (tree->leafCount > 0) {
        Build(tree, NULL);
    }
}

// Queries

static inline bool Overlaps(const cnTreeNode* node, WideBox box) {
    cnF4 lower = cnLoad4((const float*)node);
    cnF4 upper = cnLoad4((const float*)node + 4);
    cnF4 meets = cnAnd4(cnLessEqual4(lower, box.upper), cnLessEqual4(box.lower, upper));
    return (cnMoveMask4(meets) & 7) == 7;
}

bool cnBoundsTree_Query(const cnBoundsTree* tree, const cnTreeBox* box, cnTreeVisitor* visitor,
                        void* context) {
    if (tree->root < 0) {
        return true;
    }
    const cnTreeNode* nodes = tree->nodes.data;
    WideBox wide = Widen(box);
    if (!Overlaps(&nodes[tree->root], wide)) {
        return true;
    }
    int32_t stack[CN_TREE_STACK];
    int stackCount = 0;
    int32_t current = tree->root; // overlaps
    for (;;) {
        const cnTreeNode* node = &nodes[current];
        if (IsLeaf(node)) {
            if (!visitor(~node->child1, context)) {
                return false;
            }
        } else {
            bool meets1 = Overlaps(&nodes[node->child1], wide);
            bool meets2 = Overlaps(&nodes[node->child2], wide);
            if (meets1) {
                if (meets2) {
                    stack[stackCount++] = node->child2;
                }
                current = node->child1;
                continue;
            }
            if (meets2) {
                current = node->child2;
                continue;
            }
        }
        if (stackCount == 0) {
            return true;
        }
        current = stack[--stackCount];
    }
}

// Rays

// Components below this have no finite reciprocal to work with; such a segment stays in its own slab.
static const double smallestDivisor = 1e-290;

// The three roundings of a slab test are each within 2⁻⁵³; a factor of 1 ± 2⁻⁵⁰ covers both sides of a
// comparison (Ize 2013, "Robust BVH ray traversal").
static const double widen = 1.0 + 0x1p-50;
static const double narrow = 1.0 - 0x1p-50;

cnTreeRay cnTreeRay_Make(const double origin[3], const double translation[3]) {
    cnTreeRay ray;
    for (int axis = 0; axis < 3; ++axis) {
        double start = origin[axis];
        double way = translation[axis];
        double end = start + way;
        ray.origin[axis] = start;
        ray.flat[axis] = fabs(way) < smallestDivisor;
        ray.inverse[axis] = ray.flat[axis] ? 0.0 : 1.0 / way;
        ray.lower[axis] = start < end ? start : end;
        ray.upper[axis] = start < end ? end : start;
    }
    return ray;
}

bool cnTreeRay_Meets(const cnTreeRay* ray, const float lower[3], const float upper[3], double fraction,
                     double* enter) {
    double nearest = 0.0;
    double farthest = fraction;
    for (int axis = 0; axis < 3; ++axis) {
        double low = (double)lower[axis];
        double high = (double)upper[axis];
        if (ray->flat[axis]) {
            if (ray->upper[axis] < low || ray->lower[axis] > high) {
                return false;
            }
            continue;
        }
        double inverse = ray->inverse[axis];
        double in = ((inverse < 0.0 ? high : low) - ray->origin[axis]) * inverse;
        double out = ((inverse < 0.0 ? low : high) - ray->origin[axis]) * inverse;
        in *= narrow;
        out *= widen;
        nearest = in > nearest ? in : nearest;
        farthest = out < farthest ? out : farthest;
    }
    *enter = nearest;
    return nearest <= farthest;
}

double cnBoundsTree_CastRay(const cnBoundsTree* tree, const cnTreeRay* ray, double fraction,
                            cnTreeRayVisitor* visitor, void* context) {
    typedef struct Entry {
        double enter;
        int32_t node;
    } Entry;
    Entry stack[CN_TREE_STACK];
    int stackCount = 0;
    const cnTreeNode* nodes = tree->nodes.data;
    double enter;
    if (tree->root < 0 ||
        !cnTreeRay_Meets(ray, nodes[tree->root].lower, nodes[tree->root].upper, fraction, &enter)) {
        return fraction;
    }
    stack[stackCount++] = (Entry){enter, tree->root};
    while (stackCount > 0) {
        Entry entry = stack[--stackCount];
        if (entry.enter > fraction) {
            continue;
        }
        const cnTreeNode* node = &nodes[entry.node];
        if (IsLeaf(node)) {
            double answer = visitor(~node->child1, fraction, context);
            if (answer < 0.0) {
                return answer;
            }
            fraction = answer < fraction ? answer : fraction;
            continue;
        }
        Entry child1 = {0.0, node->child1};
        Entry child2 = {0.0, node->child2};
        bool meets1 =
            cnTreeRay_Meets(ray, nodes[child1.node].lower, nodes[child1.node].upper, fraction, &child1.enter);
        bool meets2 =
            cnTreeRay_Meets(ray, nodes[child2.node].lower, nodes[child2.node].upper, fraction, &child2.enter);
        bool near2 = child2.enter < child1.enter;
        if (meets1 && near2) {
            stack[stackCount++] = child1;
        }
        if (meets2) {
            stack[stackCount++] = child2;
        }
        if (meets1 && !near2) {
            stack[stackCount++] = child1;
        }
    }
    return fraction;
}

// Checks

static bool IsNodeValid(const cnBoundsTree* tree, int index, cnTreeFit fit) {
    const cnTreeNode* node = &tree->nodes.data[index];
    if (IsLeaf(node)) {
        return tree->heights.data[index] == 0 && node->child2 == -1;
    }
    int count = tree->nodes.count;
    if (node->child1 >= count || node->child2 < 0 || node->child2 >= count || node->child1 == node->child2 ||
        tree->parents.data[node->child1] != index || tree->parents.data[node->child2] != index ||
        tree->stale.data[index]) {
        return false;
    }
    int height1 = tree->heights.data[node->child1];
    int height2 = tree->heights.data[node->child2];
    if (tree->heights.data[index] != (height1 > height2 ? height1 : height2) + 1) {
        return false;
    }
    WideBox children = Unite(BoxOf(tree, node->child1), BoxOf(tree, node->child2));
    WideBox own = BoxOf(tree, index);
    return fit == cn_treeTight ? SameBox(own, children) : IsAround(own, children);
}

bool cnBoundsTree_Validate(const cnBoundsTree* tree, cnTreeFit fit) {
    if (tree->root < 0) {
        return tree->leafCount == 0;
    }
    if (tree->parents.data[tree->root] != -1 || tree->heights.data[tree->root] > CN_TREE_MAX_HEIGHT) {
        return false;
    }

    // every node that can be reached
    int32_t stack[CN_TREE_STACK];
    int stackCount = 0;
    int leafCount = 0;
    int nodeCount = 0;
    stack[stackCount++] = tree->root;
    while (stackCount > 0) {
        int index = stack[--stackCount];
        const cnTreeNode* node = &tree->nodes.data[index];
        nodeCount += 1;
        if (nodeCount > tree->nodes.count || !IsNodeValid(tree, index, fit)) {
            return false;
        }
        if (IsLeaf(node)) {
            leafCount += 1;
        } else if (stackCount + 2 <= CN_TREE_STACK) {
            stack[stackCount++] = node->child1;
            stack[stackCount++] = node->child2;
        } else {
            return false;
        }
    }

    // the rest is free
    for (int node = tree->freeNode; node >= 0 && nodeCount <= tree->nodes.count;
         node = tree->parents.data[node]) {
        nodeCount += 1;
    }
    return leafCount == tree->leafCount && nodeCount == tree->nodes.count;
}
