// The order in which contacts are swept.
//
// Contacts that share no dynamic body can be solved at the same time. So contacts have colours: each takes
// the lowest one that is free at both bodies, and those with bodies that are not dynamic come last
// (docs/iterative-contacts.md, "colours"). They are visited in the order of a hash of the pair, which matters
// for stability: colours in index order alternate with the rows of a wall and make it sway.
//
// A step of a pile waits for memory more than for anything else. So blocks lie in the order of colours,
// within one in that of contacts, which is that of the pairs: who goes through the contacts reads the pairs
// in order, and blocks from as many places as there are colours, in order in each. What has to be asked of
// all contacts is in cnSolverContact. Four contacts side by side take as long as the one with most points, so
// those with a single one, most of a pile of round things, stand by themselves. A colour does not depend on
// what islands are solved by: contacts of two islands share no body. Large batches are divided in space
// first, and each part has the order of colours (sweeps/sweep_parts.h).
#pragma once

#include "solve/solve.h"

// Colours of contacts between two dynamic bodies, and as many again for the others; one more for those that
// found none, which share bodies.
#define CN_COLOURS 64

// Places of all contacts, once their bodies are known; false when memory ran out.
bool cnSolve_OrderContacts(cnSolve* solve);
