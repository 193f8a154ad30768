// Shapes for the physics of what three.js draws: its own geometries as the exact shapes that they stand for,
// wherever their points were moved to, and any other as hull, mesh or the smallest box, ball, cylinder, …
// about its points.
//
// All of it is decided by the points, under the scale that the mesh is drawn with: `geometry.rotateX()`,
// `translate()` and a mesh's scale count as they are seen.

import { Vector3 } from 'three';
import { checkNames, checkOptions } from '../core/checks.js';
import { CairnError, describe, outOfRange } from '../core/errors.js';
import { checkVector } from '../core/vectors.js';
import {
  boundsOf,
  distinctPoints,
  isFlat,
  pointsOf,
  recognise,
  TOLERANCE,
  trianglesOf,
} from './drawn_points.js';
import { fitAround } from './enclosing_shapes.js';
import { determinantOf } from './linear_maps.js';
import { fitOwnGeometry } from './own_geometries.js';
import { findField } from './plane_fields.js';

/** @typedef {import('three').BufferGeometry} BufferGeometry */
/** @typedef {import('../index.js').ShapeDescription} ShapeDescription */
/** @typedef {number | import('../index.js').VectorLike} ScaleLike */

/**
 * @typedef {'auto' | 'box' | 'sphere' | 'cylinder' | 'capsule' | 'cone' | 'convex' | 'trimesh'
 *   | 'heightField' | 'plane'} GeometryShapeKind
 */

/**
 * A shape, and where it lies in the frame of the geometry (m).
 * @typedef {{ shape: ShapeDescription, position: number[], rotation: number[] }} FittedShape
 */

/** @type {readonly string[]} */
const KINDS = [
  'auto',
  'box',
  'sphere',
  'cylinder',
  'capsule',
  'cone',
  'convex',
  'trimesh',
  'heightField',
  'plane',
];

/** Part of its size that vertices of a mesh are one within: its seams close. */
const SEAM = 1e-6;

/**
 * The shape of a geometry of three.js.
 *
 * 'auto' is what three's own geometries stand for (box, sphere, cylinder, capsule, cone; of a PlaneGeometry
 * that does not move a height field), else the convex hull of the points, or the triangles of what does not
 * move. A kind by its name is that of three's own geometry where it is one, else the smallest of this kind
 * about the points, along the axes of the geometry.
 *
 * @param {BufferGeometry} geometry
 * @param {GeometryShapeKind} [kind] 'auto'
 * @param {{ scale?: ScaleLike, isStatic?: boolean }} [options] scale that it is drawn with, one factor or
 *   three (1); isStatic: for what does not move (false)
 * @returns {FittedShape} as an item of the option `shapes` of a geometry
 */
export function shapeFromGeometry(geometry, kind = 'auto', options = {}) {
  const call = 'shapeFromGeometry';
  checkOptions(call, 'options', options);
  checkNames(call, 'options', options, ['scale', 'isStatic']);
  const { scale = 1, isStatic = false } = options;
  checkGeometry(call, geometry);
  checkKind(call, kind);
  return fitShape(call, geometry, kind, scaleMap(call, scale), isStatic);
}

/**
 * @param {string} call
 * @param {BufferGeometry} geometry
 * @param {GeometryShapeKind} kind
 * @param {readonly number[]} linear nine numbers by columns, from the geometry's points to the frame of the
 *   body
 * @param {boolean} isStatic
 * @returns {FittedShape}
 */
export function fitShape(call, geometry, kind, linear, isStatic) {
  const isMirrored = determinantOf(linear) < 0;
  const points = pointsOf(geometry, linear);
  const { size } = boundsOf(points);
  if (!(size > 0 && size < Infinity))
    throw degenerate(call, 'the geometry has points that all are one, or are not finite');

  if (kind === 'plane') return makePlane(call, geometry, points, isMirrored);
  const isGround = kind === 'auto' && isStatic && geometry.type === 'PlaneGeometry';
  const field = kind === 'heightField' || isGround ? findField(geometry, points, isMirrored) : null;
  if (field !== null) return field;
  if (kind === 'heightField') {
    const text = 'the geometry is no PlaneGeometry whose points moved along one of its axes';
    throw new CairnError('WRONG_TYPE', call, 'geometry', text);
  }

  const own = recognise(geometry);
  const exact = own && fitOwnGeometry(own, linear, kind, isStatic);
  if (exact !== null) return exact;
  if (kind === 'trimesh' || (kind === 'auto' && isStatic)) return makeMesh(geometry, points, isMirrored);
  if (kind === 'auto' || kind === 'convex') return makeHull(call, points);
  return fitAround(kind, points);
}

// ---- kinds ------------------------------------------------------------------------------------------------

/**
 * @param {ShapeDescription} shape
 * @returns {FittedShape} in the frame of the geometry
 */
const unplaced = (shape) => ({ shape, position: [0, 0, 0], rotation: [0, 0, 0, 1] });

/** @param {BufferGeometry} geometry @param {Float64Array} points @param {boolean} isMirrored */
function makeMesh(geometry, points, isMirrored) {
  const triangles = trianglesOf(geometry);
  const winding = isMirrored ? 'cw' : 'ccw';
  const mergeTolerance = SEAM * boundsOf(points).size;
  return unplaced({ type: 'trimesh', points, triangles, winding, mergeVertices: true, mergeTolerance });
}

/** @param {string} call @param {Float64Array} points */
function makeHull(call, points) {
  if (isFlat(points)) {
    const text = "the geometry is flat: what moves needs a volume, what does not takes 'trimesh' or 'plane'";
    throw degenerate(call, text);
  }
  const distinct = distinctPoints(points, SEAM * boundsOf(points).size);
  return unplaced({ type: 'convex', points: distinct });
}

/**
 * The half-space under a flat geometry, on the side from which its triangles are not seen.
 * @param {string} call @param {BufferGeometry} geometry @param {Float64Array} points
 * @param {boolean} isMirrored
 */
function makePlane(call, geometry, points, isMirrored) {
  const normal = new Vector3();
  const corners = [new Vector3(), new Vector3(), new Vector3()];
  const triangles = trianglesOf(geometry);
  for (let i = 0; i < triangles.length && normal.lengthSq() === 0; i += 3) {
    corners.forEach((corner, k) => corner.fromArray(points, 3 * triangles[i + k]));
    const [a, b, c] = corners;
    normal.crossVectors(b.sub(a), c.sub(a)).normalize();
  }
  if (isMirrored) normal.negate();
  const offset = corners[0].dot(normal);
  const tolerance = TOLERANCE * boundsOf(points).size;
  for (let i = 0; i < points.length; i += 3) {
    const height = points[i] * normal.x + points[i + 1] * normal.y + points[i + 2] * normal.z - offset;
    if (!(Math.abs(height) <= tolerance) || normal.lengthSq() === 0)
      throw degenerate(call, "the geometry is not flat, as shape 'plane' asks for");
  }
  return unplaced({ type: 'plane', normal: normal.toArray(), offset });
}

// ---- checks -----------------------------------------------------------------------------------------------

/** @param {string} call @param {string} text */
const degenerate = (call, text) => new CairnError('DEGENERATE_SHAPE', call, 'geometry', text);

/** @param {string} call @param {BufferGeometry} geometry */
export function checkGeometry(call, geometry) {
  if (geometry?.isBufferGeometry !== true) {
    const text = `geometry is ${describe(geometry)}, allowed are BufferGeometries of three.js`;
    throw new CairnError('WRONG_TYPE', call, 'geometry', text);
  }
  if (!geometry.hasAttribute('position') || geometry.getAttribute('position').count === 0)
    throw degenerate(call, 'the geometry has no points: its attribute "position" is missing or empty');
}

/** @param {string} call @param {string} kind */
export function checkKind(call, kind) {
  if (KINDS.includes(kind)) return;
  const words = KINDS.map((word) => `'${word}'`).join(', ');
  throw new CairnError('OUT_OF_RANGE', call, 'shape', `shape is ${describe(kind)}, allowed are ${words}`);
}

/** @param {string} call @param {ScaleLike} scale @returns {number[]} */
export function scaleMap(call, scale) {
  const [x, y, z] = typeof scale === 'number' ? [scale, scale, scale] : checkVector(call, 'scale', scale, 3);
  if (![x, y, z].every((factor) => Number.isFinite(factor) && factor !== 0))
    throw outOfRange(call, 'scale', scale, 'are finite numbers other than 0');
  return [x, 0, 0, 0, y, 0, 0, 0, z];
}
