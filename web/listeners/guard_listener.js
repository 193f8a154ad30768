// Listeners of islands that the energy guard acts on, told after each step by JavaScript itself: nothing
// calls out of WebAssembly.

import { wrongType } from '../core/checks.js';
import { worldGetGuardEvent, worldGetGuardEventCount } from '../generated/calls.js';
import { Listener, ListenerList } from './listener.js';

/** @typedef {import('../objects/body.js').Body} Body */
/** @typedef {import('../objects/world.js').World} World */

/**
 * An island out of which the energy guard took energy that its joints and contacts had raised
 * without a source.
 * @typedef {object} GuardEvent
 * @property {Body} body of the island: the one with the lowest row
 * @property {number} energy J, > 0
 * @property {number} repeats times that the island's step was done again with more sub-steps
 */

export class GuardListener extends Listener {
  /** @internal @param {GuardListeners} owner @param {(event: GuardEvent) => void} onGuard */
  constructor(owner, onGuard) {
    super(owner);
    /** @internal @readonly */
    this.onGuard = onGuard;
  }
}

/** All of a world. @internal @extends {ListenerList<GuardListener>} */
export class GuardListeners extends ListenerList {
  #world;

  /** @param {World} world */
  constructor(world) {
    super('guard');
    this.#world = world;
  }

  /** @param {unknown} onGuard @returns {GuardListener} */
  add(onGuard) {
    if (typeof onGuard !== 'function')
      throw wrongType('World.addGuardListener', 'onGuard', onGuard, 'are functions');
    const listener = new GuardListener(this, /** @type {GuardListener['onGuard']} */ (onGuard));
    this.list.push(listener);
    return listener;
  }

  /** Of the islands that were acted on in the last step. */
  tell() {
    const guarded = this.isEmpty ? 0 : worldGetGuardEventCount(this.#world);
    if (guarded === 0) return;
    // all are read before any is told: listeners may destroy bodies
    const events = Array.from({ length: guarded }, (_, i) => worldGetGuardEvent(this.#world, i));
    this.whileTelling((count) => this.#tellOf(/** @type {GuardEvent[]} */ (events), count));
  }

  /** @param {GuardEvent[]} events @param {number} count listeners that hear in this step */
  #tellOf(events, count) {
    for (const event of events) {
      for (let k = 0; k < count && event.body.isValid; ++k) {
        if (this.list[k].isActive) this.list[k].onGuard(event);
      }
    }
  }
}
