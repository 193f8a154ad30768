// What a BufferGeometry says of itself: its points, its triangles, and which of three's own geometries it is.

import { Matrix3, Matrix4, Vector3 } from 'three';
import { applyLinear, IDENTITY } from './linear_maps.js';

/** @typedef {import('three').BufferGeometry} BufferGeometry */

/**
 * A geometry that is one of three's own, moved by an affine map: `linear` (nine numbers by columns) and
 * `origin`, as `geometry.rotateX()`, `scale()` and `translate()` leave it.
 *
 * @typedef {object} Recognised
 * @property {string} type 'BoxGeometry', …
 * @property {Record<string, number | boolean>} parameters that it was made with
 * @property {number} pointCount
 * @property {number[]} linear
 * @property {number[]} origin
 */

/** Part of the size of a geometry that its points may be off, as their f32 makes them. */
export const TOLERANCE = 1e-5;

/**
 * What was found out about a geometry, as long as its points are the same.
 * @type {WeakMap<BufferGeometry, { version: number, found: Recognised | null }>}
 */
const known = new WeakMap();

/**
 * A number that goes up when the points are said to have changed.
 * @param {BufferGeometry} geometry @returns {number}
 */
export function versionOf(geometry) {
  const position = geometry.getAttribute('position');
  return 'data' in position ? position.data.version : /** @type {{ version: number }} */ (position).version;
}

/**
 * Points of a geometry under a linear map, three numbers each.
 * @param {BufferGeometry} geometry
 * @param {ArrayLike<number>} [linear] nine numbers by columns
 * @returns {Float64Array}
 */
export function pointsOf(geometry, linear = IDENTITY) {
  const position = geometry.getAttribute('position');
  const points = new Float64Array(3 * position.count);
  for (let i = 0; i < position.count; ++i) {
    const x = position.getX(i);
    const y = position.getY(i);
    const z = position.getZ(i);
    for (let k = 0; k < 3; ++k) points[3 * i + k] = linear[k] * x + linear[3 + k] * y + linear[6 + k] * z;
  }
  return points;
}

/** Vertex numbers, three a triangle. @param {BufferGeometry} geometry @returns {Uint32Array} */
export function trianglesOf(geometry) {
  const { index } = geometry;
  const count = index === null ? geometry.getAttribute('position').count : index.count;
  const triangles = new Uint32Array(count - (count % 3));
  for (let i = 0; i < triangles.length; ++i) triangles[i] = index === null ? i : index.getX(i);
  return triangles;
}

/**
 * Bounds of points.
 * @param {Float64Array} points
 * @returns {{ centre: number[], half: number[], size: number }} size: length of the diagonal
 */
export function boundsOf(points) {
  const lower = [Infinity, Infinity, Infinity];
  const upper = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; ++i) {
    lower[i % 3] = Math.min(lower[i % 3], points[i]);
    upper[i % 3] = Math.max(upper[i % 3], points[i]);
  }
  const half = upper.map((value, k) => (value - lower[k]) / 2);
  return {
    centre: upper.map((value, k) => (value + lower[k]) / 2),
    half,
    size: 2 * Math.hypot(half[0], half[1], half[2]),
  };
}

/** Whether points all lie in one plane. @param {Float64Array} points @returns {boolean} */
export const isFlat = (points) => spanningCorners(points) === null;

/** Each point once. @param {Float64Array} points @param {number} tolerance m @returns {Float64Array} */
export function distinctPoints(points, tolerance) {
  const seen = new Set();
  const distinct = [];
  const cell = tolerance > 0 ? tolerance : 1;
  for (let i = 0; i < points.length; i += 3) {
    const key = [0, 1, 2].map((k) => Math.round(points[i + k] / cell)).join(' ');
    if (seen.has(key)) continue;
    seen.add(key);
    distinct.push(points[i], points[i + 1], points[i + 2]);
  }
  return Float64Array.from(distinct);
}

/**
 * Which of three's own geometries this one is; null where its points are not those of its type, because they
 * were changed one by one.
 * @param {BufferGeometry} geometry
 * @returns {Recognised | null}
 */
export function recognise(geometry) {
  const version = versionOf(geometry);
  const last = known.get(geometry);
  if (last && last.version === version) return last.found;
  const found = compare(geometry);
  known.set(geometry, { version, found });
  return found;
}

/** @param {BufferGeometry} geometry @returns {Recognised | null} */
function compare(geometry) {
  const { parameters } = /** @type {{ parameters?: Record<string, number | boolean> }} */ (geometry);
  const { fromJSON } = /** @type {{ fromJSON?: (parameters: unknown) => BufferGeometry }} */ (
    /** @type {unknown} */ (geometry.constructor)
  );
  if (!parameters || typeof fromJSON !== 'function') return null;
  const original = fromJSON.call(geometry.constructor, parameters);
  const from = pointsOf(original);
  const to = pointsOf(geometry);
  original.dispose();
  const map = from.length === to.length ? findMap(from, to) : null;
  return map && { type: geometry.type, parameters, pointCount: to.length / 3, ...map };
}

/**
 * The affine map that takes points to others, null where there is none.
 * @param {Float64Array} from that span a solid
 * @param {Float64Array} to as many
 * @returns {{ linear: number[], origin: number[] } | null}
 */
function findMap(from, to) {
  const corners = spanningCorners(from);
  if (corners === null) return null;
  const inverse = edgeMatrix(from, corners).invert();
  const matrix = new Matrix3().multiplyMatrices(edgeMatrix(to, corners), inverse);
  const linear = [...matrix.elements];
  const pointOf = (/** @type {Float64Array} */ points, /** @type {number} */ i) => [
    points[3 * i],
    points[3 * i + 1],
    points[3 * i + 2],
  ];
  const moved = applyLinear(linear, pointOf(from, corners[0]));
  const origin = pointOf(to, corners[0]).map((value, k) => value - moved[k]);
  const { size } = boundsOf(to);
  for (let i = 0; i < from.length / 3; ++i) {
    const wanted = applyLinear(linear, pointOf(from, i));
    const isOff = (/** @type {number} */ value, /** @type {number} */ k) =>
      !(Math.abs(to[3 * i + k] - value - origin[k]) <= TOLERANCE * size);
    if (wanted.some(isOff)) return null;
  }
  return { linear, origin };
}

/**
 * Numbers of four points far from one plane; null where all lie in one.
 * @param {Float64Array} points
 * @returns {number[] | null}
 */
function spanningCorners(points) {
  const count = points.length / 3;
  const at = (/** @type {number} */ i) => new Vector3().fromArray(points, 3 * i);
  /** @param {(point: Vector3) => number} measure */
  const farthest = (measure) => {
    let best = 0;
    let most = -1;
    for (let i = 0; i < count; ++i) {
      const value = measure(at(i));
      if (value > most) {
        most = value;
        best = i;
      }
    }
    return best;
  };
  const first = at(0);
  const b = farthest((point) => point.distanceTo(first));
  const edge = at(b).sub(first);
  const c = farthest((point) => point.sub(first).cross(edge).length());
  const normal = at(c).sub(first).cross(edge);
  const d = farthest((point) => Math.abs(point.sub(first).dot(normal)));
  const height = Math.abs(at(d).sub(first).dot(normal));
  return height > 1e-6 * Math.pow(edge.length(), 3) ? [0, b, c, d] : null;
}

/** Edges from the first of four points, as columns. @param {Float64Array} points @param {number[]} corners */
function edgeMatrix(points, [a, b, c, d]) {
  const edge = (/** @type {number} */ i) =>
    new Vector3().fromArray(points, 3 * i).sub(new Vector3().fromArray(points, 3 * a));
  return new Matrix3().setFromMatrix4(new Matrix4().makeBasis(edge(b), edge(c), edge(d)));
}
