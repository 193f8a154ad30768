// Linear maps as nine numbers by columns.

import { Matrix4, Quaternion, Vector3 } from 'three';

/** The map that leaves all where it is. @type {readonly number[]} */
export const IDENTITY = Object.freeze([1, 0, 0, 0, 1, 0, 0, 0, 1]);

/** Cosine that two axes may have and count as perpendicular. */
const SQUARE = 1e-5;

/** @param {readonly number[]} a @param {readonly number[]} b @returns {number[]} a b */
export function multiplyLinear(a, b) {
  return [0, 3, 6].flatMap((column) => applyLinear(a, b.slice(column, column + 3)));
}

/** @param {readonly number[]} a @param {readonly number[]} v @returns {number[]} a v */
export function applyLinear(a, [x, y, z]) {
  return [0, 1, 2].map((k) => a[k] * x + a[3 + k] * y + a[6 + k] * z);
}

/** @param {readonly number[]} a @returns {number} */
export function determinantOf([a, b, c, d, e, f, g, h, i]) {
  return a * (e * i - f * h) - d * (b * i - c * h) + g * (b * f - c * e);
}

/** @param {import('three').Matrix4} matrix @returns {number[]} its upper left part */
export function linearOf({ elements: e }) {
  return [e[0], e[1], e[2], e[4], e[5], e[6], e[8], e[9], e[10]];
}

/**
 * A map as a scale along three axes and a rotation after it; a mirror is left out, as of something that is
 * the same in it.
 * @param {readonly number[]} linear
 * @returns {{ scale: number[], rotation: Quaternion } | null} null where it shears, or flattens
 */
export function frameOf(linear) {
  const axes = [0, 3, 6].map((column) => new Vector3().fromArray([...linear], column));
  const scale = axes.map((axis) => axis.length());
  if (!scale.every((factor) => factor > 0)) return null;
  axes.forEach((axis) => axis.normalize());
  const [x, y, z] = axes;
  const worst = Math.max(Math.abs(x.dot(y)), Math.abs(y.dot(z)), Math.abs(z.dot(x)));
  if (!(worst <= SQUARE)) return null;
  if (determinantOf(linear) < 0) x.negate();
  const matrix = new Matrix4().makeBasis(x, y, z);
  return { scale, rotation: new Quaternion().setFromRotationMatrix(matrix).normalize() };
}
