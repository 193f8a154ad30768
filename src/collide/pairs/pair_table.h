// Pairs of proxies whose bounds overlap, kept between steps with their manifolds and all that the solvers remember of them.
//
// Dense: a pair that ends is replaced by the last one. The order of all changes is fixed by the broad phase's reports, so it
// does not depend on threads.
//
// A kept manifold. A manifold stays as it was made (normal, arms, feature ids; in world axes) while no point has moved
// relatively by more than 1 % of the smaller least half-extent (at most 5 mm) and neither body has turned by more than
// 0.05 rad; only the separations are renewed:
//   s = s_made + n·((x1 − x1_made) + (R1 − R1_made) r1 − the same of body 2).
// It saves the narrow phase, and it takes away the lever by which a soft pile buckles on the jitter of its own contact points
// (docs/iterative-contacts.md).
//
// Pairs of several manifolds. A concave shape (a hollow solid, a mesh, a height field) touches in several places. The pair that
// the broad phase reports is then the parent: it has no manifold itself but a row of `concaves`, where its collider leaves up to
// CN_PAIR_MANIFOLDS of them, and each of these is a child: a pair of the same proxies with a part >= 1. Solvers, islands and
// forces know no difference between a child and a simple pair, nor need they skip the parent: it has no points. A collide:
//   1. cnUpdateManifolds and cnCollideConcaves, parallel: simple pairs; parents keep their manifolds or make new ones;
//   2. cnMatchConcaves, serial, in the order of rows: new manifolds go to the children they continue, by normal and place, so
//      that multipliers carry over; children are added and removed;
//   3. cnRenewConcaves, parallel: children take their new manifolds or renew their depths; parents learn whether they touch.
// A parent keeps its manifolds while no point within the bounding ball of the smaller shape can have moved relatively by more
// than a simple pair's points may.
#pragma once

#include "base/array.h"
#include "base/thread_pool.h"
#include "collide/narrow/collide_shapes.h"
#include "collide/pairs/geometry_table.h"

enum {
    cn_pairHasManifold = 1 << 0,
    cn_pairTouching = 1 << 1,    // some depth >= 0 in this step
    cn_pairWasTouching = 1 << 2, // in the step before
    cn_pairKept = 1 << 3,        // the last collide kept the manifold
    cn_pairMade = 1 << 4,        // the last collide made it anew
    cn_pairLimitedPush = 1 << 5, // came in by an impact and has not rested since
    cn_pairCalm =
        1 << 11, // solved directly: its multipliers are its springs' forces, with hardly any of the dampers'
    // to be made anew in the next collide: points were taken away (internal_contacts.h), or a shape has changed
    cn_pairThinned = 1 << 6,
    cn_pairSoft = 1 << 7,        // its compliance is sizeable: for the direct solver
    cn_pairSensor = 1 << 8,      // found, never solved
    cn_pairOverlapOnly = 1 << 9, // a sensor's, without points
    cn_pairRemoved = 1 << 10,    // by a listener: not solved in this step
};

// Push-out speed that an impact leaves at least, m/s.
#define CN_LEAST_PUSH 0.5f

// A body as the pair saw it when the manifold was made.
typedef struct cnMadePose {
    cnVec3 centre; // of mass, world
    cnQuat rotation;
} cnMadePose;

// Up to this gap a pair has points before it touches, m.
static inline double cnContactMargin(double leastHalfExtent) {
    return cnMin(0.02 * leastHalfExtent, 0.02);
}

typedef struct cnPair {
    int proxy1, proxy2; // proxy1 < proxy2
    int part;           // 0, or 1 … CN_PAIR_MANIFOLDS for a child
    int concave;        // a parent's row of `concaves`, −1 for all others
    int body1, body2;   // rows, −1 for scenery
    int geometry1, geometry2;
    uint32_t flags;
    uint32_t order; // scrambled number of the pair: the order in which the solver visits pairs
    double margin;  // m
    double keepDistance;
    double leastHalfExtent; // m, of the smaller shape
    int roundCount;         // of the two shapes
    cnCollideCache cache;

    // as made
    cnManifold manifold; // its depths are renewed in every step
    cnMadePose made1, made2;
    double bulge;                     // m/s², Q of look_ahead.h; 0 where the manifold is kept
    cnVec3f arm1[CN_MANIFOLD_POINTS]; // from the bodies' centres of mass to the points, world axes
    cnVec3f arm2[CN_MANIFOLD_POINTS];
    float madeDepth[CN_MANIFOLD_POINTS];

    // the solver's memory
    float impulse[CN_MANIFOLD_POINTS]; // N s, of one sub-step
    cnVec3f friction;                  // N s, of one sub-step, world axes, on body 1
    float twist;                       // N m s about the normal, on body 1
    float slowImpulse;                 // N s, the mean impulse over seconds
    float pushLimit;                   // m/s, while cn_pairLimitedPush
    int hardSteps;                     // steps the pair's island stays hard

    // forces of the last step
    float normalForce[CN_MANIFOLD_POINTS]; // N
    cnVec3f frictionForce;                 // N, on body 1
} cnPair;

// What a manifold takes over from where the bodies will be in half a step (look_ahead.h).
typedef struct cnAhead {
    bool seen;
    cnVec3f normal;
    cnVec3f arm1[CN_MANIFOLD_POINTS], arm2[CN_MANIFOLD_POINTS]; // m
    double bulge;                                               // m/s²
} cnAhead;

// What a parent owns beside its pair.
typedef struct cnConcave {
    int proxy1, proxy2; // of the parent; −1: the row is free
    uint32_t parts;     // bit p: part p is a pair
    bool made;          // by the last collide
    bool failed;        // memory ran out
    bool overlaps;      // of a sensor without points
    cnVec3 centre;      // m, world, of the smaller shape as made
    double reach;       // m, its bounding radius
    int manifoldCount;
    int partOf[CN_PAIR_MANIFOLDS]; // the child of each manifold
    cnManifold manifolds[CN_PAIR_MANIFOLDS];
    cnAhead ahead; // of the only manifold
} cnConcave;

typedef struct cnPairTable {
    CN_ARRAY(cnPair) pairs;
    CN_ARRAY(cnConcave) concaves;
    CN_ARRAY(int) freeConcaves;
    cnCandidates scratch[CN_MAX_THREADS]; // one a thread
    CN_ARRAY(uint64_t) keys;              // open addressing; 0 is free
    CN_ARRAY(int) values;
    int used; // slots of the map in use
} cnPairTable;

void cnPairTable_Free(cnPairTable* table);

// Index of the pair, −1 where there is none.
int cnPairTable_Find(const cnPairTable* table, int proxy1, int proxy2, int part);

// Adds a zeroed pair with proxies and part set; −1 when memory ran out.
int cnPairTable_Add(cnPairTable* table, int proxy1, int proxy2, int part);

// Makes a pair a parent; false when memory ran out.
bool cnPairTable_AddConcave(cnPairTable* table, int index);

// The last pair takes the removed one's place. A parent's row goes with it, its children do not.
void cnPairTable_Remove(cnPairTable* table, int index);

// Removes the pair of two proxies, if there is one, and its children.
void cnPairTable_End(cnPairTable* table, int proxy1, int proxy2);

// Proxies and part in one number, never 0; for part 0 free of it.
uint64_t cnPair_GetKey(const cnPair* pair);

// True for a pair whose contacts the solve leaves out.
static inline bool cnPair_IsUnsolved(const cnPair* pair) {
    return (pair->flags & (cn_pairSensor | cn_pairRemoved)) != 0;
}

// Forgets the multipliers of a pair that was not solved, so that it begins like an impact once it is.
void cnPair_Forget(cnPair* pair);

// Makes a pair an ordinary one or a sensor's (cn_pairSensor, cn_pairOverlapOnly or 0). What it remembers of contacts is forgotten
// but that it touched.
void cnPair_SetSensor(cnPair* pair, uint32_t sensor);

// Where the narrow phase finds bodies and where they go: columns of the body table.
typedef struct cnBodyPoses {
    const cnVec3* centreOfMass;
    const cnQuat* rotation;
    const cnVec3* velocity;
    const cnVec3* angularVelocity;
    double timeStep;  // s
    double kickShare; // of half a step: when the solver's forces act in the mean (look_ahead.h)
} cnBodyPoses;

// Renews, keeps or makes the manifolds of simple pairs begin … end−1. Each pair writes only to itself. Sets the pair's flags.
void cnUpdateManifolds(cnPairTable* table, int begin, int end, const cnProxyTable* proxies,
                       cnShape* const* shapes, cnBodyPoses bodies);

// The three of concave pairs, over rows begin … end−1 of `concaves`.
void cnCollideConcaves(cnPairTable* table, int begin, int end, int thread, const cnProxyTable* proxies,
                       cnShape* const* shapes, cnBodyPoses bodies);
bool cnMatchConcaves(cnPairTable* table, cnBodyPoses bodies); // false when memory ran out
void cnRenewConcaves(cnPairTable* table, int begin, int end, cnBodyPoses bodies);

// ---- shared by simple pairs and children ----------------------------------------------------------------------------

cnMadePose cnMadePoseOf(int body, cnBodyPoses bodies);

// Whether nothing within `reach` (m) of a world point has moved relatively by more than the pair may keep.
bool cnMayKeep(const cnPair* pair, cnVec3 centre, double reach, cnBodyPoses bodies);

// Renews the depths of a kept manifold; false, and nothing is changed, where a point has moved by more than `limit` (m).
bool cnRenewDepths(cnPair* pair, double limit, cnBodyPoses bodies);

// Takes a new manifold over, with the multipliers of the old one's points.
void cnInstallManifold(cnPair* pair, const cnManifold* manifold, cnBodyPoses bodies);

// Touching, and touching before, after a collide that kept or made (cn_pairKept, cn_pairMade).
void cnSetPairFlags(cnPair* pair, uint32_t kept);
