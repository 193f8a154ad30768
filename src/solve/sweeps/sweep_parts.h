// How a large batch is divided among threads.
//
// Threads wait for each other's lines of the cache: a body that two of them change goes to and fro between
// their cores with every colour, and in a pile of thousands swept colour by colour that took as much time as
// a second core gave. So the bodies of a large batch are divided in space, halves of halves, and its contacts
// with them (nested dissection; A. George, "Nested dissection of a regular finite element mesh", 1973):
//
//   a contact within a part            belongs to it
//   one between the two halves of ...  belongs to what was halved, the batch at last
//
// The nodes of that tree are swept from the parts up. Those of one level share no body, so each is a task of
// one thread, which goes through its colours without waiting for anyone; only what lies between the two
// halves of the batch, some hundred contacts, is swept colour by colour by all threads. Threads mostly take
// the same share of every job (base/thread_pool.c), and the parts of one half lie side by side, so two
// threads meet in the last node only.
//
// Parts depend on where bodies are and on nothing else: they are the same for any number of threads.
#pragma once

#include "solve/solve.h"

#define CN_PART_LEVELS 4
#define CN_MAX_PARTS (1 << CN_PART_LEVELS)
// Of the tree: parts, what lies between two of them, …, what lies between the two halves.
#define CN_MAX_NODES (2 * CN_MAX_PARTS - 1)

// Levels of the tree below the batch, for so many contacts; 0 where they are not worth dividing.
int cnChoosePartLevels(int contactCount);

// Sorts bodies, solver indices, by their parts, keeping their order within one; `parts` by solver index.
// False when memory ran out.
bool cnDivideBodies(cnSolve* solve, int* bodies, int count, int levels, uint8_t* parts);

// The node of a contact between bodies of two parts, in the order of sweeps: parts first, the last one is
// that of the whole batch.
static inline int cnNodeOfParts(int part1, int part2, int levels) {
    int node = 0;
    for (int level = levels; part1 != part2; --level) {
        node += 1 << level;
        part1 >>= 1;
        part2 >>= 1;
    }
    return node + part1;
}
