// The structure of a factorisation: fronts, what is assembled into them and where everything stands.
#include "base/report/assert.h"
#include "linear/sparse_factor.h"

#include <string.h>

// Cycles, about: what merging fronts trades.
static const double frontCost = 50.0;   // to start one
static const double flopCost = 0.2;     // a multiplication and addition
static const double assemblyCost = 1.0; // a number of a contribution

static int RoundUp(int count) {
    CN_ASSERT(count >= 0);
    return (count + 1) & ~1;
}

static bool SameInts(const int* a, const int* b, int count) {
    return count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static bool IsSoft(const cnBlockTopology* topology, int constraint) {
    return topology->soft != NULL && topology->soft[constraint] != 0;
}

static bool IsSame(const cnSparseFactor* factor, const cnBlockTopology* topology) {
    int count = topology->constraintCount;
    if (!factor->analysed || factor->bodyCount != topology->bodyCount || factor->constraintCount != count ||
        !SameInts(factor->rowStart.data, topology->rowStart, count + 1) ||
        !SameInts(factor->bodyStart.data, topology->bodyStart, count + 1) ||
        !SameInts(factor->bodies.data, topology->bodies, topology->bodyStart[count])) {
        return false;
    }
    for (int c = 0; c < count; ++c) {
        if ((factor->soft.data[c] != 0) != IsSoft(topology, c)) {
            return false;
        }
    }
    return true;
}

static bool Copy(cnSparseFactor* factor, const cnBlockTopology* topology) {
    int count = topology->constraintCount, edgeCount = topology->bodyStart[count];
    int rowCount = topology->rowStart[count];
    if (!cnArray_Resize(&factor->rowStart, count + 1) || !cnArray_Resize(&factor->bodyStart, count + 1) ||
        !cnArray_Resize(&factor->bodies, edgeCount) || !cnArray_Resize(&factor->soft, count) ||
        !cnArray_Resize(&factor->jacobianStart, edgeCount + 1) ||
        !cnArray_Resize(&factor->isFree, rowCount)) {
        return false;
    }
    factor->bodyCount = topology->bodyCount;
    factor->constraintCount = count;
    factor->rowCount = rowCount;
    factor->unknownCount = cn_bodyUnknowns * topology->bodyCount + rowCount;
    memcpy(factor->rowStart.data, topology->rowStart, (size_t)(count + 1) * sizeof(int));
    memcpy(factor->bodyStart.data, topology->bodyStart, (size_t)(count + 1) * sizeof(int));
    if (edgeCount > 0) {
        memcpy(factor->bodies.data, topology->bodies, (size_t)edgeCount * sizeof(int));
        memset(factor->isFree.data, 1, (size_t)rowCount);
    }
    factor->fixedRows = 0;
    int jacobian = 0;
    for (int c = 0; c < count; ++c) {
        int rows = topology->rowStart[c + 1] - topology->rowStart[c];
        int slots = topology->bodyStart[c + 1] - topology->bodyStart[c];
        CN_ASSERT(rows >= 1 && rows <= cn_mostRows && slots >= 1 && slots <= cn_mostConstraintBodies);
        (void)slots;
        factor->soft.data[c] = IsSoft(topology, c);
        for (int k = topology->bodyStart[c]; k < topology->bodyStart[c + 1]; ++k) {
            CN_ASSERT(topology->bodies[k] >= 0 && topology->bodies[k] < topology->bodyCount);
            factor->jacobianStart.data[k] = jacobian;
            jacobian += rows * cn_bodyUnknowns;
        }
    }
    return true;
}

// ---- fronts -----------------------------------------------------------------------------------------------

// Arrays over nodes, all in one.
typedef struct Work {
    int *pivots, *top, *firstChild, *next, *parent, *count, *local, *sequence;
} Work;

static bool GetWork(cnSparseFactor* factor, Work* work) {
    int n = factor->order.nodeCount + 1;
    if (!cnArray_Resize(&factor->nodeWork, 8 * n)) {
        return false;
    }
    int* all = factor->nodeWork.data;
    *work =
        (Work){all, all + n, all + 2 * n, all + 3 * n, all + 4 * n, all + 5 * n, all + 6 * n, all + 7 * n};
    return true;
}

static double CostOf(int pivots, int others) {
    CN_ASSERT(pivots >= 0 && others >= 0);
    return frontCost + flopCost * cnPredictFrontFlops(pivots, pivots + others);
}

// Children go into their parent's front where that is cheaper. Afterwards top[node] is the node that
// names its front.
static void MergeFronts(const cnBlockOrder* order, Work* work) {
    int n = order->nodeCount;
    for (int i = 0; i <= n; ++i) {
        work->firstChild[i] = -1;
    }
    for (int i = 0; i < n; ++i) {
        int node = order->nodes.data[i], parent = order->parent.data[node];
        work->top[node] = node;
        if (order->leaf.data[node]) {
            continue;
        }
        int pivots = order->weight.data[node], others = order->boundary.data[node];
        for (int child = work->firstChild[node]; child >= 0; child = work->next[child]) {
            int childPivots = work->pivots[child], boundary = order->boundary.data[child];
            double apart = CostOf(childPivots, boundary) + CostOf(pivots, others) +
                           assemblyCost * 0.5 * boundary * boundary;
            if (CostOf(pivots + childPivots, others) <= apart) {
                pivots += childPivots;
                work->top[child] = node;
            }
        }
        work->pivots[node] = pivots;
        if (parent >= 0) {
            work->next[node] = work->firstChild[parent];
            work->firstChild[parent] = node;
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        int node = order->nodes.data[i];
        work->top[node] = work->top[work->top[node]];
    }
}

// Numbers the fronts, children before parents. `count` of a top node becomes its front's number.
static bool NumberFronts(cnSparseFactor* factor, Work* work) {
    const cnBlockOrder* order = &factor->order;
    int n = order->nodeCount, root = n;
    for (int i = 0; i <= n; ++i) {
        work->firstChild[i] = -1;
    }
    int frontCount = 0;
    for (int i = n - 1; i >= 0; --i) {
        int node = order->nodes.data[i];
        if (!order->leaf.data[node] && work->top[node] == node) {
            int parent = order->parent.data[node] < 0 ? root : work->top[order->parent.data[node]];
            work->parent[node] = parent;
            work->next[node] = work->firstChild[parent];
            work->firstChild[parent] = node;
            ++frontCount;
        }
    }
    factor->frontCount = frontCount;
    if (!cnArray_Resize(&factor->fronts, frontCount + 1)) {
        return false;
    }

    int node = root;
    for (int number = 0; number < frontCount; ++number) {
        // down to the first leaf, or on to a sibling, or up
        if (node != root && work->next[node] < 0) {
            node = work->parent[node];
        } else {
            node = node == root ? work->firstChild[root] : work->next[node];
            while (work->firstChild[node] >= 0) {
                node = work->firstChild[node];
            }
        }
        factor->fronts.data[number] = (cnFront){.parent = -1,
                                                .firstChild = -1,
                                                .next = -1,
                                                .pivots = work->pivots[node],
                                                .others = order->boundary.data[node]};
        work->count[node] = number;
    }
    // links between fronts; from behind, so that children stand in order
    for (int i = n - 1; i >= 0; --i) {
        int top = order->nodes.data[i];
        if (!order->leaf.data[top] && work->top[top] == top && work->parent[top] != root) {
            int number = work->count[top], parent = work->count[work->parent[top]];
            cnFront* front = &factor->fronts.data[number];
            front->parent = parent;
            front->next = factor->fronts.data[parent].firstChild;
            factor->fronts.data[parent].firstChild = number;
        }
    }
    for (int i = 0; i < n; ++i) {
        int of = order->leaf.data[i] ? order->parent.data[i] : i;
        factor->frontOf.data[i] = of < 0 ? -1 : work->count[work->top[of]];
    }
    return true;
}

// Lists pivots and leaves of each front and gives every unknown its position. The last front is for
// leaves without any.
static bool PlaceUnknowns(cnSparseFactor* factor, Work* work) {
    const cnBlockOrder* order = &factor->order;
    int n = order->nodeCount, frontCount = factor->frontCount, leafCount = 0, bodyLeaves = 0;
    cnFront* fronts = factor->fronts.data;
    fronts[frontCount] = (cnFront){.parent = -1, .firstChild = -1, .next = -1};
    for (int i = 0; i < n; ++i) {
        int of = factor->frontOf.data[i] < 0 ? frontCount : factor->frontOf.data[i];
        leafCount += order->leaf.data[i];
        bodyLeaves += order->leaf.data[i] && i < factor->bodyCount;
        ++*(order->leaf.data[i] ? &fronts[of].leafEnd : &fronts[of].nodeEnd);
    }
    factor->leafCount = leafCount;
    factor->bodiesFirst = bodyLeaves == factor->bodyCount && leafCount == bodyLeaves;
    if (!cnArray_Resize(&factor->leaves, leafCount) || !cnArray_Resize(&factor->frontNodes, n - leafCount)) {
        return false;
    }
    int nodes = 0, leaves = 0;
    for (int f = 0; f <= frontCount; ++f) {
        int nodeCount = fronts[f].nodeEnd, count = fronts[f].leafEnd;
        fronts[f].nodeStart = fronts[f].nodeEnd = nodes;
        fronts[f].leafStart = fronts[f].leafEnd = leaves;
        nodes += nodeCount;
        leaves += count;
    }
    CN_ASSERT(nodes == n - leafCount && leaves == leafCount);
    for (int i = 0; i < n; ++i) {
        int node = order->nodes.data[i];
        cnFront* front = &fronts[factor->frontOf.data[node] < 0 ? frontCount : factor->frontOf.data[node]];
        if (order->leaf.data[node]) {
            factor->leaves.data[front->leafEnd++].node = node;
        } else {
            factor->frontNodes.data[front->nodeEnd++] = node;
        }
    }

    int position = 0, inSequence = 0;
    for (int f = 0; f <= frontCount; ++f) {
        int leafs = fronts[f].leafEnd - fronts[f].leafStart, count = fronts[f].nodeEnd - fronts[f].nodeStart;
        for (int k = 0; k < leafs + count; ++k) {
            int node = k < leafs ? factor->leaves.data[fronts[f].leafStart + k].node
                                 : factor->frontNodes.data[fronts[f].nodeStart + k - leafs];
            if (k < leafs) {
                factor->leaves.data[fronts[f].leafStart + k].position = position;
            } else if (k == leafs) {
                fronts[f].position = position;
            }
            work->sequence[inSequence++] = node;
            factor->positionOf.data[node] = position;
            int c = node - factor->bodyCount;
            int unknown = c < 0 ? cn_bodyUnknowns * node
                                : cn_bodyUnknowns * factor->bodyCount + factor->rowStart.data[c];
            for (int u = 0; u < order->weight.data[node]; ++u) {
                factor->unknownAt.data[position++] = unknown + u;
            }
        }
    }
    CN_ASSERT(position == factor->unknownCount && inSequence == n);
    return true;
}

// Lists the other nodes of each front in the order of their positions, by going through the nodes in that
// order. Gives the start of each front's list in `work->parent`; the lists are in order->list.
static bool ListOthers(cnSparseFactor* factor, Work* work) {
    cnBlockOrder* order = &factor->order;
    int n = order->nodeCount, total = 0;
    int *begin = work->firstChild, *frontBegin = work->parent;
    memset(begin, 0, (size_t)(n + 1) * sizeof *begin);
    for (int f = 0; f < factor->frontCount; ++f) {
        int top = factor->frontNodes.data[factor->fronts.data[f].nodeEnd - 1];
        frontBegin[f] = total;
        total += order->structEnd.data[top] - order->structStart.data[top];
        for (int k = order->structStart.data[top]; k < order->structEnd.data[top]; ++k) {
            ++begin[order->structure.data[k] + 1];
        }
    }
    frontBegin[factor->frontCount] = total;
    if (!cnArray_Resize(&order->list, 2 * total)) {
        return false;
    }
    int* frontsOf = order->list.data + total;
    for (int i = 0; i < n; ++i) {
        begin[i + 1] += begin[i];
        work->next[i] = begin[i];
    }
    for (int f = 0; f < factor->frontCount; ++f) {
        int top = factor->frontNodes.data[factor->fronts.data[f].nodeEnd - 1];
        for (int k = order->structStart.data[top]; k < order->structEnd.data[top]; ++k) {
            frontsOf[work->next[order->structure.data[k]]++] = f;
        }
    }
    for (int f = 0; f < factor->frontCount; ++f) {
        work->next[f] = frontBegin[f];
    }
    for (int i = 0; i < n; ++i) {
        int node = work->sequence[i];
        for (int k = begin[node]; k < begin[node + 1]; ++k) {
            order->list.data[work->next[frontsOf[k]]++] = node;
        }
    }
    return true;
}

// ---- what is assembled ------------------------------------------------------------------------------------

// The edges of a node to those that go after it.
static bool AddCouplings(cnSparseFactor* factor, const Work* work, int node) {
    const cnBlockOrder* order = &factor->order;
    CN_ASSERT(node >= 0 && node < order->nodeCount);
    int bodyCount = factor->bodyCount, c = node - bodyCount;
    int begin = c < 0 ? order->edgeStart.data[node] : factor->bodyStart.data[c];
    int end = c < 0 ? order->edgeStart.data[node + 1] : factor->bodyStart.data[c + 1];
    for (int k = begin; k < end; ++k) {
        int edge = c < 0 ? order->edges.data[k] : k;
        int constraint = order->edgeConstraint.data[edge], body = factor->bodies.data[edge];
        int other = c < 0 ? bodyCount + constraint : body;
        if (order->place.data[other] > order->place.data[node]) {
            CN_ASSERT(work->local[other] >= 0);
            int row = factor->rowStart.data[constraint];
            cnCoupling coupling = {.jacobian = factor->jacobianStart.data[edge],
                                   .row = row,
                                   .rows = factor->rowStart.data[constraint + 1] - row,
                                   .localRow = work->local[bodyCount + constraint],
                                   .localBody = work->local[body],
                                   .rowPosition = factor->positionOf.data[bodyCount + constraint],
                                   .bodyPosition = factor->positionOf.data[body]};
            if (!cnArray_Push(&factor->couplings, coupling)) {
                return false;
            }
        }
    }
    return true;
}

// A leaf's in the order of the front's local indices.
static void SortCouplings(cnCoupling* couplings, int count, bool byRow) {
    CN_ASSERT(count >= 0);
    for (int i = 1; i < count; ++i) {
        cnCoupling moved = couplings[i];
        int k = i;
        for (; k > 0 && (byRow ? couplings[k - 1].localRow > moved.localRow
                               : couplings[k - 1].localBody > moved.localBody);
             --k) {
            couplings[k] = couplings[k - 1];
        }
        couplings[k] = moved;
    }
}

static bool AddLeafRows(cnSparseFactor* factor, cnLeaf* leaf) {
    CN_ASSERT(leaf->couplingStart <= leaf->couplingEnd);
    leaf->rowStart = factor->leafRows.count;
    for (int k = leaf->couplingStart; k < leaf->couplingEnd && leaf->node < factor->bodyCount; ++k) {
        const cnCoupling* coupling = &factor->couplings.data[k];
        for (int i = 0; i < coupling->rows; ++i) {
            cnLeafRow row = {coupling->jacobian + cn_bodyUnknowns * i, coupling->row + i,
                             coupling->localRow + i, coupling->rowPosition + i};
            if (!cnArray_Push(&factor->leafRows, row)) {
                return false;
            }
        }
    }
    leaf->rowEnd = factor->leafRows.count;
    return true;
}

// Where the numbers of a child's contribution go.
static bool AddRuns(cnSparseFactor* factor, const Work* work, cnFront* child, const int* nodes, int count) {
    CN_ASSERT(count >= 0);
    child->runStart = factor->runs.count / 2;
    int end = -1;
    for (int k = 0; k < count; ++k) {
        int local = work->local[nodes[k]], weight = factor->order.weight.data[nodes[k]];
        if (local == end) {
            factor->runs.data[factor->runs.count - 1] += weight;
        } else if (!cnArray_Push(&factor->runs, local) || !cnArray_Push(&factor->runs, weight)) {
            return false;
        }
        end = local + weight;
    }
    child->runEnd = factor->runs.count / 2;
    return true;
}

static bool DescribeFront(cnSparseFactor* factor, const Work* work, cnFront* front) {
    const cnBlockOrder* order = &factor->order;
    const int number = (int)(front - factor->fronts.data);
    const int *frontBegin = work->parent, *others = order->list.data + frontBegin[number];
    const int otherCount = frontBegin[number + 1] - frontBegin[number];
    CN_ASSERT(number >= 0 && number < factor->frontCount);
    CN_ASSERT(otherCount >= 0 && front->pivots > 0);
    CN_ASSERT(front->nodeStart < front->nodeEnd && front->leafStart <= front->leafEnd);

    front->otherBegin = RoundUp(front->pivots);
    front->stride = front->otherBegin + RoundUp(front->others);
    front->flops = cnPredictFrontFlops(front->pivots, front->pivots + front->others);
    front->values = factor->valueCount;
    factor->valueCount += (size_t)front->stride * (size_t)front->pivots +
                          (size_t)(front->stride - front->otherBegin) * (size_t)front->others;
    factor->maxPivots = front->pivots > factor->maxPivots ? front->pivots : factor->maxPivots;
    factor->maxStride = front->stride > factor->maxStride ? front->stride : factor->maxStride;

    // local indices
    int local = 0;
    for (int k = front->nodeStart; k < front->nodeEnd; ++k) {
        work->local[factor->frontNodes.data[k]] = local;
        local += order->weight.data[factor->frontNodes.data[k]];
    }
    CN_ASSERT(local == front->pivots);
    local = front->otherBegin;
    front->rowStart = factor->frontRows.count;
    for (int k = 0; k < otherCount; ++k) {
        work->local[others[k]] = local;
        for (int u = 0; u < order->weight.data[others[k]]; ++u) {
            if (!cnArray_Push(&factor->frontRows, factor->positionOf.data[others[k]] + u)) {
                return false;
            }
        }
        local += order->weight.data[others[k]];
    }
    CN_ASSERT(local == front->otherBegin + front->others);
    CN_ASSERT(factor->frontRows.count - front->rowStart == front->others);

    // edges of pivots, leaves, contributions of children
    front->couplingStart = factor->couplings.count;
    for (int k = front->nodeStart; k < front->nodeEnd; ++k) {
        if (!AddCouplings(factor, work, factor->frontNodes.data[k])) {
            return false;
        }
    }
    front->couplingEnd = factor->couplings.count;
    for (int k = front->leafStart; k < front->leafEnd; ++k) {
        cnLeaf* leaf = &factor->leaves.data[k];
        leaf->couplingStart = factor->couplings.count;
        if (!AddCouplings(factor, work, leaf->node)) {
            return false;
        }
        leaf->couplingEnd = factor->couplings.count;
        SortCouplings(factor->couplings.data + leaf->couplingStart, leaf->couplingEnd - leaf->couplingStart,
                      leaf->node < factor->bodyCount);
        if (!AddLeafRows(factor, leaf)) {
            return false;
        }
        int boundary = order->boundary.data[leaf->node];
        factor->maxLeafRows = boundary > factor->maxLeafRows ? boundary : factor->maxLeafRows;
        factor->statistics.predictedFlops +=
            order->weight.data[leaf->node] * (double)boundary * (boundary + 1);
        factor->statistics.nonZeros += order->weight.data[leaf->node] * (double)boundary;
    }
    for (int child = front->firstChild; child >= 0; child = factor->fronts.data[child].next) {
        if (!AddRuns(factor, work, &factor->fronts.data[child], order->list.data + frontBegin[child],
                     frontBegin[child + 1] - frontBegin[child])) {
            return false;
        }
    }
    factor->statistics.predictedFlops += front->flops;
    factor->statistics.nonZeros +=
        (double)front->pivots * front->others + 0.5 * front->pivots * (front->pivots + 1.0);
    return true;
}

static bool DescribeFronts(cnSparseFactor* factor, const Work* work) {
    bool ok = true;
    CN_PIN(&factor->fronts, "the front that is described");
    CN_PIN(&factor->leaves, "the front that is described");
    CN_PIN(&factor->nodeWork, "arrays over nodes");
    CN_PIN(&factor->order.list, "other nodes of fronts");
    for (int f = 0; f < factor->frontCount && ok; ++f) {
        ok = DescribeFront(factor, work, &factor->fronts.data[f]);
    }
    CN_UNPIN(&factor->fronts);
    CN_UNPIN(&factor->leaves);
    CN_UNPIN(&factor->nodeWork);
    CN_UNPIN(&factor->order.list);
    return ok;
}

static bool MakeStructure(cnSparseFactor* factor) {
    int n = factor->order.nodeCount, unknowns = factor->unknownCount;
    Work work;
    if (!GetWork(factor, &work) || !cnArray_Resize(&factor->frontOf, n) ||
        !cnArray_Resize(&factor->positionOf, n) || !cnArray_Resize(&factor->unknownAt, unknowns)) {
        return false;
    }
    MergeFronts(&factor->order, &work);
    if (!NumberFronts(factor, &work) || !PlaceUnknowns(factor, &work) || !ListOthers(factor, &work)) {
        return false;
    }
    factor->couplings.count = factor->leafRows.count = factor->frontRows.count = factor->runs.count = 0;
    factor->valueCount = 0;
    factor->maxPivots = factor->maxStride = factor->maxLeafRows = 0;
    factor->statistics =
        (cnFactorStatistics){.rows = factor->rowCount, .unknowns = unknowns, .fronts = factor->frontCount};
    if (!DescribeFronts(factor, &work)) {
        return false;
    }
    // leaves without a front have no neighbours
    cnFront* rest = &factor->fronts.data[factor->frontCount];
    for (int k = rest->leafStart; k < rest->leafEnd; ++k) {
        cnLeaf* leaf = &factor->leaves.data[k];
        leaf->couplingStart = leaf->couplingEnd = leaf->rowStart = leaf->rowEnd = 0;
    }
    return true;
}

static bool MakeNumbers(cnSparseFactor* factor) {
    CN_ASSERT(factor->maxPivots >= 0 && factor->maxStride >= 0 && factor->maxLeafRows >= 0);
    if (factor->valueCount > factor->numberCapacity) {
        cnFree(factor->numbers, factor->numberCapacity * sizeof(double));
        factor->numberCapacity = 0;
        factor->numbers = (double*)cnAllocate(factor->valueCount * sizeof(double));
        if (factor->numbers == NULL) {
            return false;
        }
        factor->numberCapacity = factor->valueCount;
    }
    // scratch: multipliers of a tile of four columns, each twice, and a column that nobody reads; or a
    // leaf's B and B D⁻¹
    int tile = 8 * factor->maxPivots + factor->maxStride, leaf = 2 * cn_mostRows * factor->maxLeafRows;
    int n = factor->unknownCount;
    return cnArray_Resize(&factor->isDirty, factor->frontCount) &&
           cnArray_Resize(&factor->massInverse, cn_massNumbers * factor->bodyCount) &&
           cnArray_Resize(&factor->pivots, n) && cnArray_Resize(&factor->pivotInverse, n) &&
           cnArray_Resize(&factor->work, n + 1) && cnArray_Resize(&factor->gathered, factor->maxStride + 2) &&
           cnArray_Resize(&factor->scratch, tile > leaf ? tile : leaf) &&
           cnArray_Resize(&factor->scratchLocal, factor->maxLeafRows) &&
           cnArray_Resize(&factor->residual, n) && cnArray_Resize(&factor->scale, n) &&
           cnArray_Resize(&factor->correction, n);
}

cnOrderResult cnSparseFactor_SetTopology(cnSparseFactor* factor, const cnBlockTopology* topology,
                                         double flopLimit) {
    CN_ASSERT(topology->bodyCount >= 0 && topology->constraintCount >= 0);
    if (IsSame(factor, topology)) {
        return flopLimit > 0.0 && factor->order.flops > flopLimit ? cn_orderTooDear : cn_orderFound;
    }
    factor->analysed = false;
    if (!Copy(factor, topology)) {
        return cn_orderNoMemory;
    }
    cnOrderResult result = cnBlockOrder_Find(&factor->order, topology, flopLimit);
    if (result != cn_orderFound) {
        return result;
    }
    if (!MakeStructure(factor) || !MakeNumbers(factor)) {
        return cn_orderNoMemory;
    }
    factor->analysed = true;
    return cn_orderFound;
}

void cnSparseFactor_Free(cnSparseFactor* factor) {
    cnBlockOrder_Free(&factor->order);
    cnFree(factor->numbers, factor->numberCapacity * sizeof(double));
    cnArray_Free(&factor->rowStart);
    cnArray_Free(&factor->bodyStart);
    cnArray_Free(&factor->bodies);
    cnArray_Free(&factor->soft);
    cnArray_Free(&factor->jacobianStart);
    cnArray_Free(&factor->fronts);
    cnArray_Free(&factor->leaves);
    cnArray_Free(&factor->couplings);
    cnArray_Free(&factor->leafRows);
    cnArray_Free(&factor->frontNodes);
    cnArray_Free(&factor->frontRows);
    cnArray_Free(&factor->runs);
    cnArray_Free(&factor->unknownAt);
    cnArray_Free(&factor->positionOf);
    cnArray_Free(&factor->frontOf);
    cnArray_Free(&factor->isFree);
    cnArray_Free(&factor->isDirty);
    cnArray_Free(&factor->massInverse);
    cnArray_Free(&factor->pivots);
    cnArray_Free(&factor->pivotInverse);
    cnArray_Free(&factor->work);
    cnArray_Free(&factor->gathered);
    cnArray_Free(&factor->scratch);
    cnArray_Free(&factor->scratchLocal);
    cnArray_Free(&factor->residual);
    cnArray_Free(&factor->scale);
    cnArray_Free(&factor->correction);
    cnArray_Free(&factor->nodeWork);
    *factor = (cnSparseFactor){0};
}
