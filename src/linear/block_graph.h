// The order in which the nodes of a sparse system are eliminated, found on the graph of its blocks.
//
// Nodes are bodies (6 unknowns) and constraints (1 to 8 rows); a constraint is joined to each of its bodies
// and there are no other edges. Eliminating a node joins all its neighbours that are left: fill. Which order
// makes least is hard (NP-complete); taking the node with the fewest neighbouring unknowns each time is close
// to it in practice. As in Amestoy, Davis and Duff, "An approximate minimum degree ordering algorithm" (SIAM
// J. Matrix Anal. 1996), the graph is kept as a quotient graph: an eliminated node stays as an element, the
// list of its neighbours that are left, elements swallowed by a new one disappear, so that lists never grow,
// and degrees are upper bounds that cost one look at each list.
//
// What is ours is the rule for who may go. [M Gᵀ; G −Σ] with M and Σ positive definite is symmetric
// quasi-definite, so LDLᵀ with a diagonal D exists in every order and its signs are known: + on bodies, − on
// rows (Vanderbei, "Symmetric quasidefinite matrices", SIAM J. Optim. 1995). Existence is not accuracy. A
// constraint that goes first divides the G of its bodies by Σ, which may be 1e-12 of G M⁻¹ Gᵀ, and 12 of 16
// digits of the bodies' M are lost. After body a it divides by Σ + Gₐ Mₐ⁻¹ Gₐᵀ, and what it passes on to its
// other body is a mass of the size of Mₐ. But a has six freedoms only, and rows that go after it use them up,
// its own and those of what it is tied to: then the pivot of the next is of the size of Σ again. (Two ball
// joints on one body have six rows, but rank 5: the distance of their anchors is in both.) With no body
// beside there is no danger: what is left is the positive definite matrix of rows among rows, and its
// elimination never grows, even where rows are redundant. Hence
//     a constraint may go when no body that is left is its neighbour, or
//     when one of its bodies is gone, and it has fewer rows than freedoms, 6 − Σ rows of those that went as
//     its neighbours, or just six of both where none did (a lock).
// By induction every pivot next to a body that is left is of the size of a row's own effect. Measured: a wall
// of 400 stiff bricks (Σ = 1e-12 of it) is solved to 1e-16; to 6e-7 where a constraint may go after any one
// of its bodies, at 0.9 of the cost. Rows with a sizeable Σ ("soft", named by the caller) may go at any time,
// and then a pile becomes a system of its bodies alone, which is half as large.
// A plate under 500 boxes is eliminated late (each box, then its contact, leaves nothing but the plate's six
// unknowns), a chain or a tree makes no fill beyond its joints, and time is nearly linear in the number of
// edges. Ties are broken by index and age.
#pragma once

#include "base/containers/array.h"

#include <stdint.h>

enum {
    cn_bodyUnknowns = 6,
    cn_mostRows = 8,             // of a constraint
    cn_mostConstraintBodies = 4, // for gears between joints
};

// The caller's arrays. Constraint c has the rows rowStart[c] … rowStart[c+1] − 1 and the bodies
// bodies[bodyStart[c]] …, all different.
typedef struct cnBlockTopology {
    int bodyCount, constraintCount;
    const int* rowStart;  // constraintCount + 1
    const int* bodyStart; // constraintCount + 1
    const int* bodies;
    const uint8_t* soft; // per constraint: Σ ≥ 1e-6 or so of G M⁻¹ Gᵀ in every row; null: none is
} cnBlockTopology;

// Nodes are numbered bodies first, then constraints.
typedef struct cnBlockOrder {
    int nodeCount;
    CN_ARRAY(int) weight; // unknowns of a node
    CN_ARRAY(int) nodes;  // in the order of elimination
    CN_ARRAY(int) place;  // of each node in it
    CN_ARRAY(int) parent; // of each node in the elimination tree: its first neighbour to go after it; −1
    CN_ARRAY(int) structStart; // where the neighbours that are left when a node goes are listed
    CN_ARRAY(int) structEnd;
    CN_ARRAY(int) structure;
    CN_ARRAY(uint8_t) leaf; // nothing was eliminated next to it before
    // edges of each body: the places of (constraint, body) in the caller's list, ascending; and the
    // constraint of each place
    CN_ARRAY(int) edgeStart; // bodyCount + 1
    CN_ARRAY(int) edges;
    CN_ARRAY(int) edgeConstraint;
    double flops; // multiplications and additions of the factorisation, before supernodes are made

    // of the search: lists of elements, then variables, per node; buckets by degree
    CN_ARRAY(int) list;
    CN_ARRAY(int) listStart, listLength, elementCount;
    CN_ARRAY(int) degree, lost, bodiesBeside;
    CN_ARRAY(int) next, previous;
    CN_ARRAY(int) first, last;
    CN_ARRAY(int) mark, boundary, outside, outsideMark;
    CN_ARRAY(int) lateHead, lateNext, lateElement;
    CN_ARRAY(uint8_t) state;
} cnBlockOrder;

typedef enum cnOrderResult {
    cn_orderFound = 0,
    cn_orderTooDear, // more than flopLimit
    cn_orderNoMemory,
} cnOrderResult;

// Finds the order. Stops as soon as the factorisation would take more than flopLimit operations
// (≤ 0: no limit).
cnOrderResult cnBlockOrder_Find(cnBlockOrder* order, const cnBlockTopology* topology, double flopLimit);
void cnBlockOrder_Free(cnBlockOrder* order);

// Multiplications and additions that eliminate `pivots` of `size` unknowns from a dense symmetric front.
double cnPredictFrontFlops(int pivots, int size);
