// One WebAssembly module: its exports, its memory, and how texts, numbers and errors cross.

import { checkText } from './checks.js';
import { checkVector, isNumberArray } from './vectors.js';
import { CairnError, disposedError, errorCode, isDetached, wrongType } from './errors.js';
import { copyOut } from './outputs.js';
import { Scratch } from './scratch.js';
import { translate } from './wording.js';

/** @typedef {import('./checks.js').OutputArray} OutputArray */

/** @typedef {'_cnw_GetErrorCall' | '_cnw_GetErrorArgument' | '_cnw_GetErrorMessage'} ErrorExports */
/** @typedef {'_malloc' | '_free' | '_cnw_GetResult' | ErrorExports} CommonNames */
/**
 * What every module of ours exports.
 * @typedef {Pick<import('../generated/types.js').RawExports, CommonNames>} CommonExports
 */

/** Stands in for the exports of a module that was disposed. @type {ProxyHandler<object>} */
const goneExports = {
  get: () => {
    throw disposedError('cairn');
  },
};

/** @template {CommonExports} Exports */
export class Module {
  #decoder = new TextDecoder();
  #encoder = new TextEncoder();
  /** @type {Float64Array} */ #f64 = new Float64Array(0);
  /** @type {Float32Array} */ #f32 = new Float32Array(0);
  /** @type {Uint32Array} */ #u32 = new Uint32Array(0);
  /** @type {Int32Array} */ #i32 = new Int32Array(0);
  /** @type {Uint8Array} */ #u8 = new Uint8Array(0);
  /** @type {WebAssembly.Memory | null} */ #memory;

  /**
   * @param {Exports} raw
   * @param {WebAssembly.Memory} memory
   */
  constructor(raw, memory) {
    this.raw = raw;
    this.#memory = memory;
    this.scratch = new Scratch(this);
    this.#refresh();
    /** Address of the block that results are left in. */
    this.result = raw._cnw_GetResult() >>> 0;
  }

  // ---- views ----------------------------------------------------------------------------------------------
  //
  // Asking for `memory.buffer` costs more than a call into the module, so growth is noticed otherwise: it
  // empties the views of memory that is not shared, and leaves those of shared memory good but short. Whoever
  // has got an address that may lie beyond says so by reach().

  /** Views are rebuilt where they do not reach an address as yet. @param {number} address */
  reach(address) {
    if (address >= this.#u8.length) this.#refresh();
  }

  /** @returns {WebAssembly.Memory} */
  get memory() {
    if (this.#memory === null) throw disposedError('cairn');
    return this.#memory;
  }

  #refresh() {
    const { buffer } = this.memory;
    this.#f64 = new Float64Array(buffer);
    this.#f32 = new Float32Array(buffer);
    this.#u32 = new Uint32Array(buffer);
    this.#i32 = new Int32Array(buffer);
    this.#u8 = new Uint8Array(buffer);
  }

  /** @returns {Float64Array} */
  get f64() {
    if (this.#f64.length === 0) this.#refresh();
    return this.#f64;
  }

  /** @returns {Float32Array} */
  get f32() {
    if (this.#f32.length === 0) this.#refresh();
    return this.#f32;
  }

  /** @returns {Uint32Array} */
  get u32() {
    if (this.#u32.length === 0) this.#refresh();
    return this.#u32;
  }

  /** @returns {Int32Array} */
  get i32() {
    if (this.#i32.length === 0) this.#refresh();
    return this.#i32;
  }

  /** @returns {Uint8Array} */
  get u8() {
    if (this.#u8.length === 0) this.#refresh();
    return this.#u8;
  }

  /** Lets go of the module and its memory: every later call throws `STALE_HANDLE`. */
  dispose() {
    this.#memory = null;
    this.#f64 = new Float64Array(0);
    this.#f32 = new Float32Array(0);
    this.#u32 = new Uint32Array(0);
    this.#i32 = new Int32Array(0);
    this.#u8 = new Uint8Array(0);
    this.raw = /** @type {Exports} */ (new Proxy({}, goneExports));
  }

  // ---- results --------------------------------------------------------------------------------------------

  /**
   * Throws what the engine reported.
   * @param {number} code
   */
  check(code) {
    if (code !== 0) throw this.#lastError(code);
  }

  /** @param {number} code */
  #lastError(code) {
    const { raw } = this;
    const call = this.readText(raw._cnw_GetErrorCall()) || 'cairn';
    const argument = translate(call, this.readText(raw._cnw_GetErrorArgument()));
    const text = translate(call, this.readText(raw._cnw_GetErrorMessage()));
    return new CairnError(errorCode(code), call, argument, this.complete(text));
  }

  /** A message with what the module knows beside it. @protected @param {string} text @returns {string} */
  complete(text) {
    return text;
  }

  /**
   * @template {OutputArray} T
   * @param {number} address
   * @param {number} count
   * @param {T} [out]
   * @returns {T}
   */
  readNumbers(address, count, out) {
    return copyOut(this.f64, address >>> 3, count, out);
  }

  /**
   * Text that ends in a zero byte; '' for null.
   * @param {number} address
   * @returns {string}
   */
  readText(address) {
    return this.#decoder.decode(this.copyText(address));
  }

  /**
   * UTF-8 bytes up to a zero byte, as a copy: decoders refuse shared memory.
   * @param {number} address
   * @returns {Uint8Array}
   */
  copyText(address) {
    const start = address >>> 0;
    if (start === 0) return new Uint8Array(0);
    let end = this.u8.indexOf(0, start);
    if (end < 0) {
      this.#refresh();
      end = this.u8.indexOf(0, start);
    }
    return this.u8.slice(start, end);
  }

  // ---- arguments ------------------------------------------------------------------------------------------
  //
  // Asking for scratch memory may make it grow, and that empties all views of it: those got before
  // (`this.u32[i] = this.writeText()` writes to the old one) and those that users pass, columns for instance.

  /**
   * The value, or a copy where it is a view of this memory. To be asked before scratch memory is.
   * @template T @param {T} value @returns {T}
   */
  hold(value) {
    if (!ArrayBuffer.isView(value) || value.buffer !== this.u8.buffer || value instanceof DataView)
      return value;
    return /** @type {T} */ (
      /** @type {unknown} */ (/** @type {Uint8Array} */ (/** @type {unknown} */ (value)).slice())
    );
  }

  /**
   * Address of `bytes` bytes of scratch memory, aligned to 16.
   * @param {string} call @param {number} bytes
   * @returns {number}
   */
  allocate(call, bytes) {
    const address = this.scratch.allocate(call, bytes);
    this.reach(address + bytes);
    return address;
  }

  /**
   * Writes text with a zero byte into the scratch memory.
   * @param {string} call @param {string} argument @param {unknown} text
   * @returns {number} its address
   */
  writeText(call, argument, text) {
    checkText(call, argument, text);
    return this.#write(call, this.#encoder.encode(text));
  }

  /**
   * Writes any count of numbers as doubles into the scratch memory.
   * @param {string} call @param {string} argument @param {unknown} numbers
   * @returns {number} their address, 0 for none
   */
  writeDoubles(call, argument, numbers) {
    if (!isNumberArray(numbers))
      throw wrongType(call, argument, numbers, 'are arrays and typed arrays of numbers');
    checkVector(call, argument, numbers, numbers.length);
    if (numbers.length === 0) return 0;
    const held = this.hold(numbers);
    const address = this.allocate(call, 8 * held.length);
    this.f64.set(held, address >>> 3);
    return address;
  }

  /**
   * Writes bytes, and a zero behind them, into the scratch memory.
   * @param {string} call @param {string} argument @param {unknown} bytes
   * @returns {number} their address
   */
  writeBytes(call, argument, bytes) {
    if (!(bytes instanceof Uint8Array) || isDetached(bytes))
      throw wrongType(call, argument, bytes, 'is a Uint8Array');
    return this.#write(call, this.hold(bytes));
  }

  /** @param {string} call @param {Uint8Array} bytes */
  #write(call, bytes) {
    const address = this.allocate(call, bytes.length + 1);
    this.u8.set(bytes, address);
    this.u8[address + bytes.length] = 0;
    return address;
  }
}
