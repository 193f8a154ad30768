// Bodies: their table of columns, mass properties, motion.
//
// In come handles and values from the public functions; out go poses to the geometries, masses and velocities
// to the solver. The angular momentum is the state of rotation and the angular velocity follows from it
// (docs/physics.md, "Rotation"). The state is a leap-frog's: half-step velocities belong to a time `lag`
// before the poses. What users set and read is at the time of the poses (solve/velocity_times.c).
#pragma once

#include "base/containers/array.h"
#include "base/containers/id_pool.h"
#include "base/containers/table.h"
#include "cairn/types.h"

// f32 pose for drawing, of the model frame. 32 bytes, so that four bodies fill two cache lines.
typedef struct cnRenderPose {
    float position[3];
    float padding;
    float rotation[4];
} cnRenderPose;

// How many of the bodies that bear a part it knows, those that bear most of it; columns below count on it.
#define CN_PART_SUPPORTS 4

// What a part of a merged body of the engine's may bear (world/merge_margins.c); own axes.
typedef struct cnPartHold {
    float heldForce[3], heldTorque[3]; // N, N m about the centre of mass, from outside as it was merged
    float foot[3];                     // m, from the centre of mass to where its load meets what bears it
    float axis[3];                     // unit, across the load: the first of two
    float extents[4];               // m, of its support from the foot, along both: least, most, least, most
    float load;                     // N, that it and what is on it weigh
    float across, torque;           // N, N m, that may be added
    float friction;                 // N/N, of what presses on it
    float shares[CN_PART_SUPPORTS]; // of its load, that its supports bear
    float points[CN_PART_SUPPORTS][3]; // m, from the centre of mass: where they do
    float spreads
        [CN_PART_SUPPORTS]; // m²: how far the points of each lie from that, mean square about an axis across
} cnPartHold;

// Parts that bear a part, by row. −1: what does not move, or none.
typedef struct cnPartSupports {
    int32_t rows[CN_PART_SUPPORTS];
} cnPartSupports;

enum {
    cn_bodyEnabled = 1 << 0,
    cn_bodyDynamic = 1 << 1,
    cn_bodyKinematic = 1 << 2,
    cn_bodyMassGiven = 1 << 3, // by the user; else from the geometries
    cn_bodyInertiaGiven = 1 << 4,
    cn_bodyCentreGiven = 1 << 5,
    cn_bodyMoving = 1 << 6,        // kinematic, on its way to a target
    cn_bodyIsotropicMass = 1 << 7, // linear damping and added mass are the same along all axes
    cn_bodySphericalInertia = 1 << 8,
    cn_bodyTeleported = 1 << 9, // placed by the user since the last step: no smearing between poses
    cn_bodyLive = 1 << 10,
    cn_bodyStruck = 1 << 11, // its velocities jumped in this step: a linkage's impact, or a stop on the way
    cn_bodyFast = 1 << 12,   // swept
    cn_bodySet = 1 << 13,    // placed or given a velocity by the user since the last step
    cn_bodyHeld = 1 << 14,   // contacts or joints act on it, none of them with another dynamic body
    cn_bodyJumped = 1 << 15, // its velocities jumped at the start of this step: an impact
    cn_bodyDamped = 1 << 16, // some damping is not 0
    cn_bodyAsleep = 1 << 17,
    cn_bodySleepless = 1 << 18,
    cn_bodyCarried = 1 << 19, // part of a merged body, whose carrier moves it (world/carriers.h)
    cn_bodyCarrier = 1 << 20, // a row that no user made, which moves the parts of a merged body
    cn_bodyAlone = 1 << 21,   // stays in its merged body without an edge
    // of adaptive merging (world/adaptive_merging.h)
    cn_bodyUnmergeable = 1 << 22,
    cn_bodyUnsplittable = 1 << 23,
    cn_bodyDisturbed = 1 << 24,  // splits off before the next collide, with what it bears
    cn_bodyOverloaded = 1 << 25, // splits off before the next collide
    cn_bodyStopping = 1 << 26,   // kinematic, stops when it has arrived at its target
    cn_bodyMassKept = 1 << 27,   // that of geometries which it had: none gives it a mass now
};

// Intervals since velocities jumped (`smoothSteps`) from which on the rate of the last one counts, and that
// of the one before, too.
#define CN_ONE_RATE 2
#define CN_TWO_RATES 3

// The scale of a body's gravity is as much, up or down.
#define CN_MAX_GRAVITY_SCALE 1e6

// X(T, name, C type, scalar, lanes, role)
#define CN_BODY_COLUMNS(X, T)                                                                                \
    X(T, handle, uint32_t, cn_u32, 1, cn_reading)                                                            \
    X(T, flags, uint32_t, cn_u32, 1, cn_state)                                                               \
    X(T, position, cnVec3, cn_f64, 3, cn_state) /* m, model frame */                                         \
    X(T, rotation, cnQuat, cn_f64, 4, cn_state)                                                              \
    X(T, halfStepVelocity, cnVec3, cn_f64, 3, cn_state) /* m/s, centre of mass, `lag` before the pose */     \
    X(T, halfStepAngularMomentum, cnVec3, cn_f64, 3, cn_state) /* kg m²/s about the centre of mass */       \
    X(T, halfStepAngularVelocity, cnVec3, cn_f64, 3, cn_state) /* rad/s, that of the angular momentum */     \
    X(T, velocity, cnVec3, cn_f64, 3, cn_state)        /* m/s, centre of mass, at the time of the pose */    \
    X(T, angularVelocity, cnVec3, cn_f64, 3, cn_state) /* rad/s */                                           \
    X(T, angularMomentum, cnVec3, cn_f64, 3, cn_state) /* kg m²/s about the centre of mass */               \
    X(T, lag, double, cn_f64, 1, cn_state)             /* s, of half-step velocities behind the pose */      \
    X(T, owedImpulse, cnVec3, cn_f64, 3, cn_state)     /* N s, of users' forces, not given yet */            \
    X(T, owedMoment, cnVec3, cn_f64, 3, cn_state)      /* N m s */                                           \
    X(T, netForce, cnVec3, cn_f64, 3, cn_state)        /* N, that changed the momentum, less users' */       \
    X(T, netTorque, cnVec3, cn_f64, 3, cn_state)       /* N m */                                             \
    X(T, pathSpin, cnVec3, cn_f64, 3, cn_state)        /* rad/s, that the last interval moved it with */     \
    X(T, spinRate, cnVec3, cn_f64, 3, cn_state)        /* rad/s², by which it changed */                    \
    X(T, smoothSteps, int32_t, cn_i32, 1, cn_state)    /* since its velocities jumped, at most 3 */          \
    X(T, centreOfMass, cnVec3, cn_f64, 3, cn_state)    /* m, world */                                        \
    X(T, force, cnVec3, cn_f64, 3, cn_input)           /* N, of users for the next step */                   \
    X(T, torque, cnVec3, cn_f64, 3, cn_input)          /* N m */                                             \
    X(T, lastForce, cnVec3, cn_f64, 3, cn_reading)     /* N, of the last step, with gravity */               \
    X(T, lastTorque, cnVec3, cn_f64, 3, cn_reading)                                                          \
    X(T, acceleration, cnVec3, cn_f64, 3, cn_reading) /* m/s², centre of mass, mean of the last step */     \
    X(T, angularAcceleration, cnVec3, cn_f64, 3, cn_reading) /* rad/s² */                                   \
    X(T, previousVelocity, cnVec3, cn_f64, 3, cn_reading)    /* m/s, that the last step began with */        \
    X(T, previousAngularVelocity, cnVec3, cn_f64, 3, cn_reading)                                             \
    X(T, mass, double, cn_f64, 1, cn_input)              /* kg */                                            \
    X(T, inertia, cnMat33, cn_f64, 9, cn_input)          /* kg m², model axes, about the centre of mass */  \
    X(T, localCentreOfMass, cnVec3, cn_f64, 3, cn_input) /* m, model frame */                                \
    X(T, inverseInertia, cnMat33, cn_f64, 9,                                                                 \
      cn_derived) /* model axes, added inertia included; zero unless dynamic */                              \
    X(T, principalInertia, cnVec3, cn_f64, 3, cn_derived) /* kg m², ascending, added inertia included */    \
    X(T, principalAxes, cnQuat, cn_f64, 4, cn_derived)    /* from principal to model axes */                 \
    X(T, linearDamping, cnVec3, cn_f64, 3, cn_input)      /* 1/s, model axes */                              \
    X(T, angularDamping, cnVec3, cn_f64, 3, cn_input)                                                        \
    X(T, massCoefficients, cnVec3, cn_f64, 3, cn_input)                                                      \
    X(T, inertiaCoefficients, cnVec3, cn_f64, 3, cn_input)                                                   \
    X(T, gravityScale, double, cn_f64, 1, cn_input) /* times gravity; of a carrier the mean */               \
    X(T, weightMoment, cnVec3, cn_f64, 3, cn_input) /* kg m, of a carrier, own axes: Σ m (s − mean) r */  \
    X(T, targetPosition, cnVec3, cn_f64, 3, cn_input) /* m, model frame, kinematic */                        \
    X(T, targetRotation, cnQuat, cn_f64, 4, cn_input)                                                        \
    X(T, targetTime, double, cn_f64, 1, cn_input)         /* s left */                                       \
    X(T, previousPosition, cnVec3, cn_f64, 3, cn_reading) /* before the last step, for interpolation */      \
    X(T, previousRotation, cnQuat, cn_f64, 4, cn_reading)                                                    \
    X(T, contactCentre, cnVec3, cn_f64, 3, cn_reading) /* m, world, of mass when the contacts were found */  \
    X(T, renderPose, cnRenderPose, cn_f32, 8, cn_derived)                                                    \
    X(T, firstGeometry, int32_t, cn_i32, 1, cn_state)   /* list through the geometries' nextOfBody; -1 */    \
    X(T, firstConstraint, int32_t, cn_i32, 1, cn_state) /* list through the constraints' links; -1 */        \
    X(T, filteredSpin, cnVec3, cn_f64, 3,                                                                    \
      cn_state) /* rad/s, of jointed bodies: see solve/rows/stiff_joints.h */                                \
    X(T, bearingMomentum, cnVec3, cn_f64, 3, cn_state) /* N m s, due to a rotor's bearings: the same */      \
    X(T, stiffness, double, cn_f64, 1, cn_state)       /* N m, that of the last step */                      \
    X(T, energyCredit, double, cn_f64, 1,                                                                    \
      cn_state) /* J that joints may give: see solve/direct/guards/energy_guard.h */                         \
    X(T, restTime, double, cn_f64, 1, cn_state)    /* s, that it has been slow for */                        \
    X(T, restCreep, cnVec3, cn_f64, 3, cn_state)   /* m, its way in this half of the time to rest */         \
    X(T, creepBefore, cnVec3, cn_f64, 3, cn_state) /* m, in the half before */                               \
    X(T, nextAsleep, int32_t, cn_i32, 1, cn_state) /* ring of those that fell asleep together; -1 */         \
    X(T, mergedBody, int32_t, cn_i32, 1, cn_state) /* row, that it is part or carrier of */                  \
    X(T, nextPart, int32_t, cn_i32, 1, cn_state)   /* of its merged body; -1 */                              \
    X(T, carrier, int32_t, cn_i32, 1, cn_state)    /* row, that moves it where it is cn_bodyCarried; -1 */   \
    X(T, carriedPosition, cnVec3, cn_f64, 3, cn_state) /* m, model frame in its carrier's */                 \
    X(T, carriedRotation, cnQuat, cn_f64, 4, cn_state)                                                       \
    X(T, calmSteps, int32_t, cn_i32, 1, cn_state) /* at rest on what it touches: see merge_resting.c */      \
    X(T, calmSpeed, float, cn_f32, 1, cn_state)   /* its largest there, as part of the thresholds */         \
    X(T, hold, cnPartHold, cn_f32, 40, cn_state)                                                             \
    X(T, supports, cnPartSupports, cn_i32, 4, cn_state)                                                      \
    X(T, toldMergedBody, uint32_t, cn_u32, 1, cn_reading) /* handle, as changes were last listed; 0 */

typedef struct cnBodyTable {
    CN_BODY_COLUMNS(CN_COLUMN_FIELD, cnBodyTable)
    cnIdPool ids;
    CN_TABLE_FIELDS
} cnBodyTable;

extern const cnColumnList cnBodyColumns;

// The row that moves a body: its own, or that of the merged body that it is a part of. −1 for −1.
static inline int cnBody_CarrierOf(const cnBodyTable* table, int row) {
    return row >= 0 && table->carrier[row] >= 0 ? table->carrier[row] : row;
}
