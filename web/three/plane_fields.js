// Height fields from three's PlaneGeometry: a grid of points that were moved along one axis, its own z or,
// once `geometry.rotateX(-Math.PI / 2)` laid it down, another.

import { Matrix4, Quaternion, Vector3 } from 'three';
import { boundsOf, TOLERANCE } from './drawn_points.js';

/** @typedef {import('three').BufferGeometry} BufferGeometry */
/** @typedef {import('./geometry_shapes.js').FittedShape} FittedShape */

/** Part of its size that a field is solid below its lowest point. */
const THICKNESS = 0.1;

/**
 * @param {BufferGeometry} geometry
 * @param {Float64Array} points of it, as it is drawn
 * @param {boolean} isMirrored whether a mirror is in how it is drawn
 * @returns {FittedShape | null} null where it is no such grid
 */
export function findField(geometry, points, isMirrored) {
  const { parameters } = /** @type {{ parameters?: Record<string, number> }} */ (geometry);
  if (geometry.type !== 'PlaneGeometry' || !parameters) return null;
  const columns = Math.floor(parameters.widthSegments) + 1;
  const rows = Math.floor(parameters.heightSegments) + 1;
  if (!(columns >= 2 && rows >= 2) || points.length !== 3 * columns * rows) return null;
  for (const axis of [2, 1, 0]) {
    const grid = readGrid(points, columns, rows, axis);
    if (grid !== null) return makeField(points, grid, isMirrored);
  }
  return null;
}

/**
 * Points of which two coordinates are those of a rectangular grid.
 *
 * @typedef {object} Grid
 * @property {number} columns
 * @property {number} rows
 * @property {number} axis 0…2, that heights are along
 * @property {Vector3} first corner, 0 along the axis
 * @property {Vector3} across m, from a column to the next
 * @property {Vector3} down m, from a row to the next
 */

/**
 * @param {Float64Array} points @param {number} columns @param {number} rows @param {number} axis
 * @returns {Grid | null}
 */
function readGrid(points, columns, rows, axis) {
  const flat = (/** @type {number} */ i) => new Vector3().fromArray(points, 3 * i).setComponent(axis, 0);
  const first = flat(0);
  const across = flat(columns - 1).sub(first).divideScalar(columns - 1); // prettier-ignore
  const down = flat((rows - 1) * columns).sub(first).divideScalar(rows - 1); // prettier-ignore
  const product = across.length() * down.length();
  if (!(product > 0) || Math.abs(across.dot(down)) > TOLERANCE * product) return null;

  const tolerance = TOLERANCE * boundsOf(points).size;
  const wanted = new Vector3();
  for (let j = 0; j < rows; ++j) {
    for (let i = 0; i < columns; ++i) {
      wanted.copy(first).addScaledVector(across, i).addScaledVector(down, j);
      if (flat(j * columns + i).distanceTo(wanted) > tolerance) return null;
    }
  }
  return { columns, rows, axis, first, across, down };
}

/**
 * A field's diagonals go from (i, j) to (i + 1, j + 1). Those of three's plane do so where i counts its
 * columns and j its rows from below; in a mirror the two change places.
 *
 * @param {Float64Array} points @param {Grid} grid @param {boolean} isMirrored
 * @returns {FittedShape}
 */
function makeField(points, { columns, rows, first, across, down }, isMirrored) {
  const x = isMirrored ? down.clone().negate() : across.clone();
  const y = isMirrored ? across.clone() : down.clone().negate();
  const [nx, ny] = isMirrored ? [rows, columns] : [columns, rows];
  const size = [x.length() * (nx - 1), y.length() * (ny - 1)];
  const up = new Vector3().crossVectors(x.normalize(), y.normalize());

  const heights = new Float64Array(nx * ny);
  for (let row = 0; row < rows; ++row) {
    for (let column = 0; column < columns; ++column) {
      const [i, j] = isMirrored ? [rows - 1 - row, column] : [column, rows - 1 - row];
      const at = 3 * (row * columns + column);
      heights[j * nx + i] = points[at] * up.x + points[at + 1] * up.y + points[at + 2] * up.z;
    }
  }
  const centre = first
    .clone()
    .addScaledVector(across, (columns - 1) / 2)
    .addScaledVector(down, (rows - 1) / 2);
  const rotation = new Quaternion().setFromRotationMatrix(new Matrix4().makeBasis(x, y, up));
  const bottomMargin = THICKNESS * Math.max(size[0], size[1]);
  return {
    shape: { type: 'heightField', resolution: [nx, ny], size, heights, bottomMargin },
    position: centre.toArray(),
    rotation: rotation.normalize().toArray(),
  };
}
