// What a page sees of a world in a worker without asking: columns as they were after the last step.
//
// update() takes the newest state there is, and what it took stays as it is until the next update(): whole,
// never half of one step and half of another. Nothing waits for anybody (see mirror_layout.js).

import { fresh, header, openSlot, slotMask } from './mirror_layout.js';

/** @typedef {import('./mirror_layout.js').Layout} Layout */
/** @typedef {import('./mirror_layout.js').Slot} Slot */
/** @typedef {import('../core/columns.js').TypedArray} TypedArray */

/** One table of a mirror: as world.columns has it, but for reading alone. */
class MirrorTable {
  #mirror;
  #table;

  /** @param {Mirror} mirror @param {number} table @param {readonly string[]} columns */
  constructor(mirror, table, columns) {
    this.#mirror = mirror;
    this.#table = table;
    columns.forEach((name, column) => {
      Object.defineProperty(this, name, { enumerable: true, get: () => mirror.columnOf(table, column) });
    });
    Object.seal(this);
  }

  /** Rows that may be in use: loop below it; 0 before the first state. @returns {number} */
  get rows() {
    return this.#mirror.rowsOf(this.#table);
  }
}

const none = new Float64Array(0);

/**
 * @typedef {object} MirrorLink
 * @property {(buffer: ArrayBuffer) => void} giveBack sends a slot back to where it came from
 * @property {() => void} end the worker need not write it any more
 */

/** @template {Record<string, readonly string[]>} [Columns=Record<string, readonly string[]>] */
export class Mirror {
  /** What it says to the worker. @type {MirrorLink} */
  #link;
  /** What is read now. @type {Slot | null} */
  #front = null;
  /** Memory that is shared with the worker. @type {{ slots: Slot[], turn: Int32Array } | null} */
  #shared = null;
  #frontNumber = 2;
  #isDisposed = false;
  /** What the worker has sent and nobody has taken. @type {Slot | null} */
  #waiting = null;

  /**
   * @internal
   * @param {Columns} columns
   * @param {Promise<unknown>} made
   * @param {MirrorLink} link
   */
  constructor(columns, made, link) {
    this.#link = link;
    /**
     * The tables that were asked for, with their columns.
     * @type {{ readonly [T in keyof Columns]: { readonly rows: number } & { readonly [C in
     *   Columns[T][number]]:
     *   TypedArray } }}
     * @readonly
     */
    this.columns = /** @type {any} */ (
      Object.freeze(
        Object.fromEntries(
          Object.entries(columns).map(([name, names], table) => [
            name,
            new MirrorTable(/** @type {any} */ (this), table, names),
          ]),
        ),
      )
    );
    /**
     * Resolves once the worker has made it, or is rejected with what was wrong.
     * @type {Promise<this>}
     * @readonly
     */
    this.ready = made.then(() => this);
    Object.seal(this);
  }

  /** Takes the newest state. Makes no garbage. @returns {boolean} whether there was one that is new */
  update() {
    if (this.#shared) {
      const { slots, turn } = this.#shared;
      if ((Atomics.load(turn, 0) & fresh) === 0) return false;
      this.#frontNumber = Atomics.exchange(turn, 0, this.#frontNumber) & slotMask;
      this.#front = slots[this.#frontNumber];
      return true;
    }
    if (this.#waiting === null) return false;
    if (this.#front) this.#link.giveBack(/** @type {ArrayBuffer} */ (this.#front.buffer));
    this.#front = this.#waiting;
    this.#waiting = null;
    return true;
  }

  /** The worker writes it no more, and it is empty; a second time nothing happens. @returns {void} */
  dispose() {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#front = this.#waiting = this.#shared = null;
    this.#link.end();
  }

  /** s, of the world; 0 before the first state. @returns {number} */
  get time() {
    return this.#front?.header[header.time] ?? 0;
  }

  /** Steps that the world had done. @returns {number} */
  get stepCount() {
    return this.#front?.header[header.stepCount] ?? 0;
  }

  /** 0…1: how far `advance` got from the last step's begin to its end. @returns {number} */
  get alpha() {
    return this.#front?.header[header.alpha] ?? 1;
  }

  /** @internal @param {number} table @returns {number} */
  rowsOf(table) {
    return this.#front?.header[header.rows + table] ?? 0;
  }

  /** @internal @param {number} table @param {number} column @returns {TypedArray} */
  columnOf(table, column) {
    return this.#front?.columns[table][column] ?? none;
  }

  /** @internal @param {NonNullable<import('./protocol.js').Reply['shared']>} memory */
  share({ layout, slots, turn }) {
    if (this.#isDisposed) return;
    this.#shared = { slots: slots.map((slot) => openSlot(layout, slot)), turn: new Int32Array(turn) };
    this.#frontNumber = 2;
  }

  /** @internal @param {NonNullable<import('./protocol.js').Reply['sent']>} state */
  receive({ layout, slot }) {
    if (this.#isDisposed) return;
    if (this.#waiting) this.#link.giveBack(/** @type {ArrayBuffer} */ (this.#waiting.buffer));
    this.#waiting = openSlot(layout, slot);
  }
}
