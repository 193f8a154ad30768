// The world: all tables, and the step that runs over them.
//
// The public functions (cairn.h) find the world by its handle, check their arguments (checks.h) and change rows here. The step
// (step.c) is a table of contents over collide/ and solve/.
#pragma once

#include "base/stack.h"
#include "base/thread_pool.h"
#include "cairn/cairn.h"
#include "collide/broad_phase.h"
#include "collide/contact_table.h"
#include "collide/filter.h"
#include "collide/geometry_table.h"
#include "collide/pair_table.h"
#include "dynamics/body_table.h"
#include "dynamics/constraint_table.h"
#include "material/pair_properties.h"
#include "solve/direct_islands.h"
#include "solve/solve.h"
#include "world/directory.h"
#include "world/events.h"
#include "world/linkages.h"
#include "world/shape_table.h"

#define CN_MAX_WORLDS 255
// Groups with names have numbers from here on.
#define CN_FIRST_NAMED_GROUP 0x80000000u

typedef struct cnWorld {
    cnWorldId id;
    cnBodyTable bodies;
    cnGeometryTable geometries;
    cnProxyTable proxies;
    cnShapeTable shapes;
    cnMaterialTables materials;
    cnConstraintTable constraints;
    cnPairTable pairs;
    cnContactTable contacts;
    cnContactPointTable contactPoints;
    cnContactEventTable contactEvents;
    cnListeners listeners;
    cnEndedContacts endedContacts;
    CN_ARRAY(char) groupNames; // each with its zero, in the order of their numbers
    cnBroadPhase* broadPhase;
    cnPairSwitches groupPairs;    // group numbers that are off
    cnPairSwitches geometryPairs; // geometry handles that are off

    cnGravity gravity;
    cnSolverSettings solver;
    double timeStep;
    bool gyroscopic;
    cnContactReductionMode contactReduction;
    int reductionResolution;
    int threadCount;       // that share the work
    cnThreadPool* threads; // borrowed for the half of a step at work, otherwise null
    cnStack stack;
    cnDirectPool direct;

    double stepCount;
    double time;
    bool collided; // the first half of a step is done
    double maxPenetration;
    cnSolveStatistics statistics;
    CN_ARRAY(cnIslandStatistics) islands; // of the last step
    CN_ARRAY(cnConstraintId) broken;      // in the last step
    CN_ARRAY(cnGuardEvent) guardEvents;   // of the last step
    cnProfile profile;
    double stepStarted; // ms

    uint32_t epoch; // sum of the tables' epochs
    int32_t rowCounts[cn_tableCount];
} cnWorld;

// Null with CN_ERROR_NULL_HANDLE or CN_ERROR_STALE_HANDLE for "world".
cnWorld* cnFindWorld(cnWorldId world, const char* call);

// Rows of live handles, −1 with an error for `argument`.
int cnFindBody(const cnWorld* world, cnBodyId body, const char* call, const char* argument);
int cnFindGeometry(const cnWorld* world, cnGeometryId geometry, const char* call, const char* argument);
int cnFindShape(const cnWorld* world, cnShapeId shape, const char* call, const char* argument);

cnBodyId cnBodyIdOf(const cnWorld* world, int row);         // null for −1
cnGeometryId cnGeometryIdOf(const cnWorld* world, int row); // null for −1

// After any public call that changed tables: row counts and the epoch that readers outside look at. Once columns may have moved, on
// every way out of the call: readers would go on with memory that is freed.
void cnWorld_PublishTables(cnWorld* world);

// True where the epoch that readers see tells of every column that moved.
bool cnWorld_IsPublished(const cnWorld* world);

// ---- geometries and their proxies (world_geometries.c) ----

// After the body's motion, pose or geometries changed.
cnErrorCode cnRebuildProxies(cnWorld* world, int geometryRow, const char* call);
void cnRefreshProxyPoses(cnWorld* world, int geometryRow);
void cnTouchGeometry(cnWorld* world, int geometryRow);
void cnRemoveGeometry(cnWorld* world, int geometryRow);

// Finds the rows of body and material, −1 for none, and the normalised rotation.
cnErrorCode cnCheckGeometryDef(const cnWorld* world, const cnGeometryDef* def, const char* call, int* body,
                               int* material, cnQuat* rotation);
bool cnMayProxiesCollide(int proxy1, int proxy2, void* world);
uint32_t cnSensorFlagsOf(const cnWorld* world, int geometry1, int geometry2);

// World pose and bounds of a proxy from its body's pose.
void cnPlaceProxy(cnWorld* world, int proxy);

// ---- bodies (world_bodies.c) ----

// Mass, inertia and centre of mass that are not given follow the geometries.
void cnRefreshMassProperties(cnWorld* world, int bodyRow);

// f32 poses for drawing, `alpha` of the way through the last step.
void cnWriteRenderPose(cnWorld* world, int bodyRow, double alpha);
cnPose cnInterpolatedPose(const cnWorld* world, int bodyRow, double alpha);

// ---- constraints (world_constraints.c) ----

// Row of a live handle, −1 with an error for `argument`, or for a null world.
int cnFindConstraint(const cnWorld* world, cnConstraintId constraint, const char* call, const char* argument);
void cnRemoveConstraint(cnWorld* world, int row);
void cnRemoveConstraintsOf(cnWorld* world, int bodyRow);
void cnSetConstraintEnabled(cnWorld* world, int row, bool enabled);

// Disables constraints whose force or torque in this step was above their limit.
void cnBreakConstraints(cnWorld* world);

// ---- fast bodies (fast_bodies.c) ----

// After the bodies moved: puts fast ones that ran into something back to where they did, with all that is joined to them. False when
// memory ran out.
bool cnStopFastBodies(cnWorld* world, const cnSolve* solve, cnLinkages* linkages);

// ---- shapes (world_shapes.c) ----

void cnDropShapeUser(cnWorld* world, int shapeRow);
void cnDropRenderData(cnWorld* world, int shapeRow);

// ---- contacts (world_contacts.c) ----

// Rows of the contact tables from the pairs, after a collide. False when memory ran out.
bool cnListContacts(cnWorld* world);

// Takes a pair out of the pair table; contacts that were listed for it lose it.
void cnRemovePair(cnWorld* world, int pairIndex);

// Takes points away where the world and the materials ask for it. Sets *reduced where that changed any pair. False when memory
// ran out.
bool cnReduceContacts(cnWorld* world, bool* reduced);

// ---- events (events.c) ----

// A pair of the broad phase that ended while it touched.
bool cnNoteEndedContact(cnWorld* world, const cnPair* pair);

// Contact listeners, over the rows of the contact table; then the table of events. False when memory ran out.
void cnTellContactListeners(cnWorld* world);
void cnTellStepListeners(cnWorld* world, uint32_t moment);
void cnTellBreakListeners(cnWorld* world);
void cnTellGuardListeners(cnWorld* world);
bool cnListEvents(cnWorld* world);
void cnListEventImpulses(cnWorld* world);

// Of the islands that the energy guard acted on, after a solve. False when memory ran out.
bool cnListGuardEvents(cnWorld* world, const cnSolve* solve);

// Forces of the last solve into the rows.
void cnListContactForces(cnWorld* world);
