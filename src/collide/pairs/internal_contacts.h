// Contacts between the parts of a fixed surface that is made of several shapes: none.
//
// A body that slides from one box to the next of a row, all flush, touches the next one's edge before it is
// above it, or with its front face the next one's side, deeper than its weight has pressed it in. Either
// would stop it, although nothing sticks out (ghost collisions). In the union of the boxes these contacts do
// not exist. A direction n is one in which something outside can touch a union U at its point p only if, for
// some small δ, p is the point of U next to p + δ n. So a manifold of a moving body X with a fixed shape P1
// is dropped when for each of its points there is another fixed shape P2 that X is near too, such that
//   1. p lies on P2, within a slop,
//   2. P2 has a nearer point to p + δ n than p, or one in another direction: P2 covers the point, and
//   3. it is not that both meet in a concave corner, where P1's face goes on free beside P2: a little way
//      along the face, away from P2, nothing covers it.
// A manifold has one normal; if that is right at one of its points, it is right for all of them.
// Half-spaces have no edges and lose no contacts, and what is deeper than the margin is no stumble but has
// to be pushed out. Where X is near one fixed shape only there is nothing to do, so all this costs one
// pass over the pairs.
#pragma once

#include "collide/pairs/narrow_phase.h"

// Serial, after the narrow phase; false when memory ran out.
bool cnDropInternalContacts(const cnNarrowPhase* phase);
