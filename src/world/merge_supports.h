// What bears a part of a merged body of the engine's.
#pragma once

#include "world/merge_links.h"

// A body that a part stands on, while its points are gone through.
typedef struct cnSupport {
    int row;       // −1: what does not move
    double lift;   // N, that it bears
    double weight; // N, sum over its points
    cnVec3 first;  // N m, Σ w x, x from the part's centre of mass
    double second; // N m², Σ w x²
} cnSupport;

typedef struct cnSupports {
    cnSupport of[CN_PART_SUPPORTS];
    int count;
} cnSupports;

// The support by a body, made where it is new; null where others bear more.
cnSupport* cnSupports_Get(cnSupports* supports, int row, double lift);
// A point of it that bears w newtons; x from the part's centre of mass.
void cnSupport_Add(cnSupport* support, cnVec3 x, double w);
// Of a part whose supports are found: what passing loads reads.
void cnSupports_Store(const cnSupports* supports, cnBodyTable* bodies, int part);

// What has come to a part from outside goes on to what bears it.
void cnPassLoad(const cnBodyTable* bodies, cnOutsideLoad* loads, int part);
