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
#include "material/pair_properties.h"
#include "solve/solve.h"
#include "world/directory.h"
#include "world/shape_table.h"

#define CN_MAX_WORLDS 255

typedef struct cnWorld {
    cnWorldId id;
    cnBodyTable bodies;
    cnGeometryTable geometries;
    cnProxyTable proxies;
    cnShapeTable shapes;
    cnMaterialTables materials;
    cnPairTable pairs;
    cnContactTable contacts;
    cnContactPointTable contactPoints;
    cnBroadPhase* broadPhase;
    cnPairSwitches groupPairs;    // group numbers that are off
    cnPairSwitches geometryPairs; // geometry handles that are off

    cnGravity gravity;
    cnSolverSettings solver;
    double timeStep;
    bool gyroscopic;
    cnThreadPool* threads;
    cnStack stack;

    double stepCount;
    double time;
    bool collided; // the first half of a step is done
    double maxPenetration;
    cnSolveStatistics statistics;
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

// After any public call that changed tables: row counts and the epoch that readers outside look at.
void cnWorld_PublishTables(cnWorld* world);

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

// World pose and bounds of a proxy from its body's pose.
void cnPlaceProxy(cnWorld* world, int proxy);

// ---- bodies (world_bodies.c) ----

// Mass, inertia and centre of mass that are not given follow the geometries.
void cnRefreshMassProperties(cnWorld* world, int bodyRow);

// f32 poses for drawing, `alpha` of the way through the last step.
void cnWriteRenderPose(cnWorld* world, int bodyRow, double alpha);
cnPose cnInterpolatedPose(const cnWorld* world, int bodyRow, double alpha);

// ---- fast bodies (fast_bodies.c) ----

// After the bodies moved: puts fast ones that ran into something back to where they did. False when memory ran out.
bool cnStopFastBodies(cnWorld* world, const cnSolve* solve);

// ---- shapes (world_shapes.c) ----

void cnDropShapeUser(cnWorld* world, int shapeRow);

// ---- contacts (world_contacts.c) ----

// Rows of the contact tables from the pairs, after a collide. False when memory ran out.
bool cnListContacts(cnWorld* world);

// Forces of the last solve into the rows.
void cnListContactForces(cnWorld* world);
