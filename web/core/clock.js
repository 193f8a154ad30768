// Turns real time into steps of a fixed size, and says where time is lost on the way.

import { checkNames, checkNumber, checkOptions } from './checks.js';
import { nameOfCall, outOfRange, wrongType } from './errors.js';

/** Steps that one advance() does at most, unless told otherwise, at a speed of 1 or less. */
const defaultMaxSteps = 4;

/**
 * @typedef {object} AdvanceOptions
 * @property {number} [maxSteps] most steps in this call, 1…; time beyond is dropped (4, times a `speed` > 1),
 *   which `world.droppedTime` tells
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

/** Calls in a row that drop time before somebody is told: a page that was hidden drops some once. */
const patience = 10;
/** s of real time that no frame takes, and calls in a row that ask for more: those are milliseconds. */
const longestFrame = 1;
const longFrames = 3;

export class Clock {
  #left = 0;
  #timeStep = 1;
  /** Calls in a row that dropped time, and those of them that were given more than any frame takes. */
  #drops = 0;
  #longDrops = 0;
  #hasWarned = false;

  /** 0…1: how far the last advance got from the last step's begin to its end. */
  alpha = 1;
  /** s of the world's time that the last advance dropped. */
  dropped = 0;

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
    this.dropped = due > maxSteps ? left - steps * timeStep : 0;
    if (this.dropped > 0) this.#countDrop(call, seconds, steps);
    else this.#drops = this.#longDrops = 0;
    return steps;
  }

  /**
   * Tells once that the world is slower than it is asked to be, and why that may be.
   * @param {string} call @param {number} seconds @param {number} steps done
   */
  #countDrop(call, seconds, steps) {
    this.#drops += 1;
    this.#longDrops = seconds > longestFrame ? this.#longDrops + 1 : 0;
    const areMilliseconds = this.#longDrops >= longFrames;
    if (this.#hasWarned || !(areMilliseconds || this.#drops >= patience)) return;
    this.#hasWarned = true;
    const cause = areMilliseconds
      ? `${seconds} s are more than a frame takes: milliseconds are to be divided by 1000`
      : 'for time that runs faster pass { speed }, for more steps { maxSteps }, else make steps longer';
    const lost = `${this.dropped.toPrecision(3)} s beyond the ${steps} steps that it may do`;
    console.warn(`${nameOfCall(call)} drops time in call after call, ${lost} (world.droppedTime): ${cause}.`);
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
    this.dropped = 0;
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
