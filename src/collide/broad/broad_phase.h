// Broad phase: which proxies' bounds overlap.
//
// ## What it keeps
// Two dynamic bounding-volume trees (proxies that move, proxies that don't), boxes in f32 rounded outwards
// and fattened by a margin that follows size and speed, so that most steps touch few leaves. A pair is two
// proxies, one of which moves at least, whose fat boxes overlap and that the filter lets pass. Pairs are kept
// between steps: an update reports those that begin and those that end. A proxy is one shape instance of a
// geometry; proxy numbers are small, dense and reused first in, first out.
//
// ## An update
//     flags set by add, move, touch, remove  →  list of flagged proxies, in index order
//     trees follow (serial)                  →  leaves re-inserted, or the top of a tree built again when
//                                               many moved
//     search (parallel, fixed chunks)        →  keys of new pairs, a list per chunk
//     walk of live pairs (parallel)          →  a bit per pair that ended
//     apply (serial)                         →  pair set, begun, ended
// Nothing before the last line changes pairs, and all memory of the last line is reserved before it: an
// update happens or does not. Of two flagged proxies the smaller one finds the pair, so each is found once.
// Both lists are sorted by (proxy1, proxy2), so they depend on neither threads nor the shape of the trees nor
// the history: an image of proxies, flags and pairs is enough to continue bit for bit.
//
// ## Margins
// A fat box is the bounds with a tenth of the mean extent (1 cm at least, 25 cm at most) added on every side,
// stretched by the displacement of the next step and by one such step more where that is shorter than the
// mean extent. Measured with 5,000 cubes of 1 m: at 0.8 m/s 8 % leave their box in a step, with half the
// margin 13 % and with the double 4 %, but that makes half as many pairs again; at 30 m/s three steps more
// than the next in place of one save three leavers in ten and cost 1.8 times the pairs. A box that has become
// more than four times as loose as it would be made now (a fast body has come to rest) counts as left.
// Proxies that don't move have no margin.
//
// ## Unbounded proxies
// Proxies that reach beyond 10⁹ m (planes) would ruin a tree and overflow its areas. They stand in a list of
// their own that every search goes through; bounds of ±1e30 or infinity are fine.

#pragma once

#include "base/containers/array.h"
#include "base/containers/bitset.h"
#include "base/stack.h"
#include "base/thread_pool.h"
#include "cairn/math.h"

typedef struct cnBroadPhase cnBroadPhase;

typedef struct cnProxyPair {
    int proxy1, proxy2; // proxy1 < proxy2
} cnProxyPair;

// Whether two proxies may collide (same body, both immovable, filters). Pure: called by several threads at
// once.
typedef bool cnPairFilter(int proxy1, int proxy2, void* context);

cnBroadPhase* cnBroadPhase_Create(void); // null when memory ran out
void cnBroadPhase_Destroy(cnBroadPhase* broadPhase);

// Number of the new proxy, −1 when memory ran out.
int cnBroadPhase_AddProxy(cnBroadPhase* broadPhase, cnBounds bounds, bool moves);

// Memory for `count` proxies more, so that adding them cannot fail. False when it ran out.
bool cnBroadPhase_ReserveProxies(cnBroadPhase* broadPhase, int count, bool moves);
void cnBroadPhase_RemoveProxy(cnBroadPhase* broadPhase, int proxy); // its pairs end in the next update

// Turns a proxy into one that moves or into one that doesn't; touches it. False when memory ran out (then
// nothing changed).
bool cnBroadPhase_SetMoves(cnBroadPhase* broadPhase, int proxy, bool moves);

// New bounds of one proxy. `displacement` is how far it is expected to move in the next step (m): the fat box
// is stretched that way. A proxy that stays inside its fat box, in that step too, costs nothing. Queries see
// the new box at once.
void cnBroadPhase_MoveProxy(cnBroadPhase* broadPhase, int proxy, cnBounds bounds, cnVec3 displacement);

// The same for many in parallel: only tests and writes the proxy's own new bounds; trees change in the
// update. The caller promises distinct proxies. Queries see the old boxes until the update.
void cnBroadPhase_SetBounds(cnBroadPhase* broadPhase, int proxy, cnBounds bounds, cnVec3 displacement);
// Whether the fat box holds these bounds, so that they need not be set.
bool cnBroadPhase_Holds(const cnBroadPhase* broadPhase, int proxy, cnBounds bounds);

// Lets the trees follow what cnBroadPhase_SetBounds wrote, without looking for pairs, so that queries
// between steps see it; by these threads, null: by the caller.
void cnBroadPhase_FollowBoxes(cnBroadPhase* broadPhase, cnThreadPool* pool);

// The proxy's pairs are looked at again in the next update (its filter, body or shape changed).
void cnBroadPhase_TouchProxy(cnBroadPhase* broadPhase, int proxy);

// Lets the trees follow, finds new pairs, drops those whose fat boxes are apart, of which a proxy was
// removed, or that were touched and whose filter now says no. A null filter lets all pass, a null pool works
// on the caller alone. A proxy removed and a new one with its number make old pairs end and new ones begin in
// one update: apply ended before begun. Returns false when memory ran out: then no pair changed, both lists
// are empty, and the next update does all of the work.
//
// `moveTogether`: pairs of proxies that do so do not begin, which is asked before anything else is looked up;
// those that are there go on as any others do. Null: none do.
bool cnBroadPhase_Update(cnBroadPhase* broadPhase, cnThreadPool* pool, cnPairFilter* filter,
                         cnPairFilter* moveTogether, void* context);

// Whether the last update found no proxy that had moved, come or gone.
bool cnBroadPhase_IsSettled(const cnBroadPhase* broadPhase);

// Of the last update, in ascending order of (proxy1, proxy2); valid until the next.
const cnProxyPair* cnBroadPhase_GetBegun(const cnBroadPhase* broadPhase, int* count);
const cnProxyPair* cnBroadPhase_GetEnded(const cnBroadPhase* broadPhase, int* count);

// All pairs, in the order they began.
int cnBroadPhase_GetPairCount(const cnBroadPhase* broadPhase);
cnProxyPair cnBroadPhase_GetPair(const cnBroadPhase* broadPhase, int index);
bool cnBroadPhase_HasPair(const cnBroadPhase* broadPhase, int proxy1, int proxy2); // in either order
int cnBroadPhase_GetProxyCount(const cnBroadPhase* broadPhase);
int cnBroadPhase_GetNumberCount(const cnBroadPhase* broadPhase);            // those that are free now, too
bool cnBroadPhase_HasProxy(const cnBroadPhase* broadPhase, int proxy);      // any number
bool cnBroadPhase_DoesProxyMove(const cnBroadPhase* broadPhase, int proxy); // of those there are
cnBounds cnBroadPhase_GetFatBounds(const cnBroadPhase* broadPhase, int proxy);

// Calls back for every proxy whose fat box the segment meets: unbounded ones first, then tree by tree, near
// boxes first as far as the tree tells. The callback returns the fraction to cut the segment to (its argument
// `fraction` to keep it); a negative one ends the cast. The order of calls depends on the trees: a callback
// that looks for the nearest hit settles ties by itself. A segment that is not finite meets nothing.
typedef double cnRayCallback(int proxy, double fraction, void* context);
void cnBroadPhase_CastRay(const cnBroadPhase* broadPhase, cnVec3 origin, cnVec3 translation,
                          cnRayCallback* callback, void* context);

// Calls back for every proxy whose fat box overlaps; false from the callback ends the query.
typedef bool cnOverlapCallback(int proxy, void* context);
void cnBroadPhase_Overlap(const cnBroadPhase* broadPhase, cnBounds bounds, cnOverlapCallback* callback,
                          void* context);
// The same of those that don't move, and unbounded ones.
void cnBroadPhase_OverlapStanding(const cnBroadPhase* broadPhase, cnBounds bounds,
                                  cnOverlapCallback* callback, void* context);

// Whole-structure checks for debug builds and tests: heights, parents, bounds nest, leaves are the proxies'
// boxes, set and list of pairs agree, pairs overlap (where no change waits for the next update).
bool cnBroadPhase_Validate(const cnBroadPhase* broadPhase);

// Everything the pairs depend on, for the state hash: proxies, fat boxes, waiting changes, free numbers in
// index order, and the pairs in no order.
uint64_t cnBroadPhase_Hash(const cnBroadPhase* broadPhase);

// An image of everything that later results depend on, for snapshots; integers and floats as they lie in
// memory.
size_t cnBroadPhase_GetImageBytes(const cnBroadPhase* broadPhase);
void cnBroadPhase_SaveImage(const cnBroadPhase* broadPhase, void* image);

// Replaces all contents. False when the image is not one (*wrong, which may be null) or memory ran out: then
// nothing changed.
bool cnBroadPhase_LoadImage(cnBroadPhase* broadPhase, const void* image, size_t bytes, bool* wrong);
