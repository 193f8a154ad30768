// Dynamic bodies that nothing gives a mass. The engine takes 1 kg for them; a world does not step with one,
// since that was hardly meant: a shape is missing, or a mesh is open.

import { CairnError } from '../core/errors.js';
import { BodyFlags, GeometryFlags } from '../generated/flags.js';

/** @typedef {import('./body.js').Body} Body */
/** @typedef {import('./world.js').World} World */

/** Bodies of a world whose mass has to be looked at before the next step. */
export class Weights {
  #world;
  /** @type {Set<Body>} */
  #doubtful = new Set();

  /** @param {World} world */
  constructor(world) {
    this.#world = world;
  }

  /** Whether no body has to be looked at. @returns {boolean} */
  get isEmpty() {
    return this.#doubtful.size === 0;
  }

  /** Something has changed that its mass comes from. @param {Body} body */
  doubt(body) {
    this.#doubtful.add(body);
  }

  /** @param {string} call that is about to step */
  check(call) {
    for (const body of this.#doubtful) {
      if (this.#isMassless(body)) throw this.#refuse(call, body);
      this.#doubtful.delete(body);
    }
  }

  /** Of what solvers move. Of the others nobody asks; they are looked at when they are made dynamic. */
  #isMassless(/** @type {Body} */ body) {
    if (!body.isValid) return false;
    const { bodies, geometries, proxies, shapes } = this.#world.columns;
    const { dynamic, enabled, massGiven } = BodyFlags;
    if ((bodies.flags[body.index] & (dynamic | enabled | massGiven)) !== (dynamic | enabled)) return false;
    for (let g = bodies.firstGeometry[body.index]; g >= 0; g = geometries.nextOfBody[g]) {
      if ((geometries.flags[g] & GeometryFlags.givesMass) === 0) continue;
      for (let p = geometries.firstProxy[g]; p >= 0; p = proxies.nextOfGeometry[p])
        if (shapes.volume[proxies.shape[p]] > 0) return false;
    }
    return true;
  }

  /** @param {string} call @param {Body} body @returns {CairnError} */
  #refuse(call, body) {
    const { name } = body;
    const who = name === undefined ? `the body of row ${body.index}` : `the body ${JSON.stringify(name)}`;
    const text =
      `${who} is dynamic and has neither a mass nor a geometry that gives one: set body.mass, give it a ` +
      `geometry with a volume, or make it static or kinematic`;
    return new CairnError('OUT_OF_RANGE', call, 'body.mass', text);
  }
}
