// The second WebAssembly module, which reads mesh files and images. It comes when it is first wanted, since
// most pages read none: at once where files can be read without waiting (Node), otherwise by loadReaders().

import { textOf } from './compile.js';
import { CairnError } from './errors.js';
import { fingerprint } from '../generated/api.js';
import { Module } from './module.js';

/** @typedef {import('../generated/types.js').ReaderExports} ReaderExports */
/** @typedef {Module<ReaderExports>} Readers */

/**
 * Where the module comes from.
 * @typedef {object} ReaderSource
 * @property {() => Promise<WebAssembly.Module>} compile
 * @property {() => WebAssembly.Module | undefined} compileNow undefined where it has to be waited for
 * @property {boolean} isChosen whether a user said where
 */

/** @type {ReaderSource | undefined} */ let source;
/** @type {Readers | undefined} */ let readers;
/** @type {Promise<void> | undefined} */ let coming;
let isWanted = false;

/**
 * Says where the module comes from; waits for it if it was wanted before that was known.
 * @param {ReaderSource} value
 * @returns {Promise<void>}
 */
export async function offerReaders(value) {
  // what a user said holds from then on, also where another module was loaded before
  if (!source || value.isChosen) source = value;
  if (isWanted) await loadReaders();
}

/**
 * Makes the readers ready; what was loaded stays. `LOAD_FAILED`; a later call tries again.
 * @returns {Promise<void>}
 */
export function loadReaders() {
  isWanted = true;
  if (!source || readers) return Promise.resolve();
  coming ??= source
    .compile()
    .then(start)
    .catch((error) => {
      coming = undefined;
      throw failure('load', error);
    });
  return coming;
}

/**
 * The readers, for a call that cannot wait. `LOAD_FAILED`.
 * @param {string} call
 * @returns {Readers}
 */
export function getReaders(call) {
  if (!readers && source) {
    try {
      const compiled = source.compileNow();
      if (compiled) start(compiled);
    } catch (error) {
      throw failure(call, error);
    }
  }
  if (readers) return readers;
  const text = 'the readers of files are not loaded: await cairn.loadReaders() or gatherFiles() before';
  throw new CairnError('LOAD_FAILED', call, 'readers', text);
}

/** @param {WebAssembly.Module} compiled */
function start(compiled) {
  const imports = { env: { emscripten_notify_memory_growth: () => {} } };
  const { exports } = new WebAssembly.Instance(compiled, imports);
  const named = Object.entries(exports).map(([name, value]) => [`_${name}`, value]);
  const raw = /** @type {ReaderExports & { __initialize: () => void }} */ (Object.fromEntries(named));
  raw.__initialize();
  if (raw._cnw_GetFingerprint() >>> 0 !== fingerprint) {
    throw new Error('the WebAssembly module and the JavaScript files are of different builds');
  }
  readers ??= new Module(raw, /** @type {WebAssembly.Memory} */ (exports.memory));
}

/** @param {string} call @param {unknown} error */
function failure(call, error) {
  const reason = error instanceof CairnError ? error.reason : textOf(error);
  const text = `the readers of files (cairn.readers.wasm) could not be loaded: ${reason}`;
  return new CairnError('LOAD_FAILED', call, 'readers', text);
}
