// Definitions that objects are made from, and results that are read.
//
// A definition filled with zeros is valid and means the defaults. Where zero is a value of its own (friction
// 0), the field counts only if its bit is set in `given`. Units stand beside the fields; vectors are in world
// axes unless said otherwise.

#pragma once

#include "cairn/constraint_types.h"
#include "cairn/geometry.h"
#include "cairn/id.h"

// ---- world ------------------------------------------------------------------------------------------------

typedef enum cnGravityType {
    cn_gravityDefault = 0, // uniform, (0, 0, -9.80665) m/s²
    cn_gravityUniform,     // acceleration
    cn_gravityPoint,       // constant magnitude towards the centre
    cn_gravityKepler,      // mu / r² towards the centre
} cnGravityType;

typedef struct cnGravity {
    cnGravityType type;
    cnVec3 acceleration; // m/s², uniform
    cnVec3 centre;       // m, point and kepler
    double magnitude;    // m/s², point
    double mu;           // m³/s², kepler
} cnGravity;

typedef enum cnSolverType {
    // Islands without constraints: iterative. With them: direct up to 24 contacts, split up to 128 as long as
    // the factorisations of a step are cheap (10⁷ operations), beyond that iterative. Joints of nets, and of
    // what touches something beyond the first 32, are swept where sweeps hold them (docs/constraints.md).
    cn_solverAuto = 0,
    // Contacts by sweeps. Constraints as each asks for (cnConstraintSolve): by factorisation of each group of
    // bodies that they connect, in turns with the sweeps, unless they are to be swept.
    cn_solverIterative,
    cn_solverDirect, // all by factorisation, friction by bounds from the normal forces, in rounds
    cn_solverSplit,  // constraints and normal forces by factorisation, friction by sweeps in between
    cn_solverDirectAndIterative = cn_solverIterative, // another name, which says what constraints get
} cnSolverType;

typedef struct cnSolverSettings {
    cnSolverType type;
    int substeps;          // 0: automatic (4 for iterative islands); 1…64
    int iterations;        // 0: 1; 1…1000: biased sweeps, and relaxing ones, in a sub-step
    bool disableWarmStart; // multipliers of the last step are not used
} cnSolverSettings;

// What comes to rest sleeps: an island whose bodies have all been slower than `linear` and `angular` for
// `time` leaves the step, and its bodies stand still, until something wakes it (docs/sleep.md).
typedef struct cnSleepSettings {
    bool enabled;
    double linear;  // m/s, of the centre of mass; 0: 0.05
    double angular; // rad/s; 0: 0.2
    double time;    // s; 0: 0.5
} cnSleepSettings;

// Adaptive merging: bodies that rest on one another, or are held at rest by constraints, move as one until
// something acts on them (docs/merged-bodies.md). A speed of 0 stands for its default.
typedef struct cnMergeSplitSettings {
    bool enabled;
    double normalSpeed;      // m/s, of a contact's bodies, slower than which they merge; 0: 0.01
    double tangentialSpeed;  // m/s; 0: 0.01
    double rollingSpeed;     // m/s, relative rotation times the inradius of the smaller shape; 0: 0.01
    double constraintSpeed;  // m/s and rad/s, of a constraint's bodies; 0: 5e-3
    double impactSpeed;      // m/s, that a blow would give to a part, above which it splits off; 0: 0.01
    double setValueChange;   // m, rad, m/s or rad/s, of a motor, lock or range, that splits; 0: 1e-5
    double forceRangeChange; // N or N m, of their bounds; 0: 0.1
} cnMergeSplitSettings;

// Which pairs of geometries with more than 12 contact points lose some of them (docs/physics.md).
typedef enum cnContactReductionMode {
    cn_reductionMaterial = 0, // where both materials allow it
    cn_reductionNone,
    cn_reductionAll,
} cnContactReductionMode;

typedef struct cnWorldDef {
    double timeStep; // s; 0: 1/60; 1e-6…1
    cnGravity gravity;
    cnSolverSettings solver;
    cnSleepSettings sleep;
    cnMergeSplitSettings mergeSplit;
    bool disableGyroscopic; // torque-free rotation keeps the angular velocity instead of the angular momentum
    bool disableContinuous; // what is not `fast` may pass static and kinematic things within a step
    int threads;            // that share the work, the caller included; 0 and 1: the caller alone; at most 32
    int bodyCapacity;       // rows to reserve; tables grow by themselves
    cnContactReductionMode contactReduction;
    int contactReductionResolution; // bins along each of six directions, 1…10; 0: 3
} cnWorldDef;

// Times of the last step in ms, by phase.
typedef struct cnProfile {
    double step;
    double collide;
    double solve;
    double broadPhase;
    double narrowPhase;
    double contactUpdate;
    double islands;
    double impacts;
    double constraints;
    double integrate;
    double finish;
} cnProfile;

typedef struct cnCounters {
    int bodies;
    int awakeBodies; // dynamic, enabled, not asleep
    int geometries;
    int shapes;
    int materials;
    int contactMaterials;
    int proxies;       // shape instances in the broad phase
    int pairs;         // whose bounds overlap
    int contacts;      // pairs that touch; without sensors and contacts that a listener removed
    int contactPoints; // that touch
    int islands;
    int convergedIslands; // solved to convergence because something heavy rests on something light
    int guardedIslands;   // out of which the energy guard took energy in the last step (cnGuardEvent)
    int colours;
    int impactRounds;
    int recycledManifolds; // that needed no narrow phase in the last step
    int solverBodies;      // that a step solves for: dynamic ones that are awake, merged ones as one
    int mergedBodies;      // that move as one with others, by hand or by adaptive merging
    int merges;            // bodies that adaptive merging merged in the last step
    int splits;            // bodies that it split off in the last step
    int bytes;             // held by Cairn, over all worlds
} cnCounters;

// Energies of dynamic bodies now, and what gave or took energy in the last step, J. The works add up to the
// change of the energies in it; they are NaN where no balance of it was kept (cnWorld_SetEnergyBalance).
typedef struct cnEnergies {
    double kinetic;
    double gravity;    // in the field: cnWorld_GetPotentialEnergy less springs
    double springs;    // stored in springs and constraints that are as soft as one
    double byForces;   // of users
    double byContacts; // along normals; impacts are apart
    double byFriction; // of contacts and in constraints
    double byImpacts;  // lost in bounces
    double byMotors;
    double byConstraints; // dampers, limits and locks that were moved; 0 of what only holds
    double byDamping;     // of bodies
    double byStepping;    // what the step itself made or lost: corrections of positions, errors of order
} cnEnergies;

// How an island's contacts and constraints were solved.
typedef enum cnIslandSolver {
    cn_islandSwept = 0, // by sweeps, joints too
    cn_islandConverged, // sweeps to convergence, something heavy on something light or a calm
                        // structure: "converged"
    cn_islandDirect,    // constraints, contacts and friction within one factorisation
    cn_islandSplit,     // constraints and normals by factorisation, friction by sweeps between
    cn_islandGrouped,   // contacts by sweeps, the constraints of each group of bodies by factorisation
} cnIslandSolver;

// What solving one island took in the last step. Numbers of factorisations are 0 where there was none.
typedef struct cnIslandStatistics {
    cnIslandSolver solver;
    int bodies; // that are dynamic
    int contacts;
    int constraints;
    int substeps;
    int rows;              // of the factorised system
    double nonZeros;       // of its factor
    double predictedFlops; // of one factorisation, multiplications and additions
    double flops;          // of all factorisations of the step
    int rounds;            // solutions under bounds: friction's bounds follow the normal forces in rounds
    int pivots;            // linear systems solved in these, each with other rows at their bounds
    int fallbacks;         // rounds in which interior points took over from pivoting
    double residual; // largest violation of a row's condition at the end of a round, as a part of its scale
    int repeats;     // times that the step was done again with more sub-steps
    double raised;   // J that joints and contacts raised without a source, and that was taken out again
} cnIslandStatistics;

// ---- bodies -----------------------------------------------------------------------------------------------

typedef enum cnMotion {
    cn_dynamic = 0,
    cn_static,
    cn_kinematic,
} cnMotion;

// What a kinematic body does when it has arrived at its target (cnBody_MoveTo).
typedef enum cnArrival {
    cn_arrivalStop = 0,
    cn_arrivalKeepVelocity,
} cnArrival;

typedef struct cnBodyDef {
    cnMotion motion;
    cnVec3 position;        // m, of the model frame
    cnQuat rotation;        // of length 1 within 1e-3; zero: identity
    cnVec3 velocity;        // m/s, of the centre of mass
    cnVec3 angularVelocity; // rad/s
    double mass;            // kg; 0: from the geometries
    cnMat33 inertia;        // kg m², about the centre of mass in model axes; zero: from the geometries
    bool centreOfMassGiven;
    cnVec3 centreOfMass;        // m, model frame; only if given
    cnVec3 linearDamping;       // 1/s, per model axis, >= 0
    cnVec3 angularDamping;      // 1/s, per model axis, >= 0
    cnVec3 massCoefficients;    // added mass over mass, per model axis, >= 0
    cnVec3 inertiaCoefficients; // added inertia over inertia, per model axis, >= 0
    bool gravityScaleGiven;
    double gravityScale; // times gravity; only if given, else 1; negative: it rises
    bool disabled;
    bool fast;        // does not pass through dynamic bodies either (docs/physics.md, "Continuous collision")
    bool sleepless;   // keeps itself, and what it touches or is joined to, awake
    bool unmergeable; // adaptive merging leaves it alone
    bool unsplittable; // once adaptive merging has merged it, blows and forces do not split it off
} cnBodyDef;

// ---- geometries -------------------------------------------------------------------------------------------

// A sensor's contacts are found and listed, and never solved. Two sensors are found, too, and so is a sensor
// on a kinematic body against what is static.
typedef enum cnSensorMode {
    cn_sensorOff = 0,
    cn_sensorOn,          // with points, normals and depths
    cn_sensorOverlapOnly, // tells only that shapes overlap; between two sensors, unless the other is on
} cnSensorMode;

// One shape of a geometry, placed in the geometry's frame.
typedef struct cnShapeInstance {
    cnShapeId shape;
    cnVec3 position; // m
    cnQuat rotation; // zero: identity
} cnShapeInstance;

typedef struct cnGeometryDef {
    cnBodyId body; // null: static static geometry that belongs to no body
    const cnShapeInstance* shapes;
    int shapeCount;        // at least 1
    cnVec3 position;       // m, in the body's model frame, else in the world
    cnQuat rotation;       // zero: identity
    cnMaterialId material; // null: the default material
    // Instead of a material: one that all geometries of the same values share, as long as one has it.
    bool frictionGiven;
    double friction; // >= 0
    bool restitutionGiven;
    double restitution; // 0…1
    bool disabled;
    bool collisionsOff;
    bool massPropertiesOff; // gives its body no mass; sensors give one, too
    cnSensorMode sensor;
    cnVec3 surfaceVelocity; // m/s, in the geometry's frame: a conveyor
    bool unmergeable;       // its contacts hold nothing together for adaptive merging
    bool unsplittable;      // its contacts split nothing
} cnGeometryDef;

// Many bodies of one kind with one geometry each (cnCreateBodies). Each column is `count` entries or null; an
// entry counts in place of what the body's definition says.
typedef struct cnBodiesDef {
    int count;                       // of bodies, 0 to CN_MAX_ROWS
    const cnBodyDef* body;           // what all have in common; null: the defaults
    const cnGeometryDef* geometry;   // what their geometries have in common, its body null; null: no geometry
    const cnVec3* positions;         // m, of the model frames
    const cnQuat* rotations;         // of length 1 within 1e-3; zero: identity
    const cnVec3* velocities;        // m/s, of the centres of mass
    const cnVec3* angularVelocities; // rad/s
    const double* masses;            // kg; 0: from the geometry
    const cnShapeId* shapes;         // the only shape of each geometry, which then lists none itself
    const cnMaterialId* materials; // of each geometry, which then has none itself; null: the default material
    const uint32_t* groups;        // that every geometry is in; at most 16 different ones
    int groupCount;
} cnBodiesDef;

// ---- materials --------------------------------------------------------------------------------------------

// Friction models that need no bounds of their own. In pairs without a contact material none wins over all,
// neutral yields to the other, two neutral ones are a cone, and of two others the one listed first counts.
typedef enum cnMaterialFrictionModel {
    cn_materialFrictionNeutral = 0,
    cn_materialFrictionCone,
    cn_materialFrictionScaledBox,
    cn_materialFrictionScaledBoxFast,
    cn_materialFrictionBox,
    cn_materialFrictionNone,
} cnMaterialFrictionModel;

typedef enum cnMaterialField {
    cn_materialDensity = 1 << 0,
    cn_materialYoungsModulus = 1 << 1,
    cn_materialDamping = 1 << 2,
    cn_materialViscosity = 1 << 3,
    cn_materialRoughness = 1 << 4,
    cn_materialAdhesion = 1 << 5,
    cn_materialSurfaceViscosity = 1 << 6,
    cn_materialRestLength = 1 << 7,
    cn_materialContactReduction = 1 << 8,
    cn_materialWire = 1 << 9,
    cn_materialFrictionModel = 1 << 10,
    cn_materialFriction = 1 << 11,    // another way to say roughness
    cn_materialRestitution = 1 << 12, // and viscosity
} cnMaterialField;

// Of a wire made of a material. The engine keeps them; nothing acts by them.
typedef struct cnWireProperties {
    double stretchModulus; // Pa, >= 0; 0: youngsModulus
    double bendModulus;    // Pa, >= 0; 0: youngsModulus
    double stretchDamping; // s, >= 0; 0: damping
    double bendDamping;    // s, >= 0; 0: damping
} cnWireProperties;

typedef struct cnMaterialDef {
    const char* name;     // up to 63 bytes, unique in the world; null: none, or what it is
    const char* library;  // item of the materials library to start from, "steel"; null: the default material
    uint32_t given;       // cnMaterialField bits of the fields below that override
    double density;       // kg/m³, > 0
    double youngsModulus; // Pa, > 0
    double damping;       // s, >= 0
    double viscosity;     // 0…1, bulk; restitution of a pair is √((1−a)(1−b))
    double roughness;     // >= 0; friction of a pair is √(a b)
    double adhesionForce; // N, >= 0
    double adhesionOverlap;  // m, >= 0
    double surfaceViscosity; // (m/s)/N, >= 0
    double minRestLength;    // m, > 0
    double maxRestLength;    // m, >= minRestLength
    bool contactReduction;   // default true
    cnWireProperties wire;
    cnMaterialFrictionModel frictionModel; // default neutral
    double friction;                       // instead of roughness, which it becomes; never read back
    double restitution; // 0…1, instead of a viscosity of 1 − restitution; never read back
} cnMaterialDef;

typedef enum cnFrictionModelType {
    cn_frictionCone = 0,
    cn_frictionScaledBox,
    cn_frictionScaledBoxFast,
    cn_frictionBox,
    cn_frictionBoxProportionalLow,
    cn_frictionBoxProportionalHigh,
    cn_frictionConstantNormalForce,
    cn_frictionNone,
} cnFrictionModelType;

// What the islands are solved by that a contact belongs to; the most exact that one of them asks for counts.
typedef enum cnFrictionSolve {
    cn_frictionSolveWorld = 0, // the world's solver
    cn_frictionSolveIterative, // sweeps
    cn_frictionSolveSplit,     // normal forces and constraints directly, friction by sweeps beside them
    cn_frictionSolveDirect,    // all within one factorisation
    cn_frictionSolveDirectAndIterative,
} cnFrictionSolve;

// What bounds the friction of a contact, N the sum of the normal forces of its points. Along two directions:
//   cone                    (F₁/μ₁)² + (F₂/μ₂)² <= N²
//   scaledBox               |Fᵢ| <= μᵢ N
//   scaledBoxFast           the same with the N of the last step, where the contact was there
//   box                     |Fᵢ| <= force, where that is given; else μᵢ times the N of the last step, or,
//                           where there was none, times 9.80665 m/s² × the masses of its dynamic bodies
//   boxProportionalLow      |Fᵢ| <= accelerationᵢ × the lighter dynamic body's mass
//   boxProportionalHigh     … the heavier one's
//   constantNormalForce     |Fᵢ| <= μᵢ × normalForce (× the largest depth, m, with depthScaled)
//   none                    no friction
//
// With exactCone friction within a factorisation (the direct solver; auto in islands with constraints and up
// to 24 contacts) is against the sliding and on the cone to 1e-6 instead of 1e-2. Sweeps project on the cone
// always.
typedef struct cnFrictionModel {
    cnFrictionModelType type;
    cnFrictionSolve solve;
    bool exactCone; // default false
    cnBodyId frame; // body that `primary` moves with; null: the world
    cnVec3 primary; // the first direction is what is tangential of this; zero: any
    bool forceGiven;
    double force[2];        // N, >= 0, of the box; only if given
    double acceleration[2]; // m/s², >= 0, of boxProportionalLow and High
    double normalForce;     // N, >= 0, of constantNormalForce
    bool depthScaled;       // normalForce is in N/m, times the depth
} cnFrictionModel;

// Elastic foundation: the pressure in a contact is E/L times the depth, L the sum of the rest lengths through
// both bodies along the normal, within the limits. Not enabled: a point is a spring of the stiffness E × 1 m.
typedef struct cnContactArea {
    bool enabled;
    double minRestLength; // m, > 0; 0: 0.001
    double maxRestLength; // m, >= minRestLength; 0: 0.1
} cnContactArea;

typedef enum cnContactMaterialField {
    cn_contactFriction = 1 << 0,
    cn_contactRestitution = 1 << 1,
    cn_contactRestitutionThreshold = 1 << 2,
    cn_contactYoungsModulus = 1 << 3,
    cn_contactDamping = 1 << 4,
    cn_contactAdhesion = 1 << 5,
    cn_contactSurfaceViscosity = 1 << 6,
    cn_contactReduction = 1 << 7,
    cn_contactFrictionModel = 1 << 8,
    cn_contactArea = 1 << 9,
    cn_contactRollingResistance = 1 << 10,
    cn_contactSpinningFriction = 1 << 11,
    cn_contactSlide = 1 << 12,
    cn_contactStaticFrictionScale = 1 << 13,
} cnContactMaterialField;

// Behaviour of one pair of materials.
typedef struct cnContactMaterialDef {
    cnMaterialId material1, material2; // null: the default material
    uint32_t given;                    // cnContactMaterialField bits of the fields that count
    double friction[2];            // coefficient, primary and secondary direction, >= 0; (0.416667, 0.416667)
    double restitution;            // 0…1; 0
    double restitutionThreshold;   // m/s, >= 0; 0.1
    double youngsModulus;          // Pa, > 0; 4e8
    double damping;                // s, >= 0; 0.075
    double adhesionForce;          // N, >= 0; 0
    double adhesionOverlap;        // m, >= 0; 0
    double surfaceViscosity[2];    // (m/s)/N, >= 0; (1e-8, 1e-8)
    bool contactReduction;         // true
    cnFrictionModel frictionModel; // cone
    cnContactArea contactArea;     // not enabled
    double rollingResistance[2];   // m, >= 0: torque about the two directions over N; 0
    double spinningFriction;       // m, >= 0: torque about the normal over N, beside that of the area; 0
    double slide[2];               // m/s, what friction drives body 1's surface to, relative to body 2's; 0
    double staticFrictionScale;    // >= 0: μ where nothing slides, over `friction`; 1
} cnContactMaterialDef;

// Which rule a value of a pair comes from.
typedef enum cnPairOrigin {
    cn_pairImplicit = 0, // both materials
    cn_pairLibrary,      // the library's file for the items that they start from
    cn_pairExplicit,     // their contact material, whether it gives the value or has the default
} cnPairOrigin;

typedef struct cnPairOrigins {
    cnPairOrigin friction;
    cnPairOrigin restitution;
    cnPairOrigin restitutionThreshold;
    cnPairOrigin youngsModulus;
    cnPairOrigin damping;
    cnPairOrigin adhesion;
    cnPairOrigin surfaceViscosity;
    cnPairOrigin contactReduction;
    cnPairOrigin frictionModel;
    cnPairOrigin contactArea;
    cnPairOrigin rollingResistance;
    cnPairOrigin spinningFriction;
    cnPairOrigin slide;
    cnPairOrigin staticFrictionScale;
} cnPairOrigins;

// ---- contacts ---------------------------------------------------------------------------------------------

typedef enum cnContactState {
    cn_contactNone = 0,
    cn_contactImpact,     // first step of contact
    cn_contactContact,    // touching since an earlier step
    cn_contactSeparation, // first step without contact
} cnContactState;

// Which contacts a listener is notified of; a mask of 0 means all three.
typedef enum cnContactEventField {
    cn_eventImpact = 1 << 0,
    cn_eventContact = 1 << 1,
    cn_eventSeparation = 1 << 2,
} cnContactEventField;

typedef enum cnContactAnswer {
    cn_keepContact = 0,
    cn_removeContact,    // not solved in this step; later listeners are notified of it, too
    cn_removeContactNow, // the same, and later listeners do not are notified of it
} cnContactAnswer;

// A contact as a listener is notified of it: a row of the contact table.
typedef struct cnContact {
    int row;
    cnContactState state;
    cnBodyId body1, body2; // null for static geometry
    cnGeometryId geometry1, geometry2;
    int shapeIndex1, shapeIndex2;
    bool sensor;
    int pointCount; // that touch
    cnVec3 normal;  // unit, moves 1 out of 2
    double depth;   // m, the largest
} cnContact;

// Friction of one contact in the solve that follows, by user code (cnWorld_SetContactFriction). It acts at
// the middle of the contact's points, bounded by the sum N of their normal forces.
typedef struct cnCustomFriction {
    cnVec3 primary; // the first direction is what is tangential of this, world axes; zero: any
    bool box;       // |Fᵢ| <= coefficientᵢ N + forceᵢ along both directions; else an ellipse of these
    double coefficient[2];       // >= 0
    double force[2];             // N, >= 0; of an ellipse in the ratio of the coefficients, if they are not 0
    double rollingResistance[2]; // m, >= 0: torque about the two directions over N
    double spinningFriction;     // m, >= 0: torque about the normal over N, beside that of the area
    cnVec3 surfaceVelocity;      // m/s, world axes, of body 1's surface beside body 2's, and beside conveyors
} cnCustomFriction;

// Called between cnWorld_Collide's contacts and the solve. It may read and change everything but step or
// destroy the world.
typedef cnContactAnswer cnContactListener(cnWorldId world, const cnContact* contact, void* context);

// One side of a contact as a filter wants it; everything that is given must fit. Zero fits all.
typedef struct cnContactSide {
    cnBodyId body;
    cnGeometryId geometry;
    bool groupGiven;
    uint32_t group; // only if given
} cnContactSide;

typedef struct cnContactListenerDef {
    cnContactListener* listener;
    void* context;
    uint32_t mask;             // cnContactEventField bits; 0: all
    cnContactSide side, other; // either may be body 1's
} cnContactListenerDef;

// Moments of a step; their bits make the mask of a step listener.
typedef enum cnStepMomentField {
    cn_beforeCollide = 1 << 0,
    cn_beforeSolve = 1 << 1, // after contacts, events and reduction
    cn_afterSolve = 1 << 2,
    cn_afterStep = 1 << 3, // the time has advanced
} cnStepMomentField;

typedef void cnStepListener(cnWorldId world, uint32_t moment, void* context);

// A frame fixed in a body, or in the world.
typedef struct cnFrame {
    cnBodyId body;   // null: the world
    cnVec3 position; // m, in the body's model frame
    cnQuat rotation; // zero: none
} cnFrame;

// Where a frame is and how it moves, in axes of the frame that it is seen from.
typedef struct cnFrameMotion {
    cnVec3 position; // m
    cnQuat rotation;
    cnVec3 velocity;            // m/s, of its origin
    cnVec3 angularVelocity;     // rad/s
    cnVec3 acceleration;        // m/s²
    cnVec3 angularAcceleration; // rad/s²
} cnFrameMotion;

// ---- merged bodies ----------------------------------------------------------------------------------------

// What an edge between two parts of a merged body stands for. Constraints and contacts between parts have
// nothing to do while these move as one, and are there again as soon as they do not.
typedef enum cnMergeEdgeKind {
    cn_mergeEdgeEmpty,            // nothing: the bodies are merged because the user says so
    cn_mergeEdgeContactGenerator, // two geometries, which touch or may touch
    cn_mergeEdgeGeometryContact,  // two geometries that touch when the edge is made
    cn_mergeEdgeConstraint,       // a constraint of the two bodies
} cnMergeEdgeKind;

// Of other kinds than cn_mergeEdgeEmpty the bodies may be null: they are those of the geometries or the
// constraint.
typedef struct cnMergeEdgeDef {
    cnMergeEdgeKind kind;
    cnBodyId body1, body2;
    cnGeometryId geometry1, geometry2; // contact generators and geometry contacts
    cnConstraintId constraint;         // constraints
} cnMergeEdgeDef;

// A zeroed one is active and empty.
typedef struct cnMergedBodyDef {
    bool inactive; // its bodies move on their own
} cnMergedBodyDef;

// What moves as one, at the time of the poses.
typedef struct cnMergedBodyProperties {
    bool adaptive;          // made by adaptive merging
    bool joined;            // else everything below is 0: inactive, or fewer than two enabled bodies
    cnMotion motion;        // kinematic with a kinematic body, else static with a static one
    double mass;            // kg; of what moves as a static or kinematic body does that body's own
    cnVec3 centreOfMass;    // m, world
    cnMat33 inertia;        // kg m², world axes, about the centre of mass
    cnVec3 velocity;        // m/s, of the centre of mass
    cnVec3 angularVelocity; // rad/s
    cnVec3 momentum;        // kg m/s
    cnVec3 angularMomentum; // kg m²/s, about the centre of mass
} cnMergedBodyProperties;

// The enabled dynamic bodies of a world, without those that sleep, as a force field sees them, between the
// halves of a step. Columns have an entry a row of the body table; `rows` lists the rows to visit, ascending.
// They are good until a body is made.
typedef struct cnFieldBodies {
    int count;
    const int32_t* rows;
    double time;                   // s
    double timeStep;               // s
    const uint32_t* handles;       // values of cnBodyId
    const double* mass;            // kg
    const cnVec3* centreOfMass;    // m, world
    const cnQuat* rotation;        // of the model frame
    const cnVec3* velocity;        // m/s, of the centre of mass, at the time of the poses
    const cnVec3* angularVelocity; // rad/s
    cnVec3* force;                 // N, acts in this step at the centre of mass: to be added to
    cnVec3* torque;                // N m
} cnFieldBodies;

// Adds forces and torques, finite ones: a body that gets others is stopped and disabled by the step.
typedef void cnForceField(cnWorldId world, const cnFieldBodies* bodies, void* context);

// Told of a constraint that broke, after the solve of its step.
typedef void cnBreakListener(cnWorldId world, cnConstraintId constraint, void* context);

// An island out of which the energy guard took energy in the last step: what its joints and contacts raised
// without a source.
typedef struct cnGuardEvent {
    cnBodyId body; // of the island: the one with the lowest row
    double energy; // J, > 0
    int repeats;   // times that the step was done again with more sub-steps
} cnGuardEvent;

// Told of an island that the energy guard acted on, after the solve of its step. The event is good until the
// listener returns.
typedef void cnGuardListener(cnWorldId world, const cnGuardEvent* event, void* context);

// A body that belongs to another merged body than after the step before.
typedef struct cnMergeChange {
    cnBodyId body;
    cnMergedBodyId from; // may be gone; null: it moved on its own
    cnMergedBodyId to;   // null: it moves on its own
} cnMergeChange;

// Told of a body that merged or split, at the end of a step. The change is good until the listener returns.
typedef void cnMergeListener(cnWorldId world, const cnMergeChange* change, void* context);

// Sum over all contacts between two bodies or two geometries, acting on the first.
typedef struct cnContactForces {
    cnVec3 normal;     // N
    cnVec3 tangential; // N
    cnVec3 total;      // N
    cnVec3 impact;     // N, the part of total that impacts gave: their impulses over the step
    int points;        // that touch
    double depth;      // m, the largest; 0 without contact
    cnContactState state;
} cnContactForces;

// ---- constraints ------------------------------------------------------------------------------------------

// How a constraint is solved. Where one of an island is not `direct`, the contacts of the island are swept,
// whatever the world's solver.
typedef enum cnConstraintSolve {
    cn_solveDirect = 0, // by factorisation, together with contacts where the world's solver does these so
    cn_solveIterative,  // by sweeps: cheap and soft, chains of such constraints stretch
    cn_solveDirectAndIterative, // by factorisation beside swept contacts, in turns, in sub-steps
} cnConstraintSolve;

// Fields of the secondary constraints below that count.
typedef enum cnSecondaryField {
    cn_secondaryForce = 1 << 0,
    cn_secondaryCompliance = 1 << 1,
    cn_secondaryDamping = 1 << 2,
    cn_secondaryLimits = 1 << 3,
    cn_secondaryRadius = 1 << 4,
} cnSecondaryField;

// Forces are torques (N m) where the free degree of freedom is an angle. Bounds may be infinite.
typedef struct cnMotor {
    bool disabled;
    uint32_t given;       // cnSecondaryField bits of the fields that count
    double speed;         // m/s or rad/s
    double force[2];      // N, min and max; unlimited
    bool lockAtZeroSpeed; // at speed 0 holds the position
} cnMotor;

typedef struct cnLockAt {
    bool disabled;
    uint32_t given;    // cnSecondaryField bits of the fields that count
    double position;   // m or rad
    double force[2];   // N, min and max; unlimited
    double compliance; // the constraint's
    double damping;    // s; the constraint's
} cnLockAt;

// The law of a spring, or of a distance that is one.
typedef struct cnSpring {
    double stiffness; // N/m, >= 0; of a distance > 0
    double damping;   // N s/m, >= 0; read of a distance whose damping is automatic: -1
    double length;    // m, >= 0
} cnSpring;

typedef struct cnRange {
    bool disabled;
    uint32_t given;    // cnSecondaryField bits of the fields that count
    double limits[2];  // m or rad; unlimited
    double compliance; // the constraint's
    double damping;    // s; the constraint's
} cnRange;

// |force| <= coefficient · N along a translation, coefficient · radius · N about an axis, with N the last
// step's joint force across the axis; or a bound of its own.
typedef struct cnJointFriction {
    bool disabled;
    uint32_t given;     // cnSecondaryField bits of the fields that count
    double coefficient; // >= 0
    double radius;      // m, > 0; 1
    double force;       // N, >= 0; instead of coefficient · N
} cnJointFriction;

// Position = lead · angle, of a cylindrical.
typedef struct cnScrew {
    bool disabled;
    uint32_t given;    // cnSecondaryField bits of the fields that count
    double lead;       // m/rad, not 0
    double compliance; // the constraint's
    double damping;    // s; the constraint's
} cnScrew;

typedef enum cnConstraintField {
    cn_constraintAnchor = 1 << 0,
    cn_constraintAxis = 1 << 1,
    cn_constraintReference = 1 << 2,
    cn_constraintLength = 1 << 3,
    cn_constraintCompliance = 1 << 4,
    cn_constraintDamping = 1 << 5,
} cnConstraintField;

// Settings of a degree of freedom that a constraint holds.
typedef enum cnDofField {
    cn_dofCompliance = 1 << 0,
    cn_dofDamping = 1 << 1,
    cn_dofForceRange = 1 << 2,
} cnDofField;

typedef struct cnDofDef {
    uint32_t given;       // cnDofField bits of the fields that count
    double compliance;    // m/N or rad/(N m), >= 0; the constraint's
    double damping;       // s, >= 0; the constraint's
    double forceRange[2]; // N or N m, min and max of what it can bear; unlimited
} cnDofDef;

// A joint, or another law between two bodies, or a body and the world. All relative quantities are first body
// relative to second; angles and positions are 0 in the pose in which the constraint is made. The frames are
// fixed in both bodies then. What pointers name is copied. The members of secondary constraints are named as
// their setters (cnConstraint_SetMotor, …), and null stands for none there, too.
typedef struct cnConstraintDef {
    cnConstraintType type;
    cnBodyId body1;   // not null; not for gear and rackPinion
    cnBodyId body2;   // null: the world
    uint32_t given;   // cnConstraintField bits of the fields that count
    cnVec3 anchor;    // m, world; the first body's centre of mass. Distance and spring: on the first body
    cnVec3 anchor2;   // m, world: distance and spring, on the second body
    cnVec3 axis;      // world, n; z. Universal: the arm fixed in the first body
    cnVec3 reference; // world, made orthogonal to n: u; the axis least along n. Universal: the other arm
    double length;    // m, distance and spring; default: as they are
    double stiffness; // N/m, spring, >= 0; 0: a damper alone
    double viscosity; // N s/m, spring, >= 0
    double ratio;     // gear: angle 1 = ratio · angle 2 from now on; not 0
    double radius;    // m, rackPinion: position = radius · angle; not 0
    double lead;      // m/rad, screw: position = lead · angle; not 0
    cnConstraintId constraint1; // gear: hinge, cylindrical or screw; rackPinion: the same
    cnConstraintId constraint2; // gear: the same; rackPinion: prismatic, cylindrical or screw
    double compliance;          // m/N or rad/(N m), of all rows, >= 0; 1e-8
    double damping;             // s, of all rows, >= 0; two time steps
    cnDofDef dofs[6];           // along u, v, n, then about them: what differs
    cnConstraintSolve solve;
    bool disabled;
    bool collideConnected;   // contacts between the two bodies; off unless asked for
    double breakForce;       // N, > 0; 0: never breaks
    double breakTorque;      // N m, > 0; 0: never breaks
    const cnMotor* motor[2]; // of the free coordinates, in their order; null: none
    const cnLockAt* lockAt[2];
    const cnRange* range[2];
    const cnJointFriction* friction[2];
    const cnRange* cone;  // ball
    const cnRange* twist; // ball
    const cnScrew* screw; // cylindrical
    bool unmergeable;     // holds nothing together for adaptive merging
    bool unsplittable;    // neither its forces nor its settings split its bodies off
} cnConstraintDef;

// What a constraint did in the last step, of one free degree of freedom.
typedef struct cnSecondaryForces {
    double motor, lock, range, friction; // N or N m, positive towards growing position or angle
} cnSecondaryForces;

// ---- recordings -------------------------------------------------------------------------------------------

// What playing a recording again found. The section is where the first difference is, "bodies.position",
// "pairs", "world", or "" without one; it is good until the thread's next replay.
typedef struct cnReplay {
    int steps;    // that were played and compared
    bool differs; // the last of them came out otherwise than recorded
    double step;  // its number, as cnWorld_GetStepCount counts
    int row;      // the first that differs of its table; -1: unknown
    const char* section;
} cnReplay;

// ---- drawing ----------------------------------------------------------------------------------------------

// A mesh to draw a shape with, in the shape's frame.
typedef struct cnRenderData {
    const float* positions; // three a vertex, m
    const float* normals;   // three a vertex, unit; null: none
    int vertexCount;
    const uint32_t* indices; // three a triangle, counter-clockwise from outside
    int indexCount;
    float colour[4]; // red, green, blue, opacity, 0…1; all zero: none
} cnRenderData;

// ---- queries ----------------------------------------------------------------------------------------------

// Which bodies' geometries a query sees.
typedef enum cnQueryBodies {
    cn_queryAll = 0,
    cn_queryStatic,  // static geometry, static and kinematic bodies: what no force moves
    cn_queryDynamic, // dynamic bodies
} cnQueryBodies;

// Which geometries a query sees: enabled ones, of enabled bodies, that fit everything given. Zero, like a
// null filter: all but sensors.
typedef struct cnQueryFilter {
    const uint32_t* groups; // only geometries that are in one of these groups; null: in any or none
    int groupCount;
    cnBodyId excludeBody; // null: none
    cnGeometryId excludeGeometry;
    cnGeometryId collidesWith; // only geometries that may collide with this one; null: any
    cnQueryBodies bodies;
    bool sensors;   // sensors too
    bool crossings; // cnWorld_CastRayAll: every way into a solid and out of one, not only the first
} cnQueryFilter;

typedef struct cnRayResult {
    cnGeometryId geometry; // null where nothing is hit
    cnBodyId body;         // null for static geometry
    int shapeIndex;        // of the geometry's shapes
    double fraction;       // of the translation, 0…1; 0 where the start lies inside
    cnVec3 point;          // m, world
    cnVec3 normal;         // unit, world, out of the geometry
    int triangle;          // of a mesh or height field, as it is drawn; -1: none
} cnRayResult;

// What a shape that moves meets.
typedef struct cnShapeCastResult {
    cnGeometryId geometry; // null where nothing is hit
    cnBodyId body;         // null for static geometry
    int shapeIndex;        // of the geometry's shapes
    double fraction;       // of the translation, 0…1; 0 where the shapes overlap at the start
    cnVec3 point;          // m, world, on the geometry's surface
    cnVec3 normal;   // unit, world, from the geometry to the shape; zero where they overlap at the start
    int unsupported; // shapes in the way that have no cast with this one, and may have been hit before
} cnShapeCastResult;

// A point where a free geometry and one of the world overlap.
typedef struct cnOverlapContact {
    cnGeometryId geometry; // of the world
    cnBodyId body;         // null for static geometry
    int shapeIndex;        // of the world's geometry
    int ownShapeIndex;     // of the free geometry
    cnVec3 point;          // m, world, half-way between the surfaces
    cnVec3 normal;         // unit, moves the free geometry out of the world's
    double depth;          // m, >= 0
} cnOverlapContact;
