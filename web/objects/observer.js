// Observers: frames fixed in bodies or in the world, whose motion is read from the world or from one another.

import { checkNames, checkOptions, checkOutput } from '../core/checks.js';
import { checkVector } from '../core/vectors.js';
import { renamed, wrongType } from '../core/errors.js';
import { worldGetFrameMotion } from '../generated/calls.js';
import { seal } from '../core/strict.js';
import { Body } from './body.js';

/** @typedef {import('../core/checks.js').OutputArray} OutputArray */
/** @typedef {import('../core/vectors.js').QuaternionLike} QuaternionLike */
/** @typedef {import('../core/vectors.js').VectorLike} VectorLike */
/** @typedef {import('../generated/types.js').Frame} Frame */
/** @typedef {import('../generated/types.js').FrameMotion} FrameMotion */
/** @typedef {import('./world.js').World} World */

/**
 * @typedef {object} ObserverOptions
 * @property {Body | null} [body] null: fixed in the world
 * @property {VectorLike} [position] m, in the body's model frame or the world; the origin
 * @property {QuaternionLike} [rotation] of length 1 within 1e-3; none
 */

/**
 * An observer, a body (its model frame), or null, the world.
 * @typedef {Observer | Body | null} Viewpoint
 */

/** @type {Readonly<Frame>} */
const worldFrame = Object.freeze({});

/**
 * @typedef {'position' | 'rotation' | 'velocity' | 'angularVelocity' | 'acceleration' | 'angularAcceleration'
 *   } MotionName
 */

export class Observer {
  /** @type {Frame} */
  #frame;
  /** Frames of bodies that this one was seen from. @type {Frame} */
  #other = { body: null };
  #motion = /** @type {FrameMotion} */ ({});
  /** The world it is of. @type {World} @readonly */
  world;

  /** @internal @param {World} world @param {unknown} options ObserverOptions */
  constructor(world, options) {
    const call = 'World.createObserver';
    checkOptions(call, 'options', options);
    checkNames(call, 'options', options, ['body', 'position', 'rotation']);
    const { body = null, position = [0, 0, 0], rotation = [0, 0, 0, 1] } = options;
    if (body !== null && !(body instanceof Body))
      throw wrongType(call, 'options.body', body, 'are Body and null');
    this.world = world;
    this.#frame = {
      body,
      position: [...checkVector(call, 'options.position', position, 3)],
      rotation: [...checkVector(call, 'options.rotation', rotation, 4)],
    };
    this.#update(call, worldFrame);
    seal(this);
  }

  /** Null where it is fixed in the world. @returns {Body | null} */
  get body() {
    return this.#frame.body ?? null;
  }

  /** Whether its body lives. @returns {boolean} */
  get isValid() {
    return this.body === null ? !this.world.isDisposed : this.body.isValid;
  }

  /**
   * All at once, at the end of the last step: arrays of `out` are filled.
   * @param {FrameMotion} [out] @param {Viewpoint} [relativeTo] null: the world
   * @returns {FrameMotion}
   */
  read(out, relativeTo = null) {
    return worldGetFrameMotion(this.world, this.#frame, this.#frameOf('Observer.read', relativeTo), out);
  }

  /**
   * m. @template {OutputArray} [T=number[]]
   * @param {T} [out] @param {Viewpoint} [relativeTo] @returns {T}
   */
  getPosition(out, relativeTo = null) {
    return this.#get('Observer.getPosition', 'position', 3, out, relativeTo);
  }

  /** @template {OutputArray} [T=number[]] @param {T} [out] @param {Viewpoint} [relativeTo] @returns {T} */
  getRotation(out, relativeTo = null) {
    return this.#get('Observer.getRotation', 'rotation', 4, out, relativeTo);
  }

  /**
   * m/s, of the frame's origin. @template {OutputArray} [T=number[]]
   * @param {T} [out] @param {Viewpoint} [relativeTo] @returns {T}
   */
  getVelocity(out, relativeTo = null) {
    return this.#get('Observer.getVelocity', 'velocity', 3, out, relativeTo);
  }

  /**
   * rad/s. @template {OutputArray} [T=number[]]
   * @param {T} [out] @param {Viewpoint} [relativeTo] @returns {T}
   */
  getAngularVelocity(out, relativeTo = null) {
    return this.#get('Observer.getAngularVelocity', 'angularVelocity', 3, out, relativeTo);
  }

  /**
   * m/s², with the mean of the last step of its body's. @template {OutputArray} [T=number[]]
   * @param {T} [out] @param {Viewpoint} [relativeTo] @returns {T}
   */
  getAcceleration(out, relativeTo = null) {
    return this.#get('Observer.getAcceleration', 'acceleration', 3, out, relativeTo);
  }

  /**
   * rad/s², the mean of the last step. @template {OutputArray} [T=number[]]
   * @param {T} [out] @param {Viewpoint} [relativeTo] @returns {T}
   */
  getAngularAcceleration(out, relativeTo = null) {
    return this.#get('Observer.getAngularAcceleration', 'angularAcceleration', 3, out, relativeTo);
  }

  /** @param {string} call @param {unknown} viewpoint @returns {Readonly<Frame>} */
  #frameOf(call, viewpoint) {
    if (viewpoint === null) return worldFrame;
    if (viewpoint instanceof Observer) return viewpoint.#frame;
    if (viewpoint instanceof Body) {
      this.#other.body = viewpoint;
      return this.#other;
    }
    throw wrongType(call, 'relativeTo', viewpoint, 'are Observer, Body and null');
  }

  /** @param {string} call @param {Readonly<Frame>} viewpoint */
  #update(call, viewpoint) {
    try {
      worldGetFrameMotion(this.world, this.#frame, viewpoint, this.#motion);
    } catch (error) {
      throw renamed(error, call);
    }
  }

  /**
   * @template {OutputArray} T
   * @param {string} call @param {MotionName} name @param {number} length @param {T | undefined} out
   * @param {Viewpoint} relativeTo
   * @returns {T}
   */
  #get(call, name, length, out, relativeTo) {
    checkOutput(call, out, length);
    this.#update(call, this.#frameOf(call, relativeTo));
    const values = this.#motion[name];
    const target = /** @type {OutputArray} */ (out ?? []);
    for (let i = 0; i < length; ++i) target[i] = values[i];
    return /** @type {T} */ (target);
  }
}
