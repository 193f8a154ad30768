// Bodies as the sweeps see them: changes of their motion since the start of the step, in f32, four at a time.
//
// **Mass-weighted rotation.** A row of a contact asks for G v, and gives M⁻¹ Gᵀ λ, some dozen times a step.
// In world axes that is a cross product for the moment m of its direction and a 3 × 3 matrix for I⁻¹ m, for
// each body, each time. With the Cholesky factor of the inverse inertia, I⁻¹ = L Lᵀ, rotations are swept as
//
//   û = L⁻¹ ω,   m̂ = Lᵀ m:    m · ω = m̂ · û,    ω += I⁻¹ m λ  ⇔  û += m̂ λ,    m · I⁻¹ m = |m̂|²,
//
// coordinates in which the inertia is 1 and ½ |û|² the energy. So the m̂ of both bodies are all that a row
// needs, for what it asks and for what it gives, and they take no more room than the arms that they are made
// from. What lies outside the sweeps knows nothing of it: motions are loaded and stored here. Where a body
// cannot rotate about some axis a column of L is 0, and so is what is swept of it.
//
// A body is known by its place among those of a batch (sweep_batches.h). Place 0 stands for all that is not
// dynamic; nothing moves it.
#pragma once

#include "solve/lanes/motion_lanes.h"

// Two lines of the cache. Angular parts are mass-weighted.
typedef struct cnSweptBody {
    cnMotion6 velocity;     // change since the start of the step
    cnMotion6 displacement; // change of place since then, beyond what the start velocity makes
    cnMotion6 before;       // velocity, at the end of the sub-step before
    union {
        cnMotion6 contact; // velocity change that contacts made in the sub-step before: the warm start
        cnMotion6 push;    // after all sub-steps: what takes out overlap (position_sweeps.c)
    };
} cnSweptBody;

typedef struct cnSweptMass {
    float inverseMass; // 1/kg; of anisotropic bodies along x alone
    float factor[6];   // L: xx, yx, zx, yy, zy, zz
    float load;        // N s a sub-step, of all points that are pushed out; 0 before that (position_sweeps.c)
} cnSweptMass;

// What velocities are multiplied by and changed by in a sub-step; columns.
typedef struct cnSweptDamping {
    float linear[9], angular[9];
} cnSweptDamping;

typedef struct cnSweptBodies {
    int count; // with place 0
    cnSweptBody* bodies;
    cnSweptMass* masses;
    cnMotion6* forces;       // velocity change in a sub-step, with damping of the start velocity
    cnSweptDamping* damping; // null where nobody is damped
} cnSweptBodies;

// Room for so many, place 0 included, on the step's stack; false when memory ran out.
bool cnSweptBodies_Make(cnSweptBodies* swept, cnStack* stack, int count, bool isDamped);

// Of that room what begins at a place.
static inline cnSweptBodies cnSweptBodies_GetPart(const cnSweptBodies* swept, int first, int count) {
    return (cnSweptBodies){
        .count = count,
        .bodies = swept->bodies + first,
        .masses = swept->masses + first,
        .forces = swept->forces + first,
        .damping = swept->damping != NULL ? swept->damping + first : NULL,
    };
}

// Places begin … end − 1, at the start of the step; `indices` are the solver's, of the bodies from place 1
// on.
void cnSweptBodies_Load(const cnSweptBodies* swept, const cnSolve* solve, const int* indices, int begin,
                        int end);
// Their changes, to the solver's bodies.
void cnSweptBodies_Store(const cnSweptBodies* swept, cnSolve* solve, const int* indices, int begin, int end);

// World axes from mass-weighted ones, and back (0 along what cannot rotate).
cnVec3 cnSweptMass_GetSpin(const cnSweptMass* mass, const float weighted[4]);
void cnSweptMass_WeightSpin(const cnSweptMass* mass, cnVec3 spin, float weighted[4]);

// ---- four at a time ---------------------------------------------------------------------------------------

static inline cnMotionF4 cnGatherVelocities(const cnSweptBody* bodies, const int places[CN_LANES]) {
    return cnGatherMotions(&bodies[places[0]].velocity, &bodies[places[1]].velocity,
                           &bodies[places[2]].velocity, &bodies[places[3]].velocity);
}

static inline cnMotionF4 cnGatherDisplacements(const cnSweptBody* bodies, const int places[CN_LANES]) {
    return cnGatherMotions(&bodies[places[0]].displacement, &bodies[places[1]].displacement,
                           &bodies[places[2]].displacement, &bodies[places[3]].displacement);
}

static inline cnMotionF4 cnGatherBefore(const cnSweptBody* bodies, const int places[CN_LANES]) {
    return cnGatherMotions(&bodies[places[0]].before, &bodies[places[1]].before, &bodies[places[2]].before,
                           &bodies[places[3]].before);
}

static inline cnMotionF4 cnGatherPushes(const cnSweptBody* bodies, const int places[CN_LANES]) {
    return cnGatherMotions(&bodies[places[0]].push, &bodies[places[1]].push, &bodies[places[2]].push,
                           &bodies[places[3]].push);
}

// Place 0 is left alone: several lanes and threads may share it.
#define CN_SCATTER_MOTION(bodies, places, member, motion)                                                    \
    do {                                                                                                     \
        cnFourMotions four_ = cnSplitMotions(motion);                                                        \
        for (int lane_ = 0; lane_ < CN_LANES; ++lane_) {                                                     \
            if ((places)[lane_] != 0) {                                                                      \
                cnStore4((bodies)[(places)[lane_]].member.linear, four_.linear[lane_]);                      \
                cnStore4((bodies)[(places)[lane_]].member.angular, four_.angular[lane_]);                    \
            }                                                                                                \
        }                                                                                                    \
    } while (0)

static inline void cnScatterVelocities(cnSweptBody* bodies, const int places[CN_LANES], cnMotionF4 motion) {
    CN_SCATTER_MOTION(bodies, places, velocity, motion);
}

static inline void cnScatterDisplacements(cnSweptBody* bodies, const int places[CN_LANES],
                                          cnMotionF4 motion) {
    CN_SCATTER_MOTION(bodies, places, displacement, motion);
}

static inline void cnScatterPushes(cnSweptBody* bodies, const int places[CN_LANES], cnMotionF4 motion) {
    CN_SCATTER_MOTION(bodies, places, push, motion);
}

// Inverse masses and factors of four bodies.
static inline void cnGatherMasses(const cnSweptMass* masses, const int places[CN_LANES], cnF4* inverseMass,
                                  cnF4 factor[6]) {
    cnF4 a[4], b[4];
    for (int lane = 0; lane < CN_LANES; ++lane) {
        a[lane] = cnLoad4(&masses[places[lane]].inverseMass);
        b[lane] = cnLoad4(&masses[places[lane]].factor[3]);
    }
    cnTranspose4(&a[0], &a[1], &a[2], &a[3]);
    cnTranspose4(&b[0], &b[1], &b[2], &b[3]);
    *inverseMass = a[0];
    for (int i = 0; i < 3; ++i) {
        factor[i] = a[i + 1];
        factor[i + 3] = b[i];
    }
}
