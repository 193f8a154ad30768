// The narrow phase: manifolds of all pairs, recycled from the last step or built.
//
// A recycled manifold. A manifold stays as it was made (normal, arms, feature ids; in world axes) while no
// point has moved relatively by more than 1 % of the smaller inradius (at most 5 mm) and neither body has
// rotated by more than 0.05 rad; only the separations are renewed:
//   s = s_made + n·((x1 − x1_made) + (R1 − R1_made) r1 − the same of body 2).
// It saves the narrow phase, and it takes away the lever by which a soft pile buckles on the jitter of its
// own contact points (docs/iterative-contacts.md).
//
// Pairs of several manifolds. A concave shape (a hollow solid, a mesh, a height field) touches in several
// places. The pair that the broad phase reports is then the parent: it has no manifold itself but a row of
// `concaves`, where its collider leaves up to CN_PAIR_MANIFOLDS of them, and each of these is a child: a pair
// of the same proxies with a part >= 1. Solvers, islands and forces know no difference between a child and a
// simple pair, nor need they skip the parent: it has no points.
//
// Distant pairs. Most pairs are apart, and rows of a table of their own that say how far (pair_table.h). One
// that may be apart no longer is collided as a whole pair that begins; what then has points, or no known gap,
// is made one, and whole pairs that have come apart are made distant.
//
// A collide:
//   1. UpdateSimplePairs, parallel but for the moves between the two tables, which go by rows;
//   2. cnCollideConcaves, parallel: parents keep their manifolds or make new ones, and these find the
//      children that they continue, by normal and place, so that multipliers carry over;
//   3. cnChangeChildren, serial, in the order of rows: children are removed and added;
//   4. cnRenewConcaves, parallel: children take their new manifolds or renew their depths; parents learn
//      whether they touch.
// A parent keeps its manifolds while no point within the bounding ball of the smaller shape can have moved
// relatively by more than a simple pair's points may.
#pragma once

#include "base/stack.h"
#include "collide/pairs/pair_table.h"
#include "dynamics/motion.h"
#include "material/material_table.h"

// What the narrow phase works on: pairs, their shapes where they are now, and bodies as they move.
typedef struct cnNarrowPhase {
    cnPairTable* pairs;
    const cnProxyTable* proxies;
    cnShape* const* shapes; // by row
    const cnBodyTable* bodies;
    const cnMaterialTables* materials;
    const cnGravity* gravity;
    double timeStep;  // s
    double kickShare; // of half a step: when the solver's forces act in the mean (midpoint_normal.h)
    cnStack* stack;
    cnThreadPool* threads;
} cnNarrowPhase;

// After the broad phase; false when memory ran out.
bool cnRunNarrowPhase(cnNarrowPhase* phase);

// ---- concave_pairs.c --------------------------------------------------------------------------------------

// Tasks over rows begin … end−1 of `concaves`, with the phase as their context: of so many that all they read
// fits a cache, since they ask for it together (base/prefetch.h).
#define CN_CONCAVE_CHUNK 4
void cnCollideConcaves(int begin, int end, int thread, void* phase);
void cnRenewConcaves(int begin, int end, int thread, void* phase);

// False when memory ran out.
bool cnChangeChildren(const cnNarrowPhase* phase);

// ---- shared by pairs of all kinds -------------------------------------------------------------------------

// What two proxies have travelled together, m, with what rotations move their shapes' points by; and what
// they will have after the coming step, at most.
static inline double cnGetTravel(const cnProxyTable* proxies, int proxy1, int proxy2) {
    return proxies->travel[proxy1] + proxies->travel[proxy2];
}

static inline double cnGetNextTravel(const cnProxyTable* proxies, int proxy1, int proxy2) {
    return proxies->travelNext[proxy1] + proxies->travelNext[proxy2];
}

// ---- shared by simple pairs and children ------------------------------------------------------------------

cnBuiltPose cnBuiltPoseOf(int body, const cnNarrowPhase* phase);

// Whether nothing within `reach` (m) of a world point has moved relatively by more than the pair may keep.
bool cnMayRecycle(const cnPair* pair, cnVec3 centre, double reach, const cnNarrowPhase* phase);

// Renews the depths of a recycled manifold; false, and nothing is changed, where a point has moved by more
// than `limit` (m).
bool cnRenewDepths(cnPair* pair, double limit, const cnNarrowPhase* phase);

// Takes a new manifold over, with the multipliers of the old one's points.
void cnInstallManifold(cnPair* pair, const cnManifold* manifold, const cnNarrowPhase* phase);

// Touching, and touching before, after a collide that kept or made (cn_pairRecycled, cn_pairBuilt).
void cnSetPairFlags(cnPair* pair, uint32_t kept);
