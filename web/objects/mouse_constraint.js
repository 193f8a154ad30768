// A pointer that pulls a body: a ball joint between a point of it and a point of the world, as soft and as
// weak as it should be. It is a constraint like any other, saved and restored with the world.

import { checkNames, checkNumber, checkOptions } from '../core/checks.js';
import { outOfRange } from '../core/errors.js';
import { checkVector } from '../core/vectors.js';
import { bodyGetMass, bodyGetMotion } from '../generated/calls.js';
import { handleOf } from '../core/handle.js';
import { makeConstraint } from './constraint.js';

/** @typedef {import('./body.js').Body} Body */
/** @typedef {import('./constraint.js').Constraint} Constraint */
/** @typedef {import('./world.js').World} World */

/**
 * @typedef {object} MouseConstraintOptions
 * @property {number} [stiffness] N/m, > 0; mass · (2π · 5 Hz)²
 * @property {number} [damping] N s/m, >= 0; critical: 2 √(mass · stiffness)
 * @property {number} [maxForce] N, > 0, along each of the world's axes; 100 times its weight on Earth
 * @property {string} [name]
 * @property {unknown} [userData]
 */

const call = 'World.createMouseConstraint';
const names = ['stiffness', 'damping', 'maxForce', 'name', 'userData'];
const frequency = 5; // Hz
const weights = 100 * 9.80665; // m/s²

/**
 * @param {World} world @param {unknown} body @param {unknown} point @param {unknown} options
 * @returns {Constraint}
 */
export function makeMouseConstraint(world, body, point, options) {
  handleOf(call, 'this', 'world', null, world);
  handleOf(call, 'body', 'body', world, body);
  checkVector(call, 'point', point, 3);
  checkOptions(call, 'options', options);
  checkNames(call, 'options', options, names);
  const pulled = /** @type {Body} */ (body);
  if (body === null || bodyGetMotion(world, pulled) !== 'dynamic')
    throw outOfRange(call, 'body', body, 'are dynamic bodies, which a pointer can pull');
  const mass = bodyGetMass(world, pulled);
  const {
    stiffness = mass * (2 * Math.PI * frequency) ** 2,
    maxForce = mass * weights,
    name,
    userData,
  } = options;
  world.names.check(call, 'options.name', 'constraint', name);
  checkPositive('stiffness', stiffness);
  checkPositive('maxForce', maxForce);
  const { damping = 2 * Math.sqrt(mass * stiffness) } = options;
  checkNumber(call, 'options.damping', damping);
  if (damping < 0) throw outOfRange(call, 'options.damping', damping, 'are numbers >= 0');
  return makeConstraint(world, {
    type: 'ball',
    bodies: [pulled, null],
    anchor: point,
    compliance: 1 / stiffness,
    damping: damping / stiffness,
    forceRange: [-maxForce, maxForce],
    collideConnected: true,
    ...(name === undefined ? {} : { name }),
    ...(userData === undefined ? {} : { userData }),
  });
}

/** @param {string} name @param {unknown} value @returns {asserts value is number} */
function checkPositive(name, value) {
  checkNumber(call, `options.${name}`, value);
  if (!(value > 0)) throw outOfRange(call, `options.${name}`, value, 'are numbers > 0');
}
