// Pairs of proxies whose bounds overlap, kept between steps with their manifolds and all that the solvers
// remember of them.
//
// Of most pairs bounds alone overlap: shapes that are apart have no points, touch nothing and bear nothing,
// and what is known of them is how far apart they were, and where. These distant pairs are short rows of a
// table of their own, a sixth as long as those of whole pairs.
//
// Dense: a pair that ends is replaced by the last one. The order of all changes is fixed by the broad phase's
// reports and by the order of pairs, so it does not depend on threads.
#pragma once

#include "base/containers/array.h"
#include "base/containers/field.h"
#include "base/containers/hash_map.h"
#include "base/containers/paged_array.h"
#include "base/containers/row_list.h"
#include "base/prefetch.h"
#include "base/report/fault.h"
#include "base/thread_pool.h"
#include "collide/narrow/collide_shapes.h"
#include "collide/pairs/geometry_table.h"

#include <math.h>
#include <stddef.h>

enum {
    cn_pairHasManifold = 1 << 0,
    cn_pairTouching = 1 << 1,          // some point touches in this step (cnPair_TouchesAt)
    cn_pairWasTouching = 1 << 2,       // in the step before
    cn_pairRecycled = 1 << 3,          // the last collide kept the manifold
    cn_pairBuilt = 1 << 4,             // the last collide made it again
    cn_pairLimitedCorrection = 1 << 5, // came in by an impact and has not rested since
    cn_pairCalm =
        1 << 11, // solved directly: its multipliers are its springs' forces, with hardly any of the dampers'
    // to be rebuilt in the next collide: points were taken away (internal_contacts.h), or a shape has changed
    cn_pairThinned = 1 << 6,
    cn_pairSoft = 1 << 7,           // its compliance is sizeable: for the direct solver
    cn_pairSensor = 1 << 8,         // found, never solved
    cn_pairOverlapOnly = 1 << 9,    // a sensor's, without points
    cn_pairRemoved = 1 << 10,       // by a listener: not solved in this step
    cn_pairCustom = 1 << 14,        // the user gives its friction in this step
    cn_pairSlides = 1 << 13,        // friction was at its bound in the last step
    cn_pairFamilyTouched = 1 << 15, // a child's: some child of its parent touched in the step before
    cn_pairDeep = 1 << 12,          // has sunk in deep since it rested, and nothing explains it
    cn_pairCorrected = 1 << 20,     // bodies were moved because of its overlap in this step
    cn_pairWasCorrected = 1 << 21,  // in the step before
    cn_pairPointTouches = 1 << 16,  // and the bits above it: of its points, in this step
    // solved directly: which part of its multipliers is its springs' forces, and not the dampers', in 1023rds
    cn_pairSpringPart = 1 << 22,
};
#define CN_PAIR_SPRING_PARTS 1023
#define CN_PAIR_SPRING_BITS ((uint32_t)cn_pairSpringPart * CN_PAIR_SPRING_PARTS)
#define CN_PAIR_POINTS_TOUCHING ((uint32_t)cn_pairPointTouches * ((1u << CN_MANIFOLD_POINTS) - 1))

// The gap up to which what bore load in the step before still touches, as a share of the margin. What rests
// hangs within rounding of depth 0, on either side of it.
#define CN_TOUCH_GAP 1e-3f
// The same of what has just come in.
#define CN_MET_GAP 1e-2f

// position correction speed that an impact leaves at least, m/s.
#define CN_MIN_CORRECTION_SPEED 0.5f

// A point may move relatively by this share of the smaller inradius, and at most so far, m, while its
// manifold is kept.
#define CN_RECYCLE_FRACTION 0.01
#define CN_MAX_RECYCLE_TOLERANCE 0.005

// Steps for which an island is doubtful: after it failed to converge; after it moved, or nearly converged.
#define CN_BACK_OFF_STEPS 120
#define CN_WAIT_STEPS 15

// A body as the pair saw it when the manifold was made.
typedef struct cnBuiltPose {
    cnVec3 centre; // of mass, world
    cnQuat rotation;
} cnBuiltPose;

// Up to this gap a pair has points before it touches, m (docs/physics.md, "Margin").
static inline double cnContactMargin(double inradius) {
    return cnMin(0.02 * inradius, 0.02);
}

// In two halves: what the narrow phase remembers and others seldom ask for; and, 256 bytes that fill four
// lines, what solvers read and write of it.
typedef struct cnPair {
    cnBuiltPose built1, built2; // as made
    float builtDepth[CN_MANIFOLD_POINTS];
    // what f32 leaves of `impulse`, `friction` and `torsionalFriction`, of islands that are solved in f64
    // (converged_rest.c); stale where others have written these since
    float impulseRemainder[CN_MANIFOLD_POINTS];
    cnVec3f frictionRemainder;
    float torsionalRemainder;
    cnCollideCache cache;
    int concave;        // a parent's row of `concaves`, −1 for all others
    int proxy1, proxy2; // proxy1 < proxy2
    int geometry1, geometry2;
    uint32_t order;    // scrambled number of the pair: the order in which the solver visits pairs
    uint8_t part;      // 0, or 1 … CN_PAIR_MANIFOLDS for a child
    uint8_t ballCount; // of the two shapes spheres
    uint8_t roundCount;
    uint8_t latePoints; // of listed contacts, a bit a point: bears or was struck and did not touch before
    float correction[CN_MANIFOLD_POINTS]; // kg m, impulses of the last position correction (cn_pairCorrected)
    cnManifold manifold; // as made; its depths are renewed in every step. From its patch on, the second half

    cnVec3f arm1[CN_MANIFOLD_POINTS]; // as made, from the bodies' centres of mass to the points, world axes
    cnVec3f arm2[CN_MANIFOLD_POINTS];

    // the solver's memory
    float impulse[CN_MANIFOLD_POINTS]; // N s, of one sub-step
    cnVec3f friction;                  // N s, of one sub-step, world axes, on body 1
    float torsionalFriction;           // N m s about the normal, on body 1; right behind `friction`
    cnVec3f rollingFriction;           // N m s about tangents, on body 1
    float integralImpulse;             // N s, the mean impulse over half a second
    float correctionLimit;             // m/s, while cn_pairLimitedCorrection
    int convergedSteps;                // steps its island stays converged; below 0: is doubtful

    int body1, body2; // rows that move its shapes, of parts of merged bodies their carriers'; −1 for static
    uint32_t flags;
    cnVec3f frictionForce;                 // N, on body 1, of the last step
    double inradius;                       // m, of the smaller shape
    double curvature;                      // m/s², Q of midpoint_normal.h; 0 where the manifold is kept
    float normalForce[CN_MANIFOLD_POINTS]; // N, of the last step
} cnPair;

// Where the half begins that solvers read.
#define CN_PAIR_SOLVED offsetof(cnPair, manifold.patch)
_Static_assert(CN_PAIR_SOLVED % CN_CACHE_LINE == 0 && sizeof(cnPair) % CN_CACHE_LINE == 0 &&
                   sizeof(cnPair) - CN_PAIR_SOLVED == 256,
               "the halves of a pair fill lines");

// Asks for the lines that solvers read.
static inline void cnPair_Prefetch(const cnPair* pair) {
    cnPrefetchObject((const char*)pair + CN_PAIR_SOLVED, sizeof *pair - CN_PAIR_SOLVED);
}

// Without points, touching nothing, no sensor's, not concave: what it knows is how far apart it was.
typedef struct cnDistantPair {
    cnVec3 apartAt;   // m, from shape 2's frame to shape 1's when `cache.gap` was found
    double apartTurn; // m, the two proxies' `turn` then
    cnCollideCache cache;
    int proxy1, proxy2; // proxy1 < proxy2
    int geometry1, geometry2;
    int body1, body2; // rows that move its shapes; −1 for static
    float margin;     // m, cnContactMargin
} cnDistantPair;
_Static_assert(sizeof(cnDistantPair) == 88, "snapshots have no room between members");

// What the narrow phase asks of every pair in every step, apart from the rest, which it mostly need not
// touch.
typedef struct cnPairHead {
    int proxy1, proxy2;
    // m: the pair has no points, touches nothing and changes nothing while its proxies' `travelNext` together
    // is less than this; 0 where it must be looked at, as whole pairs always must. Where they have travelled
    // farther, together as in a fall, the pair knows how far apart they were. Infinite for a pair that is
    // asleep, with or without points
    double apartUntil;
} cnPairHead;

typedef struct cnPairHeads {
    CN_ARRAY(cnPairHead) rows; // one a pair
    int asleepCount;           // of pairs
    CN_ARRAY(int) awake;       // the others, while there are any that sleep
    bool awakeIsOld;           // pairs came, went, fell asleep or were roused since
} cnPairHeads;

// The two proxies of a pair and the rows that move them.
typedef struct cnPairSides {
    int proxy1, proxy2, body1, body2;
} cnPairSides;

// A pair that may have points or touch: what a step asks of all of them, so that it need not look at pairs.
// Copies, as of the last cnPairTable_ListNear.
typedef struct cnNearPair {
    int pair;
    int body1, body2;
    uint32_t order;
    uint8_t pointCount;
    uint8_t state; // cnContactState
    bool isUnsolved;
} cnNearPair;

// What a manifold takes over from where the bodies will be in half a step (midpoint_normal.h).
typedef struct cnMidpoint {
    bool seen;
    cnVec3f normal;
    cnVec3f arm1[CN_MANIFOLD_POINTS], arm2[CN_MANIFOLD_POINTS]; // m
    double curvature;                                           // m/s²
} cnMidpoint;

// What a parent owns beside its pair.
typedef struct cnConcave {
    int proxy1, proxy2; // of the parent; −1: the row is free
    uint32_t parts;     // bit p: part p is a pair
    bool made;          // by the last collide
    bool failed;        // memory ran out
    bool overlaps;      // of a sensor without points
    cnVec3 centre;      // m, world, of the smaller shape as made
    double reach;       // m, its bounding radius
    double meetsAt;     // part of the step after which what it made meets (meetings.h); 0: touches
    int manifoldCount;
    int partOf[CN_PAIR_MANIFOLDS];      // the child of each manifold
    int indices[CN_PAIR_MANIFOLDS + 1]; // where its parts were when they were last looked up; a hint
    cnManifold manifolds[CN_PAIR_MANIFOLDS];
    cnMidpoint ahead; // of the only manifold
} cnConcave;

// What saves a concave pair work and changes nothing that comes out, so that no state has it; all 0 at first.
typedef struct cnConcaveHint {
    cnNearTriangles near;
    double clearUntil; // m: while its proxies have not travelled so far its shapes have no contacts
    int clearWait;     // steps until it is asked for anew
} cnConcaveHint;

// What impacts gave a pair in a step, N s, by the manifold's points.
typedef struct cnContactImpact {
    int pair;
    double normal[CN_MANIFOLD_POINTS];
    cnVec3 tangential[CN_MANIFOLD_POINTS];
} cnContactImpact;

typedef struct cnPairTable {
    CN_PAGED_ARRAY(cnPair) pairs;
    cnPairHeads heads;
    CN_PAGED_ARRAY(cnDistantPair) distant;
    cnPairHeads distantHeads;
    CN_ARRAY(int) due;       // of the distant ones, to be made whole pairs (cnPairTable_MakeWhole)
    CN_ARRAY(int) dueKept;   // of each, where it lies in `kept` already collided; −1
    CN_ARRAY(int) dueCounts; // of them by chunk, while they are listed
    CN_ARRAY(cnPair) kept[CN_MAX_THREADS]; // in a narrow phase, one list a thread
    CN_ARRAY(cnNearPair) near;             // in order: see cnPairTable_ListNear
    CN_ARRAY(int) nearCounts;              // of them by chunk of pairs, while they are listed
    bool nearIsOld;                        // pairs came, went, or changed since
    CN_ARRAY(cnConcave) concaves;
    CN_ARRAY(int) freeConcaves;
    CN_ARRAY(cnConcaveHint) hints;             // by row of concaves, as far as it goes
    CN_ARRAY(cnContactImpact) impacts;         // of the last step
    CN_ARRAY(cnCustomFriction) customFriction; // of this step, by users
    CN_ARRAY(int) customOf;                    // by pair, where there is any
    cnCandidates scratch[CN_MAX_THREADS];      // one a thread
    cnHashMap indices; // of pairs, by proxies and part; ~row of those that are distant
} cnPairTable;

extern const cnFieldList cnPairFields, cnDistantPairFields, cnPairHeadFields, cnConcaveFields;

void cnPairTable_Free(cnPairTable* table);

// Friction of a pair until the next collide; false when memory ran out. Of a pair with cn_pairCustom.
bool cnPairTable_SetFriction(cnPairTable* table, int pair, const cnCustomFriction* friction);
const cnCustomFriction* cnPairTable_GetFriction(const cnPairTable* table, int pair);
// At the begin of a collide.
void cnPairTable_ForgetFriction(cnPairTable* table);

static inline cnPair* cnPairTable_Get(const cnPairTable* table, int index) {
    return cnPagedArray_At(&table->pairs, index);
}
static inline cnDistantPair* cnPairTable_GetDistant(const cnPairTable* table, int row) {
    return cnPagedArray_At(&table->distant, row);
}

// Index of the pair, −1 where there is none or it is distant.
int cnPairTable_Find(const cnPairTable* table, int proxy1, int proxy2, int part);
// Row of the distant pair, −1 where there is none or it is not distant.
int cnPairTable_FindDistant(const cnPairTable* table, int proxy1, int proxy2);
// Either.
bool cnPairTable_Has(const cnPairTable* table, int proxy1, int proxy2);

// Of pairs, with those that are distant.
static inline int cnPairTable_Count(const cnPairTable* table) {
    return table->pairs.count + table->distant.count;
}

// Room for so many pairs, or distant ones, but for the map; false when memory ran out.
bool cnPairTable_Reserve(cnPairTable* table, int count);
bool cnPairTable_ReserveDistant(cnPairTable* table, int count);

// Adds a zeroed pair with proxies and part set; −1 when memory ran out.
int cnPairTable_Add(cnPairTable* table, int proxy1, int proxy2, int part);

// How a pair begins.
typedef struct cnBegunPair {
    cnPairSides sides;
    uint32_t sensor; // cn_pairSensor, cn_pairOverlapOnly or 0
    bool isAsleep;
} cnBegunPair;

// Adds a pair as it begins: a distant one, or, where it is a sensor's or touches in several places, a whole
// one. False when memory ran out.
bool cnPairTable_Begin(cnPairTable* table, const cnBegunPair* begun, const cnProxyTable* proxies,
                       cnShape* const* shapes);

// What a pair has from its number and its shapes: order, inradius and what follows from it,
// how many are round.
void cnPair_Measure(cnPair* pair, const cnProxyTable* proxies, cnShape* const* shapes);

// Makes a pair a parent; false when memory ran out.
bool cnPairTable_AddConcave(cnPairTable* table, int index);

// One of its shapes has another surface: what was known to be clear of it is not.
void cnPairTable_ForgetClear(cnPairTable* table, const cnPair* pair);

// The last pair takes the removed one's place. A parent's row goes with it, its children do not.
void cnPairTable_Remove(cnPairTable* table, int index);

// The last distant pair takes the removed one's place.
void cnPairTable_RemoveDistant(cnPairTable* table, int row);

// Makes distant pairs whole ones, at the end of the table, as if they began; their rows ascend. And back: of
// a pair without points nothing is kept but how far apart it was, and until when. What was asleep is so
// afterwards. False, and nothing is changed, when memory ran out.
bool cnPairTable_MakeWhole(cnPairTable* table, const int* rows, int count, const cnProxyTable* proxies,
                           cnShape* const* shapes);
bool cnPairTable_MakeDistant(cnPairTable* table, int index, const cnProxyTable* proxies);

// Removes the whole pair of two proxies, if there is one, and its children.
void cnPairTable_End(cnPairTable* table, int proxy1, int proxy2);

// The next collide looks at the pair whether or not it was apart, and makes its manifold anew.
void cnPairTable_Renew(cnPairTable* table, int index);

// The pairs, or distant ones, that are awake: all where none sleeps, or where memory for the list ran out.
// Good until one of them comes, goes, falls asleep or is roused.
cnRowList cnPairHeads_GetAwake(cnPairHeads* heads);

static inline bool cnPairHeads_IsAsleep(const cnPairHeads* heads, int row) {
    return heads->rows.data[row].apartUntil == INFINITY;
}
// The next collide looks at a distant pair, or does not.
void cnPairHeads_SetApartUntil(cnPairHeads* heads, int row, double apartUntil);

// A pair none of whose bodies moves: phases pass over it until it is roused, and all that it knows stays.
static inline bool cnPairTable_IsAsleep(const cnPairTable* table, int index) {
    return cnPairHeads_IsAsleep(&table->heads, index);
}
void cnPairTable_PutToSleep(cnPairTable* table, int index);
// What follows from rows that were replaced: which of them sleep.
void cnPairTable_RecountSleepers(cnPairTable* table);
// The next collide looks at it; until then it counts as one whose manifold was kept.
void cnPairTable_Rouse(cnPairTable* table, int index);

// Lists pairs that have points, touch or touched in the step before, and parents; where they have changed
// since (`nearIsOld`). By these threads; null: by the caller.
void cnPairTable_ListNear(cnPairTable* table, cnThreadPool* threads);

// Proxies and part in one number, never 0; for part 0 free of it.
uint64_t cnPair_GetKey(const cnPair* pair);
uint64_t cnDistantPair_GetKey(const cnDistantPair* pair);

static inline cnPairSides cnPair_GetSides(const cnPair* pair) {
    return (cnPairSides){pair->proxy1, pair->proxy2, pair->body1, pair->body2};
}
static inline cnPairSides cnDistantPair_GetSides(const cnDistantPair* pair) {
    return (cnPairSides){pair->proxy1, pair->proxy2, pair->body1, pair->body2};
}

// From shape 2's frame to shape 1's, m, and the two proxies' `turn`, m.
static inline cnVec3 cnGetBetween(const cnProxyTable* proxies, int proxy1, int proxy2) {
    return cnSub(proxies->position[proxy1], proxies->position[proxy2]);
}
static inline double cnGetTurn(const cnProxyTable* proxies, int proxy1, int proxy2) {
    return proxies->turn[proxy1] + proxies->turn[proxy2];
}

// Notes where its shapes are: where `cache.gap` was found.
void cnDistantPair_NotePlaces(cnDistantPair* pair, const cnProxyTable* proxies);

// A distant pair as one that begins.
void cnDistantPair_CopyTo(const cnDistantPair* pair, const cnProxyTable* proxies, cnShape* const* shapes,
                          cnPair* whole);

// Up to this gap it has points before it touches, m.
static inline double cnPair_GetMargin(const cnPair* pair) {
    return cnContactMargin(pair->inradius);
}

// How far a pair's shapes may move before its manifold is made anew, m.
static inline double cnPair_GetRecycleTolerance(const cnPair* pair) {
    return cnMin(CN_RECYCLE_FRACTION * pair->inradius, CN_MAX_RECYCLE_TOLERANCE);
}

// Whether its points, as made in the last collide and all beyond the margin, meet within the step
// (meetings.h).
static inline bool cnPair_IsMeeting(const cnPair* pair) {
    return (pair->flags & cn_pairBuilt) != 0 && pair->manifold.pointCount > 0 &&
           (double)pair->manifold.depths[0] < -1.0005 * cnPair_GetMargin(pair);
}

// Whether surfaces overlap at a point, or hold one another there across no more than rounding, or across what
// sweeps leave of a gap that they have closed.
static inline bool cnPair_TouchesAt(const cnPair* pair, int point) {
    float depth = pair->manifold.depths[point];
    if (depth >= 0.0f) {
        return true;
    }
    uint32_t met = cn_pairLimitedCorrection | cn_pairWasTouching;
    float across = (pair->flags & met) == met     ? CN_MET_GAP
                   : pair->impulse[point] != 0.0f ? CN_TOUCH_GAP
                                                  : 0.0f;
    return depth >= -across * (float)cnPair_GetMargin(pair);
}

// The same, as it was when the contacts were found.
static inline bool cnPair_TouchedAt(const cnPair* pair, int point) {
    return (pair->flags & ((uint32_t)cn_pairPointTouches << point)) != 0;
}

// What a pair's row says, none where it has no row. Children that touch have the state of their parent; the
// parent itself has a row, without points, only when all have ended.
static inline cnContactState cnPair_GetState(const cnPair* pair) {
    bool touches = (pair->flags & cn_pairTouching) != 0;
    if (pair->part != 0) {
        bool before = (pair->flags & cn_pairFamilyTouched) != 0;
        return !touches ? cn_contactNone : before ? cn_contactContact : cn_contactImpact;
    }
    bool before = (pair->flags & cn_pairWasTouching) != 0;
    bool hasChildren = pair->concave >= 0 && (pair->flags & cn_pairOverlapOnly) == 0;
    if (touches) {
        return hasChildren ? cn_contactNone : before ? cn_contactContact : cn_contactImpact;
    }
    return before ? cn_contactSeparation : cn_contactNone;
}

// Which of its points touch, or will have within the step. The pair touches where one does.
static inline void cnPair_MarkTouching(cnPair* pair) {
    pair->flags &= ~(CN_PAIR_POINTS_TOUCHING | (uint32_t)cn_pairTouching);
    if (pair->manifold.pointCount == 0) {
        return;
    }
    bool meets = cnPair_IsMeeting(pair);
    for (int k = 0; k < pair->manifold.pointCount; ++k) {
        if (meets || cnPair_TouchesAt(pair, k)) {
            pair->flags |= ((uint32_t)cn_pairPointTouches << k) | cn_pairTouching;
        }
    }
}

// True for a pair whose contacts the solve leaves out.
static inline bool cnPair_IsUnsolved(const cnPair* pair) {
    return (pair->flags & (cn_pairSensor | cn_pairRemoved)) != 0;
}

// Forgets the multipliers of a pair that was not solved, so that it begins like an impact once it is.
void cnPair_Forget(cnPair* pair);

// Makes a pair an ordinary one or a sensor's (cn_pairSensor, cn_pairOverlapOnly or 0). What it remembers of
// contacts is forgotten but that it touched.
void cnPairTable_SetSensor(cnPairTable* table, int index, uint32_t sensor);

// Whether the pairs are those of live proxies and agree with them, the map has every pair and nothing else,
// and parents have exactly the children that their rows name.
bool cnPairTable_Validate(const cnPairTable* table, const cnProxyTable* proxies, cnFault* fault);

// The same of a table whose map is known to be right.
bool cnPairTable_ValidateRows(const cnPairTable* table, const cnProxyTable* proxies, cnFault* fault);

// While it is pinned nobody adds or removes pairs (base/report/guard.h).
static inline void cnPairTable_Pin(cnPairTable* table, const char* holder) {
    (void)table;
    (void)holder;
    CN_PIN(&table->pairs, holder);
    CN_PIN(&table->heads.rows, holder);
    CN_PIN(&table->distant, holder);
    CN_PIN(&table->distantHeads.rows, holder);
    CN_PIN(&table->concaves, holder);
    CN_PIN(&table->indices, holder);
}

static inline void cnPairTable_Unpin(cnPairTable* table) {
    (void)table;
    CN_UNPIN(&table->pairs);
    CN_UNPIN(&table->heads.rows);
    CN_UNPIN(&table->distant);
    CN_UNPIN(&table->distantHeads.rows);
    CN_UNPIN(&table->concaves);
    CN_UNPIN(&table->indices);
}
