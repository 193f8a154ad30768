#include "base/containers/chunks.h"
#include "base/report/assert.h"
#include "base/simd.h"
#include "collide/broad/broad_phase_state.h"

#include <float.h>
#include <string.h>

// Margins, see the header.
static const double marginFraction = 0.1;
static const double smallestMargin = 0.01;
static const double largestMargin = 0.25;
static const double stepsAhead = 1.0;
static const double loosest = 4.0;

enum {
    searchChunk = 32, // proxies
    collectChunks = 64,
    fewestCollected = 1024, // of a chunk
    walkChunk = 64 * 32,    // pairs; a multiple of 64, so that chunks share no word of bits
    rebuildShare = 4,       // a tree is built again when more than one leaf in so many moved
    insertionSortLimit = 48,
    fewestTogether = 4, // proxies that move together from which on a common search pays
    maxOutsiders = 32,  // around them
};

// Boxes

// The largest f32 not above a number, the smallest one not below.
static float RoundDown(double value);

static float RoundUp(double value) {
    return -RoundDown(-value);
}

static float RoundDown(double value) {
    if (value > (double)FLT_MAX) {
        return value - value == 0.0 ? FLT_MAX : (float)value;
    }
    if (value < -(double)FLT_MAX) {
        return -HUGE_VALF;
    }
    float nearest = (float)value;
    if ((double)nearest <= value || value != value) {
        return nearest;
    }
    uint32_t bits;
    memcpy(&bits, &nearest, sizeof bits);
    if (nearest > 0.0f) {
        bits -= 1;
    } else if (nearest < 0.0f) {
        bits += 1;
    } else {
        bits = 0x80000001u; // the largest below zero
    }
    memcpy(&nearest, &bits, sizeof bits);
    return nearest;
}

static cnTreeBox RoundOutwards(cnBounds bounds) {
    return (cnTreeBox){
        {RoundDown(bounds.lower.x), RoundDown(bounds.lower.y), RoundDown(bounds.lower.z)},
        {RoundUp(bounds.upper.x), RoundUp(bounds.upper.y), RoundUp(bounds.upper.z)},
    };
}

// A f32 box meets this one exactly where it meets the bounds.
static cnTreeBox RoundInwards(cnBounds bounds) {
    return (cnTreeBox){
        {RoundUp(bounds.lower.x), RoundUp(bounds.lower.y), RoundUp(bounds.lower.z)},
        {RoundDown(bounds.upper.x), RoundDown(bounds.upper.y), RoundDown(bounds.upper.z)},
    };
}

static bool IsUnbounded(const cnTreeBox* box) {
    // six numbers in two lanes of four, two of them twice
    _Static_assert(sizeof *box == 6 * sizeof(float), "a box is six numbers in a row");
    const float* numbers = (const float*)box;
    cnF4 most = cnSplat4(CN_TREE_MAX_COORDINATE);
    cnF4 first = cnLessEqual4(cnAbs4(cnLoad4(numbers)), most);
    cnF4 second = cnLessEqual4(cnAbs4(cnLoad4(numbers + 2)), most);
    return cnMoveMask4(cnAnd4(first, second)) != 15;
}

static bool SameBox(const cnTreeBox* a, const cnTreeBox* b) {
    bool same = true;
    for (int axis = 0; axis < 3; ++axis) {
        same &= a->lower[axis] == b->lower[axis] && a->upper[axis] == b->upper[axis];
    }
    return same;
}

static bool IsInside(const cnTreeBox* box, cnBounds bounds) {
    return ((double)box->lower[0] <= bounds.lower.x) & ((double)box->lower[1] <= bounds.lower.y) &
           ((double)box->lower[2] <= bounds.lower.z) & (bounds.upper.x <= (double)box->upper[0]) &
           (bounds.upper.y <= (double)box->upper[1]) & (bounds.upper.z <= (double)box->upper[2]);
}

// Whether bounds are inside, and where they are expected in the next step.
static bool StaysInside(const cnTreeBox* box, cnBounds bounds, cnVec3 displacement) {
    cnBounds swept = {cnAdd(bounds.lower, cnMinVec(displacement, cnVec3_zero)),
                      cnAdd(bounds.upper, cnMaxVec(displacement, cnVec3_zero))};
    return IsInside(box, swept);
}

// How far a fat box reaches beyond the bounds.
typedef struct Fattening {
    double margin;
    cnVec3 stretch;
} Fattening;

static double StretchOf(double displacement, double size) {
    double length = fabs(displacement);
    double stretch = length + cnMin(stepsAhead * length, size);
    return displacement < 0.0 ? -stretch : stretch;
}

static Fattening FatteningOf(cnBounds bounds, cnVec3 displacement) {
    cnVec3 extent = cnSub(bounds.upper, bounds.lower);
    double size = (extent.x + extent.y + extent.z) * (1.0 / 3.0);
    Fattening fattening = {cnClamp(marginFraction * size, smallestMargin, largestMargin), cnVec3_zero};
    if (cnIsFiniteVec(displacement)) {
        fattening.stretch = cnVec(StretchOf(displacement.x, size), StretchOf(displacement.y, size),
                                  StretchOf(displacement.z, size));
    }
    return fattening;
}

static bool IsLoose(const cnTreeBox* box, cnBounds bounds, Fattening fattening) {
    cnVec3 extent = cnSub(bounds.upper, bounds.lower);
    double margins = 2.0 * fattening.margin;
    double x = (double)box->upper[0] - (double)box->lower[0] - extent.x;
    double y = (double)box->upper[1] - (double)box->lower[1] - extent.y;
    double z = (double)box->upper[2] - (double)box->lower[2] - extent.z;
    return (x > loosest * (margins + fabs(fattening.stretch.x))) |
           (y > loosest * (margins + fabs(fattening.stretch.y))) |
           (z > loosest * (margins + fabs(fattening.stretch.z)));
}

static cnTreeBox Fatten(cnBounds bounds, Fattening fattening) {
    cnVec3 margin = cnVec(fattening.margin, fattening.margin, fattening.margin);
    cnBounds fat = {
        cnAdd(cnSub(bounds.lower, margin), cnMinVec(fattening.stretch, cnVec3_zero)),
        cnAdd(cnAdd(bounds.upper, margin), cnMaxVec(fattening.stretch, cnVec3_zero)),
    };
    return RoundOutwards(fat);
}

// Life

cnBroadPhase* cnBroadPhase_Create(void) {
    cnBroadPhase* broadPhase = cnAllocate(sizeof *broadPhase);
    if (broadPhase == NULL) {
        return NULL;
    }
    cnBoundsTree_Init(&broadPhase->trees[0]);
    cnBoundsTree_Init(&broadPhase->trees[1]);
    broadPhase->firstFree = broadPhase->lastFree = -1;
    return broadPhase;
}

// Everything but the struct itself.
static void FreeContents(cnBroadPhase* broadPhase) {
    cnBoundsTree_Free(&broadPhase->trees[0]);
    cnBoundsTree_Free(&broadPhase->trees[1]);
    cnArray_Free(&broadPhase->proxies);
    cnArray_Free(&broadPhase->flags);
    cnArray_Free(&broadPhase->unbounded);
    cnArray_Free(&broadPhase->flagged);
    cnArray_Free(&broadPhase->searching);
    cnArray_Free(&broadPhase->pairs);
    cnArray_Free(&broadPhase->fresh);
    cnArray_Free(&broadPhase->scratch);
    for (int i = 0; i < broadPhase->chunks.count; ++i) {
        cnArray_Free(&broadPhase->chunks.data[i].keys);
    }
    cnArray_Free(&broadPhase->chunks);
    cnArray_Free(&broadPhase->begun);
    cnArray_Free(&broadPhase->ended);
    cnBitset_Free(&broadPhase->endedBits);
    cnPairSet_Free(&broadPhase->set);
}

void cnBroadPhase_Destroy(cnBroadPhase* broadPhase) {
    if (broadPhase != NULL) {
        FreeContents(broadPhase);
        cnFree(broadPhase, sizeof *broadPhase);
    }
}

// Proxies

bool cnBroadPhase_Reserve(cnBroadPhase* broadPhase, int count) {
    return cnArray_Reserve(&broadPhase->proxies, count) &&
           cnArray_Reserve(&broadPhase->flags, (count + 7) & ~7) &&
           cnArray_Reserve(&broadPhase->unbounded, count) && cnArray_Reserve(&broadPhase->flagged, count) &&
           cnArray_Reserve(&broadPhase->searching, count);
}

static void ListUnbounded(cnBroadPhase* broadPhase, int number) {
    cnBroadProxy* proxy = &broadPhase->proxies.data[number];
    int slot = broadPhase->unbounded.count++;
    int32_t* list = broadPhase->unbounded.data;
    for (; slot > 0 && list[slot - 1] > number; --slot) {
        list[slot] = list[slot - 1];
    }
    list[slot] = number;
    proxy->state |= cn_proxyUnbounded;
    proxy->leaf = -1;
}

// Puts a proxy where its box belongs. Room was reserved.
static void Place(cnBroadPhase* broadPhase, int number) {
    cnBroadProxy* proxy = &broadPhase->proxies.data[number];
    cnBoundsTree* tree = &broadPhase->trees[cnBroadProxy_GetKind(proxy)];
    if (IsUnbounded(&proxy->box)) {
        ListUnbounded(broadPhase, number);
    } else {
        proxy->leaf = cnBoundsTree_Insert(tree, &proxy->box, number);
    }
}

void cnBroadPhase_PlaceAll(cnBroadPhase* broadPhase) {
    for (int number = 0; number < broadPhase->proxies.count; ++number) {
        cnBroadProxy* proxy = &broadPhase->proxies.data[number];
        cnBoundsTree* tree = &broadPhase->trees[cnBroadProxy_GetKind(proxy)];
        if (proxy->state == 0) {
            continue;
        }
        if (IsUnbounded(&proxy->box)) {
            ListUnbounded(broadPhase, number);
        } else {
            proxy->leaf = cnBoundsTree_Append(tree, &proxy->box, number);
        }
    }
    cnBoundsTree_BuildAppended(&broadPhase->trees[0]);
    cnBoundsTree_BuildAppended(&broadPhase->trees[1]);
}

static void Displace(cnBroadPhase* broadPhase, int number) {
    cnBroadProxy* proxy = &broadPhase->proxies.data[number];
    if ((proxy->state & cn_proxyUnbounded) == 0) {
        cnBoundsTree_Remove(&broadPhase->trees[cnBroadProxy_GetKind(proxy)], proxy->leaf);
        proxy->leaf = -1;
        return;
    }
    int kept = 0;
    for (int i = 0; i < broadPhase->unbounded.count; ++i) {
        int other = broadPhase->unbounded.data[i];
        if (other != number) {
            broadPhase->unbounded.data[kept++] = other;
        }
    }
    broadPhase->unbounded.count = kept;
    proxy->state &= ~(uint32_t)cn_proxyUnbounded;
}

int cnBroadPhase_AddProxy(cnBroadPhase* broadPhase, cnBounds bounds, bool moves) {
    int kind = moves ? 1 : 0;
    bool isNew = broadPhase->firstFree < 0;
    if (!cnBoundsTree_Reserve(&broadPhase->trees[kind], broadPhase->memberCounts[kind] + 1) ||
        (isNew && !cnBroadPhase_Reserve(broadPhase, broadPhase->proxies.count + 1))) {
        return -1;
    }
    int number = broadPhase->firstFree;
    if (isNew) {
        number = broadPhase->proxies.count++;
        broadPhase->flags.count += 1;
        broadPhase->flags.data[number] = 0;
    } else {
        broadPhase->firstFree = broadPhase->proxies.data[number].leaf;
        broadPhase->lastFree = broadPhase->firstFree < 0 ? -1 : broadPhase->lastFree;
    }
    broadPhase->memberCounts[kind] += 1;
    cnTreeBox box = moves ? Fatten(bounds, FatteningOf(bounds, cnVec3_zero)) : RoundOutwards(bounds);
    uint32_t state = cn_proxyLives | (moves ? (uint32_t)cn_proxyMoves : 0u);
    broadPhase->proxies.data[number] = (cnBroadProxy){box, -1, state};
    broadPhase->flags.data[number] |= cn_flagTouched;
    Place(broadPhase, number);
    return number;
}

bool cnBroadPhase_ReserveProxies(cnBroadPhase* broadPhase, int count, bool moves) {
    int kind = moves ? 1 : 0;
    return count <= INT32_MAX / 8 - broadPhase->proxies.count &&
           cnBoundsTree_Reserve(&broadPhase->trees[kind], broadPhase->memberCounts[kind] + count) &&
           cnBroadPhase_Reserve(broadPhase, broadPhase->proxies.count + count);
}

void cnBroadPhase_RemoveProxy(cnBroadPhase* broadPhase, int number) {
    cnBroadProxy* proxy = &broadPhase->proxies.data[number];
    Displace(broadPhase, number);
    broadPhase->memberCounts[cnBroadProxy_GetKind(proxy)] -= 1;
    broadPhase->flags.data[number] = cn_flagRemoved;
    *proxy = (cnBroadProxy){.leaf = -1};
    if (broadPhase->lastFree < 0) {
        broadPhase->firstFree = number;
    } else {
        broadPhase->proxies.data[broadPhase->lastFree].leaf = number;
    }
    broadPhase->lastFree = number;
}

bool cnBroadPhase_SetMoves(cnBroadPhase* broadPhase, int number, bool moves) {
    cnBroadProxy* proxy = &broadPhase->proxies.data[number];
    int newKind = moves ? 1 : 0;
    int oldKind = cnBroadProxy_GetKind(proxy);
    if (newKind == oldKind) {
        return true;
    }
    if (!cnBoundsTree_Reserve(&broadPhase->trees[newKind], broadPhase->memberCounts[newKind] + 1)) {
        return false;
    }
    Displace(broadPhase, number);
    broadPhase->memberCounts[oldKind] -= 1;
    broadPhase->memberCounts[newKind] += 1;
    proxy->state ^= (uint32_t)cn_proxyMoves;
    Place(broadPhase, number);
    broadPhase->flags.data[number] |= cn_flagTouched;
    return true;
}

bool cnBroadPhase_Holds(const cnBroadPhase* broadPhase, int number, cnBounds bounds) {
    return IsInside(&broadPhase->proxies.data[number].box, bounds);
}

void cnBroadPhase_SetBounds(cnBroadPhase* broadPhase, int number, cnBounds bounds, cnVec3 displacement) {
    cnBroadProxy* proxy = &broadPhase->proxies.data[number];
    cnTreeBox box;
    if ((proxy->state & cn_proxyMoves) != 0) {
        Fattening fattening = FatteningOf(bounds, displacement);
        if (StaysInside(&proxy->box, bounds, displacement) && !IsLoose(&proxy->box, bounds, fattening)) {
            return;
        }
        box = Fatten(bounds, fattening);
    } else {
        box = RoundOutwards(bounds);
    }
    if (!SameBox(&box, &proxy->box)) {
        proxy->box = box;
        broadPhase->flags.data[number] |= cn_flagMoved | cn_flagAstray;
    }
}

void cnBroadPhase_MoveProxy(cnBroadPhase* broadPhase, int number, cnBounds bounds, cnVec3 displacement) {
    cnBroadPhase_SetBounds(broadPhase, number, bounds, displacement);
    if ((broadPhase->flags.data[number] & cn_flagMoved) == 0) {
        return;
    }
    cnBroadProxy* proxy = &broadPhase->proxies.data[number];
    bool wasUnbounded = (proxy->state & cn_proxyUnbounded) != 0;
    if (wasUnbounded != IsUnbounded(&proxy->box)) {
        Displace(broadPhase, number);
        Place(broadPhase, number);
    } else if (!wasUnbounded) {
        cnBoundsTree_Enlarge(&broadPhase->trees[cnBroadProxy_GetKind(proxy)], proxy->leaf, &proxy->box);
    }
}

void cnBroadPhase_TouchProxy(cnBroadPhase* broadPhase, int number) {
    broadPhase->flags.data[number] |= cn_flagTouched;
}

// Update

// What an update has to do, by chunks of proxies: those with flags, and those of them that live. Leaves that
// are astray within a tree are counted by kind, apart from those that go into a tree or out of one.
typedef struct Collection {
    const cnBroadPhase* broadPhase;
    int chunkSize; // a multiple of 8
    int flaggedCounts[collectChunks], searchingCounts[collectChunks];
    int movedCounts[collectChunks][2], crossedCounts[collectChunks];
} Collection;

static bool Crosses(const cnBroadProxy* proxy) {
    return ((proxy->state & cn_proxyUnbounded) != 0) != IsUnbounded(&proxy->box);
}

static void CollectTask(int begin, int end, int thread, void* context) {
    (void)thread;
    Collection* collection = context;
    const cnBroadPhase* broadPhase = collection->broadPhase;
    const uint8_t* flags = broadPhase->flags.data;
    int32_t* flagged = broadPhase->flagged.data + begin;
    int32_t* searching = broadPhase->searching.data + begin;
    int flaggedCount = 0, searchingCount = 0, movedCounts[2] = {0, 0}, crossedCount = 0;
    for (int eight = begin; eight < end; eight += 8) {
        uint64_t word;
        memcpy(&word, flags + eight, sizeof word);
        for (int number = eight; word != 0 && number < end && number < eight + 8; ++number) {
            if (flags[number] == 0) {
                continue;
            }
            flagged[flaggedCount++] = number;
            const cnBroadProxy* proxy = &broadPhase->proxies.data[number];
            if (proxy->state == 0) {
                continue;
            }
            searching[searchingCount++] = number;
            if ((flags[number] & cn_flagAstray) != 0) {
                bool crosses = Crosses(proxy);
                crossedCount += crosses;
                movedCounts[cnBroadProxy_GetKind(proxy)] +=
                    !crosses && (proxy->state & cn_proxyUnbounded) == 0;
            }
        }
    }
    int chunk = begin / collection->chunkSize;
    collection->flaggedCounts[chunk] = flaggedCount;
    collection->searchingCounts[chunk] = searchingCount;
    collection->movedCounts[chunk][cn_kindStanding] = movedCounts[cn_kindStanding];
    collection->movedCounts[chunk][cn_kindMoving] = movedCounts[cn_kindMoving];
    collection->crossedCounts[chunk] = crossedCount;
}

// Lists what has flags; after it all leaves are where the proxies' boxes are.
void cnBroadPhase_FollowBoxes(cnBroadPhase* broadPhase, cnThreadPool* pool) {
    int count = broadPhase->flags.count;
    int share = (count / collectChunks + 8) & ~7;
    Collection collection = {.broadPhase = broadPhase};
    collection.chunkSize = share > fewestCollected ? share : fewestCollected;
    cnThreadPool_Run(pool, CollectTask, &collection, count, collection.chunkSize);
    int32_t* searching = broadPhase->searching.data;
    broadPhase->flagged.count = cnJoinChunks(broadPhase->flagged.data, sizeof(int32_t), count,
                                             collection.chunkSize, collection.flaggedCounts);
    broadPhase->searching.count =
        cnJoinChunks(searching, sizeof(int32_t), count, collection.chunkSize, collection.searchingCounts);
    int movedCounts[2] = {0, 0}, crossedCount = 0;
    for (int chunk = 0; chunk * collection.chunkSize < count; ++chunk) {
        movedCounts[cn_kindStanding] += collection.movedCounts[chunk][cn_kindStanding];
        movedCounts[cn_kindMoving] += collection.movedCounts[chunk][cn_kindMoving];
        crossedCount += collection.crossedCounts[chunk];
    }

    // between trees and list
    uint8_t* flags = broadPhase->flags.data;
    for (int i = 0; i < broadPhase->searching.count && crossedCount > 0; ++i) {
        int number = searching[i];
        if ((flags[number] & cn_flagAstray) != 0 && Crosses(&broadPhase->proxies.data[number])) {
            Displace(broadPhase, number);
            Place(broadPhase, number);
            flags[number] &= (uint8_t)~cn_flagAstray;
            crossedCount -= 1;
        }
    }

    // within a tree
    bool rebuilds[2];
    for (int kind = 0; kind < 2; ++kind) {
        rebuilds[kind] = movedCounts[kind] * rebuildShare > broadPhase->trees[kind].leafCount;
    }
    int astrayCount = movedCounts[cn_kindStanding] + movedCounts[cn_kindMoving];
    for (int i = 0; i < broadPhase->searching.count && astrayCount > 0; ++i) {
        int number = searching[i];
        if ((flags[number] & cn_flagAstray) == 0) {
            continue;
        }
        const cnBroadProxy* proxy = &broadPhase->proxies.data[number];
        flags[number] &= (uint8_t)~cn_flagAstray;
        if ((proxy->state & cn_proxyUnbounded) != 0) {
            continue;
        }
        cnBoundsTree* tree = &broadPhase->trees[cnBroadProxy_GetKind(proxy)];
        if (rebuilds[cnBroadProxy_GetKind(proxy)]) {
            cnBoundsTree_Overwrite(tree, proxy->leaf, &proxy->box);
        } else {
            cnBoundsTree_Reinsert(tree, proxy->leaf, &proxy->box);
        }
        astrayCount -= 1;
    }
    for (int kind = 0; kind < 2; ++kind) {
        if (rebuilds[kind]) {
            cnBoundsTree_Rebuild(&broadPhase->trees[kind], pool);
        }
    }
}

typedef struct Search {
    cnBroadPhase* broadPhase;
    cnPairFilter* filter;
    cnPairFilter* moveTogether;
    void* context;
} Search;

typedef struct SearchOfProxy {
    const Search* search;
    cnSearchChunk* chunk;
    int proxy;
} SearchOfProxy;

static bool VisitCandidate(int other, void* context) {
    const SearchOfProxy* self = context;
    const cnBroadPhase* broadPhase = self->search->broadPhase;
    uint8_t ownFlags = broadPhase->flags.data[self->proxy];
    uint8_t otherFlags = broadPhase->flags.data[other];

    // a flagged proxy of smaller number searches for itself
    if (other == self->proxy || (otherFlags != 0 && other < self->proxy)) {
        return true;
    }
    cnPairFilter* moveTogether = self->search->moveTogether;
    if (moveTogether != NULL && moveTogether(self->proxy, other, self->search->context)) {
        return true;
    }
    uint64_t key = cnPairKey(self->proxy, other);
    bool ofEarlierLife = ((ownFlags | otherFlags) & cn_flagRemoved) != 0;
    if (!ofEarlierLife && cnPairSet_Has(&broadPhase->set, key)) {
        return true;
    }
    cnPairFilter* filter = self->search->filter;
    if (filter != NULL && !filter(cnPairKey_GetFirst(key), cnPairKey_GetSecond(key), self->search->context)) {
        return true;
    }
    if (!cnArray_Push(&self->chunk->keys, key)) {
        self->chunk->failed = true;
        return false;
    }
    return true;
}

static bool CanPair(const cnBroadProxy* proxy1, const cnBroadProxy* proxy2) {
    return ((proxy1->state | proxy2->state) & cn_proxyMoves) != 0 &&
           cnTreeBox_Overlaps(&proxy1->box, &proxy2->box);
}

static void SearchUnbounded(SearchOfProxy* self) {
    const cnBroadPhase* broadPhase = self->search->broadPhase;
    const cnBroadProxy* proxies = broadPhase->proxies.data;
    for (int i = 0; i < broadPhase->unbounded.count && !self->chunk->failed; ++i) {
        int other = broadPhase->unbounded.data[i];
        if (CanPair(&proxies[self->proxy], &proxies[other])) {
            VisitCandidate(other, self);
        }
    }
}

static void SearchOne(SearchOfProxy* self) {
    const cnBroadPhase* broadPhase = self->search->broadPhase;
    const cnBroadProxy* proxies = broadPhase->proxies.data;
    const cnBroadProxy* proxy = &proxies[self->proxy];

    // an unbounded proxy may meet anything
    if ((proxy->state & cn_proxyUnbounded) != 0) {
        for (int other = 0; other < broadPhase->proxies.count && !self->chunk->failed; ++other) {
            if (proxies[other].state != 0 && CanPair(proxy, &proxies[other])) {
                VisitCandidate(other, self);
            }
        }
        return;
    }
    SearchUnbounded(self);
    cnBoundsTree_Query(&broadPhase->trees[1], &proxy->box, VisitCandidate, self);
    if ((proxy->state & cn_proxyMoves) != 0) {
        cnBoundsTree_Query(&broadPhase->trees[0], &proxy->box, VisitCandidate, self);
    }
}

// Proxies that move together are many in one place, and none of them may pair with another: what else is
// around all of them is looked for once, and is mostly little.
typedef struct Outsiders {
    const Search* search;
    int proxy; // one of those that move together
    int count; // beyond the room: more than it is worth
    int numbers[maxOutsiders];
} Outsiders;

static bool NoteOutsider(int other, void* context) {
    Outsiders* outsiders = context;
    const Search* search = outsiders->search;
    if (other != outsiders->proxy && !search->moveTogether(outsiders->proxy, other, search->context)) {
        if (outsiders->count < maxOutsiders) {
            outsiders->numbers[outsiders->count] = other;
        }
        outsiders->count += 1;
    }
    return outsiders->count <= maxOutsiders;
}

// How many of those that search move together from here on.
static int CountTogether(const Search* search, int begin, int end) {
    const cnBroadPhase* broadPhase = search->broadPhase;
    const int* searching = broadPhase->searching.data;
    int count = 0;
    while (search->moveTogether != NULL && begin + count < end) {
        const cnBroadProxy* proxy = &broadPhase->proxies.data[searching[begin + count]];
        if ((proxy->state & (cn_proxyMoves | cn_proxyUnbounded)) != cn_proxyMoves ||
            !search->moveTogether(searching[begin], searching[begin + count], search->context)) {
            break;
        }
        count += 1;
    }
    return count;
}

// False where too much is around them: nothing has been searched.
static bool SearchTogether(const Search* search, cnSearchChunk* chunk, int begin, int count) {
    const cnBroadPhase* broadPhase = search->broadPhase;
    const int* searching = broadPhase->searching.data;
    const cnBroadProxy* proxies = broadPhase->proxies.data;
    Outsiders outsiders = {.search = search, .proxy = searching[begin]};
    cnTreeBox all = proxies[searching[begin]].box;
    for (int i = 1; i < count; ++i) {
        const cnTreeBox* box = &proxies[searching[begin + i]].box;
        for (int axis = 0; axis < 3; ++axis) {
            all.lower[axis] = box->lower[axis] < all.lower[axis] ? box->lower[axis] : all.lower[axis];
            all.upper[axis] = box->upper[axis] > all.upper[axis] ? box->upper[axis] : all.upper[axis];
        }
    }
    if (!cnBoundsTree_Query(&broadPhase->trees[1], &all, NoteOutsider, &outsiders) ||
        !cnBoundsTree_Query(&broadPhase->trees[0], &all, NoteOutsider, &outsiders)) {
        return false;
    }
    for (int i = 0; i < count && !chunk->failed; ++i) {
        SearchOfProxy self = {search, chunk, searching[begin + i]};
        SearchUnbounded(&self);
        for (int k = 0; k < outsiders.count && !chunk->failed; ++k) {
            if (CanPair(&proxies[self.proxy], &proxies[outsiders.numbers[k]])) {
                VisitCandidate(outsiders.numbers[k], &self);
            }
        }
    }
    return true;
}

static void SearchTask(int begin, int end, int thread, void* context) {
    (void)thread;
    const Search* search = context;
    cnSearchChunk* chunk = &search->broadPhase->chunks.data[begin / searchChunk];
    chunk->keys.count = 0;
    chunk->failed = !cnArray_Reserve(&chunk->keys, 4 * searchChunk);
    for (int i = begin; i < end && !chunk->failed;) {
        int count = CountTogether(search, i, end);
        if (count < fewestTogether || !SearchTogether(search, chunk, i, count)) {
            count = count > 0 ? count : 1;
            for (int k = i; k < i + count && !chunk->failed; ++k) {
                SearchOne(&(SearchOfProxy){search, chunk, search->broadPhase->searching.data[k]});
            }
        }
        i += count;
    }
}

// Fills `fresh`; false when memory ran out.
static bool FindNewPairs(const Search* search, cnThreadPool* pool) {
    cnBroadPhase* broadPhase = search->broadPhase;
    int searching = broadPhase->searching.count;
    int chunkCount = (searching + searchChunk - 1) / searchChunk;
    broadPhase->fresh.count = 0;
    if (broadPhase->chunks.count < chunkCount && !cnArray_Resize(&broadPhase->chunks, chunkCount)) {
        return false;
    }
    CN_PIN(&broadPhase->proxies, "searches for new pairs");
    CN_PIN(&broadPhase->chunks, "searches for new pairs");
    cnThreadPool_Run(pool, SearchTask, (void*)search, searching, searchChunk);
    CN_UNPIN(&broadPhase->proxies);
    CN_UNPIN(&broadPhase->chunks);
    int64_t total = 0;
    for (int i = 0; i < chunkCount; ++i) {
        const cnSearchChunk* chunk = &broadPhase->chunks.data[i];
        if (chunk->failed) {
            return false;
        }
        total += chunk->keys.count;
    }
    if (total > INT32_MAX / 4 || !cnArray_Reserve(&broadPhase->fresh, (int)total)) {
        return false;
    }
    for (int i = 0; i < chunkCount; ++i) {
        const cnSearchChunk* chunk = &broadPhase->chunks.data[i];
        if (chunk->keys.count > 0) {
            memcpy(broadPhase->fresh.data + broadPhase->fresh.count, chunk->keys.data,
                   (size_t)chunk->keys.count * sizeof(uint64_t));
            broadPhase->fresh.count += chunk->keys.count;
        }
    }
    return true;
}

// A live pair of flagged proxies goes on where nothing speaks against it.
static bool HasEnded(const Search* search, uint64_t key, uint8_t flags) {
    int number1 = cnPairKey_GetFirst(key);
    int number2 = cnPairKey_GetSecond(key);
    const cnBroadProxy* proxies = search->broadPhase->proxies.data;
    if ((flags & cn_flagRemoved) != 0 || !CanPair(&proxies[number1], &proxies[number2])) {
        return true;
    }
    return (flags & cn_flagTouched) != 0 && search->filter != NULL &&
           !search->filter(number1, number2, search->context);
}

static void WalkTask(int begin, int end, int thread, void* context) {
    (void)thread;
    const Search* search = context;
    cnBroadPhase* broadPhase = search->broadPhase;
    const uint64_t* pairs = broadPhase->pairs.data;
    const uint8_t* flags = broadPhase->flags.data;
    for (int i = begin; i < end; ++i) {
        uint8_t both = flags[cnPairKey_GetFirst(pairs[i])] | flags[cnPairKey_GetSecond(pairs[i])];
        if (both != 0 && HasEnded(search, pairs[i], both)) {
            cnBitset_Add(&broadPhase->endedBits, i);
        }
    }
}

// Ascending; by bytes from the lowest, bytes that all keys share left out.
static void SortKeys(uint64_t* keys, uint64_t* scratch, int count) {
    if (count <= insertionSortLimit) {
        for (int i = 1; i < count; ++i) {
            uint64_t key = keys[i];
            int slot = i;
            for (; slot > 0 && keys[slot - 1] > key; --slot) {
                keys[slot] = keys[slot - 1];
            }
            keys[slot] = key;
        }
        return;
    }
    uint64_t differing = 0;
    for (int i = 1; i < count; ++i) {
        differing |= keys[i] ^ keys[0];
    }
    uint64_t* source = keys;
    uint64_t* target = scratch;
    for (int shift = 0; shift < 64; shift += 8) {
        if ((differing >> shift & 0xff) == 0) {
            continue;
        }
        int ends[256] = {0};
        for (int i = 0; i < count; ++i) {
            ends[source[i] >> shift & 0xff] += 1;
        }
        int sum = 0;
        for (int digit = 0; digit < 256; ++digit) {
            int digitCount = ends[digit];
            ends[digit] = sum;
            sum += digitCount;
        }
        for (int i = 0; i < count; ++i) {
            target[ends[source[i] >> shift & 0xff]++] = source[i];
        }
        uint64_t* swapped = source;
        source = target;
        target = swapped;
    }
    if (source != keys) {
        memcpy(keys, source, (size_t)count * sizeof *keys);
    }
}

static cnProxyPair PairOf(uint64_t key) {
    return (cnProxyPair){cnPairKey_GetFirst(key), cnPairKey_GetSecond(key)};
}

// Takes the marked pairs out of list and set; what lies between two of them is moved at once. Room was
// reserved.
static void ApplyEnded(cnBroadPhase* broadPhase) {
    uint64_t* pairs = broadPhase->pairs.data;
    uint64_t* scratch = broadPhase->scratch.data;
    int endedCount = 0;
    int kept = 0;
    int begin = 0;
    while (begin < broadPhase->pairs.count) {
        int marked = cnBitset_Next(&broadPhase->endedBits, begin);
        int end = marked >= 0 ? marked : broadPhase->pairs.count;
        if (kept < begin) {
            memmove(pairs + kept, pairs + begin, (size_t)(end - begin) * sizeof *pairs);
        }
        kept += end - begin;
        if (marked >= 0) {
            cnPairSet_Remove(&broadPhase->set, pairs[marked]);
            scratch[endedCount++] = pairs[marked];
        }
        begin = end + 1;
    }
    broadPhase->pairs.count = kept;
    if (endedCount == 0) {
        return;
    }
    SortKeys(scratch, scratch + endedCount, endedCount);
    for (int i = 0; i < endedCount; ++i) {
        broadPhase->ended.data[i] = PairOf(scratch[i]);
    }
    broadPhase->ended.count = endedCount;
}

static void ApplyBegun(cnBroadPhase* broadPhase) {
    int freshCount = broadPhase->fresh.count;
    SortKeys(broadPhase->fresh.data, broadPhase->scratch.data, freshCount);
    for (int i = 0; i < freshCount; ++i) {
        uint64_t key = broadPhase->fresh.data[i];
        broadPhase->begun.data[i] = PairOf(key);
        broadPhase->pairs.data[broadPhase->pairs.count++] = key;
        cnPairSet_Add(&broadPhase->set, key);
    }
    broadPhase->begun.count = freshCount;
}

bool cnBroadPhase_Update(cnBroadPhase* broadPhase, cnThreadPool* pool, cnPairFilter* filter,
                         cnPairFilter* moveTogether, void* context) {
    broadPhase->begun.count = broadPhase->ended.count = 0;
    cnBroadPhase_FollowBoxes(broadPhase, pool);
    if (broadPhase->flagged.count == 0) {
        return true;
    }
    Search search = {broadPhase, filter, moveTogether, context};
    if (!FindNewPairs(&search, pool)) {
        return false;
    }

    int pairCount = broadPhase->pairs.count;
    int freshCount = broadPhase->fresh.count;
    if (pairCount > INT32_MAX / 4 - freshCount || !cnArray_Reserve(&broadPhase->begun, freshCount) ||
        !cnArray_Reserve(&broadPhase->pairs, pairCount + freshCount) ||
        !cnPairSet_Reserve(&broadPhase->set, pairCount + freshCount) ||
        !cnBitset_Reset(&broadPhase->endedBits, pairCount)) {
        return false;
    }
    CN_PIN(&broadPhase->pairs, "the walk over the pairs");
    CN_PIN(&broadPhase->proxies, "the walk over the pairs");
    cnThreadPool_Run(pool, WalkTask, &search, pairCount, walkChunk);
    CN_UNPIN(&broadPhase->pairs);
    CN_UNPIN(&broadPhase->proxies);

    // from here on there is room for all
    int endedCount = cnBitset_Count(&broadPhase->endedBits);
    int scratchCount = 2 * endedCount > freshCount ? 2 * endedCount : freshCount;
    if (!cnArray_Reserve(&broadPhase->ended, endedCount) ||
        !cnArray_Reserve(&broadPhase->scratch, scratchCount)) {
        return false;
    }
    ApplyEnded(broadPhase);
    ApplyBegun(broadPhase);
    for (int i = 0; i < broadPhase->flagged.count; ++i) {
        broadPhase->flags.data[broadPhase->flagged.data[i]] = 0;
    }
    return true;
}

// Readers

bool cnBroadPhase_IsSettled(const cnBroadPhase* broadPhase) {
    return broadPhase->flagged.count == 0;
}

const cnProxyPair* cnBroadPhase_GetBegun(const cnBroadPhase* broadPhase, int* count) {
    *count = broadPhase->begun.count;
    return broadPhase->begun.data;
}

const cnProxyPair* cnBroadPhase_GetEnded(const cnBroadPhase* broadPhase, int* count) {
    *count = broadPhase->ended.count;
    return broadPhase->ended.data;
}

cnProxyPair cnBroadPhase_GetPair(const cnBroadPhase* broadPhase, int index) {
    uint64_t key = broadPhase->pairs.data[index];
    return (cnProxyPair){cnPairKey_GetFirst(key), cnPairKey_GetSecond(key)};
}

int cnBroadPhase_GetPairCount(const cnBroadPhase* broadPhase) {
    return broadPhase->pairs.count;
}

bool cnBroadPhase_HasPair(const cnBroadPhase* broadPhase, int proxy1, int proxy2) {
    return proxy1 != proxy2 && cnPairSet_Has(&broadPhase->set, cnPairKey(proxy1, proxy2));
}

int cnBroadPhase_GetNumberCount(const cnBroadPhase* broadPhase) {
    return broadPhase->proxies.count;
}

int cnBroadPhase_GetProxyCount(const cnBroadPhase* broadPhase) {
    return broadPhase->memberCounts[0] + broadPhase->memberCounts[1];
}

bool cnBroadPhase_HasProxy(const cnBroadPhase* broadPhase, int number) {
    return number >= 0 && number < broadPhase->proxies.count && broadPhase->proxies.data[number].state != 0;
}

bool cnBroadPhase_DoesProxyMove(const cnBroadPhase* broadPhase, int number) {
    CN_ASSERT(cnBroadPhase_HasProxy(broadPhase, number));
    return cnBroadProxy_GetKind(&broadPhase->proxies.data[number]) == 1;
}

cnBounds cnBroadPhase_GetFatBounds(const cnBroadPhase* broadPhase, int number) {
    const cnTreeBox* box = &broadPhase->proxies.data[number].box;
    return (cnBounds){
        {(double)box->lower[0], (double)box->lower[1], (double)box->lower[2]},
        {(double)box->upper[0], (double)box->upper[1], (double)box->upper[2]},
    };
}

// Queries

void cnBroadPhase_CastRay(const cnBroadPhase* broadPhase, cnVec3 origin, cnVec3 translation,
                          cnRayCallback* callback, void* context) {
    if (!cnIsFiniteVec(origin) || !cnIsFiniteVec(translation)) {
        return;
    }
    cnTreeRay ray = cnTreeRay_Make((double[]){origin.x, origin.y, origin.z},
                                   (double[]){translation.x, translation.y, translation.z});
    double fraction = 1.0;
    for (int i = 0; i < broadPhase->unbounded.count; ++i) {
        int number = broadPhase->unbounded.data[i];
        const cnTreeBox* box = &broadPhase->proxies.data[number].box;
        double enter;
        if (cnTreeRay_Meets(&ray, box->lower, box->upper, fraction, &enter)) {
            double answer = callback(number, fraction, context);
            if (answer < 0.0) {
                return;
            }
            fraction = cnMin(answer, fraction);
        }
    }
    fraction = cnBoundsTree_CastRay(&broadPhase->trees[0], &ray, fraction, callback, context);
    if (fraction >= 0.0) {
        cnBoundsTree_CastRay(&broadPhase->trees[1], &ray, fraction, callback, context);
    }
}

static void VisitOverlaps(const cnBroadPhase* broadPhase, cnBounds bounds, bool withMoving,
                          cnOverlapCallback* callback, void* context) {
    cnTreeBox box = RoundInwards(bounds);
    for (int i = 0; i < broadPhase->unbounded.count; ++i) {
        int number = broadPhase->unbounded.data[i];
        if (cnTreeBox_Overlaps(&broadPhase->proxies.data[number].box, &box) && !callback(number, context)) {
            return;
        }
    }
    if (cnBoundsTree_Query(&broadPhase->trees[cn_kindStanding], &box, callback, context) && withMoving) {
        cnBoundsTree_Query(&broadPhase->trees[cn_kindMoving], &box, callback, context);
    }
}

void cnBroadPhase_Overlap(const cnBroadPhase* broadPhase, cnBounds bounds, cnOverlapCallback* callback,
                          void* context) {
    VisitOverlaps(broadPhase, bounds, true, callback, context);
}

void cnBroadPhase_OverlapStanding(const cnBroadPhase* broadPhase, cnBounds bounds,
                                  cnOverlapCallback* callback, void* context) {
    VisitOverlaps(broadPhase, bounds, false, callback, context);
}

// Checks

static bool IsProxyValid(const cnBroadPhase* broadPhase, int number) {
    const cnBroadProxy* proxy = &broadPhase->proxies.data[number];
    if (proxy->state == 0) {
        return (broadPhase->flags.data[number] & ~cn_flagRemoved) == 0;
    }
    bool moved = (broadPhase->flags.data[number] & cn_flagMoved) != 0;
    if ((proxy->state & cn_proxyUnbounded) != 0) {
        return moved || IsUnbounded(&proxy->box);
    }
    const cnBoundsTree* tree = &broadPhase->trees[cnBroadProxy_GetKind(proxy)];
    if (proxy->leaf < 0 || proxy->leaf >= tree->nodes.count) {
        return false;
    }
    const cnTreeNode* leaf = &tree->nodes.data[proxy->leaf];
    cnTreeBox box = cnTreeNode_GetBox(leaf);
    return leaf->child1 == ~number && (moved || (SameBox(&box, &proxy->box) && !IsUnbounded(&box)));
}

bool cnBroadPhase_IsPairKey(const cnBroadPhase* broadPhase, uint64_t key) {
    int number1 = cnPairKey_GetFirst(key);
    int number2 = cnPairKey_GetSecond(key);
    if (number1 < 0 || number1 >= number2 || number2 >= broadPhase->proxies.count) {
        return false;
    }
    const cnBroadProxy* proxy1 = &broadPhase->proxies.data[number1];
    const cnBroadProxy* proxy2 = &broadPhase->proxies.data[number2];
    bool waits = (broadPhase->flags.data[number1] | broadPhase->flags.data[number2]) != 0;
    return waits || (proxy1->state != 0 && proxy2->state != 0 && CanPair(proxy1, proxy2));
}

bool cnBroadPhase_Validate(const cnBroadPhase* broadPhase) {
    // proxies
    int counts[3] = {0, 0, 0}; // that don't move, that move, unbounded
    int freeCount = 0;
    bool moved = false;
    for (int i = 0; i < broadPhase->proxies.count; ++i) {
        const cnBroadProxy* proxy = &broadPhase->proxies.data[i];
        if (!IsProxyValid(broadPhase, i)) {
            return false;
        }
        moved |= (broadPhase->flags.data[i] & cn_flagMoved) != 0;
        freeCount += proxy->state == 0;
        counts[cnBroadProxy_GetKind(proxy)] += proxy->state != 0;
        counts[2] += (proxy->state & cn_proxyUnbounded) != 0;
    }
    if (counts[0] != broadPhase->memberCounts[0] || counts[1] != broadPhase->memberCounts[1] ||
        counts[2] != broadPhase->unbounded.count ||
        counts[0] + counts[1] - counts[2] !=
            broadPhase->trees[0].leafCount + broadPhase->trees[1].leafCount) {
        return false;
    }
    for (int i = 0; i < broadPhase->unbounded.count; ++i) {
        int number = broadPhase->unbounded.data[i];
        if ((broadPhase->proxies.data[number].state & cn_proxyUnbounded) == 0 ||
            (i > 0 && broadPhase->unbounded.data[i - 1] >= number)) {
            return false;
        }
    }

    // free numbers
    int last = -1;
    for (int number = broadPhase->firstFree; number >= 0; number = broadPhase->proxies.data[number].leaf) {
        last = number;
        freeCount -= 1;
        if (freeCount < 0 || broadPhase->proxies.data[number].state != 0) {
            return false;
        }
    }
    if (freeCount != 0 || last != broadPhase->lastFree) {
        return false;
    }

    // trees
    cnTreeFit fit = moved ? cn_treeLoose : cn_treeTight;
    if (!cnBoundsTree_Validate(&broadPhase->trees[0], fit) ||
        !cnBoundsTree_Validate(&broadPhase->trees[1], fit)) {
        return false;
    }

    // pairs
    if (broadPhase->pairs.count != broadPhase->set.count) {
        return false;
    }
    for (int i = 0; i < broadPhase->pairs.count; ++i) {
        uint64_t key = broadPhase->pairs.data[i];
        if (!cnBroadPhase_IsPairKey(broadPhase, key) || !cnPairSet_Has(&broadPhase->set, key)) {
            return false;
        }
    }
    return true;
}
