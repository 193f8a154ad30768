// Where what a mirror shows lies in its memory.
//
// A slot holds one whole state: three numbers, the rows of each table, and the columns one after another,
// each with room for `capacity` rows.

/** @typedef {import('../core/columns.js').TypedArray} TypedArray */
/** @typedef {'f64' | 'f32' | 'u32' | 'i32' | 'u8'} Scalar */

/**
 * @typedef {{ name: string, type: Scalar, lanes: number, offset: number }} ColumnLayout
 * @typedef {{ name: string, capacity: number, columns: ColumnLayout[] }} TableLayout
 * @typedef {{ tables: TableLayout[], bytes: number }} Layout
 */

export const arrayTypes = {
  f64: Float64Array,
  f32: Float32Array,
  u32: Uint32Array,
  i32: Int32Array,
  u8: Uint8Array,
};

/** Numbers at the begin of a slot: s; steps; 0…1. */
export const header = /** @type {const} */ ({ time: 0, stepCount: 1, alpha: 2, rows: 3 });

/**
 * A slot and the arrays over it.
 * @typedef {object} Slot
 * @property {ArrayBuffer | SharedArrayBuffer} buffer
 * @property {Float64Array} header
 * @property {TypedArray[][]} columns by table and column
 */

/**
 * @param {{ name: string, capacity: number, columns: Omit<ColumnLayout, 'offset'>[] }[]} tables
 * @returns {Layout}
 */
export function layOut(tables) {
  let bytes = 8 * (header.rows + tables.length);
  const placed = tables.map(({ name, capacity, columns }) => ({
    name,
    capacity,
    columns: columns.map((column) => {
      const offset = bytes;
      const size = capacity * column.lanes * arrayTypes[column.type].BYTES_PER_ELEMENT;
      bytes += 8 * Math.ceil(size / 8);
      return { ...column, offset };
    }),
  }));
  return { tables: placed, bytes };
}

/** @param {Layout} layout @param {ArrayBuffer | SharedArrayBuffer} buffer @returns {Slot} */
export function openSlot(layout, buffer) {
  const memory = /** @type {ArrayBuffer} */ (buffer);
  return {
    buffer,
    header: new Float64Array(memory, 0, header.rows + layout.tables.length),
    columns: layout.tables.map(({ capacity, columns }) =>
      columns.map(({ type, lanes, offset }) => new arrayTypes[type](memory, offset, capacity * lanes)),
    ),
  };
}

// Three slots take turns: the worker writes one, the page reads one, and the third is the newest state, or
// one that is free. Its number stands in one word, with a bit that says whether the page has not had it yet;
// whoever has done its work exchanges its slot for that one, so that nobody waits and nothing is read while
// it is written.

export const slotCount = 3;
export const fresh = 4;
export const slotMask = 3;
