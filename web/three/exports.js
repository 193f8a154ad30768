// What both entries of cairn-physics/three export beside CairnPhysics.

export { ContactOverlay } from './contact_overlay.js';
export { DebugOverlay } from './debug_overlay.js';
export { decomposeGeometry } from './decompose_geometry.js';
export { JointOverlay } from './joint_overlay.js';
export { createPhysics, Physics } from './physics.js';
export { Picker } from './picker.js';
export { shapeFromGeometry } from './geometry_shapes.js';
export { PALETTE, WorldView } from './world_view.js';

/** @typedef {import('../index.js').World} World */
/** @typedef {import('../index.js').Body} Body */
/** @typedef {import('../index.js').Geometry} Geometry */
/** @typedef {import('../index.js').Material} PhysicsMaterial */
/** @typedef {import('../index.js').Matrices} Matrices */
/** @typedef {import('../index.js').RayResult} RayResult */
/** @typedef {import('./world_view.js').ShapeKind} ShapeKind */
/** @typedef {import('./world_view.js').Item} Item */
/** @typedef {import('./world_view.js').Appearance} Appearance */
/** @typedef {import('./world_view.js').WorldViewOptions} WorldViewOptions */
/** @typedef {import('./world_view.js').Batch} Batch */
/** @typedef {import('./cairn_physics.js').AddOn} CairnAddOn */
/** @typedef {import('./cairn_physics.js').CairnPhysicsOptions} CairnPhysicsOptions */
/** @typedef {import('../drawing/debug_render.js').DebugOptions} DebugOptions */
/** @typedef {import('./contact_overlay.js').ContactOverlayOptions} ContactOverlayOptions */
/** @typedef {import('./geometry_shapes.js').FittedShape} FittedShape */
/** @typedef {import('./geometry_shapes.js').GeometryShapeKind} GeometryShapeKind */
/** @typedef {import('./joint_overlay.js').JointOverlayOptions} JointOverlayOptions */
/** @typedef {import('./mesh_options.js').MeshOptions} MeshOptions */
