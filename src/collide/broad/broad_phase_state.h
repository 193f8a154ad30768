// What a broad phase holds, for broad_phase.c, which keeps it, and broad_phase_image.c, which writes it down.
#pragma once

#include "collide/broad/bounds_tree.h"
#include "collide/broad/broad_phase.h"
#include "collide/broad/pair_set.h"

// What a proxy is.
enum {
    cn_proxyLives = 1,
    cn_proxyMoves = 2,
    cn_proxyUnbounded = 4, // stands in the list, not in a tree
};

// What waits for the next update.
enum {
    cn_flagMoved = 1,   // the box changed
    cn_flagTouched = 2, // the filter is to be asked again
    cn_flagRemoved = 4, // pairs of the number's life before end
    cn_flagAstray = 8,  // the leaf is not where the box is
};

typedef struct cnBroadProxy {
    cnTreeBox box;
    int32_t leaf; // −1 without; the next free number in the free list
    uint32_t state;
} cnBroadProxy;

typedef struct cnSearchChunk {
    CN_ARRAY(uint64_t) keys;
    bool failed;
} cnSearchChunk;

struct cnBroadPhase {
    cnBoundsTree trees[2]; // that don't move, that move
    int memberCounts[2];   // proxies of either kind, unbounded ones too
    CN_ARRAY(cnBroadProxy) proxies;
    CN_ARRAY(uint8_t) flags;     // per proxy, capacity for whole words of 8
    CN_ARRAY(int32_t) unbounded; // ascending
    CN_ARRAY(int32_t) flagged;   // of this update: proxies with flags
    CN_ARRAY(int32_t) searching; // of this update: flagged proxies that live
    CN_ARRAY(uint64_t) pairs;    // keys, in the order they began
    CN_ARRAY(uint64_t) fresh;    // keys of this update
    CN_ARRAY(uint64_t) scratch;  // of sorting
    CN_ARRAY(cnSearchChunk) chunks;
    CN_ARRAY(cnProxyPair) begun;
    CN_ARRAY(cnProxyPair) ended;
    cnBitset endedBits;
    cnPairSet set;
    int firstFree, lastFree; // free numbers, first in, first out; −1 without
};

// Whose tree a proxy stands in: of those that don't move, of those that do.
enum {
    cn_kindStanding = 0,
    cn_kindMoving = 1,
};

static inline int cnBroadProxy_GetKind(const cnBroadProxy* proxy) {
    return (proxy->state & cn_proxyMoves) != 0 ? cn_kindMoving : cn_kindStanding;
}

// Room for so many numbers, so that only adding proxies and finding pairs can fail.
bool cnBroadPhase_Reserve(cnBroadPhase* broadPhase, int count);

// Whether a key may be of a live pair: of two numbers in order whose boxes meet, or of which one waits for an
// update.
bool cnBroadPhase_IsPairKey(const cnBroadPhase* broadPhase, uint64_t key);

// Puts all proxies where their boxes belong, of which none is anywhere yet. Room was reserved.
void cnBroadPhase_PlaceAll(cnBroadPhase* broadPhase);
