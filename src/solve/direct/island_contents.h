// What belongs to each island, or to each group of bodies that joints connect.
#pragma once

#include "solve/direct/nodes/direct_island.h"

// In ascending order: `first` by island, `next` by member; −1 at the end.
typedef struct cnMembers {
    int *first, *next;
} cnMembers;

// In solver indices, joints and contacts of cnSolve.
typedef struct cnContents {
    cnMembers bodies, joints, contacts;
} cnContents;

// `islands` are numbers below `count`, −1 for none, `stride` bytes apart. False when memory ran out.
bool cnDirect_FindMembers(const cnSolve* solve, int count, int memberCount, const int* islands, size_t stride,
                          cnMembers* members);
// Of the islands of the step.
bool cnDirect_FindContents(const cnSolve* solve, cnContents* contents);

// Sizes of one; those of several, one after the other; those that suffice for either.
cnDirectSizes cnDirect_MeasureIsland(const cnSolve* solve, const cnContents* contents, int number);
void cnDirectSizes_Add(cnDirectSizes* sum, const cnDirectSizes* sizes);
void cnDirectSizes_Cover(cnDirectSizes* largest, const cnDirectSizes* sizes);
