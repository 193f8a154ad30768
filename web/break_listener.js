// Listeners of constraints that break, told after each step by JavaScript itself: nothing calls out of WebAssembly.

import { wrongType } from './checks.js';
import { CairnError } from './errors.js';
import { worldGetBrokenConstraint, worldGetBrokenCount } from './generated/calls.js';

/** @typedef {import('./constraint.js').Constraint} Constraint */
/** @typedef {import('./world.js').World} World */

export class BreakListener {
  /** @type {BreakListeners | null} */
  #owner;

  /** @internal @param {BreakListeners} owner @param {(constraint: Constraint) => void} onBreak */
  constructor(owner, onBreak) {
    this.#owner = owner;
    /** @internal @readonly */
    this.onBreak = onBreak;
  }

  /** Whether it is told of constraints. @returns {boolean} */
  get isActive() {
    return this.#owner !== null;
  }

  /** It hears no more; a second time nothing happens. @returns {void} */
  remove() {
    const owner = this.#owner;
    this.#owner = null;
    owner?.closeUp();
  }
}

/** All of a world. @internal */
export class BreakListeners {
  #world;
  /** @type {BreakListener[]} */
  #list = [];
  #isTelling = false;

  /** @param {World} world */
  constructor(world) {
    this.#world = world;
  }

  /** @returns {boolean} */
  get isEmpty() {
    return this.#list.length === 0;
  }

  /** A listener may not step or dispose its world. @param {string} name of the call */
  refuse(name) {
    if (!this.#isTelling) return;
    const text = 'a break listener is at work: it cannot step or dispose its world';
    throw new CairnError('WRONG_PHASE', name, 'world', text);
  }

  /** @param {unknown} onBreak @returns {BreakListener} */
  add(onBreak) {
    if (typeof onBreak !== 'function')
      throw wrongType('World.addBreakListener', 'onBreak', onBreak, 'are functions');
    const listener = new BreakListener(this, /** @type {BreakListener['onBreak']} */ (onBreak));
    this.#list.push(listener);
    return listener;
  }

  /** Without the listeners that were removed. */
  closeUp() {
    if (!this.#isTelling) this.#list = this.#list.filter(({ isActive }) => isActive);
  }

  /** Of what broke in the last step. */
  tell() {
    const broken = this.#list.length > 0 ? worldGetBrokenCount(this.#world) : 0;
    if (broken === 0) return;
    this.#isTelling = true;
    try {
      const count = this.#list.length;
      for (let i = 0; i < broken; ++i) {
        const handle = worldGetBrokenConstraint(this.#world, i);
        const constraint = /** @type {Constraint | null} */ (this.#world.objectOf('constraint', handle));
        for (let k = 0; k < count && constraint?.isValid; ++k) {
          if (this.#list[k].isActive) this.#list[k].onBreak(constraint);
        }
      }
    } finally {
      this.#isTelling = false;
      this.closeUp();
    }
  }
}
