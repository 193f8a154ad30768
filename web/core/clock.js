// Turns real time into steps of a fixed size.

import { checkNames, checkNumber, checkOptions, outOfRange, wrongType } from './checks.js';

/** Steps that one advance() does at most, unless told otherwise, at a speed of 1 or less. */
const defaultMaxSteps = 4;

/**
 * @typedef {object} AdvanceOptions
 * @property {number} [maxSteps] most steps in this call, 1…; time beyond is dropped (4, times a `speed` > 1)
 * @property {number} [speed] seconds of the world that a second is, 0…1000; 0 stands still (1)
 * @property {(world: import('../objects/world.js').World) => void} [beforeStep] called before each step: what
 *   forces it sets act in that step
 * @property {(world: import('../objects/world.js').World) => void} [afterStep] called after each step
 */

/** @type {readonly (keyof AdvanceOptions)[]} */
const names = ['maxSteps', 'speed', 'beforeStep', 'afterStep'];
const most = 1000;

/** @type {Readonly<AdvanceOptions>} */
const noOptions = Object.freeze({});

export class Clock {
  #left = 0;
  #timeStep = 1;

  /** 0…1: how far the last advance got from the last step's begin to its end. */
  alpha = 1;

  /**
   * Number of steps that are due.
   * @param {string} call
   * @param {number} seconds
   * @param {Readonly<AdvanceOptions>} options that were checked
   * @param {number} timeStep
   * @returns {number}
   */
  take(call, seconds, options, timeStep) {
    checkNumber(call, 'seconds', seconds);
    if (seconds < 0) throw outOfRange(call, 'seconds', seconds, 'are numbers >= 0');
    const { speed = 1 } = options;
    const { maxSteps = Math.ceil(defaultMaxSteps * Math.max(1, speed)) } = options;

    // a step counts as due within 1e-9 of its size, so that sixty times 1/60 s are sixty steps
    const left = this.#left + speed * seconds;
    const due = Math.floor(left / timeStep + 1e-9);
    const steps = Math.min(due, maxSteps);
    this.#timeStep = timeStep;
    this.#set(due > maxSteps ? 0 : Math.max(0, left - due * timeStep));
    return steps;
  }

  /** Steps that were due and were not done stay due. @param {number} steps */
  giveBack(steps) {
    this.#set(this.#left + steps * this.#timeStep);
  }

  /** @param {number} left */
  #set(left) {
    this.#left = left;
    this.alpha = Math.min(1, left / this.#timeStep);
  }

  /** A step by hand: drawn as it is. */
  reset() {
    this.#left = 0;
    this.alpha = 1;
  }
}

/**
 * The options, each of the right kind. Makes no garbage.
 * @param {string} call @param {AdvanceOptions | undefined} options
 * @returns {Readonly<AdvanceOptions>}
 */
export function checkAdvanceOptions(call, options) {
  if (options === undefined) return noOptions;
  checkOptions(call, 'options', options);
  for (const name in options) {
    if (!names.includes(/** @type {any} */ (name))) checkNames(call, 'options', options, names);
  }
  const { maxSteps, speed, beforeStep, afterStep } = options;
  if (maxSteps !== undefined) {
    checkNumber(call, 'options.maxSteps', maxSteps);
    if (!Number.isInteger(maxSteps) || maxSteps < 1)
      throw outOfRange(call, 'options.maxSteps', maxSteps, 'are integers >= 1');
  }
  if (speed !== undefined) {
    checkNumber(call, 'options.speed', speed);
    if (!(speed >= 0 && speed <= most))
      throw outOfRange(call, 'options.speed', speed, `are numbers 0…${most}`);
  }
  if (beforeStep !== undefined && typeof beforeStep !== 'function')
    throw wrongType(call, 'options.beforeStep', beforeStep, 'are functions');
  if (afterStep !== undefined && typeof afterStep !== 'function')
    throw wrongType(call, 'options.afterStep', afterStep, 'are functions');
  return options;
}
