// What both entries export beside load().

export { Drag, createDrag, createWind } from './fields/drag.js';
export { GravityField, createGravityField } from './fields/gravity_field.js';
export { Buoyancy, createBuoyancy } from './fields/buoyancy.js';
export { gatherFiles, listMeshFiles, listSceneFiles } from './objects/assets.js';
export { Bodies } from './objects/bodies.js';
export { Body } from './objects/body.js';
export { Cairn } from './objects/cairn.js';
export { Table } from './core/columns.js';
export { Constraint } from './objects/constraint.js';
export { MergedBody, MergeEdge } from './objects/merged_body.js';
export { ContactCursor } from './listeners/contact_cursor.js';
export { ContactEvents, ContactListener } from './listeners/contact_listener.js';
export { ContactMaterial } from './objects/contact_material.js';
export { ContactReader } from './listeners/contact_reader.js';
export { CairnError } from './core/errors.js';
export { BodyFlags, ConstraintFlags, GeometryFlags } from './generated/flags.js';
export { Geometry } from './objects/geometry.js';
export { ForceFieldListener } from './listeners/force_field.js';
export { BreakListener, GuardListener, MergeListener } from './listeners/after_step_listeners.js';
export { Material } from './objects/material.js';
export { Matrices } from './objects/matrices.js';
export { Observer } from './objects/observer.js';
export { Channel, Scene } from './objects/scene.js';
export { Shape } from './objects/shape.js';
export { World } from './objects/world.js';

/** @typedef {import('./events/event_types.js').BreakEvent} BreakEvent */
/** @typedef {import('./events/event_types.js').ContactEndEvent} ContactEndEvent */
/** @typedef {import('./events/event_types.js').ContactStartEvent} ContactStartEvent */
/** @typedef {import('./events/event_types.js').EventName} EventName */
/** @typedef {import('./events/event_types.js').EventOptions} EventOptions */
/** @typedef {import('./events/event_types.js').ImpactEvent} ImpactEvent */
/** @typedef {import('./events/event_types.js').MergeEvent} MergeEvent */
/** @typedef {import('./events/event_types.js').SensorEnterEvent} SensorEnterEvent */
/** @typedef {import('./events/event_types.js').SensorExitEvent} SensorExitEvent */
/** @typedef {import('./events/event_types.js').SleepEvent} SleepEvent */
/** @typedef {import('./events/event_types.js').SplitEvent} SplitEvent */
/** @typedef {import('./events/event_types.js').WakeEvent} WakeEvent */
/** @typedef {import('./events/event_types.js').WorldEvent} WorldEvent */
/** @typedef {import('./fields/buoyancy.js').BuoyancyOptions} BuoyancyOptions */
/** @typedef {import('./fields/drag.js').DragOptions} DragOptions */
/** @typedef {import('./fields/drag.js').WindOptions} WindOptions */
/** @typedef {import('./fields/field.js').Flow} Flow */
/** @typedef {import('./fields/gravity_field.js').GravityFieldOptions} GravityFieldOptions */
/** @typedef {import('./listeners/force_field.js').ForceField} ForceField */
/** @typedef {import('./objects/assets.js').Files} Files */
/** @typedef {import('./objects/assets.js').HeightImage} HeightImage */
/** @typedef {import('./objects/assets.js').HeightImageOptions} HeightImageOptions */
/** @typedef {import('./objects/assets.js').MeshFile} MeshFile */
/** @typedef {import('./objects/assets.js').MeshFileOptions} MeshFileOptions */
/** @typedef {import('./objects/assets.js').MeshPart} MeshPart */
/** @typedef {import('./objects/library.js').LibraryItems} LibraryItems */
/** @typedef {import('./objects/bodies.js').BodiesOptions} BodiesOptions */
/** @typedef {import('./objects/body.js').BodyOptions} BodyOptions */
/** @typedef {import('./core/checks.js').InertiaLike} InertiaLike */
/** @typedef {import('./core/checks.js').IntervalLike} IntervalLike */
/** @typedef {import('./core/checks.js').OutputArray} OutputArray */
/** @typedef {import('./core/checks.js').PointsLike} PointsLike */
/** @typedef {import('./core/vectors.js').VectorLike} VectorLike */
/** @typedef {import('./core/clock.js').AdvanceOptions} AdvanceOptions */
/** @typedef {import('./core/columns.js').Columns} Columns */
/** @typedef {import('./objects/constraint.js').ConeOptions} ConeOptions */
/** @typedef {import('./objects/constraint.js').ConstraintOptions} ConstraintOptions */
/** @typedef {import('./objects/merged_body.js').MergedBodyOptions} MergedBodyOptions */
/** @typedef {import('./objects/merged_body.js').MergedBodyProperties} MergedBodyProperties */
/** @typedef {import('./objects/merged_body.js').MergeEdgeOptions} MergeEdgeOptions */
/** @typedef {import('./objects/constraint.js').FrictionOptions} FrictionOptions */
/** @typedef {import('./objects/constraint.js').LockAtOptions} LockAtOptions */
/** @typedef {import('./objects/constraint.js').MotorOptions} MotorOptions */
/** @typedef {import('./objects/constraint.js').RangeOptions} RangeOptions */
/** @typedef {import('./objects/constraint.js').ScrewOptions} ScrewOptions */
/** @typedef {import('./objects/constraint.js').SpringOptions} SpringOptions */
/** @typedef {import('./objects/mouse_constraint.js').MouseConstraintOptions} MouseConstraintOptions */
/** @typedef {import('./listeners/contact_listener.js').ContactAnswer} ContactAnswer */
/** @typedef {import('./listeners/contact_listener.js').ContactListenerOptions} ContactListenerOptions */
/** @typedef {import('./listeners/contact_listener.js').ContactSide} ContactSide */
/** @typedef {import('./objects/contact_material.js').ContactMaterialOptions} ContactMaterialOptions */
/** @typedef {import('./objects/contact_material.js').PairOrigins} PairOrigins */
/** @typedef {import('./objects/contact_material.js').PairProperties} PairProperties */
/** @typedef {import('./objects/contact_material.js').ResolvedPair} ResolvedPair */
/** @typedef {import('./core/errors.js').ErrorCode} ErrorCode */
/** @typedef {import('./generated/types.js').ConstraintSolve} ConstraintSolve */
/** @typedef {import('./generated/types.js').ConstraintType} ConstraintType */
/** @typedef {import('./generated/types.js').ContactForces} ContactForces */
/** @typedef {import('./generated/types.js').ContactState} ContactState */
/** @typedef {import('./generated/types.js').Counters} Counters */
/** @typedef {import('./generated/types.js').FrictionModel} FrictionModel */
/** @typedef {import('./generated/types.js').FrictionModelType} FrictionModelType */
/** @typedef {import('./generated/types.js').MaterialFrictionModel} MaterialFrictionModel */
/** @typedef {import('./generated/types.js').MassProperties} MassProperties */
/** @typedef {import('./generated/types.js').Motion} Motion */
/** @typedef {import('./generated/types.js').Profile} Profile */
/** @typedef {import('./generated/types.js').ClosestPoints} ClosestPoints */
/** @typedef {import('./generated/types.js').OverlapContact} OverlapContact */
/** @typedef {import('./generated/types.js').QueryFilter} QueryFilter */
/** @typedef {import('./generated/types.js').SecondaryForces} SecondaryForces */
/** @typedef {import('./generated/types.js').ShapeCastResult} ShapeCastResult */
/** @typedef {import('./objects/queries.js').FreeGeometry} FreeGeometry */
/** @typedef {import('./objects/queries.js').RayOutputs} RayOutputs */
/** @typedef {import('./generated/types.js').RawExports} RawExports */
/** @typedef {import('./generated/types.js').RayHit} RayHit */
/** @typedef {import('./generated/types.js').RayResult} RayResult */
/** @typedef {import('./generated/types.js').ShapeType} ShapeType */
/** @typedef {import('./generated/types.js').SolverType} SolverType */
/** @typedef {import('./objects/geometry.js').GeometryOptions} GeometryOptions */
/** @typedef {import('./objects/geometry.js').PlacedShape} PlacedShape */
/** @typedef {import('./objects/geometry.js').Sensor} Sensor */
/** @typedef {import('./listeners/after_step_listeners.js').GuardEvent} GuardEvent */
/** @typedef {import('./listeners/after_step_listeners.js').MergeChange} MergeChange */
/** @typedef {import('./load.js').LoadOptions} LoadOptions */
/** @typedef {import('./objects/material.js').MaterialOptions} MaterialOptions */
/** @typedef {import('./objects/shape.js').HeightFieldDescription} HeightFieldDescription */
/** @typedef {import('./objects/shape.js').ShapeDescription} ShapeDescription */
/** @typedef {import('./generated/types.js').FrameMotion} FrameMotion */
/** @typedef {import('./generated/types.js').SurfaceDistance} SurfaceDistance */
/** @typedef {import('./objects/observer.js').ObserverOptions} ObserverOptions */
/** @typedef {import('./objects/render_data.js').RenderData} RenderData */
/** @typedef {import('./objects/render_data.js').RenderDataOptions} RenderDataOptions */
/** @typedef {import('./objects/world.js').GravityOptions} GravityOptions */
/** @typedef {import('./objects/world.js').SolverOptions} SolverOptions */
/** @typedef {import('./objects/world.js').WorldOptions} WorldOptions */
