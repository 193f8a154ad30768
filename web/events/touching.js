// Which geometries touch, followed from step to step: what began and what ended.
//
// The engine lists what began and ended (`columns.contactEvents`), for each pair of shapes. Pairs of
// geometries that touch are remembered here, so that each beginning has one end, whatever happens between:
//   - what is destroyed leaves the engine without an event; its pairs end here.
//   - a geometry that was placed again, a body of another motion, a sensor that became none, a world that
//     went back: the engine makes new pairs in silence. Then all contacts of the step are gone over and
//     compared ("in doubt"), which takes as long as there are contacts.
//   - where a geometry has several shapes, only that comparison knows whether some other pair of them
//     touches still.
// Among the contacts of a step there are some that touch only in the next one, and bear load already.
// Whatever is kept or begins because of a row that may be such a one stays in doubt: if it parts before it
// touches, the engine does not say so.

import { ContactStates, GeometryFlags } from '../generated/flags.js';
import { ContactRows, keyOf, tripleAt } from './contact_rows.js';

/** @typedef {import('../objects/body.js').Body} Body */
/** @typedef {import('../objects/geometry.js').Geometry} Geometry */
/** @typedef {import('../objects/world.js').World} World */
/** @typedef {import('./event_types.js').TouchDetails} TouchDetails */
/** @typedef {import('./event_types.js').TouchSides} TouchSides */

/**
 * Two geometries that touch. The objects stay the same when they are destroyed.
 * @typedef {object} Touch
 * @property {TouchSides} sides
 * @property {number} handle1 of the geometries
 * @property {number} handle2
 * @property {boolean} isSensor1 whether the first was a sensor when it began
 * @property {boolean} isSensor2
 * @property {boolean} isPassing not found by the engine: something fast passed through a sensor
 */

/**
 * What a step changed.
 * @typedef {object} TouchChanges
 * @property {Touch[]} ended
 * @property {{ touch: Touch, details: TouchDetails | null }[]} begun details: null where no points are known
 */

export class Touching {
  #world;
  #contacts;
  /** By `keyOf` rows. @type {Map<number, Touch>} */
  #touches = new Map();
  /** Whether it is known what touched before the step: what did before the first one began unheard. */
  #isKnown = false;
  #isInDoubt = false;
  /** Whether what touched before the step may be any pair's. */
  #isAllInDoubt = false;
  /** Rows of geometries whose pairs are in doubt. @type {Set<number>} */
  #doubtful = new Set();
  /** Pairs that are, by `keyOf`. @type {Set<number>} */
  #unsure = new Set();
  #isSomethingGone = false;
  /** Touches of the step before that the engine has to confirm. @type {[number, Touch][]} */
  #passing = [];

  /** @param {World} world */
  constructor(world) {
    this.#world = world;
    this.#contacts = new ContactRows(world);
  }

  /** A geometry, or a body with some, was destroyed. */
  noteGone() {
    this.#isSomethingGone = true;
  }

  /** The engine may have made new pairs in silence. @param {number} [geometry] of this row alone */
  doubt(geometry) {
    this.#isInDoubt = true;
    if (geometry === undefined) this.#isAllInDoubt = true;
    else this.#doubtful.add(geometry);
  }

  /** After a step. @returns {TouchChanges} */
  collect() {
    /** @type {TouchChanges} */
    const changes = { ended: [], begun: [] };
    if (!this.#isKnown) this.#remember();
    if (this.#isSomethingGone) this.#endGone(changes);
    const passing = this.#passing.splice(0);
    if (!this.#isInDoubt) this.#followEvents(changes);
    if (this.#isInDoubt) this.#compareAll(changes);
    for (const [key, touch] of passing)
      if (touch.isPassing && this.#touches.get(key) === touch) this.#end(changes, key, touch);
    return changes;
  }

  /** Whether two geometries touch, by rows. @param {number} row1 @param {number} row2 @returns {boolean} */
  has(row1, row2) {
    return this.#touches.has(keyOf(row1, row2));
  }

  /**
   * What passed through a sensor within the step. It ends with the next step, unless it is found there.
   * @param {number} row1 @param {number} row2 of geometries @returns {Touch}
   */
  addPassing(row1, row2) {
    const touch = this.#makeTouch(row1, row2);
    touch.isPassing = true;
    this.#touches.set(keyOf(row1, row2), touch);
    this.#passing.push([keyOf(row1, row2), touch]);
    return touch;
  }

  // ---- what changes ---------------------------------------------------------------------------------------

  /** @param {TouchChanges} changes @param {number} key @param {Touch} touch */
  #end(changes, key, touch) {
    this.#touches.delete(key);
    changes.ended.push(touch);
  }

  /**
   * @param {TouchChanges} changes @param {number} row1 @param {number} row2 of geometries
   * @param {TouchDetails | null} details
   */
  #begin(changes, row1, row2, details) {
    const touch = this.#makeTouch(row1, row2);
    this.#touches.set(keyOf(row1, row2), touch);
    changes.begun.push({ touch, details });
  }

  /** @param {number} row1 @param {number} row2 @returns {Touch} */
  #makeTouch(row1, row2) {
    const world = this.#world;
    const { handle, flags, body } = world.columns.geometries;
    return {
      sides: {
        body1: world.bodyAt(body[row1]),
        body2: world.bodyAt(body[row2]),
        geometry1: /** @type {Geometry} */ (world.geometryAt(row1)),
        geometry2: /** @type {Geometry} */ (world.geometryAt(row2)),
      },
      handle1: handle[row1],
      handle2: handle[row2],
      isSensor1: (flags[row1] & GeometryFlags.sensor) !== 0,
      isSensor2: (flags[row2] & GeometryFlags.sensor) !== 0,
      isPassing: false,
    };
  }

  /** Ends it where other geometries have its rows. @param {TouchChanges} changes @param {number} key */
  #findSame(changes, key) {
    const touch = this.#touches.get(key);
    if (!touch || this.#isSame(touch, false)) return touch;
    this.#end(changes, key, touch);
    return undefined;
  }

  /** Both are there. @param {number} row1 @param {number} row2 @returns {boolean} */
  #areLive(row1, row2) {
    const { handle } = this.#world.columns.geometries;
    return handle[row1] !== 0 && handle[row2] !== 0;
  }

  /**
   * Whether both still are what they were.
   * @param {Touch} touch @param {boolean} withKind as sensors, too
   * @returns {boolean}
   */
  #isSame({ sides, handle1, handle2, isSensor1, isSensor2 }, withKind) {
    const { handle, flags } = this.#world.columns.geometries;
    const row1 = sides.geometry1.index;
    const row2 = sides.geometry2.index;
    if (handle[row1] !== handle1 || handle[row2] !== handle2) return false;
    if (!withKind) return true;
    const { sensor } = GeometryFlags;
    return ((flags[row1] & sensor) !== 0) === isSensor1 && ((flags[row2] & sensor) !== 0) === isSensor2;
  }

  // ---- where changes are found ----------------------------------------------------------------------------

  /** What touched before the step, as far as its contacts say. */
  #remember() {
    this.#isKnown = true;
    this.#isSomethingGone = this.#isInDoubt = false;
    const count = this.#contacts.begin();
    const { state, geometry1, geometry2 } = this.#world.columns.contacts;
    for (let row = 0; row < count; ++row) {
      const touchedBefore = state[row] === ContactStates.contact || state[row] === ContactStates.separation;
      if (!touchedBefore || !this.#areLive(geometry1[row], geometry2[row])) continue;
      const key = keyOf(geometry1[row], geometry2[row]);
      if (!this.#touches.has(key)) this.#touches.set(key, this.#makeTouch(geometry1[row], geometry2[row]));
    }
  }

  /** @param {TouchChanges} changes */
  #endGone(changes) {
    this.#isSomethingGone = false;
    for (const [key, touch] of this.#touches) if (!this.#isSame(touch, false)) this.#end(changes, key, touch);
  }

  /** What the engine lists. @param {TouchChanges} changes */
  #followEvents(changes) {
    const { contactEvents, geometries } = this.#world.columns;
    const count = contactEvents.rows;
    if (count === 0) return;
    const { state, geometry1, geometry2, pair, position, normal, speed, impulse } = contactEvents;
    const { shapeCount } = geometries;
    for (let event = 0; event < count; ++event) {
      const row1 = geometry1[event];
      const row2 = geometry2[event];
      const key = keyOf(row1, row2);
      const touch = this.#findSame(changes, key);
      if (state[event] === ContactStates.separation) {
        if (!touch) continue;
        if (shapeCount[row1] > 1 || shapeCount[row2] > 1) this.#doubtPair(key);
        else this.#end(changes, key, touch);
      } else if (pair[event] < 0 || !this.#areLive(row1, row2)) {
        this.#doubtPair(key); // its row has gone within the step
      } else if (touch) {
        touch.isPassing = false;
      } else {
        const isPlaced =
          normal[3 * event] !== 0 || normal[3 * event + 1] !== 0 || normal[3 * event + 2] !== 0;
        this.#begin(
          changes,
          row1,
          row2,
          isPlaced
            ? {
                point: tripleAt(position, event),
                normal: tripleAt(normal, event),
                approachSpeed: speed[event],
                impulse: impulse[event],
              }
            : null,
        );
      }
    }
  }

  /** @param {number} key */
  #doubtPair(key) {
    this.#isInDoubt = true;
    this.#unsure.add(key);
  }

  /** All contacts of the step. @param {TouchChanges} changes */
  #compareAll(changes) {
    const { rowOf, separated } = this.#findRows();
    for (const [key, touch] of this.#touches) {
      const row = rowOf.get(key);
      if (row === undefined && touch.isPassing) continue;
      if (row === undefined || !this.#isSame(touch, true) || this.#hasParted(key, row, separated))
        this.#end(changes, key, touch);
      else touch.isPassing = false;
    }
    const contacts = this.#contacts;
    const { geometry1, geometry2 } = this.#world.columns.contacts;
    /** @type {Set<number>} */
    const unsure = new Set();
    for (const [key, row] of rowOf) {
      const isDoubtful = contacts.mayBeLate(row) && this.#isDoubtful(key, row);
      if (!this.#touches.has(key)) {
        // where there is no doubt, the engine says when it begins
        if (contacts.mayBeLate(row) && !isDoubtful) continue;
        const details = contacts.getDetails(row, contacts.deepestPoint(row));
        this.#begin(changes, geometry1[row], geometry2[row], details);
      }
      if (isDoubtful) unsure.add(key);
    }
    this.#unsure = unsure;
    this.#doubtful.clear();
    this.#isAllInDoubt = false;
    this.#isInDoubt = unsure.size > 0;
  }

  /** @param {number} key @param {number} row of a contact @returns {boolean} */
  #isDoubtful(key, row) {
    const { geometry1, geometry2 } = this.#world.columns.contacts;
    const isOfDoubtful = this.#doubtful.has(geometry1[row]) || this.#doubtful.has(geometry2[row]);
    return this.#isAllInDoubt || isOfDoubtful || this.#unsure.has(key);
  }

  /**
   * Whether the engine says that two parted whose only row may be of a touch to come. Which of several shapes
   * it means is not known: that stays in doubt.
   * @param {number} key @param {number} row of a contact @param {Set<number>} separated
   */
  #hasParted(key, row, separated) {
    if (!separated.has(key) || !this.#contacts.mayBeLate(row)) return false;
    const { contacts, geometries } = this.#world.columns;
    const isOfSeveral =
      geometries.shapeCount[contacts.geometry1[row]] > 1 ||
      geometries.shapeCount[contacts.geometry2[row]] > 1;
    if (isOfSeveral) this.#unsure.add(key);
    return !isOfSeveral;
  }

  /**
   * Pairs of geometries that touch, each with a row that is sure where there is one, and those of which
   * something parted.
   * @returns {{ rowOf: Map<number, number>, separated: Set<number> }}
   */
  #findRows() {
    const contacts = this.#contacts;
    const count = contacts.begin();
    const { state, geometry1, geometry2 } = this.#world.columns.contacts;
    /** @type {Map<number, number>} */
    const rowOf = new Map();
    /** @type {Set<number>} */
    const separated = new Set();
    for (let row = 0; row < count; ++row) {
      if (!this.#areLive(geometry1[row], geometry2[row])) continue;
      const key = keyOf(geometry1[row], geometry2[row]);
      if (state[row] === ContactStates.separation) separated.add(key);
      if (!contacts.isTouching(row)) continue;
      const known = rowOf.get(key);
      if (known === undefined || (contacts.mayBeLate(known) && !contacts.mayBeLate(row))) rowOf.set(key, row);
    }
    return { rowOf, separated };
  }
}
