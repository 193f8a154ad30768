// Convex decomposition of what three.js draws.

import { CairnError, describe } from '../core/errors.js';
import { pointsOf, trianglesOf } from './drawn_points.js';
import { checkGeometry, scaleMap } from './geometry_shapes.js';
import { determinantOf } from './linear_maps.js';

/** @typedef {import('three').BufferGeometry} BufferGeometry */
/** @typedef {import('./geometry_shapes.js').ScaleLike} ScaleLike */
/** @typedef {import('../objects/mesh_tools.js').Decomposition} Decomposition */
/** @typedef {import('../objects/mesh_tools.js').DecompositionOptions} DecompositionOptions */

/**
 * Cuts a geometry of three.js into convex pieces, as cairn.decomposeMesh() does with a mesh: one body of
 * several hulls for what shapeFromGeometry() would give a single hull.
 *
 * @param {{ decomposeMesh: (mesh: { points: Float64Array, triangles: Uint32Array },
 *   options?: DecompositionOptions) => Promise<Decomposition> }} cairn that was loaded, here or in a worker
 * @param {BufferGeometry} geometry
 * @param {DecompositionOptions & { scale?: ScaleLike }} [options] those of decomposeMesh(); scale that it is
 *   drawn with, one factor or three (1)
 * @returns {Promise<Decomposition>} whose `shapes` are those of createGeometry()
 */
export async function decomposeGeometry(cairn, geometry, options = {}) {
  const call = 'decomposeGeometry';
  if (typeof cairn?.decomposeMesh !== 'function') {
    const text = `cairn is ${describe(cairn)}, allowed is what load() or loadInWorker() gives`;
    throw new CairnError('WRONG_TYPE', call, 'cairn', text);
  }
  checkGeometry(call, geometry);
  const { scale = 1, ...rest } = options;
  const linear = scaleMap(call, scale);
  const triangles = trianglesOf(geometry);
  // what is mirrored is seen from its other side
  if (determinantOf(linear) < 0) {
    for (let i = 0; i < triangles.length; i += 3)
      [triangles[i], triangles[i + 1]] = [triangles[i + 1], triangles[i]];
  }
  return cairn.decomposeMesh({ points: pointsOf(geometry, linear), triangles }, rest);
}
