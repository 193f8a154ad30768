// The engine's module, with the layouts of its structs and the columns of its tables.

import { readDirectory } from './columns.js';
import { LiveWorlds } from './dropped.js';
import { structs } from '../generated/api.js';
import { listAvailable } from '../generated/calls.js';
import { Module } from './module.js';
import { compileStructs } from './structs.js';

/** @typedef {import('../generated/types.js').RawExports} RawExports */

/** @extends {Module<RawExports>} */
export class Runtime extends Module {
  /** @type {LiveWorlds<import('../objects/world.js').World>} */
  worlds = new LiveWorlds();

  /**
   * @param {RawExports} raw
   * @param {WebAssembly.Memory} memory
   */
  constructor(raw, memory) {
    super(raw, memory);
    this.structs = compileStructs(structs, this.u32, raw._cnw_GetLayout() >>> 2);
    this.tables = readDirectory(this);
  }

  /**
   * With the names that the command `cairn list` prints.
   * @protected @override
   * @param {string} text @returns {string}
   */
  complete(text) {
    return text.replace(/the names that `cairn list ([\w-]+)` prints/, (_, kind) => {
      const items = /** @type {{ name: string }[]} */ (JSON.parse(listAvailable(this, kind)));
      return items.map(({ name }) => name).join(', ');
    });
  }
}
