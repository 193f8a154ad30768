// What the contact table says of a step, as events need it: places, directions, speeds of approach, impulses.
//
// A step's bodies have moved on when it is read. How they met follows from what they began the step with:
//   v = v⁺ − a h,  ω = ω⁺ − α h,  a and α the mean accelerations of the step,
// at the arms from where their centres of mass were when the contacts were found.

import { BodyFlags, ContactFlags, ContactStates } from '../generated/flags.js';

/** @typedef {import('../objects/world.js').World} World */
/** @typedef {import('./event_types.js').TouchDetails} TouchDetails */
/** @typedef {import('./event_types.js').Triple} Triple */

/** @param {ArrayLike<number>} array @param {number} row @returns {Triple} */
export function tripleAt(array, row) {
  return Object.freeze([array[3 * row], array[3 * row + 1], array[3 * row + 2]]);
}

/**
 * A pair of geometries, whichever comes first.
 * @param {number} row1 @param {number} row2 @returns {number}
 */
export function keyOf(row1, row2) {
  return row1 < row2 ? row1 * 2 ** 20 + row2 : row2 * 2 ** 20 + row1;
}

/**
 * The contacts of the last step. Views of the tables are good until memory may move: from `begin` until the
 * engine is called again. Nothing is allocated but what `getDetails` returns.
 */
export class ContactRows {
  #world;
  #timeStep = 1;
  #contacts;
  #points;
  #bodies;
  // What is found of a point, m/s. In arrays: a number that a call returns may be an object on the heap, one
  // for each contact and step.
  /** Relative velocity. */
  #relative = new Float64Array(3);
  /** How fast the two met there. */
  #approach = new Float64Array(1);
  /** The same, at the point that `fastestPoint` found last. */
  #fastest = new Float64Array(1);

  /** @param {World} world */
  constructor(world) {
    this.#world = world;
    this.#contacts = viewContacts(world);
    this.#points = viewPoints(world);
    this.#bodies = viewBodies(world);
  }

  /** Lists them. @returns {number} how many there are */
  begin() {
    const world = this.#world;
    this.#timeStep = world.timeStep;
    const count = world.columns.contacts.rows;
    this.#contacts = viewContacts(world);
    this.#points = viewPoints(world);
    this.#bodies = viewBodies(world);
    return count;
  }

  /** Whether the two touch still. @param {number} row @returns {boolean} */
  isTouching(row) {
    const state = this.#contacts.state[row];
    return (
      (state === ContactStates.impact || state === ContactStates.contact) && this.#contacts.pair[row] >= 0
    );
  }

  /**
   * Whether the two may touch only in the next step, and bear load already.
   * @param {number} row @returns {boolean}
   */
  mayBeLate(row) {
    if (this.#contacts.state[row] !== ContactStates.contact || this.isSensor(row)) return false;
    const point = this.deepestPoint(row);
    return point >= 0 && this.#points.depth[point] === 0;
  }

  /**
   * Whether the two have come together within the step, and not overlapped when it began.
   * @param {number} row @returns {boolean}
   */
  hasJustMet(row) {
    if (this.#contacts.state[row] !== ContactStates.impact) return false;
    const point = this.deepestPoint(row);
    return point >= 0 && this.#points.depth[point] <= 0;
  }

  /** @param {number} row @returns {boolean} */
  isSensor(row) {
    return (this.#contacts.flags[row] & ContactFlags.sensor) !== 0;
  }

  /** Whether one of the two is no sleeper and not fixed. @param {number} row @returns {boolean} */
  mayMove(row) {
    return this.#isMoving(this.#contacts.body1[row]) || this.#isMoving(this.#contacts.body2[row]);
  }

  /** @param {number} body row, -1: none */
  #isMoving(body) {
    const bits = body < 0 ? 0 : this.#bodies.flags[body];
    return (bits & BodyFlags.asleep) === 0 && (bits & (BodyFlags.dynamic | BodyFlags.kinematic)) !== 0;
  }

  /** N s, along the normal. @param {number} row @returns {number} */
  impulseOf(row) {
    const { force } = this.#contacts;
    return this.#timeStep * Math.hypot(force[3 * row], force[3 * row + 1], force[3 * row + 2]);
  }

  /** The point that is deepest. @param {number} row @returns {number} its row; -1: none */
  deepestPoint(row) {
    const { depth } = this.#points;
    const first = this.#contacts.firstPoint[row];
    const end = first + this.#contacts.pointCount[row];
    let deepest = -1;
    for (let p = first; p < end; ++p) if (deepest < 0 || depth[p] > depth[deepest]) deepest = p;
    return deepest;
  }

  /** The point where they met fastest. @param {number} row @returns {number} its row; -1: none */
  fastestPoint(row) {
    const first = this.#contacts.firstPoint[row];
    const end = first + this.#contacts.pointCount[row];
    const fastest = this.#fastest;
    const approach = this.#approach;
    let found = -1;
    fastest[0] = -Infinity;
    for (let p = first; p < end; ++p) {
      this.#findApproach(row, p);
      if (approach[0] > fastest[0]) {
        fastest[0] = approach[0];
        found = p;
      }
    }
    return found;
  }

  /** m/s, at the point that `fastestPoint` found last. @returns {number} */
  get speed() {
    return this.#fastest[0];
  }

  /** How fast they met along the normal. @param {number} row @param {number} point its row */
  #findApproach(row, point) {
    const relative = this.#relative;
    relative[0] = relative[1] = relative[2] = 0;
    this.#addVelocity(this.#contacts.body1[row], point, 1);
    this.#addVelocity(this.#contacts.body2[row], point, -1);
    const { normal } = this.#contacts;
    const i = 3 * row;
    this.#approach[0] = -(
      normal[i] * relative[0] +
      normal[i + 1] * relative[1] +
      normal[i + 2] * relative[2]
    );
  }

  /** @param {number} body row, -1: none @param {number} point @param {number} sign */
  #addVelocity(body, point, sign) {
    if (body < 0) return;
    const { flags, velocity, spin, acceleration, spinChange, centre } = this.#bodies;
    // what a kinematic body has is what it was given before the step
    const back = (flags[body] & BodyFlags.dynamic) !== 0 ? this.#timeStep : 0;
    const { position } = this.#points;
    const relative = this.#relative;
    const b = 3 * body;
    const x = position[3 * point] - centre[b];
    const y = position[3 * point + 1] - centre[b + 1];
    const z = position[3 * point + 2] - centre[b + 2];
    const p = spin[b] - back * spinChange[b];
    const q = spin[b + 1] - back * spinChange[b + 1];
    const r = spin[b + 2] - back * spinChange[b + 2];
    relative[0] += sign * (velocity[b] - back * acceleration[b] + q * z - r * y);
    relative[1] += sign * (velocity[b + 1] - back * acceleration[b + 1] + r * x - p * z);
    relative[2] += sign * (velocity[b + 2] - back * acceleration[b + 2] + p * y - q * x);
  }

  /** @param {number} row @param {number} point its row; -1: none @returns {TouchDetails | null} */
  getDetails(row, point) {
    if (point < 0) return null;
    this.#findApproach(row, point);
    return {
      point: tripleAt(this.#points.position, point),
      normal: tripleAt(this.#contacts.normal, row),
      approachSpeed: this.#approach[0],
      impulse: this.impulseOf(row),
    };
  }
}

/** @param {World} world */
function viewContacts({ columns: { contacts } }) {
  return {
    state: contacts.state,
    pair: contacts.pair,
    flags: contacts.flags,
    body1: contacts.body1,
    body2: contacts.body2,
    firstPoint: contacts.firstPoint,
    pointCount: contacts.pointCount,
    normal: contacts.normal,
    force: contacts.normalForce,
  };
}

/** @param {World} world */
function viewPoints({ columns: { contactPoints } }) {
  return { position: contactPoints.position, depth: contactPoints.depth };
}

/** @param {World} world */
function viewBodies({ columns: { bodies } }) {
  return {
    flags: bodies.flags,
    velocity: bodies.velocity,
    spin: bodies.angularVelocity,
    acceleration: bodies.acceleration,
    spinChange: bodies.angularAcceleration,
    centre: bodies.contactCentre,
  };
}
