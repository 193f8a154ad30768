// Writes what a mirror of a world shows: in the worker.

import { CairnError } from '../core/errors.js';
import { fresh, header, layOut, openSlot, slotCount, slotMask } from './mirror_layout.js';

/** @typedef {import('./mirror_layout.js').Layout} Layout */
/** @typedef {import('./mirror_layout.js').Slot} Slot */
/** @typedef {import('../objects/world.js').World} World */

/** Tables and their columns. @typedef {Record<string, readonly string[]>} MirrorColumns */

export class MirrorWriter {
  #number;
  #world;
  #send;
  #isShared;
  /** @type {{ name: string, table: any, columns: { name: string, type: any, lanes: number }[] }[]} */
  #tables;
  /** @type {Layout | null} */
  #layout = null;
  /** The shared slots. @type {Slot[]} */
  #slots = [];
  /** Slots that the page has sent back. @type {Slot[]} */
  #returned = [];
  /** @type {Int32Array} */ #turn = new Int32Array(1);
  #back = 0;

  /**
   * @param {number} number of the mirror
   * @param {World} world
   * @param {MirrorColumns} wanted
   * @param {boolean} isShared whether page and worker may share memory
   * @param {(reply: import('./protocol.js').Reply, transfer?: ArrayBuffer[]) => void} send
   */
  constructor(number, world, wanted, isShared, send) {
    this.#number = number;
    this.#world = world;
    this.#send = send;
    this.#isShared = isShared;
    this.#tables = Object.entries(wanted).map(([name, columns]) => {
      const table = /** @type {Record<string, any>} */ (world.columns)[name];
      if (table === undefined) {
        const allowed = Object.keys(world.columns).join(', ');
        const text = `columns has ${JSON.stringify(name)}, allowed are the tables ${allowed}`;
        throw new CairnError('UNKNOWN_NAME', 'world.createMirror', 'columns', text);
      }
      return { name, table, columns: columns.map((column) => ({ name: column, ...table.describe(column) })) };
    });
  }

  get world() {
    return this.#world;
  }

  /** Makes the world's present state the newest one that the page can read. */
  publish() {
    const layout = this.#reserve();
    if (this.#isShared) {
      this.#fill(this.#slots[this.#back]);
      this.#back = Atomics.exchange(this.#turn, 0, this.#back | fresh) & slotMask;
    } else {
      const slot = this.#returned.pop() ?? openSlot(layout, new ArrayBuffer(layout.bytes));
      this.#fill(slot);
      const buffer = /** @type {ArrayBuffer} */ (slot.buffer);
      this.#send({ sent: { mirror: this.#number, layout, slot: buffer } }, [buffer]);
    }
  }

  /** A slot that the page has read. @param {ArrayBuffer} buffer */
  takeBack(buffer) {
    const layout = this.#layout;
    if (layout !== null && buffer.byteLength === layout.bytes) this.#returned.push(openSlot(layout, buffer));
  }

  /** Room for all rows that there are. @returns {Layout} */
  #reserve() {
    const present = this.#layout;
    if (present !== null && this.#tables.every(({ table }, i) => table.rows <= present.tables[i].capacity))
      return present;
    const layout = layOut(
      this.#tables.map(({ name, table, columns }, i) => {
        const before = present?.tables[i].capacity ?? 0;
        const capacity = table.rows <= before ? before : Math.max(64, Math.ceil(1.5 * table.rows));
        return { name, capacity, columns };
      }),
    );
    this.#layout = layout;
    this.#returned = [];
    if (this.#isShared) {
      const buffers = Array.from({ length: slotCount }, () => new SharedArrayBuffer(layout.bytes));
      const turn = new SharedArrayBuffer(4);
      this.#slots = buffers.map((buffer) => openSlot(layout, buffer));
      this.#turn = new Int32Array(turn);
      this.#back = 0;
      this.#turn[0] = 1; // the page begins with slot 2
      this.#send({ shared: { mirror: this.#number, layout, slots: buffers, turn } });
    }
    return layout;
  }

  /** @param {Slot} slot */
  #fill(slot) {
    const world = this.#world;
    slot.header[header.time] = world.time;
    slot.header[header.stepCount] = world.stepCount;
    slot.header[header.alpha] = world.alpha;
    for (let i = 0; i < this.#tables.length; ++i) {
      const { table, columns } = this.#tables[i];
      const { rows } = table;
      slot.header[header.rows + i] = rows;
      for (let k = 0; k < columns.length; ++k) {
        const view = table[columns[k].name];
        const length = rows * columns[k].lanes;
        slot.columns[i][k].set(view.length > length ? view.subarray(0, length) : view);
      }
    }
  }
}
