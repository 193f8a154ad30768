// The constraint graph: dynamic bodies, and what acts on them as edges, contacts and joints.
//
// Much of what a step prepares follows from the graph alone: which bodies are one island, which joints close
// a loop, the colours and with them the order in which contacts and joints are swept. All of this is kept
// from step to step, and while a step finds the same edges as the one before it, as where things rest, it is
// used as it is. Looking whether they are the same is a task of the pool; finding it anew is not, and took a
// twentieth of a step of a wall, more than half of what eight threads could not share.
//
// It is a hint: in no state, and no bit of a step depends on whether it was kept (constraint_graph_test).
#pragma once

#include "base/containers/array.h"

#include <stdbool.h>
#include <stdint.h>

struct cnSolve;

// A contact in the order in which contacts are swept.
typedef struct cnContactPlace {
    int contact;
    uint8_t colour; // contact_order.h
    uint8_t node;   // of a large batch that is divided (sweeps/sweep_parts.h)
} cnContactPlace;

// Bodies are solver indices, 0 for what is not dynamic.
typedef struct cnContactEdge {
    uint32_t order; // of the pair
    int body1, body2;
    bool hasSeveral; // points
} cnContactEdge;

typedef struct cnJointEdge {
    int bodies[4];
} cnJointEdge;

// Of the last body that is dynamic: all of them are in one.
static inline int cnJointEdge_GetIsland(const cnJointEdge* edge, const int* islandOfBody) {
    int island = -1;
    for (int i = 0; i < 4; ++i) {
        island = edge->bodies[i] != 0 ? islandOfBody[edge->bodies[i]] : island;
    }
    return island;
}

typedef struct cnIslandSize {
    int bodyCount, contactCount, jointCount;
    int loops; // of joints
} cnIslandSize;

typedef struct cnConstraintGraph {
    int64_t version; // goes up with every change, from 1 on
    int bodyCount;   // with index 0; 0 while nothing is kept
    CN_ARRAY(cnContactEdge) contacts;
    CN_ARRAY(cnJointEdge) joints;

    // what follows from them
    CN_ARRAY(cnContactPlace) contactPlaces; // by slots of colours
    CN_ARRAY(uint8_t) jointColours;
    CN_ARRAY(bool) closesLoop;  // by joint: others connect its bodies already
    CN_ARRAY(int) islandOfBody; // −1 of a free one, on which nothing acts, and of index 0
    CN_ARRAY(cnIslandSize) islands;
} cnConstraintGraph;

// Colours of joints in sweeps; one more for those that found none, which share bodies.
#define CN_JOINT_COLOURS 64

void cnConstraintGraph_Free(cnConstraintGraph* graph);

// That of the step's contacts and joints. False when memory ran out.
bool cnSolve_FindGraph(struct cnSolve* solve);
