// Gravity that depends on the place, as the user's function tells.

import { checkNames, checkOptions } from '../core/checks.js';
import { wrongType } from '../core/errors.js';
import { makeStrict, rejectSurplus, seal } from '../core/strict.js';
import { FieldBodies } from './field.js';

/** @typedef {import('../objects/body.js').Body} Body */
/** @typedef {import('../objects/world.js').World} World */

/**
 * @typedef {object} GravityFieldOptions
 * @property {(position: Float64Array, time: number, out: Float64Array) => void} acceleration fills in m/s² at
 *   a place (m) and time (s)
 * @property {Body[]} [bodies] all dynamic ones
 */

/** Adds mass times an acceleration at the centre of mass. */
export class GravityField {
  #bodies;
  #acceleration;
  #position = new Float64Array(3);
  #out = new Float64Array(3);

  /** @internal @param {GravityFieldOptions} options */
  constructor(options) {
    this.#bodies = new FieldBodies('createGravityField', options.bodies);
    this.#acceleration = options.acceleration;
    seal(this);
  }

  /** Adds to the forces of this step. @param {World} world @returns {void} */
  apply(world) {
    const { rows, flags, handle, mass, centreOfMass, force } = world.columns.bodies;
    const { time } = world;
    for (let row = 0; row < rows; ++row) {
      if (!this.#bodies.has(flags, handle, row)) continue;
      for (let i = 0; i < 3; ++i) this.#position[i] = centreOfMass[3 * row + i];
      this.#out.fill(0);
      this.#acceleration(this.#position, time, this.#out);
      for (let i = 0; i < 3; ++i) force[3 * row + i] += mass[row] * this.#out[i];
    }
  }
}

makeStrict({ name: 'gravityField', prototype: GravityField.prototype });

/**
 * Gravity by a function, beside that of the world (which `gravity: [0, 0, 0]` takes away). Its potential is
 * not
 * known: energies count what it does as work of users' forces.
 * @param {GravityFieldOptions} options
 * @returns {GravityField}
 */
export function createGravityField(options) {
  const call = 'createGravityField';
  rejectSurplus(call, arguments, 1);
  checkOptions(call, 'options', options);
  checkNames(call, 'options', options, ['acceleration', 'bodies']);
  if (typeof options.acceleration !== 'function')
    throw wrongType(call, 'options.acceleration', options.acceleration, 'are functions');
  return new GravityField(options);
}
