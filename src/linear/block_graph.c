#include "linear/block_graph.h"

#include "base/report/assert.h"

#include <string.h>

enum {
    exactBuckets = 512, // degrees below have a bucket each, above 16 an octave
    bucketsInOctave = 16,
    bucketCount = exactBuckets + 24 * bucketsInOctave,
    longList = 96, // nodes with longer lists are not looked at again until they go
};

// What a node is while the search runs.
enum {
    waiting = 0, // may not go yet
    queued,
    element, // eliminated
    swallowed,
};

double cnPredictFrontFlops(int pivots, int size) {
    CN_ASSERT(pivots >= 0 && size >= pivots);
    // Σ (size − k)² over k = 0 … pivots − 1
    double p = pivots, n = size;
    return p * n * n - n * p * (p - 1.0) + (p - 1.0) * p * (2.0 * p - 1.0) / 6.0;
}

static int BucketOf(int degree) {
    CN_ASSERT(degree >= 0);
    if (degree < exactBuckets) {
        return degree;
    }
    int octave = 0;
    while (degree >> octave >= 2 * exactBuckets) {
        ++octave;
    }
    int within = ((degree >> octave) - exactBuckets) * bucketsInOctave / exactBuckets;
    int bucket = exactBuckets + octave * bucketsInOctave + within;
    return bucket < bucketCount ? bucket : bucketCount - 1;
}

static void Unqueue(cnBlockOrder* order, int node) {
    CN_ASSERT(order->state.data[node] == queued);
    int before = order->previous.data[node], after = order->next.data[node];
    int bucket = BucketOf(order->degree.data[node]);
    *(before < 0 ? &order->first.data[bucket] : &order->next.data[before]) = after;
    *(after < 0 ? &order->last.data[bucket] : &order->previous.data[after]) = before;
    order->state.data[node] = waiting;
}

static void Queue(cnBlockOrder* order, int node, int* min) {
    CN_ASSERT(order->state.data[node] == waiting);
    int bucket = BucketOf(order->degree.data[node]);
    int before = order->last.data[bucket];
    order->previous.data[node] = before;
    order->next.data[node] = -1;
    *(before < 0 ? &order->first.data[bucket] : &order->next.data[before]) = node;
    order->last.data[bucket] = node;
    order->state.data[node] = queued;
    *min = bucket < *min ? bucket : *min;
}

static bool MakeRoom(cnBlockOrder* order, const cnBlockTopology* topology, int edgeCount) {
    CN_ASSERT(edgeCount >= 0);
    int n = order->nodeCount;
    return cnArray_Resize(&order->weight, n) && cnArray_Resize(&order->nodes, n) &&
           cnArray_Resize(&order->place, n) && cnArray_Resize(&order->parent, n) &&
           cnArray_Resize(&order->structStart, n) && cnArray_Resize(&order->structEnd, n) &&
           cnArray_Resize(&order->leaf, n) && cnArray_Resize(&order->edgeStart, topology->bodyCount + 1) &&
           cnArray_Resize(&order->edges, edgeCount) && cnArray_Resize(&order->edgeConstraint, edgeCount) &&
           cnArray_Resize(&order->list, 2 * edgeCount) && cnArray_Resize(&order->listStart, n) &&
           cnArray_Resize(&order->listLength, n) && cnArray_Resize(&order->elementCount, n) &&
           cnArray_Resize(&order->degree, n) && cnArray_Resize(&order->lost, n) &&
           cnArray_Resize(&order->bodiesBeside, n) && cnArray_Resize(&order->next, n) &&
           cnArray_Resize(&order->previous, n) && cnArray_Resize(&order->first, bucketCount) &&
           cnArray_Resize(&order->last, bucketCount) && cnArray_Resize(&order->mark, n) &&
           cnArray_Resize(&order->boundary, n) && cnArray_Resize(&order->outside, n) &&
           cnArray_Resize(&order->outsideMark, n) && cnArray_Resize(&order->lateHead, n) &&
           cnArray_Resize(&order->state, n);
}

// Lists and degrees of the graph as it is before anything is eliminated.
static void Start(cnBlockOrder* order, const cnBlockTopology* topology) {
    int bodyCount = topology->bodyCount, n = order->nodeCount;
    int edgeCount = topology->bodyStart[topology->constraintCount];
    CN_ASSERT(edgeCount >= topology->constraintCount);

    // edges of the bodies
    int* edgeStart = order->edgeStart.data;
    memset(edgeStart, 0, (size_t)(bodyCount + 1) * sizeof *edgeStart);
    for (int i = 0; i < edgeCount; ++i) {
        CN_ASSERT(topology->bodies[i] >= 0 && topology->bodies[i] < bodyCount);
        ++edgeStart[topology->bodies[i] + 1];
    }
    for (int i = 0; i < bodyCount; ++i) {
        edgeStart[i + 1] += edgeStart[i];
        order->listLength.data[i] = 0;
    }
    for (int c = 0; c < topology->constraintCount; ++c) {
        for (int i = topology->bodyStart[c]; i < topology->bodyStart[c + 1]; ++i) {
            int body = topology->bodies[i];
            order->edges.data[edgeStart[body] + order->listLength.data[body]++] = i;
            order->edgeConstraint.data[i] = c;
        }
    }

    // lists: a body's constraints, a constraint's bodies
    for (int i = 0; i < n; ++i) {
        int c = i - bodyCount, degree = 0;
        if (c < 0) {
            order->weight.data[i] = cn_bodyUnknowns;
            order->listStart.data[i] = edgeStart[i];
            for (int k = edgeStart[i]; k < edgeStart[i + 1]; ++k) {
                int constraint = order->edgeConstraint.data[order->edges.data[k]];
                order->list.data[k] = bodyCount + constraint;
                degree += topology->rowStart[constraint + 1] - topology->rowStart[constraint];
            }
        } else {
            int begin = topology->bodyStart[c], length = topology->bodyStart[c + 1] - begin;
            order->weight.data[i] = topology->rowStart[c + 1] - topology->rowStart[c];
            order->listStart.data[i] = edgeCount + begin;
            order->listLength.data[i] = length;
            memcpy(order->list.data + edgeCount + begin, topology->bodies + begin,
                   (size_t)length * sizeof(int));
            degree = length * cn_bodyUnknowns;
        }
        order->degree.data[i] = degree;
        order->lost.data[i] = 0;
        order->elementCount.data[i] = 0;
        order->parent.data[i] = -1;
        order->mark.data[i] = order->outsideMark.data[i] = -1;
        order->lateHead.data[i] = -1;
        order->state.data[i] = waiting;
    }
    order->structure.count = 0;
    order->lateNext.count = order->lateElement.count = 0;
    order->flops = 0.0;
}

// Adds the members of an element's list that are not marked yet to the new element's; the old
// one is swallowed.
static bool Swallow(cnBlockOrder* order, int old, int pivot, int* boundary) {
    CN_ASSERT(order->state.data[pivot] < element);
    int* mark = order->mark.data;
    if (order->state.data[old] != element) {
        return true;
    }
    order->state.data[old] = swallowed;
    order->parent.data[old] = pivot;
    for (int k = order->structStart.data[old]; k < order->structEnd.data[old]; ++k) {
        int node = order->structure.data[k];
        if (mark[node] != pivot) {
            mark[node] = pivot;
            *boundary += order->weight.data[node];
            if (!cnArray_Push(&order->structure, node)) {
                return false;
            }
        }
    }
    return true;
}

// Turns a node into an element: the list of its neighbours that are left. Gives their unknowns; −1
// when memory ran out.
static int Eliminate(cnBlockOrder* order, int pivot) {
    CN_ASSERT(order->state.data[pivot] == waiting);
    int boundary = 0;
    const int start = order->listStart.data[pivot];
    order->structStart.data[pivot] = order->structure.count;
    order->mark.data[pivot] = pivot;
    order->leaf.data[pivot] = order->elementCount.data[pivot] == 0 && order->lateHead.data[pivot] < 0;
    for (int k = 0; k < order->listLength.data[pivot]; ++k) {
        int node = order->list.data[start + k];
        if (order->state.data[node] >= element) {
            if (!Swallow(order, node, pivot, &boundary)) {
                return -1;
            }
        } else if (order->mark.data[node] != pivot) {
            order->mark.data[node] = pivot;
            boundary += order->weight.data[node];
            if (!cnArray_Push(&order->structure, node)) {
                return -1;
            }
        }
    }
    for (int late = order->lateHead.data[pivot]; late >= 0; late = order->lateNext.data[late]) {
        if (!Swallow(order, order->lateElement.data[late], pivot, &boundary)) {
            return -1;
        }
    }
    order->structEnd.data[pivot] = order->structure.count;
    order->state.data[pivot] = element;
    return boundary;
}

// A neighbour of the pivot drops what the new element covers and gets a new degree.
static void Update(cnBlockOrder* order, int node, int pivot, int boundary, int left) {
    CN_ASSERT(order->state.data[pivot] == element && order->state.data[node] == waiting);
    CN_ASSERT(boundary >= order->weight.data[node] && left >= 0);
    CN_ASSERT(order->listLength.data[node] > 0);
    int* list = order->list.data + order->listStart.data[node];
    int elements = 0, kept = 0, degree = boundary - order->weight.data[node];
    for (int k = 0; k < order->listLength.data[node]; ++k) {
        int other = list[k];
        if (order->state.data[other] == element) {
            if (other != pivot) {
                list[kept++] = other;
                ++elements;
                degree += order->outside.data[other];
            }
        } else if (order->state.data[other] < element && order->mark.data[other] != pivot) {
            list[kept++] = other;
            degree += order->weight.data[other];
        }
    }
    // the pivot comes behind the other elements; there is room, as it or something it swallowed went
    list[kept] = list[elements];
    list[elements] = pivot;
    order->elementCount.data[node] = elements + 1;
    order->listLength.data[node] = kept + 1;

    int old = order->degree.data[node] + boundary - order->weight.data[node];
    degree = degree < old ? degree : old;
    order->degree.data[node] = degree < left ? degree : left;
}

static bool MayGo(const cnBlockOrder* order, const cnBlockTopology* topology, int node) {
    CN_ASSERT(node >= 0 && node < order->nodeCount);
    int c = node - topology->bodyCount;
    if (c < 0 || (topology->soft != NULL && topology->soft[c])) {
        return true;
    }
    // with freedoms to spare, as soon as one of its bodies is gone
    const int freedoms = cn_bodyUnknowns - order->lost.data[node];
    if (order->elementCount.data[node] > 0 &&
        order->weight.data[node] < freedoms + (freedoms == cn_bodyUnknowns)) {
        return true;
    }
    // or when there is no body next to it
    const int* list = order->list.data + order->listStart.data[node];
    if (order->elementCount.data[node] < order->listLength.data[node]) {
        return false;
    }
    for (int k = 0; k < order->elementCount.data[node]; ++k) {
        if (order->bodiesBeside.data[list[k]] > 0) {
            return false;
        }
    }
    return true;
}

cnOrderResult cnBlockOrder_Find(cnBlockOrder* order, const cnBlockTopology* topology, double flopLimit) {
    CN_ASSERT(topology->bodyCount >= 0 && topology->constraintCount >= 0);
    CN_ASSERT(topology->rowStart[0] == 0 && topology->bodyStart[0] == 0);
    int bodyCount = topology->bodyCount;
    int edgeCount = topology->bodyStart[topology->constraintCount];
    int n = order->nodeCount = bodyCount + topology->constraintCount;
    if (!MakeRoom(order, topology, edgeCount)) {
        return cn_orderNoMemory;
    }
    Start(order, topology);
    int left = bodyCount * cn_bodyUnknowns + topology->rowStart[topology->constraintCount];
    int min = bucketCount;
    for (int i = 0; i < bucketCount; ++i) {
        order->first.data[i] = order->last.data[i] = -1;
    }
    for (int i = 0; i < n; ++i) {
        if (MayGo(order, topology, i)) {
            Queue(order, i, &min);
        }
    }

    for (int done = 0; done < n; ++done) {
        // the oldest node of least degree
        CN_ASSERT(min < bucketCount);
        while (order->first.data[min] < 0) {
            ++min;
        }
        int pivot = order->first.data[min];
        Unqueue(order, pivot);
        int weight = order->weight.data[pivot];
        left -= weight;
        int boundary = Eliminate(order, pivot);
        if (boundary < 0) {
            return cn_orderNoMemory;
        }
        order->nodes.data[done] = pivot;
        order->place.data[pivot] = done;
        order->flops += cnPredictFrontFlops(weight, weight + boundary);
        if (flopLimit > 0.0 && order->flops > flopLimit) {
            return cn_orderTooDear;
        }

        // unknowns that each neighbouring element has outside of the new one
        CN_ASSERT(left >= 0 && order->structStart.data[pivot] <= order->structEnd.data[pivot]);
        const int begin = order->structStart.data[pivot], end = order->structEnd.data[pivot];
        order->boundary.data[pivot] = boundary;
        order->bodiesBeside.data[pivot] = 0;
        for (int k = begin; k < end; ++k) {
            int node = order->structure.data[k];
            order->bodiesBeside.data[pivot] += node < bodyCount;
            order->lost.data[node] += pivot < bodyCount ? 0 : weight;
            if (order->listLength.data[node] > longList) {
                continue;
            }
            const int* list = order->list.data + order->listStart.data[node];
            for (int e = 0; e < order->elementCount.data[node]; ++e) {
                int other = list[e];
                if (order->outsideMark.data[other] != pivot) {
                    order->outsideMark.data[other] = pivot;
                    order->outside.data[other] = order->boundary.data[other];
                }
                order->outside.data[other] -= order->weight.data[node];
            }
        }
        for (int k = begin; k < end; ++k) {
            int node = order->structure.data[k];
            if (order->listLength.data[node] > longList) {
                // it keeps its degree and with it its late turn
                if (!cnArray_Push(&order->lateElement, pivot) ||
                    !cnArray_Push(&order->lateNext, order->lateHead.data[node])) {
                    return cn_orderNoMemory;
                }
                order->lateHead.data[node] = order->lateNext.count - 1;
                continue;
            }
            if (order->state.data[node] == queued) {
                Unqueue(order, node);
            }
            Update(order, node, pivot, boundary, left - order->weight.data[node]);
            if (MayGo(order, topology, node)) {
                Queue(order, node, &min);
            }
        }
    }
    return cn_orderFound;
}

void cnBlockOrder_Free(cnBlockOrder* order) {
    cnArray_Free(&order->weight);
    cnArray_Free(&order->nodes);
    cnArray_Free(&order->place);
    cnArray_Free(&order->parent);
    cnArray_Free(&order->structStart);
    cnArray_Free(&order->structEnd);
    cnArray_Free(&order->structure);
    cnArray_Free(&order->leaf);
    cnArray_Free(&order->edgeStart);
    cnArray_Free(&order->edges);
    cnArray_Free(&order->edgeConstraint);
    cnArray_Free(&order->list);
    cnArray_Free(&order->listStart);
    cnArray_Free(&order->listLength);
    cnArray_Free(&order->elementCount);
    cnArray_Free(&order->degree);
    cnArray_Free(&order->lost);
    cnArray_Free(&order->bodiesBeside);
    cnArray_Free(&order->next);
    cnArray_Free(&order->previous);
    cnArray_Free(&order->first);
    cnArray_Free(&order->last);
    cnArray_Free(&order->mark);
    cnArray_Free(&order->boundary);
    cnArray_Free(&order->outside);
    cnArray_Free(&order->outsideMark);
    cnArray_Free(&order->lateHead);
    cnArray_Free(&order->lateNext);
    cnArray_Free(&order->lateElement);
    cnArray_Free(&order->state);
    *order = (cnBlockOrder){0};
}
