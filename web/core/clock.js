// Turns real time into steps of a fixed size.

import { checkNames, checkNumber, checkOptions, outOfRange } from './checks.js';

/** Steps that one advance() does at most, unless told otherwise. */
const defaultMaxSteps = 4;

/**
 * @typedef {object} AdvanceOptions
 * @property {number} [maxSteps] most steps in this call, 1…; time beyond is dropped (4)
 */

export class Clock {
  #left = 0;

  /** 0…1: how far the last advance got from the last step's begin to its end. */
  alpha = 1;

  /**
   * Number of steps that are due.
   * @param {string} call
   * @param {number} seconds
   * @param {AdvanceOptions | undefined} options
   * @param {number} timeStep
   * @returns {number}
   */
  take(call, seconds, options, timeStep) {
    checkNumber(call, 'seconds', seconds);
    if (seconds < 0) throw outOfRange(call, 'seconds', seconds, 'are numbers >= 0');
    const maxSteps = readMaxSteps(call, options);

    // a step counts as due within 1e-9 of its size, so that sixty times 1/60 s are sixty steps
    const left = this.#left + seconds;
    const due = Math.floor(left / timeStep + 1e-9);
    const steps = Math.min(due, maxSteps);
    this.#left = due > maxSteps ? 0 : Math.max(0, left - due * timeStep);
    this.alpha = Math.min(1, this.#left / timeStep);
    return steps;
  }

  /** A step by hand: drawn as it is. */
  reset() {
    this.#left = 0;
    this.alpha = 1;
  }
}

/** @param {string} call @param {AdvanceOptions | undefined} options */
function readMaxSteps(call, options) {
  if (options === undefined) return defaultMaxSteps;
  checkOptions(call, 'options', options);
  checkNames(call, 'options', options, ['maxSteps']);
  const { maxSteps } = options;
  if (maxSteps === undefined) return defaultMaxSteps;
  checkNumber(call, 'options.maxSteps', maxSteps);
  if (!Number.isInteger(maxSteps) || maxSteps < 1) {
    throw outOfRange(call, 'options.maxSteps', maxSteps, 'are integers >= 1');
  }
  return maxSteps;
}
