// Whole-world invariants: what every function relies on that takes a world.
//
// In come all tables of a world, out comes the first invariant that does not hold. Arguments of users are
// checked by the public functions; what is found here is a defect of Cairn, or memory that somebody else has
// overwritten. The checks take no memory and a time proportional to the rows: lists are walked once and
// counted against what should be in them.
#pragma once

#include "base/report/fault.h"
#include "world/world.h"

// Where in a step the world is, since not everything holds everywhere.
typedef enum cnWorldPhase {
    cn_phaseSettled, // between public calls; in calls of listeners
    // contacts were found, nothing changed since: every pair of the broad phase has its pair
    cn_phaseCollided,
    cn_phaseMoved,    // bodies were moved, proxies not yet
    cn_phaseRestored, // settled, with rows from outside; broad phase and map of pairs were made of them
} cnWorldPhase;

// False with the first broken invariant. Of a restored world what was just made from rows is not checked
// again: trees, sets and maps.
bool cnValidateWorld(const cnWorld* world, cnWorldPhase phase, cnFault* fault);

// In builds with guards (guard.h): the same after phases of a step, ending the program with the message.
// Every step is checked: of a pile of 4,000 boxes with 45,000 pairs it takes a tenth of the step with
// sanitizers. `moment`: when, as a phrase.
#if CN_GUARDS
#define CN_VALIDATE(world, phase, moment) cnDemandValidWorld(world, phase, moment)
#define CN_VALIDATE_SOLVE(solve, moment) cnDemandValidSolve(solve, moment)
void cnDemandValidWorld(const cnWorld* world, cnWorldPhase phase, const char* moment);
void cnDemandValidSolve(const cnSolve* solve, const char* moment);
#else
#define CN_VALIDATE(world, phase, moment) ((void)0)
#define CN_VALIDATE_SOLVE(solve, moment) ((void)0)
#endif
