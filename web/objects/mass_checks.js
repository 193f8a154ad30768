// Dynamic bodies that nothing gives a mass. The engine takes 1 kg for them; a world does not step with one,
// since that was hardly meant: a shape is missing, or a mesh is open. What had a mass of its geometries keeps
// that when they go, and is none of them.

import { CairnError } from '../core/errors.js';
import { rowOf } from '../core/handle_rows.js';
import { BodyFlags, GeometryFlags } from '../generated/flags.js';

/** @typedef {import('./body.js').Body} Body */
/** @typedef {import('./world.js').World} World */

const { dynamic, enabled, massGiven, massKept } = BodyFlags;

/** Bodies of a world whose mass has to be looked at before the next step, by their handles. */
export class MassChecks {
  #world;
  /** @type {Set<number>} */
  #due = new Set();

  /** @param {World} world */
  constructor(world) {
    this.#world = world;
  }

  /** Whether no body has to be looked at. @returns {boolean} */
  get isEmpty() {
    return this.#due.size === 0;
  }

  /** Something has changed that its mass comes from. @param {Body} body */
  add(body) {
    this.#due.add(body.handle);
  }

  /** The world has another state. */
  restart() {
    this.#due.clear();
    const { rows, handle } = this.#world.columns.bodies;
    for (let row = 0; row < rows; ++row)
      if (handle[row] !== 0 && this.#isMassless(row)) this.#due.add(handle[row]);
  }

  /** @param {string} call that is about to step */
  check(call) {
    for (const handle of this.#due) {
      const row = rowOf(handle);
      const { bodies } = this.#world.columns;
      if (row < bodies.rows && bodies.handle[row] === handle && this.#isMassless(row))
        throw this.#refuse(call, row);
      this.#due.delete(handle);
    }
  }

  /** Of what solvers move. Of the others nobody asks; they are looked at when they are made dynamic. */
  #isMassless(/** @type {number} */ row) {
    const { bodies, geometries, proxies, shapes } = this.#world.columns;
    if ((bodies.flags[row] & (dynamic | enabled | massGiven | massKept)) !== (dynamic | enabled))
      return false;
    for (let g = bodies.firstGeometry[row]; g >= 0; g = geometries.nextOfBody[g]) {
      if ((geometries.flags[g] & GeometryFlags.givesMass) === 0) continue;
      for (let p = geometries.firstProxy[g]; p >= 0; p = proxies.nextOfGeometry[p])
        if (shapes.volume[proxies.shape[p]] > 0) return false;
    }
    return true;
  }

  /** @param {string} call @param {number} row @returns {CairnError} */
  #refuse(call, row) {
    const name = this.#world.bodyAt(row)?.name;
    const who = name === undefined ? `the body of row ${row}` : `the body ${JSON.stringify(name)}`;
    const text =
      `${who} is dynamic and has neither a mass nor a geometry that gives one: set body.mass, give it a ` +
      `geometry with a volume, or make it static or kinematic`;
    return new CairnError('OUT_OF_RANGE', call, 'body.mass', text);
  }
}
