// The world: all tables, and the step that runs over them.
//
// The public functions (src/api) find the world by its handle, check their arguments and change rows here.
// The step (step.c) is a table of contents over collide/ and solve/.
#pragma once

#include "base/containers/row_list.h"
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
#include "dynamics/merged_body_table.h"
#include "material/pair_properties.h"
#include "solve/direct/system/factor_pool.h"
#include "solve/solve.h"
#include "solve/sweeps/sweep_batches.h"
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

// What the contact tables say.
typedef enum cnContactStage {
    cn_contactsListed, // the contacts of the pairs as they are
    cn_contactsFound,  // out of date: the last collide found others
    cn_contactsSolved, // out of date: the last solve gave them other forces
} cnContactStage;

struct cnWorld {
    cnWorldId id;
    cnBodyTable bodies;
    cnGeometryTable geometries;
    cnProxyTable proxies;
    cnShapeTable shapes;
    cnMaterialTables materials;
    cnConstraintTable constraints;
    cnMergedBodyTable mergedBodies;
    cnMergeEdgeTable mergeEdges;
    cnPairTable pairs;
    cnContactTable contacts;
    cnContactPointTable contactPoints;
    cnContactEventTable contactEvents;
    cnContactStage contactStage;
    bool eventsMoved; // the events' contacts are numbered as they were before pairs were removed
    cnListeners listeners;
    cnEndedContacts endedContacts;
    CN_ARRAY(char) groupNames; // each with its zero, in the order of their numbers
    cnBroadPhase* broadPhase;
    bool pairsLag;                // memory ran out while pairs followed the broad phase
    cnPairSwitches groupPairs;    // group numbers that are off
    cnPairSwitches geometryPairs; // geometry handles that are off

    cnGravity gravity;
    cnSolverSettings solver;
    cnSleepSettings sleep;
    cnMergeSplitSettings mergeSplit;
    double timeStep;
    bool gyroscopic;
    bool continuous; // nothing passes what stands (step/ccd_bodies.c)
    cnContactReductionMode contactReduction;
    int reductionResolution;
    int threadCount;       // that share the work
    cnThreadPool* threads; // borrowed for the half of a step at work, otherwise null
    cnStack stack;
    cnFactorPool direct;
    cnConstraintGraph graph;
    cnSweepBatches batches;

    double stepCount;
    double time;
    bool collided; // the first half of a step is done
    double maxPenetration;
    cnSolveStatistics statistics;
    CN_ARRAY(cnIslandStatistics) islands; // of the last step
    CN_ARRAY(cnConstraintId) broken;      // in the last step
    CN_ARRAY(cnGuardEvent) guardEvents;   // of the last step
    CN_ARRAY(cnMergeChange) mergeChanges; // since the step before
    cnEnergyBalance balance;
    CN_ARRAY(int) anchored; // a row of bodies each: see anchors.h
    cnProfile profile;
    double stepStarted; // ms

    // sleep.h
    int asleepCount;         // bodies
    bool isRousing;          // pairs of bodies that have woken up are still asleep
    CN_ARRAY(int) awakeRows; // of bodies, while some are asleep
    bool awakeRowsAreOld;
    bool isIdle;          // nothing happened in the last step, and nobody has called since (step/idle.c)
    CN_ARRAY(int) drowsy; // rows that fell asleep at the end of the last step, or will at that of this one

    // adaptive_merging.h
    int adaptiveCount;          // merged bodies that are the engine's
    bool isDisturbed;           // some of them, which split before the next collide
    int mergeCount, splitCount; // of bodies in this step

    cnWatcher watchers[cn_watcherCount];

    uint32_t epoch; // sum of the tables' epochs
    int32_t rowCounts[cn_tableCount];
};

// Null for a handle that is null or stale. Who has it may change the world, which is not idle any more.
cnWorld* cnLookUpWorld(cnWorldId world);

// The same with CN_ERROR_NULL_HANDLE or CN_ERROR_STALE_HANDLE for "world".
cnWorld* cnFindWorld(cnWorldId world, const char* call);

// For calls that only read: an idle world stays so.
const cnWorld* cnReadWorld(cnWorldId world, const char* call);

// A world of a definition that has been checked; null with an error.
cnWorld* cnMakeWorld(const cnWorldDef* def, const cnGravity* gravity, const char* call);
void cnFreeWorld(cnWorld* world);
// The defaults of what sleeps, where settings are 0.
#define CN_SLEEP_LINEAR 0.05 // m/s
#define CN_SLEEP_ANGULAR 0.2 // rad/s
#define CN_SLEEP_TIME 0.5    // s
void cnStoreSleep(cnWorld* world, const cnSleepSettings* settings);
// Thresholds of cnMergeSplitSettings: member, what 0 stands for, unit. They are listed in state.c and
// scene/load.c, too.
#define CN_MERGE_THRESHOLDS(X)                                                                               \
    X(normalSpeed, 0.01, "m/s")                                                                              \
    X(tangentialSpeed, 0.01, "m/s")                                                                          \
    X(rollingSpeed, 0.01, "m/s")                                                                             \
    X(constraintSpeed, 5e-3, "m/s or rad/s")                                                                 \
    X(impactSpeed, 0.01, "m/s")                                                                              \
    X(setValueChange, 1e-5, "m, rad, m/s or rad/s")                                                          \
    X(forceRangeChange, 0.1, "N or N m")
void cnStoreMergeSplit(cnWorld* world, const cnMergeSplitSettings* settings);
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

// One shape at the geometry's frame in place of its others, whose pairs end. When memory runs out nothing has
// changed.
cnErrorCode cnReplaceProxies(cnWorld* world, int geometryRow, int shape, const char* call);

// After the body's motion, pose or geometries changed.
cnErrorCode cnRebuildProxies(cnWorld* world, int geometryRow, const char* call);
void cnRefreshProxyPoses(cnWorld* world, int geometryRow);
void cnTouchGeometry(cnWorld* world, int geometryRow);
// The broad phase looks at it anew; unlike cnTouchGeometry it wakes nobody.
void cnTouchProxies(cnWorld* world, int geometryRow);
void cnTouchBody(cnWorld* world, int bodyRow); // at all of its geometries
void cnRemoveGeometry(cnWorld* world, int geometryRow);

// Takes a pair out of the pair table; contacts that were listed for it lose it.
void cnRemovePair(cnWorld* world, int pairIndex);

// Pairs of proxies that are gone must not be looked at before the next broad phase reports their end.
void cnDropPairsOf(cnWorld* world, int geometryRow);

// Dynamic or kinematic, or part of a merged body that is; not for −1.
bool cnDoesBodyMove(const cnWorld* world, int body);

// World pose and bounds of a proxy from its body's pose; and of all proxies of bodies that may move.
void cnPlaceProxy(cnWorld* world, int proxy);
void cnPlaceProxies(cnWorld* world);
// How far those may go in the step that begins (cnProxyTable.travelNext).
void cnForeseeProxies(cnWorld* world);

// Whether a live proxy's pose is, to the bit, that of its body now.
bool cnIsProxyPlaced(const cnWorld* world, int proxy);

// ---- filters.c ----

bool cnMayProxiesCollide(int proxy1, int proxy2, void* world);
// Those of one body, or of parts of one merged body.
bool cnDoProxiesMoveTogether(int proxy1, int proxy2, void* world);
uint32_t cnSensorFlagsOf(const cnWorld* world, int geometry1, int geometry2);

// ---- body_rows.c ----

// cn_bodyDynamic, cn_bodyKinematic or neither.
uint32_t cnMotionFlags(cnMotion motion);

// Writes every column of a row that was just acquired; the definition was checked.
void cnFillBody(cnWorld* world, int row, const cnBodyDef* def, cnQuat rotation);

// ---- body_mass.c ----

// Inertia of `mass` about a point `offset` away from its own centre: m (|d|² 1 − d dᵀ).
cnMat33 cnSteiner(double mass, cnVec3 offset);

// Mass, inertia and centre of mass that are not given follow the geometries. Where none gives a mass, they
// stay as they are if cnKeepMassProperties was called before, else they are 1 kg, 1 kg m² and the origin.
void cnRefreshMassProperties(cnWorld* world, int bodyRow);
// Before a body loses what gives it a mass, or a part of that.
void cnKeepMassProperties(cnWorld* world, int bodyRow);

// ---- poses.c ----

// f32 poses for drawing, `alpha` of the way through the last step.
void cnWriteRenderPose(cnWorld* world, int bodyRow, double alpha);
cnPose cnInterpolatedPose(const cnWorld* world, int bodyRow, double alpha);

// ---- joints.c ----

void cnRemoveConstraint(cnWorld* world, int row);
void cnRemoveConstraintsOf(cnWorld* world, int bodyRow);
void cnSetConstraintEnabled(cnWorld* world, int row, bool enabled);

// Contacts between the two bodies follow what cnConstraint_KeepsApart says now.
void cnSwitchContacts(cnWorld* world, int constraintRow);

// Disables constraints whose force or torque in this step was above their limit.
void cnBreakConstraints(cnWorld* world);
