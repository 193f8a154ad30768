// Contacts as users read them: rows made from the pairs, with points and forces, once somebody asks for them.
//
// A step only notes what began and ended touching (events.c). The rows of a step can be made as long as its
// pairs are there, so they are listed before anything is read and before a pair is changed or removed from
// outside; who reads nothing pays nothing. Rows come in the order of the pairs, then those whose shapes are
// apart altogether, then pairs that touched nothing when the contacts were found and came to bear, or were
// struck, within the solve: those are of state contact, since their impact is that of the step in which they
// touch. So the forces that are listed always make up the change of momentum.
#pragma once

#include "world/world.h"

// Makes the contact tables those of the last collide, or of the last step. False, and without rows, when
// memory ran out; the next call tries again.
bool cnListContacts(cnWorld* world);

// For public calls: CN_ERROR_NONE, or the error that was set.
cnErrorCode cnTryListContacts(cnWorld* world, const char* call);

// The same before pairs are taken away, which cannot fail: without memory the step stays without rows.
void cnKeepContacts(cnWorld* world);

// The tables are out of date: a collide or a solve has changed what they are made from.
void cnForgetContacts(cnWorld* world, cnContactStage stage);

// The pair of some events has another row, or none: `to` is −1. The rows of contacts that they name are given
// anew with those of the step.
void cnMoveEvents(cnWorld* world, int from, int to);

// Where a point of a pair's manifold was when it was found, world.
cnVec3 cnContactPointOf(const cnWorld* world, const cnPair* pair, int point);

// m, the largest depth of what is not a sensor's, nor removed.
double cnFindMaxPenetration(const cnWorld* world);
