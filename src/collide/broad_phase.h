// Broad phase: which proxies' bounds overlap.
//
// Two dynamic bounding-volume trees (proxies that move, proxies that don't), boxes in f32 rounded outwards and fattened by a
// margin that follows the speed, so that most steps touch few leaves. Pairs are kept between steps: an update reports those
// that begin and those that end, in an order that does not depend on the number of threads. A proxy is one shape instance of
// a geometry; proxy numbers are small, dense and reused first in, first out.
#pragma once

#include "base/array.h"
#include "base/bitset.h"
#include "base/stack.h"
#include "base/thread_pool.h"
#include "cairn/math.h"

typedef struct cnBroadPhase cnBroadPhase;

typedef struct cnProxyPair {
    int proxy1, proxy2; // proxy1 < proxy2
} cnProxyPair;

// Whether two proxies may collide (same body, both immovable, filters). Pure: called by several threads at once.
typedef bool cnPairFilter(int proxy1, int proxy2, void* context);

cnBroadPhase* cnBroadPhase_Create(void); // null when memory ran out
void cnBroadPhase_Destroy(cnBroadPhase* broadPhase);

// Number of the new proxy, −1 when memory ran out.
int cnBroadPhase_AddProxy(cnBroadPhase* broadPhase, cnBounds bounds, bool moves);
void cnBroadPhase_RemoveProxy(cnBroadPhase* broadPhase, int proxy); // its pairs end in the next update

// New bounds of one proxy. `displacement` is how far it is expected to move in the next step (m): the fat box is stretched
// that way. A proxy that stays inside its fat box costs nothing.
void cnBroadPhase_MoveProxy(cnBroadPhase* broadPhase, int proxy, cnBounds bounds, cnVec3 displacement);

// The same for many in parallel: only tests and writes the proxy's own new bounds; trees change in the update. The caller
// promises distinct proxies.
void cnBroadPhase_SetBounds(cnBroadPhase* broadPhase, int proxy, cnBounds bounds, cnVec3 displacement);

// The proxy's pairs are looked at again in the next update (its filter, body or shape changed).
void cnBroadPhase_TouchProxy(cnBroadPhase* broadPhase, int proxy);

// Enlarges tree leaves that were left, finds new pairs, drops those whose fat boxes are apart or whose filter now says no.
// `begun` and `ended` are filled in ascending order of (proxy1, proxy2) for ended and of the pair's discovery (deterministic)
// for begun. Returns false when memory ran out (then the next update makes it good).
bool cnBroadPhase_Update(cnBroadPhase* broadPhase, cnThreadPool* pool, cnPairFilter* filter, void* context);
const cnProxyPair* cnBroadPhase_GetBegun(const cnBroadPhase* broadPhase, int* count);
const cnProxyPair* cnBroadPhase_GetEnded(const cnBroadPhase* broadPhase, int* count);
int cnBroadPhase_GetPairCount(const cnBroadPhase* broadPhase);
int cnBroadPhase_GetProxyCount(const cnBroadPhase* broadPhase);

// Calls back for every proxy whose fat box the segment meets, nearest boxes first as far as the tree tells; the callback
// returns the fraction to cut the segment to (its argument `fraction` to keep it).
typedef double cnRayCallback(int proxy, double fraction, void* context);
void cnBroadPhase_CastRay(const cnBroadPhase* broadPhase, cnVec3 origin, cnVec3 translation, cnRayCallback* callback,
                          void* context);

// Calls back for every proxy whose fat box overlaps; false from the callback ends the query.
typedef bool cnOverlapCallback(int proxy, void* context);
void cnBroadPhase_Overlap(const cnBroadPhase* broadPhase, cnBounds bounds, cnOverlapCallback* callback, void* context);

// Whole-structure checks for debug builds and tests: heights, parents, bounds nest, pairs are the overlaps.
bool cnBroadPhase_Validate(const cnBroadPhase* broadPhase);

// Everything the pairs depend on, for the state hash: proxies, fat boxes, pair set, in index order.
uint64_t cnBroadPhase_Hash(const cnBroadPhase* broadPhase);
