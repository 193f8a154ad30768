// Contact forces between two bodies or geometries, or between one and everything.

import { checkOutput, checkOutputObject } from '../core/checks.js';
import { wrongType } from '../core/errors.js';
import { ContactCursor } from './contact_cursor.js';
import {
  bodyGetContactForces,
  bodyGetContactForcesWithGeometry,
  geometryGetContactForces,
} from '../generated/calls.js';
import { Handle, handleOf } from '../core/handle.js';
import { seal } from '../core/strict.js';

/** @typedef {import('../core/checks.js').OutputArray} OutputArray */
/** @typedef {import('../objects/body.js').Body} Body */
/** @typedef {import('../objects/geometry.js').Geometry} Geometry */
/** @typedef {import('../objects/world.js').World} World */
/** @typedef {import('../generated/types.js').ContactForces} ContactForces */

const call = 'World.createContactReader';

/** Forces of the last step in N, acting on `first`. */
export class ContactReader {
  #world;
  #first;
  #second;
  /** @type {ContactForces} */
  #forces = {
    normal: [0, 0, 0],
    tangential: [0, 0, 0],
    total: [0, 0, 0],
    impact: [0, 0, 0],
    points: 0,
    depth: 0,
    state: 'none',
  };
  /** @type {ContactCursor} */
  #cursor;

  /**
   * @param {World} world
   * @param {Body | Geometry} first
   * @param {Body | Geometry | null} second null: everything
   */
  constructor(world, first, second) {
    handleOf(call, 'world', 'world', null, world);
    checkPartner(world, 'first', first);
    if (second !== null) checkPartner(world, 'second', second);
    this.#world = world;
    this.#first = first;
    this.#second = second;
    this.#cursor = new ContactCursor(world, {
      body1: isBody(first) ? first.index : -1,
      geometry1: isBody(first) ? -1 : first.index,
      body2: second !== null && isBody(second) ? second.index : -1,
      geometry2: second !== null && !isBody(second) ? second.index : -1,
    });
    seal(this);
  }

  /** The forces act on it. @returns {Body | Geometry} */
  get first() {
    return this.#first;
  }

  /** Null: everything. @returns {Body | Geometry | null} */
  get second() {
    return this.#second;
  }

  /** N. @template {OutputArray} [T=number[]] @param {T} [out] @returns {T} */
  getNormalForce(out) {
    checkOutput('ContactReader.getNormalForce', out, 3);
    return copy(this.#update().normal, out);
  }

  /** N. @template {OutputArray} [T=number[]] @param {T} [out] @returns {T} */
  getTangentialForce(out) {
    checkOutput('ContactReader.getTangentialForce', out, 3);
    return copy(this.#update().tangential, out);
  }

  /** N, normal and tangential. @template {OutputArray} [T=number[]] @param {T} [out] @returns {T} */
  getForce(out) {
    checkOutput('ContactReader.getForce', out, 3);
    return copy(this.#update().total, out);
  }

  /**
   * N, the part of the force that impacts gave.
   * @template {OutputArray} [T=number[]] @param {T} [out] @returns {T}
   */
  getImpactForce(out) {
    checkOutput('ContactReader.getImpactForce', out, 3);
    return copy(this.#update().impact, out);
  }

  /** Points that touch. @returns {number} */
  get pointCount() {
    return this.#update().points;
  }

  /** m, the largest; 0 without contact. @returns {number} */
  get depth() {
    return this.#update().depth;
  }

  /** @returns {import('../generated/types.js').ContactState} */
  get state() {
    return this.#update().state;
  }

  /**
   * All at once; arrays of `out` are filled, not replaced.
   * @param {ContactForces} [out]
   * @returns {ContactForces}
   */
  read(out) {
    checkOutputObject('ContactReader.read', out);
    return this.#readInto(out);
  }

  /**
   * Over the contacts between the two, seen from `first`; rewound, the same object every time.
   * @returns {ContactCursor}
   */
  contacts() {
    this.#update();
    return this.#cursor.rewind();
  }

  #update() {
    return this.#readInto(this.#forces);
  }

  /** @param {ContactForces | undefined} out @returns {ContactForces} */
  #readInto(out) {
    const first = this.#first;
    const second = this.#second;
    if (isBody(first)) {
      return second === null || isBody(second)
        ? bodyGetContactForces(this.#world, first, second, out)
        : bodyGetContactForcesWithGeometry(this.#world, first, second, out);
    }
    if (second === null || !isBody(second)) return geometryGetContactForces(this.#world, first, second, out);

    // the engine has this pair the other way round only
    const forces = bodyGetContactForcesWithGeometry(this.#world, second, first, out);
    for (const vector of [forces.normal, forces.tangential, forces.total, forces.impact]) {
      for (let i = 0; i < 3; ++i) vector[i] = -vector[i];
    }
    return forces;
  }
}

/** @param {Body | Geometry} object @returns {object is Body} */
function isBody(object) {
  return Handle.kindOf(object) === 'body';
}

/** @param {World} world @param {string} argument @param {unknown} object */
function checkPartner(world, argument, object) {
  const kind = Handle.kindOf(object);
  if (kind !== 'body' && kind !== 'geometry')
    throw wrongType(call, argument, object, 'are Bodies and Geometries');
  handleOf(call, argument, kind, world, object);
}

/** @template {OutputArray} T @param {OutputArray} vector @param {T | undefined} out @returns {T} */
function copy(vector, out) {
  const target = out ?? /** @type {T} */ (new Array(3));
  for (let i = 0; i < 3; ++i) target[i] = vector[i];
  return target;
}
