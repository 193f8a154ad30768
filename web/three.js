// three.js for a Cairn world: meshes that follow it, an overlay of its contacts, and picking.
//
//   const view = new WorldView(world);
//   scene.add(view);                       // a scene with z up: camera.up.set(0, 0, 1)
//   …each frame:
//   world.advance(seconds);
//   view.update();
//
// ContactOverlay shows contacts, JointOverlay constraints, both as dots and arrows.
//
// What flows in is the world's tables; what flows out is a handful of InstancedMeshes. Their matrices are
// written by the engine, in one call a frame for the whole world, into memory that three.js uploads from
// as it is: no JavaScript runs per body. Only when geometries come, go or change their material are the
// meshes sorted anew.
//
// A unit sphere and a unit box are drawn for every sphere and box, scaled per instance; a capsule cannot be
// stretched without spoiling its ends, so capsules share a mesh when the ratio of height to radius is the
// same; cylinders and cones share one when their sections are the same; a plane is a large quad; hulls,
// trimeshes and height fields have the surface that the engine holds, one mesh a shape, and those of height
// fields follow their changes.

export { ContactOverlay } from './three/contact_overlay.js';
export { JointOverlay } from './three/joint_overlay.js';
export { createPhysics, Physics } from './three/physics.js';
export { shapeFromGeometry } from './three/geometry_shapes.js';
export { Picker } from './three/picker.js';
export { PALETTE, WorldView } from './three/world_view.js';

/** @typedef {import('./index.js').World} World */
/** @typedef {import('./index.js').Body} Body */
/** @typedef {import('./index.js').Geometry} Geometry */
/** @typedef {import('./index.js').Material} PhysicsMaterial */
/** @typedef {import('./index.js').Matrices} Matrices */
/** @typedef {import('./index.js').RayResult} RayResult */
/** @typedef {import('./three/world_view.js').ShapeKind} ShapeKind */
/** @typedef {import('./three/world_view.js').Item} Item */
/** @typedef {import('./three/world_view.js').Appearance} Appearance */
/** @typedef {import('./three/world_view.js').WorldViewOptions} WorldViewOptions */
/** @typedef {import('./three/world_view.js').Batch} Batch */
/** @typedef {import('./three/contact_overlay.js').ContactOverlayOptions} ContactOverlayOptions */
/** @typedef {import('./three/joint_overlay.js').JointOverlayOptions} JointOverlayOptions */
/** @typedef {import('./three/geometry_shapes.js').FittedShape} FittedShape */
/** @typedef {import('./three/geometry_shapes.js').GeometryShapeKind} GeometryShapeKind */
/** @typedef {import('./three/mesh_options.js').MeshOptions} MeshOptions */
