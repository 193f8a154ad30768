// Chooses, loads and starts a module. What differs between a page and Node is handed in (index.js, index.node.js).

import { Cairn } from './cairn.js';
import { checkNames, checkNumber, checkOptions, outOfRange, wrongType } from './checks.js';
import { CairnError } from './errors.js';
import { fingerprint } from './generated/api.js';
import { offerReaders } from './readers.js';
import { Runtime } from './runtime.js';

/** @typedef {import('./generated/types.js').RawExports} RawExports */

/**
 * @typedef {object} LoadOptions
 * @property {number} [threads] that share the work, the caller included, 0…32 (0 as 1); min(cores − 1, 3) + 1
 * @property {'st' | 'mt'} [flavour] by itself: 'mt' when threads > 1 and shared memory is there, else 'st'
 * @property {number} [maximumMemory] bytes, most that a threaded module's memory may grow to, 64 MB…2 GB (2 GB); where it
 *   cannot be had, half of it is tried, down to 512 MB
 */

/** What Emscripten's glue gives. @typedef {RawExports & { wasmMemory: WebAssembly.Memory }} GlueInstance */
/** @typedef {(options: object) => Promise<GlueInstance>} GlueFactory */

/**
 * @typedef {object} Host
 * @property {() => Promise<{ default: GlueFactory }>} importSingle
 * @property {() => Promise<{ default: GlueFactory }>} importThreaded
 * @property {import('./readers.js').ReaderSource} readers
 * @property {number} cores
 * @property {boolean} canShare whether shared memory and workers over it are there
 */

const maxThreads = 32;
const pageBytes = 65536;
const megabyte = 1024 * 1024;
/** What the module is linked with: it asks for no less at the start and no more at the end. */
const initialMemory = 32 * megabyte;
const maximumMemory = 2048 * megabyte;
const leastMaximum = 64 * megabyte;
const leastTried = 512 * megabyte;

/** The smallest module with a SIMD instruction: () → v128.const, i8x16.popcnt. */
const simdProbe = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0],
  ...[10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
);

/**
 * @param {Host} host
 * @param {unknown} options LoadOptions
 * @returns {Promise<Cairn>}
 */
export async function loadWith(host, options) {
  const wanted = readOptions(options, host);
  if (!WebAssembly.validate(simdProbe)) {
    throw new CairnError(
      'NO_SIMD',
      'load',
      'WebAssembly',
      'this browser or Node has no WebAssembly SIMD, which Cairn needs',
    );
  }
  const [cairn] = await Promise.all([
    wanted.flavour === 'mt' ? loadThreaded(host, wanted) : loadSingle(host),
    offerReaders(host.readers),
  ]);
  return cairn;
}

/** @param {Host} host */
async function loadSingle(host) {
  const instance = await start(() => host.importSingle(), {});
  return finish(instance, instance.wasmMemory, { flavour: 'st', threads: 1, maximumMemory });
}

/** @param {Host} host @param {{ threads: number, maximumMemory: number }} wanted */
async function loadThreaded(host, wanted) {
  const { memory, maximum } = getSharedMemory(wanted.maximumMemory);
  const instance = await start(() => host.importThreaded(), {
    wasmMemory: memory,
    poolSize: wanted.threads - 1,
  });
  return finish(instance, memory, { flavour: 'mt', threads: wanted.threads, maximumMemory: maximum });
}

/**
 * @param {() => Promise<{ default: GlueFactory }>} importGlue
 * @param {object} options
 * @returns {Promise<GlueInstance>}
 */
async function start(importGlue, options) {
  try {
    const glue = await importGlue();
    return await glue.default(options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CairnError(
      'LOAD_FAILED',
      'load',
      'module',
      `the WebAssembly module could not be loaded: ${reason}`,
    );
  }
}

/**
 * @param {GlueInstance} instance
 * @param {WebAssembly.Memory} memory
 * @param {{ flavour: 'st' | 'mt', threads: number, maximumMemory: number }} facts
 */
function finish(instance, memory, facts) {
  const found = instance._cnw_GetFingerprint() >>> 0;
  if (found !== fingerprint) {
    const text = 'the WebAssembly module and the JavaScript files are of different builds';
    throw new CairnError('LOAD_FAILED', 'load', 'module', text);
  }
  return new Cairn(new Runtime(instance, memory), facts);
}

/**
 * Shared memory with the largest maximum that can be had; browsers reserve the addresses at once.
 * @param {number} wanted bytes
 */
function getSharedMemory(wanted) {
  for (let maximum = wanted; ; maximum /= 2) {
    try {
      const pages = Math.floor(maximum / pageBytes);
      const memory = new WebAssembly.Memory({
        initial: initialMemory / pageBytes,
        maximum: pages,
        shared: true,
      });
      return { memory, maximum: pages * pageBytes };
    } catch (error) {
      if (maximum / 2 < leastTried) {
        const text = `shared memory of ${Math.floor(maximum / megabyte)} MB cannot be had: ${String(error)}`;
        throw new CairnError('OUT_OF_MEMORY', 'load', 'maximumMemory', text);
      }
    }
  }
}

/** @param {unknown} options @param {Host} host */
function readOptions(options, host) {
  const call = 'load';
  checkOptions(call, 'options', options);
  checkNames(call, 'options', options, ['threads', 'flavour', 'maximumMemory']);
  const {
    threads = Math.min(Math.max(host.cores - 1, 0), 3) + 1,
    flavour,
    maximumMemory: maximum = maximumMemory,
  } = options;

  checkNumber(call, 'options.threads', threads);
  if (!Number.isInteger(threads) || threads < 0 || threads > maxThreads) {
    throw outOfRange(call, 'options.threads', threads, `are integers 0…${maxThreads}`);
  }
  checkNumber(call, 'options.maximumMemory', maximum);
  if (maximum < leastMaximum || maximum > maximumMemory) {
    throw outOfRange(
      call,
      'options.maximumMemory',
      maximum,
      `are bytes from ${leastMaximum} to ${maximumMemory}`,
    );
  }
  if (flavour !== undefined && flavour !== 'st' && flavour !== 'mt') {
    throw wrongType(call, 'options.flavour', flavour, "are 'st' and 'mt'");
  }
  if (flavour === 'mt' && !host.canShare) {
    const text = 'threads need shared memory: the page must be cross-origin isolated (COOP and COEP headers)';
    throw new CairnError('NO_THREADS', call, 'options.flavour', text);
  }
  return {
    flavour: flavour ?? (threads > 1 && host.canShare ? 'mt' : 'st'),
    threads: Math.max(1, threads),
    maximumMemory: maximum,
  };
}
