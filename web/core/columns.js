// Typed arrays straight over the engine's tables.
//
// The directory (tables, columns, widths) is read from the module at load. A world tells three things at
// fixed addresses: an epoch that goes up when a column may have moved, and a row count a table. So a property
// read compares three numbers and gives the array of last time; nothing is called and nothing allocated until
// memory or a table grew; but for contacts, which the engine lists at their first reading after a step.

import { CairnError } from './errors.js';
import { seal } from './strict.js';

/** @typedef {import('./runtime.js').Runtime} Runtime */
/** @typedef {Float64Array | Float32Array | Uint32Array | Int32Array | Uint8Array} TypedArray */

/**
 * @typedef {object} ColumnDescription
 * @property {string} name
 * @property {'f64' | 'f32' | 'u32' | 'i32' | 'u8'} type
 * @property {number} lanes numbers a row
 *
 * @typedef {object} TableDescription
 * @property {string} name
 * @property {ColumnDescription[]} columns
 * @property {typeof Table} Class with a getter a column
 */

/** By cnScalar. */
const scalarTypes = /** @type {const} */ (['f64', 'f32', 'u32', 'i32', 'u8']);

/** A row count of contacts that are not listed: nobody has read any since the last step. */
const notListed = 0xffffffff;

const arrayTypes = {
  f64: Float64Array,
  f32: Float32Array,
  u32: Uint32Array,
  i32: Int32Array,
  u8: Uint8Array,
};

/**
 * What is shared by the tables of one world.
 * @typedef {object} WorldMemory
 * @property {Runtime} runtime
 * @property {number} world handle
 * @property {number} epochWord index of the epoch in the u32 view
 * @property {number} rowsWord index of the first row count
 * @property {boolean} isGone
 * @property {object | null} owner the world: whoever has a table keeps it
 */

/** One table of a world; its columns are properties. */
export class Table {
  /** @type {WorldMemory} */
  #memory;
  #table;
  #description;
  /** @type {TypedArray[]} */
  #views = [];
  /** The memory that the views are of: asking for its buffer takes longer. @type {Uint32Array | null} */
  #words = null;
  /** Numbers a row, by column. @type {number[]} */
  #lanes;
  #epoch = -1;

  /** @param {WorldMemory} memory @param {number} table @param {TableDescription} description */
  constructor(memory, table, description) {
    this.#memory = memory;
    this.#table = table;
    this.#description = description;
    this.#lanes = description.columns.map(({ lanes }) => lanes);
    seal(this);
  }

  /** Rows that may be in use: loop below it. @returns {number} */
  get rows() {
    const memory = this.#memory;
    if (memory.isGone) throw goneError();
    const rows = memory.runtime.u32[memory.rowsWord + this.#table];
    return rows === notListed ? this.#list() : rows;
  }

  /** Names of the columns. @returns {string[]} */
  get names() {
    return this.#description.columns.map(({ name }) => name);
  }

  /**
   * Type and width of a column.
   * @param {string} name
   * @returns {{ type: 'f64' | 'f32' | 'u32' | 'i32' | 'u8', lanes: number }}
   */
  describe(name) {
    const column = this.#description.columns.find((item) => item.name === name);
    if (!column) {
      const text = `name is ${JSON.stringify(String(name))}, allowed are ${this.names.join(', ')}`;
      throw new CairnError('UNKNOWN_NAME', 'Columns.describe', 'name', text);
    }
    return { type: column.type, lanes: column.lanes };
  }

  /**
   * The present view of a column. It covers at least the rows in use.
   * @protected
   * @param {number} column
   * @returns {TypedArray}
   */
  view(column) {
    const memory = this.#memory;
    if (memory.isGone) throw goneError();
    const { runtime } = memory;
    let words = runtime.u32;
    let rows = words[memory.rowsWord + this.#table];
    if (rows === notListed) {
      rows = this.#list();
      words = runtime.u32;
    }
    if (words[memory.epochWord] !== this.#epoch || words !== this.#words) {
      this.#views.length = 0;
      this.#epoch = words[memory.epochWord];
      this.#words = words;
    }
    const length = rows * this.#lanes[column];
    const view = this.#views[column];
    return view !== undefined && view.length >= length ? view : this.#makeView(column, length);
  }

  /** Contacts are rows once somebody asks for them. @returns {number} how many there are */
  #list() {
    const { runtime, world, rowsWord } = this.#memory;
    runtime.check(runtime.raw._cnw_World_ListContacts(world));
    return runtime.u32[rowsWord + this.#table];
  }

  /** @param {number} column @param {number} length */
  #makeView(column, length) {
    const { runtime, world } = this.#memory;
    const ArrayType = arrayTypes[this.#description.columns[column].type];
    const address = length > 0 ? runtime.raw._cnw_World_GetColumn(world, this.#table, column) >>> 0 : 0;
    runtime.reach(address + length * ArrayType.BYTES_PER_ELEMENT);
    const view =
      address === 0
        ? new ArrayType(0)
        : new ArrayType(/** @type {ArrayBuffer} */ (runtime.u8.buffer), address, length);
    this.#views[column] = view;
    return view;
  }
}

function goneError() {
  return new CairnError('STALE_HANDLE', 'columns', 'world', 'world was disposed');
}

/**
 * Reads the tables' description from the module and makes a class with getters for each.
 * @param {Runtime} runtime
 * @returns {TableDescription[]}
 */
export function readDirectory(runtime) {
  const { raw } = runtime;
  /** @type {TableDescription[]} */
  const tables = [];
  for (let table = 0; table < raw._cnw_GetTableCount(); ++table) {
    /** @type {ColumnDescription[]} */
    const columns = [];
    for (let column = 0; column < raw._cnw_GetColumnCount(table); ++column) {
      columns.push({
        name: runtime.readText(raw._cnw_GetColumnName(table, column)),
        type: scalarTypes[raw._cnw_GetColumnScalar(table, column)],
        lanes: raw._cnw_GetColumnLanes(table, column),
      });
    }
    tables.push({
      name: runtime.readText(raw._cnw_GetTableName(table)),
      columns,
      Class: makeTableClass(columns),
    });
  }
  return tables;
}

/** @param {ColumnDescription[]} columns @returns {typeof Table} */
function makeTableClass(columns) {
  class WorldTable extends Table {}
  columns.forEach(({ name, lanes }, column) => {
    Object.defineProperty(WorldTable.prototype, name, {
      enumerable: true,
      /** @this {WorldTable} */
      get() {
        return this.view(column);
      },
      set: function refuse() {
        const first = `${name}[${lanes === 1 ? 'row' : `${lanes} * row`}]`;
        const text = `${name} can only be read: its numbers are set one by one, ${first} = …`;
        throw new CairnError('READ_ONLY', `columns.${name}`, name, text);
      },
    });
  });
  return WorldTable;
}

/**
 * All tables of a world.
 * @typedef {object} Columns
 * @property {Table & import('../generated/types.js').BodyColumns} bodies
 * @property {Table & import('../generated/types.js').GeometryColumns} geometries
 * @property {Table & import('../generated/types.js').ShapeColumns} shapes
 * @property {Table & import('../generated/types.js').ProxyColumns} proxies
 * @property {Table & import('../generated/types.js').MaterialColumns} materials
 * @property {Table & import('../generated/types.js').ContactMaterialColumns} contactMaterials
 * @property {Table & import('../generated/types.js').ConstraintColumns} constraints
 * @property {Table & import('../generated/types.js').ContactColumns} contacts
 * @property {Table & import('../generated/types.js').ContactPointColumns} contactPoints
 * @property {Table & import('../generated/types.js').ContactEventColumns} contactEvents
 * @property {Table & import('../generated/types.js').MergedBodyColumns} mergedBodies
 * @property {Table & import('../generated/types.js').MergeEdgeColumns} mergeEdges
 */

/**
 * @param {Runtime} runtime
 * @param {number} world handle
 * @returns {{ columns: Columns, memory: WorldMemory }}
 */
export function makeColumns(runtime, world) {
  /** @type {WorldMemory} */
  const memory = {
    runtime,
    world,
    epochWord: runtime.raw._cnw_World_GetEpoch(world) >>> 2,
    rowsWord: runtime.raw._cnw_World_GetRowCounts(world) >>> 2,
    isGone: false,
    owner: null,
  };
  runtime.reach(4 * Math.max(memory.epochWord, memory.rowsWord + runtime.tables.length));
  const entries = runtime.tables.map((description, table) => [
    description.name,
    new description.Class(memory, table, description),
  ]);
  return { columns: /** @type {Columns} */ (Object.freeze(Object.fromEntries(entries))), memory };
}
