// What the force fields of the package share: their options, and the bodies that they act on.

import { checkNumber } from '../core/checks.js';
import { outOfRange, wrongType } from '../core/errors.js';
import { checkVector } from '../core/vectors.js';
import { BodyFlags } from '../generated/flags.js';
import { Body } from '../objects/body.js';

/** @typedef {import('../core/vectors.js').VectorLike} VectorLike */
/** @typedef {import('../objects/world.js').World} World */

/**
 * Fills in m/s by the place (m) and the time (s).
 * @typedef {(position: Float64Array, time: number, out: Float64Array) => void} FlowFunction
 */
/**
 * m/s, of what flows past the bodies: everywhere, or by a function.
 * @typedef {VectorLike | FlowFunction} Flow
 */

const wanted = BodyFlags.live | BodyFlags.enabled | BodyFlags.dynamic;

/** Those that a field acts on: the ones listed as long as they live, or all that are dynamic. */
export class FieldBodies {
  /** @type {Set<number> | null} */
  #handles = null;

  /** @param {string} call @param {unknown} bodies array of Body, or undefined */
  constructor(call, bodies) {
    if (bodies === undefined) return;
    if (!Array.isArray(bodies)) throw wrongType(call, 'options.bodies', bodies, 'are arrays of Body');
    bodies.forEach((body, i) => {
      if (!(body instanceof Body)) throw wrongType(call, `options.bodies[${i}]`, body, 'are objects of Body');
    });
    this.#handles = new Set(bodies.map(({ handle }) => handle));
  }

  /** @param {Uint32Array} flags @param {Uint32Array} handles columns @param {number} row */
  has(flags, handles, row) {
    return (flags[row] & wanted) === wanted && (this.#handles === null || this.#handles.has(handles[row]));
  }
}

/**
 * @param {string} call @param {string} name @param {unknown} value @param {number} standard
 * @returns {number} finite and >= 0
 */
export function readAmount(call, name, value, standard) {
  if (value === undefined) return standard;
  checkNumber(call, `options.${name}`, value);
  if (!(value >= 0 && value <= 1e30)) throw outOfRange(call, `options.${name}`, value, 'are numbers 0…1e30');
  return value;
}

/**
 * @param {string} call @param {string} name @param {unknown} value
 * @returns {Float64Array | FlowFunction}
 */
export function readFlow(call, name, value) {
  if (value === undefined) return new Float64Array(3);
  if (typeof value === 'function') return /** @type {FlowFunction} */ (value);
  return Float64Array.from(checkVector(call, `options.${name}`, value, 3));
}

/**
 * @param {Float64Array | FlowFunction} flow @param {Float64Array} position @param {number} time
 * @param {Float64Array} out
 */
export function flowAt(flow, position, time, out) {
  if (typeof flow === 'function') {
    out.fill(0);
    flow(position, time, out);
  } else {
    out.set(flow);
  }
}
