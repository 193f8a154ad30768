// Contact points of pairs with a concave shape (hollow solids, meshes, height fields), before they
// are put together.
//
// Such a pair touches in several places with several normals. Its collider adds every point it finds here,
// each with a normal of its own; cnGatherManifolds then sorts them into manifolds of one normal and at most
// four points, which the solver takes as it takes those of convex pairs.
#pragma once

#include "base/containers/array.h"
#include "collide/manifolds/manifold.h"

typedef struct cnCandidate {
    cnVec3 point;  // half-way between the surfaces, in A's frame
    cnVec3 normal; // unit, from A to B, in A's frame
    double depth;  // m, negative up to the margin
    uint32_t feature;
} cnCandidate;

typedef struct cnCandidates {
    CN_ARRAY(cnCandidate) list;
} cnCandidates;

// False when memory ran out.
static inline bool cnCandidates_Add(cnCandidates* candidates, cnCandidate candidate) {
    return cnArray_Push(&candidates->list, candidate);
}
