// A binary tree of f32 boxes over numbered items that come, go and move.
//
// ## Shape
// Every inner node has two children and the smallest box around them; leaves hold one item each. A node is 32
// bytes, half a cache line: what a query reads. Parents and heights, which only changes read, stand in arrays
// of their own.
//
//        lower.x  lower.y  lower.z  child1 (~item in a leaf)
//        upper.x  upper.y  upper.z  child2 (−1 in a leaf)
//
// The cost of a query is about the sum of the surface areas of the inner nodes (Goldsmith and Salmon 1987,
// "Automatic creation of object hierarchies for ray tracing"), so all that changes the tree keeps that sum
// low.
//
// ## Two ways to follow moving items
// Few changes: a leaf is taken out and put back where the sum of areas grows little. The search starts at the
// nearest ancestor that holds the new box, goes down along the child that grows least and stops at a lower
// bound of the cost; on the way back up children are swapped with grandchildren where that lowers the sum
// (Kensler 2008, "Tree rotations for improving bounding volume hierarchies"), until nothing changes any more.
//
// Many changes: leaves are overwritten in place and their ancestors marked stale. The subtrees without a mark
// are kept whole; the top of the tree over them is built again, from above, by the surface-area heuristic
// over bins (Wald 2007, "On fast construction of SAH-based bounding volume hierarchies"). The work follows
// the number of stale nodes; with all leaves moved it is a full build. Reinsertion costs the same at about a
// fifth of the leaves.
//
// Rejected: the full branch and bound of Bittner, Hapala and Havran 2013 ("Fast insertion-based optimization
// of bounding volume hierarchies"), which took about 1.4 times as long for a sum of areas within 3 %;
// enlarging ancestors only, as nothing would ever make them smaller; a full build per step, as most steps
// touch a twentieth of the leaves.
//
// ## Height
// Traversals have a stack of fixed size. Boxes that lie in each other at equal cost are put below the lower
// child, so even ten thousand equal boxes make a flat tree; should an adversary still reach
// CN_TREE_MAX_HEIGHT, the tree is built again, which halves by count below a depth of 32.
//
// Everything depends only on the sequence of calls, though what is built again is built by several threads.
// Coordinates are within ±CN_TREE_MAX_COORDINATE, so areas stay finite in f32.
#pragma once

#include "base/containers/array.h"
#include "base/thread_pool.h"

#include <stdbool.h>
#include <stdint.h>

#define CN_TREE_MAX_HEIGHT 100
#define CN_TREE_STACK (CN_TREE_MAX_HEIGHT + 8)
#define CN_TREE_MAX_COORDINATE 1e9f

typedef struct cnTreeBox {
    float lower[3], upper[3];
} cnTreeBox;

typedef struct cnTreeNode {
    float lower[3];
    int32_t child1; // ~item in a leaf
    float upper[3];
    int32_t child2; // −1 in a leaf
} cnTreeNode;

// Scratch of a build: the subtrees that are kept.
typedef struct cnTreeItem {
    float lower[3];
    int32_t node;
    float upper[3];
    int32_t padding; // items are read four lanes at a time
} cnTreeItem;

typedef struct cnBoundsTree {
    CN_ARRAY(cnTreeNode) nodes;
    CN_ARRAY(int32_t) parents;  // −1 at the root; the next free node in the free list
    CN_ARRAY(uint16_t) heights; // 0 in leaves
    CN_ARRAY(uint8_t) stale;    // inner nodes over overwritten leaves
    CN_ARRAY(cnTreeItem) items;
    CN_ARRAY(int32_t) built; // inner nodes of a build, parents before children
    int root;                // −1 when empty
    int freeNode;
    int leafCount;
} cnBoundsTree;

// A segment prepared for slab tests.
typedef struct cnTreeRay {
    double origin[3], inverse[3];
    double lower[3], upper[3]; // of the whole segment
    bool flat[3];              // no way along this axis worth a division
} cnTreeRay;

typedef bool cnTreeVisitor(int item, void* context);                       // false ends the query
typedef double cnTreeRayVisitor(int item, double fraction, void* context); // the fraction to go on with

static inline bool cnTreeBox_Overlaps(const cnTreeBox* a, const cnTreeBox* b) {
    return (a->lower[0] <= b->upper[0]) & (b->lower[0] <= a->upper[0]) & (a->lower[1] <= b->upper[1]) &
           (b->lower[1] <= a->upper[1]) & (a->lower[2] <= b->upper[2]) & (b->lower[2] <= a->upper[2]);
}

static inline cnTreeBox cnTreeNode_GetBox(const cnTreeNode* node) {
    return (cnTreeBox){{node->lower[0], node->lower[1], node->lower[2]},
                       {node->upper[0], node->upper[1], node->upper[2]}};
}

void cnBoundsTree_Init(cnBoundsTree* tree);
void cnBoundsTree_Free(cnBoundsTree* tree);

// Room for `leafCount` leaves: up to there nothing below needs memory. False when memory ran out.
bool cnBoundsTree_Reserve(cnBoundsTree* tree, int leafCount);

// The new leaf's node, which stays the item's until it is removed. Room was reserved.
int cnBoundsTree_Insert(cnBoundsTree* tree, const cnTreeBox* box, int item);
void cnBoundsTree_Remove(cnBoundsTree* tree, int leaf);

// Many leaves at once, into an empty tree: appended ones are in no query until the tree is built, which takes
// a quarter of the time of inserting them. Room was reserved.
int cnBoundsTree_Append(cnBoundsTree* tree, const cnTreeBox* box, int item);
void cnBoundsTree_BuildAppended(cnBoundsTree* tree);

// Takes the leaf out and inserts it with its new box; the node stays the same.
void cnBoundsTree_Reinsert(cnBoundsTree* tree, int leaf, const cnTreeBox* box);

// Overwrites a leaf and enlarges its ancestors: right for queries at once, not good for long.
void cnBoundsTree_Enlarge(cnBoundsTree* tree, int leaf, const cnTreeBox* box);

// Overwrites a leaf; the tree is not valid until cnBoundsTree_Rebuild.
void cnBoundsTree_Overwrite(cnBoundsTree* tree, int leaf, const cnTreeBox* box);

// Builds the part of the tree above overwritten leaves again, by these threads; null: by the caller. The tree
// is the same for any number of them.
void cnBoundsTree_Rebuild(cnBoundsTree* tree, cnThreadPool* pool);

// Visits items whose boxes overlap. False when the visitor ended the query.
bool cnBoundsTree_Query(const cnBoundsTree* tree, const cnTreeBox* box, cnTreeVisitor* visitor,
                        void* context);

cnTreeRay cnTreeRay_Make(const double origin[3], const double translation[3]);

// Whether origin + t translation for some t in [0, fraction] meets the box; `enter` is a lower bound of the
// first such t. Rounding never loses a hit.
bool cnTreeRay_Meets(const cnTreeRay* ray, const float lower[3], const float upper[3], double fraction,
                     double* enter);

// Visits items whose boxes the segment meets, near ones first. Returns the last fraction, negative when the
// visitor ended the cast by a negative one.
double cnBoundsTree_CastRay(const cnBoundsTree* tree, const cnTreeRay* ray, double fraction,
                            cnTreeRayVisitor* visitor, void* context);

// Links, heights, boxes that are the smallest around their children (or at least hold them, with `loose`),
// counts.
typedef enum cnTreeFit {
    cn_treeTight,
    cn_treeLoose,
} cnTreeFit;
bool cnBoundsTree_Validate(const cnBoundsTree* tree, cnTreeFit fit);
