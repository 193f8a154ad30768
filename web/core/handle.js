// The base of all objects of a world: a kind, an owner and a handle, checked by brand, so that no other
// object, no object of another kind and none of another world passes for one.

import { CairnError, wrongType } from './errors.js';

/**
 * @typedef {'world' | 'scene' | 'body' | 'geometry' | 'shape' | 'material' | 'contactMaterial'
 *   | 'constraint' | 'mergedBody' | 'mergeEdge'} HandleKind
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
  mergedBody: { name: 'MergedBody', maker: 'world.createMergedBody()' },
  mergeEdge: { name: 'MergeEdge', maker: 'mergedBody.addEdge()' },
};

/**
 * What a handle is: the same form for all kinds, which keeps reading it fast.
 * @typedef {object} HandleRecord
 * @property {HandleKind} kind
 * @property {Handle | null} owner
 * @property {number} value
 * @property {boolean} isGone
 */

export class Handle {
  /** @type {HandleRecord} */
  #record;

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
    this.#record = { kind, owner, value, isGone: false };
  }

  /** The handle as the raw layer takes it: a row and its generation. @returns {number} */
  get handle() {
    if (!(#record in this)) throw wrongType('handle', 'this', this, 'are objects of a world');
    return this.#record.value;
  }

  /**
   * The record of an object, null for anything else. The branches are the same: engines of JavaScript
   * remember the classes that a place in the text has met, and are slow where these are more than four.
   * @param {HandleKind} kind that it should be of
   * @param {unknown} object
   * @returns {HandleRecord | null}
   */
  static #recordOf(kind, object) {
    if (typeof object !== 'object' || object === null) return null;
    switch (kind) {
      case 'world':
        return #record in object ? object.#record : null;
      case 'body':
        return #record in object ? object.#record : null;
      case 'geometry':
        return #record in object ? object.#record : null;
      case 'constraint':
        return #record in object ? object.#record : null;
      default:
        return #record in object ? object.#record : null;
    }
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
    const record = Handle.#recordOf(kind, object);
    if (
      record !== null &&
      record.kind === kind &&
      (owner === null || record.owner === owner) &&
      !record.isGone
    ) {
      return record.value;
    }
    if (object === null && owner !== null) return 0;
    throw refuse(call, argument, kind, owner, record, object);
  }

  /** @param {Handle} object */
  static retire(object) {
    object.#record.isGone = true;
  }

  /** After the world got another state. @param {Handle} object @param {boolean} lives */
  static settle(object, lives) {
    object.#record.isGone = !lives;
  }

  /**
   * @param {unknown} object @returns {boolean} whether it was destroyed or disposed as far as this side knows
   */
  static isGone(object) {
    return typeof object !== 'object' || object === null || !(#record in object) || object.#record.isGone;
  }

  /** @param {unknown} object @returns {HandleKind | null} */
  static kindOf(object) {
    return typeof object === 'object' && object !== null && #record in object ? object.#record.kind : null;
  }

  /** @param {unknown} object @returns {Handle | null} */
  static ownerOf(object) {
    return typeof object === 'object' && object !== null && #record in object ? object.#record.owner : null;
  }
}

/**
 * What is wrong with an object.
 * @param {string} call @param {string} argument @param {HandleKind} kind @param {Handle | null} owner
 * @param {HandleRecord | null} record @param {unknown} object
 * @returns {CairnError}
 */
function refuse(call, argument, kind, owner, record, object) {
  if (record === null || record.kind !== kind)
    return wrongType(call, argument, object, `is a ${kinds[kind].name}`);
  if (owner !== null && record.owner !== owner)
    return new CairnError('STALE_HANDLE', call, argument, `${argument} belongs to another world`);
  const verb = kind === 'world' || kind === 'scene' ? 'disposed' : 'destroyed';
  return new CairnError('STALE_HANDLE', call, argument, `${argument} was ${verb}`);
}

/** The number of an object that is what it should be; see Handle.check. */
export const handleOf = Handle.check;
