// Listeners of constraints that break, told after each step by JavaScript itself: nothing calls
// out of WebAssembly.

import { wrongType } from '../core/checks.js';
import { worldGetBrokenConstraint, worldGetBrokenCount } from '../generated/calls.js';
import { Listener, ListenerList } from './listener.js';

/** @typedef {import('../objects/constraint.js').Constraint} Constraint */
/** @typedef {import('../objects/world.js').World} World */

export class BreakListener extends Listener {
  /** @internal @param {BreakListeners} owner @param {(constraint: Constraint) => void} onBreak */
  constructor(owner, onBreak) {
    super(owner);
    /** @internal @readonly */
    this.onBreak = onBreak;
  }
}

/** All of a world. @internal @extends {ListenerList<BreakListener>} */
export class BreakListeners extends ListenerList {
  #world;

  /** @param {World} world */
  constructor(world) {
    super('break');
    this.#world = world;
  }

  /** @param {unknown} onBreak @returns {BreakListener} */
  add(onBreak) {
    if (typeof onBreak !== 'function')
      throw wrongType('World.addBreakListener', 'onBreak', onBreak, 'are functions');
    const listener = new BreakListener(this, /** @type {BreakListener['onBreak']} */ (onBreak));
    this.list.push(listener);
    return listener;
  }

  /** Of what broke in the last step. */
  tell() {
    const broken = this.isEmpty ? 0 : worldGetBrokenCount(this.#world);
    if (broken > 0) this.whileTelling((count) => this.#tellOf(broken, count));
  }

  /** @param {number} broken @param {number} count listeners that hear in this step */
  #tellOf(broken, count) {
    for (let i = 0; i < broken; ++i) {
      const handle = worldGetBrokenConstraint(this.#world, i);
      const constraint = /** @type {Constraint | null} */ (this.#world.objectOf('constraint', handle));
      for (let k = 0; k < count && constraint?.isValid; ++k) {
        if (this.list[k].isActive) this.list[k].onBreak(constraint);
      }
    }
  }
}
