// Drag of what moves through air or water, and wind, which is drag of what flows.

import { checkNames, checkOptions } from '../core/checks.js';
import { wrongType } from '../core/errors.js';
import { makeStrict, rejectSurplus, seal } from '../core/strict.js';
import { FieldBodies, flowAt, readAmount, readFlow } from './field.js';

/** @typedef {import('./field.js').Flow} Flow */
/** @typedef {import('../objects/body.js').Body} Body */
/** @typedef {import('../objects/world.js').World} World */

/**
 * @typedef {object} DragOptions
 * @property {Body[]} [bodies] all dynamic ones
 * @property {number} [area] m², across the flow; 0
 * @property {number} [coefficient] of drag; 0.47, of a ball
 * @property {number} [density] kg/m³, of the medium; 1.2, of air
 * @property {number} [linear] N s/m, force over speed at low speeds; 0
 * @property {number} [angular] N m s, torque over angular velocity; 0
 * @property {Flow} [flow] m/s, of the medium; at rest
 *
 * @typedef {Omit<DragOptions, 'flow'> & { velocity: Flow }} WindOptions
 */

const names = ['bodies', 'area', 'coefficient', 'density', 'linear', 'angular', 'flow'];

/**
 * With u the velocity of the centre of mass through the medium: force −(½ density coefficient area |u| +
 * linear) u, torque −angular ω. Within a step it takes at most what motion there is through the medium.
 */
export class Drag {
  #bodies;
  #flow;
  #quadratic;
  #linear;
  #angular;
  #position = new Float64Array(3);
  #velocity = new Float64Array(3);

  /** @internal @param {string} call @param {DragOptions} options @param {string} flowName for errors */
  constructor(call, options, flowName) {
    this.#bodies = new FieldBodies(call, options.bodies);
    this.#flow = readFlow(call, flowName, options.flow);
    const coefficient = readAmount(call, 'coefficient', options.coefficient, 0.47);
    const density = readAmount(call, 'density', options.density, 1.2);
    this.#quadratic = 0.5 * density * coefficient * readAmount(call, 'area', options.area, 0);
    this.#linear = readAmount(call, 'linear', options.linear, 0);
    this.#angular = readAmount(call, 'angular', options.angular, 0);
    seal(this);
  }

  /** Adds to the forces of this step. @param {World} world @returns {void} */
  apply(world) {
    const { bodies } = world.columns;
    const { rows, flags, handle, mass, velocity, angularVelocity, centreOfMass, force, torque } = bodies;
    const { time, timeStep } = world;
    const position = this.#position;
    const through = this.#velocity;
    for (let row = 0; row < rows; ++row) {
      if (!this.#bodies.has(flags, handle, row)) continue;
      const at = 3 * row;
      for (let i = 0; i < 3; ++i) position[i] = centreOfMass[at + i];
      flowAt(this.#flow, position, time, through);
      for (let i = 0; i < 3; ++i) through[i] = velocity[at + i] - through[i];
      const speed = Math.sqrt(through[0] * through[0] + through[1] * through[1] + through[2] * through[2]);
      const factor = Math.min(this.#quadratic * speed + this.#linear, mass[row] / timeStep);
      for (let i = 0; i < 3; ++i) {
        force[at + i] -= factor * through[i];
        torque[at + i] -= this.#angular * angularVelocity[at + i];
      }
    }
  }
}

makeStrict({ name: 'drag', prototype: Drag.prototype });

/**
 * Resistance of a medium, for `world.addForceField()`.
 * @param {DragOptions} [options]
 * @returns {Drag}
 */
export function createDrag(options = {}) {
  rejectSurplus('createDrag', arguments, 1);
  checkOptions('createDrag', 'options', options);
  checkNames('createDrag', 'options', options, names);
  return new Drag('createDrag', options, 'flow');
}

/**
 * Drag of air that blows: of a velocity everywhere, or by a function of place and time.
 * @param {WindOptions} options
 * @returns {Drag}
 */
export function createWind(options) {
  const call = 'createWind';
  rejectSurplus(call, arguments, 1);
  checkOptions(call, 'options', options);
  const { velocity, ...rest } = options;
  if (velocity === undefined)
    throw wrongType(call, 'options.velocity', velocity, 'are three numbers and functions');
  checkNames(call, 'options', rest, names.slice(0, -1), ['velocity']);
  return new Drag(call, { ...rest, flow: velocity }, 'velocity');
}
