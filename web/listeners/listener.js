// What listeners of every kind share: they are told in the order in which they were added, and may go
// while they are told.

/** @typedef {import('../objects/world.js').World} World */

export class Listener {
  /** @type {ListenerList<any> | null} */
  #owner;

  /** @internal @param {ListenerList<any>} owner */
  constructor(owner) {
    this.#owner = owner;
  }

  /** Whether it is told of what happens. @returns {boolean} */
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

/**
 * All listeners of a kind.
 * @internal
 * @template {Listener} T
 */
export class ListenerList {
  /** @type {T[]} */
  list = [];
  #who;
  #world;
  #isTelling = false;

  /** @param {string} kind for messages @param {World} world */
  constructor(kind, world) {
    this.#who = `a ${kind} listener`;
    this.#world = world;
  }

  /** @returns {boolean} */
  get isEmpty() {
    return this.list.length === 0;
  }

  /** Without the listeners that were removed. */
  closeUp() {
    if (!this.#isTelling) this.list = this.list.filter(({ isActive }) => isActive);
  }

  /**
   * Lets listeners be told; those that are added meanwhile hear of the next step.
   * @param {(count: number) => void} tell of the first `count`
   */
  whileTelling(tell) {
    const { atWork } = this.#world;
    const before = atWork.begin(this.#who);
    this.#isTelling = true;
    try {
      tell(this.list.length);
    } finally {
      this.#isTelling = false;
      atWork.end(before);
      this.closeUp();
    }
  }
}
