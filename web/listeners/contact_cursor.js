// Goes through contacts and their points without garbage: all of a world, or those between two objects.

import { checkOptions, checkOutput, enumWord } from '../core/checks.js';
import { checkVector } from '../core/vectors.js';
import { CairnError, outOfRange } from '../core/errors.js';
import { copyOut } from '../core/outputs.js';
import { seal } from '../core/strict.js';
import { worldRemoveContact, worldSetContactFriction } from '../generated/calls.js';
import { ContactFlags } from '../generated/flags.js';

/** @typedef {import('../core/checks.js').OutputArray} OutputArray */
/** @typedef {import('../objects/body.js').Body} Body */
/** @typedef {import('../objects/geometry.js').Geometry} Geometry */
/** @typedef {import('../objects/world.js').World} World */

/**
 * Which contacts are wanted, by rows; -1 for any.
 * @typedef {object} ContactFilter
 * @property {number} body1
 * @property {number} geometry1
 * @property {number} body2
 * @property {number} geometry2
 */

export class ContactCursor {
  #world;
  #filter;
  #row = -1;
  /** Whether the present contact is stored the other way round than it is wanted. */
  #isSwapped = false;

  /** @param {World} world @param {ContactFilter | null} filter */
  constructor(world, filter) {
    this.#world = world;
    this.#filter = filter;
    seal(this);
  }

  /** Back to before the first contact. @returns {this} */
  rewind() {
    this.#row = -1;
    return this;
  }

  /** Goes to the next contact; false after the last. @returns {boolean} */
  next() {
    const { contacts } = this.#world.columns;
    const { rows } = contacts;
    const filter = this.#filter;
    while (this.#row < rows) {
      this.#row += 1;
      if (this.#row >= rows) break;
      if (filter === null || this.#matches(filter)) return true;
    }
    return false;
  }

  /**
   * Goes to a row, seen from its second side where it is swapped.
   * @internal
   * @param {number} row @param {boolean} isSwapped @returns {this}
   */
  place(row, isSwapped) {
    this.#row = row;
    this.#isSwapped = isSwapped;
    return this;
  }

  /**
   * Takes the contact out of the solve that follows; nothing happens for a separation and a sensor.
   * `WRONG_PHASE` unless the world has collided and not been solved.
   * @returns {void}
   */
  remove() {
    worldRemoveContact(this.#world, this.row);
  }

  /**
   * Gives the contact another friction in the solve that follows, in place of what its materials make; what
   * is left out is 0. Directions and velocities are in world axes, of the contact's first side beside its
   * second. Nothing happens for a separation and a sensor. `WRONG_PHASE` unless the world has collided and
   * not been solved, `NOT_FINITE`, `OUT_OF_RANGE`.
   * @param {import('../generated/types.js').CustomFriction} friction
   * @returns {void}
   */
  setFriction(friction) {
    const call = 'cnWorld_SetContactFriction';
    checkOptions(call, 'friction', friction);
    const { surfaceVelocity } = friction;
    if (surfaceVelocity === undefined || !this.#isSwapped) {
      worldSetContactFriction(this.#world, this.row, friction);
      return;
    }
    const [x, y, z] = checkVector(call, 'friction.surfaceVelocity', surfaceVelocity, 3);
    worldSetContactFriction(this.#world, this.row, { ...friction, surfaceVelocity: [-x, -y, -z] });
  }

  /** @param {ContactFilter} filter */
  #matches(filter) {
    const { contacts } = this.#world.columns;
    const row = this.#row;
    const body1 = contacts.body1[row];
    const body2 = contacts.body2[row];
    const geometry1 = contacts.geometry1[row];
    const geometry2 = contacts.geometry2[row];
    this.#isSwapped = false;
    if (
      fits(filter.body1, body1, filter.geometry1, geometry1) &&
      fits(filter.body2, body2, filter.geometry2, geometry2)
    ) {
      return true;
    }
    this.#isSwapped = true;
    return (
      fits(filter.body1, body2, filter.geometry1, geometry2) &&
      fits(filter.body2, body1, filter.geometry2, geometry1)
    );
  }

  /** Row in `columns.contacts`. @returns {number} */
  get row() {
    if (this.#row < 0 || this.#row >= this.#world.columns.contacts.rows) {
      throw new CairnError(
        'WRONG_PHASE',
        'Contact.next',
        'next',
        'there is no present contact, next() must have returned true',
      );
    }
    return this.#row;
  }

  /** Null for static geometry. @returns {Body | null} */
  get body1() {
    const { contacts } = this.#world.columns;
    return this.#world.bodyAt((this.#isSwapped ? contacts.body2 : contacts.body1)[this.row]);
  }

  /** Null for static geometry. @returns {Body | null} */
  get body2() {
    const { contacts } = this.#world.columns;
    return this.#world.bodyAt((this.#isSwapped ? contacts.body1 : contacts.body2)[this.row]);
  }

  /** Null where it was destroyed since. @returns {Geometry | null} */
  get geometry1() {
    const { contacts } = this.#world.columns;
    return this.#world.geometryAt((this.#isSwapped ? contacts.geometry2 : contacts.geometry1)[this.row]);
  }

  /** Null where it was destroyed since. @returns {Geometry | null} */
  get geometry2() {
    const { contacts } = this.#world.columns;
    return this.#world.geometryAt((this.#isSwapped ? contacts.geometry1 : contacts.geometry2)[this.row]);
  }

  /** Index among the shapes of geometry1. @returns {number} */
  get shapeIndex1() {
    const { contacts } = this.#world.columns;
    return (this.#isSwapped ? contacts.shape2 : contacts.shape1)[this.row];
  }

  /** Index among the shapes of geometry2. @returns {number} */
  get shapeIndex2() {
    const { contacts } = this.#world.columns;
    return (this.#isSwapped ? contacts.shape1 : contacts.shape2)[this.row];
  }

  /** @returns {import('../generated/types.js').ContactState} */
  get state() {
    const word = enumWord('cnContactState', this.#world.columns.contacts.state[this.row]);
    return /** @type {import('../generated/types.js').ContactState} */ (word);
  }

  /** Whether one of the two is a sensor: found, never solved. @returns {boolean} */
  get isSensor() {
    return (this.#world.columns.contacts.flags[this.row] & ContactFlags.sensor) !== 0;
  }

  /** Whether a listener, or remove(), took it out of this step. @returns {boolean} */
  get isRemoved() {
    return (this.#world.columns.contacts.flags[this.row] & ContactFlags.removed) !== 0;
  }

  /** m, the largest. @returns {number} */
  get depth() {
    return this.#world.columns.contacts.depth[this.row];
  }

  /** Points that touch. @returns {number} */
  get pointCount() {
    return this.#world.columns.contacts.pointCount[this.row];
  }

  /** Unit, moves 1 out of 2. @template {OutputArray} [T=number[]] @param {T} [out] @returns {T} */
  getNormal(out) {
    return this.#read('Contact.getNormal', this.#world.columns.contacts.normal, this.row, out);
  }

  /** N, on 1. @template {OutputArray} [T=number[]] @param {T} [out] @returns {T} */
  getNormalForce(out) {
    return this.#read('Contact.getNormalForce', this.#world.columns.contacts.normalForce, this.row, out);
  }

  /** N, on 1. @template {OutputArray} [T=number[]] @param {T} [out] @returns {T} */
  getTangentialForce(out) {
    return this.#read(
      'Contact.getTangentialForce',
      this.#world.columns.contacts.tangentialForce,
      this.row,
      out,
    );
  }

  // ---- points ---------------------------------------------------------------------------------------------

  /**
   * m, world, half-way between the surfaces.
   * @template {OutputArray} [T=number[]] @param {number} i @param {T} [out] @returns {T}
   */
  getPointPosition(i, out) {
    const call = 'Contact.getPointPosition';
    const target = this.#read(call, this.#world.columns.contactPoints.position, this.#pointRow(call, i), out);
    // a place has no side: what #read turned round is turned back
    if (this.#isSwapped) negate(target);
    return target;
  }

  /**
   * Unit, moves 1 out of 2.
   * @template {OutputArray} [T=number[]] @param {number} i @param {T} [out] @returns {T}
   */
  getPointNormal(i, out) {
    const call = 'Contact.getPointNormal';
    return this.#read(call, this.#world.columns.contactPoints.normal, this.#pointRow(call, i), out);
  }

  /** m. @param {number} i @returns {number} */
  getPointDepth(i) {
    const call = 'Contact.getPointDepth';
    return this.#world.columns.contactPoints.depth[this.#pointRow(call, i)];
  }

  /** N, along the normal. @param {number} i @returns {number} */
  getPointNormalForce(i) {
    const call = 'Contact.getPointNormalForce';
    return this.#world.columns.contactPoints.normalForce[this.#pointRow(call, i)];
  }

  /** N, on 1. @template {OutputArray} [T=number[]] @param {number} i @param {T} [out] @returns {T} */
  getPointTangentialForce(i, out) {
    const call = 'Contact.getPointTangentialForce';
    return this.#read(call, this.#world.columns.contactPoints.tangentialForce, this.#pointRow(call, i), out);
  }

  /** @param {string} call @param {number} i */
  #pointRow(call, i) {
    const count = this.pointCount;
    if (!Number.isInteger(i) || i < 0 || i >= count) {
      throw outOfRange(call, 'i', i, `are integers below pointCount, ${count}`);
    }
    return this.#world.columns.contacts.firstPoint[this.row] + i;
  }

  /**
   * Three numbers of a row, seen from the wanted side.
   * @template {OutputArray} T
   * @param {string} call @param {Float64Array} column @param {number} row @param {T | undefined} out
   * @returns {T}
   */
  #read(call, column, row, out) {
    checkOutput(call, out, 3);
    const target = copyOut(column, 3 * row, 3, out);
    if (this.#isSwapped) negate(target);
    return target;
  }
}

/** @param {OutputArray} vector */
function negate(vector) {
  for (let i = 0; i < 3; ++i) vector[i] = -vector[i];
}

/** @param {number} wantedBody @param {number} body @param {number} wantedGeometry @param {number} geometry */
function fits(wantedBody, body, wantedGeometry, geometry) {
  return (wantedBody < 0 || wantedBody === body) && (wantedGeometry < 0 || wantedGeometry === geometry);
}
