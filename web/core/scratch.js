// A small piece of the module's memory for what one call takes: definitions, texts, lists.
// Empty between calls.

import { CairnError } from './errors.js';

const blockBytes = 64 * 1024;

export class Scratch {
  #module;
  #address = 0;
  #used = 0;
  /** @type {number[]} */
  #large = [];

  /** @param {{ raw: import('./module.js').CommonExports }} module */
  constructor(module) {
    this.#module = module;
    this.#address = this.#get('load', blockBytes);
  }

  /**
   * Address of `bytes` bytes, aligned to 16, until release().
   * @param {string} call for the error
   * @param {number} bytes
   * @returns {number}
   */
  allocate(call, bytes) {
    const rounded = (bytes + 15) & ~15;
    if (this.#used + rounded <= blockBytes) {
      const address = this.#address + this.#used;
      this.#used += rounded;
      return address;
    }
    const address = this.#get(call, rounded);
    this.#large.push(address);
    return address;
  }

  /** Gives back all that was allocated since the last release. */
  release() {
    this.#used = 0;
    while (this.#large.length > 0) this.#module.raw._free(/** @type {number} */ (this.#large.pop()));
  }

  /** @param {string} call @param {number} bytes */
  #get(call, bytes) {
    const address = bytes > 0 ? this.#module.raw._malloc(bytes) >>> 0 : 0;
    if (address === 0) {
      throw new CairnError(
        'OUT_OF_MEMORY',
        call,
        'memory',
        `${bytes} bytes cannot be had, the module's memory is full`,
      );
    }
    return address;
  }
}
