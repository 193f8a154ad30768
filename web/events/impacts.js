// Impacts: contacts whose two sides met faster than somebody wants to hear of, whether they have touched
// before or not, as a plank that falls over or a die that rolls from face to face.
//
// An impact may take several steps, where materials are soft: as long as its sides meet slower than in the
// step before it is the same one. What comes together within a step without restitution is known as touching
// before it has, and solved directly its blow comes in the next step: it is told then, with the impulses of
// both.

import { ContactStates } from '../generated/flags.js';
import { ContactRows, keyOf, tripleAt } from './contact_rows.js';

/** @typedef {import('../objects/geometry.js').Geometry} Geometry */
/** @typedef {import('../objects/world.js').World} World */
/** @typedef {import('./event_types.js').TouchDetails} TouchDetails */
/** @typedef {import('./event_types.js').TouchSides} TouchSides */
/** @typedef {import('./event_types.js').Triple} Triple */

/** m/s: slower than that, what touches already does not strike, it rests. */
const minStrike = 0.05;

/** @typedef {{ sides: TouchSides, details: TouchDetails }} Impact */

/**
 * What the contacts of two geometries come to in a step.
 * @typedef {object} Strike
 * @property {number} speed m/s, the fastest
 * @property {number} row of the fastest
 * @property {number} point row of the fastest
 * @property {number} impulse N s, of all
 */

/** @param {TouchSides} sides @returns {boolean} */
const isAlive = ({ geometry1, geometry2 }) => geometry1.isValid && geometry2.isValid;

export class Impacts {
  #world;
  #contacts;
  /** Speeds by pairs of geometries, in the step before. @type {Map<number, number>} */
  #before = new Map();
  /** @type {Map<number, Strike>} */
  #strikes = new Map();
  /** Impacts that are told after the next step. @type {Map<number, Impact>} */
  #held = new Map();

  /** @param {World} world */
  constructor(world) {
    this.#world = world;
    this.#contacts = new ContactRows(world);
  }

  /** What struck in the step before is not known any more. */
  forget() {
    this.#before.clear();
    this.#held.clear();
  }

  /** After a step, in the order of its contacts. @returns {Impact[]} */
  collect() {
    this.#findStrikes();
    /** @type {Impact[]} */
    const impacts = [];
    if (this.#strikes.size === 0 && this.#before.size === 0 && this.#held.size === 0) return impacts;
    const { handle } = this.#world.columns.geometries;
    const { geometry1, geometry2 } = this.#world.columns.contacts;
    /** @type {Map<number, number>} */
    const speeds = new Map();
    for (const [key, { sides, details }] of this.#held) {
      const impulse = details.impulse + (this.#strikes.get(key)?.impulse ?? 0);
      if (isAlive(sides)) impacts.push({ sides, details: { ...details, impulse } });
    }
    this.#held.clear();
    for (const [key, strike] of this.#strikes) {
      const { row, speed } = strike;
      if (handle[geometry1[row]] === 0 || handle[geometry2[row]] === 0) continue;
      if (speed > (this.#before.get(key) ?? 0)) {
        const impact = this.#describe(strike);
        if (this.#contacts.hasJustMet(row)) this.#held.set(key, impact);
        else impacts.push(impact);
      }
      speeds.set(key, speed);
    }
    this.#strikes.clear();
    this.#before = speeds;
    return impacts;
  }

  #findStrikes() {
    const contacts = this.#contacts;
    const count = contacts.begin();
    if (count === 0) return;
    const { state, geometry1, geometry2 } = this.#world.columns.contacts;
    for (let row = 0; row < count; ++row) {
      if (!contacts.mayMove(row) || !contacts.isTouching(row) || contacts.isSensor(row)) continue;
      const point = contacts.fastestPoint(row);
      const { speed } = contacts;
      if (!(speed > (state[row] === ContactStates.impact ? 0 : minStrike))) continue;
      const impulse = contacts.impulseOf(row);
      if (impulse > 0) this.#add(keyOf(geometry1[row], geometry2[row]), { speed, row, point, impulse });
    }
  }

  /** @param {number} key @param {Strike} strike */
  #add(key, strike) {
    const known = this.#strikes.get(key);
    if (!known) {
      this.#strikes.set(key, strike);
      return;
    }
    const impulse = known.impulse + strike.impulse;
    Object.assign(known, strike.speed > known.speed ? strike : {}, { impulse });
  }

  /** @param {Strike} strike @returns {Impact} */
  #describe({ row, point, speed, impulse }) {
    const world = this.#world;
    const { contacts, contactPoints, geometries } = world.columns;
    const row1 = contacts.geometry1[row];
    const row2 = contacts.geometry2[row];
    return {
      sides: {
        body1: world.bodyAt(geometries.body[row1]),
        body2: world.bodyAt(geometries.body[row2]),
        geometry1: /** @type {Geometry} */ (world.geometryAt(row1)),
        geometry2: /** @type {Geometry} */ (world.geometryAt(row2)),
      },
      details: {
        point: tripleAt(contactPoints.position, point),
        normal: tripleAt(contacts.normal, row),
        approachSpeed: speed,
        impulse,
      },
    };
  }
}
