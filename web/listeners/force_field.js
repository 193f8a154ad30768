// Force fields: called in every step between its halves, to add forces to whatever bodies they like.

import { wrongType } from '../core/errors.js';
import { seal } from '../core/strict.js';
import { Listener, ListenerList } from './listener.js';

/** @typedef {import('../objects/world.js').World} World */

/**
 * A function, or an object with one: adds to `columns.bodies.force` (N, at centres of mass) and `torque` (N
 * m),
 * or calls methods of bodies. May change everything but step or dispose the world.
 * @typedef {((world: World) => void) | { apply(world: World): void }} ForceField
 */

export class ForceFieldListener extends Listener {
  /** @type {ForceField} @readonly */
  field;

  /** @internal @param {ForceFields} owner @param {ForceField} field */
  constructor(owner, field) {
    super(owner);
    this.field = field;
    seal(this);
  }
}

/** All of a world. @internal @extends {ListenerList<ForceFieldListener>} */
export class ForceFields extends ListenerList {
  #world;

  /** @param {World} world */
  constructor(world) {
    super('force field', world);
    this.#world = world;
  }

  /** @param {unknown} field @returns {ForceFieldListener} */
  add(field) {
    const isObject = typeof field === 'object' && field !== null;
    if (typeof field !== 'function' && !(isObject && 'apply' in field && typeof field.apply === 'function'))
      throw wrongType('World.addForceField', 'field', field, 'are functions and objects with a method apply');
    const listener = new ForceFieldListener(this, /** @type {ForceField} */ (field));
    this.list.push(listener);
    return listener;
  }

  /** In the order in which they were added. */
  apply() {
    if (!this.isEmpty) this.whileTelling(this.#applyAll);
  }

  /** @param {number} count of fields that act in this step */
  #applyAll = (count) => {
    for (let i = 0; i < count; ++i) {
      const { field, isActive } = this.list[i];
      if (!isActive) continue;
      if (typeof field === 'function') field(this.#world);
      else field.apply(this.#world);
    }
  };
}
