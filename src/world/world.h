// The world: all tables, and the step that runs over them.
//
// The public functions (src/api) find the world by its handle, check their arguments and change rows here.
// The step (step.c) is a table of contents over collide/ and solve/.
#pragma once

#include "base/stack.h"
#include "base/thread_pool.h"
#include "cairn/cairn.h"
#include "collide/broad/broad_phase.h"
#include "collide/broad/filter.h"
#include "collide/pairs/contact_table.h"
#include "collide/pairs/geometry_table.h"
#include "collide/pairs/pair_table.h"
#include "dynamics/body_table.h"
#include "dynamics/constraint_table.h"
#include "material/pair_properties.h"
#include "solve/direct/system/factor_pool.h"
#include "solve/solve.h"
#include "world/ccd/linkages.h"
#include "world/events.h"
#include "world/shape_table.h"
#include "world/table_registry.h"

// What looks at a world at the moments of a step, after listeners: the rollback ring and a recording
// (snapshot/). Called through pointers, for snapshots know the world, and not the world them.
typedef enum cnWorldMoment {
    cn_momentBeforeCollide,
    cn_momentContactsFound, // before the contact listeners, where there are any
    cn_momentContactsHeard, // after them
    cn_momentCollided,
    cn_momentBeforeSolve,
    cn_momentStepped,
} cnWorldMoment;

typedef struct cnWorld cnWorld;

// A body's motion before a step.
typedef struct cnMotionBefore {
    cnVec3 centre;                         // of mass
    cnVec3 velocity, spin;                 // that are read, and what impacts changed them by
    cnVec3 halfStepVelocity, halfStepSpin; // of the state, before impacts
} cnMotionBefore;

// What the last step did to the energies (energy_balance.c): readings, kept where users ask for them.
typedef struct cnEnergyBalance {
    bool isKept, isKnown; // isKnown: of the last step
    cnEnergies before, energies;
    CN_ARRAY(cnMotionBefore) motions;       // by row of bodies
    CN_ARRAY(cnVec3) centres;               // the same, for joints
    CN_ARRAY(cnConstraintPair) coordinates; // before it, by row of constraints
} cnEnergyBalance;

typedef struct cnWatcher {
    void (*notify)(cnWorld* world, cnWorldMoment moment); // null: there is none
    void (*release)(cnWorld* world);
    void* state;
} cnWatcher;

enum {
    cn_watcherRing,
    cn_watcherRecorder,
    cn_watcherCount
};

struct cnWorld {
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
    bool pairsLag;                // memory ran out while pairs followed the broad phase
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
    cnFactorPool direct;

    double stepCount;
    double time;
    bool collided; // the first half of a step is done
    double maxPenetration;
    cnSolveStatistics statistics;
    CN_ARRAY(cnIslandStatistics) islands; // of the last step
    CN_ARRAY(cnConstraintId) broken;      // in the last step
    CN_ARRAY(cnGuardEvent) guardEvents;   // of the last step
    cnEnergyBalance balance;
    CN_ARRAY(int) anchored; // a row of bodies each: see anchors.h
    cnProfile profile;
    double stepStarted; // ms

    cnWatcher watchers[cn_watcherCount];

    uint32_t epoch; // sum of the tables' epochs
    int32_t rowCounts[cn_tableCount];
};

// Null for a handle that is null or stale.
cnWorld* cnLookUpWorld(cnWorldId world);

// The same with CN_ERROR_NULL_HANDLE or CN_ERROR_STALE_HANDLE for "world".
cnWorld* cnFindWorld(cnWorldId world, const char* call);

// A world of a definition that has been checked; null with an error.
cnWorld* cnMakeWorld(const cnWorldDef* def, const cnGravity* gravity, const char* call);
void cnFreeWorld(cnWorld* world);
void cnStoreReduction(cnWorld* world, cnContactReductionMode mode, int resolution);

// Null handles for −1.
static inline cnBodyId cnBodyIdOf(const cnWorld* world, int row) {
    return (cnBodyId){row >= 0 ? world->bodies.handle[row] : 0};
}

static inline cnGeometryId cnGeometryIdOf(const cnWorld* world, int row) {
    return (cnGeometryId){row >= 0 ? world->geometries.handle[row] : 0};
}

// After any public call that changed tables: row counts and the epoch that readers outside look at. Once
// columns may have moved, on every way out of the call: readers would go on with memory that is freed.
void cnWorld_PublishTables(cnWorld* world);

// True where the epoch that readers see tells of every column that moved.
bool cnWorld_IsPublished(const cnWorld* world);

// ---- step.c ----

// The halves of a step, with threads borrowed. `call`: the public function, for errors.
cnErrorCode cnRunCollide(cnWorld* world, const char* call);
cnErrorCode cnRunSolve(cnWorld* world, const char* call);

// ---- pins.c ----

// Tables whose rows phases point to, whether by columns or by one row after another.
void cnPinTables(cnWorld* world, const char* holder);
void cnUnpinTables(cnWorld* world);

// ---- body_steps.c ----

// Kinematic bodies get the velocities that bring them to their targets.
void cnAimKinematicBodies(cnWorld* world);

// Before the bodies move, for interpolation.
void cnRememberPoses(cnWorld* world);

// Forces and torques of users, once a step has had them.
void cnClearForces(cnWorld* world);

// ---- pairs.c ----

// The broad phase, and the pairs that end and begin by it; then their manifolds. False when memory ran out.
bool cnUpdatePairs(cnWorld* world);
bool cnUpdateManifolds(cnWorld* world);

// ---- state.c ----

// Its own members that a snapshot holds; the tables have lists of their own.
extern const cnFieldList cnWorldFields;

uint64_t cnHashState(const cnWorld* world);

// ---- proxies.c ----

// A shape instance of a geometry.
typedef struct cnProxyShape {
    int shape, shapeIndex;
    cnPose pose; // in the geometry's frame
} cnProxyShape;

// It becomes a proxy at the head of the geometry's list. False when memory ran out.
bool cnAddProxy(cnWorld* world, int geometryRow, const cnProxyShape* instance);

// After the body's motion, pose or geometries changed.
cnErrorCode cnRebuildProxies(cnWorld* world, int geometryRow, const char* call);
void cnRefreshProxyPoses(cnWorld* world, int geometryRow);
void cnTouchGeometry(cnWorld* world, int geometryRow);
void cnRemoveGeometry(cnWorld* world, int geometryRow);

// Pairs of proxies that are gone must not be looked at before the next broad phase reports their end.
void cnDropPairsOf(cnWorld* world, int geometryRow);

// World pose and bounds of a proxy from its body's pose; and of all proxies of bodies that may move.
void cnPlaceProxy(cnWorld* world, int proxy);
void cnPlaceProxies(cnWorld* world);

// Whether a live proxy's pose is, to the bit, that of its body now.
bool cnIsProxyPlaced(const cnWorld* world, int proxy);

// ---- filters.c ----

bool cnMayProxiesCollide(int proxy1, int proxy2, void* world);
uint32_t cnSensorFlagsOf(const cnWorld* world, int geometry1, int geometry2);

// ---- body_mass.c ----

// Mass, inertia and centre of mass that are not given follow the geometries.
void cnRefreshMassProperties(cnWorld* world, int bodyRow);

// ---- poses.c ----

// f32 poses for drawing, `alpha` of the way through the last step.
void cnWriteRenderPose(cnWorld* world, int bodyRow, double alpha);
void cnWriteRenderPoses(cnWorld* world); // of all, after a step
cnPose cnInterpolatedPose(const cnWorld* world, int bodyRow, double alpha);

// ---- joints.c ----

void cnRemoveConstraint(cnWorld* world, int row);
void cnRemoveConstraintsOf(cnWorld* world, int bodyRow);
void cnSetConstraintEnabled(cnWorld* world, int row, bool enabled);

// Contacts between the two bodies follow what cnConstraint_KeepsApart says now.
void cnSwitchContacts(cnWorld* world, const cnConstraint* joint);

// Disables constraints whose force or torque in this step was above their limit.
void cnBreakConstraints(cnWorld* world);

// ---- ccd_bodies.c ----

// After the bodies moved: puts fast ones that ran into something back to where they did, with all that is
// joined to them. False when memory ran out.
bool cnStopCcdBodies(cnWorld* world, const cnSolve* solve, cnLinkages* linkages);

// ---- contact_list.c ----

// Rows of the contact tables from the pairs, after a collide. False when memory ran out.
bool cnListContacts(cnWorld* world);

// Takes a pair out of the pair table; contacts that were listed for it lose it.
void cnRemovePair(cnWorld* world, int pairIndex);

// Forces of the last solve into the rows.
void cnListContactForces(cnWorld* world);

// Adds what impacts gave in it. False when memory ran out.
bool cnListImpactForces(cnWorld* world);

// ---- reduction.c ----

// Takes points away where the world and the materials ask for it. Sets *reduced where that changed any pair.
// False when memory ran out.
bool cnReduceContacts(cnWorld* world, bool* reduced);

// ---- listeners.c ----

// Contact listeners are called over the rows of the contact table.
void cnNotifyContactListeners(cnWorld* world);
void cnNotifyStepListeners(cnWorld* world, uint32_t moment);
void cnNotifyBreakListeners(cnWorld* world);
void cnNotifyGuardListeners(cnWorld* world);

// Closes up the rows of listeners that are gone.
void cnCloseUpListeners(cnListeners* listeners);

// A contact of the contact table that the solve leaves out.
void cnRemoveContact(cnWorld* world, int contactRow);

// ---- events.c ----

// A pair of the broad phase that ended while it touched; there is room for it.
void cnRecordEndedContact(cnWorld* world, const cnPair* pair);

// The table of events after a collide, and its impulses after a solve. False when memory ran out.
bool cnListEvents(cnWorld* world);
void cnListEventImpulses(cnWorld* world);

// Of the islands that the energy guard acted on, after a solve. False when memory ran out.
bool cnListGuardEvents(cnWorld* world, const cnSolve* solve);
