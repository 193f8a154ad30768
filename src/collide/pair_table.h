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
#pragma once

#include "base/array.h"
#include "base/thread_pool.h"
#include "collide/geometry_table.h"
#include "collide/manifold.h"

enum {
    cn_pairHasManifold = 1 << 0,
    cn_pairTouching = 1 << 1,    // some depth >= 0 in this step
    cn_pairWasTouching = 1 << 2, // in the step before
    cn_pairKept = 1 << 3,        // the last collide kept the manifold
    cn_pairMade = 1 << 4,        // the last collide made it anew
    cn_pairLimitedPush = 1 << 5, // came in by an impact and has not rested since
    cn_pairThinned = 1 << 6,     // a shape has changed below it: to be made anew in the next collide
};

// A body as the pair saw it when the manifold was made.
typedef struct cnMadePose {
    cnVec3 centre; // of mass, world
    cnQuat rotation;
} cnMadePose;

typedef struct cnPair {
    int proxy1, proxy2; // proxy1 < proxy2
    int body1, body2;   // rows, −1 for scenery
    int geometry1, geometry2;
    uint32_t flags;
    uint32_t order; // scrambled number of the pair: the order in which the solver visits pairs
    double margin;  // m
    double keepDistance;
    double leastHalfExtent; // m, of the smaller shape
    cnCollideCache cache;

    // as made
    cnManifold manifold; // its depths are renewed in every step
    cnMadePose made1, made2;
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

typedef struct cnPairTable {
    CN_ARRAY(cnPair) pairs;
    CN_ARRAY(uint64_t) keys; // open addressing; 0 is free
    CN_ARRAY(int) values;
    int used; // slots of the map in use
} cnPairTable;

void cnPairTable_Free(cnPairTable* table);

// Index of the pair, −1 where there is none.
int cnPairTable_Find(const cnPairTable* table, int proxy1, int proxy2);

// Adds a zeroed pair with the two proxies set; −1 when memory ran out.
int cnPairTable_Add(cnPairTable* table, int proxy1, int proxy2);

// The last pair takes the removed one's place.
void cnPairTable_Remove(cnPairTable* table, int index);

// Where the narrow phase finds bodies: columns of the body table.
typedef struct cnBodyPoses {
    const cnVec3* centreOfMass;
    const cnQuat* rotation;
} cnBodyPoses;

// Renews, keeps or makes the manifolds of pairs begin … end−1. Each pair writes only to itself. Sets the pair's flags.
void cnUpdateManifolds(cnPairTable* table, int begin, int end, const cnProxyTable* proxies,
                       cnShape* const* shapes, cnBodyPoses bodies);
