// Sleep: islands that have come to rest leave the step until something wakes them.
//
// A body that is slower than the world's thresholds, slower by far in the mean, and that no user's force acts
// on, gathers `restTime`. When all bodies of an island have enough of it, they fall asleep together at the
// end of the step: they stand still, the ring of `nextAsleep` holds them together, and the pairs between them
// and what does not move get an `apartUntil` of infinity. Phases go through the rows of bodies and pairs that
// are awake (cnRowList), lists that are made anew only when some fall asleep, wake up, come or go; everything
// that holds sleepers (manifolds, multipliers, forces to read) stays as it is.
//
// Four things wake a ring: a call that changes one of its bodies, or what these touch or are joined to; the
// end of a pair that had points; a pair that the narrow phase has looked at, since one of its bodies is
// awake, and that has points; and a joint to a body that is awake, as a part of a merged body is that was
// held still and has come apart. The last two are found between the narrow phase and the solve, so that what
// is struck yields in the same step, by its own mass.
//
// What moves slowly on purpose must not freeze: an island with a motor at work, with a kinematic body that
// moves, or with a sleepless body stays awake, and a body that nothing touches or holds sleeps only if it
// does not move at all.
#pragma once

#include "world/world.h"

// Rows of the bodies that a step goes through: not those that are asleep.
cnRowList cnGetAwakeRows(cnWorld* world);

// The body's ring; nothing where it is awake.
void cnWakeBody(cnWorld* world, int bodyRow);
void cnWakeAll(cnWorld* world);

// Before a geometry changes: those that touch it, and its own body. All its pairs are looked at again.
void cnWakeGeometry(cnWorld* world, int geometryRow);
// Before a body changes: itself, or those that touch it or are joined to it where it is none that sleeps.
void cnWakeAround(cnWorld* world, int bodyRow);
// Before a kinematic body gets a velocity: the same, unless it moves already.
void cnWakeOnMove(cnWorld* world, int bodyRow);
void cnWakeConstraint(cnWorld* world, int constraintRow);
// Before a pair ends or loses its points.
void cnWakePair(cnWorld* world, const cnPair* pair);

// Whether the step looks at it: some body of it can change it, and not both are parts of one merged body.
bool cnArePairBodiesActive(const cnWorld* world, int body1, int body2);

// ---- in a step ----

// Before the narrow phase: pairs of bodies that have woken up are looked at again.
void cnRousePairs(cnWorld* world);
// After it: those that have been touched, or are joined to what is awake.
void cnWakeTouched(cnWorld* world);
// After the solve, while there are islands: which of them fall asleep in this step. False when memory ran
// out.
bool cnListDrowsy(cnWorld* world, cnSolve* solve);
// At the end of the step: they do. The rows of contacts are others then.
void cnFallAsleep(cnWorld* world);

// ---- elsewhere ----

// What is counted and listed about sleepers, made anew from the bodies.
void cnRecountSleepers(cnWorld* world);
