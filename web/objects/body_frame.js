// Points, directions and velocities between the model frame of a body and the world, from the columns: no
// call of the engine, and no garbage where an output is given.

import { checkOutput } from '../core/checks.js';
import { checkVector } from '../core/vectors.js';
import { handleOf } from '../core/handle.js';
import { bodyGetMotion } from '../generated/calls.js';

/** @typedef {import('../core/checks.js').OutputArray} OutputArray */
/** @typedef {import('../core/vectors.js').VectorLike} VectorLike */
/** @typedef {import('./body.js').Body} Body */

/**
 * The columns of a body that lives.
 * @param {string} call @param {Body} body
 */
function columnsOf(call, body) {
  const { world } = body;
  const value = handleOf(call, 'body', 'body', world, body);
  const { bodies } = world.columns;
  if (bodies.handle[body.index] !== value) bodyGetMotion(world, body); // the engine says what is wrong
  return bodies;
}

/**
 * @template {OutputArray} T
 * @param {T | undefined} out @param {number} x @param {number} y @param {number} z @returns {T}
 */
function fill(out, x, y, z) {
  if (out === undefined) return /** @type {T} */ (/** @type {unknown} */ ([x, y, z]));
  out[0] = x;
  out[1] = y;
  out[2] = z;
  return out;
}

/**
 * v + w t + q × t with t = 2 q × v, of the quaternion (q, w): rotated forwards, or back with −q.
 * @template {OutputArray} T
 * @param {Float64Array} rotations @param {number} row @param {1 | -1} direction
 * @param {number} x @param {number} y @param {number} z
 * @param {ArrayLike<number> | null} offsets added afterwards, three a row
 * @param {T | undefined} out
 * @returns {T}
 */
function rotate(rotations, row, direction, x, y, z, offsets, out) {
  const qx = direction * rotations[4 * row];
  const qy = direction * rotations[4 * row + 1];
  const qz = direction * rotations[4 * row + 2];
  const qw = rotations[4 * row + 3];
  const tx = 2 * (qy * z - qz * y);
  const ty = 2 * (qz * x - qx * z);
  const tz = 2 * (qx * y - qy * x);
  const ox = offsets === null ? 0 : offsets[3 * row];
  const oy = offsets === null ? 0 : offsets[3 * row + 1];
  const oz = offsets === null ? 0 : offsets[3 * row + 2];
  return fill(
    out,
    ox + x + qw * tx + qy * tz - qz * ty,
    oy + y + qw * ty + qz * tx - qx * tz,
    oz + z + qw * tz + qx * ty - qy * tx,
  );
}

/**
 * @template {OutputArray} [T=number[]]
 * @param {string} call @param {Body} body @param {string} argument @param {VectorLike} vector world axes
 * @param {boolean} isPoint and no direction
 * @param {T} [out]
 * @returns {T}
 */
export function toLocal(call, body, argument, vector, isPoint, out) {
  const { position, rotation } = columnsOf(call, body);
  const given = checkVector(call, argument, vector, 3);
  checkOutput(call, out, 3);
  const row = body.index;
  const x = given[0] - (isPoint ? position[3 * row] : 0);
  const y = given[1] - (isPoint ? position[3 * row + 1] : 0);
  const z = given[2] - (isPoint ? position[3 * row + 2] : 0);
  return rotate(rotation, row, -1, x, y, z, null, out);
}

/**
 * @template {OutputArray} [T=number[]]
 * @param {string} call @param {Body} body @param {string} argument @param {VectorLike} vector model axes
 * @param {boolean} isPoint and no direction
 * @param {T} [out]
 * @returns {T}
 */
export function toWorld(call, body, argument, vector, isPoint, out) {
  const { position, rotation } = columnsOf(call, body);
  const given = checkVector(call, argument, vector, 3);
  checkOutput(call, out, 3);
  const offsets = isPoint ? position : null;
  return rotate(rotation, body.index, 1, given[0], given[1], given[2], offsets, out);
}

/**
 * v + ω × (p − c)
 * @template {OutputArray} [T=number[]]
 * @param {Body} body @param {VectorLike} point m, world @param {T} [out]
 * @returns {T} m/s
 */
export function readVelocityAtPoint(body, point, out) {
  const call = 'Body.getVelocityAtPoint';
  const { velocity, angularVelocity, centreOfMass } = columnsOf(call, body);
  const place = checkVector(call, 'point', point, 3);
  checkOutput(call, out, 3);
  const i = 3 * body.index;
  const x = place[0] - centreOfMass[i];
  const y = place[1] - centreOfMass[i + 1];
  const z = place[2] - centreOfMass[i + 2];
  const wx = angularVelocity[i];
  const wy = angularVelocity[i + 1];
  const wz = angularVelocity[i + 2];
  return fill(
    out,
    velocity[i] + wy * z - wz * y,
    velocity[i + 1] + wz * x - wx * z,
    velocity[i + 2] + wx * y - wy * x,
  );
}

/**
 * @template {OutputArray} [T=number[]]
 * @param {string} call @param {Body} body @param {'linearDamping' | 'angularDamping'} column @param {T} [out]
 * @returns {T}
 */
export function readDamping(call, body, column, out) {
  const values = columnsOf(call, body)[column];
  checkOutput(call, out, 3);
  const i = 3 * body.index;
  return fill(out, values[i], values[i + 1], values[i + 2]);
}

// what momentOf() gives, written into the engine's memory at once
const moment = [0, 0, 0];

/**
 * (p − c) × j
 * @param {Body} body @param {VectorLike} impulse N s @param {VectorLike} point m, world
 * @returns {VectorLike} N m s about the centre of mass, until the next call
 */
export function momentOf(body, impulse, point) {
  const call = 'Body.applyImpulse';
  const { centreOfMass } = columnsOf(call, body);
  const given = checkVector(call, 'impulse', impulse, 3);
  const place = checkVector(call, 'point', point, 3);
  const i = 3 * body.index;
  const x = place[0] - centreOfMass[i];
  const y = place[1] - centreOfMass[i + 1];
  const z = place[2] - centreOfMass[i + 2];
  moment[0] = y * given[2] - z * given[1];
  moment[1] = z * given[0] - x * given[2];
  moment[2] = x * given[1] - y * given[0];
  return moment;
}
