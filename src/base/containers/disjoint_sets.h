// Disjoint sets of indices (union-find): parents[i] leads towards the root of i's set, a root
// is its own parent.
#pragma once

#include "base/report/assert.h"

static inline void cnMakeSets(int* parents, int count) {
    for (int index = 0; index < count; ++index) {
        parents[index] = index;
    }
}

// Halves the paths on its way.
static inline int cnFindRoot(int* parents, int index) {
    CN_ASSERT(index >= 0);
    while (parents[index] != index) {
        parents[index] = parents[parents[index]];
        index = parents[index];
    }
    return index;
}

// Unites the sets of two indices under the smaller root, so that a root is the first of its set.
static inline void cnUniteSets(int* parents, int index1, int index2) {
    int root1 = cnFindRoot(parents, index1), root2 = cnFindRoot(parents, index2);
    parents[root1 < root2 ? root2 : root1] = root1 < root2 ? root1 : root2;
}
