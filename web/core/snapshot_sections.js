// Sections of a saved state by their names (docs/snapshots.md, "The format").

import {
  alignment,
  nameBytes,
  snapshotEntry,
  snapshotHeader,
  version,
} from '../generated/snapshot_layout.js';
import { CairnError } from './errors.js';

const magic = 'CAIRNSN\0';

/** Where the next section begins. @param {number} bytes */
export const align = (bytes) => Math.ceil(bytes / alignment) * alignment;

/** What a saved state holds, read where it lies. */
export class SnapshotSections {
  #bytes;
  /** @type {Map<string, { offset: number, rowBytes: number, rows: number }>} */
  #entries = new Map();

  /** @param {Uint8Array} bytes that world.save() wrote */
  constructor(bytes) {
    this.#bytes = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const header = snapshotHeader.at;
    const entry = snapshotEntry.at;
    const text = new TextDecoder();
    if (
      text.decode(bytes.subarray(0, magic.length)) !== magic ||
      view.getUint32(header.version, true) !== version
    )
      throw new CairnError('SNAPSHOT', 'snapshot', 'bytes', `bytes are no state of version ${version}`);
    const count = view.getUint32(header.sections, true);
    let offset = align(snapshotHeader.bytes + count * snapshotEntry.bytes);
    for (let i = 0; i < count; ++i) {
      const at = snapshotHeader.bytes + i * snapshotEntry.bytes;
      const name = text.decode(bytes.subarray(at, at + nameBytes)).replace(/\0+$/, '');
      const rowBytes = view.getUint32(at + entry.rowBytes, true);
      const rows = view.getUint32(at + entry.rows, true);
      this.#entries.set(name, { offset, rowBytes, rows });
      offset += align(rowBytes * rows);
    }
  }

  /** @param {string} name */
  #find(name) {
    const entry = this.#entries.get(name);
    if (!entry) throw new CairnError('SNAPSHOT', 'snapshot', 'name', `there is no section ${name}`);
    return entry;
  }

  /** @param {string} name @returns {{ rowBytes: number, rows: number }} */
  sizeOf(name) {
    return this.#find(name);
  }

  /** @param {string} name @returns {Uint8Array} */
  bytes(name) {
    const { offset, rowBytes, rows } = this.#find(name);
    return this.#bytes.subarray(offset, offset + rowBytes * rows);
  }

  /** @param {string} name @returns {Float64Array} */
  doubles(name) {
    const { buffer, byteOffset, byteLength } = this.bytes(name);
    return new Float64Array(buffer, byteOffset, byteLength >>> 3);
  }

  /** @param {string} name @returns {BigUint64Array} */
  words(name) {
    const { buffer, byteOffset, byteLength } = this.bytes(name);
    return new BigUint64Array(buffer, byteOffset, byteLength >>> 3);
  }
}
