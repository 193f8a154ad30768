// Adaptive merging: bodies that rest on one another move as one, until something acts on them.
//
// A merged body that the engine makes (cn_mergedAdaptive) has no edges: what holds its parts together are the
// contacts and constraints between them, which sleep as those within any merged body do and keep the forces
// of the last step that solved for them (merge_links.h). The world merges in four places of a step:
//
//   merging     at the end of a step: bodies whose contacts and joints have all been at rest for a tenth of a
//               second become one with what they rest on (merge_resting.c). What rests on a kinematic body
//               that moves rides on it; what rests on the ground becomes static.
//   margins     then the forces within are known, and so is what they may bear beside them: by how much the
//               specific force a − g, seen from the carrier, may change before a part slides, tips or lifts
//               off, and which force and moment from outside may be added to a part (merge_margins.c).
//               What comes to one part goes on to those that bear it (merge_supports.c).
//   watching    at the end of each step, or before one where a kinematic body's velocity was set: what has
//               left its margins is disturbed (merge_watching.c). So is, at once, whatever a user changes, by
//               the calls that would wake it if it slept.
//   splitting   before a collide, parts that are disturbed leave, and with them what they bear. What is left
//               without a link to the rest becomes merged bodies of their own. Between the narrow phase and
//               the solve the same is done to parts that something strikes, and to those that they would be
//               pushed into (merge_splitting.c); the contacts among them are there without another collide,
//               since nothing has moved between them (TurnManifold in carriers.c).
//
// Margins are estimates, halved: what leaves them is solved for as any body, and merges again if it rests. So
// they decide about time, not about what bodies do, but within what they allow: a step's delay where the
// acceleration of a dynamic whole leaves its margin.
#pragma once

#include "world/merged_bodies.h"

// ---- what disturbs ----

// A body, where it is part of a merged body of the engine's. Nothing for others.
void cnDisturbBody(cnWorld* world, int bodyRow);
// All parts of a merged body.
void cnDisturbAllParts(cnWorld* world, int mergedRow);
void cnDisturbAll(cnWorld* world);
// What a constraint holds together: not its bodies, unless they stay together without it. Of one between
// parts of different merged bodies, both.
void cnDisturbConstraint(cnWorld* world, int constraintRow);
// Whether a constraint holds what is merged, and new settings of its motor, lock or range are so near the
// old ones that it stays merged.
bool cnIsChangeSmall(const cnWorld* world, int constraintRow, const cnConstraint* before,
                     const cnConstraint* after);

// ---- in a step ----

// Before a collide: bodies that ride on kinematic ones whose velocity has changed are disturbed.
void cnWatchKinematicParents(cnWorld* world);
// What is disturbed leaves. `pushes`: m/s, that blows give to parts, by row of bodies, and on return to what
// these are pushed into; null: there are none.
void cnSplitDisturbed(cnWorld* world, cnVec3* pushes);
// After the narrow phase: parts that something strikes leave. False when memory ran out.
bool cnSplitStruck(cnWorld* world);
// At the end of the step: what has left its margins is disturbed; then what rests merges. False when memory
// ran out.
bool cnWatchMerged(cnWorld* world);
bool cnMergeResting(cnWorld* world);

// ---- elsewhere ----

// What is counted about merged bodies of the engine's, made anew.
void cnRecountAdaptive(cnWorld* world);
