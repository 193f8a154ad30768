// What both entries export beside load().

export { gatherFiles, listMeshFiles, listSceneFiles } from './assets.js';
export { Body } from './body.js';
export { Cairn } from './cairn.js';
export { Table } from './columns.js';
export { Constraint } from './constraint.js';
export { ContactCursor } from './contact_cursor.js';
export { BreakListener } from './break_listener.js';
export { ContactEvents, ContactListener } from './contact_listener.js';
export { ContactMaterial } from './contact_material.js';
export { ContactReader } from './contact_reader.js';
export { CairnError } from './errors.js';
export { BodyFlags, ConstraintFlags, GeometryFlags } from './generated/flags.js';
export { Geometry } from './geometry.js';
export { GuardListener } from './guard_listener.js';
export { Material } from './material.js';
export { Matrices } from './matrices.js';
export { Channel, Scene } from './scene.js';
export { Shape } from './shape.js';
export { World } from './world.js';

/** @typedef {import('./assets.js').Files} Files */
/** @typedef {import('./assets.js').HeightImage} HeightImage */
/** @typedef {import('./assets.js').HeightImageOptions} HeightImageOptions */
/** @typedef {import('./assets.js').MeshFile} MeshFile */
/** @typedef {import('./assets.js').MeshFileOptions} MeshFileOptions */
/** @typedef {import('./assets.js').MeshPart} MeshPart */
/** @typedef {import('./body.js').BodyOptions} BodyOptions */
/** @typedef {import('./checks.js').InertiaLike} InertiaLike */
/** @typedef {import('./checks.js').IntervalLike} IntervalLike */
/** @typedef {import('./checks.js').OutputArray} OutputArray */
/** @typedef {import('./checks.js').PointsLike} PointsLike */
/** @typedef {import('./checks.js').VectorLike} VectorLike */
/** @typedef {import('./clock.js').AdvanceOptions} AdvanceOptions */
/** @typedef {import('./columns.js').Columns} Columns */
/** @typedef {import('./constraint.js').ConeOptions} ConeOptions */
/** @typedef {import('./constraint.js').ConstraintOptions} ConstraintOptions */
/** @typedef {import('./constraint.js').FrictionOptions} FrictionOptions */
/** @typedef {import('./constraint.js').LockAtOptions} LockAtOptions */
/** @typedef {import('./constraint.js').MotorOptions} MotorOptions */
/** @typedef {import('./constraint.js').RangeOptions} RangeOptions */
/** @typedef {import('./constraint.js').ScrewOptions} ScrewOptions */
/** @typedef {import('./contact_listener.js').ContactAnswer} ContactAnswer */
/** @typedef {import('./contact_listener.js').ContactListenerOptions} ContactListenerOptions */
/** @typedef {import('./contact_listener.js').ContactSide} ContactSide */
/** @typedef {import('./contact_material.js').ContactMaterialOptions} ContactMaterialOptions */
/** @typedef {import('./contact_material.js').PairProperties} PairProperties */
/** @typedef {import('./errors.js').ErrorCode} ErrorCode */
/** @typedef {import('./generated/types.js').ConstraintSolve} ConstraintSolve */
/** @typedef {import('./generated/types.js').ConstraintType} ConstraintType */
/** @typedef {import('./generated/types.js').ContactForces} ContactForces */
/** @typedef {import('./generated/types.js').ContactState} ContactState */
/** @typedef {import('./generated/types.js').Counters} Counters */
/** @typedef {import('./generated/types.js').FrictionModel} FrictionModel */
/** @typedef {import('./generated/types.js').MassProperties} MassProperties */
/** @typedef {import('./generated/types.js').Motion} Motion */
/** @typedef {import('./generated/types.js').Profile} Profile */
/** @typedef {import('./generated/types.js').ClosestPoints} ClosestPoints */
/** @typedef {import('./generated/types.js').OverlapContact} OverlapContact */
/** @typedef {import('./generated/types.js').QueryFilter} QueryFilter */
/** @typedef {import('./generated/types.js').SecondaryForces} SecondaryForces */
/** @typedef {import('./generated/types.js').ShapeCastResult} ShapeCastResult */
/** @typedef {import('./queries.js').FreeGeometry} FreeGeometry */
/** @typedef {import('./queries.js').RayOutputs} RayOutputs */
/** @typedef {import('./generated/types.js').RawExports} RawExports */
/** @typedef {import('./generated/types.js').RayHit} RayHit */
/** @typedef {import('./generated/types.js').RayResult} RayResult */
/** @typedef {import('./generated/types.js').ShapeType} ShapeType */
/** @typedef {import('./generated/types.js').SolverType} SolverType */
/** @typedef {import('./geometry.js').GeometryOptions} GeometryOptions */
/** @typedef {import('./geometry.js').PlacedShape} PlacedShape */
/** @typedef {import('./geometry.js').Sensor} Sensor */
/** @typedef {import('./guard_listener.js').GuardEvent} GuardEvent */
/** @typedef {import('./load.js').LoadOptions} LoadOptions */
/** @typedef {import('./material.js').MaterialOptions} MaterialOptions */
/** @typedef {import('./shape.js').HeightFieldDescription} HeightFieldDescription */
/** @typedef {import('./shape.js').ShapeDescription} ShapeDescription */
/** @typedef {import('./render_data.js').RenderData} RenderData */
/** @typedef {import('./render_data.js').RenderDataOptions} RenderDataOptions */
/** @typedef {import('./world.js').GravityOptions} GravityOptions */
/** @typedef {import('./world.js').SolverOptions} SolverOptions */
/** @typedef {import('./world.js').WorldOptions} WorldOptions */
