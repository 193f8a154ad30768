// Whose function a world is calling: meanwhile nobody can step or dispose the world.

import { CairnError } from '../core/errors.js';

export class AtWork {
  /** @type {string | null} */
  #who = null;

  /** @param {string} who begins to work @returns {string | null} who did before, for end() */
  begin(who) {
    const before = this.#who;
    this.#who = who;
    return before;
  }

  /** @param {string | null} before what begin() gave */
  end(before) {
    this.#who = before;
  }

  /** @param {string} name of a call that steps or disposes the world */
  refuse(name) {
    if (this.#who === null) return;
    const text = `${this.#who} is at work: it cannot step or dispose its world`;
    throw new CairnError('WRONG_PHASE', name, 'world', text);
  }
}
