// three.js and Cairn, in web pages, workers and bundlers.
//
// A page that has meshes gives them bodies:
//
//   const physics = createPhysics(await load());   // a world in which y is up
//   physics.addMesh(crate, { mass: 20 });          // shapes as they are drawn
//   …each frame:
//   physics.update(seconds);                       // steps, and meshes to where their bodies are
//
// A page that has a world draws it:
//
//   const view = new WorldView(world);
//   scene.add(view);                               // a scene with z up: camera.up.set(0, 0, 1)
//   …each frame:
//   world.advance(seconds);
//   view.update();
//
// ContactOverlay shows contacts, JointOverlay constraints, both as dots and arrows. CairnPhysics has the
// interface of three's own add-ons for physics.
//
// Of a WorldView, what flows in is the world's tables; what flows out is a handful of InstancedMeshes. Their
// matrices are written by the engine, in one call a frame for the whole world, into memory that three.js
// uploads from as it is: no JavaScript runs per body. Only when geometries come, go or change their material
// are the meshes sorted anew.
//
// A unit sphere and a unit box are drawn for every sphere and box, scaled per instance; a capsule cannot be
// stretched without spoiling its ends, so capsules share a mesh when the ratio of height to radius is the
// same; cylinders and cones share one when their sections are the same; a plane is a large quad; hulls,
// trimeshes and height fields have the surface that the engine holds, one mesh a shape, and those of height
// fields follow their changes.

import { load } from './index.js';
import { startCairnPhysics } from './three/cairn_physics.js';

export * from './three/exports.js';

/**
 * Physics with the interface of three's RapierPhysics and JoltPhysics.
 * @param {import('./three/cairn_physics.js').CairnPhysicsOptions} [options]
 * @returns {Promise<import('./three/cairn_physics.js').AddOn>}
 */
export const CairnPhysics = (options = {}) => startCairnPhysics(load, options);
