// How three.js places objects, as a body's pose and what is left of the matrix.

import { Matrix4, Quaternion, Vector3 } from 'three';
import { CairnError } from '../core/errors.js';
import { determinantOf, linearOf } from './linear_maps.js';

/**
 * A matrix as a pose and a linear map before it: scale, mirror and shear.
 *
 * @typedef {object} RigidFrame
 * @property {Vector3} position m
 * @property {Quaternion} rotation
 * @property {number[]} linear nine numbers by columns; diagonal where nothing shears
 */

/**
 * @param {string} call @param {string} argument @param {Matrix4} matrix of an object in the world
 * @returns {RigidFrame}
 */
export function rigidFrameOf(call, argument, matrix) {
  const position = new Vector3().setFromMatrixPosition(matrix);
  const linear = linearOf(matrix);
  if (![...matrix.elements].every(Number.isFinite))
    throw new CairnError(
      'NOT_FINITE',
      call,
      argument,
      `${argument} is placed by numbers that are not finite`,
    );
  const scale = Math.max(...linear.map(Math.abs));
  if (!(Math.abs(determinantOf(linear)) > 1e-12 * Math.pow(scale, 3)))
    throw new CairnError('DEGENERATE_SHAPE', call, argument, `${argument} has a scale of 0`);

  // axes one after another, each perpendicular to those before: a mirror is along the first, as in three.js
  const x = new Vector3().setFromMatrixColumn(matrix, 0).normalize();
  if (determinantOf(linear) < 0) x.negate();
  const y = new Vector3().setFromMatrixColumn(matrix, 1);
  y.addScaledVector(x, -x.dot(y)).normalize();
  const z = new Vector3().crossVectors(x, y);
  const axes = new Matrix4().makeBasis(x, y, z);
  const rotation = new Quaternion().setFromRotationMatrix(axes).normalize();
  const rest = new Matrix4().makeRotationFromQuaternion(rotation).transpose().multiply(matrix);
  return { position, rotation, linear: withoutRounding(linearOf(rest)) };
}

/** Numbers that are 0 but for rounding are 0. @param {number[]} linear */
function withoutRounding(linear) {
  const size = Math.max(...linear.map(Math.abs));
  return linear.map((value) => (Math.abs(value) < 1e-9 * size ? 0 : value));
}

/** @param {readonly number[]} linear */
export const isDiagonal = (linear) => linear.every((value, i) => i % 4 === 0 || value === 0);

/** @param {Matrix4} matrix */
export function isIdentity({ elements }) {
  for (let i = 0; i < 16; ++i) if (elements[i] !== (i % 5 === 0 ? 1 : 0)) return false;
  return true;
}

/** Whether a matrix keeps angles, and does not mirror. @param {Matrix4} matrix */
export function keepsAngles({ elements: e }) {
  const xx = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
  const yy = e[4] * e[4] + e[5] * e[5] + e[6] * e[6];
  const zz = e[8] * e[8] + e[9] * e[9] + e[10] * e[10];
  const xy = e[0] * e[4] + e[1] * e[5] + e[2] * e[6];
  const yz = e[4] * e[8] + e[5] * e[9] + e[6] * e[10];
  const zx = e[8] * e[0] + e[9] * e[1] + e[10] * e[2];
  const worst = Math.max(Math.abs(xx - yy), Math.abs(xx - zz), Math.abs(xy), Math.abs(yz), Math.abs(zx));
  const triple =
    e[8] * (e[1] * e[6] - e[2] * e[5]) +
    e[9] * (e[2] * e[4] - e[0] * e[6]) +
    e[10] * (e[0] * e[5] - e[1] * e[4]);
  return worst <= 1e-6 * xx && triple > 0;
}
