// The base of all objects of a world: a kind, an owner and a handle, checked by brand, so that no other
// object, no object of another kind and none of another world passes for one.

import { CairnError } from './errors.js';
import { wrongType } from './checks.js';

/**
 * @typedef {'world' | 'scene' | 'body' | 'geometry' | 'shape' | 'material' | 'contactMaterial'
 *   | 'constraint'} HandleKind
 */

/** Only this package makes objects with handles. */
export const makeKey = Symbol('cairn');

/** @type {Record<HandleKind, { name: string, maker: string }>} */
const kinds = {
  world: { name: 'World', maker: 'cairn.createWorld()' },
  scene: { name: 'Scene', maker: 'cairn.loadScene()' },
  body: { name: 'Body', maker: 'world.createBody()' },
  geometry: { name: 'Geometry', maker: 'world.createGeometry()' },
  shape: { name: 'Shape', maker: 'world.createShape()' },
  material: { name: 'Material', maker: 'world.createMaterial()' },
  contactMaterial: { name: 'ContactMaterial', maker: 'world.createContactMaterial()' },
  constraint: { name: 'Constraint', maker: 'world.createConstraint()' },
};

export class Handle {
  /** @type {HandleKind} */
  #kind;
  /** @type {Handle | null} */
  #owner;
  /** @type {number} */
  #value;
  #isGone = false;

  /** Whatever the user wants to keep with the object. @type {unknown} */
  userData = undefined;

  /**
   * @param {symbol} key
   * @param {HandleKind} kind
   * @param {Handle | null} owner the world; null for worlds and scenes
   * @param {number} value
   */
  constructor(key, kind, owner, value) {
    if (key !== makeKey) {
      const { name, maker } = kinds[kind];
      throw new CairnError('WRONG_TYPE', name, 'new', `a ${name} is made by ${maker}`);
    }
    this.#kind = kind;
    this.#owner = owner;
    this.#value = value;
  }

  /** The handle as the raw layer takes it: 20 bits of row, 12 bits of generation. @returns {number} */
  get handle() {
    if (!(#value in this)) throw wrongType('handle', 'this', this, 'are objects of a world');
    return this.#value;
  }

  /**
   * The number of an object that is what it should be; 0 for null.
   * @param {string} call
   * @param {string} argument
   * @param {HandleKind} kind
   * @param {Handle | null} owner the world it must belong to; null for worlds and scenes
   * @param {unknown} object
   * @returns {number}
   */
  static check(call, argument, kind, owner, object) {
    if (object === null && owner !== null) return 0;
    const { name } = kinds[kind];
    if (typeof object !== 'object' || object === null || !(#kind in object)) {
      throw wrongType(call, argument, object, `is a ${name}`);
    }
    if (object.#kind !== kind) throw wrongType(call, argument, object, `is a ${name}`);
    if (owner !== null && object.#owner !== owner) {
      throw new CairnError('STALE_HANDLE', call, argument, `${argument} belongs to another world`);
    }
    if (object.#isGone) {
      const verb = kind === 'world' || kind === 'scene' ? 'disposed' : 'destroyed';
      throw new CairnError('STALE_HANDLE', call, argument, `${argument} was ${verb}`);
    }
    return object.#value;
  }

  /** @param {Handle} object */
  static retire(object) {
    object.#isGone = true;
  }

  /** After the world got another state. @param {Handle} object @param {boolean} lives */
  static settle(object, lives) {
    object.#isGone = !lives;
  }

  /**
   * @param {unknown} object @returns {boolean} whether it was destroyed or disposed as far as this side knows
   */
  static isGone(object) {
    return typeof object !== 'object' || object === null || !(#isGone in object) || object.#isGone;
  }

  /** @param {unknown} object @returns {HandleKind | null} */
  static kindOf(object) {
    return typeof object === 'object' && object !== null && #kind in object ? object.#kind : null;
  }

  /** @param {unknown} object @returns {Handle | null} */
  static ownerOf(object) {
    return typeof object === 'object' && object !== null && #owner in object ? object.#owner : null;
  }
}

/** The number of an object that is what it should be; see Handle.check. */
export const handleOf = Handle.check;
