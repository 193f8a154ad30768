// Cairn's functions: worlds, bodies, geometries, materials, contacts, scenes.
//
// Every function checks its handles and arguments in every build. A function that returns cnErrorCode changes
// nothing unless it returns CN_ERROR_NONE. A function that returns a handle returns the null handle on an
// error, one that returns a value returns zeros; cnGetLastError() then says which argument was wrong and what
// is allowed. Nothing traps.
//
// A world is used by one thread at a time; different worlds may be used by different threads, at once, too.
// Worlds share the threads that help them (cnWorldDef.threads, cnStopThreads). SI units, z up by default.

#pragma once

#include "cairn/assets.h"
#include "cairn/mesh_tools.h"
#include "cairn/types.h"

// ---- world ------------------------------------------------------------------------------------------------

// Makes an empty world. At most 255 at a time.
// Errors: CN_ERROR_OUT_OF_RANGE, CN_ERROR_NOT_FINITE, CN_ERROR_NOT_SUPPORTED_YET (solver type),
// CN_ERROR_OUT_OF_MEMORY, CN_ERROR_TOO_MANY.
CN_API cnWorldId cnCreateWorld(const cnWorldDef* def);

// Frees a world and all that is in it.
CN_API cnErrorCode cnDestroyWorld(cnWorldId world);

// True for a world that exists. Never an error.
CN_API bool cnWorld_IsValid(cnWorldId world);

// Advances by one time step: cnWorld_Collide, then cnWorld_Solve and the observers.
// Errors: CN_ERROR_NON_FINITE_STATE (a body's state became NaN or infinite: the body is put back to where it
// was, stopped and disabled; the step is complete), CN_ERROR_OUT_OF_MEMORY.
CN_API cnErrorCode cnWorld_Step(cnWorldId world);

// First half of a step: kinematic targets, bounds, pairs, contacts, contact states.
// Errors: CN_ERROR_WRONG_PHASE when the last cnWorld_Collide was not followed by cnWorld_Solve.
CN_API cnErrorCode cnWorld_Collide(cnWorldId world);

// Second half: forces, islands, impacts, solve, integration. Errors: CN_ERROR_WRONG_PHASE without
// cnWorld_Collide before it.
CN_API cnErrorCode cnWorld_Solve(cnWorldId world);

// s, 1e-6…1.
CN_API cnErrorCode cnWorld_SetTimeStep(cnWorldId world, double timeStep);
CN_API double cnWorld_GetTimeStep(cnWorldId world);

// Steps done so far; the time is their number times the time step as long as that is not changed.
CN_API double cnWorld_GetStepCount(cnWorldId world);

// s since the world was made.
CN_API double cnWorld_GetTime(cnWorldId world);

// Acts from the next step on; bodies in flight keep the velocities that are read. Errors:
// CN_ERROR_NOT_FINITE, CN_ERROR_OUT_OF_RANGE, CN_ERROR_OUT_OF_MEMORY.
CN_API cnErrorCode cnWorld_SetGravity(cnWorldId world, const cnGravity* gravity);
CN_API cnGravity cnWorld_GetGravity(cnWorldId world);
CN_API cnErrorCode cnWorld_SetSolver(cnWorldId world, const cnSolverSettings* settings);
CN_API cnSolverSettings cnWorld_GetSolver(cnWorldId world);

// Whether islands that come to rest sleep, below which speeds and after which time (docs/sleep.md). All wake
// up when it is switched off. Errors: CN_ERROR_NULL_ARGUMENT, CN_ERROR_NOT_FINITE, CN_ERROR_OUT_OF_RANGE.
CN_API cnErrorCode cnWorld_SetSleep(cnWorldId world, const cnSleepSettings* settings);
CN_API cnSleepSettings cnWorld_GetSleep(cnWorldId world);
// Whether bodies that rest on one another merge, below which thresholds (docs/merged-bodies.md). What it has
// merged splits when it is switched off. Errors: CN_ERROR_NULL_ARGUMENT, CN_ERROR_NOT_FINITE,
// CN_ERROR_OUT_OF_RANGE.
CN_API cnErrorCode cnWorld_SetMergeSplit(cnWorldId world, const cnMergeSplitSettings* settings);
CN_API cnMergeSplitSettings cnWorld_GetMergeSplit(cnWorldId world);

CN_API cnProfile cnWorld_GetProfile(cnWorldId world);
CN_API cnCounters cnWorld_GetCounters(cnWorldId world);

// Of island 0 to cnCounters.islands − 1 of the last step: bodies joined by contacts and constraints.
CN_API cnIslandStatistics cnWorld_GetIslandStatistics(cnWorldId world, int island);

// J, of dynamic bodies with added mass, from the velocities that are read, at the time of the positions.
CN_API double cnWorld_GetKineticEnergy(cnWorldId world);

// J, of gravity (uniform −m g·x, point m·magnitude·distance, Kepler −m·mu/distance) and of springs: spring
// constraints, and degrees of freedom, locks and ranges with a compliance above 1e-6 m/N or rad/(N m).
CN_API double cnWorld_GetPotentialEnergy(cnWorldId world);

// Whether steps keep a balance of energies for cnWorld_GetEnergies; costs about a tenth of a microsecond a
// body and contact. Changes no result.
CN_API cnErrorCode cnWorld_SetEnergyBalance(cnWorldId world, bool kept);
CN_API bool cnWorld_HasEnergyBalance(cnWorldId world);
// J, of the last step. The works are NaN where it kept no balance: before the first step, after a restore.
CN_API cnEnergies cnWorld_GetEnergies(cnWorldId world);

// kg m/s, the sum over dynamic bodies, added mass included, of their velocities as read, at the time of the
// positions. What bodies do to one another leaves it as it is, to rounding, as long as nothing static or
// kinematic acts on one of them, directly or through others. Errors: CN_ERROR_OUT_OF_MEMORY.
CN_API cnVec3 cnWorld_GetMomentum(cnWorldId world);

// kg m²/s, of dynamic bodies, about the origin.
CN_API cnVec3 cnWorld_GetAngularMomentum(cnWorldId world);

// m, the deepest contact point of the last collide.
CN_API double cnWorld_GetMaxPenetration(cnWorldId world);

// 64-bit digest of the whole dynamic state as 16 lower-case hex digits and a zero, equal in every build and
// for any number of threads. `text` has room for 17 characters.
CN_API cnErrorCode cnWorld_GetHash(cnWorldId world, char* text);

// Checks everything that Cairn relies on: handles, lists, proxies, pairs, contacts, constraints, trees.
// Changes nothing; takes a time proportional to all that is in the world. For tests, and reports of defects.
// Errors: CN_ERROR_CORRUPT_STATE with the first table, row and values that are wrong.
CN_API cnErrorCode cnWorld_Validate(cnWorldId world);

// Writes the render pose of every body for a time `alpha` (0…1) of the way from the last step's
// begin to its end.
CN_API cnErrorCode cnWorld_InterpolatePoses(cnWorldId world, double alpha);

// Contacts between two groups of geometries on or off. Groups are numbers; see cnGeometry_AddGroup. A group
// may be paired with itself.
CN_API cnErrorCode cnWorld_SetGroupPairEnabled(cnWorldId world, uint32_t group1, uint32_t group2,
                                               bool enabled);

// Number of a group that has a name, the same for the same name; those of names are 2³¹ and above.
// Errors: CN_ERROR_NULL_ARGUMENT, CN_ERROR_OUT_OF_RANGE (an empty name), CN_ERROR_OUT_OF_MEMORY; the
// number is 0 then.
CN_API uint32_t cnWorld_GetGroup(cnWorldId world, const char* name);

// Contacts between two geometries on or off. Any "off" wins.
CN_API cnErrorCode cnWorld_SetGeometryPairEnabled(cnWorldId world, cnGeometryId geometry1,
                                                  cnGeometryId geometry2, bool enabled);

// Which pairs of geometries with more than 12 contact points lose some, and how many bins there are along
// each of the six directions of a contact row, 1…10 (0: 3). More bins keep more points.
CN_API cnErrorCode cnWorld_SetContactReduction(cnWorldId world, cnContactReductionMode mode, int resolution);
CN_API cnContactReductionMode cnWorld_GetContactReduction(cnWorldId world);
CN_API int cnWorld_GetContactReductionResolution(cnWorldId world);

// ---- bodies -----------------------------------------------------------------------------------------------

// Makes a body. A dynamic body without a mass and without geometries weighs 1 kg with an inertia of 1 kg m²
// until it gets either.
// Errors: CN_ERROR_NOT_FINITE, CN_ERROR_OUT_OF_RANGE (mass, inertia that breaks the triangle inequality,
// rotation not of length 1), CN_ERROR_TOO_MANY, CN_ERROR_OUT_OF_MEMORY.
CN_API cnBodyId cnCreateBody(cnWorldId world, const cnBodyDef* def);

// Makes many bodies, each with its geometry: what cnCreateBody and cnCreateGeometry would make body by body,
// to the bit, with rows in the same order. All rows are checked and all memory is reserved before the first
// is made: after an error nothing has changed.
// bodies: room for def.count handles, which are written in the order of the rows; may be null.
// Errors: those of both functions, with the row in the argument (def.positions[12]);
// CN_ERROR_NULL_ARGUMENT (no definition; a geometry without a shape), CN_ERROR_TOO_MANY (more rows than a
// table has left; more than 16 groups), CN_ERROR_OUT_OF_MEMORY.
CN_API cnErrorCode cnCreateBodies(cnWorldId world, const cnBodiesDef* def, cnBodyId* bodies);

// Destroys a body and its geometries.
CN_API cnErrorCode cnDestroyBody(cnWorldId world, cnBodyId body);
CN_API bool cnBody_IsValid(cnWorldId world, cnBodyId body);

// Places the model frame (m); velocities stay.
CN_API cnErrorCode cnBody_SetPosition(cnWorldId world, cnBodyId body, cnVec3 position);
CN_API cnVec3 cnBody_GetPosition(cnWorldId world, cnBodyId body);

// Turns the model frame about its origin; of length 1 within 1e-3.
CN_API cnErrorCode cnBody_SetRotation(cnWorldId world, cnBodyId body, cnQuat rotation);
CN_API cnQuat cnBody_GetRotation(cnWorldId world, cnBodyId body);

// m, of the centre of mass, world.
CN_API cnVec3 cnBody_GetCentreOfMass(cnWorldId world, cnBodyId body);

// m/s, of the centre of mass.
CN_API cnErrorCode cnBody_SetVelocity(cnWorldId world, cnBodyId body, cnVec3 velocity);
CN_API cnVec3 cnBody_GetVelocity(cnWorldId world, cnBodyId body);

// rad/s.
CN_API cnErrorCode cnBody_SetAngularVelocity(cnWorldId world, cnBodyId body, cnVec3 angularVelocity);
CN_API cnVec3 cnBody_GetAngularVelocity(cnWorldId world, cnBodyId body);

// kg m²/s, about the centre of mass, world axes.
CN_API cnVec3 cnBody_GetAngularMomentum(cnWorldId world, cnBodyId body);

// Forces (N) and torques (N m) act in the next step and are zero again after it. World axes.
CN_API cnErrorCode cnBody_ApplyForce(cnWorldId world, cnBodyId body, cnVec3 force);
CN_API cnErrorCode cnBody_ApplyForceAtPoint(cnWorldId world, cnBodyId body, cnVec3 force, cnVec3 worldPoint);
CN_API cnErrorCode cnBody_ApplyForceAtLocalPoint(cnWorldId world, cnBodyId body, cnVec3 force,
                                                 cnVec3 localPoint);
CN_API cnErrorCode cnBody_ApplyTorque(cnWorldId world, cnBodyId body, cnVec3 torque);

// An impulse (N s) at the centre of mass and an angular impulse (N m s) about it change the velocities of a
// dynamic body at once, exactly as momenta add up: with an inertia that is not diagonal, and with added mass.
// World axes. Errors: CN_ERROR_OUT_OF_RANGE (a body that is not dynamic), CN_ERROR_NOT_FINITE.
CN_API cnErrorCode cnBody_ApplyImpulse(cnWorldId world, cnBodyId body, cnVec3 impulse, cnVec3 angularImpulse);

// N and N m about the centre of mass: users, fields and gravity in the last step.
CN_API cnVec3 cnBody_GetLastForce(cnWorldId world, cnBodyId body);
CN_API cnVec3 cnBody_GetLastTorque(cnWorldId world, cnBodyId body);

// m/s², of the centre of mass, and rad/s²: means of the last step, by which the velocity changed in it over
// the time step. What users set between steps does not count, but for kinematic bodies.
CN_API cnVec3 cnBody_GetAcceleration(cnWorldId world, cnBodyId body);
CN_API cnVec3 cnBody_GetAngularAcceleration(cnWorldId world, cnBodyId body);

// Motion of an observer's frame at the end of the last step, seen from another (null: the world), which may
// move and rotate: velocities and accelerations are the time derivatives of what that one measures, so that a
// rotating one sees centrifugal and Coriolis accelerations. Those of bodies are means of the last step.
// Errors: CN_ERROR_STALE_HANDLE, CN_ERROR_NOT_FINITE, CN_ERROR_OUT_OF_RANGE, CN_ERROR_NULL_ARGUMENT.
CN_API cnFrameMotion cnWorld_GetFrameMotion(cnWorldId world, const cnFrame* frame, const cnFrame* relativeTo);

// dynamic, static or kinematic from now on.
CN_API cnErrorCode cnBody_SetMotion(cnWorldId world, cnBodyId body, cnMotion motion);
CN_API cnMotion cnBody_GetMotion(cnWorldId world, cnBodyId body);

// A disabled body neither moves nor collides.
CN_API cnErrorCode cnBody_SetEnabled(cnWorldId world, cnBodyId body, bool enabled);
CN_API bool cnBody_IsEnabled(cnWorldId world, cnBodyId body);

// A fast body is swept along its motion, so that it passes through nothing within a step.
CN_API cnErrorCode cnBody_SetFast(cnWorldId world, cnBodyId body, bool fast);
CN_API bool cnBody_IsFast(cnWorldId world, cnBodyId body);

// Whether it rests and is left out of the step; what it reads stays as it was when it fell asleep, with
// velocities of 0.
CN_API bool cnBody_IsAsleep(cnWorldId world, cnBodyId body);
// Wakes it with its whole island. What changes a body, its geometries or its constraints does so, too.
CN_API cnErrorCode cnBody_Wake(cnWorldId world, cnBodyId body);
// A sleepless body keeps its island awake.
CN_API cnErrorCode cnBody_SetSleepless(cnWorldId world, cnBodyId body, bool sleepless);
CN_API bool cnBody_IsSleepless(cnWorldId world, cnBodyId body);

// What adaptive merging may do with a body. One that is merged and may not be any more splits off.
CN_API cnErrorCode cnBody_SetMergeable(cnWorldId world, cnBodyId body, bool mergeable);
CN_API bool cnBody_IsMergeable(cnWorldId world, cnBodyId body);
CN_API cnErrorCode cnBody_SetSplittable(cnWorldId world, cnBodyId body, bool splittable);
CN_API bool cnBody_IsSplittable(cnWorldId world, cnBodyId body);

// Moves a kinematic body to a pose within `duration` seconds (>= 0; less than a step counts as one step). It
// arrives at the first step at or after the end, at constant speed; in the next step it stands still or goes
// on with that speed.
CN_API cnErrorCode cnBody_MoveTo(cnWorldId world, cnBodyId body, cnVec3 position, cnQuat rotation,
                                 double duration, cnArrival arrival);

// kg, > 0; the inertia from geometries is scaled to it. 0: from the geometries again. A body keeps the mass
// properties that it has when the last geometry that gave it some is destroyed, takes a shape without a
// volume or gives none any more, until others do or the mass is set to 0.
CN_API cnErrorCode cnBody_SetMass(cnWorldId world, cnBodyId body, double mass);
CN_API double cnBody_GetMass(cnWorldId world, cnBodyId body);

// kg m², about the centre of mass in model axes. Zero: from the geometries again.
CN_API cnErrorCode cnBody_SetInertia(cnWorldId world, cnBodyId body, cnMat33 inertia);
CN_API cnMat33 cnBody_GetInertia(cnWorldId world, cnBodyId body);

// m, model frame.
CN_API cnErrorCode cnBody_SetLocalCentreOfMass(cnWorldId world, cnBodyId body, cnVec3 centre);

// Follows the geometries again.
CN_API cnErrorCode cnBody_ResetLocalCentreOfMass(cnWorldId world, cnBodyId body);
CN_API cnVec3 cnBody_GetLocalCentreOfMass(cnWorldId world, cnBodyId body);

// Mass, inertia and centre of mass from the geometries again, as far as they are not given: after a change of
// a material's density or of a shape, which bodies do not hear of.
CN_API cnErrorCode cnBody_UpdateMassProperties(cnWorldId world, cnBodyId body);

// 1/s per model axis, >= 0: v falls by 1/(1 + D h) a step.
CN_API cnErrorCode cnBody_SetLinearDamping(cnWorldId world, cnBodyId body, cnVec3 damping);
CN_API cnErrorCode cnBody_SetAngularDamping(cnWorldId world, cnBodyId body, cnVec3 damping);

// Added mass and inertia as a fraction of the body's own, per model axis, >= 0.
CN_API cnErrorCode cnBody_SetMassCoefficients(cnWorldId world, cnBodyId body, cnVec3 coefficients);
CN_API cnErrorCode cnBody_SetInertiaCoefficients(cnWorldId world, cnBodyId body, cnVec3 coefficients);

// Times gravity, of this body: 1 unless given; 0: none; negative: it rises. -1e6 to 1e6. A body whose scale
// is not 1 is left out of adaptive merging.
CN_API cnErrorCode cnBody_SetGravityScale(cnWorldId world, cnBodyId body, double scale);
CN_API double cnBody_GetGravityScale(cnWorldId world, cnBodyId body);

// ---- shapes and geometries --------------------------------------------------------------------------------

// Makes a shape that geometries can share. Points are copied.
// Errors: CN_ERROR_OUT_OF_RANGE, CN_ERROR_NOT_FINITE, CN_ERROR_DEGENERATE_SHAPE (points that span no volume),
// CN_ERROR_NULL_ARGUMENT.
CN_API cnShapeId cnCreateShape(cnWorldId world, const cnShapeDef* def);

// Gives the handle up; the shape itself lives until the last geometry that has it is gone.
CN_API cnErrorCode cnReleaseShape(cnWorldId world, cnShapeId shape);
CN_API bool cnShape_IsValid(cnWorldId world, cnShapeId shape);

// A mesh to draw the shape with, copied; null takes it away. Physics does not look at it.
// Errors: CN_ERROR_NULL_ARGUMENT, CN_ERROR_OUT_OF_RANGE (an index that names no vertex), CN_ERROR_NOT_FINITE,
// CN_ERROR_OUT_OF_MEMORY.
CN_API cnErrorCode cnShape_SetRenderData(cnWorldId world, cnShapeId shape, const cnRenderData* data);

// What was set; null where nothing was. Owned by the world until it is set again or the shape goes.
CN_API const cnRenderData* cnShape_GetRenderData(cnWorldId world, cnShapeId shape);

// Heights of a height field, m: of the region i0 <= i <= i1, j0 <= j <= j1 (numbers of columns and rows), row
// by row, i fastest; `count` is (i1 - i0 + 1) (j1 - j0 + 1). A change costs what the region has, not what the
// field has. Contacts over the region are found again in the next step; the bounds of geometries that have
// the shape follow, and the mass of their bodies where the field is dynamic. Errors: CN_ERROR_OUT_OF_RANGE
// (another type of shape, the region, the count, a height below minHeight of a dynamic field),
// CN_ERROR_NOT_FINITE, CN_ERROR_NULL_ARGUMENT; then nothing has changed.
CN_API cnErrorCode cnHeightField_SetHeights(cnWorldId world, cnShapeId shape, int i0, int i1, int j0, int j1,
                                            const double* heights, int count);
CN_API cnErrorCode cnHeightField_SetHeight(cnWorldId world, cnShapeId shape, int i, int j, double height);

// Copies heights out. Errors as above.
CN_API cnErrorCode cnHeightField_GetHeights(cnWorldId world, cnShapeId shape, int i0, int i1, int j0, int j1,
                                            double* heights, int count);
CN_API double cnHeightField_GetHeight(cnWorldId world, cnShapeId shape, int i, int j);

// Makes a geometry of one or more shapes, on a body or as static geometry. The body's automatic mass
// properties follow.
CN_API cnGeometryId cnCreateGeometry(cnWorldId world, const cnGeometryDef* def);
CN_API cnErrorCode cnDestroyGeometry(cnWorldId world, cnGeometryId geometry);
CN_API bool cnGeometry_IsValid(cnWorldId world, cnGeometryId geometry);

// Null for static geometry.
CN_API cnBodyId cnGeometry_GetBody(cnWorldId world, cnGeometryId geometry);

// Pose in the body's model frame, or in the world for static geometry. The body's automatic mass
// properties follow.
CN_API cnErrorCode cnGeometry_SetPose(cnWorldId world, cnGeometryId geometry, cnVec3 position,
                                      cnQuat rotation);
// One shape, at the geometry's frame, in place of those that it had. Its contacts end and are found again
// in the next step; the body's automatic mass properties follow.
CN_API cnErrorCode cnGeometry_SetShape(cnWorldId world, cnGeometryId geometry, cnShapeId shape);
CN_API cnErrorCode cnGeometry_SetEnabled(cnWorldId world, cnGeometryId geometry, bool enabled);
CN_API cnErrorCode cnGeometry_SetCollisions(cnWorldId world, cnGeometryId geometry, bool collisions);
CN_API cnErrorCode cnGeometry_SetMaterial(cnWorldId world, cnGeometryId geometry, cnMaterialId material);

// A sensor's contacts are found and never solved.
CN_API cnErrorCode cnGeometry_SetSensor(cnWorldId world, cnGeometryId geometry, cnSensorMode sensor);
CN_API cnSensorMode cnGeometry_GetSensor(cnWorldId world, cnGeometryId geometry);

// What adaptive merging may do because of its contacts: merge bodies that rest on one another there, and
// split them by blows and loads. What is merged and may not be any more splits.
CN_API cnErrorCode cnGeometry_SetMergeable(cnWorldId world, cnGeometryId geometry, bool mergeable);
CN_API bool cnGeometry_IsMergeable(cnWorldId world, cnGeometryId geometry);
CN_API cnErrorCode cnGeometry_SetSplittable(cnWorldId world, cnGeometryId geometry, bool splittable);
CN_API bool cnGeometry_IsSplittable(cnWorldId world, cnGeometryId geometry);

// m/s in the geometry's frame, added to its surface's velocity in friction; its part along a contact's
// normal has no effect.
CN_API cnErrorCode cnGeometry_SetSurfaceVelocity(cnWorldId world, cnGeometryId geometry, cnVec3 velocity);
CN_API cnVec3 cnGeometry_GetSurfaceVelocity(cnWorldId world, cnGeometryId geometry);

// The point of its surface next to a point (m, world), as cnFindSurfacePoint; of several shapes that of their
// union. From outside that is exact, and from inside wherever no other shape covers what is nearest of the
// shape that holds the point deepest. Where one does, the point is on the union's surface, found by a search
// of directions: it may be farther than the nearest, never nearer. Disabled geometries answer, too.
CN_API cnSurfaceDistance cnGeometry_FindSurfacePoint(cnWorldId world, cnGeometryId geometry, cnVec3 point);

// Whether its shapes count for the body's mass.
CN_API cnErrorCode cnGeometry_SetMassProperties(cnWorldId world, cnGeometryId geometry, bool massProperties);

// Group numbers (any 32-bit number) for cnWorld_SetGroupPairEnabled; a geometry may be in 16.
CN_API cnErrorCode cnGeometry_AddGroup(cnWorldId world, cnGeometryId geometry, uint32_t group);
CN_API bool cnGeometry_IsInGroup(cnWorldId world, cnGeometryId geometry, uint32_t group);
CN_API cnErrorCode cnGeometry_RemoveGroup(cnWorldId world, cnGeometryId geometry, uint32_t group);

// ---- constraints ------------------------------------------------------------------------------------------

// Makes a constraint with all that belongs to it; where one value is wrong, nothing is made. Its frames are
// fixed in both bodies as these stand now, and its coordinates begin at 0 (a distance: at itself).
// Errors: CN_ERROR_OUT_OF_RANGE (the same body twice, a universal whose arms are not orthogonal within 1e-6,
// a reference along the axis, a partner without the coordinate that is wanted, a secondary constraint that
// the type does not take), CN_ERROR_NOT_FINITE, CN_ERROR_NULL_HANDLE, CN_ERROR_STALE_HANDLE.
CN_API cnConstraintId cnCreateConstraint(cnWorldId world, const cnConstraintDef* def);

// Destroys it, and gears and racks that it is a partner of. Destroying a body destroys its constraints.
CN_API cnErrorCode cnDestroyConstraint(cnWorldId world, cnConstraintId constraint);
CN_API bool cnConstraint_IsValid(cnWorldId world, cnConstraintId constraint);
CN_API cnConstraintType cnConstraint_GetType(cnWorldId world, cnConstraintId constraint);

// The first body (1) or the second (2); null for the world, and for gears and racks.
CN_API cnBodyId cnConstraint_GetBody(cnWorldId world, cnConstraintId constraint, int which);

// What a gear or a rack joins, the first (1) or the second (2); null for the other types.
CN_API cnConstraintId cnConstraint_GetPartner(cnWorldId world, cnConstraintId constraint, int which);

// Of a gear its ratio, of a rack its radius (m), of a screw its lead (m/rad); 0 for the other types.
CN_API double cnConstraint_GetRatio(cnWorldId world, cnConstraintId constraint);

// The attachment frame in the first body (1) or the second (2), where it is now, in the world: its point in m
// and the rotation that takes x, y, z to u, v, n. Of gears and racks: identity.
CN_API cnPose cnConstraint_GetFrame(cnWorldId world, cnConstraintId constraint, int which);

// Moves the attachment point in the world of a constraint whose second body is the world (m): what a pointer
// pulls. Errors: CN_ERROR_OUT_OF_RANGE (a second body, gears and racks).
CN_API cnErrorCode cnConstraint_SetTarget(cnWorldId world, cnConstraintId constraint, cnVec3 target);

// A disabled constraint does nothing. Enabling one that broke mends it.
CN_API cnErrorCode cnConstraint_SetEnabled(cnWorldId world, cnConstraintId constraint, bool enabled);
CN_API bool cnConstraint_IsEnabled(cnWorldId world, cnConstraintId constraint);

// What adaptive merging may do because of it: merge its bodies where it holds them at rest, and split them by
// its forces and by motors, locks and ranges that change. What is merged and may not be any more splits.
CN_API cnErrorCode cnConstraint_SetMergeable(cnWorldId world, cnConstraintId constraint, bool mergeable);
CN_API bool cnConstraint_IsMergeable(cnWorldId world, cnConstraintId constraint);
CN_API cnErrorCode cnConstraint_SetSplittable(cnWorldId world, cnConstraintId constraint, bool splittable);
CN_API bool cnConstraint_IsSplittable(cnWorldId world, cnConstraintId constraint);

// Of one degree of freedom (0…2 translations along u, v, n; 3…5 rotations about them; gears and the like: 0),
// or of all (−1). Compliance in m/N or rad/(N m), >= 0; damping in s, >= 0; forces in N or N m, min <= max,
// infinite for none.
CN_API cnErrorCode cnConstraint_SetCompliance(cnWorldId world, cnConstraintId constraint, int dof,
                                              double compliance);
CN_API cnErrorCode cnConstraint_SetDamping(cnWorldId world, cnConstraintId constraint, int dof,
                                           double damping);
CN_API cnErrorCode cnConstraint_SetForceRange(cnWorldId world, cnConstraintId constraint, int dof, double min,
                                              double max);
CN_API double cnConstraint_GetCompliance(cnWorldId world, cnConstraintId constraint, int dof);

// N or N m, of a dof; infinite where there is no bound.
CN_API double cnConstraint_GetMinForce(cnWorldId world, cnConstraintId constraint, int dof);
CN_API double cnConstraint_GetMaxForce(cnWorldId world, cnConstraintId constraint, int dof);
CN_API cnConstraintSolve cnConstraint_GetSolve(cnWorldId world, cnConstraintId constraint);

// s; −1 for two time steps, the default.
CN_API double cnConstraint_GetDamping(cnWorldId world, cnConstraintId constraint, int dof);

// Secondary constraints of a free degree of freedom: hinge angle; prismatic position; cylindrical and screw
// position (0), angle (1); universal two angles; distance and spring length. Errors: CN_ERROR_OUT_OF_RANGE
// for an index or type without one.
CN_API cnErrorCode cnConstraint_SetMotor(cnWorldId world, cnConstraintId constraint, int index,
                                         const cnMotor* motor);
CN_API cnErrorCode cnConstraint_SetLockAt(cnWorldId world, cnConstraintId constraint, int index,
                                          const cnLockAt* lockAt);
CN_API cnErrorCode cnConstraint_SetRange(cnWorldId world, cnConstraintId constraint, int index,
                                         const cnRange* range);
CN_API cnErrorCode cnConstraint_SetFriction(cnWorldId world, cnConstraintId constraint, int index,
                                            const cnJointFriction* friction);
CN_API cnMotor cnConstraint_GetMotor(cnWorldId world, cnConstraintId constraint, int index);
CN_API cnLockAt cnConstraint_GetLockAt(cnWorldId world, cnConstraintId constraint, int index);
CN_API cnRange cnConstraint_GetRange(cnWorldId world, cnConstraintId constraint, int index);
CN_API cnJointFriction cnConstraint_GetFriction(cnWorldId world, cnConstraintId constraint, int index);

// Position = lead · angle, of a cylindrical.
CN_API cnErrorCode cnConstraint_SetScrew(cnWorldId world, cnConstraintId constraint, const cnScrew* screw);
CN_API cnScrew cnConstraint_GetScrew(cnWorldId world, cnConstraintId constraint);

// Of a ball: the angle between the axes in both bodies (limits[1], 0…π), and the rotation about it (−π…π).
CN_API cnErrorCode cnConstraint_SetCone(cnWorldId world, cnConstraintId constraint, const cnRange* cone);
CN_API cnErrorCode cnConstraint_SetTwist(cnWorldId world, cnConstraintId constraint, const cnRange* twist);
CN_API cnRange cnConstraint_GetCone(cnWorldId world, cnConstraintId constraint);
CN_API cnRange cnConstraint_GetTwist(cnWorldId world, cnConstraintId constraint);

// Of a spring and a distance: pulls with stiffness · (distance − length) + damping · rate.
// Errors: CN_ERROR_OUT_OF_RANGE (another type too), CN_ERROR_NOT_FINITE, CN_ERROR_NULL_ARGUMENT.
CN_API cnErrorCode cnConstraint_SetSpring(cnWorldId world, cnConstraintId constraint, const cnSpring* spring);
CN_API cnSpring cnConstraint_GetSpring(cnWorldId world, cnConstraintId constraint);

// N and N m that break the constraint at the end of a step; 0: never. A broken constraint is disabled.
CN_API cnErrorCode cnConstraint_SetBreakLimits(cnWorldId world, cnConstraintId constraint, double force,
                                               double torque);
CN_API double cnConstraint_GetBreakForce(cnWorldId world, cnConstraintId constraint);
CN_API double cnConstraint_GetBreakTorque(cnWorldId world, cnConstraintId constraint);
CN_API bool cnConstraint_IsBroken(cnWorldId world, cnConstraintId constraint);

// m or rad (over many turns) and m/s or rad/s, of a free degree of freedom, at the end of the last step.
CN_API double cnConstraint_GetCoordinate(cnWorldId world, cnConstraintId constraint, int index);
CN_API double cnConstraint_GetSpeed(cnWorldId world, cnConstraintId constraint, int index);

// N, on the first (1) or the second body (2) in the last step, secondary constraints included, world axes. Of
// gears and racks: on the bodies of the first partner.
CN_API cnVec3 cnConstraint_GetForce(cnWorldId world, cnConstraintId constraint, int which);

// N m, about that body's attachment point, or about its centre of mass: what the force at the
// attachment adds is r × F.
CN_API cnVec3 cnConstraint_GetTorque(cnWorldId world, cnConstraintId constraint, int which,
                                     bool aboutCentreOfMass);

// N or N m along or about u, v, n; of a free one that of its secondary constraints.
CN_API double cnConstraint_GetDofForce(cnWorldId world, cnConstraintId constraint, int dof);
CN_API cnSecondaryForces cnConstraint_GetSecondaryForces(cnWorldId world, cnConstraintId constraint,
                                                         int index);

// The larger of the attachments' gap in held directions (m) and the error of held angles (rad).
CN_API double cnConstraint_GetViolation(cnWorldId world, cnConstraintId constraint);

// Constraints that broke in the last step, in the order of their rows: how many, and number 0
// to less than that.
CN_API int cnWorld_GetBrokenCount(cnWorldId world);
CN_API cnConstraintId cnWorld_GetBrokenConstraint(cnWorldId world, int index);

// ---- merged bodies ----------------------------------------------------------------------------------------

// Bodies that move as one rigid body: its mass, centre of mass and inertia are those of all of them together,
// and linear and angular momentum are kept when they merge and when they part. With a kinematic body it is
// kinematic, with a static one static; two kinematic ones cannot be merged. Each body keeps its pose and its
// velocities to read, what is applied to it acts on the whole, and so do contacts and constraints with bodies
// outside; those inside rest, and keep the forces of the step before. Setting the pose, velocity, motion or
// mass of a merged body's part takes effect on the part alone; the next step merges it again, with the
// momentum that all have then. Disabled bodies are not merged until they are enabled.
//
// The bodies are the nodes of a graph. A body comes with an edge, and leaves with its last one; or it is
// added alone, and stays until it is removed. A body belongs to one merged body at most. What adaptive
// merging made can be read, not changed (CN_ERROR_OUT_OF_RANGE).
CN_API cnMergedBodyId cnCreateMergedBody(cnWorldId world, const cnMergedBodyDef* def);
// Its bodies go on, each as it moved with the others.
CN_API cnErrorCode cnDestroyMergedBody(cnWorldId world, cnMergedBodyId mergedBody);
CN_API bool cnMergedBody_IsValid(cnWorldId world, cnMergedBodyId mergedBody);

// Errors of all four: CN_ERROR_NULL_HANDLE, CN_ERROR_STALE_HANDLE, CN_ERROR_OUT_OF_RANGE (a body of another
// merged body, two kinematic bodies, the same body twice, a constraint or geometries of other bodies than
// those named, geometries that do not touch for a geometry contact), CN_ERROR_OUT_OF_MEMORY.
CN_API cnErrorCode cnMergedBody_AddBody(cnWorldId world, cnMergedBodyId mergedBody, cnBodyId body);
CN_API cnMergeEdgeId cnMergedBody_AddEdge(cnWorldId world, cnMergedBodyId mergedBody,
                                          const cnMergeEdgeDef* def);
// With its edges, and with other bodies that have none then.
CN_API cnErrorCode cnMergedBody_RemoveBody(cnWorldId world, cnMergedBodyId mergedBody, cnBodyId body);
CN_API cnErrorCode cnMergeEdge_Remove(cnWorldId world, cnMergeEdgeId edge);

// While it is inactive its bodies move on their own, and the graph stays.
CN_API cnErrorCode cnMergedBody_SetActive(cnWorldId world, cnMergedBodyId mergedBody, bool active);
CN_API bool cnMergedBody_IsActive(cnWorldId world, cnMergedBodyId mergedBody);

// In the order in which they came, a null handle with an error beyond the last.
CN_API int cnMergedBody_GetBodyCount(cnWorldId world, cnMergedBodyId mergedBody);
CN_API cnBodyId cnMergedBody_GetBody(cnWorldId world, cnMergedBodyId mergedBody, int index);
CN_API int cnMergedBody_GetEdgeCount(cnWorldId world, cnMergedBodyId mergedBody);
CN_API cnMergeEdgeId cnMergedBody_GetEdge(cnWorldId world, cnMergedBodyId mergedBody, int index);
CN_API bool cnMergeEdge_IsValid(cnWorldId world, cnMergeEdgeId edge);
CN_API cnMergeEdgeDef cnMergeEdge_Get(cnWorldId world, cnMergeEdgeId edge);
CN_API cnMergedBodyProperties cnMergedBody_GetProperties(cnWorldId world, cnMergedBodyId mergedBody);

// All bodies and edges of `other`, which is empty then, and an edge between a body of each.
CN_API cnErrorCode cnMergedBody_Merge(cnWorldId world, cnMergedBodyId mergedBody, cnMergedBodyId other,
                                      const cnMergeEdgeDef* def);
// The island of the body that came first stays. Other bodies that edges connect become merged bodies of their
// own (cnBody_GetMergedBody tells which), those without edges leave. How many were made; -1 with an error.
CN_API int cnMergedBody_SplitIslands(cnWorldId world, cnMergedBodyId mergedBody);

// The merged body that it belongs to, active or not; null.
CN_API cnMergedBodyId cnBody_GetMergedBody(cnWorldId world, cnBodyId body);
// Whether it moves as one with others now.
CN_API bool cnBody_IsMerged(cnWorldId world, cnBodyId body);
// Takes it out of its merged body, with its edges. False where it is in none.
CN_API bool cnBody_Split(cnWorldId world, cnBodyId body);

// ---- materials --------------------------------------------------------------------------------------------

// Errors: CN_ERROR_UNKNOWN_NAME (library), CN_ERROR_NAME_TAKEN (another material of the world has the name),
// CN_ERROR_OUT_OF_RANGE, CN_ERROR_NOT_FINITE.
CN_API cnMaterialId cnCreateMaterial(cnWorldId world, const cnMaterialDef* def);

// Errors: CN_ERROR_IN_USE while a geometry has it. Contact materials that name it are destroyed with it.
CN_API cnErrorCode cnDestroyMaterial(cnWorldId world, cnMaterialId material);
CN_API bool cnMaterial_IsValid(cnWorldId world, cnMaterialId material);

// Overrides the given fields; contacts follow from the next step on. Bodies keep their masses until
// cnBody_UpdateMassProperties.
CN_API cnErrorCode cnMaterial_Set(cnWorldId world, cnMaterialId material, const cnMaterialDef* def);

// All fields of a material as it stands, `given` full. The name is good until a material is made, set or
// destroyed.
CN_API cnMaterialDef cnMaterial_Get(cnWorldId world, cnMaterialId material);

// Material by name; null where none has it (CN_ERROR_UNKNOWN_NAME).
CN_API cnMaterialId cnWorld_FindMaterial(cnWorldId world, const char* name);

// Errors: CN_ERROR_NAME_TAKEN when the pair has one already; CN_ERROR_STALE_HANDLE (a material, the body of
// the friction model's frame); CN_ERROR_OUT_OF_RANGE, CN_ERROR_NOT_FINITE.
CN_API cnContactMaterialId cnCreateContactMaterial(cnWorldId world, const cnContactMaterialDef* def);
CN_API cnErrorCode cnDestroyContactMaterial(cnWorldId world, cnContactMaterialId contactMaterial);
CN_API bool cnContactMaterial_IsValid(cnWorldId world, cnContactMaterialId contactMaterial);

// Overrides the given fields; the pair stays.
CN_API cnErrorCode cnContactMaterial_Set(cnWorldId world, cnContactMaterialId contactMaterial,
                                         const cnContactMaterialDef* def);

// All fields of a contact material and its pair, `given` full.
CN_API cnContactMaterialDef cnContactMaterial_Get(cnWorldId world, cnContactMaterialId contactMaterial);

// What contacts between two materials use: explicit pair, library pair or implicit rules. A null material is
// the default one.
CN_API cnContactMaterialDef cnWorld_GetPairProperties(cnWorldId world, cnMaterialId material1,
                                                      cnMaterialId material2);

// Which of the three rules each of these values comes from.
CN_API cnPairOrigins cnWorld_GetPairOrigins(cnWorldId world, cnMaterialId material1, cnMaterialId material2);

// ---- contacts ---------------------------------------------------------------------------------------------

// Forces of the last step between two bodies, acting on the first; a null second body means everything.
CN_API cnContactForces cnBody_GetContactForces(cnWorldId world, cnBodyId body1, cnBodyId body2);

// Between two geometries, acting on the first; a null second geometry means everything.
CN_API cnContactForces cnGeometry_GetContactForces(cnWorldId world, cnGeometryId geometry1,
                                                   cnGeometryId geometry2);

// Between a body and a geometry, acting on the body.
CN_API cnContactForces cnBody_GetContactForcesWithGeometry(cnWorldId world, cnBodyId body,
                                                           cnGeometryId geometry);

// ---- events -----------------------------------------------------------------------------------------------

// A listener is notified of every contact that fits its mask and sides, at the end of cnWorld_Collide:
// separations first, then impacts and contacts in the order of the contact table, each by all listeners
// in the order in which they were added. Answers to a separation have no effect. What is destroyed or
// put aside by cnBody_SetEnabled and the like separates in the next step; a destroyed geometry
// separates without a word.
// Errors: CN_ERROR_NULL_ARGUMENT, CN_ERROR_OUT_OF_RANGE (mask), CN_ERROR_STALE_HANDLE,
// CN_ERROR_OUT_OF_MEMORY.
CN_API cnListenerId cnAddContactListener(cnWorldId world, const cnContactListenerDef* def);

// Called at the moments of `moments` (cnStepMomentField bits, not 0).
CN_API cnListenerId cnAddStepListener(cnWorldId world, uint32_t moments, cnStepListener* listener,
                                      void* context);

// Called once in each step, after the step listeners of cn_beforeSolve, to add forces to all bodies at once:
// wind, magnets, gravity that depends on the place (mass times its acceleration, in a world with a gravity of
// 0). What fields add counts as users' forces: in cnBody_GetLastForce with gravity, in energies as work by
// forces, as a potential is not known. It may ask the world anything and change it, but not step it.
CN_API cnListenerId cnAddForceField(cnWorldId world, cnForceField* field, void* context);

// Called once for each constraint that broke, in the order of their rows, after the solve and before the step
// listeners of cn_afterSolve.
CN_API cnListenerId cnAddBreakListener(cnWorldId world, cnBreakListener* listener, void* context);

// Called once for each island out of which the energy guard took energy, in the order of
// cnWorld_GetGuardEvent, after the break listeners and before the step listeners of cn_afterSolve.
CN_API cnListenerId cnAddGuardListener(cnWorldId world, cnGuardListener* listener, void* context);

// Islands out of which the energy guard took energy in the last step, in the order of their bodies' rows: how
// many, and number 0 to less than that. Errors: CN_ERROR_OUT_OF_RANGE.
CN_API int cnWorld_GetGuardEventCount(cnWorldId world);
CN_API cnGuardEvent cnWorld_GetGuardEvent(cnWorldId world, int index);

// Called once for each body that has merged or split since the step before, by calls or by adaptive merging,
// in the order of cnWorld_GetMergeChange, after the guard listeners.
CN_API cnListenerId cnAddMergeListener(cnWorldId world, cnMergeListener* listener, void* context);

// Bodies that have merged or split since the step before, as the last step found them, in the order of their
// rows: how many, and number 0 to less than that. Errors: CN_ERROR_OUT_OF_RANGE.
CN_API int cnWorld_GetMergeChangeCount(cnWorldId world);
CN_API cnMergeChange cnWorld_GetMergeChange(cnWorldId world, int index);

// Takes a listener of any kind away. Errors: CN_ERROR_STALE_HANDLE.
CN_API cnErrorCode cnRemoveListener(cnWorldId world, cnListenerId listener);

// Takes the contact of a row of the contact table out of the solve that follows; nothing happens for a
// separation and a sensor.
// Errors: CN_ERROR_WRONG_PHASE unless the world has collided and not been solved, CN_ERROR_OUT_OF_RANGE.
CN_API cnErrorCode cnWorld_RemoveContact(cnWorldId world, int contactRow);

// Gives the contact of a row of the contact table another friction in the solve that follows, in place of
// what its materials make. Nothing happens for a separation and a sensor. Errors: CN_ERROR_WRONG_PHASE unless
// the world has collided and not been solved, CN_ERROR_NULL_ARGUMENT, CN_ERROR_NOT_FINITE,
// CN_ERROR_OUT_OF_RANGE, CN_ERROR_OUT_OF_MEMORY.
CN_API cnErrorCode cnWorld_SetContactFriction(cnWorldId world, int contactRow,
                                              const cnCustomFriction* friction);
// ---- queries ----------------------------------------------------------------------------------------------
//
// They see the poses of the last step's end, whatever phase the world is in, and change nothing. A null
// filter sees all but sensors. Errors of all of them: CN_ERROR_NOT_FINITE, CN_ERROR_OUT_OF_RANGE,
// CN_ERROR_NULL_ARGUMENT (an array without memory), CN_ERROR_STALE_HANDLE (of the filter, too).

// Nearest geometry that the segment from `origin` (m) along `translation` (m) meets; of several at one place
// that with the lowest proxy number.
CN_API cnRayResult cnWorld_CastRay(cnWorldId world, cnVec3 origin, cnVec3 translation,
                                   const cnQueryFilter* filter);

// The nearest `capacity` shapes that the segment meets, by distance, each where it enters first; with
// the filter's `crossings` the nearest places where it goes into a shape or out of one. Returns how
// many were written.
CN_API int cnWorld_CastRayAll(cnWorldId world, cnVec3 origin, cnVec3 translation, const cnQueryFilter* filter,
                              cnRayResult* results, int capacity);

// Whether the segment meets anything.
CN_API bool cnWorld_TestRay(cnWorldId world, cnVec3 origin, cnVec3 translation, const cnQueryFilter* filter);

// Nearest hits of many rays, by all threads. `rays`: origin and translation, six doubles each. `geometries`
// gets rows of the geometry table, -1 without a hit; `fractions` (1 without a hit) and `normals` (three each,
// zero without a hit) may be null.
CN_API cnErrorCode cnWorld_CastRays(cnWorldId world, const double* rays, int count,
                                    const cnQueryFilter* filter, int32_t* geometries, double* fractions,
                                    double* normals);

// First geometry that a shape meets on its way from a pose along a translation (m), without turning. Any
// shape but a plane may be moved; those it has no cast with are counted, not passed over in silence.
CN_API cnShapeCastResult cnWorld_CastShape(cnWorldId world, cnShapeId shape, cnPose pose, cnVec3 translation,
                                           const cnQueryFilter* filter);

// The nearest `capacity` shapes that a moving shape meets, by distance. Returns how many were written.
// `unsupported` is the same in all; with none written, ask cnWorld_CastShape.
CN_API int cnWorld_CastShapeAll(cnWorldId world, cnShapeId shape, cnPose pose, cnVec3 translation,
                                const cnQueryFilter* filter, cnShapeCastResult* results, int capacity);

// Geometries whose bounds (of one of their shapes, along the world's axes) overlap a box; ascending by row.
// Returns how many were written, of at most `capacity`.
CN_API int cnWorld_TestBoundingVolumeOverlap(cnWorldId world, cnBounds bounds, const cnQueryFilter* filter,
                                             cnGeometryId* geometries, int capacity);

// Points where a geometry that is not in the world would touch those that are: of `def`, shapes and pose
// (in the world) count. Returns how many were written, in the order of the shapes of `def` and of the
// world's proxies.
CN_API int cnWorld_TestGeometryOverlap(cnWorldId world, const cnGeometryDef* def, const cnQueryFilter* filter,
                                       cnOverlapContact* contacts, int capacity);

// Geometries that hold a point (m); ascending by row. Returns how many were written.
CN_API int cnWorld_FindGeometriesAtPoint(cnWorldId world, cnVec3 point, const cnQueryFilter* filter,
                                         cnGeometryId* geometries, int capacity);

// Closest points of two geometries, over all their shapes.
CN_API cnClosestPoints cnWorld_ComputeClosestPoints(cnWorldId world, cnGeometryId geometry1,
                                                    cnGeometryId geometry2);

// ---- snapshots --------------------------------------------------------------------------------------------
//
// All of a world as bytes, from which any build goes on to the same bits, with any number of threads
// (docs/snapshots.md). Listeners are code: they are not saved, and a world that is restored keeps its own.
// Handles are saved: those of the saved world name the same objects in the restored one, those of objects
// that came later are stale until such objects are made again.

// How many bytes cnWorld_Save writes now.
CN_API size_t cnWorld_GetSnapshotBytes(cnWorldId world);

// Writes a snapshot of exactly that many bytes. Fastest where `target` is aligned to 16.
// Errors: CN_ERROR_NULL_ARGUMENT, CN_ERROR_OUT_OF_RANGE, CN_ERROR_OUT_OF_MEMORY.
CN_API cnErrorCode cnWorld_Save(cnWorldId world, void* target, size_t bytes);

// Puts the world into the state of a snapshot, of this world or of any other. Everything is checked before
// anything changes.
// Errors: CN_ERROR_SNAPSHOT (the message says which part is wrong), CN_ERROR_OUT_OF_MEMORY,
// CN_ERROR_WRONG_PHASE (in a listener).
CN_API cnErrorCode cnWorld_Restore(cnWorldId world, const void* snapshot, size_t bytes);

// Makes a world of a snapshot. threads as in cnWorldDef. Errors: those of cnCreateWorld and cnWorld_Restore.
CN_API cnWorldId cnRestoreWorld(const void* snapshot, size_t bytes, int threads);

// From now on keeps the world's state after each of the last `steps` steps, and that of now; 0 keeps none.
// After warm-up a step takes no memory for it. Errors: CN_ERROR_OUT_OF_RANGE, CN_ERROR_OUT_OF_MEMORY.
CN_API cnErrorCode cnWorld_Keep(cnWorldId world, int steps);

// Back to the end of the step so many steps ago, 0 to cnWorld_GetKeptSteps; 0 takes back what was changed
// since the last step.
// Errors: CN_ERROR_OUT_OF_RANGE, CN_ERROR_OUT_OF_MEMORY, CN_ERROR_WRONG_PHASE (in a listener).
CN_API cnErrorCode cnWorld_Rewind(cnWorldId world, int steps);

// How many steps the world can go back now.
CN_API int cnWorld_GetKeptSteps(cnWorldId world);

// Bytes that the kept states take: about those of a snapshot each, and a quarter more.
CN_API size_t cnWorld_GetKeptBytes(cnWorldId world);

// ---- recordings -------------------------------------------------------------------------------------------

// From now on records the world: its state, whatever others than its steps change, and a fingerprint of each
// step's end. Costs about four snapshots a step. Errors: CN_ERROR_OUT_OF_MEMORY.
CN_API cnErrorCode cnWorld_StartRecording(cnWorldId world);

// Ends the recording, of which nothing is kept. Nothing happens where nothing is recorded.
CN_API cnErrorCode cnWorld_StopRecording(cnWorldId world);

// How many bytes the recording has now, 0 where nothing is recorded.
CN_API size_t cnWorld_GetRecordingBytes(cnWorldId world);

// Copies the recording, of exactly that many bytes. Errors: CN_ERROR_WRONG_PHASE (nothing is recorded),
// CN_ERROR_OUT_OF_RANGE (bytes), CN_ERROR_OUT_OF_MEMORY (while it was recorded).
CN_API cnErrorCode cnWorld_CopyRecording(cnWorldId world, void* target, size_t bytes);

// Plays a recording in a world of its own until its end or the first step that differs. threads
// as in cnWorldDef.
// Errors: CN_ERROR_SNAPSHOT (it is none that this build can play, or cut or damaged), those of cnCreateWorld.
CN_API cnErrorCode cnPlayRecording(const void* recording, size_t bytes, int threads, cnReplay* out);

// ---- scenes -----------------------------------------------------------------------------------------------

// Makes a world from a scene file's text (UTF-8 JSON, `length` bytes; docs/scene-format.md). threads
// as in cnWorldDef.
// Errors: CN_ERROR_SCENE, CN_ERROR_NOT_SUPPORTED_YET; the argument of the error is the JSON path,
// nothing is left behind.
CN_API cnSceneId cnLoadScene(const char* text, size_t length, int threads);

// The same for a scene that names mesh files and images, whose bytes come from `files`; null: there are none.
CN_API cnSceneId cnLoadSceneWithFiles(const char* text, size_t length, int threads,
                                      const cnFileSource* files);

// Frees the scene and its world; not from a listener of that world (CN_ERROR_WRONG_PHASE).
CN_API cnErrorCode cnDestroyScene(cnSceneId scene);
CN_API cnWorldId cnScene_GetWorld(cnSceneId scene);

// "" where the file gives none. Owned by the scene.
CN_API const char* cnScene_GetName(cnSceneId scene);

// Applies the actions that are due, then steps the world.
CN_API cnErrorCode cnScene_Step(cnSceneId scene);

// The halves of cnScene_Step: actions and cnWorld_Collide, then cnWorld_Solve.
CN_API cnErrorCode cnScene_Collide(cnSceneId scene);
CN_API cnErrorCode cnScene_Solve(cnSceneId scene);

// Body, geometry, constraint or merged body by name; null where nothing has it (CN_ERROR_UNKNOWN_NAME).
CN_API cnBodyId cnScene_FindBody(cnSceneId scene, const char* name);
CN_API cnGeometryId cnScene_FindGeometry(cnSceneId scene, const char* name);
CN_API cnConstraintId cnScene_FindConstraint(cnSceneId scene, const char* name);
CN_API cnMergedBodyId cnScene_FindMergedBody(cnSceneId scene, const char* name);

// The frame of an observer by name, for cnWorld_GetFrameMotion. Errors: CN_ERROR_UNKNOWN_NAME.
CN_API cnFrame cnScene_FindObserver(cnSceneId scene, const char* name);

// Channels that the file wants recorded, in its order.
CN_API int cnScene_GetRecordCount(cnSceneId scene);
CN_API const char* cnScene_GetRecord(cnSceneId scene, int index);

// Index of a channel by its name ("body/b/position"), for cnScene_ReadChannel; -1 on an error
// (CN_ERROR_UNKNOWN_NAME, CN_ERROR_NOT_SUPPORTED_YET).
CN_API int cnScene_OpenChannel(cnSceneId scene, const char* channel);

// Present value of a channel as JSON text: a number, a list of numbers, a list of lists, a string, true or
// false. Owned by the scene until the next call.
CN_API const char* cnScene_ReadChannel(cnSceneId scene, int channel);

// JSON text of what there is: "materials", "contact-materials", "terrains", "cables", "beams", "shapes" or
// "channels". Null for another kind.
CN_API const char* cnListAvailable(const char* kind);

// Adds items to the library of the process: `text` (UTF-8, `length` bytes) is a JSON object whose keys are
// paths as in the folder materials/ ("materials/birch.json", "contact-materials/birch-steel.json") and whose
// values are what such files hold. Items are found by their `name`; one stays until the process ends. A world
// takes in what was added whenever it makes a material of the library. A snapshot of materials of the library
// can be restored where the same items were added in the same order.
// Errors: CN_ERROR_NULL_ARGUMENT, CN_ERROR_FILE (the argument is the path and the key), CN_ERROR_TOO_MANY
// (more than 1024 files), CN_ERROR_OUT_OF_MEMORY; nothing is added then.
CN_API cnErrorCode cnAddToLibrary(const char* text, size_t length);

// The same for the .json files of a folder that is built like materials/, in the order of their paths; its
// subfolders may be missing. In native builds only.
// Errors: those of cnAddToLibrary; CN_ERROR_FILE also for what cannot be read.
CN_API cnErrorCode cnAddLibraryFolder(const char* folder);
