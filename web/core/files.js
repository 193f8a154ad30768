// Where the files of the package come from: what load() was told, else where the package keeps them.

import { checkText } from './checks.js';
import { compileBytes, textOf } from './compile.js';
import { CairnError, isDetached, wrongType } from './errors.js';

/** @typedef {'cairn.st.wasm' | 'cairn.mt.wasm' | 'cairn.readers.wasm'} WasmName */
/** @typedef {WasmName | 'cairn.mt.worker.js'} FileName */

/**
 * Options of load() for pages whose bundler or server has the files elsewhere.
 * @typedef {object} FileOptions
 * @property {string | URL} [wasmUrl] of cairn.st.wasm or cairn.mt.wasm; which of them it is decides whether
 *   there are threads
 * @property {ArrayBuffer | ArrayBufferView<ArrayBuffer> | WebAssembly.Module} [wasmBinary] the same, in hand
 * @property {(name: FileName) => string | URL | undefined} [locateFile] the address of a file of the package;
 *   undefined: where it is by itself
 * @property {string | URL} [workerUrl] of cairn.mt.worker.js, beside which cairn.mt.web.js must lie
 * @property {string | URL} [readersUrl] of cairn.readers.wasm
 */

/** @type {readonly (keyof FileOptions)[]} */
export const fileOptions = ['wasmUrl', 'wasmBinary', 'locateFile', 'workerUrl', 'readersUrl'];

/** @param {string} call @param {string} argument @param {unknown} value @returns {string} */
function toAddress(call, argument, value) {
  if (value instanceof URL) return value.href;
  if (typeof value !== 'string' || value === '') {
    throw wrongType(call, argument, value, 'are addresses: URLs and strings');
  }
  checkText(call, argument, value);
  return value;
}

/** @param {unknown} value @returns {value is ArrayBuffer | ArrayBufferView<ArrayBuffer>} */
function isBytes(value) {
  return (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) && value.byteLength > 0;
}

export class Files {
  #call;
  /** @type {Map<FileName, string>} */
  #given = new Map();
  /** @type {((name: FileName) => unknown) | undefined} */
  #locateFile;
  /** @type {string | undefined} */
  #wasmUrl;
  /** @type {ArrayBuffer | ArrayBufferView<ArrayBuffer> | WebAssembly.Module | undefined} */
  #wasmBinary;
  #host;

  /**
   * @param {string} call
   * @param {Record<string, unknown>} options FileOptions, among others
   * @param {FileHost} host
   */
  constructor(call, options, host) {
    this.#call = call;
    this.#host = host;
    const { wasmUrl, wasmBinary, locateFile, workerUrl, readersUrl } = options;
    if (wasmUrl !== undefined && wasmBinary !== undefined) {
      throw wrongType(call, 'options.wasmBinary', wasmBinary, 'is only one of wasmUrl and wasmBinary');
    }
    if (wasmUrl !== undefined) this.#wasmUrl = this.#resolve('options.wasmUrl', wasmUrl);
    if (wasmBinary !== undefined) {
      const isModule = wasmBinary instanceof WebAssembly.Module;
      const isGone = ArrayBuffer.isView(wasmBinary) && isDetached(wasmBinary);
      if (isGone || !(isModule || isBytes(wasmBinary))) {
        const allowed = 'are an ArrayBuffer or a view of one with the bytes, and a WebAssembly.Module';
        throw wrongType(call, 'options.wasmBinary', wasmBinary, allowed);
      }
      this.#wasmBinary = wasmBinary;
    }
    if (locateFile !== undefined && typeof locateFile !== 'function') {
      throw wrongType(call, 'options.locateFile', locateFile, 'is a function of a name that returns a URL');
    }
    this.#locateFile = /** @type {((name: FileName) => unknown) | undefined} */ (locateFile);
    if (workerUrl !== undefined) {
      this.#given.set('cairn.mt.worker.js', this.#resolve('options.workerUrl', workerUrl));
    }
    if (readersUrl !== undefined) {
      this.#given.set('cairn.readers.wasm', this.#resolve('options.readersUrl', readersUrl));
    }
  }

  /** The option that names the one module to use, if there is any. */
  get moduleOption() {
    if (this.#wasmUrl !== undefined) return 'options.wasmUrl';
    return this.#wasmBinary === undefined ? null : 'options.wasmBinary';
  }

  /** That module. @returns {Promise<WebAssembly.Module>} */
  async compileGiven() {
    if (this.#wasmUrl !== undefined) return this.#host.compile(this.#wasmUrl);
    const source = this.#wasmBinary;
    if (source instanceof WebAssembly.Module) return source;
    return compileBytes('options.wasmBinary', /** @type {ArrayBuffer} */ (source));
  }

  /**
   * Where a file was said to be; undefined: nowhere, it is where it is by itself.
   * @param {FileName} name
   * @returns {string | undefined}
   */
  addressGiven(name) {
    const known = this.#given.get(name);
    if (known !== undefined) return known;
    const given = this.#locateFile?.(name);
    if (given === undefined) return undefined;
    return this.#resolve(`options.locateFile('${name}')`, given);
  }

  /** An absolute URL. @param {string} argument @param {unknown} value */
  #resolve(argument, value) {
    const address = toAddress(this.#call, argument, value);
    try {
      return this.#host.resolve(address);
    } catch {
      throw wrongType(this.#call, argument, value, 'are addresses: URLs and strings');
    }
  }

  /** @param {WasmName} name @returns {Promise<WebAssembly.Module>} */
  async compile(name) {
    return this.#host.compile(this.#address(name));
  }

  /** The same without waiting; undefined where that does not go. @param {WasmName} name */
  compileNow(name) {
    return this.#host.compileNow?.(this.#address(name));
  }

  /** @param {WasmName} name */
  #address(name) {
    return this.addressGiven(name) ?? this.#ownAddress(name);
  }

  /** @param {WasmName} name */
  #ownAddress(name) {
    try {
      return this.#host.locate(name);
    } catch (error) {
      // a script that is no module does not know where it is
      const option = name === 'cairn.readers.wasm' ? 'readersUrl' : 'wasmUrl';
      const text = `where ${name} is cannot be known here: load() needs ${option} or locateFile`;
      throw new CairnError('LOAD_FAILED', this.#call, `options.${option}`, `${text} (${textOf(error)})`);
    }
  }
}

/**
 * What differs between a page and Node.
 * @typedef {object} FileHost
 * @property {(name: WasmName) => string} locate where the package keeps it; throws where that cannot be known
 * @property {(address: string) => string} resolve an absolute URL of what was given
 * @property {(url: string) => Promise<WebAssembly.Module>} compile
 * @property {(url: string) => WebAssembly.Module | undefined} [compileNow] where that goes without waiting
 */
