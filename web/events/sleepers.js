// Which bodies sleep, compared from step to step.

import { BodyFlags } from '../generated/flags.js';

/** @typedef {import('../objects/body.js').Body} Body */
/** @typedef {import('../objects/world.js').World} World */

export class Sleepers {
  #world;
  /** By row: the body's handle while it sleeps, else 0. */
  #sleeping = new Uint32Array(0);

  /** @param {World} world */
  constructor(world) {
    this.#world = world;
    this.#compare(null);
  }

  /** After a step, by rows. @returns {{ body: Body, isAsleep: boolean }[]} */
  collect() {
    /** @type {{ body: Body, isAsleep: boolean }[]} */
    const changes = [];
    this.#compare(changes);
    return changes;
  }

  /** @param {{ body: Body, isAsleep: boolean }[] | null} changes */
  #compare(changes) {
    const { bodies } = this.#world.columns;
    const { rows, handle, flags } = bodies;
    if (this.#sleeping.length < rows) {
      const longer = new Uint32Array(2 * rows);
      longer.set(this.#sleeping);
      this.#sleeping = longer;
    }
    const sleeping = this.#sleeping;
    for (let row = 0; row < sleeping.length; ++row) {
      const now = row < rows && (flags[row] & BodyFlags.asleep) !== 0 ? handle[row] : 0;
      const before = sleeping[row];
      if (now === before) continue;
      sleeping[row] = now;
      // one that was destroyed in its sleep does not wake up
      const isThere = now !== 0 || (row < rows && handle[row] === before);
      if (changes && isThere)
        changes.push({ body: /** @type {Body} */ (this.#world.bodyAt(row)), isAsleep: now !== 0 });
    }
  }
}
