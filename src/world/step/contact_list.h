// Contacts as users read them: rows made from the pairs after a collide (contact_list.c), and what the solve
// adds to them, forces and points that bear late (contact_forces.c).
#pragma once

#include "world/world.h"

// What a pair's row says, none where it has no row. Children that touch have the state of their parent; the
// parent itself has a row, without points, only when all have ended.
cnContactState cnContactStateOf(const cnPairTable* pairs, const cnPair* pair);

// A row for a pair, without points, behind the others. There has to be room for it. Returns which.
int cnAddContactRow(cnWorld* world, int pair, cnContactState state);

// Point k of a pair's manifold at place p, of a row: `centre` is where the centre of mass of its body (its
// first, unless that is static geometry) was when the point was found.
void cnSetContactPoint(cnWorld* world, int p, int row, const cnPair* pair, int k, cnVec3 centre);
