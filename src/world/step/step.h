// The step over a world, one file a theme. step.c calls them all, in the order of docs/architecture.md.
#pragma once

#include "world/world.h"

// ---- step.c ----

// The halves of a step, with threads borrowed. `call`: the public function, for errors.
cnErrorCode cnRunCollide(cnWorld* world, const char* call);
cnErrorCode cnRunSolve(cnWorld* world, const char* call);

// ---- idle.c ----

// At the end of a step: whether the next one has nothing to do unless somebody calls before it.
void cnNoteIdleness(cnWorld* world, const cnSolve* solve);
// That one, of a world that is idle.
void cnPassIdleStep(cnWorld* world);

// ---- pins.c ----

// Tables whose rows phases point to, whether by columns or by one row after another.
void cnPinTables(cnWorld* world, const char* holder);
void cnUnpinTables(cnWorld* world);

// ---- body_steps.c ----

// Kinematic bodies get the velocities that bring them to their targets.
void cnAimKinematicBodies(cnWorld* world);

// Before the bodies move: poses for interpolation, velocities for accelerations.
void cnRememberBodies(cnWorld* world);
void cnRememberCentres(cnWorld* world); // where contacts were found

// What velocities became in a step, over the time step.
void cnReadAccelerations(cnWorld* world);

// Force fields add to the forces of users. False when memory ran out.
bool cnApplyForceFields(cnWorld* world);

// Once a step has had them, users' forces and torques are cleared; poses to draw.
void cnFinishBodies(cnWorld* world);

// ---- pairs.c ----

// The broad phase, and the pairs that end and begin by it; then their manifolds. False when memory ran out.
bool cnUpdatePairs(cnWorld* world);
bool cnUpdateManifolds(cnWorld* world);

// ---- ccd_bodies.c ----

// What both halves of it know.
typedef struct cnCcd {
    cnLinkages linkages;
    bool anyKinematic;
    double kinematicWay; // m, the longest of a point of a kinematic body in this step
} cnCcd;

// Before velocities change: kinematic bodies, and linkages with a body that is swept. False when memory ran
// out.
bool cnBeginCcd(cnWorld* world, const cnSolve* solve, cnCcd* ccd);

// After the bodies moved: puts those that ran into something, and would go through it or are `fast`, back to
// where they did, with all that is joined to them. False when memory ran out.
bool cnStopCcdBodies(cnWorld* world, const cnSolve* solve, cnCcd* ccd);

// ---- reduction.c ----

// Takes points away where the world and the materials ask for it. Sets *reduced where that changed any pair.
// False when memory ran out.
bool cnReduceContacts(cnWorld* world, bool* reduced);

// ---- listeners.c ----

// Contact listeners are called over the rows of the contact table.
bool cnNotifyContactListeners(cnWorld* world);
void cnNotifyStepListeners(cnWorld* world, uint32_t moment);
void cnNotifyBreakListeners(cnWorld* world);
void cnNotifyGuardListeners(cnWorld* world);
void cnNotifyMergeListeners(cnWorld* world);

// Closes up the rows of listeners that are gone.
void cnCloseUpListeners(cnListeners* listeners);

// A contact of the contact table that the solve leaves out.
void cnRemoveContact(cnWorld* world, int contactRow);

// ---- events.c ----

// A pair of the broad phase that ended while it touched; there is room for it.
void cnRecordEndedContact(cnWorld* world, const cnPair* pair);

// The table of events after a collide, and its impulses after a solve. False when memory ran out.
bool cnListEvents(cnWorld* world);
bool cnListEventImpulses(cnWorld* world);

// Of the islands that the energy guard acted on, after a solve. False when memory ran out.
bool cnListGuardEvents(cnWorld* world, const cnSolve* solve);
// Bodies that belong to another merged body than when this was called last. False when memory ran out: then
// the next step lists them.
bool cnListMergeChanges(cnWorld* world);
